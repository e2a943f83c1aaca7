#include "../../core/memory.h"
#include "../../core/platform.h"
#include "../drive.h"
#include "commands.h"
#include "device.h"
#include "errors.h"
#include "fetch.h"
#include "handles.h"
#include "memory.h"
#include "programs.h"
#include "waiting.h"

#if PADICI_IMPLEMENT_OPENCL

// ---- launches and recordings

static int32_t padici_cl_arguments(const padici_cl *cl, padici_cl_kernel kernel,
                                   const padic_launch *launch)
{
    int32_t code = 0;
    uint32_t i;
    for (i = 0; i < launch->mem_count && !code; i++) {
        padici_cl_mem mem = padici_cl_mem_of(launch->mem[i]);
        code = (*cl->api.SetKernelArg)(kernel, i, sizeof mem, &mem);
    }
    return code ? code
                : (*cl->api.SetKernelArg)(kernel, launch->mem_count, launch->params_size,
                                          launch->params);
}

static void padici_cl_shape(padici_cl_node *node, const padic_launch *launch)
{
    memset(node, 0, sizeof *node);
    node->global[0] = (size_t)launch->groups[0] * launch->group;
    node->global[1] = launch->groups[1];
    node->global[2] = launch->groups[2];
    node->local[0] = launch->group;
    node->local[1] = node->local[2] = 1;
    node->dimensions = launch->groups[2] > 1 ? 3 : launch->groups[1] > 1 ? 2 : 1;
}

// A node with its own kernel object, whose arguments are set once for all replays.
static padic_result padici_cl_record_launch(padici_cl *cl, const padici_cl_built_program *built,
                                            const padic_launch *launch)
{
    padici_cl_node *node = padici_cl_node_new(cl);
    int32_t code = 0;
    if (!node) return cl->recording->result = padici_cl_no_memory(cl);
    padici_cl_shape(node, launch);
    node->kernel = (*cl->api.CreateKernel)(built->program,
                                           built->text->kernels[launch->kernel].name, &code);
    if (code) {
        cl->recording->count--;
        return cl->recording->result = padici_cl_check(cl, "clCreateKernel", code);
    }
    code = padici_cl_arguments(cl, node->kernel, launch);
    if (!code) return PADIC_OK;
    (void)(*cl->api.ReleaseKernel)(node->kernel);
    cl->recording->count--;
    return cl->recording->result = padici_cl_check(cl, "clSetKernelArg", code);
}

static padic_result padici_cl_launch(padic_device *device, const padic_launch *launch)
{
    padici_cl *cl = (padici_cl *)(void *)device;
    const padici_cl_built_program *built =
        (const padici_cl_built_program *)(const void *)launch->program;
    padici_cl_node node;
    int32_t code;
    if (cl->lost) return padici_cl_lost(cl);
    if (!built->kernels[launch->kernel])
        return padici_cl_say(cl, PADIC_ERROR_BUILD, "the driver could not create ",
                             built->text->kernels[launch->kernel].name);
    if (cl->recording) return padici_cl_record_launch(cl, built, launch);
    padici_cl_shape(&node, launch);
    node.kernel = built->kernels[launch->kernel];
    code = padici_cl_arguments(cl, node.kernel, launch);
    if (code) return padici_cl_check(cl, "clSetKernelArg", code);
    return padici_cl_enqueue(cl, &node);
}

static void padici_cl_recording_end(padici_cl *cl, padici_cl_recording *r)
{
    padici_cl_recording **link = &cl->recordings;
    uint32_t i;
    while (*link && *link != r) link = &(*link)->next;
    if (*link) *link = r->next;
    for (i = 0; i < r->count; i++)
        if (r->nodes[i].kernel) (void)(*cl->api.ReleaseKernel)(r->nodes[i].kernel);
    padici_free(cl->env.allocator, r->nodes, r->capacity * sizeof *r->nodes);
    padici_free(cl->env.allocator, r, sizeof *r);
}

// BEGIN: commands are stored, not queued, until END returns them. END after a failed command only
// returns its error. DROP ends *recording, or the open one.
static padic_result padici_cl_record(padic_device *device, int action, padic_recording **recording)
{
    padici_cl *cl = (padici_cl *)(void *)device;
    padici_cl_recording *r = cl->recording;
    padic_result result;
    if (action == PADIC_RECORD_DROP) {
        if (recording && *recording) {
            r = (padici_cl_recording *)(void *)*recording;
            *recording = NULL;
        } else {
            cl->recording = NULL;
        }
        if (r) padici_cl_recording_end(cl, r);
        return PADIC_OK;
    }
    if (recording) *recording = NULL;
    if (cl->lost) return padici_cl_lost(cl);
    if (action == PADIC_RECORD_BEGIN) {
        if (r) return padici_cl_say(cl, PADIC_ERROR_ARGUMENT, "already recording", "");
        r = (padici_cl_recording *)padici_alloc(cl->env.allocator, sizeof *r, 16);
        if (!r) return padici_cl_no_memory(cl);
        memset(r, 0, sizeof *r);
        r->next = cl->recordings;
        cl->recordings = cl->recording = r;
        return PADIC_OK;
    }
    if (!r || !recording) return padici_cl_say(cl, PADIC_ERROR_ARGUMENT, "not recording", "");
    cl->recording = NULL;
    result = r->result;
    if (result)
        padici_cl_recording_end(cl, r);
    else
        *recording = (padic_recording *)(void *)r;
    return result;
}

static padic_result padici_cl_replay(padic_device *device, padic_recording *recording,
                                     uint32_t times)
{
    padici_cl *cl = (padici_cl *)(void *)device;
    const padici_cl_recording *r = (const padici_cl_recording *)(const void *)recording;
    padic_result result = PADIC_OK;
    uint32_t t, i;
    if (cl->lost) return padici_cl_lost(cl);
    for (t = 0; t < times; t++)
        for (i = 0; i < r->count && !result; i++) result = padici_cl_enqueue(cl, &r->nodes[i]);
    return result;
}

// A stamp is the end of a marker in the queue, on the device's clock.
static padic_result padici_cl_time(padic_device *device, uint32_t slot, uint64_t *ns)
{
    padici_cl *cl = (padici_cl *)(void *)device;
    padici_cl_event event = NULL;
    int32_t code;
    if (ns) *ns = 0;
    if (cl->lost) return padici_cl_lost(cl);
    if (!(cl->info.features & PADIC_FEATURE_TIME))
        return padici_cl_say(cl, PADIC_ERROR_NOT_SUPPORTED, "this queue has no trusted clock", "");
    if (slot >= PADIC_TIME_SLOTS || (ns && !cl->stamps[slot]))
        return padici_cl_say(cl, PADIC_ERROR_ARGUMENT, "no such time stamp", "");
    if (ns)
        return padici_cl_check(cl, "clGetEventProfilingInfo",
                               (*cl->api.GetEventProfilingInfo)(cl->stamps[slot],
                                                                PADICI_CL_PROFILING_END,
                                                                sizeof *ns, ns, NULL));
    code = (*cl->api.EnqueueMarkerWithWaitList)(cl->queue, 0, NULL, &event);
    if (code) return padici_cl_check(cl, "clEnqueueMarkerWithWaitList", code);
    if (cl->stamps[slot]) (void)(*cl->api.ReleaseEvent)(cl->stamps[slot]);
    cl->stamps[slot] = event;
    return PADIC_OK;
}

static void padici_cl_close(padic_device *device)
{
    padici_cl *cl = (padici_cl *)(void *)device;
    uint32_t i;
    if (!cl->lost) (void)padici_cl_finish(cl);
    for (i = 0; i < PADIC_TIME_SLOTS; i++)
        if (cl->stamps[i]) (void)(*cl->api.ReleaseEvent)(cl->stamps[i]);
    padici_cl_ring_end(cl);
    padici_cl_copies_end(cl);
    while (cl->recordings) padici_cl_recording_end(cl, cl->recordings);
    while (cl->programs) {
        padici_cl_built_program *built = cl->programs;
        cl->programs = built->next;
        padici_cl_program_end(cl, built);
    }
    padici_cl_end(cl);
}

PADIC_API const padic_backend *padic_opencl(void)
{
    static const padic_backend opencl = {PADIC_BACKEND_VERSION,
                                         "opencl",
                                         padici_cl_open,
                                         padici_cl_close,
                                         padici_cl_info,
                                         padici_cl_alloc,
                                         padici_cl_free,
                                         padici_cl_upload,
                                         padici_cl_download,
                                         padici_cl_copy,
                                         padici_cl_fill,
                                         padici_cl_make_program,
                                         padici_cl_launch,
                                         padici_cl_sync,
                                         padici_cl_record,
                                         padici_cl_replay,
                                         padici_cl_time,
                                         NULL,
                                         0,
                                         0,
                                         padici_gpu_drive,
                                         padici_cl_keep,
                                         NULL,
                                         padici_cl_fetch};
    return &opencl;
}

#endif
