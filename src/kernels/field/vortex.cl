// program: field_vortex
// texts: crossing.cl
// vortex.cl: lists of vortices, as src/field/vortices.c has them. Groups count those of
// neighbouring points, one group gives each its first row, then they write their rows; at last
// items find the rows of an earlier list that are nearest to theirs.
//
// variant: PD_FIELD_WIDE=1
#ifndef PD_FIELD_WIDE
#define PD_FIELD_WIDE 0 // 1: psi is C128
#endif
#define VORTEX_COUNT 0u // numbers of a group, of all: vortices, the sums of charges by orientation,
#define VORTEX_TOTAL 1u // squares without a charge, and of all the links
#define VORTEX_UNDEFINED 4u
#define VORTEX_NUMBERS 5u
#define VORTEX_LINKED 5u
#define VORTEX_PARTS 6u // the groups' numbers come after those of all

#if PD_FIELD_WIDE
typedef pd_u64 vortex_word;
#define VORTEX_BITS(x) (x)
#else
typedef pd_u32 vortex_word;
#define VORTEX_BITS(x) crossing_widen(x)
#endif

// Strides of psi in parts of numbers, of lists in words of 64 bits. A plane has a count[0] of 1.
typedef struct {
    pd_u32 points, groups, each; // points of a group
    pd_u32 count[3], step[3], base, periodic, plane;
    pd_u32 rows, cells, cells_row, cells_column;
    pd_u32 positions, positions_row, positions_column, density, density_row, listed; // 1, 2, 4
    pd_u32 origin[6], spacing[6]; // f64: two halves each
} padic_k_field_vortex_params;

typedef struct {
    crossing_point z[4];
} vortex_square;

PD_FN crossing_point vortex_at(PD_GPTR(const vortex_word) psi, pd_u32 at)
{
    crossing_point z;
    z.re = VORTEX_BITS(psi[at]);
    z.im = VORTEX_BITS(psi[at + 1u]);
    return z;
}

// The corners of a square in the order of its boundary; `along` and `across` lead to neighbours.
PD_FN vortex_square vortex_square_of(PD_GPTR(const vortex_word) psi, pd_u32 at, pd_u32 along,
                                     pd_u32 across)
{
    vortex_square s;
    s.z[0] = vortex_at(psi, at);
    s.z[1] = vortex_at(psi, at + along);
    s.z[2] = vortex_at(psi, at + along + across);
    s.z[3] = vortex_at(psi, at + across);
    return s;
}

#define VORTEX_NONE 2 // a charge that is none

PD_FN pd_i32 vortex_charge(const vortex_square s)
{
    if (crossing_is_bad(s.z[0]) || crossing_is_bad(s.z[1]) || crossing_is_bad(s.z[2]) ||
        crossing_is_bad(s.z[3]))
        return VORTEX_NONE;
    return crossing_of(s.z[0], s.z[1]) + crossing_of(s.z[1], s.z[2]) +
           crossing_of(s.z[2], s.z[3]) + crossing_of(s.z[3], s.z[0]);
}

// From a point to its neighbours, and whether the squares of each orientation are there.
typedef struct {
    pd_u32 at, i0, i1, i2, next0, next1, next2, there0, there1, there2;
} vortex_point;

PD_FN vortex_point vortex_point_of(pd_u32 i, const padic_k_field_vortex_params k)
{
    vortex_point p;
    const pd_u32 row = i / k.count[2];
    pd_u32 end0, end1, end2, open0, open1, open2;
    p.i2 = i - row * k.count[2];
    p.i0 = row / k.count[1];
    p.i1 = row - p.i0 * k.count[1];
    p.at = k.base + p.i0 * k.step[0] + p.i1 * k.step[1] + p.i2 * k.step[2];
    end0 = p.i0 + 1u == k.count[0] ? 1u : 0u;
    end1 = p.i1 + 1u == k.count[1] ? 1u : 0u;
    end2 = p.i2 + 1u == k.count[2] ? 1u : 0u;
    p.next0 = end0 ? 0u - p.i0 * k.step[0] : k.step[0];
    p.next1 = end1 ? 0u - p.i1 * k.step[1] : k.step[1];
    p.next2 = end2 ? 0u - p.i2 * k.step[2] : k.step[2];
    open0 = end0 && !(k.periodic & 1u) ? 1u : 0u;
    open1 = end1 && !(k.periodic & 2u) ? 1u : 0u;
    open2 = end2 && !(k.periodic & 4u) ? 1u : 0u;
    p.there0 = open1 || open2 ? 0u : 1u;
    p.there1 = k.plane || open2 || open0 ? 0u : 1u;
    p.there2 = k.plane || open0 || open1 ? 0u : 1u;
    return p;
}

// The square of an orientation; a plane's is the kernel's 0.
PD_FN vortex_square vortex_square_at(PD_GPTR(const vortex_word) psi, const vortex_point p, pd_u32 o)
{
    return vortex_square_of(psi, p.at, o == 0u ? p.next1 : o == 1u ? p.next2 : p.next0,
                            o == 0u ? p.next2 : o == 1u ? p.next0 : p.next1);
}

PD_FN pd_i32 vortex_charge_at(PD_GPTR(const vortex_word) psi, const vortex_point p, pd_u32 o)
{
    const pd_u32 there = o == 0u ? p.there0 : o == 1u ? p.there1 : p.there2;
    return there ? vortex_charge(vortex_square_at(psi, p, o)) : 0;
}

// ---- counts

PD_KERNEL(padic_k_field_vortex_count)
(PD_CBUF(vortex_word, psi), PD_BUF(pd_u32, parts), PD_PARAMS(padic_k_field_vortex_params, k))
{
    PD_LOCAL pd_u32 held[VORTEX_NUMBERS];
    const pd_u32 from = PD_GRP * k.each;
    const pd_u32 end = from + k.each < k.points ? from + k.each : k.points;
    if (PD_LID < VORTEX_NUMBERS) held[PD_LID] = 0u;
    PD_BARRIER();
    for (pd_u32 i = from + PD_LID; i < end; i += PD_WG) {
        const vortex_point p = vortex_point_of(i, k);
        for (pd_u32 o = 0u; o < 3u; o++) {
            const pd_i32 charge = vortex_charge_at(psi, p, o);
            if (charge == VORTEX_NONE) {
                PD_ATOMIC_ADD_L(&held[VORTEX_UNDEFINED], 1u);
            } else if (charge != 0) {
                PD_ATOMIC_ADD_L(&held[VORTEX_COUNT], 1u);
                PD_ATOMIC_ADD_L(&held[VORTEX_TOTAL + o], (pd_u32)charge);
            }
        }
    }
    PD_BARRIER();
    if (PD_LID < VORTEX_NUMBERS)
        parts[VORTEX_PARTS + PD_GRP * VORTEX_NUMBERS + PD_LID] = held[PD_LID];
}

// The sum of `mine` over the items before, in steps of doubled length; held[PD_WG - 1] is that of
// all.
#define VORTEX_SCAN(held, mine, before)                                 \
    (held)[PD_LID] = (mine);                                            \
    PD_BARRIER();                                                       \
    for (pd_u32 way = 1u; way < PD_WG; way *= 2u) {                     \
        const pd_u32 more = PD_LID >= way ? (held)[PD_LID - way] : 0u;  \
        PD_BARRIER();                                                   \
        (held)[PD_LID] += more;                                         \
        PD_BARRIER();                                                   \
    }                                                                   \
    before = (held)[PD_LID] - (mine);

// One group: sums of all, and for each group its first row in place of its count.
PD_KERNEL(padic_k_field_vortex_total)
(PD_BUF(pd_u32, parts), PD_PARAMS(padic_k_field_vortex_params, k))
{
    PD_LOCAL pd_u32 held[PD_WG];
    const pd_u32 share = (k.groups + PD_WG - 1u) / PD_WG, from = PD_LID * share;
    const pd_u32 end = from + share < k.groups ? from + share : k.groups;
    pd_u32 before;
    for (pd_u32 j = 0u; j < VORTEX_NUMBERS; j++) {
        pd_u32 sum = 0u;
        for (pd_u32 i = from; i < end; i++) sum += parts[VORTEX_PARTS + i * VORTEX_NUMBERS + j];
        VORTEX_SCAN(held, sum, before)
        if (PD_LID == 0u) parts[j] = held[PD_WG - 1u];
        for (pd_u32 i = from; i < end && j == VORTEX_COUNT; i++) {
            const pd_u32 at = VORTEX_PARTS + i * VORTEX_NUMBERS, count = parts[at];
            parts[at] = before;
            before += count;
        }
        PD_BARRIER();
    }
    if (PD_LID == 0u) parts[VORTEX_LINKED] = 0u;
}

// ---- rows

#if PD_HAS_F64
#define VORTEX_F64(words) PD_AS_F64(PD_U64((words)[0], (words)[1]))
#define VORTEX_ZERO ((pd_f64)0.0f)
#define VORTEX_HALF ((pd_f64)0.5f)
#define VORTEX_ONE ((pd_f64)1.0f)

typedef struct {
    pd_f64 re, im;
} vortex_pair;

PD_FN vortex_pair vortex_less(vortex_pair a, vortex_pair b)
{
    vortex_pair c;
    c.re = a.re - b.re;
    c.im = a.im - b.im;
    return c;
}

// Im(conj(a) b).
PD_FN pd_f64 vortex_cross(vortex_pair a, vortex_pair b)
{
    return a.re * b.im - a.im * b.re;
}

// a + u b.
PD_FN vortex_pair vortex_add(vortex_pair a, vortex_pair b, pd_f64 u)
{
    vortex_pair c;
    c.re = a.re + b.re * u;
    c.im = a.im + b.im * u;
    return c;
}

// 2^e, of a normal number.
PD_FN pd_f64 vortex_power(pd_i32 e)
{
    return PD_AS_F64(PD_U64(0u, (pd_u32)(1023 + e) << 20));
}

// z 2^-power, in two steps.
PD_FN vortex_pair vortex_scaled(const crossing_point z, pd_i32 power)
{
    const pd_i32 first = -power / 2;
    const pd_f64 a = vortex_power(first), b = vortex_power(-power - first);
    vortex_pair c;
    c.re = PD_AS_F64(z.re) * a * b;
    c.im = PD_AS_F64(z.im) * a * b;
    return c;
}

PD_FN pd_f64 vortex_density(const vortex_square s)
{
    pd_f64 sum = VORTEX_ZERO;
    for (pd_u32 i = 0u; i < 4u; i++) {
        const pd_f64 re = PD_AS_F64(s.z[i].re), im = PD_AS_F64(s.z[i].im);
        sum += (pd_f64)0.25f * re * re;
        sum += (pd_f64)0.25f * im * im;
    }
    return sum;
}

typedef struct {
    pd_f64 u, v;
    pd_u32 found;
} vortex_place;

// The place of root u, in the order that a found one of the other charge is not replaced.
PD_FN vortex_place vortex_try(vortex_pair a, vortex_pair b, vortex_pair c, vortex_pair d, pd_f64 u,
                              pd_i32 charge, vortex_place place)
{
    const vortex_pair e = vortex_add(c, d, u);
    const pd_f64 v = -((a.re + b.re * u) * e.re + (a.im + b.im * u) * e.im) /
                     (e.re * e.re + e.im * e.im);
    const pd_f64 sign = vortex_cross(vortex_add(b, d, v), e) * (pd_f64)charge;
    vortex_place to = place;
    if (u >= VORTEX_ZERO && u <= VORTEX_ONE && v >= VORTEX_ZERO && v <= VORTEX_ONE &&
        (!place.found || sign > VORTEX_ZERO)) {
        to.u = u;
        to.v = v;
        to.found = 1u;
    }
    return to;
}

// The core: a + b u + c v + d u v = 0, whose imaginary part over c + d u is a quadratic of u.
PD_FN vortex_place vortex_core(const vortex_square s, pd_i32 charge)
{
    const pd_i32 power = crossing_power(s.z[0], s.z[1], s.z[2], s.z[3]);
    const vortex_pair a = vortex_scaled(s.z[0], power);
    const vortex_pair b = vortex_less(vortex_scaled(s.z[1], power), a);
    const vortex_pair c = vortex_less(vortex_scaled(s.z[3], power), a);
    const vortex_pair d = vortex_less(
        vortex_less(vortex_scaled(s.z[2], power), vortex_scaled(s.z[1], power)), c);
    const pd_f64 k0 = vortex_cross(c, a), k1 = vortex_cross(d, a) + vortex_cross(c, b);
    const pd_f64 k2 = vortex_cross(d, b), disc = k1 * k1 - (pd_f64)4.0f * k0 * k2;
    vortex_place place;
    place.u = place.v = VORTEX_HALF;
    place.found = 0u;
    if (disc >= VORTEX_ZERO) {
        const pd_f64 root = PD_SQRT64(disc);
        const pd_f64 q = -VORTEX_HALF * (k1 + (k1 < VORTEX_ZERO ? -root : root));
        if (q != VORTEX_ZERO) place = vortex_try(a, b, c, d, k0 / q, charge, place);
        if (k2 != VORTEX_ZERO) place = vortex_try(a, b, c, d, q / k2, charge, place);
    }
    return place;
}

// Place of index i along an axis, and a part of a cell, where it is not the square's own axis.
PD_FN pd_u64 vortex_place_of(pd_u32 i, pd_f64 part, pd_f64 origin, pd_f64 spacing)
{
    return PD_AS_U64(origin + ((pd_f64)i + part) * spacing);
}
#endif

// A row of the lists.
PD_FN void vortex_list(PD_GPTR(const vortex_word) psi, PD_GPTR(pd_u64) cells,
                       PD_GPTR(pd_u64) positions, PD_GPTR(pd_u64) density, pd_u32 row, pd_u32 i,
                       const vortex_point p, pd_u32 o, pd_i32 charge,
                       const padic_k_field_vortex_params k)
{
    const pd_u32 cell = k.cells + row * k.cells_row;
#if PD_HAS_F64
    const vortex_square s = vortex_square_at(psi, p, o);
#endif
    if (k.listed & 1u) {
        cells[cell] = i;
        cells[cell + k.cells_column] = k.plane ? 2u : o;
        cells[cell + 2u * k.cells_column] = (pd_u64)(pd_i64)charge;
    }
#if PD_HAS_F64
    if (k.listed & 2u) {
        const vortex_place core = vortex_core(s, charge);
        const pd_f64 part0 = o == 0u ? VORTEX_ZERO : o == 1u ? core.v : core.u;
        const pd_f64 part1 = o == 0u ? core.u : o == 1u ? VORTEX_ZERO : core.v;
        const pd_f64 part2 = o == 0u ? core.v : o == 1u ? core.u : VORTEX_ZERO;
        pd_u32 at = k.positions + row * k.positions_row;
        if (!k.plane) {
            positions[at] = vortex_place_of(p.i0, part0, VORTEX_F64(k.origin),
                                            VORTEX_F64(k.spacing));
            at += k.positions_column;
        }
        positions[at] = vortex_place_of(p.i1, part1, VORTEX_F64(k.origin + 2),
                                        VORTEX_F64(k.spacing + 2));
        at += k.positions_column;
        positions[at] = vortex_place_of(p.i2, part2, VORTEX_F64(k.origin + 4),
                                        VORTEX_F64(k.spacing + 4));
    }
    if (k.listed & 4u) density[k.density + row * k.density_row] = PD_AS_U64(vortex_density(s));
#else
    (void)psi;
    (void)positions;
    (void)density;
    (void)p;
#endif
}

// Groups write their rows, points in turn.
PD_KERNEL(padic_k_field_vortex_list)
(PD_CBUF(vortex_word, psi), PD_CBUF(pd_u32, parts), PD_BUF(pd_u64, cells),
 PD_BUF(pd_u64, positions), PD_BUF(pd_u64, density), PD_PARAMS(padic_k_field_vortex_params, k))
{
    PD_LOCAL pd_u32 held[PD_WG];
    const pd_u32 from = PD_GRP * k.each;
    const pd_u32 end = from + k.each < k.points ? from + k.each : k.points;
    pd_u32 row = parts[VORTEX_PARTS + PD_GRP * VORTEX_NUMBERS + VORTEX_COUNT];
    for (pd_u32 tile = from; tile < end; tile += PD_WG) {
        const pd_u32 i = tile + PD_LID;
        const vortex_point p = vortex_point_of(i < end ? i : from, k);
        pd_u32 charges = 0u, count = 0u, before; // charges: 2 bits an orientation, 1 and 3 for -1
        for (pd_u32 o = 0u; o < 3u; o++) {
            const pd_i32 charge = i < end ? vortex_charge_at(psi, p, o) : 0;
            const pd_u32 is = charge == 1 || charge == -1 ? 1u : 0u;
            charges |= is ? ((pd_u32)charge & 3u) << (2u * o) : 0u;
            count += is;
        }
        VORTEX_SCAN(held, count, before)
        before += row;
        for (pd_u32 o = 0u; o < 3u; o++) {
            const pd_u32 charge = (charges >> (2u * o)) & 3u;
            if (charge && before < k.rows)
                vortex_list(psi, cells, positions, density, before, i, p, o, charge == 1u ? 1 : -1,
                            k);
            before += charge ? 1u : 0u;
        }
        row += held[PD_WG - 1u];
        PD_BARRIER();
    }
}

// ---- links

typedef struct {
    pd_u32 rows, last, columns, periodic; // columns: axes
    pd_u32 cells, cells_row, cells_column, positions, positions_row, positions_column;
    pd_u32 last_cells, last_cells_row, last_cells_column;
    pd_u32 last_positions, last_positions_row, last_positions_column;
    pd_u32 links, links_row;
    pd_u32 reach[2], box[6]; // f64: the square of the reach; lengths of the axes
} padic_k_field_vortex_link_params;

#if PD_HAS_F64
// The largest whole number that is not above x.
PD_FN pd_f64 vortex_floor(pd_f64 x)
{
    const pd_u64 bits = PD_AS_U64(x);
    const pd_i32 e = (pd_i32)((bits >> 52) & 2047u) - 1023;
    pd_f64 whole;
    if (e >= 52) return x;
    if (e < 0) return x < VORTEX_ZERO ? -VORTEX_ONE : VORTEX_ZERO;
    whole = PD_AS_F64(bits & ~((((pd_u64)1u << (52 - e)) - 1u)));
    return whole > x ? whole - VORTEX_ONE : whole;
}

// The square of x, the shorter way round a box.
PD_FN pd_f64 vortex_square_away(pd_f64 x, pd_f64 box, pd_u32 periodic)
{
    const pd_f64 y = periodic ? x - box * vortex_floor(x / box + VORTEX_HALF) : x;
    return y * y;
}

PD_FN pd_f64 vortex_away(PD_GPTR(const pd_u64) here, PD_GPTR(const pd_u64) last, pd_u32 at,
                         pd_u32 from, const padic_k_field_vortex_link_params k)
{
    pd_f64 sum = VORTEX_ZERO;
    for (pd_u32 i = 0u; i < k.columns; i++) {
        const pd_f64 x = PD_AS_F64(here[at + i * k.positions_column]) -
                         PD_AS_F64(last[from + i * k.last_positions_column]);
        const pd_f64 box = i == 0u   ? VORTEX_F64(k.box)
                           : i == 1u ? VORTEX_F64(k.box + 2)
                                     : VORTEX_F64(k.box + 4);
        sum += vortex_square_away(x, box, (k.periodic >> i) & 1u);
    }
    return sum;
}
#endif

// An item has a row: the nearest one of the same charge and orientation, the first of equals.
PD_KERNEL(padic_k_field_vortex_link)
(PD_BUF(pd_u32, parts), PD_CBUF(pd_u64, cells), PD_CBUF(pd_u64, positions),
 PD_CBUF(pd_u64, last_cells), PD_CBUF(pd_u64, last_positions), PD_BUF(pd_u64, links),
 PD_PARAMS(padic_k_field_vortex_link_params, k))
{
#if PD_HAS_F64
    const pd_u32 rows = parts[VORTEX_COUNT] < k.rows ? parts[VORTEX_COUNT] : k.rows;
    for (pd_u32 row = PD_GID; row < rows; row += PD_NGRP * (pd_u32)PD_WG) {
        const pd_u32 cell = k.cells + row * k.cells_row;
        const pd_u64 orientation = cells[cell + k.cells_column];
        const pd_u64 charge = cells[cell + 2u * k.cells_column];
        pd_f64 best = VORTEX_F64(k.reach);
        pd_u32 link = k.last;
        for (pd_u32 last = 0u; last < k.last; last++) {
            const pd_u32 other = k.last_cells + last * k.last_cells_row;
            if (last_cells[other + k.last_cells_column] == orientation &&
                last_cells[other + 2u * k.last_cells_column] == charge) {
                const pd_f64 away =
                    vortex_away(positions, last_positions, k.positions + row * k.positions_row,
                                k.last_positions + last * k.last_positions_row, k);
                if (link == k.last ? away <= best : away < best) {
                    best = away;
                    link = last;
                }
            }
        }
        links[k.links + row * k.links_row] = link == k.last ? ~(pd_u64)0u : (pd_u64)link;
        if (link != k.last) PD_ATOMIC_ADD_G(&parts[VORTEX_LINKED], 1u);
    }
#else
    (void)parts; // places are of f64
    (void)cells;
    (void)positions;
    (void)last_cells;
    (void)last_positions;
    (void)links;
    (void)k;
#endif
}
