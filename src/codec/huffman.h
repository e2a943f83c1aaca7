#pragma once
#include "../core/platform.h"
#include "bytes.h"

#ifndef PADIC_NO_CODEC

PADICI_FN PADICI_NOINLINE void padici_codec_huffman_lengths(const uint32_t counts[256],
                                                            uint8_t lengths[256]);
PADICI_FN uint32_t padici_codec_huffman_lanes(size_t n);
PADICI_FN PADICI_NOINLINE void padici_codec_huffman_put(padici_codec_writer *out,
                                                        const uint8_t *data, size_t n,
                                                        const uint8_t lengths[256]);
PADICI_FN PADICI_NOINLINE void padici_codec_huffman_take(padici_codec_reader *in, uint8_t *data,
                                                         size_t n, void *table_space);

#endif
