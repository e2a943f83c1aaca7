// strings.cl: the bits of a group, made by a warp.

#if PD_HAS_WARPS
// A warp writes the bits of a group: each item those of 8 digits, which are `width` whole bytes,
// from byte `at` of `to` on. Returns the bytes after the last whole word, for the word *spot if
// there are any: *left bits, including those of the previous item.
#define CODEC_STRING (8u * (CODEC_BITS + 1u) + 4u) // words

// With a width known at compile time.
PD_FN pd_u32 codec_string(PD_LPTR(pd_u32) to, const pd_u32 z[8], pd_u32 width, pd_u32 at,
                          pd_u32 *spot, pd_u32 *left)
{
    const pd_u32 whole = width >> 2, skip = 8u * (at & 3u);
    pd_u32 word[9], last = 0u, i;
    for (i = 0u; i < 9u; i++) word[i] = 0u;
    for (i = 0u; i < 8u; i++) {
        const pd_u32 bit = i * width;
        word[bit >> 5] |= z[i] << (bit & 31u);
        if ((bit & 31u) + width > 32u) word[(bit >> 5) + 1u] |= z[i] >> ((32u - bit) & 31u);
    }
    *spot = at >> 2;
    *left = 0u;
    if (width < 4u) {
        PD_LPTR(pd_u8) bytes = (PD_LPTR(pd_u8))to;
        for (i = 0u; i < width; i++) bytes[at + i] = (pd_u8)(word[0] >> (8u * i));
        return 0u;
    }
    for (i = 0u; i < whole; i++) {
        to[*spot + i] = (pd_u32)(PD_U64(last, word[i]) << skip >> 32);
        last = word[i];
    }
    *spot += whole;
    *left = skip + 8u * (width & 3u);
    i = (pd_u32)(PD_U64(last, word[whole]) << skip >> 32);
    if (*left >= 32u) {
        to[*spot] = i;
        *spot += 1u;
        *left -= 32u;
        i = (pd_u32)((pd_u64)word[whole] << skip >> 32);
    }
    return i;
}

#if PD_CODEC_SIZE > 2
// Any width: `high` has the bits above 32.
PD_FN pd_u32 codec_string_wide(PD_LPTR(pd_u32) to, const pd_u32 z[8], const pd_u32 high[8],
                               pd_u32 width, pd_u32 at, pd_u32 *spot, pd_u32 *left)
{
    const pd_u32 skip = 8u * (at & 3u);
    pd_u64 bits = 0u;
    pd_u32 have = 0u, last = 0u, i;
    *spot = at >> 2;
    for (i = 0u; i < 16u; i++) {
        bits |= (pd_u64)(i & 1u ? high[i / 2u] : z[i / 2u]) << have;
        have += i & 1u ? width - 32u : 32u;
        if (have < 32u) continue;
        to[*spot] = (pd_u32)(PD_U64(last, (pd_u32)bits) << skip >> 32);
        last = (pd_u32)bits;
        bits >>= 32;
        have -= 32u;
        *spot += 1u;
    }
    *left = skip + have;
    i = (pd_u32)(PD_U64(last, (pd_u32)bits) << skip >> 32);
    if (*left >= 32u) {
        to[*spot] = i;
        *spot += 1u;
        *left -= 32u;
        i = (pd_u32)((pd_u64)(pd_u32)bits << skip >> 32);
    }
    return i;
}
#endif
#define CODEC_STRINGS(n)                                      \
    case n:                                                   \
        x = codec_string(to, low, n, at, &spot, &left); \
        break;

// Any width; the items' leftovers are combined into the words that they share.
PD_FN void codec_make_string(PD_LPTR(pd_u32) to, const pd_u32 low[8], const pd_u32 high[8],
                             pd_u32 width, pd_u32 at)
{
    pd_u32 spot = 0u, left = 0u, x = 0u;
#if PD_CODEC_SIZE <= 2
    (void)high;
#endif
    switch (width) {
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
    default: x = codec_string_wide(to, low, high, width, at, &spot, &left);
#else
    default: x = codec_string(to, low, CODEC_BITS + 1u, at, &spot, &left);
#endif
    }
    PD_BARRIER_WARP();
    if (left) to[spot] = x | (PD_LID % 32u < 31u ? to[spot] : 0u);
    PD_BARRIER_WARP();
}

// Writes bytes [over, most) of a string to the word of the stream where it starts.
PD_FN void codec_put_string(PD_GPTR(pd_u32) to, PD_LPTR(const pd_u32) string, pd_u32 over,
                            pd_u32 most)
{
    const pd_u32 lane = PD_LID % 32u;
    const pd_u32 edge = lane < 4u ? lane : (most & ~3u) + lane - 4u, first = over ? 1u : 0u;
    pd_u32 unit;
    for (unit = first + lane; 4u * unit + 4u <= most; unit += 32u) to[unit] = string[unit];
    unit = lane < 4u ? over ? over : 4u : 4u * first;
    if (lane < 8u && edge < most && edge >= unit)
        ((PD_GPTR(pd_u8))to)[edge] = ((PD_LPTR(const pd_u8))string)[edge];
}
#endif
