#include "bound.h"
#include "../context/ops.h"
#include "../context/messages.h"
#include "../core/log.h"
#include "../core/view.h"
#include "check.h"
#include "source.h"

#if PADICI_IMPLEMENT_WAVE

// Bounds of the error, in turns: how far points and sources lie from each other, and what rounding
// makes of that in f64 and in f32.

// Box of rows of positions: low, high.
static void padici_wave_box(const padic_tensor *t, double box[2][3])
{
    int64_t stride[PADIC_MAX_RANK];
    uint64_t i;
    uint32_t j;
    double at[3];
    padici_tensor_dense(t, stride);
    for (i = 0; i < t->shape[0]; i++) {
        padici_wave_position(t, stride, i, at);
        for (j = 0; j < 3; j++) {
            if (!i || at[j] < box[0][j]) box[0][j] = at[j];
            if (!i || at[j] > box[1][j]) box[1][j] = at[j];
        }
    }
}

// How far from 0 what the points of a grid are summed of may be.
PADICI_FN double padici_wave_place(const padic_wave_grid *grid)
{
    double step[3][3], far2 = 0;
    uint32_t i, j;
    padici_wave_steps(grid, step);
    for (j = 0; j < 3; j++) {
        double far_ = fabs(grid->origin[j]);
        for (i = 0; i < 3; i++)
            if (grid->count[i] > 1) far_ += (grid->count[i] - 1.0) * fabs(step[i][j]);
        far2 += far_ * far_;
    }
    return sqrt(far2);
}

// How far points and sources may be from each other, in wavelengths, and, of a grid, how far from 0
// what its points are summed of may be, and its largest step (`step` may be NULL).
PADICI_FN void padici_wave_extent(const padic_wave_superpose_desc *desc, double *turns,
                                  double *place, double *step)
{
    double points[2][3] = {{0, 0, 0}, {0, 0, 0}}, sources[2][3] = {{0, 0, 0}, {0, 0, 0}}, r2 = 0;
    double wavenumber = 0, far_ = 0, longest = 0, steps[3][3], a = padici_wave_length(desc);
    const double speed = desc->speed > 0 ? desc->speed : 1;
    const padic_wave_grid *grid = &desc->grid;
    uint64_t i;
    uint32_t j;
    if (desc->points.dtype != PADIC_DTYPE_NONE) {
        padici_wave_box(&desc->points, points);
    } else {
        padici_wave_box_grid(grid, points);
        far_ = padici_wave_place(grid);
        padici_wave_steps(grid, steps);
        for (j = 0; j < 3; j++) {
            const double *s = steps[j], size = sqrt(s[0] * s[0] + s[1] * s[1] + s[2] * s[2]);
            if (size > longest) longest = size;
        }
    }
    padici_wave_box(&desc->sources, sources);
    for (j = 0; j < 3; j++) {
        const double x = fabs(points[1][j] - sources[0][j]), y = fabs(sources[1][j] - points[0][j]);
        r2 += x > y ? x * x : y * y;
    }
    for (i = 0; i < desc->sources.shape[0]; i++) {
        const double w = padici_wave_frequency(desc, i);
        const double k = fabs(padici_wave_value(&desc->wavenumber, i, w / speed));
        if (k > wavenumber) wavenumber = k;
    }
    *turns = wavenumber * sqrt(r2 + a * a) / PADICI_TWO_PI;
    *place = wavenumber * far_ / PADICI_TWO_PI;
    if (step) *step = wavenumber * longest / PADICI_TWO_PI;
}

// In f64: roundings of k, the differences, the sum of their squares, the root and k r; of a grid
// those of origin + i step; and those of the phase itself, of which w t + p leaves none.
PADICI_FN double padici_wave_bound_f64(double turns, double place)
{
    return (6 * turns + 5 * place + 2) * 1.12e-16;
}

// Turns a wavelength of distance, when k r is computed in f32: 5.5e-7 of r0 + h, which is at most
// sqrt 2 times the longest way.
#define PADICI_WAVE_DIRECT 8e-7
#define PADICI_WAVE_TILE 1024 // points of a device's tile, which may reach beyond its grid

// In f32 each pair takes a way that keeps `tolerance` (see src/gpu/wave), or two-word arithmetic.
static double padici_wave_bound_f32(double turns, double place, double tolerance)
{
    const double direct = PADICI_WAVE_DIRECT * turns + 2e-14 * place + 6e-8;
    double bound = 4e-8 + 2.2e-14 * turns + 2e-14 * place; // two words: 48 bits, of r0 + h
    if (tolerance > bound) bound = tolerance;
    return direct < bound ? direct : bound;
}

// That what a bound needs lies in host memory.
PADICI_FN padic_result padici_wave_bound_memory(padic_context *context,
                                                const padic_wave_superpose_desc *desc,
                                                const padic_tensor *times)
{
    static const char *const names[6] = {"points",    "sources", "wavenumber",
                                         "frequency", "phase",   "times"};
    const padic_tensor *tensors[6];
    uint64_t count;
    uint32_t i;
    tensors[0] = &desc->points;
    tensors[1] = &desc->sources;
    tensors[2] = &desc->wavenumber;
    tensors[3] = &desc->frequency;
    tensors[4] = &desc->phase;
    tensors[5] = times;
    for (i = 0; i < (times ? 6u : 5u); i++) {
        padic_result result;
        if (tensors[i]->dtype == PADIC_DTYPE_NONE) continue;
        result = padici_tensor_check_view(tensors[i], 1, &count);
        if (result) return padici_fail_view(context, result, names[i], tensors[i]);
        if (count && !tensors[i]->data)
            return padici_fail_field(context, PADIC_ERROR_NOT_SUPPORTED, names[i],
                                     "is not in host memory: take error_bound from a report");
    }
    return PADIC_OK;
}

PADICI_FN double padici_wave_bound_any(const padic_wave_superpose_desc *desc)
{
    double turns, place, step;
    if (!desc->sources.shape[0]) return 0;
    padici_wave_extent(desc, &turns, &place, &step);
    if (padici_wave_is_f64(desc)) return padici_wave_bound_f64(turns, place);
    return padici_wave_bound_f32(turns + PADICI_WAVE_TILE * step, place,
                                 desc->tolerance > 0 ? desc->tolerance : 2e-6);
}

PADIC_API padic_result padic_wave_error_bound(padic_context *context,
                                              const padic_wave_superpose_desc *desc)
{
    const char *before;
    padic_result result;
    if (!desc || !desc->report)
        return padici_fail_in(context, PADIC_ERROR_ARGUMENT, "wave_error_bound",
                              "desc or its report is NULL");
    before = padici_enter(context, "wave_error_bound");
    result = padici_wave_bound_memory(context, desc, NULL);
    if (!result) result = padici_wave_superpose_check(context, desc);
    padici_leave(context, before);
    if (!result) desc->report->error_bound = padici_wave_bound_any(desc);
    return result;
}

#undef PADICI_WAVE_DIRECT
#undef PADICI_WAVE_TILE

#endif
