#pragma once
#include "../core/platform.h"

#ifndef PADIC_NO_SAMPLE

// Points go through in blocks of this many, so that the digit loops run over independent values.
#define PADICI_SAMPLE_BLOCK 64
#define PADICI_SAMPLE_TABLE 512   // reversals of several digits at once
#define PADICI_SAMPLE_FEW 32 // points for which the plain loops are faster than asking for others
#define PADICI_SAMPLE_CHUNK 4096u // points of one dimension before the next one's turn

// One base with what its loops need. Division by b is by multiplication: with m = floor((2^64 - 1)
// / b), q = mulhi(x, m) is floor(x / b) or one less for every x, and mulhi(x, m + 1) is
// floor(x / b) for x < 2^46, since (m + 1) b - 2^64 < b <= 65,537.
typedef struct padici_sample_radix {
    uint32_t base, levels;
    uint32_t wide;     // 64-bit hashes
    uint32_t full;     // Fisher-Yates instead of a d + c
    uint32_t together; // digits that one look into the table reverses: b^together = span
    uint32_t span;
    uint64_t last; // b^levels - 1
    uint64_t inverse;
    padic_sample_mode mode;
    const uint64_t *keys;
} padici_sample_radix;

PADICI_FN void padici_sample_radix_make(padici_sample_radix *x, uint32_t base, int is_long);

#endif
