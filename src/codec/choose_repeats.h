#pragma once
#include "../core/platform.h"
#include "streams.h"

#ifndef PADIC_NO_CODEC

#define PADICI_CODEC_HASH_BITS 15u

PADICI_FN uint32_t padici_codec_repeat_share(padici_codec_work *w, const uint64_t *x, size_t n,
                                             size_t key);
PADICI_FN size_t padici_codec_find_repeats(padici_codec_work *w, const uint64_t *x, size_t n,
                                           size_t least, uint64_t *literals, size_t *repeats);
PADICI_FN uint64_t padici_codec_words_gain(padici_codec_work *w, const uint64_t *x, size_t n,
                                           uint64_t each);
PADICI_FN int padici_codec_repeats_promise(padici_codec_work *w, const uint64_t *x, size_t n);

#endif
