#include "axes.h"
#include "../../core/view.h"

#if PADICI_IMPLEMENT_GPU

// ----------------------------------------------------------------------------------------- >>base
//
// fill, copy and random_fill of tensors with gaps.

// Merges contiguous axes, starting with the bytes of an element.
PADICI_FN void padici_gpu_axes_begin(padici_gpu_axes *x, const padici_operand *a,
                                     const padici_operand *b, uint32_t unit)
{
    const padic_tensor *t = a->tensor;
    const uint64_t size = padic_dtype_size(t->dtype);
    int64_t stride[2][PADIC_MAX_RANK];
    uint64_t all;
    uint32_t i, j;
    memset(x, 0, sizeof *x);
    padici_tensor_dense(t, stride[0]);
    padici_tensor_dense(b ? b->tensor : t, stride[1]);
    x->base[0] = a->now.at;
    x->base[1] = b ? b->now.at : a->now.at;
    x->extent[0] = size;
    x->stride[0][0] = x->stride[1][0] = 1;
    x->axes = 1;
    for (i = t->rank; i > 0; i--) {
        const uint64_t n = t->shape[i - 1], sa = (uint64_t)stride[0][i - 1] * size;
        const uint64_t sb = (uint64_t)stride[1][i - 1] * size;
        const uint32_t last = x->axes - 1;
        if (n == 1) continue;
        if (sa == x->extent[last] * x->stride[0][last] &&
            sb == x->extent[last] * x->stride[1][last]) {
            x->extent[last] *= n;
        } else {
            x->extent[x->axes] = n;
            x->stride[0][x->axes] = sa;
            x->stride[1][x->axes++] = sb;
        }
    }
    all = x->extent[0] | x->base[0] | x->base[1];
    for (i = 1; i < x->axes; i++) all |= x->stride[0][i] | x->stride[1][i];
    while (all & (unit - 1)) unit /= 2;
    x->unit = unit;
    x->extent[0] /= unit;
    for (j = 0; j < 2; j++) {
        x->base[j] /= unit;
        for (i = 1; i < x->axes; i++) x->stride[j][i] /= unit;
    }
    if (x->extent[0] > 1 || x->axes == 1) return;
    for (x->axes--, i = 0; i < x->axes; i++) { // a unit per element: that axis has extent 1
        x->extent[i] = x->extent[i + 1];
        for (j = 0; j < 2; j++) x->stride[j][i] = x->stride[j][i + 1];
    }
}

static void padici_gpu_slice(const padici_gpu_axes *x, padici_gpu_slices *s)
{
    uint64_t step = s->inner;
    uint32_t i, j;
    s->unit = 0;
    for (j = 0; j < 2; j++) s->at[j] = x->base[j];
    for (i = s->whole; i < x->axes; i++) {
        for (j = 0; j < 2; j++) s->at[j] += s->index[i] * x->stride[j][i];
        s->unit += s->index[i] * step;
        step *= x->extent[i];
    }
    s->extent = 1;
    if (s->whole < x->axes) {
        s->extent = x->extent[s->whole] - s->index[s->whole];
        if (s->extent > s->piece) s->extent = s->piece;
    }
    s->count = s->inner * s->extent;
}

PADICI_FN void padici_gpu_slices_begin(const padici_gpu_axes *x, padici_gpu_slices *s)
{
    const uint64_t most = UINT64_C(1) << 31;
    uint32_t i;
    memset(s, 0, sizeof *s);
    s->inner = 1;
    for (i = 0; i < x->axes; i++) {
        if (x->extent[i] > most / s->inner || (x->stride[0][i] | x->stride[1][i]) >> 32) break;
        s->inner *= x->extent[i];
    }
    s->whole = i;
    s->piece = 1;
    if (i < x->axes && !((x->stride[0][i] | x->stride[1][i]) >> 32)) s->piece = most / s->inner;
    padici_gpu_slice(x, s);
}

// The next slice; 0 after the last.
PADICI_FN int padici_gpu_slices_next(const padici_gpu_axes *x, padici_gpu_slices *s)
{
    uint64_t step = s->piece;
    uint32_t i;
    for (i = s->whole; i < x->axes; i++, step = 1) {
        s->index[i] += step;
        if (s->index[i] < x->extent[i]) {
            padici_gpu_slice(x, s);
            return 1;
        }
        s->index[i] = 0;
    }
    return 0;
}

// The number of axes of a launch for this slice, their extents and the constants to divide by them.
PADICI_FN uint32_t padici_gpu_divide(const padici_gpu_axes *x, const padici_gpu_slices *s,
                                     uint32_t extent[9], uint32_t magic[9], uint32_t shift[9])
{
    const uint32_t axes = s->whole < x->axes ? s->whole + 1 : s->whole;
    uint32_t i;
    for (i = 0; i < 9; i++) {
        const uint64_t d = i >= axes ? 1 : i < s->whole ? x->extent[i] : s->extent;
        uint32_t log = 0;
        while (UINT64_C(1) << log < d) log++;
        extent[i] = (uint32_t)d;
        if (i + 1 >= axes) { // the quotient is 0
            magic[i] = 0;
            shift[i] = 31;
        } else {
            magic[i] = (uint32_t)((((UINT64_C(1) << log) - d) << 32) / d + 1);
            shift[i] = log - 1;
        }
    }
    return axes;
}

#endif
