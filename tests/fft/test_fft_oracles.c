// test_fft_oracles.c: Fourier transforms against sums in long double that share nothing with the
// library, and against what is known in closed form: random shapes, axes, strides, dtypes, scales,
// through every context, with and without plans, in place and not.
#include "../../backends/padic_simd.h"
#include "../../backends/padic_threads.h"
#include "../support/contexts.h"
#include "../support/padic_test.h"

#include <math.h>

#define MOST 4096 // elements of a random transform

typedef struct wide {
    long double re, im;
} wide;

static uint32_t below(uint32_t n)
{
    return (uint32_t)(test_random() % n);
}
static double uniform(void)
{
    return (double)(test_random() >> 11) / 4503599627370496.0 - 1;
}
static int complex_type(padic_dtype d)
{
    return d == PADIC_C64 || d == PADIC_C128;
}
static int short_type(padic_dtype d)
{
    return d == PADIC_C64 || d == PADIC_F32;
}

// ------------------------------------------------------------------------------------- the oracle

// One axis of a dense array, in place: sums as they are written down.
static void naive_axis(wide *x, const uint64_t *shape, uint32_t rank, uint32_t axis, int sign)
{
    const long double turn = 6.283185307179586476925286766559005768L;
    uint64_t n = shape[axis], inner = 1, outer = 1;
    wide *line = (wide *)malloc(n * sizeof *line), *root = (wide *)malloc(n * sizeof *root);
    for (uint32_t a = 0; a < rank; a++) {
        if (a < axis) outer *= shape[a];
        if (a > axis) inner *= shape[a];
    }
    for (uint64_t k = 0; k < n; k++) {
        const long double t = turn * (long double)k / (long double)n;
        root[k].re = cosl(t);
        root[k].im = sign * sinl(t);
    }
    for (uint64_t o = 0; o < outer; o++)
        for (uint64_t i = 0; i < inner; i++) {
            wide *at = x + o * n * inner + i;
            for (uint64_t k = 0; k < n; k++) {
                wide sum = {0, 0};
                for (uint64_t j = 0; j < n; j++) {
                    const wide w = root[j * k % n], v = at[j * inner];
                    sum.re += v.re * w.re - v.im * w.im;
                    sum.im += v.re * w.im + v.im * w.re;
                }
                line[k] = sum;
            }
            for (uint64_t k = 0; k < n; k++) at[k * inner] = line[k];
        }
    free(line);
    free(root);
}

// ------------------------------------------------------------------------------------ the memory

// A view in memory of its own, with guards that must not change.
typedef struct block {
    padic_tensor view;
    char *memory, *before;
    uint64_t bytes;
} block;

static uint64_t count_of(const padic_tensor *t)
{
    uint64_t n = 1;
    for (uint32_t a = 0; a < t->rank; a++) n *= t->shape[a];
    return n;
}

static int64_t stride_of(const padic_tensor *t, uint32_t axis)
{
    int64_t dense = 1;
    for (uint32_t a = 0; a < t->rank; a++)
        if (t->stride[a]) return t->stride[axis];
    for (uint32_t a = t->rank; --a > axis;) dense *= (int64_t)t->shape[a];
    return dense;
}

static char *element(const padic_tensor *t, uint64_t index) // of C order
{
    int64_t at = 0;
    for (uint32_t a = t->rank; a-- > 0; index /= t->shape[a])
        at += (int64_t)(index % t->shape[a]) * stride_of(t, a);
    return (char *)t->data + at * (int64_t)padic_dtype_size(t->dtype);
}

static wide load(const padic_tensor *t, uint64_t index)
{
    const char *p = element(t, index);
    float f[2] = {0, 0};
    double d[2] = {0, 0};
    wide x;
    if (short_type(t->dtype)) {
        memcpy(f, p, padic_dtype_size(t->dtype));
        x.re = f[0], x.im = f[1];
    } else {
        memcpy(d, p, padic_dtype_size(t->dtype));
        x.re = d[0], x.im = d[1];
    }
    return x;
}

static void store(const padic_tensor *t, uint64_t index, double re, double im)
{
    char *p = element(t, index);
    const float f[2] = {(float)re, (float)im};
    const double d[2] = {re, im};
    if (short_type(t->dtype))
        memcpy(p, f, padic_dtype_size(t->dtype));
    else
        memcpy(p, d, padic_dtype_size(t->dtype));
}

// `wild`: axes in any order, gaps, and for an input negative steps or none.
static void make(block *b, padic_dtype dtype, uint32_t rank, const uint64_t *shape, int wild)
{
    const uint32_t size = padic_dtype_size(dtype);
    int64_t low = 0, high = 0, step = 1;
    uint32_t order[PADIC_MAX_RANK] = {0};
    b->view = padic_tensor_nd(dtype, NULL, rank, shape);
    for (uint32_t a = 0; a < rank; a++) order[a] = a;
    if (wild) {
        for (uint32_t a = rank; a > 1; a--) {
            const uint32_t other = below(a), kept = order[a - 1];
            order[a - 1] = order[other];
            order[other] = kept;
        }
        for (uint32_t i = rank; i-- > 0;) {
            const uint32_t a = order[i];
            step *= 1 + (int64_t)below(3);
            b->view.stride[a] = step;
            step *= (int64_t)(shape[a] ? shape[a] : 1);
            if (wild > 1 && !below(3)) b->view.stride[a] *= -1;
            if (wild > 1 && !below(6) && rank > 1) b->view.stride[a] = 0;
        }
    }
    for (uint32_t a = 0; a < rank; a++) {
        const int64_t s = stride_of(&b->view, a) * (int64_t)(shape[a] ? shape[a] - 1 : 0);
        if (s < 0)
            low += s;
        else
            high += s;
    }
    const uint64_t front = 64 + size * (uint64_t)below(3), back = 64;
    b->bytes = front + (uint64_t)(high - low + 1) * size + back;
    b->memory = (char *)malloc(b->bytes);
    b->before = (char *)malloc(b->bytes);
    for (uint64_t i = 0; i < b->bytes; i++) b->memory[i] = (char)test_random();
    b->view.data = b->memory + front - low * (int64_t)size;
}

static void fill(block *b)
{
    for (uint64_t i = 0; i < count_of(&b->view); i++) store(&b->view, i, uniform(), uniform());
}

static void keep(block *b)
{
    memcpy(b->before, b->memory, b->bytes);
}

static void drop(block *b)
{
    free(b->memory);
    free(b->before);
}

// What lies between the elements of a view is as it was.
static int gaps_kept(const block *b)
{
    const uint32_t size = padic_dtype_size(b->view.dtype);
    char *now = (char *)malloc(b->bytes);
    int same;
    memcpy(now, b->memory, b->bytes);
    for (uint64_t i = 0; i < count_of(&b->view); i++) {
        const ptrdiff_t at = element(&b->view, i) - b->memory;
        memcpy(now + at, b->before + at, size);
    }
    same = !memcmp(now, b->before, b->bytes);
    free(now);
    return same;
}

// ------------------------------------------------------------------------------ random transforms

typedef struct job {
    padic_fft_transform_desc desc;
    uint64_t shape[PADIC_MAX_RANK]; // of the sequences, not of spectra
    uint64_t n;                     // elements transformed together
    uint32_t rank, last;            // the last axis named
    padic_dtype in, out;
    int real, chirp; // chirp: a length that is no product of 2, 3, 5 and 7
} job;

static int smooth(uint64_t n)
{
    for (uint32_t p = 2; p < 8; p++)
        while (n && n % p == 0) n /= p;
    return n == 1;
}

static job random_job(void)
{
    static const uint64_t odd[] = {11, 13, 17, 22, 26, 31, 37, 47, 53, 59, 61, 97, 101, 127, 128};
    job j;
    uint64_t left = MOST;
    uint32_t axes[PADIC_MAX_RANK];
    memset(&j, 0, sizeof j);
    const int is_short = (int)below(2), kind = (int)below(3);
    const padic_dtype pair = is_short ? PADIC_C64 : PADIC_C128,
                      one = is_short ? PADIC_F32 : PADIC_F64;
    j.in = kind == 1 ? one : pair;
    j.out = kind == 2 ? one : pair;
    j.real = kind != 0;
    j.desc.direction = kind == 1   ? PADIC_FFT_FORWARD
                       : kind == 2 ? PADIC_FFT_INVERSE
                                   : (padic_fft_direction)below(2);
    j.desc.scale = (padic_fft_scale)below(3);
    j.rank = 1 + below(5);
    for (uint32_t a = 0; a < j.rank; a++) {
        uint64_t n = 1 + below(below(2) ? 4 : 24);
        if (!below(6)) n = odd[below(sizeof odd / sizeof *odd)];
        if (n > left) n = 1;
        j.shape[a] = n;
        left /= n;
        axes[a] = a;
    }
    for (uint32_t a = j.rank; a > 1; a--) {
        const uint32_t other = below(a), kept = axes[a - 1];
        axes[a - 1] = axes[other];
        axes[other] = kept;
    }
    j.desc.axis_count = below(j.rank < 3 ? j.rank + 1 : 4);
    memcpy(j.desc.axis, axes, sizeof j.desc.axis);
    j.n = 1;
    for (uint32_t i = 0; i < (j.desc.axis_count ? j.desc.axis_count : 1); i++) {
        const uint32_t a = j.desc.axis_count ? axes[i] : j.rank - 1;
        j.n *= j.shape[a];
        j.chirp |= !smooth(j.shape[a]);
        j.last = a;
    }
    return j;
}

// What the output should be, dense.
static wide *expected(const job *j, const padic_tensor *in)
{
    uint64_t all = 1, half[PADIC_MAX_RANK], inner = 1;
    const int inverse = j->desc.direction == PADIC_FFT_INVERSE;
    const uint64_t n = j->shape[j->last], h = n / 2 + 1;
    wide *x;
    for (uint32_t a = 0; a < j->rank; a++) all *= j->shape[a];
    for (uint32_t a = j->last + 1; a < j->rank; a++) inner *= j->shape[a];
    memcpy(half, j->shape, sizeof half);
    half[j->last] = h;
    x = (wide *)malloc(all * sizeof *x);
    if (j->real && inverse) { // the whole spectrum, of the Hermitian part of columns 0 and n/2
        for (uint64_t i = 0; i < all; i++) {
            uint64_t mirror = 0, self = 0, from = i, unit_full = 1, place[PADIC_MAX_RANK] = {0};
            for (uint32_t a = j->rank; a-- > 0; from /= j->shape[a]) place[a] = from % j->shape[a];
            const uint64_t k = place[j->last];
            for (uint32_t a = j->rank; a-- > 0;) {
                uint64_t p = place[a], m = p;
                for (uint32_t b = 0; b < j->desc.axis_count; b++)
                    if (j->desc.axis[b] == a) m = (j->shape[a] - p) % j->shape[a];
                if (a == j->last) m = k ? n - k : 0;
                if (a == j->last && p >= h) p = 0; // not there
                if (a == j->last && m >= h) m = 0;
                self += p * unit_full;
                mirror += m * unit_full;
                unit_full *= half[a];
            }
            const wide s = load(in, self), m = load(in, mirror);
            if (k == 0 || 2 * k == n)
                x[i].re = (s.re + m.re) / 2, x[i].im = (s.im - m.im) / 2;
            else if (k < h)
                x[i] = s;
            else
                x[i].re = m.re, x[i].im = -m.im;
        }
    } else {
        for (uint64_t i = 0; i < all; i++) x[i] = load(in, i);
    }
    long double scale = 1;
    if (j->desc.scale == PADIC_FFT_SCALE_INVERSE && inverse) scale /= (long double)j->n;
    if (j->desc.scale == PADIC_FFT_SCALE_ORTHO) scale /= sqrtl((long double)j->n);
    for (uint32_t i = 0; i < (j->desc.axis_count ? j->desc.axis_count : 1); i++)
        naive_axis(x, j->shape, j->rank, j->desc.axis_count ? j->desc.axis[i] : j->rank - 1,
                   inverse ? 1 : -1);
    for (uint64_t i = 0; i < all; i++) x[i].re *= scale, x[i].im *= scale;
    if (j->real && !inverse) {
        uint64_t to = 0;
        for (uint64_t i = 0; i < all; i++)
            if (i / inner % n < h) x[to++] = x[i];
    }
    return x;
}

static double relative_error(const padic_tensor *out, const wide *x)
{
    long double error = 0, norm = 0;
    for (uint64_t i = 0; i < count_of(out); i++) {
        const wide y = load(out, i);
        const long double re = y.re - x[i].re, im = complex_type(out->dtype) ? y.im - x[i].im : 0;
        error += re * re + im * im;
        norm += x[i].re * x[i].re + (complex_type(out->dtype) ? x[i].im * x[i].im : 0);
    }
    return norm > 0 ? (double)sqrtl(error / norm) : error > 0;
}

static double bound_of(const job *j)
{
    const double bits = log2((double)j->n), u = short_type(j->out) ? 0x1p-24 : 0x1p-53;
    return (bits < 4 ? 4 : bits) * u * (j->chirp ? 4 : 1);
}

static void describe(const job *j, double error)
{
    printf("\n  %s to %s, direction %d, scale %d, axes", padic_dtype_name(j->in),
           padic_dtype_name(j->out), j->desc.direction, j->desc.scale);
    for (uint32_t a = 0; a < j->desc.axis_count; a++) printf(" %u", (unsigned)j->desc.axis[a]);
    printf(" of");
    for (uint32_t a = 0; a < j->rank; a++) printf(" %u", (unsigned)j->shape[a]);
    printf(" strides");
    for (uint32_t a = 0; a < j->rank; a++) printf(" %d", (int)j->desc.in.stride[a]);
    printf(", error %.3g of %.3g", error, bound_of(j));
}

TEST(random_transforms)
{
    const int rounds = test_amount(40, 250, 5000);
    double worst[2] = {0, 0};
    contexts_begin(1);
    for (int round = 0; round < rounds; round++) {
        job j = random_job();
        uint64_t spectrum[PADIC_MAX_RANK];
        block in, out, last;
        memcpy(spectrum, j.shape, sizeof spectrum);
        if (j.real) spectrum[j.last] = j.shape[j.last] / 2 + 1;
        make(&in, j.in, j.rank, complex_type(j.in) ? spectrum : j.shape, below(3) ? 2 : 0);
        make(&out, j.out, j.rank, complex_type(j.out) ? spectrum : j.shape, below(3) ? 1 : 0);
        fill(&in);
        keep(&in);
        keep(&out);
        wide *x = expected(&j, &in.view);
        j.desc.in = in.view;
        j.desc.out = out.view;
        memset(&last, 0, sizeof last);
        for (uint32_t c = 0; c < context_count; c++) {
            padic_fft_plan *plan = NULL;
            const int planned = (int)below(2);
            memcpy(out.memory, out.before, out.bytes);
            if (planned) {
                padic_fft_transform_desc other = j.desc; // whatever it may be planned with
                other.scale = (padic_fft_scale)below(3);
                other.in.data = other.out.data = NULL;
                if (!j.real) other.direction = (padic_fft_direction)below(2);
                CHECK_EQ(padic_fft_plan_create(contexts[c], &other, &plan), 0);
                CHECK(padic_fft_plan_size(plan) > 0);
            }
            j.desc.plan = plan;
            const padic_result result = padic_fft_transform(contexts[c], &j.desc);
            CHECK_EQ(result, 0);
            if (result) describe(&j, 0);
            const double error = relative_error(&out.view, x);
            CHECK(error <= bound_of(&j));
            if (!(error <= bound_of(&j))) describe(&j, error);
            if (error / bound_of(&j) > worst[c > 1]) worst[c > 1] = error / bound_of(&j);
            if (c < 2 && short_type(j.out)) CHECK(error <= 0x1.001p-24); // rounded once
            CHECK(gaps_kept(&out));
            CHECK(!memcmp(in.memory, in.before, in.bytes));
            if (planned) { // again: the same bits
                char *first = (char *)malloc(out.bytes);
                memcpy(first, out.memory, out.bytes);
                memcpy(out.memory, out.before, out.bytes);
                CHECK_EQ(padic_fft_transform(contexts[c], &j.desc), 0);
                CHECK(!memcmp(first, out.memory, out.bytes));
                j.desc.plan = NULL;
                CHECK_EQ(padic_fft_transform(contexts[c], &j.desc), 0);
                CHECK(!memcmp(first, out.memory, out.bytes));
                free(first);
            }
            padic_fft_plan_destroy(plan);
            // The same bits without a context and without backends, and with workers.
            if (c == 0 || (contexts_workers && context_count > 3 && c == 2)) {
                last.memory = (char *)realloc(last.memory, out.bytes);
                memcpy(last.memory, out.memory, out.bytes);
            } else if (c == 1 ||
                       (contexts_workers && c + 1 == context_count && context_count > 3)) {
                CHECK(!memcmp(last.memory, out.memory, out.bytes));
            }
        }
        if (!j.real) { // in place, both ways of saying so
            block place;
            make(&place, j.in, j.rank, j.shape, below(3) ? 1 : 0);
            for (int way = 0; way < 2; way++) {
                for (uint64_t i = 0; i < count_of(&place.view); i++) {
                    const wide v = load(&in.view, i);
                    store(&place.view, i, (double)v.re, (double)v.im);
                }
                keep(&place);
                j.desc.out = place.view;
                j.desc.in = place.view;
                if (way) memset(&j.desc.in, 0, sizeof j.desc.in);
                CHECK_EQ(padic_fft_transform(contexts[below(context_count)], &j.desc), 0);
                CHECK(relative_error(&place.view, x) <= bound_of(&j));
                CHECK(gaps_kept(&place));
            }
            drop(&place);
        }
        free(last.memory);
        free(x);
        drop(&in);
        drop(&out);
    }
    contexts_end();
    printf(" (worst %.2f plain, %.2f vectors of the bound)", worst[0], worst[1]);
}

// ---------------------------------------------------------------------------------- closed forms

// x_j = r^j has X_k = (1 - r^n) / (1 - r w^k): any length, without a sum.
static void geometric(padic_context *context, padic_dtype dtype, uint64_t n)
{
    const long double turn = 6.283185307179586476925286766559005768L;
    const long double size = expl(-3.0L / (long double)n), angle = 1;
    const double u = dtype == PADIC_C64 ? 0x1p-24 : 0x1p-53;
    const double bound = (log2((double)n) < 4 ? 4 : log2((double)n)) * (smooth(n) ? u : 4 * u);
    padic_tensor t = padic_tensor_1d(dtype, malloc(16 * n), n);
    padic_fft_transform_desc desc = PADIC_ZERO;
    long double error = 0, norm = 0;
    for (uint64_t j = 0; j < n; j++) {
        const long double s = powl(size, (long double)j), a = angle * (long double)j;
        store(&t, j, (double)(s * cosl(a)), (double)(s * sinl(a)));
    }
    desc.out = t;
    CHECK_EQ(padic_fft_transform(context, &desc), 0);
    for (uint64_t k = 0; k < n; k++) {
        const long double s = powl(size, (long double)n), a = angle * (long double)n;
        const long double b = angle - turn * (long double)k / (long double)n;
        const long double tr = 1 - s * cosl(a), ti = -s * sinl(a);
        const long double br = 1 - size * cosl(b), bi = -size * sinl(b), q = br * br + bi * bi;
        const wide y = load(&t, k);
        const long double re = (tr * br + ti * bi) / q, im = (ti * br - tr * bi) / q;
        error += (y.re - re) * (y.re - re) + (y.im - im) * (y.im - im);
        norm += re * re + im * im;
    }
    CHECK(sqrtl(error / norm) <= bound + u); // the sequence itself was rounded
    if (!(sqrtl(error / norm) <= bound + u))
        printf(" %s %lu: %.3g of %.3g", padic_dtype_name(dtype), (unsigned long)n,
               (double)sqrtl(error / norm), bound);
    free(t.data);
}

TEST(closed_forms)
{
    static const uint64_t n[] = {1,     2,     3,      19,     289,    343,    1021,
                                 1024,  2187,  6000,   8191,   10007,  16807,  30030,
                                 65536, 65537, 117649, 131071, 262144, 510510, 1048576};
    const uint32_t count = (uint32_t)test_amount(10, 15, 21);
    contexts_begin(1);
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t c = i < 12 ? 0 : context_count - 1; c < context_count; c++) {
            geometric(contexts[c], PADIC_C128, n[i]);
            geometric(contexts[c], PADIC_C64, n[i]);
        }
    contexts_end();
}

// Products of polynomials with integer coefficients, exactly: through real transforms of several
// lengths, as the product of two spectra.
TEST(exact_products)
{
    static const uint64_t lengths[] = {600, 601, 625, 640, 1009};
    enum { N = 300, MOST_N = 1009 };
    static int64_t a[N], b[N], product[2 * N];
    static double x[2][MOST_N], spectrum[2][MOST_N / 2 + 1][2];
    memset(product, 0, sizeof product);
    for (int i = 0; i < N; i++) a[i] = (int64_t)below(20001) - 10000, b[i] = (int64_t)below(20001);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) product[i + j] += a[i] * b[j];
    contexts_begin(1);
    for (uint32_t c = 0; c < context_count; c++)
        for (int l = 0; l < 5; l++) {
            const uint64_t n = lengths[l], h = n / 2 + 1;
            padic_fft_transform_desc to = PADIC_ZERO, back = PADIC_ZERO;
            memset(x, 0, sizeof x);
            for (int i = 0; i < N; i++) x[0][i] = (double)a[i], x[1][i] = (double)b[i];
            to.in = padic_tensor_2d(PADIC_F64, x, 2, n);
            to.in.stride[0] = MOST_N, to.in.stride[1] = 1;
            to.out = padic_tensor_2d(PADIC_C128, spectrum, 2, h);
            CHECK_EQ(padic_fft_transform(contexts[c], &to), 0);
            double *s = &spectrum[0][0][0], *t = s + 2 * h;
            for (uint64_t k = 0; k < h; k++) {
                const double re = s[2 * k] * t[2 * k] - s[2 * k + 1] * t[2 * k + 1];
                s[2 * k + 1] = s[2 * k] * t[2 * k + 1] + s[2 * k + 1] * t[2 * k];
                s[2 * k] = re;
            }
            back.in = padic_tensor_1d(PADIC_C128, s, h);
            back.out = padic_tensor_1d(PADIC_F64, x, n);
            back.direction = PADIC_FFT_INVERSE;
            CHECK_EQ(padic_fft_transform(contexts[c], &back), 0);
            for (uint64_t i = 0; i < n; i++)
                CHECK(llround(x[0][i]) == (i < 2 * N - 1 ? product[i] : 0));
        }
    contexts_end();
}

// A shift is a phase, along each axis of two, and Parseval's equation holds.
TEST(shifts)
{
    enum { A = 12, B = 35 };
    static double x[2][A][B][2], phase[A][B][2];
    double norm[2] = {0, 0};
    padic_fft_transform_desc desc = PADIC_ZERO;
    desc.out = padic_tensor_3d(PADIC_C128, x, 2, A, B);
    desc.axis_count = 2, desc.axis[0] = 2, desc.axis[1] = 1;
    desc.scale = PADIC_FFT_SCALE_ORTHO;
    for (int i = 0; i < A; i++)
        for (int j = 0; j < B; j++)
            for (int k = 0; k < 2; k++) {
                x[0][i][j][k] = uniform();
                x[1][(i + 5) % A][(j + 9) % B][k] = x[0][i][j][k];
                norm[0] += x[0][i][j][k] * x[0][i][j][k];
            }
    CHECK_EQ(padic_fft_transform(NULL, &desc), 0);
    for (int i = 0; i < A; i++)
        for (int j = 0; j < B; j++) {
            const double t = -6.283185307179586 * (5.0 * i / (double)A + 9.0 * j / (double)B);
            const double re = cos(t), im = sin(t), *s = x[0][i][j];
            phase[i][j][0] = s[0] * re - s[1] * im;
            phase[i][j][1] = s[0] * im + s[1] * re;
            CHECK_NEAR(x[1][i][j][0], phase[i][j][0], 1e-13);
            CHECK_NEAR(x[1][i][j][1], phase[i][j][1], 1e-13);
            norm[1] += s[0] * s[0] + s[1] * s[1];
        }
    CHECK_NEAR(norm[0], norm[1], 1e-12);
}

// ------------------------------------------------------------------------------ what else is said

// A line with a NaN or an infinity has no number any more; the others do not notice.
TEST(not_finite)
{
    static const uint64_t lengths[] = {1, 2, 7, 15, 16, 64, 11, 29};
    enum { LINES = 9 };
    contexts_begin(1);
    for (uint32_t c = 0; c < context_count; c++)
        for (int form = 0; form < 6; form++)
            for (int l = 0; l < 8; l++) {
                const padic_dtype real = form & 1 ? PADIC_F64 : PADIC_F32;
                const padic_dtype pair = form & 1 ? PADIC_C128 : PADIC_C64;
                const uint64_t n = lengths[l], h = n / 2 + 1, bad = below(LINES);
                const uint64_t in_n = form / 2 == 2 ? h : n, out_n = form / 2 == 1 ? h : n;
                const uint64_t in_shape[2] = {LINES, in_n}, out_shape[2] = {LINES, out_n};
                block in, out[2];
                padic_fft_transform_desc desc = PADIC_ZERO;
                make(&in, form / 2 == 1 ? real : pair, 2, in_shape, (int)below(2));
                make(&out[0], form / 2 == 2 ? real : pair, 2, out_shape, 0);
                make(&out[1], form / 2 == 2 ? real : pair, 2, out_shape, 0);
                desc.direction = form / 2 == 2 ? PADIC_FFT_INVERSE : PADIC_FFT_FORWARD;
                fill(&in);
                for (int pass = 0; pass < 2; pass++) {
                    if (pass)
                        store(&in.view, bad * in_n + below((uint32_t)in_n),
                              below(2) ? (double)NAN : (double)INFINITY, 0.5);
                    desc.in = in.view;
                    desc.out = out[pass].view;
                    CHECK_EQ(padic_fft_transform(contexts[c], &desc), 0);
                }
                for (uint64_t i = 0; i < LINES * out_n; i++) {
                    const wide x = load(&out[0].view, i), y = load(&out[1].view, i);
                    if (i / out_n == bad)
                        CHECK(!isfinite((double)y.re) || !isfinite((double)y.im));
                    else
                        CHECK(x.re == y.re && x.im == y.im);
                }
                drop(&in);
                drop(&out[0]);
                drop(&out[1]);
            }
    contexts_end();
}

// Lines of n reals in the place of their spectra, there and back.
TEST(reals_in_place)
{
    static const uint64_t lengths[] = {1, 2, 3, 8, 9, 30, 31, 44};
    enum { A = 3, B = 4, PLACE = 2 * 23 };
    static double place[A][B][PLACE], start[A][B][PLACE], apart[A][B][23][2];
    contexts_begin(1);
    for (uint32_t c = 0; c < context_count; c++)
        for (int l = 0; l < 8; l++) {
            const uint64_t n = lengths[l], h = n / 2 + 1;
            padic_fft_transform_desc desc = PADIC_ZERO;
            double *all = &place[0][0][0];
            for (int i = 0; i < A * B * PLACE; i++) all[i] = uniform();
            memcpy(start, place, sizeof place);
            padic_tensor real = padic_tensor_3d(PADIC_F64, place, A, B, n);
            padic_tensor pair = padic_tensor_3d(PADIC_C128, place, A, B, h);
            real.stride[0] = B * PLACE, real.stride[1] = PLACE, real.stride[2] = 1;
            pair.stride[0] = B * 23, pair.stride[1] = 23, pair.stride[2] = 1;
            desc.axis_count = 2, desc.axis[0] = 0, desc.axis[1] = 2;
            desc.in = real;
            desc.out = pair;
            desc.out.data = apart;
            CHECK_EQ(padic_fft_transform(contexts[c], &desc), 0);
            CHECK(!memcmp(place, start, sizeof place));
            desc.out.data = place;
            CHECK_EQ(padic_fft_transform(contexts[c], &desc), 0);
            for (int a = 0; a < A; a++)
                for (int b = 0; b < B; b++) CHECK(!memcmp(place[a][b], apart[a][b], 16 * h));
            desc.in = pair;
            desc.out = real;
            desc.direction = PADIC_FFT_INVERSE;
            CHECK_EQ(padic_fft_transform(contexts[c], &desc), 0);
            for (int a = 0; a < A; a++)
                for (int b = 0; b < B; b++) {
                    for (uint64_t i = 0; i < n; i++)
                        CHECK_NEAR(place[a][b][i], start[a][b][i], 2e-15 * (smooth(n) ? 1 : 4));
                    CHECK(!memcmp(&place[a][b][2 * h], &start[a][b][2 * h], 8 * (PLACE - 2 * h)));
                }
        }
    contexts_end();
}

TEST(next_sizes)
{
    const uint64_t top = (uint64_t)1 << 63;
    for (uint64_t n = 0, m = 1; n < 20000; n++) {
        if (m < n) m = n;
        while (!smooth(m)) m++;
        CHECK_EQ(padic_fft_next_size(n), m);
    }
    CHECK_EQ(padic_fft_next_size(top), top);
    CHECK_EQ(padic_fft_next_size(top - 1), top);
    CHECK_EQ(padic_fft_next_size(top + 1), 0);
    CHECK_EQ(padic_fft_next_size(UINT64_MAX), 0);
    for (uint64_t seven = 7; seven < top / 7; seven *= 7)
        CHECK_EQ(padic_fft_next_size(seven), seven);
}

TEST_MAIN("test_fft_oracles", CASE(random_transforms), CASE(closed_forms), CASE(exact_products),
          CASE(shifts), CASE(not_finite), CASE(reals_in_place), CASE(next_sizes))
