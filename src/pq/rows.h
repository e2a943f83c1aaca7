#pragma once
#include "kernels.h"
#include "shape.h"

#ifndef PADIC_NO_PQ

// Rows of keys or values, by the kernels where their components lie side by side.

enum { PADICI_PQ_SPLIT = 64 }; // rows at a time

PADICI_FN void padici_pq_rows_dots(const padici_pq_kernels *kernels, const double *q,
                                   const padici_pq_view *view, const char *const *row, uint64_t n,
                                   uint64_t d, double *out);
PADICI_FN void padici_pq_rows_add(const padici_pq_kernels *kernels, const double *w,
                                  const padici_pq_view *view, const char *const *row, uint64_t n,
                                  uint64_t d, double *o);

#endif
