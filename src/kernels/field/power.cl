// program: field_power
// texts: ../fft/pair.cl ../fft/butterfly.cl ../fft/power.cl
// texts: number.cl exponent.cl local.cl element.cl
// power.cl: lines of a field as in field.cl, of a power of two: they stay in registers from being
// read to being written (fft/power.cl). The second transform takes the radices of the first in
// turn, so that it begins with the elements that an item has then.
//
// variant: PD_FFT_LOG=6 PD_FFT_WG=64
// variant: PD_FFT_LOG=7 PD_FFT_ACROSS=3
// variant: PD_FFT_LOG=8 PD_FIELD_PLANAR=1
// variant: PD_FFT_LOG=10 PD_FFT_WG=256 PD_FFT_ACROSS=3
// variant: PD_FFT_LOG=9 PD_FFT_WG=128 PD_FFT_ACROSS=3
// variant: PD_FFT_LOG=11 PD_FIELD_POWERS=1
// variant: PD_FFT_LOG=6 PD_FIELD_ABSORBER=1
// variant: PD_FFT_LOG=9 PD_FIELD_SWIRL=1
// variant: PD_FFT_LOG=8 PD_FIELD_RECORDS=1 PD_FIELD_COPIES=1

// Groups that a processor is to hold at a time: on NVIDIA's older ones fewer, or registers spill.
#if PD_IS_CUDA && __CUDA_ARCH__ < 800
#define FIELD_LEAST (PD_FFT_F64 ? 2u : 384u / PD_FFT_WG)
#else
#define FIELD_LEAST (PD_FFT_F64 ? 2u : 512u / PD_FFT_WG)
#endif
#define FIELD_ACROSS POWER_ACROSS_FROM
#define FIELD_AHEAD                                                               \
    POWER_TRANSFORM(roots, POWER_FIRST, POWER_SECOND, POWER_LAST, FIELD_ACROSS, FIELD_ACROSS)
#if PD_FFT_LOG < 9 // the last radix of a transform, and one that begins with it
#define FIELD_END POWER_SECOND
#define FIELD_BACK POWER_TRANSFORM(roots, POWER_SECOND, POWER_FIRST, 0u, FIELD_ACROSS, FIELD_ACROSS)
#else
#define FIELD_END POWER_LAST
#define FIELD_BACK                                                                \
    POWER_TRANSFORM(roots, POWER_LAST, POWER_SECOND, POWER_FIRST, FIELD_ACROSS, FIELD_ACROSS)
#endif

// Element i of an item, before a pass of radix 2^log or after the last one: its line, its number.
PD_FN field_line field_line_of(pd_u32 i, pd_u32 log, pd_u32 first, pd_u32 outer,
                               const padic_k_field_lines_params k)
{
    field_line at;
    at.line = first + power_line(PD_LID + (i >> log) * PD_FFT_WG, log, FIELD_ACROSS);
    at.outer = outer;
    at.there = at.line < k.all;
    return at;
}

PD_FN pd_u32 field_element(pd_u32 i, pd_u32 log)
{
    return power_number(PD_LID + (i >> log) * PD_FFT_WG, log, FIELD_ACROSS) +
           ((i & ((1u << log) - 1u)) << (PD_FFT_LOG - log));
}

// back: the parts are exchanged; log: of the radix of the pass before or after.
PD_FN void field_read(PD_GPTR(const field_word) psi, fft_real *xr, fft_real *xi, pd_u32 back,
                      pd_u32 base, pd_u32 first, pd_u32 outer, const padic_k_field_lines_params k)
{
    FFT_UNROLL
    for (pd_u32 i = 0u; i < POWER_EACH; i++) {
        const field_line at = field_line_of(i, POWER_FIRST, first, outer, k);
        const fft_pair x = field_load(psi, base, field_element(i, POWER_FIRST), at, k);
        xr[i] = back ? x.im : x.re;
        xi[i] = back ? x.re : x.im;
    }
}

// The phase of U, as field_phase gives it, of elements of an item from i on, read at once.
#define FIELD_PHASES 4u
PD_FN void field_phases(PD_GPTR(const fft_real) tables, fft_real *xr, fft_real *xi, pd_u32 back,
                        pd_u32 back_again, pd_u32 log, pd_u32 i, pd_u32 first, pd_u32 outer,
                        const padic_k_field_lines_params k)
{
    const fft_real rate = FIELD_REAL(k.rate), third = tables[k.third + outer];
    fft_real u[FIELD_PHASES];
    FFT_UNROLL
    for (pd_u32 j = 0u; j < FIELD_PHASES; j++) {
        const field_line at = field_line_of(i + j, log, first, outer, k);
        const pd_u32 of = (i + j) & ((1u << log) - 1u); // of a butterfly
        PD_GPTR(const fft_real) own = tables + k.own + field_element(i + j - of, log);
        u[j] = third + tables[k.side + (at.there ? at.line : 0u)] + own[of << (PD_FFT_LOG - log)];
    }
    if (k.grid_element) {
        FFT_UNROLL
        for (pd_u32 j = 0u; j < FIELD_PHASES; j++) {
            const field_line at = field_line_of(i + j, log, first, outer, k);
            const pd_u32 grid = field_grid(field_element(i + j, log), at, k);
            u[j] += tables[k.potential + (at.there ? grid : 0u)];
        }
    }
    for (pd_u32 left = k.powers, term = k.terms; left > 0u; left >>= 4u, term += 2u) {
        const fft_real g = tables[term], exponent = tables[term + 1u];
        FFT_UNROLL
        for (pd_u32 j = 0u; j < FIELD_PHASES; j++) {
            const fft_real density = xr[i + j] * xr[i + j] + xi[i + j] * xi[i + j];
            u[j] += g * field_power(density, (left & 15u) - 1u, exponent);
        }
    }
    FFT_UNROLL
    for (pd_u32 j = 0u; j < FIELD_PHASES; j++) {
        const fft_pair old = field_exchange(fft_pair_of(xr[i + j], xi[i + j]), back);
        const fft_pair x = field_exchange(fft_mul(old, field_turn(u[j] * rate)), back_again);
        xr[i + j] = x.re;
        xi[i + j] = x.im;
    }
}

PD_FN void field_middle(PD_GPTR(const fft_real) tables, fft_real *xr, fft_real *xi, pd_u32 back,
                        pd_u32 back_again, pd_u32 log, pd_u32 first, pd_u32 outer,
                        pd_u32 field, const padic_k_field_lines_params k)
{
#if !PD_FIELD_ABSORBER
    if (k.middle == FIELD_PHASE) {
        FFT_UNROLL
        for (pd_u32 i = 0u; i < POWER_EACH; i += FIELD_PHASES)
            field_phases(tables, xr, xi, back, back_again, log, i, first, outer, k);
        return;
    }
#endif
    FFT_UNROLL
    for (pd_u32 i = 0u; i < POWER_EACH; i++) {
        const field_line at = field_line_of(i, log, first, outer, k);
        const fft_pair old = field_exchange(fft_pair_of(xr[i], xi[i]), back);
        const fft_pair x = field_between(tables, field_element(i, log), at, field, old, k);
        xr[i] = back_again ? x.im : x.re;
        xi[i] = back_again ? x.re : x.im;
    }
}

PD_FN void field_write(PD_GPTR(field_word) to, const fft_real *xr, const fft_real *xi,
                       pd_u32 back, pd_u32 log, const field_way w, pd_u32 first, pd_u32 outer,
                       const padic_k_field_lines_params k)
{
    FFT_UNROLL
    for (pd_u32 i = 0u; i < POWER_EACH; i++)
        field_store(to, w, field_element(i, log), field_line_of(i, log, first, outer, k),
                    field_exchange(fft_pair_of(xr[i], xi[i]), back));
}

// Each element times its own factor, its parts exchanged.
PD_FN void field_own(PD_GPTR(const fft_real) own, fft_real *xr, fft_real *xi)
{
    FFT_UNROLL
    for (pd_u32 i = 0u; i < POWER_EACH; i++) {
        const fft_pair factor = fft_table(own, field_element(i, FIELD_END));
        const fft_pair x = fft_mul(fft_pair_of(xr[i], xi[i]), factor);
        xr[i] = x.im;
        xi[i] = x.re;
    }
}

PD_KERNEL_MIN(padic_k_field_power_none, PD_FFT_WG, FIELD_LEAST)
(PD_CBUF(fft_real, tables), PD_BUF(field_word, psi), PD_BUF(field_word, to),
 PD_PARAMS(padic_k_field_lines_params, k))
{
    fft_real xr[POWER_EACH], xi[POWER_EACH];
    FIELD_PLACE
    field_read(psi, xr, xi, 0u, base, first, outer, k);
    field_middle(tables, xr, xi, 0u, 0u, POWER_FIRST, first, outer, field, k);
    field_write(FIELD_TO, xr, xi, 0u, POWER_FIRST, way, goes, outer, k);
}

PD_KERNEL_MIN(padic_k_field_power_first, PD_FFT_WG, FIELD_LEAST)
(PD_CBUF(fft_real, tables), PD_BUF(field_word, psi), PD_BUF(field_word, to),
 PD_PARAMS(padic_k_field_lines_params, k))
{
    PD_LOCAL fft_real held[POWER_PARTS * POWER_ALL];
    fft_real xr[POWER_EACH], xi[POWER_EACH];
    PD_GPTR(const fft_real) roots = tables + k.roots;
    FIELD_PLACE
    field_read(psi, xr, xi, k.first == FIELD_INVERSE, base, first, outer, k);
    FIELD_AHEAD
    field_middle(tables, xr, xi, k.first == FIELD_INVERSE, 0u, FIELD_END, first, outer, field, k);
    field_write(FIELD_TO, xr, xi, 0u, FIELD_END, way, goes, outer, k);
}

PD_KERNEL_MIN(padic_k_field_power_second, PD_FFT_WG, FIELD_LEAST)
(PD_CBUF(fft_real, tables), PD_BUF(field_word, psi), PD_BUF(field_word, to),
 PD_PARAMS(padic_k_field_lines_params, k))
{
    PD_LOCAL fft_real held[POWER_PARTS * POWER_ALL];
    fft_real xr[POWER_EACH], xi[POWER_EACH];
    PD_GPTR(const fft_real) roots = tables + k.roots;
    FIELD_PLACE
    field_read(psi, xr, xi, 0u, base, first, outer, k);
    field_middle(tables, xr, xi, 0u, k.second == FIELD_INVERSE, POWER_FIRST, first, outer, field,
                 k);
    FIELD_AHEAD
    field_write(FIELD_TO, xr, xi, k.second == FIELD_INVERSE, FIELD_END, way, goes, outer, k);
}

PD_KERNEL_MIN(padic_k_field_power_both, PD_FFT_WG, FIELD_LEAST)
(PD_CBUF(fft_real, tables), PD_BUF(field_word, psi), PD_BUF(field_word, to),
 PD_PARAMS(padic_k_field_lines_params, k))
{
    PD_LOCAL fft_real held[POWER_PARTS * POWER_ALL];
    fft_real xr[POWER_EACH], xi[POWER_EACH];
    PD_GPTR(const fft_real) roots = tables + k.roots;
    FIELD_PLACE
    field_read(psi, xr, xi, k.first == FIELD_INVERSE, base, first, outer, k);
    FIELD_AHEAD
    field_middle(tables, xr, xi, k.first == FIELD_INVERSE, k.second == FIELD_INVERSE, FIELD_END,
                 first, outer, field, k);
    PD_BARRIER();
    FIELD_BACK
    field_write(FIELD_TO, xr, xi, k.second == FIELD_INVERSE, POWER_FIRST, way, goes, outer, k);
}

PD_KERNEL_MIN(padic_k_field_power_around, PD_FFT_WG, FIELD_LEAST)
(PD_CBUF(fft_real, tables), PD_BUF(field_word, psi), PD_BUF(field_word, to),
 PD_PARAMS(padic_k_field_lines_params, k))
{
    PD_LOCAL fft_real held[POWER_PARTS * POWER_ALL];
    fft_real xr[POWER_EACH], xi[POWER_EACH];
    FIELD_PLACE
    field_read(psi, xr, xi, 0u, base, first, outer, k);
    if (k.before) {
        PD_GPTR(const fft_real) roots = tables + k.roots;
        FIELD_AHEAD
        field_own(tables + k.before, xr, xi);
        PD_BARRIER();
        FIELD_BACK
        PD_BARRIER();
    }
    field_middle(tables, xr, xi, k.before > 0u, 0u, POWER_FIRST, first, outer, field, k);
    if (k.after) {
        PD_GPTR(const fft_real) roots = tables + k.roots;
        FIELD_AHEAD
        field_own(tables + k.after, xr, xi);
        PD_BARRIER();
        FIELD_BACK
    }
#if PD_FIELD_COPIES
    if (k.stays) {
        PD_GPTR(const fft_real) roots = tables + k.roots;
        field_write(psi, xr, xi, 0u, POWER_FIRST, FIELD_WAY_BACK, goes, outer, k);
        FIELD_AHEAD
        field_write(FIELD_TO, xr, xi, 0u, FIELD_END, way, goes, outer, k);
        return;
    }
#endif
    field_write(FIELD_TO, xr, xi, k.after > 0u, POWER_FIRST, way, goes, outer, k);
}
