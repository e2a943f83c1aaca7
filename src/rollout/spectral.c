#include "spectral.h"
#include "../context/ops.h"
#include "../core/memory.h"
#include "../core/words.h"
#include "random.h"

#if PADICI_IMPLEMENT_ROLLOUT

// Gaussian fields by their spectrum.

PADICI_FN const char *padici_rollout_spectrum_fault(const padic_rollout_spectrum *s)
{
    const double largest = 1.7976931348623157e308;
    switch (s->kind) {
    case PADIC_ROLLOUT_SPECTRUM_GAUSSIAN:
        return s->ell >= 0 && s->ell <= largest ? NULL
                                                : "has an ell that is negative or not finite";
    case PADIC_ROLLOUT_SPECTRUM_MATERN:
        if (!(s->ell > 0 && s->ell <= largest))
            return "has an ell that is not above 0 or not finite";
        return s->nu >= 0 && s->nu <= 1e6 ? NULL : "has a nu that is negative or above 10^6";
    case PADIC_ROLLOUT_SPECTRUM_POWER:
        return s->alpha >= -64 && s->alpha <= 64 ? NULL : "has an alpha outside -64 to 64";
    case PADIC_ROLLOUT_SPECTRUM_BAND:
        return s->low < s->high ? NULL : "has no low < high";
    default: return "has a kind that is no padic_rollout_spectrum_kind";
    }
}

// Whether the blocks of all modes have 32 bits.
PADICI_FN int padici_rollout_spectral_fits(uint64_t height, uint64_t width, uint64_t channels)
{
    const uint64_t shells = (height > width ? height : width) / 2 + 1;
    return shells < 65536 && channels < 65536 &&
           (2 * shells * shells + 1) * channels <= (uint64_t)1 << 32;
}

static double padici_rollout_spectrum_of(const padic_rollout_spectrum *s, double qx, double qy,
                                         double width, double height)
{
    const double turn = 6.283185307179586477, q2 = qx * qx + qy * qy;
    const double kx = turn * qx / width, ky = turn * qy / height, k2 = kx * kx + ky * ky;
    double nu;
    switch (s->kind) {
    case PADIC_ROLLOUT_SPECTRUM_MATERN:
        nu = s->nu > 0 ? s->nu : 1;
        return pow(1 + k2 * s->ell / (2 * nu) * s->ell, -(nu + 1)); // times a constant
    case PADIC_ROLLOUT_SPECTRUM_POWER: return q2 > 0 ? pow(q2, -0.5 * s->alpha) : 0;
    case PADIC_ROLLOUT_SPECTRUM_BAND: return sqrt(q2) >= s->low && sqrt(q2) < s->high;
    default: return exp(-0.5 * k2 * s->ell * s->ell);
    }
}

// Rows and columns that are kept: row y stands for q_y, columns for q_x >= 0.
static int64_t padici_rollout_row(uint64_t y, uint64_t height)
{
    return 2 * y < height ? (int64_t)y : (int64_t)y - (int64_t)height;
}

static int padici_rollout_kept(uint64_t i, uint64_t n)
{
    return 2 * i != n;
}

PADICI_FN void padici_rollout_spectral_end(padici_rollout_spectral *s)
{
    padic_fft_plan_destroy(s->plan);
    if (s->memory) padici_free(s->allocator, s->memory, (size_t)s->bytes);
    s->plan = NULL;
    s->memory = NULL;
}

PADICI_FN padic_result padici_rollout_spectral_begin(padici_rollout_spectral *s,
                                                     const padic_env *env, uint64_t height,
                                                     uint64_t width)
{
    padic_env alone; // without workers
    padici_fft_shape shape;
    uint64_t numbers, half;
    padic_result result;
    memset(s, 0, sizeof *s);
    memset(&alone, 0, sizeof alone);
    s->allocator = alone.allocator = env ? env->allocator : NULL;
    s->height = height;
    s->width = width;
    s->columns = width / 2 + 1;
    if (!padici_mul_u64(height, s->columns, &half) || !padici_mul_u64(half, 5, &numbers) ||
        numbers >> 56 || numbers * 8 > (size_t)-1 / 2)
        return PADIC_ERROR_LIMIT;
    s->bytes = 8 * numbers;
    s->memory = (double *)padici_alloc(s->allocator, (size_t)s->bytes, 64);
    if (!s->memory) return PADIC_ERROR_MEMORY;
    s->spectrum = s->memory;
    s->field = s->memory + 2 * half;
    s->amplitude = s->memory + 4 * half; // half >= height width / 2
    s->fft.in = padic_tensor_2d(PADIC_C128, s->spectrum, height, s->columns);
    s->fft.out = padic_tensor_2d(PADIC_F64, s->field, height, width);
    s->fft.axis_count = 2;
    s->fft.axis[1] = 1;
    s->fft.direction = PADIC_FFT_INVERSE;
    s->fft.scale = PADIC_FFT_SCALE_NONE;
    padici_fft_shape_of(&s->fft, &shape);
    result = padici_fft_plan_make(env ? &alone : NULL, NULL, padici_fft_plain(), &shape, &s->plan);
    s->fft.plan = s->plan;
    if (result) padici_rollout_spectral_end(s);
    return result;
}

// 0: the spectrum is 0 on this grid.
PADICI_FN int padici_rollout_spectral_set(padici_rollout_spectral *s,
                                          const padic_rollout_spectrum *spectrum)
{
    double sum = 0, scale;
    uint64_t x, y;
    for (y = 0; y < s->height; y++)
        for (x = 0; x < s->columns; x++) {
            double *at = &s->amplitude[y * s->columns + x];
            *at = 0;
            if (!padici_rollout_kept(y, s->height) || !padici_rollout_kept(x, s->width)) continue;
            *at = padici_rollout_spectrum_of(spectrum, (double)x,
                                             (double)padici_rollout_row(y, s->height),
                                             (double)s->width, (double)s->height);
            sum += x ? 2 * *at : *at;
        }
    if (!(sum > 1e-300 && sum <= 1.7976931348623157e308)) return 0;
    scale = 1 / sum;
    for (x = 0; x < s->height * s->columns; x++) s->amplitude[x] = sqrt(s->amplitude[x] * scale);
    return 1;
}

// Rank in the half plane, from the middle outwards.
static uint64_t padici_rollout_rank(int64_t x, int64_t y)
{
    const int64_t up = y < 0 ? -y : y, s = x > up ? x : up, inner = 2 * s - 1;
    int64_t place;
    if (!s) return 0;
    if (y == s) place = x;
    else if (x == s) place = s + (s - y);
    else place = 3 * s + (s - x);
    return (uint64_t)((inner * inner + 1) / 2 + place);
}

// field = the draw of channel `channel` of `channels`, of unit variance.
PADICI_FN void padici_rollout_spectral_draw(padici_rollout_spectral *s, uint64_t seed,
                                            uint64_t stream, uint32_t step, uint32_t channels,
                                            uint32_t channel)
{
    uint64_t x, y;
    for (y = 0; y < s->height; y++)
        for (x = 0; x < s->columns; x++) {
            const int64_t row = padici_rollout_row(y, s->height);
            const double a = s->amplitude[y * s->columns + x];
            double *z = &s->spectrum[2 * (y * s->columns + x)];
            uint32_t word[4];
            if (!x && row < 0 && padici_rollout_kept(y, s->height)) continue; // a conjugate
            z[0] = z[1] = 0;
            if (a > 0) {
                const uint64_t rank = padici_rollout_rank((int64_t)x, row);
                padici_rollout_words(seed, stream, step, (uint32_t)(rank * channels + channel),
                                     word);
                z[0] = a * (double)padic_random_normal(word[0]);
                if (rank) {
                    z[0] *= 0.70710678118654752440;
                    z[1] = a * 0.70710678118654752440 * (double)padic_random_normal(word[1]);
                }
            }
            if (x || !y) continue;
            z = &s->spectrum[2 * (s->height - y) * s->columns];
            z[0] = s->spectrum[2 * y * s->columns];
            z[1] = -s->spectrum[2 * y * s->columns + 1];
        }
    padici_fft_run(NULL, padici_fft_plain(), &s->fft);
}

PADICI_FN void padici_rollout_spectral_forward(padici_rollout_spectral *s)
{
    padic_fft_transform_desc forward = s->fft;
    forward.in = s->fft.out;
    forward.out = s->fft.in;
    forward.direction = PADIC_FFT_FORWARD;
    padici_fft_run(NULL, padici_fft_plain(), &forward);
}

#endif
