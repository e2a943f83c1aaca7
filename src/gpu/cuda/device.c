// -------------------------------------------------------------------------------------- >>device

#define PADICI_CUDA_RING (UINT64_C(4) << 20) // bytes of one of the two halves
#define PADICI_CUDA_SLOTS 65536u             // time stamps

typedef struct padici_cuda_image { // of the environment's allocator
    void *data;
    size_t size;
    uint32_t kind; // PADICI_CACHE_CUBIN, PADICI_CACHE_PTX
} padici_cuda_image;

typedef struct padici_cuda_program {
    struct padici_cuda_program *next;
    void *module;
    uint32_t program, kernel_count;
    uint32_t dynamic;        // bytes of local memory that each launch asks for: PD_DYNAMIC_BYTES
    padici_cuda_image image; // kept with its key for the cache, until keep()
    char *key;
} padici_cuda_program; // then void *functions[kernel_count], NULL for a kernel this variant lacks

typedef struct padici_cuda_recording {
    struct padici_cuda_recording *next;
    void *made; // CUgraphExec
} padici_cuda_recording;

// Pinned memory that uploads pass through: their source is free when the call returns, and the
// queue runs on. One half fills while the other's copies end.
typedef struct padici_cuda_ring {
    char *memory;
    uint64_t used; // of the half in use
    uint32_t half, busy[2];
    void *events[2];
} padici_cuda_ring;

// Stamps are events; times count from a base event, which moves on so that a float of milliseconds
// stays exact.
typedef struct padici_cuda_clock {
    void **events;
    uint64_t *sequence; // when it was stamped; 0: never
    uint32_t count, last;
    uint64_t stamps, base_sequence, base_ns;
    void *base, *spare;
} padici_cuda_clock;

typedef struct padici_cuda { // what a padic_device of this backend is
    padic_env env;
    char nothing[8]; // the message, when the environment has no room for one
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
    padici_cuda_recording *recordings, *recording; // recording: open now
    padici_cuda_ring ring;
    padici_cuda_clock clock;
    uint32_t last_op;
} padici_cuda;

static void **padici_cuda_functions(padici_cuda_program *program)
{
    return (void **)(void *)(program + 1);
}

// Sentences.

static void padici_cuda_say(padici_cuda *cuda, padici_text *text)
{
    padici_text_begin(text, cuda->env.message, cuda->env.message_size);
    padici_text_add(text, "cuda: ");
}

static padic_result padici_cuda_fail(padici_cuda *cuda, padic_result result, const char *sentence)
{
    padici_text text;
    padici_cuda_say(cuda, &text);
    padici_text_add(&text, sentence);
    return result;
}

// Answers after which the driver's context is gone for good.
static int padici_cuda_is_lost(int error)
{
    return error == 700 || error == 702 || error == 710 || (error >= 714 && error <= 719) ||
           error == 999;
}

static void padici_cuda_say_memory(padici_cuda *cuda, padici_text *text, uint64_t asked)
{
    size_t idle = 0, total = 0;
    padici_text_add(text, "; out of device memory");
    if (asked) {
        padici_text_add(text, ": ");
        padici_text_number(text, asked, 1);
        padici_text_add(text, " bytes asked for");
    }
    if (asked && cuda->api.cuMemGetInfo_v2 && !cuda->api.cuMemGetInfo_v2(&idle, &total)) {
        padici_text_add(text, ", ");
        padici_text_number(text, idle, 1);
        padici_text_add(text, " of ");
        padici_text_number(text, total, 1);
        padici_text_add(text, " free");
    }
}

static const char *padici_cuda_op_name(uint32_t op)
{
    return op > PADIC_OP_NONE && op < PADIC_OP_COUNT ? padici_op_rows[op].name : "a launch";
}

// What an answer of the driver means, with a sentence. `asked`: the bytes of an allocation, or 0.
static padic_result padici_cuda_answer(padici_cuda *cuda, int error, const char *call,
                                       uint64_t asked)
{
    padici_text text;
    const char *name = NULL;
    if (!error) return PADIC_OK;
    padici_cuda_say(cuda, &text);
    padici_text_add(&text, call);
    padici_text_add(&text, " answered ");
    padici_text_number(&text, (uint64_t)(uint32_t)error, 1);
    if (cuda->api.cuGetErrorName && !cuda->api.cuGetErrorName(error, &name) && name) {
        padici_text_add(&text, " (");
        padici_text_add(&text, name);
        padici_text_add(&text, ")");
    }
    if (error == 2) {
        padici_cuda_say_memory(cuda, &text, asked);
        return PADIC_ERROR_MEMORY;
    }
    if (padici_cuda_is_lost(error)) {
        cuda->lost = 1;
        if (cuda->is_open) {
            padici_text_add(&text, "; the device is lost after ");
            padici_text_add(&text, padici_cuda_op_name(cuda->last_op));
            padici_text_add(&text, ": run it under compute-sanitizer to see why");
        } else {
            padici_text_add(&text, "; an earlier fault has spoilt CUDA for this process");
        }
        return PADIC_ERROR_DEVICE_LOST;
    }
    if (error >= 900 && error <= 908)
        padici_text_add(&text, "; the capture of the stream forbids it or is broken");
    return PADIC_ERROR_DEVICE;
}

// Every entry point pushes the context and pops it again: enter, then leave with the result.
static padic_result padici_cuda_enter(padici_cuda *cuda)
{
    if (cuda->lost)
        return padici_cuda_fail(cuda, PADIC_ERROR_DEVICE_LOST,
                                "the device is lost: make a new context");
    return padici_cuda_answer(cuda, cuda->api.cuCtxPushCurrent_v2(cuda->context),
                              "cuCtxPushCurrent", 0);
}

static padic_result padici_cuda_leave(padici_cuda *cuda, padic_result result)
{
    void *popped = NULL;
    (void)cuda->api.cuCtxPopCurrent_v2(&popped);
    return result;
}

// Calls that would break a capture are refused before the driver sees them.
static padic_result padici_cuda_no_capture(padici_cuda *cuda, const char *call)
{
    padici_text text;
    int status = 0;
    if (!cuda->recording && !cuda->own_stream && cuda->api.cuStreamIsCapturing &&
        cuda->api.cuStreamIsCapturing(cuda->stream, &status))
        status = 0; // the legacy stream while others capture: the call itself will say so
    if (!cuda->recording && !status) return PADIC_OK;
    padici_cuda_say(cuda, &text);
    padici_text_add(&text, "no ");
    padici_text_add(&text, call);
    padici_text_add(&text, cuda->recording ? " while a recording is open"
                                           : " while the engine captures its stream");
    return PADIC_ERROR_ARGUMENT;
}

static padic_result padici_cuda_enter_idle(padici_cuda *cuda, const char *call)
{
    padic_result result = padici_cuda_enter(cuda);
    if (result) return result;
    result = padici_cuda_no_capture(cuda, call);
    return result ? padici_cuda_leave(cuda, result) : PADIC_OK;
}

