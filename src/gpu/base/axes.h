#pragma once
#include "../../context/operation.h"
#include "../../core/platform.h"

// One or two views of one shape as units of 1, 2 or 4 bytes, innermost axis first.
typedef struct padici_gpu_axes {
    uint32_t axes, unit;
    uint64_t extent[PADIC_MAX_RANK + 1], stride[2][PADIC_MAX_RANK + 1], base[2]; // in units
} padici_gpu_axes;

PADICI_FN void padici_gpu_axes_begin(padici_gpu_axes *x, const padici_operand *a,
                                     const padici_operand *b, uint32_t unit);

// A launch covers at most 2^31 units and strides below 2^32: the inner `whole` axes, and `piece`
// coordinates of the next one. The other axes are iterated here.
typedef struct padici_gpu_slices {
    uint32_t whole;
    uint64_t piece, inner;               // inner: units of the whole axes
    uint64_t index[PADIC_MAX_RANK + 2];  // of axes from `whole` on
    uint64_t at[2], unit, count;         // this slice: base, number of its first unit, units
    uint64_t extent;                     // of axis `whole` in this slice; 1 when there is none
} padici_gpu_slices;

PADICI_FN void padici_gpu_slices_begin(const padici_gpu_axes *x, padici_gpu_slices *s);
PADICI_FN int padici_gpu_slices_next(const padici_gpu_axes *x, padici_gpu_slices *s);
PADICI_FN uint32_t padici_gpu_divide(const padici_gpu_axes *x, const padici_gpu_slices *s,
                                     uint32_t extent[9], uint32_t magic[9], uint32_t shift[9]);
