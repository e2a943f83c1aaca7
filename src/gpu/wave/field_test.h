#pragma once
#include "../../core/platform.h"
#include "../tests.h"
#include "plan.h"
#include "../texts.h"

#ifndef PADIC_NO_WAVE

// Known answers: more than one block of sources and one tile of points, where drivers have gone
// wrong. (Slow emulators are given fewer, and smaller groups, which are blocks of sources.)
#ifndef PADICI_TEST_WAVE_SOURCES
#define PADICI_TEST_WAVE_SOURCES 131u
#define PADICI_TEST_WAVE_SMALL 203u // points of tensors
#define PADICI_TEST_WAVE_ITEMS 64
#endif

PADICI_FN void padici_test_wave_source(uint32_t i, float at[3], float *number, float *turns);
PADICI_FN uint32_t padici_test_wave_each(const padici_gpu_case *c);
PADICI_FN void padici_test_wave_tiles(uint32_t items, uint32_t each, uint32_t log[3],
                                      uint32_t count[3], uint32_t tiles[3]);
PADICI_FN uint32_t padici_test_wave_point(uint32_t listed, uint32_t items, uint32_t each,
                                          uint32_t tile, uint32_t item, uint32_t p, uint32_t n);
PADICI_FN PADICI_NOINLINE padic_result padici_test_wave_answer(padici_gpu_case *c,
                                                               padic_wave_superpose_desc *desc,
                                                               uint32_t mode, uint32_t tiles,
                                                               float *field);
PADICI_FN double padici_test_wave_records(uint32_t mode, uint32_t kernel, uint32_t absorb,
                                          double *space, float *record);
PADICI_FN void padici_test_wave_points(uint32_t kernel, uint32_t n, float *points);
PADICI_FN void padici_test_wave_tensors(padic_wave_superpose_desc *desc, double *space,
                                        float *points, uint32_t n, uint32_t absorb);
PADICI_FN void padici_test_wave_grid(padici_gpu_wave *w, uint32_t kernel, uint32_t each);
PADICI_FN void padici_test_wave_params(padici_gpu_wave *w, uint32_t mode, uint32_t kernel,
                                       uint32_t listed, uint32_t n, uint32_t each);
PADICI_FN padic_result padici_test_wave_told(padici_gpu_case *c, uint32_t tiles);
PADICI_FN padic_result padici_test_wave_field(padici_gpu_case *c);
PADICI_FN void padici_test_wave_near(uint32_t kernel, uint32_t n, const float *at, float *points);
PADICI_FN void padici_test_wave_listed(padici_k_wave_sources_params *k, uint32_t m, uint32_t n,
                                       uint32_t absorb);
PADICI_FN padic_result padici_test_wave_small(padici_gpu_case *c);
PADICI_FN void padici_test_wave_given(padici_k_wave_sources_params *k, uint32_t n);
PADICI_FN padic_result padici_test_wave_sources(padici_gpu_case *c);

#endif
