// ---- the choice

// A text of the driver's, cut to fit, without spaces around it. "" when it has none.
static void padici_cl_trim(char *words)
{
    char *from = words;
    size_t length;
    while (*from == ' ') from++;
    length = strlen(from);
    while (length && from[length - 1] == ' ') length--;
    memmove(words, from, length);
    words[length] = 0;
}

static void padici_cl_device_text(const padici_cl *cl, padici_cl_device device, uint32_t what,
                                  char *out, size_t size)
{
    char space[512]; // drivers refuse to fill less than they have
    size_t length = 0;
    memset(space, 0, sizeof space);
    out[0] = 0;
    if ((*cl->api.GetDeviceInfo)(device, what, sizeof space - 1, space, &length)) return;
    padici_cl_trim(space);
    length = strlen(space);
    if (length > size - 1) length = size - 1;
    memcpy(out, space, length);
    out[length] = 0;
}

static void padici_cl_platform_text(const padici_cl *cl, uint32_t what, char *out, size_t size)
{
    char space[512];
    size_t length = 0;
    memset(space, 0, sizeof space);
    out[0] = 0;
    if ((*cl->api.GetPlatformInfo)(cl->platform, what, sizeof space - 1, space, &length)) return;
    padici_cl_trim(space);
    length = strlen(space);
    if (length > size - 1) length = size - 1;
    memcpy(out, space, length);
    out[length] = 0;
}

// A number of the driver's, of 4 or 8 bytes (size_t, cl_uint, cl_ulong); 0 when it has none.
static uint64_t padici_cl_device_number(const padici_cl *cl, padici_cl_device device, uint32_t what)
{
    unsigned char space[8];
    size_t size = 0;
    uint32_t word;
    uint64_t number;
    memset(space, 0, sizeof space);
    if ((*cl->api.GetDeviceInfo)(device, what, sizeof space, space, &size)) return 0;
    memcpy(&word, space, 4);
    memcpy(&number, space, 8);
    return size == 8 ? number : size == 4 ? word : 0;
}

static int padici_cl_has_extension(const padici_cl *cl, padici_cl_device device, const char *name)
{
    const size_t length = strlen(name);
    size_t size = 0;
    char *words, *at;
    int found = 0;
    if ((*cl->api.GetDeviceInfo)(device, PADICI_CL_DEVICE_EXTENSIONS, 0, NULL, &size) || !size)
        return 0;
    words = (char *)padici_alloc(cl->env.allocator, size + 1, 1);
    if (!words) return 0;
    memset(words, 0, size + 1);
    if (!(*cl->api.GetDeviceInfo)(device, PADICI_CL_DEVICE_EXTENSIONS, size, words, NULL))
        for (at = strstr(words, name); at && !found; at = strstr(at + 1, name))
            found = (at == words || at[-1] == ' ') && (at[length] == ' ' || !at[length]);
    padici_free(cl->env.allocator, words, size + 1);
    return found;
}

// Why a device cannot serve; NULL when it can.
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

typedef struct padici_cl_candidate {
    padici_cl_device device;
    padici_cl_platform platform;
    uint64_t memory;
    uint32_t rank; // the lower the better
} padici_cl_candidate;

typedef struct padici_cl_choice {
    const padic_device_desc *desc;
    uint32_t any_type;  // the caller said which device, so CPUs serve
    uint32_t count, seen;
    const char *unfit;  // why the last one that was refused was
    padici_cl_candidate list[PADICI_CL_DEVICES_MAX]; // best first
} padici_cl_choice;

// Adds a device to the list if it can serve and its name matches.
static void padici_cl_offer(const padici_cl *cl, padici_cl_choice *choice,
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
    for (i = choice->count++; i > 0; i--) { // behind its equals, so in the driver's order
        const padici_cl_candidate *before = &choice->list[i - 1];
        if (before->rank < c.rank || (before->rank == c.rank && before->memory >= c.memory)) break;
        choice->list[i] = *before;
    }
    choice->list[i] = c;
}

static padic_result padici_cl_pick(padici_cl *cl, const padici_cl_choice *choice)
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
static padic_result padici_cl_choose(padici_cl *cl, padici_cl_choice *choice)
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

static padici_cl_platform padici_cl_platform_of(const padici_cl *cl, padici_cl_device device)
{
    padici_cl_platform platform = NULL;
    if ((*cl->api.GetDeviceInfo)(device, PADICI_CL_DEVICE_PLATFORM, sizeof platform, &platform,
                                 NULL))
        return NULL;
    return platform;
}

// One of the devices of the engine's context.
static padic_result padici_cl_choose_in_context(padici_cl *cl, padici_cl_choice *choice)
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
static padic_result padici_cl_adopt_queue(padici_cl *cl, const padic_device_desc *desc,
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

// Device, context and queue: the engine's where it gave them, else our own.
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

// What the device is; a query that fails leaves its field at 0, unknown.
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

// The end of a marker put behind everything, by the device's clock; 0 when it gives none.
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

// Whether the clock can be trusted: it must move. (rusticl's stands; Apple's is off by 125/3 on
// some chips.)
static void padici_cl_try_clock(padici_cl *cl)
{
    uint64_t first = 0;
    if (!(cl->info.features & PADIC_FEATURE_TIME)) return;
    if (!strstr(cl->info.platform, "Apple")) first = padici_cl_now(cl);
    if (!first || padici_cl_now(cl) <= first) cl->info.features &= ~(uint32_t)PADIC_FEATURE_TIME;
}

static void padici_cl_end(padici_cl *cl) // what has been made, in whatever state
{
    const padic_allocator *allocator = cl->env.allocator;
    if (cl->queue) (void)(*cl->api.ReleaseCommandQueue)(cl->queue);
    if (cl->context) (void)(*cl->api.ReleaseContext)(cl->context);
    if (cl->kernel_dir) padici_free(allocator, cl->kernel_dir, strlen(cl->kernel_dir) + 1);
    padici_free(allocator, cl, sizeof *cl);
}

static padic_result padici_cl_open(const padic_env *env, const padic_device_desc *desc,
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

static void padici_cl_info(padic_device *device, padic_device_info *info)
{
    *info = ((padici_cl *)(void *)device)->info;
}

