// vortex_field.cl: the product of the factors of line vortices at points of a list or a grid.

// Points of a list or a grid, fields in C order; steps of psi in words, of out in elements.
typedef struct {
    pd_u32 first, points, lines, core, listed, created, ranged;
    pd_u32 list_base, list_step, list_axis, list_wide, list_dimensions;
    pd_u32 count[3];
    pd_f32 origin[6], step[18]; // two words each: axis 0 x, y, z, axis 1, ...
    pd_u32 psi_base, psi_step[3], out_base, out_step[3], out_last;
    pd_u32 output, tone, nan_colour;
    pd_f32 low, high, scale;
} padic_k_vortex_field_params;

PD_FN pd_two vortex_along(pd_two a, pd_f32 x, pd_two b, pd_f32 y, pd_two c,
                              pd_f32 z, pd_two origin)
{
    return pd_two_add(origin, vortex_dot(a, b, c, pd_two_raw(x, 0.0f), pd_two_raw(y, 0.0f),
                                         pd_two_raw(z, 0.0f)));
}

// Params in local memory, to spare scalar registers, which are scarce on some chips: their offsets.
#define VORTEX_OWN_PSI 0u  // base, three steps
#define VORTEX_OWN_OUT 4u  // base, three steps, step of the last axis
#define VORTEX_OWN_EMIT 9u // output, tone, colour of NaN
#define VORTEX_OWN_LIST 12u // base, step, axis, wide, dimensions
#define VORTEX_OWN_LISTED 17u
#define VORTEX_OWN_CREATED 18u
#define VORTEX_OWN_COUNT 19u // of axis 2, of axis 1
#define VORTEX_OWN 21u
#define VORTEX_KEPT_ORIGIN 18u // after the steps
#define VORTEX_KEPT_TONE 24u   // low, high, scale
#define VORTEX_KEPT 27u
#define VORTEX_KEEP(J)                    \
    kept[J] = k.step[J];                  \
    kept[J + 1] = k.step[J + 1];          \
    kept[J + 2] = k.step[J + 2];          \
    kept[J + 3] = k.step[J + 3];          \
    kept[J + 4] = k.step[J + 4];          \
    kept[J + 5] = k.step[J + 5]

PD_FN void vortex_keep_params(padic_k_vortex_field_params k, PD_LPTR(pd_u32) own,
                              PD_LPTR(pd_f32) kept)
{
    VORTEX_KEEP(0);
    VORTEX_KEEP(6);
    VORTEX_KEEP(12);
    kept[VORTEX_KEPT_ORIGIN] = k.origin[0];
    kept[VORTEX_KEPT_ORIGIN + 1u] = k.origin[1];
    kept[VORTEX_KEPT_ORIGIN + 2u] = k.origin[2];
    kept[VORTEX_KEPT_ORIGIN + 3u] = k.origin[3];
    kept[VORTEX_KEPT_ORIGIN + 4u] = k.origin[4];
    kept[VORTEX_KEPT_ORIGIN + 5u] = k.origin[5];
    kept[VORTEX_KEPT_TONE] = k.low;
    kept[VORTEX_KEPT_TONE + 1u] = k.high;
    kept[VORTEX_KEPT_TONE + 2u] = k.scale;
    own[VORTEX_OWN_PSI] = k.psi_base;
    own[VORTEX_OWN_PSI + 1u] = k.psi_step[0];
    own[VORTEX_OWN_PSI + 2u] = k.psi_step[1];
    own[VORTEX_OWN_PSI + 3u] = k.psi_step[2];
    own[VORTEX_OWN_OUT] = k.out_base;
    own[VORTEX_OWN_OUT + 1u] = k.out_step[0];
    own[VORTEX_OWN_OUT + 2u] = k.out_step[1];
    own[VORTEX_OWN_OUT + 3u] = k.out_step[2];
    own[VORTEX_OWN_OUT + 4u] = k.out_last;
    own[VORTEX_OWN_EMIT] = k.output;
    own[VORTEX_OWN_EMIT + 1u] = k.tone;
    own[VORTEX_OWN_EMIT + 2u] = k.nan_colour;
    own[VORTEX_OWN_LIST] = k.list_base;
    own[VORTEX_OWN_LIST + 1u] = k.list_step;
    own[VORTEX_OWN_LIST + 2u] = k.list_axis;
    own[VORTEX_OWN_LIST + 3u] = k.list_wide;
    own[VORTEX_OWN_LIST + 4u] = k.list_dimensions;
    own[VORTEX_OWN_LISTED] = k.listed;
    own[VORTEX_OWN_CREATED] = k.created;
    own[VORTEX_OWN_COUNT] = k.count[2];
    own[VORTEX_OWN_COUNT + 1u] = k.count[1];
}

// A point's position.
typedef struct {
    pd_two x, y, z;
} vortex_point;

PD_FN vortex_point vortex_listed(PD_GPTR(const pd_u32) list, PD_LPTR(const pd_u32) own, pd_u32 i)
{
    PD_LPTR(const pd_u32) of = own + VORTEX_OWN_LIST;
    const pd_u32 at = of[0] + i * of[1];
    vortex_point p;
    p.x = pd_two_load(list, at, of[3]);
    p.y = pd_two_raw(0.0f, 0.0f);
    p.z = p.y;
    if (of[4] > 1u) p.y = pd_two_load(list, at + of[2], of[3]);
    if (of[4] > 2u) p.z = pd_two_load(list, at + 2u * of[2], of[3]);
    return p;
}

// Coordinate j, two words, of point x, y, z of a grid.
PD_FN pd_two vortex_coordinate(PD_LPTR(const pd_f32) kept, pd_u32 j, pd_u32 x, pd_u32 y, pd_u32 z)
{
    PD_LPTR(const pd_f32) of = kept + 2u * j;
    return vortex_along(pd_two_raw(of[0], of[1]), (pd_f32)x, pd_two_raw(of[6], of[7]), (pd_f32)y,
                        pd_two_raw(of[12], of[13]), (pd_f32)z, pd_two_raw(of[18], of[19]));
}

// A value (re + i im) 2^e.
typedef struct {
    pd_f32 re, im;
    pd_i32 e;
} vortex_value;

PD_FN vortex_value vortex_near_one(pd_f32 re, pd_f32 im)
{
    const pd_f32 m = vortex_larger(re, im);
    vortex_value v;
    v.e = m > 1e19f ? 64 : m < 1e-19f ? -64 : 0;
    v.re = re * vortex_power(-v.e);
    v.im = im * vortex_power(-v.e);
    return v;
}

// Multiplies by a line's factor, as often as its charge requires.
PD_FN void vortex_wind(PD_GPTR(const pd_f32) line, pd_u32 core, vortex_point p, vortex_value *v)
{
    const pd_two x = pd_two_sub(p.x, pd_two_raw(line[0], line[1]));
    const pd_two y = pd_two_sub(p.y, pd_two_raw(line[2], line[3]));
    const pd_two z = pd_two_sub(p.z, pd_two_raw(line[4], line[5]));
    const vortex_complex f = vortex_factor(line, core, x, y, z);
    const pd_f32 q = PD_FABS(line[18]);
    const pd_u32 times = core == 3u ? 1u : q < 64.0f ? (pd_u32)q : 64u;
    for (pd_u32 n = 0u; n < times; n++) {
        const pd_f32 t = v->re * f.re - v->im * f.im;
        v->im = v->re * f.im + v->im * f.re;
        v->re = t;
        if (vortex_larger(v->re, v->im) < 1e-9f) { // a separate exponent: nothing is lost
            v->re *= 1073741824.0f;
            v->im *= 1073741824.0f;
            v->e -= v->e > -1000 ? 30 : 0;
        }
    }
}

// The range of the values shown as pixels, in the order of vortex_order(); low complemented.
typedef struct {
    pd_u32 low, high;
} vortex_range;

// A value as RGBA8.
PD_FN void vortex_show(PD_GPTR(pd_u8) pixels, PD_GPTR(const pd_u32) table, pd_u32 to,
                       PD_LPTR(const pd_u32) own, PD_LPTR(const pd_f32) kept, pd_f32 re, pd_f32 im,
                       vortex_range *range)
{
    const pd_u32 last = own[VORTEX_OWN_OUT + 4u], tone = own[VORTEX_OWN_EMIT + 1u];
    const pd_f32 v = vortex_real(tone & 255u, re, im);
    const pd_u32 pixel = vortex_pixel(table, tone, own[VORTEX_OWN_EMIT + 2u],
                                      kept[VORTEX_KEPT_TONE], kept[VORTEX_KEPT_TONE + 1u],
                                      kept[VORTEX_KEPT_TONE + 2u], v, re, im);
    pd_u32 order = vortex_order(v);
    pixels[to] = (pd_u8)(pixel & 255u);
    pixels[to + last] = (pd_u8)(pixel >> 8 & 255u);
    pixels[to + 2u * last] = (pd_u8)(pixel >> 16 & 255u);
    pixels[to + 3u * last] = (pd_u8)(pixel >> 24);
    range->high = order > range->high ? order : range->high;
    order = order != 0u ? ~order : 0u;
    range->low = order > range->low ? order : range->low;
}

// Writes the requested output of a value to element `to`.
PD_FN void vortex_write(PD_GPTR(pd_f32) out, PD_GPTR(pd_u8) pixels, PD_GPTR(const pd_u32) table,
                        pd_u32 to, PD_LPTR(const pd_u32) own, PD_LPTR(const pd_f32) kept,
                        vortex_value v, vortex_range *range)
{
    const pd_i32 e = v.e > -250 ? v.e : -250;
    const pd_f32 re = v.re * vortex_power(e / 2) * vortex_power(e - e / 2);
    const pd_f32 im = v.im * vortex_power(e / 2) * vortex_power(e - e / 2);
    if (own[VORTEX_OWN_EMIT] == 0u) {
        out[2u * to] = re;
        out[2u * to + 1u] = im;
    } else if (own[VORTEX_OWN_EMIT] < 5u) {
        out[to] = vortex_real(own[VORTEX_OWN_EMIT], re, im);
    } else {
        vortex_show(pixels, table, to, own, kept, re, im, range);
    }
}

PD_KERNEL(padic_k_vortex_field)
(PD_CBUF(pd_u32, list), PD_CBUF(pd_f32, record), PD_CBUF(pd_f32, psi), PD_CBUF(pd_u32, table),
 PD_BUF(pd_f32, out), PD_BUF(pd_u8, pixels), PD_BUF(pd_u32, report),
 PD_PARAMS(padic_k_vortex_field_params, k))
{
    PD_LOCAL pd_u32 ends[2 * PD_WG];
    PD_LOCAL pd_u32 own[VORTEX_OWN];
    PD_LOCAL pd_f32 kept[VORTEX_KEPT];
    vortex_range range = {0u, 0u};
    if (PD_LID == 0u) vortex_keep_params(k, own, kept);
    PD_BARRIER();
    for (pd_u32 j = PD_GID; j < k.points; j += PD_NGRP * (pd_u32)PD_WG) {
        PD_LPTR(const pd_u32) count = own + VORTEX_OWN_COUNT;
        PD_LPTR(const pd_u32) from = own + VORTEX_OWN_PSI;
        PD_LPTR(const pd_u32) step = own + VORTEX_OWN_OUT;
        const pd_u32 i = k.first + j, z = i % count[0], y = i / count[0] % count[1];
        const pd_u32 x = i / count[0] / count[1];
        vortex_value v = {1.0f, 0.0f, 0};
        vortex_point p;
        if (own[VORTEX_OWN_LISTED] != 0u) {
            p = vortex_listed(list, own, i);
        } else {
            p.x = vortex_coordinate(kept, 0u, x, y, z);
            p.y = vortex_coordinate(kept, 1u, x, y, z);
            p.z = vortex_coordinate(kept, 2u, x, y, z);
        }
        if (own[VORTEX_OWN_CREATED] == 0u) {
            const pd_u32 at = from[0] + x * from[1] + y * from[2] + z * from[3];
            v = vortex_near_one(psi[at], psi[at + 1u]);
        }
        for (pd_u32 n = 0u; n < k.lines; n++)
            vortex_wind(record + VORTEX_WORDS * n, k.core, p, &v);
        vortex_write(out, pixels, table, step[0] + x * step[1] + y * step[2] + z * step[3], own,
                     kept, v, &range);
    }
    if (k.ranged != 0u) VORTEX_RANGE(range.low, range.high);
}
