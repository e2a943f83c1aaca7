// How do I plug in a device of my own? A backend is some memory, copies to and from it, and what it
// can do: here malloc() and one operation, random_fill of 32-bit words. The library does the rest.
//
//     cc -O2 -o toy_backend examples/toy_backend.c -lm
#define PADIC_IMPLEMENTATION
#include "../padic.h"
#include "../backends/padic_simd.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// All that the device owns hangs from here; padic_device is only a name for it.
typedef struct toy { uint64_t blocks; } toy;

static padic_result toy_open(const padic_env *e, const padic_device_desc *d, padic_device **out)
{
    (void)e, (void)d;
    *out = (padic_device *)calloc(1, sizeof(toy));
    return *out ? PADIC_OK : PADIC_ERROR_MEMORY;
}

static void toy_close(padic_device *device)
{
    if (((toy *)(void *)device)->blocks) printf("somebody left a block behind\n");
    free(device);
}

static void toy_info(padic_device *device, padic_device_info *info)
{
    (void)device;
    memset(info, 0, sizeof *info);
    memcpy(info->name, "toy", 4);
    info->alignment = 16;
}

// A padic_mem is 64 bits of the backend's choice: here a pointer.
static char *at(padic_mem mem, uint64_t offset)
{
    return (char *)(uintptr_t)mem.bits + offset;
}

static padic_result toy_alloc(padic_device *device, uint64_t size, padic_mem *out)
{
    out->bits = (uint64_t)(uintptr_t)malloc((size_t)size);
    ((toy *)(void *)device)->blocks += out->bits != 0;
    return out->bits ? PADIC_OK : PADIC_ERROR_MEMORY;
}

static void toy_free(padic_device *device, padic_mem mem, uint64_t size)
{
    (void)size;
    free(at(mem, 0));
    ((toy *)(void *)device)->blocks--;
}

static padic_result toy_upload(padic_device *device, padic_mem mem, uint64_t to, const void *from,
                               uint64_t size)
{
    (void)device;
    memcpy(at(mem, to), from, (size_t)size);
    return PADIC_OK;
}

static padic_result toy_download(padic_device *d, padic_mem m, uint64_t i, void *to, uint64_t n)
{
    (void)d;
    memcpy(to, at(m, i), (size_t)n);
    return PADIC_OK;
}

static padic_result toy_copy(padic_device *device, padic_mem to, uint64_t to_at, padic_mem from,
                             uint64_t from_at, uint64_t size)
{
    return toy_upload(device, to, to_at, at(from, from_at), size);
}

static padic_result toy_fill(padic_device *d, padic_mem mem, uint64_t to, uint32_t w, uint64_t n)
{
    (void)d;
    for (uint64_t i = 0; i < n; i += 4) memcpy(at(mem, to + i), &w, 4);
    return PADIC_OK;
}

// It has no kernels. One that has gives the member `drive`, too: see backends/padic_opencl.h.
static padic_result toy_program(padic_device *d, const padic_program_desc *p, padic_program **out)
{
    (void)d, (void)p;
    *out = NULL;
    return PADIC_ERROR_NOT_SUPPORTED;
}

static padic_result toy_launch(padic_device *device, const padic_launch *launch)
{
    (void)device, (void)launch;
    return PADIC_ERROR_NOT_SUPPORTED;
}

static padic_result toy_sync(padic_device *device)
{
    (void)device; // nothing is ever waiting
    return PADIC_OK;
}

// Its own way of an operation: would it, and the work, in the memory of the operation's one view.
static padic_result toy_supports(padic_device *device, uint32_t op, const void *desc)
{
    const padic_random_fill_desc *d = (const padic_random_fill_desc *)desc;
    (void)device;
    (void)op;
    return d->tensor.dtype != PADIC_U32 || d->tensor.stride[0] ? PADIC_ERROR_NOT_SUPPORTED
                                                               : PADIC_OK;
}

static padic_result toy_random(padic_device *device, uint32_t op, void *desc, const padic_mem *mem)
{
    const padic_random_fill_desc *d = (const padic_random_fill_desc *)desc;
    uint32_t block[4], *to = (uint32_t *)(uintptr_t)mem[0].bits + d->tensor.offset;
    (void)device;
    (void)op;
    for (uint64_t i = 0, n = padic_tensor_count(&d->tensor); i < n; i++) {
        if (i % 4 == 0) padic_random_block(d->seed, d->stream, d->step, (uint32_t)(i / 4), block);
        to[i] = block[i % 4];
    }
    return PADIC_OK;
}

static const padic_backend_op toy_ops[] = {{PADIC_OP_RANDOM_FILL, toy_supports, toy_random}};

static const padic_backend toy_backend = {
    PADIC_BACKEND_VERSION, "toy", toy_open, toy_close, toy_info, toy_alloc, toy_free, toy_upload,
    toy_download, toy_copy, toy_fill, toy_program, toy_launch, toy_sync, NULL, NULL, NULL, toy_ops,
    1, 0, NULL, NULL, NULL, NULL};

int main(void)
{
    static uint32_t got[2000], want[2000];
    static char report[4096];
    padic_context_desc desc = PADIC_ZERO;
    padic_buffer_desc size = PADIC_ZERO;
    padic_random_fill_desc random = PADIC_ZERO;
    padic_context *context = NULL;
    padic_buffer buffer;
    desc.backends[0] = &toy_backend;
    desc.backends[1] = padic_simd(); // a second one: what the toy cannot do may go elsewhere
    size.size = sizeof got;
    if (padic_context_create(&desc, &context) || padic_buffer_create(context, &size, &buffer))
        return printf("%s\n", padic_context_message(context)), 1;
    for (int half = 0; half < 2; half++) { // words by the toy, floats by the CPU
        random.tensor = padic_tensor_1d(half ? PADIC_F32 : PADIC_U32, want + 1000 * half, 1000);
        padic_random_fill(NULL, &random);
        random.tensor = padic_tensor_in(random.tensor, buffer, 1000 * (uint64_t)half);
        if (padic_random_fill(context, &random)) return puts(padic_context_message(context)), 1;
    }
    padic_buffer_download(context, buffer, 0, got, sizeof got);
    padic_context_describe_desc describe = PADIC_ZERO;
    describe.text = padic_bytes_out(report, sizeof report);
    padic_context_describe(context, &describe);
    printf("%s%s\n", report, memcmp(got, want, sizeof got) ? "WRONG" : "as the CPU does it");
    padic_context_destroy(context);
    return memcmp(got, want, sizeof got) != 0;
}
