#include "pack.h"
#include "../../codec/transforms.h"
#include "../../codec/buffers.h"
#include "../frame.h"
#include "../launch.h"
#include "prove.h"
#include "../texts.h"

#if PADICI_IMPLEMENT_GPU && !defined(PADIC_NO_CODEC_PACK)

// Packing: range, records, plain and coded blocks, the stream.

// The sizes of exceptions, or their bytes.
static padic_result padici_gpu_codec_exceptions(padici_gpu_codec_job *job, uint32_t writing)
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

// The least and the greatest finite element.
PADICI_FN padic_result padici_gpu_codec_range(padici_gpu_codec_job *job)
{
    padici_gpu_block *range = &job->block[PADICI_CODEC_B_TOTALS];
    padici_gpu_work work;
    int64_t pairs[2 * PADICI_CODEC_RANGERS], low = INT64_MAX, high = INT64_MIN;
    const uint32_t size = job->d->size, groups = job->gpu->tested ? 3 : PADICI_CODEC_RANGERS;
    const padic_dtype dtype = size == 8 ? PADIC_F64 : PADIC_F32;
    uint32_t i;
    padic_result result = padici_gpu_scratch(job->gpu, sizeof pairs, range);
    if (result) return result;
    padici_gpu_codec_work(job, &work, PADICI_KERNEL_CODEC_RANGE, 2, groups);
    work.mem[0] = job->d->array.mem;
    work.mem[1] = range->mem;
    result = padici_gpu_launch(job->gpu, &work);
    if (!result) result = padici_gpu_download(job->gpu, range->mem, 0, pairs, sizeof pairs);
    if (result) return result;
    for (i = 0; i < groups; i++) {
        if (pairs[2 * i] < low) low = pairs[2 * i];
        if (pairs[2 * i + 1] > high) high = pairs[2 * i + 1];
    }
    job->d->low = job->d->high = 0;
    if (low > high) return PADIC_OK; // there are none
    job->d->low = padici_codec_value(dtype, padici_codec_from_ordered(dtype, (uint64_t)low, size));
    job->d->high =
        padici_codec_value(dtype, padici_codec_from_ordered(dtype, (uint64_t)high, size));
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
static padic_result padici_gpu_codec_interleave(padici_gpu_codec_job *job)
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

// The offset of each block, and the size of the stream.
PADICI_FN padic_result padici_gpu_codec_write(padici_gpu_codec_job *job)
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
    if (!result && d->coded) result = padici_gpu_codec_interleave(job);
    if (!result && d->bounded) result = padici_gpu_codec_exceptions(job, 1);
    if (!result)
        result = padici_gpu_download(job->gpu, job->block[PADICI_CODEC_B_TOTALS].mem, 0, totals,
                                     sizeof totals);
    if (!result) d->total = totals[1];
    return result;
}

PADICI_FN PADICI_NOINLINE padic_result padici_gpu_codec_pack_in(padici_gpu_codec_job *job)
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
    // blocks within a tolerance: another scale, the word of exceptions, or raw elements
    for (i = 0; i < (d->bounded ? 4u : 1u) && !result; i++) {
        job->k.writing = i > 0;
        padici_gpu_codec_work(job, &work, PADICI_KERNEL_CODEC_MEASURE, 6, d->blocks);
        work.mem[0] = work.mem[1] = d->array.mem;
        memcpy(work.mem + 2, mem, 4 * sizeof *mem);
        result = padici_gpu_launch(job->gpu, &work);
    }
    if (result) return result;
    if (d->bounded) result = padici_gpu_codec_exceptions(job, 0);
    if (!result && d->coded) result = padici_gpu_codec_chains(job);
    if (!result) result = padici_gpu_codec_write(job);
    return !result && d->proving && d->total <= d->room ? padici_gpu_codec_prove(job) : result;
}

// Decodes the coded blocks that `inspect` found.
PADICI_FN padic_result padici_gpu_codec_coded(padici_gpu_codec_job *job)
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

#undef PADICI_CODEC_RANGERS

#endif
