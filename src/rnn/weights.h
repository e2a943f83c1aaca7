#pragma once
#include "../core/platform.h"
#include "net.h"

#ifndef PADIC_NO_RNN

PADICI_FN int padici_rnn_here(const padic_tensor *t);
PADICI_FN void padici_rnn_strides(const padic_tensor *t, int64_t *stride);
PADICI_FN padic_result padici_rnn_dtype_check(padic_context *context, const char *field,
                                              const padic_tensor *t, padic_dtype dtype);
PADICI_FN padic_result padici_rnn_shape_check(padic_context *context, const char *field,
                                              const padic_tensor *t, uint32_t rank, uint64_t n0,
                                              uint64_t n1, uint64_t n2);
PADICI_FN padic_result padici_rnn_options_check(padic_context *context,
                                                const padici_rnn_options *is);
PADICI_FN padic_result padici_rnn_weights_check(padic_context *context, padic_rnn_kind kind,
                                                const padic_rnn_weights *w, padic_dtype dtype,
                                                const char *const *names);
PADICI_FN void padici_rnn_part_begin(const padici_rnn_options *is, const padic_rnn_weights *w,
                                     padici_rnn_part *part);
PADICI_FN void padici_rnn_bias_fill(const padici_rnn_options *is, const padic_rnn_weights *w,
                                    const padici_rnn_part *part, uint32_t is_double, void *bias,
                                    void *fresh);
PADICI_FN uint64_t padici_rnn_matrix_bytes(const padici_rnn_matrix *m, uint64_t panel);
PADICI_FN void padici_rnn_matrix_pack(const padici_rnn_kernels *kernels,
                                      const padici_rnn_matrix *from, void *data, void *scale,
                                      padici_rnn_matrix *to);
PADICI_FN int padici_rnn_finite(const padici_rnn_view *view, uint64_t times, uint64_t rows,
                                uint64_t columns, const padici_rnn_view *lengths,
                                uint32_t is_double);

#endif
