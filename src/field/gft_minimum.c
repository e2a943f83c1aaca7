#include "../context/messages.h"
#include "../core/platform.h"
#include "gft.h"
#include "number.h"

#if PADICI_IMPLEMENT_FIELD

// Stationary points of a homogeneous condensate's potential: positive roots of a sum of powers.
// With s = e^t it is a sum of exponentials c_i e^(a_i t); divided by the one of the least a, its
// derivative has a term less. So the roots of a sum lie between those of the next, down to two
// terms, whose root is a logarithm.

#define PADICI_FIELD_GFT_SUM (PADIC_FIELD_TERMS + 1)

typedef struct padici_field_gft_sum { // in order of a
    uint32_t count;
    int sign[PADICI_FIELD_GFT_SUM];
    double log[PADICI_FIELD_GFT_SUM], a[PADICI_FIELD_GFT_SUM]; // of |c|
} padici_field_gft_sum;

// The sum's sign; 0 within rounding.
static int padici_field_gft_sign(const padici_field_gft_sum *sum, double t)
{
    double most = -DBL_MAX, value = 0;
    uint32_t i;
    for (i = 0; i < sum->count; i++)
        if (sum->log[i] + sum->a[i] * t > most) most = sum->log[i] + sum->a[i] * t;
    for (i = 0; i < sum->count; i++)
        value += sum->sign[i] * exp(sum->log[i] + sum->a[i] * t - most);
    return (value > 1e-14) - (value < -1e-14);
}

static void padici_field_gft_derive(const padici_field_gft_sum *sum, padici_field_gft_sum *next)
{
    uint32_t i;
    next->count = sum->count - 1;
    for (i = 0; i < next->count; i++) {
        next->a[i] = sum->a[i + 1] - sum->a[0];
        next->sign[i] = sum->sign[i + 1];
        next->log[i] = sum->log[i + 1] + log(next->a[i]);
    }
}

// The root between low and high, where the signs are `below` and its opposite.
static double padici_field_gft_bisect(const padici_field_gft_sum *sum, double low, double high,
                                      int below)
{
    uint32_t i;
    for (i = 0; i < 200; i++) {
        const double middle = low + 0.5 * (high - low);
        const int sign = padici_field_gft_sign(sum, middle);
        if (middle <= low || middle >= high || sign == 0) return middle;
        if (sign == below) low = middle;
        else high = middle;
    }
    return low;
}

// A place on the way from t to minus or plus infinity that has the sign the sum has there.
static double padici_field_gft_outward(const padici_field_gft_sum *sum, double t, int right)
{
    const int sign = sum->sign[right ? sum->count - 1 : 0];
    double step = right ? 1 : -1;
    while (fabs(step) < 1e300 && padici_field_gft_sign(sum, t + step) != sign) step *= 2;
    return t + step;
}

// Roots of the sum, between `inner`, those of the next.
static uint32_t padici_field_gft_between(const padici_field_gft_sum *sum, const double *inner,
                                         uint32_t inner_count, double *out)
{
    const int last = sum->sign[sum->count - 1];
    double low = padici_field_gft_outward(sum, inner_count ? inner[0] : 0, 0), high;
    int below = sum->sign[0], above;
    uint32_t i, n = 0;
    for (i = 0; i <= inner_count; i++) {
        high = i < inner_count
                   ? inner[i]
                   : padici_field_gft_outward(sum, inner_count ? inner[i - 1] : 0, 1);
        above = i < inner_count ? padici_field_gft_sign(sum, high) : last;
        if (below * above < 0) out[n++] = padici_field_gft_bisect(sum, low, high, below);
        if (above == 0) out[n++] = high; // touches 0 there
        low = high;
        below = above;
    }
    return n;
}

// The logarithms of the positive roots, ascending.
static uint32_t padici_field_gft_roots(const padici_field_gft_sum *sum, double *out)
{
    padici_field_gft_sum level[PADICI_FIELD_GFT_SUM];
    double inner[PADICI_FIELD_GFT_SUM];
    uint32_t depth = 0, n = 0;
    if (sum->count < 2) return 0;
    level[0] = *sum;
    for (; level[depth].count > 2; depth++)
        padici_field_gft_derive(&level[depth], &level[depth + 1]);
    if (level[depth].sign[0] != level[depth].sign[1])
        out[n++] = (level[depth].log[0] - level[depth].log[1]) /
                   (level[depth].a[1] - level[depth].a[0]);
    while (depth--) {
        memcpy(inner, out, n * sizeof *inner);
        n = padici_field_gft_between(&level[depth], inner, n, out);
    }
    return n;
}

// B + sum g s^(p - 2) as such a sum: terms of one exponent added, those of 0 left out.
static void padici_field_gft_collect(const padic_field_gft_minimum_desc *desc,
                                     padici_field_gft_sum *sum)
{
    double c[PADICI_FIELD_GFT_SUM], a[PADICI_FIELD_GFT_SUM];
    double g[PADIC_FIELD_TERMS], p[PADIC_FIELD_TERMS];
    uint32_t i, j, n = 1;
    padici_field_gft_terms(desc->power, g, p);
    c[0] = desc->mass;
    a[0] = 0;
    for (i = 0; i < PADIC_FIELD_TERMS; i++) {
        for (j = 1; j < n && a[j] < p[i] - 2; j++) {}
        if (j < n && a[j] <= p[i] - 2) {
            c[j] += g[i];
            continue;
        }
        memmove(c + j + 1, c + j, (n - j) * sizeof *c);
        memmove(a + j + 1, a + j, (n - j) * sizeof *a);
        c[j] = g[i];
        a[j] = p[i] - 2;
        n++;
    }
    sum->count = 0;
    for (i = 0; i < n; i++) {
        if (c[i] == 0) continue;
        sum->sign[sum->count] = c[i] > 0 ? 1 : -1;
        sum->log[sum->count] = log(fabs(c[i]));
        sum->a[sum->count++] = a[i];
    }
}

// V, V'/(2 s) and V'' at s.
static void padici_field_gft_potential(const padic_field_gft_minimum_desc *desc, double s,
                                       double out[3])
{
    double g[PADIC_FIELD_TERMS], p[PADIC_FIELD_TERMS];
    uint32_t i;
    padici_field_gft_terms(desc->power, g, p);
    out[0] = desc->mass * s * s;
    out[1] = desc->mass;
    out[2] = 2 * desc->mass;
    for (i = 0; i < PADIC_FIELD_TERMS; i++) {
        double term;
        if (g[i] == 0) continue;
        term = g[i] * padici_field_gft_power(s * s, p[i] - 2);
        out[0] += 2 / p[i] * term * s * s;
        out[1] += term;
        out[2] += 2 * (p[i] - 1) * term;
    }
}

// Newton, while it comes nearer: dV'/(2 s) / ds = (V'' - V'/s) / (2 s).
static double padici_field_gft_polish(const padic_field_gft_minimum_desc *desc, double s)
{
    double at[3], near_by[3];
    uint32_t i;
    padici_field_gft_potential(desc, s, at);
    for (i = 0; i < 4; i++) {
        const double next = s - at[1] * 2 * s / (at[2] - 2 * at[1]);
        if (!(next > 0) || !padici_field_number_finite(next)) break;
        padici_field_gft_potential(desc, next, near_by);
        if (!(fabs(near_by[1]) < fabs(at[1]))) break;
        s = next;
        memcpy(at, near_by, sizeof at);
    }
    return s;
}

static padic_result padici_field_gft_minimum_check(padic_context *context,
                                                   const padic_field_gft_minimum_desc *desc)
{
    if (!desc->report) return padici_fail_here(context, PADIC_ERROR_ARGUMENT, "report is NULL");
    if (!padici_field_number_finite(desc->mass))
        return padici_fail_here(context, PADIC_ERROR_ARGUMENT, "mass is not finite");
    return padici_field_gft_check_terms(context, desc->power);
}

PADIC_API padic_result padic_field_gft_minimum(padic_context *context,
                                               const padic_field_gft_minimum_desc *desc)
{
    const char *before;
    padic_field_gft_minimum_report *report;
    padici_field_gft_sum sum;
    double root[PADICI_FIELD_GFT_SUM], value[3];
    uint32_t i, n;
    padic_result result;
    if (!desc)
        return padici_fail_in(context, PADIC_ERROR_ARGUMENT, "field_gft_minimum", "desc is NULL");
    before = padici_enter(context, "field_gft_minimum");
    result = padici_field_gft_minimum_check(context, desc);
    padici_leave(context, before);
    if (result) return result;
    report = desc->report;
    memset(report, 0, sizeof *report);
    padici_field_gft_collect(desc, &sum);
    n = padici_field_gft_roots(&sum, root);
    for (i = 0; i <= n; i++) {
        const double s = i ? padici_field_gft_polish(desc, exp(root[i - 1])) : 0;
        padic_field_gft_point *point = &report->point[report->count];
        padici_field_gft_potential(desc, s, value);
        if (i && (s == 0 || !padici_field_number_finite(s) ||
                  !padici_field_number_finite(value[0]) || !padici_field_number_finite(value[2])))
            continue;
        point->s = s;
        point->value = value[0];
        point->curvature = value[2];
        if (value[0] < report->point[report->minimum].value) report->minimum = report->count;
        report->count++;
    }
    if (sum.count && sum.sign[sum.count - 1] < 0) report->minimum = UINT32_MAX;
    return PADIC_OK;
}

#undef PADICI_FIELD_GFT_SUM

#endif
