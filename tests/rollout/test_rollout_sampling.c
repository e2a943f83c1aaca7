// test_rollout_sampling.c: Sobol's points against published ones and nets, parameters against
// their definitions, discrepancy against closed forms and the direct sum; hostile input.
#define PADIC_IMPLEMENTATION
#include "../../padic.h"
#include "../../backends/padic_simd.h"
#include "../../backends/padic_threads.h"
#include "../support/contexts.h"
#include "../support/padic_test.h"

#include <math.h>

static padic_result sobol(void *out, padic_dtype dtype, uint64_t n, uint64_t d, uint64_t first,
                          uint64_t seed, uint32_t plain)
{
    padic_rollout_sobol_desc desc = PADIC_ZERO;
    desc.out = padic_tensor_2d(dtype, out, n, d);
    desc.first = first;
    desc.seed = seed;
    desc.plain = plain;
    return padic_rollout_sobol(NULL, &desc);
}

// Points of scipy 1.17.1, scipy.stats.qmc.Sobol(64, scramble=False, bits=32), times 2^32.
static uint32_t sobol_points[2048][64];

TEST(sobol_published)
{
    static const uint32_t column[8] = {0, 1, 2, 7, 31, 47, 62, 63};
    static const uint32_t index[5] = {1, 2, 3, 1000, 2047};
    static const uint32_t known[5][8] = {
        {0x80000000, 0x80000000, 0x80000000, 0x80000000, 0x80000000, 0x80000000, 0x80000000,
         0x80000000},
        {0xc0000000, 0x40000000, 0x40000000, 0xc0000000, 0x40000000, 0x40000000, 0xc0000000,
         0xc0000000},
        {0x40000000, 0xc0000000, 0xc0000000, 0x40000000, 0xc0000000, 0xc0000000, 0x40000000,
         0x40000000},
        {0x38400000, 0x18c00000, 0x84c00000, 0xe6400000, 0x25400000, 0xeb400000, 0x42400000,
         0x72400000},
        {0x200000, 0xa0a00000, 0xee600000, 0x8200000, 0x6a200000, 0xc7a00000, 0x7b200000,
         0xfd200000}};
    uint64_t sum = 0;
    CHECK_EQ(sobol(sobol_points, PADIC_U32, 2048, 64, 0, 0, 1), PADIC_OK);
    for (int i = 0; i < 5; i++)
        for (int k = 0; k < 8; k++)
            CHECK_EQ(sobol_points[index[i]][column[k]], known[i][k]);
    for (uint64_t i = 0; i < 2048; i++)
        for (uint64_t k = 0; k < 64; k++) sum ^= sobol_points[i][k] * (k + 1) * (2 * i + 1);
    CHECK_EQ(sum, UINT64_C(0x1ed1da0000000)); // over all of scipy's
}

// The first of a stretch anywhere, and the last index there is.
TEST(sobol_stretches)
{
    static uint32_t part[100][64], last[2][64];
    padic_rollout_sobol_desc desc = PADIC_ZERO;
    CHECK_EQ(sobol(sobol_points, PADIC_U32, 2048, 64, 0, 0, 1), PADIC_OK);
    for (uint64_t first = 0; first < 1900; first += 173) {
        CHECK_EQ(sobol(part, PADIC_U32, 100, 64, first, 0, 1), PADIC_OK);
        CHECK(!memcmp(part, sobol_points[first], sizeof part));
    }
    CHECK_EQ(sobol(last, PADIC_U32, 2, 64, UINT64_C(0xfffffffe), 0, 1), PADIC_OK);
    CHECK_EQ(last[1][0], 1); // gray code 2^31: the last direction number
    CHECK_EQ(sobol(last, PADIC_U32, 2, 64, UINT64_C(0xffffffff), 0, 1), PADIC_ERROR_LIMIT);
    desc.out = padic_tensor_2d(PADIC_U32, part, 100, 3);
    desc.first = 55;
    desc.dimension = 61;
    desc.plain = 1;
    CHECK_EQ(padic_rollout_sobol(NULL, &desc), PADIC_OK);
    for (int i = 0; i < 100; i++)
        for (int k = 0; k < 3; k++)
            CHECK_EQ(((uint32_t *)part)[3 * i + k], sobol_points[55 + i][61 + k]);
}

// n = 2^p: one point in each interval of length 1/n; of dimensions 0 and 1 one in each elementary
// box; all seeds, plain too.
TEST(sobol_nets)
{
    static double u[1024][64];
    static uint8_t seen[1024];
    for (uint64_t seed = 0; seed < 4; seed++)
        for (int p = 0; p <= (test_tiny ? 6 : 10); p++) {
            const uint64_t n = UINT64_C(1) << p;
            CHECK_EQ(sobol(u, PADIC_F64, n, 64, seed & 1 ? n : 0, seed, seed == 3), PADIC_OK);
            for (int k = 0; k < 64; k++) {
                memset(seen, 0, sizeof seen);
                for (uint64_t i = 0; i < n; i++) {
                    CHECK(u[i][k] > 0 && u[i][k] < 1);
                    seen[(int)(u[i][k] * (double)n)]++;
                }
                for (uint64_t i = 0; i < n; i++) CHECK_EQ(seen[i], 1);
            }
            for (int q = 0; q <= p; q++) {
                memset(seen, 0, sizeof seen);
                for (uint64_t i = 0; i < n; i++)
                    seen[((int)ldexp(u[i][0], q) << (p - q)) + (int)ldexp(u[i][1], p - q)]++;
                for (uint64_t i = 0; i < n; i++) CHECK_EQ(seen[i], 1);
            }
        }
}

// Bits by the words of the header: nested, and another for each seed and dimension.
TEST(sobol_scrambling)
{
    static uint32_t x[256][64], other[256][64];
    CHECK_EQ(sobol(sobol_points, PADIC_U32, 256, 64, 0, 0, 1), PADIC_OK);
    CHECK_EQ(sobol(x, PADIC_U32, 256, 64, 0, 77, 0), PADIC_OK);
    CHECK_EQ(sobol(other, PADIC_U32, 256, 64, 0, 78, 0), PADIC_OK);
    CHECK(memcmp(x, other, sizeof x));
    for (uint32_t i = 0; i < 256; i++)
        for (uint32_t k = 0; k < 64; k++)
            for (uint32_t j = 0; j < 32; j++) {
                uint32_t word[4], above = j ? (&sobol_points[0][0])[64 * i + k] >> (32 - j) : 0;
                padic_random_block(77, (uint64_t)7 << 32 | k, j, above >> 2, word);
                CHECK_EQ((x[i][k] ^ (&sobol_points[0][0])[64 * i + k]) >> (31 - j) & 1,
                         word[above & 3] & 1);
            }
}

TEST(sobol_contexts)
{
    static double plain[300][7], shared[300][7];
    padic_rollout_sobol_desc desc = PADIC_ZERO;
    contexts_begin(1);
    desc.seed = 5;
    for (uint32_t i = 0; i < context_count; i++) {
        desc.out = padic_tensor_2d(PADIC_F64, i ? shared : plain, 300, 7);
        CHECK_EQ(padic_rollout_sobol(contexts[i], &desc), PADIC_OK);
        CHECK(!i || !memcmp(plain, shared, sizeof plain));
    }
    contexts_end();
}

static padic_result map(const double *u, double *x, uint64_t n, const padic_rollout_parameter *p)
{
    padic_rollout_map_params_desc desc = PADIC_ZERO;
    desc.points = padic_tensor_2d(PADIC_F64, (void *)(uintptr_t)u, n, 1);
    desc.out = padic_tensor_2d(PADIC_F64, x, n, 1);
    desc.parameters = p;
    desc.count = 1;
    return padic_rollout_map_params(NULL, &desc);
}

TEST(parameters)
{
    static double u[1000], x[1000];
    static const double weights[4] = {1, 0, 2, 1};
    padic_rollout_parameter p = {PADIC_ROLLOUT_PARAMETER_INTEGER, -3, 3, 0, NULL};
    int counts[9] = {0};
    for (int i = 0; i < 1000; i++) u[i] = (i + 0.5) / 1000;
    CHECK_EQ(map(u, x, 1000, &p), PADIC_OK);
    for (int i = 0; i < 1000; i++) counts[(int)x[i] + 4]++;
    for (int k = 1; k < 8; k++) CHECK(counts[k] == 142 || counts[k] == 143);
    CHECK(!counts[0] && !counts[8]);
    p.kind = PADIC_ROLLOUT_PARAMETER_ROUND;
    memset(counts, 0, sizeof counts);
    CHECK_EQ(map(u, x, 1000, &p), PADIC_OK);
    for (int i = 0; i < 1000; i++) counts[(int)x[i] + 4]++;
    CHECK(counts[1] >= 83 && counts[1] <= 84 && counts[7] >= 83 && counts[7] <= 84);
    CHECK(counts[4] >= 166 && counts[4] <= 167);
    p.kind = PADIC_ROLLOUT_PARAMETER_LINEAR;
    CHECK_EQ(map(u, x, 1000, &p), PADIC_OK);
    for (int i = 0; i < 1000; i++) CHECK(x[i] == -3 + u[i] * 6);
    p.kind = PADIC_ROLLOUT_PARAMETER_LOG10;
    p.lo = 1e-5, p.hi = 1e3;
    CHECK_EQ(map(u, x, 1000, &p), PADIC_OK);
    for (int i = 0; i < 1000; i++) CHECK_NEAR(x[i], pow(10, -5 + 8 * u[i]), 1e-13 * x[i]);
    p.kind = PADIC_ROLLOUT_PARAMETER_BOOLEAN;
    CHECK_EQ(map(u, x, 1000, &p), PADIC_OK);
    for (int i = 0; i < 1000; i++) CHECK(x[i] == (i >= 500));
    p.kind = PADIC_ROLLOUT_PARAMETER_CHOICE;
    p.count = 4;
    CHECK_EQ(map(u, x, 1000, &p), PADIC_OK);
    for (int i = 0; i < 1000; i++) CHECK(x[i] == i / 250);
    p.weights = weights;
    CHECK_EQ(map(u, x, 1000, &p), PADIC_OK);
    for (int i = 0; i < 1000; i++) CHECK(x[i] == (i < 250 ? 0 : i < 750 ? 2 : 3));
    u[0] = 0, u[1] = 0.25, u[2] = 1 - ldexp(1, -53);
    CHECK_EQ(map(u, x, 3, &p), PADIC_OK);
    CHECK(x[0] == 0 && x[1] == 2 && x[2] == 3);
    p.kind = PADIC_ROLLOUT_PARAMETER_INTEGER;
    p.lo = 0, p.hi = ldexp(1, 40);
    CHECK_EQ(map(u, x, 3, &p), PADIC_OK);
    CHECK(x[0] == 0 && x[2] <= p.hi); // u (hi + 1) is rounded up
}

// A power of two of points: values of an INTEGER equally often, within 1; scrambled ones, which lie
// anywhere in the cell at each end, within 2; exactly where the values are a power of two (R19).
TEST(parameters_of_sobol)
{
    static double u[256][2];
    for (uint64_t seed = 0; seed < 8; seed++)
        for (int values = 2; values < 12; values++) {
            padic_rollout_parameter p[2] = {{PADIC_ROLLOUT_PARAMETER_LINEAR, 0, 1, 0, NULL},
                                            {PADIC_ROLLOUT_PARAMETER_INTEGER, 5, 0, 0, NULL}};
            padic_rollout_map_params_desc desc = PADIC_ZERO;
            int counts[16] = {0};
            CHECK_EQ(sobol(u, PADIC_F64, 256, 2, 0, seed, !seed), PADIC_OK);
            p[1].hi = 4 + values;
            desc.points = desc.out = padic_tensor_2d(PADIC_F64, u, 256, 2); // in place
            desc.parameters = p;
            desc.count = 2;
            CHECK_EQ(padic_rollout_map_params(NULL, &desc), PADIC_OK);
            for (int i = 0; i < 256; i++) counts[(int)u[i][1] - 5]++;
            for (int k = 0; k < values; k++)
                CHECK_NEAR(counts[k], 256.0 / values,
                           !(values & (values - 1)) ? 0 : seed ? 1.999 : 0.999);
        }
}

static padic_result discrepancy(const double *x, uint64_t n, uint64_t d,
                                padic_rollout_discrepancy_report *report)
{
    padic_rollout_discrepancy_desc desc = PADIC_ZERO;
    desc.points = padic_tensor_2d(PADIC_F64, (void *)(uintptr_t)x, n, d);
    desc.report = report;
    return padic_rollout_discrepancy(NULL, &desc);
}

TEST(discrepancies)
{
    static double u[128][5];
    padic_rollout_discrepancy_report r, even;
    const double one[1] = {0.5}, corner[3] = {0, 0, 0};
    // One point in the middle: (13/12)^d - 1 for d = 1. At a corner: 13/12 - 2 (1 + 1/4 - 1/8) +
    // (1 + 1/2), to the power of d each.
    CHECK_EQ(discrepancy(one, 1, 1, &r), PADIC_OK);
    CHECK_NEAR(r.discrepancy, 13.0 / 12 - 1, 1e-15);
    CHECK(r.correlation == 0);
    CHECK_EQ(discrepancy(corner, 1, 3, &r), PADIC_OK);
    CHECK_NEAR(r.discrepancy, pow(13.0 / 12, 3) - 2 * pow(1.125, 3) + pow(1.5, 3), 1e-14);
    // The midpoints of n intervals have the least there is, 1/(12 n^2).
    for (uint64_t n = 1; n < 100; n += 7) {
        double x[100];
        for (uint64_t i = 0; i < n; i++) x[i] = ((double)i + 0.5) / (double)n;
        CHECK_EQ(discrepancy(x, n, 1, &r), PADIC_OK);
        CHECK_NEAR(r.discrepancy, 1.0 / (12 * (double)(n * n)), 1e-14);
    }
    for (int i = 0; i < 128; i++)
        for (int k = 0; k < 5; k++) u[i][k] = (double)(test_random() >> 11) * ldexp(1, -53);
    CHECK_EQ(discrepancy(&u[0][0], 128, 5, &r), PADIC_OK);
    long double sum = powl(13.0L / 12, 5), most = 0;
    for (int i = 0; i < 128; i++) {
        long double p = 1;
        for (int k = 0; k < 5; k++) {
            const long double z = fabsl(u[i][k] - 0.5L);
            p *= 1 + z / 2 - z * z / 2;
        }
        sum -= 2 * p / 128;
        for (int l = 0; l < 128; l++) {
            p = 1;
            for (int k = 0; k < 5; k++)
                p *= 1 + fabsl(u[i][k] - 0.5L) / 2 + fabsl(u[l][k] - 0.5L) / 2 -
                     fabsl((long double)u[i][k] - u[l][k]) / 2;
            sum += p / (128 * 128);
        }
    }
    CHECK_NEAR(r.discrepancy, (double)sum, 1e-14);
    for (int a = 0; a < 5; a++)
        for (int b = 0; b < a; b++) {
            long double ma = 0, mb = 0, sa = 0, sb = 0, s = 0;
            for (int i = 0; i < 128; i++) ma += u[i][a] / 128.0L, mb += u[i][b] / 128.0L;
            for (int i = 0; i < 128; i++) {
                sa += (u[i][a] - ma) * (u[i][a] - ma);
                sb += (u[i][b] - mb) * (u[i][b] - mb);
                s += (u[i][a] - ma) * (u[i][b] - mb);
            }
            s = fabsl(s) / sqrtl(sa * sb);
            if (s > most) most = s;
        }
    CHECK_NEAR(r.correlation, (double)most, 1e-14);
    CHECK_EQ(sobol(u, PADIC_F64, 128, 5, 0, 1, 0), PADIC_OK);
    CHECK_EQ(discrepancy(&u[0][0], 128, 5, &even), PADIC_OK);
    CHECK(even.discrepancy > 0 && even.discrepancy < r.discrepancy / 4);
    for (int i = 0; i < 128; i++) u[i][3] = 1 - u[i][0];
    CHECK_EQ(discrepancy(&u[0][0], 128, 5, &r), PADIC_OK);
    CHECK_NEAR(r.correlation, 1, 1e-14);
}

TEST(hostile)
{
    static double u[4][2] = {{0.5, 0.25}, {0, 0.1}, {0.2, 0.3}, {0.1, 0.9}}, x[4][2];
    static const double bad[5] = {-1e-300, 1, 2, NAN, INFINITY};
    static const double weights[3] = {1, -1, 1}, zero[2] = {0, 0}, many[2] = {INFINITY, 1};
    padic_rollout_discrepancy_report r;
    padic_rollout_map_params_desc desc = PADIC_ZERO;
    padic_rollout_sobol_desc s = PADIC_ZERO;
    padic_rollout_parameter p[2] = {{PADIC_ROLLOUT_PARAMETER_LINEAR, 0, 1, 0, NULL},
                                    {PADIC_ROLLOUT_PARAMETER_BOOLEAN, 0, 0, 0, NULL}};
    desc.points = padic_tensor_2d(PADIC_F64, u, 4, 2);
    desc.out = padic_tensor_2d(PADIC_F64, x, 4, 2);
    desc.parameters = p;
    desc.count = 2;
    for (int i = 0; i < 5; i++) {
        u[3][1] = bad[i];
        memset(x, 7, sizeof x);
        CHECK_EQ(padic_rollout_map_params(NULL, &desc), PADIC_ERROR_DOMAIN);
        for (size_t k = 0; k < sizeof x; k++) CHECK_EQ(((const uint8_t *)x)[k], 7);
        CHECK_EQ(discrepancy(&u[0][0], 4, 2, &r), bad[i] == 1 ? PADIC_OK : PADIC_ERROR_DOMAIN);
    }
    u[3][1] = 0.5;
    CHECK_EQ(padic_rollout_map_params(NULL, &desc), PADIC_OK);
    desc.count = 1;
    CHECK_EQ(padic_rollout_map_params(NULL, &desc), PADIC_ERROR_MISMATCH);
    desc.count = 2;
    desc.parameters = NULL;
    CHECK_EQ(padic_rollout_map_params(NULL, &desc), PADIC_ERROR_ARGUMENT);
    desc.parameters = p;
#define REFUSED(...) \
    { \
        const padic_rollout_parameter q = {__VA_ARGS__}; \
        p[0] = q; \
        CHECK_EQ(padic_rollout_map_params(NULL, &desc), PADIC_ERROR_ARGUMENT); \
    }
    REFUSED(PADIC_ROLLOUT_PARAMETER_LINEAR, 1, 0, 0, NULL)
    REFUSED(PADIC_ROLLOUT_PARAMETER_LINEAR, NAN, 0, 0, NULL)
    REFUSED(PADIC_ROLLOUT_PARAMETER_LINEAR, -INFINITY, INFINITY, 0, NULL)
    REFUSED(PADIC_ROLLOUT_PARAMETER_LINEAR, INFINITY, INFINITY, 0, NULL)
    REFUSED(PADIC_ROLLOUT_PARAMETER_LOG10, 0, 1, 0, NULL)
    REFUSED(PADIC_ROLLOUT_PARAMETER_INTEGER, 0.5, 1, 0, NULL)
    REFUSED(PADIC_ROLLOUT_PARAMETER_ROUND, 0, 1e17, 0, NULL)
    REFUSED(PADIC_ROLLOUT_PARAMETER_CHOICE, 0, 0, 0, NULL)
    REFUSED(PADIC_ROLLOUT_PARAMETER_CHOICE, 0, 0, 3, weights)
    REFUSED(PADIC_ROLLOUT_PARAMETER_CHOICE, 0, 0, 2, zero)
    REFUSED(PADIC_ROLLOUT_PARAMETER_CHOICE, 0, 0, 2, many)
    REFUSED((padic_rollout_parameter_kind)6, 0, 0, 0, NULL)
    s.out = padic_tensor_2d(PADIC_F64, u, 4, 2);
    s.dimension = 63;
    CHECK_EQ(padic_rollout_sobol(NULL, &s), PADIC_ERROR_LIMIT);
    s.dimension = UINT32_MAX;
    CHECK_EQ(padic_rollout_sobol(NULL, &s), PADIC_ERROR_LIMIT);
    s.dimension = 0;
    s.first = UINT64_MAX;
    CHECK_EQ(padic_rollout_sobol(NULL, &s), PADIC_ERROR_LIMIT);
    s.first = 0;
    s.plain = 2;
    CHECK_EQ(padic_rollout_sobol(NULL, &s), PADIC_ERROR_ARGUMENT);
    s.plain = 0;
    s.out.dtype = PADIC_F32;
    CHECK_EQ(padic_rollout_sobol(NULL, &s), PADIC_ERROR_DTYPE);
    s.out = padic_tensor_1d(PADIC_F64, u, 4);
    CHECK_EQ(padic_rollout_sobol(NULL, &s), PADIC_ERROR_MISMATCH);
    CHECK_EQ(padic_rollout_sobol(NULL, NULL), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(padic_rollout_map_params(NULL, NULL), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(padic_rollout_discrepancy(NULL, NULL), PADIC_ERROR_ARGUMENT);
}

TEST_MAIN("rollout sampling", CASE(sobol_published), CASE(sobol_stretches), CASE(sobol_nets),
          CASE(sobol_scrambling), CASE(sobol_contexts), CASE(parameters),
          CASE(parameters_of_sobol), CASE(discrepancies), CASE(hostile))
