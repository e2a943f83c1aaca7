// Matrix products and contractions: the definition by nested loops in long double over every op
// pair, size, stride and dtype; random expressions; identities; what must be refused.
#define PADIC_IMPLEMENT_GPU
#include "../support/inside.h"
#include "../../padic.h"
#include "../../backends/padic_cuda.h"
#include "../../backends/padic_threads.h"
#include "../native/padic_native.h"
#include "../support/padic_test.h"
#include "../support/op_stats.h"
#include <math.h>

#define LENGTH(x) ((int)(sizeof(x) / sizeof *(x)))

static padic_context *device; // NULL: the reference

// A view into its own block of memory, with known bytes in the gaps.
typedef struct array {
    padic_tensor view;
    unsigned char *block;
    size_t size;
} array;

static int is_double(padic_dtype dtype) { return dtype == PADIC_F64 || dtype == PADIC_C128; }
static int is_complex(padic_dtype dtype) { return dtype == PADIC_C64 || dtype == PADIC_C128; }

static double normal(void)
{
    double s = -6;
    for (int i = 0; i < 12; i++) s += (double)(test_random() >> 11) / 9007199254740992.0;
    return s;
}

static void set(const array *x, int64_t at, double re, double im)
{
    const float f[2] = {(float)re, (float)im};
    const double d[2] = {re, im};
    const padic_dtype t = x->view.dtype;
    const int64_t size = (int64_t)padic_dtype_size(t);
    memcpy((char *)x->view.data + at * size, is_double(t) ? (const void *)d : (const void *)f,
           (size_t)size);
}

static void get(const array *x, int64_t at, double *re, double *im)
{
    float f[2] = {0, 0};
    double d[2] = {0, 0};
    const padic_dtype t = x->view.dtype;
    const int64_t size = (int64_t)padic_dtype_size(t);
    memcpy(is_double(t) ? (void *)d : (void *)f, (char *)x->view.data + at * size, (size_t)size);
    *re = is_double(t) ? d[0] : (double)f[0];
    *im = is_double(t) ? d[1] : (double)f[1];
}

// kind 0: dense; 1: gaps; 2: axes in another order in memory; 3: negative strides; 4: the first
// axis repeats (stride 0). The block is exactly as large as what the view reaches.
static array make(padic_dtype dtype, uint32_t rank, const uint64_t *shape, int kind)
{
    array x;
    int64_t step = 1, low = 0, high = 0;
    memset(&x, 0, sizeof x);
    x.view = padic_tensor_nd(dtype, NULL, rank, shape);
    for (uint32_t i = 0; i < rank; i++) {
        const uint32_t axis = kind == 2 ? i : rank - 1 - i;
        const int64_t n = (int64_t)shape[axis];
        if (kind == 1) step += 1 + (int64_t)i;
        x.view.stride[axis] = kind == 3 ? -step : step;
        if (kind == 4 && axis == 0 && rank > 1) x.view.stride[axis] = 0;
        if (n > 1 && x.view.stride[axis] > 0) high += (n - 1) * x.view.stride[axis];
        if (n > 1 && x.view.stride[axis] < 0) low += (n - 1) * x.view.stride[axis];
        step *= n ? n : 1;
    }
    if (kind == 0) memset(x.view.stride, 0, sizeof x.view.stride);
    x.size = (size_t)(high - low + 1) * padic_dtype_size(dtype);
    x.block = (unsigned char *)malloc(x.size);
    memset(x.block, 0x5a, x.size);
    x.view.data = x.block + -low * (int64_t)padic_dtype_size(dtype);
    return x;
}

// The strides, dense ones filled in.
static void strides(const array *x, int64_t *s)
{
    int64_t step = 1;
    int given = 0;
    for (uint32_t i = 0; i < x->view.rank; i++) given |= x->view.stride[i] != 0;
    for (uint32_t i = x->view.rank; i-- > 0;) {
        s[i] = given ? x->view.stride[i] : step;
        step *= (int64_t)x->view.shape[i];
    }
}

// Every element once; with `fill` numbers are set, N(0,1).
static void fill(const array *x)
{
    int64_t s[8], at;
    uint64_t n = padic_tensor_count(&x->view);
    strides(x, s);
    for (uint64_t e = 0; e < n; e++) {
        uint64_t rest = e;
        at = 0;
        for (uint32_t i = x->view.rank; i-- > 0;) {
            at += (int64_t)(rest % x->view.shape[i]) * s[i];
            rest /= x->view.shape[i];
        }
        set(x, at, normal(), normal());
    }
}

static double norm2(const array *x)
{
    int64_t s[8];
    double sum = 0, re, im;
    strides(x, s);
    for (uint64_t e = 0; e < padic_tensor_count(&x->view); e++) {
        uint64_t rest = e;
        int64_t at = 0;
        for (uint32_t i = x->view.rank; i-- > 0;) {
            at += (int64_t)(rest % x->view.shape[i]) * s[i];
            rest /= x->view.shape[i];
        }
        get(x, at, &re, &im);
        sum += re * re + im * im;
    }
    return sum;
}

static void drop(array *x) { free(x->block); }

// What the desc says, one sum at a time in long double. The bound of EXACT: 4 (k + 2) u |A| |B|,
// and u times what alpha and beta make of it.
typedef struct oracle {
    const array *a, *b, *c, *before; // before: c as it was
    const uint8_t *la, *lb, *lc;
    int conj;
    const double *alpha, *beta;
    double worst;   // error over bound
    double e2, r2, a2, b2; // squared Frobenius norms: error, result, a, b
} oracle;

static int64_t place(const array *x, const uint8_t *labels, const uint64_t *value)
{
    int64_t s[8], at = 0;
    strides(x, s);
    for (uint32_t i = 0; i < x->view.rank; i++) at += (int64_t)value[labels[i]] * s[i];
    return at;
}

static void judge(oracle *o)
{
    const double u = is_double(o->c->view.dtype) ? ldexp(1, -53) : ldexp(1, -24);
    static uint64_t size[256], value[256]; // by label
    uint64_t n = 1, m = 1;
    uint8_t sum[16], all[256];
    int sums = 0;
    const array *x[3] = {o->a, o->b, o->c};
    const uint8_t *labels[3] = {o->la, o->lb, o->lc};
    memset(size, 0, sizeof size);
    memset(value, 0, sizeof value);
    memset(all, 0, sizeof all);
    for (int i = 2; i >= 0; i--)
        for (uint32_t j = 0; j < x[i]->view.rank; j++) {
            const uint8_t l = labels[i][j];
            size[l] = x[i]->view.shape[j];
            if (!all[l] && i < 2) sum[sums++] = l;
            all[l] = 1;
        }
    for (uint32_t j = 0; j < o->c->view.rank; j++) n *= o->c->view.shape[j];
    for (int j = 0; j < sums; j++) m *= size[sum[j]];
    o->worst = o->e2 = o->r2 = 0;
    o->a2 = norm2(o->a);
    o->b2 = norm2(o->b);
    for (uint64_t e = 0; e < n; e++) {
        uint64_t rest = e;
        long double re = 0, im = 0, big = 0;
        double ar, ai, br, bi, cr, ci, dr, di;
        for (uint32_t j = o->c->view.rank; j-- > 0;) {
            value[o->lc[j]] = rest % o->c->view.shape[j];
            rest /= o->c->view.shape[j];
        }
        for (uint64_t k = 0; k < m; k++) {
            uint64_t left = k;
            for (int j = 0; j < sums; j++) {
                value[sum[j]] = left % size[sum[j]];
                left /= size[sum[j]];
            }
            get(o->a, place(o->a, o->la, value), &ar, &ai);
            get(o->b, place(o->b, o->lb, value), &br, &bi);
            if (o->conj & 1) ai = -ai;
            if (o->conj & 2) bi = -bi;
            re += (long double)ar * br - (long double)ai * bi;
            im += (long double)ar * bi + (long double)ai * br;
            big += ((long double)fabs(ar) + fabs(ai)) * (fabs(br) + fabs(bi));
        }
        const double *al = o->alpha, *be = o->beta;
        const double one = al[0] == 0 && al[1] == 0 ? 1.0 : al[0];
        get(o->before, place(o->c, o->lc, value), &cr, &ci);
        if (be[0] == 0 && be[1] == 0) cr = ci = 0;
        const long double wr = one * re - al[1] * im + be[0] * cr - be[1] * ci;
        const long double wi = one * im + al[1] * re + be[0] * ci + be[1] * cr;
        const long double bound = 4 * (long double)(m + 2) * u * hypot(one, al[1]) * big +
                                  4 * u * (hypot(be[0], be[1]) * hypot(cr, ci));
        get(o->c, place(o->c, o->lc, value), &dr, &di);
        const double error = hypot(dr - (double)wr, di - (double)wi);
        if (!(error <= (double)bound)) o->worst = error > 0 ? 1e9 : NAN;
        if (bound > 0 && error / (double)bound > o->worst) o->worst = error / (double)bound;
        o->e2 += error * error;
        o->r2 += (double)(wr * wr + wi * wi);
    }
}

// The bytes of a block that belong to no element have not changed.
static int gaps_untouched(const array *x)
{
    const size_t size = padic_dtype_size(x->view.dtype);
    unsigned char *seen = (unsigned char *)calloc(x->size, 1);
    int64_t s[8];
    int good = 1;
    strides(x, s);
    for (uint64_t e = 0; e < padic_tensor_count(&x->view); e++) {
        uint64_t rest = e;
        int64_t at = 0;
        for (uint32_t i = x->view.rank; i-- > 0;) {
            at += (int64_t)(rest % x->view.shape[i]) * s[i];
            rest /= x->view.shape[i];
        }
        memset(seen + at * (int64_t)size, 1, size);
    }
    for (size_t i = 0; i < x->size; i++) good &= seen[i] || x->block[i] == 0x5a;
    free(seen);
    return good;
}

static array copy_of(const array *x)
{
    array y = *x;
    y.block = (unsigned char *)malloc(x->size);
    memcpy(y.block, x->block, x->size);
    y.view.data = y.block + ((unsigned char *)x->view.data - x->block);
    return y;
}

// The bound of the math: elementwise for EXACT, in the Frobenius norm for the others. The reference
// and whatever falls back to EXACT meet the first one.
static int within(const oracle *o, uint32_t math, uint64_t k)
{
    const double error = sqrt(o->e2), norm = sqrt(o->a2 * o->b2);
    if (o->worst <= 1) return 1;
    if (math == PADIC_TENSOR_MATH_GAUSS) return error <= 8 * ((double)k + 2) * ldexp(1, -24) * norm;
    if (math == PADIC_TENSOR_MATH_SPLIT) return error <= 1e-6 * sqrt(o->r2);
    return math == PADIC_TENSOR_MATH_TF32 && error <= 2e-3 * sqrt(o->r2);
}

// One product, judged. Kinds of views as in make(); batch 0: rank 2.
static void gemm_case(padic_dtype dtype, int op_a, int op_b, uint64_t batch, uint64_t m, uint64_t n,
                      uint64_t k, const int *kind, uint32_t math, int scaled)
{
    const uint64_t sa[3] = {batch, op_a == 1 || op_a == 2 ? k : m, op_a == 1 || op_a == 2 ? m : k};
    const uint64_t sb[3] = {batch, op_b == 1 || op_b == 2 ? n : k, op_b == 1 || op_b == 2 ? k : n};
    const uint64_t sc[3] = {batch, m, n};
    static const char *const names[4] = {"bmk", "bkm", "bkm", "bmk"};
    static const char *const others[4] = {"bkn", "bnk", "bnk", "bkn"};
    const int skip = batch ? 0 : 1;
    padic_tensor_gemm_desc desc = PADIC_ZERO;
    array a = make(dtype, 3 - (uint32_t)skip, sa + skip, kind[0]);
    array b = make(dtype, 3 - (uint32_t)skip, sb + skip, kind[1]);
    array c = make(dtype, 3 - (uint32_t)skip, sc + skip, kind[2]), before;
    oracle o;
    fill(&a);
    fill(&b);
    if (scaled) fill(&c);
    before = copy_of(&c);
    desc.a = a.view, desc.b = b.view, desc.c = c.view;
    desc.op_a = (uint32_t)op_a, desc.op_b = (uint32_t)op_b, desc.math = math;
    if (scaled) {
        desc.alpha[0] = -1.25, desc.beta[0] = 0.75;
        if (is_complex(dtype)) desc.alpha[1] = 0.5, desc.beta[1] = -2;
    }
    CHECK_EQ(padic_tensor_gemm(device, &desc), PADIC_OK);
    memset(&o, 0, sizeof o);
    o.a = &a, o.b = &b, o.c = &c, o.before = &before;
    o.la = (const uint8_t *)names[op_a] + skip, o.lb = (const uint8_t *)others[op_b] + skip;
    o.lc = (const uint8_t *)"bmn" + skip;
    o.conj = (op_a >= 2) | (op_b >= 2) << 1;
    o.alpha = desc.alpha, o.beta = desc.beta;
    judge(&o);
    CHECK(within(&o, math, k));
    CHECK(gaps_untouched(&c));
    drop(&a), drop(&b), drop(&c), drop(&before);
}

TEST(gemm_ops_and_sizes)
{
    static const uint64_t sizes[] = {0, 1, 3, 17, 64, 65};
    static const padic_dtype dtypes[] = {PADIC_C64, PADIC_F32, PADIC_C128, PADIC_F64};
    const int count = test_tiny ? 4 : 6;
    int round = 0;
    for (int i = 0; i < count; i++)
        for (int j = 0; j < count; j++)
            for (int l = 0; l < count; l++, round++) {
                const int large = i > 3 && j > 3 && l > 3;
                for (int op = 0; op < 16; op++) {
                    const int kind[3] = {(round + op) % 4, (round + op / 4) % 4, (round + op) % 3};
                    if (large && op % 5 != round % 5) continue;
                    gemm_case(dtypes[(round + op) % 4], op & 3, op >> 2, 0, sizes[i], sizes[j],
                              sizes[l], kind, (uint32_t)op % 4, op & 1);
                }
            }
}

TEST(gemm_batches)
{
    for (int dtype = 0; dtype < 2; dtype++)
        for (int a = 0; a < 5; a++)
            for (int b = 0; b < 5; b++)
                for (int c = 0; c < 3; c++) {
                    const int kind[3] = {a, b, c};
                    gemm_case(dtype ? PADIC_C128 : PADIC_C64, a % 4, b % 4, 5, 9, 4, 7, kind, 0,
                              c == 1);
                }
    const int plain[3] = {0, 0, 0};
    gemm_case(PADIC_F32, 0, 0, 1, 8, 8, 8, plain, 0, 0);
    gemm_case(PADIC_C64, 0, 0, 300, 2, 2, 2, plain, 0, 0);
}

// Rank 2 next to a batch is the same matrix for all of them.
TEST(gemm_shared_matrix)
{
    const uint64_t three[3] = {4, 6, 5}, two[2] = {5, 3}, out[3] = {4, 6, 3};
    array a = make(PADIC_C64, 3, three, 1), b = make(PADIC_C64, 2, two, 2);
    array c = make(PADIC_C64, 3, out, 0), before;
    padic_tensor_gemm_desc desc = PADIC_ZERO;
    oracle o;
    fill(&a), fill(&b);
    before = copy_of(&c);
    desc.a = a.view, desc.b = b.view, desc.c = c.view;
    CHECK_EQ(padic_tensor_gemm(NULL, &desc), PADIC_OK);
    memset(&o, 0, sizeof o);
    o.a = &a, o.b = &b, o.c = &c, o.before = &before;
    o.la = (const uint8_t *)"bmk", o.lb = (const uint8_t *)"kn", o.lc = (const uint8_t *)"bmn";
    o.alpha = desc.alpha, o.beta = desc.beta;
    judge(&o);
    CHECK(o.worst <= 1);
    drop(&a), drop(&b), drop(&c), drop(&before);
}

// What no rounding can blur: small integers give exact sums.
TEST(gemm_integers)
{
    static float a[2 * 33 * 21], b[2 * 21 * 18], c[2 * 33 * 18];
    padic_tensor_gemm_desc desc = PADIC_ZERO;
    for (int i = 0; i < LENGTH(a); i++) a[i] = (float)((int)(test_random() % 17) - 8);
    for (int i = 0; i < LENGTH(b); i++) b[i] = (float)((int)(test_random() % 17) - 8);
    desc.a = padic_tensor_2d(PADIC_C64, a, 33, 21);
    desc.b = padic_tensor_2d(PADIC_C64, b, 21, 18);
    desc.c = padic_tensor_2d(PADIC_C64, c, 33, 18);
    CHECK_EQ(padic_tensor_gemm(NULL, &desc), PADIC_OK);
    for (int i = 0; i < 33; i++)
        for (int j = 0; j < 18; j++) {
            int re = 0, im = 0;
            for (int k = 0; k < 21; k++) {
                const float *x = a + 2 * (i * 21 + k), *y = b + 2 * (k * 18 + j);
                re += (int)x[0] * (int)y[0] - (int)x[1] * (int)y[1];
                im += (int)x[0] * (int)y[1] + (int)x[1] * (int)y[0];
            }
            CHECK(c[2 * (i * 18 + j)] == (float)re && c[2 * (i * 18 + j) + 1] == (float)im);
        }
}

// The labels of an expression.
static padic_result set_labels(const char *expression, padic_tensor_contract_desc *out,
                               uint32_t *position)
{
    padic_tensor_labels_report report = {77};
    padic_tensor_labels_desc desc = PADIC_ZERO;
    desc.expression = expression, desc.out = out, desc.report = &report;
    const padic_result result = padic_tensor_labels(NULL, &desc);
    if (position) *position = report.position;
    return result;
}

// A label to each axis of a random tensor: sizes by label, labels drawn from a few.
static void random_labels(uint8_t *labels, uint32_t rank)
{
    memset(labels, 0, 8);
    for (uint32_t i = 0; i < rank; i++) labels[i] = (uint8_t)(1 + test_random() % 9);
}

static uint32_t random_output(const uint8_t *a, const uint8_t *b, uint8_t *c)
{
    uint32_t n = 0;
    memset(c, 0, 8);
    for (uint8_t l = 1; l <= 9; l++) {
        int has = 0;
        for (int i = 0; i < 8; i++) has |= a[i] == l || b[i] == l;
        if (has && n < 8 && test_random() % 2) c[n++] = l;
    }
    for (uint32_t i = n; i > 1; i--) { // any order
        const uint32_t j = (uint32_t)(test_random() % i);
        const uint8_t t = c[i - 1];
        c[i - 1] = c[j];
        c[j] = t;
    }
    return n;
}

static void contract_cases(int rounds)
{
    static const padic_dtype dtypes[3][3] = {{PADIC_C128, PADIC_C128, PADIC_C128},
                                             {PADIC_F64, PADIC_C128, PADIC_C128},
                                             {PADIC_C64, PADIC_F32, PADIC_C64}};
    int empty = 0, repeated = 0, batch = 0;
    for (int round = 0; round < rounds; round++) {
        padic_tensor_contract_desc desc = PADIC_ZERO;
        const uint32_t ra = (uint32_t)(test_random() % 6), rb = (uint32_t)(test_random() % 6);
        uint64_t size[10], shape[3][8];
        uint32_t rc;
        array x[3], before;
        oracle o;
        for (int i = 0; i < 10; i++) size[i] = 1 + test_random() % 4;
        if (round % 16 == 0) size[1 + test_random() % 9] = 0;
        random_labels(desc.labels_a, ra);
        random_labels(desc.labels_b, rb);
        rc = random_output(desc.labels_a, desc.labels_b, desc.labels_c);
        for (int i = 0; i < 8; i++) {
            shape[0][i] = size[desc.labels_a[i]];
            shape[1][i] = size[desc.labels_b[i]];
            shape[2][i] = size[desc.labels_c[i]];
            for (int j = 0; j < i; j++)
                repeated += desc.labels_a[i] && desc.labels_a[i] == desc.labels_a[j];
        }
        x[0] = make(dtypes[round % 3][0], ra, shape[0], (int)(test_random() % 5));
        x[1] = make(dtypes[round % 3][1], rb, shape[1], (int)(test_random() % 5));
        x[2] = make(dtypes[round % 3][2], rc, shape[2], (int)(test_random() % 3));
        for (int i = 0; i < 3; i++) fill(&x[i]);
        before = copy_of(&x[2]);
        desc.a = x[0].view, desc.b = x[1].view, desc.c = x[2].view;
        desc.conj = (uint32_t)(test_random() % 4);
        desc.math = (uint32_t)(test_random() % 4);
        if (round % 2) desc.alpha[1] = 2, desc.beta[0] = -1, desc.beta[1] = 0.5;
        CHECK_EQ(padic_tensor_contract(device, &desc), PADIC_OK);
        memset(&o, 0, sizeof o);
        o.a = &x[0], o.b = &x[1], o.c = &x[2], o.before = &before;
        o.la = desc.labels_a, o.lb = desc.labels_b, o.lc = desc.labels_c;
        o.conj = (int)desc.conj, o.alpha = desc.alpha, o.beta = desc.beta;
        judge(&o);
        CHECK(within(&o, desc.math, 4 * 4 * 4 * 4));
        if (round % 3 < 2 && o.r2 > 0) CHECK(sqrt(o.e2 / o.r2) <= 1e-12);
        CHECK(gaps_untouched(&x[2]));
        empty += padic_tensor_count(&x[2].view) == 0;
        for (int i = 0; i < 8; i++)
            for (int j = 0; j < 8; j++)
                for (int l = 0; l < 8; l++)
                    batch += desc.labels_c[l] && desc.labels_a[i] == desc.labels_c[l] &&
                             desc.labels_b[j] == desc.labels_c[l];
        for (int i = 0; i < 3; i++) drop(&x[i]);
        drop(&before);
    }
    CHECK(rounds < 1000 || (empty > 5 && repeated > 50 && batch > 50)); // the draw covers them
}

TEST(contract_random) { contract_cases(test_tiny ? 60 : 1500); }

// The layer of T7: out_p = (v_p^T U_p) W_p, two contractions; v_p is the pair's two tensors one
// after the other. The digits are of the spec page.
TEST(pair_pool)
{
    static const float t1[2] = {1, 1}, u1[4] = {1, 2, 3, 4}, w1[2] = {1, 10};
    float v1[2] = {0, 0}, out1[1] = {0};
    static double t[2][8][2], u[2][8][8][2], w[2][8][2][2], v[2][8][2], out[2][2][2];
    padic_tensor_contract_desc desc = PADIC_ZERO;
    CHECK_EQ(set_labels("pi,pij->pj", &desc, NULL), PADIC_OK);
    desc.a = padic_tensor_2d(PADIC_F32, (void *)(uintptr_t)t1, 1, 2);
    desc.b = padic_tensor_3d(PADIC_F32, (void *)(uintptr_t)u1, 1, 2, 2);
    desc.c = padic_tensor_2d(PADIC_F32, v1, 1, 2);
    CHECK_EQ(padic_tensor_contract(NULL, &desc), PADIC_OK);
    desc.a = desc.c;
    desc.b = padic_tensor_3d(PADIC_F32, (void *)(uintptr_t)w1, 1, 2, 1);
    desc.c = padic_tensor_2d(PADIC_F32, out1, 1, 1);
    CHECK_EQ(padic_tensor_contract(NULL, &desc), PADIC_OK);
    CHECK(out1[0] == 64);
    for (int n = 0; n < 4; n++)
        for (int j = 0; j < 4; j++) {
            t[n / 2][n % 2 * 4 + j][0] = (4 * n + j) % 7 - 3;
            t[n / 2][n % 2 * 4 + j][1] = (4 * n + j) % 3 - 1;
        }
    for (int p = 0; p < 2; p++)
        for (int i = 0; i < 8; i++) {
            for (int j = 0; j < 8; j++) {
                u[p][i][j][0] = (64 * p + 8 * i + j) % 5 - 2;
                u[p][i][j][1] = (i + j) % 3 - 1;
            }
            for (int j = 0; j < 2; j++) {
                w[p][i][j][0] = (16 * p + 2 * i + j) % 4 - 1;
                w[p][i][j][1] = i * j % 2;
            }
        }
    desc.a = padic_tensor_2d(PADIC_C128, t, 2, 8);
    desc.b = padic_tensor_3d(PADIC_C128, u, 2, 8, 8);
    desc.c = padic_tensor_2d(PADIC_C128, v, 2, 8);
    CHECK_EQ(padic_tensor_contract(NULL, &desc), PADIC_OK);
    desc.a = desc.c;
    desc.b = padic_tensor_3d(PADIC_C128, w, 2, 8, 2);
    desc.c = padic_tensor_2d(PADIC_C128, out, 2, 2);
    CHECK_EQ(padic_tensor_contract(NULL, &desc), PADIC_OK);
    CHECK(out[0][0][0] == -10 && out[0][0][1] == 0 && out[0][1][0] == -4 && out[0][1][1] == -7);
    CHECK(out[1][0][0] == 12 && out[1][0][1] == -16 && out[1][1][0] == 17 && out[1][1][1] == -4);
}

// The Ising partition function of a 2 x 2 torus by pairwise steps: each bond twice, Z = 80 at the
// critical point; sums over a label of one tensor alone, and over two.
TEST(ising_torus)
{
    const double beta = log(1 + sqrt(2.0)) / 2;
    double bond[2][2], twice[2][2], row[2][2][2][2], z = 0;
    padic_tensor_contract_desc desc = PADIC_ZERO;
    for (int i = 0; i < 4; i++) bond[i / 2][i % 2] = exp(i % 3 ? -beta : beta);
    CHECK_EQ(set_labels("ab,ab->ab", &desc, NULL), PADIC_OK); // elementwise square
    desc.a = desc.b = padic_tensor_2d(PADIC_F64, bond, 2, 2);
    desc.c = padic_tensor_2d(PADIC_F64, twice, 2, 2);
    CHECK_EQ(padic_tensor_contract(NULL, &desc), PADIC_OK);
    CHECK_EQ(set_labels("ab,cd->abcd", &desc, NULL), PADIC_OK);
    const uint64_t two[4] = {2, 2, 2, 2};
    desc.a = desc.b = padic_tensor_2d(PADIC_F64, twice, 2, 2);
    desc.c = padic_tensor_nd(PADIC_F64, row, 4, two); // spins ab of row one, cd of row two
    CHECK_EQ(padic_tensor_contract(NULL, &desc), PADIC_OK);
    double half[2][2][2][2];
    CHECK_EQ(set_labels("abcd,ac->abcd", &desc, NULL), PADIC_OK);
    desc.a = padic_tensor_nd(PADIC_F64, row, 4, two);
    desc.b = padic_tensor_2d(PADIC_F64, twice, 2, 2);
    desc.c = padic_tensor_nd(PADIC_F64, half, 4, two);
    CHECK_EQ(padic_tensor_contract(NULL, &desc), PADIC_OK);
    CHECK_EQ(set_labels("abcd,bd->", &desc, NULL), PADIC_OK);
    desc.a = padic_tensor_nd(PADIC_F64, half, 4, two);
    desc.c = padic_tensor_nd(PADIC_F64, &z, 0, NULL);
    CHECK_EQ(padic_tensor_contract(NULL, &desc), PADIC_OK);
    CHECK_NEAR(z, 80, 80e-12);
}

// The same bits for any number of workers.
TEST(workers)
{
    static float a[2 * 70 * 90], b[2 * 90 * 50], c[3][2 * 70 * 50];
    for (int i = 0; i < LENGTH(a); i++) a[i] = (float)normal();
    for (int i = 0; i < LENGTH(b); i++) b[i] = (float)normal();
    for (int i = 0; i < 3; i++) {
        static const uint32_t workers[3] = {1, 2, 7};
        padic_threads *pool = padic_threads_create(workers[i], NULL);
        padic_context_desc desc = PADIC_ZERO;
        padic_context *context = NULL;
        padic_tensor_gemm_desc gemm = PADIC_ZERO;
        REQUIRE(pool != NULL);
        desc.jobs = padic_threads_jobs(pool);
        REQUIRE(!padic_context_create(&desc, &context));
        gemm.a = padic_tensor_2d(PADIC_C64, a, 70, 90);
        gemm.b = padic_tensor_2d(PADIC_C64, b, 90, 50);
        gemm.c = padic_tensor_2d(PADIC_C64, c[i], 70, 50);
        CHECK_EQ(padic_tensor_gemm(context, &gemm), PADIC_OK);
        CHECK(!memcmp(c[0], c[i], sizeof c[0]));
        padic_context_destroy(context);
        padic_threads_destroy(pool);
    }
}

TEST(labels)
{
    static const struct {
        const char *text;
        padic_result result;
        uint32_t position;
        const char *c;
    } cases[] = {
        {"ab,bc->ac", PADIC_OK, 9, "ac"},
        {" a b , b c -> c a ", PADIC_OK, 18, "ca"},
        {"ab,bc", PADIC_OK, 5, "ac"},
        {"zb,bA", PADIC_OK, 5, "Az"},
        {",->", PADIC_OK, 3, ""},
        {"ab,ab->", PADIC_OK, 7, ""},
        {"ab", PADIC_ERROR_ARGUMENT, 2, NULL},
        {"", PADIC_ERROR_ARGUMENT, 0, NULL},
        {"ab,bc-ac", PADIC_ERROR_ARGUMENT, 5, NULL},
        {"ab,bc->a,c", PADIC_ERROR_ARGUMENT, 8, NULL},
        {"ab,bc,cd->ad", PADIC_ERROR_ARGUMENT, 5, NULL},
        {"a1,bc->ac", PADIC_ERROR_ARGUMENT, 1, NULL},
        {"...a,b->ab", PADIC_ERROR_ARGUMENT, 0, NULL},
        {"abcdefghi,b->a", PADIC_ERROR_LIMIT, 8, NULL},
        {"ab,bc->az", PADIC_ERROR_ARGUMENT, 9, NULL},
        {"ab,bc->z", PADIC_ERROR_ARGUMENT, 8, NULL},
    };
    for (int i = 0; i < LENGTH(cases); i++) {
        padic_tensor_contract_desc desc = PADIC_ZERO;
        uint32_t position = 77;
        desc.labels_c[0] = 200;
        CHECK_EQ(set_labels(cases[i].text, &desc, &position), cases[i].result);
        CHECK_EQ(position, cases[i].position);
        if (cases[i].c) {
            char want[8] = {0};
            memcpy(want, cases[i].c, strlen(cases[i].c));
            CHECK(!memcmp(desc.labels_c, want, 8));
        } else {
            CHECK(desc.labels_c[0] == 200 && !desc.labels_a[0]);
        }
    }
    CHECK_EQ(padic_tensor_labels(NULL, NULL), PADIC_ERROR_ARGUMENT);
}

// A good gemm that each row spoils. The answer, the word in the message, and nothing written.
static void refuse_gemm(padic_context *context, int which, padic_result result, const char *word)
{
    static float a[64], b[64], c[64], kept[64];
    padic_tensor_gemm_desc d = PADIC_ZERO;
    const double infinite = HUGE_VAL;
    d.a = padic_tensor_2d(PADIC_C64, a, 3, 4);
    d.b = padic_tensor_2d(PADIC_C64, b, 4, 2);
    d.c = padic_tensor_2d(PADIC_C64, c, 3, 2);
    switch (which) {
    case 0: d.a.shape[1] = 3; break;
    case 1: d.b.shape[1] = 3; break;
    case 2: d.op_a = PADIC_TENSOR_OP_T; break;
    case 3: d.op_b = 4; break;
    case 4: d.math = 4; break;
    case 5: d.alpha[0] = infinite; break;
    case 6: d.beta[1] = infinite - infinite; break;
    case 7: d.a.dtype = PADIC_I32; break;
    case 8: d.b.dtype = PADIC_C128; break;
    case 9: d.a.dtype = d.b.dtype = d.c.dtype = PADIC_F32, d.alpha[1] = 1; break;
    case 10: d.c.dtype = PADIC_F32; break;
    case 11: d.a.rank = 1; break;
    case 12: d.a = padic_tensor_3d(PADIC_C64, a, 2, 3, 4); break;
    case 13:
        d.c = padic_tensor_3d(PADIC_C64, c, 2, 3, 2);
        d.a = padic_tensor_3d(PADIC_C64, a, 1, 3, 4);
        break;
    case 14: d.c.data = a; break;
    case 15: d.c.stride[0] = -2, d.c.stride[1] = 1; break;
    case 16: d.c.stride[0] = 1, d.c.stride[1] = 1; break;
    case 17: d.a.data = NULL; break;
    case 18: d.b.rank = 9; break;
    default: d.a.shape[0] = d.c.shape[0] = UINT64_C(1) << 62; break;
    }
    memset(c, 0x33, sizeof c);
    memcpy(kept, c, sizeof c);
    CHECK_EQ(padic_tensor_gemm(context, &d), result);
    if (word) CHECK(strstr(padic_context_message(context), word) != NULL);
    CHECK(!memcmp(c, kept, sizeof c));
    CHECK_EQ(padic_tensor_gemm(NULL, &d), result);
}

static void refuse_contract(padic_context *context, int which, padic_result result,
                            const char *word)
{
    static float a[64], b[64], c[64], kept[64];
    padic_tensor_contract_desc d = PADIC_ZERO;
    CHECK_EQ(set_labels("abc,cbd->ad", &d, NULL), PADIC_OK);
    d.a = padic_tensor_3d(PADIC_C64, a, 2, 3, 4);
    d.b = padic_tensor_3d(PADIC_C64, b, 4, 3, 2);
    d.c = padic_tensor_2d(PADIC_C64, c, 2, 2);
    switch (which) {
    case 0: d.a.shape[2] = 3; break;
    case 1: d.labels_c[1] = 'x'; break;
    case 2: d.labels_c[1] = 'a'; break;
    case 3: d.labels_c[2] = 'c'; break;
    case 4: d.labels_a[2] = 0; break;
    case 5: d.labels_b[3] = 'q'; break;
    case 6: d.conj = 4; break;
    case 7: d.c.dtype = PADIC_F32; break;
    case 8: d.math = 9; break;
    case 9: d.a.dtype = PADIC_BF16; break;
    default: d.c.data = b + 2; break;
    }
    memset(c, 0x33, sizeof c);
    memcpy(kept, c, sizeof c);
    CHECK_EQ(padic_tensor_contract(context, &d), result);
    if (word) CHECK(strstr(padic_context_message(context), word) != NULL);
    CHECK(!memcmp(c, kept, sizeof c));
}

TEST(refused)
{
    padic_context *context = NULL;
    REQUIRE(!padic_context_create(NULL, &context));
    refuse_gemm(context, 0, PADIC_ERROR_MISMATCH, "op(a)");
    refuse_gemm(context, 1, PADIC_ERROR_MISMATCH, "op(a)");
    refuse_gemm(context, 2, PADIC_ERROR_MISMATCH, "op(a)");
    refuse_gemm(context, 3, PADIC_ERROR_ARGUMENT, "op");
    refuse_gemm(context, 4, PADIC_ERROR_ARGUMENT, "math");
    refuse_gemm(context, 5, PADIC_ERROR_DOMAIN, "alpha");
    refuse_gemm(context, 6, PADIC_ERROR_DOMAIN, "beta");
    refuse_gemm(context, 7, PADIC_ERROR_DTYPE, "F32");
    refuse_gemm(context, 8, PADIC_ERROR_MISMATCH, "precision");
    refuse_gemm(context, 9, PADIC_ERROR_ARGUMENT, "imaginary");
    refuse_gemm(context, 10, PADIC_ERROR_MISMATCH, "complex");
    refuse_gemm(context, 11, PADIC_ERROR_ARGUMENT, "rank");
    refuse_gemm(context, 12, PADIC_ERROR_ARGUMENT, "rank");
    refuse_gemm(context, 13, PADIC_ERROR_MISMATCH, "batch");
    refuse_gemm(context, 14, PADIC_ERROR_OVERLAP, NULL);
    refuse_gemm(context, 15, PADIC_ERROR_ARGUMENT, NULL);
    refuse_gemm(context, 16, PADIC_ERROR_ARGUMENT, NULL);
    refuse_gemm(context, 17, PADIC_ERROR_ARGUMENT, NULL);
    refuse_gemm(context, 18, PADIC_ERROR_LIMIT, NULL);
    refuse_gemm(context, 19, PADIC_ERROR_LIMIT, NULL);
    CHECK_EQ(padic_tensor_gemm(context, NULL), PADIC_ERROR_ARGUMENT);
    refuse_contract(context, 0, PADIC_ERROR_MISMATCH, "label");
    refuse_contract(context, 1, PADIC_ERROR_ARGUMENT, "labels_c");
    refuse_contract(context, 2, PADIC_ERROR_ARGUMENT, "twice");
    refuse_contract(context, 3, PADIC_ERROR_ARGUMENT, "labels_c");
    refuse_contract(context, 4, PADIC_ERROR_ARGUMENT, "labels_a");
    refuse_contract(context, 5, PADIC_ERROR_ARGUMENT, "labels_b");
    refuse_contract(context, 6, PADIC_ERROR_ARGUMENT, "conj");
    refuse_contract(context, 7, PADIC_ERROR_MISMATCH, "complex");
    refuse_contract(context, 8, PADIC_ERROR_ARGUMENT, "math");
    refuse_contract(context, 9, PADIC_ERROR_DTYPE, "F32");
    refuse_contract(context, 10, PADIC_ERROR_OVERLAP, NULL);
    padic_context_destroy(context);
}

// beta 0 never reads c: what was there may be NaN. k = 0 gives beta c.
TEST(beta)
{
    float a[4] = {1, 2, 3, 4}, b[4] = {5, 6, 7, 8}, c[4];
    padic_tensor_gemm_desc d = PADIC_ZERO;
    memset(c, 0xff, sizeof c);
    d.a = padic_tensor_2d(PADIC_F32, a, 2, 2);
    d.b = padic_tensor_2d(PADIC_F32, b, 2, 2);
    d.c = padic_tensor_2d(PADIC_F32, c, 2, 2);
    CHECK_EQ(padic_tensor_gemm(NULL, &d), PADIC_OK);
    CHECK(c[0] == 19 && c[1] == 22 && c[2] == 43 && c[3] == 50);
    d.a = padic_tensor_2d(PADIC_F32, NULL, 2, 0);
    d.b = padic_tensor_2d(PADIC_F32, NULL, 0, 2);
    d.beta[0] = 3;
    CHECK_EQ(padic_tensor_gemm(NULL, &d), PADIC_OK);
    CHECK(c[0] == 57 && c[1] == 66 && c[2] == 129 && c[3] == 150);
    d.beta[0] = 0;
    CHECK_EQ(padic_tensor_gemm(NULL, &d), PADIC_OK);
    CHECK(c[0] == 0 && c[1] == 0 && c[2] == 0 && c[3] == 0);
}

// Everything once more on a device that runs kernels; all of it must have been done there.
static void device_cases(const padic_backend *backend, void *native_context, uint32_t flags)
{
    static const uint64_t sizes[] = {1, 3, 17, 64, 65};
    static const padic_dtype dtypes[] = {PADIC_C64, PADIC_F32, PADIC_C128, PADIC_F64};
    static const int plain[3] = {0, 0, 0}, shared[3] = {4, 0, 0}, turned[3] = {3, 4, 2};
    padic_context_desc desc = PADIC_ZERO;
    padic_stats stats;
    int round = 0;
    desc.backends[0] = backend;
    desc.device.native_context = native_context;
    desc.device.flags = flags;
    const padic_result opened = padic_context_create(&desc, &device);
    if (opened == PADIC_ERROR_NO_DEVICE) {
        SKIP("no such device");
    }
    REQUIRE(!opened);
    for (int i = 0; i < 5; i++)
        for (int j = 0; j < 5; j++, round++) {
            const int kind[3] = {round % 4, round / 4 % 4, round % 3};
            gemm_case(dtypes[round % 4], round % 4, round / 4 % 4, (uint64_t)(round % 3), sizes[i],
                      sizes[j], sizes[round % 5], kind, (uint32_t)round % 4, round & 1);
            gemm_case(PADIC_C64, round / 4 % 4, round % 4, 0, sizes[j], sizes[i], 33, kind, 2, 1);
        }
    gemm_case(PADIC_C64, 0, 0, 0, 3, 4, 0, plain, 0, 1);    // nothing to add
    gemm_case(PADIC_C64, 0, 0, 0, 0, 4, 5, plain, 0, 1);    // nowhere to write
    gemm_case(PADIC_C64, 0, 1, 0, 5, 3, 3001, plain, 0, 1); // a long sum, in parts
    gemm_case(PADIC_F32, 1, 0, 2, 9, 2, 1500, shared, 0, 0);
    gemm_case(PADIC_C64, 2, 3, 37, 7, 6, 5, turned, 0, 1); // many small ones
    gemm_case(PADIC_C64, 0, 0, 11, 16, 16, 16, plain, 1, 0);
    gemm_case(PADIC_C64, 0, 0, 3, 32, 32, 32, plain, 2, 0);
    if (!test_tiny) {
        gemm_case(PADIC_C64, 0, 0, 2, 130, 70, 40, plain, 2, 1);
        gemm_case(PADIC_C64, 3, 2, 0, 256, 128, 65, plain, 2, 0);
        gemm_case(PADIC_C64, 1, 0, 0, 129, 63, 48, plain, 3, 1);
        gemm_case(PADIC_C64, 1, 1, 2, 64, 128, 31, shared, 2, 0);
    }
    contract_cases(test_tiny ? 20 : 300);
    padic_context_stats(device, &stats);
    CHECK(op_stats(device, PADIC_OP_TENSOR_GEMM).calls > 50 && stats.launches > 50);
    CHECK_EQ(op_stats(device, PADIC_OP_TENSOR_GEMM).fallbacks, 0);
    CHECK_EQ(op_stats(device, PADIC_OP_TENSOR_CONTRACT).fallbacks, 0);
    CHECK_EQ(stats.self_tests_failed, 0);
    padic_context_destroy(device);
    device = NULL;
}

TEST(native)
{
    padic_native_desc desc = PADIC_ZERO;
    device_cases(padic_native(), &desc, 0);
}

TEST(native_down)
{
    padic_native_desc desc = PADIC_ZERO;
    desc.down = 1;
    device_cases(padic_native(), &desc, 0);
}

TEST(cuda) { device_cases(padic_cuda(), NULL, 0); }

TEST_MAIN("test_tensor", CASE(gemm_ops_and_sizes), CASE(gemm_batches), CASE(gemm_shared_matrix),
          CASE(gemm_integers), CASE(contract_random), CASE(pair_pool), CASE(ising_torus),
          CASE(workers), CASE(labels), CASE(refused), CASE(beta), CASE(native), CASE(native_down),
          CASE(cuda))
