// lines.cl: elements of lines, as kernels read them from memory and write them.
#define FFT_REAL 1u       // there are no imaginary parts
#define FFT_MIRROR 2u     // elements from n/2 + 1 on are conjugates of those before
#define FFT_SWAP 4u       // parts change places: as they are read, as they are written at last
#define FFT_SWAP_FIRST 8u // or before they are multiplied
#define FFT_LINES 16u     // neighbours in memory are of one line
#define FFT_FACTORS 32u   // elements are multiplied
#define FFT_TWIST 64u     // by exp(-2 pi i line element / n), of a matrix

// Element e of line l has the number `mul` e + `add` l, and lies at `base` + number `step` + l
// `line`, in reals. From `limit` on what is read is 0, and nothing is written. `table`: where the
// factors of the numbers begin, in pairs.
typedef struct {
    pd_u32 n, lines, stages, radices; // `lines` side by side; 4 bits of `radices` a pass
    pd_u32 blocks, all;               // of lines along the first of the other axes, and lines
    pd_u32 roots;                     // exp(-2 pi i k / n) in `tables`
    pd_u32 twist, shift;              // roots of the matrix: 2^shift, then each 2^shift-th
    pd_u32 scale[2];                  // what is written is multiplied by; f64: two halves
    pd_u32 from_flags, from_base, from_mul, from_add, from_step, from_line, from_limit, from_table;
    pd_u32 to_flags, to_base, to_mul, to_add, to_step, to_line, to_limit, to_table;
    pd_u32 middle, whole;             // FFT_MIRROR: n/2 and n of all
    pd_u32 count[7], from_outer[7], to_outer[7]; // the other axes
} padic_k_fft_lines_params;

PD_FN fft_pair fft_load(PD_GPTR(const fft_real) from, PD_GPTR(const fft_real) tables, pd_u32 base,
                        pd_u32 line, pd_u32 element, const padic_k_fft_lines_params k)
{
    const pd_u32 number = k.from_mul * element + k.from_add * line;
    const pd_u32 mirrored = (k.from_flags & FFT_MIRROR) && number > k.middle;
    const pd_u32 at = base + (mirrored ? k.whole - number : number) * k.from_step +
                      line * k.from_line;
    fft_pair x = fft_pair_of(FFT_ZERO, FFT_ZERO);
    if (line >= k.all || number >= k.from_limit) return x;
    x.re = from[at];
    if (!(k.from_flags & FFT_REAL)) x.im = from[at + 1u];
    if (mirrored) x.im = -x.im;
    if ((k.from_flags & FFT_MIRROR) && (number == 0u || 2u * number == k.whole)) x.im = FFT_ZERO;
    if (k.from_flags & FFT_SWAP) x = fft_pair_of(x.im, x.re);
    if (k.from_flags & FFT_FACTORS) x = fft_mul(x, fft_table(tables, k.from_table + number));
    return x;
}

PD_FN fft_real fft_scale(const padic_k_fft_lines_params k)
{
#if PD_FFT_F64
    return PD_AS_F64(PD_U64(k.scale[0], k.scale[1]));
#else
    return PD_AS_F32(k.scale[0]);
#endif
}

// x times exp(-2 pi i turn / n) of the matrix.
PD_FN fft_pair fft_twist(fft_pair x, PD_GPTR(const fft_real) tables, pd_u32 turn,
                         const padic_k_fft_lines_params k)
{
    const pd_u32 low = turn & ((1u << k.shift) - 1u);
    const fft_pair y = fft_mul(x, fft_table(tables, k.twist + low));
    return fft_mul(y, fft_table(tables, k.twist + (1u << k.shift) + (turn >> k.shift)));
}

PD_FN void fft_store(PD_GPTR(fft_real) to, PD_GPTR(const fft_real) tables, pd_u32 base,
                     pd_u32 line, pd_u32 element, fft_pair found, const padic_k_fft_lines_params k)
{
    const pd_u32 number = k.to_mul * element + k.to_add * line;
    const pd_u32 at = base + number * k.to_step + line * k.to_line;
    const fft_real scale = fft_scale(k);
    fft_pair x = found;
    if (line >= k.all || number >= k.to_limit) return;
    if (k.to_flags & FFT_SWAP_FIRST) x = fft_pair_of(x.im, x.re);
    if (k.to_flags & FFT_FACTORS) x = fft_mul(x, fft_table(tables, k.to_table + number));
    if (k.to_flags & FFT_TWIST) x = fft_twist(x, tables, line * element, k);
    if (k.to_flags & FFT_SWAP) x = fft_pair_of(x.im, x.re);
    to[at] = x.re * scale;
    if (!(k.to_flags & FFT_REAL)) to[at + 1u] = x.im * scale;
}

// Coordinate A of the other axes.
#define FFT_AXIS(A)                                                \
    if (k.count[A] > 1u) {                                         \
        const pd_u32 next = left / k.count[A];                     \
        from_base += (left - next * k.count[A]) * k.from_outer[A]; \
        to_base += (left - next * k.count[A]) * k.to_outer[A];     \
        left = next;                                               \
    }

// Where a group's lines begin: of the other axes, whose number `left` is.
#define FFT_OTHER_AXES \
    FFT_AXIS(0)        \
    FFT_AXIS(1)        \
    FFT_AXIS(2)        \
    FFT_AXIS(3)        \
    FFT_AXIS(4)        \
    FFT_AXIS(5)        \
    FFT_AXIS(6)
