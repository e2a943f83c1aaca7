#include "mera_layer.h"
#include "../context/messages.h"
#include "../context/state.h"
#include "../core/jobs.h"
#include "../core/platform.h"
#include "../core/view.h"
#include "factor.h"
#include "mera_chain.h"
#include "mera_fields.h"
#include "product.h"

#if PADICI_IMPLEMENT_TENSOR

// One layer of a MERA: ascends, descends, expectation, fixed point, environments.

PADICI_FN padic_result padici_tensor_mera_ascend(padic_context *context,
                                                 const padic_tensor_mera_ascend_desc *desc)
{
    const padici_tensor_mera_given given = {&desc->layer, 0, &desc->op, NULL, &desc->out, NULL};
    padici_tensor_mera m;
    padic_tensor t[5], op, up;
    int power = 0;
    padic_result result = padici_tensor_mera_begin(&m, context, &given, t);
    if (result) return result;
    result = padici_tensor_mera_square(&m, &t[2], "op", m.below);
    if (!result) result = padici_tensor_mera_square(&m, &t[4], "out", m.above);
    if (!result) result = padici_tensor_mera_operator(&m, &t[2], "op", m.f, &op, &power);
    if (!result) result = padici_tensor_mera_operator(&m, NULL, "", m.c, &up, NULL);
    if (!result) result = padici_tensor_mera_all(&m, &op, NULL, &up, NULL, NULL, NULL);
    if (!result) result = padici_tensor_mera_write(&m, &t[4], &up, power);
    padici_tensor_mera_end(&m);
    return result;
}

PADICI_FN padic_result padici_tensor_mera_descend(padic_context *context,
                                                  const padic_tensor_mera_descend_desc *desc)
{
    const padici_tensor_mera_given given = {&desc->layer, 0, NULL, &desc->rho, &desc->out, NULL};
    padici_tensor_mera m;
    padic_tensor t[5], rho, down;
    int power = 0;
    padic_result result = padici_tensor_mera_begin(&m, context, &given, t);
    if (result) return result;
    result = padici_tensor_mera_square(&m, &t[3], "rho", m.above);
    if (!result) result = padici_tensor_mera_square(&m, &t[4], "out", m.below);
    if (!result) result = padici_tensor_mera_operator(&m, &t[3], "rho", m.c, &rho, &power);
    if (!result) result = padici_tensor_mera_operator(&m, NULL, "", m.f, &down, NULL);
    if (!result) result = padici_tensor_mera_all(&m, NULL, &rho, NULL, &down, NULL, NULL);
    if (!result) result = padici_tensor_mera_write(&m, &t[4], &down, power);
    padici_tensor_mera_end(&m);
    return result;
}

PADICI_FN padic_result padici_tensor_mera_expect(padic_context *context,
                                                 const padic_tensor_mera_expect_desc *desc)
{
    const padici_tensor_mera_given given = {NULL, 0, &desc->op, &desc->rho, NULL, NULL};
    padici_tensor_mera m;
    padic_tensor t[5];
    int64_t p[PADIC_MAX_RANK], q[PADIC_MAX_RANK];
    uint64_t i, j, d;
    double re = 0, im = 0, x[2], y[2], scale[2];
    int power[2];
    padic_result result;
    if (!desc->report) return padici_fail_here(context, PADIC_ERROR_ARGUMENT, "report is NULL");
    result = padici_tensor_mera_find(&m, context, &given, t);
    if (result) return result;
    d = t[2].rank == 2 ? t[2].shape[0] : 0;
    result = padici_tensor_mera_square(&m, &t[2], "op", d);
    if (!result) result = padici_tensor_mera_square(&m, &t[3], "rho", d);
    for (i = 0; i < 2 && !result; i++) {
        if (!padici_tensor_power(&t[2 + i], &power[i]))
            result = padici_tensor_mera_infinite(&m, padici_tensor_mera_names[2 + i]);
        else scale[i] = ldexp(1.0, power[i]);
    }
    if (result) return result;
    padici_tensor_dense(&t[2], p);
    padici_tensor_dense(&t[3], q);
    for (i = 0; i < d; i++)
        for (j = 0; j < d; j++) {
            const int64_t r = (int64_t)i, s = (int64_t)j;
            padici_tensor_read(m.dtype, (const char *)t[2].data, r * p[0] + s * p[1], x, x + 1);
            padici_tensor_read(m.dtype, (const char *)t[3].data, s * q[0] + r * q[1], y, y + 1);
            x[0] /= scale[0], x[1] /= scale[0];
            y[0] /= scale[1], y[1] /= scale[1];
            re += x[0] * y[0];
            re -= x[1] * y[1];
            im += x[0] * y[1];
            im += x[1] * y[0];
        }
    re = ldexp(re, power[0] + power[1]);
    im = ldexp(im, power[0] + power[1]);
    if (re - re != 0 || im - im != 0)
        return padici_fail_here(context, PADIC_ERROR_NOT_FINITE,
                                "the result is beyond F64: scale op or rho");
    desc->report->re = re;
    desc->report->im = im;
    return PADIC_OK;
}

// u and w of single precision are isometric to their rounding only: D changes the trace by that.
static void padici_tensor_mera_trace_one(double *rho, uint64_t d)
{
    double trace = 0;
    uint64_t i;
    for (i = 0; i < d; i++) trace += rho[2 * i * (d + 1)];
    for (i = 0; trace > 0 && i < 2 * d * d; i++) rho[i] /= trace;
}

PADICI_FN padic_result padici_tensor_mera_fixed_point(
    padic_context *context, const padic_tensor_mera_fixed_point_desc *desc)
{
    const padici_tensor_mera_given given = {&desc->layer, 0, NULL, NULL, &desc->out, NULL};
    const uint32_t most = desc->iterations ? desc->iterations : 1000;
    double tolerance = desc->tolerance;
    padici_tensor_mera m;
    padic_tensor t[5], x[2];
    uint64_t i, count;
    uint32_t step, single;
    padici_steps hook;
    double change = 1;
    padic_result result = padici_tensor_mera_tolerance(context, desc->tolerance);
    if (!result) result = padici_tensor_mera_begin(&m, context, &given, t);
    if (result) return result;
    if (m.f != m.c)
        result = padici_fail_here(context, PADIC_ERROR_MISMATCH, "w has c other than f");
    if (!result) result = padici_tensor_mera_square(&m, &t[4], "out", m.above);
    if (!result) result = padici_tensor_mera_operator(&m, NULL, "", m.f, &x[0], NULL);
    if (!result) result = padici_tensor_mera_operator(&m, NULL, "", m.f, &x[1], NULL);
    single = m.dtype == PADIC_F32 || m.dtype == PADIC_C64;
    if (!(tolerance > 0)) tolerance = single ? 1e-5 : 1e-12;
    count = 2 * m.above * m.above;
    for (i = 0; !result && i < m.above; i++)
        ((double *)x[0].data)[2 * i * (m.above + 1)] = 1 / (double)m.above;
    padici_steps_begin(&hook, NULL, padici_progress(context), 0); // as many as it takes
    for (step = 0; !result && step < most && change > tolerance; step++) {
        double *a = (double *)x[0].data, *b = (double *)x[1].data;
        memset(b, 0, (size_t)count * 8);
        result = padici_tensor_mera_all(&m, NULL, &x[0], NULL, &x[1], NULL, NULL);
        if (single && !(desc->layer.flags & PADIC_TENSOR_MERA_UNCHECKED))
            padici_tensor_mera_trace_one(b, m.above);
        for (i = 0, change = 0; i < count; i++) {
            if (!(fabs(b[i] - a[i]) <= change)) change = fabs(b[i] - a[i]); // or a NaN
            a[i] = b[i];
        }
        if (!result && padici_steps_more(&hook, 1))
            result = padici_fail_here(context, PADIC_ERROR_CANCELLED,
                                     "the progress hook stopped it");
    }
    if (!result) result = padici_tensor_mera_write(&m, &t[4], &x[0], 0);
    if (!result) {
        if (desc->report) desc->report->change = change;
        if (!(change <= tolerance))
            result = padici_fail_here(context, PADIC_ERROR_DOMAIN, "no fixed point yet");
    }
    padici_tensor_mera_end(&m);
    return result;
}

PADICI_FN padic_result padici_tensor_mera_environment(
    padic_context *context, const padic_tensor_mera_environment_desc *desc)
{
    const padici_tensor_mera_given given = {&desc->layer, 0,          &desc->op,
                                            &desc->rho,   &desc->out, NULL};
    const uint32_t w = (uint32_t)desc->part;
    padici_tensor_mera m;
    padic_tensor t[5], op, rho, env[2];
    int up = 0, down = 0;
    uint32_t i;
    padic_result result;
    if (w > PADIC_TENSOR_MERA_PART_W)
        return padici_fail_here(context, PADIC_ERROR_ARGUMENT, "part is no padic_tensor_mera_part");
    result = padici_tensor_mera_begin(&m, context, &given, t);
    if (result) return result;
    for (i = 0; !result && i < t[4].rank && t[4].rank == t[w].rank; i++)
        if (t[4].shape[i] != t[w].shape[i]) break;
    if (!result && i < t[w].rank)
        result = padici_fail_here(context, PADIC_ERROR_MISMATCH, "out has not the shape of u or w");
    if (!result) result = padici_tensor_mera_square(&m, &t[2], "op", m.below);
    if (!result) result = padici_tensor_mera_square(&m, &t[3], "rho", m.above);
    if (!result) result = padici_tensor_mera_operator(&m, &t[2], "op", m.f, &op, &up);
    if (!result) result = padici_tensor_mera_operator(&m, &t[3], "rho", m.c, &rho, &down);
    if (!result) result = padici_tensor_mera_take(&m, m.u.rank, m.u.shape, &env[0]);
    if (!result) result = padici_tensor_mera_take(&m, m.w.rank, m.w.shape, &env[1]);
    if (!result) result = padici_tensor_mera_all(&m, &op, &rho, NULL, NULL, &env[0], &env[1]);
    if (!result) result = padici_tensor_mera_write(&m, &t[4], &env[w], up + down);
    padici_tensor_mera_end(&m);
    return result;
}

#endif
