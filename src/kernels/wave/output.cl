// output.cl: outputs of a sum: real values, angles, pixels.

#define WAVE_CONJUGATE 256u
#define WAVE_ACCUMULATE 512u
#define WAVE_FIELD 1024u // with a gradient: the field is requested, too

// The byte of x in [0, 1].
PD_FN pd_u32 wave_byte(pd_f32 x)
{
    const pd_f32 b = PD_FMA(255.0f, x, 0.5f);
    return (x <= 0.0f) ? 0u : (x >= 1.0f) ? 255u : (pd_u32)b;
}

// atan2 in turns: minimax polynomial on [0, 1].
PD_FN pd_f32 wave_angle(pd_f32 y, pd_f32 x)
{
    const pd_f32 u = PD_FABS(x), v = PD_FABS(y);
    const pd_f32 big = (u > v) ? u : v, little = (u > v) ? v : u;
    const pd_f32 q = (big > 0.0f) ? little / big : 0.0f, g = q * q;
    pd_f32 a = PD_FMA(0.0003930998152f, g, -0.002301266841f);
    a = PD_FMA(a, g, 0.00634815885f);
    a = PD_FMA(a, g, -0.01153098963f);
    a = PD_FMA(a, g, 0.01671879152f);
    a = PD_FMA(a, g, -0.02254128972f);
    a = PD_FMA(a, g, 0.03180909161f);
    a = PD_FMA(a, g, -0.05305052095f);
    a = PD_FMA(a, g, 0.1591549263f) * q;
    if (v > u) a = 0.25f - a;
    if (x < 0.0f) a = 0.5f - a;
    return (y < 0.0f) ? -a : a;
}

PD_FN pd_f32 wave_real(pd_u32 output, pd_f32 re, pd_f32 im)
{
    if (output == 1u) return re;
    if (output == 2u) return PD_SQRT(PD_FMA(re, re, im * im));
    if (output == 4u) return 6.28318531f * wave_angle(im, re);
    return PD_FMA(re, re, im * im);
}

// A channel of a hue (in turns relative to the channel's own): 1 within a sixth, 0 from a third on.
PD_FN pd_f32 wave_channel(pd_f32 turns)
{
    const pd_f32 away = 2.0f - 6.0f * PD_FABS(turns - PD_RINT(turns));
    return (away < 0.0f) ? 0.0f : (away > 1.0f) ? 1.0f : away;
}

// R, G, B, A from the low byte up.
PD_FN pd_u32 wave_pixel(PD_GPTR(const pd_u32) table, pd_u32 tone, pd_f32 low, pd_f32 high,
                        pd_f32 scale, pd_f32 v, pd_f32 re, pd_f32 im)
{
    const pd_u32 curve = (tone >> 8) & 255u, map = tone >> 16;
    pd_f32 x;
    pd_u32 b;
    if (curve == 1u)
        x = (v <= 0.0f) ? 0.0f : (v > 3e38f) ? 1.0f : v / (v + high);
    else if (curve == 2u)
        x = (v <= 0.0f) ? 0.0f : PD_LOG(1.0f + v / low) * scale;
    else
        x = (v - low) * scale;
    b = wave_byte(x);
    if (map == 1u) {
        x = (x < 0.0f) ? 0.0f : (x > 1.0f) ? 1.0f : x;
        return wave_byte(3.0f * x) | wave_byte(3.0f * x - 1.0f) << 8 |
               wave_byte(3.0f * x - 2.0f) << 16 | 0xff000000u;
    }
    if (map == 2u) {
        const pd_f32 hue = wave_angle(im, re);
        x = (x < 0.0f) ? 0.0f : (x > 1.0f) ? 1.0f : x;
        return wave_byte(x * wave_channel(hue)) |
               wave_byte(x * wave_channel(hue - 0.333333343f)) << 8 |
               wave_byte(x * wave_channel(hue + 0.333333343f)) << 16 | 0xff000000u;
    }
    if (map == 3u) return table[b];
    return b | b << 8 | b << 16 | 0xff000000u;
}

// The range of the values shown as pixels.
typedef struct {
    pd_f32 low, high;
} wave_range;

// How sums are written: offsets of params in local memory.
#define WAVE_SHOWN_LAST 0u  // step of the last axis of RGBA8
#define WAVE_SHOWN_FLAGS 1u // padic_wave_output and flags
#define WAVE_SHOWN_TONE 2u  // value | curve << 8 | map << 16
#define WAVE_SHOWN_BAD 3u   // colour of NaN
#define WAVE_SHOWN_LOW 4u   // low, high, scale of the tone
#define WAVE_SHOWN 7u
#define WAVE_KEEP_SHOWN(k, to)                            \
    do {                                                  \
        (to)[WAVE_SHOWN_LAST] = (k).out_last;             \
        (to)[WAVE_SHOWN_FLAGS] = (k).output;                \
        (to)[WAVE_SHOWN_TONE] = (k).tone;                 \
        (to)[WAVE_SHOWN_BAD] = (k).nan_colour;            \
        (to)[WAVE_SHOWN_LOW] = PD_AS_U32((k).low);        \
        (to)[WAVE_SHOWN_LOW + 1u] = PD_AS_U32((k).high);  \
        (to)[WAVE_SHOWN_LOW + 2u] = PD_AS_U32((k).scale); \
    } while (0)

// A sum as RGBA8.
PD_FN void wave_show(PD_GPTR(pd_u8) pixels, PD_GPTR(const pd_u32) table, pd_u32 at,
                     PD_LPTR(const pd_u32) shown, pd_f32 re, pd_f32 im, wave_range *range)
{
    const pd_u32 tone = shown[WAVE_SHOWN_TONE], last = shown[WAVE_SHOWN_LAST];
    const pd_f32 v = wave_real(tone & 255u, re, im);
    const pd_u32 pixel =
        (v == v) ? wave_pixel(table, tone, PD_AS_F32(shown[WAVE_SHOWN_LOW]),
                              PD_AS_F32(shown[WAVE_SHOWN_LOW + 1u]),
                              PD_AS_F32(shown[WAVE_SHOWN_LOW + 2u]), v, re, im)
                 : shown[WAVE_SHOWN_BAD];
    for (pd_u32 j = 0u; j < 4u; j++)
        pixels[at + j * last] = (pd_u8)((pixel >> (8u * j)) & 255u);
    range->low = (v >= -3.4028235e38f && v < range->low) ? v : range->low;
    range->high = (v <= 3.4028235e38f && v > range->high) ? v : range->high;
}

// Writes the requested output of a sum to element `at`.
PD_FN void wave_emit(PD_GPTR(pd_f32) out, PD_GPTR(pd_u8) pixels, PD_GPTR(const pd_u32) table,
                     pd_u32 at, PD_LPTR(const pd_u32) shown, pd_f32 re, pd_f32 im,
                     wave_range *range)
{
    const pd_u32 output = shown[WAVE_SHOWN_FLAGS] & 255u;
    if (output == 0u && (shown[WAVE_SHOWN_FLAGS] & WAVE_ACCUMULATE)) {
        out[2u * at] += re;
        out[2u * at + 1u] += im;
    } else if (output == 0u) {
        out[2u * at] = re;
        out[2u * at + 1u] = im;
    } else if (output < 5u) {
        out[at] = wave_real(output, re, im);
    } else {
        wave_show(pixels, table, at, shown, re, im, range);
    }
}
