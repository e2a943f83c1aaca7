#include "cache.h"
#include "../core/memory.h"
#include "../core/splitmix.h"
#include "../core/words.h"
#include "texts.h"

#if PADICI_IMPLEMENT_GPU

// The cache hooks store programs that a backend compiled and choices that the tuner measured. A key
// is a text, one field per line, of everything the payload depends on; the hook sees 32 hexadecimal
// digits of its hash. A blob, numbers little-endian:
//
//     0 magic | 4 format | 8 kind | 12 bytes of key text | 16 bytes of payload (64 bits) |
//     24 checksum of all that follows, seeded with the fields before | 32 key text | payload
//
// The stored text must equal the wanted one, so two keys with the same hash are a miss. The hook
// may return any bytes: invalid ones are a miss, counted as bad, never an error.

#define PADICI_CACHE_MAGIC 0x43444150u // PADC
#define PADICI_CACHE_FORMAT 1u
#define PADICI_CACHE_HEAD 32u
#define PADICI_CACHE_LIMIT (UINT64_C(256) << 20) // bytes of a blob

// A line. Line ends inside become spaces, so that no value can imitate another field.
static void padici_cache_key_text(padici_cache_key *key, const char *name, const char *value)
{
    char one[2] = {0, 0};
    padici_text_add(&key->text, name);
    padici_text_add(&key->text, " ");
    for (; value && *value; value++) {
        one[0] = *value == '\n' || *value == '\r' ? ' ' : *value;
        padici_text_add(&key->text, one);
    }
    padici_text_add(&key->text, "\n");
}

PADICI_FN void padici_cache_key_number(padici_cache_key *key, const char *name, uint64_t value)
{
    char space[24];
    padici_text text;
    padici_text_begin(&text, space, sizeof space);
    padici_text_number(&text, value, 1);
    padici_cache_key_text(key, name, space);
}

// The fields every key begins with.
PADICI_FN void padici_cache_key_begin(padici_cache_key *key, const char *backend,
                                      const padic_device_info *info)
{
    padici_text_begin(&key->text, key->space, sizeof key->space);
    padici_cache_key_number(key, "format", PADICI_CACHE_FORMAT);
    padici_cache_key_text(key, "padic", PADIC_VERSION);
    padici_cache_key_text(key, "backend", backend);
    padici_cache_key_text(key, "platform", info->platform);
    padici_cache_key_text(key, "vendor", info->vendor);
    padici_cache_key_text(key, "device", info->name);
    padici_cache_key_text(key, "driver", info->driver);
    padici_cache_key_text(key, "arch", info->arch);
    padici_cache_key_number(key, "units", info->compute_units);
    padici_cache_key_number(key, "local", info->local_bytes);
    padici_cache_key_number(key, "pointer", 8 * sizeof(void *));
}

// 0: it does not fit, so nothing is cached.
PADICI_FN int padici_cache_program_key(padici_cache_key *key, const padici_cache_program *p)
{
    uint32_t i;
    padici_cache_key_begin(key, p->backend, p->info);
    padici_cache_key_text(key, "program", p->program);
    padici_cache_key_number(key, "text", p->text_hash);
    for (i = 0; i < p->define_count; i++) padici_cache_key_text(key, "define", p->defines[i]);
    padici_cache_key_text(key, "options", p->options);
    padici_cache_key_text(key, "compiler", p->compiler);
    return key->text.left > 1;
}

// The key as the hook sees it.
static void padici_cache_hash(const char *key, char hash[33])
{
    uint64_t half = 0;
    uint32_t i;
    for (i = 0; i < 32; i++) {
        if (!(i & 15)) half = padici_checksum(key, strlen(key), i / 16);
        hash[i] = "0123456789abcdef"[half >> 60];
        half <<= 4;
    }
    hash[32] = 0;
}

// The offset of a blob's payload; 0 unless it is complete and belongs to the key.
static size_t padici_cache_read(const char *key, const uint8_t *blob, size_t size)
{
    const size_t text = strlen(key);
    size_t rest;
    if (size < PADICI_CACHE_HEAD || padici_load32(blob) != PADICI_CACHE_MAGIC ||
        padici_load32(blob + 4) != PADICI_CACHE_FORMAT)
        return 0;
    rest = size - PADICI_CACHE_HEAD;
    if (text > rest || padici_load32(blob + 12) != text || padici_load64(blob + 16) != rest - text)
        return 0;
    if (padici_load64(blob + 24) !=
        padici_checksum(blob + PADICI_CACHE_HEAD, rest, padici_checksum(blob, 24, 0)))
        return 0;
    return memcmp(blob + PADICI_CACHE_HEAD, key, text) ? 0 : PADICI_CACHE_HEAD + text;
}

// Counts an entry that the driver refused or that made no sense.
PADICI_FN void padici_cache_bad(const padic_env *env)
{
    if (env->stats) env->stats->cache_bad++;
}

// Loads a blob from the hook into *blob, of *size bytes: 0 not found, 1 found, 2 damaged.
static int padici_cache_fetch(const padic_env *env, const char *hash, uint8_t **blob, size_t *size)
{
    const padic_cache *cache = env->cache;
    size_t again;
    *blob = NULL;
    *size = 0;
    if (!(*cache->load)(hash, NULL, size, cache->user)) return 0;
    if (*size < PADICI_CACHE_HEAD || *size > PADICI_CACHE_LIMIT) return 2;
    *blob = (uint8_t *)padici_alloc(env->allocator, *size, 16);
    if (!*blob) return 0;
    again = *size; // a file may have changed since its size was asked
    if ((*cache->load)(hash, *blob, &again, cache->user) && again == *size) return 1;
    padici_free(env->allocator, *blob, *size);
    return 2;
}

PADICI_FN void padici_cache_free(const padic_env *env, void *payload, size_t size)
{
    padici_free(env->allocator, payload, size);
}

// 1: *payload belongs to the environment's allocator; padici_cache_free() frees it. 0: a miss.
PADICI_FN int padici_cache_load(const padic_env *env, const char *key, uint32_t *kind,
                                void **payload, size_t *size)
{
    uint8_t *blob = NULL;
    size_t whole, at = 0;
    char hash[33];
    int found;
    *payload = NULL;
    *kind = 0;
    *size = 0;
    if (!env->cache || !env->cache->load) return 0; // without a hook nothing is counted
    padici_cache_hash(key, hash);
    found = padici_cache_fetch(env, hash, &blob, &whole);
    if (found == 1) {
        at = padici_cache_read(key, blob, whole);
        if (at) *payload = padici_alloc(env->allocator, whole - at, 16);
        if (*payload) {
            *kind = padici_load32(blob + 8);
            *size = whole - at;
            memcpy(*payload, blob + at, *size);
        }
        padici_free(env->allocator, blob, whole);
    }
    if (found && !at) padici_cache_bad(env);
    if (env->stats && *payload) env->stats->cache_hits++;
    if (env->stats && !*payload) env->stats->cache_misses++;
    return *payload != NULL;
}

// Without memory for the blob nothing is stored: a cache only helps, so that is no error.
PADICI_FN void padici_cache_store(const padic_env *env, const char *key, uint32_t kind,
                                  const void *payload, size_t size)
{
    const padic_cache *cache = env->cache;
    const size_t text = strlen(key), rest = text + size;
    uint8_t *blob;
    char hash[33];
    if (!cache || !cache->store || size > PADICI_CACHE_LIMIT / 2) return;
    blob = (uint8_t *)padici_alloc(env->allocator, PADICI_CACHE_HEAD + rest, 16);
    if (!blob) return;
    padici_store32(blob, PADICI_CACHE_MAGIC);
    padici_store32(blob + 4, PADICI_CACHE_FORMAT);
    padici_store32(blob + 8, kind);
    padici_store32(blob + 12, (uint32_t)text);
    padici_store64(blob + 16, size);
    memcpy(blob + PADICI_CACHE_HEAD, key, text);
    if (size) memcpy(blob + PADICI_CACHE_HEAD + text, payload, size);
    padici_store64(blob + 24, padici_checksum(blob + PADICI_CACHE_HEAD, rest,
                                              padici_checksum(blob, 24, 0)));
    padici_cache_hash(key, hash);
    (*cache->store)(hash, blob, PADICI_CACHE_HEAD + rest, cache->user);
    padici_free(env->allocator, blob, PADICI_CACHE_HEAD + rest);
}

#undef PADICI_CACHE_MAGIC
#undef PADICI_CACHE_FORMAT
#undef PADICI_CACHE_HEAD
#undef PADICI_CACHE_LIMIT

#endif
