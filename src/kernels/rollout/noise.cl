// noise.cl: NOISE nodes: the numbers of padic_rollout_noise(), bit for bit.
typedef struct {
    pd_u32 numbers, channels, cells; // of the field
    pd_u32 type, site, t, seed_low, seed_high;
    pd_u32 quantiles, ids, realisations, scales; // words of `tables`; scales: s, 1/(1 - s)
    pd_u32 first, per_operator;
    pd_u32 a[4], map, out;
    pd_u32 clock, apart, last; // clock: word of t, plus 1 (0: k.t), with scales so many words apart
    pd_u32 field; // where normal numbers with a correlation are, plus 1; 0: they are drawn
} padic_k_rollout_noise_params;

// -ln erfc(|n|/sqrt 2), with the sign of n.
PD_FN pd_f32 rollout_to_laplace(pd_f32 n)
{
    const pd_f32 t = PD_FABS(n), l = 0.5f * (t * t) - PD_LOG(2.0f * rollout_tail(t));
    const pd_f32 size = l < 0.0f ? 0.0f : l;
    return n < 0.0f ? -size : size;
}

// The number that a NOISE node adds s of, from a word, or from a field at `at`.
PD_FN pd_f32 rollout_noise_of(PD_GPTR(const pd_f32) fields, PD_GPTR(const pd_u32) tables, pd_u32 at,
                              pd_u32 word, const padic_k_rollout_noise_params k)
{
    const pd_u32 laplace = k.type == ROLLOUT_LAPLACE ? 1u : 0u;
    if (k.field > 0u) {
        const pd_f32 n = fields[k.field - 1u + at];
        return laplace ? rollout_to_laplace(n) : n;
    }
    return laplace ? rollout_laplace(word) : rollout_normal(tables + k.quantiles, word);
}

// An item has four numbers of a field, of a block of random words.
PD_KERNEL_WG(padic_k_rollout_noise, ROLLOUT_WG)
(PD_CBUF(pd_f32, a), PD_CBUF(pd_f32, fields), PD_CBUF(pd_u32, tables), PD_BUF(pd_f32, out),
 PD_PARAMS(padic_k_rollout_noise_params, k))
{
    const pd_u32 block = PD_GRP * ROLLOUT_WG + PD_LID, trajectory = k.first + PD_GRP_Z;
    const pd_u32 n = trajectory / k.per_operator, dropout = k.type == ROLLOUT_DROPOUT ? 1u : 0u;
    const pd_u32 realisation = tables[k.realisations + trajectory - n * k.per_operator];
    const pd_u32 low = tables[k.ids + n];
    const pd_u32 high = realisation << 12 | k.site << 4 | (dropout ? 5u : 4u);
    const pd_u32 t = k.clock > 0u ? tables[k.clock - 1u] : k.t;
    const pd_u32 scales = k.scales + 2u * n + k.apart * (t < k.last ? t : k.last);
    const pd_f32 s = PD_AS_F32(tables[scales]), kept = PD_AS_F32(tables[scales + 1u]);
    const pd_u32 map = k.a[ROLLOUT_MAP] > 0u ? k.a[ROLLOUT_MAP] + PD_GRP_Z * k.map : 0u;
    const rollout_words w = rollout_philox(block, t, low, high, k.seed_low, k.seed_high);
    for (pd_u32 i = 0u; i < 4u && 4u * block + i < k.numbers; i++) {
        const pd_u32 e = 4u * block + i, c = e / k.cells, word = rollout_word(w, i);
        const pd_f32 x = rollout_mapped(fields,
                                        a[k.a[ROLLOUT_AT] + PD_GRP_Z * k.a[ROLLOUT_STEP] + e],
                                        map > 0u ? map + c : 0u, k.channels, k.a[ROLLOUT_ACT]);
        pd_f32 noise = 0.0f, y;
        if (!dropout) noise = s * rollout_noise_of(fields, tables, PD_GRP_Z * k.map + e, word, k);
        y = k.type == ROLLOUT_MULTIPLICATIVE ? x * (1.0f + noise) : x + noise;
        if (dropout) {
            const rollout_words all =
                rollout_philox(c / 4u, t, low, high, k.seed_low, k.seed_high);
            const pd_u32 own = rollout_word(all, c % 4u) >> 8;
            y = (pd_f32)own * (1.0f / 16777216.0f) < s ? 0.0f : x * kept;
        }
        out[k.out + PD_GRP_Z * k.map + e] = y;
    }
}
