// words.cl: words of elements, which are integers, and elements from words.

PD_FN pd_u32 codec_length(pd_u64 x) // in bits
{
    const pd_u32 high = (pd_u32)(x >> 32);
    return high ? 64u - PD_CLZ(high) : 32u - PD_CLZ((pd_u32)x);
}

PD_FN pd_u32 codec_zeros(pd_u64 x) // trailing zeros, or 0
{
    return x ? codec_length(x & (0u - x)) - 1u : 0u;
}

PD_FN pd_u64 codec_right(pd_u64 x, pd_u32 shift) // keeps the sign
{
    return (pd_u64)((pd_i64)x >> shift);
}

PD_FN pd_u64 codec_fold(pd_u64 x)
{
    return x << 1 ^ codec_right(x, 63u);
}

PD_FN pd_u64 codec_unfold(pd_u64 z)
{
    return z >> 1 ^ (0u - (z & 1u));
}

// The parameter of `codec_number`: for unsigned elements of up to 32 bits their highest bit, as the
// highest of 32; for floats all bits but the sign.
PD_FN codec_bare codec_flip(pd_u32 kind)
{
    return kind ? 0u : CODEC_TOP;
}

PD_FN codec_bare codec_fold_of(pd_u32 kind)
{
    return PD_CODEC_SIZE > 1 && kind == CODEC_FLOAT ? ((codec_bare)1u << (CODEC_BITS - 1u)) - 1u
                                                    : 0u;
}

// The bias that is added to get an element's word.
PD_FN pd_u64 codec_bias(pd_u32 kind)
{
    return kind ? 0u : CODEC_BIAS;
}

// The word, less the bias, of an element's bits; bits above them may be set.
PD_FN codec_num codec_number(codec_bare bits, codec_bare flip, codec_bare fold)
{
    // a sum, as `flip` is the highest bit or 0
    const codec_num x = (codec_num)((bits << (CODEC_NUM_BITS - CODEC_BITS)) + flip) >>
                        (CODEC_NUM_BITS - CODEC_BITS);
    return x ^ ((x >> (CODEC_NUM_BITS - 1u)) & (codec_num)fold);
}

// ---- words within a bound

// 1 if an element has no word: its size is above `most`.
PD_FN pd_u32 codec_is_off(codec_bare bits, codec_bare most)
{
    return (bits & CODEC_HIGHEST) > most ? 1u : 0u;
}

#if CODEC_WIDE
typedef pd_u64 codec_inverse;
#define CODEC_MOST_SCALED PD_U64(k.most2, k.most_hi)
#else
typedef pd_f32 codec_inverse;
#define CODEC_MOST_SCALED k.most2
#endif

// All ones if an element has no word.
PD_FN codec_bare codec_off_mask(codec_bare bits, codec_bare most)
{
    return (codec_bare)0u - ((most - (bits & CODEC_HIGHEST)) >> (CODEC_NUM_BITS - 1u));
}

// The word of an element, or `instead` if it has none. Less than 2^20; of f64 at most 2^38.
PD_FN codec_num codec_scaled(codec_bare bits, codec_inverse inverse, pd_f32 scale,
                             codec_bare most, codec_num instead)
{
    const codec_bare is_off = codec_off_mask(bits, most);
#if CODEC_WIDE
    const pd_u64 h = PD_MULHI64(bits << 11 | (pd_u64)1u << 63, inverse);
    const pd_u32 k = (PD_AS_U32(scale) >> 23) + 957u - ((pd_u32)(bits >> 52) & 2047u);
    const pd_u64 n = k > 62u ? 0u : ((h >> k) + 1u) >> 1;
    const pd_u64 negative = codec_right(bits, 63u);
    return (codec_num)((((n ^ negative) - negative) & ~is_off) | ((pd_u64)instead & is_off));
#else
    const pd_f32 y = PD_RINT(PD_AS_F32((pd_u32)(bits & ~is_off)) * inverse);
    (void)scale;
    return (codec_num)y + (instead & (codec_num)is_off);
#endif
}

// The element of a word that f32 can hold; of f64, of one up to 2^40.
PD_FN codec_bare codec_unscaled(codec_num n, pd_f32 scale)
{
#if CODEC_WIDE
    const pd_u32 bits = PD_AS_U32(scale);
    const pd_u64 negative = codec_right((pd_u64)n, 63u);
    const pd_u64 x = (((pd_u64)n ^ negative) - negative) * ((bits & 0x7fffffu) | 0x800000u);
    const pd_u32 up = 64u - codec_length(x | 1u);
    const pd_u64 m = x << up >> 11; // 53 bits, to be rounded to even
    const pd_u64 made = ((pd_u64)((bits >> 23) + 935u - up) << 52) + m +
                        ((((x << up) & 2047u) + 1023u + (m & 1u)) >> 11);
    return x ? made | (negative & (pd_u64)1u << 63) : 0u;
#else
    return PD_AS_U32((pd_f32)n * scale);
#endif
}

// For a word: 0 if f32 can hold it (f64: if it is valid).
PD_FN pd_u64 codec_wild(pd_u64 n)
{
#if CODEC_WIDE
    return n + PD_U64(0u, 256u) > PD_U64(0u, 512u) ? 1u : 0u;
#else
    return (n + 0x1000000u) >> 25;
#endif
}

// A scale as f64, and back: 0 if it is not one of 24 bits from 2^-100 to 2^101.
PD_FN pd_u64 codec_scale_wide(pd_u32 scale)
{
    return PD_U64(scale << 29, (scale >> 3) + (896u << 20));
}

PD_FN pd_u32 codec_scale_of(pd_u64 wide)
{
    const pd_u32 high = (pd_u32)(wide >> 32), low = (pd_u32)wide;
    if (high >> 20 < 923u || high >> 20 > 1123u || low & 0x1fffffffu) return 0u;
    return ((high - (896u << 20)) << 3) | (low >> 29);
}

// The rule for words from elements; with a scale, within a bound.
typedef struct {
    codec_bare flip, fold; // see codec_number
#if PD_CODEC_BOUND
    codec_inverse inverse;
    codec_bare highest; // size of an element that has a word
    codec_num instead;  // the word of all others
    pd_f32 scale;       // or 0
#if CODEC_WIDE
    pd_u32 fills; // fills the struct, otherwise a warning
#endif
#endif
} codec_rule;

PD_FN codec_num codec_word_of(codec_bare bits, const codec_rule rule)
{
#if PD_CODEC_BOUND
    if (rule.scale != 0.0f)
        return codec_scaled(bits, rule.inverse, rule.scale, rule.highest, rule.instead);
#endif
    return codec_number(bits, rule.flip, rule.fold);
}

// The rule of a block, from its record.
PD_FN codec_rule codec_rule_of(PD_GPTR(const pd_u32) r, pd_u32 kind,
                               const padic_k_codec_stream_params k)
{
    codec_rule rule;
    rule.flip = codec_flip(kind);
    rule.fold = codec_fold_of(kind);
#if PD_CODEC_BOUND
    rule.scale = PD_AS_F32(r[CODEC_SCALE]);
    rule.highest = CODEC_MOST_SCALED;
#if CODEC_WIDE
    rule.inverse = PD_U64(k.wide_lo, k.wide_hi);
    rule.instead = (codec_num)PD_U64(r[CODEC_FACTOR], r[CODEC_FACTOR + 1u]);
#else
    rule.inverse = PD_AS_F32(r[CODEC_FACTOR]);
    rule.instead = (codec_num)r[CODEC_FACTOR + 1u];
#endif
#else
    (void)r;
    (void)k;
#endif
    return rule;
}

#define CODEC_FLIP_FIRST (PD_CODEC_SIZE == 1 && !PD_CODEC_BOUND) // with 2 bytes that is slower
#if CODEC_FLIP_FIRST // all elements of a word are flipped at once
#define CODEC_FLIPPED(word, rule) \
    ((word) ^ ((rule).flip ? PD_U64(0x80808080u, 0x80808080u) : 0u))
#else
#define CODEC_FLIPPED(word, rule) (word)
#endif

// The rule for flipped words.
PD_FN codec_rule codec_flipped_rule(const codec_rule rule)
{
    codec_rule other = rule;
#if CODEC_FLIP_FIRST
    other.flip = 0u;
#endif
    return other;
}

// All ones if the highest bit of an element is 1; the bits above it in a word are ignored.
PD_FN codec_bare codec_sign(codec_bare n)
{
    return (codec_bare)((codec_num)(n << (CODEC_NUM_BITS - CODEC_BITS)) >> (CODEC_NUM_BITS - 1u));
}

// The bits of a word's element; bits above them may be set; `keep`: see codec_maker.
PD_FN codec_bare codec_bits_of(codec_bare n, pd_u32 shift, codec_bare keep)
{
    const codec_bare negative = codec_sign(n);
    return (codec_bare)((pd_u64)(n ^ negative) << shift) ^ (negative & keep);
}

// The element of a digit, or of a sum of differences.
PD_FN pd_u64 codec_element(pd_u64 z, pd_u64 first, pd_u64 step, pd_u32 mode, pd_u32 shift,
                           pd_u32 kind)
{
    const pd_u64 n = first + step * z, negative = codec_right(n << (64u - CODEC_BITS), 63u);
    if (mode == CODEC_RAW || kind != CODEC_FLOAT) return mode == CODEC_RAW ? z : n;
    return ((n ^ negative) << shift) ^ (negative << (CODEC_BITS - 1u));
}
