// test_vortices.c: lists of vortices against wrapped phases, known cores and roots, the speed of a
// pair; hostile input.

#define PADIC_ONLY_FIELD
#define PADIC_IMPLEMENTATION
#include "../../padic.h"
#include "../../backends/padic_simd.h"
#include "../../backends/padic_threads.h"
#include "../support/padic_test.h"

#include <math.h>

#define PI 3.14159265358979323846
#define ROWS 4096

static int64_t cells[ROWS][3], last_cells[ROWS][3], links[ROWS];
static double positions[ROWS * 3], last_positions[ROWS * 3], density[ROWS];
static padic_field_vortices_report report;

// A desc with all lists of `rows` rows.
static padic_field_vortices_desc listed(padic_tensor psi, uint64_t rows)
{
    padic_field_vortices_desc desc = PADIC_ZERO;
    desc.psi = psi;
    desc.cells = padic_tensor_2d(PADIC_I64, cells, rows, 3);
    desc.positions = padic_tensor_2d(PADIC_F64, positions, rows, psi.rank);
    desc.density = padic_tensor_1d(PADIC_F64, density, rows);
    desc.report = &report;
    return desc;
}

static void open_edges(padic_field_vortices_desc *desc)
{
    for (int i = 0; i < 3; i++) desc->boundary[i] = PADIC_FIELD_BOUNDARY_NEUMANN;
}

// z = x + i y on 32 x 32 points of [-15.3, 15.7]^2: two simple zeros and a double one.
static void known_field(double *psi)
{
    for (int i = 0; i < 32; i++)
        for (int j = 0; j < 32; j++, psi += 2) {
            const double x = i - 15.3, y = j - 15.3;
            const double a[3][2] = {{x - 2.2, y - 1.1}, {x + 5.7, -(y - 3.2)}, {x + 3.1, y + 6.6}};
            double re = 1, im = 0;
            for (int k = 0; k < 4; k++) {
                const double *b = a[k < 2 ? k : 2], t = re * b[0] - im * b[1];
                im = re * b[1] + im * b[0];
                re = t;
            }
            psi[0] = re;
            psi[1] = im;
        }
}

TEST(known)
{
    static const int64_t want[4][3] = {{9 * 32 + 18, 2, -1}, {11 * 32 + 8, 2, 1},
                                       {12 * 32 + 9, 2, 1}, {17 * 32 + 16, 2, 1}};
    static double psi[32 * 32 * 2];
    static float single[32 * 32 * 2];
    known_field(psi);
    for (int i = 0; i < 32 * 32 * 2; i++) single[i] = (float)psi[i];
    for (int wide = 0; wide < 2; wide++) {
        padic_field_vortices_desc desc =
            listed(wide ? padic_tensor_2d(PADIC_C128, psi, 32, 32)
                        : padic_tensor_2d(PADIC_C64, single, 32, 32), 16);
        open_edges(&desc);
        desc.spacing[0] = desc.spacing[1] = 1;
        desc.origin[0] = desc.origin[1] = -15.8; // Neumann: the first point half a step further
        memset(cells, 7, sizeof cells);
        REQUIRE(padic_field_vortices(NULL, &desc) == PADIC_OK);
        CHECK_EQ(report.count, 4);
        CHECK_EQ(report.undefined, 0);
        CHECK_EQ(report.total[2], 2);
        CHECK_EQ(report.total[0] | report.total[1], 0);
        CHECK(!memcmp(cells, want, sizeof want));
        CHECK_EQ(cells[4][0], INT64_C(0x0707070707070707)); // rows beyond stay
        CHECK_NEAR(positions[0], -5.7, 0.12); // the field is not bilinear
        CHECK_NEAR(positions[1], 3.2, 0.12);
        CHECK_NEAR(positions[6], 2.2, 0.12);
        CHECK_NEAR(positions[7], 1.1, 0.12);
        CHECK_NEAR((positions[2] + positions[4]) / 2, -3.1, 0.2); // both halves of the double zero
        CHECK_NEAR((positions[3] + positions[5]) / 2, -6.6, 0.2);
    }
    // periodic: the winding of the boundary is taken back at the seam
    {
        padic_field_vortices_desc desc = listed(padic_tensor_2d(PADIC_C128, psi, 32, 32), 64);
        REQUIRE(padic_field_vortices(NULL, &desc) == PADIC_OK);
        CHECK_EQ(report.total[2], 0);
        CHECK(report.count > 4);
    }
}

// A linear field: the interpolant is exact. Places for each boundary, centred and not.
TEST(places)
{
    static const double first[3] = {0, 1, 0.5}, centred[3] = {-0.5, -0.5, -0.5};
    for (int b = 0; b < 3; b++)
        for (int given = 0; given < 2; given++) {
            static double psi[9 * 11 * 2];
            const double h[2] = {0.25, 0.5};
            double origin[2], *to = psi;
            padic_field_vortices_desc desc = listed(padic_tensor_2d(PADIC_C128, psi, 9, 11), 8);
            for (int a = 0; a < 2; a++) {
                const double n = a ? 11 : 9;
                origin[a] = given ? 0 : h[a] * centred[b] * (n + (b == 1));
                desc.spacing[a] = h[a];
                desc.boundary[a] = (padic_field_boundary)b;
            }
            desc.flags = given ? PADIC_FIELD_ORIGIN_GIVEN : 0;
            for (int i = 0; i < 9; i++)
                for (int j = 0; j < 11; j++) { // the zero lies 3.3 and 7.6 steps from the first
                    *to++ = i - 3.3;
                    *to++ = j - 7.6;
                }
            REQUIRE(padic_field_vortices(NULL, &desc) == PADIC_OK);
            REQUIRE(report.count >= 1);
            CHECK_EQ(cells[0][0], 3 * 11 + 7);
            CHECK_EQ(cells[0][2], 1);
            CHECK_NEAR(positions[0], origin[0] + (first[b] + 3.3) * h[0], 1e-14);
            CHECK_NEAR(positions[1], origin[1] + (first[b] + 7.6) * h[1], 1e-14);
            CHECK_NEAR(density[0], (0.3 * 0.3 + 0.7 * 0.7 + 0.6 * 0.6 + 0.4 * 0.4) / 2, 1e-14);
        }
}

static double wrapped(double x)
{
    return x - 2 * PI * floor(x / (2 * PI) + 0.5);
}

// The charge of a square by wrapped phases.
static int64_t phase_charge(const double *psi, const int *n, const int *at, int o, double z[4][2])
{
    const int a = (o + 1) % 3, b = (o + 2) % 3;
    double sum = 0, angle[4];
    for (int c = 0; c < 4; c++) {
        int p[3] = {at[0], at[1], at[2]};
        if (c == 1 || c == 2) p[a] = (p[a] + 1) % n[a];
        if (c >= 2) p[b] = (p[b] + 1) % n[b];
        const double *q = psi + 2 * ((p[0] * n[1] + p[1]) * n[2] + p[2]);
        z[c][0] = q[0];
        z[c][1] = q[1];
        angle[c] = atan2(q[1], q[0]);
    }
    for (int c = 0; c < 4; c++) sum += wrapped(angle[(c + 1) & 3] - angle[c]);
    return (int64_t)floor(sum / (2 * PI) + 0.5);
}

// Random periodic fields: list, charges, order, sums, cores as roots of the interpolant.
TEST(phases)
{
    static const int shapes[5][3] = {{13, 17, 1}, {64, 40, 1}, {5, 6, 7}, {2, 3, 2}, {1, 9, 8}};
    static double psi[64 * 40 * 2];
    for (int s = 0; s < 5; s++) {
        const int *n = shapes[s], points = n[0] * n[1] * n[2], space = s > 1;
        const uint64_t shape[3] = {(uint64_t)n[0], (uint64_t)n[1], (uint64_t)n[2]};
        uint64_t row = 0;
        int centres = 0;
        for (int i = 0; i < 2 * points; i++)
            psi[i] = (double)(int64_t)test_random() / 9223372036854775808.0;
        padic_field_vortices_desc desc =
            listed(padic_tensor_nd(PADIC_C128, psi, space ? 3 : 2, shape), ROWS);
        desc.flags = PADIC_FIELD_ORIGIN_GIVEN;
        REQUIRE(padic_field_vortices(NULL, &desc) == PADIC_OK);
        CHECK_EQ(report.total[0] | report.total[1] | report.total[2], 0); // each plane totals 0
        for (int i = 0; i < points; i++) {
            const int at[3] = {i / n[2] / n[1], i / n[2] % n[1], i % n[2]};
            for (int o = space ? 0 : 2; o < 3; o++) {
                const int a = (o + 1) % 3, b = (o + 2) % 3;
                double z[4][2], u, v, value[2], most = 0;
                const int64_t charge = phase_charge(psi, n, at, o, z);
                if (!charge) continue;
                REQUIRE(row < report.count);
                CHECK_EQ(cells[row][0], i);
                CHECK_EQ(cells[row][1], o);
                CHECK_EQ(cells[row][2], charge);
                u = positions[row * (space ? 3 : 2) + (uint64_t)a] - at[a];
                v = positions[row * (space ? 3 : 2) + (uint64_t)b] - at[b];
                if (space)
                    CHECK_NEAR(positions[3 * row + (uint64_t)o], at[o], 0);
                CHECK(u >= 0 && u <= 1 && v >= 0 && v <= 1);
                for (int c = 0; c < 2; c++) {
                    value[c] = (1 - u) * ((1 - v) * z[0][c] + v * z[3][c]) +
                               u * ((1 - v) * z[1][c] + v * z[2][c]);
                    for (int k = 0; k < 4; k++) most = fmax(most, fabs(z[k][c]));
                }
                if (hypot(value[0], value[1]) > 1e-11 * most) {
                    CHECK(u == 0.5 && v == 0.5); // no root inside
                    centres++;
                }
                row++;
            }
        }
        CHECK_EQ(row, report.count);
        CHECK_EQ(centres, 0); // a charge of 1 has one
    }
}

// Lines in space: every cube has as many squares going in as out.
TEST(cubes)
{
    static float psi[6 * 6 * 6 * 2];
    static int charge[3][216];
    for (int round = 0; round < 4; round++) {
        for (int i = 0; i < 432; i++) psi[i] = (float)(int64_t)test_random();
        padic_field_vortices_desc desc = listed(padic_tensor_3d(PADIC_C64, psi, 6, 6, 6), ROWS);
        REQUIRE(padic_field_vortices(NULL, &desc) == PADIC_OK);
        memset(charge, 0, sizeof charge);
        for (uint64_t r = 0; r < report.count; r++)
            charge[cells[r][1]][cells[r][0]] = (int)cells[r][2];
        for (int i = 0; i < 216; i++) {
            const int x = i / 36, y = i / 6 % 6, z = i % 6;
            const int sum = charge[0][(x + 1) % 6 * 36 + y * 6 + z] - charge[0][i] +
                            charge[1][x * 36 + (y + 1) % 6 * 6 + z] - charge[1][i] +
                            charge[2][x * 36 + y * 6 + (z + 1) % 6] - charge[2][i];
            CHECK_EQ(sum, 0);
        }
    }
}

// Charges and places do not depend on the scale, up to the ends of f64.
TEST(scales)
{
    static double psi[32 * 32 * 2], scaled[32 * 32 * 2];
    static int64_t first[8][3];
    static double place[16];
    known_field(psi);
    for (int e = -1070; e < 1005; e += 207) {
        padic_field_vortices_desc desc = listed(padic_tensor_2d(PADIC_C128, scaled, 32, 32), 8);
        open_edges(&desc);
        for (int i = 0; i < 2048; i++) scaled[i] = ldexp(psi[i], e);
        if (e < -1000) { // not all bits are there: signs are
            REQUIRE(padic_field_vortices(NULL, &desc) == PADIC_OK);
            CHECK_EQ(report.count, 4);
            continue;
        }
        REQUIRE(padic_field_vortices(NULL, &desc) == PADIC_OK);
        if (e < -800) {
            memcpy(first, cells, sizeof first);
            memcpy(place, positions, sizeof place);
        }
        CHECK(!memcmp(first, cells, 4 * sizeof *cells));
        CHECK(!memcmp(place, positions, 8 * sizeof *place));
    }
}

// Zeros and values that are not finite: counted, not listed. Strides. Threads.
TEST(undefined_strides_threads)
{
    static double psi[32 * 32 * 2], spread[32 * 32 * 6];
    static int64_t first[64][3];
    padic_threads *pool = padic_threads_create(3, NULL);
    padic_context_desc open = PADIC_ZERO;
    padic_context *context;
    known_field(psi);
    psi[2 * (3 * 32 + 3)] = NAN;
    psi[2 * (20 * 32 + 31)] = INFINITY; // at the edge: two squares
    psi[2 * (25 * 32 + 5)] = psi[2 * (25 * 32 + 5) + 1] = 0;
    padic_field_vortices_desc desc = listed(padic_tensor_2d(PADIC_C128, psi, 32, 32), 64);
    open_edges(&desc);
    REQUIRE(padic_field_vortices(NULL, &desc) == PADIC_OK);
    CHECK_EQ(report.undefined, 10);
    CHECK_EQ(report.count, 4);
    desc.boundary[1] = PADIC_FIELD_BOUNDARY_PERIODIC;
    REQUIRE(padic_field_vortices(NULL, &desc) == PADIC_OK);
    CHECK_EQ(report.undefined, 12);
    memcpy(first, cells, sizeof first);
    for (int i = 0; i < 1024; i++) memcpy(spread + 2 * (3 * i + 1), psi + 2 * i, 16);
    desc.psi.data = spread + 2 * (3 * 1023 + 1); // backwards
    for (int i = 0; i < 1024; i++) memcpy(spread + 2 * (3 * (1023 - i) + 1), psi + 2 * i, 16);
    desc.psi.stride[0] = -96;
    desc.psi.stride[1] = -3;
    memset(cells, 0, sizeof cells);
    REQUIRE(padic_field_vortices(NULL, &desc) == PADIC_OK);
    CHECK(!memcmp(first, cells, report.count * sizeof *cells));
    REQUIRE(pool);
    open.jobs = padic_threads_jobs(pool);
    REQUIRE(padic_context_create(&open, &context) == PADIC_OK);
    memset(cells, 0, sizeof cells);
    REQUIRE(padic_field_vortices(context, &desc) == PADIC_OK);
    CHECK(!memcmp(first, cells, report.count * sizeof *cells));
    padic_context_destroy(context);
    padic_threads_destroy(pool);
}

// Buffers: psi and the lists, with too few rows.
TEST(buffers_capacity)
{
    static double psi[32 * 32 * 2];
    padic_context_desc open = PADIC_ZERO;
    padic_context *context;
    padic_buffer_desc memory = PADIC_ZERO;
    padic_buffer buffer[2];
    int64_t got[3][3];
    known_field(psi);
    padic_field_vortices_desc desc = listed(padic_tensor_2d(PADIC_C128, psi, 32, 32), 3);
    open_edges(&desc);
    memset(cells, 7, sizeof cells);
    CHECK_EQ(padic_field_vortices(NULL, &desc), PADIC_ERROR_CAPACITY);
    CHECK_EQ(report.count, 4);
    CHECK_EQ(cells[2][0], 12 * 32 + 9);
    CHECK_EQ(cells[3][0], INT64_C(0x0707070707070707));
    desc.cells = padic_tensor_2d(PADIC_I64, cells, 0, 3);
    memset(&desc.positions, 0, sizeof desc.positions);
    memset(&desc.density, 0, sizeof desc.density);
    CHECK_EQ(padic_field_vortices(NULL, &desc), PADIC_ERROR_CAPACITY);
    CHECK_EQ(report.count, 4);
    memset(&desc.cells, 0, sizeof desc.cells);
    report.count = 0;
    CHECK_EQ(padic_field_vortices(NULL, &desc), PADIC_OK); // counts
    CHECK_EQ(report.count, 4);
    desc.report = NULL;
    CHECK_EQ(padic_field_vortices(NULL, &desc), PADIC_OK);
    desc.report = &report;
    REQUIRE(padic_context_create(&open, &context) == PADIC_OK);
    memory.size = sizeof psi;
    memory.data = psi;
    REQUIRE(padic_buffer_create(context, &memory, &buffer[0]) == PADIC_OK);
    memory.size = sizeof got;
    memory.data = NULL;
    REQUIRE(padic_buffer_create(context, &memory, &buffer[1]) == PADIC_OK);
    desc.psi.data = NULL;
    desc.psi.buffer = buffer[0];
    desc.cells = padic_tensor_2d(PADIC_I64, NULL, 3, 3);
    desc.cells.buffer = buffer[1];
    CHECK_EQ(padic_field_vortices(context, &desc), PADIC_ERROR_CAPACITY);
    CHECK(strstr(padic_context_message(context), "report.count") != NULL);
    REQUIRE(padic_buffer_download(context, buffer[1], 0, got, sizeof got) == PADIC_OK);
    CHECK_EQ(got[0][0], 9 * 32 + 18);
    CHECK_EQ(got[2][0], 12 * 32 + 9);
    padic_context_destroy(context);
}

// Tracks: cores that move, over the seam, too far, and of the other charge.
static void pair_field(double *psi, double x, double y)
{
    for (int i = 0; i < 24; i++)
        for (int j = 0; j < 20; j++, psi += 2) { // zeros of both sines with charges + - - +
            const double a = sin(2 * PI * (i - x) / 24), b = sin(2 * PI * (j - y) / 20);
            psi[0] = a;
            psi[1] = b;
        }
}

TEST(tracks)
{
    static double psi[24 * 20 * 2];
    static const double move[4][2] = {{0.43, 0.38}, {1.33, -0.94}, {0.21, 3.1}, {-2.2, 1.93}};
    double x = 0.6, y = 0.7;
    padic_field_vortices_desc desc;
    pair_field(psi, x, y);
    for (int step = 0; step < 4; step++) {
        desc = listed(padic_tensor_2d(PADIC_C128, psi, 24, 20), 16);
        REQUIRE(padic_field_vortices(NULL, &desc) == PADIC_OK);
        REQUIRE(report.count == 4);
        memcpy(last_cells, cells, sizeof cells);
        memcpy(last_positions, positions, sizeof positions);
        x += move[step][0];
        y += move[step][1];
        pair_field(psi, x, y);
        desc.last_cells = padic_tensor_2d(PADIC_I64, last_cells, 4, 3);
        desc.last_positions = padic_tensor_2d(PADIC_F64, last_positions, 4, 2);
        desc.links = padic_tensor_1d(PADIC_I64, links, 16);
        desc.reach = step == 2 ? 3 : 0;
        REQUIRE(padic_field_vortices(NULL, &desc) == PADIC_OK);
        CHECK_EQ(report.count, 4);
        CHECK_EQ(report.linked, step == 2 ? 0 : 4);
        for (int r = 0; r < 4; r++) {
            const int64_t l = links[r];
            if (step == 2) {
                CHECK(l == -1);
                continue;
            }
            REQUIRE(l >= 0 && l < 4);
            CHECK_EQ(cells[r][2], last_cells[l][2]);
            for (int a = 0; a < 2; a++) { // it has moved as the field has, around the box
                const double n = a ? 20 : 24;
                double d = positions[2 * r + a] - last_positions[2 * l + a] - move[step][a];
                d -= n * floor(d / n + 0.5);
                CHECK_NEAR(d, 0, 0.02);
            }
        }
    }
    desc.last_cells = padic_tensor_2d(PADIC_I64, last_cells, 0, 3); // an empty list
    desc.last_positions = padic_tensor_2d(PADIC_F64, last_positions, 0, 2);
    REQUIRE(padic_field_vortices(NULL, &desc) == PADIC_OK);
    CHECK_EQ(report.linked, 0);
    CHECK(links[0] == -1);
}

// A pair of opposite vortices of a condensate, L = 64 and g = n = 1: it moves with 2 K/d, and with
// its images in the periodic box with 2 K (pi/L) cot(pi d/L), 4 % less.
TEST(pair_speed)
{
    const int n = test_full() ? 256 : 96, rate = test_full() ? 100 : 50; // steps in a time of 1
    const double box = 64, h = box / n;
    static double psi[256 * 256 * 2];
    double place[2] = {0, 0}, apart = 0;
    padic_context_desc open = PADIC_ZERO;
    padic_context *context;
    padic_field_plan_desc plan = PADIC_ZERO;
    padic_field_step_desc step = PADIC_ZERO;
    padic_field_vortices_desc desc;
    if (test_tiny) {
        SKIP("hundreds of steps");
    }
    for (int i = 0; i < n * n; i++) {
        const double x = (i / n - n / 2) * h + 0.03, y = (i % n - n / 2) * h + 0.02;
        double phase = 0, size = 1;
        for (int s = -1; s < 2; s += 2) {
            size *= tanh(hypot(x, y - s * 3.9) / 1.4);
            for (int image = -6; image < 7; image++) { // rows, periodic in y
                const double a = PI * (x / box - image), b = PI * (y - s * 3.9) / box;
                phase += s * atan2(cosh(a) * sin(b), sinh(a) * cos(b));
            }
        }
        psi[2 * i] = size * cos(phase);
        psi[2 * i + 1] = size * sin(phase);
    }
    open.backends[0] = padic_simd();
    REQUIRE(padic_context_create(&open, &context) == PADIC_OK);
    plan.dims = 2;
    plan.shape[0] = plan.shape[1] = (uint64_t)n;
    plan.spacing[0] = plan.spacing[1] = h;
    plan.dtype = PADIC_C128;
    plan.power[0].g = 1;
    plan.dt = 1.0 / rate;
    plan.time = PADIC_FIELD_TIME_IMAGINARY; // first the sound that the start has dies out
    REQUIRE(padic_field_plan_create(context, &plan, &step.plan) == PADIC_OK);
    step.psi = padic_tensor_2d(PADIC_C128, psi, (uint64_t)n, (uint64_t)n);
    step.count = (uint64_t)rate;
    REQUIRE(padic_field_step(context, &step) == PADIC_OK);
    plan.time = PADIC_FIELD_TIME_REAL;
    REQUIRE(padic_field_plan_set(context, &plan, step.plan) == PADIC_OK);
    step.count = 4 * (uint64_t)rate;
    desc = listed(step.psi, 8);
    desc.spacing[0] = desc.spacing[1] = h;
    desc.last_cells = padic_tensor_2d(PADIC_I64, last_cells, 2, 3);
    desc.last_positions = padic_tensor_2d(PADIC_F64, last_positions, 2, 2);
    desc.links = padic_tensor_1d(PADIC_I64, links, 8);
    desc.reach = 1;
    for (int t = 0; t < 4; t++) {
        memcpy(last_cells, cells, sizeof cells);
        memcpy(last_positions, positions, sizeof positions);
        REQUIRE(padic_field_vortices(context, &desc) == PADIC_OK);
        CHECK_EQ(report.count, 2);
        CHECK_EQ(report.total[2], 0);
        if (t) CHECK_EQ(report.linked, 2);
        if (t == 1) place[0] = (positions[0] + positions[2]) / 2;
        if (t) apart += fabs(positions[1] - positions[3]) / 3;
        place[1] = (positions[0] + positions[2]) / 2;
        if (t == 3) break;
        REQUIRE(padic_field_step(context, &step) == PADIC_OK);
    }
    CHECK_NEAR((place[1] - place[0]) / 8 / (PI / box / tan(PI * apart / box)), 1, 0.03);
    padic_field_plan_destroy(step.plan);
    padic_context_destroy(context);
}

TEST(empty_and_thin)
{
    static const uint64_t shapes[5][3] = {{0, 5, 1}, {5, 0, 1}, {1, 1, 1}, {1, 7, 1}, {3, 0, 2}};
    static float psi[64];
    for (int i = 0; i < 64; i++) psi[i] = (float)((int)(test_random() % 100) - 50) + 0.5f;
    for (int s = 0; s < 5; s++) {
        padic_field_vortices_desc desc =
            listed(padic_tensor_nd(PADIC_C64, psi, s == 4 ? 3 : 2, shapes[s]), 8);
        memset(&report, 9, sizeof report);
        CHECK_EQ(padic_field_vortices(NULL, &desc), PADIC_OK);
        CHECK_EQ(report.count, 0);
        open_edges(&desc);
        CHECK_EQ(padic_field_vortices(NULL, &desc), PADIC_OK);
        CHECK_EQ(report.count, 0);
    }
}

TEST(bad_input)
{
    static double psi[16 * 2 * 4];
    padic_context_desc open = PADIC_ZERO;
    padic_context *context;
    REQUIRE(padic_context_create(&open, &context) == PADIC_OK);
    CHECK_EQ(padic_field_vortices(NULL, NULL), PADIC_ERROR_ARGUMENT);
    for (int i = 0; i < 22; i++) {
        padic_result want = PADIC_ERROR_ARGUMENT;
        const char *field = "";
        padic_field_vortices_desc desc = listed(padic_tensor_2d(PADIC_C128, psi, 4, 4), 8);
        desc.last_cells = padic_tensor_2d(PADIC_I64, last_cells, 8, 3);
        desc.last_positions = padic_tensor_2d(PADIC_F64, last_positions, 8, 2);
        desc.links = padic_tensor_1d(PADIC_I64, links, 8);
        switch (i) {
        case 0: desc.psi.dtype = PADIC_F64, want = PADIC_ERROR_DTYPE, field = "psi"; break;
        case 1: desc.psi.rank = 1, want = PADIC_ERROR_MISMATCH, field = "psi"; break;
        case 2:
            desc.psi = padic_tensor_nd(PADIC_C128, psi, 4, desc.psi.shape);
            desc.psi.shape[2] = desc.psi.shape[3] = 1;
            want = PADIC_ERROR_MISMATCH, field = "psi";
            break;
        case 3: desc.spacing[1] = -1, field = "spacing"; break;
        case 4: desc.spacing[0] = NAN, field = "spacing"; break;
        case 5: desc.origin[1] = INFINITY, field = "origin"; break;
        case 6: desc.boundary[0] = (padic_field_boundary)3, field = "boundary"; break;
        case 7: desc.flags = 1u << 30, field = "flags"; break;
        case 8: desc.reach = -1, field = "reach"; break;
        case 9: desc.reach = NAN, field = "reach"; break;
        case 10: desc.cells.dtype = PADIC_I32, want = PADIC_ERROR_DTYPE, field = "cells"; break;
        case 11: desc.cells.shape[1] = 2, want = PADIC_ERROR_MISMATCH, field = "cells"; break;
        case 12: desc.positions.shape[1] = 3, want = PADIC_ERROR_MISMATCH; break;
        case 13: desc.density.shape[0] = 7, want = PADIC_ERROR_MISMATCH, field = "density"; break;
        case 14: desc.links.shape[0] = 7, want = PADIC_ERROR_MISMATCH, field = "links"; break;
        case 15: desc.last_positions.shape[0] = 7, want = PADIC_ERROR_MISMATCH; break;
        case 16: memset(&desc.cells, 0, sizeof desc.cells), field = "links"; break;
        case 17: memset(&desc.last_cells, 0, sizeof desc.last_cells), field = "links"; break;
        case 18: desc.cells.data = last_cells, want = PADIC_ERROR_OVERLAP; break;
        case 19: desc.psi.data = NULL, desc.psi.buffer.id = 77, field = "psi"; break;
        case 20: desc.psi.data = NULL, field = "psi"; break;
        default: desc.density.dtype = PADIC_F32, want = PADIC_ERROR_DTYPE, field = "density"; break;
        }
        memset(cells, 7, sizeof cells);
        memset(&report, 7, sizeof report);
        const padic_result got = padic_field_vortices(context, &desc);
        if (got != want) printf("row %d: %d\n", i, (int)got);
        CHECK_EQ(got, want);
        CHECK(strstr(padic_context_message(context), field) != NULL);
        CHECK_EQ(cells[0][0], INT64_C(0x0707070707070707)); // nothing was written
        CHECK_EQ(report.count, UINT64_C(0x0707070707070707));
    }
    padic_context_destroy(context);
}

TEST_MAIN("vortices", CASE(known), CASE(places), CASE(phases), CASE(cubes), CASE(scales),
          CASE(undefined_strides_threads), CASE(buffers_capacity), CASE(tracks), CASE(pair_speed),
          CASE(empty_and_thin), CASE(bad_input))
