// padic_gpu_tensor.h: matrix products and contractions: kernels/tensor.cl, cuda/tensor.cu and
// cuda/tensor_async.cu.
// padic_gpu.h includes it; of no use alone. One plan (see padici_tensor_plan), one kernel. A sum
// that is long while there are few results is cut in parts, added afterwards in their order; how
// many depends on the sizes alone.
#ifndef PADICI_GPU_TENSOR
#define PADICI_GPU_TENSOR
#ifdef PADIC_GPU_IMPLEMENTED

#include "gpu/tensor/product.c"
#include "gpu/tensor/cores.c"
#include "gpu/tensor/tile.c"
#include "gpu/tensor/groups.c"
#include "gpu/tensor/driver.c"
#include "gpu/tensor/product_test.c"
#include "gpu/tensor/cores_test.c"

#endif // PADIC_GPU_IMPLEMENTED
#endif // PADICI_GPU_TENSOR
