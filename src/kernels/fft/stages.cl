// stages.cl: transforms of lines in local memory, of any length 2^a 3^b 5^c 7^d.
//
// A line of n elements is transformed in Stockham's order: a pass of radix R over `rest` and `done`
// with n = R rest done does, for p < rest and q < done,
//
//     y[(R p + k) done + q] = w^(p k) sum_j x[(p + rest j) done + q] exp(-2 pi i j k / R)
//
// with w = exp(-2 pi i / (R rest)). L lines side by side, element j of line l at j L + l, are one
// line whose first pass has done = L.
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
                if (j) x = fft_mul(x, fft_table(roots, p * j * turns));                         \
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

// Transforms k.lines lines of k.n elements, side by side in `re` and `im`, by passes whose radices
// stand in k.radices, 4 bits each; `roots` has exp(-2 pi i j / n). All items have written what is
// there, and may read what is there then. No function: one that took these numbers would need twice
// the registers on gfx90a.
#define FFT_STAGES                                                                              \
    fft_real xr[FFT_HELD], xi[FFT_HELD];                                                        \
    pd_u32 done = k.lines, turns = 1u;                                                          \
    for (pd_u32 stage = 0u; stage < k.stages; stage++) {                                        \
        const pd_u32 radix = k.radices >> (4u * stage) & 15u, flies = k.n * k.lines / radix;    \
        FFT_EACH_RADIX(FFT_TAKE)                                                                \
        PD_BARRIER();                                                                           \
        FFT_EACH_RADIX(FFT_PUT)                                                                 \
        PD_BARRIER();                                                                           \
        done *= radix;                                                                          \
        turns *= radix;                                                                         \
    }
