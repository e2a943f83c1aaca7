// rest.cl: unpacks the blocks that are left: differences, and those that are unusual.

// The blocks that are left: differences, and those that are unusual.
PD_KERNEL_MIN(padic_k_codec_rest, PD_CODEC_WG, PD_CODEC_RESTERS)
(PD_CBUF(pd_u32, stream), PD_CBUF(pd_u32, record), PD_BUF(pd_u64, pairs), PD_BUF(pd_u32, status),
 PD_PARAMS(padic_k_codec_stream_params, k))
{
    PD_LOCAL pd_u64 each[288];
    PD_LOCAL pd_u64 part[72];
    PD_LOCAL pd_u32 place[256];
    PD_LOCAL pd_u32 held[CODEC_RECORD]; // as scalar registers are few
#if PD_HAS_WARPS
    PD_LOCAL pd_u64 tile[CODEC_SPREAD(2048u / CODEC_PER)];
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
    if (!(status[1] & CODEC_SOME_LEFT)) return;
    for (block = PD_GRP; block < k.blocks; block += PD_NGRP) {
        PD_GPTR(const pd_u32) r = record + (pd_u64)block * CODEC_RECORD;
        const pd_u64 base = PD_U64(k.array_lo, k.array_hi) + codec_start(block, k);
        const pd_u32 n = codec_count(block, k);
#if PD_HAS_WARPS
        pd_u64 key = CODEC_KEY_8(block);
#else
        const pd_u64 key = codec_seed(block) + l * CODEC_GOLDEN;
#endif
        pd_u64 at = PD_U64(k.packed_lo, k.packed_hi) + PD_U64(r[CODEC_BODY], r[CODEC_BODY + 1u]);
        pd_u64 sum = 0u, own_sum = 0u, first, step;
        codec_bare keep;
        pd_u32 left = r[CODEC_BYTES], turn, chunk, from, j, mode, shift; // left: bytes of bits
#if PD_CODEC_BOUND
        pd_f32 scale;
        pd_u64 wild = 0u;
#endif
        if (r[CODEC_STEP] != 1u) continue;
        if (l < CODEC_RECORD) held[l] = r[l];
        PD_BARRIER();
        mode = held[CODEC_MODE];
        shift = held[CODEC_SHIFT];
        first = PD_U64(held[CODEC_FIRST], held[CODEC_FIRST + 1u]);
        step = PD_U64(held[CODEC_FACTOR], held[CODEC_FACTOR + 1u]);
        // of a negative word, what is turned back; elements as they are have first 0 and step 1
        keep = mode == CODEC_RAW ? ~(codec_bare)0u
                                 : ~codec_fold_of(PD_CODEC_BOUND ? CODEC_FLOAT : k.kind);
#if PD_CODEC_BOUND
        scale = PD_AS_F32(held[CODEC_SCALE]);
#endif
        for (chunk = 0u; chunk < n; chunk += 256u * CODEC_GROUP) {
            const pd_u32 end =
                n - chunk < 256u * CODEC_GROUP ? n : chunk + 256u * CODEC_GROUP;
            const pd_u64 total = codec_places(stream, r, PD_U64(k.packed_lo, k.packed_hi), n,
                                              chunk / CODEC_GROUP, PD_HAS_WARPS ? CODEC_SLIM : 4u,
                                              each, part, place);
            if (total >> 48 || (pd_u32)total > left) {
                left = 1u; // not 0, as it must be in the end
                break;
            }
#if PD_HAS_WARPS
            turn = 0u;
            for (from = chunk; from < end; from += 2048u) {
                const pd_u32 e = from + 8u * l;
                const pd_u32 spot = place[((e - chunk) / CODEC_GROUP) & 255u], w = spot & 127u;
                PD_GPTR(const pd_u32) p = stream + (at >> 2);
                const pd_u32 bit = (pd_u32)(at & 3u) * 8u + (spot >> 7) +
                                   e % CODEC_GROUP * w; // of the item's first digit
                const pd_u32 most = e < n ? n - 1u - e : 0u; // behind the end the last one
                pd_u64 x = 0u, all;
                pd_u32 i;
#if CODEC_SHORT
                const pd_u64 limit = (pd_u64)1u << (CODEC_SCALE_HERE != 0.0f ? 24u : 31u);
                const pd_u32 slim = mode == CODEC_DELTA && (total >> 32) == 0u ? 1u : 0u;
                const pd_u32 quick =
                    slim && shift == 0u && step >> 32 == 0u && e + 8u <= n ? 1u : 0u;
                const pd_u64 reach = slim ? step * 8u << w : 0u;
                pd_u32 d[8];
                if (slim) {
                    const pd_u32 mask = (1u << (w & 31u)) - 1u;
                    pd_u32 mine = 0u, every;
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
                        for (i = 0u; i < 8u; i++)
                            d[i] = i <= most && e < n ? (pd_u32)codec_digit_at(p, bit, i, w) : 0u;
                    }
                    for (i = 0u; i < 8u; i++) {
                        d[i] = d[i] >> 1 ^ (0u - (d[i] & 1u));
                        mine += d[i];
                    }
                    mine = codec_tile_before32(sums + turn, mine, &every);
                    x = (pd_u64)(pd_i64)(pd_i32)mine + sum;
                    sum += (pd_u64)(pd_i64)(pd_i32)every;
                } else if (mode == CODEC_DELTA) {
                    for (j = 0u; j < each_digit && e < n; j++)
                        x += codec_unfold(codec_digit_at(p, bit, j < most ? j : most, w));
                    x = codec_tile_before(part + 36u + turn, x, &all) + sum;
                    sum += all;
                }
                if (quick && reach < limit &&
                    first + step * x + (limit - reach) < 2u * (limit - reach)) {
                    codec_make(tile, d, (pd_u32)(first + step * x), (pd_u32)step, 1u, 0u,
                               keep, CODEC_SCALE_HERE);
                } else {
                    for (j = 0u; j < each_digit; j++) {
                        const pd_u64 z =
                            e < n ? codec_digit_at(p, bit, j < most ? j : most, w) : 0u;
                        pd_u64 y;
                        codec_key made;
                        if (mode == CODEC_DELTA) x += codec_unfold(z);
                        y = first + step * (mode == CODEC_DELTA ? x : z);
                        made = (codec_key)codec_bits_of((codec_bare)y, shift, keep);
#if PD_CODEC_BOUND
                        if (scale != 0.0f) {
                            made = codec_unscaled((codec_num)y, scale);
                            if (e + j < n) wild |= codec_wild(y);
                        }
#endif
                        element[CODEC_SPREAD((8u * l + j) / CODEC_PER) * CODEC_PER +
                                (8u * l + j) % CODEC_PER] = e + j < n ? made : 0u;
                    }
                }
#else
                const pd_u64 mask = w < 64u ? ((pd_u64)1u << w) - 1u : ~(pd_u64)0u;
                pd_u64 d[8], window = 0u;
                (void)each_digit;
                for (i = 0u; i < 8u; i++) {
                    if (w > 16u ? w > 32u || i % 2u == 0u : i % 4u == 0u)
                        window = e + i < n ? codec_window(p, bit + i * w) : 0u;
                    d[i] = i <= most && e < n ? window & mask : 0u;
                    window >>= w & 63u;
                    if (mode == CODEC_DELTA) d[i] = codec_unfold(d[i]);
                    x += d[i];
                }
                if (mode == CODEC_DELTA) {
                    x = codec_tile_before(part + 36u + turn, x, &all) + sum;
                    sum += all;
                }
                for (j = 0u; j < 8u; j++) {
                    pd_u64 y;
                    codec_key made;
                    if (mode == CODEC_DELTA) x += d[j];
                    y = first + step * (mode == CODEC_DELTA ? x : d[j]);
                    made = (codec_key)codec_bits_of((codec_bare)y, shift, keep);
#if PD_CODEC_BOUND
                    if (scale != 0.0f) {
                        made = codec_unscaled((codec_num)y, scale);
                        if (e + j < n) wild |= codec_wild(y);
                    }
#endif
                    tile[CODEC_SPREAD(8u * l + j)] = e + j < n ? made : 0u;
                }
#endif
                turn = 8u - turn;
                PD_BARRIER_WARP();
                own_sum += codec_store_8(pairs, tile, base, from, n, key);
                key += CODEC_NEXT_8;
                PD_BARRIER_WARP();
            }
#else
            turn = 36u; // which sums: those of the places may yet be read
            for (from = chunk; from < end; from += CODEC_TILE) {
                const pd_u32 e = from + l * CODEC_EACH;
                const pd_u32 spot = place[(e - chunk) / CODEC_GROUP], w = spot & 127u;
                PD_GPTR(const pd_u32) p = stream + (at >> 2);
                const pd_u32 bit = (pd_u32)(at & 3u) * 8u + (spot >> 7) +
                                   e % CODEC_GROUP * w; // of the item's first digit
                const pd_u32 most = e < n ? n - 1u - e : 0u; // behind the end the last one
                pd_u64 x = 0u;
#if CODEC_QUICK
                const pd_u32 mask = (1u << (w & 31u)) - 1u;
                const pd_u32 quick =
                    mode == CODEC_DELTA && shift == 0u && w <= 24u && e + CODEC_EACH <= n ? 1u : 0u;
                pd_u32 d[CODEC_EACH], i;
                if (quick) {
                    pd_u32 all = 0u;
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
                    for (i = 0u; i < CODEC_EACH; i++) {
                        d[i] = d[i] >> 1 ^ (0u - (d[i] & 1u));
                        all += d[i];
                    }
                    x = (pd_u64)(pd_i64)(pd_i32)all;
                } else
#endif
                    if (mode == CODEC_DELTA && e < n)
                    for (j = 0u; j < each_digit; j++)
                        x += codec_unfold(codec_digit_at(p, bit, j < most ? j : most, w));
                if (mode == CODEC_DELTA) {
                    CODEC_AGAIN(); // sums of the tile before were read
                    x = codec_before(each, part + turn, x) + sum;
                    sum += CODEC_TOTAL(part + turn);
                    turn = 36u - turn;
                }
#if CODEC_QUICK
                if (quick && codec_tame(first + step * x, step, w, CODEC_SCALE_HERE)) {
                    codec_make(tile, d, (pd_u32)(first + step * x), (pd_u32)step, 1u, 0u,
                               keep, CODEC_SCALE_HERE);
                } else
#endif
                    for (j = 0u; j < each_digit; j++) {
                        const pd_u64 z =
                            e < n ? codec_digit_at(p, bit, j < most ? j : most, w) : 0u;
                        pd_u64 y;
                        codec_key made;
                        if (mode == CODEC_DELTA) x += codec_unfold(z);
                        y = first + step * (mode == CODEC_DELTA ? x : z);
                        made = (codec_key)codec_bits_of((codec_bare)y, shift, keep);
#if PD_CODEC_BOUND
                        if (scale != 0.0f) {
                            made = codec_unscaled((codec_num)y, scale);
                            if (e + j < n) wild |= codec_wild(y);
                        }
#endif
                        element[CODEC_SPREAD((l * CODEC_EACH + j) / CODEC_PER) * CODEC_PER +
                                (l * CODEC_EACH + j) % CODEC_PER] = e + j < n ? made : 0u;
                    }
                CODEC_TEAM_BARRIER();
                own_sum += codec_store(pairs, tile, base, from, n, key, CODEC_WORDS);
                CODEC_TEAM_BARRIER();
            }
#endif
            at += (pd_u32)total;
            left -= (pd_u32)total;
        }
        sum = codec_all(each, own_sum, CODEC_ADD) +
              codec_sum_end((pd_u64)n * PD_CODEC_SIZE, block);
#if PD_CODEC_BOUND
        if (codec_all(each, wild, CODEC_OR)) left = 1u;
#endif
        if (l == 0u &&
            (left || (!CODEC_HAS_OFF(r) && sum != PD_U64(r[CODEC_SUM], r[CODEC_SUM + 1u]))))
            codec_bad(status, block);
        PD_BARRIER();
    }
}
