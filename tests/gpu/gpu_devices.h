// gpu_devices.h: what test_gpu_codec.c, _fft.c, _sparse.c, _sample.c, _cdt.c and _rnn.c share:
// devices, and arrays in their memory with guards around them. Include it after the headers of the
// library.
//
// Devices: the kernels as plain C (NATIVE_ORDER=1: items from the last one on), not with
// PADIC_TEST_GPU_ALONE=1; a CUDA device, if there is one; with PADIC_TEST_OPENCL=1 also an OpenCL
// device (a CPU will do). PADIC_TEST_LOG=1 prints what the library logs, and what each device did.
#ifndef GPU_DEVICES_H
#define GPU_DEVICES_H

#include "../../backends/padic_opencl.h"
#include "../../backends/padic_threads.h"
#include "../native/padic_native.h"
#ifndef TEST_NATIVE_ONLY
#include "../../backends/padic_cuda.h"
#endif
#include "../support/padic_test.h"

#define MOST_DEVICES 3
static padic_context *devices[MOST_DEVICES];
static int device_count;
static padic_native_desc native_desc;
static padic_threads *device_workers; // build programs side by side

static inline int wanted(const char *variable)
{
    const char *value = getenv(variable);
    return value && value[0] == '1';
}

static inline void say(padic_log_level level, uint32_t item, const char *text, void *user)
{
    (void)item;
    (void)user;
    if (level <= PADIC_LOG_WARNING && wanted("PADIC_TEST_LOG")) printf("\n  %s", text);
}

static inline padic_context *open_one(const padic_backend *backend, void *native, uint32_t flags,
                                      uint32_t context_flags)
{
    padic_context_desc desc = PADIC_ZERO;
    padic_context *context = NULL;
    desc.backends[0] = backend;
    if (!(context_flags & PADIC_CONTEXT_STRICT)) desc.backends[1] = backend; // is passed over
    if (!device_workers) device_workers = padic_threads_create(4, NULL);
    desc.jobs = padic_threads_jobs(device_workers);
    desc.log.write = say;
    desc.flags = context_flags;
    desc.device.native_context = native;
    desc.device.flags = flags;
    if (padic_context_create(&desc, &context)) printf("\n  %s: no device", backend->name);
    return context;
}

static inline void open_device(const padic_backend *backend, void *native, uint32_t flags)
{
    // strict: nothing may be done on the host instead
    padic_context *context = open_one(backend, native, flags, PADIC_CONTEXT_STRICT);
    if (context) devices[device_count++] = context;
}

static inline void open_devices(void)
{
    if (device_count) return;
    native_desc.down = wanted("NATIVE_ORDER");
    if (!wanted("PADIC_TEST_GPU_ALONE")) open_device(padic_native(), &native_desc, 0);
#ifndef TEST_NATIVE_ONLY
    if (wanted("PADIC_TEST_OPENCL")) {
        open_device(padic_opencl(), NULL, PADIC_DEVICE_ALLOW_CPU);
        if (device_count < 2) abort(); // it was asked for
    }
    open_device(padic_cuda(), NULL, 0);
    if (wanted("PADIC_TEST_GPU_ALONE") && !device_count) abort();
#endif
}

// A view of a buffer, `skip` elements from its start, with 64 guard bytes behind it.
typedef struct plane {
    padic_tensor tensor;
    uint64_t bytes, at;
} plane;

static inline plane plane_new(padic_context *context, const padic_tensor *like, uint64_t skip,
                              const void *data)
{
    plane p;
    padic_buffer_desc desc = PADIC_ZERO;
    padic_buffer buffer = {0};
    const uint64_t size = padic_dtype_size(like->dtype);
    p.bytes = padic_tensor_count(like) * size;
    p.at = skip * size;
    desc.size = p.at + p.bytes + 64;
    CHECK_EQ(padic_buffer_create(context, &desc, &buffer), PADIC_OK);
    CHECK_EQ(padic_buffer_fill(context, buffer, 0, 0xa5a5a5a5u, desc.size & ~UINT64_C(3)),
             PADIC_OK);
    if (data && p.bytes)
        CHECK_EQ(padic_buffer_upload(context, buffer, p.at, data, p.bytes), PADIC_OK);
    p.tensor = padic_tensor_in(*like, buffer, skip);
    p.tensor.data = NULL;
    return p;
}

static inline void plane_end(padic_context *context, plane *p)
{
    CHECK_EQ(padic_buffer_destroy(context, p->tensor.buffer), PADIC_OK);
}

// The first `bytes` bytes are these, and nothing before or behind was written. Between them and the
// end of the plane anything may be.
static inline int plane_is(padic_context *context, const plane *p, const void *data,
                           uint64_t bytes)
{
    uint8_t *got = (uint8_t *)malloc((size_t)(p->at + p->bytes + 60));
    uint64_t i;
    int same = 1;
    CHECK_EQ(padic_buffer_download(context, p->tensor.buffer, 0, got, p->at + p->bytes + 60),
             PADIC_OK);
    for (i = 0; i < p->at; i++) same &= got[i] == 0xa5;
    for (i = p->at + p->bytes; i < p->at + p->bytes + 60; i++) same &= got[i] == 0xa5;
    if (bytes) same &= !memcmp(got + p->at, data, (size_t)bytes);
    free(got);
    return same;
}

// The last case of each program: every kernel did what its self-test asks for.
TEST(no_kernel_was_dropped)
{
    padic_stats stats;
    int d;
    open_devices();
    for (d = 0; d < device_count; d++) {
        padic_context_stats(devices[d], &stats);
        if (wanted("PADIC_TEST_LOG"))
            printf("\n  device %d: %llu launches, %llu self-tests", d,
                   (unsigned long long)stats.launches, (unsigned long long)stats.self_tests);
        CHECK(stats.self_tests > 0 || stats.launches == 0 || test_tiny);
        CHECK_EQ(stats.self_tests_failed, 0);
        padic_context_destroy(devices[d]);
    }
    device_count = 0;
    padic_threads_destroy(device_workers);
    device_workers = NULL;
}

#endif // GPU_DEVICES_H
