#include "choose_alternatives.h"
#include "block_decode.h"
#include "block_encode.h"
#include "bytes.h"
#include "bytes_repeats.h"
#include "choose_matches.h"
#include "choose_prediction.h"
#include "constants.h"
#include "follow_block.h"
#include "transforms.h"
#include "interpolation.h"
#include "repeats.h"

#if PADICI_IMPLEMENT_CODEC

// ---- the packer's choices: what stands for a block
//
// Copies of earlier blocks, smooth fields within a tolerance, upper parts that repeat, plain bits.

// 1 if elements b (only the first one unless `all`) may replace a.
PADICI_FN int padici_codec_stands_for(const padici_codec_box *box,
                                      const padici_codec_tolerance *tolerance, const uint8_t *a,
                                      const uint8_t *b, size_t all)
{
    size_t i;
    if (tolerance->mode != PADIC_CODEC_TOLERANCE_ABSOLUTE &&
        tolerance->mode != PADIC_CODEC_TOLERANCE_RANGE)
        return all ? !memcmp(a, b, box->n * box->size)
                   : !memcmp(a, a + box->size, (box->n - 1) * box->size);
    for (i = 0; i < box->n; i++) {
        const uint64_t p = padici_codec_element(a, i, box->size);
        const uint64_t q = padici_codec_element(b, i * all, box->size);
        if (p != q &&
            (!padici_codec_is_float(box->dtype) ||
             !padici_codec_is_within(padici_codec_value(box->dtype, p),
                                     padici_codec_value(box->dtype, q), tolerance->absolute)))
            return 0;
    }
    return 1;
}

// The block as a copy of an earlier one.
PADICI_FN int padici_codec_try_copy(padici_codec_work *w, const padici_codec_box *box,
                                    const padici_codec_tolerance *tolerance)
{
    padici_codec_plan plan;
    uint32_t k;
    if (!w->may_match) return 0;
    for (k = 1; k <= w->slot; k++) {
        const size_t from = w->starts[w->slot - k];
        if (w->behind - from < box->n ||
            !padici_codec_stands_for(box, tolerance, w->raw, w->history + from * box->size, 1))
            continue;
        memset(&plan, 0, sizeof plan);
        plan.transform.step = 1;
        plan.pattern = PADICI_CODEC_PATTERN_MATCH;
        plan.flags = PADICI_CODEC_BLOCK_FIRST | PADICI_CODEC_BLOCK_WINDOW;
        plan.reach = k;
        padici_codec_put_payload(w, box, &plan, w->other, 0, 0);
        padici_codec_keep_payload(w);
        return 1;
    }
    return 0;
}

// The upper parts' repeats, with `split` bits split off.
PADICI_FN void padici_codec_try_split(padici_codec_work *w, const padici_codec_box *box,
                                      uint32_t split)
{
    const uint32_t each = (8 * box->size - split) * 14;
    padici_codec_plan plan;
    size_t i;
    for (i = 0; i <= box->n; i++)
        w->price[i] = (uint32_t)i * (w->probed && w->each < each ? w->each : each);
    memset(&plan, 0, sizeof plan);
    plan.transform.kind = PADICI_CODEC_TRANSFORM_FIELDS;
    plan.transform.step = 1;
    plan.flags = PADICI_CODEC_BLOCK_SPLIT;
    plan.split = split;
    padici_codec_make_keys(w, box, split);
    padici_codec_try_matches(w, box, &plan, w->keys, split);
}

// Floats often repeat except for their sign, or for sign and last byte, as in symmetric fields and
// meshes: only the upper bits are searched, the others are separate streams.
PADICI_FN void padici_codec_try_upper(padici_codec_work *w, const padici_codec_box *box)
{
    const uint32_t widest = padici_codec_widest_split(box);
    const uint32_t often = w->policy->patterns.upper_share;
    const int one = w->policy->patterns.upper_one && w->stages.patterns == 0;
    uint32_t split, most, share, best = 0;
    if (!w->may_match || box->n < 16) return;
    if (!w->probed && w->stages.patterns == 0) padici_codec_probe_matches(w, box);
    most = w->share[0] + w->policy->patterns.upper_more;
    for (split = 1; split <= widest; split += 8) {
        share = w->share[PADICI_CODEC_SPLIT_INDEX(split)];
        if (!padici_codec_worth_matches(w, box, split) && split + 8 <= widest) continue;
        if (padici_codec_passed_over(w, PADICI_CODEC_WAY_UPPER, split)) continue;
        if (one) { // the narrowest of those that find most
            if (share > most + 4) most = share, best = split;
            if (best == 0 || split + 8 <= widest) continue;
            split = best;
        } else if (share <= (often ? often : most) && w->stages.patterns == 0) {
            continue;
        }
        padici_codec_try_split(w, box, split);
        if (one) return;
    }
}

PADICI_FN void padici_codec_plain_words(padici_codec_work *w, const padici_codec_box *box)
{
    size_t i;
    for (i = 0; i < box->n; i++) w->words[i] = padici_codec_element(w->raw, i, box->size);
}

// Planes of the raw bits, which w->words has, with repeats in these.
PADICI_FN void padici_codec_put_plain(padici_codec_work *w, const padici_codec_box *box)
{
    const padic_codec_stages stages = w->stages;
    const int repeats = w->may_repeat;
    padici_codec_box plain = *box;
    padici_codec_plan plan;
    if (!repeats) w->may_repeat = 2;
    memset(&plan, 0, sizeof plan);
    plan.transform.step = 1;
    plan.m = box->n;
    plain.dtype = padici_codec_plain_dtype(box->size);
    padici_codec_put_u8(&w->out, PADICI_CODEC_TRANSFORM_PLAIN);
    if (stages.representations == 0)
        w->stages.representations = 1u << PADICI_CODEC_REPRESENTATION_BYTES;
    padici_codec_put_payload(w, &plain, &plan, w->words, 0, 0);
    w->stages = stages;
    w->may_repeat = repeats;
    padici_codec_keep_payload(w);
}

// Records that are no array of floats, or not aligned to one: if the repeats in the planes of their
// bits promise more than the best payload so far.
PADICI_FN void padici_codec_try_plain(padici_codec_work *w, const padici_codec_box *box)
{
    const padic_codec_stages stages = w->stages;
    const int forced = stages.transforms >> PADICI_CODEC_TRANSFORM_PLAIN & 1,
              repeats = w->may_repeat;
    uint64_t total = 0;
    uint32_t counts[256], k;
    if (padici_codec_passed_over(w, PADICI_CODEC_WAY_BYTES, 0)) return;
    if (!forced && (stages.transforms || !w->may_match || w->share[0] < (repeats ? 16u : 36u)))
        return;
    if (!repeats && w->best < box->n * box->size * 7 / 16) return; // level 5
    padici_codec_plain_words(w, box);
    for (k = 0; k < box->size && !forced; k++) {
        uint64_t cost;
        (*w->loops->plane)(w->words, box->n, 8 * k, w->symbols);
        padici_codec_count_bytes(w->symbols, box->n, counts, (uint32_t *)w->table);
        cost = (*w->loops->entropy)(counts, 256, (uint32_t)box->n) >> 8;
        total +=
            cost - padici_codec_bytes_gain(w, w->symbols, box->n, (uint32_t)(cost * 16 / box->n));
    }
    if (total / 8 <= w->best + (w->best >> (repeats ? 2 : 4))) padici_codec_put_plain(w, box);
}

#endif
