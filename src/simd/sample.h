#pragma once
#include "device.h"
#include "level.h"
#include "words.h"
#include "../core/platform.h"
#include "../sample/driver.h"
#include "../sample/fractions.h"
#include "../sample/reverse.h"
#include "../sample/sample.h"

#ifndef PADIC_NO_SAMPLE

#define PADICI_SAMPLE_WORDS (2 * PADICI_SAMPLE_BLOCK)
#define PADICI_SAMPLE_POWERS 24

typedef struct padici_simd_sample_plan {
    const padic_sample_call *call;
    padici_sample_radix radix;
    padici_sample_job job; // for the generic functions
    padici_sample_fraction fraction; // of LONG
    uint32_t ranged;        // consecutive indices, not scrambled: uses `table`, otherwise `by`
    uint64_t n, cut, shift; // floor(2^32 R / n) is (R cut) >> shift, or up to 2 more
    // Consecutive indices q span + t share the contribution `low` of their high digits to R.
    uint64_t q, t, low, scale; // of their low digits
    union {
        uint16_t table[PADICI_SAMPLE_TABLE + 8];
        struct {
            // q_k = floor(i / b^k) = (i m[k] + a[k]) >> s[k] for every i < 2^32; c[k]: its weight.
            uint64_t m[PADICI_SAMPLE_POWERS], a[PADICI_SAMPLE_POWERS], s[PADICI_SAMPLE_POWERS];
            uint64_t c[PADICI_SAMPLE_POWERS], top; // b^(levels - 1): the weight of q_0
            // IFMA: q_k = (q w[k]) >> 52, q = i while b^k <= 2^20, k <= nearby, then q = q_nearby
            uint64_t w[PADICI_SAMPLE_POWERS];
            uint32_t nearby;
        } by;
    } u;
} padici_simd_sample_plan;

typedef struct padici_simd_sample_kernels {
    int (*fetch)(const padici_simd_sample_plan *p, const char *from, uint64_t *v);
    void (*bits)(const padici_simd_sample_plan *p, uint64_t *v);
    void (*plain)(const padici_simd_sample_plan *p, uint64_t *v);
    void (*map)(const padici_simd_sample_plan *p, uint64_t *v);
    void (*map64)(const padici_simd_sample_plan *p, uint64_t *v); // bases below 1,024
    void (*map64_any)(const padici_simd_sample_plan *p, uint64_t *v);
    void (*range)(padici_simd_sample_plan *p, uint64_t *v);
    void (*write)(const padici_simd_sample_plan *p, const uint64_t *v, char *out, uint32_t words);
} padici_simd_sample_kernels;

#define PADICI_SPASTE(a, b) padici_simd_sample_##a##_##b
#define PADICI_SNAME(a, b) PADICI_SPASTE(a, b)
#define PADICI_SK(name) PADICI_SNAME(name, PADICI_ISA) // .._name_avx2

PADICI_FN void padici_simd_sample_next(padici_simd_sample_plan *p);
PADICI_FN padic_result padici_simd_sample_loop(padici_simd *simd, void *call_);

#endif
