#include "variants.h"
#include "../context/grow.h"
#include "../context/launch.h"
#include "../context/messages.h"
#include "../context/state.h"
#include "../core/log.h"
#include "../core/memory.h"
#include "drive.h"
#include "tables.h"
#include "tests.h"
#include "texts.h"

#if PADICI_IMPLEMENT_GPU

// Finds, builds and tests variants of programs, at first use.

// 1 if a kernel's text is meant for this device at all.
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

// The number of a variant; state->count if there is none.
PADICI_FN uint32_t padici_variant_find(const padici_gpu_state *state, uint32_t program,
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

// What a program is built with: the defines of the device's features, then the variant's own.
typedef struct padici_variant_words {
    const char *all[PADICI_GPU_DEFINES + 3];
    uint32_t count;
    char local[32];
    char *own; // the variant's, each with its end
    size_t own_size;
} padici_variant_words;

static int padici_variant_words_make(const padici_gpu *gpu, const padici_variant *v,
                                     padici_variant_words *words)
{
    const uint32_t features = gpu->info->features;
    padici_text text;
    char *at, *end;
    memset(words, 0, sizeof *words);
    words->own_size = v->defines_size;
    if (v->defines_size) {
        words->own = (char *)padici_alloc(&gpu->context->allocator, v->defines_size, 16);
        if (!words->own) return 0;
        gpu->context->stats.host_allocations++;
        memcpy(words->own, v->defines, v->defines_size);
    }
    padici_text_begin(&text, words->local, sizeof words->local);
    padici_text_add(&text, "PD_LOCAL_BYTES=");
    padici_text_number(&text, gpu->info->local_bytes ? gpu->info->local_bytes : 16384, 1);
    words->all[0] = features & PADIC_FEATURE_F64 ? "PD_HAS_F64=1" : "PD_HAS_F64=0";
    words->all[1] =
        features & PADIC_FEATURE_I64_ATOMICS ? "PD_HAS_I64_ATOMICS=1" : "PD_HAS_I64_ATOMICS=0";
    words->all[2] = words->local;
    words->count = 3;
    for (at = words->own; at < words->own + v->defines_size; at = end + 1) {
        end = (char *)memchr(at, '\n', (size_t)(words->own + v->defines_size - at));
        *end = 0;
        words->all[words->count++] = at;
    }
    return 1;
}

static void padici_variant_words_end(const padici_gpu *gpu, padici_variant_words *words)
{
    if (words->own) padici_free(&gpu->context->allocator, words->own, words->own_size);
}

static void padici_variant_desc(const padici_variant *v, const padici_variant_words *words,
                                padic_program_desc *desc)
{
    desc->program = v->program;
    desc->defines = words->all;
    desc->define_count = words->count;
}

// The shape of each kernel under the defines.
static void padici_variant_shapes(padici_variant *v, const padici_variant_words *words)
{
    const padici_program_text *text = &padici_programs[v->program];
    uint32_t i, j;
    for (i = 0; i < text->kernel_count; i++) {
        const padici_kernel_text *kernel = &text->kernels[i];
        const size_t length = kernel->group_word ? strlen(kernel->group_word) : 0;
        v->shapes[i].buffers = kernel->buffers;
        v->shapes[i].params_size = kernel->params_size;
        v->shapes[i].group = kernel->group;
        for (j = 3; j < words->count && length; j++) {
            const char *c = words->all[j] + length;
            if (strncmp(words->all[j], kernel->group_word, length) || *c++ != '=') continue;
            for (v->shapes[i].group = 0; *c >= '0' && *c <= '9' && v->shapes[i].group < 100000; c++)
                v->shapes[i].group = v->shapes[i].group * 10 + (uint32_t)(*c - '0');
        }
    }
}

static padic_result padici_variant_compile(padici_gpu *gpu, padici_variant *v)
{
    padici_variant_words words;
    padic_program_desc desc;
    padic_result result;
    if (!padici_variant_words_make(gpu, v, &words))
        return padici_fail(gpu->context, PADIC_ERROR_MEMORY, "out of host memory");
    padici_variant_shapes(v, &words);
    padici_variant_desc(v, &words, &desc);
    result = padici_program_build(gpu->context, &desc, padici_programs[v->program].kernel_count,
                                  v->shapes, &v->built);
    padici_variant_words_end(gpu, &words);
    return result;
}

// Failures that are permanent; others (no memory, device lost) are returned to the caller.
static int padici_gpu_final(padic_result result)
{
    return result == PADIC_ERROR_BUILD || result == PADIC_ERROR_NOT_SUPPORTED ||
           result == PADIC_ERROR_LIMIT || result == PADIC_ERROR_DEVICE ||
           result == PADIC_ERROR_SELF_TEST;
}

// Logs one line: which kernel is not used here, and why.
static void padici_gpu_log_drop(const padici_gpu *gpu, const padici_variant *v, const char *name,
                                const char *why)
{
    padici_text text;
    char space[256], define[2] = {' ', 0};
    size_t i;
    padici_text_begin(&text, space, sizeof space);
    padici_text_add(&text, name);
    padici_text_add(&text, " is not used on ");
    padici_text_add(&text, gpu->info->name);
    padici_text_add(&text, ": ");
    padici_text_add(&text, why);
    for (i = 0; i < v->defines_size; i++) {
        if (!i) padici_text_add(&text, ", ");
        define[0] = v->defines[i] == '\n' ? ' ' : v->defines[i];
        if (i + 1 < v->defines_size) padici_text_add(&text, define);
    }
    padici_log_write(&gpu->context->log, PADIC_LOG_WARNING, gpu->op, space);
}

// Tests kernel i, or returns what its test has already found for an earlier kernel.
static padic_result padici_variant_test_one(padici_gpu *gpu, uint32_t index, uint32_t i)
{
    const padici_variant *v = &gpu->state->variants[index];
    const padici_gpu_test *own = padici_gpu_test_of(v->program << 16 | i), *test;
    uint32_t j;
    for (j = 0; j < i && own && own->groups == PADICI_TEST_DRIVEN; j++) {
        test = padici_gpu_test_of(v->program << 16 | j);
        if (test && test->make == own->make)
            return v->dropped >> j & 1 ? PADIC_ERROR_SELF_TEST : PADIC_OK;
    }
    return padici_gpu_test_run(gpu, index, i);
}

// Tests every kernel of a built variant: first those that have their own test, so that no driver
// launches a wrong one. A driver may build other programs, and the list of variants moves then.
static padic_result padici_variant_test(padici_gpu *gpu, uint32_t index)
{
    padic_context *context = gpu->context;
    padici_variant *v = &gpu->state->variants[index];
    const padici_program_text *text = &padici_programs[v->program];
    const uint32_t program = v->program;
    padic_result result;
    uint32_t i;
    v->dropped = 0;
    for (i = 0; i < 2 * text->kernel_count; i++) {
        const uint32_t kernel = i % text->kernel_count, driven = i >= text->kernel_count;
        const padici_gpu_test *test = padici_gpu_test_of(program << 16 | kernel);
        if (context->device_flags & PADIC_DEVICE_SKIP_SELF_TEST) break;
        if (!test || driven != (test->groups == PADICI_TEST_DRIVEN)) continue;
        result = padici_variant_test_one(gpu, index, kernel);
        v = &gpu->state->variants[index];
        if (result && !padici_gpu_final(result)) return result;
        if (!result) continue;
        v->dropped |= UINT64_C(1) << kernel;
        context->stats.self_tests_failed++;
        padici_gpu_log_drop(gpu, v, text->kernels[kernel].name,
                            result == PADIC_ERROR_SELF_TEST ? "its self-test fails"
                                                            : "its self-test cannot run");
    }
    if (!v->dropped && gpu->target->backend->keep)
        (*gpu->target->backend->keep)(gpu->target->device, v->built.handle);
    return PADIC_OK;
}

typedef struct padici_variants_batch {
    padici_variant_words words[PADICI_GPU_TOGETHER];
    padic_program_desc descs[PADICI_GPU_TOGETHER];
    padic_program *handles[PADICI_GPU_TOGETHER];
    padic_result results[PADICI_GPU_TOGETHER];
    padici_variant *variants[PADICI_GPU_TOGETHER];
    uint32_t count;
} padici_variants_batch;

// Takes what is new, from variant `first` on, until the batch is full. Returns the next one.
static uint32_t padici_variants_take(padici_gpu *gpu, uint32_t first, padici_variants_batch *b)
{
    uint32_t i;
    for (i = first, b->count = 0; i < gpu->state->count && b->count < PADICI_GPU_TOGETHER; i++) {
        padici_variant *v = &gpu->state->variants[i];
        padici_variant_words *words = &b->words[b->count];
        if (v->state != PADICI_VARIANT_NEW || v->built.handle) continue;
        if (!padici_variant_words_make(gpu, v, words)) continue;
        padici_variant_shapes(v, words);
        if (!padici_shapes_fit(gpu->context, v->shapes,
                               padici_programs[v->program].kernel_count)) {
            padici_variant_words_end(gpu, words);
            continue;
        }
        padici_variant_desc(v, words, &b->descs[b->count]);
        b->handles[b->count] = NULL;
        b->variants[b->count++] = v;
    }
    return i;
}

// Builds new variants, from `first` on, side by side where the backend can. What fails is built
// alone when it is needed, and says why.
PADICI_FN void padici_variants_build(padici_gpu *gpu, uint32_t first)
{
    const padic_allocator *allocator = &gpu->context->allocator;
    padici_variants_batch *b;
    uint32_t i;
    if (!gpu->state || first >= gpu->state->count) return;
    b = (padici_variants_batch *)padici_alloc(allocator, sizeof *b, 16);
    if (!b) return;
    gpu->context->stats.host_allocations++;
    while (first < gpu->state->count) {
        first = padici_variants_take(gpu, first, b);
        if (b->count)
            (void)padici_programs_build(gpu->context, b->descs, b->count, b->handles, b->results);
        for (i = 0; i < b->count; i++) {
            padici_variant *v = b->variants[i];
            padici_variant_words_end(gpu, &b->words[i]);
            v->built.handle = b->handles[i];
            v->built.kernels = padici_programs[v->program].kernel_count;
            v->built.shapes = v->shapes;
        }
    }
    padici_free(allocator, b, sizeof *b);
}

// At the first kernel of a call that is new: has the driver name all that the call needs, and
// builds what is new among them side by side.
static void padici_gpu_gather(padici_gpu *gpu)
{
    padici_gpu ahead = *gpu;
    const uint32_t first = gpu->state->count;
    if (gpu->gathered || !gpu->call || !gpu->target->backend->programs ||
        gpu->context->jobs.workers < 2 || gpu->context->recording)
        return;
    gpu->gathered = 1;
    ahead.query = ahead.gathers = 1;
    (void)padici_gpu_drive_in(&ahead, gpu->call);
    padici_variants_build(gpu, first);
}

// Builds and tests the kernel if necessary. NOT_SUPPORTED: it must not be used.
PADICI_FN padic_result padici_gpu_ready(padici_gpu *gpu, uint32_t kernel,
                                        const char *const *defines, uint32_t count, uint32_t *index)
{
    const uint32_t program = kernel >> 16, bit = kernel & 0xffffu;
    padici_variant *v;
    padic_result result;
    if (gpu->tested && gpu->state->variants[gpu->tested - 1].program == program) {
        *index = gpu->tested - 1;
        return gpu->state->variants[*index].dropped >> bit & 1 ? PADIC_ERROR_NOT_SUPPORTED
                                                               : PADIC_OK;
    }
    if (!padici_gpu_reads(gpu, program)) return PADIC_ERROR_NOT_SUPPORTED;
    if (bit >= padici_programs[program].kernel_count || count > PADICI_GPU_DEFINES)
        return padici_fail(gpu->context, PADIC_ERROR_ARGUMENT, "launch: no such kernel");
    *index = padici_variant_find(gpu->state, program, defines, count);
    if (*index == gpu->state->count) {
        padici_gpu_gather(gpu);
        *index = padici_variant_find(gpu->state, program, defines, count);
    }
    if (*index == gpu->state->count) {
        result = padici_variant_add(gpu, program, defines, count);
        if (result) return result;
    }
    v = &gpu->state->variants[*index];
    if (v->state == PADICI_VARIANT_NEW && !v->built.handle) {
        result = padici_variant_compile(gpu, v);
        if (result && !padici_gpu_final(result)) return result;
        if (result) {
            v->state = PADICI_VARIANT_DROPPED;
            padici_gpu_log_drop(gpu, v, padici_programs[program].name, "it cannot be built");
        }
    }
    if (v->state == PADICI_VARIANT_NEW) {
        if (gpu->context->recording)
            return padici_fail(gpu->context, PADIC_ERROR_ARGUMENT,
                               "recording: a kernel is untested; run the work once before");
        v->state = PADICI_VARIANT_TESTING;
        result = padici_variant_test(gpu, *index);
        v = &gpu->state->variants[*index];
        v->state = result ? PADICI_VARIANT_NEW : PADICI_VARIANT_READY;
        if (result) return result;
    }
    return v->state == PADICI_VARIANT_DROPPED || (v->dropped >> bit & 1) ? PADIC_ERROR_NOT_SUPPORTED
                                                                         : PADIC_OK;
}

// Names a kernel that the driver is going to launch. In a query: NOT_SUPPORTED when it is known to
// be unusable. Otherwise it is built and tested now, before any data is touched; see
// padici_gpu_gather().
PADICI_FN padic_result padici_gpu_need(padici_gpu *gpu, uint32_t kernel, const char *const *defines,
                                       uint32_t count)
{
    uint32_t index = 0;
    const padici_variant *v;
    if (!gpu->query) return padici_gpu_ready(gpu, kernel, defines, count, &index);
    if (!padici_gpu_reads(gpu, kernel >> 16)) return PADIC_ERROR_NOT_SUPPORTED;
    if (gpu->tested && gpu->state->variants[gpu->tested - 1].program == kernel >> 16)
        return PADIC_OK; // it will do
    index = padici_variant_find(gpu->state, kernel >> 16, defines, count);
    if (gpu->gathers && gpu->state && index == gpu->state->count) {
        (void)padici_variant_add(gpu, kernel >> 16, defines, count); // without, it waits its turn
        return PADIC_OK;
    }
    if (!gpu->state || index == gpu->state->count) return PADIC_OK;
    v = &gpu->state->variants[index];
    return v->state == PADICI_VARIANT_DROPPED || (v->dropped >> (kernel & 0xffffu) & 1)
               ? PADIC_ERROR_NOT_SUPPORTED
               : PADIC_OK;
}

#endif
