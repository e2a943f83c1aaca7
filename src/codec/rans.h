#pragma once
#include "../core/platform.h"
#include "bytes.h"
#include "loops.h"

#ifndef PADIC_NO_CODEC

#define PADICI_CODEC_RANS_SCALE_BITS 12u
#define PADICI_CODEC_RANS_TOTAL (1u << PADICI_CODEC_RANS_SCALE_BITS)
#define PADICI_CODEC_RANS_LANES 32u // symbol i is coded by state i mod 32
#define PADICI_CODEC_RANS_LOW (1u << 16)

PADICI_FN void padici_codec_rans_frequencies(const uint32_t counts[256], uint32_t total,
                                             uint16_t freq[256]);
PADICI_FN void padici_codec_rans_put_table(padici_codec_writer *out, const uint16_t freq[256]);
PADICI_FN void padici_codec_rans_take_table(padici_codec_reader *in, uint16_t freq[256]);
PADICI_FN PADICI_NOINLINE void padici_codec_rans_put(padici_codec_writer *out, const uint8_t *data,
                                                     size_t n, const uint16_t freq[256],
                                                     uint16_t *space, size_t space_words);
PADICI_FN const uint8_t *padici_codec_rans_rounds(uint32_t state[PADICI_CODEC_RANS_LANES],
                                                  const uint32_t *table, const uint8_t *p,
                                                  const uint8_t *end, uint8_t *data, size_t n,
                                                  size_t *done);
PADICI_FN void padici_codec_slots(const uint16_t freq[256], uint32_t *table);
PADICI_FN PADICI_NOINLINE void padici_codec_rans_take(padici_codec_reader *in, uint8_t *data,
                                                      size_t n, void *table_space,
                                                      const padici_codec_loops *loops);

#endif
