// @per-level
#if !defined(PADIC_NO_WAVE) && PADICI_ISA_LEVEL <= 3

// Sources to the sums of a tile, by each method, and the waves of a tile to its frames.

// `soft` and `root` are constants at each call.
PADICI_TARGET PADICI_INLINE void PADICI_WK(direct_as)(padici_wave_tile *t, uint32_t soft,
                                                      uint32_t root)
{
    const uint32_t n = t->count[0];
    const PADICI_VF add = PADICI_SET(t->add), least = PADICI_SET(t->least);
    const PADICI_VF widen = PADICI_SET(t->widen);
    PADICI_VG bad = PADICI_G0;
    uint32_t i, j, p;
    for (i = 0; i < t->vectors; i += 2 * PADICI_LANES) {
        PADICI_VF re[2], im[2], d[2][3];
        for (p = 0; p < 2; p++) {
            for (j = 0; j < 3; j++) d[p][j] = PADICI_F(loadu)(t->d[j] + i + p * PADICI_LANES);
            re[p] = im[p] = PADICI_F(setzero)();
        }
        for (j = 0; j < n; j++) {
            const padici_wave_tile_source *s = &t->direct[j];
            for (p = 0; p < 2; p++) {
                const PADICI_VF x = PADICI_ADD(d[p][0], PADICI_SET(s->at[0]));
                const PADICI_VF y = PADICI_ADD(d[p][1], PADICI_SET(s->at[1]));
                const PADICI_VF z = PADICI_ADD(d[p][2], PADICI_SET(s->at[2]));
                PADICI_VF r2 = PADICI_MADD(z, z, PADICI_MADD(y, y, PADICI_MUL(x, x))), size, r;
                if (soft == PADICI_WAVE_TILE_SOFT) r2 = PADICI_F(max)(PADICI_ADD(r2, add), least);
                if (soft == PADICI_WAVE_TILE_PLUMMER) {
                    r = PADICI_F(sqrt)(r2);
                    size = PADICI_WK(root)(PADICI_ADD(r2, widen));
                } else {
                    size = PADICI_WK(root)(r2);
                    r = PADICI_MUL(r2, size);
                }
                if (root) size = PADICI_F(sqrt)(size);
                if (soft == PADICI_WAVE_TILE_NONE) {
                    const PADICI_VG tiny = PADICI_TINY(r2);
                    bad = PADICI_OR(bad, tiny);
                    size = PADICI_DROP(tiny, size);
                    r = PADICI_DROP(tiny, r); // an estimate of 1/0 makes NaN
                }
                PADICI_WK(wave)(PADICI_MADD(PADICI_SET(s->wave), r, PADICI_SET(s->phase)),
                                PADICI_MUL(size, PADICI_SET(s->size)), &re[p], &im[p]);
            }
        }
        for (p = 0; p < 2; p++) PADICI_WK(add)(t, i + p * PADICI_LANES, re[p], im[p]);
    }
    if (PADICI_ANY(bad)) t->bad = 1;
}

PADICI_FN PADICI_TARGET void PADICI_WK(direct)(padici_wave_tile *t)
{
    if (t->soft == PADICI_WAVE_TILE_NONE && !t->root)
        PADICI_WK(direct_as)(t, PADICI_WAVE_TILE_NONE, 0);
    else if (t->soft == PADICI_WAVE_TILE_SOFT && !t->root)
        PADICI_WK(direct_as)(t, PADICI_WAVE_TILE_SOFT, 0);
    else if (t->soft == PADICI_WAVE_TILE_NONE)
        PADICI_WK(direct_as)(t, PADICI_WAVE_TILE_NONE, 1);
    else if (t->soft == PADICI_WAVE_TILE_SOFT)
        PADICI_WK(direct_as)(t, PADICI_WAVE_TILE_SOFT, 1);
    else
        PADICI_WK(direct_as)(t, PADICI_WAVE_TILE_PLUMMER, t->root);
}

PADICI_TARGET PADICI_INLINE void PADICI_WK(mid_as)(padici_wave_tile *t, uint32_t soft,
                                                   uint32_t root)
{
    const uint32_t n = t->count[1];
    const PADICI_VF widen = PADICI_SET(t->widen);
    uint32_t i, j, p;
    for (i = 0; i < t->vectors; i += 2 * PADICI_LANES) {
        PADICI_VF re[2], im[2], d[2][4];
        for (p = 0; p < 2; p++) {
            for (j = 0; j < 4; j++) d[p][j] = PADICI_F(loadu)(t->d[j] + i + p * PADICI_LANES);
            re[p] = im[p] = PADICI_F(setzero)();
        }
        for (j = 0; j < n; j++) {
            const padici_wave_tile_source *s = &t->mid[j];
            for (p = 0; p < 2; p++) {
                PADICI_VF more = PADICI_MADD(d[p][0], PADICI_SET(s->at[0]), d[p][3]), r2, size, way;
                more = PADICI_MADD(d[p][1], PADICI_SET(s->at[1]), more);
                more = PADICI_MADD(d[p][2], PADICI_SET(s->at[2]), more);
                r2 = PADICI_ADD(more, PADICI_SET(s->r2));
                size = PADICI_WK(root)(r2);
                way = PADICI_MADD(r2, size, PADICI_SET(s->r0)); // r + r0
                way = PADICI_MUL(more, PADICI_WK(part)(way));
                if (soft == PADICI_WAVE_TILE_PLUMMER) size = PADICI_WK(root)(PADICI_ADD(r2, widen));
                if (root) size = PADICI_F(sqrt)(size);
                PADICI_WK(wave)(PADICI_MADD(PADICI_SET(s->wave), way, PADICI_SET(s->phase)),
                                PADICI_MUL(size, PADICI_SET(s->size)), &re[p], &im[p]);
            }
        }
        for (p = 0; p < 2; p++) PADICI_WK(add)(t, i + p * PADICI_LANES, re[p], im[p]);
    }
}

PADICI_FN PADICI_TARGET void PADICI_WK(mid)(padici_wave_tile *t)
{
    if (t->soft != PADICI_WAVE_TILE_PLUMMER && !t->root)
        PADICI_WK(mid_as)(t, PADICI_WAVE_TILE_NONE, 0);
    else PADICI_WK(mid_as)(t, t->soft, t->root);
}

PADICI_FN PADICI_TARGET void PADICI_WK(series)(padici_wave_tile *t)
{
    const uint32_t n = t->count[3];
    uint32_t i, j, k, p;
    for (i = 0; i < t->vectors; i += 2 * PADICI_LANES) {
        PADICI_VF re[2], im[2], d[2][4];
        for (p = 0; p < 2; p++) {
            for (j = 0; j < 4; j++) d[p][j] = PADICI_F(loadu)(t->d[j] + i + p * PADICI_LANES);
            re[p] = im[p] = PADICI_F(setzero)();
        }
        for (j = 0; j < n; j++) {
            const padici_wave_tile_far *s = &t->far_[j];
            for (p = 0; p < 2; p++) {
                PADICI_VF u = PADICI_MUL(d[p][3], PADICI_SET(s->square)), phase, size;
                u = PADICI_MADD(d[p][2], PADICI_SET(s->at[2]), u);
                u = PADICI_MADD(d[p][1], PADICI_SET(s->at[1]), u);
                u = PADICI_MADD(d[p][0], PADICI_SET(s->at[0]), u);
                phase = PADICI_MADD(PADICI_SET(s->phase[4]), u, PADICI_SET(s->phase[3]));
                size = PADICI_MADD(PADICI_SET(s->size[4]), u, PADICI_SET(s->size[3]));
                for (k = 3; k-- > 0;) {
                    phase = PADICI_MADD(phase, u, PADICI_SET(s->phase[k]));
                    size = PADICI_MADD(size, u, PADICI_SET(s->size[k]));
                }
                PADICI_WK(wave)(phase, size, &re[p], &im[p]);
            }
        }
        for (p = 0; p < 2; p++) PADICI_WK(add)(t, i + p * PADICI_LANES, re[p], im[p]);
    }
}

// Of a source, re and im: the wave in the middle row, its factors to the next and to the previous
// row, and the multipliers of these from row to row, minus 1.
typedef struct PADICI_WK(rows_at) {
    PADICI_VF z[2], up[2], down[2], more[2];
} PADICI_WK(rows_at);

// Rotates re + i im by the small angle `bend` and scales it by e^e, e small.
PADICI_TARGET PADICI_INLINE void PADICI_WK(rows_factor)(PADICI_VF re, PADICI_VF im, PADICI_VF bend,
                                                        PADICI_VF e, PADICI_VF to[2])
{
    const PADICI_VF one = PADICI_SET(1.0f);
    const PADICI_VF less = PADICI_NMADD(PADICI_MUL(PADICI_SET(0.5f), bend), bend, one);
    const PADICI_VF size = PADICI_MADD(e, PADICI_MADD(PADICI_SET(0.5f), e, one), one);
    const PADICI_VF x = PADICI_NMADD(im, bend, PADICI_MUL(re, less));
    const PADICI_VF y = PADICI_MADD(re, bend, PADICI_MUL(im, less));
    to[0] = PADICI_MUL(x, size);
    to[1] = PADICI_MUL(y, size);
}

// e^{i pi t}, sine and cosine to 5e-8.
PADICI_TARGET PADICI_INLINE void PADICI_WK(rows_turn)(PADICI_VF t, PADICI_VF *re, PADICI_VF *im)
{
    const PADICI_N n = PADICI_NEAREST(t);
    const PADICI_VF g = PADICI_F(sub)(t, PADICI_WHOLE(n)), z = PADICI_MUL(g, g);
    PADICI_VF s = PADICI_MADD(PADICI_SET(0.07722013f), z, PADICI_SET(-0.59804517f));
    PADICI_VF c = PADICI_MADD(PADICI_SET(0.2196967987f), z, PADICI_SET(-1.3318801613f));
    s = PADICI_MADD(s, z, PADICI_SET(2.55003138f));
    c = PADICI_MADD(c, z, PADICI_SET(4.0584119042f));
    s = PADICI_MADD(s, z, PADICI_SET(-5.16770688f));
    c = PADICI_MADD(c, z, PADICI_SET(-4.9347928587f));
    s = PADICI_MADD(s, z, PADICI_SET(3.14159258f));
    *re = PADICI_FLIP(PADICI_MADD(c, z, PADICI_SET(0.9999999535f)), n);
    *im = PADICI_FLIP(PADICI_MUL(s, g), n);
}

// At points i of the middle row; m: the component of r along rows, p = step/r. After j rows r is r
// (1 + j p m + j^2 p^2 (1 - m^2)/2), and ln r has grown by j p m + j^2 p^2 (1 - 2 m^2)/2.
PADICI_TARGET PADICI_INLINE void PADICI_WK(rows_begin)(const padici_wave_tile *t,
                                                       const padici_wave_tile_rows *s, uint32_t i,
                                                       PADICI_WK(rows_at) * to)
{
    const padici_wave_tile_far *f = &s->far_;
    const PADICI_VF along = PADICI_F(loadu)(t->along + i);
    const PADICI_VF power = PADICI_SET(t->root ? 0.5f : 1.0f);
    PADICI_VF u = PADICI_MUL(PADICI_F(loadu)(t->d[3] + i), PADICI_SET(f->square)), phase, size;
    PADICI_VF inverse, m, p, turn, bend, first, second, x, y;
    uint32_t k;
    for (k = 3; k-- > 0;) u = PADICI_MADD(PADICI_F(loadu)(t->d[k] + i), PADICI_SET(f->at[k]), u);
    phase = PADICI_SET(f->phase[4]);
    size = PADICI_SET(f->size[4]);
    for (k = 4; k-- > 0;) {
        if (k) phase = PADICI_MADD(phase, u, PADICI_SET(f->phase[k]));
        size = PADICI_MADD(size, u, PADICI_SET(f->size[k]));
    }
    phase = PADICI_MUL(phase, u); // k (r - r0)
    inverse = PADICI_WK(root)(PADICI_MADD(u, PADICI_SET(s->r2), PADICI_SET(s->r2)));
    m = PADICI_MUL(PADICI_ADD(along, PADICI_SET(s->reach)), inverse);
    p = PADICI_MUL(PADICI_SET((float)t->step), inverse);
    // k step m is that of the centre and k step (along - (r - r0) reach/r0)/r
    turn = PADICI_NMADD(PADICI_SET(s->slant), phase, PADICI_MUL(PADICI_SET(s->wave), along));
    turn = PADICI_MADD(turn, inverse, PADICI_SET(s->turn));
    bend = PADICI_MUL(p, PADICI_NMADD(m, m, PADICI_SET(1.0f)));
    bend = PADICI_MUL(PADICI_SET(1.57079633f * s->wave), bend);
    first = PADICI_MUL(PADICI_MUL(power, p), m);
    second = PADICI_MUL(PADICI_MUL(power, PADICI_MUL(p, p)), // minus, since amplitudes fall
                        PADICI_MADD(m, m, PADICI_SET(-0.5f)));
    PADICI_WK(rows_turn)(PADICI_ADD(phase, PADICI_SET(f->phase[0])), &x, &y);
    to->z[0] = PADICI_MUL(x, size);
    to->z[1] = PADICI_MUL(y, size);
    PADICI_WK(rows_turn)(turn, &x, &y);
    PADICI_WK(rows_factor)(x, y, bend, PADICI_F(sub)(second, first), to->up);
    PADICI_WK(rows_factor)(x, PADICI_F(sub)(PADICI_SET(0.0f), y), bend, PADICI_ADD(second, first),
                           to->down);
    p = PADICI_ADD(bend, bend);
    to->more[0] = PADICI_NMADD(p, bend, PADICI_ADD(second, second));
    to->more[1] = p;
}

// z *= w, added to the sums at i; w += w more.
PADICI_TARGET PADICI_INLINE void PADICI_WK(rows_step)(padici_wave_tile *t, uint32_t i,
                                                      PADICI_VF z[2], PADICI_VF w[2],
                                                      const PADICI_VF more[2])
{
    const PADICI_VF x = PADICI_NMADD(z[1], w[1], PADICI_MUL(z[0], w[0])), u = w[0], v = w[1];
    z[1] = PADICI_MADD(z[1], u, PADICI_MUL(z[0], v));
    z[0] = x;
    w[0] = PADICI_NMADD(v, more[1], PADICI_MADD(u, more[0], u));
    w[1] = PADICI_MADD(u, more[1], PADICI_MADD(v, more[0], v));
    PADICI_F(storeu)(t->frame[0] + i, PADICI_ADD(PADICI_F(loadu)(t->frame[0] + i), z[0]));
    PADICI_F(storeu)(t->frame[1] + i, PADICI_ADD(PADICI_F(loadu)(t->frame[1] + i), z[1]));
}

// The sums of rows are stored in the memory of frames, which come later.
PADICI_FN PADICI_TARGET void PADICI_WK(rows)(padici_wave_tile *t)
{
    const uint32_t n = t->count[4], row = t->row, middle = t->row_count / 2;
    uint32_t i, j, k, part;
    memset(t->frame, 0, sizeof t->frame);
    for (i = middle * row; i < (middle + 1) * row; i += PADICI_LANES)
        for (j = 0; j < n; j++) {
            PADICI_WK(rows_at) at;
            PADICI_VF down[2];
            PADICI_WK(rows_begin)(t, &t->rows[j], i, &at);
            for (part = 0; part < 2; part++) {
                float *sum = t->frame[part] + i;
                down[part] = at.z[part];
                PADICI_F(storeu)(sum, PADICI_ADD(PADICI_F(loadu)(sum), at.z[part]));
            }
            for (k = 1; k < middle; k++) {
                PADICI_WK(rows_step)(t, i + k * row, at.z, at.up, at.more);
                PADICI_WK(rows_step)(t, i - k * row, down, at.down, at.more);
            }
            PADICI_WK(rows_step)(t, i - k * row, down, at.down, at.more);
        }
    for (i = 0; i < PADICI_WAVE_TILE_POINTS; i += PADICI_LANES)
        PADICI_WK(add)(t, i, PADICI_F(loadu)(t->frame[0] + i), PADICI_F(loadu)(t->frame[1] + i));
}

// Half a vector in f64: phase in half-turns within [-1, 1], 1/r of the amplitude.
PADICI_TARGET PADICI_INLINE PADICI_VDG PADICI_WK(half)(const padici_wave_tile *t,
                                                       const padici_wave_tile_wide *s, uint32_t i,
                                                       PADICI_VD *phase, PADICI_VD *size)
{
    const PADICI_VD one = PADICI_D(set1)(1);
    PADICI_VD r2 = PADICI_D(set1)(0), r, turns;
    PADICI_VDG tiny = PADICI_DG0;
    uint32_t a;
    for (a = 0; a < 3; a++) {
        const PADICI_VD x = PADICI_D(sub)(PADICI_D(loadu)(t->at[a] + i), PADICI_D(set1)(s->at[a]));
        r2 = PADICI_D(add)(r2, PADICI_D(mul)(x, x));
    }
    r2 = PADICI_D(max)(PADICI_D(add)(r2, PADICI_D(set1)(t->wide_add)),
                       PADICI_D(set1)(t->wide_least));
    r = PADICI_D(sqrt)(r2);
    *size = r;
    if (t->soft == PADICI_WAVE_TILE_PLUMMER)
        *size = PADICI_D(sqrt)(PADICI_D(add)(r2, PADICI_D(set1)(t->wide_widen)));
    if (t->root) *size = PADICI_D(sqrt)(*size);
    *size = PADICI_D(div)(PADICI_D(set1)(s->size), *size);
    if (t->soft == PADICI_WAVE_TILE_NONE) {
        tiny = PADICI_DTINY(r2);
        *size = PADICI_DDROP(tiny, *size);
    }
    turns = PADICI_D(add)(PADICI_D(mul)(r, PADICI_D(set1)(s->wave)), PADICI_D(set1)(s->phase));
    turns = PADICI_D(sub)(turns, PADICI_DROUND(turns));
    *phase = PADICI_D(mul)(turns, PADICI_D(add)(one, one));
    return tiny;
}

PADICI_FN PADICI_TARGET void PADICI_WK(wide)(padici_wave_tile *t)
{
    const uint32_t n = t->count[2];
    PADICI_VDG bad = PADICI_DG0;
    uint32_t i, j;
    for (i = 0; i < t->vectors; i += PADICI_LANES) {
        PADICI_VF re = PADICI_F(setzero)(), im = re;
        for (j = 0; j < n; j++) {
            PADICI_VD phase[2], size[2];
            bad = PADICI_DOR(bad, PADICI_WK(half)(t, &t->wide[j], i, &phase[0], &size[0]));
            bad = PADICI_DOR(bad, PADICI_WK(half)(t, &t->wide[j], i + PADICI_LANES / 2, &phase[1],
                                                  &size[1]));
            PADICI_WK(wave)(PADICI_JOIN(phase[0], phase[1]), PADICI_JOIN(size[0], size[1]), &re,
                            &im);
        }
        PADICI_WK(add)(t, i, re, im);
    }
#if PADICI_ISA_LEVEL >= 3
    if (bad) t->bad = 1;
#else
    if (PADICI_DANY(bad)) t->bad = 1;
#endif
}

// A frame: the sum of the waves of all frequencies times its factors.
PADICI_FN PADICI_TARGET void PADICI_WK(frame)(padici_wave_tile *t)
{
    uint32_t i, j, p;
    for (i = 0; i < t->vectors; i += 2 * PADICI_LANES) {
        PADICI_VD total[2][4];
        uint64_t g = 0;
        for (p = 0; p < 2; p++)
            for (j = 0; j < 4; j++) total[p][j] = PADICI_D(set1)(0);
        while (g < t->groups) {
            const uint64_t end = t->groups - g < 32 ? t->groups : g + 32;
            PADICI_VF re[2], im[2];
            for (p = 0; p < 2; p++) re[p] = im[p] = PADICI_F(setzero)();
            for (; g < end; g++) {
                const float *wave = t->waves + g * 2 * PADICI_WAVE_TILE_POINTS + i;
                const PADICI_VF c = PADICI_SET(t->factors[2 * g]);
                const PADICI_VF s = PADICI_SET(t->factors[2 * g + 1]);
                for (p = 0; p < 2; p++, wave += PADICI_LANES) {
                    const PADICI_VF x = PADICI_F(loadu)(wave);
                    const PADICI_VF y = PADICI_F(loadu)(wave + PADICI_WAVE_TILE_POINTS);
                    re[p] = PADICI_NMADD(s, y, PADICI_MADD(c, x, re[p]));
                    im[p] = PADICI_MADD(s, x, PADICI_MADD(c, y, im[p]));
                }
            }
            for (p = 0; p < 2; p++) {
                total[p][0] = PADICI_D(add)(total[p][0], PADICI_LOW(re[p]));
                total[p][1] = PADICI_D(add)(total[p][1], PADICI_HIGH(re[p]));
                total[p][2] = PADICI_D(add)(total[p][2], PADICI_LOW(im[p]));
                total[p][3] = PADICI_D(add)(total[p][3], PADICI_HIGH(im[p]));
            }
        }
        for (p = 0; p < 2; p++) {
            PADICI_F(storeu)(t->frame[0] + i + p * PADICI_LANES,
                             PADICI_JOIN(total[p][0], total[p][1]));
            PADICI_F(storeu)(t->frame[1] + i + p * PADICI_LANES,
                             PADICI_JOIN(total[p][2], total[p][3]));
        }
    }
}

#endif
