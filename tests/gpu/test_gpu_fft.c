// test_gpu_fft.c: Fourier transforms in buffers of a device. Every way of a length (whole lines, a
// matrix, a convolution) within the area's bound of the reference in f64, which test_fft.c has
// compared with the definition; recordings, and more lengths than tables are kept of.
//
//     ./test_gpu_fft                 devices: see gpu_devices.h
#define PADIC_IMPLEMENT_GPU
#include "../support/inside.h"
#include "../../padic.h"
#include "gpu_devices.h"
#include <math.h>


static int is_real(padic_dtype dtype)
{
    return dtype == PADIC_F32 || dtype == PADIC_F64;
}

static uint64_t reals_of(const padic_tensor *t)
{
    return padic_tensor_count(t) * (is_real(t->dtype) ? 1 : 2);
}

// Moderate numbers for `from` reals, to the device in its own precision.
static padic_tensor tensor_there(padic_context *context, const padic_tensor *like, int is_double,
                                 const double *from)
{
    const uint64_t n = reals_of(like), size = is_double ? 8 : 4;
    padic_tensor t = *like;
    padic_buffer_desc desc = PADIC_ZERO;
    padic_buffer buffer = {0};
    float *narrow = (float *)malloc((size_t)n * 4 + 4);
    for (uint64_t i = 0; from && i < n; i++) narrow[i] = (float)from[i];
    if (!is_double) t.dtype = is_real(t.dtype) ? PADIC_F32 : PADIC_C64;
    desc.size = n * size;
    CHECK_EQ(padic_buffer_create(context, &desc, &buffer), PADIC_OK);
    if (from)
        CHECK_EQ(padic_buffer_upload(context, buffer, 0, is_double ? (const void *)from : narrow,
                                     n * size),
                 PADIC_OK);
    free(narrow);
    t.data = NULL;
    return padic_tensor_in(t, buffer, 0);
}

static double *random_reals(uint64_t n)
{
    double *x = (double *)malloc((size_t)n * 8 + 8);
    for (uint64_t i = 0; i < n; i++)
        x[i] = (double)((float)(int32_t)(test_random() >> 40) / 8388608.0f - 1.0f);
    return x;
}

// Relative error in the L2 norm of what is in `t`, against `want`.
static double error_there(padic_context *context, const padic_tensor *t, const double *want)
{
    const int is_double = t->dtype == PADIC_F64 || t->dtype == PADIC_C128;
    const uint64_t n = reals_of(t);
    double sum = 0, off = 0;
    char *got = (char *)malloc((size_t)n * 8);
    CHECK_EQ(padic_buffer_download(context, t->buffer, 0, got, n * (is_double ? 8 : 4)), PADIC_OK);
    for (uint64_t i = 0; i < n; i++) {
        const double x = is_double ? ((double *)(void *)got)[i] : (double)((float *)(void *)got)[i];
        off += (x - want[i]) * (x - want[i]);
        sum += want[i] * want[i];
    }
    free(got);
    return sqrt(off / (sum + 1e-300));
}

static int smooth(uint64_t n)
{
    return padic_fft_next_size(n) == n;
}

// `kind` 0 complex, 1 from reals, 2 to reals; `shape`: of what is whole; the axes 0 to `axes` - 1
// of those listed.
static void one(padic_context *context, int is_double, int kind, uint32_t rank,
                const uint64_t *shape, uint32_t axes, const uint32_t *axis, int inverse)
{
    padic_fft_transform_desc exact = PADIC_ZERO, there;
    padic_device_info info;
    double n = 1, bound, error, *in, *want;
    int convolved = 0;
    padic_context_device_info(context, &info);
    if (is_double && !(info.features & PADIC_FEATURE_F64)) return;
    exact.in.dtype = kind == 1 ? PADIC_F64 : PADIC_C128;
    exact.out.dtype = kind == 2 ? PADIC_F64 : PADIC_C128;
    exact.in.rank = exact.out.rank = rank;
    memcpy(exact.in.shape, shape, rank * sizeof *shape);
    memcpy(exact.out.shape, shape, rank * sizeof *shape);
    if (kind) {
        padic_tensor *half = kind == 1 ? &exact.out : &exact.in;
        half->shape[axis[axes - 1]] = shape[axis[axes - 1]] / 2 + 1;
    }
    exact.axis_count = axes;
    memcpy(exact.axis, axis, axes * sizeof *axis);
    exact.direction = kind == 2 || (!kind && inverse) ? PADIC_FFT_INVERSE : PADIC_FFT_FORWARD;
    for (uint32_t i = 0; i < axes; i++) {
        n *= (double)shape[axis[i]];
        convolved |= !smooth(shape[axis[i]]);
    }
    in = random_reals(reals_of(&exact.in));
    want = random_reals(reals_of(&exact.out));
    there = exact;
    there.in = tensor_there(context, &exact.in, is_double, in);
    there.out = tensor_there(context, &exact.out, is_double, NULL);
    exact.in.data = in;
    exact.out.data = want;
    CHECK_EQ(padic_fft_transform(NULL, &exact), PADIC_OK);
    CHECK_EQ(padic_fft_transform(context, &there), PADIC_OK);
    bound = (n > 4 ? log2(n) : 2) * (is_double ? ldexp(1, -53) : ldexp(1, -24));
    if (is_double) bound *= 2; // the reference has that error, too
    if (convolved) bound *= 4;
    error = error_there(context, &there.out, want);
    if (!(error <= bound)) {
        printf("\n  kind %d, %s, %lu: error %g, bound %g", kind, is_double ? "f64" : "f32",
               (unsigned long)shape[axis[0]], error, bound);
        test_failed(__FILE__, __LINE__, "the bound of the error");
    }
    free(in);
    free(want);
    CHECK_EQ(padic_buffer_destroy(context, there.in.buffer), PADIC_OK);
    CHECK_EQ(padic_buffer_destroy(context, there.out.buffer), PADIC_OK);
}

TEST(lengths)
{
    static const uint64_t lengths[] = {1,    2,    3,    4,    5,    6,    7,    8,    9,    11,
                                       13,   30,   64,   105,  343,  512,  625,  997,  1024, 1031,
                                       2048, 2058, 2187, 3001, 4096, 6561, 10007, 16384, 65536};
    static const uint32_t axis[1] = {0}, last[1] = {1};
    open_devices();
    for (int d = 0; d < device_count; d++)
        for (size_t i = 0; i < sizeof lengths / sizeof *lengths - (test_tiny ? 3 : 0); i++) {
            const uint64_t n = lengths[i], in_order[2] = {2, n}, across[2] = {n, n < 100 ? 37 : 3};
            for (int wide = 0; wide < 2; wide++) {
                one(devices[d], wide, (int)(i % 3), 2, in_order, 1, last, (int)i % 2);
                one(devices[d], wide, (int)(i + 1) % 3, 2, across, 1, axis, wide);
                if (test_tiny) continue;
                one(devices[d], wide, (int)(i + 2) % 3, 2, in_order, 1, last, wide);
            }
        }
}

TEST(axes)
{
    static const uint64_t shape[4] = {6, 20, 5, 14}, longer[3] = {3, 2100, 11};
    static const uint32_t axes[][3] = {{0, 1, 2}, {3, 1, 0}, {2, 3, 1}, {1, 0, 3}};
    static const uint32_t both[3] = {1, 2, 0};
    open_devices();
    for (int d = 0; d < device_count; d++)
        for (int kind = 0; kind < 3; kind++) {
            for (uint32_t i = 0; i < 4; i++)
                one(devices[d], (int)i % 2, kind, 4, shape, 1 + (i + 2) % 3, axes[i], (int)i / 2);
            one(devices[d], 0, kind, 3, longer, 3, both, kind);
        }
}

TEST(lines_apart) // a number that is none stays in its line
{
    static const uint64_t lengths[] = {16, 11, 2100};
    open_devices();
    for (int d = 0; d < device_count; d++)
        for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
            const uint64_t n = lengths[i], lines = 5;
            padic_fft_transform_desc desc = PADIC_ZERO;
            double *in = random_reals(2 * n * lines);
            float *got = (float *)malloc((size_t)(n * lines) * 8);
            uint64_t finite = 0;
            padic_tensor t = padic_tensor_2d(PADIC_C128, NULL, lines, n);
            in[2 * n * 2 + 5] = NAN;
            in[2 * n * 4] = INFINITY;
            desc.out = tensor_there(devices[d], &t, 0, in);
            CHECK_EQ(padic_fft_transform(devices[d], &desc), PADIC_OK);
            CHECK_EQ(padic_buffer_download(devices[d], desc.out.buffer, 0, got, n * lines * 8),
                     PADIC_OK);
            for (uint64_t j = 0; j < 2 * n * lines; j++) finite += isfinite(got[j]) != 0;
            CHECK(finite >= 2 * n * 3 && isfinite(got[0]) && isfinite(got[2 * n]));
            for (uint64_t j = 0; j < 2 * n; j++) CHECK(isfinite(got[2 * n * 3 + j]));
            for (uint64_t j = 0; j < n; j++)
                CHECK((!isfinite(got[2 * (2 * n + j)]) || !isfinite(got[2 * (2 * n + j) + 1])) &&
                      !isfinite(got[2 * (4 * n + j)]));
            free(in);
            free(got);
            CHECK_EQ(padic_buffer_destroy(devices[d], desc.out.buffer), PADIC_OK);
        }
}

// A recording takes a transform whose tables are there; replayed, it transforms what lies there.
TEST(recorded)
{
    open_devices();
    for (int d = 0; d < device_count; d++)
        for (int length = 0; length < 3; length++) {
            static const uint64_t lengths[] = {77, 2200, 1019}; // of no other test
            const uint64_t n = lengths[length];
            padic_context *const context = devices[d];
            padic_fft_transform_desc exact = PADIC_ZERO, there;
            padic_record record = {0};
            double *in = random_reals(4 * n), *want = in + 2 * n;
            float *narrow = (float *)malloc((size_t)n * 8);
            exact.in = padic_tensor_1d(PADIC_C128, NULL, n);
            exact.out = exact.in;
            there = exact;
            there.in = tensor_there(context, &exact.in, 0, in);
            there.out = tensor_there(context, &exact.out, 0, NULL);
            CHECK_EQ(padic_record_begin(context), PADIC_OK);
            CHECK_EQ(padic_fft_transform(context, &there), PADIC_ERROR_ARGUMENT);
            CHECK(padic_record_end(context, &record) != PADIC_OK);
            CHECK_EQ(padic_fft_transform(context, &there), PADIC_OK);
            CHECK_EQ(padic_record_begin(context), PADIC_OK);
            CHECK_EQ(padic_fft_transform(context, &there), PADIC_OK);
            CHECK_EQ(padic_record_end(context, &record), PADIC_OK);
            for (int again = 0; again < 2; again++) {
                for (uint64_t i = 0; i < 2 * n; i++) {
                    in[i] = -in[i] * (again + 1);
                    narrow[i] = (float)in[i];
                }
                exact.in.data = in;
                exact.out.data = want;
                CHECK_EQ(padic_fft_transform(NULL, &exact), PADIC_OK);
                CHECK_EQ(padic_buffer_upload(context, there.in.buffer, 0, narrow, n * 8), PADIC_OK);
                CHECK_EQ(padic_record_replay(context, record, 1), PADIC_OK);
                CHECK(error_there(context, &there.out, want) < 1e-6);
            }
            CHECK_EQ(padic_record_drop(context, record), PADIC_OK);
            CHECK_EQ(padic_buffer_destroy(context, there.in.buffer), PADIC_OK);
            CHECK_EQ(padic_buffer_destroy(context, there.out.buffer), PADIC_OK);
            free(in);
            free(narrow);
        }
}

TEST(in_place_reals) // lines padded to 2 (n/2 + 1), on the device and moved there
{
    open_devices();
    for (int d = 0; d < device_count; d++)
        for (int way = 0; way < 4; way++) {
            enum { ROWS = 5, N = 90, PITCH = 92, ALL = ROWS * PITCH };
            const int back = way / 2, moved = way % 2;
            float from[ALL], want[ALL], got[ALL];
            double error = 0;
            padic_buffer_desc buffer = PADIC_ZERO;
            padic_fft_transform_desc desc = PADIC_ZERO;
            for (int i = 0; i < ALL; i++) from[i] = (float)(i * 37 % 101) - 50;
            desc.in = padic_tensor_2d(PADIC_F32, want, ROWS, N);
            desc.in.stride[0] = PITCH;
            desc.in.stride[1] = 1;
            desc.out = padic_tensor_2d(PADIC_C64, want, ROWS, N / 2 + 1);
            if (back) {
                const padic_tensor real = desc.in;
                desc.in = desc.out;
                desc.out = real;
                desc.direction = PADIC_FFT_INVERSE;
            }
            memcpy(want, from, sizeof want);
            memcpy(got, from, sizeof got);
            CHECK_EQ(padic_fft_transform(NULL, &desc), PADIC_OK);
            buffer.size = sizeof from;
            buffer.data = from;
            desc.in.data = desc.out.data = moved ? got : NULL;
            if (!moved)
                CHECK_EQ(padic_buffer_create(devices[d], &buffer, &desc.in.buffer), PADIC_OK);
            desc.out.buffer = desc.in.buffer;
            CHECK_EQ(padic_fft_transform(devices[d], &desc), PADIC_OK);
            if (!moved) {
                CHECK_EQ(padic_buffer_download(devices[d], desc.in.buffer, 0, got, sizeof got),
                         PADIC_OK);
                CHECK_EQ(padic_buffer_destroy(devices[d], desc.in.buffer), PADIC_OK);
            }
            for (int i = 0; i < ALL; i++)
                if (!back || i % PITCH < N)
                    error = fmax(error, fabs((double)(got[i] - want[i])));
            CHECK(error < 1e-3);
        }
}

TEST(many) // more lengths than tables are kept of
{
    static const uint32_t axis[1] = {0};
    open_devices();
    for (int d = 0; d < device_count; d++)
        for (uint64_t n = 1; n < 80; n++) one(devices[d], 0, (int)(n % 3), 1, &n, 1, axis, 0);
}

TEST(layouts)
{
    for (uint64_t n = 1; n < (UINT64_C(1) << 24); n += n < 3000 ? 1 : n / 7)
        for (uint32_t wide = 0; wide < 2; wide++) {
            const uint64_t most = wide ? 1024 : 2048;
            padici_gpu_fft_layout layout;
            const int done = padici_gpu_fft_layout_of(n, wide, &layout);
            if (n <= most) CHECK(done);
            if (n > most * most) CHECK(!done);
            if (!done) continue;
            CHECK_EQ(layout.n, n);
            CHECK_EQ((uint64_t)layout.n1 * layout.n2, layout.m);
            CHECK(layout.n1 <= most && layout.n2 <= most && smooth(layout.m));
            CHECK(layout.m == n || layout.m >= 2 * n - 1);
            CHECK(smooth(n) || layout.m != n);
        }
}

TEST_MAIN("gpu_fft", CASE(lengths), CASE(axes), CASE(lines_apart), CASE(recorded),
          CASE(in_place_reals), CASE(many), CASE(layouts), CASE(no_kernel_was_dropped))
