#pragma once
#include "../../core/log.h"
#include "../../core/platform.h"
#include "loader.h"

#define PADICI_CUDA_RING (UINT64_C(4) << 20) // bytes of one of the two halves
#define PADICI_CUDA_SLOTS 65536u             // time stamps

typedef struct padici_cuda_image { // belongs to the environment's allocator
    void *data;
    size_t size;
    uint32_t kind; // PADICI_CACHE_CUBIN, PADICI_CACHE_PTX
} padici_cuda_image;

typedef struct padici_cuda_program {
    struct padici_cuda_program *next;
    void *module;
    uint32_t program, kernel_count;
    uint32_t dynamic;        // bytes of local memory of each launch: PD_DYNAMIC_BYTES
    uint32_t cooperative;    // PD_COOPERATIVE=1: all groups of a launch run at a time
    padici_cuda_image image; // stored with its key for the cache, until keep()
    char *key;
} padici_cuda_program; // then void *functions[kernel_count], NULL for a kernel this variant lacks

typedef struct padici_cuda_recording {
    struct padici_cuda_recording *next;
    void *made; // CUgraphExec
} padici_cuda_recording;

// Pinned memory for uploads: the source is free when the call returns, and the queue runs on. One
// half fills while the copies of the other one finish.
typedef struct padici_cuda_ring {
    char *memory;
    uint64_t used; // of the half in use
    uint32_t half, busy[2];
    void *events[2];
} padici_cuda_ring;

// Copies beside the queue: a stream of their own, which waits for `ready` of the queue.
typedef struct padici_cuda_copies {
    void *stream, *ready, *done[PADIC_FETCH_SLOTS];
} padici_cuda_copies;

// Stamps are events; times count from a base event, which advances so that a float of milliseconds
// stays exact.
typedef struct padici_cuda_clock {
    void **events;
    uint64_t *sequence; // order of the stamp; 0: never stamped
    uint32_t count, last;
    uint64_t stamps, base_sequence, base_ns;
    void *base, *spare;
} padici_cuda_clock;

typedef struct padici_cuda { // the padic_device of this backend
    padic_env env;
    char nothing[8]; // the message, when the environment has no buffer for one
    padici_cuda_api api;
    padici_nvrtc_api nvrtc;
    uint32_t is_open, has_nvrtc, retained, own_stream, lost;
    int device, driver, arch; // arch 90: compute capability 9.0
    int nvrtc_major, nvrtc_minor;
    int exact, virtual_arch; // NVRTC compiles for this chip; the best compute_ it has for it
    void *context, *stream;
    char *kernel_dir; // a copy
    padic_device_info info;
    padici_cuda_program *programs;
    padici_cuda_recording *recordings, *recording; // recording: the open one
    padici_cuda_ring ring;
    padici_cuda_copies copies;
    padici_cuda_clock clock;
    uint32_t last_op;
} padici_cuda;

PADICI_FN void **padici_cuda_functions(padici_cuda_program *program);
PADICI_FN void padici_cuda_say(padici_cuda *cuda, padici_text *text);
PADICI_FN padic_result padici_cuda_fail(padici_cuda *cuda, padic_result result,
                                        const char *sentence);
PADICI_FN padic_result padici_cuda_answer(padici_cuda *cuda, int error, const char *call,
                                          uint64_t asked);
PADICI_FN padic_result padici_cuda_enter(padici_cuda *cuda);
PADICI_FN padic_result padici_cuda_leave(padici_cuda *cuda, padic_result result);
PADICI_FN padic_result padici_cuda_no_capture(padici_cuda *cuda, const char *call);
PADICI_FN padic_result padici_cuda_enter_idle(padici_cuda *cuda, const char *call);
