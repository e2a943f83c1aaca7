#include "tests.h"
#include "../context/launch.h"
#include "../context/messages.h"
#include "../context/operands.h"
#include "../context/operation.h"
#include "../context/ops.h"
#include "../context/state.h"
#include "../core/memory.h"
#include "drive.h"
#include "launch.h"
#include "tables.h"

#if PADICI_IMPLEMENT_GPU

// ---------------------------------------------------------------------------------------- >>tests

// The contents of buffer i before the launch: `size` bytes of 0xa5. If there is no room left the
// case fails, and the result is memory of others. (Sizes follow from the defines alone, and
// test_selftest.c makes all cases.)
PADICI_FN void *padici_gpu_image(padici_gpu_case *c, uint32_t i, uint64_t size)
{
    c->buffers[i].image = (unsigned char *)padici_gpu_space(c, size + PADICI_GPU_GUARD);
    c->buffers[i].size = size;
    memset(c->buffers[i].image, 0xa5, (size_t)size + PADICI_GPU_GUARD);
    return c->buffers[i].image;
}

// The contents of buffer i after the launch; initially a copy of the image.
PADICI_FN void *padici_gpu_answer(padici_gpu_case *c, uint32_t i)
{
    if (!c->buffers[i].answer) {
        c->buffers[i].answer = (unsigned char *)padici_gpu_space(c, c->buffers[i].size);
        memcpy(c->buffers[i].answer, c->buffers[i].image, (size_t)c->buffers[i].size);
    }
    return c->buffers[i].answer;
}

// Memory of a case that no buffer shows.
PADICI_FN void *padici_gpu_space(padici_gpu_case *c, uint64_t size)
{
    const size_t whole = ((size_t)size + 15u) & ~(size_t)15u;
    void *space = c->space + c->used;
    if (whole > PADICI_GPU_CASE_BYTES - c->used) {
        c->failed = 1;
        return c->space;
    }
    c->used += whole;
    return space;
}

// Numbers of a fill, by dtype; i: index of the buffer.
static void padici_gpu_fill_numbers(void *to, uint32_t i, uint32_t fill, padic_dtype dtype,
                                    uint64_t count)
{
    const size_t size = (size_t)count * padic_dtype_size(dtype);
    const int wide = dtype == PADIC_F64 || dtype == PADIC_C128;
    uint32_t random = 12345;
    uint64_t e;
    if (fill <= PADICI_FILL_ZERO) memset(to, fill == PADICI_FILL_ZERO ? 0 : 0xa5, size);
    for (e = 0; e < size / (wide ? 8 : 4) && fill > PADICI_FILL_ZERO; e++) {
        const uint32_t hash = ((uint32_t)e + 77u * i) * 2654435761u;
        random = random * 1664525u + 1013904223u;
        if (fill == PADICI_FILL_HASH)
            ((uint32_t *)to)[e] = (uint32_t)e * 2654435761u;
        else if (fill == PADICI_FILL_SAMPLES) // one in three is small, and one sample is 0
            ((float *)to)[e] = e / 2 == 3 ? 0
                                          : ((float)(int32_t)(random >> 12) - 524288.0f) /
                                                262144.0f * (e % 6 < 2 ? 0.01f : 1);
        else if (wide)
            ((double *)to)[e] = (double)(hash >> 28) - 8;
        else
            ((float *)to)[e] = (float)(hash >> 28) - 8;
    }
}

// Memory of a case that no buffer shows, with a fill's contents.
PADICI_FN void *padici_gpu_numbers(padici_gpu_case *c, uint32_t fill, padic_dtype dtype,
                                   uint64_t count)
{
    void *space = padici_gpu_space(c, count * padic_dtype_size(dtype));
    if (!c->failed) padici_gpu_fill_numbers(space, 0, fill, dtype, count);
    return space;
}

// Buffer i by its row. Returns where to write: the answer of a buffer that the kernel writes,
// otherwise the image.
PADICI_FN void *padici_gpu_make(padici_gpu_case *c, uint32_t i, uint32_t fill, padic_dtype dtype,
                                uint64_t count, double bound)
{
    void *image = padici_gpu_image(c, i, count * padic_dtype_size(dtype));
    if (!c->failed)
        padici_gpu_fill_numbers(image, i, fill & (PADICI_FILL_OUT - 1u), dtype, count);
    c->buffers[i].dtype = dtype == PADIC_F64 || dtype == PADIC_C128 ? PADIC_F64 : PADIC_F32;
    c->buffers[i].bound = bound;
    return fill & PADICI_FILL_OUT ? padici_gpu_answer(c, i) : image;
}

// The number after "WORD=" among the lines of a variant; `otherwise` if there is none.
static uint32_t padici_variant_define(const padici_variant *variant, const char *word,
                                      uint32_t otherwise)
{
    const size_t length = strlen(word);
    const char *line = variant->defines, *end = line + variant->defines_size;
    while (line < end) {
        const char *next = (const char *)memchr(line, '\n', (size_t)(end - line));
        if (!strncmp(line, word, length) && line[length] == '=') {
            uint32_t number = 0;
            for (line += length + 1; *line >= '0' && *line <= '9'; line++)
                number = number * 10 + (uint32_t)(*line - '0');
            return number;
        }
        line = next + 1;
    }
    return otherwise;
}

PADICI_FN uint32_t padici_gpu_define(const padici_gpu_case *c, const char *word, uint32_t otherwise)
{
    return padici_variant_define(&c->gpu->state->variants[c->variant], word, otherwise);
}

// The same for a driver, for the variant under test.
PADICI_FN uint32_t padici_gpu_tested(const padici_gpu *gpu, const char *word, uint32_t otherwise)
{
    return gpu->tested ? padici_variant_define(&gpu->state->variants[gpu->tested - 1], word,
                                               otherwise)
                       : otherwise;
}

// Prepares a round, except its launch. `test` is the row of the case's kernel.
PADICI_FN padic_result padici_gpu_case_make(padici_gpu_case *c, const padici_gpu_test *test)
{
    const padici_program_text *program =
        &padici_programs[c->gpu->state->variants[c->variant].program];
    padic_result result;
    uint32_t i;
    c->again = c->round + 1 < test->rounds;
    c->groups[0] = test->groups;
    for (i = 0; i < 8; i++) {
        const padici_gpu_test_buffer *b = &test->buffers[i];
        if (b->fill) (void)padici_gpu_make(c, i, b->fill, b->dtype, b->count, b->bound);
    }
    result = (*test->make)(c);
    for (i = 0; i < program->kernels[c->kernel].buffers && !result; i++)
        if (!c->buffers[i].image) (void)padici_gpu_image(c, i, 4);
    return !result && c->failed ? PADIC_ERROR_SELF_TEST : result;
}

// 1 if `size` bytes are as expected, elements within `bound`; see padici_gpu_case.
static int padici_gpu_near(const unsigned char *got, const unsigned char *want, size_t size,
                           padic_dtype dtype, double bound)
{
    const size_t step = dtype == PADIC_F64 || dtype == PADIC_C128 ? 8 : 4;
    size_t at;
    if (!(bound > 0)) return bound < 0 || !memcmp(got, want, size);
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
        if (!(error <= bound) && memcmp(got + at, want + at, step)) return 0;
    }
    return 1;
}

static int padici_gpu_compare(const padici_gpu_case *c, uint32_t i, const unsigned char *got)
{
    const unsigned char *image = c->buffers[i].image, *answer = c->buffers[i].answer;
    const size_t size = (size_t)c->buffers[i].size;
    const double bound = c->buffers[i].bound;
    return !memcmp(got + size, image + size, PADICI_GPU_GUARD) &&
           padici_gpu_near(got, answer ? answer : image, size, c->buffers[i].dtype,
                           answer || bound < 0 ? bound : 0);
}

// Uploads the images, launches, compares the results.
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

// Memory of an operand on the host and on the device, and its expected contents.
typedef struct padici_gpu_driven {
    unsigned char *image, *answer;
    padici_gpu_block block;
} padici_gpu_driven;

// The reference's answers: `desc` points to them meanwhile.
static padic_result padici_gpu_drive_host(padici_gpu_case *c, padici_call *call,
                                          padici_gpu_driven *driven)
{
    padic_result result;
    uint32_t i;
    for (i = 0; i < call->operand_count; i++) {
        const padici_operand *o = &call->operands[i];
        if (!o->tensor || !o->bytes) continue;
        driven[i].image = (unsigned char *)padici_gpu_space(c, o->bytes + PADICI_GPU_GUARD);
        driven[i].answer = (unsigned char *)padici_gpu_space(c, o->bytes + PADICI_GPU_GUARD);
        if (c->failed) return PADIC_ERROR_SELF_TEST;
        memset(driven[i].image, 0xa5, (size_t)o->bytes + PADICI_GPU_GUARD);
        if (o->out != 1) // else it must not be there already
            memcpy(driven[i].image, (const char *)o->tensor->data - o->before, (size_t)o->bytes);
        memcpy(driven[i].answer, driven[i].image, (size_t)o->bytes + PADICI_GPU_GUARD);
        o->tensor->data = driven[i].answer + o->before;
    }
    result = (*call->row->host)(NULL, call->desc);
    for (i = 0; i < call->operand_count; i++)
        if (driven[i].image)
            call->operands[i].tensor->data = driven[i].image + call->operands[i].before;
    return result;
}

// Has the driver run an operation, whose tensors lie in host memory, with the kernels of the tested
// variant, and compares its results with the reference's, floats within `bound`. `resident`: the
// driver treats the tensors as device memory.
PADICI_FN padic_result padici_gpu_case_drive(padici_gpu_case *c, uint32_t op, void *desc,
                                             int resident, double bound)
{
    padici_gpu gpu = *c->gpu;
    padici_gpu_driven driven[PADICI_MAX_OPERANDS];
    padici_call call;
    unsigned char *got;
    padic_result result = padici_call_begin(&call, gpu.context, op, desc);
    uint32_t i;
    memset(driven, 0, sizeof driven);
    for (i = 0; i < PADICI_MAX_OPERANDS; i++) driven[i].block.block = PADICI_NO_BLOCK;
    if (!result) result = padici_gpu_drive_host(c, &call, driven);
    for (i = 0; i < call.operand_count && !result; i++) {
        padici_operand *o = &call.operands[i];
        if (!driven[i].image) continue;
        result = padici_gpu_scratch(&gpu, o->bytes + PADICI_GPU_GUARD, &driven[i].block);
        if (result) break;
        o->now.mem = driven[i].block.mem;
        o->now.at = o->before;
        o->now.host = 0;
        if (resident) o->home = o->now;
        result = padici_gpu_upload(&gpu, o->now.mem, 0, driven[i].image,
                                   o->bytes + PADICI_GPU_GUARD);
    }
    gpu.op = op;
    gpu.call = &call;
    gpu.gathered = 0;
    if (!result) result = padici_gpu_drive_in(&gpu, &call);
    if (result == PADIC_ERROR_NOT_SUPPORTED) result = PADIC_ERROR_SELF_TEST; // nothing was tested
    for (i = 0; i < call.operand_count; i++) {
        const padici_operand *o = &call.operands[i];
        const uint64_t whole = o->bytes + PADICI_GPU_GUARD;
        if (!driven[i].image) continue;
        got = (unsigned char *)padici_gpu_space(c, whole);
        if (!result && c->failed) result = PADIC_ERROR_SELF_TEST;
        if (!result) result = padici_gpu_download(&gpu, o->now.mem, 0, got, whole);
        if (!result && (memcmp(got + o->bytes, driven[i].image + o->bytes, PADICI_GPU_GUARD) ||
                        !padici_gpu_near(got, driven[i].answer, (size_t)o->bytes, o->tensor->dtype,
                                         o->out ? bound : 0)))
            result = PADIC_ERROR_SELF_TEST;
        padici_gpu_scratch_end(&gpu, &driven[i].block);
    }
    return result;
}

// The test of a kernel, or NULL.
PADICI_FN const padici_gpu_test *padici_gpu_test_of(uint32_t kernel)
{
    static const padici_gpu_test *(*const families[])(void) = {
#define PADICI_GPU_FAMILY_ROW(area, name) padici_tests_##name,
        PADICI_GPU_FAMILIES(PADICI_GPU_FAMILY_ROW)
#undef PADICI_GPU_FAMILY_ROW
    };
    const padici_gpu_test *test;
    uint32_t i;
    for (i = 0; i < sizeof families / sizeof *families; i++)
        for (test = (*families[i])(); test->make; test++)
            if (test->kernel == kernel) return test;
    return NULL;
}

// Runs the test of one kernel. SELF_TEST: wrong; other errors: it could not run.
PADICI_FN padic_result padici_gpu_test_run(const padici_gpu *gpu, uint32_t variant, uint32_t kernel)
{
    padic_context *context = gpu->context;
    const padici_gpu_test *test =
        padici_gpu_test_of(gpu->state->variants[variant].program << 16 | kernel);
    padici_gpu inner = *gpu;
    padici_gpu_case c;
    padici_gpu_block blocks[8];
    padic_result result = PADIC_OK;
    unsigned char *space;
    uint32_t i, round;
    if (!test) return PADIC_OK;
    inner.tested = variant + 1;
    inner.call = NULL; // a test that drives an operation has its own
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
        result = padici_gpu_case_make(&c, test);
        if (result == PADIC_ERROR_NOT_SUPPORTED) { // also if a driver lacks a kernel
            const int lacks = gpu->state->variants[variant].dropped != 0;
            result = lacks && test->groups == PADICI_TEST_DRIVEN ? PADIC_ERROR_SELF_TEST : PADIC_OK;
            break;
        }
        if (!result && test->groups != PADICI_TEST_DRIVEN)
            result = padici_gpu_case_run(&c, blocks);
        for (i = 0; i < 8; i++) padici_gpu_scratch_end(&inner, &blocks[i]);
    }
    padici_free(&context->allocator, space, PADICI_GPU_CASE_BYTES);
    return result;
}

#endif
