#include "policy.h"

#if PADICI_IMPLEMENT_CODEC

// ---- the packer's policy: a row per level
//
// The values are in the order of the fields in policy.h.

static const padici_codec_policy padici_codec_policies[9] = {
    { // level 1
        {0, 0, 0, 0, 0}, // features
        {0, 0, 0, 0, 0, 0}, // blocks
        {1, 1, 12}, // hints
        {1, 52, 4, 0, 4, 0, 0, 4, 160, 0, 0}, // transforms
        {0x10503, 0, 1, 5, 0, 0, 0, 1, 8, 5, 6, 16, 1, 0}, // predictors
        {PADICI_CODEC_PARSE_FAST, 1, 0, 6, 24, 0, 24, 0, 1, 0, 0, 0, 2, 1}, // patterns
        {1, 0, 4, 2, 4, 4, 1, 4, 0, 3, 4, 1}, // coders
    },
    { // level 2
        {0, 0, 0, 0, 0}, // features
        {0, 0, 0, 0, 0, 0}, // blocks
        {1, 0, 48}, // hints
        {1, 52, 4, 0, 4, 0, 0, 4, 0, 0, 0}, // transforms
        {0x10503, 0, 1, 5, 0, 0, 0, 1, 8, 5, 6, 16, 1, 0}, // predictors
        {PADICI_CODEC_PARSE_SKIP, 1, 0, 6, 36, 1, 24, 0, 1, 56, 0, 0, 2, 1}, // patterns
        {0, 0, 4, 2, 4, 4, 1, 4, 0, 3, 4, 1}, // coders
    },
    { // level 3
        {0, 0, 0, 0, 0}, // features
        {0, 0, 0, 0, 0, 0}, // blocks
        {2, 0, 0}, // hints
        {1, 52, 4, 0, 4, 0, 0, 4, 0, 1, 0}, // transforms
        {0xf97ef, 0, 1, 5, 0, 0, 0, 1, 8, 5, 6, 16, 1, 0}, // predictors
        {PADICI_CODEC_PARSE_SKIP, 1, 0, 6, 36, 1, 24, 0, 1, 56, 0, 0, 2, 1}, // patterns
        {0, 0, 4, 2, 4, 4, 1, 4, 0, 3, 4, 1}, // coders
    },
    { // level 4
        {0, 0, 0, 1, 19}, // features
        {1, 0, 0, 0, 0, 0}, // blocks
        {2, 0, 0}, // hints
        {1, 52, 4, 0, 4, 0, 0, 4, 0, 1, 0}, // transforms
        {0xf97ef, 0, 1, 5, 0, 0, 0, 1, 8, 5, 6, 16, 1, 0}, // predictors
        {PADICI_CODEC_PARSE_SKIP, 1, 0, 5, 36, 1, 24, 0, 1, 56, 0, 0, 2, 1}, // patterns
        {0, 0, 4, 2, 4, 4, 1, 4, 0, 3, 4, 1}, // coders
    },
    { // level 5
        {1, 1, 1, 1, 19}, // features
        {1, 1, 4, 3, 16, 0}, // blocks
        {2, 0, 0}, // hints
        {1, 52, 4, 0, 4, 150, 0, 4, 0, 1, 16}, // transforms
        {0xf9fef, 0, 1, 5, 0, 0, 0, 1, 8, 5, 6, 4, 1, 0}, // predictors
        {PADICI_CODEC_PARSE_SKIP, 3, 8, 5, 36, 1, 4, 0, 1, 56, 0, 160, 2, 1}, // patterns
        {0, 0, 4, 2, 4, 4, 1, 4, 0, 3, 4, 1}, // coders
    },
    { // level 6
        {2, 2, 1, 1, 19}, // features
        {1, 3, 4, 3, 16, 0}, // blocks
        {0, 0, 0}, // hints
        {1, 52, 4, 1, 4, 150, 0, 4, 0, 1, 4}, // transforms
        {0xfffff, 0, 1, 8, 0, 0, 0, 0, 0, 0, 6, 16, 2, 0}, // predictors
        {PADICI_CODEC_PARSE_LAZY, 16, 1, 5, 20, 1, 4, 0, 0, 56, 0, 160, 2, 1}, // patterns
        {0, 1, 4, 2, 4, 0, 0, 4, 0, 3, 8, 1}, // coders
    },
    { // level 7
        {2, 2, 1, 1, 20}, // features
        {1, 5, 2, 2, 16, 1}, // blocks
        {0, 0, 0}, // hints
        {1, 52, 4, 1, 0, 1, 0, 4, 0, 2, 1}, // transforms
        {0xfffff, 0, 1, 8, 0, 0, 1, 0, 0, 0, 6, 16, 2, 1}, // predictors
        {PADICI_CODEC_PARSE_LAZY, 16, 1, 5, 8, 1, 0, 8, 0, 56, 12, 12, 2, 1}, // patterns
        {0, 1, 4, 2, 4, 0, 0, 4, 0, 6, 24, 0}, // coders
    },
    { // level 8
        {2, 2, 1, 1, 21}, // features
        {1, 7, 2, 2, 32, 1}, // blocks
        {0, 0, 0}, // hints
        {2, 60, 0, 1, 0, 1, 1, 1, 0, 2, 1}, // transforms
        {0xfffff, 1, 2, 0, 1, 1, 1, 0, 0, 0, 0, 64, 3, 1}, // predictors
        {PADICI_CODEC_PARSE_CHEAPEST, 16, 1, 4, 8, 1, 0, 8, 0, 20, 12, 12, 32, 0}, // patterns
        {0, 1, 0, 0, 0, 0, 0, 6, 0, 6, 64, 0}, // coders
    },
    { // level 9
        {2, 2, 1, 1, 22}, // features
        {1, 7, 2, 2, 64, 2}, // blocks
        {0, 0, 0}, // hints
        {3, 60, 0, 1, 0, 1, 1, 1, 0, 2, 1}, // transforms
        {0xfffff, 1, 5, 0, 1, 1, 1, 0, 0, 0, 0, 64, 3, 1}, // predictors
        {PADICI_CODEC_PARSE_CHEAPEST, 128, 1, 4, 8, 1, 0, 8, 0, 20, 12, 12, 256, 0}, // patterns
        {0, 1, 0, 0, 0, 0, 0, 6, 1, 6, 256, 0}, // coders
    },
};

PADICI_FN const padici_codec_policy *padici_codec_policy_of(uint32_t level)
{
    return padici_codec_policies + (level ? level - 1 : 0);
}

#endif
