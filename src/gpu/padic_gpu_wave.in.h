// padic_gpu_wave.h: superposition of waves in f32 on tiles, frames of it and its gradient,
// kernels/wave.cl. padic_gpu.h includes it; of no use alone. A tile is as large as keeps the
// rounding of the series below half of the tolerance, that of lines below four fifths: 1024, 512 or
// 256 points, a quarter for gradients.
#if defined(PADIC_GPU_IMPLEMENTED) && !defined(PADICI_GPU_WAVE) && !defined(PADIC_NO_WAVE)
#define PADICI_GPU_WAVE

#include "gpu/wave/plan.c"
#include "gpu/wave/field.c"
#include "gpu/wave/superpose.c"
#include "gpu/wave/frames_plan.c"
#include "gpu/wave/frames.c"
#include "gpu/wave/field_test.c"
#include "gpu/wave/frames_test.c"
#include "gpu/wave/warm.c"
#endif // PADICI_GPU_WAVE
