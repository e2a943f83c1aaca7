#include "../core/log.h"
#include "../core/memory.h"
#include "../core/platform.h"
#include "../core/words.h"
#include "cpu.h"
#include "kept_calls.h"
#include "launch.h"
#include "messages.h"
#include "operation.h"
#include "pool.h"
#include "profile.h"
#include "record.h"
#include "recording.h"
#include "run.h"
#include "state.h"
#include "target.h"

#if PADICI_IMPLEMENT_CORE

// A context: created, queried, configured, destroyed.

static int padici_backend_complete(const padic_backend *b)
{
    return b->version == PADIC_BACKEND_VERSION && b->name && b->open && b->close && b->info &&
           b->alloc && b->free && b->upload && b->download && b->copy && b->fill && b->program &&
           b->launch && b->sync;
}

// Opens one backend. Finding no device is an ordinary answer, logged, unless the context is strict.
static padic_result padici_context_open(padic_context *context, const padic_backend *backend,
                                        const padic_device_desc *desc)
{
    padici_target *target = &context->targets[context->target_count];
    uint32_t i;
    padic_result result;
    target->backend = backend;
    context->driver_message[0] = 0;
    if (!padici_backend_complete(backend))
        return padici_fail_here(context, PADIC_ERROR_NOT_SUPPORTED,
                                "one of backends was made for another version of padic.h: compile "
                                "both from one");
    result = (*backend->open)(&context->env, desc, &target->device);
    if (!result) {
        (*backend->info)(target->device, &target->info);
        for (i = 0; i < backend->op_count; i++)
            if (backend->ops[i].op < PADIC_OP_COUNT)
                target->ops[backend->ops[i].op] = &backend->ops[i];
        context->target_count++;
        return PADIC_OK;
    }
    if (!context->strict && (result == PADIC_ERROR_NO_DEVICE || result == PADIC_ERROR_BUILD ||
                             result == PADIC_ERROR_DEVICE || result == PADIC_ERROR_SELF_TEST)) {
        padici_log_write(&context->log, PADIC_LOG_INFO, 0,
                         context->driver_message[0] ? context->driver_message
                                                    : padic_result_text(result));
        return PADIC_OK;
    }
    return padici_target_end(context, target, result);
}

// Everything that needs memory or a driver; what was made is undone by padic_context_destroy().
static padic_result padici_context_fill(padic_context *context, const padic_context_desc *desc)
{
    const uint32_t spans = desc->profile_spans ? desc->profile_spans : 4096;
    uint32_t i;
    padic_result result = PADIC_OK;
    padici_pool_begin(&context->pools[0], &context->targets[0]);
    padici_pool_begin(&context->pools[1], NULL);
    if (context->flags & PADIC_CONTEXT_PROFILE) {
        size_t size;
        if (padici_mul_size(spans, sizeof *context->spans, &size))
            context->spans = (padici_span *)padici_alloc(&context->allocator, size, 16);
        if (!context->spans)
            return padici_fail_here(context, PADIC_ERROR_MEMORY, "out of host memory");
        context->span_capacity = spans;
        context->stats.host_allocations++;
    }
    for (i = 0; i < PADIC_MAX_BACKENDS && !result; i++) {
        const padic_backend *backend = desc->backends[i];
        // The first device has the buffers; after it only helpers in host memory make sense.
        if (!backend || backend == &padici_cpu ||
            (context->target_count && !(backend->flags & PADIC_BACKEND_HOST)))
            continue;
        result = padici_context_open(context, backend, &desc->device);
    }
    if (!result) result = padici_context_open(context, &padici_cpu, &desc->device);
    if (result) return result;
    context->pools[1].target = &context->targets[context->target_count - 1];
    if (context->spans)
        (void)padici_clock_pair_now(context, &context->targets[0], &context->clock_pair);
    padici_run_settle(context);
    return padic_context_set_mode(context, desc->mode);
}

// The caller was compiled with another padic.h than this file: its descs may be laid out otherwise.
static padic_result padici_context_refuse(const padic_context_desc *desc, const char *version)
{
    char sentence[200];
    padici_text text;
    padici_text_begin(&text, sentence, sizeof sentence);
    padici_text_add(&text, "context_create: called from a file that was compiled with padic.h ");
    padici_text_add(&text, version ? version : "of no version");
    padici_text_add(&text, ", but the implementation is of padic.h " PADIC_VERSION
                           ": compile all files with one padic.h and the same packing");
    if (desc) padici_log_write(&desc->log, PADIC_LOG_ERROR, 0, sentence);
    return PADIC_ERROR_VERSION;
}

// What is wrong with a desc; NULL: nothing.
static const char *padici_context_desc_fault(const padic_context_desc *desc)
{
    const uint32_t flags =
        PADIC_CONTEXT_STRICT | PADIC_CONTEXT_PROFILE | PADIC_CONTEXT_DEBUG;
    const uint32_t device_flags =
        PADIC_DEVICE_ALLOW_CPU | PADIC_DEVICE_NO_CACHE | PADIC_DEVICE_SKIP_SELF_TEST;
    if (desc->flags & ~flags) return "flags has an unknown bit: take padic_context_flags";
    if (desc->device.flags & ~device_flags)
        return "device.flags has an unknown bit: take padic_device_flags";
    if ((uint32_t)desc->mode > PADIC_MODE_AUTOTUNE) return "mode is none: choose a padic_mode";
    if (!padici_allocator_whole(&desc->allocator))
        return "allocator has only one of alloc and free: give both, or none";
    if (!desc->jobs.enqueue != !desc->jobs.finish)
        return "jobs has only one of enqueue and finish: give both, or none";
    if (!desc->cache.load != !desc->cache.store)
        return "cache has only one of load and store: give both, or none";
    return NULL;
}

// A context with all that takes neither memory nor a driver.
static void padici_context_begin(padic_context *context, const padic_context_desc *desc)
{
    static const padic_cache none = PADIC_ZERO;
    uint32_t named = 0, i;
    memset(context, 0, sizeof *context);
    context->allocator = desc->allocator;
    context->jobs = desc->jobs;
    context->log = desc->log;
    context->cache = desc->cache;
    context->clock = desc->clock;
    context->progress = desc->progress;
    if (!context->clock.now) context->clock.now = padici_clock_default;
    context->flags = desc->flags;
    context->device_flags = desc->device.flags;
    context->slot_free = context->recording_free = PADICI_NO_BLOCK;
    context->tune_ms = desc->tune_ms ? desc->tune_ms : 2000;
    context->stats.host_allocations = 1;
    // Ids of different contexts should differ: their first generation comes from the address.
    context->generation =
        (uint32_t)(((uint64_t)(uintptr_t)context >> 4) * 0x9e3779b97f4a7c15u >> 48);
    for (i = 0; i < PADIC_MAX_BACKENDS; i++) named += desc->backends[i] != NULL;
    context->strict = named == 1 || (desc->flags & PADIC_CONTEXT_STRICT);
    context->env.allocator = &context->allocator;
    context->env.jobs = &context->jobs;
    context->env.log = &context->log;
    context->env.cache = desc->device.flags & PADIC_DEVICE_NO_CACHE ? &none : &context->cache;
    context->env.message = context->driver_message;
    context->env.message_size = sizeof context->driver_message;
    context->env.stats = &context->stats;
    context->env.progress = &context->progress;
    context->start = (*context->clock.now)(context->clock.user);
}

// A failure before a context exists: the message goes to the log hook.
static padic_result padici_context_refused(const padic_context_desc *desc, padic_result result,
                                           const char *why)
{
    char sentence[160];
    padici_text text;
    padici_text_begin(&text, sentence, sizeof sentence);
    padici_text_add(&text, "context_create: ");
    padici_text_add(&text, why);
    padici_log_write(&desc->log, PADIC_LOG_ERROR, 0, sentence);
    return result;
}

PADIC_API padic_result padic_context_create_for(const padic_context_desc *desc,
                                                padic_context **out, const char *version,
                                                uint32_t layout)
{
    static const padic_context_desc plain = PADIC_ZERO;
    padic_context *context;
    const char *fault;
    padic_result result;
    if (!desc) desc = &plain;
    if (!out)
        return padici_context_refused(desc, PADIC_ERROR_ARGUMENT,
                                      "context is NULL: give a place for it");
    *out = NULL;
    if (layout != PADICI_LAYOUT_HERE || !version || strcmp(version, PADIC_VERSION))
        return padici_context_refuse(desc, version);
    fault = padici_context_desc_fault(desc);
    if (fault) return padici_context_refused(desc, PADIC_ERROR_ARGUMENT, fault);
    context = (padic_context *)padici_alloc(&desc->allocator, sizeof *context, 64);
    if (!context) return padici_context_refused(desc, PADIC_ERROR_MEMORY, "out of host memory");
    padici_context_begin(context, desc);
    context->operation = "context_create";
    result = padici_context_fill(context, desc);
    context->operation = NULL;
    if (result)
        padic_context_destroy(context);
    else
        *out = context;
    return result;
}

PADIC_API padic_result padic_context_create_of(const padic_backend *first,
                                               const padic_backend *second,
                                               const padic_backend *third,
                                               padic_context **context, const char *version,
                                               uint32_t layout)
{
    padic_context_desc desc = PADIC_ZERO;
    const padic_backend *all[3];
    uint32_t i, n = 0;
    all[0] = first;
    all[1] = second;
    all[2] = third;
    for (i = 0; i < 3; i++)
        if (all[i]) desc.backends[n++] = all[i];
    if (n == 1) desc.backends[n] = &padici_cpu; // which comes last anyway: a single one is strict
    return padic_context_create_for(&desc, context, version, layout);
}

PADIC_API void padic_context_destroy(padic_context *context)
{
    padic_allocator allocator;
    uint32_t i;
    if (!context) return;
    if (context->recording) (void)padic_record_end(context, NULL);
    if (context->gpu)
        (void)(*context->targets[0].backend->drive)(context, PADICI_DRIVE_CLOSE, NULL, 0);
    for (i = 0; i < context->recording_count; i++)
        if (context->recordings[i].live)
            padici_recording_free(context, &context->recordings[i]);
    for (i = 0; i < 2; i++) padici_pool_end(context, &context->pools[i]);
    for (i = context->target_count; i > 0; i--)
        (*context->targets[i - 1].backend->close)(context->targets[i - 1].device);
    padici_free(&context->allocator, context->buffers,
                context->slot_capacity * sizeof *context->buffers);
    padici_free(&context->allocator, context->spans,
                context->span_capacity * sizeof *context->spans);
    padici_free(&context->allocator, context->recordings,
                context->recording_capacity * sizeof *context->recordings);
    padici_free(&context->allocator, context->kept_calls,
                PADICI_KEPT_CALLS * sizeof *context->kept_calls);
    allocator = context->allocator; // its own copy goes with the context
    padici_free(&allocator, context, sizeof *context);
}

PADIC_API const char *padic_context_message(const padic_context *context)
{
    return context ? context->message : "";
}

static padic_result padici_context_sync_named(padic_context *context)
{
    return padici_target_sync(context, &context->targets[0]);
}

PADICI_ENTRY(context_sync, (padic_context *context), (context))

PADIC_API padic_mode padic_context_mode(const padic_context *context)
{
    return context ? context->mode : PADIC_MODE_DEFAULT;
}

static padic_result padici_context_set_mode_named(padic_context *context, padic_mode mode)
{
    const size_t size = PADICI_KEPT_CALLS * sizeof(padici_kept_call);
    padic_result result = padici_refuse(context, "a change of mode");
    if (result) return result;
    if ((uint32_t)mode > PADIC_MODE_AUTOTUNE)
        return padici_fail_here(context, PADIC_ERROR_ARGUMENT,
                                "mode is none: choose a padic_mode");
    if (mode == PADIC_MODE_LOW_OVERHEAD && !context->kept_calls &&
        !padici_target_is_host(&context->targets[0])) {
        context->kept_calls = (padici_kept_call *)padici_alloc(&context->allocator, size, 16);
        if (!context->kept_calls)
            return padici_fail_here(context, PADIC_ERROR_MEMORY, "out of host memory");
        context->stats.host_allocations++;
        memset(context->kept_calls, 0, size);
    } else if (mode != PADIC_MODE_LOW_OVERHEAD) {
        padici_kept_call_end_all(context);
        padici_free(&context->allocator, context->kept_calls, size);
        context->kept_calls = NULL;
    }
    context->mode = mode;
    return PADIC_OK;
}

PADICI_ENTRY(context_set_mode, (padic_context *context, padic_mode mode), (context, mode))

static padic_result padici_context_check_areas(padic_context *context, uint32_t areas)
{
    if (!(areas & ~(uint32_t)PADIC_AREA_ALL)) return PADIC_OK;
    return padici_fail_here(context, PADIC_ERROR_ARGUMENT,
                            "areas has an unknown bit: take padic_area");
}

static padic_result padici_context_prewarm_named(padic_context *context, uint32_t areas)
{
    uint32_t wanted = areas ? areas : (uint32_t)PADIC_AREA_ALL;
    padic_result result = padici_context_check_areas(context, areas & ~(uint32_t)PADIC_AREA_ASKED);
    if (!result) result = padici_refuse(context, "building programs");
    if (!result) result = padici_target_begin(context, &context->targets[0]);
    if (!result) result = padici_drive(context, PADICI_DRIVE_PREWARM, &wanted);
    return result == PADIC_ERROR_NOT_SUPPORTED ? PADIC_OK : result;
}

PADICI_ENTRY(context_prewarm, (padic_context *context, uint32_t areas), (context, areas))

static padic_result padici_context_tune_named(padic_context *context, uint32_t areas,
                                              uint32_t budget_ms)
{
    padici_drive_tune call;
    padic_result result;
    call.areas = areas ? areas : (uint32_t)PADIC_AREA_ALL;
    call.ms = budget_ms ? budget_ms : 200;
    result = padici_context_check_areas(context, areas);
    if (!result) result = padici_refuse(context, "tuning");
    if (!result) result = padici_target_begin(context, &context->targets[0]);
    if (!result) result = padici_drive(context, PADICI_DRIVE_TUNE, &call);
    if (!context->recording) padici_kept_call_end_all(context); // of variants that were
    return result == PADIC_ERROR_NOT_SUPPORTED ? PADIC_OK : result;
}

PADICI_ENTRY(context_tune, (padic_context *context, uint32_t areas, uint32_t budget_ms),
             (context, areas, budget_ms))

PADIC_API void padic_context_device_info(const padic_context *context, padic_device_info *info)
{
    if (!info) return;
    memset(info, 0, sizeof *info);
    if (context) *info = context->targets[0].info;
}

#endif
