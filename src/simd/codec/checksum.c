// @per-level
#if !defined(PADIC_NO_CODEC) && PADICI_ISA_LEVEL <= 3

PADICI_TARGET PADICI_INLINE PADICI_V PADICI_CK(mix)(PADICI_V x)
{
    x = PADICI_L(mul64)(x, PADICI_L(all)(UINT64_C(0xbf58476d1ce4e5b9)));
    x = PADICI_L(bit_xor)(x, PADICI_L(high)(x));
    x = PADICI_L(mul64)(x, PADICI_L(all)(UINT64_C(0x94d049bb133111eb)));
    return PADICI_L(bit_xor)(x, PADICI_L(srl)(x, PADICI_L(all)(29)));
}

// The sum of mix(word ^ key), two vectors at a time, each with its own sum; keys are a step apart.
PADICI_TARGET static uint64_t PADICI_CK(checksum)(const void *data, size_t size, uint64_t seed)
{
    const uint64_t step = UINT64_C(0x9e3779b97f4a7c15);
    const uint64_t first = (seed + 1) * UINT64_C(0xd1342543de82ef95);
    const uint8_t *p = (const uint8_t *)data;
    const size_t words = size / 8 - size / 8 % (2 * PADICI_LANES);
    const PADICI_V near_step = PADICI_L(all)(PADICI_LANES * step);
    const PADICI_V far_step = PADICI_L(all)(2 * PADICI_LANES * step);
    uint64_t keys[PADICI_LANES], lanes[PADICI_LANES], sum = 0;
    PADICI_V key, a = PADICI_L(all)(0), b = a;
    size_t i;
    for (i = 0; i < PADICI_LANES; i++) keys[i] = first + i * step;
    key = PADICI_L(load)(keys);
    for (i = 0; i < words; i += 2 * PADICI_LANES, p += 16 * PADICI_LANES) {
        const PADICI_V x = PADICI_L(bit_xor)(PADICI_L(load)(p), key);
        const PADICI_V y = PADICI_L(bit_xor)(PADICI_L(load)(p + 8 * PADICI_LANES),
                                         PADICI_L(add)(key, near_step));
        a = PADICI_L(add)(a, PADICI_CK(mix)(x));
        b = PADICI_L(add)(b, PADICI_CK(mix)(y));
        key = PADICI_L(add)(key, far_step);
    }
    PADICI_L(store)(lanes, PADICI_L(add)(a, b));
    for (i = 0; i < PADICI_LANES; i++) sum += lanes[i];
    return sum + padici_simd_codec_checksum_end((const uint8_t *)data, size, words, seed);
}

#endif
