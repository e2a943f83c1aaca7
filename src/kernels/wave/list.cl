// list.cl: tiles of listed points: WAVE_POINTS per item, interleaved over the items.

#if PD_WAVE_LISTED
// A work-item of a tile: number of its first point.
typedef struct {
    pd_u32 first;
} wave_cell;

#define WAVE_CELL(k, number) wave_cell_of(number)
PD_FN wave_cell wave_cell_of(pd_u32 number)
{
    wave_cell c;
    c.first = number * PD_WAVE_WG * WAVE_POINTS + PD_LID;
    return c;
}

// 1 if its point p exists, and the offset of its result, from base on.
#define WAVE_INSIDE(k, c, p) ((c).first + (p) * PD_WAVE_WG < (k).points)
PD_FN pd_u32 wave_element(wave_cell c, pd_u32 p, pd_u32 step0, pd_u32 step1, pd_u32 step2)
{
    (void)step1;
    (void)step2;
    return (c.first + p * PD_WAVE_WG) * step0;
}

typedef struct {
    pd_u32 l, valid; // number in the group; bits of existing points
    wave_cell cell;
    pd_u32 count; // of points of the list
    wave_tile tile;
    wave_points d;
} wave_item;

// The words of a point's coordinates; zeros for missing ones.
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

#if PD_WAVE_POINTS == 2
#define WAVE_COLUMN_LOOP WAVE_UNROLL // loads are issued together
#else
#define WAVE_COLUMN_LOOP WAVE_ROLL
#endif
// Coordinate j of an item's points, through its part of local memory, so that the long loop needs
// no copy per point. The last tile is padded with its last point; a coordinate that is not finite
// only affects its own point. box[0] and box[3] get the smallest and the largest.
PD_FN void wave_column(PD_GPTR(const pd_u32) points, padic_k_wave_field_params k, pd_u32 first,
                       pd_u32 j, PD_LPTR(pd_f32) stage, pd_f32 *to, pd_f32 *rest, pd_f32 *box)
{
    const pd_u32 l = PD_LID;
    WAVE_COLUMN_LOOP
    for (pd_u32 p = 0u; p < WAVE_POINTS; p++) {
        const pd_u32 n = first + p * PD_WAVE_WG, i = (n < k.points) ? n : k.points - 1u;
        pd_two at;
        at.hi = at.lo = 0.0f;
        if (j < k.list_dimensions)
            at = pd_two_load(points, k.list_base + i * k.list_step + j * k.list_axis, k.list_wide);
        stage[p * PD_WAVE_WG + l] = at.hi;
        stage[(p + WAVE_POINTS) * PD_WAVE_WG + l] = at.lo;
        if (PD_FABS(at.hi) < 1e18f) {
            box[0] = (at.hi < box[0]) ? at.hi : box[0];
            box[3] = (at.hi > box[3]) ? at.hi : box[3];
        }
    }
    WAVE_UNROLL
    for (pd_u32 p = 0u; p < WAVE_POINTS; p++) {
        to[p] = stage[p * PD_WAVE_WG + l];
        rest[p] = stage[(p + WAVE_POINTS) * PD_WAVE_WG + l];
    }
}

// The middle between two coordinates, or 0 if that is about as good: the vector from the centre to
// a point is then exact in one word. So it is when no point is more than twice as far from 0 as the
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

// The tile's centre, by the box of its points.
PD_FN void wave_tile_centre(PD_LPTR(pd_f32) stage, pd_u32 l, const pd_f32 *box, wave_tile *tile)
{
    PD_BARRIER();
    for (pd_u32 j = 0u; j < 6u; j++) stage[j * PD_WAVE_WG + l] = box[j];
    wave_box(stage, l);
    tile->exact = 1u;
    tile->x = wave_centre(stage[0], stage[3u * PD_WAVE_WG], &tile->exact);
    tile->y = wave_centre(stage[PD_WAVE_WG], stage[4u * PD_WAVE_WG], &tile->exact);
    tile->z = wave_centre(stage[2u * PD_WAVE_WG], stage[5u * PD_WAVE_WG], &tile->exact);
    PD_BARRIER();
}

PD_FN void wave_item_of(PD_GPTR(const pd_u32) points, padic_k_wave_field_params k, pd_u32 number,
                        const wave_space *at, wave_item *own)
{
    PD_LPTR(pd_f32) stage = at->stage;
    const pd_u32 l = own->l;
    wave_points *const d = &own->d;
    wave_tile *const tile = &own->tile;
    pd_f32 box[6] = {3e38f, 3e38f, 3e38f, -3e38f, -3e38f, -3e38f}, largest = 0.0f, square;
    pd_f32 rx[WAVE_POINTS], ry[WAVE_POINTS], rz[WAVE_POINTS]; // second words
    own->cell = WAVE_CELL(k, number);
    own->count = k.points;
    own->valid = 0u;
    for (pd_u32 p = 0u; p < WAVE_POINTS; p++)
        if (WAVE_INSIDE(k, own->cell, p)) own->valid |= 1u << p;
    wave_column(points, k, own->cell.first, 0u, stage, d->x, rx, box);
    wave_column(points, k, own->cell.first, 1u, stage, d->y, ry, box + 1);
    wave_column(points, k, own->cell.first, 2u, stage, d->z, rz, box + 2);
    wave_tile_centre(stage, l, box, tile);
    WAVE_UNROLL
    for (pd_u32 p = 0u; p < WAVE_POINTS; p++) {
        const pd_two x = pd_two_sum(d->x[p], -tile->x.hi), y = pd_two_sum(d->y[p], -tile->y.hi);
        const pd_two z = pd_two_sum(d->z[p], -tile->z.hi);
        d->x[p] = x.hi + (x.lo + rx[p]);
        d->y[p] = y.hi + (y.lo + ry[p]);
        d->z[p] = z.hi + (z.lo + rz[p]);
        square = PD_FMA(d->x[p], d->x[p], PD_FMA(d->y[p], d->y[p], d->z[p] * d->z[p]));
        largest = (square < 1e36f && square > largest) ? square : largest;
        if (rx[p] != 0.0f || ry[p] != 0.0f || rz[p] != 0.0f) tile->exact = 0u;
    }
    for (pd_u32 j = 0u; j < 6u; j++)
        stage[j * PD_WAVE_WG + l] = (j < 3u) ? (pd_f32)tile->exact : largest;
    wave_box(stage, l);
    tile->radius = PD_SQRT(stage[3u * PD_WAVE_WG]) * 1.000001f;
    tile->place = 0.0f;
    tile->exact = (stage[0] != 0.0f) ? 1u : 0u;
}

// The position of an item's point p relative to the tile's centre, in two words; items of a tile do
// not store it.
PD_FN void wave_way(PD_GPTR(const pd_u32) points, const wave_space *at, const wave_item *own,
                    pd_u32 p, pd_two *to)
{
    PD_LPTR(const pd_u32) list = at->kept + WAVE_KEPT_LIST;
    const pd_u32 n = own->cell.first + p * PD_WAVE_WG;
    const pd_u32 i = (n < own->count) ? n : own->count - 1u;
    wave_position(wave_place_of(points, list[0] + i * list[1], list[2], list[3], list[4]), list[3],
                  to);
    to[0] = pd_two_sub(to[0], own->tile.x);
    to[1] = pd_two_sub(to[1], own->tile.y);
    to[2] = pd_two_sub(to[2], own->tile.z);
}

// (x, y, z) times the vector from one point of a row to the next: there are no rows.
PD_FN pd_f32 wave_along(const wave_points *d, pd_f32 x, pd_f32 y, pd_f32 z)
{
    (void)d;
    (void)x;
    (void)y;
    (void)z;
    return 0.0f;
}
#endif
