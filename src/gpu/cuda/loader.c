#include "loader.h"
#include "../../core/log.h"

#if PADICI_IMPLEMENT_CUDA

// -------------------------------------------------------------------------------------- >>loader

// Opens a library by path or name; NULL if it is not found. Libraries of the driver are never
// closed: they keep threads and exit handlers.
static void *padici_cuda_library(const char *name, int system_only)
{
#ifdef _WIN32
    void *library = NULL;
    // LOAD_LIBRARY_SEARCH_SYSTEM32: no driver from the program's folder.
    HMODULE module = LoadLibraryExA(name, NULL, system_only ? 0x00000800 : 0);
    memcpy(&library, &module, sizeof library);
    return library;
#else
    (void)system_only;
    return dlopen(name, RTLD_NOW | RTLD_LOCAL);
#endif
}

// Fills the struct of pointers. Returns the first missing required name, otherwise NULL.
PADICI_FN const char *padici_cuda_resolve(void *library, const padici_cuda_symbol *symbols,
                                          void *api)
{
    for (; symbols->name; symbols++) {
#ifdef _WIN32
        HMODULE module;
        FARPROC found;
        memcpy(&module, &library, sizeof module);
        found = GetProcAddress(module, symbols->name);
#else
        void *found = dlsym(library, symbols->name);
#endif
        if (!found && symbols->required) return symbols->name;
        memcpy((char *)api + symbols->at, &found, sizeof found);
    }
    return NULL;
}

PADICI_FN void *padici_cuda_library_any(const char *path, const char *const *names, int system_only)
{
    void *library = path ? padici_cuda_library(path, 0) : NULL;
    for (; !library && *names; names++) library = padici_cuda_library(*names, system_only);
    return library;
}

// NVRTC below CUDA_PATH, where the loader does not search.
PADICI_FN void *padici_nvrtc_below(void)
{
#ifdef _WIN32
    static const char *const ends[] = {"\\bin\\x64\\nvrtc64_130_0.dll", "\\bin\\nvrtc64_130_0.dll",
                                       "\\bin\\nvrtc64_120_0.dll", "\\bin\\nvrtc64_112_0.dll",
                                       NULL};
    char root[512];
    const DWORD length = GetEnvironmentVariableA("CUDA_PATH", root, sizeof root);
    if (!length || length >= sizeof root) return NULL;
#else
    static const char *const ends[] = {"/lib64/libnvrtc.so", NULL};
    const char *root = getenv("CUDA_PATH");
    if (!root || !*root) root = "/usr/local/cuda";
#endif
    {
        char path[600];
        void *library = NULL;
        uint32_t i;
        for (i = 0; ends[i] && !library; i++) {
            padici_text text;
            padici_text_begin(&text, path, sizeof path);
            padici_text_add(&text, root);
            padici_text_add(&text, ends[i]);
            library = padici_cuda_library(path, 0);
        }
        return library;
    }
}

#endif
