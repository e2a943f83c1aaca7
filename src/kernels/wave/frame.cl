// frame.cl: frames. A tile's waves are `waves`, as padic_k_wave_field left them: for each frequency
// a row of real parts, one of imaginary ones.

typedef struct {
    pd_u32 frames, groups;
    pd_u32 rate_base;                 // in words
    pd_u32 base, step, wide;          // of the times, in words
    pd_f32 shift_hi, shift_lo, sign;  // added to a time
} padic_k_wave_factors_params;

#if PD_WAVE_MODE == 1
PD_FN wave_complex wave_factor(pd_two time, pd_two shift, pd_two rate, pd_f32 sign)
{
    const pd_two turns = pd_two_mul(rate, pd_two_add(time, shift));
    return wave_polynomials(sign * wave_fraction(turns) * WAVE_UNIT);
}
#endif

// e^{+-i w t} of every frame and frequency; rates: w in turns, two words.
PD_KERNEL(padic_k_wave_factors)
(PD_CBUF(pd_f32, rates), PD_CBUF(pd_u32, times), PD_BUF(pd_f32, factors),
 PD_PARAMS(padic_k_wave_factors_params, k))
{
#if PD_WAVE_MODE == 1
    for (pd_u32 i = PD_GID; i < k.frames * k.groups; i += PD_NGRP * (pd_u32)PD_WG) {
        const pd_u32 f = i / k.groups, g = i - f * k.groups;
        const pd_u32 rate = k.rate_base + 2u * g;
        const wave_complex z = wave_factor(pd_two_load(times, k.base + f * k.step, k.wide),
                                           pd_two_raw(k.shift_hi, k.shift_lo),
                                           pd_two_raw(rates[rate], rates[rate + 1u]), k.sign);
        factors[2u * i] = z.re;
        factors[2u * i + 1u] = z.im;
    }
#else
    (void)rates;
    (void)times;
    (void)factors;
    (void)k;
#endif
}

typedef struct {
    pd_u32 points, tile, ranged;          // as of the field; whether there is a report
    pd_u32 groups, frames, each;          // each: frames of a group of items
    pd_u32 count[3], tiles[3], log[3];
    pd_u32 factor_base, factor_step, factor_axis, factor_wide; // words: of a frame, a frequency
    pd_u32 out_base, out_step[3], out_last, out_frame;
    pd_u32 mean_base, mean_step[3];
    pd_u32 emit, tone, nan_colour;
    pd_f32 low, high, scale;
    // With `timed`, factors are times (words from factor_base on), and are worked out from these.
    pd_u32 timed, rate_base;
    pd_f32 shift_hi, shift_lo, sign;
} padic_k_wave_frame_params;

#if PD_WAVE_MODE == 1
#define WAVE_FRAMES 4u // done at once, at WAVE_PART points of an item
#define WAVE_PART (WAVE_POINTS < 4u ? WAVE_POINTS : 4u)
#define WAVE_WAVES (WAVE_FRAMES * WAVE_PART)
#define WAVE_BANDS 32u // frequencies at once, summed before they are added

// Element of point p of an item, from base and steps; *inside: whether there is one.
#if PD_WAVE_LISTED
#define WAVE_ELEMENT(k, p, step, inside)                                                       \
    (((k).tile + PD_GRP) * PD_WAVE_WG * WAVE_POINTS + PD_LID + (p) * PD_WAVE_WG) * (step)[0];  \
    inside = ((k).tile + PD_GRP) * PD_WAVE_WG * WAVE_POINTS + PD_LID + (p) * PD_WAVE_WG < (k).points
#else
#define WAVE_ELEMENT(k, p, step, inside)                                                       \
    (i0 + (p)) * (step)[0] + i1 * (step)[1] + i2 * (step)[2];                                  \
    inside = i0 + (p) < (k).count[0] && i1 < (k).count[1] && i2 < (k).count[2]
#endif
#endif

PD_KERNEL_WG(padic_k_wave_frame, PD_WAVE_WG)
(PD_CBUF(pd_f32, waves), PD_CBUF(pd_u32, factors), PD_CBUF(pd_u32, table), PD_BUF(pd_f32, out),
 PD_BUF(pd_u8, pixels), PD_BUF(pd_u32, report), PD_CBUF(pd_u32, ends), PD_CBUF(pd_f32, rates),
 PD_PARAMS(padic_k_wave_frame_params, k))
{
#if PD_WAVE_MODE == 1
    const pd_u32 there = ends[k.groups];
    PD_LOCAL WAVE_ALIGN pd_f32 own[2u * WAVE_FRAMES * WAVE_BANDS];
    PD_LOCAL pd_f32 stage[PD_WAVE_WG * 16u];
    PD_LOCAL pd_u32 kept[9]; // params that scalar registers, short on some chips, need not hold
    const pd_u32 l = PD_LID;
    const pd_u32 until = (k.frames - PD_GRP_Y * k.each < k.each) ? k.frames
                                                                : (PD_GRP_Y + 1u) * k.each;
    pd_f32 low = 3.4028235e38f, high = -3.4028235e38f;
#if !PD_WAVE_LISTED
    const pd_u32 number = k.tile + PD_GRP;
    const pd_u32 l0 = l & ((1u << k.log[0]) - 1u), l1 = (l >> k.log[0]) & ((1u << k.log[1]) - 1u);
    const pd_u32 l2 = l >> (k.log[0] + k.log[1]);
    const pd_u32 t0 = number % k.tiles[0], t1 = number / k.tiles[0] % k.tiles[1];
    const pd_u32 t2 = number / k.tiles[0] / k.tiles[1];
    const pd_u32 i0 = (t0 << (k.log[0] + WAVE_LOG)) + WAVE_POINTS * l0;
    const pd_u32 i1 = (t1 << k.log[1]) + l1, i2 = (t2 << k.log[2]) + l2;
#endif
    if (l == 0u) {
        kept[0] = k.timed;
        kept[1] = k.rate_base;
        kept[2] = PD_AS_U32(k.shift_hi);
        kept[3] = PD_AS_U32(k.shift_lo);
        kept[4] = PD_AS_U32(k.sign);
        kept[5] = PD_AS_U32(k.low);
        kept[6] = PD_AS_U32(k.high);
        kept[7] = PD_AS_U32(k.scale);
        kept[8] = k.nan_colour;
    }
    PD_BARRIER();
    WAVE_ROLL
    for (pd_u32 part = 0u; part < WAVE_POINTS; part += WAVE_PART) {
        WAVE_ROLL
        for (pd_u32 f = PD_GRP_Y * k.each; f < until; f += WAVE_FRAMES) {
            pd_f32 re[WAVE_WAVES], im[WAVE_WAVES];
            WAVE_UNROLL
            for (pd_u32 i = 0u; i < WAVE_WAVES; i++) re[i] = im[i] = 0.0f;
            WAVE_ROLL
            for (pd_u32 band = 0u; band < there; band += WAVE_BANDS) {
                const pd_u32 n = (there - band < WAVE_BANDS) ? there - band : WAVE_BANDS;
                const pd_u32 from = (PD_GRP * k.groups + band) * 2u * WAVE_POINTS * PD_WAVE_WG +
                                    part * PD_WAVE_WG + l;
                pd_f32 sre[WAVE_WAVES], sim[WAVE_WAVES];
                PD_BARRIER();
                WAVE_ROLL
                for (pd_u32 i = l; i < WAVE_FRAMES * WAVE_BANDS; i += PD_WAVE_WG) {
                    const pd_u32 g = i / WAVE_FRAMES, q = i % WAVE_FRAMES;
                    pd_f32 c = 0.0f, s = 0.0f;
                    if (g < n && f + q < until) {
                        const pd_u32 at = k.factor_base + (f + q) * k.factor_step +
                                          (band + g) * k.factor_axis;
                        if (kept[0]) {
                            const pd_u32 rate = kept[1] + 2u * (band + g);
                            const wave_complex z = wave_factor(
                                pd_two_load(factors, at, k.factor_wide),
                                pd_two_raw(PD_AS_F32(kept[2]), PD_AS_F32(kept[3])),
                                pd_two_raw(rates[rate], rates[rate + 1u]), PD_AS_F32(kept[4]));
                            c = z.re;
                            s = z.im;
                        } else {
                            c = pd_two_load(factors, at, k.factor_wide).hi;
                            s = pd_two_load(factors, at + 1u + k.factor_wide, k.factor_wide).hi;
                        }
                    }
                    own[2u * i] = c;
                    own[2u * i + 1u] = s;
                }
                PD_BARRIER();
                WAVE_UNROLL
                for (pd_u32 i = 0u; i < WAVE_WAVES; i++) sre[i] = sim[i] = 0.0f;
                WAVE_ROLL
                for (pd_u32 g = 0u; g < n; g++) {
                    const pd_u32 row = from + g * 2u * WAVE_POINTS * PD_WAVE_WG;
                    pd_f32 x[WAVE_PART], y[WAVE_PART];
                    WAVE_UNROLL
                    for (pd_u32 p = 0u; p < WAVE_PART; p++) {
                        x[p] = waves[row + p * PD_WAVE_WG];
                        y[p] = waves[row + (p + WAVE_POINTS) * PD_WAVE_WG];
                    }
                    WAVE_UNROLL
                    for (pd_u32 q = 0u; q < WAVE_FRAMES; q++) {
                        const pd_f32 c = own[2u * (g * WAVE_FRAMES + q)];
                        const pd_f32 s = own[2u * (g * WAVE_FRAMES + q) + 1u];
                        WAVE_UNROLL
                        for (pd_u32 p = 0u; p < WAVE_PART; p++) {
                            const pd_u32 i = WAVE_PART * q + p;
                            sre[i] = PD_FMA(-s, y[p], PD_FMA(c, x[p], sre[i]));
                            sim[i] = PD_FMA(s, x[p], PD_FMA(c, y[p], sim[i]));
                        }
                    }
                }
                WAVE_UNROLL
                for (pd_u32 i = 0u; i < WAVE_WAVES; i++) {
                    re[i] += sre[i];
                    im[i] += sim[i];
                }
            }
            WAVE_ROLL
            for (pd_u32 from = 0u; from < WAVE_WAVES; from += 8u) { // in local memory
                WAVE_UNROLL
                for (pd_u32 i = 0u; i < 8u; i++) {
                    stage[2u * i * PD_WAVE_WG + l] = (from == 0u) ? re[i] : re[WAVE_WAVES - 8u + i];
                    stage[(2u * i + 1u) * PD_WAVE_WG + l] =
                        (from == 0u) ? im[i] : im[WAVE_WAVES - 8u + i];
                }
                WAVE_ROLL
                for (pd_u32 i = 0u; i < 8u; i++) {
                    const pd_u32 emit = k.emit & 255u, p = part + i % WAVE_PART;
                    const pd_u32 frame = f + (from + i) / WAVE_PART;
                    const pd_f32 x = stage[2u * i * PD_WAVE_WG + l];
                    const pd_f32 y = stage[(2u * i + 1u) * PD_WAVE_WG + l];
                    pd_u32 inside;
                    pd_u32 at = WAVE_ELEMENT(k, p, k.out_step, inside);
                    at += k.out_base + frame * k.out_frame;
                    if (!inside || frame >= until) continue;
                    if (emit == 0u && (k.emit & WAVE_ACCUMULATE)) {
                        out[2u * at] += x;
                        out[2u * at + 1u] += y;
                    } else if (emit == 0u) {
                        out[2u * at] = x;
                        out[2u * at + 1u] = y;
                    } else if (emit < 5u) {
                        out[at] = wave_real(emit, x, y);
                    } else {
                        const pd_f32 v = wave_real(k.tone & 255u, x, y);
                        const pd_u32 pixel =
                            (v == v) ? wave_pixel(table, k.tone, PD_AS_F32(kept[5]),
                                                  PD_AS_F32(kept[6]), PD_AS_F32(kept[7]), v, x, y)
                                     : kept[8];
                        for (pd_u32 j = 0u; j < 4u; j++)
                            pixels[at + j * k.out_last] = (pd_u8)((pixel >> (8u * j)) & 255u);
                        low = (v >= -3.4028235e38f && v < low) ? v : low;
                        high = (v <= 3.4028235e38f && v > high) ? v : high;
                    }
                }
            }
        }
    }
    PD_BARRIER();
    for (pd_u32 j = 0u; j < 6u; j++) stage[j * PD_WAVE_WG + l] = (j < 3u) ? low : high;
    wave_box(stage, l);
    if (l == 0u && k.ranged != 0u) { // the range of a tile's frames
        const pd_u32 at = 2u * ((k.tile + PD_GRP) * ((k.frames + k.each - 1u) / k.each) + PD_GRP_Y);
        report[at] = PD_AS_U32(stage[0]);
        report[at + 1u] = PD_AS_U32(stage[3u * PD_WAVE_WG]);
    }
#else
    (void)waves;
    (void)factors;
    (void)table;
    (void)out;
    (void)pixels;
    (void)report;
    (void)ends;
    (void)rates;
    (void)k;
#endif
}

// Sums of |wave|^2.
PD_KERNEL_WG(padic_k_wave_mean, PD_WAVE_WG)
(PD_CBUF(pd_f32, waves), PD_BUF(pd_f32, mean), PD_CBUF(pd_u32, ends),
 PD_PARAMS(padic_k_wave_frame_params, k))
{
#if PD_WAVE_MODE == 1
    const pd_u32 l = PD_LID, there = ends[k.groups];
#if !PD_WAVE_LISTED
    const pd_u32 number = k.tile + PD_GRP;
    const pd_u32 l0 = l & ((1u << k.log[0]) - 1u), l1 = (l >> k.log[0]) & ((1u << k.log[1]) - 1u);
    const pd_u32 l2 = l >> (k.log[0] + k.log[1]);
    const pd_u32 t0 = number % k.tiles[0], t1 = number / k.tiles[0] % k.tiles[1];
    const pd_u32 t2 = number / k.tiles[0] / k.tiles[1];
    const pd_u32 i0 = (t0 << (k.log[0] + WAVE_LOG)) + WAVE_POINTS * l0;
    const pd_u32 i1 = (t1 << k.log[1]) + l1, i2 = (t2 << k.log[2]) + l2;
#endif
    WAVE_ROLL
    for (pd_u32 p = 0u; p < WAVE_POINTS; p++) {
        pd_u32 inside;
        const pd_u32 at = WAVE_ELEMENT(k, p, k.mean_step, inside);
        pd_f32 total = 0.0f;
        if (!inside) continue;
        for (pd_u32 band = 0u; band < there; band += WAVE_BANDS) {
            const pd_u32 last = (there - band < WAVE_BANDS) ? there : band + WAVE_BANDS;
            pd_f32 sum = 0.0f;
            for (pd_u32 g = band; g < last; g++) {
                const pd_u32 row = ((PD_GRP * k.groups + g) * 2u * WAVE_POINTS + p) * PD_WAVE_WG;
                const pd_f32 x = waves[row + l], y = waves[row + WAVE_POINTS * PD_WAVE_WG + l];
                sum = PD_FMA(x, x, PD_FMA(y, y, sum));
            }
            total += sum;
        }
        mean[k.mean_base + at] = total;
    }
#else
    (void)waves;
    (void)mean;
    (void)ends;
    (void)k;
#endif
}
