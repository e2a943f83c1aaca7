// mock_nvrtc.c: a fake libnvrtc.so, so that the CUDA backend is tested where no toolkit is.
//
//     cc -std=c99 -shared -fPIC tests/gpu/cuda/mock_nvrtc.c -o libnvrtc.so
//
// Its code is for mock_cuda.c: a CUBIN is an ELF signature with the architecture behind it.
#include "mock.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct program {
    int failed, cubin;
    char arch[32];
} program;

static mock_nvrtc state;
static const char log_text[] = "mock.cu(1): error: told to fail\nmock.cu(2): error: and again\n";

mock_nvrtc *mock_nvrtc_state(void);
mock_nvrtc *mock_nvrtc_state(void)
{
    return &state;
}

static int step(void)
{
    if (++state.calls != state.fail_at) return 0;
    return state.fail_with ? state.fail_with : 6;
}

static const int *archs(void)
{
    static const int usual[] = {75, 80, 86, 89, 90, 100, 120, 0};
    return state.archs ? state.archs : usual;
}

int nvrtcVersion(int *major, int *minor);
int nvrtcVersion(int *major, int *minor)
{
    const int error = step();
    *major = 12;
    *minor = 8;
    return error;
}

int nvrtcCreateProgram(program **p, const char *source, const char *name, int headers,
                       const char *const *texts, const char *const *names);
int nvrtcCreateProgram(program **p, const char *source, const char *name, int headers,
                       const char *const *texts, const char *const *names)
{
    const int error = step();
    (void)texts;
    (void)names;
    *p = NULL;
    if (error) return error;
    if (!source || !strstr(source, "PD_KERNEL") || !name || headers) return 3; // invalid input
    *p = (program *)calloc(1, sizeof **p);
    state.live++;
    return 0;
}

int nvrtcDestroyProgram(program **p);
int nvrtcDestroyProgram(program **p)
{
    free(*p);
    *p = NULL;
    state.live--;
    return 0;
}

// An architecture is known by its number; a letter behind it from 90 on.
static int known(const char *arch)
{
    char *end;
    const long number = strtol(arch, &end, 10);
    if (*end == 'a' && (number < 90 || state.refuse_a || end[1])) return 0;
    if (*end && *end != 'a') return 0;
    for (const int *a = archs(); *a; a++)
        if (*a == number) return 1;
    return 0;
}

int nvrtcCompileProgram(program *p, int count, const char *const *options);
int nvrtcCompileProgram(program *p, int count, const char *const *options)
{
    const int error = step();
    size_t at = 0;
    state.compiles++;
    state.options[0] = 0;
    p->failed = error != 0;
    for (int i = 0; i < count; i++) {
        const char *o = options[i];
        at += (size_t)snprintf(state.options + at, sizeof state.options - at, "%s ", o);
        if (at >= sizeof state.options) at = sizeof state.options - 1;
        if (!strncmp(o, "--gpu-architecture=sm_", 22)) {
            p->cubin = 1;
            snprintf(p->arch, sizeof p->arch, "sm_%s", o + 22);
            if (!known(o + 22)) return 5;
        } else if (!strncmp(o, "--gpu-architecture=compute_", 27)) {
            snprintf(p->arch, sizeof p->arch, "sm_%s", o + 27);
            if (!known(o + 27)) return 5;
        } else if (strcmp(o, "--std=c++14") && strcmp(o, "--fmad=false") && strncmp(o, "-D", 2)) {
            return 5; // invalid option
        }
    }
    return error;
}

int nvrtcGetProgramLogSize(program *p, size_t *size);
int nvrtcGetProgramLogSize(program *p, size_t *size)
{
    *size = p->failed ? sizeof log_text : 1;
    return 0;
}

int nvrtcGetProgramLog(program *p, char *log);
int nvrtcGetProgramLog(program *p, char *log)
{
    memcpy(log, p->failed ? log_text : "", p->failed ? sizeof log_text : 1);
    return 0;
}

static int image(const program *p, char *to)
{
    return sprintf(to, "%s .version 8.7 .target %s %064d", p->cubin ? "\177ELF" : "//", p->arch, 0);
}

int nvrtcGetPTXSize(program *p, size_t *size);
int nvrtcGetPTXSize(program *p, size_t *size)
{
    char text[256];
    *size = (size_t)image(p, text) + 1;
    return step();
}

int nvrtcGetPTX(program *p, char *to);
int nvrtcGetPTX(program *p, char *to)
{
    image(p, to);
    return step();
}

#ifndef MOCK_OLD // NVRTC before 11.1
int nvrtcGetNumSupportedArchs(int *count);
int nvrtcGetNumSupportedArchs(int *count)
{
    const int error = step();
    for (*count = 0; archs()[*count]; ++*count) {
    }
    return error;
}

int nvrtcGetSupportedArchs(int *out);
int nvrtcGetSupportedArchs(int *out)
{
    const int error = step();
    for (int i = 0; archs()[i]; i++) out[i] = archs()[i];
    return error;
}

int nvrtcGetCUBINSize(program *p, size_t *size);
int nvrtcGetCUBINSize(program *p, size_t *size)
{
    char text[256];
    *size = p->cubin && !state.no_cubin ? (size_t)image(p, text) : 0;
    return step();
}

int nvrtcGetCUBIN(program *p, char *to);
int nvrtcGetCUBIN(program *p, char *to)
{
    char text[256];
    memcpy(to, text, (size_t)image(p, text));
    return step();
}
#endif
