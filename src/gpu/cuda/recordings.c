#include "recordings.h"
#include "../../core/memory.h"
#include "../drive.h"
#include "fetch.h"
#include "memory.h"
#include "open.h"
#include "programs.h"
#include "time.h"

#if PADICI_IMPLEMENT_CUDA

// --------------------------------------------------------------------------------- >>recordings

// Ends the capture and discards its contents.
PADICI_FN void padici_cuda_abandon(padici_cuda *cuda)
{
    void *graph = NULL;
    (void)cuda->api.cuStreamEndCapture(cuda->stream, &graph);
    if (graph) (void)cuda->api.cuGraphDestroy(graph);
    padici_cuda_drop_recording(cuda, cuda->recording);
    cuda->recording = NULL;
}

static padic_result padici_cuda_record_begin(padici_cuda *cuda)
{
    padic_result result = padici_cuda_no_capture(cuda, "second recording");
    padici_cuda_recording *recording;
    if (result) return result;
    recording = (padici_cuda_recording *)padici_alloc(cuda->env.allocator, sizeof *recording, 16);
    if (!recording) return padici_cuda_fail(cuda, PADIC_ERROR_MEMORY, "out of host memory");
    memset(recording, 0, sizeof *recording);
    // 1: only this thread's calls can break it
    result = padici_cuda_answer(cuda, cuda->api.cuStreamBeginCapture_v2(cuda->stream, 1),
                                "cuStreamBeginCapture", 0);
    if (result)
        padici_free(cuda->env.allocator, recording, sizeof *recording);
    else
        cuda->recording = recording;
    return result;
}

// The capture ends in any case.
static padic_result padici_cuda_record_end(padici_cuda *cuda, padic_recording **out)
{
    padici_cuda_recording *recording = cuda->recording;
    void *graph = NULL;
    padic_result result;
    if (!recording)
        return padici_cuda_fail(cuda, PADIC_ERROR_ARGUMENT, "no recording is open");
    cuda->recording = NULL;
    result = padici_cuda_answer(cuda, cuda->api.cuStreamEndCapture(cuda->stream, &graph),
                                "cuStreamEndCapture", 0);
    if (!result && !graph)
        result = padici_cuda_fail(cuda, PADIC_ERROR_DEVICE, "the capture gave no graph");
    if (!result) {
        result = padici_cuda_answer(
            cuda, cuda->api.cuGraphInstantiateWithFlags(&recording->made, graph, 0),
            "cuGraphInstantiate", 0);
        if (result) recording->made = NULL;
    }
    if (graph) (void)cuda->api.cuGraphDestroy(graph);
    if (result) {
        padici_cuda_drop_recording(cuda, recording);
        return result;
    }
    recording->next = cuda->recordings;
    cuda->recordings = recording;
    *out = (padic_recording *)(void *)recording;
    return PADIC_OK;
}

// Without a recording: the open one is abandoned.
static padic_result padici_cuda_record_drop(padici_cuda *cuda, padic_recording **gone)
{
    padici_cuda_recording **link = &cuda->recordings;
    padici_cuda_recording *recording = gone ? (padici_cuda_recording *)(void *)*gone : NULL;
    if (!recording) {
        if (cuda->recording) padici_cuda_abandon(cuda);
        return PADIC_OK;
    }
    while (*link && *link != recording) link = &(*link)->next;
    if (!*link) return padici_cuda_fail(cuda, PADIC_ERROR_ARGUMENT, "no such recording");
    *link = recording->next;
    padici_cuda_drop_recording(cuda, recording);
    *gone = NULL;
    return PADIC_OK;
}

static padic_result padici_cuda_record(padic_device *device, int action,
                                       padic_recording **recording)
{
    padici_cuda *cuda = (padici_cuda *)(void *)device;
    padic_result result;
    if (action == PADIC_RECORD_END) *recording = NULL;
    if (!padici_cuda_has_graphs(&cuda->api))
        return padici_cuda_fail(cuda, PADIC_ERROR_NOT_SUPPORTED, "the driver has no graphs");
    result = padici_cuda_enter(cuda);
    if (result) return result;
    switch (action) {
    case PADIC_RECORD_BEGIN: result = padici_cuda_record_begin(cuda); break;
    case PADIC_RECORD_END: result = padici_cuda_record_end(cuda, recording); break;
    case PADIC_RECORD_DROP: result = padici_cuda_record_drop(cuda, recording); break;
    default: result = PADIC_ERROR_ARGUMENT;
    }
    return padici_cuda_leave(cuda, result);
}

static padic_result padici_cuda_replay(padic_device *device, padic_recording *handle,
                                       uint32_t times)
{
    padici_cuda *cuda = (padici_cuda *)(void *)device;
    padici_cuda_recording *recording = (padici_cuda_recording *)(void *)handle;
    padic_result result = padici_cuda_enter(cuda);
    if (result) return result;
    for (; times && !result; times--)
        result = padici_cuda_answer(cuda, cuda->api.cuGraphLaunch(recording->made, cuda->stream),
                                    "cuGraphLaunch", 0);
    return padici_cuda_leave(cuda, result);
}

PADIC_API const padic_backend *padic_cuda(void)
{
    static const padic_backend cuda = {PADIC_BACKEND_VERSION,
                                       "cuda",
                                       padici_cuda_open,
                                       padici_cuda_close,
                                       padici_cuda_info,
                                       padici_cuda_alloc,
                                       padici_cuda_free,
                                       padici_cuda_upload,
                                       padici_cuda_download,
                                       padici_cuda_copy,
                                       padici_cuda_fill,
                                       padici_cuda_program_build,
                                       padici_cuda_launch,
                                       padici_cuda_sync,
                                       padici_cuda_record,
                                       padici_cuda_replay,
                                       padici_cuda_time,
                                       NULL,
                                       0,
                                       0,
                                       padici_gpu_drive,
                                       padici_cuda_keep,
                                       padici_cuda_programs_build,
                                       padici_cuda_fetch};
    return &cuda;
}

#endif
