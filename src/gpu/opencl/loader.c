#include "loader.h"
#include "../../core/platform.h"
#include "errors.h"
#include "handles.h"
#include "interface.h"

#if PADICI_IMPLEMENT_OPENCL

// ---- the loader. The library stays open when the device is closed: drivers keep threads.

#ifdef PADIC_OPENCL_LINK

PADICI_FN padic_result padici_cl_load(padici_cl *cl, const padic_device_desc *desc)
{
    (void)desc;
#define PADICI_CL_LINKED(type, name, arguments)                    \
    {                                                              \
        void (*function)(void) = (void (*)(void))cl##name;         \
        memcpy((void *)&cl->api.name, (const void *)&function, sizeof function); \
    }
    PADICI_CL_FUNCTIONS(PADICI_CL_LINKED)
#undef PADICI_CL_LINKED
    return PADIC_OK;
}

#else

static void *padici_cl_library(const char *path)
{
#ifdef _WIN32
    return (void *)LoadLibraryA(path);
#else
    return dlopen(path, RTLD_NOW | RTLD_LOCAL);
#endif
}

static int padici_cl_symbol(void *library, const char *name, void *function, size_t size)
{
#ifdef _WIN32
    FARPROC found = GetProcAddress((HMODULE)library, name);
#else
    void *found = dlsym(library, name);
#endif
    if (!found || size != sizeof found) return 0;
    memcpy(function, (const void *)&found, size);
    return 1;
}

// Loads all functions of a library; returns the name of a missing one, or NULL.
static const char *padici_cl_functions(padici_cl_api *api, void *library)
{
#define PADICI_CL_FIND(type, name, arguments)                                       \
    if (!padici_cl_symbol(library, "cl" #name, (void *)&api->name, sizeof api->name)) \
        return "cl" #name;
    PADICI_CL_FUNCTIONS(PADICI_CL_FIND)
#undef PADICI_CL_FIND
    return NULL;
}

PADICI_FN padic_result padici_cl_load(padici_cl *cl, const padic_device_desc *desc)
{
#if defined(_WIN32) // from the system's folder only: the current one may be anybody's
    char system[300];
    const char *paths[2] = {desc->library_path, system};
    const UINT length = GetSystemDirectoryA(system, 280);
    if (!length || length >= 280) return padici_cl_say(cl, PADIC_ERROR_NO_DEVICE, "no driver", "");
    memcpy(system + length, "\\OpenCL.dll", 12);
#elif defined(__APPLE__)
    const char *paths[2] = {desc->library_path,
                            "/System/Library/Frameworks/OpenCL.framework/OpenCL"};
#elif defined(__ANDROID__)
    const char *paths[2] = {desc->library_path, "libOpenCL.so"};
#else
    const char *paths[3] = {desc->library_path, "libOpenCL.so.1", "libOpenCL.so"};
#endif
    const char *lacks = NULL;
    uint32_t i;
    for (i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        void *library = paths[i] && paths[i][0] ? padici_cl_library(paths[i]) : NULL;
        if (!library) continue;
        lacks = padici_cl_functions(&cl->api, library);
        if (!lacks) return PADIC_OK;
    }
    if (lacks)
        return padici_cl_say(cl, PADIC_ERROR_NO_DEVICE,
                             "the library found is older than OpenCL 1.2: it lacks ", lacks);
    return padici_cl_say(cl, PADIC_ERROR_NO_DEVICE, "not installed: there is no ",
                         paths[sizeof paths / sizeof paths[0] - 1]);
}

#endif

#endif
