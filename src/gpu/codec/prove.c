#include "prove.h"
#include "../../codec/header.h"
#include "../../codec/buffers.h"
#include "../../context/operation.h"
#include "../../context/target.h"
#include "../frame.h"
#include "../launch.h"
#include "pack.h"
#include "unpack.h"
#include "../texts.h"

#if PADICI_IMPLEMENT_GPU && !defined(PADIC_NO_CODEC_PACK)

// The proof after packing: a block that decodes wrongly is stored raw.

// Unpacks what was written with the normal kernels, and compares. words: the status.
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
    again->d->room = d->total - PADICI_CODEC_INDEX_FIXED - 8 * d->blocks;
    again->d->unseen = 1;
    if (result || !padici_gpu_codec_params(again->d, 1, &again->k))
        return result ? result : PADIC_ERROR_NOT_SUPPORTED;
    result = padici_target_fill(job->gpu->context, job->gpu->target, status->mem, 0, 0, size);
    if (!result) result = padici_gpu_codec_scan_frames(again);
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

// Blocks that decode wrongly are stored raw; then all must be right, or d->wrong is 1.
PADICI_FN PADICI_NOINLINE padic_result padici_gpu_codec_prove(padici_gpu_codec_job *job)
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

#endif
