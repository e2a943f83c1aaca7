// padic_gpu_sparse.h: part of padic_gpu.h, which includes it after padic_num.h: dense to CSR in one
// pass (CUDA) or two, and CSR to dense.
#if defined(PADIC_GPU_IMPLEMENTED) && defined(PADIC_NUM_IMPLEMENTED) && !defined(PADICI_GPU_SPARSE)
#define PADICI_GPU_SPARSE

#include "gpu/sparse/job.c"
#include "gpu/sparse/encode.c"
#include "gpu/sparse/driver.c"
#include "gpu/sparse/known.c"
#include "gpu/sparse/csr_test.c"

#endif // PADICI_GPU_SPARSE
