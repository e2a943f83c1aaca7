// padic_cache.h: a ready-made cache hook that keeps compiled programs and measured choices as files
// of one directory. Include after padic.h; where PADIC_IMPLEMENTATION is defined for that, this
// file's functions are compiled, too. PADIC_NO_STDIO leaves everything out.
//
//     padic_context_desc desc = PADIC_ZERO;
//     desc.cache = padic_cache_directory("cache"); // an existing directory; the text stays valid
//     padic_context_create(&desc, &context);
//
// A file is written under a name of its own and renamed when it is whole, so other processes never
// see half a file. Whatever goes wrong is a cache miss. Old files are the program's to delete: any
// of them may go at any time.
#ifndef PADIC_CACHE_H
#define PADIC_CACHE_H

#ifndef PADIC_HEADER
#error "include padic.h before padic_cache.h"
#endif

#ifndef PADIC_NO_STDIO
#ifdef __cplusplus
extern "C" {
#endif

// The hook for padic_context_desc.cache. `path` must stay valid as long as the hook is in use.
PADIC_API padic_cache padic_cache_directory(const char *path);

#ifdef __cplusplus
}
#endif
#endif
#endif // PADIC_CACHE_H

// ================================================================================================
#if defined(PADIC_IMPLEMENTATION) && !defined(PADIC_CACHE_IMPLEMENTED)
#define PADIC_CACHE_IMPLEMENTED
#ifndef PADIC_NO_STDIO

#include <stdio.h>

#define PADICI_CACHE_PATH 1024u

// "path/key" and what follows it; 0 when that is too long for a name.
static int padici_cache_path(char space[PADICI_CACHE_PATH], const char *path, const char *key,
                             const char *end)
{
    padici_text text;
    padici_text_begin(&text, space, PADICI_CACHE_PATH);
    padici_text_add(&text, path);
    padici_text_add(&text, "/");
    padici_text_add(&text, key);
    padici_text_add(&text, end);
    return text.left > 1;
}

static FILE *padici_cache_open(const char *path, const char *mode)
{
#ifdef _MSC_VER // where fopen is a warning
    FILE *file = NULL;
    return fopen_s(&file, path, mode) ? NULL : file;
#else
    return fopen(path, mode);
#endif
}

static int padici_cache_file_load(const char *key, void *data, size_t *size, void *user)
{
    char path[PADICI_CACHE_PATH];
    FILE *file;
    long length = -1;
    int whole = 0;
    if (!padici_cache_path(path, (const char *)user, key, ".padic")) return 0;
    file = padici_cache_open(path, "rb");
    if (!file) return 0;
    if (!fseek(file, 0, SEEK_END)) length = ftell(file);
    if (length > 0 && !data) {
        *size = (size_t)length;
        whole = 1;
    } else if (length > 0 && (size_t)length <= *size && !fseek(file, 0, SEEK_SET)) {
        *size = (size_t)length;
        whole = fread(data, 1, *size, file) == *size;
    }
    fclose(file);
    return whole;
}

// A name that no other process and no other thread uses now: from the time and where the stack is.
static void padici_cache_temporary(char end[40], const void *here)
{
    padici_text text;
    uint64_t salt = (uint64_t)(uintptr_t)here ^ (uint64_t)time(NULL) << 32 ^ (uint64_t)clock();
    padici_text_begin(&text, end, 40);
    padici_text_add(&text, ".");
    padici_text_number(&text, padici_mix(salt), 1);
    padici_text_add(&text, ".tmp");
}

static void padici_cache_file_store(const char *key, const void *data, size_t size, void *user)
{
    char path[PADICI_CACHE_PATH], temporary[PADICI_CACHE_PATH], end[40];
    FILE *file;
    int whole;
    if (!padici_cache_path(path, (const char *)user, key, ".padic")) return;
    padici_cache_temporary(end, path);
    if (!padici_cache_path(temporary, (const char *)user, key, end)) return;
    file = padici_cache_open(temporary, "wb");
    if (!file) return;
    whole = fwrite(data, 1, size, file) == size;
    whole &= !fflush(file);
    whole &= !fclose(file);
#ifdef _WIN32
    if (whole) remove(path); // there rename() never replaces
#endif
    if (!whole || rename(temporary, path)) remove(temporary);
}

PADIC_API padic_cache padic_cache_directory(const char *path)
{
    padic_cache cache;
    cache.load = padici_cache_file_load;
    cache.store = padici_cache_file_store;
    cache.user = (void *)(uintptr_t)path;
    return cache;
}

#endif // PADIC_NO_STDIO
#endif // PADIC_IMPLEMENTATION
