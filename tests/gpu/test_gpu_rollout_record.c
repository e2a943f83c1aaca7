// test_gpu_rollout_record.c: frames that devices pack for a record. Its bytes are those that the
// CPU packs from the same frames, in every profile and tolerance, from buffers and from a stream, of
// calls and of plans, some trajectories at a time, and after a cut; only packed bytes travel. Every
// allocation fails in turn; what a desc may not say is refused.
//
//     ./test_gpu_rollout_record      devices: see gpu_devices.h
#include "../support/inside.h"
#include "../../padic.h"
#include "gpu_devices.h"
#include "../support/failing.h"
#include "../rollout/rollout_disk.h"
#include "../rollout/rollout_lists.h"
#include "rollout_world.h"

enum { T = 7, ALL = 12, BLOCK = 3 };

static disk want, got;

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

// Frames of the rollout by the CPU to `want`.
static void by_cpu(const rollout *r, const padic_rollout_run_desc *run, uint32_t profile,
                   uint32_t mode)
{
    const padic_rollout_record_desc desc = recorded(run, &want, profile, mode);
    const uint64_t all[5] = {ALL, T, r->w.op.channels, r->w.op.height, r->w.op.width};
    padic_rollout_record_frames_desc frames = PADIC_ZERO;
    CHECK_EQ(padic_rollout_record_begin(NULL, &desc, &frames.record), PADIC_OK);
    frames.frames = padic_tensor_nd(PADIC_F32, r->frames, 5, all);
    CHECK_EQ(padic_rollout_record_frames(NULL, &frames), PADIC_OK);
    CHECK_EQ(finish(NULL, frames.record, r->status), PADIC_OK);
}

static int same_bytes(void)
{
    return got.size == want.size && !memcmp(got.bytes, want.bytes, sizeof want.bytes);
}

// From a buffer, in two calls of some trajectories; the later ones first.
static void from_buffer(padic_context *context, const rollout *r,
                        const padic_rollout_run_desc *run, uint32_t profile, uint32_t mode)
{
    const padic_rollout_record_desc desc = recorded(run, &got, profile, mode);
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
    desc->size = got.size;
    desc->read = got.size ? disk_read : NULL;
    got.fail = fail, got.writes = 0;
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
    padic_rollout_record_desc desc = recorded(run, &got, profile, mode);
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

TEST(bytes)
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
TEST(ways)
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

        padic_rollout_record_desc desc = recorded(&run, &got, PADIC_CODEC_PROFILE_CODED, 2);
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
        disk_clear(&got);
        padic_rollout_record_end(devices[d], run.stream.record);
        desc = recorded(&run, &got, PADIC_CODEC_PROFILE_CODED, 2);
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
TEST(cut)
{
    open_devices();
    for (int d = 0; d < device_count; d++) {
        padic_rollout_noise_law law;
        rollout r = packed_new(devices[d], &law);
        padic_rollout_run_desc run = streamed(&r);
        by_cpu(&r, &run, PADIC_CODEC_PROFILE_CODED, 0);
        for (int64_t fail = 1; fail < 9; fail += test_tiny ? 4 : 1) {
            padic_rollout_record_desc desc = recorded(&run, &got, PADIC_CODEC_PROFILE_CODED, 0);
            CHECK_EQ(from_stream(devices[d], &r, &desc, &run, fail), PADIC_ERROR_CALLBACK);
            CHECK(got.size && got.size < want.size);
            CHECK_EQ(from_stream(devices[d], &r, &desc, &run, -1), PADIC_OK);
            CHECK(same_bytes());
        }
        padic_rollout_record_desc desc = recorded(&run, &got, PADIC_CODEC_PROFILE_CODED, 0);
        padic_rollout_plan_desc make = PADIC_ZERO;
        padic_rollout_plan_run_desc go = PADIC_ZERO;
        padic_rollout_plan_status_desc where = PADIC_ZERO;
        padic_rollout_plan_report report = PADIC_ZERO;
        CHECK_EQ(padic_rollout_record_begin(devices[d], &desc, &run.stream.record), PADIC_OK);
        make.run = run;
        memset(&make.run.status, 0, sizeof make.run.status);
        CHECK_EQ(padic_rollout_plan_create(devices[d], &make, &go.plan), PADIC_OK);
        where.plan = go.plan, where.report = &report;
        got.fail = (int64_t)got.writes;
        CHECK_EQ(padic_rollout_plan_run(devices[d], &go), PADIC_ERROR_CALLBACK);
        CHECK_EQ(padic_rollout_plan_status(devices[d], &where), PADIC_OK);
        CHECK_EQ(report.step, 0);
        padic_rollout_plan_destroy(go.plan);
        CHECK_EQ(padic_rollout_record_end(devices[d], run.stream.record), PADIC_ERROR_CALLBACK);
        rollout_end(&r);
    }
}

// What a device does not pack is packed by the host where that may be, else refused.
TEST(hosts)
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
        const padic_rollout_record_desc desc = recorded(&run, &got, profile, 0);
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

TEST(refused)
{
    padic_rollout_noise_law law;
    padic_rollout_record *record = NULL;
    open_devices();
    rollout r = packed_new(devices[0], &law);
    padic_rollout_run_desc run = streamed(&r), bad;
    padic_rollout_record_desc desc = recorded(&run, &got, 4, 0);
    CHECK_EQ(padic_rollout_record_begin(devices[0], &desc, &record), PADIC_ERROR_ARGUMENT);
    desc.profile = PADIC_CODEC_PROFILE_FETCH;
    desc.tolerance_mode = PADIC_CODEC_TOLERANCE_POINTWISE, desc.tolerance = 0.1;
    CHECK_EQ(padic_rollout_record_begin(devices[0], &desc, &record), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(padic_rollout_record_size_bound(devices[0], &desc), 0);
    desc = recorded(&run, &got, PADIC_CODEC_PROFILE_FETCH, 0);
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
TEST(memory_fails)
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
    padic_rollout_record_desc once = recorded(&run, &got, PADIC_CODEC_PROFILE_CODED, 2);
    CHECK_EQ(from_stream(context, &r, &once, &run, -1), PADIC_OK); // all kernels are there then
    for (int kind = 0; kind < 2; kind++)
        for (int done = 0; !done && turns[kind] < 400;
             turns[kind] += test_tiny ? 9 : 1) {
            padic_rollout_record_desc desc = recorded(&run, &got, PADIC_CODEC_PROFILE_CODED, 2);
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
            if (turns[kind] % 27 == 0) { // it goes on
                CHECK_EQ(from_stream(context, &r, &desc, &run, -1), PADIC_OK);
                CHECK(same_bytes());
            }
        }
    CHECK(turns[0] > 40 && turns[0] < 400 && turns[1] > 10 && turns[1] < 400);
    padic_context_destroy(context);
    CHECK_EQ(memory.live, 0);
    rollout_end(&r);
}

TEST_MAIN("gpu_rollout_record", CASE(bytes), CASE(ways), CASE(cut), CASE(hosts), CASE(refused),
          CASE(memory_fails), CASE(no_kernel_was_dropped))
