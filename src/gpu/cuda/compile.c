#include "compile.h"
#include "../../core/log.h"
#include "../../core/memory.h"
#include "../cache.h"
#include "loader.h"

#if PADICI_IMPLEMENT_CUDA

// ------------------------------------------------------------------------------------ >>programs

// Compiling.

// The compiler's log: all of it to the log hook, one line per call, its beginning to the message.
static void padici_nvrtc_log(padici_cuda *cuda, void *handle, const char *name, int failed)
{
    padici_text text;
    size_t size = 0;
    char *log, *line, *end;
    padici_cuda_say(cuda, &text);
    padici_text_add(&text, "NVRTC does not compile ");
    padici_text_add(&text, name);
    padici_text_add(&text, ": ");
    if (cuda->nvrtc.nvrtcGetProgramLogSize(handle, &size) || size < 2) return;
    log = (char *)padici_alloc(cuda->env.allocator, size + 1, 16);
    if (!log) return;
    if (!cuda->nvrtc.nvrtcGetProgramLog(handle, log)) {
        log[size] = 0;
        padici_text_add(&text, log);
        for (line = log; *line; line = end) {
            end = line + strcspn(line, "\n");
            if (*end) *end++ = 0;
            if (*line)
                padici_log_write(cuda->env.log, failed ? PADIC_LOG_ERROR : PADIC_LOG_WARNING, 0,
                                 line);
        }
    }
    padici_free(cuda->env.allocator, log, size + 1);
}

// Options and defines as an array of strings in one block.
static const char **padici_nvrtc_options(padici_cuda *cuda, const padic_program_desc *desc,
                                         const char *architecture, size_t *size)
{
    const uint32_t count = 3 + desc->define_count;
    padici_text text;
    const char **options;
    char *words;
    uint32_t i;
    *size = count * sizeof *options;
    for (i = 0; i < desc->define_count; i++) *size += strlen(desc->defines[i]) + 3;
    options = (const char **)padici_alloc(cuda->env.allocator, *size, 16);
    if (!options) return NULL;
    options[0] = architecture;
    options[1] = "--std=c++14";
    options[2] = "--fmad=false";
    words = (char *)(void *)(options + count);
    for (i = 0; i < desc->define_count; i++) {
        options[3 + i] = words;
        padici_text_begin(&text, words, strlen(desc->defines[i]) + 3);
        padici_text_add(&text, "-D");
        padici_text_add(&text, desc->defines[i]);
        words = text.at + 1;
    }
    return options;
}

// The image of a compiled program. Returns NVRTC's result, or -1: no host memory.
static int padici_nvrtc_image(padici_cuda *cuda, void *handle, padici_cuda_image *image)
{
    const padici_nvrtc_api *api = &cuda->nvrtc;
    const int cubin = image->kind == PADICI_CACHE_CUBIN;
    int error = cubin ? api->nvrtcGetCUBINSize(handle, &image->size)
                      : api->nvrtcGetPTXSize(handle, &image->size);
    if (error || !image->size) return error ? error : 5;
    image->data = padici_alloc(cuda->env.allocator, image->size, 16);
    if (!image->data) return -1;
    error = cubin ? api->nvrtcGetCUBIN(handle, (char *)image->data)
                  : api->nvrtcGetPTX(handle, (char *)image->data);
    if (!error) return 0;
    padici_free(cuda->env.allocator, image->data, image->size);
    image->data = NULL;
    return error;
}

// For one architecture: "sm_", "compute_".
PADICI_FN void padici_nvrtc_begin(padici_cuda *cuda, const padici_cuda_build *build,
                                  const char *prefix, int arch, const char *suffix,
                                  padici_nvrtc_work *work)
{
    padici_text text;
    memset(work, 0, sizeof *work);
    padici_text_begin(&text, work->architecture, sizeof work->architecture);
    padici_text_add(&text, "--gpu-architecture=");
    padici_text_add(&text, prefix);
    padici_text_number(&text, (uint64_t)(uint32_t)arch, 1);
    padici_text_add(&text, suffix);
    work->kind = prefix[0] == 's' ? PADICI_CACHE_CUBIN : PADICI_CACHE_PTX;
    work->count = 3 + build->desc->define_count;
    work->options = padici_nvrtc_options(cuda, build->desc, work->architecture, &work->size);
    work->error = -1;
    if (work->options)
        work->error = cuda->nvrtc.nvrtcCreateProgram(&work->handle, build->text,
                                                     build->program->name, 0, NULL, NULL);
}

// From any thread, beside others.
PADICI_FN void padici_nvrtc_run(const padici_cuda *cuda, padici_nvrtc_work *work)
{
    if (!work->error)
        work->error =
            cuda->nvrtc.nvrtcCompileProgram(work->handle, (int)work->count, work->options);
}

// The image, if all went well. Returns as above; 5: unknown architecture.
PADICI_FN int padici_nvrtc_end(padici_cuda *cuda, const char *name, padici_nvrtc_work *work,
                               padici_cuda_image *image)
{
    int error = work->error;
    memset(image, 0, sizeof *image);
    image->kind = work->kind;
    if (work->handle) {
        if (error != 5) padici_nvrtc_log(cuda, work->handle, name, error);
        if (!error) error = padici_nvrtc_image(cuda, work->handle, image);
        (void)cuda->nvrtc.nvrtcDestroyProgram(&work->handle);
    }
    padici_free(cuda->env.allocator, (void *)(uintptr_t)work->options, work->size);
    memset(work, 0, sizeof *work);
    return error;
}

// Translates NVRTC's result; the log has written the message for 6.
PADICI_FN padic_result padici_nvrtc_answer(padici_cuda *cuda, int error, const char *name)
{
    padici_text text;
    if (!error) return PADIC_OK;
    if (error == -1 || error == 1)
        return padici_cuda_fail(cuda, PADIC_ERROR_MEMORY, "out of host memory while compiling");
    if (error == 6 && cuda->env.message[0]) return PADIC_ERROR_BUILD;
    padici_cuda_say(cuda, &text);
    padici_text_add(&text, "NVRTC ");
    padici_text_number(&text, (uint64_t)(uint32_t)cuda->nvrtc_major, 1);
    padici_text_add(&text, ".");
    padici_text_number(&text, (uint64_t)(uint32_t)cuda->nvrtc_minor, 1);
    padici_text_add(&text, error == 5 ? " knows no architecture that fits " : " fails on ");
    padici_text_add(&text, error == 5 ? cuda->info.arch : name);
    padici_text_add(&text, ", answer ");
    padici_text_number(&text, (uint64_t)(uint32_t)error, 1);
    return PADIC_ERROR_BUILD;
}

#endif
