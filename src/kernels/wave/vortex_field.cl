// vortex_field.cl: the product of the factors of line vortices at points of a list or a grid.

// Points of a list or a grid, fields in C order; steps of psi in words, of out in elements.
typedef struct {
    pd_u32 first, points, lines, core, listed, created, ranged;
    pd_u32 list_base, list_step, list_axis, list_wide, list_dimensions;
    pd_u32 count[3];
    pd_f32 origin[6], step[18]; // two words each: axis 0 x, y, z, axis 1, ...
    pd_u32 psi_base, psi_step[3], out_base, out_step[3], out_last;
    pd_u32 emit, tone, nan_colour;
    pd_f32 low, high, scale;
} padic_k_vortex_field_params;

// Parameters in local memory, out of the scalar registers, which are short on some chips.
// `own`: words; `kept`: step, origin, the range of the colours.
#define VORTEX_PSI 0u // base, three steps
#define VORTEX_OUT 4u // base, three steps, plane of the pixels
#define VORTEX_EMIT 9u // what is written, tone, colour of NaN
#define VORTEX_LIST 12u // base, step, axis, width, dimensions
#define VORTEX_LISTED 17u
#define VORTEX_CREATED 18u
#define VORTEX_COUNT 19u // of z, of y
#define VORTEX_KEEP(J)                    \
    kept[J] = k.step[J];                  \
    kept[J + 1] = k.step[J + 1];          \
    kept[J + 2] = k.step[J + 2];          \
    kept[J + 3] = k.step[J + 3];          \
    kept[J + 4] = k.step[J + 4];          \
    kept[J + 5] = k.step[J + 5]
#define VORTEX_KEEP_ALL()                 \
    do {                                  \
        VORTEX_KEEP(0);                   \
        VORTEX_KEEP(6);                   \
        VORTEX_KEEP(12);                  \
        kept[18] = k.origin[0];           \
        kept[19] = k.origin[1];           \
        kept[20] = k.origin[2];           \
        kept[21] = k.origin[3];           \
        kept[22] = k.origin[4];           \
        kept[23] = k.origin[5];           \
        kept[24] = k.low;                 \
        kept[25] = k.high;                \
        kept[26] = k.scale;               \
        own[0] = k.psi_base;              \
        own[1] = k.psi_step[0];           \
        own[2] = k.psi_step[1];           \
        own[3] = k.psi_step[2];           \
        own[4] = k.out_base;              \
        own[5] = k.out_step[0];           \
        own[6] = k.out_step[1];           \
        own[7] = k.out_step[2];           \
        own[8] = k.out_last;              \
        own[9] = k.emit;                  \
        own[10] = k.tone;                 \
        own[11] = k.nan_colour;           \
        own[12] = k.list_base;            \
        own[13] = k.list_step;            \
        own[14] = k.list_axis;            \
        own[15] = k.list_wide;            \
        own[16] = k.list_dimensions;      \
        own[17] = k.listed;               \
        own[18] = k.created;              \
        own[19] = k.count[2];             \
        own[20] = k.count[1];             \
    } while (0)

// A value with a power of 2 of its own.
typedef struct {
    pd_f32 re, im;
    pd_i32 e;
} vortex_scaled;

PD_FN pd_two vortex_along(pd_two a, pd_f32 x, pd_two b, pd_f32 y, pd_two c,
                              pd_f32 z, pd_two origin)
{
    return pd_two_add(origin, vortex_dot(a, b, c, pd_two_raw(x, 0.0f), pd_two_raw(y, 0.0f),
                                         pd_two_raw(z, 0.0f)));
}

// Coordinate j / 2 of point (x, y, z) of the grid.
PD_FN pd_two vortex_grid(PD_LPTR(const pd_f32) kept, pd_u32 j, pd_u32 x, pd_u32 y, pd_u32 z)
{
    return vortex_along(pd_two_raw(kept[j], kept[j + 1u]), (pd_f32)x,
                        pd_two_raw(kept[j + 6u], kept[j + 7u]), (pd_f32)y,
                        pd_two_raw(kept[j + 12u], kept[j + 13u]), (pd_f32)z,
                        pd_two_raw(kept[j + 18u], kept[j + 19u]));
}

// Coordinates of point i, which is (x, y, z) of a grid. Not one struct of all three: that would
// cost two registers on gfx90a, and with them a wave.
PD_FN void vortex_place(PD_GPTR(const pd_u32) list, PD_LPTR(const pd_u32) own,
                        PD_LPTR(const pd_f32) kept, pd_u32 i, pd_u32 x, pd_u32 y, pd_u32 z,
                        pd_two *px, pd_two *py, pd_two *pz)
{
    if (own[VORTEX_LISTED] != 0u) {
        const pd_u32 at = own[VORTEX_LIST] + i * own[VORTEX_LIST + 1u];
        const pd_u32 axis = own[VORTEX_LIST + 2u], wide = own[VORTEX_LIST + 3u];
        *px = pd_two_load(list, at, wide);
        *py = pd_two_raw(0.0f, 0.0f);
        *pz = *py;
        if (own[VORTEX_LIST + 4u] > 1u) *py = pd_two_load(list, at + axis, wide);
        if (own[VORTEX_LIST + 4u] > 2u) *pz = pd_two_load(list, at + 2u * axis, wide);
    } else {
        *px = vortex_grid(kept, 0u, x, y, z);
        *py = vortex_grid(kept, 2u, x, y, z);
        *pz = vortex_grid(kept, 4u, x, y, z);
    }
}

// What the factors multiply: 1, or what psi has there.
PD_FN vortex_scaled vortex_given(PD_GPTR(const pd_f32) psi, PD_LPTR(const pd_u32) own, pd_u32 x,
                                 pd_u32 y, pd_u32 z)
{
    vortex_scaled value;
    value.re = 1.0f;
    value.im = 0.0f;
    value.e = 0;
    if (own[VORTEX_CREATED] == 0u) {
        const pd_u32 at = own[VORTEX_PSI] + x * own[VORTEX_PSI + 1u] + y * own[VORTEX_PSI + 2u] +
                          z * own[VORTEX_PSI + 3u];
        pd_f32 m;
        value.re = psi[at];
        value.im = psi[at + 1u];
        m = vortex_larger(value.re, value.im);
        value.e = m > 1e19f ? 64 : m < 1e-19f ? -64 : 0;
        value.re *= vortex_power(-value.e);
        value.im *= vortex_power(-value.e);
    }
    return value;
}

// `given` times the factors of all lines at p.
PD_FN vortex_complex vortex_multiply(PD_GPTR(const pd_f32) record, pd_u32 lines, pd_u32 core,
                                     pd_two x, pd_two y, pd_two z, vortex_scaled given)
{
    pd_f32 re = given.re, im = given.im;
    pd_i32 e = given.e;
    vortex_complex value;
    for (pd_u32 v = 0u; v < lines; v++) {
        PD_GPTR(const pd_f32) line = record + VORTEX_WORDS * v;
        const vortex_complex f =
            vortex_factor(line, core, pd_two_sub(x, pd_two_raw(line[0], line[1])),
                          pd_two_sub(y, pd_two_raw(line[2], line[3])),
                          pd_two_sub(z, pd_two_raw(line[4], line[5])));
        const pd_f32 q = PD_FABS(line[18]);
        const pd_u32 times = core == 3u ? 1u : q < 64.0f ? (pd_u32)q : 64u;
        for (pd_u32 n = 0u; n < times; n++) {
            const pd_f32 t = re * f.re - im * f.im;
            im = re * f.im + im * f.re;
            re = t;
            if (vortex_larger(re, im) < 1e-9f) { // so that nothing gets lost on the way
                re *= 1073741824.0f;
                im *= 1073741824.0f;
                e -= e > -1000 ? 30 : 0;
            }
        }
    }
    e = e > -250 ? e : -250;
    value.re = re * vortex_power(e / 2) * vortex_power(e - e / 2);
    value.im = im * vortex_power(e / 2) * vortex_power(e - e / 2);
    return value;
}

// The four parts of a pixel's colour, in planes `last` apart.
PD_FN void vortex_put(PD_GPTR(pd_u8) pixels, pd_u32 to, pd_u32 last, pd_u32 pixel)
{
    pixels[to] = (pd_u8)(pixel & 255u);
    pixels[to + last] = (pd_u8)(pixel >> 8 & 255u);
    pixels[to + 2u * last] = (pd_u8)(pixel >> 16 & 255u);
    pixels[to + 3u * last] = (pd_u8)(pixel >> 24);
}

PD_KERNEL(padic_k_vortex_field)
(PD_CBUF(pd_u32, list), PD_CBUF(pd_f32, record), PD_CBUF(pd_f32, psi), PD_CBUF(pd_u32, table),
 PD_BUF(pd_f32, out), PD_BUF(pd_u8, pixels), PD_BUF(pd_u32, report),
 PD_PARAMS(padic_k_vortex_field_params, k))
{
    PD_LOCAL pd_u32 ends[2 * PD_WG];
    PD_LOCAL pd_u32 own[21];
    PD_LOCAL pd_f32 kept[27];
    pd_u32 low = 0u, high = 0u;
    if (PD_LID == 0u) VORTEX_KEEP_ALL();
    PD_BARRIER();
    for (pd_u32 j = PD_GID; j < k.points; j += PD_NGRP * (pd_u32)PD_WG) {
        const pd_u32 i = k.first + j, z = i % own[VORTEX_COUNT];
        const pd_u32 y = i / own[VORTEX_COUNT] % own[VORTEX_COUNT + 1u];
        const pd_u32 x = i / own[VORTEX_COUNT] / own[VORTEX_COUNT + 1u];
        const pd_u32 to = own[VORTEX_OUT] + x * own[VORTEX_OUT + 1u] +
                          y * own[VORTEX_OUT + 2u] + z * own[VORTEX_OUT + 3u];
        pd_two px, py, pz;
        vortex_complex value;
        pd_u32 emit, tone;
        pd_f32 re, im;
        vortex_place(list, own, kept, i, x, y, z, &px, &py, &pz);
        value = vortex_multiply(record, k.lines, k.core, px, py, pz,
                                vortex_given(psi, own, x, y, z));
        re = value.re;
        im = value.im;
        emit = own[VORTEX_EMIT];
        tone = own[VORTEX_EMIT + 1u];
        if (emit == 0u) {
            out[2u * to] = re;
            out[2u * to + 1u] = im;
        } else if (emit < 5u) {
            out[to] = vortex_real(emit, re, im);
        } else {
            const pd_f32 v = vortex_real(tone & 255u, re, im);
            pd_u32 order = vortex_order(v);
            vortex_put(pixels, to, own[VORTEX_OUT + 4u],
                       vortex_pixel(table, tone, own[VORTEX_EMIT + 2u], kept[24], kept[25],
                                    kept[26], v, re, im));
            high = order > high ? order : high;
            order = order != 0u ? ~order : 0u;
            low = order > low ? order : low;
        }
    }
    if (k.ranged != 0u) VORTEX_RANGE(low, high);
}
