// number.cl: complex numbers, phases and places of the kernels of fields, f32 or f64.
#if PD_FFT_F64
#define FIELD_REAL(words) PD_AS_F64(PD_U64((words)[0], (words)[1])) // of params
#else
#define FIELD_REAL(words) PD_AS_F32((words)[0])
#endif
#ifndef PD_FIELD_PLANAR
#define PD_FIELD_PLANAR 0 // 1: real parts and imaginary parts have places of their own
#endif

// ---- memory of complex numbers: words that hold a whole one, or reals

#if PD_FIELD_PLANAR || PD_FFT_F64
typedef fft_real field_word;
#if PD_FIELD_PLANAR
#define FIELD_AT(at) (at)
#else
#define FIELD_AT(at) (2u * (at))
#endif

PD_FN fft_pair field_get(PD_GPTR(const field_word) from, pd_u32 at, pd_u32 imaginary)
{
    return fft_pair_of(from[FIELD_AT(at)], from[FIELD_AT(at) + imaginary]);
}

PD_FN void field_put(PD_GPTR(field_word) to, pd_u32 at, pd_u32 imaginary, fft_pair x)
{
    to[FIELD_AT(at)] = x.re;
    to[FIELD_AT(at) + imaginary] = x.im;
}
#elif PD_IS_C // of either byte order
typedef pd_u64 field_word;

PD_FN fft_pair field_get(PD_GPTR(const field_word) from, pd_u32 at, pd_u32 imaginary)
{
    fft_pair x;
    (void)imaginary;
    memcpy(&x, from + at, 8u);
    return x;
}

PD_FN void field_put(PD_GPTR(field_word) to, pd_u32 at, pd_u32 imaginary, fft_pair x)
{
    (void)imaginary;
    memcpy(to + at, &x, 8u);
}
#else
typedef pd_u64 field_word;

PD_FN fft_pair field_get(PD_GPTR(const field_word) from, pd_u32 at, pd_u32 imaginary)
{
    const pd_u64 both = from[at];
    (void)imaginary;
    return fft_pair_of(PD_AS_F32((pd_u32)(both & 0xffffffffu)), PD_AS_F32((pd_u32)(both >> 32)));
}

PD_FN void field_put(PD_GPTR(field_word) to, pd_u32 at, pd_u32 imaginary, fft_pair x)
{
    (void)imaginary;
    to[at] = PD_U64(PD_AS_U32(x.re), PD_AS_U32(x.im));
}
#endif

// ---- phases

// exp(2 pi i turns): an eighth of a turn at most, by polynomials, then quarters. Its size is 1 to
// rounding for every finite angle.
PD_FN fft_pair field_turn(fft_real turns)
{
#if PD_FFT_F64
    const pd_f64 magic = PD_AS_F64(PD_U64(0u, 0x43380000u)); // 1.5 2^52: rounds to whole numbers
    const pd_f64 limit = PD_AS_F64(PD_U64(0u, 0x43200000u)); // 2^51
    const pd_f64 size = turns < FFT_ZERO ? -turns : turns;
    const pd_f64 left = size < limit ? turns - ((turns + magic) - magic) : turns - turns;
    const pd_f64 quarters = (left * FFT_NUMBER(4.0f, 0x40100000u, 0u) + magic) - magic;
    const pd_i32 q = (pd_i32)quarters;
#else
    const pd_f32 part = turns - PD_RINT(turns), left = part - PD_RINT(part);
    const pd_f32 quarters = PD_RINT(left * 4.0f);
    const pd_i32 q = (pd_i32)quarters;
#endif
    const fft_real y = (left - quarters * FFT_NUMBER(0.25f, 0x3fd00000u, 0u)) *
                       FFT_NUMBER(6.28318531f, 0x401921fbu, 0x54442d18u);
    const fft_real z = y * y, one = FFT_NUMBER(1.0f, 0x3ff00000u, 0u);
#if PD_FFT_F64
    fft_real s = FFT_NUMBER(0.0f, 0x3de5d93au, 0x5acfd57cu);
    fft_real c = FFT_NUMBER(0.0f, 0xbda8fae9u, 0xbe8838d4u);
    s = FFT_NUMBER(0.0f, 0xbe5ae5e6u, 0x8a2b9cebu) + z * s; // of fdlibm
    s = FFT_NUMBER(0.0f, 0x3ec71de3u, 0x57b1fe7du) + z * s;
    s = FFT_NUMBER(0.0f, 0xbf2a01a0u, 0x19c161d5u) + z * s;
    s = FFT_NUMBER(0.0f, 0x3f811111u, 0x1110f8a6u) + z * s;
    s = y + y * z * (FFT_NUMBER(0.0f, 0xbfc55555u, 0x55555549u) + z * s);
    c = FFT_NUMBER(0.0f, 0x3e21ee9eu, 0xbdb4b1c4u) + z * c;
    c = FFT_NUMBER(0.0f, 0xbe927e4fu, 0x809c52adu) + z * c;
    c = FFT_NUMBER(0.0f, 0x3efa01a0u, 0x19cb1590u) + z * c;
    c = FFT_NUMBER(0.0f, 0xbf56c16cu, 0x16c15177u) + z * c;
    c = FFT_NUMBER(0.0f, 0x3fa55555u, 0x5555554cu) + z * c;
    c = one - z * (FFT_NUMBER(0.0f, 0x3fe00000u, 0u) - z * c);
#else
    const fft_real s = y + y * z * (-0.166666546f + z * (0.00833216087f + z * -0.000195152959f));
    const fft_real c =
        one - z * (0.5f - z * (0.0416666457f + z * (-0.00138873163f + z * 2.44331571e-5f)));
#endif
    const fft_real a = (q & 1) ? s : c, b = (q & 1) ? c : s;
    return fft_pair_of(((q + 1) & 2) ? -a : a, (q & 2) ? -b : b);
}
