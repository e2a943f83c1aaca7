#include "../context/messages.h"
#include "plan.h"

#if PADICI_IMPLEMENT_CDT

// ----------------------------------------------------------------------------------- >>cdt impl
//
// The law of a chain: parameters with their defaults, limits of the volume, thresholds.

// The least double from which on the law cannot be normalised: ln 2, ln(256/27) / 2.
static double padici_cdt_critical(uint32_t sphere)
{
    return sphere ? 1.1246702892376167 : 0.6931471805599453;
}

static padic_result padici_cdt_rules_weights(padic_context *context, padic_cdt_plan_desc *d)
{
    if (!d->weight_flip && !d->weight_insert && !d->weight_delete) {
        d->weight_flip = 5;
        d->weight_insert = 1;
        d->weight_delete = 4;
    }
    if (!d->weight_insert != !d->weight_delete)
        return padici_fail_field(context, PADIC_ERROR_ARGUMENT, "weight_insert",
                                 "and weight_delete: both are 0 or neither is");
    if (d->weight_flip > PADICI_CDT_WEIGHT || d->weight_insert > PADICI_CDT_WEIGHT ||
        d->weight_delete > PADICI_CDT_WEIGHT)
        return padici_fail_field(context, PADIC_ERROR_ARGUMENT, "weight_flip",
                                 "or another weight is above 1,000");
    return PADIC_OK;
}

static padic_result padici_cdt_rules_volume(padic_context *context, padici_cdt_rules *rules)
{
    padic_cdt_plan_desc *d = &rules->desc;
    const uint64_t least = padici_cdt_triangles(rules, rules->least);
    if (d->volume == PADIC_CDT_VOLUME_WINDOW) {
        if (d->window_max < least || d->window_max > PADICI_CDT_CAPACITY ||
            d->window_min / 2 + d->window_min % 2 > d->window_max / 2)
            return padici_fail_field(context, PADIC_ERROR_ARGUMENT, "window_max",
                                     "is below window_min or the smallest state, or above 2^28");
    } else {
        d->window_min = d->window_max = 0;
    }
    if (d->epsilon == 0) d->epsilon = 0.02;
    if (!(d->epsilon > 0 && d->epsilon <= PADICI_CDT_EXPONENT))
        return padici_fail_field(context, PADIC_ERROR_ARGUMENT, "epsilon",
                                 "is negative, above 16, or no number");
    if (!d->capacity && d->target <= PADICI_CDT_CAPACITY) {
        d->capacity = d->volume == PADIC_CDT_VOLUME_WINDOW ? d->window_max
                      : d->target                          ? 2 * d->target + 4096
                                                           : 65536;
        if (d->capacity < least) d->capacity = least;
        if (d->capacity > PADICI_CDT_CAPACITY) d->capacity = PADICI_CDT_CAPACITY;
    }
    if (d->capacity < least || d->capacity > PADICI_CDT_CAPACITY)
        return padici_fail_field(context, d->capacity < least ? PADIC_ERROR_ARGUMENT
                                                              : PADIC_ERROR_LIMIT,
                                 "capacity", "is below the smallest state, or above 2^28");
    return PADIC_OK;
}

// The desc with its defaults, but for what each replica may have of its own.
PADICI_FN padic_result padici_cdt_rules_make(padic_context *context,
                                             const padic_cdt_plan_desc *desc,
                                             padici_cdt_rules *rules)
{
    padic_cdt_plan_desc *d = &rules->desc;
    padic_result result;
    memset(rules, 0, sizeof *rules);
    *d = *desc;
    memset(&d->lambdas, 0, sizeof d->lambdas);
    d->targets = d->workspace = d->state = d->lambdas;
    if ((uint32_t)d->kind > PADIC_CDT_KIND_EUCLID_SPHERE)
        return padici_fail_field(context, PADIC_ERROR_ARGUMENT, "kind", "is no padic_cdt_kind");
    if ((uint32_t)d->volume > PADIC_CDT_VOLUME_NONE)
        return padici_fail_field(context, PADIC_ERROR_ARGUMENT, "volume", "is no padic_cdt_volume");
    rules->sphere = d->kind == PADIC_CDT_KIND_EUCLID_SPHERE;
    if (!d->replicas) d->replicas = 1;
    if (d->replicas > (UINT64_C(1) << 32) - d->stream)
        return padici_fail_field(context, PADIC_ERROR_LIMIT, "replicas",
                                 "from stream on are more than 2^32");
    if (!d->slices) d->slices = 32;
    if (!d->min_length) d->min_length = 3;
    if (rules->sphere) d->slices = d->min_length = 0;
    if ((uint64_t)d->slices * d->min_length > PADICI_CDT_CAPACITY / 2)
        return padici_fail_field(context, PADIC_ERROR_LIMIT, "slices",
                                 "times min_length are more than 2^27");
    rules->least = rules->sphere ? 4 : d->slices * d->min_length;
    result = padici_cdt_rules_weights(context, d);
    if (!result) result = padici_cdt_rules_volume(context, rules);
    if (result) return result;
    rules->flips = d->weight_flip;
    rules->inserts = d->weight_flip + d->weight_insert;
    rules->moves = rules->inserts + d->weight_delete;
    rules->most = (uint32_t)padici_cdt_vertices(rules, d->capacity);
    rules->by_capacity =
        d->volume != PADIC_CDT_VOLUME_WINDOW || d->capacity / 2 < d->window_max / 2;
    return PADIC_OK;
}

// lambda and target of a replica, defaults filled in or not.
PADICI_FN padic_result padici_cdt_law_check(padic_context *context, const padici_cdt_rules *rules,
                                            double lambda, uint64_t target)
{
    const padic_cdt_plan_desc *d = &rules->desc;
    const double critical = padici_cdt_critical(rules->sphere);
    const double slope = (lambda != 0 ? lambda : critical) +
                         (d->volume == PADIC_CDT_VOLUME_ABS ? d->epsilon : 0);
    const uint32_t needed =
        d->volume == PADIC_CDT_VOLUME_ABS || d->volume == PADIC_CDT_VOLUME_SQUARE;
    if (!(lambda >= -PADICI_CDT_EXPONENT && lambda <= PADICI_CDT_EXPONENT))
        return padici_fail_field(context, PADIC_ERROR_ARGUMENT, "lambda",
                                 "is outside [-16, 16], or no number");
    if (target % 2 || target > PADICI_CDT_CAPACITY ||
        ((target || needed) && target < padici_cdt_triangles(rules, rules->least)))
        return padici_fail_field(context, PADIC_ERROR_ARGUMENT, "target",
                                 "is odd, below the smallest state, or above 2^28 triangles");
    if ((d->volume == PADIC_CDT_VOLUME_ABS || d->volume == PADIC_CDT_VOLUME_NONE) &&
        !(slope > critical))
        return padici_fail_field(context, PADIC_ERROR_ARGUMENT, "lambda",
                                 "lets the volume diverge: it must be above the critical value, "
                                 "with ABS together with epsilon");
    return PADIC_OK;
}

// Thresholds where the next move starts from r->vertices.
static void padici_cdt_law_thresholds(const padici_cdt_rules *rules, padici_cdt_replica *r)
{
    const uint32_t up = rules->desc.weight_delete, down = rules->desc.weight_insert;
    int64_t change[2], back[2]; // of S_V
    uint32_t i;
    change[0] = change[1] = back[0] = back[1] = 0;
    if (rules->desc.volume == PADIC_CDT_VOLUME_ABS) {
        change[1] = 2 * r->epsilon;
        change[0] = -change[1];
        back[0] = change[1];
        back[1] = -change[1];
    } else if (rules->desc.volume == PADIC_CDT_VOLUME_SQUARE) {
        const int64_t above = 2 * ((int64_t)r->vertices - (int64_t)r->target); // triangles
        change[0] = change[1] = padici_cdt_fixed_times(r->epsilon, 4 * above + 4);
        back[0] = back[1] = padici_cdt_fixed_times(r->epsilon, 4 - 4 * above);
    }
    for (i = 0; i < 2 && up; i++) {
        r->insert[i] = padici_cdt_threshold(r->lambda + change[i], up, down);
        r->remove[i] = padici_cdt_threshold(back[i] - r->lambda, down, up);
    }
}

// After the volume has changed.
PADICI_FN void padici_cdt_law_follow(const padici_cdt_rules *rules, padici_cdt_replica *r)
{
    if (r->moving) padici_cdt_law_thresholds(rules, r);
}

// Sets lambda and target, which have been checked, and what follows from them.
PADICI_FN void padici_cdt_law_set(const padici_cdt_rules *rules, padici_cdt_replica *r,
                                  double lambda, uint64_t target)
{
    const padic_cdt_plan_desc *d = &rules->desc;
    r->lambda_given = lambda != 0 ? lambda : padici_cdt_critical(rules->sphere);
    r->target_given = target;
    r->lambda = 2 * padici_cdt_fixed(r->lambda_given);
    r->epsilon = padici_cdt_fixed(d->epsilon);
    r->target = target ? (uint32_t)padici_cdt_vertices(rules, target) : 0;
    r->from = rules->least;
    r->to = rules->most;
    if (d->volume == PADIC_CDT_VOLUME_WINDOW) {
        const uint64_t least = d->window_min + d->window_min % 2;
        const uint32_t from = (uint32_t)padici_cdt_vertices(rules, least);
        const uint32_t to = (uint32_t)padici_cdt_vertices(rules, d->window_max);
        if (from > r->from) r->from = from;
        if (to < r->to) r->to = to;
    }
    r->moving = d->volume == PADIC_CDT_VOLUME_SQUARE;
    padici_cdt_law_thresholds(rules, r);
}

#endif
