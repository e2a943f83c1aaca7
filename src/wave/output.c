#include "output.h"

#if PADICI_IMPLEMENT_WAVE

// What is written of psi: complex numbers, one real observable, or pixels of a tone curve.

PADICI_FN padici_complex padici_wave_load(const padic_tensor *t, int64_t at)
{
    padici_complex z;
    float single[2];
    if (t->dtype == PADIC_C128) {
        memcpy(&z, (const char *)t->data + 16 * at, 16);
    } else {
        memcpy(single, (const char *)t->data + 8 * at, 8);
        z.re = (double)single[0];
        z.im = (double)single[1];
    }
    return z;
}

// z, or 2^-*power z, near to 1, where its square would be beyond F64 or lose digits.
PADICI_FN padici_complex padici_wave_near(padici_complex z, int *power)
{
    const double x = fabs(z.re), y = fabs(z.im), large = x > y ? x : y;
    *power = 0;
    if ((large > 1e-140 && large < 1e140) || !(large > 0) || !(x - x == 0) || !(y - y == 0))
        return z;
    frexp(large, power);
    z.re = ldexp(z.re, -*power);
    z.im = ldexp(z.im, -*power);
    return z;
}

static double padici_wave_amplitude(padici_complex z)
{
    int power;
    double size;
    z = padici_wave_near(z, &power);
    size = sqrt(z.re * z.re + z.im * z.im);
    return power ? ldexp(size, power) : size;
}

PADICI_FN double padici_wave_real(padic_wave_output output, padici_complex psi)
{
    switch (output) {
    case PADIC_WAVE_OUTPUT_REAL: return psi.re;
    case PADIC_WAVE_OUTPUT_AMPLITUDE: return padici_wave_amplitude(psi);
    case PADIC_WAVE_OUTPUT_PHASE: // + 0.0: pi, not -pi, for an im of -0
        return psi.re == 0 && psi.im == 0 ? 0 : atan2(psi.im + 0.0, psi.re);
    default: return psi.re * psi.re + psi.im * psi.im;
    }
}

static uint8_t padici_wave_byte(double x)
{
    return (uint8_t)(x <= 0 ? 0 : x >= 1 ? 255 : floor(255 * x + 0.5));
}

// Hue (in turns) and value, at full saturation.
static void padici_wave_hue(double turns, double value, uint8_t pixel[4])
{
    static const double from_red[3] = {0, 1.0 / 3, 2.0 / 3};
    uint32_t i;
    for (i = 0; i < 3; i++) { // 1 within a sixth of its own hue, 0 from a third on
        double away = turns - from_red[i];
        away = fabs(away - floor(away + 0.5));
        away = 2 - 6 * away;
        pixel[i] = padici_wave_byte(value * (away < 0 ? 0 : away > 1 ? 1 : away));
    }
}

PADICI_FN void padici_wave_pixel(const padici_wave_job *job, padici_complex psi, double v,
                                 uint8_t pixel[4])
{
    static const uint8_t magenta[4] = {255, 0, 255, 255};
    const padic_wave_tone *tone = &job->desc->tone;
    const uint8_t *bad = tone->nan_colour;
    double x;
    if (v != v) {
        memcpy(pixel, bad[0] || bad[1] || bad[2] || bad[3] ? bad : magenta, 4);
        return;
    }
    if (tone->curve == PADIC_WAVE_CURVE_REINHARD)
        x = v <= 0                     ? 0
            : v >= DBL_MAX             ? 1
            : v + job->high <= DBL_MAX ? v / (v + job->high)
                                       : v / 2 / (v / 2 + job->high / 2);
    else if (tone->curve == PADIC_WAVE_CURVE_LOG)
        x = v <= 0 ? 0 : log(1 + v / job->low) / log(1 + job->high / job->low);
    else
        x = job->high - job->low <= DBL_MAX
                ? (v - job->low) / (job->high - job->low)
                : (v / 2 - job->low / 2) / (job->high / 2 - job->low / 2);
    x = x <= 0 ? 0 : x >= 1 ? 1 : x;
    pixel[0] = pixel[1] = pixel[2] = padici_wave_byte(x);
    pixel[3] = 255;
    if (tone->map == PADIC_WAVE_MAP_HEAT) {
        pixel[0] = padici_wave_byte(3 * x);
        pixel[1] = padici_wave_byte(3 * x - 1);
        pixel[2] = padici_wave_byte(3 * x - 2);
    } else if (tone->map == PADIC_WAVE_MAP_HUE) {
        padici_wave_hue(padici_wave_real(PADIC_WAVE_OUTPUT_PHASE, psi) / PADICI_TWO_PI, x, pixel);
    } else if (tone->map == PADIC_WAVE_MAP_TABLE) {
        memcpy(pixel, tone->table + 4 * (size_t)pixel[0], 4);
    }
}

PADICI_FN void padici_wave_store_rgba(const padici_wave_job *job, padici_wave_slice *slice,
                                      padici_complex psi, char *to)
{
    const padic_wave_tone *tone = &job->desc->tone;
    const double v = padici_wave_real(tone->value, psi);
    uint8_t pixel[4];
    uint32_t j;
    padici_wave_pixel(job, psi, v, pixel);
    for (j = 0; j < 4; j++) to[(int64_t)j * job->stride[3]] = (char)pixel[j];
    if (v < slice->low && v >= -DBL_MAX) slice->low = v;
    if (v > slice->high && v <= DBL_MAX) slice->high = v;
}

// Where point i lies in a tensor of the points' shape, in elements.
PADICI_FN int64_t padici_wave_index(const padici_wave_job *job, const int64_t stride[3], uint64_t i)
{
    return (int64_t)(i % job->count[2]) * stride[2] +
           (int64_t)(i / job->count[2] % job->count[1]) * stride[1] +
           (int64_t)(i / job->count[2] / job->count[1]) * stride[0];
}

// One value of f32, f64 (the real part), c64 or c128, perhaps added to what is there (complex).
PADICI_FN void padici_wave_put(const padic_tensor *out, int64_t at, padici_complex z,
                               int accumulate)
{
    char *to = (char *)out->data + at * (int64_t)padic_dtype_size(out->dtype);
    double pair[2];
    float single[2];
    pair[0] = z.re;
    pair[1] = z.im;
    if (accumulate) {
        if (out->dtype == PADIC_C128) {
            double old[2];
            memcpy(old, to, 16);
            pair[0] += old[0];
            pair[1] += old[1];
        } else {
            memcpy(single, to, 8);
            pair[0] += (double)single[0];
            pair[1] += (double)single[1];
        }
    }
    single[0] = (float)pair[0];
    single[1] = (float)pair[1];
    switch (out->dtype) {
    case PADIC_C128: memcpy(to, pair, 16); break;
    case PADIC_F64: memcpy(to, pair, 8); break;
    case PADIC_C64: memcpy(to, single, 8); break;
    default: memcpy(to, single, 4); break;
    }
}

// What `output` makes of psi, `at` elements into out.
PADICI_FN void padici_wave_store_at(const padici_wave_job *job, padici_wave_slice *slice,
                                    int64_t at, padici_complex psi)
{
    const padic_wave_superpose_desc *desc = job->desc;
    if (desc->output == PADIC_WAVE_OUTPUT_RGBA8) {
        padici_wave_store_rgba(job, slice, psi, (char *)desc->out.data + at);
        return;
    }
    if (desc->output != PADIC_WAVE_OUTPUT_COMPLEX) psi.re = padici_wave_real(desc->output, psi);
    padici_wave_put(&desc->out, at, psi, (desc->flags & PADIC_WAVE_FLAG_ACCUMULATE) != 0);
}

PADICI_FN void padici_wave_store(const padici_wave_job *job, padici_wave_slice *slice, uint64_t i,
                                 padici_complex psi)
{
    padici_wave_store_at(job, slice, padici_wave_index(job, job->stride, i), psi);
}

#endif
