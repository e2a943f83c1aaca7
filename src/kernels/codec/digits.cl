// digits.cl: stored values of words: their distance to the least one, or folded differences.

// The rule for digits from words.
typedef struct {
    codec_bare lower; // the least word, less the bias
    pd_u32 shift, step;
    pd_u32 delta;  // 1: from differences
    pd_u32 widest; // most plain bits of a token
} codec_stages;

// The digit of a word relative to the least one, and of a difference: in 32 bits, without its sign.
PD_FN codec_bare codec_flat(codec_num y, codec_bare lower, pd_u32 shift, pd_u32 step)
{
    return ((codec_bare)(y >> shift) - lower) >> step;
}

#if CODEC_SHORT
PD_FN pd_u32 codec_flat_token(pd_i32 y, pd_u32 lower, pd_u32 shift, pd_u32 step)
{
    return codec_class(codec_flat(y, lower, shift, step));
}

PD_FN pd_u32 codec_steep_token(pd_i32 y, pd_i32 before, pd_u32 step)
{
    const pd_u32 less = y < before ? 0xffffffffu : 0u;
    const pd_u32 size = (((pd_u32)y - (pd_u32)before) ^ less) >> step, length = 32u - PD_CLZ(size);
    const pd_u32 extra = length > 2u ? length - 2u : 0u;
    return 4u * extra + (pd_u32)(((pd_u64)size << 1 | (less & 1u)) >> extra);
}

// The lowest 32 bits of the digit.
PD_FN pd_u32 codec_low_digit(pd_i32 y, pd_i32 before, pd_u32 lower, pd_u32 shift, pd_u32 step,
                             pd_u32 delta)
{
    const pd_u32 less = y < before ? 0xffffffffu : 0u;
    return delta ? (((pd_u32)y - (pd_u32)before) ^ less) >> step << 1 | (less & 1u)
                 : codec_flat(y, lower, shift, step);
}
#else
PD_FN pd_u64 codec_low_digit(pd_i64 y, pd_i64 before, pd_u64 lower, pd_u32 shift, pd_u32 step,
                             pd_u32 delta)
{
    return delta ? codec_fold(codec_right((pd_u64)y - (pd_u64)before, step))
                 : codec_flat(y, lower, shift, step);
}

PD_FN pd_u32 codec_flat_token(pd_i64 y, pd_u64 lower, pd_u32 shift, pd_u32 step)
{
    return codec_class(codec_flat(y, lower, shift, step));
}

PD_FN pd_u32 codec_steep_token(pd_i64 y, pd_i64 before, pd_u32 step)
{
    return codec_class(codec_low_digit(y, before, 0u, 0u, step, 1u));
}
#endif

#if PD_HAS_WARPS
// Digits of 8 words, and their bits above 32. `far_off`: differences may have 33 bits (SIZE 4).
PD_FN void codec_digits(pd_u32 low[8], pd_u32 high[8], const codec_num y[8], codec_num before,
                        codec_bare lower, pd_u32 shift, pd_u32 step, pd_u32 delta, pd_u32 far_off)
{
    pd_u32 i;
    if (!delta) {
        for (i = 0u; i < 8u; i++) {
            const codec_bare flat = ((codec_bare)(y[i] >> shift) - lower) >> step;
            low[i] = (pd_u32)flat;
            high[i] = (pd_u32)((pd_u64)flat >> 32);
        }
        return;
    }
#if PD_CODEC_SIZE == 4
    if (far_off) {
        for (i = 0u; i < 8u; i++) {
            const pd_u32 less = y[i] < before ? 0xffffffffu : 0u;
            const pd_u32 size = (((pd_u32)y[i] - (pd_u32)before) ^ less) >> step;
            low[i] = size << 1 | (less & 1u);
            high[i] = size >> 31;
            before = y[i];
        }
        return;
    }
#else
    (void)far_off;
#endif
    for (i = 0u; i < 8u; i++) {
        const codec_num d = (codec_num)((codec_bare)y[i] - (codec_bare)before) >> step;
        const codec_bare folded = (codec_bare)d << 1 ^ (codec_bare)(d >> (CODEC_NUM_BITS - 1u));
        low[i] = (pd_u32)folded;
        high[i] = (pd_u32)((pd_u64)folded >> 32);
        before = y[i];
    }
}

PD_FN void codec_raw_digits(pd_u32 low[8], pd_u32 high[8], const pd_u64 word[8u / CODEC_PER])
{
    pd_u32 i;
    for (i = 0u; i < 8u; i++) {
        const pd_u64 bits = word[i / CODEC_PER] >> (i % CODEC_PER * (CODEC_BITS & 63u));
        low[i] = (pd_u32)(codec_key)bits;
        high[i] = (pd_u32)((pd_u64)(codec_key)bits >> 32);
    }
}
#endif
