#pragma once
#include "../core/platform.h"
#include "../core/words.h"
#include "constants.h"

#ifndef PADIC_NO_CODEC

PADICI_INLINE uint64_t padici_codec_bits_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, 8);
    return bits;
}

PADICI_INLINE double padici_codec_double_of(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, 8);
    return x;
}

PADICI_INLINE float padici_codec_float_of(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, 4);
    return x;
}

PADICI_FN uint64_t padici_codec_widen_bits(uint64_t bits, uint32_t m, uint32_t e, uint32_t M,
                                           uint32_t E);

// The nearest float of `mantissa` and `exponent` bits to a double, ties to even.
PADICI_INLINE uint32_t padici_codec_narrow(double x, uint32_t mantissa, uint32_t exponent)
{
    const uint64_t bits = padici_codec_bits_of(x), m = bits & (~UINT64_C(0) >> 12);
    const uint32_t sign = (uint32_t)(bits >> 63) << (mantissa + exponent);
    const uint32_t top = (1u << exponent) - 1;
    const int32_t bias = (int32_t)(top >> 1), e = (int32_t)(bits >> 52 & 0x7ff);
    int32_t to = e - 1023 + bias;
    uint32_t shift = 52 - mantissa, result;
    uint64_t significand, remainder, half;
    if (to > 0 && to < (int32_t)top) { // normal: round in place, a carry goes into the exponent
        const uint64_t odd = bits >> shift & 1;
        const uint64_t up = bits + ((UINT64_C(1) << (shift - 1)) - 1 + odd);
        return sign | ((uint32_t)(up >> shift & (~UINT64_C(0) >> 1 >> shift)) -
                       ((uint32_t)(1023 - bias) << mantissa));
    }
    if (e == 0x7ff) return sign | top << mantissa | (m ? 1u << (mantissa - 1) : 0);
    if (e == 0) return sign;
    significand = m | UINT64_C(1) << 52;
    if (to <= 0) {
        shift += (uint32_t)(1 - to);
        to = 0;
    }
    if (shift > 54) return sign;
    result = (uint32_t)(significand >> shift);
    remainder = significand & ((UINT64_C(1) << shift) - 1);
    half = UINT64_C(1) << (shift - 1);
    if (remainder > half || (remainder == half && (result & 1))) result++;
    // the leading one, or a carry into it, adds itself to the exponent field
    if (to > 0) result += (uint32_t)(to - 1) << mantissa;
    return sign | (result >= top << mantissa ? top << mantissa : result);
}

PADICI_FN int padici_codec_is_float(padic_dtype dtype);
PADICI_FN int padici_codec_is_signed(padic_dtype dtype);

// Element i of a little-endian array of `size`-byte elements, as bits.
PADICI_INLINE uint64_t padici_codec_element(const uint8_t *raw, size_t i, uint32_t size)
{
    switch (size) {
    case 1:
        return raw[i];
    case 2:
        return padici_load16(raw + 2 * i);
    case 4:
        return padici_load32(raw + 4 * i);
    default:
        return padici_load64(raw + 8 * i);
    }
}

PADICI_INLINE void padici_codec_set_element(uint8_t *raw, size_t i, uint32_t size, uint64_t bits)
{
    switch (size) {
    case 1:
        raw[i] = (uint8_t)bits;
        break;
    case 2:
        padici_store16(raw + 2 * i, (uint16_t)bits);
        break;
    case 4:
        padici_store32(raw + 4 * i, (uint32_t)bits);
        break;
    default:
        padici_store64(raw + 8 * i, bits);
    }
}

// The value of a float element, exactly.
PADICI_INLINE double padici_codec_value(padic_dtype dtype, uint64_t bits)
{
    switch (dtype) {
    case PADIC_F64:
        return padici_codec_double_of(bits);
    case PADIC_F32:
        return (double)padici_codec_float_of((uint32_t)bits);
    case PADIC_F16:
        return padici_codec_double_of(padici_codec_widen_bits(bits, 10, 5, 52, 11));
    default:
        return padici_codec_double_of(padici_codec_widen_bits(bits, 7, 8, 52, 11));
    }
}

// The float element nearest to x. `single` rounds an f64 to f32 on the way.
PADICI_INLINE uint64_t padici_codec_rounded(padic_dtype dtype, double x, int single)
{
    switch (dtype) {
    case PADIC_F64:
        return padici_codec_bits_of(single ? (double)(float)x : x);
    case PADIC_F32: {
        const float y = (float)x;
        uint32_t bits;
        memcpy(&bits, &y, 4);
        return bits;
    }
    case PADIC_F16:
        return padici_codec_narrow(x, 10, 5);
    default:
        return padici_codec_narrow(x, 7, 8);
    }
}

// Order-preserving: a negative float of magnitude m becomes -m - 1, so -0 is just below 0.
// Integers are themselves.
PADICI_INLINE uint64_t padici_codec_to_ordered(padic_dtype dtype, uint64_t bits, uint32_t size)
{
    const uint32_t shift = 64 - 8 * size;
    const int64_t wide = (int64_t)(bits << shift) >> shift;
    if (!padici_codec_is_float(dtype)) return padici_codec_is_signed(dtype) ? (uint64_t)wide : bits;
    return (uint64_t)wide ^ ((uint64_t)(wide >> 63) >> 1 >> shift);
}

// The caller reduces it to its size.
PADICI_INLINE uint64_t padici_codec_from_ordered(padic_dtype dtype, uint64_t n, uint32_t size)
{
    if (!padici_codec_is_float(dtype)) return n;
    return n ^ ((uint64_t)((int64_t)n >> 63) >> 1 >> (64 - 8 * size));
}

// The same for a word whose upper bits are irrelevant, so that it may be of 8 `size` bits.
PADICI_INLINE uint64_t padici_codec_from_ordered_low(padic_dtype dtype, uint64_t n, uint32_t size)
{
    const uint32_t above = 64 - 8 * size;
    return padici_codec_from_ordered(dtype, (uint64_t)((int64_t)(n << above) >> above), size);
}

// The reading of a block: what turns word n into an element.
//     BITS     the n-th float in order, or the integer n; with `shift` (floats), the magnitude
//              n 2^shift
//     FIELDS   the bits, rotated right by one
//     SCALE    n g          AFFINE   (n g) + o          DECIMAL   n / g
// in double arithmetic, each operation rounded, the result rounded once more to the dtype; for
// integers n g and n g + o modulo 2^64.
typedef struct padici_codec_transform {
    uint32_t kind, shift;
    int single;           // f64 rounded to f32
    uint64_t g, o;        // bits of doubles, or integers
    uint64_t first, step; // the coset that n is taken from: first + step n'
    uint64_t round;       // packer, BITS: unless 0, words are n', of the nearest multiple of this
} padici_codec_transform;

PADICI_INLINE uint64_t padici_codec_transform_apply(const padici_codec_transform *transform,
                                                    uint32_t kind, padic_dtype dtype, uint32_t size,
                                                    uint64_t n, double g, double o, int single)
{
    double x;
    if (kind == PADICI_CODEC_TRANSFORM_BITS) {
        // bits above the element's size do not affect n or the shifted result
        const uint64_t negative = (uint64_t)((int64_t)(n << (64 - 8 * size)) >> 63);
        if (transform->shift == 0) return padici_codec_from_ordered_low(dtype, n, size);
        return ((n ^ negative) << transform->shift) ^ (negative << (8 * size - 1));
    }
    if (kind == PADICI_CODEC_TRANSFORM_FIELDS) {
        const uint64_t mask = ~UINT64_C(0) >> (64 - 8 * size);
        return (n & mask) >> 1 | (n & 1) << (8 * size - 1);
    }
    if (!padici_codec_is_float(dtype)) return transform->o + transform->g * n;
    x = (double)(int64_t)n;
    x = kind == PADICI_CODEC_TRANSFORM_DECIMAL ? x / g : x * g;
    if (kind == PADICI_CODEC_TRANSFORM_AFFINE) x += o;
    return padici_codec_rounded(dtype, x, single);
}

#define PADICI_CODEC_COMMON_LOOPS \
    PADICI_CODEC_LOOP(PADICI_CODEC_TRANSFORM_BITS, PADIC_F64, 8) \
    PADICI_CODEC_LOOP(PADICI_CODEC_TRANSFORM_BITS, PADIC_F32, 4) \
    PADICI_CODEC_LOOP(PADICI_CODEC_TRANSFORM_BITS, PADIC_F16, 2) \
    PADICI_CODEC_LOOP(PADICI_CODEC_TRANSFORM_FIELDS, PADIC_F64, 8) \
    PADICI_CODEC_LOOP(PADICI_CODEC_TRANSFORM_FIELDS, PADIC_F32, 4) \
    PADICI_CODEC_LOOP(PADICI_CODEC_TRANSFORM_FIELDS, PADIC_F16, 2) \
    PADICI_CODEC_LOOP(PADICI_CODEC_TRANSFORM_FIELDS, PADIC_BF16, 2) \
    PADICI_CODEC_LOOP(PADICI_CODEC_TRANSFORM_SCALE, PADIC_F64, 8) \
    PADICI_CODEC_LOOP(PADICI_CODEC_TRANSFORM_SCALE, PADIC_F32, 4) \
    PADICI_CODEC_LOOP(PADICI_CODEC_TRANSFORM_SCALE, PADIC_F16, 2) \
    PADICI_CODEC_LOOP(PADICI_CODEC_TRANSFORM_DECIMAL, PADIC_F64, 8) \
    PADICI_CODEC_LOOP(PADICI_CODEC_TRANSFORM_DECIMAL, PADIC_F32, 4)

PADICI_FN void padici_codec_words_to_elements(const padici_codec_transform *transform,
                                              padic_dtype dtype, const uint64_t *words,
                                              uint8_t *raw, size_t n);

#endif
