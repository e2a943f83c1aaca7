#pragma once
#include "../core/platform.h"
#include "bytes.h"
#include "streams.h"

#ifndef PADIC_NO_CODEC

PADICI_FN void padici_codec_plane_loop(const uint64_t *z, size_t n, uint32_t shift, uint8_t *to);
PADICI_FN void padici_codec_next_planes(const padici_codec_decoder *decoder, uint64_t *z,
                                        size_t from, size_t to);
PADICI_FN void padici_codec_fixed_loop(const uint8_t *p, const uint8_t *end, uint32_t width,
                                       uint64_t *z, size_t n);
PADICI_FN void padici_codec_put_fixed_loop(const uint64_t *z, size_t n, uint32_t width, uint8_t *p,
                                           size_t room);
PADICI_FN size_t padici_codec_fixed_group(const uint64_t *z, size_t from, size_t to,
                                          uint8_t *chosen, uint64_t *gaps, uint64_t *high,
                                          size_t count, size_t *before);
PADICI_FN uint64_t padici_codec_packed_cost(const uint64_t *z, size_t n);
PADICI_FN uint32_t padici_codec_make_word_table(padici_codec_work *w, const uint64_t *z, size_t n,
                                                uint32_t most, uint64_t *ranks);
PADICI_FN uint32_t padici_codec_word_table_most(size_t n);
PADICI_FN PADICI_NOINLINE void padici_codec_put_words(padici_codec_work *w, uint32_t representation,
                                                      const uint64_t *z, size_t n, uint32_t m,
                                                      uint64_t *space);
PADICI_FN PADICI_NOINLINE void padici_codec_decoder_begin(padici_codec_work *w,
                                                          padici_codec_reader *in, uint32_t kind,
                                                          uint64_t *z, size_t n,
                                                          padici_codec_histogram *histogram,
                                                          padici_codec_decoder *decoder);
PADICI_FN void padici_codec_decoder_next(const padici_codec_work *w, uint32_t kind,
                                         padici_codec_decoder *decoder, padici_codec_reader *in,
                                         uint64_t *z, size_t from, size_t to, size_t n);

#endif
