// test_fft.c: transforms against sums in long double, closed forms and theorems; hostile input.

#ifndef _POSIX_C_SOURCE
#define _POSIX_C_SOURCE 200112L // posix_memalign
#endif
#define PADIC_IMPLEMENT_NULL
#include "../support/inside.h"
#include "../../padic.h"
#include "../../backends/padic_simd.h"
#include "../../backends/padic_threads.h"
#include "../support/contexts.h"
#include "../support/padic_test.h"

#include <math.h>

#define PI 3.14159265358979323846264338327950288L

// ------------------------------------------------------------------------------- the definition

// A complex tensor of rank 3 or less, dense, in long double.
typedef struct exact {
    uint64_t shape[3], count;
    long double *at; // re, im
} exact;

static void exact_axis(exact *x, uint32_t axis, int sign)
{
    const uint64_t n = x->shape[axis];
    uint64_t step = 1, line;
    long double *in = (long double *)malloc((size_t)n * 2 * sizeof *in);
    long double *root = (long double *)malloc((size_t)n * 2 * sizeof *root);
    for (uint32_t a = axis + 1; a < 3; a++) step *= x->shape[a];
    for (uint64_t k = 0; k < n; k++) {
        root[2 * k] = cosl(2 * PI * (long double)k / (long double)n);
        root[2 * k + 1] = sign * sinl(2 * PI * (long double)k / (long double)n);
    }
    for (line = 0; line < x->count / n; line++) {
        long double *at = x->at + 2 * (line / step * step * n + line % step);
        for (uint64_t j = 0; j < n; j++) {
            in[2 * j] = at[2 * j * step];
            in[2 * j + 1] = at[2 * j * step + 1];
        }
        for (uint64_t k = 0; k < n; k++) {
            long double re = 0, im = 0;
            for (uint64_t j = 0, turn = 0; j < n; j++, turn = (turn + k) % n) {
                re += in[2 * j] * root[2 * turn] - in[2 * j + 1] * root[2 * turn + 1];
                im += in[2 * j] * root[2 * turn + 1] + in[2 * j + 1] * root[2 * turn];
            }
            at[2 * k * step] = re;
            at[2 * k * step + 1] = im;
        }
    }
    free(in);
    free(root);
}

// ---------------------------------------------------------------------------------------- arrays

typedef struct array { // a tensor with memory of its own, all of it
    padic_tensor t;
    void *memory;
    size_t bytes;
} array;

static array array_new(padic_dtype dtype, const uint64_t shape[3], const int64_t stride[3])
{
    array a;
    uint64_t reach = 1;
    a.t = padic_tensor_nd(dtype, NULL, 3, shape);
    if (stride)
        for (int i = 0; i < 3; i++) {
            a.t.stride[i] = stride[i];
            reach += (shape[i] - 1) * (uint64_t)stride[i];
        }
    else reach = shape[0] * shape[1] * shape[2];
    a.bytes = (size_t)reach * padic_dtype_size(dtype);
    a.memory = malloc(a.bytes + 1);
    memset(a.memory, 0x5a, a.bytes);
    a.t.data = a.memory;
    return a;
}

static char *array_at(const array *a, uint64_t i)
{
    int64_t stride[PADIC_MAX_RANK], at = 0;
    padici_tensor_dense(&a->t, stride);
    for (uint32_t d = 3; d-- > 0; i /= a->t.shape[d])
        at += (int64_t)(i % a->t.shape[d]) * stride[d];
    return (char *)a->memory + at * (int64_t)padic_dtype_size(a->t.dtype);
}

static void array_get(const array *a, uint64_t i, long double out[2])
{
    const char *at = array_at(a, i);
    float f[2] = {0, 0};
    double d[2] = {0, 0};
    out[1] = 0;
    if (a->t.dtype == PADIC_F32 || a->t.dtype == PADIC_C64) {
        memcpy(f, at, padic_dtype_size(a->t.dtype));
        out[0] = f[0];
        out[1] = f[1];
    } else {
        memcpy(d, at, padic_dtype_size(a->t.dtype));
        out[0] = d[0];
        out[1] = d[1];
    }
}

static void array_fill(array *a)
{
    for (uint64_t i = 0; i < padic_tensor_count(&a->t); i++) {
        const double d[2] = {(double)(int64_t)test_random() / 9223372036854775808.0,
                             (double)(int64_t)test_random() / 9223372036854775808.0};
        const float f[2] = {(float)d[0], (float)d[1]};
        if (a->t.dtype == PADIC_F32 || a->t.dtype == PADIC_C64)
            memcpy(array_at(a, i), f, padic_dtype_size(a->t.dtype));
        else memcpy(array_at(a, i), d, padic_dtype_size(a->t.dtype));
    }
}

static double unit(padic_dtype dtype)
{
    return dtype == PADIC_F32 || dtype == PADIC_C64 ? ldexp(1, -24) : ldexp(1, -53);
}

static int smooth(uint64_t n)
{
    for (uint64_t p = 2; p < 8; p++)
        while (n % p == 0) n /= p;
    return n == 1;
}

// ---------------------------------------------------------------------------------------- checks

static double worst_seen;

// The relative error in the L2 norm of what a desc gives against the definition; the norm's unit
// is that of the bound that the API states.
static double error_of(const array *in, const array *out, const padic_fft_transform_desc *desc,
                       double *bound)
{
    const uint32_t axes = desc->axis_count ? desc->axis_count : 1;
    const int to_real = out->t.dtype == PADIC_F32 || out->t.dtype == PADIC_F64;
    const int from_real = in->t.dtype == PADIC_F32 || in->t.dtype == PADIC_F64;
    const uint32_t last = desc->axis_count ? desc->axis[axes - 1] : 2;
    const array *real = from_real ? in : out;
    long double scale = 1, sum = 0, off = 0, got[2];
    double logs = 0;
    int chirp = 0;
    exact x;
    memcpy(x.shape, to_real || from_real ? real->t.shape : in->t.shape, sizeof x.shape);
    x.count = x.shape[0] * x.shape[1] * x.shape[2];
    x.at = (long double *)calloc((size_t)x.count * 2 + 2, sizeof *x.at);
    if (!to_real) {
        for (uint64_t i = 0; i < x.count; i++) array_get(in, i, x.at + 2 * i);
    } else { // the conjugates, and the Hermitian part along the other axes
        uint64_t step = 1;
        for (uint32_t a = last + 1; a < 3; a++) step *= x.shape[a];
        for (uint64_t i = 0; i < padic_tensor_count(&in->t); i++) {
            const uint64_t h = in->t.shape[last], n = x.shape[last], k = i / step % h;
            const uint64_t to = i / step / h * step * n + k * step + i % step;
            array_get(in, i, x.at + 2 * to);
        }
        for (uint32_t a = 0; a + 1 < axes; a++) exact_axis(&x, desc->axis[a], 1);
        for (uint64_t i = 0; i < x.count; i++) {
            const uint64_t n = x.shape[last], k = i / step % n;
            const uint64_t from = i - k * step + (n - k) % n * step;
            if (k <= n / 2) {
                if (k == 0 || 2 * k == n) x.at[2 * i + 1] = 0;
                continue;
            }
            x.at[2 * i] = x.at[2 * from];
            x.at[2 * i + 1] = -x.at[2 * from + 1];
        }
        exact_axis(&x, last, 1);
    }
    for (uint32_t a = 0; a < axes; a++) {
        const uint32_t axis = desc->axis_count ? desc->axis[a] : 2;
        const uint64_t n = x.shape[axis];
        if (!to_real) exact_axis(&x, axis, desc->direction == PADIC_FFT_INVERSE ? 1 : -1);
        scale *= (long double)n;
        logs += log2((double)n);
        chirp |= !smooth(n);
    }
    scale = desc->scale == PADIC_FFT_SCALE_ORTHO ? 1 / sqrtl(scale)
            : desc->scale == PADIC_FFT_SCALE_INVERSE && desc->direction == PADIC_FFT_INVERSE
                ? 1 / scale
                : 1;
    for (uint64_t i = 0; i < padic_tensor_count(&out->t); i++) {
        uint64_t from = i;
        if (from_real) {
            uint64_t step = 1;
            const uint64_t h = out->t.shape[last], n = x.shape[last];
            for (uint32_t a = last + 1; a < 3; a++) step *= x.shape[a];
            from = i / step / h * step * n + i / step % h * step + i % step;
        }
        array_get(out, i, got);
        for (int c = 0; c < (to_real ? 1 : 2); c++) {
            const long double want = scale * x.at[2 * from + (uint64_t)c];
            sum += want * want;
            off += (got[c] - want) * (got[c] - want);
        }
    }
    free(x.at);
    *bound = (chirp ? 4 : 1) * (logs > 2 ? logs : 2);
    if (sum == 0) return off == 0 ? 0 : 1e30;
    return (double)(sqrtl(off / sum) / unit(out->t.dtype));
}

// One transform on every context: out of place, by a plan, in place.
static void check(padic_dtype from, padic_dtype to, const uint64_t shape[3],
                  const int64_t in_stride[3], const int64_t out_stride[3], uint32_t axis_count,
                  const uint32_t axis[3], padic_fft_scale scale, padic_fft_direction direction)
{
    const int from_real = from == PADIC_F32 || from == PADIC_F64;
    const int to_real = to == PADIC_F32 || to == PADIC_F64;
    uint64_t half[3];
    padic_fft_transform_desc desc = PADIC_ZERO;
    array in, out;
    memcpy(half, shape, sizeof half);
    half[axis_count ? axis[axis_count - 1] : 2] =
        shape[axis_count ? axis[axis_count - 1] : 2] / 2 + 1;
    in = array_new(from, to_real ? half : shape, in_stride);
    array_fill(&in);
    desc.in = in.t;
    desc.axis_count = axis_count;
    memcpy(desc.axis, axis, sizeof desc.axis);
    desc.scale = scale;
    desc.direction = direction;
    for (uint32_t c = 0; c < context_count; c++) {
        double bound, error;
        padic_fft_plan *plan;
        out = array_new(to, from_real ? half : shape, out_stride);
        desc.out = out.t;
        desc.plan = NULL;
        REQUIRE(padic_fft_transform(contexts[c], &desc) == PADIC_OK);
        error = error_of(&in, &out, &desc, &bound);
        if (!(error <= bound))
            printf("%u %u: %u x %u x %u, axes %u, context %u: %.2f u, may be %.2f\n",
                   (unsigned)from, (unsigned)to, (unsigned)shape[0], (unsigned)shape[1],
                   (unsigned)shape[2], (unsigned)axis_count, (unsigned)c, error, bound);
        CHECK(error <= bound);
        if (error / bound > worst_seen) worst_seen = error / bound;
        REQUIRE(padic_fft_plan_create(contexts[c], &desc, &plan) == PADIC_OK);
        for (int again = 0; again < 2; again++) { // the same bits
            array twice = array_new(to, from_real ? half : shape, out_stride);
            desc.out = twice.t;
            desc.plan = plan;
            CHECK(padic_fft_transform(contexts[c], &desc) == PADIC_OK);
            CHECK(!memcmp(out.memory, twice.memory, out.bytes));
            free(twice.memory);
        }
        if (from == to && !memcmp(&in.t.stride, &out.t.stride, sizeof in.t.stride)) {
            array place = array_new(to, shape, out_stride);
            memcpy(place.memory, in.memory, in.bytes);
            desc.out = place.t;
            desc.in = place.t;
            CHECK(padic_fft_transform(contexts[c], &desc) == PADIC_OK);
            CHECK(!memcmp(out.memory, place.memory, out.bytes));
            memcpy(place.memory, in.memory, in.bytes);
            memset(&desc.in, 0, sizeof desc.in);
            desc.plan = NULL;
            CHECK(padic_fft_transform(contexts[c], &desc) == PADIC_OK);
            CHECK(!memcmp(out.memory, place.memory, out.bytes));
            desc.in = in.t;
            free(place.memory);
        }
        padic_fft_plan_destroy(plan);
        free(out.memory);
    }
    free(in.memory);
}

static const uint32_t last_axis[3] = {2, 0, 0};

TEST(lengths)
{
    contexts_begin(0);
    for (uint64_t n = 1; n <= (test_tiny ? 66u : 300u); n++) {
        const uint64_t line[3] = {1, 1, n}, column[3] = {1, n, 5}, many[3] = {3, 19, n};
        const uint32_t middle[3] = {1, 0, 0};
        const padic_fft_direction way = n % 2 ? PADIC_FFT_INVERSE : PADIC_FFT_FORWARD;
        check(PADIC_C64, PADIC_C64, line, NULL, NULL, 0, last_axis, PADIC_FFT_SCALE_INVERSE, way);
        check(PADIC_C128, PADIC_C128, line, NULL, NULL, 0, last_axis, PADIC_FFT_SCALE_NONE, way);
        if (n > 64 && n % 7) continue;
        check(PADIC_C64, PADIC_C64, column, NULL, NULL, 1, middle, PADIC_FFT_SCALE_ORTHO, way);
        check(PADIC_C128, PADIC_C128, many, NULL, NULL, 0, last_axis, PADIC_FFT_SCALE_ORTHO, way);
        check(PADIC_C64, PADIC_C64, many, NULL, NULL, 0, last_axis, PADIC_FFT_SCALE_ORTHO, way);
    }
    contexts_end();
}

TEST(reals)
{
    contexts_begin(0);
    for (uint64_t n = 1; n <= (test_tiny ? 40u : 260u); n += n > 64 ? 5 : 1) {
        const uint64_t line[3] = {1, 1, n}, column[3] = {2, n, 21}, many[3] = {2, 18, n};
        const uint32_t middle[3] = {1, 0, 0};
        for (int wide = 0; wide < 2; wide++) {
            const padic_dtype real = wide ? PADIC_F64 : PADIC_F32;
            const padic_dtype whole = wide ? PADIC_C128 : PADIC_C64;
            check(real, whole, line, NULL, NULL, 0, last_axis, PADIC_FFT_SCALE_INVERSE,
                  PADIC_FFT_FORWARD);
            check(whole, real, line, NULL, NULL, 0, last_axis, PADIC_FFT_SCALE_INVERSE,
                  PADIC_FFT_INVERSE);
            if (n > 40) continue;
            check(real, whole, column, NULL, NULL, 1, middle, PADIC_FFT_SCALE_ORTHO,
                  PADIC_FFT_FORWARD);
            check(whole, real, column, NULL, NULL, 1, middle, PADIC_FFT_SCALE_NONE,
                  PADIC_FFT_INVERSE);
            check(real, whole, many, NULL, NULL, 0, last_axis, PADIC_FFT_SCALE_ORTHO,
                  PADIC_FFT_FORWARD);
            check(whole, real, many, NULL, NULL, 0, last_axis, PADIC_FFT_SCALE_ORTHO,
                  PADIC_FFT_INVERSE);
        }
    }
    contexts_end();
}

TEST(axes)
{
    static const uint32_t sets[][4] = {{1, 0, 0, 0}, {1, 1, 0, 0}, {2, 0, 1, 0}, {2, 2, 0, 0},
                                       {2, 2, 1, 0}, {3, 0, 1, 2}, {3, 2, 0, 1}, {3, 1, 2, 0}};
    static const uint64_t shapes[][3] = {{2, 3, 4}, {17, 5, 8}, {6, 16, 19}, {16, 16, 16},
                                         {11, 13, 2}, {1, 7, 33}};
    contexts_begin(0);
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++)
        for (size_t i = 0; i < sizeof sets / sizeof *sets; i++)
            for (int wide = 0; wide < 2; wide++) {
                const padic_dtype real = wide ? PADIC_F64 : PADIC_F32;
                const padic_dtype whole = wide ? PADIC_C128 : PADIC_C64;
                const padic_fft_scale scale = (padic_fft_scale)((s + i) % 3);
                const int64_t d2 = (int64_t)shapes[s][2] + 2, d1 = (int64_t)shapes[s][1] + 1;
                const int64_t gaps[3] = {d1 * d2, d2, 1}, turned[3] = {1, 20, 20 * d1};
                check(whole, whole, shapes[s], NULL, NULL, sets[i][0], sets[i] + 1, scale,
                      i % 2 ? PADIC_FFT_INVERSE : PADIC_FFT_FORWARD);
                check(whole, whole, shapes[s], gaps, gaps, sets[i][0], sets[i] + 1, scale,
                      i % 2 ? PADIC_FFT_FORWARD : PADIC_FFT_INVERSE);
                check(whole, whole, shapes[s], turned, NULL, sets[i][0], sets[i] + 1, scale,
                      PADIC_FFT_FORWARD);
                check(real, whole, shapes[s], gaps, turned, sets[i][0], sets[i] + 1, scale,
                      PADIC_FFT_FORWARD);
                check(whole, real, shapes[s], turned, gaps, sets[i][0], sets[i] + 1, scale,
                      PADIC_FFT_INVERSE);
            }
    contexts_end();
}

// --------------------------------------------------------------------------------- long lines

static void number_put(void *at, padic_dtype dtype, uint64_t i, long double re, long double im)
{
    const float f[2] = {(float)re, (float)im};
    const double d[2] = {(double)re, (double)im};
    if (dtype == PADIC_C64) memcpy((char *)at + 8 * i, f, 8);
    else memcpy((char *)at + 16 * i, d, 16);
}

static void number_get(const void *at, padic_dtype dtype, uint64_t i, long double out[2])
{
    float f[2];
    double d[2];
    if (dtype == PADIC_C64) {
        memcpy(f, (const char *)at + 8 * i, 8);
        out[0] = f[0];
        out[1] = f[1];
    } else {
        memcpy(d, (const char *)at + 16 * i, 16);
        out[0] = d[0];
        out[1] = d[1];
    }
}

static double bound_of(uint64_t n, padic_dtype dtype)
{
    const double logs = log2((double)n);
    return (smooth(n) ? 1 : 4) * (logs > 2 ? logs : 2) * unit(dtype);
}

// An impulse becomes a tone, a tone an impulse; both known at every place.
static void closed_forms(padic_context *context, padic_fft_transform_desc *desc, uint64_t n,
                         void *x, void *y)
{
    const padic_dtype dtype = desc->in.dtype;
    const uint64_t at = n / 3 + 1 < n ? n / 3 + 1 : 0;
    long double off = 0, sum = 0, got[2];
    for (uint64_t i = 0; i < n; i++) number_put(x, dtype, i, i == at ? 1 : 0, 0);
    CHECK(padic_fft_transform(context, desc) == PADIC_OK);
    for (uint64_t k = 0; k < n; k++) {
        const long double turn = 2 * PI * (long double)(at * k % n) / (long double)n;
        number_get(y, dtype, k, got);
        off += (got[0] - cosl(turn)) * (got[0] - cosl(turn)) +
               (got[1] + sinl(turn)) * (got[1] + sinl(turn));
    }
    CHECK(sqrtl(off / (long double)n) <= bound_of(n, dtype));
    off = 0;
    for (uint64_t i = 0; i < n; i++) {
        const long double turn = 2 * PI * (long double)(at * i % n) / (long double)n;
        number_put(x, dtype, i, cosl(turn), sinl(turn));
    }
    CHECK(padic_fft_transform(context, desc) == PADIC_OK);
    for (uint64_t k = 0; k < n; k++) {
        const long double want = k == at ? (long double)n : 0;
        number_get(y, dtype, k, got);
        off += (got[0] - want) * (got[0] - want) + got[1] * got[1];
        sum += want * want;
    }
    CHECK(sqrtl(off / sum) <= bound_of(n, dtype));
}

// Random numbers: single sums, Parseval's theorem, and back.
static void theorems(padic_context *context, padic_fft_transform_desc *desc, uint64_t n, void *x,
                     void *y)
{
    const padic_dtype dtype = desc->in.dtype;
    const double bound = bound_of(n, dtype);
    long double in = 0, out = 0, off = 0, a[2], b[2];
    for (uint64_t i = 0; i < n; i++) {
        number_put(x, dtype, i, (long double)(int64_t)test_random() / 9223372036854775808.0L,
                   (long double)(int64_t)test_random() / 9223372036854775808.0L);
        number_get(x, dtype, i, a);
        in += a[0] * a[0] + a[1] * a[1];
    }
    CHECK(padic_fft_transform(context, desc) == PADIC_OK);
    for (uint64_t k = 0; k < n; k++) {
        number_get(y, dtype, k, a);
        out += a[0] * a[0] + a[1] * a[1];
    }
    CHECK(fabsl(out / ((long double)n * in) - 1) <= 2 * bound);
    for (int i = 0; i < 3; i++) {
        const uint64_t k = test_random() % n;
        long double re = 0, im = 0;
        for (uint64_t j = 0; j < n; j++) {
            const long double turn = 2 * PI * (long double)(j * k % n) / (long double)n;
            const long double c = cosl(turn), s = -sinl(turn);
            number_get(x, dtype, j, a);
            re += a[0] * c - a[1] * s;
            im += a[0] * s + a[1] * c;
        }
        number_get(y, dtype, k, b);
        CHECK(sqrtl((re - b[0]) * (re - b[0]) + (im - b[1]) * (im - b[1])) <= bound * sqrtl(out));
    }
    memset(&desc->in, 0, sizeof desc->in); // in place
    desc->direction = PADIC_FFT_INVERSE;
    CHECK(padic_fft_transform(context, desc) == PADIC_OK);
    for (uint64_t i = 0; i < n; i++) {
        number_get(x, dtype, i, a);
        number_get(y, dtype, i, b);
        off += (a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]);
    }
    CHECK(sqrtl(off / in) <= 2 * bound);
}

TEST(long_lines)
{
    static const uint64_t lengths[] = {4096, 4099, 5000, 8192, 12289, 16384, 65536, 65537, 100000,
                                       262144, 531441, 823543, 1000000, 1048573, 1048576};
    contexts_begin(0);
    for (size_t i = 0; i < (test_tiny ? 5 : sizeof lengths / sizeof *lengths); i++)
        for (uint32_t c = 0; c < context_count; c++)
            for (int wide = 0; wide < 2; wide++) {
                const uint64_t n = lengths[i];
                padic_fft_transform_desc desc = PADIC_ZERO;
                void *x, *y;
                // Long ones in turns, but in the full set.
                if (n > 100000 && !test_full() && (i + c + (uint32_t)wide) % 2) continue;
                x = malloc((size_t)n * 16);
                y = malloc((size_t)n * 16);
                desc.in = padic_tensor_1d(wide ? PADIC_C128 : PADIC_C64, x, n);
                desc.out = padic_tensor_1d(wide ? PADIC_C128 : PADIC_C64, y, n);
                REQUIRE(padic_fft_plan_create(contexts[c], &desc, &desc.plan) == PADIC_OK);
                closed_forms(contexts[c], &desc, n, x, y);
                theorems(contexts[c], &desc, n, x, y);
                padic_fft_plan_destroy(desc.plan);
                free(x);
                free(y);
            }
    contexts_end();
}

// The same bits with one worker and with three, whatever is shared among them.
TEST(workers)
{
    static const uint64_t shapes[][3] = {{1, 1, 131072}, {1, 1, 131071}, {3, 40, 100},
                                         {64, 33, 31}, {1, 5, 70000}};
    padic_context_desc desc = PADIC_ZERO;
    padic_context *one, *three;
    padic_threads *threads = padic_threads_create(3, NULL);
    const padic_jobs jobs = padic_threads_jobs(threads);
    for (int plain = 0; plain < 2; plain++) {
        memset(&desc, 0, sizeof desc);
        if (!plain) desc.backends[0] = padic_simd();
        REQUIRE(padic_context_create(&desc, &one) == PADIC_OK);
        desc.jobs = jobs;
        REQUIRE(padic_context_create(&desc, &three) == PADIC_OK);
        for (size_t s = 0; s < sizeof shapes / sizeof *shapes - (test_tiny ? 1 : 0); s++) {
            padic_fft_transform_desc fft = PADIC_ZERO;
            array in = array_new(PADIC_C64, shapes[s], NULL);
            array a = array_new(PADIC_C64, shapes[s], NULL);
            array b = array_new(PADIC_C64, shapes[s], NULL);
            array_fill(&in);
            fft.in = in.t;
            fft.axis_count = s == 2 || s == 3 ? 3 : 1;
            for (uint32_t i = 0; i < 3; i++) fft.axis[i] = fft.axis_count == 3 ? i : 2;
            fft.out = a.t;
            CHECK(padic_fft_transform(one, &fft) == PADIC_OK);
            fft.out = b.t;
            CHECK(padic_fft_transform(three, &fft) == PADIC_OK);
            CHECK(!memcmp(a.memory, b.memory, a.bytes));
            free(in.memory);
            free(a.memory);
            free(b.memory);
        }
        padic_context_destroy(one);
        padic_context_destroy(three);
    }
    padic_threads_destroy(threads);
}

static void *jobs_now(void (*fn)(void *arg), void *arg, void *user)
{
    (void)user;
    (*fn)(arg);
    return NULL;
}

static void jobs_done(void *handle, void *user)
{
    (void)handle;
    (void)user;
}

TEST(many_workers) // more than a plan has scratch for
{
    const uint64_t shape[3] = {54, 250, 98};
    padic_context_desc desc = PADIC_ZERO;
    padic_fft_transform_desc fft = PADIC_ZERO;
    array in = array_new(PADIC_C64, shape, NULL), a = array_new(PADIC_C64, shape, NULL);
    array b = array_new(PADIC_C64, shape, NULL);
    desc.backends[0] = padic_simd();
    array_fill(&in);
    fft.in = in.t;
    fft.axis_count = 3;
    for (uint32_t i = 0; i < 3; i++) fft.axis[i] = i;
    for (int many = 0; many < 2; many++) {
        padic_context *context;
        desc.jobs.workers = many ? 1000 : 0;
        desc.jobs.enqueue = jobs_now;
        desc.jobs.finish = jobs_done;
        REQUIRE(padic_context_create(&desc, &context) == PADIC_OK);
        fft.out = many ? a.t : b.t;
        CHECK_EQ(padic_fft_transform(context, &fft), PADIC_OK);
        padic_context_destroy(context);
    }
    CHECK(!memcmp(a.memory, b.memory, a.bytes));
    free(in.memory);
    free(a.memory);
    free(b.memory);
}

// ---------------------------------------------------------------------------------- bad input

typedef struct heap { // an allocator that counts, and fails the n-th call
    uint64_t calls, fail, live;
} heap;

static void *heap_alloc(size_t size, size_t align, void *user)
{
    heap *h = (heap *)user;
    void *p = NULL;
    if (++h->calls == h->fail) return NULL;
#if defined(_WIN32)
    (void)align;
    p = malloc(size);
#else
    if (posix_memalign(&p, align < sizeof p ? sizeof p : align, size)) p = NULL;
#endif
    h->live += p != NULL;
    return p;
}

static void heap_free(void *p, size_t size, void *user)
{
    (void)size;
    ((heap *)user)->live--;
    free(p);
}

TEST(memory)
{
    static float in[2 * 60 * 22], out[2 * 60 * 22];
    heap h = {0, 0, 0};
    padic_context_desc desc = PADIC_ZERO;
    padic_context *context;
    desc.allocator.alloc = heap_alloc;
    desc.allocator.free = heap_free;
    desc.allocator.user = &h;
    desc.backends[0] = padic_simd();
    REQUIRE(padic_context_create(&desc, &context) == PADIC_OK);
    for (uint64_t cols = 20; cols < 23; cols += 2) { // 22: Bluestein
        padic_fft_transform_desc fft = PADIC_ZERO;
        uint64_t calls, live, before;
        padic_fft_plan *plan;
        fft.in = padic_tensor_2d(PADIC_F32, in, 60, cols);
        fft.out = padic_tensor_2d(PADIC_C64, out, 60, cols / 2 + 1);
        fft.axis_count = 2;
        fft.axis[1] = 1;
        CHECK(padic_fft_transform(context, &fft) == PADIC_OK); // grows what the context keeps
        before = h.calls;
        live = h.live;
        CHECK(padic_fft_transform(context, &fft) == PADIC_OK);
        calls = h.calls - before;
        CHECK(calls > 5 && h.live == live);
        for (uint64_t n = 1; n <= calls; n++) {
            h.fail = h.calls + n;
            CHECK_EQ(padic_fft_transform(context, &fft), PADIC_ERROR_MEMORY);
            CHECK(h.live == live);
            h.fail = h.calls + n;
            CHECK_EQ(padic_fft_plan_create(context, &fft, &plan), PADIC_ERROR_MEMORY);
            CHECK(!plan && h.live == live);
        }
        h.fail = 0;
        REQUIRE(padic_fft_plan_create(context, &fft, &plan) == PADIC_OK);
        CHECK(padic_fft_plan_size(plan) > 1000);
        fft.plan = plan;
        before = h.calls;
        for (int i = 0; i < 3; i++) CHECK(padic_fft_transform(context, &fft) == PADIC_OK);
        CHECK_EQ(h.calls, before); // a plan allocates nothing
        padic_fft_plan_destroy(plan);
        CHECK(h.live == live);
    }
    padic_context_destroy(context);
    CHECK_EQ(h.live, 0);
    padic_fft_plan_destroy(NULL);
    CHECK_EQ(padic_fft_plan_size(NULL), 0);
}

TEST(not_finite) // a NaN stays in its line
{
    static float in[40][2 * 64], out[40][2 * 64];
    padic_fft_transform_desc fft = PADIC_ZERO;
    contexts_begin(0);
    for (uint32_t c = 0; c < context_count; c++)
        for (int way = 0; way < 3; way++) {
            const uint64_t n = way == 1 ? 37 : 64;
            memset(in, 0, sizeof in);
            in[7][5] = NAN;
            in[30][0] = INFINITY;
            fft.in = padic_tensor_2d(PADIC_C64, in, 40, n);
            fft.in.stride[0] = 64;
            fft.in.stride[1] = 1;
            fft.out = fft.in;
            fft.out.data = out;
            fft.axis_count = 1;
            fft.axis[0] = 1;
            if (way == 2) { // columns
                fft.in = padic_tensor_2d(PADIC_C64, in, 40, 64);
                fft.out = padic_tensor_2d(PADIC_C64, out, 40, 64);
                fft.axis[0] = 0;
            }
            CHECK(padic_fft_transform(contexts[c], &fft) == PADIC_OK);
            for (uint64_t i = 0; i < 40; i++)
                for (uint64_t j = 0; j < n; j++) {
                    const int bad = way == 2 ? j == 2 || j == 0 : i == 7 || i == 30;
                    const double r = out[i][2 * j], m = out[i][2 * j + 1];
                    CHECK(bad ? !(r - r == 0 && m - m == 0) : r == 0 && m == 0);
                }
        }
    contexts_end();
}

TEST(hostile)
{
    static double in[4 * 64], out[4 * 64];
    padic_fft_transform_desc good = PADIC_ZERO, d;
    padic_fft_plan *plan = NULL, *other = (padic_fft_plan *)(void *)&good;
    padic_context *context;
    good.in = padic_tensor_2d(PADIC_C128, in, 4, 8);
    good.out = padic_tensor_2d(PADIC_C128, out, 4, 8);
    REQUIRE(padic_context_create(NULL, &context) == PADIC_OK);
#define WRONG(change, code)                                                        \
    d = good;                                                                      \
    change;                                                                        \
    memset(out, 0x11, sizeof out);                                                 \
    CHECK_EQ(padic_fft_transform(NULL, &d), PADIC_ERROR_##code);                   \
    CHECK_EQ(padic_fft_transform(context, &d), PADIC_ERROR_##code);                \
    CHECK(strlen(padic_context_message(context)) > 10);                            \
    CHECK(out[0] == out[63] && out[0] != 0)
    WRONG(d.axis_count = 4, ARGUMENT);
    WRONG((d.axis_count = 1, d.axis[0] = 2), ARGUMENT);
    WRONG((d.axis_count = 2, d.axis[0] = d.axis[1] = 1), ARGUMENT);
    WRONG(d.direction = (padic_fft_direction)2, ARGUMENT);
    WRONG(d.scale = (padic_fft_scale)3, ARGUMENT);
    WRONG(d.scale = (padic_fft_scale)-1, ARGUMENT);
    WRONG(d.in.rank = 9, LIMIT);
    WRONG(d.in.rank = 1, MISMATCH);
    WRONG((d.in.rank = d.out.rank = 0), ARGUMENT);
    WRONG(d.in.shape[0] = 3, MISMATCH);
    WRONG(d.in.shape[1] = 0, MISMATCH);
    WRONG(d.in.shape[1] = d.out.shape[1] = 0, ARGUMENT);
    WRONG(d.out.dtype = PADIC_C64, DTYPE);
    WRONG(d.out.dtype = PADIC_I32, DTYPE);
    WRONG(d.in.dtype = PADIC_F16, DTYPE);
    WRONG(d.in.dtype = (padic_dtype)99, DTYPE);
    WRONG((d.in.dtype = PADIC_F64, d.out.dtype = PADIC_F64), DTYPE);
    WRONG((d.in.dtype = PADIC_DTYPE_NONE, d.out.dtype = PADIC_F64), DTYPE);
    WRONG(d.in.dtype = PADIC_F64, MISMATCH);
    WRONG((d.in.dtype = PADIC_F64, d.out.shape[1] = 5, d.direction = PADIC_FFT_INVERSE), ARGUMENT);
    WRONG((d.out.dtype = PADIC_F64, d.in.shape[1] = 5), ARGUMENT);
    WRONG(d.in.data = NULL, ARGUMENT);
    WRONG(d.out.data = NULL, ARGUMENT);
    WRONG(d.out.stride[1] = -1, ARGUMENT);
    WRONG((d.out.stride[0] = 1, d.out.stride[1] = 1), ARGUMENT);
    WRONG(d.in.data = out + 2, OVERLAP);
    WRONG((d.in.data = out, d.in.stride[0] = 1, d.in.stride[1] = 4), OVERLAP);
    WRONG((d.in.data = out, d.in.dtype = PADIC_F64, d.out.shape[1] = 5), OVERLAP);
    WRONG(d.in.data = (char *)in + 1, ALIGNMENT);
    WRONG((d.in.shape[1] = d.out.shape[1] = UINT64_C(1) << 60), LIMIT);
    WRONG((d.in.stride[0] = 0, d.in.stride[1] = INT64_MAX), LIMIT);
    CHECK_EQ(padic_fft_transform(context, NULL), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(padic_fft_plan_create(context, NULL, &plan), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(padic_fft_plan_create(context, &good, NULL), PADIC_ERROR_ARGUMENT);
    d = good; // an axis too long, of a view that takes no memory
    d.in.shape[1] = d.out.shape[1] = PADIC_FFT_LONGEST / 2 + 1;
    d.in.shape[0] = d.out.shape[0] = 1;
    CHECK_EQ(padic_fft_plan_create(context, &d, &other), PADIC_ERROR_LIMIT);
    CHECK(!other);
    d.in.shape[1] = d.out.shape[1] = (uint64_t)PADIC_FFT_LONGEST + 1;
    CHECK_EQ(padic_fft_plan_create(context, &d, &other), PADIC_ERROR_LIMIT);
    REQUIRE(padic_fft_plan_create(context, &good, &plan) == PADIC_OK);
    REQUIRE(padic_fft_plan_create(NULL, &good, &other) == PADIC_OK);
    d = good;
    d.plan = other;
    CHECK_EQ(padic_fft_transform(context, &d), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(padic_fft_transform(NULL, &d), PADIC_OK);
    d.plan = plan;
    CHECK_EQ(padic_fft_transform(context, &d), PADIC_OK);
    d.axis_count = 1;
    d.axis[0] = 1;
    CHECK_EQ(padic_fft_transform(context, &d), PADIC_OK); // the same axis
    d.axis[0] = 0;
    CHECK_EQ(padic_fft_transform(context, &d), PADIC_ERROR_MISMATCH);
    d = good;
    d.plan = plan;
    d.in.shape[0] = d.out.shape[0] = 3;
    CHECK_EQ(padic_fft_transform(context, &d), PADIC_ERROR_MISMATCH);
    d.in.shape[0] = d.out.shape[0] = 0; // no batch, no work
    d.plan = NULL;
    CHECK_EQ(padic_fft_transform(context, &d), PADIC_OK);
    padic_fft_plan_destroy(plan);
    padic_fft_plan_destroy(other);
    padic_context_destroy(context);
}

// Reals in their spectrum's memory, lines padded to 2 (n/2 + 1): the same bits as elsewhere.
static void padded(padic_context *context, uint64_t n, int wide, uint32_t axes, int planned)
{
    const uint64_t pitch = 2 * (n / 2 + 1), rows = 3 * 21, size = wide ? 8 : 4;
    const size_t bytes = (size_t)(rows * pitch * size);
    char *start = (char *)malloc(bytes), *apart = (char *)malloc(bytes);
    char *there = (char *)malloc(bytes);
    padic_fft_transform_desc other = PADIC_ZERO, here;
    for (size_t i = 0; i < bytes / size; i++) {
        const double x = (double)(float)(int32_t)(test_random() >> 40) / 8388608.0 - 1;
        const float f = (float)x;
        memcpy(start + i * size, wide ? (const void *)&x : (const void *)&f, size);
    }
    other.in = padic_tensor_3d(wide ? PADIC_F64 : PADIC_F32, start, 3, 21, n);
    other.in.stride[0] = (int64_t)(21 * pitch);
    other.in.stride[1] = (int64_t)pitch;
    other.in.stride[2] = 1;
    other.out = padic_tensor_3d(wide ? PADIC_C128 : PADIC_C64, apart, 3, 21, n / 2 + 1);
    other.axis_count = axes;
    for (uint32_t i = 0; i < axes; i++) other.axis[i] = 3 - axes + i;
    here = other;
    here.in.data = here.out.data = there;
    for (int back = 0; back < 2; back++) {
        CHECK_EQ(padic_fft_transform(context, &other), PADIC_OK);
        if (planned) CHECK_EQ(padic_fft_plan_create(context, &here, &here.plan), PADIC_OK);
        for (int again = 0; again <= planned; again++) {
            memcpy(there, start, bytes);
            CHECK_EQ(padic_fft_transform(context, &here), PADIC_OK);
            for (uint64_t i = 0; i < rows; i++) // padding may have changed
                CHECK(!memcmp(there + i * pitch * size, apart + i * pitch * size,
                              (size_t)((back ? n : pitch) * size)));
        }
        padic_fft_plan_destroy(here.plan);
        here.plan = NULL;
        memcpy(start, apart, bytes); // the spectrum, and back to lines as padded
        other.in = here.out;
        other.out = here.in;
        other.in.data = start;
        other.out.data = apart;
        here.in = other.in;
        here.out = other.out;
        here.in.data = here.out.data = there;
        other.direction = here.direction = PADIC_FFT_INVERSE;
    }
    free(start);
    free(apart);
    free(there);
}

TEST(in_place_reals)
{
    contexts_begin(0);
    for (uint32_t c = 0; c < context_count; c++)
        for (uint64_t n = 1; n < 40; n += n < 18 ? 1 : 7)
            for (int wide = 0; wide < 2; wide++)
                padded(contexts[c], n, wide, (uint32_t)(n + c) % 3 + 1, (int)(n / 3 % 2));
    padded(contexts[1], 300, 0, 1, 1);
    contexts_end();
}

TEST(next_size)
{
    uint64_t want = 1;
    for (uint64_t n = 3000; n > 0; n--) {
        if (n == 3000) want = 3000; // 2^3 3 5^3
        if (smooth(n)) want = n;
        CHECK_EQ(padic_fft_next_size(n), want);
    }
    CHECK_EQ(padic_fft_next_size(0), 1);
    CHECK_EQ(padic_fft_next_size(1048573), 1048576);
    CHECK_EQ(padic_fft_next_size((UINT64_C(1) << 63) - 1), UINT64_C(1) << 63);
    CHECK_EQ(padic_fft_next_size((UINT64_C(1) << 63) + 1), 0);
    CHECK_EQ(padic_fft_next_size(UINT64_MAX), 0);
}

// Twiddles are the nearest doubles: of those that are known, and within half a unit of libm's.
TEST(roots)
{
    static const uint64_t orders[] = {1, 2, 3, 8, 12, 1000, 1048576, 1048573, 1073741824};
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
        const uint64_t n = orders[i];
        padici_fft_roots roots;
        double r[2];
        REQUIRE(padici_fft_roots_begin(&roots, NULL, n) == PADIC_OK);
        padici_fft_root(&roots, 0, r);
        CHECK(r[0] == 1 && r[1] == 0);
        for (int j = 0; j < 1000; j++) {
            const uint64_t k = test_random() % n;
            const long double turn = 2 * PI * (long double)k / (long double)n;
            padici_fft_root(&roots, k, r);
            CHECK(fabsl(r[0] - cosl(turn)) <= ldexpl(1, -54) + ldexpl(1, -61));
            CHECK(fabsl(r[1] + sinl(turn)) <= ldexpl(1, -54) + ldexpl(1, -61));
        }
        if (n % 8 == 0) {
            padici_fft_root(&roots, n / 8, r);
            CHECK(r[0] == 0.70710678118654752440 && r[1] == -r[0]);
            padici_fft_root(&roots, n / 4, r);
            CHECK(r[0] == 0 && r[1] == -1);
            padici_fft_root(&roots, n / 2, r);
            CHECK(r[0] == -1 && r[1] == 0);
        }
        padici_fft_roots_end(&roots);
    }
}

TEST_MAIN("test_fft", CASE(lengths), CASE(reals), CASE(axes), CASE(long_lines), CASE(workers),
          CASE(many_workers), CASE(memory), CASE(not_finite), CASE(hostile), CASE(in_place_reals),
          CASE(next_size), CASE(roots))
