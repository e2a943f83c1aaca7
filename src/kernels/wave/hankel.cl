// hankel.cl: the Hankel functions of order 0 and 1, for waves in the plane.

#if PD_WAVE_KERNEL == 2
// J0(x) and Y0(x) - 2/pi log(x) J0(x), then J1(x)/x and (Y1(x) - 2/pi (log(x) J1(x) - 1/x))/x, on
// [0, 8]: polynomials of x^2/32 - 1, highest power first.
PD_TABLE pd_f32 wave_bessel[44] = {
    3.899438026e-5f, -7.384693233e-5f, -0.0004510586825f, 0.000820872886f, 0.004057436383f,
    -0.007024444437f, -0.02846519262f, 0.04635230599f, 0.1459892177f, -0.2189582158f,
    -0.5074713415f, 0.6721835341f, 1.038379364f, -1.077547538f, -0.8080882188f,
    0.1441251701f, -0.6484692736f, 1.64709646f, 0.9303012178f, -0.8284358326f,
    0.04582966471f, -0.3822506542f,
    1.887812485e-06f, -3.640601626e-06f, -2.437628098e-05f, 4.533197966e-05f, 0.0002494727766f,
    -0.0004437727383f, -0.002028708483f, 0.003421832085f, 0.0124568257f, -0.01962877998f,
    -0.05474596314f, 0.0785481576f, 0.1585837617f, -0.1963983932f, -0.2595948394f,
    0.2350720405f, 0.1515166517f, 0.02336757126f, 0.08105865909f, -0.2433774282f,
    -0.05814382796f, 0.07075985883f};

// H0(2pi x) or, with `one` (a literal), H1: above 8 modulus and phase (Abramowitz and Stegun
// 9.2.28, fitted: H1 is right to 3.5e-7 of it), below polynomials; `phase` is x in turns plus the
// source's.
PD_FN wave_complex wave_hankel(pd_u32 one, pd_f32 turns, pd_f32 sign, pd_f32 phase, pd_f32 source)
{
    const pd_f32 x = 6.28318531f * turns;
    wave_complex h, z;
    if (x >= 8.0f) {
        const pd_f32 i = 8.0f / x, g = i * i, y = PD_RSQRT(x);
        pd_f32 m = PD_FMA(-1.248578755e-6f, g, 1.993959155e-5f);
        pd_f32 e = PD_FMA(6.922066819e-7f, g, -7.978982192e-6f);
        if (one) {
            m = PD_FMA(PD_FMA(-2.182200345e-07f, g, 2.341028744e-06f), g, -3.762951537e-05f);
            e = PD_FMA(PD_FMA(1.535213525e-07f, g, -1.341101183e-06f), g, 1.438020287e-05f);
        }
        m = PD_FMA(PD_FMA(m, g, one ? 0.002337548122f : -0.0007791419858f), g, 0.79788456f) * y;
        e = PD_FMA(PD_FMA(e, g, one ? -0.0004079862478f : 0.0001618704421f), g,
                   one ? 0.05968310359f : -0.019894367f) / x - (one ? 0.375f : 0.125f);
        h = wave_turn(PD_FMA(sign, e, phase) * WAVE_UNIT);
        h.re *= m;
        h.im *= m;
        return h;
    } else {
        const pd_f32 t = PD_FMA(x * x, 0.03125f, -1.0f);
        const pd_u32 from = one ? 22u : 0u;
        pd_f32 j = 0.0f, y = 0.0f;
        WAVE_ROLL
        for (pd_u32 i = 0u; i < 11u; i++) {
            j = PD_FMA(j, t, wave_bessel[from + 2u * i]);
            y = PD_FMA(y, t, wave_bessel[from + 2u * i + 1u]);
        }
        if (one) {
            j *= x;
            y = sign * PD_FMA(0.636619772f, PD_FMA(PD_LOG(x), j, -1.0f / x), y * x);
        } else {
            y = sign * PD_FMA(0.636619772f * PD_LOG(x), j, y);
        }
        z = wave_turn((source - PD_RINT(source)) * WAVE_UNIT);
        h.re = j * z.re - y * z.im;
        h.im = j * z.im + y * z.re;
        return h;
    }
}
#endif
