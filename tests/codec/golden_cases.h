// golden_cases.h: the arrays and descs behind tests/golden/. make_golden.c writes the streams,
// test_codec_golden.c packs them again on the machine at hand and compares. Integers, powers of two
// and single IEEE operations only, so the arrays are the same everywhere.
#ifndef PADIC_GOLDEN_CASES_H
#define PADIC_GOLDEN_CASES_H

typedef struct golden_case {
    const char *name;
    padic_dtype dtype;
    cc_kind kind;
    uint32_t rank;
    uint64_t shape[8], block[8];
    int level;
    padic_codec_stages stages;
    padic_codec_tolerance_mode mode;
    double tolerance;
    uint32_t prime;
    int unknown; // a stream whose length was not known when it began
    uint32_t layers;
    padic_codec_profile profile;
} golden_case;

// clang-format off
#define GOLDEN_FREE {0, 0, 0, 0, 0}, PADIC_CODEC_TOLERANCE_NONE, 0, 0
#define GOLDEN_PLAIN(name, dtype, kind, n) \
    {name, dtype, kind, 1, {n}, {0}, 0, GOLDEN_FREE, 0, 0, PADIC_CODEC_PROFILE_ANY}
#define GOLDEN_LEVEL(name, dtype, kind, n, level) \
    {name, dtype, kind, 1, {n}, {0}, level, GOLDEN_FREE, 0, 0, PADIC_CODEC_PROFILE_ANY}
#define GOLDEN_BOX(name, dtype, kind, rank, n0, n1, n2, n3, b0, b1, b2, b3, unknown) \
    {name, dtype, kind, rank, {n0, n1, n2, n3}, {b0, b1, b2, b3}, 0, GOLDEN_FREE, unknown, 0, \
     PADIC_CODEC_PROFILE_ANY}
#define GOLDEN_LAYERS(name, dtype, kind, rows, cols, mode, tolerance, layers) \
    {name, dtype, kind, 2, {rows, cols}, {0}, 0, {0, 0, 0, 0, 0}, mode, tolerance, 0, 0, layers, \
     PADIC_CODEC_PROFILE_ANY}
#define GOLDEN_EIGHT(name, dtype, kind, n, m) \
    {name, dtype, kind, 8, {n, m, n, m, n, m, n, m}, {0}, 0, GOLDEN_FREE, 0, 0, \
     PADIC_CODEC_PROFILE_ANY}
#define GOLDEN_STAGES(name, dtype, kind, n, form, predictor, pattern, representations, coder) \
    {name, dtype, kind, 1, {n}, {0}, 0, {form, predictor, pattern, representations, coder}, \
     PADIC_CODEC_TOLERANCE_NONE, 0, 0, 0, 0, PADIC_CODEC_PROFILE_ANY}
#define GOLDEN_WINDOW(name, dtype, kind, n, block, pattern, coder) \
    {name, dtype, kind, 1, {n}, {block}, 0, {0, 0, pattern, 0, coder}, \
     PADIC_CODEC_TOLERANCE_NONE, 0, 0, 0, 0, PADIC_CODEC_PROFILE_ANY}
#define GOLDEN_PLANE(name, dtype, kind, rows, cols, predictor) \
    {name, dtype, kind, 2, {rows, cols}, {0}, 0, {0, predictor, PADIC_CODEC_PATTERN_NONE, 0, 0}, \
     PADIC_CODEC_TOLERANCE_NONE, 0, 0, 0, 0, PADIC_CODEC_PROFILE_ANY}
#define GOLDEN_SPACE(name, dtype, kind, n0, n1, n2, predictor) \
    {name, dtype, kind, 3, {n0, n1, n2}, {0}, 0, {0, predictor, PADIC_CODEC_PATTERN_NONE, 0, 0}, \
     PADIC_CODEC_TOLERANCE_NONE, 0, 0, 0, 0, PADIC_CODEC_PROFILE_ANY}
#define GOLDEN_BOUND(name, dtype, kind, n, mode, tolerance) \
    {name, dtype, kind, 1, {n}, {0}, 0, {0, 0, 0, 0, 0}, mode, tolerance, 0, 0, 0, \
     PADIC_CODEC_PROFILE_ANY}
#define GOLDEN_WITHIN(name, dtype, kind, n, mode, tolerance, profile) \
    {name, dtype, kind, 1, {n}, {0}, 0, {0, 0, 0, 0, 0}, mode, tolerance, 0, 0, 0, profile}
#define GOLDEN_PRIME(name, dtype, kind, n, prime) \
    {name, dtype, kind, 1, {n}, {0}, 0, \
     {0, 0, PADIC_CODEC_PATTERN_NONE, PADIC_CODEC_REPRESENTATION_PRIME, 0}, \
     PADIC_CODEC_TOLERANCE_NONE, 0, prime, 0, 0, PADIC_CODEC_PROFILE_ANY}
#define GOLDEN_PROFILE(name, dtype, kind, rows, cols, block, profile) \
    {name, dtype, kind, 2, {rows, cols}, {block, block ? cols : 0}, 0, GOLDEN_FREE, 0, 0, profile}
// clang-format on

static const golden_case golden_cases[] = {
    // every dtype, chosen freely
    GOLDEN_PLAIN("f64", PADIC_F64, CC_SMOOTH, 500),
    GOLDEN_PLAIN("f32", PADIC_F32, CC_SMOOTH, 700),
    GOLDEN_PLAIN("f16", PADIC_F16, CC_SMOOTH, 900),
    GOLDEN_PLAIN("bf16", PADIC_BF16, CC_SMOOTH, 900),
    GOLDEN_PLAIN("i8", PADIC_I8, CC_WALK, 1000),
    GOLDEN_PLAIN("i16", PADIC_I16, CC_WALK, 1000),
    GOLDEN_PLAIN("i32", PADIC_I32, CC_WALK, 900),
    GOLDEN_PLAIN("i64", PADIC_I64, CC_WALK, 800),
    GOLDEN_PLAIN("u8", PADIC_U8, CC_SKEW, 1500),
    GOLDEN_PLAIN("u16", PADIC_U16, CC_SKEW, 1000),
    GOLDEN_PLAIN("u32", PADIC_U32, CC_OUTLIERS, 900),
    GOLDEN_PLAIN("u64", PADIC_U64, CC_OUTLIERS, 800),
    GOLDEN_PLAIN("complex64", PADIC_C64, CC_SMOOTH, 400),
    GOLDEN_PLAIN("complex128", PADIC_C128, CC_WALK, 300),
    // numbers that are easily lost
    GOLDEN_PLAIN("classes_f64", PADIC_F64, CC_CLASSES, 300),
    GOLDEN_PLAIN("classes_f32", PADIC_F32, CC_CLASSES, 300),
    GOLDEN_PLAIN("classes_f16", PADIC_F16, CC_CLASSES, 300),
    GOLDEN_PLAIN("classes_bf16", PADIC_BF16, CC_CLASSES, 300),
    GOLDEN_PLAIN("classes_i64", PADIC_I64, CC_CLASSES, 300),
    // sizes and shapes
    GOLDEN_PLAIN("empty", PADIC_F32, CC_ZERO, 0),
    GOLDEN_PLAIN("one", PADIC_F64, CC_DECIMAL, 1),
    GOLDEN_BOX("rank0", PADIC_F32, CC_DECIMAL, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0),
    GOLDEN_BOX("rank3", PADIC_F32, CC_SMOOTH, 3, 9, 11, 13, 0, 0, 0, 0, 0, 0),
    GOLDEN_BOX("rank4", PADIC_I16, CC_SMOOTH, 4, 5, 6, 7, 8, 2, 3, 7, 8, 0),
    GOLDEN_EIGHT("rank8", PADIC_U16, CC_WALK, 2, 3),
    GOLDEN_BOX("blocks", PADIC_F32, CC_DECIMAL, 2, 50, 60, 0, 0, 16, 16, 0, 0, 0),
    GOLDEN_BOX("unknown", PADIC_F32, CC_DECIMAL, 2, 70, 20, 0, 0, 16, 20, 0, 0, 1),
    GOLDEN_PLAIN("many", PADIC_U8, CC_CONSTANT, 200000),
    GOLDEN_PLAIN("long", PADIC_I16, CC_WALK, 70001),
    // levels
    GOLDEN_LEVEL("level1", PADIC_F32, CC_DECIMAL, 2000, 1),
    GOLDEN_LEVEL("level3", PADIC_F32, CC_DECIMAL, 2000, 3),
    GOLDEN_LEVEL("level7", PADIC_F32, CC_DECIMAL, 2000, 7),
    GOLDEN_LEVEL("level9", PADIC_F32, CC_DECIMAL, 2000, 9),
    GOLDEN_LEVEL("level9_records", PADIC_I32, CC_RECORDS, 2000, 9),
    GOLDEN_LEVEL("split_f32", PADIC_F32, CC_MIRROR, 1800, 9),
    GOLDEN_LEVEL("split_f64", PADIC_F64, CC_MIRROR, 1800, 9),
    // forms
    GOLDEN_STAGES("form_bits", PADIC_F32, CC_SMOOTH, 800, PADIC_CODEC_TRANSFORM_BITS, 0, 0, 0, 0),
    GOLDEN_STAGES("form_fields", PADIC_F32, CC_WEIGHTS, 1500, PADIC_CODEC_TRANSFORM_FIELDS, 0, 0, 0,
                  0),
    GOLDEN_STAGES("form_fields_bf16", PADIC_BF16, CC_WEIGHTS, 1500, PADIC_CODEC_TRANSFORM_FIELDS, 0,
                  0, 0, 0),
    GOLDEN_STAGES("form_scale", PADIC_F32, CC_BINARY, 1500, PADIC_CODEC_TRANSFORM_SCALE, 0, 0, 0,
                  0),
    GOLDEN_STAGES("form_scale_i32", PADIC_I32, CC_BINARY, 1500, PADIC_CODEC_TRANSFORM_SCALE, 0, 0,
                  0, 0),
    GOLDEN_STAGES("form_affine", PADIC_F64, CC_AFFINE, 1500, PADIC_CODEC_TRANSFORM_AFFINE, 0, 0, 0,
                  0),
    GOLDEN_STAGES("form_affine_f32", PADIC_F32, CC_AFFINE, 1500, PADIC_CODEC_TRANSFORM_AFFINE, 0, 0,
                  0, 0),
    GOLDEN_STAGES("form_affine_i32", PADIC_I32, CC_AFFINE, 1500, PADIC_CODEC_TRANSFORM_AFFINE, 0, 0,
                  0, 0),
    GOLDEN_STAGES("form_decimal", PADIC_F64, CC_DECIMAL, 1500, PADIC_CODEC_TRANSFORM_DECIMAL, 0, 0,
                  0, 0),
    GOLDEN_STAGES("form_decimal_f32", PADIC_F32, CC_DECIMAL, 1500, PADIC_CODEC_TRANSFORM_DECIMAL, 0,
                  0, 0, 0),
    GOLDEN_STAGES("form_decimal_single", PADIC_F64, CC_SINGLE, 1500, PADIC_CODEC_TRANSFORM_DECIMAL,
                  0, 0, 0, 0),
    GOLDEN_STAGES("form_raw", PADIC_F32, CC_BITS, 300, PADIC_CODEC_TRANSFORM_RAW, 0, 0, 0, 0),
    {"form_columns",
     PADIC_F64,
     CC_DECIMAL,
     2,
     {300, 5},
     {0},
     0,
     {PADIC_CODEC_TRANSFORM_COLUMNS, 0, 0, 0, 0},
     PADIC_CODEC_TOLERANCE_NONE,
     0,
     0,
     0,
     0,
     PADIC_CODEC_PROFILE_ANY},
    GOLDEN_STAGES("form_columns_u8", PADIC_U8, CC_RECORDS, 901, PADIC_CODEC_TRANSFORM_COLUMNS, 0, 0,
                  0, 0),
    // predictors
    GOLDEN_PLANE("predict_none", PADIC_I32, CC_SMOOTH, 30, 40, PADIC_CODEC_PREDICTOR_NONE),
    GOLDEN_PLANE("predict_delta", PADIC_I32, CC_SMOOTH, 30, 40, PADIC_CODEC_PREDICTOR_DELTA),
    GOLDEN_PLANE("predict_delta2", PADIC_I32, CC_SMOOTH, 30, 40, PADIC_CODEC_PREDICTOR_DELTA2),
    GOLDEN_PLANE("predict_lorenzo", PADIC_I32, CC_SMOOTH, 30, 40, PADIC_CODEC_PREDICTOR_LORENZO),
    GOLDEN_PLANE("predict_xor", PADIC_F32, CC_SMOOTH, 30, 40, PADIC_CODEC_PREDICTOR_XOR),
    GOLDEN_PLANE("predict_median", PADIC_I32, CC_SMOOTH, 30, 40, PADIC_CODEC_PREDICTOR_MEDIAN),
    GOLDEN_PLANE("predict_interpolate", PADIC_I32, CC_SMOOTH, 30, 41,
                 PADIC_CODEC_PREDICTOR_INTERPOLATE),
    GOLDEN_SPACE("predict_interpolate3", PADIC_F32, CC_SMOOTH, 10, 11, 13,
                 PADIC_CODEC_PREDICTOR_INTERPOLATE),
    GOLDEN_STAGES("predict_linear", PADIC_I16, CC_SMOOTH, 900, 0, PADIC_CODEC_PREDICTOR_LINEAR,
                  PADIC_CODEC_PATTERN_NONE, 0, 0),
    GOLDEN_PLANE("predict_linear2", PADIC_I32, CC_SMOOTH, 30, 40, PADIC_CODEC_PREDICTOR_LINEAR),
    GOLDEN_SPACE("predict_linear3", PADIC_F32, CC_SMOOTH, 10, 11, 13, PADIC_CODEC_PREDICTOR_LINEAR),
    GOLDEN_PLANE("predict_floats", PADIC_F32, CC_SMOOTH, 37, 31, PADIC_CODEC_PREDICTOR_LINEAR),
    GOLDEN_SPACE("predict_floats3", PADIC_F64, CC_SMOOTH, 9, 10, 11, PADIC_CODEC_PREDICTOR_LINEAR),
    {"predict_floats_classes",
     PADIC_F32,
     CC_CLASSES,
     1,
     {700},
     {0},
     7,
     {PADIC_CODEC_TRANSFORM_BITS, PADIC_CODEC_PREDICTOR_LINEAR, PADIC_CODEC_PATTERN_NONE, 0, 0},
     PADIC_CODEC_TOLERANCE_NONE,
     0,
     0,
     0,
     0,
     PADIC_CODEC_PROFILE_ANY},
    GOLDEN_STAGES("predict_linear_lz", PADIC_I32, CC_REPEAT, 900, 0, PADIC_CODEC_PREDICTOR_LINEAR,
                  PADIC_CODEC_PATTERN_LZ, 0, 0),
    {"bound_smooth_f32",
     PADIC_F32,
     CC_SMOOTH,
     2,
     {60, 43},
     {0},
     7,
     {0, PADIC_CODEC_PREDICTOR_INTERPOLATE, 0, 0, 0},
     PADIC_CODEC_TOLERANCE_ABSOLUTE,
     0.5,
     0,
     0,
     0,
     PADIC_CODEC_PROFILE_ANY},
    GOLDEN_SPACE("predict_lorenzo3", PADIC_I16, CC_SMOOTH, 10, 11, 12,
                 PADIC_CODEC_PREDICTOR_LORENZO),
    GOLDEN_STAGES("predict_records", PADIC_I32, CC_RECORDS, 1200, 0, PADIC_CODEC_PREDICTOR_DELTA,
                  PADIC_CODEC_PATTERN_NONE, 0, 0),
    // patterns
    GOLDEN_STAGES("pattern_runs", PADIC_I32, CC_RUNS, 3000, 0, 0, PADIC_CODEC_PATTERN_RUNS, 0, 0),
    GOLDEN_STAGES("pattern_lz", PADIC_I32, CC_REPEAT, 3000, 0, 0, PADIC_CODEC_PATTERN_LZ, 0, 0),
    GOLDEN_STAGES("pattern_lz_u8", PADIC_U8, CC_REPEAT, 3000, 0, 0, PADIC_CODEC_PATTERN_LZ, 0, 0),
    GOLDEN_STAGES("pattern_lz_f64", PADIC_F64, CC_REPEAT, 1000, 0, 0, PADIC_CODEC_PATTERN_LZ, 0, 0),
    GOLDEN_WINDOW("match_window", PADIC_U32, CC_REPEAT, 1100, 150, PADIC_CODEC_PATTERN_MATCH, 0),
    GOLDEN_WINDOW("match_copy", PADIC_F32, CC_REPEAT, 740, 185, PADIC_CODEC_PATTERN_MATCH, 0),
    GOLDEN_WINDOW("match_split", PADIC_F64, CC_MIRROR, 1200, 400, PADIC_CODEC_PATTERN_MATCH, 0),
    GOLDEN_WINDOW("match_split_f16", PADIC_F16, CC_MIRROR, 1200, 400, PADIC_CODEC_PATTERN_MATCH, 0),
    // blocks that follow the first of their group
    GOLDEN_WINDOW("follow_words", PADIC_F32, CC_SMOOTH, 6200, 1024, 0, 0),
    GOLDEN_WINDOW("follow_decimals", PADIC_F64, CC_DECIMAL, 5200, 1024, 0, 0),
    GOLDEN_WINDOW("follow_repeats", PADIC_U32, CC_REPEAT, 9300, 1100, 0, 0),
    GOLDEN_WINDOW("follow_split", PADIC_F32, CC_MIRROR, 6200, 1024, 0, 0),
    GOLDEN_STAGES("pattern_constant", PADIC_F32, CC_CONSTANT, 3000, 0, 0,
                  PADIC_CODEC_PATTERN_CONSTANT, 0, 0),
    // digits
    GOLDEN_STAGES("digits_class", PADIC_I32, CC_WALK, 1500, 0, 0, PADIC_CODEC_PATTERN_NONE,
                  PADIC_CODEC_REPRESENTATION_BUCKETS, 0),
    GOLDEN_STAGES("digits_bytes", PADIC_I32, CC_WALK, 1500, 0, 0, PADIC_CODEC_PATTERN_NONE,
                  PADIC_CODEC_REPRESENTATION_BYTES, 0),
    GOLDEN_STAGES("digits_packed", PADIC_I32, CC_OUTLIERS, 1500, 0, 0, PADIC_CODEC_PATTERN_NONE,
                  PADIC_CODEC_REPRESENTATION_PACKED, 0),
    GOLDEN_STAGES("digits_unit", PADIC_I32, CC_VALUATION, 1500, 0, 0, PADIC_CODEC_PATTERN_NONE,
                  PADIC_CODEC_REPRESENTATION_UNIT, 0),
    GOLDEN_STAGES("digits_nibbles", PADIC_I32, CC_SKEW, 1500, 0, 0, PADIC_CODEC_PATTERN_NONE,
                  PADIC_CODEC_REPRESENTATION_NIBBLES, 0),
    GOLDEN_STAGES("digits_bits", PADIC_I32, CC_SPARSE, 1500, 0, 0, PADIC_CODEC_PATTERN_NONE,
                  PADIC_CODEC_REPRESENTATION_BITS, 0),
    GOLDEN_STAGES("digits_table", PADIC_I32, CC_RUNS, 3000, 0, 0, PADIC_CODEC_PATTERN_NONE,
                  PADIC_CODEC_REPRESENTATION_TABLE, 0),
    GOLDEN_PRIME("prime_2", PADIC_U32, CC_PRIME, 600, 2),
    GOLDEN_PRIME("prime_3", PADIC_I16, CC_NOISE, 600, 3),
    GOLDEN_PRIME("prime_257", PADIC_U32, CC_PRIME, 900, 257),
    GOLDEN_PRIME("prime_65537", PADIC_U64, CC_PRIME, 600, 65537),
    // coders
    GOLDEN_STAGES("coder_raw", PADIC_I16, CC_SKEW, 900, 0, 0, PADIC_CODEC_PATTERN_NONE, 0,
                  PADIC_CODEC_CODER_RAW),
    GOLDEN_STAGES("coder_constant", PADIC_I16, CC_ZERO, 900, 0, 0, PADIC_CODEC_PATTERN_NONE, 0,
                  PADIC_CODEC_CODER_CONSTANT),
    GOLDEN_STAGES("coder_packed", PADIC_I16, CC_NOISE, 900, 0, 0, PADIC_CODEC_PATTERN_NONE, 0,
                  PADIC_CODEC_CODER_PACKED),
    GOLDEN_STAGES("coder_huffman", PADIC_U8, CC_SKEW, 3000, 0, 0, PADIC_CODEC_PATTERN_NONE,
                  PADIC_CODEC_REPRESENTATION_BYTES, PADIC_CODEC_CODER_HUFFMAN),
    GOLDEN_STAGES("coder_rans", PADIC_U8, CC_SKEW, 3000, 0, 0, PADIC_CODEC_PATTERN_NONE,
                  PADIC_CODEC_REPRESENTATION_BYTES, PADIC_CODEC_CODER_RANS),
    GOLDEN_WINDOW("coder_context", PADIC_I32, CC_WALK, 3000, 3000, PADIC_CODEC_PATTERN_NONE,
                  PADIC_CODEC_CODER_CONTEXT),
    {"coder_columns",
     PADIC_I16,
     CC_SKEW,
     2,
     {400, 7},
     {0},
     0,
     {0, PADIC_CODEC_PREDICTOR_NONE, PADIC_CODEC_PATTERN_NONE, 0, PADIC_CODEC_CODER_CONTEXT},
     PADIC_CODEC_TOLERANCE_NONE,
     0,
     0,
     0,
     0,
     PADIC_CODEC_PROFILE_ANY},
    {"coder_context_box",
     PADIC_F32,
     CC_SMOOTH,
     3,
     {12, 20, 9},
     {0},
     0,
     {0, 0, PADIC_CODEC_PATTERN_NONE, 0, PADIC_CODEC_CODER_CONTEXT},
     PADIC_CODEC_TOLERANCE_NONE,
     0,
     0,
     0,
     0,
     PADIC_CODEC_PROFILE_ANY},
    GOLDEN_STAGES("coder_sparse", PADIC_U8, CC_SPARSE, 3000, 0, 0, PADIC_CODEC_PATTERN_NONE,
                  PADIC_CODEC_REPRESENTATION_BYTES, PADIC_CODEC_CODER_SPARSE),
    GOLDEN_STAGES("coder_repeat", PADIC_U8, CC_REPEAT, 3000, 0, 0, PADIC_CODEC_PATTERN_NONE,
                  PADIC_CODEC_REPRESENTATION_BYTES,
                  PADIC_CODEC_CODER_REPEAT | PADIC_CODEC_CODER_HUFFMAN),
    GOLDEN_STAGES("coder_repeat_f64", PADIC_F64, CC_MIRROR, 2000, 0, PADIC_CODEC_PREDICTOR_NONE,
                  PADIC_CODEC_PATTERN_NONE, PADIC_CODEC_REPRESENTATION_BYTES,
                  PADIC_CODEC_CODER_REPEAT | PADIC_CODEC_CODER_RANS | PADIC_CODEC_CODER_RAW),
    GOLDEN_STAGES("form_plain", PADIC_F32, CC_REPEAT, 900, PADIC_CODEC_TRANSFORM_PLAIN, 0,
                  PADIC_CODEC_PATTERN_NONE, 0, 0),
    GOLDEN_STAGES("form_plain_classes", PADIC_F64, CC_CLASSES, 400, PADIC_CODEC_TRANSFORM_PLAIN, 0,
                  PADIC_CODEC_PATTERN_NONE, 0, PADIC_CODEC_CODER_REPEAT),
    // bounds
    GOLDEN_BOUND("bound_absolute_f32", PADIC_F32, CC_SMOOTH, 1200, PADIC_CODEC_TOLERANCE_ABSOLUTE,
                 0.5),
    {"bound_window",
     PADIC_F32,
     CC_REPEAT,
     1,
     {3000},
     {500},
     0,
     {0, 0, 0, 0, 0},
     PADIC_CODEC_TOLERANCE_ABSOLUTE,
     1,
     0,
     0,
     0,
     PADIC_CODEC_PROFILE_ANY},
    GOLDEN_BOUND("bound_absolute_i32", PADIC_I32, CC_WALK, 1200, PADIC_CODEC_TOLERANCE_ABSOLUTE,
                 3.0),
    GOLDEN_BOUND("bound_absolute_u8", PADIC_U8, CC_WALK, 1200, PADIC_CODEC_TOLERANCE_ABSOLUTE, 2.0),
    GOLDEN_BOUND("bound_range_f64", PADIC_F64, CC_SMOOTH, 1200, PADIC_CODEC_TOLERANCE_RANGE, 0.001),
    GOLDEN_BOUND("bound_range_f16", PADIC_F16, CC_SMOOTH, 1200, PADIC_CODEC_TOLERANCE_RANGE, 0.01),
    GOLDEN_BOUND("bound_range_bf16", PADIC_BF16, CC_SMOOTH, 1200, PADIC_CODEC_TOLERANCE_RANGE,
                 0.01),
    GOLDEN_BOUND("bound_range_complex64", PADIC_C64, CC_SMOOTH, 600, PADIC_CODEC_TOLERANCE_RANGE,
                 0.001),
    GOLDEN_BOUND("bound_range_classes", PADIC_F32, CC_CLASSES, 400, PADIC_CODEC_TOLERANCE_RANGE,
                 0.01),
    GOLDEN_BOUND("bound_pointwise_f32", PADIC_F32, CC_WEIGHTS, 1500,
                 PADIC_CODEC_TOLERANCE_POINTWISE, 0.001),
    GOLDEN_BOUND("bound_pointwise_f64", PADIC_F64, CC_SMOOTH, 1200, PADIC_CODEC_TOLERANCE_POINTWISE,
                 0.0001),
    GOLDEN_BOUND("bound_pointwise_classes", PADIC_F64, CC_CLASSES, 400,
                 PADIC_CODEC_TOLERANCE_POINTWISE, 0.01),
    GOLDEN_BOUND("bound_rms_f32", PADIC_F32, CC_WEIGHTS, 1500, PADIC_CODEC_TOLERANCE_RMS, 0.01),
    GOLDEN_BOUND("bound_fixed_f64", PADIC_F64, CC_SMOOTH, 1500, PADIC_CODEC_TOLERANCE_FIXED, 900),
    // layers: all forms of a reference's words
    GOLDEN_PROFILE("profile_f32", PADIC_F32, CC_SMOOTH, 40, 33, 0, PADIC_CODEC_PROFILE_PARALLEL),
    GOLDEN_PROFILE("profile_i16", PADIC_I16, CC_WALK, 64, 33, 20, PADIC_CODEC_PROFILE_PARALLEL),
    GOLDEN_PROFILE("profile_f64", PADIC_F64, CC_BINARY, 30, 33, 0, PADIC_CODEC_PROFILE_PARALLEL),
    GOLDEN_PROFILE("profile_u8", PADIC_U8, CC_CONSTANT, 40, 33, 7, PADIC_CODEC_PROFILE_PARALLEL),
    GOLDEN_PROFILE("profile_fetch_bf16", PADIC_BF16, CC_WEIGHTS, 40, 33, 0,
                   PADIC_CODEC_PROFILE_FETCH),
    GOLDEN_PROFILE("profile_fetch_i64", PADIC_I64, CC_VALUATION, 20, 33, 7,
                   PADIC_CODEC_PROFILE_FETCH),
    GOLDEN_PROFILE("profile_coded_i32", PADIC_I32, CC_SKEW, 64, 33, 0, PADIC_CODEC_PROFILE_CODED),
    GOLDEN_PROFILE("profile_coded_f32", PADIC_F32, CC_DECIMAL, 99, 33, 50,
                   PADIC_CODEC_PROFILE_CODED),
    GOLDEN_PROFILE("profile_bits_c64", PADIC_C64, CC_BITS, 10, 33, 0, PADIC_CODEC_PROFILE_PARALLEL),
    GOLDEN_WITHIN("profile_bound_f32", PADIC_F32, CC_SMOOTH, 2000, PADIC_CODEC_TOLERANCE_RANGE,
                  0.001, PADIC_CODEC_PROFILE_PARALLEL),
    GOLDEN_WITHIN("profile_bound_classes", PADIC_F32, CC_CLASSES, 400,
                  PADIC_CODEC_TOLERANCE_ABSOLUTE, 0.01, PADIC_CODEC_PROFILE_PARALLEL),
    GOLDEN_WITHIN("profile_bound_fetch", PADIC_F32, CC_WEIGHTS, 1500, PADIC_CODEC_TOLERANCE_RANGE,
                  0.0001, PADIC_CODEC_PROFILE_FETCH),
    GOLDEN_WITHIN("profile_bound_coded", PADIC_C64, CC_SMOOTH, 2000, PADIC_CODEC_TOLERANCE_RANGE,
                  0.0001, PADIC_CODEC_PROFILE_CODED),
    GOLDEN_WITHIN("profile_bound_f64", PADIC_F64, CC_SMOOTH, 2000, PADIC_CODEC_TOLERANCE_RANGE,
                  1e-10, PADIC_CODEC_PROFILE_PARALLEL),
    GOLDEN_WITHIN("profile_bound_f64_classes", PADIC_F64, CC_CLASSES, 400,
                  PADIC_CODEC_TOLERANCE_ABSOLUTE, 0.01, PADIC_CODEC_PROFILE_CODED),
    GOLDEN_LAYERS("planes_f32", PADIC_F32, CC_SMOOTH, 40, 33, PADIC_CODEC_TOLERANCE_NONE, 0, 3),
    GOLDEN_LAYERS("planes_f64", PADIC_F64, CC_DECIMAL, 40, 33, PADIC_CODEC_TOLERANCE_NONE, 0, 2),
    GOLDEN_LAYERS("planes_bound_f64", PADIC_F64, CC_WEIGHTS, 40, 33, PADIC_CODEC_TOLERANCE_RANGE,
                  0.0001, 4),
    GOLDEN_LAYERS("planes_bf16", PADIC_BF16, CC_WEIGHTS, 40, 33, PADIC_CODEC_TOLERANCE_NONE, 0, 2),
    GOLDEN_LAYERS("planes_i32", PADIC_I32, CC_WALK, 40, 33, PADIC_CODEC_TOLERANCE_NONE, 0, 5),
    GOLDEN_LAYERS("planes_u16", PADIC_U16, CC_NOISE, 40, 33, PADIC_CODEC_TOLERANCE_ABSOLUTE, 2, 3),
};
#define GOLDEN_CASES ((int)(sizeof golden_cases / sizeof *golden_cases))

typedef struct golden_sink {
    uint8_t *bytes;
    size_t size, room;
} golden_sink;

static int golden_write(const void *data, size_t size, void *user)
{
    golden_sink *s = (golden_sink *)user;
    if (s->size + size > s->room) {
        s->room = (s->size + size) * 2;
        uint8_t *bytes = (uint8_t *)cc_new(s->room);
        if (s->size) memcpy(bytes, s->bytes, s->size);
        free(s->bytes);
        s->bytes = bytes;
    }
    if (size) memcpy(s->bytes + s->size, data, size);
    s->size += size;
    return 0;
}

static void *golden_array(const golden_case *g, size_t *count)
{
    *count = cc_count(g->rank, g->shape);
    void *data = cc_new(*count * cc_size(g->dtype));
    cc_fill(g->kind, g->dtype, data, *count, g->rank ? (size_t)g->shape[g->rank - 1] : 1, 2026);
    return data;
}

static cc_packed golden_pack(const golden_case *g)
{
    size_t count = 0;
    void *data = golden_array(g, &count);
    padic_codec_pack_desc desc = cc_desc(g->dtype, data, g->rank, g->shape);
    for (uint32_t a = 0; a < g->rank; a++) desc.block[a] = g->block[a];
    desc.level = (uint32_t)(g->level);
    desc.stages = g->stages;
    desc.tolerance_mode = g->mode;
    desc.tolerance = g->tolerance;
    desc.prime = g->prime;
    desc.layers = g->layers;
    desc.profile = g->profile;
    cc_packed p = {NULL, 0, PADIC_OK};
    if (g->unknown) {
        golden_sink sink = {NULL, 0, 0};
        padic_codec_packer *packer = NULL;
        desc.tensor.shape[0] = PADIC_CODEC_UNKNOWN;
        p.result = codec_pack_begin(NULL, &desc, golden_write, &sink, &packer);
        if (p.result == PADIC_OK) {
            codec_pack_push(packer, data,
                                  count * cc_size(g->dtype)); // an error comes again at the end
            p.result = padic_codec_pack_end(packer);
        }
        p.bytes = sink.bytes;
        p.size = sink.size;
    } else {
        p = cc_pack(NULL, &desc);
    }
    free(data);
    return p;
}

// Hash of the decoded numbers, 0 if they cannot be decoded.
static inline uint64_t golden_decoded(const uint8_t *bytes, size_t size,
                                      const golden_case *lossless)
{
    padic_codec_report r;
    if (codec_info(bytes, size, &r) != PADIC_OK) return 0;
    void *out = cc_new((size_t)r.raw_size);
    memset(out, 0x99, (size_t)r.raw_size);
    padic_codec_unpack_desc u;
    memset(&u, 0, sizeof u);
    u.tensor = cc_tensor(r.dtype, out, r.rank, r.shape);
    uint64_t hash = 0;
    if (codec_unpack(NULL, &u, bytes, size) == PADIC_OK) {
        hash = cc_hash_elements(r.dtype, out, cc_count(r.rank, r.shape));
        if (lossless && lossless->mode == PADIC_CODEC_TOLERANCE_NONE) {
            size_t count = 0;
            void *want = golden_array(lossless, &count);
            if (memcmp(want, out, count * cc_size(lossless->dtype))) hash = 0;
            free(want);
        }
    }
    free(out);
    return hash;
}

// Far more streams than can be stored: every dtype, kind of array, level and bound mode, in 64
// parts, each of every dtype, kind and level and of three modes.
// Only a hash of the packed bytes of each part is kept, in digests.txt.
#define GOLDEN_DIGESTS 64
static inline uint64_t golden_digest(int part)
{
    uint64_t hash = CC_FNV_START;
    int turn = 0;
    for (int d = 0; d < CC_DTYPES; d++) {
        for (int kind = 0; kind < CC_KINDS; kind++) {
            for (int level = 1; level <= 9; level += 2) {
                for (int mode = 0; mode < 4; mode++, turn++) {
                    if ((turn * 7 / 3) % GOLDEN_DIGESTS != part) continue;
                    if (mode == 3 && !cc_is_float(cc_dtypes[d])) continue;
                    const uint64_t shape[3] = {13, 17, 11}, line[3] = {2431, 0, 0};
                    const uint32_t rank = turn % 3 ? 3 : 1;
                    uint8_t *data = (uint8_t *)cc_new(2431 * cc_size(cc_dtypes[d]));
                    cc_fill((cc_kind)kind, cc_dtypes[d], data, 2431, 11, (uint64_t)turn);
                    padic_codec_pack_desc desc =
                        cc_desc(cc_dtypes[d], data, rank, rank == 3 ? shape : line);
                    desc.level = (uint32_t)level;
                    desc.tolerance_mode = (padic_codec_tolerance_mode)mode;
                    desc.tolerance = mode == 0 ? 0 : mode == 1 ? 1.7 : 0.0037;
                    cc_packed p = cc_pack(NULL, &desc);
                    const uint8_t result = (uint8_t)(p.result != PADIC_OK);
                    hash = cc_fnv(hash, &result, 1);
                    if (p.result == PADIC_OK) hash = cc_fnv(hash, p.bytes, p.size);
                    free(p.bytes);
                    free(data);
                }
            }
        }
    }
    return hash;
}

#endif // PADIC_GOLDEN_CASES_H
