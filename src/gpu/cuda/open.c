#include "open.h"
#include "../../core/memory.h"
#include "choose.h"
#include "recordings.h"
#include "../texts.h"

#if PADICI_IMPLEMENT_CUDA

// Opens, describes and closes a device.

// The device, its context and the queue: the engine's, or chosen and created here.
static padic_result padici_cuda_attach(padici_cuda *cuda, const padic_device_desc *desc)
{
    padic_result result = PADIC_OK;
    cuda->context = desc->native_context;
    cuda->stream = desc->native_queue;
    if (cuda->stream && !cuda->context) {
        if (!cuda->api.cuStreamGetCtx)
            return padici_cuda_fail(cuda, PADIC_ERROR_ARGUMENT,
                                    "native_queue needs native_context with so old a driver");
        result = padici_cuda_answer(
            cuda, cuda->api.cuStreamGetCtx(cuda->stream, &cuda->context), "cuStreamGetCtx", 0);
        if (result) return result;
    }
    if (!cuda->context) {
        result = padici_cuda_choose(cuda, desc);
        if (result) return result;
        result = padici_cuda_answer(
            cuda, cuda->api.cuDevicePrimaryCtxRetain(&cuda->context, cuda->device),
            "cuDevicePrimaryCtxRetain", 0);
        if (result) cuda->context = NULL;
        cuda->retained = !result;
    }
    if (!result) result = padici_cuda_enter(cuda);
    if (result) return result;
    if (!cuda->retained)
        result =
            padici_cuda_answer(cuda, cuda->api.cuCtxGetDevice(&cuda->device), "cuCtxGetDevice", 0);
    if (!result && !cuda->stream) {
        // 1: does not wait for the legacy stream
        result = padici_cuda_answer(cuda, cuda->api.cuStreamCreate(&cuda->stream, 1),
                                    "cuStreamCreate", 0);
        if (result) cuda->stream = NULL;
        cuda->own_stream = !result;
    }
    return padici_cuda_leave(cuda, result);
}

PADICI_FN void padici_cuda_version_text(padici_text *text, int version)
{
    padici_text_number(text, (uint64_t)(uint32_t)version / 1000, 1);
    padici_text_add(text, ".");
    padici_text_number(text, (uint64_t)(uint32_t)version % 1000 / 10, 1);
}

PADICI_FN int padici_cuda_has_graphs(const padici_cuda_api *api)
{
    return api->cuStreamBeginCapture_v2 && api->cuStreamEndCapture &&
           api->cuGraphInstantiateWithFlags && api->cuGraphLaunch && api->cuGraphExecDestroy &&
           api->cuGraphDestroy;
}

PADICI_FN int padici_cuda_has_events(const padici_cuda_api *api)
{
    return api->cuEventCreate && api->cuEventDestroy_v2 && api->cuEventRecord &&
           api->cuEventSynchronize && api->cuEventElapsedTime;
}

static padic_result padici_cuda_describe(padici_cuda *cuda)
{
    padic_device_info *info = &cuda->info;
    padici_text text;
    size_t total = 0;
    int major, minor;
    padic_result result = padici_cuda_answer(
        cuda, cuda->api.cuDeviceGetName(info->name, (int)sizeof info->name - 1, cuda->device),
        "cuDeviceGetName", 0);
    if (!result)
        result = padici_cuda_answer(cuda, cuda->api.cuDeviceTotalMem_v2(&total, cuda->device),
                                    "cuDeviceTotalMem", 0);
    if (!result) // 75, 76: compute capability
        result = padici_cuda_answer(
            cuda, cuda->api.cuDeviceGetAttribute(&major, 75, cuda->device), "cuDeviceGetAttribute",
            0);
    if (!result)
        result = padici_cuda_answer(
            cuda, cuda->api.cuDeviceGetAttribute(&minor, 76, cuda->device), "cuDeviceGetAttribute",
            0);
    if (result) return result;
    cuda->arch = major * 10 + minor;
    memcpy(info->vendor, "NVIDIA", 7);
    memcpy(info->platform, "CUDA", 5);
    padici_text_begin(&text, info->driver, sizeof info->driver);
    padici_text_add(&text, "CUDA ");
    padici_cuda_version_text(&text, cuda->driver);
    padici_text_begin(&text, info->arch, sizeof info->arch);
    padici_text_add(&text, "sm_");
    padici_text_number(&text, (uint64_t)(uint32_t)cuda->arch, 1);
    info->features = PADIC_FEATURE_F64 | PADIC_FEATURE_I64_ATOMICS | PADIC_FEATURE_SUBGROUPS;
    if (cuda->arch >= 70) info->features |= PADIC_FEATURE_PROGRESS;
    if (padici_cuda_has_graphs(&cuda->api)) info->features |= PADIC_FEATURE_RECORD;
    if (padici_cuda_has_events(&cuda->api)) info->features |= PADIC_FEATURE_TIME;
    info->compute_units = (uint32_t)padici_cuda_attribute(cuda, 16, cuda->device);
    info->max_group = (uint32_t)padici_cuda_attribute(cuda, 1, cuda->device);
    info->subgroup = (uint32_t)padici_cuda_attribute(cuda, 10, cuda->device);
    info->alignment = 256;
    info->memory = info->max_alloc = total;
    info->local_bytes = (uint64_t)(uint32_t)padici_cuda_attribute(cuda, 8, cuda->device);
    return PADIC_OK;
}

// The architectures NVRTC can compile for on this chip.
static void padici_nvrtc_archs(padici_cuda *cuda)
{
    const padici_nvrtc_api *api = &cuda->nvrtc;
    const int cubin = api->nvrtcGetCUBINSize && api->nvrtcGetCUBIN;
    int archs[128], count = 0, i;
    if (!api->nvrtcGetNumSupportedArchs || !api->nvrtcGetSupportedArchs) { // before 11.2
        cuda->exact = cubin && cuda->arch <= 86;
        cuda->virtual_arch = cuda->arch < 80 ? cuda->arch : 80;
        return;
    }
    if (api->nvrtcGetNumSupportedArchs(&count) || count < 1 || count > 128 ||
        api->nvrtcGetSupportedArchs(archs))
        return;
    for (i = 0; i < count; i++) {
        if (archs[i] == cuda->arch) cuda->exact = cubin;
        if (archs[i] <= cuda->arch && archs[i] > cuda->virtual_arch) cuda->virtual_arch = archs[i];
    }
}

static padic_result padici_cuda_no_compiler(padici_cuda *cuda, const char *why)
{
#ifdef PADIC_CUDA_PTX
    (void)cuda;
    (void)why;
    return PADIC_OK;
#else
    padici_text text;
    padici_cuda_say(cuda, &text);
    padici_text_add(&text, cuda->info.name);
    padici_text_add(&text, " is there, but kernels cannot be compiled for it: ");
    padici_text_add(&text, why);
    padici_text_add(&text, "; install a CUDA toolkit that fits, or build with PADIC_CUDA_PTX");
    return PADIC_ERROR_NO_DEVICE;
#endif
}

static padic_result padici_nvrtc_open(padici_cuda *cuda, const char *path)
{
#ifdef _WIN32
    static const char *const names[] = {"nvrtc64_130_0.dll", "nvrtc64_120_0.dll",
                                        "nvrtc64_112_0.dll", NULL};
#else
    static const char *const names[] = {"libnvrtc.so", "libnvrtc.so.13", "libnvrtc.so.12",
                                        "libnvrtc.so.11.2", NULL};
#endif
    void *library = padici_cuda_library_any(path, names, 0);
    if (!library) library = padici_nvrtc_below();
    if (!library) return padici_cuda_no_compiler(cuda, "NVRTC is not installed");
    if (padici_cuda_resolve(library, padici_nvrtc_symbols, &cuda->nvrtc) ||
        cuda->nvrtc.nvrtcVersion(&cuda->nvrtc_major, &cuda->nvrtc_minor))
        return padici_cuda_no_compiler(cuda, "the NVRTC found does not work");
    padici_nvrtc_archs(cuda);
    if (!cuda->exact && !cuda->virtual_arch)
        return padici_cuda_no_compiler(cuda, "the NVRTC found is too new for so old a chip");
    cuda->has_nvrtc = 1;
    return PADIC_OK;
}

PADICI_FN padic_result padici_cuda_open(const padic_env *env, const padic_device_desc *desc,
                                        padic_device **out)
{
    padici_cuda *cuda = (padici_cuda *)padici_alloc(env->allocator, sizeof *cuda, 16);
    padic_result result;
    *out = NULL;
    if (!cuda) {
        if (env->message_size) env->message[0] = 0;
        return PADIC_ERROR_MEMORY;
    }
    memset(cuda, 0, sizeof *cuda);
    cuda->env = *env;
    if (!env->message_size) {
        cuda->env.message = cuda->nothing;
        cuda->env.message_size = sizeof cuda->nothing;
    }
    result = padici_cuda_load_driver(cuda, desc->library_path);
    if (!result && desc->kernel_dir) {
        const size_t size = strlen(desc->kernel_dir) + 1;
        cuda->kernel_dir = (char *)padici_alloc(env->allocator, size, 16);
        if (cuda->kernel_dir) memcpy(cuda->kernel_dir, desc->kernel_dir, size);
        if (!cuda->kernel_dir)
            result = padici_cuda_fail(cuda, PADIC_ERROR_MEMORY, "out of host memory");
    }
    if (!result) result = padici_cuda_attach(cuda, desc);
    if (!result) result = padici_cuda_describe(cuda);
    if (!result) result = padici_nvrtc_open(cuda, desc->compiler_path);
    if (result) {
        const uint32_t lost = cuda->lost;
        padici_cuda_close((padic_device *)(void *)cuda);
        // It was already lost: an ordinary answer, so that the next backend or the CPU goes on.
        return lost ? PADIC_ERROR_NO_DEVICE : result;
    }
    cuda->is_open = 1;
    *out = (padic_device *)(void *)cuda;
    return PADIC_OK;
}

// Frees what was stored for the cache.
PADICI_FN void padici_cuda_forget(padici_cuda *cuda, padici_cuda_program *program)
{
    padici_free(cuda->env.allocator, program->image.data, program->image.size);
    padici_free(cuda->env.allocator, program->key, program->key ? strlen(program->key) + 1 : 0);
    program->image.data = NULL;
    program->key = NULL;
}

PADICI_FN void padici_cuda_drop_program(padici_cuda *cuda, padici_cuda_program *program)
{
    if (program->module) (void)cuda->api.cuModuleUnload(program->module);
    padici_cuda_forget(cuda, program);
    padici_free(cuda->env.allocator, program,
                sizeof *program + program->kernel_count * sizeof(void *));
}

PADICI_FN void padici_cuda_drop_recording(padici_cuda *cuda, padici_cuda_recording *recording)
{
    if (recording->made) (void)cuda->api.cuGraphExecDestroy(recording->made);
    padici_free(cuda->env.allocator, recording, sizeof *recording);
}

static void padici_cuda_drop_event(padici_cuda *cuda, void *event)
{
    if (event) (void)cuda->api.cuEventDestroy_v2(event);
}

PADICI_FN void padici_cuda_drop_ring(padici_cuda *cuda)
{
    padici_cuda_ring *ring = &cuda->ring;
    padici_cuda_drop_event(cuda, ring->events[0]);
    padici_cuda_drop_event(cuda, ring->events[1]);
    if (ring->memory) (void)cuda->api.cuMemFreeHost(ring->memory);
    memset(ring, 0, sizeof *ring);
}

PADICI_FN void padici_cuda_drop_copies(padici_cuda *cuda)
{
    padici_cuda_copies *copies = &cuda->copies;
    uint32_t i;
    padici_cuda_drop_event(cuda, copies->ready);
    for (i = 0; i < PADIC_FETCH_SLOTS; i++) padici_cuda_drop_event(cuda, copies->done[i]);
    if (copies->stream) (void)cuda->api.cuStreamDestroy_v2(copies->stream);
    memset(copies, 0, sizeof *copies);
}

static void padici_cuda_drop_clock(padici_cuda *cuda)
{
    padici_cuda_clock *clock = &cuda->clock;
    uint32_t i;
    for (i = 0; i < clock->count; i++) padici_cuda_drop_event(cuda, clock->events[i]);
    padici_cuda_drop_event(cuda, clock->base);
    padici_cuda_drop_event(cuda, clock->spare);
    padici_free(cuda->env.allocator, clock->events, clock->count * sizeof *clock->events);
    padici_free(cuda->env.allocator, clock->sequence, clock->count * sizeof *clock->sequence);
}

// Also closes a half-opened or a lost device: for the latter the driver's results do not matter,
// and releasing the primary context frees the rest.
PADICI_FN void padici_cuda_close(padic_device *device)
{
    padici_cuda *cuda = (padici_cuda *)(void *)device;
    const padic_allocator *allocator = cuda->env.allocator;
    void *popped = NULL;
    const int pushed = cuda->context && !cuda->api.cuCtxPushCurrent_v2(cuda->context);
    if (cuda->recording) padici_cuda_abandon(cuda);
    if (pushed && cuda->stream && !cuda->lost) (void)cuda->api.cuStreamSynchronize(cuda->stream);
    while (cuda->recordings) {
        padici_cuda_recording *recording = cuda->recordings;
        cuda->recordings = recording->next;
        padici_cuda_drop_recording(cuda, recording);
    }
    while (cuda->programs) {
        padici_cuda_program *program = cuda->programs;
        cuda->programs = program->next;
        padici_cuda_drop_program(cuda, program);
    }
    padici_cuda_drop_clock(cuda);
    padici_cuda_drop_ring(cuda);
    padici_cuda_drop_copies(cuda);
    if (cuda->own_stream) (void)cuda->api.cuStreamDestroy_v2(cuda->stream);
    if (pushed) (void)cuda->api.cuCtxPopCurrent_v2(&popped);
    if (cuda->retained) (void)cuda->api.cuDevicePrimaryCtxRelease_v2(cuda->device);
    padici_free(allocator, cuda->kernel_dir, cuda->kernel_dir ? strlen(cuda->kernel_dir) + 1 : 0);
    padici_free(allocator, cuda, sizeof *cuda);
}

PADICI_FN void padici_cuda_info(padic_device *device, padic_device_info *info)
{
    *info = ((padici_cuda *)(void *)device)->info;
}

#endif
