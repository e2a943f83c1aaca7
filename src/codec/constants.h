#pragma once
#include "../core/platform.h"

#ifndef PADIC_NO_CODEC

// --------------------------------------------------------------------------------- >>codec impl
// Choices by their number in the container: the bit numbers of padic_codec_transform and so on.
enum {
    PADICI_CODEC_TRANSFORM_BITS,
    PADICI_CODEC_TRANSFORM_FIELDS,
    PADICI_CODEC_TRANSFORM_SCALE,
    PADICI_CODEC_TRANSFORM_AFFINE,
    PADICI_CODEC_TRANSFORM_DECIMAL,
    PADICI_CODEC_TRANSFORM_RAW,
    PADICI_CODEC_TRANSFORM_COLUMNS,
    PADICI_CODEC_TRANSFORM_PLAIN,
    PADICI_CODEC_TRANSFORMS
};

enum {
    PADICI_CODEC_PREDICTOR_NONE,
    PADICI_CODEC_PREDICTOR_DELTA,
    PADICI_CODEC_PREDICTOR_DELTA2,
    PADICI_CODEC_PREDICTOR_LORENZO,
    PADICI_CODEC_PREDICTOR_XOR,
    PADICI_CODEC_PREDICTOR_MEDIAN,
    PADICI_CODEC_PREDICTOR_INTERPOLATE,
    PADICI_CODEC_PREDICTOR_LINEAR,
    PADICI_CODEC_PREDICTORS
};

enum {
    PADICI_CODEC_PATTERN_NONE,
    PADICI_CODEC_PATTERN_RUNS,
    PADICI_CODEC_PATTERN_LZ,
    PADICI_CODEC_PATTERN_CONSTANT,
    PADICI_CODEC_PATTERN_MATCH,
    PADICI_CODEC_PATTERNS
};

enum {
    PADICI_CODEC_REPRESENTATION_BUCKETS,
    PADICI_CODEC_REPRESENTATION_BYTES,
    PADICI_CODEC_REPRESENTATION_PACKED,
    PADICI_CODEC_REPRESENTATION_UNIT,
    PADICI_CODEC_REPRESENTATION_PRIME,
    PADICI_CODEC_REPRESENTATION_NIBBLES,
    PADICI_CODEC_REPRESENTATION_BITS,
    PADICI_CODEC_REPRESENTATION_TABLE,
    PADICI_CODEC_REPRESENTATIONS
};

enum {
    PADICI_CODEC_CODER_RAW,
    PADICI_CODEC_CODER_CONSTANT,
    PADICI_CODEC_CODER_PACKED,
    PADICI_CODEC_CODER_HUFFMAN,
    PADICI_CODEC_CODER_RANS,
    PADICI_CODEC_CODER_SPARSE,
    PADICI_CODEC_CODER_CONTEXT,
    PADICI_CODEC_CODER_REPEAT,
    PADICI_CODEC_CODERS
};

// Categories of packed bytes in padic_codec_report.bytes.
enum {
    PADICI_CODEC_KIND_HEADER,
    PADICI_CODEC_KIND_TOKENS,
    PADICI_CODEC_KIND_BITS,
    PADICI_CODEC_KIND_PLANES,
    PADICI_CODEC_KIND_PATTERN,
    PADICI_CODEC_KIND_EXCEPTIONS,
    PADICI_CODEC_KIND_RAW,
    PADICI_CODEC_KIND_INDEX
};

// Flags of a block.
#define PADICI_CODEC_BLOCK_ZIGZAG 1u     // words are folded signed residuals
#define PADICI_CODEC_BLOCK_FIRST 2u      // the pattern was removed before prediction
#define PADICI_CODEC_BLOCK_SINGLE 4u     // f64 elements that are rounded to f32
#define PADICI_CODEC_BLOCK_EXCEPTIONS 8u // a list of elements that are off the lattice
#define PADICI_CODEC_BLOCK_COSET 16u     // n = r + m n'
#define PADICI_CODEC_BLOCK_SPLIT 32u     // the lowest bits of n are separate streams
#define PADICI_CODEC_BLOCK_REFERENCE 64u // words are differences to the reference's words
#define PADICI_CODEC_BLOCK_WINDOW 128u   // repeats of earlier blocks; a byte gives their number

#define PADICI_CODEC_BLOCK_TARGET 65536u  // default elements of a block
#define PADICI_CODEC_BLOCK_LIMIT 1048576u // most elements of a block
#define PADICI_CODEC_FRAME_SIZE 16u       // u32 payload size, u32 rows, u64 checksum
#define PADICI_CODEC_PAYLOAD_PAD 8u       // trailing zero bytes: 8 bytes may be loaded anywhere
#define PADICI_CODEC_END_MARK 0xffffffffu // replaces a payload size: the index follows
#define PADICI_CODEC_GROUP 256u           // words of one width in PACKED
#define PADICI_CODEC_TILE 2048u           // words that are decoded at a time
#define PADICI_CODEC_MAX_OPS 16u          // differences in a chain
#define PADICI_CODEC_MAX_TAPS 32u         // weighted neighbours,
#define PADICI_CODEC_TAP_AXES 3u          // on at most so many axes
#define PADICI_CODEC_TAP_FLOATS 128u      // with the shift: they are summed as floats
#define PADICI_CODEC_MAX_COLUMNS 256u     // of a record
#define PADICI_CODEC_CONTEXTS 16u         // tables of one stream
#define PADICI_CODEC_TABLES_SIZE (PADICI_CODEC_CONTEXTS * 16384u + 1024u)
#define PADICI_CODEC_FLAT 0x80u // an op with its own stride, not an axis

#endif
