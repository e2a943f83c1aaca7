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

