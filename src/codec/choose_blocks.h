#pragma once
#include "../core/platform.h"
#include "header.h"
#include "packing.h"

#ifndef PADIC_NO_CODEC

#define PADICI_CODEC_SHAPE_NUMBERS 9u      // all that padici_codec_shapes() may know
#define PADICI_CODEC_SHAPE_LEAST 12u       // blocks of an array from which others are tried,
#define PADICI_CODEC_SHAPE_FEW 4u          // and where larger ones are, too
#define PADICI_CODEC_SHAPE_SAMPLE 2u       // of those that are packed, at least
#define PADICI_CODEC_SHAPE_MOST 256u       // and at most
#define PADICI_CODEC_SHAPE_TASKS 16u       // blocks that are left when they have grown
#define PADICI_CODEC_SHAPE_SEEN 512u       // elements that are looked for again,
#define PADICI_CODEC_SHAPE_TESTED 16u      // at least,
#define PADICI_CODEC_SHAPE_LOOKED 1048576u // of so many at most
#define PADICI_CODEC_SLICE_LEAST 8192u     // scalars of a slice that may be a block
#define PADICI_CODEC_SLICE_AXIS 64u        // and most slices
#define PADICI_CODEC_SLICE_SHARE 4u        // 1 / what unrelated slices differ more by
#define PADICI_CODEC_SHAPE_PLACES 256u     // where runs of so many elements
#define PADICI_CODEC_SHAPE_RUN 8u          // are looked at before blocks are packed
#define PADICI_CODEC_SHAPE_PROMISE 32u     // 1 / what they, or larger blocks, must save
#define PADICI_CODEC_SHAPE_EQUAL 8u        // or 1 / so many with equal neighbours
#define PADICI_CODEC_SHAPE_REPEATS 128u    // 1 / what repeats within a tolerance must save,
#define PADICI_CODEC_SHAPE_REPEAT_MOST 64u // of which so many elements are looked at
#define PADICI_CODEC_SHAPE_SPREAD 1024u    // elements that tell the spread

PADICI_FN uint32_t padici_codec_shapes(const padic_codec_pack_desc *desc,
                                       const padici_codec_header *header,
                                       padic_codec_pack_desc *other, uint32_t number);
PADICI_FN padic_result padici_codec_choose_blocks(padic_context *context,
                                                  const padic_codec_pack_desc *desc,
                                                  padici_codec_packing *packing);

#endif
