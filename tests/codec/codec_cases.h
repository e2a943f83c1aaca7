// codec_cases.h: what the tests of the codec share. Arrays that are the same on every machine,
// oracles that share no code with what they judge, an allocator that counts and fails, and round
// trips that say which case they were in when something differs.
//
// Include after padic.h and padic_test.h.
#ifndef PADIC_CODEC_CASES_H
#define PADIC_CODEC_CASES_H

// ------------------------------------------------------------------------------- numbers, random

typedef struct cc_random {
    uint64_t state;
} cc_random;

// splitmix64: integers only, so that every machine gets the same arrays
static inline uint64_t cc_next(cc_random *r)
{
    uint64_t z = (r->state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static inline uint64_t cc_below(cc_random *r, uint64_t n)
{
    return cc_next(r) % n;
}

static inline uint64_t cc_fnv(uint64_t hash, const void *data, size_t size)
{
    const uint8_t *p = (const uint8_t *)data;
    for (size_t i = 0; i < size; i++) hash = (hash ^ p[i]) * UINT64_C(1099511628211);
    return hash;
}
#define CC_FNV_START UINT64_C(14695981039346656037)

// x 2^e by exact steps; no libm
static inline double cc_scale2(double x, int e)
{
    for (; e >= 30; e -= 30) x *= 1073741824.0;
    for (; e > 0; e--) x *= 2.0;
    for (; e <= -30; e += 30) x /= 1073741824.0;
    for (; e < 0; e++) x /= 2.0;
    return x;
}

// One IEEE operation at a time, whatever the compiler would like to contract.
static inline double cc_mul(double a, double b)
{
    volatile double x = a * b;
    return x;
}
static inline double cc_add(double a, double b)
{
    volatile double x = a + b;
    return x;
}
static inline double cc_div(double a, double b)
{
    volatile double x = a / b;
    return x;
}
static inline float cc_narrow(double a)
{
    volatile float x = (float)a;
    return x;
}

// ------------------------------------------------------------------------- bytes of the container

static inline uint64_t cc_get(const uint8_t *p, size_t size)
{
    uint64_t value = 0;
    for (size_t k = 0; k < size; k++) value |= (uint64_t)p[k] << (8 * k);
    return value;
}

static inline void cc_set(uint8_t *p, uint64_t value, size_t size)
{
    for (size_t k = 0; k < size; k++) p[k] = (uint8_t)(value >> (8 * k));
}

// The checksum of FORMAT.md: the sum over the 64-bit words w of mix(w ^ key), keys (seed + 1) K +
// i G, the last word filled up with zeros, plus mix(size ^ ~seed).
static inline uint64_t cc_mix(uint64_t x)
{
    x *= UINT64_C(0xbf58476d1ce4e5b9);
    x ^= x >> 32;
    x *= UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 29);
}

static inline uint64_t cc_checksum(const uint8_t *p, size_t size, uint64_t seed)
{
    uint64_t sum = cc_mix((uint64_t)size ^ ~seed);
    for (size_t i = 0; 8 * i < size; i++)
        sum += cc_mix(cc_get(p + 8 * i, size - 8 * i < 8 ? size - 8 * i : 8) ^
                      ((seed + 1) * UINT64_C(0xd1342543de82ef95) +
                       i * UINT64_C(0x9e3779b97f4a7c15)));
    return sum;
}

static inline void cc_repair_header(uint8_t *p, size_t size)
{
    const size_t header = (size_t)cc_get(p + 10, 2);
    if (header >= 40 && header <= size)
        cc_set(p + header - 8, cc_checksum(p, header - 8, 0x44414548), 8); // "HEAD"
}

// `index` is where it lies, whatever it says itself.
static inline void cc_repair_index(uint8_t *p, size_t size, size_t index)
{
    const uint64_t seed = 0x58444e49; // "INDX"
    cc_set(p + size - 16, cc_checksum(p + index, 24, seed) ^
                              cc_checksum(p + index + 24, size - index - 48, seed + 1) ^
                              cc_checksum(p + size - 24, 8, seed + 2), 8);
}

// --------------------------------------------------------------------------------- element types

#define CC_DTYPES 14
static const padic_dtype cc_dtypes[CC_DTYPES] = {
    PADIC_F64, PADIC_F32, PADIC_F16, PADIC_BF16, PADIC_I8,  PADIC_I16, PADIC_I32,
    PADIC_I64, PADIC_U8,  PADIC_U16, PADIC_U32,  PADIC_U64, PADIC_C64, PADIC_C128};

static inline size_t cc_size(padic_dtype dtype)
{
    static const uint8_t size[15] = {0, 8, 4, 2, 2, 1, 2, 4, 8, 1, 2, 4, 8, 8, 16};
    return (int)dtype > 0 && (int)dtype < 15 ? size[(int)dtype] : 0;
}
static inline size_t cc_components(padic_dtype dtype)
{
    return dtype == PADIC_C64 || dtype == PADIC_C128 ? 2u : 1u;
}
// What a component is: a complex64 is two f32.
static inline padic_dtype cc_base(padic_dtype dtype)
{
    return dtype == PADIC_C64 ? PADIC_F32 : dtype == PADIC_C128 ? PADIC_F64 : dtype;
}
static inline int cc_is_float(padic_dtype dtype)
{
    const padic_dtype b = cc_base(dtype);
    return b == PADIC_F64 || b == PADIC_F32 || b == PADIC_F16 || b == PADIC_BF16;
}
static inline int cc_is_signed(padic_dtype dtype)
{
    return dtype >= PADIC_I8 && dtype <= PADIC_I64;
}

static inline uint64_t cc_load_bits(size_t size, const void *data, size_t index)
{
    const uint8_t *p = (const uint8_t *)data + size * index;
    if (size == 1) return *p;
    if (size == 2) {
        uint16_t v;
        memcpy(&v, p, 2);
        return v;
    }
    if (size == 4) {
        uint32_t v;
        memcpy(&v, p, 4);
        return v;
    }
    uint64_t v;
    memcpy(&v, p, 8);
    return v;
}

static inline void cc_store_bits(size_t size, void *data, size_t index, uint64_t bits)
{
    uint8_t *p = (uint8_t *)data + size * index;
    const uint8_t b = (uint8_t)bits;
    const uint16_t h = (uint16_t)bits;
    const uint32_t w = (uint32_t)bits;
    if (size == 1) memcpy(p, &b, 1);
    if (size == 2) memcpy(p, &h, 2);
    if (size == 4) memcpy(p, &w, 4);
    if (size == 8) memcpy(p, &bits, 8);
}

typedef struct cc_format {
    int mantissa, exponent; // bits
} cc_format;

static inline cc_format cc_float_format(padic_dtype dtype)
{
    const padic_dtype b = cc_base(dtype);
    cc_format f = {52, 11};
    if (b == PADIC_F32) f.mantissa = 23, f.exponent = 8;
    if (b == PADIC_F16) f.mantissa = 10, f.exponent = 5;
    if (b == PADIC_BF16) f.mantissa = 7, f.exponent = 8;
    return f;
}

// A number as it is, (+-) m 2^e, or not finite.
typedef struct cc_exact {
    int finite, negative, e;
    uint64_t m, bits;
} cc_exact;

static inline cc_exact cc_load(padic_dtype dtype, const void *data, size_t component)
{
    const padic_dtype b = cc_base(dtype);
    const size_t size = cc_size(b);
    cc_exact x = {1, 0, 0, 0, 0};
    x.bits = cc_load_bits(size, data, component);
    if (!cc_is_float(b)) {
        const uint64_t top = UINT64_C(1) << (8 * size - 1);
        x.m = x.bits;
        if (cc_is_signed(b) && (x.bits & top)) {
            x.negative = 1;
            x.m =
                2 * (top - 1) + 2 - x.bits; // 2^w - bits, which wraps to the right value for w = 64
        }
        return x;
    }
    const cc_format f = cc_float_format(b);
    const uint64_t exponent = (x.bits >> f.mantissa) & ((UINT64_C(1) << f.exponent) - 1);
    const uint64_t mantissa = x.bits & ((UINT64_C(1) << f.mantissa) - 1);
    const int bias = (1 << (f.exponent - 1)) - 1;
    x.negative = (int)((x.bits >> (f.mantissa + f.exponent)) & 1);
    x.finite = exponent != (UINT64_C(1) << f.exponent) - 1;
    x.m = exponent ? mantissa | (UINT64_C(1) << f.mantissa) : mantissa;
    x.e = (exponent ? (int)exponent : 1) - bias - f.mantissa;
    return x;
}

static inline cc_exact cc_of_double(double x)
{
    return cc_load(PADIC_F64, &x, 0);
}

static inline double cc_to_double(cc_exact x)
{
    const double m = cc_scale2((double)x.m, x.e);
    return x.negative ? -m : m;
}

// The bits of a double that a smaller float holds, by the definition of the formats alone; NaNs
// keep their payload at the top of the mantissa.
static inline uint64_t cc_widen_bits(padic_dtype from, uint64_t bits, padic_dtype to)
{
    const cc_format f = cc_float_format(from), g = cc_float_format(to);
    const int fb = (1 << (f.exponent - 1)) - 1, gb = (1 << (g.exponent - 1)) - 1;
    const uint64_t sign = (bits >> (f.mantissa + f.exponent)) & 1;
    uint64_t exponent = (bits >> f.mantissa) & ((UINT64_C(1) << f.exponent) - 1);
    uint64_t mantissa = bits & ((UINT64_C(1) << f.mantissa) - 1);
    uint64_t out;
    if (exponent == (UINT64_C(1) << f.exponent) - 1) {
        out = (UINT64_C(1) << g.exponent) - 1;
    } else if (exponent) {
        out = exponent + (uint64_t)(gb - fb);
    } else if (mantissa && gb != fb) { // a subnormal that becomes normal
        int shift = 0;
        while (!(mantissa >> f.mantissa)) mantissa <<= 1, shift++;
        mantissa &= (UINT64_C(1) << f.mantissa) - 1;
        out = (uint64_t)(1 - shift + gb - fb);
    } else {
        out = 0; // zero, or bf16 to f32 where subnormals stay subnormal
    }
    return (sign << (g.mantissa + g.exponent)) | (out << g.mantissa) |
           (mantissa << (g.mantissa - f.mantissa));
}

// ------------------------------------------------------------------------------ exact comparisons

// A fixed-point number wide enough for the product of any two doubles: word i counts
// 2^(32 i - 2176), two's complement.
#define CC_WORDS 138
#define CC_POINT 2176
typedef struct cc_big {
    uint32_t w[CC_WORDS];
} cc_big;

// sum += (negative ? -1 : 1) a b 2^e
static inline void cc_big_add(cc_big *sum, int negative, uint64_t a, uint64_t b, int e)
{
    const uint64_t al = a & 0xffffffffu, ah = a >> 32, bl = b & 0xffffffffu, bh = b >> 32;
    uint32_t p[6] = {0, 0, 0, 0, 0, 0};
    uint64_t t = al * bl;
    p[0] = (uint32_t)t;
    t = (t >> 32) + ah * bl;
    uint64_t u = (t & 0xffffffffu) + al * bh;
    p[1] = (uint32_t)u;
    t = (t >> 32) + (u >> 32) + ah * bh;
    p[2] = (uint32_t)t;
    p[3] = (uint32_t)(t >> 32);
    const int at = e + CC_POINT, word = at / 32, bit = at % 32;
    if (bit) {
        for (int i = 4; i > 0; i--) {
            p[i] = (uint32_t)((((uint64_t)p[i] << 32) | p[i - 1]) >> (32 - bit));
        }
        p[0] <<= bit;
    }
    uint64_t carry = 0;
    for (int i = word; i < CC_WORDS; i++) {
        const uint64_t d = i - word < 5 ? p[i - word] : 0;
        if (negative) {
            const uint64_t s = (uint64_t)sum->w[i] - d - carry;
            sum->w[i] = (uint32_t)s;
            carry = (s >> 32) & 1;
        } else {
            const uint64_t s = (uint64_t)sum->w[i] + d + carry;
            sum->w[i] = (uint32_t)s;
            carry = s >> 32;
        }
        if (i - word >= 5 && !carry) break;
    }
}

static inline int cc_big_negative(const cc_big *x)
{
    return (int)(x->w[CC_WORDS - 1] >> 31);
}

// Is |x - y| <= bound (hi - lo)? Exactly, for finite numbers, bound >= 0 and hi >= lo.
static inline int cc_within(cc_exact x, cc_exact y, cc_exact tolerance, cc_exact hi, cc_exact lo)
{
    // Far from the edge doubles decide; the margin covers their rounding many times over.
    if (!(x.m >> 53) && !(y.m >> 53) && !(hi.m >> 53) && !(lo.m >> 53)) {
        double d = cc_to_double(x) - cc_to_double(y);
        const double b = cc_to_double(tolerance) * (cc_to_double(hi) - cc_to_double(lo));
        if (d < 0) d = -d;
        if (b < 1e300 && b > 1e-280 && d <= b * 0.999999) return 1;
    }
    cc_big difference;
    memset(&difference, 0, sizeof difference);
    cc_big_add(&difference, x.negative, x.m, 1, x.e);
    cc_big_add(&difference, !y.negative, y.m, 1, y.e);
    const int flip = cc_big_negative(&difference); // subtract |x - y|
    cc_big room;
    memset(&room, 0, sizeof room);
    cc_big_add(&room, hi.negative, hi.m, tolerance.m, hi.e + tolerance.e);
    cc_big_add(&room, !lo.negative, lo.m, tolerance.m, lo.e + tolerance.e);
    cc_big_add(&room, flip ? x.negative : !x.negative, x.m, 1, x.e);
    cc_big_add(&room, flip ? !y.negative : y.negative, y.m, 1, y.e);
    return !cc_big_negative(&room);
}

// x < y, exactly
static inline int cc_less(cc_exact x, cc_exact y)
{
    cc_big d;
    memset(&d, 0, sizeof d);
    cc_big_add(&d, x.negative, x.m, 1, x.e);
    cc_big_add(&d, !y.negative, y.m, 1, y.e);
    return cc_big_negative(&d);
}

// ----------------------------------------------------------------------------------------- arrays

typedef enum cc_kind {
    CC_BITS,      // any bits at all, NaNs of every kind among them
    CC_ZERO,      // nothing
    CC_CONSTANT,  // one value
    CC_RAMP,      // 0, 1, 2, ...
    CC_SMOOTH,    // a surface, rows of `width`
    CC_NOISE,     // small integers around zero
    CC_SPARSE,    // mostly zero
    CC_RUNS,      // long runs of a few values
    CC_REPEAT,    // a record of random bits again and again
    CC_TWO,       // two values
    CC_SKEW,      // small values are frequent, large ones rare
    CC_DECIMAL,   // n / 1000
    CC_BINARY,    // n / 128
    CC_AFFINE,    // o + g n
    CC_VALUATION, // u 2^v
    CC_PRIME,     // few digits in base 257
    CC_RECORDS,   // three interleaved walks
    CC_WALK,      // a random walk
    CC_WEIGHTS,   // like trained weights: random mantissas, few exponents
    CC_CLASSES,   // zeros, infinities, NaNs, largest, smallest
    CC_OUTLIERS,  // small values and a rare huge one
    CC_MIRROR,    // 150 values again and again, but for the sign and now and then the last byte
    CC_SINGLE,    // n / 1000 rounded to f32, whatever the dtype
    CC_KINDS
} cc_kind;

static const char *const cc_kind_names[CC_KINDS] = {
    "bits",    "zero", "constant", "ramp",    "smooth",   "noise",  "sparse",    "runs",
    "repeat",  "two",  "skew",     "decimal", "binary",   "affine", "valuation", "prime",
    "records", "walk", "weights",  "classes", "outliers", "mirror", "single"};

// The float that truncation of x gives (f16, bf16) or the nearest one (f32, f64).
static inline uint64_t cc_float_bits(padic_dtype dtype, double x)
{
    const padic_dtype b = cc_base(dtype);
    const float narrow = cc_narrow(x);
    if (b == PADIC_F64) return cc_load_bits(8, &x, 0);
    const uint64_t bits = cc_load_bits(4, &narrow, 0);
    if (b == PADIC_F32) return bits;
    if (b == PADIC_BF16) return bits >> 16;
    const uint64_t sign = bits >> 31, exponent = (bits >> 23) & 255;
    const uint64_t mantissa = (bits & 0x7fffff) | 0x800000;
    uint64_t out = 0;
    if (exponent == 255)
        out = 0x7c00 | ((bits & 0x7fffff) ? 0x200 : 0);
    else if (exponent > 142)
        out = 0x7bff;
    else if (exponent >= 113)
        out = ((exponent - 112) << 10) | ((bits & 0x7fffff) >> 13);
    else if (exponent >= 102)
        out = mantissa >> (126 - exponent);
    return (sign << 15) | out;
}

static inline void cc_put(padic_dtype dtype, void *data, size_t component, double x)
{
    cc_store_bits(cc_size(cc_base(dtype)), data, component, cc_float_bits(dtype, x));
}

// Number i of the boundary classes; they repeat with both signs.
static inline uint64_t cc_class_bits(padic_dtype dtype, uint64_t i)
{
    const padic_dtype b = cc_base(dtype);
    const int w = 8 * (int)cc_size(b);
    const uint64_t mask = w == 64 ? UINT64_MAX : (UINT64_C(1) << w) - 1;
    const uint64_t top = UINT64_C(1) << (w - 1);
    if (!cc_is_float(b)) {
        const uint64_t list[12] = {0,        1,          mask,     top,          top - 1,
                                   top + 1,  mask - 1,   mask / 3, mask / 3 * 2, mask >> (w / 2),
                                   top >> 1, mask & 0x5a};
        return list[i % 12];
    }
    const cc_format f = cc_float_format(b);
    const uint64_t one = UINT64_C(1) << f.mantissa, inf = ((UINT64_C(1) << f.exponent) - 1) * one;
    const uint64_t unit = ((UINT64_C(1) << (f.exponent - 1)) - 1) * one;
    const uint64_t list[18] = {0,
                               1,
                               2,
                               one / 2,
                               one - 1,
                               one,
                               one + 1,
                               unit - 1,
                               unit,
                               unit + 1,
                               inf - one,
                               inf - 1,
                               inf,
                               inf | 1,
                               inf | (one / 2),
                               inf | (one - 1),
                               inf | (one / 2 - 1),
                               inf | (one / 2 + 1)};
    return list[(i / 2) % 18] | ((i & 1) ? top : 0);
}

static inline int64_t cc_triangle(int64_t i, int64_t period)
{
    const int64_t t = i % (2 * period);
    return t < period ? t : 2 * period - t;
}

// The integer behind element i of kinds that have one; `walk` carries sums from call to call.
static inline int64_t cc_value(cc_kind kind, size_t i, size_t width, int64_t *walk, cc_random *r)
{
    const int64_t x = (int64_t)(i % width), y = (int64_t)(i / width);
    switch (kind) {
    case CC_CONSTANT:
        return 77;
    case CC_RAMP:
        return (int64_t)i;
    case CC_SMOOTH:
        return cc_triangle(x * 3, 41) + cc_triangle(y * 2, 37) + (int64_t)cc_below(r, 2);
    case CC_NOISE:
        return (int64_t)cc_below(r, 31) - 15;
    case CC_SPARSE:
        return cc_below(r, 20) ? 0 : (int64_t)cc_below(r, 100);
    case CC_RUNS:
        if (!cc_below(r, 50)) *walk = (int64_t)cc_below(r, 4) * 13;
        return *walk;
    case CC_TWO:
        return cc_below(r, 4) ? 3 : 90;
    case CC_SKEW: {
        int64_t v = 0;
        while (v < 40 && cc_below(r, 3)) v++;
        return v;
    }
    case CC_DECIMAL:
    case CC_SINGLE:
    case CC_BINARY:
    case CC_AFFINE:
    case CC_WALK:
        return *walk += (int64_t)cc_below(r, 13) - 6;
    case CC_VALUATION: {
        const uint64_t odd = cc_below(r, 8) * 2 + 1; // in this order: an operator has none
        return (int64_t)(odd << cc_below(r, 9));
    }
    case CC_PRIME: {
        const uint64_t low = cc_below(r, 5), middle = cc_below(r, 3);
        return (int64_t)(low + 257 * (middle + 257 * cc_below(r, 2)));
    }
    case CC_RECORDS: {
        int64_t *w = walk + i % 3;
        return *w += (int64_t)cc_below(r, 5) - 2 + (int64_t)(i % 3);
    }
    case CC_OUTLIERS:
        return cc_below(r, 300) ? (int64_t)cc_below(r, 9) : (int64_t)(cc_next(r) >> 20);
    default:
        return 0;
    }
}

// Fills `count` elements (two components each when complex) in C order; `width` is the length of a
// row for the kinds that have rows.
static inline void cc_fill(cc_kind kind, padic_dtype dtype, void *data, size_t count, size_t width,
                           uint64_t seed)
{
    const padic_dtype base = cc_base(dtype);
    const size_t size = cc_size(base), n = count * cc_components(dtype);
    cc_random r = {seed * UINT64_C(0x9e3779b97f4a7c15) + (uint64_t)kind};
    int64_t walk[3] = {1000, 2000, 300};
    uint64_t record[37];
    if (base == PADIC_I8 || base == PADIC_U8) walk[0] = 60, walk[1] = 40, walk[2] = 0;
    for (int i = 0; i < 37; i++) record[i] = cc_next(&r);
    if (!width) width = n ? n : 1;
    for (size_t i = 0; i < n; i++) {
        if (kind == CC_BITS || kind == CC_REPEAT || kind == CC_CLASSES) {
            cc_store_bits(size, data, i,
                          kind == CC_BITS     ? cc_next(&r)
                          : kind == CC_REPEAT ? record[i % 37]
                                              : cc_class_bits(dtype, cc_next(&r)));
            continue;
        }
        if (kind == CC_MIRROR) {
            cc_random q = {seed + i % 150};
            const double u = cc_scale2((double)(int64_t)(cc_next(&q) >> 11), -53);
            uint64_t bits = cc_is_float(base) ? cc_float_bits(dtype, 1 + u) : cc_next(&q);
            if (cc_is_float(base) && cc_below(&r, 2)) bits |= UINT64_C(1) << (8 * size - 1);
            if (i / 150 % 3 == 2) bits ^= cc_below(&r, 256);
            cc_store_bits(size, data, i, bits);
            continue;
        }
        if (kind == CC_WEIGHTS) {
            const double v = (double)(int64_t)(cc_next(&r) >> 11);
            const double u = v - (double)(int64_t)(cc_next(&r) >> 11);
            if (cc_is_float(base))
                cc_put(dtype, data, i, cc_scale2(u, -57));
            else
                cc_store_bits(size, data, i, cc_below(&r, 50) + cc_below(&r, 50));
            continue;
        }
        const int64_t v = cc_value(kind, i, width, walk, &r);
        if (!cc_is_float(base)) {
            const uint64_t scale = kind == CC_DECIMAL  ? 1000
                                   : kind == CC_BINARY ? 128
                                   : kind == CC_AFFINE ? 12
                                                       : 1;
            cc_store_bits(size, data, i, (uint64_t)v * scale + (kind == CC_AFFINE ? 5 : 0));
        } else if (kind == CC_DECIMAL) {
            cc_put(dtype, data, i, cc_div((double)v, 1000.0));
        } else if (kind == CC_SINGLE) {
            cc_put(dtype, data, i, (double)cc_narrow(cc_div((double)v, 1000.0)));
        } else if (kind == CC_BINARY) {
            cc_put(dtype, data, i, cc_scale2((double)v, -7));
        } else if (kind == CC_AFFINE) {
            const double x = cc_add(cc_mul((double)v, 0.0173), 251.31);
            cc_put(dtype, data, i, x);
        } else if (kind == CC_SMOOTH) {
            cc_put(dtype, data, i, cc_div((double)(v * v), 7.0));
        } else {
            cc_put(dtype, data, i, (double)v);
        }
    }
}

// The number of elements of a shape; 1 for rank 0.
static inline size_t cc_count(uint32_t rank, const uint64_t *shape)
{
    size_t n = 1;
    for (uint32_t a = 0; a < rank; a++) n *= (size_t)shape[a];
    return n;
}

static inline padic_tensor cc_tensor(padic_dtype dtype, void *data, uint32_t rank,
                                     const uint64_t *shape)
{
    padic_tensor t;
    memset(&t, 0, sizeof t);
    t.data = data;
    t.dtype = dtype;
    t.rank = rank;
    for (uint32_t a = 0; a < rank; a++) t.shape[a] = shape[a];
    return t;
}

static inline padic_codec_pack_desc cc_desc(padic_dtype dtype, void *data, uint32_t rank,
                                       const uint64_t *shape)
{
    padic_codec_pack_desc d;
    memset(&d, 0, sizeof d);
    d.tensor = cc_tensor(dtype, data, rank, shape);
    return d;
}

static inline padic_codec_pack_desc cc_desc_1d(padic_dtype dtype, void *data, uint64_t n)
{
    return cc_desc(dtype, data, 1, &n);
}

// Hash of the numbers, not of their bytes in memory, so that big-endian machines agree.
static inline uint64_t cc_hash_elements(padic_dtype dtype, const void *data, size_t count)
{
    const size_t size = cc_size(cc_base(dtype)), n = count * cc_components(dtype);
    uint64_t hash = CC_FNV_START;
    for (size_t i = 0; i < n; i++) {
        uint64_t bits = cc_load_bits(size, data, i);
        for (size_t b = 0; b < size; b++, bits >>= 8) {
            const uint8_t byte = (uint8_t)bits;
            hash = cc_fnv(hash, &byte, 1);
        }
    }
    return hash;
}

// malloc that never gives NULL for 0 bytes and ends the program when there is none
static inline void *cc_new(size_t size)
{
    void *p = malloc(size ? size : 1);
    if (!p) {
        printf("\nno memory for %lu bytes\n", (unsigned long)size);
        exit(1);
    }
    return p;
}

static inline void *cc_copy(const void *data, size_t size)
{
    void *p = cc_new(size);
    if (size) memcpy(p, data, size);
    return p;
}

// -------------------------------------------------------------------------------------- allocator

// Counts blocks and bytes, fails the call number `fail_at` (from 1) or every call (`fail_all`), and
// looks for writes beside the blocks and for a free() that is told another size.
typedef struct cc_memory {
    uint64_t calls, fail_at, live, bytes, peak, errors;
    int fail_all;
} cc_memory;

typedef struct cc_block {
    void *base;
    size_t size;
    uint64_t mark;
} cc_block;
#define CC_MARK UINT64_C(0xC0DEC0DEA110CA7E)

static inline void *cc_alloc(size_t size, size_t align, void *user)
{
    cc_memory *m = (cc_memory *)user;
    m->calls++;
    if (m->fail_all || m->calls == m->fail_at) return NULL;
    if (!align || (align & (align - 1))) m->errors++;
    if (align < sizeof(void *)) align = sizeof(void *);
    if (size > SIZE_MAX / 4) return NULL;
    uint8_t *base = (uint8_t *)malloc(size + align + sizeof(cc_block) + 16);
    if (!base) return NULL;
    uintptr_t at = ((uintptr_t)base + sizeof(cc_block) + align - 1) & ~(uintptr_t)(align - 1);
    uint8_t *p = base + (at - (uintptr_t)base);
    cc_block block;
    block.base = base;
    block.size = size;
    block.mark = CC_MARK;
    memcpy(p - sizeof block, &block, sizeof block);
    memset(p, 0xC7, size); // nobody may count on zeros
    memset(p + size, 0xE3, 16);
    m->live++;
    m->bytes += size;
    if (m->bytes > m->peak) m->peak = m->bytes;
    return p;
}

static inline void cc_free(void *pointer, size_t size, void *user)
{
    cc_memory *m = (cc_memory *)user;
    if (!pointer) return;
    uint8_t *p = (uint8_t *)pointer;
    cc_block block;
    memcpy(&block, p - sizeof block, sizeof block);
    if (block.mark != CC_MARK || block.size != size) {
        m->errors++;
        return;
    }
    for (int i = 0; i < 16; i++) m->errors += p[size + (size_t)i] != 0xE3;
    m->live--;
    m->bytes -= size;
    memset(p - sizeof block, 0, sizeof block);
    free(block.base);
}

static inline padic_allocator cc_allocator(cc_memory *memory)
{
    padic_allocator a;
    a.alloc = cc_alloc;
    a.free = cc_free;
    a.user = memory;
    return a;
}

// ------------------------------------------------------------------------------------ round trips

// What is being tested, printed when a check below fails.
static char cc_label[256];

static inline void cc_failed(const char *file, int line, const char *what)
{
    test_failed(file, line, what);
    if (test_failures <= 5) printf(" [%s]", cc_label);
}
#define CC_CHECK(x) ((x) ? (void)0 : cc_failed(__FILE__, __LINE__, #x))

typedef struct cc_packed {
    uint8_t *bytes; // a heap block of exactly `size` bytes
    size_t size;
    padic_result result;
} cc_packed;

static inline cc_packed cc_pack(padic_context *context, const padic_codec_pack_desc *desc)
{
    cc_packed p = {NULL, 0, PADIC_OK};
    const size_t room = padic_codec_size_bound(desc);
    uint8_t *bytes = (uint8_t *)cc_new(room);
    p.result = codec_pack(context, desc, bytes, room, &p.size);
    if (p.result == PADIC_OK) {
        CC_CHECK(room > 0 && p.size <= room);
        p.bytes = (uint8_t *)cc_copy(bytes, p.size);
    }
    free(bytes);
    return p;
}

// Copies a strided array to a dense one, by the definition of the strides.
static inline void *cc_dense(const padic_tensor *t, size_t *bytes)
{
    const size_t size = cc_size(t->dtype), n = cc_count(t->rank, t->shape);
    uint8_t *out = (uint8_t *)cc_new(n * size);
    int64_t stride[PADIC_MAX_RANK];
    int dense = 1;
    for (uint32_t a = 0; a < t->rank; a++) dense &= t->stride[a] == 0;
    int64_t step = 1;
    for (uint32_t a = t->rank; a-- > 0;) {
        stride[a] = dense ? step : t->stride[a];
        step *= (int64_t)t->shape[a];
    }
    for (size_t i = 0; i < n; i++) {
        size_t rest = i;
        int64_t at = 0;
        for (uint32_t a = t->rank; a-- > 0;) {
            at += (int64_t)(rest % (size_t)t->shape[a]) * stride[a];
            rest /= (size_t)t->shape[a];
        }
        memcpy(out + i * size, (const uint8_t *)t->data + (size_t)at * size, size);
    }
    *bytes = n * size;
    return out;
}

// Packs, looks at the report, decodes into a block of exactly the right size that held the
// complement of the data, compares every byte. Returns the packed size, 0 after a failure.
static inline size_t cc_round_trip(padic_context *context, const padic_codec_pack_desc *desc,
                                   padic_codec_report *report)
{
    padic_codec_report r;
    const int failures = test_failures;
    size_t bytes = 0;
    uint8_t *want = (uint8_t *)cc_dense(&desc->tensor, &bytes);
    cc_packed p = cc_pack(context, desc);
    CC_CHECK(p.result == PADIC_OK);
    if (p.result != PADIC_OK) {
        if (test_failures <= 5) printf(" (pack: %d)", (int)p.result);
        free(want);
        return 0;
    }
    memset(&r, 0xA5, sizeof r);
    CC_CHECK(codec_info(p.bytes, p.size, &r) == PADIC_OK);
    CC_CHECK(r.dtype == desc->tensor.dtype && r.rank == desc->tensor.rank);
    for (uint32_t a = 0; a < desc->tensor.rank; a++) CC_CHECK(r.shape[a] == desc->tensor.shape[a]);
    CC_CHECK(r.raw_size == bytes && r.packed_size == p.size);
    CC_CHECK(r.wire_version == PADIC_CODEC_WIRE_VERSION);
    // Each block has one form, and at most one choice of each other stage; every byte is of a kind.
    uint64_t stages[4] = {0, 0, 0, 0}, kinds = 0;
    for (int c = 0; c < 8; c++) {
        stages[0] += r.transforms[c];
        stages[1] += r.predictors[c];
        stages[2] += r.patterns[c];
        stages[3] += r.representations[c];
        kinds += r.bytes[c];
    }
    CC_CHECK(stages[0] == r.blocks && kinds == p.size);
    for (int s = 1; s < 4; s++) CC_CHECK(stages[s] <= r.blocks);
    CC_CHECK(codec_verify(context, NULL, p.bytes, p.size) == PADIC_OK);
    uint8_t *again = (uint8_t *)cc_new(bytes);
    for (size_t i = 0; i < bytes; i++) again[i] = (uint8_t)~want[i];
    padic_codec_unpack_desc u;
    memset(&u, 0, sizeof u);
    u.tensor = cc_tensor(desc->tensor.dtype, again, desc->tensor.rank, desc->tensor.shape);
    uint64_t bad = 7;
    u.report = CODEC_BAD_BLOCK(&bad);
    const padic_result unpacked = codec_unpack(context, &u, p.bytes, p.size);
    CC_CHECK(unpacked == PADIC_OK);
    CC_CHECK(bad == UINT64_MAX);
    CC_CHECK(memcmp(want, again, bytes) == 0);
    free(again);
    free(want);
    free(p.bytes);
    if (report) *report = r;
    return test_failures == failures ? p.size : 0;
}

#endif // PADIC_CODEC_CASES_H
