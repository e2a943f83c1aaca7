#pragma once
// ---------------------------------------------------------------------------------- >>codec API
//
// A numeric array of any dtype and rank becomes the fewest bytes: lossless, or within a tolerance
// that no value ever exceeds. The array is cut into independent blocks (boxes of about 65,536
// elements); each goes through five stages, and the choice in each is made by cost and written in
// the block:
//
//     transform       floats to integers without losing a bit: order-preserving bits, or a lattice
//                     x = n g + o, x = n / d with exceptions; or quantised within a tolerance
//     predictor       differences along axes, xor, median edge, interpolation, weighted neighbours
//     pattern         constant, runs, repeats (LZ on elements)
//     representation  of the words: magnitude buckets and the bits below, byte planes, fixed width,
//                     units and valuations, base-p digits
//     coder           raw, constant, packed, sparse, Huffman, rANS, repeats, for each byte stream
//
// Everything here is D0: the same input and desc give the same bytes on every machine, compiler and
// number of threads. FORMAT.md describes the container for those who write another reader.

typedef enum padic_codec_tolerance_mode {
    PADIC_CODEC_TOLERANCE_NONE = 0,      // lossless: every bit comes back
    // With t the tolerance, x' what comes back:
    PADIC_CODEC_TOLERANCE_ABSOLUTE = 1,  // |x - x'| <= t
    PADIC_CODEC_TOLERANCE_RANGE = 2,     // |x - x'| <= t (max - min), over all finite values
    PADIC_CODEC_TOLERANCE_POINTWISE = 3, // |x - x'| <= t |x|, floats only, t < 1
    PADIC_CODEC_TOLERANCE_RMS = 4,       // the mean of |x - x'|^2 over finite elements is <= t^2
    PADIC_CODEC_TOLERANCE_FIXED = 5      // at most t bytes in all, with the least error they allow
} padic_codec_tolerance_mode;

// The stages as bits of masks: which choices the encoder may take. Zero means all of them. A block
// on which no allowed choice holds takes the plain one: the first of each enum, or
// PADIC_CODEC_TRANSFORM_RAW.
typedef enum padic_codec_transform {
    PADIC_CODEC_TRANSFORM_BITS = 1 << 0,    // ordered bits of the float, or the integer itself
    PADIC_CODEC_TRANSFORM_FIELDS = 1 << 1,  // sign moved below the mantissa, so that exponents
                                            // stand together
    PADIC_CODEC_TRANSFORM_SCALE = 1 << 2,   // x = n g (g = 2^k is fixed point); integers: x = n g
                                            // mod 2^w
    PADIC_CODEC_TRANSFORM_AFFINE = 1 << 3,  // x = n g + o, rounded twice; integers: mod 2^w
    PADIC_CODEC_TRANSFORM_DECIMAL = 1 << 4, // x = n / d, rounded once, d = 10^k or another integer
    PADIC_CODEC_TRANSFORM_RAW = 1 << 5,     // the elements as they are: of incompressible blocks
    PADIC_CODEC_TRANSFORM_COLUMNS = 1 << 6, // records: each column goes through all stages by
                                            // itself
    PADIC_CODEC_TRANSFORM_PLAIN = 1 << 7    // the bits of floats as unsigned integers
} padic_codec_transform;

typedef enum padic_codec_predictor {
    PADIC_CODEC_PREDICTOR_NONE = 1 << 0,
    PADIC_CODEC_PREDICTOR_DELTA = 1 << 1,       // difference to the neighbour on one axis (or
                                                // component stride)
    PADIC_CODEC_PREDICTOR_DELTA2 = 1 << 2,      // difference of differences on one axis
    PADIC_CODEC_PREDICTOR_LORENZO = 1 << 3,     // differences on two or three axes
    PADIC_CODEC_PREDICTOR_XOR = 1 << 4,         // exclusive or with the neighbour on one axis
    PADIC_CODEC_PREDICTOR_MEDIAN = 1 << 5,      // median of left, above and left + above - corner
    PADIC_CODEC_PREDICTOR_INTERPOLATE = 1 << 6, // from coarse to fine, linear or cubic by level and
                                                // axis
    PADIC_CODEC_PREDICTOR_LINEAR = 1 << 7       // up to 32 neighbours with the block's own weights
} padic_codec_predictor;

typedef enum padic_codec_pattern {
    PADIC_CODEC_PATTERN_NONE = 1 << 0,
    PADIC_CODEC_PATTERN_RUNS = 1 << 1,
    PADIC_CODEC_PATTERN_LZ = 1 << 2,
    PADIC_CODEC_PATTERN_CONSTANT = 1 << 3,
    PADIC_CODEC_PATTERN_MATCH = 1 << 4 // LZ on elements, over earlier blocks too: the window
} padic_codec_pattern;

typedef enum padic_codec_representation {
    PADIC_CODEC_REPRESENTATION_BUCKETS = 1 << 0, // magnitude bucket coded, the bits below it plain
    PADIC_CODEC_REPRESENTATION_BYTES = 1 << 1,   // planes of bytes
    PADIC_CODEC_REPRESENTATION_PACKED = 1 << 2,  // fixed width by groups of 256, larger values as
                                                 // exceptions
    PADIC_CODEC_REPRESENTATION_UNIT = 1 << 3,    // valuation and unit: z = 2^v u, u odd
    PADIC_CODEC_REPRESENTATION_PRIME = 1 << 4,   // planes of base-p digits
    PADIC_CODEC_REPRESENTATION_NIBBLES = 1 << 5,
    PADIC_CODEC_REPRESENTATION_BITS = 1 << 6,
    PADIC_CODEC_REPRESENTATION_TABLE = 1 << 7 // the distinct words by frequency, and ranks in them
} padic_codec_representation;

typedef enum padic_codec_coder {
    PADIC_CODEC_CODER_RAW = 1 << 0,
    PADIC_CODEC_CODER_CONSTANT = 1 << 1,
    PADIC_CODEC_CODER_PACKED = 1 << 2,
    PADIC_CODEC_CODER_HUFFMAN = 1 << 3,
    PADIC_CODEC_CODER_RANS = 1 << 4,
    PADIC_CODEC_CODER_SPARSE = 1 << 5,
    PADIC_CODEC_CODER_CONTEXT = 1 << 6, // rANS with a table for each context of neighbours
    PADIC_CODEC_CODER_REPEAT = 1 << 7   // LZ on the bytes of a stream
} padic_codec_coder;

typedef struct padic_codec_stages {
    // masks of padic_codec_transform and so on; 0: all
    uint32_t transforms, predictors, patterns, representations, coders;
} padic_codec_stages;

// What the packer may write, so that more than a CPU can read it: "Profiles" in FORMAT.md. Blocks
// are then runs of elements unless desc.block says otherwise. Bounds are ABSOLUTE or RANGE, of F32,
// F64, C64 and C128 (else TOLERANCE); what is no number or too large comes back as it was.
// `stages`, `prime`, `layers`, a reference or an importance give ARGUMENT; `level` is
// ignored, and a report has 0. The bytes are the same from a CPU and from a GPU.
typedef enum padic_codec_profile {
    PADIC_CODEC_PROFILE_ANY = 0,      // every stage: the fewest bytes
    PADIC_CODEC_PROFILE_PARALLEL = 1, // differences or none, fixed widths by groups of 256 elements
    PADIC_CODEC_PROFILE_FETCH = 2,    // one width a block, nothing predicted: each element is found
                                      // alone
    PADIC_CODEC_PROFILE_CODED = 3     // as PARALLEL, or magnitude buckets in rANS
} padic_codec_profile;

typedef enum padic_codec_pack_flags {
    // Every block is decoded from the bytes about to be written and compared with the array, bit
    // for bit or against its tolerance, before it is accepted. One that does not come back is
    // stored as it is and counted in report.blocks_reencoded, and the log gets a warning. A device
    // proves what it packs itself and takes as much of its memory for that as the array has. This
    // flag leaves the proof out, for callers who verify elsewhere.
    PADIC_CODEC_PACK_NO_PROOF = 1 << 0
} padic_codec_pack_flags;

typedef struct padic_codec_pack_desc {
    padic_tensor tensor; // what to pack; strides must be positive and must not overlap
    padic_bytes packed;  // where to; without memory, capacity 0: only its size is asked for
    uint32_t level;      // 1 fastest to 9 smallest; 0: 5
    padic_codec_tolerance_mode tolerance_mode;
    double tolerance; // > 0 and finite unless tolerance_mode is NONE
    // max - min for PADIC_CODEC_TOLERANCE_RANGE, in the array's own unit; 0: measured. Streams must
    // give it.
    double range;
    // Shape of a block, at most 2^20 elements; all 0: chosen, from level 4 on also by the data.
    uint64_t block[PADIC_MAX_RANK];
    padic_codec_stages stages;      // for tests and for those who know
    uint32_t prime; // of PADIC_CODEC_REPRESENTATION_PRIME, up to 65537; 0: chosen
    // An array of the same dtype and shape that the reader has as well, such as the frame before;
    // without memory: none. Each block takes it or not; one that does holds a digest of its part.
    padic_tensor reference;
    // f32 factors of the tolerance, of the array's shape (a block takes its least) or one for each
    // block, of the shape of the grid of blocks, on each axis shape / block rounded up; without
    // memory: 1. What is not above 0 and finite means lossless.
    padic_tensor importance;
    // 2 to 8: that many layers, a coarse array first and then what refines it; 0: one. Each is
    // within 16 times the tolerance of the next, the last one as asked for; before a lossless or a
    // POINTWISE one the first is within 1/64 of the range. Of RMS it is the error of one element
    // that was found, of complex numbers that of each part. Not for streams.
    uint32_t layers;
    padic_codec_profile profile;
    uint32_t flags; // padic_codec_pack_flags
    // U8 of rank 1, at least padic_codec_pack_workspace() bytes of host memory, 64-byte aligned; or
    // zero: from the allocator.
    padic_tensor workspace;
    const padic_allocator *allocator; // NULL: the context's, else malloc
    const padic_progress *progress; // NULL: the context's. No total for RMS, FIXED, unknown length
    // Optional: what was packed, as padic_codec_info() tells it from the header, packed_size, and
    // blocks_reencoded. Of a stream it is written by padic_codec_pack_end().
    struct padic_codec_report *report;
} padic_codec_pack_desc;

#define PADIC_CODEC_MEMORY ((uint64_t)256 << 20) // bytes: what memory_limit 0 means

// What an unpacker found out.
typedef struct padic_codec_unpack_report {
    uint64_t bad_block; // number of the first damaged block, or UINT64_MAX
} padic_codec_unpack_report;

// What padic_codec_unpack() reads and writes, and which part of it.
typedef struct padic_codec_unpack_desc {
    padic_bytes packed;  // the stream, `size` bytes
    padic_tensor tensor; // destination, of the shape of the box; bf16 and f16 may widen to f32 or
                         // f64, f32 to f64; every other dtype must be the stream's own
    uint64_t begin[PADIC_MAX_RANK]; // first element of the box on each axis
    uint64_t count[PADIC_MAX_RANK]; // its extent; all 0: the whole array
    padic_tensor reference; // the whole array that was given to the packer; not the destination
    uint32_t layers;        // layers to decode, from the coarsest; 0: all
    // Most bytes of working memory, not counting the caller's own arrays; 0: PADIC_CODEC_MEMORY;
    // UINT64_MAX: no limit. There are fewer workers before there is LIMIT.
    uint64_t memory_limit;
    // Most bytes of decoded array: of the box, or of the whole array when it is verified or pulled;
    // 0: no limit. It is for those who store what they pull: a few bytes may become very many.
    uint64_t output_limit;
    // U8 of rank 1, padic_codec_report.workspace bytes of host memory, 64-byte aligned; or zero:
    // from the allocator.
    padic_tensor workspace;
    const padic_allocator *allocator; // NULL: the context's, else malloc
    const padic_progress *progress;   // NULL: the context's
    padic_codec_unpack_report *report; // optional
} padic_codec_unpack_desc;

#define PADIC_CODEC_STREAM_KINDS 8 // headers, tokens, bits, planes, pattern, exceptions, raw, index

// What a stream holds.
typedef struct padic_codec_report {
    padic_dtype dtype;
    uint32_t rank;
    uint64_t shape[PADIC_MAX_RANK];
    uint64_t block[PADIC_MAX_RANK];
    uint32_t level;
    uint32_t wire_version;
    padic_codec_tolerance_mode tolerance_mode;
    double tolerance;   // as asked for
    double error_bound; // what that is in the array's unit (0: lossless or pointwise)
    uint64_t blocks;
    uint64_t raw_size, packed_size;
    uint64_t workspace; // bytes of working memory that unpacking with one thread takes
    uint64_t stream_workspace; // the same of padic_codec_unpack_begin()
    uint64_t exceptions;
    // Blocks that took each choice, by its bit number in padic_codec_transform and so on.
    uint64_t transforms[8], predictors[8], patterns[8], representations[8];
    uint64_t streams[8];                      // byte streams by coder
    uint64_t bytes[PADIC_CODEC_STREAM_KINDS]; // packed bytes by kind, in the order above
    uint32_t reference;        // 1: unpacking needs one
    uint32_t layers;           // choices and bytes above are those of all
    uint64_t layer_end[8];     // bytes from the start that decode with 1, 2, ... layers
    uint64_t blocks_reencoded; // of a packer: blocks that its proof did not let pass
} padic_codec_report;

// Most bytes padic_codec_pack() can write for this desc; exact when nothing compresses and `block`
// or `stages` are given. 0 for a desc that padic_codec_pack() refuses. `packed` is ignored.
PADIC_API uint64_t padic_codec_size_bound(const padic_codec_pack_desc *desc);
// Bytes of the workspace of padic_codec_pack() with one thread. 0 for a desc that it refuses.
PADIC_API uint64_t padic_codec_pack_workspace(const padic_codec_pack_desc *desc);

// Packs desc->tensor into desc->packed: each in host memory or in a buffer. report->packed_size is
// what was written or, with CAPACITY, what is needed. The context may be NULL: one thread.
//
// Where both lie in a device's memory the device does it, for a profile of an array without gaps in
// blocks that are runs of elements. All else is done by the host, of buffers on copies, and
// NOT_SUPPORTED in a strict context.
// Errors: DTYPE, TOLERANCE, LIMIT (shape beyond 2^63 bytes, block, prime; fewer bytes than FIXED
// can reach: report->packed_size is the least), PRIME (prime is not), MISMATCH (reference,
// importance), ARGUMENT, CAPACITY (packed; workspace: report->packed_size is 0), MEMORY, OVERLAP,
// CANCELLED (what `packed` has then is no stream).
PADIC_API padic_result padic_codec_pack(padic_context *context, const padic_codec_pack_desc *desc);

// Decodes a box. Blocks are checked one by one: a damaged one leaves its elements untouched and
// gives CHECKSUM (or CORRUPT where the stream ends early), all others are still written.
// A reference that is missing or is not the packer's gives MISMATCH. A stream in layers that was
// cut is read with `layers` at most as many as came whole: layer_end of padic_codec_info(), which
// takes the whole stream, says where to cut. With 0, all, it gives CORRUPT.
//
// A device does it, where both lie in its memory, of the streams that a device packs, as a whole
// into the same dtype; else as above. What a device wrote of a damaged block's elements is not
// said. Errors: CORRUPT, CHECKSUM, VERSION, REGION, MISMATCH, LIMIT (memory_limit, output_limit),
// CAPACITY (workspace), MEMORY, ARGUMENT, OVERLAP, CANCELLED (each block was written whole or not
// at all).
PADIC_API padic_result padic_codec_unpack(padic_context *context,
                                          const padic_codec_unpack_desc *desc);

// Reads header, index and the stage bytes of each block; decodes nothing and takes no memory, but
// for a copy of a stream in a buffer. Errors: CORRUPT, CHECKSUM, VERSION, ARGUMENT.
typedef struct padic_codec_info_desc {
    padic_bytes packed;
    padic_codec_report *report;
} padic_codec_info_desc;
PADIC_API padic_result padic_codec_info(padic_context *context, const padic_codec_info_desc *desc);

// Decodes every block and compares its checksum; writes no array. The fields are those of
// padic_codec_unpack(). Errors: as padic_codec_unpack() of the whole array.
typedef struct padic_codec_verify_desc {
    padic_bytes packed;
    padic_tensor reference;
    uint32_t layers;
    uint64_t memory_limit, output_limit;
    padic_tensor workspace;
    const padic_allocator *allocator;
    const padic_progress *progress;
    padic_codec_unpack_report *report;
} padic_codec_verify_desc;
PADIC_API padic_result padic_codec_verify(padic_context *context,
                                          const padic_codec_verify_desc *desc);

// Streams: the same bytes as padic_codec_pack() for any chunking, in memory for one row of blocks,
// or for two blocks a worker. They do not know the array before they begin: from level 4 on, where
// padic_codec_pack() chooses by the data how to cut it, its desc must give `block`.
// The caller's functions return 0 on success, anything else stops with CALLBACK.
#define PADIC_CODEC_UNKNOWN UINT64_MAX // shape[0] of a stream whose length is not known yet

typedef struct padic_codec_packer padic_codec_packer;
typedef struct padic_codec_unpacker padic_codec_unpacker;
// Takes all of data[0..size) or fails.
typedef int (*padic_codec_write)(const void *data, size_t size, void *user);
// Fills data[0..size) as far as there is input; *got < size only at its end.
typedef int (*padic_codec_read)(void *data, size_t size, size_t *got, void *user);

// Of `pack`, tensor's memory, packed and workspace are not used; strides must be dense. Its report
// and progress are until the end.
// Errors: as padic_codec_pack(), LIMIT (blocks that no memory holds), MEMORY.
typedef struct padic_codec_pack_begin_desc {
    padic_codec_pack_desc pack;
    padic_codec_write write;
    void *user; // of write()
} padic_codec_pack_begin_desc;
PADIC_API padic_result padic_codec_pack_begin(padic_context *context,
                                              const padic_codec_pack_begin_desc *desc,
                                              padic_codec_packer **packer);
// The next data->size bytes of the array in C order, in host memory; any size, elements may be
// split. Errors: ARGUMENT, MISMATCH (more than the shape holds), CALLBACK; a failed packer stays
// failed.
PADIC_API padic_result padic_codec_pack_push(padic_codec_packer *packer, const padic_bytes *data);
// Writes what is left and frees the packer, also after an error. The report, if there is one, gets
// packed_size also then: the bytes written. MISMATCH if fewer or more elements came than the shape
// has.
PADIC_API padic_result padic_codec_pack_end(padic_codec_packer *packer);

// Of `unpack`, packed, tensor, begin, count and workspace are not used; its progress and report are
// until the end. The header is read here; `report` (optional) gets it, also before LIMIT, with what
// is known before the end: shape[0] may be PADIC_CODEC_UNKNOWN.
// Errors: CORRUPT, CHECKSUM, VERSION, MISMATCH (reference), LIMIT, MEMORY, ARGUMENT, CALLBACK;
// NOT_SUPPORTED (a stream in layers). A reference lies in host memory.
typedef struct padic_codec_unpack_begin_desc {
    padic_codec_unpack_desc unpack;
    padic_codec_read read;
    void *user; // of read()
    padic_codec_report *report;
} padic_codec_unpack_begin_desc;
PADIC_API padic_result padic_codec_unpack_begin(padic_context *context,
                                                const padic_codec_unpack_begin_desc *desc,
                                                padic_codec_unpacker **unpacker);
// The next bytes of the array in C order, up to data->capacity into host memory. data->size becomes
// how many there are: fewer only at the end or with an error, and what came before the error is
// right. A damaged stream gives what padic_codec_unpack() gives, and the same bad block, but that
// of a wrong place in the index no block is known here. Bytes after the stream are not read.
// Errors: CORRUPT, CHECKSUM, MISMATCH, LIMIT (output_limit), CALLBACK, CANCELLED.
PADIC_API padic_result padic_codec_unpack_pull(padic_codec_unpacker *unpacker, padic_bytes *data);
PADIC_API void padic_codec_unpack_end(padic_codec_unpacker *unpacker);

// Short ways: the result is in memory from the context's allocator, else malloc; the same context
// frees it. desc->allocator is for working memory, as ever.
//
// Packs into such memory; packed->size bytes. desc->packed is not used. Errors: as
// padic_codec_pack(), MEMORY.
PADIC_API padic_result padic_codec_pack_new(padic_context *context,
                                            const padic_codec_pack_desc *desc, padic_bytes *packed);
// Unpacks the whole array of desc->packed, in host memory, in the stream's dtype and shape.
// desc->tensor, begin and count are not used. Errors: as padic_codec_unpack(), MEMORY.
PADIC_API padic_result padic_codec_unpack_new(padic_context *context,
                                              const padic_codec_unpack_desc *desc,
                                              padic_tensor *tensor);
// What they gave; zeroes it. Without memory nothing happens.
PADIC_API void padic_codec_free_packed(padic_context *context, padic_bytes *packed);
PADIC_API void padic_codec_free_tensor(padic_context *context, padic_tensor *tensor);
