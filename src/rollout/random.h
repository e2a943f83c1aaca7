#pragma once
#include "../core/platform.h"
#include "../core/splitmix.h"

#ifndef PADIC_NO_ROLLOUT

// Random words by (seed, stream, step, element): word `element % 4` of block `element / 4`.

// What a stream is for.
enum {
    PADICI_ROLLOUT_WEIGHT = 1,
    PADICI_ROLLOUT_BIAS = 2,
    PADICI_ROLLOUT_SPECTRAL_WEIGHT = 3,
    PADICI_ROLLOUT_NOISE = 4,
    PADICI_ROLLOUT_DROPOUT = 5,
    PADICI_ROLLOUT_INITIAL = 6,
    PADICI_ROLLOUT_OWEN = 7,
    PADICI_ROLLOUT_PROBE = 8
};

// `id` of an operator, an initial condition, a dimension; `realisation` below 2^20; `site` of a
// node or a term, below 256.
PADICI_INLINE uint64_t padici_rollout_stream(uint32_t id, uint32_t realisation, uint32_t site,
                                             uint32_t purpose)
{
    return (uint64_t)(realisation << 12 | site << 4 | purpose) << 32 | id;
}

PADICI_INLINE void padici_rollout_words(uint64_t seed, uint64_t stream, uint32_t step,
                                        uint32_t block, uint32_t out[4])
{
    uint32_t counter[4];
    counter[0] = block;
    counter[1] = step;
    counter[2] = (uint32_t)stream;
    counter[3] = (uint32_t)(stream >> 32);
    padici_philox((uint32_t)seed, (uint32_t)(seed >> 32), counter, out);
}

PADICI_INLINE uint32_t padici_rollout_word(uint64_t seed, uint64_t stream, uint32_t step,
                                           uint64_t element)
{
    uint32_t word[4];
    padici_rollout_words(seed, stream, step, (uint32_t)(element >> 2), word);
    return word[element & 3];
}

#endif
