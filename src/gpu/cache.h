#pragma once
#include "../core/log.h"
#include "../core/platform.h"

enum {
    PADICI_CACHE_CUBIN = 1,
    PADICI_CACHE_PTX = 2,
    PADICI_CACHE_OPENCL = 3,
    PADICI_CACHE_TUNED = 4
};

// A key text under construction; the functions below take `space`.
typedef struct padici_cache_key {
    padici_text text;
    char space[1536];
} padici_cache_key;

typedef struct padici_cache_program {
    const char *backend;
    const padic_device_info *info;
    const char *program; // its name, and the hash of its text
    uint64_t text_hash;
    const char *const *defines; // in order
    uint32_t define_count;
    const char *options, *compiler; // compiler options; its name and version
} padici_cache_program;

PADICI_FN void padici_cache_key_number(padici_cache_key *key, const char *name, uint64_t value);
PADICI_FN void padici_cache_key_begin(padici_cache_key *key, const char *backend,
                                      const padic_device_info *info);
PADICI_FN int padici_cache_program_key(padici_cache_key *key, const padici_cache_program *p);
PADICI_FN void padici_cache_bad(const padic_env *env);
PADICI_FN void padici_cache_free(const padic_env *env, void *payload, size_t size);
PADICI_FN int padici_cache_load(const padic_env *env, const char *key, uint32_t *kind,
                                void **payload, size_t *size);
PADICI_FN void padici_cache_store(const padic_env *env, const char *key, uint32_t kind,
                                  const void *payload, size_t size);
