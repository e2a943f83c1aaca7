#include "waiting.h"
#include "errors.h"

#if PADICI_IMPLEMENT_OPENCL

// ---- waiting

static void padici_cl_pause(uint32_t round)
{
#ifdef _WIN32
    Sleep(round < PADICI_CL_YIELDS ? 0 : 1);
#else
    struct timeval nap;
    if (round < PADICI_CL_YIELDS) {
        (void)sched_yield();
        return;
    }
    nap.tv_sec = 0;
    nap.tv_usec = 100;
    (void)select(0, NULL, NULL, NULL, &nap);
#endif
}

// Polls until a flushed command is done; returns its status, 0 or an error.
PADICI_FN int32_t padici_cl_await(padici_cl *cl, padici_cl_event *event)
{
    int32_t status = 1, code = 0;
    uint32_t round;
    for (round = 0; status > 0 && !code; round += round < PADICI_CL_YIELDS) {
        code = (*cl->api.GetEventInfo)(*event, PADICI_CL_EVENT_STATUS, sizeof status, &status,
                                       NULL);
        if (status > 0 && !code) padici_cl_pause(round);
    }
    (void)(*cl->api.ReleaseEvent)(*event);
    *event = NULL;
    return code ? code : status;
}

// The same for everything queued: some drivers' own waits keep a core busy. Errors are left to the
// following call.
PADICI_FN void padici_cl_poll(padici_cl *cl)
{
    padici_cl_event event = NULL;
    if ((*cl->api.EnqueueMarkerWithWaitList)(cl->queue, 0, NULL, &event)) return;
    if ((*cl->api.Flush)(cl->queue))
        (void)(*cl->api.ReleaseEvent)(event);
    else
        (void)padici_cl_await(cl, &event);
}

PADICI_FN padic_result padici_cl_finish(padici_cl *cl)
{
    if (cl->polls) padici_cl_poll(cl);
    cl->waiting = 0;
    cl->batch = 1;
    return padici_cl_check_wait(cl, "clFinish", (*cl->api.Finish)(cl->queue));
}

// After a command. The device starts at once, later it gets its work in batches.
PADICI_FN padic_result padici_cl_queued(padici_cl *cl, const char *call, int32_t code)
{
    padic_result result = padici_cl_check(cl, call, code);
    if (result || ++cl->waiting < cl->batch) return result;
    cl->waiting = 0;
    if (cl->batch < PADICI_CL_BATCH) cl->batch *= 2;
    return padici_cl_check(cl, "clFlush", (*cl->api.Flush)(cl->queue));
}

#endif
