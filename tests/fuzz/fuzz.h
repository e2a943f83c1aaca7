// fuzz.h: what the fuzz targets share. Each target is a LLVMFuzzerTestOneInput() for
//
//     clang -g -O1 -fsanitize=fuzzer,address,undefined tests/fuzz/fuzz_decode.c -o f
//     ./f -max_total_time=60 corpus tests/fuzz/corpus
//
// and, with -DPADIC_FUZZ_REPLAY, a program that replays files and folders under any compiler:
//
//     cc -DPADIC_FUZZ_REPLAY tests/fuzz/fuzz_decode.c -o f -lm && ./f tests/fuzz/corpus
//
// A target copies its input to a block of exactly that size, so that one byte too far is seen, and
// calls abort() when an answer that was called right is wrong.
#ifndef PADIC_FUZZ_H
#define PADIC_FUZZ_H

#define PADIC_IMPLEMENTATION
#include "../../padic.h"
#include "../support/codec_calls.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef __cplusplus
extern "C"
#endif
    int
    LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define FUZZ_CHECK(x) ((x) ? (void)0 : fuzz_failed(__FILE__, __LINE__, #x))
static inline void fuzz_failed(const char *file, int line, const char *what)
{
    fprintf(stderr, "%s:%d: failed: %s\n", file, line, what);
    abort();
}

static inline void *fuzz_new(size_t size)
{
    void *p = malloc(size ? size : 1);
    if (!p) exit(1);
    return p;
}

// Most bytes of an array that a target decodes: a few hostile bytes may well stand for a gigabyte.
#define FUZZ_MOST ((uint64_t)1 << 22)
#define FUZZ_MEMORY ((uint64_t)64 << 20)

// Counts what is in use, so that a limit is seen to be kept.
typedef struct fuzz_memory {
    uint64_t bytes, peak;
} fuzz_memory;

static inline void *fuzz_alloc(size_t size, size_t align, void *user)
{
    fuzz_memory *m = (fuzz_memory *)user;
    uint8_t *base = (uint8_t *)malloc(size + align + sizeof(void *));
    if (!base) return NULL;
    uintptr_t at = ((uintptr_t)base + sizeof(void *) + align - 1) & ~(uintptr_t)(align - 1);
    uint8_t *p = base + (at - (uintptr_t)base);
    memcpy(p - sizeof(void *), &base, sizeof(void *));
    m->bytes += size;
    if (m->bytes > m->peak) m->peak = m->bytes;
    return p;
}

static inline void fuzz_free(void *pointer, size_t size, void *user)
{
    fuzz_memory *m = (fuzz_memory *)user;
    uint8_t *base;
    if (!pointer) return;
    memcpy(&base, (uint8_t *)pointer - sizeof(void *), sizeof(void *));
    m->bytes -= size;
    free(base);
}

static inline padic_allocator fuzz_allocator(fuzz_memory *memory)
{
    padic_allocator a;
    memory->bytes = memory->peak = 0;
    a.alloc = fuzz_alloc;
    a.free = fuzz_free;
    a.user = memory;
    return a;
}

// A read() of `size` bytes in pieces that never look alike.
typedef struct fuzz_source {
    const uint8_t *bytes;
    size_t size, at;
} fuzz_source;

static inline int fuzz_read(void *data, size_t size, size_t *got, void *user)
{
    fuzz_source *s = (fuzz_source *)user;
    size_t n = s->size - s->at;
    if (n > size) n = size;
    if (n) memcpy(data, s->bytes + s->at, n);
    s->at += n;
    *got = n;
    return 0;
}

static inline padic_tensor fuzz_tensor(const padic_codec_report *r, void *data)
{
    padic_tensor t;
    memset(&t, 0, sizeof t);
    t.data = data;
    t.dtype = r->dtype;
    t.rank = r->rank;
    for (uint32_t a = 0; a < r->rank && a < PADIC_MAX_RANK; a++) t.shape[a] = r->shape[a];
    return t;
}

#ifdef PADIC_FUZZ_REPLAY
#include <dirent.h>

static int fuzz_replay(const char *path, int depth)
{
    int files = 0;
    DIR *folder = depth < 3 ? opendir(path) : NULL;
    if (folder) {
        for (struct dirent *e = readdir(folder); e; e = readdir(folder)) {
            char inner[2048];
            if (e->d_name[0] == '.') continue;
            snprintf(inner, sizeof inner, "%s/%s", path, e->d_name);
            files += fuzz_replay(inner, depth + 1);
        }
        closedir(folder);
        return files;
    }
    FILE *file = fopen(path, "rb");
    if (!file) {
        fprintf(stderr, "cannot read %s\n", path);
        exit(2);
    }
    const size_t most = (size_t)1 << 22;
    uint8_t *data = (uint8_t *)fuzz_new(most);
    const size_t size = fread(data, 1, most, file);
    fclose(file);
    LLVMFuzzerTestOneInput(data, size);
    free(data);
    return 1;
}

int main(int argc, char **argv)
{
    int files = 0;
    for (int i = 1; i < argc; i++) files += fuzz_replay(argv[i], 0);
    printf("replayed %d files\n", files);
    return files ? 0 : 1; // nothing replayed proves nothing
}
#endif

#endif // PADIC_FUZZ_H
