// @per-level
#if !defined(PADIC_NO_WAVE) && PADICI_ISA_LEVEL <= 3

// Slopes. For a pair at distance r, with term psi and offset d: d (i k psi - psi q^2 r)/r, q^2 =
// 1/r^2, or 1/(r^2 + a^2); so kernels sum psi, and d times (i k/r - q^2) psi.

PADICI_TARGET PADICI_INLINE void PADICI_WK(sum)(double *to, PADICI_VF x)
{
    const uint32_t half = PADICI_LANES / 2;
    PADICI_D(storeu)(to, PADICI_D(add)(PADICI_D(loadu)(to), PADICI_LOW(x)));
    PADICI_D(storeu)(to + half, PADICI_D(add)(PADICI_D(loadu)(to + half), PADICI_HIGH(x)));
}

PADICI_TARGET PADICI_INLINE void PADICI_WK(slope_end)(padici_wave_tile *t, uint32_t i,
                                                      const PADICI_VF sum[8])
{
    uint32_t j;
    for (j = 0; j < 2; j++) PADICI_WK(sum)(t->total[j] + i, sum[j]);
    for (j = 0; j < 6; j++) PADICI_WK(sum)(t->slope[j] + i, sum[2 + j]);
}

// phase in half-turns, size of the term, wave k in half-turns; inverse 1/r and q2 as above.
PADICI_TARGET PADICI_INLINE void PADICI_WK(slope_pair)(PADICI_VF phase, PADICI_VF size, float wave,
                                                       PADICI_VF inverse, PADICI_VF q2,
                                                       const PADICI_VF way[3], PADICI_VF sum[8])
{
    const PADICI_VF k = PADICI_MUL(inverse, PADICI_SET(3.14159265f * wave));
    PADICI_VF re = PADICI_SET(0.0f), im = re, x, y;
    uint32_t j;
    PADICI_WK(wave)(phase, size, &re, &im);
    x = PADICI_NMADD(k, im, PADICI_NMADD(q2, re, PADICI_SET(0.0f)));
    y = PADICI_MADD(k, re, PADICI_NMADD(q2, im, PADICI_SET(0.0f)));
    sum[0] = PADICI_ADD(sum[0], re);
    sum[1] = PADICI_ADD(sum[1], im);
    for (j = 0; j < 3; j++) {
        sum[2 + 2 * j] = PADICI_MADD(x, way[j], sum[2 + 2 * j]);
        sum[3 + 2 * j] = PADICI_MADD(y, way[j], sum[3 + 2 * j]);
    }
}

// From r^2 (softened): r, 1/r, the size of the term without its amplitude, q^2.
PADICI_TARGET PADICI_INLINE void PADICI_WK(slope_size)(const padici_wave_tile *t, PADICI_VF r2,
                                                       uint32_t soft, uint32_t root, PADICI_VF *r,
                                                       PADICI_VF *inverse, PADICI_VF *size,
                                                       PADICI_VF *q2)
{
    *inverse = PADICI_WK(root)(r2);
    if (soft == PADICI_WAVE_TILE_PLUMMER) *inverse = PADICI_DROP(PADICI_TINY(r2), *inverse);
    *r = PADICI_MUL(r2, *inverse);
    *size = *inverse;
    if (soft == PADICI_WAVE_TILE_PLUMMER)
        *size = PADICI_WK(root)(PADICI_ADD(r2, PADICI_SET(t->widen)));
    *q2 = PADICI_MUL(*size, *size);
    if (soft == PADICI_WAVE_TILE_PLUMMER) *q2 = PADICI_DROP(PADICI_TINY(r2), *q2);
    if (!root) return;
    *q2 = PADICI_MUL(*q2, PADICI_SET(0.5f));
    *size = PADICI_F(sqrt)(*size);
}

PADICI_TARGET PADICI_INLINE void PADICI_WK(slope_direct_as)(padici_wave_tile *t, uint32_t soft,
                                                            uint32_t root)
{
    const uint32_t n = t->count[0];
    PADICI_VG bad = PADICI_G0;
    uint32_t i, j, a;
    for (i = 0; i < t->vectors; i += PADICI_LANES) {
        PADICI_VF sum[8], d[3];
        for (a = 0; a < 3; a++) d[a] = PADICI_F(loadu)(t->d[a] + i);
        for (a = 0; a < 8; a++) sum[a] = PADICI_F(setzero)();
        for (j = 0; j < n; j++) {
            const padici_wave_tile_source *s = &t->direct[j];
            PADICI_VF way[3], r2, r, inverse, size, q2;
            for (a = 0; a < 3; a++) way[a] = PADICI_ADD(d[a], PADICI_SET(s->at[a]));
            r2 = PADICI_MUL(way[0], way[0]);
            r2 = PADICI_MADD(way[2], way[2], PADICI_MADD(way[1], way[1], r2));
            if (soft == PADICI_WAVE_TILE_SOFT) {
                const PADICI_VF own = PADICI_ADD(r2, PADICI_SET(t->add));
                r2 = PADICI_F(max)(own, PADICI_SET(t->least));
                PADICI_WK(slope_size)(t, r2, soft, root, &r, &inverse, &size, &q2);
                if (t->least > 0) { // constant inside
                    const PADICI_VG in = PADICI_TINY(PADICI_F(sub)(own, PADICI_SET(t->least)));
                    inverse = PADICI_DROP(in, inverse);
                    q2 = PADICI_DROP(in, q2);
                }
            } else {
                PADICI_WK(slope_size)(t, r2, soft, root, &r, &inverse, &size, &q2);
            }
            if (soft == PADICI_WAVE_TILE_NONE) {
                const PADICI_VG tiny = PADICI_TINY(PADICI_F(sub)(r2, PADICI_SET(t->close)));
                bad = PADICI_OR(bad, tiny);
                size = PADICI_DROP(tiny, size);
                inverse = PADICI_DROP(tiny, inverse);
                q2 = PADICI_DROP(tiny, q2);
                r = PADICI_DROP(tiny, r);
            }
            PADICI_WK(slope_pair)(PADICI_MADD(PADICI_SET(s->wave), r, PADICI_SET(s->phase)),
                                  PADICI_MUL(size, PADICI_SET(s->size)), s->wave, inverse, q2,
                                  way, sum);
        }
        PADICI_WK(slope_end)(t, i, sum);
    }
    if (PADICI_ANY(bad)) t->bad = 1;
}

PADICI_FN PADICI_TARGET void PADICI_WK(slope_direct)(padici_wave_tile *t)
{
    if (t->soft == PADICI_WAVE_TILE_NONE && !t->root)
        PADICI_WK(slope_direct_as)(t, PADICI_WAVE_TILE_NONE, 0);
    else
        PADICI_WK(slope_direct_as)(t, t->soft, t->root);
}

PADICI_FN PADICI_TARGET void PADICI_WK(slope_mid)(padici_wave_tile *t)
{
    const uint32_t n = t->count[1];
    uint32_t i, j, a;
    for (i = 0; i < t->vectors; i += PADICI_LANES) {
        PADICI_VF sum[8], d[4];
        for (a = 0; a < 4; a++) d[a] = PADICI_F(loadu)(t->d[a] + i);
        for (a = 0; a < 8; a++) sum[a] = PADICI_F(setzero)();
        for (j = 0; j < n; j++) {
            const padici_wave_tile_source *s = &t->mid[j];
            PADICI_VF way[3], more = d[3], r2, r, inverse, size, q2, longer;
            for (a = 0; a < 3; a++) {
                more = PADICI_MADD(d[a], PADICI_SET(s->at[a]), more);
                way[a] = PADICI_MADD(PADICI_SET(0.5f), PADICI_SET(s->at[a]), d[a]);
            }
            r2 = PADICI_ADD(more, PADICI_SET(s->r2));
            PADICI_WK(slope_size)(t, r2, t->soft, t->root, &r, &inverse, &size, &q2);
            longer = PADICI_MUL(more, PADICI_WK(part)(PADICI_ADD(r, PADICI_SET(s->r0))));
            PADICI_WK(slope_pair)(PADICI_MADD(PADICI_SET(s->wave), longer, PADICI_SET(s->phase)),
                                  PADICI_MUL(size, PADICI_SET(s->size)), s->wave, inverse, q2,
                                  way, sum);
        }
        PADICI_WK(slope_end)(t, i, sum);
    }
}

// Half a vector in f64: phase, size with the amplitude, 1, q^2 r, the offset over r, which f32 can
// hold for every r.
PADICI_TARGET PADICI_INLINE PADICI_VDG PADICI_WK(slope_half)(const padici_wave_tile *t,
                                                             const padici_wave_tile_wide *s,
                                                             uint32_t i, PADICI_VD to[7])
{
    const PADICI_VD one = PADICI_D(set1)(1);
    PADICI_VD r2 = PADICI_D(set1)(0), own, r, turns, size;
    PADICI_VDG tiny = PADICI_DG0, in;
    uint32_t a;
    for (a = 0; a < 3; a++) {
        to[4 + a] = PADICI_D(sub)(PADICI_D(loadu)(t->at[a] + i), PADICI_D(set1)(s->at[a]));
        r2 = PADICI_D(add)(r2, PADICI_D(mul)(to[4 + a], to[4 + a]));
    }
    own = PADICI_D(add)(r2, PADICI_D(set1)(t->wide_add));
    r2 = PADICI_D(max)(own, PADICI_D(set1)(t->wide_least));
    r = PADICI_D(sqrt)(r2);
    size = r;
    if (t->soft == PADICI_WAVE_TILE_PLUMMER)
        size = PADICI_D(sqrt)(PADICI_D(add)(r2, PADICI_D(set1)(t->wide_widen)));
    to[3] = PADICI_D(div)(r, PADICI_D(mul)(size, size));
    if (t->root) {
        to[3] = PADICI_D(mul)(to[3], PADICI_D(set1)(0.5));
        size = PADICI_D(sqrt)(size);
    }
    to[1] = PADICI_D(div)(PADICI_D(set1)(s->size), size);
    to[2] = one;
    for (a = 0; a < 3; a++) to[4 + a] = PADICI_D(div)(to[4 + a], r);
    if (t->soft == PADICI_WAVE_TILE_NONE) {
        tiny = PADICI_DTINY(PADICI_D(sub)(r2, PADICI_D(set1)(PADICI_WAVE_TILE_CLOSE)));
        for (a = 1; a < 7; a++) to[a] = PADICI_DDROP(tiny, to[a]);
    } else {
        in = PADICI_DLESS(own, PADICI_D(set1)(t->wide_inside));
        for (a = 2; a < 7; a++) to[a] = PADICI_DDROP(in, to[a]);
    }
    turns = PADICI_D(add)(PADICI_D(mul)(r, PADICI_D(set1)(s->wave)), PADICI_D(set1)(s->phase));
    turns = PADICI_D(sub)(turns, PADICI_DROUND(turns));
    to[0] = PADICI_D(mul)(turns, PADICI_D(add)(one, one));
    return tiny;
}

PADICI_FN PADICI_TARGET void PADICI_WK(slope_wide)(padici_wave_tile *t)
{
    const uint32_t n = t->count[2];
    PADICI_VDG bad = PADICI_DG0;
    uint32_t i, j, a;
    for (i = 0; i < t->vectors; i += PADICI_LANES) {
        PADICI_VF sum[8];
        for (a = 0; a < 8; a++) sum[a] = PADICI_F(setzero)();
        for (j = 0; j < n; j++) {
            PADICI_VD low[7], high[7];
            PADICI_VF v[7];
            bad = PADICI_DOR(bad, PADICI_WK(slope_half)(t, &t->wide[j], i, low));
            bad = PADICI_DOR(bad,
                             PADICI_WK(slope_half)(t, &t->wide[j], i + PADICI_LANES / 2, high));
            for (a = 0; a < 7; a++) v[a] = PADICI_JOIN(low[a], high[a]);
            PADICI_WK(slope_pair)(v[0], v[1], (float)(2 * t->wide[j].wave), v[2], v[3], v + 4,
                                  sum);
        }
        PADICI_WK(slope_end)(t, i, sum);
    }
#if PADICI_ISA_LEVEL >= 3
    if (bad) t->bad = 1;
#else
    if (PADICI_DANY(bad)) t->bad = 1;
#endif
}

#endif
