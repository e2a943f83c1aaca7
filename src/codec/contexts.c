#include "contexts.h"
#include "../core/words.h"
#include "rans.h"

#if PADICI_IMPLEMENT_CODEC

// ---- coder: rANS with contexts
//
// Each symbol is coded with one of at most 16 tables: that of its column, or that of the context of
// v = the byte `a` before + the byte `b` before. The 32 states are not interleaved byte by byte but
// run through 32 stretches of `length` bytes in parallel, so that each may read what it has already
// decoded. Step j decodes byte l length + j of every stretch l that has one; a byte x before is
// available if it belongs to an earlier step or, in this one, to an earlier stretch; otherwise the
// previous byte replaces it, and 0 at the start of a stretch.

// The byte `distance` before byte i, which is step j of its stretch; `steps` is `distance` modulo
// the length.
PADICI_INLINE uint32_t padici_codec_context_byte(const uint8_t *data, size_t i, size_t j,
                                                 size_t distance, size_t steps)
{
    return distance <= i && steps <= j ? data[i - distance] : j ? data[i - 1] : 0u;
}

// Contexts of the sums 0 to 510, or of the columns.
static void padici_codec_context_map(const padici_codec_context_plan *plan, uint8_t map[512])
{
    uint32_t v, k = 0;
    for (v = 0; v < 512; v++) {
        while (k + 1 < plan->count && v >= plan->from[k + 1]) k++;
        map[v] = (uint8_t)k;
    }
}

// Within a tolerance, at these levels, slow coders must save more, and the search is short.
PADICI_FN int padici_codec_bounded_fast(const padici_codec_work *w)
{
    return w->policy->coders.bounded_fast && w->bounded && w->stages.coders == 0;
}

// The least saving of a table, in bits, for the time to build it.
static uint32_t padici_codec_table_price(const padici_codec_work *w)
{
    return padici_codec_bounded_fast(w) ? 308 : 8;
}

// Size of a table's symbols, each `weight` times, and of the table, in 1/256 bits; `price` are the
// bits charged for the time to build it.
static uint64_t padici_codec_context_cost(const uint32_t *counts, uint32_t symbols, uint32_t weight,
                                          uint32_t price)
{
    uint32_t total = 0, used = 0, s;
    for (s = 0; s < symbols; s++) {
        total += counts[s];
        used += counts[s] != 0;
    }
    return padici_codec_entropy(counts, symbols, total) * weight +
           256 * (uint64_t)(10 * used + price);
}

// Merges neighbouring bins of `counts` (256 each) as long as that saves, and until 16 are left.
// merged[k] is the first bin of context k; returns the cost, *count the contexts.
static uint64_t padici_codec_context_merge(uint32_t *counts, uint32_t bins, uint32_t symbols,
                                           uint32_t weight, uint32_t price, uint32_t *count,
                                           uint16_t merged[PADICI_CODEC_CONTEXT_BINS])
{
    uint64_t alone[PADICI_CODEC_CONTEXT_BINS], both[PADICI_CODEC_CONTEXT_BINS], sum = 0;
    uint32_t sums[256], k, s, at, left = bins;
    for (k = 0; k < bins; k++) {
        merged[k] = (uint16_t)k;
        alone[k] = padici_codec_context_cost(counts + 256 * k, symbols, weight, price);
        both[k] = UINT64_MAX;
    }
    for (at = 0; at + 1 < left; at++) {
        for (s = 0; s < symbols; s++) sums[s] = counts[256 * at + s] + counts[256 * (at + 1) + s];
        both[at] = padici_codec_context_cost(sums, symbols, weight, price);
    }
    while (left > 1) {
        int64_t least = INT64_MAX;
        uint32_t best = 0;
        for (k = 0; k + 1 < left; k++) {
            const int64_t more = (int64_t)(both[k] - alone[k] - alone[k + 1]);
            if (more < least) least = more, best = k;
        }
        if (left <= PADICI_CODEC_CONTEXTS && least >= 0) break;
        for (s = 0; s < symbols; s++) counts[256 * best + s] += counts[256 * (best + 1) + s];
        alone[best] = both[best];
        left--;
        memmove(counts + 256 * (best + 1), counts + 256 * (best + 2),
                256 * (left - best - 1) * sizeof *counts);
        for (k = best + 1; k < left; k++) {
            merged[k] = merged[k + 1];
            alone[k] = alone[k + 1];
            both[k] = both[k + 1];
        }
        for (k = best ? best - 1 : 0; k <= best && k + 1 < left; k++) {
            for (s = 0; s < symbols; s++) sums[s] = counts[256 * k + s] + counts[256 * (k + 1) + s];
            both[k] = padici_codec_context_cost(sums, symbols, weight, price);
        }
    }
    for (k = 0; k < left; k++) sum += alone[k];
    *count = left;
    return sum;
}

// Cost in bits of one way to use the neighbours, with at most `most` contexts; sets the contexts.
static uint64_t padici_codec_context_try(padici_codec_work *w, const uint8_t *data, size_t n,
                                         uint32_t symbols, uint32_t most,
                                         padici_codec_context_plan *plan)
{
    uint32_t *counts = (uint32_t *)w->table, *sums = counts + 256 * PADICI_CODEC_CONTEXT_BINS;
    const size_t a = plan->a, b = plan->b, reach = a > b ? a : b;
    // of long streams one stretch of 64 in four is read, or in 16 where there are few contexts
    const int whole = n - reach <= 16384 || w->policy->coders.context_whole;
    const uint32_t weight = whole ? 1 : most < 8 ? 16 : 4;
    uint8_t *bin = (uint8_t *)(sums + 512);
    uint16_t merged[PADICI_CODEC_CONTEXT_BINS], start[PADICI_CODEC_CONTEXT_BINS];
    uint32_t bins = 0, v, held = 0, seen = 0, total = 0;
    size_t i, to;
    uint64_t cost;
    memset(sums, 0, 512 * sizeof *sums);
    for (i = reach; i < n; i += 64 * (weight - 1))
        for (to = padici_codec_least(i + 64, n); i < to; i++, total++)
            sums[data[i - a] + (b ? data[i - b] : 0)]++;
    for (v = 0; v < 512; v++) { // a bin ends where its share of the bytes is reached
        if (held == 0) start[bins] = (uint16_t)v;
        held += sums[v];
        seen += sums[v];
        bin[v] = (uint8_t)bins;
        if (held > total / most && bins + 1 < most && seen < total) bins++, held = 0;
    }
    bins++;
    memset(counts, 0, 256 * bins * sizeof *counts);
    for (i = reach; i < n; i += 64 * (weight - 1))
        for (to = padici_codec_least(i + 64, n); i < to; i++)
            counts[256 * (size_t)bin[data[i - a] + (b ? data[i - b] : 0)] + data[i]]++;
    cost = padici_codec_context_merge(counts, bins, symbols, weight, padici_codec_table_price(w),
                                      &plan->count, merged);
    for (v = 0; v < plan->count; v++) plan->from[v] = start[merged[v]];
    plan->from[0] = 0;
    return (cost >> 8) * n / (n - reach) + 16 * plan->count + PADICI_CODEC_RANS_BITS;
}

// The same for columns, with a table for every run of similar columns.
static uint64_t padici_codec_context_try_columns(padici_codec_work *w, const uint8_t *data,
                                                 size_t n, uint32_t symbols, uint32_t columns,
                                                 padici_codec_context_plan *plan)
{
    uint32_t *counts = (uint32_t *)w->table, column = 0;
    uint16_t merged[PADICI_CODEC_CONTEXT_BINS];
    uint64_t cost;
    size_t i;
    memset(counts, 0, 256 * columns * sizeof *counts);
    for (i = 0; i < n; i++) {
        counts[256 * column + data[i]]++;
        if (++column == columns) column = 0;
    }
    cost = padici_codec_context_merge(counts, columns, symbols, 1, padici_codec_table_price(w),
                                      &plan->count, merged);
    for (i = 0; i < plan->count; i++) plan->from[i] = merged[i];
    return (cost >> 8) + 16 * plan->count + PADICI_CODEC_RANS_BITS;
}

// The cheapest contexts for this stream, which takes `alone` bits without, and their cost in bits.
// At fast levels a trial with four contexts decides which variants are measured precisely.
PADICI_FN uint64_t padici_codec_context_choose(padici_codec_work *w, const uint8_t *data, size_t n,
                                               uint32_t symbols, uint64_t alone,
                                               padici_codec_context_plan *best)
{
    const uint32_t row = (uint32_t)w->row, plane = (uint32_t)w->plane;
    const uint32_t pairs[6][2] = {{1, 0},       {1, row},       {1, 2},
                                  {row, plane}, {row, 2 * row}, {1, plane}};
    const uint32_t tried = w->policy->coders.context_pairs;
    const uint32_t rough = (uint32_t)padici_codec_bounded_fast(w);
    padici_codec_context_plan plan;
    uint64_t least = UINT64_MAX, cost;
    uint32_t i;
    memset(&plan, 0, sizeof plan);
    memset(best, 0, sizeof *best);
    plan.length = (n + PADICI_CODEC_RANS_LANES - 1) / PADICI_CODEC_RANS_LANES;
    for (i = rough; i < tried; i++) { // two bytes before are as good as one
        plan.a = pairs[i][0];
        plan.b = pairs[i][1];
        if (plan.a == 0 || (i && plan.b == 0) || 2 * (size_t)plan.a > n || 2 * (size_t)plan.b > n)
            continue;
        cost = padici_codec_context_try(w, data, n, symbols, rough ? 4 : PADICI_CODEC_CONTEXT_BINS,
                                        &plan);
        if (cost < least) least = cost, *best = plan;
    }
    if (rough && least < alone - (alone >> 5))
        least = padici_codec_context_try(w, data, n, symbols, PADICI_CODEC_CONTEXT_BINS / 2, best);
    if (row > 1 && row <= PADICI_CODEC_CONTEXT_BINS && 64 * (size_t)row < n) {
        plan.a = 0;
        plan.b = row;
        plan.length = (plan.length + row - 1) / row * row;
        cost = padici_codec_context_try_columns(w, data, n, symbols, row, &plan);
        if (cost < least) least = cost, *best = plan;
    }
    return least;
}

// The table of each byte, and the counts of each table.
static PADICI_NOINLINE void padici_codec_context_count(padici_codec_work *w, const uint8_t *data,
                                                       size_t n,
                                                       const padici_codec_context_plan *plan,
                                                       uint32_t *counts)
{
    const size_t length = plan->length;
    const size_t a_steps = plan->a % length, b_steps = plan->b % length;
    uint8_t map[512];
    size_t i, j;
    padici_codec_context_map(plan, map);
    memset(counts, 0, 256 * PADICI_CODEC_CONTEXTS * sizeof *counts);
    for (i = 0; i < n;) {
        for (j = 0; j < length && i < n; j++, i++) {
            uint32_t v = 0;
            if (plan->a)
                v = padici_codec_context_byte(data, i, j, plan->a, a_steps);
            else v = (uint32_t)(j % plan->b);
            if (plan->a && plan->b) v += padici_codec_context_byte(data, i, j, plan->b, b_steps);
            w->contexts[i] = map[v];
            counts[256 * (size_t)map[v] + data[i]]++;
        }
    }
}

// Frequencies of each table, written, and the start of each symbol's share.
static void padici_codec_context_put_tables(padici_codec_work *w,
                                            const padici_codec_context_plan *plan, uint32_t *counts,
                                            uint16_t *freq, uint16_t *start)
{
    uint32_t k, s;
    for (k = 0; k < plan->count; k++) {
        uint32_t total = 0, sum = 0;
        for (s = 0; s < 256; s++) total += counts[256 * k + s];
        // a table with a single symbol would look like none: 0 gets a share
        if (total == 0 || counts[256 * k] == total) counts[256 * k + 1]++, total++;
        for (s = 1; s < 256; s++)
            if (counts[256 * k + s] == total) counts[256 * k]++, total++;
        padici_codec_rans_frequencies(counts + 256 * k, total, freq + 256 * k);
        padici_codec_rans_put_table(&w->out, freq + 256 * k);
        for (s = 0; s < 256; s++) {
            start[256 * k + s] = (uint16_t)sum;
            sum += freq[256 * k + s];
        }
    }
}

// u8 tables - 1, u32 a, u32 b, u32 length, u16 sum or column where each context but the first
// begins, the tables, u32 number of words, 32 states, words.
PADICI_FN void padici_codec_context_put(padici_codec_work *w, const uint8_t *data, size_t n,
                                        const padici_codec_context_plan *plan)
{
    uint32_t *counts = (uint32_t *)w->table, state[PADICI_CODEC_RANS_LANES], k;
    uint16_t *freq = (uint16_t *)(counts + 256 * PADICI_CODEC_CONTEXTS);
    uint16_t *start = freq + 256 * PADICI_CODEC_CONTEXTS, *top = w->rans + w->capacity + 64,
             *word = top;
    const size_t length = plan->length;
    uint8_t *to;
    size_t i, j, lane, words;
    padici_codec_put_u8(&w->out, plan->count - 1);
    padici_codec_put_u32(&w->out, plan->a);
    padici_codec_put_u32(&w->out, plan->b);
    padici_codec_put_u32(&w->out, (uint32_t)length);
    for (k = 1; k < plan->count; k++) {
        padici_codec_put_u8(&w->out, plan->from[k] & 255u);
        padici_codec_put_u8(&w->out, (uint32_t)plan->from[k] >> 8);
    }
    padici_codec_context_count(w, data, n, plan, counts);
    padici_codec_context_put_tables(w, plan, counts, freq, start);
    for (i = 0; i < PADICI_CODEC_RANS_LANES; i++) state[i] = PADICI_CODEC_RANS_LOW;
    for (j = length; j-- > 0;) {
        for (lane = PADICI_CODEC_RANS_LANES; lane-- > 0;) {
            uint32_t x = state[lane], f, e;
            i = lane * length + j;
            if (i >= n) continue;
            e = 256u * w->contexts[i] + data[i];
            f = freq[e];
            if (x >> 20 >= f) {
                *--word = (uint16_t)x;
                x >>= 16;
            }
            state[lane] = (x / f << PADICI_CODEC_RANS_SCALE_BITS) + x % f + start[e];
        }
    }
    words = (size_t)(top - word);
    padici_codec_put_u32(&w->out, (uint32_t)words);
    for (i = 0; i < PADICI_CODEC_RANS_LANES; i++) padici_codec_put_u32(&w->out, state[i]);
    to = padici_codec_room(&w->out, 2 * words);
    for (i = 0; to && i < words; i++) padici_store16(to + 2 * i, word[i]);
}

static void padici_codec_context_take_plan(padici_codec_reader *in, size_t n,
                                           padici_codec_context_plan *plan)
{
    uint32_t k;
    memset(plan, 0, sizeof *plan);
    plan->count = padici_codec_take_u8(in) + 1;
    plan->a = padici_codec_take_u32(in);
    plan->b = padici_codec_take_u32(in);
    plan->length = padici_codec_take_u32(in);
    if (plan->count > PADICI_CODEC_CONTEXTS || plan->length == 0 ||
        plan->length > 2 * PADICI_CODEC_BLOCK_LIMIT ||
        (n + plan->length - 1) / plan->length > PADICI_CODEC_RANS_LANES)
        in->bad = 1;
    if (plan->a == 0 && !in->bad &&
        (plan->b == 0 || plan->b > PADICI_CODEC_COLUMNS || plan->length % plan->b))
        in->bad = 1;
    for (k = 1; k < plan->count && !in->bad; k++) {
        const uint32_t low = padici_codec_take_u8(in);
        plan->from[k] = (uint16_t)(low | padici_codec_take_u8(in) << 8);
        if (plan->from[k] <= plan->from[k - 1] || plan->from[k] > 511) in->bad = 1;
    }
}

// Step j of the stretches that have one, if there are words for all of them. Returns 1 if so.
PADICI_INLINE int padici_codec_context_step(const padici_codec_context_plan *plan,
                                            const uint32_t *table, const uint8_t *map,
                                            uint32_t *state, uint8_t *data, size_t n, size_t j,
                                            const uint8_t **at, const uint8_t *end)
{
    const size_t length = plan->length;
    const uint8_t *p = *at;
    // from this stretch on the byte a (b) before exists
    const size_t a = plan->a && plan->a % length <= j ? plan->a / length : PADICI_CODEC_RANS_LANES;
    const size_t b = plan->b && plan->b % length <= j ? plan->b / length : PADICI_CODEC_RANS_LANES;
    const uint32_t column = plan->a ? 0 : map[j % plan->b];
    size_t lane, i = j;
    for (lane = 0; i < n; lane++, i += length) {
        const uint32_t x = state[lane];
        uint32_t v = column, e, y, low;
        if (plan->a) {
            v = lane >= a ? data[i - plan->a] : j ? data[i - 1] : 0;
            if (plan->b) v += lane >= b ? data[i - plan->b] : j ? data[i - 1] : 0;
            v = map[v];
        }
        e = table[(size_t)v * PADICI_CODEC_RANS_TOTAL + (x & (PADICI_CODEC_RANS_TOTAL - 1))];
        y = ((e >> 8 & 4095) + 1) * (x >> PADICI_CODEC_RANS_SCALE_BITS) + (e >> 20);
        low = y < PADICI_CODEC_RANS_LOW;
        if (low && p == end) return 0;
        data[i] = (uint8_t)e;
        state[lane] = low ? y << 16 | padici_load16(p) : y;
        p += 2 * low;
    }
    *at = p;
    return 1;
}

// Step by step, so it needs no scratch.
PADICI_FN size_t padici_codec_context_none(const padici_codec_context_plan *plan,
                                           const uint32_t *table, const uint8_t *map,
                                           uint32_t *state, uint8_t *data, size_t n,
                                           const uint8_t **p, const uint8_t *end, uint8_t *rows,
                                           size_t room)
{
    (void)plan, (void)table, (void)map, (void)state, (void)data, (void)n, (void)p, (void)end;
    (void)rows, (void)room;
    return 0;
}

PADICI_FN void padici_codec_context_take(padici_codec_work *w, padici_codec_reader *in,
                                         uint8_t *data, size_t n)
{
    uint32_t *table = (uint32_t *)w->table, state[PADICI_CODEC_RANS_LANES], words, i, k;
    uint8_t map[512];
    padici_codec_context_plan plan;
    const uint8_t *p, *end;
    size_t j;
    padici_codec_context_take_plan(in, n, &plan);
    for (k = 0; k < plan.count && !in->bad; k++) {
        uint16_t freq[256];
        padici_codec_rans_take_table(in, freq);
        if (!in->bad && data)
            (*w->loops->rans_table)(freq, table + (size_t)k * PADICI_CODEC_RANS_TOTAL);
    }
    words = padici_codec_take_u32(in);
    for (i = 0; i < PADICI_CODEC_RANS_LANES; i++) {
        state[i] = padici_codec_take_u32(in);
        if (state[i] < PADICI_CODEC_RANS_LOW) in->bad = 1;
    }
    p = padici_codec_take(in, 2 * (size_t)words);
    if (in->bad || !data) return;
    end = p + 2 * (size_t)words;
    padici_codec_context_map(&plan, map);
    j = (*w->loops->context)(&plan, table, map, state, data, n, &p, end, w->rows,
                             w->capacity + PADICI_CODEC_STEP_ROOM);
    for (; j < plan.length && j < n && !in->bad; j++) // a step reads the earlier ones' bytes
        if (!padici_codec_context_step(&plan, table, map, state, data, n, j, &p, end)) in->bad = 1;
    for (i = 0; i < PADICI_CODEC_RANS_LANES; i++)
        if (state[i] != PADICI_CODEC_RANS_LOW) in->bad = 1;
    if (p != end) in->bad = 1;
}

#endif
