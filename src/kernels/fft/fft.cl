// program: fft
// texts: pair.cl butterfly.cl stages.cl lines.cl
// fft.cl: discrete Fourier transforms of lines, several in local memory at a time.
//
// What is longer than local memory is a matrix: its columns, times twiddles, then its rows (Cooley
// and Tukey); other lengths are convolutions (Bluestein). Both are launches of this kernel, which
// differ in how elements are numbered and multiplied.
//
// variant: PD_FFT_WG=128

// `to` may be the memory of `from`: a group reads its lines before it writes them.
PD_KERNEL_WG(padic_k_fft_lines, PD_FFT_WG)
(PD_CBUF(fft_real, from), PD_CBUF(fft_real, tables), PD_BUF(fft_real, to),
 PD_PARAMS(padic_k_fft_lines_params, k))
{
    PD_LOCAL fft_real re[FFT_POINTS];
    PD_LOCAL fft_real im[FFT_POINTS];
    PD_GPTR(const fft_real) roots = tables + 2u * k.roots;
    const pd_u32 count = k.n * k.lines, first = PD_GRP % k.blocks * k.lines;
    pd_u32 left = PD_GRP / k.blocks, from_base = k.from_base, to_base = k.to_base;
    FFT_OTHER_AXES
    for (pd_u32 i = PD_LID; i < count; i += PD_FFT_WG) {
        const pd_u32 by = (k.from_flags & FFT_LINES) ? k.n : k.lines, high = i / by;
        const pd_u32 low = i - high * by;
        const pd_u32 line = (k.from_flags & FFT_LINES) ? high : low;
        const pd_u32 element = (k.from_flags & FFT_LINES) ? low : high;
        const fft_pair x = fft_load(from, tables, from_base, first + line, element, k);
        re[element * k.lines + line] = x.re;
        im[element * k.lines + line] = x.im;
    }
    PD_BARRIER();
    FFT_STAGES
    for (pd_u32 i = PD_LID; i < count; i += PD_FFT_WG) {
        const pd_u32 by = (k.to_flags & FFT_LINES) ? k.n : k.lines, high = i / by;
        const pd_u32 low = i - high * by;
        const pd_u32 line = (k.to_flags & FFT_LINES) ? high : low;
        const pd_u32 element = (k.to_flags & FFT_LINES) ? low : high;
        const fft_pair x = fft_pair_of(re[element * k.lines + line], im[element * k.lines + line]);
        fft_store(to, tables, to_base, first + line, element, x, k);
    }
}
