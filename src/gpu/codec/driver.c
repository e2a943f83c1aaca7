#include "driver.h"
#include "../../codec/buffers.h"
#include "../../context/operation.h"
#include "../launch.h"
#include "../variants.h"
#include "job.h"
#include "pack.h"
#include "unpack.h"
#include "../texts.h"

#if PADICI_IMPLEMENT_GPU && !defined(PADIC_NO_CODEC_PACK)

// The driver, what it builds in advance, its rows in the tables of areas and tests.

PADICI_FN padic_result padici_gpu_codec(padici_gpu *gpu, int unpack, padici_codec_drive *d,
                                        int query)
{
    static const uint32_t kernels[12] = {
        PADICI_KERNEL_CODEC_MEASURE, PADICI_KERNEL_CODEC_SCAN,   PADICI_KERNEL_CODEC_FRAMES,
        PADICI_KERNEL_CODEC_FILL,    PADICI_KERNEL_CODEC_OFF,    PADICI_KERNEL_CODEC_RANGE,
        PADICI_KERNEL_CODEC_INSPECT, PADICI_KERNEL_CODEC_UNPACK, PADICI_KERNEL_CODEC_REMAINDER,
        PADICI_KERNEL_CODEC_TOKENS,  PADICI_KERNEL_CODEC_EXPAND, PADICI_KERNEL_CODEC_PATCH};
    static const uint32_t coders[3] = {PADICI_KERNEL_CODEC_CLASSES, PADICI_KERNEL_CODEC_RANS,
                                       PADICI_KERNEL_CODEC_CODED};
    static const uint32_t provers[2] = {PADICI_KERNEL_CODEC_PROVE, PADICI_KERNEL_CODEC_REDO};
    uint32_t first, last; // of the required ones
    padici_gpu_codec_job job;
    padic_result result = PADIC_OK;
    uint32_t i;
    memset(&job, 0, sizeof job);
    job.gpu = gpu;
    job.d = d;
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
    if (!result && (unpack || job.d->proving) && padici_gpu_codec_subgroups(&job))
        result = padici_gpu_need(gpu, PADICI_KERNEL_CODEC_NARROW, job.defines, job.define_count);
    if (!result && !padici_gpu_codec_params(job.d, !strcmp(gpu->target->backend->name, "opencl"),
                                            &job.k))
        result = PADIC_ERROR_NOT_SUPPORTED; // its handles are not addresses
    if (query || result) return result;
    for (i = 0; i < PADICI_CODEC_BLOCKS; i++) job.block[i].block = PADICI_NO_BLOCK;
    result = unpack        ? padici_gpu_codec_unpack_in(&job)
             : job.d->asked ? padici_gpu_codec_range(&job)
                            : padici_gpu_codec_pack_in(&job);
    for (i = 0; i < PADICI_CODEC_BLOCKS; i++) padici_gpu_scratch_end(gpu, &job.block[i]);
    return result;
}

PADICI_FN void padici_gpu_codec_gather(padici_gpu *gpu, padic_codec_profile profile,
                                       padic_codec_tolerance_mode mode)
{
    padici_codec_drive d;
    memset(&d, 0, sizeof d);
    d.size = 4;
    d.kind = 2;
    d.proving = 1;
    d.fetch = profile == PADIC_CODEC_PROFILE_FETCH;
    d.coded = profile == PADIC_CODEC_PROFILE_CODED;
    d.bounded = mode != PADIC_CODEC_TOLERANCE_NONE;
    d.asked = mode == PADIC_CODEC_TOLERANCE_RANGE;
    if (d.asked) (void)padici_gpu_codec(gpu, 0, &d, 1);
    d.asked = 0;
    (void)padici_gpu_codec(gpu, 0, &d, 1);
}

// Scalars of 4 bytes.
PADICI_FN padic_result padici_warm_codec(padici_gpu *gpu)
{
    const char *define = padici_gpu_codec_define(4);
    return padici_gpu_need(gpu, PADICI_KERNEL_CODEC_UNPACK, &define, 1);
}

#endif
