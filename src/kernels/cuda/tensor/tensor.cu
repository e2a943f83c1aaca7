// program: cuda_tensor
// texts: params.cu layout.cu pieces.cu product.cu exact.cu
// tensor.cu: complex matrix products on NVIDIA's tensor cores (sm_80 and later), and, for math
// EXACT, on ordinary cores with asynchronous copies. Twins of padic_k_tensor_product; arguments
// mean the same.
//
// arch: sm_80
// variant: PD_TENSOR_VEC=2
// variant: PD_TENSOR_VEC=2 PD_TENSOR_A_ALONG=0 PD_TENSOR_B_ALONG=1
// variant: PD_TENSOR_PIECES=1
// variant: PD_TENSOR_GENERAL=1
// variant: PD_TENSOR_CONJ=1
// variant: PD_TENSOR_A_ALONG=0 PD_TENSOR_B_ALONG=1
//
// A number x of a row of a (or a column of b) is scaled by a power of two that brings the largest
// of its row to [2^13, 2^14), then split into two binary16 numbers, x = hi + lo, 11 bits each: as
// many as TF32 has, at twice its rate. A product is lo hi + hi lo + hi hi, in this order. Tensor
// cores truncate sums, so 16 places of the sum at a time are summed there and the result is added
// to the total by an ordinary addition.
//
// Three kernels: scales; pieces, written through the strides in the order in which the product
// needs them in local memory; the product, which copies blocks of pieces unchanged. The fourth,
// _exact, is at the end.
