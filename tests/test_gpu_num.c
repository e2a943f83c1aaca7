// test_gpu_num.c: p-adic arrays in buffers of a device. Every operation, model and way to store units
// gives the bytes that the host gives (which the other tests of numbers have compared with their
// oracle): units, valuations, known digits, status bytes, the sticky word and the result code.
#define PADIC_IMPLEMENTATION
#include "../padic_num.h"
#include "../backends/padic_gpu.h"
#include "padic_test.h"
#include GPU_DEVICES

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
    {UINT64_C(9223372036854775783), 1, (padic_num_form)0}};
enum { RINGS = (int)(sizeof rings / sizeof *rings), COUNTS = 4, ROOM = 1 << 20 };
static const uint64_t counts[COUNTS] = {1, 2, 129, 1001};

static padic_context *context;
static padic_num_ring ring;
static const char *doing = "";

// An array on the host and its twin on the device, over blocks of the same layout.
typedef struct twin {
    padic_num_array host, device;
    padic_buffer buffer;
    char *memory;
    size_t size;
} twin;

static void twin_begin(twin *t, padic_num_model model, uint64_t count, int narrow)
{
    padic_buffer_desc desc = PADIC_ZERO;
    t->size = (padic_num_array_bound(&ring, model, count) + 128 + 255) & ~(size_t)255;
    t->memory = (char *)malloc(t->size + 64);
    if (!t->memory) abort();
    memset(t->memory, 0x5a, t->size + 64);
    t->memory += (0u - (uintptr_t)t->memory) & 63; // leaked at the end of the process
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
    static char back[ROOM];
    size_t i;
    if (t->size > ROOM) abort();
    if (padic_buffer_download(context, t->buffer, 0, back, t->size)) {
        CHECK(!"download");
        return;
    }
    for (i = 0; i < t->size && back[i] == t->memory[i];) i++;
    if (i < t->size) {
        printf("  %s %s: p %lu N %u form %d model %d count %lu: byte %lu of %lu (val at %ld)\n",
               doing, what, (unsigned long)ring.p, ring.precision, (int)ring.form,
               (int)t->host.model, (unsigned long)t->host.count, (unsigned long)i,
               (unsigned long)t->size,
               t->host.val.data ? (long)((char *)t->host.val.data - t->memory) : -1L);
        CHECK(!"the same bytes");
    }
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
            CHECK(!"the same bytes");
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
OP2(sqrt)
OP2(exp)

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

typedef struct op_row {
    const char *name;
    op_fn run;
    int operands, reduces, parameters;
    int64_t parameter[6];
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
                             {"sqrt", op_sqrt, 1, 0, 1, {0}},
                             {"exp", op_exp, 1, 0, 1, {0}},
                             {"log", op_log, 1, 0, 2, {0, 1}}};
enum { OPS = (int)(sizeof ops / sizeof *ops) };

// One call on the host and on the device. `place` 1: the result over a; `scalar` j: operand j has
// one element; `narrow`: I16 valuations; `silent`: neither status nor sticky.
static void both(const op_row *op, padic_num_model model, uint64_t count, int place, int scalar,
                 int narrow, int silent)
{
    twin x[4];
    const padic_num_array *host[4] = {NULL}, *device[4] = {NULL};
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
    want = op->run(NULL, host);
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

static void run_op(const op_row *op)
{
    int i, m, c, j;
    doing = op->name;
    for (i = 0; i < RINGS; i++) {
        padic_num_ring_options options = PADIC_ZERO;
        options.form = rings[i].form;
        if (padic_num_ring_init(&ring, rings[i].p, rings[i].N, &options)) abort();
        for (m = 0; m < 3; m++)
            for (j = 0; j < op->parameters; j++) {
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

static const char *filter_op;

TEST(arithmetic)
{
    int i;
    padic_stats stats;
    filter_op = getenv("NUM_OP");
    for (i = 0; i < OPS; i++)
        if (!filter_op || !strcmp(filter_op, ops[i].name)) run_op(&ops[i]);
    padic_get_stats(context, &stats);
    CHECK_EQ(stats.kernels.fallbacks, 0); // strict: nothing was done on the host
    CHECK(stats.kernels.calls > 0);
}

static int open_context(void)
{
    context = gpu_context(1);
    return context != NULL;
}

int main(int argc, char **argv)
{
    static const test_case cases[] = {CASE(arithmetic)};
    if (!open_context()) return puts("gpu_num: no device"), 77;
    return test_main("gpu_num", cases, (int)(sizeof cases / sizeof *cases), argc, argv);
}
