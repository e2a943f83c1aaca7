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

PD_FN pd_two vortex_along(pd_two a, pd_f32 x, pd_two b, pd_f32 y, pd_two c,
                              pd_f32 z, pd_two origin)
{
    return pd_two_add(origin, vortex_dot(a, b, c, pd_two_raw(x, 0.0f), pd_two_raw(y, 0.0f),
                                         pd_two_raw(z, 0.0f)));
}
#define VORTEX_COORDINATE(J)                                                                    \
    vortex_along(pd_two_raw(kept[2 * J], kept[2 * J + 1]), (pd_f32)x,                           \
                 pd_two_raw(kept[2 * J + 6], kept[2 * J + 7]), (pd_f32)y,                       \
                 pd_two_raw(kept[2 * J + 12], kept[2 * J + 13]), (pd_f32)z,                     \
                 pd_two_raw(kept[2 * J + 18], kept[2 * J + 19]))
#define VORTEX_KEEP(J)                    \
    kept[J] = k.step[J];                  \
    kept[J + 1] = k.step[J + 1];          \
    kept[J + 2] = k.step[J + 2];          \
    kept[J + 3] = k.step[J + 3];          \
    kept[J + 4] = k.step[J + 4];          \
    kept[J + 5] = k.step[J + 5]

PD_KERNEL(padic_k_vortex_field)
(PD_CBUF(pd_u32, list), PD_CBUF(pd_f32, record), PD_CBUF(pd_f32, psi), PD_CBUF(pd_u32, table),
 PD_BUF(pd_f32, out), PD_BUF(pd_u8, pixels), PD_BUF(pd_u32, report),
 PD_PARAMS(padic_k_vortex_field_params, k))
{
    PD_LOCAL pd_u32 ends[2 * PD_WG];
    PD_LOCAL pd_u32 own[21];
    PD_LOCAL pd_f32 kept[27]; // out of the scalar registers, which are short on some chips
    pd_u32 low = 0u, high = 0u;
    if (PD_LID == 0u) {
        VORTEX_KEEP(0);
        VORTEX_KEEP(6);
        VORTEX_KEEP(12);
        kept[18] = k.origin[0];
        kept[19] = k.origin[1];
        kept[20] = k.origin[2];
        kept[21] = k.origin[3];
        kept[22] = k.origin[4];
        kept[23] = k.origin[5];
        kept[24] = k.low;
        kept[25] = k.high;
        kept[26] = k.scale;
        own[0] = k.psi_base;
        own[1] = k.psi_step[0];
        own[2] = k.psi_step[1];
        own[3] = k.psi_step[2];
        own[4] = k.out_base;
        own[5] = k.out_step[0];
        own[6] = k.out_step[1];
        own[7] = k.out_step[2];
        own[8] = k.out_last;
        own[9] = k.emit;
        own[10] = k.tone;
        own[11] = k.nan_colour;
        own[12] = k.list_base;
        own[13] = k.list_step;
        own[14] = k.list_axis;
        own[15] = k.list_wide;
        own[16] = k.list_dimensions;
        own[17] = k.listed;
        own[18] = k.created;
        own[19] = k.count[2];
        own[20] = k.count[1];
    }
    PD_BARRIER();
    for (pd_u32 j = PD_GID; j < k.points; j += PD_NGRP * (pd_u32)PD_WG) {
        const pd_u32 i = k.first + j, z = i % own[19], y = i / own[19] % own[20];
        const pd_u32 x = i / own[19] / own[20];
        const pd_u32 to = own[4] + x * own[5] + y * own[6] + z * own[7];
        pd_two px, py, pz;
        pd_f32 re = 1.0f, im = 0.0f, m, t;
        pd_i32 e = 0;
        if (own[17] != 0u) {
            const pd_u32 at = own[12] + i * own[13];
            px = pd_two_load(list, at, own[15]);
            py = pd_two_raw(0.0f, 0.0f);
            pz = py;
            if (own[16] > 1u) py = pd_two_load(list, at + own[14], own[15]);
            if (own[16] > 2u) pz = pd_two_load(list, at + 2u * own[14], own[15]);
        } else {
            px = VORTEX_COORDINATE(0);
            py = VORTEX_COORDINATE(1);
            pz = VORTEX_COORDINATE(2);
        }
        if (own[18] == 0u) {
            const pd_u32 at = own[0] + x * own[1] + y * own[2] + z * own[3];
            re = psi[at];
            im = psi[at + 1u];
            m = vortex_larger(re, im);
            e = m > 1e19f ? 64 : m < 1e-19f ? -64 : 0;
            re *= vortex_power(-e);
            im *= vortex_power(-e);
        }
        for (pd_u32 v = 0u; v < k.lines; v++) {
            PD_GPTR(const pd_f32) line = record + VORTEX_WORDS * v;
            const vortex_complex f = vortex_factor(
                line, k.core, pd_two_sub(px, pd_two_raw(line[0], line[1])),
                pd_two_sub(py, pd_two_raw(line[2], line[3])),
                pd_two_sub(pz, pd_two_raw(line[4], line[5])));
            const pd_f32 q = PD_FABS(line[18]);
            const pd_u32 times = k.core == 3u ? 1u : q < 64.0f ? (pd_u32)q : 64u;
            for (pd_u32 n = 0u; n < times; n++) {
                t = re * f.re - im * f.im;
                im = re * f.im + im * f.re;
                re = t;
                m = vortex_larger(re, im);
                if (m < 1e-9f) { // an exponent of its own, so that nothing gets lost on the way
                    re *= 1073741824.0f;
                    im *= 1073741824.0f;
                    e -= e > -1000 ? 30 : 0;
                }
            }
        }
        e = e > -250 ? e : -250;
        re = re * vortex_power(e / 2) * vortex_power(e - e / 2);
        im = im * vortex_power(e / 2) * vortex_power(e - e / 2);
        if (own[9] == 0u) {
            out[2u * to] = re;
            out[2u * to + 1u] = im;
        } else if (own[9] < 5u) {
            out[to] = vortex_real(own[9], re, im);
        } else {
            const pd_f32 v = vortex_real(own[10] & 255u, re, im);
            const pd_u32 pixel = vortex_pixel(table, own[10], own[11], kept[24], kept[25],
                                              kept[26], v, re, im);
            pd_u32 order = vortex_order(v);
            pixels[to] = (pd_u8)(pixel & 255u);
            pixels[to + own[8]] = (pd_u8)(pixel >> 8 & 255u);
            pixels[to + 2u * own[8]] = (pd_u8)(pixel >> 16 & 255u);
            pixels[to + 3u * own[8]] = (pd_u8)(pixel >> 24);
            high = order > high ? order : high;
            order = order != 0u ? ~order : 0u;
            low = order > low ? order : low;
        }
    }
    if (k.ranged != 0u) VORTEX_RANGE(low, high);
}
