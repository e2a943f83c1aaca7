#pragma once
#include "../context/operation.h"
#include "../context/state.h"
#include "../core/jobs.h"
#include "../core/platform.h"

#ifndef PADIC_NO_TENSOR

// One call of svd, qr or eigh. Tensors: A, then what is made of it.
typedef struct padici_tensor_factor {
    padic_tensor tensors[4];
    padic_tensor status;   // dtype NONE: none
    padic_tensor ranks, discarded; // of svd; as status
    int64_t status_step, ranks_step, discarded_step;
    uint64_t columns; // of u, values and rows of vh: r where nothing is cut off
    double cutoff;
    uint32_t kind;         // below
    uint64_t batch, m, n, r;
    int64_t stride[4][3];  // batch, row, column; a vector has only the row
    int32_t *info;
    double *space;
    size_t each;    // doubles for one task
    // Factors matrix b with that memory; NULL: the reference, which finds out how much it needs.
    int (*one)(const struct padici_tensor_factor *f, uint64_t b, double *space);
    uint64_t tasks;
    padici_steps steps; // matrices
} padici_tensor_factor;

enum { PADICI_TENSOR_FACTOR_SVD, PADICI_TENSOR_FACTOR_QR, PADICI_TENSOR_FACTOR_EIGH };

PADICI_FN padic_result padici_tensor_host(padic_context *context, padic_tensor *tensors,
                                          const char *const *names, padici_operand *operands,
                                          uint32_t count, uint32_t in);
PADICI_FN int padici_tensor_factor_read(const padici_tensor_factor *f, uint64_t b, int turn,
                                        double *a, double *scale);
PADICI_FN int padici_tensor_power(const padic_tensor *t, int *power);
PADICI_FN int padici_tensor_holds(padic_dtype dtype, double x);
PADICI_FN int padici_tensor_factor_holds(const padici_tensor_factor *f, uint32_t i, const double *x,
                                         uint64_t n, double scale);
PADICI_FN uint64_t padici_tensor_factor_keep(const padici_tensor_factor *f, uint64_t b, double *s);
PADICI_FN void padici_tensor_factor_values(const padici_tensor_factor *f, uint32_t i, uint64_t b,
                                           const double *x, uint64_t n, double scale);
PADICI_FN padic_result padici_tensor_factor_say(const int32_t *info, uint64_t batch, char *to,
                                                size_t size);
PADICI_FN padic_result padici_tensor_factor_run(const padic_env *env, padici_tensor_factor *f);
PADICI_FN padic_result padici_tensor_factor_of_svd(padic_context *context,
                                                   const padic_tensor_svd_desc *desc,
                                                   padici_tensor_factor *f);
PADICI_FN padic_result padici_tensor_factor_of_qr(padic_context *context,
                                                  const padic_tensor_qr_desc *desc,
                                                  padici_tensor_factor *f);
PADICI_FN padic_result padici_tensor_factor_of_eigh(padic_context *context,
                                                    const padic_tensor_eigh_desc *desc,
                                                    padici_tensor_factor *f);

#endif
