#include "plan.h"
#include "../context/messages.h"
#include "../core/view.h"

#if PADICI_IMPLEMENT_FIELD

// ---------------------------------------------------------------------------------- >>field impl
//
// What a plan's desc must be, and its defaults.

#define PADICI_FIELD_LONGEST ((uint64_t)1 << 29)

PADICI_FN padic_result padici_field_no_desc(padic_context *context, const char *operation)
{
    return padici_fail_in(context, PADIC_ERROR_ARGUMENT, operation, "desc is NULL");
}

static padic_result padici_field_wrong(padic_context *context, const char *field, const char *why)
{
    return padici_fail_field(context, PADIC_ERROR_ARGUMENT, field, why);
}

static int padici_field_finite(double x)
{
    return x - x == 0;
}

static padic_result padici_field_grid_check(padic_context *context,
                                            const padic_field_plan_desc *desc)
{
    uint64_t points = 1;
    uint32_t a;
    if (desc->dims < 1 || desc->dims > PADIC_FIELD_AXES)
        return padici_field_wrong(context, "dims", "is not 1, 2 or 3");
    for (a = 0; a < desc->dims; a++) {
        if (!desc->shape[a]) return padici_field_wrong(context, "shape", "has an extent of 0");
        if (desc->shape[a] > PADICI_FIELD_LONGEST ||
            desc->shape[a] > ((uint64_t)1 << 40) / points)
            return padici_fail_field(context, PADIC_ERROR_LIMIT, "shape", "has too many points");
        points *= desc->shape[a];
        if (!(desc->spacing[a] > 0) || !padici_field_finite(desc->spacing[a]))
            return padici_field_wrong(context, "spacing", "is not above 0");
        if (!padici_field_finite(desc->origin[a]))
            return padici_field_wrong(context, "origin", "is not finite");
        if ((uint32_t)desc->boundary[a] > PADIC_FIELD_BOUNDARY_NEUMANN)
            return padici_field_wrong(context, "boundary", "is not a boundary");
        if (!padici_field_finite(desc->trap[a]))
            return padici_field_wrong(context, "trap", "is not finite");
        if (!padici_field_finite(desc->centre[a]))
            return padici_field_wrong(context, "centre", "is not finite");
    }
    if (desc->dtype != PADIC_DTYPE_NONE && desc->dtype != PADIC_C64 && desc->dtype != PADIC_C128)
        return padici_fail_field(context, PADIC_ERROR_DTYPE, "dtype",
                                 "is not complex64 or complex128");
    if ((uint32_t)desc->layout > PADIC_FIELD_LAYOUT_PLANAR)
        return padici_field_wrong(context, "layout", "is not a layout");
    return PADIC_OK;
}

static padic_result padici_field_terms_check(padic_context *context,
                                             const padic_field_plan_desc *desc)
{
    uint32_t j;
    if (!padici_field_finite(desc->kinetic) || desc->kinetic < 0)
        return padici_field_wrong(context, "kinetic", "is not a number above 0");
    for (j = 0; j < PADIC_FIELD_TERMS; j++) {
        const double p = desc->power[j].p;
        if (!padici_field_finite(desc->power[j].g))
            return padici_field_wrong(context, "power", "has a g that is not finite");
        if (p != 0 && (!(p > 2) || !padici_field_finite(p)))
            return padici_field_wrong(context, "power", "has a p that is not above 2");
    }
    if (!padici_field_finite(desc->noise) || desc->noise < 0)
        return padici_field_wrong(context, "noise", "is not 0 or above");
    if (!padici_field_finite(desc->density_hint) || desc->density_hint < 0)
        return padici_field_wrong(context, "density_hint", "is not 0 or above");
    if (!padici_field_finite(desc->density_limit) || desc->density_limit < 0)
        return padici_field_wrong(context, "density_limit", "is not 0 or above");
    if (desc->flags > 31) return padici_field_wrong(context, "flags", "has unknown bits");
    if ((desc->flags & PADIC_FIELD_NORM_LOCK) && (desc->flags & PADIC_FIELD_NORM_FREE))
        return padici_field_wrong(context, "flags", "has NORM_LOCK and NORM_FREE");
    return PADIC_OK;
}

static int padici_field_has(const padic_tensor *t)
{
    return t->data || t->buffer.id;
}

static padic_result padici_field_method_check(padic_context *context,
                                              const padic_field_plan_desc *desc, int spectral)
{
    const padic_field_method m = desc->method;
    const int imaginary = desc->time == PADIC_FIELD_TIME_IMAGINARY;
    uint32_t a;
    if ((uint32_t)m > PADIC_FIELD_METHOD_FLOW)
        return padici_field_wrong(context, "method", "is not a method");
    if ((uint32_t)desc->time > PADIC_FIELD_TIME_IMAGINARY)
        return padici_field_wrong(context, "time", "is not REAL or IMAGINARY");
    for (a = 0; a < desc->dims; a++)
        if (desc->boundary[a] && (spectral || m == PADIC_FIELD_METHOD_LEGACY_EULER))
            return padici_field_wrong(context, "boundary", "is not periodic, as the method needs");
    if (desc->rotation != 0 &&
        (!spectral || desc->dims < 2 || !padici_field_finite(desc->rotation)))
        return padici_field_wrong(context, "rotation",
                                  "is not finite, or not of SPLIT2 or SPLIT4 with 2 or 3 axes");
    if (imaginary && m != PADIC_FIELD_METHOD_SPLIT2 && m != PADIC_FIELD_METHOD_CAYLEY2 &&
        m != PADIC_FIELD_METHOD_FLOW)
        return padici_field_wrong(context, "time", "is imaginary: of SPLIT2, CAYLEY2, FLOW only");
    if (!imaginary && m == PADIC_FIELD_METHOD_FLOW)
        return padici_field_wrong(context, "method", "is FLOW, which is of imaginary time");
    if (imaginary && padici_field_has(&desc->absorber))
        return padici_field_wrong(context, "absorber", "is of real time only");
    if (imaginary && desc->noise > 0)
        return padici_field_wrong(context, "noise", "is of real time only");
    if (!padici_field_finite(desc->dt) || desc->dt == 0 || (imaginary && desc->dt < 0))
        return padici_field_wrong(context, "dt", "is 0, not finite, or negative in imaginary time");
    return PADIC_OK;
}

static void padici_field_rules_fill(padici_field_rules *rules)
{
    padic_field_plan_desc *desc = &rules->desc;
    uint32_t a, j;
    if (!desc->dtype) desc->dtype = PADIC_C64;
    if (desc->kinetic == 0) desc->kinetic = 0.5;
    rules->is_double = desc->dtype == PADIC_C128;
    rules->planar = desc->layout == PADIC_FIELD_LAYOUT_PLANAR;
    rules->first = PADIC_FIELD_AXES - desc->dims;
    rules->fields = desc->batch ? desc->batch : 1;
    rules->points = 1;
    rules->volume = 1;
    for (a = 0; a < 3; a++) rules->n[a] = 1, rules->h[a] = 1;
    for (a = 0; a < desc->dims; a++) {
        const uint32_t to = rules->first + a;
        const uint64_t n = desc->shape[a];
        const double h = desc->spacing[a];
        const uint32_t wall = desc->boundary[a] == PADIC_FIELD_BOUNDARY_DIRICHLET;
        double origin = desc->origin[a];
        if (origin == 0 && !(desc->flags & PADIC_FIELD_ORIGIN_GIVEN))
            origin = -0.5 * h * (double)(n + wall);
        rules->n[to] = n;
        rules->h[to] = h;
        rules->x[to] = origin + (wall ? h : desc->boundary[a] ? h / 2 : 0);
        rules->points *= n;
        rules->volume *= h;
    }
    for (j = 0; j < PADIC_FIELD_TERMS; j++) {
        if (desc->power[j].p == 0) desc->power[j].p = 4;
        if (desc->power[j].g == 0) continue;
        rules->of[rules->terms] = j;
        rules->g[rules->terms] = desc->power[j].g;
        rules->half[rules->terms++] = (desc->power[j].p - 2) / 2;
    }
    rules->rows = rules->n[2] >= PADICI_FIELD_CHUNK ? 1 : PADICI_FIELD_CHUNK / rules->n[2];
    rules->cuts = (rules->n[2] + PADICI_FIELD_CHUNK - 1) / PADICI_FIELD_CHUNK;
    rules->chunks = rules->cuts > 1 ? rules->n[0] * rules->n[1] * rules->cuts
                                    : (rules->n[0] * rules->n[1] + rules->rows - 1) / rules->rows;
}

PADICI_FN padic_result padici_field_rules_make(padic_context *context,
                                               const padic_field_plan_desc *desc,
                                               padici_field_rules *rules)
{
    padic_result result;
    memset(rules, 0, sizeof *rules);
    rules->spectral = desc->method <= PADIC_FIELD_METHOD_SPLIT4 ||
                      desc->method == PADIC_FIELD_METHOD_FLOW;
    result = padici_field_grid_check(context, desc);
    if (!result) result = padici_field_terms_check(context, desc);
    if (!result) result = padici_field_method_check(context, desc, (int)rules->spectral);
    if (result) return result;
    rules->desc = *desc;
    padici_field_rules_fill(rules);
    if (desc->noise > 0 && rules->points > UINT32_MAX)
        return padici_fail_field(context, PADIC_ERROR_LIMIT, "noise",
                                 "is of at most 2^32 points");
    if (padici_field_has(&desc->potential))
        result = padici_field_real_check(context, "potential", rules, &desc->potential);
    if (!result && padici_field_has(&desc->absorber))
        result = padici_field_real_check(context, "absorber", rules, &desc->absorber);
    return result;
}

// A view of the grid's extents after `count` more.
static padic_result padici_field_shape_check(padic_context *context, const char *field,
                                             const padici_field_rules *rules,
                                             const padic_tensor *t, const uint64_t *more,
                                             uint32_t count)
{
    uint32_t a;
    if (t->rank != rules->desc.dims + count)
        return padici_fail_field(context, PADIC_ERROR_MISMATCH, field, "has another rank");
    for (a = 0; a < t->rank; a++)
        if (t->shape[a] != (a < count ? more[a] : rules->desc.shape[a - count]))
            return padici_fail_field(context, PADIC_ERROR_MISMATCH, field, "has another shape");
    return PADIC_OK;
}

PADICI_FN padic_result padici_field_real_check(padic_context *context, const char *field,
                                               const padici_field_rules *rules,
                                               const padic_tensor *t)
{
    uint64_t count;
    padic_result result;
    if (!t->data) return padici_field_wrong(context, field, "is not in host memory");
    result = padici_tensor_check_view(t, 1, &count);
    if (result) return padici_fail_view(context, result, field, t);
    if (t->dtype != PADIC_F32 && t->dtype != PADIC_F64)
        return padici_fail_field(context, PADIC_ERROR_DTYPE, field, "is not f32 or f64");
    return padici_field_shape_check(context, field, rules, t, NULL, 0);
}

PADICI_FN padic_result padici_field_psi_check(padic_context *context, const char *field,
                                              const padici_field_rules *rules,
                                              const padic_tensor *psi)
{
    const padic_dtype part = rules->is_double ? PADIC_F64 : PADIC_F32;
    uint64_t count, more[2];
    uint32_t n = 0;
    padic_result result = padici_tensor_check_view(psi, 0, &count);
    if (result) return padici_fail_view(context, result, field, psi);
    if (!psi->data && !psi->buffer.id)
        return padici_fail_field(context, PADIC_ERROR_ARGUMENT, field,
                                 "has elements, but neither data nor a buffer");
    if (psi->dtype != (rules->planar ? part : rules->desc.dtype))
        return padici_fail_field(context, PADIC_ERROR_DTYPE, field, "has another dtype");
    if (rules->planar) more[n++] = 2;
    if (rules->desc.batch) more[n++] = rules->desc.batch;
    return padici_field_shape_check(context, field, rules, psi, more, n);
}

#undef PADICI_FIELD_LONGEST

#endif
