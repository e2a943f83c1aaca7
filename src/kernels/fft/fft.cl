// program: fft
// texts: butterfly.cl lines.cl
// fft.cl: discrete Fourier transforms of lines, several in local memory at a time.
//
// A line of n elements is transformed in Stockham's order: a pass of radix R over `rest` and `done`
// with n = R rest done does, for p < rest and q < done,
//
//     y[(R p + k) done + q] = w^(p k) sum_j x[(p + rest j) done + q] exp(-2 pi i j k / R)
//
// with w = exp(-2 pi i / (R rest)). L lines side by side, element j of line l at j L + l, are one
// line whose first pass has done = L. What is longer than local memory is a matrix: its columns,
// times twiddles, then its rows (Cooley and Tukey); other lengths are convolutions (Bluestein).
// Both are launches of this kernel, which differ in how elements are numbered and multiplied.
//
// variant: PD_FFT_WG=128
#ifndef PD_FFT_WG
#define PD_FFT_WG 256 // 128 for f64
#endif
#define FFT_POINTS (8u * PD_FFT_WG) // elements in local memory: 16 KiB
#define FFT_HELD 14u                // elements that an item has in a pass, at most

// An item's share of a pass: up to so many butterflies.
#define FFT_ROUNDS(R) ((FFT_POINTS / (R) + PD_FFT_WG - 1u) / PD_FFT_WG)

#define FFT_TAKE(R)                                                                             \
    FFT_UNROLL                                                                                  \
    for (pd_u32 round = 0u; round < FFT_ROUNDS(R); round++) {                                   \
        const pd_u32 b = PD_LID + round * PD_FFT_WG;                                            \
        if (b < flies) {                                                                        \
            FFT_UNROLL                                                                          \
            for (pd_u32 j = 0u; j < (R); j++) {                                                 \
                xr[round * (R) + j] = re[b + j * flies];                                        \
                xi[round * (R) + j] = im[b + j * flies];                                        \
            }                                                                                   \
        }                                                                                       \
    }

#define FFT_PUT(R)                                                                              \
    FFT_UNROLL                                                                                  \
    for (pd_u32 round = 0u; round < FFT_ROUNDS(R); round++) {                                   \
        const pd_u32 b = PD_LID + round * PD_FFT_WG, p = b / done, q = b - p * done;            \
        if (b < flies) {                                                                        \
            fft_small(xr + round * (R), xi + round * (R), R);                                   \
            FFT_UNROLL                                                                          \
            for (pd_u32 j = 0u; j < (R); j++) {                                                 \
                fft_pair x = fft_pair_of(xr[round * (R) + j], xi[round * (R) + j]);             \
                if (j) x = fft_mul(x, fft_table(tables, k.roots + p * j * turns));              \
                re[(p * (R) + j) * done + q] = x.re;                                            \
                im[(p * (R) + j) * done + q] = x.im;                                            \
            }                                                                                   \
        }                                                                                       \
    }

#define FFT_EACH_RADIX(X)     \
    if (radix == 8u) {        \
        X(8u)                 \
    } else if (radix == 4u) { \
        X(4u)                 \
    } else if (radix == 2u) { \
        X(2u)                 \
    } else if (radix == 3u) { \
        X(3u)                 \
    } else if (radix == 5u) { \
        X(5u)                 \
    } else {                  \
        X(7u)                 \
    }

// `to` may be the memory of `from`: a group reads its lines before it writes them.
PD_KERNEL_WG(padic_k_fft_lines, PD_FFT_WG)
(PD_CBUF(fft_real, from), PD_CBUF(fft_real, tables), PD_BUF(fft_real, to),
 PD_PARAMS(padic_k_fft_lines_params, k))
{
    PD_LOCAL fft_real re[FFT_POINTS];
    PD_LOCAL fft_real im[FFT_POINTS];
    fft_real xr[FFT_HELD], xi[FFT_HELD];
    const pd_u32 count = k.n * k.lines, first = PD_GRP % k.blocks * k.lines;
    pd_u32 left = PD_GRP / k.blocks, from_base = k.from_base, to_base = k.to_base;
    pd_u32 done = k.lines, turns = 1u;
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
    for (pd_u32 stage = 0u; stage < k.stages; stage++) {
        const pd_u32 radix = k.radices >> (4u * stage) & 15u, flies = count / radix;
        FFT_EACH_RADIX(FFT_TAKE)
        PD_BARRIER();
        FFT_EACH_RADIX(FFT_PUT)
        PD_BARRIER();
        done *= radix;
        turns *= radix;
    }
    for (pd_u32 i = PD_LID; i < count; i += PD_FFT_WG) {
        const pd_u32 by = (k.to_flags & FFT_LINES) ? k.n : k.lines, high = i / by;
        const pd_u32 low = i - high * by;
        const pd_u32 line = (k.to_flags & FFT_LINES) ? high : low;
        const pd_u32 element = (k.to_flags & FFT_LINES) ? low : high;
        const fft_pair x = fft_pair_of(re[element * k.lines + line], im[element * k.lines + line]);
        fft_store(to, tables, to_base, first + line, element, x, k);
    }
}
