#pragma once
#include "../context/state.h"
#include "../core/platform.h"
#include "mera_chain.h"

#ifndef PADIC_NO_TENSOR

PADICI_FN padic_result padici_mera_infinite(padici_mera *m, const char *name);
PADICI_FN padic_result padici_mera_operator(padici_mera *m, const padic_tensor *given,
                                            const char *name, uint64_t extent, padic_tensor *out,
                                            int *power);
PADICI_FN padic_result padici_mera_write(padici_mera *m, const padic_tensor *to,
                                         const padic_tensor *from, int power);

#define PADICI_MERA_UW 1u // which fields a function uses: u and w, read
#define PADICI_MERA_UW_OUT 2u
#define PADICI_MERA_OP 4u
#define PADICI_MERA_RHO 8u
#define PADICI_MERA_OUT 16u
#define PADICI_MERA_RESULT 32u

PADICI_FN padic_result padici_mera_find(padici_mera *m, padic_context *context,
                                        const padic_tensor_mera_desc *desc, uint32_t uses,
                                        padic_tensor *t);
PADICI_FN PADICI_NOINLINE void padici_mera_end(padici_mera *m);
PADICI_FN padic_result padici_mera_begin(padici_mera *m, padic_context *context,
                                         const padic_tensor_mera_desc *desc, uint32_t uses,
                                         padic_tensor *t);
PADICI_FN padic_result padici_mera_square(padici_mera *m, const padic_tensor *t, const char *name,
                                          uint64_t d);
PADICI_FN padic_result padici_mera_check(padic_context *context,
                                      const padic_tensor_mera_desc *desc);

#endif
