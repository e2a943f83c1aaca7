#pragma once
#include "../core/platform.h"
#include "frame.h"

// Known-answer tests of kernels. A test is a row: the kernel, the number of rounds, groups of a
// launch, the kernel's buffers, and a function that adds what a row cannot express: parameters,
// contents that depend on the variant, and the answer from the library's reference.

#define PADICI_GPU_CASE_BYTES (2u << 20)
#define PADICI_GPU_GUARD 64u // bytes after each buffer that must not change

typedef struct padici_gpu_case { // one round of a test
    padici_gpu *gpu;
    uint32_t variant, kernel, round;
    int again;          // there is another round; the row's rounds, unless the function sets it
    uint32_t groups[3]; // 0 counts as 1
    union {
        uint32_t words[64];
        float floats[64];
    } params; // the first params_size bytes of the kernel
    struct {
        unsigned char *image;  // contents before the launch
        unsigned char *answer; // and after; NULL: unchanged
        uint64_t size;
        padic_dtype dtype; // with a bound: F64, or a type that counts as F32
        double bound;      // |result - answer| of each element; 0: the same bits; -1: room, where
                           // anything may stand afterwards
    } buffers[8];
    unsigned char *space;
    size_t used;
    int failed; // it asked for more than PADICI_GPU_CASE_BYTES
} padici_gpu_case;

enum {                    // contents of a buffer before the launch
    PADICI_FILL_BYTES = 1, // 0xa5
    PADICI_FILL_ZERO,
    PADICI_FILL_SAMPLES, // moderate floats
    PADICI_FILL_WHOLE,   // whole numbers from -8 to 7, whose sums and products are exact
    PADICI_FILL_HASH,    // words
    PADICI_FILL_OUT = 16 // a flag: the kernel writes it
};

typedef struct padici_gpu_test_buffer {
    uint32_t fill; // 0: the function makes this buffer, or the kernel does not read it
    padic_dtype dtype;
    uint32_t count;
    double bound; // as in padici_gpu_case
} padici_gpu_test_buffer;

// groups: the function does not describe a launch. It has the driver work on the device, and
// returns SELF_TEST when the result is wrong. It runs once for all kernels whose rows name it.
#define PADICI_TEST_DRIVEN UINT32_MAX

typedef struct padici_gpu_test {
    uint32_t kernel; // PADICI_KERNEL_...
    uint32_t rounds, groups;
    padic_result (*make)(padici_gpu_case *c); // NOT_SUPPORTED: this variant does not use the kernel
    padici_gpu_test_buffer buffers[8];
} padici_gpu_test;

// Buffers of a row: read, with a fill's contents; written; read and written.
#define PADICI_TEST_IN(fill, dtype, count) {PADICI_FILL_##fill, dtype, count, 0}
#define PADICI_TEST_OUT(dtype, count, bound) \
    {PADICI_FILL_BYTES | PADICI_FILL_OUT, dtype, count, bound}
#define PADICI_TEST_BOTH(fill, dtype, count, bound) \
    {PADICI_FILL_##fill | PADICI_FILL_OUT, dtype, count, bound}
#define PADICI_TEST_NONE {0, PADIC_DTYPE_NONE, 0, 0}
#define PADICI_TESTS_END {0, 0, 0, NULL, {PADICI_TEST_NONE}}

// Buffer i of the case c, both before and after the launch.
#define PADICI_TEST_IMAGE(type, i) ((type *)(void *)c->buffers[i].image)
#define PADICI_TEST_ANSWER(type, i) ((type *)(void *)c->buffers[i].answer)

PADICI_FN void *padici_gpu_image(padici_gpu_case *c, uint32_t i, uint64_t size);
PADICI_FN void *padici_gpu_answer(padici_gpu_case *c, uint32_t i);
PADICI_FN void *padici_gpu_space(padici_gpu_case *c, uint64_t size);
PADICI_FN void *padici_gpu_numbers(padici_gpu_case *c, uint32_t fill, padic_dtype dtype,
                                   uint64_t count);
PADICI_FN void *padici_gpu_make(padici_gpu_case *c, uint32_t i, uint32_t fill, padic_dtype dtype,
                                uint64_t count, double bound);
PADICI_FN padic_result padici_gpu_case_drive(padici_gpu_case *c, uint32_t op, void *desc,
                                             int resident, double bound);
PADICI_FN uint32_t padici_gpu_tested(const padici_gpu *gpu, const char *word, uint32_t otherwise);
PADICI_FN uint32_t padici_gpu_define(const padici_gpu_case *c, const char *word,
                                     uint32_t otherwise);
PADICI_FN padic_result padici_gpu_case_make(padici_gpu_case *c, const padici_gpu_test *test);
PADICI_FN padic_result padici_gpu_test_run(const padici_gpu *gpu, uint32_t variant,
                                           uint32_t kernel);
