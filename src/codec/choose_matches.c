#include "choose_matches.h"
#include "block_encode.h"
#include "bytes.h"
#include "choose_transform.h"
#include "choose_prediction.h"
#include "choose_sizes.h"
#include "choose_repeats.h"
#include "choose_weights.h"
#include "constants.h"
#include "contexts.h"
#include "find_matches.h"
#include "follow_block.h"
#include "transforms.h"

#if PADICI_IMPLEMENT_CODEC

// ---- the packer's choices: repeats of elements, where they pay

// The most bits that are split off.
PADICI_FN uint32_t padici_codec_widest_split(const padici_codec_box *box)
{
    return !padici_codec_is_float(box->dtype) ? 0 : box->size == 8 ? 9 : 1;
}

// The block's words without the `split` lowest bits, unless they already exist.
PADICI_FN void padici_codec_make_keys(padici_codec_work *w, const padici_codec_box *box,
                                      uint32_t split)
{
    const padici_codec_tolerance exact = {PADIC_CODEC_TOLERANCE_NONE, 0, 0};
    padici_codec_transform transform;
    if (w->keyed == split + 1) return;
    memset(&transform, 0, sizeof transform);
    transform.kind = PADICI_CODEC_TRANSFORM_FIELDS;
    (void)(*w->loops->words)(&transform, &exact, box->dtype, box->size, w->raw, box->n, w->keys,
                             NULL, 0);
    if (split) (*w->loops->lower)(w->keys, box->n, 0, split);
    w->keyed = split + 1;
}

// The elements where repeats are searched for first, selected by content, so that equal content is
// always selected. Returns how many.
PADICI_FN size_t padici_codec_pick_elements(const padici_codec_work *w, const padici_codec_box *box,
                                            const uint8_t *raw, uint32_t *picks)
{
    const uint32_t share = box->n < 16384 ? 4 : w->policy->patterns.pick;
    return (*w->loops->pick)(raw, box->n, box->size, padici_codec_widest_split(box), share, picks);
}

// Those of a block of the window, which begins at `start`: of runs only the first two.
PADICI_FN size_t padici_codec_pick_past(const padici_codec_work *w, const padici_codec_box *box,
                                        const uint8_t *raw, size_t start, uint32_t *picks)
{
    const size_t count = padici_codec_pick_elements(w, box, raw, picks);
    const uint32_t size = box->size;
    size_t t, kept = 0;
    for (t = 0; t < count; t++) { // no branch
        const size_t i = picks[t];
        const uint64_t here = padici_codec_element(raw, i, size);
        picks[kept] = (uint32_t)(start + i);
        kept += i < 2 || here != padici_codec_element(raw, i - 1, size) ||
                here != padici_codec_element(raw, i - 2, size);
    }
    return kept;
}

// Level 1: the share (of 256) of the words' size that repeats save, estimated from the selected
// elements.
static void padici_codec_probe_gain(padici_codec_work *w, const padici_codec_box *box)
{
    const uint64_t each =
        padici_codec_least((size_t)(w->hint->here / 16), (size_t)box->size * 8 * 14);
    const size_t count = padici_codec_pick_elements(w, box, w->raw, w->picks), last[2] = {0, 0};
    const size_t stride = count / 768 + 1; // a single value may fill most of the block
    uint64_t all = 0;
    size_t t, tested = 0, length, back;
    padici_codec_fast f;
    padici_codec_fast_begin(&f, w->head, count < 32768 ? padici_codec_bit_length(count) : 15,
                            box->size, (uint32_t)each);
    w->probed = 1;
    w->share[0] = 0;
    for (t = 0; count && t < count && w->picks[t] + 32 <= box->n; t += stride, tested++) {
        const size_t i = w->picks[t];
        uint32_t *const place = padici_codec_fast_place(&f, w->raw + (i << f.log));
        const uint64_t gain = padici_codec_fast_gain(&f, w->raw, i, i > 32 ? i - 32 : 0, i + 32,
                                                     i + 1 - *place, last, &length, &back);
        *place = (uint32_t)i + 1;
        if (gain && length >= f.key) all += gain / (length - f.key + 1); // once per starting point
    }
    all = all * 256 / (tested + 1) / (each + 1);
    if (tested > 16) w->share[0] = all < 256 ? (uint32_t)all : 256;
}

// The window's selected elements go to a table of their own, which is kept where the next block's
// window begins with the same elements.
PADICI_INLINE void padici_codec_probe_past(padici_codec_work *w, const uint8_t *raw, uint32_t size,
                                           uint64_t mask, uint32_t key)
{
    size_t t;
    if (w->steady == 0 || w->past_seen_super != w->steady || w->past_seen_key != key ||
        w->past_seen_count > w->past_count) {
        memset(w->past_seen, 0, sizeof *w->past_seen << PADICI_CODEC_HASH_BITS);
        w->past_seen_count = 0;
    }
    for (t = w->past_seen_count; t < w->past_count && w->past_picks[t] + key <= w->behind; t++) {
        const size_t i = w->past_picks[t];
        w->past_seen[padici_codec_hash_elements(raw, i, size, mask, key,
                                                64 - PADICI_CODEC_HASH_BITS)] = (uint32_t)i + 1;
    }
    w->past_seen_super = w->steady;
    w->past_seen_key = key;
    w->past_seen_count = t;
}

// For each split the share (of 256) of the block's selected elements where a repeat that pays
// begins: the savings are limited to the words' cost in the best payload so far.
PADICI_FN void padici_codec_probe_matches(padici_codec_work *w, const padici_codec_box *box)
{
    const uint8_t *raw = w->behind ? w->history : w->raw;
    const size_t end = w->behind + box->n, past = w->behind ? w->past_count : 0;
    const uint32_t widest = padici_codec_widest_split(box), size = box->size;
    const uint64_t each = padici_codec_least((w->plain ? w->plain : w->best) * 128 / box->n,
                                             (size_t)size * 8 * 14);
    const size_t pays = (size_t)(320 / (each + 1)) + 1; // words
    const uint32_t key = each >= 24 * 16 ? 1 : each >= 10 * 16 ? 2 : 3;
    const uint64_t mask =
        ~UINT64_C(0) >> (64 - 8 * size + (widest != 0)) & ~(uint64_t)(widest > 8 ? 255 : 0);
    const int fast = padici_codec_bounded_fast(w) && !w->windowed;
    uint32_t *seen = w->head, bits, split, tested = 0;
    size_t t, k, stride, stop;
    memset(w->share, 0, sizeof w->share);
    w->probed = 1;
    w->each = (uint32_t)each;
    if (pays > 64) return;
    w->picks_count = padici_codec_pick_elements(w, box, w->raw, w->picks);
    stride = w->picks_count / 2048 + 1; // a single value may fill most of the block
    bits = padici_codec_bit_length(w->picks_count);
    if (bits > PADICI_CODEC_HASH_BITS) bits = PADICI_CODEC_HASH_BITS;
    if (bits == 0) return;
    memset(seen, 0, sizeof *seen << bits);
    if (past && size == 8) padici_codec_probe_past(w, raw, 8, mask, key);
    else if (past && size == 4) padici_codec_probe_past(w, raw, 4, mask, key);
    else if (past) padici_codec_probe_past(w, raw, size, mask, key);
    for (t = 0; t < w->picks_count; t++) {
        const size_t i = w->behind + w->picks[t];
        uint32_t h, at;
        if (i + key > end) break;
        h = padici_codec_hash_elements(raw, i, size, mask, key, 64 - PADICI_CODEC_HASH_BITS);
        at = seen[h >> (PADICI_CODEC_HASH_BITS - bits)];
        seen[h >> (PADICI_CODEC_HASH_BITS - bits)] = (uint32_t)i + 1;
        if (!at && past) at = w->past_seen[h];
        if (t % stride) continue;
        tested++;
        if (!at || i + pays > end) continue;
        // within a tolerance predictors make runs cheap
        if (fast && i + pays < end &&
            !memcmp(raw + i * size, raw + (i + 1) * size, pays * size))
            continue;
        if ((padici_codec_element(raw, at - 1, size) ^ padici_codec_element(raw, i, size)) & mask)
            continue;
        stop = memcmp(raw + (at - 1) * size, raw + i * size, pays * size) ? 0 : pays;
        for (split = 0; split <= widest; split = split ? split + 8 : 1) {
            for (k = stop; k < pays; k++)
                if ((padici_codec_fields(box, raw, at - 1 + k) ^
                     padici_codec_fields(box, raw, i + k)) >>
                    split)
                    break;
            w->share[PADICI_CODEC_SPLIT_INDEX(split)] += k == pays;
        }
    }
    for (k = 0; k < 3; k++) w->share[k] = tested > 16 ? w->share[k] * 256 / tested : 0;
}

// The predictor of the best payload so far.
static uint32_t padici_codec_packed_predictor(const padici_codec_work *w)
{
    return w->payload[w->payload[1] & PADICI_CODEC_BLOCK_WINDOW ? 3 : 2];
}

// Price of each word as a literal: the entropy of its bucket and its plain bits, scaled to the size
// of the best payload so far.
PADICI_FN PADICI_NOINLINE void padici_codec_price_words(padici_codec_work *w, const uint64_t *z,
                                                        size_t n)
{
    uint32_t counts[256], cost[128], t;
    uint64_t total = 0, sum = 0;
    uint64_t best = w->plain ? w->plain : w->best; // repeats make literals look cheap
    padici_codec_hint *hint = w->hint;
    const int follows = !w->best && padici_codec_follows(w);
    const int rescale =
        follows ? hint->predictor.kind != PADICI_CODEC_PREDICTOR_LINEAR
                : w->best && padici_codec_packed_predictor(w) != PADICI_CODEC_PREDICTOR_LINEAR;
    size_t i;
    (void)(*w->loops->tokens)(z, n, 1, w->symbols, &t);
    padici_codec_count_bytes(w->symbols, n, counts, (uint32_t *)w->table);
    memset(cost, 0, sizeof cost);
    for (t = 0; t < 128; t++) {
        if (!counts[t]) continue;
        cost[t] = t < 4 ? 0 : 256 * (t / 2 - 1);
        cost[t] += padici_codec_log2((uint32_t)n) - padici_codec_log2(counts[t]) + 8;
        total += (uint64_t)cost[t] * counts[t];
    }
    if (follows) w->plain = (size_t)(best = total / 1024 * hint->rate / 2048);
    if (hint->lead) hint->rate = best * 2048 / (total / 1024 + 1);
    if (rescale) // weighted neighbours do not predict literals
        for (t = 0; t < 128; t++) {
            const uint64_t scaled = (uint64_t)cost[t] * best * 2048 / total;
            cost[t] = (uint32_t)(scaled < 2 * (uint64_t)cost[t] ? scaled : 2 * (uint64_t)cost[t]);
            if (cost[t] < 64) cost[t] = 64; // keeps long runs worth a repeat
        }
    for (i = 0; i < n; i++) {
        w->price[i] = (uint32_t)(sum >> 4);
        sum += cost[w->symbols[i]];
    }
    w->price[n] = (uint32_t)(sum >> 4);
}

// The number of window blocks that these repeats need.
static uint32_t padici_codec_find_reach(const padici_codec_work *w,
                                        const padici_codec_matches *list)
{
    size_t i, at = 0, oldest = w->behind;
    uint32_t reach = 0;
    for (i = 0; i < list->count; i++) { // the same distance later does not reach further back
        const uint64_t code = list->distances[i];
        const size_t distance = code > 1 ? (size_t)code - 1 : 0;
        at += (size_t)list->runs[i];
        if (distance > at && w->behind + at - distance < oldest) oldest = w->behind + at - distance;
        at += (size_t)list->lengths[i] + 1;
    }
    while (reach < w->slot && w->starts[w->slot - reach] > oldest) reach++;
    return reach;
}

// The bits that elements have in common: all but the `split` lowest of their words, which are the
// sign and the last byte.
static uint64_t padici_codec_split_mask(const padici_codec_box *box, uint32_t split)
{
    const uint32_t bits = 8 * box->size;
    uint64_t mask = ~UINT64_C(0) >> (64 - bits);
    uint32_t k;
    if (split) mask = mask >> 1 & ~((UINT64_C(1) << (split - 1)) - 1);
    for (k = bits; k < 64; k *= 2) mask |= mask << k;
    return mask;
}

// The window's table, which is kept where the next block's window begins with the same elements.
static void padici_codec_matcher_window(padici_codec_work *w, padici_codec_matcher *s, size_t step)
{
    const uint64_t like = s->mask ^ (uint64_t)s->key << 8 ^ (uint64_t)step << 16;
    s->past_head = w->past_table;
    s->past_chain = w->past_table + ((size_t)1 << PADICI_CODEC_MATCH_BITS);
    s->past_shift = 64 - PADICI_CODEC_MATCH_BITS;
    if (w->past_super == 0 || w->past_super != w->steady || w->past_like != like ||
        w->past_size > s->past) {
        memset(s->past_head, 0, sizeof *s->past_head << PADICI_CODEC_MATCH_BITS);
        w->past_end = 0;
    }
    w->past_super = w->steady;
    w->past_like = like;
    w->past_size = s->past;
    w->past_end = padici_codec_index_window(s, w->past_end, step);
}

// The matcher's arrays and search effort for this split.
static void padici_codec_matcher_begin(padici_codec_work *w, const padici_codec_box *box,
                                       uint32_t split, padici_codec_matcher *s,
                                       padici_codec_fast *f)
{
    const uint32_t dear = w->policy->patterns.dear;
    const size_t each = w->price[box->n] / box->n; // per word
    uint32_t k;
    int longer;
    memset(s, 0, sizeof *s);
    s->raw = w->behind ? w->history : w->raw;
    s->past = s->indexed = w->behind;
    s->n = box->n;
    s->size = box->size;
    s->mask = padici_codec_split_mask(box, split);
    s->head = w->head;
    s->chain = w->head + ((size_t)1 << PADICI_CODEC_MATCH_BITS);
    s->price = w->price;
    s->key = each >= 24 * 16 ? 1 : each >= 10 * 16 ? 2 : 3;
    if (w->policy->patterns.parse == PADICI_CODEC_PARSE_SKIP && w->policy->features.window &&
        each < 2 * 16)
        s->key = 6; // what is shorter rarely pays
    longer = dear == 1 || (dear && s->key == 1); // expensive literals are worth the time
    s->depth = longer && dear > 1 ? dear : w->policy->patterns.depth;
    k = padici_codec_bit_length(s->n);
    if (k > PADICI_CODEC_MATCH_BITS) k = PADICI_CODEC_MATCH_BITS;
    if (w->policy->patterns.parse == PADICI_CODEC_PARSE_FAST && k > 15)
        k = 15; // fits the nearest caches
    s->shift = 64 - k;
    padici_codec_fast_begin(f, s->head, k, box->size, (uint32_t)each);
    if (s->past) padici_codec_matcher_window(w, s, longer ? 1 : 3);
}

// What literals without a predictor cost, from a sample, in 1/16 bits.
static uint64_t padici_codec_literals_cost(padici_codec_work *w, const uint64_t *x, size_t n)
{
    const size_t stretch = padici_codec_least(n, PADICI_CODEC_SAMPLE_RUN);
    uint64_t *bits = w->trial, *delta = bits + PADICI_CODEC_SAMPLE_RUNS * PADICI_CODEC_SAMPLE_RUN;
    uint64_t cost, other;
    size_t at = 0, i;
    uint32_t run;
    for (run = 0; run < PADICI_CODEC_SAMPLE_RUNS && stretch > 1; run++) {
        const size_t from =
            (size_t)((uint64_t)(n - stretch) * run / (PADICI_CODEC_SAMPLE_RUNS - 1));
        for (i = from + 1; i < from + stretch; i++, at++) {
            bits[at] = x[i];
            delta[at] = padici_codec_fold(x[i] - x[i - 1]);
        }
    }
    if (at == 0) return 0;
    cost = padici_codec_bytes_cost(w->loops, bits, at);
    other = padici_codec_bucket_cost(w->loops, delta, at);
    return (cost < other ? cost : other) * n / at / 16;
}

// 1 if a greedy parse promises to be smaller than the best payload so far.
static int padici_codec_matches_promise(padici_codec_work *w, const padici_codec_box *box,
                                        const padici_codec_matches *list, size_t m, uint32_t split)
{
    const uint64_t best = (uint64_t)w->best * 128, all = w->price[box->n];
    uint64_t cost = all, i, at = 0, literals = 0;
    if (w->policy->patterns.parse != PADICI_CODEC_PARSE_SKIP || w->stages.patterns || !w->best)
        return 1;
    if (split) { // prices of literals were guessed
        for (i = 0; i < list->count; i++) {
            at += list->runs[i];
            literals += w->price[at] - w->price[at - list->runs[i]];
            at += list->lengths[i] + 1;
        }
        literals += all - w->price[at];
        cost = padici_codec_literals_cost(w, w->other, m) + all - literals;
    }
    cost = cost > (uint64_t)list->gain ? cost - (uint64_t)list->gain : 0;
    if (split) cost -= cost / 8; // many repeats take less than their price
    return cost < best - best / PADICI_CODEC_MATCHES_GAIN;
}

// Removes repeats from the elements, with `split` bits of each separate; `words` are the literals'.
PADICI_FN PADICI_NOINLINE void padici_codec_try_matches(padici_codec_work *w,
                                                        const padici_codec_box *box,
                                                        const padici_codec_plan *start,
                                                        const uint64_t *words, uint32_t split)
{
    padici_codec_plan plan = *start;
    const size_t third = w->capacity + 1;
    const uint32_t parse = w->policy->patterns.parse;
    padici_codec_box line = *box;
    padici_codec_choice choice[1];
    padici_codec_matcher s;
    padici_codec_fast f;
    padici_codec_matches list;
    size_t i, used = 0, m = 0, before;
    uint32_t k;
    memset(&list, 0, sizeof list);
    padici_codec_matcher_begin(w, box, split, &s, &f);
    list.runs = w->list;
    list.lengths = w->list + third;
    list.distances = w->list + 2 * third;
    if (parse == PADICI_CODEC_PARSE_FAST && split == 0)
        padici_codec_parse_fast(&f, w->raw, box->n, &list);
    else if (parse == PADICI_CODEC_PARSE_CHEAPEST)
        padici_codec_parse_cheapest(&s, w->trial, w->hold, w->other, &list);
    else
        padici_codec_parse_greedy(&s, parse == PADICI_CODEC_PARSE_LAZY, &list);
    for (i = 0; i < list.count; i++) {
        memcpy(w->other + m, words + used, (size_t)list.runs[i] * sizeof *words);
        m += (size_t)list.runs[i];
        used += (size_t)list.runs[i] + (size_t)list.lengths[i] + 1;
    }
    memcpy(w->other + m, words + used, (box->n - used) * sizeof *words);
    plan.m = m + box->n - used;
    if (!padici_codec_matches_promise(w, box, &list, plan.m, split)) return;
    plan.pattern = PADICI_CODEC_PATTERN_MATCH;
    plan.flags |= PADICI_CODEC_BLOCK_FIRST;
    plan.reach = padici_codec_find_reach(w, &list);
    if (plan.reach) plan.flags |= PADICI_CODEC_BLOCK_WINDOW;
    line.rank = 1;
    line.extent[0] = (uint32_t)plan.m;
    line.n = plan.m;
    memset(&plan.predictor, 0, sizeof plan.predictor);
    if (plan.m > 1) {
        w->line = 1;
        (void)padici_codec_choose_predictors(w, &line, w->other, w->trial, choice, 1);
        w->line = 0;
        plan.predictor = choice[0].predictor;
        for (k = 0; k < plan.predictor.count; k++) plan.predictor.op[k].axis = PADICI_CODEC_FLAT;
    }
    padici_codec_residuals(w->loops, w->other, plan.m, &plan, w->trial);
    padici_codec_put_payload(w, box, &plan, w->trial, list.count, 0);
    // a window must pay for the cost of reading one block alone, and words within a tolerance are
    // faster to read without one
    // are read sooner without
    if ((plan.reach || w->bounded) && w->best && w->stages.patterns == 0) {
        const size_t size = (size_t)(w->out.at - w->out.start);
        if (size + (size >> 5) > w->best) w->out.at = w->out.start;
    }
    before = w->best;
    padici_codec_keep_payload(w);
    if (w->policy->hints.follow && w->hint->lead && before && (split == 0 || w->best < before))
        w->hint->match = split ? 0 : (uint32_t)(w->best * 256 / before);
}

// 1 if enough repeats that pay begin to search for all of them.
PADICI_FN int padici_codec_worth_matches(padici_codec_work *w, const padici_codec_box *box,
                                         uint32_t split)
{
    if (w->stages.patterns) return 1;
    if (!w->probed && w->policy->patterns.parse == PADICI_CODEC_PARSE_FAST)
        padici_codec_probe_gain(w, box);
    else if (!w->probed)
        padici_codec_probe_matches(w, box);
    return w->share[PADICI_CODEC_SPLIT_INDEX(split)] > w->policy->patterns.share;
}

#endif
