// gen.h: arrays with structure, and descs to pack them with, from a string of bytes. The bytes are
// choices, so that a fuzzer that changes one changes one thing, and a string that ends early is
// followed by zeros, each the simplest choice; gen_seeded() makes a string from a number. Noise
// inside an array comes from a generator whose seed is a choice.
//
//     gen_case c;                              // large: keep it static
//     gen_make(&c, bytes, size);               // c.desc can be packed, c.dense is what must return
//     gen_free(&c);
//
// Include after padic.h. No function of the library is used.
#ifndef PADIC_GEN_H
#define PADIC_GEN_H

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Places in a string, for callers that want one kind of case only.
#define GEN_AT_LEVEL 4   // the level less 1
#define GEN_AT_PROFILE 7 // 11: one of the profiles

#define GEN_STRING 320   // bytes of a seeded string: hardly a case takes more
#define GEN_MOST 131072u // elements of an array
#define GEN_GUARD 64u    // bytes before and behind an array that nobody may touch

// ---------------------------------------------------------------------------------------- source

typedef struct gen_source {
    const uint8_t *bytes;
    size_t size, at;
    uint64_t state; // of the noise
} gen_source;

static inline uint64_t gen_mix(uint64_t z)
{
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static inline uint64_t gen_noise(gen_source *s)
{
    return gen_mix(s->state += UINT64_C(0x9e3779b97f4a7c15));
}

static inline uint32_t gen_byte(gen_source *s)
{
    return s->at < s->size ? s->bytes[s->at++] : 0;
}

static inline uint64_t gen_word(gen_source *s, int bytes)
{
    uint64_t x = 0;
    for (int i = 0; i < bytes; i++) x |= (uint64_t)gen_byte(s) << (8 * i);
    return x;
}

// A choice below n; 0 is what a string that has ended gives.
static inline uint32_t gen_below(gen_source *s, uint32_t n)
{
    if (n < 2) return 0;
    return (uint32_t)(gen_word(s, n <= 256 ? 1 : n <= 65536 ? 2 : 4) % n);
}

static inline int gen_one_in(gen_source *s, uint32_t k)
{
    return gen_below(s, k) == k - 1;
}

static inline void gen_new_noise(gen_source *s)
{
    s->state = gen_mix(gen_word(s, 2) + 77);
}

static inline void gen_seeded(uint64_t seed, uint8_t bytes[GEN_STRING])
{
    gen_source s = {NULL, 0, 0, gen_mix(seed + 1)};
    for (int i = 0; i < GEN_STRING; i += 8) {
        const uint64_t x = gen_noise(&s);
        for (int k = 0; k < 8; k++) bytes[i + k] = (uint8_t)(x >> (8 * k));
    }
}

// ----------------------------------------------------------------------------------- element types

static inline uint32_t gen_size(padic_dtype dtype)
{
    static const uint8_t size[15] = {0, 8, 4, 2, 2, 1, 2, 4, 8, 1, 2, 4, 8, 8, 16};
    return size[(int)dtype];
}
static inline padic_dtype gen_scalar(padic_dtype dtype)
{
    return dtype == PADIC_C64 ? PADIC_F32 : dtype == PADIC_C128 ? PADIC_F64 : dtype;
}
static inline uint32_t gen_parts(padic_dtype dtype)
{
    return dtype == PADIC_C64 || dtype == PADIC_C128 ? 2 : 1;
}
static inline int gen_is_float(padic_dtype dtype)
{
    return dtype <= PADIC_BF16 || dtype >= PADIC_C64;
}
static inline int gen_is_signed(padic_dtype dtype)
{
    return dtype >= PADIC_I8 && dtype <= PADIC_I64;
}
static inline const char *gen_name(padic_dtype dtype)
{
    static const char *const names[15] = {"?",  "f64", "f32", "f16", "bf16", "i8",  "i16", "i32",
                                          "i64", "u8", "u16", "u32", "u64",  "c64", "c128"};
    return names[(int)dtype];
}

static inline uint64_t gen_load(uint32_t size, const void *data, size_t i)
{
    const uint8_t *p = (const uint8_t *)data + size * i;
    uint64_t x = 0;
    uint32_t w;
    uint16_t h;
    if (size == 8) memcpy(&x, p, 8);
    if (size == 4) memcpy(&w, p, 4), x = w;
    if (size == 2) memcpy(&h, p, 2), x = h;
    if (size == 1) x = *p;
    return x;
}
static inline void gen_store(uint32_t size, void *data, size_t i, uint64_t x)
{
    uint8_t *p = (uint8_t *)data + size * i;
    const uint32_t w = (uint32_t)x;
    const uint16_t h = (uint16_t)x;
    if (size == 8) memcpy(p, &x, 8);
    if (size == 4) memcpy(p, &w, 4);
    if (size == 2) memcpy(p, &h, 2);
    if (size == 1) *p = (uint8_t)x;
}

// Bits of significand (the hidden one with them) and of exponent.
static inline int gen_digits(padic_dtype scalar)
{
    return scalar == PADIC_F64 ? 53 : scalar == PADIC_F32 ? 24 : scalar == PADIC_F16 ? 11 : 8;
}

static inline int gen_finite(padic_dtype scalar, uint64_t bits)
{
    const int representations = gen_digits(scalar), size = 8 * (int)gen_size(scalar);
    const uint64_t exponent = (UINT64_C(1) << (size - representations)) - 1;
    return !gen_is_float(scalar) || (bits >> (representations - 1) & exponent) != exponent;
}

// What a float's bits stand for; it must be finite.
static inline double gen_value(padic_dtype scalar, uint64_t bits)
{
    double d;
    float f;
    uint32_t w = (uint32_t)bits;
    if (scalar == PADIC_F64) {
        memcpy(&d, &bits, 8);
        return d;
    }
    if (scalar == PADIC_BF16) w <<= 16;
    if (scalar == PADIC_F16) {
        const int e = (int)(w >> 10 & 31);
        d = e ? ldexp((double)(1024 + (w & 1023)), e - 25) : ldexp((double)(w & 1023), -24);
        return w >> 15 ? -d : d;
    }
    memcpy(&f, &w, 4);
    return (double)f;
}

// The nearest of the type; infinity where there is none.
static inline uint64_t gen_bits(padic_dtype scalar, double x)
{
    uint64_t u;
    uint32_t w;
    float f;
    memcpy(&u, &x, 8);
    if (scalar == PADIC_F64) return u;
    f = (float)x;
    memcpy(&w, &f, 4);
    if (scalar == PADIC_F32) return w;
    if (scalar == PADIC_BF16)
        return x - x != 0 ? w >> 16 : (w + 0x7fffu + (w >> 16 & 1)) >> 16;
    const uint32_t sign = w >> 16 & 0x8000u;
    const double a = fabs(x);
    int e = 0;
    if (x != x) return sign | 0x7e00u;
    if (a >= 65520.0) return sign | 0x7c00u;
    if (a == 0) return sign;
    (void)frexp(a, &e);
    if (e < -13) return sign | (uint32_t)nearbyint(ldexp(a, 24));
    return sign | (((uint32_t)(e + 13) << 10) + (uint32_t)nearbyint(ldexp(a, 11 - e)));
}

// ----------------------------------------------------------------------------------------- values

// Whole numbers with some structure: the base of all arrays. Those at first, first + step, ...
static inline void gen_sequence(gen_source *s, int64_t *q, size_t n, size_t step, size_t width,
                                char *text)
{
    static const uint8_t widths[16] = {3, 8, 1, 4, 7, 12, 16, 20, 24, 31, 32, 40, 52, 53, 62, 10};
    static const char *const names[18] = {"constant", "ramp",   "period", "walk",   "tokens",
                                          "skewed",   "uniform", "smooth", "sorted", "rows",
                                          "bytes",    "runs",   "powers", "sparse", "any",
                                          "halves",   "steps",  "near"};
    const uint32_t kind = gen_below(s, 18), bits = widths[gen_below(s, 16)];
    const uint64_t mask = (UINT64_C(1) << bits) - 1, half = mask >> 1;
    int64_t token[32];
    uint64_t a, b, c, v = 0;
    gen_new_noise(s);
    if (width == 0) width = 1;
    for (int i = 0; i < 32; i++) token[i] = (int64_t)((gen_noise(s) & mask) - half);
    snprintf(text, 24, "%s%d", names[kind], (int)bits);
    a = gen_byte(s);
    switch (kind) {
    case 0:
        for (size_t i = 0; i < n; i++) q[i * step] = a ? token[a % 32] : 0;
        break;
    case 1:
        b = gen_noise(s) & mask;
        for (size_t i = 0; i < n; i++) q[i * step] = (int64_t)(b + i * a);
        break;
    case 2:
        a = 1 + a % 30 + (a > 200 ? n / 3 : 0);
        for (size_t i = 0; i < n; i++)
            q[i * step] = i < a ? (int64_t)((gen_noise(s) & mask) - half) : q[(i - a) * step];
        break;
    case 3: // and one that is walked twice
        b = 0;
        for (size_t i = 0; i < n; i++) {
            const uint64_t d = (gen_noise(s) & mask) - half;
            v += a & 1 ? (b += d % 64) : d;
            q[i * step] = (int64_t)v;
        }
        break;
    case 4:
        a = 1 + a % 31;
        for (size_t i = 0; i < n; i++) q[i * step] = token[gen_noise(s) % a];
        break;
    case 5: // small ones often
        for (size_t i = 0; i < n; i++) {
            b = gen_noise(s);
            c = gen_noise(s) & mask;
            for (uint64_t k = 0; k < bits && (b >> k & (1 + (a & 2))); k++) c >>= 1;
            q[i * step] = a & 1 && b >> 63 ? -(int64_t)c : (int64_t)c;
        }
        break;
    case 6:
        for (size_t i = 0; i < n; i++)
            q[i * step] = (int64_t)((gen_noise(s) & mask) - (a & 1 ? half : 0));
        for (size_t i = 0; i < n && a >= 192; i++) // columns as wide as they like
            q[i * step] >>= i % width * (1 + (a & 7)) % bits;
        break;
    case 7: // a + b x + c y + d x^2 + e x y, with noise
        b = gen_noise(s) & 255;
        c = gen_noise(s) & 255;
        for (size_t i = 0; i < n; i++) {
            const uint64_t x = i % width, y = i / width;
            q[i * step] = (int64_t)((b * x + c * y) * 64 + (a & 15) * x * x - (a >> 4) * x * y +
                                    (gen_noise(s) & mask & 255));
        }
        break;
    case 8:
        for (size_t i = 0; i < n; i++)
            q[i * step] = (int64_t)(v += gen_noise(s) % (a + 1) ? gen_noise(s) & mask & 0xffff : 0);
        break;
    case 9:
        for (size_t i = 0; i < n; i++)
            q[i * step] = i < width || gen_noise(s) % 256 < a / 8
                              ? (int64_t)((gen_noise(s) & mask) - half)
                              : q[(i - width) * step];
        break;
    case 10: // the string's own bytes
        for (size_t i = 0; i < n && i < 1024; i++)
            q[i * step] = (int64_t)gen_word(s, a & 1 ? 2 : 1) - (a & 2 ? 128 : 0);
        for (size_t i = 1024; i < n; i++) q[i * step] = q[(i - 1024) * step];
        break;
    case 11:
        b = 0;
        for (size_t i = 0; i < n; i++) {
            if (gen_noise(s) % (2 + a) == 0) b = gen_noise(s);
            q[i * step] = a & 1 ? token[b % 32] : (int64_t)((b & mask) - half);
        }
        break;
    case 12:
        for (size_t i = 0; i < n; i++)
            q[i * step] = (int64_t)(UINT64_C(1) << (a & 1 ? i * (a >> 4) % 63 : gen_noise(s) % 63));
        break;
    case 13:
        for (size_t i = 0; i < n; i++)
            q[i * step] = gen_noise(s) % (2 + 2 * a) ? 0 : (int64_t)((gen_noise(s) & mask) - half);
        break;
    case 14:
        for (size_t i = 0; i < n; i++) q[i * step] = (int64_t)gen_noise(s);
        break;
    case 15: // another kind of numbers from some place on
        b = n * a / 256;
        for (size_t i = 0; i < n; i++)
            q[i * step] = i < b ? token[gen_noise(s) % 5] : (int64_t)(gen_noise(s) & mask);
        break;
    case 16: // far apart levels, little around each
        for (size_t i = 0; i < n; i++)
            q[i * step] = (int64_t)((uint64_t)token[i * 8 / (n + 1) % 32] * 16 +
                                    gen_noise(s) % (a + 1));
        break;
    default:
        for (size_t i = 0; i < n; i++)
            q[i * step] = token[0] + (gen_noise(s) % 256 < a ? 1 : 0);
    }
}

// The numbers become elements; w holds them and gets the bits.
static inline void gen_map(gen_source *s, padic_dtype scalar, uint64_t *w, size_t n, size_t step,
                           char *text)
{
    static const double tens[12] = {10, 1e2, 1e3, 1e4, 1e5, 1e6, 1e1, 1e7, 1e9, 1e12, 1e15, 1e18};
    static const char *const real[16] = {"whole",   "2^k",   "decimal", "fraction", "affine",
                                         "ordered", "bits",  "ulps",    "small",    "limit",
                                         "decimal32", "exponents", "inverse", "product", "scaled",
                                         "signs"};
    static const char *const whole[8] = {"whole", "multiple", "top", "affine",
                                         "shift", "bottom",   "bits", "low"};
    const uint32_t size = 8 * gen_size(scalar), kind = gen_below(s, gen_is_float(scalar) ? 16 : 8);
    const uint64_t mask = UINT64_MAX >> (64 - size), a = gen_byte(s), b = gen_byte(s);
    const uint64_t wild = gen_noise(s);
    if (!gen_is_float(scalar)) {
        snprintf(text, 16, "%s", whole[kind]);
        const uint64_t top = gen_is_signed(scalar) ? mask >> 1 : mask;
        for (size_t i = 0; i < n; i++) {
            uint64_t *x = &w[i * step], q = *x;
            switch (kind) {
            case 0: break;
            case 1: q *= a; break;
            case 2: q = top - (q & (mask >> 1)); break;
            case 3: q = q * a + wild; break;
            case 4: q <<= a % size; break;
            case 5: q += gen_is_signed(scalar) ? top + 1 : 0; break;
            case 6: q ^= wild; break;
            default: q &= 255;
            }
            *x = q & mask;
        }
        return;
    }
    snprintf(text, 16, "%s", real[kind]);
    const int representations = gen_digits(scalar), high = (int)size - representations;
    const uint64_t sign = UINT64_C(1) << (size - 1), one = gen_bits(scalar, 1.0);
    const uint64_t infinity = ((UINT64_C(1) << high) - 1) << (representations - 1);
    const int k = (int)a % 80 - 40;
    const double g = ldexp(1.0 + (double)(wild >> 12) / 4503599627370496.0, k / 2);
    const double o = (double)(int64_t)(b - 128) * g * 1000.0;
    double product = 1;
    for (size_t i = 0; i < n; i++) {
        uint64_t *x = &w[i * step], q = *x;
        const int64_t z = (int64_t)q, n24 = z % 16777216;
        volatile double y;
        switch (kind) {
        case 0: *x = gen_bits(scalar, (double)z); break;
        case 1: *x = gen_bits(scalar, ldexp((double)z, k)); break;
        case 2: *x = gen_bits(scalar, (double)z / tens[a % 12]); break;
        case 3: *x = gen_bits(scalar, (double)z / (double)(a + 1)); break;
        case 4:
            y = (double)n24 * g;
            *x = gen_bits(scalar, y + o);
            break;
        case 5: // steps between neighbouring floats
            q += gen_bits(scalar, g);
            *x = q & mask;
            break;
        case 6: *x = q & mask; break;
        case 7:
            *x = one + (q & 0xffff & ((UINT64_C(1) << (representations - 1)) - 1));
            break;
        case 8:
            *x = (q & ((UINT64_C(1) << (representations - 1)) - 1)) | (q >> 63 ? sign : 0);
            break;
        case 9: *x = (infinity - 1 - (q & 0xff)) | (q >> 62 & 1 ? sign : 0); break;
        case 10: {
            volatile float single = (float)((double)z / tens[a % 12]);
            *x = gen_bits(scalar, (double)single);
            break;
        }
        case 11:
            y = 1.0 + (double)(q >> 12 & 1023) / 1024;
            *x = gen_bits(scalar, ldexp(y, ((int)(q % (a + 1)) - (int)a / 2) *
                                               (representations == 53 && (b & 3) == 3 ? 8 : 1)));
            break;
        case 12: *x = gen_bits(scalar, 1.0 / (1.0 + fabs((double)z))); break;
        case 13:
            product *= 1.0 + (double)(q & 255) / 1024;
            if (product > 1e30) product = ldexp(product, -150);
            *x = gen_bits(scalar, product);
            break;
        case 14: *x = gen_bits(scalar, (double)n24 * g); break;
        default: *x = (q & 1 ? sign : 0) | ((one + (q >> 1 & 15)) & mask); // signs at random
        }
    }
}

// A value that stands out.
static inline uint64_t gen_strange(gen_source *s, padic_dtype scalar, uint32_t kind, uint64_t x)
{
    const uint32_t size = 8 * gen_size(scalar);
    const uint64_t mask = UINT64_MAX >> (64 - size), r = gen_noise(s);
    if (!gen_is_float(scalar)) {
        switch (kind % 8) {
        case 0: return r & mask;
        case 1: return mask;
        case 2: return mask >> 1;
        case 3: return (mask >> 1) + 1;
        case 4: return 0;
        case 5: return (x + 1) & mask;
        case 6: return (x ^ (UINT64_C(1) << r % size)) & mask;
        default: return (x * 1000) & mask;
        }
    }
    const int representations = gen_digits(scalar);
    const uint64_t sign = UINT64_C(1) << (size - 1);
    const uint64_t infinity = (mask >> 1) & ~((UINT64_C(1) << (representations - 1)) - 1);
    switch (kind % 16) {
    case 0: return r & mask;
    case 1: return infinity;
    case 2:
        return infinity | UINT64_C(1) << (representations - 2);
    case 3: return (infinity | (r & (mask >> 1)) | 1) & mask; // any payload
    case 4: return sign;
    case 5: return 0;
    case 6: return gen_bits(scalar, -9999.0);
    case 7: return gen_bits(scalar, scalar == PADIC_F16 ? 60000.0 : 1e20);
    case 8: return infinity - 1;
    case 9: return 1;
    case 10: return x ^ 1;
    case 11: return (x ^ sign) & mask;
    case 12: return infinity | sign;
    case 13: return gen_finite(scalar, x) ? gen_bits(scalar, gen_value(scalar, x) * 1000) : x;
    case 14:
        return (sign | (r & ((UINT64_C(1) << (representations - 1)) - 1))) & mask;
    default: return (x ^ (UINT64_C(1) << r % size)) & mask;
    }
}

// Something happens to an array that was regular.
static inline void gen_change(gen_source *s, padic_dtype scalar, uint64_t *w, size_t n, char *text)
{
    static const uint16_t phases[12] = {1, 2, 4, 8, 16, 32, 64, 3, 7, 256, 1024, 100};
    static const char *const names[10] = {"few", "phase", "mask", "copies", "scale",
                                          "ulp", "far",   "tail", "swap",   "low"};
    const uint32_t size = 8 * gen_size(scalar), kind = gen_below(s, 10);
    const uint64_t mask = UINT64_MAX >> (64 - size), a = gen_byte(s), b = gen_byte(s);
    snprintf(text, 16, "+%s%d", names[kind], (int)a);
    gen_new_noise(s);
    if (!n) return;
    switch (kind) {
    case 0: // one or a few, anywhere
        for (uint64_t i = 0; i <= b % 6; i++) {
            uint64_t *x = &w[gen_noise(s) % n];
            *x = gen_strange(s, scalar, (uint32_t)a, *x);
        }
        break;
    case 1: { // at one phase, all or some
        const size_t m = phases[b % 12];
        for (size_t i = (size_t)(gen_noise(s) % m); i < n; i += m)
            if (!(b & 128) || gen_noise(s) % 8 == 0)
                w[i] = gen_strange(s, scalar, (uint32_t)a, w[i]);
        break;
    }
    case 2: { // a fill value in stretches
        const uint64_t fill = gen_strange(s, scalar, (uint32_t)a, w[0]);
        uint64_t on = 0;
        for (size_t i = 0; i < n; i++) {
            if (gen_noise(s) % (1 + b) == 0) on = gen_noise(s) & 1;
            if (on) w[i] = fill;
        }
        break;
    }
    case 3: // repeats, near
        for (uint64_t k = 0; k <= b % 16; k++) {
            const size_t to = (size_t)(gen_noise(s) % n);
            const size_t far = (size_t)(gen_noise(s) % (a + 1)) + 1;
            const size_t length = (size_t)(gen_noise(s) % 64) + 2;
            for (size_t i = to; i < to + length && i < n; i++)
                if (i >= far) w[i] = w[i - far];
        }
        break;
    case 4: { // another scale from some place on
        const size_t from = (size_t)(gen_noise(s) % n);
        for (size_t i = from; i < n; i++) {
            if (!gen_is_float(scalar)) w[i] = (w[i] << (b % size)) & mask;
            else if (gen_finite(scalar, w[i]))
                w[i] = gen_bits(scalar, ldexp(gen_value(scalar, w[i]), (int)b - 128));
        }
        break;
    }
    case 5:
        for (size_t i = 0; i < n; i++)
            if (gen_noise(s) % 256 <= a) w[i] = (w[i] + (gen_noise(s) & 1 ? 1 : mask)) & mask;
        break;
    case 6: { // repeats, far
        const size_t far = n / 2 + (size_t)(a % 8), length = n / (2 + (size_t)(b % 6));
        for (size_t i = far; i < n && i < far + length; i++) w[i] = w[i - far];
        break;
    }
    case 7: // the last ones, or the first, are strange
        for (size_t i = 0; i <= b % 5 && i < n; i++) {
            uint64_t *x = &w[b & 128 ? i : n - 1 - i];
            *x = gen_strange(s, scalar, (uint32_t)a, *x);
        }
        break;
    case 8:
        for (uint64_t i = 0; i < a; i++) {
            const size_t x = (size_t)(gen_noise(s) % n), y = (size_t)(gen_noise(s) % n);
            const uint64_t t = w[x];
            w[x] = w[y];
            w[y] = t;
        }
        break;
    default: // low bits gone
        for (size_t i = 0; i < n; i++) w[i] = w[i] >> (a % size) << (a % size);
    }
}

// `text` has 320 bytes.
static inline void gen_array(gen_source *s, padic_dtype scalar, uint64_t *w, size_t n, size_t width,
                             char *text)
{
    // Mostly one column; records have more, each of its own kind.
    static const uint8_t columns[16] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 3, 4, 7, 12};
    const size_t c = columns[gen_below(s, 16)];
    const int at_change = (int)c > 3 ? 3 : (int)c;
    size_t used = 0;
    memset(w, 0, n * sizeof *w);
    for (size_t k = 0; k < c && k < n; k++) {
        char sequence[24], map[16];
        gen_sequence(s, (int64_t *)(void *)(w + k), (n - k + c - 1) / c, c, width / c, sequence);
        gen_map(s, scalar, w + k, (n - k + c - 1) / c, c, map);
        if (k < 3)
            used += (size_t)snprintf(text + used, 60, "%s%s*%s", k ? "|" : "", sequence, map);
    }
    if (at_change == 3) used += (size_t)snprintf(text + used, 8, "|%d", (int)c);
    static const uint8_t changes[8] = {0, 0, 1, 1, 1, 2, 2, 3};
    for (int k = changes[gen_below(s, 8)]; k > 0; k--) {
        char change[16];
        gen_change(s, scalar, w, n, change);
        used += (size_t)snprintf(text + used, 16, "%s", change);
    }
    text[used] = 0;
}

// A smooth field: a wave for each axis, in whole numbers so that it is the same everywhere, and a
// few strange values.
static inline void gen_field(gen_source *s, padic_dtype scalar, uint64_t *w, size_t n,
                             const padic_tensor *t, char *text)
{
    const uint32_t parts = gen_parts(t->dtype), kind = gen_below(s, 4), odd = gen_below(s, 8);
    const int scale = (int)gen_below(s, 64) - 50;
    int64_t *wave[PADIC_MAX_RANK], cut = (INT64_C(1) << gen_below(s, 24)) - 1;
    gen_new_noise(s);
    snprintf(text, 320, "field%d odd%d", (int)kind, (int)odd);
    if (kind < 2) cut = 0;
    for (uint32_t k = 0; k < t->rank; k++) { // x'' = -f x
        const int64_t f = 200 + (int64_t)(gen_noise(s) % 20000);
        int64_t x = (int64_t)(gen_noise(s) % (1u << 28)) + 1, v = (int64_t)(gen_noise(s) % 4096);
        wave[k] = (int64_t *)malloc((size_t)(t->shape[k] + 1) * sizeof(int64_t));
        if (!wave[k]) exit(3);
        for (uint64_t i = 0; i < t->shape[k]; i++) {
            wave[k][i] = x;
            v -= x * f / (1 << 20);
            x += v;
        }
    }
    for (size_t i = 0; i < n; i++) {
        size_t rest = i / parts;
        int64_t x = i % parts ? 77777 : 0;
        for (uint32_t k = t->rank; k-- > 0;) {
            x += wave[k][rest % (size_t)t->shape[k]];
            rest /= (size_t)t->shape[k];
        }
        if (cut) x += (int64_t)(gen_noise(s) & (uint64_t)cut);
        if (kind == 1) x = x / 4096 * 4096;
        const double y = (double)x * (kind == 1 ? 1.0 : 0.73908513321516067); // 1: on a lattice
        w[i] = gen_is_float(scalar) ? gen_bits(scalar, ldexp(y, scale)) : (uint64_t)x >> 4;
        w[i] &= UINT64_MAX >> (64 - 8 * gen_size(scalar));
        if (odd > 5 && gen_noise(s) % 2048 == 0) w[i] = gen_strange(s, scalar, odd + 4, w[i]);
    }
    if (odd > 2 && n) // no number, or any
        w[n - 1] = gen_strange(s, scalar, odd < 5 ? odd - 2 : (uint32_t)scale, w[n - 1]);
    for (uint32_t k = 0; k < t->rank; k++) free(wave[k]);
}

// Zeros, or runs, with something near the ends and nothing between; or more different words than a
// byte tells apart; or copies from two distances in turn.
static inline void gen_long(gen_source *s, padic_dtype scalar, uint64_t *w, size_t n, char *text)
{
    const uint32_t kind = gen_below(s, 6), some = 1 + gen_below(s, 40);
    const uint64_t mask = UINT64_MAX >> (64 - 8 * gen_size(scalar));
    const uint64_t base = kind & 1 ? gen_strange(s, scalar, 3, 0) : 0;
    const size_t near = 1 + gen_below(s, 3000), far = near + 1 + gen_below(s, 40000);
    gen_new_noise(s);
    snprintf(text, 320, "long%d some%d", (int)kind, (int)some);
    for (size_t i = 0; i < n && kind < 4; i++) w[i] = base;
    for (uint32_t k = 0; k < some && n && kind < 4; k++) {
        const size_t i = (size_t)(gen_noise(s) % 200), at = k & 1 || i >= n ? n - 1 - i % n : i;
        const uint64_t x = gen_noise(s) & mask;
        for (size_t j = at; j < n && j < at + (kind > 1 ? 20 : 1); j++) w[j] = x;
    }
    for (size_t i = 0; i < n && kind == 4; i++)
        w[i] = gen_mix(gen_noise(s) % (100 * some)) & mask;
    for (size_t i = 0; i < n && kind == 5;) {
        const uint64_t r = gen_noise(s);
        const size_t back = r & 1 ? near : far, length = 8 + (size_t)(r >> 8 & 255);
        for (size_t j = 0; j < length && i < n; j++, i++)
            w[i] = i < back || (r >> 32) % 4 == 0 ? gen_noise(s) & mask : w[i - back];
    }
}

// What is chosen by a look at some of 8192 elements and more, or pays with so many: four small
// numbers, and large ones that no sample of every fourth has; more words than a byte tells apart.
static inline void gen_apart(gen_source *s, padic_dtype scalar, uint64_t *w, size_t n, char *text)
{
    const uint32_t any_kind = gen_below(s, 4), some = 1 + gen_below(s, 16), less = gen_below(s, 2);
    const int size = 8 * (int)gen_size(scalar), top = 35 - (int)less; // the first to need 9 bits
    const int kind = size < 64 || any_kind == 3;
    const uint64_t mask = UINT64_MAX >> (64 - size);
    uint64_t token[4];
    gen_new_noise(s);
    snprintf(text, 24, "apart%d some%d", kind, (int)some);
    for (int i = 0; i < 4; i++) token[i] = gen_noise(s) % 16;
    for (size_t i = 0; i < n; i++) {
        const uint64_t r = gen_noise(s);
        if (kind == 0) w[i] = token[r % 4];
        if (kind == 1) w[i] = gen_mix(r % (256 + 16 * some)) & mask;
    }
    for (uint32_t k = 0; k < some && kind == 0 && n; k++) {
        const size_t i = (size_t)(gen_noise(s) % n / 4 * 4 + 1);
        if (i < n) w[i] = (UINT64_C(1) << (top - 1)) | gen_noise(s) >> (65 - top);
    }
}

// Little and, at the end, more: in the last word of an odd number, the last bits of a map, below a
// common step.
static inline void gen_last(gen_source *s, padic_dtype scalar, uint64_t *w, size_t n, char *text)
{
    const int size = 8 * (int)gen_size(scalar);
    const uint32_t bits = gen_below(s, 4), more = gen_below(s, 8), step = more > 3 && size > 8;
    gen_new_noise(s);
    snprintf(text, 24, "last%d more%d", (int)bits, (int)more);
    for (size_t i = 0; i < n; i++) w[i] = (gen_noise(s) & ((1u << bits) - 1)) << 8 * step;
    if (n) w[n - 1] = UINT64_C(1) << (more < 4 ? size - 1 - (int)more / 2 : (int)more);
}

// A smooth field of floats with some noise: rows of it are predicted with weights, several at once.
static inline void gen_rows(gen_source *s, padic_dtype scalar, uint64_t *w, size_t n, size_t width,
                            char *text)
{
    const double p = (double)gen_byte(s), q = (double)(1 + gen_byte(s)), r = (double)gen_byte(s);
    const uint64_t noise = UINT64_C(1) << gen_below(s, 16);
    gen_new_noise(s);
    for (size_t i = 0; i < n; i++) {
        const double x = (double)(i % (width ? width : 1)), y = (double)(i / (width ? width : 1));
        volatile double square = (x - p) * (x - p), sum = square / q; // each rounded by itself
        square = y * r + x * y / 64;
        sum += square;
        sum += (double)(gen_noise(s) % noise) / 4096;
        w[i] = gen_bits(scalar, sum);
    }
    snprintf(text, 24, "rows%d", (int)noise);
}

// ------------------------------------------------------------------------------------------ cases

typedef struct gen_plane { // an array with strides in a block of memory with guards
    uint8_t *block, *first;
    size_t bytes; // between the guards
} gen_plane;

typedef struct gen_case {
    padic_codec_pack_desc desc;
    size_t count, scalars, element; // elements, scalars in them, bytes of an element
    padic_dtype scalar;
    uint8_t *dense; // the elements in C order
    uint8_t *reference_dense; // NULL: none
    float *factors;           // of each element, or of each block; NULL: none
    int factors_by_block;
    uint64_t factor_count;
    gen_plane array, reference, importance;
    gen_source source;
    uint64_t plan; // what the checker draws its choices from
    char text[800];
} gen_case;

static inline void *gen_new(size_t size)
{
    void *p = malloc(size ? size : 1);
    if (!p) exit(3);
    return p;
}

static inline void gen_plane_free(gen_plane *p)
{
    free(p->block);
    memset(p, 0, sizeof *p);
}

static inline void gen_free(gen_case *c)
{
    gen_plane_free(&c->array);
    gen_plane_free(&c->reference);
    gen_plane_free(&c->importance);
    free(c->dense);
    free(c->reference_dense);
    free(c->factors);
}

// Strides of some kind for the tensor's shape; returns how many elements they span.
static inline size_t gen_strides(gen_source *s, padic_tensor *t, uint32_t kind)
{
    uint32_t order[PADIC_MAX_RANK];
    int64_t step = 1;
    size_t span = 1, count = 1;
    for (uint32_t k = 0; k < t->rank; k++) order[k] = k, count *= (size_t)t->shape[k];
    memset(t->stride, 0, sizeof t->stride);
    if (kind == 0 || t->rank == 0) return count; // dense, not said
    if (kind & 2) // axes in another order
        for (uint32_t k = t->rank; k-- > 1;) {
            const uint32_t j = gen_below(s, k + 1), o = order[k];
            order[k] = order[j];
            order[j] = o;
        }
    if (kind & 4) step += gen_below(s, 3);
    for (uint32_t k = t->rank; k-- > 0;) {
        const uint32_t a = order[k];
        t->stride[a] = step;
        if (t->shape[a]) span += (size_t)(t->shape[a] - 1) * (size_t)step;
        if (t->shape[a] > 1) step *= (int64_t)t->shape[a];
        if (kind & 4) step += gen_below(s, 4);
    }
    for (uint32_t k = 0; k < t->rank; k++) // an axis of one takes no step, whatever it says
        if (t->shape[k] == 1 && kind & 8) t->stride[k] = 1 + (int64_t)gen_below(s, 100000);
    return count ? span : 0;
}

static inline size_t gen_place(const padic_tensor *t, size_t i) // element i in C order
{
    size_t place = 0, dense = 1;
    int any = 0;
    for (uint32_t k = 0; k < t->rank; k++) any |= t->stride[k] != 0;
    for (uint32_t k = t->rank; k-- > 0;) {
        const size_t extent = (size_t)t->shape[k];
        place += i % extent * (any ? (size_t)t->stride[k] : dense);
        i /= extent;
        dense *= extent;
    }
    return place;
}

static inline int gen_plane_intact(const gen_plane *p)
{
    for (size_t i = 0; i < GEN_GUARD; i++)
        if (p->block[i] != 0xa5 || p->block[GEN_GUARD + p->bytes + i] != 0xa5) return 0;
    return 1;
}

// Memory for a tensor of `span` elements, all bytes 0xa5.
static inline gen_plane gen_plane_new(size_t span, size_t element)
{
    gen_plane p;
    p.bytes = span * element;
    p.block = (uint8_t *)gen_new(p.bytes + 2 * GEN_GUARD);
    memset(p.block, 0xa5, p.bytes + 2 * GEN_GUARD);
    p.first = p.block + GEN_GUARD;
    return p;
}

static inline void gen_spread(const padic_tensor *t, gen_plane *p, const uint8_t *dense,
                              size_t count, size_t element)
{
    int any = 0;
    for (uint32_t k = 0; k < t->rank; k++) any |= t->stride[k] != 0;
    if (!any) {
        if (count) memcpy(p->first, dense, count * element);
        return;
    }
    for (size_t i = 0; i < count; i++)
        memcpy(p->first + gen_place(t, i) * element, dense + i * element, element);
}

// The other way round; 0 if a gap was written to.
static inline int gen_collect(const padic_tensor *t, const gen_plane *p, uint8_t *dense,
                              size_t count, size_t element)
{
    uint8_t *taken = (uint8_t *)gen_new(p->bytes);
    int good = gen_plane_intact(p);
    memset(taken, 0, p->bytes);
    for (size_t i = 0; i < count; i++) {
        const size_t at = gen_place(t, i) * element;
        memcpy(dense + i * element, p->first + at, element);
        memset(taken + at, 1, element);
    }
    for (size_t i = 0; i < p->bytes; i++) good &= taken[i] || p->first[i] == 0xa5;
    free(taken);
    return good;
}

// What few arrays are: LARGE, as samples are only taken of many elements; FIELD, large and smooth,
// or in blocks that are large enough for hints; APART, see gen_apart(); LONG, mostly zeros, with
// runs and gaps above 2^16; TINY, see gen_last(); CURVE, within a bound, interpolated.
enum { GEN_USUAL, GEN_TINY, GEN_CURVE, GEN_LARGE, GEN_FIELD, GEN_APART, GEN_LONG };

static inline void gen_shape(gen_source *s, gen_case *c, int large)
{
    static const uint8_t ranks[32] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2,
                                      2, 2, 2, 2, 3, 3, 3, 3, 3, 4, 4, 5, 6, 7, 8, 0};
    padic_tensor *t = &c->desc.tensor;
    const uint32_t kind = gen_below(s, 8), word = gen_below(s, 1024);
    uint32_t most = kind < 2 ? 1 + word % 32 : kind < 6 ? 16 + word % 256 : 128 + word;
    if (large == GEN_TINY) most = 8 + word % (word & 64 ? 16 : 48);
    if (large == GEN_LARGE) most = 8192 + 8 * word;
    if (large == GEN_APART) most = 8200 + word;
    if (large == GEN_FIELD) most = 8200 + (kind > 3 ? 8 : 1) * word;
    if (large == GEN_FIELD && c->desc.level > 7) most = 1100 + word;
    if (large == GEN_LONG) most = 66000 + 63 * word;
    // Level 9 takes a tenth of a second for as many, so it seldom gets them.
    if (c->desc.level == 9 && most > 256 && large < GEN_FIELD && !(large && kind == 7))
        most = 16 + most % 241;
    if (c->desc.level == 8 && most > 400 && large < GEN_FIELD && !(large && kind > 5))
        most = 100 + most % 301;
    t->rank = ranks[gen_below(s, 32)];
    const uint32_t long_axis = t->rank ? gen_below(s, t->rank) : 0;
    uint32_t left = most;
    for (uint32_t k = 0; k < t->rank; k++) {
        if (k == long_axis) continue;
        static const uint8_t extents[16] = {3, 4, 5, 7, 8, 1, 2, 11, 13, 16, 17, 32, 1, 6, 9, 31};
        uint32_t extent = extents[gen_below(s, 16)];
        if (t->rank > 4 && extent > 5) extent %= 4, extent++;
        if (extent > left) extent = 1;
        t->shape[k] = extent;
        left /= extent;
    }
    while (large >= GEN_FIELD && t->rank > 3) t->shape[--t->rank] = 0;
    if (large == GEN_FIELD && t->rank > 1) { // no axis much longer than others
        const uint32_t side = t->rank == 2 ? 30 + word % 90 : 9 + word % 17;
        for (uint32_t k = 0; k < t->rank; k++) t->shape[k] = side + 3 * k;
        left = most / (side + 3);
        if (t->rank == 3) left /= side + 6;
        t->shape[0] = left ? left : 1;
    } else if (t->rank && large >= GEN_FIELD) {
        for (uint32_t k = 0; k < t->rank; k++) t->shape[k] = k ? 1 + word % 2 : most;
    } else if (t->rank) {
        t->shape[long_axis] = left;
    }
    if (t->rank && gen_one_in(s, 64)) t->shape[gen_below(s, t->rank)] = 0;
    c->count = 1;
    for (uint32_t k = 0; k < t->rank; k++) c->count *= (size_t)t->shape[k];
    c->scalars = c->count * gen_parts(t->dtype);
}

static inline void gen_block(gen_source *s, padic_codec_pack_desc *d, int large)
{
    const uint32_t kind = gen_below(s, 8);
    uint64_t blocks = 1, elements = 1;
    if (large == GEN_FIELD && kind % 2 && d->tensor.rank) { // two to four parts of one or two axes
        for (uint32_t k = 0; k < d->tensor.rank; k++)
            d->block[k] = d->tensor.shape[k] ? d->tensor.shape[k] : 1;
        for (uint32_t i = 0; i < 2; i++) {
            const uint32_t k = gen_below(s, d->tensor.rank);
            if (d->block[k] > 8) d->block[k] = d->block[k] / (2 + gen_below(s, 2)) + 1;
        }
        return;
    }
    for (uint32_t k = 0; k < d->tensor.rank && large == GEN_LONG && kind % 2; k++)
        d->block[k] = d->tensor.shape[k] ? d->tensor.shape[k] : 1; // one
    if (large >= GEN_FIELD) return;
    if (kind < 4 || d->tensor.rank == 0) return; // chosen
    if (large && kind < 7) return; // blocks of more than 4096 elements
    for (uint32_t k = 0; k < d->tensor.rank; k++) {
        const uint64_t extent = d->tensor.shape[k] ? d->tensor.shape[k] : 1;
        uint64_t b = kind == 4   ? 1 + gen_below(s, 8)
                     : kind == 5 ? 1 + gen_below(s, (uint32_t)extent)
                     : kind == 6 ? 1 + 2 * gen_below(s, 20)
                                 : extent + gen_below(s, 3);
        if (b > extent + 3 && gen_below(s, 2) == 0) b = extent;
        while (b < extent && blocks * ((extent + b - 1) / b) > 48) b *= 2;
        while (elements * b > 65536 && b > 1) b /= 2; // of high ranks
        blocks *= (extent + b - 1) / b;
        elements *= b;
        d->block[k] = b;
    }
}

static inline void gen_bound(gen_source *s, gen_case *c, const uint64_t *w, int large)
{
    padic_codec_pack_desc *d = &c->desc;
    uint32_t mode = gen_below(s, 12); // half of them lossless
    if (large == GEN_FIELD && mode > 6) mode = 7 + mode % 2;
    if (large == GEN_CURVE) mode = 7;
    double low = 0, high = 0, range;
    int any = 0;
    d->tolerance_mode =
        mode < 6 ? PADIC_CODEC_TOLERANCE_NONE : (padic_codec_tolerance_mode)(mode - 6);
    if (d->tolerance_mode == PADIC_CODEC_TOLERANCE_POINTWISE && !gen_is_float(c->scalar))
        d->tolerance_mode = PADIC_CODEC_TOLERANCE_ABSOLUTE;
    if (d->tolerance_mode == PADIC_CODEC_TOLERANCE_NONE) return;
    for (size_t i = 0; i < c->scalars; i++) {
        double x;
        if (!gen_finite(c->scalar, w[i])) continue;
        if (gen_is_float(c->scalar)) x = gen_value(c->scalar, w[i]);
        else if (gen_is_signed(c->scalar)) {
            const int shift = 64 - 8 * (int)gen_size(c->scalar);
            const int64_t z = (int64_t)(w[i] << shift);
            x = (double)(z / (INT64_C(1) << shift));
        } else x = (double)w[i];
        if (!any || x < low) low = x;
        if (!any || x > high) high = x;
        any = 1;
    }
    range = high / 2 - low / 2;
    range = range > 8e307 ? 1e308 : 2 * range;
    const uint32_t any_scale = gen_below(s, 16), digit = gen_below(s, 256);
    const int smooth = large == GEN_FIELD || large == GEN_CURVE;
    const uint32_t scale = smooth && any_scale < 12 ? any_scale % 6 : any_scale;
    double share = pow(10.0, -(double)(1 + scale % 12)) * (1.0 + digit / 32.0);
    if (scale == 12) share = ldexp(1.0, -(int)(digit % 24)); // powers of two
    if (scale == 15) share = 0.5 + digit / 256.0;
    d->tolerance = share;
    switch (d->tolerance_mode) {
    case PADIC_CODEC_TOLERANCE_ABSOLUTE:
    case PADIC_CODEC_TOLERANCE_RMS:
        if (scale < 13 || scale == 15) d->tolerance = share * (range > 0 ? range : 1.0);
        if (scale == 13) d->tolerance = ldexp(1.0 + digit, -1074 + (int)(digit & 63));
        if (scale == 14) d->tolerance = ldexp(1.0 + digit, (int)(digit * 4) % 1000);
        if (!(d->tolerance > 0)) d->tolerance = 4.9406564584124654e-324;
        if (!(d->tolerance <= DBL_MAX)) d->tolerance = DBL_MAX;
        break;
    case PADIC_CODEC_TOLERANCE_RANGE:
        if (scale == 13) d->tolerance = ldexp(1.0, -1060);
        if (scale == 14) d->tolerance = 1.0 + digit;
        if (gen_one_in(s, 4)) d->range = range > 0 ? range : 1.0;
        break;
    case PADIC_CODEC_TOLERANCE_POINTWISE:
        if (scale == 13) d->tolerance = ldexp(1.0, -60);
        if (!(d->tolerance < 1)) d->tolerance = 0.999;
        break;
    case PADIC_CODEC_TOLERANCE_FIXED:
        d->tolerance = 100.0 + floor((double)(c->count * c->element) * (0.05 + digit / 200.0));
        break;
    default:;
    }
}

static inline void gen_reference(gen_source *s, gen_case *c, uint64_t *w)
{
    static const char *const names[8] = {"equal", "few", "ulps", "scaled",
                                         "other", "nan", "noise", "shifted"};
    padic_codec_pack_desc *d = &c->desc;
    const uint32_t kind = gen_below(s, 8), size = 8 * gen_size(c->scalar);
    const uint64_t mask = UINT64_MAX >> (64 - size), a = gen_byte(s);
    char other[320];
    snprintf(c->text + strlen(c->text), 40, " reference=%s%d", names[kind], (int)a);
    uint64_t *r = (uint64_t *)gen_new(c->scalars * sizeof *r);
    if (c->scalars) memcpy(r, w, c->scalars * sizeof *r);
    gen_new_noise(s);
    if (kind == 4) gen_array(s, c->scalar, r, c->scalars, 8, other);
    for (size_t i = 0; i < c->scalars; i++) {
        const uint64_t noise = gen_noise(s);
        switch (kind) {
        case 1:
            if (noise % (2 + a) == 0)
                r[i] = gen_strange(s, c->scalar, (uint32_t)(noise >> 40), r[i]);
            break;
        case 2: if (noise % 256 <= a) r[i] = (r[i] + (noise >> 60 & 1 ? 1 : mask)) & mask; break;
        case 3:
            if (!gen_is_float(c->scalar)) r[i] = (r[i] * (a | 1)) & mask;
            else if (gen_finite(c->scalar, r[i]))
                r[i] = gen_bits(c->scalar, gen_value(c->scalar, r[i]) * (1 + (double)a / 16));
            break;
        case 5:
            if (noise % (2 + a) == 0 || i % 97 == a % 97)
                r[i] = gen_strange(s, c->scalar, 1 + (uint32_t)(a % 3), r[i]);
            break;
        case 6: r[i] = (r[i] + (noise & ((UINT64_C(1) << a % size) - 1))) & mask; break;
        case 7: r[i] = w[(i + a) % c->scalars]; break;
        default:;
        }
    }
    c->reference_dense = (uint8_t *)gen_new(c->count * c->element);
    for (size_t i = 0; i < c->scalars; i++)
        gen_store(size / 8, c->reference_dense, i, r[i]);
    free(r);
    d->reference = d->tensor;
    const size_t span = gen_strides(s, &d->reference, gen_one_in(s, 3) ? gen_below(s, 16) : 0);
    c->reference = gen_plane_new(span, c->element);
    gen_spread(&d->reference, &c->reference, c->reference_dense, c->count, c->element);
    d->reference.data = c->reference.first;
}

static inline void gen_importance(gen_source *s, gen_case *c)
{
    padic_codec_pack_desc *d = &c->desc;
    padic_tensor t;
    uint64_t n = 1;
    const uint32_t kind = gen_below(s, 8);
    memset(&t, 0, sizeof t);
    t.dtype = PADIC_F32;
    c->factors_by_block = d->tensor.rank && d->block[0] && gen_below(s, 2);
    if (c->factors_by_block) {
        for (uint32_t k = 0; k < d->tensor.rank; k++) {
            t.shape[k] = (d->tensor.shape[k] + d->block[k] - 1) / d->block[k];
            n *= t.shape[k];
        }
    } else {
        n = c->count;
        memcpy(t.shape, d->tensor.shape, sizeof t.shape);
    }
    t.rank = d->tensor.rank;
    gen_new_noise(s);
    c->factor_count = n;
    c->factors = (float *)gen_new((size_t)n * sizeof(float));
    for (uint64_t i = 0; i < n; i++) {
        static const float levels[4] = {1.0f, 0.125f, 3.0f, 0.01f};
        const uint64_t r = gen_noise(s);
        float f = levels[(r >> 20) % (1 + kind % 4)];
        if (kind == 4) f = (float)(1 + (r & 255)) / 16.0f;
        if (kind > 5 && r % 64 == 0) {
            static const uint32_t odd[6] = {0, 0x7fc00000u, 0x7f800000u, 0xbf800000u, 1,
                                            0x7f7fffffu};
            memcpy(&f, &odd[(r >> 8) % 6], 4);
        }
        c->factors[i] = f;
    }
    const size_t span =
        gen_strides(s, &t, !c->factors_by_block && gen_one_in(s, 4) ? gen_below(s, 16) : 0);
    c->importance = gen_plane_new(span, 4);
    gen_spread(&t, &c->importance, (const uint8_t *)c->factors, (size_t)n, 4);
    t.data = c->importance.first;
    d->importance = t;
    snprintf(c->text + strlen(c->text), 40, " importance=%s%d",
             c->factors_by_block ? "block" : "element", (int)kind);
}

static inline void gen_make(gen_case *c, const uint8_t *bytes, size_t size)
{
    static const uint32_t primes[8] = {2, 3, 5, 7, 251, 257, 65521, 65537};
    padic_codec_pack_desc *d = &c->desc;
    char array[320];
    memset(c, 0, sizeof *c);
    c->source.bytes = bytes;
    c->source.size = size;
    gen_source *s = &c->source;
    c->plan = gen_word(s, 4);
    d->level = (uint32_t)(1 + (int)gen_below(s, 9 * 28) % 9);
    d->tensor.dtype = (padic_dtype)(1 + gen_below(s, 14 * 18) % 14);
    c->scalar = gen_scalar(d->tensor.dtype);
    c->element = gen_size(d->tensor.dtype);
    // What else is special: most cases have little of it, some have several things at once.
    const uint32_t rare = gen_below(s, 128);
    const int tiny = rare > 113 && rare < 122;
    const int profile = gen_one_in(s, 12) && !tiny, stages = gen_one_in(s, 12) || tiny;
    const int much = rare == 127 || (profile && (c->plan & 14) == 14); // profiles are soon packed
    const int forced = stages && !profile && !tiny && gen_digits(c->scalar) >= 24 &&
                       gen_is_float(c->scalar);
    const int rows = forced && (c->plan & 6) == 6, curve = forced && (c->plan & 6) == 4;
    const int large = much          ? GEN_LARGE
                      : rare > 123  ? GEN_FIELD
                      : rare == 123 ? GEN_APART
                      : rare == 122 ? GEN_LONG
                      : tiny        ? GEN_TINY
                      : curve       ? GEN_CURVE
                                    : GEN_USUAL;
    const int reference = gen_below(s, 16) > 11, importance = gen_one_in(s, 12);
    const int planes = gen_one_in(s, 10);
    if (large == GEN_LONG) d->level = 1 + d->level % 6;
    if (large == GEN_APART) d->level = 2 + d->level % 6;
    gen_shape(s, c, large);
    if (profile) d->profile = (padic_codec_profile)(1 + gen_below(s, 3));
    gen_block(s, d, large);
    uint64_t *w = (uint64_t *)gen_new((c->scalars + 1) * sizeof *w);
    const uint32_t rank = d->tensor.rank;
    const size_t row = rank ? (size_t)d->tensor.shape[rank - 1] : 1;
    const size_t width = row * gen_parts(d->tensor.dtype);
    if (large == GEN_FIELD) gen_field(s, c->scalar, w, c->scalars, &d->tensor, array);
    else if (large == GEN_LONG) gen_long(s, c->scalar, w, c->scalars, array);
    else if (large == GEN_APART) gen_apart(s, c->scalar, w, c->scalars, array);
    else if (large == GEN_TINY) gen_last(s, c->scalar, w, c->scalars, array);
    else if (rows || large == GEN_CURVE) gen_rows(s, c->scalar, w, c->scalars, width, array);
    else gen_array(s, c->scalar, w, c->scalars, width, array);
    if (large == GEN_CURVE && c->scalars && gen_below(s, 2))
        w[c->scalars - 1] = gen_strange(s, c->scalar, 1 + gen_below(s, 3), 0);
    c->dense = (uint8_t *)gen_new(c->count * c->element);
    for (size_t i = 0; i < c->scalars; i++)
        gen_store((uint32_t)c->element / gen_parts(d->tensor.dtype), c->dense, i, w[i]);
    const size_t span = gen_strides(s, &d->tensor, gen_one_in(s, 4) ? gen_below(s, 16) : 0);
    c->array = gen_plane_new(span, c->element);
    gen_spread(&d->tensor, &c->array, c->dense, c->count, c->element);
    d->tensor.data = c->array.first;
    snprintf(c->text, 400, "%s level %d profile %d %s", gen_name(d->tensor.dtype), d->level,
             (int)d->profile, array);
    gen_bound(s, c, w, large);
    if (d->profile) {
        const int wide = d->tensor.dtype <= PADIC_F32 || d->tensor.dtype >= PADIC_C64;
        if (!wide) d->tolerance_mode = PADIC_CODEC_TOLERANCE_NONE;
        if (d->tolerance_mode > PADIC_CODEC_TOLERANCE_RANGE)
            d->tolerance_mode = PADIC_CODEC_TOLERANCE_RANGE;
        if (d->tolerance_mode == PADIC_CODEC_TOLERANCE_NONE) d->tolerance = 0;
    } else {
        if (reference) gen_reference(s, c, w);
        if (importance) gen_importance(s, c);
        if (planes) d->layers = 2 + gen_below(s, 7);
        if (stages) {
            uint32_t *m[5] = {&d->stages.transforms, &d->stages.predictors, &d->stages.patterns,
                              &d->stages.representations, &d->stages.coders};
            for (int k = 0; k < 5; k++) { // all, one, or any
                const uint32_t kind = gen_below(s, 3);
                *m[k] = kind == 0 ? 0 : kind == 1 ? 1u << gen_below(s, 8) : gen_byte(s);
            }
            d->stages.patterns &= 31;
            if (tiny) { // 64 planes of bits, with any coder, seldom pay
                const uint32_t kind = gen_below(s, 10), sparse = gen_below(s, 3);
                d->stages.representations =
                    kind < 7 ? (uint32_t)PADIC_CODEC_REPRESENTATION_BUCKETS << kind
                             : (uint32_t)PADIC_CODEC_REPRESENTATION_BITS;
                d->stages.coders = kind < 6 && sparse ? PADIC_CODEC_CODER_SPARSE : 0;
            }
            if (large == GEN_CURVE) {
                d->stages.transforms = PADIC_CODEC_TRANSFORM_SCALE;
                d->stages.predictors = PADIC_CODEC_PREDICTOR_INTERPOLATE;
            }
            if (rows) {
                d->stages.transforms = PADIC_CODEC_TRANSFORM_BITS;
                d->stages.predictors = PADIC_CODEC_PREDICTOR_LINEAR;
            }
            if (gen_one_in(s, 2)) d->prime = primes[gen_below(s, 8)];
        }
    }
    free(w);
    size_t used = strlen(c->text);
    used += (size_t)snprintf(c->text + used, 60, " mode %d bound %.17g", (int)d->tolerance_mode,
                             d->tolerance);
    if (d->range != 0) used += (size_t)snprintf(c->text + used, 40, " range %.17g", d->range);
    for (uint32_t k = 0; k < rank; k++)
        used += (size_t)snprintf(c->text + used, 16, "%s%d", k ? "x" : " shape ",
                                 (int)d->tensor.shape[k]);
    for (uint32_t k = 0; k < rank && d->block[0]; k++)
        used += (size_t)snprintf(c->text + used, 16, "%s%d", k ? "x" : " block ",
                                 (int)d->block[k]);
    if (d->layers) used += (size_t)snprintf(c->text + used, 16, " planes %d", (int)d->layers);
    if (d->stages.transforms | d->stages.predictors | d->stages.patterns |
        d->stages.representations | d->stages.coders | d->prime)
        snprintf(c->text + used, 60, " stages %x.%x.%x.%x.%x prime %d", (int)d->stages.transforms,
                 (int)d->stages.predictors, (int)d->stages.patterns, (int)d->stages.representations,
                 (int)d->stages.coders, (int)d->prime);
}

#endif // PADIC_GEN_H
