// fuzz_rollout_record.c: any bytes as a rollout on disk. The first says if the rest is taken as
// it is, or with all checksums put right, and whether it lies in memory or is read by a function.
// What opens is read as a whole, part by part; both ways give the same answers. See fuzz.h.
//
// With -DFUZZ_MAKE a program that writes seeds into a folder: ./make tests/fuzz/corpus/...
#include "fuzz.h"

#define OUT_MOST (1u << 18)

#ifndef FUZZ_MAKE
typedef struct source {
    const uint8_t *bytes;
    uint64_t size;
} source;

static int source_read(void *bytes, uint64_t size, uint64_t at, void *user)
{
    const source *s = (const source *)user;
    FUZZ_CHECK(at <= s->size && size <= s->size - at);
    memcpy(bytes, s->bytes + at, (size_t)size);
    return 0;
}

// FORMAT.md's checksum, and numbers in its order of bytes.
static uint64_t record_load64(const uint8_t *at)
{
    uint64_t x = 0;
    for (int i = 8; i-- > 0;) x = x << 8 | at[i];
    return x;
}
static uint32_t record_load32(const uint8_t *at)
{
    return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}
static void record_store64(uint8_t *at, uint64_t x)
{
    for (int i = 0; i < 8; i++) at[i] = (uint8_t)(x >> 8 * i);
}
static uint64_t mixed(uint64_t x)
{
    x *= UINT64_C(0xbf58476d1ce4e5b9), x ^= x >> 32, x *= UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 29;
}
static uint64_t record_checksum(const uint8_t *bytes, uint64_t size, uint64_t seed)
{
    uint64_t sum = mixed(size ^ ~seed);
    for (uint64_t i = 0; i * 8 < size; i++) {
        uint8_t word[8] = {0};
        memcpy(word, bytes + 8 * i, (size_t)(size - 8 * i < 8 ? size - 8 * i : 8));
        sum += mixed(record_load64(word) ^ ((seed + 1) * UINT64_C(0xd1342543de82ef95) +
                                            i * UINT64_C(0x9e3779b97f4a7c15)));
    }
    return sum;
}

// Heads of 48 bytes from byte 8 on: checksums of what follows, then of the head.
static void repair(uint8_t *bytes, uint64_t size)
{
    uint64_t at = 8;
    while (size >= 48 && at <= size - 48) {
        const uint64_t own = record_load64(bytes + at + 8);
        const uint32_t tag = record_load32(bytes + at);
        if (own <= size - at - 48)
            record_store64(bytes + at + 32, record_checksum(bytes + at + 48, (size_t)own, tag));
        record_store64(bytes + at + 40, record_checksum(bytes + at, 40, tag));
        if (own > size - at - 48) break;
        at += 48 + own;
    }
}

// Reads a part into `out`; returns a sum of result and bytes, to be compared.
static uint64_t part_of(padic_rollout_reader *reader, padic_rollout_part part, uint64_t first,
                        padic_tensor out)
{
    static uint8_t room[OUT_MOST];
    padic_rollout_record_read_desc read = PADIC_ZERO;
    uint64_t bytes = padic_dtype_size(out.dtype), sum = 0;
    for (uint32_t i = 0; i < out.rank; i++)
        bytes = out.shape[i] < OUT_MOST ? bytes * out.shape[i] : OUT_MOST;
    if (bytes >= OUT_MOST || out.dtype == PADIC_DTYPE_NONE) return 0;
    memset(room, 0, sizeof room);
    read.reader = reader, read.part = part, read.first = first;
    read.out = padic_tensor_nd(out.dtype, room, out.rank, out.shape);
    const padic_result result = padic_rollout_record_read(NULL, &read);
    for (uint64_t i = bytes; i < sizeof room; i++) FUZZ_CHECK(!room[i]);
    for (uint64_t i = 0; !result && i < bytes; i++) sum = sum * 31 + room[i];
    return sum + (uint64_t)(int64_t)result;
}

static uint64_t all_of(const padic_rollout_record_open_desc *desc)
{
    padic_rollout_reader *reader = NULL;
    padic_rollout_reader_report is;
    const padic_result result = padic_rollout_record_open(NULL, desc, &reader);
    uint64_t sum = (uint64_t)(int64_t)result;
    FUZZ_CHECK((result == PADIC_OK) == (reader != NULL));
    if (result) return sum;
    FUZZ_CHECK(padic_rollout_record_report_of(reader, &is) == PADIC_OK);
    FUZZ_CHECK(is.whole <= is.trajectories && (!is.complete || is.whole == is.trajectories));
    padic_tensor frames = is.run.initial, values = is.run.weights;
    frames.rank = 5;
    memmove(frames.shape + 2, is.run.initial.shape + 1, 3 * sizeof *frames.shape);
    frames.shape[0] = 1, frames.shape[1] = is.frames;
    for (uint64_t k = 0; k < is.trajectories && k < 4; k++) {
        sum = sum * 31 + part_of(reader, PADIC_ROLLOUT_PART_FRAMES, k, frames);
        sum = sum * 31 + part_of(reader, PADIC_ROLLOUT_PART_METRICS, k,
                                 padic_tensor_3d(PADIC_F32, NULL, 1, is.rows, is.columns));
        sum = sum * 31 + part_of(reader, PADIC_ROLLOUT_PART_STATUS, k,
                                 padic_tensor_2d(PADIC_U32, NULL, 1, 4));
    }
    sum = sum * 31 + part_of(reader, PADIC_ROLLOUT_PART_WEIGHTS, 0, is.run.weights);
    sum = sum * 31 + part_of(reader, PADIC_ROLLOUT_PART_INITIAL, 0, is.run.initial);
    sum = sum * 31 + part_of(reader, PADIC_ROLLOUT_PART_PARAMETER, 0, is.run.parameter);
    sum = sum * 31 + part_of(reader, PADIC_ROLLOUT_PART_IDS, 0, is.run.ids);
    sum = sum * 31 + part_of(reader, PADIC_ROLLOUT_PART_NOISE_IDS, 0, is.run.noise_ids);
    values.dtype = PADIC_F64;
    values.shape[1] = is.parameter_count;
    sum = sum * 31 + part_of(reader, PADIC_ROLLOUT_PART_PHYSICAL, 0, values);
    padic_rollout_record_close(NULL, reader);
    return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    padic_rollout_record_open_desc memory = PADIC_ZERO, functions = PADIC_ZERO;
    source from;
    uint8_t *bytes;
    if (!size) return 0;
    bytes = (uint8_t *)fuzz_new(size - 1);
    memcpy(bytes, data + 1, size - 1);
    if (data[0] & 1) repair(bytes, size - 1);
    from.bytes = bytes, from.size = size - 1;
    memory.file.data = bytes, memory.file.size = size - 1;
    functions.read = source_read, functions.size = size - 1, functions.user = &from;
    FUZZ_CHECK(all_of(&memory) == all_of(&functions));
    free(bytes);
    return 0;
}
#else
static FILE *file;

static int put(const void *bytes, uint64_t size, uint64_t at, void *user)
{
    (void)at, (void)user;
    return fwrite(bytes, 1, (size_t)size, file) != size;
}

int main(int argc, char **argv)
{
    for (int k = 0; k < 4 && argc == 2; k++) {
        static float w[100], x[32], frames[2 * 3 * 32], metrics[2 * 3 * 32];
        const uint64_t shape[4] = {1, 2, 4, 4}, five[5] = {2, 3, 2, 4, 4};
        padic_rollout_node nodes[2] = {PADIC_ZERO, PADIC_ZERO};
        padic_rollout_noise_law law = PADIC_ZERO;
        padic_rollout_run_desc run = PADIC_ZERO;
        padic_rollout_record_desc desc = PADIC_ZERO;
        padic_rollout_record *record = NULL;
        padic_rollout_record_frames_desc some = PADIC_ZERO;
        padic_rollout_record_metrics_desc rows = PADIC_ZERO;
        padic_rollout_operator_report report = PADIC_ZERO;
        uint32_t status[8] = {0};
        double unit[2] = {0.25, 0.5};
        padic_rollout_parameter parameters[2] = {PADIC_ZERO, PADIC_ZERO};
        char name[512];
        nodes[0].kernel = 1, nodes[0].norm = PADIC_ROLLOUT_NORM_NONE;
        nodes[1].kind = PADIC_ROLLOUT_KIND_NOISE, nodes[1].input = 1, nodes[1].noise = &law;
        run.op.nodes = nodes, run.op.count = 1 + (uint32_t)k % 2;
        run.op.channels = 2, run.op.height = run.op.width = 4;
        if (padic_rollout_operator_info(NULL, &run.op, &report)) return 1;
        run.weights = padic_tensor_2d(PADIC_F32, w, 1, report.parameters);
        run.initial = padic_tensor_nd(PADIC_F32, x, 4, shape);
        run.realisations = 2, run.steps = 3;
        for (int i = 0; i < 192; i++) frames[i] = (float)(i * (k + 1) % 7);
        desc.run = &run, desc.block = 2, desc.measures = (uint32_t)k / 2, desc.write = put;
        parameters[1].kind = PADIC_ROLLOUT_PARAMETER_CHOICE, parameters[1].count = 2;
        parameters[1].weights = unit;
        desc.parameters = parameters, desc.parameter_count = 2;
        if (k == 3) desc.unit = desc.physical = padic_tensor_2d(PADIC_F64, unit, 1, 2);
        if (k == 2) run.reduce.metrics = 5;
        if (k == 3) desc.profile = PADIC_CODEC_PROFILE_CODED;
        sprintf(name, "%s/seed%d", argv[1], k);
        file = fopen(name, "wb");
        if (!file) return 1;
        fputc(k, file);
        if (padic_rollout_record_begin(NULL, &desc, &record)) return 1;
        some.record = rows.record = record;
        some.frames = padic_tensor_nd(PADIC_F32, frames, 5, five);
        if (padic_rollout_record_frames(NULL, &some)) return 1;
        rows.status = padic_tensor_2d(PADIC_U32, status, 2, 4);
        if (k >= 2)
            rows.metrics = padic_tensor_3d(PADIC_F32, metrics, 2, 3,
                                           padic_rollout_metrics_count(&run.reduce, 2, 4, 4));
        if (padic_rollout_record_metrics(NULL, &rows)) return 1;
        if (k != 1 && padic_rollout_record_end(NULL, record)) return 1;
        fclose(file);
    }
    return argc != 2;
}
#endif
