#include "../core/log.h"
#include "../core/platform.h"
#include "messages.h"
#include "state.h"
#include "target.h"

#if PADICI_IMPLEMENT_CORE

// The profile as JSON, as the trace viewers of browsers read it.

static void padici_text_microseconds(padici_text *text, uint64_t ns)
{
    padici_text_number(text, ns / 1000, 1);
    padici_text_add(text, ".");
    padici_text_number(text, ns % 1000, 3);
}

// Names of backends are the caller's: only what JSON takes as it is.
static void padici_text_name(padici_text *text, const char *name)
{
    char one[2] = {0, 0};
    for (; *name; name++) {
        one[0] = *name >= ' ' && *name <= '~' && *name != '"' && *name != '\\' ? *name : '?';
        padici_text_add(text, one);
    }
}

static void padici_profile_track(padici_text *text, uint32_t track, const char *name)
{
    padici_text_add(text, "{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":1,\"tid\":");
    padici_text_number(text, track, 1);
    padici_text_add(text, ",\"args\":{\"name\":\"");
    padici_text_name(text, name);
    padici_text_add(text, "\"}}");
}

static void padici_profile_row(padici_text *text, const padici_span *span)
{
    padici_text_add(text, ",\n{\"name\":\"");
    padici_text_add(text, span->name);
    padici_text_add(text, "\",\"cat\":\"padic\",\"ph\":\"X\",\"ts\":");
    padici_text_microseconds(text, span->begin);
    padici_text_add(text, ",\"dur\":");
    padici_text_microseconds(text, span->end > span->begin ? span->end - span->begin : 0);
    padici_text_add(text, ",\"pid\":1,\"tid\":");
    padici_text_number(text, span->track, 1);
    padici_text_add(text, ",\"args\":{\"bytes\":");
    padici_text_number(text, span->bytes, 1);
    padici_text_add(text, ",\"launches\":");
    padici_text_number(text, span->launches, 1);
    padici_text_add(text, ",\"method\":\"");
    padici_text_name(text, span->method);
    padici_text_add(text, span->host_clock ? "\",\"clock\":\"host\"}}" : "\"}}");
}

static PADICI_NOINLINE padic_result padici_context_profile_write_named(
    padic_context *context, padic_context_profile_sink sink, void *user)
{
    char space[512];
    padici_text text;
    uint64_t i;
    if (!sink)
        return padici_fail_here(context, PADIC_ERROR_ARGUMENT,
                                "sink is NULL: give a function that takes the text");
    if (context->first_pending < context->span_count && !context->recording)
        (void)padici_target_sync(context, &context->targets[0]);
    padici_text_begin(&text, space, sizeof space);
    padici_text_add(&text, "{\"traceEvents\":[\n");
    padici_profile_track(&text, 1, "host");
    if (!(context->targets[0].backend->flags & PADIC_BACKEND_HOST)) {
        padici_text_add(&text, ",\n");
        padici_profile_track(&text, 2, context->targets[0].backend->name);
    }
    i = context->span_count > context->span_capacity ? context->span_count - context->span_capacity
                                                     : 0;
    for (;; i++) {
        if ((*sink)(space, sizeof space - text.left, user))
            return padici_fail_here(context, PADIC_ERROR_CALLBACK,
                                    "sink refused a piece of the text");
        padici_text_begin(&text, space, sizeof space);
        if (i >= context->span_count) break;
        padici_profile_row(&text, &context->spans[i % context->span_capacity]);
    }
    padici_text_add(&text, "\n],\"displayTimeUnit\":\"ns\"}\n");
    if ((*sink)(space, sizeof space - text.left, user))
        return padici_fail_here(context, PADIC_ERROR_CALLBACK, "sink refused a piece of the text");
    return PADIC_OK;
}

PADICI_ENTRY(context_profile_write,
             (padic_context * context, padic_context_profile_sink sink, void *user),
             (context, sink, user))

#endif
