// @per-level
#if !defined(PADIC_NO_WAVE) && PADICI_ISA_LEVEL <= 3

// ------------------------------------------------------------------------------------- >>fields
//
// Rows of fields of c64, in f64: observables, pixels, the norm, slopes of the phase, charges.
// Products of two f32 are exact there. Counts are multiples of 16.

// The angle y/x in turns, in (-1/2, 1/2]; 0 for 0, 0. The polynomial of the device kernels.
PADICI_TARGET PADICI_INLINE PADICI_VD PADICI_WK(angle)(PADICI_VD y, PADICI_VD x)
{
    const PADICI_VD zero = PADICI_D(set1)(0), u = PADICI_DABS(x), v = PADICI_DABS(y);
    const PADICI_VD big = PADICI_D(max)(PADICI_D(max)(u, v), PADICI_D(set1)(DBL_MIN));
    const PADICI_VD q = PADICI_D(div)(PADICI_D(min)(u, v), big), g = PADICI_D(mul)(q, q);
    PADICI_VD a = PADICI_DMADD(PADICI_D(set1)(0.0003930998152), g, PADICI_D(set1)(-0.002301266841));
    a = PADICI_DMADD(a, g, PADICI_D(set1)(0.00634815885));
    a = PADICI_DMADD(a, g, PADICI_D(set1)(-0.01153098963));
    a = PADICI_DMADD(a, g, PADICI_D(set1)(0.01671879152));
    a = PADICI_DMADD(a, g, PADICI_D(set1)(-0.02254128972));
    a = PADICI_DMADD(a, g, PADICI_D(set1)(0.03180909161));
    a = PADICI_DMADD(a, g, PADICI_D(set1)(-0.05305052095));
    a = PADICI_D(mul)(PADICI_DMADD(a, g, PADICI_D(set1)(0.15915494309189535)), q);
    a = PADICI_DPICK(PADICI_DLESS(u, v), PADICI_D(sub)(PADICI_D(set1)(0.25), a), a);
    a = PADICI_DPICK(PADICI_DLESS(x, zero), PADICI_D(sub)(PADICI_D(set1)(0.5), a), a);
    return PADICI_DPICK(PADICI_DLESS(y, zero), PADICI_D(sub)(zero, a), a);
}

PADICI_TARGET PADICI_INLINE PADICI_VD PADICI_WK(power)(PADICI_VD re, PADICI_VD im)
{
    return PADICI_DMADD(re, re, PADICI_D(mul)(im, im));
}

// Lanes that are not finite.
PADICI_TARGET PADICI_INLINE uint32_t PADICI_WK(wild)(PADICI_VD re, PADICI_VD im)
{
    const PADICI_VD size = PADICI_D(add)(PADICI_DABS(re), PADICI_DABS(im));
    return PADICI_DBITS(PADICI_DLESS(size, PADICI_D(set1)(1e300))) ^
           ((1u << PADICI_LANES / 2) - 1u);
}

PADICI_TARGET PADICI_INLINE PADICI_VD PADICI_WK(see)(PADICI_VD re, PADICI_VD im, uint32_t output)
{
    if (output == PADIC_WAVE_OUTPUT_REAL) return re;
    if (output == PADIC_WAVE_OUTPUT_PHASE)
        return PADICI_D(mul)(PADICI_WK(angle)(im, re), PADICI_D(set1)(PADICI_TWO_PI));
    if (output == PADIC_WAVE_OUTPUT_AMPLITUDE) return PADICI_D(sqrt)(PADICI_WK(power)(re, im));
    return PADICI_WK(power)(re, im);
}

PADICI_FN PADICI_TARGET void PADICI_WK(field_observe)(padici_wave_field_row *f)
{
    uint32_t i;
    for (i = 0; i < f->count; i += PADICI_LANES) {
        PADICI_VF re, im;
        PADICI_SPLIT(f->z[0] + 2 * i, re, im);
        f->odd |= PADICI_WK(wild)(PADICI_LOW(re), PADICI_LOW(im)) |
                  PADICI_WK(wild)(PADICI_HIGH(re), PADICI_HIGH(im));
        PADICI_F(storeu)
        (f->out + i, PADICI_JOIN(PADICI_WK(see)(PADICI_LOW(re), PADICI_LOW(im), f->what),
                                 PADICI_WK(see)(PADICI_HIGH(re), PADICI_HIGH(im), f->what)));
    }
}

// Sums of |psi|^2 of 8 blocks of 256, each in order.
PADICI_FN PADICI_TARGET void PADICI_WK(field_squares)(padici_wave_field_row *f)
{
    uint32_t i, block;
    for (block = 0; block < 8; block += PADICI_LANES / 2) {
        const float *from = f->z[0] + 512 * block;
        PADICI_VD sum = PADICI_D(set1)(0);
        for (i = 0; i < 256; i++) {
            PADICI_VD re, im;
            PADICI_BLOCKS(from + 2 * i, re, im);
            sum = PADICI_D(add)(sum, PADICI_WK(power)(re, im));
        }
        PADICI_D(storeu)(f->sums + block, sum);
    }
}

PADICI_FN PADICI_TARGET void PADICI_WK(field_scale)(padici_wave_field_row *f)
{
    const PADICI_VD factor = PADICI_D(set1)(f->factor);
    uint32_t i;
    for (i = 0; i < 2 * f->count; i += PADICI_LANES) {
        const PADICI_VF x = PADICI_F(loadu)(f->z[0] + i);
        PADICI_F(storeu)
        (f->out + i, PADICI_JOIN(PADICI_D(mul)(PADICI_LOW(x), factor),
                                 PADICI_D(mul)(PADICI_HIGH(x), factor)));
    }
}

// The angle from a to b, in turns.
PADICI_TARGET PADICI_INLINE PADICI_VD PADICI_WK(link)(PADICI_VD are, PADICI_VD aim, PADICI_VD bre,
                                                   PADICI_VD bim)
{
    return PADICI_WK(angle)(PADICI_D(sub)(PADICI_D(mul)(bim, are), PADICI_D(mul)(bre, aim)),
                            PADICI_DMADD(bre, are, PADICI_D(mul)(bim, aim)));
}

// Slopes from left (z[0]), centre, right; marks[0]: undefined.
PADICI_TARGET PADICI_INLINE PADICI_VD PADICI_WK(slope_of)(const padici_wave_field_row *f,
                                                          const PADICI_VD *re, const PADICI_VD *im,
                                                          uint32_t *none)
{
    const PADICI_VD power = PADICI_WK(power)(re[1], im[1]);
    const PADICI_VDG more = PADICI_DLESS(PADICI_D(set1)(f->low), power);
    PADICI_VD slope;
    if (f->what == PADIC_WAVE_PHASE_LINKS)
        slope = PADICI_D(add)(PADICI_WK(link)(re[0], im[0], re[1], im[1]),
                              PADICI_WK(link)(re[1], im[1], re[2], im[2]));
    else if (f->what == PADIC_WAVE_PHASE_CURRENT)
        slope = PADICI_D(div)(
            PADICI_D(sub)(PADICI_D(mul)(re[1], PADICI_D(sub)(im[2], im[0])),
                          PADICI_D(mul)(im[1], PADICI_D(sub)(re[2], re[0]))),
            power);
    else
        slope = PADICI_D(sub)(PADICI_WK(angle)(im[2], re[2]), PADICI_WK(angle)(im[0], re[0]));
    *none = PADICI_DBITS(more) ^ ((1u << PADICI_LANES / 2) - 1u);
    return PADICI_DPICK(more, PADICI_D(mul)(slope, PADICI_D(set1)(f->factor)),
                        PADICI_D(set1)(0));
}

PADICI_FN PADICI_TARGET void PADICI_WK(field_slope)(padici_wave_field_row *f)
{
    uint32_t i, j, half, k;
    for (i = 0; i < f->count; i += 16) {
        uint32_t marks = 0;
        for (j = 0; j < 16; j += PADICI_LANES) {
            PADICI_VD re[2][3], im[2][3], slope[2];
            for (k = 0; k < 3; k++) {
                PADICI_VF x, y;
                PADICI_SPLIT(f->z[k] + 2 * (i + j), x, y);
                re[0][k] = PADICI_LOW(x);
                re[1][k] = PADICI_HIGH(x);
                im[0][k] = PADICI_LOW(y);
                im[1][k] = PADICI_HIGH(y);
                f->odd |= PADICI_WK(wild)(re[0][k], im[0][k]) | PADICI_WK(wild)(re[1][k], im[1][k]);
                if (f->what == PADIC_WAVE_PHASE_LEGACY) { // where atan2 depends on the sign of a 0
                    const uint32_t some = (1u << PADICI_LANES / 2) - 1u;
                    const PADICI_VD zero = PADICI_D(set1)(0);
                    f->odd |= PADICI_DBITS(PADICI_DLESS(zero, PADICI_DABS(im[0][k]))) ^ some;
                    f->odd |= PADICI_DBITS(PADICI_DLESS(zero, PADICI_DABS(im[1][k]))) ^ some;
                }
            }
            for (half = 0; half < 2; half++) {
                uint32_t none;
                slope[half] = PADICI_WK(slope_of)(f, re[half], im[half], &none);
                marks |= none << (j + half * PADICI_LANES / 2);
            }
            PADICI_F(storeu)(f->out + i + j, PADICI_JOIN(slope[0], slope[1]));
        }
        f->marks[0][i / 16] = (uint16_t)marks;
    }
}

// Squares with corners z[0] to z[3]; marks: charge 1, charge -1, undefined.
PADICI_FN PADICI_TARGET void PADICI_WK(field_charge)(padici_wave_field_row *f)
{
    const PADICI_VD zero = PADICI_D(set1)(0), most = PADICI_D(set1)(1e300);
    uint32_t i, j, half, k;
    for (i = 0; i < f->count; i += 16) {
        uint32_t plus = 0, minus = 0, bad = 0;
        for (j = 0; j < 16; j += PADICI_LANES) {
            PADICI_VF x[4], y[4];
            for (k = 0; k < 4; k++) PADICI_SPLIT(f->z[k] + 2 * (i + j), x[k], y[k]);
            for (half = 0; half < 2; half++) {
                const uint32_t at = j + half * PADICI_LANES / 2;
                uint32_t below[4], fine = ~0u, all = 0, down = 0, up = 0, twice = 0;
                PADICI_VD re[4], im[4];
                for (k = 0; k < 4; k++) {
                    PADICI_VD size;
                    re[k] = half ? PADICI_HIGH(x[k]) : PADICI_LOW(x[k]);
                    im[k] = half ? PADICI_HIGH(y[k]) : PADICI_LOW(y[k]);
                    size = PADICI_D(add)(PADICI_DABS(re[k]), PADICI_DABS(im[k]));
                    fine &= PADICI_DBITS(PADICI_DLESS(zero, size)) &
                            PADICI_DBITS(PADICI_DLESS(size, most));
                    below[k] = PADICI_DBITS(PADICI_DLESS(im[k], zero));
                }
                for (k = 0; k < 4; k++) { // crossings of the negative real axis
                    const uint32_t n = (k + 1) & 3;
                    const PADICI_VD p = PADICI_D(mul)(re[k], im[n]);
                    const PADICI_VD q = PADICI_D(mul)(re[n], im[k]);
                    const uint32_t falls = ~below[k] & below[n] & PADICI_DBITS(PADICI_DLESS(q, p));
                    const uint32_t rises = below[k] & ~below[n] & PADICI_DBITS(PADICI_DLESS(p, q));
                    all ^= falls ^ rises;
                    twice |= down & falls;
                    down |= falls;
                    up |= rises;
                }
                plus |= (fine & all & (twice | ~up)) << at;
                minus |= (fine & all & ~(twice | ~up)) << at;
                bad |= (~fine & ((1u << PADICI_LANES / 2) - 1u)) << at;
            }
        }
        f->marks[0][i / 16] = (uint16_t)plus;
        f->marks[1][i / 16] = (uint16_t)minus;
        f->marks[2][i / 16] = (uint16_t)bad;
    }
}

// x clamped to [0, 1], as 255 x + 1/2.
PADICI_TARGET PADICI_INLINE PADICI_VD PADICI_WK(shade)(PADICI_VD x)
{
    x = PADICI_D(max)(PADICI_D(min)(x, PADICI_D(set1)(1)), PADICI_D(set1)(0));
    return PADICI_DMADD(x, PADICI_D(set1)(255), PADICI_D(set1)(0.5));
}

// Channels of pixels in bytes[]; seen: the values; `odd` if one is not finite.
PADICI_FN PADICI_TARGET void PADICI_WK(field_pixels)(padici_wave_field_row *f)
{
    static const double from_red[3] = {0, 1.0 / 3, 2.0 / 3};
    const uint32_t channels = f->map == PADIC_WAVE_MAP_HEAT || f->map == PADIC_WAVE_MAP_HUE ? 3 : 1;
    const PADICI_VD zero = PADICI_D(set1)(0), low = PADICI_D(set1)(f->low);
    const PADICI_VD high = PADICI_D(set1)(f->high), wide = PADICI_D(set1)(f->high - f->low);
    uint32_t i, half, c;
    for (i = 0; i < f->count; i += PADICI_LANES) {
        PADICI_VD shade[3][2];
        PADICI_VF re, im;
        if (f->real) {
            re = PADICI_F(loadu)(f->z[0] + i);
            im = PADICI_F(setzero)();
        } else {
            PADICI_SPLIT(f->z[0] + 2 * i, re, im);
        }
        for (half = 0; half < 2; half++) {
            const PADICI_VD a = half ? PADICI_HIGH(re) : PADICI_LOW(re);
            const PADICI_VD b = half ? PADICI_HIGH(im) : PADICI_LOW(im);
            const PADICI_VD v = PADICI_WK(see)(a, b, f->what);
            PADICI_VD x = PADICI_D(div)(PADICI_D(sub)(v, low), wide), turns = zero;
            if (f->curve == PADIC_WAVE_CURVE_REINHARD)
                x = PADICI_DPICK(PADICI_DLESS(zero, v), PADICI_D(div)(v, PADICI_D(add)(v, high)),
                                 zero);
            f->odd |= PADICI_WK(wild)(a, b) | PADICI_WK(wild)(v, zero);
            PADICI_D(storeu)(f->seen + i + half * PADICI_LANES / 2, v);
            if (f->map == PADIC_WAVE_MAP_HUE) turns = PADICI_WK(angle)(b, a);
            shade[0][half] = PADICI_WK(shade)(x);
            x = PADICI_D(max)(PADICI_D(min)(x, PADICI_D(set1)(1)), zero);
            for (c = 0; c < channels && channels > 1; c++) {
                PADICI_VD own;
                if (f->map == PADIC_WAVE_MAP_HEAT) {
                    own = PADICI_D(sub)(PADICI_D(mul)(x, PADICI_D(set1)(3)),
                                        PADICI_D(set1)((double)c));
                } else {
                    own = PADICI_D(sub)(turns, PADICI_D(set1)(from_red[c]));
                    own = PADICI_DABS(PADICI_D(sub)(own, PADICI_DROUND(own)));
                    own = PADICI_D(sub)(PADICI_D(set1)(2), PADICI_D(mul)(own, PADICI_D(set1)(6)));
                    own = PADICI_D(max)(PADICI_D(min)(own, PADICI_D(set1)(1)), zero);
                    own = PADICI_D(mul)(own, x);
                }
                shade[c][half] = PADICI_WK(shade)(own);
            }
        }
        for (c = 0; c < channels; c++)
            PADICI_NSTORE(f->bytes[c] + i, PADICI_CUT(PADICI_JOIN(shade[c][0], shade[c][1])));
    }
}

#endif
