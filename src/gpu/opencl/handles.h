#pragma once
#include "../cache.h"
#include "interface.h"
#include "../../core/platform.h"

#include "../texts.h"
// ---- what the handles of the interface really are

#define PADICI_CL_BATCH 64u        // launches between two clFlush
#define PADICI_CL_DEVICES_MAX 64u  // considered
#define PADICI_CL_PIECE 0x400000u  // bytes of a half of the ring
#define PADICI_CL_RING_FROM 65536u // bytes above which a transfer uses the ring, or maps

typedef struct padici_cl_built_program {
    struct padici_cl_built_program *next;
    const padici_program_text *text;
    padici_cl_program program;
    padici_cl_kernel *kernels; // NULL: the driver could not create it
    uint32_t missing;          // of them
    uint32_t fresh;            // built from source, to be cached
    uint32_t keyed;            // key is set
    padici_cache_key key;
} padici_cl_built_program;

typedef struct padici_cl_node { // one command
    padici_cl_kernel kernel;    // NULL: a copy, or a fill when `from` is 0
    size_t global[3], local[3];
    uint32_t dimensions, value;
    padic_mem to, from;
    size_t at, from_at, size;
} padici_cl_node;

typedef struct padici_cl_recording {
    struct padici_cl_recording *next;
    padici_cl_node *nodes;
    uint32_t count, capacity;
    padic_result result; // the first failure while recording
} padici_cl_recording;

typedef struct padici_cl_ring { // two halves of pinned memory for transfers
    padici_cl_mem mem;
    unsigned char *at;
    padici_cl_event busy[2]; // the pending transfer of each half, or NULL
    uint32_t turn, refused;  // the next half; the driver has no such memory
} padici_cl_ring;

typedef struct padici_cl_copies { // beside the queue, in one of their own
    padici_cl_queue queue;
    padici_cl_event done[PADIC_FETCH_SLOTS];
} padici_cl_copies;

typedef struct padici_cl {
    padici_cl_api api;
    padic_env env;
    padici_cl_platform platform;
    padici_cl_device device;
    padici_cl_context context;
    padici_cl_queue queue;
    padic_device_info info;
    char compiler[64];    // version of the platform
    char *kernel_dir;     // a copy
    uint32_t lost, polls; // polls: its clFinish keeps a core busy
    uint32_t waiting, batch;     // commands since the last flush; number that triggers the next one
    padici_cl_built_program *programs;
    padici_cl_recording *recordings, *recording; // all; the open one
    padici_cl_event stamps[PADIC_TIME_SLOTS];
    padici_cl_ring ring;
    padici_cl_copies copies;
} padici_cl;

