#pragma once
#include "../../context/operation.h"
#include "../../core/platform.h"
#include "../../wave/frames.h"
#include "../frame.h"
#include "plan.h"
#include "../texts.h"

#ifndef PADIC_NO_WAVE

typedef struct padici_gpu_wave_frames_state {
    padici_gpu_wave wave;
    padic_wave_frames_desc desc; // its host-read parts lie in host memory
    padici_wave_frames job;      // its job.one is wave.desc
    padici_k_wave_frame_params k;
    const padici_operand *times, *drive, *mean;
    padici_gpu_block ends, order, rates, factors, waves, range; // order, rates: or none, in ends
    uint32_t chunk, shares, parts; // tiles at once; groups of items a tile: of waves, of frames
    uint32_t spread;               // groups of items per unit beyond which frames are not split
    uint32_t order_base, rate_base; // in words, of order's block
    uint64_t rate_bytes, copy_bytes;
    char *copies;
    double cost; // error of factors, in turns
    int late;    // w t needs more than two words: the host computes the factors
} padici_gpu_wave_frames_state;

PADICI_FN padic_result padici_gpu_wave_frames_sort(padici_gpu *gpu,
                                                   padici_gpu_wave_frames_state *s);
PADICI_FN padic_result padici_gpu_wave_frames_upload(padici_gpu *gpu,
                                                     padici_gpu_wave_frames_state *s);
PADICI_FN padic_result padici_gpu_wave_frames_order(padici_gpu *gpu,
                                                    padici_gpu_wave_frames_state *s);
PADICI_FN int padici_gpu_wave_frames_resident(const padici_gpu_wave_frames_state *s);
PADICI_FN void padici_gpu_wave_frames_cut(const padici_gpu *gpu, padici_gpu_wave_frames_state *s);
PADICI_FN void padici_gpu_wave_frames_params(padici_gpu_wave_frames_state *s);

#endif
