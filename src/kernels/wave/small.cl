// small.cl: the field of few pairs in one launch: one point per item, its sources distributed to
// 2^split items. No tiles: a pair uses one word, or two, by its own distance, which is right
// however close it is. report: for each group pairs left out, largest phase error.

#define WAVE_SMALL_ITEMS 256u
#define WAVE_SMALL_SOURCES 128u
#define WAVE_REPORT 2048u // a report is requested
#define WAVE_SMALL_OUT 24u // offsets of base and step of the output, and `output`
#define WAVE_SMALL_EMIT 26u

#if PD_WAVE_MODE == 0 && PD_WAVE_LISTED
// Record: that of WIDE, with the source's own position, negated; the squared distance up to which
// one word suffices, the error of w t.
PD_FN void wave_small_stage(wave_source s, pd_f32 tolerance, pd_f32 length, PD_LPTR(pd_f32) to)
{
    const pd_f32 wave = PD_FABS(s.number.hi), spare = tolerance - WAVE_ERROR_PHASE;
    pd_f32 a = s.a, inside = 0.0f, reach;
    to[13] = wave_soften(s.number, s.turns, length, &a, &inside);
    reach = (spare > 0.0f) ? spare / WAVE_ERROR_DIRECT : 0.0f; // wavelengths
    reach = (reach > 1e15f * wave) ? 1e15f : reach / wave;
    to[0] = -s.x.hi;
    to[8] = -s.x.lo;
    to[1] = -s.y.hi;
    to[9] = -s.y.lo;
    to[2] = -s.z.hi;
    to[10] = -s.z.lo;
    to[3] = s.number.hi;
    to[11] = s.number.lo;
    to[4] = s.turns.hi;
    to[5] = a;
    to[7] = s.b;
    to[12] = inside;
    to[14] = s.turns.lo;
    to[6] = reach * reach;
    to[15] = s.error + WAVE_ERROR_PHASE;
}

// The squared distance of a source from a point.
#define WAVE_WAY_OF(s, at, j) (((at)[j].hi + (s)[j]) + ((at)[j].lo + (s)[8 + (j)]))
PD_FN pd_f32 wave_apart(wave_local s, const pd_two *at, pd_f32 length)
{
    const pd_f32 x = WAVE_WAY_OF(s, at, 0), y = WAVE_WAY_OF(s, at, 1), z = WAVE_WAY_OF(s, at, 2);
    (void)length;
#if PD_WAVE_SOFT == 2
    return PD_FMA(x, x, PD_FMA(y, y, PD_FMA(z, z, length * length)));
#else
    return PD_FMA(x, x, PD_FMA(y, y, z * z));
#endif
}

// Squared distance up to which a point is inside of the softening, or on the source.
PD_FN pd_f32 wave_small_inner(pd_f32 length)
{
#if PD_WAVE_SOFT == 3 || PD_WAVE_SOFT == 5
    return length * length * 1.000001f;
#else
    (void)length;
    return 1.17549435e-38f;
#endif
}

// An item's part of the sources, at its point.
typedef struct {
    pd_f32 re, im, worst;
} wave_small_sum;

// Sources j, j + on, ... below n, in one word where that suffices; returns whether one is left.
PD_FN pd_u32 wave_small_one(PD_LPTR(const pd_f32) stage, const pd_two *at, pd_u32 from, pd_u32 n,
                            pd_u32 on, pd_f32 length, wave_small_sum *sum)
{
    const pd_f32 inner = wave_small_inner(length);
    pd_u32 rest = 0u;
    WAVE_SOME
    for (pd_u32 j = from; j < n; j += on) {
        wave_local s = stage + WAVE_WORDS * j;
        const pd_f32 number = s[3], t = s[4], r2 = wave_apart(s, at, length);
        const pd_u32 here = (r2 > inner && r2 <= s[6]) ? 1u : 0u;
        const pd_f32 square = here ? r2 : 1.0f, e = wave_rsqrt(square), r = square * e;
        const wave_phasor f =
            wave_term(square, r, e, PD_FMA(number * WAVE_SCALE, r, t * WAVE_SCALE), t, number, s[5],
                      s[7], length, 0u);
        const pd_f32 error = PD_FMA(WAVE_ERROR_DIRECT * PD_FABS(number), r, s[15]);
        const pd_f32 size = here ? f.size : 0.0f;
        sum->worst = (here && error > sum->worst) ? error : sum->worst;
        sum->re = PD_FMA(size, f.re, sum->re);
        sum->im = PD_FMA(size, f.im, sum->im);
        rest |= here ^ 1u;
    }
    return rest;
}

// The remaining ones, in two words.
PD_FN void wave_small_two(PD_LPTR(const pd_f32) stage, const pd_two *at, pd_u32 from, pd_u32 n,
                          pd_u32 on, pd_f32 length, pd_u32 valid, PD_LPTR(pd_u32) hits,
                          wave_small_sum *sum)
{
    const pd_f32 inner = wave_small_inner(length);
    WAVE_ROLL
    for (pd_u32 j = from; j < n; j += on) {
        wave_local s = stage + WAVE_WORDS * j;
        const pd_f32 r2 = wave_apart(s, at, length);
        if (!(r2 > inner && r2 <= s[6])) {
            const wave_phasor f = wave_wide(s, at, length, valid, hits);
            const pd_f32 error = PD_FMA(WAVE_ERROR_TWO * PD_FABS(s[3]), PD_SQRT(r2), s[15]);
            sum->worst = (error > sum->worst) ? error : sum->worst;
            sum->re = PD_FMA(f.size, f.re, sum->re);
            sum->im = PD_FMA(f.size, f.im, sum->im);
        }
    }
}

// Adds up the sums of the items of one point in the first `lanes` items.
PD_FN void wave_small_join(PD_LPTR(pd_f32) real, PD_LPTR(pd_f32) imag, pd_u32 lanes,
                           wave_small_sum *sum)
{
    const pd_u32 l = PD_LID;
    WAVE_ROLL
    for (pd_u32 step = WAVE_SMALL_ITEMS / 2u; step >= lanes; step >>= 1) {
        PD_BARRIER();
        if (l >= step && l < 2u * step) {
            real[l] = sum->re;
            imag[l] = sum->im;
        }
        PD_BARRIER();
        if (l < step) {
            sum->re += real[l + step];
            sum->im += imag[l + step];
        }
    }
}

PD_FN void wave_small_write(PD_GPTR(pd_f32) out, PD_LPTR(const pd_u32) kept, pd_u32 i, pd_f32 re,
                            pd_f32 im)
{
    const pd_u32 flags = kept[WAVE_SMALL_EMIT], output = flags & 255u;
    const pd_u32 to = kept[WAVE_SMALL_OUT] + i * kept[WAVE_SMALL_OUT + 1u];
    if (flags & WAVE_CONJUGATE) im = -im;
    if (output == 0u) {
        out[2u * to] = (flags & WAVE_ACCUMULATE) ? out[2u * to] + re : re;
        out[2u * to + 1u] = (flags & WAVE_ACCUMULATE) ? out[2u * to + 1u] + im : im;
    } else {
        out[to] = wave_real(output, re, im);
    }
}

PD_FN void wave_small_report(PD_GPTR(pd_u32) report, PD_LPTR(pd_f32) real,
                             PD_LPTR(const pd_u32) hits, pd_f32 worst)
{
    const pd_u32 l = PD_LID;
    PD_BARRIER();
    real[l] = worst;
    WAVE_ROLL
    for (pd_u32 step = WAVE_SMALL_ITEMS / 2u; step > 0u; step >>= 1) {
        PD_BARRIER();
        if (l < step) real[l] = (real[l + step] > real[l]) ? real[l + step] : real[l];
    }
    if (l == 0u) {
        report[4u * PD_GRP] = hits[0];
        report[4u * PD_GRP + 1u] = PD_AS_U32(real[0]);
    }
}
#endif

PD_KERNEL_WG(padic_k_wave_small, 256)
(PD_CBUF(pd_u32, points), PD_CBUF(pd_u32, position), PD_CBUF(pd_u32, amplitude),
 PD_CBUF(pd_u32, phase), PD_CBUF(pd_u32, rate), PD_CBUF(pd_u32, absorption), PD_BUF(pd_f32, out),
 PD_BUF(pd_u32, report), PD_PARAMS(padic_k_wave_sources_params, k))
{
#if PD_WAVE_MODE == 0 && PD_WAVE_LISTED
    PD_LOCAL WAVE_ALIGN pd_f32 stage[WAVE_SMALL_SOURCES * WAVE_WORDS];
    PD_LOCAL pd_f32 real[WAVE_SMALL_ITEMS];
    PD_LOCAL pd_f32 imag[WAVE_SMALL_ITEMS];
    PD_LOCAL pd_u32 hits[1];
    PD_LOCAL pd_u32 kept[32]; // params, to spare scalar registers, which are scarce on some chips
    const pd_u32 l = PD_LID, lanes = WAVE_SMALL_ITEMS >> k.split, lane = l & (lanes - 1u);
    const pd_u32 part = l >> (8u - k.split), i = PD_GRP * lanes + lane;
    const pd_u32 valid = (i < k.points) ? 1u : 0u;
    wave_small_sum sum = {0.0f, 0.0f, 0.0f};
    const wave_place place =
        wave_place_of(points, k.list_base + ((i < k.points) ? i : k.points - 1u) * k.list_step,
                      k.list_axis, k.list_wide, k.list_dimensions);
    if (l == 0u) {
        hits[0] = 0u;
        wave_keep(k, kept);
        kept[WAVE_SMALL_OUT] = k.out_base;
        kept[WAVE_SMALL_OUT + 1u] = k.out_step;
        kept[WAVE_SMALL_EMIT] = k.output;
    }
    WAVE_ROLL
    for (pd_u32 base = 0u; base < k.count; base += WAVE_SMALL_SOURCES) {
        const pd_u32 n = (k.count - base < WAVE_SMALL_SOURCES) ? k.count - base
                                                              : WAVE_SMALL_SOURCES;
        pd_two at[3];
        pd_u32 rest;
        PD_BARRIER();
        if (l < n) {
            wave_small_stage(wave_source_of(position, amplitude, phase, rate, rate, absorption,
                                            base + l, wave_keeps(k, kept)),
                             k.tolerance, k.length, stage + WAVE_WORDS * l);
        }
        PD_BARRIER();
        wave_position(place, k.list_wide, at); // not before sources are in flight, too
        rest = wave_small_one(stage, at, part, n, 1u << k.split, k.length, &sum);
        wave_small_two(stage, at, rest ? part : n, n, 1u << k.split, k.length, valid, hits, &sum);
    }
    wave_small_join(real, imag, lanes, &sum);
    if (part == 0u && valid != 0u) wave_small_write(out, kept, i, sum.re, sum.im);
    if (kept[WAVE_SMALL_EMIT] & WAVE_REPORT) wave_small_report(report, real, hits, sum.worst);
#else
    (void)points;
    (void)position;
    (void)amplitude;
    (void)phase;
    (void)rate;
    (void)absorption;
    (void)out;
    (void)report;
    (void)k;
#endif
}
