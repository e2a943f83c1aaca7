// padic_simd_tensor.h: matrix products and contractions in vectors. padic_simd.h includes it; of no
// use alone. Panels of a and b are packed while they are read through their strides, and a
// micro-kernel adds up mr x nr real numbers in registers (Goto, van de Geijn 2008). Complex numbers
// are real matrices of twice the depth: with a = x + iy
//
//     (c_re c_im c_re c_im ...) = x (b_re  b_im b_re  b_im ...) + y (-b_im b_re -b_im b_re ...)
//
// so that sums lie as c does, and the kernels are those of real numbers. They add in the precision
// of the operands, in blocks of PADICI_GEMM_DEPTH in the order of k: what an element is the sum of
// does not depend on the workers. A vector times a matrix reads it once, unpacked; small products
// are not packed either.
#ifndef PADICI_SIMD_TENSOR
#define PADICI_SIMD_TENSOR
#if !defined(PADIC_NO_TENSOR) && (PADICI_SIMD_X86 || PADICI_SIMD_ARM)
#define PADICI_SIMD_HAS_TENSOR

#include "simd/tensor/kernel_texts.c"
#include "simd/tensor/kernels.c"
#include "simd/tensor/gemm.c"
#endif // !PADIC_NO_TENSOR
#endif // PADICI_SIMD_TENSOR
