// How do I use it inside an engine that has its own CUDA context, stream and memory? Lend them:
// work goes into the engine's stream, on the engine's memory, and nothing of the engine's is
// released.
// No CUDA header is needed to compile this; an engine has its own declarations already.
//
//     cc -O2 -o engine_cuda examples/engine_cuda.c -lm -ldl

#define PADIC_IMPLEMENTATION
#include "../padic.h"
#include "../backends/padic_cuda.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef _WIN32
#include <windows.h>
#else
#include <dlfcn.h>
#endif

// The engine: an opened driver, a context, a stream, memory for N floats on the GPU.
enum { N = 1 << 20 };
typedef struct engine {
    void *context, *stream;
    uint64_t noise; // CUdeviceptr
    int (*init)(unsigned), (*retain)(void **, int), (*release)(int);
    int (*push)(void *), (*pop)(void **), (*stream_create)(void **, unsigned);
    int (*stream_destroy)(void *), (*synchronize)(void *), (*allocate)(uint64_t *, size_t);
    int (*deallocate)(uint64_t), (*read)(void *, uint64_t, size_t, void *);
    int (*capture)(void *, int), (*captured)(void *, void **);
    int (*instantiate)(void **, void *, unsigned long long), (*launch)(void *, void *);
    int (*graph_destroy)(void *), (*exec_destroy)(void *);
} engine;

static void *library;

static int find(const char *name, void *function) // 1: found
{
#ifdef _WIN32
    const FARPROC found = GetProcAddress((HMODULE)library, name);
#else
    void *found = dlsym(library, name);
#endif
    memcpy(function, &found, sizeof found);
    return found != NULL;
}

static int open_driver(engine *e)
{
#ifdef _WIN32
    library = (void *)LoadLibraryA("nvcuda.dll");
#else
    library = dlopen("libcuda.so.1", RTLD_NOW);
#endif
    return library && find("cuInit", &e->init) && find("cuDevicePrimaryCtxRetain", &e->retain) &&
           find("cuDevicePrimaryCtxRelease_v2", &e->release) &&
           find("cuCtxPushCurrent_v2", &e->push) && find("cuCtxPopCurrent_v2", &e->pop) &&
           find("cuStreamCreate", &e->stream_create) &&
           find("cuStreamDestroy_v2", &e->stream_destroy) &&
           find("cuStreamSynchronize", &e->synchronize) && find("cuMemAlloc_v2", &e->allocate) &&
           find("cuMemFree_v2", &e->deallocate) && find("cuMemcpyDtoHAsync_v2", &e->read) &&
           find("cuStreamBeginCapture_v2", &e->capture) &&
           find("cuStreamEndCapture", &e->captured) &&
           find("cuGraphInstantiateWithFlags", &e->instantiate) &&
           find("cuGraphLaunch", &e->launch) && find("cuGraphDestroy", &e->graph_destroy) &&
           find("cuGraphExecDestroy", &e->exec_destroy) && !e->init(0);
}

// One frame's noise, in the engine's memory.
static padic_result fill(padic_context *padic, padic_buffer noise, uint32_t frame)
{
    padic_random_fill_desc desc = PADIC_ZERO;
    desc.tensor = padic_tensor_in(padic_tensor_1d(PADIC_F32, NULL, N), noise, 0);
    desc.seed = 2024;
    desc.step = frame;
    return padic_random_fill(padic, &desc);
}

// The engine reads its own memory with its own stream: in order, so nobody has to wait before.
static int same_as_cpu(engine *e, uint32_t frame)
{
    static float gpu[N], cpu[N];
    padic_random_fill_desc desc = PADIC_ZERO;
    desc.tensor = padic_tensor_1d(PADIC_F32, cpu, N);
    desc.seed = 2024;
    desc.step = frame;
    memset(gpu, 0, sizeof gpu);
    return !padic_random_fill(NULL, &desc) && !e->read(gpu, e->noise, sizeof gpu, e->stream) &&
           !e->synchronize(e->stream) && !memcmp(gpu, cpu, sizeof gpu);
}

static int frames(engine *e, padic_context *padic)
{
    padic_buffer_desc borrow = PADIC_ZERO;
    padic_buffer noise;
    void *graph = NULL, *exec = NULL;
    int good;
    borrow.size = N * sizeof(float);
    borrow.native = e->noise;
    if (padic_buffer_create(padic, &borrow, &noise)) return 0;
    // The first call compiles and tests the kernel; from then on a call is one launch.
    good = !fill(padic, noise, 1) && same_as_cpu(e, 1);
    printf("frame 1, launched into the engine's stream: %s\n", good ? "as on the CPU" : "WRONG");
    // The engine records a frame of its own as a CUDA graph: our launch becomes a node of it.
    if (good) good = !e->capture(e->stream, 0);
    if (good) good = !fill(padic, noise, 2) & !e->captured(e->stream, &graph);
    if (good) good = !e->instantiate(&exec, graph, 0) && !e->launch(exec, e->stream);
    if (good) good = same_as_cpu(e, 2);
    printf("frame 2, replayed in the engine's graph: %s\n", good ? "as on the CPU" : "WRONG");
    if (exec) e->exec_destroy(exec);
    if (graph) e->graph_destroy(graph);
    padic_buffer_destroy(padic, noise); // the id; the memory stays the engine's
    return good;
}

int main(void)
{
    engine e;
    padic_context *padic = NULL;
    padic_context_desc desc = PADIC_ZERO;
    padic_device_info info;
    void *popped;
    int good = 0;
    memset(&e, 0, sizeof e);
    if (!open_driver(&e)) {
        puts("no NVIDIA driver with a GPU is here: nothing to show");
        return 0;
    }
    if (e.retain(&e.context, 0) || e.push(e.context) || e.stream_create(&e.stream, 1) ||
        e.allocate(&e.noise, N * sizeof(float)))
        return puts("the engine cannot start"), 1;
    desc.backends[0] = padic_cuda();
    desc.device.native_context = e.context;
    desc.device.native_queue = e.stream;
    const padic_result result = padic_context_create(&desc, &padic);
    if (result) {
        printf("no context (%d): %s\n", (int)result, padic_result_text(result));
    } else {
        padic_context_device_info(padic, &info);
        printf("%s, %s, %s\n", info.name, info.arch, info.driver);
        good = frames(&e, padic);
        if (!good) puts(padic_context_message(padic));
    }
    padic_context_destroy(padic);
    e.deallocate(e.noise);
    e.stream_destroy(e.stream);
    e.pop(&popped);
    e.release(0);
    return good ? 0 : 1;
}
