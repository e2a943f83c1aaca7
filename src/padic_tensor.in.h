// padic_tensor.h: tensors. padic.h includes it when it lies beside it.
// Part of padic.h 0.1.0; MIT or Unlicense.
//
// >>contents: search for the tag
//
//     >>tensor API          matrix products, contractions, factorisations, entropies
//     >>einsum API          many tensors at once: paths, workspace
//     >>code API            perfect tensors, holographic codes
//     >>mera API            layers of a MERA
//     >>tensor impl         the plain reference
//     >>einsum impl         expressions, paths, steps
//     >>code impl           tiles, stabilisers, cuts
//     >>mera impl           chains of contractions, forwards and backwards
//     >>tensor operations   their rows of the op table in padic.h

#ifndef PADIC_HEADER
#include "padic.h" // which includes this file where it belongs
#else

#ifndef PADIC_TENSOR_H
#define PADIC_TENSOR_H

#include "tensor/api.h"
#include "tensor/einsum.h"
#include "tensor/code.h"
#include "tensor/mera.h"
#endif // PADIC_TENSOR_H

#ifdef PADICI_AREAS_IMPLEMENTATION

#include "tensor/plan.c"
#include "tensor/gemm.c"
#include "tensor/contract.c"
#include "tensor/product.c"
#include "tensor/vectors.c"
#include "tensor/qr.c"
#include "tensor/svd.c"
#include "tensor/eigh.c"
#include "tensor/factor.c"
#include "tensor/schmidt.c"
#include "tensor/entropy.c"
#include "tensor/einsum_expression.c"
#include "tensor/einsum_path.c"
#include "tensor/einsum_exact.c"
#include "tensor/einsum_greedy.c"
#include "tensor/einsum_find.c"
#include "tensor/einsum_steps.c"
#include "tensor/einsum.c"
#include "tensor/pair_pool.c"
#include "tensor/perfect.c"
#include "tensor/happy.c"
#include "tensor/happy_state.c"
#include "tensor/happy_cut.c"
#include "tensor/mera_chain.c"
#include "tensor/mera_fields.c"
#include "tensor/mera_layer.c"
#include "tensor/mera_update.c"
#include "tensor/mera_random.c"
#include "tensor/mera_state.c"
#include "tensor/mera_scaling.c"
#include "tensor/mera.c"
#include "tensor/ops.c"
#endif // PADICI_AREAS_IMPLEMENTATION

#endif // PADIC_HEADER
