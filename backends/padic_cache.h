// padic_cache.h: a ready-made cache hook that keeps compiled programs and measured choices as files
// of one directory. Needs padic.h, which it includes; where PADIC_IMPLEMENTATION is defined, its
// functions are compiled, too. PADIC_NO_STDIO leaves everything out.
//
//     padic_context_desc desc = PADIC_ZERO;
//     desc.cache = padic_cache_directory("cache"); // the text stays valid
//     padic_context_create(&desc, &context);
//
// What lies there is handed to the driver, so the directory must be the user's own: one of another
// user, or in which group or others may write, is not used, nor are such files, links and what is
// no plain file. A directory that is missing is made at the first store, with mode 0700, if its
// parent exists. On Windows none of that is looked at, and nothing is made: give a directory below
// the user's profile.
//
// A file is written under a name of its own and renamed when it is whole, so other processes never
// see half a file. Whatever goes wrong is a cache miss. Old files are the program's to delete: any
// of them may go at any time.
#if !defined(PADIC_HEADER) || !defined(PADIC_IMPLEMENTED)
#ifdef __has_include
#if __has_include("padic.h")
#include "padic.h"
#elif __has_include("../padic.h")
#include "../padic.h"
#endif
#elif !defined(PADIC_HEADER)
#include "../padic.h"
#endif
#endif
#ifndef PADIC_HEADER
#error "padic_cache.h needs padic.h beside it or in the folder above: put it there"
#endif
#if PADIC_BACKEND_VERSION != 4u
#error "padic_cache.h is for another version of padic.h: take both from one release"
#endif

#ifndef PADIC_CACHE_H
#define PADIC_CACHE_H

#ifndef PADIC_NO_STDIO
#ifdef __cplusplus
extern "C" {
#endif

// The hook for padic_context_desc.cache. `path` must stay valid as long as the hook is in use.
PADIC_API padic_cache padic_cache_directory(const char *path);

// Why nothing would be kept there, a sentence to log; NULL: nothing speaks against it. One that is
// missing, but may be made, is fine.
PADIC_API const char *padic_cache_refusal(const char *path);

#ifdef __cplusplus
}
#endif
#endif
#endif // PADIC_CACHE_H

// ================================================================================================
#if (defined(PADIC_IMPLEMENTATION) || defined(PADIC_IMPLEMENT_CACHE)) && \
    !defined(PADIC_CACHE_IMPLEMENTED)
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

// Where users and modes are known, files are opened by number; else by the C library.
#if !defined(_WIN32) && (defined(__unix__) || defined(__APPLE__))
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

// Never through a link, never waiting for the other end of a pipe, never for a child to inherit.
// Strict C leaves some of these names out; glibc has them under others.
#ifdef O_NOFOLLOW
#define PADICI_CACHE_NOFOLLOW O_NOFOLLOW
#elif defined(__O_NOFOLLOW)
#define PADICI_CACHE_NOFOLLOW __O_NOFOLLOW
#else
#define PADICI_CACHE_NOFOLLOW 0
#endif
#ifdef O_CLOEXEC
#define PADICI_CACHE_CLOEXEC O_CLOEXEC
#elif defined(__O_CLOEXEC)
#define PADICI_CACHE_CLOEXEC __O_CLOEXEC
#else
#define PADICI_CACHE_CLOEXEC 0
#endif
#define PADICI_CACHE_OPEN (PADICI_CACHE_NOFOLLOW | PADICI_CACHE_CLOEXEC | O_NONBLOCK)

static int padici_cache_ours(const struct stat *s)
{
    return s->st_uid == geteuid() && !(s->st_mode & (S_IWGRP | S_IWOTH));
}

PADIC_API const char *padic_cache_refusal(const char *path)
{
    struct stat s;
    if (!path) return "cache: path is NULL: name a directory";
    if (stat(path, &s)) return NULL; // then it cannot be read, either
    if (!S_ISDIR(s.st_mode)) return "cache: path is no directory: name another";
    if (s.st_uid != geteuid())
        return "cache: the directory is another user's: name one of your own";
    if (!padici_cache_ours(&s))
        return "cache: group or others may write in the directory: chmod it to 0700";
    return NULL;
}

// A file to read, of *length bytes; -1: none that is to be trusted.
static int padici_cache_open(const char *path, uint64_t *length)
{
    const int file = open(path, O_RDONLY | PADICI_CACHE_OPEN);
    struct stat s;
    if (file < 0) return -1;
    if (!fstat(file, &s) && S_ISREG(s.st_mode) && padici_cache_ours(&s) && s.st_size > 0) {
        *length = (uint64_t)s.st_size;
        return file;
    }
    close(file);
    return -1;
}

static int padici_cache_read_file(const char *path, void *data, size_t *size)
{
    uint64_t length = 0;
    size_t at = 0;
    ssize_t got = 1;
    const int file = padici_cache_open(path, &length);
    int whole = file >= 0 && length <= (data ? *size : SIZE_MAX);
    if (whole) *size = (size_t)length;
    while (whole && data && at < *size && got > 0) {
        got = read(file, (char *)data + at, *size - at);
        at += got > 0 ? (size_t)got : 0;
    }
    if (file >= 0) close(file);
    return whole && (!data || at == *size);
}

// Never one that is there already.
static int padici_cache_write_file(const char *path, const void *data, size_t size)
{
    const int file = open(path, O_WRONLY | O_CREAT | O_EXCL | PADICI_CACHE_OPEN, 0600);
    size_t at = 0;
    ssize_t put = 1;
    if (file < 0) return -1;
    while (at < size && put > 0) {
        put = write(file, (const char *)data + at, size - at);
        at += put > 0 ? (size_t)put : 0;
    }
    return !close(file) && at == size;
}

static void padici_cache_make(const char *path)
{
    (void)!mkdir(path, 0700); // mostly it is there
}
#else
static FILE *padici_cache_open(const char *path, const char *mode)
{
#ifdef _MSC_VER // where fopen is a warning
    FILE *file = NULL;
    return fopen_s(&file, path, mode) ? NULL : file;
#else
    return fopen(path, mode);
#endif
}

PADIC_API const char *padic_cache_refusal(const char *path)
{
    return path ? NULL : "cache: path is NULL: name a directory";
}

static int padici_cache_read_file(const char *path, void *data, size_t *size)
{
    FILE *const file = padici_cache_open(path, "rb");
    long length = -1;
    int whole = 0;
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

static int padici_cache_write_file(const char *path, const void *data, size_t size)
{
    FILE *const file = padici_cache_open(path, "wb");
    int whole;
    if (!file) return -1;
    whole = fwrite(data, 1, size, file) == size;
    whole &= !fflush(file);
    return whole & !fclose(file);
}

static void padici_cache_make(const char *path)
{
    (void)path;
}
#endif

static int padici_cache_file_load(const char *key, void *data, size_t *size, void *user)
{
    char path[PADICI_CACHE_PATH];
    if (padic_cache_refusal((const char *)user)) return 0;
    if (!padici_cache_path(path, (const char *)user, key, ".padic")) return 0;
    return padici_cache_read_file(path, data, size);
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
    int whole;
    if (!user) return;
    if (!padici_cache_path(path, (const char *)user, key, ".padic")) return;
    padici_cache_temporary(end, path);
    if (!padici_cache_path(temporary, (const char *)user, key, end)) return;
    padici_cache_make((const char *)user);
    if (padic_cache_refusal((const char *)user)) return;
    whole = padici_cache_write_file(temporary, data, size);
    if (whole < 0) return; // nothing was made
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
