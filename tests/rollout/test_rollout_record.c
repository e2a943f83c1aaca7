// test_rollout_record.c: rollouts on disk. R20: what is recorded comes back, bit by bit, in any
// order that it came; a file cut anywhere is read up to its last whole block and gone on with to
// the same bytes; with any byte changed it is an error or right.
#define PADIC_IMPLEMENTATION
#include "../../padic.h"
#include "../../backends/padic_simd.h"
#include "../../backends/padic_threads.h"
#include "../support/failing.h"
#include "../support/padic_test.h"
#include "../support/contexts.h"
#include "rollout_disk.h"

enum { N = 2, I = 2, M = 2, T = 8, C = 2, SIDE = 6, CELLS = C * SIDE * SIDE, TRAJECTORIES = 8 };
enum { BLOCK = 3 };

static padic_rollout_node nodes[16];
static padic_rollout_noise_law law;
static double scale;
static float weights[N * 4096], initial[I * CELLS], alpha[N];
static uint32_t ids[N];
static double unit[N * 3], physical[N * 3], choices[4];
static padic_rollout_parameter parameters[3];
static float frames[TRAJECTORIES * T * CELLS], metrics[TRAJECTORIES * T * 16];
static padic_rollout_status status[TRAJECTORIES];
static padic_rollout_run_desc run;
static uint32_t columns, ran;

static disk first, second;

// What is recorded in these tests, with noise, parameters and all arrays.
static padic_rollout_record_desc recorded(disk *to)
{
    const uint64_t shape[4] = {I, C, SIDE, SIDE}, out[7] = {N, I, M, T, C, SIDE, SIDE};
    const uint64_t four[4] = {N, I, M, 4};
    padic_rollout_nodes_cnn_desc cnn = PADIC_ZERO;
    padic_rollout_operator_report report = PADIC_ZERO;
    padic_rollout_record_desc desc = PADIC_ZERO;
    memset(&run, 0, sizeof run);
    memset(&law, 0, sizeof law);
    law.length = 1.5, scale = 0.02, law.scale = &scale;
    law.schedule = PADIC_ROLLOUT_NOISE_ANNEALING;
    cnn.channels = C, cnn.width = 4, cnn.layers = 2, cnn.nodes = nodes, cnn.capacity = 16;
    cnn.site = PADIC_ROLLOUT_NOISE_HIDDEN, cnn.noise = &law;
    run.op.nodes = nodes, run.op.count = padic_rollout_nodes_cnn(&cnn);
    run.op.channels = C, run.op.height = run.op.width = SIDE;
    CHECK_EQ(padic_rollout_operator_info(NULL, &run.op, &report), PADIC_OK);
    for (uint32_t i = 0; i < N * 4096; i++)
        weights[i] = padic_random_symmetric(i * 2654435761u) * 0.4f;
    for (uint32_t i = 0; i < I * CELLS; i++) initial[i] = padic_random_symmetric(~i * 2654435761u);
    for (uint32_t n = 0; n < N; n++) {
        alpha[n] = 0.25f + 0.5f * (float)n;
        ids[n] = 7 + n;
        for (uint32_t k = 0; k < 3; k++) unit[n * 3 + k] = 0.1 * k + 0.3 * n;
        for (uint32_t k = 0; k < 3; k++) physical[n * 3 + k] = k + 2.0 * n;
    }
    run.weights = padic_tensor_2d(PADIC_F32, weights, N, report.parameters);
    run.initial = padic_tensor_nd(PADIC_F32, initial, 4, shape);
    run.parameter = padic_tensor_1d(PADIC_F32, alpha, N);
    run.ids = padic_tensor_1d(PADIC_U32, ids, N);
    run.realisations = M, run.steps = T, run.seed = 99;
    run.policy = PADIC_ROLLOUT_POLICY_CONVEX;
    run.precision = PADIC_ROLLOUT_PRECISION_BF16; // it comes back, or the replay differs
    run.reduce.metrics = 31;
    columns = padic_rollout_metrics_count(&run.reduce, C, SIDE, SIDE);
    const uint64_t rows[5] = {N, I, M, T, columns};
    run.out = padic_tensor_nd(PADIC_F32, frames, 7, out);
    run.status = padic_tensor_nd(PADIC_U32, status, 4, four);
    run.metrics = padic_tensor_nd(PADIC_F32, metrics, 5, rows);
    if (!ran++) CHECK_EQ(padic_rollout_run(NULL, &run), PADIC_OK);
    memset(parameters, 0, sizeof parameters);
    parameters[0].kind = PADIC_ROLLOUT_PARAMETER_LOG10;
    parameters[0].lo = 1, parameters[0].hi = 10;
    parameters[1].kind = PADIC_ROLLOUT_PARAMETER_CHOICE;
    parameters[1].count = 4, parameters[1].weights = choices;
    for (uint32_t k = 0; k < 4; k++) choices[k] = 1 + k;
    parameters[2].hi = 2;
    desc.run = &run;
    desc.measures = 1;
    desc.weights_seed = 123;
    desc.parameters = parameters, desc.parameter_count = 3;
    desc.unit = padic_tensor_2d(PADIC_F64, unit, N, 3);
    desc.physical = padic_tensor_2d(PADIC_F64, physical, N, 3);
    desc.block = BLOCK, desc.level = 1;
    desc.write = disk_write, desc.user = to;
    disk_clear(to);
    return desc;
}

// Trajectories `from` to `from` + `count` - 1, frames of steps t to end - 1.
static padic_result push_frames(padic_context *context, padic_rollout_record *record,
                                uint64_t from, uint64_t count, uint64_t t, uint64_t end)
{
    const uint64_t shape[5] = {count, end - t, C, SIDE, SIDE};
    padic_rollout_record_frames_desc push = PADIC_ZERO;
    push.record = record, push.first = from, push.frame = t;
    push.frames = padic_tensor_nd(PADIC_F32, frames + (from * T + t) * CELLS, 5, shape);
    for (int i = 4, step = 1; i >= 0; step *= i == 1 ? (int)T : (int)shape[i], i--)
        push.frames.stride[i] = step;
    return padic_rollout_record_frames(context, &push);
}

static padic_result push_results(padic_context *context, padic_rollout_record *record,
                                 uint64_t from, uint64_t count)
{
    padic_rollout_record_metrics_desc push = PADIC_ZERO;
    push.record = record, push.first = from;
    push.metrics = padic_tensor_3d(PADIC_F32, metrics + from * T * columns, count, T, columns);
    push.status = padic_tensor_2d(PADIC_U32, status + from, count, 4);
    return padic_rollout_record_metrics(context, &push);
}

static padic_result push_all(padic_context *context, padic_rollout_record *record)
{
    padic_result result = push_frames(context, record, 0, TRAJECTORIES, 0, T);
    return result ? result : push_results(context, record, 0, TRAJECTORIES);
}

static void write_whole(disk *to)
{
    padic_rollout_record_desc desc = recorded(to);
    padic_rollout_record *record = NULL;
    CHECK_EQ(padic_rollout_record_begin(NULL, &desc, &record), PADIC_OK);
    CHECK_EQ(push_all(NULL, record), PADIC_OK);
    CHECK_EQ(padic_rollout_record_end(NULL, record), PADIC_OK);
}

static padic_result open_disk(disk *d, uint64_t size, int memory, padic_rollout_reader **reader)
{
    padic_rollout_record_open_desc open = PADIC_ZERO;
    if (memory) open.file.data = d->bytes, open.file.size = size;
    else open.read = disk_read, open.size = size, open.user = d;
    return padic_rollout_record_open(NULL, &open, reader);
}

// Reads frames of `count` trajectories and compares.
static padic_result frames_same(padic_rollout_reader *reader, uint64_t from, uint64_t count,
                                uint64_t t, uint64_t end, int *same)
{
    static float got[TRAJECTORIES * T * CELLS];
    const uint64_t shape[5] = {count, end - t, C, SIDE, SIDE};
    padic_rollout_record_read_desc read = PADIC_ZERO;
    read.reader = reader, read.first = from, read.frame = t;
    read.out = padic_tensor_nd(PADIC_F32, got, 5, shape);
    const padic_result result = padic_rollout_record_read(NULL, &read);
    *same = 1;
    for (uint64_t k = 0; k < count && !result; k++)
        *same &= !memcmp(got + k * (end - t) * CELLS, frames + ((from + k) * T + t) * CELLS,
                         (size_t)((end - t) * CELLS) * 4);
    return result;
}

static padic_result results_same(padic_rollout_reader *reader, uint64_t from, uint64_t count,
                                 int *same)
{
    static float got[TRAJECTORIES * T * 16];
    padic_rollout_status was[TRAJECTORIES];
    padic_rollout_record_read_desc read = PADIC_ZERO;
    read.reader = reader, read.first = from, read.part = PADIC_ROLLOUT_PART_METRICS;
    read.out = padic_tensor_3d(PADIC_F32, got, count, T, columns);
    padic_result result = padic_rollout_record_read(NULL, &read);
    read.part = PADIC_ROLLOUT_PART_STATUS;
    read.out = padic_tensor_2d(PADIC_U32, was, count, 4);
    if (!result) result = padic_rollout_record_read(NULL, &read);
    *same = result || (!memcmp(got, metrics + from * T * columns,
                               (size_t)(count * T * columns) * 4) &&
                       !memcmp(was, status + from, (size_t)count * sizeof *was));
    return result;
}

// What ran, rebuilt from the file alone, runs to the same bits; every array comes back.
static void replayed(padic_rollout_reader *reader)
{
    static float w[N * 4096], x[I * CELLS], a[N], again[TRAJECTORIES * T * CELLS];
    static double values[N * 3];
    uint32_t i[N];
    padic_rollout_reader_report is = PADIC_ZERO;
    CHECK_EQ(padic_rollout_record_report_of(reader, &is), PADIC_OK);
    CHECK(is.complete && is.whole == TRAJECTORIES && is.trajectories == TRAJECTORIES);
    CHECK(is.frames == T && is.rows == T && is.columns == columns && is.block == BLOCK);
    CHECK(is.weights_seed == 123 && is.hash == padic_self_hash() && is.parameter_count == 3);
    CHECK(is.parameters[1].count == 4 && is.parameters[1].weights[3] > 3.5);
    CHECK(is.parameters[0].kind == PADIC_ROLLOUT_PARAMETER_LOG10 && is.parameters[0].hi > 9.5);
    padic_rollout_run_desc rerun = is.run;
    void *const to[] = {w, x, a, i, NULL, NULL, values, values};
    padic_tensor *const view[] = {&rerun.weights, &rerun.initial, &rerun.parameter, &rerun.ids};
    const void *const from[] = {weights, initial, alpha, ids, NULL, NULL, unit, physical};
    for (int part = 0; part < 8; part++) {
        padic_rollout_record_read_desc read = PADIC_ZERO;
        read.reader = reader;
        read.part = (padic_rollout_part)(part + 3);
        if (part < 4) read.out = *view[part];
        else read.out = padic_tensor_2d(PADIC_F64, values, N, 3);
        read.out.data = part == 4 || part == 5 ? values : to[part];
        CHECK_EQ(padic_rollout_record_read(NULL, &read),
                 part == 4 || part == 5 ? PADIC_ERROR_REGION : PADIC_OK);
        if (part == 4 || part == 5) continue;
        CHECK(!memcmp(to[part], from[part],
                      (size_t)(padic_tensor_count(&read.out) *
                               padic_dtype_size(read.out.dtype))));
        if (part < 4) view[part]->data = to[part];
    }
    memset(&rerun.reduce, 0, sizeof rerun.reduce);
    rerun.out = run.out;
    rerun.out.data = again;
    CHECK_EQ(padic_rollout_run(NULL, &rerun), PADIC_OK);
    CHECK(!memcmp(again, frames, sizeof again));
}

// Round trip, from memory and through functions; any range without the rest; the same bytes in any
// order of parts, with any workers and from a stream; within the stated bound of its size.
TEST(round_trip)
{
    padic_rollout_reader *reader = NULL;
    padic_rollout_record *record = NULL;
    padic_rollout_record_report now = PADIC_ZERO;
    int same;
    write_whole(&first);
    for (int memory = 0; memory < 2; memory++) {
        CHECK_EQ(open_disk(&first, first.size, memory, &reader), PADIC_OK);
        if (!reader) return;
        replayed(reader);
        CHECK(!frames_same(reader, 0, TRAJECTORIES, 0, T, &same) && same);
        for (uint64_t t = 0; t < T; t++)
            for (uint64_t end = t; end <= T; end++)
                CHECK(!frames_same(reader, t % TRAJECTORIES, 1, t, end, &same) && same);
        CHECK(!results_same(reader, 0, TRAJECTORIES, &same) && same);
        CHECK(!results_same(reader, 5, 2, &same) && same);
        padic_rollout_record_close(NULL, reader);
    }
    contexts_begin(1);
    for (uint32_t with = 0; with < context_count; with++) {
        padic_context *context = contexts[with];
        padic_rollout_record_desc desc = recorded(&second);
        const uint64_t most = padic_rollout_record_size_bound(context, &desc);
        CHECK(most >= first.size && most < 8 * first.size);
        CHECK_EQ(padic_rollout_record_begin(context, &desc, &record), PADIC_OK);
        CHECK_EQ(push_results(context, record, 3, 5), PADIC_OK);
        CHECK_EQ(push_frames(context, record, 4, 4, 6, 8), PADIC_OK);
        CHECK_EQ(push_frames(context, record, 0, 2, 3, 6), PADIC_OK);
        CHECK_EQ(padic_rollout_record_info(record, &now), PADIC_OK);
        CHECK(!now.trajectories && now.held > 100 && !now.complete);
        CHECK_EQ(push_frames(context, record, 0, 8, 0, 3), PADIC_OK);
        CHECK_EQ(push_frames(context, record, 0, 1, 3, 8), PADIC_OK); // some for a second time
        CHECK_EQ(push_results(context, record, 0, 2), PADIC_OK);
        CHECK_EQ(padic_rollout_record_info(record, &now), PADIC_OK);
        CHECK_EQ(now.trajectories, 1);
        CHECK_EQ(push_all(context, record), PADIC_OK);
        CHECK_EQ(padic_rollout_record_info(record, &now), PADIC_OK);
        CHECK(now.complete && !now.held && now.trajectories == TRAJECTORIES);
        CHECK_EQ(padic_rollout_record_end(context, record), PADIC_OK);
        CHECK(second.size == first.size && !memcmp(first.bytes, second.bytes, first.size));
    }
    contexts_end();
}

// A rollout streams to a record: the bytes of its frames, which it has from this context, in every
// profile, some trajectories at a time; gone on with after a write that failed.
TEST(streamed)
{
    static float own[TRAJECTORIES * T * CELLS];
    contexts_begin(1);
    for (uint32_t turn = 0; turn < 8 * context_count; turn++) {
        padic_context *context = contexts[turn / 8];
        padic_rollout_record *record = NULL;
        padic_rollout_run_report report = PADIC_ZERO;
        padic_rollout_record_desc desc = recorded(&first);
        padic_rollout_run_desc go = run;
        const uint64_t shape[5] = {TRAJECTORIES, T, C, SIDE, SIDE};
        padic_rollout_record_frames_desc push = PADIC_ZERO;
        go.out.data = own;
        go.report = &report;
        CHECK_EQ(padic_rollout_run(context, &go), PADIC_OK);
        desc.profile = (padic_codec_profile)(turn % 4);
        if (turn & 4) desc.tolerance_mode = PADIC_CODEC_TOLERANCE_RANGE, desc.tolerance = 0.01;
        CHECK_EQ(padic_rollout_record_begin(NULL, &desc, &push.record), PADIC_OK);
        push.frames = padic_tensor_nd(PADIC_F32, own, 5, shape);
        CHECK_EQ(padic_rollout_record_frames(NULL, &push), PADIC_OK);
        CHECK_EQ(push_results(NULL, push.record, 0, TRAJECTORIES), PADIC_OK);
        CHECK_EQ(padic_rollout_record_end(NULL, push.record), PADIC_OK);
        disk_clear(&second);
        desc.user = &second;
        go.output = PADIC_ROLLOUT_OUTPUT_STREAM;
        memset(&go.out, 0, sizeof go.out);
        if (turn & 1) go.max_bytes = report.size; // now frames of a block are held as well
        for (int tries = 0; tries < 2; tries++) {
            second.fail = tries ? -1 : 4; // in the second block: after the beginning and one
            second.writes = 0;
            desc.size = second.size, desc.read = second.size ? disk_read : NULL;
            CHECK_EQ(padic_rollout_record_begin(context, &desc, &record), PADIC_OK);
            go.stream.record = record;
            CHECK_EQ(padic_rollout_run(context, &go),
                     tries ? PADIC_OK : PADIC_ERROR_CALLBACK);
            if (tries) CHECK_EQ(push_results(context, record, 0, TRAJECTORIES), PADIC_OK);
            CHECK_EQ(padic_rollout_record_end(context, record),
                     tries ? PADIC_OK : PADIC_ERROR_CALLBACK);
            CHECK(tries || (second.size && second.size < first.size));
        }
        CHECK(second.size == first.size && !memcmp(first.bytes, second.bytes, first.size));
    }
    contexts_end();
}

// Cut at every byte of the first trajectories and at every block after them: what is whole is read,
// and the record goes on to the same bytes.
TEST(cut)
{
    padic_rollout_reader *reader = NULL;
    padic_rollout_record *begun = NULL;
    padic_rollout_record_report at_first = PADIC_ZERO;
    const padic_rollout_record_desc fresh_one = recorded(&second);
    CHECK_EQ(padic_rollout_record_begin(NULL, &fresh_one, &begun), PADIC_OK);
    CHECK_EQ(padic_rollout_record_info(begun, &at_first), PADIC_OK);
    CHECK_EQ(padic_rollout_record_end(NULL, begun), PADIC_ERROR_MISMATCH);
    const uint64_t beginning = at_first.size;
    write_whole(&first);
    for (uint64_t size = 0; size < first.size; size += size < 4000 ? 7 : 211) {
        padic_rollout_record_desc desc = recorded(&second);
        padic_rollout_record *record = NULL;
        padic_rollout_reader_report is = PADIC_ZERO;
        padic_rollout_record_report now = PADIC_ZERO;
        const padic_result result = open_disk(&first, size, (int)(size & 1), &reader);
        int same = 0;
        CHECK(result == PADIC_OK || result == PADIC_ERROR_CORRUPT ||
              result == PADIC_ERROR_CHECKSUM);
        if (!result) {
            CHECK_EQ(padic_rollout_record_report_of(reader, &is), PADIC_OK);
            CHECK(!is.complete && is.whole <= TRAJECTORIES);
            if (is.whole) {
                CHECK(!frames_same(reader, 0, is.whole, 0, T, &same) && same);
                CHECK(!results_same(reader, 0, is.whole, &same) && same);
            }
            if (is.whole < TRAJECTORIES)
                CHECK_EQ(results_same(reader, is.whole, 1, &same), PADIC_ERROR_REGION);
            padic_rollout_record_close(NULL, reader);
        }
        memcpy(second.bytes, first.bytes, (size_t)size);
        memset(second.bytes + size, 0xee, 300); // what a torn write may have left
        second.size = size + (size & 2 ? 300 : 0);
        desc.read = disk_read;
        desc.size = second.size;
        CHECK_EQ(padic_rollout_record_begin(NULL, &desc, &record),
                 (size & 2) && size < beginning ? PADIC_ERROR_MISMATCH : PADIC_OK);
        if (!record) continue;
        CHECK_EQ(padic_rollout_record_info(record, &now), PADIC_OK);
        CHECK(now.trajectories == is.whole && now.size <= (size > now.size ? size : now.size));
        if (!is.whole) CHECK_EQ(push_all(NULL, record), PADIC_OK);
        else if (is.whole < TRAJECTORIES) {
            const uint64_t left = TRAJECTORIES - is.whole;
            CHECK_EQ(push_frames(NULL, record, is.whole, left, 0, T), PADIC_OK);
            CHECK_EQ(push_results(NULL, record, is.whole, left), PADIC_OK);
        }
        CHECK_EQ(padic_rollout_record_end(NULL, record), PADIC_OK);
        CHECK(!memcmp(first.bytes, second.bytes, (size_t)first.size));
        CHECK(second.size == first.size || second.size < first.size + 300);
    }
}

// Every byte, changed: an error, or what was recorded.
TEST(flipped)
{
    int same, errors = 0;
    write_whole(&first);
    for (uint64_t at = 0; at < first.size; at++) {
        padic_rollout_reader *reader = NULL;
        first.bytes[at] ^= (uint8_t)(1u << at % 8);
        const padic_result result = open_disk(&first, first.size, 1, &reader);
        CHECK((result == PADIC_OK) == (reader != NULL));
        errors += result != PADIC_OK;
        for (uint64_t k = 0; reader && k < TRAJECTORIES; k += 1 + at % 3) {
            const padic_result read = frames_same(reader, k, 1, 0, T, &same);
            CHECK(read || same);
            errors += read != PADIC_OK;
            CHECK(results_same(reader, k, 1, &same) || same);
        }
        padic_rollout_record_close(NULL, reader);
        first.bytes[at] ^= (uint8_t)(1u << at % 8);
    }
    CHECK(errors > 1000);
}

// Within a tolerance, without weights, with metrics alone, in f64.
TEST(kinds)
{
    static float got[T * CELLS];
    static double wide[N * 4096], start[I * CELLS];
    padic_rollout_reader_report is = PADIC_ZERO;
    for (int kind = 0; kind < 5; kind++) {
        padic_rollout_record_desc desc = recorded(&second);
        padic_rollout_record *record = NULL;
        padic_rollout_reader *reader = NULL;
        int same;
        if (kind == 0) desc.tolerance_mode = PADIC_CODEC_TOLERANCE_ABSOLUTE, desc.tolerance = 0.01;
        if (kind == 4) desc.profile = PADIC_CODEC_PROFILE_CODED;
        if (kind == 1) desc.flags = PADIC_ROLLOUT_RECORD_NO_WEIGHTS;
        if (kind == 2) run.output = PADIC_ROLLOUT_OUTPUT_NONE;
        if (kind == 3) {
            for (int i = 0; i < N * 4096; i++) wide[i] = (double)weights[i];
            for (int i = 0; i < I * CELLS; i++) start[i] = (double)initial[i];
            run.precision = PADIC_ROLLOUT_PRECISION_F64;
            run.weights.dtype = run.initial.dtype = PADIC_F64;
            run.weights.data = wide, run.initial.data = start;
            run.output = PADIC_ROLLOUT_OUTPUT_NONE;
        }
        CHECK_EQ(padic_rollout_record_begin(NULL, &desc, &record), PADIC_OK);
        if (kind < 2 || kind == 4)
            CHECK_EQ(push_frames(NULL, record, 0, TRAJECTORIES, 0, T), PADIC_OK);
        CHECK_EQ(push_results(NULL, record, 0, TRAJECTORIES), PADIC_OK);
        CHECK_EQ(padic_rollout_record_end(NULL, record), PADIC_OK);
        CHECK_EQ(open_disk(&second, second.size, 1, &reader), PADIC_OK);
        if (!reader) continue;
        CHECK_EQ(padic_rollout_record_report_of(reader, &is), PADIC_OK);
        CHECK(is.complete && is.frames == (kind < 2 || kind == 4 ? T : 0));
        CHECK_EQ(is.profile, desc.profile);
        if (kind == 4) CHECK(!frames_same(reader, 0, TRAJECTORIES, 0, T, &same) && same);
        CHECK_EQ(is.run.initial.dtype, kind == 3 ? PADIC_F64 : PADIC_F32);
        CHECK(!results_same(reader, 0, TRAJECTORIES, &same) && same);
        padic_rollout_record_read_desc read = PADIC_ZERO;
        read.reader = reader;
        if (kind == 0) {
            const uint64_t shape[5] = {1, T, C, SIDE, SIDE};
            read.first = 2;
            read.out = padic_tensor_nd(PADIC_F32, got, 5, shape);
            CHECK_EQ(padic_rollout_record_read(NULL, &read), PADIC_OK);
            for (int i = 0; i < T * CELLS; i++)
                CHECK_NEAR(got[i], frames[2 * T * CELLS + i], 0.01);
        } else if (kind == 1) {
            read.part = PADIC_ROLLOUT_PART_WEIGHTS;
            read.out = is.run.weights;
            read.out.data = wide;
            CHECK_EQ(padic_rollout_record_read(NULL, &read), PADIC_ERROR_REGION);
        }
        padic_rollout_record_close(NULL, reader);
    }
}

TEST(refused)
{
    padic_rollout_record *record = NULL;
    padic_rollout_reader *reader = NULL;
    padic_rollout_record_report now;
    padic_rollout_reader_report is;
    const padic_rollout_record_desc good = recorded(&second);
    padic_rollout_record_desc desc = good;
#define REFUSED(change, result)                                                                  \
    desc = good;                                                                                 \
    change;                                                                                      \
    CHECK_EQ(padic_rollout_record_begin(NULL, &desc, &record), result);                          \
    CHECK(!record)
    REFUSED(desc.run = NULL, PADIC_ERROR_ARGUMENT);
    REFUSED(desc.write = NULL, PADIC_ERROR_ARGUMENT);
    REFUSED(desc.measures = 2, PADIC_ERROR_ARGUMENT);
    REFUSED(desc.measures = 0, PADIC_ERROR_ARGUMENT); // reduce is given
    REFUSED(desc.flags = 2, PADIC_ERROR_ARGUMENT);
    REFUSED(desc.block = 65537, PADIC_ERROR_ARGUMENT);
    REFUSED(desc.level = 10, PADIC_ERROR_ARGUMENT);
    REFUSED(desc.tolerance = 1, PADIC_ERROR_ARGUMENT);
    REFUSED(desc.tolerance_mode = PADIC_CODEC_TOLERANCE_RMS, PADIC_ERROR_ARGUMENT);
    static const uint32_t unknown = 4;
    REFUSED(memcpy(&desc.profile, &unknown, 4), PADIC_ERROR_ARGUMENT);
    REFUSED(desc.profile = PADIC_CODEC_PROFILE_FETCH;
            desc.tolerance_mode = PADIC_CODEC_TOLERANCE_POINTWISE; desc.tolerance = 0.1,
            PADIC_ERROR_ARGUMENT);
    REFUSED(desc.parameter_count = 65, PADIC_ERROR_ARGUMENT);
    REFUSED(desc.unit.shape[1] = 2, PADIC_ERROR_MISMATCH);
    REFUSED(desc.size = 5, PADIC_ERROR_ARGUMENT); // without read
    REFUSED(parameters[1].count = 2000, PADIC_ERROR_LIMIT);
    parameters[1].count = 4;
    REFUSED(second.fail = 0, PADIC_ERROR_CALLBACK);
    second.fail = -1;
    CHECK_EQ(padic_rollout_record_size_bound(NULL, NULL), 0);
    desc = good;
    CHECK_EQ(padic_rollout_record_begin(NULL, &desc, NULL), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(padic_rollout_record_begin(NULL, &desc, &record), PADIC_OK);
    CHECK_EQ(push_frames(NULL, record, 0, 1, 1, 3), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(push_frames(NULL, record, 0, 1, 0, 2), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(push_frames(NULL, record, 7, 2, 0, 3), PADIC_ERROR_MISMATCH);
    CHECK_EQ(push_frames(NULL, record, 0, 1, 6, 9), PADIC_ERROR_MISMATCH);
    CHECK_EQ(push_results(NULL, record, 7, 2), PADIC_ERROR_MISMATCH);
    CHECK_EQ(padic_rollout_record_frames(NULL, NULL), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(padic_rollout_record_info(record, NULL), PADIC_ERROR_ARGUMENT);
    second.fail = (int64_t)second.writes + 1;
    CHECK_EQ(push_all(NULL, record), PADIC_ERROR_CALLBACK);
    second.fail = -1;
    CHECK_EQ(padic_rollout_record_end(NULL, record), PADIC_ERROR_CALLBACK);
    CHECK_EQ(padic_rollout_record_begin(NULL, &desc, &record), PADIC_OK);
    CHECK_EQ(padic_rollout_record_end(NULL, record), PADIC_ERROR_MISMATCH); // nothing came
    CHECK_EQ(padic_rollout_record_info(NULL, &now), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(padic_rollout_record_report_of(NULL, &is), PADIC_ERROR_ARGUMENT);
    write_whole(&first);
    first.bytes[3] = 2;
    CHECK_EQ(open_disk(&first, first.size, 1, &reader), PADIC_ERROR_VERSION);
    padic_rollout_record_close(NULL, NULL);
    desc = recorded(&second);
    run.seed = 100; // another run than the file's
    first.bytes[3] = 1;
    memcpy(&second, &first, sizeof second);
    desc.read = disk_read, desc.size = second.size;
    CHECK_EQ(padic_rollout_record_begin(NULL, &desc, &record), PADIC_ERROR_MISMATCH);
}

TEST(allocations_fail)
{
    failing memory = {1000000, 0};
    padic_context_desc with = PADIC_ZERO;
    padic_context *context = NULL;
    int done = 0, turns = 0;
    with.allocator.alloc = failing_alloc;
    with.allocator.free = failing_free;
    with.allocator.user = &memory;
    REQUIRE(padic_context_create(&with, &context) == PADIC_OK);
    const long before = memory.live;
    const padic_rollout_record_desc desc = recorded(&second);
    for (; turns < 500 && !done; turns++) {
        padic_rollout_record *record = NULL;
        padic_rollout_reader *reader = NULL;
        padic_rollout_record_open_desc open = PADIC_ZERO;
        second.size = 0;
        memory.left = turns;
        padic_result result = padic_rollout_record_begin(context, &desc, &record);
        if (!result) result = push_frames(context, record, 0, 1, 0, T);
        if (!result) result = push_results(context, record, 0, 1);
        if (!result) result = padic_rollout_record_end(context, record); // MISMATCH: one of 8
        else if (record) (void)padic_rollout_record_end(context, record);
        CHECK(result == PADIC_ERROR_MEMORY || result == PADIC_ERROR_MISMATCH);
        CHECK_EQ(memory.live, before);
        if (result != PADIC_ERROR_MISMATCH) continue;
        open.file.data = second.bytes, open.file.size = second.size;
        memory.left = turns % 5;
        result = padic_rollout_record_open(context, &open, &reader);
        CHECK(result == PADIC_ERROR_MEMORY || (result == PADIC_OK && reader));
        padic_rollout_record_close(context, reader);
        CHECK_EQ(memory.live, before);
        done += turns > 40;
    }
    CHECK(done && turns > 20);
    memory.left = 1000000;
    padic_context_destroy(context);
    CHECK_EQ(memory.live, 0);
}

TEST_MAIN("test_rollout_record", CASE(round_trip), CASE(streamed), CASE(cut), CASE(flipped),
          CASE(kinds), CASE(refused), CASE(allocations_fail))
