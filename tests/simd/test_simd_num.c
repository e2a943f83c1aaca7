// test_simd_num.c: the number kernels of backends/padic_simd.h at every level that this CPU has,
// against the plain loops: the same bytes in every plane, the same status bits.

#define PADIC_IMPLEMENT_NULL
#include "../support/inside.h"
#include "../../padic.h"
#include "../../backends/padic_simd.h"
#include "../support/padic_test.h"
#include "../support/num_calls.h"

#define MOST 1200 // elements of an array

static const char *const levels[] = {"neon", "avx2", "avx512", "avx512ifma"};

static padic_context *context_at(const char *level) // NULL: this CPU lacks the level
{
    padic_context_desc desc = PADIC_ZERO;
    padic_context *context = NULL;
    desc.backends[0] = padic_simd();
    desc.device.name = level;
    return padic_context_create(&desc, &context) ? NULL : context;
}

typedef struct ring_case {
    uint64_t p;
    uint32_t precision;
    padic_num_form form; // 0: the smallest
} ring_case;

static const ring_case rings[] = {
    {257, 6, (padic_num_form)0}, {2, 53, (padic_num_form)0},     {3, 20, (padic_num_form)0},
    {5, 20, (padic_num_form)0},  {7, 17, (padic_num_form)0},     {65537, 3, (padic_num_form)0},
    {257, 2, (padic_num_form)0}, {65537, 2, (padic_num_form)0},  {2147483647, 1, (padic_num_form)0},
    {3, 30, (padic_num_form)0},  {4294967291u, 1, (padic_num_form)0}, {2, 64, (padic_num_form)0},
    {2, 32, (padic_num_form)0},  {2, 1, (padic_num_form)0},      {2, 20, (padic_num_form)0},
    {3, 1, (padic_num_form)0},   {5, 2, (padic_num_form)0},      {5, 3, PADIC_NUM_W49},
    {2, 20, PADIC_NUM_W32},      {562949953421231u, 1, (padic_num_form)0}, {2, 9, PADIC_NUM_W49},
    {257, 7, (padic_num_form)0}, {5, 27, (padic_num_form)0},
    {7, 22, (padic_num_form)0}, {4294967291u, 2, (padic_num_form)0}, {3, 40, (padic_num_form)0},
    {2305843009213693951u, 1, (padic_num_form)0}, {257, 4, PADIC_NUM_W64},
    {257, 3, (padic_num_form)0}, {1073741789, 1, (padic_num_form)0}}; // the last of 30 bits

#define RINGS (sizeof rings / sizeof *rings)

static padic_num_ring ring_at(size_t i)
{
    padic_num_ring ring;
    padic_num_ring_options options = PADIC_ZERO;
    options.form = rings[i].form;
    CHECK_EQ(padic_num_ring_init(&ring, rings[i].p, rings[i].precision, &options), PADIC_OK);
    return ring;
}

// An array of `count` elements in fresh memory that may begin at any 8-byte address; every byte,
// also behind the planes, is known.
typedef struct numbers {
    padic_num_array array;
    uint8_t *block;
    size_t size;
    uint32_t sticky;
} numbers;

static void numbers_make(numbers *x, const padic_num_ring *ring, padic_num_model model,
                         uint64_t count, int status)
{
    const size_t room = padic_num_array_size_bound(ring, model, MOST) + 64;
    x->size = room + 64;
    x->block = (uint8_t *)malloc(x->size);
    memset(x->block, 0xa5, x->size);
    CHECK_EQ(padic_num_place(&x->array, ring, model, count ? count : 1, x->block, x->size),
             PADIC_OK);
    x->array.count = count;
    if (!status) memset(&x->array.status, 0, sizeof x->array.status);
    x->sticky = 0;
    x->array.sticky = &x->sticky;
}

// Values of many kinds: small, near P, multiples of p, specials, valuations at the limits. RARE of
// them leave most as they come: units, if p is large.
#define RARE 1000
static void numbers_fill(numbers *x, uint32_t special)
{
    const padic_num_ring *r = x->array.ring;
    const int32_t max = PADIC_NUM_MAX_VALUATION;
    uint64_t i;
    for (i = 0; i < x->array.count; i++) {
        const uint64_t kind = test_random() % (special == RARE ? 1024 : 16);
        padic_num_value value = PADIC_ZERO;
        uint64_t u = test_random(), high = 0;
        if (r->form == PADIC_NUM_W128) {
            high = test_random() % (r->modulus[1] ? r->modulus[1] : 1);
            if (kind < 4) high = 0;
            if (kind == 4 || !r->modulus[1]) { // the largest, or a small P
                high = r->modulus[0] ? r->modulus[1] : r->modulus[1] - 1;
                u = r->modulus[0] - 1 - u % 3;
            }
        } else {
            if (kind == 0) u %= 3;
            if (kind == 1) u = r->base - 1 - u % 3;
            if (kind == 2 && r->precision > 1)
                u = u % 100 * r->power[test_random() % r->precision][0];
            if (r->base) u %= r->base;
        }
        if (x->array.model != PADIC_NUM_RING) {
            if (r->form != PADIC_NUM_W128 || !high) {
                while (u && u % r->p == 0) u /= r->p;
                if (!u) u = 1;
            } else {
                u |= 1;
            }
            value.v = (int32_t)(test_random() % 9) - 4;
            if (kind < 6) value.v = 0;
            if (kind == 7) value.v = (int32_t)(test_random() % 200) - 100;
            if (special && test_random() % special == 0) {
                static const int32_t list[] = {PADIC_NUM_ZERO, PADIC_NUM_NAN, 0, -7, 1 << 28};
                value.v = list[test_random() % 5];
                if (value.v == 0) value.v = max - (int32_t)(test_random() % 3);
                if (value.v == -7) value.v = (int32_t)(test_random() % 3) - max;
                if (value.v == PADIC_NUM_NAN) u = 1u << test_random() % 6, high = 0;
                if (value.v == PADIC_NUM_NAN && kind < 8) u |= 64;
                if (value.v == PADIC_NUM_ZERO) u = high = 0;
            }
            value.n = r->precision;
        }
        value.u[0] = u;
        value.u[1] = high;
        if (padic_num_set(&x->array, i, &value)) { // a W128 value that is no unit
            value.u[0] = 1;
            CHECK_EQ(padic_num_set(&x->array, i, &value), PADIC_OK);
        }
    }
}

static void numbers_copy(numbers *to, const numbers *from) // of equal ring, model and count
{
    const uint64_t n = from->array.count, w = from->array.ring->unit_size;
    if (from->array.ring->form == PADIC_NUM_W128) {
        memcpy((char *)to->array.unit.data + to->array.high * 8,
               (char *)from->array.unit.data + from->array.high * 8, n * w);
    }
    memcpy(to->array.unit.data, from->array.unit.data, n * w);
    if (from->array.val.data) memcpy(to->array.val.data, from->array.val.data, n * 4);
}

static void numbers_same(const char *what, const numbers *x, const numbers *y)
{
    const padic_num_ring *r = x->array.ring;
    const size_t at = (size_t)((uint8_t *)x->array.unit.data - x->block);
    const size_t other = (size_t)((uint8_t *)y->array.unit.data - y->block);
    const size_t size = x->size - 64 - 64;
    size_t i;
    CHECK_EQ(x->sticky, y->sticky);
    if (!memcmp(x->block + at, y->block + other, size)) return;
    for (i = 0; i < size && x->block[at + i] == y->block[other + i]; i++) {}
    test_failed(__FILE__, __LINE__, "the same bytes");
    if (test_failures > 5) return;
    printf("\n  %s, p %lu, N %u, form %d, model %d, count %lu: byte %lu", what, (unsigned long)r->p,
           r->precision, (int)r->form, (int)x->array.model, (unsigned long)x->array.count,
           (unsigned long)i);
    for (i = 0; i < x->array.count; i++) {
        padic_num_value a, b;
        padic_num_get(&x->array, i, &a);
        padic_num_get(&y->array, i, &b);
        if (a.u[0] == b.u[0] && a.v == b.v) continue;
        printf("\n  element %lu: plain %ld %lu, vector %ld %lu", (unsigned long)i, (long)a.v,
               (unsigned long)a.u[0], (long)b.v, (unsigned long)b.u[0]);
        break;
    }
}

typedef enum binary_op { ADD, SUB, NEG, MUL, SQUARE, FMA, INV, DIV, OPS } binary_op;
static const char *const op_names[] = {"add", "sub", "neg", "mul", "square", "fma", "inv", "div"};

static padic_result apply(padic_context *context, binary_op op, const padic_num_array *out,
                          const padic_num_array *a, const padic_num_array *b,
                          const padic_num_array *c)
{
    switch (op) {
    case ADD: return padic_num_add(context, out, a, b);
    case SUB: return padic_num_sub(context, out, a, b);
    case NEG: return padic_num_neg(context, out, a);
    case MUL: return padic_num_mul(context, out, a, b);
    case SQUARE: return padic_num_square(context, out, a);
    case FMA: return padic_num_fma(context, out, a, b, c);
    case INV: return padic_num_inv(context, out, a);
    default: return padic_num_div(context, out, a, b);
    }
}

static const uint64_t counts[] = {0, 1, 7, 8, 9, 63, 64, 65, 100, 1013};

// One shape of call: scalars are bits 1, 2, 4 for a, b, c; in place on operand `place` - 1.
static void arithmetic_case(padic_context *context, const padic_num_ring *ring,
                            padic_num_model model, binary_op op, uint64_t count, uint32_t special,
                            uint32_t scalars, uint32_t place, int status)
{
    numbers x, y, in[3], again[3];
    const padic_num_array *p[3], *q[3];
    uint32_t i;
    for (i = 0; i < 3; i++) {
        const uint64_t n = scalars >> i & 1 ? 1 : count;
        numbers_make(&in[i], ring, model, n, 0);
        numbers_make(&again[i], ring, model, n, 0);
        numbers_fill(&in[i], special);
        numbers_copy(&again[i], &in[i]);
        p[i] = &in[i].array;
        q[i] = &again[i].array;
    }
    numbers_make(&x, ring, model, count, status);
    numbers_make(&y, ring, model, count, status);
    if (place && !(scalars >> (place - 1) & 1)) { // the result takes the operand's place
        numbers_copy(&x, &in[place - 1]);
        numbers_copy(&y, &in[place - 1]);
        p[place - 1] = &x.array;
        q[place - 1] = &y.array;
    }
    CHECK_EQ(apply(NULL, op, &x.array, p[0], p[1], p[2]), PADIC_OK);
    CHECK_EQ(apply(context, op, &y.array, q[0], q[1], q[2]), PADIC_OK);
    numbers_same(op_names[op], &x, &y);
    for (i = 0; i < 3; i++) {
        free(in[i].block);
        free(again[i].block);
    }
    free(x.block);
    free(y.block);
}

static void arithmetic_at(padic_context *context)
{
    size_t i, k;
    int model, op;
    for (i = 0; i < RINGS; i++) {
        const padic_num_ring ring = ring_at(i);
        for (model = 0; model < 2; model++)
            for (op = 0; op < OPS; op++) {
                for (k = 0; k < sizeof counts / sizeof *counts; k++) {
                    const uint64_t n = counts[k];
                    if (test_tiny && n > 100) continue;
                    arithmetic_case(context, &ring, (padic_num_model)model, (binary_op)op, n, 0, 0,
                                    0, 0);
                    arithmetic_case(context, &ring, (padic_num_model)model, (binary_op)op, n,
                                    2 + (uint32_t)(test_random() % 30), 0, (uint32_t)(k % 4), 1);
                }
                for (k = 1; k < 8; k++)
                    arithmetic_case(context, &ring, (padic_num_model)model, (binary_op)op,
                                    60 + 17 * k, k & 1 ? 5 : 0, (uint32_t)k, (uint32_t)(k % 4), 1);
            }
    }
}

// Residues of two words.
static void pairs_at(padic_context *context)
{
    static const ring_case list[] = {{3, 80, (padic_num_form)0},  {257, 15, (padic_num_form)0},
                                     {2, 100, (padic_num_form)0}, {7, 30, PADIC_NUM_W128},
                                     {7, 5, PADIC_NUM_W128},      {2, 70, (padic_num_form)0},
                                     {2305843009213693951u, 2, (padic_num_form)0}};
    size_t i, k;
    int op;
    for (i = 0; i < sizeof list / sizeof *list; i++) {
        padic_num_ring_options options = PADIC_ZERO;
        padic_num_ring ring;
        options.form = list[i].form;
        CHECK_EQ(padic_num_ring_init(&ring, list[i].p, list[i].precision, &options), PADIC_OK);
        for (op = ADD; op <= FMA; op++)
            for (k = 0; k < sizeof counts / sizeof *counts; k++) {
                const uint64_t n = counts[k];
                if (test_tiny && n > 100) continue;
                arithmetic_case(context, &ring, PADIC_NUM_RING, (binary_op)op, n, 0, 0,
                                (uint32_t)k % 3, 1);
                arithmetic_case(context, &ring, PADIC_NUM_RING, (binary_op)op, n, 0,
                                (uint32_t)k % 4, 0, 0);
            }
    }
}

// split, valuation (of a, and of a - b; kind 0, 1, 2).
static void valuation_case(padic_context *context, const padic_num_ring *ring,
                           padic_num_model model, int kind, uint64_t count, uint32_t special,
                           uint32_t scalars, int status)
{
    numbers x[2], in[2];
    int32_t *val[2];
    uint32_t i;
    for (i = 0; i < 2; i++) {
        numbers_make(&in[i], ring, model, scalars >> i & 1 ? 1 : count, 0);
        numbers_fill(&in[i], special);
    }
    if (count > 3 && !scalars) { // some that are equal
        padic_num_value value;
        for (i = 0; i < 5; i++) {
            const uint64_t at = test_random() % count;
            padic_num_get(&in[0].array, at, &value);
            CHECK_EQ(padic_num_set(&in[1].array, at, &value), PADIC_OK);
        }
    }
    for (i = 0; i < 2; i++) {
        padic_context *where = i ? context : NULL;
        const padic_tensor t =
            padic_tensor_1d(PADIC_I32, val[i] = (int32_t *)malloc(MOST * 4), count);
        memset(val[i], 0xa5, MOST * 4);
        numbers_make(&x[i], ring, model, count, status);
        if (kind) {
            padic_num_valuation_desc desc = PADIC_ZERO;
            desc.in = in[0].array;
            if (kind == 2) desc.other = in[1].array;
            if (scalars & 1 && kind < 2) desc.in = in[1].array;
            desc.val = t;
            if (x[i].array.status.data)
                desc.status = padic_tensor_1d(PADIC_U8, x[i].array.status.data, count);
            desc.sticky = &x[i].sticky;
            CHECK_EQ(padic_num_valuation(where, &desc), PADIC_OK);
        } else {
            CHECK_EQ(padic_num_split(where, &x[i].array, status ? &t : NULL,
                                     &in[scalars & 1].array), PADIC_OK);
        }
    }
    CHECK(!memcmp(val[0], val[1], MOST * 4));
    numbers_same("valuation", &x[0], &x[1]);
    for (i = 0; i < 2; i++) {
        free(in[i].block);
        free(x[i].block);
        free(val[i]);
    }
}

static void valuation_at(padic_context *context)
{
    size_t i, k;
    int model, kind;
    for (i = 0; i < RINGS; i++) {
        const padic_num_ring ring = ring_at(i);
        for (model = 0; model < 2; model++)
            for (kind = 0; kind < 3; kind++)
                for (k = 0; k < sizeof counts / sizeof *counts; k++) {
                    const uint64_t n = counts[k];
                    const uint32_t special = 2 + (uint32_t)(test_random() % 30);
                    if (test_tiny && n > 100) continue;
                    valuation_case(context, &ring, (padic_num_model)model, kind, n, 0, 0, 0);
                    valuation_case(context, &ring, (padic_num_model)model, kind, n, special, 0, 1);
                    valuation_case(context, &ring, (padic_num_model)model, kind, n, RARE, 0,
                                   (int)(k & 1));
                    if (kind == 2)
                        valuation_case(context, &ring, (padic_num_model)model, kind, n, special, 2,
                                       1);
                }
    }
}

// Horner's rule with shared or own coefficients, and dot products.
static void chain_case(padic_context *context, const padic_num_ring *ring, padic_num_model model,
                       uint32_t terms, int own, uint64_t count, uint32_t special, int place)
{
    numbers x[2], in, again, c, sum[2];
    padic_num_horner_desc desc = PADIC_ZERO;
    uint32_t i;
    if (own && count * terms > MOST) count = MOST / terms;
    numbers_make(&in, ring, model, count, 0);
    numbers_make(&again, ring, model, count, 0);
    numbers_make(&c, ring, model, own ? terms * count : terms, 0);
    numbers_fill(&in, special);
    numbers_fill(&again, special);
    numbers_fill(&c, special);
    for (i = 0; i < 2; i++) {
        numbers_make(&x[i], ring, model, count, 1);
        numbers_make(&sum[i], ring, model, 1, 1);
        if (place) numbers_copy(&x[i], &in);
        desc.out = x[i].array;
        desc.x = place ? x[i].array : in.array;
        desc.x.status.dtype = PADIC_DTYPE_NONE;
        desc.coefficients = c.array;
        desc.terms = terms;
        CHECK_EQ(padic_num_horner(i ? context : NULL, &desc), PADIC_OK);
        CHECK_EQ(padic_num_dot(i ? context : NULL, &sum[i].array, &in.array, &again.array),
                 PADIC_OK);
    }
    numbers_same("horner", &x[0], &x[1]);
    numbers_same("dot", &sum[0], &sum[1]);
    for (i = 0; i < 2; i++) {
        free(x[i].block);
        free(sum[i].block);
    }
    free(in.block);
    free(again.block);
    free(c.block);
}

static void chains_at(padic_context *context)
{
    size_t i, k;
    int model;
    for (i = 0; i < RINGS; i++) {
        const padic_num_ring ring = ring_at(i);
        for (model = 0; model < 2; model++)
            for (k = 0; k < sizeof counts / sizeof *counts; k++) {
                const uint64_t n = counts[k];
                const uint32_t special = 2 + (uint32_t)(test_random() % 100);
                if (test_tiny && n > 100) continue;
                if (!n) continue;
                chain_case(context, &ring, (padic_num_model)model, 7, 0, n, 0, 0);
                chain_case(context, &ring, (padic_num_model)model, 1 + (uint32_t)k % 5, (int)k & 1,
                           n, special, (int)k >> 1 & 1);
                chain_case(context, &ring, (padic_num_model)model, 19, 1, n, 0, 1);
            }
    }
}

// Long residues: random limbs, and all limbs as large as can be.
static void limbs_at(padic_context *context)
{
    static const ring_case list[] = {
        {257, 12, (padic_num_form)0},     {257, 18, (padic_num_form)0},
        {257, 66, (padic_num_form)0},     {257, 517, (padic_num_form)0},
        {2, 200, (padic_num_form)0},      {3, 20, PADIC_NUM_RX},
        {3, 401, (padic_num_form)0},      {65537, 40, (padic_num_form)0},
        {33554467, 9, (padic_num_form)0}, {562949953421231u, 90, (padic_num_form)0}};
    size_t i;
    for (i = 0; i < 2 * sizeof list / sizeof *list; i++) {
        const ring_case *c = &list[i / 2];
        padic_num_ring_options options = PADIC_ZERO;
        padic_num_ring ring;
        uint32_t op, k, words;
        options.form = c->form ? c->form : PADIC_NUM_RX;
        options.limb32 = i & 1;
        if (padic_num_ring_init(&ring, c->p, c->precision, &options))
            continue; // no limbs of 32 bits
        words = 32 * ring.words;
        for (op = ADD; op <= SQUARE; op++) {
            const uint64_t count = 32 * (test_random() % 4) + test_random() % 40;
            const uint64_t tiles = (count + 31) / 32;
            const int place = test_random() % 3 == 0;
            numbers x[2], a, b;
            numbers_make(&a, &ring, PADIC_NUM_RING, count, 0);
            numbers_make(&b, &ring, PADIC_NUM_RING, count, 0);
            for (k = 0; k < 2 * tiles * words; k++) {
                const uint32_t at = k >> 1;
                const uint32_t limb = at / 32 % ring.words;
                const uint64_t base = limb + 1 < ring.words ? ring.base
                                                            : ring.power[ring.top_digits][0];
                const uint64_t v = test_random() % 4 ? test_random() % base : base - 1;
                void *unit = k & 1 ? a.array.unit.data : b.array.unit.data;
                if (ring.unit_size == 4)
                    ((uint32_t *)unit)[at] = (uint32_t)v;
                else
                    ((uint64_t *)unit)[at] = v;
            }
            for (k = 0; k < 2; k++) {
                numbers_make(&x[k], &ring, PADIC_NUM_RING, count, 1);
                if (place)
                    memcpy(x[k].array.unit.data, a.array.unit.data, tiles * words * ring.unit_size);
                CHECK_EQ(apply(k ? context : NULL, (binary_op)op, &x[k].array,
                               place ? &x[k].array : &a.array, &b.array, NULL),
                         PADIC_OK);
                memset(x[k].array.workspace, 0, x[k].array.workspace_size);
            }
            numbers_same(op_names[op], &x[0], &x[1]);
            free(x[0].block);
            free(x[1].block);
            free(a.block);
            free(b.block);
        }
    }
}

static void limb_set(const numbers *x, uint64_t i, uint32_t limb, uint64_t v)
{
    const padic_num_ring *r = x->array.ring;
    const uint64_t at = (i / 32 * r->words + limb) * 32 + i % 32;
    if (r->unit_size == 4)
        ((uint32_t *)x->array.unit.data)[at] = (uint32_t)v;
    else
        ((uint64_t *)x->array.unit.data)[at] = v;
}

// Random units with v from -4 to 4; `special`: one of four is 0, another one NaN.
static void limbs_fill(numbers *x, int special)
{
    const padic_num_ring *r = x->array.ring;
    int32_t *const val = (int32_t *)x->array.val.data;
    uint64_t i;
    uint32_t k;
    for (i = 0; i < x->array.count; i++) {
        const uint64_t kind = special ? test_random() % 4 : 9;
        val[i] = kind == 0   ? PADIC_NUM_ZERO
                 : kind == 1 ? PADIC_NUM_NAN
                             : (int32_t)(test_random() % 9) - 4;
        for (k = 0; k < r->words; k++) {
            const uint64_t base = k + 1 < r->words ? r->base : r->power[r->top_digits][0];
            uint64_t v = test_random() % 4 ? test_random() % base : base - 1;
            if (!k && v % r->p == 0) v++;
            if (kind < 2) v = kind && !k ? 1 : 0;
            limb_set(x, i, k, v);
        }
    }
}

// Long floats: tiles of one valuation, without or with sums that p divides, and others.
static void limbs_float_at(padic_context *context)
{
    static const ring_case list[] = {{257, 12, PADIC_NUM_RX}, {257, 66, (padic_num_form)0},
                                     {2, 200, (padic_num_form)0}, {3, 401, (padic_num_form)0},
                                     {65537, 40, (padic_num_form)0}};
    uint32_t i, op, kind, k;
    for (i = 0; i < 2 * sizeof list / sizeof *list; i++) {
        const ring_case *c = &list[i / 2];
        padic_num_ring_options options = PADIC_ZERO;
        padic_num_ring ring;
        options.form = c->form ? c->form : PADIC_NUM_RX;
        options.limb32 = i & 1;
        CHECK_EQ(padic_num_ring_init(&ring, c->p, c->precision, &options), PADIC_OK);
        for (op = ADD; op <= SQUARE; op++)
            for (kind = 0; kind < 6; kind++) {
                const uint64_t count = 32 * (1 + test_random() % 3) + test_random() % 40;
                const int place = test_random() % 3 == 0;
                numbers x[2], a, b;
                uint64_t j;
                numbers_make(&a, &ring, PADIC_NUM_FLOAT, count, 0);
                numbers_make(&b, &ring, PADIC_NUM_FLOAT, count, 0);
                limbs_fill(&a, kind == 5);
                limbs_fill(&b, kind == 5);
                for (j = 0; kind < 4 && j < count; j++) // 3: one valuation of a tile is another
                    ((int32_t *)a.array.val.data)[j] = ((int32_t *)b.array.val.data)[j] =
                        kind == 1 ? PADIC_NUM_MAX_VALUATION / 2 + (j == 7) : -5;
                if (kind == 3) ((int32_t *)a.array.val.data)[test_random() % count] = 4;
                for (j = 0; kind == 2 && j < 32; j++) { // sums and differences that are not units
                    const uint64_t u = 1 + test_random() % (ring.p - 1);
                    const uint64_t v = j & 1 ? u : ring.p - u;
                    limb_set(&a, j, 0, u);
                    limb_set(&b, j, 0, v);
                }
                for (k = 0; k < 2; k++) {
                    const padic_num_array *in = &a.array;
                    numbers_make(&x[k], &ring, PADIC_NUM_FLOAT, count, 1);
                    if (place) {
                        in = &x[k].array;
                        memcpy(in->val.data, a.array.val.data, count * 4);
                        memcpy(in->unit.data, a.array.unit.data,
                               (count + 31) / 32 * 32 * ring.words * ring.unit_size);
                    }
                    CHECK_EQ(apply(k ? context : NULL, (binary_op)op, &x[k].array, in, &b.array,
                                   NULL),
                             PADIC_OK);
                    memset(x[k].array.workspace, 0, x[k].array.workspace_size);
                }
                numbers_same(op_names[op], &x[0], &x[1]);
                free(x[0].block);
                free(x[1].block);
                free(a.block);
                free(b.block);
            }
    }
}

// Any model: limbs random or as large as can be, zeros, specials; `like` 1: multiples of p^c, 2: 1
// modulo p^c, mostly.
static void limbs_any(numbers *x, uint32_t like)
{
    const padic_num_ring *r = x->array.ring;
    const int ring = x->array.model == PADIC_NUM_RING;
    const uint64_t q = r->power[r->p == 2 && r->precision > 1 ? 2 : 1][0];
    uint64_t i;
    uint32_t k;
    for (i = 0; i < x->array.count; i++) {
        const uint64_t kind = test_random() % 8;
        uint64_t first = 0;
        for (k = 0; k < r->words; k++) {
            const uint64_t base = k + 1 < r->words ? r->base : r->power[r->top_digits][0];
            uint64_t v = test_random() % 4 ? test_random() % base : base - 1;
            if (kind == 1 && k) v = 0;
            if (!k && kind > 2 && like == 1 && ring) v -= v % q;
            if (!k && kind > 2 && like == 2) v = v - v % q + 1;
            if (!k && !ring && v % r->p == 0) v = 1;
            if (!k) first = v;
            limb_set(x, i, k, v);
        }
        if (ring) continue;
        ((int32_t *)x->array.val.data)[i] = kind < 3    ? (int32_t)(test_random() % 9) - 4
                                            : like == 1 ? 1 + (int32_t)(test_random() % 5)
                                                        : 0;
        if (x->array.model == PADIC_NUM_BALL) {
            const uint64_t n = test_random() % 3 ? r->precision : 1 + test_random() % r->precision;
            if (x->array.known.dtype == PADIC_U16)
                ((uint16_t *)x->array.known.data)[i] = (uint16_t)n;
            else
                ((uint8_t *)x->array.known.data)[i] = (uint8_t)n;
        }
        if (kind || test_random() % 2) continue;
        for (k = 0; k < r->words; k++) limb_set(x, i, k, 0);
        limb_set(x, i, 0, first & 1);
        ((int32_t *)x->array.val.data)[i] = first & 1 ? PADIC_NUM_NAN : PADIC_NUM_ZERO;
        if (x->array.model == PADIC_NUM_BALL) memset(x->array.known.data, 0, 1);
    }
}

static padic_result apply_pack(padic_context *context, uint32_t op, const padic_num_array *out,
                               const padic_num_array *a, const padic_num_array *b)
{
    switch (op) {
    case 0: return padic_num_inv(context, out, a);
    case 1: return padic_num_div(context, out, a, b);
    case 2: return padic_num_sqrt(context, out, a);
    case 3: return padic_num_exp(context, out, a);
    case 4: return padic_num_log(context, out, a, PADIC_NUM_LOG_SERIES);
    case 5: return padic_num_log(context, out, a, PADIC_NUM_LOG_IWASAWA);
    default: return padic_num_mul(context, out, a, b);
    }
}

// Long numbers side by side, with the ring's tables, against one by one without them, where exp and
// log are computed another way.
static void packs_at(padic_context *context)
{
    static const ring_case list[] = {
        {257, 12, (padic_num_form)0},     {257, 64, (padic_num_form)0},
        {257, 200, (padic_num_form)0},    {2, 200, (padic_num_form)0},
        {2, 2000, (padic_num_form)0},     {3, 20, PADIC_NUM_RX},
        {3, 401, (padic_num_form)0},      {3, 1300, (padic_num_form)0},
        {5, 3, PADIC_NUM_RX},             {65537, 40, (padic_num_form)0},
        {1000003, 30, (padic_num_form)0}, {33554467, 9, (padic_num_form)0},
        {562949953421231u, 31, (padic_num_form)0}, // then limbs that vectors leave alone
        {2305843009213693951u, 3, (padic_num_form)0},
        {9223372036854775783u, 30, (padic_num_form)0}};
    static const char *const names[] = {"inv", "div", "sqrt", "exp", "log", "log any", "mul"};
    uint32_t i, op, model, k;
    for (i = 0; i < 2 * sizeof list / sizeof *list; i++) {
        const ring_case *c = &list[i / 2];
        padic_num_ring_options options = PADIC_ZERO;
        padic_num_ring ring, with;
        uint64_t size;
        void *tables;
        options.form = PADIC_NUM_RX;
        options.limb32 = i & 1;
        if (padic_num_ring_init(&ring, c->p, c->precision, &options)) continue;
        with = ring;
        size = padic_num_ring_tables_size_bound(&with);
        tables = malloc((size_t)size + 1);
        CHECK_EQ(num_ring_tables(&with, tables, size), PADIC_OK);
        for (op = 0; op < 7; op++)
            for (model = 0; model < 3; model++) {
                const uint64_t count = ring.words > 24 ? 1 + test_random() % 11
                                                       : 1 + test_random() % 40;
                const int in_place = test_random() % 3 == 0;
                numbers x[2], a, b;
                if (op == 5 && c->p > 100000 && model) continue; // a long power
                if (op == 4 && c->p > 100000 && i % 3) continue;
                numbers_make(&a, &ring, (padic_num_model)model, count, 0);
                numbers_make(&b, &ring, (padic_num_model)model, test_random() % 4 ? count : 1, 0);
                if (b.array.count < count && op != 1 && op != 6) b.array.count = 1;
                limbs_any(&a, op == 3 ? 1 : op == 4 ? 2 : 0);
                limbs_any(&b, 0);
                if (op == 2) CHECK_EQ(padic_num_square(NULL, &a.array, &a.array), PADIC_OK);
                for (k = 0; k < 2; k++) {
                    padic_num_array in = a.array;
                    numbers_make(&x[k], &ring, (padic_num_model)model, count, 1);
                    if (in_place) {
                        in.unit = x[k].array.unit;
                        in.val = x[k].array.val;
                        in.known = x[k].array.known;
                        memcpy(in.unit.data, a.array.unit.data,
                               (count + 31) / 32 * 32 * ring.words * ring.unit_size);
                        if (in.val.data) memcpy(in.val.data, a.array.val.data, count * 4);
                        if (in.known.data)
                            memcpy(in.known.data, a.array.known.data,
                                   count * padic_dtype_size(in.known.dtype));
                    }
                    x[k].array.ring = in.ring = b.array.ring = k ? &with : &ring;
                    CHECK_EQ(apply_pack(k ? context : NULL, op, &x[k].array, &in, &b.array),
                             PADIC_OK);
                    memset(x[k].array.workspace, 0, x[k].array.workspace_size);
                    x[k].array.ring = &ring;
                }
                numbers_same(names[op], &x[0], &x[1]);
                free(x[0].block);
                free(x[1].block);
                free(a.block);
                free(b.block);
            }
        free(tables);
    }
}

// Digits out and in, and floats in.
static void digits_case(padic_context *context, const padic_num_ring *ring, padic_num_model model,
                        padic_dtype dtype, uint64_t count, uint32_t special)
{
    const size_t size = (size_t)count * ring->precision * padic_dtype_size(dtype) + 64;
    numbers in, x[2], y[2];
    uint8_t *digits[2];
    int32_t *val[2];
    uint32_t i;
    uint64_t k;
    numbers_make(&in, ring, model, count, 0);
    numbers_fill(&in, special);
    for (i = 0; i < 2; i++) {
        padic_num_to_digits_desc desc = PADIC_ZERO;
        padic_num_from_digits_desc back = PADIC_ZERO;
        const uint64_t shape[2] = {ring->precision, count};
        digits[i] = (uint8_t *)malloc(size);
        val[i] = (int32_t *)malloc((size_t)count * 4 + 4);
        memset(digits[i], 0x5a, size);
        memset(val[i], 0x5a, (size_t)count * 4 + 4);
        numbers_make(&x[i], ring, model, count, 1);
        desc.in = in.array;
        desc.digits = padic_tensor_nd(dtype, digits[i], 2, shape);
        if (special || model == PADIC_NUM_FLOAT)
            desc.val = padic_tensor_1d(PADIC_I32, val[i], count);
        numbers_make(&y[i], ring, model, count, 1);
        if (y[i].array.status.data)
            desc.status = padic_tensor_1d(PADIC_U8, y[i].array.status.data, count);
        desc.sticky = &y[i].sticky;
        CHECK_EQ(padic_num_to_digits(i ? context : NULL, &desc), PADIC_OK);
        if (!i) continue;
        numbers_same("to digits", &y[0], &y[1]);
        CHECK(!memcmp(digits[0], digits[1], size));
        CHECK(!memcmp(val[0], val[1], (size_t)count * 4 + 4));
        if (special) // some digits that are too large, and then other valuations
            for (k = 0; k < count; k += 1 + k % 50) {
                digits[0][k * padic_dtype_size(dtype)] ^= (uint8_t)(k * 77);
                if (k % 3 == 0) val[0][k] = (int32_t)(k % 5) - 2;
                if (k % 7 == 0) val[0][k] = PADIC_NUM_ZERO;
            }
        back.digits = padic_tensor_nd(dtype, digits[0], 2, shape);
        if (desc.val.dtype) back.val = padic_tensor_1d(PADIC_I32, val[0], count);
        back.out = x[0].array;
        CHECK_EQ(padic_num_from_digits(NULL, &back), PADIC_OK);
        back.out = x[1].array;
        CHECK_EQ(padic_num_from_digits(context, &back), PADIC_OK);
    }
    numbers_same("from digits", &x[0], &x[1]);
    for (i = 0; i < 2; i++) {
        free(x[i].block);
        free(y[i].block);
        free(digits[i]);
        free(val[i]);
    }
    free(in.block);
}

static void floats_case(padic_context *context, const padic_num_ring *ring, padic_num_model model,
                        padic_dtype dtype, uint64_t count, int special)
{
    numbers x[2];
    uint64_t *bits = (uint64_t *)malloc((size_t)count * 8 + 8), k;
    uint32_t i;
    for (k = 0; k < count; k++) {
        uint64_t b = test_random();
        if (k % 2) b = dtype == PADIC_F64 ? (b & ~(UINT64_C(0x7f) << 55)) | UINT64_C(0x3f) << 56
                                          : (b & ~UINT64_C(0x60000000)) | 0x40000000;
        if (!special && k < count / 2) { // exponents close together, and multiples of p
            const uint64_t spread = k % 192 < 64 ? 8 : k % 192 < 128 ? 60 : 280;
            const uint32_t m = dtype == PADIC_F64 ? 52 : 23, bias = m == 52 ? 1023 : 127;
            const uint64_t top = UINT64_C(1) << m, q = (b >> 8 & (top - 1)) | top;
            const uint64_t e = bias - (m == 52 ? spread : spread / 4) / 2 +
                               (b >> 1) % (m == 52 ? spread : spread / 4);
            const uint64_t p = b >> 5 & 7 ? ring->p : ring->p * ring->p;
            const uint64_t multiple = ring->p >> 20 || b >> 1 & 7 ? q : q - q % p;
            b = (multiple >= top ? multiple - top : q - top) | e << m |
                (b & 1) << (m == 52 ? 63 : 31);
        }
        if (special && k % 23 == 0) b = k % 2 ? 0 : UINT64_C(1) << 63 | 0x80000000u;
        if (special && k % 51 == 3) b |= UINT64_C(0x7ff) << 52 | 0x7f800000u;
        if (special && k % 47 == 3) b &= ~(UINT64_C(0x7ff) << 52 | 0x7f800000u); // subnormal
        if (dtype == PADIC_F64)
            memcpy((char *)bits + 8 * k, &b, 8);
        else
            ((uint32_t *)(void *)bits)[k] = (uint32_t)b;
    }
    for (i = 0; i < 2; i++) {
        padic_num_from_float_desc desc = PADIC_ZERO;
        numbers_make(&x[i], ring, model, count, 1);
        desc.out = x[i].array;
        desc.in = padic_tensor_1d(dtype, bits, count);
        CHECK_EQ(padic_num_from_float(i ? context : NULL, &desc), PADIC_OK);
    }
    numbers_same("from float", &x[0], &x[1]);
    free(x[0].block);
    free(x[1].block);
    free(bits);
}

static void conversions_at(padic_context *context)
{
    static const padic_dtype types[] = {PADIC_U8, PADIC_U16, PADIC_U32};
    size_t i, k, t;
    int model;
    for (i = 0; i < RINGS; i++) {
        const padic_num_ring ring = ring_at(i);
        for (model = 0; model < 2; model++)
            for (k = 0; k < sizeof counts / sizeof *counts; k++) {
                const uint64_t n = counts[k];
                if (test_tiny && n > 100) continue;
                for (t = 0; t < 3; t++) {
                    if ((ring.p - 1) >> (8 * padic_dtype_size(types[t]))) continue;
                    digits_case(context, &ring, (padic_num_model)model, types[t], n, 0);
                    digits_case(context, &ring, (padic_num_model)model, types[t], n, 20);
                }
                floats_case(context, &ring, (padic_num_model)model, PADIC_F64, n, 0);
                floats_case(context, &ring, (padic_num_model)model, PADIC_F64, n, 1);
                floats_case(context, &ring, (padic_num_model)model, PADIC_F32, n, (int)k & 1);
            }
    }
}

static uint64_t square(uint64_t a, uint64_t m) // a^2 mod m
{
    uint64_t x = 0, k;
    for (k = UINT64_C(1) << 63; k; k >>= 1) {
        x = x >= m - x ? x - (m - x) : x + x;
        if (a & k) x = x >= m - a ? x - (m - a) : x + a;
    }
    return x;
}

// Square roots, exp, log, Teichmueller residues, with tables and without.
static void series_case(padic_context *context, const padic_num_ring *ring, padic_num_model model,
                        int op, uint64_t count, uint32_t special, int place)
{
    numbers in, x[2];
    uint32_t i;
    uint64_t k;
    numbers_make(&in, ring, model, count, 0);
    numbers_fill(&in, special);
    for (k = 0; k < count; k++) { // most elements where the function is defined
        padic_num_value value;
        padic_num_get(&in.array, k, &value);
        if (test_random() % (special ? 20 : 10000) == 0) continue;
        if (model == PADIC_NUM_FLOAT && value.v == PADIC_NUM_ZERO) continue;
        if (model == PADIC_NUM_FLOAT && value.v == PADIC_NUM_NAN) continue;
        if (op == 0) { // a square
            value.v *= 2;
            if (value.v > PADIC_NUM_MAX_VALUATION || value.v < -PADIC_NUM_MAX_VALUATION)
                value.v = 0;
            if (ring->p == 2) value.u[0] = (value.u[0] & ~UINT64_C(7)) | 1;
            if (ring->p == 2 && ring->precision < 4) value.u[0] = 1;
            if (ring->p != 2) value.u[0] = square(value.u[0], ring->base);
        } else if (op == 1) {
            value.v = (int32_t)(test_random() % 5) + 2;
            if (model == PADIC_NUM_RING) {
                const uint64_t by = ring->p == 2 ? 4 : ring->p;
                value.u[0] -= value.u[0] % by;
            }
        } else if (op < 4) {
            const uint64_t by = ring->p == 2 ? 4 : ring->p;
            value.u[0] = value.u[0] - value.u[0] % by + 1;
            if (ring->base && value.u[0] >= ring->base) value.u[0] = 1;
            value.v = 0;
        } else {
            value.v = special ? (int32_t)(test_random() % 3) : 0;
        }
        padic_num_set(&in.array, k, &value);
    }
    for (i = 0; i < 2; i++) {
        padic_context *where = i ? context : NULL;
        const padic_num_array *a = place ? &x[i].array : &in.array;
        padic_result result;
        numbers_make(&x[i], ring, model, count, 1);
        if (place) numbers_copy(&x[i], &in);
        result = op == 0   ? padic_num_sqrt(where, &x[i].array, a)
                 : op == 1 ? padic_num_exp(where, &x[i].array, a)
                 : op < 4  ? padic_num_log(where, &x[i].array, a,
                                           op == 3 ? PADIC_NUM_LOG_IWASAWA
                                                   : PADIC_NUM_LOG_SERIES)
                           : padic_num_teichmueller(where, &x[i].array, a);
        CHECK_EQ(result, PADIC_OK);
    }
    numbers_same(op == 0   ? "sqrt"
                 : op == 1 ? "exp"
                 : op < 4  ? "log"
                           : "teichmueller",
                 &x[0], &x[1]);
    free(in.block);
    free(x[0].block);
    free(x[1].block);
}

static void series_at(padic_context *context)
{
    size_t i, k;
    int model, op, tables;
    for (i = 0; i < RINGS; i++)
        for (tables = 0; tables < 2; tables++) {
            padic_num_ring ring = ring_at(i);
            void *memory = malloc(padic_num_ring_tables_size_bound(&ring) + 8);
            if (tables && ring.p > 300 && test_tiny) { // they take long
                free(memory);
                continue;
            }
            if (tables)
                CHECK_EQ(num_ring_tables(&ring, memory,
                                               padic_num_ring_tables_size_bound(&ring)),
                         PADIC_OK);
            for (model = 0; model < 2; model++)
                for (op = 0; op < 5; op++)
                    for (k = 0; k < sizeof counts / sizeof *counts; k++) {
                        const uint64_t n = counts[k];
                        if (n > 100 && (test_tiny || !tables || ring.p > UINT32_MAX)) continue;
                        series_case(context, &ring, (padic_num_model)model, op, n, 0, 0);
                        series_case(context, &ring, (padic_num_model)model, op, n, 7, (int)k & 1);
                    }
            free(memory);
        }
}

// Rational reconstruction, of fractions within the bounds and of anything.
static void rational_case(padic_context *context, const padic_num_ring *ring, padic_num_model model,
                          uint64_t count, uint32_t special, uint64_t bound)
{
    numbers in, other, x[2];
    int64_t *numbers_of[2][2];
    uint32_t i;
    uint64_t k;
    padic_num_from_rational_desc from = PADIC_ZERO;
    int64_t *const given = (int64_t *)malloc((size_t)count * 16 + 16);
    uint64_t most = 1; // its square is below p^(N - 1) / 2
    while (most >> 30 == 0 && 8 * most * most < ring->power[ring->precision - 1][0]) most *= 2;
    numbers_make(&in, ring, model, count, 0);
    for (k = 0; k < count; k++) { // fractions that are found; then what is put between them
        given[k] = (int64_t)(test_random() % most) - (int64_t)most / 2;
        do {
            given[count + k] = (int64_t)(1 + test_random() % most);
        } while ((uint64_t)given[count + k] % ring->p == 0);
    }
    from.out = in.array;
    from.numerator = padic_tensor_1d(PADIC_I64, given, count);
    from.denominator = padic_tensor_1d(PADIC_I64, given + count, count);
    CHECK_EQ(padic_num_from_rational(NULL, &from), PADIC_OK);
    numbers_make(&other, ring, model, count, 0);
    numbers_fill(&other, special);
    for (k = 0; k < count; k++) {
        padic_num_value value;
        padic_num_get(k % 3 ? &in.array : &other.array, k, &value);
        if (k % 8 == 1 && model == PADIC_NUM_FLOAT && value.v == 0)
            value.v = (int32_t)(test_random() % 5) - 2;
        CHECK_EQ(padic_num_set(&in.array, k, &value), PADIC_OK);
    }
    free(given);
    free(other.block);
    for (i = 0; i < 2; i++) {
        padic_num_to_rational_desc desc = PADIC_ZERO;
        numbers_make(&x[i], ring, model, count, 1);
        for (k = 0; k < 2; k++) {
            numbers_of[i][k] = (int64_t *)malloc((size_t)count * 8 + 8);
            memset(numbers_of[i][k], 0x5a, (size_t)count * 8 + 8);
        }
        desc.in = in.array;
        desc.numerator = padic_tensor_1d(PADIC_I64, numbers_of[i][0], count);
        desc.denominator = padic_tensor_1d(PADIC_I64, numbers_of[i][1], count);
        if (x[i].array.status.data)
            desc.status = padic_tensor_1d(PADIC_U8, x[i].array.status.data, count);
        desc.sticky = &x[i].sticky;
        if (bound && most > bound) desc.numerator_limit[0] = bound;
        CHECK_EQ(padic_num_to_rational(i ? context : NULL, &desc), PADIC_OK);
    }
    for (k = 0; k < 2; k++)
        CHECK(!memcmp(numbers_of[0][k], numbers_of[1][k], (size_t)count * 8 + 8));
    numbers_same("to rational", &x[0], &x[1]);
    for (i = 0; i < 2; i++) {
        free(numbers_of[i][0]);
        free(numbers_of[i][1]);
        free(x[i].block);
    }
    free(in.block);
}

static void rational_at(padic_context *context)
{
    size_t i, k;
    int model;
    for (i = 0; i < RINGS; i++) {
        const padic_num_ring ring = ring_at(i);
        for (model = 0; model < 2; model++)
            for (k = 0; k < sizeof counts / sizeof *counts; k++) {
                const uint64_t n = counts[k];
                if ((test_tiny && n > 100) || ring.precision < 3) continue;
                rational_case(context, &ring, (padic_num_model)model, n, 0, 0);
                rational_case(context, &ring, (padic_num_model)model, n, 9, 0);
                rational_case(context, &ring, (padic_num_model)model, n, 0, 3);
            }
    }
}

// ---- systems: what a call writes, beside what it writes without a kernel

enum { SYSTEMS = 70, SIDES = 9, SIZE = 9 }; // at most

typedef struct system_out {
    int64_t numerator[SYSTEMS * SIZE * SIDES], denominator[SYSTEMS * SIDES], det[SYSTEMS];
    uint64_t words[3 * SYSTEMS * SIZE * SIDES]; // U64, or the units of MODP
    uint32_t rank[SYSTEMS], sticky;
    uint8_t status[SYSTEMS];
    padic_result result;
} system_out;

typedef struct system_kind {
    uint32_t n, sides, batch, size; // size: bits of an entry; 64: of some of them
    uint32_t wide, verify;          // wide: 0: I64, 1: I32, 2: three planes of U64
    padic_dtype dtype;
    const padic_num_ring *ring; // MODP
} system_kind;

static int64_t system_entry(const system_kind *k, uint64_t i)
{
    const uint32_t bits = k->size < 64 ? k->size : test_random() % 40 ? 3 : 62;
    const int64_t x = (int64_t)(test_random() & ((UINT64_C(1) << bits) - 1));
    if (test_random() % 8 == 0) return 0;
    if (i % 77 == 5) return INT32_MIN;
    return test_random() & 1 ? -x : x;
}

static void system_call(padic_context *context, const system_kind *k, const void *a, const void *b,
                        void *scratch, size_t size, system_out *out)
{
    const uint64_t n = k->n, sides = k->sides, batch = k->batch;
    const uint64_t x_shape[4] = {3, batch, n, sides}, d_shape[3] = {3, batch, sides};
    const padic_tensor matrix = padic_tensor_3d(k->dtype, (void *)(uintptr_t)a, batch, n, n);
    memset(out, 0x5a, sizeof *out);
    out->sticky = 0;
    if (!sides) {
        padic_num_det_desc d = PADIC_ZERO;
        d.matrix = matrix;
        d.out = k->wide == 2 ? padic_tensor_2d(PADIC_U64, out->words, 3, batch)
                             : padic_tensor_1d(k->wide ? PADIC_I32 : PADIC_I64, out->det, batch);
        d.status = padic_tensor_1d(PADIC_U8, out->status, batch);
        d.sticky = &out->sticky;
        d.workspace = padic_tensor_1d(PADIC_U8, scratch, padic_num_det_workspace(&d));
        REQUIRE(d.workspace.shape[0] && d.workspace.shape[0] <= size);
        out->result = padic_num_det(context, &d);
        return;
    }
    padic_num_solve_desc d = PADIC_ZERO;
    d.matrix = matrix;
    d.right = padic_tensor_3d(k->dtype, (void *)(uintptr_t)b, batch, n, sides);
    if (k->ring) {
        d.out.ring = k->ring;
        d.out.model = PADIC_NUM_RING;
        d.out.count = batch * n * sides;
        d.out.unit = padic_num_plane_of(k->ring->unit_size == 4 ? PADIC_U32 : PADIC_U64,
                                        out->words);
    } else if (k->wide == 2) {
        d.numerator = padic_tensor_nd(PADIC_U64, out->words, 4, x_shape);
        d.denominator = padic_tensor_nd(PADIC_U64, out->numerator, 3, d_shape);
        d.det = padic_tensor_1d(PADIC_I64, out->det, batch);
    } else {
        const padic_dtype dtype = k->wide ? PADIC_I32 : PADIC_I64;
        d.numerator = padic_tensor_3d(dtype, out->numerator, batch, n, sides);
        d.denominator = padic_tensor_2d(dtype, out->denominator, batch, sides);
        d.det = padic_tensor_1d(dtype, out->det, batch);
    }
    d.rank = padic_tensor_1d(PADIC_U32, out->rank, batch);
    d.status = padic_tensor_1d(PADIC_U8, out->status, batch);
    d.sticky = &out->sticky;
    d.verify = k->verify && !k->ring;
    d.workspace = padic_tensor_1d(PADIC_U8, scratch, padic_num_solve_workspace(&d));
    REQUIRE(d.workspace.shape[0] && d.workspace.shape[0] <= size);
    out->result = padic_num_solve(context, &d);
}

static int64_t narrow_product(int64_t a, uint64_t b)
{
    return (int64_t)((uint64_t)a * b);
}

// Random systems; some with a column of 0, with two equal rows, with a multiple of p as their
// determinant, with a large entry.
static void systems_case(padic_context *context, const system_kind *k)
{
    static system_out x, y;
    static int64_t a[SYSTEMS * SIZE * SIZE + 1], b[SYSTEMS * SIZE * SIDES + 1];
    static int32_t a32[SYSTEMS * SIZE * SIZE + 1], b32[SYSTEMS * SIZE * SIDES + 1];
    static uint64_t scratch[40000];
    const uint32_t n = k->n;
    const int narrow = k->dtype == PADIC_I32;
    uint64_t i;
    for (i = 0; i < k->batch * n * n; i++) a[i] = system_entry(k, i);
    for (i = 0; i < k->batch * n * k->sides; i++) b[i] = system_entry(k, i + 3);
    for (i = 0; i < k->batch; i++) {
        int64_t *const m = a + i * n * n;
        const uint64_t kind = test_random() % 16;
        uint32_t j;
        for (j = 0; kind == 0 && j < n; j++) m[j * n + n / 2] = 0;
        for (j = 0; kind == 1 && j < n; j++) m[(n - 1) * n + j] = m[j];
        for (j = 0; kind == 2 && j < n; j++)
            m[j * n] = narrow_product(m[j * n], k->ring ? k->ring->p : 4);
        for (j = 0; kind == 3 && j < n * n; j++) m[j] = narrow_product(m[j], 6); // a common factor
        if (kind == 4 && !narrow) m[test_random() % (n * n)] = INT64_MIN;
        if (kind == 5 && !narrow) m[test_random() % (n * n)] = (INT64_C(1) << 51) - 1;
        if (kind == 6 && !narrow && k->sides) b[i * n * k->sides] = -(INT64_C(1) << 51);
    }
    for (i = 0; i < k->batch * n * n; i++) a32[i] = (int32_t)a[i];
    for (i = 0; i < k->batch * n * k->sides; i++) b32[i] = (int32_t)b[i];
    system_call(NULL, k, narrow ? (void *)a32 : (void *)a, narrow ? (void *)b32 : (void *)b,
                scratch, sizeof scratch, &x);
    system_call(context, k, narrow ? (void *)a32 : (void *)a, narrow ? (void *)b32 : (void *)b,
                scratch, sizeof scratch, &y);
    CHECK_EQ(x.result, PADIC_OK);
    CHECK_EQ(y.result, PADIC_OK);
    CHECK(!memcmp(&x, &y, sizeof x));
    if (memcmp(&x, &y, sizeof x))
        printf("\n    n %u sides %u batch %u size %u wide %u dtype %d", (unsigned)n,
               (unsigned)k->sides, (unsigned)k->batch, (unsigned)k->size, (unsigned)k->wide,
               (int)k->dtype);
}

static void systems_at(padic_context *context)
{
    static const uint32_t batches[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17,
                                       31, 32, 33, 40, 63, 64, 65, SYSTEMS};
    static const uint32_t sizes[] = {1, 2, 4, 6, 8, 11, 15, 20, 31, 64};
    static const ring_case moduli[] = {{257, 6, (padic_num_form)0}, {2, 20, (padic_num_form)0},
                                       {3, 10, (padic_num_form)0}, {5, 1, (padic_num_form)0}};
    uint32_t n, i;
    for (n = 2; n <= SIZE; n++)
        for (i = 0; i < 60; i++) {
            padic_num_ring ring;
            system_kind k = PADIC_ZERO;
            k.n = n;
            k.sides = i < 30 ? 1 : i < 40 ? 0 : (uint32_t)(test_random() % SIDES) + 1;
            k.batch = i < 25 ? batches[i] : batches[test_random() % 25];
            k.size = sizes[test_random() % 10];
            if (n > 2 && i % 2) k.size = sizes[(i / 2) % 3]; // most of them for the kernel
            k.dtype = i % 4 < 2 ? PADIC_I32 : PADIC_I64;
            k.wide = i % 3 ? 0 : (uint32_t)(i / 3) % 3;
            k.verify = i % 5 == 0;
            if (i % 6 == 5 && k.sides) {
                const ring_case *const m = &moduli[i / 6 % 4];
                REQUIRE(!padic_num_ring_init(&ring, m->p, m->precision, NULL));
                k.ring = &ring;
            }
            if (k.dtype == PADIC_I32 && k.size > 31) k.size = 31;
            systems_case(context, &k);
        }
}

// The kernel itself: it takes what is small, and 60 times the Hilbert matrix gives 100.
static void systems_taken(padic_context *context)
{
    static int64_t results[PADIC_NUM_SYSTEMS * 5];
    static uint64_t work[8 * (12 + 16 + 1)];
    int32_t a[3 * 9], b[3 * 3];
    static const int32_t hilbert[9] = {60, 30, 20, 30, 20, 15, 20, 15, 12};
    padic_num_systems s = PADIC_ZERO;
    uint32_t i;
    for (i = 0; i < 27; i++) a[i] = hilbert[i % 9];
    for (i = 0; i < 9; i++) b[i] = i % 3 == 0;
    for (i = 9; i < 18; i++) a[i] = 7; // singular
    a[18] = INT32_MAX;                 // too large
    a[22] = a[26] = INT32_MAX;
    s.matrix = a;
    s.right = b;
    s.dtype = PADIC_I32;
    s.n = 3;
    s.sides = 1;
    s.count = 3;
    s.reduce = 1;
    s.det = results;
    s.denominator = results + PADIC_NUM_SYSTEMS;
    s.numerator = results + 2 * PADIC_NUM_SYSTEMS;
    const padici_loop loop = padici_loop_of(context, PADIC_OP_NUM_SYSTEMS_LOOP);
    s.work = (void *)(((uintptr_t)work + 63) & ~(uintptr_t)63);
    CHECK_EQ(padici_loop_run(loop, &s), PADIC_OK);
    CHECK(s.det[0] == 100 && s.det[1] == 0 && s.det[2] == 0);
    CHECK(s.denominator[0] == 20 && s.numerator[0] == 3); // 3/20, -3/5, 1/2
    CHECK(s.numerator[PADIC_NUM_SYSTEMS] == -12 && s.numerator[2 * PADIC_NUM_SYSTEMS] == 10);
    s.reduce = 0;
    CHECK_EQ(padici_loop_run(loop, &s), PADIC_OK);
    CHECK(s.denominator[0] == 100 && s.numerator[0] == 15);
    s.n = 9;
    CHECK_EQ(padici_loop_run(loop, &s), PADIC_ERROR_NOT_SUPPORTED);
}

static void at_each_level(void (*test)(padic_context *context))
{
    size_t i;
    uint32_t done = 0;
    for (i = 0; i < sizeof levels / sizeof *levels; i++) {
        padic_context *context = context_at(levels[i]);
        const int before = test_failures;
        if (!context) continue;
        (*test)(context);
        if (test_failures > before) printf("\n  at level %s", levels[i]);
        padic_context_destroy(context);
        done++;
    }
    if (!done) test_skip_reason = "no vectors here";
}

TEST(arithmetic) { at_each_level(arithmetic_at); }

TEST(pairs) { at_each_level(pairs_at); }

TEST(valuation) { at_each_level(valuation_at); }

TEST(chains) { at_each_level(chains_at); }

TEST(limbs) { at_each_level(limbs_at); }
TEST(limbs_float) { at_each_level(limbs_float_at); }
TEST(packs) { at_each_level(packs_at); }

TEST(conversions) { at_each_level(conversions_at); }

TEST(series) { at_each_level(series_at); }

TEST(rational) { at_each_level(rational_at); }

TEST(systems)
{
    at_each_level(systems_at);
    at_each_level(systems_taken);
}

TEST_MAIN("simd_num", CASE(arithmetic), CASE(pairs), CASE(valuation), CASE(chains), CASE(limbs),
          CASE(limbs_float), CASE(packs), CASE(conversions), CASE(series), CASE(rational),
          CASE(systems))
