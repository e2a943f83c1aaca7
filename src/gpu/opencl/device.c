#include "device.h"
#include "../../core/log.h"
#include "../../core/memory.h"
#include "choice.h"
#include "errors.h"
#include "queries.h"
#include "../texts.h"
#include "loader.h"

#if PADICI_IMPLEMENT_OPENCL

// Opens, describes and closes a device with its context and queue.

// Device, context and queue: the engine's where given, otherwise our own.
static padic_result padici_cl_begin(padici_cl *cl, const padic_device_desc *desc)
{
    padici_cl_choice choice;
    intptr_t properties[3] = {PADICI_CL_CONTEXT_PLATFORM, 0, 0};
    padic_result result;
    int32_t code = 0;
    choice.desc = desc;
    choice.any_type = (desc->flags & PADIC_DEVICE_ALLOW_CPU) || desc->name ||
                      desc->native_context || desc->native_device;
    choice.count = choice.seen = 0;
    choice.unfit = NULL;
    if (desc->native_queue) return padici_cl_adopt_queue(cl, desc, &choice);
    if (desc->native_context) {
        padici_cl_context context = (padici_cl_context)desc->native_context;
        code = (*cl->api.RetainContext)(context);
        if (code) return padici_cl_check(cl, "clRetainContext", code);
        cl->context = context;
        result = padici_cl_choose_in_context(cl, &choice);
    } else if (desc->native_device) {
        padici_cl_device device = (padici_cl_device)desc->native_device;
        padici_cl_offer(cl, &choice, padici_cl_platform_of(cl, device), device);
        result = padici_cl_pick(cl, &choice);
    } else {
        result = padici_cl_choose(cl, &choice);
    }
    if (result) return result;
    if (!cl->context) {
        properties[1] = (intptr_t)cl->platform;
        cl->context = (*cl->api.CreateContext)(properties, 1, &cl->device, NULL, NULL, &code);
        if (code) return padici_cl_check(cl, "clCreateContext", code);
    }
    cl->queue = (*cl->api.CreateCommandQueue)(cl->context, cl->device, PADICI_CL_QUEUE_PROFILING,
                                              &code);
    if (code) {
        cl->queue = NULL;
        return padici_cl_check(cl, "clCreateCommandQueue", code);
    }
    return PADIC_OK;
}

static void padici_cl_arch(padici_cl *cl)
{
    padic_device_info *info = &cl->info;
    padici_text text;
    if (strstr(info->vendor, "NVIDIA")) {
        padici_text_begin(&text, info->arch, sizeof info->arch);
        padici_text_add(&text, "sm_");
        padici_text_number(
            &text, padici_cl_device_number(cl, cl->device, PADICI_CL_DEVICE_NV_MAJOR), 1);
        padici_text_number(
            &text, padici_cl_device_number(cl, cl->device, PADICI_CL_DEVICE_NV_MINOR), 1);
        info->subgroup =
            (uint32_t)padici_cl_device_number(cl, cl->device, PADICI_CL_DEVICE_NV_WARP);
    } else if (strstr(info->vendor, "Advanced Micro Devices")) {
        uint32_t i; // the name is "gfx942:sramecc+:xnack-"
        if (!strncmp(info->name, "gfx", 3))
            for (i = 0; i + 1 < sizeof info->arch && info->name[i] && info->name[i] != ':'; i++)
                info->arch[i] = info->name[i];
        info->subgroup =
            (uint32_t)padici_cl_device_number(cl, cl->device, PADICI_CL_DEVICE_AMD_WAVE);
    }
}

// Describes the device; a failed query leaves its field 0, unknown.
static void padici_cl_describe(padici_cl *cl)
{
    padic_device_info *info = &cl->info;
    padici_cl_device d = cl->device;
    uint64_t group = padici_cl_device_number(cl, d, PADICI_CL_DEVICE_GROUP_SIZE);
    padici_cl_device_text(cl, d, PADICI_CL_DEVICE_NAME, info->name, sizeof info->name);
    padici_cl_device_text(cl, d, PADICI_CL_DEVICE_VENDOR, info->vendor, sizeof info->vendor);
    padici_cl_device_text(cl, d, PADICI_CL_DEVICE_DRIVER, info->driver, sizeof info->driver);
    padici_cl_platform_text(cl, PADICI_CL_PLATFORM_NAME, info->platform, sizeof info->platform);
    padici_cl_platform_text(cl, PADICI_CL_PLATFORM_VERSION, cl->compiler, sizeof cl->compiler);
    if (padici_cl_has_extension(cl, d, "cl_khr_fp64")) info->features |= PADIC_FEATURE_F64;
    if (padici_cl_has_extension(cl, d, "cl_khr_int64_base_atomics"))
        info->features |= PADIC_FEATURE_I64_ATOMICS;
    if (padici_cl_device_number(cl, d, PADICI_CL_DEVICE_UNIFIED))
        info->features |= PADIC_FEATURE_UNIFIED;
    info->features |= PADIC_FEATURE_RECORD;
    info->compute_units =
        (uint32_t)padici_cl_device_number(cl, d, PADICI_CL_DEVICE_COMPUTE_UNITS);
    info->max_group = group > 0xffffffffu ? 0xffffffffu : (uint32_t)group;
    info->alignment = (uint32_t)padici_cl_device_number(cl, d, PADICI_CL_DEVICE_ALIGN_BITS) / 8;
    info->memory = padici_cl_device_number(cl, d, PADICI_CL_DEVICE_MEMORY);
    info->max_alloc = padici_cl_device_number(cl, d, PADICI_CL_DEVICE_MAX_ALLOC);
    info->local_bytes = padici_cl_device_number(cl, d, PADICI_CL_DEVICE_LOCAL);
    padici_cl_arch(cl);
    cl->polls = strstr(info->vendor, "NVIDIA") != NULL;
}

// The device time of the end of a marker after all work; 0 if there is none.
static uint64_t padici_cl_now(padici_cl *cl)
{
    padici_cl_event event = NULL;
    uint64_t now = 0;
    if ((*cl->api.EnqueueMarkerWithWaitList)(cl->queue, 0, NULL, &event)) return 0;
    if ((*cl->api.Finish)(cl->queue) ||
        (*cl->api.GetEventProfilingInfo)(event, PADICI_CL_PROFILING_END, sizeof now, &now, NULL))
        now = 0;
    (void)(*cl->api.ReleaseEvent)(event);
    return now;
}

// 1 if the clock can be trusted: it must advance. (rusticl's stands still; Apple's is off by 125/3
// on some chips.)
static void padici_cl_try_clock(padici_cl *cl)
{
    uint64_t first = 0;
    if (!(cl->info.features & PADIC_FEATURE_TIME)) return;
    if (!strstr(cl->info.platform, "Apple")) first = padici_cl_now(cl);
    if (!first || padici_cl_now(cl) <= first) cl->info.features &= ~(uint32_t)PADIC_FEATURE_TIME;
}

PADICI_FN void padici_cl_end(padici_cl *cl) // frees whatever has been created
{
    const padic_allocator *allocator = cl->env.allocator;
    if (cl->queue) (void)(*cl->api.ReleaseCommandQueue)(cl->queue);
    if (cl->context) (void)(*cl->api.ReleaseContext)(cl->context);
    if (cl->kernel_dir) padici_free(allocator, cl->kernel_dir, strlen(cl->kernel_dir) + 1);
    padici_free(allocator, cl, sizeof *cl);
}

PADICI_FN padic_result padici_cl_open(const padic_env *env, const padic_device_desc *desc,
                                      padic_device **out)
{
    padici_cl *cl = (padici_cl *)padici_alloc(env->allocator, sizeof *cl, 16);
    padic_result result;
    *out = NULL;
    if (!cl) return PADIC_ERROR_MEMORY;
    memset(cl, 0, sizeof *cl);
    cl->env = *env;
    cl->batch = 1;
    cl->info.features = PADIC_FEATURE_TIME;
    result = padici_cl_load(cl, desc);
    if (!result && desc->kernel_dir) {
        const size_t size = strlen(desc->kernel_dir) + 1;
        cl->kernel_dir = (char *)padici_alloc(env->allocator, size, 1);
        if (cl->kernel_dir) memcpy(cl->kernel_dir, desc->kernel_dir, size);
        if (!cl->kernel_dir) result = padici_cl_no_memory(cl);
    }
    if (!result) result = padici_cl_begin(cl, desc);
    if (result) {
        padici_cl_end(cl);
        return result;
    }
    padici_cl_describe(cl);
    padici_cl_try_clock(cl);
    *out = (padic_device *)(void *)cl;
    return PADIC_OK;
}

PADICI_FN void padici_cl_info(padic_device *device, padic_device_info *info)
{
    *info = ((padici_cl *)(void *)device)->info;
}

#endif
