#pragma once
#include "../context/state.h"
#include "../core/platform.h"

#ifndef PADIC_NO_TENSOR

#define PADICI_TENSOR_MERA_BLOCKS 48

static const char *const padici_tensor_mera_names[5] = {"u", "w", "op", "rho", "out"};

typedef struct padici_tensor_mera {
    padic_context *context;
    uint32_t sites;  // an operator acts on
    uint64_t f, c, below, above; // extents; of operators
    padic_tensor u, w;           // dense C128 copies
    padic_dtype dtype;
    int real; // what is taken now is F64
    void *blocks[PADICI_TENSOR_MERA_BLOCKS];
    size_t sizes[PADICI_TENSOR_MERA_BLOCKS];
    uint32_t used;
} padici_tensor_mera;

PADICI_FN void padici_tensor_mera_back_to(padici_tensor_mera *m, uint32_t used);
PADICI_FN padic_result padici_tensor_mera_take(padici_tensor_mera *m, uint32_t rank,
                                               const uint64_t *shape, padic_tensor *t);
PADICI_FN void padici_tensor_mera_add(const padic_tensor *to, const padic_tensor *from,
                                      const uint8_t *order, double weight, int clear);
PADICI_FN padic_result padici_tensor_mera_all(padici_tensor_mera *m, const padic_tensor *op,
                                              const padic_tensor *rho, const padic_tensor *up,
                                              const padic_tensor *down, const padic_tensor *env_u,
                                              const padic_tensor *env_w);

#endif
