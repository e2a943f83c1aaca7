#pragma once
#include "../core/platform.h"
#include "../made/programs.h"
#include <stdio.h>

// The programs and their texts: src/kernels, by tools/kernels.py.

typedef struct padici_kernel_text {
    const char *name;
    uint32_t buffers, params_size;
    uint32_t group;         // items of a group, unless
    const char *group_word; // this is defined (NULL: nothing changes it)
} padici_kernel_text;

typedef struct padici_program_text {
    const char *name;
    uint32_t cuda;         // for CUDA only
    const uint16_t *texts; // compiled after the dialect, in this order
    uint32_t text_count;
    const padici_kernel_text *kernels;
    uint32_t kernel_count;
    uint64_t hash; // of the dialect and the texts
} padici_program_text;

// A text: number 0 is the dialect, those from PADICI_TEXT_SHARED on are for CUDA only.
typedef struct padici_kernel_lines {
    const char *name; // of its file below src/kernels
    const char *const *lines;
    uint32_t count;
} padici_kernel_lines;

#include "../made/program_table.h"
