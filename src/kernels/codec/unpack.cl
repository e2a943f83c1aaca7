// unpack.cl: unpacks the blocks whose words become elements independently.

// A word of elements from the bits of as many digits. Raw elements have first 0, step 1, shift 0,
// fold 0.
PD_FN pd_u64 codec_quick(pd_u64 bits, pd_u64 first, pd_u64 step, pd_u32 width, pd_u32 shift,
                         codec_bare fold, pd_f32 scale)
{
    pd_u64 word = 0u;
#if !PD_CODEC_BOUND
    (void)scale;
#endif
#if PD_CODEC_SIZE == 8
    const pd_u64 z = bits & (width < 64u ? ((pd_u64)1u << width) - 1u : ~(pd_u64)0u);
    const pd_u64 n = first + step * z, negative = codec_sign(n);
    word = ((n ^ negative) << shift) ^ (negative & ~fold);
#if PD_CODEC_BOUND
    if (scale != 0.0f) word = codec_unscaled((codec_num)n, scale);
#endif
#else
    const pd_u32 mask = width < 32u ? (1u << width) - 1u : 0xffffffffu;
    pd_u32 j;
    for (j = 0u; j < CODEC_PER; j++) {
        const pd_u32 z = (pd_u32)(bits >> (j * width)) & mask;
        const pd_u32 n = (pd_u32)first + (pd_u32)step * z;
        const pd_u32 negative = codec_sign(n);
#if PD_CODEC_BOUND
        const pd_u32 x = scale != 0.0f ? codec_unscaled((pd_i32)n, scale)
                                       : ((n ^ negative) << shift) ^ (negative & ~fold);
#else
        const pd_u32 x = ((n ^ negative) << shift) ^ (negative & ~fold);
#endif
        word |= (pd_u64)(codec_key)x << (j * (CODEC_BITS & 63u));
    }
#endif
    return word;
}

#ifndef PD_CODEC_AHEAD
#ifdef __AMDGCN__
#define PD_CODEC_AHEAD 2u // words of an item whose bits are loaded together
#else
#define PD_CODEC_AHEAD 4u
#endif
#endif

// A chunk's elements, words from `origin` on up to element `end`, whose bits start at bit `lead` of
// *p. Adds the item's part of the checksum, whose first key is `key`, to *all.
PD_FN void codec_unpack_chunk(PD_GPTR(pd_u64) pairs, PD_GPTR(const pd_u32) p, pd_u32 lead,
                              PD_LPTR(const pd_u32) place, pd_u64 base, pd_u32 n, pd_u32 origin,
                              pd_u32 end, pd_u64 first, pd_u64 step, pd_u32 shift,
                              codec_bare fold, pd_f32 scale, pd_u64 key, pd_u64 *all)
{
    const pd_u32 l = PD_LID, last = (end + CODEC_PER - 1u) / CODEC_PER;
    pd_u64 sum = *all, x;
    pd_u32 from, i;
    for (from = origin; from + 256u * PD_CODEC_AHEAD <= end / CODEC_PER;
         from += 256u * PD_CODEC_AHEAD) {
        pd_u64 bits[PD_CODEC_AHEAD];
        pd_u32 wide[PD_CODEC_AHEAD];
        PD_GPTR(pd_u64) to = pairs + (base / CODEC_PER + from + l);
        for (i = 0u; i < PD_CODEC_AHEAD; i++) {
            const pd_u32 q = from - origin + 256u * i + l, spot = place[q / CODEC_KEYS];
            bits[i] = codec_window(p, lead + (spot >> 7) +
                                          q % CODEC_KEYS * CODEC_PER * (spot & 127u));
            wide[i] = spot & 127u;
        }
        for (i = 0u; i < PD_CODEC_AHEAD; i++) {
            x = codec_quick(bits[i], first, step, wide[i], shift, fold, scale);
            sum += codec_mix(x ^ key);
            key += 256u * CODEC_GOLDEN;
            to[256u * i] = x;
        }
    }
    for (from += l; from < last; from += 256u) {
        const pd_u32 spot = place[(from - origin) / CODEC_KEYS];
        x = codec_window(p, lead + (spot >> 7) +
                                (from - origin) % CODEC_KEYS * CODEC_PER * (spot & 127u));
        x = codec_quick(x, first, step, spot & 127u, shift, fold, scale);
        if ((from + 1u) * CODEC_PER > n) // the last elements
            x &= ((pd_u64)1u << ((n - from * CODEC_PER) * CODEC_BITS & 63u)) - 1u;
        sum += codec_mix(x ^ key);
        key += 256u * CODEC_GOLDEN;
        codec_set_word(pairs, base, from, n, x);
    }
    *all = sum;
}

// The end of a block: `again`: it needs `remainder`; `left`: bytes of bits that belong to no word.
PD_FN void codec_end_block(PD_GPTR(pd_u32) r, PD_GPTR(pd_u32) status, PD_LPTR(pd_u64) each,
                           pd_u64 sum, pd_u32 block, pd_u32 n, pd_u32 left, pd_u32 again)
{
    sum = codec_all(each, sum, CODEC_ADD) + codec_sum_end((pd_u64)n * PD_CODEC_SIZE, block);
    if (PD_LID == 0u && again) {
        r[CODEC_STEP] = 1u;
        PD_ATOMIC_OR_G(status + 1, CODEC_SOME_LEFT);
    }
    if (PD_LID == 0u && !again &&
        (left || (!codec_has_off(r) && sum != PD_U64(r[CODEC_SUM], r[CODEC_SUM + 1u]))))
        codec_bad(status, block);
}

// Unpacks regular blocks whose words become elements independently; CODEC_STEP of the others'
// records becomes 1. Under CODEC_NARROW, with k.writing, differences are left to `narrow`.
PD_KERNEL_MIN(padic_k_codec_unpack, PD_CODEC_WG, PD_CODEC_UNPACKERS)
(PD_CBUF(pd_u32, stream), PD_BUF(pd_u32, record), PD_BUF(pd_u64, pairs), PD_BUF(pd_u32, status),
 PD_PARAMS(padic_k_codec_stream_params, k))
{
    PD_LOCAL pd_u64 each[288];
    PD_LOCAL pd_u64 part[36];
    PD_LOCAL pd_u32 place[256];
    pd_u32 block;
    if (status[2]) return;
    for (block = PD_GRP; block < k.blocks; block += PD_NGRP) {
        PD_GPTR(pd_u32) r = record + (pd_u64)block * CODEC_RECORD;
        const pd_u64 base = PD_U64(k.array_lo, k.array_hi) + codec_start(block, k);
        const pd_u32 n = codec_count(block, k);
        const pd_u64 first = PD_U64(r[CODEC_FIRST], r[CODEC_FIRST + 1u]);
        const pd_u64 step = PD_U64(r[CODEC_FACTOR], r[CODEC_FACTOR + 1u]);
        const pd_u32 mode = r[CODEC_MODE], shift = r[CODEC_SHIFT];
        const codec_bare fold = mode == CODEC_RAW ? 0u : codec_fold_of(k.kind);
        const pd_f32 scale = PD_AS_F32(r[CODEC_SCALE]);
        pd_u64 at = PD_U64(k.packed_lo, k.packed_hi) + PD_U64(r[CODEC_BODY], r[CODEC_BODY + 1u]);
        pd_u64 sum = 0u;
        pd_u32 left = r[CODEC_BYTES], again = 0u, chunk; // left: bytes of bits remaining
        if (mode == CODEC_BAD || r[CODEC_WIDTH] == 66u) continue;
#if CODEC_NARROW
        if (mode == CODEC_DELTA && k.writing) continue;
#endif
        if (base % CODEC_PER || mode == CODEC_DELTA) again = 1u;
        for (chunk = 0u; chunk < n && !again; chunk += 256u * CODEC_GROUP) {
            const pd_u32 end =
                n - chunk < 256u * CODEC_GROUP ? n : chunk + 256u * CODEC_GROUP;
            // Computed before the wait for the offsets: on an H200 a tenth faster than after it.
            const pd_u32 origin = chunk / CODEC_PER, lead = (pd_u32)(at & 3u) * 8u;
            PD_GPTR(const pd_u32) p = stream + (at >> 2);
            const pd_u64 key = codec_seed(block) + (origin + PD_LID) * CODEC_GOLDEN;
            const pd_u64 total =
                codec_places(stream, r, PD_U64(k.packed_lo, k.packed_hi), n, chunk / CODEC_GROUP,
                             k.kind, each, part, place);
            if (total > left) {
                again = 1u;
                break;
            }
            codec_unpack_chunk(pairs, p, lead, place, base, n, origin, end, first, step, shift,
                               fold, scale, key, &sum);
            at += total;
            left -= (pd_u32)total;
        }
        codec_end_block(r, status, each, sum, block, n, left, again);
        PD_BARRIER();
    }
}
