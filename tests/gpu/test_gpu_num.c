// test_gpu_num.c: p-adic arrays in buffers of a device. Every operation, model and way to store
// units gives the bytes that the host gives (which the other tests of numbers have compared with
// their oracle): units, valuations, known digits, status bytes, the sticky word, the result code.
#define PADIC_IMPLEMENT_GPU
#include "../support/inside.h"
#define PADICI_GPU_SOLVE_CELLS UINT64_C(20000) // large batches of systems in several launches
#include "../../padic.h"
#include "../../backends/padic_null.h"
#include "../../backends/padic_opencl.h"
#include "../native/padic_native.h"
#ifdef GPU_OPENCL
#endif
#ifdef GPU_CUDA
#include "../../backends/padic_cuda.h"
#endif
#include "../support/padic_test.h"
#include "../support/num_calls.h"

typedef struct ring_row {
    uint64_t p;
    uint32_t N;
    padic_num_form form;
} ring_row;

static const ring_row rings[] = {
    {2, 20, (padic_num_form)0},         {2, 32, (padic_num_form)0},
    {2, 33, (padic_num_form)0},         {2, 64, (padic_num_form)0},
    {2, 20, PADIC_NUM_W32},             {2, 30, PADIC_NUM_W64},
    {3, 20, (padic_num_form)0},         {3, 1, (padic_num_form)0},
    {257, 3, (padic_num_form)0},        {65537, 1, (padic_num_form)0},
    {4294967291u, 1, (padic_num_form)0}, {257, 6, (padic_num_form)0},
    {3, 30, (padic_num_form)0},         {5, 27, (padic_num_form)0},
    {7, 5, PADIC_NUM_W64},              {3, 40, (padic_num_form)0},
    {(UINT64_C(1) << 61) - 1, 1, (padic_num_form)0},
    {UINT64_C(9223372036854775783), 1, (padic_num_form)0},
    {786433, 3, (padic_num_form)0},
    {2, 1, (padic_num_form)0},          {2, 2, (padic_num_form)0}}; // balls that know one digit
enum { RINGS = (int)(sizeof rings / sizeof *rings), COUNTS = 4 };
static const uint64_t counts[COUNTS] = {1, 2, 129, 1001};

static padic_context *context;
static padic_num_ring ring;
static const char *doing = "";

// An array on the host and its twin on the device, over blocks of the same layout.
typedef struct twin {
    padic_num_array host, device;
    padic_buffer buffer;
    char *memory, *block;
    size_t size;
} twin;

static void twin_begin(twin *t, padic_num_model model, uint64_t count, int narrow)
{
    padic_buffer_desc desc = PADIC_ZERO;
    t->size = (padic_num_array_size_bound(&ring, model, count) + 128 + 255) & ~(size_t)255;
    t->block = (char *)malloc(t->size + 64);
    if (!t->block) abort();
    memset(t->block, 0x5a, t->size + 64);
    t->memory = t->block + ((0u - (uintptr_t)t->block) & 63);
    desc.size = t->size;
    if (padic_buffer_create(context, &desc, &t->buffer) ||
        padic_num_place(&t->host, &ring, model, count, t->memory, t->size) ||
        padic_num_place_buffer(&t->device, &ring, model, count, t->buffer, 0))
        abort();
    if (narrow && model != PADIC_NUM_RING) t->host.val.dtype = t->device.val.dtype = PADIC_I16;
    if (narrow && model != PADIC_NUM_RING) t->device.val.offset *= 2;
}

static void twin_up(const twin *t)
{
    if (padic_buffer_upload(context, t->buffer, 0, t->memory, t->size)) abort();
}

static void twin_end(twin *t)
{
    free(t->block);
    padic_buffer_destroy(context, t->buffer);
}

static padic_num_value random_value(padic_num_model model, int narrow)
{
    padic_num_value x = PADIC_ZERO;
    const uint64_t kind = test_random() % 16;
    const uint64_t P = ring.modulus[0]; // 0: 2^64
    const int32_t far_away = narrow ? PADIC_NUM_MAX_VALUATION16 : PADIC_NUM_MAX_VALUATION;
    x.n = ring.precision;
    if (model == PADIC_NUM_RING) {
        x.u[0] = P ? test_random() % P : test_random();
        if (kind == 0) x.u[0] = 0;
        if (kind == 1) x.u[0] = P - 1;
        if (kind == 2) x.u[0] = 1;
        if (kind > 9) // divisible
            x.u[0] = x.u[0] / ring.power[kind % ring.precision][0] *
                     ring.power[kind % ring.precision][0];
        return x;
    }
    if (kind == 0) {
        x.v = PADIC_NUM_ZERO;
        x.n = 0;
        return x;
    }
    if (kind == 1) {
        x.v = PADIC_NUM_NAN;
        x.u[0] = PADIC_NUM_DIV0 | PADIC_NUM_PRECLOSS;
        x.n = 0;
        return x;
    }
    x.v = (int32_t)(test_random() % 7) - 3;
    if (kind == 2) x.v = far_away - (int32_t)(test_random() % 2);
    if (kind == 3) x.v = -far_away + (int32_t)(test_random() % 2);
    if (kind == 4) x.v = (int32_t)(test_random() % 100) - 50;
    if (model == PADIC_NUM_BALL && kind == 5) {
        x.n = 0;
        return x;
    }
    if (model == PADIC_NUM_BALL) x.n = 1 + (uint32_t)(test_random() % ring.precision);
    x.u[0] = test_random();
    if (x.n < ring.precision)
        x.u[0] %= ring.power[x.n][0];
    else if (P)
        x.u[0] %= P;
    if (kind == 6) x.u[0] = x.n < ring.precision ? ring.power[x.n][0] - 1 : P - 1;
    if (kind == 7 || x.u[0] % ring.p == 0) x.u[0] = 1;
    return x;
}

static void twin_random(twin *t, int narrow)
{
    uint64_t i;
    for (i = 0; i < t->host.count; i++) {
        const padic_num_value x = random_value(t->host.model, narrow);
        if (padic_num_set(&t->host, i, &x)) {
            printf("p %lu N %u: set v %d n %u u %lx\n", (unsigned long)ring.p, ring.precision, x.v,
                   x.n, (unsigned long)x.u[0]);
            abort();
        }
    }
    twin_up(t);
}

// Is the block on the device that of the host?
static void twin_check(const twin *t, const char *what)
{
    char *const back = (char *)malloc(t->size);
    size_t i;
    if (!back) abort();
    if (padic_buffer_download(context, t->buffer, 0, back, t->size)) {
        test_failed(__FILE__, __LINE__, "download");
        free(back);
        return;
    }
    for (i = 0; i < t->size && back[i] == t->memory[i];) i++;
    if (i < t->size) {
        printf("  %s %s: p %lu N %u form %d model %d count %lu: byte %lu of %lu (val at %ld)\n",
               doing, what, (unsigned long)ring.p, ring.precision, (int)ring.form,
               (int)t->host.model, (unsigned long)t->host.count, (unsigned long)i,
               (unsigned long)t->size,
               t->host.val.data ? (long)((char *)t->host.val.data - t->memory) : -1L);
        test_failed(__FILE__, __LINE__, "the same bytes");
    }
    free(back);
}

// A tensor on both sides.
typedef struct twin_plane {
    padic_tensor host, device;
    padic_buffer buffer;
    char *memory;
    uint64_t size;
} twin_plane;

static void plane_begin(twin_plane *t, padic_dtype dtype, uint64_t a, uint64_t b)
{
    const uint64_t shape[2] = {a, b};
    padic_buffer_desc desc = PADIC_ZERO;
    uint64_t i;
    t->size = (a * (b ? b : 1) * padic_dtype_size(dtype) + 16) & ~UINT64_C(7);
    t->memory = (char *)malloc((size_t)t->size);
    if (!t->memory) abort();
    for (i = 0; i < t->size; i++) t->memory[i] = (char)test_random();
    desc.size = t->size;
    if (padic_buffer_create(context, &desc, &t->buffer)) abort();
    t->host = padic_tensor_nd(dtype, t->memory, b ? 2 : 1, shape);
    t->device = padic_tensor_nd(dtype, NULL, b ? 2 : 1, shape);
    t->device.buffer = t->buffer;
}

static void plane_up(const twin_plane *t)
{
    if (padic_buffer_upload(context, t->buffer, 0, t->memory, t->size)) abort();
}

static void plane_end(twin_plane *t, int compare)
{
    char *back = (char *)malloc((size_t)t->size);
    if (!back) abort();
    if (compare) {
        CHECK_EQ(padic_buffer_download(context, t->buffer, 0, back, t->size), PADIC_OK);
        if (memcmp(back, t->memory, (size_t)t->size)) {
            printf("  %s: p %lu N %u: another tensor\n", doing, (unsigned long)ring.p,
                   ring.precision);
            test_failed(__FILE__, __LINE__, "the same bytes");
        }
    }
    free(back);
    free(t->memory);
    padic_buffer_destroy(context, t->buffer);
}

// ---- operations on arrays: 0 for `out`, then a, b, c

typedef padic_result (*op_fn)(padic_context *, const padic_num_array *const *x);
#define OP2(name) \
    static padic_result op_##name(padic_context *c, const padic_num_array *const *x) \
    { \
        return padic_num_##name(c, x[0], x[1]); \
    }
#define OP3(name) \
    static padic_result op_##name(padic_context *c, const padic_num_array *const *x) \
    { \
        return padic_num_##name(c, x[0], x[1], x[2]); \
    }
OP3(add)
OP3(sub)
OP3(mul)
OP3(div)
OP2(neg)
OP2(inv)
OP2(square)
OP2(teichmueller)
OP2(sum)
OP3(dot)
OP2(exp)
OP2(sqrt)
OP3(pow_padic)

static padic_result op_fma(padic_context *c, const padic_num_array *const *x)
{
    return padic_num_fma(c, x[0], x[1], x[2], x[3]);
}

static int64_t parameter;
static padic_result op_shift(padic_context *c, const padic_num_array *const *x)
{
    return padic_num_shift(c, x[0], x[1], parameter);
}
static padic_result op_pow(padic_context *c, const padic_num_array *const *x)
{
    return padic_num_pow(c, x[0], x[1], parameter);
}
static padic_result op_log(padic_context *c, const padic_num_array *const *x)
{
    return padic_num_log(c, x[0], x[1], (uint32_t)parameter);
}

static padic_result op_root(padic_context *c, const padic_num_array *const *x)
{
    return padic_num_root(c, x[0], x[1], (uint64_t)parameter);
}

typedef struct op_row {
    const char *name;
    op_fn run;
    int operands, reduces, parameters;
    int64_t parameter[10];
} op_row;

static const op_row ops[] = {{"add", op_add, 2, 0, 1, {0}},
                             {"sub", op_sub, 2, 0, 1, {0}},
                             {"neg", op_neg, 1, 0, 1, {0}},
                             {"mul", op_mul, 2, 0, 1, {0}},
                             {"square", op_square, 1, 0, 1, {0}},
                             {"fma", op_fma, 3, 0, 1, {0}},
                             {"inv", op_inv, 1, 0, 1, {0}},
                             {"div", op_div, 2, 0, 1, {0}},
                             {"shift", op_shift, 1, 0, 6, {0, 1, -1, 70, -70, INT64_MIN}},
                             {"pow", op_pow, 1, 0, 6, {0, 2, 17, -3, INT64_MIN, 1000000007}},
                             {"teichmueller", op_teichmueller, 1, 0, 1, {0}},
                             {"sum", op_sum, 1, 1, 1, {0}},
                             {"dot", op_dot, 2, 1, 1, {0}},
                             {"exp", op_exp, 1, 0, 1, {0}},
                             {"log", op_log, 1, 0, 2, {0, 1}},
                             {"sqrt", op_sqrt, 1, 0, 1, {0}},
                             {"root", op_root, 1, 0, 10,
                              {1, 3, 4, 5, 16, 21, 8589934593, 257, 12, 90}},
                             {"pow_padic", op_pow_padic, 2, 0, 1, {0}}};
enum { OPS = (int)(sizeof ops / sizeof *ops) };

static uint64_t roots_modulo(uint64_t a, uint64_t b) // gcd
{
    while (b) {
        const uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

// One call on the host and on the device. `place` 1: the result over a; `scalar` j: operand j has
// one element; `narrow`: I16 valuations; `silent`: neither status nor sticky.
static void both(const op_row *op, padic_num_model model, uint64_t count, int place, int scalar,
                 int narrow, int silent)
{
    twin x[4];
    const padic_num_array *host[4] = {NULL}, *device[4] = {NULL};
    // Of more than 32,768 roots the smallest is not searched there.
    const int elsewhere = op->run == op_root && ring.p > 65537 &&
                          roots_modulo((uint64_t)parameter, ring.p - 1) > 32768;
    uint32_t sticky[2] = {0, 0};
    padic_result want, got;
    int j;
    for (j = 0; j <= op->operands; j++) {
        twin_begin(&x[j], model, (!j && op->reduces) || (j && j == scalar) ? 1 : count, narrow);
        twin_random(&x[j], narrow);
        host[j] = &x[j].host;
        device[j] = &x[j].device;
    }
    if (place) {
        host[0] = host[1];
        device[0] = device[1];
    }
    x[place].host.sticky = &sticky[0];
    x[place].device.sticky = &sticky[1];
    if (silent) {
        x[place].host.sticky = x[place].device.sticky = NULL;
        memset(&x[place].host.status, 0, sizeof x[place].host.status);
        memset(&x[place].device.status, 0, sizeof x[place].device.status);
    }
    want = elsewhere ? PADIC_ERROR_NOT_SUPPORTED : op->run(NULL, host);
    got = op->run(context, device);
    if (got != want) printf("  %s: %d, not %d: %s\n", op->name, (int)got, (int)want,
                            padic_context_message(context));
    CHECK_EQ(got, want);
    CHECK_EQ(sticky[1], sticky[0]);
    for (j = 0; j <= op->operands; j++) {
        twin_check(&x[j], j ? "operand" : "result");
        twin_end(&x[j]);
    }
}

// In a tiny run one model and few rings, of as few variants of the kernel.
static int skipped(int i, int m, int turn)
{
    static const int few[] = {1, 3, 6, 13, 20}, variant[] = {0, 1, 2, 0, 0};
    int j;
    if (!test_tiny) return 0;
    for (j = 0; j < 5; j++)
        if (few[j] == i) return (variant[j] + turn) % 3 != m;
    return 1;
}

static void run_op(const op_row *op)
{
    int i, m, c, j;
    doing = op->name;
    for (i = 0; i < RINGS; i++) {
        padic_num_ring_options options = PADIC_ZERO;
        options.form = rings[i].form;
        if (padic_num_ring_init(&ring, rings[i].p, rings[i].N, &options)) abort();
        for (m = 0; m < 3; m++)
            for (j = 0; j < op->parameters && !skipped(i, m, (int)(op - ops)); j++) {
                parameter = op->parameter[j];
                for (c = test_tiny ? COUNTS - 2 : 0; c < (test_tiny ? COUNTS - 1 : COUNTS); c++) {
                    both(op, (padic_num_model)m, counts[c], 0, 0, 0, 0);
                    if (!op->reduces) both(op, (padic_num_model)m, counts[c], 1, 0, 0, 0);
                }
                both(op, (padic_num_model)m, 130, 0, op->reduces ? 0 : op->operands, 1, 0);
                both(op, (padic_num_model)m, 3, 0, op->reduces ? 0 : 1, 0, 1);
                if (op->reduces && !test_tiny) both(op, (padic_num_model)m, 20000, 0, 0, 0, 0);
            }
    }
}

// What numbers have done in a context, all operations together.
static padic_op_stats num_stats(const padic_context *from)
{
    padic_op_stats all = PADIC_ZERO, one;
    int op;
    for (op = PADIC_OP_NUM_ADD; op <= PADIC_OP_NUM_HADAMARD; op++) {
        padic_context_op_stats(from, (padic_op)op, &one);
        all.calls += one.calls;
        all.fallbacks += one.fallbacks;
        all.staged_bytes += one.staged_bytes;
    }
    return all;
}

TEST(arithmetic)
{
    const char *only = getenv("NUM_OP"); // one operation
    int i;
    padic_op_stats stats;
    for (i = 0; i < OPS; i++)
        if (!only || !strcmp(only, ops[i].name)) run_op(&ops[i]);
    stats = num_stats(context);
    CHECK_EQ(stats.fallbacks, 0); // strict: nothing was done on the host
    CHECK(stats.calls > 0);
}

// All roots of each number: those of the host, which are elements apart.
static void try_roots(padic_num_model model, uint64_t count, uint64_t n)
{
    const uint64_t roots = padic_num_root_count(&ring, n);
    uint32_t sticky[2] = {0, 0};
    twin x, a;
    uint64_t i;
    CHECK_EQ(roots, roots_modulo(n, ring.p == 2 ? 2 : ring.p - 1));
    if (roots > 24) return;
    twin_begin(&x, model, roots * count, 0);
    twin_begin(&a, model, count, 0);
    twin_random(&a, 0);
    for (i = 0; i < count; i += 2) { // half of them powers
        padic_num_array one = a.host;
        one.count = 1;
        one.status = padic_num_plane_of(PADIC_DTYPE_NONE, NULL);
        one.unit.data = (char *)one.unit.data + i * padic_dtype_size(one.unit.dtype);
        if (model != PADIC_NUM_RING)
            one.val.data = (int32_t *)one.val.data + i;
        if (model == PADIC_NUM_BALL)
            one.known.data = (char *)one.known.data + i * padic_dtype_size(one.known.dtype);
        one.sticky = &sticky[0];
        CHECK_EQ(padic_num_pow(NULL, &one, &one, (int64_t)n), PADIC_OK);
    }
    sticky[0] = 0;
    twin_up(&x);
    twin_up(&a);
    x.host.sticky = &sticky[0];
    x.device.sticky = &sticky[1];
    CHECK_EQ(num_roots(NULL, &x.host, &a.host, n), PADIC_OK);
    CHECK_EQ(num_roots(context, &x.device, &a.device, n), PADIC_OK);
    CHECK_EQ(sticky[1], sticky[0]);
    twin_check(&x, "roots");
    if (roots == 1) // not in place, and not with planes on both sides
        CHECK_EQ(num_roots(context, &a.device, &a.device, n), PADIC_ERROR_OVERLAP);
    CHECK_EQ(num_roots(context, &x.device, &a.host, n), PADIC_ERROR_ARGUMENT);
    twin_end(&x);
    twin_end(&a);
}

TEST(arithmetic_roots)
{
    static const uint64_t ns[] = {1, 2, 3, 12, 6, 256 * 3, 0, 0}; // and p, 12 p
    const padic_op_stats before = num_stats(context);
    padic_op_stats after;
    doing = "roots";
    for (int i = 0; i < RINGS; i++)
        for (int m = 0; m < 3; m++) {
            padic_num_ring_options options = PADIC_ZERO;
            options.form = rings[i].form;
            if (padic_num_ring_init(&ring, rings[i].p, rings[i].N, &options)) abort();
            if (skipped(i, m, i) && (ring.p != 786433 || m != i % 3)) continue;
            for (int j = 0; j < (ring.p >> 32 ? 7 : 8); j++)
                try_roots((padic_num_model)m, j == 2 ? 1 : 67,
                          j > 5 ? ring.p * (j > 6 ? 12 : 1) : ns[j]);
        }
    after = num_stats(context);
    CHECK(after.calls > before.calls + 30);
    CHECK_EQ(after.fallbacks, before.fallbacks);
}

// Every ring and model, two counts; `try_one` makes twins and compares.
static void for_rings(void (*try_one)(padic_num_model model, uint64_t count))
{
    int i, m;
    for (i = 0; i < RINGS; i++) {
        padic_num_ring_options options = PADIC_ZERO;
        options.form = rings[i].form;
        if (padic_num_ring_init(&ring, rings[i].p, rings[i].N, &options)) abort();
        for (m = 0; m < 3; m++) {
            if (skipped(i, m, i)) continue;
            (*try_one)((padic_num_model)m, 131);
            if (!test_tiny) (*try_one)((padic_num_model)m, 2);
        }
    }
}

// Out of one call: the result code and the sticky word.
typedef struct outcome {
    padic_result result;
    uint32_t sticky;
} outcome;

static void same(outcome want, outcome got)
{
    if (want.result != got.result)
        printf("  %s: p %lu N %u: %d, not %d: %s\n", doing, (unsigned long)ring.p, ring.precision,
               (int)got.result, (int)want.result, padic_context_message(context));
    CHECK_EQ(got.result, want.result);
    CHECK_EQ(got.sticky, want.sticky);
}

// Valuations about the limits of floats.
static void large_valuations(twin *a)
{
    const int32_t most = (int32_t)(1080 / log2((double)ring.p));
    uint64_t i;
    for (i = 0; i < a->host.count && a->host.model; i += 1 + test_random() % 3) {
        padic_num_value x;
        if (padic_num_get(&a->host, i, &x)) abort();
        if (x.v == PADIC_NUM_ZERO || x.v == PADIC_NUM_NAN) continue;
        x.v = (int32_t)(test_random() % (2 * (uint64_t)most + 7)) - most - 3;
        if (test_random() % 3 == 0) x.v /= 8;
        if (test_random() % 4 == 0) x.v *= 4;
        if (padic_num_set(&a->host, i, &x)) abort();
    }
    twin_up(a);
}

static void try_valuation(padic_num_model model, uint64_t count)
{
    twin a, b;
    twin_plane val, status, norm;
    padic_num_valuation_desc desc = PADIC_ZERO;
    outcome o[2];
    int with, side, kind;
    for (kind = 0; kind < 12; kind++) { // alone, a distance, a distance to one number
        const int norms = kind / 3; // none, F64, F32, F64 without valuations
        with = kind % 3;
        twin_begin(&a, model, count, 0);
        twin_begin(&b, model, with == 2 ? 1 : count, 0);
        twin_random(&a, 0);
        twin_random(&b, 0);
        if (norms) large_valuations(&a);
        plane_begin(&val, PADIC_I32, count, 0);
        plane_begin(&norm, norms == 2 ? PADIC_F32 : PADIC_F64, count, 0);
        plane_begin(&status, PADIC_U8, count, 0);
        plane_up(&val);
        plane_up(&norm);
        plane_up(&status);
        for (side = 0; side < 2; side++) {
            memset(&desc, 0, sizeof desc);
            o[side].sticky = 0;
            desc.in = side ? a.device : a.host;
            if (with) desc.other = side ? b.device : b.host;
            if (norms != 3) desc.val = side ? val.device : val.host;
            if (norms) desc.norm = side ? norm.device : norm.host;
            desc.status = side ? status.device : status.host;
            desc.sticky = &o[side].sticky;
            o[side].result = padic_num_valuation(side ? context : NULL, &desc);
        }
        same(o[0], o[1]);
        plane_end(&val, 1);
        plane_end(&norm, 1);
        plane_end(&status, 1);
        twin_end(&a);
        twin_end(&b);
    }
}

static void try_split(padic_num_model model, uint64_t count)
{
    twin a, x;
    twin_plane val;
    outcome o[2];
    int side;
    twin_begin(&a, model, count, 0);
    twin_begin(&x, model, count, 0);
    twin_random(&a, 0);
    twin_up(&x);
    plane_begin(&val, PADIC_I32, count, 0);
    plane_up(&val);
    for (side = 0; side < 2; side++) {
        o[side].sticky = 0;
        (side ? &x.device : &x.host)->sticky = &o[side].sticky;
        o[side].result =
            padic_num_split(side ? context : NULL, side ? &x.device : &x.host,
                            side ? &val.device : &val.host, side ? &a.device : &a.host);
    }
    same(o[0], o[1]);
    plane_end(&val, 1);
    twin_check(&x, "unit");
    twin_end(&a);
    twin_end(&x);
}

static void try_equal(padic_num_model model, uint64_t count)
{
    const int64_t prec[4] = {0, 1, 3, -5};
    twin a, b;
    twin_plane equal, tropical, logarithm;
    outcome o[2] = {{PADIC_OK, 0}, {PADIC_OK, 0}};
    int side, j;
    for (j = 0; j < 4; j++) {
        twin_begin(&a, model, count, 0);
        twin_begin(&b, model, count, 0);
        twin_random(&a, 0);
        twin_random(&b, 0);
        plane_begin(&equal, PADIC_U8, count, 0);
        plane_begin(&tropical, PADIC_I32, count, 0);
        plane_up(&equal);
        plane_up(&tropical);
        plane_begin(&logarithm, PADIC_F64, count, 0);
        plane_up(&logarithm);
        for (side = 0; side < 2; side++) {
            o[side].result = padic_num_equal(
                side ? context : NULL, side ? &equal.device : &equal.host,
                side ? &a.device : &a.host, side ? (j & 1 ? &a.device : &b.device)
                                                 : (j & 1 ? &a.host : &b.host), prec[j]);
            if (!o[side].result)
                o[side].result = padic_num_tropical(side ? context : NULL,
                                                    side ? &tropical.device : &tropical.host,
                                                    side ? &a.device : &a.host);
            if (!o[side].result)
                o[side].result = padic_num_tropical(side ? context : NULL,
                                                    side ? &logarithm.device : &logarithm.host,
                                                    side ? &a.device : &a.host);
        }
        same(o[0], o[1]);
        plane_end(&logarithm, 1);
        plane_end(&equal, 1);
        plane_end(&tropical, 1);
        twin_end(&a);
        twin_end(&b);
    }
}

// Random elements become integers, but for every 40th; `roots`: x^2 - 4, or near 2 and -2.
static void twin_integral(twin *t, uint64_t terms, int roots)
{
    const uint64_t P = ring.base, each = t->host.count / (terms ? terms : 1);
    uint64_t i;
    for (i = 0; i < t->host.count; i++) {
        padic_num_value x;
        if (padic_num_get(&t->host, i, &x)) abort();
        if (x.v < 0 && i % 40 != 7) x.v = (int32_t)(i % 3);
        if (x.v == PADIC_NUM_ZERO) x.v = 0;
        if (t->host.model == PADIC_NUM_RING) x.v = 0;
        if (roots && (terms || i % 3)) {
            const uint64_t k = terms ? i / each : 0;
            uint64_t u = terms ? (k == 0 ? 0 - UINT64_C(4) : k == 2) : i % 2 ? 2 : 0 - UINT64_C(2);
            if (P && u > 4) u = (P - (0 - u) % P) % P;
            if (P) u %= P;
            x.v = 0;
            x.n = ring.precision;
            while (t->host.model && u && u % ring.p == 0) {
                u /= ring.p;
                x.v++;
                x.n = t->host.model == PADIC_NUM_BALL ? x.n - 1 : x.n;
            }
            if (t->host.model && !u) x.v = PADIC_NUM_ZERO;
            if (t->host.model && !u) x.n = 0;
            x.u[0] = u;
            if (!terms && ring.p > 2 && x.v == 0 && ring.precision > 1 && u > 0)
                x.u[0] = u % ring.p + (ring.p < 1000 ? ring.p * (test_random() % 5) : 0);
            if (x.n < ring.precision) x.u[0] %= ring.power[x.n][0];
        }
        if (padic_num_set(&t->host, i, &x)) continue; // stays as it was
    }
    twin_up(t);
}

static uint64_t lifted; // roots that were found

// A polynomial at points, or roots from seeds, of random coefficients or of x^2 - 4.
typedef enum use { POINTS, LIFTED, ROOTS } use;

static void polynomial_once(padic_num_model model, uint64_t count, uint32_t terms, int own, use how)
{
    twin x, c, out;
    outcome o[2];
    uint64_t i;
    int side;
    twin_begin(&x, model, count, 0);
    twin_begin(&c, model, own ? terms * count : terms, 0);
    twin_begin(&out, model, count, 0);
    twin_random(&x, 0);
    twin_random(&c, 0);
    if (how != POINTS) {
        twin_integral(&x, 0, how == ROOTS);
        twin_integral(&c, terms, how == ROOTS);
    }
    twin_up(&out);
    for (side = 0; side < 2; side++) {
        padic_num_array to = side ? out.device : out.host;
        o[side].sticky = 0;
        to.sticky = &o[side].sticky;
        if (how == POINTS) {
            padic_num_horner_desc desc = PADIC_ZERO;
            desc.out = to;
            desc.x = side ? x.device : x.host;
            desc.coefficients = side ? c.device : c.host;
            desc.terms = terms;
            o[side].result = padic_num_horner(side ? context : NULL, &desc);
        } else {
            padic_num_hensel_desc desc = PADIC_ZERO;
            desc.out = to;
            desc.seeds = side ? x.device : x.host;
            desc.coefficients = side ? c.device : c.host;
            desc.terms = terms;
            o[side].result = padic_num_hensel(side ? context : NULL, &desc);
        }
    }
    same(o[0], o[1]);
    twin_check(&out, own ? "own coefficients" : "shared coefficients");
    for (i = 0; i < count && how != POINTS; i++) {
        padic_num_value root;
        if (padic_num_get(&out.host, i, &root)) abort();
        lifted += root.v != PADIC_NUM_NAN && root.u[0] != 0;
    }
    twin_end(&x);
    twin_end(&c);
    twin_end(&out);
}

static void try_polynomial(padic_num_model model, uint64_t count, uint32_t terms)
{
    polynomial_once(model, count, terms, 0, POINTS);
    if (terms * count <= 100000) polynomial_once(model, count, terms, 1, POINTS);
}

static void try_horner(padic_num_model model, uint64_t count)
{
    try_polynomial(model, count, 9);
    if (!test_tiny && count > 2) try_polynomial(model, count, model ? 33 : 1100);
}

// So many elements that each item does several at a time, one after the other, and a rest.
TEST(many)
{
    static const int which[] = {0, 3, 6, 8, 11, 13}; // of rings
    padic_device_info device;
    uint64_t count;
    int i, j, k;
    if (test_tiny) return;
    padic_context_device_info(context, &device);
    count = (device.compute_units ? device.compute_units : 64) * UINT64_C(32) * 128 * 3 + 4999;
    for (i = 0; i < (int)(sizeof which / sizeof *which); i++) {
        if (padic_num_ring_init(&ring, rings[which[i]].p, rings[which[i]].N, NULL)) abort();
        if (count > 500000 && i % 2) continue; // of many units: minutes on the host
        doing = "many";
        try_polynomial(PADIC_NUM_RING, count, 9);
        for (j = 0; j < OPS; j++) {
            if (ops[j].run != op_add && ops[j].run != op_sub && ops[j].run != op_neg &&
                ops[j].run != op_mul && ops[j].run != op_fma)
                continue;
            for (k = count > 500000 ? j % 3 : 0; k < 3; k += count > 500000 ? 3 : 1)
                both(&ops[j], PADIC_NUM_RING, count, k == 1, k == 2 ? ops[j].operands : 0, 0, 0);
        }
    }
}

TEST(valuations)
{
    doing = "valuation";
    for_rings(try_valuation);
    doing = "split";
    for_rings(try_split);
    doing = "equal, tropical";
    for_rings(try_equal);
}

TEST(horner)
{
    doing = "horner";
    for_rings(try_horner);
}

// Digits out, some of them spoilt, digits in.
static void digits_once(padic_num_model model, uint64_t count, padic_num_digit_kind kind,
                        padic_num_layout layout, padic_dtype dtype)
{
    const uint64_t n = ring.precision;
    twin a, back;
    twin_plane digits, val, known, status;
    padic_num_to_digits_desc to = PADIC_ZERO;
    padic_num_from_digits_desc from = PADIC_ZERO;
    outcome o[2];
    int side;
    twin_begin(&a, model, count, 0);
    twin_begin(&back, model, count, 0);
    twin_random(&a, 0);
    twin_up(&back);
    plane_begin(&digits, dtype, layout == PADIC_NUM_LAYOUT_PLANES ? n : count,
                layout == PADIC_NUM_LAYOUT_PLANES ? count : n);
    plane_begin(&val, PADIC_I32, count, 0);
    plane_begin(&known, PADIC_U8, count, 0);
    plane_begin(&status, PADIC_U8, count, 0);
    plane_up(&digits);
    plane_up(&val);
    plane_up(&known);
    plane_up(&status);
    for (side = 0; side < 2; side++) {
        o[side].sticky = 0;
        to.in = side ? a.device : a.host;
        to.digits = side ? digits.device : digits.host;
        to.val = side ? val.device : val.host;
        to.known = side ? known.device : known.host;
        to.status = side ? status.device : status.host;
        to.sticky = &o[side].sticky;
        to.kind = kind;
        to.layout = layout;
        o[side].result = padic_num_to_digits(side ? context : NULL, &to);
    }
    same(o[0], o[1]);
    plane_end(&status, 1);
    if (count > 2) { // a digit out of range, other valuations and precisions
        memset(digits.memory + padic_dtype_size(dtype), 0x7f, padic_dtype_size(dtype));
        ((int32_t *)(void *)val.memory)[2] = INT32_MIN + 1;
        ((int32_t *)(void *)val.memory)[0] = PADIC_NUM_NAN;
        known.memory[1] = (char)(ring.precision + 1);
    }
    if (o[0].result == PADIC_OK) {
        plane_up(&digits);
        plane_up(&val);
        plane_up(&known);
        for (side = 0; side < 2; side++) {
            o[side].sticky = 0;
            from.out = side ? back.device : back.host;
            from.out.sticky = &o[side].sticky;
            from.digits = to.digits = side ? digits.device : digits.host;
            from.val = side ? val.device : val.host;
            from.known = side ? known.device : known.host;
            from.kind = kind;
            from.layout = layout;
            o[side].result = padic_num_from_digits(side ? context : NULL, &from);
        }
        same(o[0], o[1]);
        twin_check(&back, "of digits");
    }
    plane_end(&digits, 1);
    plane_end(&val, 1);
    plane_end(&known, 1);
    twin_end(&a);
    twin_end(&back);
}

static void try_digits(padic_num_model model, uint64_t count)
{
    static const padic_dtype types[2][4] = {{PADIC_U8, PADIC_U16, PADIC_U32, PADIC_U64},
                                            {PADIC_I8, PADIC_I16, PADIC_I32, PADIC_I64}};
    int kind, layout, size;
    for (kind = 0; kind < 3; kind++)
        for (layout = 0; layout < 2; layout++)
            for (size = 0; size < 4; size++) {
                const uint32_t bits = 8u << size, sign = kind == 1;
                if (!sign && bits < 64 && (ring.p - 1) >> bits) continue;
                if (sign && (ring.p >> 1) >> (bits - 1)) continue;
                if (size > 1 && layout && ring.p < 256 && kind != 1) continue; // enough
                digits_once(model, count, (padic_num_digit_kind)kind, (padic_num_layout)layout,
                            types[kind == 1][size]);
            }
}

TEST(digits)
{
    doing = "digits";
    for_rings(try_digits);
}

// Integers of every type: extremes, powers of p, small ones.
static void random_ints(twin_plane *t)
{
    const uint32_t size = padic_dtype_size(t->host.dtype);
    uint64_t i;
    for (i = 0; i < t->host.shape[0]; i++) {
        uint64_t x = test_random(), kind = x % 8;
        x = test_random();
        if (kind == 0) x = 0;
        if (kind == 1) x = UINT64_C(1) << (8 * size - 1);
        if (kind == 2) x = test_random() % 20 - 10;
        if (kind == 3) x = ring.p * ring.p * (test_random() % 5);
        if (kind == 4) x = ring.power[test_random() % (ring.precision + 1)][0];
        if (kind == 5) x = UINT64_MAX;
        memcpy(t->memory + i * size, &x, size);
    }
    plane_up(t);
}

static const padic_dtype integers[8] = {PADIC_I8, PADIC_I16, PADIC_I32, PADIC_I64,
                                        PADIC_U8, PADIC_U16, PADIC_U32, PADIC_U64};

static void try_integers(padic_num_model model, uint64_t count)
{
    int t, side, mode;
    for (t = 0; t < 8; t++) {
        twin x;
        twin_plane in, den, out, status;
        outcome o[2];
        twin_begin(&x, model, count, 0);
        twin_up(&x);
        plane_begin(&in, integers[t], count, 0);
        plane_begin(&den, integers[t], count, 0);
        random_ints(&in);
        random_ints(&den);
        for (side = 0; side < 2; side++) {
            padic_num_from_int_desc desc = PADIC_ZERO;
            desc.out = side ? x.device : x.host;
            o[side].sticky = 0;
            desc.out.sticky = &o[side].sticky;
            desc.in = side ? in.device : in.host;
            o[side].result = padic_num_from_int(side ? context : NULL, &desc);
        }
        same(o[0], o[1]);
        twin_check(&x, "from integers");
        for (side = 0; side < 2; side++) {
            padic_num_from_rational_desc desc = PADIC_ZERO;
            desc.out = side ? x.device : x.host;
            o[side].sticky = 0;
            desc.out.sticky = &o[side].sticky;
            desc.numerator = side ? in.device : in.host;
            desc.denominator = side ? den.device : den.host;
            o[side].result = padic_num_from_rational(side ? context : NULL, &desc);
        }
        same(o[0], o[1]);
        twin_check(&x, "from fractions");
        for (mode = 0; mode < 2; mode++) {
            twin_random(&x, 0);
            if (mode) { // small ones, which fit
                padic_num_from_int_desc desc = PADIC_ZERO;
                desc.out = x.host;
                desc.in = in.host;
                if (padic_num_from_int(NULL, &desc)) abort();
                twin_up(&x);
            }
            plane_begin(&out, integers[t], count, 0);
            plane_begin(&status, PADIC_U8, count, 0);
            plane_up(&out);
            plane_up(&status);
            for (side = 0; side < 2; side++) {
                padic_num_to_int_desc desc = PADIC_ZERO;
                desc.in = side ? x.device : x.host;
                desc.out = side ? out.device : out.host;
                desc.mode = mode ? PADIC_NUM_INT_BALANCED : PADIC_NUM_INT_LEAST;
                desc.status = side ? status.device : status.host;
                o[side].sticky = 0;
                desc.sticky = &o[side].sticky;
                o[side].result = padic_num_to_int(side ? context : NULL, &desc);
            }
            same(o[0], o[1]);
            plane_end(&out, 1);
            plane_end(&status, 1);
        }
        plane_end(&in, 0);
        plane_end(&den, 0);
        twin_end(&x);
    }
}

// More roots than the host looks for one by one; of n-th powers, so that there are some.
TEST(arithmetic_roots_many)
{
    static const uint64_t ns[] = {768, 1024, 12288, 32768};
    doing = "one of many roots";
    if (padic_num_ring_init(&ring, 786433, 3, NULL)) abort();
    for (int j = 0; j < 4; j++) {
        twin a, x;
        outcome o[2];
        twin_begin(&a, PADIC_NUM_FLOAT, 67, 0);
        twin_begin(&x, PADIC_NUM_FLOAT, 67, 0);
        twin_random(&a, 0);
        CHECK_EQ(padic_num_pow(NULL, &a.host, &a.host, (int64_t)ns[j]), PADIC_OK);
        twin_up(&a);
        twin_up(&x);
        for (int side = 0; side < 2; side++) {
            padic_num_array to = side ? x.device : x.host;
            o[side].sticky = 0;
            to.sticky = &o[side].sticky;
            o[side].result = padic_num_root(side ? context : NULL, &to,
                                            side ? &a.device : &a.host, ns[j]);
        }
        same(o[0], o[1]);
        CHECK(!(o[0].sticky & PADIC_NUM_NOPOWER));
        twin_check(&x, "roots");
        twin_end(&a);
        twin_end(&x);
    }
}

static void try_hensel(padic_num_model model, uint64_t count)
{
    int own;
    for (own = 0; own < 2; own++) {
        polynomial_once(model, count, 4, own, LIFTED);
        polynomial_once(model, count, 3, own, ROOTS);
    }
}

TEST(hensel)
{
    doing = "hensel";
    lifted = 0;
    for_rings(try_hensel);
    CHECK(lifted > 50);
}

static uint64_t modular(uint64_t a, uint64_t b, uint64_t m) // a b mod m; m = 0: 2^64
{
    uint64_t x = 0;
    if (!m) return a * b;
    for (a %= m; b; b >>= 1) {
        if (b & 1) x = x >= m - a ? x - (m - a) : x + a;
        a = a >= m - a ? a - (m - a) : a + a;
    }
    return x;
}

static uint64_t modulo_of(int64_t a, uint64_t m)
{
    const uint64_t k = a < 0 ? 0 - (uint64_t)a : (uint64_t)a;
    const uint64_t x = m ? k % m : k;
    return a >= 0 ? x : m ? (m - x) % m : 0 - x;
}

// All roots. Products of factors x - a with roots in one class modulo p or not, and others.
static uint32_t roots_found, roots_left;

static void all_roots_once(padic_num_model model, uint64_t count, uint32_t terms, uint32_t most,
                           uint32_t branches, uint32_t own)
{
    const uint64_t P = ring.modulus[0];
    twin c, out;
    twin_plane found, guarantee;
    outcome o[2];
    uint64_t i, factors[140];
    uint32_t j, l;
    int side;
    twin_begin(&c, model, own ? terms * count : terms, 0);
    twin_begin(&out, model, most * count, 0);
    plane_begin(&found, PADIC_U32, count, 0);
    plane_begin(&guarantee, PADIC_U8, count, 0);
    twin_random(&c, 0);
    twin_integral(&c, terms, 0);
    for (i = 0; i < (own ? count : 1); i++) {
        const uint64_t apart = own ? count : 1;
        int64_t first = 0, root;
        if (i % 3 == 2) continue;
        memset(factors, 0, sizeof factors);
        factors[0] = 1;
        for (j = 1; j < terms; j++) {
            root = i % 3 && j > 1 ? first + (int64_t)(test_random() % 5 * ring.p)
                                  : (int64_t)(test_random() % 1000);
            if (j == 1) first = root;
            for (l = j + 1; l-- > 0;) { // times x - root
                const uint64_t less = modular(factors[l], modulo_of(-root, P), P);
                const uint64_t up = l ? factors[l - 1] : 0;
                factors[l] = P && up >= P - less ? up - (P - less) : up + less;
            }
        }
        for (j = 0; j < terms; j++) {
            padic_num_value v = {0, 0, {0, 0}};
            uint64_t u = factors[j];
            v.n = ring.precision;
            for (; model && u && u % ring.p == 0; u /= ring.p) v.v++;
            v.u[0] = u;
            if (model && !u) v.v = PADIC_NUM_ZERO;
            if (model == PADIC_NUM_BALL) v.n = u ? ring.precision - (uint32_t)v.v : 0;
            if (padic_num_set(&c.host, j * apart + i, &v)) abort();
        }
    }
    twin_up(&c);
    twin_up(&out);
    plane_up(&found);
    plane_up(&guarantee);
    for (side = 0; side < 2; side++) {
        padic_num_polynomial_roots_desc desc = PADIC_ZERO;
        o[side].sticky = 0;
        desc.out = side ? out.device : out.host;
        desc.out.sticky = &o[side].sticky;
        desc.coefficients = side ? c.device : c.host;
        desc.terms = terms;
        desc.polynomials = count;
        desc.root_limit = most;
        desc.branches = branches;
        desc.found = side ? found.device : found.host;
        desc.guarantee = side ? guarantee.device : guarantee.host;
        desc.workspace = num_workspace(padic_num_polynomial_roots_workspace(&desc));
        o[side].result = padic_num_polynomial_roots(side ? context : NULL, &desc);
        num_workspace_end(&desc.workspace);
    }
    same(o[0], o[1]);
    if (o[0].result != PADIC_ERROR_ARGUMENT) { // no polynomial is 0
        twin_check(&out, "all roots");
        for (i = 0; i < count; i++) {
            roots_found += ((const uint32_t *)(void *)found.memory)[i];
            roots_left += ((const uint8_t *)guarantee.memory)[i] == PADIC_NUM_GUARANTEE_LOWER_BOUND;
        }
    }
    plane_end(&found, o[0].result != PADIC_ERROR_ARGUMENT);
    plane_end(&guarantee, o[0].result != PADIC_ERROR_ARGUMENT);
    twin_end(&c);
    twin_end(&out);
}

static void try_all_roots(padic_num_model model, uint64_t count)
{
    if (ring.p >> 20 || count > 200 || (ring.p > 1000 && count > 2)) return;
    all_roots_once(model, count, 4, 3, 5, 1);
    all_roots_once(model, count, 3, 2, 0, 1);
    all_roots_once(model, 2, 6, 6, 40, 0);
    all_roots_once(model, 1, 1, 1, 1, 1);
    if (!test_tiny && ring.p < 10) all_roots_once(model, 1, 140, 9, 30, 1);
}

TEST(hensel_all)
{
    doing = "all roots";
    roots_found = roots_left = 0;
    for_rings(try_all_roots);
    CHECK(roots_found > 100);
    CHECK(roots_left > 10);
}

// ---- linear algebra. The oracle: integers of 2,304 bits in two's complement, determinants by
// Laplace's expansion over all sets of columns, Cramer's rule, no division.

enum { BIG = 144 };
typedef struct big {
    uint32_t w[BIG];
} big;

static int big_negative(const big *x)
{
    return (int)(x->w[BIG - 1] >> 31);
}

static int big_zero(const big *x)
{
    int i;
    for (i = 0; i < BIG; i++)
        if (x->w[i]) return 0;
    return 1;
}

// x += y m 2^(32 at)
static void big_add_word(big *x, const big *y, uint32_t m, int at)
{
    uint64_t carry = 0;
    int i;
    for (i = at; i < BIG; i++) {
        carry += (uint64_t)y->w[i - at] * m + x->w[i];
        x->w[i] = (uint32_t)carry;
        carry >>= 32;
    }
}

static void big_negate(big *x)
{
    uint64_t carry = 1;
    int i;
    for (i = 0; i < BIG; i++) {
        carry += (uint32_t)~x->w[i];
        x->w[i] = (uint32_t)carry;
        carry >>= 32;
    }
}

static void big_add(big *x, const big *y, int64_t m) // x += y m
{
    big minus = *y;
    const uint64_t k = m < 0 ? 0 - (uint64_t)m : (uint64_t)m;
    if (m < 0) big_negate(&minus);
    big_add_word(x, &minus, (uint32_t)k, 0);
    big_add_word(x, &minus, (uint32_t)(k >> 32), 1);
}

static big big_mul(const big *x, const big *y)
{
    big z;
    int i;
    memset(&z, 0, sizeof z);
    for (i = 0; i < BIG; i++)
        if (y->w[i]) big_add_word(&z, x, y->w[i], i);
    return z;
}

static big big_of(int64_t m)
{
    big one, x;
    memset(&one, 0, sizeof one);
    memset(&x, 0, sizeof x);
    one.w[0] = 1;
    big_add(&x, &one, m);
    return x;
}

static void big_half(big *x) // of one that is not negative
{
    int i;
    for (i = 0; i < BIG; i++)
        x->w[i] = x->w[i] >> 1 | (i + 1 < BIG ? x->w[i + 1] << 31 : 0);
}

static int big_is_one(const big *x)
{
    const big one = big_of(1);
    return !memcmp(x, &one, sizeof one);
}

// The greatest common divisor of an odd a > 0 and b, to a.
static void big_gcd(big *a, big b)
{
    if (big_negative(&b)) big_negate(&b);
    while (!big_zero(&b)) {
        while (!(b.w[0] & 1)) big_half(&b);
        big_add(&b, a, -1);
        if (big_negative(&b)) { // b - a < 0: b becomes a
            big_add(a, &b, 1);
            big_negate(&b);
        }
    }
}

static int64_t entry_of(const twin_plane *t, uint64_t i)
{
    return t->host.dtype == PADIC_I32 ? ((const int32_t *)(void *)t->memory)[i]
                                      : ((const int64_t *)(void *)t->memory)[i];
}

// Element i of `count` of a result; of planes of words if it is U64.
static big result_of(const twin_plane *t, uint64_t count, uint64_t i)
{
    big x = big_of(0);
    uint64_t j, word = 0;
    const uint64_t planes = t->host.dtype == PADIC_U64 ? t->host.shape[0] : 1;
    if (t->host.dtype == PADIC_I8) return big_of(((const int8_t *)t->memory)[i]);
    if (t->host.dtype == PADIC_I16) return big_of(((const int16_t *)(void *)t->memory)[i]);
    if (t->host.dtype != PADIC_U64) return big_of(entry_of(t, i));
    for (j = 0; j < BIG / 2; j++) {
        word = j < planes ? ((const uint64_t *)(void *)t->memory)[j * count + i]
                          : 0 - (word >> 63);
        x.w[2 * j] = (uint32_t)word;
        x.w[2 * j + 1] = (uint32_t)(word >> 32);
    }
    return x;
}

// det A with column `at` replaced by b (at = n: none).
static big laplace(const int64_t *a, const int64_t *b, uint32_t n, uint32_t at)
{
    big *const part = (big *)calloc((size_t)1 << n, sizeof *part);
    big answer;
    uint32_t set, c;
    if (!part) abort();
    part[0] = big_of(1);
    for (set = 1; set < 1u << n; set++) {
        uint32_t row = 0, above = 0;
        for (c = 0; c < n; c++) row += set >> c & 1;
        for (c = n; c-- > 0;) {
            const int64_t x = c == at ? b[row - 1] : a[(row - 1) * n + c];
            if (!(set >> c & 1)) continue;
            if (above++ % 2) { // - x may not fit
                big minus = part[set ^ 1u << c];
                big_negate(&minus);
                big_add(&part[set], &minus, x);
            } else {
                big_add(&part[set], &part[set ^ 1u << c], x);
            }
        }
    }
    answer = part[(1u << n) - 1];
    free(part);
    return answer;
}

static uint32_t rank_modulo(const int64_t *a, uint32_t n, uint64_t p)
{
    uint64_t w[64 * 64];
    uint32_t i, j, c, row = 0;
    for (i = 0; i < n * n; i++) w[i] = modulo_of(a[i], p);
    for (c = 0; c < n; c++) {
        for (i = row; i < n && !w[i * n + c];) i++;
        if (i == n) continue;
        for (j = 0; j < n; j++) {
            const uint64_t x = w[i * n + j];
            w[i * n + j] = w[row * n + j];
            w[row * n + j] = x;
        }
        for (i = row + 1; i < n; i++) { // times the pivot: no inverse is needed
            const uint64_t factor = w[i * n + c];
            for (j = 0; j < n; j++) {
                const uint64_t x = modular(w[i * n + j], w[row * n + c], p);
                const uint64_t y = modular(factor, w[row * n + j], p);
                w[i * n + j] = x >= y ? x - y : x + (p - y);
            }
        }
        row++;
    }
    return row;
}

// det A modulo a prime, by Gauss.
static uint64_t det_modulo(const int64_t *a, uint32_t n, uint64_t p)
{
    uint64_t w[64 * 64], det = 1, power;
    uint32_t i, j, c;
    for (i = 0; i < n * n; i++) w[i] = modulo_of(a[i], p);
    for (c = 0; c < n; c++) {
        uint64_t inverse = 1;
        for (i = c; i < n && !w[i * n + c];) i++;
        if (i == n) return 0;
        for (j = 0; j < n && i != c; j++) {
            const uint64_t x = w[i * n + j];
            w[i * n + j] = w[c * n + j];
            w[c * n + j] = x;
        }
        if (i != c) det = p - det;
        det = modular(det, w[c * n + c], p);
        for (power = p - 2, j = 63; j < 64; j--) {
            inverse = modular(inverse, inverse, p);
            if (power >> j & 1) inverse = modular(inverse, w[c * n + c], p);
        }
        for (i = c + 1; i < n; i++) {
            const uint64_t factor = modular(w[i * n + c], inverse, p);
            for (j = c; j < n; j++)
                w[i * n + j] = (w[i * n + j] + p - modular(factor, w[c * n + j], p)) % p;
        }
    }
    return det;
}

static uint64_t big_modulo(big x, uint64_t p)
{
    const int negative = big_negative(&x);
    uint64_t rest = 0;
    int i;
    if (negative) big_negate(&x);
    for (i = BIG; i-- > 0;) rest = (modular(rest, UINT64_C(1) << 32, p) + x.w[i]) % p;
    return negative && rest ? p - rest : rest;
}

// How a test of systems goes.
typedef struct system_row {
    uint32_t n, sides;
    padic_dtype dtype;
    uint32_t bits;  // of entries: 4, 20, all
    uint32_t words; // of the results; 0: I64, ...; 1000: I8, I16, I32
} system_row;

typedef struct system_planes {
    twin_plane a, b, numerator, denominator, det, rank, status;
} system_planes;

static void plane_shape(twin_plane *t, uint32_t rank, const uint64_t *shape)
{
    t->host = padic_tensor_nd(t->host.dtype, t->memory, rank, shape);
    t->device = padic_tensor_nd(t->host.dtype, NULL, rank, shape);
    t->device.buffer = t->buffer;
}

// Random entries. Of a system some rows depend on others, or have a common factor.
static void random_entries(twin_plane *t, uint32_t n, uint32_t each, uint32_t bits)
{
    const uint64_t count = t->host.dtype == PADIC_I32 ? (t->size - 8) / 4 : (t->size - 8) / 8;
    uint64_t i;
    for (i = 0; i < count; i++) {
        const uint64_t system = i / ((uint64_t)n * each), row = i / each % n;
        int64_t x = bits > 31 ? (int64_t)test_random()
                              : (int64_t)(test_random() >> (64 - bits)) - (1 << (bits - 1));
        if (bits > 31 && test_random() % 16 == 0) x = test_random() % 2 ? INT64_MIN : INT64_MAX;
        if (system % 7 == 3 && row == n / 2) x = 0;
        if (system % 7 == 5 && row == 0 && bits < 24) x *= 96;
        if (t->host.dtype == PADIC_I32)
            ((int32_t *)(void *)t->memory)[i] =
                bits > 31 ? (int32_t)(uint32_t)((uint64_t)x >> 32 & 0x7fffffff) - 0x40000000
                          : (int32_t)x;
        else
            ((int64_t *)(void *)t->memory)[i] = x;
    }
    plane_up(t);
}

static void result_begin(twin_plane *t, const system_row *row, int which, uint64_t batch,
                         const uint64_t *shape, uint32_t rank)
{
    static const padic_dtype narrow[3] = {PADIC_I32, PADIC_I8, PADIC_I16};
    const padic_dtype dtype = !row->words         ? PADIC_I64
                              : row->words > 999 ? narrow[which]
                                                 : PADIC_U64;
    uint64_t all[5], count = batch;
    uint32_t i;
    all[0] = row->words;
    for (i = 0; i < rank; i++) all[i + 1] = shape[i];
    for (i = 1; i < rank; i++) count *= shape[i];
    plane_begin(t, dtype, count * (dtype == PADIC_U64 ? row->words : 1), 0);
    plane_up(t);
    if (dtype == PADIC_U64)
        plane_shape(t, rank + 1, all);
    else
        plane_shape(t, rank, shape);
}

static int systems_done, systems_singular, systems_range;

// Is system i of a batch right?
static void system_check(const system_planes *s, const system_row *row, uint64_t batch, uint64_t i)
{
    const uint32_t n = row->n, sides = row->sides;
    const uint8_t status = ((const uint8_t *)s->status.memory)[i];
    const uint32_t rank = ((const uint32_t *)(void *)s->rank.memory)[i];
    int64_t a[64 * 64], b[64];
    big det = big_of(0);
    uint32_t j, l, side, small;
    for (j = 0; j < n * n; j++) a[j] = entry_of(&s->a, i * n * n + j);
    small = rank_modulo(a, n, 4294967291u);
    l = rank_modulo(a, n, (UINT64_C(1) << 61) - 1);
    CHECK_EQ(rank, small > l ? small : l);
    CHECK_EQ(status & PADIC_NUM_DIV0, rank < n ? PADIC_NUM_DIV0 : 0);
    systems_singular += rank < n;
    systems_range += (status & PADIC_NUM_RANGE) != 0;
    if (n <= 8 || (i == 0 && n < 12)) {
        det = laplace(a, a, n, n);
        CHECK_EQ(big_zero(&det), rank < n);
        if (!status) {
            const big got = result_of(&s->det, batch, i);
            CHECK(!memcmp(&got, &det, sizeof det));
        }
    }
    if (n >= 8 && !status) {
        const uint64_t p = (UINT64_C(1) << 61) - 1;
        CHECK_EQ(big_modulo(result_of(&s->det, batch, i), p), det_modulo(a, n, p));
    }
    for (side = 0; side < sides && !status; side += sides < 8 ? 1 : 29) {
        const big d = result_of(&s->denominator, batch * sides, i * sides + side);
        big rest = d;
        CHECK(!big_negative(&d) && !big_zero(&d));
        for (j = 0; j < n; j++) b[j] = entry_of(&s->b, (i * n + j) * sides + side);
        for (j = 0; j < n; j++) { // A x = d b
            big sum = big_of(0);
            for (l = 0; l < n; l++) {
                const big x = result_of(&s->numerator, batch * n * sides,
                                        (i * n + l) * sides + side);
                big_add(&sum, &x, a[j * n + l]);
            }
            big_negate(&sum);
            big_add(&sum, &d, b[j]);
            CHECK(big_zero(&sum));
        }
        if (n <= 5) // Cramer
            for (j = 0; j < n; j++) {
                const big x = result_of(&s->numerator, batch * n * sides,
                                        (i * n + j) * sides + side);
                const big y = laplace(a, b, n, j), left = big_mul(&x, &det);
                const big right = big_mul(&y, &d);
                CHECK(!memcmp(&left, &right, sizeof left));
            }
        for (j = 0, l = d.w[0]; j < n; j++) // no factor in common: 2 ...
            l |= result_of(&s->numerator, batch * n * sides, (i * n + j) * sides + side).w[0];
        CHECK(l & 1);
        while (!(rest.w[0] & 1)) big_half(&rest);
        for (j = 0; j < n && !big_is_one(&rest); j++) // ... and odd ones
            big_gcd(&rest, result_of(&s->numerator, batch * n * sides,
                                     (i * n + j) * sides + side));
        CHECK(big_is_one(&rest));
    }
    systems_done++;
}

static void try_systems(const system_row *row, uint64_t batch, uint32_t verify)
{
    const uint64_t n = row->n, sides = row->sides;
    const uint64_t square[3] = {batch, n, n}, right[3] = {batch, n, sides};
    const uint64_t few[2] = {batch, sides};
    system_planes s;
    outcome o[2];
    uint64_t i;
    int side, det;
    for (det = 0; det < 2; det++) { // a determinant alone
        if (det && verify) break;
        plane_begin(&s.a, row->dtype, batch * n * n, 0);
        plane_shape(&s.a, 3, square);
        random_entries(&s.a, row->n, row->n, row->bits);
        plane_begin(&s.b, row->dtype, batch * n * sides, 0);
        plane_shape(&s.b, 3, right);
        random_entries(&s.b, row->n, row->sides, row->bits);
        result_begin(&s.numerator, row, 0, batch, right, 3);
        result_begin(&s.denominator, row, 1, batch, few, 2);
        result_begin(&s.det, row, 2, batch, square, 1);
        plane_begin(&s.rank, PADIC_U32, batch, 0);
        plane_begin(&s.status, PADIC_U8, batch, 0);
        plane_up(&s.rank);
        plane_up(&s.status);
        for (side = 0; side < 2; side++) {
            o[side].sticky = 0;
            if (det) {
                padic_num_det_desc desc = PADIC_ZERO;
                desc.matrix = side ? s.a.device : s.a.host;
                desc.out = side ? s.det.device : s.det.host;
                desc.status = side ? s.status.device : s.status.host;
                desc.sticky = &o[side].sticky;
                desc.workspace = num_workspace(padic_num_det_workspace(&desc));
                o[side].result = padic_num_det(side ? context : NULL, &desc);
                num_workspace_end(&desc.workspace);
            } else {
                padic_num_solve_desc desc = PADIC_ZERO;
                desc.matrix = side ? s.a.device : s.a.host;
                desc.right = side ? s.b.device : s.b.host;
                desc.numerator = side ? s.numerator.device : s.numerator.host;
                desc.denominator = side ? s.denominator.device : s.denominator.host;
                desc.det = side ? s.det.device : s.det.host;
                desc.rank = side ? s.rank.device : s.rank.host;
                desc.status = side ? s.status.device : s.status.host;
                desc.sticky = &o[side].sticky;
                desc.verify = verify;
                desc.workspace = num_workspace(padic_num_solve_workspace(&desc));
                o[side].result = padic_num_solve(side ? context : NULL, &desc);
                num_workspace_end(&desc.workspace);
            }
        }
        same(o[0], o[1]);
        CHECK_EQ(o[0].result, PADIC_OK);
        for (side = 0; side < 2 && det; side++) // the ranks' plane is free
            CHECK_EQ(num_hadamard(side ? context : NULL, side ? &s.rank.device : &s.rank.host,
                                        side ? &s.a.device : &s.a.host),
                     PADIC_OK);
        for (i = 0; i < batch && !det; i += n > 16 ? batch : 1 + i / 8)
            system_check(&s, row, batch, i);
        plane_end(&s.a, 1);
        plane_end(&s.b, 1);
        plane_end(&s.numerator, 1);
        plane_end(&s.denominator, 1);
        plane_end(&s.det, 1);
        plane_end(&s.rank, 1);
        plane_end(&s.status, 1);
    }
}

TEST(systems)
{
    static const system_row rows[] = {
        {3, 1, PADIC_I64, 5, 0},  {3, 2, PADIC_I32, 20, 1}, {1, 3, PADIC_I64, 64, 0},
        {1, 1, PADIC_I32, 4, 0},  {2, 1, PADIC_I64, 64, 4}, {4, 1, PADIC_I64, 4, 1000},
        {4, 3, PADIC_I64, 64, 4}, {5, 1, PADIC_I32, 32, 3}, {6, 1, PADIC_I32, 4, 0},
        {8, 1, PADIC_I64, 4, 0},  {8, 2, PADIC_I32, 20, 4}, {8, 1, PADIC_I64, 64, 9},
        {11, 1, PADIC_I64, 20, 2}, {16, 1, PADIC_I32, 2, 1}, {16, 1, PADIC_I64, 64, 17},
        {16, 3, PADIC_I32, 20, 8}, {20, 2, PADIC_I64, 9, 5},  {30, 1, PADIC_I64, 64, 33},
        {31, 1, PADIC_I32, 4, 0},  {2, 65, PADIC_I64, 64, 3}, {5, 130, PADIC_I32, 9, 2},
        {40, 2, PADIC_I64, 20, 16}, {64, 1, PADIC_I64, 64, 68}, {6, 64, PADIC_I64, 4, 1000},
        {24, 1, PADIC_I32, 20, 16}};
    const int count = (int)(sizeof rows / sizeof *rows);
    int i;
    doing = "systems";
    systems_done = systems_singular = systems_range = 0;
    for (i = 0; i < count; i++) {
        if (test_tiny && i && i < count - 1 && (i < 4 || i > 6) && rows[i].sides != 65) continue;
        try_systems(&rows[i], rows[i].n > 30 ? 2 : rows[i].n > 8 ? 5 : test_tiny ? 67 : 131, 0);
        try_systems(&rows[i], 1 + (uint64_t)i % 5, 1); // A x = b again
    }
    CHECK(systems_done > 50);
    CHECK(systems_singular > 5);
    CHECK(systems_range > 0 || test_tiny);
}

static const char *kernel_folder; // NULL: the texts in the program
static padic_context *open_context(uint32_t flags);

// Determinants that primes divide, those that a kernel works modulo first among them, each above
// or below a diagonal of them: det A is their product. The last matrix has a row of 0.
TEST(systems_primes)
{
    static const int64_t primes[6] = {2147483647, 2147483629, 2147483587,
                                      2147483579, 2147483563, 2147483549};
    static const system_row row = {6, 1, PADIC_I64, 64, 8};
    const uint64_t square[3] = {4, 6, 6}, right[3] = {4, 6, 1}, few[2] = {4, 1};
    system_planes s;
    twin_plane *const planes[7] = {&s.a, &s.b, &s.numerator, &s.denominator, &s.det, &s.rank,
                                   &s.status};
    outcome o[2];
    int64_t *a;
    uint32_t i, j, l;
    int side;
    doing = "systems with determinants that primes divide";
    plane_begin(&s.a, PADIC_I64, 4 * 36, 0);
    plane_shape(&s.a, 3, square);
    a = (int64_t *)(void *)s.a.memory;
    for (l = 0; l < 4; l++)
        for (i = 0; i < 6; i++)
            for (j = 0; j < 6; j++) {
                const uint32_t at = i ^ (l & 1); // rows of 1 and 3 in pairs the other way round
                *a++ = l == 3 && at == 5          ? 0
                       : j == at                  ? primes[l == 2 ? at / 2 : at]
                       : (j > at) == (l != 2)     ? (int64_t)(j * 7 + at)
                                                  : 0;
            }
    plane_up(&s.a);
    plane_begin(&s.b, PADIC_I64, 24, 0);
    plane_shape(&s.b, 3, right);
    random_entries(&s.b, 6, 1, 64);
    result_begin(&s.numerator, &row, 0, 4, right, 3);
    result_begin(&s.denominator, &row, 1, 4, few, 2);
    result_begin(&s.det, &row, 2, 4, square, 1);
    plane_begin(&s.rank, PADIC_U32, 4, 0);
    plane_begin(&s.status, PADIC_U8, 4, 0);
    plane_up(&s.rank);
    plane_up(&s.status);
    for (side = 0; side < 2; side++) {
        padic_num_solve_desc desc = PADIC_ZERO;
        o[side].sticky = 0;
        desc.matrix = side ? s.a.device : s.a.host;
        desc.right = side ? s.b.device : s.b.host;
        desc.numerator = side ? s.numerator.device : s.numerator.host;
        desc.denominator = side ? s.denominator.device : s.denominator.host;
        desc.det = side ? s.det.device : s.det.host;
        desc.rank = side ? s.rank.device : s.rank.host;
        desc.status = side ? s.status.device : s.status.host;
        desc.sticky = &o[side].sticky;
        desc.workspace = num_workspace(padic_num_solve_workspace(&desc));
        o[side].result = padic_num_solve(side ? context : NULL, &desc);
        num_workspace_end(&desc.workspace);
    }
    same(o[0], o[1]);
    CHECK_EQ(o[1].sticky, PADIC_NUM_DIV0);
    for (l = 0; l < 4; l++) {
        const big got = result_of(&s.det, 4, l);
        big product = big_of(l == 1 ? -1 : 1); // three exchanges
        for (i = 0; i < 6; i++) {
            const big before = product;
            product = big_of(0);
            big_add(&product, &before, l == 3 && i == 5 ? 0 : primes[l == 2 ? i / 2 : i]);
        }
        CHECK(!memcmp(&got, &product, sizeof got));
        CHECK_EQ(((const uint32_t *)(void *)s.rank.memory)[l], l == 3 ? 5 : 6);
        system_check(&s, &row, 4, l);
    }
    for (i = 0; i < 7; i++) plane_end(planes[i], 1);
}

// Without a kernel: on copies.
TEST(systems_staged)
{
    static const system_row row = {4, 2, PADIC_I64, 64, 4};
    padic_context *const strict = context;
    padic_op_stats stats;
    doing = "systems on copies";
    kernel_folder = "/nowhere";
    context = open_context(0);
    kernel_folder = NULL;
    REQUIRE(context != NULL);
    try_systems(&row, 9, 0);
    stats = num_stats(context);
    CHECK(stats.fallbacks == 3 && stats.staged_bytes > 0);
    padic_context_destroy(context);
    context = strict;
}

// Modulo p^N: A x = b again, and the rank by elimination without inverses.
static void try_modp(uint32_t n, uint32_t sides, padic_dtype dtype, uint64_t batch)
{
    const uint64_t square[3] = {batch, n, n}, right[3] = {batch, n, sides};
    const uint64_t P = ring.modulus[0];
    twin_plane a, b, rank, status;
    twin x;
    outcome o[2];
    uint64_t i, u[64];
    uint32_t j, l, h;
    int side, regular = 0;
    plane_begin(&a, dtype, batch * n * n, 0);
    plane_shape(&a, 3, square);
    random_entries(&a, n, n, 64);
    plane_begin(&b, dtype, batch * n * sides, 0);
    plane_shape(&b, 3, right);
    random_entries(&b, n, sides, 64);
    plane_begin(&rank, PADIC_U32, batch, 0);
    plane_begin(&status, PADIC_U8, batch, 0);
    plane_up(&rank);
    plane_up(&status);
    twin_begin(&x, PADIC_NUM_RING, batch * n * sides, 0);
    twin_up(&x);
    for (side = 0; side < 2; side++) {
        padic_num_solve_desc desc = PADIC_ZERO;
        o[side].sticky = 0;
        desc.matrix = side ? a.device : a.host;
        desc.right = side ? b.device : b.host;
        desc.out = side ? x.device : x.host;
        desc.rank = side ? rank.device : rank.host;
        desc.status = side ? status.device : status.host;
        desc.sticky = &o[side].sticky;
        desc.workspace = num_workspace(padic_num_solve_workspace(&desc));
        o[side].result = padic_num_solve(side ? context : NULL, &desc);
        num_workspace_end(&desc.workspace);
    }
    same(o[0], o[1]);
    twin_check(&x, "solutions");
    for (i = 0; i < batch; i += 1 + i / 4) {
        int64_t m[64 * 64];
        for (j = 0; j < n * n; j++) m[j] = entry_of(&a, i * n * n + j);
        h = rank_modulo(m, n, ring.p);
        CHECK_EQ(((const uint32_t *)(void *)rank.memory)[i], h);
        CHECK_EQ(((const uint8_t *)status.memory)[i], h < n ? PADIC_NUM_NONUNIT : 0);
        regular += h == n;
        for (side = 0; side < (int)sides; side++) {
            for (j = 0; j < n; j++) {
                padic_num_value value;
                if (padic_num_get(&x.host, (i * n + j) * sides + (uint64_t)side, &value)) abort();
                u[j] = value.u[0];
                if (h < n) CHECK_EQ(u[j], 0);
            }
            for (j = 0; j < n && h == n; j++) {
                uint64_t sum = 0;
                for (l = 0; l < n; l++) {
                    const uint64_t y = modular(u[l], modulo_of(m[j * n + l], P), P);
                    sum = P && sum >= P - y ? sum - (P - y) : sum + y;
                }
                CHECK_EQ(sum, modulo_of(entry_of(&b, (i * n + j) * sides + (uint64_t)side), P));
            }
        }
    }
    CHECK(regular > 0 || batch < 5 || n * n > ring.p);
    plane_end(&a, 1);
    plane_end(&b, 1);
    plane_end(&rank, 1);
    plane_end(&status, 1);
    twin_end(&x);
}

TEST(systems_modulo)
{
    int i;
    doing = "systems modulo p^N";
    for (i = 0; i < RINGS; i++) {
        padic_num_ring_options options = PADIC_ZERO;
        options.form = rings[i].form;
        if (padic_num_ring_init(&ring, rings[i].p, rings[i].N, &options)) abort();
        if (test_tiny && i % 4 != 1) continue;
        try_modp(3, 1, i % 2 ? PADIC_I64 : PADIC_I32, 131);
        if (test_tiny) continue;
        try_modp(1, 2, PADIC_I64, 2);
        try_modp(8, 3, PADIC_I64, 70);
        try_modp(i % 3 ? 16 : 20, 1, i % 2 ? PADIC_I32 : PADIC_I64, 9);
        try_modp(i % 2 ? 33 : 64, i % 2 ? 70 : 1, PADIC_I64, 3);
    }
}

static void try_random(padic_num_model model, uint64_t count)
{
    static const uint64_t firsts[3] = {0, UINT64_C(0xffffffff), (UINT64_C(1) << 48) - 131};
    int i, side;
    for (i = 0; i < 3; i++) {
        twin x;
        outcome o[2];
        twin_begin(&x, model, count, i == 2);
        twin_up(&x);
        for (side = 0; side < 2; side++) {
            padic_num_random_desc desc = PADIC_ZERO;
            desc.out = side ? x.device : x.host;
            desc.seed = UINT64_C(0x9e3779b97f4a7c15) * ((uint64_t)i + 1);
            desc.stream = (uint64_t)i << 33 | 7;
            desc.first = firsts[i];
            o[side].sticky = 0;
            o[side].result = padic_num_random(side ? context : NULL, &desc);
        }
        same(o[0], o[1]);
        twin_check(&x, "random numbers");
        twin_end(&x);
    }
}

TEST(random_numbers)
{
    doing = "random";
    for_rings(try_random);
}

TEST(integers)
{
    doing = "integers";
    for_rings(try_integers);
}

// Numbers that are fractions, small or large, and others; vectors of them over few denominators.
static void twin_fractions(twin *t, uint64_t most)
{
    twin_plane small, over;
    padic_num_from_rational_desc desc = PADIC_ZERO;
    uint64_t i;
    plane_begin(&small, PADIC_I64, t->host.count, 0);
    plane_begin(&over, PADIC_I64, t->host.count, 0);
    for (i = 0; i < t->host.count; i++) {
        const uint64_t kind = test_random() % 4;
        int64_t *const d = (int64_t *)(void *)over.memory + i;
        ((int64_t *)(void *)small.memory)[i] =
            (int64_t)(test_random() % (2 * most)) - (int64_t)most;
        *d = kind == 0 ? 1 : kind == 1 ? 6 : 1 + (int64_t)(test_random() % most);
        if (t->host.model == PADIC_NUM_RING)
            while ((uint64_t)*d % ring.p == 0) *d /= (int64_t)ring.p;
    }
    desc.out = t->host;
    desc.numerator = small.host;
    desc.denominator = over.host;
    if (padic_num_from_rational(NULL, &desc)) abort();
    for (i = 0; i < t->host.count; i += 5) { // and some that are none
        const padic_num_value x = random_value(t->host.model, 0);
        if (i % 15 && padic_num_set(&t->host, i, &x)) abort();
    }
    for (i = 1; i < t->host.count && t->host.model == PADIC_NUM_BALL; i += 2) { // less is known
        padic_num_value x;
        if (padic_num_get(&t->host, i, &x)) abort();
        if (x.v == PADIC_NUM_ZERO || x.v == PADIC_NUM_NAN || x.n < 2) continue;
        x.n -= (uint32_t)(test_random() % 3) % (x.n - 1);
        if (x.n < ring.precision) x.u[0] %= ring.power[x.n][0];
        if (padic_num_set(&t->host, i, &x)) abort();
    }
    twin_up(t);
    plane_end(&small, 0);
    plane_end(&over, 0);
}

static void try_floats(padic_num_model model, uint64_t count)
{
    static const padic_dtype types[4] = {PADIC_F16, PADIC_BF16, PADIC_F32, PADIC_F64};
    int t, mode, side;
    for (t = 0; t < 4; t++)
        for (mode = 0; mode < 3; mode++) {
            const uint32_t size = padic_dtype_size(types[t]);
            twin x;
            twin_plane in, exponent;
            outcome o[2];
            uint64_t i;
            twin_begin(&x, model, count, 0);
            twin_up(&x);
            plane_begin(&in, types[t], count, 0);
            plane_begin(&exponent, PADIC_I16, count, 0);
            for (i = 0; i < count; i++) { // any bits, small integers and halves, zeros, infinities
                const double tiny = (double)(int64_t)(test_random() % 200) / 8 - 12;
                uint64_t bits = test_random();
                float single = (float)tiny;
                uint32_t word;
                memcpy(&word, &single, 4);
                if (bits % 3 == 0 && size == 8)
                    memcpy(&bits, &tiny, 8);
                else if (bits % 3 == 0 && types[t] != PADIC_F16)
                    bits = size == 4 ? word : word >> 16;
                else if (bits % 16 == 1)
                    bits = (bits >> 8 & 1) << (8 * size - 1);
                memcpy(in.memory + i * size, &bits, size);
            }
            plane_up(&in);
            plane_up(&exponent);
            for (side = 0; side < 2; side++) {
                padic_num_from_float_desc desc = PADIC_ZERO;
                desc.out = side ? x.device : x.host;
                o[side].sticky = 0;
                desc.out.sticky = &o[side].sticky;
                desc.in = side ? in.device : in.host;
                desc.mode = (padic_num_float_mode)mode;
                desc.scale = mode == 2 ? 3 : 0;
                if (mode == 1) desc.exponent = side ? exponent.device : exponent.host;
                o[side].result = padic_num_from_float(side ? context : NULL, &desc);
            }
            same(o[0], o[1]);
            twin_check(&x, "from floats");
            if ((t + mode) % 2)
                twin_random(&x, 0);
            else
                twin_fractions(&x, 3000);
            if (t > 1 || mode) large_valuations(&x);
            for (side = 0; side < 2; side++) { // and back
                padic_num_to_float_desc desc = PADIC_ZERO;
                desc.in = side ? x.device : x.host;
                desc.status = padic_tensor_1d(PADIC_U8, desc.in.status.data, desc.in.count);
                desc.status.buffer = desc.in.status.buffer;
                desc.status.offset = desc.in.status.offset;
                o[side].sticky = 0;
                desc.sticky = &o[side].sticky;
                desc.out = side ? in.device : in.host;
                desc.mode = (padic_num_float_mode)mode;
                desc.scale = mode == 2 ? 3 : 0;
                if (mode == 1) desc.exponent = side ? exponent.device : exponent.host;
                o[side].result = padic_num_to_float(side ? context : NULL, &desc);
            }
            same(o[0], o[1]);
            twin_check(&x, "to floats");
            plane_end(&in, 1);
            plane_end(&exponent, 1);
            twin_end(&x);
        }
}

TEST(floats)
{
    doing = "floats";
    for_rings(try_floats);
}

static void try_rational(padic_num_model model, uint64_t count)
{
    twin x;
    twin_plane n, d, status;
    outcome o[2];
    int side;
    if (model == PADIC_NUM_BALL || !ring.base || ring.power[ring.precision - 1][0] < 40) return;
    twin_begin(&x, model, count, 0);
    twin_random(&x, 0);
    { // half of them fractions that there are
        twin_plane small, over;
        padic_num_from_rational_desc desc = PADIC_ZERO;
        uint64_t i;
        padic_num_array part = x.host;
        part.count = count / 2;
        plane_begin(&small, PADIC_I64, count, 0);
        plane_begin(&over, PADIC_I64, count, 0);
        for (i = 0; i < count; i++) {
            ((int64_t *)(void *)small.memory)[i] = (int64_t)(test_random() % 13) - 6;
            ((int64_t *)(void *)over.memory)[i] = 1 + (int64_t)(test_random() % 4);
        }
        desc.out = part;
        desc.numerator = padic_tensor_1d(PADIC_I64, small.memory, count / 2);
        desc.denominator = padic_tensor_1d(PADIC_I64, over.memory, count / 2);
        if (padic_num_from_rational(NULL, &desc)) abort();
        twin_up(&x);
        plane_end(&small, 0);
        plane_end(&over, 0);
    }
    plane_begin(&n, PADIC_I64, count, 0);
    plane_begin(&d, PADIC_I64, count, 0);
    plane_begin(&status, PADIC_U8, count, 0);
    plane_up(&n);
    plane_up(&d);
    plane_up(&status);
    for (side = 0; side < 2; side++) {
        padic_num_to_rational_desc desc = PADIC_ZERO;
        desc.in = side ? x.device : x.host;
        desc.numerator = side ? n.device : n.host;
        desc.denominator = side ? d.device : d.host;
        desc.status = side ? status.device : status.host;
        o[side].sticky = 0;
        desc.sticky = &o[side].sticky;
        o[side].result = padic_num_to_rational(side ? context : NULL, &desc);
    }
    same(o[0], o[1]);
    plane_end(&n, 1);
    plane_end(&d, 1);
    plane_end(&status, 1);
    twin_end(&x);
}

TEST(fractions)
{
    doing = "fractions";
    for_rings(try_rational);
}

static void rational_once(padic_num_model model, uint64_t count,
                          const padic_num_to_rational_desc *given, padic_dtype numerator,
                          padic_dtype denominator)
{
    twin x;
    twin_plane n, d, status;
    outcome o[2];
    int side;
    twin_begin(&x, model, count, 0);
    twin_fractions(&x, test_random() % 3 ? 12 : 3000);
    plane_begin(&n, numerator, count, 0);
    plane_begin(&d, denominator, count, 0);
    plane_begin(&status, PADIC_U8, count, 0);
    plane_up(&n);
    plane_up(&d);
    plane_up(&status);
    for (side = 0; side < 2; side++) {
        padic_num_to_rational_desc desc = *given;
        desc.in = side ? x.device : x.host;
        desc.numerator = side ? n.device : n.host;
        if (given->denominator.dtype != PADIC_F32) desc.denominator = side ? d.device : d.host;
        if (given->denominator.dtype == PADIC_F32) // none is wanted
            memset(&desc.denominator, 0, sizeof desc.denominator);
        desc.status = side ? status.device : status.host;
        o[side].sticky = 0;
        desc.sticky = &o[side].sticky;
        o[side].result = padic_num_to_rational(side ? context : NULL, &desc);
    }
    same(o[0], o[1]);
    plane_end(&n, 1);
    plane_end(&d, 1);
    plane_end(&status, 1);
    twin_end(&x);
}

static void try_rational_modes(padic_num_model model, uint64_t count)
{
    static const padic_dtype types[8] = {PADIC_I64, PADIC_U64, PADIC_I32, PADIC_U32,
                                         PADIC_I16, PADIC_U16, PADIC_I8,  PADIC_U8};
    padic_num_to_rational_desc desc;
    int mode, i;
    for (mode = 0; mode < 4; mode++)
        for (i = 0; i < 9; i++) {
            memset(&desc, 0, sizeof desc);
            desc.mode = (padic_num_rational_mode)mode;
            if (mode == PADIC_NUM_RATIONAL_COMMON && i % 4) desc.vector = count == 131 ? 1 : 2;
            if (i == 1 || i == 5) desc.guard = PADIC_NUM_RATIONAL_NO_GUARD;
            if (i == 2) desc.guard = 2;
            if (i == 3) desc.numerator_limit[0] = 5;
            if (i == 4) desc.denominator_limit[0] = 7;
            if (i == 5) desc.numerator_limit[0] = desc.denominator_limit[0] = 1;
            if (i == 6) desc.quotient = 2;
            desc.fixed[0] = i == 0 ? 1 : i == 1 ? 6 : i == 2 ? ring.p : 6 * (ring.p % 1000003);
            if (mode == PADIC_NUM_RATIONAL_FIXED && i == 3) desc.denominator.dtype = PADIC_F32;
            rational_once(model, mode == 1 && i % 2 ? 24 : count, &desc, types[i % 8],
                          types[(i * 3) % 8]);
        }
}

TEST(rational_modes)
{
    doing = "fractions in other ways";
    for_rings(try_rational_modes);
}

// a, of the ring of the moment, in another one; a ends.
static void to_ring(twin *a, const padic_num_ring *to, padic_num_model model,
                    padic_result (*run)(padic_context *context, const padic_num_array *out,
                                        const padic_num_array *a),
                    const char *what)
{
    const padic_num_ring from = ring;
    twin x;
    outcome o[2];
    int side;
    a->host.ring = a->device.ring = &from;
    ring = *to;
    twin_begin(&x, model, a->host.count, 0);
    twin_up(&x);
    for (side = 0; side < 2; side++) {
        o[side].sticky = 0;
        (side ? &x.device : &x.host)->sticky = &o[side].sticky;
        o[side].result = (*run)(side ? context : NULL, side ? &x.device : &x.host,
                                side ? &a->device : &a->host);
    }
    same(o[0], o[1]);
    twin_check(&x, what);
    twin_end(a);
    twin_end(&x);
    ring = from;
}

// From each ring to others of other primes, or of its own, and other models.
static void try_prime(padic_num_model model, uint64_t count)
{
    static const ring_row to[] = {{2, 24, (padic_num_form)0}, {2, 64, (padic_num_form)0},
                                  {3, 18, (padic_num_form)0}, {257, 6, (padic_num_form)0},
                                  {5, 27, (padic_num_form)0}, {65537, 1, (padic_num_form)0}};
    padic_num_ring other;
    int i, m;
    for (i = 0; i < 6; i++)
        for (m = 0; m < 3; m++) {
            twin a;
            if (test_tiny && (i + m) % 3) continue;
            if (padic_num_ring_init(&other, to[i].p, to[i].N, NULL)) abort();
            twin_begin(&a, model, count, 0);
            twin_fractions(&a, 200);
            to_ring(&a, &other, (padic_num_model)m, padic_num_change_prime, "another prime");
        }
}

TEST(primes)
{
    doing = "change of the prime";
    for_rings(try_prime);
}

// From each ring to others of its prime.
static void try_precision(padic_num_model model, uint64_t count)
{
    const padic_num_ring from = ring;
    padic_num_ring to;
    uint32_t n;
    for (n = 1; n <= from.precision + 3; n += from.precision / 3 + 1) {
        twin a;
        if (padic_num_ring_init(&to, from.p, n, NULL) || to.form > PADIC_NUM_W64) continue;
        twin_begin(&a, model, count, 0);
        twin_random(&a, 0);
        to_ring(&a, &to, model, padic_num_set_precision, "precision");
    }
}

TEST(precision)
{
    doing = "precision";
    for_rings(try_precision);
}

static void say(padic_log_level level, uint32_t item, const char *text, void *user)
{
    (void)item;
    (void)user;
    if (level != PADIC_LOG_ERROR) printf("  log: %s\n", text);
}

// The device of the test. Strict: what it cannot do is an error.
static padic_context *open_context(uint32_t flags)
{
    padic_context_desc desc = PADIC_ZERO;
    static padic_native_desc native;
    padic_context *made = NULL;
    desc.flags = flags;
    desc.log.write = say;
    desc.device.kernel_dir = kernel_folder;
#if defined(GPU_OPENCL)
    (void)native;
    desc.backends[0] = padic_opencl();
    desc.device.flags = PADIC_DEVICE_ALLOW_CPU;
#elif defined(GPU_CUDA)
    (void)native;
    desc.backends[0] = padic_cuda();
#else
    native.down = getenv("NATIVE_DOWN") != NULL;
    desc.device.native_context = &native;
    desc.backends[0] = padic_native();
#endif
    if (!flags) desc.backends[1] = padic_null(); // one alone would be strict
    return padic_context_create(&desc, &made) ? NULL : made;
}

// What no kernel does is done on copies, in a context that is not strict: long rings, roots.
TEST(staged)
{
    static const ring_row rows[] = {{257, 12, (padic_num_form)0}, // W128
                                    {257, 30, (padic_num_form)0}, // RX
                                    {65539, 13, (padic_num_form)0}};
    padic_context *const strict = context;
    padic_op_stats stats;
    uint64_t before;
    int i, m;
    context = open_context(0);
    REQUIRE(context != NULL);
    for (i = 0; i < 3; i++)
        for (m = 0; m < 3; m++) {
            const padic_num_model model = (padic_num_model)m;
            twin a, b, x;
            uint32_t sticky[2] = {0, 0};
            void *scratch;
            size_t need;
            REQUIRE(padic_num_ring_init(&ring, rows[i].p, rows[i].N, NULL) == PADIC_OK);
            need = padic_num_workspace(&ring);
            scratch = malloc(need + 8);
            REQUIRE(scratch != NULL);
            twin_begin(&a, model, 77, 0);
            twin_begin(&b, model, 1, 0);
            twin_begin(&x, model, 77, 0);
            memset(a.memory, 0, a.size);
            memset(b.memory, 0, b.size);
            {
                padic_num_random_desc desc = PADIC_ZERO;
                desc.out = a.host;
                CHECK_EQ(padic_num_random(NULL, &desc), PADIC_OK);
                desc.out = b.host;
                desc.seed = 1;
                CHECK_EQ(padic_num_random(NULL, &desc), PADIC_OK);
            }
            x.device.workspace = scratch;
            x.device.workspace_size = need;
            x.host.sticky = &sticky[0];
            x.device.sticky = &sticky[1];
            twin_up(&a);
            twin_up(&b);
            twin_up(&x);
            stats = num_stats(context);
            before = stats.fallbacks;
            CHECK_EQ(padic_num_div(context, &x.device, &a.device, &b.device),
                     padic_num_div(NULL, &x.host, &a.host, &b.host));
            CHECK_EQ(padic_num_sqrt(context, &x.device, &a.device),
                     padic_num_sqrt(NULL, &x.host, &a.host));
            CHECK_EQ(padic_num_add(context, &x.device, &x.device, &b.device), // in place
                     padic_num_add(NULL, &x.host, &x.host, &b.host));
            CHECK_EQ(sticky[1], sticky[0]);
            if (!need) twin_check(&x, "staged");
            if (need) { // the block on the host holds scratch, too: the planes alone
                char *back = (char *)malloc(x.size);
                const size_t units = (size_t)((char *)x.host.workspace - x.memory);
                REQUIRE(back != NULL);
                CHECK_EQ(padic_buffer_download(context, x.buffer, 0, back, x.size), PADIC_OK);
                CHECK(!memcmp(back, x.memory, units));
                free(back);
            }
            stats = num_stats(context);
            CHECK(stats.fallbacks > before); // it was counted
            twin_end(&a);
            twin_end(&b);
            twin_end(&x);
            free(scratch);
        }
    CHECK(stats.staged_bytes > 0);
    padic_context_destroy(context);
    context = strict;
}

// Planes here and there, ids of nothing, ranges beyond a buffer, overlaps; a word for the bits.
TEST(errors)
{
    twin a, x;
    padic_num_array wrong;
    padic_buffer word;
    padic_buffer_desc desc = PADIC_ZERO;
    uint32_t bits = 0, sticky = 0;
    REQUIRE(padic_num_ring_init(&ring, 257, 6, NULL) == PADIC_OK);
    twin_begin(&a, PADIC_NUM_FLOAT, 50, 0);
    twin_begin(&x, PADIC_NUM_FLOAT, 50, 0);
    twin_random(&a, 0);
    twin_up(&x);
    CHECK_EQ(padic_num_neg(context, &x.device, &a.host), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(padic_num_neg(context, &x.host, &a.device), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(padic_num_neg(NULL, &x.device, &a.device), PADIC_ERROR_ARGUMENT);
    wrong = x.device;
    wrong.val.offset = UINT64_C(1) << 40;
    CHECK_EQ(padic_num_neg(context, &wrong, &a.device), PADIC_ERROR_REGION);
    wrong = x.device;
    wrong.unit.buffer.id ^= 0x5a5a0000u;
    CHECK_EQ(padic_num_neg(context, &wrong, &a.device), PADIC_ERROR_ARGUMENT);
    wrong = a.device; // its own status is in the way of nothing, its units one on
    wrong.unit.offset++;
    CHECK_EQ(padic_num_neg(context, &wrong, &a.device), PADIC_ERROR_OVERLAP);
    wrong = x.device;
    wrong.val.dtype = PADIC_F32;
    CHECK_EQ(padic_num_neg(context, &wrong, &a.device), PADIC_ERROR_DTYPE);
    CHECK_EQ(padic_num_place_buffer(&wrong, &ring, PADIC_NUM_FLOAT, 50, x.buffer, 32),
             PADIC_ERROR_ARGUMENT);
    twin_check(&a, "after errors"); // nothing was written
    twin_check(&x, "after errors");
    desc.size = 256;
    REQUIRE(padic_buffer_create(context, &desc, &word) == PADIC_OK);
    bits = PADIC_NUM_RATREC; // what is there stays
    CHECK_EQ(padic_buffer_upload(context, word, 4, &bits, 4), PADIC_OK);
    x.device.sticky_word = padic_num_plane_in(PADIC_U32, word, 1);
    x.host.sticky = &sticky;
    CHECK_EQ(padic_num_inv(context, &x.device, &a.device), PADIC_OK);
    CHECK_EQ(padic_num_inv(NULL, &x.host, &a.host), PADIC_OK);
    CHECK_EQ(padic_buffer_download(context, word, 4, &bits, 4), PADIC_OK);
    CHECK_EQ(bits, sticky | PADIC_NUM_RATREC);
    twin_check(&x, "inverses");
    CHECK_EQ(padic_buffer_destroy(context, word), PADIC_OK);
    twin_end(&a);
    twin_end(&x);
    twin_begin(&a, PADIC_NUM_FLOAT, 0, 0); // no elements
    twin_begin(&x, PADIC_NUM_FLOAT, 0, 0);
    CHECK_EQ(padic_num_neg(context, &x.device, &a.device), PADIC_OK);
    twin_end(&a);
    twin_end(&x);
}

int main(int argc, char **argv)
{
    static const test_case cases[] = {
        CASE(arithmetic), CASE(valuations), CASE(horner),         CASE(many),   CASE(digits),
        CASE(integers),   CASE(floats),     CASE(fractions),      CASE(primes), CASE(precision),
        CASE(staged),     CASE(errors),     CASE(rational_modes),
        CASE(random_numbers), CASE(hensel), CASE(hensel_all), CASE(systems), CASE(systems_modulo),
        CASE(systems_staged), CASE(systems_primes), CASE(arithmetic_roots),
        CASE(arithmetic_roots_many)};
    int result;
    context = open_context(PADIC_CONTEXT_STRICT);
    if (!context) return puts("gpu_num: no device"), 77;
    result = test_main("gpu_num", cases, (int)(sizeof cases / sizeof *cases), argc, argv);
    padic_context_destroy(context);
    return result;
}
