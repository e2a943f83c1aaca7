#include "green.h"

#if PADICI_IMPLEMENT_WAVE

// Green functions in one, two and three dimensions with their softening, and the Bessel and Hankel
// functions that they need.

// J0 + i Y0, J1 + i Y1 for 0 < x < 25, by the recurrence run downwards (Miller), which is stable:
// J0 + 2 (J2 + J4 + ...) = 1, Y0 = 2/pi ((ln(x/2) + gamma) J0 + 2 (J2 - J4/2 + J6/3 - ...)), and
// Y1 = -Y0' with 2 J_n' = J_(n-1) - J_(n+1):
// Y1 = 2/pi ((ln(x/2) + gamma) J1 - J0/x - J1 + (1 + 1/2) J3 - (1/2 + 1/3) J5 + ...).
static void padici_wave_bessel(double x, padici_complex h[2])
{
    const double gamma = 0.5772156649015328606;
    const int top = x < 1 ? 24 : 64;
    double above = 0, here = 1e-250, below, norm = 0, sum = 0, odd = 0, logarithm;
    int n;
    logarithm = log(x / 2) + gamma;
    if (x < 1e-8) { // x^2/4 is lost beside 1
        h[0].re = 1;
        h[0].im = 4 / PADICI_TWO_PI * logarithm;
        h[1].re = x / 2;
        h[1].im = -4 / PADICI_TWO_PI / x;
        return;
    }
    for (n = top; n > 0; n--) { // here = J_n
        if (!(n & 1)) {
            norm += 2 * here;
            sum += (n & 2 ? 4 : -4) * here / n;
        } else if (n > 1) {
            odd += (n & 2 ? 1 : -1) * here * (2.0 / (n - 1) + 2.0 / (n + 1));
        }
        below = 2 * n / x * here - above;
        above = here;
        here = below;
        if (fabs(here) > 1e200) { // only ratios matter
            here *= 1e-250;
            above *= 1e-250;
            norm *= 1e-250;
            sum *= 1e-250;
            odd *= 1e-250;
        }
    }
    norm += here;
    h[0].re = here / norm;
    h[0].im = 4 / PADICI_TWO_PI * (logarithm * h[0].re + sum / norm);
    h[1].re = above / norm;
    h[1].im = 4 / PADICI_TWO_PI * ((logarithm - 1) * h[1].re - h[0].re / x + odd / norm);
}

// H_n^(1)(x) e^{-ix} for n = 0, 1 and x >= 25: sqrt(2/(pi x)) e^{-i pi/4} (-i)^n sum a_j (i/x)^j
// with a_j = a_(j-1) (4 n^2 - (2j - 1)^2)/(8j) (Abramowitz and Stegun 9.2.7), until a term is below
// rounding.
static padici_complex padici_wave_hankel(double x, int order)
{
    const double size = sqrt(4 / (PADICI_TWO_PI * x) / 2); // with the sqrt(1/2) of e^{-i pi/4}
    double term = 1, p = 1, q = 0;
    padici_complex h;
    int j;
    for (j = 1; j < 50 && fabs(term) > 1e-18; j++) {
        term *= (4.0 * order - (2.0 * j - 1) * (2.0 * j - 1)) / (8.0 * j * x);
        if (j & 1)
            q += j & 2 ? -term : term;
        else
            p += j & 2 ? -term : term;
    }
    h.re = size * (order ? q - p : p + q); // (p + iq)(1 - i), by -i for order 1
    h.im = size * (order ? -p - q : q - p);
    return h;
}

// H0^(1)(x) or H1^(1)(x), x > 0.
PADICI_FN padici_complex padici_wave_hankel_at(double x, int order)
{
    padici_complex h[2], g;
    double c, s, back;
    if (x < 25) {
        padici_wave_bessel(x, h);
        return h[order];
    }
    h[0] = padici_wave_hankel(x, order);
    c = cos(x);
    s = sin(x);
    back = -h[0].im; // gcc takes a difference beside the sum for one instruction, which is fused
    g.re = h[0].re * c + back * s;
    g.im = h[0].re * s + h[0].im * c;
    return g;
}

// The field of a source of amplitude 1 and phase 0 at distance r.
static padici_complex padici_wave_green2(double k, double r)
{
    const padici_complex h = padici_wave_hankel_at(fabs(k) * r, 0);
    padici_complex g;
    g.re = -h.im / 4; // i/4 times it
    g.im = k < 0 ? -h.re / 4 : h.re / 4;
    return g;
}

static padici_complex padici_wave_shell(double k, double r, double a)
{
    const double inner = r < a ? r : a, outer = r < a ? a : r;
    const double size = (k * inner == 0 ? 1 : sin(k * inner) / (k * inner)) / outer;
    padici_complex g;
    g.re = size * cos(k * outer);
    g.im = size * sin(k * outer);
    return g;
}

PADICI_FN padici_complex padici_wave_green(const padic_wave_superpose_desc *desc, double a,
                                           double k, double r)
{
    padici_complex g;
    double size = r, real;
    if (desc->kernel == PADIC_WAVE_KERNEL_GREEN2) return padici_wave_green2(k, r);
    if (desc->softening == PADIC_WAVE_SOFTENING_SHELL) {
        g = padici_wave_shell(k, r, a);
        size = 1;
    } else {
        if (desc->softening == PADIC_WAVE_SOFTENING_PLUMMER) size = sqrt(r * r + a * a);
        if (desc->softening == PADIC_WAVE_SOFTENING_ADDED) size = r + a;
        g.re = cos(k * r);
        g.im = sin(k * r);
    }
    if (desc->kernel == PADIC_WAVE_KERNEL_GREEN1) {
        real = g.re;
        g.re = -g.im / (2 * k);
        g.im = real / (2 * k);
        return g;
    }
    if (desc->kernel == PADIC_WAVE_KERNEL_GREEN3) size *= 2 * PADICI_TWO_PI;
    if (desc->kernel == PADIC_WAVE_KERNEL_SQRT) size = sqrt(size);
    g.re /= size;
    g.im /= size;
    return g;
}

#endif
