// places.cl: offsets of the bits of a chunk of groups.

// 1 if words of `width` bits become elements in 32 bits (SIZE below 8).
PD_FN pd_u32 codec_narrow(pd_u64 first, pd_u64 step, pd_u32 width, pd_u32 shift, pd_u32 scale)
{
#if CODEC_WIDE
    const pd_u64 from = first + PD_U64(0u, 256u); // distance to the least word
    if (scale)
        return from <= PD_U64(0u, 512u) && step >> 22 == 0u && width <= 42u &&
                       step * (((pd_u64)1u << width) - 1u) <= PD_U64(0u, 512u) - from
                   ? 1u
                   : 0u;
#elif PD_CODEC_BOUND
    const pd_u64 from = first + 0x1000000u; // distance to the least value of 25 bits
    if (scale)
        return from >> 25 == 0u && step >> 32 == 0u && width <= 25u &&
                       step * (((pd_u64)1u << width) - 1u) <= 0x1ffffffu - from
                   ? 1u
                   : 0u;
#else
    (void)scale;
#endif
    (void)first;
    (void)step;
#if PD_CODEC_SIZE == 8
    (void)width;
    (void)shift;
    return 1u;
#else
    return width <= CODEC_BITS && shift < 32u ? 1u : 0u;
#endif
}

// Offsets of the bits of a chunk of 256 groups, in place: 128 times a group's first bit, plus its
// width. Returns their size, to which 2^32 is added for each group whose words do not become
// elements in 32 bits (not checked for a kind above 3; CODEC_SLIM: whose width is above
// CODEC_SLIM_MOST), and 2^48 for each invalid width. Begins and ends with a barrier.
#define CODEC_SLIM 5u
#define CODEC_SLIM_MOST 20u // the sum of 2^11 such differences has 32 bits
PD_FN pd_u64 codec_places(PD_GPTR(const pd_u32) stream, PD_GPTR(const pd_u32) r, pd_u64 packed,
                          pd_u32 n, pd_u32 chunk, pd_u32 kind, PD_LPTR(pd_u64) each,
                          PD_LPTR(pd_u64) part, PD_LPTR(pd_u32) place)
{
    const pd_u32 g = chunk + PD_LID, groups = (n + CODEC_GROUP - 1u) / CODEC_GROUP;
    pd_u32 w = g < groups ? r[CODEC_WIDTH] : 0u;
    pd_u64 mine;
    if (w == 65u) // widths end 8 bytes before the bits of the first chunk
        w = (pd_u32)codec_take(
            stream, packed + PD_U64(r[CODEC_BODY], r[CODEC_BODY + 1u]) - 8u - groups + g, 1u);
    mine = w > 64u ? PD_U64(0u, 65536u) : w ? codec_group_bytes(g, n, w) : 0u;
    if (kind < 4u && r[CODEC_MODE] != CODEC_RAW &&
        !codec_narrow(PD_U64(r[CODEC_FIRST], r[CODEC_FIRST + 1u]),
                      PD_U64(r[CODEC_FACTOR], r[CODEC_FACTOR + 1u]), w, r[CODEC_SHIFT],
                      r[CODEC_SCALE]))
        mine += PD_U64(0u, 1u);
    if (kind == CODEC_SLIM && w > CODEC_SLIM_MOST) mine += PD_U64(0u, 1u);
    PD_BARRIER();
    mine = codec_before(each, part, mine);
    place[PD_LID] = (pd_u32)mine << 10 | (w & 127u);
    PD_BARRIER();
    return CODEC_TOTAL(part);
}
