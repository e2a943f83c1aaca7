// emit.cl: what is seen of a sum: real values, angles, pixels.

#define WAVE_CONJUGATE 256u
#define WAVE_ACCUMULATE 512u
#define WAVE_FIELD 1024u // with a gradient: the field is wanted, too

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

PD_FN pd_f32 wave_real(pd_u32 emit, pd_f32 re, pd_f32 im)
{
    if (emit == 1u) return re;
    if (emit == 2u) return PD_SQRT(PD_FMA(re, re, im * im));
    if (emit == 4u) return 6.28318531f * wave_angle(im, re);
    return PD_FMA(re, re, im * im);
}

// A channel of a hue (turns from that channel's own): 1 within a sixth, 0 from a third on.
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
