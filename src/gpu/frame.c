// ---------------------------------------------------------------------------------------- >>frame

#define PADICI_GPU_DEFINES 16u // of one variant at most

typedef enum padici_variant_state {
    PADICI_VARIANT_NEW = 0,
    PADICI_VARIANT_READY = 1,  // built and tested
    PADICI_VARIANT_DROPPED = 2 // cannot be built here
} padici_variant_state;

// A program built with one set of defines.
typedef struct padici_variant {
    uint64_t key; // hash of what follows
    uint32_t program;
    char *defines; // one a line
    size_t defines_size;
    padici_variant_state state;
    uint64_t dropped; // kernels that failed their test, a bit each
    padici_shape *shapes;
    padici_program built;
} padici_variant;

typedef struct padici_gpu_state { // context->gpu
    padici_variant *variants;
    uint32_t count, capacity;
    // >>tuner: choices + 1 by tunable and size class, 0: not measured; MB/s; time spent
    uint8_t tuned[64][5];
    uint32_t speed[64][5];
    uint32_t tune_loaded, trial, trial_choice; // trial: the tunable that is measured, + 1
    uint64_t tune_ns;
    struct {
        padic_mem mem;
        uint64_t size;
    } kept; // see padici_gpu_kept()
} padici_gpu_state;

typedef struct padici_gpu {
    padic_context *context;
    padici_target *target;
    const padic_device_info *info;
    padici_gpu_state *state;
    uint32_t op; // operation or padic_kernel
    int query;
    uint32_t launches; // done for this call
} padici_gpu;

// One launch.
typedef struct padici_gpu_work {
    uint32_t kernel;            // PADICI_KERNEL_...
    const char *const *defines; // "PD_X=1", ...; they live until the call returns
    uint32_t define_count;
    padic_mem mem[8];
    uint32_t mem_count;
    const void *params; // padici_k_..._params
    uint32_t params_size;
    uint32_t group;     // 0: what the kernel is compiled for; else it must be that
    uint32_t groups[3]; // 0 counts as 1
} padici_gpu_work;

typedef struct padici_gpu_block { // of the pool
    padic_mem mem;
    uint64_t size;
    uint32_t block;
} padici_gpu_block;

// A known-answer test of one kernel. The function fills images, answers, params and groups; it may
// return NOT_SUPPORTED (this variant does not use the kernel) or MEMORY.
typedef struct padici_gpu_case {
    padici_gpu *gpu;
    uint32_t variant, kernel;
    uint32_t round; // 0; one more each time the function has set `again`
    int again;
    uint32_t groups[3]; // 0 counts as 1
    union {
        uint32_t words[64];
        float floats[64];
    } params; // the first params_size bytes of the kernel
    struct {
        unsigned char *image;  // contents before the launch
        unsigned char *answer; // and after; NULL: unchanged
        uint64_t size;
        padic_dtype dtype; // with a bound: F32 or F64
        double bound;      // |result - answer| of each element; 0: the same bits; -1: room, where
                           // anything may stand afterwards
    } buffers[8];
    unsigned char *space;
    size_t used;
} padici_gpu_case;

#define PADICI_GPU_CASE_BYTES (2u << 20)
#define PADICI_GPU_GUARD 64u // bytes behind each buffer that must stay as they are

// The contents of buffer i before the launch: `size` bytes, none of them 0 at first.
PADICI_UNUSED static void *padici_gpu_image(padici_gpu_case *c, uint32_t i, uint64_t size)
{
    const size_t whole = ((size_t)size + PADICI_GPU_GUARD + 15u) & ~(size_t)15u;
    if (whole > PADICI_GPU_CASE_BYTES - c->used) return NULL; // a test asks too much
    c->buffers[i].image = c->space + c->used;
    c->buffers[i].size = size;
    c->used += whole;
    memset(c->buffers[i].image, 0xa5, whole);
    return c->buffers[i].image;
}

// The contents of buffer i after the launch; they begin as a copy of the image.
PADICI_UNUSED static void *padici_gpu_answer(padici_gpu_case *c, uint32_t i)
{
    const size_t whole = ((size_t)c->buffers[i].size + 15u) & ~(size_t)15u;
    if (whole > PADICI_GPU_CASE_BYTES - c->used) return NULL;
    c->buffers[i].answer = c->space + c->used;
    c->used += whole;
    memcpy(c->buffers[i].answer, c->buffers[i].image, (size_t)c->buffers[i].size);
    return c->buffers[i].answer;
}

// The number behind "WORD=" among the lines of a variant; `otherwise` if there is none.
PADICI_UNUSED static uint32_t padici_gpu_define(const padici_gpu_case *c, const char *word,
                                                uint32_t otherwise)
{
    const padici_variant *variant = &c->gpu->state->variants[c->variant];
    const size_t length = strlen(word);
    const char *line = variant->defines, *end = line + variant->defines_size;
    while (line < end) {
        const char *next = (const char *)memchr(line, '\n', (size_t)(end - line));
        if (!strncmp(line, word, length) && line[length] == '=') {
            uint32_t number = 0;
            for (line += length + 1; *line >= '0' && *line <= '9'; line++)
                number = number * 10 + (uint32_t)(*line - '0');
            return number;
        }
        line = next + 1;
    }
    return otherwise;
}

// Whether a device is NVIDIA's, through CUDA, and of this architecture or a later one: "sm_80".
PADICI_UNUSED static int padici_gpu_is_sm(const padici_gpu *gpu, uint32_t least)
{
    const char *arch = gpu->info->arch;
    uint32_t number = 0;
    if (strcmp(gpu->target->backend->name, "cuda") || strncmp(arch, "sm_", 3)) return 0;
    for (arch += 3; *arch >= '0' && *arch <= '9'; arch++)
        number = number * 10 + (uint32_t)(*arch - '0');
    return number >= least;
}

static padic_result padici_gpu_test(const padici_gpu *gpu, uint32_t variant, uint32_t kernel);

