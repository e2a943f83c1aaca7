#include "follow_block.h"
#include "block_encode.h"
#include "choose_alternatives.h"
#include "choose_matches.h"
#include "choose_prediction.h"
#include "choose_sizes.h"
#include "constants.h"
#include "pack_block.h"
#include "policy.h"

#if PADICI_IMPLEMENT_CODEC

// ---- blocks that follow the first of their group
//
// Levels 3 to 5: the first block tries everything. The others begin with what made its payload, and
// end with that where it is no worse than it was there.

PADICI_FN int padici_codec_follows(const padici_codec_work *w)
{
    return w->policy->hints.follow == 2 && w->hint->use;
}

// What a sample of the words takes with this predictor, in 1/256 bits per word.
static uint64_t padici_codec_sample_cost(padici_codec_work *w, const padici_codec_box *box,
                                         const padici_codec_predictor *predictor)
{
    const size_t n = padici_codec_sample_residuals(predictor, w->words, box->n, w->trial);
    const uint64_t cost = padici_codec_words_cost(w, w->trial, n);
    uint64_t bytes;
    if (predictor->count) return cost / n;
    bytes = padici_codec_bytes_cost(w->loops, w->trial, n);
    return (bytes < cost ? bytes : cost) / n;
}

// The same with plain differences, which tell how difficult the block is.
static uint64_t padici_codec_base_cost(padici_codec_work *w, const padici_codec_box *box)
{
    padici_codec_predictor p;
    uint32_t k = box->rank;
    memset(&p, 0, sizeof p);
    while (k > 1 && box->extent[k - 1] < 2) k--;
    p.kind = PADICI_CODEC_PREDICTOR_DELTA;
    p.count = 1;
    p.op[0] = padici_codec_axis_op(box, k - 1);
    return padici_codec_sample_cost(w, box, &p);
}

// The way of the best payload, and the bits that it splits off.
static uint32_t padici_codec_payload_way(const padici_codec_work *w, uint32_t *split)
{
    const uint8_t *p = w->payload;
    const uint32_t flags = p[1], at = flags & PADICI_CODEC_BLOCK_WINDOW ? 3 : 2;
    if (p[0] == PADICI_CODEC_TRANSFORM_PLAIN) return PADICI_CODEC_WAY_BYTES;
    if (p[0] >= PADICI_CODEC_TRANSFORM_RAW || p[at + 1] == PADICI_CODEC_PATTERN_CONSTANT)
        return PADICI_CODEC_WAY_ANY;
    if (p[at + 1] == PADICI_CODEC_PATTERN_LZ) return PADICI_CODEC_WAY_REPEATS;
    if (p[at + 1] != PADICI_CODEC_PATTERN_MATCH) return PADICI_CODEC_WAY_WORDS;
    if (!(flags & PADICI_CODEC_BLOCK_SPLIT)) return PADICI_CODEC_WAY_MATCHES;
    *split = p[at + 3 + (flags & PADICI_CODEC_BLOCK_COSET ? 16 : 0)];
    return PADICI_CODEC_WAY_UPPER;
}

// The first block's words and predictors: of the best payload so far in w->hint->predictor, and the
// simple one that prices literals.
PADICI_FN void padici_codec_lead_words(padici_codec_work *w, const padici_codec_box *box,
                                       const padici_codec_transform *transform,
                                       const padici_codec_predictor *simple, size_t exceptions)
{
    padici_codec_hint *hint = w->hint;
    hint->found = 1;
    hint->exceptions = exceptions * 1024 / box->n;
    hint->transform = *transform;
    hint->simple = *simple;
    hint->cost = padici_codec_sample_cost(w, box, &hint->predictor);
    hint->base = padici_codec_base_cost(w, box);
}

// The first block's payload.
PADICI_FN void padici_codec_lead_payload(padici_codec_work *w, const padici_codec_box *box)
{
    padici_codec_hint *hint = w->hint;
    uint32_t k;
    hint->way = PADICI_CODEC_WAY_ANY;
    if (hint->found) hint->way = padici_codec_payload_way(w, &hint->split);
    for (k = 0; k < 3; k++) hint->shares[k] = w->share[k];
    hint->size = w->best * 2048 / box->n;
    if (hint->way == PADICI_CODEC_WAY_ANY || hint->size < PADICI_CODEC_FOLLOW_LEAST)
        hint->found = 0;
    // the first block of a super-block does not know what repeats in the window
    hint->alone = w->probed && (w->slot || !w->windowed) &&
                  hint->shares[0] + hint->shares[1] + hint->shares[2] <= PADICI_CODEC_FOLLOW_NONE;
    hint->plain = w->plain * 2048 / box->n;
}

// The first block's predictor for the words, unless it gains less over plain differences.
PADICI_FN int padici_codec_follow_words(padici_codec_work *w, const padici_codec_box *box,
                                        padici_codec_choice *choice)
{
    padici_codec_hint *hint = w->hint;
    uint64_t cost, base;
    choice->predictor = hint->predictor;
    if (!padici_codec_follow_predictor(w, box, &choice->predictor)) return 0;
    cost = padici_codec_sample_cost(w, box, &choice->predictor);
    base = padici_codec_base_cost(w, box);
    choice->cost =
        cost * padici_codec_least(box->n, PADICI_CODEC_SAMPLE_RUNS * PADICI_CODEC_SAMPLE_RUN);
    if (cost <= 2 * hint->cost + 32 &&
        cost * hint->base <= (hint->cost + hint->cost / PADICI_CODEC_FOLLOW_COST + 4) * base) {
        if (hint->alone && !hint->strayed) w->probed = 1; // its shares are 0
        return 1;
    }
    hint->strayed = 1;
    return 0;
}

// Repeats of elements first, where they made the first block's payload. Returns 1 if they suffice.
PADICI_FN int padici_codec_follow_matches(padici_codec_work *w, const padici_codec_box *box,
                                          const padici_codec_plan *plan)
{
    padici_codec_hint *hint = w->hint;
    padici_codec_predictor simple = hint->simple;
    if (hint->way != PADICI_CODEC_WAY_MATCHES) return 0;
    hint->strayed = 1;
    w->plain = (size_t)(hint->plain * box->n / 2048);
    if (hint->rate && padici_codec_worth_matches(w, box, 0) &&
        w->share[0] >= hint->shares[0] / 2 && padici_codec_follow_predictor(w, box, &simple)) {
        hint->done = hint->way;
        padici_codec_price_residuals(w, box, plan, &simple);
        padici_codec_try_matches(w, box, plan, w->words, 0);
        if (w->best && w->best < w->plain - w->plain / PADICI_CODEC_FOLLOW_SAVES) return 1;
    }
    w->plain = 0;
    return 0;
}

// Repeats of upper parts or of bytes first, where they made the first block's payload.
PADICI_FN int padici_codec_follow_bytes(padici_codec_work *w, const padici_codec_box *box)
{
    padici_codec_hint *hint = w->hint;
    const uint32_t k = PADICI_CODEC_SPLIT_INDEX(hint->split);
    if (hint->way < PADICI_CODEC_WAY_UPPER) return 0;
    hint->strayed = 1;
    w->plain = (size_t)(hint->plain * box->n / 2048);
    if (hint->way == PADICI_CODEC_WAY_BYTES) {
        hint->done = hint->way;
        padici_codec_plain_words(w, box);
        padici_codec_put_plain(w, box);
    } else if (padici_codec_worth_matches(w, box, hint->split) &&
               w->share[k] >= hint->shares[k] / 2) {
        hint->done = hint->way;
        padici_codec_try_split(w, box, hint->split);
    }
    if (w->best &&
        w->best * 2048 < (hint->size + hint->size / PADICI_CODEC_FOLLOW_SHARE) * box->n &&
        w->best * 2048 < (hint->plain - hint->plain / PADICI_CODEC_FOLLOW_SAVES) * box->n)
        return 1;
    w->plain = 0;
    return 0;
}

// 1 if the first block tried repeats of words and did not gain by them.
PADICI_FN int padici_codec_no_repeats(const padici_codec_work *w)
{
    return padici_codec_follows(w) && !w->hint->strayed && w->hint->tried &&
           w->hint->way != PADICI_CODEC_WAY_REPEATS;
}

// 1 if the first block tried this way and did not gain by it, and this one does not promise more.
PADICI_FN int padici_codec_passed_over(const padici_codec_work *w, uint32_t way, uint32_t split)
{
    const padici_codec_hint *hint = w->hint;
    const uint32_t k = PADICI_CODEC_SPLIT_INDEX(split);
    if (!padici_codec_follows(w)) return 0;
    if (hint->done == way) return 1;
    return !hint->strayed && hint->way != way && hint->shares[k] > w->policy->patterns.share &&
           w->share[k] <= hint->shares[k] + PADICI_CODEC_FOLLOW_REPEATS;
}

#endif
