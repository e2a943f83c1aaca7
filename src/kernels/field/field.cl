// program: field
// texts: ../fft/butterfly.cl ../fft/stages.cl number.cl element.cl
// field.cl: lines of a field through one or two transforms, with what happens between them.
//
// A group takes a few lines along one axis into local memory, neighbours along another (the side).
// It transforms them or not, multiplies each element, transforms them or not, and writes them. The
// element's factor is the phase of the potential and the interaction, or that of k^2, whose parts
// along the axes are tables. A split step of D axes is so 2 (D - 1) passes over memory: along the
// last axis {inverse, potential, forward}, along the first {forward, k^2, inverse}, forward or
// inverse along one between them. The inverse transform is the forward one, parts exchanged.
//
// variant: PD_FIELD_PLANAR=1

PD_FN void field_transform(PD_LPTR(fft_real) re, PD_LPTR(fft_real) im,
                           PD_GPTR(const fft_real) roots, const padic_k_field_lines_params k)
{
    FFT_STAGES
}

// Element i of the group's, in the order of local memory or in that of the other memory.
PD_FN field_line field_line_of(pd_u32 first, pd_u32 line, pd_u32 outer,
                               const padic_k_field_lines_params k)
{
    field_line at;
    at.line = first + line;
    at.outer = outer;
    at.there = at.line < k.all;
    return at;
}

// before, after: whether there is a transform before what happens between, and after it.
PD_FN void field_lines(PD_GPTR(const fft_real) tables, PD_GPTR(field_word) psi,
                       PD_LPTR(fft_real) re, PD_LPTR(fft_real) im, pd_u32 base, pd_u32 first,
                       pd_u32 outer, pd_u32 before, pd_u32 after,
                       const padic_k_field_lines_params k)
{
    const pd_u32 count = k.n * k.lines, by = (k.flags & FIELD_ORDERED) ? k.n : k.lines;
    const pd_u32 back = before && k.first == FIELD_INVERSE;
    const pd_u32 back_again = after && k.second == FIELD_INVERSE;
    for (pd_u32 i = PD_LID; i < count; i += PD_FFT_WG) {
        const pd_u32 high = i / by, low = i - high * by;
        const pd_u32 line = (k.flags & FIELD_ORDERED) ? high : low;
        const pd_u32 element = (k.flags & FIELD_ORDERED) ? low : high;
        const field_line at = field_line_of(first, line, outer, k);
        const fft_pair x = field_exchange(field_load(psi, base, element, at, k), back);
        re[element * k.lines + line] = x.re;
        im[element * k.lines + line] = x.im;
    }
    PD_BARRIER();
    if (before) field_transform(re, im, tables + k.roots, k);
    for (pd_u32 i = PD_LID; i < count; i += PD_FFT_WG) {
        const pd_u32 element = i / k.lines;
        const field_line at = field_line_of(first, i - element * k.lines, outer, k);
        const fft_pair old = field_exchange(fft_pair_of(re[i], im[i]), back);
        const fft_pair x = field_exchange(field_between(tables, element, at, old, k), back_again);
        re[i] = x.re;
        im[i] = x.im;
    }
    PD_BARRIER();
    if (after) field_transform(re, im, tables + k.roots, k);
    for (pd_u32 i = PD_LID; i < count; i += PD_FFT_WG) {
        const pd_u32 high = i / by, low = i - high * by;
        const pd_u32 line = (k.flags & FIELD_ORDERED) ? high : low;
        const pd_u32 element = (k.flags & FIELD_ORDERED) ? low : high;
        const pd_u32 place = element * k.lines + line;
        field_store(psi, base, element, field_line_of(first, line, outer, k),
                    field_exchange(fft_pair_of(re[place], im[place]), back_again), k);
    }
}

PD_KERNEL_MIN(padic_k_field_none, PD_FFT_WG, 2)
(PD_CBUF(fft_real, tables), PD_BUF(field_word, psi), PD_PARAMS(padic_k_field_lines_params, k))
{
    PD_LOCAL fft_real re[FFT_POINTS];
    PD_LOCAL fft_real im[FFT_POINTS];
    FIELD_PLACE
    field_lines(tables, psi, re, im, base, first, outer, 0u, 0u, k);
}

PD_KERNEL_MIN(padic_k_field_first, PD_FFT_WG, 2)
(PD_CBUF(fft_real, tables), PD_BUF(field_word, psi), PD_PARAMS(padic_k_field_lines_params, k))
{
    PD_LOCAL fft_real re[FFT_POINTS];
    PD_LOCAL fft_real im[FFT_POINTS];
    FIELD_PLACE
    field_lines(tables, psi, re, im, base, first, outer, 1u, 0u, k);
}

PD_KERNEL_MIN(padic_k_field_second, PD_FFT_WG, 2)
(PD_CBUF(fft_real, tables), PD_BUF(field_word, psi), PD_PARAMS(padic_k_field_lines_params, k))
{
    PD_LOCAL fft_real re[FFT_POINTS];
    PD_LOCAL fft_real im[FFT_POINTS];
    FIELD_PLACE
    field_lines(tables, psi, re, im, base, first, outer, 0u, 1u, k);
}

PD_KERNEL_MIN(padic_k_field_both, PD_FFT_WG, 2)
(PD_CBUF(fft_real, tables), PD_BUF(field_word, psi), PD_PARAMS(padic_k_field_lines_params, k))
{
    PD_LOCAL fft_real re[FFT_POINTS];
    PD_LOCAL fft_real im[FFT_POINTS];
    FIELD_PLACE
    field_lines(tables, psi, re, im, base, first, outer, 1u, 1u, k);
}
