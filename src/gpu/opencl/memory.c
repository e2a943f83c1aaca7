#include "memory.h"
#include "errors.h"
#include "queries.h"
#include "waiting.h"

#if PADICI_IMPLEMENT_OPENCL

// ---- memory

PADICI_FN padici_cl_mem padici_cl_mem_of(padic_mem mem)
{
    return (padici_cl_mem)(uintptr_t)mem.bits;
}

PADICI_FN padic_result padici_cl_alloc(padic_device *device, uint64_t size, padic_mem *out)
{
    padici_cl *cl = (padici_cl *)(void *)device;
    padici_cl_mem mem;
    int32_t code = 0;
    padic_result result;
    uint64_t limit;
    out->bits = 0;
    if (cl->lost) return padici_cl_lost(cl);
    // Checked here: NVIDIA's driver accepts 2^61 bytes and fails when they are touched.
    limit = padici_cl_device_number(cl, cl->device, PADICI_CL_DEVICE_MAX_ALLOC);
    if (size > (size_t)-1 || (limit && size > limit)) // 0: unknown
        return padici_cl_say(cl, PADIC_ERROR_LIMIT, "a block above the device's max_alloc", "");
    mem = (*cl->api.CreateBuffer)(cl->context, PADICI_CL_MEM_READ_WRITE, (size_t)size, NULL, &code);
    // Drivers also call a device that is full out of resources.
    if (code == PADICI_CL_NO_RESOURCES) code = PADICI_CL_NO_DEVICE_MEMORY;
    result = padici_cl_check(cl, "clCreateBuffer", code);
    if (!result) out->bits = (uint64_t)(uintptr_t)mem;
    return result;
}

PADICI_FN void padici_cl_free(padic_device *device, padic_mem mem, uint64_t size)
{
    padici_cl *cl = (padici_cl *)(void *)device;
    (void)size;
    (void)(*cl->api.ReleaseMemObject)(padici_cl_mem_of(mem));
}

// A blocking transfer waited for all earlier work, so an error may come from that work.
static padic_result padici_cl_transferred(padici_cl *cl, const char *call, int32_t code)
{
    cl->waiting = 0;
    cl->batch = 1;
    if (code == PADICI_CL_NO_RESOURCES || code == PADICI_CL_NV_LOST) {
        padic_result result = padici_cl_finish(cl);
        if (result) return result;
    }
    return padici_cl_check(cl, call, code);
}

// 1: the ring exists. 0: the driver has no memory for it, so transfers do without.
static int padici_cl_ring_begin(padici_cl *cl)
{
    padici_cl_ring *ring = &cl->ring;
    int32_t code = 0;
    if (ring->at || ring->refused) return !ring->refused;
    ring->mem =
        (*cl->api.CreateBuffer)(cl->context, PADICI_CL_MEM_READ_WRITE | PADICI_CL_MEM_PINNED,
                                2 * PADICI_CL_PIECE, NULL, &code);
    if (code) ring->mem = NULL;
    if (!code)
        ring->at = (unsigned char *)(*cl->api.EnqueueMapBuffer)(
            cl->queue, ring->mem, 1, PADICI_CL_MAP_READ | PADICI_CL_MAP_WRITE, 0,
            2 * PADICI_CL_PIECE, 0, NULL, NULL, &code);
    if (!code) return 1;
    if (ring->mem) (void)(*cl->api.ReleaseMemObject)(ring->mem);
    ring->mem = NULL;
    ring->at = NULL;
    ring->refused = 1;
    return 0;
}

PADICI_FN void padici_cl_ring_end(padici_cl *cl)
{
    padici_cl_ring *ring = &cl->ring;
    uint32_t i;
    for (i = 0; i < 2; i++)
        if (ring->busy[i]) (void)(*cl->api.ReleaseEvent)(ring->busy[i]);
    if (ring->at && !cl->lost) {
        (void)(*cl->api.EnqueueUnmapMemObject)(cl->queue, ring->mem, ring->at, 0, NULL, NULL);
        (void)(*cl->api.Finish)(cl->queue);
    }
    if (ring->mem) (void)(*cl->api.ReleaseMemObject)(ring->mem);
}

// Returns when the last piece has been copied to the ring; the device fetches it later.
static padic_result padici_cl_upload_ring(padici_cl *cl, padici_cl_mem mem, size_t at,
                                          const unsigned char *from, size_t size)
{
    padici_cl_ring *ring = &cl->ring;
    int32_t code = 0;
    while (size) {
        const size_t piece = size < PADICI_CL_PIECE ? size : PADICI_CL_PIECE;
        unsigned char *half = ring->at + ring->turn * PADICI_CL_PIECE;
        if (ring->busy[ring->turn]) code = padici_cl_await(cl, &ring->busy[ring->turn]);
        if (code) return padici_cl_transferred(cl, "an earlier transfer", code);
        memcpy(half, from, piece);
        code = (*cl->api.EnqueueWriteBuffer)(cl->queue, mem, 0, at, piece, half, 0, NULL,
                                             &ring->busy[ring->turn]);
        if (code) {
            ring->busy[ring->turn] = NULL;
            return padici_cl_check(cl, "clEnqueueWriteBuffer", code);
        }
        code = (*cl->api.Flush)(cl->queue);
        if (code) return padici_cl_check(cl, "clFlush", code);
        ring->turn ^= 1;
        from += piece;
        at += piece;
        size -= piece;
    }
    cl->waiting = 0;
    return PADIC_OK;
}

// A piece is fetched while the previous one is copied out.
static padic_result padici_cl_download_ring(padici_cl *cl, padici_cl_mem mem, size_t at,
                                            unsigned char *to, size_t size)
{
    padici_cl_ring *ring = &cl->ring;
    size_t asked = 0, done = 0;
    int32_t code = 0;
    while (done < size && !code) {
        if (asked < size) { // the queue is in order, so what the half held before is through
            const size_t piece = size - asked < PADICI_CL_PIECE ? size - asked : PADICI_CL_PIECE;
            padici_cl_event *busy = &ring->busy[ring->turn];
            if (*busy) (void)(*cl->api.ReleaseEvent)(*busy);
            *busy = NULL;
            code = (*cl->api.EnqueueReadBuffer)(cl->queue, mem, 0, at + asked, piece,
                                                ring->at + ring->turn * PADICI_CL_PIECE, 0, NULL,
                                                busy);
            if (code) {
                *busy = NULL;
                break;
            }
            code = (*cl->api.Flush)(cl->queue);
            asked += piece;
            ring->turn ^= 1;
        }
        if (!code && (asked == size || asked > done + PADICI_CL_PIECE)) {
            const size_t piece = asked - done < PADICI_CL_PIECE ? asked - done : PADICI_CL_PIECE;
            const uint32_t half = ring->turn ^ (asked - done <= PADICI_CL_PIECE);
            code = padici_cl_await(cl, &ring->busy[half]);
            if (!code) memcpy(to + done, ring->at + half * PADICI_CL_PIECE, piece);
            done += piece;
        }
    }
    return padici_cl_transferred(cl, "clEnqueueReadBuffer", code);
}

// Where device and host share their memory, mapping avoids a second copy.
static padic_result padici_cl_transfer_mapped(padici_cl *cl, padici_cl_mem mem, size_t at,
                                              const void *from, void *to, size_t size)
{
    int32_t code = 0;
    void *place = (*cl->api.EnqueueMapBuffer)(
        cl->queue, mem, 1, from ? PADICI_CL_MAP_OVERWRITE : PADICI_CL_MAP_READ, at, size, 0, NULL,
        NULL, &code);
    if (code) return padici_cl_transferred(cl, "clEnqueueMapBuffer", code);
    if (from)
        memcpy(place, from, size);
    else
        memcpy(to, place, size);
    return padici_cl_transferred(
        cl, "clEnqueueUnmapMemObject",
        (*cl->api.EnqueueUnmapMemObject)(cl->queue, mem, place, 0, NULL, NULL));
}

PADICI_FN padic_result padici_cl_upload(padic_device *device, padic_mem mem, uint64_t at,
                                        const void *from, uint64_t size)
{
    padici_cl *cl = (padici_cl *)(void *)device;
    if (cl->lost) return padici_cl_lost(cl);
    if (!size) return PADIC_OK;
    if (size >= PADICI_CL_RING_FROM && (cl->info.features & PADIC_FEATURE_UNIFIED))
        return padici_cl_transfer_mapped(cl, padici_cl_mem_of(mem), (size_t)at, from, NULL,
                                         (size_t)size);
    if (size >= PADICI_CL_RING_FROM && padici_cl_ring_begin(cl))
        return padici_cl_upload_ring(cl, padici_cl_mem_of(mem), (size_t)at,
                                     (const unsigned char *)from, (size_t)size);
    if (cl->polls) padici_cl_poll(cl);
    return padici_cl_transferred(
        cl, "clEnqueueWriteBuffer",
        (*cl->api.EnqueueWriteBuffer)(cl->queue, padici_cl_mem_of(mem), 1, (size_t)at, (size_t)size,
                                      from, 0, NULL, NULL));
}

PADICI_FN padic_result padici_cl_download(padic_device *device, padic_mem mem, uint64_t at,
                                          void *to, uint64_t size)
{
    padici_cl *cl = (padici_cl *)(void *)device;
    if (cl->lost) return padici_cl_lost(cl);
    if (!size) return PADIC_OK;
    if (size >= PADICI_CL_RING_FROM && (cl->info.features & PADIC_FEATURE_UNIFIED))
        return padici_cl_transfer_mapped(cl, padici_cl_mem_of(mem), (size_t)at, NULL, to,
                                         (size_t)size);
    if (size >= PADICI_CL_RING_FROM && padici_cl_ring_begin(cl))
        return padici_cl_download_ring(cl, padici_cl_mem_of(mem), (size_t)at, (unsigned char *)to,
                                       (size_t)size);
    if (cl->polls) padici_cl_poll(cl);
    return padici_cl_transferred(
        cl, "clEnqueueReadBuffer",
        (*cl->api.EnqueueReadBuffer)(cl->queue, padici_cl_mem_of(mem), 1, (size_t)at, (size_t)size,
                                     to, 0, NULL, NULL));
}

#endif
