// stage.cl: chooses the class of a (tile, source) and writes the record that it wants.

// What a group knows of its tile.
typedef struct {
    pd_two x, y, z; // centre
    pd_f32 radius, place;
    pd_u32 exact; // points are known to the last bit, from the centre
} wave_tile;

// What a source has inside of the softening's length (*inside), and the phase that goes with it.
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

// Puts source `from` (a record) for this tile into `to`; returns its class, and the
// bound on its phase in *bound.
PD_FN pd_u32 wave_stage(PD_GPTR(const pd_f32) from, pd_u32 n, pd_f32 *to, const wave_tile *tile,
                        pd_f32 ax, pd_f32 ay, pd_f32 az, pd_f32 tolerance, pd_f32 length,
                        pd_f32 *bound)
{
    const pd_f32 h = tile->radius;
    pd_two x, y, z, number, turns, r2, r, t;
    pd_f32 a = from[10u * n], inside = 0.0f, kept, wave, ratio, tail, size, own, base;
    const pd_f32 b = from[11u * n];
    pd_f32 two;
    pd_u32 clear;
    x.hi = from[0];
    x.lo = from[n];
    y.hi = from[2u * n];
    y.lo = from[3u * n];
    z.hi = from[4u * n];
    z.lo = from[5u * n];
    number.hi = from[6u * n];
    number.lo = from[7u * n];
    turns.hi = from[8u * n];
    turns.lo = from[9u * n];
    x = pd_two_sub(tile->x, x);
    y = pd_two_sub(tile->y, y);
    z = pd_two_sub(tile->z, z);
    r2 = pd_two_add(pd_two_add(pd_two_mul(x, x), pd_two_mul(y, y)), pd_two_mul(z, z));
#if PD_WAVE_SOFT == 2
    r.hi = length;
    r.lo = 0.0f;
    r2 = pd_two_add(r2, pd_two_mul(r, r));
#endif
    r = wave_distance(r2);
    wave = PD_FABS(number.hi); // wavelengths per length
    two = (WAVE_ERROR_TWO * (r.hi + h) + WAVE_ERROR_SUM * tile->place) * wave;
    base = two + WAVE_ERROR_PHASE; // error of t0
    own = wave_fraction(turns);
    t.hi = wave_fraction(pd_two_add(wave_reduce(pd_two_mul(number, r)), turns));
    kept = wave_soften(number, turns, length, &a, &inside);
#if PD_WAVE_SOFT == 3 || PD_WAVE_SOFT == 5
    clear = (r.hi > PD_FMA(1.001f, h, 1.001f * length)) ? 1u : 0u;
#elif PD_WAVE_SOFT == 2
    clear = 1u;
#else
    clear = (r.hi > PD_FMA(1.001f, h, 1e-15f)) ? 1u : 0u; // inverse squares have room
#endif
    ratio = (r.hi > h) ? wave_divide(h, r.hi) : 1.0f;
    ratio = PD_FMA(ratio, ratio, 2.0f * ratio); // U
#if PD_WAVE_KERNEL != 2 && PD_WAVE_SOFT != 4 && !PD_WAVE_ABSORB && PD_WAVE_MODE != 2 && \
    !PD_WAVE_LINE
    tail = (ratio < 0.5f) ? wave_divide(ratio * ratio * ratio, 1.0f - ratio) : 1.0f;
    size = WAVE_ERROR_SERIES * h * wave + base;
    if (clear && ratio < 0.5f && size < tolerance) {
        const pd_f32 three = 0.0390625f * r.hi * wave * tail * ratio;
        const pd_f32 four = 0.02734375f * r.hi * wave * tail * ratio * ratio;
        const pd_u32 short_ = (three + size <= tolerance && 0.3125f * tail <= 1e-6f) ? 1u : 0u;
        if (short_ || (four + size <= tolerance && 0.24609375f * tail * ratio * ratio <= 1e-6f)) {
            // E = 2D/r0^2 rounded once.
            const pd_f32 q0 = wave_divide(1.0f, r2.hi);
            const pd_f32 q1 = PD_FMA(-r2.lo, q0, PD_FMA(-r2.hi, q0, 1.0f)) * q0;
            pd_two q = pd_two_of(2.0f * q0, 2.0f * q1), e;
#if PD_WAVE_KERNEL != 3
            pd_f32 g = 1.0f, d2 = r2.hi;
#endif
            e = pd_two_mul(x, q);
            to[0] = e.hi;
            e = pd_two_mul(y, q);
            to[1] = e.hi;
            e = pd_two_mul(z, q);
            to[2] = e.hi;
            to[3] = q0;
            to[4] = PD_FMA(to[0], ax, PD_FMA(to[1], ay, to[2] * az));
            to[5] = t.hi * WAVE_UNIT;
            e = pd_two_mul(number, r);
            size = e.hi * WAVE_UNIT;
            to[6] = 0.5f * size;
            to[8] = -0.125f * size;
            to[10] = 0.0625f * size;
            to[12] = -0.0390625f * size;
#if PD_WAVE_SOFT == 1
            d2 = PD_FMA(length, length, d2);
            g = wave_divide(r2.hi, d2);
#endif
#if PD_WAVE_KERNEL == 3
            to[7] = a;
            to[9] = to[11] = to[13] = to[14] = 0.0f;
#elif PD_WAVE_KERNEL == 4
            a *= PD_SQRT(wave_rsqrt(d2)); // (1 + u)^(-1/4)
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
            *bound = (short_ ? three : four) + WAVE_ERROR_SERIES * h * wave + base;
            return short_ ? WAVE_SERIES3 : WAVE_SERIES4;
        }
    }
#else
    (void)tail;
    (void)size;
#endif
#if PD_WAVE_LINE
    {
        const pd_f32 step2 = PD_FMA(ax, ax, PD_FMA(ay, ay, az * az));
        const pd_f32 half_ = 0.5f * (pd_f32)(PD_WAVE_POINTS - 1) * PD_SQRT(step2);
        const pd_f32 x_ = wave_divide(half_, r.hi - h), x2 = x_ * x_;
        size = PD_FMA(WAVE_ERROR_LINE * h + WAVE_ERROR_ALONG * half_, wave, base);
        size = PD_FMA(0.16f * x2 * x_ * half_, wave, size);
        if (clear && r.hi > 2.0f * h && x2 * x2 <= 0.95e-6f && size <= tolerance) {
            to[0] = 2.0f * x.hi;
            to[1] = 2.0f * y.hi;
            to[2] = 2.0f * z.hi;
            to[3] = r2.hi;
            to[4] = PD_FMA(x.hi, ax, PD_FMA(y.hi, ay, z.hi * az));
            tail = PD_FMA(0.5f * r2.lo, wave_divide(1.0f, r.hi), -r.lo);
            to[5] = PD_FMA(number.hi, tail, t.hi) * WAVE_SCALE;
            to[6] = number.hi * WAVE_SCALE;
            to[7] = a;
            to[8] = r.hi;
            to[9] = step2;
            *bound = size;
            return WAVE_LINE;
        }
    }
#endif
    size = WAVE_ERROR_MIDDLE * h * wave + base;
    tail = (WAVE_ERROR_DIRECT * (r.hi + h) + WAVE_ERROR_SUM * tile->place) * wave +
           WAVE_ERROR_PHASE;
    if (PD_WAVE_KERNEL != 2 && tail > tolerance && clear && r.hi > 2.0f * h && size <= tolerance) {
        to[0] = 2.0f * x.hi;
        to[1] = 2.0f * y.hi;
        to[2] = 2.0f * z.hi;
        to[3] = r2.hi;
        to[4] = PD_FMA(to[0], ax, PD_FMA(to[1], ay, to[2] * az));
        to[5] = t.hi * WAVE_SCALE;
        to[6] = number.hi * WAVE_SCALE;
        to[7] = a;
        to[8] = r.hi;
        to[9] = b;
        to[10] = own;
        *bound = size;
#if PD_WAVE_ROOT
        tail = PD_FMA(WAVE_ERROR_ROOT * (r.hi + h), wave, size);
        if (tail <= tolerance) {
            size = PD_FMA(0.5f * r2.lo, wave_divide(1.0f, r.hi), -r.lo);
            to[5] = PD_FMA(number.hi, size, t.hi) * WAVE_SCALE;
            *bound = tail;
            return WAVE_ROOT;
        }
#endif
        return WAVE_MIDDLE;
    }
    to[0] = x.hi;
    to[8] = x.lo;
    to[1] = y.hi;
    to[9] = y.lo;
    to[2] = z.hi;
    to[10] = z.lo;
    to[3] = number.hi;
    to[11] = number.lo;
    to[4] = turns.hi;
    to[5] = a;
    to[7] = b;
    to[12] = inside;
    to[13] = kept;
    to[14] = turns.lo;
    (void)length;
    *bound = tail;
    // Nearer than this the place of a point in one word costs amplitude more than the phase there
    // leaves of the tolerance.
    size = PD_FMA(1.2f * WAVE_ERROR_PLACE * h, wave, WAVE_ERROR_PHASE);
    size = WAVE_ERROR_PLACE * h / PD_FMA(6.28318531f, tolerance - size, 1e-6f);
    if (tile->exact != 0u && x.lo == 0.0f && y.lo == 0.0f && z.lo == 0.0f) size = 0.0f;
    to[6] = PD_FMA(size, size, 1.17549435e-38f);
#if PD_WAVE_KERNEL != 2 && PD_WAVE_MODE != 2
    if (tail <= tolerance && clear && r.hi > PD_FMA(1.001f, h, 1.001f * size)) return WAVE_OPEN;
#if WAVE_NVIDIA && PD_WAVE_SOFT != 3 && PD_WAVE_SOFT != 5
    if (tail <= tolerance && size == 0.0f) return WAVE_OPEN; // see wave_rsqrt()
#endif
#endif
    if (tail <= tolerance) return WAVE_DIRECT;
    *bound = 4e-8f + two;
    return WAVE_WIDE;
}
