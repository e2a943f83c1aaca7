#include "fetch.h"
#include "errors.h"
#include "memory.h"
#include "waiting.h"

#if PADICI_IMPLEMENT_OPENCL

// Copies to the host beside the queue: in a queue of their own, where each waits for a marker of
// the first.

PADICI_FN void padici_cl_copies_end(padici_cl *cl)
{
    padici_cl_copies *copies = &cl->copies;
    uint32_t i;
    for (i = 0; i < PADIC_FETCH_SLOTS; i++)
        if (copies->done[i]) (void)(*cl->api.ReleaseEvent)(copies->done[i]);
    if (copies->queue) (void)(*cl->api.ReleaseCommandQueue)(copies->queue);
    memset(copies, 0, sizeof *copies);
}

static padic_result padici_cl_fetch_copy(padici_cl *cl, const padic_fetch *fetch)
{
    padici_cl_copies *copies = &cl->copies;
    padici_cl_event *done = &copies->done[fetch->slot], ready = NULL;
    int32_t code = (*cl->api.EnqueueMarkerWithWaitList)(cl->queue, 0, NULL, &ready);
    if (code) return padici_cl_check(cl, "clEnqueueMarkerWithWaitList", code);
    code = (*cl->api.Flush)(cl->queue);
    cl->waiting = 0;
    if (!code)
        code = (*cl->api.EnqueueReadBuffer)(copies->queue, padici_cl_mem_of(fetch->mem), 0,
                                            (size_t)fetch->at, (size_t)fetch->size, fetch->to, 1,
                                            &ready, done);
    if (code) *done = NULL;
    else code = (*cl->api.Flush)(copies->queue);
    (void)(*cl->api.ReleaseEvent)(ready);
    return padici_cl_check(cl, "clEnqueueReadBuffer", code);
}

PADICI_FN padic_result padici_cl_fetch(padic_device *device, const padic_fetch *fetch)
{
    padici_cl *cl = (padici_cl *)(void *)device;
    padici_cl_copies *copies = &cl->copies;
    int32_t code = 0;
    if (cl->lost) return padici_cl_lost(cl);
    if (fetch->action == PADIC_FETCH_COPY) return padici_cl_fetch_copy(cl, fetch);
    if (fetch->action == PADIC_FETCH_WAIT && copies->done[fetch->slot])
        return padici_cl_check_wait(cl, "clEnqueueReadBuffer",
                                    padici_cl_await(cl, &copies->done[fetch->slot]));
    if (fetch->action == PADIC_FETCH_OPEN && !copies->queue) {
        copies->queue = (*cl->api.CreateCommandQueue)(cl->context, cl->device, 0, &code);
        if (code || !copies->queue) {
            copies->queue = NULL;
            return PADIC_ERROR_NOT_SUPPORTED;
        }
    }
    return PADIC_OK;
}

#endif
