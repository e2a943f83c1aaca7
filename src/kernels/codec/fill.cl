// fill.cl: widths and bits of the blocks that are not coded.

#if PD_CODEC_SIZE == 4
// The folded difference of an element and the one before it, which may have 33 bits.
PD_FN pd_u64 codec_difference(PD_GPTR(const codec_key) keys, pd_u64 base, pd_u32 e, pd_u32 step,
                              codec_bare flip, codec_bare fold)
{
    const pd_i32 y = codec_number(keys[base + e], flip, fold);
    const pd_i32 before = codec_number(keys[base + (e ? e - 1u : 0u)], flip, fold);
    const pd_u32 less = y < before ? 0xffffffffu : 0u;
    return (pd_u64)((((pd_u32)y - (pd_u32)before) ^ less) >> step) << 1 | (less & 1u);
}
#endif

// So many digits of an item are put together, the most that take 64 bits.
PD_FN pd_u32 codec_joined(pd_u32 width)
{
    return width > 32u ? 1u : width > 16u ? 2u : width > CODEC_OCTS ? 4u : 8u;
}

// An item's digits, joined, in local memory; those of a group begin with place `origin`.
#define CODEC_PLACES (4u * CODEC_ITEMS) // of a group
PD_FN void codec_join_digits(PD_LPTR(pd_u64) to, const pd_u64 z[CODEC_EACH], pd_u32 width)
{
    const pd_u32 l = PD_LID % CODEC_ITEMS, origin = PD_LID / CODEC_ITEMS * CODEC_PLACES;
    pd_u64 x[CODEC_EACH];
    pd_u32 i;
    if (width > 32u) { // only where an item has 4
        for (i = 0u; i < 4u; i++) to[CODEC_SPREAD(origin + l * 4u + i)] = z[i];
        return;
    }
    for (i = 0u; i < CODEC_EACH / 2u; i++) x[i] = z[2u * i] | z[2u * i + 1u] << width;
    if (width > 16u) {
        for (i = 0u; i < CODEC_EACH / 2u; i++)
            to[CODEC_SPREAD(origin + l * (CODEC_EACH / 2u) + i)] = x[i];
        return;
    }
    for (i = 0u; i < CODEC_EACH / 4u; i++) x[i] = x[2u * i] | x[2u * i + 1u] << (2u * width);
    if (width > CODEC_OCTS) {
        for (i = 0u; i < CODEC_EACH / 4u; i++)
            to[CODEC_SPREAD(origin + l * (CODEC_EACH / 4u) + i)] = x[i];
        return;
    }
    to[CODEC_SPREAD(origin + l)] = x[0] | x[CODEC_EACH / 8u] << (4u * width);
}

// Each item joins its digits of a tile; then CODEC_ITEMS items make the words of a group.
PD_KERNEL_MIN(padic_k_codec_fill, PD_CODEC_WG, PD_CODEC_FILLERS)
(PD_CBUF(codec_key, keys), PD_CBUF(pd_u64, pairs), PD_CBUF(pd_u8, width), PD_CBUF(pd_u32, record),
 PD_CBUF(pd_u64, totals), PD_BUF(pd_u32, words),
 PD_PARAMS(padic_k_codec_stream_params, k))
{
    PD_LOCAL pd_u64 each[288];
    PD_LOCAL pd_u64 part[36];
    PD_LOCAL pd_u32 place[256];
    PD_LOCAL pd_u32 wide[256];
#if PD_HAS_WARPS
    PD_LOCAL pd_u32 strings[8u * CODEC_STRING];
    PD_LPTR(pd_u32) string = strings + PD_LID / 32u * CODEC_STRING;
    const pd_u32 lane = PD_LID % 32u;
#else
    PD_LOCAL pd_u64 digit[CODEC_SPREAD(256u * 4u)]; // joined
#endif
    const pd_u32 l = PD_LID;
    const codec_bare flip = codec_flip(k.kind), fold = codec_fold_of(k.kind);
    PD_GPTR(pd_u8) bytes = (PD_GPTR(pd_u8))words;
    pd_u32 turn;
    if (totals[1] > PD_U64(k.room_lo, k.room_hi)) return;
    for (turn = PD_GRP; turn < k.blocks; turn += PD_NGRP) {
        // what `measure` read last comes first: some of it is in a cache
        const pd_u32 block = k.blocks - 1u - turn;
        PD_GPTR(const pd_u32) r = record + (pd_u64)block * CODEC_RECORD;
        const pd_u64 base = PD_U64(k.array_lo, k.array_hi) + codec_start(block, k);
        const pd_u32 n = codec_count(block, k), groups = (n + CODEC_GROUP - 1u) / CODEC_GROUP;
        const pd_u64 own = (pd_u64)block * k.groups;
        const pd_u64 first = PD_U64(r[CODEC_FIRST], r[CODEC_FIRST + 1u]);
        const codec_bare lower = (codec_bare)(first - codec_bias(k.kind));
#if PD_CODEC_BOUND
        const pd_f32 scale = PD_AS_F32(r[CODEC_SCALE]);
#if CODEC_WIDE
        const codec_inverse inverse = PD_U64(k.wide_lo, k.wide_hi);
        const codec_num instead =
            (codec_num)PD_U64(r[CODEC_FACTOR], r[CODEC_FACTOR + 1u]);
#else
        const codec_inverse inverse = PD_AS_F32(r[CODEC_FACTOR]);
        const codec_num instead = (codec_num)r[CODEC_FACTOR + 1u];
#endif
        const codec_bare highest = CODEC_MOST_SCALED;
#endif
        const pd_u32 mode = r[CODEC_MODE], shift = r[CODEC_SHIFT], step = r[CODEC_STEP];
        pd_u64 at = PD_U64(k.packed_lo, k.packed_hi) + PD_U64(r[CODEC_BODY], r[CODEC_BODY + 1u]);
        pd_u32 chunk, g, tile, i;
        if (k.coded && r[CODEC_WIDTH] == CODEC_CODED) continue;
        if (mode >= CODEC_PLAIN && !k.fetch)
            for (g = l; g < groups; g += 256u) bytes[at - 8u - groups + g] = width[own + g];
        for (chunk = 0u; chunk < groups && mode != CODEC_CONSTANT; chunk += 256u) {
            const pd_u32 here = chunk + l < groups ? width[own + chunk + l] : 0u;
            const pd_u32 end = n < (chunk + 256u) * CODEC_GROUP ? n : (chunk + 256u) * CODEC_GROUP;
#if PD_HAS_WARPS
            wide[l] = here;
#else
            // 2^20 / bits of joined digits, rounded up: divides less than 2^14 exactly
            const pd_u32 joined = here ? here * codec_joined(here) : 1u;
            wide[l] = (1048575u + joined) / joined << 7 | here;
#endif
            place[l] = (pd_u32)codec_before(
                each, part, here ? codec_group_bytes(chunk + l, n, here) : 0u);
            PD_BARRIER();
#if PD_HAS_WARPS
            for (tile = chunk * CODEC_GROUP; tile < end; tile += 8u * CODEC_GROUP) {
                const pd_u32 row = tile / CODEC_GROUP + l / 32u, e = tile + 8u * l;
                const pd_u32 w = row < groups ? wide[row - chunk] : 0u;
                const pd_u32 left = row < groups && n - row * CODEC_GROUP < CODEC_GROUP
                                        ? n - row * CODEC_GROUP
                                        : CODEC_GROUP;
                const pd_u64 begin = at + place[(row - chunk) & 255u];
                const pd_u32 over = (pd_u32)begin & 3u, most = over + (left * w + 7u) / 8u;
                PD_GPTR(pd_u32) to = words + (begin >> 2);
                pd_u32 low[8], high[8], unit, spot, at_byte, x;
                pd_u64 word[8u / CODEC_PER];
                codec_num y[8], before = 0, last;
                codec_item(word, keys, pairs, base, e, n);
                if (mode == CODEC_DELTA && lane == 0u && row < groups)
                    before = CODEC_NUMBER(keys[base + (e ? e - 1u : 0u)]);
                for (i = 0u; i < 8u; i++)
                    y[i] = CODEC_NUMBER_OF((codec_key)(CODEC_FLIPPED_OLD(word[i / CODEC_PER]) >>
                                                       (i % CODEC_PER * (CODEC_BITS & 63u))));
                last = (codec_num)CODEC_SHUFFLE_UP(y[7], 1u);
                if (lane) before = last;
                if (mode == CODEC_RAW)
                    codec_raw_digits(low, high, word);
                else
                    codec_digits(low, high, y, before, lower, shift, step,
                                 mode == CODEC_DELTA ? 1u : 0u, w + step > 32u ? 1u : 0u);
                if (e + 8u > n)
                    for (i = 0u; i < 8u; i++)
                        if (e + i >= n) low[i] = high[i] = 0u;
                at_byte = over + lane * w;
                unit = spot = x = 0u;
                switch (w) {
                case 0u: break;
                CODEC_STRINGS(1u) CODEC_STRINGS(2u) CODEC_STRINGS(3u) CODEC_STRINGS(4u)
                CODEC_STRINGS(5u) CODEC_STRINGS(6u) CODEC_STRINGS(7u) CODEC_STRINGS(8u)
#if PD_CODEC_SIZE > 1
                CODEC_STRINGS(9u) CODEC_STRINGS(10u) CODEC_STRINGS(11u) CODEC_STRINGS(12u)
                CODEC_STRINGS(13u) CODEC_STRINGS(14u) CODEC_STRINGS(15u) CODEC_STRINGS(16u)
#endif
#if PD_CODEC_SIZE > 2
                CODEC_STRINGS(17u) CODEC_STRINGS(18u) CODEC_STRINGS(19u) CODEC_STRINGS(20u)
                CODEC_STRINGS(21u) CODEC_STRINGS(22u) CODEC_STRINGS(23u) CODEC_STRINGS(24u)
                CODEC_STRINGS(25u) CODEC_STRINGS(26u) CODEC_STRINGS(27u) CODEC_STRINGS(28u)
                CODEC_STRINGS(29u) CODEC_STRINGS(30u) CODEC_STRINGS(31u) CODEC_STRINGS(32u)
                default: x = codec_string_wide(string, low, high, w, at_byte, &spot, &unit);
#else
                default:
                    x = codec_string(string, low, CODEC_BITS + 1u, at_byte, &spot, &unit);
#endif
                }
                PD_BARRIER_WARP();
                if (unit) string[spot] = x | (lane < 31u ? string[spot] : 0u);
                PD_BARRIER_WARP();
                if (w) {
                    const pd_u32 edge = lane < 4u ? lane : (most & ~3u) + lane - 4u;
                    const pd_u32 first = over ? 1u : 0u;
                    for (unit = first + lane; 4u * unit + 4u <= most; unit += 32u)
                        to[unit] = string[unit];
                    unit = lane < 4u ? over ? over : 4u : 4u * first;
                    if (lane < 8u && edge < most && edge >= unit)
                        ((PD_GPTR(pd_u8))to)[edge] = ((PD_LPTR(const pd_u8))string)[edge];
                }
                PD_BARRIER_WARP();
            }
#else
            for (tile = chunk * CODEC_GROUP; tile < end; tile += CODEC_TILE) {
                const pd_u32 e = tile + l * CODEC_EACH, row = tile / CODEC_GROUP + l / CODEC_ITEMS;
                const pd_u32 w = row < groups ? wide[row - chunk] & 127u : 0u;
                const pd_u32 together = w * codec_joined(w);
                const pd_u32 inverted = row < groups ? wide[row - chunk] >> 7 : 0u;
                const pd_u32 left = row < groups && n - row * CODEC_GROUP < CODEC_GROUP
                                        ? n - row * CODEC_GROUP
                                        : CODEC_GROUP;
                pd_u64 z[CODEC_EACH];
                for (i = 0u; i < CODEC_EACH; i++) z[i] = 0u;
                if (w && w <= CODEC_NUM_BITS && e < n) {
                    pd_u64 word[CODEC_WORDS];
                    codec_num before = 0;
                    if (base % CODEC_PER == 0u && e + CODEC_EACH <= n)
                        for (i = 0u; i < CODEC_WORDS; i++)
                            word[i] = pairs[(base + e) / CODEC_PER + i];
                    else
                        for (i = 0u; i < CODEC_WORDS; i++)
                            word[i] = codec_word(keys, pairs, base, e / CODEC_PER + i, n);
                    if (mode == CODEC_DELTA)
                        before = CODEC_NUMBER(keys[base + (e ? e - 1u : 0u)]);
                    for (i = 0u; i < CODEC_EACH; i++) {
                        const codec_bare bits = (codec_key)(
                            word[i / CODEC_PER] >> (i % CODEC_PER * (CODEC_BITS & 63u)));
                        const codec_num y = CODEC_NUMBER(bits);
                        codec_bare x = bits;
                        if (mode == CODEC_PLAIN) x = ((codec_bare)(y >> shift) - lower) >> step;
                        if (mode == CODEC_DELTA) {
                            const codec_bare d = (codec_bare)y - (codec_bare)before;
#if PD_CODEC_SIZE == 8
                            const codec_bare less = (codec_bare)((codec_num)d >> 63);
#else
                            const codec_bare less = y < before ? 0xffffffffu : 0u;
#endif
                            x = (d ^ less) >> step << 1 | (less & 1u); // less than 33 bits
                            before = y;
                        }
                        z[i] = e + i < n ? x : 0u;
                    }
                }
                if (w && w <= CODEC_NUM_BITS) codec_join_digits(digit, z, w);
                PD_BARRIER();
                if (w) {
                    const pd_u64 begin = at + place[row - chunk];
                    const pd_u32 over = (pd_u32)begin & 3u, most = over + (left * w + 7u) / 8u;
                    const pd_u32 origin = l / CODEC_ITEMS * CODEC_PLACES;
                    const pd_u32 last = origin + CODEC_GROUP / codec_joined(w);
                    PD_GPTR(pd_u32) to = words + (begin >> 2);
                    pd_u32 unit = l % CODEC_ITEMS;
                    for (; 4u * unit < most; unit += CODEC_ITEMS) {
                        const pd_u32 ahead = unit ? 0u : over;
                        const pd_u32 bit = (4u * unit + ahead - over) * 8u;
                        const pd_u32 q = bit * inverted >> 20, skip = bit - q * together;
                        pd_u32 f = origin + q, have = together - skip, x = 0u;
#if PD_CODEC_SIZE == 4
                        if (w > 32u) { // these are not in local memory
                            have = 0u;
                            for (f = q; have < 32u && f < left; f++) {
                                const pd_u64 y = codec_difference(
                                    keys, base, row * CODEC_GROUP + f, step, flip, fold);
                                x |= (pd_u32)(have ? y << have : y >> skip);
                                have = have ? 32u : w - skip;
                            }
                        } else
#endif
                        {
                            x = (pd_u32)(digit[CODEC_SPREAD(f)] >> skip);
                            for (f++; have < 32u && f < last; f++, have += together)
                                x |= (pd_u32)digit[CODEC_SPREAD(f)] << have;
                        }
                        if (ahead == 0u && 4u * unit + 4u <= most)
                            to[unit] = x;
                        else
                            codec_put_some((PD_GPTR(pd_u8))to, 4u * unit, x, ahead,
                                           most - 4u * unit);
                    }
                }
                PD_BARRIER();
            }
#endif
            at += CODEC_TOTAL(part);
            PD_BARRIER();
        }
    }
}
