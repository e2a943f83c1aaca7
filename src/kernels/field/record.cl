// program: field_record
// texts: ../fft/pair.cl number.cl exponent.cl local.cl beside.cl sum.cl grid.cl
// record.cl: records of fields. A copy of psi becomes -K Lap psi by the kernels of lines, or psi
// transformed along one axis, or it is made of differences; these kernels add up over both, groups
// of a field their points, then one group for each field their sums, and make the record of them.
// Sums of a group lie by place, then field and group.
//
// variant: PD_FIELD_PLANAR=1 PD_FIELD_POWERS=1
#define FIELD_PLACES 14u // sums: density, kinetic, potential, 3 of the interaction, 3 of the
#define FIELD_SUMS 10u   // centroid, the largest density; then 2 of the angular momentum, and
#define FIELD_WHOLE 12u  // psi H psi, |H psi|^2
#define FIELD_TURNING 10u

PD_KERNEL(padic_k_field_record_copy)
(PD_CBUF(field_word, psi), PD_BUF(field_word, copy), PD_PARAMS(padic_k_field_record_params, k))
{
    FIELD_GROUP
    for (pd_u32 i = from + PD_LID; i < end; i += PD_WG) {
        const field_point p = field_point_of(field, i, k);
        fft_pair x = field_get(psi, p.psi, k.imaginary);
        if (k.adds) {
            const fft_pair y = field_get(copy, p.copy, k.apart);
            x = fft_pair_of(x.re + y.re, x.im + y.im);
        }
        field_put(copy, p.copy, k.apart, x);
    }
}

// ---- by differences

typedef struct {
    fft_pair lap;   // of the copy so far
    fft_real turns; // conj(psi) (-i) (psi above - psi below), its real part
} field_slope;

// What an axis adds, point i of its n.
PD_FN field_slope field_slope_of(PD_GPTR(const field_word) psi, pd_u32 at, fft_pair here,
                                 field_slope s, fft_real scale, const field_beside b,
                                 pd_u32 imaginary)
{
    const fft_pair above = field_get(psi, at + b.up, imaginary);
    const fft_pair below = field_get(psi, at + b.down, imaginary);
    const fft_pair up = fft_pair_of(b.up_scale * above.re, b.up_scale * above.im);
    const fft_pair down = fft_pair_of(b.down_scale * below.re, b.down_scale * below.im);
    field_slope to;
    to.lap.re = s.lap.re + scale * (here.re + here.re - up.re - down.re);
    to.lap.im = s.lap.im + scale * (here.im + here.im - up.im - down.im);
    to.turns = here.re * (up.im - down.im) - here.im * (up.re - down.re);
    return to;
}

#define FIELD_SLOPE(axis)                                                                     \
    field_slope_of(psi, p.psi, x, s, FIELD_REAL(k.scale##axis),                               \
                   field_beside_of(p.i##axis, k.n##axis, k.step##axis,                        \
                                   (k.walls >> 2u * axis##u) & 3u, (fft_real)1.0f),           \
                   k.imaginary)

// The copy = -K Lap psi; sums of the angular momentum.
PD_KERNEL(padic_k_field_record_differ)
(PD_CBUF(fft_real, tables), PD_CBUF(field_word, psi), PD_BUF(field_word, copy),
 PD_BUF(pd_u32, parts), PD_PARAMS(padic_k_field_record_params, k))
{
    PD_LOCAL field_sum held[PD_WG];
    FIELD_GROUP
    field_sum sum = FIELD_SUM_ZERO;
    for (pd_u32 i = from + PD_LID; i < end; i += PD_WG) {
        const field_point p = field_point_of(field, i, k);
        const fft_pair x = field_get(psi, p.psi, k.imaginary);
        field_slope s;
        fft_real turns0, turns1;
        s.lap = fft_pair_of(FFT_ZERO, FFT_ZERO);
        s.turns = FFT_ZERO;
        s = FIELD_SLOPE(0);
        turns0 = s.turns;
        s = FIELD_SLOPE(1);
        turns1 = s.turns;
        s = FIELD_SLOPE(2);
        field_put(copy, p.copy, k.apart, s.lap);
        sum = field_sum_add(sum, field_sum_product(FIELD_REAL(k.turn_x) *
                                                       (k.first ? tables[k.x2 + p.i2]
                                                                : tables[k.x1 + p.i1]),
                                                   k.first ? turns1 : turns0));
        sum = field_sum_add(sum, field_sum_product(FIELD_REAL(k.turn_y) *
                                                       (k.first ? tables[k.x1 + p.i1]
                                                                : tables[k.x0 + p.i0]),
                                                   k.first ? s.turns : turns1));
    }
    held[PD_LID] = sum;
    FIELD_TREE(held, 0u, 1u)
    if (PD_LID == 0u) field_sum_put(parts, FIELD_TURNING * k.fields + PD_GRP, held[0]);
}

// ---- sums

// |copy|^2 times tables along the axes.
PD_KERNEL(padic_k_field_record_weigh)
(PD_CBUF(fft_real, tables), PD_CBUF(field_word, copy), PD_BUF(pd_u32, parts),
 PD_PARAMS(padic_k_field_record_params, k))
{
    PD_LOCAL field_sum held[PD_WG];
    FIELD_GROUP
    field_sum sum = FIELD_SUM_ZERO;
    for (pd_u32 i = from + PD_LID; i < end; i += PD_WG) {
        const field_point p = field_point_of(field, i, k);
        const fft_pair x = field_get(copy, p.copy, k.apart);
        fft_real weight = k.weight0 ? tables[k.weight0 + p.i0] : (fft_real)1.0f;
        if (k.weight1) weight *= tables[k.weight1 + p.i1];
        if (k.weight2) weight *= tables[k.weight2 + p.i2];
        sum = field_sum_add(sum, field_sum_product(weight, x.re * x.re + x.im * x.im));
    }
    held[PD_LID] = sum;
    FIELD_TREE(held, 0u, 1u)
    if (PD_LID == 0u) field_sum_put(parts, k.place * k.fields + PD_GRP, held[0]);
}

#define FIELD_ADD(at, a, b) s##at = field_sum_add(s##at, field_sum_product(a, b));
#define FIELD_TERM(at, j)                                             \
    {                                                                 \
        const fft_real term = field_term(tables, density, j, k);      \
        FIELD_ADD(at, term, density)                                  \
        u += tables[k.terms + 2u * (j)] * term;                       \
    }

PD_KERNEL(padic_k_field_record_sums)
(PD_CBUF(fft_real, tables), PD_CBUF(field_word, psi), PD_CBUF(field_word, copy),
 PD_BUF(pd_u32, parts), PD_PARAMS(padic_k_field_record_params, k))
{
    PD_LOCAL field_sum held[(FIELD_SUMS + 2u) * PD_WG];
    FIELD_GROUP
    field_sum s0 = FIELD_SUM_ZERO, s1 = s0, s2 = s0, s3 = s0, s4 = s0, s5 = s0, s6 = s0, s7 = s0;
    field_sum s8 = s0, s9 = s0, s10 = s0, s11 = s0;
    for (pd_u32 i = from + PD_LID; i < end; i += PD_WG) {
        const field_point p = field_point_of(field, i, k);
        const fft_pair x = field_get(psi, p.psi, k.imaginary);
        const fft_pair y = field_get(copy, p.copy, k.apart);
        const fft_real density = x.re * x.re + x.im * x.im;
        fft_real u = field_potential_at(tables, p, i, k);
        fft_pair h;
        FIELD_ADD(0, x.re, x.re)
        FIELD_ADD(0, x.im, x.im)
        FIELD_ADD(1, x.re, y.re)
        FIELD_ADD(1, x.im, y.im)
        FIELD_ADD(2, u, density)
        FIELD_TERM(3, 0u)
        FIELD_TERM(4, 1u)
        FIELD_TERM(5, 2u)
        FIELD_ADD(6, tables[k.x0 + p.i0], density)
        FIELD_ADD(7, tables[k.x1 + p.i1], density)
        FIELD_ADD(8, tables[k.x2 + p.i2], density)
        s9 = field_sum_more(s9, field_sum_of(density));
        h = fft_pair_of(y.re + u * x.re, y.im + u * x.im);
        FIELD_ADD(10, x.re, h.re)
        FIELD_ADD(10, x.im, h.im)
        FIELD_ADD(11, h.re, h.re)
        FIELD_ADD(11, h.im, h.im)
    }
    held[PD_LID] = s0;
    held[PD_WG + PD_LID] = s1;
    held[2u * PD_WG + PD_LID] = s2;
    held[3u * PD_WG + PD_LID] = s3;
    held[4u * PD_WG + PD_LID] = s4;
    held[5u * PD_WG + PD_LID] = s5;
    held[6u * PD_WG + PD_LID] = s6;
    held[7u * PD_WG + PD_LID] = s7;
    held[8u * PD_WG + PD_LID] = s8;
    held[9u * PD_WG + PD_LID] = s9;
    held[10u * PD_WG + PD_LID] = s10;
    held[11u * PD_WG + PD_LID] = s11;
    FIELD_TREE(held, 0u, FIELD_SUMS + 2u)
    if (PD_LID < FIELD_SUMS + 2u) {
        const pd_u32 place = PD_LID < FIELD_SUMS ? PD_LID : PD_LID - FIELD_SUMS + FIELD_WHOLE;
        field_sum_put(parts, place * k.fields + PD_GRP, held[PD_LID * PD_WG]);
    }
}

// |H psi - mu psi|^2, into the first place; mu is the third of a field's numbers.
#define FIELD_MU 3u
PD_KERNEL(padic_k_field_record_residual)
(PD_CBUF(fft_real, tables), PD_CBUF(field_word, psi), PD_CBUF(field_word, copy),
 PD_CBUF(pd_u32, state), PD_BUF(pd_u32, parts), PD_PARAMS(padic_k_field_record_params, k))
{
    PD_LOCAL field_sum held[PD_WG];
    FIELD_GROUP
#if PD_HAS_F64
    const fft_real mu = (fft_real)field_sum_get(state, field * k.places + FIELD_MU);
#else
    const fft_real mu = field_sum_get(state, field * k.places + FIELD_MU).hi;
#endif
    field_sum sum = FIELD_SUM_ZERO;
    for (pd_u32 i = from + PD_LID; i < end; i += PD_WG) {
        const field_point p = field_point_of(field, i, k);
        const fft_pair x = field_get(psi, p.psi, k.imaginary);
        const fft_pair y = field_get(copy, p.copy, k.apart);
        const fft_pair u = field_local(tables, p, i, x, k);
        const fft_real re = y.re + u.re - mu * x.re, im = y.im + u.im - mu * x.im;
        sum = field_sum_add(sum, field_sum_add(field_sum_product(re, re),
                                               field_sum_product(im, im)));
    }
    held[PD_LID] = sum;
    FIELD_TREE(held, 0u, 1u)
    if (PD_LID == 0u) field_sum_put(parts, PD_GRP, held[0]);
}

// H psi.
PD_KERNEL(padic_k_field_record_hamilton)
(PD_CBUF(fft_real, tables), PD_CBUF(field_word, psi), PD_CBUF(field_word, copy),
 PD_BUF(field_word, out), PD_PARAMS(padic_k_field_record_params, k))
{
    FIELD_GROUP
    for (pd_u32 i = from + PD_LID; i < end; i += PD_WG) {
        const field_point p = field_point_of(field, i, k);
        const fft_pair y = field_get(copy, p.copy, k.apart);
        const pd_u32 at = k.out + field * k.out_field + p.i0 * k.out0 + p.i1 * k.out1 +
                          p.i2 * k.out2;
        fft_pair u = fft_pair_of(FFT_ZERO, FFT_ZERO);
        if (!k.kinetic) u = field_local(tables, p, i, field_get(psi, p.psi, k.imaginary), k);
        field_put(out, at, k.out_imaginary, fft_pair_of(y.re + u.re, y.im + u.im));
    }
}

// ---- a group for each field: its numbers are the norms that it is to have and has, the parts that
// are not finite, mu, 1 + the record that ended the call, that one's status

#define FIELD_HELD 0u
#define FIELD_NOW 1u
#define FIELD_ENDED 4u
#define FIELD_STATUS 5u

#define FIELD_COLUMNS 18u // of padic_field_record
#define FIELD_R_NORM 2u
#define FIELD_R_KINETIC 3u
#define FIELD_R_POTENTIAL 4u
#define FIELD_R_INTERACTION 5u
#define FIELD_R_ROTATION 8u
#define FIELD_R_ENERGY 9u
#define FIELD_R_MU 10u
#define FIELD_R_MOMENTUM 11u
#define FIELD_R_CENTROID 12u
#define FIELD_R_DENSITY 15u
#define FIELD_R_RESIDUAL 16u
#define FIELD_R_STATUS 17u

typedef struct {
    pd_u32 groups, fields, places;       // fields: of all groups
    pd_u32 record, number, stop;        // where records begin, in f64; 1 + its number; flags
    pd_u32 dims, terms, of, turning;    // of: places of the terms; 1 and 2: parts of L_z,
                                        // 4 and 8: the sums of H psi
    pd_u32 time[2], step[2], volume[2], limit[2], part0[2], part1[2]; // f64: two halves each
    pd_u32 g0[2], g1[2], g2[2], exponent0[2], exponent1[2], exponent2[2], rotation[2];
} padic_k_field_record_end_params;

// Before the first step: no field has ended.
PD_KERNEL_WG(padic_k_field_record_begin, 32)
(PD_BUF(pd_u32, state), PD_BUF(fft_real, tables), PD_PARAMS(padic_k_field_record_end_params, k))
{
    const pd_u32 field = PD_GRP * 32u + PD_LID;
    if (field < k.fields) {
        field_sum_put(state, field * k.places + FIELD_ENDED, FIELD_SUM_ZERO);
        tables[k.stop + field] = FFT_ZERO;
    }
}

#define FIELD_NUMBER(words) field_sum_words((words)[0], (words)[1])

// When the record is made, and zeros.
PD_FN void field_record_open(PD_GPTR(pd_u32) to, pd_u32 at,
                             const padic_k_field_record_end_params k)
{
    for (pd_u32 j = 4u; j < 2u * FIELD_COLUMNS; j++) to[2u * at + j] = 0u;
    to[2u * at] = k.time[0];
    to[2u * at + 1u] = k.time[1];
    to[2u * at + 2u] = k.step[0];
    to[2u * at + 3u] = k.step[1];
}

// The energy of a term, 2 g / p of its integral, p = 2 + 2 exponent.
PD_FN field_sum field_record_term(field_sum sum, field_sum g, field_sum exponent)
{
    const field_sum over = field_sum_add(field_sum_whole(1u), exponent);
    return field_sum_mul(field_sum_over(g, over), sum);
}

// a / b, 0 where b is not above 0.
PD_FN field_sum field_record_over(field_sum a, field_sum b)
{
    return field_sum_above(b, FIELD_SUM_ZERO) ? field_sum_over(a, b) : FIELD_SUM_ZERO;
}

// |H psi - mu psi| / |psi| of the sums |psi|^2, psi H psi and |H psi|^2, by Pythagoras: of numbers
// of f32, whose squares these sums have whole, but for a last place of them.
PD_FN field_sum field_record_left(field_sum sum, field_sum along, field_sum all)
{
    const field_sum part = field_sum_mul(along, field_record_over(along, sum));
    const field_sum left = field_sum_add(all, field_sum_minus(part));
    return field_sum_root(
        field_record_over(field_sum_above(FIELD_SUM_ZERO, left) ? FIELD_SUM_ZERO : left, sum));
}

// The angular momentum of sums of its two parts.
PD_FN field_sum field_record_turning(field_sum x, field_sum y, field_sum volume,
                                     const padic_k_field_record_end_params k)
{
    return field_sum_mul(field_sum_add(field_sum_mul(x, FIELD_NUMBER(k.part0)),
                                       field_sum_mul(y, FIELD_NUMBER(k.part1))),
                         volume);
}

// Term j's energy, of mu's numerator p / 2 of it.
#define FIELD_RECORD_TERM(j, g, exponent)                                                       \
    if (k.terms > (j)) {                                                                        \
        const field_sum part =                                                                  \
            field_sum_mul(field_record_term(held[(3u + (j)) * PD_WG], FIELD_NUMBER(g),          \
                                            FIELD_NUMBER(exponent)),                            \
                          volume);                                                              \
        field_sum_write(to, at + FIELD_R_INTERACTION + ((k.of >> (4u * (j))) & 15u), part);     \
        energy = field_sum_add(energy, part);                                                   \
        all = field_sum_add(                                                                    \
            all, field_sum_mul(field_sum_add(field_sum_whole(1u), FIELD_NUMBER(exponent)),      \
                               part));                                                          \
    }

#define FIELD_H(i) held[(FIELD_WHOLE + (i)) * PD_WG]
PD_KERNEL(padic_k_field_record_make)
(PD_CBUF(pd_u32, parts), PD_BUF(pd_u32, state), PD_BUF(fft_real, tables), PD_BUF(pd_u32, to),
 PD_PARAMS(padic_k_field_record_end_params, k))
{
    PD_LOCAL field_sum held[FIELD_PLACES * PD_WG];
    const pd_u32 field = PD_GRP, first = field * k.groups, mine = field * k.places;
    for (pd_u32 j = 0u; j < FIELD_PLACES; j++) {
        field_sum sum = FIELD_SUM_ZERO;
        const pd_u32 here = j < FIELD_SUMS || ((k.turning >> (j - FIELD_SUMS)) & 1u);
        for (pd_u32 i = PD_LID; i < k.groups && here; i += PD_WG)
            sum = field_sum_join(j, sum, field_sum_get(parts, j * k.fields + first + i));
        held[j * PD_WG + PD_LID] = sum;
    }
    FIELD_TREE(held, 0u, FIELD_PLACES)
    if (PD_LID == 0u) {
        const field_sum sum = held[0], ended = field_sum_get(state, mine + FIELD_ENDED);
        if (field_sum_above(ended, FIELD_SUM_ZERO)) { // psi stays as it is
            field_sum_put(state, mine + FIELD_NOW, field_sum_get(state, mine + FIELD_HELD));
        } else {
            const pd_u32 at = k.record + field * FIELD_COLUMNS;
            const field_sum volume = FIELD_NUMBER(k.volume), norm = field_sum_mul(sum, volume);
            const field_sum density = held[9u * PD_WG], limit = FIELD_NUMBER(k.limit);
            const field_sum kinetic = field_sum_mul(held[PD_WG], volume);
            const field_sum potential = field_sum_mul(held[2u * PD_WG], volume);
            const field_sum momentum =
                field_record_turning(held[FIELD_TURNING * PD_WG],
                                     held[(FIELD_TURNING + 1u) * PD_WG], volume, k);
            const field_sum rotation = field_sum_mul(FIELD_NUMBER(k.rotation), momentum);
            const pd_u32 dense =
                field_sum_above(limit, FIELD_SUM_ZERO) && field_sum_above(density, limit);
            const pd_u32 status = !field_sum_finite(norm) ? 1u : dense ? 2u : 0u;
            field_sum energy = field_sum_add(field_sum_add(kinetic, potential), rotation);
            field_sum all = energy, mu;
            field_record_open(to, at, k);
            field_sum_write(to, at + FIELD_R_NORM, norm);
            field_sum_write(to, at + FIELD_R_KINETIC, kinetic);
            field_sum_write(to, at + FIELD_R_POTENTIAL, potential);
            if (k.rotation[0] | k.rotation[1])
                field_sum_write(to, at + FIELD_R_ROTATION, rotation);
            FIELD_RECORD_TERM(0u, k.g0, k.exponent0)
            FIELD_RECORD_TERM(1u, k.g1, k.exponent1)
            FIELD_RECORD_TERM(2u, k.g2, k.exponent2)
            mu = field_record_over(all, norm);
            field_sum_write(to, at + FIELD_R_ENERGY, energy);
            field_sum_write(to, at + FIELD_R_MU, mu);
            field_sum_write(to, at + FIELD_R_MOMENTUM, momentum);
            for (pd_u32 j = 0u; j < k.dims; j++)
                field_sum_write(to, at + FIELD_R_CENTROID + j,
                                field_record_over(held[(9u - k.dims + j) * PD_WG], sum));
            field_sum_write(to, at + FIELD_R_DENSITY, density);
            field_sum_write(to, at + FIELD_R_STATUS, field_sum_whole(status));
            if (k.turning & 4u)
                field_sum_write(to, at + FIELD_R_RESIDUAL,
                                field_record_left(sum, FIELD_H(0u), FIELD_H(1u)));
            field_sum_put(state, mine + FIELD_NOW, sum);
            field_sum_put(state, mine + FIELD_MU, mu);
            field_sum_put(state, mine + FIELD_STATUS, field_sum_whole(status));
            if (status) field_sum_put(state, mine + FIELD_ENDED, field_sum_whole(k.number));
            if (status) tables[k.stop + field] = (fft_real)1.0f;
        }
    }
}

// The residual of the record that was made last.
PD_KERNEL(padic_k_field_record_end)
(PD_CBUF(pd_u32, parts), PD_CBUF(pd_u32, state), PD_BUF(pd_u32, to),
 PD_PARAMS(padic_k_field_record_end_params, k))
{
    PD_LOCAL field_sum held[PD_WG];
    const pd_u32 field = PD_GRP, mine = field * k.places;
    field_sum sum = FIELD_SUM_ZERO;
    for (pd_u32 i = PD_LID; i < k.groups; i += PD_WG)
        sum = field_sum_add(sum, field_sum_get(parts, field * k.groups + i));
    held[PD_LID] = sum;
    FIELD_TREE(held, 0u, 1u)
    if (PD_LID == 0u) {
        const field_sum ended = field_sum_get(state, mine + FIELD_ENDED);
        const field_sum number = field_sum_whole(k.number);
        const pd_u32 before = field_sum_above(ended, FIELD_SUM_ZERO) &&
                              (field_sum_above(ended, number) || field_sum_above(number, ended));
        const field_sum norm = field_sum_get(state, mine + FIELD_NOW);
        if (!before)
            field_sum_write(to, k.record + field * FIELD_COLUMNS + FIELD_R_RESIDUAL,
                            field_sum_root(field_record_over(held[0], norm)));
    }
}
