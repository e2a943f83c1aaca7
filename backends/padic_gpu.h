// padic_gpu.h: operations by kernels, the same for every device. padic_opencl.h and padic_cuda.h
// include it; a program that uses one of them need not know it.
//
// A driver of an operation is a function
//
//     static padic_result padici_gpu_NAME(padici_gpu *gpu, const padici_call *call, int query)
//
// and a row in its area's table of drivers. It looks at dtypes, shapes and strides, names the
// kernels it wants with padici_gpu_need(), returns when `query` is set, then launches. Its operands
// are call->operands[i].now.mem from byte .now.at on. NOT_SUPPORTED leaves the work to the next
// backend; after a launch it may be answered only where no input has been overwritten.
//
// Every kernel has a known-answer test, a function padici_test_KERNEL and a row in its area's table
// of tests. A program's tests run when it is first used; a kernel that fails is not used again.
#ifndef PADIC_GPU_H
#define PADIC_GPU_H
#ifndef PADIC_HEADER
#error "include padic.h before padic_gpu.h"
#endif
#if PADIC_BACKEND_VERSION != 2
#error "padic_gpu.h was made for another version of padic.h"
#endif
#endif // PADIC_GPU_H

// ================================================================================================
#if defined(PADIC_IMPLEMENTATION) && !defined(PADIC_GPU_IMPLEMENTED)
#define PADIC_GPU_IMPLEMENTED

#include "padic_gpu_cache.h"
#include "padic_kernels.h"
#include <stdio.h>
#include <string.h>

// Answers of tests are rounded like those of the kernels: no fused a * b + c.
#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#elif defined(__GNUC__)
#pragma GCC push_options
#pragma GCC optimize("fp-contract=off")
#elif defined(_MSC_VER)
#pragma fp_contract(off)
#endif

// room: src/gpu/frame.c
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

// room: src/gpu/variants.c
// Variants of programs: found, built, tested at first use.

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

// room: src/gpu/launch.c
// What drivers call: launches, scratch, moves between host and device.

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

// room: src/gpu/source.c
// --------------------------------------------------------------------------------------- >>source

// Adds text to a block, or only counts it when there is none yet.
static void padici_gpu_text_add(char *block, size_t *size, const char *words, size_t length)
{
    if (block) memcpy(block + *size, words, length);
    *size += length;
}

// Adds a file; 0 when it cannot be read, or grew since it was counted.
static int padici_gpu_text_file(char *block, size_t *size, size_t room, const char *path)
{
    char piece[1024];
    size_t got;
    FILE *file;
    int fits = 1;
#ifdef _MSC_VER
    if (fopen_s(&file, path, "rb")) return 0;
#else
    file = fopen(path, "rb");
    if (!file) return 0;
#endif
    while (fits && (got = fread(piece, 1, sizeof piece, file)) > 0) {
        fits = !block || got <= room - *size;
        if (fits) padici_gpu_text_add(block, size, piece, got);
    }
    fclose(file);
    return fits;
}

// The dialect, then the program; from kernel_dir (dialect.h, AREA.cl, cuda/AREA.cu) if it is given.
static int padici_gpu_text(const char *kernel_dir, const padici_program_text *program, char *block,
                           size_t room, size_t *size)
{
    uint32_t i;
    *size = 0;
    for (i = 0; kernel_dir && i < 2; i++) {
        char path[1024];
        padici_text text;
        const char *line;
        padici_text_begin(&text, path, sizeof path);
        padici_text_add(&text, kernel_dir);
        padici_text_add(&text, i && program->cuda ? "/cuda/" : "/");
        padici_text_add(&text, i ? program->name + (program->cuda ? 5 : 0) : "dialect.h");
        if (i) padici_text_add(&text, program->cuda ? ".cu" : ".cl");
        line = i ? program->lines[0] : padici_dialect_lines[0]; // names the file
        padici_gpu_text_add(block, size, line, strlen(line));
        if (!padici_gpu_text_file(block, size, room, path)) return 0;
    }
    if (kernel_dir) return 1;
    for (i = 0; i < PADICI_DIALECT_COUNT; i++)
        padici_gpu_text_add(block, size, padici_dialect_lines[i], strlen(padici_dialect_lines[i]));
    for (i = 0; i < program->line_count; i++)
        padici_gpu_text_add(block, size, program->lines[i], strlen(program->lines[i]));
    return 1;
}

// The whole text of a program for a compiler, with a 0 behind it: a block of *size + 1 bytes from
// the allocator. BUILD when kernel_dir lacks a file; the sentence is in env->message.
PADICI_UNUSED static padic_result padici_gpu_source(const padic_env *env, const char *kernel_dir,
                                                    uint32_t program, char **text, size_t *size)
{
    const padici_program_text *row = &padici_programs[program];
    padici_text message;
    size_t room;
    *text = NULL;
    if (padici_gpu_text(kernel_dir, row, NULL, 0, &room)) {
        *text = (char *)padici_alloc(env->allocator, room + 1, 16);
        if (!*text) return PADIC_ERROR_MEMORY;
        if (padici_gpu_text(kernel_dir, row, *text, room, size)) {
            memset(*text + *size, 0, room + 1 - *size); // a file may have shrunk
            *size = room;
            return PADIC_OK;
        }
        padici_free(env->allocator, *text, room + 1);
        *text = NULL;
    }
    padici_text_begin(&message, env->message, env->message_size);
    padici_text_add(&message, "kernel_dir lacks dialect.h or the file of program ");
    padici_text_add(&message, row->name);
    return PADIC_ERROR_BUILD;
}

// Tunables: what changes the speed of a driver's kernels and no bit of what they compute. A driver
// asks padici_gpu_choose() for the choice that holds on this device for a call of n elements (its
// own measure of size), and passes the choice's defines to padici_gpu_need() and _launch(). The
// first choice is the default. An area's tunables stand in its table of tunables; see >>tuner.

#define PADICI_TUNE_CLASSES 5u  // below 2^12, 2^16, 2^20, 2^24 elements, and above
#define PADICI_TUNE_CHOICES 12u // at most
#define PADICI_TUNE_MOST 64u    // tunables

typedef struct padici_gpu_choice {
    const char *defines[4];
    uint32_t define_count;
    uint32_t number; // for the driver itself: items of a thread, parts of a sum's index, ...
} padici_gpu_choice;

typedef struct padici_gpu_tunable {
    const char *name;
    uint32_t area, op, program; // padic_area; operation; the program whose kernels it changes
    uint32_t count;
    padici_gpu_choice choices[PADICI_TUNE_CHOICES];
    // A typical call of a size class: dtypes and shapes of the desc's tensors, without memory or
    // strides. Inputs are then filled with padic_random_fill(), outputs with zeros. 0: none.
    int (*example)(padici_any_desc *desc, uint32_t size_class);
    // Largest difference of floats from the CPU's, over the largest value; 0: the same bits.
    double bound;
} padici_gpu_tunable;

static const padici_gpu_choice *padici_gpu_choose(padici_gpu *gpu, const padici_gpu_tunable *t,
                                                  uint64_t n);

// room: src/gpu/tests.c
// ---------------------------------------------------------------------------------------- >>tests

static int padici_gpu_compare(const padici_gpu_case *c, uint32_t i, const unsigned char *got)
{
    const unsigned char *want = c->buffers[i].answer ? c->buffers[i].answer : c->buffers[i].image;
    const size_t size = (size_t)c->buffers[i].size;
    const size_t step = c->buffers[i].dtype == PADIC_F64 ? 8 : 4;
    size_t at;
    if (memcmp(got + size, c->buffers[i].image + size, PADICI_GPU_GUARD)) return 0;
    if (c->buffers[i].bound < 0) return 1;
    if (!c->buffers[i].answer || !(c->buffers[i].bound > 0)) return !memcmp(got, want, size);
    for (at = 0; at + step <= size; at += step) {
        double a, b, error;
        float f[2];
        if (step == 8) {
            memcpy(&a, got + at, 8);
            memcpy(&b, want + at, 8);
        } else {
            memcpy(&f[0], got + at, 4);
            memcpy(&f[1], want + at, 4);
            a = f[0];
            b = f[1];
        }
        error = a > b ? a - b : b - a;
        if (!(error <= c->buffers[i].bound) && memcmp(got + at, want + at, step)) return 0;
    }
    return 1;
}

// Uploads the images, launches, compares what comes back.
static padic_result padici_gpu_case_run(padici_gpu_case *c, padici_gpu_block blocks[8])
{
    padici_gpu *gpu = c->gpu;
    const padici_variant *v = &gpu->state->variants[c->variant];
    const padici_shape *shape = &v->shapes[c->kernel];
    padici_gpu_work work;
    padic_result result = PADIC_OK;
    uint32_t i;
    memset(&work, 0, sizeof work);
    work.kernel = v->program << 16 | c->kernel;
    work.mem_count = shape->buffers;
    work.params = &c->params;
    work.params_size = shape->params_size;
    for (i = 0; i < 3; i++) work.groups[i] = c->groups[i];
    for (i = 0; i < shape->buffers && !result; i++) {
        const uint64_t whole = c->buffers[i].size + PADICI_GPU_GUARD;
        if (!c->buffers[i].image) return PADIC_ERROR_SELF_TEST; // the test forgot a buffer
        result = padici_gpu_scratch(gpu, whole, &blocks[i]);
        if (result) return result;
        work.mem[i] = blocks[i].mem;
        result = padici_gpu_upload(gpu, work.mem[i], 0, c->buffers[i].image, whole);
    }
    if (!result) result = padici_gpu_launch_in(gpu, c->variant, &work);
    for (i = 0; i < shape->buffers && !result; i++) {
        unsigned char *got = c->space + c->used;
        const uint64_t whole = c->buffers[i].size + PADICI_GPU_GUARD;
        if (whole > PADICI_GPU_CASE_BYTES - c->used) return PADIC_ERROR_SELF_TEST;
        result = padici_gpu_download(gpu, work.mem[i], 0, got, whole);
        if (!result && !padici_gpu_compare(c, i, got)) result = PADIC_ERROR_SELF_TEST;
    }
    return result;
}

typedef padic_result (*padici_gpu_test_fn)(padici_gpu_case *c);
static padici_gpu_test_fn padici_gpu_test_of(uint32_t kernel);

// Runs the test of one kernel. SELF_TEST: wrong; other errors: it could not run.
static padic_result padici_gpu_test(const padici_gpu *gpu, uint32_t variant, uint32_t kernel)
{
    padic_context *context = gpu->context;
    const padici_gpu_test_fn test =
        padici_gpu_test_of(gpu->state->variants[variant].program << 16 | kernel);
    padici_gpu inner = *gpu;
    padici_gpu_case c;
    padici_gpu_block blocks[8];
    padic_result result = PADIC_OK;
    unsigned char *space;
    uint32_t i, round;
    if (!test) return PADIC_OK;
    space = (unsigned char *)padici_alloc(&context->allocator, PADICI_GPU_CASE_BYTES, 64);
    if (!space) return padici_fail(context, PADIC_ERROR_MEMORY, "out of host memory");
    context->stats.host_allocations++;
    context->stats.self_tests++;
    for (round = 0, c.again = 1; c.again && !result; round++) {
        memset(&c, 0, sizeof c);
        c.gpu = &inner;
        c.variant = variant;
        c.kernel = kernel;
        c.round = round;
        c.space = space;
        for (i = 0; i < 8; i++) blocks[i].block = PADICI_NO_BLOCK;
        result = (*test)(&c);
        if (result == PADIC_ERROR_NOT_SUPPORTED) {
            result = PADIC_OK;
            break;
        }
        if (!result) result = padici_gpu_case_run(&c, blocks);
        for (i = 0; i < 8; i++) padici_gpu_scratch_end(&inner, &blocks[i]);
    }
    padici_free(&context->allocator, space, PADICI_GPU_CASE_BYTES);
    return result;
}

// room: src/gpu/base/axes.c
// ----------------------------------------------------------------------------------------- >>base
//
// fill, copy and random_fill of tensors with gaps.

// One or two views of one shape as units of 1, 2 or 4 bytes, innermost axis first.
typedef struct padici_gpu_axes {
    uint32_t axes, unit;
    uint64_t extent[PADIC_MAX_RANK + 1], stride[2][PADIC_MAX_RANK + 1], base[2]; // in units
} padici_gpu_axes;

// Merges axes that follow on each other, beginning with the bytes of an element.
static void padici_gpu_axes_begin(padici_gpu_axes *x, const padici_operand *a,
                                  const padici_operand *b, uint32_t unit)
{
    const padic_tensor *t = a->tensor;
    const uint64_t size = padic_dtype_size(t->dtype);
    int64_t stride[2][PADIC_MAX_RANK];
    uint64_t all;
    uint32_t i, j;
    memset(x, 0, sizeof *x);
    padici_tensor_dense(t, stride[0]);
    padici_tensor_dense(b ? b->tensor : t, stride[1]);
    x->base[0] = a->now.at;
    x->base[1] = b ? b->now.at : a->now.at;
    x->extent[0] = size;
    x->stride[0][0] = x->stride[1][0] = 1;
    x->axes = 1;
    for (i = t->rank; i > 0; i--) {
        const uint64_t n = t->shape[i - 1], sa = (uint64_t)stride[0][i - 1] * size;
        const uint64_t sb = (uint64_t)stride[1][i - 1] * size;
        const uint32_t last = x->axes - 1;
        if (n == 1) continue;
        if (sa == x->extent[last] * x->stride[0][last] &&
            sb == x->extent[last] * x->stride[1][last]) {
            x->extent[last] *= n;
        } else {
            x->extent[x->axes] = n;
            x->stride[0][x->axes] = sa;
            x->stride[1][x->axes++] = sb;
        }
    }
    all = x->extent[0] | x->base[0] | x->base[1];
    for (i = 1; i < x->axes; i++) all |= x->stride[0][i] | x->stride[1][i];
    while (all & (unit - 1)) unit /= 2;
    x->unit = unit;
    x->extent[0] /= unit;
    for (j = 0; j < 2; j++) {
        x->base[j] /= unit;
        for (i = 1; i < x->axes; i++) x->stride[j][i] /= unit;
    }
    if (x->extent[0] > 1 || x->axes == 1) return;
    for (x->axes--, i = 0; i < x->axes; i++) { // a unit an element: that axis says nothing
        x->extent[i] = x->extent[i + 1];
        for (j = 0; j < 2; j++) x->stride[j][i] = x->stride[j][i + 1];
    }
}

// Launches see at most 2^31 units and strides below 2^32: the inner axes `whole`, and of the next
// one `piece` coordinates at once. The others are walked here.
typedef struct padici_gpu_slices {
    uint32_t whole;
    uint64_t piece, inner;               // inner: units of the whole axes
    uint64_t index[PADIC_MAX_RANK + 2];  // of axes from `whole` on
    uint64_t at[2], unit, count;         // this slice: base, number of its first unit, units
    uint64_t extent;                     // of axis `whole` in this slice; 1 when there is none
} padici_gpu_slices;

static void padici_gpu_slice(const padici_gpu_axes *x, padici_gpu_slices *s)
{
    uint64_t step = s->inner;
    uint32_t i, j;
    s->unit = 0;
    for (j = 0; j < 2; j++) s->at[j] = x->base[j];
    for (i = s->whole; i < x->axes; i++) {
        for (j = 0; j < 2; j++) s->at[j] += s->index[i] * x->stride[j][i];
        s->unit += s->index[i] * step;
        step *= x->extent[i];
    }
    s->extent = 1;
    if (s->whole < x->axes) {
        s->extent = x->extent[s->whole] - s->index[s->whole];
        if (s->extent > s->piece) s->extent = s->piece;
    }
    s->count = s->inner * s->extent;
}

static void padici_gpu_slices_begin(const padici_gpu_axes *x, padici_gpu_slices *s)
{
    const uint64_t most = UINT64_C(1) << 31;
    uint32_t i;
    memset(s, 0, sizeof *s);
    s->inner = 1;
    for (i = 0; i < x->axes; i++) {
        if (x->extent[i] > most / s->inner || (x->stride[0][i] | x->stride[1][i]) >> 32) break;
        s->inner *= x->extent[i];
    }
    s->whole = i;
    s->piece = 1;
    if (i < x->axes && !((x->stride[0][i] | x->stride[1][i]) >> 32)) s->piece = most / s->inner;
    padici_gpu_slice(x, s);
}

// The next slice; 0 after the last.
static int padici_gpu_slices_next(const padici_gpu_axes *x, padici_gpu_slices *s)
{
    uint64_t step = s->piece;
    uint32_t i;
    for (i = s->whole; i < x->axes; i++, step = 1) {
        s->index[i] += step;
        if (s->index[i] < x->extent[i]) {
            padici_gpu_slice(x, s);
            return 1;
        }
        s->index[i] = 0;
    }
    return 0;
}

// How many axes a launch for this slice has, their extents and how to divide by them.
static uint32_t padici_gpu_divide(const padici_gpu_axes *x, const padici_gpu_slices *s,
                                  uint32_t extent[9], uint32_t magic[9], uint32_t shift[9])
{
    const uint32_t axes = s->whole < x->axes ? s->whole + 1 : s->whole;
    uint32_t i;
    for (i = 0; i < 9; i++) {
        const uint64_t d = i >= axes ? 1 : i < s->whole ? x->extent[i] : s->extent;
        uint32_t log = 0;
        while (UINT64_C(1) << log < d) log++;
        extent[i] = (uint32_t)d;
        if (i + 1 >= axes) { // quotient 0
            magic[i] = 0;
            shift[i] = 31;
        } else {
            magic[i] = (uint32_t)((((UINT64_C(1) << log) - d) << 32) / d + 1);
            shift[i] = log - 1;
        }
    }
    return axes;
}

// room: src/gpu/base/driver.c
// The drivers of fill, copy and random_fill, what they build beforehand, their rows.

static const padici_gpu_choice padici_gpu_base_plain = {{NULL, NULL, NULL, NULL}, 0, 128};

// Items of a group of kernels that have a place or a few places an item.
#define PADICI_TUNE_GROUPS                 \
    {{{NULL, NULL, NULL, NULL}, 0, 128},   \
     {{"PD_WG=64", NULL, NULL, NULL}, 1, 64}, \
     {{"PD_WG=256", NULL, NULL, NULL}, 1, 256}}

static int padici_example_random_fill(padici_any_desc *desc, uint32_t size_class)
{
    desc->random_fill.tensor = padic_tensor_1d(PADIC_U32, NULL, UINT64_C(2048) << 4 * size_class);
    return size_class < 4; // its largest class is like the one before
}

static const padici_gpu_tunable padici_tunable_random_fill = {
    "random_fill", PADIC_AREA_BASE, PADIC_OP_RANDOM_FILL, PADICI_PROGRAM_BASE, 3,
    PADICI_TUNE_GROUPS, padici_example_random_fill, 0};

#define PADICI_GPU_TUNABLES_BASE(X) X(random_fill)

static padic_result padici_gpu_base_launch(padici_gpu *gpu, uint32_t kernel, const padic_mem *mem,
                                           uint32_t mem_count, const void *params, uint32_t size,
                                           uint64_t items, const padici_gpu_choice *choice)
{
    padici_gpu_work work;
    memset(&work, 0, sizeof work);
    work.kernel = kernel;
    work.defines = choice->defines;
    work.define_count = choice->define_count;
    memcpy(work.mem, mem, mem_count * sizeof *mem);
    work.mem_count = mem_count;
    work.params = params;
    work.params_size = size;
    work.groups[0] = padici_gpu_groups(gpu, items, choice->number);
    return padici_gpu_launch(gpu, &work);
}

static padic_result padici_gpu_fill(padici_gpu *gpu, const padici_call *call, int query)
{
    const padici_operand *o = &call->operands[0];
    const void *value = call->desc.fill.value;
    const uint32_t size = padic_dtype_size(o->tensor->dtype);
    padici_k_base_fill_params k;
    padici_gpu_axes x;
    padici_gpu_slices s;
    uint32_t kernel, i;
    unsigned char bytes[16];
    padic_result result;
    padici_gpu_axes_begin(&x, o, NULL, 4);
    kernel = x.unit == 4   ? PADICI_KERNEL_BASE_FILL_4
             : x.unit == 2 ? PADICI_KERNEL_BASE_FILL_2
                           : PADICI_KERNEL_BASE_FILL_1;
    result = padici_gpu_need(gpu, kernel, NULL, 0);
    if (query || result) return result;
    memset(&k, 0, sizeof k);
    for (i = 0; i < 16; i++) bytes[i] = value ? ((const unsigned char *)value)[i % size] : 0;
    memcpy(k.value, bytes, 16);
    padici_gpu_slices_begin(&x, &s);
    do {
        k.n = (uint32_t)s.count;
        k.axes = padici_gpu_divide(&x, &s, k.extent, k.magic, k.shift);
        k.base_lo = (uint32_t)s.at[0];
        k.base_hi = (uint32_t)(s.at[0] >> 32);
        for (i = 0; i < k.axes; i++) k.stride[i] = (uint32_t)x.stride[0][i];
        result = padici_gpu_base_launch(gpu, kernel, &o->now.mem, 1, &k, sizeof k, s.count,
                                        &padici_gpu_base_plain);
    } while (!result && padici_gpu_slices_next(&x, &s));
    return result;
}

static padic_result padici_gpu_copy(padici_gpu *gpu, const padici_call *call, int query)
{
    const padici_operand *from = &call->operands[0], *to = &call->operands[1];
    padici_k_base_copy_params k;
    padici_gpu_axes x;
    padici_gpu_slices s;
    padic_mem mem[2];
    uint32_t kernel, i;
    padic_result result;
    padici_gpu_axes_begin(&x, from, to, 4);
    kernel = x.unit == 4   ? PADICI_KERNEL_BASE_COPY_4
             : x.unit == 2 ? PADICI_KERNEL_BASE_COPY_2
                           : PADICI_KERNEL_BASE_COPY_1;
    result = padici_gpu_need(gpu, kernel, NULL, 0);
    if (query || result) return result;
    memset(&k, 0, sizeof k);
    mem[0] = from->now.mem;
    mem[1] = to->now.mem;
    padici_gpu_slices_begin(&x, &s);
    do {
        k.n = (uint32_t)s.count;
        k.axes = padici_gpu_divide(&x, &s, k.extent, k.magic, k.shift);
        k.from_lo = (uint32_t)s.at[0];
        k.from_hi = (uint32_t)(s.at[0] >> 32);
        k.to_lo = (uint32_t)s.at[1];
        k.to_hi = (uint32_t)(s.at[1] >> 32);
        for (i = 0; i < k.axes; i++) {
            k.from_stride[i] = (uint32_t)x.stride[0][i];
            k.to_stride[i] = (uint32_t)x.stride[1][i];
        }
        result = padici_gpu_base_launch(gpu, kernel, mem, 2, &k, sizeof k, s.count,
                                        &padici_gpu_base_plain);
    } while (!result && padici_gpu_slices_next(&x, &s));
    return result;
}

// How the kernels make an element of its words: base.cl has the numbers.
static uint32_t padici_gpu_random_kind(padic_dtype dtype)
{
    return dtype == PADIC_F32 || dtype == PADIC_C64    ? 1
           : dtype == PADIC_F64 || dtype == PADIC_C128 ? 2
           : dtype == PADIC_F16                        ? 3
           : dtype == PADIC_BF16                       ? 4
                                                       : 0;
}

static padic_result padici_gpu_random_fill(padici_gpu *gpu, const padici_call *call, int query)
{
    const padici_operand *o = &call->operands[0];
    const padic_random_fill_desc *desc = &call->desc.random_fill;
    const uint32_t size = padic_dtype_size(o->tensor->dtype);
    padici_k_base_random_params k;
    padici_gpu_axes x;
    padici_gpu_slices s;
    const padici_gpu_choice *choice;
    uint32_t kernel, i;
    padic_result result;
    padici_gpu_axes_begin(&x, o, NULL, size < 4 ? size : 4); // a unit takes one word
    kernel = x.unit == 4   ? PADICI_KERNEL_BASE_RANDOM_4
             : x.unit == 2 ? PADICI_KERNEL_BASE_RANDOM_2
                           : PADICI_KERNEL_BASE_RANDOM_1;
    choice = padici_gpu_choose(gpu, &padici_tunable_random_fill, call->count);
    result = padici_gpu_need(gpu, kernel, choice->defines, choice->define_count);
    if (query || result) return result;
    memset(&k, 0, sizeof k);
    k.step = desc->step;
    k.kind = padici_gpu_random_kind(o->tensor->dtype);
    k.seed_lo = (uint32_t)desc->seed;
    k.seed_hi = (uint32_t)(desc->seed >> 32);
    k.stream_lo = (uint32_t)desc->stream;
    k.stream_hi = (uint32_t)(desc->stream >> 32);
    padici_gpu_slices_begin(&x, &s);
    do {
        k.n = (uint32_t)s.count;
        k.axes = padici_gpu_divide(&x, &s, k.extent, k.magic, k.shift);
        k.base_lo = (uint32_t)s.at[0];
        k.base_hi = (uint32_t)(s.at[0] >> 32);
        k.skip = (uint32_t)s.unit & 3;
        k.block = (uint32_t)(s.unit >> 2);
        for (i = 0; i < k.axes; i++) k.stride[i] = (uint32_t)x.stride[0][i];
        result = padici_gpu_base_launch(gpu, kernel, &o->now.mem, 1, &k, sizeof k,
                                        (s.count + k.skip + 3) / 4, choice);
    } while (!result && padici_gpu_slices_next(&x, &s));
    return result;
}

static padic_result padici_warm_base(padici_gpu *gpu)
{
    return padici_gpu_need(gpu, PADICI_KERNEL_BASE_FILL_4, NULL, 0);
}

#define PADICI_GPU_WARM_BASE(X) X(PADIC_AREA_BASE, base)

#define PADICI_GPU_DRIVERS_BASE(X) \
    X(FILL, fill)                  \
    X(COPY, copy)                  \
    X(RANDOM_FILL, random_fill)

#define PADICI_GPU_TESTS_BASE(X)    \
    X(BASE_FILL_1, base_fill_1)     \
    X(BASE_FILL_2, base_fill_2)     \
    X(BASE_FILL_4, base_fill_4)     \
    X(BASE_COPY_1, base_copy_1)     \
    X(BASE_COPY_2, base_copy_2)     \
    X(BASE_COPY_4, base_copy_4)     \
    X(BASE_RANDOM_1, base_random_1) \
    X(BASE_RANDOM_2, base_random_2) \
    X(BASE_RANDOM_4, base_random_4) \
    X(BASE_MUL_ADD, base_mul_add)

// room: src/gpu/base/axes_test.c
// Tests: views with three axes that are not dense, an odd number of units, more than two groups.

static uint32_t padici_test_base_view(padici_gpu_axes *x, uint32_t unit, uint32_t extent[9],
                                      uint32_t magic[9], uint32_t shift[9])
{
    static const uint64_t extents[3] = {3, 7, 37};
    static const uint64_t strides[2][3] = {{1, 5, 41}, {41 * 37, 3, 41}}; // neither overlaps
    padici_gpu_slices s;
    uint32_t i, j;
    memset(x, 0, sizeof *x);
    x->axes = 3;
    x->unit = unit;
    for (i = 0; i < 3; i++) {
        x->extent[i] = extents[i];
        for (j = 0; j < 2; j++) x->stride[j][i] = strides[j][i];
    }
    x->base[0] = 5;
    x->base[1] = 2;
    padici_gpu_slices_begin(x, &s);
    return padici_gpu_divide(x, &s, extent, magic, shift);
}

#define PADICI_TEST_BASE_UNITS (3u * 7u * 37u)
#define PADICI_TEST_BASE_REACH 4700u // units that hold either view

// Where unit i of view j lies, by dividing.
static uint64_t padici_test_base_at(const padici_gpu_axes *x, uint32_t j, uint64_t i)
{
    return x->base[j] + i % 3 * x->stride[j][0] + i / 3 % 7 * x->stride[j][1] +
           i / 21 * x->stride[j][2];
}

static padic_result padici_test_base_fill(padici_gpu_case *c, uint32_t unit)
{
    padici_k_base_fill_params k;
    padici_gpu_axes x;
    unsigned char *answer, bytes[16];
    uint64_t i;
    memset(&k, 0, sizeof k);
    k.n = PADICI_TEST_BASE_UNITS;
    k.axes = padici_test_base_view(&x, unit, k.extent, k.magic, k.shift);
    k.base_lo = (uint32_t)x.base[0];
    for (i = 0; i < 3; i++) k.stride[i] = (uint32_t)x.stride[0][i];
    for (i = 0; i < 16; i++) bytes[i] = (unsigned char)(17 * i + 1);
    memcpy(k.value, bytes, 16);
    memcpy(&c->params, &k, sizeof k);
    c->groups[0] = 3;
    if (!padici_gpu_image(c, 0, PADICI_TEST_BASE_REACH * unit)) return PADIC_ERROR_MEMORY;
    answer = (unsigned char *)padici_gpu_answer(c, 0);
    if (!answer) return PADIC_ERROR_MEMORY;
    for (i = 0; i < k.n; i++)
        memcpy(answer + padici_test_base_at(&x, 0, i) * unit, bytes + i % 3 * unit, unit);
    return PADIC_OK;
}

static padic_result padici_test_base_copy(padici_gpu_case *c, uint32_t unit)
{
    padici_k_base_copy_params k;
    padici_gpu_axes x;
    unsigned char *from, *answer;
    uint32_t i;
    memset(&k, 0, sizeof k);
    k.n = PADICI_TEST_BASE_UNITS;
    k.axes = padici_test_base_view(&x, unit, k.extent, k.magic, k.shift);
    k.from_lo = (uint32_t)x.base[0];
    k.to_lo = (uint32_t)x.base[1];
    for (i = 0; i < 3; i++) {
        k.from_stride[i] = (uint32_t)x.stride[0][i];
        k.to_stride[i] = (uint32_t)x.stride[1][i];
    }
    memcpy(&c->params, &k, sizeof k);
    c->groups[0] = 3;
    from = (unsigned char *)padici_gpu_image(c, 0, PADICI_TEST_BASE_REACH * unit);
    if (!from || !padici_gpu_image(c, 1, PADICI_TEST_BASE_REACH * unit)) return PADIC_ERROR_MEMORY;
    answer = (unsigned char *)padici_gpu_answer(c, 1);
    if (!answer) return PADIC_ERROR_MEMORY;
    for (i = 0; i < PADICI_TEST_BASE_REACH * unit; i++)
        from[i] = (unsigned char)((i * 2654435761u) >> 13);
    for (i = 0; i < k.n; i++)
        memcpy(answer + padici_test_base_at(&x, 1, i) * unit,
               from + padici_test_base_at(&x, 0, i) * unit, unit);
    return PADIC_OK;
}

// Every element type of the kernel's unit, one a round; the answer is the host's, moved.
static padic_result padici_test_base_random(padici_gpu_case *c, uint32_t unit)
{
    static const padic_dtype types[3][4] = {{PADIC_U8, PADIC_DTYPE_NONE},
                                            {PADIC_F16, PADIC_BF16, PADIC_U16, PADIC_DTYPE_NONE},
                                            {PADIC_F32, PADIC_F64, PADIC_U64, PADIC_DTYPE_NONE}};
    const padic_dtype *row = types[unit / 2], dtype = row[c->round];
    const uint32_t each = padic_dtype_size(dtype) / unit; // units of an element
    padici_k_base_random_params k;
    padici_gpu_axes x;
    padic_random_fill_desc desc;
    unsigned char *answer, *flat;
    uint32_t i;
    memset(&k, 0, sizeof k);
    memset(&desc, 0, sizeof desc);
    k.n = PADICI_TEST_BASE_UNITS;
    k.axes = padici_test_base_view(&x, unit, k.extent, k.magic, k.shift);
    k.base_lo = (uint32_t)x.base[0];
    for (i = 0; i < 3; i++) k.stride[i] = (uint32_t)x.stride[0][i];
    k.kind = padici_gpu_random_kind(dtype);
    k.seed_lo = 0x89abcdefu;
    k.seed_hi = 0x01234567u;
    k.stream_lo = 5;
    k.stream_hi = 0x80000001u;
    k.step = 3;
    k.skip = 2;
    k.block = 1;
    memcpy(&c->params, &k, sizeof k);
    c->groups[0] = 2;
    c->again = row[c->round + 1] != PADIC_DTYPE_NONE;
    if (!padici_gpu_image(c, 0, PADICI_TEST_BASE_REACH * unit)) return PADIC_ERROR_MEMORY;
    answer = (unsigned char *)padici_gpu_answer(c, 0);
    flat = (unsigned char *)padici_gpu_image(c, 7, (k.n + 7u) * unit); // room of its own
    if (!answer || !flat) return PADIC_ERROR_MEMORY;
    desc.tensor = padic_tensor_1d(dtype, flat, (k.n + 7u) / each);
    desc.seed = UINT64_C(0x0123456789abcdef);
    desc.stream = UINT64_C(0x8000000100000005);
    desc.step = 3;
    padici_random_fill_host(NULL, &desc);
    for (i = 0; i < k.n; i++) // the launch begins with word 6
        memcpy(answer + padici_test_base_at(&x, 0, i) * unit, flat + (i + 6u) * unit, unit);
    return PADIC_OK;
}

static padic_result padici_test_base_fill_1(padici_gpu_case *c)
{
    return padici_test_base_fill(c, 1);
}
static padic_result padici_test_base_fill_2(padici_gpu_case *c)
{
    return padici_test_base_fill(c, 2);
}
static padic_result padici_test_base_fill_4(padici_gpu_case *c)
{
    return padici_test_base_fill(c, 4);
}
static padic_result padici_test_base_copy_1(padici_gpu_case *c)
{
    return padici_test_base_copy(c, 1);
}
static padic_result padici_test_base_copy_2(padici_gpu_case *c)
{
    return padici_test_base_copy(c, 2);
}
static padic_result padici_test_base_copy_4(padici_gpu_case *c)
{
    return padici_test_base_copy(c, 4);
}
static padic_result padici_test_base_random_1(padici_gpu_case *c)
{
    return padici_test_base_random(c, 1);
}
static padic_result padici_test_base_random_2(padici_gpu_case *c)
{
    return padici_test_base_random(c, 2);
}
static padic_result padici_test_base_random_4(padici_gpu_case *c)
{
    return padici_test_base_random(c, 4);
}

// (1 + e)^2 - (1 + 2 e) is 0 when the product is rounded, and e^2 when it is fused with the sum.
static padic_result padici_test_base_mul_add(padici_gpu_case *c)
{
    const float e = 1.0f / 4096.0f;
    const uint32_t n = 301, group = padici_gpu_define(c, "PD_WG", 128);
    uint32_t i;
    float *a = (float *)padici_gpu_image(c, 0, 4 * n), *b = (float *)padici_gpu_image(c, 1, 4 * n);
    float *d = (float *)padici_gpu_image(c, 2, 4 * n), *to = (float *)padici_gpu_image(c, 3, 4 * n);
    if (!a || !b || !d || !to) return PADIC_ERROR_MEMORY;
    to = (float *)padici_gpu_answer(c, 3);
    if (!to) return PADIC_ERROR_MEMORY;
    for (i = 0; i < n; i++) {
        a[i] = (float)(i + 1) * (1.0f + e);
        b[i] = 1.0f + e;
        d[i] = -(float)(i + 1) * (1.0f + 2.0f * e);
        to[i] = a[i] * b[i];
        to[i] = to[i] + d[i];
    }
    c->params.words[0] = n;
    c->groups[0] = (n + group - 1) / group;
    return PADIC_OK;
}

// room: src/gpu/padic_gpu.in.h:52
// --------------------------------------------------------------------------------------- >>sample

#ifndef PADIC_NO_SAMPLE
#include "padic_gpu_sample.h"
#else
#define PADICI_GPU_LAYERS_SAMPLE(X)
#define PADICI_GPU_TESTS_SAMPLE(X)
#define PADICI_GPU_WARM_SAMPLE(X)
#endif

// ------------------------------------------------------------------------------------------ >>num

#ifdef PADIC_NUM_IMPLEMENTED
#include "padic_gpu_num.h"
#define PADICI_GPU_LAYERS_NUM(X) X(PADIC_KERNEL_NUM, num)
#define PADICI_GPU_TESTS_NUM(X) X(NUM_EACH, num_each) X(SOLVE_SYSTEMS, solve_systems)
#define PADICI_GPU_WARM_NUM(X) X(PADIC_AREA_NUM, num)
#else
#define PADICI_GPU_WARM_NUM(X)
#define PADICI_GPU_LAYERS_NUM(X)
#define PADICI_GPU_TESTS_NUM(X)
#endif

// ----------------------------------------------------------------------------------------- >>wave

#ifndef PADIC_NO_WAVE
#include "padic_gpu_wave.h"
#include "padic_gpu_vortex.h"
#define PADICI_GPU_DRIVERS_WAVE(X)    \
    X(WAVE_SUPERPOSE, wave_superpose) \
    X(WAVE_FRAMES, wave_frames)       \
    X(WAVE_GRADIENT, wave_gradient)   \
    X(WAVE_OBSERVE, wave_observe)     \
    X(WAVE_TONEMAP, wave_tonemap)     \
    X(WAVE_NORMALISE, wave_normalise) \
    X(WAVE_VORTEX, wave_vortex)       \
    X(WAVE_PHASE_GRADIENT, wave_phase_gradient) \
    X(WAVE_WINDING, wave_winding)
#define PADICI_GPU_TESTS_WAVE(X)  \
    X(WAVE_SOURCES, wave_sources) \
    X(WAVE_SMALL, wave_small) \
    X(WAVE_FIELD, wave_field)     \
    X(WAVE_FACTORS, wave_factors) \
    X(WAVE_RANK, wave_rank)       \
    X(WAVE_ENDS, wave_ends)       \
    X(WAVE_FRAME, wave_frame)     \
    X(WAVE_MEAN, wave_mean)       \
    X(VORTEX_WINDING, vortex_winding) \
    X(VORTEX_OBSERVE, vortex_observe) \
    X(VORTEX_TONEMAP, vortex_tonemap) \
    X(VORTEX_NORM, vortex_norm)       \
    X(VORTEX_NORM_TOTAL, vortex_norm_total) \
    X(VORTEX_MULTIPLY, vortex_multiply)     \
    X(VORTEX_GRADIENT, vortex_gradient)     \
    X(VORTEX_LINES, vortex_lines)           \
    X(VORTEX_FIELD, vortex_field)
#define PADICI_GPU_WARM_WAVE(X) X(PADIC_AREA_WAVE, wave) X(PADIC_AREA_WAVE, vortex)
#define PADICI_GPU_TUNABLES_WAVE(X) X(wave_few) X(wave_frames) X(wave_observe)
#else
#define PADICI_GPU_TUNABLES_WAVE(X)
#define PADICI_GPU_DRIVERS_WAVE(X)
#define PADICI_GPU_TESTS_WAVE(X)
#define PADICI_GPU_WARM_WAVE(X)
#endif

// --------------------------------------------------------------------------------------- >>tensor

#ifndef PADIC_NO_TENSOR
#include "padic_gpu_tensor.h"
#include "padic_gpu_factor.h"
#define PADICI_GPU_DRIVERS_TENSOR(X)    \
    X(TENSOR_GEMM, tensor_gemm)         \
    X(TENSOR_CONTRACT, tensor_contract) \
    X(TENSOR_SVD, tensor_svd)           \
    X(TENSOR_QR, tensor_qr)             \
    X(TENSOR_EIGH, tensor_eigh)         \
    X(TENSOR_ENTROPY, tensor_entropy)
#define PADICI_GPU_TESTS_TENSOR(X)              \
    X(TENSOR_PRODUCT, tensor_product)           \
    X(TENSOR_ADD, tensor_add)                   \
    X(TENSOR_SHAPE, tensor_shape)               \
    X(CUDA_TENSOR_SCALE, cuda_tensor_scale)     \
    X(CUDA_TENSOR_CUT, cuda_tensor_cut)         \
    X(CUDA_TENSOR_PRODUCT, cuda_tensor_product) \
    X(CUDA_TENSOR_EXACT, cuda_tensor_exact)     \
    X(CUDA_TENSOR_ASYNC_PRODUCT, cuda_tensor_async_product) \
    X(CUDA_FACTOR_COLUMNS, cuda_factor_columns) \
    X(CUDA_FACTOR_SMALL, cuda_factor_small)     \
    X(FACTOR_SVD, factor_svd)                   \
    X(FACTOR_QR, factor_qr)                     \
    X(FACTOR_EIGH, factor_eigh)                 \
    X(FACTOR_CUT, factor_cut)                   \
    X(FACTOR_GRAM, factor_gram)                 \
    X(FACTOR_ADD, factor_add)
#define PADICI_GPU_WARM_TENSOR(X) X(PADIC_AREA_TENSOR, tensor) X(PADIC_AREA_TENSOR, factor)
#define PADICI_GPU_TUNABLES_TENSOR(X) X(tensor_tile) X(factor_groups)
#else
#define PADICI_GPU_DRIVERS_TENSOR(X)
#define PADICI_GPU_TESTS_TENSOR(X)
#define PADICI_GPU_WARM_TENSOR(X)
#define PADICI_GPU_TUNABLES_TENSOR(X)
#endif


// --------------------------------------------------------------------------------------- >>sparse

#if defined(PADIC_NUM_IMPLEMENTED) && defined(PADIC_SPARSE_H)
#include "padic_gpu_sparse.h"
#else
#define PADICI_GPU_LAYERS_SPARSE(X)
#define PADICI_GPU_TESTS_SPARSE(X)
#define PADICI_GPU_WARM_SPARSE(X)
#endif

// ---------------------------------------------------------------------------------------- >>codec

#ifndef PADIC_NO_CODEC
#include "padic_gpu_codec.h"
#else
#define PADICI_GPU_LAYERS_CODEC(X)
#define PADICI_GPU_TESTS_CODEC(X)
#define PADICI_GPU_WARM_CODEC(X)
#endif

// room: src/gpu/tables.c
// --------------------------------------------------------------------------------------- >>tables
//
// An area adds its tables here. Drivers: operations of the op table, X(NAME, name) for
// padici_gpu_name(gpu, call, query). Layers: kernels below the operations, X(first, name) for
// padici_gpu_name(gpu, kernel, call, query), numbers first to first + 999.

#define PADICI_GPU_DRIVERS(X) \
    PADICI_GPU_DRIVERS_BASE(X) PADICI_GPU_DRIVERS_WAVE(X) PADICI_GPU_DRIVERS_TENSOR(X)
#define PADICI_GPU_TESTS(X)                             \
    PADICI_GPU_TESTS_BASE(X) PADICI_GPU_TESTS_NUM(X)    \
    PADICI_GPU_TESTS_WAVE(X) PADICI_GPU_TESTS_SPARSE(X) \
    PADICI_GPU_TESTS_TENSOR(X) PADICI_GPU_TESTS_CODEC(X) PADICI_GPU_TESTS_SAMPLE(X)
#define PADICI_GPU_LAYERS(X)                              \
    PADICI_GPU_LAYERS_NUM(X) PADICI_GPU_LAYERS_SPARSE(X)  \
    PADICI_GPU_LAYERS_CODEC(X) PADICI_GPU_LAYERS_SAMPLE(X)
// Tunables: X(name) for padici_tunable_name. What padic_prewarm() builds: X(area, name) for
// padici_warm_name(gpu), which calls padici_gpu_need() for the kernels that most calls use.
#define PADICI_GPU_TUNABLES(X) \
    PADICI_GPU_TUNABLES_BASE(X) PADICI_GPU_TUNABLES_WAVE(X) PADICI_GPU_TUNABLES_TENSOR(X)
#define PADICI_GPU_WARM(X)                            \
    PADICI_GPU_WARM_BASE(X) PADICI_GPU_WARM_NUM(X)    \
    PADICI_GPU_WARM_SPARSE(X) PADICI_GPU_WARM_WAVE(X) \
    PADICI_GPU_WARM_TENSOR(X) PADICI_GPU_WARM_CODEC(X) PADICI_GPU_WARM_SAMPLE(X)

static padici_gpu_test_fn padici_gpu_test_of(uint32_t kernel)
{
    switch (kernel) {
#define PADICI_GPU_TEST_ROW(NAME, name) \
    case PADICI_KERNEL_##NAME: return padici_test_##name;
        PADICI_GPU_TESTS(PADICI_GPU_TEST_ROW)
#undef PADICI_GPU_TEST_ROW
    default: return NULL;
    }
}

// room: src/gpu/choices.c
// ----------------------------------------------------------------------------------------- >>tuner
//
// What is chosen without measuring: the first row that fits. The last fits everything.

typedef struct padici_tune_row {
    const char *tunable, *vendor, *arch; // NULL: any; a part of the vendor's name, begin of arch
    uint8_t choice[PADICI_TUNE_CLASSES];
} padici_tune_row;

static const padici_tune_row padici_tune_rows[] = {
    {"tensor_tile", "NVIDIA", "sm_90", {0, 0, 1, 0, 0}}, // H200: 512 x 512 x 512
    {NULL, NULL, NULL, {0, 0, 0, 0, 0}},
};

static const padici_gpu_tunable *const padici_gpu_tunables[] = {
#define PADICI_GPU_TUNABLE_ROW(name) &padici_tunable_##name,
    PADICI_GPU_TUNABLES(PADICI_GPU_TUNABLE_ROW)
#undef PADICI_GPU_TUNABLE_ROW
};

#define PADICI_TUNE_COUNT \
    ((uint32_t)(sizeof padici_gpu_tunables / sizeof *padici_gpu_tunables))

static uint32_t padici_tune_class(uint64_t n)
{
    uint32_t i = 0;
    for (n >>= 12; n && i + 1 < PADICI_TUNE_CLASSES; n >>= 4) i++;
    return i;
}

static uint32_t padici_tune_builtin(const padici_gpu *gpu, const padici_gpu_tunable *t, uint32_t c)
{
    const padici_tune_row *row = padici_tune_rows;
    while ((row->tunable && strcmp(row->tunable, t->name)) ||
           (row->vendor && !strstr(gpu->info->vendor, row->vendor)) ||
           (row->arch && strncmp(gpu->info->arch, row->arch, strlen(row->arch))))
        row++;
    return row->choice[c] < t->count ? row->choice[c] : 0;
}

// The cache: one entry a device. Its key has a hash of all that choices depend on; its payload is
// for each tunable and class the choice + 1 (0: not measured) and MB/s, low byte first.

#define PADICI_TUNE_BYTES (PADICI_TUNE_MOST * PADICI_TUNE_CLASSES * 5u)

static int padici_tune_key(const padici_gpu *gpu, padici_cache_key *key)
{
    uint64_t hash = 0xcbf29ce484222325u;
    uint32_t i, j, k;
    for (i = 0; i < PADICI_TUNE_COUNT; i++) {
        const padici_gpu_tunable *t = padici_gpu_tunables[i];
        hash = padici_checksum(t->name, strlen(t->name), hash ^ padici_programs[t->program].hash);
        for (j = 0; j < t->count; j++) {
            hash = padici_mix(hash ^ t->choices[j].number);
            for (k = 0; k < t->choices[j].define_count; k++)
                hash = padici_checksum(t->choices[j].defines[k], strlen(t->choices[j].defines[k]),
                                       hash);
        }
    }
    padici_cache_key_begin(key, gpu->target->backend->name, gpu->info);
    padici_cache_key_number(key, "tuned", hash);
    return key->text.left > 1;
}

// The flag NO_CACHE is for programs only.
static padic_env padici_tune_env(const padici_gpu *gpu)
{
    padic_env env = gpu->context->env;
    env.cache = &gpu->context->cache;
    return env;
}

static PADICI_NOINLINE void padici_tune_load(padici_gpu *gpu)
{
    const padic_env env = padici_tune_env(gpu);
    padici_gpu_state *state = gpu->state;
    padici_cache_key key;
    const uint8_t *from;
    void *payload;
    size_t size;
    uint32_t kind, i, c;
    int good;
    state->tune_loaded = 1;
    if (!padici_tune_key(gpu, &key) ||
        !padici_cache_load(&env, key.space, &kind, &payload, &size))
        return;
    from = (const uint8_t *)payload;
    good = kind == PADICI_CACHE_TUNED && size == PADICI_TUNE_COUNT * PADICI_TUNE_CLASSES * 5;
    for (i = 0; i < PADICI_TUNE_COUNT * PADICI_TUNE_CLASSES && good; i++)
        good = from[5 * i] <= padici_gpu_tunables[i / PADICI_TUNE_CLASSES]->count;
    for (i = 0; i < PADICI_TUNE_COUNT && good; i++)
        for (c = 0; c < PADICI_TUNE_CLASSES; c++, from += 5) {
            state->tuned[i][c] = from[0];
            state->speed[i][c] = padici_load32(from + 1);
        }
    if (!good) padici_cache_bad(&env);
    padici_cache_free(&env, payload, size);
}

static PADICI_NOINLINE void padici_tune_store(const padici_gpu *gpu)
{
    const padic_env env = padici_tune_env(gpu);
    const padici_gpu_state *state = gpu->state;
    uint8_t payload[PADICI_TUNE_BYTES], *to = payload;
    padici_cache_key key;
    uint32_t i, c;
    for (i = 0; i < PADICI_TUNE_COUNT; i++)
        for (c = 0; c < PADICI_TUNE_CLASSES; c++, to += 5) {
            to[0] = state->tuned[i][c];
            padici_store32(to + 1, state->speed[i][c]);
        }
    if (padici_tune_key(gpu, &key))
        padici_cache_store(&env, key.space, PADICI_CACHE_TUNED, payload, (size_t)(to - payload));
}

// room: src/gpu/tuner.c
// Measuring: the choices of one tunable on one example, against what the CPU makes of it.

// One tunable on one example: operands on the host and on the device, what the CPU makes of them.
typedef struct padici_tune_run {
    padici_gpu *gpu;
    const padici_gpu_tunable *t;
    padici_any_desc desc;
    padici_operand operands[PADICI_MAX_OPERANDS];
    padic_buffer buffers[PADICI_MAX_OPERANDS];
    uint64_t at[PADICI_MAX_OPERANDS], size[PADICI_MAX_OPERANDS]; // bytes in each of these:
    uint32_t count;
    unsigned char *reference, *first, *got; // all operands; outputs of the first choice, of another
    uint64_t bytes;
} padici_tune_run;

// Points the desc's tensors at host memory, or (host NULL) at the buffers.
static void padici_tune_point(padici_tune_run *r, unsigned char *host)
{
    uint32_t i;
    for (i = 0; i < r->count; i++) {
        padic_tensor *t = r->operands[i].tensor;
        if (!r->size[i]) continue; // a tensor that the example leaves out
        t->data = host ? host + r->at[i] : NULL;
        t->buffer.id = host ? 0 : r->buffers[i].id;
    }
}

static void padici_tune_run_end(padici_tune_run *r)
{
    uint32_t i;
    for (i = 0; i < r->count; i++)
        if (r->buffers[i].id) (void)padic_buffer_destroy(r->gpu->context, r->buffers[i]);
    padici_free(&r->gpu->context->allocator, r->reference, (size_t)(3 * r->bytes));
    r->reference = NULL;
}

static PADICI_NOINLINE padic_result padici_tune_run_begin(padici_tune_run *r, uint32_t size_class)
{
    padic_context *context = r->gpu->context;
    const padici_op_row *row = &padici_op_rows[r->t->op];
    padic_result result = PADIC_OK;
    uint32_t i;
    if (!(*r->t->example)(&r->desc, size_class)) return PADIC_ERROR_NOT_SUPPORTED;
    r->count = (*row->operands)(&r->desc, r->operands);
    for (i = 0; i < r->count; i++) {
        const padic_tensor *t = r->operands[i].tensor;
        r->at[i] = r->bytes;
        r->size[i] = t->dtype ? padic_tensor_count(t) * padic_dtype_size(t->dtype) : 0;
        r->bytes += (r->size[i] + 63) & ~UINT64_C(63);
    }
    if (!r->bytes || r->bytes > ((size_t)-1 >> 2)) return PADIC_ERROR_NOT_SUPPORTED;
    r->reference =
        (unsigned char *)padici_alloc(&context->allocator, (size_t)(3 * r->bytes), 64);
    if (!r->reference) return PADIC_ERROR_MEMORY;
    context->stats.host_allocations++;
    memset(r->reference, 0, (size_t)(3 * r->bytes));
    r->first = r->reference + r->bytes;
    r->got = r->first + r->bytes;
    padici_tune_point(r, r->reference);
    for (i = 0; i < r->count && !result; i++) {
        padic_random_fill_desc random = PADIC_ZERO;
        padic_buffer_desc buffer = PADIC_ZERO;
        if (!r->size[i]) continue;
        random.tensor = *r->operands[i].tensor;
        random.stream = i;
        if (!r->operands[i].out) result = padic_random_fill(NULL, &random);
        buffer.size = r->size[i];
        buffer.data = r->reference + r->at[i];
        if (!result) result = padic_buffer_create(context, &buffer, &r->buffers[i]);
    }
    if (!result) result = padici_op_host(r->t->op, &context->env, &r->desc);
    padici_tune_point(r, NULL);
    return result;
}

// |got - reference| of the floats of an output, against the bound.
static int padici_tune_near(const padici_tune_run *r, uint32_t i)
{
    const padic_dtype dtype = r->operands[i].tensor->dtype;
    const int wide = dtype == PADIC_F64 || dtype == PADIC_C128;
    const uint64_t step = wide ? 8 : 4;
    double largest = 0, worst = 0;
    uint64_t at;
    if (!(r->t->bound > 0) || (!wide && dtype != PADIC_F32 && dtype != PADIC_C64))
        return !memcmp(r->got + r->at[i], r->reference + r->at[i], (size_t)r->size[i]);
    for (at = r->at[i]; at < r->at[i] + r->size[i]; at += step) {
        double a, b;
        float f;
        if (wide) {
            memcpy(&a, r->got + at, 8);
            memcpy(&b, r->reference + at, 8);
        } else {
            memcpy(&f, r->got + at, 4);
            a = f;
            memcpy(&f, r->reference + at, 4);
            b = f;
        }
        if (!(fabs(a - b) <= worst)) worst = fabs(a - b);
        if (fabs(b) > largest) largest = fabs(b);
    }
    return worst <= r->t->bound * largest;
}

// Runs a choice once, from outputs of zeros: OK when it did what it should, SELF_TEST if not.
static padic_result padici_tune_check(padici_tune_run *r, uint32_t choice)
{
    padic_context *context = r->gpu->context;
    padic_result result = PADIC_OK;
    uint32_t i;
    for (i = 0; i < r->count && !result; i++)
        if (r->operands[i].out && r->size[i])
            result = padici_target_fill(context, &context->targets[0],
                                        padici_slot_find(context, r->buffers[i])->mem, 0, 0,
                                        r->size[i] & ~UINT64_C(3));
    if (!result) result = padici_run(context, r->t->op, &r->desc);
    if (result) return result;
    if (context->stats.ops[r->t->op].backend != context->targets[0].backend->name)
        return PADIC_ERROR_NOT_SUPPORTED; // another did it: nothing to measure
    for (i = 0; i < r->count && !result; i++) {
        if (!r->operands[i].out || !r->size[i]) continue;
        result = padic_buffer_download(context, r->buffers[i], 0, r->got + r->at[i], r->size[i]);
        if (result) return result;
        if (!padici_tune_near(r, i)) return PADIC_ERROR_SELF_TEST;
        if (choice && memcmp(r->got + r->at[i], r->first + r->at[i], (size_t)r->size[i]))
            return PADIC_ERROR_SELF_TEST;
        memcpy(r->first + r->at[i], r->got + r->at[i], (size_t)r->size[i]);
    }
    return result;
}

static uint64_t padici_tune_now(const padic_context *context)
{
    return (*context->clock.now)(context->clock.user);
}

// Host time of one run, UINT64_MAX if it fails.
static uint64_t padici_tune_time(padici_tune_run *r)
{
    padic_context *context = r->gpu->context;
    const uint64_t begin = padici_tune_now(context);
    uint64_t end;
    if (padici_run(context, r->t->op, &r->desc) || padic_context_sync(context)) return UINT64_MAX;
    end = padici_tune_now(context);
    return end > begin ? end - begin : 1;
}

static void padici_tune_log_wrong(const padici_tune_run *r, uint32_t choice)
{
    padici_text text;
    char space[160];
    padici_text_begin(&text, space, sizeof space);
    padici_text_add(&text, r->t->name);
    padici_text_add(&text, ": choice ");
    padici_text_number(&text, choice, 1);
    padici_text_add(&text, " computes something else on ");
    padici_text_add(&text, r->gpu->info->name);
    padici_log_write(&r->gpu->context->log, PADIC_LOG_WARNING, r->t->op, space);
}

// Times the choices until the deadline. The first counts as the best until one is faster and right.
static PADICI_NOINLINE padic_result padici_tune_choices(padici_tune_run *r, uint64_t deadline,
                                                        uint32_t *chosen, uint64_t *best)
{
    padic_context *context = r->gpu->context;
    uint32_t i;
    *chosen = 0;
    *best = UINT64_MAX;
    for (i = 0; i < r->t->count; i++) {
        uint64_t time, again;
        padic_result result;
        if (i && padici_tune_now(context) >= deadline) break;
        r->gpu->state->trial_choice = i;
        result = padici_tune_check(r, i); // compiles, too
        context->stats.tuner_candidates++;
        if (result && (!i || context->targets[0].lost)) return result;
        if (result == PADIC_ERROR_SELF_TEST) padici_tune_log_wrong(r, i);
        if (result) continue;
        time = padici_tune_time(r);
        if (time != UINT64_MAX && (!i || time / 3 <= *best / 2)) {
            again = padici_tune_time(r);
            if (again < time) time = again;
        }
        if (i && time > *best - *best / 20) continue; // not worth leaving what is known to work
        *best = time;
        *chosen = i;
    }
    return PADIC_OK;
}

static void padici_tune_log(const padici_gpu *gpu, uint32_t index, uint32_t c, padic_result result)
{
    const padici_gpu_tunable *t = padici_gpu_tunables[index];
    padici_text text;
    char space[160];
    padici_text_begin(&text, space, sizeof space);
    padici_text_add(&text, t->name);
    padici_text_add(&text, ", size class ");
    padici_text_number(&text, c, 1);
    if (result) {
        padici_text_add(&text, ": not tuned: ");
        padici_text_add(&text, padic_result_text(result));
    } else {
        padici_text_add(&text, ": choice ");
        padici_text_number(&text, gpu->state->tuned[index][c] - 1u, 1);
        padici_text_add(&text, ", MB/s ");
        padici_text_number(&text, gpu->state->speed[index][c], 1);
    }
    padici_log_write(&gpu->context->log, PADIC_LOG_INFO, t->op, space);
}

// Measures one tunable for one size class. Counters of its operation stay as they were. What cannot
// be measured keeps its first choice and is not tried again, unless memory was short.
static void padici_tune_one(padici_gpu *gpu, uint32_t index, uint32_t c, uint64_t deadline)
{
    padic_context *context = gpu->context;
    padici_gpu_state *state = gpu->state;
    padici_tune_run run;
    const uint32_t op = padici_gpu_tunables[index]->op;
    const padic_op_stats stats = context->stats.ops[op];
    const char *const method = context->method;
    uint32_t chosen = 0, i;
    uint64_t best = 0, bytes = 0;
    padic_result result;
    memset(&run, 0, sizeof run);
    run.gpu = gpu;
    run.t = padici_gpu_tunables[index];
    context->tuning++;
    context->quiet++;
    state->trial = index + 1;
    result = padici_tune_run_begin(&run, c);
    if (!result) result = padici_tune_choices(&run, deadline, &chosen, &best);
    for (i = 0; i < run.count; i++) bytes += run.size[i];
    padici_tune_run_end(&run);
    state->trial = 0;
    context->quiet--;
    context->tuning--;
    context->method = method;
    context->stats.ops[op] = stats;
    if (result != PADIC_ERROR_MEMORY) state->tuned[index][c] = (uint8_t)(chosen + 1);
    state->speed[index][c] = result || !best ? 0 : (uint32_t)(bytes * 1000 / best);
    if (result != PADIC_ERROR_NOT_SUPPORTED) padici_tune_log(gpu, index, c, result);
}

static const padici_gpu_choice *padici_gpu_choose(padici_gpu *gpu, const padici_gpu_tunable *t,
                                                  uint64_t n)
{
    padic_context *context = gpu->context;
    padici_gpu_state *state = gpu->state;
    const uint32_t c = padici_tune_class(n);
    uint32_t index = 0;
    uint64_t begin, budget;
    while (index + 1 < PADICI_TUNE_COUNT && padici_gpu_tunables[index] != t) index++;
    if (state && state->trial == index + 1) return &t->choices[state->trial_choice];
    if (context->mode == PADIC_MODE_OFF) return &t->choices[0];
    if (!state) return &t->choices[padici_tune_builtin(gpu, t, c)];
    if (!state->tune_loaded && !context->recording) padici_tune_load(gpu);
    budget = (uint64_t)context->tune_ms * 1000000;
    if (context->mode == PADIC_MODE_AUTOTUNE && !gpu->query && !context->recording &&
        !context->tuning && !state->tuned[index][c] && state->tune_ns < budget) {
        begin = padici_tune_now(context);
        padici_tune_one(gpu, index, c, begin + budget - state->tune_ns);
        state->tune_ns += padici_tune_now(context) - begin;
        padici_tune_store(gpu);
    }
    return &t->choices[state->tuned[index][c] ? state->tuned[index][c] - 1u
                                              : padici_tune_builtin(gpu, t, c)];
}

static padic_result padici_gpu_tune(padici_gpu *gpu, const padici_drive_tune *call)
{
    const uint64_t deadline = padici_tune_now(gpu->context) + (uint64_t)call->ms * 1000000;
    padici_steps steps;
    uint32_t i, c, measured = 0, all = 0;
    for (i = 0; i < PADICI_TUNE_COUNT; i++)
        all += (padici_gpu_tunables[i]->area & call->areas) != 0;
    padici_steps_begin(&steps, NULL, padici_progress(gpu->context), all * PADICI_TUNE_CLASSES);
    if (!gpu->state->tune_loaded) padici_tune_load(gpu);
    for (c = 0; c < PADICI_TUNE_CLASSES; c++) // small ones first: they cost least
        for (i = 0; i < PADICI_TUNE_COUNT; i++) {
            if (!(padici_gpu_tunables[i]->area & call->areas)) continue;
            if (gpu->target->lost) return padici_target_begin(gpu->context, gpu->target);
            if (padici_tune_now(gpu->context) >= deadline) break;
            padici_tune_one(gpu, i, c, deadline);
            measured++;
            if (!padici_steps_more(&steps, 1)) continue;
            padici_tune_store(gpu); // what was measured holds
            return padici_fail(gpu->context, PADIC_ERROR_CANCELLED,
                               "tune: the progress hook stopped it");
        }
    if (measured) padici_tune_store(gpu);
    return PADIC_OK;
}

// room: src/gpu/drive.c
// The one function of this file that a backend calls: operations, layer 0, building beforehand.

// Builds and tests what calls of the areas use most. A kernel that is not to be used here is not an
// error.
static padic_result padici_gpu_prewarm(padici_gpu *gpu, uint32_t areas)
{
    padic_result result = PADIC_OK;
#define PADICI_GPU_WARM_ROW(area, name)                               \
    if (!result && (areas & (uint32_t)(area))) result = padici_warm_##name(gpu); \
    if (result == PADIC_ERROR_NOT_SUPPORTED) result = PADIC_OK;
    PADICI_GPU_WARM(PADICI_GPU_WARM_ROW)
#undef PADICI_GPU_WARM_ROW
    return result;
}

static PADICI_NOINLINE padic_result padici_gpu_drive_in(padici_gpu *gpu, void *call)
{
    switch (gpu->op) {
#define PADICI_GPU_DRIVER_ROW(NAME, name) \
    case PADIC_OP_##NAME: return padici_gpu_##name(gpu, (const padici_call *)call, gpu->query);
        PADICI_GPU_DRIVERS(PADICI_GPU_DRIVER_ROW)
#undef PADICI_GPU_DRIVER_ROW
    default: break;
    }
    switch (gpu->op / 1000) {
#define PADICI_GPU_LAYER_ROW(first, name) \
    case (first) / 1000: return padici_gpu_##name(gpu, gpu->op, call, gpu->query);
        PADICI_GPU_LAYERS(PADICI_GPU_LAYER_ROW)
#undef PADICI_GPU_LAYER_ROW
    default: break;
    }
    return PADIC_ERROR_NOT_SUPPORTED;
}

static void padici_gpu_close(padic_context *context)
{
    padici_gpu_state *state = (padici_gpu_state *)context->gpu;
    uint32_t i;
    for (i = 0; state && i < state->count; i++) {
        padici_variant *v = &state->variants[i];
        padici_free(&context->allocator, v->defines, v->defines_size);
        padici_free(&context->allocator, v->shapes,
                    padici_programs[v->program].kernel_count * sizeof *v->shapes);
    }
    if (state)
        padici_free(&context->allocator, state->variants,
                    state->capacity * sizeof *state->variants);
    padici_free(&context->allocator, state, sizeof *state);
    context->gpu = NULL;
}

// Whether launches so far may have overwritten an input, so that no other backend can take over.
static int padici_gpu_touched(uint32_t op, const void *call_)
{
    const padici_call *call = (const padici_call *)call_;
    uint32_t i;
    if (op >= PADIC_KERNEL_SAMPLE) return 1;
    for (i = 0; i < call->operand_count; i++)
        if (call->operands[i].out == 2) return 1;
    return 0;
}

// The member `drive` of every backend with a device's memory.
PADICI_UNUSED static padic_result padici_gpu_drive(padic_context *context, uint32_t op, void *call,
                                                   int query)
{
    padici_gpu gpu;
    padic_result result;
    if (op == PADICI_DRIVE_CLOSE) {
        padici_gpu_close(context);
        return PADIC_OK;
    }
    memset(&gpu, 0, sizeof gpu);
    gpu.context = context;
    gpu.target = &context->targets[0];
    gpu.info = &gpu.target->info;
    gpu.op = op;
    gpu.query = query;
    if (!context->gpu && !query) {
        context->gpu = padici_alloc(&context->allocator, sizeof(padici_gpu_state), 16);
        if (!context->gpu) return padici_fail(context, PADIC_ERROR_MEMORY, "out of host memory");
        memset(context->gpu, 0, sizeof(padici_gpu_state));
        context->stats.host_allocations++;
    }
    gpu.state = (padici_gpu_state *)context->gpu;
    if (op >= PADICI_DRIVE_CLOSE && op <= PADICI_DRIVE_TUNE) gpu.op = PADIC_OP_NONE;
    if (op == PADICI_DRIVE_PREWARM) return padici_gpu_prewarm(&gpu, *(const uint32_t *)call);
    if (op == PADICI_DRIVE_TUNE) return padici_gpu_tune(&gpu, (const padici_drive_tune *)call);
    result = padici_gpu_drive_in(&gpu, call);
    if (result == PADIC_ERROR_NOT_SUPPORTED && gpu.launches && padici_gpu_touched(op, call))
        return padici_fail(context, PADIC_ERROR_SELF_TEST,
                           "a kernel proved to be wrong when others had run");
    return result;
}

#if defined(__clang__)
#pragma STDC FP_CONTRACT DEFAULT
#elif defined(__GNUC__)
#pragma GCC pop_options
#elif defined(_MSC_VER)
#pragma fp_contract(on)
#endif
// room: src/gpu/padic_gpu.in.h:180
#endif // PADIC_IMPLEMENTATION
