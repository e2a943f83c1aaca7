// -------------------------------------------------------------------------------------- >>device

#define PADICI_CUDA_RING (UINT64_C(4) << 20) // bytes of one of the two halves
#define PADICI_CUDA_SLOTS 65536u             // time stamps

typedef struct padici_cuda_image { // of the environment's allocator
    void *data;
    size_t size;
    uint32_t kind; // PADICI_CACHE_CUBIN, PADICI_CACHE_PTX
} padici_cuda_image;

typedef struct padici_cuda_program {
    struct padici_cuda_program *next;
    void *module;
    uint32_t program, kernel_count;
    uint32_t dynamic;        // bytes of local memory that each launch asks for: PD_DYNAMIC_BYTES
    padici_cuda_image image; // kept with its key for the cache, until keep()
    char *key;
} padici_cuda_program; // then void *functions[kernel_count], NULL for a kernel this variant lacks

typedef struct padici_cuda_recording {
    struct padici_cuda_recording *next;
    void *made; // CUgraphExec
} padici_cuda_recording;

// Pinned memory that uploads pass through: their source is free when the call returns, and the
// queue runs on. One half fills while the other's copies end.
typedef struct padici_cuda_ring {
    char *memory;
    uint64_t used; // of the half in use
    uint32_t half, busy[2];
    void *events[2];
} padici_cuda_ring;

// Stamps are events; times count from a base event, which moves on so that a float of milliseconds
// stays exact.
typedef struct padici_cuda_clock {
    void **events;
    uint64_t *sequence; // when it was stamped; 0: never
    uint32_t count, last;
    uint64_t stamps, base_sequence, base_ns;
    void *base, *spare;
} padici_cuda_clock;

typedef struct padici_cuda { // what a padic_device of this backend is
    padic_env env;
    char nothing[8]; // the message, when the environment has no room for one
    padici_cuda_api api;
    padici_nvrtc_api nvrtc;
    uint32_t is_open, has_nvrtc, retained, own_stream, lost;
    int device, driver, arch; // arch 90: compute capability 9.0
    int nvrtc_major, nvrtc_minor;
    int exact, virtual_arch; // NVRTC compiles for this chip; the best compute_ it has for it
    void *context, *stream;
    char *kernel_dir; // a copy
    padic_device_info info;
    padici_cuda_program *programs;
    padici_cuda_recording *recordings, *recording; // recording: open now
    padici_cuda_ring ring;
    padici_cuda_clock clock;
    uint32_t last_op;
} padici_cuda;

static void **padici_cuda_functions(padici_cuda_program *program)
{
    return (void **)(void *)(program + 1);
}

// Sentences.

static void padici_cuda_say(padici_cuda *cuda, padici_text *text)
{
    padici_text_begin(text, cuda->env.message, cuda->env.message_size);
    padici_text_add(text, "cuda: ");
}

static padic_result padici_cuda_fail(padici_cuda *cuda, padic_result result, const char *sentence)
{
    padici_text text;
    padici_cuda_say(cuda, &text);
    padici_text_add(&text, sentence);
    return result;
}

// Answers after which the driver's context is gone for good.
static int padici_cuda_is_lost(int error)
{
    return error == 700 || error == 702 || error == 710 || (error >= 714 && error <= 719) ||
           error == 999;
}

static void padici_cuda_say_memory(padici_cuda *cuda, padici_text *text, uint64_t asked)
{
    size_t idle = 0, total = 0;
    padici_text_add(text, "; out of device memory");
    if (asked) {
        padici_text_add(text, ": ");
        padici_text_number(text, asked, 1);
        padici_text_add(text, " bytes asked for");
    }
    if (asked && cuda->api.cuMemGetInfo_v2 && !cuda->api.cuMemGetInfo_v2(&idle, &total)) {
        padici_text_add(text, ", ");
        padici_text_number(text, idle, 1);
        padici_text_add(text, " of ");
        padici_text_number(text, total, 1);
        padici_text_add(text, " free");
    }
}

static const char *padici_cuda_op_name(uint32_t op)
{
    return op > PADIC_OP_NONE && op < PADIC_OP_COUNT ? padici_op_rows[op].name : "a launch";
}

// What an answer of the driver means, with a sentence. `asked`: the bytes of an allocation, or 0.
static padic_result padici_cuda_answer(padici_cuda *cuda, int error, const char *call,
                                       uint64_t asked)
{
    padici_text text;
    const char *name = NULL;
    if (!error) return PADIC_OK;
    padici_cuda_say(cuda, &text);
    padici_text_add(&text, call);
    padici_text_add(&text, " answered ");
    padici_text_number(&text, (uint64_t)(uint32_t)error, 1);
    if (cuda->api.cuGetErrorName && !cuda->api.cuGetErrorName(error, &name) && name) {
        padici_text_add(&text, " (");
        padici_text_add(&text, name);
        padici_text_add(&text, ")");
    }
    if (error == 2) {
        padici_cuda_say_memory(cuda, &text, asked);
        return PADIC_ERROR_MEMORY;
    }
    if (padici_cuda_is_lost(error)) {
        cuda->lost = 1;
        if (cuda->is_open) {
            padici_text_add(&text, "; the device is lost after ");
            padici_text_add(&text, padici_cuda_op_name(cuda->last_op));
            padici_text_add(&text, ": run it under compute-sanitizer to see why");
        } else {
            padici_text_add(&text, "; an earlier fault has spoilt CUDA for this process");
        }
        return PADIC_ERROR_DEVICE_LOST;
    }
    if (error >= 900 && error <= 908)
        padici_text_add(&text, "; the capture of the stream forbids it or is broken");
    return PADIC_ERROR_DEVICE;
}

// Every entry point pushes the context and pops it again: enter, then leave with the result.
static padic_result padici_cuda_enter(padici_cuda *cuda)
{
    if (cuda->lost)
        return padici_cuda_fail(cuda, PADIC_ERROR_DEVICE_LOST,
                                "the device is lost: make a new context");
    return padici_cuda_answer(cuda, cuda->api.cuCtxPushCurrent_v2(cuda->context),
                              "cuCtxPushCurrent", 0);
}

static padic_result padici_cuda_leave(padici_cuda *cuda, padic_result result)
{
    void *popped = NULL;
    (void)cuda->api.cuCtxPopCurrent_v2(&popped);
    return result;
}

// Calls that would break a capture are refused before the driver sees them.
static padic_result padici_cuda_no_capture(padici_cuda *cuda, const char *call)
{
    padici_text text;
    int status = 0;
    if (!cuda->recording && !cuda->own_stream && cuda->api.cuStreamIsCapturing &&
        cuda->api.cuStreamIsCapturing(cuda->stream, &status))
        status = 0; // the legacy stream while others capture: the call itself will say so
    if (!cuda->recording && !status) return PADIC_OK;
    padici_cuda_say(cuda, &text);
    padici_text_add(&text, "no ");
    padici_text_add(&text, call);
    padici_text_add(&text, cuda->recording ? " while a recording is open"
                                           : " while the engine captures its stream");
    return PADIC_ERROR_ARGUMENT;
}

static padic_result padici_cuda_enter_idle(padici_cuda *cuda, const char *call)
{
    padic_result result = padici_cuda_enter(cuda);
    if (result) return result;
    result = padici_cuda_no_capture(cuda, call);
    return result ? padici_cuda_leave(cuda, result) : PADIC_OK;
}

// Opening.

static padic_result padici_cuda_no_driver(padici_cuda *cuda, int error)
{
    const char *why = "no NVIDIA driver is installed";
    switch (error) {
    case -1: break;
    case 34: why = "the toolkit's stub library was found instead of the driver"; break;
    case 100: why = "there is a driver, but no device is visible (CUDA_VISIBLE_DEVICES?)"; break;
    case 803:
        why = "the driver library does not fit the kernel module: reboot after the driver's update";
        break;
    case 804:
        why = "the CUDA compatibility package does not fit this driver or GPU: update the driver";
        break;
    case 999: why = "the driver cannot start (999): is its kernel module loaded?"; break;
    default: return padici_cuda_answer(cuda, error, "cuInit", 0);
    }
    return padici_cuda_fail(cuda, PADIC_ERROR_NO_DEVICE, why);
}

static padic_result padici_cuda_load_driver(padici_cuda *cuda, const char *path)
{
#ifdef _WIN32
    static const char *const names[] = {"nvcuda.dll", NULL};
#else
    static const char *const names[] = {"libcuda.so.1", "libcuda.so", NULL};
#endif
    void *library = padici_cuda_library_any(path, names, 1);
    const char *missing;
    int error;
    if (!library) return padici_cuda_no_driver(cuda, -1);
    missing = padici_cuda_resolve(library, padici_cuda_symbols, &cuda->api);
    if (missing) {
        padici_text text;
        padici_cuda_say(cuda, &text);
        padici_text_add(&text, "the driver is too old: it has no ");
        padici_text_add(&text, missing);
        return PADIC_ERROR_NO_DEVICE;
    }
    error = cuda->api.cuInit(0);
    if (error) return padici_cuda_no_driver(cuda, error);
    return padici_cuda_answer(cuda, cuda->api.cuDriverGetVersion(&cuda->driver),
                              "cuDriverGetVersion", 0);
}

static int padici_cuda_attribute(padici_cuda *cuda, int attribute, int device)
{
    int value = 0;
    return cuda->api.cuDeviceGetAttribute(&value, attribute, device) ? 0 : value;
}

// Part of a name, whatever the case of its letters. Empty or NULL matches.
static int padici_cuda_name_has(const char *name, const char *part)
{
    size_t i;
    if (!part || !*part) return 1;
    for (; *name; name++) {
        for (i = 0; part[i]; i++) {
            const char a = name[i], b = part[i];
            if ((a >= 'A' && a <= 'Z' ? a + 32 : a) != (b >= 'A' && b <= 'Z' ? b + 32 : b)) break;
        }
        if (!part[i]) return 1;
    }
    return 0;
}

// Multiprocessors times clock; 0 for a device that forbids contexts or is not asked for.
static uint64_t padici_cuda_score(padici_cuda *cuda, int ordinal, const char *name)
{
    char own[64];
    int device = 0;
    if (cuda->api.cuDeviceGet(&device, ordinal)) return 0;
    memset(own, 0, sizeof own);
    if (cuda->api.cuDeviceGetName(own, (int)sizeof own - 1, device)) return 0;
    if (!padici_cuda_name_has(own, name)) return 0;
    if (padici_cuda_attribute(cuda, 20, device) == 2) return 0; // compute mode: prohibited
    return 1 + (uint64_t)(uint32_t)padici_cuda_attribute(cuda, 16, device) *
                   (1 + (uint64_t)(uint32_t)padici_cuda_attribute(cuda, 13, device));
}

// The index-th best of the devices that match.
static padic_result padici_cuda_choose(padici_cuda *cuda, const padic_device_desc *desc)
{
    int count = 0, i, best = -1, last = -1;
    uint64_t ceiling = UINT64_MAX; // score of the one before
    uint32_t turn;
    padic_result result =
        padici_cuda_answer(cuda, cuda->api.cuDeviceGetCount(&count), "cuDeviceGetCount", 0);
    if (result) return result;
    for (turn = 0; turn <= desc->index; turn++) {
        uint64_t top = 0;
        best = -1;
        for (i = 0; i < count; i++) {
            const uint64_t score = padici_cuda_score(cuda, i, desc->name);
            if (score > ceiling || (score == ceiling && i <= last) || score <= top) continue;
            top = score;
            best = i;
        }
        if (best < 0) break;
        ceiling = top;
        last = best;
    }
    if (best < 0)
        return padici_cuda_fail(cuda, PADIC_ERROR_NO_DEVICE,
                                count ? "no device matches the name and index asked for"
                                      : "there is a driver, but no device");
    return padici_cuda_answer(cuda, cuda->api.cuDeviceGet(&cuda->device, best), "cuDeviceGet", 0);
}

// The device, its context and the queue: the engine's, or chosen and made here.
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

static void padici_cuda_version_text(padici_text *text, int version)
{
    padici_text_number(text, (uint64_t)(uint32_t)version / 1000, 1);
    padici_text_add(text, ".");
    padici_text_number(text, (uint64_t)(uint32_t)version % 1000 / 10, 1);
}

static int padici_cuda_has_graphs(const padici_cuda_api *api)
{
    return api->cuStreamBeginCapture_v2 && api->cuStreamEndCapture &&
           api->cuGraphInstantiateWithFlags && api->cuGraphLaunch && api->cuGraphExecDestroy &&
           api->cuGraphDestroy;
}

static int padici_cuda_has_events(const padici_cuda_api *api)
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

// What NVRTC can compile for this chip.
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

static void padici_cuda_close(padic_device *device);

static padic_result padici_cuda_open(const padic_env *env, const padic_device_desc *desc,
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
        // It was lost before: an ordinary answer, so that the next backend or the CPU goes on.
        return lost ? PADIC_ERROR_NO_DEVICE : result;
    }
    cuda->is_open = 1;
    *out = (padic_device *)(void *)cuda;
    return PADIC_OK;
}

// What was held for the cache.
static void padici_cuda_forget(padici_cuda *cuda, padici_cuda_program *program)
{
    padici_free(cuda->env.allocator, program->image.data, program->image.size);
    padici_free(cuda->env.allocator, program->key, program->key ? strlen(program->key) + 1 : 0);
    program->image.data = NULL;
    program->key = NULL;
}

static void padici_cuda_drop_program(padici_cuda *cuda, padici_cuda_program *program)
{
    if (program->module) (void)cuda->api.cuModuleUnload(program->module);
    padici_cuda_forget(cuda, program);
    padici_free(cuda->env.allocator, program,
                sizeof *program + program->kernel_count * sizeof(void *));
}

static void padici_cuda_drop_recording(padici_cuda *cuda, padici_cuda_recording *recording)
{
    if (recording->made) (void)cuda->api.cuGraphExecDestroy(recording->made);
    padici_free(cuda->env.allocator, recording, sizeof *recording);
}

static void padici_cuda_drop_event(padici_cuda *cuda, void *event)
{
    if (event) (void)cuda->api.cuEventDestroy_v2(event);
}

static void padici_cuda_drop_ring(padici_cuda *cuda)
{
    padici_cuda_ring *ring = &cuda->ring;
    padici_cuda_drop_event(cuda, ring->events[0]);
    padici_cuda_drop_event(cuda, ring->events[1]);
    if (ring->memory) (void)cuda->api.cuMemFreeHost(ring->memory);
    memset(ring, 0, sizeof *ring);
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

static void padici_cuda_abandon(padici_cuda *cuda);

// Also of a device half opened, and of a lost one: there the driver's answers do not matter, and
// giving back the primary context frees what is left.
static void padici_cuda_close(padic_device *device)
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
    if (cuda->own_stream) (void)cuda->api.cuStreamDestroy_v2(cuda->stream);
    if (pushed) (void)cuda->api.cuCtxPopCurrent_v2(&popped);
    if (cuda->retained) (void)cuda->api.cuDevicePrimaryCtxRelease_v2(cuda->device);
    padici_free(allocator, cuda->kernel_dir, cuda->kernel_dir ? strlen(cuda->kernel_dir) + 1 : 0);
    padici_free(allocator, cuda, sizeof *cuda);
}

static void padici_cuda_info(padic_device *device, padic_device_info *info)
{
    *info = ((padici_cuda *)(void *)device)->info;
}

