// grid.cl: tiles of a grid: WAVE_POINTS neighbours along axis 0 of an item.

#if !PD_WAVE_LISTED
// f0 step 0 + f1 step 1 + f2 step 2 in coordinate j; a macro, since params are not indexed by
// variables.
#define WAVE_STEP(k, i) pd_two_raw((k).step[i], (k).step[(i) + 1])
#define WAVE_ALONG(k, j, f0, f1, f2)                                        \
    pd_two_add(pd_two_add(pd_two_mul1(WAVE_STEP(k, 2 * (j)), f0),           \
                          pd_two_mul1(WAVE_STEP(k, 2 * (j) + 6), f1)),      \
               pd_two_mul1(WAVE_STEP(k, 2 * (j) + 12), f2))
PD_FN pd_two wave_kept(PD_LPTR(const pd_u32) from)
{
    return pd_two_raw(PD_AS_F32(from[0]), PD_AS_F32(from[1]));
}

// A work-item of a tile: the position of its first point in the tile (l), and in the grid (i).
typedef struct {
    pd_u32 l0, l1, l2, i0, i1, i2;
} wave_cell;

#define WAVE_CELL(k, number) \
    wave_cell_of(number, (k).tiles[0], (k).tiles[1], (k).log[0], (k).log[1], (k).log[2])
PD_FN wave_cell wave_cell_of(pd_u32 number, pd_u32 tiles0, pd_u32 tiles1, pd_u32 log0, pd_u32 log1,
                             pd_u32 log2)
{
    const pd_u32 l = PD_LID, t0 = number % tiles0, t1 = number / tiles0 % tiles1;
    const pd_u32 t2 = number / tiles0 / tiles1;
    wave_cell c;
    c.l0 = l & ((1u << log0) - 1u);
    c.l1 = (l >> log0) & ((1u << log1) - 1u);
    c.l2 = l >> (log0 + log1);
    c.i0 = (t0 << (log0 + WAVE_LOG)) + WAVE_POINTS * c.l0;
    c.i1 = (t1 << log1) + c.l1;
    c.i2 = (t2 << log2) + c.l2;
    return c;
}

// 1 if its point p exists, and the offset of its result, from base on.
#define WAVE_INSIDE(k, c, p) \
    ((c).i0 + (p) < (k).count[0] && (c).i1 < (k).count[1] && (c).i2 < (k).count[2])
PD_FN pd_u32 wave_element(wave_cell c, pd_u32 p, pd_u32 step0, pd_u32 step1, pd_u32 step2)
{
    return (c.i0 + p) * step0 + c.i1 * step1 + c.i2 * step2;
}

typedef struct {
    pd_u32 l, valid; // number in the group; bits of existing points
    wave_cell cell;
    pd_f32 from; // first point from the tile's centre, in steps of axis 0
    wave_tile tile;
    wave_points d;
} wave_item;

// The tile's centre, through local memory, to spare scalar registers, which are scarce on some
// chips. h: half the tile, in steps.
PD_FN void wave_tile_centre(padic_k_wave_field_params k, wave_cell c, pd_f32 h0, pd_f32 h1,
                            pd_f32 h2, PD_LPTR(pd_u32) kept, wave_tile *tile)
{
    const pd_f32 c0 = (pd_f32)(c.i0 - WAVE_POINTS * c.l0) + h0, c1 = (pd_f32)(c.i1 - c.l1) + h1;
    const pd_f32 c2 = (pd_f32)(c.i2 - c.l2) + h2;
    const pd_two x = pd_two_add(pd_two_raw(k.origin[0], k.origin[1]), WAVE_ALONG(k, 0, c0, c1, c2));
    const pd_two y = pd_two_add(pd_two_raw(k.origin[2], k.origin[3]), WAVE_ALONG(k, 1, c0, c1, c2));
    const pd_two z = pd_two_add(pd_two_raw(k.origin[4], k.origin[5]), WAVE_ALONG(k, 2, c0, c1, c2));
    if (PD_LID == 0u) {
        kept[WAVE_KEPT_CENTRE] = PD_AS_U32(x.hi);
        kept[WAVE_KEPT_CENTRE + 1u] = PD_AS_U32(x.lo);
        kept[WAVE_KEPT_CENTRE + 2u] = PD_AS_U32(y.hi);
        kept[WAVE_KEPT_CENTRE + 3u] = PD_AS_U32(y.lo);
        kept[WAVE_KEPT_CENTRE + 4u] = PD_AS_U32(z.hi);
        kept[WAVE_KEPT_CENTRE + 5u] = PD_AS_U32(z.lo);
        kept[WAVE_KEPT_RADIUS] = PD_AS_U32(k.radius);
        kept[WAVE_KEPT_PLACE] = PD_AS_U32(k.place);
    }
    PD_BARRIER();
    tile->x = wave_kept(kept + WAVE_KEPT_CENTRE);
    tile->y = wave_kept(kept + WAVE_KEPT_CENTRE + 2u);
    tile->z = wave_kept(kept + WAVE_KEPT_CENTRE + 4u);
    tile->radius = PD_AS_F32(kept[WAVE_KEPT_RADIUS]);
    tile->place = PD_AS_F32(kept[WAVE_KEPT_PLACE]);
    tile->exact = 0u;
}

PD_FN void wave_item_of(PD_GPTR(const pd_u32) points, padic_k_wave_field_params k, pd_u32 number,
                        const wave_space *at, wave_item *own)
{
    PD_LPTR(pd_u32) kept = at->kept;
    const wave_cell c = WAVE_CELL(k, number);
    const pd_f32 h0 = 0.5f * (pd_f32)((WAVE_POINTS << k.log[0]) - 1u);
    const pd_f32 h1 = 0.5f * (pd_f32)((1u << k.log[1]) - 1u);
    const pd_f32 h2 = 0.5f * (pd_f32)((1u << k.log[2]) - 1u);
    // This item's first point relative to the centre, in steps.
    const pd_f32 f0 = (pd_f32)(WAVE_POINTS * c.l0) - h0, f1 = (pd_f32)c.l1 - h1;
    const pd_f32 f2 = (pd_f32)c.l2 - h2;
    wave_points *const d = &own->d;
    d->ax = PD_AS_F32(kept[WAVE_KEPT_STEP]);
    d->ay = PD_AS_F32(kept[WAVE_KEPT_STEP + 2u]);
    d->az = PD_AS_F32(kept[WAVE_KEPT_STEP + 4u]);
    wave_tile_centre(k, c, h0, h1, h2, kept, &own->tile);
    for (pd_u32 j = 0u; j < 3u; j++) {
        const pd_two row =
            pd_two_add(pd_two_mul1(wave_kept(kept + WAVE_KEPT_STEP + 6u + 2u * j), f1),
                       pd_two_mul1(wave_kept(kept + WAVE_KEPT_STEP + 12u + 2u * j), f2));
        at->rows[2u * j * PD_WAVE_WG + own->l] = row.hi;
        at->rows[(2u * j + 1u) * PD_WAVE_WG + own->l] = row.lo;
    }
    d->x = WAVE_ALONG(k, 0, f0, f1, f2).hi;
    d->y = WAVE_ALONG(k, 1, f0, f1, f2).hi;
    d->z = WAVE_ALONG(k, 2, f0, f1, f2).hi;
#if PD_WAVE_LINE
    const pd_f32 m0 = f0 + 0.5f * (pd_f32)(PD_WAVE_POINTS - 1);
    d->cx = WAVE_ALONG(k, 0, m0, f1, f2).hi;
    d->cy = WAVE_ALONG(k, 1, m0, f1, f2).hi;
    d->cz = WAVE_ALONG(k, 2, m0, f1, f2).hi;
    d->middle = PD_FMA(d->cx, d->cx, PD_FMA(d->cy, d->cy, d->cz * d->cz));
    d->step = PD_FMA(d->cx, d->ax, PD_FMA(d->cy, d->ay, d->cz * d->az));
#endif
    own->valid = 0u;
    WAVE_UNROLL
    for (pd_u32 p = 0u; p < WAVE_POINTS; p++)
        if (WAVE_INSIDE(k, c, p)) own->valid |= 1u << p;
    own->cell = c;
    own->from = f0;
    (void)points;
}

// The position of an item's point p relative to the tile's centre, in two words; items of a tile do
// not store it.
PD_FN void wave_way(PD_GPTR(const pd_u32) points, const wave_space *at, const wave_item *own,
                    pd_u32 p, pd_two *to)
{
    const pd_f32 g0 = own->from + (pd_f32)p;
    for (pd_u32 j = 0u; j < 3u; j++)
        to[j] = pd_two_add(pd_two_mul1(wave_kept(at->kept + WAVE_KEPT_STEP + 2u * j), g0),
                           pd_two_raw(at->rows[2u * j * PD_WAVE_WG + own->l],
                                      at->rows[(2u * j + 1u) * PD_WAVE_WG + own->l]));
    (void)points;
}

// (x, y, z) times the vector from one point of a row to the next.
PD_FN pd_f32 wave_along(const wave_points *d, pd_f32 x, pd_f32 y, pd_f32 z)
{
    return PD_FMA(x, d->ax, PD_FMA(y, d->ay, z * d->az));
}
#endif
