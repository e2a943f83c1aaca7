#include "job.h"
#include "../../codec/constants.h"
#include "../../core/words.h"
#include "../texts.h"

#if PADICI_IMPLEMENT_GPU && !defined(PADIC_NO_CODEC_PACK)

// A codec call on a device: the parameters of its kernels, and the layout of their records.

PADICI_FN const char *padici_gpu_codec_define(uint32_t size)
{
    return size == 1   ? "PD_CODEC_SIZE=1"
           : size == 2 ? "PD_CODEC_SIZE=2"
           : size == 4 ? "PD_CODEC_SIZE=4"
                       : "PD_CODEC_SIZE=8";
}

// 0 where memory is not aligned as the kernels require.
PADICI_FN int padici_gpu_codec_params(const padici_codec_drive *d, int handles,
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
    k->groups = (uint32_t)((d->step + PADICI_CODEC_GROUP - 1) / PADICI_CODEC_GROUP);
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

// Kernels loop over the blocks; in a test each group must process several.
PADICI_FN void padici_gpu_codec_work(padici_gpu_codec_job *job, padici_gpu_work *work,
                                     uint32_t kernel, uint32_t mems, uint64_t groups)
{
    const uint32_t most = job->gpu->tested ? 3 : 65536;
    memset(work, 0, sizeof *work);
    work->kernel = kernel;
    work->defines = job->defines;
    work->define_count = job->define_count;
    work->mem_count = mems;
    work->params = &job->k;
    work->params_size = sizeof job->k;
    work->groups[0] = groups < most ? (uint32_t)groups : most;
}

#endif
