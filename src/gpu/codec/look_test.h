#pragma once
#include "../../core/platform.h"
#include "../tests.h"
#include "known.h"
#include "unpack.h"

#ifndef PADIC_NO_CODEC

#define PADICI_CODEC_KNOWN_STATUS (4 * (PADICI_CODEC_STATUS + PADICI_CODEC_KNOWN_BLOCKS))

PADICI_FN void padici_codec_known_bad(uint32_t *status, uint32_t b);
PADICI_FN padic_result padici_codec_known_input(padici_gpu_case *c, padici_codec_known *x,
                                                uint32_t buffer, uint32_t status, int coded);
PADICI_FN int padici_codec_known_coded(const padici_codec_known *x, uint32_t b);
PADICI_FN padic_result padici_test_codec_look(padici_gpu_case *c);

// Which kernel makes a block's elements.
enum { PADICI_CODEC_BY_UNPACK, PADICI_CODEC_BY_REST, PADICI_CODEC_BY_EXPAND,
       PADICI_CODEC_BY_SWIFT };

PADICI_FN int padici_codec_known_kernel(const padici_codec_known *x, uint32_t b, const uint32_t *r);
PADICI_FN void padici_codec_known_answer(const padici_codec_known *x, int kernel,
                                         const uint32_t *record, uint8_t *to);
PADICI_FN uint64_t padici_codec_known_lists(const padici_codec_known *x, uint32_t b, uint64_t end);
PADICI_FN padic_result padici_codec_known_tokens(padici_gpu_case *c, padici_codec_known *x,
                                                 uint32_t *record, uint8_t *tokens);
PADICI_FN padic_result padici_test_codec_tokens(padici_gpu_case *c);

#endif
