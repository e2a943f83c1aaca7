// barrier.cu: barriers in local memory that count arrivals (mbarrier), by address; sm_90.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
PD_FN void cud_begin(pd_u32 barrier, pd_u32 arrivals)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(arrivals)
                 : "memory");
}

// Each lane for itself: as fast as one for its warp, and checkers of races follow it.
PD_FN void cud_arrive(pd_u32 barrier)
{
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier) : "memory");
}

// For the end of the phase of this parity.
PD_FN void cud_wait(pd_u32 barrier, pd_u32 parity)
{
    asm volatile("{\n\t"
                 ".reg .pred done;\n"
                 "again:\n\t"
                 "mbarrier.try_wait.parity.shared::cta.b64 done, [%0], %1;\n\t"
                 "@done bra over;\n\t"
                 "bra again;\n"
                 "over:\n\t"
                 "}" ::"r"(barrier), "r"(parity)
                 : "memory");
}
#endif
