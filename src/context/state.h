#pragma once
#include "../core/platform.h"
#include "operation.h"

struct padici_target { // an opened backend
    const padic_backend *backend;
    padic_device *device;
    padic_device_info info;
    uint32_t lost;
    const padic_backend_op *ops[PADIC_OP_COUNT]; // its own ways, by number
};

typedef struct padici_block {
    padic_mem mem;
    uint64_t size; // 0: the record is unused
    uint32_t next; // in its size class when idle, in its recording, among the unused records
    uint32_t idle;
} padici_block;

#define PADICI_POOL_SIZE_CLASSES 74 // 73 sizes from 256 bytes to 64 MiB, and all larger ones

typedef struct padici_pool {
    padici_target *target;
    padici_block *blocks;
    uint32_t count, capacity, unused; // unused: first of the records without a block
    uint32_t idle[PADICI_POOL_SIZE_CLASSES];
} padici_pool;

typedef struct padici_slot { // a buffer
    padic_mem mem;
    uint64_t size;
    uint32_t block; // in pools[0]; PADICI_NO_BLOCK when borrowed
    uint32_t next;  // free slot after this
    uint32_t noted; // serial of the last recording that uses it; 0: none does
    uint16_t generation;
    uint8_t live, host; // host: mem is a host pointer
} padici_slot;

enum {
    PADICI_NODE_LAUNCH = 1,
    PADICI_NODE_COPY,
    PADICI_NODE_FILL
};

typedef struct padici_node { // one call of a recording
    uint32_t kind;
    uint32_t word;               // fill
    uint64_t at, from_at, size;  // copy, fill; of mem[0] and mem[1]
    padic_launch launch;         // its params are:
    uint32_t params[64];
} padici_node;

// Kept by the backend when that records, else as a list. `held` are blocks of the pool that the
// calls use and nothing else may use.
typedef struct padici_recording {
    padic_recording *handle;
    padici_node *nodes;
    uint32_t *buffers; // ids in use
    uint32_t node_count, node_capacity, buffer_count, buffer_capacity;
    uint32_t live, native, stale, held, next;
    uint16_t generation;
} padici_recording;

#define PADICI_KEPT_CALLS 32u

typedef struct padici_kept_call { // a call that LOW_OVERHEAD has seen
    padici_any_desc desc;
    uint64_t hash, bytes, used; // used: when, in calls
    uint32_t op;          // 0: unused
    uint32_t refused;     // cannot be recorded
    padic_record record;  // 0: not yet
} padici_kept_call;

typedef struct padici_span {
    const char *name, *method;
    uint64_t begin, end, bytes, launches; // device times while `pending`
    uint32_t track, pending, slot;        // slot: its first stamp, the second follows
    uint32_t host_clock;                  // a device's work in host times
} padici_span;

typedef struct padici_stamp { // a span that has begun
    uint64_t begin, launches;
    uint32_t slot; // PADIC_TIME_SLOTS: host times
} padici_stamp;

typedef struct padici_clock_pair { // one moment on both clocks
    uint64_t device, host;
} padici_clock_pair;

// The last path of an einsum, with the checksum of what it depends on.
typedef struct padici_tensor_einsum_kept {
    uint64_t hash;
    padic_tensor_path path;
} padici_tensor_einsum_kept;

enum { // what has been said of an operation
    PADICI_LOGGED_FALLBACK = 1,
    PADICI_LOGGED_WARNING = 2 // its own
};

enum { // where only the result is wanted: no profile, no recording, no tuner, nobody who asks
    PADICI_AT_ONCE_TASKS = 1,
    PADICI_AT_ONCE_CALLS = 2 // with a desc: not where a device comes first
};

struct padic_context {
    padic_allocator allocator;
    padic_jobs jobs;
    padic_logger log;
    padic_cache cache;
    padic_clock clock;
    padic_progress progress;
    padic_env env; // passed to the backends
    padici_target targets[PADIC_MAX_BACKENDS + 1]; // buffers live on the first; the CPU is last
    uint32_t target_count, flags, strict, device_flags;
    padici_pool pools[2]; // of the first target, and of host memory when that has none
    padici_slot *buffers;
    uint32_t slot_count, slot_capacity, slot_free, generation;
    padici_span *spans;
    uint32_t span_capacity;
    uint64_t span_count, start;
    padici_clock_pair clock_pair; // the last one; device 0: the device's stamps are not used
    uint32_t stamps;        // slots in use since then; the last slot is for clock pairs
    uint32_t stamp_open;    // a span has begun: its slots must stay
    uint64_t first_pending; // span
    uint64_t device_end;    // of the last span whose times are final
    padici_recording *recordings;
    uint32_t recording_count, recording_capacity, recording_free;
    uint32_t recording;        // the one begun, + 1; 0: none
    const void *pq_next;       // in a plan's step: the desc of the selection after the append
    uint32_t recording_serial; // how many were begun
    padic_result recording_broken;       // of the first call that failed in it
    uint32_t quiet;     // failures are not the caller's: no sentence
    uint32_t said;      // messages so far: a caller that finds no new one writes one
    uint32_t tuning;    // calls are the tuner's: no spans, nothing kept
    uint32_t at_once;   // PADICI_AT_ONCE_...: what is done without the long way
    const char *operation; // the public call that runs; NULL: none that has a name
    const char *method; // of the operation that runs; its backend's name, or its driver's word
    padic_context_ask_report *ask; // calls are only asked, and this says what of them; or NULL
    padic_mode mode;
    padici_kept_call *kept_calls; // PADICI_KEPT_CALLS of them, in LOW_OVERHEAD
    uint64_t op_calls;
    uint32_t tune_ms;
    uint8_t logged[PADIC_OP_COUNT]; // PADICI_LOGGED_...
    void *gpu;          // what src/gpu keeps: programs and what their tests said
    padici_tensor_einsum_kept einsum;
    padic_stats stats;
    padic_op_stats ops[PADIC_OP_COUNT];
    uint64_t done_at_once[PADIC_OP_COUNT]; // calls that `ops` does not count yet
    const char *fault[3]; // of padici_blame()
    char message[512], driver_message[512], recording_message[512]; // the last: what broke it
};

PADICI_FN const padic_allocator *padici_allocator(padic_context *context);
PADICI_FN const padic_logger *padici_logger(padic_context *context);
PADICI_FN const padic_jobs *padici_jobs(padic_context *context);
PADICI_FN const padic_progress *padici_progress(padic_context *context);
PADICI_FN padici_tensor_einsum_kept *padici_context_einsum(padic_context *context);
