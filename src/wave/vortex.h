#pragma once
#include "../context/state.h"
#include "../core/platform.h"
#include "source.h"

#ifndef PADIC_NO_WAVE

#define PADICI_WAVE_VORTICES 24 // of a block, kept on the stack of a task
#define PADICI_WAVE_SHARES 32   // tasks of a grid

typedef struct padici_wave_line { // one vortex
    double centre[3], e1[3], e2[3], charge, core;
} padici_wave_line;

typedef struct padici_wave_places { // of the points of a pass, the last one repeated
    double at[3][PADICI_WAVE_POINTS];
} padici_wave_places;

// Points first to end of a pass: products[i] times the factors of n lines.
typedef void (*padici_wave_lines)(padic_wave_core core, const padici_wave_line *lines, uint32_t n,
                                  const padici_wave_places *places, uint32_t first, uint32_t end,
                                  padici_complex *products);

typedef struct padici_wave_vortices {
    padici_wave_job field; // points and out; its desc is made of the vortices'
    padici_wave_lines lines;
    const padic_wave_vortex_desc *desc;
    padic_tensor charges, cores;
    int64_t centre_stride[PADIC_MAX_RANK], axis_stride[PADIC_MAX_RANK], psi_stride[PADIC_MAX_RANK];
} padici_wave_vortices;

PADICI_FN padici_complex padici_wave_times(padici_complex a, padici_complex b);
PADICI_FN double padici_wave_frame(const double axis[3], double e1[3], double e2[3]);
PADICI_FN void padici_wave_line_get(const padici_wave_vortices *job, uint64_t i,
                                    padici_wave_line *line);
PADICI_FN padici_complex padici_wave_line_factor(const padici_wave_line *line, padic_wave_core core,
                                                 const double at[3]);
PADICI_FN void padici_wave_lines_plain(padic_wave_core core, const padici_wave_line *lines,
                                       uint32_t n, const padici_wave_places *places, uint32_t first,
                                       uint32_t end, padici_complex *products);
PADICI_FN void padici_wave_vortex_field(const padic_wave_vortex_desc *desc,
                                        padic_wave_superpose_desc *field);
PADICI_FN padic_result padici_wave_vortex_with(padici_wave_lines kernel, const padic_env *env,
                                               const padic_wave_vortex_desc *desc);
PADICI_FN padic_result padici_wave_vortex_values(padic_context *context,
                                                 const padic_wave_vortex_desc *desc);
PADICI_FN int padici_wave_real_type(const padic_tensor *t);

#endif
