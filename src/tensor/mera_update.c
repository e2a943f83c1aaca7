#include "mera_update.h"
#include "../context/messages.h"
#include "../context/state.h"
#include "../core/jobs.h"
#include "../core/platform.h"
#include "../core/tensor.h"
#include "eigh.h"
#include "factor.h"
#include "mera_chain.h"
#include "mera_fields.h"
#include "svd.h"

#if PADICI_IMPLEMENT_TENSOR

// Better disentanglers and isometries from their environments.

// x <- -conj(U V^dagger) of its environment, both as matrices of fine by coarse legs.
static padic_result padici_tensor_mera_best(padici_tensor_mera *m, const padic_tensor *x,
                                            const padic_tensor *env, uint64_t columns)
{
    const uint64_t rows = padic_tensor_count(x) / columns;
    uint64_t shape[1], i, j, k;
    const double *e = (const double *)env->data;
    double *z = (double *)x->data, *a, *v, *s, *work;
    const uint32_t used = m->used;
    padic_tensor space;
    int power;
    padic_result result;
    shape[0] = 2 * rows * columns + 2 * columns * columns + 4 * columns + 2;
    result = padici_tensor_mera_take(m, 1, shape, &space);
    if (result) return result;
    a = (double *)space.data;
    s = a + 2 * rows * columns;
    v = s + columns;
    work = v + 2 * columns * columns;
    for (i = 0; i < rows; i++)
        for (j = 0; j < columns; j++) memcpy(a + 2 * (j * rows + i), e + 2 * (i * columns + j), 16);
    if (!padici_tensor_power(env, &power))
        result = padici_fail_here(m->context, PADIC_ERROR_NOT_FINITE,
                                  "an environment is beyond F64: scale u or w");
    for (i = 0; !result && i < 2 * rows * columns; i++) a[i] = ldexp(a[i], -power);
    if (!result && !padici_tensor_z_svd(rows, columns, a, s, v, work, 0))
        result = padici_fail_here(m->context, PADIC_ERROR_DOMAIN, "no convergence of the SVD");
    for (i = 0; !result && i < rows; i++)
        for (j = 0; j < columns; j++) {
            double re = 0, im = 0; // of (U V^dagger)_ij
            for (k = 0; k < columns; k++) {
                const double *p = a + 2 * (k * rows + i), *q = v + 2 * (k * columns + j);
                re += p[0] * q[0];
                re += p[1] * q[1];
                im += p[1] * q[0];
                im -= p[0] * q[1];
            }
            z[2 * (i * columns + j)] = -re;
            z[2 * (i * columns + j) + 1] = im;
        }
    padici_tensor_mera_back_to(m, used);
    return result;
}

// op - its largest eigenvalue; that value.
static padic_result padici_tensor_mera_shift(padici_tensor_mera *m, const padic_tensor *op,
                                             double *shift)
{
    const uint64_t d = m->below;
    const uint32_t used = m->used;
    uint64_t shape[1], i;
    padic_tensor space;
    double *a, *x = (double *)op->data;
    padic_result result;
    shape[0] = d * d + 4 * d;
    result = padici_tensor_mera_take(m, 1, shape, &space);
    if (result) return result;
    a = (double *)space.data;
    for (i = 0; i < 2 * d * d; i++) a[i] = i & 1 ? -x[i] : x[i]; // rows as columns: conjugated
    if (!padici_tensor_z_eigh(d, a, a + 2 * d * d, NULL, a + 2 * d * d + d))
        result = padici_fail_here(m->context, PADIC_ERROR_DOMAIN, "no convergence");
    *shift = a[2 * d * d + d - 1];
    for (i = 0; !result && i < d; i++) x[2 * i * (d + 1)] -= *shift;
    padici_tensor_mera_back_to(m, used);
    return result;
}

PADICI_FN padic_result padici_tensor_mera_update(padic_context *context,
                                                 const padic_tensor_mera_update_desc *desc)
{
    const padici_tensor_mera_given given = {&desc->layer, 1, &desc->op, &desc->rho, NULL, NULL};
    const uint32_t rounds = desc->iterations ? desc->iterations : 1;
    padici_tensor_mera m;
    padic_tensor t[5], op, rho, env[2];
    padici_steps hook;
    uint32_t i;
    uint64_t k;
    int up = 0, down = 0;
    double shift = 0, energy = 0, trace = 0;
    padic_result result = padici_tensor_mera_begin(&m, context, &given, t);
    if (result) return result;
    result = padici_tensor_mera_square(&m, &t[2], "op", m.below);
    if (!result) result = padici_tensor_mera_square(&m, &t[3], "rho", m.above);
    if (!result) result = padici_tensor_mera_operator(&m, &t[2], "op", m.f, &op, &up);
    if (!result) result = padici_tensor_mera_operator(&m, &t[3], "rho", m.c, &rho, &down);
    if (!result) result = padici_tensor_mera_take(&m, m.u.rank, m.u.shape, &env[0]);
    if (!result) result = padici_tensor_mera_take(&m, m.w.rank, m.w.shape, &env[1]);
    if (!result) result = padici_tensor_mera_shift(&m, &op, &shift);
    padici_steps_begin(&hook, NULL, padici_progress(context), rounds);
    for (i = 0; i < 2 * rounds && !result; i++) {
        const padic_tensor *x = i & 1 ? &m.w : &m.u, *e = &env[i & 1];
        const uint64_t count = padic_tensor_count(&m.u);
        memset(env[0].data, 0, (size_t)count * 16);
        memset(env[1].data, 0, (size_t)padic_tensor_count(&m.w) * 16);
        result = padici_tensor_mera_all(&m, &op, &rho, NULL, NULL, &env[0], &env[1]);
        for (k = 0; !i && k < count; k++) { // each of the u in a term gives the whole of it
            const double *p = (double *)m.u.data + 2 * k, *q = (double *)env[0].data + 2 * k;
            energy += p[0] * q[0];
            energy -= p[1] * q[1];
        }
        if (!result) result = padici_tensor_mera_best(&m, x, e, i & 1 ? m.c : m.f * m.f);
        if (!result && padici_steps_more(&hook, i & 1))
            result = padici_fail_here(context, PADIC_ERROR_CANCELLED,
                                     "the progress hook stopped it; nothing is written");
    }
    for (k = 0; !result && k < m.above; k++) trace += ((double *)rho.data)[2 * k * (m.above + 1)];
    energy = ldexp(energy / (m.sites == 3 ? 2 : 1) + shift * trace, up + down);
    if (!result && desc->report && energy - energy != 0)
        result = padici_fail_here(context, PADIC_ERROR_NOT_FINITE,
                                  "the energy is beyond F64: scale op or rho");
    if (!result) {
        padici_tensor_mera_add(&t[0], &m.u, NULL, 1, 1);
        padici_tensor_mera_add(&t[1], &m.w, NULL, 1, 1);
        if (desc->report) desc->report->energy = energy;
    }
    padici_tensor_mera_end(&m);
    return result;
}

#endif
