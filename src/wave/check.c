#include "check.h"
#include "../context/messages.h"
#include "../context/ops.h"
#include "../core/log.h"
#include "../core/view.h"
#include "source.h"

#if PADICI_IMPLEMENT_WAVE

// Checks of the desc of a superposition, in the order of its fields. Each says what is wrong.

PADICI_FN PADICI_NOINLINE padic_result padici_wave_bad(padic_context *context, padic_result result,
                                                       const char *sentence)
{
    return padici_fail_here(context, result, sentence);
}

PADICI_FN int padici_wave_finite(double x)
{
    return x - x == 0;
}

// So that no square and no product of two overflows.
#define PADICI_WAVE_MOST 1e150

PADICI_FN int padici_wave_within(double x)
{
    return fabs(x) <= PADICI_WAVE_MOST;
}

static padic_result padici_wave_bad_value(padic_context *context, const char *name, int finite)
{
    char space[160];
    padici_text text;
    padici_text_begin(&text, space, sizeof space);
    padici_text_add(&text, name);
    padici_text_add(&text, finite ? " is beyond 1e150; choose other units" : " is not finite");
    return padici_wave_bad(context, finite ? PADIC_ERROR_LIMIT : PADIC_ERROR_NOT_FINITE, space);
}

PADICI_FN padic_result padici_wave_check_positions(padic_context *context, const padic_tensor *t,
                                                   uint32_t dimensions, const char *shape,
                                                   const char *dimension)
{
    if (t->rank != 2 || !t->shape[1] || t->shape[1] > 3)
        return padici_wave_bad(context, PADIC_ERROR_MISMATCH, shape);
    if (t->shape[1] > dimensions) return padici_wave_bad(context, PADIC_ERROR_MISMATCH, dimension);
    return PADIC_OK;
}

// GREEN1 lives on a line, GREEN2 in a plane.
PADICI_FN uint32_t padici_wave_dimensions(const padic_wave_superpose_desc *desc)
{
    return desc->kernel == PADIC_WAVE_KERNEL_GREEN1 ? 1 : desc->kernel == PADIC_WAVE_KERNEL_GREEN2
        ? 2 : 3;
}

static padic_result padici_wave_check_tensors(padic_context *context,
                                              const padic_wave_superpose_desc *desc)
{
    static const char *const names[5] = {
        "amplitude is not (M) or of rank 0, f32 or f64",
        "phase is not (M) or of rank 0, f32 or f64",
        "wavenumber is not (M) or of rank 0, f32 or f64",
        "frequency is not (M) or of rank 0, f32 or f64",
        "absorption is not (M) or of rank 0, f32 or f64"};
    const padic_tensor *tensors[5];
    const uint32_t dimensions = padici_wave_dimensions(desc);
    padic_result result;
    uint32_t i;
    tensors[0] = &desc->amplitude;
    tensors[1] = &desc->phase;
    tensors[2] = &desc->wavenumber;
    tensors[3] = &desc->frequency;
    tensors[4] = &desc->absorption;
    result = padici_wave_check_positions(context, &desc->sources, dimensions,
                                         "sources is not (M, D) with D = 1, 2 or 3",
                                         "sources has more dimensions than the kernel");
    if (result) return result;
    if (desc->sources.dtype != PADIC_F32 && desc->sources.dtype != PADIC_F64)
        return padici_wave_bad(context, PADIC_ERROR_DTYPE, "sources is not f32 or f64");
    for (i = 0; i < 5; i++) {
        const padic_tensor *t = tensors[i];
        if (t->dtype == PADIC_DTYPE_NONE) continue;
        if (t->dtype != PADIC_F32 && t->dtype != PADIC_F64)
            return padici_wave_bad(context, PADIC_ERROR_DTYPE, names[i]);
        if (t->rank > 1 || (t->rank == 1 && t->shape[0] != desc->sources.shape[0]))
            return padici_wave_bad(context, PADIC_ERROR_MISMATCH, names[i]);
    }
    if (desc->wavenumber.dtype == PADIC_DTYPE_NONE && desc->frequency.dtype == PADIC_DTYPE_NONE)
        return padici_wave_bad(context, PADIC_ERROR_ARGUMENT,
                               "neither wavenumber nor frequency is given");
    return PADIC_OK;
}

PADICI_FN padic_result padici_wave_check_points(padic_context *context,
                                                const padic_wave_superpose_desc *desc)
{
    const padic_wave_grid *grid = &desc->grid;
    const uint32_t dimensions = padici_wave_dimensions(desc);
    const int listed = desc->points.dtype != PADIC_DTYPE_NONE;
    const int gridded = grid->count[0] || grid->count[1] || grid->count[2];
    double step[3][3], box[2][3];
    uint32_t i, j;
    int fine = 1;
    if (listed == gridded)
        return padici_wave_bad(context, PADIC_ERROR_ARGUMENT,
                               listed ? "both points and grid.count are given"
                                      : "neither points nor grid.count is given");
    if (listed) {
        if (desc->points.dtype != PADIC_F32 && desc->points.dtype != PADIC_F64)
            return padici_wave_bad(context, PADIC_ERROR_DTYPE, "points is not f32 or f64");
        return padici_wave_check_positions(context, &desc->points, dimensions,
                                           "points is not (N, D) with D = 1, 2 or 3",
                                           "points has more dimensions than the kernel");
    }
    for (i = 0; i < 3; i++) {
        if (i >= dimensions && grid->count[i] > 1)
            return padici_wave_bad(context, PADIC_ERROR_MISMATCH,
                                   "grid has more dimensions than the kernel");
        fine = fine && padici_wave_finite(grid->origin[i]) && padici_wave_finite(grid->step[i]);
        for (j = 0; j < 3; j++) fine = fine && padici_wave_finite(grid->axis[i][j]);
    }
    if (!fine) return padici_wave_bad(context, PADIC_ERROR_NOT_FINITE, "grid is not finite");
    padici_wave_steps(grid, step);
    padici_wave_box_grid(grid, box);
    for (i = 0; i < 3; i++)
        for (j = 0; j < 3; j++)
            fine = fine && padici_wave_within(step[i][j]) && padici_wave_within(box[0][j]) &&
                   padici_wave_within(box[1][j]);
    return fine ? PADIC_OK : padici_wave_bad_value(context, "grid", 1);
}

PADICI_FN PADICI_NOINLINE padic_result padici_wave_check_out(padic_context *context,
                                                             const padic_wave_superpose_desc *desc)
{
    const padic_tensor *out = &desc->out;
    const uint32_t rgba = desc->output == PADIC_WAVE_OUTPUT_RGBA8, rank = out->rank - rgba;
    const int real = desc->output != PADIC_WAVE_OUTPUT_COMPLEX && !rgba;
    uint32_t i;
    if ((rgba && out->dtype != PADIC_U8) ||
        (real && out->dtype != PADIC_F32 && out->dtype != PADIC_F64) ||
        (!rgba && !real && out->dtype != PADIC_C64 && out->dtype != PADIC_C128))
        return padici_wave_bad(context, PADIC_ERROR_DTYPE, "output and the dtype of out disagree");
    if (out->rank < rgba || (rgba && out->shape[rank] != 4))
        return padici_wave_bad(context, PADIC_ERROR_MISMATCH, "out has no last axis of 4");
    if (desc->points.dtype != PADIC_DTYPE_NONE) {
        if (rank != 1 || out->shape[0] != desc->points.shape[0])
            return padici_wave_bad(context, PADIC_ERROR_MISMATCH, "out is not (N)");
        return PADIC_OK;
    }
    if (rank > 3) return padici_wave_bad(context, PADIC_ERROR_MISMATCH, "out is not grid.count");
    for (i = 0; i < 3; i++) {
        const uint64_t count = desc->grid.count[i] ? desc->grid.count[i] : 1;
        if ((i < rank ? out->shape[i] : 1) != count)
            return padici_wave_bad(context, PADIC_ERROR_MISMATCH, "out is not grid.count");
    }
    return PADIC_OK;
}

static padic_result padici_wave_check_softening(padic_context *context,
                                                const padic_wave_superpose_desc *desc)
{
    const uint32_t kernel = 1u << (uint32_t)desc->kernel;
    const uint32_t point = 1u << PADIC_WAVE_KERNEL_POINT3 | 1u << PADIC_WAVE_KERNEL_GREEN3;
    const uint32_t root = point | 1u << PADIC_WAVE_KERNEL_SQRT;
    uint32_t valid;
    switch (desc->softening) {
    case PADIC_WAVE_SOFTENING_NONE: return PADIC_OK;
    case PADIC_WAVE_SOFTENING_PLUMMER_BOTH: valid = root | 1u << PADIC_WAVE_KERNEL_GREEN2; break;
    case PADIC_WAVE_SOFTENING_SHELL: valid = point; break;
    default: valid = root; break;
    }
    if (!(valid & kernel))
        return padici_wave_bad(context, PADIC_ERROR_ARGUMENT,
                               "softening is not valid for the kernel");
    if (padici_wave_length(desc) == 0)
        return padici_wave_bad(context, PADIC_ERROR_ARGUMENT,
                               "length is 0: this softening needs one");
    if (padici_wave_length(desc) < 1 / PADICI_WAVE_MOST)
        return padici_wave_bad(context, PADIC_ERROR_LIMIT,
                               "length is below 1e-150; choose other units");
    return PADIC_OK;
}

PADICI_FN padic_result padici_wave_check_tone(padic_context *context,
                                              const padic_wave_superpose_desc *desc)
{
    const padic_wave_tone *tone = &desc->tone;
    double low, high;
    if (desc->output != PADIC_WAVE_OUTPUT_RGBA8) return PADIC_OK;
    if ((uint32_t)tone->value > PADIC_WAVE_OUTPUT_PHASE ||
        (uint32_t)tone->curve > PADIC_WAVE_CURVE_LOG ||
        (uint32_t)tone->map > PADIC_WAVE_MAP_TABLE)
        return padici_wave_bad(context, PADIC_ERROR_ARGUMENT,
                               "tone.value, tone.curve or tone.map is an unknown enum");
    if (tone->map == PADIC_WAVE_MAP_TABLE && !tone->table)
        return padici_wave_bad(context, PADIC_ERROR_ARGUMENT, "tone.table is NULL");
    padici_wave_tone_range(tone, &low, &high);
    if (!padici_wave_finite(low) || !padici_wave_finite(high) || !(high > low || (high > 0 &&
        tone->curve != PADIC_WAVE_CURVE_LINEAR)) || (tone->curve == PADIC_WAVE_CURVE_LOG &&
                                                     !(low > 0)))
        return padici_wave_bad(context, PADIC_ERROR_ARGUMENT,
                               "tone.low and tone.high are no range for the curve");
    return PADIC_OK;
}

PADICI_FN padic_result padici_wave_check_scalars(padic_context *context,
                                                 const padic_wave_superpose_desc *desc)
{
    const padic_result argument = PADIC_ERROR_ARGUMENT;
    if ((uint32_t)desc->kernel > PADIC_WAVE_KERNEL_SQRT)
        return padici_wave_bad(context, argument, "kernel is no padic_wave_kernel");
    if ((uint32_t)desc->sign > PADIC_WAVE_SIGN_INCOMING)
        return padici_wave_bad(context, argument, "sign is no padic_wave_sign");
    if ((uint32_t)desc->softening > PADIC_WAVE_SOFTENING_CLAMP)
        return padici_wave_bad(context, argument, "softening is no padic_wave_softening");
    if ((uint32_t)desc->output > PADIC_WAVE_OUTPUT_RGBA8)
        return padici_wave_bad(context, argument, "output is no padic_wave_output");
    if (desc->flags & ~(uint32_t)(PADIC_WAVE_FLAG_ACCUMULATE | PADIC_WAVE_FLAG_CHECK_FINITE))
        return padici_wave_bad(context, argument, "flags has an unknown bit");
    if ((desc->flags & PADIC_WAVE_FLAG_ACCUMULATE) && desc->output != PADIC_WAVE_OUTPUT_COMPLEX)
        return padici_wave_bad(context, argument, "flags has ACCUMULATE, output is not COMPLEX");
    if (!(desc->speed >= 0) || !padici_wave_finite(desc->speed))
        return padici_wave_bad(context, argument, "speed is negative or not finite");
    if (!padici_wave_finite(desc->time))
        return padici_wave_bad(context, PADIC_ERROR_NOT_FINITE, "time is not finite");
    if (!(desc->length >= 0) || !padici_wave_finite(desc->length))
        return padici_wave_bad(context, argument, "length is negative or not finite");
    if (!(desc->tolerance >= 0) || !padici_wave_finite(desc->tolerance))
        return padici_wave_bad(context, PADIC_ERROR_TOLERANCE,
                               "tolerance is negative or not finite");
    if (!padici_wave_within(desc->time)) return padici_wave_bad_value(context, "time", 1);
    if (!padici_wave_within(desc->speed)) return padici_wave_bad_value(context, "speed", 1);
    if (!padici_wave_within(desc->length)) return padici_wave_bad_value(context, "length", 1);
    if (desc->tolerance > 0 && desc->tolerance < 2e-7 && !padici_wave_is_f64(desc))
        return padici_wave_bad(context, PADIC_ERROR_NOT_SUPPORTED,
                               "tolerance below 2e-7 turns needs f64: let out be c128 or f64");
    return PADIC_OK;
}

// Whether n numbers in a row of f32 are finite; two at a time: adding 1 to an exponent of ones
// reaches the sign's place.
static int padici_wave_finite_row(const char *from, uint64_t n)
{
    const uint64_t rest = UINT64_C(0x7fffffff7fffffff), one = UINT64_C(0x0080000000800000);
    uint64_t i, pair, seen = 0;
    uint32_t last = 0;
    for (i = 0; i + 1 < n; i += 2, from += 8) {
        memcpy(&pair, from, 8);
        seen |= (pair & rest) + one;
    }
    if (i < n) memcpy(&last, from, 4);
    seen |= (last & UINT64_C(0x7fffffff)) + UINT64_C(0x800000);
    return !(seen & ~rest);
}

PADICI_FN padic_result padici_wave_check_finite(padic_context *context, const padic_tensor *t,
                                                const char *name)
{
    const uint64_t rows = t->rank ? t->shape[0] : 1;
    int64_t stride[PADIC_MAX_RANK];
    uint64_t i;
    double at[3];
    if (!t->data || t->dtype == PADIC_DTYPE_NONE) return PADIC_OK;
    padici_tensor_dense(t, stride);
    if (t->dtype == PADIC_F32 && t->rank == 2 && stride[1] == 1 &&
        stride[0] == (int64_t)t->shape[1])
        return padici_wave_finite_row((const char *)t->data, rows * t->shape[1])
                   ? PADIC_OK
                   : padici_wave_bad_value(context, name, 0);
    for (i = 0; i < rows; i++) {
        if (t->rank > 1) {
            padici_wave_position(t, stride, i, at);
        } else {
            at[0] = padici_wave_value(t, i, 0);
            at[1] = at[2] = 0;
        }
        if (!padici_wave_finite(at[0]) || !padici_wave_finite(at[1]) || !padici_wave_finite(at[2]))
            return padici_wave_bad_value(context, name, 0);
        if (!padici_wave_within(at[0]) || !padici_wave_within(at[1]) || !padici_wave_within(at[2]))
            return padici_wave_bad_value(context, name, 1);
    }
    return PADIC_OK;
}

// The values in host memory: those of tensors with `data`.
PADICI_FN padic_result padici_wave_check_values(padic_context *context,
                                                const padic_wave_superpose_desc *desc)
{
    const int waves = desc->kernel == PADIC_WAVE_KERNEL_GREEN1 ||
        desc->kernel == PADIC_WAVE_KERNEL_GREEN2;
    const padic_tensor *k = &desc->wavenumber, *w = &desc->frequency;
    const padic_tensor *of = k->dtype != PADIC_DTYPE_NONE ? k : w;
    uint64_t i, n = of->rank ? of->shape[0] : 1;
    padic_result result;
    result = padici_wave_check_finite(context, &desc->points, "points");
    if (!result)
        result = padici_wave_check_finite(context, &desc->sources, "sources");
    if (!result) result = padici_wave_check_finite(context, k, "wavenumber");
    if (!result) result = padici_wave_check_finite(context, w, "frequency");
    for (i = 0; waves && of->data && i < n && !result; i++)
        if (padici_wave_value(of, i, 0) == 0)
            result = padici_wave_bad(context, PADIC_ERROR_DOMAIN,
                                     "wavenumber 0, or frequency 0, has no wave in one or two "
                                     "dimensions");
    for (i = 0; desc->speed > 0 && of->data && i < n && !result; i++) {
        const double x = padici_wave_value(of, i, 0);
        if (!padici_wave_within(x * desc->speed) || !padici_wave_within(x / desc->speed))
            result = padici_wave_bad_value(context, "frequency/speed or wavenumber speed", 1);
    }
    return result;
}

PADICI_FN padic_result padici_wave_superpose_check(padic_context *context, const void *desc_)
{
    const padic_wave_superpose_desc *desc = (const padic_wave_superpose_desc *)desc_;
    padic_result result = padici_wave_check_scalars(context, desc);
    if (!result) result = padici_wave_check_points(context, desc);
    if (!result) result = padici_wave_check_tensors(context, desc);
    if (!result) result = padici_wave_check_out(context, desc);
    if (!result) result = padici_wave_check_softening(context, desc);
    if (!result) result = padici_wave_check_tone(context, desc);
    if (!result) result = padici_wave_check_values(context, desc);
    return result;
}

#undef PADICI_WAVE_MOST

#endif
