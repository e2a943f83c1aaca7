#pragma once
#include "../context/operation.h"
#include "../core/platform.h"
#include "texts.h"

PADICI_FN padic_result padici_gpu_source(const padic_env *env, const char *kernel_dir,
                                         uint32_t program, const padici_kernel_lines *own,
                                         char **text, size_t *size);

#define PADICI_TUNE_CLASSES 5u  // below 2^12, 2^16, 2^20, 2^24 elements, and above
#define PADICI_TUNE_CHOICES 12u // at most
#define PADICI_TUNE_MOST 64u    // tunables

typedef struct padici_gpu_choice {
    const char *defines[4];
    uint32_t define_count;
    uint32_t number; // for the driver itself: items per thread, parts of a sum's index, ...
} padici_gpu_choice;

typedef struct padici_gpu_tunable {
    const char *name;
    uint32_t area, op, program; // padic_area; operation; the program whose kernels it changes
    uint32_t count;
    padici_gpu_choice choices[PADICI_TUNE_CHOICES];
    // A typical call of a size class: dtypes and shapes of the desc's tensors, without memory or
    // strides. Inputs are filled with padic_random_fill(), outputs with zeros. 0: none.
    int (*example)(padici_any_desc *desc, uint32_t size_class);
    // Largest difference of floats from the CPU's, relative to the largest value; 0: the same bits.
    double bound;
} padici_gpu_tunable;
