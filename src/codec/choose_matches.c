// ---- the packer's choices: repeats of elements
//
// Keys are the elements' bits (form FIELDS without the `split` lowest bits) of the window and,
// behind them, of the block. Prices are in 1/16 bits.

#define PADICI_MATCH_BITS 17u

typedef struct padici_matcher {
    const uint64_t *keys; // past of the window, then n of the block
    size_t past, n;
    uint32_t *head, *chain;
    uint32_t key;     // words that are hashed
    uint32_t shift;   // of the hash: the fewer words, the shorter the table
    uint32_t depth;   // places looked at
    const uint32_t *price; // of the block's words before this one, as literals
    size_t indexed;   // keys that the chains hold
    size_t sparse;    // only every so many of the window
} padici_matcher;

PADICI_INLINE uint32_t padici_hash_keys(const uint64_t *x, uint32_t key, uint32_t shift)
{
    uint64_t h = x[0] * UINT64_C(0x9e3779b97f4a7c15);
    if (key > 1) h = (h ^ h >> 32 ^ x[1]) * UINT64_C(0xc2b2ae3d27d4eb4f);
    if (key > 2) h = (h ^ h >> 32 ^ x[2]) * UINT64_C(0x165667b19e3779f9);
    return (uint32_t)(h >> shift);
}

// The chains hold every key before `to`.
PADICI_INLINE void padici_index_keys(padici_matcher *s, size_t to)
{
    const size_t most = s->past + s->n >= s->key ? s->past + s->n - s->key + 1 : 0;
    if (to > most) to = most;
    for (; s->indexed < to; s->indexed += s->indexed < s->past ? s->sparse : 1) {
        const uint32_t h = padici_hash_keys(s->keys + s->indexed, s->key, s->shift);
        s->chain[s->indexed] = s->head[h];
        s->head[h] = (uint32_t)s->indexed + 1;
    }
}

PADICI_INLINE size_t padici_match_length(const uint64_t *x, const uint64_t *y, size_t most)
{
    size_t length = 0;
    while (length + 4 <= most && !((x[length] ^ y[length]) | (x[length + 1] ^ y[length + 1]) |
                                   (x[length + 2] ^ y[length + 2]) |
                                   (x[length + 3] ^ y[length + 3])))
        length += 4;
    while (length < most && x[length] == y[length]) length++;
    return length;
}

// What a repeat costs: its place in three lists, about.
PADICI_INLINE uint32_t padici_match_price(size_t distance, size_t length, const size_t last[2])
{
    const uint32_t price = 112 + 16 * padici_bit_length(length);
    if (distance == last[0]) return price;
    if (distance == last[1]) return price + 32;
    return price + 64 + 16 * padici_bit_length(distance);
}

// The repeat at key i that saves most: its length, or 0.
static size_t padici_best_match(padici_matcher *s, size_t i, const size_t last[2],
                                size_t *distance, int64_t *gain)
{
    const size_t end = s->past + s->n, most = end - i;
    const uint64_t *x = s->keys + i;
    const uint32_t *price = s->price + (i - s->past);
    uint32_t at, tries = s->depth, k;
    size_t best = 0;
    *gain = 0;
    for (k = 0; k < 2; k++) { // the last distances are cheap
        size_t length;
        int64_t here;
        if (last[k] == 0 || last[k] > i) continue;
        length = padici_match_length(x, x - last[k], most);
        here = (int64_t)(price[length] - price[0]) - padici_match_price(last[k], length, last);
        if (length && here > *gain) *gain = here, best = length, *distance = last[k];
    }
    if (i + s->key > end) return best;
    padici_index_keys(s, i);
    at = s->head[padici_hash_keys(x, s->key, s->shift)];
    for (; at && tries; tries--, at = s->chain[at - 1]) {
        const uint64_t *y = s->keys + at - 1;
        size_t length;
        int64_t here;
        if (best < most && y[best] != x[best]) continue;
        length = padici_match_length(x, y, most);
        if (length < s->key) continue;
        here = (int64_t)(price[length] - price[0]) -
               padici_match_price(i - (at - 1), length, last);
        if (here > *gain) *gain = here, best = length, *distance = i - (at - 1);
        if (best == most || best > 4096) break;
    }
    return best;
}

// Lists of repeats, coded.
typedef struct padici_matches {
    uint64_t *runs, *lengths, *distances;
    size_t count, from; // literals begin here
    size_t last[2];
} padici_matches;

static void padici_add_match(padici_matches *list, size_t i, size_t length, size_t distance)
{
    const size_t q = list->count++;
    list->runs[q] = i - list->from;
    list->lengths[q] = length - 1;
    list->distances[q] = distance == list->last[0]   ? 0
                         : distance == list->last[1] ? 1
                                                     : (uint64_t)distance + 1;
    if (distance != list->last[0]) list->last[1] = list->last[0], list->last[0] = distance;
    list->from = i + length;
}

// Greedy, or with a look at the next word before a repeat is taken. A hasty one looks less often
// where nothing repeats.
static void padici_parse_greedy(padici_matcher *s, int lazy, int hasty, padici_matches *list)
{
    const size_t end = s->past + s->n;
    size_t i = s->past, misses = 0;
    while (i < end) {
        size_t distance = 0, other = 0, length;
        int64_t gain, more;
        length = padici_best_match(s, i, list->last, &distance, &gain);
        if (length == 0 || gain < 48) {
            i += hasty ? 1 + (++misses >> 6) : 1;
            continue;
        }
        misses = 0;
        while (lazy && i + 1 < end && length < 256) {
            const size_t next = padici_best_match(s, i + 1, list->last, &other, &more);
            if (next == 0 ||
                more <= gain + (int64_t)(s->price[i + 1 - s->past] - s->price[i - s->past]))
                break;
            i++, length = next, distance = other, gain = more;
        }
        if (hasty) // what was passed over
            while (i - s->past > list->from && i > distance &&
                   s->keys[i - 1] == s->keys[i - 1 - distance])
                i--, length++;
        padici_add_match(list, i - s->past, length, distance);
        i += length;
    }
}

// Level 1 looks at the elements themselves. A repeat must save the share of the packed bits that so
// many bits of elements are, for the time that it takes; and what all must save, of 256.
#define PADICI_REPEAT_TIME 24u
#define PADICI_FAST_SHARE 24u

typedef struct padici_fast {
    uint32_t *head, size, log, each, pays; // of an element; prices of a word and of time
    uint32_t key, high, shift; // words that are hashed: those that pay, up to 16 bytes
    uint64_t mask;
} padici_fast;

static void padici_fast_begin(padici_fast *f, uint32_t *head, uint32_t bits, uint32_t size,
                              uint32_t each)
{
    f->head = head;
    f->size = size;
    f->log = padici_bit_length(size) - 1;
    f->each = each;
    f->pays = each * PADICI_REPEAT_TIME / (8 * size);
    f->key = (uint32_t)padici_least((f->pays + 384) / (each + 1) + 1, 16 / size);
    f->high = f->key * size > 8 ? f->key * size - 8 : 0;
    f->mask = ~UINT64_C(0) >> (f->key * size < 8 ? 64 - 8 * f->key * size : 0);
    f->shift = 64 - bits;
    memset(head, 0, sizeof *head << bits);
}

PADICI_INLINE uint32_t *padici_fast_place(const padici_fast *f, const uint8_t *p)
{
    uint64_t h = (padici_load64(p) & f->mask) * UINT64_C(0x9e3779b97f4a7c15);
    if (f->high) h += padici_load64(p + f->high) * UINT64_C(0xc2b2ae3d27d4eb4f);
    return f->head + (h >> f->shift);
}

// What a repeat of element i saves, in 1/16 bits; `back`: it began so much before.
PADICI_INLINE uint64_t padici_fast_gain(const padici_fast *f, const uint8_t *raw, size_t i,
                                        size_t from, size_t end, size_t distance,
                                        const size_t last[2], size_t *length, size_t *back)
{
    const uint8_t *const x = raw + (i << f->log), *y;
    uint64_t saved, price;
    if (distance - 1 >= i) return 0; // or 0
    y = x - (distance << f->log);
    if ((padici_load64(x) ^ padici_load64(y)) & f->mask) return 0;
    *length = padici_equal_bytes(x, y, (end - i) << f->log) >> f->log;
    for (*back = 0; i - *back > from && i - *back > distance; ++*back)
        if (padici_element(raw, i - *back - 1, f->size) !=
            padici_element(raw, i - *back - 1 - distance, f->size))
            break;
    *length += *back;
    saved = (uint64_t)*length * f->each;
    price = f->pays + padici_match_price(distance, *length, last);
    return saved > price ? saved - price : 0;
}

// One place a key, looked at less and less often where nothing repeats; words cost alike.
static void padici_parse_fast(const padici_fast *f, const uint8_t *raw, size_t n,
                              padici_matches *list)
{
    const size_t reads = (f->high + 8) >> f->log; // words that cost nothing are left alone
    const size_t stop = f->each && n >= reads ? n - reads + 1 : 0;
    size_t i = 0, misses = 0, length, back;
    while (i < stop) {
        uint32_t *const place = padici_fast_place(f, raw + (i << f->log));
        const size_t found = i + 1 - *place;
        size_t distance = list->last[0];
        *place = (uint32_t)i + 1;
        if (!padici_fast_gain(f, raw, i, list->from, n, distance, list->last, &length, &back) &&
            !padici_fast_gain(f, raw, i, list->from, n, distance = found, list->last, &length,
                              &back)) {
            i += 1 + (++misses >> 5);
            continue;
        }
        misses = 0;
        padici_add_match(list, i - back, length, distance);
        i += length - back;
        if (i < stop) *padici_fast_place(f, raw + ((i - 1) << f->log)) = (uint32_t)i;
    }
}

// The cheapest parse as far as the prices are right: a path from word to word. `space` holds three
// words a step: price, arrival (length << 32 | distance), and the two last distances.
static void padici_parse_cheapest(padici_matcher *s, uint64_t *price, uint64_t *arrival,
                                  uint64_t *lasts, padici_matches *list)
{
    const size_t n = s->n;
    size_t i, k, steps = 0;
    for (i = 0; i <= n; i++) price[i] = UINT64_MAX;
    price[0] = 0;
    lasts[0] = 0;
    for (i = 0; i < n; i++) {
        const size_t last[2] = {(size_t)(lasts[i] & 0xffffffffu), (size_t)(lasts[i] >> 32)};
        size_t distance = 0, length, to;
        int64_t gain;
        if (price[i] + s->price[i + 1] - s->price[i] < price[i + 1]) {
            price[i + 1] = price[i] + s->price[i + 1] - s->price[i];
            arrival[i + 1] = 0;
            lasts[i + 1] = lasts[i];
        }
        length = padici_best_match(s, s->past + i, last, &distance, &gain);
        if (length == 0) continue;
        for (to = length > 64 ? length : 1; to <= length; to++) {
            const uint64_t here =
                price[i] + padici_match_price(distance, to, last);
            if (here >= price[i + to]) continue;
            price[i + to] = here;
            arrival[i + to] = (uint64_t)to << 32 | distance;
            lasts[i + to] = distance == last[0] ? lasts[i]
                                                : (uint64_t)last[0] << 32 | distance;
        }
        if (length > 64) { // nothing inside so long a repeat pays
            for (k = 1; k < length; k++) price[i + k] = UINT64_MAX / 2;
            i += length - 1;
        }
    }
    for (i = n; i > 0;) { // backwards, the steps to the end of `price`
        const size_t length = (size_t)(arrival[i] >> 32);
        price[n - steps] = (uint64_t)i << 32 | length;
        lasts[n - steps++] = arrival[i] & 0xffffffffu;
        i -= length ? length : 1;
    }
    for (k = n - steps + 1; k <= n; k++) {
        const size_t length = (size_t)(price[k] & 0xffffffffu);
        if (length)
            padici_add_match(list, (size_t)(price[k] >> 32) - length, length, (size_t)lasts[k]);
    }
}

// The most bits that are left apart.
static uint32_t padici_widest_split(const padici_box *box)
{
    return !padici_is_float(box->dtype) ? 0 : box->size == 8 ? 9 : 1;
}

// Keys of the window and the block for this split, unless they are there already.
static void padici_make_keys(padici_work *w, const padici_box *box, uint32_t split)
{
    const padici_bound exact = {PADIC_BOUND_NONE, 0, 0};
    const size_t past = w->behind;
    padici_form form;
    if (w->keyed == split + 1) return;
    memset(&form, 0, sizeof form);
    form.kind = PADICI_FORM_FIELDS;
    if (past)
        (void)(*w->loops->words)(&form, &exact, box->dtype, box->size, w->history, past, w->keys,
                                 NULL, 0);
    (void)(*w->loops->words)(&form, &exact, box->dtype, box->size, w->raw, box->n, w->keys + past,
                             NULL, 0);
    if (split) (*w->loops->lower)(w->keys, past + box->n, 0, split);
    w->keyed = split + 1;
}

// Where repeats are looked for before all others: so many elements that the same content is picked
// at every place. Returns how many.
static size_t padici_pick(const padici_work *w, const padici_box *box, const uint8_t *raw,
                          uint32_t *picks)
{
    const uint32_t share = box->n < 16384 || w->level >= 8 ? 4 : w->level < 4 ? 6 : 5;
    return (*w->loops->pick)(raw, box->n, box->size, padici_widest_split(box), share, picks);
}

// Which of the splits 0, 1 and 9 bits this is.
#define PADICI_SPLIT_INDEX(split) (((split) + 7) >> 3)

// Level 1: the share (of 256) of the words' size that repeats save, told from those at picked
// elements.
static void padici_probe_gain(padici_work *w, const padici_box *box)
{
    const uint64_t each = padici_least((size_t)(w->hint->here / 16), (size_t)box->size * 8 * 14);
    const size_t count = padici_pick(w, box, w->raw, w->picks), last[2] = {0, 0};
    const size_t stride = count / 768 + 1; // one value may be most of the block
    uint64_t all = 0;
    size_t t, tested = 0, length, back;
    padici_fast f;
    padici_fast_begin(&f, w->head, count < 32768 ? padici_bit_length(count) : 15, box->size,
                      (uint32_t)each);
    w->probed = 1;
    w->share[0] = 0;
    for (t = 0; count && t < count && w->picks[t] + 32 <= box->n; t += stride, tested++) {
        const size_t i = w->picks[t];
        uint32_t *const place = padici_fast_place(&f, w->raw + (i << f.log));
        const uint64_t gain = padici_fast_gain(&f, w->raw, i, i > 32 ? i - 32 : 0, i + 32,
                                               i + 1 - *place, last, &length, &back);
        *place = (uint32_t)i + 1;
        if (gain && length >= f.key) all += gain / (length - f.key + 1); // so often it is found
    }
    all = all * 256 / (tested + 1) / (each + 1);
    if (tested > 16) w->share[0] = all < 256 ? (uint32_t)all : 256;
}

// For each split the share (of 256) of the picked elements of the block with which a repeat begins
// that pays: what it spares is no more than the words cost in the best payload so far.
static void padici_probe_matches(padici_work *w, const padici_box *box)
{
    const uint8_t *raw = w->behind ? w->history : w->raw;
    const size_t end = w->behind + box->n, past = w->behind ? w->past_count : 0;
    const uint32_t widest = padici_widest_split(box);
    const uint64_t each =
        padici_least((w->plain ? w->plain : w->best) * 128 / box->n, (size_t)box->size * 8 * 14);
    const size_t pays = (size_t)(320 / (each + 1)) + 1; // words
    const size_t key = each >= 24 * 16 ? 1 : each >= 10 * 16 ? 2 : 3;
    uint32_t *seen = w->head, bits, split, tested = 0;
    size_t t, k, stride, stop;
    memset(w->share, 0, sizeof w->share);
    w->probed = 1;
    w->each = (uint32_t)each;
    if (pays > 64) return;
    w->picks_count = padici_pick(w, box, w->raw, w->picks);
    stride = w->picks_count / 2048 + 1; // one value may be most of the block
    bits = padici_bit_length(past + w->picks_count);
    if (bits > PADICI_HASH_BITS) bits = PADICI_HASH_BITS;
    if (bits == 0) return;
    memset(seen, 0, sizeof *seen << bits);
    for (t = 0; t < past + w->picks_count; t++) {
        const size_t i = t < past ? w->past_picks[t] : w->behind + w->picks[t - past];
        uint64_t h = 0;
        uint32_t at;
        if (i + key > end) break;
        for (k = 0; k < key; k++)
            h = (h ^ h >> 32 ^ padici_fields(box, raw, i + k) >> widest) *
                UINT64_C(0x9e3779b97f4a7c15);
        h >>= 64 - bits;
        at = seen[h];
        seen[h] = (uint32_t)i + 1;
        if (i < w->behind || (t - past) % stride) continue;
        tested++;
        if (!at || i + pays > end) continue;
        stop = memcmp(raw + (at - 1) * box->size, raw + i * box->size, pays * box->size) ? 0 : pays;
        for (split = 0; split <= widest; split = split ? split + 8 : 1) {
            for (k = stop; k < pays; k++)
                if ((padici_fields(box, raw, at - 1 + k) ^ padici_fields(box, raw, i + k)) >> split)
                    break;
            w->share[PADICI_SPLIT_INDEX(split)] += k == pays;
        }
    }
    for (k = 0; k < 3; k++) w->share[k] = tested > 16 ? w->share[k] * 256 / tested : 0;
}

// Price of each word as a literal: the entropy of its class and its plain bits, in proportion to
// what the best payload so far took.
PADICI_NOINLINE static void padici_price_words(padici_work *w, const uint64_t *z, size_t n)
{
    uint32_t counts[128], cost[128], extra, t;
    uint64_t total = 0, sum = 0;
    const uint64_t best = w->plain ? w->plain : w->best; // repeats would make literals look cheap
    size_t i;
    memset(counts, 0, sizeof counts);
    memset(cost, 0, sizeof cost);
    for (i = 0; i < n; i++) {
        t = padici_token(z[i], 1, &extra);
        counts[t]++;
        cost[t] = 256 * extra;
    }
    for (t = 0; t < 128; t++) {
        if (!counts[t]) continue;
        cost[t] += padici_log2((uint32_t)n) - padici_log2(counts[t]) + 8;
        total += (uint64_t)cost[t] * counts[t];
    }
    if (best)
        for (t = 0; t < 128; t++) {
            const uint64_t scaled = (uint64_t)cost[t] * best * 2048 / total;
            cost[t] = (uint32_t)(scaled < 2 * (uint64_t)cost[t] ? scaled : 2 * (uint64_t)cost[t]);
            if (cost[t] < 64) cost[t] = 64; // so that long runs are worth a repeat
        }
    for (i = 0; i < n; i++) {
        w->price[i] = (uint32_t)(sum >> 4);
        sum += cost[padici_token(z[i], 1, &extra)];
    }
    w->price[n] = (uint32_t)(sum >> 4);
}

// How many blocks of the window these repeats need, and no more.
static uint32_t padici_find_reach(const padici_work *w, const padici_matches *list)
{
    size_t i, at = 0, oldest = w->behind;
    uint32_t reach = 0;
    for (i = 0; i < list->count; i++) { // the same distance, later, does not reach farther back
        const uint64_t code = list->distances[i];
        const size_t distance = code > 1 ? (size_t)code - 1 : 0;
        at += (size_t)list->runs[i];
        if (distance > at && w->behind + at - distance < oldest) oldest = w->behind + at - distance;
        at += (size_t)list->lengths[i] + 1;
    }
    while (reach < w->slot && w->starts[w->slot - reach] > oldest) reach++;
    return reach;
}

// Repeats taken out of the elements, `split` bits of each left apart; `words` are the literals'.
PADICI_NOINLINE static void padici_try_matches(padici_work *w, const padici_box *box,
                                               const padici_plan *start, const uint64_t *words,
                                               uint32_t split)
{
    padici_plan plan = *start;
    static const uint16_t depths[10] = {2, 1, 1, 1, 1, 3, 16, 16, 16, 128};
    const size_t third = w->capacity + 1;
    padici_box line = *box;
    padici_choice choice[1];
    padici_matcher s;
    padici_fast f;
    padici_matches list;
    size_t i, used = 0, m = 0, before;
    uint32_t k;
    int longer;
    memset(&s, 0, sizeof s);
    memset(&list, 0, sizeof list);
    if (w->level > 1 || split) padici_make_keys(w, box, split);
    s.keys = w->keys;
    s.past = w->behind;
    s.n = box->n;
    s.head = w->head;
    s.chain = w->head + ((size_t)1 << PADICI_MATCH_BITS);
    s.price = w->price;
    used = w->price[box->n] / box->n; // of one word
    s.key = used >= 24 * 16 ? 1 : used >= 10 * 16 ? 2 : 3;
    used = 0;
    longer = w->level > 5 || (w->level == 5 && s.key == 1); // dear literals are worth the time
    s.depth = longer && w->level < 6 ? 8 : depths[w->level];
    s.sparse = longer ? 1 : 3;
    list.runs = w->list;
    list.lengths = w->list + third;
    list.distances = w->list + 2 * third;
    k = padici_bit_length(s.past + s.n);
    if (k > PADICI_MATCH_BITS) k = PADICI_MATCH_BITS;
    if (w->level == 1 && k > 15) k = 15; // in the nearest caches
    s.shift = 64 - k;
    padici_fast_begin(&f, s.head, k, box->size, (uint32_t)(w->price[box->n] / box->n));
    if (w->level == 1 && split == 0)
        padici_parse_fast(&f, w->raw, box->n, &list);
    else if (w->level >= 8)
        padici_parse_cheapest(&s, w->trial, w->hold, w->other, &list);
    else
        padici_parse_greedy(&s, w->level >= 6, w->level < 6, &list);
    for (i = 0; i < list.count; i++) {
        memcpy(w->other + m, words + used, (size_t)list.runs[i] * sizeof *words);
        m += (size_t)list.runs[i];
        used += (size_t)list.runs[i] + (size_t)list.lengths[i] + 1;
    }
    memcpy(w->other + m, words + used, (box->n - used) * sizeof *words);
    plan.m = m + box->n - used;
    plan.pattern = PADICI_PATTERN_MATCH;
    plan.flags |= PADICI_BLOCK_FIRST;
    plan.reach = padici_find_reach(w, &list);
    if (plan.reach) plan.flags |= PADICI_BLOCK_WINDOW;
    line.rank = 1;
    line.extent[0] = (uint32_t)plan.m;
    line.n = plan.m;
    memset(&plan.predictor, 0, sizeof plan.predictor);
    if (plan.m > 1) {
        w->line = 1;
        (void)padici_choose_predictors(w, &line, w->other, w->trial, choice, 1);
        w->line = 0;
        plan.predictor = choice[0].predictor;
        for (k = 0; k < plan.predictor.count; k++) plan.predictor.op[k].axis = PADICI_FLAT;
    }
    padici_residuals(w->loops, w->other, plan.m, &plan, w->trial);
    padici_put_payload(w, box, &plan, w->trial, list.count, 0);
    // a window must be worth what it costs to read one block alone, and words within a bound are
    // read sooner without
    if ((plan.reach || w->bounded) && w->best && w->stages.patterns == 0) {
        const size_t size = (size_t)(w->out.at - w->out.start);
        if (size + (size >> 5) > w->best) w->out.at = w->out.start;
    }
    before = w->best;
    padici_keep_payload(w);
    if (w->level < 3 && w->hint->lead && before && (split == 0 || w->best < before))
        w->hint->match = split ? 0 : (uint32_t)(w->best * 256 / before);
}

// Whether repeats that pay begin often enough to look for all of them.
static int padici_worth_matches(padici_work *w, const padici_box *box, uint32_t split)
{
    if (w->stages.patterns) return 1;
    if (!w->probed) (w->level < 2 ? padici_probe_gain : padici_probe_matches)(w, box);
    return w->share[PADICI_SPLIT_INDEX(split)] >
           (w->level < 2 ? PADICI_FAST_SHARE : w->level < 6 ? 36u : w->level < 7 ? 20u : 8u);
}

// Whether elements b (the first one alone where not `all`) may stand for a.
static int padici_serves(const padici_box *box, const padici_bound *bound, const uint8_t *a,
                         const uint8_t *b, size_t all)
{
    size_t i;
    if (bound->mode != PADIC_BOUND_ABSOLUTE && bound->mode != PADIC_BOUND_RANGE)
        return all ? !memcmp(a, b, box->n * box->size)
                   : !memcmp(a, a + box->size, (box->n - 1) * box->size);
    for (i = 0; i < box->n; i++) {
        const uint64_t p = padici_element(a, i, box->size);
        const uint64_t q = padici_element(b, i * all, box->size);
        if (p != q && (!padici_is_float(box->dtype) ||
                       !padici_within(padici_value(box->dtype, p), padici_value(box->dtype, q),
                                      bound->absolute)))
            return 0;
    }
    return 1;
}

// The block as a copy of an earlier one.
static int padici_try_copy(padici_work *w, const padici_box *box, const padici_bound *bound)
{
    padici_plan plan;
    uint32_t k;
    if (!w->may_match) return 0;
    for (k = 1; k <= w->slot; k++) {
        const size_t from = w->starts[w->slot - k];
        if (w->behind - from < box->n ||
            !padici_serves(box, bound, w->raw, w->history + from * box->size, 1))
            continue;
        memset(&plan, 0, sizeof plan);
        plan.form.step = 1;
        plan.pattern = PADICI_PATTERN_MATCH;
        plan.flags = PADICI_BLOCK_FIRST | PADICI_BLOCK_WINDOW;
        plan.reach = k;
        padici_put_payload(w, box, &plan, w->other, 0, 0);
        padici_keep_payload(w);
        return 1;
    }
    return 0;
}

// Smooth fields within a bound: the step, twice the bound, is divided by 32, and each word may be
// any that differs from the interpolated one by a multiple of 31 of the small steps. So the
// rounding of one does not reach the next, as it does where all are rounded to one lattice.
static void padici_try_smooth(padici_work *w, const padici_box *box, const padici_bound *bound,
                              int back)
{
    const double g = bound->absolute * 0.0625;
    padici_form form;
    const uint64_t mask = ~UINT64_C(0) >> (64 - 8 * box->size);
    padici_plan plan;
    size_t count = 0, i;
    memset(&plan, 0, sizeof plan);
    memset(&form, 0, sizeof form);
    form.kind = PADICI_FORM_SCALE;
    form.g = padici_bits_of(g);
    form.step = 1;
    if (!(g > 0) || !(1 / g < 1e300)) return;
    if ((*w->loops->words)(&form, bound, box->dtype, box->size, w->raw, box->n, w->words, w->off,
                           box->n / 3) > box->n / 3)
        return;
    plan.form = form;
    plan.predictor = padici_interpolation(box, w->words, back);
    if (plan.predictor.count == 0) return;
    plan.predictor.scale = 31;
    padici_interpolate(&plan.predictor, w->words, NULL, PADICI_INTERPOLATE_CLOSE);
    for (i = 0; i < box->n; i++) { // what the reader will have
        const uint64_t bits = padici_element(w->raw, i, box->size);
        const uint64_t again = padici_apply(&form, PADICI_FORM_SCALE, box->dtype, box->size,
                                            w->words[i], g, 0, 0) & mask;
        if (again == bits || padici_within(padici_value(box->dtype, bits),
                                           padici_value(box->dtype, again), bound->absolute))
            continue;
        if (count == box->n / 3) return;
        w->off[count] = (uint32_t)i;
        w->fix[count++] = padici_fold(padici_ordered(box->dtype, bits, box->size) -
                                      padici_ordered(box->dtype, again, box->size));
    }
    padici_try_predictor(w, box, &plan, count);
}

// Floats repeat, often but for their sign, or for sign and last byte, as in symmetric fields and
// meshes: the upper bits alone are searched, the others are streams of their own.
static void padici_try_upper(padici_work *w, const padici_box *box)
{
    const uint32_t widest = padici_widest_split(box);
    const uint32_t more = w->level < 5 ? 24 : w->level < 7 ? 4 : 0;
    uint32_t split, most, share, best = 0;
    if (!w->may_match || box->n < 16) return;
    if (!w->probed && w->stages.patterns == 0) padici_probe_matches(w, box);
    most = w->share[0] + more;
    for (split = 1; split <= widest; split += 8) {
        const uint32_t each = (8 * box->size - split) * 14;
        padici_plan plan;
        size_t i;
        share = w->share[PADICI_SPLIT_INDEX(split)];
        if (!padici_worth_matches(w, box, split) && split + 8 <= widest) continue;
        if (w->level < 5 && w->stages.patterns == 0) { // the narrowest of those that find most
            if (share > most + 4) most = share, best = split;
            if (best == 0 || split + 8 <= widest) continue;
            split = best;
        } else if (share <= (w->level < 7 ? most : 8u) && w->stages.patterns == 0) {
            continue;
        }
        for (i = 0; i <= box->n; i++)
            w->price[i] = (uint32_t)i * (w->probed && w->each < each ? w->each : each);
        memset(&plan, 0, sizeof plan);
        plan.form.kind = PADICI_FORM_FIELDS;
        plan.form.step = 1;
        plan.flags = PADICI_BLOCK_SPLIT;
        plan.split = split;
        padici_make_keys(w, box, split);
        padici_try_matches(w, box, &plan, w->keys + w->behind, split);
        if (w->level < 5 && w->stages.patterns == 0) return;
    }
}

// Records that are no array of floats, or out of step with it: planes of the bits as they are, if
// the repeats in these promise more than the best payload so far.
static void padici_try_plain(padici_work *w, const padici_box *box)
{
    const padic_codec_stages stages = w->stages;
    const int forced = stages.forms >> PADICI_FORM_PLAIN & 1, repeats = w->may_repeat;
    padici_box plain = *box;
    padici_plan plan;
    uint64_t total = 0;
    uint32_t counts[256], k;
    size_t i;
    if (!forced && (stages.forms || !w->may_match || w->share[0] < (repeats ? 16u : 36u))) return;
    if (!repeats && w->best < box->n * box->size * 7 / 16) return; // level 5
    for (i = 0; i < box->n; i++) w->words[i] = padici_element(w->raw, i, box->size);
    for (k = 0; k < box->size && !forced; k++) {
        uint64_t cost;
        (*w->loops->plane)(w->words, box->n, 8 * k, w->symbols);
        padici_count(w->symbols, box->n, counts, (uint32_t *)w->table);
        cost = padici_entropy(counts, 256, (uint32_t)box->n) >> 8;
        total += cost - padici_bytes_gain(w, w->symbols, box->n, (uint32_t)(cost * 16 / box->n));
    }
    if (total / 8 > w->best + (w->best >> (repeats ? 2 : 4))) return;
    if (!repeats) w->may_repeat = 2;
    memset(&plan, 0, sizeof plan);
    plan.form.step = 1;
    plan.m = box->n;
    plain.dtype = padici_plain_dtype(box->size);
    padici_put8(&w->out, PADICI_FORM_PLAIN);
    if (stages.digits == 0) w->stages.digits = 1u << PADICI_DIGITS_BYTES;
    padici_put_payload(w, &plain, &plan, w->words, 0, 0);
    w->stages = stages;
    w->may_repeat = repeats;
    padici_keep_payload(w);
}

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
    if (!hint->use || hint->match == 0 || hint->match > 176 || exceptions || !w->may_match)
        return 0;
    w->price[box->n] = (uint32_t)(box->n * hint->cost / 16);
    padici_try_matches(w, box, &start, w->words, 0);
    return w->best && w->best * 2048 < box->n * (hint->size + hint->size / 4);
}

// Packs the block in one form. Returns 0 where the form does not hold.
static int padici_try_form(padici_work *w, const padici_box *box, const padici_bound *bound,
                           const padici_form *form, int reference)
{
    static const uint8_t predictors_tried[10] = {1, 1, 1, 1, 1, 1, 1, 1, 2, 5};
    const double g = padici_double_of(form->g), o = padici_double_of(form->o);
    padici_choice choice[5];
    uint32_t count, room, pass, p, plain = 0, others = 0;
    padici_plan plan;
    size_t exceptions, bits, i;
    memset(&plan, 0, sizeof plan);
    plan.form = *form;
    if (form->single) plan.flags |= PADICI_BLOCK_SINGLE;
    if (form->round && reference) return 0;
    if (form->round)
        exceptions = padici_elements_to_words(form, bound, box->dtype, box->size, w->raw, box->n,
                                              w->words, w->off, box->n / 3);
    else
        exceptions = (*w->loops->words)(form, bound, box->dtype, box->size, w->raw, box->n,
                                        w->words, w->off, box->n / 3);
    if (exceptions > box->n / 3) return 0;
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
    if (reference) {
        plan.flags |= PADICI_BLOCK_REFERENCE;
        plan.digest = w->digest;
        padici_add_reference(form, box->dtype, w->reference, w->words, box->n, 1);
    }
    if (form->round) {
        uint64_t differ;
        const uint64_t least = (*w->loops->least)(w->words, box->n, &differ);
        plan.flags |= PADICI_BLOCK_COSET;
        plan.form.step = form->round;
        plan.form.first = least * form->round;
        (*w->loops->lower)(w->words, box->n, least, 0);
    } else {
        padici_find_coset(w->loops, w->words, box->n, &plan.form);
    }
    if (plan.form.step > 1 && !form->round) {
        plan.flags |= PADICI_BLOCK_COSET;
        padici_apply_coset(w->loops, &plan.form, w->words, box->n);
    }
    w->bounded = bound->mode != PADIC_BOUND_NONE;
    w->first = plan.form.step > 1 ? 0 : plan.form.first;
    w->floats = w->may_weigh && form->kind == PADICI_FORM_BITS && form->shift == 0 &&
                        plan.form.step == 1 && !reference &&
                        (box->dtype == PADIC_F32 || box->dtype == PADIC_F64)
                    ? box->dtype
                    : PADIC_DTYPE_NONE;
    // weighted neighbours must prove that they are better, where it is not plain
    room = predictors_tried[w->level];
    count = w->hint->use ? padici_follow(w, box, choice) : 0;
    if (!count)
        count = padici_choose_predictors(w, box, w->words, w->trial, choice, room < 2 ? 3 : 5);
    if (w->level < 3) padici_lead(w, box, form, choice);
    if (w->level < 2 && padici_match_first(w, box, &plan, exceptions)) return 1;
    while (plain < count && choice[plain].predictor.kind == PADICI_PREDICT_LINEAR) plain++;
    for (pass = 0; pass < 2 * count; pass++) { // these last: they must win by a share
        const int simple = choice[p = pass % count].predictor.kind != PADICI_PREDICT_LINEAR;
        if (simple != (pass < count) || (simple ? others++ >= room : p >= room)) continue;
        if (w->level < 8 && p &&
            choice[0].cost < choice[p].cost - choice[p].cost / (w->level < 6 ? 5 : 8))
            continue;
        if (!simple && plain < count && w->level < 6 && w->stages.predictors == 0 &&
            choice[p].cost > choice[plain].cost - choice[plain].cost / 8)
            continue;
        plan.predictor = choice[p].predictor;
        padici_try_predictor(w, box, &plan, exceptions);
    }
    w->floats = PADIC_DTYPE_NONE;
    memset(&plan.predictor, 0, sizeof plan.predictor);
    if (plain == count) plain = 0; // what is left between repeats takes simple predictors
    // a repeat costs about 28 bits, a word what the best predictor says
    bits = (size_t)(choice[plain].cost / padici_least(box->n, PADICI_RUNS * PADICI_RUN) / 256) + 1;
    if (exceptions == 0 && !reference && w->may_match && box->n >= 16) {
        if (w->bounded) { // repeats are looked for in what the decoder will have
            padici_form here = plan.form;
            if (!(plan.flags & PADICI_BLOCK_COSET)) here.first = 0;
            memcpy(w->reference, w->raw, box->n * box->size);
            (*w->loops->elements)(&here, box->dtype, w->words, w->raw, box->n);
            w->keyed = 0;
            w->probed = 0;
        }
        if (padici_worth_matches(w, box, 0)) {
            if (w->level == 1) w->price[box->n] = (uint32_t)(w->best * 128);
            else padici_price_residuals(w, box, &plan, &choice[plain].predictor);
            padici_try_matches(w, box, &plan, w->words, 0);
        }
        if (w->bounded) memcpy(w->raw, w->reference, box->n * box->size);
    }
    if ((exceptions || reference || !w->may_match || w->bounded) &&
        padici_worth_repeats(w, box, 28 / bits + 1)) {
        padici_try_repeats(w, box, &plan, 28 / bits + 1, exceptions);
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
static void padici_put_raw(padici_work *w, const padici_box *box)
{
    size_t i;
    padici_put8(&w->out, PADICI_FORM_RAW);
    padici_put_bytes(&w->out, w->raw, box->n * box->size);
    for (i = 0; i < PADICI_PAYLOAD_PAD; i++) padici_put8(&w->out, 0);
}

// The same as the block's payload; returns its size.
static size_t padici_pack_raw(padici_work *w, const padici_box *box)
{
    w->best = 0;
    w->out.at = w->out.start = w->payload;
    padici_keep_payload(w); // sets the writer up
    padici_put_raw(w, box);
    padici_keep_payload(w);
    return w->best;
}

// Packs the elements in w->raw into w->payload without columns; returns the payload's size.
static size_t padici_pack_whole(padici_work *w, const padici_box *box, const padici_bound *bound)
{
    static const uint8_t forms_tried[10] = {1, 1, 1, 1, 1, 1, 1, 1, 2, 3};
    const size_t raw_size = box->n * box->size;
    padici_form_choice forms[8];
    // whether rounding by bits or by any step is better, an estimate does not tell
    const uint32_t most = forms_tried[w->level] + (bound->mode == PADIC_BOUND_POINTWISE ? 1u : 0u);
    uint32_t count = 0, tried = 0, k;
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
        if (w->hint->use) { // unless it does not hold, or costs more than the first block's
            w->probed = w->hint->match > 232 ||
                        (w->hint->match == 0 && w->hint->share < (w->level < 2 ? 12u : 48u));
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
        if (w->level >= 5 && padici_allowed(w->stages.predictors, PADICI_PREDICT_INTERPOLATE) &&
            padici_is_float(box->dtype) && bound->absolute > 0 &&
            (bound->mode == PADIC_BOUND_ABSOLUTE || bound->mode == PADIC_BOUND_RANGE) &&
            padici_allowed(w->stages.forms, PADICI_FORM_SCALE) &&
            (w->stages.predictors || (box->n > 1024 && w->best < box->n / 8 * 5))) {
            padici_try_smooth(w, box, bound, 0);
            if (w->level >= 7) padici_try_smooth(w, box, bound, 1);
        }
        if (!tried || (w->level < 2 && w->may_match && w->payload[0] < PADICI_FORM_RAW &&
                       (w->payload[1] & PADICI_BLOCK_EXCEPTIONS) && // repeats are of bits
                       padici_worth_matches(w, box, 0) && w->share[0] > 160)) {
            // plain bits always hold
            (void)padici_try_form(w, box, bound, &plan.form, 0);
            if (w->referenced) (void)padici_try_form(w, box, bound, &plan.form, 1);
        }
        if (padici_is_float(box->dtype) && bound->mode == PADIC_BOUND_NONE &&
            (w->level > 1 || w->stages.patterns) &&
            padici_allowed(w->stages.forms, PADICI_FORM_FIELDS))
            padici_try_upper(w, box);
        if (w->may_plain && padici_is_float(box->dtype) && bound->mode == PADIC_BOUND_NONE)
            padici_try_plain(w, box);
    }
    if (w->best == 0 || w->best > raw_size + 1 + PADICI_PAYLOAD_PAD) (void)padici_pack_raw(w, box);
    if (w->level < 3 && w->hint->lead) {
        for (k = 0; k < 3; k++)
            if (w->share[k] > w->hint->share) w->hint->share = w->share[k];
        w->hint->size = w->best * 2048 / box->n;
    }
    return w->best;
}

// Columns of a block: its last axis where that is short, else the most alike distance. 0: none.
static uint32_t padici_choose_columns(padici_work *w, const padici_box *box)
{
    const size_t lag = PADICI_MAX_COLUMNS / 4, stretch = PADICI_RUN;
    const uint32_t last = box->extent[box->rank - 1];
    uint64_t cost, first = 0, least = UINT64_MAX;
    uint32_t best = 0, s, run;
    padici_form plain;
    if (last > 1 && box->rank > 1) return last <= lag && box->n >= 256 * (size_t)last ? last : 0;
    if (w->level < 8 || box->n < 64 * lag) return 0;
    memset(&plain, 0, sizeof plain);
    plain.step = 1;
    for (s = 0; s < box->n; s++)
        w->words[s] =
            padici_ordered(box->dtype, padici_element(w->raw, s, box->size), box->size);
    for (s = 1; s <= lag; s++) {
        size_t at = 0, i;
        for (run = 0; run < PADICI_RUNS; run++) {
            const size_t from =
                lag + (size_t)((uint64_t)(box->n - stretch - lag) * run / (PADICI_RUNS - 1));
            for (i = from; i < from + stretch; i++)
                w->trial[at++] = padici_fold(w->words[i] - w->words[i - s]);
        }
        cost = padici_class_cost(w->trial, at);
        if (s == 1) first = cost;
        if (cost < least - least / 64) { // a multiple of the stride must be worth it
            least = cost;
            best = s;
        }
    }
    return best > 1 && least < first - first / 16 ? best : 0;
}

// Each column by itself; the block as a whole stands in w->payload. Returns the payload's size.
static size_t padici_pack_columns(padici_work *w, const padici_box *box,
                                  const padici_bound *bound, uint32_t columns, size_t whole)
{
    const int may_plain = w->may_plain;
    const padici_hint hint = *w->hint;
    uint8_t *source = w->raw;
    size_t at = 5, i;
    uint32_t k;
    memcpy(w->kept, w->payload, whole);
    w->raw = w->record;
    w->record = source;
    w->stack[0] = PADICI_FORM_COLUMNS;
    w->quick = w->level < 8;
    w->may_plain = 0; // nor are its bits taken as they are
    padici_store32(w->stack + 1, columns);
    w->behind = 0; // a column has no window
    w->slot = 0;
    memset(w->hint, 0, sizeof *w->hint); // nor the block's axes
    for (k = 0; k < columns && at; k++) {
        padici_box column;
        size_t size;
        padici_column_box(box, columns, k, &column);
        for (i = 0; i < column.n; i++)
            memcpy(w->raw + i * box->size, source + (i * columns + k) * box->size, box->size);
        size = padici_pack_whole(w, &column, bound);
        if (at + 4 + size + PADICI_PAYLOAD_PAD >= whole) {
            at = 0;
        } else {
            padici_store32(w->stack + at, (uint32_t)size);
            memcpy(w->stack + at + 4, w->payload, size);
            at += 4 + size;
        }
    }
    w->record = w->raw;
    w->raw = source;
    w->quick = 0;
    w->may_plain = may_plain;
    *w->hint = hint;
    if (at) {
        memset(w->stack + at, 0, PADICI_PAYLOAD_PAD);
        whole = at + PADICI_PAYLOAD_PAD;
        memcpy(w->payload, w->stack, whole);
    } else {
        memcpy(w->payload, w->kept, whole);
    }
    return whole;
}

// How much columns differ, in 1/256 bits a value: what the classes of their differences cost in one
// histogram more than in one for each (of up to 8).
static uint64_t padici_columns_differ(padici_work *w, const padici_box *box, uint32_t columns)
{
    const uint32_t taken = columns < 8 ? columns : 8;
    const size_t records = box->n / columns, stretch = 16, runs = 16;
    uint64_t apart = 0, joined;
    size_t at = 0, run, i;
    uint32_t k;
    if (records < 2 * runs * stretch) return 0;
    for (k = 0; k < taken; k++) {
        const size_t column = (size_t)k * columns / taken, before = at;
        for (run = 0; run < runs; run++) {
            const size_t from = (records - stretch - 1) * run / (runs - 1);
            uint64_t last = 0;
            for (i = 0; i <= stretch; i++) {
                const uint64_t x = padici_ordered(
                    box->dtype, padici_element(w->raw, (from + i) * columns + column, box->size),
                    box->size);
                if (i) w->trial[at++] = padici_fold(x - last);
                last = x;
            }
        }
        apart += padici_class_cost(w->trial + before, at - before);
    }
    joined = padici_class_cost(w->trial, at);
    return joined > apart ? (joined - apart) / at : 0;
}

