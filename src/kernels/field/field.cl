// program: field
// texts: ../fft/butterfly.cl number.cl element.cl
// field.cl: lines of a field through one or two transforms, with what happens between them.
//
// A group takes a few lines along one axis into local memory, neighbours along another (the side).
// It transforms them or not, multiplies each element, transforms them or not, and writes them. The
// element's factor is the phase of the potential and the interaction, or that of k^2, whose parts
// along the axes are tables. A split step of D axes is so
// 2 (D - 1) passes over memory: along the last axis {inverse, potential, forward}, along the first
// {forward, k^2, inverse}, forward or inverse along one between them.
//
// Here of any length 2^a 3^b 5^c 7^d up to the elements of a group. Transforms are Stockham's
// (fft/fft.cl), the inverse one with parts exchanged.
//
// variant: PD_FIELD_PLANAR=1

#define FIELD_LOCAL FIELD_POINTS
#define FIELD_HELD 14u // elements that an item has in a pass, at most
#define FIELD_ROUNDS(R) ((FIELD_POINTS / (R) + PD_FIELD_WG - 1u) / PD_FIELD_WG)

#define FIELD_TAKE(R)                                                \
    FFT_UNROLL                                                       \
    for (pd_u32 round = 0u; round < FIELD_ROUNDS(R); round++) {      \
        const pd_u32 b = PD_LID + round * PD_FIELD_WG;               \
        if (b < flies) {                                             \
            FFT_UNROLL                                               \
            for (pd_u32 j = 0u; j < (R); j++) {                      \
                xr[round * (R) + j] = re[b + j * flies];             \
                xi[round * (R) + j] = im[b + j * flies];             \
            }                                                        \
        }                                                            \
    }

#define FIELD_PUT(R)                                                                              \
    FFT_UNROLL                                                                                    \
    for (pd_u32 round = 0u; round < FIELD_ROUNDS(R); round++) {                                   \
        const pd_u32 b = PD_LID + round * PD_FIELD_WG, p = b / done, q = b - p * done;            \
        if (b < flies) {                                                                          \
            fft_small(xr + round * (R), xi + round * (R), R);                                     \
            FFT_UNROLL                                                                            \
            for (pd_u32 j = 0u; j < (R); j++) {                                                   \
                field_pair x = field_pair_of(xr[round * (R) + j], xi[round * (R) + j]);           \
                if (j) x = field_mul(x, field_table(tables + k.roots, p * j * turns));            \
                re[(p * (R) + j) * done + q] = x.re;                                              \
                im[(p * (R) + j) * done + q] = x.im;                                              \
            }                                                                                     \
        }                                                                                         \
    }

#define FIELD_EACH_RADIX(X)   \
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

PD_FN void field_transform(PD_LPTR(fft_real) re, PD_LPTR(fft_real) im,
                           PD_GPTR(const fft_real) tables, const padic_k_field_lines_params k)
{
    fft_real xr[FIELD_HELD], xi[FIELD_HELD];
    pd_u32 done = k.lines, turns = 1u;
    for (pd_u32 stage = 0u; stage < k.stages; stage++) {
        const pd_u32 radix = k.radices >> (4u * stage) & 15u, flies = k.n * k.lines / radix;
        FIELD_EACH_RADIX(FIELD_TAKE)
        PD_BARRIER();
        FIELD_EACH_RADIX(FIELD_PUT)
        PD_BARRIER();
        done *= radix;
        turns *= radix;
    }
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

// Forward, or the other way by exchanging the parts.
#define FIELD_PARTS(direction) \
    (direction) == FIELD_FORWARD ? re : im, (direction) == FIELD_FORWARD ? im : re

// before, after: whether there is a transform before what happens between, and after it.
PD_FN void field_lines(PD_GPTR(const fft_real) tables, PD_GPTR(field_word) psi,
                       PD_LPTR(fft_real) re, PD_LPTR(fft_real) im, pd_u32 base, pd_u32 first,
                       pd_u32 outer, pd_u32 before, pd_u32 after,
                       const padic_k_field_lines_params k)
{
    const pd_u32 count = k.n * k.lines, by = (k.flags & FIELD_ORDERED) ? k.n : k.lines;
    for (pd_u32 i = PD_LID; i < count; i += PD_FIELD_WG) {
        const pd_u32 high = i / by, low = i - high * by;
        const pd_u32 line = (k.flags & FIELD_ORDERED) ? high : low;
        const pd_u32 element = (k.flags & FIELD_ORDERED) ? low : high;
        const field_pair x = field_load(psi, base, element,
                                        field_line_of(first, line, outer, k), k);
        re[element * k.lines + line] = x.re;
        im[element * k.lines + line] = x.im;
    }
    PD_BARRIER();
    if (before) field_transform(FIELD_PARTS(k.first), tables, k);
    for (pd_u32 i = PD_LID; i < count; i += PD_FIELD_WG) {
        const pd_u32 element = i / k.lines;
        const field_line at = field_line_of(first, i - element * k.lines, outer, k);
        const field_pair x = field_between(tables, element, at, field_pair_of(re[i], im[i]), k);
        re[i] = x.re;
        im[i] = x.im;
    }
    PD_BARRIER();
    if (after) field_transform(FIELD_PARTS(k.second), tables, k);
    for (pd_u32 i = PD_LID; i < count; i += PD_FIELD_WG) {
        const pd_u32 high = i / by, low = i - high * by;
        const pd_u32 line = (k.flags & FIELD_ORDERED) ? high : low;
        const pd_u32 element = (k.flags & FIELD_ORDERED) ? low : high;
        field_store(psi, base, element, field_line_of(first, line, outer, k),
                    field_pair_of(re[element * k.lines + line], im[element * k.lines + line]), k);
    }
}

PD_KERNEL_MIN(padic_k_field_none, PD_FIELD_WG, 2)
(PD_CBUF(fft_real, tables), PD_BUF(field_word, psi), PD_PARAMS(padic_k_field_lines_params, k))
{
    PD_LOCAL fft_real re[FIELD_LOCAL];
    PD_LOCAL fft_real im[FIELD_LOCAL];
    FIELD_PLACE
    field_lines(tables, psi, re, im, base, first, outer, 0u, 0u, k);
}

PD_KERNEL_MIN(padic_k_field_first, PD_FIELD_WG, 2)
(PD_CBUF(fft_real, tables), PD_BUF(field_word, psi), PD_PARAMS(padic_k_field_lines_params, k))
{
    PD_LOCAL fft_real re[FIELD_LOCAL];
    PD_LOCAL fft_real im[FIELD_LOCAL];
    FIELD_PLACE
    field_lines(tables, psi, re, im, base, first, outer, 1u, 0u, k);
}

PD_KERNEL_MIN(padic_k_field_second, PD_FIELD_WG, 2)
(PD_CBUF(fft_real, tables), PD_BUF(field_word, psi), PD_PARAMS(padic_k_field_lines_params, k))
{
    PD_LOCAL fft_real re[FIELD_LOCAL];
    PD_LOCAL fft_real im[FIELD_LOCAL];
    FIELD_PLACE
    field_lines(tables, psi, re, im, base, first, outer, 0u, 1u, k);
}

PD_KERNEL_MIN(padic_k_field_both, PD_FIELD_WG, 2)
(PD_CBUF(fft_real, tables), PD_BUF(field_word, psi), PD_PARAMS(padic_k_field_lines_params, k))
{
    PD_LOCAL fft_real re[FIELD_LOCAL];
    PD_LOCAL fft_real im[FIELD_LOCAL];
    FIELD_PLACE
    field_lines(tables, psi, re, im, base, first, outer, 1u, 1u, k);
}
