// strings.cl: the bits of a group, made by a warp.

#if PD_HAS_WARPS
// A warp makes the bits of a group: an item those of 8 digits, which are `width` whole bytes, from
// byte `at` of `to` on. The bytes behind the last whole word come back, to be put into the word
// *spot, if there are any: *left bits, with those of the item before.
#define CODEC_STRING (8u * (CODEC_BITS + 1u) + 4u) // words

// With a width that the compiler knows.
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
        x = codec_string(string, low, n, at_byte, &spot, &unit); \
        break;
#endif
