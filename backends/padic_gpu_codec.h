// padic_gpu_codec.h: part of padic_gpu.h, which includes it: the codec's profiles, packed and
// unpacked in a device's memory.
#if defined(PADIC_GPU_IMPLEMENTED) && !defined(PADIC_NO_CODEC) && !defined(PADICI_GPU_CODEC)
#define PADICI_GPU_CODEC

// room: src/gpu/codec/job.c
// A call of the codec on a device: what its kernels are told, and the layout of their records.

#define PADICI_CODEC_RECORD 20u // words of a block's record; its fields:
enum {
    PADICI_CODEC_R_SIZE = 0,
    PADICI_CODEC_R_MODE = 1,
    PADICI_CODEC_R_SHIFT = 2,
    PADICI_CODEC_R_STEP = 3,
    PADICI_CODEC_R_FIRST = 4,
    PADICI_CODEC_R_SUM = 6,
    PADICI_CODEC_R_WIDTH = 8,
    PADICI_CODEC_R_BYTES = 9,
    PADICI_CODEC_R_AT = 10,
    PADICI_CODEC_R_BODY = 12,
    PADICI_CODEC_R_FACTOR = 14,
    PADICI_CODEC_R_SCALE = 16,
    PADICI_CODEC_R_OFF = 17
};
#define PADICI_CODEC_CODED 66u  // a width: the block is coded
#define PADICI_CODEC_TABLE 296u // words of what is known of a block's tokens; after 256 of them:
enum {
    PADICI_CODEC_T_HOW = 256,
    PADICI_CODEC_T_WIDEST = 257,
    PADICI_CODEC_T_PLAINS = 258,
    PADICI_CODEC_T_TABLES = 259,
    PADICI_CODEC_T_WORDS = 260,
    PADICI_CODEC_T_STAGE = 261,
    PADICI_CODEC_T_STATES = 264
};
enum { PADICI_CODEC_M_RAW, PADICI_CODEC_M_CONSTANT, PADICI_CODEC_M_PLAIN, PADICI_CODEC_M_DELTA,
       PADICI_CODEC_M_BAD };

enum { // scratch of a call
    PADICI_CODEC_B_TOP,
    PADICI_CODEC_B_APART,
    PADICI_CODEC_B_WIDTH, // unpacking: tokens
    PADICI_CODEC_B_RECORD,
    PADICI_CODEC_B_TOTALS, // unpacking: the status
    PADICI_CODEC_B_TOKENS, // packing coded blocks, as the two that follow
    PADICI_CODEC_B_TABLE,
    PADICI_CODEC_B_CHAIN,
    PADICI_CODEC_BLOCKS
};

typedef struct padici_gpu_codec_job {
    padici_gpu *gpu;
    padici_codec_drive *d;
    const char *defines[2];
    uint32_t define_count;
    padici_k_codec_stream_params k;
    padici_gpu_block block[PADICI_CODEC_BLOCKS];
} padici_gpu_codec_job;

static const char *padici_gpu_codec_define(uint32_t size)
{
    return size == 1   ? "PD_CODEC_SIZE=1"
           : size == 2 ? "PD_CODEC_SIZE=2"
           : size == 4 ? "PD_CODEC_SIZE=4"
                       : "PD_CODEC_SIZE=8";
}

#define PADICI_CODEC_UNSCALED 3u // in place of the number of a scale
#define PADICI_CODEC_PAIR(k, name, x) ((k).name##_lo = (uint32_t)(x), \
                                       (k).name##_hi = (uint32_t)((uint64_t)(x) >> 32))

// 0 where memory is not aligned as the kernels want it.
static int padici_gpu_codec_params(const padici_codec_drive *d, int handles,
                                   padici_k_codec_stream_params *k)
{
    uint32_t i;
    memset(k, 0, sizeof *k);
    k->blocks = (uint32_t)d->blocks;
    k->kind = d->kind;
    k->fetch = d->fetch;
    k->coded = d->coded | d->unseen;
    if (d->header && d->header_size <= sizeof k->head && d->header_size % 4 == 0)
        k->head_size = d->header_size;
    for (i = 0; i < k->head_size / 4; i++) k->head[i] = padici_load32(d->header + 4 * i);
    k->groups = (uint32_t)((d->step + PADICI_GROUP - 1) / PADICI_GROUP);
    k->per_row = (uint32_t)d->per_row;
    k->step = (uint32_t)d->step;
    k->rows = (uint32_t)d->rows;
    k->inner = (uint32_t)d->inner;
    k->header = d->header_size;
    k->each = d->size == 1 ? 8 : 4;
    k->bound = d->bounded ? d->guess : PADICI_CODEC_UNSCALED;
    memcpy(&k->scale0, d->scales.step, 12);
    memcpy(&k->inverse0, d->scales.inverse, 12);
    k->most0 = (uint32_t)d->scales.most[0];
    k->most1 = (uint32_t)d->scales.most[1];
    k->most2 = (uint32_t)d->scales.most[2];
    k->most_hi = (uint32_t)(d->scales.most[2] >> 32);
    memcpy(&k->within, &d->scales.within, 4);
    PADICI_CODEC_PAIR(*k, wide, d->scales.wide);
    PADICI_CODEC_PAIR(*k, row, d->row);
    PADICI_CODEC_PAIR(*k, array, d->array.at / d->size);
    PADICI_CODEC_PAIR(*k, packed, d->packed.at);
    PADICI_CODEC_PAIR(*k, room, d->room);
    PADICI_CODEC_PAIR(*k, length, d->length);
    return d->array.at % d->size == 0 &&
           (handles || (d->array.mem.bits % 8 == 0 && d->packed.mem.bits % 4 == 0));
}

static void padici_gpu_codec_work(padici_gpu_codec_job *job, padici_gpu_work *work,
                                  uint32_t kernel, uint32_t mems, uint64_t groups)
{
    memset(work, 0, sizeof *work);
    work->kernel = kernel;
    work->defines = job->defines;
    work->define_count = job->define_count;
    work->mem_count = mems;
    work->params = &job->k;
    work->params_size = sizeof job->k;
    work->groups[0] = groups < 65536 ? (uint32_t)groups : 65536;
}

// room: src/gpu/codec/pack.c
// Packing: range, records, plain and coded blocks, the stream.

// What exceptions take, or their bytes.
static padic_result padici_gpu_codec_off(padici_gpu_codec_job *job, uint32_t writing)
{
    padici_gpu_work work;
    job->k.writing = writing;
    padici_gpu_codec_work(job, &work, PADICI_KERNEL_CODEC_OFF, 4, job->d->blocks);
    work.mem[0] = job->d->array.mem;
    work.mem[1] = job->block[PADICI_CODEC_B_RECORD].mem;
    work.mem[2] = job->block[PADICI_CODEC_B_TOTALS].mem;
    work.mem[3] = writing ? job->d->packed.mem : work.mem[2]; // not touched
    return padici_gpu_launch(job->gpu, &work);
}

#define PADICI_CODEC_RANGERS 192u // groups; two words of each on the stack

// Least and greatest of the finite elements.
static padic_result padici_gpu_codec_range(padici_gpu_codec_job *job)
{
    padici_gpu_block *range = &job->block[PADICI_CODEC_B_TOTALS];
    padici_gpu_work work;
    int64_t pairs[2 * PADICI_CODEC_RANGERS], low = INT64_MAX, high = INT64_MIN;
    const uint32_t size = job->d->size;
    const padic_dtype dtype = size == 8 ? PADIC_F64 : PADIC_F32;
    uint32_t i;
    padic_result result = padici_gpu_scratch(job->gpu, sizeof pairs, range);
    if (result) return result;
    padici_gpu_codec_work(job, &work, PADICI_KERNEL_CODEC_RANGE, 2, PADICI_CODEC_RANGERS);
    work.mem[0] = job->d->array.mem;
    work.mem[1] = range->mem;
    result = padici_gpu_launch(job->gpu, &work);
    if (!result) result = padici_gpu_download(job->gpu, range->mem, 0, pairs, sizeof pairs);
    if (result) return result;
    for (i = 0; i < PADICI_CODEC_RANGERS; i++) {
        if (pairs[2 * i] < low) low = pairs[2 * i];
        if (pairs[2 * i + 1] > high) high = pairs[2 * i + 1];
    }
    job->d->low = job->d->high = 0;
    if (low > high) return PADIC_OK; // there are none
    job->d->low = padici_value(dtype, padici_unordered(dtype, (uint64_t)low, size));
    job->d->high = padici_value(dtype, padici_unordered(dtype, (uint64_t)high, size));
    return PADIC_OK;
}

// Tokens and chains of all blocks, and which of them are coded.
static padic_result padici_gpu_codec_chains(padici_gpu_codec_job *job)
{
    const padic_mem record = job->block[PADICI_CODEC_B_RECORD].mem;
    const padic_mem tokens = job->block[PADICI_CODEC_B_TOKENS].mem;
    const padic_mem table = job->block[PADICI_CODEC_B_TABLE].mem;
    padici_gpu_work work;
    padic_result result;
    padici_gpu_codec_work(job, &work, PADICI_KERNEL_CODEC_CLASSES, 5, job->d->blocks);
    work.mem[0] = work.mem[4] = job->d->array.mem;
    work.mem[1] = record;
    work.mem[2] = tokens;
    work.mem[3] = table;
    result = padici_gpu_launch(job->gpu, &work);
    if (result) return result;
    padici_gpu_codec_work(job, &work, PADICI_KERNEL_CODEC_RANS, 4, job->d->blocks);
    work.mem[0] = tokens;
    work.mem[1] = record;
    work.mem[2] = table;
    work.mem[3] = job->block[PADICI_CODEC_B_CHAIN].mem;
    return padici_gpu_launch(job->gpu, &work);
}

// The bytes of coded blocks.
static padic_result padici_gpu_codec_braid(padici_gpu_codec_job *job)
{
    padici_gpu_work work;
    padici_gpu_codec_work(job, &work, PADICI_KERNEL_CODEC_CODED, 8, job->d->blocks);
    work.mem[0] = work.mem[6] = job->d->array.mem;
    work.mem[1] = job->block[PADICI_CODEC_B_RECORD].mem;
    work.mem[2] = job->block[PADICI_CODEC_B_TOTALS].mem;
    work.mem[3] = job->block[PADICI_CODEC_B_TABLE].mem;
    work.mem[4] = job->block[PADICI_CODEC_B_CHAIN].mem;
    work.mem[5] = job->d->packed.mem;
    work.mem[7] = job->block[PADICI_CODEC_B_TOKENS].mem;
    return padici_gpu_launch(job->gpu, &work);
}

// Where each block begins, and the bytes of the stream.
static padic_result padici_gpu_codec_write(padici_gpu_codec_job *job)
{
    padici_codec_drive *d = job->d;
    padici_gpu_work work;
    uint64_t totals[2];
    padic_result result;
    padici_gpu_codec_work(job, &work, PADICI_KERNEL_CODEC_SCAN, 2, 1);
    work.mem[0] = job->block[PADICI_CODEC_B_RECORD].mem;
    work.mem[1] = job->block[PADICI_CODEC_B_TOTALS].mem;
    result = padici_gpu_launch(job->gpu, &work);
    if (!result && d->room >= d->header_size && !job->k.head_size)
        result = padici_gpu_upload(job->gpu, d->packed.mem, d->packed.at, d->header,
                                   d->header_size);
    if (result) return result;
    padici_gpu_codec_work(job, &work, PADICI_KERNEL_CODEC_FRAMES, 3, (d->blocks + 15) / 16 + 1);
    work.mem[0] = job->block[PADICI_CODEC_B_RECORD].mem;
    work.mem[1] = job->block[PADICI_CODEC_B_TOTALS].mem;
    work.mem[2] = d->packed.mem;
    result = padici_gpu_launch(job->gpu, &work);
    if (result) return result;
    padici_gpu_codec_work(job, &work, PADICI_KERNEL_CODEC_FILL, 6, d->blocks);
    work.mem[0] = work.mem[1] = d->array.mem;
    work.mem[2] = job->block[PADICI_CODEC_B_WIDTH].mem;
    work.mem[3] = job->block[PADICI_CODEC_B_RECORD].mem;
    work.mem[4] = job->block[PADICI_CODEC_B_TOTALS].mem;
    work.mem[5] = d->packed.mem;
    result = padici_gpu_launch(job->gpu, &work);
    if (!result && d->coded) result = padici_gpu_codec_braid(job);
    if (!result && d->bounded) result = padici_gpu_codec_off(job, 1);
    if (!result)
        result = padici_gpu_download(job->gpu, job->block[PADICI_CODEC_B_TOTALS].mem, 0, totals,
                                     sizeof totals);
    if (!result) d->total = totals[1];
    return result;
}

PADICI_NOINLINE static padic_result padici_gpu_codec_prove(padici_gpu_codec_job *job);

PADICI_NOINLINE static padic_result padici_gpu_codec_pack_in(padici_gpu_codec_job *job)
{
    padici_codec_drive *d = job->d;
    const uint64_t groups = d->blocks * job->k.groups, all = d->blocks / d->per_row * d->row;
    const uint64_t sizes[PADICI_CODEC_BLOCKS] = {
        8 * groups, 8 * groups, groups, d->blocks * PADICI_CODEC_RECORD * 4, 16, all,
        d->blocks * PADICI_CODEC_TABLE * 4, 2 * (all - all / 4 + 64 * d->blocks + 64)};
    padici_gpu_work work;
    padic_mem mem[PADICI_CODEC_BLOCKS];
    uint32_t i;
    padic_result result = PADIC_OK;
    for (i = 0; i < (d->coded ? PADICI_CODEC_BLOCKS : PADICI_CODEC_B_TOKENS) && !result; i++) {
        result = padici_gpu_scratch(job->gpu, sizes[i], &job->block[i]);
        mem[i] = job->block[i].mem;
    }
    if (result) return result;
    // of blocks within a bound: another scale, the word of exceptions, or elements as they are
    for (i = 0; i < (d->bounded ? 4u : 1u) && !result; i++) {
        job->k.writing = i > 0;
        padici_gpu_codec_work(job, &work, PADICI_KERNEL_CODEC_MEASURE, 6, d->blocks);
        work.mem[0] = work.mem[1] = d->array.mem;
        memcpy(work.mem + 2, mem, 4 * sizeof *mem);
        result = padici_gpu_launch(job->gpu, &work);
    }
    if (result) return result;
    if (d->bounded) result = padici_gpu_codec_off(job, 0);
    if (!result && d->coded) result = padici_gpu_codec_chains(job);
    if (!result) result = padici_gpu_codec_write(job);
    return !result && d->proving && d->total <= d->room ? padici_gpu_codec_prove(job) : result;
}

// The coded blocks, of which `look` found some.
static padic_result padici_gpu_codec_coded(padici_gpu_codec_job *job)
{
    padici_codec_drive *d = job->d;
    padici_gpu_block *tokens = &job->block[PADICI_CODEC_B_WIDTH];
    const padic_mem record = job->block[PADICI_CODEC_B_RECORD].mem;
    const padic_mem status = job->block[PADICI_CODEC_B_TOTALS].mem;
    padici_gpu_work work;
    padic_result result =
        padici_gpu_scratch(job->gpu, d->blocks / d->per_row * d->row, tokens);
    if (result) return result;
    padici_gpu_codec_work(job, &work, PADICI_KERNEL_CODEC_TOKENS, 4, d->blocks);
    work.mem[0] = d->packed.mem;
    work.mem[1] = record;
    work.mem[2] = tokens->mem;
    work.mem[3] = status;
    result = padici_gpu_launch(job->gpu, &work);
    if (result) return result;
    padici_gpu_codec_work(job, &work, PADICI_KERNEL_CODEC_EXPAND, 5, d->blocks);
    work.mem[0] = d->packed.mem;
    work.mem[1] = record;
    work.mem[2] = tokens->mem;
    work.mem[3] = d->array.mem;
    work.mem[4] = status;
    return padici_gpu_launch(job->gpu, &work);
}

// room: src/gpu/codec/unpack.c
// Unpacking: the frames, then plain and coded blocks.

// Whether there is `swift`: under PD_HAS_WARPS, for words of 32 bits.
static uint32_t padici_gpu_codec_swift(const padici_gpu_codec_job *job)
{
    return job->d->size < 8 && (job->gpu->info->features & PADIC_FEATURE_SUBGROUPS);
}

// Kernels of a list, from `first` on: for plain blocks; for most blocks of differences; for those
// that the others leave; for exceptions.
static padic_result padici_gpu_codec_plain(padici_gpu_codec_job *job, uint32_t first, uint32_t last)
{
    static const uint32_t unpackers[4] = {PADICI_KERNEL_CODEC_UNPACK, PADICI_KERNEL_CODEC_SWIFT,
                                          PADICI_KERNEL_CODEC_REST, PADICI_KERNEL_CODEC_MEND};
    padici_gpu_work work;
    padic_result result = PADIC_OK;
    uint32_t i;
    job->k.writing = padici_gpu_codec_swift(job);
    for (i = first; i < last && !result; i++) {
        if (i == 1 && !job->k.writing) continue;
        padici_gpu_codec_work(job, &work, unpackers[i], 4, job->d->blocks);
        work.mem[0] = job->d->packed.mem;
        work.mem[1] = job->block[PADICI_CODEC_B_RECORD].mem;
        work.mem[2] = job->d->array.mem;
        work.mem[3] = job->block[PADICI_CODEC_B_TOTALS].mem;
        result = padici_gpu_launch(job->gpu, &work);
    }
    return result;
}

// Reads the frames, and with `unseen` the index.
static padic_result padici_gpu_codec_look(padici_gpu_codec_job *job)
{
    padici_gpu_work work;
    padici_gpu_codec_work(job, &work, PADICI_KERNEL_CODEC_LOOK, 3,
                          (job->d->blocks + 15) / 16 + job->d->unseen);
    work.mem[0] = job->d->packed.mem;
    work.mem[1] = job->block[PADICI_CODEC_B_RECORD].mem;
    work.mem[2] = job->block[PADICI_CODEC_B_TOTALS].mem;
    return padici_gpu_launch(job->gpu, &work);
}

// Bits of the second word of the status; the third one is 1 where there is no index. A word a block
// follows.
#define PADICI_CODEC_STATUS 3u
#define PADICI_CODEC_SOME_CODED 1u
#define PADICI_CODEC_SOME_OFF 4u // have exceptions
#define PADICI_CODEC_SOME_PLAIN 16u

PADICI_NOINLINE static padic_result padici_gpu_codec_unpack_in(padici_gpu_codec_job *job)
{
    padici_codec_drive *d = job->d;
    padici_gpu_block *status = &job->block[PADICI_CODEC_B_TOTALS];
    const uint64_t size = 4 * (PADICI_CODEC_STATUS + d->blocks);
    uint32_t words[3] = {0, 0, 0}, step;
    padic_result result = padici_gpu_scratch(job->gpu, size, status);
    if (!result)
        result = padici_target_fill(job->gpu->context, job->gpu->target, status->mem, 0, 0, size);
    if (!result)
        result = padici_gpu_scratch(job->gpu, d->blocks * PADICI_CODEC_RECORD * 4,
                                    &job->block[PADICI_CODEC_B_RECORD]);
    if (!result) result = padici_gpu_codec_look(job);
    // First what most blocks seem to be: asking what there is takes time.
    for (step = 0; step < 3 && !result && !words[0]; step++) {
        if (step == 1 &&
            !(words[1] & (d->mostly ? PADICI_CODEC_SOME_PLAIN : PADICI_CODEC_SOME_CODED)))
            continue;
        if (step == 2 && !(words[1] & PADICI_CODEC_SOME_OFF)) break;
        if (step < 2 && step == !d->mostly)
            result = padici_gpu_codec_coded(job);
        else
            result = padici_gpu_codec_plain(job, step < 2 ? 0 : 3, step < 2 ? 3 : 4);
        if (!result) result = padici_gpu_download(job->gpu, status->mem, 0, words, sizeof words);
        d->unseen = !result && words[2];
        if (d->unseen) return PADIC_OK;
    }
    if (!result) d->bad = words[0] ? UINT32_MAX - words[0] : UINT64_MAX;
    return result;
}

// room: src/gpu/codec/prove.c
// The proof after packing: what does not come back is stored as it is.

// Unpacks what was written, as it is always unpacked, and compares. words: the status.
static padic_result padici_gpu_codec_compare(padici_gpu_codec_job *job, padici_gpu_codec_job *again,
                                             padici_gpu_block *array, uint32_t words[3])
{
    const padici_codec_drive *d = job->d;
    const uint64_t all = d->blocks / d->per_row * d->row;
    const uint64_t size = 4 * (PADICI_CODEC_STATUS + d->blocks);
    padici_gpu_block *status = &again->block[PADICI_CODEC_B_TOTALS];
    padici_gpu_work work;
    padic_result result = PADIC_OK;
    if (status->block == PADICI_NO_BLOCK) {
        result = padici_gpu_scratch(job->gpu, all * d->size, array);
        if (!result) result = padici_gpu_scratch(job->gpu, size, status);
        if (!result)
            result = padici_gpu_scratch(job->gpu, d->blocks * PADICI_CODEC_RECORD * 4,
                                        &again->block[PADICI_CODEC_B_RECORD]);
    }
    again->d->array.mem = array->mem;
    again->d->array.at = 0;
    again->d->room = d->total - PADICI_INDEX_FIXED - 8 * d->blocks;
    again->d->unseen = 1;
    if (result || !padici_gpu_codec_params(again->d, 1, &again->k))
        return result ? result : PADIC_ERROR_NOT_SUPPORTED;
    result = padici_target_fill(job->gpu->context, job->gpu->target, status->mem, 0, 0, size);
    if (!result) result = padici_gpu_codec_look(again);
    if (!result && d->coded) result = padici_gpu_codec_coded(again);
    if (!result) result = padici_gpu_codec_plain(again, 0, d->bounded ? 4 : 3);
    if (result) return result;
    padici_gpu_codec_work(job, &work, PADICI_KERNEL_CODEC_PROVE, 6, d->blocks);
    work.groups[1] = (job->k.groups + 31) / 32; // CODEC_PROOF elements each
    work.mem[0] = work.mem[1] = d->array.mem;
    work.mem[2] = work.mem[3] = array->mem;
    work.mem[4] = d->packed.mem;
    work.mem[5] = status->mem;
    result = padici_gpu_launch(job->gpu, &work);
    return result ? result : padici_gpu_download(job->gpu, status->mem, 0, words, 12);
}

// Blocks that do not come back are stored as they are; then all must come back, or d->wrong is 1.
PADICI_NOINLINE static padic_result padici_gpu_codec_prove(padici_gpu_codec_job *job)
{
    padici_codec_drive *d = job->d, drive = *d;
    padici_gpu_codec_job again = *job;
    padici_gpu_block array;
    padici_gpu_work work;
    uint32_t words[3] = {0, 0, 0}, i;
    padic_result result;
    again.d = &drive;
    array.block = PADICI_NO_BLOCK;
    for (i = 0; i < PADICI_CODEC_BLOCKS; i++) again.block[i].block = PADICI_NO_BLOCK;
    result = padici_gpu_codec_compare(job, &again, &array, words);
    if (!result && words[0] && !words[2]) {
        const padic_mem status = again.block[PADICI_CODEC_B_TOTALS].mem;
        padici_gpu_codec_work(job, &work, PADICI_KERNEL_CODEC_REDO, 5, d->blocks);
        work.mem[0] = work.mem[1] = d->array.mem;
        work.mem[2] = job->block[PADICI_CODEC_B_WIDTH].mem;
        work.mem[3] = job->block[PADICI_CODEC_B_RECORD].mem;
        work.mem[4] = status;
        result = padici_gpu_launch(job->gpu, &work);
        if (!result) result = padici_gpu_download(job->gpu, status, 0, words, sizeof words);
        d->reencoded = words[2];
        words[0] = words[2] = 0;
        if (!result) result = padici_gpu_codec_write(job);
        if (!result && d->total <= d->room)
            result = padici_gpu_codec_compare(job, &again, &array, words);
    }
    d->wrong = words[0] || words[2];
    padici_gpu_scratch_end(job->gpu, &array);
    for (i = 0; i < PADICI_CODEC_BLOCKS; i++)
        padici_gpu_scratch_end(job->gpu, &again.block[i]);
    return result;
}

// room: src/gpu/codec/driver.c
// The driver, what it builds beforehand, its rows in the tables of areas and tests.

static padic_result padici_gpu_codec(padici_gpu *gpu, uint32_t kernel, void *call, int query)
{
    static const uint32_t kernels[12] = {
        PADICI_KERNEL_CODEC_MEASURE, PADICI_KERNEL_CODEC_SCAN,   PADICI_KERNEL_CODEC_FRAMES,
        PADICI_KERNEL_CODEC_FILL,    PADICI_KERNEL_CODEC_OFF,    PADICI_KERNEL_CODEC_RANGE,
        PADICI_KERNEL_CODEC_LOOK,    PADICI_KERNEL_CODEC_UNPACK, PADICI_KERNEL_CODEC_REST,
        PADICI_KERNEL_CODEC_TOKENS,  PADICI_KERNEL_CODEC_EXPAND, PADICI_KERNEL_CODEC_MEND};
    static const uint32_t coders[3] = {PADICI_KERNEL_CODEC_CLASSES, PADICI_KERNEL_CODEC_RANS,
                                       PADICI_KERNEL_CODEC_CODED};
    static const uint32_t provers[2] = {PADICI_KERNEL_CODEC_PROVE, PADICI_KERNEL_CODEC_REDO};
    const int unpack = kernel == PADIC_KERNEL_CODEC_UNPACK;
    uint32_t first, last; // of those that are needed
    padici_gpu_codec_job job;
    padic_result result = PADIC_OK;
    uint32_t i;
    if (!unpack && kernel != PADIC_KERNEL_CODEC_PACK) return PADIC_ERROR_NOT_SUPPORTED;
    memset(&job, 0, sizeof job);
    job.gpu = gpu;
    job.d = (padici_codec_drive *)call;
    job.defines[0] = padici_gpu_codec_define(job.d->size);
    job.defines[1] = "PD_CODEC_BOUND=1";
    job.define_count = job.d->bounded || job.d->asked ? 2 : 1;
    first = unpack ? 6 : job.d->asked ? 5 : 0;
    last = unpack ? 11 : job.d->asked ? 6 : 4;
    if (job.d->bounded) last++;
    for (i = first; i < last && !result; i++)
        result = padici_gpu_need(gpu, kernels[i], job.defines, job.define_count);
    for (i = 0; i < (job.d->coded ? 3u : 0u) && !result; i++)
        result = padici_gpu_need(gpu, coders[i], job.defines, job.define_count);
    if (job.d->proving && !job.d->asked) {
        for (i = 6; i < (job.d->bounded ? 12u : 11u) && !result; i++)
            result = padici_gpu_need(gpu, kernels[i], job.defines, job.define_count);
        for (i = 0; i < 2 && !result; i++)
            result = padici_gpu_need(gpu, provers[i], job.defines, job.define_count);
    }
    if (!result && (unpack || job.d->proving) && padici_gpu_codec_swift(&job))
        result = padici_gpu_need(gpu, PADICI_KERNEL_CODEC_SWIFT, job.defines, job.define_count);
    if (!result && !padici_gpu_codec_params(job.d, !strcmp(gpu->target->backend->name, "opencl"),
                                            &job.k))
        result = PADIC_ERROR_NOT_SUPPORTED; // its handles are no addresses
    if (query || result) return result;
    for (i = 0; i < PADICI_CODEC_BLOCKS; i++) job.block[i].block = PADICI_NO_BLOCK;
    result = unpack        ? padici_gpu_codec_unpack_in(&job)
             : job.d->asked ? padici_gpu_codec_range(&job)
                            : padici_gpu_codec_pack_in(&job);
    for (i = 0; i < PADICI_CODEC_BLOCKS; i++) padici_gpu_scratch_end(gpu, &job.block[i]);
    return result;
}

// Scalars of 4 bytes.
static padic_result padici_warm_codec(padici_gpu *gpu)
{
    const char *define = padici_gpu_codec_define(4);
    return padici_gpu_need(gpu, PADICI_KERNEL_CODEC_UNPACK, &define, 1);
}

#define PADICI_GPU_WARM_CODEC(X) X(PADIC_AREA_CODEC, codec)
#define PADICI_GPU_TESTS_CODEC(X)    \
    X(CODEC_MEASURE, codec_measure)  \
    X(CODEC_SCAN, codec_scan)        \
    X(CODEC_FRAMES, codec_frames)    \
    X(CODEC_FILL, codec_fill)        \
    X(CODEC_OFF, codec_off)          \
    X(CODEC_CLASSES, codec_classes)  \
    X(CODEC_RANS, codec_rans)        \
    X(CODEC_CODED, codec_coded)      \
    X(CODEC_RANGE, codec_range)      \
    X(CODEC_MEND, codec_mend)        \
    X(CODEC_LOOK, codec_look)        \
    X(CODEC_UNPACK, codec_unpack)    \
    X(CODEC_SWIFT, codec_swift)      \
    X(CODEC_REST, codec_rest)        \
    X(CODEC_TOKENS, codec_tokens)    \
    X(CODEC_EXPAND, codec_expand)    \
    X(CODEC_PROVE, codec_prove)      \
    X(CODEC_REDO, codec_redo)
#define PADICI_GPU_LAYERS_CODEC(X) X(PADIC_KERNEL_CODEC, codec)

// room: src/gpu/codec/known.c
// Known answers: an array in blocks of every mode, packed by the host.

#define PADICI_CODEC_KNOWN_STEP 1100u
#define PADICI_CODEC_KNOWN_BLOCKS 5u
#define PADICI_CODEC_KNOWN_COUNT 4537u
#define PADICI_CODEC_KNOWN_GROUPS 5u // of a block
#define PADICI_CODEC_KNOWN_SKIP 5u   // bytes before the stream

typedef struct padici_codec_known {
    padic_dtype dtype;
    uint32_t size, skip; // skip: elements before the array
    int bounded;         // within a bound: blocks of a scale, exceptions in the last one
    padici_codec_drive d;
    padici_k_codec_stream_params k;
    uint8_t *elements, *stream;
    uint8_t *back, *made; // what the stream holds; the same without its exceptions
    uint64_t bytes, index; // of the stream; where its index begins
    padici_spread spread;  // of the block seen last
    uint64_t top[PADICI_CODEC_KNOWN_GROUPS], apart[PADICI_CODEC_KNOWN_GROUPS];
} padici_codec_known;

static uint8_t *padici_codec_known_space(padici_gpu_case *c, size_t size)
{
    uint8_t *space = c->space + c->used;
    size = (size + 15u) & ~(size_t)15u;
    if (size > PADICI_GPU_CASE_BYTES - c->used) return NULL;
    c->used += size;
    return space;
}

// Blocks: smooth, constant, of few bits with a common factor, noise, of both signs.
static void padici_codec_known_elements(const padici_codec_known *x)
{
    const uint32_t bits = 8 * x->size, half = bits / 2;
    uint64_t walk = UINT64_C(3) << (bits - 3);
    uint32_t i;
    for (i = 0; i < PADICI_CODEC_KNOWN_COUNT; i++) {
        uint32_t r[4];
        uint64_t v;
        padic_random_block(23, 4, 2, i, r);
        v = (uint64_t)r[1] << 32 | r[0];
        switch (i / PADICI_CODEC_KNOWN_STEP) {
        case 0: v = walk += r[0] % 16 ? r[0] >> 8 & 1 : r[2] & 63; break;
        case 1: v = 0x4141414141414141u; break;
        case 2:
            v = (UINT64_C(1) << (bits - 2)) + ((r[0] % 16 ? r[0] >> 8 & 1 : r[2] & 63) << 2);
            break;
        case 3: break;
        default:
            v = (uint64_t)(r[0] & 1) << (bits - 1) | (r[0] >> 1 & 3) << (half - 2);
            break;
        }
        padici_set_element(x->elements, i, x->size, v);
    }
}

// The same for a bound of 1/50; the last block has exceptions.
static void padici_codec_known_floats(const padici_codec_known *x)
{
    const uint32_t up = 8 * x->size - 32;
    uint32_t i, walk = 4000;
    for (i = 0; i < PADICI_CODEC_KNOWN_COUNT; i++) {
        uint32_t r[4];
        uint64_t bits;
        double v;
        padic_random_block(23, 4, 2, i, r);
        switch (i / PADICI_CODEC_KNOWN_STEP) {
        case 0: v = (double)(walk += r[0] & 7) / 64; break;
        case 1: v = (double)0.3f; break;
        case 2: v = (double)(r[0] % 16 ? r[0] >> 8 & 15 : r[2] & 4095) / 16; break;
        case 3: v = 0; break;
        default: v = (double)(int32_t)(r[0] % 60000) / 32 - 900; break;
        }
        // of f64 with 32 lower bits, and words of more than 32
        if (up && i / PADICI_CODEC_KNOWN_STEP == 4) v = (v + r[3] / 4294967296.) * 16777216;
        bits = padici_rounded(x->dtype, v, 0);
        if (i / PADICI_CODEC_KNOWN_STEP == 3) bits = (uint64_t)r[0] << up | (r[1] & (up ? ~0u : 0));
        if (i / PADICI_CODEC_KNOWN_STEP == 4 && i % 41 == 3)
            bits = (uint64_t)(r[1] | 0x7f000000u) << up;
        padici_set_element(x->elements, i, x->size, bits);
    }
}

// An element's size, as bits.
static uint64_t padici_codec_known_size(const padici_codec_known *x, uint32_t i)
{
    return padici_element(x->elements, i, x->size) & ~(UINT64_C(1) << (8 * x->size - 1));
}

static const uint8_t *padici_codec_known_frame(const padici_codec_known *x, uint32_t b)
{
    return x->stream + padici_load64(x->stream + x->index + 24 + 8 * b);
}

static uint32_t padici_codec_known_extent(uint32_t b) // its elements
{
    const uint32_t left = PADICI_CODEC_KNOWN_COUNT - b * PADICI_CODEC_KNOWN_STEP;
    return left < PADICI_CODEC_KNOWN_STEP ? left : PADICI_CODEC_KNOWN_STEP;
}

// Which scale a block's words have. `scale`: of the words in its stream, or 0.
static uint32_t padici_codec_known_scale(const padici_codec_known *x, uint32_t b, uint32_t *scale)
{
    const uint8_t *p = padici_codec_known_frame(x, b) + 16;
    const uint32_t n = padici_codec_known_extent(b);
    uint64_t most = 0;
    uint32_t i;
    *scale = 0;
    if (!x->bounded || (p[0] != PADICI_FORM_SCALE && p[3] != PADICI_PATTERN_CONSTANT))
        return PADICI_CODEC_UNSCALED;
    for (i = 0; i < n; i++) {
        const uint64_t size = padici_codec_known_size(x, b * PADICI_CODEC_KNOWN_STEP + i);
        if (size > most && size <= x->d.scales.most[2]) most = size;
    }
    i = most > x->d.scales.most[1] ? 2 : most > x->d.scales.most[0];
    if (p[0] == PADICI_FORM_SCALE) *scale = x->d.scales.step[i];
    return i;
}

static int padici_codec_known_off(const padici_codec_known *x, uint32_t i) // an exception
{
    return x->bounded && padici_codec_known_size(x, i) > x->d.scales.most[2];
}

// Words of block b; returns how many.
static uint32_t padici_codec_known_words(const padici_codec_known *x, uint32_t b, uint64_t *words)
{
    const uint32_t from = b * PADICI_CODEC_KNOWN_STEP, n = padici_codec_known_extent(b);
    uint32_t scale, i;
    const uint32_t which = padici_codec_known_scale(x, b, &scale);
    int64_t least = INT64_MAX;
    for (i = 0; i < n; i++) {
        const uint64_t bits = padici_element(x->elements, from + i, x->size);
        if (which == PADICI_CODEC_UNSCALED) {
            words[i] = padici_ordered(x->dtype, bits, x->size);
        } else if (!padici_codec_known_off(x, from + i)) {
            words[i] = padici_scaled_word(bits, &x->d.scales, which);
            if ((int64_t)words[i] < least) least = (int64_t)words[i];
        }
    }
    for (i = 0; i < n && which != PADICI_CODEC_UNSCALED; i++)
        if (padici_codec_known_off(x, from + i)) words[i] = (uint64_t)least;
    return n;
}

// What comes back.
static padic_result padici_codec_known_back(padici_gpu_case *c, padici_codec_known *x)
{
    const size_t size = PADICI_CODEC_KNOWN_COUNT * x->size;
    uint64_t *words = (uint64_t *)(void *)padici_codec_known_space(c, 8 * PADICI_CODEC_KNOWN_STEP);
    padic_codec_unpack_desc unpack;
    uint32_t b, i;
    padic_result result;
    x->back = padici_codec_known_space(c, size);
    x->made = padici_codec_known_space(c, size);
    if (!words || !x->back || !x->made) return PADIC_ERROR_MEMORY;
    memset(&unpack, 0, sizeof unpack);
    unpack.tensor = padic_tensor_1d(x->dtype, x->back, PADICI_CODEC_KNOWN_COUNT);
    unpack.allocator = &c->gpu->context->allocator;
    result = padic_codec_unpack(NULL, &unpack, x->stream, (size_t)x->bytes);
    if (result) return result;
    padici_swap_elements(x->back, PADICI_CODEC_KNOWN_COUNT, x->size); // little-endian
    memcpy(x->made, x->back, size);
    for (b = 0; b < PADICI_CODEC_KNOWN_BLOCKS; b++) {
        const uint32_t from = b * PADICI_CODEC_KNOWN_STEP;
        const uint32_t n = padici_codec_known_words(x, b, words);
        uint32_t scale;
        (void)padici_codec_known_scale(x, b, &scale);
        for (i = 0; i < n && scale; i++)
            if (padici_codec_known_off(x, from + i))
                padici_set_element(
                    x->made, from + i, x->size,
                    padici_rounded(x->dtype,
                                   (double)(int64_t)words[i] * padici_value(PADIC_F32, scale), 0));
    }
    return PADIC_OK;
}

// Round 0: integers, PARALLEL; 1: floats, PARALLEL; 2: floats, FETCH; 3: floats, CODED. `coded`:
// all rounds in CODED. Floats are within a bound where the kernels know bounds.
static padic_result padici_codec_known_begin(padici_gpu_case *c, padici_codec_known *x,
                                             uint32_t rounds, int coded)
{
    static const padic_dtype integers[4] = {PADIC_U8, PADIC_I16, PADIC_U32, PADIC_I64};
    static const padic_dtype floats[4] = {PADIC_I8, PADIC_BF16, PADIC_F32, PADIC_F64};
    padic_codec_desc desc;
    padici_header header;
    padic_result result;
    size_t size, i;
    memset(x, 0, sizeof *x);
    memset(&desc, 0, sizeof desc);
    x->size = padici_gpu_define(c, "PD_CODEC_SIZE", 4);
    i = x->size == 8 ? 3 : x->size / 2;
    x->dtype = c->round || padici_gpu_define(c, "PD_CODEC_BOUND", 0) ? floats[i] : integers[i];
    x->skip = c->round ? 0 : 3;
    x->elements = padici_codec_known_space(c, PADICI_CODEC_KNOWN_COUNT * x->size);
    if (!x->elements) return PADIC_ERROR_MEMORY;
    x->bounded = c->round && padici_gpu_define(c, "PD_CODEC_BOUND", 0);
    if (x->bounded)
        padici_codec_known_floats(x);
    else
        padici_codec_known_elements(x);
    padici_swap_elements(x->elements, PADICI_CODEC_KNOWN_COUNT, x->size);
    desc.tensor = padic_tensor_1d(x->dtype, x->elements, PADICI_CODEC_KNOWN_COUNT);
    desc.block[0] = PADICI_CODEC_KNOWN_STEP;
    desc.profile = coded || c->round == 3 ? PADIC_CODEC_CODED
                   : c->round == 2        ? PADIC_CODEC_FETCH
                                          : PADIC_CODEC_PARALLEL;
    desc.bound_mode = x->bounded ? PADIC_BOUND_ABSOLUTE : PADIC_BOUND_NONE;
    desc.bound = x->bounded ? 0.02 : 0;
    desc.allocator = &c->gpu->context->allocator;
    size = padic_codec_bound(&desc);
    x->stream = padici_codec_known_space(c, size);
    if (!x->stream) return PADIC_ERROR_MEMORY;
    result = padic_codec_pack(NULL, &desc, x->stream, size, &size);
    if (!result) result = padici_codec_check(&desc, PADICI_CHECK_SIZES, &header);
    if (result) return result;
    padici_swap_elements(x->elements, PADICI_CODEC_KNOWN_COUNT, x->size); // little-endian again
    x->bytes = size;
    x->index = padici_load64(x->stream + size - 24);
    (void)padici_codec_runs(&header, &x->d);
    x->d.fetch = c->round == 2;
    x->d.array.at = x->skip * x->size;
    x->d.packed.at = PADICI_CODEC_KNOWN_SKIP;
    x->d.room = size + 3;
    if (x->bounded) x->d.bounded = padici_scales_of(desc.bound, x->size, &x->d.scales);
    x->d.guess = 2;
    x->d.header = x->stream;
    (void)padici_gpu_codec_params(&x->d, 1, &x->k);
    memcpy(&c->params, &x->k, sizeof x->k);
    c->groups[0] = 3;
    c->again = c->round + 1 < rounds;
    return padici_codec_known_back(c, x);
}

// Words of block b and their spread; returns how many.
static uint32_t padici_codec_known_block(padici_codec_known *x, uint32_t b, uint64_t *words)
{
    const uint32_t n = padici_codec_known_words(x, b, words);
    uint32_t scale;
    const uint32_t which = padici_codec_known_scale(x, b, &scale);
    padici_look_at(words, n, padici_is_float(x->dtype) && which == PADICI_CODEC_UNSCALED, x->top,
                   x->apart, &x->spread);
    return n;
}

// How much of a record a kernel finds, or makes.
enum { PADICI_CODEC_MEASURED, PADICI_CODEC_PLACED, PADICI_CODEC_FRAMED, PADICI_CODEC_LOOKED };

// The word of exceptions, of f64.
static void padici_codec_known_wide(uint64_t word, uint32_t *r)
{
    r[PADICI_CODEC_R_FACTOR] = (uint32_t)word;
    r[PADICI_CODEC_R_FACTOR + 1] = (uint32_t)(word >> 32);
}

// What is read of a frame.
typedef struct padici_codec_known_seen {
    const uint8_t *p; // behind what has been read
    uint64_t first, factor, off; // off: where exceptions are
    uint32_t one, scale, which;
} padici_codec_known_seen;

// A block that follows no pattern.
static void padici_codec_known_plain(const padici_codec_known *x, const uint8_t *frame,
                                     padici_codec_known_seen *s, uint32_t groups, uint32_t *r,
                                     uint8_t *width)
{
    const uint32_t coded = frame[16 + 4] == PADICI_DIGITS_CLASS;
    uint32_t g;
    r[PADICI_CODEC_R_MODE] = s->p[2] ? PADICI_CODEC_M_DELTA : PADICI_CODEC_M_PLAIN;
    r[PADICI_CODEC_R_SHIFT] = s->scale ? 0 : s->p[5];
    s->off = s->scale && (s->p[1] & PADICI_BLOCK_EXCEPTIONS) != 0;
    if (s->scale) s->p += 7;
    s->factor = padici_load64(s->p + 6);
    r[PADICI_CODEC_R_STEP] = padici_ctz64(s->factor);
    s->first = padici_load64(s->p + 14);
    s->p += frame[16 + 2] ? 28 : 22;
    for (g = 0; g < groups && !coded; g++) width[g] = s->p[0] ? s->p[1] : s->p[1 + g];
    s->one = coded ? 66 : s->p[0] ? s->p[1] : 65;
    if (!coded) s->p += s->p[0] ? 2 : 1 + groups;
    r[PADICI_CODEC_R_BYTES] = coded ? (uint32_t)(frame + 8 + r[PADICI_CODEC_R_SIZE] - s->p)
                                    : padici_load32(s->p + 4);
    if (!coded) s->p += 8;
    if (!coded && s->off) s->off = (uint64_t)(s->p - x->stream) + r[PADICI_CODEC_R_BYTES];
}

// What packing knows of a block's scale and exceptions.
static void padici_codec_known_packed(const padici_codec_known *x, uint32_t b, uint32_t n,
                                      const padici_codec_known_seen *s, int stage, uint32_t *r)
{
    const uint8_t *frame = x->stream + padici_load64(x->stream + x->index + 24 + 8 * b);
    uint32_t i;
    r[PADICI_CODEC_R_FACTOR] = s->scale ? x->d.scales.inverse[s->which] : 0;
    r[PADICI_CODEC_R_FACTOR + 1] = s->scale ? (uint32_t)x->spread.least : 0;
    if (x->size == 8) padici_codec_known_wide(s->scale ? x->spread.least : 0, r);
    if (stage == PADICI_CODEC_MEASURED) r[PADICI_CODEC_R_AT] = r[PADICI_CODEC_R_SIZE];
    if (!s->off) return;
    for (i = 0; i < n; i++)
        r[PADICI_CODEC_R_OFF] +=
            (uint32_t)padici_codec_known_off(x, b * PADICI_CODEC_KNOWN_STEP + i);
    i = padici_load32(frame) + 8 - (uint32_t)(x->stream + s->off - frame);
    if (stage == PADICI_CODEC_MEASURED)
        r[PADICI_CODEC_R_AT] = r[PADICI_CODEC_R_SIZE] -= i;
    else
        r[PADICI_CODEC_R_OFF + 1] = i;
}

// What the stream says of block b: its record and the widths of its groups.
static void padici_codec_known_record(padici_codec_known *x, uint32_t b, uint32_t n,
                                      const uint64_t *words, int stage, uint32_t *r,
                                      uint8_t *width)
{
    const uint64_t at = padici_load64(x->stream + x->index + 24 + 8 * b);
    const uint8_t *frame = x->stream + at;
    padici_codec_known_seen s;
    const uint32_t full = (n + PADICI_GROUP - 1) / PADICI_GROUP;
    const uint32_t groups = full < PADICI_CODEC_KNOWN_GROUPS ? full : PADICI_CODEC_KNOWN_GROUPS;
    uint32_t g;
    s.p = frame + 16;
    s.which = padici_codec_known_scale(x, b, &s.scale);
    s.first = words[0];
    s.factor = 1;
    s.off = 0;
    s.one = 8 * x->size;
    r[PADICI_CODEC_R_SIZE] = padici_load32(frame);
    r[PADICI_CODEC_R_SUM] = padici_load32(frame + 8);
    r[PADICI_CODEC_R_SUM + 1] = padici_load32(frame + 12);
    r[PADICI_CODEC_R_SHIFT] = r[PADICI_CODEC_R_STEP] = r[PADICI_CODEC_R_BYTES] = 0;
    r[PADICI_CODEC_R_MODE] = PADICI_CODEC_M_CONSTANT;
    for (g = 0; g < groups; g++) width[g] = s.p[0] == PADICI_FORM_RAW ? (uint8_t)(8 * x->size) : 0;
    if (s.p[0] == PADICI_FORM_RAW) {
        r[PADICI_CODEC_R_MODE] = PADICI_CODEC_M_RAW;
        r[PADICI_CODEC_R_BYTES] = n * x->size;
        s.p += 1;
        if (stage == PADICI_CODEC_LOOKED) s.first = 0;
    } else if (s.p[3] == PADICI_PATTERN_NONE) {
        padici_codec_known_plain(x, frame, &s, groups, r, width);
    } else {
        s.one = 0;
        s.first = padici_load64(s.p + 6);
        if (stage == PADICI_CODEC_LOOKED) s.p += 14;
    }
    if (stage >= PADICI_CODEC_PLACED) {
        r[PADICI_CODEC_R_AT] = (uint32_t)at;
        r[PADICI_CODEC_R_AT + 1] = 0;
    }
    if (stage >= PADICI_CODEC_FRAMED) {
        r[PADICI_CODEC_R_BODY] = (uint32_t)(s.p - x->stream);
        r[PADICI_CODEC_R_BODY + 1] = 0;
    }
    r[PADICI_CODEC_R_WIDTH] = padici_bit_length(
        (padici_shift_right(x->spread.most, r[PADICI_CODEC_R_SHIFT]) -
         padici_shift_right(x->spread.least, r[PADICI_CODEC_R_SHIFT])) >> r[PADICI_CODEC_R_STEP]);
    r[PADICI_CODEC_R_FIRST] = (uint32_t)s.first;
    r[PADICI_CODEC_R_FIRST + 1] = (uint32_t)(s.first >> 32);
    r[PADICI_CODEC_R_SCALE] = s.scale;
    r[PADICI_CODEC_R_OFF] = r[PADICI_CODEC_R_OFF + 1] = r[PADICI_CODEC_R_OFF + 2] = 0;
    if (stage != PADICI_CODEC_LOOKED) {
        padici_codec_known_packed(x, b, n, &s, stage, r);
        return;
    }
    r[PADICI_CODEC_R_OFF] = (uint32_t)(s.off > 1 ? s.off + PADICI_CODEC_KNOWN_SKIP : s.off);
    r[PADICI_CODEC_R_SIZE] = r[PADICI_CODEC_R_STEP] = 0;
    r[PADICI_CODEC_R_WIDTH] = s.one;
    r[PADICI_CODEC_R_FACTOR] = (uint32_t)s.factor;
    r[PADICI_CODEC_R_FACTOR + 1] = (uint32_t)(s.factor >> 32);
}

// All records, and widths unless these are NULL.
static padic_result padici_codec_known_records(padici_gpu_case *c, padici_codec_known *x,
                                               int stage, uint32_t *record, uint8_t *width)
{
    uint64_t *words = (uint64_t *)(void *)padici_codec_known_space(c, 8 * PADICI_CODEC_KNOWN_STEP);
    uint8_t spare[PADICI_CODEC_KNOWN_GROUPS];
    uint32_t b;
    if (!words) return PADIC_ERROR_MEMORY;
    for (b = 0; b < PADICI_CODEC_KNOWN_BLOCKS; b++) {
        const uint32_t n = padici_codec_known_block(x, b, words);
        padici_codec_known_record(x, b, n, words, stage, record + b * PADICI_CODEC_RECORD,
                                  width ? width + b * PADICI_CODEC_KNOWN_GROUPS : spare);
    }
    return PADIC_OK;
}

static padic_result padici_codec_known_image(padici_gpu_case *c, const padici_codec_known *x,
                                             uint32_t buffer)
{
    const size_t skip = x->skip * x->size, size = PADICI_CODEC_KNOWN_COUNT * x->size;
    uint8_t *image = (uint8_t *)padici_gpu_image(c, buffer, (skip + size + 7u) & ~(size_t)7u);
    if (!image) return PADIC_ERROR_MEMORY;
    memcpy(image + skip, x->elements, size);
    return PADIC_OK;
}

// room: src/gpu/codec/pack_test.c
// Tests of the kernels that pack plain blocks.

// Within a bound all blocks are left, with what the last pass needs.
static padic_result padici_test_codec_measure(padici_gpu_case *c)
{
    const uint32_t groups = PADICI_CODEC_KNOWN_BLOCKS * PADICI_CODEC_KNOWN_GROUPS;
    padici_codec_known x;
    uint64_t *words, *top, *apart;
    uint8_t *width;
    uint32_t *record, b;
    padic_result result = padici_codec_known_begin(c, &x, 3, 0);
    if (!result) result = padici_codec_known_image(c, &x, 0);
    if (!result) result = padici_codec_known_image(c, &x, 1);
    if (result) return result;
    words = (uint64_t *)(void *)padici_codec_known_space(c, 8 * PADICI_CODEC_KNOWN_STEP);
    if (!words || !padici_gpu_image(c, 2, 8 * groups) || !padici_gpu_image(c, 3, 8 * groups) ||
        !padici_gpu_image(c, 4, groups) ||
        !padici_gpu_image(c, 5, 4 * PADICI_CODEC_RECORD * PADICI_CODEC_KNOWN_BLOCKS))
        return PADIC_ERROR_MEMORY;
    for (b = 0; b < PADICI_CODEC_KNOWN_BLOCKS && x.bounded; b++) {
        uint32_t *r = (uint32_t *)(void *)c->buffers[5].image + b * PADICI_CODEC_RECORD;
        uint32_t scale;
        (void)padici_codec_known_block(&x, b, words);
        r[PADICI_CODEC_R_SCALE] = padici_codec_known_scale(&x, b, &scale);
        r[PADICI_CODEC_R_FACTOR + 1] = (uint32_t)x.spread.least;
        if (x.size == 8) padici_codec_known_wide(x.spread.least, r);
        r[PADICI_CODEC_R_OFF + 2] = 3;
    }
    x.k.writing = (uint32_t)x.bounded;
    memcpy(&c->params, &x.k, sizeof x.k);
    top = (uint64_t *)padici_gpu_answer(c, 2);
    apart = (uint64_t *)padici_gpu_answer(c, 3);
    width = (uint8_t *)padici_gpu_answer(c, 4);
    record = (uint32_t *)padici_gpu_answer(c, 5);
    if (!top || !apart || !width || !record) return PADIC_ERROR_MEMORY;
    for (b = 0; b < PADICI_CODEC_KNOWN_BLOCKS; b++) {
        const uint32_t n = padici_codec_known_block(&x, b, words);
        const size_t used = (n + PADICI_GROUP - 1) / PADICI_GROUP;
        memcpy(top + b * PADICI_CODEC_KNOWN_GROUPS, x.top, 8 * used);
        memcpy(apart + b * PADICI_CODEC_KNOWN_GROUPS, x.apart, 8 * used);
    }
    return padici_codec_known_records(c, &x, PADICI_CODEC_MEASURED, record, width);
}

static padic_result padici_test_codec_scan(padici_gpu_case *c)
{
    const uint32_t blocks = c->round ? 3 : 700;
    padici_k_codec_stream_params k;
    uint64_t at = 77, *totals;
    uint32_t *record, b;
    memset(&k, 0, sizeof k);
    k.blocks = blocks;
    k.header = 77;
    memcpy(&c->params, &k, sizeof k);
    c->again = c->round == 0;
    record = (uint32_t *)padici_gpu_image(c, 0, 4 * PADICI_CODEC_RECORD * blocks);
    if (!record || !padici_gpu_image(c, 1, 16)) return PADIC_ERROR_MEMORY;
    for (b = 0; b < blocks; b++)
        record[b * PADICI_CODEC_RECORD] = (b * 2654435761u) >> (b % 3 ? 9 : 1);
    record = (uint32_t *)padici_gpu_answer(c, 0);
    totals = (uint64_t *)padici_gpu_answer(c, 1);
    if (!record || !totals) return PADIC_ERROR_MEMORY;
    for (b = 0; b < blocks; b++) {
        uint32_t *r = record + b * PADICI_CODEC_RECORD;
        r[PADICI_CODEC_R_AT] = (uint32_t)at;
        r[PADICI_CODEC_R_AT + 1] = (uint32_t)(at >> 32);
        at += (uint64_t)r[0] + 16;
    }
    totals[0] = at;
    totals[1] = at + 48 + 8 * (uint64_t)blocks;
    return PADIC_OK;
}

// Records, totals and the place of the stream, from buffer i on.
static padic_result padici_codec_known_tail(padici_gpu_case *c, padici_codec_known *x, uint32_t i,
                                            int stage, uint8_t *width)
{
    uint32_t *record =
        (uint32_t *)padici_gpu_image(c, i, 4 * PADICI_CODEC_RECORD * PADICI_CODEC_KNOWN_BLOCKS);
    uint64_t *totals = (uint64_t *)padici_gpu_image(c, i + 1, 16);
    if (!record || !totals ||
        !padici_gpu_image(c, i + 2, (PADICI_CODEC_KNOWN_SKIP + x->bytes + 7) & ~UINT64_C(3)))
        return PADIC_ERROR_MEMORY;
    totals[0] = x->index;
    totals[1] = x->bytes;
    return padici_codec_known_records(c, x, stage, record, width);
}

// Bytes that `frames` writes of a block, as parts of the stream: {from, to} each; returns how many.
static uint32_t padici_codec_known_parts(const padici_codec_known *x, uint32_t b,
                                         uint64_t part[3][2])
{
    const uint64_t at = padici_load64(x->stream + x->index + 24 + 8 * b);
    const uint8_t *p = x->stream + at + 16;
    const uint64_t end = at + 16 + padici_load32(x->stream + at);
    const uint32_t n = padici_codec_known_extent(b);
    const uint32_t groups = (n + PADICI_GROUP - 1) / PADICI_GROUP;
    part[0][0] = at;
    part[0][1] = at + 17;
    part[1][0] = end - 8;
    part[1][1] = end;
    if (p[0] == PADICI_FORM_RAW) return 2;
    part[0][1] = end;
    if (p[3] != PADICI_PATTERN_NONE) return 1;
    part[0][1] = at + 16 + (p[2] ? 28 : 22) + (p[0] == PADICI_FORM_SCALE ? 7 : 0);
    part[0][1] += x->stream[part[0][1]] ? 2 : 1; // one width is written, others are not
    part[2][0] = x->stream[part[0][1] - 2] == 1 && x->d.fetch ? part[0][1] : part[0][1] + groups;
    part[2][1] = part[2][0] + 8;
    return 3;
}

static padic_result padici_test_codec_frames(padici_gpu_case *c)
{
    padici_codec_known x;
    uint8_t *stream;
    uint32_t *record, b, i;
    padic_result result = padici_codec_known_begin(c, &x, 3, 0);
    if (!result) result = padici_codec_known_tail(c, &x, 0, PADICI_CODEC_PLACED, NULL);
    if (result) return result;
    if (c->round == 1) x.k.head_size = 0; // then it is there already
    memcpy(&c->params, &x.k, sizeof x.k);
    record = (uint32_t *)padici_gpu_answer(c, 0);
    stream = (uint8_t *)padici_gpu_answer(c, 2);
    if (!record || !stream) return PADIC_ERROR_MEMORY;
    stream += PADICI_CODEC_KNOWN_SKIP;
    for (b = 0; b < PADICI_CODEC_KNOWN_BLOCKS; b++) {
        uint64_t part[3][2];
        const uint32_t parts = padici_codec_known_parts(&x, b, part);
        for (i = 0; i < parts; i++)
            memcpy(stream + part[i][0], x.stream + part[i][0],
                   (size_t)(part[i][1] - part[i][0]));
    }
    memcpy(stream, x.stream, x.k.head_size);
    memcpy(stream + x.index, x.stream + x.index, (size_t)(x.bytes - x.index));
    return padici_codec_known_records(c, &x, PADICI_CODEC_FRAMED, record, NULL);
}

// Exceptions of a stream that is framed: where they begin and end, or 0.
static uint64_t padici_codec_known_list(const uint32_t *r, uint64_t *end)
{
    const uint64_t at = r[PADICI_CODEC_R_BODY];
    *end = at + r[PADICI_CODEC_R_BYTES] + r[PADICI_CODEC_R_OFF + 1];
    return r[PADICI_CODEC_R_OFF] ? at + r[PADICI_CODEC_R_BYTES] : 0;
}

static padic_result padici_test_codec_fill(padici_gpu_case *c)
{
    padici_codec_known x;
    uint8_t *width, *stream;
    const uint32_t *record;
    uint64_t from, end;
    uint32_t b, i;
    padic_result result = padici_codec_known_begin(c, &x, 3, 0);
    if (!result) result = padici_codec_known_image(c, &x, 0);
    if (!result) result = padici_codec_known_image(c, &x, 1);
    if (result) return result;
    width = (uint8_t *)padici_gpu_image(
        c, 2, PADICI_CODEC_KNOWN_BLOCKS * PADICI_CODEC_KNOWN_GROUPS);
    if (!width) return PADIC_ERROR_MEMORY;
    result = padici_codec_known_tail(c, &x, 3, PADICI_CODEC_FRAMED, width);
    if (result) return result;
    record = (const uint32_t *)(const void *)c->buffers[3].image;
    stream = (uint8_t *)padici_gpu_answer(c, 5);
    if (!stream) return PADIC_ERROR_MEMORY;
    stream += PADICI_CODEC_KNOWN_SKIP;
    memcpy(stream + x.d.header_size, x.stream + x.d.header_size,
           (size_t)(x.index - x.d.header_size));
    for (b = 0; b < PADICI_CODEC_KNOWN_BLOCKS; b++) { // without what `frames` does
        uint64_t part[3][2];
        const uint32_t parts = padici_codec_known_parts(&x, b, part);
        for (i = 0; i < parts; i++)
            memset(stream + part[i][0], 0xa5, (size_t)(part[i][1] - part[i][0]));
        from = padici_codec_known_list(record + b * PADICI_CODEC_RECORD, &end);
        if (from) memset(stream + from, 0xa5, (size_t)(end - from));
    }
    return PADIC_OK;
}

// Round 0: what exceptions take; 1: their bytes.
static padic_result padici_test_codec_off(padici_gpu_case *c)
{
    const uint32_t writing = c->round;
    padici_codec_known x;
    uint8_t *stream;
    uint32_t *record, b;
    padic_result result;
    c->round = 1;
    result = padici_codec_known_begin(c, &x, 2, 0);
    c->round = writing;
    c->again = !writing;
    if (!result) result = padici_codec_known_image(c, &x, 0);
    if (!result)
        result = padici_codec_known_tail(
            c, &x, 1, writing ? PADICI_CODEC_FRAMED : PADICI_CODEC_MEASURED, NULL);
    if (result) return result;
    x.k.writing = writing;
    memcpy(&c->params, &x.k, sizeof x.k);
    record = (uint32_t *)padici_gpu_answer(c, 1);
    stream = (uint8_t *)padici_gpu_answer(c, 3);
    if (!record || !stream) return PADIC_ERROR_MEMORY;
    stream += PADICI_CODEC_KNOWN_SKIP;
    for (b = 0; b < PADICI_CODEC_KNOWN_BLOCKS; b++) {
        uint32_t framed[PADICI_CODEC_RECORD], *r = record + b * PADICI_CODEC_RECORD;
        uint64_t *words =
            (uint64_t *)(void *)padici_codec_known_space(c, 8 * PADICI_CODEC_KNOWN_STEP);
        uint8_t spare[PADICI_CODEC_KNOWN_GROUPS];
        uint64_t from, end;
        if (!words) return PADIC_ERROR_MEMORY;
        padici_codec_known_record(&x, b, padici_codec_known_block(&x, b, words), words,
                                  PADICI_CODEC_FRAMED, framed, spare);
        from = padici_codec_known_list(framed, &end);
        if (from && writing) memcpy(stream + from, x.stream + from, (size_t)(end - from));
        if (!writing) {
            r[PADICI_CODEC_R_SIZE] = framed[PADICI_CODEC_R_SIZE];
            r[PADICI_CODEC_R_OFF + 1] = framed[PADICI_CODEC_R_OFF + 1];
        }
    }
    return PADIC_OK;
}

static padic_result padici_test_codec_range(padici_gpu_case *c)
{
    padici_codec_known x;
    int64_t *range;
    uint32_t i;
    padic_result result;
    c->round = 1; // floats
    result = padici_codec_known_begin(c, &x, 1, 0);
    c->round = 0;
    if (!result) result = padici_codec_known_image(c, &x, 0);
    if (result) return result;
    if (!padici_gpu_image(c, 1, 16 * 3)) return PADIC_ERROR_MEMORY;
    range = (int64_t *)padici_gpu_answer(c, 1);
    if (!range) return PADIC_ERROR_MEMORY;
    for (i = 0; i < 6; i++) range[i] = i % 2 ? INT64_MIN : INT64_MAX;
    for (i = 0; i < PADICI_CODEC_KNOWN_COUNT; i++) {
        const uint64_t bits = padici_element(x.elements, i, x.size);
        const int64_t n = (int64_t)padici_ordered(x.dtype, bits, x.size);
        int64_t *own = range + 2 * (i / 256 % 3);
        if (x.size == 4 && (bits & 0x7fffffffu) > 0x7f7fffffu) continue;
        if (x.size == 8 && (bits << 1) > UINT64_C(0xffdfffffffffffff)) continue;
        if (n < own[0]) own[0] = n;
        if (n > own[1]) own[1] = n;
    }
    return PADIC_OK;
}

// room: src/gpu/codec/look_test.c
// Tests of the kernels that read frames, and tokens of the records.

#define PADICI_CODEC_KNOWN_STATUS (4 * (PADICI_CODEC_STATUS + PADICI_CODEC_KNOWN_BLOCKS))

// The status when block b was not taken.
static void padici_codec_known_bad(uint32_t *status, uint32_t b)
{
    if (status[0] < UINT32_MAX - b) status[0] = UINT32_MAX - b;
    status[PADICI_CODEC_STATUS + b] = 1;
}

// The stream as buffer 0, params, records as `buffer`, a status of 0 as `status`.
static padic_result padici_codec_known_input(padici_gpu_case *c, padici_codec_known *x,
                                             uint32_t buffer, uint32_t status, int coded)
{
    padici_k_codec_stream_params k;
    uint8_t *stream;
    uint32_t *word;
    padic_result result = padici_codec_known_begin(c, x, coded ? 2 : 4, coded);
    if (result) return result;
    k = x->k;
    PADICI_CODEC_PAIR(k, room, x->index);
    memcpy(&c->params, &k, sizeof k);
    stream = (uint8_t *)padici_gpu_image(
        c, 0, (PADICI_CODEC_KNOWN_SKIP + x->bytes + 7) & ~UINT64_C(3));
    word = (uint32_t *)padici_gpu_image(c, status, PADICI_CODEC_KNOWN_STATUS);
    if (!stream || !word ||
        !padici_gpu_image(c, buffer, 4 * PADICI_CODEC_RECORD * PADICI_CODEC_KNOWN_BLOCKS))
        return PADIC_ERROR_MEMORY;
    memcpy(stream + PADICI_CODEC_KNOWN_SKIP, x->stream, (size_t)x->bytes);
    memset(word, 0, PADICI_CODEC_KNOWN_STATUS);
    return PADIC_OK;
}

static int padici_codec_known_coded(const padici_codec_known *x, uint32_t b)
{
    const uint8_t *p = x->stream + padici_load64(x->stream + x->index + 24 + 8 * b) + 16;
    return p[0] != PADICI_FORM_RAW && p[3] == PADICI_PATTERN_NONE && p[4] == PADICI_DIGITS_CLASS;
}

// In round 1 block 3 has another number of rows; from round 2 on the index is looked at, and in
// round 3 it is wrong.
static padic_result padici_test_codec_look(padici_gpu_case *c)
{
    padici_codec_known x;
    uint32_t *record, *status;
    uint32_t b;
    padic_result result = padici_codec_known_input(c, &x, 1, 2, 0);
    if (result) return result;
    c->groups[0] = c->round < 2 ? 1 : 2;
    x.k.coded = c->round >= 2;
    PADICI_CODEC_PAIR(x.k, room, x.index);
    memcpy(&c->params, &x.k, sizeof x.k);
    if (c->round == 3)
        c->buffers[0].image[PADICI_CODEC_KNOWN_SKIP + x.bytes - 16] ^= 1;
    if (c->round == 1)
        c->buffers[0].image[PADICI_CODEC_KNOWN_SKIP +
                            padici_load64(x.stream + x.index + 24 + 8 * 3) + 4] ^= 1;
    record = (uint32_t *)padici_gpu_answer(c, 1);
    status = (uint32_t *)padici_gpu_answer(c, 2);
    if (!record || !status) return PADIC_ERROR_MEMORY;
    result = padici_codec_known_records(c, &x, PADICI_CODEC_LOOKED, record, NULL);
    for (b = 0; b < PADICI_CODEC_KNOWN_BLOCKS; b++)
        status[1] |= (padici_codec_known_coded(&x, b) ? PADICI_CODEC_SOME_CODED
                                                      : PADICI_CODEC_SOME_PLAIN) |
                     (record[b * PADICI_CODEC_RECORD + PADICI_CODEC_R_OFF] ? PADICI_CODEC_SOME_OFF
                                                                           : 0u);
    if (c->round == 3) status[2] = 1;
    if (result || c->round != 1) return result;
    padici_codec_known_bad(status, 3);
    record += 3 * PADICI_CODEC_RECORD; // as plain elements, none of which is there
    record[PADICI_CODEC_R_MODE] = PADICI_CODEC_M_BAD;
    record[PADICI_CODEC_R_SHIFT] = record[PADICI_CODEC_R_FIRST] = 0;
    record[PADICI_CODEC_R_FIRST + 1] = record[PADICI_CODEC_R_FACTOR + 1] = 0;
    record[PADICI_CODEC_R_FACTOR] = 1;
    record[PADICI_CODEC_R_SCALE] = record[PADICI_CODEC_R_OFF] = 0;
    record[PADICI_CODEC_R_WIDTH] = 8 * x.size;
    record[PADICI_CODEC_R_BYTES] = 1;
    record[PADICI_CODEC_R_BODY] = record[PADICI_CODEC_R_AT] + 16;
    return PADIC_OK;
}

// Which kernel makes a block's elements.
enum { PADICI_CODEC_BY_UNPACK, PADICI_CODEC_BY_REST, PADICI_CODEC_BY_EXPAND,
       PADICI_CODEC_BY_SWIFT };

static int padici_codec_known_kernel(const padici_codec_known *x, uint32_t b, const uint32_t *r)
{
    const uint32_t first = x->skip + b * PADICI_CODEC_KNOWN_STEP;
    if (padici_codec_known_coded(x, b)) return PADICI_CODEC_BY_EXPAND;
    if (first * x->size % 8) return PADICI_CODEC_BY_REST;
    if (r[PADICI_CODEC_R_MODE] != PADICI_CODEC_M_DELTA) return PADICI_CODEC_BY_UNPACK;
    return x->k.writing && first * x->size % 16 == 0 && !r[PADICI_CODEC_R_SHIFT]
               ? PADICI_CODEC_BY_SWIFT
               : PADICI_CODEC_BY_REST;
}

// Those elements of an answer that a kernel makes.
static void padici_codec_known_answer(const padici_codec_known *x, int kernel,
                                      const uint32_t *record, uint8_t *to)
{
    const uint32_t step = PADICI_CODEC_KNOWN_STEP * x->size;
    uint32_t b;
    to += x->skip * x->size;
    for (b = 0; b < PADICI_CODEC_KNOWN_BLOCKS; b++) {
        const uint32_t end = PADICI_CODEC_KNOWN_COUNT * x->size;
        if (padici_codec_known_kernel(x, b, record + b * PADICI_CODEC_RECORD) != kernel) continue;
        memcpy(to + b * step, x->made + b * step,
               (b + 1) * step < end ? step : end - b * step);
    }
}

// Where the exceptions of block b begin in the stream, which end there.
static uint64_t padici_codec_known_lists(const padici_codec_known *x, uint32_t b, uint64_t end)
{
    const uint32_t from = b * PADICI_CODEC_KNOWN_STEP, n = padici_codec_known_extent(b);
    uint64_t gaps = 0, values = 0;
    uint32_t i, extra, before = 0, count = 0;
    for (i = 0; i < n; i++) {
        if (!padici_codec_known_off(x, from + i)) continue;
        (void)padici_token(i - before, 2, &extra);
        gaps += extra;
        (void)padici_token(padici_element(x->elements, from + i, x->size), 2, &extra);
        values += extra;
        before = i + 1;
        count++;
    }
    return end - 5 - 2 * (7 + count) - (gaps + 7) / 8 - (values + 7) / 8;
}

// What `tokens` makes of the records: the plain bits instead of all that follows the stages.
static padic_result padici_codec_known_tokens(padici_gpu_case *c, padici_codec_known *x,
                                              uint32_t *record, uint8_t *tokens)
{
    uint64_t *words =
        (uint64_t *)(void *)padici_codec_known_space(c, 16 * PADICI_CODEC_KNOWN_STEP);
    uint32_t b, i;
    if (!words) return PADIC_ERROR_MEMORY;
    for (b = 0; b < PADICI_CODEC_KNOWN_BLOCKS; b++) {
        uint32_t *r = record + b * PADICI_CODEC_RECORD, widest = 0;
        uint64_t *z = words + PADICI_CODEC_KNOWN_STEP, total = 0;
        uint8_t *to = tokens + b * PADICI_CODEC_KNOWN_STEP;
        const uint32_t n = padici_codec_known_block(x, b, words);
        if (!padici_codec_known_coded(x, b)) continue;
        padici_profile_digits(&x->spread, words, z, n,
                              r[PADICI_CODEC_R_MODE] == PADICI_CODEC_M_DELTA);
        for (i = 0; i < n; i++) {
            uint32_t extra;
            to[i] = (uint8_t)padici_token(z[i], 2, &extra);
            total += extra;
            if (extra > widest) widest = extra;
        }
        i = (uint32_t)((total + 7) / 8);
        r[PADICI_CODEC_R_SIZE] = widest;
        total = r[PADICI_CODEC_R_BODY] + r[PADICI_CODEC_R_BYTES]; // where the block ends
        if (r[PADICI_CODEC_R_OFF]) {
            total = padici_codec_known_lists(x, b, total);
            r[PADICI_CODEC_R_OFF] = (uint32_t)total + PADICI_CODEC_KNOWN_SKIP;
        }
        r[PADICI_CODEC_R_BODY] = (uint32_t)total - i;
        r[PADICI_CODEC_R_BYTES] = i;
    }
    return PADIC_OK;
}

// Integers, then floats.
static padic_result padici_test_codec_tokens(padici_gpu_case *c)
{
    padici_codec_known x;
    uint32_t *record, *answer;
    uint8_t *tokens;
    padic_result result = padici_codec_known_input(c, &x, 1, 3, 1);
    if (result) return result;
    if (!padici_gpu_image(c, 2, PADICI_CODEC_KNOWN_COUNT)) return PADIC_ERROR_MEMORY;
    record = (uint32_t *)(void *)c->buffers[1].image;
    result = padici_codec_known_records(c, &x, PADICI_CODEC_LOOKED, record, NULL);
    answer = (uint32_t *)padici_gpu_answer(c, 1);
    tokens = (uint8_t *)padici_gpu_answer(c, 2);
    if (!result && (!answer || !tokens)) result = PADIC_ERROR_MEMORY;
    return result ? result : padici_codec_known_tokens(c, &x, answer, tokens);
}

// room: src/gpu/codec/coded_test.c
// Tests of the kernels that pack coded blocks.

// What `measure` notes for blocks that may be coded, and what the choice needs.
static void padici_codec_known_plan(padici_codec_known *x, uint32_t b, uint32_t *r)
{
    const uint8_t *p = padici_codec_known_frame(x, b) + 16;
    uint32_t scale;
    const uint32_t which = padici_codec_known_scale(x, b, &scale);
    const uint64_t least = x->spread.least;
    r[PADICI_CODEC_R_MODE] =
        p[3] == PADICI_PATTERN_CONSTANT ? PADICI_CODEC_M_CONSTANT : PADICI_CODEC_M_PLAIN;
    // a size that every second block, if it is not raw in the stream, stays below when it is coded
    r[PADICI_CODEC_R_SIZE] = b % 2 ? 60 : padici_codec_known_extent(b) * x->size + 9;
    r[PADICI_CODEC_R_AT + 1] = x->spread.shift | x->spread.step << 8;
    r[PADICI_CODEC_R_BODY] = (uint32_t)least;
    r[PADICI_CODEC_R_BODY + 1] = (uint32_t)(least >> 32);
    r[PADICI_CODEC_R_SCALE] = scale;
    r[PADICI_CODEC_R_OFF] = r[PADICI_CODEC_R_OFF + 1] = 0;
    r[PADICI_CODEC_R_FACTOR] = scale ? x->d.scales.inverse[which] : 0;
    r[PADICI_CODEC_R_FACTOR + 1] = (uint32_t)least;
    if (x->size == 8) padici_codec_known_wide(least, r);
}

// Tokens of block b, its table without words and states, and its frequencies; z has room for two
// arrays of words. 0: all tokens are equal.
static int padici_codec_known_classes(padici_codec_known *x, uint32_t b, uint64_t *z,
                                      uint8_t *tokens, uint32_t *t, uint16_t freq[256])
{
    uint64_t *words = z + PADICI_CODEC_KNOWN_STEP, cost[2] = {0, 0}, total = 0, first;
    const uint32_t n = padici_codec_known_block(x, b, words);
    uint32_t counts[256], delta, round, i, widest = 0, used = 0, one = 256, size = 0, start = 0;
    uint8_t bytes[2 * 256 + 1];
    padici_writer out;
    for (round = 0; round < 3; round++) {
        delta = round < 2 ? round : cost[1] < cost[0];
        memset(counts, 0, sizeof counts);
        padici_profile_digits(&x->spread, words, z, n, (int)delta);
        total = padici_make_tokens(z, n, 2, tokens, &widest);
        for (i = 0; i < n; i++) counts[tokens[i]]++;
        if (round < 2) cost[round] = 256 * total + padici_entropy(counts, 256, n);
    }
    for (i = 256; i-- > 0;)
        if (counts[i]) used++, one = i;
    memset(freq, 0, 256 * sizeof *freq);
    if (used > 1) padici_rans_frequencies(counts, n, freq);
    out.start = out.at = bytes;
    out.end = bytes + sizeof bytes;
    out.full = 0;
    if (used > 1) padici_rans_put_table(&out, freq);
    size = (uint32_t)(out.at - bytes);
    for (i = 0; i < 256 && used > 1; i++) {
        t[i] = start | (uint32_t)freq[i] << 16;
        start += freq[i];
    }
    first = delta ? words[0] : padici_shift_right(x->spread.least, x->spread.shift);
    t[PADICI_CODEC_T_HOW] = delta | (used > 1 ? 0 : 2 | one << 8);
    t[PADICI_CODEC_T_WIDEST] = widest;
    t[PADICI_CODEC_T_PLAINS] = (uint32_t)((total + 7) / 8);
    if (used > 1) t[PADICI_CODEC_T_TABLES] = size;
    t[PADICI_CODEC_T_STAGE] = delta             ? x->spread.step << 8
                              : x->spread.shift ? x->spread.shift
                                                : x->spread.step << 8;
    t[PADICI_CODEC_T_STAGE + 1] = (uint32_t)first;
    t[PADICI_CODEC_T_STAGE + 2] = (uint32_t)(first >> 32);
    return used > 1;
}

// The chain of block b: words in `chain` (which ends where the block's place does) and states.
static padic_result padici_codec_known_chain(padici_gpu_case *c, uint32_t b, const uint8_t *tokens,
                                             const uint16_t freq[256], uint16_t *chain, uint32_t *t)
{
    const uint32_t n = padici_codec_known_extent(b), start = b * PADICI_CODEC_KNOWN_STEP;
    const uint32_t end = start - start / 4 + 64 * b + (n - n / 4 + 48);
    const size_t room = 4 * PADICI_CODEC_KNOWN_STEP + 1024;
    uint8_t *bytes = padici_codec_known_space(c, room);
    uint16_t *space = (uint16_t *)(void *)padici_codec_known_space(c, room);
    uint32_t words, i;
    padici_writer out;
    const uint8_t *p;
    if (!bytes || !space) return PADIC_ERROR_MEMORY;
    out.start = out.at = bytes;
    out.end = bytes + room;
    out.full = 0;
    padici_rans_put(&out, tokens, n, freq, space, room / 2);
    if (out.full) return PADIC_ERROR_SELF_TEST;
    p = bytes + t[PADICI_CODEC_T_TABLES];
    words = padici_load32(p);
    t[PADICI_CODEC_T_WORDS] = words;
    for (i = 0; i < 32; i++) t[PADICI_CODEC_T_STATES + i] = padici_load32(p + 4 + 4 * i);
    for (i = 0; i < words; i++) chain[end - words + i] = padici_load16(p + 132 + 2 * i);
    return PADIC_OK;
}

#define PADICI_CODEC_KNOWN_CHAIN (PADICI_CODEC_KNOWN_COUNT + 64 * PADICI_CODEC_KNOWN_BLOCKS)

// Everything that is known of coded blocks; NULL: not wanted.
static padic_result padici_codec_known_all(padici_gpu_case *c, padici_codec_known *x,
                                           uint8_t *tokens, uint32_t *table, uint16_t *chain,
                                           int whole)
{
    uint64_t *z = (uint64_t *)(void *)padici_codec_known_space(c, 16 * PADICI_CODEC_KNOWN_STEP);
    uint8_t *spare = padici_codec_known_space(c, PADICI_CODEC_KNOWN_STEP);
    padic_result result = PADIC_OK;
    uint32_t b, i;
    if (!z || !spare) return PADIC_ERROR_MEMORY;
    for (b = 0; b < PADICI_CODEC_KNOWN_BLOCKS && !result; b++) {
        uint32_t *t = table + b * PADICI_CODEC_TABLE;
        uint16_t freq[256];
        if (padici_codec_known_frame(x, b)[16 + 3] == PADICI_PATTERN_CONSTANT) continue;
        if (padici_codec_known_classes(
                x, b, z, tokens ? tokens + b * PADICI_CODEC_KNOWN_STEP : spare, t, freq)) {
            if (whole)
                result = padici_codec_known_chain(
                    c, b, tokens ? tokens + b * PADICI_CODEC_KNOWN_STEP : spare, freq, chain, t);
        } else if (whole) {
            t[PADICI_CODEC_T_WORDS] = 0;
            for (i = 0; i < 32; i++) t[PADICI_CODEC_T_STATES + i] = 65536;
        }
    }
    return result;
}

// Records that are framed, totals, the place of the stream: buffers 1, 2 and 5.
static padic_result padici_codec_known_coded_tail(padici_gpu_case *c, padici_codec_known *x)
{
    uint32_t *record =
        (uint32_t *)padici_gpu_image(c, 1, 4 * PADICI_CODEC_RECORD * PADICI_CODEC_KNOWN_BLOCKS);
    uint64_t *totals = (uint64_t *)padici_gpu_image(c, 2, 16);
    if (!record || !totals ||
        !padici_gpu_image(c, 5, (PADICI_CODEC_KNOWN_SKIP + x->bytes + 7) & ~UINT64_C(3)))
        return PADIC_ERROR_MEMORY;
    totals[0] = x->index;
    totals[1] = x->bytes;
    return padici_codec_known_records(c, x, PADICI_CODEC_FRAMED, record, NULL);
}

// Records as `measure` leaves them, buffer i.
static padic_result padici_codec_known_plans(padici_gpu_case *c, padici_codec_known *x, uint32_t i)
{
    uint32_t *record =
        (uint32_t *)padici_gpu_image(c, i, 4 * PADICI_CODEC_RECORD * PADICI_CODEC_KNOWN_BLOCKS);
    uint64_t *words = (uint64_t *)(void *)padici_codec_known_space(c, 8 * PADICI_CODEC_KNOWN_STEP);
    uint32_t b;
    if (!record || !words) return PADIC_ERROR_MEMORY;
    for (b = 0; b < PADICI_CODEC_KNOWN_BLOCKS; b++) {
        (void)padici_codec_known_block(x, b, words);
        padici_codec_known_plan(x, b, record + b * PADICI_CODEC_RECORD);
    }
    return PADIC_OK;
}

// Integers, then floats. Frequencies of blocks whose tokens are equal are not looked at: there are
// none here.
static padic_result padici_test_codec_classes(padici_gpu_case *c)
{
    padici_codec_known x;
    uint8_t *tokens;
    uint32_t *table;
    padic_result result = padici_codec_known_begin(c, &x, 2, 1);
    if (!result) result = padici_codec_known_image(c, &x, 0);
    if (!result) result = padici_codec_known_image(c, &x, 4);
    if (!result) result = padici_codec_known_plans(c, &x, 1);
    if (result) return result;
    if (!padici_gpu_image(c, 2, PADICI_CODEC_KNOWN_COUNT) ||
        !padici_gpu_image(c, 3, 4 * PADICI_CODEC_TABLE * PADICI_CODEC_KNOWN_BLOCKS))
        return PADIC_ERROR_MEMORY;
    tokens = (uint8_t *)padici_gpu_answer(c, 2);
    table = (uint32_t *)padici_gpu_answer(c, 3);
    if (!tokens || !table) return PADIC_ERROR_MEMORY;
    return padici_codec_known_all(c, &x, tokens, table, NULL, 0);
}

static padic_result padici_test_codec_rans(padici_gpu_case *c)
{
    padici_codec_known x;
    uint8_t *tokens;
    uint16_t *chain;
    uint32_t *record, *table, b;
    padic_result result = padici_codec_known_begin(c, &x, 2, 1);
    if (!result) result = padici_codec_known_plans(c, &x, 1);
    if (result) return result;
    tokens = (uint8_t *)padici_gpu_image(c, 0, PADICI_CODEC_KNOWN_COUNT);
    table = (uint32_t *)padici_gpu_image(c, 2, 4 * PADICI_CODEC_TABLE * PADICI_CODEC_KNOWN_BLOCKS);
    if (!tokens || !table || !padici_gpu_image(c, 3, 2 * PADICI_CODEC_KNOWN_CHAIN))
        return PADIC_ERROR_MEMORY;
    result = padici_codec_known_all(c, &x, tokens, table, NULL, 0);
    record = (uint32_t *)padici_gpu_answer(c, 1);
    table = (uint32_t *)padici_gpu_answer(c, 2);
    chain = (uint16_t *)padici_gpu_answer(c, 3);
    if (result || !record || !table || !chain) return result ? result : PADIC_ERROR_MEMORY;
    result = padici_codec_known_all(c, &x, NULL, table, chain, 1);
    for (b = 0; b < PADICI_CODEC_KNOWN_BLOCKS && !result; b++) {
        const uint32_t *t = table + b * PADICI_CODEC_TABLE;
        uint32_t *r = record + b * PADICI_CODEC_RECORD, size, stages;
        if (r[PADICI_CODEC_R_MODE] == PADICI_CODEC_M_CONSTANT) continue;
        stages = 22 + 6 * (t[PADICI_CODEC_T_HOW] & 1) + (r[PADICI_CODEC_R_SCALE] ? 7u : 0u);
        size = (t[PADICI_CODEC_T_HOW] & 2
                    ? 8
                    : 139 + t[PADICI_CODEC_T_TABLES] + 2 * t[PADICI_CODEC_T_WORDS]) +
               t[PADICI_CODEC_T_PLAINS];
        if (stages + size + 8 >= r[PADICI_CODEC_R_SIZE]) continue;
        r[PADICI_CODEC_R_SIZE] = stages + size + 8;
        r[PADICI_CODEC_R_MODE] =
            t[PADICI_CODEC_T_HOW] & 1 ? PADICI_CODEC_M_DELTA : PADICI_CODEC_M_PLAIN;
        r[PADICI_CODEC_R_SHIFT] = t[PADICI_CODEC_T_STAGE] & 255;
        r[PADICI_CODEC_R_STEP] = t[PADICI_CODEC_T_STAGE] >> 8;
        r[PADICI_CODEC_R_FIRST] = t[PADICI_CODEC_T_STAGE + 1];
        r[PADICI_CODEC_R_FIRST + 1] = t[PADICI_CODEC_T_STAGE + 2];
        r[PADICI_CODEC_R_WIDTH] = PADICI_CODEC_CODED;
        r[PADICI_CODEC_R_BYTES] = size;
    }
    return result;
}

// The bytes of the stream.
static padic_result padici_test_codec_coded(padici_gpu_case *c)
{
    padici_codec_known x;
    uint8_t *stream, *tokens;
    uint16_t *chain;
    uint32_t *record, *table, b, coded = 0;
    padic_result result = padici_codec_known_begin(c, &x, 2, 1);
    if (!result) result = padici_codec_known_image(c, &x, 0);
    if (!result) result = padici_codec_known_image(c, &x, 6);
    if (result) return result;
    table = (uint32_t *)padici_gpu_image(c, 3, 4 * PADICI_CODEC_TABLE * PADICI_CODEC_KNOWN_BLOCKS);
    chain = (uint16_t *)padici_gpu_image(c, 4, 2 * PADICI_CODEC_KNOWN_CHAIN);
    tokens = (uint8_t *)padici_gpu_image(c, 7, PADICI_CODEC_KNOWN_COUNT);
    if (!table || !chain || !tokens) return PADIC_ERROR_MEMORY;
    result = padici_codec_known_all(c, &x, tokens, table, chain, 1);
    if (!result) result = padici_codec_known_coded_tail(c, &x);
    if (result) return result;
    record = (uint32_t *)(void *)c->buffers[1].image;
    stream = (uint8_t *)padici_gpu_answer(c, 5);
    if (!stream) return PADIC_ERROR_MEMORY;
    for (b = 0; b < PADICI_CODEC_KNOWN_BLOCKS; b++) {
        uint32_t *r = record + b * PADICI_CODEC_RECORD;
        const uint32_t from = r[PADICI_CODEC_R_BODY];
        uint64_t end = from + r[PADICI_CODEC_R_BYTES];
        if (!padici_codec_known_coded(&x, b)) continue;
        if (r[PADICI_CODEC_R_OFF]) end = padici_codec_known_lists(&x, b, end);
        memcpy(stream + PADICI_CODEC_KNOWN_SKIP + from, x.stream + from, (size_t)(end - from));
        r[PADICI_CODEC_R_WIDTH] = PADICI_CODEC_CODED;
        coded++;
    }
    return coded ? PADIC_OK : PADIC_ERROR_SELF_TEST;
}

// room: src/gpu/codec/unpack_test.c
// Tests of the kernels that make elements.

// In round 1 the sum of block 2, which is coded, is wrong.
static padic_result padici_test_codec_expand(padici_gpu_case *c)
{
    padici_codec_known x;
    uint32_t *record, *status;
    uint8_t *tokens, *elements;
    padic_result result = padici_codec_known_input(c, &x, 1, 4, 1);
    if (result) return result;
    tokens = (uint8_t *)padici_gpu_image(c, 2, PADICI_CODEC_KNOWN_COUNT);
    record = (uint32_t *)(void *)c->buffers[1].image;
    if (!tokens) return PADIC_ERROR_MEMORY;
    result = padici_codec_known_records(c, &x, PADICI_CODEC_LOOKED, record, NULL);
    if (!result) result = padici_codec_known_tokens(c, &x, record, tokens);
    if (result) return result;
    if (!padici_codec_known_coded(&x, 2)) return PADIC_ERROR_SELF_TEST;
    if (c->round == 1) record[2 * PADICI_CODEC_RECORD + PADICI_CODEC_R_SUM] ^= 1;
    if (!padici_gpu_image(c, 3, ((x.skip + PADICI_CODEC_KNOWN_COUNT) * x.size + 7u) & ~7u))
        return PADIC_ERROR_MEMORY;
    elements = (uint8_t *)padici_gpu_answer(c, 3);
    status = (uint32_t *)padici_gpu_answer(c, 4);
    if (!elements || !status) return PADIC_ERROR_MEMORY;
    padici_codec_known_answer(&x, PADICI_CODEC_BY_EXPAND, record, elements);
    if (c->round == 1) padici_codec_known_bad(status, 2);
    return PADIC_OK;
}

// In round 1 the sum of block 3, or of one that `rest` makes, is wrong.
static padic_result padici_codec_known_unpack(padici_gpu_case *c, int kernel)
{
    padici_codec_known x;
    uint8_t *elements;
    uint32_t *status, *record, *answer, b, wrong = 3;
    padic_result result = padici_codec_known_input(c, &x, 1, 3, 0);
    if (result) return result;
    if (kernel == PADICI_CODEC_BY_SWIFT ||
        (kernel == PADICI_CODEC_BY_UNPACK && c->round > 1 && x.size < 8))
        x.k.writing = (c->gpu->info->features & PADIC_FEATURE_SUBGROUPS) != 0;
    PADICI_CODEC_PAIR(x.k, room, x.index);
    memcpy(&c->params, &x.k, sizeof x.k);
    record = (uint32_t *)(void *)c->buffers[1].image;
    result = padici_codec_known_records(c, &x, PADICI_CODEC_LOOKED, record, NULL);
    if (result) return result;
    if (kernel == PADICI_CODEC_BY_REST) ((uint32_t *)(void *)c->buffers[3].image)[1] = 2;
    for (b = 0; b < PADICI_CODEC_KNOWN_BLOCKS && kernel != PADICI_CODEC_BY_UNPACK; b++) {
        uint32_t *r = record + b * PADICI_CODEC_RECORD;
        if (padici_codec_known_kernel(&x, b, r) != kernel) continue;
        if (kernel == PADICI_CODEC_BY_REST) r[PADICI_CODEC_R_STEP] = 1;
        wrong = b;
    }
    if (c->round == 1) record[wrong * PADICI_CODEC_RECORD + PADICI_CODEC_R_SUM] ^= 1;
    elements = (uint8_t *)padici_gpu_image(
        c, 2, ((x.skip + PADICI_CODEC_KNOWN_COUNT) * x.size + 7u) & ~7u);
    if (!elements) return PADIC_ERROR_MEMORY;
    elements = (uint8_t *)padici_gpu_answer(c, 2);
    status = (uint32_t *)padici_gpu_answer(c, 3);
    answer = kernel == PADICI_CODEC_BY_REST ? record : (uint32_t *)padici_gpu_answer(c, 1);
    if (!elements || !status || !answer) return PADIC_ERROR_MEMORY;
    for (b = 0; b < PADICI_CODEC_KNOWN_BLOCKS && kernel != PADICI_CODEC_BY_REST; b++) {
        const uint32_t *r = record + b * PADICI_CODEC_RECORD;
        const int delta = r[PADICI_CODEC_R_MODE] == PADICI_CODEC_M_DELTA;
        if (padici_codec_known_kernel(&x, b, r) != PADICI_CODEC_BY_REST ||
            (delta && x.k.writing) != (kernel == PADICI_CODEC_BY_SWIFT))
            continue;
        answer[b * PADICI_CODEC_RECORD + PADICI_CODEC_R_STEP] = 1;
        status[1] |= 2;
    }
    padici_codec_known_answer(&x, kernel, record, elements);
    if (c->round == 1 &&
        padici_codec_known_kernel(&x, wrong, record + wrong * PADICI_CODEC_RECORD) == kernel)
        padici_codec_known_bad(status, wrong);
    return PADIC_OK;
}

static padic_result padici_test_codec_unpack(padici_gpu_case *c)
{
    return padici_codec_known_unpack(c, PADICI_CODEC_BY_UNPACK);
}

static padic_result padici_test_codec_swift(padici_gpu_case *c)
{
    if (padici_gpu_define(c, "PD_CODEC_SIZE", 4) == 8 ||
        !(c->gpu->info->features & PADIC_FEATURE_SUBGROUPS))
        return PADIC_ERROR_NOT_SUPPORTED; // it is not used there
    return padici_codec_known_unpack(c, PADICI_CODEC_BY_SWIFT);
}

static padic_result padici_test_codec_rest(padici_gpu_case *c)
{
    return padici_codec_known_unpack(c, PADICI_CODEC_BY_REST);
}

// In round 1 a sum is wrong.
static padic_result padici_test_codec_mend(padici_gpu_case *c)
{
    const uint32_t round = c->round;
    padici_codec_known x;
    uint8_t *elements;
    uint32_t *status, *record, b;
    padic_result result;
    c->round = 1;
    result = padici_codec_known_input(c, &x, 1, 3, 0);
    c->round = round;
    c->again = !round;
    if (result) return result;
    record = (uint32_t *)(void *)c->buffers[1].image;
    result = padici_codec_known_records(c, &x, PADICI_CODEC_LOOKED, record, NULL);
    elements = (uint8_t *)padici_gpu_image(
        c, 2, ((x.skip + PADICI_CODEC_KNOWN_COUNT) * x.size + 7u) & ~7u);
    if (result || !elements) return result ? result : PADIC_ERROR_MEMORY;
    memcpy(elements + x.skip * x.size, x.made, PADICI_CODEC_KNOWN_COUNT * x.size);
    elements = (uint8_t *)padici_gpu_answer(c, 2);
    status = (uint32_t *)padici_gpu_answer(c, 3);
    if (!elements || !status) return PADIC_ERROR_MEMORY;
    memcpy(elements + x.skip * x.size, x.back, PADICI_CODEC_KNOWN_COUNT * x.size);
    for (b = 0; b < PADICI_CODEC_KNOWN_BLOCKS && round; b++) {
        uint32_t *r = record + b * PADICI_CODEC_RECORD;
        if (!r[PADICI_CODEC_R_OFF]) continue;
        r[PADICI_CODEC_R_SUM] ^= 1;
        padici_codec_known_bad(status, b);
    }
    return PADIC_OK;
}

// room: src/gpu/codec/prove_test.c
// Tests of the proof.

// An array, and what came back of it: in round 0 but for the last element of block 2; in round 1 of
// the bound's floats, but for one of block 3, and a header that is another.
static padic_result padici_test_codec_prove(padici_gpu_case *c)
{
    padici_codec_known x;
    uint8_t *back, *stream;
    uint32_t *status, at, wrong;
    padic_result result = padici_codec_known_begin(c, &x, 2, 0);
    if (!result) result = padici_codec_known_image(c, &x, 0);
    if (!result) result = padici_codec_known_image(c, &x, 1);
    if (result) return result;
    back = (uint8_t *)padici_gpu_image(c, 2, (PADICI_CODEC_KNOWN_COUNT * x.size + 7u) & ~7u);
    stream = (uint8_t *)padici_gpu_image(c, 4, (PADICI_CODEC_KNOWN_SKIP + x.bytes + 7) &
                                                   ~UINT64_C(3));
    status = (uint32_t *)padici_gpu_image(c, 5, PADICI_CODEC_KNOWN_STATUS);
    if (!back || !stream || !status) return PADIC_ERROR_MEMORY;
    memset(status, 0, PADICI_CODEC_KNOWN_STATUS);
    memcpy(stream + PADICI_CODEC_KNOWN_SKIP, x.stream, (size_t)x.bytes);
    memcpy(back, x.back, PADICI_CODEC_KNOWN_COUNT * x.size);
    wrong = c->round ? 3 : 2;
    at = 3 * PADICI_CODEC_KNOWN_STEP - (c->round ? 0 : 1);
    back[(at + 1) * x.size - 1] ^= 0x10;
    if (c->round) stream[PADICI_CODEC_KNOWN_SKIP + 33] ^= 2;
    if (!padici_gpu_image(c, 3, c->buffers[2].size)) return PADIC_ERROR_MEMORY;
    memcpy(c->buffers[3].image, back, PADICI_CODEC_KNOWN_COUNT * x.size);
    status = (uint32_t *)padici_gpu_answer(c, 5);
    if (!status) return PADIC_ERROR_MEMORY;
    padici_codec_known_bad(status, wrong);
    if (c->round) status[2] = 1;
    return PADIC_OK;
}

// Blocks 1 and 4 become raw.
static padic_result padici_test_codec_redo(padici_gpu_case *c)
{
    padici_codec_known x;
    uint8_t *width;
    uint32_t *record, *status, b, g;
    padic_result result = padici_codec_known_begin(c, &x, 2, 0);
    if (!result) result = padici_codec_known_image(c, &x, 0);
    if (!result) result = padici_codec_known_image(c, &x, 1);
    if (!result) result = padici_codec_known_plans(c, &x, 3);
    if (result) return result;
    if (!padici_gpu_image(c, 2, PADICI_CODEC_KNOWN_BLOCKS * PADICI_CODEC_KNOWN_GROUPS))
        return PADIC_ERROR_MEMORY;
    status = (uint32_t *)padici_gpu_image(c, 4, PADICI_CODEC_KNOWN_STATUS);
    if (!status) return PADIC_ERROR_MEMORY;
    memset(status, 0, PADICI_CODEC_KNOWN_STATUS);
    status[PADICI_CODEC_STATUS + 1] = status[PADICI_CODEC_STATUS + 4] = 1;
    width = (uint8_t *)padici_gpu_answer(c, 2);
    record = (uint32_t *)padici_gpu_answer(c, 3);
    status = (uint32_t *)padici_gpu_answer(c, 4);
    if (!width || !record || !status) return PADIC_ERROR_MEMORY;
    status[2] = 2;
    for (b = 1; b < PADICI_CODEC_KNOWN_BLOCKS; b += 3) {
        const uint32_t n = padici_codec_known_extent(b);
        uint32_t *r = record + b * PADICI_CODEC_RECORD;
        const uint64_t sum = padici_checksum(
            x.elements + b * PADICI_CODEC_KNOWN_STEP * x.size, n * x.size, b);
        memset(r, 0, PADICI_CODEC_RECORD * sizeof *r);
        r[PADICI_CODEC_R_SIZE] = n * x.size + 9;
        r[PADICI_CODEC_R_MODE] = PADICI_CODEC_M_RAW;
        r[PADICI_CODEC_R_SUM] = (uint32_t)sum;
        r[PADICI_CODEC_R_SUM + 1] = (uint32_t)(sum >> 32);
        r[PADICI_CODEC_R_WIDTH] = 8 * x.size;
        r[PADICI_CODEC_R_BYTES] = n * x.size;
        for (g = 0; g * 256 < n; g++)
            width[b * PADICI_CODEC_KNOWN_GROUPS + g] = (uint8_t)(8 * x.size);
    }
    return PADIC_OK;
}
// room: src/gpu/padic_gpu_codec.in.h:17

#endif // PADICI_GPU_CODEC
