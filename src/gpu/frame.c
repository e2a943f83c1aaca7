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

// Whether a kernel's text is for this device at all.
static int padici_gpu_reads(const padici_gpu *gpu, uint32_t program)
{
    return program < PADICI_PROGRAM_COUNT &&
           (!padici_programs[program].cuda || !strcmp(gpu->target->backend->name, "cuda"));
}

static uint64_t padici_variant_key(uint32_t program, const char *const *defines, uint32_t count)
{
    uint64_t hash = 0xcbf29ce484222325u ^ program;
    uint32_t i;
    for (i = 0; i < count; i++) {
        const char *c = defines[i];
        for (; *c; c++) hash = (hash ^ (uint8_t)*c) * 0x100000001b3u;
        hash = (hash ^ '\n') * 0x100000001b3u;
    }
    return hash;
}

static int padici_variant_is(const padici_variant *v, uint32_t program, const char *const *defines,
                             uint32_t count)
{
    const char *at = v->defines;
    size_t left = v->defines_size;
    uint32_t i;
    if (v->program != program) return 0;
    for (i = 0; i < count; i++) {
        const size_t length = strlen(defines[i]);
        if (left <= length || memcmp(at, defines[i], length) || at[length] != '\n') return 0;
        at += length + 1;
        left -= length + 1;
    }
    return !left;
}

// The number of a variant; state->count when it is not there.
static uint32_t padici_variant_find(const padici_gpu_state *state, uint32_t program,
                                    const char *const *defines, uint32_t count)
{
    const uint64_t key = padici_variant_key(program, defines, count);
    uint32_t i;
    for (i = 0; state && i < state->count; i++)
        if (state->variants[i].key == key &&
            padici_variant_is(&state->variants[i], program, defines, count))
            return i;
    return i;
}

// Adds a variant, not built yet.
static padic_result padici_variant_add(padici_gpu *gpu, uint32_t program,
                                       const char *const *defines, uint32_t count)
{
    padic_context *context = gpu->context;
    padici_gpu_state *state = gpu->state;
    const padici_program_text *text = &padici_programs[program];
    padici_variant *v;
    char *at;
    uint32_t i;
    padic_result result =
        padici_grow(context, (void **)&state->variants, &state->capacity, state->count, sizeof *v);
    if (result) return result;
    v = &state->variants[state->count];
    memset(v, 0, sizeof *v);
    v->program = program;
    v->key = padici_variant_key(program, defines, count);
    for (i = 0; i < count; i++) v->defines_size += strlen(defines[i]) + 1;
    v->defines = (char *)padici_alloc(&context->allocator, v->defines_size, 16);
    v->shapes = (padici_shape *)padici_alloc(&context->allocator,
                                             text->kernel_count * sizeof *v->shapes, 16);
    if (!v->defines || !v->shapes) {
        padici_free(&context->allocator, v->defines, v->defines_size);
        padici_free(&context->allocator, v->shapes, text->kernel_count * sizeof *v->shapes);
        return padici_fail(context, PADIC_ERROR_MEMORY, "out of host memory");
    }
    context->stats.host_allocations += 2;
    for (at = v->defines, i = 0; i < count; i++) {
        const size_t length = strlen(defines[i]);
        memcpy(at, defines[i], length);
        at[length] = '\n';
        at += length + 1;
    }
    state->count++;
    return PADIC_OK;
}

// The shape of each kernel under the defines.
static void padici_variant_shapes(padici_variant *v, const char *const *defines, uint32_t count)
{
    const padici_program_text *text = &padici_programs[v->program];
    uint32_t i, j;
    for (i = 0; i < text->kernel_count; i++) {
        const padici_kernel_text *kernel = &text->kernels[i];
        const size_t length = kernel->group_word ? strlen(kernel->group_word) : 0;
        v->shapes[i].buffers = kernel->buffers;
        v->shapes[i].params_size = kernel->params_size;
        v->shapes[i].group = kernel->group;
        for (j = 0; j < count && length; j++) {
            const char *c = defines[j] + length;
            if (strncmp(defines[j], kernel->group_word, length) || *c++ != '=') continue;
            for (v->shapes[i].group = 0; *c >= '0' && *c <= '9' && v->shapes[i].group < 100000; c++)
                v->shapes[i].group = v->shapes[i].group * 10 + (uint32_t)(*c - '0');
        }
    }
}

// What the device can do goes in front of the variant's own defines.
static padic_result padici_variant_compile(padici_gpu *gpu, padici_variant *v,
                                           const char *const *defines, uint32_t count)
{
    const char *all[PADICI_GPU_DEFINES + 3];
    char local[32];
    padici_text text;
    padic_program_desc desc;
    uint32_t n = 0, i;
    const uint32_t features = gpu->info->features;
    all[n++] = features & PADIC_FEATURE_F64 ? "PD_HAS_F64=1" : "PD_HAS_F64=0";
    all[n++] =
        features & PADIC_FEATURE_I64_ATOMICS ? "PD_HAS_I64_ATOMICS=1" : "PD_HAS_I64_ATOMICS=0";
    padici_text_begin(&text, local, sizeof local);
    padici_text_add(&text, "PD_LOCAL_BYTES=");
    padici_text_number(&text, gpu->info->local_bytes ? gpu->info->local_bytes : 16384, 1);
    all[n++] = local;
    for (i = 0; i < count; i++) all[n++] = defines[i];
    desc.program = v->program;
    desc.defines = all;
    desc.define_count = n;
    return padici_program_build(gpu->context, &desc, padici_programs[v->program].kernel_count,
                                v->shapes, &v->built);
}

// Failures that come again; others (no memory, device lost) are the caller's to hear.
static int padici_gpu_final(padic_result result)
{
    return result == PADIC_ERROR_BUILD || result == PADIC_ERROR_NOT_SUPPORTED ||
           result == PADIC_ERROR_LIMIT || result == PADIC_ERROR_DEVICE ||
           result == PADIC_ERROR_SELF_TEST;
}

// One line in the log: what is not used here, and why.
static void padici_gpu_log_drop(const padici_gpu *gpu, const char *name, const char *why)
{
    padici_text text;
    char space[256];
    padici_text_begin(&text, space, sizeof space);
    padici_text_add(&text, name);
    padici_text_add(&text, " is not used on ");
    padici_text_add(&text, gpu->info->name);
    padici_text_add(&text, ": ");
    padici_text_add(&text, why);
    padici_log_write(&gpu->context->log, PADIC_LOG_WARNING, gpu->op, space);
}

// Tests every kernel of a built variant.
static padic_result padici_variant_test(padici_gpu *gpu, uint32_t index)
{
    padic_context *context = gpu->context;
    padici_variant *v = &gpu->state->variants[index];
    const padici_program_text *text = &padici_programs[v->program];
    padic_result result;
    uint32_t i;
    v->dropped = 0;
    for (i = 0; i < text->kernel_count; i++) {
        if (context->device_flags & PADIC_DEVICE_SKIP_SELF_TEST) break;
        result = padici_gpu_test(gpu, index, i);
        if (result && !padici_gpu_final(result)) return result;
        if (!result) continue;
        v->dropped |= UINT64_C(1) << i;
        context->stats.self_tests_failed++;
        padici_gpu_log_drop(gpu, text->kernels[i].name,
                            result == PADIC_ERROR_SELF_TEST ? "its self-test fails"
                                                            : "its self-test cannot run");
    }
    if (!v->dropped && gpu->target->backend->keep)
        (*gpu->target->backend->keep)(gpu->target->device, v->built.handle);
    return PADIC_OK;
}

// Builds and tests what has not been. NOT_SUPPORTED: the kernel is not to be used.
static padic_result padici_gpu_ready(padici_gpu *gpu, uint32_t kernel, const char *const *defines,
                                     uint32_t count, uint32_t *index)
{
    const uint32_t program = kernel >> 16, bit = kernel & 0xffffu;
    padici_variant *v;
    padic_result result;
    if (!padici_gpu_reads(gpu, program)) return PADIC_ERROR_NOT_SUPPORTED;
    if (bit >= padici_programs[program].kernel_count || count > PADICI_GPU_DEFINES)
        return padici_fail(gpu->context, PADIC_ERROR_ARGUMENT, "launch: no such kernel");
    *index = padici_variant_find(gpu->state, program, defines, count);
    if (*index == gpu->state->count) {
        result = padici_variant_add(gpu, program, defines, count);
        if (result) return result;
    }
    v = &gpu->state->variants[*index];
    if (v->state == PADICI_VARIANT_NEW && !v->built.handle) {
        padici_variant_shapes(v, defines, count);
        result = padici_variant_compile(gpu, v, defines, count);
        if (result && !padici_gpu_final(result)) return result;
        if (result) {
            v->state = PADICI_VARIANT_DROPPED;
            padici_gpu_log_drop(gpu, padici_programs[program].name, "it cannot be built");
        }
    }
    if (v->state == PADICI_VARIANT_NEW) {
        if (gpu->context->recording)
            return padici_fail(gpu->context, PADIC_ERROR_ARGUMENT,
                               "recording: a kernel is untested; run the work once before");
        result = padici_variant_test(gpu, *index);
        if (result) return result;
        v->state = PADICI_VARIANT_READY;
    }
    return v->state == PADICI_VARIANT_DROPPED || (v->dropped >> bit & 1) ? PADIC_ERROR_NOT_SUPPORTED
                                                                         : PADIC_OK;
}

// Names a kernel that the driver is going to launch. In a query: NOT_SUPPORTED when it is known not
// to be used. Else it is built and tested now, before anything has been touched.
PADICI_UNUSED static padic_result padici_gpu_need(padici_gpu *gpu, uint32_t kernel,
                                                  const char *const *defines, uint32_t count)
{
    uint32_t index = 0;
    const padici_variant *v;
    if (!gpu->query) return padici_gpu_ready(gpu, kernel, defines, count, &index);
    if (!padici_gpu_reads(gpu, kernel >> 16)) return PADIC_ERROR_NOT_SUPPORTED;
    index = padici_variant_find(gpu->state, kernel >> 16, defines, count);
    if (!gpu->state || index == gpu->state->count) return PADIC_OK;
    v = &gpu->state->variants[index];
    return v->state == PADICI_VARIANT_DROPPED || (v->dropped >> (kernel & 0xffffu) & 1)
               ? PADIC_ERROR_NOT_SUPPORTED
               : PADIC_OK;
}

// Without asking whether the variant has been tested.
static padic_result padici_gpu_launch_in(const padici_gpu *gpu, uint32_t index,
                                         const padici_gpu_work *work)
{
    const padici_variant *v = &gpu->state->variants[index];
    padic_launch launch;
    uint32_t i;
    memset(&launch, 0, sizeof launch);
    launch.kernel = work->kernel & 0xffffu;
    launch.group = work->group ? work->group : v->shapes[launch.kernel].group;
    launch.mem_count = work->mem_count;
    for (i = 0; i < 8 && i < work->mem_count; i++) launch.mem[i] = work->mem[i];
    for (i = 0; i < 3; i++) launch.groups[i] = work->groups[i] ? work->groups[i] : 1;
    launch.params = work->params;
    launch.params_size = work->params_size;
    launch.op = gpu->op;
    return padici_launch(gpu->context, &v->built, &launch);
}

// Builds and tests the kernel if that has not been done, and launches it. NOT_SUPPORTED: it is not
// to be used on this device.
PADICI_UNUSED static padic_result padici_gpu_launch(padici_gpu *gpu, const padici_gpu_work *work)
{
    uint32_t index = 0;
    padic_result result =
        padici_gpu_ready(gpu, work->kernel, work->defines, work->define_count, &index);
    if (!result) result = padici_gpu_launch_in(gpu, index, work);
    if (!result) gpu->launches++;
    return result;
}

// Device memory for the time of a call, from the pool. After padici_gpu_scratch_end() launches
// may use it at once: the queue is in order.
PADICI_UNUSED static padic_result padici_gpu_scratch(padici_gpu *gpu, uint64_t size,
                                                     padici_gpu_block *out)
{
    padici_pool *pool = &gpu->context->pools[0];
    padic_result result;
    memset(out, 0, sizeof *out);
    out->block = PADICI_NO_BLOCK;
    result = padici_pool_take(gpu->context, pool, size, &out->block);
    if (result) {
        out->block = PADICI_NO_BLOCK;
        return result;
    }
    out->mem = pool->blocks[out->block].mem;
    out->size = size;
    return PADIC_OK;
}

PADICI_UNUSED static void padici_gpu_scratch_end(padici_gpu *gpu, padici_gpu_block *block)
{
    if (block->block != PADICI_NO_BLOCK)
        padici_pool_give(gpu->context, &gpu->context->pools[0], block->block);
    block->block = PADICI_NO_BLOCK;
    block->mem.bits = 0;
}

// Device memory that is all 0, for kernels that leave it so. A larger block takes the place of one
// that is too small, which stays as long as the context, since recorded launches may have it.
// NOT_SUPPORTED: a recording would need a larger one, whose fill does not run now.
PADICI_UNUSED static padic_result padici_gpu_kept(padici_gpu *gpu, uint64_t size, padic_mem *out)
{
    padici_gpu_state *state = gpu->state;
    padici_gpu_block block;
    padic_result result;
    *out = state->kept.mem;
    if (size <= state->kept.size) return PADIC_OK;
    if (gpu->context->recording) return PADIC_ERROR_NOT_SUPPORTED;
    size = size < 65536 ? 65536 : 2 * size;
    result = padici_gpu_scratch(gpu, size, &block);
    if (result) return result;
    result = padici_target_fill(gpu->context, gpu->target, block.mem, 0, 0, size);
    if (result) {
        padici_gpu_scratch_end(gpu, &block);
        return result;
    }
    *out = state->kept.mem = block.mem;
    state->kept.size = size;
    return PADIC_OK;
}

// Host memory to device memory and back, in the order of the launches; see padic_backend.
PADICI_UNUSED static padic_result padici_gpu_upload(padici_gpu *gpu, padic_mem mem, uint64_t at,
                                                    const void *from, uint64_t size)
{
    padici_place to, source;
    to.mem = mem;
    to.at = at;
    to.host = 0;
    source.mem.bits = (uint64_t)(uintptr_t)from;
    source.at = 0;
    source.host = 1;
    return padici_target_move(gpu->context, gpu->target, &to, &source, size);
}

PADICI_UNUSED static padic_result padici_gpu_download(padici_gpu *gpu, padic_mem mem, uint64_t at,
                                                      void *to, uint64_t size)
{
    padici_place from, target;
    from.mem = mem;
    from.at = at;
    from.host = 0;
    target.mem.bits = (uint64_t)(uintptr_t)to;
    target.at = 0;
    target.host = 1;
    return padici_target_move(gpu->context, gpu->target, &target, &from, size);
}

// Groups of a kernel whose items loop until `items` are done: enough to fill the device.
PADICI_UNUSED static uint32_t padici_gpu_groups(const padici_gpu *gpu, uint64_t items,
                                                uint32_t group)
{
    const uint64_t most = (uint64_t)(gpu->info->compute_units ? gpu->info->compute_units : 16) * 64;
    const uint64_t needed = (items + group - 1) / group;
    return (uint32_t)(needed < most ? (needed ? needed : 1) : most);
}

