// test_gpu_rollout_stream.c: STREAM on devices: the frames of ALL to the bit, in order of t, in f32
// and in 16 bits, from calls and plans, whatever the ring, the frames that are wanted and the
// trajectories side by side; what the stream has seen stays while it may look at it; it may stop;
// a record that it fills has the bytes of those frames, also after a cut. Frames that a device
// packs for a record have the bytes that the CPU packs from the same frames, in every profile and
// tolerance, from buffers and from a stream, of calls and of plans, some trajectories at a time,
// and after a cut; only packed bytes travel; nothing is allocated after a record's first block but
// for what waits for its turn; every allocation fails in turn.
//
//     ./test_gpu_rollout_stream      devices: see gpu_devices.h
#include "../support/inside.h"
#include "../../padic.h"
#include "gpu_devices.h"
#include "../support/failing.h"
#include "../rollout/rollout_disk.h"
#include "../rollout/rollout_lists.h"
#include "rollout_world.h"

enum { T = 7, ALL = 12, BLOCK = 3 };

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
            if (!d && !wanted("PADIC_TEST_GPU_ALONE")) // device 0 is the native one
                CHECK(native_desc.no_fetch ? native_desc.fetches == fetches
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
    disk file;
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
    disk_clear(&part.file);
    part.block = 3, part.frames = T;
    run.output = PADIC_ROLLOUT_OUTPUT_STREAM;
    run.stream.frame = filled_frame, run.stream.user = &part, run.stream.ring = 3;
    memset(&run.out, 0, sizeof run.out);
    run.metrics = *metrics;
    run.status.data = status;
    desc.run = &run;
    desc.measures = 1;
    desc.block = 3, desc.level = 1;
    desc.write = disk_write, desc.read = disk_read, desc.user = &part.file;
    do { // from where it was cut
        padic_result result;
        desc.size = part.file.size;
        part.file.fail = tries ? -1 : (int64_t)fail - 1; // -1 for 0, too
        part.file.writes = 0, part.result = PADIC_OK;
        result = padic_rollout_record_begin(NULL, &desc, &part.record);
        if (!result) result = padic_rollout_run(context, &run);
        if (part.result) CHECK_EQ(part.result, PADIC_ERROR_CALLBACK);
        CHECK_EQ(result, part.result ? PADIC_ERROR_CANCELLED : PADIC_OK);
        if (!result) result = filled_end(&part, metrics, status);
        else CHECK_EQ(padic_rollout_record_end(NULL, part.record), PADIC_ERROR_CALLBACK);
        if (tries || !fail) CHECK_EQ(result, PADIC_OK); // 7: all that comes while it runs
        else CHECK_EQ(result, fail > 7 ? PADIC_ERROR_CALLBACK : PADIC_ERROR_CANCELLED);
    } while (fail && !tries++);
    CHECK_EQ(part.file.size, whole.file.size);
    CHECK(!memcmp(part.file.bytes, whole.file.bytes, sizeof whole.file.bytes));
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
        disk_clear(&whole.file);
        desc.run = &run;
        desc.measures = 1;
        desc.block = 3, desc.level = 1;
        desc.write = disk_write, desc.user = &whole.file;
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

// ---- frames that the device packs

static disk cpu_disk, device_disk;

static const padic_codec_tolerance_mode modes[3] = {
    PADIC_CODEC_TOLERANCE_NONE, PADIC_CODEC_TOLERANCE_RANGE, PADIC_CODEC_TOLERANCE_ABSOLUTE};

// The rollout, with its frames from this device; trajectory 3 has NaN from its second step on.
static rollout packed_new(padic_context *context, padic_rollout_noise_law *law)
{
    rollout r = rollout_new(3, 10, 9, T);
    *law = r.law;
    nodes[4].noise = law;
    r.desc.policy = PADIC_ROLLOUT_POLICY_RESIDUAL;
    r.desc.failure = PADIC_ROLLOUT_FAILURE_STOP;
    r.desc.limit = 1.1;
    for (uint64_t i = 0; i < 3 * r.w.in; i++) // of few bits, smooth enough to be packed
        r.w.state_f[i] = (float)(int)(8 * sin(0.02 * (double)i)) / 16;
    rollout_out(&r);
    CHECK_EQ(padic_rollout_run(context, &r.desc), PADIC_OK);
    return r;
}

// The rollout as a stream, and a record of it.
static padic_rollout_run_desc streamed(const rollout *r)
{
    padic_rollout_run_desc run = r->desc;
    run.output = PADIC_ROLLOUT_OUTPUT_STREAM;
    memset(&run.out, 0, sizeof run.out);
    return run;
}

static padic_rollout_record_desc recorded(const padic_rollout_run_desc *run, disk *to,
                                          uint32_t profile, uint32_t mode)
{
    padic_rollout_record_desc desc = PADIC_ZERO;
    disk_clear(to);
    desc.run = run;
    desc.block = BLOCK, desc.level = 1;
    desc.profile = (padic_codec_profile)profile;
    desc.tolerance_mode = modes[mode];
    desc.tolerance = mode ? 0.001 : 0;
    desc.write = disk_write, desc.user = to;
    return desc;
}

static padic_result finish(padic_context *context, padic_rollout_record *record,
                           padic_rollout_status *status)
{
    padic_rollout_record_metrics_desc desc = PADIC_ZERO;
    padic_result result, end;
    desc.record = record;
    desc.status = padic_tensor_2d(PADIC_U32, status, ALL, 4);
    result = padic_rollout_record_metrics(context, &desc);
    end = padic_rollout_record_end(context, record);
    return result ? result : end;
}

// Frames of the rollout by the CPU to `cpu_disk`.
static void by_cpu(const rollout *r, const padic_rollout_run_desc *run, uint32_t profile,
                   uint32_t mode)
{
    const padic_rollout_record_desc desc = recorded(run, &cpu_disk, profile, mode);
    const uint64_t all[5] = {ALL, T, r->w.op.channels, r->w.op.height, r->w.op.width};
    padic_rollout_record_frames_desc frames = PADIC_ZERO;
    CHECK_EQ(padic_rollout_record_begin(NULL, &desc, &frames.record), PADIC_OK);
    frames.frames = padic_tensor_nd(PADIC_F32, r->frames, 5, all);
    CHECK_EQ(padic_rollout_record_frames(NULL, &frames), PADIC_OK);
    CHECK_EQ(finish(NULL, frames.record, r->status), PADIC_OK);
}

static int same_bytes(void)
{
    return device_disk.size == cpu_disk.size &&
           !memcmp(device_disk.bytes, cpu_disk.bytes, sizeof cpu_disk.bytes);
}

// From a buffer, in two calls of some trajectories; the later ones first.
static void from_buffer(padic_context *context, const rollout *r,
                        const padic_rollout_run_desc *run, uint32_t profile, uint32_t mode)
{
    const padic_rollout_record_desc desc = recorded(run, &device_disk, profile, mode);
    const uint64_t all[5] = {ALL, T, r->w.op.channels, r->w.op.height, r->w.op.width};
    padic_rollout_record_frames_desc frames = PADIC_ZERO;
    padic_tensor like = padic_tensor_nd(PADIC_F32, r->frames, 5, all);
    plane p = plane_new(context, &like, 3, r->frames);
    CHECK_EQ(padic_rollout_record_begin(context, &desc, &frames.record), PADIC_OK);
    frames.frames = p.tensor;
    frames.first = 5;
    frames.frames.shape[0] = ALL - 5;
    frames.frames.offset += 5 * T * r->w.in;
    CHECK_EQ(padic_rollout_record_frames(context, &frames), PADIC_OK);
    frames.first = 0;
    frames.frames.shape[0] = 5;
    frames.frames.offset = p.tensor.offset;
    CHECK_EQ(padic_rollout_record_frames(context, &frames), PADIC_OK);
    CHECK_EQ(finish(context, frames.record, r->status), PADIC_OK);
    plane_end(context, &p);
    CHECK(same_bytes());
}

// From a stream. fail: the file's write from this one on.
static padic_result from_stream(padic_context *context, const rollout *r,
                                padic_rollout_record_desc *desc, padic_rollout_run_desc *run,
                                int64_t fail)
{
    padic_rollout_record *record = NULL;
    padic_result result;
    desc->size = device_disk.size;
    desc->read = device_disk.size ? disk_read : NULL;
    device_disk.fail = fail, device_disk.writes = 0;
    result = padic_rollout_record_begin(context, desc, &record);
    if (result) return result;
    run->stream.record = record;
    result = padic_rollout_run(context, run);
    run->stream.record = NULL;
    if (!result) return finish(context, record, r->status);
    (void)padic_rollout_record_end(context, record);
    return result;
}

static void whole_stream(padic_context *context, const rollout *r, padic_rollout_run_desc *run,
                         uint32_t profile, uint32_t mode)
{
    padic_rollout_record_desc desc = recorded(run, &device_disk, profile, mode);
    padic_op_stats before, after;
    padic_stats from, to;
    padic_context_op_stats(context, PADIC_OP_CODEC_PACK, &before);
    padic_context_stats(context, &from);
    CHECK_EQ(from_stream(context, r, &desc, run, -1), PADIC_OK);
    padic_context_op_stats(context, PADIC_OP_CODEC_PACK, &after);
    padic_context_stats(context, &to);
    CHECK(same_bytes());
    if (!profile) return;
    CHECK_EQ(after.calls - before.calls, 1 + 1 + ALL * ((T + BLOCK - 1) / BLOCK)); // arrays, blocks
    CHECK_EQ(after.staged_bytes, before.staged_bytes);
    if (mode == 2) // a range takes 3 KiB of its own
        CHECK(to.download_bytes - from.download_bytes < ALL * T * r->w.in * 4);
}

TEST(packed_bytes)
{
    open_devices();
    for (int d = 0; d < device_count; d++) {
        padic_rollout_noise_law law;
        rollout r = packed_new(devices[d], &law);
        padic_rollout_run_desc run = streamed(&r);
        CHECK_EQ(r.status[3].code, 0);
        for (uint32_t profile = 0; profile < 4; profile++)
            for (uint32_t mode = test_tiny ? profile % 3 : 0; mode < 3; mode += test_tiny ? 3 : 1) {
                by_cpu(&r, &run, profile, mode);
                if (profile) from_buffer(devices[d], &r, &run, profile, mode);
                whole_stream(devices[d], &r, &run, profile, mode);
            }
        rollout_end(&r);
    }
}

// Some trajectories at a time; fewer frames; a part of the record's trajectories; by a plan.
TEST(packed_ways)
{
    open_devices();
    for (int d = 0; d < device_count; d++) {
        padic_rollout_noise_law law;
        rollout r = packed_new(devices[d], &law);
        padic_rollout_run_desc run = streamed(&r);
        padic_rollout_run_report report = PADIC_ZERO;
        by_cpu(&r, &run, PADIC_CODEC_PROFILE_CODED, 2);
        run.report = &report;
        whole_stream(devices[d], &r, &run, PADIC_CODEC_PROFILE_CODED, 2);
        CHECK_EQ(report.batch, ALL);
        run.max_bytes = report.size / 2;
        whole_stream(devices[d], &r, &run, PADIC_CODEC_PROFILE_CODED, 2);
        CHECK(report.batch < ALL);
        run.max_bytes = 0, run.report = NULL;

        padic_rollout_record_desc desc = recorded(&run, &device_disk, PADIC_CODEC_PROFILE_CODED, 2);
        padic_rollout_plan_desc make = PADIC_ZERO;
        padic_rollout_plan_run_desc go = PADIC_ZERO;
        CHECK_EQ(padic_rollout_record_begin(devices[d], &desc, &run.stream.record), PADIC_OK);
        make.run = run;
        memset(&make.run.status, 0, sizeof make.run.status);
        CHECK_EQ(padic_rollout_plan_create(devices[d], &make, &go.plan), PADIC_OK);
        CHECK_EQ(padic_rollout_plan_run(devices[d], &go), PADIC_OK);
        CHECK_EQ(padic_rollout_plan_run(devices[d], &go), PADIC_OK); // nothing is written twice
        padic_rollout_plan_destroy(go.plan);
        CHECK_EQ(finish(devices[d], run.stream.record, r.status), PADIC_OK);
        CHECK(same_bytes());

        CHECK_EQ(padic_rollout_record_begin(devices[d], &desc, &run.stream.record), PADIC_OK);
        disk_clear(&device_disk);
        padic_rollout_record_end(devices[d], run.stream.record);
        desc = recorded(&run, &device_disk, PADIC_CODEC_PROFILE_CODED, 2);
        CHECK_EQ(padic_rollout_record_begin(devices[d], &desc, &run.stream.record), PADIC_OK);
        for (uint32_t n = 0; n < 2; n++) { // an operator at a time, the second one first
            padic_rollout_run_desc one = run;
            uint32_t id = 1 - n;
            const uint64_t status[4] = {1, 3, 2, 4};
            one.weights = padic_tensor_2d(PADIC_F32, r.w.weights_f + id * r.w.report.parameters, 1,
                                          r.w.report.parameters);
            one.ids = padic_tensor_1d(PADIC_U32, &id, 1);
            one.status = padic_tensor_nd(PADIC_U32, r.status + 6 * id, 4, status);
            one.stream.first = 6 * id;
            CHECK_EQ(padic_rollout_run(devices[d], &one), PADIC_OK);
        }
        CHECK_EQ(finish(devices[d], run.stream.record, r.status), PADIC_OK);
        CHECK(same_bytes());
        rollout_end(&r);
    }
}

// Cut by each write that fails, and gone on with; a plan is at its beginning again.
TEST(packed_cut)
{
    open_devices();
    for (int d = 0; d < device_count; d++) {
        padic_rollout_noise_law law;
        rollout r = packed_new(devices[d], &law);
        padic_rollout_run_desc run = streamed(&r);
        by_cpu(&r, &run, PADIC_CODEC_PROFILE_CODED, 0);
        for (int64_t fail = 1; fail < 9; fail += test_tiny ? 5 : 1) {
            padic_rollout_record_desc desc =
                recorded(&run, &device_disk, PADIC_CODEC_PROFILE_CODED, 0);
            CHECK_EQ(from_stream(devices[d], &r, &desc, &run, fail), PADIC_ERROR_CALLBACK);
            CHECK(device_disk.size && device_disk.size < cpu_disk.size);
            CHECK_EQ(from_stream(devices[d], &r, &desc, &run, -1), PADIC_OK);
            CHECK(same_bytes());
        }
        padic_rollout_record_desc desc = recorded(&run, &device_disk, PADIC_CODEC_PROFILE_CODED, 0);
        padic_rollout_plan_desc make = PADIC_ZERO;
        padic_rollout_plan_run_desc go = PADIC_ZERO;
        padic_rollout_plan_status_desc where = PADIC_ZERO;
        padic_rollout_plan_report report = PADIC_ZERO;
        CHECK_EQ(padic_rollout_record_begin(devices[d], &desc, &run.stream.record), PADIC_OK);
        make.run = run;
        memset(&make.run.status, 0, sizeof make.run.status);
        CHECK_EQ(padic_rollout_plan_create(devices[d], &make, &go.plan), PADIC_OK);
        where.plan = go.plan, where.report = &report;
        device_disk.fail = (int64_t)device_disk.writes;
        CHECK_EQ(padic_rollout_plan_run(devices[d], &go), PADIC_ERROR_CALLBACK);
        CHECK_EQ(padic_rollout_plan_status(devices[d], &where), PADIC_OK);
        CHECK_EQ(report.step, 0);
        padic_rollout_plan_destroy(go.plan);
        CHECK_EQ(padic_rollout_record_end(devices[d], run.stream.record), PADIC_ERROR_CALLBACK);
        rollout_end(&r);
    }
}

// What a device does not pack is packed by the host where that may be, else refused.
TEST(packed_by_hosts)
{
    padic_rollout_noise_law law;
    open_devices();
    padic_context *loose = open_one(padic_native(), &native_desc, 0, 0);
    if (!loose) {
        SKIP("no compiler");
    }
    padic_context *both[2];
    both[0] = loose, both[1] = devices[0];
    rollout r = packed_new(devices[0], &law);
    padic_rollout_run_desc run = streamed(&r);
    for (uint32_t i = 0; i < 4; i++) {
        const uint32_t profile = i & 1 ? PADIC_CODEC_PROFILE_CODED : PADIC_CODEC_PROFILE_ANY;
        const uint64_t all[5] = {ALL, T, 3, 10, 9}, lines = 16;
        padic_context *context = both[i >> 1];
        const padic_rollout_record_desc desc = recorded(&run, &device_disk, profile, 0);
        padic_rollout_record_frames_desc frames = PADIC_ZERO;
        const padic_tensor like = padic_tensor_1d(PADIC_F32, NULL, ALL * T * 30 * lines);
        float *wide = (float *)fresh(ALL * T * 30 * lines, 4); // lines of 9 in 16
        by_cpu(&r, &run, profile, 0);
        for (uint64_t k = 0; k < ALL * T * 30 * 9; k++) wide[k / 9 * lines + k % 9] = r.frames[k];
        plane p = plane_new(context, &like, 0, wide);
        CHECK_EQ(padic_rollout_record_begin(context, &desc, &frames.record), PADIC_OK);
        frames.frames = padic_tensor_nd(PADIC_F32, NULL, 5, all);
        frames.frames.buffer = p.tensor.buffer;
        frames.frames.stride[4] = 1, frames.frames.stride[3] = (int64_t)lines;
        frames.frames.stride[2] = (int64_t)(10 * lines);
        frames.frames.stride[1] = (int64_t)(30 * lines);
        frames.frames.stride[0] = (int64_t)(T * 30 * lines);
        CHECK_EQ(padic_rollout_record_frames(context, &frames),
                 i < 2 ? PADIC_OK : PADIC_ERROR_NOT_SUPPORTED);
        CHECK_EQ(finish(context, frames.record, r.status),
                 i < 2 ? PADIC_OK : PADIC_ERROR_MISMATCH);
        CHECK_EQ(same_bytes(), i < 2);
        plane_end(context, &p);
        free(wide);
    }
    padic_context_destroy(loose);
    rollout_end(&r);
}

TEST(packed_refused)
{
    padic_rollout_noise_law law;
    padic_rollout_record *record = NULL;
    open_devices();
    rollout r = packed_new(devices[0], &law);
    padic_rollout_run_desc run = streamed(&r), bad;
    padic_rollout_record_desc desc = recorded(&run, &device_disk, 4, 0);
    CHECK_EQ(padic_rollout_record_begin(devices[0], &desc, &record), PADIC_ERROR_ARGUMENT);
    desc.profile = PADIC_CODEC_PROFILE_FETCH;
    desc.tolerance_mode = PADIC_CODEC_TOLERANCE_POINTWISE, desc.tolerance = 0.1;
    CHECK_EQ(padic_rollout_record_begin(devices[0], &desc, &record), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(padic_rollout_record_size_bound(devices[0], &desc), 0);
    desc = recorded(&run, &device_disk, PADIC_CODEC_PROFILE_FETCH, 0);
    CHECK_EQ(padic_rollout_record_begin(devices[0], &desc, &record), PADIC_OK);
    run.stream.record = record;
#define REFUSED(context, change, result) \
    bad = run;                           \
    change;                              \
    CHECK_EQ(padic_rollout_run(context, &bad), result)
    REFUSED(NULL, (void)bad, PADIC_ERROR_ARGUMENT); // another context
    REFUSED(devices[0], bad.stream.ring = 2, PADIC_ERROR_ARGUMENT);
    REFUSED(devices[0], bad.stream.user = &bad, PADIC_ERROR_ARGUMENT);
    REFUSED(devices[0], bad.stream.record = NULL, PADIC_ERROR_ARGUMENT);
    REFUSED(devices[0], bad.output = PADIC_ROLLOUT_OUTPUT_NONE, PADIC_ERROR_ARGUMENT);
    REFUSED(devices[0], bad.steps = T - 1, PADIC_ERROR_MISMATCH);
    REFUSED(devices[0], bad.every = 2, PADIC_ERROR_MISMATCH);
    REFUSED(devices[0], bad.stream.first = 1, PADIC_ERROR_MISMATCH);
    REFUSED(devices[0], bad.stream.first = UINT64_MAX, PADIC_ERROR_MISMATCH);
    REFUSED(devices[0], memset(&bad.status, 0, sizeof bad.status); bad.realisations = 3,
            PADIC_ERROR_MISMATCH);
    padic_rollout_plan_desc plan = PADIC_ZERO;
    padic_rollout_plan *made = NULL;
    plan.run = run;
    memset(&plan.run.status, 0, sizeof plan.run.status);
    CHECK(padic_rollout_plan_size_bound(devices[0], &plan) > 0);
    CHECK_EQ(padic_rollout_plan_create(NULL, &plan, &made), PADIC_ERROR_ARGUMENT);

    padic_rollout_record_frames_desc frames = PADIC_ZERO;
    const uint64_t all[5] = {ALL, T, 3, 10, 9};
    padic_tensor like = padic_tensor_nd(PADIC_F32, NULL, 5, all);
    frames.record = record, frames.frames = like;
    CHECK_EQ(padic_rollout_record_frames(devices[0], &frames), PADIC_ERROR_ARGUMENT);
    frames.frames.buffer.id = 0x12340001;
    CHECK_EQ(padic_rollout_record_frames(devices[0], &frames), PADIC_ERROR_ARGUMENT);
    plane p = plane_new(devices[0], &like, 1, r.frames);
    frames.frames = p.tensor;
    frames.frames.offset += 100;
    CHECK_EQ(padic_rollout_record_frames(devices[0], &frames), PADIC_ERROR_REGION);
    frames.frames = p.tensor;
    CHECK_EQ(padic_rollout_record_frames(NULL, &frames), PADIC_ERROR_ARGUMENT);
    plane_end(devices[0], &p);
    CHECK_EQ(padic_rollout_record_end(devices[0], record), PADIC_ERROR_MISMATCH);
    rollout_end(&r);
}

// ---- memory

static failing memory;
static int64_t blocks_left;

static padic_result failing_block(padic_device *device, uint64_t size, padic_mem *mem)
{
    mem->bits = 0;
    return blocks_left-- <= 0 ? PADIC_ERROR_MEMORY : (*padic_native()->alloc)(device, size, mem);
}

// Each allocation of the host, then each of the device, fails. The record is what it was.
TEST(packed_memory_fails)
{
    padic_backend backend = *padic_native();
    padic_context_desc with = PADIC_ZERO;
    padic_context *context = NULL;
    padic_rollout_noise_law law;
    int turns[2] = {0, 0};
    memory.left = 1 << 30, blocks_left = 1 << 30;
    backend.alloc = failing_block;
    with.allocator.alloc = failing_alloc, with.allocator.free = failing_free;
    with.allocator.user = &memory;
    with.backends[0] = &backend;
    with.device.native_context = &native_desc;
    if (padic_context_create(&with, &context)) {
        SKIP("no compiler");
    }
    rollout r = packed_new(context, &law);
    padic_rollout_run_desc run = streamed(&r);
    by_cpu(&r, &run, PADIC_CODEC_PROFILE_CODED, 2);
    padic_rollout_record_desc once = recorded(&run, &device_disk, PADIC_CODEC_PROFILE_CODED, 2);
    CHECK_EQ(from_stream(context, &r, &once, &run, -1), PADIC_OK); // all kernels are there then
    for (int kind = 0; kind < 2; kind++)
        for (int done = 0; !done && turns[kind] < 400;
             turns[kind] += test_tiny ? 19 : 1) {
            padic_rollout_record_desc desc =
                recorded(&run, &device_disk, PADIC_CODEC_PROFILE_CODED, 2);
            padic_context_trim(context, 1);
            const long live = memory.live;
            memory.left = kind ? 1 << 30 : turns[kind];
            blocks_left = kind ? turns[kind] : 1 << 30;
            padic_result result = from_stream(context, &r, &desc, &run, -1);
            memory.left = 1 << 30, blocks_left = 1 << 30;
            CHECK(result == PADIC_OK || result == PADIC_ERROR_MEMORY);
            padic_context_trim(context, 1);
            CHECK(memory.live <= live + 1); // a table of blocks or of buffers that has grown
            done = !result;
            if (!result) continue;
            if (turns[kind] % 38 == 0) { // it goes on
                CHECK_EQ(from_stream(context, &r, &desc, &run, -1), PADIC_OK);
                CHECK(same_bytes());
            }
        }
    CHECK(turns[0] > 40 && turns[0] < 400 && turns[1] > 10 && turns[1] < 400);
    padic_context_destroy(context);
    CHECK_EQ(memory.live, 0);
    rollout_end(&r);
}

// What was allocated, and blocks that the pool gave again, when a block of frames was written.
typedef struct ledger {
    padic_context *context;
    uint64_t host, device, again; // then
    uint32_t blocks;
    struct {
        uint64_t host, device, again;
    } at[2 * ALL * T];
} ledger;

static ledger book;

static void *counting_alloc(size_t size, size_t align, void *user)
{
    book.host++;
    return failing_alloc(size, align, user);
}

static padic_result counting_block(padic_device *device, uint64_t size, padic_mem *mem)
{
    book.device++;
    return (*padic_native()->alloc)(device, size, mem);
}

static uint64_t given_again(void)
{
    padic_stats stats;
    padic_context_stats(book.context, &stats);
    return stats.pool_hits;
}

// As disk_write(); a frame block has a head and its bytes, whose first ones no other write has.
static int booking_write(const void *bytes, uint64_t size, uint64_t at, void *user)
{
    if (size == 48 && !memcmp(bytes, "FRAM", 4)) {
        CHECK(book.blocks < 2 * ALL * T);
        book.at[book.blocks].host = book.host;
        book.at[book.blocks].device = book.device;
        book.at[book.blocks++].again = given_again();
    }
    return disk_write(bytes, size, at, user);
}

// Blocks of the pool that packing a frame takes by itself.
static uint64_t pool_takes(const rollout *r, padic_codec_profile profile)
{
    const uint64_t shape[4] = {1, 3, 10, 9};
    padic_tensor like = padic_tensor_nd(PADIC_F32, r->frames, 4, shape);
    padic_codec_pack_desc pack = PADIC_ZERO;
    padic_codec_report report;
    padic_buffer_desc room = PADIC_ZERO;
    plane p = plane_new(book.context, &like, 0, r->frames);
    uint64_t before, takes = 0;
    pack.tensor = p.tensor;
    pack.level = 1;
    pack.profile = profile;
    pack.report = &report;
    room.size = pack.packed.capacity = padic_codec_size_bound(&pack);
    CHECK_EQ(padic_buffer_create(book.context, &room, &pack.packed.buffer), PADIC_OK);
    for (uint32_t i = 0; i < 2; i++) { // the first one allocates
        before = given_again();
        CHECK_EQ(padic_codec_pack(book.context, &pack), PADIC_OK);
        takes = given_again() - before;
    }
    CHECK_EQ(padic_buffer_destroy(book.context, pack.packed.buffer), PADIC_OK);
    plane_end(book.context, &p);
    return takes;
}

// By a plan whose record has been made. One trajectory: nothing is allocated from the first block
// to the last one. Twelve: the blocks of the others wait, each in one allocation.
static void booked_plan(const rollout *r, uint32_t many, padic_codec_profile profile)
{
    static padic_rollout_status status[ALL];
    padic_rollout_run_desc run = streamed(r);
    padic_rollout_plan_desc make = PADIC_ZERO;
    padic_rollout_plan_run_desc go = PADIC_ZERO;
    padic_rollout_record_metrics_desc metrics = PADIC_ZERO;
    const uint64_t takes = pool_takes(r, profile);
    if (!many) run.weights.shape[0] = run.initial.shape[0] = run.realisations = 1;
    memset(&run.status, 0, sizeof run.status);
    padic_rollout_record_desc desc = recorded(&run, &device_disk, profile, 0);
    desc.write = booking_write;
    desc.block = 1; // all are of one size
    book.blocks = 0;
    CHECK_EQ(padic_rollout_record_begin(book.context, &desc, &run.stream.record), PADIC_OK);
    make.run = run;
    CHECK_EQ(padic_rollout_plan_create(book.context, &make, &go.plan), PADIC_OK);
    CHECK_EQ(padic_rollout_plan_run(book.context, &go), PADIC_OK);
    CHECK_EQ(book.blocks, T); // of the first trajectory
    for (uint32_t i = 1; i < T; i++) {
        const uint32_t packs = many ? ALL : 1;
        CHECK_EQ(book.at[i].device, book.at[0].device);
        CHECK_EQ(book.at[i].host - book.at[i - 1].host, packs - 1);
        CHECK_EQ(book.at[i].again - book.at[i - 1].again, packs * takes);
    }
    padic_rollout_plan_destroy(go.plan);
    metrics.record = run.stream.record;
    metrics.status = padic_tensor_2d(PADIC_U32, status, many ? ALL : 1, 4);
    CHECK_EQ(padic_rollout_record_metrics(book.context, &metrics), PADIC_OK);
    CHECK_EQ(padic_rollout_record_end(book.context, run.stream.record), PADIC_OK);
}

TEST(packed_allocates_once)
{
    padic_backend backend = *padic_native();
    padic_context_desc with = PADIC_ZERO;
    padic_rollout_noise_law law;
    memory.left = 1 << 30;
    backend.alloc = counting_block;
    with.allocator.alloc = counting_alloc, with.allocator.free = failing_free;
    with.allocator.user = &memory;
    with.backends[0] = &backend;
    with.device.native_context = &native_desc;
    memset(&book, 0, sizeof book);
    if (padic_context_create(&with, &book.context)) {
        SKIP("no compiler");
    }
    rollout r = packed_new(book.context, &law);
    for (uint32_t i = 0; i < 4; i++)
        booked_plan(&r, i & 1,
                    i & 2 ? PADIC_CODEC_PROFILE_CODED : PADIC_CODEC_PROFILE_FETCH);
    padic_context_destroy(book.context);
    CHECK_EQ(memory.live, 0);
    rollout_end(&r);
}

TEST_MAIN("gpu_rollout_stream", CASE(streams), CASE(halves), CASE(records), CASE(packed_bytes),
          CASE(packed_ways), CASE(packed_cut), CASE(packed_by_hosts), CASE(packed_refused),
          CASE(packed_allocates_once), CASE(packed_memory_fails), CASE(no_kernel_was_dropped))
