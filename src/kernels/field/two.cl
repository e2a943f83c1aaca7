// program: field_two
// texts: ../fft/butterfly.cl number.cl element.cl
// two.cl: lines of a field as in field.cl, of a length that the compiler knows, a power of 2. Their
// elements stay in registers between the passes of a transform, and from one transform to the
// next: the first radix is the last.
//
// variant: PD_FIELD_N=128
// variant: PD_FIELD_N=256 PD_FIELD_PLANAR=1
// variant: PD_FIELD_N=512
// variant: PD_FIELD_N=1024
// variant: PD_FIELD_N=2048
#ifndef PD_FIELD_N
#define PD_FIELD_N 64 // 64 to 2048
#endif

#define FIELD_LINES (FIELD_POINTS / PD_FIELD_N)
#if PD_LOCAL_BYTES >= 32768 && PD_FIELD_N < 2048
#define FIELD_PITCH (FIELD_LINES + 1u) // from element to element: banks of columns and rows differ
#else
#define FIELD_PITCH FIELD_LINES
#endif
#define FIELD_LOCAL (PD_FIELD_N * FIELD_PITCH)
#if PD_FIELD_N == 64
#define FIELD_MIDDLE(X)
#define FIELD_LAST 8u // done before the last radix
#elif PD_FIELD_N == 128
#define FIELD_MIDDLE(X) X(2u, 8u)
#define FIELD_LAST 16u
#elif PD_FIELD_N == 256
#define FIELD_MIDDLE(X) X(4u, 8u)
#define FIELD_LAST 32u
#elif PD_FIELD_N == 512
#define FIELD_MIDDLE(X) X(8u, 8u)
#define FIELD_LAST 64u
#elif PD_FIELD_N == 1024
#define FIELD_MIDDLE(X) X(4u, 8u) X(4u, 32u)
#define FIELD_LAST 128u
#else
#define FIELD_MIDDLE(X) X(8u, 8u) X(4u, 64u)
#define FIELD_LAST 256u
#endif

// An item's butterfly b of radix R: the line b % lines, number b / lines in it.
#define FIELD_EACH_FLY(R)                                        \
    FFT_UNROLL                                                   \
    for (pd_u32 round = 0u; round < 8u / (R); round++) {         \
        const pd_u32 b = PD_LID + round * PD_FIELD_WG;           \
        const pd_u32 line = b % FIELD_LINES, f = b / FIELD_LINES;

#define FIELD_TAKE(R)                                                                           \
    FIELD_EACH_FLY(R)                                                                           \
        FFT_UNROLL                                                                              \
        for (pd_u32 j = 0u; j < (R); j++) {                                                     \
            const pd_u32 at = (f + j * (PD_FIELD_N / (R))) * FIELD_PITCH + line;                \
            xr[round * (R) + j] = re[at];                                                       \
            xi[round * (R) + j] = im[at];                                                       \
        }                                                                                       \
    }

#define FIELD_PUT(R, DONE)                                                                      \
    FIELD_EACH_FLY(R)                                                                           \
        const pd_u32 p = f / (DONE), q = f % (DONE);                                            \
        fft_small(xr + round * (R), xi + round * (R), R);                                       \
        FFT_UNROLL                                                                              \
        for (pd_u32 j = 0u; j < (R); j++) {                                                     \
            field_pair x = field_pair_of(xr[round * (R) + j], xi[round * (R) + j]);             \
            const pd_u32 at = ((p * (R) + j) * (DONE) + q) * FIELD_PITCH + line;                \
            if (j) x = field_mul(x, field_table(tables + roots, p * j * (DONE)));               \
            re[at] = x.re;                                                                      \
            im[at] = x.im;                                                                      \
        }                                                                                       \
    }

#define FIELD_BETWEEN_STAGES(R, DONE) \
    PD_BARRIER();                     \
    FIELD_TAKE(R)                     \
    PD_BARRIER();                     \
    FIELD_PUT(R, DONE)

// Element f + j n/8 in number j, before and after.
PD_FN void field_transform(fft_real *xr, fft_real *xi, PD_LPTR(fft_real) re, PD_LPTR(fft_real) im,
                           PD_GPTR(const fft_real) tables, pd_u32 roots)
{
    FIELD_PUT(8u, 1u)
    FIELD_MIDDLE(FIELD_BETWEEN_STAGES)
    PD_BARRIER();
    FIELD_TAKE(8u)
    fft_eight(xr, xi);
    PD_BARRIER();
}

PD_FN void field_swap(fft_real *xr, fft_real *xi)
{
    FFT_UNROLL
    for (pd_u32 j = 0u; j < 8u; j++) {
        const fft_real x = xr[j];
        xr[j] = xi[j];
        xi[j] = x;
    }
}

PD_FN void field_direction(fft_real *xr, fft_real *xi, PD_LPTR(fft_real) re, PD_LPTR(fft_real) im,
                           PD_GPTR(const fft_real) tables, pd_u32 direction, pd_u32 roots)
{
    if (!direction) return;
    if (direction == FIELD_INVERSE) field_swap(xr, xi);
    field_transform(xr, xi, re, im, tables, roots);
    if (direction == FIELD_INVERSE) field_swap(xr, xi);
}

// Elements in the order of memory, by way of local memory.
#define FIELD_EACH_IN_ORDER                                    \
    FFT_UNROLL                                                 \
    for (pd_u32 round = 0u; round < 8u; round++) {             \
        const pd_u32 i = PD_LID + round * PD_FIELD_WG;         \
        const pd_u32 element = i % PD_FIELD_N, line = i / PD_FIELD_N;

// Element f + j n/8 of an item's line, in number j.
PD_FN void field_read(PD_GPTR(const field_word) psi, PD_LPTR(fft_real) re, PD_LPTR(fft_real) im,
                      fft_real *xr, fft_real *xi, pd_u32 base, pd_u32 first, const field_line own,
                      const padic_k_field_lines_params k)
{
    if (!(k.flags & FIELD_ORDERED)) {
        FFT_UNROLL
        for (pd_u32 j = 0u; j < 8u; j++) {
            const pd_u32 element = PD_LID / FIELD_LINES + j * (PD_FIELD_N / 8u);
            const field_pair x = field_load(psi, base, element, own, k);
            xr[j] = x.re;
            xi[j] = x.im;
        }
        return;
    }
    FIELD_EACH_IN_ORDER
        field_line at = own;
        field_pair x;
        at.line = first + line;
        at.there = at.line < k.all;
        x = field_load(psi, base, element, at, k);
        re[element * FIELD_PITCH + line] = x.re;
        im[element * FIELD_PITCH + line] = x.im;
    }
    PD_BARRIER();
    FIELD_TAKE(8u)
    PD_BARRIER();
}

PD_FN void field_write(PD_GPTR(field_word) psi, PD_LPTR(fft_real) re, PD_LPTR(fft_real) im,
                       const fft_real *xr, const fft_real *xi, pd_u32 base, pd_u32 first,
                       const field_line own, const padic_k_field_lines_params k)
{
    FFT_UNROLL
    for (pd_u32 j = 0u; j < 8u; j++) {
        const pd_u32 element = PD_LID / FIELD_LINES + j * (PD_FIELD_N / 8u);
        const pd_u32 place = element * FIELD_PITCH + PD_LID % FIELD_LINES;
        if (!(k.flags & FIELD_ORDERED)) {
            field_store(psi, base, element, own, field_pair_of(xr[j], xi[j]), k);
        } else {
            re[place] = xr[j];
            im[place] = xi[j];
        }
    }
    if (!(k.flags & FIELD_ORDERED)) return;
    PD_BARRIER();
    FIELD_EACH_IN_ORDER
        const pd_u32 place = element * FIELD_PITCH + line;
        field_line at = own;
        at.line = first + line;
        at.there = at.line < k.all;
        field_store(psi, base, element, at, field_pair_of(re[place], im[place]), k);
    }
    PD_BARRIER();
}

PD_FN void field_lines(PD_GPTR(const fft_real) tables, PD_GPTR(field_word) psi,
                       PD_LPTR(fft_real) re, PD_LPTR(fft_real) im, pd_u32 base, pd_u32 first,
                       pd_u32 outer, const padic_k_field_lines_params k)
{
    fft_real xr[8], xi[8];
    field_line own;
    own.line = first + PD_LID % FIELD_LINES;
    own.outer = outer;
    own.there = own.line < k.all;
    field_read(psi, re, im, xr, xi, base, first, own, k);
    field_direction(xr, xi, re, im, tables, k.first, k.roots);
    if (k.middle) {
        FFT_UNROLL
        for (pd_u32 j = 0u; j < 8u; j++) {
            const pd_u32 element = PD_LID / FIELD_LINES + j * (PD_FIELD_N / 8u);
            const field_pair x = field_pair_of(xr[j], xi[j]);
            const field_pair y = field_between(tables, element, own, x, k);
            xr[j] = y.re;
            xi[j] = y.im;
        }
    }
    field_direction(xr, xi, re, im, tables, k.second, k.roots);
    field_write(psi, re, im, xr, xi, base, first, own, k);
}

PD_KERNEL_WG(padic_k_field_two_lines, PD_FIELD_WG)
(PD_CBUF(fft_real, tables), PD_BUF(field_word, psi), PD_PARAMS(padic_k_field_lines_params, k))
{
    FIELD_LINES_BODY
}
