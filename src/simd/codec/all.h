#pragma once
#include "../device.h"
#include "../level.h"
#include "../../codec/loops.h"
#include "../../codec/bytes.h"
#include "../../codec/differences.h"
#include "../../core/platform.h"

#if !defined(PADIC_NO_CODEC) && (PADICI_SIMD_X86 || PADICI_SIMD_ARM)

#define PADICI_CPASTE(a, b) padici_simd_codec_##a##_##b
#define PADICI_CNAME(a, b) PADICI_CPASTE(a, b)
#define PADICI_CK(name) PADICI_CNAME(name, PADICI_ISA) // .._name_avx2

PADICI_FN uint64_t padici_simd_codec_checksum_end(const uint8_t *data, size_t size, size_t words,
                                                  uint64_t seed);

// Words of up to 57 bits are loaded in pairs that lie within 16 bytes: the offset of each pair, the
// byte indices of 8 bytes for each word, and its right shift. 8 words take `width` bytes.
typedef struct padici_simd_codec_pairs {
    uint8_t at[4], take[4][16];
    uint64_t shift[8];
} padici_simd_codec_pairs;

PADICI_FN void padici_simd_codec_pairs_make(padici_simd_codec_pairs *pairs, uint32_t width);

#endif

#ifndef PADIC_NO_CODEC
PADICI_FN padic_result padici_simd_codec_loops(padici_simd *simd, void *loops_);
#endif
