// padic_sparse.h: sparse matrices (compressed rows, CSR) of integers, floats, digits and p-adic
// numbers. Part of padic.h 0.1.0; MIT or Unlicense.
//
// padic_num.h includes it, twice: for the API, and with PADICI_AREAS_IMPLEMENTATION for the
// implementation. Include that; PADIC_NO_SPARSE before it leaves this header out.
//
// >>contents: search for the tag
//
//     >>sparse API        encode, decode, products, bytes; kernels of a backend
//     >>sparse impl       the implementation, in the same order

#ifndef PADIC_SPARSE_H
#define PADIC_SPARSE_H

#ifndef PADIC_NUM_H
#error "include padic_num.h, which includes padic_sparse.h"
#endif

#ifdef __cplusplus
extern "C" {
#endif

#include "sparse/api.h"

#ifdef __cplusplus
}
#endif

// ================================================================================================
#elif defined(PADICI_AREAS_IMPLEMENTATION)

#include "sparse/index.c"
#include "sparse/matrix.c"
#include "sparse/kept.c"
#include "sparse/scan.c"
#include "sparse/source.c"
#include "sparse/work.c"
#include "sparse/device.c"
#include "sparse/encode.c"
#include "sparse/validate.c"
#include "sparse/view.c"
#include "sparse/decode.c"
#include "sparse/digits.c"
#include "sparse/product.c"
#include "sparse/combine.c"
#include "sparse/threshold.c"
#include "sparse/bytes.c"
#include "sparse/calls.c"
#include "sparse/calibrate.c"

#endif // PADIC_SPARSE_H
