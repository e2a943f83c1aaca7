// padic_gpu_vortex.h: what is done with a complex field on devices, kernels/vortex.cl: observables,
// pixels, the norm, gradients of the phase, windings, line vortices. padic_gpu.h includes it; of no
// use alone.
#if defined(PADIC_GPU_IMPLEMENTED) && !defined(PADICI_GPU_VORTEX) && !defined(PADIC_NO_WAVE)
#define PADICI_GPU_VORTEX

#include "gpu/vortex/axes.c"
#include "gpu/vortex/pixels.c"
#include "gpu/vortex/normalise.c"
#include "gpu/vortex/lines.c"
#include "gpu/vortex/phase.c"
#include "gpu/vortex/field_test.c"
#include "gpu/vortex/lines_test.c"
#endif // PADICI_GPU_VORTEX
