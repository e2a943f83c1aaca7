#pragma once
// ------------------------------------------------------------------------------- >>backend API
//
// A backend is some memory, a way to launch a kernel, and optionally its own way of doing an
// operation. Everyone else needs only functions like padic_simd() that return one.
//
// Rules. A call returns PADIC_OK, or a code after writing one sentence to env->message. A failed
// call leaves nothing half made; `out` is zeroed first. There is one queue, in order: launch, copy
// and fill return at once, upload when its source may be used again, download and sync wait. After
// DEVICE_LOST the library calls nothing but free and close. It has validated every argument.

#define PADIC_BACKEND_VERSION 4u // a backend header compares it and stops with #error

typedef struct padic_device padic_device; // these three are the backend's own
typedef struct padic_program padic_program;
typedef struct padic_recording padic_recording;

typedef struct padic_mem {
    uint64_t bits; // cl_mem, CUdeviceptr or host pointer; 0 is none
} padic_mem;

// Lent by the context from open to close.
typedef struct padic_env {
    const padic_allocator *allocator;
    const padic_jobs *jobs;
    const padic_logger *log;
    const padic_cache *cache;
    char *message;
    uint32_t message_size;
    padic_stats *stats; // the context's counters; NULL: nobody counts
    const padic_progress *progress; // NULL, or without `step`: nobody asks
} padic_env;

typedef enum padic_feature {
    PADIC_FEATURE_F64 = 1 << 0,
    PADIC_FEATURE_I64_ATOMICS = 1 << 1,
    PADIC_FEATURE_SUBGROUPS = 1 << 2,
    PADIC_FEATURE_PROGRESS = 1 << 3, // groups make progress while others wait
    PADIC_FEATURE_RECORD = 1 << 4,
    PADIC_FEATURE_TIME = 1 << 5,
    PADIC_FEATURE_UNIFIED = 1 << 6 // device and host share their memory
} padic_feature;

typedef struct padic_device_info {
    char name[64], vendor[32], driver[64], platform[64], arch[16]; // arch "sm_90", "gfx942" or ""
    uint32_t features;                                             // padic_feature
    uint32_t compute_units, max_group;
    uint32_t subgroup; // 0: unknown, never assumed
    uint32_t alignment;
    uint64_t memory, max_alloc, local_bytes; // 0: unknown
} padic_device_info;

// What the context opened first: the device that buffers live on.
PADIC_API void padic_context_device_info(const padic_context *context, padic_device_info *info);

typedef struct padic_program_desc {
    uint32_t program;           // index of the area's kernel text
    const char *const *defines; // "PD_WG=128", ...
    uint32_t define_count;
} padic_program_desc;

typedef struct padic_launch {
    padic_program *program;
    uint32_t kernel; // index in the program's kernel list
    padic_mem mem[8];     // as many as the kernel has buffers
    uint32_t mem_count;   // whole buffers; element offsets travel in params
    const void *params;   // 32-bit values, copied by the call
    uint32_t params_size; // 4 to 256 bytes
    uint32_t group;       // as compiled
    uint32_t groups[3];   // none 0; groups[0] * group < 2^32, the others < 65536
    uint32_t op;          // operation, for profile and messages
} padic_launch;

// For record(): BEGIN: what follows is kept, not run. END: *recording becomes what was kept; also
// on failure nothing is being recorded any more. DROP: frees *recording; NULL there ends what was
// begun and keeps nothing.
typedef enum padic_record_action {
    PADIC_RECORD_BEGIN = 1,
    PADIC_RECORD_END = 2,
    PADIC_RECORD_DROP = 3
} padic_record_action;

// For fetch(): copies to host memory that the queue does not wait for. OPEN: `size` bytes from `to`
// on will be copied to, until CLOSE of the same; it may say NOT_SUPPORTED, and download is there.
// COPY: `size` bytes of `mem` from `at` on, as they are after all that the queue has so far, to
// `to`; neither changes before WAIT of its slot. At most one copy is in a slot, all slots are empty
// at CLOSE.
typedef enum padic_fetch_action {
    PADIC_FETCH_OPEN = 1,
    PADIC_FETCH_COPY = 2,
    PADIC_FETCH_WAIT = 3,
    PADIC_FETCH_CLOSE = 4
} padic_fetch_action;

#define PADIC_FETCH_SLOTS 2u

typedef struct padic_fetch {
    int action;
    uint32_t slot; // COPY, WAIT: below PADIC_FETCH_SLOTS
    padic_mem mem; // COPY
    uint64_t at;
    void *to;
    uint64_t size;
} padic_fetch;

#define PADIC_TIME_SLOTS 256u // time stamps have numbers below it

#define PADIC_BACKEND_HOST 1u  // padic_mem is a host pointer, and every call has ended on return
#define PADIC_BACKEND_PLAIN 2u // and what it refuses is done by the plain reference, in its name

// A backend's own way of an operation. `run` gets the desc with its views checked and `buffer`
// zero. PADIC_BACKEND_HOST: `data` are host pointers, and `mem` is NULL. Else `data` is NULL, and
// mem[i] is the memory of view i, in the order of the desc, absent ones left out, from its element
// `offset` on. `supports` only says OK or NOT_SUPPORTED by dtypes, shapes and strides, since memory
// is not chosen yet; NULL: `run` says so, before it touches memory.
//
// Loops (PADIC_OP_..._LOOP) are inner loops of operations, in host memory. `desc` is their struct,
// below, or of padic_num_call and padic_sparse_call; `run` gets it from any thread and from several
// at once, its pointers are at any alignment. It computes the same bytes as the plain loop, writes
// no message, and may refuse.
typedef struct padic_backend_op {
    uint32_t op; // padic_op
    padic_result (*supports)(padic_device *device, uint32_t op, const void *desc);
    padic_result (*run)(padic_device *device, uint32_t op, void *desc, const padic_mem *mem);
} padic_backend_op;

struct padic_backend {
    uint32_t version; // PADIC_BACKEND_VERSION
    const char *name; // "cuda", "opencl", "simd", "null"
    padic_result (*open)(const padic_env *env, const padic_device_desc *desc, padic_device **out);
    void (*close)(padic_device *device); // waits, frees everything; cannot fail
    void (*info)(padic_device *device, padic_device_info *info);
    padic_result (*alloc)(padic_device *device, uint64_t size, padic_mem *out);
    void (*free)(padic_device *device, padic_mem mem, uint64_t size);
    padic_result (*upload)(padic_device *device, padic_mem mem, uint64_t at, const void *from,
                           uint64_t size);
    padic_result (*download)(padic_device *device, padic_mem mem, uint64_t at, void *to,
                             uint64_t size);
    padic_result (*copy)(padic_device *device, padic_mem to, uint64_t at, padic_mem from,
                         uint64_t from_at, uint64_t size);
    padic_result (*fill)(padic_device *device, padic_mem mem, uint64_t at, uint32_t value,
                         uint64_t size); // at and size in bytes, multiples of 4
    padic_result (*program)(padic_device *device, const padic_program_desc *desc,
                            padic_program **out);
    padic_result (*launch)(padic_device *device, const padic_launch *launch);
    padic_result (*sync)(padic_device *device);
    // Optional from here, NULL when absent.
    padic_result (*record)(padic_device *device, int action, padic_recording **recording);
    padic_result (*replay)(padic_device *device, padic_recording *recording, uint32_t times);
    // `ns` NULL: the queue stamps this slot; else reads it after a sync, in the device's clock.
    padic_result (*time)(padic_device *device, uint32_t slot, uint64_t *ns);
    // Its own ways of operations and, of PADIC_BACKEND_HOST, of loops, in any order.
    const padic_backend_op *ops;
    uint32_t op_count;
    uint32_t flags; // PADIC_BACKEND_HOST
    // By kernels, in a device's memory: padici_gpu_drive() of src/gpu, or NULL. `call` is a
    // padici_call. `query`: only say OK or NOT_SUPPORTED. NOT_SUPPORTED comes before memory is
    // touched.
    padic_result (*drive)(padic_context *context, uint32_t op, void *call, int query);
    // Every kernel of the program gave its known answers: a binary of it may be stored now.
    void (*keep)(padic_device *device, padic_program *program);
    // Builds `count` programs side by side, by the jobs of its environment: for each the result
    // that program() would have, and the handle, NULL on failure.
    void (*programs)(padic_device *device, const padic_program_desc *descs, uint32_t count,
                     padic_program **out, padic_result *results);
    // Copies beside the queue; NULL: there is none.
    padic_result (*fetch)(padic_device *device, const padic_fetch *fetch);
};

// TENSOR_PRODUCT_LOOP: a matrix product of few numbers, c = a b, lines of each without gaps.
typedef struct padic_tensor_product {
    padic_dtype dtype; // F32, F64, C64, C128
    uint32_t rows, columns, depth; // of c; of the sum; not 0
    const void *a, *b;
    void *c; // not a or b, and only written
    int64_t line_a, line_b, line_c; // from line to line, in elements
} padic_tensor_product;

// SAMPLE_LOOP: digit reversal of `count` numbers with everything around it, as the samplers define
// it.
typedef struct padic_sample_call {
    uint32_t base, levels;  // digits
    uint32_t wide;          // 1: 64-bit hashes
    uint32_t full;          // 1: a permutation a node (OWEN_FULL, composite bases), not a d + c
    padic_sample_mode mode; // NONE, PERMUTE, or one a node
    const uint64_t *keys;   // one a level
    uint32_t reversed_in;   // 1: numbers in are reversals
    uint32_t index_out;     // 1: the result is reversed again: an index
    uint64_t group;         // index_out: b^levels, when higher digits stay as they are; else 0
    uint64_t first;         // numbers in: first, first + 1, ...
    const void *index;      // or these: U32 or U64, index_stride elements apart
    uint64_t index_stride;
    padic_dtype index_dtype;
    padic_dtype dtype; // out: U32, U64, F32, F64
    void *out;         // may be `index`, of elements and stride of the same size
    uint64_t out_stride;
    uint32_t integers; // 1: the results themselves (U32, U64), not cut off to the grid of dtype
    uint32_t outside;  // out: 1 if a number in was above `last`; its element is 0
    uint64_t last;
    uint64_t scale; // fractions are over scale + 1
    uint64_t count; // not 0
} padic_sample_call;
