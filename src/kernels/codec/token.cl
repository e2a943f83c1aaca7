// token.cl: a digit as a token and plain bits, as in coded blocks.

// A word as magnitude bucket, two bits below the leading one; the lower bits are plain.
PD_FN pd_u32 codec_class(pd_u64 z)
{
    const pd_u32 length = codec_length(z), extra = length > 3u ? length - 3u : 0u;
    return 4u * extra + (pd_u32)(z >> extra);
}

#if PD_HAS_WARPS
PD_FN pd_u32 codec_class32(pd_u32 z) // the highest bits of z / 2^128 as f32, which may be subnormal
{
    return PD_AS_U32(PD_F32_DOWN(z) * PD_AS_F32(0x200000u)) >> 21;
}
#endif

PD_FN pd_u32 codec_extra(pd_u32 token) // plain bits
{
    const pd_u32 length = token >> 2;
    return (length > 1u ? length : 1u) - 1u;
}

// Plain bits of four tokens, one byte each.
PD_FN pd_u32 codec_extras(pd_u32 four)
{
    const pd_u32 lengths = four >> 2 & 0x3f3f3f3fu;
    return lengths - ((lengths + 0x7f7f7f7fu) >> 7 & 0x01010101u); // less 1, but 0 stays
}

PD_FN pd_u32 codec_bytes_sum(pd_u32 four) // total below 256
{
    return four * 0x01010101u >> 24;
}

PD_FN pd_u32 codec_extras_sum(pd_u64 eight)
{
    return codec_bytes_sum(codec_extras((pd_u32)eight)) +
           codec_bytes_sum(codec_extras((pd_u32)(eight >> 32)));
}

#if PD_HAS_WARPS
// Tokens from e on; past the end 0, without plain bits. `whole`: they are aligned to words.
PD_FN pd_u64 codec_eight_tokens(PD_GPTR(const pd_u8) tokens, pd_u32 whole, pd_u32 e, pd_u32 n)
{
    PD_GPTR(const pd_u32) four = (PD_GPTR(const pd_u32))(PD_GPTR(const void))(tokens + e);
    const pd_u32 left = e < n ? n - e : 0u;
    pd_u64 some = 0u;
    pd_u32 i;
    if (whole && left >= 8u) return PD_U64(four[0], four[1]);
    for (i = left < 8u ? left : 8u; i > 0u; i--) some = some << 8 | tokens[e + i - 1u];
    return some;
}

// The first plain bit of each group of a chunk, from `bit` on, and (begins[256]) their end. Ends
// with a barrier.
PD_FN void codec_begins(PD_GPTR(const pd_u8) tokens, pd_u32 whole, pd_u32 chunk, pd_u32 n,
                        pd_u32 bit, PD_LPTR(pd_u64) each, PD_LPTR(pd_u64) part,
                        PD_LPTR(pd_u32) begins)
{
    const pd_u32 l = PD_LID, left = (n - chunk + CODEC_GROUP - 1u) / CODEC_GROUP;
    const pd_u32 groups = left < 256u ? left : 256u;
    pd_u32 turn, g, j;
    for (turn = 0u; turn < groups; turn += 32u) { // a warp adds up four groups
        pd_u32 e;
        pd_u64 sums = 0u;
        g = turn + l / 32u * 4u;
        e = chunk + g * CODEC_GROUP + l % 32u * 8u;
        if (whole && e + 3u * CODEC_GROUP + 8u <= n) { // loads are issued together
            PD_GPTR(const pd_u32) four = (PD_GPTR(const pd_u32))(PD_GPTR(const void))(tokens + e);
            pd_u64 some[4];
            for (j = 0u; j < 4u; j++)
                some[j] = PD_U64(four[CODEC_GROUP / 4u * j], four[CODEC_GROUP / 4u * j + 1u]);
            for (j = 0u; j < 4u; j++) sums |= (pd_u64)codec_extras_sum(some[j]) << (16u * j);
        } else {
            for (j = 0u; j < 4u; j++)
                sums |= (pd_u64)codec_extras_sum(codec_eight_tokens(tokens, whole,
                                                                    e + j * CODEC_GROUP, n))
                        << (16u * j);
        }
        sums = PD_U64(PD_WARP_SUM(sums), PD_WARP_SUM(sums >> 32)); // 16 bits each
        if (l % 32u < 4u) begins[g + l % 32u] = (pd_u32)(sums >> (l % 32u * 16u)) & 0xffffu;
    }
    PD_BARRIER();
    j = l < groups ? begins[l] : 0u;
    g = bit + codec_before32(each, part, j);
    begins[l] = g;
    if (l == 255u) begins[256] = g + j;
    PD_BARRIER();
}
#endif
