// test_rollout_defects.c: what went wrong in earlier systems and cannot here: a test for each of
// the six groups of section 2.14 of the page, by its number. Others that show the same in more
// detail name it, too. And the rest of R7.
#define PADIC_IMPLEMENTATION
#include "../../padic.h"
#include "../../backends/padic_simd.h"
#include "../../backends/padic_threads.h"
#include "../support/padic_test.h"
#include "../support/contexts.h"

#include "rollout_support.h"

enum { SIDE = 16, C = 2, CELLS = C * SIDE * SIDE };

static padic_rollout_operator net(padic_rollout_noise_site site,
                                  const padic_rollout_noise_law *law)
{
    padic_rollout_nodes_cnn_desc cnn = PADIC_ZERO;
    padic_rollout_operator op = list(C, SIDE, SIDE);
    cnn.channels = C, cnn.width = 4, cnn.layers = 2;
    cnn.boundary = PADIC_ROLLOUT_BOUNDARY_PERIODIC;
    cnn.site = site, cnn.noise = law, cnn.nodes = nodes, cnn.capacity = PADIC_ROLLOUT_NODES;
    op.count = padic_rollout_nodes_cnn(&cnn);
    return op;
}

static padic_rollout_run_desc rollout(const run_of *r, uint64_t i, uint32_t m, uint32_t steps,
                                      float *out)
{
    const uint64_t initial[4] = {i, r->op.channels, r->op.height, r->op.width};
    const uint64_t seven[7] = {r->n, i, m, 1, r->op.channels, r->op.height, r->op.width};
    padic_rollout_run_desc run = PADIC_ZERO;
    run.op = r->op;
    run.weights = padic_tensor_2d(PADIC_F32, r->weights_f, r->n, r->parameters);
    run.initial = padic_tensor_nd(PADIC_F32, r->state_f, 4, initial);
    run.realisations = m, run.steps = steps, run.seed = 3;
    run.output = PADIC_ROLLOUT_OUTPUT_LAST;
    run.out = padic_tensor_nd(PADIC_F32, out, 7, seven);
    return run;
}

// 1. Seeds are integers of the caller, not of a process or a time: the same words in every run of
// this program. Sobol points use theirs. Noise is of operator, realisation and step: no stream is
// used by two of them, and none is that of the step before.
TEST(defect_1_seeds)
{
    enum { N = 2, M = 2, T = 4 };
    static float z[N * M * T][CELLS];
    float *x = (float *)fresh(CELLS, 4);
    uint32_t points[2][64];
    uint64_t hash = 1469598103934665603u;
    for (uint32_t s = 0; s < 2; s++) {
        padic_rollout_sobol_desc sobol = PADIC_ZERO;
        sobol.out = padic_tensor_2d(PADIC_U32, points[s], 16, 4);
        sobol.seed = s;
        CHECK_EQ(padic_rollout_sobol(NULL, &sobol), PADIC_OK);
    }
    CHECK(memcmp(points[0], points[1], sizeof *points) != 0);
    padic_rollout_operator op = list(C, SIDE, SIDE);
    nodes[0].kind = PADIC_ROLLOUT_KIND_NOISE;
    for (uint32_t k = 0; k < N * M * T; k++) {
        const uint64_t five[5] = {1, 1, C, SIDE, SIDE};
        const uint32_t id = k / (M * T), m = k / T % M;
        padic_rollout_apply_desc apply = PADIC_ZERO;
        apply.op = op, apply.seed = 3, apply.step = k % T + 1, apply.frames = T;
        apply.weights = padic_tensor_2d(PADIC_F32, x, 1, 0);
        apply.state = padic_tensor_nd(PADIC_F32, x, 5, five);
        apply.out = padic_tensor_nd(PADIC_F32, z[k], 5, five);
        apply.ids = padic_tensor_1d(PADIC_U32, (void *)(uintptr_t)&id, 1);
        apply.noise_ids = padic_tensor_1d(PADIC_U32, (void *)(uintptr_t)&m, 1);
        CHECK_EQ(padic_rollout_apply(NULL, &apply), PADIC_OK);
        for (uint32_t j = 0; j < k; j++) // not even shifted
            for (uint32_t shift = 0; shift < 5; shift++)
                CHECK(memcmp(z[j], z[k] + shift, (CELLS - 8) * 4) != 0);
        for (uint32_t i = 0; i < CELLS; i++) {
            uint32_t bits;
            memcpy(&bits, &z[k][i], 4);
            hash = (hash ^ bits) * 1099511628211u;
        }
    }
    CHECK_EQ(hash, UINT64_C(0x5bc7319c61fdb1cd)); // D0;
    free(x);
}

// 2. The precision that is asked for reaches every layer: a weight of any of them loses what 16
// bits do not hold.
TEST(defect_2_precision)
{
    padic_rollout_operator op = net(PADIC_ROLLOUT_NOISE_NONE, NULL);
    run_of r = run_new(&op, 1, 1);
    float *y = (float *)fresh(CELLS, 4), *z = (float *)fresh(CELLS, 4);
    for (uint32_t i = 0; i < op.count; i++) {
        float *w = r.weights_f + shapes[i].weights, kept = *w;
        for (uint32_t p = 0; p < 2; p++) {
            padic_rollout_run_desc run = rollout(&r, 1, 1, 2, y);
            run.precision = p ? PADIC_ROLLOUT_PRECISION_F16 : PADIC_ROLLOUT_PRECISION_F32;
            *w = 0.25f;
            CHECK_EQ(padic_rollout_run(NULL, &run), PADIC_OK);
            *w = 0.25f + 1.0f / 65536;
            run.out.data = z;
            CHECK_EQ(padic_rollout_run(NULL, &run), PADIC_OK);
            CHECK((memcmp(y, z, CELLS * 4) == 0) == (p == 1));
        }
        *w = kept;
    }
    free(y), free(z), run_end(&r);
}

// 2. The schedule, the step and the correlation reach every noise node: after an annealed time
// there is none, whichever node it is; and 0 is 0, of alpha and of noise.
TEST(defect_2_parameters)
{
    const double none = 0;
    for (uint32_t first = 0; first < 2; first++) {
        padic_rollout_noise_law law = PADIC_ZERO, silent = PADIC_ZERO;
        padic_rollout_operator op = list(C, SIDE, SIDE);
        const uint64_t five[5] = {1, 1, C, SIDE, SIDE};
        law.schedule = PADIC_ROLLOUT_NOISE_ANNEALING;
        silent.scale = &none; // 0, not the default
        op.count = 2;
        nodes[0].kind = nodes[1].kind = PADIC_ROLLOUT_KIND_NOISE;
        nodes[1].input = 1;
        nodes[first].noise = &law, nodes[!first].noise = &silent;
        run_of r = run_new(&op, 1, 1);
        padic_rollout_apply_desc apply = PADIC_ZERO;
        apply.op = op, apply.frames = 7;
        apply.weights = padic_tensor_2d(PADIC_F32, r.weights_f, 1, 0);
        apply.state = padic_tensor_nd(PADIC_F32, r.state_f, 5, five);
        apply.out = padic_tensor_nd(PADIC_F32, r.got_f, 5, five);
        for (apply.step = 5; apply.step < 9; apply.step++) {
            CHECK_EQ(padic_rollout_apply(NULL, &apply), PADIC_OK);
            CHECK((memcmp(r.got_f, r.state_f, CELLS * 4) == 0) == (apply.step >= 7));
        }
        run_end(&r);
    }
    // A field that says nothing is an error, not dropped.
    padic_rollout_operator op = net(PADIC_ROLLOUT_NOISE_NONE, NULL);
    padic_rollout_operator_report report = PADIC_ZERO;
    nodes[1].modes = 3;
    CHECK_EQ(padic_rollout_operator_info(NULL, &op, &report), PADIC_ERROR_ARGUMENT);
}

// 3. Lengths are in cells, with 2 pi in place: the covariance at a distance of ell is e^(-1/2).
// Operators and spectra have one boundary: correlated noise is periodic.
TEST(defect_3_lengths)
{
    enum { M = 48, N = 48, ELL = 4 };
    const uint64_t five[5] = {1, M, 1, N, N};
    const double ell = ELL, one = 1;
    float *x = (float *)fresh(M * N * N, 4), *y = (float *)fresh(M * N * N, 4);
    padic_rollout_noise_law law = PADIC_ZERO;
    padic_rollout_operator op = list(1, N, N);
    padic_rollout_apply_desc apply = PADIC_ZERO;
    double same = 0, far = 0, around = 0;
    law.length = ell, law.scale = &one;
    nodes[0].kind = PADIC_ROLLOUT_KIND_NOISE, nodes[0].noise = &law;
    apply.op = op;
    apply.weights = padic_tensor_2d(PADIC_F32, x, 1, 0);
    apply.state = padic_tensor_nd(PADIC_F32, x, 5, five);
    apply.out = padic_tensor_nd(PADIC_F32, y, 5, five);
    CHECK_EQ(padic_rollout_apply(NULL, &apply), PADIC_OK);
    for (uint32_t i = 0; i < M * N * N; i++) {
        const uint32_t row = i / N * N, col = i % N;
        same += (double)y[i] * (double)y[i] / (int)(M * N * N);
        far += (double)y[i] * (double)y[row + (col + ELL) % N] / (int)(M * N * N);
        if (col < ELL) // over the edge
            around += (double)y[i] * (double)y[row + (col + N - ELL) % N] / (int)(M * N * ELL);
    }
    // Independent values: N^2/(4 pi ell^2) a field; of a strip of 2 ell a twelfth of them or more.
    const double se = sqrt(2 * 4 * 3.14159 * ell * ell / (int)(M * N * N));
    CHECK_NEAR(same, 1, 5 * se);
    CHECK_NEAR(far, exp(-0.5), 5 * se);
    CHECK_NEAR(around, exp(-0.5), 5 * se * sqrt(12));
    free(x), free(y);
}

// 4. Normalisation and correlated noise never couple realisations: one changes, the others do not.
// Operators of one signature keep their own weights.
TEST(defect_4_coupling)
{
    enum { M = 3 };
    padic_rollout_noise_law law = PADIC_ZERO;
    law.length = 2;
    padic_rollout_operator op = net(PADIC_ROLLOUT_NOISE_OUTPUT, &law);
    run_of r = run_new(&op, 2, 1);
    float *y = (float *)fresh(2 * M * CELLS, 4), *z = (float *)fresh(2 * M * CELLS, 4);
    uint32_t ids[M] = {0, 1, 2};
    padic_rollout_run_desc run = rollout(&r, 1, M, 4, y);
    run.post = PADIC_ROLLOUT_POST_ZSCORE;
    run.noise_ids = padic_tensor_2d(PADIC_U32, ids, 1, M);
    CHECK_EQ(padic_rollout_run(NULL, &run), PADIC_OK);
    ids[1] = 77;
    for (uint64_t i = 0; i < r.parameters; i++) r.weights_f[i] += 0.125f; // of operator 0
    run.out.data = z;
    CHECK_EQ(padic_rollout_run(NULL, &run), PADIC_OK);
    for (uint32_t k = 0; k < 2 * M; k++)
        CHECK((memcmp(y + k * CELLS, z + k * CELLS, CELLS * 4) == 0) == (k == M || k == M + 2));
    free(y), free(z), run_end(&r);
}

// 5. Rows are written at their own index whatever the grouping: four operators of two signatures,
// run by run of padic_rollout_group(), give what each gives alone.
TEST(defect_5_rows)
{
    enum { N = 4 };
    static padic_rollout_node both[2][PADIC_ROLLOUT_NODES];
    uint64_t signatures[N], order[N], runs[N], p[2], at = 0;
    float *rows[N], *y = (float *)fresh((uint64_t)N * CELLS, 4), *x = (float *)fresh(CELLS, 4);
    padic_rollout_operator op[2];
    padic_rollout_group_report report;
    padic_rollout_group_desc group = PADIC_ZERO;
    for (uint32_t i = 0; i < CELLS; i++) x[i] = (float)uniform();
    for (uint32_t k = 0; k < 2; k++) {
        padic_rollout_operator_report info = PADIC_ZERO;
        op[k] = net(PADIC_ROLLOUT_NOISE_HIDDEN, NULL);
        if (k) nodes[1].act = PADIC_ROLLOUT_ACT_TANH;
        memcpy(both[k], nodes, sizeof nodes);
        op[k].nodes = both[k];
        CHECK_EQ(padic_rollout_operator_info(NULL, &op[k], &info), PADIC_OK);
        for (uint32_t n = k; n < N; n += 2) signatures[n] = info.signature;
        p[k] = info.parameters;
    }
    for (uint32_t n = 0; n < N; n++) {
        padic_rollout_weights_init_desc init = PADIC_ZERO;
        rows[n] = (float *)fresh(p[n % 2], 4);
        init.op = op[n % 2], init.seed = 5;
        init.ids = padic_tensor_1d(PADIC_U32, &n, 1);
        init.out = padic_tensor_2d(PADIC_F32, rows[n], 1, p[n % 2]);
        CHECK_EQ(padic_rollout_weights_init(NULL, &init), PADIC_OK);
    }
    group.signatures = signatures, group.count = N, group.order = order, group.runs = runs;
    group.report = &report;
    CHECK_EQ(padic_rollout_group(NULL, &group), PADIC_OK);
    CHECK_EQ(report.runs, 2);
    for (uint64_t g = 0; g < report.runs; at += runs[g++]) {
        const uint32_t k = (uint32_t)order[at] % 2;
        const uint64_t four[4] = {1, C, SIDE, SIDE}, seven[7] = {runs[g], 1, 1, 1, C, SIDE, SIDE};
        float *w = (float *)fresh(runs[g] * p[k], 4), *out = (float *)fresh(runs[g] * CELLS, 4);
        uint32_t ids[N];
        padic_rollout_run_desc run = PADIC_ZERO;
        for (uint64_t j = 0; j < runs[g]; j++) {
            ids[j] = (uint32_t)order[at + j];
            memcpy(w + j * p[k], rows[ids[j]], (size_t)p[k] * 4);
        }
        run.op = op[k], run.steps = 3, run.output = PADIC_ROLLOUT_OUTPUT_LAST;
        run.weights = padic_tensor_2d(PADIC_F32, w, runs[g], p[k]);
        run.initial = padic_tensor_nd(PADIC_F32, x, 4, four);
        run.ids = padic_tensor_1d(PADIC_U32, ids, runs[g]);
        run.out = padic_tensor_nd(PADIC_F32, out, 7, seven);
        CHECK_EQ(padic_rollout_run(NULL, &run), PADIC_OK);
        for (uint64_t j = 0; j < runs[g]; j++)
            memcpy(y + order[at + j] * CELLS, out + j * CELLS, CELLS * 4);
        free(w), free(out);
    }
    for (uint32_t n = 0; n < N; n++) {
        const uint64_t four[4] = {1, C, SIDE, SIDE}, seven[7] = {1, 1, 1, 1, C, SIDE, SIDE};
        float *out = (float *)fresh(CELLS, 4);
        padic_rollout_run_desc run = PADIC_ZERO;
        run.op = op[n % 2], run.steps = 3, run.output = PADIC_ROLLOUT_OUTPUT_LAST;
        run.weights = padic_tensor_2d(PADIC_F32, rows[n], 1, p[n % 2]);
        run.initial = padic_tensor_nd(PADIC_F32, x, 4, four);
        run.ids = padic_tensor_1d(PADIC_U32, &n, 1);
        run.out = padic_tensor_nd(PADIC_F32, out, 7, seven);
        CHECK_EQ(padic_rollout_run(NULL, &run), PADIC_OK);
        CHECK(!memcmp(out, y + n * CELLS, CELLS * 4));
        free(out), free(rows[n]);
    }
    free(y), free(x);
}

// 6. Values that are not finite are found at the step where they arise, though what follows hides
// them: post would make a number of it again. Which path ran is visible.
TEST(defect_6_visible)
{
    padic_rollout_status status;
    const uint64_t four[4] = {1, 1, 1, 4};
    float *y = (float *)fresh(CELLS, 4);
    padic_rollout_operator op = list(C, SIDE, SIDE);
    nodes[0].norm = PADIC_ROLLOUT_NORM_NONE, nodes[0].act = PADIC_ROLLOUT_ACT_NONE;
    nodes[0].kernel = 1;
    run_of r = run_new(&op, 1, 1);
    for (uint64_t i = 0; i < r.parameters; i++) r.weights_f[i] = i < 4 ? 1e19f : 0;
    for (uint64_t i = 0; i < r.in; i++) r.state_f[i] = 1;
    padic_rollout_run_desc run = rollout(&r, 1, 1, 5, y);
    run.flags = PADIC_ROLLOUT_CLAMP, run.lo = -3e38, run.hi = 3e38;
    run.status = padic_tensor_nd(PADIC_U32, &status, 4, four);
    CHECK_EQ(padic_rollout_run(NULL, &run), PADIC_OK);
    CHECK(!isinf(y[0])); // hidden by the clamp
    CHECK(status.code == PADIC_ROLLOUT_CODE_NOT_FINITE && status.step == 2 &&
          status.last_good == 1);
    contexts_begin(0);
    for (uint32_t with = 1; with < context_count; with++) {
        padic_op_stats stats;
        CHECK_EQ(padic_rollout_run(contexts[with], &run), PADIC_OK);
        padic_context_op_stats(contexts[with], PADIC_OP_ROLLOUT_RUN, &stats);
        CHECK(stats.calls == 1 && !stats.fallbacks && stats.backend &&
              !strcmp(stats.backend, "simd"));
    }
    contexts_end();
    free(y), run_end(&r);
}

// R7: with kernels flipped along an axis a flipped field gives the flipped output, also with the
// boundary ZERO; hidden channels in another order give the same.
TEST(flips_and_orders)
{
    for (uint32_t round = 0; round < 8; round++) {
        padic_rollout_operator op = net(PADIC_ROLLOUT_NOISE_NONE, NULL);
        const int rows = round % 2;
        float *y = (float *)fresh(CELLS, 4), *z = (float *)fresh(CELLS, 4);
        double rms = 0;
        for (uint32_t i = 0; i < op.count; i++)
            nodes[i].boundary = round / 2 % 2 ? PADIC_ROLLOUT_BOUNDARY_ZERO
                                              : PADIC_ROLLOUT_BOUNDARY_PERIODIC;
        run_of r = run_new(&op, 1, 1);
        padic_rollout_run_desc run = rollout(&r, 1, 1, 2, y);
        CHECK_EQ(padic_rollout_run(NULL, &run), PADIC_OK);
        for (uint32_t i = 0; i < CELLS; i++) rms += (double)y[i] * (double)y[i] / (int)CELLS;
        rms = sqrt(rms);
        run.out.data = z;
        if (round < 4) {
            for (uint32_t n = 0; n < op.count; n++)
                for (uint64_t k = 0; nodes[n].kernel != 1 && k < shapes[n].count; k += 9)
                    for (uint32_t i = 0; i < 3; i++) {
                        float *at = r.weights_f + shapes[n].weights + k + (rows ? i : 3 * i);
                        const float kept = at[0];
                        at[0] = at[rows ? 6 : 2], at[rows ? 6 : 2] = kept;
                    }
            for (uint32_t i = 0; i < CELLS; i++) {
                const uint32_t c = i / (SIDE * SIDE) * SIDE * SIDE;
                const uint32_t v = i / SIDE % SIDE, u = i % SIDE;
                r.state_f[c + (rows ? SIDE - 1 - v : v) * SIDE + (rows ? u : SIDE - 1 - u)] =
                    (float)r.state[i];
            }
        } else { // channels 0 and 3 of the first node change places
            const uint64_t each = 9 * C;
            for (uint64_t i = 0; i < each; i++) {
                float *w = r.weights_f + i, kept = w[0];
                w[0] = w[3 * each], w[3 * each] = kept;
            }
            for (uint64_t o = 0; o < shapes[1].channels; o++)
                for (uint64_t i = 0; i < 9; i++) {
                    float *w = r.weights_f + shapes[1].weights + o * 36 + i, kept = w[0];
                    w[0] = w[27], w[27] = kept;
                }
        }
        CHECK_EQ(padic_rollout_run(NULL, &run), PADIC_OK);
        for (uint32_t i = 0; i < CELLS; i++) {
            const uint32_t c = i / (SIDE * SIDE) * SIDE * SIDE, v = i / SIDE % SIDE, u = i % SIDE;
            const uint32_t from =
                round < 4 ? c + (rows ? SIDE - 1 - v : v) * SIDE + (rows ? u : SIDE - 1 - u) : i;
            CHECK_NEAR(z[from], y[i], 5e-5 * rms);
        }
        free(y), free(z), run_end(&r);
    }
}

TEST_MAIN("test_rollout_defects", CASE(defect_1_seeds), CASE(defect_2_precision),
          CASE(defect_2_parameters), CASE(defect_3_lengths), CASE(defect_4_coupling),
          CASE(defect_5_rows), CASE(defect_6_visible), CASE(flips_and_orders))
