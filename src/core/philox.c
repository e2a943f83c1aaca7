#include "philox.h"
#include "splitmix.h"
#include "words.h"

#if PADICI_IMPLEMENT_CORE

// -------------------------------------------------------------------------------- >>random impl

PADIC_API void padic_random_block(uint64_t seed, uint64_t stream, uint32_t step, uint32_t block,
                                  uint32_t out[4])
{
    uint32_t counter[4];
    if (!out) return;
    counter[0] = block;
    counter[1] = step;
    counter[2] = (uint32_t)stream;
    counter[3] = (uint32_t)(stream >> 32);
    padici_philox((uint32_t)seed, (uint32_t)(seed >> 32), counter, out);
}

PADIC_API float padic_random_f32(uint32_t word)
{
    return (float)(word >> 8) * (1.0f / 16777216.0f);
}

PADIC_API double padic_random_f64(uint32_t low, uint32_t high)
{
    uint64_t n = ((uint64_t)high << 32 | low) >> 11;
    return (double)n * (1.0 / 9007199254740992.0);
}

PADIC_API float padic_random_symmetric(uint32_t word)
{
    int32_t n = (int32_t)(word >> 8);
    return (float)(2 * n + 1 - 16777216) * (1.0f / 16777216.0f);
}

// n 2^-bits as a small float with `mantissa` stored bits and this exponent bias; n < 2^bits and
// bits = mantissa + 1, so the value is exact and normal.
static uint16_t padici_random_small(uint32_t n, uint32_t mantissa, uint32_t bias)
{
    uint32_t top;
    if (!n) return 0;
    top = 31 - padici_clz32(n);
    n <<= mantissa - top; // the leading bit goes to place `mantissa` and adds 1 to the exponent
    return (uint16_t)(((bias + top - mantissa - 2) << mantissa) + n);
}

// One element from its words.
PADICI_FN void padici_random_store(padic_dtype dtype, char *to, const uint32_t *w)
{
    uint16_t h;
    uint64_t u;
    float f[2];
    double d[2];
    switch (dtype) {
    case PADIC_F32:
    case PADIC_C64:
        f[0] = padic_random_f32(w[0]);
        f[1] = dtype == PADIC_C64 ? padic_random_f32(w[1]) : 0.0f;
        memcpy(to, f, dtype == PADIC_C64 ? 8 : 4);
        break;
    case PADIC_F64:
    case PADIC_C128:
        d[0] = padic_random_f64(w[0], w[1]);
        d[1] = dtype == PADIC_C128 ? padic_random_f64(w[2], w[3]) : 0.0;
        memcpy(to, d, dtype == PADIC_C128 ? 16 : 8);
        break;
    case PADIC_F16:
    case PADIC_BF16:
        h = dtype == PADIC_F16 ? padici_random_small(w[0] >> 21, 10, 15)
                               : padici_random_small(w[0] >> 24, 7, 127);
        memcpy(to, &h, 2);
        break;
    case PADIC_I16:
    case PADIC_U16:
        h = (uint16_t)w[0];
        memcpy(to, &h, 2);
        break;
    case PADIC_I32:
    case PADIC_U32: memcpy(to, w, 4); break;
    case PADIC_I64:
    case PADIC_U64:
        u = (uint64_t)w[1] << 32 | w[0];
        memcpy(to, &u, 8);
        break;
    default: *to = (char)(unsigned char)w[0]; break;
    }
}

PADICI_FN uint32_t padici_random_words(padic_dtype dtype) // of one element
{
    uint32_t size = padic_dtype_size(dtype);
    return size < 4 ? 1 : size / 4;
}

#endif
