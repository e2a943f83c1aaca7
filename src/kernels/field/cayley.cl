// cayley.cl: (1 + b T)^-1 (1 - b T) = 2 (1 + b T)^-1 - 1 along the lines of an axis, T the second
// difference (-1, 2, -1) with the axis' walls, b complex: as field/drift.c has it.
//
// An item has a line, from one end to the other and back (Thomas), and where the axis is periodic
// once more (Sherman, Morrison). Neighbouring items have neighbouring lines; between the ways what
// they found lies in `work`, element by element, so that they read and write it side by side.

// Places count complex numbers, planar ones reals; tables reals.
typedef struct {
    pd_u32 n, all, outers;         // elements of a line, lines side by side, of the third axis
    pd_u32 periodic, apart;        // apart: from real to imaginary parts of `work`
    pd_u32 base, imaginary, step_element, step_line, step_outer, step_field;
    pd_u32 inverse, column;        // of the pivots; periodic: of the corners' column, its factor
    pd_u32 off[4];                 // beside the diagonal: re, im; f64: two halves each
    pd_u32 stop;                   // RECORDS: flags, such a field stays as it is
} padic_k_field_points_line_params;

PD_FN fft_pair field_pair_less(fft_pair a, fft_pair b)
{
    return fft_pair_of(a.re - b.re, a.im - b.im);
}

PD_FN fft_pair field_pair_twice(fft_pair a)
{
    return fft_pair_of(a.re + a.re, a.im + a.im);
}

PD_FN fft_pair field_entry(PD_GPTR(const fft_real) tables, pd_u32 at)
{
    return fft_pair_of(tables[at], tables[at + 1u]);
}

PD_FN void field_cayley(PD_GPTR(const fft_real) tables, PD_GPTR(field_word) psi,
                        PD_GPTR(field_word) work, const padic_k_field_points_line_params k)
{
    const pd_u32 line = PD_GID, outer = PD_GRP_Y, field = PD_GRP_Z;
    const pd_u32 from = k.base + field * k.step_field + outer * k.step_outer + line * k.step_line;
    const pd_u32 own = (field * k.outers + outer) * k.n * k.all + line;
    const fft_pair off = fft_pair_of(FIELD_REAL(k.off), FIELD_REAL(k.off + 2));
#if PD_FIELD_RECORDS
    const pd_u32 goes = tables[k.stop + field] == FFT_ZERO ? 1u : 0u;
#else
    const pd_u32 goes = 1u;
#endif
    const pd_u32 n = goes && line < k.all ? k.n : 0u;
    pd_u32 at = from, place = own;
    fft_pair x = fft_pair_of(FFT_ZERO, FFT_ZERO), first = x, last = x, share = x;
    for (pd_u32 i = 0u; i < n; i++, at += k.step_element, place += k.all) {
        const fft_pair d = field_pair_less(field_get(psi, at, k.imaginary), fft_mul(off, x));
        x = fft_mul(d, field_entry(tables, k.inverse + 2u * i));
        field_put(work, place, k.apart, x);
    }
    last = x;
    x = fft_pair_of(FFT_ZERO, FFT_ZERO);
    for (pd_u32 i = n; i-- > 0u;) {
        const fft_pair factor = fft_mul(off, field_entry(tables, k.inverse + 2u * i));
        at -= k.step_element;
        place -= k.all;
        x = field_pair_less(field_get(work, place, k.apart), fft_mul(factor, x));
        if (k.periodic) {
            field_put(work, place, k.apart, x);
        } else {
            const fft_pair old = field_get(psi, at, k.imaginary);
            field_put(psi, at, k.imaginary, field_pair_less(field_pair_twice(x), old));
        }
    }
    first = x;
    if (k.periodic)
        share = fft_mul(field_pair_less(first, last), field_entry(tables, k.column + 2u * k.n));
    for (pd_u32 i = 0u; i < (k.periodic ? n : 0u); i++, at += k.step_element, place += k.all) {
        const fft_pair old = field_get(psi, at, k.imaginary);
        x = field_pair_less(field_get(work, place, k.apart),
                            fft_mul(share, field_entry(tables, k.column + 2u * i)));
        field_put(psi, at, k.imaginary, field_pair_less(field_pair_twice(x), old));
    }
}
