#pragma once
#include "../core/platform.h"
#include "bytes.h"
#include "streams.h"

#ifndef PADIC_NO_CODEC

PADICI_FN size_t padici_codec_equal_bytes(const uint8_t *x, const uint8_t *y, size_t most);
PADICI_FN uint64_t padici_codec_bytes_gain(padici_codec_work *w, const uint8_t *data, size_t n,
                                           uint32_t each);
PADICI_FN void padici_codec_put_stream(padici_codec_work *w, const uint8_t *data, size_t n,
                                       int nested);
PADICI_FN void padici_codec_take_stream(padici_codec_work *w, padici_codec_reader *in,
                                        uint8_t *data, size_t n, int nested,
                                        padici_codec_histogram *histogram);

#endif
