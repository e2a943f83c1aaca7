// padic_gpu_vortex.h: what is done with a complex field on devices, kernels/vortex.cl: observables,
// pixels, the norm, gradients of the phase, windings, line vortices. padic_gpu.h includes it; of no
// use alone.
#if defined(PADIC_GPU_IMPLEMENTED) && !defined(PADICI_GPU_VORTEX) && !defined(PADIC_NO_WAVE)
#define PADICI_GPU_VORTEX

#include "gpu/vortex.c"
#endif // PADICI_GPU_VORTEX
