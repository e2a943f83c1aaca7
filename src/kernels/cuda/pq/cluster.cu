// cluster.cu: groups that run at a time and read each other's local memory; conversions.

PD_FN pd_u32 cpq_rank()
{
    pd_u32 x;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(x));
    return x;
}

// All items of all groups of the cluster arrive, and see what was written before.
PD_FN void cpq_meet()
{
    asm volatile("barrier.cluster.arrive.release.aligned;\n\t"
                 "barrier.cluster.wait.acquire.aligned;" ::
                     : "memory");
}

// The same word of another group's local memory; it is there when they have met.
PD_FN void cpq_push(pd_u32 *p, pd_u32 rank, pd_u32 x)
{
    const pd_u32 own = (pd_u32)__cvta_generic_to_shared(p);
    pd_u32 there;
    asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(own), "r"(rank));
    asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(there), "r"(x) : "memory");
}

// Copies to local memory that go on by themselves; the item waits for its own.
PD_FN void cpq_copy(void *to, const void *from, pd_u32 wide)
{
    const pd_u32 at = (pd_u32)__cvta_generic_to_shared(to);
    if (wide > 0u)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(at), "l"(from) : "memory");
    else asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(at), "l"(from) : "memory");
}

PD_FN void cpq_copied()
{
    asm volatile("cp.async.wait_all;" ::: "memory");
}

// The two f16 of a word.
PD_FN void cpq_halves(pd_u32 word, pd_f32 *to)
{
    asm("{\n\t.reg .f16 low, high;\n\tmov.b32 {low, high}, %2;\n\t"
        "cvt.f32.f16 %0, low;\n\tcvt.f32.f16 %1, high;\n\t}"
        : "=f"(to[0]), "=f"(to[1])
        : "r"(word));
}
