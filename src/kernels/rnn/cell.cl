// cell.cl: weights as they are stored, gates, and one unit of a cell.
#ifndef PD_RNN_W
#define PD_RNN_W 0 // weights: 0 F32, 1 F16, 2 BF16, 3 I8
#endif
#if PD_RNN_W == 0
typedef pd_f32 rnn_weight;
#define RNN_VALUE(w) (w)
#elif PD_RNN_W == 1
typedef pd_u16 rnn_weight;
#define RNN_VALUE(w) PD_F16_TO_F32(w)
#elif PD_RNN_W == 2
typedef pd_u16 rnn_weight;
#define RNN_VALUE(w) PD_BF16_TO_F32(w)
#else
typedef pd_u8 rnn_weight;
#define RNN_VALUE(w) ((pd_f32)(pd_i32)((pd_u32)(w) ^ 128u) - 128.0f)
#endif

#if PD_IS_CUDA || (defined(__clang__) && !PD_IS_C)
#define RNN_UNROLL _Pragma("unroll")
#else
#define RNN_UNROLL
#endif

#define RNN_GRU 0u // kinds
#define RNN_LSTM 1u
#define RNN_LINEAR 2u

#define RNN_BEFORE 1u   // a GRU's reset comes before the product
#define RNN_REPLACE 2u  // h' = (1 - z) h + z n
#define RNN_TANH 4u     // a LINEAR's activation, one of these
#define RNN_SIGMOID 8u
#define RNN_RELU 16u
#define RNN_LENGTHS 32u // rows have lengths of their own
#define RNN_REVERSE 64u // steps count from a row's end

// The words of a layer in `net`. Its weights are (inputs, G, units)
// and (units, G, units).
#define RNN_KIND 0u
#define RNN_FLAGS 1u
#define RNN_INPUTS 2u
#define RNN_COUNT 3u           // units
#define RNN_AT 4u              // rows of 32: outputs, twice, then c
#define RNN_STATE 5u           // its number among the states
#define RNN_INPUT 6u           // elements of the weights
#define RNN_RECURRENT 7u
#define RNN_BIAS 8u            // words of `net`: b, c
#define RNN_BACK 9u
#define RNN_INPUT_SCALE 10u
#define RNN_RECURRENT_SCALE 11u
#define RNN_GAIN 12u

#if PD_IS_CUDA // to 2e-7, of numbers of at most 1
#define RNN_EXP(a) __expf(a)
#define RNN_RECIPROCAL(a) __fdividef(1.0f, a)
#else
#define RNN_EXP(a) PD_EXP(a)
#define RNN_RECIPROCAL(a) (1.0f / (a))
#endif

PD_FN pd_f32 rnn_sigmoid(pd_f32 a)
{
    return RNN_RECIPROCAL(1.0f + RNN_EXP(-a));
}

// Cephes: a polynomial near 0, 1 - 2 / (e^2a + 1) beyond; both, so that items do not part.
PD_FN pd_f32 rnn_tanh(pd_f32 a)
{
    const pd_f32 size = PD_FABS(a), square = a * a;
    const pd_f32 outer = 1.0f - 2.0f * RNN_RECIPROCAL(RNN_EXP(2.0f * size) + 1.0f);
    pd_f32 x = PD_FMA(-5.70498872745e-3f, square, 2.06390887954e-2f);
    x = PD_FMA(x, square, -5.37397155531e-2f);
    x = PD_FMA(x, square, 1.33314422036e-1f);
    x = PD_FMA(x, square, -3.33332819422e-1f);
    x = PD_FMA(x * square, a, a);
    return size < 0.625f ? x : a < 0.0f ? -outer : outer; // NaN stays
}

PD_FN pd_f32 rnn_activate(pd_f32 a, pd_u32 flags, pd_f32 gain)
{
    pd_f32 x = a;
    if (flags & RNN_TANH) x = rnn_tanh(a);
    if (flags & RNN_SIGMOID) x = rnn_sigmoid(a);
    if ((flags & RNN_RELU) && a < 0.0f) x = 0.0f;
    return gain * x;
}

// h' of a GRU from its gate z and from n before its tanh.
PD_FN pd_f32 rnn_gru(pd_f32 z, pd_f32 n, pd_f32 h, pd_u32 flags)
{
    const pd_f32 next = rnn_tanh(n), rest = 1.0f - z;
    return (flags & RNN_REPLACE) ? rest * h + z * next : rest * next + z * h;
}

// The place of a row's step `n` in its sequence.
PD_FN pd_u32 rnn_turned(pd_u32 n, pd_u32 length)
{
    return n < length ? length - 1u - n : n;
}
