// @per-level
#if !defined(PADIC_NO_ROLLOUT) && PADICI_REAL_SIZE == 4

// x Phi(x), with Phi(-t) = e^(-t^2/2) p(1/(1 + 0.23 t)) for t >= 0: p of degree 8 is within 5e-8 of
// e^(t^2/2) erfc(t/sqrt 2)/2 up to 13, a weighted least-squares fit. NaN stays.
PADICI_TARGET PADICI_INLINE PADICI_V PADICI_OK(gelu_erf)(PADICI_V x)
{
    const PADICI_V one = PADICI_SET(1), t = PADICI_LEAST(PADICI_SET(13), PADICI_MAGNITUDE(x));
    const PADICI_V s = PADICI_DIV(one, PADICI_FMA(PADICI_SET(0.23f), t, one));
    const PADICI_V low = PADICI_MOST(PADICI_SET(-13), x); // -infinity times 0 is no NaN
    PADICI_W n;
    PADICI_V e = PADICI_RK(reduced)(PADICI_MUL(PADICI_MUL(t, t), PADICI_SET(-0.5f)), &n);
    PADICI_V p = PADICI_FMA(s, PADICI_SET(-0.07836881f), PADICI_SET(0.28991216f));
    p = PADICI_FMA(s, p, PADICI_SET(-0.2770347f));
    p = PADICI_FMA(s, p, PADICI_SET(0.3001475f));
    p = PADICI_FMA(s, p, PADICI_SET(-0.031941142f));
    p = PADICI_FMA(s, p, PADICI_SET(0.11906384f));
    p = PADICI_FMA(s, p, PADICI_SET(0.08588857f));
    p = PADICI_FMA(s, p, PADICI_SET(0.09235902f));
    p = PADICI_FMA(s, p, PADICI_SET(-2.648817e-05f));
    p = PADICI_MUL(p, PADICI_MUL(PADICI_ADD(e, one), PADICI_POWER(n)));
    return PADICI_IF_NEGATIVE(x, PADICI_MUL(low, p), PADICI_FMA(PADICI_SUB(PADICI_NONE, t), p, x));
}

// `act` is constant where this is called.
PADICI_TARGET PADICI_INLINE PADICI_V PADICI_OK(act)(padic_rollout_act act, PADICI_V x)
{
    PADICI_V z;
    switch (act) {
    case PADIC_ROLLOUT_ACT_GELU_ERF: return PADICI_OK(gelu_erf)(x);
    case PADIC_ROLLOUT_ACT_RELU: return PADICI_MOST(PADICI_NONE, x);
    case PADIC_ROLLOUT_ACT_GELU_TANH: // x s(2 sqrt(2/pi) (x + 0.044715 x^3))
        z = PADICI_FMA(PADICI_MUL(PADICI_MUL(x, x), x), PADICI_SET(0.044715f), x);
        return PADICI_MUL(PADICI_MOST(PADICI_SET(-40), x),
                          PADICI_RK(sigmoid)(PADICI_MUL(z, PADICI_SET(1.59576912f))));
    case PADIC_ROLLOUT_ACT_SILU:
        return PADICI_MUL(PADICI_MOST(PADICI_SET(-110), x), PADICI_RK(sigmoid)(x));
    case PADIC_ROLLOUT_ACT_TANH: return PADICI_RK(tanh)(x);
    default: return x;
    }
}

PADICI_TARGET PADICI_INLINE void PADICI_OK(map_act)(padic_rollout_act act,
                                                    const padici_rollout_map *map, uint64_t count,
                                                    const float *from, float *to)
{
    uint32_t v;
    uint64_t i;
    for (v = 0; v < 16; v += PADICI_LANES) {
        const PADICI_V mu = map->mu ? PADICI_LOAD((const float *)map->mu + v) : PADICI_NONE;
        const PADICI_V a = map->mu ? PADICI_LOAD((const float *)map->a + v) : PADICI_NONE;
        const PADICI_V beta = map->mu ? PADICI_LOAD((const float *)map->beta + v) : PADICI_NONE;
        for (i = 0; i < count; i++) {
            PADICI_V x = PADICI_LOAD(from + i * 16 + v);
            if (map->mu) x = PADICI_FMA(a, PADICI_SUB(x, mu), beta);
            PADICI_STORE(to + i * 16 + v, PADICI_OK(act)(act, x));
        }
    }
}

PADICI_TARGET static void PADICI_OK(map)(const padici_rollout_map *map, uint64_t count,
                                         const void *from_, void *to_)
{
    const float *from = (const float *)from_;
    float *to = (float *)to_;
    switch (map->act) {
    case PADIC_ROLLOUT_ACT_GELU_ERF:
        PADICI_OK(map_act)(PADIC_ROLLOUT_ACT_GELU_ERF, map, count, from, to);
        break;
    case PADIC_ROLLOUT_ACT_RELU:
        PADICI_OK(map_act)(PADIC_ROLLOUT_ACT_RELU, map, count, from, to);
        break;
    case PADIC_ROLLOUT_ACT_GELU_TANH:
        PADICI_OK(map_act)(PADIC_ROLLOUT_ACT_GELU_TANH, map, count, from, to);
        break;
    case PADIC_ROLLOUT_ACT_SILU:
        PADICI_OK(map_act)(PADIC_ROLLOUT_ACT_SILU, map, count, from, to);
        break;
    case PADIC_ROLLOUT_ACT_TANH:
        PADICI_OK(map_act)(PADIC_ROLLOUT_ACT_TANH, map, count, from, to);
        break;
    default: PADICI_OK(map_act)(PADIC_ROLLOUT_ACT_NONE, map, count, from, to); break;
    }
}

#endif
