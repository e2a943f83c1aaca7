// test_fft.c: transforms against sums in long double, closed forms and theorems; hostile input.

#define PADIC_IMPLEMENTATION
#include "../../padic.h"
#include "../../backends/padic_simd.h"
#include "../../backends/padic_threads.h"
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

static padic_context *contexts[4]; // NULL, simd, simd lower, simd with threads
static padic_threads *pool;
static uint32_t context_count;
static double worst_seen;

static void open_contexts(void)
{
    static const char *const names[] = {"avx2", "neon"};
    padic_context_desc desc = PADIC_ZERO;
    contexts[context_count++] = NULL;
    desc.backends[0] = padic_simd();
    if (!padic_context_create(&desc, &contexts[context_count])) context_count++;
    for (int i = 0; i < 2; i++) {
        desc.device.name = names[i];
        if (!padic_context_create(&desc, &contexts[context_count])) {
            context_count++;
            break;
        }
    }
    memset(&desc, 0, sizeof desc);
    pool = padic_threads_create(3, NULL);
    if (!pool) return;
    desc.jobs = padic_threads_jobs(pool);
    desc.backends[0] = padic_simd();
    if (!padic_context_create(&desc, &contexts[context_count])) context_count++;
}

static void close_contexts(void)
{
    while (context_count) padic_context_destroy(contexts[--context_count]);
    padic_threads_destroy(pool);
}

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
    open_contexts();
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
    close_contexts();
}

TEST(reals)
{
    open_contexts();
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
    close_contexts();
}

TEST_MAIN("test_fft", CASE(lengths), CASE(reals))
