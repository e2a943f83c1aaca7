// program: fft_power
// texts: pair.cl butterfly.cl lines.cl power.cl
// fft_power.cl: discrete Fourier transforms of lines of a power of two, by power.cl.
//
// variant: PD_FFT_LOG=5 PD_FFT_WG=64 PD_FFT_ACROSS=3
// variant: PD_FFT_LOG=6 PD_FFT_WG=256
// variant: PD_FFT_LOG=7 PD_FFT_ACROSS=2
// variant: PD_FFT_LOG=8 PD_FFT_WG=64 PD_FFT_ACROSS=3
// variant: PD_FFT_LOG=10 PD_FFT_WG=256 PD_FFT_ACROSS=3
// variant: PD_FFT_LOG=11 PD_FFT_ACROSS=1
PD_FN void power_load(PD_GPTR(const fft_real) from, fft_real *re, fft_real *im, pd_u32 base,
                      pd_u32 first, const padic_k_fft_lines_params k)
{
    const pd_u32 step = k.from_mul * k.from_step;
    FFT_UNROLL
    for (pd_u32 i = 0u; i < POWER_EACH; i++) {
        const pd_u32 b = PD_LID + (i >> POWER_FIRST) * PD_FFT_WG;
        const pd_u32 j = i & ((1u << POWER_FIRST) - 1u);
        const pd_u32 line = first + power_line(b, POWER_FIRST, POWER_ACROSS_FROM);
        const pd_u32 t = power_number(b, POWER_FIRST, POWER_ACROSS_FROM);
        const pd_u32 at = base + line * (k.from_add * k.from_step + k.from_line) + t * step +
                          (j << (PD_FFT_LOG - POWER_FIRST)) * step;
        fft_pair x = fft_pair_of(FFT_ZERO, FFT_ZERO);
        if (line < k.all) FFT_LOAD_TWO(x.re, x.im, from + at);
        re[i] = (k.from_flags & FFT_SWAP) ? x.im : x.re;
        im[i] = (k.from_flags & FFT_SWAP) ? x.re : x.im;
    }
}

PD_FN void power_store(PD_GPTR(fft_real) to, PD_GPTR(const fft_real) tables, const fft_real *re,
                       const fft_real *im, pd_u32 base, pd_u32 first,
                       const padic_k_fft_lines_params k)
{
    const pd_u32 log = POWER_LAST ? POWER_LAST : POWER_SECOND, step = k.to_mul * k.to_step;
    const fft_real scale = fft_scale(k);
    FFT_UNROLL
    for (pd_u32 i = 0u; i < POWER_EACH; i++) {
        const pd_u32 b = PD_LID + (i >> log) * PD_FFT_WG, j = i & ((1u << log) - 1u);
        const pd_u32 line = first + power_line(b, log, POWER_ACROSS_TO);
        const pd_u32 t = power_number(b, log, POWER_ACROSS_TO);
        const pd_u32 element = t + (j << (PD_FFT_LOG - log));
        const pd_u32 at = base + line * (k.to_add * k.to_step + k.to_line) + element * step;
        fft_pair x = fft_pair_of(re[i] * scale, im[i] * scale);
        if (line < k.all) {
            if (k.to_flags & FFT_TWIST) x = fft_twist(x, tables, line * element, k);
            if (k.to_flags & FFT_SWAP) x = fft_pair_of(x.im, x.re);
            FFT_STORE_TWO(to + at, x.re, x.im);
        }
    }
}

// `to` may be the memory of `from`: a group reads its lines before it writes them.
PD_KERNEL_WG(padic_k_fft_power_lines, PD_FFT_WG)
(PD_CBUF(fft_real, from), PD_CBUF(fft_real, tables), PD_BUF(fft_real, to),
 PD_PARAMS(padic_k_fft_lines_params, k))
{
    PD_LOCAL fft_real held[POWER_PARTS * POWER_ALL];
    fft_real xr[POWER_EACH], xi[POWER_EACH];
    const pd_u32 first = PD_GRP % k.blocks * k.lines;
    pd_u32 left = PD_GRP / k.blocks, from_base = k.from_base, to_base = k.to_base;
    FFT_OTHER_AXES
    power_load(from, xr, xi, from_base, first, k);
    POWER_TRANSFORM(tables + 2u * k.roots, POWER_FIRST, POWER_SECOND, POWER_LAST,
                    POWER_ACROSS_FROM, POWER_ACROSS_TO)
    power_store(to, tables, xr, xi, to_base, first, k);
}
