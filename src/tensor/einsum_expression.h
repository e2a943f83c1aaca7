#pragma once
#include "../core/platform.h"

#ifndef PADIC_NO_TENSOR

#define PADICI_TENSOR_EINSUM_NODES (2 * PADIC_TENSOR_MAX_OPERANDS)
#define PADICI_TENSOR_EINSUM_EXACT 14 // operands up to which all orders are tried

typedef struct padici_tensor_label_set {
    uint64_t w[2];
} padici_tensor_label_set;

typedef struct padici_tensor_einsum_axis {
    uint64_t size, digit;
    int64_t step[3];
    uint32_t has, loop; // bits of a, b, c; a loop around the calls
} padici_tensor_einsum_axis;

typedef struct padici_tensor_einsum {
    const padic_tensor_einsum_desc *desc;
    const char *fault;
    uint32_t at, placed, count, dots, axes; // placed: the fault has a character
    uint64_t size[PADIC_TENSOR_MAX_LABELS];   // of each label
    uint64_t extent[PADIC_TENSOR_MAX_LABELS]; // the same; 1 when it is sliced
    uint32_t seen[PADIC_TENSOR_MAX_LABELS];   // in how many places
    padici_tensor_label_set known, out, set[PADICI_TENSOR_EINSUM_NODES];
    uint8_t paired[PADICI_TENSOR_EINSUM_NODES]; // complex
    uint64_t place[PADICI_TENSOR_EINSUM_NODES], bytes[PADICI_TENSOR_EINSUM_NODES];
    uint8_t live[PADICI_TENSOR_EINSUM_NODES];
    uint32_t unit; // bytes of a real number
    uint8_t vanish[PADIC_TENSOR_MAX_LABELS];
    uint32_t ordered; // labels in `order`: those of an extent above 1
    uint8_t order[PADIC_TENSOR_MAX_LABELS];
    uint64_t digit[PADIC_TENSOR_MAX_SLICED];
    padici_tensor_einsum_axis axis[PADIC_TENSOR_MAX_LABELS]; // from here on not cleared as a whole
    int64_t row[3][PADIC_TENSOR_MAX_LABELS];
    int64_t step[PADIC_TENSOR_MAX_OPERANDS + 1][PADIC_TENSOR_MAX_LABELS]; // the last: the result's
} padici_tensor_einsum;

PADICI_INLINE int padici_tensor_label_set_has(const padici_tensor_label_set *s, uint32_t label)
{
    return (int)(s->w[label >> 6] >> (label & 63) & 1);
}

PADICI_INLINE padici_tensor_label_set padici_tensor_label_set_or(padici_tensor_label_set a,
                                                                 padici_tensor_label_set b)
{
    a.w[0] |= b.w[0];
    a.w[1] |= b.w[1];
    return a;
}

PADICI_INLINE padici_tensor_label_set padici_tensor_label_set_and(padici_tensor_label_set a,
                                                                  padici_tensor_label_set b)
{
    a.w[0] &= b.w[0];
    a.w[1] &= b.w[1];
    return a;
}

PADICI_FN double padici_tensor_einsum_volume(const padici_tensor_einsum *e,
                                             padici_tensor_label_set s, uint64_t *exact);
PADICI_FN padic_result padici_tensor_einsum_begin(padici_tensor_einsum *e,
                                                  const padic_tensor_einsum_desc *desc);

#endif
