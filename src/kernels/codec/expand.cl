// expand.cl: unpacks coded blocks, from their tokens and plain bits.

// The word of a token whose plain bits begin with bit `at`.
PD_FN pd_u64 codec_value(PD_GPTR(const pd_u32) stream, pd_u32 token, pd_u64 at)
{
    const pd_u32 extra = codec_extra(token);
    return ((pd_u64)(token - 4u * extra) << extra) + codec_bits(stream, at, extra);
}

#if PD_HAS_WARPS
// An item's digits, from their tokens (low, high: plain bits of each) and the plain bits from bit
// `at` on; their sum. Those of differences (`delta`: 1, else 0) are unfolded.
#if CODEC_SHORT // each has at most 16 plain bits, or anything comes out
PD_FN pd_u32 codec_digits_of(pd_u32 d[8], PD_GPTR(const pd_u32) p, pd_u32 at, pd_u64 some,
                             pd_u32 low, pd_u32 high, pd_u32 delta)
{
    const pd_u32 leads[2] = {(pd_u32)some - (low << 2), (pd_u32)(some >> 32) - (high << 2)};
    pd_u64 window = codec_window(p, at), other = codec_window(p, at + codec_bytes_sum(low));
    pd_u32 sum = 0u, i;
    for (i = 0u; i < 8u; i++) {
        const pd_u32 lead = leads[i / 4u] >> (8u * (i & 3u)) & 255u;
        const pd_u32 extra = (i < 4u ? low : high) >> (8u * (i & 3u)) & 255u;
        pd_u32 z;
        if (i == 4u) window = other;
        z = lead * (1u << extra) + ((pd_u32)window & ((1u << extra) - 1u));
        window >>= extra;
        d[i] = z >> delta;
        if (z & delta) d[i] = ~d[i];
        sum += d[i];
    }
    return sum;
}
#else // widest: of those of the block
PD_FN pd_u64 codec_digits_of(pd_u64 d[8], PD_GPTR(const pd_u32) p, pd_u32 at, pd_u64 some,
                             pd_u32 low, pd_u32 high, pd_u32 delta, pd_u32 widest)
{
    const pd_u32 few = widest > 32u ? 0u : widest > 16u ? 1u : 3u; // of a window, less 1
    pd_u64 window = 0u, sum = 0u;
    pd_u32 i;
    for (i = 0u; i < 8u; i++) {
        const pd_u32 t = (pd_u32)(some >> (8u * i)) & 255u;
        const pd_u32 extra = ((i < 4u ? low : high) >> (8u * (i & 3u))) & 255u;
        if ((i & few) == 0u) window = codec_window(p, at);
        d[i] = (pd_u64)(t - 4u * extra) << extra | (window & (((pd_u64)1u << extra) - 1u));
        window >>= extra;
        at += extra;
        if (delta) d[i] = codec_unfold(d[i]);
        sum += d[i];
    }
    return sum;
}
#endif
#endif

PD_KERNEL_MIN(padic_k_codec_expand, PD_CODEC_WG, PD_CODEC_EXPANDERS)
(PD_CBUF(pd_u32, stream), PD_CBUF(pd_u32, record), PD_CBUF(pd_u32, tokens), PD_BUF(pd_u64, pairs),
 PD_BUF(pd_u32, status), PD_PARAMS(padic_k_codec_stream_params, k))
{
    PD_LOCAL pd_u64 each[288];
    PD_LOCAL pd_u64 part[72];
    PD_LOCAL pd_u32 held[CODEC_RECORD + 2u]; // as (scalar) registers are few
#if PD_HAS_WARPS
    PD_LOCAL pd_u64 tile[CODEC_SPREAD(2048u / CODEC_PER)];
    PD_LOCAL pd_u32 begins[257]; // bit where a group's plain bits begin, from a chunk's word on
#if CODEC_SHORT
    PD_LOCAL pd_u32 sums[16];
#endif
#else
    PD_LOCAL pd_u64 tile[CODEC_SPREAD(CODEC_TILE / CODEC_PER)];
#endif
#if CODEC_SHORT || !PD_HAS_WARPS
    PD_LPTR(codec_key) element = (PD_LPTR(codec_key))tile;
#endif
    const pd_u32 l = PD_LID, each_digit = k.each * (CODEC_EACH / CODEC_SUMS); // not unrolled
    pd_u32 block;
    for (block = PD_GRP; block < k.blocks; block += PD_NGRP) {
        PD_GPTR(const pd_u32) r = record + (pd_u64)block * CODEC_RECORD;
        PD_GPTR(const pd_u8) token = (PD_GPTR(const pd_u8))tokens + codec_start(block, k);
        const pd_u64 base = PD_U64(k.array_lo, k.array_hi) + codec_start(block, k);
        const pd_u32 n = codec_count(block, k);
        const pd_u32 whole = codec_start(block, k) % 4u == 0u ? 1u : 0u;
#if PD_HAS_WARPS
        pd_u64 key = CODEC_KEY_8(block);
#else
        const pd_u64 key = codec_seed(block) + l * CODEC_GOLDEN;
#endif
        pd_u64 bit = 8u * (PD_U64(k.packed_lo, k.packed_hi) +
                           PD_U64(r[CODEC_BODY], r[CODEC_BODY + 1u]));
        pd_u64 left = 8u * (pd_u64)r[CODEC_BYTES]; // plain bits
        pd_u64 sum = 0u, own_sum = 0u;
#if CODEC_SHORT || !PD_HAS_WARPS
        pd_u64 step;
#endif
#if !PD_HAS_WARPS
        pd_u64 first;
#endif
#if CODEC_QUICK
        const pd_u32 keep = ~(pd_u32)codec_fold_of(PD_CODEC_BOUND ? CODEC_FLOAT : k.kind);
#endif
        pd_u32 from, j, mode, shift, most = 0u; // most: plain bits of one word
#if PD_HAS_WARPS
        pd_u32 chunk, turn = 0u, above = 0u;
        pd_u64 next;
#if CODEC_SHORT
        pd_u64 limit, reach;
        pd_u32 slim;
#endif
#endif
#if PD_CODEC_BOUND
        pd_f32 scale;
#endif
        if (r[CODEC_MODE] == CODEC_BAD || r[CODEC_WIDTH] != CODEC_CODED) continue;
        if (l < CODEC_RECORD) held[l] = r[l];
        PD_BARRIER();
        mode = held[CODEC_MODE];
        shift = held[CODEC_SHIFT];
#if CODEC_SHORT || !PD_HAS_WARPS
        step = PD_U64(held[CODEC_FACTOR], held[CODEC_FACTOR + 1u]);
#endif
#if !PD_HAS_WARPS
        first = PD_U64(held[CODEC_FIRST], held[CODEC_FIRST + 1u]);
#endif
#if PD_CODEC_BOUND
        scale = PD_AS_F32(held[CODEC_SCALE]);
#endif
#if PD_HAS_WARPS
#if CODEC_SHORT
        // How large the first word of an item may be, where none can have more than 32 bits; or 0.
        limit = (pd_u64)1u << (CODEC_SCALE_HERE != 0.0f ? 24u : 31u);
        reach = held[CODEC_SIZE] <= 16u && shift < 32u && step >> 32 == 0u
                    ? step * 8u << (held[CODEC_SIZE] + 3u)
                    : limit;
        if (l == 0u) held[CODEC_RECORD] = reach < limit ? (pd_u32)(limit - reach) : 0u;
        PD_BARRIER();
        slim = held[CODEC_RECORD];
#endif
        for (chunk = 0u; chunk < n; chunk += 256u * CODEC_GROUP) {
            const pd_u32 end = n - chunk < 256u * CODEC_GROUP ? n : chunk + 256u * CODEC_GROUP;
            PD_GPTR(const pd_u32) p = stream + (bit >> 5);
            codec_begins(token, whole, chunk, n, (pd_u32)bit & 31u, each, part, begins);
            j = begins[256] - ((pd_u32)bit & 31u);
            if (j > left) {
                left = 8u; // more than what fills up a byte
                break;
            }
            left -= j;
            bit += j;
            next = codec_eight_tokens(token, whole, chunk + 8u * l, n);
            for (from = chunk; from < end; from += 2048u) {
                const pd_u32 e = from + 8u * l;
                const pd_u64 some = next;
                pd_u32 low = codec_extras((pd_u32)some), high = codec_extras((pd_u32)(some >> 32));
                pd_u32 at = codec_bytes_sum(low) + codec_bytes_sum(high), own = at, i;
                codec_bare d[8];
                pd_u64 x = 0u, all, first_here, step_here;
                for (i = 1u; i < 32u; i *= 2u) own = PD_SUM_UP(own, i);
                at = begins[(from - chunk) / CODEC_GROUP + l / 32u] + own - at;
                next = codec_eight_tokens(token, whole, e + 2048u, n); // asked for early
                i = 0x01010101u * (127u - (held[CODEC_SIZE] & 63u));
                above |= (low + i) | (high + i); // its bits 7, 15, 23, 31
#if CODEC_SHORT
                if (slim) {
                    low &= 0x1f1f1f1fu; // no shift is larger, whatever a token is
                    high &= 0x1f1f1f1fu;
                }
                if (slim) {
                    pd_u32 total;
                    const pd_u32 sum_here = codec_digits_of(
                        d, p, at, some, low, high, mode == CODEC_DELTA ? 1u : 0u);
                    if (mode == CODEC_DELTA) {
                        x = (pd_u64)(pd_i64)(pd_i32)codec_tile_before32(sums + turn, sum_here,
                                                                        &total) + sum;
                        sum += (pd_u64)(pd_i64)(pd_i32)total;
                    }
                } else if (mode == CODEC_DELTA) {
                    pd_u32 behind = at;
                    for (j = 0u; j < each_digit; j++) {
                        const pd_u32 t = (pd_u32)(some >> (8u * j)) & 255u;
                        x += codec_unfold(codec_value(p, t, behind));
                        behind += codec_extra(t);
                    }
                    x = codec_tile_before(part + 36u + turn, x, &all) + sum;
                    sum += all;
                }
                first_here = PD_U64(held[CODEC_FIRST], held[CODEC_FIRST + 1u]);
                step_here = PD_U64(held[CODEC_FACTOR], held[CODEC_FACTOR + 1u]);
                own = held[CODEC_RECORD];
                if (own && e + 8u <= n && first_here + step_here * x + own < 2u * (pd_u64)own) {
                    codec_make(tile, d, (pd_u32)(first_here + step_here * x), (pd_u32)step_here,
                               mode == CODEC_DELTA ? 1u : 0u, shift, keep, CODEC_SCALE_HERE);
                } else {
                    for (j = 0u; j < each_digit; j++) {
                        const pd_u32 t = (pd_u32)(some >> (8u * j)) & 255u;
                        pd_u64 z = codec_value(p, t, at);
                        at += codec_extra(t);
                        if (mode == CODEC_DELTA) {
                            x += codec_unfold(z);
                            z = x;
                        }
#if PD_CODEC_BOUND
                        if (scale != 0.0f) {
                            z = first_here + step_here * z;
                            if (e + j < n && codec_wild(z)) most = 64u;
                            z = codec_unscaled((codec_num)z, scale);
                        } else
#endif
                            z = codec_element(z, first_here, step_here, CODEC_PLAIN, shift, k.kind);
                        element[CODEC_SPREAD((8u * l + j) / CODEC_PER) * CODEC_PER +
                                (8u * l + j) % CODEC_PER] = (codec_key)(e + j < n ? z : 0u);
                    }
                }
#else
                (void)each_digit;
                x = codec_digits_of(d, p, at, some, low, high, mode == CODEC_DELTA ? 1u : 0u,
                                    held[CODEC_SIZE]);
                if (mode == CODEC_DELTA) {
                    x = codec_tile_before(part + 36u + turn, x, &all) + sum;
                    sum += all;
                }
                first_here = PD_U64(held[CODEC_FIRST], held[CODEC_FIRST + 1u]);
                step_here = PD_U64(held[CODEC_FACTOR], held[CODEC_FACTOR + 1u]);
                for (i = 0u; i < 8u; i++) {
                    pd_u64 z = d[i];
                    if (mode == CODEC_DELTA) {
                        x += z;
                        z = x;
                    }
#if PD_CODEC_BOUND
                    if (scale != 0.0f) {
                        z = first_here + step_here * z;
                        if (e + i < n && codec_wild(z)) most = 64u;
                        z = codec_unscaled((codec_num)z, scale);
                    } else
#endif
                        z = codec_element(z, first_here, step_here, CODEC_PLAIN, shift, k.kind);
                    tile[CODEC_SPREAD(8u * l + i)] = e + i < n ? z : 0u;
                }
#endif
                turn = 8u - turn;
                PD_BARRIER_WARP();
                own_sum += codec_store_8(pairs, tile, base, from, n, key);
                key += CODEC_NEXT_8;
                PD_BARRIER_WARP();
            }
            PD_BARRIER(); // the begins were read
        }
        if (above & 0x80808080u) most = 64u;
#else
        for (from = 0u; from < n; from += CODEC_TILE) {
            const pd_u32 e = from + l * CODEC_EACH;
            PD_GPTR(const pd_u32) p = stream + (bit >> 5);
            pd_u64 some = 0u, x = 0u; // some: tokens; behind the end 0, without plain bits
            pd_u32 at, here = 0u, own = 0u;
#if CODEC_QUICK
            pd_u32 d[CODEC_EACH], quick, i;
#endif
            if (whole && e + CODEC_EACH <= n) {
                PD_GPTR(const pd_u32) four = tokens + (codec_start(block, k) + e) / 4u;
                some = CODEC_EACH > 4u ? PD_U64(four[0], four[CODEC_EACH / 4u - 1u]) : four[0];
            } else {
                for (j = 0u; j < each_digit; j++)
                    if (e + j < n) some |= (pd_u64)token[e + j] << (8u * j);
            }
            for (j = 0u; j < CODEC_EACH; j++) {
                const pd_u32 extra = codec_extra((pd_u32)(some >> (8u * j)) & 255u);
                here += extra;
                own = extra > own ? extra : own;
            }
            most = own > most ? own : most;
            at = codec_before32(each, part, here) + ((pd_u32)bit & 31u);
            here = (pd_u32)CODEC_TOTAL(part);
            CODEC_AGAIN();
            if (here > left) {
                left = 8u; // more than what fills up a byte
                break;
            }
            bit += here;
            left -= here;
#if CODEC_QUICK
            quick = own <= 20u && shift < 32u && e + CODEC_EACH <= n ? 1u : 0u;
            if (quick) {
                pd_u32 behind = at, all = 0u;
                const pd_u32 few = own > 16u ? 1u : 3u; // elements of a window, less 1
                pd_u64 window = 0u;
                for (i = 0u; i < CODEC_EACH; i++) {
                    const pd_u32 t = (pd_u32)(some >> (8u * i)) & 255u, extra = codec_extra(t);
                    if ((i & few) == 0u) window = codec_window(p, behind);
                    d[i] = (t - 4u * extra) << extra | ((pd_u32)window & ((1u << extra) - 1u));
                    window >>= extra;
                    behind += extra;
                    if (mode == CODEC_DELTA) d[i] = d[i] >> 1 ^ (0u - (d[i] & 1u));
                    all += d[i];
                }
                x = (pd_u64)(pd_i64)(pd_i32)all;
            } else
#endif
                if (mode == CODEC_DELTA) {
                pd_u32 behind = at;
                for (j = 0u; j < each_digit; j++) {
                    const pd_u32 t = (pd_u32)(some >> (8u * j)) & 255u;
                    x += codec_unfold(codec_value(p, t, behind));
                    behind += codec_extra(t);
                }
            }
            if (mode == CODEC_DELTA) {
                x = codec_before(each, part + 36u, x) + sum;
                sum += CODEC_TOTAL(part + 36u);
                CODEC_AGAIN();
            } else {
                PD_BARRIER();
                x = 0u;
            }
#if CODEC_QUICK
            if (quick && codec_tame(first + step * x, step, own + 3u, CODEC_SCALE_HERE)) {
                codec_make(tile, d, (pd_u32)(first + step * x), (pd_u32)step,
                           mode == CODEC_DELTA ? 1u : 0u, shift, keep, CODEC_SCALE_HERE);
            } else
#endif
                for (j = 0u; j < each_digit; j++) {
                    const pd_u32 t = (pd_u32)(some >> (8u * j)) & 255u;
                    pd_u64 z = codec_value(p, t, at);
                    at += codec_extra(t);
                    if (mode == CODEC_DELTA) {
                        x += codec_unfold(z);
                        z = x;
                    }
#if PD_CODEC_BOUND
                    if (scale != 0.0f) {
                        z = first + step * z;
                        if (e + j < n && codec_wild(z)) most = 64u;
                        z = codec_unscaled((codec_num)z, scale);
                    } else
#endif
                        z = codec_element(z, first, step, CODEC_PLAIN, shift, k.kind);
                    element[CODEC_SPREAD((l * CODEC_EACH + j) / CODEC_PER) * CODEC_PER +
                            (l * CODEC_EACH + j) % CODEC_PER] = (codec_key)(e + j < n ? z : 0u);
                }
            CODEC_TEAM_BARRIER();
            own_sum += codec_store(pairs, tile, base, from, n, key, CODEC_WORDS);
            CODEC_TEAM_BARRIER();
        }
#endif
        if (left > 7u || codec_bits(stream, bit, (pd_u32)left)) most = 64u;
        most = (pd_u32)codec_all(each, most, CODEC_MOST);
        sum = codec_all(each, own_sum, CODEC_ADD) +
              codec_sum_end((pd_u64)n * PD_CODEC_SIZE, block);
        if (l == 0u && (most > r[CODEC_SIZE] ||
                        (!CODEC_HAS_OFF(r) && sum != PD_U64(r[CODEC_SUM], r[CODEC_SUM + 1u]))))
            codec_bad(status, block);
        PD_BARRIER();
    }
}
