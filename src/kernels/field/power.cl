// program: field_power
// texts: ../fft/butterfly.cl ../fft/power.cl number.cl element.cl
// power.cl: lines of a field as in field.cl, of a power of two: they stay in registers from being
// read to being written (fft/power.cl). The second transform takes the radices of the first in
// turn, so that it begins with the elements that an item has then.
//
// variant: PD_FFT_LOG=6 PD_FFT_WG=64
// variant: PD_FFT_LOG=7 PD_FFT_ACROSS=3
// variant: PD_FFT_LOG=8 PD_FIELD_PLANAR=1
// variant: PD_FFT_LOG=10 PD_FFT_WG=256 PD_FFT_ACROSS=3
// variant: PD_FFT_LOG=9 PD_FFT_ACROSS=3
// variant: PD_FFT_LOG=11 PD_FIELD_POWERS=1
// variant: PD_FFT_LOG=6 PD_FIELD_ABSORBER=1
#define FIELD_ACROSS POWER_ACROSS_FROM
#if PD_FFT_LOG < 9 // the last radix of a transform, and the passes of one that begins with it
#define FIELD_END POWER_SECOND
#define FIELD_BACK POWER_SECOND, POWER_FIRST, 0u
#else
#define FIELD_END POWER_LAST
#define FIELD_BACK POWER_LAST, POWER_SECOND, POWER_FIRST
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

// Forward, or the other way by exchanging the parts.
PD_FN void field_transform(PD_LPTR(fft_real) held, fft_real *re, fft_real *im,
                           PD_GPTR(const fft_real) roots, pd_u32 inverse, pd_u32 a, pd_u32 b,
                           pd_u32 c)
{
    FFT_UNROLL
    for (pd_u32 i = 0u; i < POWER_EACH; i++) {
        const fft_real x = re[i], y = im[i];
        re[i] = inverse ? y : x;
        im[i] = inverse ? x : y;
    }
    power_transform(held, re, im, roots, a, b, c, FIELD_ACROSS, FIELD_ACROSS);
    FFT_UNROLL
    for (pd_u32 i = 0u; i < POWER_EACH; i++) {
        const fft_real x = re[i], y = im[i];
        re[i] = inverse ? y : x;
        im[i] = inverse ? x : y;
    }
}

// before, after: whether there is a transform before what happens between, and after it.
PD_FN void field_lines(PD_GPTR(const fft_real) tables, PD_GPTR(field_word) psi,
                       PD_LPTR(fft_real) held, pd_u32 base, pd_u32 first, pd_u32 outer,
                       pd_u32 before, pd_u32 after, const padic_k_field_lines_params k)
{
    const pd_u32 middle = before ? FIELD_END : POWER_FIRST;
    const pd_u32 last = before == after ? POWER_FIRST : FIELD_END;
    fft_real re[POWER_EACH], im[POWER_EACH];
    FFT_UNROLL
    for (pd_u32 i = 0u; i < POWER_EACH; i++) {
        const fft_pair x = field_load(psi, base, field_element(i, POWER_FIRST),
                                        field_line_of(i, POWER_FIRST, first, outer, k), k);
        re[i] = x.re;
        im[i] = x.im;
    }
    if (before)
        field_transform(held, re, im, tables + k.roots, k.first == FIELD_INVERSE, POWER_FIRST,
                        POWER_SECOND, POWER_LAST);
    FFT_UNROLL
    for (pd_u32 i = 0u; i < POWER_EACH; i++) {
        const fft_pair x = field_between(tables, field_element(i, middle),
                                           field_line_of(i, middle, first, outer, k),
                                           fft_pair_of(re[i], im[i]), k);
        re[i] = x.re;
        im[i] = x.im;
    }
    if (before && after) {
        PD_BARRIER();
        field_transform(held, re, im, tables + k.roots, k.second == FIELD_INVERSE, FIELD_BACK);
    } else if (after) {
        field_transform(held, re, im, tables + k.roots, k.second == FIELD_INVERSE, POWER_FIRST,
                        POWER_SECOND, POWER_LAST);
    }
    FFT_UNROLL
    for (pd_u32 i = 0u; i < POWER_EACH; i++)
        field_store(psi, base, field_element(i, last),
                    field_line_of(i, last, first, outer, k), fft_pair_of(re[i], im[i]), k);
}

PD_KERNEL_MIN(padic_k_field_power_none, PD_FFT_WG, 2)
(PD_CBUF(fft_real, tables), PD_BUF(field_word, psi), PD_PARAMS(padic_k_field_lines_params, k))
{
    PD_LOCAL fft_real held[POWER_PARTS * POWER_ALL];
    FIELD_PLACE
    field_lines(tables, psi, held, base, first, outer, 0u, 0u, k);
}

PD_KERNEL_MIN(padic_k_field_power_first, PD_FFT_WG, 2)
(PD_CBUF(fft_real, tables), PD_BUF(field_word, psi), PD_PARAMS(padic_k_field_lines_params, k))
{
    PD_LOCAL fft_real held[POWER_PARTS * POWER_ALL];
    FIELD_PLACE
    field_lines(tables, psi, held, base, first, outer, 1u, 0u, k);
}

PD_KERNEL_MIN(padic_k_field_power_second, PD_FFT_WG, 2)
(PD_CBUF(fft_real, tables), PD_BUF(field_word, psi), PD_PARAMS(padic_k_field_lines_params, k))
{
    PD_LOCAL fft_real held[POWER_PARTS * POWER_ALL];
    FIELD_PLACE
    field_lines(tables, psi, held, base, first, outer, 0u, 1u, k);
}

PD_KERNEL_MIN(padic_k_field_power_both, PD_FFT_WG, 2)
(PD_CBUF(fft_real, tables), PD_BUF(field_word, psi), PD_PARAMS(padic_k_field_lines_params, k))
{
    PD_LOCAL fft_real held[POWER_PARTS * POWER_ALL];
    FIELD_PLACE
    field_lines(tables, psi, held, base, first, outer, 1u, 1u, k);
}
