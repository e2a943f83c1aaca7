#include "transforms.h"

#if PADICI_IMPLEMENT_CODEC

// ---- transforms: elements to integers and back

// A binary float of m mantissa and e exponent bits in a wider format of M and E: exactly, bit by
// bit, NaN payloads too.
PADICI_FN uint64_t padici_codec_widen_bits(uint64_t bits, uint32_t m, uint32_t e, uint32_t M,
                                           uint32_t E)
{
    const uint64_t top = (UINT64_C(1) << e) - 1, sign = bits >> (m + e) << (M + E);
    uint64_t fraction = bits & ((UINT64_C(1) << m) - 1), exponent = bits >> m & top;
    const uint64_t shift = (((UINT64_C(1) << E) - 1) >> 1) - (top >> 1); // between the biases
    if (E == e) return bits << (M - m);
    if (exponent == top)
        exponent = (UINT64_C(1) << E) - 1;
    else if (exponent)
        exponent += shift;
    else if (fraction) { // subnormal here, normal there
        const uint32_t up = m - (63 - padici_clz64(fraction));
        fraction = fraction << up & ((UINT64_C(1) << m) - 1);
        exponent = shift + 1 - up;
    }
    return sign | exponent << M | fraction << (M - m);
}

PADICI_FN int padici_codec_is_float(padic_dtype dtype)
{
    return dtype >= PADIC_F64 && dtype <= PADIC_BF16;
}

PADICI_FN int padici_codec_is_signed(padic_dtype dtype)
{
    return dtype >= PADIC_I8 && dtype <= PADIC_I64;
}

PADICI_INLINE void padici_codec_transform_loop(const padici_codec_transform *given, uint32_t kind,
                                               padic_dtype dtype, uint32_t size,
                                               const uint64_t *words, uint8_t *raw, size_t n)
{
    const padici_codec_transform transform =
        *given; // a copy: stores cannot alias it
    const double g = padici_codec_double_of(transform.g), o = padici_codec_double_of(transform.o);
    const uint64_t first = transform.first, step = transform.step;
    size_t i;
    if (kind == PADICI_CODEC_TRANSFORM_BITS && transform.shift == 0 && step == 1) {
        for (i = 0; i < n; i++)
            padici_codec_set_element(raw, i, size,
                                     padici_codec_from_ordered_low(dtype, first + words[i], size));
    } else if (dtype == PADIC_F64 && transform.single) {
        for (i = 0; i < n; i++)
            padici_codec_set_element(raw, i, size,
                                     padici_codec_transform_apply(&transform, kind, dtype, size,
                                                                  first + step * words[i], g, o,
                                                                  1));
    } else {
        for (i = 0; i < n; i++)
            padici_codec_set_element(raw, i, size,
                                     padici_codec_transform_apply(&transform, kind, dtype, size,
                                                                  first + step * words[i], g, o,
                                                                  0));
    }
}

// Separate loops for the common transforms and dtypes, one for all others: the compiler specialises
// the same code.
PADICI_FN void padici_codec_words_to_elements(const padici_codec_transform *transform,
                                              padic_dtype dtype, const uint64_t *words,
                                              uint8_t *raw, size_t n)
{
    const uint32_t size = padic_dtype_size(dtype);
#define PADICI_CODEC_LOOP(KIND, DTYPE, SIZE) \
    if (transform->kind == (KIND) && dtype == (DTYPE)) { \
        padici_codec_transform_loop(transform, KIND, DTYPE, SIZE, words, raw, n); \
        return; \
    }
    PADICI_CODEC_COMMON_LOOPS
#undef PADICI_CODEC_LOOP
    padici_codec_transform_loop(transform, transform->kind, dtype, size, words, raw, n);
}

#endif
