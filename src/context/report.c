#include "../core/log.h"
#include "../core/platform.h"
#include "messages.h"
#include "run.h"
#include "state.h"
#include "ops.h"

#if PADICI_IMPLEMENT_CORE

// The report: what a context has and what it has done, as text; its statistics.

typedef struct padici_report_count {
    const char *name;
    uint64_t value;
} padici_report_count;

// "head name value, name value\n"; counts of 0 are left out, unless all are.
static void padici_report_counts(padici_text *text, const char *head,
                                 const padici_report_count *counts, uint32_t n)
{
    uint32_t i, written = 0;
    padici_text_add(text, head);
    for (i = 0; i < n; i++) {
        if (!counts[i].value && (written || i + 1 < n)) continue;
        padici_text_add(text, written++ ? ", " : " ");
        padici_text_add(text, counts[i].name);
        padici_text_add(text, " ");
        padici_text_number(text, counts[i].value, 1);
    }
    padici_text_add(text, "\n");
}

static void padici_report_features(padici_text *text, uint32_t features)
{
    static const char *const names[] = {"f64",    "64-bit atomics", "subgroups", "progress",
                                        "record", "time",           "unified memory"};
    uint32_t i, written = 0;
    padici_text_add(text, "  features:");
    for (i = 0; i < 7; i++) {
        if (!(features >> i & 1)) continue;
        padici_text_add(text, written++ ? ", " : " ");
        padici_text_add(text, names[i]);
    }
    padici_text_add(text, written ? "\n" : " none\n");
}

static PADICI_NOINLINE void padici_report_target(padici_text *text, const padici_target *target)
{
    const padic_device_info *info = &target->info;
    const char *const words[] = {info->vendor, info->platform, info->driver, info->arch};
    static const char *const heads[] = {", vendor ", ", platform ", ", driver ", ", arch "};
    padici_report_count counts[7];
    uint32_t i, n = 0;
    padici_text_add(text, target->backend->name);
    padici_text_add(text, ": ");
    padici_text_add(text, info->name);
    for (i = 0; i < 4; i++) {
        if (!words[i][0]) continue;
        padici_text_add(text, heads[i]);
        padici_text_add(text, words[i]);
    }
    padici_text_add(text, target->lost ? " (lost)\n" : "\n");
    padici_report_features(text, info->features);
    counts[n].name = "group", counts[n++].value = info->max_group;
    counts[n].name = "subgroup", counts[n++].value = info->subgroup;
    counts[n].name = "local bytes", counts[n++].value = info->local_bytes;
    counts[n].name = "MiB of memory", counts[n++].value = info->memory >> 20;
    counts[n].name = "largest block", counts[n++].value = info->max_alloc;
    counts[n].name = "alignment", counts[n++].value = info->alignment;
    counts[n].name = "units", counts[n++].value = info->compute_units;
    padici_report_counts(text, "  limits:", counts, n);
}

static void padici_report_stats(padici_text *text, const padic_stats *s)
{
    const padici_report_count work[] = {{"launches", s->launches}, {"copies", s->copies},
                                 {"fills", s->fills},       {"uploads", s->uploads},
                                 {"bytes up", s->upload_bytes}, {"downloads", s->downloads},
                                 {"bytes down", s->download_bytes}, {"syncs", s->syncs}};
    const padici_report_count memory[] = {{"live", s->pool_live}, {"idle", s->pool_idle},
                                   {"used again", s->pool_hits},
                                   {"allocations", s->device_allocations},
                                   {"host allocations", s->host_allocations},
                                   {"most live", s->pool_peak}};
    const padici_report_count built[] = {{"us building", s->build_ns / 1000},
                                  {"cache hits", s->cache_hits}, {"cache misses", s->cache_misses},
                                  {"cache entries bad", s->cache_bad},
                                  {"self-tests", s->self_tests},
                                  {"self-tests failed", s->self_tests_failed},
                                  {"variants timed", s->tuner_candidates},
                                  {"programs", s->programs}};
    const padici_report_count kept[] = {{"nodes", s->recorded_nodes}, {"replays", s->replays}};
    padici_report_counts(text, "work:", work, 8);
    padici_report_counts(text, "memory:", memory, 6);
    padici_report_counts(text, "built:", built, 8);
    padici_report_counts(text, "recorded:", kept, 2);
}

static void padici_report_op(padici_text *text, const char *name, const padic_op_stats *op)
{
    const padici_report_count counts[] = {
        {"fallbacks", op->fallbacks}, {"bytes staged", op->staged_bytes}, {"calls", op->calls}};
    if (!op->calls) return;
    padici_text_add(text, name);
    padici_text_add(text, ": ");
    padici_text_add(text, op->backend ? op->backend : "?");
    if (op->method && op->backend && strcmp(op->method, op->backend)) {
        padici_text_add(text, ", ");
        padici_text_add(text, op->method);
    }
    padici_report_counts(text, ",", counts, 3);
}

// Writes the report; returns the length that it has as a whole.
static PADICI_NOINLINE size_t padici_report_write(const padic_context *context, char *space,
                                                  size_t size)
{
    static const char *const modes[] = {"default", "off", "low overhead", "autotune"};
    padici_text text;
    uint32_t i;
    padici_text_begin(&text, space, size);
    padici_text_add(&text, "padic.h " PADIC_VERSION ", mode ");
    padici_text_add(&text, modes[context->mode]);
    if (context->strict) padici_text_add(&text, ", strict");
    if (context->spans) padici_text_add(&text, ", profile");
    padici_text_add(&text, "\n");
    for (i = 0; i < context->target_count; i++)
        padici_report_target(&text, &context->targets[i]);
    padici_report_stats(&text, &context->stats);
    for (i = 1; i < PADIC_OP_COUNT; i++) {
        const padic_op_stats stats = padici_run_stats(context, i);
        padici_report_op(&text, padici_op_name(i), &stats);
    }
    return text.length;
}

static padic_result padici_context_describe_named(padic_context *context,
                                                  const padic_context_describe_desc *desc)
{
    size_t length, size;
    char none[1];
    if (!desc)
        return padici_fail_here(context, PADIC_ERROR_ARGUMENT,
                                "desc is NULL: give one with room for text");
    if (!desc->text.data && (desc->text.capacity || desc->text.buffer.id))
        return padici_fail_here(context, PADIC_ERROR_ARGUMENT,
                                "text has no data: give capacity bytes of host memory");
    size = desc->text.capacity < SIZE_MAX ? (size_t)desc->text.capacity : SIZE_MAX;
    length = padici_report_write(context, size ? (char *)desc->text.data : none, size ? size : 1);
    if (desc->report) desc->report->size = length;
    if (length < size) return PADIC_OK;
    return padici_fail_here(context, PADIC_ERROR_CAPACITY,
                            "text is too small for the report, whose end is missing");
}

PADIC_API padic_result padic_context_describe(padic_context *context,
                                              const padic_context_describe_desc *desc)
{
    const char *before = padici_enter(context, "context_describe");
    padic_result result = PADIC_ERROR_ARGUMENT;
    if (desc && desc->report) desc->report->size = 0;
    if (context) result = padici_context_describe_named(context, desc);
    padici_leave(context, before);
    return result;
}

PADIC_API void padic_context_stats(const padic_context *context, padic_stats *stats)
{
    if (!stats) return;
    memset(stats, 0, sizeof *stats);
    if (context) *stats = context->stats;
}

PADIC_API void padic_context_op_stats(const padic_context *context, padic_op op,
                                      padic_op_stats *stats)
{
    if (!stats) return;
    memset(stats, 0, sizeof *stats);
    if (context && op > PADIC_OP_NONE && op < PADIC_OP_COUNT)
        *stats = padici_run_stats(context, (uint32_t)op);
}

#endif
