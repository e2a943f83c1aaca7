#pragma once
#include "../core/platform.h"

#ifndef PADIC_NO_FFT

// A block holds as many lines as a vector has lanes: for each element the real parts of all lines,
// then the imaginary parts. A line's elements never meet another line's.

#define PADICI_FFT_NONE INT64_MIN // a real number: its imaginary part is 0

// Lines in memory that a block is loaded from or stored to. Steps in bytes.
typedef struct padici_fft_view {
    char *at;              // the real part of element 0 of line 0
    int64_t element, line; // from one to the next
    int64_t imaginary;     // from a real to its imaginary part, or PADICI_FFT_NONE
    uint64_t count;        // elements
    uint32_t lines;        // of the block that are there
    uint32_t is_double;    // the parts in memory
    uint32_t swapped;      // real and imaginary parts change places
    double scale;          // of what is stored
} padici_fft_view;

// One pass over a block of n = radix * rest * done elements in Stockham's order, for p < rest and
// q < done, with w = exp(-2 pi i / (radix rest)):
//
//     y[(radix p + k) done + q] = w^(p k) sum_j x[(p + rest j) done + q] exp(-2 pi i j k / radix)
//
// `twiddle`: for each p the powers for k = 1 to radix - 1.
typedef struct padici_fft_stage {
    uint32_t radix;
    uint64_t rest, done;
    const void *twiddle;
} padici_fft_stage;

#define PADICI_FFT_STAGES 32

typedef struct padici_fft_stages {
    uint64_t n;
    uint32_t count;
    padici_fft_stage stage[PADICI_FFT_STAGES];
} padici_fft_stages;

// A block of columns times twiddles, transposed into blocks of rows.
typedef struct padici_fft_twist {
    uint64_t rows;       // elements of the block
    uint32_t columns;    // its lines that are there
    const void *twiddle; // for each element a factor for each line
    const void *factor;  // for each element one for all of them; NULL: 1
    char *to;            // in the first block of rows
    uint64_t next;       // bytes to the next block of rows
} padici_fft_twist;

// A line of 16 n1 complex numbers next to each other. Of 4 or 8 rows `in` is like it; of more rows,
// a multiple of 8, it is a block of the transformed columns.
typedef struct padici_fft_whole_line {
    uint64_t n;
    const void *in, *twiddle; // twiddle: a block of n1 elements, w^(k l) in lane l of element k
    void *out;
    double scale;
    uint32_t swapped; // real and imaginary parts change places, of what is stored, too
} padici_fft_whole_line;

// What a level of vectors has for one precision: f64 or f32 in blocks, tables and factors.
typedef struct padici_fft_kernels {
    uint32_t lanes, is_double;
    uint32_t widest; // radix for powers of two, 4 or 8
    void (*stage)(const padici_fft_stage *stage, const void *x, void *y);
    void (*load)(const padici_fft_view *view, void *block);
    void (*store)(const padici_fft_view *view, const void *block);
    // The first stage of what is loaded, the last of what is stored; the other block is scratch.
    void (*load_stage)(const padici_fft_view *view, const padici_fft_stage *stage, void *x,
                       void *y);
    void (*stage_store)(const padici_fft_view *view, const padici_fft_stage *stage, const void *x,
                        void *y);
    void (*twist)(const padici_fft_twist *twist, const void *block);
    // Spectra of n/2 complex numbers, from pairs of reals, to and from those of n reals: in place,
    // n even; `roots` of order n; `lanes` 1 or those of a block. merge() leaves parts swapped.
    void (*split)(uint64_t n, uint32_t lanes, const void *roots, void *block);
    void (*merge)(uint64_t n, uint32_t lanes, const void *roots, void *block);
    void (*multiply)(uint64_t n, const void *factors, void *line); // a line's elements, times
    void (*whole)(const padici_fft_whole_line *line); // NULL: none; of 16 lanes
} padici_fft_kernels;

// What the backends are asked for by the row FFT_KERNELS: `kernels` stays as it is, or is better.
typedef struct padici_fft_choice {
    uint32_t is_double;
    const padici_fft_kernels *kernels;
} padici_fft_choice;

PADICI_FN const padici_fft_kernels *padici_fft_plain(void);
PADICI_FN void padici_fft_load_any(const padici_fft_view *view, uint32_t lanes, uint32_t is_double,
                                   void *block);
PADICI_FN void padici_fft_store_any(const padici_fft_view *view, uint32_t lanes,
                                    uint32_t is_double, const void *block);

// Cosine and sine of 2 pi j / n, j <= n/2, n = 3, 5, 7.
PADICI_INLINE double padici_fft_odd_cos(uint32_t n, uint32_t j)
{
    return j == 0   ? 1
           : n == 3 ? -0.5
           : n == 5 ? (j == 1 ? 0.30901699437494742410 : -0.80901699437494742410)
           : j == 1 ? 0.62348980185873353053
           : j == 2 ? -0.22252093395631440429
                    : -0.90096886790241912624;
}

PADICI_INLINE double padici_fft_odd_sin(uint32_t n, uint32_t j)
{
    return j == 0   ? 0
           : n == 3 ? 0.86602540378443864676
           : n == 5 ? (j == 1 ? 0.95105651629515357212 : 0.58778525229247312917)
           : j == 1 ? 0.78183148246802980871
           : j == 2 ? 0.97492791218182360702
                    : 0.43388373911755812048;
}

// Number i of an array of doubles or floats.
PADICI_INLINE double padici_fft_get(const void *at, uint32_t is_double)
{
    return is_double ? *(const double *)at : (double)*(const float *)at;
}

PADICI_INLINE void padici_fft_put(void *at, uint32_t is_double, double value)
{
    if (is_double) *(double *)at = value;
    else *(float *)at = (float)value;
}

#endif
