// tile.cl: a tile of points, and the params of the field.

typedef struct {
    pd_u32 points, sources, tile; // of the field; number of the first tile of this launch
    pd_u32 list_base, list_step, list_axis, list_wide, list_dimensions; // listed points, in words
    pd_u32 count[3], tiles[3], log[3]; // axes of the grid, the fastest first; work-items of a tile
    pd_f32 origin[6], step[18];        // two words each: axis 0 x, y, z, axis 1, ...
    pd_f32 radius;                     // of a tile of the grid
    pd_f32 tolerance, length;          // a
    pd_u32 out_base, out_step[3], out_last; // elements; the last axis of RGBA8
    pd_u32 output;                            // padic_wave_output | flags below << 8
    pd_u32 tone;                            // value | curve << 8 | map << 16
    pd_u32 nan_colour;
    pd_f32 low, high, scale; // of the tone; 1/(high - low) or 1/log(1 + high/low)
    pd_u32 groups, share;    // frequencies; how many of them per group of items
    pd_u32 slope_base, slope_step[3], slope_axis, components; // elements, of the gradient
    pd_f32 place; // largest magnitude of the terms of a grid point
} padic_k_wave_field_params;

// A group's data of its tile.
typedef struct {
    pd_two x, y, z; // centre
    pd_f32 radius, place;
    pd_u32 exact; // points are known to the last bit, relative to the centre
} wave_tile;

// Params needed late or rarely are in local memory, otherwise they would take registers: their
// offsets.
#define WAVE_KEPT_OUT 0u // base, three steps
#define WAVE_KEPT_SHOWN 4u // WAVE_SHOWN_...
#define WAVE_KEPT_FLAGS (WAVE_KEPT_SHOWN + WAVE_SHOWN_FLAGS)
#define WAVE_KEPT_LIST 11u // listed points: base, step, axis, wide, dimensions
#define WAVE_KEPT_STEP 11u // grids: the 18 words of their steps
#define WAVE_KEPT_TOLERANCE 29u
#define WAVE_KEPT_LENGTH 30u
#define WAVE_KEPT_CENTRE 31u // of the tile, six words
#define WAVE_KEPT_RADIUS 37u
#define WAVE_KEPT_REPORT 38u // number of the group's report
#define WAVE_KEPT_SOURCES 39u
#define WAVE_KEPT_SLOPE 40u // of the gradient: base, three steps, step of its axis, components
#define WAVE_KEPT_PLACE 46u
#define WAVE_KEPT 48u

// Local memory of a group.
typedef struct {
    PD_LPTR(pd_f32) stage;        // records of a block of sources, by class
    PD_LPTR(pd_u32) scan0;        // sums over items, to sort by class
    PD_LPTR(pd_u32) scan1;
    PD_LPTR(pd_u32) late;         // bits of sources an item takes WIDE
    PD_LPTR(pd_u32) hits;         // pairs left out
    PD_LPTR(pd_u32) unlike;       // whether amplitudes of sources of OPEN differ
    PD_LPTR(pd_f32) rows;         // of grids: where an item's row is, two words
    PD_LPTR(pd_u32) kept;         // WAVE_KEPT_...
} wave_space;

#if PD_WAVE_LISTED
PD_FN void wave_keep_points(padic_k_wave_field_params k, PD_LPTR(pd_u32) kept)
{
    kept[WAVE_KEPT_LIST] = k.list_base;
    kept[WAVE_KEPT_LIST + 1u] = k.list_step;
    kept[WAVE_KEPT_LIST + 2u] = k.list_axis;
    kept[WAVE_KEPT_LIST + 3u] = k.list_wide;
    kept[WAVE_KEPT_LIST + 4u] = k.list_dimensions;
}
#else
#define WAVE_KEEP_STEP(j) kept[WAVE_KEPT_STEP + (j)] = PD_AS_U32(k.step[j])
PD_FN void wave_keep_points(padic_k_wave_field_params k, PD_LPTR(pd_u32) kept)
{
    WAVE_KEEP_STEP(0);
    WAVE_KEEP_STEP(1);
    WAVE_KEEP_STEP(2);
    WAVE_KEEP_STEP(3);
    WAVE_KEEP_STEP(4);
    WAVE_KEEP_STEP(5);
    WAVE_KEEP_STEP(6);
    WAVE_KEEP_STEP(7);
    WAVE_KEEP_STEP(8);
    WAVE_KEEP_STEP(9);
    WAVE_KEEP_STEP(10);
    WAVE_KEEP_STEP(11);
    WAVE_KEEP_STEP(12);
    WAVE_KEEP_STEP(13);
    WAVE_KEEP_STEP(14);
    WAVE_KEEP_STEP(15);
    WAVE_KEEP_STEP(16);
    WAVE_KEEP_STEP(17);
}
#endif

// `number` is the tile's; one item does this.
PD_FN void wave_keep_field(padic_k_wave_field_params k, pd_u32 number, PD_LPTR(pd_u32) kept)
{
    kept[WAVE_KEPT_OUT] = k.out_base;
    kept[WAVE_KEPT_OUT + 1u] = k.out_step[0];
    kept[WAVE_KEPT_OUT + 2u] = k.out_step[1];
    kept[WAVE_KEPT_OUT + 3u] = k.out_step[2];
    WAVE_KEEP_SHOWN(k, kept + WAVE_KEPT_SHOWN);
    kept[WAVE_KEPT_TOLERANCE] = PD_AS_U32(k.tolerance);
    kept[WAVE_KEPT_LENGTH] = PD_AS_U32(k.length);
#if PD_WAVE_MODE == 1
    kept[WAVE_KEPT_REPORT] = number * ((k.groups + k.share - 1u) / k.share) + PD_GRP_Y;
#else
    kept[WAVE_KEPT_REPORT] = number;
#endif
    kept[WAVE_KEPT_SOURCES] = k.sources;
#if PD_WAVE_MODE == 2
    kept[WAVE_KEPT_SLOPE] = k.slope_base;
    kept[WAVE_KEPT_SLOPE + 1u] = k.slope_step[0];
    kept[WAVE_KEPT_SLOPE + 2u] = k.slope_step[1];
    kept[WAVE_KEPT_SLOPE + 3u] = k.slope_step[2];
    kept[WAVE_KEPT_SLOPE + 4u] = k.slope_axis;
    kept[WAVE_KEPT_SLOPE + 5u] = k.components;
#endif
    wave_keep_points(k, kept);
}

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
