#include "tails.h"

#if PADICI_IMPLEMENT_ROLLOUT

// Normal variables to quantiles of distributions with heavy tails.

// Of the density e^-|l| / 2.
PADICI_FN double padici_rollout_to_laplace(double n)
{
    double size = n < 0 ? -n : n, l;
    if (size > 37) size = 37; // beyond, erfc is 0
    l = -log(erfc(size * 0.70710678118654752440));
    return n < 0 ? -l : l;
}

// ln Gamma(x), x > 0: Stirling's series from 12 on.
static double padici_rollout_ln_gamma(double x)
{
    double shift = 1, i;
    for (; x < 12; x += 1) shift *= x;
    i = 1 / (x * x);
    return (x - 0.5) * log(x) - x + 0.91893853320467274178 - log(shift) +
           (1.0 / 12 - i * (1.0 / 360 - i * (1.0 / 1260 - i * (1.0 / 1680)))) / x;
}

// The continued fraction of the incomplete beta function (DLMF 8.17.22), by Lentz's method.
static double padici_rollout_beta_fraction(double a, double b, double x)
{
    double c = 1, d = 1 - (a + b) * x / (a + 1), h;
    uint32_t m;
    d = 1 / (d < 1e-300 && d > -1e-300 ? 1e-300 : d);
    h = d;
    for (m = 1; m < 1000; m++) {
        const double k = (double)m;
        double term = k * (b - k) * x / ((a + 2 * k - 1) * (a + 2 * k)), change;
        d = 1 + term * d;
        c = 1 + term / c;
        d = 1 / (d < 1e-300 && d > -1e-300 ? 1e-300 : d);
        if (c < 1e-300 && c > -1e-300) c = 1e-300;
        h *= d * c;
        term = -(a + k) * (a + b + k) * x / ((a + 2 * k) * (a + 2 * k + 1));
        d = 1 + term * d;
        c = 1 + term / c;
        d = 1 / (d < 1e-300 && d > -1e-300 ? 1e-300 : d);
        if (c < 1e-300 && c > -1e-300) c = 1e-300;
        change = d * c;
        h *= change;
        if (change > 1 - 1e-15 && change < 1 + 1e-15) break;
    }
    return h;
}

// P(T > t) of Student's distribution, t >= 0; `scale` is 1/B(freedom/2, 1/2).
static double padici_rollout_student_tail(double freedom, double scale, double t)
{
    const double a = freedom / 2, all = freedom + t * t, x = freedom / all, y = t * t / all;
    const double front = scale * exp(a * log(x)) * sqrt(y); // x^a y^(1/2) / B
    if (x < (a + 1) / (a + 2.5)) return 0.5 * front * padici_rollout_beta_fraction(a, 0.5, x) / a;
    return 0.5 - front * padici_rollout_beta_fraction(0.5, a, y);
}

// Newton's method on the logarithms of t and of the tail, which are nearly a line far out, between
// bounds.
static double padici_rollout_student_quantile(double freedom, double scale, double n)
{
    const double p = 0.5 * erfc(n * 0.70710678118654752440);
    double low = 0, high = n, t, next;
    uint32_t i;
    while (padici_rollout_student_tail(freedom, scale, high) > p) {
        low = high;
        high *= 2;
    }
    t = low > 0 ? low : 0.5 * high;
    for (i = 0; i < 200; i++) {
        const double tail = padici_rollout_student_tail(freedom, scale, t);
        const double density = scale / sqrt(freedom) *
                               exp(-0.5 * (freedom + 1) * log(1 + t * t / freedom));
        if (tail > p) low = t;
        else high = t;
        next = t * exp(tail / (t * density) * log(tail / p));
        if (!(next > low && next < high)) next = 0.5 * (low + high);
        if (next - t <= 1e-15 * t && t - next <= 1e-15 * t) break;
        t = next;
    }
    return t;
}

PADICI_FN void padici_rollout_student_begin(padici_rollout_student *s, double freedom)
{
    const double scale = exp(padici_rollout_ln_gamma(0.5 * freedom + 0.5) -
                             padici_rollout_ln_gamma(0.5 * freedom)) /
                         1.77245385090551602730;
    uint32_t i;
    s->freedom = freedom;
    for (i = 0; i < PADICI_ROLLOUT_TAIL_POINTS; i++) {
        const double n = (double)i / 64;
        const double t = i ? padici_rollout_student_quantile(freedom, scale, n) : 0;
        const double density = scale / sqrt(freedom) *
                               exp(-0.5 * (freedom + 1) * log(1 + t * t / freedom));
        s->value[i] = t;
        s->slope[i] = 0.39894228040143267794 * exp(-0.5 * n * n) / density;
    }
}

// Cubic between the points; a line beyond the last, where no variable of 32 bits is.
PADICI_FN double padici_rollout_to_student(const padici_rollout_student *s, double n)
{
    const double size = n < 0 ? -n : n, at = size * 64;
    const uint32_t last = PADICI_ROLLOUT_TAIL_POINTS - 1;
    const uint32_t i = at < (double)last ? (uint32_t)at : last;
    const double h = 1.0 / 64, u = at - (double)i;
    double t, chord;
    if (i == last) {
        t = s->value[last] + s->slope[last] * (size - (double)last * h);
    } else {
        chord = s->value[i + 1] - s->value[i];
        t = s->value[i] +
            u * (h * s->slope[i] +
                 u * (3 * chord - h * (2 * s->slope[i] + s->slope[i + 1]) +
                      u * (h * (s->slope[i] + s->slope[i + 1]) - 2 * chord)));
    }
    return n < 0 ? -t : t;
}

#endif
