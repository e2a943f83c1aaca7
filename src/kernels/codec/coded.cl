// coded.cl: the bytes of coded blocks.

#if PD_CODEC_SIZE == 8
#define CODEC_PLAIN_WORDS 1960u // plain bits of a tile, of 61 or 30 each
#else
#define CODEC_PLAIN_WORDS 1928u
#endif

#if PD_HAS_WARPS
// Frequencies as bytes, an item each, if `writing`.
PD_FN void codec_put_table(PD_GPTR(pd_u8) bytes, pd_u64 at, pd_u32 f, pd_u32 writing,
                           PD_LPTR(pd_u64) each, PD_LPTR(pd_u64) part, PD_LPTR(pd_u32) share)
{
    const pd_u32 l = PD_LID;
    pd_u32 last, size, run = 1u, value = f;
    share[l] = f;
    last = (pd_u32)codec_all(each, f ? l : 0u, CODEC_MOST);
    size = f >= 128u ? 2u : f ? 1u : l < last && (l == 0u || share[l - 1u]) ? 2u : 0u;
    if (f >= 128u) value = (f & 127u) | 128u | f >> 7 << 8;
    if (f == 0u && size) {
        while (share[l + run] == 0u) run++;
        value = (run - 1u) << 8;
    }
    PD_BARRIER();
    at += codec_before32(each, part, size) + 1u;
    if (writing) codec_put(bytes, at, value, size);
    if (writing && l == 0u) bytes[at - 1u] = (pd_u8)last;
    PD_BARRIER();
}
#else // fewer scalar registers
// Frequencies as bytes. Returns how many.
PD_FN pd_u32 codec_put_table(PD_GPTR(pd_u8) bytes, pd_u64 at, PD_GPTR(const pd_u32) t)
{
    pd_u32 last = 255u, s, f, run, p = 1u;
    while (last && t[last] >> 16 == 0u) last--;
    bytes[at] = (pd_u8)last;
    for (s = 0u; s <= last; s++) {
        f = t[s] >> 16;
        if (f == 0u) {
            for (run = 1u; t[s + run] >> 16 == 0u;) run++;
            codec_put(bytes, at + p, (run - 1u) << 8, 2u);
            s += run - 1u;
            p += 2u;
        } else if (f < 128u) {
            bytes[at + p] = (pd_u8)f;
            p++;
        } else {
            codec_put(bytes, at + p, (f & 127u) | 128u | f >> 7 << 8, 2u);
            p += 2u;
        }
    }
    return p;
}
#endif

// The words of the chain as bytes, in whole words of the stream but at the ends.
PD_FN void codec_put_chain(PD_GPTR(pd_u32) stream, pd_u64 at, PD_GPTR(const pd_u16) from,
                           pd_u32 words)
{
#ifdef __AMDGCN__ // fewer scalar registers
    pd_u32 i;
    for (i = PD_LID; i < words; i += 256u)
        codec_put((PD_GPTR(pd_u8))stream, at + 2u * i, from[i], 2u);
#else
    PD_GPTR(pd_u32) to = stream + (at >> 2);
    const pd_u32 over = (pd_u32)at & 3u, most = over + 2u * words;
    pd_u32 i, j;
    for (i = PD_LID; 4u * i < most; i += 1024u) {
        pd_u64 x[4];
        for (j = 0u; j < 4u; j++) { // 6 bytes from the half on in which the word begins
            const pd_u32 half_at = (4u * (i + 256u * j) - over) >> 1;
            const pd_u32 h = half_at < words ? half_at : words; // there is room behind the chain
            x[j] = PD_U64(from[h] | (pd_u32)from[h + 1u] << 16, from[h + 2u]);
        }
        for (j = 0u; j < 4u; j++) {
            const pd_u32 u = i + 256u * j;
            const pd_u32 y = (pd_u32)(x[j] >> (8u * (over & 1u)));
            if (4u * u >= over && 4u * u + 4u <= most)
                to[u] = y;
            else if (4u * u < over) // the first word
                codec_put_some((PD_GPTR(pd_u8))to, 0u, from[0] | (pd_u32)from[words > 1u] << 16,
                               over, most);
            else if (4u * u < most)
                codec_put_some((PD_GPTR(pd_u8))to, 4u * u, y, 0u, most - 4u * u);
        }
    }
#endif
}

// Bits behind those that are there; whole words go to local memory, where others may have a part.
PD_FN void codec_pour(PD_LPTR(pd_u32) plain, pd_u64 *bits, pd_u32 *have, pd_u32 *at, pd_u32 z,
                      pd_u32 extra)
{
    *bits |= (pd_u64)z << *have;
    *have += extra;
    if (*have >= 32u) {
        PD_ATOMIC_OR_L(&plain[*at], (pd_u32)*bits);
        *bits >>= 32;
        *have -= 32u;
        *at += 1u;
    }
}

#if PD_HAS_WARPS
// `size` bits, up to 32, behind those that are there; whole words go to local memory, of which
// others may have a part.
PD_FN void codec_append(PD_LPTR(pd_u32) string, pd_u64 *bits, pd_u32 *have, pd_u32 *spot, pd_u32 z,
                        pd_u32 size)
{
    *bits += PD_MULWIDE(z, 1u << *have);
    *have += size;
    if (*have >= 32u) {
        PD_ATOMIC_OR_L(&string[*spot], (pd_u32)*bits);
        *bits >>= 32;
        *have -= 32u;
        *spot += 1u;
    }
}

// The plain bits of 8 digits, up to 15 of each, behind `have` bits of *string.
PD_FN void codec_append_8(PD_LPTR(pd_u32) string, const pd_u32 z[8], pd_u64 extras, pd_u32 have)
{
    pd_u64 quad[2], low, high;
    pd_u32 word[5], first = codec_bytes_sum((pd_u32)extras), all, i;
    for (i = 0u; i < 2u; i++) {
        const pd_u32 four = (pd_u32)(extras >> (32u * i));
        const pd_u32 a = four & 255u, b = four >> 8 & 255u, c = four >> 16 & 255u, d = four >> 24;
        const pd_u32 x = (z[4u * i] & ((1u << a) - 1u)) | (z[4u * i + 1u] & ((1u << b) - 1u)) << a;
        const pd_u32 y =
            (z[4u * i + 2u] & ((1u << c) - 1u)) | (z[4u * i + 3u] & ((1u << d) - 1u)) << c;
        quad[i] = PD_MULWIDE(y, 1u << (a + b)) + x;
    }
    low = quad[0] | quad[1] << first;
    high = quad[1] >> 1 >> (63u - first);
    all = have + first + codec_bytes_sum((pd_u32)(extras >> 32));
    word[0] = (pd_u32)low << have;
    word[1] = (pd_u32)(low << have >> 32);
    word[2] = (pd_u32)(PD_U64(low >> 32, high) << have >> 32);
    word[3] = (pd_u32)(high << have >> 32);
    word[4] = (pd_u32)(high >> 32) >> 1 >> (31u - have);
    // bits that are not there are 0, and a branch would cost more
    for (i = 0u; i < 3u; i++) PD_ATOMIC_OR_L(&string[i], word[i]);
    if (all > 96u)
        for (i = 3u; i < 5u; i++) PD_ATOMIC_OR_L(&string[i], word[i]);
}
#endif

// The bytes of coded blocks, but for stages and exceptions.
PD_KERNEL_MIN(padic_k_codec_coded, PD_CODEC_WG, PD_CODEC_CODERS)
(PD_CBUF(codec_key, keys), PD_CBUF(pd_u32, record), PD_CBUF(pd_u64, totals),
 PD_CBUF(pd_u32, table), PD_CBUF(pd_u16, chain), PD_BUF(pd_u32, stream), PD_CBUF(pd_u64, pairs),
 PD_CBUF(pd_u8, tokens), PD_PARAMS(padic_k_codec_stream_params, k))
{
    PD_LOCAL pd_u64 each[288];
    PD_LOCAL pd_u64 part[36];
#if PD_HAS_WARPS
    PD_LOCAL pd_u32 begins[257]; // bit where a group's plain bits begin, from `to` on
    PD_LOCAL pd_u32 edge[257];   // the word in which they do, if they are not all of it
    PD_LOCAL pd_u32 strings[8u * CODEC_STRING];
    PD_LPTR(pd_u32) string = strings + PD_LID / 32u * CODEC_STRING;
    const pd_u32 lane = PD_LID % 32u;
#else
    PD_LOCAL pd_u32 plain[CODEC_PLAIN_WORDS];
    (void)tokens;
#endif
    PD_LOCAL pd_u32 held[CODEC_RECORD + 4u]; // as scalar registers are few
    const pd_u32 l = PD_LID;
    const pd_u32 kind = PD_CODEC_BOUND ? CODEC_FLOAT : k.kind;
    const codec_bare flip = codec_flip(kind), fold = codec_fold_of(kind);
    PD_GPTR(pd_u8) bytes = (PD_GPTR(pd_u8))stream;
    pd_u32 block;
    if (totals[1] > PD_U64(k.room_lo, k.room_hi)) return;
    for (block = PD_GRP; block < k.blocks; block += PD_NGRP) {
        PD_GPTR(const pd_u32) r = record + (pd_u64)block * CODEC_RECORD;
        PD_GPTR(const pd_u32) t = table + (pd_u64)block * CODEC_TABLE;
        const pd_u64 base = PD_U64(k.array_lo, k.array_hi) + codec_start(block, k);
        const pd_u32 n = codec_count(block, k), how = t[CODEC_HOW];
        const pd_u32 words = t[CODEC_WORDS16];
        const pd_u64 chained = codec_chain_end(block, n, k) - words;
        pd_u64 at = PD_U64(k.packed_lo, k.packed_hi) + PD_U64(r[CODEC_BODY], r[CODEC_BODY + 1u]);
        codec_bare lower;
        PD_GPTR(pd_u32) to;
        pd_u32 tile, i, j, over, end, bit, carry, shift, step, delta;
#if PD_HAS_WARPS
        PD_GPTR(const pd_u8) from = tokens + codec_start(block, k);
        const pd_u32 whole = codec_start(block, k) % 4u == 0u ? 1u : 0u;
        const pd_u32 widest = t[CODEC_WIDEST];
        pd_u32 chunk, have_edge;
#endif
#if PD_CODEC_BOUND
        pd_f32 scale;
        codec_inverse inverse;
        codec_num instead;
        codec_bare highest;
#endif
        if (r[CODEC_MODE] < CODEC_PLAIN || r[CODEC_WIDTH] != CODEC_CODED) continue;
#if PD_HAS_WARPS
        codec_put_table(bytes, at + 3u, t[l] >> 16, how & 2u ? 0u : 1u, each, part, begins);
#endif
        if (l == 0u) {
            codec_put(bytes, at, 2u | t[CODEC_WIDEST] << 8 | (how & 2u ? 1u : 4u) << 16, 3u);
            if (how & 2u)
                bytes[at + 3u] = (pd_u8)(how >> 8);
            else
#if PD_HAS_WARPS
                codec_put(bytes, at + 3u + t[CODEC_TABLES], words, 4u);
#else
                codec_put(bytes, at + 3u + codec_put_table(bytes, at + 3u, t), words, 4u);
#endif
        }
        at += how & 2u ? 4u : 7u + t[CODEC_TABLES];
        if (!(how & 2u)) {
            if (l < 32u) codec_put(bytes, at + 4u * l, t[CODEC_STATES + l], 4u);
            at += 128u;
            codec_put_chain(stream, at, chain + chained, words);
            at += 2u * (pd_u64)words;
        }
        if (l == 0u) codec_put(bytes, at, t[CODEC_PLAINS], 4u);
#if PD_HAS_WARPS
        for (i = l; i < 8u * CODEC_STRING; i += 256u) strings[i] = 0u;
        for (i = l; i < 257u; i += 256u) edge[i] = 0u;
#else
        for (i = l; i < CODEC_PLAIN_WORDS; i += 256u) plain[i] = 0u;
#endif
        if (l < CODEC_RECORD) held[l] = r[l];
#if CODEC_WIDE
        if (l == CODEC_RECORD) {
            held[l] = k.wide_lo;
            held[l + 1u] = k.wide_hi;
            held[l + 2u] = k.most2;
            held[l + 3u] = k.most_hi;
        }
#endif
        PD_BARRIER();
        shift = held[CODEC_SHIFT];
        step = held[CODEC_STEP];
        delta = held[CODEC_MODE] == CODEC_DELTA ? 1u : 0u;
#if PD_CODEC_BOUND
        scale = PD_AS_F32(held[CODEC_SCALE]);
        instead = CODEC_INSTEAD(held);
#if CODEC_WIDE
        inverse = PD_U64(held[CODEC_RECORD], held[CODEC_RECORD + 1u]);
        highest = PD_U64(held[CODEC_RECORD + 2u], held[CODEC_RECORD + 3u]);
#else
        inverse = PD_AS_F32(held[CODEC_FACTOR]);
        highest = CODEC_MOST_SCALED;
#endif
#endif
        lower = (codec_bare)(PD_U64(held[CODEC_FIRST], held[CODEC_FIRST + 1u]) - codec_bias(kind));
        at += 4u;
        over = (pd_u32)at & 3u; // bits are counted from a whole word on
        to = stream + (at >> 2);
        bit = 8u * over;
        end = over + t[CODEC_PLAINS];
#if PD_HAS_WARPS
        for (chunk = 0u; chunk < n; chunk += 256u * CODEC_GROUP) {
            const pd_u32 here = n - chunk < 256u * CODEC_GROUP ? n - chunk : 256u * CODEC_GROUP;
            const pd_u32 groups = (here + CODEC_GROUP - 1u) / CODEC_GROUP;
            codec_begins(from, whole, chunk, n, bit, each, part, begins);
            bit = begins[256];
            for (tile = chunk; tile < chunk + here; tile += 8u * CODEC_GROUP) {
                const pd_u32 e = tile + 8u * l, row = (e - chunk) / CODEC_GROUP;
                const pd_u32 begin = begins[row], behind = begins[row + 1u];
                pd_u64 word[8u / CODEC_PER], some, extras, bits = 0u;
                codec_num y[8], before = 0, last;
                pd_u32 low[8], high[8], have, spot;
                codec_item(word, keys, pairs, base, e, n);
                some = codec_eight_tokens(from, whole, e, n);
                if (lane == 0u && e < n) before = CODEC_NUMBER(keys[base + (e ? e - 1u : 0u)]);
                for (j = 0u; j < 8u; j++)
                    y[j] = CODEC_NUMBER((codec_key)(word[j / CODEC_PER] >>
                                                    (j % CODEC_PER * (CODEC_BITS & 63u))));
                last = (codec_num)CODEC_SHUFFLE_UP(y[7], 1u);
                if (lane) before = last;
                codec_digits(low, high, y, before, lower, shift, step, delta,
                             widest + step > 28u ? 1u : 0u);
                extras = PD_U64(codec_extras((pd_u32)some), codec_extras((pd_u32)(some >> 32)));
                spot = codec_bytes_sum((pd_u32)extras) + codec_bytes_sum((pd_u32)(extras >> 32));
                have = spot;
                for (j = 1u; j < 32u; j *= 2u) have = PD_SUM_UP(have, j);
                spot = begin + have - spot;
                have = spot & 31u;
                spot = (spot >> 5) - (begin >> 5);
                if (widest <= 15u) {
                    codec_append_8(string + spot, low, extras, have);
                } else {
                    for (j = 0u; j < 8u; j++) {
                        const pd_u32 extra = (pd_u32)(extras >> (8u * j)) & 255u;
#if CODEC_SHORT
                        codec_append(string, &bits, &have, &spot,
                                     low[j] & ((1u << (extra & 31u)) - 1u), extra);
#else
                        const pd_u64 z = PD_U64(low[j], high[j]) & (((pd_u64)1u << extra) - 1u);
                        const pd_u32 some_bits = extra < 32u ? extra : 32u;
                        codec_append(string, &bits, &have, &spot, (pd_u32)z, some_bits);
                        codec_append(string, &bits, &have, &spot, (pd_u32)(z >> 32),
                                     extra - some_bits);
#endif
                    }
                }
                if ((pd_u32)bits) PD_ATOMIC_OR_L(&string[spot], (pd_u32)bits);
                PD_BARRIER_WARP();
                for (i = ((begin + 31u) >> 5) + lane; i < behind >> 5; i += 32u) { // whole words
                    to[i] = string[i - (begin >> 5)];
                    string[i - (begin >> 5)] = 0u;
                }
                i = lane ? behind : begin; // the word in which it lies belongs to others, too
                if (lane < 2u && i & 31u && (!lane || behind >> 5 >= (begin + 31u) >> 5)) {
                    i = (i >> 5) - (begin >> 5);
                    PD_ATOMIC_OR_L(&edge[row + lane], string[i]);
                    string[i] = 0u;
                }
                PD_BARRIER_WARP();
            }
            PD_BARRIER();
            // Words in which groups begin: the first of those that share one puts them together.
            have_edge = carry = 0u;
            for (i = l; i <= groups; i += 256u) {
                const pd_u32 spot = begins[i] >> 5;
                pd_u32 x = 0u;
                if ((begins[i] & 31u) == 0u ||
                    (i && begins[i - 1u] >> 5 == spot && (begins[i - 1u] & 31u)))
                    continue;
                for (j = i; j <= groups && begins[j] >> 5 == spot; j++) x |= edge[j];
                if (j > groups && chunk + here < n) { // the next chunk goes on in it
                    have_edge = 1u;
                    carry = x;
                } else if (spot == 0u && over) {
                    codec_put_some((PD_GPTR(pd_u8))to, 0u, x >> (8u * over), over, end);
                } else if (4u * spot + 4u <= end) {
                    to[spot] = x;
                } else {
                    codec_put_some((PD_GPTR(pd_u8))to, 4u * spot, x, 0u, end - 4u * spot);
                }
            }
            PD_BARRIER();
            for (i = l; i < 257u; i += 256u) edge[i] = 0u;
            PD_BARRIER();
            if (have_edge) edge[0] = carry;
            PD_BARRIER();
        }
#else
        for (tile = 0u; tile < n; tile += CODEC_TILE) {
            const pd_u32 e = tile + l * CODEC_EACH;
            codec_bare z[CODEC_EACH];
            pd_u32 extra[CODEC_EACH], here = 0u, own, full;
            for (j = 0u; j < CODEC_EACH; j++) extra[j] = 0u;
            if (e < n) {
                codec_num before = CODEC_NUMBER(keys[base + (e ? e - 1u : 0u)]);
                codec_num y[CODEC_EACH];
                CODEC_LOAD_NUMBERS(y, e);
                for (j = 0u; j < CODEC_EACH; j++) {
                    const codec_bare digit =
                        codec_low_digit(y[j], before, lower, shift, step, delta);
#if CODEC_SHORT
                    const pd_u32 token = delta ? codec_steep_token(y[j], before, step)
                                               : codec_flat_token(y[j], lower, shift, step);
#else
                    const pd_u32 token = codec_class(digit);
#endif
                    extra[j] = codec_extra(token) & (0u - ((e + j - n) >> 31)); // 0 behind the end
                    z[j] = digit & (((codec_bare)1u << extra[j]) - 1u);
                    before = y[j];
                    here += extra[j];
                }
            }
            own = codec_before32(each, part, here);
            here = (bit & 31u) + (pd_u32)CODEC_TOTAL(part);
            if (e < n) {
                pd_u32 x = (bit & 31u) + own, have = x & 31u;
                pd_u64 bits = 0u;
                x >>= 5;
                for (j = 0u; j < CODEC_EACH; j++) {
#if CODEC_SHORT
                    codec_pour(plain, &bits, &have, &x, (pd_u32)z[j], extra[j]);
#else
                    const pd_u32 low = extra[j] < 32u ? extra[j] : 32u;
                    codec_pour(plain, &bits, &have, &x, (pd_u32)z[j], low);
                    codec_pour(plain, &bits, &have, &x, (pd_u32)(z[j] >> 32), extra[j] - low);
#endif
                }
                if (have) PD_ATOMIC_OR_L(&plain[x], (pd_u32)bits);
            }
            PD_BARRIER();
            full = here >> 5;
            for (i = l; i < full; i += 256u) {
                if ((bit >> 5) + i == 0u && over)
                    codec_put_some((PD_GPTR(pd_u8))to, 0u, plain[i] >> (8u * over), over, 4u);
                else
                    to[(bit >> 5) + i] = plain[i];
                plain[i] = 0u;
            }
            carry = plain[full];
            PD_BARRIER();
            if (l == 0u) {
                plain[full] = 0u;
                plain[0] = carry;
            }
            bit = (bit & ~31u) + here;
        }
        PD_BARRIER();
        if (l == 0u) {
            i = bit >> 5;
            j = i ? 0u : over;
            codec_put_some((PD_GPTR(pd_u8))to, 4u * i, plain[0] >> (8u * j), j, end - 4u * i);
        }
#endif
        PD_BARRIER();
    }
}
