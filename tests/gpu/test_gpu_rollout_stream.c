// test_gpu_rollout_stream.c: STREAM on devices: the frames of ALL to the bit, in order of t, in f32
// and in 16 bits, from calls and plans, whatever the ring, the frames that are wanted and the
// trajectories side by side; what the stream has seen stays while it may look at it; it may stop;
// a record that it fills has the bytes of those frames, also after a cut.
//
//     ./test_gpu_rollout_stream      devices: see gpu_devices.h
#include "../support/inside.h"
#include "../../padic.h"
#include "gpu_devices.h"
#include "../rollout/rollout_disk.h"
#include "../rollout/rollout_lists.h"
#include "rollout_world.h"

enum { T = 7, ALL = 12 };

typedef struct watch {
    const float *frames; // of ALL: (12, T, C, H, W)
    uint64_t per;
    uint32_t every, ring, calls, next, stop_at;
    uint64_t next_first, most;
} watch;

static int watch_frame(uint32_t t, const padic_rollout_view *view, void *user)
{
    watch *s = (watch *)user;
    const uint64_t held = view->frame % s->ring + 1;
    int same = 1;
    CHECK(view->frames.rank == 5 && view->frames.shape[0] == view->count);
    CHECK_EQ(view->frames.shape[1], held);
    CHECK_EQ(t, s->next); // in order of t, of these trajectories
    CHECK_EQ(view->first, s->next_first);
    CHECK(view->count && view->count <= ALL - view->first);
    for (uint64_t k = 0; k < view->count; k++)
        for (uint64_t f = 0; f < held; f++) {
            const uint64_t at = (view->frame + 1 - held + f) * s->every;
            const float *got = (const float *)view->frames.data +
                               view->frames.stride[0] * (int64_t)k +
                               view->frames.stride[1] * (int64_t)f;
            const uint64_t of = (view->first + k) * T + (at < T ? at : T - 1);
            same &= !memcmp(got, s->frames + of * s->per, s->per * 4);
        }
    CHECK(same);
    s->calls++;
    s->most = view->count > s->most ? view->count : s->most;
    s->next = t + s->every < T ? t + s->every : T - 1;
    if (t == T - 1) s->next = 0, s->next_first = view->first + view->count;
    return s->stop_at && s->calls >= s->stop_at;
}

// The rollout of `i`, with its frames; `half`: in 16 bits.
static rollout streamed_new(uint32_t i, int half)
{
    rollout r = rollout_new(3, 5, 7 + i, T);
    if (half) { // NOISE is before the last convolution
        const padic_rollout_node last = nodes[3];
        nodes[3] = nodes[4], nodes[3].input = 3;
        nodes[4] = last, nodes[4].input = 4;
        r.desc.precision =
            i % 2 ? PADIC_ROLLOUT_PRECISION_BF16 : PADIC_ROLLOUT_PRECISION_F16;
        r.desc.policy = PADIC_ROLLOUT_POLICY_CONVEX;
    }
    if (i % 2) r.desc.post = PADIC_ROLLOUT_POST_MINMAX;
    if (i % 3 == 2) r.desc.failure = PADIC_ROLLOUT_FAILURE_STOP, r.w.state_f[r.w.in + 3] = NAN;
    rollout_out(&r);
    return r;
}

// Its desc as a stream to `s`.
static padic_rollout_run_desc stream_of(const rollout *r, watch *s)
{
    padic_rollout_run_desc desc = r->desc;
    memset(s, 0, sizeof *s);
    s->frames = r->frames;
    s->per = r->w.in;
    s->every = 1;
    s->ring = 2;
    desc.output = PADIC_ROLLOUT_OUTPUT_STREAM;
    desc.stream.frame = watch_frame;
    desc.stream.user = s;
    memset(&desc.out, 0, sizeof desc.out);
    memset(&desc.status, 0, sizeof desc.status);
    return desc;
}

static void stream_case(padic_context *context, const rollout *r, uint32_t turn)
{
    padic_rollout_run_report report = PADIC_ZERO;
    watch s;
    padic_rollout_run_desc desc = stream_of(r, &s);
    uint64_t size;
    desc.report = &report;
    if (turn == 1) desc.every = s.every = 4, desc.flags |= PADIC_ROLLOUT_WITH_LAST;
    if (turn == 2) desc.stream.ring = s.ring = 5;
    if (turn == 3) desc.stream.ring = s.ring = 1;
    if (turn == 4) s.stop_at = 3;
    CHECK_EQ(padic_rollout_run(context, &desc), turn == 4 ? PADIC_ERROR_CANCELLED : PADIC_OK);
    CHECK_EQ(s.calls, turn == 1 ? 3 : turn == 4 ? 3 : T);
    CHECK_EQ(s.most, ALL);
    if (turn != 4) CHECK_EQ(s.next_first, ALL);
    if (turn) return;
    size = report.size; // fewer at a time
    s.calls = 0, s.next_first = 0, s.most = 0;
    desc.max_bytes = size / 2;
    CHECK_EQ(padic_rollout_run(context, &desc), PADIC_OK);
    CHECK(s.most < ALL && s.calls > T && s.next_first == ALL && report.size < size);
}

// All ways of a stream, by calls and by a plan, of which no call takes memory.
static void streams_of(padic_context *context, const rollout *r)
{
    for (uint32_t turn = 0; turn < 5; turn++) stream_case(context, r, turn);
    watch s;
    padic_rollout_plan_desc desc = PADIC_ZERO;
    padic_rollout_plan_run_desc run = PADIC_ZERO;
    padic_rollout_plan_status_desc where = PADIC_ZERO;
    padic_rollout_plan_report report = PADIC_ZERO;
    padic_stats stats;
    uint64_t before = 0;
    desc.run = stream_of(r, &s);
    CHECK_EQ(padic_rollout_plan_create(context, &desc, &run.plan), PADIC_OK);
    where.plan = run.plan, where.report = &report;
    for (uint32_t turn = 0; turn < 3 && run.plan; turn++) {
        s.calls = 0, s.next = 0, s.next_first = 0;
        s.stop_at = turn == 1 ? 2 : 0;
        CHECK_EQ(padic_rollout_plan_run(context, &run),
                 turn == 1 ? PADIC_ERROR_CANCELLED : PADIC_OK);
        CHECK_EQ(s.calls, turn == 1 ? 2 : T);
        padic_context_stats(context, &stats);
        if (turn) CHECK_EQ(stats.device_allocations, before);
        before = stats.device_allocations;
        CHECK_EQ(padic_rollout_plan_status(context, &where), PADIC_OK);
        CHECK_EQ(report.step, turn == 1 ? 0 : T - 1);
    }
    padic_rollout_plan_destroy(run.plan);
}

TEST(streams)
{
    open_devices();
    for (uint32_t i = 0; i < (test_tiny ? 2u : 6u); i++)
        for (int d = 0; d < device_count; d++) {
            rollout r = streamed_new(i, 0);
            nodes[4].noise = &r.law;
            const uint32_t fetches = native_desc.fetches;
            CHECK_EQ(padic_rollout_run(devices[d], &r.desc), PADIC_OK);
            native_desc.no_fetch = i % 3 == 1; // then downloads do it
            streams_of(devices[d], &r);
            if (!d) CHECK(native_desc.no_fetch ? native_desc.fetches == fetches
                                               : native_desc.fetches > fetches + 5 * T);
            native_desc.no_fetch = 0;
            rollout_end(&r);
        }
}

// In 16 bits, where a device has them.
TEST(halves)
{
    open_devices();
    for (uint32_t i = 0; i < 4; i++)
        for (int d = 0; d < device_count; d++) {
            rollout r = streamed_new(i, 1);
            nodes[3].noise = &r.law;
            const padic_result result = padic_rollout_run(devices[d], &r.desc);
            CHECK(result == PADIC_OK || result == PADIC_ERROR_NOT_SUPPORTED);
#ifdef GPU_CUDA
            if (d == device_count - 1) CHECK_EQ(result, PADIC_OK);
#endif
            if (!result) streams_of(devices[d], &r);
            rollout_end(&r);
        }
}

// ---- records

typedef struct filled { // a record, and what a stream of frames needs to fill it
    disk disk;
    padic_rollout_record *record;
    uint32_t block;
    uint64_t frames;
    padic_result result;
} filled;

static filled whole, part;

// Packs a block as soon as it is whole; the run's context is in use.
static int filled_frame(uint32_t t, const padic_rollout_view *view, void *user)
{
    filled *d = (filled *)user;
    padic_rollout_record_frames_desc desc = PADIC_ZERO;
    const uint64_t held = view->frames.shape[1];
    if (held < d->block && view->frame + 1 < d->frames) return 0;
    CHECK(t < T);
    desc.record = d->record;
    desc.first = view->first;
    desc.frame = view->frame + 1 - held;
    desc.frames = view->frames;
    d->result = padic_rollout_record_frames(NULL, &desc);
    return d->result != PADIC_OK;
}

// The rest of a record, after its frames: metrics and statuses; then its end.
static padic_result filled_end(filled *d, const padic_tensor *metrics, padic_rollout_status *status)
{
    padic_rollout_record_metrics_desc desc = PADIC_ZERO;
    padic_result result, end;
    desc.record = d->record;
    desc.metrics = padic_tensor_3d(PADIC_F32, metrics->data, ALL, metrics->shape[3],
                                   metrics->shape[4]);
    desc.status = padic_tensor_2d(PADIC_U32, status, ALL, 4);
    result = padic_rollout_record_metrics(NULL, &desc);
    end = padic_rollout_record_end(NULL, d->record);
    return result ? result : end;
}

static void record_case(padic_context *context, const rollout *r, const padic_tensor *metrics,
                        uint32_t fail)
{
    padic_rollout_record_desc desc = PADIC_ZERO;
    padic_rollout_run_desc run = r->desc;
    padic_rollout_status status[ALL];
    uint32_t tries = 0;
    disk_clear(&part.disk);
    part.block = 3, part.frames = T;
    run.output = PADIC_ROLLOUT_OUTPUT_STREAM;
    run.stream.frame = filled_frame, run.stream.user = &part, run.stream.ring = 3;
    memset(&run.out, 0, sizeof run.out);
    run.metrics = *metrics;
    run.status.data = status;
    desc.run = &run;
    desc.measures = 1;
    desc.block = 3, desc.level = 1;
    desc.write = disk_write, desc.read = disk_read, desc.user = &part.disk;
    do { // from where it was cut
        padic_result result;
        desc.size = part.disk.size;
        part.disk.fail = tries ? -1 : (int64_t)fail - 1; // -1 for 0, too
        part.disk.writes = 0, part.result = PADIC_OK;
        result = padic_rollout_record_begin(NULL, &desc, &part.record);
        if (!result) result = padic_rollout_run(context, &run);
        if (part.result) CHECK_EQ(part.result, PADIC_ERROR_CALLBACK);
        CHECK_EQ(result, part.result ? PADIC_ERROR_CANCELLED : PADIC_OK);
        if (!result) result = filled_end(&part, metrics, status);
        else CHECK_EQ(padic_rollout_record_end(NULL, part.record), PADIC_ERROR_CALLBACK);
        if (tries || !fail) CHECK_EQ(result, PADIC_OK); // 7: all that comes while it runs
        else CHECK_EQ(result, fail > 7 ? PADIC_ERROR_CALLBACK : PADIC_ERROR_CANCELLED);
    } while (fail && !tries++);
    CHECK_EQ(part.disk.size, whole.disk.size);
    CHECK(!memcmp(part.disk.bytes, whole.disk.bytes, sizeof whole.disk.bytes));
}

// A record that a stream fills has the bytes of one that gets all frames afterwards, and of one
// that was cut and gone on with, on this device.
TEST(records)
{
    open_devices();
    for (int d = 0; d < device_count; d++) {
        rollout r = streamed_new(0, 0);
        uint64_t shape[5] = {2, 3, 2, T, 0};
        padic_rollout_record_desc desc = PADIC_ZERO;
        padic_rollout_record_frames_desc frames = PADIC_ZERO;
        padic_rollout_run_desc run;
        const uint64_t all[5] = {ALL, T, r.w.op.channels, r.w.op.height, r.w.op.width};
        nodes[4].noise = &r.law;
        r.desc.reduce.metrics = PADIC_ROLLOUT_METRIC_SPECTRUM | PADIC_ROLLOUT_METRIC_MEAN;
        shape[4] = padic_rollout_metrics_count(&r.desc.reduce, r.w.op.channels, r.w.op.height,
                                               r.w.op.width);
        padic_tensor metrics = padic_tensor_nd(PADIC_F32, fresh(ALL * T * shape[4], 4), 5, shape);
        run = r.desc;
        run.metrics = metrics;
        run.output = PADIC_ROLLOUT_OUTPUT_EVERY; // as a record has a stream
        CHECK_EQ(padic_rollout_run(devices[d], &run), PADIC_OK);
        disk_clear(&whole.disk);
        desc.run = &run;
        desc.measures = 1;
        desc.block = 3, desc.level = 1;
        desc.write = disk_write, desc.user = &whole.disk;
        CHECK_EQ(padic_rollout_record_begin(NULL, &desc, &whole.record), PADIC_OK);
        frames.record = whole.record;
        frames.frames = padic_tensor_nd(PADIC_F32, r.frames, 5, all);
        CHECK_EQ(padic_rollout_record_frames(NULL, &frames), PADIC_OK);
        CHECK_EQ(filled_end(&whole, &metrics, r.status), PADIC_OK);
        static const uint32_t fails[6] = {5, 0, 2, 7, 40, 98};
        for (uint32_t i = 0; i < (test_tiny ? 1u : 6u); i++)
            record_case(devices[d], &r, &metrics, fails[i]);
        free(metrics.data);
        rollout_end(&r);
    }
}

TEST_MAIN("gpu_rollout_stream", CASE(streams), CASE(halves), CASE(records),
          CASE(no_kernel_was_dropped))
