// grid.cl: points of fields, as kernels that add up over them find them.

// Places as in element.cl; the copy is dense.
typedef struct {
    pd_u32 points, groups, each; // of a field; points of a group
    pd_u32 fields, n1, n2;       // of all groups; extents of the last axes
    pd_u32 base, imaginary, step0, step1, step2, step_field, apart;
    pd_u32 trap0, trap1, trap2, x0, x1, x2, potential, terms, powers; // tables
    pd_u32 weight0, weight1, weight2, place;                          // of sums with weights
    pd_u32 places, kinetic; // numbers of a field; 1: -K Lap psi alone
    pd_u32 out, out_imaginary, out0, out1, out2, out_field; // of H psi
    pd_u32 adds;            // the copy gets psi added to what it is
    pd_u32 n0, walls, first; // differences: 2 bits an axis, the axis of x
    pd_u32 scale0[2], scale1[2], scale2[2], turn_x[2], turn_y[2]; // K/h^2; of L_z
    pd_u32 what, stop, shift;    // ground.cl: flags and a of each field, in the tables
    pd_u32 sums, largest;        // places; from this one on the largest counts
    pd_u32 rest, skip, relative; // flags of what no longer waits; those that count; goal: times
                                 // max(1, |mu|)
    pd_u32 time[2], goal[2], limit[2]; // 1 / dt; of the residual; of the density; halves of f64
} padic_k_field_record_params;

typedef struct {
    pd_u32 i0, i1, i2, psi, copy; // its indices; where it lies
} field_point;

PD_FN field_point field_point_of(pd_u32 field, pd_u32 i, const padic_k_field_record_params k)
{
    field_point p;
    const pd_u32 row = i / k.n2;
    p.i2 = i - row * k.n2;
    p.i0 = row / k.n1;
    p.i1 = row - p.i0 * k.n1;
    p.psi = k.base + field * k.step_field + p.i0 * k.step0 + p.i1 * k.step1 + p.i2 * k.step2;
    p.copy = field * k.points + i;
    return p;
}

#define FIELD_GROUP                                                                   \
    const pd_u32 field = PD_GRP / k.groups, from = (PD_GRP - field * k.groups) * k.each; \
    const pd_u32 end = from + k.each < k.points ? from + k.each : k.points;

PD_FN fft_real field_potential_at(PD_GPTR(const fft_real) tables, const field_point p, pd_u32 i,
                                  const padic_k_field_record_params k)
{
    const fft_real v = tables[k.trap0 + p.i0] + tables[k.trap1 + p.i1] + tables[k.trap2 + p.i2];
    return v + (k.potential ? tables[k.potential + i] : FFT_ZERO);
}

// |psi|^(p - 2) of term j, 0 if there is none.
PD_FN fft_real field_term(PD_GPTR(const fft_real) tables, fft_real density, pd_u32 j,
                          const padic_k_field_record_params k)
{
    const pd_u32 way = (k.powers >> (4u * j)) & 15u;
    if (!way) return FFT_ZERO;
    return field_power(density, way - 1u, tables[k.terms + 2u * j + 1u]);
}

// U psi.
PD_FN fft_pair field_local(PD_GPTR(const fft_real) tables, const field_point p, pd_u32 i,
                           fft_pair x, const padic_k_field_record_params k)
{
    const fft_real density = x.re * x.re + x.im * x.im;
    const fft_real u = field_potential_at(tables, p, i, k) +
                       field_terms(tables, density, FFT_ZERO, FFT_ZERO, k.terms, k.powers);
    return fft_pair_of(u * x.re, u * x.im);
}
