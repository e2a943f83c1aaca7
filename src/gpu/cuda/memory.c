#include "memory.h"
#include "loader.h"
#include "open.h"

#if PADICI_IMPLEMENT_CUDA

// -------------------------------------------------------------------------------------- >>memory

PADICI_FN padic_result padici_cuda_alloc(padic_device *device, uint64_t size, padic_mem *out)
{
    padici_cuda *cuda = (padici_cuda *)(void *)device;
    padici_cuda_pointer pointer = 0;
    padic_result result;
    out->bits = 0;
    result = padici_cuda_enter_idle(cuda, "allocation");
    if (result) return result;
    if (size > (size_t)-1) {
        result = padici_cuda_fail(cuda, PADIC_ERROR_MEMORY, "larger than an address");
    } else {
        result = padici_cuda_answer(cuda, cuda->api.cuMemAlloc_v2(&pointer, (size_t)size),
                                    "cuMemAlloc", size);
        if (!result) out->bits = pointer;
    }
    return padici_cuda_leave(cuda, result);
}

// During a capture (the engine's, say) the driver refuses to free unless the mode is relaxed.
PADICI_FN void padici_cuda_free(padic_device *device, padic_mem mem, uint64_t size)
{
    padici_cuda *cuda = (padici_cuda *)(void *)device;
    int mode = 2; // relaxed
    (void)size;
    if (cuda->lost || padici_cuda_enter(cuda)) return; // the context frees it
    if (cuda->api.cuThreadExchangeStreamCaptureMode)
        (void)cuda->api.cuThreadExchangeStreamCaptureMode(&mode);
    (void)cuda->api.cuMemFree_v2(mem.bits);
    if (cuda->api.cuThreadExchangeStreamCaptureMode)
        (void)cuda->api.cuThreadExchangeStreamCaptureMode(&mode);
    (void)padici_cuda_leave(cuda, PADIC_OK);
}

// Created at the first transfer; 0 if no pinned memory is available.
static int padici_cuda_ring_ready(padici_cuda *cuda)
{
    padici_cuda_ring *ring = &cuda->ring;
    void *memory = NULL;
    uint32_t i;
    if (ring->memory) return 1;
    if (!cuda->api.cuMemHostAlloc || !cuda->api.cuMemFreeHost ||
        !padici_cuda_has_events(&cuda->api))
        return 0;
    if (cuda->api.cuMemHostAlloc(&memory, (size_t)(2 * PADICI_CUDA_RING), 0)) return 0;
    ring->memory = (char *)memory;
    for (i = 0; i < 2; i++) {
        if (cuda->api.cuEventCreate(&ring->events[i], 2)) { // 2: without timing
            ring->events[i] = NULL;
            padici_cuda_drop_ring(cuda);
            return 0;
        }
    }
    return 1;
}

// Switches to the other half as soon as its copies have finished.
static padic_result padici_cuda_ring_turn(padici_cuda *cuda)
{
    padici_cuda_ring *ring = &cuda->ring;
    padic_result result = padici_cuda_answer(
        cuda, cuda->api.cuEventRecord(ring->events[ring->half], cuda->stream), "cuEventRecord", 0);
    if (result) return result;
    ring->busy[ring->half] = 1;
    ring->half ^= 1;
    if (ring->busy[ring->half])
        result = padici_cuda_answer(cuda, cuda->api.cuEventSynchronize(ring->events[ring->half]),
                                    "cuEventSynchronize", 0);
    if (result) return result;
    ring->busy[ring->half] = 0;
    ring->used = 0;
    return PADIC_OK;
}

static padic_result padici_cuda_upload_ring(padici_cuda *cuda, padici_cuda_pointer to,
                                            const char *from, uint64_t size)
{
    padici_cuda_ring *ring = &cuda->ring;
    padic_result result = PADIC_OK;
    while (size && !result) {
        uint64_t piece = PADICI_CUDA_RING - ring->used;
        char *at;
        if (!piece) {
            result = padici_cuda_ring_turn(cuda);
            continue;
        }
        if (piece > size) piece = size;
        at = ring->memory + ring->half * PADICI_CUDA_RING + ring->used;
        memcpy(at, from, (size_t)piece);
        result = padici_cuda_answer(
            cuda, cuda->api.cuMemcpyHtoDAsync_v2(to, at, (size_t)piece, cuda->stream),
            "cuMemcpyHtoDAsync", 0);
        ring->used += (piece + 255) & ~UINT64_C(255);
        to += piece;
        from += piece;
        size -= piece;
    }
    return result;
}

PADICI_FN padic_result padici_cuda_wait(padici_cuda *cuda)
{
    padic_result result = padici_cuda_answer(cuda, cuda->api.cuStreamSynchronize(cuda->stream),
                                             "cuStreamSynchronize", 0);
    if (result) return result;
    cuda->ring.used = 0; // all its copies have finished
    cuda->ring.busy[0] = cuda->ring.busy[1] = 0;
    return PADIC_OK;
}

// Memory that the engine pinned itself is copied from there, and waited for.
static int padici_cuda_is_pinned(padici_cuda *cuda, const void *memory)
{
    unsigned type = 0; // 2: the kind of memory; 1: the host's, known to the driver
    return cuda->api.cuPointerGetAttribute &&
           !cuda->api.cuPointerGetAttribute(&type, 2, (padici_cuda_pointer)(uintptr_t)memory) &&
           type == 1;
}

PADICI_FN padic_result padici_cuda_upload(padic_device *device, padic_mem mem, uint64_t at,
                                          const void *from, uint64_t size)
{
    padici_cuda *cuda = (padici_cuda *)(void *)device;
    padic_result result = padici_cuda_enter_idle(cuda, "upload");
    if (result) return result;
    // For a small one the copy is cheaper than the query.
    if ((size < 65536 || !padici_cuda_is_pinned(cuda, from)) && padici_cuda_ring_ready(cuda)) {
        result = padici_cuda_upload_ring(cuda, mem.bits + at, (const char *)from, size);
    } else {
        result = padici_cuda_answer(
            cuda, cuda->api.cuMemcpyHtoDAsync_v2(mem.bits + at, from, (size_t)size, cuda->stream),
            "cuMemcpyHtoDAsync", 0);
        if (!result) result = padici_cuda_wait(cuda);
    }
    return padici_cuda_leave(cuda, result);
}

PADICI_FN padic_result padici_cuda_download(padic_device *device, padic_mem mem, uint64_t at,
                                            void *to, uint64_t size)
{
    padici_cuda *cuda = (padici_cuda *)(void *)device;
    const padici_cuda_ring *ring = &cuda->ring;
    padic_result result = padici_cuda_enter_idle(cuda, "download");
    void *by = to;
    if (result) return result;
    // A few bytes through pinned memory: 2 us instead of 8.
    if (size <= 4096 && padici_cuda_ring_ready(cuda) && size <= PADICI_CUDA_RING - ring->used)
        by = ring->memory + ring->half * PADICI_CUDA_RING + ring->used;
    result = padici_cuda_answer(
        cuda, cuda->api.cuMemcpyDtoHAsync_v2(by, mem.bits + at, (size_t)size, cuda->stream),
        "cuMemcpyDtoHAsync", 0);
    if (!result) result = padici_cuda_wait(cuda);
    if (!result && by != to) memcpy(to, by, (size_t)size);
    return padici_cuda_leave(cuda, result);
}

PADICI_FN padic_result padici_cuda_copy(padic_device *device, padic_mem to, uint64_t at,
                                        padic_mem from, uint64_t from_at, uint64_t size)
{
    padici_cuda *cuda = (padici_cuda *)(void *)device;
    padic_result result = padici_cuda_enter(cuda);
    if (result) return result;
    result = padici_cuda_answer(cuda,
                                cuda->api.cuMemcpyDtoDAsync_v2(to.bits + at, from.bits + from_at,
                                                               (size_t)size, cuda->stream),
                                "cuMemcpyDtoDAsync", 0);
    return padici_cuda_leave(cuda, result);
}

PADICI_FN padic_result padici_cuda_fill(padic_device *device, padic_mem mem, uint64_t at,
                                        uint32_t value, uint64_t size)
{
    padici_cuda *cuda = (padici_cuda *)(void *)device;
    padic_result result = padici_cuda_enter(cuda);
    if (result) return result;
    result = padici_cuda_answer(
        cuda, cuda->api.cuMemsetD32Async(mem.bits + at, value, (size_t)(size / 4), cuda->stream),
        "cuMemsetD32Async", 0);
    return padici_cuda_leave(cuda, result);
}

#endif
