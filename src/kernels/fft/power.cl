// power.cl: transforms of lines of 2^PD_FFT_LOG complex numbers that stay in registers, 16 of them
// an item, and change places through local memory between passes.
//
// The passes are those of stages.cl, of radix 16, 8 and 4. One has butterflies t < n / R; number t
// takes the elements t + j n / R and leaves (R p + j) done + q, with t = p done + q. Items have the
// butterflies of a line one after the other, or those of many lines, where these lie side by side
// in memory: such that the items that run together read, or write, neighbours.
#ifndef PD_FFT_LOG
#define PD_FFT_LOG 9 // 5 to 11
#endif
#ifndef PD_FFT_WG
#define PD_FFT_WG 128 // or 64, or 256 for f32; at least a sixteenth of a line
#endif
#ifndef PD_FFT_ACROSS // neighbours in memory are of different lines: 1 as they are read,
#define PD_FFT_ACROSS 0 // 2 as they are written, 3 always
#endif

#define POWER_EACH 16u // elements of an item
#define POWER_N (1u << PD_FFT_LOG)
#define POWER_ALL (POWER_EACH * PD_FFT_WG) // elements of a group
#define POWER_LINES (POWER_ALL / POWER_N)
#define POWER_ACROSS_FROM ((PD_FFT_ACROSS)&1u)
#define POWER_ACROSS_TO ((PD_FFT_ACROSS) >> 1 & 1u)

// Radices of the passes, as logarithms; the last one of short lines is none.
#define POWER_FIRST (PD_FFT_LOG < 7 || PD_FFT_LOG == 9 ? 3u : 4u)
#define POWER_LAST (PD_FFT_LOG < 9 ? 0u : 3u)
#define POWER_SECOND (PD_FFT_LOG - POWER_FIRST - POWER_LAST)

// Both parts of the numbers change places at once where local memory allows it.
#if (PD_FFT_F64 ? 16 : 8) * 16 * PD_FFT_WG <= PD_LOCAL_BYTES
#define POWER_PARTS 2u
#else
#define POWER_PARTS 1u
#endif

// Butterfly b of a group, of radix 2^log: its line, and its number t there.
PD_FN pd_u32 power_line(pd_u32 b, pd_u32 log, pd_u32 across)
{
    return across ? b % POWER_LINES : b >> (PD_FFT_LOG - log);
}

PD_FN pd_u32 power_number(pd_u32 b, pd_u32 log, pd_u32 across)
{
    return across ? b / POWER_LINES : b & ((1u << (PD_FFT_LOG - log)) - 1u);
}

// Where element i of a group lies in local memory: the low five bits, its bank, depend on all bits,
// so that items that run together meet different banks. What has no bits in common with i may be
// added to it before, or its place by an exclusive or afterwards.
PD_FN pd_u32 power_place(pd_u32 i)
{
    const pd_u32 s = i >> 5;
    return i ^ (s & 7u) ^ ((s & 6u) << 2) ^ ((s >> 3 & 1u) * 24u) ^ ((s >> 4 & 1u) * 9u) ^
           ((s >> 5 & 1u) * 12u) ^ ((s >> 6) * 18u);
}

// What a butterfly of radix 2^log leaves as its first element; done = 2^done_log.
PD_FN pd_u32 power_left(pd_u32 b, pd_u32 log, pd_u32 done_log, pd_u32 across)
{
    const pd_u32 t = power_number(b, log, across), q = t & ((1u << done_log) - 1u);
    return power_line(b, log, across) * POWER_N + ((t - q) << log) + q;
}

// And what it takes.
PD_FN pd_u32 power_taken(pd_u32 b, pd_u32 log, pd_u32 across)
{
    return power_line(b, log, across) * POWER_N + power_number(b, log, across);
}

PD_FN void power_put(PD_LPTR(fft_real) held, const fft_real *x, pd_u32 log, pd_u32 done_log,
                     pd_u32 across)
{
    const pd_u32 place = power_place(power_left(PD_LID, log, done_log, across));
    FFT_UNROLL
    for (pd_u32 i = 0u; i < POWER_EACH; i++) {
        const pd_u32 b = (i >> log) * PD_FFT_WG, j = i & ((1u << log) - 1u);
        const pd_u32 other = power_left(b, log, done_log, across) + (j << done_log);
        held[place ^ power_place(other)] = x[i];
    }
}

PD_FN void power_take(PD_LPTR(fft_real) held, fft_real *x, pd_u32 log, pd_u32 across)
{
    const pd_u32 place = power_place(power_taken(PD_LID, log, across));
    FFT_UNROLL
    for (pd_u32 i = 0u; i < POWER_EACH; i++) {
        const pd_u32 b = (i >> log) * PD_FFT_WG, j = i & ((1u << log) - 1u);
        const pd_u32 other = power_taken(b, log, across) + (j << (PD_FFT_LOG - log));
        x[i] = held[place ^ power_place(other)];
    }
}

// Element j times exp(-2 pi i j turn / n): four factors from the table, and products of at most
// three of them.
PD_FN void power_turn(fft_real *re, fft_real *im, pd_u32 radix, PD_GPTR(const fft_real) roots,
                      pd_u32 turn)
{
    fft_pair w[4];
    w[1] = fft_table(roots, turn);
    w[2] = fft_mul(w[1], w[1]);
    w[3] = fft_mul(w[2], w[1]);
    FFT_UNROLL
    for (pd_u32 j = 1u; j < radix; j++) {
        fft_pair x = fft_pair_of(re[j], im[j]);
        if (j % 4u == 0u) w[0] = fft_table(roots, j * turn);
        if (j < 4u) x = fft_mul(x, w[j]);
        else x = fft_mul(x, j % 4u ? fft_mul(w[0], w[j % 4u]) : w[0]);
        re[j] = x.re;
        im[j] = x.im;
    }
}

// The butterflies of a pass, and all but the last pass's factors.
PD_FN void power_pass(fft_real *re, fft_real *im, pd_u32 log, pd_u32 done_log, pd_u32 across,
                      PD_GPTR(const fft_real) roots)
{
    FFT_UNROLL
    for (pd_u32 i = 0u; i < POWER_EACH; i += 1u << log) {
        const pd_u32 b = PD_LID + (i >> log) * PD_FFT_WG;
        fft_small(re + i, im + i, 1u << log);
        if (log + done_log < PD_FFT_LOG)
            power_turn(re + i, im + i, 1u << log, roots,
                       power_number(b, log, across) >> done_log << done_log);
    }
}

// The elements `xr`, `xi` that a pass of radix 2^log leaves to those that one of radix 2^next
// takes, through `held`, which all items have read. Here and below no functions: with them the
// compiler of PoCL 3.1 crashes.
#if POWER_PARTS == 2
#define POWER_EXCHANGE(log, done_log, across, next, next_across) \
    power_put(held, xr, log, done_log, across);                  \
    power_put(held + POWER_ALL, xi, log, done_log, across);      \
    PD_BARRIER();                                                \
    power_take(held, xr, next, next_across);                     \
    power_take(held + POWER_ALL, xi, next, next_across);
#else
#define POWER_EXCHANGE(log, done_log, across, next, next_across) \
    power_put(held, xr, log, done_log, across);                  \
    PD_BARRIER();                                                \
    power_take(held, xr, next, next_across);                     \
    PD_BARRIER();                                                \
    power_put(held, xi, log, done_log, across);                  \
    PD_BARRIER();                                                \
    power_take(held, xi, next, next_across);
#endif

// A transform by passes of radix 2^a, 2^b and, of lines of 512 and more, 2^c. An item's elements
// are those of its butterflies in the first pass, and then in the last one.
#define POWER_PASSES(roots, a, b, across, to_across) \
    power_pass(xr, xi, a, 0u, across, roots);        \
    POWER_EXCHANGE(a, 0u, across, b, to_across)      \
    power_pass(xr, xi, b, a, to_across, roots);
#if PD_FFT_LOG > 8
#define POWER_TRANSFORM(roots, a, b, c, across, to_across) \
    POWER_PASSES(roots, a, b, across, to_across)           \
    PD_BARRIER();                                          \
    POWER_EXCHANGE(b, a, to_across, c, to_across)          \
    power_pass(xr, xi, c, a + b, to_across, roots);
#else
#define POWER_TRANSFORM(roots, a, b, c, across, to_across) \
    POWER_PASSES(roots, a, b, across, to_across)
#endif
