// Matrix products and contractions by padic_simd.h at every level this CPU has: elements against
// sums in long double within the bound of EXACT, exact sums of small integers, gaps untouched, the
// same bits for any number of workers and for two runs.
#define PADIC_IMPLEMENTATION
#include "../../padic.h"
#include "../../backends/padic_simd.h"
#include "../../backends/padic_threads.h"
#include "../support/padic_test.h"
#include "../support/op_stats.h"
#include <math.h>

#define LENGTH(x) ((int)(sizeof(x) / sizeof *(x)))

static const char *const levels[] = {"avx2", "avx512", "avx512ifma", "neon"};

static padic_context *open_level(const char *level, padic_threads *pool)
{
    padic_context_desc desc = PADIC_ZERO;
    padic_context *context = NULL;
    desc.backends[0] = padic_simd();
    desc.device.name = level;
    desc.flags = PADIC_CONTEXT_STRICT;
    if (pool) desc.jobs = padic_threads_jobs(pool);
    return padic_context_create(&desc, &context) ? NULL : context;
}

static double normal(void)
{
    double s = -6;
    for (int i = 0; i < 12; i++) s += (double)(test_random() >> 11) / 9007199254740992.0;
    return s;
}

static int wide(padic_dtype t) { return t == PADIC_F64 || t == PADIC_C128; }
static int parts_of(padic_dtype t) { return t == PADIC_C64 || t == PADIC_C128 ? 2 : 1; }

static double get(const void *data, padic_dtype t, int64_t at, int part)
{
    const int n = parts_of(t);
    if (part >= n) return 0;
    return wide(t) ? ((const double *)data)[at * n + part]
                   : (double)((const float *)data)[at * n + part];
}

static void put(void *data, padic_dtype t, int64_t at, int part, double x)
{
    const int n = parts_of(t);
    if (part >= n) return;
    if (wide(t))
        ((double *)data)[at * n + part] = x;
    else
        ((float *)data)[at * n + part] = (float)x;
}

// c[i, j] = sum of a[i, k] b[k, j]: each index is a list of axes with sizes and steps.
typedef struct problem {
    padic_dtype type[3];
    uint64_t size[8]; // by letter a to h
    const char *labels[3];
    int order[3]; // 0: axes as named, last fastest; 1: first fastest; 2: and with gaps
    uint32_t conj;
    double alpha[2], beta[2];
} problem;

static padic_tensor view(const problem *p, int o, int64_t *room)
{
    uint64_t shape[8] = {0};
    const uint32_t rank = (uint32_t)strlen(p->labels[o]);
    int64_t step = 1;
    for (uint32_t i = 0; i < rank; i++) shape[i] = p->size[p->labels[o][i] - 'a'];
    padic_tensor t = padic_tensor_nd(p->type[o], NULL, rank, shape);
    for (uint32_t i = 0; i < rank; i++) {
        const uint32_t axis = p->order[o] ? i : rank - 1 - i;
        t.stride[axis] = step;
        step = step * (int64_t)shape[axis] + (p->order[o] == 2 ? 1 + (int64_t)i : 0);
    }
    *room = step + 8;
    return t;
}

static int64_t at(const problem *p, int o, const padic_tensor *t, const uint64_t *value)
{
    int64_t sum = 0;
    for (uint32_t i = 0; i < t->rank; i++)
        sum += (int64_t)value[p->labels[o][i] - 'a'] * t->stride[i];
    return sum;
}

// Error over bound, the largest; 1e9 when a gap was written.
static double judge(const problem *p, const padic_tensor *t, const void *before)
{
    const double u = wide(p->type[2]) ? ldexp(1, -53) : ldexp(1, -24);
    const int n = parts_of(p->type[2]);
    uint64_t value[8] = {0}, terms = 1, count = padic_tensor_count(&t[2]);
    char summed[9] = "";
    double worst = 0;
    for (int l = 0; l < 8; l++)
        if (!strchr(p->labels[2], 'a' + l) &&
            (strchr(p->labels[0], 'a' + l) || strchr(p->labels[1], 'a' + l))) {
            summed[strlen(summed)] = (char)('a' + l);
            terms *= p->size[l];
        }
    for (uint64_t e = 0; e < count; e++) {
        uint64_t rest = e;
        long double sum[2] = {0, 0}, big = 0, want[2];
        for (uint32_t i = t[2].rank; i-- > 0;) {
            value[p->labels[2][i] - 'a'] = rest % t[2].shape[i];
            rest /= t[2].shape[i];
        }
        for (uint64_t k = 0; k < terms; k++) {
            rest = k;
            for (const char *l = summed; *l; l++) {
                value[*l - 'a'] = rest % p->size[*l - 'a'];
                rest /= p->size[*l - 'a'];
            }
            const int64_t ia = at(p, 0, &t[0], value), ib = at(p, 1, &t[1], value);
            const long double ar = get(t[0].data, p->type[0], ia, 0);
            const long double ai = get(t[0].data, p->type[0], ia, 1) * (p->conj & 1 ? -1 : 1);
            const long double br = get(t[1].data, p->type[1], ib, 0);
            const long double bi = get(t[1].data, p->type[1], ib, 1) * (p->conj & 2 ? -1 : 1);
            sum[0] += ar * br - ai * bi;
            sum[1] += ar * bi + ai * br;
            big += hypotl(ar, ai) * hypotl(br, bi);
        }
        const int64_t ic = at(p, 2, &t[2], value);
        const long double cr = get(before, p->type[2], ic, 0), ci = get(before, p->type[2], ic, 1);
        want[0] = p->alpha[0] * sum[0] - p->alpha[1] * sum[1] + p->beta[0] * cr - p->beta[1] * ci;
        want[1] = p->alpha[0] * sum[1] + p->alpha[1] * sum[0] + p->beta[0] * ci + p->beta[1] * cr;
        const long double bound =
            4 * ((long double)terms + 2) * u * hypot(p->alpha[0], p->alpha[1]) * big +
            4 * u * hypot(p->beta[0], p->beta[1]) * hypotl(cr, ci);
        for (int part = 0; part < n; part++) {
            const double off = fabs(get(t[2].data, p->type[2], ic, part) - (double)want[part]);
            if (!(off <= (double)bound)) worst = 1e9;
            if (off > worst * (double)bound) worst = off / (double)bound;
        }
    }
    return worst;
}

// Runs a problem and says error over bound.
static double run(padic_context *context, const problem *p, int integers)
{
    padic_tensor_contract_desc desc = PADIC_ZERO;
    padic_tensor t[3];
    int64_t room[3];
    uint8_t *labels[3] = {desc.labels_a, desc.labels_b, desc.labels_c};
    char *before;
    size_t bytes = 0, touched = 0;
    for (int o = 0; o < 3; o++) {
        t[o] = view(p, o, &room[o]);
        bytes = (size_t)room[o] * padic_dtype_size(p->type[o]);
        t[o].data = malloc(bytes);
        for (int64_t i = 0; i < room[o]; i++)
            for (int part = 0; part < 2; part++)
                put(t[o].data, p->type[o], i, part,
                    integers ? (double)(test_random() % 9) - 4 : normal());
        memcpy(labels[o], p->labels[o], strlen(p->labels[o]));
    }
    before = (char *)malloc(bytes);
    memcpy(before, t[2].data, bytes);
    desc.a = t[0], desc.b = t[1], desc.c = t[2];
    desc.conj = p->conj;
    memcpy(desc.alpha, p->alpha, sizeof desc.alpha);
    memcpy(desc.beta, p->beta, sizeof desc.beta);
    CHECK_EQ(padic_tensor_contract(context, &desc), PADIC_OK);
    double worst = judge(p, t, before);
    const size_t size = padic_dtype_size(p->type[2]); // changed elements are no more than there are
    for (size_t i = 0; i < bytes; i += size)
        touched += memcmp(before + i, (char *)t[2].data + i, size) != 0;
    CHECK(touched <= padic_tensor_count(&t[2]));
    for (size_t i = bytes - 8 * size; i < bytes; i++)
        CHECK(before[i] == ((char *)t[2].data)[i]);
    for (int o = 0; o < 3; o++) free(t[o].data);
    free(before);
    return worst;
}

static const padic_dtype types[][3] = {
    {PADIC_C64, PADIC_C64, PADIC_C64},   {PADIC_F32, PADIC_F32, PADIC_F32},
    {PADIC_C128, PADIC_C128, PADIC_C128}, {PADIC_F64, PADIC_F64, PADIC_F64},
    {PADIC_F32, PADIC_C64, PADIC_C64},   {PADIC_C64, PADIC_F32, PADIC_C64},
    {PADIC_C128, PADIC_F64, PADIC_C128}, {PADIC_F64, PADIC_C128, PADIC_C128}};

// Sizes around those of panels and blocks, orders of axes, factors; batches and several axes in
// each group.
TEST(products)
{
    static const uint64_t sizes[] = {1, 2, 5, 8, 17, 33, 64, 97, 130, 200, 530};
    static const char *const forms[][3] = {{"ab", "bc", "ac"},    {"ba", "bc", "ac"},
                                           {"ab", "cb", "ca"},    {"dab", "dbc", "dac"},
                                           {"adb", "bdc", "dca"}, {"ab", "bdc", "acd"},
                                           {"aeb", "ebc", "ac"},  {"abd", "cb", "cad"}};
    int tried = 0;
    for (int l = 0; l < LENGTH(levels); l++) {
        padic_context *context = open_level(levels[l], NULL);
        if (!context) continue;
        tried++;
        for (int round = 0; round < (test_tiny ? 24 : 400); round++) {
            problem p;
            double work;
            memset(&p, 0, sizeof p);
            memcpy(p.type, types[round % 8], sizeof p.type);
            memcpy(p.labels, forms[test_random() % 8], sizeof p.labels);
            do {
                work = 1;
                for (int i = 0; i < 8; i++) p.size[i] = i < 3 ? sizes[test_random() % 11] : 1;
                p.size[3] = 1 + test_random() % 3, p.size[4] = 1 + test_random() % 3;
                for (int i = 0; i < 5; i++) work *= (double)p.size[i];
            } while (work > (test_tiny ? 2e4 : 4e5));
            for (int o = 0; o < 3; o++) p.order[o] = (int)(test_random() % 3);
            p.conj = (uint32_t)(test_random() % 4);
            p.alpha[0] = 1;
            if (round % 3 == 1) p.alpha[0] = -1.5, p.beta[0] = 1;
            if (round % 3 == 2) {
                p.beta[0] = 0.75;
                if (parts_of(p.type[2]) == 2) p.alpha[1] = 0.5, p.beta[1] = -2;
            }
            CHECK(run(context, &p, 0) <= 1);
        }
        padic_context_destroy(context);
    }
    if (!tried) {
        SKIP("no level of padic_simd.h");
    }
}

// One row: a vector times a matrix, both ways round, with batches; sizes around the block's.
TEST(vectors)
{
    static const char *const forms[][3] = {{"b", "bc", "c"},      {"bc", "b", "c"},
                                           {"db", "dbc", "dc"},   {"dbe", "dbec", "dc"},
                                           {"dcb", "db", "dc"},   {"db", "dcb", "dc"},
                                           {"adb", "dbc", "adc"}, {"be", "bec", "c"}};
    static const uint64_t sizes[] = {1, 3, 4, 7, 16, 63, 130, 300, 1027, 2100};
    for (int l = 0; l < LENGTH(levels); l++) {
        padic_context *context = open_level(levels[l], NULL);
        for (int round = 0; context && round < (test_tiny ? 16 : 240); round++) {
            problem p;
            memset(&p, 0, sizeof p);
            memcpy(p.type, types[round % 8], sizeof p.type);
            memcpy(p.labels, forms[test_random() % 8], sizeof p.labels);
            do {
                for (int i = 0; i < 8; i++) p.size[i] = 1 + test_random() % 3;
                p.size[0] = 1;
                p.size[1] = sizes[test_random() % 10], p.size[2] = sizes[test_random() % 10];
            } while (p.size[1] * p.size[2] > (test_tiny ? 4000 : 40000));
            p.conj = (uint32_t)(test_random() % 4);
            p.order[1] = round % 5 == 0;
            p.alpha[0] = 1;
            if (round % 3 == 1) p.alpha[0] = -1.5, p.beta[0] = 1;
            if (round % 3 == 2) {
                p.beta[0] = 0.75;
                if (parts_of(p.type[2]) == 2) p.alpha[1] = 0.5, p.beta[1] = -2;
            }
            CHECK(run(context, &p, 0) <= 1);
        }
        padic_context_destroy(context);
    }
}

// Small integers give exact sums, whatever the order.
TEST(integers)
{
    for (int l = 0; l < LENGTH(levels); l++) {
        padic_context *context = open_level(levels[l], NULL);
        for (int i = 0; context && i < 8; i++) {
            problem p;
            memset(&p, 0, sizeof p);
            memcpy(p.type, types[i], sizeof p.type);
            p.labels[0] = "ab", p.labels[1] = "bc", p.labels[2] = "ac";
            p.size[0] = 37, p.size[1] = test_tiny ? 67 : 211, p.size[2] = 70;
            p.alpha[0] = 2, p.beta[0] = -1;
            p.conj = (uint32_t)i % 4;
            CHECK(run(context, &p, 1) == 0);
        }
        padic_context_destroy(context);
    }
}

// gemm with every op, a shared matrix, rows backwards, against contract on the plain reference.
TEST(ops)
{
    static float a[2 * 3 * 40 * 30], b[2 * 40 * 30], c[2][2 * 3 * 40 * 40];
    for (int i = 0; i < LENGTH(a); i++) a[i] = (float)((int)(test_random() % 9) - 4);
    for (int i = 0; i < LENGTH(b); i++) b[i] = (float)((int)(test_random() % 9) - 4);
    for (int l = 0; l < LENGTH(levels); l++) {
        padic_context *context = open_level(levels[l], NULL);
        for (uint32_t op = 0; context && op < 16; op++) {
            padic_tensor_gemm_desc d = PADIC_ZERO;
            const int ta = op % 4 == 1 || op % 4 == 2, tb = op / 4 == 1 || op / 4 == 2;
            d.a = padic_tensor_3d(PADIC_C64, a, 3, ta ? 30 : 40, ta ? 40 : 30);
            d.b = padic_tensor_2d(PADIC_C64, b, tb ? 40 : 30, tb ? 30 : 40);
            if (op % 2) { // backwards
                d.b.stride[1] = 1, d.b.stride[0] = -(int64_t)d.b.shape[1];
                d.b.data = b + 2 * (d.b.shape[0] - 1) * d.b.shape[1];
            }
            d.op_a = op % 4, d.op_b = op / 4;
            for (int i = 0; i < 2; i++) {
                memset(c[i], 0xff, sizeof c[i]);
                d.c = padic_tensor_3d(PADIC_C64, c[i], 3, 40, 40);
                CHECK_EQ(padic_tensor_gemm(i ? context : NULL, &d), PADIC_OK);
            }
            CHECK(!memcmp(c[0], c[1], sizeof c[0]));
        }
        padic_context_destroy(context);
    }
}

TEST(workers)
{
    enum { M = 300, K = 210, N = 140 };
    static float a[2 * M * K], b[2 * K * N], c[4][2 * M * N];
    for (int i = 0; i < LENGTH(a); i++) a[i] = (float)normal();
    for (int i = 0; i < LENGTH(b); i++) b[i] = (float)normal();
    for (int l = 0; l < LENGTH(levels); l++)
        for (int i = 0; i < 4; i++) {
            static const uint32_t workers[4] = {1, 2, 7, 2};
            padic_threads *pool = padic_threads_create(workers[i], NULL);
            padic_context *context = open_level(levels[l], pool);
            padic_tensor_gemm_desc gemm = PADIC_ZERO;
            gemm.a = padic_tensor_2d(PADIC_C64, a, M, K);
            gemm.b = padic_tensor_2d(PADIC_C64, b, K, N);
            gemm.c = padic_tensor_2d(PADIC_C64, c[i], M, N);
            if (context) {
                CHECK_EQ(padic_tensor_gemm(context, &gemm), PADIC_OK);
                CHECK(!memcmp(c[0], c[i], sizeof c[0]));
            }
            padic_context_destroy(context);
            padic_threads_destroy(pool);
        }
}

// Nothing to add up: beta c, also when c held NaN and beta is 0. Not enough memory: done plainly.
static void *no_alloc(size_t size, size_t align, void *user)
{
    (void)align;
    return size > *(const size_t *)user ? NULL : malloc(size + 64);
}

static void no_free(void *p, size_t size, void *user)
{
    (void)size;
    (void)user;
    free(p);
}

TEST(without)
{
    float a[4] = {1, 2, 3, 4}, b[4] = {5, 6, 7, 8}, c[4];
    size_t most = 1 << 24;
    padic_context_desc desc = PADIC_ZERO;
    padic_context *context = NULL;
    padic_tensor_gemm_desc d = PADIC_ZERO;
    desc.backends[0] = padic_simd();
    desc.allocator.alloc = no_alloc, desc.allocator.free = no_free, desc.allocator.user = &most;
    REQUIRE(!padic_context_create(&desc, &context));
    for (int i = 0; i < 2; i++) {
        memset(c, 0xff, sizeof c);
        d.a = padic_tensor_2d(PADIC_F32, a, 2, 2);
        d.b = padic_tensor_2d(PADIC_F32, b, 2, 2);
        d.c = padic_tensor_2d(PADIC_F32, c, 2, 2);
        most = i ? 1 << 24 : 0; // none at first
        CHECK_EQ(padic_tensor_gemm(context, &d), PADIC_OK);
        CHECK(c[0] == 19 && c[1] == 22 && c[2] == 43 && c[3] == 50);
    }
    d.a = padic_tensor_2d(PADIC_F32, NULL, 2, 0);
    d.b = padic_tensor_2d(PADIC_F32, NULL, 0, 2);
    d.beta[0] = 3;
    CHECK_EQ(padic_tensor_gemm(context, &d), PADIC_OK);
    CHECK(c[0] == 57 && c[3] == 150);
    padic_context_destroy(context);
}

// Small products of nothing but a b have a way of their own (a context that profiles does not take
// it): exact sums, gaps untouched, the same bits as by the long way, the same errors.
#define SMALL 70
typedef struct operands {
    double x[3][2 * 2 * SMALL * SMALL]; // room for c128 with gaps
} operands;

static void small_one(padic_context *context, padic_context *plain, padic_dtype type,
                      const uint64_t size[3], int64_t gap)
{
    operands *o = (operands *)calloc(2, sizeof *o), *other = o + 1;
    padic_tensor_gemm_desc desc = PADIC_ZERO;
    padic_tensor *t[3];
    t[0] = &desc.a, t[1] = &desc.b, t[2] = &desc.c;
    for (int i = 0; i < 3; i++) { // a: 0 x 2, b: 2 x 1, c: 0 x 1 of size[]
        const uint64_t rows = size[i == 1 ? 2 : 0], columns = size[i == 0 ? 2 : 1];
        *t[i] = padic_tensor_2d(type, o->x[i], rows, columns);
        if (gap) t[i]->stride[0] = (int64_t)columns + gap, t[i]->stride[1] = 1;
        for (int64_t j = 0; j < SMALL * SMALL; j++)
            for (int part = 0; part < 2; part++)
                put(o->x[i], type, j, part, (double)(test_random() % 9) - 4);
    }
    *other = *o;
    CHECK_EQ(padic_tensor_gemm(context, &desc), PADIC_OK);
    for (int64_t i = 0; i < (int64_t)size[0]; i++)
        for (int64_t j = 0; j < (int64_t)size[1]; j++) {
            double sum[2] = {0, 0};
            for (int64_t k = 0; k < (int64_t)size[2]; k++) {
                const int64_t at_a = i * ((int64_t)size[2] + gap) + k;
                const int64_t at_b = k * ((int64_t)size[1] + gap) + j;
                const double ar = get(o->x[0], type, at_a, 0), ai = get(o->x[0], type, at_a, 1);
                const double br = get(o->x[1], type, at_b, 0), bi = get(o->x[1], type, at_b, 1);
                sum[0] += ar * br - ai * bi;
                sum[1] += ar * bi + ai * br;
            }
            for (int part = 0; part < parts_of(type); part++)
                CHECK(get(o->x[2], type, i * ((int64_t)size[1] + gap) + j, part) == sum[part]);
        }
    for (int i = 0; i < 3; i++) t[i]->data = other->x[i];
    CHECK_EQ(padic_tensor_gemm(plain, &desc), PADIC_OK);
    CHECK(!memcmp(o, other, sizeof *o)); // gaps too
    free(o);
}

TEST(small)
{
    static const uint64_t sizes[] = {1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 24, 31, 32, 64, 65};
    static const padic_dtype all[] = {PADIC_F32, PADIC_F64, PADIC_C64, PADIC_C128};
    for (int l = 0; l < LENGTH(levels); l++) {
        padic_context_desc how = PADIC_ZERO;
        padic_context *context = open_level(levels[l], NULL), *plain = NULL;
        padic_tensor_gemm_desc desc = PADIC_ZERO;
        padic_stats stats;
        float x[192], nothing = 0;
        if (!context) continue;
        how.backends[0] = padic_simd();
        how.device.name = levels[l];
        how.flags = PADIC_CONTEXT_STRICT | PADIC_CONTEXT_PROFILE;
        REQUIRE(!padic_context_create(&how, &plain));
        for (int round = 0; round < (test_tiny ? 60 : 1500); round++) {
            uint64_t size[3];
            for (int i = 0; i < 3; i++) size[i] = sizes[test_random() % LENGTH(sizes)];
            small_one(context, plain, all[round & 3], size, round & 4 ? 3 : 0);
        }
        for (int i = 0; i < 192; i++) x[i] = (float)i;
        desc.a = padic_tensor_2d(PADIC_F32, x, 8, 8);
        desc.b = padic_tensor_2d(PADIC_F32, x + 64, 8, 8);
        desc.c = padic_tensor_2d(PADIC_F32, x + 63, 8, 8);
        CHECK_EQ(padic_tensor_gemm(context, &desc), PADIC_ERROR_OVERLAP);
        desc.c.data = x + 127;
        CHECK_EQ(padic_tensor_gemm(context, &desc), PADIC_ERROR_OVERLAP);
        for (int i = 0; i < 192; i++) CHECK(x[i] == (float)i);
        desc.c.data = x + 128;
        padic_context_stats(context, &stats);
        const uint64_t calls = op_stats(context, PADIC_OP_TENSOR_GEMM).calls;
        CHECK_EQ(padic_tensor_gemm(context, &desc), PADIC_OK);
        padic_context_stats(context, &stats);
        CHECK_EQ(op_stats(context, PADIC_OP_TENSOR_GEMM).calls, calls + 1);
        CHECK(!strcmp(op_stats(context, PADIC_OP_TENSOR_GEMM).backend, "simd"));
        desc.c.shape[1] = 7;
        CHECK_EQ(padic_tensor_gemm(context, &desc), PADIC_ERROR_MISMATCH);
        desc.c.shape[1] = 8;
        desc.alpha[0] = NAN;
        CHECK_EQ(padic_tensor_gemm(context, &desc), PADIC_ERROR_DOMAIN);
        desc.alpha[0] = 0;
        desc.op_a = 9;
        CHECK_EQ(padic_tensor_gemm(context, &desc), PADIC_ERROR_ARGUMENT);
        desc.op_a = 0;
        desc.a.dtype = PADIC_U32;
        CHECK_EQ(padic_tensor_gemm(context, &desc), PADIC_ERROR_DTYPE);
        desc.a.dtype = PADIC_F32;
        desc.a.data = NULL;
        CHECK_EQ(padic_tensor_gemm(context, &desc), PADIC_ERROR_ARGUMENT);
        desc.a.data = &nothing; // sizes of nothing
        desc.a.shape[0] = desc.c.shape[0] = 0;
        CHECK_EQ(padic_tensor_gemm(context, &desc), PADIC_OK);
        padic_context_destroy(plain);
        padic_context_destroy(context);
    }
}

// Factors beyond the precision of c and infinite parts: vectors give what the plain CPU does.
TEST(factors)
{
    static const double alphas[][2] = {{1e50, 0}, {1e45, 1e45}, {-1e-40, 0}, {2, 0}};
    for (int l = 0; l < LENGTH(levels); l++)
        for (int t = 0; t < 8; t++) {
            const padic_dtype type = t & 1 ? PADIC_C64 : PADIC_F32;
            const double *alpha = alphas[t / 2], big = t / 2 < 2 ? 1e-15f : t / 2 < 3 ? 1e15f : 1;
            static float a[512], b[512], c[512], want[512];
            padic_context_desc how = PADIC_ZERO;
            padic_context *context = NULL;
            padic_tensor_gemm_desc desc = PADIC_ZERO;
            how.backends[0] = padic_simd(); // not strict: the plain CPU is next
            how.device.name = levels[l];
            if (padic_context_create(&how, &context)) continue;
            for (int i = 0; i < 512; i++) {
                a[i] = b[i] = type == PADIC_C64 && i % 2 ? 0 : (float)big;
                c[i] = want[i] = 3;
            }
            if (t / 2 == 3) a[0] = INFINITY;
            desc.a = padic_tensor_2d(type, a, 16, 16);
            desc.b = padic_tensor_2d(type, b, 16, 16);
            desc.c = padic_tensor_2d(type, c, 16, 16);
            desc.alpha[0] = alpha[0], desc.alpha[1] = t & 1 ? alpha[1] : 0;
            CHECK_EQ(padic_tensor_gemm(context, &desc), PADIC_OK);
            desc.c.data = want;
            CHECK_EQ(padic_tensor_gemm(NULL, &desc), PADIC_OK);
            CHECK_NEAR(want[t & 1 ? 510 : 255] / (16 * big * big * alpha[0]), 1, 1e-6);
            for (int i = 0; i < 512; i++) {
                const int both_nan = c[i] != c[i] && want[i] != want[i];
                CHECK(both_nan || c[i] == want[i] || fabs(c[i] - want[i]) <= 1e-6 * fabs(want[i]));
                if (t < 6) CHECK(want[i] - want[i] == 0);
            }
            padic_context_destroy(context);
        }
}

TEST_MAIN("test_simd_tensor", CASE(factors), CASE(products), CASE(vectors), CASE(integers),
          CASE(ops), CASE(workers), CASE(without), CASE(small))
