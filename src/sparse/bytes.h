#pragma once
#include "../context/state.h"
#include "../core/platform.h"

#ifndef PADIC_NO_SPARSE

PADICI_FN padic_result padici_sparse_write(padic_context *context, const padic_sparse_csr *csr,
                                           uint8_t *at, uint64_t capacity, uint64_t *size);
PADICI_FN padic_result padici_sparse_info_of(const void *bytes, uint64_t size,
                                             padic_sparse_csr *csr);
PADICI_FN PADICI_NOINLINE padic_result padici_sparse_read(padic_context *context,
                                                          padic_sparse_csr *out, const void *bytes,
                                                          uint64_t size);

#endif
