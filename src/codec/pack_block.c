#include "pack_block.h"
#include "block_decode.h"
#include "block_encode.h"
#include "bytes.h"
#include "choose_matches.h"
#include "choose_prediction.h"
#include "choose_alternatives.h"
#include "choose_repeats.h"
#include "choose_smooth.h"
#include "choose_weights.h"
#include "constants.h"
#include "contexts.h"
#include "follow_block.h"
#include "transforms.h"

#if PADICI_IMPLEMENT_CODEC

// ---- the payload of a block
//
// Transforms are tried one after the other; the smallest payload is kept.

// The cost of words with this predictor.
PADICI_FN PADICI_NOINLINE void padici_codec_price_residuals(
    padici_codec_work *w, const padici_codec_box *box, const padici_codec_plan *start,
    const padici_codec_predictor *predictor)
{
    padici_codec_plan plan = *start;
    plan.predictor = *predictor;
    padici_codec_residuals(w->loops, w->words, box->n, &plan, w->trial);
    padici_codec_price_words(w, w->trial, box->n);
}

// A predictor of the first block of the group for this one; returns 0 where it is one of floats and
// these words are not plain float bits.
PADICI_FN int padici_codec_follow_predictor(const padici_codec_work *w, const padici_codec_box *box,
                                            padici_codec_predictor *p)
{
    uint32_t k;
    if (p->dtype != w->floats && p->dtype != PADIC_DTYPE_NONE) return 0;
    p->values = (double *)(void *)w->hold; // the hint may be another worker's
    for (k = 0; k < p->count; k++)
        p->op[k] = p->op[k].axis == PADICI_CODEC_FLAT
                       ? padici_codec_flat_op(p->op[k].stride, box->n)
                       : padici_codec_axis_op(box, p->op[k].axis);
    return 1;
}

// The hint's predictor for this block, if it can be.
static uint32_t padici_codec_follow(const padici_codec_work *w, const padici_codec_box *box,
                                    padici_codec_choice *choice)
{
    choice->predictor = w->hint->predictor;
    if (!padici_codec_follow_predictor(w, box, &choice->predictor)) return 0;
    choice->cost = w->hint->cost *
                   padici_codec_least(box->n, PADICI_CODEC_SAMPLE_RUNS * PADICI_CODEC_SAMPLE_RUN);
    return 1;
}

// Stores the choice for the following blocks.
static void padici_codec_lead(padici_codec_work *w, const padici_codec_box *box,
                              const padici_codec_transform *transform,
                              const padici_codec_choice *choice)
{
    padici_codec_hint *hint = w->hint;
    hint->here = choice->cost /
                 padici_codec_least(box->n, PADICI_CODEC_SAMPLE_RUNS * PADICI_CODEC_SAMPLE_RUN);
    if (!hint->lead || hint->found) return;
    hint->found = 1;
    hint->cost = hint->here;
    hint->transform = *transform;
    hint->predictor = choice->predictor;
}

// Where repeats made the first block of the group much smaller, the words without them are not
// tried, unless this block becomes larger.
static int padici_codec_match_first(padici_codec_work *w, const padici_codec_box *box,
                                    const padici_codec_plan *plan, size_t exceptions)
{
    const padici_codec_hint *hint = w->hint;
    padici_codec_plan start = *plan;
    if (!hint->use || hint->match == 0 || hint->match > PADICI_CODEC_HINT_MATCH ||
        exceptions || !w->may_match)
        return 0;
    w->price[box->n] = (uint32_t)(box->n * hint->cost / 16);
    padici_codec_try_matches(w, box, &start, w->words, 0);
    return w->best && w->best * 2048 < box->n * (hint->size + hint->size / 4);
}

// Elements to words; exceptions of the transform go to w->off and w->fix. Returns their number:
// above a third of the elements the transform does not hold.
static PADICI_NOINLINE size_t padici_codec_transform_words(padici_codec_work *w,
                                                           const padici_codec_box *box,
                                                           const padici_codec_tolerance *tolerance,
                                                           const padici_codec_transform *transform)
{
    const double g = padici_codec_double_of(transform->g), o = padici_codec_double_of(transform->o);
    size_t exceptions, i;
    if (transform->round)
        exceptions = padici_codec_elements_to_words(transform, tolerance, box->dtype, box->size,
                                                    w->raw, box->n, w->words, w->off,
                                                    box->n / PADICI_CODEC_EXCEPTIONS);
    else
        exceptions = (*w->loops->words)(transform, tolerance, box->dtype, box->size, w->raw, box->n,
                                        w->words, w->off, box->n / PADICI_CODEC_EXCEPTIONS);
    if (exceptions > box->n / PADICI_CODEC_EXCEPTIONS) return exceptions;
    for (i = 0; i < exceptions; i++) {
        const size_t at = w->off[i];
        uint64_t here = padici_codec_transform_apply(
            transform, transform->kind, box->dtype, box->size,
            transform->round ? w->words[at] * transform->round : w->words[at], g, o,
            transform->single);
        if (box->size < 8) here &= (UINT64_C(1) << (8 * box->size)) - 1;
        w->fix[i] = padici_codec_fold(
            padici_codec_to_ordered(box->dtype, padici_codec_element(w->raw, at, box->size),
                                    box->size) -
            padici_codec_to_ordered(box->dtype, here, box->size));
    }
    return exceptions;
}

// Removes the words' common step and first value.
static void padici_codec_transform_coset(padici_codec_work *w, const padici_codec_box *box,
                                         const padici_codec_transform *transform,
                                         padici_codec_plan *plan)
{
    if (transform->round) {
        uint64_t differ;
        const uint64_t least = (*w->loops->least)(w->words, box->n, &differ);
        plan->flags |= PADICI_CODEC_BLOCK_COSET;
        plan->transform.step = transform->round;
        plan->transform.first = least * transform->round;
        (*w->loops->lower)(w->words, box->n, least, 0);
    } else {
        padici_codec_find_coset(w->loops, w->words, box->n, &plan->transform);
    }
    if (plan->transform.step > 1 && !transform->round) {
        plan->flags |= PADICI_CODEC_BLOCK_COSET;
        padici_codec_apply_coset(w->loops, &plan->transform, w->words, box->n);
    }
}

// Packs the words with those of the chosen predictors that the level has time for. Weighted
// neighbours must beat `plain`, the first other predictor, if there is one.
static void padici_codec_try_choices(padici_codec_work *w, const padici_codec_box *box,
                                     padici_codec_plan *plan, size_t exceptions,
                                     const padici_codec_choice *choice, uint32_t count,
                                     uint32_t plain, uint32_t room)
{
    const uint32_t rival = w->policy->predictors.rival, gain = w->policy->predictors.linear_gain;
    uint32_t pass, p, others = 0;
    size_t before;
    for (pass = 0; pass < 2 * count; pass++) { // these last: they must win by a share
        const int simple = choice[p = pass % count].predictor.kind != PADICI_CODEC_PREDICTOR_LINEAR;
        if (simple != (pass < count) || (simple ? others++ >= room : p >= room)) continue;
        if (rival && p && choice[0].cost < choice[p].cost - choice[p].cost / rival) continue;
        if (!simple && plain < count && gain && w->stages.predictors == 0 &&
            choice[p].cost > choice[plain].cost - choice[plain].cost / gain)
            continue;
        before = w->best;
        plan->predictor = choice[p].predictor;
        padici_codec_try_predictor(w, box, plan, exceptions);
        if (w->best != before && w->hint->lead) w->hint->predictor = plan->predictor;
    }
}

// Packs the words after removing repeats of elements; within a tolerance they are searched for in
// the decoder's elements.
static void padici_codec_try_element_matches(padici_codec_work *w, const padici_codec_box *box,
                                             const padici_codec_plan *plan,
                                             const padici_codec_predictor *predictor)
{
    // within a tolerance fast levels find out more cheaply whether a block repeats itself
    if (w->bounded && !w->windowed && padici_codec_bounded_fast(w) && w->best &&
        !padici_codec_repeats_promise(w, w->words, box->n))
        return;
    if (w->bounded) {
        padici_codec_transform here = plan->transform;
        if (!(plan->flags & PADICI_CODEC_BLOCK_COSET)) here.first = 0;
        memcpy(w->reference, w->raw, box->n * box->size);
        (*w->loops->elements)(&here, box->dtype, w->words, w->raw, box->n);
        w->keyed = 0;
        w->probed = 0;
    }
    if (padici_codec_worth_matches(w, box, 0)) {
        if (w->policy->patterns.parse == PADICI_CODEC_PARSE_FAST)
            w->price[box->n] = (uint32_t)(w->best * 128);
        else
            padici_codec_price_residuals(w, box, plan, predictor);
        padici_codec_try_matches(w, box, plan, w->words, 0);
    }
    if (w->bounded) memcpy(w->raw, w->reference, box->n * box->size);
}

// The words in one transform, and the plan for them. Returns the number of exceptions, as above.
PADICI_FN size_t padici_codec_begin_words(padici_codec_work *w, const padici_codec_box *box,
                                          const padici_codec_tolerance *tolerance,
                                          const padici_codec_transform *transform, int reference,
                                          padici_codec_plan *plan)
{
    size_t exceptions;
    memset(plan, 0, sizeof *plan);
    plan->transform = *transform;
    if (transform->single) plan->flags |= PADICI_CODEC_BLOCK_SINGLE;
    exceptions = padici_codec_transform_words(w, box, tolerance, transform);
    if (exceptions > box->n / PADICI_CODEC_EXCEPTIONS) return exceptions;
    if (reference) {
        plan->flags |= PADICI_CODEC_BLOCK_REFERENCE;
        plan->digest = w->digest;
        padici_codec_add_reference(transform, box->dtype, w->reference, w->words, box->n, 1);
    }
    padici_codec_transform_coset(w, box, transform, plan);
    w->bounded = tolerance->mode != PADIC_CODEC_TOLERANCE_NONE;
    w->first = plan->transform.step > 1 ? 0 : plan->transform.first;
    w->floats = w->may_weigh && transform->kind == PADICI_CODEC_TRANSFORM_BITS &&
                        transform->shift == 0 && plan->transform.step == 1 && !reference &&
                        (box->dtype == PADIC_F32 || box->dtype == PADIC_F64)
                    ? box->dtype
                    : PADIC_DTYPE_NONE;
    return exceptions;
}

// Packs the block in one transform. Returns 0 where the transform does not hold.
static int padici_codec_try_transform(padici_codec_work *w, const padici_codec_box *box,
                                      const padici_codec_tolerance *tolerance,
                                      const padici_codec_transform *transform, int reference)
{
    padici_codec_choice choice[5];
    uint32_t count, plain = 0;
    const int follows = padici_codec_follows(w);
    const uint32_t room = w->policy->predictors.tried;
    padici_codec_plan plan;
    size_t exceptions, bits;
    if (transform->round && reference) return 0;
    exceptions = padici_codec_begin_words(w, box, tolerance, transform, reference, &plan);
    if (exceptions > box->n / PADICI_CODEC_EXCEPTIONS) return 0;
    if (follows) {
        if (exceptions * 1024 / box->n > w->hint->exceptions + 2) return 0;
        if (exceptions == 0 && w->may_match && box->n >= 16 &&
            padici_codec_follow_matches(w, box, &plan)) {
            w->enough = 1;
            return 1;
        }
        count = (uint32_t)padici_codec_follow_words(w, box, choice);
    } else {
        count = w->hint->use ? padici_codec_follow(w, box, choice) : 0;
    }
    if (!count)
        count =
            padici_codec_choose_predictors(w, box, w->words, w->trial, choice, room < 2 ? 3 : 5);
    if (w->smooth != UINT64_MAX) { // a smooth field that promises more comes first
        w->passed = choice->cost * 1024 /
                    padici_codec_least(box->n, PADICI_CODEC_SAMPLE_RUNS * PADICI_CODEC_SAMPLE_RUN);
        if (w->smooth < w->passed &&
            padici_codec_words_gain(w, w->words, box->n, w->smooth >> 14) <
                w->smooth * box->n >> PADICI_CODEC_SMOOTH_GAIN)
            return 1;
    }
    if (w->policy->hints.follow == 1) padici_codec_lead(w, box, transform, choice);
    if (w->policy->hints.matches && padici_codec_match_first(w, box, &plan, exceptions)) return 1;
    while (plain < count && choice[plain].predictor.kind == PADICI_CODEC_PREDICTOR_LINEAR) plain++;
    padici_codec_try_choices(w, box, &plan, exceptions, choice, count, plain, room);
    if (w->policy->hints.follow == 2 && w->hint->lead)
        padici_codec_lead_words(w, box, transform,
                                &choice[plain < count ? plain : 0].predictor, exceptions);
    w->floats = PADIC_DTYPE_NONE;
    memset(&plan.predictor, 0, sizeof plan.predictor);
    if (plain == count) plain = 0; // the literals between repeats use simple predictors
    bits = (size_t)(choice[plain].cost /
                    padici_codec_least(box->n, PADICI_CODEC_SAMPLE_RUNS * PADICI_CODEC_SAMPLE_RUN) /
                    256) +
           1;
    if (exceptions == 0 && !reference && w->may_match && box->n >= 16 &&
        !(follows && padici_codec_worth_matches(w, box, 0) &&
          padici_codec_passed_over(w, PADICI_CODEC_WAY_MATCHES, 0)))
        padici_codec_try_element_matches(w, box, &plan, &choice[plain].predictor);
    if ((exceptions || reference || !w->may_match || w->bounded) && !padici_codec_no_repeats(w) &&
        padici_codec_worth_repeats(w, box, PADICI_CODEC_REPEAT_BITS / bits + 1)) {
        padici_codec_try_repeats(w, box, &plan, PADICI_CODEC_REPEAT_BITS / bits + 1, exceptions);
        w->hint->tried |= w->hint->lead;
    }
    return 1;
}

// Distances to the row above and the plane before, for the contexts of streams.
static void padici_codec_find_neighbours(padici_codec_work *w, const padici_codec_box *box)
{
    size_t below = 1;
    uint32_t k;
    w->row = w->plane = 0;
    for (k = box->rank; k-- > 0;) {
        if (box->extent[k] < 2) continue;
        if (below > 1 && w->row == 0) w->row = below;
        else if (below > 1 && w->plane == 0) w->plane = below;
        below *= box->extent[k];
    }
}

// The elements in w->raw, stored raw.
PADICI_FN void padici_codec_put_raw(padici_codec_work *w, const padici_codec_box *box)
{
    size_t i;
    padici_codec_put_u8(&w->out, PADICI_CODEC_TRANSFORM_RAW);
    padici_codec_put_bytes(&w->out, w->raw, box->n * box->size);
    for (i = 0; i < PADICI_CODEC_PAYLOAD_PAD; i++) padici_codec_put_u8(&w->out, 0);
}

// The same as the block's payload; returns its size.
PADICI_FN size_t padici_codec_pack_raw(padici_codec_work *w, const padici_codec_box *box)
{
    w->best = 0;
    w->out.at = w->out.start = w->payload;
    padici_codec_keep_payload(w); // initialises the writer
    padici_codec_put_raw(w, box);
    padici_codec_keep_payload(w);
    return w->best;
}

// Packs the block by its hint and by suitable transforms. Returns how many of them held.
static PADICI_NOINLINE uint32_t padici_codec_try_transforms(padici_codec_work *w,
                                                            const padici_codec_box *box,
                                                            const padici_codec_tolerance *tolerance)
{
    // an estimate does not tell whether rounding by bits or by any step is better
    const uint32_t most = w->policy->transforms.tried +
                          (tolerance->mode == PADIC_CODEC_TOLERANCE_POINTWISE ? 1u : 0u);
    padici_codec_transform_choice transforms[8];
    uint32_t count = 0, tried = 0, k;
    if (padici_codec_follows(w)) {
        if (w->hint->way <= PADICI_CODEC_WAY_MATCHES)
            tried = (uint32_t)padici_codec_try_transform(w, box, tolerance, &w->hint->transform, 0);
        w->hint->use = (int)tried;
    } else if (w->hint->use) { // unless it does not hold, or costs more than the first block's
        w->probed = w->hint->match > PADICI_CODEC_HINT_NONE ||
                    (w->hint->match == 0 && w->hint->share < w->policy->hints.probe);
        w->hint->use = padici_codec_try_transform(w, box, tolerance, &w->hint->transform, 0) &&
                       w->best * 2048 < (box->n * w->hint->cost + 65536) * 5 / 4;
        tried = (uint32_t)w->hint->use;
        if (!tried) w->probed = 0;
    }
    if (!tried) count = padici_codec_choose_transforms(w, box, tolerance, transforms);
    for (k = 0; k < count && tried < most; k++) {
        tried +=
            (uint32_t)padici_codec_try_transform(w, box, tolerance, &transforms[k].transform, 0);
        if (w->referenced)
            (void)padici_codec_try_transform(w, box, tolerance, &transforms[k].transform, 1);
    }
    return tried;
}

// 1 if a block within a tolerance may be packed as a smooth field.
static int padici_codec_may_smooth(const padici_codec_work *w, const padici_codec_box *box,
                                   const padici_codec_tolerance *tolerance)
{
    return w->policy->transforms.smooth &&
           padici_codec_allowed(w->stages.predictors, PADICI_CODEC_PREDICTOR_INTERPOLATE) &&
           padici_codec_allowed(w->stages.transforms, PADICI_CODEC_TRANSFORM_SCALE) &&
           padici_codec_is_float(box->dtype) && tolerance->absolute > 0 &&
           (tolerance->mode == PADIC_CODEC_TOLERANCE_ABSOLUTE ||
            tolerance->mode == PADIC_CODEC_TOLERANCE_RANGE) &&
           (w->stages.predictors || box->n > PADICI_CODEC_SMOOTH_LEAST);
}

// Packs the block as a smooth field, by other transforms, or both, in the order of their estimates.
// Returns how many of the transforms held.
static PADICI_NOINLINE uint32_t padici_codec_try_fields(padici_codec_work *w,
                                                        const padici_codec_box *box,
                                                        const padici_codec_tolerance *tolerance)
{
    const uint32_t rival = w->policy->transforms.smooth_rival;
    const int all = w->policy->transforms.smooth > 1 || w->stages.predictors != 0;
    padici_codec_predictor smooth;
    uint32_t tried;
    uint64_t cost = padici_codec_smooth_cost(w, box, tolerance, &smooth);
    // later blocks cannot repeat elements that lie on no lattice,
    if (w->windowed && cost < UINT64_MAX) cost += cost / 4;
    // and repeats of earlier ones may save more
    w->smooth = all || cost == UINT64_MAX ? UINT64_MAX : w->windowed ? 2 * cost : cost;
    w->passed = UINT64_MAX;
    tried = padici_codec_try_transforms(w, box, tolerance);
    if (all) {
        w->smooth = UINT64_MAX;
        if (w->stages.predictors || w->best < box->n / 8 * PADICI_CODEC_SMOOTH_BITS)
            padici_codec_try_orders(w, box, tolerance, &smooth);
        return tried;
    }
    w->smooth = UINT64_MAX;
    if (cost == UINT64_MAX) return tried;
    if (w->best) { // packed
        if (w->windowed ? cost * box->n >> 21 < w->best
                        : cost < w->passed || (rival && cost - w->passed <=
                                                            w->passed / rival +
                                                                PADICI_CODEC_SMOOTH_SLACK))
            padici_codec_try_smooth(w, box, tolerance, &smooth);
        return tried;
    }
    padici_codec_try_smooth(w, box, tolerance, &smooth);
    if (!w->best || (rival && w->passed - cost <= cost / rival + PADICI_CODEC_SMOOTH_SLACK) ||
        (w->may_match && padici_codec_worth_matches(w, box, 0)))
        tried = padici_codec_try_transforms(w, box, tolerance);
    return tried;
}

// Packs the elements in w->raw into w->payload without columns; returns the payload's size.
PADICI_FN size_t padici_codec_pack_whole(padici_codec_work *w, const padici_codec_box *box,
                                         const padici_codec_tolerance *tolerance)
{
    const size_t raw_size = box->n * box->size;
    const uint32_t again = w->policy->transforms.again;
    uint32_t k;
    padici_codec_plan plan;
    w->best = w->plain = 0;
    w->enough = 0;
    w->hint->done = PADICI_CODEC_WAY_ANY;
    w->hint->strayed = 0;
    w->smooth = UINT64_MAX;
    w->out.at = w->out.start = w->payload;
    padici_codec_keep_payload(w); // initialises the writer
    padici_codec_find_neighbours(w, box);
    w->keyed = 0;
    w->probed = 0;
    memset(w->share, 0, sizeof w->share);
    memset(&plan, 0, sizeof plan);
    if (padici_codec_stands_for(box, tolerance, w->raw, w->raw, 0) &&
        padici_codec_allowed(w->stages.patterns, PADICI_CODEC_PATTERN_CONSTANT) &&
        padici_codec_allowed(w->stages.transforms, PADICI_CODEC_TRANSFORM_BITS)) {
        plan.pattern = PADICI_CODEC_PATTERN_CONSTANT;
        plan.constant = padici_codec_to_ordered(
            box->dtype, padici_codec_element(w->raw, 0, box->size), box->size);
        padici_codec_put_payload(w, box, &plan, NULL, 0, 0);
        padici_codec_keep_payload(w);
    } else if (box->n > 1 && w->stages.transforms != 1u << PADICI_CODEC_TRANSFORM_RAW &&
               !padici_codec_try_copy(w, box, tolerance) &&
               !(padici_codec_follows(w) && padici_codec_follow_bytes(w, box))) {
        const uint32_t tried = padici_codec_may_smooth(w, box, tolerance)
                                   ? padici_codec_try_fields(w, box, tolerance)
                                   : padici_codec_try_transforms(w, box, tolerance);
        if (!tried || (again && w->may_match && w->payload[0] < PADICI_CODEC_TRANSFORM_RAW &&
                       (w->payload[1] & PADICI_CODEC_BLOCK_EXCEPTIONS) && // repeats are of bits
                       padici_codec_worth_matches(w, box, 0) && w->share[0] > again)) {
            // plain bits always hold
            (void)padici_codec_try_transform(w, box, tolerance, &plan.transform, 0);
            if (w->referenced)
                (void)padici_codec_try_transform(w, box, tolerance, &plan.transform, 1);
        }
        if (!w->enough && padici_codec_is_float(box->dtype) &&
            tolerance->mode == PADIC_CODEC_TOLERANCE_NONE &&
            (w->policy->patterns.upper || w->stages.patterns) &&
            padici_codec_allowed(w->stages.transforms, PADICI_CODEC_TRANSFORM_FIELDS))
            padici_codec_try_upper(w, box);
        if (!w->enough && w->may_plain && padici_codec_is_float(box->dtype) &&
            tolerance->mode == PADIC_CODEC_TOLERANCE_NONE)
            padici_codec_try_plain(w, box);
    }
    if (w->best == 0 || w->best > raw_size + 1 + PADICI_CODEC_PAYLOAD_PAD)
        (void)padici_codec_pack_raw(w, box);
    if (w->policy->hints.follow == 2 && w->hint->lead) padici_codec_lead_payload(w, box);
    if (w->policy->hints.follow == 1 && w->hint->lead) {
        for (k = 0; k < 3; k++)
            if (w->share[k] > w->hint->share) w->hint->share = w->share[k];
        w->hint->size = w->best * 2048 / box->n;
    }
    return w->best;
}

#endif
