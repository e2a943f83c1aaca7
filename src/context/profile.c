#include "profile.h"
#include "target.h"

#if PADICI_IMPLEMENT_CORE

// The profile: spans of host and device on one clock.

PADICI_FN uint64_t padici_clock_default(void *user)
{
#if defined(CLOCK_MONOTONIC) && !defined(_WIN32)
    struct timespec t;
    (void)user;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
#elif defined(TIME_UTC)
    struct timespec t;
    (void)user;
    timespec_get(&t, TIME_UTC);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
#else
    (void)user; // strict C99 has no wall clock finer than a second
    return (uint64_t)clock() * (1000000000u / (uint64_t)CLOCKS_PER_SEC);
#endif
}

PADICI_FN uint64_t padici_profile_now(padic_context *context)
{
    uint64_t now = (*context->clock.now)(context->clock.user);
    return now > context->start ? now - context->start : 0;
}

// The next span of the ring, begun and ended in host time. Names must be literals, or a backend's.
static padici_span *padici_profile_span(padic_context *context, const char *name,
                                        const char *method, uint64_t begin)
{
    padici_span *span;
    if (context->span_count >= context->span_capacity) context->stats.spans_lost++;
    span = &context->spans[context->span_count++ % context->span_capacity];
    memset(span, 0, sizeof *span);
    span->name = name;
    span->method = method;
    span->begin = begin;
    span->end = padici_profile_now(context);
    return span;
}

// A device's spans. With PADIC_FEATURE_TIME the queue stamps slots before and after the work, and
// the times are read and moved to the host's clock at the next sync: between two syncs that clock
// is linear in the device's. Without it, or once it failed, host times around a wait do.

#define PADICI_PAIR_SLOT (PADIC_TIME_SLOTS - 1u)

static PADICI_NOINLINE int padici_time(padici_target *target, uint32_t slot, uint64_t *ns)
{
    return !(*target->backend->time)(target->device, slot, ns);
}

// With nothing in the queue: one moment on both clocks. 0: the device's clock is no use.
PADICI_FN int padici_clock_pair_now(padic_context *context, padici_target *target,
                                    padici_clock_pair *pair)
{
    uint64_t before;
    pair->device = 0;
    if (!(target->info.features & PADIC_FEATURE_TIME) || !target->backend->time) return 0;
    before = padici_profile_now(context);
    if (!padici_time(target, PADICI_PAIR_SLOT, NULL) ||
        (*target->backend->sync)(target->device) ||
        !padici_time(target, PADICI_PAIR_SLOT, &pair->device))
        pair->device = 0;
    pair->host = before + (padici_profile_now(context) - before) / 2;
    return pair->device != 0;
}

// A device time between two clock pairs on the host's clock; outside them, the nearer one.
static uint64_t padici_clock_pair_map(const padici_clock_pair *a, const padici_clock_pair *b,
                                      uint64_t device)
{
    if (device <= a->device || b->device <= a->device || b->host <= a->host) return a->host;
    if (device >= b->device) return b->host;
    return a->host + (uint64_t)((double)(device - a->device) / (double)(b->device - a->device) *
                                (double)(b->host - a->host));
}

// The device has just waited: reads the stamps since the last time, and takes a new clock pair.
// When any of that fails the clock is no use, and spans keep the host times of their calls.
PADICI_FN void padici_profile_settle(padic_context *context)
{
    padici_target *target = &context->targets[0];
    padici_clock_pair pair;
    uint64_t stamps[PADIC_TIME_SLOTS], i = context->first_pending;
    uint32_t slot;
    int good;
    if (!context->spans || !context->clock_pair.device || context->recording || context->stamp_open)
        return;
    if (context->span_count - i > context->span_capacity)
        i = context->span_count - context->span_capacity;
    good = padici_clock_pair_now(context, target, &pair);
    for (slot = 0; slot < context->stamps && good; slot++)
        good = padici_time(target, slot, &stamps[slot]);
    for (; i < context->span_count && good; i++) {
        padici_span *span = &context->spans[i % context->span_capacity];
        if (!span->pending) continue;
        span->begin = padici_clock_pair_map(&context->clock_pair, &pair, stamps[span->slot]);
        span->end = padici_clock_pair_map(&context->clock_pair, &pair, stamps[span->slot + 1]);
        span->pending = span->host_clock = 0;
        context->device_end = span->end;
    }
    context->first_pending = context->span_count;
    context->stamps = 0;
    if (!good) pair.device = 0;
    context->clock_pair = pair;
}

// Begins a span of work that the target is about to get. Costs a branch without a profile.
PADICI_FN PADICI_NOINLINE padici_stamp padici_stamp_begin(padic_context *context,
                                                          padici_target *target)
{
    padici_stamp stamp = {0, 0, PADIC_TIME_SLOTS};
    if (!context->spans || context->recording || context->tuning) return stamp;
    if (target == &context->targets[0] && context->clock_pair.device && !target->lost) {
        if (context->stamps + 2 > PADICI_PAIR_SLOT) (void)padici_target_sync(context, target);
        if (context->clock_pair.device && context->stamps + 2 <= PADICI_PAIR_SLOT &&
            padici_time(target, context->stamps, NULL))
            stamp.slot = context->stamps;
        context->stamp_open = 1;
    }
    stamp.begin = padici_profile_now(context);
    stamp.launches = context->stats.launches;
    return stamp;
}

// The work was handed to the target, or done by a host's, or has failed: then there is no span.
PADICI_FN padic_result padici_stamp_end(padic_context *context, padici_target *target,
                                        const padici_stamp *stamp, padic_result result,
                                        const char *name, const char *method, uint64_t bytes,
                                        uint64_t replays)
{
    const int device = !padici_target_is_host(target);
    padici_span *span;
    int stamped = 0;
    if (!context->spans || context->recording || context->tuning) return result;
    if (!result && device && stamp->slot < PADIC_TIME_SLOTS)
        stamped = padici_time(target, stamp->slot + 1, NULL);
    if (!result && device && !stamped) result = padici_target_sync(context, target);
    context->stamp_open = 0;
    if (result) return result;
    if (device && !stamped) padici_profile_settle(context);
    span = padici_profile_span(context, name, method, stamp->begin);
    if (device && !stamped) { // what was queued before ran in this time, too
        if (span->begin < context->device_end) span->begin = context->device_end;
        context->device_end = span->end;
    }
    span->bytes = bytes;
    span->launches = context->stats.launches - stamp->launches + replays;
    span->track = device ? 2 : 1;
    span->host_clock = device != 0;
    span->pending = stamped != 0;
    span->slot = stamp->slot;
    if (stamped) context->stamps += 2;
    return PADIC_OK;
}

#undef PADICI_PAIR_SLOT

#endif
