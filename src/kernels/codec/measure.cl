// measure.cl: the first pass of packing: what each block will be.

// The width that a group needs: `delta` of its folded differences, else of its largest word.
PD_FN pd_u32 codec_width(pd_u64 most, pd_u64 least, pd_u32 shift, pd_u32 step, pd_u32 delta)
{
    if (delta) return codec_length((most >> 1 >> step) << 1 | (most & 1u));
    return codec_length((codec_right(most, shift) - codec_right(least, shift)) >> step);
}

// top, apart: of each group, its largest word and its folded differences, or-ed.
PD_KERNEL_MIN(padic_k_codec_measure, PD_CODEC_WG, PD_CODEC_MEASURERS)
(PD_CBUF(codec_key, keys), PD_CBUF(pd_u64, pairs), PD_BUF(pd_u64, top), PD_BUF(pd_u64, apart),
 PD_BUF(pd_u8, width), PD_BUF(pd_u32, record), PD_PARAMS(padic_k_codec_stream_params, k))
{
#if !CODEC_BY_WARP
    PD_LOCAL codec_bare one[CODEC_ROUNDS * 256u];
    PD_LOCAL codec_bare two[CODEC_ROUNDS * 256u];
    PD_LOCAL pd_u8 signs[CODEC_ROUNDS * 256u];
#endif
    PD_LOCAL pd_u64 each[256];
#if PD_CODEC_BOUND
    PD_LOCAL pd_u32 chosen[23]; // scale, word of exceptions; inverses, scales, largest elements
#endif
    const pd_u32 l = PD_LID;
    const codec_num lowest = (codec_num)((codec_bare)1u << (CODEC_NUM_BITS - 1u));
    const pd_u32 kind = PD_CODEC_BOUND ? CODEC_FLOAT : k.kind;
    const codec_bare flip = codec_flip(kind), fold = codec_fold_of(kind);
    const pd_u64 bias = codec_bias(kind);
    const pd_u32 rounds = CODEC_ROUNDS * k.each / CODEC_SUMS; // CODEC_ROUNDS, not to be unrolled
    pd_u32 block;
#if PD_CODEC_BOUND
    if (l == 0u) {
#if CODEC_WIDE
        chosen[2] = k.wide_lo;
        chosen[3] = k.wide_hi;
        chosen[21] = k.most_hi;
#else
        chosen[2] = PD_AS_U32(k.inverse0);
        chosen[3] = PD_AS_U32(k.inverse1);
        chosen[4] = PD_AS_U32(k.inverse2);
#endif
        chosen[6] = PD_AS_U32(k.scale0);
        chosen[7] = PD_AS_U32(k.scale1);
        chosen[8] = PD_AS_U32(k.scale2);
        chosen[5] = chosen[9] = 0u;
        chosen[10] = k.most0;
        chosen[11] = k.most1;
        chosen[12] = k.most2;
        chosen[14] = k.fetch ? 0u : CODEC_OFF_MOST;
        chosen[15] = rounds;
        chosen[16] = k.groups;
        chosen[17] = k.bound;
        chosen[18] = k.array_lo;
        chosen[22] = k.coded;
        chosen[19] = k.array_hi;
    }
    PD_BARRIER();
#endif
    for (block = PD_GRP; block < k.blocks; block += PD_NGRP) {
        const pd_u64 base = CODEC_ARRAY + codec_start(block, k);
        const pd_u32 n = codec_count(block, k);
        const pd_u64 own = (pd_u64)block * CODEC_GROUPS;
        codec_num y0, lower, upper;
        pd_u64 all_bits, key;
        codec_bare all_apart;
        pd_u64 x0, least, most, magnitudes, differences, sum, plain, delta;
        pd_u32 tile, i, j, g, shift, step, mode, round, fetch = k.fetch;
#if PD_CODEC_BOUND
        // In the first pass all blocks have the scale that is guessed, in others those that are
        // left have what the pass before found.
        PD_GPTR(const pd_u32) found = record + (pd_u64)block * CODEC_RECORD;
        pd_u32 off = 0u, next = 0u, which;
        codec_bare largest = 0u, highest, as_it_is;
        codec_num instead;
        codec_inverse inverse;
        pd_f32 scale;
        if (k.writing && found[CODEC_OFF + 2u] == 0u) continue;
        if (l == 0u) { // by local memory, as scalar registers are few
            chosen[0] = k.writing ? found[CODEC_SCALE] : chosen[17];
            chosen[1] = k.writing ? found[CODEC_FACTOR + 1u] : 0u;
#if CODEC_WIDE
            chosen[20] = k.writing ? found[CODEC_FACTOR] : 0u;
#endif
            chosen[13] = k.writing ? found[CODEC_OFF + 2u] : 0u;
        }
        PD_BARRIER();
        which = chosen[0];
        scale = PD_AS_F32(chosen[6u + which]);
#if CODEC_WIDE
        instead = (codec_num)PD_U64(chosen[20], chosen[1]);
        inverse = PD_U64(chosen[2], chosen[3]);
        highest = PD_U64(chosen[12], chosen[21]); // that has a word
#else
        instead = (codec_num)chosen[1];
        inverse = PD_AS_F32(chosen[2u + which]);
        highest = chosen[12];
#endif
        if (which == CODEC_UNSCALED) highest = CODEC_HIGHEST;
        as_it_is = (codec_bare)0u - (which == CODEC_UNSCALED ? 1u : 0u);
#endif
        y0 = CODEC_NUMBER(keys[base]);
        x0 = (pd_u64)(pd_i64)y0 + bias;
        lower = upper = y0;
#if PD_CODEC_BOUND
        if (codec_is_off((codec_bare)keys[base], highest)) lower = (codec_num)CODEC_HIGHEST;
#endif
        all_bits = sum = 0u;
        all_apart = 0u;
        tile = 0u;
        key = codec_seed(block) + l * CODEC_WORDS * CODEC_GOLDEN;
        while (tile < n) {
#if !CODEC_BY_WARP
            const pd_u32 from = tile;
#endif
            for (round = 0u; round < CODEC_TURNS; round++) {
                const pd_u32 e = tile + l * CODEC_EACH;
                const pd_u32 whole = base % CODEC_PER == 0u && e + CODEC_EACH <= n ? 1u : 0u;
                codec_num high = lowest;
                codec_bare apart_bits = 0u, sign = 0u;
#if CODEC_BY_WARP // the element before the item's comes from the item before
                pd_u64 word[CODEC_WORDS], shown[CODEC_WORDS];
                codec_num y1;
                codec_item(word, keys, pairs, base, e, n);
                if (!whole && e < n)
                    for (i = 0u; i < CODEC_WORDS; i++) {
#if !PD_CODEC_BOUND
                        if (e + i * CODEC_PER < n)
                            sum += codec_mix(word[i] ^ (key + i * CODEC_GOLDEN));
#endif
                        word[i] = codec_filled(word[i], word[i ? i - 1u : 0u], e + i * CODEC_PER,
                                               n);
                    }
                for (i = 0u; i < CODEC_WORDS; i++) shown[i] = CODEC_FLIPPED(word[i]);
                y1 = CODEC_NUMBER_OF((codec_key)(shown[CODEC_WORDS - 1u] >> (64u - CODEC_BITS)));
                y1 = (codec_num)CODEC_SHUFFLE_UP(y1, 1u);
                if (l % 32u == 0u && e < n) y1 = CODEC_NUMBER(keys[base + (e ? e - 1u : 0u)]);
#endif
                if (e < n) {
#if !CODEC_BY_WARP
                    pd_u64 word[CODEC_WORDS];
                    const codec_num y1 = CODEC_NUMBER(keys[base + (e ? e - 1u : 0u)]);
#endif
                    codec_num before = y1, low = y1;
#if PD_CODEC_BOUND
                    if (scale != 0.0f) low = (codec_num)CODEC_HIGHEST; // y1 is not of it
#endif
#if !CODEC_BY_WARP
                    if (whole) {
                        for (i = 0u; i < CODEC_WORDS; i++)
                            word[i] = pairs[(base + e) / CODEC_PER + i];
                    } else {
                        for (i = 0u; i < CODEC_WORDS; i++)
                            word[i] = codec_word(keys, pairs, base, e / CODEC_PER + i, n);
                    }
#elif !PD_CODEC_BOUND
                    if (whole)
                        for (i = 0u; i < CODEC_WORDS; i++)
                            sum += codec_mix(word[i] ^ (key + i * CODEC_GOLDEN));
#endif
                    for (i = 0u; i < CODEC_WORDS; i++) {
#if PD_CODEC_BOUND
                        pd_u64 made = 0u;
#endif
#if PD_CODEC_BOUND || !CODEC_BY_WARP
                        const pd_u32 at = e + i * CODEC_PER;
#endif
#if !CODEC_BY_WARP
#if !PD_CODEC_BOUND
                        if (whole || at < n) sum += codec_mix(word[i] ^ (key + i * CODEC_GOLDEN));
#endif
                        if (!whole) word[i] = codec_filled(word[i], word[i ? i - 1u : 0u], at, n);
#endif
                        all_bits |= word[i];
                        for (j = 0u; j < CODEC_PER; j++) {
                            const codec_bare bits =
                                (codec_bare)(word[i] >> (j * (CODEC_BITS & 63u)));
#if PD_CODEC_BOUND
                            // masks, as conditions would take scalar registers
                            const codec_bare size = bits & CODEC_HIGHEST;
                            const codec_bare is_off = codec_off_mask(bits, highest);
                            const codec_num y = CODEC_NUMBER(bits);
                            const codec_bare keep = is_off | as_it_is;
                            const codec_bare came =
                                (codec_unscaled(y, scale) & ~keep) | (bits & keep);
                            const codec_num on = (codec_num)(((codec_bare)y & ~is_off) |
                                                             (CODEC_HIGHEST & is_off));
                            made |= (pd_u64)came << (j * (CODEC_BITS & 63u));
                            off += at + j < n ? (pd_u32)is_off & 1u : 0u;
                            largest = largest > (size & ~is_off) ? largest : size & ~is_off;
                            low = on < low ? on : low;
#else
#if CODEC_BY_WARP
                            const codec_num y =
                                CODEC_NUMBER_OF(shown[i] >> (j * (CODEC_BITS & 63u)));
                            (void)bits;
#else
                            const codec_num y = CODEC_NUMBER(bits);
#endif
#endif
                            const codec_bare d = (codec_bare)y - (codec_bare)before;
                            apart_bits |= d ^ (codec_bare)((codec_num)d >> (CODEC_NUM_BITS - 1u));
                            sign |= d;
                            high = y > high ? y : high;
#if !PD_CODEC_BOUND
                            low = y < low ? y : low;
#endif
                            before = y;
                        }
#if PD_CODEC_BOUND
#if !CODEC_WIDE
                        if (at + 1u >= n) made &= 0xffffffffu; // the last element alone
#endif
                        if (at < n) sum += codec_mix(made ^ (key + i * CODEC_GOLDEN));
#endif
                    }
                    all_apart |= sign;
                    sign >>= CODEC_NUM_BITS - 1u;
#if PD_CODEC_SIZE == 4
                    if (((pd_u32)(y1 > high ? y1 : high) - (pd_u32)low) >> 31) {
                        // a difference may have 33 bits
                        before = y1;
                        apart_bits = sign = 0u;
                        for (i = 0u; i < CODEC_WORDS; i++)
                            for (j = 0u; j < CODEC_PER; j++) {
                                const codec_num y =
                                    CODEC_NUMBER(word[i] >> (j * (CODEC_BITS & 63u)));
                                const codec_bare less = y < before ? 0xffffffffu : 0u;
                                apart_bits |= ((codec_bare)y - (codec_bare)before) ^ less;
                                sign |= less & 1u;
                                before = y;
                            }
                    }
#endif
                    lower = low < lower ? low : lower;
                    upper = high > upper ? high : upper;
                }
#if CODEC_BY_WARP
                g = PD_BALLOT(sign) ? 1u : 0u;
#if CODEC_SHORT
                apart_bits = PD_WARP_OR(apart_bits);
                high = PD_WARP_MAX(high);
#else
                apart_bits = PD_U64(PD_WARP_OR((pd_u32)apart_bits),
                                    PD_WARP_OR((pd_u32)(apart_bits >> 32)));
                {
                    const pd_i32 up = PD_WARP_MAX((pd_i32)(high >> 32));
                    const pd_u32 low = (pd_i32)(high >> 32) == up ? (pd_u32)high : 0u;
                    high = (codec_num)PD_U64(
                        (pd_u32)PD_WARP_MAX((pd_i32)(low ^ 0x80000000u)) ^ 0x80000000u,
                        (pd_u32)up);
                }
#endif
                if (l % 32u == 0u && e < n) {
                    top[own + e / CODEC_GROUP] = (pd_u64)(pd_i64)high + bias;
                    apart[own + e / CODEC_GROUP] = (pd_u64)apart_bits << 1 | g;
                }
#else
                one[256u * round + l] = (codec_bare)high;
                two[256u * round + l] = apart_bits;
                signs[256u * round + l] = (pd_u8)sign;
#endif
                tile += CODEC_TILE;
                key += CODEC_TILE / CODEC_PER * CODEC_GOLDEN;
            }
#if !CODEC_BY_WARP
            PD_BARRIER();
            {
                codec_num high = (codec_num)one[CODEC_ROUNDS * l];
                codec_bare apart_bits = two[CODEC_ROUNDS * l], sign = signs[CODEC_ROUNDS * l];
                for (i = 1u; i < CODEC_ROUNDS; i++) {
                    const codec_num y = (codec_num)one[CODEC_ROUNDS * l + i];
                    high = y > high ? y : high;
                    apart_bits |= two[CODEC_ROUNDS * l + i];
                    sign |= signs[CODEC_ROUNDS * l + i];
                }
                one[CODEC_ROUNDS * l] = (codec_bare)high;
                two[CODEC_ROUNDS * l] = apart_bits;
                signs[CODEC_ROUNDS * l] = (pd_u8)sign;
            }
            PD_BARRIER();
            g = from / CODEC_GROUP + l;
            if (l < CODEC_ROUNDS * CODEC_FILL && g * CODEC_GROUP < n) {
                codec_num high = lowest;
                codec_bare apart_bits = 0u, sign = 0u;
                for (i = l * CODEC_ITEMS; i < (l + 1u) * CODEC_ITEMS; i += CODEC_ROUNDS) {
                    const codec_num y = (codec_num)one[i];
                    high = y > high ? y : high;
                    apart_bits |= two[i];
                    sign |= signs[i];
                }
                top[own + g] = (pd_u64)(pd_i64)high + bias;
                apart[own + g] = (pd_u64)apart_bits << 1 | sign;
            }
            PD_BARRIER();
#endif
        }
        least = codec_all(each, (pd_u64)(pd_i64)lower + bias, CODEC_LEAST);
        most = codec_all(each, (pd_u64)(pd_i64)upper + bias, CODEC_MOST);
        // powers of 2 that divide all differences divide those of neighbours, and the reverse
        differences = codec_all(each, all_apart, CODEC_OR);
        for (j = CODEC_BITS; j < 64u; j *= 2u) all_bits |= all_bits >> j;
        magnitudes = codec_all(each, (codec_bare)all_bits & fold, CODEC_OR);
        sum = codec_all(each, sum, CODEC_ADD) +
              codec_sum_end((pd_u64)n * PD_CODEC_SIZE, block);
        shift = kind == CODEC_FLOAT && (pd_i64)least < 0 && (pd_i64)most >= 0
                    ? codec_zeros(magnitudes)
                    : 0u;
#if PD_CODEC_BOUND
        if (which < CODEC_UNSCALED) {
            pd_u32 want = CODEC_UNSCALED;
            largest = (codec_bare)codec_all(each, largest, CODEC_MOST);
            off = (pd_u32)codec_all(each, off, CODEC_ADD);
            shift = 0u;
            if (off < n && off <= chosen[14])
#if CODEC_WIDE
                want = 0u;
#else
                want = largest > chosen[11] ? 2u : largest > chosen[10] ? 1u : 0u;
#endif
            if (want != which)
                next = CODEC_LEFT | want << 2;
            else if (off && chosen[13] != (CODEC_LEFT | 2u))
                next = CODEC_LEFT | 2u | want << 2;
        }
#endif
#if PD_CODEC_BOUND
        fetch = chosen[14] ? 0u : 1u;
#endif
        step = codec_zeros(differences);
        if (l == 0u && CODEC_MAY_CODE) { // for `classes`
            PD_GPTR(pd_u32) r = record + (pd_u64)block * CODEC_RECORD;
            r[CODEC_AT + 1u] = shift | step << 8;
            r[CODEC_BODY] = (pd_u32)least;
            r[CODEC_BODY + 1u] = (pd_u32)(least >> 32);
        }
        PD_BARRIER_ALL(); // top and apart are there
        plain = delta = 0u;
        for (g = l; g * CODEC_GROUP < n; g += 256u) {
            plain += codec_group_bytes(
                g, n,
                codec_width(fetch ? most : top[own + g], least, shift, shift ? 0u : step, 0u));
            delta += codec_group_bytes(g, n, codec_width(apart[own + g], 0u, 0u, step, 1u));
        }
        plain = codec_all(each, plain, CODEC_ADD);
        delta = codec_all(each, delta, CODEC_ADD);
        mode = !fetch && delta + 6u < plain ? CODEC_DELTA : CODEC_PLAIN;
        plain = mode == CODEC_DELTA ? delta : plain;
        i = (pd_u32)plain + (fetch ? 40u : 39u + (n + CODEC_GROUP - 1u) / CODEC_GROUP);
        if (mode == CODEC_DELTA) i += 6u;
#if PD_CODEC_BOUND
        if (which < CODEC_UNSCALED) {
            i += 7u + (off ? 24u + (PD_CODEC_SIZE + 4u) * off : 0u);
            if (i >= PD_CODEC_SIZE * n + 9u &&
                (least != most || off || 22u > PD_CODEC_SIZE * n + 9u)) {
                if (!next) next = CODEC_LEFT | CODEC_UNSCALED << 2;
            }
            i -= off ? 24u + (PD_CODEC_SIZE + 4u) * off : 0u; // `off` adds what they take
        }
#endif
        if (i >= n * PD_CODEC_SIZE + 9u) {
            mode = CODEC_RAW;
            i = n * PD_CODEC_SIZE + 9u;
            plain = n * PD_CODEC_SIZE;
        }
#if PD_CODEC_BOUND
        if (least == most && 22u <= n * PD_CODEC_SIZE + 9u && (which == CODEC_UNSCALED || !off)) {
            if (which < CODEC_UNSCALED)
                x0 = (pd_u64)(pd_i64)codec_number(codec_unscaled(y0, scale), flip, fold);
#else
        if (least == most && 22u <= n * PD_CODEC_SIZE + 9u) {
#endif
            mode = CODEC_CONSTANT;
            i = 22u;
            plain = 0u;
        }
        if (mode != CODEC_PLAIN) shift = 0u;
        if (shift || mode < CODEC_PLAIN) step = 0u;
        if (l == 0u) {
            PD_GPTR(pd_u32) r = record + (pd_u64)block * CODEC_RECORD;
            const pd_u64 first = mode == CODEC_PLAIN ? codec_right(least, shift) : x0;
            r[CODEC_SIZE] = r[CODEC_AT] = i;
            r[CODEC_MODE] = mode;
            r[CODEC_SHIFT] = shift;
            r[CODEC_STEP] = step;
            r[CODEC_FIRST] = (pd_u32)first;
            r[CODEC_FIRST + 1u] = (pd_u32)(first >> 32);
            r[CODEC_SUM] = (pd_u32)sum;
            r[CODEC_SUM + 1u] = (pd_u32)(sum >> 32);
            r[CODEC_WIDTH] = codec_width(most, least, shift, step, 0u);
            r[CODEC_BYTES] = (pd_u32)plain;
            r[CODEC_SCALE] = r[CODEC_OFF] = r[CODEC_OFF + 1u] = r[CODEC_OFF + 2u] = 0u;
            r[CODEC_FACTOR] = r[CODEC_FACTOR + 1u] = 0u;
#if PD_CODEC_BOUND
            if (which < CODEC_UNSCALED && mode >= CODEC_PLAIN) {
#if CODEC_WIDE
                r[CODEC_FACTOR] = (pd_u32)instead;
                r[CODEC_FACTOR + 1u] = (pd_u32)((pd_u64)instead >> 32);
#else
                r[CODEC_FACTOR] = PD_AS_U32(inverse);
                r[CODEC_FACTOR + 1u] = (pd_u32)instead;
#endif
                r[CODEC_SCALE] = PD_AS_U32(scale);
                r[CODEC_OFF] = off;
            }
            if (next) { // for the next pass
#if CODEC_WIDE
                r[CODEC_FACTOR] = (pd_u32)least;
                r[CODEC_FACTOR + 1u] = (pd_u32)(least >> 32);
#else
                r[CODEC_FACTOR + 1u] = (pd_u32)least;
#endif
                r[CODEC_SCALE] = next >> 2;
                r[CODEC_OFF + 2u] = next & 3u;
            }
#endif
        }
        for (g = l; g * CODEC_GROUP < n; g += 256u) {
            pd_u32 w = CODEC_BITS; // of raw ones
            if (mode == CODEC_CONSTANT) w = 0u;
            if (mode == CODEC_PLAIN)
                w = codec_width(fetch ? most : top[own + g], least, shift, step, 0u);
            if (mode == CODEC_DELTA) w = codec_width(apart[own + g], 0u, 0u, step, 1u);
            width[own + g] = (pd_u8)w;
        }
        PD_BARRIER();
    }
}
