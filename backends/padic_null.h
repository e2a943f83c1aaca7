// padic_null.h: a device that keeps memory but computes nothing, to test error paths without a GPU.
// Needs padic.h, which it includes; where PADIC_IMPLEMENTATION is defined, its functions are
// compiled, too.
#if !defined(PADIC_HEADER) || !defined(PADIC_IMPLEMENTED)
#ifdef __has_include
#if __has_include("padic.h")
#include "padic.h"
#elif __has_include("../padic.h")
#include "../padic.h"
#endif
#elif !defined(PADIC_HEADER)
#include "../padic.h"
#endif
#endif
#ifndef PADIC_HEADER
#error "padic_null.h needs padic.h beside it or in the folder above: put it there"
#endif
#if PADIC_BACKEND_VERSION != 4u
#error "padic_null.h is for another version of padic.h: take both from one release"
#endif

#ifndef PADIC_NULL_H
#define PADIC_NULL_H

#ifdef __cplusplus
extern "C" {
#endif

// desc.device.native_context may point to this, which must outlive the context.
typedef struct padic_null_desc {
    uint64_t fail_at; // this fallible call (from 1) fails; 0: none
    uint64_t calls;   // counts fallible calls
    uint64_t live;    // counts devices, blocks and programs that exist
    void (*on_launch)(const padic_launch *launch, void *user); // sees every launch
    void *user;
    padic_result fail_with; // 0: PADIC_ERROR_MEMORY
    uint64_t max_alloc;     // 0: no limit
} padic_null_desc;
PADIC_API const padic_backend *padic_null(void);

#ifdef __cplusplus
}
#endif
#endif // PADIC_NULL_H

#if (defined(PADIC_IMPLEMENTATION) || defined(PADIC_IMPLEMENT_NULL)) && \
    !defined(PADIC_NULL_IMPLEMENTED)
#define PADIC_NULL_IMPLEMENTED

#ifdef __cplusplus
extern "C" {
#endif

// What a padic_device, or a padic_program, of the null backend really is.
typedef struct padici_null {
    padic_env env;
    padic_null_desc *desc;
    padic_null_desc own; // when the caller gave none
    struct padici_null_program *programs;
} padici_null;

typedef struct padici_null_program {
    struct padici_null_program *next;
} padici_null_program;

// Counts a fallible call; 0, or the error when its turn has come.
static padic_result padici_null_step(padici_null *null, const char *call)
{
    padic_null_desc *desc = null->desc;
    padici_text text;
    if (++desc->calls != desc->fail_at) return PADIC_OK;
    if (null->env.message_size) {
        padici_text_begin(&text, null->env.message, null->env.message_size);
        padici_text_add(&text, "null backend: call ");
        padici_text_number(&text, desc->calls, 1);
        padici_text_add(&text, " (");
        padici_text_add(&text, call);
        padici_text_add(&text, ") fails as asked for");
    }
    return desc->fail_with ? desc->fail_with : PADIC_ERROR_MEMORY;
}

static padic_result padici_null_open(const padic_env *env, const padic_device_desc *desc,
                                     padic_device **out)
{
    padici_null *null = (padici_null *)padici_alloc(env->allocator, sizeof *null, 16);
    padic_result result;
    *out = NULL;
    if (!null) return PADIC_ERROR_MEMORY;
    memset(null, 0, sizeof *null);
    null->env = *env;
    null->desc = desc->native_context ? (padic_null_desc *)desc->native_context : &null->own;
    result = padici_null_step(null, "open");
    if (result) {
        padici_free(env->allocator, null, sizeof *null);
        return result;
    }
    null->desc->live++;
    *out = (padic_device *)(void *)null;
    return PADIC_OK;
}

static void padici_null_close(padic_device *device)
{
    padici_null *null = (padici_null *)(void *)device;
    const padic_allocator *allocator = null->env.allocator;
    while (null->programs) {
        padici_null_program *program = null->programs;
        null->programs = program->next;
        padici_free(allocator, program, sizeof *program);
        null->desc->live--;
    }
    null->desc->live--;
    padici_free(allocator, null, sizeof *null);
}

static void padici_null_info(padic_device *device, padic_device_info *info)
{
    padici_null *null = (padici_null *)(void *)device;
    memset(info, 0, sizeof *info);
    memcpy(info->name, "null", 5);
    info->max_group = 256;
    info->alignment = 64;
    info->max_alloc = null->desc->max_alloc;
}

static padic_result padici_null_alloc(padic_device *device, uint64_t size, padic_mem *out)
{
    padici_null *null = (padici_null *)(void *)device;
    padic_result result = padici_null_step(null, "alloc");
    out->bits = 0;
    if (result) return result;
    if (size <= (size_t)-1 / 2)
        out->bits = (uint64_t)(uintptr_t)padici_alloc(null->env.allocator, (size_t)size, 64);
    if (!out->bits) return PADIC_ERROR_MEMORY;
    null->desc->live++;
    return PADIC_OK;
}

static void padici_null_free(padic_device *device, padic_mem mem, uint64_t size)
{
    padici_null *null = (padici_null *)(void *)device;
    padici_free(null->env.allocator, (void *)(uintptr_t)mem.bits, (size_t)size);
    null->desc->live--;
}

static padic_result padici_null_upload(padic_device *device, padic_mem mem, uint64_t at,
                                       const void *from, uint64_t size)
{
    padic_result result = padici_null_step((padici_null *)(void *)device, "upload");
    return result ? result : padici_cpu_upload(device, mem, at, from, size);
}

static padic_result padici_null_download(padic_device *device, padic_mem mem, uint64_t at, void *to,
                                         uint64_t size)
{
    padic_result result = padici_null_step((padici_null *)(void *)device, "download");
    return result ? result : padici_cpu_download(device, mem, at, to, size);
}

static padic_result padici_null_copy(padic_device *device, padic_mem to, uint64_t at,
                                     padic_mem from, uint64_t from_at, uint64_t size)
{
    padic_result result = padici_null_step((padici_null *)(void *)device, "copy");
    return result ? result : padici_cpu_copy(device, to, at, from, from_at, size);
}

static padic_result padici_null_fill(padic_device *device, padic_mem mem, uint64_t at,
                                     uint32_t value, uint64_t size)
{
    padic_result result = padici_null_step((padici_null *)(void *)device, "fill");
    return result ? result : padici_cpu_fill(device, mem, at, value, size);
}

static padic_result padici_null_build(padic_device *device, const padic_program_desc *desc,
                                      padic_program **out)
{
    padici_null *null = (padici_null *)(void *)device;
    padic_result result = padici_null_step(null, "program");
    padici_null_program *program;
    (void)desc;
    *out = NULL;
    if (result) return result;
    program = (padici_null_program *)padici_alloc(null->env.allocator, sizeof *program, 16);
    if (!program) return PADIC_ERROR_MEMORY;
    program->next = null->programs;
    null->programs = program;
    null->desc->live++;
    *out = (padic_program *)(void *)program;
    return PADIC_OK;
}

static padic_result padici_null_launch(padic_device *device, const padic_launch *launch)
{
    padici_null *null = (padici_null *)(void *)device;
    padic_result result = padici_null_step(null, "launch");
    if (!result && null->desc->on_launch) (*null->desc->on_launch)(launch, null->desc->user);
    return result;
}

static padic_result padici_null_sync(padic_device *device)
{
    return padici_null_step((padici_null *)(void *)device, "sync");
}

PADIC_API const padic_backend *padic_null(void)
{
    static const padic_backend null = {PADIC_BACKEND_VERSION,
                                       "null",
                                       padici_null_open,
                                       padici_null_close,
                                       padici_null_info,
                                       padici_null_alloc,
                                       padici_null_free,
                                       padici_null_upload,
                                       padici_null_download,
                                       padici_null_copy,
                                       padici_null_fill,
                                       padici_null_build,
                                       padici_null_launch,
                                       padici_null_sync,
                                       NULL,
                                       NULL,
                                       NULL,
                                       NULL,
                                       0,
                                       0,
                                       NULL,
                                       NULL,
                                       NULL,
                                       NULL};
    return &null;
}

#ifdef __cplusplus
}
#endif
#endif // PADIC_NULL_IMPLEMENTED
