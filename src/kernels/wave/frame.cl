// frame.cl: frames. A tile's waves are `waves`, from padic_k_wave_field: for each frequency a row
// of real parts, one of imaginary ones.

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
    pd_u32 points, tile, ranged;          // as in the field; whether there is a report
    pd_u32 groups, frames, each;          // each: frames of a group of items
    pd_u32 count[3], tiles[3], log[3];
    pd_u32 factor_base, factor_step, factor_axis, factor_wide; // words: of a frame, a frequency
    pd_u32 out_base, out_step[3], out_last, out_frame;
    pd_u32 mean_base, mean_step[3];
    pd_u32 output, tone, nan_colour;
    pd_f32 low, high, scale;
    // With `timed`, factors are computed from times (words from factor_base on).
    pd_u32 timed, rate_base;
    pd_f32 shift_hi, shift_lo, sign;
} padic_k_wave_frame_params;

#if PD_WAVE_MODE == 1
#define WAVE_FRAMES 4u // computed at once, at WAVE_PART points of an item
#define WAVE_PART (WAVE_POINTS < 4u ? WAVE_POINTS : 4u)
#define WAVE_WAVES (WAVE_FRAMES * WAVE_PART)
#define WAVE_BANDS 32u // frequencies at once, summed before they are added to the total

// Params in local memory, to spare scalar registers, which are scarce on some chips: their offsets.
#define WAVE_FRAME_TIMED 0u
#define WAVE_FRAME_RATES 1u // rate_base, shift of two words, sign
#define WAVE_FRAME_SHOWN 5u // WAVE_SHOWN_...
#define WAVE_FRAME_KEPT (WAVE_FRAME_SHOWN + WAVE_SHOWN)

PD_FN void wave_keep_frame(padic_k_wave_frame_params k, PD_LPTR(pd_u32) kept)
{
    kept[WAVE_FRAME_TIMED] = k.timed;
    kept[WAVE_FRAME_RATES] = k.rate_base;
    kept[WAVE_FRAME_RATES + 1u] = PD_AS_U32(k.shift_hi);
    kept[WAVE_FRAME_RATES + 2u] = PD_AS_U32(k.shift_lo);
    kept[WAVE_FRAME_RATES + 3u] = PD_AS_U32(k.sign);
    WAVE_KEEP_SHOWN(k, kept + WAVE_FRAME_SHOWN);
}

// A frequency's factor in a frame, stored at `at`, or computed from a time there.
PD_FN wave_complex wave_frame_factor(PD_GPTR(const pd_u32) factors, PD_GPTR(const pd_f32) rates,
                                     PD_LPTR(const pd_u32) kept, pd_u32 band, pd_u32 at,
                                     pd_u32 wide)
{
    PD_LPTR(const pd_u32) own = kept + WAVE_FRAME_RATES;
    wave_complex z;
    if (kept[WAVE_FRAME_TIMED]) {
        const pd_u32 rate = own[0] + 2u * band;
        return wave_factor(pd_two_load(factors, at, wide),
                           pd_two_raw(PD_AS_F32(own[1]), PD_AS_F32(own[2])),
                           pd_two_raw(rates[rate], rates[rate + 1u]), PD_AS_F32(own[3]));
    }
    z.re = pd_two_load(factors, at, wide).hi;
    z.im = pd_two_load(factors, at + 1u + wide, wide).hi;
    return z;
}

// Factors of n frequencies from `band` on in the frames from f on, into local memory.
PD_FN void wave_frame_factors(PD_GPTR(const pd_u32) factors, PD_GPTR(const pd_f32) rates,
                              padic_k_wave_frame_params k, PD_LPTR(const pd_u32) kept, pd_u32 band,
                              pd_u32 n, pd_u32 f, pd_u32 until, PD_LPTR(pd_f32) own)
{
    WAVE_ROLL
    for (pd_u32 i = PD_LID; i < WAVE_FRAMES * WAVE_BANDS; i += PD_WAVE_WG) {
        const pd_u32 g = i / WAVE_FRAMES, q = i % WAVE_FRAMES;
        pd_f32 c = 0.0f, s = 0.0f;
        if (g < n && f + q < until) {
            const wave_complex z = wave_frame_factor(
                factors, rates, kept, band + g,
                k.factor_base + (f + q) * k.factor_step + (band + g) * k.factor_axis,
                k.factor_wide);
            c = z.re;
            s = z.im;
        }
        own[2u * i] = c;
        own[2u * i + 1u] = s;
    }
}

// Adds a frequency's waves, from `row` on, to the sums of frames.
PD_FN void wave_frame_add(PD_GPTR(const pd_f32) waves, pd_u32 row, PD_LPTR(const pd_f32) own,
                          pd_f32 *re, pd_f32 *im)
{
    pd_f32 x[WAVE_PART], y[WAVE_PART];
    WAVE_UNROLL
    for (pd_u32 p = 0u; p < WAVE_PART; p++) {
        x[p] = waves[row + p * PD_WAVE_WG];
        y[p] = waves[row + (p + WAVE_POINTS) * PD_WAVE_WG];
    }
    WAVE_UNROLL
    for (pd_u32 q = 0u; q < WAVE_FRAMES; q++) {
        const pd_f32 c = own[2u * q], s = own[2u * q + 1u];
        WAVE_UNROLL
        for (pd_u32 p = 0u; p < WAVE_PART; p++) {
            const pd_u32 i = WAVE_PART * q + p;
            re[i] = PD_FMA(-s, y[p], PD_FMA(c, x[p], re[i]));
            im[i] = PD_FMA(s, x[p], PD_FMA(c, y[p], im[i]));
        }
    }
}

// Adds sums of n frequencies, waves from `from` on, to the totals.
PD_FN void wave_frame_band(PD_GPTR(const pd_f32) waves, pd_u32 from, pd_u32 n,
                           PD_LPTR(const pd_f32) own, pd_f32 *re, pd_f32 *im)
{
    pd_f32 sre[WAVE_WAVES], sim[WAVE_WAVES];
    WAVE_UNROLL
    for (pd_u32 i = 0u; i < WAVE_WAVES; i++) sre[i] = sim[i] = 0.0f;
    WAVE_ROLL
    for (pd_u32 g = 0u; g < n; g++)
        wave_frame_add(waves, from + g * 2u * WAVE_POINTS * PD_WAVE_WG,
                       own + 2u * WAVE_FRAMES * g, sre, sim);
    WAVE_UNROLL
    for (pd_u32 i = 0u; i < WAVE_WAVES; i++) {
        re[i] += sre[i];
        im[i] += sim[i];
    }
}

// Writes frames from f on at points from `part` on, through local memory, 8 at a time.
PD_FN void wave_frame_write(PD_GPTR(pd_f32) out, PD_GPTR(pd_u8) pixels, PD_GPTR(const pd_u32) table,
                            padic_k_wave_frame_params k, PD_LPTR(const pd_u32) kept, wave_cell c,
                            pd_u32 part, pd_u32 f, pd_u32 until, const pd_f32 *re, const pd_f32 *im,
                            PD_LPTR(pd_f32) stage, wave_range *range)
{
    const pd_u32 l = PD_LID;
    WAVE_ROLL
    for (pd_u32 from = 0u; from < WAVE_WAVES; from += 8u) {
        WAVE_UNROLL
        for (pd_u32 i = 0u; i < 8u; i++) {
            stage[2u * i * PD_WAVE_WG + l] = (from == 0u) ? re[i] : re[WAVE_WAVES - 8u + i];
            stage[(2u * i + 1u) * PD_WAVE_WG + l] = (from == 0u) ? im[i] : im[WAVE_WAVES - 8u + i];
        }
        WAVE_ROLL
        for (pd_u32 i = 0u; i < 8u; i++) {
            const pd_u32 p = part + i % WAVE_PART, frame = f + (from + i) / WAVE_PART;
            const pd_u32 at = wave_element(c, p, k.out_step[0], k.out_step[1], k.out_step[2]) +
                              k.out_base + frame * k.out_frame;
            if (WAVE_INSIDE(k, c, p) && frame < until)
                wave_emit(out, pixels, table, at, kept + WAVE_FRAME_SHOWN,
                          stage[2u * i * PD_WAVE_WG + l],
                          stage[(2u * i + 1u) * PD_WAVE_WG + l], range);
        }
    }
}

// The range of a tile's frames.
PD_FN void wave_frame_report(PD_GPTR(pd_u32) report, padic_k_wave_frame_params k,
                             PD_LPTR(pd_f32) stage, wave_range range)
{
    const pd_u32 l = PD_LID;
    PD_BARRIER();
    for (pd_u32 j = 0u; j < 6u; j++) stage[j * PD_WAVE_WG + l] = (j < 3u) ? range.low : range.high;
    wave_box(stage, l);
    if (l == 0u && k.ranged != 0u) {
        const pd_u32 at = 2u * ((k.tile + PD_GRP) * ((k.frames + k.each - 1u) / k.each) + PD_GRP_Y);
        report[at] = PD_AS_U32(stage[0]);
        report[at + 1u] = PD_AS_U32(stage[3u * PD_WAVE_WG]);
    }
}
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
    PD_LOCAL pd_u32 kept[WAVE_FRAME_KEPT];
    const pd_u32 until = (k.frames - PD_GRP_Y * k.each < k.each) ? k.frames
                                                                : (PD_GRP_Y + 1u) * k.each;
    const wave_cell c = WAVE_CELL(k, k.tile + PD_GRP);
    wave_range range = {3.4028235e38f, -3.4028235e38f};
    if (PD_LID == 0u) wave_keep_frame(k, kept);
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
                                    part * PD_WAVE_WG + PD_LID;
                PD_BARRIER();
                wave_frame_factors(factors, rates, k, kept, band, n, f, until, own);
                PD_BARRIER();
                wave_frame_band(waves, from, n, own, re, im);
            }
            wave_frame_write(out, pixels, table, k, kept, c, part, f, until, re, im, stage,
                             &range);
        }
    }
    wave_frame_report(report, k, stage, range);
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
    const wave_cell c = WAVE_CELL(k, k.tile + PD_GRP);
    WAVE_ROLL
    for (pd_u32 p = 0u; p < WAVE_POINTS; p++) {
        const pd_u32 at = wave_element(c, p, k.mean_step[0], k.mean_step[1], k.mean_step[2]);
        pd_f32 total = 0.0f;
        if (!WAVE_INSIDE(k, c, p)) continue;
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
