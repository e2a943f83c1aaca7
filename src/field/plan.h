#pragma once
#include "../core/platform.h"
#include "../context/view_task.h"
#include "../fft/plan.h"
#include "kernels.h"

#ifndef PADIC_NO_FIELD

// A plan's grid has three axes, of which those before the caller's have one point: axis a of the
// caller is `first` + a here. Axis 2 is the fastest.

#define PADICI_FIELD_ARRAYS 4
#define PADICI_FIELD_SUMS 12    // numbers that a pass adds up,
#define PADICI_FIELD_ADDED 9    // so many of them; of the others it takes the largest
#define PADICI_FIELD_CHUNK 2048 // points that a task adds up by itself

// A desc with its defaults, and what follows from it.
typedef struct padici_field_rules {
    padic_field_plan_desc desc;
    uint32_t first;
    uint32_t is_double, planar, spectral; // spectral: derivatives by transforms
    uint32_t terms;                       // those with g
    double g[PADIC_FIELD_TERMS], half[PADIC_FIELD_TERMS]; // half: (p - 2) / 2
    uint32_t of[PADIC_FIELD_TERMS];       // their places in the desc
    uint64_t n[3], points, fields;        // fields: of the batch
    double h[3], x[3], volume;            // x: of point 0
    uint64_t rows, cuts, chunks;          // rows in a chunk; chunks of a row; all of them
} padici_field_rules;

// The caller's memory, which a plan and its transforms take from one end.
typedef struct padici_field_arena {
    char *at;
    uint64_t size, used;
} padici_field_arena;

struct padic_field_plan {
    padic_context *context; // it was made for
    padic_allocator allocator; // its memory's: the context's, or that of `arena`
    padici_field_arena arena;  // `at` NULL: there is none
    void *memory;
    uint64_t size, memory_size;
    padici_field_rules rules;
    double *x[3];      // places
    double *trap[3];   // its part along each axis
    double *k[3];      // K k^2
    double *slope[3];  // k, 0 at the Nyquist mode
    double *turn[2][3]; // factors of kinetic steps of two lengths, complex
    double *line;      // factors of tridiagonal systems, complex: inverses, a correction
    double *potential, *absorber; // NULL: none
    double *part;      // sums of each chunk
    double *array[PADICI_FIELD_ARRAYS]; // complex; the first is psi
    const padici_field_kernels *kernels; // in f64; NULL: the plain loops
    padic_fft_plan *fft[2];              // of axis 0, of the others; with one axis the first
    const padici_field_kernels *fused;   // in psi's precision; NULL: its steps are not fused
    padic_fft_plan *fused_fft[2];        // as `fft`, which they are of C128
    void *angle;                         // of the trap along axis 2, for angle_time
    double angle_time;                   // 0: for none
    void *waves[2];                      // `turn` of axis 0 in psi's precision
    double turn_time[2];                // `turn` is of these; 0: of none
    int turn_imaginary[2];
    double potential_least, potential_most; // with the trap
    double time;
    uint64_t step;
    uint32_t warned, unset; // unset: the last padic_field_plan_set() failed half way
    uint32_t tables;        // how often they were made
    struct {                // in the memory of the context's device: gpu/field/plan.c
        uint32_t made, tables, recorded; // tables of then; a recording uses it
        uint32_t block[5];               // of the pool: tables, sums, numbers of each field and
        padic_mem mem, sums, state, copy; // a record, a copy of psi, with rotation another one
        padic_mem spare;
    } device;
};

// Neighbouring points of a row.
typedef struct padici_field_piece {
    uint64_t at, count, i[3]; // of the first: its number, its indices
} padici_field_piece;

// One way over all points, in any number of threads.
typedef struct padici_field_pass padici_field_pass;
struct padici_field_pass {
    const padic_field_plan *plan;
    void (*piece)(const padici_field_pass *pass, const padici_field_piece *piece, double *sums);
    double *psi, *out;        // complex arrays, of which a piece uses what it needs
    const double *in, *other;
    double value[8];
    uint64_t number[2];
    const padic_tensor *view;
    char *memory;             // of a field of the view
};

PADICI_FN padic_result padici_field_rules_make(padic_context *context,
                                               const padic_field_plan_desc *desc,
                                               padici_field_rules *rules);
PADICI_FN padic_result padici_field_plan_make(padic_context *context,
                                              const padic_field_plan_desc *desc,
                                              padic_field_plan **plan);
PADICI_FN padic_result padici_field_plan_check(padic_context *context,
                                               const padic_field_plan *plan);
PADICI_FN padic_result padici_field_apart(padic_context *context, const char *field,
                                          const padic_tensor *a, const padic_tensor *b);
PADICI_FN void padici_field_plan_end(padic_field_plan *plan);
PADICI_FN padic_result padici_field_transform_plan(padic_context *context, padic_field_plan *plan,
                                                   padic_dtype dtype, uint32_t others,
                                                   padic_fft_plan **fft);
PADICI_FN padic_result padici_field_no_desc(padic_context *context, const char *operation);
PADICI_FN padic_result padici_field_psi_check(padic_context *context, const char *field,
                                              const padici_field_rules *rules,
                                              const padic_tensor *psi);
PADICI_FN padic_result padici_field_real_check(padic_context *context, const char *field,
                                               const padici_field_rules *rules,
                                               const padic_tensor *t);

PADICI_FN void padici_field_run(const padici_field_pass *pass, double sums[PADICI_FIELD_SUMS]);
PADICI_FN void padici_field_load(const padic_field_plan *plan, const padic_tensor *view,
                                 uint64_t field, double *out);
PADICI_FN void padici_field_store(const padic_field_plan *plan, const padic_tensor *view,
                                  uint64_t field, const double *in);
PADICI_FN void padici_field_load_real(const padic_field_plan *plan, const padic_tensor *view,
                                      double *out);
PADICI_FN void padici_field_copy(const padic_field_plan *plan, const double *in, double *out);
PADICI_FN double padici_field_norm(const padic_field_plan *plan, const double *psi);
PADICI_FN void padici_field_scale(const padic_field_plan *plan, double factor, double *psi);

PADICI_FN void padici_field_transform(const padic_field_plan *plan, uint32_t axes,
                                      padic_fft_direction direction, double *psi);
PADICI_FN void padici_field_drift(padic_field_plan *plan, double time, uint32_t which,
                                  int imaginary, double *psi);
PADICI_FN void padici_field_drift_tables(padic_field_plan *plan, double time, uint32_t which,
                                         int imaginary);
PADICI_FN void padici_field_lines_solve(padic_field_plan *plan, uint32_t axis, double re,
                                        double im, double *psi);
PADICI_FN int padici_field_lines_factors(const padici_field_rules *rules, uint32_t axis,
                                         const double *b, double *inverse, double *column,
                                         double *corner);
PADICI_FN void padici_field_cayley(padic_field_plan *plan, double time, int imaginary, double *psi,
                                   double *space);
PADICI_FN void padici_field_split_imaginary(padic_field_plan *plan, double time, double norm);
PADICI_FN void padici_field_smoothen(padic_field_plan *plan, double a, double *psi);
PADICI_FN void padici_field_flow(padic_field_plan *plan, double time, double norm);
PADICI_FN void padici_field_rotation(const padic_field_plan *plan, const double *psi, double *space,
                                     double *out);
PADICI_FN void padici_field_local(const padic_field_plan *plan, const double *psi, double *out);
PADICI_FN void padici_field_limits_of(const padic_field_plan *plan,
                                           padic_field_limits *limits);
PADICI_FN void padici_field_turn(uint64_t count, const double *angle, double *out);
PADICI_FN void padici_field_kinetic(const padic_field_plan *plan, const double *psi, double *out);
PADICI_FN void padici_field_hamilton(const padic_field_plan *plan, const double *psi,
                                     double *space, double *out);
PADICI_FN double padici_field_turning(const padic_field_plan *plan, const double *psi,
                                      double *space);
PADICI_FN void padici_field_record(const padic_field_plan *plan, double *psi, double *space,
                                   double *other, padic_field_record *record);

PADICI_INLINE void padici_field_largest(double *most, double x)
{
    if (x > *most || x != x) *most = x; // a NaN stays
}

// |psi|^(p - 2) of the density, half = (p - 2) / 2.
PADICI_INLINE double padici_field_power(double density, double half)
{
    if (half == 1) return density;
    if (half == 2) return density * density;
    if (half == 0.5) return sqrt(density);
    return density > 0 ? pow(density, half) : 0;
}

// The potential at point i of a piece, and with the density the whole phase's rate U.
PADICI_INLINE double padici_field_potential(const padic_field_plan *plan,
                                            const padici_field_piece *piece, uint64_t i)
{
    const double v = plan->trap[0][piece->i[0]] + plan->trap[1][piece->i[1]] +
                     plan->trap[2][piece->i[2] + i];
    return plan->potential ? v + plan->potential[piece->at + i] : v;
}

PADICI_INLINE double padici_field_rate(const padic_field_plan *plan,
                                       const padici_field_piece *piece, uint64_t i, double density)
{
    double u = padici_field_potential(plan, piece, i);
    uint32_t j;
    for (j = 0; j < plan->rules.terms; j++)
        u += plan->rules.g[j] * padici_field_power(density, plan->rules.half[j]);
    return u;
}

#endif
