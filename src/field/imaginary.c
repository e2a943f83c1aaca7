#include "plan.h"

#if PADICI_IMPLEMENT_FIELD

// Steps in imaginary time, which hold the norm.

// psi = in e^(-time U), U with the density of `other`; sums the norm.
static void padici_field_decay_piece(const padici_field_pass *pass,
                                     const padici_field_piece *piece, double *sums)
{
    const double *in = pass->in + 2 * piece->at, *of = pass->other + 2 * piece->at;
    double *out = pass->out + 2 * piece->at;
    uint64_t i;
    for (i = 0; i < piece->count; i++, in += 2, of += 2, out += 2) {
        const double u = padici_field_rate(pass->plan, piece, i, of[0] * of[0] + of[1] * of[1]);
        const double factor = exp(-pass->value[0] * (u - pass->value[1]));
        out[0] = factor * in[0];
        out[1] = factor * in[1];
        sums[0] += out[0] * out[0] + out[1] * out[1];
    }
}

// The same, and the norm held. U counts from the potential's least value, so that nothing grows.
static void padici_field_decay(padic_field_plan *plan, double time, double norm, const double *in,
                               const double *density, double *out)
{
    padici_field_pass pass;
    double sums[PADICI_FIELD_SUMS];
    memset(&pass, 0, sizeof pass);
    pass.plan = plan;
    pass.in = in;
    pass.other = density;
    pass.out = out;
    pass.value[0] = time;
    pass.value[1] = plan->potential_least;
    pass.piece = padici_field_decay_piece;
    padici_field_run(&pass, sums);
    padici_field_scale(plan, sqrt(norm / (sums[0] * plan->rules.volume)), out);
}

// A symmetric split step: the first half with the start's density, the second with the end's, which
// three corrections find. Both are normalised: with the density between them the state would be off
// by O(time).
PADICI_FN void padici_field_split_imaginary(padic_field_plan *plan, double time, double norm)
{
    double *psi = plan->array[0], *between = plan->array[2];
    uint32_t round;
    padici_field_copy(plan, psi, between);
    padici_field_decay(plan, time / 2, norm, between, psi, between);
    if (plan->rules.spectral)
        padici_field_drift(plan, time, 0, 1, between);
    else
        padici_field_cayley(plan, time, 1, between, plan->array[1]);
    padici_field_decay(plan, time / 2, norm, between, psi, plan->array[1]);
    for (round = 0; round < 3; round++) {
        padici_field_copy(plan, plan->array[1], psi);
        padici_field_decay(plan, time / 2, norm, between, psi, plan->array[1]);
    }
    padici_field_copy(plan, plan->array[1], psi);
}

// ---- the semi-implicit flow

// pass: psi in `in`, H psi in `out`. Sums the norm, psi H psi, the extremes of U.
static void padici_field_slope_piece(const padici_field_pass *pass,
                                     const padici_field_piece *piece, double *sums)
{
    const double *psi = pass->in + 2 * piece->at, *h = pass->out + 2 * piece->at;
    uint64_t i;
    for (i = 0; i < piece->count; i++, psi += 2, h += 2) {
        const double density = psi[0] * psi[0] + psi[1] * psi[1];
        const double u = padici_field_rate(pass->plan, piece, i, density);
        sums[0] += density;
        sums[1] += psi[0] * h[0] + psi[1] * h[1];
        padici_field_largest(&sums[9], u);
        padici_field_largest(&sums[10], -u);
    }
}

// out -= value[0] in.
static void padici_field_less_piece(const padici_field_pass *pass, const padici_field_piece *piece,
                                    double *sums)
{
    const double *in = pass->in + 2 * piece->at;
    double *out = pass->out + 2 * piece->at;
    uint64_t i;
    (void)sums;
    for (i = 0; i < 2 * piece->count; i++) out[i] -= pass->value[0] * in[i];
}

static void padici_field_less(const padic_field_plan *plan, double factor, const double *in,
                              double *out)
{
    padici_field_pass pass;
    memset(&pass, 0, sizeof pass);
    pass.plan = plan;
    pass.in = in;
    pass.out = out;
    pass.value[0] = factor;
    pass.piece = padici_field_less_piece;
    padici_field_run(&pass, NULL);
}

static void padici_field_smooth_piece(const padici_field_pass *pass,
                                      const padici_field_piece *piece, double *sums)
{
    const padic_field_plan *plan = pass->plan;
    const double line = plan->k[0][piece->i[0]] + plan->k[1][piece->i[1]] + pass->value[0];
    const double *k = plan->k[2] + piece->i[2];
    double *out = pass->out + 2 * piece->at;
    uint64_t i;
    (void)sums;
    for (i = 0; i < piece->count; i++) {
        const double factor = pass->value[1] / (line + k[i]);
        out[2 * i] *= factor;
        out[2 * i + 1] *= factor;
    }
}

// psi = (a - K Lap)^-1 psi, a > 0. Differences: (a prod_axis (1 - K D_xx / a))^-1, near that.
PADICI_FN void padici_field_smoothen(padic_field_plan *plan, double a, double *psi)
{
    padici_field_pass pass;
    uint32_t axis;
    if (!plan->rules.spectral) {
        for (axis = plan->rules.first; axis < 3; axis++) {
            const double h = plan->rules.h[axis];
            padici_field_lines_solve(plan, axis, plan->rules.desc.kinetic / (a * h * h), 0, psi);
        }
        padici_field_scale(plan, 1 / a, psi);
        return;
    }
    padici_field_transform(plan, 3, PADIC_FFT_FORWARD, psi);
    memset(&pass, 0, sizeof pass);
    pass.plan = plan;
    pass.out = psi;
    pass.value[0] = a;
    pass.value[1] = 1 / (double)plan->rules.points;
    pass.piece = padici_field_smooth_piece;
    padici_field_run(&pass, NULL);
    padici_field_transform(plan, 3, PADIC_FFT_INVERSE, psi);
}

// (1 + time (a + T)) psi' = psi + time (a - U + mu) psi, so that psi' - psi is
// -(1/time + a + T)^-1 (H - mu) psi.
PADICI_FN void padici_field_flow(padic_field_plan *plan, double time, double norm)
{
    double *psi = plan->array[0], *h = plan->array[1], sums[PADICI_FIELD_SUMS], a;
    padici_field_pass pass;
    padici_field_hamilton(plan, psi, plan->array[2], h);
    memset(&pass, 0, sizeof pass);
    pass.plan = plan;
    pass.in = psi;
    pass.out = h;
    pass.piece = padici_field_slope_piece;
    padici_field_run(&pass, sums);
    a = (sums[9] - sums[10]) / 2;
    if (!(a > 0)) a = 0;
    padici_field_less(plan, sums[1] / sums[0], psi, h);
    padici_field_smoothen(plan, 1 / time + a, h);
    padici_field_less(plan, 1, h, psi);
    padici_field_scale(plan, sqrt(norm / padici_field_norm(plan, psi)), psi);
}

#endif
