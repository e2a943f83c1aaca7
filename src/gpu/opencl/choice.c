#include "choice.h"
#include "errors.h"
#include "queries.h"
#include "../texts.h"

#if PADICI_IMPLEMENT_OPENCL

// Chooses the device, of the machine or of the engine.

// The reason why a device is unsuitable, or NULL.
static const char *padici_cl_unfit(const padici_cl *cl, padici_cl_device device)
{
    const int little = padici_cl_device_number(cl, device, PADICI_CL_DEVICE_LITTLE) != 0;
    char text[64];
    if (!padici_cl_device_number(cl, device, PADICI_CL_DEVICE_AVAILABLE)) return "not available";
    if (!padici_cl_device_number(cl, device, PADICI_CL_DEVICE_COMPILER)) return "without compiler";
    if (little == PADICI_BIG_ENDIAN) return "of another byte order";
    padici_cl_device_text(cl, device, PADICI_CL_DEVICE_PROFILE, text, sizeof text);
    if (strcmp(text, "FULL_PROFILE")) return "of the embedded profile";
    padici_cl_device_text(cl, device, PADICI_CL_DEVICE_VERSION, text, sizeof text);
    if (strlen(text) < 10 || text[7] < '1' || text[7] > '9' || (text[7] == '1' && text[9] < '2'))
        return "older than OpenCL 1.2"; // the text is "OpenCL 1.2 ..."
#ifdef __APPLE__
    if (padici_cl_device_number(cl, device, PADICI_CL_DEVICE_TYPE) & PADICI_CL_TYPE_CPU)
        return "Apple's CPU device, which allows one item a group";
#endif
    return NULL;
}

// Adds a device to the list if it is suitable and its name matches.
PADICI_FN void padici_cl_offer(const padici_cl *cl, padici_cl_choice *choice,
                               padici_cl_platform platform, padici_cl_device device)
{
    const uint64_t type = padici_cl_device_number(cl, device, PADICI_CL_DEVICE_TYPE);
    const char *unfit = padici_cl_unfit(cl, device);
    padici_cl_candidate c;
    char name[256];
    uint32_t i;
    choice->seen++;
    if (unfit) {
        choice->unfit = unfit;
        return;
    }
    padici_cl_device_text(cl, device, PADICI_CL_DEVICE_NAME, name, sizeof name);
    if (choice->desc->name && !strstr(name, choice->desc->name)) return;
    c.device = device;
    c.platform = platform;
    c.memory = padici_cl_device_number(cl, device, PADICI_CL_DEVICE_MEMORY);
    if (type & PADICI_CL_TYPE_GPU)
        c.rank = padici_cl_device_number(cl, device, PADICI_CL_DEVICE_UNIFIED) ? 1 : 0;
    else if (type & PADICI_CL_TYPE_ACCELERATOR)
        c.rank = 2;
    else if (choice->any_type)
        c.rank = 3;
    else
        return;
    if (choice->count == PADICI_CL_DEVICES_MAX) return;
    for (i = choice->count++; i > 0; i--) { // after its equals, so in the driver's order
        const padici_cl_candidate *before = &choice->list[i - 1];
        if (before->rank < c.rank || (before->rank == c.rank && before->memory >= c.memory)) break;
        choice->list[i] = *before;
    }
    choice->list[i] = c;
}

PADICI_FN padic_result padici_cl_pick(padici_cl *cl, const padici_cl_choice *choice)
{
    if (choice->desc->index < choice->count) {
        cl->device = choice->list[choice->desc->index].device;
        cl->platform = choice->list[choice->desc->index].platform;
        return PADIC_OK;
    }
    if (!choice->seen)
        return padici_cl_say(cl, PADIC_ERROR_NO_DEVICE, "no platform has a device", "");
    if (choice->count)
        return padici_cl_say(cl, PADIC_ERROR_NO_DEVICE, "fewer devices match than `index` asks for",
                             "");
    if (choice->desc->name)
        return padici_cl_say(cl, PADIC_ERROR_NO_DEVICE, "no device that can serve is called ",
                             choice->desc->name);
    if (choice->unfit)
        return padici_cl_say(cl, PADIC_ERROR_NO_DEVICE, "no GPU; a device is ", choice->unfit);
    return padici_cl_say(cl, PADIC_ERROR_NO_DEVICE,
                         "only CPU devices, slower than the CPU itself (PADIC_DEVICE_ALLOW_CPU)",
                         "");
}

// Any device of the machine.
PADICI_FN padic_result padici_cl_choose(padici_cl *cl, padici_cl_choice *choice)
{
    padici_cl_platform platforms[16];
    padici_cl_device devices[16];
    uint32_t platform_count = 0, p, d;
    int32_t code = (*cl->api.GetPlatformIDs)(16, platforms, &platform_count);
    if (code == PADICI_CL_NO_PLATFORM || (!code && !platform_count))
        return padici_cl_say(cl, PADIC_ERROR_NO_DEVICE,
                             "there is a loader but no driver (no platform)", "");
    if (code) return padici_cl_check(cl, "clGetPlatformIDs", code);
    for (p = 0; p < platform_count && p < 16; p++) {
        uint32_t count = 0; // -1 is ordinary: a platform without a device
        code = (*cl->api.GetDeviceIDs)(platforms[p], 0xffffffffu, 16, devices, &count);
        for (d = 0; !code && d < count && d < 16; d++)
            padici_cl_offer(cl, choice, platforms[p], devices[d]);
    }
    return padici_cl_pick(cl, choice);
}

PADICI_FN padici_cl_platform padici_cl_platform_of(const padici_cl *cl, padici_cl_device device)
{
    padici_cl_platform platform = NULL;
    if ((*cl->api.GetDeviceInfo)(device, PADICI_CL_DEVICE_PLATFORM, sizeof platform, &platform,
                                 NULL))
        return NULL;
    return platform;
}

// One of the devices of the engine's context.
PADICI_FN padic_result padici_cl_choose_in_context(padici_cl *cl, padici_cl_choice *choice)
{
    padici_cl_device devices[PADICI_CL_DEVICES_MAX];
    size_t size = 0, d;
    int32_t code = (*cl->api.GetContextInfo)(cl->context, PADICI_CL_CONTEXT_DEVICES, sizeof devices,
                                             devices, &size);
    if (code) return padici_cl_check(cl, "clGetContextInfo", code);
    for (d = 0; d < size / sizeof devices[0]; d++)
        if (!choice->desc->native_device ||
            devices[d] == (padici_cl_device)choice->desc->native_device)
            padici_cl_offer(cl, choice, padici_cl_platform_of(cl, devices[d]), devices[d]);
    if (choice->desc->native_device && !choice->seen)
        return padici_cl_say(cl, PADIC_ERROR_ARGUMENT,
                             "native_device is not a device of native_context", "");
    return padici_cl_pick(cl, choice);
}

// Context and device of the engine's queue, which must be in order.
PADICI_FN padic_result padici_cl_adopt_queue(padici_cl *cl, const padic_device_desc *desc,
                                             padici_cl_choice *choice)
{
    padici_cl_queue queue = (padici_cl_queue)desc->native_queue;
    padici_cl_context context = NULL;
    padici_cl_device device = NULL;
    uint64_t properties = 0;
    int32_t code = (*cl->api.GetCommandQueueInfo)(queue, PADICI_CL_QUEUE_CONTEXT, sizeof context,
                                                  &context, NULL);
    if (!code)
        code = (*cl->api.GetCommandQueueInfo)(queue, PADICI_CL_QUEUE_DEVICE, sizeof device, &device,
                                              NULL);
    if (!code)
        code = (*cl->api.GetCommandQueueInfo)(queue, PADICI_CL_QUEUE_PROPERTIES, sizeof properties,
                                              &properties, NULL);
    if (code) return padici_cl_check(cl, "clGetCommandQueueInfo", code);
    if (properties & PADICI_CL_QUEUE_OUT_OF_ORDER)
        return padici_cl_say(cl, PADIC_ERROR_ARGUMENT, "native_queue is out of order", "");
    if ((desc->native_context && (padici_cl_context)desc->native_context != context) ||
        (desc->native_device && (padici_cl_device)desc->native_device != device))
        return padici_cl_say(cl, PADIC_ERROR_ARGUMENT,
                             "native_queue belongs to another context or device", "");
    code = (*cl->api.RetainContext)(context);
    if (code) return padici_cl_check(cl, "clRetainContext", code);
    cl->context = context;
    code = (*cl->api.RetainCommandQueue)(queue);
    if (code) return padici_cl_check(cl, "clRetainCommandQueue", code);
    cl->queue = queue;
    if (!(properties & PADICI_CL_QUEUE_PROFILING))
        cl->info.features &= ~(uint32_t)PADIC_FEATURE_TIME;
    choice->seen = 1;
    choice->unfit = padici_cl_unfit(cl, device);
    if (choice->unfit)
        return padici_cl_say(cl, PADIC_ERROR_NO_DEVICE, "the queue's device is ", choice->unfit);
    cl->device = device;
    cl->platform = padici_cl_platform_of(cl, device);
    return PADIC_OK;
}

#endif
