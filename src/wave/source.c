#include "source.h"
#include "../context/messages.h"
#include "../core/log.h"
#include "../core/view.h"
#include "../core/words.h"

#if PADICI_IMPLEMENT_WAVE

// ------------------------------------------------------------------------------------ >>wave impl
//
// What the tasks of a field share: the job, its points, and its sources with their wavenumber,
// amplitude and phase.

// One part of the points is done. Not 0: leave the others.
PADICI_FN int padici_wave_stopped(const padici_wave_job *job)
{
    return job->steps && padici_steps_more(job->steps, 1);
}

PADICI_FN void padici_wave_watch(padici_wave_job *job, padici_steps *steps, const padic_env *env,
                                 uint64_t parts)
{
    padici_steps_begin(steps, NULL, env ? env->progress : NULL, parts);
    job->steps = steps;
}

// All workers are back.
PADICI_FN padic_result padici_wave_unwatch(padici_wave_job *job, const padic_env *env)
{
    padici_steps *steps = job->steps;
    job->steps = NULL;
    if (!padici_steps_end(steps)) return PADIC_OK;
    return padici_env_fail(env, PADIC_ERROR_CANCELLED, "the progress hook stopped it midway");
}

// Element i of a tensor (M), or the one of rank 0.
PADICI_FN double padici_wave_value(const padic_tensor *t, uint64_t i, double absent)
{
    const char *from = (const char *)t->data;
    int64_t stride[PADIC_MAX_RANK];
    float single;
    double value;
    if (t->dtype == PADIC_DTYPE_NONE) return absent;
    padici_tensor_dense(t, stride);
    if (t->rank) from += (int64_t)i * stride[0] * (int64_t)padic_dtype_size(t->dtype);
    if (t->dtype == PADIC_F64) return memcpy(&value, from, 8), value;
    return memcpy(&single, from, 4), (double)single;
}

// Row i of a tensor (N, D), with `stride` from padici_tensor_dense().
PADICI_FN void padici_wave_position(const padic_tensor *t, const int64_t stride[2], uint64_t i,
                                    double at[3])
{
    const int64_t size = (int64_t)padic_dtype_size(t->dtype);
    const char *from = (const char *)t->data + (int64_t)i * stride[0] * size;
    uint32_t j;
    float single;
    for (j = 0; j < 3; j++) {
        at[j] = 0;
        if (j >= t->shape[1]) continue;
        if (t->dtype == PADIC_F64) {
            memcpy(&at[j], from + (int64_t)j * stride[1] * size, 8);
        } else {
            memcpy(&single, from + (int64_t)j * stride[1] * size, 4);
            at[j] = single;
        }
    }
}

// w, or c k.
PADICI_FN double padici_wave_frequency(const padic_wave_superpose_desc *desc, uint64_t i)
{
    if (desc->frequency.dtype != PADIC_DTYPE_NONE) return padici_wave_value(&desc->frequency, i, 0);
    return (desc->speed > 0 ? desc->speed : 1) * padici_wave_value(&desc->wavenumber, i, 0);
}

// x, n words of 64 bits, the lowest first, times the integer that |by| is a power of 2 of; returns
// the power. What is beyond n words is lost.
PADICI_FN int32_t padici_wave_multiply(uint64_t *x, uint32_t n, double by)
{
    uint64_t bits, carry = 0;
    uint32_t power, i;
    memcpy(&bits, &by, 8);
    power = (uint32_t)(bits >> 52 & 0x7ff);
    bits = (bits & UINT64_C(0xfffffffffffff)) | (uint64_t)(power != 0) << 52;
    for (i = 0; i < n; i++) {
        const uint64_t low = x[i] * bits, high = padici_mulhi64(x[i], bits);
        x[i] = low + carry;
        carry = high + (x[i] < low);
    }
    return (int32_t)power + (power == 0) - 1075;
}

// 64 digits of 1/2pi, which begin 256 digits of 0 before the point.
PADICI_FN uint64_t padici_wave_digits(uint32_t from)
{
    static const uint32_t digits[49] = {
        0,          0,          0,          0,          0,          0,          0,
        0,          0x28be60db, 0x9391054a, 0x7f09d5f4, 0x7d4d3770, 0x36d8a566, 0x4f10e410,
        0x7f9458ea, 0xf7aef158, 0x6dc91b8e, 0x909374b8, 0x01924bba, 0x82746487, 0x3f877ac7,
        0x2c4a69cf, 0xba208d7d, 0x4baed121, 0x3a671c09, 0xad17df90, 0x4e64758e, 0x60d4ce7d,
        0x272117e2, 0xef7e4a0e, 0xc7fe25ff, 0xf7816603, 0xfbcbc462, 0xd6829b47, 0xdb4d9fb3,
        0xc9f2c26d, 0xd3d18fd9, 0xa797fa8b, 0x5d49eeb1, 0xfaf97c5e, 0xcf41ce7d, 0xe294a4ba,
        0x9afed7ec, 0x47e35742, 0x1580cc11, 0xbf1edaea, 0xfc33ef08, 0x26bd0d87, 0x6a78e458};
    const uint32_t *word = digits + from / 32;
    return ((uint64_t)word[0] << 32 | word[1]) << from % 32 |
           (uint64_t)word[2] << from % 32 >> 32;
}

// The exponent of x as of padici_wave_multiply(), for a product before it is made.
static int32_t padici_wave_power(double x)
{
    uint64_t none = 0;
    return padici_wave_multiply(&none, 0, x);
}

// a b c/2pi without its whole turns, in units of 2^-64 turns, right to 2^-63 of one however large
// the product is, up to 1e300: only those digits of 1/2pi are multiplied that leave more than whole
// turns and reach as far down (Payne and Hanek 1983).
PADICI_FN uint64_t padici_wave_turns(double a, double b, double c)
{
    const int32_t from = 256 + padici_wave_power(a) + padici_wave_power(b) + padici_wave_power(c);
    uint64_t x[4];
    uint32_t i;
    if (from < 0 || from >= 41 * 32) return 0; // below 2^-96, or beyond
    for (i = 0; i < 4; i++) x[i] = padici_wave_digits((uint32_t)from + 64 * (3 - i));
    (void)padici_wave_multiply(x, 4, a);
    (void)padici_wave_multiply(x, 4, b);
    if (c != 1) (void)padici_wave_multiply(x, 4, c);
    else x[3] = x[3] << 52 | x[2] >> 12;
    return ((a < 0) ^ (b < 0) ^ (c < 0)) ? 0 - x[3] : x[3];
}

// w of a source, or k where there is no w; what a time is multiplied by then.
PADICI_FN double padici_wave_rate_of(const padic_wave_superpose_desc *desc, uint64_t i)
{
    return desc->frequency.dtype != PADIC_DTYPE_NONE ? padici_wave_value(&desc->frequency, i, 0)
                                                     : padici_wave_value(&desc->wavenumber, i, 0);
}

PADICI_FN double padici_wave_rate_speed(const padic_wave_superpose_desc *desc)
{
    return desc->frequency.dtype != PADIC_DTYPE_NONE || !(desc->speed > 0) ? 1 : desc->speed;
}

// A phase in radians, at most half a turn; what is not finite in `x` stays so.
PADICI_FN double padici_wave_angle_of(uint64_t turns, double x)
{
    const double part = turns >> 63 ? -(double)(0 - turns) : (double)turns;
    return part * (PADICI_TWO_PI / 18446744073709551616.0) + (x - x);
}

PADICI_FN void padici_wave_source_get(const padic_wave_superpose_desc *desc, uint64_t i,
                                      padici_wave_source *source)
{
    const double speed = desc->speed > 0 ? desc->speed : 1;
    const double frequency = padici_wave_frequency(desc, i);
    const double phase = padici_wave_value(&desc->phase, i, 0);
    int64_t stride[PADIC_MAX_RANK];
    uint64_t turns = 0;
    padici_tensor_dense(&desc->sources, stride);
    padici_wave_position(&desc->sources, stride, i, source->at);
    source->amplitude = padici_wave_value(&desc->amplitude, i, 1);
    source->absorption = padici_wave_value(&desc->absorption, i, 0);
    source->wavenumber = padici_wave_value(&desc->wavenumber, i, frequency / speed);
    if (desc->time != 0)
        turns = padici_wave_turns(padici_wave_rate_of(desc, i), desc->time,
                                  padici_wave_rate_speed(desc));
    if (desc->sign != PADIC_WAVE_SIGN_INCOMING) turns = 0 - turns;
    if (phase != 0) turns += padici_wave_turns(phase, 1, 1);
    source->phase = padici_wave_angle_of(turns, frequency * desc->time + phase);
}

PADICI_FN void padici_wave_point(const padici_wave_job *job, uint64_t i, double at[3])
{
    const padic_wave_superpose_desc *desc = job->desc;
    uint64_t index[3];
    uint32_t j;
    if (desc->points.dtype != PADIC_DTYPE_NONE) {
        padici_wave_position(&desc->points, job->point_stride, i, at);
        return;
    }
    index[2] = i % job->count[2];
    index[1] = i / job->count[2] % job->count[1];
    index[0] = i / job->count[2] / job->count[1];
    for (j = 0; j < 3; j++)
        at[j] = desc->grid.origin[j] + ((double)index[0] * job->step[0][j] +
                                        (double)index[1] * job->step[1][j] +
                                        (double)index[2] * job->step[2][j]);
}

// Items [*first, *end) of task `task` of `tasks`.
PADICI_FN void padici_wave_share(uint64_t items, uint64_t tasks, uint32_t task, uint64_t *first,
                                 uint64_t *end)
{
    const uint64_t each = items / tasks, more = items % tasks;
    *first = each * task + (task < more ? task : more);
    *end = *first + each + (task < more);
}

// step * axis.
PADICI_FN void padici_wave_steps(const padic_wave_grid *grid, double step[3][3])
{
    uint32_t i, j;
    int given = 0;
    for (i = 0; i < 9; i++) given |= grid->axis[i / 3][i % 3] != 0;
    for (i = 0; i < 3; i++)
        for (j = 0; j < 3; j++)
            step[i][j] = grid->step[i] * (given ? grid->axis[i][j] : i == j ? 1 : 0);
}

PADICI_FN int padici_wave_is_f64(const padic_wave_superpose_desc *desc)
{
    return desc->out.dtype == PADIC_C128 || desc->out.dtype == PADIC_F64;
}

PADICI_FN double padici_wave_length(const padic_wave_superpose_desc *desc)
{
    const int widened =
        desc->softening == PADIC_WAVE_SOFTENING_ADDED ||
            desc->softening == PADIC_WAVE_SOFTENING_CLAMP;
    return widened && desc->length == 0 ? 0.1 : desc->length;
}

PADICI_FN void padici_wave_tone_range(const padic_wave_tone *tone, double *low, double *high)
{
    *low = tone->low;
    *high = tone->high;
    if (tone->low != 0 || tone->high != 0) return;
    *low = tone->curve == PADIC_WAVE_CURVE_LOG ? 1 : 0;
    *high = 1;
}

PADICI_FN void padici_wave_job_begin(padici_wave_job *job, const padic_wave_superpose_desc *desc)
{
    int64_t stride[PADIC_MAX_RANK];
    uint32_t i, rank = desc->out.rank - (desc->output == PADIC_WAVE_OUTPUT_RGBA8);
    memset(job, 0, sizeof *job);
    job->desc = desc;
    job->length = padici_wave_length(desc);
    job->sources = desc->sources.shape[0];
    job->points = 1;
    for (i = 0; i < 3; i++) job->count[i] = desc->grid.count[i] ? desc->grid.count[i] : 1;
    if (desc->points.dtype != PADIC_DTYPE_NONE) { // a list is a grid of one axis
        job->count[0] = desc->points.shape[0];
        padici_tensor_dense(&desc->points, stride);
        job->point_stride[0] = stride[0];
        job->point_stride[1] = stride[1];
    }
    for (i = 0; i < 3; i++) job->points *= job->count[i];
    if (desc->out.dtype != PADIC_DTYPE_NONE) {
        padici_tensor_dense(&desc->out, stride);
        for (i = 0; i < rank; i++) job->stride[i] = stride[i];
        job->stride[3] = stride[rank];
    }
    padici_wave_steps(&desc->grid, job->step);
    padici_wave_tone_range(&desc->tone, &job->low, &job->high);
    job->least = padici_wave_is_f64(desc) ? DBL_MIN : (double)FLT_MIN;
    job->passes = (job->points + PADICI_WAVE_POINTS - 1) / PADICI_WAVE_POINTS;
    job->slice_count = job->passes < PADICI_WAVE_SLICES ? job->passes : PADICI_WAVE_SLICES;
}

PADICI_FN void padici_wave_box_grid(const padic_wave_grid *grid, double box[2][3])
{
    double step[3][3];
    uint32_t i, j;
    padici_wave_steps(grid, step);
    for (j = 0; j < 3; j++) {
        box[0][j] = box[1][j] = grid->origin[j];
        for (i = 0; i < 3; i++) {
            const double reach = grid->count[i] > 1 ? (grid->count[i] - 1.0) * step[i][j] : 0;
            box[reach > 0][j] += reach;
        }
    }
}

#endif
