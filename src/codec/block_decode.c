#include "block_decode.h"
#include "constants.h"

#if PADICI_IMPLEMENT_CODEC

// ---- one block, decoded

static void padici_codec_expand_runs(padici_codec_reader *in, const uint64_t *values,
                                     const uint64_t *lengths, size_t m, uint64_t *to, size_t n)
{
    size_t i, at = 0;
    for (i = 0; i < m; i++) {
        size_t k = 0;
        if (lengths[i] >= n - at) { // the list stores length - 1
            in->bad = 1;
            return;
        }
        for (; k < 4 && n - at >= 4; k++) to[at + k] = values[i]; // most runs are short
        for (; k <= lengths[i]; k++) to[at + k] = values[i];
        at += (size_t)lengths[i] + 1;
    }
    if (at != n) in->bad = 1;
}

// q times: literals, then `length` words copied from `distance` before; then the remaining
// literals.
static void padici_codec_expand_repeats(padici_codec_reader *in, const uint64_t *literals, size_t m,
                                        const uint64_t *runs, const uint64_t *lengths,
                                        const uint64_t *distances, size_t q, uint64_t *to, size_t n)
{
    size_t at = 0, used = 0, i;
    for (i = 0; i < q; i++) {
        const uint64_t run = runs[i], length = lengths[i], distance = distances[i];
        if (run > m - used || run > n - at || length > n - at - run || distance == 0 ||
            distance > at + run || length == 0) {
            in->bad = 1;
            return;
        }
        if (run <= 4 && n - at >= 4 && m - used >= 4)
            padici_codec_copy_32((uint8_t *)(to + at), (const uint8_t *)(literals + used));
        else
            memcpy(to + at, literals + used, (size_t)run * sizeof *to);
        at += (size_t)run;
        used += (size_t)run;
        padici_codec_copy_back((uint8_t *)(to + at), (size_t)distance, (size_t)length, n - at, 8);
        at += (size_t)length;
    }
    if (m - used != n - at) {
        in->bad = 1;
        return;
    }
    memcpy(to + at, literals + used, (m - used) * sizeof *to);
}

// Axes are ordered from slow to fast, and the first nonzero step is negative, so neighbours precede
// their word.
static void padici_codec_take_taps(padici_codec_reader *in, padic_dtype dtype,
                                   padici_codec_predictor *predictor)
{
    uint32_t t, k;
    predictor->taps = padici_codec_take_u8(in);
    predictor->shift = padici_codec_take_u8(in);
    predictor->dtype = predictor->shift & PADICI_CODEC_TAP_FLOATS ? dtype : PADIC_DTYPE_NONE;
    predictor->shift &= ~PADICI_CODEC_TAP_FLOATS;
    if (predictor->taps == 0 || predictor->taps > PADICI_CODEC_MAX_TAPS || predictor->shift > 31 ||
        predictor->count > PADICI_CODEC_TAP_AXES)
        in->bad = 1;
    for (k = 1; k < predictor->count && !in->bad; k++)
        if (predictor->op[k].axis <= predictor->op[k - 1].axis ||
            predictor->op[k].axis == PADICI_CODEC_FLAT)
            in->bad = 1;
    for (t = 0; t < predictor->taps && !in->bad; t++) {
        int32_t way = 0;
        for (k = 0; k < predictor->count; k++) {
            const int32_t step = (int32_t)(padici_codec_take_u8(in) ^ 128u) - 128;
            predictor->back[t][k] = (int8_t)step;
            if (way == 0) way = step;
        }
        if (way <= 0) in->bad = 1;
        if (predictor->dtype != PADIC_DTYPE_NONE) {
            predictor->weight[t] = (int32_t)padici_codec_take_u32(in);
            continue;
        }
        k = padici_codec_take_u8(in);
        k |= padici_codec_take_u8(in) << 8;
        predictor->weight[t] = (int32_t)(k ^ 32768u) - 32768;
    }
}

// The operations of a predictor, each along an axis of the box or at a distance.
static void padici_codec_take_ops(padici_codec_reader *in, const padici_codec_box *box,
                                  padici_codec_plan *plan)
{
    uint32_t k, axes = 0;
    plan->predictor.count = padici_codec_take_u8(in);
    if (plan->predictor.count == 0 || plan->predictor.count > PADICI_CODEC_MAX_OPS ||
        (plan->predictor.kind == PADICI_CODEC_PREDICTOR_MEDIAN && plan->predictor.count != 2))
        in->bad = 1;
    if (plan->predictor.kind == PADICI_CODEC_PREDICTOR_INTERPOLATE) {
        plan->predictor.scale = padici_codec_take_u8(in);
        if (plan->predictor.scale == 0) in->bad = 1;
    }
    for (k = 0; k < plan->predictor.count && !in->bad; k++) {
        const uint32_t axis = padici_codec_take_u8(in);
        if (axis == PADICI_CODEC_FLAT) {
            const uint32_t stride = padici_codec_take_u32(in);
            const size_t n = plan->flags & PADICI_CODEC_BLOCK_FIRST ? plan->m : box->n;
            if (stride == 0 || stride > PADICI_CODEC_BLOCK_LIMIT) in->bad = 1;
            plan->predictor.op[k] = padici_codec_flat_op(stride, n ? n : 1);
        } else if (axis < box->rank && !(plan->flags & PADICI_CODEC_BLOCK_FIRST)) {
            plan->predictor.op[k] = padici_codec_axis_op(box, axis);
        } else {
            in->bad = 1;
        }
        if (plan->predictor.kind != PADICI_CODEC_PREDICTOR_INTERPOLATE) continue;
        // each axis once, in any order: then their points lie in the box
        plan->predictor.op[k].cubic = padici_codec_take_u32(in);
        if (axis >= box->rank || (axes >> axis & 1)) in->bad = 1;
        else axes |= 1u << axis;
    }
}

// 1 if stages are unknown, or not allowed together.
static int padici_codec_is_no_plan(const padici_codec_plan *plan, padic_dtype dtype)
{
    const uint32_t kind = plan->transform.kind, flags = plan->flags;
    if (kind >= PADICI_CODEC_TRANSFORMS || plan->predictor.kind >= PADICI_CODEC_PREDICTORS ||
        plan->pattern >= PADICI_CODEC_PATTERNS ||
        plan->representation >= PADICI_CODEC_REPRESENTATIONS || plan->transform.shift > 63)
        return 1;
    if ((kind == PADICI_CODEC_TRANSFORM_DECIMAL || plan->transform.shift) &&
        !padici_codec_is_float(dtype))
        return 1;
    if (plan->pattern != PADICI_CODEC_PATTERN_MATCH)
        return (flags & PADICI_CODEC_BLOCK_WINDOW) != 0;
    return !(flags & PADICI_CODEC_BLOCK_FIRST) || (flags & PADICI_CODEC_BLOCK_REFERENCE);
}

PADICI_FN PADICI_NOINLINE void padici_codec_take_plan(padici_codec_reader *in,
                                                      const padici_codec_box *box,
                                                      padici_codec_plan *plan)
{
    memset(plan, 0, sizeof *plan);
    plan->transform.kind = padici_codec_take_u8(in);
    if (plan->transform.kind == PADICI_CODEC_TRANSFORM_RAW) return;
    plan->flags = padici_codec_take_u8(in);
    if ((plan->flags & PADICI_CODEC_BLOCK_WINDOW) && (plan->reach = padici_codec_take_u8(in)) == 0)
        in->bad = 1;
    plan->predictor.kind = padici_codec_take_u8(in);
    plan->pattern = padici_codec_take_u8(in);
    plan->representation = padici_codec_take_u8(in);
    if (plan->transform.kind == PADICI_CODEC_TRANSFORM_BITS)
        plan->transform.shift = padici_codec_take_u8(in);
    if (plan->transform.kind >= PADICI_CODEC_TRANSFORM_SCALE)
        plan->transform.g = padici_codec_take_u64(in);
    if (plan->transform.kind == PADICI_CODEC_TRANSFORM_AFFINE)
        plan->transform.o = padici_codec_take_u64(in);
    plan->transform.single = (plan->flags & PADICI_CODEC_BLOCK_SINGLE) != 0;
    plan->transform.step = 1;
    if (plan->flags & PADICI_CODEC_BLOCK_COSET) {
        plan->transform.step = padici_codec_take_u64(in);
        plan->transform.first = padici_codec_take_u64(in);
    }
    if (padici_codec_is_no_plan(plan, box->dtype)) in->bad = 1;
    plan->m = box->n;
    if (plan->flags & PADICI_CODEC_BLOCK_SPLIT) {
        plan->split = padici_codec_take_u8(in);
        if (plan->split == 0 || plan->split > 32) in->bad = 1;
    }
    if (plan->flags & PADICI_CODEC_BLOCK_REFERENCE) {
        plan->digest = padici_codec_take_u64(in);
        if (plan->split) in->bad = 1;
    }
    if (plan->pattern == PADICI_CODEC_PATTERN_CONSTANT) {
        plan->constant = padici_codec_take_u64(in);
    } else if (plan->pattern != PADICI_CODEC_PATTERN_NONE) {
        plan->m = padici_codec_take_u32(in);
        if (plan->m > box->n) in->bad = 1;
    }
    if ((plan->flags & PADICI_CODEC_BLOCK_ZIGZAG) &&
        (plan->predictor.kind == PADICI_CODEC_PREDICTOR_NONE ||
         plan->predictor.kind == PADICI_CODEC_PREDICTOR_XOR))
        in->bad = 1;
    if (plan->predictor.kind == PADICI_CODEC_PREDICTOR_NONE) return;
    padici_codec_take_ops(in, box, plan);
    if (plan->predictor.kind != PADICI_CODEC_PREDICTOR_LINEAR || in->bad) return;
    padici_codec_take_taps(in, box->dtype, &plan->predictor);
    if (plan->predictor.dtype != PADIC_DTYPE_NONE && // the words are ordered bits
        ((box->dtype != PADIC_F32 && box->dtype != PADIC_F64) ||
         plan->transform.kind != PADICI_CODEC_TRANSFORM_BITS || plan->transform.shift ||
         plan->split ||
         (plan->flags &
          (PADICI_CODEC_BLOCK_FIRST | PADICI_CODEC_BLOCK_COSET | PADICI_CODEC_BLOCK_REFERENCE))))
        in->bad = 1;
}

// Undoes the pattern: literals in w->other become words in w->words.
PADICI_FN PADICI_NOINLINE void padici_codec_take_pattern(padici_codec_work *w,
                                                         padici_codec_reader *in,
                                                         const padici_codec_box *box,
                                                         const padici_codec_plan *plan, int skip)
{
    const size_t third = w->capacity + 1;
    uint8_t *tokens = skip ? NULL : w->symbols;
    uint64_t *list = skip ? NULL : w->list;
    size_t q;
    uint32_t i;
    if (plan->pattern == PADICI_CODEC_PATTERN_RUNS) {
        padici_codec_take_buckets(w, in, list, plan->m, tokens, 0, NULL);
        if (!in->bad && !skip)
            padici_codec_expand_runs(in, w->other, list, plan->m, w->words, box->n);
        return;
    }
    q = padici_codec_take_u32(in);
    if (q > box->n) in->bad = 1; // a repeat has at least one word
    for (i = 0; i < 3 && !in->bad; i++)
        padici_codec_take_buckets(w, in, skip ? NULL : list + i * third, q, tokens, 0, NULL);
    if (!in->bad && !skip)
        padici_codec_expand_repeats(in, w->other, plan->m, list, list + third, list + 2 * third, q,
                                    w->words, box->n);
}

PADICI_INLINE size_t padici_codec_pick_loop(const uint8_t *raw, size_t n, uint32_t size,
                                            uint32_t split, uint32_t share, uint32_t *picks)
{
    size_t i, count = 0;
    for (i = 0; i < n; i++) { // no branch: it would be hard to predict
        const uint64_t upper = padici_codec_fields_of(size, raw, i) >> split;
        picks[count] = (uint32_t)i;
        count += padici_codec_is_picked(upper, share);
    }
    return count;
}

// One loop per size.
PADICI_FN size_t padici_codec_pick_plain(const uint8_t *raw, size_t n, uint32_t size,
                                         uint32_t split, uint32_t share, uint32_t *picks)
{
    switch (size) {
    case 1:
        return padici_codec_pick_loop(raw, n, 1, split, share, picks);
    case 2:
        return padici_codec_pick_loop(raw, n, 2, split, share, picks);
    case 4:
        return padici_codec_pick_loop(raw, n, 4, split, share, picks);
    default:
        return padici_codec_pick_loop(raw, n, 8, split, share, picks);
    }
}

#endif
