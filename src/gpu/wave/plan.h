#pragma once
#include "../../context/operation.h"
#include "../../core/platform.h"
#include "../frame.h"
#include "../texts.h"

#ifndef PADIC_NO_WAVE

#define PADICI_WAVE_RECORD (13u * 4u)

// points, sources, amplitude, phase, wavenumber, frequency, absorption
#define PADICI_WAVE_INPUTS 7u

enum { PADICI_WAVE_PLAIN, PADICI_WAVE_FRAMES, PADICI_WAVE_SLOPE }; // PD_WAVE_MODE

typedef struct padici_gpu_wave {
    const padici_call *call;
    const padic_wave_superpose_desc *desc; // of one frame
    const padici_operand *inputs[PADICI_WAVE_INPUTS], *out; // out: or NULL
    uint32_t mode, define_count, each; // points of a work-item
    uint32_t order[3];                 // axes of the grid in the kernel's order
    const char *defines[8];
    double wavenumber; // the largest, in turns per length; 0: unknown to the host
    uint32_t items;    // work-items of a tile
    uint32_t listed, lines, tiles; // the kernel has the class LINE
    padici_k_wave_field_params k;
    padici_gpu_block records, report, table;
} padici_gpu_wave;

PADICI_FN void padici_gpu_wave_defines(const padici_gpu *gpu, padici_gpu_wave *w);
PADICI_FN const padici_operand *padici_gpu_wave_operand(const padici_call *call,
                                                        const padic_tensor *tensor);
PADICI_FN int padici_gpu_wave_words(const padici_operand *o);
PADICI_FN int padici_gpu_wave_held(const padici_operand *o, double end);
PADICI_FN int padici_gpu_wave_all_held(const padici_gpu_wave *w);
PADICI_FN void padici_gpu_wave_two(double x, float to[2]);
PADICI_FN int padici_gpu_wave_reached(const padici_operand *o);
PADICI_FN int padici_gpu_wave_begin(padici_gpu *gpu, padici_gpu_wave *w, const padici_call *call,
                                    const padic_wave_superpose_desc *given,
                                    const padic_wave_superpose_desc *desc, uint32_t mode);

#endif
