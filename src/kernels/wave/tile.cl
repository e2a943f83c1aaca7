// tile.cl: a tile of points, of a grid or of a list: where they are, and from its centre.

typedef struct {
    pd_u32 points, sources, tile; // of the field; number of the first tile of this launch
    pd_u32 list_base, list_step, list_axis, list_wide, list_dimensions; // listed points, in words
    pd_u32 count[3], tiles[3], log[3]; // axes of the grid, the fastest first; work-items of a tile
    pd_f32 origin[6], step[18];        // two words each: axis 0 x, y, z, axis 1, ...
    pd_f32 radius;                     // of a tile of the grid
    pd_f32 tolerance, length;          // a
    pd_u32 out_base, out_step[3], out_last; // elements; the last axis of RGBA8
    pd_u32 emit;                            // padic_wave_emit | flags below << 8
    pd_u32 tone;                            // value | curve << 8 | map << 16
    pd_u32 nan_colour;
    pd_f32 low, high, scale; // of the tone; 1/(high - low) or 1/log(1 + high/low)
    pd_u32 groups, share;    // frequencies; how many of them a group of items does
    pd_u32 slope_base, slope_step[3], slope_axis, components; // elements, of the gradient
    pd_f32 place; // what the points of a grid are summed of, at most
} padic_k_wave_field_params;

#if !PD_WAVE_LISTED
// f0 step 0 + f1 step 1 + f2 step 2 in coordinate j; a macro, since params are not indexed by
// variables.
#define WAVE_STEP(k, i) pd_two_raw((k).step[i], (k).step[(i) + 1])
#define WAVE_ALONG(k, j, f0, f1, f2)                                  \
    pd_two_add(pd_two_add(pd_two_mul1(WAVE_STEP(k, 2 * (j)), f0),           \
                      pd_two_mul1(WAVE_STEP(k, 2 * (j) + 6), f1)),      \
             pd_two_mul1(WAVE_STEP(k, 2 * (j) + 12), f2))
PD_FN pd_two wave_kept(PD_LPTR(const pd_u32) from)
{
    return pd_two_raw(PD_AS_F32(from[0]), PD_AS_F32(from[1]));
}
#endif

#if PD_WAVE_LISTED
// The words of a point's coordinates; zeros for those it has not.
typedef struct {
    pd_u32 low[3], high[3];
} wave_place;

PD_FN wave_place wave_place_of(PD_GPTR(const pd_u32) points, pd_u32 at, pd_u32 axis, pd_u32 wide,
                               pd_u32 dimensions)
{
    const pd_u32 y = (dimensions > 1u) ? 1u : 0u, z = (dimensions > 2u) ? 1u : 0u;
    wave_place place;
    place.low[0] = points[at];
    place.low[1] = wave_word(points, at + axis, y);
    place.low[2] = wave_word(points, at + 2u * axis, z);
    place.high[0] = wave_word(points, at + 1u, wide);
    place.high[1] = wave_word(points, at + axis + 1u, y & wide);
    place.high[2] = wave_word(points, at + 2u * axis + 1u, z & wide);
    return place;
}

PD_FN void wave_position(wave_place place, pd_u32 wide, pd_two *to)
{
    to[0] = pd_two_words(place.low[0], place.high[0], wide);
    to[1] = pd_two_words(place.low[1], place.high[1], wide);
    to[2] = pd_two_words(place.low[2], place.high[2], wide);
}
#endif

#if PD_WAVE_LISTED
#if PD_WAVE_POINTS == 2
#define WAVE_COLUMN_LOOP WAVE_UNROLL // all are asked for before one is looked at
#else
#define WAVE_COLUMN_LOOP WAVE_ROLL
#endif
// Coordinate j of the points of an item, through its part of local memory, so that the long loop
// needs no copy a point. The last tile is filled up with its last point; what is not finite spoils
// only its own point.
#define WAVE_COLUMN(j, to, rest, lowest, highest)                                               \
    WAVE_COLUMN_LOOP                                                                            \
    for (pd_u32 p = 0u; p < WAVE_POINTS; p++) {                                                 \
        const pd_u32 n = first + p * PD_WAVE_WG, i = (n < k.points) ? n : k.points - 1u;        \
        pd_two at;                                                                            \
        at.hi = at.lo = 0.0f;                                                                   \
        if ((j) < k.list_dimensions)                                                            \
            at = pd_two_load(points, k.list_base + i * k.list_step + (j) * k.list_axis,           \
                           k.list_wide);                                                        \
        stage[p * PD_WAVE_WG + l] = at.hi;                                                      \
        stage[(p + WAVE_POINTS) * PD_WAVE_WG + l] = at.lo;                                      \
        if (PD_FABS(at.hi) < 1e18f) {                                                           \
            lowest = (at.hi < lowest) ? at.hi : lowest;                                         \
            highest = (at.hi > highest) ? at.hi : highest;                                      \
        }                                                                                       \
    }                                                                                           \
    WAVE_UNROLL                                                                                 \
    for (pd_u32 p = 0u; p < WAVE_POINTS; p++) {                                                 \
        to[p] = stage[p * PD_WAVE_WG + l];                                                      \
        rest[p] = stage[(p + WAVE_POINTS) * PD_WAVE_WG + l];                                    \
    }
#endif

#if PD_WAVE_LISTED
// The middle between two coordinates, or 0 when that is about as good: the way from the centre to a
// point in one word is exact then. So it is when no point is more than twice as far from 0 as the
// centre, or less than half as far.
PD_FN pd_two wave_centre(pd_f32 low, pd_f32 high, pd_u32 *exact)
{
    pd_f32 middle = 0.5f * (low + high);
    const pd_f32 a = PD_FABS(low), b = PD_FABS(high), least = (a < b) ? a : b;
    if (PD_FABS(middle) < 0.125f * (high - low)) middle = 0.0f;
    if (middle != 0.0f && ((low < 0.0f) != (high < 0.0f) || PD_FABS(middle) > 2.0f * least))
        *exact = 0u;
    return pd_two_of(middle, 0.0f);
}
#endif

// The smallest (of the first three arrays) and largest values of a group, left in element 0.
PD_FN void wave_box(PD_LPTR(pd_f32) box, pd_u32 l)
{
    WAVE_ROLL
    for (pd_u32 s = PD_WAVE_WG / 2u; s > 0u; s >>= 1) {
        PD_BARRIER();
        if (l < s)
            for (pd_u32 j = 0u; j < 6u; j++) {
                const pd_u32 at = j * PD_WAVE_WG + l;
                const pd_f32 a = box[at], b = box[at + s];
                box[at] = ((j < 3u) == (a < b)) ? a : b;
            }
    }
    PD_BARRIER();
}

// Where point p of an item is, from the tile's centre, in two words; items of a tile keep no such.
#if PD_WAVE_LISTED
#define WAVE_WAY(p, at)                                                                        \
    {                                                                                          \
        const pd_u32 n_ = first + (p) * PD_WAVE_WG;                                            \
        wave_position(wave_place_of(points, kept[11] + ((n_ < k.points) ? n_ : k.points - 1u) * \
                                                kept[12], kept[13], kept[14], kept[15]),       \
                      kept[14], at);                                                           \
        at[0] = pd_two_sub(at[0], tile.x);                                                     \
        at[1] = pd_two_sub(at[1], tile.y);                                                     \
        at[2] = pd_two_sub(at[2], tile.z);                                                     \
    }
#else
#define WAVE_WAY(p, at)                                                                        \
    {                                                                                          \
        const pd_f32 g0_ = f0 + (pd_f32)(p);                                                   \
        for (pd_u32 q_ = 0u; q_ < 3u; q_++)                                                    \
            at[q_] = pd_two_add(pd_two_mul1(wave_kept(kept + 11u + 2u * q_), g0_),             \
                                pd_two_raw(rows[2u * q_ * PD_WAVE_WG + l],                     \
                                           rows[(2u * q_ + 1u) * PD_WAVE_WG + l]));            \
    }
#endif

// Adds to the sums of point p.
#if PD_WAVE_MODE == 2
#define WAVE_SUM(p, a, b, ga, gb)                                                              \
    WAVE_UNROLL                                                                                \
    for (pd_u32 q_ = 0u; q_ < WAVE_POINTS; q_++)                                               \
        if (q_ == (p)) {                                                                       \
            sum.re[q_] += (a);                                                                 \
            sum.im[q_] += (b);                                                                 \
            WAVE_UNROLL                                                                        \
            for (pd_u32 j_ = 0u; j_ < 3u; j_++) {                                              \
                sum.gre[q_ + j_ * WAVE_POINTS] += ga[j_];                                      \
                sum.gim[q_ + j_ * WAVE_POINTS] += gb[j_];                                      \
            }                                                                                  \
        }
#else
#define WAVE_SUM(p, a, b, ga, gb)                                                              \
    WAVE_UNROLL                                                                                \
    for (pd_u32 q_ = 0u; q_ < WAVE_POINTS; q_++)                                               \
        if (q_ == (p)) {                                                                       \
            sum.re[q_] += (a);                                                                 \
            sum.im[q_] += (b);                                                                 \
        }
#endif
