#pragma once
// -------------------------------------------------------------------------------- >>context API
//
// A context holds what lives long: hooks, one device, its pool of memory, statistics and the last
// message. With NULL for it operations of all areas work on host memory, in the calling thread,
// with malloc and without messages. One thread at a time may use a context; different contexts are
// independent.

typedef struct padic_backend padic_backend; // a way to reach a device; see >>backend API

#include "../ops.def"

// Numbers of operations: the same in every build.
typedef enum padic_op {
    PADIC_OP_NONE = 0,
#define PADICI_OP_NUMBER(number, NAME, name, kind, by, rules) PADIC_OP_##NAME = number,
    PADIC_OPS(PADICI_OP_NUMBER)
#undef PADICI_OP_NUMBER
#define PADICI_OP_ONE(number, NAME, name, kind, by, rules) +1
    PADIC_OP_COUNT = 1 PADIC_OPS(PADICI_OP_ONE) // one more than the last
#undef PADICI_OP_ONE
} padic_op;

typedef enum padic_context_flags {
    // An operation that the first backend cannot do is NOT_SUPPORTED instead of being done by a
    // later one. So it is, too, when exactly one backend is named.
    PADIC_CONTEXT_STRICT = 1 << 0,
    PADIC_CONTEXT_PROFILE = 1 << 1, // record spans; without device time stamps operations wait
    PADIC_CONTEXT_DEBUG = 1 << 2    // fill pool memory with 0xCD when it is taken and given back
} padic_context_flags;

typedef enum padic_device_flags {
    PADIC_DEVICE_ALLOW_CPU = 1 << 0,     // a driver that emulates a device on the CPU will do
    PADIC_DEVICE_NO_CACHE = 1 << 1,      // do not use the cache hook for programs
    PADIC_DEVICE_SKIP_SELF_TEST = 1 << 2 // trust the driver's compiler
} padic_device_flags;

// Which device, and what of it the caller already owns. All zero: the best GPU.
typedef struct padic_device_desc {
    const char *name; // part of a device name
    uint32_t index;   // which of those that match
    uint32_t flags;   // padic_device_flags
    // The engine's own, borrowed and never released; their meaning is the backend's.
    void *native_context, *native_queue, *native_device;
    const char *library_path, *compiler_path; // driver and run-time compiler in an unusual place
    const char *kernel_dir;                   // development: read kernel texts from here
} padic_device_desc;

// What the context does with operations on a device, all of which give the same results.
typedef enum padic_mode {
    PADIC_MODE_DEFAULT = 0,  // plain launches; variants of kernels from tables and the cache hook
    PADIC_MODE_OFF,          // plain launches of every kernel's first variant
    PADIC_MODE_LOW_OVERHEAD, // as default; what is called again with the same desc is replayed
    PADIC_MODE_AUTOTUNE      // as default; what was never measured is, before its first use
} padic_mode;

// Nanoseconds from any start, never running backwards.
typedef struct padic_clock {
    uint64_t (*now)(void *user);
    void *user;
} padic_clock;

#define PADIC_MAX_BACKENDS 4

typedef struct padic_context_desc {
    padic_allocator allocator; // zero: malloc
    padic_jobs jobs;           // zero: one thread
    padic_logger log;          // zero: silent
    padic_cache cache;         // zero: none
    const padic_backend *backends[PADIC_MAX_BACKENDS]; // in the order to try; the CPU is last
    padic_device_desc device;
    uint32_t flags;         // padic_context_flags
    uint32_t profile_spans; // how many spans are kept; 0: 4096
    padic_clock clock;      // zero: the C library's best
    padic_progress progress; // zero: none
    padic_mode mode;        // see padic_context_set_mode()
    uint32_t tune_ms;       // AUTOTUNE: most time for all measurements; 0: 2,000
} padic_context_desc;

// Opens the first backend that finds a device, and every one after it that works in host memory.
// One that finds none (NO_DEVICE), or whose driver fails (DEVICE, BUILD), is logged and passed
// over, unless the context is strict. `desc` NULL: all zero. On failure *context is NULL, nothing
// is left allocated, and the sentence went to the log hook.
// Errors: ARGUMENT (context is NULL; unknown bits of flags or device.flags; no mode; one of a
// hook's two functions without the other), NOT_SUPPORTED (backend built for another version),
// MEMORY; strict: the backend's own; VERSION: this file was compiled with another padic.h than the
// implementation, or with flags that lay types out in another way.
#define padic_context_create(desc, context) \
    padic_context_create_for(desc, context, PADIC_VERSION, PADICI_LAYOUT_HERE)
// The layout as this file was compiled: packing and short enums change it.
#define PADICI_LAYOUT_HERE                                                                \
    (PADIC_LAYOUT ^ (uint32_t)(sizeof(padic_context_desc) << 16 ^ sizeof(padic_tensor) << 8 ^ \
                               sizeof(padic_dtype)))
PADIC_API padic_result padic_context_create_for(const padic_context_desc *desc,
                                                padic_context **context, const char *version,
                                                uint32_t layout);
// A context with the best device that the backend headers included before reach: CUDA's, else
// OpenCL's, else the CPU with vectors; what that cannot do the CPU does. Errors: as above.
#define padic_context_create_best(context)                                                    \
    padic_context_create_of(PADICI_BEST_CUDA, PADICI_BEST_OPENCL, PADICI_BEST_SIMD, context, \
                            PADIC_VERSION, PADICI_LAYOUT_HERE)
#define PADICI_BEST_CUDA NULL // these headers put their own there
#define PADICI_BEST_OPENCL NULL
#define PADICI_BEST_SIMD NULL
PADIC_API padic_result padic_context_create_of(const padic_backend *first,
                                               const padic_backend *second,
                                               const padic_backend *third,
                                               padic_context **context, const char *version,
                                               uint32_t layout);
// Frees everything the context owns, buffers included. NULL is fine.
PADIC_API void padic_context_destroy(padic_context *context);
// What went wrong last; "" when nothing has. Valid until the next call.
PADIC_API const char *padic_context_message(const padic_context *context);
// Waits until the device has done everything. Errors: ARGUMENT (no context, in a recording),
// DEVICE, DEVICE_LOST.
PADIC_API padic_result padic_context_sync(padic_context *context);

// Changes the mode from the next operation on. padic_stats shows what happened: `launches` were
// handed to the driver one by one, `recorded_nodes` kept, `replays` run from what was kept,
// `tuner_candidates` timed.
//
// LOW_OVERHEAD: the second call of an operation with the same desc, byte by byte, records its
// launches; that call and all later ones replay them. It holds for padic_fill(), padic_copy() and
// padic_random_fill(), for waves but for normalise and winding, and for padic_tensor_gemm() and
// padic_tensor_contract(), where the device does them by launches and all that the desc points at
// lies in its buffers (no report, table or value in host memory). Every other call runs as by
// default: of numbers, sparse matrices, samplers and the codec, of factorisations, and all in host
// memory. Destroying one of a call's buffers ends its replays. Up to 32 calls are kept, with their
// scratch; the one unused longest makes room. They end with the mode; what padic_record_end() gave
// stays. Errors: ARGUMENT (no context, no mode, in a recording), MEMORY.
PADIC_API padic_result padic_context_set_mode(padic_context *context, padic_mode mode);
PADIC_API padic_mode padic_context_mode(const padic_context *context);

typedef enum padic_area {
    PADIC_AREA_BASE = 1 << 0, // fill, copy, random_fill
    PADIC_AREA_SAMPLE = 1 << 1,
    PADIC_AREA_NUM = 1 << 2,
    PADIC_AREA_SPARSE = 1 << 3,
    PADIC_AREA_WAVE = 1 << 4,
    PADIC_AREA_TENSOR = 1 << 5,
    PADIC_AREA_CODEC = 1 << 6,
    PADIC_AREA_FFT = 1 << 7,
    PADIC_AREA_RNN = 1 << 8,
    PADIC_AREA_CDT = 1 << 9,
    PADIC_AREA_FIELD = 1 << 10,
    PADIC_AREA_ROLLOUT = 1 << 11,
    PADIC_AREA_PQ = 1 << 12,
    PADIC_AREA_ALL = (1 << 13) - 1,
    PADIC_AREA_ASKED = 1 << 30 // for padic_context_prewarm()
} padic_area;

// Builds ahead, and tests, the programs that most calls of these areas use (0: all areas), so that
// the first call does not wait for a compiler. A kernel that does not work on this device is
// logged, counted in `self_tests_failed` and not an error. In host memory there is nothing to do.
// PADIC_AREA_ASKED: those that calls need which were only asked (padic_context_ask()); they are
// built side by side by the context's jobs where the backend can (CUDA), and tested at first use.
// One that cannot be built is tried again by the call that needs it, which says why.
//
//     padic_context_ask(context, &report);
//     for (i = 0; i < count; i++) padic_rollout_run(context, &desc[i]); // returns ASKED
//     padic_context_ask(context, NULL);
//     padic_context_prewarm(context, PADIC_AREA_ASKED);
//
// Errors: ARGUMENT (no context, unknown bits of areas, in a recording), MEMORY, DEVICE,
// DEVICE_LOST.
PADIC_API padic_result padic_context_prewarm(padic_context *context, uint32_t areas);

// Measures on this device which variant of these areas' kernels is fastest (0: all areas), for
// calls of five sizes, in about `budget_ms` of host time (0: 200), compilation included. A variant
// changes speed only: each result is compared with the CPU's, and bit for bit with the first
// variant's. What was found is used from now on, except in mode OFF, and goes through the cache
// hook to later contexts. What the budget does not reach stays as it was. Errors: as above.
PADIC_API padic_result padic_context_tune(padic_context *context, uint32_t areas,
                                          uint32_t budget_ms);

// What calls would do that are only asked.
typedef struct padic_context_ask_report {
    uint64_t calls;       // how many were asked
    padic_op op;          // of the last one, like the two below
    padic_result result;  // OK, or the error that it returned
    const char *backend;  // who would do it ("cpu", ...); "" after an error
} padic_context_ask_report;

// From here on operations are only asked, until this is called with NULL: each call of any padic_op
// checks its arguments and chooses a backend as ever, writes no result (its own report may become
// zero), and returns ASKED where it would have been done, else its error. What only the data or
// a driver can say is not known (NOT_FINITE, MEMORY, a kernel that fails its self-test). A function
// made of several operations stops at the first. A function without a padic_op runs as ever, for
// real (padic_num_check(), padic_num_valuation_of(), padic_num_from_text(), padic_num_to_text(),
// padic_sample_halton_index(), a codec stream from padic_codec_pack_begin() or
// padic_codec_unpack_begin() on), and so does everything else of the context.
//
//     padic_context_ask(context, &report);
//     padic_num_mul(context, &product, &a, &b);
//     padic_context_ask(context, NULL);
//     if (!report.result) puts(report.backend);
//
// Errors: ARGUMENT (no context, in a recording).
PADIC_API padic_result padic_context_ask(padic_context *context, padic_context_ask_report *report);

// Frees idle pool memory, largest blocks first, until live and idle memory together are at most
// `keep` bytes. 0: 1.2 times the most that was ever live.
PADIC_API void padic_context_trim(padic_context *context, uint64_t keep);

typedef struct padic_op_stats {
    uint64_t calls;        // succeeded
    uint64_t fallbacks;    // of them, not by the first backend
    uint64_t staged_bytes; // moved between host and device because operand and work lay apart
    const char *backend;   // of the last call: who did it, and how; NULL: none yet
    const char *method;
} padic_op_stats;

// Counters since the context was made. All of them only grow, but for the three marked *.
typedef struct padic_stats {
    uint64_t launches, syncs, programs;
    uint64_t uploads, upload_bytes, downloads, download_bytes, copies, fills;
    uint64_t host_allocations;   // by the context itself, from the allocator hook
    uint64_t device_allocations; // by the pool, from a backend (the CPU included)
    uint64_t pool_hits;          // blocks used again
    uint64_t pool_live, pool_idle, pool_peak; // * bytes; peak is the most ever live
    uint64_t spans_lost;                      // profile spans overwritten by later ones
    uint64_t build_ns;                        // host time in program builds, loads included
    uint64_t cache_hits, cache_misses;        // lookups through the cache hook
    uint64_t cache_bad;                       // damaged ones, and those that a driver refused
    uint64_t self_tests, self_tests_failed;   // kernels tried on this device
    uint64_t recorded_nodes, replays;         // launches, copies and fills kept; runs of them
    uint64_t tuner_candidates;                // variants timed
} padic_stats;

// Copies the counters; all are 0 without a context.
PADIC_API void padic_context_stats(const padic_context *context, padic_stats *stats);
// Those of one operation; all are 0 without a context and for what is no operation.
PADIC_API void padic_context_op_stats(const padic_context *context, padic_op op,
                                      padic_op_stats *stats);

typedef struct padic_context_describe_report {
    uint64_t size; // bytes of the whole text without its final 0, also with CAPACITY
} padic_context_describe_report;

// All of that as a text to print or log, which ends with a 0: a line each for the backends with
// their devices, drivers, features and limits; mode and memory; what was built, tested, recorded
// and tuned; by which backend and method each operation was done last.
// Errors: ARGUMENT (no context; text in a buffer, or with a capacity but no memory), CAPACITY (the
// text was cut, or capacity is 0: only its size is asked for).
typedef struct padic_context_describe_desc {
    padic_bytes text; // host memory; 4096 bytes are mostly enough
    padic_context_describe_report *report;
} padic_context_describe_desc;
PADIC_API padic_result padic_context_describe(padic_context *context,
                                              const padic_context_describe_desc *desc);

// Runs a small fixed set of everything D0 and returns a hash. Programs that must compute the same
// bytes (lockstep peers, a build farm) compare it. It changes only with the version, and when the
// codec or the default allocator is left out.
PADIC_API uint64_t padic_self_hash(void);

