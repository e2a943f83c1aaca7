#include "tests.h"
#include "../context/launch.h"
#include "../context/messages.h"
#include "../context/operation.h"
#include "../context/state.h"
#include "../core/memory.h"
#include "launch.h"
#include "tables.h"

#if PADICI_IMPLEMENT_GPU

// ---------------------------------------------------------------------------------------- >>tests

static int padici_gpu_compare(const padici_gpu_case *c, uint32_t i, const unsigned char *got)
{
    const unsigned char *want = c->buffers[i].answer ? c->buffers[i].answer : c->buffers[i].image;
    const size_t size = (size_t)c->buffers[i].size;
    const size_t step = c->buffers[i].dtype == PADIC_F64 ? 8 : 4;
    size_t at;
    if (memcmp(got + size, c->buffers[i].image + size, PADICI_GPU_GUARD)) return 0;
    if (c->buffers[i].bound < 0) return 1;
    if (!c->buffers[i].answer || !(c->buffers[i].bound > 0)) return !memcmp(got, want, size);
    for (at = 0; at + step <= size; at += step) {
        double a, b, error;
        float f[2];
        if (step == 8) {
            memcpy(&a, got + at, 8);
            memcpy(&b, want + at, 8);
        } else {
            memcpy(&f[0], got + at, 4);
            memcpy(&f[1], want + at, 4);
            a = f[0];
            b = f[1];
        }
        error = a > b ? a - b : b - a;
        if (!(error <= c->buffers[i].bound) && memcmp(got + at, want + at, step)) return 0;
    }
    return 1;
}

// Uploads the images, launches, compares what comes back.
static padic_result padici_gpu_case_run(padici_gpu_case *c, padici_gpu_block blocks[8])
{
    padici_gpu *gpu = c->gpu;
    const padici_variant *v = &gpu->state->variants[c->variant];
    const padici_shape *shape = &v->shapes[c->kernel];
    padici_gpu_work work;
    padic_result result = PADIC_OK;
    uint32_t i;
    memset(&work, 0, sizeof work);
    work.kernel = v->program << 16 | c->kernel;
    work.mem_count = shape->buffers;
    work.params = &c->params;
    work.params_size = shape->params_size;
    for (i = 0; i < 3; i++) work.groups[i] = c->groups[i];
    for (i = 0; i < shape->buffers && !result; i++) {
        const uint64_t whole = c->buffers[i].size + PADICI_GPU_GUARD;
        if (!c->buffers[i].image) return PADIC_ERROR_SELF_TEST; // the test forgot a buffer
        result = padici_gpu_scratch(gpu, whole, &blocks[i]);
        if (result) return result;
        work.mem[i] = blocks[i].mem;
        result = padici_gpu_upload(gpu, work.mem[i], 0, c->buffers[i].image, whole);
    }
    if (!result) result = padici_gpu_launch_in(gpu, c->variant, &work);
    for (i = 0; i < shape->buffers && !result; i++) {
        unsigned char *got = c->space + c->used;
        const uint64_t whole = c->buffers[i].size + PADICI_GPU_GUARD;
        if (whole > PADICI_GPU_CASE_BYTES - c->used) return PADIC_ERROR_SELF_TEST;
        result = padici_gpu_download(gpu, work.mem[i], 0, got, whole);
        if (!result && !padici_gpu_compare(c, i, got)) result = PADIC_ERROR_SELF_TEST;
    }
    return result;
}

// Runs the test of one kernel. SELF_TEST: wrong; other errors: it could not run.
PADICI_FN padic_result padici_gpu_test(const padici_gpu *gpu, uint32_t variant, uint32_t kernel)
{
    padic_context *context = gpu->context;
    const padici_gpu_test_fn test =
        padici_gpu_test_of(gpu->state->variants[variant].program << 16 | kernel);
    padici_gpu inner = *gpu;
    padici_gpu_case c;
    padici_gpu_block blocks[8];
    padic_result result = PADIC_OK;
    unsigned char *space;
    uint32_t i, round;
    if (!test) return PADIC_OK;
    space = (unsigned char *)padici_alloc(&context->allocator, PADICI_GPU_CASE_BYTES, 64);
    if (!space) return padici_fail(context, PADIC_ERROR_MEMORY, "out of host memory");
    context->stats.host_allocations++;
    context->stats.self_tests++;
    for (round = 0, c.again = 1; c.again && !result; round++) {
        memset(&c, 0, sizeof c);
        c.gpu = &inner;
        c.variant = variant;
        c.kernel = kernel;
        c.round = round;
        c.space = space;
        for (i = 0; i < 8; i++) blocks[i].block = PADICI_NO_BLOCK;
        result = (*test)(&c);
        if (result == PADIC_ERROR_NOT_SUPPORTED) {
            result = PADIC_OK;
            break;
        }
        if (!result) result = padici_gpu_case_run(&c, blocks);
        for (i = 0; i < 8; i++) padici_gpu_scratch_end(&inner, &blocks[i]);
    }
    padici_free(&context->allocator, space, PADICI_GPU_CASE_BYTES);
    return result;
}

#endif
