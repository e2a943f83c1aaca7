// narrow.cl: unpacks differences of few bits, the most common kind.

#if CODEC_NARROW
// Four differences of up to 16 bits each, and their sum.
PD_FN pd_u32 codec_four(pd_u32 d[4], pd_u64 bits, pd_u32 width, pd_u32 mask, pd_u32 sign)
{
    pd_u32 i;
    for (i = 0u; i < 4u; i++) {
        d[i] = ((pd_u32)bits >> 1 & mask) ^ (0u - ((pd_u32)bits & sign));
        bits >>= width;
    }
    return d[0] + d[1] + d[2] + d[3];
}

// The element of a word of 32 bits; `fold` as in codec_fold_of.
PD_FN pd_u32 codec_made(pd_u32 x, pd_u32 fold, pd_f32 scale)
{
#if PD_CODEC_BOUND
    if (scale != 0.0f) return codec_unscaled((pd_i32)x, scale);
#endif
    (void)scale;
    return x ^ (codec_sign(x) & fold);
}

// An item has two times four elements, aligned to pairs of words. In a tile of 2048:
#if PD_CODEC_SIZE == 4
#define CODEC_NARROW_FIRST (PD_LID / 32u * 256u + PD_LID % 32u * 4u)
#define CODEC_NARROW_FAR 128u // from the first to the fifth
#else
#define CODEC_NARROW_FIRST (PD_LID * 8u)
#define CODEC_NARROW_FAR 4u
#endif
#define CODEC_NARROW_WORD(i) ((i) + (PD_CODEC_SIZE == 4 ? (i) / 2u * 62u : 0u)) // from its first on

// The differences of an item's two times four elements; those from `left` of the tile on may have
// no bits.
PD_FN void codec_narrow_digits(pd_u32 d[8], pd_u32 *one, pd_u32 *two, PD_GPTR(const pd_u32) p,
                               pd_u32 bit, pd_u32 width, pd_u32 left)
{
    const pd_u32 team = PD_LID / 32u, mask = ((1u << width) - 1u) >> 1, sign = width ? 1u : 0u;
    pd_u32 at = CODEC_NARROW_FIRST % CODEC_GROUP, far_at = at + CODEC_NARROW_FAR;
    pd_u64 low, high;
    if (left < 2048u) {
        const pd_u32 here = left > team * CODEC_GROUP ? left - team * CODEC_GROUP : 0u;
        at = at < here ? at : here;
        far_at = far_at < here ? far_at : here;
    }
    low = codec_window(p, bit + at * width);
    high = codec_window(p, bit + far_at * width);
    *one = codec_four(d, low, width, mask, sign);
    *two = codec_four(d + 4, high, width, mask, sign);
}

// Prefix sums of an item's two times four differences; *all becomes the tile's total.
PD_FN void codec_narrow_sums(pd_u32 *one, pd_u32 *two, PD_LPTR(pd_u32) sums, pd_u32 *all)
{
    const pd_u32 lane = PD_LID % 32u, team = PD_LID / 32u;
    pd_u32 mine = PD_CODEC_SIZE == 4 ? *one : *one + *two, ahead, i, x; // mine: the inclusive sum
    for (i = 1u; i < 32u; i *= 2u) mine = PD_SUM_UP(mine, i);
    *one = mine - *one - (PD_CODEC_SIZE == 4 ? 0u : *two);
#if PD_CODEC_SIZE == 4
    ahead = PD_SHUFFLE(mine, 31u);
    mine = *two;
    for (i = 1u; i < 32u; i *= 2u) mine = PD_SUM_UP(mine, i);
    mine += ahead;
    *two = mine - *two;
#endif
    if (lane == 31u) sums[team] = mine;
    PD_BARRIER();
    x = sums[lane % 8u];
    for (i = 1u; i < 8u; i *= 2u) x = PD_SUM_UP_8(x, i);
    *all = PD_SHUFFLE(x, 7u);
    ahead = PD_SHUFFLE(x, (team - 1u) & 7u);
    if (team == 0u) ahead = 0u;
    *one += ahead;
    *two += ahead;
}

// Writes an item's words of a tile of which `left` elements exist. Returns its part of the
// checksum.
PD_FN pd_u64 codec_narrow_store(PD_GPTR(pd_u64) to, pd_u64 word[8u / CODEC_PER], pd_u32 left,
                                pd_u64 key)
{
    pd_u64 sum = 0u;
    pd_u32 i;
    if (left < 2048u) {
        for (i = 0u; i < 8u / CODEC_PER; i++) {
            const pd_u32 q = CODEC_NARROW_FIRST / CODEC_PER + CODEC_NARROW_WORD(i);
            if (q * CODEC_PER >= left) continue;
            if (left - q * CODEC_PER < CODEC_PER)
                word[i] &= ((pd_u64)1u << ((left - q * CODEC_PER) * CODEC_BITS & 63u)) - 1u;
            sum += codec_mix(word[i] ^ (key + CODEC_NARROW_WORD(i) * CODEC_GOLDEN));
            codec_set_word(to, 0u, q, left, word[i]);
        }
        return sum;
    }
    to += CODEC_NARROW_FIRST / CODEC_PER;
#if PD_CODEC_SIZE == 1
    to[0] = word[0];
#else
    PD_STORE_PAIR(to, word[0], word[1]);
#endif
#if PD_CODEC_SIZE == 4
    PD_STORE_PAIR(to + 64, word[2], word[3]);
#endif
    for (i = 0u; i < 8u / CODEC_PER; i++)
        sum += codec_mix(word[i] ^ (key + CODEC_NARROW_WORD(i) * CODEC_GOLDEN));
    return sum;
}

// A tile from differences of up to 16 bits, whose words have no more than 32; y is the word before
// it. `left` elements of the tile exist. Returns the item's part of the checksum; *all becomes the
// sum of the differences.
PD_FN pd_u64 codec_narrow_tile(PD_GPTR(pd_u64) to, PD_GPTR(const pd_u32) p, pd_u32 bit,
                               pd_u32 width, pd_u32 left, pd_u32 y, pd_u32 step, pd_u32 fold,
                               pd_f32 scale, pd_u64 key, PD_LPTR(pd_u32) sums, pd_u32 *all)
{
    pd_u64 word[8u / CODEC_PER];
    pd_u32 d[8], one, two, i, j, x;
    codec_narrow_digits(d, &one, &two, p, bit, width, left);
    codec_narrow_sums(&one, &two, sums, all);
    x = y + step * one;
    for (i = 0u; i < 8u / CODEC_PER; i++) {
        word[i] = 0u;
#if PD_CODEC_SIZE == 4
        if (i == 2u) x = y + step * two;
#endif
        for (j = 0u; j < CODEC_PER; j++) {
            x += step * d[i * CODEC_PER + j];
            word[i] |= (pd_u64)(codec_key)codec_made(x, fold, scale) << (j * (CODEC_BITS & 63u));
        }
    }
    return codec_narrow_store(to, word, left, key);
}

// The set of widths in a chunk's groups, one bit each. Begins and ends with a barrier.
PD_FN pd_u32 codec_widths(PD_LPTR(pd_u32) widths, PD_LPTR(const pd_u32) place)
{
    const pd_u32 w = place[PD_LID] & 127u;
    if (PD_LID == 0u) *widths = 1u;
    PD_BARRIER();
    if (w) PD_ATOMIC_OR_L(widths, 1u << (w < 31u ? w : 31u));
    PD_BARRIER();
    return *widths;
}

// The tiles of a chunk; *y: the word before the next one. 0: its words may be too large.
PD_FN pd_u32 codec_narrow_chunk(PD_GPTR(pd_u64) to, PD_GPTR(const pd_u32) p, pd_u32 lead,
                                PD_LPTR(const pd_u32) place, PD_LPTR(pd_u32) sums,
                                PD_LPTR(pd_u32) widths, pd_u32 chunk, pd_u32 end, pd_u32 n,
                                pd_u64 step, pd_u32 fold, pd_f32 scale, pd_u64 *key, pd_u64 *y,
                                pd_u64 *sum)
{
    const pd_u32 all_widths = codec_widths(widths, place);
    // bound on a tile's words relative to the one before it, and of that relative to 0
    const pd_u64 reach = step * 1024u << (31u - PD_CLZ(all_widths));
    pd_u64 limit = (pd_u64)1u << (scale != 0.0f ? 24u : 31u);
    pd_u32 from, turn = 0u;
    if (all_widths >> 17 || reach > limit) return 0u;
    limit -= reach;
    for (from = chunk; from < end; from += 2048u) {
        const pd_u32 spot = place[((from - chunk) / CODEC_GROUP + PD_LID / 32u) & 255u];
        pd_u32 all;
        if (*y + limit >= 2u * limit) return 0u;
        *sum += codec_narrow_tile(to, p, lead + (spot >> 7), spot & 127u, n - from, (pd_u32)*y,
                                  (pd_u32)step, fold, scale, *key, sums + turn, &all);
        *y += (pd_u64)((pd_i64)(pd_i32)all * (pd_i32)step);
        turn = 8u - turn;
        to += 2048u / CODEC_PER;
        *key += 2048u / CODEC_PER * CODEC_GOLDEN;
    }
    return 1u;
}
#endif

// Unpacks blocks of differences of up to 16 bits whose words have no more than 32, aligned to pairs
// of words of 64 bits. CODEC_STEP of the others' records becomes 1.
PD_KERNEL_MIN(padic_k_codec_narrow, PD_CODEC_WG, PD_CODEC_NARROW_GROUPS)
(PD_CBUF(pd_u32, stream), PD_BUF(pd_u32, record), PD_BUF(pd_u64, pairs), PD_BUF(pd_u32, status),
 PD_PARAMS(padic_k_codec_stream_params, k))
{
#if CODEC_NARROW
    PD_LOCAL pd_u64 each[288];
    PD_LOCAL pd_u64 part[36];
    PD_LOCAL pd_u32 place[256];
    PD_LOCAL pd_u32 sums[16];
    PD_LOCAL pd_u32 widths;
    pd_u32 block;
    if (status[2]) return;
    for (block = PD_GRP; block < k.blocks; block += PD_NGRP) {
        PD_GPTR(pd_u32) r = record + (pd_u64)block * CODEC_RECORD;
        const pd_u64 base = PD_U64(k.array_lo, k.array_hi) + codec_start(block, k);
        const pd_u32 n = codec_count(block, k);
        const pd_u64 step = PD_U64(r[CODEC_FACTOR], r[CODEC_FACTOR + 1u]);
        const pd_u32 fold = codec_fold_of(PD_CODEC_BOUND ? CODEC_FLOAT : k.kind);
        const pd_f32 scale = PD_AS_F32(r[CODEC_SCALE]);
        pd_u64 at = PD_U64(k.packed_lo, k.packed_hi) + PD_U64(r[CODEC_BODY], r[CODEC_BODY + 1u]);
        pd_u64 sum = 0u, y = PD_U64(r[CODEC_FIRST], r[CODEC_FIRST + 1u]); // the word before a tile
        pd_u64 key = codec_seed(block) + CODEC_NARROW_FIRST / CODEC_PER * CODEC_GOLDEN;
        pd_u32 left = r[CODEC_BYTES], again = 0u, chunk; // left: bytes of bits remaining
        if (r[CODEC_MODE] != CODEC_DELTA || r[CODEC_WIDTH] == CODEC_CODED) continue;
        if (base % CODEC_PER || r[CODEC_SHIFT] || step >> 22 ||
            !PD_PAIRED(pairs + base / CODEC_PER))
            again = 1u;
        for (chunk = 0u; chunk < n && !again; chunk += 256u * CODEC_GROUP) {
            const pd_u32 end = n - chunk < 256u * CODEC_GROUP ? n : chunk + 256u * CODEC_GROUP;
            const pd_u64 total = codec_places(stream, r, PD_U64(k.packed_lo, k.packed_hi), n,
                                              chunk / CODEC_GROUP, 4u, each, part, place);
            if (total > left || !codec_narrow_chunk(pairs + (base + chunk) / CODEC_PER,
                                                    stream + (at >> 2), (pd_u32)(at & 3u) * 8u,
                                                    place, sums, &widths, chunk, end, n, step, fold,
                                                    scale, &key, &y, &sum)) {
                again = 1u;
                break;
            }
            at += total;
            left -= (pd_u32)total;
        }
        codec_end_block(r, status, each, sum, block, n, left, again);
        PD_BARRIER();
    }
#else // `remainder` does them, and this is not launched
    (void)stream;
    (void)record;
    (void)pairs;
    (void)status;
    (void)k;
#endif
}
