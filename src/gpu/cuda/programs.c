#include "programs.h"
#include "../../core/jobs.h"
#include "../../core/log.h"
#include "../../core/memory.h"
#include "../../core/splitmix.h"
#include "../cache.h"
#include "../source.h"
#include "compile.h"
#include "device.h"
#include "open.h"
#include "../texts.h"
#include "../../made/cuda_texts.h"

#if PADICI_IMPLEMENT_CUDA

// Programs of the driver: from PTX, from the cache or compiled; launches of their kernels.

// 1 if the error concerns the image, not the device or its memory.
static int padici_cuda_image_refused(int error)
{
    return error == 200 || error == 209 || error == 218 || error == 222 || error == 300;
}

static padic_result padici_cuda_load_answer(padici_cuda *cuda, int error)
{
    padici_text text;
    if (!padici_cuda_image_refused(error))
        return padici_cuda_answer(cuda, error, "cuModuleLoadData", 0);
    padici_cuda_say(cuda, &text);
    if (error == 222) {
        padici_text_add(&text, "the driver is for CUDA ");
        padici_cuda_version_text(&text, cuda->driver);
        padici_text_add(&text, " and this program's PTX is newer");
        if (cuda->has_nvrtc) {
            padici_text_add(&text, " (NVRTC ");
            padici_text_number(&text, (uint64_t)(uint32_t)cuda->nvrtc_major, 1);
            padici_text_add(&text, ".");
            padici_text_number(&text, (uint64_t)(uint32_t)cuda->nvrtc_minor, 1);
            padici_text_add(&text, ")");
        }
        padici_text_add(&text, ": update the driver or use an older toolkit");
    } else {
        padici_text_add(&text, "the driver refuses the program's code, answer ");
        padici_text_number(&text, (uint64_t)(uint32_t)error, 1);
    }
    return PADIC_ERROR_BUILD;
}

// Module and kernels of an image. A kernel that this variant lacks is NULL. Returns the driver's
// result.
static int padici_cuda_load(padici_cuda *cuda, const padici_cuda_image *image,
                            padici_cuda_program *program)
{
    const padici_program_text *text = &padici_programs[program->program];
    const char *bytes = (const char *)image->data;
    uint32_t i;
    int error;
    // The driver takes no size, so anything but an image must not reach it.
    if (image->kind == PADICI_CACHE_CUBIN ? image->size < 64 || memcmp(bytes, "\177ELF", 4)
                                          : !image->size || bytes[image->size - 1])
        return 200;
    error = cuda->api.cuModuleLoadData(&program->module, bytes);
    if (error) program->module = NULL;
    for (i = 0; i < program->kernel_count && !error; i++) {
        void **function = &padici_cuda_functions(program)[i];
        error = cuda->api.cuModuleGetFunction(function, program->module, text->kernels[i].name);
        if (error) *function = NULL;
        if (error == 500) error = 0; // no function of that name
        if (*function && program->dynamic && // CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
            (!cuda->api.cuFuncSetAttribute ||
             cuda->api.cuFuncSetAttribute(*function, 8, (int)program->dynamic)))
            *function = NULL; // this chip has less
    }
    if (error && program->module) {
        (void)cuda->api.cuModuleUnload(program->module);
        program->module = NULL;
    }
    return error;
}

// A program that is being built.
typedef struct padici_cuda_making {
    padici_cuda_program *program; // NULL: it cannot be
    padici_cuda_build build;
    char *text, *key;
    size_t size; // of the text
    padici_nvrtc_work work; // begun for `way`
    int way, done;
    padic_result result; // if done
} padici_cuda_making;

// Code for the chip itself, then PTX of the best virtual architecture. A CUDA-only program uses
// architecture-specific instructions (sm_90a) where it can. Begins the next way; 3: none is left.
static void padici_cuda_way(padici_cuda *cuda, padici_cuda_making *m)
{
    for (; m->way < 3; m->way++) {
        const int virtual_code = m->way == 2;
        if (m->way == 0 && !(m->build.program->cuda && cuda->arch >= 90 && cuda->exact)) continue;
        if (m->way == 1 && !cuda->exact) continue;
        if (virtual_code && !cuda->virtual_arch) continue;
        padici_nvrtc_begin(cuda, &m->build, virtual_code ? "compute_" : "sm_",
                           virtual_code ? cuda->virtual_arch : cuda->arch, m->way ? "" : "a",
                           &m->work);
        return;
    }
}

// Compiles and loads. The first way has run already.
static padic_result padici_cuda_compile(padici_cuda *cuda, padici_cuda_making *m,
                                        padici_cuda_image *image)
{
    int error = 5, refused = 0;
    while (m->way < 3) {
        error = padici_nvrtc_end(cuda, m->build.program->name, &m->work, image);
        if (error && error != 5) break;
        if (!error) {
            refused = padici_cuda_load(cuda, image, m->program);
            if (!refused) return PADIC_OK;
            padici_free(cuda->env.allocator, image->data, image->size);
            image->data = NULL;
            if (!padici_cuda_image_refused(refused)) break;
        }
        m->way++;
        padici_cuda_way(cuda, m);
        if (m->way < 3) padici_nvrtc_run(cuda, &m->work);
    }
    if (refused) return padici_cuda_load_answer(cuda, refused);
    return padici_nvrtc_answer(cuda, error, m->build.program->name);
}

#ifdef PADIC_CUDA_PTX
// 1 if these are the wanted defines, in any order.
static int padici_cuda_defines_fit(const padic_program_desc *desc, const char *joined)
{
    uint32_t i, words = 0;
    const char *at;
    for (at = joined; *at; at++) words += *at != ' ' && (at == joined || at[-1] == ' ');
    if (words != desc->define_count) return 0;
    for (i = 0; i < desc->define_count; i++) {
        const size_t length = strlen(desc->defines[i]);
        for (at = strstr(joined, desc->defines[i]); at; at = strstr(at + 1, desc->defines[i]))
            if ((at == joined || at[-1] == ' ') && (!at[length] || at[length] == ' ')) break;
        if (!at) return 0;
    }
    return 1;
}

// Loads the compiled-in PTX; NOT_SUPPORTED if this variant is not among it.
static padic_result padici_cuda_shipped(padici_cuda *cuda, const padici_cuda_build *build,
                                        padici_cuda_program *program)
{
    uint32_t i;
    for (i = 0; i < sizeof padici_cuda_ptx / sizeof *padici_cuda_ptx; i++) {
        padici_cuda_image image;
        if (strcmp(padici_cuda_ptx[i].name, build->program->name)) continue;
        if (padici_cuda_ptx[i].hash != build->program->hash) continue;
        if (!padici_cuda_defines_fit(build->desc, padici_cuda_ptx[i].defines)) continue;
        image.data = (void *)(uintptr_t)padici_cuda_ptx[i].text;
        image.size = padici_cuda_ptx[i].size;
        image.kind = PADICI_CACHE_PTX;
        return padici_cuda_load_answer(cuda, padici_cuda_load(cuda, &image, program));
    }
    return PADIC_ERROR_NOT_SUPPORTED;
}
#endif

// The key of NVRTC's output; a copy of its text, or NULL if nothing is to be cached.
static char *padici_cuda_key(padici_cuda *cuda, const padici_cuda_build *build, uint64_t hash)
{
    padici_cache_program fields;
    padici_cache_key key;
    padici_text text;
    char compiler[32], *copy;
    size_t size;
    if (!cuda->env.cache || !cuda->env.cache->load || !cuda->has_nvrtc) return NULL;
    padici_text_begin(&text, compiler, sizeof compiler);
    padici_text_add(&text, "NVRTC ");
    padici_text_number(&text, (uint64_t)(uint32_t)cuda->nvrtc_major, 1);
    padici_text_add(&text, ".");
    padici_text_number(&text, (uint64_t)(uint32_t)cuda->nvrtc_minor, 1);
    memset(&fields, 0, sizeof fields);
    fields.backend = "cuda";
    fields.info = &cuda->info;
    fields.program = build->program->name;
    fields.text_hash = hash;
    fields.defines = build->desc->defines;
    fields.define_count = build->desc->define_count;
    fields.options = "--std=c++14 --fmad=false";
    fields.compiler = compiler;
    if (!padici_cache_program_key(&key, &fields)) return NULL;
    size = strlen(key.space) + 1;
    copy = (char *)padici_alloc(cuda->env.allocator, size, 16);
    if (copy) memcpy(copy, key.space, size);
    return copy;
}

// Loads from the cache. 1: done, or failed for a reason unrelated to the entry (in *result).
static int padici_cuda_cached(padici_cuda *cuda, const char *key, padici_cuda_program *program,
                              padic_result *result)
{
    padici_cuda_image image;
    int error;
    if (!padici_cache_load(&cuda->env, key, &image.kind, &image.data, &image.size)) return 0;
    error = padici_cuda_load(cuda, &image, program);
    padici_cache_free(&cuda->env, image.data, image.size);
    if (error && padici_cuda_image_refused(error)) {
        padici_cache_bad(&cuda->env);
        return 0;
    }
    *result = padici_cuda_answer(cuda, error, "cuModuleLoadData", 0);
    return 1;
}

// Finds the text and what the cache has, and begins to compile.
static void padici_cuda_making_begin(padici_cuda *cuda, const padic_program_desc *desc,
                                     padici_cuda_making *m)
{
    const uint32_t kernels = padici_programs[desc->program].kernel_count;
    const size_t size = sizeof *m->program + kernels * sizeof(void *);
    padici_cuda_program *program =
        (padici_cuda_program *)padici_alloc(cuda->env.allocator, size, 16);
    uint32_t i;
    memset(m, 0, sizeof *m);
    m->program = program;
    m->build.program = &padici_programs[desc->program];
    m->build.desc = desc;
    m->done = 1;
    m->result = PADIC_ERROR_MEMORY;
    if (!program) {
        (void)padici_cuda_fail(cuda, m->result, "out of host memory");
        return;
    }
    memset(program, 0, size);
    program->program = desc->program;
    program->kernel_count = kernels;
    for (i = 0; i < desc->define_count; i++) {
        if (!strncmp(desc->defines[i], "PD_DYNAMIC_BYTES=", 17))
            program->dynamic = (uint32_t)strtoul(desc->defines[i] + 17, NULL, 10);
        if (!strcmp(desc->defines[i], "PD_COOPERATIVE=1")) program->cooperative = 1;
    }
    m->result = padici_gpu_source(&cuda->env, cuda->kernel_dir, desc->program, padici_cuda_texts,
                                  &m->text, &m->size);
    if (m->result == PADIC_ERROR_MEMORY)
        (void)padici_cuda_fail(cuda, m->result, "out of host memory");
    if (m->result) return;
    m->build.text = m->text;
    m->key = padici_cuda_key(cuda, &m->build,
                             cuda->kernel_dir ? padici_checksum(m->text, m->size, 0)
                                              : m->build.program->hash);
    if (m->key && padici_cuda_cached(cuda, m->key, program, &m->result)) return;
    m->done = 0;
    if (cuda->has_nvrtc) padici_cuda_way(cuda, m);
}

static padic_result padici_cuda_making_end(padici_cuda *cuda, padici_cuda_making *m,
                                           padic_program **out)
{
    padici_cuda_image image;
    padic_result result = m->done ? m->result : PADIC_OK;
    memset(&image, 0, sizeof image);
    if (!m->done) {
        cuda->env.message[0] = 0;
        if (cuda->has_nvrtc) result = padici_cuda_compile(cuda, m, &image);
#ifdef PADIC_CUDA_PTX
        if (!cuda->has_nvrtc || result == PADIC_ERROR_BUILD) {
            const padic_result shipped = padici_cuda_shipped(cuda, &m->build, m->program);
            if (shipped == PADIC_ERROR_NOT_SUPPORTED && !cuda->has_nvrtc)
                result = padici_cuda_fail(cuda, PADIC_ERROR_BUILD,
                                          "no NVRTC, and no shipped PTX of this program's variant");
            else if (shipped != PADIC_ERROR_NOT_SUPPORTED)
                result = shipped;
        }
#endif
    }
    if (!result && m->key && image.data) { // for keep()
        m->program->image = image;
        m->program->key = m->key;
        m->key = NULL;
    } else {
        padici_free(cuda->env.allocator, image.data, image.size);
    }
    padici_free(cuda->env.allocator, m->key, m->key ? strlen(m->key) + 1 : 0);
    if (m->text) padici_free(cuda->env.allocator, m->text, m->size + 1);
    *out = NULL;
    if (!result) {
        m->program->next = cuda->programs;
        cuda->programs = m->program;
        *out = (padic_program *)(void *)m->program;
    } else if (m->program) {
        padici_cuda_drop_program(cuda, m->program);
    }
    return result;
}

typedef struct padici_cuda_makings {
    padici_cuda *cuda;
    padici_cuda_making *all;
} padici_cuda_makings;

static void padici_cuda_making_run(void *arg, uint32_t task)
{
    const padici_cuda_makings *m = (const padici_cuda_makings *)arg;
    if (!m->all[task].done && m->all[task].work.handle)
        padici_nvrtc_run(m->cuda, &m->all[task].work);
}

PADICI_FN padic_result padici_cuda_program_build(padic_device *device,
                                                 const padic_program_desc *desc,
                                                 padic_program **out)
{
    padic_result result;
    padici_cuda_programs_build(device, desc, 1, out, &result);
    return result;
}

PADICI_FN void padici_cuda_programs_build(padic_device *device, const padic_program_desc *descs,
                                          uint32_t count, padic_program **out,
                                          padic_result *results)
{
    padici_cuda *cuda = (padici_cuda *)(void *)device;
    padici_cuda_makings makings;
    padic_result result = PADIC_OK;
    uint32_t i;
    makings.cuda = cuda;
    makings.all = NULL;
    for (i = 0; i < count; i++) {
        out[i] = NULL;
        if (descs[i].program >= PADICI_PROGRAM_COUNT)
            result = padici_cuda_fail(cuda, PADIC_ERROR_ARGUMENT, "there is no such program");
    }
    if (!result) result = padici_cuda_enter_idle(cuda, "building of programs");
    if (!result) {
        makings.all = (padici_cuda_making *)padici_alloc(cuda->env.allocator,
                                                         count * sizeof *makings.all, 16);
        if (!makings.all)
            result = padici_cuda_leave(
                cuda, padici_cuda_fail(cuda, PADIC_ERROR_MEMORY, "out of host memory"));
    }
    if (!makings.all) {
        for (i = 0; i < count; i++) results[i] = result;
        return;
    }
    for (i = 0; i < count; i++) padici_cuda_making_begin(cuda, &descs[i], &makings.all[i]);
    padici_parallel(cuda->env.jobs, count, padici_cuda_making_run, &makings);
    for (i = 0; i < count; i++)
        results[i] = padici_cuda_making_end(cuda, &makings.all[i], &out[i]);
    padici_free(cuda->env.allocator, makings.all, count * sizeof *makings.all);
    (void)padici_cuda_leave(cuda, PADIC_OK);
}

// Its kernels passed their tests: the binary may be cached.
PADICI_FN void padici_cuda_keep(padic_device *device, padic_program *handle)
{
    padici_cuda *cuda = (padici_cuda *)(void *)device;
    padici_cuda_program *program = (padici_cuda_program *)(void *)handle;
    padici_cuda_image *image = &program->image;
    if (!image->data) return;
    padici_cache_store(&cuda->env, program->key, image->kind, image->data, image->size);
    padici_cuda_forget(cuda, program);
}

// All groups run at a time, or the answer is NOT_SUPPORTED.
static padic_result padici_cuda_launch_together(padici_cuda *cuda, void *function, uint32_t dynamic,
                                                const padic_launch *launch,
                                                unsigned char *arguments)
{
    void *pointers[9];
    uint32_t i;
    int error;
    if (!cuda->api.cuLaunchCooperativeKernel)
        return padici_cuda_fail(cuda, PADIC_ERROR_NOT_SUPPORTED,
                                "this driver has no cooperative launches");
    for (i = 0; i <= launch->mem_count; i++) pointers[i] = arguments + 8 * i;
    error = cuda->api.cuLaunchCooperativeKernel(function, launch->groups[0], launch->groups[1],
                                                launch->groups[2], launch->group, 1, 1, dynamic,
                                                cuda->stream, pointers);
    if (error == 720 || error == 801) // ..COOPERATIVE_LAUNCH_TOO_LARGE, ..NOT_SUPPORTED
        return padici_cuda_fail(cuda, PADIC_ERROR_NOT_SUPPORTED,
                                "the device cannot run all groups of a launch at a time");
    return padici_cuda_answer(cuda, error, "cuLaunchCooperativeKernel", 0);
}

// Arguments are passed packed: the buffers' addresses, then the struct, as the kernel declares
// them.
PADICI_FN padic_result padici_cuda_launch(padic_device *device, const padic_launch *launch)
{
    padici_cuda *cuda = (padici_cuda *)(void *)device;
    padici_cuda_program *program = (padici_cuda_program *)(void *)launch->program;
    unsigned char arguments[8 * 8 + 256];
    size_t size = launch->mem_count * sizeof(uint64_t);
    void *extra[5], *function = padici_cuda_functions(program)[launch->kernel];
    padic_result result;
    uint32_t i;
    if (!function)
        return padici_cuda_fail(cuda, PADIC_ERROR_NOT_SUPPORTED,
                                "this variant of the program lacks the kernel");
    for (i = 0; i < launch->mem_count; i++) memcpy(arguments + 8 * i, &launch->mem[i].bits, 8);
    memcpy(arguments + size, launch->params, launch->params_size);
    size += launch->params_size;
    extra[0] = (void *)(uintptr_t)1; // CU_LAUNCH_PARAM_BUFFER_POINTER
    extra[1] = arguments;
    extra[2] = (void *)(uintptr_t)2; // CU_LAUNCH_PARAM_BUFFER_SIZE
    extra[3] = &size;
    extra[4] = NULL; // CU_LAUNCH_PARAM_END
    result = padici_cuda_enter(cuda);
    if (result) return result;
    cuda->last_op = launch->op;
    if (program->cooperative) {
        result = padici_cuda_launch_together(cuda, function, program->dynamic, launch, arguments);
        return padici_cuda_leave(cuda, result);
    }
    result = padici_cuda_answer(
        cuda,
        cuda->api.cuLaunchKernel(function, launch->groups[0], launch->groups[1], launch->groups[2],
                                 launch->group, 1, 1, program->dynamic, cuda->stream, NULL, extra),
        "cuLaunchKernel", 0);
    return padici_cuda_leave(cuda, result);
}

#endif
