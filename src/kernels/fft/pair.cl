// pair.cl: complex numbers.
#ifndef PD_FFT_F64
#define PD_FFT_F64 0 // 1: numbers of f64
#endif
#if PD_FFT_F64
typedef pd_f64 fft_real;
#define FFT_FMA PD_FMA64
#define FFT_LOAD_TWO PD_LOAD_TWO64
#define FFT_STORE_TWO PD_STORE_TWO64
#define FFT_NUMBER(x, high, low) PD_AS_F64(PD_U64(low, high))
#define FFT_ZERO ((pd_f64)0.0f)
#else
typedef pd_f32 fft_real;
#define FFT_FMA PD_FMA
#define FFT_LOAD_TWO PD_LOAD_TWO
#define FFT_STORE_TWO PD_STORE_TWO
#define FFT_NUMBER(x, high, low) (x)
#define FFT_ZERO 0.0f
#endif

#if PD_IS_C
#define FFT_UNROLL
#else
#define FFT_UNROLL _Pragma("unroll") // a register array is never indexed at run time
#endif

typedef struct {
    fft_real re, im;
} fft_pair;

PD_FN fft_pair fft_pair_of(fft_real re, fft_real im)
{
    fft_pair x;
    x.re = re;
    x.im = im;
    return x;
}

PD_FN fft_pair fft_mul(fft_pair a, fft_pair b)
{
    return fft_pair_of(FFT_FMA(a.re, b.re, -(a.im * b.im)), FFT_FMA(a.re, b.im, a.im * b.re));
}
