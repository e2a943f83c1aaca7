#include "mera_fields.h"
#include "../context/messages.h"
#include "../context/operation.h"
#include "../core/log.h"
#include "../core/tensor.h"
#include "factor.h"
#include "plan.h"
#include "vectors.h"

#if PADICI_IMPLEMENT_TENSOR

// What the calls of a MERA take and give: the tensors of a desc, found, scaled, checked and copied.

PADICI_FN padic_result padici_tensor_mera_infinite(padici_tensor_mera *m, const char *name)
{
    return padici_fail_field(m->context, PADIC_ERROR_NOT_FINITE, name, "has a NaN or an infinity");
}

// A (d, d) tensor as one of an axis a site, copied to dense C128 and divided by 2^power, so that no
// product of two is beyond F64. `given` NULL: zeros.
PADICI_FN padic_result padici_tensor_mera_operator(padici_tensor_mera *m, const padic_tensor *given,
                                                   const char *name, uint64_t extent,
                                                   padic_tensor *out, int *power)
{
    uint64_t shape[6], d;
    uint32_t i;
    padic_tensor flat;
    padic_result result;
    for (i = 0; i < 6; i++) shape[i] = extent;
    result = padici_tensor_mera_take(m, 2 * m->sites, shape, out);
    if (result || !given) return result;
    d = m->sites == 3 ? extent * extent * extent : extent * extent;
    flat = padic_tensor_2d(PADIC_C128, out->data, d, d);
    if (!padici_tensor_power(given, power)) return padici_tensor_mera_infinite(m, name);
    padici_tensor_mera_add(&flat, given, NULL, ldexp(1.0, -*power), 1);
    return PADIC_OK;
}

// Writes from 2^power (`from` is lost) where `to` holds all of it.
PADICI_FN padic_result padici_tensor_mera_write(padici_tensor_mera *m, const padic_tensor *to,
                                                const padic_tensor *from, int power)
{
    const double first = ldexp(1.0, power / 2), second = ldexp(1.0, power - power / 2);
    const uint64_t count = 2 * padic_tensor_count(from);
    padic_tensor flat = *from;
    double *x = (double *)from->data;
    uint64_t i;
    for (i = 0; i < count; i++) {
        x[i] = x[i] * first * second;
        if (!padici_tensor_holds(to->dtype, x[i]))
            return padici_fail_here(m->context, PADIC_ERROR_NOT_FINITE,
                                    "a number of out is beyond its dtype: scale op, rho, u or w");
    }
    flat.rank = to->rank;
    memcpy(flat.shape, to->shape, sizeof flat.shape);
    padici_tensor_mera_add(to, &flat, NULL, 1, 1);
    return PADIC_OK;
}

// max |x^dagger x - 1| of x as rows of its fine legs.
static double padici_tensor_mera_off(const padic_tensor *x, uint64_t columns)
{
    const uint64_t rows = padic_tensor_count(x) / columns;
    const double *z = (const double *)x->data;
    double worst = 0;
    uint64_t i, j, k;
    for (i = 0; i < columns; i++)
        for (j = 0; j <= i; j++) {
            double re = i == j ? -1 : 0, im = 0, off;
            for (k = 0; k < rows; k++) {
                const double *p = z + 2 * (k * columns + i), *q = z + 2 * (k * columns + j);
                re += p[0] * q[0];
                re += p[1] * q[1];
                im += p[0] * q[1];
                im -= p[1] * q[0];
            }
            off = padici_tensor_z_size(re, im);
            if (worst == worst && !(off <= worst)) worst = off; // a NaN stays
        }
    return worst;
}

// Finds the tensors (u, w, op, rho, out), their dtypes, and the extents of the layer.
PADICI_FN padic_result padici_tensor_mera_find(padici_tensor_mera *m, padic_context *context,
                                               const padici_tensor_mera_given *given,
                                               padic_tensor *t)
{
    const padic_tensor_mera_layer *layer = given->layer;
    const char *names[5];
    padici_operand operands[5];
    uint32_t i, j, legs;
    padic_result result;
    memset(m, 0, sizeof *m);
    m->context = context;
    if (layer && (uint32_t)layer->kind > PADIC_TENSOR_MERA_TERNARY)
        return padici_fail_here(context, PADIC_ERROR_ARGUMENT, "kind is no padic_tensor_mera_kind");
    if (layer && layer->flags > PADIC_TENSOR_MERA_UNCHECKED)
        return padici_fail_here(context, PADIC_ERROR_ARGUMENT, "flags has an unknown bit");
    memset(t, 0, 5 * sizeof *t);
    if (layer) t[0] = layer->u, t[1] = layer->w;
    if (given->op) t[2] = *given->op;
    if (given->rho) t[3] = *given->rho;
    if (given->out) t[4] = *given->out;
    memcpy(names, padici_tensor_mera_names, sizeof names);
    if (given->rho_name) names[3] = given->rho_name;
    // What is written comes last there; u and w are checked as written ones, too, when they are.
    result = padici_tensor_host(context, t, names, operands, 5,
                                given->written ? 0 : 4);
    if (result) return result;
    for (i = 0; i < 5; i++) {
        const void *const used[5] = {layer, layer, given->op, given->rho, given->out};
        if (!used[i]) continue;
        if (m->dtype == PADIC_DTYPE_NONE) m->dtype = t[i].dtype;
        if (t[i].dtype != PADIC_F32 && !padici_tensor_is_double(t[i].dtype) &&
            !padici_tensor_is_complex(t[i].dtype))
            return padici_fail_field(context, PADIC_ERROR_DTYPE, names[i],
                                     "is not F32, F64, C64 or C128");
        if (t[i].dtype != m->dtype)
            return padici_fail_here(context, PADIC_ERROR_MISMATCH,
                                    "u, w, op, rho and out are not of one dtype");
    }
    if (!layer) return PADIC_OK;
    m->sites = layer->kind == PADIC_TENSOR_MERA_BINARY ? 3 : 2;
    legs = layer->kind == PADIC_TENSOR_MERA_BINARY ? 2 : 3;
    m->f = t[0].rank == 4 ? t[0].shape[0] : 0;
    for (i = 0, j = m->f > 0 && m->f <= 64 && t[1].rank == legs + 1; i < 4 && j; i++)
        j = t[0].shape[i] == m->f;
    for (i = 0; i < legs && j; i++) j = t[1].shape[i] == m->f;
    m->c = j ? t[1].shape[legs] : 0;
    if (!m->c || m->c > (legs == 2 ? m->f * m->f : m->f * m->f * m->f))
        return padici_fail_here(context, PADIC_ERROR_MISMATCH,
                                "u is (f, f, f, f), w (f, f, c), ternary (f, f, f, c)");
    m->below = m->sites == 3 ? m->f * m->f * m->f : m->f * m->f;
    m->above = m->sites == 3 ? m->c * m->c * m->c : m->c * m->c;
    return PADIC_OK;
}

PADICI_FN padic_result padici_tensor_mera_tolerance(padic_context *context, double tolerance)
{
    if (tolerance >= 0) return PADIC_OK;
    return padici_fail_here(context, PADIC_ERROR_TOLERANCE, "tolerance is negative or a NaN");
}

PADICI_FN PADICI_NOINLINE void padici_tensor_mera_end(padici_tensor_mera *m)
{
    padici_tensor_mera_back_to(m, 0);
}

// u or w, copied.
static PADICI_NOINLINE padic_result padici_tensor_mera_copy(padici_tensor_mera *m,
                                                            const padic_tensor *t, const char *name,
                                                            padic_tensor *to)
{
    int power;
    padic_result result = padici_tensor_mera_take(m, t->rank, t->shape, to);
    if (result) return result;
    padici_tensor_mera_add(to, t, NULL, 1, 1);
    return padici_tensor_power(to, &power) ? PADIC_OK : padici_tensor_mera_infinite(m, name);
}

// Copies u and w, and checks them.
PADICI_FN padic_result padici_tensor_mera_begin(padici_tensor_mera *m, padic_context *context,
                                                const padici_tensor_mera_given *given,
                                                padic_tensor *t)
{
    padic_result result = padici_tensor_mera_find(m, context, given, t);
    double allowed;
    if (result) return result;
    result = padici_tensor_mera_copy(m, &t[0], "u", &m->u);
    if (!result) result = padici_tensor_mera_copy(m, &t[1], "w", &m->w);
    if (!result) {
        allowed = given->layer->flags & PADIC_TENSOR_MERA_UNCHECKED ? 1e300
                  : padici_tensor_is_double(m->dtype)          ? 1e-10
                                                               : 1e-4;
        if (!(padici_tensor_mera_off(&m->u, m->f * m->f) <= allowed) ||
            !(padici_tensor_mera_off(&m->w, m->c) <= allowed))
            result = padici_fail_here(context, PADIC_ERROR_DOMAIN, "u or w is not isometric");
    }
    if (result) padici_tensor_mera_end(m);
    return result;
}

// Whether t is (d, d); else MISMATCH, and what was taken is given back.
PADICI_FN padic_result padici_tensor_mera_square(padici_tensor_mera *m, const padic_tensor *t,
                                                 const char *name, uint64_t d)
{
    if (t->rank == 2 && t->shape[0] == d && t->shape[1] == d) return PADIC_OK;
    return padici_fail_field(m->context, PADIC_ERROR_MISMATCH, name,
                             "is not square, of f or c to the power of its sites");
}

PADICI_FN padic_result padici_tensor_mera_check(padic_context *context,
                                                const padic_tensor_mera_check_desc *desc)
{
    const padici_tensor_mera_given given = {&desc->layer, 0, NULL, NULL, NULL, NULL};
    padici_tensor_mera m;
    padic_tensor t[5];
    padic_result result;
    if (!desc->report) return padici_fail_here(context, PADIC_ERROR_ARGUMENT, "report is NULL");
    result = padici_tensor_mera_find(&m, context, &given, t);
    if (!result) result = padici_tensor_mera_copy(&m, &t[0], "u", &m.u);
    if (!result) result = padici_tensor_mera_copy(&m, &t[1], "w", &m.w);
    if (!result) {
        const double off = padici_tensor_mera_off(&m.u, m.f * m.f),
                     other = padici_tensor_mera_off(&m.w, m.c);
        const double worst = other > off || other != other ? other : off; // a NaN stays
        if (worst - worst == 0)
            desc->report->deviation = worst;
        else
            result = padici_fail_here(context, PADIC_ERROR_NOT_FINITE,
                                      "the result is beyond F64: scale u or w");
    }
    padici_tensor_mera_end(&m);
    return result;
}

#endif
