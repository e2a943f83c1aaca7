// @per-level
#if !defined(PADIC_NO_WAVE) && PADICI_ISA_LEVEL <= 3

// Superposition and slopes in f64: each pair by its distance, its phase in turns, and polynomials
// for sine and cosine, to about 1e-16 of the amplitude.

#define PADICI_DSET(x) PADICI_D(set1)(x)
#define PADICI_DMUL(a, b) PADICI_D(mul)(a, b)

// sqrt(x) and 1/sqrt(x); of 0 they are 0 and infinity. `tiny`: lanes below DBL_MIN.
PADICI_TARGET PADICI_INLINE void PADICI_WK(double_roots)(PADICI_VD x, PADICI_VDG tiny,
                                                         PADICI_VD *root, PADICI_VD *inverse)
{
#if PADICI_ISA_LEVEL >= 3
    const PADICI_VD half = PADICI_DSET(0.5);
    PADICI_VD y = _mm512_rsqrt14_pd(x), e = PADICI_DNMADD(PADICI_DMUL(x, y), y, PADICI_DSET(1)), r;
    y = PADICI_DMADD(PADICI_DMUL(y, e), PADICI_DMADD(PADICI_DSET(0.375), e, half), y); // 2^-42
    e = PADICI_DNMADD(PADICI_DMUL(x, y), y, PADICI_DSET(1));
    y = PADICI_DMADD(PADICI_DMUL(half, y), e, y);
    r = PADICI_DMUL(x, y);
    r = PADICI_DMADD(PADICI_DMUL(half, y), PADICI_DNMADD(r, r, x), r);
#else
    const PADICI_VD r = PADICI_D(sqrt)(x), y = PADICI_D(div)(PADICI_DSET(1), r);
#endif
    *root = PADICI_DDROP(tiny, r);
    *inverse = PADICI_DPICK(tiny, PADICI_DSET((double)INFINITY), y);
}

// sum += size e^{2 pi i t}. Coefficients: sin(pi x)/x and cos(pi x) in z = x^2 up to 1/4,
// interpolated at Chebyshev's points, errors 3.2e-17 and 8.2e-17 as rounded.
PADICI_TARGET PADICI_INLINE void PADICI_WK(double_wave)(PADICI_VD t, PADICI_VD size, PADICI_VD *re,
                                                        PADICI_VD *im)
{
    static const double sine[8] = {-2.1903497074626018e-05, 0.0004662998161898394,
                                   -0.007370430505916944,   0.0821458865731029,
                                   -0.5992645293189447,     2.5501640398773007,
                                   -5.167712780049969,      3.141592653589793};
    static const double cosine[9] = {4.300724172734847e-06, -0.00010463741681752138,
                                     0.0019295741872812349, -0.025806891376592964,
                                     0.235330630357995,     -1.3352627688545549,
                                     4.058712126416768,     -4.934802200544679,
                                     1};
    const PADICI_VD part = PADICI_D(sub)(t, PADICI_DROUND(t)), turn = PADICI_D(add)(part, part);
    const PADICI_VD n = PADICI_DROUND(turn), x = PADICI_D(sub)(turn, n), z = PADICI_DMUL(x, x);
    PADICI_VD s = PADICI_DSET(7.697826768224191e-07), c = PADICI_DSET(-1.34352129509532e-07);
    uint32_t i;
    for (i = 0; i < 8; i++) s = PADICI_DMADD(s, z, PADICI_DSET(sine[i]));
    for (i = 0; i < 9; i++) c = PADICI_DMADD(c, z, PADICI_DSET(cosine[i]));
    size = PADICI_DMUL(size, PADICI_DNMADD(PADICI_D(add)(n, n), n, PADICI_DSET(1))); // n: -1, 0, 1
    *re = PADICI_DMADD(size, c, *re);
    *im = PADICI_DMADD(PADICI_DMUL(size, x), s, *im);
}

// What a pair needs: the offset, r^2 before CLAMP, r and 1/r, 1/r of the amplitude, its size.
typedef struct PADICI_WK(double_at) {
    PADICI_VD way[3], own, r, inverse, part, size, turns;
} PADICI_WK(double_at);

// `soft` and `root` are constants at each call. Returns the lanes too close for a pair without
// softening, whose size is 0.
PADICI_TARGET PADICI_INLINE PADICI_VDG PADICI_WK(double_pair)(const padici_wave_tile *t,
                                                              const padici_wave_tile_wide *s,
                                                              const PADICI_VD at[3], double close,
                                                              uint32_t soft, uint32_t root,
                                                              PADICI_WK(double_at) * to)
{
    const PADICI_VD least = PADICI_DSET(DBL_MIN);
    PADICI_VD r2;
    PADICI_VDG tiny;
    uint32_t a;
    for (a = 0; a < 3; a++) to->way[a] = PADICI_D(sub)(at[a], PADICI_DSET(s->at[a]));
    r2 = PADICI_DMUL(to->way[0], to->way[0]);
    r2 = PADICI_DMADD(to->way[1], to->way[1], r2);
    to->own = r2 = PADICI_DMADD(to->way[2], to->way[2], r2);
    if (soft == PADICI_WAVE_TILE_SOFT) {
        to->own = PADICI_D(add)(r2, PADICI_DSET(t->wide_add));
        r2 = PADICI_D(max)(to->own, PADICI_DSET(t->wide_least));
    }
    tiny = PADICI_DLESS(r2, least);
    PADICI_WK(double_roots)(r2, tiny, &to->r, &to->inverse);
    to->part = to->inverse;
    if (soft == PADICI_WAVE_TILE_PLUMMER) {
        const PADICI_VD wider = PADICI_D(add)(r2, PADICI_DSET(t->wide_widen));
        PADICI_VD unused;
        PADICI_WK(double_roots)(wider, PADICI_DLESS(wider, least), &unused, &to->part);
    }
    to->size = root ? PADICI_D(sqrt)(to->part) : to->part;
    to->size = PADICI_DMUL(to->size, PADICI_DSET(s->size));
    if (soft == PADICI_WAVE_TILE_NONE) {
        tiny = PADICI_DLESS(PADICI_D(sub)(r2, PADICI_DSET(close)), least);
        to->size = PADICI_DDROP(tiny, to->size);
        to->part = PADICI_DDROP(tiny, to->part);
        to->inverse = PADICI_DDROP(tiny, to->inverse);
    } else {
        tiny = PADICI_DG0;
    }
    to->turns = PADICI_DMADD(to->r, PADICI_DSET(s->wave), PADICI_DSET(s->phase));
    return tiny;
}

PADICI_TARGET PADICI_INLINE void PADICI_WK(double_as)(padici_wave_tile *t, uint32_t soft,
                                                      uint32_t root)
{
    const uint32_t n = t->count[2], lanes = PADICI_LANES / 2;
    PADICI_VDG bad = PADICI_DG0;
    uint32_t i, j, p, a;
    for (i = 0; i < t->vectors; i += 2 * lanes) {
        PADICI_VD sum[2][2], at[2][3];
        for (p = 0; p < 2; p++) {
            for (a = 0; a < 3; a++) at[p][a] = PADICI_D(loadu)(t->at[a] + i + p * lanes);
            for (a = 0; a < 2; a++) sum[p][a] = PADICI_DSET(0);
        }
        for (j = 0; j < n; j++)
            for (p = 0; p < 2; p++) {
                PADICI_WK(double_at) pair;
                bad = PADICI_DOR(bad, PADICI_WK(double_pair)(t, &t->wide[j], at[p], 0, soft, root,
                                                             &pair));
                PADICI_WK(double_wave)(pair.turns, pair.size, &sum[p][0], &sum[p][1]);
            }
        for (p = 0; p < 2; p++)
            for (a = 0; a < 2; a++) {
                double *to = t->total[a] + i + p * lanes;
                PADICI_D(storeu)(to, PADICI_D(add)(PADICI_D(loadu)(to), sum[p][a]));
            }
    }
    if (PADICI_DBITS(bad)) t->bad = 1;
}

PADICI_FN PADICI_TARGET void PADICI_WK(double)(padici_wave_tile *t)
{
    if (t->soft == PADICI_WAVE_TILE_NONE && !t->root)
        PADICI_WK(double_as)(t, PADICI_WAVE_TILE_NONE, 0);
    else if (t->soft == PADICI_WAVE_TILE_SOFT && !t->root)
        PADICI_WK(double_as)(t, PADICI_WAVE_TILE_SOFT, 0);
    else
        PADICI_WK(double_as)(t, t->soft, t->root);
}

// Slopes as in the file of those in f32: of d (i k/r - q^2) psi, where q^2 is 1/r^2 of the
// amplitude, half of that for its root, and nothing inside CLAMP's length.
PADICI_FN PADICI_TARGET void PADICI_WK(slope_double)(padici_wave_tile *t)
{
    const uint32_t n = t->count[2], lanes = PADICI_LANES / 2;
    const PADICI_VD zero = PADICI_DSET(0), inside = PADICI_DSET(t->wide_inside);
    PADICI_VDG bad = PADICI_DG0;
    uint32_t i, j, a;
    for (i = 0; i < t->vectors; i += lanes) {
        PADICI_VD sum[8], at[3];
        for (a = 0; a < 3; a++) at[a] = PADICI_D(loadu)(t->at[a] + i);
        for (a = 0; a < 8; a++) sum[a] = zero;
        for (j = 0; j < n; j++) {
            PADICI_WK(double_at) pair;
            PADICI_VD k, q2, re = zero, im = zero, x, y;
            bad = PADICI_DOR(bad, PADICI_WK(double_pair)(t, &t->wide[j], at,
                                                         PADICI_WAVE_TILE_CLOSE, t->soft, t->root,
                                                         &pair));
            q2 = PADICI_DMUL(pair.part, PADICI_DMUL(pair.part, PADICI_DSET(t->root ? 0.5 : 1)));
            k = PADICI_DMUL(pair.inverse, PADICI_DSET(PADICI_TWO_PI * t->wide[j].wave));
            if (t->soft != PADICI_WAVE_TILE_NONE) {
                const PADICI_VDG in = PADICI_DLESS(pair.own, inside);
                q2 = PADICI_DDROP(in, q2);
                k = PADICI_DDROP(in, k);
            }
            PADICI_WK(double_wave)(pair.turns, pair.size, &re, &im);
            x = PADICI_DNMADD(k, im, PADICI_DNMADD(q2, re, zero));
            y = PADICI_DMADD(k, re, PADICI_DNMADD(q2, im, zero));
            sum[0] = PADICI_D(add)(sum[0], re);
            sum[1] = PADICI_D(add)(sum[1], im);
            for (a = 0; a < 3; a++) {
                sum[2 + 2 * a] = PADICI_DMADD(x, pair.way[a], sum[2 + 2 * a]);
                sum[3 + 2 * a] = PADICI_DMADD(y, pair.way[a], sum[3 + 2 * a]);
            }
        }
        for (a = 0; a < 8; a++) {
            double *to = (a < 2 ? t->total[a] : t->slope[a - 2]) + i;
            PADICI_D(storeu)(to, PADICI_D(add)(PADICI_D(loadu)(to), sum[a]));
        }
    }
    if (PADICI_DBITS(bad)) t->bad = 1;
}

#undef PADICI_DSET
#undef PADICI_DMUL

#endif
