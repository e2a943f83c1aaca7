#pragma once
#include "../context/launch.h"
#include "../context/ops.h"
#include "../context/state.h"
#include "../core/platform.h"
#include "texts.h"

#define PADICI_GPU_DEFINES 16u // at most, for one variant
#define PADICI_GPU_TOGETHER 32u // programs built side by side
#define PADICI_GPU_FFT_KEPT 64u
#define PADICI_GPU_FFT_BYTES (UINT64_C(1) << 27)

typedef enum padici_variant_state {
    PADICI_VARIANT_NEW = 0,
    PADICI_VARIANT_READY = 1,   // built and tested
    PADICI_VARIANT_DROPPED = 2, // cannot be built here
    PADICI_VARIANT_TESTING = 3  // the tests of others that its own needs may use it
} padici_variant_state;

// A program built with one set of defines.
typedef struct padici_variant {
    uint64_t key; // hash of what follows
    uint32_t program;
    char *defines; // one per line
    size_t defines_size;
    padici_variant_state state;
    uint64_t dropped; // kernels that failed their test, one bit each
    padici_shape *shapes;
    padici_program built;
} padici_variant;

typedef struct padici_gpu_state { // context->gpu
    padici_variant *variants;
    uint32_t count, capacity;
    // >>tuner: choices + 1 by tunable and size class, 0: not measured; MB/s; time spent
    uint8_t tuned[64][5];
    uint32_t speed[64][5];
    uint32_t tune_loaded, trial, trial_choice; // trial: the measured tunable, + 1
    uint64_t tune_ns;
    struct {
        padic_mem mem;
        uint64_t size;
    } kept; // see padici_gpu_kept()
    struct {
        uint32_t n, is_double, block; // n 0: none
        uint32_t recorded;            // launches of a recording use it
        uint64_t size, used;
        padic_mem mem;
    } fft[PADICI_GPU_FFT_KEPT]; // tables of transforms, by length: gpu/fft/tables.c
    uint64_t fft_bytes, fft_calls;
    struct { // keys that the selection of this recorded step adds: gpu/pq/once.c
        uint32_t waits, dtype, lo, hi, step[4];
    } pq_keys;
} padici_gpu_state;

typedef struct padici_gpu {
    padic_context *context;
    padici_target *target;
    const padic_device_info *info;
    padici_gpu_state *state;
    uint32_t op; // operation or padic_kernel
    void *call; // of `op`; NULL: a service
    int query, gathers; // gathers: a query that notes the variants it needs
    int gathered;       // this call's have been noted and built
    uint32_t launches;  // of this call so far
    uint32_t tested;   // the variant under test, + 1: launches of its program use it
} padici_gpu;

// The rows of src/ops.def that have kernels, in a device's memory. `query`: only checks support.
#define PADICI_GPU_DECLARE_0(name)
#define PADICI_GPU_DECLARE_1(name) \
    PADICI_FN padic_result padici_gpu_##name(padici_gpu *gpu, const padici_call *call, int query);
#define PADICI_GPU_DECLARE_2(name)
#define PADICI_GPU_DECLARE_3(name) PADICI_GPU_DECLARE_1(name)
#define PADICI_GPU_DECLARE(number, NAME, name, kind, by, rules) PADICI_GPU_DECLARE_##by(name)
PADICI_OPS_HERE(PADICI_GPU_DECLARE)
#undef PADICI_GPU_DECLARE
#undef PADICI_GPU_DECLARE_0
#undef PADICI_GPU_DECLARE_1
#undef PADICI_GPU_DECLARE_2
#undef PADICI_GPU_DECLARE_3

// One launch.
typedef struct padici_gpu_work {
    uint32_t kernel;            // PADICI_KERNEL_...
    const char *const *defines; // "PD_X=1", ...; valid until the call returns
    uint32_t define_count;
    padic_mem mem[8];
    uint32_t mem_count;
    const void *params; // padici_k_..._params
    uint32_t params_size;
    uint32_t group;     // 0: the compiled size; otherwise it must equal that
    uint32_t groups[3]; // 0 counts as 1
} padici_gpu_work;

typedef struct padici_gpu_block { // of the pool
    padic_mem mem;
    uint64_t size;
    uint32_t block;
} padici_gpu_block;

PADICI_FN int padici_gpu_is_sm(const padici_gpu *gpu, uint32_t least);
