// padic_gpu_num.h: p-adic numbers in buffers of a device, kernels/num.cl. padic_gpu.h includes it
// where padic_num.h was included before; of no use alone.
#if defined(PADIC_GPU_IMPLEMENTED) && defined(PADIC_NUM_IMPLEMENTED) && !defined(PADICI_GPU_NUM)
#define PADICI_GPU_NUM

#include "gpu/num/params.c"
#include "gpu/num/tables.c"
#include "gpu/num/special.c"
#include "gpu/num/run.c"
#include "gpu/num/solve.c"
#include "gpu/num/driver.c"
#include "gpu/num/each_arrays_test.c"
#include "gpu/num/each_answers_test.c"
#include "gpu/num/each_test.c"
#include "gpu/num/solve_test.c"
#endif // PADICI_GPU_NUM
