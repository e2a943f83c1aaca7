#include "fetch.h"
#include "open.h"

#if PADICI_IMPLEMENT_CUDA

// Copies to the host beside the queue.

// Created at the first; 0 if the driver has not what it takes.
static int padici_cuda_copies_ready(padici_cuda *cuda)
{
    const padici_cuda_api *api = &cuda->api;
    padici_cuda_copies *copies = &cuda->copies;
    uint32_t i;
    int error;
    if (copies->stream) return 1;
    if (!api->cuMemHostRegister_v2 || !api->cuMemHostUnregister || !api->cuStreamWaitEvent ||
        !padici_cuda_has_events(api) || api->cuStreamCreate(&copies->stream, 1)) {
        copies->stream = NULL;
        return 0;
    }
    error = api->cuEventCreate(&copies->ready, 2); // 2: without timing
    if (error) copies->ready = NULL;
    for (i = 0; i < PADIC_FETCH_SLOTS && !error; i++) {
        error = api->cuEventCreate(&copies->done[i], 2);
        if (error) copies->done[i] = NULL;
    }
    if (error) padici_cuda_drop_copies(cuda);
    return !error;
}

static padic_result padici_cuda_fetch_copy(padici_cuda *cuda, const padic_fetch *fetch)
{
    const padici_cuda_api *api = &cuda->api;
    padici_cuda_copies *copies = &cuda->copies;
    padic_result result = padici_cuda_answer(
        cuda, api->cuEventRecord(copies->ready, cuda->stream), "cuEventRecord", 0);
    if (!result)
        result = padici_cuda_answer(cuda,
                                    api->cuStreamWaitEvent(copies->stream, copies->ready, 0),
                                    "cuStreamWaitEvent", 0);
    if (!result)
        result = padici_cuda_answer(cuda,
                                    api->cuMemcpyDtoHAsync_v2(
                                        fetch->to, fetch->mem.bits + fetch->at,
                                        (size_t)fetch->size, copies->stream),
                                    "cuMemcpyDtoHAsync", 0);
    if (!result)
        result = padici_cuda_answer(
            cuda, api->cuEventRecord(copies->done[fetch->slot], copies->stream), "cuEventRecord",
            0);
    return result;
}

// Memory that cannot be pinned is copied to as well, if slower.
PADICI_FN padic_result padici_cuda_fetch(padic_device *device, const padic_fetch *fetch)
{
    padici_cuda *cuda = (padici_cuda *)(void *)device;
    const padici_cuda_api *api = &cuda->api;
    padic_result result = padici_cuda_enter_idle(cuda, "fetch");
    if (result) return result;
    if (fetch->action == PADIC_FETCH_OPEN) {
        if (padici_cuda_copies_ready(cuda))
            (void)api->cuMemHostRegister_v2(fetch->to, (size_t)fetch->size, 0);
        else result = PADIC_ERROR_NOT_SUPPORTED;
    } else if (fetch->action == PADIC_FETCH_COPY) {
        result = padici_cuda_fetch_copy(cuda, fetch);
    } else if (fetch->action == PADIC_FETCH_WAIT) {
        result = padici_cuda_answer(cuda, api->cuEventSynchronize(cuda->copies.done[fetch->slot]),
                                    "cuEventSynchronize", 0);
    } else {
        (void)api->cuMemHostUnregister(fetch->to);
    }
    return padici_cuda_leave(cuda, result);
}

#endif
