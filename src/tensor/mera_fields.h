#pragma once
#include "../context/state.h"
#include "../core/platform.h"
#include "mera_chain.h"

#ifndef PADIC_NO_TENSOR

PADICI_FN padic_result padici_tensor_mera_infinite(padici_tensor_mera *m, const char *name);
PADICI_FN padic_result padici_tensor_mera_operator(padici_tensor_mera *m, const padic_tensor *given,
                                                   const char *name, uint64_t extent,
                                                   padic_tensor *out, int *power);
PADICI_FN padic_result padici_tensor_mera_write(padici_tensor_mera *m, const padic_tensor *to,
                                                const padic_tensor *from, int power);

// What a call is given; NULL: it has no such field.
typedef struct padici_tensor_mera_given {
    const padic_tensor_mera_layer *layer;
    int written; // u and w are
    const padic_tensor *op, *rho, *out;
    const char *rho_name; // NULL: rho
} padici_tensor_mera_given;

PADICI_FN padic_result padici_tensor_mera_find(padici_tensor_mera *m, padic_context *context,
                                               const padici_tensor_mera_given *given,
                                               padic_tensor *t);
PADICI_FN padic_result padici_tensor_mera_tolerance(padic_context *context, double tolerance);
PADICI_FN PADICI_NOINLINE void padici_tensor_mera_end(padici_tensor_mera *m);
PADICI_FN padic_result padici_tensor_mera_begin(padici_tensor_mera *m, padic_context *context,
                                                const padici_tensor_mera_given *given,
                                                padic_tensor *t);
PADICI_FN padic_result padici_tensor_mera_square(padici_tensor_mera *m, const padic_tensor *t,
                                                 const char *name, uint64_t d);
PADICI_FN padic_result padici_tensor_mera_check(padic_context *context,
                                                const padic_tensor_mera_check_desc *desc);

#endif
