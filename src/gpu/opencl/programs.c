#include "programs.h"
#include "../../core/log.h"
#include "../../core/memory.h"
#include "../../core/splitmix.h"
#include "../cache.h"
#include "../source.h"
#include "errors.h"
#include "../texts.h"

#if PADICI_IMPLEMENT_OPENCL

// ---- programs

static void padici_cl_log_lines(const padici_cl *cl, char *words) // one line per call
{
    while (*words) {
        char *end = words;
        int last;
        while (*end && *end != '\n' && *end != '\r') end++;
        last = !*end;
        *end = 0;
        if (end > words) padici_log_write(cl->env.log, PADIC_LOG_ERROR, 0, words);
        words = last ? end : end + 1;
    }
}

// The compiler's output: all of it to the log, its beginning to the message.
static padic_result padici_cl_build_failed(padici_cl *cl, const padici_cl_built_program *built,
                                           int32_t code)
{
    padic_result result = padici_cl_check(cl, "clBuildProgram", code);
    size_t size = 0;
    char *words = NULL;
    padici_text text;
    if (code != PADICI_CL_BUILD_FAILED && result != PADIC_ERROR_DEVICE) return result;
    if (!(*cl->api.GetProgramBuildInfo)(built->program, cl->device, PADICI_CL_BUILD_LOG, 0, NULL,
                                        &size) &&
        size)
        words = (char *)padici_alloc(cl->env.allocator, size + 1, 1);
    if (words) {
        memset(words, 0, size + 1);
        (void)(*cl->api.GetProgramBuildInfo)(built->program, cl->device, PADICI_CL_BUILD_LOG, size,
                                             words, NULL);
    }
    if (cl->env.message_size) {
        padici_text_begin(&text, cl->env.message, cl->env.message_size);
        padici_text_add(&text, "OpenCL: ");
        padici_text_add(&text, built->text->name);
        padici_text_add(&text, " does not compile: ");
        padici_cl_text_code(&text, code);
        padici_text_add(&text, ": ");
        if (words) padici_text_add(&text, words);
    }
    if (words) padici_cl_log_lines(cl, words);
    padici_free(cl->env.allocator, words, size + 1);
    return PADIC_ERROR_BUILD;
}

static void padici_cl_kernels_end(padici_cl *cl, padici_cl_built_program *built)
{
    uint32_t i;
    for (i = 0; i < built->text->kernel_count; i++)
        if (built->kernels[i]) (void)(*cl->api.ReleaseKernel)(built->kernels[i]);
    memset((void *)built->kernels, 0, built->text->kernel_count * sizeof *built->kernels);
    if (built->program) (void)(*cl->api.ReleaseProgram)(built->program);
    built->program = NULL;
    built->missing = 0;
}

PADICI_FN void padici_cl_program_end(padici_cl *cl, padici_cl_built_program *built)
{
    padici_cl_kernels_end(cl, built);
    padici_free(cl->env.allocator, (void *)built->kernels,
                built->text->kernel_count * sizeof *built->kernels);
    padici_free(cl->env.allocator, built, sizeof *built);
}

// Creates all kernels. One that the driver cannot create is NULL: only that one falls back.
static padic_result padici_cl_kernels(padici_cl *cl, padici_cl_built_program *built)
{
    padic_result result = PADIC_OK;
    uint32_t i;
    for (i = 0; i < built->text->kernel_count; i++) {
        int32_t code = 0;
        built->kernels[i] =
            (*cl->api.CreateKernel)(built->program, built->text->kernels[i].name, &code);
        if (!code) continue;
        built->kernels[i] = NULL;
        built->missing++;
        result = padici_cl_check(cl, built->text->kernels[i].name, code);
        if (result == PADIC_ERROR_MEMORY) return result;
        padici_log_write(cl->env.log, PADIC_LOG_WARNING, 0, cl->env.message);
    }
    return built->missing && built->missing == built->text->kernel_count ? PADIC_ERROR_BUILD
                                                                         : PADIC_OK;
}

// Loads from the cache; 0 if it is not there or the driver refuses it.
static int padici_cl_from_cache(padici_cl *cl, padici_cl_built_program *built, const char *options)
{
    void *payload = NULL;
    const unsigned char *binary;
    size_t size = 0;
    uint32_t kind = 0;
    int32_t status = 0, code = 0;
    if (!built->keyed ||
        !padici_cache_load(&cl->env, built->key.space, &kind, &payload, &size))
        return 0;
    binary = (const unsigned char *)payload;
    if (kind != PADICI_CACHE_OPENCL) code = 1;
    if (!code)
        built->program = (*cl->api.CreateProgramWithBinary)(cl->context, 1, &cl->device, &size,
                                                            &binary, &status, &code);
    if (code) built->program = NULL;
    if (!code) code = status;
    if (!code) code = (*cl->api.BuildProgram)(built->program, 1, &cl->device, options, NULL, NULL);
    if (!code && (padici_cl_kernels(cl, built) || built->missing)) code = 1;
    padici_cache_free(&cl->env, payload, size);
    if (!code) return 1;
    padici_cache_bad(&cl->env);
    padici_cl_kernels_end(cl, built);
    return 0;
}

static padic_result padici_cl_from_source(padici_cl *cl, padici_cl_built_program *built,
                                          const char *source, size_t size, const char *options)
{
    int32_t code = 0;
    built->program = (*cl->api.CreateProgramWithSource)(cl->context, 1, &source, &size, &code);
    if (code) {
        built->program = NULL;
        return padici_cl_check(cl, "clCreateProgramWithSource", code);
    }
    code = (*cl->api.BuildProgram)(built->program, 1, &cl->device, options, NULL, NULL);
    if (code) return padici_cl_build_failed(cl, built, code);
    built->fresh = 1;
    return padici_cl_kernels(cl, built);
}

// Must never contain an option that lets the compiler round differently.
static int padici_cl_options(const padic_program_desc *desc, char *space, size_t size)
{
    padici_text text;
    uint32_t i;
    padici_text_begin(&text, space, size);
    padici_text_add(&text, "-cl-std=CL1.2");
    for (i = 0; i < desc->define_count; i++) {
        padici_text_add(&text, " -D");
        padici_text_add(&text, desc->defines[i]);
    }
    return text.left > 1;
}

static padici_cl_built_program *padici_cl_program_new(const padici_cl *cl,
                                                      const padici_program_text *text)
{
    padici_cl_built_program *built =
        (padici_cl_built_program *)padici_alloc(cl->env.allocator, sizeof *built, 16);
    const size_t size = text->kernel_count * sizeof *built->kernels;
    if (!built) return NULL;
    memset(built, 0, sizeof *built);
    built->text = text;
    built->kernels = (padici_cl_kernel *)padici_alloc(cl->env.allocator, size, 16);
    if (built->kernels) {
        memset((void *)built->kernels, 0, size);
        return built;
    }
    padici_free(cl->env.allocator, built, sizeof *built);
    return NULL;
}

static padic_result padici_cl_program_build(padici_cl *cl, const padic_program_desc *desc,
                                            padici_cl_built_program *built)
{
    padici_cache_program about;
    char options[1024];
    size_t size = 0;
    char *source = NULL;
    padic_result result;
    if (!padici_cl_options(desc, options, sizeof options))
        return padici_cl_say(cl, PADIC_ERROR_LIMIT, "the defines are too long for a program: ",
                             built->text->name);
    result = padici_gpu_source(&cl->env, cl->kernel_dir, desc->program, NULL, &source, &size);
    if (result) return result == PADIC_ERROR_MEMORY ? padici_cl_no_memory(cl) : result;
    memset(&about, 0, sizeof about);
    about.backend = "opencl";
    about.info = &cl->info;
    about.program = built->text->name;
    about.text_hash = padici_checksum(source, size, 0);
    about.defines = desc->defines;
    about.define_count = desc->define_count;
    about.options = options;
    about.compiler = cl->compiler;
    built->keyed = padici_cache_program_key(&built->key, &about) != 0;
    if (!padici_cl_from_cache(cl, built, options))
        result = padici_cl_from_source(cl, built, source, size, options);
    padici_free(cl->env.allocator, source, size + 1);
    return result;
}

PADICI_FN padic_result padici_cl_make_program(padic_device *device, const padic_program_desc *desc,
                                              padic_program **out)
{
    padici_cl *cl = (padici_cl *)(void *)device;
    padici_cl_built_program *built;
    padic_result result;
    *out = NULL;
    if (cl->lost) return padici_cl_lost(cl);
    if (desc->program >= PADICI_PROGRAM_COUNT || padici_programs[desc->program].cuda)
        return padici_cl_say(cl, PADIC_ERROR_NOT_SUPPORTED, "no program of that number", "");
    built = padici_cl_program_new(cl, &padici_programs[desc->program]);
    if (!built) return padici_cl_no_memory(cl);
    result = padici_cl_program_build(cl, desc, built);
    if (result) {
        padici_cl_program_end(cl, built);
        return result;
    }
    built->next = cl->programs;
    cl->programs = built;
    *out = (padic_program *)(void *)built;
    return PADIC_OK;
}

// The binary for our device, one of several that the engine's context may have. NULL: none.
static void *padici_cl_binary(padici_cl *cl, const padici_cl_built_program *built, size_t *size)
{
    padici_cl_device devices[PADICI_CL_DEVICES_MAX];
    size_t sizes[PADICI_CL_DEVICES_MAX], bytes = 0, i, ours = PADICI_CL_DEVICES_MAX;
    unsigned char *places[PADICI_CL_DEVICES_MAX];
    memset((void *)places, 0, sizeof places);
    memset(sizes, 0, sizeof sizes);
    if ((*cl->api.GetProgramInfo)(built->program, PADICI_CL_PROGRAM_DEVICES, sizeof devices,
                                  devices, &bytes) ||
        (*cl->api.GetProgramInfo)(built->program, PADICI_CL_PROGRAM_BINARY_SIZES, sizeof sizes,
                                  sizes, NULL))
        return NULL;
    for (i = 0; i < bytes / sizeof devices[0]; i++)
        if (devices[i] == cl->device) ours = i;
    if (ours == PADICI_CL_DEVICES_MAX || !sizes[ours]) return NULL;
    *size = sizes[ours];
    places[ours] = (unsigned char *)padici_alloc(cl->env.allocator, *size, 16);
    if (places[ours] &&
        (*cl->api.GetProgramInfo)(built->program, PADICI_CL_PROGRAM_BINARIES,
                                  bytes / sizeof devices[0] * sizeof places[0], (void *)places,
                                  NULL)) {
        padici_free(cl->env.allocator, places[ours], *size);
        return NULL;
    }
    return places[ours];
}

// All kernels exist and passed their tests: the binary may be cached.
PADICI_FN void padici_cl_keep(padic_device *device, padic_program *program)
{
    padici_cl *cl = (padici_cl *)(void *)device;
    padici_cl_built_program *built = (padici_cl_built_program *)(void *)program;
    size_t size = 0;
    void *binary;
    if (!built->fresh || built->missing || !built->keyed || cl->lost) return;
    built->fresh = 0;
    if (!cl->env.cache || !cl->env.cache->store) return;
    binary = padici_cl_binary(cl, built, &size);
    if (!binary) return;
    padici_cache_store(&cl->env, built->key.space, PADICI_CACHE_OPENCL, binary, size);
    padici_free(cl->env.allocator, binary, size);
}

#endif
