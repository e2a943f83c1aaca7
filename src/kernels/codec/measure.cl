// measure.cl: the first pass of packing, which reads the elements once and chooses the
// representation of each block.
//
// spread.cl reads a block; here the items combine their results, and choose.

// Statistics of a group's block.
typedef struct {
    pd_u64 least, most, first; // words
    pd_u64 sum;                // checksum
    pd_u64 bytes;              // of the bits of all groups
    pd_u32 mode, shift, step, size;
    pd_u32 all_as_one; // all groups have one width (FETCH)
    pd_u32 off;        // elements without a word
    pd_u32 is_one;     // all elements are equal
    pd_u32 next;       // 0, or why and with which scale the block is retried in another pass
} codec_choice;

// The width of a group: of `delta`, its folded differences, or of its largest word.
PD_FN pd_u32 codec_width(pd_u64 most, pd_u64 least, pd_u32 shift, pd_u32 step, pd_u32 delta)
{
    if (delta) return codec_length((most >> 1 >> step) << 1 | (most & 1u));
    return codec_length((codec_right(most, shift) - codec_right(least, shift)) >> step);
}

// The width of a group, with its largest word and its differences.
PD_FN pd_u32 codec_chosen_width(const codec_choice c, pd_u64 top, pd_u64 apart)
{
    if (c.mode == CODEC_CONSTANT) return 0u;
    if (c.mode == CODEC_PLAIN)
        return codec_width(c.all_as_one ? c.most : top, c.least, c.shift, c.step, 0u);
    return c.mode == CODEC_DELTA ? codec_width(apart, 0u, 0u, c.step, 1u) : CODEC_BITS;
}

// Combines what the items know of a block: its words, and their common bits.
PD_FN void codec_join_spreads(codec_choice *c, PD_LPTR(pd_u64) each, const codec_spread s,
                              pd_u32 block, pd_u32 n, pd_u32 kind)
{
    const pd_u64 bias = codec_bias(kind);
    pd_u64 bits = s.bits, magnitudes, differences;
    pd_u32 j;
    c->least = codec_all(each, (pd_u64)(pd_i64)s.lower + bias, CODEC_LEAST);
    c->most = codec_all(each, (pd_u64)(pd_i64)s.upper + bias, CODEC_MOST);
    // powers of 2 that divide all differences divide those of neighbours, and the reverse
    differences = codec_all(each, s.apart, CODEC_OR);
    c->step = codec_zeros(differences);
    for (j = CODEC_BITS; j < 64u; j *= 2u) bits |= bits >> j;
    magnitudes = codec_all(each, (codec_bare)bits & codec_fold_of(kind), CODEC_OR);
    c->sum = codec_all(each, s.sum, CODEC_ADD) + codec_sum_end((pd_u64)n * PD_CODEC_SIZE, block);
    c->shift = kind == CODEC_FLOAT && (pd_i64)c->least < 0 && (pd_i64)c->most >= 0
                   ? codec_zeros(magnitudes)
                   : 0u;
}

// Size of the bits: of words, or of differences if that is clearly smaller.
PD_FN void codec_choose_mode(codec_choice *c, PD_LPTR(pd_u64) each, PD_GPTR(const pd_u64) top,
                             PD_GPTR(const pd_u64) apart, pd_u32 n)
{
    pd_u64 plain = 0u, delta = 0u;
    pd_u32 g;
    for (g = PD_LID; g * CODEC_GROUP < n; g += 256u) {
        plain += codec_group_bytes(g, n,
                                   codec_width(c->all_as_one ? c->most : top[g], c->least, c->shift,
                                               c->shift ? 0u : c->step, 0u));
        delta += codec_group_bytes(g, n, codec_width(apart[g], 0u, 0u, c->step, 1u));
    }
    plain = codec_all(each, plain, CODEC_ADD);
    delta = codec_all(each, delta, CODEC_ADD);
    c->mode = !c->all_as_one && delta + 6u < plain ? CODEC_DELTA : CODEC_PLAIN;
    c->bytes = c->mode == CODEC_DELTA ? delta : plain;
    c->size = (pd_u32)c->bytes +
              (c->all_as_one ? 40u : 39u + (n + CODEC_GROUP - 1u) / CODEC_GROUP);
    if (c->mode == CODEC_DELTA) c->size += 6u;
}

// Cheaper alternatives: raw elements, or a single constant.
PD_FN void codec_choose_less(codec_choice *c, pd_u32 n)
{
    if (c->size >= n * PD_CODEC_SIZE + 9u) {
        c->mode = CODEC_RAW;
        c->size = n * PD_CODEC_SIZE + 9u;
        c->bytes = n * PD_CODEC_SIZE;
    }
    if (c->is_one && 22u <= n * PD_CODEC_SIZE + 9u) {
        c->mode = CODEC_CONSTANT;
        c->size = 22u;
        c->bytes = 0u;
    }
    if (c->mode != CODEC_PLAIN) c->shift = 0u;
    if (c->shift || c->mode < CODEC_PLAIN) c->step = 0u;
}

PD_FN void codec_note_choice(PD_GPTR(pd_u32) r, const codec_choice c)
{
    const pd_u64 first = c.mode == CODEC_PLAIN ? codec_right(c.least, c.shift) : c.first;
    r[CODEC_SIZE] = r[CODEC_AT] = c.size;
    r[CODEC_MODE] = c.mode;
    r[CODEC_SHIFT] = c.shift;
    r[CODEC_STEP] = c.step;
    r[CODEC_FIRST] = (pd_u32)first;
    r[CODEC_FIRST + 1u] = (pd_u32)(first >> 32);
    r[CODEC_SUM] = (pd_u32)c.sum;
    r[CODEC_SUM + 1u] = (pd_u32)(c.sum >> 32);
    r[CODEC_WIDTH] = codec_width(c.most, c.least, c.shift, c.step, 0u);
    r[CODEC_BYTES] = (pd_u32)c.bytes;
    r[CODEC_SCALE] = r[CODEC_OFF] = r[CODEC_OFF + 1u] = r[CODEC_OFF + 2u] = 0u;
    r[CODEC_FACTOR] = r[CODEC_FACTOR + 1u] = 0u;
}

// Input of `classes`.
PD_FN void codec_note_common(PD_GPTR(pd_u32) r, const codec_choice c)
{
    r[CODEC_AT + 1u] = c.shift | c.step << 8;
    r[CODEC_BODY] = (pd_u32)c.least;
    r[CODEC_BODY + 1u] = (pd_u32)(c.least >> 32);
}

// ---- which scale a block has

#if PD_CODEC_BOUND
// In local memory, as scalar registers are scarce. For all blocks:
#define CODEC_SCALES 23u  // words
#define CODEC_INVERSES 2u // of three scales and of none; f64: the only one
#define CODEC_SCALE_AT 6u // scales, and 0 for none
#define CODEC_MOSTS 10u   // largest elements of three scales
#define CODEC_OFF_ROOM 14u // most exceptions of a block
#define CODEC_TURNS 15u
#define CODEC_GROUPS 16u
#define CODEC_BEGIN 17u // the scale of the first pass
#define CODEC_ARRAY_AT 18u
#define CODEC_MOST_HIGH 21u
#define CODEC_MAY_CODE 22u
// Per block:
#define CODEC_WHICH 0u
#define CODEC_INSTEAD_AT 1u
#define CODEC_KNOWN 13u // result of the previous pass
#define CODEC_INSTEAD_LOW 20u // of f64, whose higher half is CODEC_INSTEAD_AT

PD_FN void codec_keep_scales(PD_LPTR(pd_u32) chosen, const padic_k_codec_stream_params k)
{
#if CODEC_WIDE
    chosen[CODEC_INVERSES] = k.wide_lo;
    chosen[CODEC_INVERSES + 1u] = k.wide_hi;
    chosen[CODEC_MOST_HIGH] = k.most_hi;
#else
    chosen[CODEC_INVERSES] = PD_AS_U32(k.inverse0);
    chosen[CODEC_INVERSES + 1u] = PD_AS_U32(k.inverse1);
    chosen[CODEC_INVERSES + 2u] = PD_AS_U32(k.inverse2);
#endif
    chosen[CODEC_SCALE_AT] = PD_AS_U32(k.scale0);
    chosen[CODEC_SCALE_AT + 1u] = PD_AS_U32(k.scale1);
    chosen[CODEC_SCALE_AT + 2u] = PD_AS_U32(k.scale2);
    chosen[CODEC_INVERSES + 3u] = chosen[CODEC_SCALE_AT + 3u] = 0u;
    chosen[CODEC_MOSTS] = k.most0;
    chosen[CODEC_MOSTS + 1u] = k.most1;
    chosen[CODEC_MOSTS + 2u] = k.most2;
    chosen[CODEC_OFF_ROOM] = k.fetch ? 0u : CODEC_OFF_MOST;
    chosen[CODEC_TURNS] = CODEC_ROUNDS * k.each / CODEC_SUMS;
    chosen[CODEC_GROUPS] = k.groups;
    chosen[CODEC_BEGIN] = k.bound;
    chosen[CODEC_ARRAY_AT] = k.array_lo;
    chosen[CODEC_MAY_CODE] = k.coded;
    chosen[CODEC_ARRAY_AT + 1u] = k.array_hi;
}

// In the first pass all blocks have the guessed scale, in others the retried ones have the scale
// that the previous pass found.
PD_FN void codec_keep_found(PD_LPTR(pd_u32) chosen, PD_GPTR(const pd_u32) found, pd_u32 again)
{
    chosen[CODEC_WHICH] = again ? found[CODEC_SCALE] : chosen[CODEC_BEGIN];
    chosen[CODEC_INSTEAD_AT] = again ? found[CODEC_FACTOR + 1u] : 0u;
#if CODEC_WIDE
    chosen[CODEC_INSTEAD_LOW] = again ? found[CODEC_FACTOR] : 0u;
#endif
    chosen[CODEC_KNOWN] = again ? found[CODEC_OFF + 2u] : 0u;
}

PD_FN codec_rule codec_scaled_rule(PD_LPTR(const pd_u32) chosen, pd_u32 which)
{
    codec_rule rule;
    rule.flip = codec_flip(CODEC_FLOAT);
    rule.fold = codec_fold_of(CODEC_FLOAT);
    rule.scale = PD_AS_F32(chosen[CODEC_SCALE_AT + which]);
#if CODEC_WIDE
    rule.instead = (codec_num)PD_U64(chosen[CODEC_INSTEAD_LOW], chosen[CODEC_INSTEAD_AT]);
    rule.inverse = PD_U64(chosen[CODEC_INVERSES], chosen[CODEC_INVERSES + 1u]);
    rule.highest = PD_U64(chosen[CODEC_MOSTS + 2u], chosen[CODEC_MOST_HIGH]);
#else
    rule.instead = (codec_num)chosen[CODEC_INSTEAD_AT];
    rule.inverse = PD_AS_F32(chosen[CODEC_INVERSES + which]);
    rule.highest = chosen[CODEC_MOSTS + 2u];
#endif
    if (which == CODEC_UNSCALED) rule.highest = CODEC_HIGHEST;
    return rule;
}

// The scale the block should have instead of the one used for reading; returns the number of
// exceptions.
PD_FN void codec_choose_scale(codec_choice *c, PD_LPTR(pd_u64) each, PD_LPTR(const pd_u32) chosen,
                              const codec_spread s, pd_u32 which, pd_u32 n)
{
    pd_u32 want = CODEC_UNSCALED;
    const codec_bare largest = (codec_bare)codec_all(each, s.largest, CODEC_MOST);
    c->off = (pd_u32)codec_all(each, s.off, CODEC_ADD);
    c->shift = 0u;
    (void)largest;
    if (c->off < n && c->off <= chosen[CODEC_OFF_ROOM])
#if CODEC_WIDE
        want = 0u;
#else
        want = largest > chosen[CODEC_MOSTS + 1u] ? 2u : largest > chosen[CODEC_MOSTS] ? 1u : 0u;
#endif
    if (want != which)
        c->next = CODEC_LEFT | want << 2;
    else if (c->off && chosen[CODEC_KNOWN] != (CODEC_LEFT | 2u))
        c->next = CODEC_LEFT | 2u | want << 2;
}

// Adds the size of the scale; the block gets none if that does not make it smaller.
PD_FN void codec_count_scale(codec_choice *c, pd_u32 n)
{
    const pd_u32 exceptions = c->off ? 24u + (PD_CODEC_SIZE + 4u) * c->off : 0u;
    c->size += 7u + exceptions;
    if (c->size >= PD_CODEC_SIZE * n + 9u &&
        (c->least != c->most || c->off || 22u > PD_CODEC_SIZE * n + 9u)) {
        if (!c->next) c->next = CODEC_LEFT | CODEC_UNSCALED << 2;
    }
    c->size -= exceptions; // `off` adds their size
}

// Stores the scale in the record, or the other scale for the next pass.
PD_FN void codec_note_scale(PD_GPTR(pd_u32) r, const codec_choice c, const codec_rule rule,
                            pd_u32 which)
{
    if (which < CODEC_UNSCALED && c.mode >= CODEC_PLAIN) {
#if CODEC_WIDE
        r[CODEC_FACTOR] = (pd_u32)rule.instead;
        r[CODEC_FACTOR + 1u] = (pd_u32)((pd_u64)rule.instead >> 32);
#else
        r[CODEC_FACTOR] = PD_AS_U32(rule.inverse);
        r[CODEC_FACTOR + 1u] = (pd_u32)rule.instead;
#endif
        r[CODEC_SCALE] = PD_AS_U32(rule.scale);
        r[CODEC_OFF] = c.off;
    }
    if (c.next) {
#if CODEC_WIDE
        r[CODEC_FACTOR] = (pd_u32)c.least;
        r[CODEC_FACTOR + 1u] = (pd_u32)(c.least >> 32);
#else
        r[CODEC_FACTOR + 1u] = (pd_u32)c.least;
#endif
        r[CODEC_SCALE] = c.next >> 2;
        r[CODEC_OFF + 2u] = c.next & 3u;
    }
}

#define CODEC_OF_PARAMS(at, field) chosen[at]
#define CODEC_ARRAY PD_U64(chosen[CODEC_ARRAY_AT], chosen[CODEC_ARRAY_AT + 1u])
#else
#define CODEC_OF_PARAMS(at, field) (field)
#define CODEC_ARRAY PD_U64(k.array_lo, k.array_hi)
#endif

// Reads the elements of a block, from `key` on, in rounds of several tiles, not to be unrolled.
// top, apart: of its groups. The other arrays are used only if items are not warps.
PD_FN void codec_read_block(codec_spread *s, PD_GPTR(const codec_key) keys,
                            PD_GPTR(const pd_u64) pairs, PD_GPTR(pd_u64) top,
                            PD_GPTR(pd_u64) apart, PD_LPTR(codec_bare) one,
                            PD_LPTR(codec_bare) two, PD_LPTR(pd_u8) signs, pd_u64 base, pd_u32 n,
                            pd_u32 turns, pd_u64 key, pd_u32 kind, const codec_rule rule)
{
    const pd_u32 l = PD_LID;
    pd_u32 tile = 0u, round;
#if CODEC_BY_WARP
    (void)one;
    (void)two;
    (void)signs;
#endif
    while (tile < n) {
#if !CODEC_BY_WARP
        const pd_u32 from = tile;
#endif
        for (round = 0u; round < turns; round++) {
            const codec_near t =
                codec_read_item(s, keys, pairs, base, tile + l * CODEC_EACH, n, key, rule);
#if CODEC_BY_WARP
            codec_put_group(top, apart, t, tile + l * CODEC_EACH, n, kind);
#else
            one[256u * round + l] = (codec_bare)t.high;
            two[256u * round + l] = t.apart;
            signs[256u * round + l] = (pd_u8)t.sign;
#endif
            tile += CODEC_TILE;
            key += CODEC_TILE / CODEC_PER * CODEC_GOLDEN;
        }
#if !CODEC_BY_WARP
        codec_put_groups(top, apart, one, two, signs, from, n, kind);
#endif
    }
}

// top, apart: for each group its largest word and its folded differences, or-ed.
PD_KERNEL_MIN(padic_k_codec_measure, PD_CODEC_WG, PD_CODEC_MEASURERS)
(PD_CBUF(codec_key, keys), PD_CBUF(pd_u64, pairs), PD_BUF(pd_u64, top), PD_BUF(pd_u64, apart),
 PD_BUF(pd_u8, width), PD_BUF(pd_u32, record), PD_PARAMS(padic_k_codec_stream_params, k))
{
    PD_LOCAL codec_bare one[CODEC_BY_WARP ? 1u : CODEC_ROUNDS * 256u];
    PD_LOCAL codec_bare two[CODEC_BY_WARP ? 1u : CODEC_ROUNDS * 256u];
    PD_LOCAL pd_u8 signs[CODEC_BY_WARP ? 1u : CODEC_ROUNDS * 256u];
    PD_LOCAL pd_u64 each[256];
#if PD_CODEC_BOUND
    PD_LOCAL pd_u32 chosen[CODEC_SCALES];
#endif
    const pd_u32 l = PD_LID, kind = PD_CODEC_BOUND ? CODEC_FLOAT : k.kind;
    // CODEC_ROUNDS, not to be unrolled
    const pd_u32 rounds = CODEC_ROUNDS * k.each / CODEC_SUMS;
    pd_u32 block;
#if PD_CODEC_BOUND
    (void)rounds;
    if (l == 0u) codec_keep_scales(chosen, k);
    PD_BARRIER();
#endif
    for (block = PD_GRP; block < k.blocks; block += PD_NGRP) {
        const pd_u64 base = CODEC_ARRAY + codec_start(block, k);
        const pd_u32 n = codec_count(block, k);
        const pd_u64 own = (pd_u64)block * CODEC_OF_PARAMS(CODEC_GROUPS, k.groups);
        PD_GPTR(pd_u32) r = record + (pd_u64)block * CODEC_RECORD;
        codec_choice c;
        codec_spread s;
        codec_rule rule;
        codec_num y0;
        pd_u32 g;
#if PD_CODEC_BOUND
        pd_u32 which;
        if (k.writing && r[CODEC_OFF + 2u] == 0u) continue;
        if (l == 0u) codec_keep_found(chosen, r, k.writing);
        PD_BARRIER();
        which = chosen[CODEC_WHICH];
        rule = codec_scaled_rule(chosen, which);
#else
        rule = codec_rule_of(r, kind, k);
#endif
        y0 = codec_word_of(keys[base], rule);
        s = codec_spread_of(y0, keys[base], rule);
        codec_read_block(&s, keys, pairs, top + own, apart + own, one, two, signs, base, n,
                         CODEC_OF_PARAMS(CODEC_TURNS, rounds),
                         codec_seed(block) + l * CODEC_WORDS * CODEC_GOLDEN, kind, rule);
        c.first = (pd_u64)(pd_i64)y0 + codec_bias(kind);
        c.off = c.next = 0u;
        codec_join_spreads(&c, each, s, block, n, kind);
#if PD_CODEC_BOUND
        if (which < CODEC_UNSCALED) codec_choose_scale(&c, each, chosen, s, which, n);
        c.all_as_one = chosen[CODEC_OFF_ROOM] ? 0u : 1u;
#else
        c.all_as_one = k.fetch;
#endif
        if (l == 0u && CODEC_OF_PARAMS(CODEC_MAY_CODE, k.coded)) codec_note_common(r, c);
        PD_BARRIER_ALL(); // top and apart are complete
        codec_choose_mode(&c, each, top + own, apart + own, n);
        c.is_one = c.least == c.most ? 1u : 0u;
#if PD_CODEC_BOUND
        if (which < CODEC_UNSCALED) {
            codec_count_scale(&c, n);
            if (c.off) c.is_one = 0u;
        }
#endif
        codec_choose_less(&c, n);
#if PD_CODEC_BOUND
        if (which < CODEC_UNSCALED && c.mode == CODEC_CONSTANT)
            c.first = (pd_u64)(pd_i64)codec_number(codec_unscaled(y0, rule.scale), rule.flip,
                                                   rule.fold);
#endif
        if (l == 0u) {
            codec_note_choice(r, c);
#if PD_CODEC_BOUND
            codec_note_scale(r, c, rule, which);
#endif
        }
        for (g = l; g * CODEC_GROUP < n; g += 256u)
            width[own + g] = (pd_u8)codec_chosen_width(c, top[own + g], apart[own + g]);
        PD_BARRIER();
    }
}
