#pragma once
#include "../../core/platform.h"
#include "../frame.h"

#ifndef PADIC_NO_CODEC

PADICI_FN padic_result padici_gpu_codec(padici_gpu *gpu, uint32_t kernel, void *call, int query);
PADICI_FN padic_result padici_warm_codec(padici_gpu *gpu);

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
#define PADICI_GPU_LAYERS_CODEC(X) X(PADIC_KERNEL_CODEC_PACK, codec)

#endif
