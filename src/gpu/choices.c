#include "choices.h"
#include "../core/splitmix.h"
#include "../core/words.h"
#include "base/axes.h"
#include "base/driver.h"
#include "cache.h"
#include "codec/driver.h"
#include "codec/job.h"
#include "codec/pack.h"
#include "codec/prove.h"
#include "codec/unpack.h"
#include "drive.h"
#include "factor/entropy.h"
#include "factor/factor.h"
#include "launch.h"
#include "num/params.h"
#include "num/run.h"
#include "num/solve.h"
#include "num/special.h"
#include "num/tables.h"
#include "sample/points.h"
#include "sparse/driver.h"
#include "sparse/encode.h"
#include "sparse/job.h"
#include "tensor/cores.h"
#include "tensor/driver.h"
#include "tensor/groups.h"
#include "tensor/product.h"
#include "tensor/tile.h"
#include "tests.h"
#include "tuner.h"
#include "variants.h"
#include "vortex/axes.h"
#include "vortex/lines.h"
#include "vortex/normalise.h"
#include "vortex/phase.h"
#include "vortex/pixels.h"
#include "wave/field.h"
#include "wave/frames.h"
#include "wave/frames_plan.h"
#include "wave/plan.h"
#include "wave/superpose.h"
#include "wave/warm.h"
#include "texts.h"

#if PADICI_IMPLEMENT_GPU

// ----------------------------------------------------------------------------------------- >>tuner
//
// The choice without measuring: the first row that matches. The last one matches everything.

static const padici_gpu_tunable *const padici_gpu_tunables[] = {
#define PADICI_GPU_TUNABLE_ROW(name) &padici_tunable_##name,
    PADICI_GPU_TUNABLES(PADICI_GPU_TUNABLE_ROW)
#undef PADICI_GPU_TUNABLE_ROW
};

PADICI_FN const padici_gpu_tunable *padici_gpu_tunable_of(uint32_t index)
{
    return padici_gpu_tunables[index];
}

PADICI_FN uint32_t padici_gpu_tunable_count(void)
{
    return (uint32_t)(sizeof padici_gpu_tunables / sizeof *padici_gpu_tunables);
}

typedef struct padici_tune_row {
    const char *tunable, *vendor, *arch; // NULL: any; part of the vendor's name, start of arch
    uint8_t choice[PADICI_TUNE_CLASSES];
} padici_tune_row;

static const padici_tune_row padici_tune_rows[] = {
    {"tensor_tile", "NVIDIA", "sm_90", {0, 0, 1, 0, 0}}, // H200: 512 x 512 x 512
    {NULL, NULL, NULL, {0, 0, 0, 0, 0}},
};

PADICI_FN uint32_t padici_tune_class(uint64_t n)
{
    uint32_t i = 0;
    for (n >>= 12; n && i + 1 < PADICI_TUNE_CLASSES; n >>= 4) i++;
    return i;
}

PADICI_FN uint32_t padici_tune_builtin(const padici_gpu *gpu, const padici_gpu_tunable *t,
                                       uint32_t c)
{
    const padici_tune_row *row = padici_tune_rows;
    while ((row->tunable && strcmp(row->tunable, t->name)) ||
           (row->vendor && !strstr(gpu->info->vendor, row->vendor)) ||
           (row->arch && strncmp(gpu->info->arch, row->arch, strlen(row->arch))))
        row++;
    return row->choice[c] < t->count ? row->choice[c] : 0;
}

// The cache: one entry per device. Its key has a hash of everything the choices depend on; its
// payload holds for each tunable and size class the choice + 1 (0: not measured) and MB/s,
// little-endian.

static int padici_tune_key(const padici_gpu *gpu, padici_cache_key *key)
{
    uint64_t hash = 0xcbf29ce484222325u;
    uint32_t i, j, k;
    for (i = 0; i < padici_gpu_tunable_count(); i++) {
        const padici_gpu_tunable *t = padici_gpu_tunables[i];
        hash = padici_checksum(t->name, strlen(t->name), hash ^ padici_programs[t->program].hash);
        for (j = 0; j < t->count; j++) {
            hash = padici_mix(hash ^ t->choices[j].number);
            for (k = 0; k < t->choices[j].define_count; k++)
                hash = padici_checksum(t->choices[j].defines[k], strlen(t->choices[j].defines[k]),
                                       hash);
        }
    }
    padici_cache_key_begin(key, gpu->target->backend->name, gpu->info);
    padici_cache_key_number(key, "tuned", hash);
    return key->text.left > 1;
}

// The flag NO_CACHE only concerns programs.
static padic_env padici_tune_env(const padici_gpu *gpu)
{
    padic_env env = gpu->context->env;
    env.cache = &gpu->context->cache;
    return env;
}

PADICI_FN PADICI_NOINLINE void padici_tune_load(padici_gpu *gpu)
{
    const padic_env env = padici_tune_env(gpu);
    padici_gpu_state *state = gpu->state;
    padici_cache_key key;
    const uint8_t *from;
    void *payload;
    size_t size;
    uint32_t kind, i, c;
    int good;
    state->tune_loaded = 1;
    if (!padici_tune_key(gpu, &key) ||
        !padici_cache_load(&env, key.space, &kind, &payload, &size))
        return;
    from = (const uint8_t *)payload;
    good = kind == PADICI_CACHE_TUNED &&
           size == padici_gpu_tunable_count() * PADICI_TUNE_CLASSES * 5;
    for (i = 0; i < padici_gpu_tunable_count() * PADICI_TUNE_CLASSES && good; i++)
        good = from[5 * i] <= padici_gpu_tunables[i / PADICI_TUNE_CLASSES]->count;
    for (i = 0; i < padici_gpu_tunable_count() && good; i++)
        for (c = 0; c < PADICI_TUNE_CLASSES; c++, from += 5) {
            state->tuned[i][c] = from[0];
            state->speed[i][c] = padici_load32(from + 1);
        }
    if (!good) padici_cache_bad(&env);
    padici_cache_free(&env, payload, size);
}

PADICI_FN PADICI_NOINLINE void padici_tune_store(const padici_gpu *gpu)
{
    const padic_env env = padici_tune_env(gpu);
    const padici_gpu_state *state = gpu->state;
    uint8_t payload[PADICI_TUNE_BYTES], *to = payload;
    padici_cache_key key;
    uint32_t i, c;
    for (i = 0; i < padici_gpu_tunable_count(); i++)
        for (c = 0; c < PADICI_TUNE_CLASSES; c++, to += 5) {
            to[0] = state->tuned[i][c];
            padici_store32(to + 1, state->speed[i][c]);
        }
    if (padici_tune_key(gpu, &key))
        padici_cache_store(&env, key.space, PADICI_CACHE_TUNED, payload, (size_t)(to - payload));
}

#endif
