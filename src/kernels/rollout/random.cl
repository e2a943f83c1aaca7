// random.cl: the random words and numbers of NOISE nodes.
#define ROLLOUT_LAPLACE 1u // types, as padic_rollout_noise_type
#define ROLLOUT_MULTIPLICATIVE 2u
#define ROLLOUT_DROPOUT 3u

typedef struct {
    pd_u32 a, b, c, d;
} rollout_words;

// Philox4x32-10.
PD_FN rollout_words rollout_philox(pd_u32 block, pd_u32 t, pd_u32 low, pd_u32 high, pd_u32 seed_low,
                                   pd_u32 seed_high)
{
    rollout_words w;
    pd_u32 k0 = seed_low, k1 = seed_high;
    w.a = block;
    w.b = t;
    w.c = low;
    w.d = high;
    for (pd_u32 round = 0u; round < 10u; round++) {
        const pd_u32 p_high = PD_MULHI32(0xd2511f53u, w.a), p_low = 0xd2511f53u * w.a;
        const pd_u32 q_high = PD_MULHI32(0xcd9e8d57u, w.c), q_low = 0xcd9e8d57u * w.c;
        w.a = q_high ^ w.b ^ k0;
        w.c = p_high ^ w.d ^ k1;
        w.b = q_low;
        w.d = p_low;
        k0 += 0x9e3779b9u;
        k1 += 0xbb67ae85u;
    }
    return w;
}

PD_FN pd_u32 rollout_word(const rollout_words w, pd_u32 i)
{
    return i == 0u ? w.a : i == 1u ? w.b : i == 2u ? w.c : w.d;
}

// A quantile of a word: a polynomial in the place in an octave, as core/normal.c.
PD_FN pd_f32 rollout_normal(PD_GPTR(const pd_u32) quantiles, pd_u32 word)
{
    const pd_u32 x = word << 1 | 1u, zeros = PD_CLZ(x), c = 8u * (31u - zeros);
    const pd_f32 s = (pd_f32)((pd_i32)((x << zeros) >> 8) - 3 * 4194304) * (1.0f / 4194304.0f);
    pd_f32 sum = PD_AS_F32(quantiles[c + 7u]);
    for (pd_u32 i = 7u; i > 0u; i--) sum = sum * s + PD_AS_F32(quantiles[c + i - 1u]);
    return (word >> 31) > 0u ? -sum : sum;
}

PD_FN pd_f32 rollout_laplace(pd_u32 word)
{
    const pd_u32 x = word << 1 | 1u, zeros = PD_CLZ(x);
    const pd_f32 s = (pd_f32)((pd_i32)((x << zeros) >> 8) - 3 * 4194304) * (1.0f / 4194304.0f);
    pd_f32 z = 2.40291829e-05f;
    z = z * s + -8.00299094e-05f;
    z = z * s + 0.000224036601f;
    z = z * s + -0.000811479054f;
    z = z * s + 0.00308810105f;
    z = z * s + -0.0123489685f;
    z = z * s + 0.0555553436f;
    z = z * s + -0.333333075f;
    z = z * s + 0.287682086f;
    z = z + (pd_f32)zeros * 0.693147182f;
    if (z < 0.0f) z = 0.0f;
    return (word >> 31) > 0u ? -z : z;
}
