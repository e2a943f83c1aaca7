#pragma once
#include "../core/platform.h"
#include "kernels.h"

#ifndef PADIC_NO_FFT

#define PADICI_FFT_BLOCK 4096u // most elements of lines that lie side by side in a block
#define PADICI_FFT_WHOLE 2048u  // most elements of a line whose rows stay in registers
#define PADICI_FFT_FULL 8192u  // most elements of a line with a twiddle for each of them
#define PADICI_FFT_WIDE 65536u // elements of a line from which on workers share its parts
#define PADICI_FFT_WORKERS 64u // most workers of a plan

// A line of n = n1 n2 elements: columns of n1, times twiddles, then rows of n2. Other n by a
// convolution with exp(pi i j^2 / n), of length `chirped->n` (Bluestein).
typedef struct padici_fft_line {
    uint64_t n, n1, n2;
    uint64_t columns, rows; // blocks of them
    const padici_fft_stages *first, *second;
    void *twiddle, *factor; // factor NULL: a twiddle for each element
    uint32_t whole;         // by the kernel for whole lines, where elements lie side by side
    struct padici_fft_line *chirped;
    void *chirp, *spectrum; // of n; of chirped->n
} padici_fft_line;

typedef struct padici_fft_axis {
    uint32_t axis;                 // of the tensors
    uint64_t n, m;                 // its extent; the length that is transformed, n/2 of reals
    const padici_fft_stages *block; // NULL: not in blocks
    padici_fft_line *line;
    void *roots; // of order n for reals, n even
} padici_fft_axis;

// Memory of one worker.
typedef struct padici_fft_scratch {
    void *x, *y;      // blocks
    void *matrix;     // a line between its columns and rows
    void *reals;      // a line's spectrum
    void *chirp, *convolved;
} padici_fft_scratch;

// Lines of one axis: their elements, and the other axes, which number the lines. Steps in bytes.
typedef struct padici_fft_sweep {
    const padici_fft_axis *axis;
    padici_fft_view from, to; // of line 0
    uint32_t real;            // from reals, to reals, or 0: complex
    uint32_t rank;            // of the other axes, the first of which is the fastest
    uint64_t count[PADIC_MAX_RANK];
    int64_t from_step[PADIC_MAX_RANK], to_step[PADIC_MAX_RANK];
    uint32_t blocks; // lines go side by side
    uint32_t shared; // workers share the parts of a line
    uint64_t parts;  // blocks or lines
} padici_fft_sweep;

// A way over blocks of lines: a transform, what `between` does to each block, another transform.
// `sweep` tells of both: `from` of the first, `to` of the second. An inverse one is a forward one
// whose parts change places: after an inverse one `between` finds them so, and before one it leaves
// them so.
typedef struct padici_fft_twice {
    padici_fft_sweep sweep; // in blocks, complex
    uint32_t before, after; // whether there are such transforms
    void (*between)(void *argument, uint64_t part, uint32_t lines, void *block);
    void *argument;
} padici_fft_twice;

// A tensor's memory on the way through the axes.
typedef struct padici_fft_memory {
    char *at;
    int64_t step[PADIC_MAX_RANK]; // bytes
    int64_t imaginary;
    uint32_t is_double;
} padici_fft_memory;

enum { PADICI_FFT_FROM_REALS = 1, PADICI_FFT_TO_REALS = 2 };

#define PADICI_FFT_PIECES 640 // six of each worker, one of each stage, a few of each line
#define PADICI_FFT_TABLES 16

struct padic_fft_plan {
    const padic_context *context; // it was made for
    padic_allocator allocator;
    void *piece[PADICI_FFT_PIECES];
    size_t piece_size[PADICI_FFT_PIECES];
    uint32_t pieces;
    uint64_t size;
    const padici_fft_kernels *kernels;
    uint32_t workers;
    uint32_t is_double, real; // the dtypes' parts; whether one of the dtypes is real
    uint32_t rank, axis_count;
    uint64_t shape[PADIC_MAX_RANK]; // of the complex tensor; of the real one its last axis' extent
    padici_fft_axis axis[PADIC_FFT_AXES];
    void *work; // the whole, between its axes, where `out` cannot hold it
    uint32_t stages_count, line_count;
    padici_fft_stages stages[PADICI_FFT_TABLES];
    padici_fft_line line[PADICI_FFT_TABLES];
    padici_fft_scratch scratch[PADICI_FFT_WORKERS];
    // The last call: one with the same desc is not checked again. Its sweeps, one an axis.
    padic_fft_transform_desc known;
    padici_fft_sweep sweep[PADIC_FFT_AXES];
};

// What a desc asks for.
typedef struct padici_fft_shape {
    uint32_t is_double, real, inverse; // real: 1 of the transforms with reals
    uint32_t rank, axis_count, axis[PADIC_FFT_AXES];
    uint64_t complex_shape[PADIC_MAX_RANK], last; // last: extent of the last axis named, of reals
} padici_fft_shape;

PADICI_FN void padici_fft_shape_of(const padic_fft_transform_desc *desc, padici_fft_shape *shape);
PADICI_FN padic_result padici_fft_plan_make(const padic_env *env, const padic_context *context,
                                            const padici_fft_kernels *kernels,
                                            const padici_fft_shape *shape, padic_fft_plan **plan);
PADICI_FN int padici_fft_plan_fits(const padic_fft_plan *plan, const padici_fft_shape *shape);
PADICI_FN padic_result padici_fft_run(const padic_env *env, const padici_fft_kernels *kernels,
                                      const padic_fft_transform_desc *desc);
PADICI_FN int padici_fft_smooth(uint64_t n);
PADICI_FN uint32_t padici_fft_radices(uint64_t n, uint32_t widest, uint32_t *radix);
PADICI_FN void padici_fft_other_axes(uint32_t rank, const uint64_t *shape, uint32_t axis,
                                     const int64_t *from, const int64_t *to,
                                     padici_fft_sweep *sweep);
PADICI_FN padici_fft_sweep padici_fft_one_axis(const padic_fft_plan *plan, uint32_t number,
                                               const uint64_t *shape, int inverse, int worked,
                                               double scale,
                                               const padici_fft_memory *from,
                                               const padici_fft_memory *to);
PADICI_FN double padici_fft_factor(const padic_fft_transform_desc *desc, double n);

#endif
