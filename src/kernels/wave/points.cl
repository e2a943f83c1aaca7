// points.cl: the points of a work-item, their sums, and their squared distances from a source.

// Sums of a work-item over the sources of one block, and the points they belong to.
typedef struct {
    pd_f32 re[WAVE_POINTS], im[WAVE_POINTS];
#if PD_WAVE_MODE == 2
    pd_f32 gre[3u * WAVE_POINTS], gim[3u * WAVE_POINTS]; // x of all points, y, z
#endif
} wave_sums;

typedef struct {
#if PD_WAVE_LISTED
    pd_f32 x[WAVE_POINTS], y[WAVE_POINTS], z[WAVE_POINTS];
#else
    pd_f32 x, y, z, ax, ay, az; // of the first, and from one to the next
#if PD_WAVE_LINE
    pd_f32 cx, cy, cz, middle, step; // of the row's middle; its square, its product with a step
#endif
#endif
    pd_f32 square[WAVE_POINTS]; // d.d
} wave_points;

#if PD_WAVE_LISTED
// E.d + rest
#define WAVE_DOT(p, rest) \
    PD_FMA(ex, d->x[p], PD_FMA(ey, d->y[p], PD_FMA(ez, d->z[p], rest)))
#else
#define WAVE_DOT(p, rest) (PD_FMA((pd_f32)(p), along, row) + (rest))
#endif

typedef PD_LPTR(const pd_f32) wave_local;

// Squared distances of an item's points from a source, of a record of WIDE; returns the least.
PD_FN pd_f32 wave_squares(wave_local s, const wave_points *d, pd_f32 length, pd_f32 *r2)
{
    const pd_f32 sx = s[0], sy = s[1], sz = s[2];
    pd_u32 least = 0x7f800000u; // bits of the smallest: their order is that of the numbers
#if !PD_WAVE_LISTED
    const pd_f32 bx = sx + d->x, by = sy + d->y, bz = sz + d->z;
#endif
    WAVE_UNROLL
    for (pd_u32 p = 0u; p < WAVE_POINTS; p++) {
#if PD_WAVE_LISTED
        const pd_f32 x = sx + d->x[p], y = sy + d->y[p], z = sz + d->z[p];
#else
        const pd_f32 x = PD_FMA((pd_f32)p, d->ax, bx), y = PD_FMA((pd_f32)p, d->ay, by);
        const pd_f32 z = PD_FMA((pd_f32)p, d->az, bz);
#endif
#if PD_WAVE_SOFT == 2
        r2[p] = PD_FMA(x, x, PD_FMA(y, y, PD_FMA(z, z, length * length)));
#else
        r2[p] = PD_FMA(x, x, PD_FMA(y, y, z * z));
#endif
        least = (PD_AS_U32(r2[p]) < least) ? PD_AS_U32(r2[p]) : least;
    }
    (void)length;
    return PD_AS_F32(least);
}

// Squared distance up to which a point is left to WIDE, from its record.
PD_FN pd_f32 wave_near(wave_local s, pd_f32 length)
{
#if PD_WAVE_MODE == 2 && (PD_WAVE_SOFT == 3 || PD_WAVE_SOFT == 5)
    const pd_f32 inside = length * length * 1.000001f; // which DIRECT does not handle
    return (s[6] > inside) ? s[6] : inside;
#elif PD_WAVE_MODE == 2
    (void)length;
    return (s[6] > 1e-24f) ? s[6] : 1e-24f; // 1/r^3 overflows soon below
#else
    (void)length;
    return s[6];
#endif
}
