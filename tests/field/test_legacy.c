// test_legacy.c: the legacy energy and step, and homogeneous condensates, against closed forms,
// published values and sums in long double; hostile input.

#define PADIC_ONLY_FIELD
#define PADIC_IMPLEMENTATION
#include "../../padic.h"
#include "../../backends/padic_simd.h"
#include "../../backends/padic_threads.h"
#include "../support/contexts.h"
#include "../support/padic_test.h"

#include <math.h>

static int warnings;

static void count_warnings(padic_log_level level, uint32_t item, const char *text, void *user)
{
    (void)user;
    (void)item;
    if (level == PADIC_LOG_WARNING && strstr(text, "unstable")) warnings++;
}

// ------------------------------------------------------------------------------------- definition

// phi, of rank 3, and what the definition gives.
typedef struct exact {
    int n[3];
    long double *phi, *out, sum[4]; // energy, kinetic, norm, interaction
} exact;

static const long double *exact_at(const exact *x, int i, int j, int k)
{
    const int *n = x->n;
    return x->phi + 2 * (((i + n[0]) % n[0] * n[1] + (j + n[1]) % n[1]) * n[2] + (k + n[2]) % n[2]);
}

static void exact_run(exact *x, long double m2, long double lambda, int d, long double dt)
{
    long double factorial = 1;
    for (int i = 2; i <= d; i++) factorial *= i;
    memset(x->sum, 0, sizeof x->sum);
    for (int at = 0; at < x->n[0] * x->n[1] * x->n[2]; at++) {
        const int p[3] = {at / x->n[2] / x->n[1], at / x->n[2] % x->n[1], at % x->n[2]};
        const long double *z = exact_at(x, p[0], p[1], p[2]);
        const long double size = hypotl(z[0], z[1]);
        long double h[2];
        for (int c = 0; c < 2; c++) h[c] = (m2 + lambda * powl(size, d - 2)) * z[c];
        for (int a = 0; a < 3; a++) {
            int low[3] = {p[0], p[1], p[2]}, high[3] = {p[0], p[1], p[2]};
            low[a]--;
            high[a]++;
            const long double *below = exact_at(x, low[0], low[1], low[2]);
            const long double *above = exact_at(x, high[0], high[1], high[2]);
            for (int c = 0; c < 2; c++) h[c] -= below[c] + above[c] - 2 * z[c];
            if (x->n[a] == 1) continue;
            long double length = 2;
            if (p[a] == 0) below = z, length = 1;
            if (p[a] == x->n[a] - 1) above = z, length = 1;
            for (int c = 0; c < 2; c++) {
                const long double slope = (above[c] - below[c]) / length;
                x->sum[1] += slope * slope;
            }
        }
        x->sum[2] += size * size;
        x->sum[3] += powl(size, d);
        x->out[2 * at] = z[0] + dt * h[1];
        x->out[2 * at + 1] = z[1] - dt * h[0];
    }
    x->sum[0] = x->sum[1] + m2 / 2 * x->sum[2] + lambda / factorial * x->sum[3];
}

// ----------------------------------------------------------------------------------------- legacy

static const double m2 = -0.5, lambda = 0.1;

// phi = 0.1 (cos(x + 2 y + 3 z) + i sin(x - y + z)) on 4^3 points.
static void wave_field(double *phi)
{
    for (int i = 0; i < 64; i++) {
        const int x = i / 16, y = i / 4 % 4, z = i % 4;
        phi[2 * i] = 0.1 * cos(x + 2 * y + 3 * z);
        phi[2 * i + 1] = 0.1 * sin(x - y + z);
    }
}

TEST(published)
{
    static const double step[2][5] = {
        {0.0990174090, -0.0073167895, 0.0167180369, 0.0904984719, 0.6512377888},
        {0.0990174090, -0.0073077895, 0.0167104445, 0.0904996136, 0.6512303601}};
    static const double energy[2] = {2.1801657472, 2.1790231676};
    double phi[128], out[128];
    float single[128], single_out[128];
    wave_field(phi);
    for (int i = 0; i < 128; i++) single[i] = (float)phi[i];
    contexts_begin(1);
    for (uint32_t c = 0; c < context_count; c++)
        for (int d = 3; d < 5; d++)
            for (int wide = 0; wide < 2; wide++) {
                const double slack = wide ? 1e-9 : 1e-6;
                double sum = 0;
                padic_field_legacy_energy_report report;
                padic_field_legacy_energy_desc measure = PADIC_ZERO;
                padic_field_legacy_euler_desc euler = PADIC_ZERO;
                measure.phi = euler.phi = wide ? padic_tensor_3d(PADIC_C128, phi, 4, 4, 4)
                                               : padic_tensor_3d(PADIC_C64, single, 4, 4, 4);
                euler.out = wide ? padic_tensor_3d(PADIC_C128, out, 4, 4, 4)
                                 : padic_tensor_3d(PADIC_C64, single_out, 4, 4, 4);
                measure.mass_squared = euler.mass_squared = m2;
                measure.lambda = euler.lambda = lambda;
                measure.power = euler.power = d == 3 ? 0 : 4;
                measure.report = &report;
                euler.dt = 0.01;
                REQUIRE(padic_field_legacy_energy(contexts[c], &measure) == PADIC_OK);
                CHECK_NEAR(report.kinetic, 2.3411612139, slack);
                CHECK_NEAR(report.energy, energy[d - 3], slack);
                CHECK_NEAR(report.norm, 0.6486833118, slack);
                REQUIRE(padic_field_legacy_euler(contexts[c], &euler) == PADIC_OK);
                for (int i = 0; i < 128 && !wide; i++) out[i] = (double)single_out[i];
                for (int i = 0; i < 128; i++) sum += out[i] * out[i];
                CHECK_NEAR(out[0], step[d - 3][0], slack);
                CHECK_NEAR(out[1], step[d - 3][1], slack);
                CHECK_NEAR(out[2 * 27], step[d - 3][2], slack);
                CHECK_NEAR(out[2 * 27 + 1], step[d - 3][3], slack);
                CHECK_NEAR(sum, step[d - 3][4], slack);
            }
    contexts_end();
}

// A tensor of any strides that holds x, and room for as much.
static void store(const exact *x, const int64_t *stride, padic_dtype dtype, void *data, int64_t at0)
{
    for (int i = 0; i < x->n[0] * x->n[1] * x->n[2]; i++) {
        const int64_t at = at0 + i / x->n[2] / x->n[1] * stride[0] +
                           i / x->n[2] % x->n[1] * stride[1] + i % x->n[2] * stride[2];
        for (int c = 0; c < 2; c++)
            if (dtype == PADIC_C128) ((double *)data)[2 * at + c] = (double)x->phi[2 * i + c];
            else ((float *)data)[2 * at + c] = (float)x->phi[2 * i + c];
    }
}

// Shapes of every remainder of vectors, strides, ranks, powers, both types, all contexts.
static void compare(const int n[3], uint32_t rank, int spread, uint32_t power, double size)
{
    const int points = n[0] * n[1] * n[2];
    const size_t room = (size_t)points * 3 * 16 + 64;
    char *in = (char *)malloc(room), *out = (char *)malloc(room), *first = (char *)malloc(room);
    exact x;
    uint64_t shape[3];
    memcpy(x.n, n, sizeof x.n);
    x.phi = (long double *)malloc((size_t)points * 4 * sizeof *x.phi);
    x.out = x.phi + 2 * points;
    for (uint32_t i = 0; i < rank; i++) shape[i] = (uint64_t)n[3 - rank + i];
    for (int wide = 0; wide < 2; wide++) {
        const padic_dtype dtype = wide ? PADIC_C128 : PADIC_C64;
        // The term of the power has power + 6 roundings: |z|^2 (3), its powers, lambda, z, the
        // sum, dt and the last sum.
        const double unit = (power + 6) * (wide ? 1.2e-16 : 6e-8);
        int64_t stride[3];
        long double most = 0;
        stride[2] = spread ? 2 : 1;
        stride[1] = stride[2] * n[2] + (spread ? 1 : 0);
        stride[0] = stride[1] * n[1];
        for (int i = 0; i < 2 * points; i++) {
            x.phi[i] = (long double)(int64_t)test_random() / 9.3e18L * size;
            x.phi[i] = wide ? (long double)(double)x.phi[i] : (long double)(float)x.phi[i];
        }
        exact_run(&x, m2, lambda, (int)power, 0.01L);
        for (int i = 0; i < 2 * points; i++) most = fmaxl(most, fabsl(x.out[i]));
        store(&x, stride, dtype, in, 0);
        for (uint32_t c = 0; c < context_count; c++) {
            padic_field_legacy_energy_report report;
            padic_field_legacy_energy_desc measure = PADIC_ZERO;
            padic_field_legacy_euler_desc euler = PADIC_ZERO;
            measure.phi = euler.phi = padic_tensor_nd(dtype, in, rank, shape);
            euler.out = padic_tensor_nd(dtype, out, rank, shape);
            for (uint32_t i = 0; i < rank && spread; i++)
                measure.phi.stride[i] = euler.phi.stride[i] = euler.out.stride[i] =
                    stride[3 - rank + i];
            measure.mass_squared = euler.mass_squared = m2;
            measure.lambda = euler.lambda = lambda;
            measure.power = euler.power = power;
            measure.report = &report;
            euler.dt = 0.01;
            memset(out, 0x5a, room);
            REQUIRE(padic_field_legacy_euler(contexts[c], &euler) == PADIC_OK);
            for (int i = 0; i < points; i++) {
                const int64_t at = i / n[2] / n[1] * stride[0] + i / n[2] % n[1] * stride[1] +
                                   i % n[2] * stride[2];
                for (int k = 0; k < 2; k++) {
                    const double got = wide ? ((double *)(void *)out)[2 * at + k]
                                            : (double)((float *)(void *)out)[2 * at + k];
                    CHECK_NEAR(got, x.out[2 * i + k], unit * (double)most);
                    memset(out + (2 * at + k) * (wide ? 8 : 4), 0x5a, wide ? 8 : 4);
                }
            }
            for (size_t i = 0; i < room; i++)
                if (out[i] != 0x5a) {
                    CHECK(0); // a byte between or after the elements was written
                    break;
                }
            REQUIRE(padic_field_legacy_energy(contexts[c], &measure) == PADIC_OK);
            CHECK_NEAR(report.kinetic, x.sum[1], 4 * unit * (double)x.sum[1]);
            CHECK_NEAR(report.norm, x.sum[2], 4 * unit * (double)x.sum[2]);
            CHECK_NEAR(report.interaction, x.sum[3], 4 * unit * (double)x.sum[3]);
            CHECK_NEAR(report.energy, x.sum[0],
                       4 * unit * (double)(x.sum[1] + x.sum[2] + x.sum[3]));
            REQUIRE(padic_field_legacy_euler(contexts[c], &euler) == PADIC_OK);
            if (c == 2) memcpy(first, out, room); // threads change no bit
            if (c + 1 == context_count && c > 2) CHECK(!memcmp(first, out, room));
        }
    }
    free(x.phi);
    free(in);
    free(out);
    free(first);
}

TEST(shapes)
{
    contexts_begin(1);
    for (int last = 1; last <= (test_tiny ? 19 : 40); last++) {
        const int n[3] = {1 + last % 3, 1 + last * 7 % 5, last}, line[3] = {1, 1, last};
        compare(n, 3, last % 4 == 1, 3 + (uint32_t)last % 3, 0.3);
        compare(line, 1, 0, 3, 1);
    }
    for (int i = 0; i < 6; i++) {
        static const int n[6][3] = {{16, 16, 16}, {1, 40, 33}, {9, 1, 64}, {33, 12, 17}, {1, 2, 2},
                                    {2, 1, 1}};
        compare(n[i], n[i][0] == 1 ? 2 : 3, i % 2, 3 + (uint32_t)i * 3, 0.5);
    }
    compare((const int[3]){3, 4, 21}, 3, 0, 20, 1.1);
    contexts_end();
}

// The sums have the same bits for any number of workers.
TEST(threads)
{
    const uint64_t n = 48;
    float *phi = (float *)malloc(n * n * n * 8);
    padic_field_legacy_energy_report report[6];
    for (uint64_t i = 0; i < 2 * n * n * n; i++)
        phi[i] = (float)((double)(int64_t)test_random() / 9.3e18);
    contexts_begin(1);
    for (uint32_t c = 0; c < context_count; c++) {
        padic_field_legacy_energy_desc desc = PADIC_ZERO;
        desc.phi = padic_tensor_3d(PADIC_C64, phi, n, n, n);
        desc.mass_squared = m2;
        desc.lambda = lambda;
        desc.report = &report[c];
        REQUIRE(padic_field_legacy_energy(contexts[c], &desc) == PADIC_OK);
        CHECK_NEAR(report[c].energy, report[0].energy, 1e-6 * report[0].kinetic);
    }
    CHECK(!memcmp(&report[0], &report[1], sizeof *report));
    if (contexts_workers) CHECK(!memcmp(&report[2], &report[context_count - 1], sizeof *report));
    contexts_end();
    free(phi);
}

// The shortest wave grows by 1 + dt^2 e^2 in a step, e = 12 + m2.
TEST(instability)
{
    contexts_begin(1);
    for (uint32_t c = 0; c < context_count; c++) {
        double phi[2][128], norm = 0;
        padic_field_legacy_euler_desc desc = PADIC_ZERO;
        for (int i = 0; i < 64; i++) {
            phi[0][2 * i] = (i / 16 + i / 4 + i) % 2 ? -1 : 1;
            phi[0][2 * i + 1] = 0;
        }
        desc.mass_squared = m2;
        desc.dt = 0.01;
        for (int s = 0; s < 1000; s++) {
            desc.phi = padic_tensor_3d(PADIC_C128, phi[s % 2], 4, 4, 4);
            desc.out = padic_tensor_3d(PADIC_C128, phi[1 - s % 2], 4, 4, 4);
            REQUIRE(padic_field_legacy_euler(contexts[c], &desc) == PADIC_OK);
            if (s) continue;
            for (int i = 0; i < 128; i++) norm += phi[1][i] * phi[1][i];
            CHECK_NEAR(norm / 64, 1.013225, 1e-10);
        }
        norm = 0;
        for (int i = 0; i < 128; i++) norm += phi[0][i] * phi[0][i];
        CHECK_NEAR(norm / 64 / 5.0803882e5, 1, 1e-8);
    }
    contexts_end();
}

// The twin whose energy belongs to its evolution: a plan's, on the same field.
TEST(twin)
{
    static const double want[2][2] = {{3.8493110051, 3.8516617276}, {3.8450029400, 3.8453963199}};
    double phi[128], potential[64];
    wave_field(phi);
    for (int i = 0; i < 64; i++) potential[i] = m2;
    for (int d = 3; d < 5; d++) {
        padic_field_record record;
        padic_field_energy_desc desc = PADIC_ZERO;
        desc.field.dims = 3;
        for (int a = 0; a < 3; a++) {
            desc.field.shape[a] = 4;
            desc.field.spacing[a] = 1;
        }
        desc.field.dtype = PADIC_C128;
        desc.field.method = PADIC_FIELD_METHOD_RK4;
        desc.field.dt = 0.01;
        desc.field.kinetic = 1;
        desc.field.potential = padic_tensor_3d(PADIC_F64, potential, 4, 4, 4);
        desc.field.power[0].g = lambda;
        desc.field.power[0].p = d;
        desc.psi = padic_tensor_3d(PADIC_C128, phi, 4, 4, 4);
        desc.report = &record;
        REQUIRE(padic_field_energy(NULL, &desc) == PADIC_OK);
        CHECK_NEAR(record.energy, want[d - 3][0], 1e-9);
        CHECK_NEAR(record.mu * record.norm, want[d - 3][1], 1e-9);
    }
}

TEST(logged_once)
{
    double phi[16], out[16];
    padic_context_desc open = PADIC_ZERO;
    padic_context *context;
    padic_field_legacy_euler_desc desc = PADIC_ZERO;
    memset(phi, 0, sizeof phi);
    open.log.write = count_warnings;
    warnings = 0;
    REQUIRE(padic_context_create(&open, &context) == PADIC_OK);
    desc.phi = padic_tensor_1d(PADIC_C128, phi, 8);
    desc.out = padic_tensor_1d(PADIC_C128, out, 8);
    CHECK_EQ(padic_field_legacy_euler(context, &desc), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(warnings, 0);
    desc.dt = -0.5;
    for (int i = 0; i < 3; i++) CHECK_EQ(padic_field_legacy_euler(context, &desc), PADIC_OK);
    CHECK_EQ(warnings, 1); // in each context
    padic_context_destroy(context);
}

TEST(legacy_values)
{
    contexts_begin(1);
    for (uint32_t c = 0; c < context_count; c++) { // NaN spreads to its neighbours, zeros stay
        float phi[2 * 25], out[2 * 25];
        padic_field_legacy_energy_report report;
        padic_field_legacy_energy_desc measure = PADIC_ZERO;
        padic_field_legacy_euler_desc desc = PADIC_ZERO;
        memset(phi, 0, sizeof phi);
        desc.phi = measure.phi = padic_tensor_1d(PADIC_C64, phi, 25);
        desc.out = padic_tensor_1d(PADIC_C64, out, 25);
        desc.dt = 1;
        desc.lambda = measure.lambda = 1;
        measure.report = &report;
        CHECK_EQ(padic_field_legacy_euler(contexts[c], &desc), PADIC_OK);
        CHECK_EQ(padic_field_legacy_energy(contexts[c], &measure), PADIC_OK);
        CHECK_NEAR(report.energy, 0, 0);
        for (int i = 0; i < 50; i++) CHECK_NEAR(out[i], 0, 0);
        phi[2 * 7] = NAN;
        CHECK_EQ(padic_field_legacy_euler(contexts[c], &desc), PADIC_OK);
        CHECK_EQ(padic_field_legacy_energy(contexts[c], &measure), PADIC_OK);
        CHECK(report.energy != report.energy);
        for (int i = 0; i < 25; i++) {
            const int bad = out[2 * i] != out[2 * i] || out[2 * i + 1] != out[2 * i + 1];
            CHECK_EQ(bad, i >= 6 && i <= 8);
        }
        for (int i = 0; i < 50; i++) phi[i] = i % 2 ? 0 : 1e-25f; // squares are 0 in f32
        CHECK_EQ(padic_field_legacy_euler(contexts[c], &desc), PADIC_OK);
        for (int i = 0; i < 25; i++) CHECK_NEAR(out[2 * i], 1e-25f, 1e-31);
    }
    contexts_end();
}

TEST(legacy_bad_input)
{
    static double phi[64], out[64];
    padic_context_desc open = PADIC_ZERO;
    padic_context *context;
    REQUIRE(padic_context_create(&open, &context) == PADIC_OK);
    CHECK_EQ(padic_field_legacy_euler(context, NULL), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(padic_field_legacy_energy(context, NULL), PADIC_ERROR_ARGUMENT);
    for (int i = 0; i < 15; i++) {
        padic_result want = PADIC_ERROR_ARGUMENT, got;
        const char *field = "";
        int both = 1; // the energy has this field, too
        padic_field_legacy_energy_report report;
        padic_field_legacy_energy_desc measure = PADIC_ZERO;
        padic_field_legacy_euler_desc desc = PADIC_ZERO;
        desc.phi = padic_tensor_2d(PADIC_C128, phi, 4, 4);
        desc.out = padic_tensor_2d(PADIC_C128, out, 4, 4);
        desc.dt = 0.01;
        switch (i) {
        case 0: desc.phi.dtype = PADIC_F64, want = PADIC_ERROR_DTYPE, field = "phi"; break;
        case 1:
            desc.phi = padic_tensor_nd(PADIC_C128, phi, 4, desc.phi.shape);
            desc.phi.shape[2] = desc.phi.shape[3] = 1;
            want = PADIC_ERROR_MISMATCH, field = "phi";
            break;
        case 2: desc.mass_squared = NAN, field = "mass_squared"; break;
        case 3: desc.lambda = INFINITY, field = "lambda"; break;
        case 4: desc.power = 2, field = "power"; break;
        case 5: desc.power = 21, field = "power"; break;
        case 6: desc.phi.data = NULL, desc.phi.buffer.id = 99, field = "phi"; break;
        case 7: desc.phi.rank = 0, want = PADIC_ERROR_MISMATCH, field = "phi"; break;
        case 8: desc.dt = 0, both = 0, field = "dt"; break;
        case 9: desc.dt = NAN, both = 0, field = "dt"; break;
        case 10: desc.out.dtype = PADIC_C64, both = 0, want = PADIC_ERROR_DTYPE; break;
        case 11: desc.out.shape[1] = 3, both = 0, want = PADIC_ERROR_MISMATCH, field = "out"; break;
        case 12: desc.out.rank = 1, both = 0, want = PADIC_ERROR_MISMATCH, field = "out"; break;
        case 13: desc.out.data = phi, both = 0, want = PADIC_ERROR_OVERLAP, field = "out"; break;
        default: desc.out.data = phi + 2, both = 0, want = PADIC_ERROR_OVERLAP; break;
        }
        measure.phi = desc.phi;
        measure.mass_squared = desc.mass_squared;
        measure.lambda = desc.lambda;
        measure.power = desc.power;
        measure.report = &report;
        memset(out, 7, sizeof out);
        memset(&report, 7, sizeof report);
        got = padic_field_legacy_euler(context, &desc);
        if (got != want) printf("row %d: %d\n", i, (int)got);
        CHECK_EQ(got, want);
        CHECK(strstr(padic_context_message(context), field) != NULL);
        for (size_t k = 0; k < sizeof out; k++) CHECK(((char *)out)[k] == 7);
        if (!both) continue;
        CHECK_EQ(padic_field_legacy_energy(context, &measure), want);
        CHECK(strstr(padic_context_message(context), field) != NULL);
        for (size_t k = 0; k < sizeof report; k++) CHECK(((char *)&report)[k] == 7);
        measure.phi = padic_tensor_2d(PADIC_C128, phi, 4, 4);
        measure.report = NULL;
        CHECK_EQ(padic_field_legacy_energy(context, &measure), PADIC_ERROR_ARGUMENT);
    }
    for (int i = 0; i < 3; i++) { // nothing to do
        static const uint64_t none[3] = {2, 0, 3}, first[3] = {0, 2, 3}, last[3] = {2, 3, 0};
        padic_field_legacy_energy_report report;
        padic_field_legacy_energy_desc measure = PADIC_ZERO;
        padic_field_legacy_euler_desc desc = PADIC_ZERO;
        desc.phi = padic_tensor_nd(PADIC_C128, phi, 3, i == 0 ? none : i == 1 ? first : last);
        desc.out = desc.phi;
        desc.out.data = out;
        desc.dt = 1;
        measure.phi = desc.phi;
        measure.report = &report;
        memset(out, 7, sizeof out);
        for (int c = 0; c < 2; c++) {
            CHECK_EQ(padic_field_legacy_euler(c ? context : NULL, &desc), PADIC_OK);
            CHECK_EQ(padic_field_legacy_energy(c ? context : NULL, &measure), PADIC_OK);
            CHECK_NEAR(report.energy, 0, 0);
        }
        for (size_t k = 0; k < sizeof out; k++) CHECK(((char *)out)[k] == 7);
    }
    padic_context_destroy(context);
}

// --------------------------------------------------------------------------------------------- GFT

// V'(s) / (2 s) in long double.
static long double slope_at(const padic_field_gft_minimum_desc *desc, long double s)
{
    long double sum = desc->mass;
    for (int k = 0; k < 3; k++)
        if (desc->power[k].g != 0)
            sum += desc->power[k].g *
                   powl(s, (desc->power[k].p != 0 ? desc->power[k].p : 4) - 2);
    return sum;
}

static long double value_at(const padic_field_gft_minimum_desc *desc, long double s)
{
    long double sum = desc->mass * s * s;
    for (int k = 0; k < 3; k++) {
        const long double p = desc->power[k].p != 0 ? desc->power[k].p : 4;
        if (desc->power[k].g != 0) sum += 2 * desc->power[k].g / p * powl(s, p);
    }
    return sum;
}

TEST(stationary_points)
{
    padic_field_gft_minimum_report report;
    for (int d = 3; d < 5; d++) { // m2/2 s^2 + lambda/d! s^d
        padic_field_gft_minimum_desc desc = PADIC_ZERO;
        desc.mass = -0.25;
        desc.power[0].g = 0.1 / (d == 3 ? 4 : 12);
        desc.power[0].p = d == 3 ? 3 : 0;
        desc.report = &report;
        REQUIRE(padic_field_gft_minimum(NULL, &desc) == PADIC_OK);
        REQUIRE(report.count == 2);
        CHECK_EQ(report.minimum, 1);
        CHECK_NEAR(report.point[0].s, 0, 0);
        CHECK_NEAR(report.point[0].curvature, -0.5, 1e-15);
        CHECK_NEAR(report.point[1].s, d == 3 ? 10 : sqrt(30), 1e-12);
        CHECK_NEAR(report.point[1].value, d == 3 ? -25.0 / 3 : -3.75, 1e-12);
        CHECK_NEAR(report.point[1].curvature, d == 3 ? 0.5 : 1, 1e-12);
    }
    {
        padic_field_gft_minimum_desc desc = PADIC_ZERO; // (s - 1)(s - 2)(s - 3) = s V'/2 / s
        desc.mass = -6;
        desc.power[0].g = -6, desc.power[0].p = 4;
        desc.power[1].g = 1, desc.power[1].p = 5;
        desc.power[2].g = 11, desc.power[2].p = 3;
        desc.report = &report;
        REQUIRE(padic_field_gft_minimum(NULL, &desc) == PADIC_OK);
        REQUIRE(report.count == 4);
        for (int i = 1; i < 4; i++) CHECK_NEAR(report.point[i].s, i, 1e-12);
        CHECK(report.point[1].curvature > 0 && report.point[2].curvature < 0);
        CHECK_EQ(report.minimum, 3);
        desc.mass = 4, desc.power[0].g = -4, desc.power[0].p = 3; // (s - 2)^2: touches
        desc.power[1].g = 1, desc.power[1].p = 4;
        desc.power[2].g = 0;
        REQUIRE(padic_field_gft_minimum(NULL, &desc) == PADIC_OK);
        REQUIRE(report.count == 2);
        CHECK_NEAR(report.point[1].s, 2, 1e-7);
        CHECK_EQ(report.minimum, 0);
        desc.power[1].g = -1; // no lower bound
        REQUIRE(padic_field_gft_minimum(NULL, &desc) == PADIC_OK);
        CHECK_EQ(report.minimum, UINT32_MAX);
        memset(&desc, 0, sizeof desc); // V = 0
        desc.report = &report;
        REQUIRE(padic_field_gft_minimum(NULL, &desc) == PADIC_OK);
        CHECK_EQ(report.count, 1);
        CHECK_EQ(report.minimum, 0);
        desc.mass = -1e-300, desc.power[0].g = 1e300, desc.power[0].p = 2.001; // beyond f64
        REQUIRE(padic_field_gft_minimum(NULL, &desc) == PADIC_OK);
        CHECK_EQ(report.count, 1);
    }
}

// Random sums of three terms: changes of sign on a fine grid are the roots that are given.
TEST(random_potentials)
{
    for (int round = 0; round < (test_tiny ? 40 : 120); round++) {
        padic_field_gft_minimum_desc desc = PADIC_ZERO;
        padic_field_gft_minimum_report report;
        uint32_t changes = 0, seen = 0;
        int before = 0;
        desc.report = &report;
        desc.mass = (double)(int64_t)test_random() / 9.3e18;
        for (int k = 0; k < 3; k++) {
            desc.power[k].g = test_random() % 4 ? (double)(int64_t)test_random() / 9.3e18 : 0;
            desc.power[k].p = 2.5 + (double)(test_random() % 12) / 2;
        }
        REQUIRE(padic_field_gft_minimum(NULL, &desc) == PADIC_OK);
        for (double t = -8; t < 8; t += 1.0 / 128) {
            const long double x = slope_at(&desc, expl(t));
            const int sign = (x > 0) - (x < 0);
            changes += before * sign < 0;
            before = sign;
        }
        for (uint32_t i = 1; i < report.count; i++) {
            const long double s = report.point[i].s, h = s * 1e-5L;
            const long double curve =
                (value_at(&desc, s + h) - 2 * value_at(&desc, s) + value_at(&desc, s - h)) / h / h;
            const long double room = fabsl(slope_at(&desc, s * 1.01L)) +
                                     fabsl(slope_at(&desc, s / 1.01L));
            CHECK(report.point[i].s > report.point[i - 1].s);
            CHECK(fabsl(slope_at(&desc, s)) <= 1e-10L * room);
            CHECK_NEAR(report.point[i].value, value_at(&desc, s),
                       1e-12 * (double)(s * s + fabsl(value_at(&desc, s))) +
                           1e-11 * (double)powl(s, 8));
            CHECK_NEAR(report.point[i].curvature / (double)curve, 1,
                       1e-5 + 1e-3 / (double)fabsl(curve));
            seen += report.point[i].s > exp(-8) && report.point[i].s < exp(7.99);
        }
        CHECK(seen == changes || seen == changes + 2); // two roots in one step of the grid
    }
}

// The free case: the bounce in closed form.
TEST(bounce)
{
    const double m = 0.7, E = -0.2496, Q = 0.48, root = sqrt(E * E / (4 * m * m * m * m) +
                                                            Q * Q / (m * m));
    static const double rho2[3] = {2.48789375, 9.07616013, 35.96965046};
    static double path[4][2], charge[4][1], energy[4][1], volume[4];
    padic_field_gft_evolve_report report;
    for (int method = 0; method < 2; method++) {
        double s[2] = {1, 0.2}, v[2] = {0.1, 0.5}, mass = m * m, least = 9, where = 0;
        padic_field_gft_evolve_desc desc = PADIC_ZERO;
        desc.modes = padic_tensor_1d(PADIC_C128, s, 1);
        desc.rates = padic_tensor_1d(PADIC_C128, v, 1);
        desc.mass = padic_tensor_nd(PADIC_F64, &mass, 0, NULL);
        desc.method = (padic_field_gft_method)method;
        desc.dt = method ? 1.0 / 256 : 1.0 / 16384;
        desc.count = method ? 3 * 256 : 3 * 16384;
        desc.every = desc.count / 3;
        desc.path = padic_tensor_2d(PADIC_C128, path, 4, 1);
        desc.charge = padic_tensor_2d(PADIC_F64, charge, 4, 1);
        desc.energy = padic_tensor_2d(PADIC_F64, energy, 4, 1);
        desc.volume = padic_tensor_1d(PADIC_F64, volume, 4);
        desc.report = &report;
        REQUIRE(padic_field_gft_evolve(NULL, &desc) == PADIC_OK);
        CHECK_EQ(report.records, 4);
        CHECK_EQ(report.not_finite, 0);
        for (int r = 0; r < 4; r++) {
            CHECK_NEAR(charge[r][0], Q, 1e-12);
            CHECK_NEAR(energy[r][0], E, 1e-7);
            CHECK_NEAR(volume[r], path[r][0] * path[r][0] + path[r][1] * path[r][1], 1e-13);
            if (r) CHECK_NEAR(volume[r], rho2[r - 1], 1e-7);
        }
        CHECK_NEAR(energy[0][0], E, 1e-15);
        CHECK_NEAR(volume[3], report.volume, 0);
        CHECK_NEAR(s[0], path[3][0], 0);
        // back to the bounce: dt < 0 from the start
        s[0] = 1, s[1] = 0.2, v[0] = 0.1, v[1] = 0.5;
        desc.dt = -1.0 / 4096;
        desc.count = 1;
        desc.every = 0;
        memset(&desc.path, 0, sizeof desc.path);
        memset(&desc.charge, 0, sizeof desc.charge);
        memset(&desc.energy, 0, sizeof desc.energy);
        memset(&desc.volume, 0, sizeof desc.volume);
        for (int i = 0; i < 2048; i++) {
            REQUIRE(padic_field_gft_evolve(NULL, &desc) == PADIC_OK);
            if (report.volume < least) least = report.volume, where = -(i + 1) / 4096.0;
        }
        CHECK_NEAR(least, 0.9861807557, method ? 1e-7 : 1e-6);
        CHECK_NEAR(where, -0.2723484596, 1.0 / 4096);
        CHECK_NEAR(-E / (2 * m * m) + root, 0.9861807557, 1e-10); // as the closed form says
    }
}

// Interacting modes of real orders against Runge-Kutta in long double; orders 2 and 4.
static void rates_of(const padic_field_gft_evolve_desc *desc, long double a, long double b,
                     const long double *y, long double *dy)
{
    long double force = b;
    for (int k = 0; k < 3; k++)
        if (desc->power[k].g != 0)
            force += desc->power[k].g * powl(hypotl(y[0], y[1]), desc->power[k].p - 2);
    dy[0] = y[2];
    dy[1] = y[3];
    dy[2] = force / a * y[0];
    dy[3] = force / a * y[1];
}

TEST(interacting)
{
    enum { J = 3 };
    static const double start[J][4] = {
        {1, 0.2, 0.1, 0.5}, {-0.4, 0.9, 0.3, -0.2}, {0.5, 0, 0, 0.7}};
    double kinetic[J] = {1, -2, 0.5}, mass[J] = {-0.3, 0.5, 0.1}, volumes[J] = {1, 2, 3};
    long double y[J][4];
    double error[2][2], s[J][2], v[J][2], charge[2][J], energy[2][J];
    padic_field_gft_evolve_desc desc = PADIC_ZERO;
    desc.power[0].g = -0.4, desc.power[0].p = 5;
    desc.power[1].g = 0.05, desc.power[1].p = 3.5;
    desc.power[2].g = -0.02, desc.power[2].p = 6;
    for (int j = 0; j < J; j++) {
        for (int c = 0; c < 4; c++) y[j][c] = start[j][c];
        for (int i = 0; i < 2000; i++) {
            const long double h = 1.0L / 1000;
            long double k[5][4], z[4];
            memset(k, 0, sizeof k);
            for (int g = 0; g < 4; g++) {
                const long double part = g == 0 ? 0 : g == 3 ? h : h / 2;
                for (int c = 0; c < 4; c++) z[c] = y[j][c] + part * k[g][c];
                rates_of(&desc, kinetic[j], mass[j], z, k[g + 1]);
            }
            for (int c = 0; c < 4; c++)
                y[j][c] += h / 6 * (k[1][c] + 2 * k[2][c] + 2 * k[3][c] + k[4][c]);
        }
    }
    desc.modes = padic_tensor_1d(PADIC_C128, s, J);
    desc.rates = padic_tensor_1d(PADIC_C128, v, J);
    desc.kinetic = padic_tensor_1d(PADIC_F64, kinetic, J);
    desc.mass = padic_tensor_1d(PADIC_F64, mass, J);
    desc.volumes = padic_tensor_1d(PADIC_F64, volumes, J);
    desc.charge = padic_tensor_2d(PADIC_F64, charge, 2, J);
    desc.energy = padic_tensor_2d(PADIC_F64, energy, 2, J);
    for (int method = 0; method < 2; method++)
        for (int fine = 0; fine < 2; fine++) {
            padic_field_gft_evolve_report report;
            double sum = 0;
            for (int j = 0; j < J; j++)
                for (int c = 0; c < 2; c++) s[j][c] = start[j][c], v[j][c] = start[j][2 + c];
            desc.method = (padic_field_gft_method)method;
            desc.count = fine ? 80 : 40;
            desc.dt = 2.0 / (double)desc.count;
            desc.report = &report;
            REQUIRE(padic_field_gft_evolve(NULL, &desc) == PADIC_OK);
            error[method][fine] = 0;
            for (int j = 0; j < J; j++) {
                for (int c = 0; c < 2; c++)
                    error[method][fine] += fabs(s[j][c] - (double)y[j][c]) +
                                           fabs(v[j][c] - (double)y[j][2 + c]);
                sum += volumes[j] * (s[j][0] * s[j][0] + s[j][1] * s[j][1]);
                CHECK_NEAR(charge[1][j], charge[0][j], 1e-13);
                CHECK_NEAR(energy[1][j], energy[0][j], method ? 1e-5 : 1e-2);
            }
            CHECK_NEAR(report.volume, sum, 1e-12);
            CHECK_EQ(report.records, 2);
        }
    CHECK_NEAR(error[0][0] / error[0][1], 4, 0.4);
    CHECK_NEAR(error[1][0] / error[1][1], 16, 2.5);
    CHECK(error[1][1] < 1e-5);
}

TEST(gft_records)
{
    enum { J = 200 };
    static double s[J][2], v[J][2], again[J][2], path[4][J][2], volume[4], first[4];
    padic_threads *workers = padic_threads_create(3, NULL);
    padic_context_desc open = PADIC_ZERO;
    padic_context *context;
    double mass = -1;
    padic_field_gft_evolve_desc desc = PADIC_ZERO;
    padic_field_gft_evolve_report report;
    REQUIRE(workers);
    open.jobs = padic_threads_jobs(workers);
    REQUIRE(padic_context_create(&open, &context) == PADIC_OK);
    desc.modes = padic_tensor_1d(PADIC_C128, s, J);
    desc.rates = padic_tensor_1d(PADIC_C128, v, J);
    desc.mass = padic_tensor_nd(PADIC_F64, &mass, 0, NULL);
    desc.power[0].g = -1e-3;
    desc.dt = 0.01;
    desc.count = 17;
    desc.every = 5; // steps 0, 5, 10, 15
    desc.path = padic_tensor_2d(PADIC_C128, path, 4, J);
    desc.volume = padic_tensor_1d(PADIC_F64, volume, 4);
    for (int c = 0; c < 3; c++) {
        double sum = 0;
        for (int j = 0; j < J; j++) s[j][0] = 1 + j, s[j][1] = v[j][0] = 0.5, v[j][1] = -1;
        desc.report = &report;
        REQUIRE(padic_field_gft_evolve(c == 1 ? context : NULL, &desc) == PADIC_OK);
        for (int j = 0; j < J; j++) sum += s[j][0] * s[j][0] + s[j][1] * s[j][1];
        CHECK_NEAR(report.volume / sum, 1, 1e-13); // of the end, after the last record
        CHECK_EQ(report.records, 4);
        if (c == 0) {
            memcpy(again, s, sizeof s);
            memcpy(first, volume, sizeof first);
        }
        CHECK(!memcmp(again, s, sizeof s));
        if (c < 2) CHECK(!memcmp(first, volume, sizeof first));
        if (c == 1) { // 15 steps and 2 are 17
            desc.count = 15;
            memcpy(first, path[3], sizeof first);
            for (int j = 0; j < J; j++) s[j][0] = 1 + j, s[j][1] = v[j][0] = 0.5, v[j][1] = -1;
            REQUIRE(padic_field_gft_evolve(NULL, &desc) == PADIC_OK);
            CHECK(!memcmp(s, path[3], sizeof path[3]));
            CHECK(!memcmp(first, path[3], sizeof first));
            desc.count = 17;
        }
    }
    desc.count = desc.every = 0; // one record, nothing moves
    desc.path = padic_tensor_2d(PADIC_C128, path, 1, J);
    desc.volume = padic_tensor_1d(PADIC_F64, volume, 1);
    CHECK_EQ(padic_field_gft_evolve(context, &desc), PADIC_OK);
    CHECK(!memcmp(again, s, sizeof s));
    CHECK(!memcmp(path[0], s, sizeof s));
    desc.modes.shape[0] = desc.rates.shape[0] = desc.path.shape[1] = 0; // no modes
    desc.count = 3;
    memset(&desc.path, 0, sizeof desc.path);
    memset(&desc.volume, 0, sizeof desc.volume);
    CHECK_EQ(padic_field_gft_evolve(context, &desc), PADIC_OK);
    padic_context_destroy(context);
    padic_threads_destroy(workers);
}

TEST(gft_bad_input)
{
    static double s[4][2], v[4][2], one[4], path[2][4][2], rows[2], charge[2][4];
    padic_context_desc open = PADIC_ZERO;
    padic_context *context;
    padic_field_gft_minimum_report found;
    REQUIRE(padic_context_create(&open, &context) == PADIC_OK);
    CHECK_EQ(padic_field_gft_evolve(context, NULL), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(padic_field_gft_minimum(context, NULL), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(padic_field_gft_minimum(NULL, NULL), PADIC_ERROR_ARGUMENT);
    for (int i = 0; i < 4; i++) {
        padic_field_gft_minimum_desc desc = PADIC_ZERO;
        desc.report = i ? &found : NULL;
        if (i == 1) desc.mass = NAN;
        if (i == 2) desc.power[2].g = INFINITY;
        if (i == 3) desc.power[1].p = 2;
        memset(&found, 7, sizeof found);
        CHECK_EQ(padic_field_gft_minimum(context, &desc), PADIC_ERROR_ARGUMENT);
        CHECK(strstr(padic_context_message(context), i == 0   ? "report"
                                                     : i == 1 ? "mass"
                                                              : "power") != NULL);
        CHECK_EQ(found.count, 0x07070707);
    }
    for (int i = 0; i < 20; i++) {
        padic_result want = PADIC_ERROR_ARGUMENT, got;
        const char *field = "";
        padic_field_gft_evolve_desc desc = PADIC_ZERO;
        desc.modes = padic_tensor_1d(PADIC_C128, s, 4);
        desc.rates = padic_tensor_1d(PADIC_C128, v, 4);
        desc.kinetic = padic_tensor_1d(PADIC_F64, one, 4);
        desc.path = padic_tensor_2d(PADIC_C128, path, 2, 4);
        desc.charge = padic_tensor_2d(PADIC_F64, charge, 2, 4);
        desc.volume = padic_tensor_1d(PADIC_F64, rows, 2);
        desc.dt = 0.1;
        desc.count = 5;
        for (int j = 0; j < 4; j++) one[j] = 1;
        switch (i) {
        case 0: desc.dt = 0, field = "dt"; break;
        case 1: desc.dt = NAN, field = "dt"; break;
        case 2: desc.method = (padic_field_gft_method)2, field = "method"; break;
        case 3: desc.power[0].p = 2, field = "power"; break;
        case 4: desc.power[1].p = -3, field = "power"; break;
        case 5: desc.power[2].g = NAN, field = "power"; break;
        case 6: desc.modes.dtype = PADIC_C64, want = PADIC_ERROR_DTYPE, field = "modes"; break;
        case 7: desc.rates.shape[0] = 3, want = PADIC_ERROR_MISMATCH, field = "rates"; break;
        case 8: desc.kinetic.shape[0] = 3, want = PADIC_ERROR_MISMATCH, field = "kinetic"; break;
        case 9: desc.kinetic.dtype = PADIC_F32, want = PADIC_ERROR_DTYPE, field = "kinetic"; break;
        case 10: desc.path.shape[0] = 1, want = PADIC_ERROR_MISMATCH, field = "path"; break;
        case 11: desc.path.shape[1] = 3, want = PADIC_ERROR_MISMATCH, field = "path"; break;
        case 12: desc.charge.dtype = PADIC_I64, want = PADIC_ERROR_DTYPE, field = "charge"; break;
        case 13: desc.volume.shape[0] = 1, want = PADIC_ERROR_MISMATCH, field = "volume"; break;
        case 14: desc.rates.data = s, want = PADIC_ERROR_OVERLAP; break;
        case 15: one[2] = 0, want = PADIC_ERROR_DOMAIN, field = "kinetic"; break;
        case 16: one[3] = INFINITY, want = PADIC_ERROR_DOMAIN, field = "kinetic"; break;
        case 17: desc.every = 2, want = PADIC_ERROR_MISMATCH, field = "path"; break;
        case 18: desc.modes.rank = 2, desc.modes.shape[1] = 1, want = PADIC_ERROR_MISMATCH; break;
        default: desc.rates.data = NULL, desc.rates.buffer.id = 5, field = "rates"; break;
        }
        memset(path, 7, sizeof path);
        memset(s, 7, sizeof s);
        got = padic_field_gft_evolve(context, &desc);
        if (got != want) printf("row %d: %d\n", i, (int)got);
        CHECK_EQ(got, want);
        CHECK(strstr(padic_context_message(context), field) != NULL);
        for (size_t k = 0; k < sizeof path; k++) CHECK(((char *)path)[k] == 7);
        for (size_t k = 0; k < sizeof s; k++) CHECK(((char *)s)[k] == 7);
    }
    padic_context_destroy(context);
}

TEST_MAIN("legacy", CASE(published), CASE(shapes), CASE(threads), CASE(instability), CASE(twin),
          CASE(logged_once), CASE(legacy_values), CASE(legacy_bad_input), CASE(stationary_points),
          CASE(random_potentials), CASE(bounce), CASE(interacting), CASE(gft_records),
          CASE(gft_bad_input))
