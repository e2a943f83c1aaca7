#include "checks.h"
#include "../context/messages.h"
#include "../core/tensor.h"
#include "../core/view.h"
#include "../core/words.h"

#if PADICI_IMPLEMENT_SAMPLE

// ---- checks

PADICI_FN int padici_sample_is_prime(uint32_t n)
{
    uint32_t d;
    if (n < 4 || !(n & 1)) return n == 2 || n == 3;
    for (d = 3; d * d <= n; d += 2)
        if (n % d == 0) return 0;
    return 1;
}

// Base, digits and scrambling of one dimension; its keys are taken off *keys.
PADICI_FN padic_result padici_sample_check_base(padici_sample_radix *x, uint32_t base,
                                                padic_sample_digits digits, padic_sample_mode mode,
                                                padici_sample_keys *keys)
{
    if (base < 2 || (uint32_t)digits > 1 || (uint32_t)mode > 3) return PADIC_ERROR_ARGUMENT;
    if (base > 65537) return PADIC_ERROR_LIMIT;
    padici_sample_radix_make(x, base, digits == PADIC_SAMPLE_DIGITS_LONG);
    if (mode == PADIC_SAMPLE_MODE_NONE) return PADIC_OK;
    if (!keys->given) return PADIC_ERROR_ARGUMENT;
    if (!padici_aligned(keys->next, sizeof *keys->next)) return PADIC_ERROR_ALIGNMENT;
    x->mode = mode;
    x->full = mode == PADIC_SAMPLE_MODE_OWEN_FULL || !padici_sample_is_prime(base);
    if (x->full && base > 1021) return PADIC_ERROR_LIMIT;
    if (keys->left < x->levels) return PADIC_ERROR_CAPACITY;
    x->keys = keys->next;
    if (keys->next) keys->next += x->levels;
    keys->at += x->levels;
    keys->left -= x->levels;
    return PADIC_OK;
}

PADICI_FN padic_result padici_sample_check_keys(padic_context *context,
                                                const padic_sample_scrambling *scrambling)
{
    const padic_tensor *t = &scrambling->keys;
    if (scrambling->mode == PADIC_SAMPLE_MODE_NONE || (!t->data && !t->buffer.id)) return PADIC_OK;
    if (t->dtype != PADIC_U64)
        return padici_blame(context, PADIC_ERROR_DTYPE, "scrambling", "keys", "must be U64");
    if (t->rank > 1 || padici_sample_step(t, 0) != 1)
        return padici_blame(context, PADIC_ERROR_ARGUMENT, "scrambling", "keys", NULL);
    return PADIC_OK;
}

// Which of its operands padici_sample_check_base() refused.
PADICI_FN padic_result padici_sample_blame_base(padic_context *context, padic_result result,
                                                uint32_t base, padic_sample_digits digits,
                                                padic_sample_mode mode,
                                                const padici_sample_keys *keys)
{
    if (result == PADIC_ERROR_CAPACITY)
        return padici_blame(context, result, "scrambling", "keys",
                            "are too few: see sample_keys_count");
    if (result == PADIC_ERROR_ALIGNMENT)
        return padici_blame(context, result, "scrambling", "keys", NULL);
    if (result == PADIC_ERROR_LIMIT)
        return padici_blame(context, result, "base", NULL,
                            base > 65537 ? "must be at most 65,537"
                                         : "is above 1,021 and no prime, or the mode is OWEN_FULL: "
                                           "it cannot be scrambled");
    if (base < 2) return padici_blame(context, result, "base", NULL, "must be at least 2");
    if ((uint32_t)digits > 1)
        return padici_blame(context, result, "digits", NULL, "must be SHORT or LONG");
    if ((uint32_t)mode > 3)
        return padici_blame(context, result, "scrambling", "mode", "is none that there is");
    if (keys->given) return result;
    return padici_blame(context, result, "scrambling", "keys", "are missing: see sample_keys");
}

PADICI_FN const char *padici_sample_why(padic_result result)
{
    return result == PADIC_ERROR_LIMIT ? "has more than 8 axes, or more bytes than 63 bits count"
                                       : NULL;
}

// A view; `integer`: only U32 and U64.
PADICI_FN padic_result padici_sample_check_tensor(const padic_tensor *t, int integer,
                                                  uint64_t *count)
{
    padic_result result = padici_tensor_check_shape(t, count);
    if (result) return result;
    if (t->dtype != PADIC_U32 && t->dtype != PADIC_U64 &&
        (integer || (t->dtype != PADIC_F32 && t->dtype != PADIC_F64)))
        return PADIC_ERROR_DTYPE;
    if (!padici_aligned(t->data, padic_dtype_size(t->dtype))) return PADIC_ERROR_ALIGNMENT;
    return *count && !t->data && !t->buffer.id ? PADIC_ERROR_ARGUMENT : PADIC_OK;
}

// Bytes from the first element to the end of the last.
PADICI_FN uint64_t padici_sample_extent(const padic_tensor *t)
{
    int64_t stride[PADIC_MAX_RANK];
    uint64_t last = 0;
    uint32_t i;
    padici_tensor_dense(t, stride);
    for (i = 0; i < t->rank; i++) last += (t->shape[i] - 1) * (uint64_t)stride[i];
    return (last + 1) * padic_dtype_size(t->dtype);
}

PADICI_FN uint64_t padici_sample_step(const padic_tensor *t, uint32_t axis)
{
    int64_t stride[PADIC_MAX_RANK];
    padici_tensor_dense(t, stride);
    return t->rank > axis ? (uint64_t)stride[axis] : 1;
}

#endif
