// mock_cuda.c: a fake libcuda.so.1: keeps the driver's rules, runs kernels as plain C.
//
//     python3 tools/kernels.py --native base >native_table.h
//     cc -std=gnu99 -shared -fPIC -I. tests/gpu/cuda/mock_cuda.c -o libcuda.so.1 -lm
//
// What a stream is told waits in a queue until someone waits for it, so that a source used again
// too early, or a result read too early, shows. What breaks a rule (no current context, a dead
// handle, memory outside an allocation, a call that a capture forbids) is counted in `misused`.
#include "../../native/native.h"
#include "../../../src/kernels/dialect.h"
#include "../../../src/kernels/base/base.cl"
#include "native_table.h"
#include "mock.h"
#include <string.h>

typedef uint64_t device_pointer;
enum {
    OK = 0,
    INVALID = 1,
    NO_MEMORY = 2,
    NO_DEVICE = 100,
    BAD_DEVICE = 101,
    BAD_IMAGE = 200,
    NO_CONTEXT = 201,
    NO_BINARY = 209,
    BAD_HANDLE = 400,
    NOT_FOUND = 500,
    NOT_READY = 600,
    FAILED = 719,
    FORBIDDEN = 900,
    INVALIDATED = 901
};
enum { KERNELS = sizeof native_kernels / sizeof native_kernels[0] };

static mock_cuda state;

mock_cuda *mock_cuda_state(void);
// ----------------------------------------------------------------------------------------- objects

typedef enum kind { CONTEXT, MODULE, STREAM, EVENT, GRAPH, EXEC, DEVICE_MEMORY, HOST_MEMORY } kind;

typedef struct object {
    struct object *next, *context;
    kind kind;
    char *memory; // of the two last kinds
    size_t size;
    struct node *nodes; // of a graph
    int count, room, done, ends, broken;
    uint64_t ns; // when an event passed
} object;

typedef enum action { LAUNCH, COPY, FILL, PASS, RUN_GRAPH } action;

typedef struct node {
    action action;
    const native_kernel *kernel;
    void *mem[8];
    unsigned char params[256];
    uint32_t group, groups[3], value;
    char *to;
    const char *from;
    char *staged; // what a pageable source held
    size_t size;
    object *event, *graph;
} node;

static object *objects, *stack[16], *primary, *captured;
static int retained, lost, mode = 1;
static node *queue;
static int queued, queue_room;
static uint64_t now_ns;

mock_cuda *mock_cuda_state(void)
{
    if (!objects && !state.spoilt) lost = 0;
    return &state;
}

static void misuse(const char *what)
{
    if (!state.misused++) state.misuse = what;
}

static object *make(kind kind)
{
    object *o = (object *)calloc(1, sizeof *o);
    o->kind = kind;
    o->context = state.depth ? stack[state.depth - 1] : NULL;
    o->next = objects;
    objects = o;
    state.live++;
    return o;
}

static object *find(const void *handle, kind kind)
{
    for (object *o = objects; o; o = o->next)
        if ((const void *)o == handle && o->kind == kind) return o;
    misuse("a handle that is not alive");
    return NULL;
}

static void unmake(object *gone)
{
    object **link = &objects;
    while (*link != gone) link = &(*link)->next;
    *link = gone->next;
    for (int i = 0; i < gone->count; i++) free(gone->nodes[i].staged);
    free(gone->nodes);
    free(gone->memory);
    free(gone);
    state.live--;
}

// The allocation that holds these bytes.
static object *holder(const void *at, size_t size, kind kind)
{
    for (object *o = objects; o; o = o->next)
        if (o->kind == kind && (uintptr_t)at >= (uintptr_t)o->memory &&
            (uintptr_t)at + size <= (uintptr_t)o->memory + o->size)
            return o;
    return NULL;
}

// Every call that can fail begins here; `needs` a current context.
static int step(int needs)
{
    state.calls++;
    if (lost) return FAILED; // also the push of the context
    if (needs && !state.depth) {
        misuse("no current context");
        return NO_CONTEXT;
    }
    if (state.calls != state.fail_at) return OK;
    lost = state.fail_with == FAILED;
    return state.fail_with ? state.fail_with : NO_MEMORY;
}
#define STEP(needs)                 \
    do {                            \
        const int e_ = step(needs); \
        if (e_) return e_;          \
    } while (0)

// A call that a capture forbids breaks the capture, unless this thread asked for relaxed rules.
static int step_outside(void)
{
    STEP(1);
    if (!captured || mode == 2) return OK;
    captured->broken = 1;
    misuse("a call that breaks the capture");
    return FORBIDDEN;
}
#define STEP_OUTSIDE()                 \
    do {                               \
        const int e_ = step_outside(); \
        if (e_) return e_;             \
    } while (0)

// ------------------------------------------------------------------------------------------- queue

static int run_nodes(const node *nodes, int count);

static int run_node(const node *n)
{
    now_ns += n->action == LAUNCH && state.kernel_ns ? state.kernel_ns : 1000;
    switch (n->action) {
    case LAUNCH:
        if (++state.kernels_run == state.lost_at) return lost = 1, FAILED;
        native_groups(n->kernel, n->mem, n->params, n->group, n->groups, 0);
        break;
    case COPY:
        memcpy(n->to, n->staged ? n->staged : n->from, n->size);
        break;
    case FILL:
        for (size_t i = 0; i < n->size; i++) memcpy(n->to + 4 * i, &n->value, 4);
        break;
    case PASS:
        n->event->ns = now_ns;
        n->event->done = 1;
        break;
    case RUN_GRAPH: return run_nodes(n->graph->nodes, n->graph->count);
    }
    return OK;
}

static int run_nodes(const node *nodes, int count)
{
    int error = OK;
    for (int i = 0; i < count && !error; i++) error = run_node(&nodes[i]);
    return error;
}

static int drain(void) // of a lost context nothing runs any more
{
    const int error = lost ? FAILED : run_nodes(queue, queued);
    for (int i = 0; i < queued; i++) free(queue[i].staged);
    queued = 0;
    return error;
}

static int append(node **nodes, int *count, int *room, const node *n)
{
    if (*count == *room) {
        *room = *room ? *room * 2 : 16;
        *nodes = (node *)realloc(*nodes, (size_t)*room * sizeof **nodes);
    }
    (*nodes)[(*count)++] = *n;
    return OK;
}

static int enqueue(const node *n)
{
    if (captured) return append(&captured->nodes, &captured->count, &captured->room, n);
    return append(&queue, &queued, &queue_room, n);
}

static node node_of(action action)
{
    node n;
    memset(&n, 0, sizeof n);
    n.action = action;
    return n;
}

static int is_stream(void *stream)
{
    return stream == (void *)1 || find(stream, STREAM) != NULL;
}

// ---------------------------------------------------------------------------- devices and contexts

int cuInit(unsigned flags);
int cuInit(unsigned flags)
{
    (void)flags;
    STEP(0);
    if (state.devices < 0 && !state.init_answer) return NO_DEVICE;
    return state.init_answer;
}

int cuDriverGetVersion(int *version);
int cuDriverGetVersion(int *version)
{
    *version = state.version ? state.version : 13000;
    return OK;
}

int cuDeviceGetCount(int *count);
int cuDeviceGetCount(int *count)
{
    STEP(0);
    *count = state.devices > 0 ? state.devices : 1;
    return OK;
}

int cuDeviceGet(int *device, int ordinal);
int cuDeviceGet(int *device, int ordinal)
{
    STEP(0);
    *device = ordinal;
    return ordinal < 0 || ordinal >= (state.devices > 0 ? state.devices : 1) ? BAD_DEVICE : OK;
}

int cuDeviceGetName(char *name, int size, int device);
int cuDeviceGetName(char *name, int size, int device)
{
    STEP(0);
    snprintf(name, (size_t)size, "Mock %c100", 'A' + device);
    return OK;
}

int cuDeviceTotalMem_v2(size_t *size, int device);
int cuDeviceTotalMem_v2(size_t *size, int device)
{
    (void)device;
    STEP(0);
    *size = (size_t)1 << 30;
    return OK;
}

int cuDeviceGetAttribute(int *value, int attribute, int device);
int cuDeviceGetAttribute(int *value, int attribute, int device)
{
    const int arch = state.arch ? state.arch : 90;
    STEP(0);
    switch (attribute) {
    case 75: *value = arch / 10; break;
    case 76: *value = arch % 10; break;
    case 16: *value = 2 + device; break; // multiprocessors
    case 1: *value = 1024; break;        // threads of a block
    case 10: *value = 32; break;         // of a warp
    case 20: *value = 0; break;          // compute mode
    case 8: *value = 49152; break;       // shared memory of a block
    default: *value = 1000000; break;
    }
    return OK;
}

int cuDevicePrimaryCtxRetain(void **context, int device);
int cuDevicePrimaryCtxRetain(void **context, int device)
{
    (void)device;
    STEP(0);
    if (!retained++) primary = make(CONTEXT);
    *context = primary;
    return OK;
}

static void end_context(object *context)
{
    object *o, *next;
    (void)drain();
    for (o = objects; o; o = next) {
        next = o->next;
        if (o->context != context || o == context) continue;
        if (!lost) state.leaked++;
        unmake(o);
    }
    lost = lost && state.spoilt;
    unmake(context);
}

int cuDevicePrimaryCtxRelease_v2(int device);
int cuDevicePrimaryCtxRelease_v2(int device)
{
    (void)device;
    if (!retained) return misuse("a primary context released twice"), INVALID;
    if (!--retained) end_context(primary);
    return OK;
}

// An engine's own; what it leaves in its context is its own affair.
int cuCtxCreate_v2(void **context, unsigned flags, int device);
int cuCtxCreate_v2(void **context, unsigned flags, int device)
{
    (void)flags;
    (void)device;
    *context = make(CONTEXT);
    ((object *)*context)->context = NULL;
    stack[state.depth++] = (object *)*context;
    return OK;
}

int cuCtxDestroy_v2(void *context);
int cuCtxDestroy_v2(void *context)
{
    if (state.depth && stack[state.depth - 1] == context) state.depth--;
    end_context((object *)context);
    return OK;
}

int cuCtxPushCurrent_v2(void *context);
int cuCtxPushCurrent_v2(void *context)
{
    const int error = step(0);
    if (error) return state.not_pushed++, error;
    if (!find(context, CONTEXT) || state.depth == 16) return NO_CONTEXT;
    stack[state.depth++] = (object *)context;
    return OK;
}

int cuCtxPopCurrent_v2(void **context);
int cuCtxPopCurrent_v2(void **context)
{
    if (!state.depth) return misuse("pop of an empty stack"), NO_CONTEXT;
    *context = stack[--state.depth];
    return OK;
}

int cuCtxGetDevice(int *device);
int cuCtxGetDevice(int *device)
{
    STEP(1);
    *device = 0;
    return OK;
}

// ----------------------------------------------------------------------------------------- modules

int cuModuleLoadData(void **module, const void *image);
int cuModuleLoadData(void **module, const void *image)
{
    const char *text = (const char *)image;
    char own[16];
    STEP_OUTSIDE();
    *module = NULL;
    state.image = image;
    state.loads++;
    if (!strncmp(text, "\177ELF", 4)) {
        snprintf(own, sizeof own, "sm_%d", state.arch ? state.arch : 90);
        if (state.refuse_cubin) return state.refuse_cubin;
        if (!state.any_image && !strstr(text, own)) return NO_BINARY;
    } else {
        if (!strstr(text, ".version")) return BAD_IMAGE;
        if (state.refuse_ptx) return state.refuse_ptx;
    }
    *module = make(MODULE);
    return OK;
}

int cuModuleUnload(void *module);
int cuModuleUnload(void *module)
{
    object *o = find(module, MODULE);
    if (!o) return BAD_HANDLE;
    (void)drain();
    unmake(o);
    return OK;
}

int cuModuleGetFunction(void **function, void *module, const char *name);
int cuModuleGetFunction(void **function, void *module, const char *name)
{
    STEP(1);
    if (!find(module, MODULE)) return BAD_HANDLE;
    for (int i = 0; i < KERNELS; i++) {
        if (strcmp(native_kernels[i].name, name)) continue;
        *function = (void *)(uintptr_t)&native_kernels[i];
        return OK;
    }
    return NOT_FOUND;
}

// ------------------------------------------------------------------------------------------ memory

int cuMemAlloc_v2(device_pointer *pointer, size_t size);
int cuMemAlloc_v2(device_pointer *pointer, size_t size)
{
    object *o;
    *pointer = 0;
    STEP_OUTSIDE();
    if (!size) return INVALID;
    if (size > (size_t)1 << 30) return NO_MEMORY;
    o = make(DEVICE_MEMORY);
    o->memory = (char *)malloc(size);
    o->size = size;
    memset(o->memory, 0xcd, size); // a fresh allocation is not zero
    *pointer = (uintptr_t)o->memory;
    return OK;
}

int cuMemFree_v2(device_pointer pointer);
int cuMemFree_v2(device_pointer pointer)
{
    object *o = holder((void *)(uintptr_t)pointer, 1, DEVICE_MEMORY);
    if (!state.depth) return misuse("no current context"), NO_CONTEXT;
    if (captured && mode != 2) return misuse("a call that breaks the capture"), FORBIDDEN;
    if (!o || (uintptr_t)o->memory != pointer)
        return misuse("free of what is not allocated"), INVALID;
    (void)drain(); // the driver waits, too
    unmake(o);
    return OK;
}

static int copy(char *to, const char *from, size_t size, void *stream, char *staged)
{
    node n = node_of(COPY);
    n.to = to;
    n.from = from;
    n.staged = staged;
    n.size = size;
    state.copies++;
    if (!is_stream(stream)) return BAD_HANDLE;
    return enqueue(&n);
}

int cuMemcpyHtoDAsync_v2(device_pointer to, const void *from, size_t size, void *stream);
int cuMemcpyHtoDAsync_v2(device_pointer to, const void *from, size_t size, void *stream)
{
    char *at = (char *)(uintptr_t)to, *staged = NULL;
    STEP(1);
    if (!holder(at, size, DEVICE_MEMORY)) return misuse("upload outside an allocation"), INVALID;
    if (!holder(from, size, HOST_MEMORY)) { // pageable: read before the call returns
        if (captured) return step_outside();
        staged = (char *)malloc(size ? size : 1);
        memcpy(staged, from, size);
    }
    return copy(at, (const char *)from, size, stream, staged);
}

int cuMemcpyDtoHAsync_v2(void *to, device_pointer from, size_t size, void *stream);
int cuMemcpyDtoHAsync_v2(void *to, device_pointer from, size_t size, void *stream)
{
    const char *at = (const char *)(uintptr_t)from;
    STEP(1);
    if (!holder(at, size, DEVICE_MEMORY)) return misuse("download outside an allocation"), INVALID;
    return copy((char *)to, at, size, stream, NULL);
}

int cuMemcpyDtoDAsync_v2(device_pointer to, device_pointer from, size_t size, void *stream);
int cuMemcpyDtoDAsync_v2(device_pointer to, device_pointer from, size_t size, void *stream)
{
    char *a = (char *)(uintptr_t)to;
    const char *b = (const char *)(uintptr_t)from;
    STEP(1);
    if (!holder(a, size, DEVICE_MEMORY) || !holder(b, size, DEVICE_MEMORY))
        return misuse("copy outside an allocation"), INVALID;
    return copy(a, b, size, stream, NULL);
}

int cuMemsetD32Async(device_pointer to, unsigned value, size_t count, void *stream);
int cuMemsetD32Async(device_pointer to, unsigned value, size_t count, void *stream)
{
    node n = node_of(FILL);
    n.to = (char *)(uintptr_t)to;
    n.size = count;
    n.value = value;
    STEP(1);
    if (!holder(n.to, 4 * count, DEVICE_MEMORY) || to & 3)
        return misuse("fill outside an allocation"), INVALID;
    if (!is_stream(stream)) return BAD_HANDLE;
    return enqueue(&n);
}

// ---------------------------------------------------------------------------- launches and streams

int cuLaunchKernel(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                   unsigned bz, unsigned shared, void *stream, void **arguments, void **extra);
int cuLaunchKernel(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by,
                   unsigned bz, unsigned shared, void *stream, void **arguments, void **extra)
{
    const native_kernel *kernel = (const native_kernel *)function;
    node n = node_of(LAUNCH);
    const unsigned char *packed;
    STEP(1);
    (void)shared;
    if (!is_stream(stream)) return BAD_HANDLE;
    if (!gx || !gy || !gz || gy > 65535 || gz > 65535 || !bx || bx > 1024 || by != 1 || bz != 1)
        return misuse("a launch of a wrong shape"), INVALID;
    if (arguments || !extra || extra[0] != (void *)1 || extra[2] != (void *)2 || extra[4])
        return misuse("a launch's arguments"), INVALID;
    if (*(const size_t *)extra[3] != kernel->mem_count * 8 + kernel->params_size)
        return misuse("arguments of another size"), INVALID;
    packed = (const unsigned char *)extra[1];
    for (uint32_t i = 0; i < kernel->mem_count; i++) {
        uint64_t bits;
        memcpy(&bits, packed + 8 * i, 8);
        n.mem[i] = (void *)(uintptr_t)bits;
        if (!holder(n.mem[i], 1, DEVICE_MEMORY)) return misuse("a buffer that is none"), INVALID;
    }
    memcpy(n.params, packed + 8 * kernel->mem_count, kernel->params_size);
    n.kernel = kernel;
    n.group = bx;
    n.groups[0] = gx;
    n.groups[1] = gy;
    n.groups[2] = gz;
    state.launches++;
    return enqueue(&n);
}

int cuStreamCreate(void **stream, unsigned flags);
int cuStreamCreate(void **stream, unsigned flags)
{
    *stream = NULL;
    STEP_OUTSIDE();
    if (flags > 1) return INVALID;
    *stream = make(STREAM);
    return OK;
}

int cuStreamDestroy_v2(void *stream);
int cuStreamDestroy_v2(void *stream)
{
    object *o = find(stream, STREAM);
    if (!o) return BAD_HANDLE;
    (void)drain();
    unmake(o);
    return OK;
}

int cuStreamSynchronize(void *stream);
int cuStreamSynchronize(void *stream)
{
    STEP_OUTSIDE();
    state.waits++;
    return is_stream(stream) ? drain() : BAD_HANDLE;
}

int cuGetErrorName(int error, const char **name);
int cuGetErrorName(int error, const char **name)
{
    *name = error == NO_MEMORY ? "CUDA_ERROR_OUT_OF_MEMORY"
            : error == FAILED  ? "CUDA_ERROR_LAUNCH_FAILED"
                               : "CUDA_ERROR_OTHER";
    return OK;
}

// NVRTC 13 opens libcuda.so.1 by itself and asks for this; without the symbol it crashes.
int cuGetExportTable(const void **table, const void *id);
int cuGetExportTable(const void **table, const void *id)
{
    (void)id;
    *table = NULL;
    return NOT_FOUND;
}

#ifndef MOCK_OLD // what a driver may lack

int cuMemGetInfo_v2(size_t *idle, size_t *total);
int cuMemGetInfo_v2(size_t *idle, size_t *total)
{
    STEP(1);
    *idle = 12345678;
    *total = (size_t)1 << 30;
    return OK;
}

int cuMemHostAlloc(void **pointer, size_t size, unsigned flags);
int cuMemHostAlloc(void **pointer, size_t size, unsigned flags)
{
    object *o;
    (void)flags;
    *pointer = NULL;
    STEP_OUTSIDE();
    o = make(HOST_MEMORY);
    o->memory = (char *)malloc(size);
    o->size = size;
    *pointer = o->memory;
    return OK;
}

int cuPointerGetAttribute(void *value, int attribute, device_pointer pointer);
int cuPointerGetAttribute(void *value, int attribute, device_pointer pointer)
{
    const unsigned host = 1;
    STEP(1);
    if (attribute != 2 || !holder((void *)(uintptr_t)pointer, 1, HOST_MEMORY)) return INVALID;
    memcpy(value, &host, sizeof host);
    return OK;
}

int cuMemFreeHost(void *pointer);
int cuMemFreeHost(void *pointer)
{
    object *o = holder(pointer, 1, HOST_MEMORY);
    if (!o) return misuse("free of what is not pinned"), INVALID;
    (void)drain();
    unmake(o);
    return OK;
}

int cuStreamGetCtx(void *stream, void **context);
int cuStreamGetCtx(void *stream, void **context)
{
    object *o = find(stream, STREAM);
    STEP(0);
    *context = o ? o->context : NULL;
    return o ? OK : BAD_HANDLE;
}

int cuThreadExchangeStreamCaptureMode(int *other);
int cuThreadExchangeStreamCaptureMode(int *other)
{
    const int old = mode;
    mode = *other;
    *other = old;
    return OK;
}

int cuStreamIsCapturing(void *stream, int *status);
int cuStreamIsCapturing(void *stream, int *status)
{
    STEP(1);
    *status = captured != NULL;
    return is_stream(stream) ? OK : BAD_HANDLE;
}

int cuStreamBeginCapture_v2(void *stream, int how);
int cuStreamBeginCapture_v2(void *stream, int how)
{
    STEP(1);
    if (how < 0 || how > 2 || !is_stream(stream)) return INVALID;
    if (stream == (void *)1) return 906; // not the legacy stream
    if (captured) return misuse("a capture inside a capture"), INVALID;
    captured = make(GRAPH);
    state.capturing = 1;
    return OK;
}

int cuStreamEndCapture(void *stream, void **graph);
int cuStreamEndCapture(void *stream, void **graph)
{
    object *made = captured;
    int error;
    (void)stream;
    *graph = NULL;
    if (!made) return misuse("no capture to end"), INVALID;
    captured = NULL; // it ends even when the call is told to fail
    state.capturing = 0;
    error = step(1);
    if (!error && made->broken) error = INVALIDATED;
    if (error)
        unmake(made);
    else
        *graph = made;
    return error;
}

int cuGraphInstantiateWithFlags(void **exec, void *graph, unsigned long long flags);
int cuGraphInstantiateWithFlags(void **exec, void *graph, unsigned long long flags)
{
    object *from = find(graph, GRAPH), *o;
    (void)flags;
    *exec = NULL;
    STEP(1);
    if (!from) return BAD_HANDLE;
    o = make(EXEC);
    for (int i = 0; i < from->count; i++)
        (void)append(&o->nodes, &o->count, &o->room, &from->nodes[i]);
    *exec = o;
    return OK;
}

int cuGraphLaunch(void *exec, void *stream);
int cuGraphLaunch(void *exec, void *stream)
{
    node n = node_of(RUN_GRAPH);
    STEP(1);
    n.graph = find(exec, EXEC);
    if (!n.graph || !is_stream(stream)) return BAD_HANDLE;
    state.graph_launches++;
    return enqueue(&n);
}

static int drop(void *handle, kind kind)
{
    object *o = find(handle, kind);
    if (!o) return BAD_HANDLE;
    (void)drain();
    unmake(o);
    return OK;
}

int cuGraphExecDestroy(void *exec);
int cuGraphExecDestroy(void *exec)
{
    return drop(exec, EXEC);
}

int cuGraphDestroy(void *graph);
int cuGraphDestroy(void *graph)
{
    return drop(graph, GRAPH);
}

int cuEventCreate(void **event, unsigned flags);
int cuEventCreate(void **event, unsigned flags)
{
    *event = NULL;
    STEP(1);
    if (flags > 3) return INVALID;
    *event = make(EVENT);
    return OK;
}

int cuEventDestroy_v2(void *event);
int cuEventDestroy_v2(void *event)
{
    return drop(event, EVENT);
}

int cuEventRecord(void *event, void *stream);
int cuEventRecord(void *event, void *stream)
{
    node n = node_of(PASS);
    STEP(1);
    n.event = find(event, EVENT);
    if (!n.event || !is_stream(stream)) return BAD_HANDLE;
    n.event->done = 0;
    return enqueue(&n);
}

int cuEventSynchronize(void *event);
int cuEventSynchronize(void *event)
{
    STEP_OUTSIDE();
    if (!find(event, EVENT)) return BAD_HANDLE;
    state.waits++;
    return drain();
}

int cuEventElapsedTime(float *ms, void *begin, void *end);
int cuEventElapsedTime(float *ms, void *begin, void *end)
{
    const object *a = find(begin, EVENT), *b = find(end, EVENT);
    STEP(1);
    if (!a || !b) return BAD_HANDLE;
    if (!a->done || !b->done) return NOT_READY;
    *ms = (float)((double)(int64_t)(b->ns - a->ns) / 1e6);
    return OK;
}

#endif // MOCK_OLD
