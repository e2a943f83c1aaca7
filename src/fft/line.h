#pragma once
#include "../core/platform.h"
#include "plan.h"

#ifndef PADIC_NO_FFT

PADICI_FN void *padici_fft_stages_run(const padici_fft_kernels *kernels,
                                      const padici_fft_stages *stages, void *x, void *y);
PADICI_FN void *padici_fft_stages_load(const padici_fft_kernels *kernels,
                                       const padici_fft_stages *stages,
                                       const padici_fft_view *view, uint32_t count, void *x,
                                       void *y);
PADICI_FN void padici_fft_stages_store(const padici_fft_kernels *kernels,
                                       const padici_fft_stages *stages,
                                       const padici_fft_view *view, uint32_t first, void *x,
                                       void *y);
PADICI_FN void padici_fft_line_run(const padic_fft_plan *plan, const padici_fft_line *line,
                                   const padici_fft_view *from, const padici_fft_view *to,
                                   uint32_t worker, const padic_jobs *jobs);
PADICI_FN void padici_fft_axis_begin(const padic_fft_plan *plan, padici_fft_sweep *sweep,
                                     int worked);
PADICI_FN void padici_fft_axis_parts(const padic_fft_plan *plan, const padici_fft_sweep *sweep,
                                     uint64_t first, uint64_t end, uint32_t worker);
PADICI_FN void padici_fft_axis_twice(const padic_fft_plan *plan, const padici_fft_twice *twice,
                                     uint64_t first, uint64_t end, uint32_t worker);
PADICI_FN void padici_fft_axis_run(const padic_fft_plan *plan, const padic_jobs *jobs,
                                   const padici_fft_sweep *sweep);

#endif
