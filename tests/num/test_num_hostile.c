// test_num_hostile.c: planes that hold what no operation writes. Every operation of numbers, sparse
// matrices and samplers reads valuations, precisions, units, digits, columns and indices of all
// kinds; what comes out is unspecified, but nothing is read or written outside (each plane has a
// block of memory of its own, so run it under a sanitizer), nothing traps, and every call returns.

#define PADIC_IMPLEMENT_GPU
#include "../support/inside.h"
#include "../../padic.h"
#ifndef TEST_PLAIN_ONLY // compiles in a fraction of the time
#include "../../backends/padic_simd.h"
#include "../../backends/padic_opencl.h"
#include "../native/padic_native.h"
#endif
#include "../support/padic_test.h"
#include "../support/num_calls.h"
#include "../support/sample_calls.h"
#include "../support/sparse_calls.h"

enum { COUNT = 67, MOST_BLOCKS = 1500 };

static padic_context *context; // of the machine at work, or NULL
static int device;             // 1: its planes lie in buffers
static void *blocks[MOST_BLOCKS];
static padic_buffer buffers[MOST_BLOCKS];
static uint32_t block_count, buffer_count;
static const char *doing = "";

static void *block(size_t size) // exactly so large, with random bytes
{
    uint8_t *p = (uint8_t *)malloc(size ? size : 1);
    size_t i;
    if (!p || block_count == MOST_BLOCKS) abort();
    for (i = 0; i < size; i++) p[i] = (uint8_t)test_random();
    blocks[block_count++] = p;
    return p;
}

static void blocks_end(void)
{
    while (block_count) free(blocks[--block_count]);
    while (buffer_count) padic_buffer_destroy(context, buffers[--buffer_count]);
}

// The bytes at `p`, of a block, become a tensor where the machine wants it.
static padic_tensor place(padic_dtype dtype, uint32_t rank, const uint64_t *shape, void *p)
{
    padic_tensor t = padic_tensor_nd(dtype, p, rank, shape);
    padic_buffer_desc desc = PADIC_ZERO;
    if (!device || !padic_tensor_count(&t)) return t;
    desc.size = padic_tensor_count(&t) * padic_dtype_size(dtype);
    if (buffer_count == MOST_BLOCKS || padic_buffer_create(context, &desc, &t.buffer) ||
        padic_buffer_upload(context, t.buffer, 0, p, (size_t)desc.size))
        abort();
    buffers[buffer_count++] = t.buffer;
    t.data = NULL;
    return t;
}

static padic_tensor plane(padic_dtype dtype, uint64_t count)
{
    return place(dtype, 1, &count, block((size_t)(count * padic_dtype_size(dtype))));
}

static padic_num_plane plane_of(padic_tensor t)
{
    padic_num_plane plane = padic_num_plane_in(t.dtype, t.buffer, t.offset);
    plane.data = t.data;
    return plane;
}

static padic_tensor tensor_of(const padic_num_plane *plane, uint64_t count)
{
    padic_tensor t = padic_tensor_1d(plane->dtype, plane->data, count);
    t.buffer = plane->buffer;
    t.offset = plane->offset;
    return t;
}

static padic_tensor plane2(padic_dtype dtype, uint64_t rows, uint64_t cols)
{
    uint64_t shape[2];
    shape[0] = rows;
    shape[1] = cols;
    return place(dtype, 2, shape, block((size_t)(rows * cols * padic_dtype_size(dtype))));
}

// `p` holds `count` elements of the array's plane.
static padic_num_plane number_plane(padic_dtype dtype, uint64_t count, void *p)
{
    return plane_of(place(dtype, 1, &count, p));
}

static uint64_t hostile_word(const padic_num_ring *ring)
{
    const uint64_t k = test_random() % 64;
    switch (test_random() % 12) {
    case 0: return 0;
    case 1: return 1;
    case 2: return ring->modulus[0];
    case 3: return ring->modulus[0] - 1;
    case 4: return ring->modulus[0] + 1;
    case 5: return UINT64_MAX;
    case 6: return UINT64_C(1) << k;
    case 7: return k < ring->power_count ? ring->power[k][0] : ring->p;
    case 8: return test_random();
    case 9: return 2 * ring->base;
    case 10: return test_random() % ring->p;
    default: return ring->base ? test_random() % ring->base : test_random();
    }
}

static int32_t hostile_val(void)
{
    static const int32_t v[24] = {0, 0, 0, 1, -1, 2, 5, -3, 1 << 29, -(1 << 29), (1 << 29) + 1,
                                  -(1 << 29) - 1, 1 << 30, -(1 << 30), INT32_MAX, INT32_MAX - 1,
                                  INT32_MIN, INT32_MIN + 1, 32767, -32768, 16383, -16383, 300, -70};
    return test_random() % 8 ? v[test_random() % 24] : (int32_t)test_random();
}

static uint32_t hostile_known(uint32_t precision)
{
    const uint32_t n[10] = {0, 1, precision, precision + 1, 200, 255, 256, 65535, 2, 60000};
    return n[test_random() % 10];
}

// `how`: 1 I16 valuations, 2 U16 precisions, 4 no status plane.
static padic_num_array array_of(const padic_num_ring *ring, padic_num_model model, uint64_t count,
                                uint32_t how)
{
    const uint32_t long_ring = ring->form == PADIC_NUM_RX;
    const uint64_t tiles = (count + 31) / 32;
    const uint64_t words = long_ring ? tiles * 32 * ring->words : count * ring->words;
    uint8_t *unit = (uint8_t *)block((size_t)words * ring->unit_size), *p;
    padic_num_array a;
    uint64_t i;
    memset(&a, 0, sizeof a);
    a.ring = ring;
    a.model = model;
    a.count = count;
    for (i = 0; i < words; i++) {
        const uint64_t x = hostile_word(ring);
        const uint32_t y = (uint32_t)x;
        if (ring->unit_size == 4)
            memcpy(unit + 4 * i, &y, 4);
        else
            memcpy(unit + 8 * i, &x, 8);
    }
    a.unit = number_plane(ring->unit_size == 4 ? PADIC_U32 : PADIC_U64, words, unit);
    if (model != PADIC_NUM_RING) {
        p = (uint8_t *)block((size_t)count * (how & 1 ? 2 : 4));
        for (i = 0; i < count; i++) {
            const int32_t v = hostile_val();
            const int16_t w = (int16_t)(v > 32767 ? 32767 : v < -32768 ? -32768 : v);
            if (how & 1)
                memcpy(p + 2 * i, &w, 2);
            else
                memcpy(p + 4 * i, &v, 4);
        }
        a.val = number_plane(how & 1 ? PADIC_I16 : PADIC_I32, count, p);
    }
    if (model == PADIC_NUM_BALL) {
        const int wide = how & 2 || ring->precision > 255;
        p = (uint8_t *)block((size_t)count * (wide ? 2 : 1));
        for (i = 0; i < count; i++) {
            const uint32_t n = hostile_known(ring->precision);
            const uint16_t w = (uint16_t)n;
            if (wide)
                memcpy(p + 2 * i, &w, 2);
            else
                p[i] = (uint8_t)n;
        }
        a.known = number_plane(wide ? PADIC_U16 : PADIC_U8, count, p);
    }
    if (!(how & 4)) a.status = plane_of(plane(PADIC_U8, count));
    a.workspace_size = padic_num_workspace(ring);
    if (a.workspace_size) a.workspace = block(a.workspace_size);
    return a;
}

// Whatever a call answers, it is a code, and none of a fault.
static void run(const char *what, padic_result result)
{
    doing = what;
    if (result > 0 || result == PADIC_ERROR_SELF_TEST || !strcmp(padic_result_text(result), "")) {
        printf("\n  %s: %d", what, (int)result);
        CHECK(0);
    }
}
#define RUN(call) run(#call, call)

static void arithmetic(const padic_num_ring *ring, padic_num_model model, uint32_t how)
{
    static const int64_t powers[] = {0, 1, 2, -1, -3, 1 << 20, INT64_MAX, INT64_MIN, INT64_MIN + 1};
    static const int64_t shifts[] = {0, 1, -1, 3, 1 << 29, -(1 << 29), INT64_MAX, INT64_MIN};
    padic_num_array x = array_of(ring, model, COUNT, how), a = array_of(ring, model, COUNT, how);
    padic_num_array b = array_of(ring, model, COUNT, how), c = array_of(ring, model, COUNT, how);
    padic_num_array one = array_of(ring, model, 1, how), y = array_of(ring, model, 1, how);
    padic_num_array many = array_of(ring, model, 3 * COUNT, how);
    padic_num_valuation_desc valuation = PADIC_ZERO;
    padic_num_horner_desc horner = PADIC_ZERO;
    padic_tensor val = plane(PADIC_I32, COUNT), k;
    uint32_t i;
    RUN(padic_num_add(context, &x, &a, &b));
    RUN(padic_num_sub(context, &x, &a, &b));
    RUN(padic_num_add(context, &x, &one, &b));
    RUN(padic_num_neg(context, &x, &a));
    RUN(padic_num_mul(context, &x, &a, &b));
    RUN(padic_num_mul(context, &x, &a, &one));
    RUN(padic_num_square(context, &x, &a));
    RUN(padic_num_inv(context, &x, &a));
    RUN(padic_num_div(context, &x, &a, &b));
    RUN(padic_num_div(context, &x, &one, &b));
    RUN(padic_num_fma(context, &x, &a, &b, &c));
    RUN(padic_num_fma(context, &x, &one, &b, &c));
    RUN(padic_num_split(context, &x, &val, &a));
    RUN(padic_num_sum(context, &y, &a));
    RUN(padic_num_dot(context, &y, &a, &b));
    for (i = 0; i < sizeof powers / sizeof *powers; i++)
        RUN(padic_num_pow(context, &x, &a, powers[i]));
    for (i = 0; i < sizeof shifts / sizeof *shifts; i++)
        RUN(padic_num_shift(context, &x, &a, shifts[i]));
    k = plane(PADIC_I32, COUNT);
    RUN(padic_num_pow_array(context, &x, &a, &k));
    k = plane(PADIC_I64, COUNT);
    RUN(padic_num_pow_array(context, &x, &a, &k));
    k = plane2(PADIC_U64, 2, COUNT);
    RUN(padic_num_pow_array(context, &x, &a, &k));
    valuation.in = a;
    valuation.val = val;
    valuation.norm = plane(PADIC_F64, COUNT);
    valuation.status = plane(PADIC_U8, COUNT);
    RUN(padic_num_valuation(context, &valuation));
    valuation.norm = plane(PADIC_F32, COUNT);
    valuation.other = b;
    RUN(padic_num_valuation(context, &valuation));
    k = plane(PADIC_U8, COUNT);
    RUN(padic_num_equal(context, &k, &a, &b, 0));
    RUN(padic_num_equal(context, &k, &a, &b, INT64_MAX));
    RUN(padic_num_equal(context, &k, &a, &one, INT64_MIN));
    RUN(padic_num_tropical(context, &val, &a));
    k = plane(PADIC_F64, COUNT);
    RUN(padic_num_tropical(context, &k, &a));
    horner.out = x;
    horner.x = a;
    horner.coefficients = c;
    horner.terms = COUNT;
    RUN(padic_num_horner(context, &horner));
    horner.terms = 3;
    horner.coefficients = many;
    RUN(padic_num_horner(context, &horner));
    RUN(padic_num_mul(context, &a, &a, &a));
    RUN(padic_num_add(context, &b, &b, &b));
}

static void conversions(const padic_num_ring *ring, padic_num_model model, uint32_t how)
{
    static const padic_dtype integers[8] = {PADIC_I8, PADIC_I16, PADIC_I32, PADIC_I64,
                                            PADIC_U8, PADIC_U16, PADIC_U32, PADIC_U64};
    static const padic_dtype floats[4] = {PADIC_F64, PADIC_F32, PADIC_F16, PADIC_BF16};
    padic_num_array x = array_of(ring, model, COUNT, how), a = array_of(ring, model, COUNT, how);
    const padic_tensor val = place(PADIC_I32, 1, &x.count, block(COUNT * 4));
    uint32_t i, j;
    for (i = 0; i < 10; i++) {
        padic_num_to_int_desc to = PADIC_ZERO;
        padic_num_from_int_desc from = PADIC_ZERO;
        padic_num_from_rational_desc fraction = PADIC_ZERO;
        to.in = a;
        to.out = i < 8 ? plane(integers[i], COUNT) : plane2(PADIC_U64, i - 7, COUNT);
        to.status = plane(PADIC_U8, COUNT);
        RUN(padic_num_to_int(context, &to));
        to.mode = PADIC_NUM_INT_BALANCED;
        RUN(padic_num_to_int(context, &to));
        from.out = fraction.out = x;
        from.in = i < 8 ? plane(integers[i], COUNT) : plane2(PADIC_U64, i - 7, COUNT);
        RUN(padic_num_from_int(context, &from));
        fraction.numerator = from.in;
        fraction.denominator = i < 8 ? plane(integers[i], COUNT) : plane2(PADIC_U64, i - 7, COUNT);
        RUN(padic_num_from_rational(context, &fraction));
    }
    for (i = 0; i < 4; i++)
        for (j = 0; j < 3; j++) {
            padic_num_to_float_desc to = PADIC_ZERO;
            padic_num_from_float_desc from = PADIC_ZERO;
            to.in = a;
            from.out = x;
            to.out = from.in = plane(floats[i], COUNT);
            to.mode = from.mode = (padic_num_float_mode)j;
            to.scale = from.scale = j == 2 ? (i & 1 ? 1 << 20 : -(1 << 20)) : 0;
            if (j == 1) to.exponent = from.exponent = plane(PADIC_I16, COUNT);
            to.status = plane(PADIC_U8, COUNT);
            RUN(padic_num_to_float(context, &to));
            from.in = plane(floats[i], COUNT);
            RUN(padic_num_from_float(context, &from));
        }
    for (i = 0; i < 6; i++) {
        padic_num_to_digits_desc to = PADIC_ZERO;
        padic_num_from_digits_desc from = PADIC_ZERO;
        const int is_signed = i % 3 == PADIC_NUM_DIGITS_BALANCED;
        to.in = a;
        to.kind = from.kind = (padic_num_digit_kind)(i % 3);
        to.layout = from.layout = (padic_num_layout)(i / 3);
        to.digits = from.digits = plane(ring->p < 120    ? is_signed ? PADIC_I8 : PADIC_U8
                                        : ring->p >> 31 ? is_signed ? PADIC_I64 : PADIC_U64
                                        : is_signed     ? PADIC_I32
                                                        : PADIC_U32,
                                        COUNT * ring->precision);
        to.status = plane(PADIC_U8, COUNT);
        if (model != PADIC_NUM_RING) {
            to.val = val;
            from.val = x.val.dtype == PADIC_I32 ? tensor_of(&a.val, COUNT) : val;
        }
        if (model == PADIC_NUM_BALL) {
            to.known = plane(PADIC_U16, COUNT);
            from.known = tensor_of(&a.known, COUNT);
        }
        RUN(padic_num_to_digits(context, &to));
        from.out = x;
        RUN(padic_num_from_digits(context, &from)); // of digits in range
        from.digits = plane(from.digits.dtype, COUNT * ring->precision);
        RUN(padic_num_from_digits(context, &from));
    }
}

static void texts(const padic_num_ring *ring, padic_num_model model, uint32_t how)
{
    const padic_num_array a = array_of(ring, model, COUNT, how);
    uint64_t i;
    size_t size = padic_num_write_size_bound(&a) + 64;
    uint32_t style;
    RUN(num_check(context, &a, &i));
    RUN(num_write(context, &a, block(size), size, &size));
    for (i = 0; i < COUNT; i++)
        for (style = 0; style < 2; style++) {
            const size_t room = padic_num_print_size_bound(ring, (padic_num_text)style);
            padic_num_value value;
            const padic_result result =
                num_print(&a, i, (padic_num_text)style, (char *)block(room), room, &size);
            CHECK_EQ(result, PADIC_OK); // also where the value makes no sense: the bound holds
            free(blocks[--block_count]);
            RUN(padic_num_get(&a, i, &value));
            value.v = hostile_val();
            value.n = hostile_known(ring->precision);
            value.u[0] = hostile_word(ring);
            RUN(padic_num_set(&a, i, &value));
        }
}

static void series(const padic_num_ring *ring, padic_num_model model, uint32_t how)
{
    static const uint64_t n[] = {1, 2, 3, 4, 5, 6, 7, UINT64_C(1) << 40, UINT64_MAX};
    padic_num_array x = array_of(ring, model, COUNT, how), a = array_of(ring, model, COUNT, how);
    padic_num_array b = array_of(ring, model, COUNT, how);
    padic_num_array many = array_of(ring, model, 3 * COUNT, how);
    padic_num_hensel_desc hensel = PADIC_ZERO;
    padic_num_polynomial_roots_desc all = PADIC_ZERO;
    uint64_t need;
    uint32_t i;
    RUN(padic_num_sqrt(context, &x, &a));
    for (i = 0; i < sizeof n / sizeof *n; i++) {
        const uint64_t roots = padic_num_root_count(ring, n[i]);
        RUN(padic_num_root(context, &x, &a, n[i]));
        if (roots < 4 && n[i] < 8) {
            padic_num_array turned = array_of(ring, model, roots * COUNT, how);
            RUN(num_roots(context, &turned, &a, n[i]));
        }
    }
    if (ring->p < 300) RUN(padic_num_root(context, &x, &a, ring->p));
    RUN(padic_num_exp(context, &x, &a));
    RUN(padic_num_log(context, &x, &a, PADIC_NUM_LOG_SERIES));
    RUN(padic_num_log(context, &x, &a, PADIC_NUM_LOG_IWASAWA));
    RUN(padic_num_pow_padic(context, &x, &a, &b));
    RUN(padic_num_teichmueller(context, &x, &a));
    hensel.out = x;
    hensel.coefficients = many;
    hensel.terms = 3;
    hensel.seeds = b;
    RUN(padic_num_hensel(context, &hensel));
    if (ring->p >= 300) return;
    all.out = x;
    all.coefficients = many;
    all.terms = 3;
    all.polynomials = COUNT;
    all.root_limit = 1;
    all.branches = 4;
    all.found = plane(PADIC_U32, COUNT);
    all.guarantee = plane(PADIC_U8, COUNT);
    need = padic_num_polynomial_roots_workspace(&all);
    all.workspace = padic_tensor_1d(PADIC_U8, block(need), need);
    RUN(padic_num_polynomial_roots(context, &all));
}

static void exact(const padic_num_ring *ring, padic_num_model model, uint32_t how)
{
    static const uint64_t other[][2] = {{0, 1}, {0, 7}, {0, 300}, {5, 9}, {257, 50}, {2, 64}};
    const padic_num_array a = array_of(ring, model, COUNT, how);
    padic_num_to_rational_desc to = PADIC_ZERO;
    padic_num_ring next;
    uint32_t i, j;
    for (i = 0; i < sizeof other / sizeof *other; i++) {
        const uint64_t p = other[i][0] ? other[i][0] : ring->p;
        if (padic_num_ring_init(&next, p, (uint32_t)other[i][1], NULL)) continue;
        {
            padic_num_array x = array_of(&next, model, COUNT, how);
            if (p == ring->p) RUN(padic_num_set_precision(context, &x, &a));
            for (j = 0; j < 3; j++) {
                padic_num_array y = array_of(&next, (padic_num_model)j, COUNT, how & 4);
                RUN(padic_num_change_prime(context, &y, &a));
            }
        }
    }
    to.in = a;
    to.status = plane(PADIC_U8, COUNT);
    for (i = 0; i < 4 * 3 * 3; i++) {
        to.mode = (padic_num_rational_mode)(i % 4);
        to.guard = i / 4 % 3 == 0   ? 0
                   : i / 4 % 3 == 1 ? PADIC_NUM_RATIONAL_NO_GUARD
                                    : ring->precision;
        to.numerator = i / 12 == 1 ? plane2(PADIC_U64, 2, COUNT)
                                   : plane(i / 12 ? PADIC_I32 : PADIC_I64, COUNT);
        to.denominator = i / 12 == 1 ? plane2(PADIC_U64, 2, COUNT)
                                     : plane(i / 12 ? PADIC_I32 : PADIC_I64, COUNT);
        to.fixed[0] = ring->p * 6;
        to.numerator_limit[0] = i % 5 == 4;
        to.vector = i & 1 ? 0 : COUNT;
        RUN(padic_num_to_rational(context, &to));
    }
}

static void trees(const padic_num_ring *ring, padic_num_model model, uint32_t how)
{
    const padic_num_array a = array_of(ring, model, COUNT, how), q = array_of(ring, model, 5, how);
    padic_num_tree_nearest_desc nearest = PADIC_ZERO;
    padic_num_tree tree;
    padic_tensor label = plane(PADIC_U32, COUNT);
    const size_t size = padic_num_tree_size_bound(&a, 0);
    uint32_t i;
    uint64_t count;
    int32_t depth;
    REQUIRE(num_tree_init(&tree, &a, 0, block(size + 8), size) == PADIC_OK);
    RUN(num_tree_build(&tree, NULL));
    for (i = 0; i < COUNT; i++) RUN(num_tree_insert(&tree, i)); // those that are no NaN
    RUN(num_tree_validate(&tree));
    nearest.tree = &tree;
    nearest.query = q;
    nearest.ids = plane(PADIC_U32, 5 * 7);
    nearest.val = plane(PADIC_I32, 5 * 7);
    RUN(padic_num_tree_nearest(context, &nearest));
    for (i = 0; i < 5; i++) {
        RUN(num_tree_ball(&tree, &q, i, hostile_val(), &label, &count));
        RUN(num_tree_clusters(&tree, hostile_val(), &label, &count));
        RUN(num_tree_lca(&tree, i, i + 9, &depth));
    }
    {
        size_t room = padic_num_tree_write_size_bound(&tree), written = 0;
        uint8_t *bytes = (uint8_t *)block(room);
        RUN(num_tree_write(&tree, bytes, room, &written));
        RUN(num_tree_read(&tree, bytes, written));
    }
    for (i = 0; i < COUNT; i++) RUN(num_tree_erase(&tree, i));
}

typedef struct ring_row {
    uint64_t p;
    uint32_t precision;
    padic_num_form form;
    uint32_t limb32;
} ring_row;

static const ring_row rings[] = {
    {5, 10, (padic_num_form)0, 0},   {257, 6, (padic_num_form)0, 0},
    {2, 20, (padic_num_form)0, 0},   {2, 64, (padic_num_form)0, 0},
    {3, 40, (padic_num_form)0, 0},   {257, 12, (padic_num_form)0, 0},
    {2, 100, (padic_num_form)0, 0},  {257, 40, (padic_num_form)0, 0},
    {3, 300, (padic_num_form)0, 0},  {2, 200, (padic_num_form)0, 1},
    {2, 1, (padic_num_form)0, 0},    {2, 32, (padic_num_form)0, 0},
    {3, 1, (padic_num_form)0, 0},    {65537, 1, (padic_num_form)0, 0},
    {4294967291u, 1, (padic_num_form)0, 0},
    {UINT64_C(2305843009213693951), 1, (padic_num_form)0, 0},
    {5, 10, PADIC_NUM_W128, 0},      {5, 10, PADIC_NUM_RX, 0},
    {5, 10, PADIC_NUM_RX, 1},        {2, 20, PADIC_NUM_W49, 0},
    {UINT64_C(9223372036854775783), 3, (padic_num_form)0, 0}};
enum { RINGS = (int)(sizeof rings / sizeof *rings) };

static padic_num_ring ring_at(int i, int tables)
{
    padic_num_ring ring;
    padic_num_ring_options options;
    size_t size;
    options.form = rings[i].form;
    options.limb32 = rings[i].limb32;
    CHECK_EQ(padic_num_ring_init(&ring, rings[i].p, rings[i].precision, &options), PADIC_OK);
    size = tables ? padic_num_ring_tables_size_bound(&ring) : 0;
    if (size) CHECK_EQ(num_ring_tables(&ring, block(size), size), PADIC_OK);
    return ring;
}

typedef void (*operations)(const padic_num_ring *ring, padic_num_model model, uint32_t how);

static void all(operations what, uint32_t models, int first, int end)
{
    int i, j, rounds;
    for (i = first; i < end; i++)
        for (rounds = 0; rounds < test_amount(device ? 1 : 2, device ? 1 : 4, 12); rounds++) {
            const padic_num_ring ring = ring_at(i, (rounds & 1) ^ test_tiny); // with tables, or not
            const uint32_t kept = block_count;
            for (j = 0; j < (int)models; j++) {
                what(&ring, (padic_num_model)j, (uint32_t)(test_random() % 8));
                while (buffer_count) padic_buffer_destroy(context, buffers[--buffer_count]);
                while (block_count > kept) free(blocks[--block_count]);
            }
            blocks_end();
        }
}

static void everything(int first, int end)
{
    all(arithmetic, 3, first, end);
    all(conversions, 3, first, end);
    all(series, 3, first, end);
    all(exact, 3, first, end);
}

// A matrix of 9 x 11 with planes for 40 entries that hold anything.
static padic_sparse_csr hostile_matrix(const padic_num_ring *ring, padic_sparse_kind kind,
                                       padic_dtype index, int valuations)
{
    padic_sparse_csr csr = PADIC_ZERO;
    const uint32_t words = kind == PADIC_SPARSE_KIND_NUMBERS ? ring->words : 1;
    uint32_t i;
    uint8_t *p;
    csr.rows = 9;
    csr.cols = kind == PADIC_SPARSE_KIND_DIGITS ? ring->precision : 11;
    csr.nnz = test_random() % 41;
    csr.kind = kind;
    csr.words = words;
    csr.row_ptr = plane(index, 10);
    csr.col = plane(index, 40);
    csr.value = plane(kind == PADIC_SPARSE_KIND_NUMBERS && ring->unit_size == 8 ? PADIC_U64
                      : PADIC_U32,
                      40 * words);
    if (kind) {
        csr.p = ring->p;
        csr.precision = ring->precision;
        csr.form = ring->form;
        csr.val_of = !valuations                 ? PADIC_SPARSE_VAL_NONE
                     : kind == PADIC_SPARSE_KIND_DIGITS ? PADIC_SPARSE_VAL_ROW
                                                   : PADIC_SPARSE_VAL_ENTRY;
        csr.val = plane(PADIC_I32, 40);
        for (i = 0; i < 40; i++) ((int32_t *)csr.val.data)[i] = hostile_val();
    }
    for (i = 0; i < 50; i++) { // mostly nearly right: growing pointers, small columns
        const int rows = i < 10;
        const uint64_t x = test_random() % 12 == 0 ? test_random()
                           : rows                  ? csr.nnz * i / 9
                                                   : (i - 10) % (csr.cols ? csr.cols : 1);
        const uint32_t y = (uint32_t)x;
        p = (uint8_t *)(rows ? csr.row_ptr.data : csr.col.data);
        if (index == PADIC_I64)
            memcpy(p + 8 * (rows ? i : i - 10), &x, 8);
        else
            memcpy(p + 4 * (rows ? i : i - 10), &y, 4);
    }
    return csr;
}

static void sparse(const padic_num_ring *ring, padic_num_model model, uint32_t how)
{
    uint32_t round;
    for (round = 0; round < 24; round++) {
        const padic_sparse_kind kind = (padic_sparse_kind)(round % 3);
        const padic_dtype index = round & 1 ? PADIC_I64 : PADIC_I32;
        padic_sparse_csr a = hostile_matrix(ring, kind, index, model != PADIC_NUM_RING);
        padic_sparse_csr b = hostile_matrix(ring, kind, index, model != PADIC_NUM_RING);
        padic_sparse_csr x = hostile_matrix(ring, kind, index, model != PADIC_NUM_RING);
        padic_num_array wide = array_of(ring, model, 99, how & 4);
        padic_num_array y = array_of(ring, model, 9, how);
        padic_sparse_product_desc product = PADIC_ZERO;
        padic_sparse_encode_desc encode = PADIC_ZERO;
        padic_tensor dense = plane2(PADIC_U32, 9, a.cols), entries = plane(PADIC_I64, 9);
        padic_num_value alpha = PADIC_ZERO;
        uint64_t first, count;
        int64_t entry;
        size_t size = 0;
        alpha.u[0] = 1;
        RUN(sparse_decode(context, &dense, NULL, &a));
        RUN(sparse_decode(context, NULL, &wide, &a));
        RUN(sparse_to_num(context, &y, &a));
        RUN(sparse_row(context, &a, 8, &first, &count));
        RUN(sparse_get(context, &a, 8, 3, &entry));
        RUN(sparse_col(context, &a, 3, &entries));
        RUN(sparse_transpose(context, &x, &a));
        RUN(sparse_add(context, &x, &a, &b, &alpha, &alpha));
        RUN(sparse_scale(context, &x, &a, &alpha));
        RUN(sparse_write(context, &a, block(4096), 4096, &size));
        product.a = &a;
        product.x = plane(PADIC_U32, a.cols);
        product.y = plane(PADIC_U64, 9);
        product.x_numbers = array_of(ring, PADIC_NUM_RING, 11, how);
        product.y_numbers = array_of(ring, PADIC_NUM_RING, 9, how);
        RUN(padic_sparse_product(context, &product));
        RUN(sparse_validate(context, &a, PADIC_SPARSE_LEVEL_CANONICAL, &first));
        RUN(sparse_validate(context, &b, PADIC_SPARSE_LEVEL_STRUCTURE, &first));
        encode.source.numbers = wide;
        encode.source.rows = 9;
        encode.source.cols = 11;
        encode.source.mode = round & 4 ? PADIC_SPARSE_MODE_NORM : PADIC_SPARSE_MODE_NONZERO;
        encode.source.threshold = round & 8 ? 1e300 : 3;
        RUN(sparse_encode(context, &x, &encode, NULL));
        RUN(sparse_from_num(context, &x, &y));
        RUN(sparse_to_num(context, &y, &x));
    }
}

static void samples(const padic_num_ring *ring, padic_num_model model, uint32_t how)
{
    static const uint32_t bases[] = {2, 3, 5, 10, 257, 1021, 1023, 65537};
    uint32_t i;
    (void)ring;
    for (i = 0; i < 64; i++) {
        padic_sample_radical_inverse_desc inverse = PADIC_ZERO;
        padic_sample_scramble_desc scramble = PADIC_ZERO;
        padic_sample_shuffle_index_desc shuffle = PADIC_ZERO;
        padic_sample_scrambling keys = PADIC_ZERO;
        const padic_sample_digits digits = (padic_sample_digits)(i / 8 % 2);
        keys.mode = (padic_sample_mode)((uint32_t)model + (how & 1));
        keys.keys = padic_tensor_1d(PADIC_U64, block(64 * 8), 64);
        inverse.base = scramble.base = shuffle.base = bases[i % 8];
        inverse.digits = scramble.digits = shuffle.digits = digits;
        inverse.scrambling = scramble.scrambling = shuffle.scrambling = keys;
        inverse.out = plane(i & 16 ? PADIC_F64 : PADIC_U32, COUNT);
        inverse.index = plane(i & 32 ? PADIC_U64 : PADIC_U32, COUNT);
        RUN(padic_sample_radical_inverse(context, &inverse));
        scramble.reversals = shuffle.index = inverse.index;
        scramble.out = shuffle.out = plane(digits ? PADIC_U64 : PADIC_U32, COUNT);
        RUN(padic_sample_scramble(context, &scramble));
        RUN(sample_unscramble(context, &scramble));
        shuffle.levels = i % 5;
        RUN(padic_sample_shuffle_index(context, &shuffle));
    }
}

TEST(plain)
{
    context = NULL;
    everything(0, RINGS);
    all(texts, 3, 0, RINGS);
    all(trees, 2, 0, RINGS);
    all(sparse, 2, 0, RINGS);
    all(samples, 3, 0, 1);
}

TEST(vectors)
{
#ifndef TEST_PLAIN_ONLY
    static const char *const levels[] = {"neon", "avx2", "avx512", "avx512ifma"};
    uint32_t i, found = 0;
    for (i = 0; i < 4; i++) {
        padic_context_desc desc = PADIC_ZERO;
        desc.backends[0] = padic_simd();
        desc.device.name = levels[i];
        if (padic_context_create(&desc, &context)) continue;
        found++;
        everything(0, RINGS);
        all(sparse, 2, 0, RINGS);
        all(samples, 3, 0, 1);
        padic_context_destroy(context);
        context = NULL;
    }
    if (found) return;
#endif
    SKIP("no vectors here");
}

// Kernels as plain C, with the sanitizers of this program. Each operation, model and form is a text
// of its own to compile: one ring.
TEST(kernels)
{
#ifndef TEST_PLAIN_ONLY
    static padic_native_desc native;
    padic_context_desc desc = PADIC_ZERO;
    desc.backends[0] = padic_native();
    desc.device.native_context = &native;
    if (!padic_context_create(&desc, &context)) {
        device = 1;
        everything(1, 2);
        device = 0;
        padic_context_destroy(context);
        context = NULL;
        return;
    }
#endif
    SKIP("no native device");
}

TEST_MAIN("num_hostile", CASE(plain), CASE(vectors), CASE(kernels))
