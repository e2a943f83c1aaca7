#include "time.h"
#include "../../core/memory.h"
#include "device.h"
#include "memory.h"
#include "open.h"

#if PADICI_IMPLEMENT_CUDA

// ---------------------------------------------------------------------------------------- >>time

// The base advances once a second, when the queue is known to be empty.
static padic_result padici_cuda_clock_move(padici_cuda *cuda)
{
    padici_cuda_clock *clock = &cuda->clock;
    void *base = clock->base;
    float ms = 0;
    if (!base || !clock->count || !clock->sequence[clock->last] ||
        clock->sequence[clock->last] <= clock->base_sequence)
        return PADIC_OK;
    if (cuda->api.cuEventElapsedTime(&ms, base, clock->events[clock->last]) || ms < 1000)
        return PADIC_OK;
    if (!clock->spare && cuda->api.cuEventCreate(&clock->spare, 0)) {
        clock->spare = NULL;
        return PADIC_OK; // less exact, but no error
    }
    if (cuda->api.cuEventRecord(clock->spare, cuda->stream) ||
        cuda->api.cuEventSynchronize(clock->spare) ||
        cuda->api.cuEventElapsedTime(&ms, base, clock->spare))
        return PADIC_OK;
    clock->base_ns += (uint64_t)((double)ms * 1e6 + 0.5);
    clock->base = clock->spare;
    clock->spare = base;
    clock->base_sequence = ++clock->stamps;
    return PADIC_OK;
}

PADICI_FN padic_result padici_cuda_sync(padic_device *device)
{
    padici_cuda *cuda = (padici_cuda *)(void *)device;
    padic_result result = padici_cuda_enter_idle(cuda, "waiting");
    if (result) return result;
    result = padici_cuda_wait(cuda);
    if (!result) result = padici_cuda_clock_move(cuda);
    return padici_cuda_leave(cuda, result);
}

// Room for a slot.
static padic_result padici_cuda_clock_grow(padici_cuda *cuda, uint32_t slot)
{
    padici_cuda_clock *clock = &cuda->clock;
    const padic_allocator *allocator = cuda->env.allocator;
    uint32_t count = clock->count ? clock->count : 64;
    uint64_t *sequence;
    void **events;
    if (slot < clock->count) return PADIC_OK;
    while (count <= slot) count *= 2;
    events = (void **)padici_alloc(allocator, count * sizeof *events, 16);
    sequence = (uint64_t *)padici_alloc(allocator, count * sizeof *sequence, 16);
    if (!events || !sequence) {
        padici_free(allocator, events, count * sizeof *events);
        padici_free(allocator, sequence, count * sizeof *sequence);
        return padici_cuda_fail(cuda, PADIC_ERROR_MEMORY, "out of host memory");
    }
    memset(events, 0, count * sizeof *events);
    memset(sequence, 0, count * sizeof *sequence);
    if (clock->count) {
        memcpy(events, clock->events, clock->count * sizeof *events);
        memcpy(sequence, clock->sequence, clock->count * sizeof *sequence);
    }
    padici_free(allocator, clock->events, clock->count * sizeof *events);
    padici_free(allocator, clock->sequence, clock->count * sizeof *sequence);
    clock->events = events;
    clock->sequence = sequence;
    clock->count = count;
    return PADIC_OK;
}

// Records an event in the queue, created at its first use.
static padic_result padici_cuda_stamp(padici_cuda *cuda, void **event)
{
    padic_result result = PADIC_OK;
    if (!*event) {
        result = padici_cuda_answer(cuda, cuda->api.cuEventCreate(event, 0), "cuEventCreate", 0);
        if (result) *event = NULL;
    }
    if (!result)
        result = padici_cuda_answer(cuda, cuda->api.cuEventRecord(*event, cuda->stream),
                                    "cuEventRecord", 0);
    return result;
}

static padic_result padici_cuda_clock_stamp(padici_cuda *cuda, uint32_t slot)
{
    padici_cuda_clock *clock = &cuda->clock;
    padic_result result = padici_cuda_clock_grow(cuda, slot);
    if (result) return result;
    if (!clock->base_sequence) {
        result = padici_cuda_stamp(cuda, &clock->base);
        if (result) return result;
        clock->base_sequence = ++clock->stamps;
    }
    result = padici_cuda_stamp(cuda, &clock->events[slot]);
    if (result) return result;
    clock->sequence[slot] = ++clock->stamps;
    clock->last = slot;
    return PADIC_OK;
}

static padic_result padici_cuda_clock_read(padici_cuda *cuda, uint32_t slot, uint64_t *ns)
{
    padici_cuda_clock *clock = &cuda->clock;
    const int later = slot < clock->count && clock->sequence[slot] > clock->base_sequence;
    uint64_t away;
    float ms = 0;
    padic_result result;
    if (slot >= clock->count || !clock->sequence[slot])
        return padici_cuda_fail(cuda, PADIC_ERROR_ARGUMENT, "that slot was never stamped");
    result = padici_cuda_answer(
        cuda,
        cuda->api.cuEventElapsedTime(&ms, later ? clock->base : clock->events[slot],
                                     later ? clock->events[slot] : clock->base),
        "cuEventElapsedTime", 0);
    if (result) return result;
    away = ms > 0 ? (uint64_t)((double)ms * 1e6 + 0.5) : 0;
    if (later)
        *ns = clock->base_ns + away;
    else
        *ns = clock->base_ns > away ? clock->base_ns - away : 0;
    return PADIC_OK;
}

PADICI_FN padic_result padici_cuda_time(padic_device *device, uint32_t slot, uint64_t *ns)
{
    padici_cuda *cuda = (padici_cuda *)(void *)device;
    padic_result result;
    if (!padici_cuda_has_events(&cuda->api))
        return padici_cuda_fail(cuda, PADIC_ERROR_NOT_SUPPORTED, "the driver has no events");
    if (slot >= PADICI_CUDA_SLOTS)
        return padici_cuda_fail(cuda, PADIC_ERROR_LIMIT, "no such slot for a time");
    if (ns) *ns = 0;
    result = padici_cuda_enter_idle(cuda, "time stamp");
    if (result) return result;
    result = ns ? padici_cuda_clock_read(cuda, slot, ns) : padici_cuda_clock_stamp(cuda, slot);
    return padici_cuda_leave(cuda, result);
}

#endif
