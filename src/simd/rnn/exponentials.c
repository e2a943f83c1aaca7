// @per-level
#if (!defined(PADIC_NO_RNN) || !defined(PADIC_NO_ROLLOUT)) && PADICI_REAL_SIZE == 4

// tanh and s by one polynomial: with n the integer nearest to y log2(e) and r = y - n ln 2,
// |r| <= ln(2) / 2, e^r - 1 = r + r^2 q(r), q of degree 5 by Taylor: 2e-8 of it at most.
PADICI_TARGET PADICI_INLINE PADICI_V PADICI_RK(reduced)(PADICI_V y, PADICI_W *n)
{
    PADICI_V r, q, whole;
    *n = PADICI_WHOLE(PADICI_MUL(y, PADICI_SET(1.44269504f)));
    whole = PADICI_FLOAT(*n);
    r = PADICI_FMA(whole, PADICI_SET(-0.693145752f), y);
    r = PADICI_FMA(whole, PADICI_SET(-1.42860677e-6f), r);
    q = PADICI_FMA(r, PADICI_SET(1.0f / 5040), PADICI_SET(1.0f / 720));
    q = PADICI_FMA(r, q, PADICI_SET(1.0f / 120));
    q = PADICI_FMA(r, q, PADICI_SET(1.0f / 24));
    q = PADICI_FMA(r, q, PADICI_SET(1.0f / 6));
    q = PADICI_FMA(r, q, PADICI_SET(0.5f));
    return PADICI_FMA(PADICI_MUL(r, r), q, r);
}

// With e = e^-|x|: 1 / (1 + e), or e / (1 + e) of negative x.
PADICI_TARGET PADICI_INLINE PADICI_V PADICI_RK(sigmoid)(PADICI_V x)
{
    const PADICI_V one = PADICI_SET(1), size = PADICI_LEAST(PADICI_SET(105), PADICI_MAGNITUDE(x));
    PADICI_W n, half;
    PADICI_V e = PADICI_RK(reduced)(PADICI_SUB(PADICI_NONE, size), &n);
    half = PADICI_HALVED(n); // so that e may be below the least normal number
    e = PADICI_MUL(PADICI_MUL(PADICI_ADD(e, one), PADICI_POWER(half)),
                   PADICI_POWER(PADICI_LESS(n, half)));
    return PADICI_DIV(PADICI_IF_NEGATIVE(x, e, one), PADICI_ADD(one, e));
}

// With t = e^(-2|x|) - 1: -t / (2 + t), and the sign.
PADICI_TARGET PADICI_INLINE PADICI_V PADICI_RK(tanh)(PADICI_V x)
{
    const PADICI_V size = PADICI_LEAST(PADICI_SET(10), PADICI_MAGNITUDE(x));
    PADICI_W n;
    const PADICI_V e = PADICI_RK(reduced)(PADICI_MUL(PADICI_SET(-2), size), &n);
    const PADICI_V power = PADICI_POWER(n);
    const PADICI_V t = PADICI_FMA(power, e, PADICI_SUB(power, PADICI_SET(1)));
    return PADICI_SIGNED(PADICI_DIV(PADICI_SUB(PADICI_NONE, t), PADICI_ADD(PADICI_SET(2), t)), x);
}

#endif
