#include "roots.h"
#include "../core/memory.h"

#if PADICI_IMPLEMENT_FFT

// ------------------------------------------------------------------------------------ >>fft impl

// Roots of unity by Taylor series and the addition theorem, in pairs of doubles and without libm:
// the same bits everywhere. Halves of the circle, quarters and eighths come from one eighth, so
// that symmetric roots are exactly symmetric.

static padici_fft_pair padici_fft_pair_sum(double a, double b) // exactly
{
    padici_fft_pair s;
    double part;
    s.high = a + b;
    part = s.high - a;
    s.low = (a - (s.high - part)) + (b - part);
    return s;
}

static padici_fft_pair padici_fft_pair_product(double a, double b) // exactly, Dekker
{
    const double a1 = 134217729 * a, b1 = 134217729 * b;
    const double ah = a1 - (a1 - a), bh = b1 - (b1 - b), al = a - ah, bl = b - bh;
    padici_fft_pair p;
    p.high = a * b;
    p.low = ((ah * bh - p.high) + ah * bl + al * bh) + al * bl;
    return p;
}

static padici_fft_pair padici_fft_pair_add(padici_fft_pair a, padici_fft_pair b)
{
    padici_fft_pair s = padici_fft_pair_sum(a.high, b.high);
    const padici_fft_pair low = padici_fft_pair_sum(a.low, b.low);
    s = padici_fft_pair_sum(s.high, s.low + low.high);
    return padici_fft_pair_sum(s.high, s.low + low.low);
}

static padici_fft_pair padici_fft_pair_mul(padici_fft_pair a, padici_fft_pair b)
{
    const padici_fft_pair p = padici_fft_pair_product(a.high, b.high);
    return padici_fft_pair_sum(p.high, p.low + (a.high * b.low + a.low * b.high));
}

static padici_fft_pair padici_fft_pair_over(padici_fft_pair a, double b)
{
    const double q = a.high / b;
    const padici_fft_pair p = padici_fft_pair_product(q, b);
    return padici_fft_pair_sum(q, ((a.high - p.high) - p.low + a.low) / b);
}

// Cosine and sine of pi/4 part/n, 0 <= part <= n.
static void padici_fft_angle(uint64_t part, uint64_t n, padici_fft_pair out[2])
{
    padici_fft_pair x = {0.78539816339744830962, 3.0616169978683830180e-17}, whole, square, term;
    uint32_t i;
    whole.high = (double)part;
    whole.low = 0;
    x = padici_fft_pair_over(padici_fft_pair_mul(x, whole), (double)n);
    square = padici_fft_pair_mul(x, x);
    square.high = -square.high;
    square.low = -square.low;
    term.high = 1;
    term.low = 0;
    out[0] = term;
    out[1] = x;
    for (i = 1; i < 16; i++) {
        term = padici_fft_pair_over(padici_fft_pair_mul(term, square), 2 * i * (2 * i - 1));
        out[0] = padici_fft_pair_add(out[0], term);
        x = padici_fft_pair_over(padici_fft_pair_mul(x, square), 2 * i * (2 * i + 1));
        out[1] = padici_fft_pair_add(out[1], x);
    }
}

PADICI_FN padic_result padici_fft_roots_begin(padici_fft_roots *roots,
                                              const padic_allocator *allocator, uint64_t n)
{
    uint64_t i, count;
    roots->n = n;
    roots->step = 1;
    while (roots->step * roots->step < n) roots->step *= 2;
    count = n / roots->step + 1;
    roots->allocator = allocator;
    roots->size = (size_t)(2 * (count + roots->step)) * sizeof *roots->fine;
    roots->fine = (padici_fft_pair *)padici_alloc(allocator, roots->size, 16);
    if (!roots->fine) return PADIC_ERROR_MEMORY;
    roots->coarse = roots->fine + 2 * roots->step;
    for (i = 0; i < roots->step && i <= n; i++) padici_fft_angle(i, n, roots->fine + 2 * i);
    for (i = 0; i < count; i++) padici_fft_angle(i * roots->step, n, roots->coarse + 2 * i);
    return PADIC_OK;
}

PADICI_FN void padici_fft_roots_end(padici_fft_roots *roots)
{
    padici_free(roots->allocator, roots->fine, roots->size);
    roots->fine = NULL;
}

// exp(-2 pi i k / n), k < n.
PADICI_FN void padici_fft_root(const padici_fft_roots *roots, uint64_t k, double out[2])
{
    const uint64_t n = roots->n;
    const padici_fft_pair *a, *b;
    padici_fft_pair c, s, minus;
    uint64_t part = 8 * k; // of 8 n
    int below = 1, left = 0, swap = 0;
    if (part > 4 * n) part = 8 * n - part, below = 0;
    if (part > 2 * n) part = 4 * n - part, left = 1;
    if (part > n) part = 2 * n - part, swap = 1;
    a = roots->coarse + 2 * (part / roots->step);
    b = roots->fine + 2 * (part % roots->step);
    minus = padici_fft_pair_mul(a[1], b[1]);
    minus.high = -minus.high;
    minus.low = -minus.low;
    c = padici_fft_pair_add(padici_fft_pair_mul(a[0], b[0]), minus);
    s = padici_fft_pair_add(padici_fft_pair_mul(a[1], b[0]), padici_fft_pair_mul(a[0], b[1]));
    if (part == n) s = c; // an eighth
    out[0] = swap ? s.high : c.high;
    out[1] = swap ? c.high : s.high;
    if (left) out[0] = -out[0];
    if (below) out[1] = -out[1];
}

#endif
