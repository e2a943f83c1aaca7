#include "unpack.h"
#include "../../codec/buffers.h"
#include "../../context/target.h"
#include "../frame.h"
#include "../launch.h"
#include "pack.h"
#include "../texts.h"

#if PADICI_IMPLEMENT_GPU && !defined(PADIC_NO_CODEC_PACK)

// Unpacking: the frames, then plain and coded blocks.

// Tells whether the kernel `narrow` exists: under PD_HAS_WARPS, for words of 32 bits.
PADICI_FN uint32_t padici_gpu_codec_subgroups(const padici_gpu_codec_job *job)
{
    return job->d->size < 8 && (job->gpu->info->features & PADIC_FEATURE_SUBGROUPS);
}

// Launches kernels `first` to `last` - 1 of a list: for plain blocks; for most blocks of
// differences; for the remaining ones; for exceptions.
PADICI_FN padic_result padici_gpu_codec_plain(padici_gpu_codec_job *job, uint32_t first,
                                              uint32_t last)
{
    static const uint32_t unpackers[4] = {PADICI_KERNEL_CODEC_UNPACK, PADICI_KERNEL_CODEC_NARROW,
                                          PADICI_KERNEL_CODEC_REMAINDER, PADICI_KERNEL_CODEC_PATCH};
    padici_gpu_work work;
    padic_result result = PADIC_OK;
    uint32_t i;
    job->k.writing = padici_gpu_codec_subgroups(job);
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

// Reads the frames, and if `unseen` the index.
PADICI_FN padic_result padici_gpu_codec_scan_frames(padici_gpu_codec_job *job)
{
    padici_gpu_work work;
    padici_gpu_codec_work(job, &work, PADICI_KERNEL_CODEC_INSPECT, 3,
                          (job->d->blocks + 15) / 16 + job->d->unseen);
    work.mem[0] = job->d->packed.mem;
    work.mem[1] = job->block[PADICI_CODEC_B_RECORD].mem;
    work.mem[2] = job->block[PADICI_CODEC_B_TOTALS].mem;
    return padici_gpu_launch(job->gpu, &work);
}

PADICI_FN PADICI_NOINLINE padic_result padici_gpu_codec_unpack_in(padici_gpu_codec_job *job)
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
    if (!result) result = padici_gpu_codec_scan_frames(job);
    // Starts with the expected kind of most blocks: a download to find out would cost time.
    for (step = 0; step < 3 && !result && !words[0]; step++) {
        if (step == 1 &&
            !(words[1] & (d->mostly ? PADICI_CODEC_SOME_PLAIN : PADICI_CODEC_SOME_CODED)))
            continue;
        if (step == 2 && !(words[1] & PADICI_CODEC_SOME_EXCEPTIONS)) break;
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

#endif
