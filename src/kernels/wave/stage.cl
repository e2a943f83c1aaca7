// stage.cl: chooses the class of a (tile, source), the first whose phase error is allowed, and
// writes that class's record (see classes.cl).

// The amplitude of a source within the softening length (*inside), and its phase.
PD_FN pd_f32 wave_soften(pd_two number, pd_two turns, pd_f32 length, pd_f32 *a, pd_f32 *inside)
{
#if PD_WAVE_SOFT == 3
    const pd_two edge = wave_reduce(pd_two_mul1(number, length));
    const pd_f32 phase = 6.28318531f * number.hi * length;
    const wave_complex e = wave_polynomials(wave_fraction(edge) * WAVE_UNIT);
    *inside = *a;
    if (phase != 0.0f) *a *= e.im / phase;
    return wave_fraction(pd_two_add(edge, turns));
#else
    *inside = 0.0f;
#if PD_WAVE_SOFT == 5
    *inside = wave_fraction(pd_two_add(wave_reduce(pd_two_mul1(number, length)), turns));
#endif
    (void)number;
    (void)length;
    (void)a;
    return wave_fraction(turns);
#endif
}

// A source relative to the tile's centre.
typedef struct {
    pd_two x, y, z, r2, r;      // the vector from it, squared distance, distance
    pd_two number, turns;       // k/2pi, its phase
    pd_f32 t, own;              // phase at the centre, its phase, both without whole turns
    pd_f32 a, b, inside, shell; // amplitude, absorption; of softening, see wave_soften()
    pd_f32 wave;                // wavelengths per length
    pd_f32 two, base;           // error of two words, of t: turns
    pd_u32 clear;               // no point of the tile is close enough to be softened or lost
} wave_view;

// `from`: a record of n.
PD_FN wave_view wave_view_of(PD_GPTR(const pd_f32) from, pd_u32 n, const wave_tile *tile,
                             pd_f32 length)
{
    const pd_f32 h = tile->radius;
    wave_view v;
    v.a = from[10u * n];
    v.b = from[11u * n];
    v.number = pd_two_raw(from[6u * n], from[7u * n]);
    v.turns = pd_two_raw(from[8u * n], from[9u * n]);
    v.x = pd_two_sub(tile->x, pd_two_raw(from[0], from[n]));
    v.y = pd_two_sub(tile->y, pd_two_raw(from[2u * n], from[3u * n]));
    v.z = pd_two_sub(tile->z, pd_two_raw(from[4u * n], from[5u * n]));
    v.r2 = pd_two_add(pd_two_add(pd_two_mul(v.x, v.x), pd_two_mul(v.y, v.y)),
                      pd_two_mul(v.z, v.z));
#if PD_WAVE_SOFT == 2
    v.r = pd_two_raw(length, 0.0f);
    v.r2 = pd_two_add(v.r2, pd_two_mul(v.r, v.r));
#endif
    v.r = wave_distance(v.r2);
    v.wave = PD_FABS(v.number.hi);
    v.two = (WAVE_ERROR_TWO * (v.r.hi + h) + WAVE_ERROR_SUM * tile->place) * v.wave;
    v.base = v.two + WAVE_ERROR_PHASE;
    v.own = wave_fraction(v.turns);
    v.t = wave_fraction(pd_two_add(wave_reduce(pd_two_mul(v.number, v.r)), v.turns));
    v.shell = wave_soften(v.number, v.turns, length, &v.a, &v.inside);
#if PD_WAVE_SOFT == 3 || PD_WAVE_SOFT == 5
    v.clear = (v.r.hi > PD_FMA(1.001f, h, 1.001f * length)) ? 1u : 0u;
#elif PD_WAVE_SOFT == 2
    v.clear = 1u;
#else
    v.clear = (v.r.hi > PD_FMA(1.001f, h, 1e-15f)) ? 1u : 0u; // inverse squares do not overflow
#endif
    return v;
}

// The classes: ..._class() tests for one, and leaves the bound on the phase in *bound;
// ..._record() writes its record. Separate, since both in one function cost registers.

#if WAVE_SERIES
// Coefficients of the amplitude's series, from (1 + u)^(-1/2) or, in cylinders, (1 + u)^(-1/4).
PD_FN void wave_series_size(const wave_view *v, pd_f32 length, pd_f32 *to)
{
    pd_f32 a = v->a;
#if PD_WAVE_KERNEL == 3
    to[7] = a;
    to[9] = to[11] = to[13] = to[14] = 0.0f;
    (void)length;
#else
#if PD_WAVE_SOFT == 1
    const pd_f32 d2 = PD_FMA(length, length, v->r2.hi), g = wave_divide(v->r2.hi, d2);
#else
    const pd_f32 d2 = v->r2.hi, g = 1.0f;
    (void)length;
#endif
#if PD_WAVE_KERNEL == 4
    a *= PD_SQRT(wave_rsqrt(d2));
    to[7] = a;
    to[9] = -0.25f * (a *= g);
    to[11] = 0.15625f * (a *= g);
    to[13] = -0.1171875f * (a *= g);
    to[14] = 0.09521484375f * (a * g);
#else
    a *= wave_rsqrt(d2);
    to[7] = a;
    to[9] = -0.5f * (a *= g);
    to[11] = 0.375f * (a *= g);
    to[13] = -0.3125f * (a *= g);
    to[14] = 0.2734375f * (a * g);
#endif
#endif
}

// Its record: E = 2D/r0^2 rounded once, ...
PD_FN void wave_series_record(const wave_view *v, const wave_points *d, pd_f32 length, pd_f32 *to)
{
    const pd_f32 q0 = wave_divide(1.0f, v->r2.hi);
    const pd_f32 q1 = PD_FMA(-v->r2.lo, q0, PD_FMA(-v->r2.hi, q0, 1.0f)) * q0;
    const pd_two q = pd_two_of(2.0f * q0, 2.0f * q1);
    const pd_f32 turns = pd_two_mul(v->number, v->r).hi * WAVE_UNIT;
    to[0] = pd_two_mul(v->x, q).hi;
    to[1] = pd_two_mul(v->y, q).hi;
    to[2] = pd_two_mul(v->z, q).hi;
    to[3] = q0;
    to[4] = wave_along(d, to[0], to[1], to[2]);
    to[5] = v->t * WAVE_UNIT;
    to[6] = 0.5f * turns;
    to[8] = -0.125f * turns;
    to[10] = 0.0625f * turns;
    to[12] = -0.0390625f * turns;
    wave_series_size(v, length, to);
}

PD_FN pd_u32 wave_series_class(const wave_view *v, pd_f32 h, pd_f32 tolerance, pd_f32 *bound)
{
    const pd_f32 r = v->r.hi;
    const pd_f32 ratio = (r > h) ? wave_divide(h, r) : 1.0f;
    const pd_f32 u = PD_FMA(ratio, ratio, 2.0f * ratio); // U
    const pd_f32 tail = (u < 0.5f) ? wave_divide(u * u * u, 1.0f - u) : 1.0f;
    const pd_f32 size = WAVE_ERROR_SERIES * h * v->wave + v->base;
    if (v->clear && u < 0.5f && size < tolerance) {
        const pd_f32 three = 0.0390625f * r * v->wave * tail * u;
        const pd_f32 four = 0.02734375f * r * v->wave * tail * u * u;
        const pd_u32 short_ = (three + size <= tolerance && 0.3125f * tail <= 1e-6f) ? 1u : 0u;
        if (short_ || (four + size <= tolerance && 0.24609375f * tail * u * u <= 1e-6f)) {
            *bound = (short_ ? three : four) + WAVE_ERROR_SERIES * h * v->wave + v->base;
            return short_ ? WAVE_SERIES3 : WAVE_SERIES4;
        }
    }
    return WAVE_NONE;
}
#endif

#if PD_WAVE_LINE
PD_FN pd_u32 wave_line_class(const wave_view *v, pd_f32 h, pd_f32 step2, pd_f32 tolerance,
                             pd_f32 *bound)
{
    const pd_f32 half_ = 0.5f * (pd_f32)(PD_WAVE_POINTS - 1) * PD_SQRT(step2);
    const pd_f32 x = wave_divide(half_, v->r.hi - h), x2 = x * x;
    pd_f32 size = PD_FMA(WAVE_ERROR_LINE * h + WAVE_ERROR_ALONG * half_, v->wave, v->base);
    size = PD_FMA(0.16f * x2 * x * half_, v->wave, size);
    if (!(v->clear && v->r.hi > 2.0f * h && x2 * x2 <= 0.95e-6f && size <= tolerance))
        return WAVE_NONE;
    *bound = size;
    return WAVE_LINE;
}
#endif

#if PD_WAVE_KERNEL != 2
// MIDDLE or ROOT. `direct`: the error of DIRECT.
PD_FN pd_u32 wave_middle_class(const wave_view *v, pd_f32 h, pd_f32 tolerance, pd_f32 direct,
                               pd_f32 *bound)
{
    const pd_f32 size = WAVE_ERROR_MIDDLE * h * v->wave + v->base;
    if (!(direct > tolerance && v->clear && v->r.hi > 2.0f * h && size <= tolerance))
        return WAVE_NONE;
    *bound = size;
#if PD_WAVE_ROOT
    {
        const pd_f32 rooted = PD_FMA(WAVE_ERROR_ROOT * (v->r.hi + h), v->wave, size);
        if (rooted <= tolerance) {
            *bound = rooted;
            return WAVE_ROOT;
        }
    }
#endif
    return WAVE_MIDDLE;
}

// For MIDDLE, ROOT and LINE; `along`: 2D.axis or D.step. MIDDLE omits the phase from the second
// words of r0 and r0^2.
PD_FN void wave_middle_record(const wave_view *v, pd_u32 class_, pd_f32 along, pd_f32 *to)
{
    to[0] = 2.0f * v->x.hi;
    to[1] = 2.0f * v->y.hi;
    to[2] = 2.0f * v->z.hi;
    to[3] = v->r2.hi;
    to[4] = along;
    to[5] = v->t * WAVE_SCALE;
    to[6] = v->number.hi * WAVE_SCALE;
    to[7] = v->a;
    to[8] = v->r.hi;
    to[9] = v->b;
    to[10] = v->own;
    if (class_ != WAVE_MIDDLE) {
        const pd_f32 lost = PD_FMA(0.5f * v->r2.lo, wave_divide(1.0f, v->r.hi), -v->r.lo);
        to[5] = PD_FMA(v->number.hi, lost, v->t) * WAVE_SCALE;
    }
}
#endif

// OPEN, DIRECT or WIDE; *near_ gets the squared distance from which one word suffices.
PD_FN pd_u32 wave_direct_class(const wave_view *v, const wave_item *own, pd_f32 tolerance,
                               pd_f32 direct, pd_f32 *near_, pd_f32 *bound)
{
    // Closer than this, rounding a point's position to one word costs the amplitude more than the
    // phase leaves of the tolerance.
    const pd_f32 h = own->tile.radius;
    pd_f32 size = PD_FMA(1.2f * WAVE_ERROR_PLACE * h, v->wave, WAVE_ERROR_PHASE);
    size = WAVE_ERROR_PLACE * h / PD_FMA(6.28318531f, tolerance - size, 1e-6f);
    if (own->tile.exact != 0u && v->x.lo == 0.0f && v->y.lo == 0.0f && v->z.lo == 0.0f) size = 0.0f;
    *near_ = PD_FMA(size, size, 1.17549435e-38f);
    *bound = direct;
#if PD_WAVE_KERNEL != 2 && PD_WAVE_MODE != 2
    if (direct <= tolerance && v->clear && v->r.hi > PD_FMA(1.001f, h, 1.001f * size))
        return WAVE_OPEN;
#if WAVE_NVIDIA && PD_WAVE_SOFT != 3 && PD_WAVE_SOFT != 5
    if (direct <= tolerance && size == 0.0f) return WAVE_OPEN; // see wave_rsqrt()
#endif
#endif
    if (direct <= tolerance) return WAVE_DIRECT;
    *bound = 4e-8f + v->two;
    return WAVE_WIDE;
}

PD_FN void wave_direct_record(const wave_view *v, pd_f32 *to)
{
    to[0] = v->x.hi;
    to[8] = v->x.lo;
    to[1] = v->y.hi;
    to[9] = v->y.lo;
    to[2] = v->z.hi;
    to[10] = v->z.lo;
    to[3] = v->number.hi;
    to[11] = v->number.lo;
    to[4] = v->turns.hi;
    to[5] = v->a;
    to[7] = v->b;
    to[12] = v->inside;
    to[13] = v->shell;
    to[14] = v->turns.lo;
}

// Writes source `from` (a record of n) for this tile to `to`; returns its class, and the bound on
// its phase in *bound.
PD_FN pd_u32 wave_stage(PD_GPTR(const pd_f32) from, pd_u32 n, const wave_item *own,
                        pd_f32 tolerance, pd_f32 length, pd_f32 *to, pd_f32 *bound)
{
    const wave_view v = wave_view_of(from, n, &own->tile, length);
    const pd_f32 h = own->tile.radius;
    pd_f32 direct;
    pd_u32 class_;
#if WAVE_SERIES
    class_ = wave_series_class(&v, h, tolerance, bound);
    if (class_ != WAVE_NONE) {
        wave_series_record(&v, &own->d, length, to);
        return class_;
    }
#endif
#if PD_WAVE_LINE
    const pd_f32 step2 = wave_along(&own->d, own->d.ax, own->d.ay, own->d.az);
    class_ = wave_line_class(&v, h, step2, tolerance, bound);
    if (class_ != WAVE_NONE) {
        wave_middle_record(&v, class_, wave_along(&own->d, v.x.hi, v.y.hi, v.z.hi), to);
        to[9] = step2;
        return class_;
    }
#endif
    direct = (WAVE_ERROR_DIRECT * (v.r.hi + h) + WAVE_ERROR_SUM * own->tile.place) * v.wave +
             WAVE_ERROR_PHASE;
#if PD_WAVE_KERNEL != 2
    class_ = wave_middle_class(&v, h, tolerance, direct, bound);
    if (class_ != WAVE_NONE) {
        wave_middle_record(&v, class_,
                           wave_along(&own->d, 2.0f * v.x.hi, 2.0f * v.y.hi, 2.0f * v.z.hi), to);
        return class_;
    }
#endif
    class_ = wave_direct_class(&v, own, tolerance, direct, &to[6], bound);
    wave_direct_record(&v, to);
    return class_;
}
