// element.cl: what happens to an element of a line, and where lines lie.
#ifndef PD_FIELD_SWIRL
#define PD_FIELD_SWIRL 0 // 1: with rotation
#endif
#ifndef PD_FIELD_COPIES
#define PD_FIELD_COPIES 0 // 1: of copies of psi, for records and searches; results may go elsewhere
#endif
#define FIELD_ORDERED 1u // neighbours in memory are of one line
#define FIELD_DECAYS 2u  // in imaginary time

#define FIELD_FORWARD 1u // transforms
#define FIELD_INVERSE 2u

#define FIELD_PHASE 1u // between them: of the potential and the interaction,
#define FIELD_SWIRL 2u // or of k^2 and -Omega L_z in the mixed representation of an axis,
#define FIELD_MODES 3u // or, for records, K k^2 itself,
#define FIELD_RATES 4u // or what -Omega L_z has of SWIRL's rate,
#define FIELD_SMOOTH 5u // or, for ground states, (a + K k^2)^-1 of each field's a

// Places count complex numbers, planar ones reals; tables and the grid's arrays reals.
typedef struct {
    pd_u32 n, lines, all, blocks, outers; // elements, lines of a group, of all; groups of these;
    pd_u32 stages, radices, roots;        // the third axis
    pd_u32 first, middle, second, flags;
    pd_u32 base, imaginary, step_element, step_line, step_outer, step_field;
    pd_u32 own, side, third;              // tables along the axes
    pd_u32 potential, absorber, grid_element, grid_line, grid_outer;
    pd_u32 terms, powers;    // where g, (p - 2) / 2 of each term are; 4 bits of each
    pd_u32 rate[2], time[2], scale[2]; // f64: two halves each
    pd_u32 slope, side_place, third_place; // tables of SWIRL: own k, Omega y or -Omega x
    pd_u32 stop;             // RECORDS: flags, such a field stays as it is; 0: all go on
    pd_u32 shift;            // SMOOTH: each field's a
    pd_u32 to_base, to_imaginary, to_element, to_line, to_outer, to_field; // COPIES: of the result
    pd_u32 stays;            // COPIES: 1: what is so far goes to psi, its transform to the copy
    pd_u32 before, after;    // `around`: phases of k^2 before and after the middle; 0: none
} padic_k_field_lines_params;

// The parts of x exchanged, around a forward transform that is to be an inverse one.
PD_FN fft_pair field_exchange(fft_pair x, pd_u32 on)
{
    return fft_pair_of(on ? x.im : x.re, on ? x.re : x.im);
}

// What an element is, beside its number in the line.
typedef struct {
    pd_u32 line, outer, there; // there: it exists
} field_line;

PD_FN fft_pair field_load(PD_GPTR(const field_word) psi, pd_u32 base, pd_u32 element,
                            const field_line at, const padic_k_field_lines_params k)
{
    if (!at.there) return fft_pair_of(FFT_ZERO, FFT_ZERO);
    return field_get(psi, base + element * k.step_element + at.line * k.step_line, k.imaginary);
}

// Where lines are written.
typedef struct {
    pd_u32 base, element, line, imaginary;
} field_way;

PD_FN field_way field_way_of(pd_u32 base, pd_u32 element, pd_u32 line, pd_u32 imaginary)
{
    field_way w;
    w.base = base;
    w.element = element;
    w.line = line;
    w.imaginary = imaginary;
    return w;
}

PD_FN void field_store(PD_GPTR(field_word) to, const field_way w, pd_u32 element,
                       const field_line at, fft_pair found)
{
    if (at.there)
        field_put(to, w.base + element * w.element + at.line * w.line, w.imaginary, found);
}

// Where an element is in the grid's arrays.
PD_FN pd_u32 field_grid(pd_u32 element, const field_line at, const padic_k_field_lines_params k)
{
    return element * k.grid_element + at.line * k.grid_line + at.outer * k.grid_outer;
}

// psi times the phase of U over `time`; `rate` is -time / 2 pi.
PD_FN fft_pair field_phase(PD_GPTR(const fft_real) tables, pd_u32 element, const field_line at,
                             fft_pair x, const padic_k_field_lines_params k)
{
    const pd_u32 grid = field_grid(element, at, k);
    const fft_real density = x.re * x.re + x.im * x.im;
    fft_real u;
    fft_pair y;
#if PD_FIELD_ABSORBER
    const fft_real w = at.there ? tables[k.absorber + grid] : FFT_ZERO;
    const fft_real loss = field_exp(-FIELD_REAL(k.time) * w);
#else
    const fft_real w = FFT_ZERO;
#endif
    if (!at.there) return x;
    u = tables[k.third + at.outer] + tables[k.side + at.line] + tables[k.own + element];
    u += tables[k.potential + grid]; // of none, a 0 that all points share
    u += field_terms(tables, density, w, FIELD_REAL(k.time), k.terms, k.powers);
    y = fft_mul(x, field_turn(u * FIELD_REAL(k.rate)));
#if PD_FIELD_ABSORBER
    return fft_pair_of(y.re * loss, y.im * loss);
#else
    return y;
#endif
}

#if PD_FIELD_SWIRL
// K k^2 of an axis, or of two, and its part of -Omega L_z: the tables hold rates.
PD_FN fft_real field_swirl_rate(PD_GPTR(const fft_real) tables, pd_u32 element,
                                const field_line at, const padic_k_field_lines_params k)
{
    fft_real rate = tables[k.side_place + at.line] + tables[k.third_place + at.outer];
    rate = rate * tables[k.slope + element] + tables[k.own + element];
    return rate + (tables[k.side + at.line] + tables[k.third + at.outer]);
}

// psi times `scale` exp(-i time rate), in imaginary time without i.
PD_FN fft_pair field_swirl(PD_GPTR(const fft_real) tables, pd_u32 element, const field_line at,
                           fft_pair x, const padic_k_field_lines_params k)
{
    const fft_real scale = FIELD_REAL(k.scale);
    const fft_real rate = field_swirl_rate(tables, element, at, k);
    fft_pair turned;
    if (k.flags & FIELD_DECAYS) {
        const fft_real size = scale * field_exp(-FIELD_REAL(k.time) * rate);
        return fft_pair_of(x.re * size, x.im * size);
    }
    turned = fft_mul(x, field_turn(rate * FIELD_REAL(k.rate)));
    return fft_pair_of(turned.re * scale, turned.im * scale);
}
#endif

PD_FN fft_pair field_between(PD_GPTR(const fft_real) tables, pd_u32 element, const field_line at,
                               pd_u32 field, fft_pair x, const padic_k_field_lines_params k)
{
    if (k.middle == FIELD_PHASE) return field_phase(tables, element, at, x, k);
    if (!at.there || !k.middle) return x;
#if PD_FIELD_SWIRL
    if (k.middle == FIELD_SWIRL) return field_swirl(tables, element, at, x, k);
#endif
#if PD_FIELD_SWIRL && PD_FIELD_COPIES
    if (k.middle == FIELD_RATES) {
        const fft_real rate = FIELD_REAL(k.scale) * field_swirl_rate(tables, element, at, k);
        return fft_pair_of(x.re * rate, x.im * rate);
    }
#endif
#if PD_FIELD_COPIES
    if (k.middle == FIELD_MODES) {
        const fft_real modes =
            tables[k.third + at.outer] + tables[k.side + at.line] + tables[k.own + element];
        return fft_pair_of(x.re * modes, x.im * modes);
    }
    if (k.middle == FIELD_SMOOTH) {
        const fft_real rate = tables[k.third + at.outer] + tables[k.side + at.line] +
                              tables[k.own + element];
        const fft_real factor = FIELD_REAL(k.scale) / (tables[k.shift + field] + rate);
        return fft_pair_of(x.re * factor, x.im * factor);
    }
#endif
    (void)field;
    return x;
}

#if PD_FIELD_RECORDS
#define FIELD_GOES (tables[k.stop ? k.stop + field : 0u] == FFT_ZERO ? first : k.all)
#else
#define FIELD_GOES first
#endif

#define FIELD_WAY_BACK field_way_of(base, k.step_element, k.step_line, k.imaginary)
#if PD_FIELD_COPIES
#define FIELD_TO to
#define FIELD_WAY                                                                           \
    field_way_of(k.to_base + outer * k.to_outer + field * k.to_field, k.to_element,         \
                 k.to_line, k.to_imaginary)
#else
#define FIELD_TO psi
#define FIELD_WAY FIELD_WAY_BACK
#endif

// The lines of a kernel's group: it reads them before it writes them, in place or to `to`, from
// `goes` on, which are none where the field stays as it is.
#define FIELD_PLACE                                                                         \
    const pd_u32 block = PD_GRP % k.blocks, left = PD_GRP / k.blocks;                       \
    const pd_u32 field = left / k.outers, outer = left - field * k.outers;                  \
    const pd_u32 base = k.base + outer * k.step_outer + field * k.step_field;               \
    const pd_u32 first = block * k.lines;                                                   \
    const pd_u32 goes = FIELD_GOES;                                                         \
    const field_way way = FIELD_WAY;                                                        \
    (void)to;
