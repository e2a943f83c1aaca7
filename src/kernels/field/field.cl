// program: field
// texts: ../fft/pair.cl ../fft/butterfly.cl ../fft/stages.cl
// texts: number.cl exponent.cl local.cl element.cl
// field.cl: lines of a field through one or two transforms, with what happens between them.
//
// A group takes a few lines along one axis into local memory, neighbours along another (the side).
// It transforms them or not, multiplies each element, transforms them or not, and writes them. The
// element's factor is the phase of the potential and the interaction, or that of the axis's own
// k^2. The inverse transform is the forward one, parts exchanged.
//
// `around` does {forward, k^2, inverse}, the potential, {forward, k^2, inverse} to each line. The
// phases of k^2 along different axes commute, so a split step of D axes begins with the axis that
// the step before ended with and ends with another one, and goes max(1, D - 1) times over memory.
//
// variant: PD_FIELD_PLANAR=1
// variant: PD_FIELD_SWIRL=1 PD_FIELD_POWERS=1
// variant: PD_FIELD_RECORDS=1 PD_FIELD_COPIES=1

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

// back: the parts are exchanged.
PD_FN void field_read(PD_GPTR(const field_word) psi, PD_LPTR(fft_real) re, PD_LPTR(fft_real) im,
                      pd_u32 back, pd_u32 base, pd_u32 first, pd_u32 outer,
                      const padic_k_field_lines_params k)
{
    const pd_u32 by = (k.flags & FIELD_ORDERED) ? k.n : k.lines;
    for (pd_u32 i = PD_LID; i < k.n * k.lines; i += PD_FFT_WG) {
        const pd_u32 high = i / by, low = i - high * by;
        const pd_u32 line = (k.flags & FIELD_ORDERED) ? high : low;
        const pd_u32 element = (k.flags & FIELD_ORDERED) ? low : high;
        const field_line at = field_line_of(first, line, outer, k);
        const fft_pair x = field_exchange(field_load(psi, base, element, at, k), back);
        re[element * k.lines + line] = x.re;
        im[element * k.lines + line] = x.im;
    }
}

PD_FN void field_middle(PD_GPTR(const fft_real) tables, PD_LPTR(fft_real) re,
                        PD_LPTR(fft_real) im, pd_u32 back, pd_u32 back_again, pd_u32 first,
                        pd_u32 outer, pd_u32 field, const padic_k_field_lines_params k)
{
    for (pd_u32 i = PD_LID; i < k.n * k.lines; i += PD_FFT_WG) {
        const pd_u32 element = i / k.lines;
        const field_line at = field_line_of(first, i - element * k.lines, outer, k);
        const fft_pair old = field_exchange(fft_pair_of(re[i], im[i]), back);
        const fft_pair x = field_exchange(field_between(tables, element, at, field, old, k),
                                          back_again);
        re[i] = x.re;
        im[i] = x.im;
    }
}

PD_FN void field_write(PD_GPTR(field_word) to, PD_LPTR(fft_real) re, PD_LPTR(fft_real) im,
                       pd_u32 back, const field_way w, pd_u32 first, pd_u32 outer,
                       const padic_k_field_lines_params k)
{
    const pd_u32 by = (k.flags & FIELD_ORDERED) ? k.n : k.lines;
    for (pd_u32 i = PD_LID; i < k.n * k.lines; i += PD_FFT_WG) {
        const pd_u32 high = i / by, low = i - high * by;
        const pd_u32 line = (k.flags & FIELD_ORDERED) ? high : low;
        const pd_u32 element = (k.flags & FIELD_ORDERED) ? low : high;
        const pd_u32 place = element * k.lines + line;
        field_store(to, w, element, field_line_of(first, line, outer, k),
                    field_exchange(fft_pair_of(re[place], im[place]), back));
    }
}

// Each element times its own factor, its parts exchanged.
PD_FN void field_own(PD_GPTR(const fft_real) own, PD_LPTR(fft_real) re, PD_LPTR(fft_real) im,
                     const padic_k_field_lines_params k)
{
    for (pd_u32 i = PD_LID; i < k.n * k.lines; i += PD_FFT_WG) {
        const fft_pair x = fft_mul(fft_pair_of(re[i], im[i]), fft_table(own, i / k.lines));
        re[i] = x.im;
        im[i] = x.re;
    }
}

PD_KERNEL_MIN(padic_k_field_none, PD_FFT_WG, 2)
(PD_CBUF(fft_real, tables), PD_BUF(field_word, psi), PD_BUF(field_word, to),
 PD_PARAMS(padic_k_field_lines_params, k))
{
    PD_LOCAL fft_real re[FFT_POINTS];
    PD_LOCAL fft_real im[FFT_POINTS];
    FIELD_PLACE
    field_read(psi, re, im, 0u, base, first, outer, k);
    PD_BARRIER();
    field_middle(tables, re, im, 0u, 0u, first, outer, field, k);
    PD_BARRIER();
    field_write(FIELD_TO, re, im, 0u, way, goes, outer, k);
}

PD_KERNEL_MIN(padic_k_field_first, PD_FFT_WG, 2)
(PD_CBUF(fft_real, tables), PD_BUF(field_word, psi), PD_BUF(field_word, to),
 PD_PARAMS(padic_k_field_lines_params, k))
{
    PD_LOCAL fft_real re[FFT_POINTS];
    PD_LOCAL fft_real im[FFT_POINTS];
    PD_GPTR(const fft_real) roots = tables + k.roots;
    FIELD_PLACE
    field_read(psi, re, im, k.first == FIELD_INVERSE, base, first, outer, k);
    PD_BARRIER();
    {
        FFT_STAGES
    }
    field_middle(tables, re, im, k.first == FIELD_INVERSE, 0u, first, outer, field, k);
    PD_BARRIER();
    field_write(FIELD_TO, re, im, 0u, way, goes, outer, k);
}

PD_KERNEL_MIN(padic_k_field_second, PD_FFT_WG, 2)
(PD_CBUF(fft_real, tables), PD_BUF(field_word, psi), PD_BUF(field_word, to),
 PD_PARAMS(padic_k_field_lines_params, k))
{
    PD_LOCAL fft_real re[FFT_POINTS];
    PD_LOCAL fft_real im[FFT_POINTS];
    PD_GPTR(const fft_real) roots = tables + k.roots;
    FIELD_PLACE
    field_read(psi, re, im, 0u, base, first, outer, k);
    PD_BARRIER();
    field_middle(tables, re, im, 0u, k.second == FIELD_INVERSE, first, outer, field,
                 k);
    PD_BARRIER();
    {
        FFT_STAGES
    }
    field_write(FIELD_TO, re, im, k.second == FIELD_INVERSE, way, goes, outer, k);
}

PD_KERNEL_MIN(padic_k_field_both, PD_FFT_WG, 2)
(PD_CBUF(fft_real, tables), PD_BUF(field_word, psi), PD_BUF(field_word, to),
 PD_PARAMS(padic_k_field_lines_params, k))
{
    PD_LOCAL fft_real re[FFT_POINTS];
    PD_LOCAL fft_real im[FFT_POINTS];
    PD_GPTR(const fft_real) roots = tables + k.roots;
    FIELD_PLACE
    field_read(psi, re, im, k.first == FIELD_INVERSE, base, first, outer, k);
    PD_BARRIER();
    {
        FFT_STAGES
    }
    field_middle(tables, re, im, k.first == FIELD_INVERSE, k.second == FIELD_INVERSE, first,
                 outer, field, k);
    PD_BARRIER();
    {
        FFT_STAGES
    }
    field_write(FIELD_TO, re, im, k.second == FIELD_INVERSE, way, goes, outer, k);
}

PD_KERNEL_MIN(padic_k_field_around, PD_FFT_WG, 2)
(PD_CBUF(fft_real, tables), PD_BUF(field_word, psi), PD_BUF(field_word, to),
 PD_PARAMS(padic_k_field_lines_params, k))
{
    PD_LOCAL fft_real re[FFT_POINTS];
    PD_LOCAL fft_real im[FFT_POINTS];
    PD_GPTR(const fft_real) roots = tables + k.roots;
    FIELD_PLACE
    field_read(psi, re, im, 0u, base, first, outer, k);
    for (pd_u32 part = 0u; part < 1u + (k.after > 0u); part++) {
        const pd_u32 own = part ? k.after : k.before;
        PD_BARRIER();
        if (own) {
            {
                FFT_STAGES
            }
            field_own(tables + own, re, im, k);
            PD_BARRIER();
            {
                FFT_STAGES
            }
        }
        if (!part) field_middle(tables, re, im, own > 0u, 0u, first, outer, field, k);
    }
    PD_BARRIER();
    field_write(FIELD_TO, re, im, k.after > 0u, way, goes, outer, k);
}
