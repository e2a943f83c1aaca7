#include "kernels.h"

#if PADICI_IMPLEMENT_FFT

// The plain kernels, in f64: what the formulas say, a number at a time.

#define PADICI_FFT_LANES 4

// Loops over arrays of one butterfly must unroll, so that these stay in registers.
#if defined(__clang__)
#define PADICI_FFT_UNROLL _Pragma("unroll")
#elif defined(__GNUC__)
#define PADICI_FFT_UNROLL _Pragma("GCC unroll 8")
#else
#define PADICI_FFT_UNROLL
#endif

// Sums over j of a[j] exp(-2 pi i j k / n), k < n, in place; n odd: by cosines and sines of the
// pairs a[j], a[n - j].
PADICI_INLINE void padici_fft_odd(uint32_t n, double *re, double *im)
{
    const uint32_t half = n / 2;
    double sum[2][4], difference[2][4];
    const double re0 = re[0], im0 = im[0];
    uint32_t j, k;
    PADICI_FFT_UNROLL
    for (j = 1; j <= half; j++) {
        sum[0][j] = re[j] + re[n - j];
        sum[1][j] = im[j] + im[n - j];
        difference[0][j] = re[j] - re[n - j];
        difference[1][j] = im[j] - im[n - j];
        re[0] += sum[0][j];
        im[0] += sum[1][j];
    }
    PADICI_FFT_UNROLL
    for (k = 1; k <= half; k++) {
        double even_re = re0, even_im = im0, odd_re = 0, odd_im = 0;
        PADICI_FFT_UNROLL
        for (j = 1; j <= half; j++) {
            const uint32_t turn = j * k % n, at = turn <= half ? turn : n - turn;
            const double c = padici_fft_odd_cos(n, at);
            const double s = turn <= half ? padici_fft_odd_sin(n, at) : -padici_fft_odd_sin(n, at);
            even_re += c * sum[0][j];
            even_im += c * sum[1][j];
            odd_re += s * difference[0][j];
            odd_im += s * difference[1][j];
        }
        re[k] = even_re + odd_im; // minus i times the odd part
        im[k] = even_im - odd_re;
        re[n - k] = even_re - odd_im;
        im[n - k] = even_im + odd_re;
    }
}

PADICI_INLINE void padici_fft_four(double *re, double *im, uint32_t step)
{
    const double a = re[0] + re[2 * step], b = im[0] + im[2 * step];
    const double c = re[0] - re[2 * step], d = im[0] - im[2 * step];
    const double e = re[step] + re[3 * step], f = im[step] + im[3 * step];
    const double g = re[step] - re[3 * step], h = im[step] - im[3 * step];
    re[0] = a + e;
    im[0] = b + f;
    re[step] = c + h;
    im[step] = d - g;
    re[2 * step] = a - e;
    im[2 * step] = b - f;
    re[3 * step] = c - h;
    im[3 * step] = d + g;
}

PADICI_INLINE void padici_fft_two(double *re, double *im)
{
    const double a = re[1], b = im[1];
    re[1] = re[0] - a;
    im[1] = im[0] - b;
    re[0] += a;
    im[0] += b;
}

PADICI_INLINE void padici_fft_eight(double *re, double *im)
{
    const double h = 0.70710678118654752440;
    double a[8], b[8];
    uint32_t k;
    padici_fft_four(re, im, 2);
    padici_fft_four(re + 1, im + 1, 2);
    PADICI_FFT_UNROLL
    for (k = 0; k < 8; k++) a[k] = re[k], b[k] = im[k];
    a[3] = h * (re[3] + im[3]), b[3] = h * (im[3] - re[3]);
    a[5] = im[5], b[5] = -re[5];
    a[7] = h * (im[7] - re[7]), b[7] = -h * (im[7] + re[7]);
    PADICI_FFT_UNROLL
    for (k = 0; k < 4; k++) {
        re[k] = a[2 * k] + a[2 * k + 1];
        im[k] = b[2 * k] + b[2 * k + 1];
        re[k + 4] = a[2 * k] - a[2 * k + 1];
        im[k + 4] = b[2 * k] - b[2 * k + 1];
    }
}

PADICI_INLINE void padici_fft_dft(uint32_t radix, double *re, double *im)
{
    switch (radix) {
    case 2: padici_fft_two(re, im); break;
    case 4: padici_fft_four(re, im, 1); break;
    case 8: padici_fft_eight(re, im); break;
    default: padici_fft_odd(radix, re, im);
    }
}

// A stage, its radix being constant where it is called.
PADICI_INLINE void padici_fft_stage_of(uint32_t radix, const padici_fft_stage *s, const double *x,
                                       double *y)
{
    const size_t vector = 2 * PADICI_FFT_LANES, done = (size_t)s->done * vector;
    const size_t rest = (size_t)s->rest;
    const double *w = (const double *)s->twiddle;
    size_t p, q, l;
    uint32_t k;
    for (p = 0; p < rest; p++, w += 2 * (radix - 1))
        for (q = 0; q < done; q += vector)
            for (l = q; l < q + PADICI_FFT_LANES; l++) {
                double re[8], im[8];
                double *to = y + radix * p * done + l;
                PADICI_FFT_UNROLL
                for (k = 0; k < radix; k++) {
                    re[k] = x[(p + rest * k) * done + l];
                    im[k] = x[(p + rest * k) * done + l + PADICI_FFT_LANES];
                }
                padici_fft_dft(radix, re, im);
                to[0] = re[0];
                to[PADICI_FFT_LANES] = im[0];
                PADICI_FFT_UNROLL
                for (k = 1; k < radix; k++) {
                    const double c = w[2 * k - 2], i = w[2 * k - 1];
                    to[k * done] = c * re[k] - i * im[k];
                    to[k * done + PADICI_FFT_LANES] = c * im[k] + i * re[k];
                }
            }
}

static void padici_fft_plain_stage(const padici_fft_stage *s, const void *x_, void *y_)
{
    const double *x = (const double *)x_;
    double *y = (double *)y_;
    switch (s->radix) {
    case 2: padici_fft_stage_of(2, s, x, y); break;
    case 3: padici_fft_stage_of(3, s, x, y); break;
    case 4: padici_fft_stage_of(4, s, x, y); break;
    case 5: padici_fft_stage_of(5, s, x, y); break;
    case 7: padici_fft_stage_of(7, s, x, y); break;
    default: padici_fft_stage_of(8, s, x, y);
    }
}

static void padici_fft_plain_load(const padici_fft_view *view, void *block)
{
    padici_fft_load_any(view, PADICI_FFT_LANES, 1, block);
}

static void padici_fft_plain_store(const padici_fft_view *view, const void *block)
{
    padici_fft_store_any(view, PADICI_FFT_LANES, 1, block);
}

static void padici_fft_plain_load_stage(const padici_fft_view *view, const padici_fft_stage *s,
                                        void *x, void *y)
{
    padici_fft_plain_load(view, x);
    padici_fft_plain_stage(s, x, y);
}

static void padici_fft_plain_stage_store(const padici_fft_view *view, const padici_fft_stage *s,
                                         const void *x, void *y)
{
    padici_fft_plain_stage(s, x, y);
    padici_fft_plain_store(view, y);
}

static void padici_fft_plain_twist(const padici_fft_twist *t, const void *block)
{
    const double *x = (const double *)block, *w = (const double *)t->twiddle;
    const double *f = (const double *)t->factor;
    uint64_t row;
    uint32_t l;
    for (row = 0; row < t->rows; row++, x += 2 * PADICI_FFT_LANES, w += 2 * PADICI_FFT_LANES) {
        double *to = (double *)(void *)(t->to + row / PADICI_FFT_LANES * t->next) +
                     row % PADICI_FFT_LANES;
        for (l = 0; l < t->columns; l++, to += 2 * PADICI_FFT_LANES) {
            double c = w[l], s = w[l + PADICI_FFT_LANES];
            const double re = x[l], im = x[l + PADICI_FFT_LANES];
            if (f) {
                const double both = c * f[2 * row] - s * f[2 * row + 1];
                s = c * f[2 * row + 1] + s * f[2 * row];
                c = both;
            }
            to[0] = c * re - s * im;
            to[PADICI_FFT_LANES] = c * im + s * re;
        }
    }
}

// With E, O the spectra of even and odd places, Z = E + i O: X_k = E_k + w^k O_k, and X_(h-k) is
// conj(E_k - w^k O_k), h = n/2.
static void padici_fft_plain_split(uint64_t n, uint32_t lanes, const void *roots, void *block)
{
    const double *w = (const double *)roots;
    const double half = 0.5;
    const uint64_t h = n / 2;
    uint64_t k;
    uint32_t l;
    for (k = 0; 2 * k <= h; k++, w += 2) {
        double *a = (double *)block + 2 * k * lanes;
        double *b = (double *)block + 2 * (h - k) * lanes;
        const double *z = k ? b : a;
        for (l = 0; l < lanes; l++) {
            const double er = half * (a[l] + z[l]), ei = half * (a[l + lanes] - z[l + lanes]);
            const double dr = half * (a[l + lanes] + z[l + lanes]), di = half * (z[l] - a[l]);
            const double tr = w[0] * dr - w[1] * di, ti = w[0] * di + w[1] * dr;
            a[l] = er + tr;
            a[l + lanes] = ei + ti;
            b[l] = er - tr;
            b[l + lanes] = ti - ei;
        }
    }
}

static void padici_fft_plain_merge(uint64_t n, uint32_t lanes, const void *roots, void *block)
{
    const double *w = (const double *)roots;
    const uint64_t h = n / 2;
    uint64_t k;
    uint32_t l;
    for (k = 0; 2 * k <= h; k++, w += 2) {
        double *a = (double *)block + 2 * k * lanes;
        double *b = (double *)block + 2 * (h - k) * lanes;
        for (l = 0; l < lanes; l++) {
            const double ai = k ? a[l + lanes] : 0, bi = k ? b[l + lanes] : 0;
            const double er = a[l] + b[l], ei = ai - bi;
            const double dr = a[l] - b[l], di = ai + bi;
            const double tr = w[0] * dr + w[1] * di, ti = w[0] * di - w[1] * dr;
            b[l + lanes] = er + ti; // conj(E) + i conj(O), its parts swapped
            b[l] = tr - ei;
            a[l + lanes] = er - ti; // E + i O; after b, which it is in the middle
            a[l] = ei + tr;
        }
    }
}

static void padici_fft_plain_multiply(uint64_t n, const void *factors, void *line)
{
    const double *w = (const double *)factors;
    double *x = (double *)line;
    uint64_t k;
    for (k = 0; k < n; k++, w += 2, x += 2) {
        // A sum with -w[1]: gcc 12 makes a fused operation of a difference beside a sum even with
        // -ffp-contract=off, as soon as it sees them as one complex product.
        const double re = w[0] * x[0] + -w[1] * x[1];
        x[1] = w[0] * x[1] + w[1] * x[0];
        x[0] = re;
    }
}

PADICI_FN const padici_fft_kernels *padici_fft_plain(void)
{
    static const padici_fft_kernels kernels = {
        PADICI_FFT_LANES,       1, 8, padici_fft_plain_stage, padici_fft_plain_load,
        padici_fft_plain_store, padici_fft_plain_load_stage, padici_fft_plain_stage_store,
        padici_fft_plain_twist, padici_fft_plain_split,
        padici_fft_plain_merge, padici_fft_plain_multiply, NULL};
    return &kernels;
}

#undef PADICI_FFT_LANES
#undef PADICI_FFT_UNROLL

#endif
