// test_rollout_outputs.c: what a rollout gives besides frames it keeps: metrics while it runs
// against those of its frames, frames handed to a stream, plans; bit by bit.
#define PADIC_IMPLEMENTATION
#include "../../padic.h"
#include "../../backends/padic_simd.h"
#include "../../backends/padic_threads.h"
#include "../support/failing.h"
#include "../support/padic_test.h"
#include "../support/contexts.h"

enum { N = 2, I = 2, M = 2, T = 8, C = 2, SIDE = 10, CELLS = C * SIDE * SIDE, TRAJECTORIES = 8 };
enum { ALL_METRICS = 4095 };

static padic_rollout_node nodes[16];
static padic_rollout_noise_law law;

static char *fresh(uint64_t count, padic_dtype dtype)
{
    char *p = (char *)calloc((size_t)count + 1, padic_dtype_size(dtype));
    if (!p) exit(1);
    for (uint64_t i = 0; i < count; i++) {
        const float value = padic_random_symmetric((uint32_t)(test_random() >> 32));
        if (dtype == PADIC_F64) ((double *)(void *)p)[i] = (double)value;
        else ((float *)(void *)p)[i] = value;
    }
    return p;
}

typedef struct rollout_case {
    padic_rollout_run_desc run;
    char *weights, *initial, *frames;
    float *metrics;
    padic_rollout_status status[TRAJECTORIES];
} rollout_case;

// N operators, I initial conditions, M realisations, T steps, all frames.
static void case_begin(rollout_case *c, padic_dtype dtype)
{
    const uint64_t initial[4] = {I, C, SIDE, SIDE}, frames[7] = {N, I, M, T, C, SIDE, SIDE};
    const uint64_t status[4] = {N, I, M, 4};
    padic_rollout_nodes_cnn_desc cnn = PADIC_ZERO;
    padic_rollout_operator_report report = PADIC_ZERO;
    memset(c, 0, sizeof *c);
    memset(nodes, 0, sizeof nodes);
    cnn.channels = C, cnn.width = 5, cnn.layers = 2, cnn.nodes = nodes, cnn.capacity = 16;
    cnn.boundary = PADIC_ROLLOUT_BOUNDARY_PERIODIC;
    memset(&law, 0, sizeof law);
    law.length = 2;
    cnn.site = PADIC_ROLLOUT_NOISE_HIDDEN;
    cnn.noise = &law;
    c->run.op.nodes = nodes;
    c->run.op.count = padic_rollout_nodes_cnn(&cnn);
    c->run.op.channels = C;
    c->run.op.height = c->run.op.width = SIDE;
    CHECK_EQ(padic_rollout_operator_info(NULL, &c->run.op, &report), PADIC_OK);
    c->weights = fresh(N * report.parameters, dtype);
    c->initial = fresh(I * CELLS, dtype);
    c->frames = fresh(TRAJECTORIES * T * CELLS, dtype);
    c->metrics = (float *)(void *)fresh(TRAJECTORIES * T * 64 * C, PADIC_F32);
    c->run.weights = padic_tensor_2d(dtype, c->weights, N, report.parameters);
    c->run.initial = padic_tensor_nd(dtype, c->initial, 4, initial);
    c->run.out = padic_tensor_nd(dtype, c->frames, 7, frames);
    c->run.status = padic_tensor_nd(PADIC_U32, c->status, 4, status);
    c->run.realisations = M;
    c->run.seed = 5;
    c->run.steps = T;
    c->run.policy = PADIC_ROLLOUT_POLICY_CONVEX;
}

static void case_end(rollout_case *c)
{
    free(c->weights), free(c->initial), free(c->frames), free(c->metrics);
}

static uint32_t case_metrics(rollout_case *c, uint32_t every)
{
    const uint32_t columns = padic_rollout_metrics_count(&c->run.reduce, C, SIDE, SIDE);
    const uint64_t shape[5] = {N, I, M, (T - 1) / (every ? every : 1) + 1, columns};
    c->run.reduce_every = every;
    c->run.metrics = padic_tensor_nd(PADIC_F32, c->metrics, 5, shape);
    return columns;
}

// R17: metrics while a rollout runs are those of the frames that it keeps, for every context,
// failure policy and set of columns; and those of every third step rows of them.
TEST(metrics_on_the_fly)
{
    static float want[TRAJECTORIES * T * 64 * C];
    contexts_begin(1);
    for (uint32_t with = 0; with < context_count; with++)
        for (uint32_t turn = 0; turn < 6; turn++) {
            const float range[2] = {-0.5f, 0.75f};
            rollout_case c;
            padic_rollout_reduce_desc reduce = PADIC_ZERO;
            case_begin(&c, PADIC_F32);
            c.run.reduce.metrics = turn == 1 ? 0 : ALL_METRICS;
            c.run.reduce.per_channel = turn == 2;
            if (turn == 3) c.run.reduce.range = range;
            if (turn > 3) { // the second initial condition fails at once, all others go on
                c.run.failure = turn == 4 ? PADIC_ROLLOUT_FAILURE_STOP
                                          : PADIC_ROLLOUT_FAILURE_FREEZE;
                c.run.limit = 4;
                ((float *)(void *)c.initial)[CELLS + 3] = 3.9f; // 0.5 of it, and O below 4
                for (uint64_t i = 0; i < c.run.weights.shape[1]; i++)
                    ((float *)(void *)c.weights)[i] *= 2.5f;
            }
            const uint32_t columns = case_metrics(&c, 0);
            CHECK_EQ(padic_rollout_run(contexts[with], &c.run), PADIC_OK);
            reduce.metrics = c.run.reduce;
            reduce.frames = c.run.out;
            reduce.out = c.run.metrics;
            reduce.out.data = want;
            CHECK(reduce.frames.rank == 7);
            CHECK_EQ(padic_rollout_reduce(contexts[with], &reduce), PADIC_OK);
            CHECK(!memcmp(want, c.metrics, (size_t)TRAJECTORIES * T * columns * 4));
            CHECK(columns > 10 && want[0] > 0);
            if (turn == 4) CHECK(c.status[2].code && !(want[(2 * T + T - 1) * columns] > 0));
            case_metrics(&c, 3);
            c.run.output = PADIC_ROLLOUT_OUTPUT_NONE; // nothing is kept but metrics
            memset(&c.run.out, 0, sizeof c.run.out);
            CHECK_EQ(padic_rollout_run(contexts[with], &c.run), PADIC_OK);
            for (uint32_t k = 0; k < TRAJECTORIES; k++)
                for (uint32_t f = 0; f < 3; f++)
                    CHECK(!memcmp(c.metrics + (k * 3 + f) * columns,
                                  want + (k * T + 3 * f) * columns, (size_t)columns * 4));
            case_end(&c);
        }
    contexts_end();
}

// F64 states: metrics of frames rounded to F32.
TEST(metrics_of_f64)
{
    rollout_case c;
    static float want[TRAJECTORIES * T * 64], rounded[TRAJECTORIES * T * CELLS];
    padic_rollout_reduce_desc reduce = PADIC_ZERO;
    case_begin(&c, PADIC_F64);
    c.run.reduce.metrics = ALL_METRICS;
    const uint32_t columns = case_metrics(&c, 0);
    CHECK_EQ(padic_rollout_run(NULL, &c.run), PADIC_OK);
    for (uint32_t i = 0; i < TRAJECTORIES * T * CELLS; i++)
        rounded[i] = (float)((double *)(void *)c.frames)[i];
    reduce.metrics = c.run.reduce;
    reduce.frames = padic_tensor_nd(PADIC_F32, rounded, 7, c.run.out.shape);
    reduce.out = c.run.metrics;
    reduce.out.data = want;
    CHECK_EQ(padic_rollout_reduce(NULL, &reduce), PADIC_OK);
    CHECK(!memcmp(want, c.metrics, (size_t)TRAJECTORIES * T * columns * 4));
    case_end(&c);
}

typedef struct streamed {
    const rollout_case *all;
    uint32_t every, ring, calls, next, stop_at;
    uint64_t next_first, most;
} streamed;

static int stream_frame(uint32_t t, const padic_rollout_view *view, void *user)
{
    streamed *s = (streamed *)user;
    const uint64_t held = view->frame % s->ring + 1;
    CHECK(view->frames.rank == 5 && view->frames.shape[0] == view->count);
    CHECK_EQ(view->frames.shape[1], held);
    CHECK_EQ(t, s->next); // in order of t, of these trajectories
    CHECK_EQ(view->first, s->next_first);
    CHECK(view->count <= TRAJECTORIES - view->first);
    for (uint64_t k = 0; k < view->count; k++)
        for (uint64_t f = 0; f < held; f++) {
            const uint64_t frame = view->frame + 1 - held + f;
            const uint64_t at = frame * s->every < T ? frame * s->every : T - 1;
            const char *got = (const char *)view->frames.data +
                              4 * (view->frames.stride[0] * (int64_t)k +
                                   view->frames.stride[1] * (int64_t)f);
            CHECK(!memcmp(got, s->all->frames + ((view->first + k) * T + at) * CELLS * 4,
                          CELLS * 4));
        }
    s->calls++;
    s->most = view->count > s->most ? view->count : s->most;
    s->next = t + s->every < T ? t + s->every : T - 1;
    if (t == T - 1) {
        s->next = 0;
        s->next_first = view->first + view->count;
    }
    return s->stop_at && s->calls >= s->stop_at;
}

// R13: STREAM has the frames of ALL, in order of t, whatever the ring; with max_bytes one set of
// trajectories after another; and it stops when it is told to.
TEST(stream)
{
    contexts_begin(0);
    for (uint32_t with = 0; with < context_count; with++)
        for (uint32_t turn = 0; turn < 6; turn++) {
            rollout_case c;
            streamed s = PADIC_ZERO;
            padic_rollout_run_report report = PADIC_ZERO;
            case_begin(&c, PADIC_F32);
            CHECK_EQ(padic_rollout_run(contexts[with], &c.run), PADIC_OK);
            s.all = &c;
            s.every = turn == 1 ? 3 : 1;
            s.ring = turn == 2 ? 5 : turn == 3 ? 1 : 2;
            c.run.output = PADIC_ROLLOUT_OUTPUT_STREAM;
            c.run.stream.frame = stream_frame;
            c.run.stream.user = &s;
            c.run.stream.ring = s.ring == 2 ? 0 : s.ring;
            if (turn == 1) c.run.every = 3, c.run.flags = PADIC_ROLLOUT_WITH_LAST;
            memset(&c.run.out, 0, sizeof c.run.out);
            c.run.report = &report;
            if (turn == 5) {
                CHECK_EQ(padic_rollout_run(contexts[with], &c.run), PADIC_OK);
                CHECK(s.calls == T && s.most == TRAJECTORIES);
                c.run.max_bytes = report.size - 1;
                s.calls = 0, s.next_first = 0, s.most = 0;
            }
            if (turn == 4) s.stop_at = 3;
            CHECK_EQ(padic_rollout_run(contexts[with], &c.run),
                     turn == 4 ? PADIC_ERROR_CANCELLED : PADIC_OK);
            CHECK_EQ(s.calls, turn == 1 ? 4 : turn == 4 ? 3 : turn == 5 ? 2 * T : T);
            if (turn == 5) CHECK(s.most < TRAJECTORIES);
            if (turn != 4) CHECK_EQ(s.next_first, TRAJECTORIES);
            case_end(&c);
        }
    contexts_end();
}

typedef struct counted {
    uint64_t done, total, calls;
} counted;

static int count_steps(uint64_t done, uint64_t total, void *user)
{
    counted *c = (counted *)user;
    CHECK(done > c->done && done <= total && (!c->total || total == c->total));
    c->done = done, c->total = total;
    c->calls++;
    return 0;
}

// The progress hook is told of every step, and in the end that all are done.
TEST(progress)
{
    for (int limited = 0; limited < 2; limited++) {
        padic_context_desc with = PADIC_ZERO;
        padic_rollout_run_report report = PADIC_ZERO;
        padic_context *context = NULL;
        counted c = PADIC_ZERO;
        rollout_case k;
        case_begin(&k, PADIC_F32);
        k.run.report = &report;
        if (limited) {
            CHECK_EQ(padic_rollout_run(NULL, &k.run), PADIC_OK);
            k.run.max_bytes = report.size - 1;
        }
        with.progress.step = count_steps;
        with.progress.user = &c;
        REQUIRE(padic_context_create(&with, &context) == PADIC_OK);
        CHECK_EQ(padic_rollout_run(context, &k.run), PADIC_OK);
        CHECK(c.done == c.total && c.total == (limited ? 2 * T : T) && c.calls == c.total);
        padic_context_destroy(context);
        case_end(&k);
    }
}

static padic_rollout_plan_desc plan_of(const rollout_case *c)
{
    padic_rollout_plan_desc desc = PADIC_ZERO;
    desc.run = c->run;
    memset(&desc.run.out, 0, sizeof desc.run.out);
    memset(&desc.run.status, 0, sizeof desc.run.status);
    memset(&desc.run.metrics, 0, sizeof desc.run.metrics);
    desc.measures = padic_tensor_count(&c->run.metrics) > 1;
    return desc;
}

// R13: plan, run and step, in any parts, after a reset and with few trajectories at a time, have
// the same bits: frames, metrics, statuses. No call of a plan allocates.
TEST(plans)
{
    static float columns_of[TRAJECTORIES * 64 * C], metrics[TRAJECTORIES * T * 64 * C];
    contexts_begin(1);
    for (uint32_t with = 0; with < context_count; with++)
        for (uint32_t turn = 0; turn < 5; turn++) {
            const padic_dtype dtype = turn == 1 ? PADIC_F64 : PADIC_F32;
            const uint64_t size = padic_dtype_size(dtype);
            const uint64_t out[6] = {N, I, M, C, SIDE, SIDE}, four[4] = {N, I, M, 4};
            float alphas[2 * N] = {0.25f, 9, 0.75f, 9};
            uint32_t ids[N] = {11, 4};
            rollout_case c;
            padic_rollout_plan *plan = NULL;
            padic_rollout_plan_report at = PADIC_ZERO;
            padic_rollout_plan_run_desc all = PADIC_ZERO;
            padic_rollout_plan_step_desc step = PADIC_ZERO;
            padic_rollout_plan_reset_desc reset = PADIC_ZERO;
            padic_rollout_plan_status_desc status = PADIC_ZERO;
            padic_rollout_status now[TRAJECTORIES];
            case_begin(&c, dtype);
            c.run.parameter = padic_tensor_1d(PADIC_F32, alphas, N);
            c.run.parameter.stride[0] = 2; // 0.25, 0.75
            c.run.ids = padic_tensor_1d(PADIC_U32, ids, N);
            c.run.reduce.metrics = turn == 2 ? 0 : ALL_METRICS;
            c.run.post = turn == 4 ? PADIC_ROLLOUT_POST_ZSCORE : PADIC_ROLLOUT_POST_NONE;
            if (turn == 3) {
                c.run.limit = 0.99;
                c.run.failure = PADIC_ROLLOUT_FAILURE_FREEZE;
                ((float *)(void *)c.initial)[7] = 0.995f;
            }
            const uint32_t columns = case_metrics(&c, turn == 2 ? 3 : 0);
            const uint64_t measured[4] = {N, I, M, columns};
            CHECK_EQ(padic_rollout_run(contexts[with], &c.run), PADIC_OK);
            padic_rollout_plan_desc desc = plan_of(&c);
            const uint64_t bytes = padic_rollout_plan_size_bound(contexts[with], &desc);
            if (turn == 2) desc.run.max_bytes = bytes - 1;
            CHECK_EQ(padic_rollout_plan_create(contexts[with], &desc, &plan), PADIC_OK);
            if (!plan) break;
            memset(alphas, 0, sizeof alphas); // all is the plan's own now
            memset(ids, 0, sizeof ids);
            law.length = 0;
            memset(c.weights, 0, (size_t)(N * c.run.weights.shape[1] * size));
            char *kept = fresh(TRAJECTORIES * CELLS, dtype);
            char *frames = fresh(TRAJECTORIES * T * CELLS, dtype);
            status.plan = step.plan = reset.plan = all.plan = plan;
            status.report = &at;
            status.out = step.out = padic_tensor_nd(dtype, kept, 6, out);
            status.status = step.status = padic_tensor_nd(PADIC_U32, now, 4, four);
            step.metrics = padic_tensor_nd(PADIC_F32, columns_of, 4, measured);
            for (uint32_t round = 0; round < 3; round++) {
                const uint32_t by = round + 1;
                CHECK_EQ(padic_rollout_plan_status(contexts[with], &status), PADIC_OK);
                CHECK_EQ(at.step, 0);
                CHECK(turn == 2 ? at.size < bytes : at.size == bytes);
                for (uint32_t t = 0; t < T; t += by) {
                    step.count = by;
                    if (t) CHECK_EQ(padic_rollout_plan_step(contexts[with], &step), PADIC_OK);
                    for (uint64_t k = 0; k < TRAJECTORIES; k++) {
                        CHECK(!memcmp(kept + k * CELLS * size,
                                      c.frames + (k * T + t) * CELLS * size,
                                      (size_t)(CELLS * size)));
                        if (!t || turn == 2) continue;
                        CHECK(!memcmp(columns_of + k * columns,
                                      c.metrics + (k * T + t) * columns, (size_t)columns * 4));
                    }
                }
                step.count = 2; // all three ways end at 6 or 7
                CHECK_EQ(padic_rollout_plan_step(contexts[with], &step), PADIC_ERROR_LIMIT);
                if (by == 1) CHECK(!memcmp(now, c.status, sizeof now));
                if (turn == 3 && by == 1) CHECK(now[0].code && !now[0].step);
                CHECK_EQ(padic_rollout_plan_reset(contexts[with], &reset), PADIC_OK);
            }
            all.out = padic_tensor_nd(dtype, frames, 7, c.run.out.shape);
            all.metrics = padic_tensor_nd(PADIC_F32, metrics, 5, c.run.metrics.shape);
            all.status = step.status;
            for (uint32_t round = 0; round < 2; round++) {
                memset(now, 255, sizeof now);
                CHECK_EQ(padic_rollout_plan_run(contexts[with], &all), PADIC_OK);
                CHECK(!memcmp(frames, c.frames, (size_t)(TRAJECTORIES * T * CELLS * size)));
                CHECK(!memcmp(metrics, c.metrics,
                              (size_t)padic_tensor_count(&all.metrics) * sizeof *metrics));
                CHECK(!memcmp(now, c.status, sizeof now));
            }
            reset.initial = c.run.initial;
            for (uint64_t i = 0; i < I * CELLS * size; i++) // other initial conditions: exchanged
                kept[i] = c.initial[(i + CELLS * size) % (I * CELLS * size)];
            reset.initial.data = kept;
            CHECK_EQ(padic_rollout_plan_reset(contexts[with], &reset), PADIC_OK);
            CHECK_EQ(padic_rollout_plan_run(contexts[with], &all), PADIC_OK);
            for (uint64_t k = 0; k < TRAJECTORIES; k++)
                CHECK(!memcmp(frames + k * T * CELLS * size,
                              c.frames + (k ^ M) * T * CELLS * size,
                              (size_t)(T * CELLS * size)));
            padic_rollout_plan_destroy(plan);
            free(kept), free(frames);
            case_end(&c);
        }
    contexts_end();
}

static int no_frame(uint32_t t, const padic_rollout_view *view, void *user)
{
    (void)t, (void)view, (void)user;
    return 0;
}

TEST(refused)
{
    const float wrong[2] = {1, 0};
    rollout_case c;
    case_begin(&c, PADIC_F32);
    case_metrics(&c, 0);
    const padic_rollout_run_desc fine = c.run;
    CHECK_EQ(padic_rollout_run(NULL, &c.run), PADIC_OK);
#define REFUSED(change, result)                                                                  \
    c.run = fine;                                                                                \
    change;                                                                                      \
    CHECK_EQ(padic_rollout_run(NULL, &c.run), result)
    REFUSED(c.run.reduce.metrics = 4096, PADIC_ERROR_ARGUMENT);
    REFUSED(c.run.reduce.range = wrong, PADIC_ERROR_ARGUMENT);
    REFUSED(c.run.reduce.metrics = 1, PADIC_ERROR_MISMATCH);
    REFUSED(c.run.reduce_every = 2, PADIC_ERROR_MISMATCH);
    REFUSED(c.run.metrics.dtype = PADIC_U32, PADIC_ERROR_DTYPE);
    REFUSED(c.run.metrics.data = c.frames, PADIC_ERROR_OVERLAP);
    REFUSED((memset(&c.run.metrics, 0, sizeof c.run.metrics), c.run.reduce.bins = 3),
            PADIC_ERROR_ARGUMENT);
    REFUSED(c.run.output = PADIC_ROLLOUT_OUTPUT_STREAM, PADIC_ERROR_ARGUMENT);
    REFUSED(c.run.stream.frame = no_frame, PADIC_ERROR_ARGUMENT);
    REFUSED(c.run.stream.ring = 2, PADIC_ERROR_ARGUMENT);
    c.run = fine;
    memset(&c.run.out, 0, sizeof c.run.out);
    const padic_rollout_run_desc without = c.run;
#undef REFUSED
    c.run.output = PADIC_ROLLOUT_OUTPUT_STREAM;
    c.run.stream.frame = no_frame;
    CHECK_EQ(padic_rollout_run(NULL, &c.run), PADIC_OK);
    c.run.stream.ring = 65537;
    CHECK_EQ(padic_rollout_run(NULL, &c.run), PADIC_ERROR_ARGUMENT);
    c.run.stream.ring = 0;
    c.run.out = fine.out;
    CHECK_EQ(padic_rollout_run(NULL, &c.run), PADIC_ERROR_ARGUMENT);
    c.run = without;
    CHECK_EQ(padic_rollout_run(NULL, &c.run), PADIC_ERROR_DTYPE); // ALL needs out
    case_end(&c);
}

// Each allocation may fail: the call says so, and everything is given back.
TEST(allocations_fail)
{
    failing memory = {1000000, 0};
    padic_context_desc with = PADIC_ZERO;
    padic_context *context = NULL;
    rollout_case c;
    padic_result result = PADIC_ERROR_MEMORY;
    uint64_t turn;
    long before;
    with.allocator.alloc = failing_alloc;
    with.allocator.free = failing_free;
    with.allocator.user = &memory;
    REQUIRE(padic_context_create(&with, &context) == PADIC_OK);
    case_begin(&c, PADIC_F64);
    c.run.reduce.metrics = ALL_METRICS;
    case_metrics(&c, 0);
    CHECK_EQ(padic_rollout_run(context, &c.run), PADIC_OK);
    before = memory.live;
    for (turn = 0; turn < 100 && result == PADIC_ERROR_MEMORY; turn++) {
        memory.left = (int)turn;
        result = padic_rollout_run(context, &c.run);
        CHECK(result == PADIC_OK || result == PADIC_ERROR_MEMORY);
        CHECK_EQ(memory.live, before);
    }
    CHECK(result == PADIC_OK && turn > 5);
    memory.left = 1000000;
    case_end(&c);
    padic_context_destroy(context);
    CHECK_EQ(memory.live, 0);
}

// A plan's calls take no memory, and its creation gives all back when there is none left.
TEST(plans_without_memory)
{
    failing memory = {1000000, 0};
    const uint64_t out[6] = {N, I, M, C, SIDE, SIDE};
    padic_context_desc with = PADIC_ZERO;
    padic_context *context = NULL;
    padic_rollout_plan *plan = NULL;
    rollout_case c;
    padic_result result = PADIC_ERROR_MEMORY;
    with.allocator.alloc = failing_alloc;
    with.allocator.free = failing_free;
    with.allocator.user = &memory;
    REQUIRE(padic_context_create(&with, &context) == PADIC_OK);
    case_begin(&c, PADIC_F32);
    c.run.reduce.metrics = ALL_METRICS;
    const uint32_t columns = case_metrics(&c, 0);
    const uint64_t measured[4] = {N, I, M, columns};
    const padic_rollout_plan_desc desc = plan_of(&c);
    const long before = memory.live;
    for (int64_t turn = 0; turn < 100 && result == PADIC_ERROR_MEMORY; turn++) {
        memory.left = (int)turn;
        result = padic_rollout_plan_create(context, &desc, &plan);
        CHECK((result == PADIC_OK) == (plan != NULL));
        if (!plan) CHECK_EQ(memory.live, before);
    }
    CHECK_EQ(result, PADIC_OK);
    CHECK_EQ(memory.left, 0); // as many as it needed, and no more from here on
    padic_rollout_plan_step_desc step = PADIC_ZERO;
    padic_rollout_plan_run_desc all = PADIC_ZERO;
    padic_rollout_plan_reset_desc reset = PADIC_ZERO;
    all.plan = step.plan = reset.plan = plan;
    step.out = padic_tensor_nd(PADIC_F32, c.frames, 6, out);
    step.metrics = padic_tensor_nd(PADIC_F32, c.metrics, 4, measured);
    memory.left = 0;
    for (uint32_t t = 1; t < T; t++) CHECK_EQ(padic_rollout_plan_step(context, &step), PADIC_OK);
    CHECK_EQ(padic_rollout_plan_reset(context, &reset), PADIC_OK);
    all.out = c.run.out;
    all.metrics = c.run.metrics;
    CHECK_EQ(padic_rollout_plan_run(context, &all), PADIC_OK);
    CHECK_EQ(memory.left, 0); // none was asked for
    memory.left = 1000000;
    padic_rollout_plan_destroy(plan);
    CHECK_EQ(memory.live, before);
    case_end(&c);
    padic_context_destroy(context);
    CHECK_EQ(memory.live, 0);
}

static int stop_at_3(uint64_t done, uint64_t total, void *user)
{
    (void)total, (void)user;
    return done == 3;
}

TEST(plans_refused)
{
    const uint64_t out[6] = {N, I, M, C, SIDE, SIDE};
    padic_context_desc with = PADIC_ZERO;
    padic_context *context = NULL;
    padic_rollout_plan *plan = NULL;
    padic_rollout_plan_step_desc step = PADIC_ZERO;
    padic_rollout_plan_run_desc all = PADIC_ZERO;
    padic_rollout_plan_reset_desc reset = PADIC_ZERO;
    padic_rollout_plan_status_desc status = PADIC_ZERO;
    padic_rollout_plan_report report = PADIC_ZERO;
    rollout_case c;
    case_begin(&c, PADIC_F32);
    padic_rollout_plan_desc desc = plan_of(&c);
    with.progress.step = stop_at_3;
    REQUIRE(padic_context_create(&with, &context) == PADIC_OK);
    CHECK_EQ(padic_rollout_plan_create(NULL, NULL, &plan), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(padic_rollout_plan_create(NULL, &desc, NULL), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(padic_rollout_plan_size_bound(NULL, NULL), 0);
    desc.run.out = c.run.out;
    CHECK_EQ(padic_rollout_plan_create(NULL, &desc, &plan), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(padic_rollout_plan_size_bound(NULL, &desc), 0);
    desc = plan_of(&c);
    desc.measures = 2;
    CHECK_EQ(padic_rollout_plan_create(NULL, &desc, &plan), PADIC_ERROR_ARGUMENT);
    desc = plan_of(&c);
    desc.run.reduce.bins = 4;
    CHECK_EQ(padic_rollout_plan_create(NULL, &desc, &plan), PADIC_ERROR_ARGUMENT);
    desc = plan_of(&c);
    desc.run.initial.data = NULL;
    CHECK_EQ(padic_rollout_plan_create(NULL, &desc, &plan), PADIC_ERROR_ARGUMENT);
    desc = plan_of(&c);
    desc.run.weights.shape[0] = 0;
    CHECK_EQ(padic_rollout_plan_create(NULL, &desc, &plan), PADIC_ERROR_ARGUMENT);
    desc = plan_of(&c);
    desc.run.max_bytes = 1000;
    CHECK_EQ(padic_rollout_plan_create(NULL, &desc, &plan), PADIC_ERROR_MEMORY);
    desc = plan_of(&c);
    desc.run.failure = PADIC_ROLLOUT_FAILURE_FAIL;
    desc.run.limit = 1e-3;
    CHECK_EQ(padic_rollout_plan_create(NULL, &desc, &plan), PADIC_ERROR_NOT_FINITE);
    CHECK(!plan);
    desc = plan_of(&c);
    REQUIRE(padic_rollout_plan_create(context, &desc, &plan) == PADIC_OK);
    status.plan = step.plan = all.plan = reset.plan = plan;
    status.report = &report;
    CHECK_EQ(padic_rollout_plan_step(NULL, &step), PADIC_ERROR_ARGUMENT); // another context
    step.out = c.run.out;
    CHECK_EQ(padic_rollout_plan_step(context, &step), PADIC_ERROR_MISMATCH);
    step.out = padic_tensor_nd(PADIC_F64, c.frames, 6, out);
    CHECK_EQ(padic_rollout_plan_step(context, &step), PADIC_ERROR_DTYPE);
    step.out.dtype = PADIC_F32;
    step.metrics = step.out;
    CHECK_EQ(padic_rollout_plan_step(context, &step), PADIC_ERROR_ARGUMENT);
    memset(&step.metrics, 0, sizeof step.metrics);
    CHECK_EQ(padic_rollout_plan_run(context, &all), PADIC_ERROR_DTYPE); // ALL needs out
    reset.initial = c.run.initial;
    reset.initial.shape[0] = 1;
    CHECK_EQ(padic_rollout_plan_reset(context, &reset), PADIC_ERROR_MISMATCH);
    step.count = 6;
    CHECK_EQ(padic_rollout_plan_step(context, &step), PADIC_ERROR_CANCELLED);
    CHECK_EQ(padic_rollout_plan_status(context, &status), PADIC_OK);
    CHECK_EQ(report.step, 3);
    all.out = c.run.out;
    CHECK_EQ(padic_rollout_plan_run(context, &all), PADIC_ERROR_CANCELLED);
    CHECK_EQ(padic_rollout_plan_status(context, &status), PADIC_OK);
    CHECK_EQ(report.step, 0);
    padic_rollout_plan_destroy(plan);
    padic_rollout_plan_destroy(NULL);
    padic_context_destroy(context);
    case_end(&c);
}

static uint64_t taken; // bytes that are out

static void *counting_alloc(size_t size, size_t align, void *user)
{
    taken += size;
    return failing_alloc(size, align, user);
}

static void counting_free(void *pointer, size_t size, void *user)
{
    taken -= size;
    failing_free(pointer, size, user);
}

// A plan takes the bytes that padic_rollout_plan_size_bound() says, with tables of transforms and
// of correlated noise, too.
TEST(plan_bytes)
{
    static float weights[16], initial[4 * 4];
    const uint64_t four[4] = {1, 1, 4, 4};
    padic_rollout_node list[3] = PADIC_ZERO;
    padic_rollout_noise_law smooth = PADIC_ZERO;
    padic_rollout_plan_desc desc = PADIC_ZERO;
    padic_rollout_plan_report report = PADIC_ZERO;
    padic_rollout_plan_status_desc status = PADIC_ZERO;
    padic_context_desc with = PADIC_ZERO;
    padic_context *context = NULL;
    failing memory = {1000000, 0};
    with.allocator.alloc = counting_alloc;
    with.allocator.free = counting_free;
    with.allocator.user = &memory;
    REQUIRE(padic_context_create(&with, &context) == PADIC_OK);
    smooth.length = 1;
    list[0].kind = PADIC_ROLLOUT_KIND_SPECTRAL;
    list[0].modes = 2;
    list[1].kind = PADIC_ROLLOUT_KIND_NOISE;
    list[1].input = 1;
    list[1].noise = &smooth;
    list[2].kind = PADIC_ROLLOUT_KIND_ADD;
    list[2].input = 2;
    desc.run.op.nodes = list;
    desc.run.op.channels = 1;
    desc.run.op.height = desc.run.op.width = 4;
    desc.run.initial = padic_tensor_nd(PADIC_F32, initial, 4, four);
    desc.run.steps = 3;
    desc.run.output = PADIC_ROLLOUT_OUTPUT_NONE;
    for (uint32_t count = 1; count <= 3; count++) {
        padic_rollout_operator_report is = PADIC_ZERO;
        const uint64_t before = taken;
        desc.run.op.count = count;
        CHECK_EQ(padic_rollout_operator_info(context, &desc.run.op, &is), PADIC_OK);
        CHECK(is.parameters <= 16);
        desc.run.weights = padic_tensor_2d(PADIC_F32, weights, 1, is.parameters);
        const uint64_t bytes = padic_rollout_plan_size_bound(context, &desc);
        CHECK_EQ(padic_rollout_plan_create(context, &desc, &status.plan), PADIC_OK);
        CHECK_EQ(taken - before, bytes);
        status.report = &report;
        CHECK_EQ(padic_rollout_plan_status(context, &status), PADIC_OK);
        CHECK_EQ(report.size, bytes);
        padic_rollout_plan_destroy(status.plan);
        CHECK_EQ(taken, before);
    }
    padic_context_destroy(context);
}

static int write_nothing(const void *bytes, uint64_t size, uint64_t at, void *user)
{
    (void)bytes, (void)size, (void)at, (void)user;
    return 0;
}

// An operator without parameters needs no memory for its weights: in a run, a plan and a record.
TEST(no_parameters)
{
    const uint64_t state[4] = {1, 1, 2, 2}, all[7] = {1, 1, 1, 3, 1, 2, 2}, whole[4] = {1, 1, 1, 4};
    const uint64_t one[6] = {1, 1, 1, 1, 2, 2}, block[5] = {1, 3, 1, 2, 2};
    float initial[4] = {1, 2, 3, 4}, frames[3][4], last[4];
    uint32_t code[4];
    padic_rollout_node twice = PADIC_ZERO; // state + state
    padic_rollout_run_desc run = PADIC_ZERO;
    padic_rollout_plan_desc desc = PADIC_ZERO;
    padic_rollout_plan_step_desc step = PADIC_ZERO;
    padic_rollout_record_desc file = PADIC_ZERO;
    padic_rollout_record *record = NULL;
    padic_rollout_record_frames_desc some = PADIC_ZERO;
    padic_rollout_record_metrics_desc rest = PADIC_ZERO;
    twice.kind = PADIC_ROLLOUT_KIND_ADD;
    run.op.nodes = &twice;
    run.op.count = run.op.channels = 1;
    run.op.height = run.op.width = 2;
    run.weights = padic_tensor_2d(PADIC_F32, NULL, 1, 0);
    run.initial = padic_tensor_nd(PADIC_F32, initial, 4, state);
    run.steps = 3;
    desc.run = run;
    run.out = padic_tensor_nd(PADIC_F32, frames, 7, all);
    run.status = padic_tensor_nd(PADIC_U32, code, 4, whole);
    CHECK_EQ(padic_rollout_run(NULL, &run), PADIC_OK);
    CHECK(frames[2][0] > 3.9f && frames[2][3] > 15.9f);
    CHECK(padic_rollout_plan_size_bound(NULL, &desc) > 0);
    CHECK_EQ(padic_rollout_plan_create(NULL, &desc, &step.plan), PADIC_OK);
    step.count = 2;
    step.out = padic_tensor_nd(PADIC_F32, last, 6, one);
    CHECK_EQ(padic_rollout_plan_step(NULL, &step), PADIC_OK);
    CHECK(!memcmp(last, frames[2], sizeof last));
    padic_rollout_plan_destroy(step.plan);
    file.run = &run;
    file.write = write_nothing;
    CHECK_EQ(padic_rollout_record_begin(NULL, &file, &record), PADIC_OK);
    some.record = rest.record = record;
    some.frames = padic_tensor_nd(PADIC_F32, frames, 5, block);
    rest.status = padic_tensor_2d(PADIC_U32, code, 1, 4);
    CHECK_EQ(padic_rollout_record_frames(NULL, &some), PADIC_OK);
    CHECK_EQ(padic_rollout_record_metrics(NULL, &rest), PADIC_OK);
    CHECK_EQ(padic_rollout_record_end(NULL, record), PADIC_OK);
}

TEST_MAIN("test_rollout_outputs", CASE(metrics_on_the_fly), CASE(metrics_of_f64), CASE(stream),
          CASE(progress), CASE(refused), CASE(allocations_fail),
          CASE(plans), CASE(plans_without_memory), CASE(plans_refused), CASE(plan_bytes),
          CASE(no_parameters))
