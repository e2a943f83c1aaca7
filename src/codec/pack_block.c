#include "pack_block.h"
#include "block_decode.h"
#include "block_encode.h"
#include "bytes.h"
#include "choose_matches.h"
#include "choose_prediction.h"
#include "choose_stand_ins.h"
#include "choose_weights.h"
#include "constants.h"
#include "forms.h"

#if PADICI_IMPLEMENT_CODEC

// ---- the payload of a block
//
// Forms are tried one after the other; the smallest payload stays.

// What words cost that are predicted so.
PADICI_NOINLINE static void padici_price_residuals(padici_work *w, const padici_box *box,
                                                   const padici_plan *start,
                                                   const padici_predictor *predictor)
{
    padici_plan plan = *start;
    plan.predictor = *predictor;
    padici_residuals(w->loops, w->words, box->n, &plan, w->trial);
    padici_price_words(w, w->trial, box->n);
}

// The hint's predictor for this block; returns 0 where it is one of floats and these words are not
// the bits of floats alone.
static uint32_t padici_follow(const padici_work *w, const padici_box *box, padici_choice *choice)
{
    padici_predictor *p = &choice->predictor;
    uint32_t k;
    *p = w->hint->predictor;
    if (p->dtype != w->floats && p->dtype != PADIC_DTYPE_NONE) return 0;
    p->values = (double *)(void *)w->hold; // the hint may be another worker's
    for (k = 0; k < p->count; k++)
        p->op[k] = p->op[k].axis == PADICI_FLAT ? padici_flat_op(p->op[k].stride, box->n)
                                                : padici_axis_op(box, p->op[k].axis);
    choice->cost = w->hint->cost * padici_least(box->n, PADICI_RUNS * PADICI_RUN);
    return 1;
}

// Notes the choice for the blocks that follow.
static void padici_lead(padici_work *w, const padici_box *box, const padici_form *form,
                        const padici_choice *choice)
{
    padici_hint *hint = w->hint;
    hint->here = choice->cost / padici_least(box->n, PADICI_RUNS * PADICI_RUN);
    if (!hint->lead || hint->found) return;
    hint->found = 1;
    hint->cost = hint->here;
    hint->form = *form;
    hint->predictor = choice->predictor;
}

// Where repeats made the first block of the group much smaller, the words without them are not
// tried, unless this block comes out larger.
static int padici_match_first(padici_work *w, const padici_box *box, const padici_plan *plan,
                              size_t exceptions)
{
    const padici_hint *hint = w->hint;
    padici_plan start = *plan;
    if (!hint->use || hint->match == 0 || hint->match > PADICI_CODEC_HINT_MATCH ||
        exceptions || !w->may_match)
        return 0;
    w->price[box->n] = (uint32_t)(box->n * hint->cost / 16);
    padici_try_matches(w, box, &start, w->words, 0);
    return w->best && w->best * 2048 < box->n * (hint->size + hint->size / 4);
}

// Elements to words; what the form does not give back exactly goes to w->off and w->fix. Returns
// how many there are: above a third of the elements the form does not hold.
static PADICI_NOINLINE size_t padici_form_words(padici_work *w, const padici_box *box,
                                                const padici_bound *bound, const padici_form *form)
{
    const double g = padici_double_of(form->g), o = padici_double_of(form->o);
    size_t exceptions, i;
    if (form->round)
        exceptions = padici_elements_to_words(form, bound, box->dtype, box->size, w->raw, box->n,
                                              w->words, w->off, box->n / PADICI_CODEC_EXCEPTIONS);
    else
        exceptions = (*w->loops->words)(form, bound, box->dtype, box->size, w->raw, box->n,
                                        w->words, w->off, box->n / PADICI_CODEC_EXCEPTIONS);
    if (exceptions > box->n / PADICI_CODEC_EXCEPTIONS) return exceptions;
    for (i = 0; i < exceptions; i++) {
        const size_t at = w->off[i];
        uint64_t here =
            padici_apply(form, form->kind, box->dtype, box->size,
                         form->round ? w->words[at] * form->round : w->words[at], g, o,
                         form->single);
        if (box->size < 8) here &= (UINT64_C(1) << (8 * box->size)) - 1;
        w->fix[i] = padici_fold(
            padici_ordered(box->dtype, padici_element(w->raw, at, box->size), box->size) -
            padici_ordered(box->dtype, here, box->size));
    }
    return exceptions;
}

// The words' common step and first value leave them.
static void padici_form_coset(padici_work *w, const padici_box *box, const padici_form *form,
                              padici_plan *plan)
{
    if (form->round) {
        uint64_t differ;
        const uint64_t least = (*w->loops->least)(w->words, box->n, &differ);
        plan->flags |= PADICI_BLOCK_COSET;
        plan->form.step = form->round;
        plan->form.first = least * form->round;
        (*w->loops->lower)(w->words, box->n, least, 0);
    } else {
        padici_find_coset(w->loops, w->words, box->n, &plan->form);
    }
    if (plan->form.step > 1 && !form->round) {
        plan->flags |= PADICI_BLOCK_COSET;
        padici_apply_coset(w->loops, &plan->form, w->words, box->n);
    }
}

// Packs the words by those of the chosen predictors that the level has time for. Weighted
// neighbours must prove that they are better, where `plain`, the first other one, is there.
static void padici_try_choices(padici_work *w, const padici_box *box, padici_plan *plan,
                               size_t exceptions, const padici_choice *choice, uint32_t count,
                               uint32_t plain, uint32_t room)
{
    const uint32_t rival = w->policy->predictors.rival, gain = w->policy->predictors.linear_gain;
    uint32_t pass, p, others = 0;
    for (pass = 0; pass < 2 * count; pass++) { // these last: they must win by a share
        const int simple = choice[p = pass % count].predictor.kind != PADICI_PREDICT_LINEAR;
        if (simple != (pass < count) || (simple ? others++ >= room : p >= room)) continue;
        if (rival && p && choice[0].cost < choice[p].cost - choice[p].cost / rival) continue;
        if (!simple && plain < count && gain && w->stages.predictors == 0 &&
            choice[p].cost > choice[plain].cost - choice[plain].cost / gain)
            continue;
        plan->predictor = choice[p].predictor;
        padici_try_predictor(w, box, plan, exceptions);
    }
}

// Packs the words with repeats of elements taken out; within a bound they are looked for in what
// the decoder will have.
static void padici_try_form_matches(padici_work *w, const padici_box *box, const padici_plan *plan,
                                    const padici_predictor *predictor)
{
    if (w->bounded) {
        padici_form here = plan->form;
        if (!(plan->flags & PADICI_BLOCK_COSET)) here.first = 0;
        memcpy(w->reference, w->raw, box->n * box->size);
        (*w->loops->elements)(&here, box->dtype, w->words, w->raw, box->n);
        w->keyed = 0;
        w->probed = 0;
    }
    if (padici_worth_matches(w, box, 0)) {
        if (w->policy->patterns.parse == PADICI_CODEC_PARSE_FAST)
            w->price[box->n] = (uint32_t)(w->best * 128);
        else padici_price_residuals(w, box, plan, predictor);
        padici_try_matches(w, box, plan, w->words, 0);
    }
    if (w->bounded) memcpy(w->raw, w->reference, box->n * box->size);
}

// Packs the block in one form. Returns 0 where the form does not hold.
static int padici_try_form(padici_work *w, const padici_box *box, const padici_bound *bound,
                           const padici_form *form, int reference)
{
    padici_choice choice[5];
    uint32_t count, plain = 0;
    const uint32_t room = w->policy->predictors.tried;
    padici_plan plan;
    size_t exceptions, bits;
    memset(&plan, 0, sizeof plan);
    plan.form = *form;
    if (form->single) plan.flags |= PADICI_BLOCK_SINGLE;
    if (form->round && reference) return 0;
    exceptions = padici_form_words(w, box, bound, form);
    if (exceptions > box->n / PADICI_CODEC_EXCEPTIONS) return 0;
    if (reference) {
        plan.flags |= PADICI_BLOCK_REFERENCE;
        plan.digest = w->digest;
        padici_add_reference(form, box->dtype, w->reference, w->words, box->n, 1);
    }
    padici_form_coset(w, box, form, &plan);
    w->bounded = bound->mode != PADIC_BOUND_NONE;
    w->first = plan.form.step > 1 ? 0 : plan.form.first;
    w->floats = w->may_weigh && form->kind == PADICI_FORM_BITS && form->shift == 0 &&
                        plan.form.step == 1 && !reference &&
                        (box->dtype == PADIC_F32 || box->dtype == PADIC_F64)
                    ? box->dtype
                    : PADIC_DTYPE_NONE;
    count = w->hint->use ? padici_follow(w, box, choice) : 0;
    if (!count)
        count = padici_choose_predictors(w, box, w->words, w->trial, choice, room < 2 ? 3 : 5);
    if (w->policy->hints.follow) padici_lead(w, box, form, choice);
    if (w->policy->hints.matches && padici_match_first(w, box, &plan, exceptions)) return 1;
    while (plain < count && choice[plain].predictor.kind == PADICI_PREDICT_LINEAR) plain++;
    padici_try_choices(w, box, &plan, exceptions, choice, count, plain, room);
    w->floats = PADIC_DTYPE_NONE;
    memset(&plan.predictor, 0, sizeof plan.predictor);
    if (plain == count) plain = 0; // what is left between repeats takes simple predictors
    bits = (size_t)(choice[plain].cost / padici_least(box->n, PADICI_RUNS * PADICI_RUN) / 256) + 1;
    if (exceptions == 0 && !reference && w->may_match && box->n >= 16)
        padici_try_form_matches(w, box, &plan, &choice[plain].predictor);
    if ((exceptions || reference || !w->may_match || w->bounded) &&
        padici_worth_repeats(w, box, PADICI_CODEC_REPEAT_BITS / bits + 1)) {
        padici_try_repeats(w, box, &plan, PADICI_CODEC_REPEAT_BITS / bits + 1, exceptions);
    }
    return 1;
}

// Distances to the row above and the plane before, for the contexts of streams.
static void padici_find_neighbours(padici_work *w, const padici_box *box)
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

// The elements in w->raw as they are.
PADICI_FN void padici_put_raw(padici_work *w, const padici_box *box)
{
    size_t i;
    padici_put8(&w->out, PADICI_FORM_RAW);
    padici_put_bytes(&w->out, w->raw, box->n * box->size);
    for (i = 0; i < PADICI_PAYLOAD_PAD; i++) padici_put8(&w->out, 0);
}

// The same as the block's payload; returns its size.
PADICI_FN size_t padici_pack_raw(padici_work *w, const padici_box *box)
{
    w->best = 0;
    w->out.at = w->out.start = w->payload;
    padici_keep_payload(w); // sets the writer up
    padici_put_raw(w, box);
    padici_keep_payload(w);
    return w->best;
}

// Packs the block by its hint and by the forms that suit it. Returns how many of them held.
static PADICI_NOINLINE uint32_t padici_try_forms(padici_work *w, const padici_box *box,
                                                 const padici_bound *bound)
{
    // whether rounding by bits or by any step is better, an estimate does not tell
    const uint32_t most =
        w->policy->transforms.tried + (bound->mode == PADIC_BOUND_POINTWISE ? 1u : 0u);
    padici_form_choice forms[8];
    uint32_t count = 0, tried = 0, k;
    if (w->hint->use) { // unless it does not hold, or costs more than the first block's
        w->probed = w->hint->match > PADICI_CODEC_HINT_NONE ||
                    (w->hint->match == 0 && w->hint->share < w->policy->hints.probe);
        w->hint->use = padici_try_form(w, box, bound, &w->hint->form, 0) &&
                       w->best * 2048 < (box->n * w->hint->cost + 65536) * 5 / 4;
        tried = (uint32_t)w->hint->use;
        if (!tried) w->probed = 0;
    }
    if (!tried) count = padici_choose_forms(w, box, bound, forms);
    for (k = 0; k < count && tried < most; k++) {
        tried += (uint32_t)padici_try_form(w, box, bound, &forms[k].form, 0);
        if (w->referenced) (void)padici_try_form(w, box, bound, &forms[k].form, 1);
    }
    return tried;
}

// Packs the elements in w->raw into w->payload without columns; returns the payload's size.
PADICI_FN size_t padici_pack_whole(padici_work *w, const padici_box *box, const padici_bound *bound)
{
    const size_t raw_size = box->n * box->size;
    const uint32_t again = w->policy->transforms.again;
    uint32_t k;
    padici_plan plan;
    w->best = w->plain = 0;
    w->out.at = w->out.start = w->payload;
    padici_keep_payload(w); // sets the writer up
    padici_find_neighbours(w, box);
    w->keyed = 0;
    w->probed = 0;
    memset(w->share, 0, sizeof w->share);
    memset(&plan, 0, sizeof plan);
    if (padici_serves(box, bound, w->raw, w->raw, 0) &&
        padici_allowed(w->stages.patterns, PADICI_PATTERN_CONSTANT) &&
        padici_allowed(w->stages.forms, PADICI_FORM_BITS)) {
        plan.pattern = PADICI_PATTERN_CONSTANT;
        plan.constant = padici_ordered(box->dtype, padici_element(w->raw, 0, box->size), box->size);
        padici_put_payload(w, box, &plan, NULL, 0, 0);
        padici_keep_payload(w);
    } else if (box->n > 1 && w->stages.forms != 1u << PADICI_FORM_RAW &&
               !padici_try_copy(w, box, bound)) {
        const uint32_t tried = padici_try_forms(w, box, bound);
        if (w->policy->transforms.smooth &&
            padici_allowed(w->stages.predictors, PADICI_PREDICT_INTERPOLATE) &&
            padici_is_float(box->dtype) && bound->absolute > 0 &&
            (bound->mode == PADIC_BOUND_ABSOLUTE || bound->mode == PADIC_BOUND_RANGE) &&
            padici_allowed(w->stages.forms, PADICI_FORM_SCALE) &&
            (w->stages.predictors ||
             (box->n > PADICI_CODEC_SMOOTH_LEAST &&
              w->best < box->n / 8 * PADICI_CODEC_SMOOTH_BITS))) {
            padici_try_smooth(w, box, bound, 0);
            if (w->policy->transforms.smooth > 1) padici_try_smooth(w, box, bound, 1);
        }
        if (!tried || (again && w->may_match && w->payload[0] < PADICI_FORM_RAW &&
                       (w->payload[1] & PADICI_BLOCK_EXCEPTIONS) && // repeats are of bits
                       padici_worth_matches(w, box, 0) && w->share[0] > again)) {
            // plain bits always hold
            (void)padici_try_form(w, box, bound, &plan.form, 0);
            if (w->referenced) (void)padici_try_form(w, box, bound, &plan.form, 1);
        }
        if (padici_is_float(box->dtype) && bound->mode == PADIC_BOUND_NONE &&
            (w->policy->patterns.upper || w->stages.patterns) &&
            padici_allowed(w->stages.forms, PADICI_FORM_FIELDS))
            padici_try_upper(w, box);
        if (w->may_plain && padici_is_float(box->dtype) && bound->mode == PADIC_BOUND_NONE)
            padici_try_plain(w, box);
    }
    if (w->best == 0 || w->best > raw_size + 1 + PADICI_PAYLOAD_PAD) (void)padici_pack_raw(w, box);
    if (w->policy->hints.follow && w->hint->lead) {
        for (k = 0; k < 3; k++)
            if (w->share[k] > w->hint->share) w->hint->share = w->share[k];
        w->hint->size = w->best * 2048 / box->n;
    }
    return w->best;
}

#endif
