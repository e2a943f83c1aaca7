#include "each_answers_test.h"
#include "../../core/tensor.h"
#include "../../num/array.h"
#include "../../num/reduction.h"
#include "../../num/series_calls.h"
#include "params.h"

#if PADICI_IMPLEMENT_GPU && !defined(PADIC_NO_NUM)

// What the host answers in the test of a variant.

// Of padici_test_num_host(): comparisons.
PADICI_FN PADICI_NOINLINE void padici_test_num_compares(padici_test_num *t, uint32_t *sticky)
{
    const uint64_t n = t->count;
    padic_num_valuation_desc desc;
    if (t->op == 12) { // a plane of n bytes
        const padic_tensor bytes = padic_tensor_1d(PADIC_U8, t->other[0], n);
        padic_num_equal(NULL, &bytes, &t->a, &t->b, 2);
        return;
    }
    memset(&desc, 0, sizeof desc);
    desc.in = t->a;
    desc.other = t->b;
    desc.val = padic_tensor_1d(PADIC_I32, t->other[0], n);
    if (t->norm) desc.norm = padic_tensor_1d(t->dtype, t->other[1], n);
    desc.status = padic_tensor_1d(PADIC_U8, t->x.status.data, t->x.count);
    desc.sticky = sticky;
    padic_num_valuation(NULL, &desc);
}

// Of padici_test_num_host(): a polynomial.
PADICI_FN PADICI_NOINLINE void padici_test_num_horner(padici_test_num *t)
{
    t->polynomial.out = t->x;
    t->polynomial.x = t->a;
    t->polynomial.coefficients = t->c;
    t->polynomial.terms = 3;
    padic_num_horner(NULL, &t->polynomial);
}

PADICI_FN PADICI_NOINLINE void padici_test_num_hensel(padici_test_num *t)
{
    padic_num_hensel_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.out = t->x;
    desc.coefficients = t->c;
    desc.terms = 3;
    desc.seeds = t->a;
    padic_num_hensel(NULL, &desc);
}

PADICI_FN PADICI_NOINLINE void padici_test_num_squares(const padic_num_array *c)
{
    const padic_num_ring *r = c->ring;
    uint32_t i, j;
    for (i = 0; i < PADICI_TEST_NUM_POLYNOMIALS; i++)
        for (j = 0; j < 3; j++) {
            padic_num_value v = {0, 0, {0, 0}};
            if (i % 5) {
                padic_num_get(c, j * (uint64_t)PADICI_TEST_NUM_POLYNOMIALS + i, &v);
                if (v.v > 1 && v.v != PADIC_NUM_ZERO) v.v = (int32_t)(i + j) % 2;
                padic_num_set(c, j * (uint64_t)PADICI_TEST_NUM_POLYNOMIALS + i, &v);
                continue;
            }
            v.n = r->precision;
            v.u[0] = j == 2 ? 1 : j == 0 ? r->modulus[0] - 1 : 0;
            if (c->model == PADIC_NUM_RING && j == 0) v.u[0] = r->modulus[0] - r->p * r->p;
            if (c->model != PADIC_NUM_RING) v.v = j == 1 ? PADIC_NUM_ZERO : j == 0 ? 2 : 0;
            if (j == 1) v.n = c->model == PADIC_NUM_RING ? v.n : 0;
            padic_num_set(c, j * (uint64_t)PADICI_TEST_NUM_POLYNOMIALS + i, &v);
        }
}

PADICI_FN PADICI_NOINLINE void padici_test_num_hensel_all(padici_test_num *t)
{
    uint64_t workspace[9 + PADICI_NUM_TEMPS + 2 * PADICI_TEST_NUM_BRANCHES];
    padic_num_hensel_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.out = t->x;
    desc.coefficients = t->c;
    desc.terms = desc.most = 3;
    desc.polynomials = PADICI_TEST_NUM_POLYNOMIALS;
    desc.branches = PADICI_TEST_NUM_BRANCHES;
    desc.found = padic_tensor_1d(PADIC_U32, t->other[0], desc.polynomials);
    desc.guarantee = padic_tensor_1d(PADIC_U8, t->other[1], desc.polynomials);
    desc.workspace = workspace;
    desc.workspace_size = sizeof workspace;
    padic_num_hensel(NULL, &desc);
}

// Of padici_test_num_host(): conversions.
PADICI_FN PADICI_NOINLINE void padici_test_num_converts(padici_test_num *t, uint32_t *sticky)
{
    const uint64_t shape[2] = {t->ring.precision, t->count};
    const padic_tensor wide = padic_tensor_1d(t->dtype, t->other[0], t->count);
    const padic_tensor digits = padic_tensor_nd(t->dtype, t->other[0], 2, shape);
    union { // one at a time, for the frame
        padic_num_to_digits_desc to_digits;
        padic_num_from_digits_desc from_digits;
        padic_num_from_int_desc from_int;
        padic_num_to_int_desc to_int;
        padic_num_from_float_desc from_float;
        padic_num_to_float_desc to_float;
    } d;
    memset(&d, 0, sizeof d);
    if (t->op == 14) {
        d.to_digits.in = t->a;
        d.to_digits.digits = digits;
        d.to_digits.kind = (padic_num_digit_kind)t->kind;
        d.to_digits.status = padic_tensor_1d(PADIC_U8, t->x.status.data, t->x.count);
        d.to_digits.sticky = sticky;
        padic_num_to_digits(NULL, &d.to_digits);
    } else if (t->op == 15) {
        d.from_digits.out = t->x;
        d.from_digits.digits = digits;
        d.from_digits.kind = (padic_num_digit_kind)t->kind;
        padic_num_from_digits(NULL, &d.from_digits);
    } else if (t->op == 16) {
        d.from_int.out = t->x;
        d.from_int.in = wide;
        padic_num_from_int(NULL, &d.from_int);
    } else if (t->op == 17) {
        d.to_int.in = t->a;
        d.to_int.out = wide;
        d.to_int.mode = PADIC_NUM_BALANCED;
        d.to_int.status = padic_tensor_1d(PADIC_U8, t->x.status.data, t->x.count);
        d.to_int.sticky = sticky;
        padic_num_to_int(NULL, &d.to_int);
    } else if (t->op == 22) {
        d.from_float.out = t->x;
        d.from_float.in = wide;
        padic_num_from_float(NULL, &d.from_float);
    } else if (t->op == 23) {
        d.to_float.in = t->a;
        d.to_float.out = wide;
        d.to_float.mode =
            t->ring.p == 2 || t->kind == 2 ? PADIC_NUM_DIRECT : PADIC_NUM_SCALED;
        d.to_float.status = padic_tensor_1d(PADIC_U8, t->x.status.data, t->x.count);
        d.to_float.sticky = sticky;
        padic_num_to_float(NULL, &d.to_float);
    }
}

// Of padici_test_num_host(): fractions.
PADICI_FN PADICI_NOINLINE void padici_test_num_fractions(padici_test_num *t, uint32_t *sticky)
{
    const padic_dtype dtype = t->op == 21 ? PADIC_I64 : t->dtype;
    const padic_tensor wide = padic_tensor_1d(dtype, t->other[0], t->count);
    const padic_tensor wide1 = padic_tensor_1d(dtype, t->other[1], t->count);
    if (t->op == 20) {
        padic_num_from_rational_desc desc;
        memset(&desc, 0, sizeof desc);
        desc.out = t->x;
        desc.numerator = wide;
        desc.denominator = wide1;
        padic_num_from_rational(NULL, &desc);
    } else {
        padic_num_to_rational_desc desc;
        memset(&desc, 0, sizeof desc);
        desc.in = t->a;
        desc.numerator = wide;
        desc.denominator = wide1;
        desc.most_numerator[0] = desc.most_denominator[0] = 1000;
        if (t->kind) {
            desc = t->fraction;
            desc.in = t->a; // of the answer
            desc.numerator = wide;
            desc.denominator = wide1;
        }
        desc.status = padic_tensor_1d(PADIC_U8, t->x.status.data, t->x.count);
        desc.sticky = sticky;
        padic_num_to_rational(NULL, &desc);
    }
}

// The operation on the host, over the answer. Sums: padici_test_num_sums().
PADICI_FN PADICI_NOINLINE void padici_test_num_host(padici_test_num *t, uint32_t *sticky)
{
    const padic_tensor narrow = padic_tensor_1d(PADIC_I32, t->other[0], t->count);
    const padic_tensor wide = padic_tensor_1d(PADIC_F64, t->other[0], t->count);
    t->x.sticky = sticky;
    switch (t->op) {
    case 1: padic_num_add(NULL, &t->x, &t->a, &t->b); break;
    case 2: padic_num_sub(NULL, &t->x, &t->a, &t->b); break;
    case 3: padic_num_neg(NULL, &t->x, &t->a); break;
    case 4: padic_num_mul(NULL, &t->x, &t->a, &t->b); break;
    case 5: padic_num_fma(NULL, &t->x, &t->a, &t->b, &t->c); break;
    case 6: padic_num_inv(NULL, &t->x, &t->a); break;
    case 7: padic_num_div(NULL, &t->x, &t->a, &t->b); break;
    case 8: padic_num_shift(NULL, &t->x, &t->a, -1); break;
    case 9: padic_num_pow(NULL, &t->x, &t->a, -19); break;
    case 10: padic_num_split(NULL, &t->x, &narrow, &t->a); break;
    case 25: padici_root_turn(NULL, &t->x, &t->a, &t->root); break;
    case 31: padic_num_pow_padic(NULL, &t->x, &t->a, &t->b); break;
    case 26: padic_num_exp(NULL, &t->x, &t->a); break;
    case 27: padic_num_log(NULL, &t->x, &t->a, PADIC_NUM_IWASAWA); break;
    case 24: padic_num_teichmueller(NULL, &t->x, &t->a); break;
    case 28: padic_num_set_precision(NULL, &t->x, &t->a); break;
    case 33: padici_test_num_hensel(t); break;
    case 35: padici_test_num_hensel_all(t); break;
    case 32:
        t->random.out = t->x;
        padic_num_random(NULL, &t->random);
        break;
    case 30: padic_num_change_prime(NULL, &t->x, &t->a); break;
    case 29: padic_num_tropical(NULL, t->norm ? &wide : &narrow, &t->a); break;
    case 20:
    case 21: padici_test_num_fractions(t, sticky); break;
    case 11:
    case 12: padici_test_num_compares(t, sticky); break;
    case 13: padici_test_num_horner(t); break;
    default: padici_test_num_converts(t, sticky);
    }
}

PADICI_FN void padici_test_num_cell(uint32_t *to, const padici_cell *x)
{
    padici_gpu_num_pair(to, x->v == PADIC_NUM_NAN ? 0 : x->u[0]);
    to[2] = (uint32_t)x->v;
    to[3] = x->n | x->bits << 16;
}

// REDUCE: two chunks of a b to cells. FOLD: three cells to a number, by way of other[1].
PADICI_FN PADICI_NOINLINE void padici_test_num_sums(padici_test_num *t, padic_num_call *call,
                                                    uint32_t *sticky)
{
    uint64_t words[64], temp[64], i;
    padici_reduction lanes;
    padici_cell x;
    memset(&lanes, 0, sizeof lanes);
    for (i = 0; i < 40; i++) lanes.level[i].u = words + i;
    x.u = words + 40;
    if (t->op == 18) {
        for (i = 0; i < 2; i++) {
            padici_reduce_chunk(call, i ? 4096 : 0, i ? t->count : 4096, &lanes, &x, temp);
            padici_test_num_cell((uint32_t *)(void *)t->other[0] + 4 * i, &x);
        }
        return;
    }
    for (i = 0; i < 3; i++) {
        padici_cell_load(call, &call->a, i + 5, &x);
        padici_reduce_push(call, &lanes, &x, temp);
    }
    padici_test_num_cell((uint32_t *)(void *)t->other[1], &lanes.level[0]);
    padici_test_num_cell((uint32_t *)(void *)t->other[1] + 4, &lanes.level[1]);
    padici_reduce_merge(call, &lanes, temp);
    padici_test_num_cell((uint32_t *)(void *)t->other[0], &lanes.level[0]);
    padici_cell_store(call, 0, &lanes.level[0]);
    *sticky |= call->bits;
}

#endif
