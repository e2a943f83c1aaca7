// test_cdt_laws.c: samples of chains against exact laws: slice lengths, volumes, orders of
// vertices, Tutte's numbers, walks on regular and random surfaces.
#define PADIC_IMPLEMENTATION
#include "../../padic.h"

#include "../support/padic_test.h"
#include "cdt_support.h"

#include <math.h>

static double binomial(uint32_t n, uint32_t k)
{
    double b = 1;
    for (uint32_t i = 1; i <= k; i++) b = b * (n - k + i) / i;
    return floor(b + 0.5);
}

// Triangulations of the torus of T slices with N0 links, with 1 / |Aut|: the sum over lengths of
// the product of strips.
static double torus_sum(uint32_t slices, uint32_t left, uint32_t first, uint32_t before,
                        uint32_t done)
{
    double sum = 0;
    if (done == slices) return left ? 0 : binomial(before + first - 1, first);
    for (uint32_t l = 1; l + (slices - done - 1) <= left; l++)
        sum += (done ? binomial(before + l - 1, l) : 1) *
               torus_sum(slices, left - l, done ? first : l, l, done + 1);
    return sum;
}

static double torus_count(uint32_t slices, uint32_t links)
{
    return torus_sum(slices, links, 0, 0, 0);
}

// Mean of samples with their jackknife error: of 40 block means.
typedef struct mean_of {
    double sum[40];
    uint32_t n[40];
} mean_of;

static void mean_add(mean_of *m, uint32_t i, uint32_t count, double x)
{
    const uint32_t block = (uint32_t)((uint64_t)i * 40 / count);
    m->sum[block] += x;
    m->n[block]++;
}

static double mean_value(const mean_of *m, double *error)
{
    double sum = 0, square = 0;
    for (int i = 0; i < 40; i++) {
        const double x = m->sum[i] / m->n[i];
        sum += x / 40;
        square += x * x / 40;
    }
    *error = sqrt(fabs(square - sum * sum) / 39);
    return sum;
}

// How likely counts are to be at least as far from their probabilities as these, by chi^2; those
// that expect fewer than 5 go together. A band for chi^2 per degree of freedom f means little
// without f: [0.6, 1.6] holds 96 of 100 right chains where f = 35, but 54 where f = 5; and four
// standard deviations, 4 sqrt(2 / f), have no lower end where f < 32 and let 1 in 300 by at f = 5.
static double chi_square(const double *probability, const uint32_t *seen, uint32_t cells,
                         double samples)
{
    double chi = 0, few = 0, few_seen = 0;
    int freedom = -1;
    for (uint32_t i = 0; i < cells; i++) {
        const double want = probability[i] * samples;
        if (want < 5) {
            few += want;
            few_seen += seen[i];
            continue;
        }
        chi += (seen[i] - want) * (seen[i] - want) / want;
        freedom++;
    }
    if (few >= 5) {
        chi += (few_seen - few) * (few_seen - few) / few;
        freedom++;
    }
    // 1 - P(f / 2, chi^2 / 2), by its series.
    double term = exp(freedom / 2.0 * log(chi / 2) - chi / 2 - lgamma(freedom / 2.0 + 1)), sum = 0;
    for (int i = 1; term > 1e-18 || i < chi; i++) {
        sum += term;
        term *= chi / 2 / (freedom / 2.0 + i);
    }
    return 1 - sum;
}

// For each f as strict above as 1.6 is where f = 35; below, only what no chance explains. Chains
// and seeds are fixed, so what passes once always does.
#define CHECK_CHI(x) CHECK_NEAR(x, 0.50475, 0.49475) // in [0.01, 0.9995]

TEST(numbers) // known ones, by the sums that the tests below use; generating functions
{
    static const double one[5] = {1, 3, 10, 35, 126}, two[5] = {1, 4, 15, 56, 210};
    static const double three[9] = {1, 6, 27, 111, 441, 1728, 6733, 26181, 101763};
    for (uint32_t i = 0; i < 5; i++) {
        CHECK(torus_count(1, 1 + i) == one[i]);
        CHECK(torus_count(2, 2 + i) == two[i]);
    }
    for (uint32_t i = 0; i < 9; i++) CHECK(torus_count(3, 3 + i) == three[i]);
    const double g = 0.4, x = 0.3, y = 0.5, root = sqrt(1 - 4 * g * g);
    const double f = (1 - root) / (2 * g);
    double g1 = 0, g2 = 0, sum = 0;
    for (uint32_t l = 1; l < 80; l++)
        for (uint32_t m = 1; m < 80; m++) {
            const double strip = binomial(l + m - 1, m) * pow(g, l + m);
            g1 += strip * pow(x, l) * pow(y, m);
            for (uint32_t k = 1; k < 60; k++)
                g2 += strip * binomial(m + k - 1, k) * pow(g, m + k) * pow(x, l) * pow(y, k);
        }
    CHECK_NEAR(g1, g * g * x * y / ((1 - g * x) * (1 - g * x - g * y)), 1e-9);
    CHECK_NEAR(g2, 0.0098039216, 1e-9);
    for (int t = 1; t <= 2; t++) { // G_t, closed
        const double a = 1 - pow(f, 2 * t + 2), b = f - pow(f, 2 * t + 1);
        const double c = f * f - pow(f, 2 * t);
        const double closed = pow(f, 2 * t) * (1 - f * f) * (1 - f * f) * x * y /
                              ((a - b * x) * (a - b * (x + y) + c * x * y));
        CHECK_NEAR(closed, t == 1 ? g1 : g2, 1e-9);
    }
    for (uint32_t n = 3; n < 24; n++) sum += torus_count(3, n) * pow(0.3, 2 * n);
    {
        const double h = (1 - sqrt(1 - 4 * 0.09)) / 0.6;
        CHECK_NEAR(sum, pow(h, 6) / (1 - pow(h, 6)), 1e-7);
    }
}

TEST(slice_lengths) // T = 3, N0 = 10: P ~ prod C(l_t + l_(t+1) - 1, l_(t+1))
{
    enum { REPLICAS = 16 };
    static uint32_t profile[REPLICAS][3];
    double probability[100] = {0};
    uint32_t seen[100] = {0};
    const uint32_t rounds = (uint32_t)test_amount(500, 2500, 20000);
    padic_cdt_plan_desc desc = PADIC_ZERO;
    padic_cdt_plan *plan;
    padic_cdt_measure_desc measure = PADIC_ZERO;
    desc.replicas = REPLICAS;
    desc.slices = 3;
    desc.min_length = 1;
    desc.target = 20;
    desc.volume = PADIC_CDT_VOLUME_WINDOW;
    desc.window_min = 14;
    desc.window_max = 24;
    desc.seed = 5;
    REQUIRE(!padic_cdt_plan_create(NULL, &desc, &plan));
    for (uint32_t a = 1; a <= 8; a++)
        for (uint32_t b = 1; a + b <= 9; b++) {
            const uint32_t c = 10 - a - b;
            probability[10 * a + b] = binomial(a + b - 1, b) * binomial(b + c - 1, c) *
                                      binomial(c + a - 1, a) / 26181;
        }
    CHECK_NEAR(probability[33], 3000 / 26181.0, 1e-12);
    CHECK_NEAR(probability[11], 8 / 26181.0, 1e-12);
    CHECK(!cdt_grow(NULL, plan, 0));
    measure.plan = plan;
    measure.profile = padic_tensor_2d(PADIC_U32, profile, REPLICAS, 3);
    for (uint32_t i = 0; i < rounds; i++) {
        CHECK(!cdt_run(NULL, plan, 0, 100));
        CHECK(!padic_cdt_measure(NULL, &measure));
        for (uint32_t r = 0; r < REPLICAS; r++) {
            CHECK_EQ(profile[r][0] + profile[r][1] + profile[r][2], 10);
            seen[10 * profile[r][0] + profile[r][1]]++;
        }
    }
    const double chi = chi_square(probability, seen, 100, (double)rounds * (int)REPLICAS);
    CHECK_CHI(chi);
    CHECK(!cdt_check(plan));
    padic_cdt_plan_destroy(plan);
}

// The law of N0 with S_V NONE: Z_T(N0) g^(2 N0), and its mean 2 <N0>.
static void free_volume(uint32_t slices, double g, double mean, uint32_t cells)
{
    enum { REPLICAS = 16 };
    static uint64_t counts[REPLICAS][PADIC_CDT_COUNTS];
    static double probability[256];
    static uint32_t seen[256];
    const uint32_t rounds = (uint32_t)test_amount(500, 2000, 20000);
    const double root = sqrt(1 - 4 * g * g), f = pow((1 - root) / (2 * g), 2 * (double)slices);
    padic_cdt_plan_desc desc = PADIC_ZERO;
    padic_cdt_plan *plan;
    padic_cdt_measure_desc measure = PADIC_ZERO;
    mean_of found;
    double rest = 1, error, value;
    memset(&found, 0, sizeof found);
    memset(seen, 0, sizeof seen);
    memset(probability, 0, sizeof probability);
    CHECK_NEAR(2 * slices / (root * (1 - f)), mean, 1e-6 * mean);
    desc.replicas = REPLICAS;
    desc.slices = slices;
    desc.min_length = 1;
    desc.volume = PADIC_CDT_VOLUME_NONE;
    desc.lambda = -log(g);
    desc.seed = 11 + slices;
    REQUIRE(!padic_cdt_plan_create(NULL, &desc, &plan));
    for (uint32_t n = slices; n < slices + cells; n++) {
        probability[n - slices] = torus_count(slices, n) * pow(g, 2 * n) * (1 - f) / f;
        rest -= probability[n - slices];
    }
    probability[cells] = rest;
    CHECK(!cdt_run(NULL, plan, 20000, 0));
    measure.plan = plan;
    measure.counts = padic_tensor_2d(PADIC_U64, counts, REPLICAS, PADIC_CDT_COUNTS);
    for (uint32_t i = 0; i < rounds; i++) {
        CHECK(!cdt_run(NULL, plan, 600, 0));
        CHECK(!padic_cdt_measure(NULL, &measure));
        for (uint32_t r = 0; r < REPLICAS; r++) {
            const uint64_t n = counts[r][PADIC_CDT_COUNT_VERTICES] - slices;
            CHECK_EQ(counts[r][PADIC_CDT_COUNT_TRIANGLES], 2 * (n + slices));
            CHECK_EQ(counts[r][PADIC_CDT_COUNT_LINKS], 3 * (n + slices));
            seen[n < cells ? n : cells]++;
            mean_add(&found, i, rounds, 2 * (double)(n + slices));
        }
    }
    value = mean_value(&found, &error);
    CHECK_NEAR(value, mean, 4 * error);
    CHECK(error < 0.05 * mean);
    if (cells) CHECK_CHI(chi_square(probability, seen, cells + 1, (double)rounds * (int)REPLICAS));
    padic_cdt_plan_destroy(plan);
}

TEST(volumes)
{
    free_volume(1, 0.4, 4.444444, 12);
    free_volume(3, 0.4, 10.158730, 14);
    free_volume(8, 0.4, 26.667074, 0);
    free_volume(3, 0.45, 14.653467, 16);
    free_volume(3, 0.48, 26.068140, 0);
}

TEST(vertex_order) // T = 64, N0 = 6400: P(q) = (q - 3) / 2^(q - 2)
{
    enum { REPLICAS = 4 };
    static uint64_t order[1][64];
    const uint32_t rounds = (uint32_t)test_amount(10, 150, 1000);
    const double tolerance = test_tiny ? 0.006 : 0.001;
    padic_cdt_plan_desc desc = PADIC_ZERO;
    padic_cdt_plan *plan;
    padic_cdt_measure_desc measure = PADIC_ZERO;
    uint64_t all = 0, corners = 0;
    desc.replicas = REPLICAS;
    desc.slices = 64;
    desc.target = 12800;
    desc.min_length = 1;
    desc.seed = 3;
    REQUIRE(!padic_cdt_plan_create(NULL, &desc, &plan));
    CHECK(!cdt_grow(NULL, plan, test_tiny ? 0 : 6000000));
    measure.plan = plan;
    measure.order = padic_tensor_2d(PADIC_U64, order, 1, 64);
    measure.accumulate = 1;
    for (uint32_t i = 0; i < rounds; i++) {
        CHECK(!cdt_run(NULL, plan, 64000, 1));
        CHECK(!padic_cdt_measure(NULL, &measure));
    }
    for (uint32_t q = 0; q < 64; q++) all += order[0][q], corners += q * order[0][q];
    CHECK_EQ(all, (uint64_t)6400 * REPLICAS * rounds);
    CHECK_EQ(order[0][63] ? 6 * all : corners, 6 * all); // the mean is 6, exactly
    CHECK_EQ(order[0][0] + order[0][1] + order[0][2] + order[0][3], 0);
    for (uint32_t q = 4; q < 20; q++)
        CHECK_NEAR((double)order[0][q] / (double)all, (q - 3) / pow(2, q - 2), tolerance);
    padic_cdt_plan_destroy(plan);
}

TEST(regular_torus) // 12 links x 14 slices: hexagons of shells, walks on the two lattices
{
    static uint64_t shells[1][6];
    static double returns[1][7];
    padic_cdt_plan_desc desc = PADIC_ZERO;
    padic_cdt_plan *plan;
    padic_cdt_measure_desc measure = PADIC_ZERO;
    desc.slices = 14;
    desc.min_length = 12;
    desc.target = 2 * 12 * 14;
    REQUIRE(!padic_cdt_plan_create(NULL, &desc, &plan));
    CHECK(!cdt_check(plan));
    measure.plan = plan;
    measure.roots = UINT64_MAX;
    measure.shells = padic_tensor_2d(PADIC_U64, shells, 1, 6);
    measure.returns = padic_tensor_2d(PADIC_F64, returns, 1, 7);
    measure.graph = PADIC_CDT_GRAPH_VERTICES;
    CHECK(!padic_cdt_measure(NULL, &measure));
    CHECK_EQ(shells[0][0], 168);
    for (uint32_t r = 1; r < 6; r++) CHECK_EQ(shells[0][r], 168 * 6 * r);
    CHECK_NEAR(returns[0][0], 1, 1e-13);
    CHECK_NEAR(returns[0][1], 0, 1e-15);
    CHECK_NEAR(returns[0][2], 1 / 6.0, 1e-14);
    CHECK_NEAR(returns[0][3], 1 / 18.0, 1e-14);
    CHECK_NEAR(returns[0][4], 5 / 72.0, 1e-14);
    measure.graph = PADIC_CDT_GRAPH_DUAL;
    measure.roots = 5;
    CHECK(!padic_cdt_measure(NULL, &measure));
    for (uint32_t s = 1; s < 7; s += 2) CHECK(returns[0][s] == 0);
    CHECK_NEAR(returns[0][2], 1 / 3.0, 1e-14);
    CHECK_NEAR(returns[0][4], 5 / 27.0, 1e-14);
    CHECK_NEAR(returns[0][6], 31 / 243.0, 1e-14);
    for (uint32_t r = 1; r < 6; r++) CHECK_EQ(shells[0][r], 5 * 3 * r); // of the honeycomb
    padic_cdt_plan_destroy(plan);
}

TEST(spectral_dimension) // N2 = 16200, T = 90: 2.02 +- .05 for s = 146 to 326, about 2.45 at 30
{
    enum { REPLICAS = 8, STEPS = 338 };
    static double returns[REPLICAS][STEPS], dimension[STEPS], error[STEPS];
    const uint32_t rounds = (uint32_t)test_amount(1, 5, 40);
    padic_cdt_plan_desc desc = PADIC_ZERO;
    padic_cdt_plan *plan;
    padic_cdt_measure_desc measure = PADIC_ZERO;
    padic_cdt_dimension_desc slope = PADIC_ZERO;
    double mean = 0;
    if (test_tiny) {
        SKIP("a minute under slow tools");
    }
    desc.replicas = REPLICAS;
    desc.slices = 90;
    desc.target = 16200;
    desc.seed = 8;
    REQUIRE(!padic_cdt_plan_create(NULL, &desc, &plan));
    CHECK(!cdt_grow(NULL, plan, 0));
    measure.plan = plan;
    measure.roots = 6;
    measure.accumulate = 1;
    measure.returns = padic_tensor_2d(PADIC_F64, returns, REPLICAS, STEPS);
    for (uint32_t i = 0; i < rounds; i++) {
        CHECK(!cdt_run(NULL, plan, 400000, 1));
        CHECK(!padic_cdt_measure(NULL, &measure));
    }
    slope.curves = measure.returns;
    slope.slope = PADIC_CDT_SLOPE_SPECTRAL;
    slope.out = padic_tensor_1d(PADIC_F64, dimension, STEPS);
    slope.error = padic_tensor_1d(PADIC_F64, error, STEPS);
    CHECK(!padic_cdt_dimension(NULL, &slope));
    for (uint32_t s = 146; s <= 326; s += 2) mean += dimension[s] / 91;
    CHECK_NEAR(mean, 2.02, 0.05);
    CHECK_NEAR(dimension[30], 2.45, 0.05);
    CHECK(error[30] > 0 && error[30] < 0.1 && dimension[5] == 0 && dimension[331] == 0);
    padic_cdt_plan_destroy(plan);
}

// Rooted simple triangulations of the sphere with n + 3 vertices (Tutte 1962), over 12 (n + 1).
static double sphere_weight(uint32_t vertices)
{
    const uint32_t n = vertices - 3;
    double r = 2;
    for (uint32_t i = 3 * n + 3; i <= 4 * n + 1; i++) r *= i; // (4n+1)! / (3n+2)! / (n+1)!
    for (uint32_t i = 2; i <= n + 1; i++) r /= i;
    return r / (12 * (n + 1));
}

TEST(tutte) // spheres of 4 to 9 vertices at the critical lambda
{
    enum { REPLICAS = 16 };
    static uint64_t counts[REPLICAS][PADIC_CDT_COUNTS];
    static const double want[6] = {.745688, .157294, .053916, .023796, .012272, .007034};
    static const double rooted[6] = {1, 3, 13, 68, 399, 2530};
    const uint32_t rounds = (uint32_t)test_amount(600, 4000, 40000);
    double probability[6], sum = 0;
    uint32_t seen[6] = {0};
    padic_cdt_plan_desc desc = PADIC_ZERO;
    padic_cdt_plan *plan;
    padic_cdt_measure_desc measure = PADIC_ZERO;
    desc.kind = PADIC_CDT_KIND_EUCLID_SPHERE;
    desc.replicas = REPLICAS;
    desc.volume = PADIC_CDT_VOLUME_WINDOW;
    desc.window_min = 4;
    desc.window_max = 14;
    desc.weight_flip = desc.weight_insert = desc.weight_delete = 1;
    desc.seed = 21;
    REQUIRE(!padic_cdt_plan_create(NULL, &desc, &plan));
    for (uint32_t i = 0; i < 6; i++) {
        CHECK_NEAR(sphere_weight(i + 4) * 12 * (i + 2), rooted[i], 1e-6);
        probability[i] = sphere_weight(i + 4) * pow(27.0 / 256, i + 1);
        sum += probability[i];
    }
    for (uint32_t i = 0; i < 6; i++) {
        probability[i] /= sum;
        CHECK_NEAR(probability[i], want[i], 1e-6);
    }
    measure.plan = plan;
    measure.counts = padic_tensor_2d(PADIC_U64, counts, REPLICAS, PADIC_CDT_COUNTS);
    CHECK(!cdt_run(NULL, plan, 5000, 0));
    for (uint32_t i = 0; i < rounds; i++) {
        CHECK(!cdt_run(NULL, plan, 300, 0));
        CHECK(!padic_cdt_measure(NULL, &measure));
        for (uint32_t r = 0; r < REPLICAS; r++) {
            REQUIRE(counts[r][0] >= 4 && counts[r][0] <= 9);
            seen[counts[r][0] - 4]++;
        }
    }
    CHECK_CHI(chi_square(probability, seen, 6, (double)rounds * (int)REPLICAS));
    CHECK(!cdt_check(plan));
    padic_cdt_plan_destroy(plan);
}

// Orders of vertices of spheres with so many: the number of order 3, and whether all are 4.
static void sphere_orders(uint32_t vertices, uint32_t rounds, double *mean, double *error,
                          uint32_t seen[5])
{
    enum { REPLICAS = 16 };
    static uint64_t order[REPLICAS][16];
    padic_cdt_plan_desc desc = PADIC_ZERO;
    padic_cdt_plan *plan;
    padic_cdt_measure_desc measure = PADIC_ZERO;
    mean_of found;
    memset(&found, 0, sizeof found);
    desc.kind = PADIC_CDT_KIND_EUCLID_SPHERE;
    desc.replicas = REPLICAS;
    desc.volume = PADIC_CDT_VOLUME_WINDOW;
    desc.window_min = 2 * vertices - 6 < 4 ? 4 : 2 * vertices - 6;
    desc.window_max = 2 * vertices;
    desc.lambda = 1; // more often large
    desc.target = 2 * vertices - 4;
    desc.seed = vertices;
    desc.weight_flip = desc.weight_insert = desc.weight_delete = 1;
    REQUIRE(!padic_cdt_plan_create(NULL, &desc, &plan));
    CHECK(!cdt_grow(NULL, plan, 10000));
    measure.plan = plan;
    measure.order = padic_tensor_2d(PADIC_U64, order, REPLICAS, 16);
    for (uint32_t i = 0; i < rounds; i++) {
        CHECK(!cdt_run(NULL, plan, 0, 10 * vertices));
        CHECK(!padic_cdt_measure(NULL, &measure));
        for (uint32_t r = 0; r < REPLICAS; r++) {
            mean_add(&found, i, rounds, (double)order[r][3]);
            seen[order[r][4] == vertices ? 4 : order[r][3] < 4 ? order[r][3] : 0]++;
        }
    }
    *mean = mean_value(&found, error);
    CHECK(!cdt_check(plan));
    padic_cdt_plan_destroy(plan);
}

TEST(sphere_orders) // the octahedron, vertices of order 3
{
    static const double want[4] = {2, 24 / 13.0, 65 / 34.0, 2.0451128};
    const uint32_t rounds = (uint32_t)test_amount(400, 2000, 20000);
    for (uint32_t vertices = 5; vertices <= 8; vertices++) {
        uint32_t seen[5] = {0};
        double mean = 0, error = 0;
        const double exact =
            (2 * vertices - 6) * sphere_weight(vertices - 1) / sphere_weight(vertices);
        CHECK_NEAR(exact, want[vertices - 5], 1e-7);
        sphere_orders(vertices, rounds, &mean, &error, seen);
        CHECK_NEAR(mean, exact, 4 * error + 1e-12);
        if (vertices == 6) {
            const double p = 1 / 13.0, n = 16.0 * rounds;
            CHECK_NEAR(seen[4] / n, p, 4 * sqrt(p / n) * 1.3);
        } else if (vertices == 7) {
            const double law[4] = {3 / 68.0, 10 / 68.0, 45 / 68.0, 10 / 68.0};
            CHECK_CHI(chi_square(law, seen, 4, 16.0 * rounds));
        }
    }
}

TEST(sphere_large) // vertices of order 3 among 500: the exact ratio, near 27/128
{
    enum { REPLICAS = 4 };
    static uint64_t order[1][64];
    const uint32_t rounds = (uint32_t)test_amount(40, 400, 4000);
    padic_cdt_plan_desc desc = PADIC_ZERO;
    padic_cdt_plan *plan;
    padic_cdt_measure_desc measure = PADIC_ZERO;
    mean_of found;
    double error, value, exact = 994;
    memset(&found, 0, sizeof found);
    { // Z(499) / Z(500), Z(n + 3) = R_n / (12 (n + 1))
        const double n = 497;
        exact *= (n + 1) / n; // R_(n-1) / R_n = (n+1) (3n+2)(3n+1)(3n) / ((4n+1)(4n)(4n-1)(4n-2))
        exact *= (n + 1) * (3 * n + 2) * (3 * n + 1) * (3 * n) /
                 ((4 * n + 1) * (4 * n) * (4 * n - 1) * (4 * n - 2));
    }
    CHECK_NEAR(exact / 500, 27 / 128.0, 0.002);
    desc.kind = PADIC_CDT_KIND_EUCLID_SPHERE;
    desc.replicas = REPLICAS;
    desc.target = 996;
    desc.seed = 4;
    desc.weight_flip = desc.weight_insert = desc.weight_delete = 1;
    REQUIRE(!padic_cdt_plan_create(NULL, &desc, &plan));
    CHECK(!cdt_grow(NULL, plan, 0));
    measure.plan = plan;
    measure.order = padic_tensor_2d(PADIC_U64, order, 1, 64);
    for (uint32_t i = 0; i < rounds; i++) {
        CHECK(!cdt_run(NULL, plan, 0, 100));
        CHECK(!padic_cdt_measure(NULL, &measure));
        mean_add(&found, i, rounds, (double)order[0][3] / (int)REPLICAS);
    }
    value = mean_value(&found, &error);
    CHECK_NEAR(value, exact, 4 * error);
    CHECK(error < 3);
    padic_cdt_plan_destroy(plan);
}

TEST_MAIN("cdt_laws", CASE(numbers), CASE(slice_lengths), CASE(volumes), CASE(vertex_order),
          CASE(regular_torus), CASE(spectral_dimension), CASE(tutte), CASE(sphere_orders),
          CASE(sphere_large))
