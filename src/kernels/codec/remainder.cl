// remainder.cl: unpacks the remaining blocks: differences, and unusual ones.

#if CODEC_SHORT || !PD_HAS_WARPS
// The sum of an item's differences, one after the other. `each`: their number, not to be unrolled;
// most: its last element, or the last one of the block.
PD_FN pd_u64 codec_sum_slowly(PD_GPTR(const pd_u32) p, pd_u32 bit, pd_u32 w, pd_u32 most,
                              pd_u32 each)
{
    pd_u64 x = 0u;
    pd_u32 j;
    for (j = 0u; j < each; j++) x += codec_unfold(codec_digit_at(p, bit, j < most ? j : most, w));
    return x;
}

// An item's elements, one after the other, in local memory.
PD_FN void codec_make_slowly(PD_LPTR(codec_key) element, PD_GPTR(const pd_u32) p, pd_u32 bit,
                             pd_u32 w, pd_u64 x, pd_u32 e, pd_u32 n, pd_u32 each, pd_u64 *wild,
                             const codec_maker m)
{
    const pd_u32 most = e < n ? n - 1u - e : 0u;
    pd_u32 j;
    for (j = 0u; j < each; j++) {
        const pd_u64 z = e < n ? codec_digit_at(p, bit, j < most ? j : most, w) : 0u;
        pd_u64 y;
        if (m.mode == CODEC_DELTA) x += codec_unfold(z);
        y = m.first + m.step * (m.mode == CODEC_DELTA ? x : z);
        element[CODEC_PLACE(j)] = codec_make_one(y, e + j < n ? 1u : 0u, wild, m);
    }
}
#endif

#if CODEC_QUICK
// An item's differences of up to 16, or up to 24 bits, all of which exist.
PD_FN void codec_quick_digits(pd_u32 d[CODEC_EACH], PD_GPTR(const pd_u32) p, pd_u32 bit, pd_u32 w)
{
    const pd_u32 mask = (1u << (w & 31u)) - 1u;
    pd_u32 i, j;
    if (w <= 16u) {
        for (i = 0u; i < CODEC_EACH; i += 4u) {
            const pd_u64 y = codec_window(p, bit + i * w);
            for (j = 0u; j < 4u; j++) d[i + j] = (pd_u32)(y >> (j * w)) & mask;
        }
    } else {
        for (i = 0u; i < CODEC_EACH; i += 2u) {
            const pd_u64 y = codec_window(p, bit + i * w);
            for (j = 0u; j < 2u; j++) d[i + j] = (pd_u32)(y >> (j * w)) & mask;
        }
    }
}

// Unfolds them. Returns their sum.
PD_FN pd_u32 codec_unfold_all(pd_u32 d[CODEC_EACH])
{
    pd_u32 all = 0u, i;
    for (i = 0u; i < CODEC_EACH; i++) {
        d[i] = d[i] >> 1 ^ (0u - (d[i] & 1u));
        all += d[i];
    }
    return all;
}
#endif

// Decodes a tile to local memory, an item's elements from e on, whose digits have w bits each and
// start at bit `bit`. *sum: of the earlier differences, then including these. `slim`: none of the
// chunk has more than CODEC_SLIM_MOST bits. Sums of items are in `part` and `sums`, which tiles use
// in turn.
#if !PD_HAS_WARPS
PD_FN void codec_diff_tile(PD_LPTR(pd_u64) tile, PD_LPTR(pd_u64) each, PD_LPTR(pd_u64) part,
                           PD_LPTR(pd_u32) sums, pd_u32 turn, PD_GPTR(const pd_u32) p, pd_u32 bit,
                           pd_u32 w, pd_u32 e, pd_u32 n, pd_u32 slim, pd_u32 count, pd_u64 *sum,
                           pd_u64 *wild, const codec_maker m)
{
    PD_LPTR(codec_key) element = (PD_LPTR(codec_key))tile;
    pd_u64 x = 0u;
#if CODEC_QUICK
    const pd_u32 quick =
        m.mode == CODEC_DELTA && m.shift == 0u && w <= 24u && e + CODEC_EACH <= n ? 1u : 0u;
    pd_u32 d[CODEC_EACH];
    if (quick) {
        codec_quick_digits(d, p, bit, w);
        x = (pd_u64)(pd_i64)(pd_i32)codec_unfold_all(d);
    } else
#endif
        if (m.mode == CODEC_DELTA && e < n)
        x = codec_sum_slowly(p, bit, w, n - 1u - e, count);
    if (m.mode == CODEC_DELTA) {
        CODEC_AGAIN(); // sums of the previous tile were read
        x = codec_before(each, part + turn, x) + *sum;
        *sum += CODEC_TOTAL(part + turn);
    }
    (void)slim;
    (void)sums;
#if CODEC_QUICK
    if (quick && codec_tame(m.first + m.step * x, m.step, w, m.scale)) {
        codec_make(tile, d, (pd_u32)(m.first + m.step * x), (pd_u32)m.step, 1u, 0u, m.keep,
                   m.scale);
        return;
    }
#endif
    codec_make_slowly(element, p, bit, w, x, e, n, count, wild, m);
}
#elif CODEC_SHORT
// An item's differences of up to 20 bits, and their sum; 0 past the block's end.
PD_FN pd_u32 codec_slim_digits(pd_u32 d[8], PD_GPTR(const pd_u32) p, pd_u32 bit, pd_u32 w,
                               pd_u32 e, pd_u32 n)
{
    const pd_u32 mask = (1u << (w & 31u)) - 1u;
    pd_u32 i;
    if (e + 8u <= n && w <= 16u) {
        pd_u64 y0 = codec_window(p, bit), y1 = codec_window(p, bit + 4u * w);
        for (i = 0u; i < 4u; i++) {
            d[i] = (pd_u32)y0 & mask;
            d[i + 4u] = (pd_u32)y1 & mask;
            y0 >>= w;
            y1 >>= w;
        }
    } else if (e + 8u <= n) {
        for (i = 0u; i < 8u; i += 2u) {
            const pd_u64 y = codec_window(p, bit + i * w);
            d[i] = (pd_u32)y & mask;
            d[i + 1u] = (pd_u32)(y >> w) & mask;
        }
    } else {
        for (i = 0u; i < 8u; i++) d[i] = e + i < n ? (pd_u32)codec_digit_at(p, bit, i, w) : 0u;
    }
    return codec_unfold_all(d);
}

PD_FN void codec_diff_tile(PD_LPTR(pd_u64) tile, PD_LPTR(pd_u64) each, PD_LPTR(pd_u64) part,
                           PD_LPTR(pd_u32) sums, pd_u32 turn, PD_GPTR(const pd_u32) p, pd_u32 bit,
                           pd_u32 w, pd_u32 e, pd_u32 n, pd_u32 slim, pd_u32 count, pd_u64 *sum,
                           pd_u64 *wild, const codec_maker m)
{
    const pd_u32 quick =
        slim && m.shift == 0u && m.step >> 32 == 0u && e + 8u <= n ? 1u : 0u;
    pd_u64 x = 0u, all;
    pd_u32 d[8], every;
    (void)each;
    if (slim) {
        x = (pd_u64)(pd_i64)(pd_i32)codec_tile_before32(
                sums + turn, codec_slim_digits(d, p, bit, w, e, n), &every) +
            *sum;
        *sum += (pd_u64)(pd_i64)(pd_i32)every;
    } else if (m.mode == CODEC_DELTA) {
        if (e < n) x = codec_sum_slowly(p, bit, w, n - 1u - e, count);
        x = codec_tile_before(part + 36u + turn, x, &all) + *sum;
        *sum += all;
    }
    if (quick && codec_tame(m.first + m.step * x, m.step, w, m.scale))
        codec_make(tile, d, (pd_u32)(m.first + m.step * x), (pd_u32)m.step, 1u, 0u, m.keep,
                   m.scale);
    else
        codec_make_slowly((PD_LPTR(codec_key))tile, p, bit, w, x, e, n, count, wild, m);
}
#else
PD_FN void codec_diff_tile(PD_LPTR(pd_u64) tile, PD_LPTR(pd_u64) each, PD_LPTR(pd_u64) part,
                           PD_LPTR(pd_u32) sums, pd_u32 turn, PD_GPTR(const pd_u32) p, pd_u32 bit,
                           pd_u32 w, pd_u32 e, pd_u32 n, pd_u32 slim, pd_u32 count, pd_u64 *sum,
                           pd_u64 *wild, const codec_maker m)
{
    const pd_u64 mask = w < 64u ? ((pd_u64)1u << w) - 1u : ~(pd_u64)0u;
    pd_u64 d[8], window = 0u, x = 0u, all;
    pd_u32 i;
    (void)each;
    (void)sums;
    (void)slim;
    (void)count;
    for (i = 0u; i < 8u; i++) {
        if (w > 16u ? w > 32u || i % 2u == 0u : i % 4u == 0u)
            window = e + i < n ? codec_window(p, bit + i * w) : 0u;
        d[i] = e + i < n ? window & mask : 0u;
        window >>= w & 63u;
        if (m.mode == CODEC_DELTA) d[i] = codec_unfold(d[i]);
        x += d[i];
    }
    if (m.mode == CODEC_DELTA) {
        x = codec_tile_before(part + 36u + turn, x, &all) + *sum;
        *sum += all;
    }
    for (i = 0u; i < 8u; i++) {
        pd_u64 y;
        if (m.mode == CODEC_DELTA) x += d[i];
        y = m.first + m.step * (m.mode == CODEC_DELTA ? x : d[i]);
        tile[CODEC_SPREAD(8u * PD_LID + i)] = codec_make_one(y, e + i < n ? 1u : 0u, wild, m);
    }
}
#endif

PD_KERNEL_MIN(padic_k_codec_remainder, PD_CODEC_WG, PD_CODEC_REMAINDER_GROUPS)
(PD_CBUF(pd_u32, stream), PD_CBUF(pd_u32, record), PD_BUF(pd_u64, pairs), PD_BUF(pd_u32, status),
 PD_PARAMS(padic_k_codec_stream_params, k))
{
    PD_LOCAL pd_u64 each[288];
    PD_LOCAL pd_u64 part[72];
    PD_LOCAL pd_u32 place[256];
    PD_LOCAL pd_u32 held[CODEC_RECORD]; // local, as scalar registers are scarce
    PD_LOCAL pd_u64 tile[CODEC_SPREAD(CODEC_LOT_TILE / CODEC_PER)];
    PD_LOCAL pd_u32 sums[16];
    const pd_u32 l = PD_LID, count = k.each * (CODEC_EACH / CODEC_SUMS); // not to be unrolled
    pd_u32 block;
    if (!(status[1] & CODEC_SOME_LEFT)) return;
    for (block = PD_GRP; block < k.blocks; block += PD_NGRP) {
        PD_GPTR(const pd_u32) r = record + (pd_u64)block * CODEC_RECORD;
        const pd_u64 base = PD_U64(k.array_lo, k.array_hi) + codec_start(block, k);
        const pd_u32 n = codec_count(block, k);
        pd_u64 key = codec_first_key(block), sum = 0u, own_sum = 0u, wild = 0u;
        pd_u64 at = PD_U64(k.packed_lo, k.packed_hi) + PD_U64(r[CODEC_BODY], r[CODEC_BODY + 1u]);
        pd_u32 left = r[CODEC_BYTES], turn, chunk, from; // left: bytes of bits remaining
        codec_maker m;
        if (r[CODEC_STEP] != 1u) continue;
        if (l < CODEC_RECORD) held[l] = r[l];
        PD_BARRIER();
        m = codec_maker_of(held, k.kind);
        for (chunk = 0u; chunk < n; chunk += 256u * CODEC_GROUP) {
            const pd_u32 end =
                n - chunk < 256u * CODEC_GROUP ? n : chunk + 256u * CODEC_GROUP;
            const pd_u64 total = codec_places(stream, r, PD_U64(k.packed_lo, k.packed_hi), n,
                                              chunk / CODEC_GROUP, PD_HAS_WARPS ? CODEC_SLIM : 4u,
                                              each, part, place);
            const pd_u32 slim = m.mode == CODEC_DELTA && (total >> 32) == 0u ? 1u : 0u;
            if (total >> 48 || (pd_u32)total > left) {
                left = 1u; // not 0, the required final value
                break;
            }
            turn = PD_HAS_WARPS ? 0u : 36u; // those of the places may still be read
            for (from = chunk; from < end; from += CODEC_LOT_TILE) {
                const pd_u32 e = from + l * CODEC_LOT;
                const pd_u32 spot = place[((e - chunk) / CODEC_GROUP) & 255u], w = spot & 127u;
                const pd_u32 bit = (pd_u32)(at & 3u) * 8u + (spot >> 7) +
                                   e % CODEC_GROUP * w; // of the item's first digit
                codec_diff_tile(tile, each, part, sums, turn, stream + (at >> 2), bit, w, e, n,
                                slim, count, &sum, &wild, m);
                turn = (PD_HAS_WARPS ? 8u : 36u) - turn;
                own_sum += codec_store_tile(pairs, tile, base, from, n, &key);
            }
            at += (pd_u32)total;
            left -= (pd_u32)total;
        }
        sum = codec_all(each, own_sum, CODEC_ADD) +
              codec_sum_end((pd_u64)n * PD_CODEC_SIZE, block);
#if PD_CODEC_BOUND
        if (codec_all(each, wild, CODEC_OR)) left = 1u;
#endif
        if (l == 0u &&
            (left || (!codec_has_off(r) && sum != PD_U64(r[CODEC_SUM], r[CODEC_SUM + 1u]))))
            codec_bad(status, block);
        PD_BARRIER();
    }
}
