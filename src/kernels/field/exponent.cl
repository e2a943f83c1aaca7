// exponent.cl: exponentials and logarithms, which the dialect has of f32 only.
#if PD_FFT_F64
// exp(x), within 2 units of the last place; 0 below -708, infinity above 709.
PD_FN pd_f64 field_exp(pd_f64 x)
{
    const pd_f64 magic = PD_AS_F64(PD_U64(0u, 0x43380000u)); // 1.5 2^52: rounds to whole numbers
    const pd_f64 low = PD_AS_F64(PD_U64(0u, 0xc0862000u));   // -708
    const pd_f64 high = PD_AS_F64(PD_U64(0u, 0x40862800u));  // 709
    const pd_f64 y = x < low ? low : x > high ? high : x;
    const pd_f64 turns = (y * FFT_NUMBER(0.0f, 0x3ff71547u, 0x652b82feu) + magic) - magic;
    const pd_f64 r = (y - turns * FFT_NUMBER(0.0f, 0x3fe62e42u, 0xfee00000u)) -
                     turns * FFT_NUMBER(0.0f, 0x3dea39efu, 0x35793c76u); // of ln 2 in two parts
    const pd_f64 scale = PD_AS_F64((pd_u64)(pd_i64)(1023 + (pd_i32)turns) << 52);
    pd_f64 e = FFT_NUMBER(0.0f, 0x3de61246u, 0x13a86d09u); // 1/13!
    if (x < low) return FFT_ZERO;
    if (x > high) return PD_AS_F64(PD_U64(0u, 0x7ff00000u));
    if (x != x) return x;
    e = FFT_NUMBER(0.0f, 0x3e21eed8u, 0xeff8d898u) + r * e;
    e = FFT_NUMBER(0.0f, 0x3e5ae645u, 0x67f544e4u) + r * e;
    e = FFT_NUMBER(0.0f, 0x3e927e4fu, 0xb7789f5cu) + r * e;
    e = FFT_NUMBER(0.0f, 0x3ec71de3u, 0xa556c734u) + r * e;
    e = FFT_NUMBER(0.0f, 0x3efa01a0u, 0x1a01a01au) + r * e;
    e = FFT_NUMBER(0.0f, 0x3f2a01a0u, 0x1a01a01au) + r * e;
    e = FFT_NUMBER(0.0f, 0x3f56c16cu, 0x16c16c17u) + r * e;
    e = FFT_NUMBER(0.0f, 0x3f811111u, 0x11111111u) + r * e;
    e = FFT_NUMBER(0.0f, 0x3fa55555u, 0x55555555u) + r * e;
    e = FFT_NUMBER(0.0f, 0x3fc55555u, 0x55555555u) + r * e;
    e = FFT_NUMBER(0.0f, 0x3fe00000u, 0u) + r * e;
    return (FFT_NUMBER(0.0f, 0x3ff00000u, 0u) + (r + r * r * e)) * scale;
}

// log(x) of a normal number, by the polynomial of fdlibm.
PD_FN pd_f64 field_log(pd_f64 x)
{
    const pd_u64 bits = PD_AS_U64(x);
    const pd_u32 high = (pd_u32)(bits >> 32) & 0xfffffu;
    const pd_u32 up = high >= 0x6a09eu ? 1u : 0u; // above sqrt(2): of half of it
    const pd_i32 power = (pd_i32)(bits >> 52) - 1023 + (pd_i32)up;
    const pd_f64 m = PD_AS_F64(PD_U64((pd_u32)bits, high | (up ? 0x3fe00000u : 0x3ff00000u)));
    const pd_f64 one = FFT_NUMBER(0.0f, 0x3ff00000u, 0u), f = m - one, k = (pd_f64)power;
    const pd_f64 s = f / (m + one), z = s * s;
    const pd_f64 half_square = FFT_NUMBER(0.0f, 0x3fe00000u, 0u) * f * f;
    pd_f64 r = FFT_NUMBER(0.0f, 0x3fc2f112u, 0xdf3e5244u);
    r = FFT_NUMBER(0.0f, 0x3fc39a09u, 0xd078c69fu) + z * r;
    r = FFT_NUMBER(0.0f, 0x3fc74664u, 0x96cb03deu) + z * r;
    r = FFT_NUMBER(0.0f, 0x3fcc71c5u, 0x1d8e78afu) + z * r;
    r = FFT_NUMBER(0.0f, 0x3fd24924u, 0x94229359u) + z * r;
    r = FFT_NUMBER(0.0f, 0x3fd99999u, 0x9997fa04u) + z * r;
    r = z * (FFT_NUMBER(0.0f, 0x3fe55555u, 0x55555593u) + z * r);
    return k * FFT_NUMBER(0.0f, 0x3fe62e42u, 0xfee00000u) -
           ((half_square -
             (s * (half_square + r) + k * FFT_NUMBER(0.0f, 0x3dea39efu, 0x35793c76u))) -
            f);
}
#else
PD_FN pd_f32 field_exp(pd_f32 x)
{
    return PD_EXP(x);
}

PD_FN pd_f32 field_log(pd_f32 x)
{
    return PD_LOG(x);
}
#endif
