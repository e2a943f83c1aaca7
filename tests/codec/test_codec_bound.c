// test_codec_bound.c: no value ever leaves its bound. Every error is compared in exact arithmetic
// (codec_cases.h), over normal, adversarial, huge and tiny arrays of every dtype, in every mode.
//
//     cc -O2 tests/codec/test_codec_bound.c -o t -lm -lpthread && ./t
#define PADIC_IMPLEMENTATION
#include "../../padic.h"
#include "../support/codec_calls.h"
#include "../support/padic_test.h"
#include "codec_cases.h"
#include <float.h>
#include <math.h>

// Smallest and largest finite component; 0 if there is none.
static int finite_range(padic_dtype dtype, const void *data, size_t components, cc_exact *lo,
                        cc_exact *hi)
{
    int any = 0;
    for (size_t i = 0; i < components; i++) {
        const cc_exact x = cc_load(dtype, data, i);
        if (!x.finite) continue;
        if (!any || cc_less(x, *lo)) *lo = x;
        if (!any || cc_less(*hi, x)) *hi = x;
        any = 1;
    }
    return any;
}

// Every component of `got` against `want`: inside the bound when finite, the same bits when not.
static void check_bound(const padic_codec_pack_desc *desc, const void *want, const void *got,
                        size_t count)
{
    const padic_dtype dtype = desc->tensor.dtype;
    const size_t n = count * cc_components(dtype);
    const cc_exact one = cc_of_double(1.0), zero = cc_of_double(0.0);
    cc_exact tolerance = cc_of_double(desc->tolerance), lo = zero, hi = one;
    if (desc->tolerance_mode == PADIC_CODEC_TOLERANCE_RANGE) {
        if (desc->range > 0)
            lo = zero, hi = cc_of_double(desc->range);
        else if (!finite_range(dtype, want, n, &lo, &hi))
            lo = zero, hi = zero;
    }
    for (size_t i = 0; i < n; i++) {
        const cc_exact x = cc_load(dtype, want, i), y = cc_load(dtype, got, i);
        if (!x.finite) {
            CC_CHECK(x.bits == y.bits);
            continue;
        }
        if (i % 2 && cc_components(dtype) == 2 &&
            desc->tolerance_mode != PADIC_CODEC_TOLERANCE_POINTWISE) {
            // The bound is that of the complex number: |z - z'|, here only to 12 digits.
            const double b = desc->tolerance * (cc_to_double(hi) - cc_to_double(lo));
            const cc_exact u = cc_load(dtype, want, i - 1), v = cc_load(dtype, got, i - 1);
            const double dx = u.finite ? cc_to_double(u) - cc_to_double(v) : 0.0;
            const double dy = cc_to_double(x) - cc_to_double(y);
            if (b > 1e-140 && b < 1e140) CC_CHECK(dx * dx + dy * dy <= b * b * 1.000000000001);
        }
        if (desc->tolerance_mode == PADIC_CODEC_TOLERANCE_POINTWISE) hi = x, hi.negative = 0;
        const int ok = y.finite && cc_within(x, y, tolerance, hi, lo);
        CC_CHECK(ok);
        if (!ok && test_failures <= 5) {
            printf(" (component %lu: %.17g became %.17g)", (unsigned long)i, cc_to_double(x),
                   y.finite ? cc_to_double(y) : 0.0);
        }
    }
}

// Packs within the bound, decodes, checks every value; decodes once more into f64 where the dtype
// widens, which must be the same numbers. Returns the packed size.
static size_t bounded_case(const padic_codec_pack_desc *desc)
{
    const padic_dtype dtype = desc->tensor.dtype;
    const size_t n = cc_count(desc->tensor.rank, desc->tensor.shape), bytes = n * cc_size(dtype);
    cc_packed p = cc_pack(NULL, desc);
    CC_CHECK(p.result == PADIC_OK);
    if (p.result != PADIC_OK) return 0;
    padic_codec_report r;
    CC_CHECK(codec_info(p.bytes, p.size, &r) == PADIC_OK);
    CC_CHECK(r.tolerance_mode == desc->tolerance_mode && r.tolerance == desc->tolerance);
    // The parts of a complex number share its bound.
    if (desc->tolerance_mode == PADIC_CODEC_TOLERANCE_ABSOLUTE && cc_components(dtype) == 1)
        CC_CHECK(r.error_bound == desc->tolerance);
    if (desc->tolerance_mode == PADIC_CODEC_TOLERANCE_ABSOLUTE)
        CC_CHECK(r.error_bound <= desc->tolerance && r.error_bound >= desc->tolerance / 2);
    uint8_t *out = (uint8_t *)cc_new(bytes);
    for (size_t i = 0; i < bytes; i++) out[i] = (uint8_t) ~((const uint8_t *)desc->tensor.data)[i];
    padic_codec_unpack_desc u;
    memset(&u, 0, sizeof u);
    u.tensor = cc_tensor(dtype, out, desc->tensor.rank, desc->tensor.shape);
    CC_CHECK(codec_unpack(NULL, &u, p.bytes, p.size) == PADIC_OK);
    check_bound(desc, desc->tensor.data, out, n);
    if (dtype == PADIC_F32 || dtype == PADIC_F16 || dtype == PADIC_BF16) {
        double *wide = (double *)cc_new(n * 8);
        u.tensor.dtype = PADIC_F64;
        u.tensor.data = wide;
        CC_CHECK(codec_unpack(NULL, &u, p.bytes, p.size) == PADIC_OK);
        for (size_t i = 0; i < n; i++) {
            const cc_exact x = cc_load(dtype, out, i);
            if (x.finite)
                CC_CHECK(cc_widen_bits(dtype, x.bits, PADIC_F64) == cc_load_bits(8, wide, i));
        }
        free(wide);
    }
    CC_CHECK(codec_verify(NULL, NULL, p.bytes, p.size) == PADIC_OK);
    const size_t size = p.size;
    free(out);
    free(p.bytes);
    return size;
}

// ------------------------------------------------------------------------------------------ arrays

enum {
    ADV_SMOOTH,     // a surface
    ADV_UNIFORM,    // uniform in [-1, 1)
    ADV_HALF_STEPS, // odd multiples of the bound and their neighbours
    ADV_EXTREME,    // +- the largest finite values
    ADV_EXPONENTS,  // every exponent there is
    ADV_OFFSET,     // huge offset, tiny range
    ADV_SUBNORMAL,  // nothing but subnormals
    ADV_MIXED,      // NaN and infinities among ordinary values
    ADV_CLASSES,    // boundary classes
    ADV_CONSTANT,   // range 0
    ADV_NAN,        // nothing finite
    ADV_DECIMAL,    // on a lattice of thousandths
    ADV_JUMP,       // 0 and one huge value in turn
    ADV_EDGE,       // a range of 1 / bound - 1 steps far from 0: no error of a step is allowed
    ADV_COUNT
};

static double unit(cc_random *r)
{
    return (double)(int64_t)(cc_next(r) >> 11) / 4503599627370496.0 - 1.0;
}

static void fill_adversarial(int kind, padic_dtype dtype, void *data, size_t count,
                             double tolerance, uint64_t seed)
{
    const padic_dtype base = cc_base(dtype);
    const size_t size = cc_size(base), n = count * cc_components(dtype);
    const int w = 8 * (int)size;
    const uint64_t mask = w == 64 ? UINT64_MAX : (UINT64_C(1) << w) - 1;
    cc_random r = {seed * 1000 + (uint64_t)kind};
    const cc_format f = cc_float_format(dtype);
    const uint64_t inf = ((UINT64_C(1) << f.exponent) - 1) << f.mantissa;
    const uint64_t sign = UINT64_C(1) << (w - 1);
    for (size_t i = 0; i < n; i++) {
        if (!cc_is_float(base)) {
            uint64_t v = 0;
            const uint64_t step =
                tolerance >= 1 && tolerance < 1e18 ? 2 * (uint64_t)tolerance + 1 : 3;
            switch (kind) {
            case ADV_SMOOTH:
                v = (uint64_t)(cc_triangle((int64_t)i, 60) + cc_triangle((int64_t)i / 50, 40));
                break;
            case ADV_HALF_STEPS:
                v = cc_below(&r, 40) * step + step / 2 + cc_below(&r, 3) - 1;
                break;
            case ADV_EXTREME:
                v = (i & 1 ? mask >> 1 : sign) + cc_below(&r, 5) - 2;
                break;
            case ADV_EXPONENTS:
                v = cc_next(&r) >> cc_below(&r, 64);
                break;
            case ADV_OFFSET:
                v = (mask >> 1) - 20 + cc_below(&r, 20);
                break;
            case ADV_MIXED:
                v = cc_below(&r, 10) ? cc_below(&r, 100) : cc_next(&r);
                break;
            case ADV_CLASSES:
                v = cc_class_bits(dtype, cc_next(&r));
                break;
            case ADV_CONSTANT:
                v = 99;
                break;
            case ADV_NAN:
                v = mask - cc_below(&r, 10);
                break;
            case ADV_DECIMAL:
                v = 100 * cc_below(&r, 50);
                break;
            case ADV_EDGE: {
                const uint64_t steps = (uint64_t)(1 / tolerance + 0.5) - 1;
                const uint64_t range = steps < mask / 4 ? steps : mask / 4;
                const uint64_t pick = i < 2 ? i * range : cc_next(&r) % (range + 1);
                v = (cc_is_signed(base) ? mask >> 1 : mask) - pick;
                break;
            }
            case ADV_JUMP:
                v = i & 1 ? mask : 0;
                break;
            default:
                v = cc_next(&r);
                break;
            }
            cc_store_bits(size, data, i, v);
            continue;
        }
        switch (kind) {
        case ADV_SMOOTH:
            cc_put(dtype, data, i,
                   cc_div((double)(cc_triangle((int64_t)i, 60) * cc_triangle((int64_t)i / 50, 40)),
                          700.0));
            break;
        case ADV_HALF_STEPS: {
            cc_put(dtype, data, i, (double)(2 * (int64_t)cc_below(&r, 400) - 399) * tolerance);
            const uint64_t bits = cc_load_bits(size, data, i), move = cc_below(&r, 3);
            if ((bits & ~sign) > 2) cc_store_bits(size, data, i, bits + move - 1);
            break;
        }
        case ADV_EXTREME:
            cc_store_bits(size, data, i,
                          (inf - 1 - cc_below(&r, 3)) | (cc_below(&r, 2) ? sign : 0));
            break;
        case ADV_EXPONENTS: {
            const uint64_t bits = cc_next(&r) & mask;
            cc_store_bits(size, data, i,
                          (bits & inf) == inf ? bits ^ (UINT64_C(1) << f.mantissa) : bits);
            break;
        }
        case ADV_OFFSET: {
            const uint64_t large = inf / 4 * 3; // a normal number with a large exponent
            cc_store_bits(size, data, i,
                          (large & ~((UINT64_C(1) << f.mantissa) - 1)) + cc_below(&r, 16));
            break;
        }
        case ADV_SUBNORMAL:
            cc_store_bits(size, data, i,
                          (cc_next(&r) & ((UINT64_C(1) << f.mantissa) - 1)) |
                              (cc_below(&r, 2) ? sign : 0));
            break;
        case ADV_MIXED: {
            const uint64_t pick = cc_below(&r, 12);
            if (pick == 0)
                cc_store_bits(size, data, i, inf | (cc_below(&r, 2) ? sign : 0));
            else if (pick == 1)
                cc_store_bits(size, data, i,
                              inf | 1 | (cc_next(&r) & (sign | ((UINT64_C(1) << f.mantissa) - 1))));
            else
                cc_put(dtype, data, i, 100 * unit(&r));
            break;
        }
        case ADV_CLASSES:
            cc_store_bits(size, data, i, cc_class_bits(dtype, cc_next(&r)));
            break;
        case ADV_CONSTANT:
            cc_put(dtype, data, i, 0.7);
            break;
        case ADV_NAN:
            cc_store_bits(size, data, i,
                          inf | 1 | (cc_next(&r) & (sign | ((UINT64_C(1) << f.mantissa) - 1))));
            break;
        case ADV_DECIMAL:
            cc_put(dtype, data, i, cc_div((double)(int64_t)cc_below(&r, 3000), 1000.0));
            break;
        case ADV_EDGE: {
            const uint64_t steps = (uint64_t)(1 / tolerance + 0.5) - 1;
            const uint64_t most = (UINT64_C(1) << f.mantissa) - 1, large = inf / 4 * 3 & ~most;
            const uint64_t range = steps < most ? steps : most;
            const uint64_t pick = i < 2 ? i * range : cc_next(&r) % (range + 1);
            cc_store_bits(size, data, i, large + pick);
            break;
        }
        case ADV_JUMP:
            cc_store_bits(size, data, i, i & 1 ? inf - 1 : 0);
            break;
        default:
            cc_put(dtype, data, i, unit(&r));
            break;
        }
    }
}

// ------------------------------------------------------------------------------------------- tests

// All kinds of arrays of all dtypes, bounds of 1e-1 to 1e-12 of the range, three modes.
TEST(adversarial)
{
    const size_t n = test_tiny ? 300 : 2500;
    for (int d = 0; d < CC_DTYPES; d++) {
        const padic_dtype dtype = cc_dtypes[d];
        uint8_t *data = (uint8_t *)cc_new(n * cc_size(dtype));
        for (int kind = 0; kind < ADV_COUNT; kind++) {
            for (int e = 1; e <= 12; e += test_tiny ? 4 : 1) {
                double share = 1;
                for (int i = 0; i < e; i++) share /= 10;
                for (int mode = 1; mode <= 3; mode++) {
                    if (mode == 3 && !cc_is_float(dtype)) continue;
                    fill_adversarial(kind, dtype, data, n, share, (uint64_t)e);
                    padic_codec_pack_desc desc = cc_desc_1d(dtype, data, n);
                    desc.tolerance_mode = (padic_codec_tolerance_mode)mode;
                    desc.tolerance = share;
                    if (mode == 1 && !cc_is_float(dtype)) desc.tolerance = share * 1e12;
                    if (mode == 1 && cc_is_float(dtype) && kind == ADV_EXTREME)
                        desc.tolerance = share * 1e30;
                    if (mode == 1 && kind == ADV_SUBNORMAL) desc.tolerance = share * 1e-300;
                    snprintf(cc_label, sizeof cc_label, "dtype %d, array %d, mode %d, bound %g",
                             (int)dtype, kind, mode, desc.tolerance);
                    bounded_case(&desc);
                }
            }
        }
        free(data);
    }
}

// Two to four axes, odd block shapes, levels.
TEST(shapes_and_levels)
{
    static const uint64_t shapes[][5] = {{2, 60, 70}, {3, 13, 17, 19}, {4, 7, 8, 9, 10},
                                         {2, 700, 3}, {1, 10001, 0},   {0}};
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
        const uint32_t rank = (uint32_t)shapes[s][0];
        const size_t n = cc_count(rank, shapes[s] + 1);
        for (int d = 0; d < CC_DTYPES; d++) {
            const padic_dtype dtype = cc_dtypes[d];
            uint8_t *data = (uint8_t *)cc_new(n * cc_size(dtype));
            for (int level = 1; level <= 9; level += test_tiny ? 4 : 2) {
                for (int mode = 1; mode <= 3; mode++) {
                    if (mode == 3 && !cc_is_float(dtype)) continue;
                    if (test_tiny && (d + level + mode) % 7) continue;
                    fill_adversarial(level % 4 == 1 ? ADV_SMOOTH : ADV_MIXED, dtype, data, n, 1e-3,
                                     3);
                    padic_codec_pack_desc desc = cc_desc(dtype, data, rank, shapes[s] + 1);
                    desc.tolerance_mode = (padic_codec_tolerance_mode)mode;
                    desc.tolerance = cc_is_float(dtype) || mode != 1 ? 1e-3 : 3.5;
                    desc.level = (uint32_t)level;
                    for (uint32_t a = 0; a < rank && level == 3; a++)
                        desc.block[a] = a % 2 ? 50 : 5;
                    snprintf(cc_label, sizeof cc_label, "shape %d, dtype %d, mode %d, level %d",
                             (int)s, (int)dtype, mode, level);
                    bounded_case(&desc);
                }
            }
            free(data);
        }
    }
}

// Smooth fields, which are interpolated: on one to eight axes, two of them long enough for blocks
// with neighbours on all sides, odd shapes, and in them values that no lattice has, far ones,
// stretches of one value, subnormals. Bounds from below the spacing of floats to above the range.
TEST(smooth_fields)
{
    static const uint64_t shapes[][9] = {
        {1, 5003},         {2, 71, 73},       {2, 3, 1201},
        {3, 2, 41, 43},    {3, 19, 17, 13},   {4, 3, 9, 10, 11},
        {8, 2, 3, 1, 5, 2, 3, 7, 4},          {2, 1100, 2}, {3, 1, 64, 65}};
    static const double bounds[] = {1e-3, 1e-2, 1e-1, 1e-5, 1e-8, 1e-12, 0.7, 3};
    static const padic_dtype dtypes[] = {PADIC_F32, PADIC_F64, PADIC_F16, PADIC_C64};
    uint64_t interpolated = 0;
    cc_random r = {41};
    for (int trial = 0; trial < test_amount(60, 400, 2000); trial++) {
        const uint64_t *shape = shapes[trial % 9];
        const uint32_t rank = (uint32_t)shape[0];
        const padic_dtype dtype = dtypes[trial % 5 % 4], base = cc_base(dtype);
        const size_t n = cc_count(rank, shape + 1) * cc_components(dtype);
        const int what = trial / 3 % 8;
        const double scale = what == 5 ? base == PADIC_F64 ? 1e-310 : 1e-41
                           : what == 6 && base != PADIC_F16 ? 1e30
                                                            : 1.0;
        uint8_t *data = (uint8_t *)cc_new(n * cc_size(base));
        for (size_t i = 0; i < n; i++) {
            const double u = (double)(i % shape[rank]) / (double)shape[rank];
            const double v = (double)i / (double)n;
            double x = (u * (1 - u) + v * (1 - v) * (0.3 + u)) * scale;
            if (what == 1 && cc_below(&r, 50) == 0) x += unit(&r) * scale;
            if (what == 2 && cc_below(&r, 9) == 0) x = cc_below(&r, 2) ? NAN : -HUGE_VAL;
            if (what == 3 && i > n / 2) x = 0.25;
            if (what == 4 && cc_below(&r, 400) == 0) x = base == PADIC_F16 ? 6e4 : 1e37;
            if (what == 7) x += 1e-4 * unit(&r);
            cc_put(base, data, i, x);
        }
        padic_codec_pack_desc desc = cc_desc(dtype, data, rank, shape + 1);
        desc.level = (uint32_t)(3 + trial % 4);
        if (trial % 10 == 9) desc.level = (uint32_t)(1 + trial / 10 % 9);
        desc.tolerance_mode = PADIC_CODEC_TOLERANCE_RANGE;
        desc.tolerance = bounds[cc_below(&r, trial % 4 ? 4 : 8)];
        if (trial % 7 == 6) {
            desc.tolerance_mode = PADIC_CODEC_TOLERANCE_ABSOLUTE;
            desc.tolerance = trial % 2 ? 1e-3 * scale : trial % 3 ? 1e300 : 5e-324;
        }
        snprintf(cc_label, sizeof cc_label, "smooth, trial %d", trial);
        if (bounded_case(&desc)) {
            padic_codec_report info;
            cc_packed p = cc_pack(NULL, &desc);
            CC_CHECK(codec_info(p.bytes, p.size, &info) == PADIC_OK);
            interpolated += info.predictors[6];
            free(p.bytes);
        }
        free(data);
    }
    CHECK(interpolated > 15);
}

// Many small arrays with everything drawn at random: above all small ranges far from 0, where the
// range itself is hard to get right, and bounds with full mantissas.
TEST(random_bounds)
{
    cc_random r = {31};
    for (int trial = 0; trial < test_amount(1500, 15000, 40000); trial++) {
        const padic_dtype dtype = cc_dtypes[cc_below(&r, CC_DTYPES)], base = cc_base(dtype);
        const size_t size = cc_size(base), n = 2 + (size_t)cc_below(&r, 200);
        const size_t parts = cc_components(dtype);
        uint64_t data[2 * 202];
        double tolerance = (double)(int64_t)(1 + (cc_next(&r) >> 12)) / 4503599627370497.0;
        for (uint64_t i = cc_below(&r, 13); i > 0; i--) tolerance /= 10;
        const uint64_t range = 1 + cc_next(&r) % (UINT64_C(1) << (1 + cc_below(&r, 4 * size)));
        const uint64_t top = size == 8 ? UINT64_MAX : (UINT64_C(1) << (8 * size)) - 1;
        uint64_t start = cc_next(&r) & top;
        if (cc_is_float(base)) { // a finite number
            const cc_format f = cc_float_format(base);
            const uint64_t unit = UINT64_C(1) << f.mantissa;
            start = (cc_below(&r, (UINT64_C(1) << f.exponent) - 4) + 1) * unit + start % unit / 2;
        } else if (start > top - range) {
            start -= range;
        }
        for (size_t i = 0; i < n * parts; i++)
            cc_store_bits(size, data, i, start + (i < 2 ? i * range : cc_next(&r) % (range + 1)));
        padic_codec_pack_desc desc = cc_desc_1d(dtype, data, n);
        desc.tolerance = tolerance;
        desc.tolerance_mode =
            (padic_codec_tolerance_mode)(1 + cc_below(&r, cc_is_float(dtype) ? 3 : 2));
        if (desc.tolerance_mode == PADIC_CODEC_TOLERANCE_ABSOLUTE) { // a share of the range
            const cc_exact lo = cc_load(dtype, data, 0), hi = cc_load(dtype, data, 1);
            const double apart = cc_to_double(hi) - cc_to_double(lo);
            const double share = tolerance * (apart < 0 ? -apart : apart);
            if (share > 0 && share < 1e300) desc.tolerance = share;
        }
        if (cc_below(&r, 3) == 0) desc.stages.transforms = 1u << cc_below(&r, 5);
        snprintf(cc_label, sizeof cc_label, "trial %d, dtype %d, mode %d, bound %.17g, range %lu",
                 trial, (int)dtype, (int)desc.tolerance_mode, desc.tolerance, (unsigned long)range);
        bounded_case(&desc);
    }
}

// Each forced choice of each stage under a bound.
TEST(forced_stages)
{
    static const int sizes[5] = {7, 8, 5, 8, 7};
    static const padic_dtype dtypes[] = {PADIC_F32, PADIC_F64, PADIC_F16, PADIC_I16, PADIC_U64};
    const uint64_t shape[2] = {40, 50};
    for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; d += test_tiny ? 3 : 1) {
        double data[2000];
        for (int kind = 0; kind < ADV_COUNT; kind += test_tiny ? 5 : 1) {
            for (int g = 0; g < 5; g++) {
                for (int c = 0; c < sizes[g]; c++) {
                    for (int mode = 1; mode <= 3; mode++) {
                        if (mode == 3 && !cc_is_float(dtypes[d])) continue;
                        fill_adversarial(kind, dtypes[d], data, 2000, 0.01, 8);
                        padic_codec_pack_desc desc = cc_desc(dtypes[d], data, 2, shape);
                        desc.tolerance_mode = (padic_codec_tolerance_mode)mode;
                        desc.tolerance = cc_is_float(dtypes[d]) || mode != 1 ? 0.01 : 4;
                        uint32_t *const masks[5] = {
                            &desc.stages.transforms, &desc.stages.predictors, &desc.stages.patterns,
                            &desc.stages.representations, &desc.stages.coders};
                        *masks[g] = 1u << c;
                        snprintf(cc_label, sizeof cc_label,
                                 "dtype %d, array %d, mode %d, group %d choice %d", (int)dtypes[d],
                                 kind, mode, g, c);
                        bounded_case(&desc);
                    }
                }
            }
        }
    }
}

// The largest and smallest bounds there are, on the largest and smallest numbers.
TEST(extreme_bounds)
{
    static const double bounds[] = {4.9406564584124654e-324,
                                    1e-310,
                                    DBL_MIN,
                                    1e-300,
                                    1e-45,
                                    1e-38,
                                    FLT_MIN,
                                    1e-20,
                                    1.0,
                                    1e20,
                                    3e38,
                                    1e300,
                                    DBL_MAX / 2,
                                    DBL_MAX};
    for (int d = 0; d < CC_DTYPES; d++) {
        double data[2 * 500];
        for (int kind = test_tiny ? d % 4 : 0; kind < ADV_COUNT; kind += test_tiny ? 4 : 1) {
            fill_adversarial(kind, cc_dtypes[d], data, 500, 1, 2);
            for (size_t b = 0; b < sizeof bounds / sizeof *bounds; b++) {
                if (test_tiny && (b + (size_t)kind) % 4) continue;
                for (int mode = 1; mode <= 2; mode++) {
                    padic_codec_pack_desc desc = cc_desc_1d(cc_dtypes[d], data, 500);
                    desc.tolerance_mode = (padic_codec_tolerance_mode)mode;
                    desc.tolerance = bounds[b];
                    snprintf(cc_label, sizeof cc_label, "dtype %d, array %d, mode %d, bound %g",
                             (int)cc_dtypes[d], kind, mode, bounds[b]);
                    bounded_case(&desc);
                    if (mode == 2) {
                        desc.range = 3.7;
                        desc.tolerance = bounds[b] > 1e300 ? 1e-3 : bounds[b];
                        bounded_case(&desc);
                    }
                }
            }
            static const double relative[] = {4.9406564584124654e-324,
                                              1e-308,
                                              1e-17,
                                              2.3e-16,
                                              1e-8,
                                              6e-8,
                                              4e-4,
                                              5e-4,
                                              0.004,
                                              0.1,
                                              0.5,
                                              0.9,
                                              0.9999999999999999};
            for (size_t b = 0; b < sizeof relative / sizeof *relative && cc_is_float(cc_dtypes[d]);
                 b++) {
                padic_codec_pack_desc desc = cc_desc_1d(cc_dtypes[d], data, 500);
                desc.tolerance_mode = PADIC_CODEC_TOLERANCE_POINTWISE;
                desc.tolerance = relative[b];
                snprintf(cc_label, sizeof cc_label, "dtype %d, array %d, pointwise %g",
                         (int)cc_dtypes[d], kind, relative[b]);
                bounded_case(&desc);
            }
        }
    }
}

// Long random arrays: every value of 2^20.
TEST(long_arrays)
{
    const size_t n = (size_t)1 << (test_tiny ? 14 : 19);
    static const padic_dtype dtypes[] = {PADIC_F32, PADIC_F64, PADIC_F16, PADIC_BF16, PADIC_I32};
    uint8_t *data = (uint8_t *)cc_new(n * 8);
    for (size_t d = 0; d < sizeof dtypes / sizeof *dtypes; d++) {
        for (int mode = 1; mode <= 3; mode++) {
            if (mode == 3 && !cc_is_float(dtypes[d])) continue;
            const int kind = mode == 1 ? ADV_HALF_STEPS : mode == 2 ? ADV_UNIFORM : ADV_EXPONENTS;
            padic_codec_pack_desc desc = cc_desc_1d(dtypes[d], data, n);
            desc.tolerance_mode = (padic_codec_tolerance_mode)mode;
            desc.tolerance = mode == 1 && !cc_is_float(dtypes[d]) ? 100 : 0.003;
            fill_adversarial(kind, dtypes[d], data, n, desc.tolerance, 4);
            snprintf(cc_label, sizeof cc_label, "long, dtype %d, mode %d", (int)dtypes[d], mode);
            bounded_case(&desc);
        }
    }
    free(data);
}

// A bound is worth something: uniform values cost no more than the digits that the bound leaves,
// and it is never dearer than lossless.
TEST(bounds_save_bytes)
{
    const size_t n = 60000;
    static const padic_dtype dtypes[] = {PADIC_F32, PADIC_F64};
    double *data = (double *)cc_new(n * 8);
    for (int d = 0; d < 2; d++) {
        for (int e = 1; e <= 6; e += test_tiny ? 3 : 1) {
            if (d == 0 && e > 5) continue;
            double share = 1, bits = -1; // values in 1 / (2 share) steps: log2 of that
            for (int i = 0; i < e; i++) share /= 10, bits += 3.321928094887362;
            fill_adversarial(ADV_UNIFORM, dtypes[d], data, n, 1, 7);
            padic_codec_pack_desc desc = cc_desc_1d(dtypes[d], data, n);
            snprintf(cc_label, sizeof cc_label, "uniform, dtype %d, bound 1e-%d", (int)dtypes[d],
                     e);
            const size_t lossless = cc_round_trip(NULL, &desc, NULL);
            desc.tolerance_mode = PADIC_CODEC_TOLERANCE_RANGE;
            desc.tolerance = share;
            for (int level = 5; level <= 9; level += 4) {
                // Whole bits at the default level, which prefers fast decoding; the entropy at 9.
                const double each = level == 5 ? (double)(int)(bits + 1) : bits * 1.02;
                const double most = (double)n * (each + 0.02) / 8 + 700;
                desc.level = (uint32_t)level;
                const size_t size = bounded_case(&desc);
                CC_CHECK(size && size <= lossless);
                CC_CHECK((double)size <= most);
                if ((double)size > most && test_failures <= 5)
                    printf(" (%lu bytes, at most %.0f)", (unsigned long)size, most);
            }
            desc.level = 0;
            desc.tolerance_mode = PADIC_CODEC_TOLERANCE_POINTWISE;
            const size_t relative = bounded_case(&desc);
            CC_CHECK(relative && relative <= lossless);
            if (e <= 3) CC_CHECK(relative < lossless / 2 * (d ? 1 : 2));
        }
    }
    free(data);
}

// Of values spread evenly over [1, 2) a relative bound b leaves 1 / (2 b) to tell apart, whether
// that is a power of two or not.
TEST(relative_steps)
{
    const size_t n = 40000;
    static const double bounds[3] = {1.9e-3, 1.1e-3, 3e-5};
    double *wide = (double *)cc_new(n * 8);
    float *data = (float *)cc_new(n * 4);
    cc_random r = {5};
    for (size_t i = 0; i < n; i++) {
        wide[i] = 1 + (double)cc_below(&r, (size_t)1 << 30) / (double)(1 << 30);
        data[i] = (float)wide[i] < 2 ? (float)wide[i] : 1;
    }
    for (int b = 0; b < 6; b++) {
        padic_codec_pack_desc desc =
            cc_desc_1d(b & 1 ? PADIC_F64 : PADIC_F32, b & 1 ? (void *)wide : (void *)data, n);
        const double bits = log(0.5 / bounds[b / 2]) / log(2.0);
        desc.tolerance_mode = PADIC_CODEC_TOLERANCE_POINTWISE;
        desc.tolerance = bounds[b / 2];
        desc.level = 9;
        snprintf(cc_label, sizeof cc_label, "relative bound %g", bounds[b / 2]);
        const double size = (double)bounded_case(&desc);
        CC_CHECK(size > 0 && size * 8 / (double)n < bits * 1.01 + 0.1);
        if (!(size * 8 / (double)n < bits * 1.01 + 0.1))
            printf(" (%.3f bits a value, %.3f)", size * 8 / (double)n, bits);
    }
    free(wide);
    free(data);
}

// Strided arrays under a bound, and the same answer from a dense copy.
TEST(strided)
{
    float all[60 * 80];
    fill_adversarial(ADV_SMOOTH, PADIC_F32, all, 60 * 80, 1, 3);
    const uint64_t shape[2] = {40, 60};
    padic_codec_pack_desc desc = cc_desc(PADIC_F32, all, 2, shape);
    desc.tensor.stride[0] = 1;
    desc.tensor.stride[1] = 80;
    desc.tolerance_mode = PADIC_CODEC_TOLERANCE_RANGE;
    desc.tolerance = 1e-4;
    size_t bytes = 0;
    void *dense = cc_dense(&desc.tensor, &bytes);
    padic_codec_pack_desc plain = cc_desc(PADIC_F32, dense, 2, shape);
    plain.tolerance_mode = desc.tolerance_mode;
    plain.tolerance = desc.tolerance;
    snprintf(cc_label, sizeof cc_label, "strided bound");
    cc_packed p = cc_pack(NULL, &desc), q = cc_pack(NULL, &plain);
    CC_CHECK(p.result == PADIC_OK && p.size == q.size && memcmp(p.bytes, q.bytes, p.size) == 0);
    bounded_case(&plain);
    free(p.bytes);
    free(q.bytes);
    free(dense);
}

// Bounds that make no sense are refused, with nothing written.
TEST(refused)
{
    float value[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    int32_t integer[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    uint8_t room[4096];
    size_t size = 0;
    const double inf = (double)DBL_MAX * 2, nan = inf - inf;
    const double wrong[] = {0.0, -0.0, -1.0, -1e-300, inf, -inf, nan};
    for (int mode = 1; mode <= 3; mode++) {
        for (size_t w = 0; w < sizeof wrong / sizeof *wrong; w++) {
            padic_codec_pack_desc desc = cc_desc_1d(PADIC_F32, value, 8);
            desc.tolerance_mode = (padic_codec_tolerance_mode)mode;
            desc.tolerance = wrong[w];
            memset(room, 0x11, sizeof room);
            snprintf(cc_label, sizeof cc_label, "mode %d, bound %g", mode, wrong[w]);
            CC_CHECK(padic_codec_size_bound(&desc) == 0);
            CC_CHECK(codec_pack(NULL, &desc, room, sizeof room, &size) ==
                     PADIC_ERROR_TOLERANCE);
            for (size_t i = 0; i < sizeof room; i++) CC_CHECK(room[i] == 0x11);
        }
    }
    padic_codec_pack_desc desc = cc_desc_1d(PADIC_F32, value, 8);
    desc.tolerance_mode = PADIC_CODEC_TOLERANCE_POINTWISE;
    desc.tolerance = 1.0;
    CHECK(codec_pack(NULL, &desc, room, sizeof room, &size) == PADIC_ERROR_TOLERANCE);
    desc.tolerance = 1e300;
    CHECK(codec_pack(NULL, &desc, room, sizeof room, &size) == PADIC_ERROR_TOLERANCE);
    desc = cc_desc_1d(PADIC_I32, integer, 8);
    desc.tolerance_mode = PADIC_CODEC_TOLERANCE_POINTWISE; // floats only
    desc.tolerance = 0.01;
    const padic_result result = codec_pack(NULL, &desc, room, sizeof room, &size);
    CHECK(result == PADIC_ERROR_TOLERANCE || result == PADIC_ERROR_DTYPE ||
          result == PADIC_ERROR_ARGUMENT);
    desc = cc_desc_1d(PADIC_F32, value, 8);
    const int unknown = 6; // no such mode
    memcpy(&desc.tolerance_mode, &unknown, sizeof unknown);
    desc.tolerance = 0.01;
    CHECK(codec_pack(NULL, &desc, room, sizeof room, &size) == PADIC_ERROR_ARGUMENT);
    desc.tolerance_mode = PADIC_CODEC_TOLERANCE_RANGE;
    desc.range = nan;
    CHECK(codec_pack(NULL, &desc, room, sizeof room, &size) != PADIC_OK);
    desc.range = -1;
    CHECK(codec_pack(NULL, &desc, room, sizeof room, &size) != PADIC_OK);
    desc.range = inf;
    CHECK(codec_pack(NULL, &desc, room, sizeof room, &size) != PADIC_OK);
}

TEST_MAIN("codec_bound", CASE(adversarial), CASE(random_bounds), CASE(shapes_and_levels),
          CASE(smooth_fields),
          CASE(forced_stages), CASE(extreme_bounds), CASE(long_arrays), CASE(bounds_save_bytes),
          CASE(relative_steps), CASE(strided), CASE(refused))
