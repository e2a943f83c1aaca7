#include "../../core/memory.h"
#include "../../core/tensor.h"
#include "../../num/array.h"
#include "../../num/cell.h"
#include "../../num/determinant.h"
#include "../../num/rational.h"
#include "../../num/reduction.h"
#include "../../num/ring_tables.h"
#include "../../num/root.h"
#include "../../num/series_calls.h"
#include "../../num/task.h"
#include "../tables.h"
#include "../tests.h"
#include "../texts.h"
#include "params.h"
#include "solve.h"
#include "special.h"
#include "tables.h"

#if PADICI_IMPLEMENT_GPU && !defined(PADIC_NO_NUM)

// Tests: one operation of the kernel of numbers over arrays with specials among them, and systems
// of equations, against the host.

// 100 different polynomials, none of them 0; every fifth is x^2 - p^2, whose roots are in one class
// modulo p.
#define PADICI_TEST_NUM_POLYNOMIALS 100u
#define PADICI_TEST_NUM_BRANCHES 4u
#define PADICI_TEST_NUM_ROOM (UINT64_C(9) + 2 * PADICI_TEST_NUM_BRANCHES) // words of a group
#define PADICI_TEST_NUM_SYSTEMS 144u // modulo p, of 3 unknowns each, of random integers

enum { // operands besides the result and a
    PADICI_TEST_NUM_B = 1,
    PADICI_TEST_NUM_C = 2,
    PADICI_TEST_NUM_OTHER = 4, // another array ...
    PADICI_TEST_NUM_TWO = 8,   // ... and a second one
    PADICI_TEST_NUM_SIGNED = 16, // of signed integers
    PADICI_TEST_NUM_FLOATS = 32
};

typedef struct padici_test_num_op {
    uint32_t kernel, has;
    int64_t k; // padic_num_call's
    uint64_t stride;
} padici_test_num_op;

// Indexed by the kernel's NUM_OP_...; padici_test_num_call() adds what depends on the variant.
static const padici_test_num_op padici_test_num_ops[] = {
    {0, 0, 0, 0},
    {PADIC_OP_NUM_ADD, PADICI_TEST_NUM_B, 0, 0},
    {PADIC_OP_NUM_SUB, PADICI_TEST_NUM_B, 0, 0},
    {PADIC_OP_NUM_NEG, 0, 0, 0},
    {PADIC_OP_NUM_MUL, PADICI_TEST_NUM_B, 0, 0},
    {PADIC_OP_NUM_FMA, PADICI_TEST_NUM_B | PADICI_TEST_NUM_C, 0, 0},
    {PADIC_OP_NUM_INV, 0, 0, 0},
    {PADIC_OP_NUM_DIV, PADICI_TEST_NUM_B, 0, 0},
    {PADIC_OP_NUM_SHIFT, 0, -1, 0},
    {PADIC_OP_NUM_POW, 0, -19, 0},
    {PADIC_OP_NUM_SPLIT, PADICI_TEST_NUM_OTHER, 0, 0},
    {PADIC_OP_NUM_VALUATION, PADICI_TEST_NUM_B | PADICI_TEST_NUM_OTHER, 0, 0},
    {PADIC_OP_NUM_EQUAL, PADICI_TEST_NUM_B | PADICI_TEST_NUM_OTHER, 2, 0},
    {PADIC_OP_NUM_HORNER, PADICI_TEST_NUM_C, 3, 0},
    {PADIC_OP_NUM_TO_DIGITS, PADICI_TEST_NUM_OTHER, 0, 0},
    {PADIC_OP_NUM_FROM_DIGITS, PADICI_TEST_NUM_OTHER, 0, 0},
    {PADIC_OP_NUM_FROM_INT, PADICI_TEST_NUM_OTHER | PADICI_TEST_NUM_SIGNED, 0, 0},
    {PADIC_OP_NUM_TO_INT, PADICI_TEST_NUM_OTHER | PADICI_TEST_NUM_SIGNED, INT64_C(1) << 32, 0},
    {PADIC_OP_NUM_DOT, PADICI_TEST_NUM_OTHER, 0, 0},                       // REDUCE
    {PADIC_OP_NUM_DOT, PADICI_TEST_NUM_OTHER | PADICI_TEST_NUM_TWO, 0, 0}, // FOLD
    {PADIC_OP_NUM_FROM_RATIONAL,
     PADICI_TEST_NUM_OTHER | PADICI_TEST_NUM_TWO | PADICI_TEST_NUM_SIGNED, 0, 0},
    {PADIC_OP_NUM_TO_RATIONAL, PADICI_TEST_NUM_OTHER | PADICI_TEST_NUM_TWO, 1000, 1000},
    {PADIC_OP_NUM_FROM_FLOAT, PADICI_TEST_NUM_OTHER | PADICI_TEST_NUM_FLOATS, 0, 0},
    {PADIC_OP_NUM_TO_FLOAT, PADICI_TEST_NUM_OTHER | PADICI_TEST_NUM_FLOATS, 0, 0},
    {PADIC_OP_NUM_TEICHMUELLER, 0, 0, 0},
    {PADIC_OP_NUM_SQRT, 0, 0, 0},
    {PADIC_OP_NUM_EXP, 0, 0, 0},
    {PADIC_OP_NUM_LOG, 0, PADIC_NUM_LOG_IWASAWA, 0},
    {PADIC_OP_NUM_SET_PRECISION, 0, 0, 0},
    {PADIC_OP_NUM_TROPICAL, PADICI_TEST_NUM_OTHER, 0, 0},
    {PADIC_OP_NUM_CHANGE_PRIME, 0, 0, 0},
    {PADIC_OP_NUM_POW_PADIC, PADICI_TEST_NUM_B, 0, 0},
    {PADIC_OP_NUM_RANDOM, 0, 0, 0},
    {PADIC_OP_NUM_HENSEL, PADICI_TEST_NUM_C, 3, 0},
    {PADIC_OP_NUM_SOLVE,
     PADICI_TEST_NUM_OTHER | PADICI_TEST_NUM_TWO | PADICI_TEST_NUM_SIGNED, 3,
     1 | UINT64_C(1) << 32},
    {PADIC_OP_NUM_POLYNOMIAL_ROOTS, PADICI_TEST_NUM_C | PADICI_TEST_NUM_OTHER | PADICI_TEST_NUM_TWO,
     3 | (int64_t)PADICI_TEST_NUM_BRANCHES << 32,
     PADICI_TEST_NUM_POLYNOMIALS | PADICI_TEST_NUM_ROOM << 32},
};

// The test of a variant: at least 301 numbers of each kind, including specials; the host's answer
// is expected.
typedef struct padici_test_num {
    padic_num_ring ring, from; // from: the ring of a, where the precision changes
    padic_num_array x, a, b, c;
    unsigned char *other[2];
    padic_num_model model;
    uint32_t op, count, kind, val, known, size; // as the defines
    uint32_t norm;     // 1: norms in other[1], or logarithms of them
    padic_dtype dtype; // of other[0]; of norms
    padic_num_horner_desc polynomial; // here, for the frame of who uses it
    padic_num_to_rational_desc fraction; // of RATIONAL
    padici_num_rational rational;
    uint64_t bounds[4 * 65];
    uint64_t n; // of roots
    padici_root root;
    padic_num_random_desc random;
    uint64_t workspace[9 + PADICI_NUM_TEMPS + 2 * PADICI_TEST_NUM_BRANCHES];
} padici_test_num;

static uint64_t padici_test_num_room(const padici_test_num *t) // bytes of other[0]
{
    const uint32_t digits = t->op == 14 || t->op == 15;
    return (t->op == 18 ? 64 : t->count) * (digits ? 64 * t->size : 16);
}

// An array of a test, *at bytes into the block at base (NULL: only *at moves).
static void padici_test_num_array(const padici_test_num *t, padic_num_array *a,
                                     const padic_num_ring *ring, uint64_t count, char *base,
                                     uint64_t *at)
{
    const padic_num_model model =
        t->op == 30 && a == &t->a ? (padic_num_model)t->kind : t->model;
    char *const here = (char *)padici_num_take(base, at, 0);
    *at += padici_num_lay(a, ring, model, count, here);
    if (t->val == 16 && model) a->val.dtype = PADIC_I16;
    if (t->known == 16 && model == PADIC_NUM_BALL)
        a->known = padic_num_plane_of(PADIC_U16, padici_num_take(base, at, count * 2));
}

// The arrays and tensors of a test in one block of memory; returns its size in bytes.
static uint64_t padici_test_num_lay(padici_test_num *t, unsigned char *base_)
{
    const uint64_t n = t->count, few = t->op == 18 ? 64 : n; // sums of many use one array
    char *const base = (char *)base_;
    uint64_t at = 0;
    padici_test_num_array(t, &t->a, &t->from, n, base, &at);
    padici_test_num_array(t, &t->b, &t->ring, few, base, &at);
    padici_test_num_array(t, &t->c, &t->ring, t->op == 13 || t->op == 33 ? 3 : few, base, &at);
    padici_test_num_array(t, &t->x, &t->ring, few, base, &at);
    t->other[0] = (unsigned char *)padici_num_take(base, &at, padici_test_num_room(t));
    t->other[1] = (unsigned char *)padici_num_take(base, &at, few * 16);
    return at;
}

static uint64_t padici_test_num_word(uint64_t i) // splitmix64
{
    uint64_t z = i * UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static void padici_test_num_fill(const padic_num_array *a, uint64_t seed)
{
    const padic_num_ring *r = a->ring;
    uint64_t i;
    for (i = 0; i < a->count; i++) {
        const uint64_t word = padici_test_num_word(seed + i), kind = i % 17;
        padic_num_value v = {0, 0, {0, 0}};
        v.v = (int32_t)(word >> 60) - 3;
        v.n = a->model == PADIC_NUM_BALL ? 1 + (uint32_t)(word >> 32) % r->precision
                                         : r->precision;
        v.u[0] = r->base || v.n < r->precision ? word % r->power[v.n][0] : word;
        if (a->model == PADIC_NUM_RING) {
            if (kind < 4) v.u[0] = v.u[0] / r->power[kind + 1][0] * r->power[kind + 1][0];
        } else if (kind == 5) {
            v.v = PADIC_NUM_ZERO;
        } else if (kind == 7) {
            v.v = PADIC_NUM_NAN;
            v.u[0] = PADIC_NUM_DIV0;
        } else if (v.u[0] % r->p == 0) {
            v.u[0] = 1;
        }
        if (kind == 9 && a->model == PADIC_NUM_BALL) v.n = 0; // O(p^v)
        if (v.v == PADIC_NUM_ZERO || !v.n) v.u[0] = 0;
        if (v.v == PADIC_NUM_ZERO || v.v == PADIC_NUM_NAN) v.n = 0;
        padic_num_set(a, i, &v);
    }
}

// Some of them are small integers, which are fractions.
static void padici_test_num_small(const padic_num_array *a)
{
    const padic_num_ring *r = a->ring;
    uint64_t i;
    for (i = 0; i < a->count; i += 3) {
        padic_num_value v = {0, 0, {0, 0}};
        v.v = a->model == PADIC_NUM_RING ? 0 : (int32_t)(i % 5) - 2;
        v.n = a->model == PADIC_NUM_BALL ? r->precision - (uint32_t)(i % 3) : r->precision;
        v.u[0] = 1 + i % r->p % 60 % (r->p - 1 ? r->p - 1 : 1);
        padic_num_set(a, i, &v);
    }
}

static void padici_test_num_squares(const padic_num_array *c)
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

// The kernel's parameters for the same operation.
static void padici_test_num_call(const padici_test_num *t, padici_num_task *task)
{
    const padici_test_num_op *op = &padici_test_num_ops[t->op];
    padic_num_call *call = &task->call;
    memset(task, 0, sizeof *task);
    call->ring = &t->ring;
    call->model = t->model;
    call->count = t->count;
    task->a = &t->a;
    call->status = (uint8_t *)t->x.status.data;
    padici_num_planes_of(NULL, &t->a, &call->a);
    if (op->has & PADICI_TEST_NUM_B) padici_num_planes_of(NULL, &t->b, &call->b);
    if (op->has & PADICI_TEST_NUM_C) padici_num_planes_of(NULL, &t->c, &call->c);
    padici_num_planes_of(NULL, &t->x, &call->out);
    call->k = op->k;
    call->stride = op->stride;
    call->dtype = t->dtype;
    if (op->has & PADICI_TEST_NUM_OTHER) call->other[0] = t->other[0];
    if (op->has & PADICI_TEST_NUM_TWO) call->other[1] = t->other[1];
    switch (op->kernel) {
    case PADIC_OP_NUM_VALUATION:
        if (t->norm) call->other[1] = t->other[1];
        if (t->norm) call->k = t->dtype;
        break;
    case PADIC_OP_NUM_TO_DIGITS:
    case PADIC_OP_NUM_FROM_DIGITS: call->stride = t->count; break;
    case PADIC_OP_NUM_DOT:
        if (t->op == 18) padici_num_planes_of(NULL, &t->a, &call->b);
        break;
    case PADIC_OP_NUM_TO_RATIONAL:
        call->dtype = PADIC_I64;
        if (t->kind) call->options = &t->rational;
        break;
    case PADIC_OP_NUM_TO_FLOAT:
        call->k = t->ring.p == 2 || t->kind == 2 ? PADIC_NUM_FLOAT_DIRECT : PADIC_NUM_FLOAT_SCALED;
        break;
    case PADIC_OP_NUM_SQRT:
        call->k = (int64_t)t->n;
        call->options = &t->root;
        break;
    case PADIC_OP_NUM_RANDOM: call->options = &t->random; break;
    case PADIC_OP_NUM_SOLVE: call->b.unit = t->b.unit.data; break; // ranks
    default: break;
    }
}

// Positions of the planes in the image, which is memory 1; bits go to memory 2.
static void padici_test_num_places(const unsigned char *image, padici_num_task *task,
                                   padici_gpu_num_places *places)
{
    uint32_t i;
    task->status_plane = task->call.status;
    for (i = 0; i < PADICI_NUM_SLOTS; i++) {
        const unsigned char *const p = (const unsigned char *)*padici_num_slot(task, i);
        places->at[i] = p ? UINT64_C(1) << 56 | (uint64_t)(p - image) : 0;
    }
    places->at[PADICI_NUM_STICKY] = UINT64_C(2) << 56;
}

// Part of padici_test_num_host(): conversions. Descs share memory, to keep the frame small.
static PADICI_NOINLINE void padici_test_num_convert(padici_test_num *t, uint32_t *sticky)
{
    const uint64_t shape[2] = {t->ring.precision, t->count};
    const padic_tensor status = padic_tensor_1d(PADIC_U8, t->x.status.data, t->x.count);
    const padic_tensor wide = padic_tensor_1d(t->dtype, t->other[0], t->count);
    const padic_tensor digits = padic_tensor_nd(t->dtype, t->other[0], 2, shape);
    union {
        padic_num_to_digits_desc to_digits;
        padic_num_from_digits_desc from_digits;
        padic_num_from_int_desc from_int;
        padic_num_to_int_desc to_int;
        padic_num_from_float_desc from_float;
        padic_num_to_float_desc to_float;
    } d;
    memset(&d, 0, sizeof d);
    switch (padici_test_num_ops[t->op].kernel) {
    case PADIC_OP_NUM_TO_DIGITS:
        d.to_digits.in = t->a;
        d.to_digits.digits = digits;
        d.to_digits.kind = (padic_num_digit_kind)t->kind;
        d.to_digits.status = status;
        d.to_digits.sticky = sticky;
        padic_num_to_digits(NULL, &d.to_digits);
        break;
    case PADIC_OP_NUM_FROM_DIGITS:
        d.from_digits.out = t->x;
        d.from_digits.digits = digits;
        d.from_digits.kind = (padic_num_digit_kind)t->kind;
        padic_num_from_digits(NULL, &d.from_digits);
        break;
    case PADIC_OP_NUM_FROM_INT:
        d.from_int.out = t->x;
        d.from_int.in = wide;
        padic_num_from_int(NULL, &d.from_int);
        break;
    case PADIC_OP_NUM_TO_INT:
        d.to_int.in = t->a;
        d.to_int.out = wide;
        d.to_int.mode = PADIC_NUM_INT_BALANCED;
        d.to_int.status = status;
        d.to_int.sticky = sticky;
        padic_num_to_int(NULL, &d.to_int);
        break;
    case PADIC_OP_NUM_FROM_FLOAT:
        d.from_float.out = t->x;
        d.from_float.in = wide;
        padic_num_from_float(NULL, &d.from_float);
        break;
    default:
        d.to_float.in = t->a;
        d.to_float.out = wide;
        d.to_float.mode = t->ring.p == 2 || t->kind == 2 ? PADIC_NUM_FLOAT_DIRECT
                                                         : PADIC_NUM_FLOAT_SCALED;
        d.to_float.status = status;
        d.to_float.sticky = sticky;
        padic_num_to_float(NULL, &d.to_float);
    }
}

// Part of padici_test_num_host(): roots, and operations with two results.
static PADICI_NOINLINE void padici_test_num_solved(padici_test_num *t, uint32_t *sticky)
{
    const padic_dtype dtype = t->op == 21 ? PADIC_I64 : t->dtype;
    const padic_tensor status = padic_tensor_1d(PADIC_U8, t->x.status.data, t->x.count);
    const padic_tensor wide = padic_tensor_1d(dtype, t->other[0], t->count);
    const padic_tensor wide1 = padic_tensor_1d(dtype, t->other[1], t->count);
    union {
        padic_num_valuation_desc valuation;
        padic_num_hensel_desc hensel;
        padic_num_polynomial_roots_desc roots;
        padic_num_from_rational_desc from_rational;
        padic_num_to_rational_desc to_rational;
    } d;
    memset(&d, 0, sizeof d);
    switch (padici_test_num_ops[t->op].kernel) {
    case PADIC_OP_NUM_VALUATION:
        d.valuation.in = t->a;
        d.valuation.other = t->b;
        d.valuation.val = padic_tensor_1d(PADIC_I32, t->other[0], t->count);
        if (t->norm) d.valuation.norm = wide1;
        d.valuation.status = status;
        d.valuation.sticky = sticky;
        padic_num_valuation(NULL, &d.valuation);
        break;
    case PADIC_OP_NUM_HENSEL:
        d.hensel.out = t->x;
        d.hensel.coefficients = t->c;
        d.hensel.terms = 3;
        d.hensel.seeds = t->a;
        padic_num_hensel(NULL, &d.hensel);
        break;
    case PADIC_OP_NUM_POLYNOMIAL_ROOTS:
        d.roots.out = t->x;
        d.roots.coefficients = t->c;
        d.roots.terms = 3;
        d.roots.root_limit = 3;
        d.roots.polynomials = PADICI_TEST_NUM_POLYNOMIALS;
        d.roots.branches = PADICI_TEST_NUM_BRANCHES;
        d.roots.found = padic_tensor_1d(PADIC_U32, t->other[0], d.roots.polynomials);
        d.roots.guarantee = padic_tensor_1d(PADIC_U8, t->other[1], d.roots.polynomials);
        d.roots.workspace = padic_tensor_1d(PADIC_U8, t->workspace, sizeof t->workspace);
        padic_num_polynomial_roots(NULL, &d.roots);
        break;
    case PADIC_OP_NUM_FROM_RATIONAL:
        d.from_rational.out = t->x;
        d.from_rational.numerator = wide;
        d.from_rational.denominator = wide1;
        padic_num_from_rational(NULL, &d.from_rational);
        break;
    default:
        d.to_rational.numerator_limit[0] = d.to_rational.denominator_limit[0] = 1000;
        if (t->kind) d.to_rational = t->fraction;
        d.to_rational.in = t->a; // of the answer
        d.to_rational.numerator = wide;
        d.to_rational.denominator = wide1;
        d.to_rational.status = status;
        d.to_rational.sticky = sticky;
        padic_num_to_rational(NULL, &d.to_rational);
    }
}

// Runs the operation on the host, into the answer. Sums: padici_test_num_sums().
static PADICI_NOINLINE void padici_test_num_host(padici_test_num *t, uint32_t *sticky)
{
    const padic_tensor narrow = padic_tensor_1d(PADIC_I32, t->other[0], t->count);
    const padic_tensor wide = padic_tensor_1d(PADIC_F64, t->other[0], t->count);
    const padic_tensor bytes = padic_tensor_1d(PADIC_U8, t->other[0], t->count);
    t->x.sticky = sticky;
    switch (padici_test_num_ops[t->op].kernel) {
    case PADIC_OP_NUM_ADD: padic_num_add(NULL, &t->x, &t->a, &t->b); break;
    case PADIC_OP_NUM_SUB: padic_num_sub(NULL, &t->x, &t->a, &t->b); break;
    case PADIC_OP_NUM_NEG: padic_num_neg(NULL, &t->x, &t->a); break;
    case PADIC_OP_NUM_MUL: padic_num_mul(NULL, &t->x, &t->a, &t->b); break;
    case PADIC_OP_NUM_FMA: padic_num_fma(NULL, &t->x, &t->a, &t->b, &t->c); break;
    case PADIC_OP_NUM_INV: padic_num_inv(NULL, &t->x, &t->a); break;
    case PADIC_OP_NUM_DIV: padic_num_div(NULL, &t->x, &t->a, &t->b); break;
    case PADIC_OP_NUM_SHIFT: padic_num_shift(NULL, &t->x, &t->a, -1); break;
    case PADIC_OP_NUM_POW: padic_num_pow(NULL, &t->x, &t->a, -19); break;
    case PADIC_OP_NUM_SPLIT: padic_num_split(NULL, &t->x, &narrow, &t->a); break;
    case PADIC_OP_NUM_EQUAL: padic_num_equal(NULL, &bytes, &t->a, &t->b, 2); break;
    case PADIC_OP_NUM_TEICHMUELLER: padic_num_teichmueller(NULL, &t->x, &t->a); break;
    case PADIC_OP_NUM_SQRT: padici_num_root_turn(NULL, &t->x, &t->a, &t->root); break;
    case PADIC_OP_NUM_EXP: padic_num_exp(NULL, &t->x, &t->a); break;
    case PADIC_OP_NUM_LOG: padic_num_log(NULL, &t->x, &t->a, PADIC_NUM_LOG_IWASAWA); break;
    case PADIC_OP_NUM_SET_PRECISION: padic_num_set_precision(NULL, &t->x, &t->a); break;
    case PADIC_OP_NUM_TROPICAL:
        padic_num_tropical(NULL, t->norm ? &wide : &narrow, &t->a);
        break;
    case PADIC_OP_NUM_CHANGE_PRIME: padic_num_change_prime(NULL, &t->x, &t->a); break;
    case PADIC_OP_NUM_POW_PADIC: padic_num_pow_padic(NULL, &t->x, &t->a, &t->b); break;
    case PADIC_OP_NUM_RANDOM:
        t->random.out = t->x;
        padic_num_random(NULL, &t->random);
        break;
    case PADIC_OP_NUM_HORNER:
        t->polynomial.out = t->x;
        t->polynomial.x = t->a;
        t->polynomial.coefficients = t->c;
        t->polynomial.terms = 3;
        padic_num_horner(NULL, &t->polynomial);
        break;
    case PADIC_OP_NUM_VALUATION:
    case PADIC_OP_NUM_HENSEL:
    case PADIC_OP_NUM_POLYNOMIAL_ROOTS:
    case PADIC_OP_NUM_FROM_RATIONAL:
    case PADIC_OP_NUM_TO_RATIONAL: padici_test_num_solved(t, sticky); break;
    default: padici_test_num_convert(t, sticky);
    }
}

static void padici_test_num_cell(uint32_t *to, const padici_num_cell *x)
{
    padici_gpu_num_pair(to, x->v == PADIC_NUM_NAN ? 0 : x->u[0]);
    to[2] = (uint32_t)x->v;
    to[3] = x->n | x->bits << 16;
}

// REDUCE: two chunks of a b to cells. FOLD: three cells to a number, using other[1].
static PADICI_NOINLINE void padici_test_num_sums(padici_test_num *t, padic_num_call *call,
                                                    uint32_t *sticky)
{
    uint64_t words[64], temp[64], i;
    padici_num_reduction lanes;
    padici_num_cell x;
    memset(&lanes, 0, sizeof lanes);
    for (i = 0; i < 40; i++) lanes.level[i].u = words + i;
    x.u = words + 40;
    if (t->op == 18) {
        for (i = 0; i < 2; i++) {
            padici_num_reduce_chunk(call, i ? 4096 : 0, i ? t->count : 4096, &lanes, &x, temp);
            padici_test_num_cell((uint32_t *)(void *)t->other[0] + 4 * i, &x);
        }
        return;
    }
    for (i = 0; i < 3; i++) {
        padici_num_cell_load(call, &call->a, i + 5, &x);
        padici_num_reduce_push(call, &lanes, &x, temp);
    }
    padici_test_num_cell((uint32_t *)(void *)t->other[1], &lanes.level[0]);
    padici_test_num_cell((uint32_t *)(void *)t->other[1] + 4, &lanes.level[1]);
    padici_num_reduce_merge(call, &lanes, temp);
    padici_test_num_cell((uint32_t *)(void *)t->other[0], &lanes.level[0]);
    padici_num_cell_store(call, 0, &lanes.level[0]);
    *sticky |= call->bits;
}

static void padici_test_num_begin(padici_test_num *t, const padici_gpu_case *c)
{
    const uint32_t narrow = padici_gpu_define(c, "PD_NUM_BITS", 64) == 32;
    const uint32_t two = padici_gpu_define(c, "PD_NUM_TWO", 0);
    const uint32_t has = padici_test_num_ops[padici_gpu_define(c, "PD_NUM_OP", 0)].has;
    uint64_t p = two ? 2 : narrow ? 3 : 5;
    uint32_t n = two ? (narrow ? 31 : 63) : narrow ? 20 : 27;
    memset(t, 0, sizeof *t);
    t->op = padici_gpu_define(c, "PD_NUM_OP", 0);
    t->kind = padici_gpu_define(c, "PD_NUM_KIND", 0);
    if (t->op == 25 && (t->kind & 1)) { // 12 divides 786432, and 2^18
        p = 786433;
        n = narrow ? 1 : 3;
    }
    if (t->op == 35) { // residues for several turns of a group
        p = two ? 2 : 257;
        n = two ? n : narrow ? 3 : 6;
    }
    t->n = t->kind == 1 ? 12 : t->kind == 2 ? 2 * p : t->kind == 3 ? 12 * p : 2;
    t->size = padici_gpu_define(c, "PD_NUM_SIZE", 8);
    t->dtype = (padic_dtype)((has & PADICI_TEST_NUM_SIGNED || t->kind == 1 ? PADIC_I8 : PADIC_U8) +
                             (t->size == 1 ? 0 : t->size == 2 ? 1 : t->size == 4 ? 2 : 3));
    t->norm = (t->op == 11 || t->op == 29) && padici_gpu_define(c, "PD_NUM_SIZE", 0);
    if (has & PADICI_TEST_NUM_FLOATS || t->norm)
        t->dtype = t->size == 8 ? PADIC_F64 : t->size == 4 ? PADIC_F32 : PADIC_F16;
    t->val = padici_gpu_define(c, "PD_NUM_VAL", 32);
    t->known = padici_gpu_define(c, "PD_NUM_KNOWN", 8);
    t->model = (padic_num_model)padici_gpu_define(c, "PD_NUM_MODEL", 0);
    t->count = t->op == 18 ? 4096 + 77 : t->op == 19 ? 3 : t->op == 14 || t->op == 15 ? 150 : 301;
    if (t->op == 35) t->count = 3 * PADICI_TEST_NUM_POLYNOMIALS;
    if (!t->model && (t->op < 6 || t->op == 13 || t->op == 34))
        t->count = 1301; // of which items do several
    padic_num_ring_init(&t->from, t->op == 30 ? 7 : p, t->op == 30 ? 22 : n, NULL);
    padic_num_ring_init(&t->ring, p, t->op == 28 ? n - 5 : n, NULL);
    if (t->op == 25) padici_num_root_init(&t->root, &t->ring, t->n, 1);
    t->root.alone = 1;
    t->root.turn = t->root.count / 2; // of p = 3, n = 2 the second; 12 or 2 p: another
    t->random.seed = UINT64_C(0x123456789abcdef0);
    t->random.stream = UINT64_C(0xfedcba9876543210);
    t->random.first = UINT64_C(0x7fffffff80);
}

// The options and the table of bounds of a test of fractions.
static void padici_test_num_bounds(padici_test_num *t)
{
    padic_num_to_rational_desc *const desc = &t->fraction;
    desc->in = t->a;
    desc->mode = t->op == 30 ? PADIC_NUM_RATIONAL_BOUNDED : (padic_num_rational_mode)(t->kind - 1);
    desc->vector = 43;
    desc->fixed[0] = 6 * t->ring.p;
    desc->quotient = 100;
    padici_num_rational_options(NULL, desc, &t->rational);
    t->rational.dtype[0] = t->rational.dtype[1] = PADIC_I64;
    padici_gpu_num_bounds(t->a.ring, &t->rational, t->bounds);
}

// padic_num_solve() on the host with its own workspace.
static PADICI_NOINLINE padic_result padici_test_solve_host(padici_gpu_case *c,
                                                              padic_num_solve_desc *desc)
{
    const padic_allocator *allocator = &c->gpu->context->allocator;
    const size_t size = (size_t)padic_num_solve_workspace(desc);
    void *const memory = padici_alloc(allocator, size, 64);
    padic_result result;
    desc->workspace = padic_tensor_1d(PADIC_U8, memory, size);
    result = memory ? padic_num_solve(NULL, desc) : PADIC_ERROR_MEMORY;
    padici_free(allocator, memory, size);
    return result;
}

static PADICI_NOINLINE padic_result padici_test_num_solve(padici_gpu_case *c, padici_test_num *t,
                                                             uint32_t *sticky)
{
    const uint64_t n = PADICI_TEST_NUM_SYSTEMS, shape[3] = {n, 3, 3};
    padic_num_solve_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.matrix = padic_tensor_nd(t->dtype, t->other[0], 3, shape);
    desc.right = padic_tensor_nd(t->dtype, t->other[1], 2, shape);
    desc.out = t->x;
    desc.out.count = n * 3;
    desc.out.unit = t->x.unit;
    desc.status = padic_tensor_1d(PADIC_U8, t->x.status.data, n);
    desc.rank = padic_tensor_1d(PADIC_U32, t->b.unit.data, n);
    desc.sticky = sticky;
    return padici_test_solve_host(c, &desc);
}

// The numbers of a test, and the previous contents of its other memories.
static PADICI_NOINLINE void padici_test_num_inputs(padici_test_num *t)
{
    uint32_t i;
    padici_test_num_fill(&t->a, 1);
    padici_test_num_fill(&t->b, 1001);
    padici_test_num_fill(&t->c, 2001);
    if (t->op == 25 && t->kind == 3) // hardly any other has a root
        padic_num_pow(NULL, &t->a, &t->a, (int64_t)t->n);
    if (t->op == 35) padici_test_num_squares(&t->c);
    for (i = 0; t->op == 33 && i < 3; i++) { // integers
        padic_num_value value;
        padic_num_get(&t->c, i, &value);
        value.v = t->model ? (int32_t)i : 0;
        padic_num_set(&t->c, i, &value);
    }
    if (t->op == 30 || ((t->op == 21 || t->op == 23) && t->kind))
        padici_test_num_small(&t->a);
    if (t->op == 30 || (t->op == 21 && t->kind)) padici_test_num_bounds(t);
    for (i = 0; i < padici_test_num_room(t); i++) // for digits these are the lowest bytes
        t->other[0][i] = (unsigned char)(t->op != 15        ? padici_test_num_word(i)
                                         : i % t->size      ? 0
                                         : i == 9 * t->size ? t->ring.p
                                                            : padici_test_num_word(i) % t->ring.p);
    for (i = 0; i < t->b.count * 16; i++)
        t->other[1][i] = (unsigned char)padici_test_num_word(3 * i);
}

// FOLD: the cells of three numbers are the kernel's input.
static void padici_test_num_cells(const padici_test_num *t, padic_num_call *call)
{
    uint32_t i;
    for (i = 0; i < 3; i++) {
        uint64_t u;
        padici_num_cell x;
        x.u = &u;
        padici_num_cell_load(call, &call->a, i + 5, &x);
        padici_test_num_cell((uint32_t *)(void *)t->other[0] + 4 * i, &x);
    }
    call->other[1] = t->other[1];
    call->count = 3;
}

// Memory 3: the table of an operation that has one, or room for 256 items or two groups.
static PADICI_NOINLINE void padici_test_num_table(padici_gpu_case *c, const padici_test_num *t,
                                                  const padic_num_call *call,
                                                  padici_k_num_each_params *k)
{
    const uint32_t unit = t->ring.unit_size, most = t->norm ? padici_gpu_num_norm_most(call) : 0;
    const uint32_t begin = t->kind == 2 ? 4 * (t->ring.precision + 1) : 0; // bounds of TO_FLOAT
    const uint32_t which = t->op == 31 ? 3 : t->op - 25; // series: exp, log, pow
    uint64_t bytes[3] = {0, 0, 0}, terms = 0, size = 0;
    void *table;
    if (t->op == 34) size = 256 * 12 * unit;
    if (t->op == 35) size = 2 * PADICI_TEST_NUM_ROOM * unit;
    if (t->op == 25) padici_gpu_num_root_sizes(&t->ring, t->kind, bytes);
    if (t->op == 25) size = bytes[0] + bytes[1] + bytes[2];
    if (t->op == 11 && t->norm) size = (2 * (uint64_t)most + 1) * 8;
    if (t->op == 23 && t->kind) size = 8 * (begin + padici_gpu_num_powers(t->ring.p, 1300, NULL));
    if (t->op == 30 || (t->op == 21 && t->kind)) size = sizeof t->bounds;
    if (t->op == 26 || t->op == 27 || t->op == 31) size = 2 * PADICI_NUM_SERIES_TERMS * 8;
    if (!size) return;
    table = padici_gpu_image(c, 2, size);
    padici_gpu_num_pair(k->place + 2 * (PADICI_NUM_OTHER + 2), UINT64_C(3) << 56);
    if (c->failed) return;
    switch (t->op) {
    case 34:
        c->buffers[2].bound = -1;
        k->count = PADICI_TEST_NUM_SYSTEMS;
        break;
    case 35:
        c->buffers[2].bound = -1;
        k->count = PADICI_TEST_NUM_POLYNOMIALS;
        k->mode = 3;
        break;
    case 25: padici_gpu_num_root_make(call, t->kind, (char *)table); break;
    case 11: padici_gpu_num_norm_table(call, most, table); break;
    case 23:
        if (begin) padici_gpu_num_bounds(&t->ring, NULL, (uint64_t *)table);
        padici_gpu_num_powers(t->ring.p, 1300, (uint64_t *)table + begin);
        break;
    case 21:
    case 30: memcpy(table, t->bounds, sizeof t->bounds); break;
    default:
        padici_gpu_num_coefficients(&t->ring, which, table, &terms);
        padici_gpu_num_pair(k->stride, terms);
    }
}

static padic_result padici_test_num_with(padici_gpu_case *c, padici_test_num *t)
{
    padici_num_task task;
    padici_k_num_each_params k;
    padici_gpu_num_places places;
    unsigned char *image;
    uint32_t kernel, *sticky = PADICI_TEST_ANSWER(uint32_t, 1);
    padici_test_num_begin(t, c);
    if (!t->op || (t->op == 21 && t->model == PADIC_NUM_BALL && !t->kind))
        return PADIC_ERROR_NOT_SUPPORTED;
    if (t->op == 19) t->count = 301; // of which three are added
    image = (unsigned char *)padici_gpu_make(c, 0, PADICI_FILL_ZERO, PADIC_U8,
                                             padici_test_num_lay(t, NULL), 0);
    if (c->failed) return PADIC_ERROR_MEMORY;
    padici_test_num_lay(t, image);
    padici_test_num_inputs(t);
    padici_test_num_call(t, &task);
    if (t->op == 19) padici_test_num_cells(t, &task.call);
    padici_test_num_places(image, &task, &places);
    kernel = t->op == 21 && t->kind ? PADICI_NUM_RATIONAL
                                    : padici_test_num_ops[t->op].kernel;
    padici_gpu_num_params(&k, &task.call, &places,
                          t->op == 28 || t->op == 30 ? 64 : 8 * t->ring.unit_size);
    padici_gpu_num_special(&k, &task, kernel);
    if (t->op == 18) k.mode = 1;
    if (t->op == 32) padici_gpu_num_pair(k.place + 28, t->random.first);
    padici_test_num_table(c, t, &task.call, &k);
    memcpy(&c->params, &k, sizeof k);
    if (t->op == 19) c->groups[0] = 1;
    padici_test_num_lay(t, (unsigned char *)padici_gpu_answer(c, 0));
    if (c->failed) return PADIC_ERROR_MEMORY;
    if (t->op == 34) return padici_test_num_solve(c, t, sticky);
    if (t->op != 18 && t->op != 19) {
        padici_test_num_host(t, sticky);
        return PADIC_OK;
    }
    padici_test_num_call(t, &task);
    padici_test_num_sums(t, &task.call, sticky);
    return PADIC_OK;
}

static padic_result padici_test_num_each(padici_gpu_case *c)
{
    const padic_allocator *allocator = &c->gpu->context->allocator; // two rings are long
    padici_test_num *t = (padici_test_num *)padici_alloc(allocator, sizeof *t, 16);
    const padic_result result = t ? padici_test_num_with(c, t) : PADIC_ERROR_MEMORY;
    padici_free(allocator, t, sizeof *t);
    return result;
}

// Systems over the rationals. Kind 0: 75 of 3 unknowns and 2 sides, some of them singular, some too
// large, which are not changed. Kind 1: all of 5, of 4 unknowns, to words of 64 bits.
static int64_t padici_test_solve_entry(uint32_t kind, uint32_t system, uint32_t at)
{
    const uint64_t word = padici_test_num_word(1000 * (uint64_t)system + at);
    const uint32_t large = kind ? system < 3 : system % 19 == 7;
    if (system % 8 == 3 && at % 4 == 1) return 0; // linearly dependent rows or columns
    return large ? (int64_t)word : (int64_t)(word % 19) - 9;
}

static void padici_test_solve_image(padici_gpu_case *c, padici_k_solve_systems_params *k)
{
    const uint32_t kind = padici_gpu_define(c, "PD_SOLVE_KIND", 0);
    const uint64_t each = kind ? 4 * 6 : 8; // bytes of an element of the results
    int64_t *a, *b;
    uint32_t *room, i, j;
    uint64_t bytes[8];
    memset(k, 0, sizeof *k);
    k->count = kind ? 5 : 75;
    k->n = kind ? 4 : 3;
    k->sides = 2;
    k->wide = 1;
    k->items = kind ? 2 : 128;
    padici_gpu_solve_room(k);
    k->step = k->sides;
    k->batch = k->count;
    for (i = 0; i < 3; i++) {
        k->type[i] = kind ? 3 : 7;
        k->words[i] = kind ? 3 : 0;
    }
    if (!kind) k->type[1] = 4; // denominators of 8 bits
    bytes[0] = (uint64_t)k->count * k->n * k->n * 8;
    bytes[1] = (uint64_t)k->count * k->n * 2 * 8;
    bytes[2] = k->count * k->n * 2 * each;
    bytes[3] = kind ? k->count * 2 * each : k->count * 2;
    bytes[4] = k->count * each;
    bytes[5] = (uint64_t)k->count * 4;
    bytes[6] = k->count;
    bytes[7] = padici_gpu_solve_head(k->count) +
               (kind ? (uint64_t)k->items * k->each * 4
                     : (uint64_t)k->items * k->n * (k->n + 2) * 8);
    for (i = 0; i < 8; i++) {
        (void)padici_gpu_image(c, i, bytes[i]);
        k->place[2 * i + 1] = 1u << 24;
    }
    a = PADICI_TEST_IMAGE(int64_t, 0);
    b = PADICI_TEST_IMAGE(int64_t, 1);
    for (i = 0; i < k->count; i++) {
        for (j = 0; j < k->n * k->n; j++)
            a[i * k->n * k->n + j] = padici_test_solve_entry(kind, i, j);
        for (j = 0; j < k->n * 2; j++)
            b[i * k->n * 2 + j] = padici_test_solve_entry(kind, i, 100 + 3 * j);
    }
    room = PADICI_TEST_IMAGE(uint32_t, 7);
    c->buffers[7].bound = kind < 3 ? -1 : 0;
    room[0] = 0;
    room[1] = kind ? k->count : 0;
    for (i = 0; i < k->count && kind; i++) room[2 + i] = k->count - 1 - i;
}

// Systems first to first + count - 1 on the host.
static padic_result padici_test_solve_part(padici_gpu_case *c,
                                              const padici_k_solve_systems_params *k,
                                              uint32_t first, uint32_t count)
{
    const padic_dtype dtype = k->words[0] ? PADIC_U64 : PADIC_I64;
    const padic_dtype few = k->words[0] ? PADIC_U64 : PADIC_I8;
    const uint64_t w = k->words[0], n = k->n, from = first;
    const uint64_t shape[3] = {count, n, n}, right[3] = {count, n, 2}, wide[4] = {w, count, n, 2};
    const uint64_t sides[3] = {w, count, 2}, one[2] = {w, count};
    const uint32_t skip = w ? 0 : 1; // no planes of words
    padic_num_solve_desc desc;
    unsigned char *at[7];
    uint32_t i, sticky = 0;
    for (i = 0; i < 7; i++) at[i] = c->buffers[i].answer;
    memset(&desc, 0, sizeof desc);
    desc.matrix = padic_tensor_nd(PADIC_I64, c->buffers[0].image + from * n * n * 8, 3, shape);
    desc.right = padic_tensor_nd(PADIC_I64, c->buffers[1].image + from * n * 2 * 8, 3, right);
    desc.numerator = padic_tensor_nd(dtype, at[2] + from * n * 2 * 8, 4 - skip, wide + skip);
    desc.denominator = padic_tensor_nd(few, at[3] + from * 2 * padic_dtype_size(few), 3 - skip,
                                       sides + skip);
    desc.det = padic_tensor_nd(dtype, at[4] + from * 8, 2 - skip, one + skip);
    desc.rank = padic_tensor_1d(PADIC_U32, at[5] + from * 4, count);
    desc.status = padic_tensor_1d(PADIC_U8, at[6] + from, count);
    desc.sticky = &sticky;
    return padici_test_solve_host(c, &desc);
}

// Kind 2: Hadamard's bounds of the matrices. Kind 3: whether A x = d b, with one wrong number: the
// kernel reads the host's results.
static padic_result padici_test_solve_systems(padici_gpu_case *c)
{
    const uint32_t kind = padici_gpu_define(c, "PD_SOLVE_KIND", 0);
    padici_k_solve_systems_params k;
    padic_result result = PADIC_OK;
    uint32_t i, *bits;
    padici_test_solve_image(c, &k);
    memcpy(&c->params, &k, sizeof k);
    if (c->failed) return PADIC_ERROR_MEMORY;
    if (kind == 2) {
        bits = (uint32_t *)padici_gpu_answer(c, 5);
        for (i = 0; i < k.count; i++)
            bits[i] = padici_num_hadamard(c->buffers[0].image, PADIC_I64, i * k.n * k.n, k.n, 0);
        return PADIC_OK;
    }
    for (i = 2; i < 7; i++) (void)padici_gpu_answer(c, i);
    if (k.words[0]) result = padici_test_solve_part(c, &k, 0, k.count);
    for (i = 0; i < k.count && !result && !k.words[0]; i++)
        if (i % 19 != 7) result = padici_test_solve_part(c, &k, i, 1);
    if (kind < 3 || result) return result;
    c->buffers[3].answer[1] ^= 1; // of a denominator
    for (i = 2; i < 7; i++)
        memcpy(c->buffers[i].image, c->buffers[i].answer, (size_t)c->buffers[i].size);
    bits = (uint32_t *)padici_gpu_answer(c, 7);
    bits[0] = UINT32_C(1) << 31;
    return PADIC_OK;
}

PADICI_FN const padici_gpu_test *padici_tests_num(void)
{
    static const padici_gpu_test rows[] = {
        {PADICI_KERNEL_NUM_EACH, 1, 2, padici_test_num_each, // memory 1: what stays
         {PADICI_TEST_NONE, PADICI_TEST_BOTH(ZERO, PADIC_U32, 1, 0)}},
        {PADICI_KERNEL_SOLVE_SYSTEMS, 1, 2, padici_test_solve_systems, {PADICI_TEST_NONE}},
        PADICI_TESTS_END};
    return rows;
}

#undef PADICI_TEST_NUM_POLYNOMIALS
#undef PADICI_TEST_NUM_BRANCHES
#undef PADICI_TEST_NUM_ROOM
#undef PADICI_TEST_NUM_SYSTEMS

#endif
