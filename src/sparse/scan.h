#pragma once
#include "../core/platform.h"

#ifndef PADIC_NO_SPARSE

PADICI_FN void padici_sparse_plain(padic_sparse_call *c, uint32_t kernel);
PADICI_FN uint64_t padici_sparse_largest8(const uint8_t *key, uint64_t n, uint64_t mask,
                                           int is_signed, uint64_t most);
PADICI_FN uint64_t padici_sparse_largest16(const uint8_t *key, uint64_t n, uint64_t mask,
                                           int is_signed, uint64_t most);
PADICI_FN uint64_t padici_sparse_largest32(const uint8_t *key, uint64_t n, uint64_t mask,
                                           int is_signed, uint64_t most);
PADICI_FN uint64_t padici_sparse_largest64(const uint8_t *key, uint64_t n, uint64_t mask,
                                           int is_signed, uint64_t most);

#endif
