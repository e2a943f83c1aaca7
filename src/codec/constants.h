#pragma once
#include "../core/platform.h"

#ifndef PADIC_NO_CODEC

// --------------------------------------------------------------------------------- >>codec impl
// Choices as the container numbers them: the bit numbers of padic_codec_choice.
enum {
    PADICI_FORM_BITS, PADICI_FORM_FIELDS, PADICI_FORM_SCALE, PADICI_FORM_AFFINE,
    PADICI_FORM_DECIMAL, PADICI_FORM_RAW, PADICI_FORM_COLUMNS, PADICI_FORM_PLAIN, PADICI_FORMS
};

enum {
    PADICI_PREDICT_NONE, PADICI_PREDICT_DELTA, PADICI_PREDICT_DELTA2, PADICI_PREDICT_LORENZO,
    PADICI_PREDICT_XOR, PADICI_PREDICT_MEDIAN, PADICI_PREDICT_INTERPOLATE, PADICI_PREDICT_LINEAR,
    PADICI_PREDICTORS
};

enum {
    PADICI_PATTERN_NONE, PADICI_PATTERN_RUNS, PADICI_PATTERN_LZ, PADICI_PATTERN_CONSTANT,
    PADICI_PATTERN_MATCH, PADICI_PATTERNS
};

enum {
    PADICI_DIGITS_CLASS, PADICI_DIGITS_BYTES, PADICI_DIGITS_PACKED, PADICI_DIGITS_UNIT,
    PADICI_DIGITS_PRIME, PADICI_DIGITS_NIBBLES, PADICI_DIGITS_BITS, PADICI_DIGITS_TABLE,
    PADICI_DIGITS
};

enum {
    PADICI_CODER_RAW, PADICI_CODER_CONSTANT, PADICI_CODER_PACKED, PADICI_CODER_HUFFMAN,
    PADICI_CODER_RANS, PADICI_CODER_SPARSE, PADICI_CODER_CONTEXT, PADICI_CODER_REPEAT, PADICI_CODERS
};

// What a packed byte is counted as in padic_codec_report.bytes.
enum {
    PADICI_KIND_HEADER, PADICI_KIND_TOKENS, PADICI_KIND_BITS, PADICI_KIND_PLANES,
    PADICI_KIND_PATTERN, PADICI_KIND_EXCEPTIONS, PADICI_KIND_RAW, PADICI_KIND_INDEX
};

// Flags of a block.
#define PADICI_BLOCK_ZIGZAG 1u     // words are signed residuals, folded
#define PADICI_BLOCK_FIRST 2u      // the pattern was taken out before prediction
#define PADICI_BLOCK_SINGLE 4u     // f64 elements that are rounded to f32
#define PADICI_BLOCK_EXCEPTIONS 8u // a list of elements that are off the lattice
#define PADICI_BLOCK_COSET 16u     // n = r + m n'
#define PADICI_BLOCK_SPLIT 32u     // the lowest bits of n are streams of their own
#define PADICI_BLOCK_REFERENCE 64u // words are differences to those of the reference
#define PADICI_BLOCK_WINDOW 128u   // repeats of earlier blocks; a byte says how many it needs

#define PADICI_BLOCK_TARGET 65536u   // elements of a block when the caller does not choose
#define PADICI_BLOCK_LIMIT 1048576u  // most elements of a block
#define PADICI_FRAME_SIZE 16u        // u32 payload size, u32 rows, u64 checksum
#define PADICI_PAYLOAD_PAD 8u        // zero bytes at its end: 8 bytes may be loaded anywhere
#define PADICI_END_MARK 0xffffffffu  // in place of a payload size: the index follows
#define PADICI_GROUP 256u            // words of one width in PACKED digits
#define PADICI_TILE 2048u             // words that are decoded at a time
#define PADICI_MAX_OPS 16u           // differences in a chain
#define PADICI_MAX_TAPS 32u          // neighbours with weights,
#define PADICI_TAP_AXES 3u           // on so many axes
#define PADICI_TAP_FLOATS 128u       // with the shift: they are added up as floats
#define PADICI_MAX_COLUMNS 256u      // of a record
#define PADICI_CONTEXTS 16u          // tables of one stream
#define PADICI_TABLES (PADICI_CONTEXTS * 16384u + 1024u)
#define PADICI_FLAT 0x80u            // an op with a stride of its own, not an axis

#endif
