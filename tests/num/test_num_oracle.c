// test_num_oracle.c: conversions, roots, series, fractions and exact linear algebra of padic.h
// against num_oracle.h.
//
//     cc -O1 tests/num/test_num_oracle.c -o t -lm -lpthread && ./t        FULL=1: more turns

#define PADIC_IMPLEMENTATION
#include "../../padic.h"
#include "num_oracle.h"
#include "../support/padic_test.h"
#include "../support/num_calls.h"
#include "num_cases.h"

enum { COUNT = 67 };

// Calls f for rings of all sizes, in the smallest form, W128, RX and RX32, in every model.
typedef void (*ring_test)(const padic_num_ring *ring, const oring *r, const form_case *f,
                          int model);
static void for_rings(ring_test test, uint32_t most_digits)
{
    static const int some[] = {0, 4, 5, 6, 7};
    for (int i = 0; i < LARGE_RINGS; i++) {
        oring r;
        if (large_rings[i].N > most_digits || (test_tiny && large_rings[i].N > 64)) continue;
        o_ring(&r, large_rings[i].p, large_rings[i].N);
        for (size_t k = 0; k < sizeof some / sizeof *some; k++) {
            padic_num_ring ring;
            if (!ring_in(&ring, r.p, r.N, &forms[some[k]])) continue;
            if (k && some[k] < 6 && ring.form == large_rings[i].form) continue;
            if (test_tiny && k % 3) continue;
            for (int model = O_RING; model <= O_BALL; model++)
                test(&ring, &r, &forms[some[k]], model);
        }
        o_ring_free(&r);
    }
}

static int said(const place *at, const onum *x, unsigned due, unsigned got)
{
    if (due == got) return 1;
    printf("\n    %s %s p %lu N %u: %s: status %u, not %u", at->form, models[at->model],
           (unsigned long)at->r->p, (unsigned)at->r->N, at->what, got, due);
    if (x && test_failures < 5) print_num("of", x);
    test_failed(__FILE__, __LINE__, "status");
    return 0;
}

// ---- integers of every type

static const padic_dtype integer_types[] = {PADIC_I8,  PADIC_U8,  PADIC_I16, PADIC_U16,
                                            PADIC_I32, PADIC_U32, PADIC_I64, PADIC_U64};

static int is_signed(padic_dtype t)
{
    return t >= PADIC_I8 && t <= PADIC_I64;
}

// Element i of a plane of this type; words > 1: two's complement over planes of U64.
static void load_integer(big *out, padic_dtype t, const void *data, size_t i, size_t n,
                         size_t words)
{
    uint64_t x = 0;
    const uint32_t size = padic_dtype_size(t);
    big w, scale;
    if (words) {
        const uint64_t *plane = (const uint64_t *)data;
        big_u64(out, 0);
        big_u64(&scale, 1);
        for (size_t k = 0; k < words; k++) {
            big_u64(&w, plane[k * n + i]);
            big_mul(&w, &w, &scale);
            big_add(out, out, &w);
            big_shift_left(&scale, &scale, 64);
        }
        if (plane[(words - 1) * n + i] >> 63) big_sub(out, out, &scale);
        return;
    }
    uint8_t x8;
    uint16_t x16;
    uint32_t x32;
    const char *at = (const char *)data + i * size;
    switch (size) {
    case 1:
        memcpy(&x8, at, 1), x = x8;
        break;
    case 2:
        memcpy(&x16, at, 2), x = x16;
        break;
    case 4:
        memcpy(&x32, at, 4), x = x32;
        break;
    default:
        memcpy(&x, at, 8);
        break;
    }
    if (is_signed(t) && x >> (8 * size - 1)) {
        x = 0 - x;
        if (size < 8) x &= (UINT64_C(1) << (8 * size)) - 1;
        big_u64(out, x);
        out->neg = out->n > 0;
    } else {
        big_u64(out, x);
    }
}

static void random_integers(void *data, size_t bytes)
{
    uint8_t *at = (uint8_t *)data;
    for (size_t i = 0; i < bytes; i++) at[i] = (uint8_t)test_random();
}

// Some small, some extreme ones.
static void shape_integers(padic_dtype t, void *data, size_t n)
{
    const uint32_t size = padic_dtype_size(t);
    char *at = (char *)data;
    for (size_t i = 0; i < n; i++) {
        uint64_t x = 0;
        const uint64_t kind = test_random() % 8;
        if (i > 9 && kind > 3) continue;
        if (i > 9) x = 0 - (test_random() % 100) + 50;
        if (i == 1) x = UINT64_MAX;
        if (i == 2) x = UINT64_C(1) << (8 * size - 1);
        if (i == 3) x = (UINT64_C(1) << (8 * size - 1)) - 1;
        if (i == 4) x = 1;
        const uint8_t x8 = (uint8_t)x;
        const uint16_t x16 = (uint16_t)x;
        const uint32_t x32 = (uint32_t)x;
        memcpy(at + i * size,
               size == 1   ? (const void *)&x8
               : size == 2 ? (const void *)&x16
               : size == 4 ? (const void *)&x32
                           : (const void *)&x,
               size);
    }
}

static padic_tensor integers(padic_dtype t, void *data, size_t n, size_t words)
{
    return words ? padic_tensor_2d(PADIC_U64, data, words, n) : padic_tensor_1d(t, data, n);
}

// Whether an integer fits the type.
static int fits(padic_dtype t, size_t words, const big *x)
{
    big limit;
    const int bits = words ? (int)words * 64 : (int)padic_dtype_size(t) * 8;
    const int sign = words || is_signed(t);
    if (!sign) return !x->neg && big_bits(x) <= bits;
    big_u64(&limit, 1);
    big_shift_left(&limit, &limit, bits - 1);
    if (x->neg) return big_cmp_abs(x, &limit) <= 0;
    return big_cmp_abs(x, &limit) < 0;
}

static void ints_in(const padic_num_ring *ring, const oring *r, const form_case *f, int model)
{
    uint64_t raw[COUNT * 6], back[COUNT * 6];
    uint8_t status[COUNT];
    narr x;
    onum due, got;
    big value, read;
    narr_new(&x, ring, model, COUNT, 0);
    for (size_t t = 0; t < 11; t++) {
        const size_t words = t < 8 ? 0 : t == 8 ? 1 : t == 9 ? 2 : 5;
        const padic_dtype dtype = t < 8 ? integer_types[t] : PADIC_U64;
        const place at = {f->name, "from_int", r, model, (int64_t)t};
        padic_num_from_int_desc from = PADIC_ZERO;
        random_integers(raw, sizeof raw);
        if (!words) shape_integers(dtype, raw, COUNT);
        from.out = x.a;
        from.in = integers(dtype, raw, COUNT, words);
        CHECK_EQ(padic_num_from_int(num_context(), &from), PADIC_OK);
        for (size_t i = 0; i < COUNT; i++) {
            load_integer(&value, dtype, raw, i, COUNT, words);
            o_rational(r, model, &due, &value, &r->pw[0], 0);
            o_unpack(&x, i, &got);
            if (!right(&at, NULL, NULL, NULL, &due, &got)) break;
        }
        // And to integers, from arbitrary numbers: little ones and others.
        for (size_t i = 0; i < COUNT; i++) {
            random_num(r, model, &due);
            if (i % 3) o_int(r, model, &due, (int64_t)(test_random() % 512) - 256);
            o_pack(&x, i, &due);
        }
        for (int balanced = 0; balanced < 2; balanced++) {
            padic_num_to_int_desc to = PADIC_ZERO;
            const place there = {f->name, "to_int", r, model, (int64_t)t};
            to.in = x.a;
            to.out = integers(dtype, back, COUNT, words);
            to.mode = balanced ? PADIC_NUM_INT_BALANCED : PADIC_NUM_INT_LEAST;
            to.status = padic_tensor_1d(PADIC_U8, status, COUNT);
            CHECK_EQ(padic_num_to_int(num_context(), &to), PADIC_OK);
            for (size_t i = 0; i < COUNT; i++) {
                unsigned bits = 0;
                o_unpack(&x, i, &due);
                big_u64(&value, 0);
                if (due.kind == O_NAN)
                    bits = (unsigned)big_low(&due.u);
                else if (due.kind == O_FINITE && due.v < 0)
                    bits = O_OUTSIDE;
                else if (due.kind == O_FINITE && due.v > 800 && due.u.n)
                    bits = O_RANGE;
                else if (model == O_BALL && due.kind == O_FINITE && !due.n)
                    bits = O_PRECLOSS;
                else if (!o_to_integer(r, model, &value, &due, balanced))
                    bits = O_OUTSIDE;
                else if (!fits(dtype, words, &value))
                    bits = O_RANGE;
                if (bits) big_u64(&value, 0);
                load_integer(&read, dtype, back, i, COUNT, words);
                if (big_cmp(&value, &read)) {
                    print_num("to_int of", &due);
                    printf(" type %d words %d balanced %d", (int)dtype, (int)words, balanced);
                    test_failed(__FILE__, __LINE__, "to_int");
                    break;
                }
                if (!said(&there, &due, bits, status[i])) break;
            }
        }
    }
    narr_free(&x);
}
TEST(ints)
{
    for_rings(ints_in, 130);
}

static void rationals_in(const padic_num_ring *ring, const oring *r, const form_case *f, int model)
{
    uint64_t raw[2][COUNT * 5];
    narr x;
    onum due, got;
    big num, den;
    narr_new(&x, ring, model, COUNT, 0);
    for (size_t t = 0; t < 10; t++) {
        const size_t words = t < 8 ? 0 : t == 8 ? 2 : 4;
        const padic_dtype dtype = t < 8 ? integer_types[t] : PADIC_U64;
        const place at = {f->name, "from_rational", r, model, (int64_t)t};
        padic_num_from_rational_desc from = PADIC_ZERO;
        for (int k = 0; k < 2; k++) {
            random_integers(raw[k], sizeof raw[k]);
            if (!words) shape_integers(dtype, raw[k], COUNT);
        }
        if (words) { // 0/0, 1/0, -1/1
            for (size_t k = 0; k < words; k++) raw[0][k * COUNT] = raw[1][k * COUNT] = 0;
            for (size_t k = 0; k < words; k++) raw[1][k * COUNT + 1] = 0;
        }
        from.out = x.a;
        from.numerator = integers(dtype, raw[0], COUNT, words);
        from.denominator = integers(dtype, raw[1], COUNT, words);
        CHECK_EQ(padic_num_from_rational(num_context(), &from), PADIC_OK);
        for (size_t i = 0; i < COUNT; i++) {
            load_integer(&num, dtype, raw[0], i, COUNT, words);
            load_integer(&den, dtype, raw[1], i, COUNT, words);
            if (!den.n) {
                o_fail(model, &due, O_DIV0);
            } else {
                if (den.neg) den.neg = 0, num.neg = num.n && !num.neg;
                o_rational(r, model, &due, &num, &den, 0);
            }
            o_unpack(&x, i, &got);
            if (!right(&at, NULL, NULL, NULL, &due, &got)) break;
        }
    }
    narr_free(&x);
}
TEST(rationals)
{
    for_rings(rationals_in, 130);
}

// ---- floats

static const ofloat *format_of(padic_dtype t)
{
    return t == PADIC_F16 ? &o_f16 : t == PADIC_BF16 ? &o_bf16 : t == PADIC_F32 ? &o_f32 : &o_f64;
}

static uint64_t float_bits(padic_dtype t, const void *data, size_t i)
{
    uint16_t h;
    uint32_t w;
    uint64_t d;
    const uint32_t size = padic_dtype_size(t);
    const char *at = (const char *)data + i * size;
    if (size == 2) return memcpy(&h, at, 2), h;
    if (size == 4) return memcpy(&w, at, 4), w;
    return memcpy(&d, at, 8), d;
}

static void set_float_bits(padic_dtype t, void *data, size_t i, uint64_t bits)
{
    const uint16_t h = (uint16_t)bits;
    const uint32_t w = (uint32_t)bits, size = padic_dtype_size(t);
    memcpy((char *)data + i * size,
           size == 2   ? (const void *)&h
           : size == 4 ? (const void *)&w
                       : (const void *)&bits,
           size);
}

// num / den = +-m 2^e
static void dyadic(big *num, big *den, int64_t m, int e)
{
    big_i64(num, m);
    big_u64(den, 1);
    if (e > 0)
        big_shift_left(num, num, e);
    else
        big_shift_left(den, den, -e);
}

// What from_float makes of m 2^e; *exponent for SPLIT.
static void o_from_float(const oring *r, int model, onum *out, int *exponent, const ofloat *f,
                         uint64_t bits, int mode, int scale)
{
    int64_t m;
    int e;
    big num, den, rest;
    *exponent = 0;
    if (!o_float_parts(f, bits, &m, &e)) {
        o_fail(model, out, O_OUTSIDE);
        return;
    }
    if (m == 0) {
        o_int(r, model, out, 0);
        if (bits) out->status = O_INEXACT;
        return;
    }
    while (m % 2 == 0) m /= 2, e++;
    if (mode == PADIC_NUM_FLOAT_SPLIT) {
        *exponent = e;
        o_int(r, model, out, m);
        return;
    }
    if (mode == PADIC_NUM_FLOAT_DIRECT) {
        dyadic(&num, &den, m, e);
        o_rational(r, model, out, &num, &den, 0);
        return;
    }
    dyadic(&num, &den, m < 0 ? -m : m, e + scale > -1200 ? e + scale : -1200);
    big_divide(&num, &rest, &num, &den);
    const int inexact = rest.n != 0;
    big_add(&rest, &rest, &rest);
    const int half = big_cmp(&rest, &den);
    if (half > 0 || (half == 0 && num.n && (num.w[0] & 1))) big_add(&num, &num, &r->pw[0]);
    big_add(&rest, &num, &num);
    if (big_cmp(&rest, o_P(r)) >= 0) {
        o_fail(model, out, O_RANGE);
        return;
    }
    if (num.n) num.neg = m < 0;
    o_rational(r, model, out, &num, &r->pw[0], 0);
    out->status |= inexact ? (unsigned)O_INEXACT : 0u;
}

static void fill_floats(padic_dtype t, void *data, size_t n, size_t turn)
{
    for (size_t i = 0; i < n; i++) {
        const ofloat *f = format_of(t);
        const int all = f->t + f->exponent_bits;
        uint64_t bits = test_random() >> (64 - all);
        const uint64_t one = (UINT64_C(1) << (f->exponent_bits - 1)) - 1;
        const uint64_t mantissa = (UINT64_C(1) << (f->t - 1)) - 1;
        if (all == 16 && !test_tiny)
            bits = (turn * n + i) & 0xffff; // every one of them
        else if (i % 3 == 1)
            bits = (bits & mantissa) | (one + test_random() % 20 - 4) << (f->t - 1);
        else if (i % 16 == 3)
            bits &= mantissa; // subnormal
        if (all > 16 || test_tiny) {
            if (i == 0) bits = 0;
            if (i == 3) bits = UINT64_C(1) << (all - 1);               // -0
            if (i == 6) bits = ((one << 1) | 1) << (f->t - 1);         // Inf
            if (i == 9) bits = (((one << 1) | 1) << (f->t - 1)) | 1;   // NaN
            if (i == 12) bits = ((one << 1) << (f->t - 1)) | mantissa; // the largest
            if (i == 15) bits = 1;                                     // the least
        }
        set_float_bits(t, data, i, bits);
    }
}

static const padic_dtype float_types[] = {PADIC_F16, PADIC_BF16, PADIC_F32, PADIC_F64};

static void floats_in(const padic_num_ring *ring, const oring *r, const form_case *f, int model)
{
    enum { MANY = 1024 };
    static uint64_t data[MANY];
    static int16_t exponents[MANY];
    narr x;
    onum due, got;
    static size_t turn = 0;
    narr_new(&x, ring, model, MANY, 0);
    for (int t = 0; t < 4; t++) {
        for (int mode = PADIC_NUM_FLOAT_DIRECT; mode <= PADIC_NUM_FLOAT_SCALED; mode++) {
            const size_t n = t < 2 && r->N < 10 ? MANY : 40;
            const padic_dtype dtype = float_types[t];
            const place at = {f->name, "from_float", r, model, mode};
            padic_num_from_float_desc from = PADIC_ZERO;
            narr view = x;
            if (n != MANY && ring->form == PADIC_NUM_W128) continue; // covered with few digits
            fill_floats(dtype, data, n, turn++ % 64);
            view.a.count = n;
            from.out = view.a;
            from.in = padic_tensor_1d(dtype, data, n);
            from.mode = (padic_num_float_mode)mode;
            from.scale = mode == PADIC_NUM_FLOAT_SCALED ? (int32_t)(test_random() % 30) - 5 : 0;
            if (mode == PADIC_NUM_FLOAT_SPLIT)
                from.exponent = padic_tensor_1d(PADIC_I16, exponents, n);
            CHECK_EQ(padic_num_from_float(num_context(), &from), PADIC_OK);
            for (size_t i = 0; i < n; i++) {
                int exponent;
                const uint64_t bits = float_bits(dtype, data, i);
                o_from_float(r, model, &due, &exponent, format_of(dtype), bits, mode, from.scale);
                o_unpack(&view, i, &got);
                if (due.status & O_RANGE) got.status &= ~(unsigned)O_INEXACT;
                if (due.status & O_RANGE && due.kind == O_NAN) big_copy(&got.u, &due.u);
                if (!right(&at, NULL, NULL, NULL, &due, &got)) {
                    printf("\n    bits 0x%lx of type %d, scale %d", (unsigned long)bits, (int)dtype,
                           (int)from.scale);
                    break;
                }
                if (mode == PADIC_NUM_FLOAT_SPLIT && !due.status) CHECK_EQ(exponents[i], exponent);
            }
        }
    }
    narr_free(&x);
}
TEST(from_floats)
{
    for_rings(floats_in, 64);
}

// num / den 2^e for arbitrary numbers: what to_float has to round.
static void to_floats_in(const padic_num_ring *ring, const oring *r, const form_case *f, int model)
{
    uint64_t data[COUNT];
    int16_t exponents[COUNT];
    uint8_t status[COUNT];
    narr x;
    onum a;
    narr_new(&x, ring, model, COUNT, 0);
    for (int t = 0; t < 4; t++) {
        for (int mode = PADIC_NUM_FLOAT_DIRECT; mode <= PADIC_NUM_FLOAT_SCALED; mode++) {
            const padic_dtype dtype = float_types[t];
            const place at = {f->name, "to_float", r, model, mode};
            padic_num_to_float_desc to = PADIC_ZERO;
            for (size_t i = 0; i < COUNT; i++) {
                random_num(r, model, &a);
                big p;
                big_u64(&p, r->p);
                const int64_t reach = 3000 / big_bits(&p); // 2^+-3000
                if (a.kind == O_FINITE && (a.v > reach || a.v < -reach)) a.v %= reach;
                if (i % 2) {
                    big n, d;
                    big_i64(&n, (int64_t)(test_random() % 201) - 100);
                    big_i64(&d, 1 + (int64_t)(test_random() % 40));
                    o_rational(r, model, &a, &n, &d, 0);
                    a.status = 0;
                }
                exponents[i] = (int16_t)((int)(test_random() % 80) - 50);
                if (i % 8 == 0) exponents[i] = (int16_t)((int)(test_random() % 2300) - 1200);
                o_pack(&x, i, &a);
            }
            to.in = x.a;
            to.out = padic_tensor_1d(dtype, data, COUNT);
            to.mode = (padic_num_float_mode)mode;
            to.scale = mode == PADIC_NUM_FLOAT_SCALED ? (int32_t)(test_random() % 60) - 10 : 0;
            if (mode == PADIC_NUM_FLOAT_SPLIT)
                to.exponent = padic_tensor_1d(PADIC_I16, exponents, COUNT);
            to.status = padic_tensor_1d(PADIC_U8, status, COUNT);
            CHECK_EQ(padic_num_to_float(num_context(), &to), PADIC_OK);
            for (size_t i = 0; i < COUNT; i++) {
                big num, den, bound, scale;
                int inexact = 0, overflow = 0, none = 0;
                unsigned bits = 0;
                uint64_t due = 0;
                o_unpack(&x, i, &a);
                const uint32_t n = model == O_BALL ? a.n : r->N;
                big_u64(&num, 0);
                big_u64(&den, 1);
                if (a.kind == O_NAN) {
                    bits = (unsigned)big_low(&a.u);
                    none = 1;
                } else if (model == O_BALL && a.kind == O_FINITE && !a.n) {
                    continue; // O(p^v): see below
                } else if (a.kind == O_FINITE && mode != PADIC_NUM_FLOAT_DIRECT) {
                    if (!o_to_integer(r, model, &num, &a, 1)) bits = O_OUTSIDE, none = 1;
                    const int e = mode == PADIC_NUM_FLOAT_SPLIT ? exponents[i] : -to.scale;
                    if (e > 0)
                        big_shift_left(&num, &num, e);
                    else
                        big_shift_left(&den, &den, -e);
                } else if (a.kind == O_FINITE && a.u.n) {
                    if (r->p == 2) {
                        o_balanced(r, &num, &a.u, n);
                    } else {
                        o_bound(r, &bound, n - 1);
                        if (!o_reconstruct(r, &num, &den, &a.u, n, &bound, &bound))
                            bits = O_RATREC, none = 1;
                    }
                    big_u64(&scale, r->p);
                    big_power(&scale, &scale, (uint64_t)(a.v < 0 ? -a.v : a.v));
                    if (a.v < 0)
                        big_mul(&den, &den, &scale);
                    else
                        big_mul(&num, &num, &scale);
                }
                if (!none) {
                    due = o_round(format_of(dtype), &num, &den, &inexact, &overflow);
                    bits = overflow ? (unsigned)O_RANGE : inexact ? (unsigned)O_INEXACT : 0u;
                    if (big_bits(&num) > 4000 && overflow) bits = O_RANGE;
                }
                unsigned got_status = status[i];
                if (overflow) got_status &= ~(unsigned)O_INEXACT;
                if (!said(&at, &a, bits, got_status)) break;
                const uint64_t got = float_bits(dtype, data, i);
                int64_t m;
                int e;
                if (none ? o_float_parts(format_of(dtype), got, &m, &e) : got != due) {
                    print_num("to_float of", &a);
                    printf(" type %d mode %d e %d: 0x%lx, not 0x%lx", (int)dtype, mode,
                           mode == PADIC_NUM_FLOAT_SPLIT ? exponents[i] : -to.scale,
                           (unsigned long)got, (unsigned long)due);
                    test_failed(__FILE__, __LINE__, "to_float");
                    break;
                }
            }
        }
    }
    narr_free(&x);
}
TEST(to_floats)
{
    for_rings(to_floats_in, 64);
}

// ---- digits

static void digits_in(const padic_num_ring *ring, const oring *r, const form_case *f, int model)
{
    const size_t n = r->N > 40 ? 5 : 33, all = n * r->N;
    uint64_t *data = (uint64_t *)malloc(all * 8);
    int64_t *due = (int64_t *)malloc(r->N * sizeof *due);
    int32_t val[33];
    uint16_t known[33];
    narr x, y;
    onum a, b;
    if (!data || !due) abort();
    narr_new(&x, ring, model, n, 0);
    narr_new(&y, ring, model, n, 0);
    for (size_t i = 0; i < n; i++) {
        do random_num(r, model, &a);
        while (a.kind == O_NAN);
        o_pack(&x, i, &a);
    }
    for (int t = 0; t < 8; t++) {
        const padic_dtype dtype = integer_types[t];
        const uint32_t size = padic_dtype_size(dtype);
        for (int kind = O_STANDARD; kind <= O_TEICHMUELLER; kind++) {
            if (kind == O_TEICHMUELLER && (r->p > 70000 || r->N > (t ? 10u : 60u))) continue;
            const int rows = (t + kind) % 2;
            const place at = {f->name, "digits", r, model, kind};
            padic_num_to_digits_desc to = PADIC_ZERO;
            padic_num_from_digits_desc from = PADIC_ZERO;
            to.in = x.a;
            to.digits = rows ? padic_tensor_2d(dtype, data, n, r->N)
                             : padic_tensor_2d(dtype, data, r->N, n);
            to.kind = (padic_num_digit_kind)kind;
            to.layout = rows ? PADIC_NUM_LAYOUT_ROWS : PADIC_NUM_LAYOUT_PLANES;
            if (model != O_RING) to.val = padic_tensor_1d(PADIC_I32, val, n);
            if (model == O_BALL) to.known = padic_tensor_1d(PADIC_U16, known, n);
            const int wants_sign = kind == O_BALANCED;
            const uint64_t top = wants_sign && r->p > 2 ? r->p / 2 : r->p - 1;
            const int wide =
                size == 8 || top <= (UINT64_C(1) << (8 * size - (uint32_t)is_signed(dtype))) - 1;
            const padic_result result = padic_num_to_digits(num_context(), &to);
            if (!wide) {
                CHECK(result == PADIC_ERROR_ARGUMENT || result == PADIC_ERROR_DTYPE);
                continue;
            }
            if (result == PADIC_ERROR_DTYPE && is_signed(dtype) != wants_sign) continue;
            CHECK_EQ(result, PADIC_OK);
            if (result) continue;
            for (size_t i = 0; i < n; i++) {
                o_unpack(&x, i, &a);
                o_digits(r, kind, due, &a.u, r->N);
                for (size_t k = 0; k < r->N; k++) {
                    big d;
                    load_integer(&d, dtype, data, rows ? i * r->N + k : k * n + i, 0, 0);
                    big e;
                    big_i64(&e, due[k]);
                    if (big_cmp(&d, &e)) {
                        print_num("digits of", &a);
                        printf(" kind %d, digit %d: %ld, not %ld", kind, (int)k, (long)big_low(&d),
                               (long)due[k]);
                        test_failed(__FILE__, __LINE__, "digit");
                        i = n;
                        break;
                    }
                }
            }
            from.out = y.a;
            from.digits = to.digits;
            from.kind = to.kind;
            from.layout = to.layout;
            from.val = to.val;
            from.known = to.known;
            CHECK_EQ(padic_num_from_digits(num_context(), &from), PADIC_OK);
            for (size_t i = 0; i < n; i++) {
                o_unpack(&x, i, &a);
                o_unpack(&y, i, &b);
                a.status = 0;
                b.status &= 63;
                right(&at, &a, NULL, NULL, &a, &b);
            }
        }
    }
    free(data);
    free(due);
    narr_free(&x);
    narr_free(&y);
}
TEST(digits)
{
    for_rings(digits_in, 130);
}

TEST(digits_out_of_range)
{
    for (int kind = O_STANDARD; kind <= O_TEICHMUELLER; kind++) {
        padic_num_ring ring;
        oring r;
        narr x;
        onum a;
        int32_t digits[5][4];
        uint32_t bits = 0;
        CHECK_EQ(padic_num_ring_init(&ring, 7, 4, NULL), PADIC_OK);
        o_ring(&r, 7, 4);
        narr_new(&x, &ring, O_RING, 5, 0);
        narr_sticky(&x);
        for (int i = 0; i < 5; i++)
            for (int k = 0; k < 4; k++) digits[i][k] = 1;
        digits[1][3] = kind == O_BALANCED ? 4 : 7;
        digits[3][0] = kind == O_BALANCED ? -4 : -1;
        padic_num_from_digits_desc from = PADIC_ZERO;
        from.out = x.a;
        from.digits = padic_tensor_2d(kind == O_BALANCED ? PADIC_I32 : PADIC_U32, digits, 5, 4);
        from.kind = (padic_num_digit_kind)kind;
        from.layout = PADIC_NUM_LAYOUT_ROWS;
        CHECK_EQ(padic_num_from_digits(num_context(), &from), PADIC_OK);
        for (size_t i = 0; i < 5; i++) {
            o_unpack(&x, i, &a);
            CHECK_EQ(a.status, i % 2 ? O_OUTSIDE : 0);
            CHECK_EQ(big_low(&a.u) == 0, i % 2);
            bits |= a.status;
        }
        CHECK_EQ(x.sticky, bits);
        narr_free(&x);
        o_ring_free(&r);
    }
}

// ---- random numbers, the least precision

static void random_in(const padic_num_ring *ring, const oring *r, const form_case *f, int model)
{
    const place at = {f->name, "random", r, model, 0};
    uint32_t blocks = 1;
    big power;
    narr x;
    onum due, got;
    big_copy(&power, o_P(r)); // bits(P): the least with P <= 2^bits
    big_sub(&power, &power, &r->pw[0]);
    const uint32_t bits = (uint32_t)big_bits(&power);
    while (blocks * 128 < bits + 64) blocks++;
    narr_new(&x, ring, model, COUNT, 0);
    padic_num_random_desc desc = PADIC_ZERO;
    desc.out = x.a;
    desc.seed = 42;
    desc.stream = UINT64_C(0x123456789abc);
    desc.first = model == O_RING    ? 5
                 : model == O_FLOAT ? (UINT64_C(1) << 33) + 1
                                    : (UINT64_C(1) << 32) / blocks - 20;
    CHECK_EQ(padic_num_random(num_context(), &desc), PADIC_OK);
    for (size_t i = 0; i < COUNT; i++) {
        big w;
        uint32_t word[4];
        w.neg = 0;
        w.n = (int)(4 * blocks);
        for (uint32_t k = 0; k < blocks; k++) {
            const uint64_t block = (desc.first + i) * blocks + k;
            padic_random_block(desc.seed, desc.stream, (uint32_t)(block >> 32), (uint32_t)block,
                               word);
            memcpy(w.w + 4 * k, word, 16);
        }
        big_trim(&w);
        big_mul(&w, &w, o_P(r));
        big_u64(&power, 1);
        big_shift_left(&power, &power, (int)(128 * blocks));
        big_divide(&w, NULL, &w, &power);
        if (model == O_RING) {
            o_special(&due, O_FINITE, 0);
            big_copy(&due.u, &w);
        } else if (!w.n) {
            o_special(&due, model == O_BALL ? O_FINITE : O_ZERO, 0);
        } else {
            o_make(r, model, &due, 0, &w, (int64_t)r->N);
        }
        o_unpack(&x, i, &got);
        due.status = got.status = 0;
        if (w.n && !right(&at, NULL, NULL, NULL, &due, &got)) break;
    }
    narr_free(&x);
}
TEST(random_numbers)
{
    for_rings(random_in, 600);
}

TEST(least_precision)
{
    static const uint64_t primes[] = {
        2, 3, 5, 257, 65537, 2147483647, UINT64_C(2305843009213693951)};
    static const uint32_t table[3][4] = {{9, 12, 25, 54}, {6, 8, 16, 35}, {2, 2, 4, 7}};
    static const padic_dtype types[4] = {PADIC_BF16, PADIC_F16, PADIC_F32, PADIC_F64};
    for (int i = 0; i < 4; i++) {
        CHECK_EQ(num_fit_float(2, types[i]), table[0][i]);
        CHECK_EQ(num_fit_float(3, types[i]), table[1][i]);
        CHECK_EQ(num_fit_float(257, types[i]), table[2][i]);
        CHECK_EQ(num_fit_float(65537, types[i]), i < 2 ? 1 : i == 2 ? 2 : 4);
    }
    for (size_t q = 0; q < sizeof primes / sizeof *primes; q++) {
        big P, p, bound, t;
        big_u64(&p, primes[q]);
        for (int turn = 0; turn < 200; turn++) {
            const uint64_t a = 1 + (test_random() >> (test_random() % 63 + 1));
            const uint64_t b = 1 + (test_random() >> (test_random() % 63 + 1));
            for (int kind = 0; kind < 2; kind++) {
                big_u64(&bound, a);
                big_u64(&t, 2);
                big_mul(&bound, &bound, &t);
                if (kind) {
                    big_u64(&t, b);
                    big_mul(&bound, &bound, &t);
                    big_mul(&bound, &bound, &p);
                }
                uint32_t least = 1;
                big_copy(&P, &p);
                while (big_cmp(&P, &bound) <= 0) {
                    big_mul(&P, &P, &p);
                    least++;
                }
                CHECK_EQ(kind ? num_fit_fraction(primes[q], a, b) : num_fit_integer(primes[q], a),
                         least);
            }
        }
    }
    CHECK_EQ(num_fit_integer(6, 5), 0);
    CHECK_EQ(num_fit_float(5, PADIC_I32), 0);
}

// ---- text and bytes

static void text_in(const padic_num_ring *ring, const oring *r, const form_case *f, int model)
{
    narr x, y;
    onum a, b;
    const size_t n = r->N > 40 ? 5 : 20;
    const size_t room = padic_num_print_size_bound(ring, PADIC_NUM_TEXT_VALUE) +
                        padic_num_print_size_bound(ring, PADIC_NUM_TEXT_DIGITS);
    char *text = (char *)malloc(room + 1);
    if (!text) abort();
    narr_new(&x, ring, model, n, 0);
    narr_new(&y, ring, model, n, 0);
    for (size_t i = 0; i < n; i++) {
        random_num(r, model, &a);
        o_pack(&x, i, &a);
    }
    for (int style = 0; style < 2; style++) {
        const place at = {f->name, style ? "digit text" : "text", r, model, style};
        const size_t bound = padic_num_print_size_bound(ring, (padic_num_text)style);
        for (size_t i = 0; i < n; i++) {
            size_t size = 0, short_size = 0, bad = 12345;
            CHECK_EQ(num_print(&x.a, i, (padic_num_text)style, text, bound, &size), PADIC_OK);
            CHECK(size < bound && strlen(text) == size);
            o_unpack(&x, i, &a);
            if (num_parse(&y.a, i, text, size, &bad)) {
                printf("\n    %s not parsed at %d: \"%.200s\"", models[model], (int)bad, text);
                test_failed(__FILE__, __LINE__, "parse");
                continue;
            }
            o_unpack(&y, i, &b);
            // A NaN comes back as a NaN with its bits; a status plane has nothing else.
            b.status = a.status = 0;
            right(&at, &a, NULL, NULL, &a, &b);
            if (size > 1) {
                char small[1];
                CHECK_EQ(num_print(&x.a, i, (padic_num_text)style, small, 1, &short_size),
                         PADIC_ERROR_CAPACITY);
                CHECK_EQ(short_size, size + 1);
            }
        }
    }
    free(text);
    narr_free(&x);
    narr_free(&y);
}
TEST(text)
{
    for_rings(text_in, 130);
}

static void check_parse(int model, const char *text, int64_t num, int64_t den, int64_t v)
{
    padic_num_ring ring;
    oring r;
    narr x;
    onum due, got;
    big n, d;
    size_t bad = 999;
    o_ring(&r, 257, 6);
    CHECK_EQ(padic_num_ring_init(&ring, 257, 6, NULL), PADIC_OK);
    narr_new(&x, &ring, model, 1, 0);
    const padic_result result = num_parse(&x.a, 0, text, strlen(text), &bad);
    if (result) printf("\n    \"%s\": %d at %d", text, (int)result, (int)bad);
    CHECK_EQ(result, PADIC_OK);
    big_i64(&n, num);
    big_i64(&d, den);
    o_rational(&r, model, &due, &n, &d, v);
    o_unpack(&x, 0, &got);
    const place at = {text, "parse", &r, model, 0};
    right(&at, NULL, NULL, NULL, &due, &got);
    narr_free(&x);
    o_ring_free(&r);
}

static void check_text(int model, int64_t num, int64_t v, uint32_t n, const char *due)
{
    padic_num_ring ring;
    oring r;
    narr x;
    onum t;
    char text[400];
    o_ring(&r, 257, 6);
    CHECK_EQ(padic_num_ring_init(&ring, 257, 6, NULL), PADIC_OK);
    narr_new(&x, &ring, model, 1, 0);
    o_int(&r, model, &t, num);
    t.v += v;
    if (model == O_BALL && t.kind == O_FINITE) t.n = n;
    if (model == O_BALL && !n) o_special(&t, O_FINITE, 0), t.v = v;
    o_pack(&x, 0, &t);
    CHECK_EQ(num_print(&x.a, 0, PADIC_NUM_TEXT_VALUE, text, sizeof text, NULL), PADIC_OK);
    if (strcmp(text, due)) printf("\n    \"%s\", not \"%s\"", text, due);
    CHECK(!strcmp(text, due));
    narr_free(&x);
    o_ring_free(&r);
}

TEST(texts)
{
    check_text(O_RING, 12345, 0, 0, "12345 mod 257^6");
    check_text(O_FLOAT, 12345, -2, 0, "12345 * 257^-2");
    check_text(O_FLOAT, 12345, 0, 0, "12345");
    check_text(O_BALL, 12345, -2, 6, "12345 * 257^-2 + O(257^4)");
    check_text(O_BALL, 0, 4, 0, "O(257^4)");
    check_text(O_FLOAT, 0, 0, 0, "0");
    check_parse(O_RING, "-7/3", -7, 3, 0);
    check_parse(O_FLOAT, "-7/3", -7, 3, 0);
    check_parse(O_FLOAT, "-12.375", -99, 8, 0);
    check_parse(O_FLOAT, "1e-3", 1, 1000, 0);
    check_parse(O_RING, "1e3", 1000, 1, 0);
    check_parse(O_FLOAT, "12345 * 257^-2", 12345, 1, -2);
    check_parse(O_RING, "12345 mod 257^6", 12345, 1, 0);
    check_parse(O_RING, "  0.5 ", 1, 2, 0);
    static const char *const wrong_text[] = {"",     " ",    "abc", "1 mod",        "1 mod 257",
                                             "--1",  "1/",   "1 2", "1e",           "O(",
                                             "nan(", "0x10", "1,5", "1 mod 257^6 x"};
    padic_num_ring ring;
    narr x;
    CHECK_EQ(padic_num_ring_init(&ring, 257, 6, NULL), PADIC_OK);
    narr_new(&x, &ring, O_RING, 1, 0);
    for (size_t i = 0; i < sizeof wrong_text / sizeof *wrong_text; i++) {
        size_t bad = 999;
        const padic_result result = num_parse(&x.a, 0, wrong_text[i], strlen(wrong_text[i]), &bad);
        if (result != PADIC_ERROR_CORRUPT && result != PADIC_ERROR_DOMAIN)
            printf("\n    \"%s\": %d", wrong_text[i], (int)result);
        CHECK(result == PADIC_ERROR_CORRUPT || result == PADIC_ERROR_DOMAIN);
        if (result == PADIC_ERROR_CORRUPT) CHECK(bad <= strlen(wrong_text[i]));
    }
    CHECK_EQ(num_parse(&x.a, 0, "1 mod 257^7", 11, NULL), PADIC_ERROR_DOMAIN);
    CHECK_EQ(num_parse(&x.a, 0, "1 mod 5^6", 9, NULL), PADIC_ERROR_DOMAIN);
    size_t bad = 0;
    CHECK_EQ(num_parse(&x.a, 0, "12345 mod 257^q", 15, &bad), PADIC_ERROR_CORRUPT);
    CHECK_EQ(bad, 14);
    narr_free(&x);
}

// Written from one form, read in another; every bit of a small stream matters.
static void bytes_in(const padic_num_ring *ring, const oring *r, const form_case *f, int model)
{
    narr x, y;
    onum a, b;
    padic_num_report header;
    padic_num_ring other;
    size_t size = 0, size2 = 0;
    const place at = {f->name, "bytes", r, model, 0};
    narr_new(&x, ring, model, COUNT, 0);
    for (size_t i = 0; i < COUNT; i++) {
        random_num(r, model, &a);
        o_pack(&x, i, &a);
    }
    if (!ring_in(&other, r->p, r->N, &forms[7]) && !ring_in(&other, r->p, r->N, &forms[0])) abort();
    narr_new(&y, &other, model, COUNT, 0);
    const size_t bound = padic_num_write_size_bound(&x.a);
    uint8_t *data = (uint8_t *)malloc(bound), *data2 = (uint8_t *)malloc(bound);
    if (!data || !data2) abort();
    uint64_t bad = 0;
    if (num_check(num_context(), &x.a, &bad)) {
        o_unpack(&x, (size_t)bad, &b);
        wrong(&at, NULL, NULL, NULL, &b, &b);
    }
    CHECK_EQ(num_write(num_context(), &x.a, data, bound, &size), PADIC_OK);
    CHECK(size > 0 && size <= bound);
    CHECK_EQ(num_info(data, size, &header), PADIC_OK);
    CHECK(header.model == x.a.model && header.p == r->p && header.precision == r->N &&
          header.count == COUNT);
    CHECK_EQ(num_read(num_context(), &y.a, data, size), PADIC_OK);
    for (size_t i = 0; i < COUNT; i++) {
        o_unpack(&x, i, &a);
        o_unpack(&y, i, &b);
        a.status = b.status = 0;
        if (!right(&at, &a, NULL, NULL, &a, &b)) break;
    }
    CHECK_EQ(num_write(num_context(), &y.a, data2, bound, &size2), PADIC_OK);
    CHECK(size2 == size && !memcmp(data, data2, size)); // never limb dependent
    // The units, as the comment of the format says: little-endian, ceil(bits(P - 1) / 8) bytes.
    const size_t width = (size_t)(big_bits(o_P(r)) - (r->p == 2) + 7) / 8;
    o_unpack(&x, 3, &a);
    for (size_t k = 0; k < width; k++) {
        const unsigned byte = (int)(k / 4) < a.u.n ? a.u.w[k / 4] >> (8 * (k % 4)) & 255 : 0;
        CHECK_EQ(data[44 + 3 * width + k], byte);
    }
    CHECK_EQ(num_write(num_context(), &x.a, data2, size - 1, &size2), PADIC_ERROR_CAPACITY);
    for (int turn = 0; turn < 200; turn++) { // cut and flipped
        const size_t bit = (size_t)(test_random() % (8 * size));
        data[bit / 8] ^= (uint8_t)(1u << (bit % 8));
        CHECK(num_read(num_context(), &y.a, data, size) != PADIC_OK);
        data[bit / 8] ^= (uint8_t)(1u << (bit % 8));
        CHECK(num_read(num_context(), &y.a, data, (size_t)(test_random() % size)) != PADIC_OK);
    }
    for (size_t i = 0; i < COUNT; i++) { // and nothing was written by those
        o_unpack(&x, i, &a);
        o_unpack(&y, i, &b);
        CHECK(o_same(model, &a, &b));
    }
    free(data);
    free(data2);
    narr_free(&x);
    narr_free(&y);
}
TEST(bytes)
{
    for_rings(bytes_in, 600);
}

// ---- roots, exp, log, Teichmueller: every ring and model

typedef enum series { SQRT, EXP, LOG, IWASAWA, TEICH } series;
static const char *const series_name[] = {"sqrt", "exp", "log", "Iwasawa log", "teichmueller"};

static padic_result series_library(series s, const padic_num_array *out, const padic_num_array *a)
{
    switch (s) {
    case SQRT:
        return padic_num_sqrt(num_context(), out, a);
    case EXP:
        return padic_num_exp(num_context(), out, a);
    case LOG:
        return padic_num_log(num_context(), out, a, PADIC_NUM_LOG_SERIES);
    case IWASAWA:
        return padic_num_log(num_context(), out, a, PADIC_NUM_LOG_IWASAWA);
    default:
        return padic_num_teichmueller(num_context(), out, a);
    }
}

static void series_oracle(series s, const oring *r, int model, onum *out, const onum *a)
{
    switch (s) {
    case SQRT:
        o_sqrt(r, model, out, a);
        break;
    case EXP:
        o_exp(r, model, out, a);
        break;
    case LOG:
        o_log(r, model, out, a, 0);
        break;
    case IWASAWA:
        o_log(r, model, out, a, 1);
        break;
    default:
        o_teichmueller(r, model, out, a);
        break;
    }
}

// Numbers that more often lie where s is defined.
static void series_operand(series s, const oring *r, int model, onum *x)
{
    const uint64_t kind = test_random() % 4;
    onum t;
    random_num(r, model, x);
    if (!kind || x->kind != O_FINITE || !x->u.n) return;
    if (s == SQRT) {
        if (x->v > 100 || x->v < -100) x->v = 2;
        o_copy(&t, x);
        o_mul(r, model, x, &t, &t);
        x->status = 0;
    } else if (s == EXP) {
        if (model == O_RING) {
            big_mul(&x->u, &x->u, &r->pw[r->N > 1 ? 1 + r->N / 5 : 1]);
            big_mod(&x->u, &x->u, o_P(r));
        } else {
            x->v = 1 + (int64_t)(test_random() % 3);
        }
    } else if (s == LOG || s == IWASAWA) { // 1 + p^k y
        const uint32_t n = model == O_BALL ? x->n : r->N;
        if (s == IWASAWA && kind == 1) return;
        big_mul(&x->u, &x->u, &r->pw[1 + test_random() % n]);
        big_add(&x->u, &x->u, &r->pw[0]);
        big_mod(&x->u, &x->u, &r->pw[n]);
        if (model != O_RING && x->v > -3 && x->v < 3) x->v = 0;
    } else if (model != O_RING) {
        x->v = 0;
    }
}

static void series_in(const padic_num_ring *ring, const oring *r, const form_case *f, int model)
{
    narr x, y;
    const int bits = big_bits(o_P(r));
    const size_t n = bits > 1000 ? 1 : bits > 200 ? 5 : test_tiny ? 15 : 40;
    if (bits > 1000 && !test_full() && (model != O_FLOAT || f != &forms[0])) return;
    onum due, got;
    narr_new(&x, ring, model, n, 0);
    narr_new(&y, ring, model, n, 0);
    padic_num_ring with = *ring;
    const size_t size = padic_num_ring_tables_size_bound(&with);
    void *memory = malloc(size + 1);
    if (!memory) abort();
    if (size && (r->p < 1000 || model == O_FLOAT)) {
        CHECK_EQ(num_ring_tables(&with, memory, size - 1), PADIC_ERROR_CAPACITY);
        CHECK_EQ(num_ring_tables(&with, memory, size), PADIC_OK);
        CHECK(with.tables != NULL);
    }
    for (int s = SQRT; s <= TEICH; s++) {
        const place at = {f->name, series_name[s], r, model, 0};
        if (s == SQRT && r->p % 4 == 1 && r->p > 100000) continue; // the oracle tries every residue
        for (size_t i = 0; i < n; i++) {
            series_operand((series)s, r, model, &due);
            o_pack(&x, i, &due);
        }
        CHECK_EQ(series_library((series)s, &y.a, &x.a), PADIC_OK);
        for (size_t i = 0; i < n; i++) {
            onum a;
            o_unpack(&x, i, &a);
            series_oracle((series)s, r, model, &due, &a);
            o_unpack(&y, i, &got);
            if (!right(&at, &a, NULL, NULL, &due, &got)) break;
        }
        // With tables, in place: the same bits.
        x.a.ring = &with;
        CHECK_EQ(series_library((series)s, &x.a, &x.a), PADIC_OK);
        x.a.ring = ring;
        for (size_t i = 0; i < n; i++) {
            o_unpack(&x, i, &due);
            o_unpack(&y, i, &got);
            if (!right(&at, NULL, NULL, NULL, &due, &got)) break;
        }
    }
    free(memory);
    narr_free(&x);
    narr_free(&y);
}
TEST(roots_and_series)
{
    for_rings(series_in, 600);
}

// Every element of small rings.
TEST(series_exhaustive)
{
    static const ring_case small[] = {
        {2, 1, PADIC_NUM_B2},  {2, 2, PADIC_NUM_B2},  {2, 3, PADIC_NUM_B2},  {2, 5, PADIC_NUM_B2},
        {2, 10, PADIC_NUM_B2}, {3, 1, PADIC_NUM_W32}, {3, 2, PADIC_NUM_W32}, {3, 6, PADIC_NUM_W32},
        {5, 1, PADIC_NUM_W32}, {5, 4, PADIC_NUM_W32}, {7, 3, PADIC_NUM_W32}};
    for (size_t c = 0; c < sizeof small / sizeof *small; c++) {
        oring r;
        o_ring(&r, small[c].p, small[c].N);
        for (int f = 0; f < FORMS; f++) {
            padic_num_ring ring;
            if (!ring_in(&ring, r.p, r.N, &forms[f]) || (test_tiny && f)) continue;
            for (int model = O_RING; model <= O_BALL; model++) {
                const int64_t vs[] = {0, -2, -1, 1, 2, 3};
                const uint32_t P = (uint32_t)big_low(o_P(&r));
                narr x, y;
                narr_new(&x, &ring, model, 1, 0);
                narr_new(&y, &ring, model, 1, 0);
                for (size_t k = 0; k < (model == O_RING ? 1u : 6u); k++) {
                    for (uint32_t n = model == O_BALL ? 0 : r.N; n <= r.N; n++) {
                        const uint32_t top = n ? (uint32_t)big_low(&r.pw[n]) : 1;
                        for (uint32_t u = model == O_RING || !n ? 0 : 1; u < top && u < P; u++) {
                            onum a, due, got;
                            if (model != O_RING && n && u % r.p == 0) continue;
                            o_special(&a, O_FINITE, 0);
                            a.v = vs[k];
                            a.n = model == O_RING ? 0 : n;
                            big_u64(&a.u, u);
                            o_pack(&x, 0, &a);
                            for (int s = SQRT; s <= TEICH; s++) {
                                const place at = {forms[f].name, series_name[s], &r, model, 0};
                                CHECK_EQ(series_library((series)s, &y.a, &x.a), PADIC_OK);
                                series_oracle((series)s, &r, model, &due, &a);
                                o_unpack(&y, 0, &got);
                                right(&at, &a, NULL, NULL, &due, &got);
                            }
                        }
                    }
                }
                narr_free(&x);
                narr_free(&y);
            }
        }
        o_ring_free(&r);
    }
}

// n-th roots in small rings: those y with y^n = u, found by trying all of them.
TEST(roots_exhaustive)
{
    static const ring_case small[] = {
        {2, 1, PADIC_NUM_B2},  {2, 6, PADIC_NUM_B2},  {2, 9, PADIC_NUM_B2},  {3, 5, PADIC_NUM_W32},
        {5, 4, PADIC_NUM_W32}, {7, 3, PADIC_NUM_W32}, {13, 2, PADIC_NUM_W32}};
    for (size_t c = 0; c < sizeof small / sizeof *small; c++) {
        const uint32_t p = (uint32_t)small[c].p, N = small[c].N;
        uint32_t P = 1;
        for (uint32_t i = 0; i < N; i++) P *= p;
        padic_num_ring ring;
        narr x, y, all;
        onum a, got;
        CHECK_EQ(padic_num_ring_init(&ring, p, N, NULL), PADIC_OK);
        narr_new(&x, &ring, O_RING, P, 0);
        narr_new(&y, &ring, O_RING, P, 0);
        for (uint32_t u = 0; u < P; u++) {
            o_special(&a, O_FINITE, 0);
            big_u64(&a.u, u);
            o_pack(&x, u, &a);
        }
        for (uint32_t n = 1; n <= 18; n++) {
            uint32_t e = 0, roots = 1, m = n;
            for (; m % p == 0; m /= p) e++;
            for (uint32_t d = 1; d <= p - 1; d++)
                if (n % d == 0 && (p - 1) % d == 0) roots = d;
            if (p == 2) roots = n % 2 ? 1 : 2;
            CHECK_EQ(padic_num_root_count(&ring, n), roots);
            CHECK_EQ(padic_num_root(num_context(), &y.a, &x.a, n), PADIC_OK);
            narr_new(&all, &ring, O_RING, (size_t)P * roots, 0);
            CHECK_EQ(num_roots(num_context(), &all.a, &x.a, n), PADIC_OK);
            for (uint32_t u = 0; u < P; u++) {
                uint32_t best = P, best_class = p == 2 ? 4 : p, exists = 0;
                o_unpack(&y, u, &got);
                if (u == 0) {
                    CHECK(!got.u.n && !(got.status & 63));
                    continue;
                }
                uint32_t v = 0, unit = u;
                for (; unit % p == 0; unit /= p) v++;
                uint32_t left = 1; // p^(N-v), the modulus of what is known of the unit
                for (uint32_t i = v; i < N; i++) left *= p;
                for (uint32_t t = 1; t < left && v % n == 0; t++) {
                    uint64_t power = 1;
                    if (t % p == 0) continue;
                    for (uint32_t i = 0; i < n; i++) power = power * t % left;
                    if (power != unit % left) continue;
                    exists = 1;
                    // Of the smallest residue (p = 2: 1 mod 4), the least: its unknown digits 0.
                    if (p == 2 && n % 2 == 0 && t % 4 != 1) continue;
                    const uint32_t class_ = p == 2 ? 0 : t % p;
                    if (class_ < best_class) best_class = class_, best = t;
                }
                if (!exists) {
                    if (got.status != O_NOPOWER || got.u.n)
                        printf("\n    p %u N %u: root %u of %u exists: %lu status %u", (unsigned)p,
                               (unsigned)N, (unsigned)n, (unsigned)u,
                               (unsigned long)big_low(&got.u), got.status);
                    CHECK(got.status == O_NOPOWER && !got.u.n);
                    continue;
                }
                for (uint32_t i = 0; i < v / n; i++) best *= p;
                const uint32_t known = v / n + (N - v > e ? N - v - e : 1);
                const int lost = known < N;
                if (big_low(&got.u) != best || got.status != (lost ? (unsigned)O_PRECLOSS : 0u))
                    printf("\n    p %u N %u: root %u of %u is %lu status %u, not %u", (unsigned)p,
                           (unsigned)N, (unsigned)n, (unsigned)u, (unsigned long)big_low(&got.u),
                           got.status, (unsigned)best);
                CHECK_EQ(big_low(&got.u), best);
                CHECK_EQ(got.status, lost ? (unsigned)O_PRECLOSS : 0u);
                // All of them: the first is that one, each is a root, no two are in one class.
                uint64_t seen = 0;
                for (uint32_t j = 0; j < roots; j++) {
                    o_unpack(&all, (size_t)j * P + u, &a);
                    const uint64_t t = big_low(&a.u);
                    uint64_t power = 1;
                    for (uint32_t i = 0; i < n; i++) power = power * t % P;
                    CHECK_EQ(power, u);
                    if (j == 0) CHECK_EQ(t, best);
                    if (v == 0 && (p > 2 || N > e + 1)) {
                        const uint64_t bit = UINT64_C(1) << (t % (p == 2 ? 4 : p));
                        CHECK(!(seen & bit));
                        seen |= bit;
                    }
                }
            }
            narr_free(&all);
        }
        narr_free(&x);
        narr_free(&y);
    }
}

// The power of a root is the number again, in long rings and wide exponents.
static void powers_in(const padic_num_ring *ring, const oring *r, const form_case *f, int model)
{
    static const uint64_t exponents[] = {1, 2, 3, 5, 12, 64, 257, 1000003};
    const size_t n = r->N > 40 ? 4 : 20;
    narr x, y, z;
    onum a, b;
    if (r->p > 100000 && r->p % 4 == 1) return; // many roots of unity to search
    narr_new(&x, ring, model, n, 0);
    narr_new(&y, ring, model, n, 0);
    narr_new(&z, ring, model, n, 0);
    for (size_t k = 0; k < sizeof exponents / sizeof *exponents; k++) {
        const place at = {f->name, "root", r, model, (int64_t)exponents[k]};
        if (r->N > 400 && k > 3) continue;
        for (size_t i = 0; i < n; i++) {
            do random_num(r, model, &a);
            while (a.kind == O_NAN || a.v > 1000 || a.v < -1000);
            o_pow(r, model, &b, &a, (int64_t)exponents[k]);
            o_pack(&x, i, &b);
        }
        CHECK_EQ(padic_num_root(num_context(), &y.a, &x.a, exponents[k]), PADIC_OK);
        CHECK_EQ(padic_num_pow(num_context(), &z.a, &y.a, (int64_t)exponents[k]), PADIC_OK);
        for (size_t i = 0; i < n; i++) {
            o_unpack(&x, i, &a);
            o_unpack(&y, i, &b);
            if (b.status & O_NOPOWER) { // it has one: this is where it came from
                right(&at, &a, NULL, NULL, &a, &b);
                break;
            }
            o_unpack(&z, i, &b);
            a.status = b.status = 0;
            if (model == O_BALL) {
                onum d; // the ball of the power meets the ball
                o_sub(r, model, &d, &a, &b);
                if (d.kind == O_FINITE && d.n) {
                    right(&at, &a, NULL, NULL, &a, &b);
                    break;
                }
            } else if (model == O_FLOAT) { // its last e digits are not known
                uint32_t e = 0;
                for (uint64_t m = exponents[k]; m % r->p == 0; m /= r->p) e++;
                if (r->p == 2 && e) e++;
                if (a.kind == O_FINITE && e < r->N) {
                    big_mod(&a.u, &a.u, &r->pw[r->N - e]);
                    big_mod(&b.u, &b.u, &r->pw[r->N - e]);
                }
                if (e < r->N && !right(&at, &a, NULL, NULL, &a, &b)) break;
            } else if (!right(&at, &a, NULL, NULL, &a, &b)) {
                break;
            }
        }
    }
    CHECK_EQ(padic_num_root(num_context(), &y.a, &x.a, 0), PADIC_ERROR_ARGUMENT);
    narr_free(&x);
    narr_free(&y);
    narr_free(&z);
}
TEST(powers_of_roots)
{
    for_rings(powers_in, 300);
}

// x^s = exp(s log x), step by step.
static void pow_padic_in(const padic_num_ring *ring, const oring *r, const form_case *f, int model)
{
    const place at = {f->name, "pow_padic", r, model, 0};
    const size_t n = r->N > 40 ? 4 : 20;
    narr x, s, y;
    onum a, b, t, due, got;
    narr_new(&x, ring, model, n, 0);
    narr_new(&s, ring, model, n, 0);
    narr_new(&y, ring, model, n, 0);
    for (size_t i = 0; i < n; i++) {
        series_operand(LOG, r, model, &a);
        random_num(r, model, &b);
        if (b.v > 1000 || b.v < -1000) b.v = 0;
        o_pack(&x, i, &a);
        o_pack(&s, i, &b);
    }
    CHECK_EQ(padic_num_pow_padic(num_context(), &y.a, &x.a, &s.a), PADIC_OK);
    for (size_t i = 0; i < n; i++) {
        o_unpack(&x, i, &a);
        o_unpack(&s, i, &b);
        if (r->p == 2 && r->N > 1 && a.kind == O_FINITE && a.u.n && (a.u.w[0] & 3) == 3) {
            o_fail(model, &due, O_OUTSIDE);
            if (model == O_BALL && a.n < 2) continue;
        } else {
            if (model == O_BALL && r->p == 2 && a.n < 2) continue; // not known to be in 1 + 4 Z_2
            o_log(r, model, &t, &a, 0);
            if (t.kind == O_NAN) {
                o_copy(&due, &t);
            } else if (model == O_RING && t.status & 63) {
                o_copy(&due, &t), due.status = t.status;
            } else {
                o_mul(r, model, &t, &t, &b);
                o_exp(r, model, &due, &t);
            }
        }
        o_unpack(&y, i, &got);
        due.status &= 63;
        got.status &= due.kind == O_NAN ? 255 : 63;
        if (due.kind == O_NAN && got.kind == O_NAN) continue; // the first NaN, by either reading
        if (!right(&at, &a, &b, NULL, &due, &got)) break;
    }
    narr_free(&x);
    narr_free(&s);
    narr_free(&y);
}
TEST(pow_padic)
{
    for_rings(pow_padic_in, 64);
}

// ---- Hensel: products of linear factors, whose roots are known

static void hensel_in(const padic_num_ring *ring, const oring *r, const form_case *f, int model)
{
    enum { DEGREE = 4 };
    const place at = {f->name, "hensel", r, model, 0};
    narr c, seed, out;
    onum root[DEGREE], poly[DEGREE + 1], t, got, x, due;
    uint32_t found = 99;
    uint8_t guarantee = 99;
    if (model == O_BALL) return; // exact coefficients do not exist there; below
    big p;
    big_u64(&p, r->p);
    narr_new(&c, ring, model, DEGREE + 1, 0);
    narr_new(&seed, ring, model, 1, 0);
    for (int turn = 0; turn < (r->N > 40 ? 1 : 5); turn++) {
        const int distinct = r->p > DEGREE + 1;
        for (int k = 0; k < DEGREE; k++) { // distinct residues mod p where there are enough
            do random_num(r, model, &root[k]);
            while (root[k].kind != O_FINITE || !root[k].u.n);
            root[k].v = 0;
            if (distinct) {
                big_mod(&x.u, &root[k].u, &p);
                big_sub(&root[k].u, &root[k].u, &x.u);
                big_u64(&x.u, (uint64_t)k + 1);
                big_add(&root[k].u, &root[k].u, &x.u);
            }
        }
        // prod (x - root), in the ring: FLOAT coefficients are residues mod P split again.
        onum linear[DEGREE + 1];
        for (int k = 0; k <= DEGREE; k++) o_int(r, O_RING, &linear[k], k == 0);
        for (int k = 0; k < DEGREE; k++) {
            for (int j = k + 1; j >= 0; j--) {
                o_mul(r, O_RING, &t, &linear[j], &root[k]);
                o_neg(r, O_RING, &t, &t);
                if (j > 0)
                    o_add(r, O_RING, &linear[j], &t, &linear[j - 1]);
                else
                    o_copy(&linear[j], &t);
            }
        }
        for (int k = 0; k <= DEGREE; k++) {
            o_make(r, model, &poly[k], 0, &linear[k].u, (int64_t)r->N);
            o_pack(&c, (size_t)k, &poly[k]);
        }
        padic_num_hensel_desc desc = PADIC_ZERO;
        desc.coefficients = c.a;
        desc.terms = DEGREE + 1;
        if (distinct && r->N > 0) { // from seeds: the roots mod p
            narr_new(&out, ring, model, DEGREE, 0);
            narr seeds;
            narr_new(&seeds, ring, model, DEGREE, 0);
            for (int k = 0; k < DEGREE; k++) {
                o_int(r, model, &t, k + 1);
                o_pack(&seeds, (size_t)k, &t);
            }
            desc.out = out.a;
            desc.seeds = seeds.a;
            CHECK_EQ(padic_num_hensel(num_context(), &desc), PADIC_OK);
            for (int k = 0; k < DEGREE; k++) {
                o_make(r, model, &t, 0, &root[k].u, (int64_t)r->N);
                o_unpack(&out, (size_t)k, &got);
                if (!right(&at, NULL, NULL, NULL, &t, &got)) break;
            }
            o_int(r, model, &t, DEGREE + 1); // no root there
            if (r->p > DEGREE + 1) {
                o_pack(&seeds, 0, &t);
                CHECK_EQ(padic_num_hensel(num_context(), &desc), PADIC_OK);
                o_unpack(&out, 0, &got);
                o_fail(model, &due, O_OUTSIDE);
                right(&at, &t, NULL, NULL, &due, &got);
            }
            narr_free(&seeds);
            narr_free(&out);
        }
        if (r->p < 100000 && distinct) {
            narr_new(&out, ring, model, DEGREE + 2, 0);
            padic_num_polynomial_roots_desc all = PADIC_ZERO;
            all.coefficients = c.a;
            all.terms = DEGREE + 1;
            all.out = out.a;
            all.polynomials = 1;
            all.root_limit = DEGREE + 2;
            all.found = padic_tensor_1d(PADIC_U32, &found, 1);
            all.guarantee = padic_tensor_1d(PADIC_U8, &guarantee, 1);
            all.workspace = num_workspace(padic_num_polynomial_roots_workspace(&all));
            CHECK_EQ(padic_num_polynomial_roots(num_context(), &all), PADIC_OK);
            CHECK_EQ(found, DEGREE);
            CHECK_EQ(guarantee, PADIC_NUM_GUARANTEE_EXACT);
            for (int k = 0; k < DEGREE; k++) {
                o_make(r, model, &t, 0, &root[k].u, (int64_t)r->N);
                o_unpack(&out, (size_t)k, &got);
                if (!right(&at, NULL, NULL, NULL, &t, &got)) break;
            }
            num_workspace_end(&all.workspace);
            narr_free(&out);
        }
    }
    narr_free(&c);
    narr_free(&seed);
}
TEST(hensel)
{
    for_rings(hensel_in, 130);
}

// All integer roots of small polynomials modulo p^N, by trying every residue; branching.
TEST(hensel_exhaustive)
{
    static const ring_case small[] = {
        {2, 9, PADIC_NUM_B2}, {3, 6, PADIC_NUM_W32}, {5, 4, PADIC_NUM_W32}, {7, 3, PADIC_NUM_W32}};
    for (size_t c = 0; c < 4; c++) {
        const uint64_t p = small[c].p;
        padic_num_ring ring;
        oring r;
        uint32_t P = 1;
        for (uint32_t i = 0; i < small[c].N; i++) P *= (uint32_t)p;
        CHECK_EQ(padic_num_ring_init(&ring, p, small[c].N, NULL), PADIC_OK);
        o_ring(&r, p, small[c].N);
        for (int turn = 0; turn < (test_tiny ? 30 : 300); turn++) {
            enum { TERMS = 4, MOST_ROOTS = 16 };
            narr coefficients, out;
            onum t;
            uint32_t found = 0;
            uint8_t guarantee = 9;
            int64_t k[TERMS] = {0, 0, 0, 0}, roots[3];
            // (x - a)(x - b)(x - c): integer roots, some near each other
            for (int j = 0; j < 3; j++) roots[j] = (int64_t)(test_random() % 60) - 30;
            if (roots[0] == roots[1] || roots[1] == roots[2] || roots[0] == roots[2]) continue;
            k[3] = 1;
            k[2] = -(roots[0] + roots[1] + roots[2]);
            k[1] = roots[0] * roots[1] + roots[1] * roots[2] + roots[0] * roots[2];
            k[0] = -roots[0] * roots[1] * roots[2];
            narr_new(&coefficients, &ring, O_RING, TERMS, 0);
            narr_new(&out, &ring, O_RING, MOST_ROOTS, 0);
            for (size_t j = 0; j < TERMS; j++) {
                o_int(&r, O_RING, &t, k[j]);
                o_pack(&coefficients, j, &t);
            }
            for (uint32_t branches = 0; branches < 200; branches += 100) {
                padic_num_polynomial_roots_desc all = PADIC_ZERO;
                all.coefficients = coefficients.a;
                all.terms = TERMS;
                all.out = out.a;
                all.polynomials = 1;
                all.root_limit = MOST_ROOTS;
                all.branches = branches;
                all.found = padic_tensor_1d(PADIC_U32, &found, 1);
                all.guarantee = padic_tensor_1d(PADIC_U8, &guarantee, 1);
                all.workspace = num_workspace(padic_num_polynomial_roots_workspace(&all));
                CHECK_EQ(padic_num_polynomial_roots(num_context(), &all), PADIC_OK);
                num_workspace_end(&all.workspace);
                CHECK(found <= 3);
                if (guarantee == PADIC_NUM_GUARANTEE_EXACT) CHECK_EQ(found, 3);
                for (uint32_t j = 0; j < found && j < MOST_ROOTS; j++) {
                    // Each is one of the three modulo some p^m, m = N - s, s from f'.
                    o_unpack(&out, j, &t);
                    const int64_t y = (int64_t)big_low(&t.u);
                    int near = 0;
                    for (int q = 0; q < 3; q++) {
                        int64_t d = roots[q] - y, derivative = 1, modulus = (int64_t)P;
                        for (int o = 0; o < 3; o++)
                            if (o != q) derivative *= roots[q] - roots[o];
                        for (; derivative % (int64_t)p == 0 && modulus > 1; modulus /= (int64_t)p)
                            derivative /= (int64_t)p;
                        near += d % modulus == 0;
                    }
                    if (!near)
                        printf("\n    p %d: %ld is no root of (x - %ld)(x - %ld)(x - %ld)", (int)p,
                               (long)y, (long)roots[0], (long)roots[1], (long)roots[2]);
                    CHECK(near);
                }
            }
            narr_free(&coefficients);
            narr_free(&out);
        }
        o_ring_free(&r);
    }
}

// ---- precision, prime

static void precision_in(const padic_num_ring *ring, const oring *r, const form_case *f, int model)
{
    const uint32_t digits[] = {1, r->N / 2 + 1, r->N, r->N + 1, 2 * r->N + 1};
    narr x, y;
    onum a, due, got;
    narr_new(&x, ring, model, COUNT, 0);
    for (size_t i = 0; i < COUNT; i++) {
        random_num(r, model, &a);
        o_pack(&x, i, &a);
    }
    for (size_t k = 0; k < sizeof digits / sizeof *digits; k++) {
        for (int g = 0; g < FORMS; g += 6) { // smallest and RX
            padic_num_ring to;
            oring o;
            const place at = {f->name, "set_precision", r, model, (int64_t)digits[k]};
            if (digits[k] > 130 || !ring_in(&to, r->p, digits[k], &forms[g])) continue;
            o_ring(&o, r->p, digits[k]);
            narr_new(&y, &to, model, COUNT, 0);
            narr_workspace(&y, padic_num_workspace(ring));
            CHECK_EQ(padic_num_set_precision(num_context(), &y.a, &x.a), PADIC_OK);
            for (size_t i = 0; i < COUNT; i++) {
                o_unpack(&x, i, &a);
                o_set_precision(&o, r, model, &due, &a);
                o_unpack(&y, i, &got);
                if (!right(&at, &a, NULL, NULL, &due, &got)) break;
            }
            narr_free(&y);
            o_ring_free(&o);
        }
    }
    narr_free(&x);
}
TEST(set_precision)
{
    for_rings(precision_in, 64);
}

// n / d within the default bounds of k digits, or anything.
static int random_fraction(const oring *r, big *n, big *d, uint32_t k)
{
    big bound, g;
    o_bound(r, &bound, k);
    big_add(&bound, &bound, &r->pw[0]);
    random_below(n, &bound);
    do {
        random_below(d, &bound);
        if (!d->n) big_u64(d, 1);
        big_gcd(&g, n, d);
        big_divide(n, NULL, n, &g);
        big_divide(d, NULL, d, &g);
        big_copy(&g, d);
    } while (big_strip(&g, r->p) > 0); // its denominator is prime to p
    if (n->n) n->neg = (int)(test_random() % 2);
    return 1;
}

static void prime_in(const padic_num_ring *ring, const oring *r, const form_case *f, int model)
{
    static const ring_case targets[] = {{5, 27, PADIC_NUM_W64},
                                        {2, 64, PADIC_NUM_B2},
                                        {257, 15, PADIC_NUM_W128},
                                        {3, 100, PADIC_NUM_RX}};
    narr x, y;
    onum a, due, got;
    narr_new(&x, ring, model, COUNT, 0);
    for (size_t i = 0; i < COUNT; i++) {
        random_num(r, model, &a);
        if (a.kind == O_FINITE && (a.v > 9 || a.v < -9)) a.v = 1;
        if (i % 2 && r->N > 1) {
            big n, d;
            random_fraction(r, &n, &d, r->N - 1);
            o_rational(r, model, &a, &n, &d, 0);
            a.status = 0;
        }
        o_pack(&x, i, &a);
    }
    for (size_t k = 0; k < 4; k++) {
        padic_num_ring to;
        oring o;
        const place at = {f->name, "change_prime", r, model, (int64_t)targets[k].p};
        CHECK_EQ(padic_num_ring_init(&to, targets[k].p, targets[k].N, NULL), PADIC_OK);
        o_ring(&o, targets[k].p, targets[k].N);
        narr_new(&y, &to, model, COUNT, 0);
        narr_workspace(&y, padic_num_workspace(ring));
        CHECK_EQ(padic_num_change_prime(num_context(), &y.a, &x.a), PADIC_OK);
        for (size_t i = 0; i < COUNT; i++) {
            big n, d, bound, scale;
            o_unpack(&x, i, &a);
            const uint32_t digits = model == O_BALL ? a.n : r->N;
            if (a.kind == O_NAN) {
                o_copy(&due, &a);
            } else if (a.kind == O_ZERO) {
                o_int(&o, model, &due, 0);
            } else if (model == O_BALL && !a.n) {
                o_fail(model, &due, O_RATREC);
            } else {
                o_bound(r, &bound, digits - 1);
                if (!o_reconstruct(r, &n, &d, &a.u, digits, &bound, &bound)) {
                    o_fail(model, &due, O_RATREC);
                } else {
                    big_u64(&scale, r->p);
                    big_power(&scale, &scale, (uint64_t)(a.v < 0 ? -a.v : a.v));
                    if (a.v < 0)
                        big_mul(&d, &d, &scale);
                    else
                        big_mul(&n, &n, &scale);
                    o_rational(&o, model, &due, &n, &d, 0);
                }
            }
            o_unpack(&y, i, &got);
            if (!right(&at, &a, NULL, NULL, &due, &got)) break;
        }
        narr_free(&y);
        o_ring_free(&o);
    }
    narr_free(&x);
}
TEST(change_prime)
{
    for_rings(prime_in, 64);
}

// ---- rational reconstruction

static void check_fraction(const place *at, const onum *a, const big *n, const big *d,
                           unsigned bits, const padic_num_to_rational_desc *to, padic_dtype dtype,
                           size_t words, size_t i, size_t count, unsigned status)
{
    big zero, num, den;
    big_u64(&zero, 0);
    if (!bits && !(fits(dtype, words, n) && fits(dtype, words, d))) bits = O_RANGE;
    load_integer(&num, dtype, to->numerator.data, i, count, words);
    load_integer(&den, dtype, to->denominator.data, i, count, words);
    if (!said(at, a, bits, status)) return;
    if (big_cmp(bits ? &zero : n, &num) || big_cmp(bits ? &zero : d, &den)) {
        print_num(at->what, a);
        printf("\n    n 0x%lx (%d words, not %d) d 0x%lx (%d words, not %d), not 0x%lx / 0x%lx",
               (unsigned long)big_low(&num), num.n, n->n, (unsigned long)big_low(&den), den.n, d->n,
               (unsigned long)big_low(n), (unsigned long)big_low(d));
        test_failed(__FILE__, __LINE__, "fraction");
    }
}

static void ratrec_in(const padic_num_ring *ring, const oring *r, const form_case *f, int model)
{
    uint64_t data[2][COUNT * 20];
    uint8_t status[COUNT];
    narr x;
    onum a;
    big n, d, nmax, dmax, scale;
    narr_new(&x, ring, model, COUNT, 0);
    for (int turn = 0; turn < 9; turn++) {
        const uint32_t g = (uint32_t)turn % 3; // guard digits
        const size_t words = turn < 2 ? 0 : turn < 4 ? 1 : turn < 6 ? 2 : 20;
        const padic_dtype dtype = turn == 0 ? PADIC_I32 : turn == 1 ? PADIC_I64 : PADIC_U64;
        const place at = {f->name, "to_rational", r, model, turn};
        padic_num_to_rational_desc to = PADIC_ZERO;
        if (r->N <= g) continue;
        to.in = x.a;
        to.numerator = integers(dtype, data[0], COUNT, words);
        to.denominator = integers(dtype, data[1], COUNT, words);
        to.guard = g ? g : PADIC_NUM_RATIONAL_NO_GUARD;
        to.status = padic_tensor_1d(PADIC_U8, status, COUNT);
        const int own = turn % 4 == 3 && model != O_BALL; // bounds of the caller
        if (own) {
            to.numerator_limit[0] = 1 + test_random() % 1000;
            to.denominator_limit[0] = 1 + test_random() % 1000;
        }
        big_u64(&nmax, to.numerator_limit[0]);
        big_u64(&dmax, to.denominator_limit[0]);
        for (size_t i = 0; i < COUNT; i++) {
            random_num(r, model, &a);
            if (a.kind == O_FINITE && (a.v > 9 || a.v < -9)) a.v %= 9;
            if (i % 3 && random_fraction(r, &n, &d, r->N - g)) {
                o_rational(r, model, &a, &n, &d, 0);
                a.status = 0;
            } else if (i % 5 == 1) { // small
                o_int(r, model, &a, (int64_t)(test_random() % 2001) - 1000);
            }
            o_pack(&x, i, &a);
        }
        const padic_result result = padic_num_to_rational(num_context(), &to);
        if (own) {
            big product;
            big_mul(&product, &nmax, &dmax);
            big_add(&product, &product, &product);
            const int fits_ring = big_cmp(&product, &r->pw[r->N - g]) < 0;
            CHECK_EQ(result, fits_ring ? PADIC_OK : PADIC_ERROR_ARGUMENT);
            if (!fits_ring) continue;
        } else {
            CHECK_EQ(result, PADIC_OK);
        }
        for (size_t i = 0; i < COUNT; i++) {
            unsigned bits = 0;
            o_unpack(&x, i, &a);
            const uint32_t digits = model == O_BALL ? a.n : r->N;
            big_u64(&n, 0);
            big_u64(&d, 1);
            if (a.kind == O_NAN)
                bits = (unsigned)big_low(&a.u);
            else if (a.kind == O_FINITE && model == O_BALL && a.n <= g)
                bits = O_RATREC;
            else if (a.kind == O_FINITE && a.u.n) {
                if (!own) {
                    o_bound(r, &nmax, digits - g);
                    o_bound(r, &dmax, digits - g);
                }
                if (!o_reconstruct(r, &n, &d, &a.u, digits, &nmax, &dmax)) {
                    bits = O_RATREC;
                } else {
                    big_u64(&scale, r->p);
                    big_power(&scale, &scale, (uint64_t)(a.v < 0 ? -a.v : a.v));
                    if (a.v < 0)
                        big_mul(&d, &d, &scale);
                    else
                        big_mul(&n, &n, &scale);
                }
            }
            check_fraction(&at, &a, &n, &d, bits, &to, dtype, words, i, COUNT, status[i]);
        }
    }
    narr_free(&x);
}
TEST(to_rational)
{
    for_rings(ratrec_in, test_tiny ? 24 : 130);
}

// One denominator for a vector, given denominators.
static void vectors_in(const padic_num_ring *ring, const oring *r, const form_case *f, int model)
{
    enum { VECTORS = 8, LENGTH = 5 };
    int64_t num[VECTORS * LENGTH], den[VECTORS * LENGTH], n[VECTORS * LENGTH], d[VECTORS];
    uint8_t status[VECTORS * LENGTH];
    narr x;
    onum a;
    big bn, bd;
    if (model == O_BALL || big_bits(&r->pw[r->N - 1]) < 60) return;
    narr_new(&x, ring, model, VECTORS * LENGTH, 0);
    for (int v = 0; v < VECTORS; v++) {
        do d[v] = 1 + (int64_t)(test_random() % 3000);
        while (d[v] % (int64_t)r->p == 0);
        for (int i = 0; i < LENGTH; i++) {
            const int k = v * LENGTH + i;
            n[k] = (int64_t)(test_random() % 20001) - 10000;
            if (i == 0) n[k] = 1; // so that d is the least common denominator
            big_i64(&bn, n[k]);
            big_i64(&bd, d[v]);
            o_rational(r, model, &a, &bn, &bd, 0);
            o_pack(&x, (size_t)k, &a);
        }
    }
    const place at = {f->name, "common denominator", r, model, 0};
    padic_num_to_rational_desc to = PADIC_ZERO;
    to.in = x.a;
    to.mode = PADIC_NUM_RATIONAL_COMMON;
    to.vector = LENGTH;
    to.numerator = padic_tensor_1d(PADIC_I64, num, VECTORS * LENGTH);
    to.denominator = padic_tensor_1d(PADIC_I64, den, VECTORS * LENGTH);
    to.status = padic_tensor_1d(PADIC_U8, status, VECTORS * LENGTH);
    to.numerator_limit[0] = 10000;
    to.denominator_limit[0] = 3000;
    CHECK_EQ(padic_num_to_rational(num_context(), &to), PADIC_OK);
    for (int k = 0; k < VECTORS * LENGTH; k++) {
        if (!said(&at, NULL, 0, status[k])) break;
        CHECK_EQ(den[k], d[k / LENGTH]);
        CHECK_EQ(num[k], n[k]);
    }
    to.vector = 7;
    CHECK_EQ(padic_num_to_rational(num_context(), &to), PADIC_ERROR_MISMATCH);
    // Over a given denominator: those of the first vector are integers over it, all others are so
    // only if theirs divides it; what is no integer below the bound is not found.
    to.mode = PADIC_NUM_RATIONAL_FIXED;
    to.vector = 0;
    to.numerator_limit[0] = 20000;
    to.denominator_limit[0] = 0;
    to.fixed[0] = (uint64_t)(2 * d[0]);
    CHECK_EQ(padic_num_to_rational(num_context(), &to), PADIC_OK);
    for (int k = 0; k < VECTORS * LENGTH; k++) {
        const int64_t over = 2 * d[0] * n[k];
        if (over % d[k / LENGTH]) {
            said(&at, NULL, O_RATREC, status[k]);
        } else if (k < LENGTH) {
            said(&at, NULL, 0, status[k]);
            CHECK_EQ(num[k], 2 * n[k]);
            CHECK_EQ(den[k], 2 * d[0]);
        }
    }
    to.fixed[0] = 0;
    CHECK_EQ(padic_num_to_rational(num_context(), &to), PADIC_ERROR_ARGUMENT);
    // Maximal quotient: no bounds, short fractions.
    if (big_bits(o_P(r)) > 100) {
        to.mode = PADIC_NUM_RATIONAL_QUOTIENT;
        to.numerator_limit[0] = 0;
        CHECK_EQ(padic_num_to_rational(num_context(), &to), PADIC_OK);
        for (int k = 0; k < VECTORS * LENGTH; k++) {
            if (!said(&at, NULL, 0, status[k])) break;
            CHECK(num[k] * d[k / LENGTH] == n[k] * den[k] && den[k] > 0);
        }
    }
    narr_free(&x);
}
TEST(vectors)
{
    for_rings(vectors_in, 130);
}

// ---- determinants and systems

static void random_matrix(padic_dtype dtype, int64_t *a, int n, int kind)
{
    for (int i = 0; i < n * n; i++) {
        int64_t x = (int64_t)test_random() >> (kind == 0   ? 58
                                               : kind == 1 ? 44
                                               : kind == 2 ? 33
                                                           : 1);
        if (dtype == PADIC_I32) x = (int32_t)(uint32_t)((uint64_t)x & 0xffffffffu);
        a[i] = x;
    }
    if (kind == 4 && n > 1) memcpy(a, a + (n - 1) * n, (size_t)n * 8); // two equal rows
    if (kind == 5 && n > 2) { // multiples of 257 and of 2 on the diagonal
        for (int i = 0; i < n * n; i++) a[i] = (int64_t)(test_random() % 7) - 3;
        for (int i = 0; i < n; i++) a[i * n + i] *= i % 2 ? 257 : 2;
    }
}

static void load_words(big *out, const uint64_t *plane, size_t i, size_t count, size_t words)
{
    load_integer(out, PADIC_U64, plane, i, count, words);
}

TEST(determinants)
{
    enum { WORDS = 20, BATCH = 3 };
    for (int n = 1; n <= 12; n++) {
        for (int kind = 0; kind < 6; kind++) {
            const padic_dtype dtype = kind < 3 && n % 2 ? PADIC_I32 : PADIC_I64;
            int64_t a[BATCH * 144];
            int32_t narrow[BATCH * 144];
            uint64_t out[WORDS * BATCH];
            uint32_t bound[BATCH];
            uint8_t status[BATCH];
            big m[144], due[BATCH], got;
            if (test_tiny && n > 6) continue;
            for (int b = 0; b < BATCH; b++) {
                random_matrix(dtype, a + b * n * n, n, kind);
                for (int i = 0; i < n * n; i++) {
                    big_i64(&m[i], a[b * n * n + i]);
                    narrow[b * n * n + i] = (int32_t)a[b * n * n + i];
                }
                big_det(&due[b], m, n);
            }
            padic_num_det_desc desc = PADIC_ZERO;
            desc.matrix = padic_tensor_3d(dtype, dtype == PADIC_I32 ? (void *)narrow : (void *)a,
                                          BATCH, (uint64_t)n, (uint64_t)n);
            desc.out = padic_tensor_2d(PADIC_U64, out, WORDS, BATCH);
            desc.status = padic_tensor_1d(PADIC_U8, status, BATCH);
            desc.workspace = num_workspace(padic_num_det_workspace(&desc));
            CHECK_EQ(padic_num_det(num_context(), &desc), PADIC_OK);
            const padic_tensor bits = padic_tensor_1d(PADIC_U32, bound, BATCH);
            CHECK_EQ(num_hadamard(num_context(), &bits, &desc.matrix), PADIC_OK);
            for (size_t b = 0; b < BATCH; b++) {
                load_words(&got, out, b, BATCH, WORDS);
                if (big_cmp(&got, &due[b])) printf("\n    det n %d kind %d", n, kind);
                CHECK(!big_cmp(&got, &due[b]));
                CHECK_EQ(status[b], 0);
                CHECK(big_bits(&due[b]) <= (int)bound[b]);
                CHECK((int)bound[b] <= n * (64 + 4));
            }
            int32_t small[BATCH];
            desc.out = padic_tensor_1d(PADIC_I32, small, BATCH);
            CHECK_EQ(padic_num_det(num_context(), &desc), PADIC_OK);
            for (size_t b = 0; b < BATCH; b++) {
                const int fit = fits(PADIC_I32, 0, &due[b]);
                CHECK_EQ(status[b], fit ? 0 : O_RANGE);
                big_i64(&got, small[b]);
                if (fit)
                    CHECK(!big_cmp(&got, &due[b]));
                else
                    CHECK_EQ(small[b], 0);
            }
            num_workspace_end(&desc.workspace);
        }
    }
}

TEST(systems)
{
    enum { WORDS = 14, SIDES = 2 };
    for (int n = 1; n <= 8; n++) {
        for (int kind = 0; kind < 6; kind++) {
            int64_t a[64], b[8 * SIDES];
            uint64_t num[WORDS * 8 * SIDES], den[WORDS * SIDES], det_words[WORDS];
            uint32_t rank = 99;
            uint8_t status = 99;
            big m[64], det, x[8], g, t, common;
            if (test_tiny && n > 4) continue;
            random_matrix(PADIC_I64, a, n, kind);
            for (int i = 0; i < n * SIDES; i++)
                b[i] = (int64_t)test_random() >> (kind == 3 ? 2 : 50);
            if (n == 3 && kind == 1)
                for (int i = 0; i < n; i++) b[i * SIDES] = 0;
            for (int i = 0; i < n * n; i++) big_i64(&m[i], a[i]);
            big_det(&det, m, n);
            padic_num_solve_desc s = PADIC_ZERO;
            s.matrix = padic_tensor_2d(PADIC_I64, a, (uint64_t)n, (uint64_t)n);
            s.right = padic_tensor_2d(PADIC_I64, b, (uint64_t)n, SIDES);
            s.numerator = padic_tensor_3d(PADIC_U64, num, WORDS, (uint64_t)n, SIDES);
            s.denominator = padic_tensor_2d(PADIC_U64, den, WORDS, SIDES);
            s.det = padic_tensor_2d(PADIC_U64, det_words, WORDS, 1);
            s.rank = padic_tensor_1d(PADIC_U32, &rank, 1);
            s.status = padic_tensor_1d(PADIC_U8, &status, 1);
            s.verify = kind % 2 ? 1 : 0;
            s.workspace = num_workspace(padic_num_solve_workspace(&s));
            CHECK_EQ(padic_num_solve(num_context(), &s), PADIC_OK);
            load_words(&t, det_words, 0, 1, WORDS);
            CHECK(!big_cmp(&t, &det));
            for (int side = 0; side < SIDES; side++) {
                load_words(&common, den, (size_t)side, SIDES, WORDS);
                if (!det.n) {
                    CHECK(!common.n && status == O_DIV0 && rank < (uint32_t)n);
                    continue;
                }
                CHECK_EQ(status, 0);
                CHECK_EQ(rank, n);
                big_u64(&g, 0); // x_i = det A_i / det A in lowest terms together
                for (int i = 0; i < n; i++) {
                    for (int k = 0; k < n * n; k++)
                        big_i64(&m[k], k % n == i ? b[k / n * SIDES + side] : a[k]);
                    big_det(&x[i], m, n);
                    big_gcd(&g, &g, &x[i]);
                }
                big_gcd(&g, &g, &det);
                big_divide(&t, NULL, &det, &g);
                const int flip = t.neg;
                t.neg = 0;
                if (big_cmp(&t, &common)) printf("\n    solve n %d kind %d side %d", n, kind, side);
                CHECK(!big_cmp(&t, &common));
                for (int i = 0; i < n; i++) {
                    const int neg = x[i].neg ^ flip;
                    x[i].neg = 0;
                    big_divide(&x[i], NULL, &x[i], &g);
                    if (x[i].n) x[i].neg = neg;
                    load_words(&t, num, (size_t)(i * SIDES + side), (size_t)n * SIDES, WORDS);
                    CHECK(!big_cmp(&t, &x[i]));
                }
            }
            // Modulo p^N: A x = b again, or a determinant that p divides.
            static const ring_case modulo[] = {{257, 6, PADIC_NUM_W49},
                                               {2, 20, PADIC_NUM_B2},
                                               {5, 27, PADIC_NUM_W64},
                                               {3, 60, PADIC_NUM_W128},
                                               {257, 40, PADIC_NUM_RX}};
            for (size_t q = 0; q < 5; q++) {
                padic_num_ring ring;
                oring r;
                narr out;
                onum y, p, sum;
                CHECK_EQ(padic_num_ring_init(&ring, modulo[q].p, modulo[q].N, NULL), PADIC_OK);
                o_ring(&r, modulo[q].p, modulo[q].N);
                narr_new(&out, &ring, O_RING, (size_t)n * SIDES, 0);
                padic_num_solve_desc z = PADIC_ZERO;
                z.matrix = s.matrix;
                z.right = s.right;
                z.out = out.a;
                z.rank = s.rank;
                z.status = s.status;
                z.workspace = num_workspace(padic_num_solve_workspace(&z));
                CHECK_EQ(padic_num_solve(num_context(), &z), PADIC_OK);
                num_workspace_end(&z.workspace);
                big_copy(&t, &det);
                const int unit = det.n && big_strip(&t, r.p) == 0;
                CHECK_EQ(status, unit ? 0 : O_NONUNIT);
                if (unit)
                    CHECK_EQ(rank, n);
                else
                    CHECK(rank < (uint32_t)n);
                for (int side = 0; side < SIDES; side++) {
                    for (int i = 0; i < n; i++) {
                        o_special(&sum, O_FINITE, 0);
                        for (int k = 0; k < n; k++) {
                            o_unpack(&out, (size_t)(k * SIDES + side), &y);
                            if (!unit) CHECK(!y.u.n);
                            o_int(&r, O_RING, &p, a[i * n + k]);
                            o_mul(&r, O_RING, &y, &y, &p);
                            o_add(&r, O_RING, &sum, &sum, &y);
                        }
                        o_int(&r, O_RING, &p, b[i * SIDES + side]);
                        if (unit) CHECK(!big_cmp(&p.u, &sum.u));
                    }
                }
                narr_free(&out);
                o_ring_free(&r);
            }
            num_workspace_end(&s.workspace);
        }
    }
}

TEST_MAIN("num_oracle", CASE(ints), CASE(rationals), CASE(from_floats), CASE(to_floats),
          CASE(digits), CASE(digits_out_of_range), CASE(random_numbers), CASE(least_precision),
          CASE(text), CASE(texts), CASE(bytes), CASE(roots_and_series), CASE(series_exhaustive),
          CASE(roots_exhaustive), CASE(powers_of_roots), CASE(pow_padic), CASE(hensel),
          CASE(hensel_exhaustive), CASE(set_precision), CASE(change_prime), CASE(to_rational),
          CASE(vectors), CASE(determinants), CASE(systems))
