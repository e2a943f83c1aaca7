// spread.cl: statistics that `measure` gathers while it reads the elements of a block: the spread
// of its words, for the block and for each group.

// Of the elements an item has read.
typedef struct {
    codec_num lower, upper; // words
    pd_u64 bits;            // the elements, or-ed
    pd_u64 sum;             // of the checksum
    codec_bare apart;       // differences, or-ed
#if PD_CODEC_BOUND
    codec_bare largest; // size of those that have a word
    pd_u32 off;         // number of those without
#endif
#if CODEC_SHORT || PD_CODEC_BOUND
    pd_u32 fills; // fills the struct, otherwise a warning
#endif
} codec_spread;

// Of an item's elements in a tile.
typedef struct {
    codec_num high, low, before; // words; before: the last one
    codec_bare apart, sign;      // differences, folded without their signs, or-ed; the signs
} codec_near;

// Of no elements.
PD_FN codec_near codec_near_none(void)
{
    codec_near t;
    t.high = (codec_num)((codec_bare)1u << (CODEC_NUM_BITS - 1u));
    t.low = t.before = 0;
    t.apart = t.sign = 0u;
    return t;
}

// Initial state: only the block's first element.
PD_FN codec_spread codec_spread_of(codec_num y0, codec_key first, const codec_rule rule)
{
    codec_spread s;
    s.lower = s.upper = y0;
    s.bits = s.sum = 0u;
    s.apart = 0u;
#if PD_CODEC_BOUND
    s.off = 0u;
    s.largest = 0u;
    if (codec_is_off((codec_bare)first, rule.highest)) s.lower = (codec_num)CODEC_HIGHEST;
#else
    (void)first;
    (void)rule;
#endif
    return s;
}

// The next word.
PD_FN void codec_step_on(codec_near *t, codec_num y)
{
    const codec_bare d = (codec_bare)y - (codec_bare)t->before;
    t->apart |= d ^ (codec_bare)((codec_num)d >> (CODEC_NUM_BITS - 1u));
    t->sign |= d;
    t->high = y > t->high ? y : t->high;
    t->before = y;
}

#if PD_CODEC_BOUND
// Updates the statistics with an element; returns its reconstruction. Uses masks, as conditions
// would take scalar registers.
PD_FN codec_bare codec_see_scaled(codec_spread *s, codec_near *t, codec_bare bits, pd_u32 is_there,
                                  const codec_rule rule)
{
    const codec_bare as_it_is = (codec_bare)0u - (rule.scale == 0.0f ? 1u : 0u);
    const codec_bare size = bits & CODEC_HIGHEST, is_off = codec_off_mask(bits, rule.highest);
    const codec_num y = codec_word_of(bits, rule);
    const codec_bare keep = is_off | as_it_is;
    const codec_num on = (codec_num)(((codec_bare)y & ~is_off) | (CODEC_HIGHEST & is_off));
    s->off += is_there ? (pd_u32)is_off & 1u : 0u;
    s->largest = s->largest > (size & ~is_off) ? s->largest : size & ~is_off;
    t->low = on < t->low ? on : t->low;
    codec_step_on(t, y);
    return (codec_unscaled(y, rule.scale) & ~keep) | (bits & keep);
}
#endif

// An item's elements, the first of which exists; t->before is the word before them.
PD_FN void codec_see_item(codec_spread *s, codec_near *t, const pd_u64 word[CODEC_WORDS],
                          pd_u32 e, pd_u32 n, pd_u64 key, const codec_rule rule)
{
    pd_u32 i, j;
#if PD_CODEC_BOUND
    for (i = 0u; i < CODEC_WORDS; i++) {
        const pd_u32 at = e + i * CODEC_PER;
        pd_u64 made = 0u;
        s->bits |= word[i];
        for (j = 0u; j < CODEC_PER; j++)
            made |= (pd_u64)codec_see_scaled(
                        s, t, (codec_bare)(word[i] >> (j * (CODEC_BITS & 63u))),
                        at + j < n ? 1u : 0u, rule)
                    << (j * (CODEC_BITS & 63u));
#if !CODEC_WIDE
        if (at + 1u >= n) made &= 0xffffffffu; // the last element alone
#endif
        if (at < n) s->sum += codec_mix(made ^ (key + i * CODEC_GOLDEN));
    }
#else
    const codec_rule flipped = codec_flipped_rule(rule);
    (void)e;
    (void)n;
    (void)key;
    for (i = 0u; i < CODEC_WORDS; i++) {
        const pd_u64 shown = CODEC_FLIPPED(word[i], rule);
        s->bits |= word[i];
        for (j = 0u; j < CODEC_PER; j++) {
            const codec_num y =
                codec_word_of((codec_bare)(shown >> (j * (CODEC_BITS & 63u))), flipped);
            t->low = y < t->low ? y : t->low;
            codec_step_on(t, y);
        }
    }
#endif
}

#if PD_CODEC_SIZE == 4
// The differences again, if one may have 33 bits.
PD_FN void codec_see_far(codec_near *t, const pd_u64 word[CODEC_WORDS], codec_num before,
                         const codec_rule rule)
{
    pd_u32 i;
    t->apart = t->sign = 0u;
    for (i = 0u; i < CODEC_EACH; i++) {
        const codec_num y = codec_word_of((codec_bare)(word[i / 2u] >> (i % 2u * 32u)), rule);
        const codec_bare less = y < before ? 0xffffffffu : 0u;
        t->apart |= ((codec_bare)y - (codec_bare)before) ^ less;
        t->sign |= less & 1u;
        before = y;
    }
}
#endif

// The same with the item's part of the block's.
PD_FN void codec_see(codec_spread *s, codec_near *t, const pd_u64 word[CODEC_WORDS],
                     codec_num before, pd_u32 e, pd_u32 n, pd_u64 key, const codec_rule rule)
{
    t->before = t->low = before;
#if PD_CODEC_BOUND
    if (rule.scale != 0.0f) t->low = (codec_num)CODEC_HIGHEST; // that word is not the item's
#endif
    codec_see_item(s, t, word, e, n, key, rule);
    s->apart |= t->sign;
    t->sign >>= CODEC_NUM_BITS - 1u;
#if PD_CODEC_SIZE == 4
    if (((pd_u32)(before > t->high ? before : t->high) - (pd_u32)t->low) >> 31)
        codec_see_far(t, word, before, rule);
#endif
    s->lower = t->low < s->lower ? t->low : s->lower;
    s->upper = t->high > s->upper ? t->high : s->upper;
}

// An item's part of the checksum of reconstructed elements; at the block's end it is padded.
PD_FN pd_u64 codec_sum_and_fill(pd_u64 word[CODEC_WORDS], pd_u32 whole, pd_u32 e, pd_u32 n,
                                pd_u64 key)
{
    pd_u64 sum = 0u;
    pd_u32 i;
    for (i = 0u; i < CODEC_WORDS; i++) {
        const pd_u32 at = e + i * CODEC_PER;
        if (!PD_CODEC_BOUND && (whole || at < n))
            sum += codec_mix(word[i] ^ (key + i * CODEC_GOLDEN));
        if (!whole) word[i] = codec_filled(word[i], word[i ? i - 1u : 0u], at, n);
    }
    return sum;
}

// Reads an item's elements of a tile, from e on.
PD_FN codec_near codec_read_item(codec_spread *s, PD_GPTR(const codec_key) keys,
                                 PD_GPTR(const pd_u64) pairs, pd_u64 base, pd_u32 e, pd_u32 n,
                                 pd_u64 key, const codec_rule rule)
{
    const pd_u32 whole = base % CODEC_PER == 0u && e + CODEC_EACH <= n ? 1u : 0u;
    pd_u64 word[CODEC_WORDS];
    codec_near t = codec_near_none();
#if CODEC_BY_WARP // the element before the item's comes from the previous item
    codec_item(word, keys, pairs, base, e, n);
    if (!whole && e < n) s->sum += codec_sum_and_fill(word, 0u, e, n, key);
    t.before = codec_word_of((codec_key)(CODEC_FLIPPED(word[CODEC_WORDS - 1u], rule) >>
                                         (64u - CODEC_BITS)),
                             codec_flipped_rule(rule));
    t.before = (codec_num)CODEC_SHUFFLE_UP(t.before, 1u);
    if (PD_LID % 32u == 0u && e < n) t.before = codec_word_before(keys, base, e, rule);
    if (e < n) {
        if (whole) s->sum += codec_sum_and_fill(word, 1u, e, n, key);
        codec_see(s, &t, word, t.before, e, n, key, rule);
    }
#else
    if (e < n) {
        const codec_num before = codec_word_before(keys, base, e, rule);
        codec_load(word, keys, pairs, base, e, n);
        s->sum += codec_sum_and_fill(word, whole, e, n, key);
        codec_see(s, &t, word, before, e, n, key, rule);
    }
#endif
    return t;
}

#if CODEC_BY_WARP
PD_FN codec_num codec_warp_most(codec_num high)
{
#if CODEC_SHORT
    return PD_WARP_MAX(high);
#else
    const pd_i32 up = PD_WARP_MAX((pd_i32)(high >> 32));
    const pd_u32 low = (pd_i32)(high >> 32) == up ? (pd_u32)high : 0u;
    return (codec_num)PD_U64((pd_u32)PD_WARP_MAX((pd_i32)(low ^ 0x80000000u)) ^ 0x80000000u,
                             (pd_u32)up);
#endif
}

PD_FN codec_bare codec_warp_or(codec_bare x)
{
#if CODEC_SHORT
    return PD_WARP_OR(x);
#else
    return PD_U64(PD_WARP_OR((pd_u32)x), PD_WARP_OR((pd_u32)(x >> 32)));
#endif
}

// A warp's statistics of its group.
PD_FN void codec_put_group(PD_GPTR(pd_u64) top, PD_GPTR(pd_u64) apart, const codec_near t,
                           pd_u32 e, pd_u32 n, pd_u32 kind)
{
    const pd_u32 sign = PD_BALLOT(t.sign) ? 1u : 0u;
    const codec_bare all = codec_warp_or(t.apart);
    const codec_num high = codec_warp_most(t.high);
    if (PD_LID % 32u == 0u && e < n) {
        top[e / CODEC_GROUP] = (pd_u64)(pd_i64)high + codec_bias(kind);
        apart[e / CODEC_GROUP] = (pd_u64)all << 1 | sign;
    }
}
#else
// Combines every `step`th of `count` entries: largest words, differences, signs.
PD_FN codec_near codec_join_nears(PD_LPTR(const codec_bare) one, PD_LPTR(const codec_bare) two,
                                  PD_LPTR(const pd_u8) signs, pd_u32 from, pd_u32 count,
                                  pd_u32 step)
{
    codec_near t = codec_near_none();
    pd_u32 i;
    for (i = from; i < from + count; i += step) {
        const codec_num y = (codec_num)one[i];
        t.high = y > t.high ? y : t.high;
        t.apart |= two[i];
        t.sign |= signs[i];
    }
    return t;
}

// Combines the items' statistics of the groups of CODEC_ROUNDS tiles. Begins and ends with a
// barrier.
PD_FN void codec_put_groups(PD_GPTR(pd_u64) top, PD_GPTR(pd_u64) apart, PD_LPTR(codec_bare) one,
                            PD_LPTR(codec_bare) two, PD_LPTR(pd_u8) signs, pd_u32 from, pd_u32 n,
                            pd_u32 kind)
{
    const pd_u32 l = PD_LID, g = from / CODEC_GROUP + l;
    codec_near t;
    PD_BARRIER();
    t = codec_join_nears(one, two, signs, CODEC_ROUNDS * l, CODEC_ROUNDS, 1u);
    one[CODEC_ROUNDS * l] = (codec_bare)t.high;
    two[CODEC_ROUNDS * l] = t.apart;
    signs[CODEC_ROUNDS * l] = (pd_u8)t.sign;
    PD_BARRIER();
    if (l < CODEC_ROUNDS * CODEC_FILL && g * CODEC_GROUP < n) {
        t = codec_join_nears(one, two, signs, l * CODEC_ITEMS, CODEC_ITEMS, CODEC_ROUNDS);
        top[g] = (pd_u64)(pd_i64)t.high + codec_bias(kind);
        apart[g] = (pd_u64)t.apart << 1 | t.sign;
    }
    PD_BARRIER();
}
#endif
