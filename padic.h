// padic.h 0.1.0: exact and error-bounded compression of numeric arrays, and the frame that every
// other area hangs in. One file, no dependency. MIT or Unlicense.
//
// >>start
//
// In ONE C or C++ file write `#define PADIC_IMPLEMENTATION` before the include; everywhere else
// just include. A complete program, `cc -O2 first.c -lm`:
//
//     #define PADIC_IMPLEMENTATION
//     #include "padic.h"
//     #include <stdio.h>
//     #include <stdlib.h>
//     #include <string.h>
//
//     int main(void)
//     {
//         static float height[512][512], again[512][512];
//         for (int y = 0; y < 512; y++)
//             for (int x = 0; x < 512; x++) height[y][x] = 0.25f * (float)((x * x + y * y) / 999);
//
//         padic_codec_desc desc = PADIC_ZERO;              // zero is the default of every field
//         desc.tensor = padic_tensor_2d(PADIC_F32, height, 512, 512);
//         size_t room = padic_codec_bound(&desc), size = 0;
//         void *packed = malloc(room);
//         padic_result result = padic_codec_pack(NULL, &desc, packed, room, &size);
//         if (result) return puts(padic_result_text(result)), 1;
//
//         padic_codec_unpack_desc back = PADIC_ZERO;
//         back.tensor = padic_tensor_2d(PADIC_F32, again, 512, 512);
//         result = padic_codec_unpack(NULL, &back, packed, size);
//         if (result) return puts(padic_result_text(result)), 1;
//         printf("%u -> %u bytes, %s\n", (unsigned)sizeof height, (unsigned)size,
//                memcmp(height, again, sizeof height) ? "different" : "bit for bit the same");
//         free(packed);
//         return 0;
//     }
//
// >>contents: search for the tag
//
//     >>version >>config >>types >>result >>hooks     what every area shares
//     >>codec API                                     arrays in, fewest bytes out
//     >>context API >>buffer API >>tensor view        device, pool, ids, views
//     >>record API >>profile API                      fewer calls to the driver; where time goes
//     >>random API >>backend API                      Philox; how a device plugs in
//     >>areas API                                     areas in files of their own, left out when
//                                                     they do not lie beside this one:
//                                                     (numbers and sparse matrices: include
//                                                     padic_num.h instead of this file)
//         padic_sample.h                              Halton, Hammersley, Owen scrambling
//         padic_wave.h                                fields of many point sources
//         padic_tensor.h                              matrix products, contractions
//     >>platform >>memory >>log >>jobs >>rng          the implementation, in the same order
//     >>codec impl                                    container, forms, prediction, patterns,
//                                                     digits, coders, chooser
//     >>tensor view impl >>random impl
//     >>op table >>cpu backend >>context impl
//
// >>promises
//
//  - Lossless means every bit, NaN payloads and -0 included. No value ever exceeds a bound.
//  - The same bytes come out on every machine, for any number of threads.
//  - Every decoder takes any bytes: it returns an error, it never reads or writes outside.
//  - Nothing is global; nothing prints, starts a thread or opens a file unless you give the hook.
//  - Every function that can fail returns a padic_result and leaves nothing half made.
//
// Floating point: the codec and everything marked D0 needs IEEE arithmetic without excess precision
// (any 64-bit target; 32-bit x86 with -msse2 -mfpmath=sse) and without -ffast-math. Both are
// checked when the implementation is compiled.

#ifndef PADIC_HEADER
#define PADIC_HEADER

#include <stddef.h>
#include <stdint.h>

// room: src/core/version.h
// ------------------------------------------------------------------------------------ >>version

#define PADIC_VERSION_MAJOR 0
#define PADIC_VERSION_MINOR 1
#define PADIC_VERSION_PATCH 0
#define PADIC_VERSION "0.1.0"
#define PADIC_CODEC_WIRE_VERSION 1 // the container's own version; older ones stay readable

// room: src/core/config.h
// ------------------------------------------------------------------------------------- >>config
//
//     PADIC_IMPLEMENTATION   compile the functions here, in one translation unit
//     PADIC_STATIC           make every function static (a private copy in each unit)
//     PADIC_API              your own linkage words instead (__declspec(dllexport), ...)
//     PADIC_NO_CODEC         leave the codec out
//     PADIC_NO_SAMPLE        leave the samplers out
//     PADIC_NO_WAVE          leave the waves out
//     PADIC_NO_TENSOR        leave matrix products and contractions out
//     PADIC_NO_MALLOC        no default allocator: every call must be given one, or scratch
//     PADIC_NO_INT128        do not use __int128 (the results are the same)

#ifndef PADIC_API
#ifdef PADIC_STATIC
#if defined(__GNUC__) || defined(__clang__)
#define PADIC_API static __attribute__((unused))
#else
#define PADIC_API static
#endif
#else
#define PADIC_API extern
#endif
#endif

#ifdef __cplusplus
#define PADIC_ZERO {} // initialises every field of a desc to zero, in C and in C++
#else
#define PADIC_ZERO {0}
#endif

#define PADIC_MAX_RANK 8

// An area whose file does not lie beside this one is left out.
#ifdef __has_include
#if !defined(PADIC_NO_SAMPLE) && !__has_include("padic_sample.h")
#define PADIC_NO_SAMPLE
#endif
#if !defined(PADIC_NO_WAVE) && !__has_include("padic_wave.h")
#define PADIC_NO_WAVE
#endif
#if !defined(PADIC_NO_TENSOR) && !__has_include("padic_tensor.h")
#define PADIC_NO_TENSOR
#endif
#endif

#ifdef __cplusplus
extern "C" {
#endif

// room: src/core/types.h
// -------------------------------------------------------------------------------------- >>types

// Element types. The numbers are part of the wire format.
typedef enum padic_dtype {
    PADIC_DTYPE_NONE = 0,
    PADIC_F64 = 1,
    PADIC_F32 = 2,
    PADIC_F16 = 3,  // IEEE binary16
    PADIC_BF16 = 4, // the upper half of a binary32
    PADIC_I8 = 5,
    PADIC_I16 = 6,
    PADIC_I32 = 7,
    PADIC_I64 = 8,
    PADIC_U8 = 9,
    PADIC_U16 = 10,
    PADIC_U32 = 11,
    PADIC_U64 = 12,
    PADIC_C64 = 13, // complex: two f32, real first
    PADIC_C128 = 14 // complex: two f64
} padic_dtype;

// Bytes of one element; 0 for a value that is no dtype.
PADIC_API uint32_t padic_dtype_size(padic_dtype dtype);
// "f64", "bf16", "complex64", ...; "?" for a value that is no dtype.
PADIC_API const char *padic_dtype_name(padic_dtype dtype);

// Index and generation of a buffer; 0 is null. A stale id is an error, never a crash.
typedef struct padic_buffer {
    uint32_t id;
} padic_buffer;

// A view of an n-dimensional array; owns nothing. Element (i0, i1, ...) lies `sum(i * stride)`
// elements after `data` (or after element `offset` of `buffer` when `data` is NULL). The last
// axis is the fastest; all strides 0 means dense in that order. Rank 0 is one element.
typedef struct padic_tensor {
    void *data;
    padic_buffer buffer;
    padic_dtype dtype;
    uint64_t offset;
    uint32_t rank;
    uint64_t shape[PADIC_MAX_RANK];
    int64_t stride[PADIC_MAX_RANK]; // in elements
} padic_tensor;

typedef struct padic_context padic_context;

// room: src/core/result.h
// ------------------------------------------------------------------------------------- >>result

// 0 or a negative code. padic_result_text() has a sentence for each code, and
// padic_context_message() the sentence of the last failure in a context.
typedef enum padic_result {
    PADIC_OK = 0,
    // the caller
    PADIC_ERROR_ARGUMENT = -100,      // a field or pointer that makes no sense
    PADIC_ERROR_MISMATCH = -101,      // dtype, shape, ring or model differ
    PADIC_ERROR_OVERLAP = -102,       // operands share memory they must not share
    PADIC_ERROR_PRIME = -103,         // not a prime
    PADIC_ERROR_LIMIT = -104,         // larger than a documented limit, or than the limit given
    PADIC_ERROR_CAPACITY = -105,      // destination too small; the size needed is returned
    PADIC_ERROR_NOT_SUPPORTED = -106, // valid, but not by this build, device or version
    PADIC_ERROR_DTYPE = -107,         // not an element type, or not one for this operation
    PADIC_ERROR_BOUND = -108,         // an error bound that is zero, negative, infinite or NaN
    PADIC_ERROR_REGION = -109,        // a box that reaches outside the array
    PADIC_ERROR_CALLBACK = -110,      // a read or write function of the caller failed
    PADIC_ERROR_RING = -111,          // numbers of different rings, or of another model than asked
    PADIC_ERROR_PRECISION = -112,     // 0 digits, or more than the ring or the form has
    PADIC_ERROR_ALIGNMENT = -113,     // an address that is no multiple of the element's size
    PADIC_ERROR_CANCELLED = -114,     // the progress hook asked to stop
    // memory
    PADIC_ERROR_MEMORY = -200,
    // data
    PADIC_ERROR_DOMAIN = -300,
    PADIC_ERROR_CORRUPT = -301,  // not a stream of ours, or cut short
    PADIC_ERROR_CHECKSUM = -302, // a stream of ours, damaged
    PADIC_ERROR_VERSION = -303,  // written by a newer version
    PADIC_ERROR_NOT_FINITE = -304,
    // device
    PADIC_ERROR_DEVICE = -400,
    PADIC_ERROR_DEVICE_LOST = -401,
    PADIC_ERROR_NO_DEVICE = -402,
    // kernels
    PADIC_ERROR_BUILD = -500,
    PADIC_ERROR_SELF_TEST = -501
} padic_result;

// One sentence that says what happened and what to do; never NULL.
PADIC_API const char *padic_result_text(padic_result result);

// room: src/core/hooks.h
// -------------------------------------------------------------------------------------- >>hooks

// Memory. `alloc` returns NULL when there is none; `align` is a power of two; `free` is told the
// size that was asked for. Both NULL: malloc and free.
typedef struct padic_allocator {
    void *(*alloc)(size_t size, size_t align, void *user);
    void (*free)(void *pointer, size_t size, void *user);
    void *user;
} padic_allocator;

// Work for other threads. `enqueue` runs fn(arg) some time on some thread and returns a task (NULL:
// it has run already); `finish` waits for one task. `workers` is how many run at once; 0 or 1, or
// no hook, means everything runs in the calling thread. No result depends on it.
typedef struct padic_jobs {
    uint32_t workers;
    void *(*enqueue)(void (*fn)(void *arg), void *arg, void *user);
    void (*finish)(void *task, void *user);
    void *user;
} padic_jobs;

typedef enum padic_log_level {
    PADIC_LOG_ERROR = 1,
    PADIC_LOG_WARNING = 2,
    PADIC_LOG_INFO = 3
} padic_log_level;

// `item` is a stable number for filtering (the op, or 0); `text` is one line without a newline.
typedef struct padic_logger {
    void (*write)(padic_log_level level, uint32_t item, const char *text, void *user);
    void *user;
} padic_logger;

// Compiled programs and measured choices that outlive the process. `load` with data NULL asks for
// the size; it returns 0 for a miss.
typedef struct padic_cache {
    int (*load)(const char *key, void *data, size_t *size, void *user);
    void (*store)(const char *key, const void *data, size_t size, void *user);
    void *user;
} padic_cache;

// How far a long call is. It is told what is done, in steps of that call (blocks of the codec) and
// never less than before, and how many there are in all, or 0 where that is not known. Returns 0 to
// go on; after anything else the call stops as soon as it can, with CANCELLED. With a jobs hook a
// worker may ask, but never two at a time.
typedef struct padic_progress {
    int (*step)(uint64_t done, uint64_t total, void *user);
    void *user;
} padic_progress;

// room: src/codec/api.h
// ---------------------------------------------------------------------------------- >>codec API
#ifndef PADIC_NO_CODEC
//
// A numeric array of any dtype and rank becomes the fewest bytes: lossless, or within a bound that
// no value ever exceeds. The array is cut into independent blocks (boxes of about 65,536 elements);
// each goes through five stages, and the choice in each is made by cost and written in the block:
//
//     form       floats to integers without losing a bit: order-preserving bits, or a lattice
//                x = n g + o, x = n / d with exceptions; or the quantised form of a bound
//     predictor  differences along axes, xor, median edge, interpolation, weighted neighbours
//     pattern    constant, runs, repeats (LZ on elements)
//     digits     magnitude classes, byte planes, fixed width, units and valuations, base-p digits
//     coder      raw, constant, packed, sparse, Huffman, rANS, repeats, for each stream of bytes
//
// Everything here is D0: the same input and desc give the same bytes on every machine, compiler and
// number of threads. FORMAT.md describes the container for whoever writes another reader.

typedef enum padic_bound_mode {
    PADIC_BOUND_NONE = 0,     // lossless: every bit comes back
    PADIC_BOUND_ABSOLUTE = 1, // |x - x'| <= bound
    PADIC_BOUND_RANGE = 2,    // |x - x'| <= bound (max - min), over the finite values of the array
    PADIC_BOUND_POINTWISE = 3, // |x - x'| <= bound |x|, floats only, bound < 1
    PADIC_BOUND_RMS = 4,  // the mean of |x - x'|^2 over the finite elements is at most bound^2
    PADIC_BOUND_FIXED = 5 // at most `bound` bytes in all, with the least bound that gives them
} padic_bound_mode;

// The stages as bits of a mask: which choices the encoder may take. Zero means all of them. A block
// on which no allowed choice holds takes the plain one: the first of each group, or
// PADIC_FORM_RAW.
typedef enum padic_codec_choice {
    PADIC_FORM_BITS = 1 << 0,    // ordered bits of the float, or the integer itself
    PADIC_FORM_FIELDS = 1 << 1,  // sign moved below the mantissa, so that exponents stand together
    PADIC_FORM_SCALE = 1 << 2,   // x = n g (g = 2^k is fixed point); integers: x = n g mod 2^w
    PADIC_FORM_AFFINE = 1 << 3,  // x = n g + o, rounded twice; integers: mod 2^w
    PADIC_FORM_DECIMAL = 1 << 4, // x = n / d, rounded once, d = 10^k or another integer
    PADIC_FORM_RAW = 1 << 5,     // the elements as they are: what incompressible blocks get
    PADIC_FORM_COLUMNS = 1 << 6, // records: each column goes through all stages by itself
    PADIC_FORM_PLAIN = 1 << 7,   // the bits of floats as unsigned integers

    PADIC_PREDICT_NONE = 1 << 0,
    PADIC_PREDICT_DELTA = 1 << 1,   // difference to the neighbour on one axis (or component stride)
    PADIC_PREDICT_DELTA2 = 1 << 2,  // difference of differences on one axis
    PADIC_PREDICT_LORENZO = 1 << 3, // differences on two or three axes
    PADIC_PREDICT_XOR = 1 << 4,     // exclusive or with the neighbour on one axis
    PADIC_PREDICT_MEDIAN = 1 << 5,  // median of left, above and left + above - corner
    PADIC_PREDICT_INTERPOLATE = 1 << 6, // from coarse to fine, linear or cubic by level and axis
    PADIC_PREDICT_LINEAR = 1 << 7, // up to 32 neighbours with weights of the block's own

    PADIC_PATTERN_NONE = 1 << 0,
    PADIC_PATTERN_RUNS = 1 << 1,
    PADIC_PATTERN_LZ = 1 << 2,
    PADIC_PATTERN_CONSTANT = 1 << 3,
    PADIC_PATTERN_MATCH = 1 << 4, // LZ on elements, over earlier blocks too: the window

    PADIC_DIGITS_CLASS = 1 << 0,  // magnitude class coded, the bits below it plain
    PADIC_DIGITS_BYTES = 1 << 1,  // planes of bytes
    PADIC_DIGITS_PACKED = 1 << 2, // fixed width by groups of 256, larger values as exceptions
    PADIC_DIGITS_UNIT = 1 << 3,   // valuation and unit: z = 2^v u, u odd
    PADIC_DIGITS_PRIME = 1 << 4,  // planes of base-p digits
    PADIC_DIGITS_NIBBLES = 1 << 5,
    PADIC_DIGITS_BITS = 1 << 6,
    PADIC_DIGITS_TABLE = 1 << 7, // a table of the distinct words by frequency, and ranks in it

    PADIC_CODER_RAW = 1 << 0,
    PADIC_CODER_CONSTANT = 1 << 1,
    PADIC_CODER_PACKED = 1 << 2,
    PADIC_CODER_HUFFMAN = 1 << 3,
    PADIC_CODER_RANS = 1 << 4,
    PADIC_CODER_SPARSE = 1 << 5,
    PADIC_CODER_CONTEXT = 1 << 6, // rANS with a table for each class of neighbours, or of columns
    PADIC_CODER_REPEAT = 1 << 7   // LZ on the bytes of a stream
} padic_codec_choice;

typedef struct padic_codec_stages {
    uint32_t forms, predictors, patterns, digits, coders; // masks of padic_codec_choice; 0: all
} padic_codec_stages;

// What the packer may write, so that more than a CPU can read it: "Profiles" in FORMAT.md. Blocks
// are then runs of elements unless desc.block says otherwise. Bounds are ABSOLUTE or RANGE, of F32,
// F64, C64 and C128 (else BOUND); what is no number or too large comes back as it was. `stages`,
// `prime`, `planes`, a reference or an importance give ARGUMENT; `level` is not looked at, and a
// report has 0. The bytes are the same from a CPU and from a GPU.
typedef enum padic_codec_profile {
    PADIC_CODEC_ANY = 0,      // every stage: the fewest bytes
    PADIC_CODEC_PARALLEL = 1, // differences or none, fixed widths by groups of 256 elements
    PADIC_CODEC_FETCH = 2,    // one width a block, nothing predicted: each element is found alone
    PADIC_CODEC_CODED = 3     // as PARALLEL, or magnitude classes in rANS
} padic_codec_profile;

// Every block is decoded from the bytes about to be written and compared with the array, bit for
// bit or against its bound, before it is accepted. One that does not come back is stored as it is
// and counted in report.blocks_reencoded, and the log gets a warning. A device proves what it packs
// itself and takes as much of its memory for that as the array has. This flag leaves the proof out,
// for callers who verify elsewhere.
#define PADIC_CODEC_NO_PROOF (1u << 0)

typedef struct padic_codec_desc {
    padic_tensor tensor; // what to pack; strides must be positive and must not overlap
    int level;           // 1 fastest to 9 smallest; 0: 5
    padic_bound_mode bound_mode;
    double bound; // > 0 and finite unless bound_mode is NONE
    // max - min for PADIC_BOUND_RANGE, in the array's own unit; 0: measured. Streams must give it.
    double range;
    uint64_t block[PADIC_MAX_RANK]; // shape of a block; all 0: chosen. At most 2^20 elements
    padic_codec_stages stages;      // for tests and for those who know
    uint32_t prime;                 // of PADIC_DIGITS_PRIME, up to 65537; 0: chosen
    const padic_allocator *allocator; // NULL: the context's, else malloc
    void *scratch;                    // instead of the allocator: at least
    size_t scratch_size;              // padic_codec_scratch_bound() bytes, 64-byte aligned
    // An array of the same dtype and shape that the reader has as well, such as the frame before;
    // data NULL: none. Each block takes it or not; one that does holds a digest of its part.
    padic_tensor reference;
    // f32 factors of the bound, of the array's shape (a block takes its least) or one for each
    // block, of the shape of the grid of blocks, on each axis shape / block rounded up; data NULL:
    // 1. What is not above 0 and finite means lossless.
    padic_tensor importance;
    // 2 to 8: that many layers, a coarse array first and then what refines it; 0: one. Each is
    // within 16 times the bound of the next, the last one as asked for; before a lossless or a
    // POINTWISE one the first is within 1/64 of the range. Of RMS it is the bound of one element
    // that was found, of complex numbers that of each part. Not for streams.
    uint32_t planes;
    padic_codec_profile profile;
    uint32_t flags; // PADIC_CODEC_NO_PROOF
    // Optional: what was packed, as padic_codec_info() tells it from the header, packed_size, and
    // blocks_reencoded. Of a stream it is written by padic_codec_pack_end().
    struct padic_codec_report *report;
    const padic_progress *progress; // NULL: the context's. No total for RMS, FIXED, unknown length
} padic_codec_desc;

#define PADIC_CODEC_MEMORY ((uint64_t)256 << 20) // bytes: what memory_limit 0 means

// What padic_codec_unpack() writes, and which part of it.
typedef struct padic_codec_unpack_desc {
    padic_tensor tensor; // destination, of the shape of the box; bf16 and f16 may widen to f32 or
                         // f64, f32 to f64; every other dtype must be the stream's own
    uint64_t begin[PADIC_MAX_RANK]; // first element of the box on each axis
    uint64_t count[PADIC_MAX_RANK]; // its extent; all 0: the whole array
    // Most bytes of working memory, the caller's own arrays aside; 0: PADIC_CODEC_MEMORY;
    // UINT64_MAX: no limit. There are fewer workers before there is LIMIT.
    uint64_t memory_limit;
    // Most bytes of decoded array: of the box, or of the whole array when it is verified or pulled;
    // 0: no limit. It is for those who store what they pull: a few bytes may become very many.
    uint64_t output_limit;
    const padic_allocator *allocator;
    void *scratch; // instead of the allocator: padic_codec_report.scratch bytes, 64-byte aligned
    size_t scratch_size;
    uint64_t *bad_block; // optional: number of the first damaged block, or UINT64_MAX
    padic_tensor reference; // the whole array that was given to the packer; not the destination
    uint32_t planes;        // layers to decode, from the coarsest; 0: all
    const padic_progress *progress; // NULL: the context's
} padic_codec_unpack_desc;

#define PADIC_CODEC_STREAM_KINDS 8 // headers, tokens, bits, planes, pattern, exceptions, raw, index

typedef struct padic_codec_report {
    padic_dtype dtype;
    uint32_t rank;
    uint64_t shape[PADIC_MAX_RANK];
    uint64_t block[PADIC_MAX_RANK];
    int level;
    uint32_t wire_version;
    padic_bound_mode bound_mode;
    double bound;          // as asked for
    double bound_absolute; // what that is in the array's unit (0: lossless or pointwise)
    uint64_t blocks;
    uint64_t raw_size, packed_size;
    uint64_t scratch; // bytes of working memory that unpacking with one thread takes
    uint64_t stream_scratch; // the same of padic_codec_unpack_begin()
    uint64_t exceptions;
    // Blocks that took each choice, by the bit number in padic_codec_choice.
    uint64_t forms[8], predictors[8], patterns[8], digits[8];
    uint64_t streams[8];                           // byte streams by coder
    uint64_t bytes[PADIC_CODEC_STREAM_KINDS];      // packed bytes by kind, in the order above
    int reference;   // unpacking needs one
    uint32_t planes; // layers; choices and bytes above are those of all
    uint64_t plane_end[8]; // bytes from the start that decode with 1, 2, ... planes
    uint64_t blocks_reencoded; // of a packer: blocks that its proof did not let pass
} padic_codec_report;

// Most bytes padic_codec_pack() can write for this desc; exact when nothing compresses. 0 for a
// desc that padic_codec_pack() refuses.
PADIC_API size_t padic_codec_bound(const padic_codec_desc *desc);
// Working memory of padic_codec_pack() with one thread.
PADIC_API size_t padic_codec_scratch_bound(const padic_codec_desc *desc);

// Packs desc->tensor into dst[0..capacity). *size is what was written or, with CAPACITY, what is
// needed (dst may be NULL with capacity 0 to ask). The context may be NULL: one thread.
// Errors: DTYPE, BOUND, LIMIT (shape beyond 2^63 bytes, block; fewer bytes than FIXED can reach:
// *size is the least), MISMATCH (reference, importance), ARGUMENT, CAPACITY, MEMORY, CANCELLED
// (what dst has then is no stream).
PADIC_API padic_result padic_codec_pack(padic_context *context, const padic_codec_desc *desc,
                                        void *dst, size_t capacity, size_t *size);

// Decodes a box. Blocks are checked one by one: a damaged one leaves its elements untouched and
// gives CHECKSUM (or CORRUPT where the stream ends early), all others are still written.
// A reference that is missing or is not the packer's gives MISMATCH. A stream in layers that was
// cut is read with as many planes as came whole.
// Errors: CORRUPT, CHECKSUM, VERSION, REGION, MISMATCH, LIMIT (memory_limit, output_limit), MEMORY,
// ARGUMENT, CANCELLED (each block was written whole or not at all).
PADIC_API padic_result padic_codec_unpack(padic_context *context,
                                          const padic_codec_unpack_desc *desc, const void *src,
                                          size_t size);

// The same with array or packed bytes, or both, in buffers: `packed` is a U8 tensor of rank 1
// without gaps, and its extent the capacity, or the stream's size. Where both lie in a device's
// memory the device does it: packs a profile of an array without gaps in blocks that are runs of
// elements, unpacks such streams as a whole into the same dtype. All else is done by the host on
// copies, and NOT_SUPPORTED in a strict context. What a device wrote of a damaged block's elements
// is not said. Errors: as above; OVERLAP.
PADIC_API padic_result padic_codec_pack_to(padic_context *context, const padic_codec_desc *desc,
                                           const padic_tensor *packed, uint64_t *size);
PADIC_API padic_result padic_codec_unpack_from(padic_context *context,
                                               const padic_codec_unpack_desc *desc,
                                               const padic_tensor *packed);

// Reads header, index and the stage bytes of each block; decodes nothing and takes no memory.
// Errors: CORRUPT, CHECKSUM, VERSION, ARGUMENT.
PADIC_API padic_result padic_codec_info(const void *src, size_t size, padic_codec_report *report);

// Decodes every block and compares its checksum; writes no array. Of `desc`, which may be NULL,
// tensor, begin and count are not used. Errors: as padic_codec_unpack() of the whole array.
PADIC_API padic_result padic_codec_verify(padic_context *context,
                                          const padic_codec_unpack_desc *desc, const void *src,
                                          size_t size);

// Streams: the same bytes as padic_codec_pack() for any chunking, in memory for one row of blocks,
// or for two blocks a worker.
// The caller's functions return 0 on success, anything else stops with CALLBACK.
#define PADIC_CODEC_UNKNOWN UINT64_MAX // shape[0] of a stream whose length is not known yet

typedef struct padic_codec_packer padic_codec_packer;
typedef struct padic_codec_unpacker padic_codec_unpacker;
// Takes all of data[0..size) or fails.
typedef int (*padic_codec_write)(const void *data, size_t size, void *user);
// Fills data[0..size) as far as there is input; *got < size only at its end.
typedef int (*padic_codec_read)(void *data, size_t size, size_t *got, void *user);

// desc->tensor.data is not read; strides must be dense. Scratch of the desc is not used.
// Errors: as padic_codec_pack(), LIMIT (blocks that no memory holds), MEMORY.
PADIC_API padic_result padic_codec_pack_begin(padic_context *context, const padic_codec_desc *desc,
                                              padic_codec_write write, void *user,
                                              padic_codec_packer **packer);
// The next `size` bytes of the array in C order; any size, elements may be split.
// Errors: ARGUMENT, MISMATCH (more than the shape holds), CALLBACK; a failed packer stays failed.
PADIC_API padic_result padic_codec_pack_push(padic_codec_packer *packer, const void *data,
                                             size_t size);
// Writes what is left and frees the packer, also after an error. `size`: bytes written, or NULL.
// MISMATCH if fewer or more elements came than the shape has.
PADIC_API padic_result padic_codec_pack_end(padic_codec_packer *packer, uint64_t *size);

// desc->tensor, begin, count and scratch are not used; `progress` and `bad_block` are until the
// end. The header is read here; `report` (optional) gets it, also before LIMIT, with what is known
// before the end: shape[0] may be PADIC_CODEC_UNKNOWN.
// Errors: CORRUPT, CHECKSUM, VERSION, MISMATCH (reference), LIMIT, MEMORY, ARGUMENT, CALLBACK;
// NOT_SUPPORTED (a stream in layers).
PADIC_API padic_result padic_codec_unpack_begin(padic_context *context,
                                                const padic_codec_unpack_desc *desc,
                                                padic_codec_read read, void *user,
                                                padic_codec_report *report,
                                                padic_codec_unpacker **unpacker);
// The next bytes of the array in C order; *got < size only at its end or with an error, and what
// was got before the error is right. A damaged stream gives what padic_codec_unpack() gives, and
// the same bad block, but that of a wrong place in the index no block is known here. Bytes behind
// the stream are not read.
// Errors: CORRUPT, CHECKSUM, MISMATCH, LIMIT (output_limit), CALLBACK, CANCELLED.
PADIC_API padic_result padic_codec_unpack_pull(padic_codec_unpacker *unpacker, void *data,
                                               size_t size, size_t *got);
PADIC_API void padic_codec_unpack_end(padic_codec_unpacker *unpacker);

#endif // PADIC_NO_CODEC

// room: src/context/api.h
// -------------------------------------------------------------------------------- >>context API
//
// A context holds what lives long: hooks, one device, its pool of memory, statistics and the last
// message. Codec and random numbers work without one. One thread at a time may use a context;
// different contexts are independent.

typedef struct padic_backend padic_backend; // a way to reach a device; see >>backend API

#ifdef PADIC_NO_WAVE
#define PADICI_OPS_WAVE(X)
#else
#define PADICI_OPS_WAVE(X)                             \
    X(WAVE_SUPERPOSE, wave_superpose, 4)               \
    X(WAVE_OBSERVE, wave_observe, 0)                   \
    X(WAVE_TONEMAP, wave_tonemap, 0)                   \
    X(WAVE_NORMALISE, wave_normalise, 4)               \
    X(WAVE_VORTEX, wave_vortex, 4)                     \
    X(WAVE_PHASE_GRADIENT, wave_phase_gradient, 0)     \
    X(WAVE_WINDING, wave_winding, 0)                   \
    X(WAVE_GRADIENT, wave_gradient, 4)                 \
    X(WAVE_FRAMES, wave_frames, 4)
#endif
#ifdef PADIC_NO_TENSOR
#define PADICI_OPS_TENSOR(X)
#else
#define PADICI_OPS_TENSOR(X)               \
    X(TENSOR_GEMM, tensor_gemm, 0)         \
    X(TENSOR_CONTRACT, tensor_contract, 0) \
    X(TENSOR_SVD, tensor_svd, 3)           \
    X(TENSOR_QR, tensor_qr, 3)             \
    X(TENSOR_EIGH, tensor_eigh, 3)         \
    X(TENSOR_ENTROPY, tensor_entropy, 3)
#endif

// Operations that go through the table: (NAME, name, driver). One row makes the number
// PADIC_OP_NAME, the counters in padic_stats and the entry that finds padici_name_check(),
// _operands() and _host(). `driver` 1: there is a padici_name_driver(), too, which needs nothing
// but a device's copy and fill; 2: and it takes host operands as they are; 3: the host's function
// takes a padic_env, for memory and a message, and NOT_FINITE and DOMAIN keep what was done so far;
// 4: so it does, but all or nothing is done.
#define PADIC_OPS(X)       \
    X(FILL, fill, 1)       \
    X(COPY, copy, 2)       \
    X(RANDOM_FILL, random_fill, 0) \
    PADICI_OPS_WAVE(X)             \
    PADICI_OPS_TENSOR(X)

typedef enum padic_op {
    PADIC_OP_NONE = 0,
#define PADICI_OP_NUMBER(NAME, name, driver) PADIC_OP_##NAME,
    PADIC_OPS(PADICI_OP_NUMBER)
#undef PADICI_OP_NUMBER
    PADIC_OP_COUNT
} padic_op;

typedef enum padic_context_flags {
    // An operation that the first backend cannot do is NOT_SUPPORTED instead of being done by a
    // later one. So it is, too, when exactly one backend is named.
    PADIC_CONTEXT_STRICT = 1 << 0,
    PADIC_CONTEXT_PROFILE = 1 << 1, // record spans; without device time stamps operations wait
    PADIC_CONTEXT_DEBUG = 1 << 2    // fill pool memory with 0xCD when it is taken and given back
} padic_context_flags;

typedef enum padic_device_flags {
    PADIC_DEVICE_ALLOW_CPU = 1 << 0,     // a driver that emulates a device on the CPU will do
    PADIC_DEVICE_NO_CACHE = 1 << 1,      // do not use the cache hook for programs
    PADIC_DEVICE_SKIP_SELF_TEST = 1 << 2 // trust the driver's compiler
} padic_device_flags;

// Which device, and what of it the caller already owns. All zero: the best GPU.
typedef struct padic_device_desc {
    const char *name; // part of a device name
    uint32_t index;   // which of those that match
    uint32_t flags;   // padic_device_flags
    // The engine's own, borrowed and never released; their meaning is the backend's.
    void *native_context, *native_queue, *native_device;
    const char *library_path, *compiler_path; // driver and run-time compiler in an unusual place
    const char *kernel_dir;                   // development: read kernel texts from here
} padic_device_desc;

// What the context does with operations on a device, all of which give the same results.
typedef enum padic_mode {
    PADIC_MODE_DEFAULT = 0,  // plain launches; variants of kernels from tables and the cache hook
    PADIC_MODE_OFF,          // plain launches of every kernel's first variant
    PADIC_MODE_LOW_OVERHEAD, // as default; what is called again with the same desc is replayed
    PADIC_MODE_AUTOTUNE      // as default; what was never measured is, before its first use
} padic_mode;

// Nanoseconds from any start, never running backwards.
typedef struct padic_clock {
    uint64_t (*now)(void *user);
    void *user;
} padic_clock;

#define PADIC_MAX_BACKENDS 4

typedef struct padic_context_desc {
    padic_allocator allocator; // zero: malloc
    padic_jobs jobs;           // zero: one thread
    padic_logger log;          // zero: silent
    padic_cache cache;         // zero: none
    const padic_backend *backends[PADIC_MAX_BACKENDS]; // in the order to try; the CPU is last
    padic_device_desc device;
    uint32_t flags;         // padic_context_flags
    uint32_t profile_spans; // how many spans are kept; 0: 4096
    padic_clock clock;      // zero: the C library's best
    padic_progress progress; // zero: none
    padic_mode mode;        // see padic_context_set_mode()
    uint32_t tune_ms;       // AUTOTUNE: most time for all measurements; 0: 2,000
} padic_context_desc;

// Opens the first backend that finds a device, and every one after it that works in host memory.
// One that finds none (NO_DEVICE), or whose driver fails (DEVICE, BUILD), is logged and passed
// over, unless the context is strict. `desc` NULL: all zero. On failure *context is NULL, nothing
// is left allocated, and the sentence went to the log hook.
// Errors: ARGUMENT, NOT_SUPPORTED (backend built for another version), MEMORY; strict: the
// backend's own.
PADIC_API padic_result padic_context_create(const padic_context_desc *desc,
                                            padic_context **context);
// Frees everything the context owns, buffers included. NULL is fine.
PADIC_API void padic_context_destroy(padic_context *context);
// What went wrong last; "" when nothing has. Valid until the next call.
PADIC_API const char *padic_context_message(const padic_context *context);
// Waits until the device has done everything. Errors: DEVICE, DEVICE_LOST; ARGUMENT in a recording.
PADIC_API padic_result padic_context_sync(padic_context *context);

// Changes the mode from the next operation on. padic_stats shows what happened: `launches` were
// handed to the driver one by one, `recorded_nodes` kept, `replays` run from what was kept,
// `tuner_candidates` timed.
//
// LOW_OVERHEAD: the second call of an operation with the same desc records its launches, that call
// and all later ones replay them. It holds for operations whose tensors are all in buffers of the
// device; destroying one of the buffers ends it. Up to 32 calls are kept, with their scratch; the
// one unused longest makes room. Recordings end with the mode.
// Errors: ARGUMENT (no mode, in a recording), MEMORY.
PADIC_API padic_result padic_context_set_mode(padic_context *context, padic_mode mode);
PADIC_API padic_mode padic_context_mode(const padic_context *context);

typedef enum padic_area {
    PADIC_AREA_BASE = 1 << 0, // fill, copy, random_fill
    PADIC_AREA_SAMPLE = 1 << 1,
    PADIC_AREA_NUM = 1 << 2,
    PADIC_AREA_SPARSE = 1 << 3,
    PADIC_AREA_WAVE = 1 << 4,
    PADIC_AREA_TENSOR = 1 << 5,
    PADIC_AREA_CODEC = 1 << 6
} padic_area;

// Builds ahead, and tests, the programs that most calls of these areas use (0: all areas), so that
// the first call does not wait for a compiler. A kernel that does not work on this device is
// logged, counted in `self_tests_failed` and not an error. On host memory there is nothing to do.
// Errors: ARGUMENT (in a recording), MEMORY, DEVICE, DEVICE_LOST.
PADIC_API padic_result padic_prewarm(padic_context *context, uint32_t areas);

// Measures on this device which variant of these areas' kernels is fastest (0: all areas), for
// calls of five sizes, in about `budget_ms` of host time (0: 200), compilation included. A variant
// changes speed only: each result is compared with the CPU's, and bit for bit with the first
// variant's. What was found is used from now on, except in mode OFF, and goes through the cache
// hook to later contexts. What the budget does not reach stays as it was. Errors: as above.
PADIC_API padic_result padic_tune(padic_context *context, uint32_t areas, uint32_t budget_ms);

// Says what the operation would answer without doing it, and which backend would do it ("cpu", ...;
// `backend` may be NULL; "" after an error). `desc` is that operation's desc. Errors: those of the
// operation.
PADIC_API padic_result padic_supports(padic_context *context, padic_op op, const void *desc,
                                      const char **backend);

// Frees idle pool memory, largest blocks first, until live and idle memory together are at most
// `keep` bytes. 0: 1.2 times the most that was ever live.
PADIC_API void padic_trim(padic_context *context, uint64_t keep);

typedef struct padic_op_stats {
    uint64_t calls;        // succeeded
    uint64_t fallbacks;    // of them, not by the first backend
    uint64_t staged_bytes; // moved between host and device because operand and work lay apart
    const char *backend;   // of the last call: who did it, and how; NULL: none yet
    const char *method;
} padic_op_stats;

// Counters since the context was made. All of them only grow, but for the three marked *.
typedef struct padic_stats {
    uint64_t launches, syncs, programs;
    uint64_t uploads, upload_bytes, downloads, download_bytes, copies, fills;
    uint64_t host_allocations;   // by the context itself, from the allocator hook
    uint64_t device_allocations; // by the pool, from a backend (the CPU included)
    uint64_t pool_hits;          // blocks used again
    uint64_t pool_live, pool_idle, pool_peak; // * bytes; peak is the most ever live
    uint64_t spans_lost;                      // profile spans overwritten by later ones
    uint64_t build_ns;                        // host time in program builds, loads included
    uint64_t cache_hits, cache_misses;        // lookups through the cache hook
    uint64_t cache_bad;                       // damaged ones, and those that a driver refused
    uint64_t self_tests, self_tests_failed;   // kernels tried on this device
    uint64_t recorded_nodes, replays;         // launches, copies and fills kept; runs of them
    uint64_t tuner_candidates;                // variants timed
    padic_op_stats ops[PADIC_OP_COUNT];
    padic_op_stats kernels; // numbers and sparse matrices in buffers of a device
} padic_stats;

// Copies the counters; all are 0 without a context.
PADIC_API void padic_get_stats(const padic_context *context, padic_stats *stats);

// All of that as text to print or log, a line each, "\n" between them: the backends with their
// devices, drivers, features and limits; mode and memory; what was built, tested, recorded and
// tuned; by which backend and method each operation was done last. 4096 bytes are mostly enough.
// Errors: ARGUMENT, CAPACITY (the text was cut).
PADIC_API padic_result padic_context_report(padic_context *context, char *text, size_t size);

// Runs a small fixed set of everything D0 and returns a hash. Programs that must compute the same
// bytes (lockstep peers, a build farm) compare it. It changes only with the version, and when the
// codec is left out.
PADIC_API uint64_t padic_self_hash(void);

// room: src/context/buffer.h
// --------------------------------------------------------------------------------- >>buffer API
//
// Memory of the context's device. Owned buffers come from a pool: sizes are rounded to 4 steps a
// power of two from 256 bytes to 64 MiB, then to 2 MiB, and a destroyed buffer's block serves the
// next of its size, so a program that repeats itself allocates nothing. Two live buffers never
// share memory, unless borrowed so.
//
// A zero id, a destroyed one and one of another context give ARGUMENT. (16 bits tell them apart: an
// old id is recognised until its slot has been used 65,535 times more, an id of another context all
// but once in 65,535 times.)

typedef struct padic_buffer_desc {
    uint64_t size;    // bytes; at most the device's max_alloc
    const void *data; // first contents; NULL: none in particular
    void *host;       // borrow this host memory instead of allocating; stays valid until destroy
    uint64_t native;  // borrow this cl_mem, CUdeviceptr, ... of the device instead
} padic_buffer_desc;

typedef struct padic_buffer_report {
    uint64_t size;
    uint64_t native; // the device's handle; a host pointer where the memory is the host's
    uint32_t borrowed, host;
} padic_buffer_report;

// Errors: ARGUMENT (two sources of memory), LIMIT (max_alloc, 65,535 buffers), MEMORY, DEVICE,
// DEVICE_LOST. On failure *buffer is zero.
PADIC_API padic_result padic_buffer_create(padic_context *context, const padic_buffer_desc *desc,
                                           padic_buffer *buffer);
// The id is dead at once; work already queued on the memory still ends well.
PADIC_API padic_result padic_buffer_destroy(padic_context *context, padic_buffer buffer);
PADIC_API padic_result padic_buffer_info(padic_context *context, padic_buffer buffer,
                                         padic_buffer_report *report);
// Bytes in and out, in the order of the calls. Upload returns when `data` may be used again,
// download when the bytes are there. A range beyond the end is REGION.
PADIC_API padic_result padic_buffer_upload(padic_context *context, padic_buffer buffer, uint64_t at,
                                           const void *data, uint64_t size);
PADIC_API padic_result padic_buffer_download(padic_context *context, padic_buffer buffer,
                                             uint64_t at, void *data, uint64_t size);
// Between two buffers, or two ranges of one that do not touch (else OVERLAP).
PADIC_API padic_result padic_buffer_copy(padic_context *context, padic_buffer to, uint64_t to_at,
                                         padic_buffer from, uint64_t from_at, uint64_t size);
// Repeats a 32-bit word, in the device's byte order; `at` and `size` are multiples of 4.
PADIC_API padic_result padic_buffer_fill(padic_context *context, padic_buffer buffer, uint64_t at,
                                         uint32_t word, uint64_t size);

// room: src/core/tensor.h
// -------------------------------------------------------------------------------- >>tensor view

// Dense views of host memory, last axis fastest. Nothing is checked here: every function that takes
// a tensor checks it. padic_tensor_nd() keeps a rank above 8, for those checks to refuse, and then
// reads no shape.
PADIC_API padic_tensor padic_tensor_1d(padic_dtype dtype, void *data, uint64_t n);
PADIC_API padic_tensor padic_tensor_2d(padic_dtype dtype, void *data, uint64_t rows, uint64_t cols);
PADIC_API padic_tensor padic_tensor_3d(padic_dtype dtype, void *data, uint64_t n0, uint64_t n1,
                                       uint64_t n2);
PADIC_API padic_tensor padic_tensor_nd(padic_dtype dtype, void *data, uint32_t rank,
                                       const uint64_t *shape);
// The same view of a buffer, from its element `offset` on: set the shape with one of the above and
// data NULL, then this.
PADIC_API padic_tensor padic_tensor_in(padic_tensor view, padic_buffer buffer, uint64_t offset);
// Elements of a view; 0 when one of its extents is 0 or the number does not fit 64 bits.
PADIC_API uint64_t padic_tensor_count(const padic_tensor *tensor);

// The operations below take tensors in host memory or in buffers, with any positive strides. The
// context may be NULL when all are in host memory. Common errors: DTYPE, LIMIT, ARGUMENT (strides,
// pointers, ids), REGION (a view that reaches beyond its buffer), MEMORY, NOT_SUPPORTED (strict),
// DEVICE, DEVICE_LOST. An operation that fails may have written some of its output.

// Every element becomes `value`, one element of the tensor's dtype in host memory; NULL: zero. D0.
typedef struct padic_fill_desc {
    padic_tensor tensor;
    const void *value;
} padic_fill_desc;
PADIC_API padic_result padic_fill(padic_context *context, const padic_fill_desc *desc);

// Copies element by element, bits unchanged. D0. Errors: MISMATCH of dtype or shape; OVERLAP when
// the memory from the first to the last element of one view reaches into the other's.
typedef struct padic_copy_desc {
    padic_tensor from, to;
} padic_copy_desc;
PADIC_API padic_result padic_copy(padic_context *context, const padic_copy_desc *desc);

// room: src/context/record.h
// -------------------------------------------------------------------------------- >>record API
//
// Work that repeats can be kept and handed to the driver again at a fraction of the cost: as a
// graph where the device has graphs (PADIC_FEATURE_RECORD), else as the list of its launches.
//
//     padic_wave_superpose(context, &desc);               // once unrecorded: builds, takes scratch
//     padic_record_begin(context);
//     padic_wave_superpose(context, &desc);               // nothing runs here
//     padic_record_end(context, &record);
//     padic_record_replay(context, record, 1000);         // a thousand times, in order
//     padic_record_drop(context, record);
//
// Operations, padic_buffer_copy() and padic_buffer_fill() are recorded, with every value of their
// descs as it was. Whatever would need the host is refused with ARGUMENT before the driver sees it:
// creating and destroying buffers, upload, download, sync, an operation that the device does not do
// or that was not called before. A recording in which an operation failed is broken: the end says
// so, and the context is as before. In host memory there is nothing to gain: NOT_SUPPORTED.
//
// A recording keeps the scratch it took. It uses its buffers where they are: once one of them is
// destroyed, replay is refused. Ids are like those of buffers.

typedef struct padic_record {
    uint32_t id;
} padic_record;

// Errors: NOT_SUPPORTED (host memory), ARGUMENT (begun already), MEMORY, DEVICE, DEVICE_LOST.
PADIC_API padic_result padic_record_begin(padic_context *context);
// `record` NULL: throws away what was recorded. On failure nothing is kept and *record is zero.
// Errors: ARGUMENT (not begun), that of the operation that failed, MEMORY, DEVICE, DEVICE_LOST.
PADIC_API padic_result padic_record_end(padic_context *context, padic_record *record);
// Returns at once. Errors: ARGUMENT (null, dropped, a buffer destroyed; in a recording), DEVICE,
// DEVICE_LOST.
PADIC_API padic_result padic_record_replay(padic_context *context, padic_record record,
                                           uint32_t times);
PADIC_API padic_result padic_record_drop(padic_context *context, padic_record record);

// room: src/context/profile.h
// ------------------------------------------------------------------------------- >>profile API

// Hands the recorded spans to `sink` as Chrome trace JSON (chrome://tracing, Perfetto), in pieces.
// One row an operation or replay: microseconds since the context was made, bytes of its operands,
// launches (of a replay: times), and the backend or its method as `method`. Track 1 is the host,
// track 2 the device. Its spans are taken by the device's own clock, which is tied to the host's at
// create and at each sync; where it has no clock they are host times around a wait, marked
// "clock":"host". `sink` returns 0 on success, anything else stops with CALLBACK.
// Without PADIC_CONTEXT_PROFILE the trace is empty.
typedef int (*padic_profile_sink)(const char *text, size_t size, void *user);
PADIC_API padic_result padic_profile_write(padic_context *context, padic_profile_sink sink,
                                           void *user);

// room: src/core/philox.h
// -------------------------------------------------------------------------------- >>random API
//
// Philox4x32-10 (Salmon, Moraes, Dror, Shaw: Parallel random numbers: as easy as 1, 2, 3; 2011).
// Numbers are addressed, not drawn: (seed, stream, step, block) gives four words, so no result
// depends on order, batching, threads or device. The key is the seed, low word first; the counter
// is (block, step, stream low, stream high). Everything here is D0.

PADIC_API void padic_random_block(uint64_t seed, uint64_t stream, uint32_t step, uint32_t block,
                                  uint32_t out[4]);
// Uniform in [0, 1) on the grid 2^-24: (word >> 8) 2^-24.
PADIC_API float padic_random_f32(uint32_t word);
// Uniform in [0, 1) on the grid 2^-53: ((high 2^32 + low) >> 11) 2^-53.
PADIC_API double padic_random_f64(uint32_t low, uint32_t high);
// Uniform in (-1, 1), symmetric and never 0: with n = word >> 8, (2 n + 1 - 2^24) 2^-24.
PADIC_API float padic_random_symmetric(uint32_t word);

// Fills a tensor of any dtype. Integers take all values of their type (the low bits of their word);
// floats lie in [0, 1): f64 on the grid 2^-53, f32 2^-24, f16 2^-11, bf16 2^-8, from the highest
// bits. Words are numbered through a stream, word w in block w / 4 at place w % 4, and element i
// (in C order of the shape, whatever the strides) takes word i; 64-bit types and complex64 take
// words 2 i and 2 i + 1 (low or real part first); complex128 four. At most 2^34 words: LIMIT.
typedef struct padic_random_fill_desc {
    padic_tensor tensor;
    uint64_t seed;
    uint64_t stream;
    uint32_t step;
} padic_random_fill_desc;
PADIC_API padic_result padic_random_fill(padic_context *context,
                                         const padic_random_fill_desc *desc);

// room: src/context/areas.h
// -------------------------------------------------------------------------------- >>areas API
//
// They have files of their own beside this one.

#ifndef PADIC_NO_SAMPLE
#include "padic_sample.h"
#endif
#ifndef PADIC_NO_WAVE
#include "padic_wave.h"
#endif
#ifndef PADIC_NO_TENSOR
#include "padic_tensor.h"
#endif

// room: src/context/backend.h
// ------------------------------------------------------------------------------- >>backend API
//
// A backend is some memory, a way to launch a kernel, and optionally its own way of doing an
// operation. Everyone else needs only functions like padic_simd() that return one.
//
// Rules. A call returns PADIC_OK, or a code after writing one sentence to env->message. A failed
// call leaves nothing half made; `out` is zeroed first. There is one queue, in order: launch, copy
// and fill return at once, upload when its source may be used again, download and sync wait. After
// DEVICE_LOST the library calls nothing but free and close. It has validated every argument.

#define PADIC_BACKEND_VERSION 2u // a backend header compares it and stops with #error

typedef struct padic_device padic_device; // these three are the backend's own
typedef struct padic_program padic_program;
typedef struct padic_recording padic_recording;

typedef struct padic_mem {
    uint64_t bits; // cl_mem, CUdeviceptr or host pointer; 0 is none
} padic_mem;

// Lent by the context from open to close.
typedef struct padic_env {
    const padic_allocator *allocator;
    const padic_jobs *jobs;
    const padic_logger *log;
    const padic_cache *cache;
    char *message;
    uint32_t message_size;
    padic_stats *stats; // the context's counters; NULL: nobody counts
    const padic_progress *progress; // NULL, or without `step`: nobody asks
} padic_env;

typedef enum padic_feature {
    PADIC_FEATURE_F64 = 1 << 0,
    PADIC_FEATURE_I64_ATOMICS = 1 << 1,
    PADIC_FEATURE_SUBGROUPS = 1 << 2,
    PADIC_FEATURE_PROGRESS = 1 << 3, // groups make progress while others wait
    PADIC_FEATURE_RECORD = 1 << 4,
    PADIC_FEATURE_TIME = 1 << 5,
    PADIC_FEATURE_UNIFIED = 1 << 6 // device and host share their memory
} padic_feature;

typedef struct padic_device_info {
    char name[64], vendor[32], driver[64], platform[64], arch[16]; // arch "sm_90", "gfx942" or ""
    uint32_t features;                                             // padic_feature
    uint32_t compute_units, max_group;
    uint32_t subgroup; // 0: unknown, never assumed
    uint32_t alignment;
    uint64_t memory, max_alloc, local_bytes; // 0: unknown
} padic_device_info;

// What the context opened first: the device that buffers live on.
PADIC_API void padic_context_device(const padic_context *context, padic_device_info *info);

typedef struct padic_program_desc {
    uint32_t program;           // index of the area's kernel text
    const char *const *defines; // "PD_WG=128", ...
    uint32_t define_count;
} padic_program_desc;

typedef struct padic_launch {
    padic_program *program;
    uint32_t kernel; // index in the program's kernel list
    padic_mem mem[8];     // as many as the kernel has buffers
    uint32_t mem_count;   // whole buffers; element offsets travel in params
    const void *params;   // 32-bit values, copied by the call
    uint32_t params_size; // 4 to 256 bytes
    uint32_t group;       // as compiled
    uint32_t groups[3];   // none 0; groups[0] * group < 2^32, the others < 65536
    uint32_t op;          // operation or padic_kernel, for profile and messages
} padic_launch;

// For record(): BEGIN: what follows is kept, not run. END: *recording becomes what was kept; also
// on failure nothing is being recorded any more. DROP: frees *recording; NULL there ends what was
// begun and keeps nothing.
typedef enum padic_record_action {
    PADIC_RECORD_BEGIN = 1,
    PADIC_RECORD_END = 2,
    PADIC_RECORD_DROP = 3
} padic_record_action;

#define PADIC_TIME_SLOTS 256u // time stamps have numbers below it

#define PADIC_BACKEND_HOST 1u // padic_mem is a host pointer, and every call has ended on return

struct padic_backend {
    uint32_t version; // PADIC_BACKEND_VERSION
    const char *name; // "cuda", "opencl", "simd", "null"
    padic_result (*open)(const padic_env *env, const padic_device_desc *desc, padic_device **out);
    void (*close)(padic_device *device); // waits, frees everything; cannot fail
    void (*info)(padic_device *device, padic_device_info *info);
    padic_result (*alloc)(padic_device *device, uint64_t size, padic_mem *out);
    void (*free)(padic_device *device, padic_mem mem, uint64_t size);
    padic_result (*upload)(padic_device *device, padic_mem mem, uint64_t at, const void *from,
                           uint64_t size);
    padic_result (*download)(padic_device *device, padic_mem mem, uint64_t at, void *to,
                             uint64_t size);
    padic_result (*copy)(padic_device *device, padic_mem to, uint64_t at, padic_mem from,
                         uint64_t from_at, uint64_t size);
    padic_result (*fill)(padic_device *device, padic_mem mem, uint64_t at, uint32_t value,
                         uint64_t size); // at and size in bytes, multiples of 4
    padic_result (*program)(padic_device *device, const padic_program_desc *desc,
                            padic_program **out);
    padic_result (*launch)(padic_device *device, const padic_launch *launch);
    padic_result (*sync)(padic_device *device);
    // Optional from here, NULL when absent.
    padic_result (*record)(padic_device *device, int action, padic_recording **recording);
    padic_result (*replay)(padic_device *device, padic_recording *recording, uint32_t times);
    // `ns` NULL: the queue stamps this slot; else reads it after a sync, in the device's clock.
    padic_result (*time)(padic_device *device, uint32_t slot, uint64_t *ns);
    // Its own way of an operation. Tensors come with `buffer` zero and `data` the padic_mem of
    // their memory, from element `offset` on. `query`: only say OK or NOT_SUPPORTED by dtypes,
    // shapes and strides (data is not set). NOT_SUPPORTED must come before memory is touched.
    // With PADIC_BACKEND_HOST it is offered kernels, too: see padic_kernel.
    padic_result (*run)(padic_device *device, uint32_t op, const void *desc, int query);
    uint32_t flags; // PADIC_BACKEND_HOST
    // By kernels, in a device's memory: padici_gpu_drive() of padic_gpu.h or NULL. Asked after
    // `run` for operations, `call` a padici_call, and for a padic_kernel whose operands lie in
    // buffers, `call` as its area defines. `query` and NOT_SUPPORTED as with `run`.
    padic_result (*drive)(padic_context *context, uint32_t op, void *call, int query);
    // Every kernel of the program gave its known answers: a binary of it may be stored now.
    void (*keep)(padic_device *device, padic_program *program);
};

// Kernels: inner loops of what needs no context (samplers, numbers, sparse matrices). Where a
// context is given its backends with PADIC_BACKEND_HOST are asked in order, and a plain loop does
// what all of them refuse, STRICT or not. `run` gets the number as `op`, the kernel's struct as
// `desc` and query 0, from any thread and from several at once; pointers are host pointers at any
// alignment, checked. It computes the same bytes as the plain loop and writes no message.
typedef enum padic_kernel {
    PADIC_KERNEL_SAMPLE = 1000, // a padic_sample_call
    PADIC_KERNEL_NUM = 2000,    // these and the following numbers: see padic_num.h
    PADIC_KERNEL_SPARSE = 3000,
    PADIC_KERNEL_CODEC = 4000, // a padici_codec_loops: replaces functions in it, once for each call
    PADIC_KERNEL_CODEC_PACK = 4100, // in a device's memory, by its `drive`
    PADIC_KERNEL_CODEC_UNPACK = 4101,
    PADIC_KERNEL_TENSOR = 5000 // a padic_tensor_product
} padic_kernel;

#ifndef PADIC_NO_TENSOR
// A matrix product of few numbers: c = a b, lines of each without gaps.
typedef struct padic_tensor_product {
    padic_dtype dtype; // F32, F64, C64, C128
    uint32_t rows, columns, depth; // of c; of the sum; not 0
    const void *a, *b;
    void *c; // not a or b, and only written
    int64_t line_a, line_b, line_c; // from line to line, in elements
} padic_tensor_product;
#endif

#ifndef PADIC_NO_SAMPLE
// Digit reversal of `count` numbers with everything around it, as the samplers define it.
typedef struct padic_sample_call {
    uint32_t base, levels;  // digits
    uint32_t wide;          // 1: 64-bit hashes
    uint32_t full;          // 1: a permutation a node (OWEN_FULL, composite bases), not a d + c
    padic_sample_mode mode; // NONE, PERMUTE, or one a node
    const uint64_t *keys;   // one a level
    uint32_t reversed_in;   // 1: numbers in are reversals
    uint32_t index_out;     // 1: the result is reversed again: an index
    uint64_t group;         // index_out: b^levels, when higher digits stay as they are; else 0
    uint64_t first;         // numbers in: first, first + 1, ...
    const void *index;      // or these: U32 or U64, index_stride elements apart
    uint64_t index_stride;
    padic_dtype index_dtype;
    padic_dtype dtype; // out: U32, U64, F32, F64
    void *out;         // may be `index`, of elements and stride of the same size
    uint64_t out_stride;
    uint32_t integers; // 1: the results themselves (U32, U64), not cut off to the grid of dtype
    uint32_t outside;  // out: 1 if a number in was above `last`; its element is 0
    uint64_t last;
    uint64_t scale; // fractions are over scale + 1
    uint64_t count; // not 0
} padic_sample_call;
#endif
// room: src/padic.in.h:90

#ifdef __cplusplus
}
#endif
#endif // PADIC_HEADER

// ================================================================================================
#if defined(PADIC_IMPLEMENTATION) && !defined(PADIC_IMPLEMENTED)
#define PADIC_IMPLEMENTED

// room: src/core/platform.c
// ----------------------------------------------------------------------------------- >>platform

#include <float.h>
#include <math.h>
#include <string.h>
#include <time.h>
#ifndef PADIC_NO_MALLOC
#include <stdlib.h>
#endif

// Lossless forms are checked by recomputing floats, so both sides must round each operation once.
#if defined(__FAST_MATH__) || defined(_M_FP_FAST)
#error "padic.h: compile the implementation without -ffast-math (/fp:fast)"
#endif
#if defined(FLT_EVAL_METHOD)
#if FLT_EVAL_METHOD == 2 || FLT_EVAL_METHOD < 0
#error "padic.h: the x87 unit rounds twice; compile with -msse2 -mfpmath=sse"
#endif
#endif

// a * b + c must stay two operations; and plain -O2 is to vectorise loops, as clang does (each
// element is still computed alone, so no bit changes). The settings end with the implementation.
#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#elif defined(__GNUC__)
#pragma GCC push_options
#pragma GCC optimize("fp-contract=off", "tree-vectorize", "vect-cost-model=dynamic")
#elif defined(_MSC_VER)
#include <intrin.h>
#pragma fp_contract(off)
#endif

#if defined(__GNUC__) || defined(__clang__)
#define PADICI_UNUSED __attribute__((unused))
#define PADICI_NOINLINE __attribute__((noinline)) // a frame of its own
#ifdef __OPTIMIZE__ // else a frame would hold the locals of every copy
#define PADICI_INLINE static inline __attribute__((always_inline, unused))
#else
#define PADICI_INLINE static inline __attribute__((unused))
#endif
#define PADICI_LIKELY(x) __builtin_expect(!!(x), 1)
#define PADICI_UNLIKELY(x) __builtin_expect(!!(x), 0)
#elif defined(_MSC_VER)
#define PADICI_UNUSED
#define PADICI_NOINLINE __declspec(noinline)
#define PADICI_INLINE static __forceinline
#define PADICI_LIKELY(x) (x)
#define PADICI_UNLIKELY(x) (x)
#else
#define PADICI_UNUSED
#define PADICI_NOINLINE
#define PADICI_INLINE static inline
#define PADICI_LIKELY(x) (x)
#define PADICI_UNLIKELY(x) (x)
#endif

#if defined(__BYTE_ORDER__) && defined(__ORDER_BIG_ENDIAN__)
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define PADICI_BIG_ENDIAN 1
#else
#define PADICI_BIG_ENDIAN 0
#endif
#elif defined(__BIG_ENDIAN__) || defined(__ARMEB__) || defined(__MIPSEB__) || defined(__sparc)
#define PADICI_BIG_ENDIAN 1
#else
#define PADICI_BIG_ENDIAN 0
#endif

#if defined(__SIZEOF_INT128__) && !defined(PADIC_NO_INT128)
#define PADICI_INT128 1
__extension__ typedef unsigned __int128 padici_u128; // -Wpedantic refuses it without the word
#else
#define PADICI_INT128 0
#endif

// room: src/core/words.c
// Words and bits: loads and stores in one byte order, leading and trailing zeros, wide products.

// Written with shifts: every compiler makes one instruction of them.
PADICI_INLINE uint16_t padici_swap16(uint16_t v)
{
    return (uint16_t)((v >> 8) | (v << 8));
}

PADICI_INLINE uint32_t padici_swap32(uint32_t v)
{
    return (v >> 24) | ((v >> 8) & 0xff00u) | ((v << 8) & 0xff0000u) | (v << 24);
}

PADICI_INLINE uint64_t padici_swap64(uint64_t v)
{
    return ((uint64_t)padici_swap32((uint32_t)v) << 32) | padici_swap32((uint32_t)(v >> 32));
}

// Little-endian loads and stores at any alignment. memcpy of a fixed size is one move, and unlike a
// cast pointer it may alias anything.
PADICI_INLINE uint16_t padici_load16(const void *p)
{
    uint16_t v;
    memcpy(&v, p, 2);
    return PADICI_BIG_ENDIAN ? padici_swap16(v) : v;
}

PADICI_INLINE uint32_t padici_load32(const void *p)
{
    uint32_t v;
    memcpy(&v, p, 4);
    return PADICI_BIG_ENDIAN ? padici_swap32(v) : v;
}

PADICI_INLINE uint64_t padici_load64(const void *p)
{
    uint64_t v;
    memcpy(&v, p, 8);
    return PADICI_BIG_ENDIAN ? padici_swap64(v) : v;
}

PADICI_INLINE void padici_store16(void *p, uint16_t v)
{
    if (PADICI_BIG_ENDIAN) v = padici_swap16(v);
    memcpy(p, &v, 2);
}

PADICI_INLINE void padici_store32(void *p, uint32_t v)
{
    if (PADICI_BIG_ENDIAN) v = padici_swap32(v);
    memcpy(p, &v, 4);
}

PADICI_INLINE void padici_store64(void *p, uint64_t v)
{
    if (PADICI_BIG_ENDIAN) v = padici_swap64(v);
    memcpy(p, &v, 8);
}

// Zeros above the highest (clz) and below the lowest (ctz) set bit; v is not 0.
PADICI_INLINE uint32_t padici_clz64(uint64_t v)
{
#if defined(__GNUC__) || defined(__clang__)
    return (uint32_t)__builtin_clzll(v);
#elif defined(_MSC_VER) && (defined(_M_X64) || defined(_M_ARM64))
    unsigned long at;
    _BitScanReverse64(&at, v);
    return 63u - (uint32_t)at;
#else
    uint32_t n = 0, step;
    for (step = 32; step > 0; step >>= 1)
        if (!(v >> (64 - step))) {
            n += step;
            v <<= step;
        }
    return n;
#endif
}

PADICI_INLINE uint32_t padici_ctz64(uint64_t v)
{
#if defined(__GNUC__) || defined(__clang__)
    return (uint32_t)__builtin_ctzll(v);
#elif defined(_MSC_VER) && (defined(_M_X64) || defined(_M_ARM64))
    unsigned long at;
    _BitScanForward64(&at, v);
    return (uint32_t)at;
#else
    return 63u - padici_clz64(v & (0u - v));
#endif
}

PADICI_INLINE uint32_t padici_clz32(uint32_t v)
{
#if defined(__GNUC__) || defined(__clang__)
    return (uint32_t)__builtin_clz(v);
#else
    return padici_clz64(v) - 32u;
#endif
}

// Not the builtin: without -mpopcnt that is a call.
PADICI_INLINE uint32_t padici_popcount64(uint64_t v)
{
    v -= (v >> 1) & 0x5555555555555555u;
    v = (v & 0x3333333333333333u) + ((v >> 2) & 0x3333333333333333u);
    v = (v + (v >> 4)) & 0x0f0f0f0f0f0f0f0fu;
    return (uint32_t)((v * 0x0101010101010101u) >> 56);
}

// The upper 64 bits of a 128-bit product.
PADICI_INLINE uint64_t padici_mulhi64(uint64_t a, uint64_t b)
{
#if PADICI_INT128
    return (uint64_t)(((padici_u128)a * b) >> 64);
#elif defined(_MSC_VER) && !defined(__clang__) && defined(_M_X64) && !defined(PADIC_NO_INT128)
    uint64_t high;
    (void)_umul128(a, b, &high);
    return high;
#else
    uint64_t al = (uint32_t)a, ah = a >> 32, bl = (uint32_t)b, bh = b >> 32;
    uint64_t low = al * bl, m1 = al * bh, m2 = ah * bl;
    uint64_t middle = (low >> 32) + (uint32_t)m1 + (uint32_t)m2;
    return ah * bh + (m1 >> 32) + (m2 >> 32) + (middle >> 32);
#endif
}

// Products that say when they do not fit: 1 and *out = a b, or 0 and *out = 0.
PADICI_INLINE int padici_mul_u64(uint64_t a, uint64_t b, uint64_t *out)
{
    int fits = !b || a <= UINT64_MAX / b;
    *out = fits ? a * b : 0;
    return fits;
}

PADICI_INLINE int padici_mul_size(size_t a, size_t b, size_t *out)
{
    int fits = !b || a <= (size_t)-1 / b;
    *out = fits ? a * b : 0;
    return fits;
}

// room: src/core/names.c
// Sizes and names of element types, and what results mean.

PADIC_API uint32_t padic_dtype_size(padic_dtype dtype)
{
    static const uint8_t sizes[15] = {0, 8, 4, 2, 2, 1, 2, 4, 8, 1, 2, 4, 8, 8, 16};
    uint32_t i = (uint32_t)dtype;
    return i < 15 ? sizes[i] : 0;
}

PADIC_API const char *padic_dtype_name(padic_dtype dtype)
{
    static const char *const names[15] = {"?",   "f64", "f32", "f16", "bf16",
                                          "i8",  "i16", "i32", "i64", "u8",
                                          "u16", "u32", "u64", "complex64", "complex128"};
    uint32_t i = (uint32_t)dtype;
    return names[i < 15 ? i : 0];
}

PADIC_API const char *padic_result_text(padic_result result)
{
    switch (result) {
    case PADIC_OK: return "no error";
    case PADIC_ERROR_ARGUMENT: return "a field or pointer makes no sense: check the desc";
    case PADIC_ERROR_MISMATCH: return "dtypes or shapes differ: make both sides agree";
    case PADIC_ERROR_OVERLAP: return "operands share memory: give each its own";
    case PADIC_ERROR_PRIME: return "the base is not a prime: choose one";
    case PADIC_ERROR_LIMIT: return "larger than a limit: raise the limit or split the work";
    case PADIC_ERROR_CAPACITY: return "the destination is too small: give the size returned";
    case PADIC_ERROR_NOT_SUPPORTED: return "not supported by this build, device or version";
    case PADIC_ERROR_DTYPE: return "the element type is unknown or not one for this operation";
    case PADIC_ERROR_BOUND: return "the error bound must be finite and above zero";
    case PADIC_ERROR_REGION: return "the box reaches outside the array: check begin and count";
    case PADIC_ERROR_CALLBACK: return "a read or write function of the caller failed";
    case PADIC_ERROR_RING: return "the numbers are of different rings or models: convert one side";
    case PADIC_ERROR_PRECISION: return "the number of digits is 0 or more than the ring has";
    case PADIC_ERROR_ALIGNMENT: return "an address is not aligned to its elements: move the data";
    case PADIC_ERROR_CANCELLED: return "the progress hook stopped the work";
    case PADIC_ERROR_MEMORY: return "out of memory: free some or make the work smaller";
    case PADIC_ERROR_DOMAIN: return "a value lies outside the domain of the operation";
    case PADIC_ERROR_CORRUPT: return "not a padic stream, or cut short: fetch it again";
    case PADIC_ERROR_CHECKSUM: return "the stream is damaged: fetch it again";
    case PADIC_ERROR_VERSION: return "written by a newer version: update padic.h";
    case PADIC_ERROR_NOT_FINITE: return "a value is infinite or not a number";
    case PADIC_ERROR_DEVICE: return "a driver call failed: see the message of the context";
    case PADIC_ERROR_DEVICE_LOST: return "the device is lost: destroy the context, make a new one";
    case PADIC_ERROR_NO_DEVICE: return "no usable device: install a driver or use the CPU";
    case PADIC_ERROR_BUILD: return "a kernel did not compile: see the log";
    case PADIC_ERROR_SELF_TEST: return "a kernel gives wrong answers: update the device's driver";
    }
    return "unknown result code";
}

// room: src/core/view.c
// Checks of views: shape, strides, alignment.

// The strides in elements that a view has: its own, or the dense ones when all are zero. Axes
// beyond the rank get 0. The shape has been checked.
PADICI_UNUSED static void padici_tensor_dense(const padic_tensor *t, int64_t stride[PADIC_MAX_RANK])
{
    uint32_t i, given = 0;
    uint64_t step = 1;
    for (i = 0; i < PADIC_MAX_RANK; i++) {
        stride[i] = i < t->rank ? t->stride[i] : 0;
        given |= stride[i] != 0;
    }
    for (i = t->rank; !given && i > 0; i--) {
        stride[i - 1] = (int64_t)step;
        step *= t->shape[i - 1];
    }
}

// Strides of a view with elements: all positive, and no two elements share memory. Taking axes from
// the smallest stride up, each must step beyond everything the axes before it reach.
static padic_result padici_tensor_check_strides(const padic_tensor *t, uint64_t size)
{
    uint32_t done = 0, i, round;
    uint64_t reach = 0, bytes; // largest offset so far, in elements
    for (round = 0; round < t->rank; round++) {
        uint32_t best = PADIC_MAX_RANK;
        for (i = 0; i < t->rank; i++) {
            if (t->stride[i] <= 0) return PADIC_ERROR_ARGUMENT;
            if (done >> i & 1u || t->shape[i] < 2) continue; // an axis of 1 takes no step
            if (best == PADIC_MAX_RANK || t->stride[i] < t->stride[best]) best = i;
        }
        if (best == PADIC_MAX_RANK) break;
        done |= 1u << best;
        if ((uint64_t)t->stride[best] <= reach) return PADIC_ERROR_ARGUMENT;
        if (!padici_mul_u64(t->shape[best] - 1, (uint64_t)t->stride[best], &bytes) ||
            (bytes | (reach + bytes)) >> 63)
            return PADIC_ERROR_LIMIT;
        reach += bytes;
    }
    if (!padici_mul_u64(reach + 1, size, &bytes) || bytes >> 63) return PADIC_ERROR_LIMIT;
    return PADIC_OK;
}

// Strides of a view that is only read: of any sign, 0 to repeat; what they reach fits 2^62 bytes.
static padic_result padici_tensor_check_reach(const padic_tensor *t, uint64_t size)
{
    uint64_t reach = 1, bytes;
    uint32_t i;
    for (i = 0; i < t->rank; i++) {
        const uint64_t step =
            t->stride[i] < 0 ? 0 - (uint64_t)t->stride[i] : (uint64_t)t->stride[i];
        if (!padici_mul_u64(t->shape[i] - 1, step, &bytes) || (bytes | (reach + bytes)) >> 62)
            return PADIC_ERROR_LIMIT;
        reach += bytes;
    }
    return padici_mul_u64(reach, size, &bytes) && !(bytes >> 62) ? PADIC_OK : PADIC_ERROR_LIMIT;
}

// Dtype, rank, shape and strides of a view, and how many elements it has. The memory is not looked
// at. DTYPE; LIMIT for rank above 8 or 2^63 bytes; ARGUMENT for strides (unless `any_stride`).
static padic_result padici_tensor_check_sizes(const padic_tensor *t, uint32_t any_stride,
                                             uint64_t *count)
{
    uint32_t i, given = 0, empty = 0;
    uint64_t n = 1, bytes, size;
    *count = 0;
    if (!t) return PADIC_ERROR_ARGUMENT;
    size = padic_dtype_size(t->dtype);
    if (!size) return PADIC_ERROR_DTYPE;
    if (t->rank > PADIC_MAX_RANK) return PADIC_ERROR_LIMIT;
    for (i = 0; i < t->rank; i++) {
        given |= t->stride[i] != 0;
        if (!t->shape[i]) {
            empty = 1;
        } else if (!padici_mul_u64(n, t->shape[i], &n) || !padici_mul_u64(n, size, &bytes) ||
                   bytes >> 63) { // also next to an extent of 0, so that strides never overflow
            return PADIC_ERROR_LIMIT;
        }
    }
    if (given && !empty) {
        padic_result result = any_stride ? padici_tensor_check_reach(t, size)
                                         : padici_tensor_check_strides(t, size);
        if (result) return result;
    }
    *count = empty ? 0 : n;
    return PADIC_OK;
}

// The same of a view whose elements are read and written as they are, so that ALIGNMENT is looked
// at: a complex number's is that of its parts.
static padic_result padici_tensor_check_view(const padic_tensor *t, uint32_t any_stride,
                                             uint64_t *count)
{
    struct place {
        char at;
        uint64_t word;
    };
    const padic_result result = padici_tensor_check_sizes(t, any_stride, count);
    size_t align;
    if (result) return result;
    align = padic_dtype_size(t->dtype) / (t->dtype >= PADIC_C64 ? 2 : 1);
    if (align > offsetof(struct place, word)) align = offsetof(struct place, word);
    return *count && (uintptr_t)t->data % align ? PADIC_ERROR_ALIGNMENT : PADIC_OK;
}

static padic_result padici_tensor_check_shape(const padic_tensor *t, uint64_t *count)
{
    return padici_tensor_check_view(t, 0, count);
}

#ifndef PADIC_NO_CODEC
// A view of host memory that the codec copies byte by byte, wherever it lies; it must be there
// unless there are no elements.
static padic_result padici_tensor_check(const padic_tensor *t, uint64_t *count)
{
    padic_result result = padici_tensor_check_sizes(t, 0, count);
    if (result) return result;
    return *count && !t->data ? PADIC_ERROR_ARGUMENT : PADIC_OK;
}
#endif

// May a pointer be read as words of `size` bytes? A complex number is two.
PADICI_UNUSED static int padici_aligned(const void *pointer, size_t size)
{
    struct padici_probe {
        char before;
        uint64_t word;
    };
    const size_t most = offsetof(struct padici_probe, word); // 4 on some machines of 32 bits
    return !((uintptr_t)pointer & ((size < most ? size : most) - 1));
}

// room: src/core/memory.c
// ------------------------------------------------------------------------------------- >>memory

// Memory from a hook, or from malloc when there is none. `align` is a power of two up to 64.
// A hook without `free` is an arena: nothing is given back.
PADICI_UNUSED static void *padici_alloc(const padic_allocator *a, size_t size, size_t align)
{
    if (!size) size = 1; // so that NULL always means failure
    if (a && a->alloc) return (*a->alloc)(size, align, a->user);
#ifndef PADIC_NO_MALLOC
    {
        // malloc promises no more than 8 or 16 bytes: its pointer is kept just below the block.
        size_t step = align < 16 ? 16 : align;
        char *whole, *block;
        if (size > (size_t)-1 - step) return NULL;
        whole = (char *)malloc(size + step);
        if (!whole) return NULL;
        block = whole + (step - ((uintptr_t)whole & (step - 1)));
        memcpy(block - sizeof whole, &whole, sizeof whole);
        return block;
    }
#else
    (void)align;
    return NULL;
#endif
}

// Gives back what padici_alloc() returned, with the same hook and size; NULL is fine.
PADICI_UNUSED static void padici_free(const padic_allocator *a, void *p, size_t size)
{
    if (!p) return;
    if (!size) size = 1;
    if (a && a->alloc) {
        if (a->free) (*a->free)(p, size, a->user);
        return;
    }
#ifndef PADIC_NO_MALLOC
    {
        char *whole;
        memcpy(&whole, (char *)p - sizeof whole, sizeof whole);
        free(whole);
    }
#endif
}

// room: src/core/log.c
// ---------------------------------------------------------------------------------------- >>log

// Sentences without stdio: appends until the space ends, always terminated.
typedef struct padici_text {
    char *at;
    size_t left; // the terminator included
} padici_text;

PADICI_UNUSED static void padici_text_begin(padici_text *text, char *space, size_t size)
{
    text->at = space;
    text->left = size;
    space[0] = 0;
}

PADICI_UNUSED static void padici_text_add(padici_text *text, const char *words)
{
    while (*words && text->left > 1) {
        *text->at++ = *words++;
        text->left--;
    }
    *text->at = 0;
}

// Decimal, at least `digits` wide, filled with zeros.
PADICI_UNUSED static void padici_text_number(padici_text *text, uint64_t value, uint32_t digits)
{
    char reversed[21];
    uint32_t n = 0;
    do {
        reversed[n++] = (char)('0' + value % 10);
        value /= 10;
    } while ((value || n < digits) && n < 20);
    while (n > 0 && text->left > 1) {
        *text->at++ = reversed[--n];
        text->left--;
    }
    *text->at = 0;
}

PADICI_UNUSED static void padici_log_write(const padic_logger *log, padic_log_level level,
                                           uint32_t item, const char *words)
{
    if (log && log->write) (*log->write)(level, item, words, log->user);
}

// Keeps the sentence in the context (when there is one), logs it and returns `result`.
PADICI_UNUSED static padic_result padici_fail(padic_context *context, padic_result result,
                                              const char *sentence);
// The same for a sentence that several operations share: "operation: sentence".
PADICI_UNUSED static padic_result padici_fail_in(padic_context *context, padic_result result,
                                                 const char *operation, const char *sentence)
{
    char space[512];
    padici_text text;
    if (!context) return result;
    padici_text_begin(&text, space, sizeof space);
    padici_text_add(&text, operation);
    padici_text_add(&text, ": ");
    padici_text_add(&text, sentence);
    return padici_fail(context, result, space);
}
// What is at fault: a field of the call, a plane of it, and what is wrong with it; NULL where that
// is not known here. The first who knows says so, the operation then makes a sentence of it:
// "operation: field.plane why". Without a `why` the code has words of its own.
PADICI_UNUSED static padic_result padici_blame(padic_context *context, padic_result result,
                                               const char *field, const char *plane,
                                               const char *why);
PADICI_UNUSED static padic_result padici_fault(padic_context *context, padic_result result,
                                               const char *operation);

// The operation that a caller asked for, whatever others it is made of: padici_enter() returns what
// padici_leave() puts back. And a sentence about it, or about a field of its desc.
PADICI_UNUSED static const char *padici_enter(padic_context *context, const char *operation);
PADICI_UNUSED static void padici_leave(padic_context *context, const char *before);
PADICI_UNUSED static padic_result padici_fail_here(padic_context *context, padic_result result,
                                                   const char *sentence);
PADICI_UNUSED static padic_result padici_fail_field(padic_context *context, padic_result result,
                                                    const char *field, const char *sentence)
{
    char space[512];
    padici_text text;
    if (!context) return result;
    padici_text_begin(&text, space, sizeof space);
    padici_text_add(&text, field ? field : "a tensor");
    padici_text_add(&text, " ");
    padici_text_add(&text, sentence);
    return padici_fail_here(context, result, space);
}
// The sentence for what padici_tensor_check_view() says of a view.
PADICI_UNUSED static padic_result padici_fail_view(padic_context *context, padic_result result,
                                                   const char *field, const padic_tensor *t)
{
    const char *sentence = result == PADIC_ERROR_DTYPE      ? "has a dtype that is no padic_dtype"
                           : result == PADIC_ERROR_ARGUMENT ? "has strides that no such tensor has"
                           : result == PADIC_ERROR_LIMIT && t && t->rank > PADIC_MAX_RANK
                               ? "has a rank above 8"
                           : result == PADIC_ERROR_LIMIT ? "has a shape of 2^63 bytes or more"
                                                         : padic_result_text(result);
    if (!t) sentence = "is NULL";
    return padici_fail_field(context, result, field, sentence);
}
// A result of a host's function, with a sentence for the context.
PADICI_UNUSED static padic_result padici_env_fail(const padic_env *env, padic_result result,
                                                  const char *sentence)
{
    padici_text text;
    if (!env) return result;
    padici_text_begin(&text, env->message, env->message_size);
    padici_text_add(&text, sentence);
    return result;
}
// The hooks of a context; NULL without one.
PADICI_UNUSED static const padic_allocator *padici_allocator(padic_context *context);
PADICI_UNUSED static const padic_jobs *padici_jobs(padic_context *context);
PADICI_UNUSED static const padic_logger *padici_logger(padic_context *context);
PADICI_UNUSED static const padic_progress *padici_progress(padic_context *context);
// Offers a kernel (see padic_kernel) to the context's backends; NOT_SUPPORTED: do it yourself. Any
// thread may ask.
PADICI_UNUSED static padic_result padici_kernel(padic_context *context, uint32_t kernel,
                                                void *call);
// Where the first element of a dense view lies in host memory, its own or a buffer's. REGION beyond
// the buffer, NOT_SUPPORTED on a device, ARGUMENT for a dead id; *pointer NULL for no memory.
PADICI_UNUSED static padic_result padici_host_pointer(padic_context *context,
                                                      const padic_tensor *tensor, void **pointer);
// Offers a kernel to the device's `drive`: its operands lie in buffers of a device.
PADICI_UNUSED static padic_result padici_drive(padic_context *context, uint32_t kernel, void *call,
                                               int query);

// room: src/core/jobs.c
// --------------------------------------------------------------------------------------- >>jobs

#define PADICI_JOBS_AT_ONCE 64

typedef struct padici_batch {
    void (*fn)(void *arg, uint32_t task);
    void *arg;
} padici_batch;

typedef struct padici_job {
    const padici_batch *batch;
    void *handle;
    uint32_t task;
} padici_job;

static void padici_job_run(void *arg)
{
    const padici_job *job = (const padici_job *)arg;
    (*job->batch->fn)(job->batch->arg, job->task);
}

// Runs fn(arg, 0) to fn(arg, tasks - 1), all done on return. Tasks are handed out in order, at most
// 64 at a time: before a slot is used again its task is waited for, so a slow one delays the others
// only when 63 more have been handed out. Without a usable hook: in order, in this thread.
PADICI_UNUSED static void padici_parallel(const padic_jobs *jobs, uint32_t tasks,
                                          void (*fn)(void *arg, uint32_t task), void *arg)
{
    padici_job slots[PADICI_JOBS_AT_ONCE];
    padici_batch batch;
    uint32_t i;
    if (tasks < 2 || !jobs || !jobs->enqueue || !jobs->finish || jobs->workers < 2) {
        for (i = 0; i < tasks; i++) (*fn)(arg, i);
        return;
    }
    batch.fn = fn;
    batch.arg = arg;
    for (i = 0; i < tasks; i++) {
        padici_job *job = &slots[i % PADICI_JOBS_AT_ONCE];
        if (i >= PADICI_JOBS_AT_ONCE && job->handle) (*jobs->finish)(job->handle, jobs->user);
        job->batch = &batch;
        job->task = i;
        job->handle = (*jobs->enqueue)(padici_job_run, job, jobs->user);
    }
    for (i = tasks > PADICI_JOBS_AT_ONCE ? tasks - PADICI_JOBS_AT_ONCE : 0; i < tasks; i++) {
        padici_job *job = &slots[i % PADICI_JOBS_AT_ONCE];
        if (job->handle) (*jobs->finish)(job->handle, jobs->user);
    }
}

// A lock that is held for a few instructions. Without atomics there is none, and one worker.
#if defined(__GCC_ATOMIC_LONG_LOCK_FREE) && __GCC_ATOMIC_LONG_LOCK_FREE == 2
#define PADICI_SWAP(lock, x) __atomic_exchange_n(lock, x, __ATOMIC_ACQ_REL)
#elif defined(_MSC_VER)
#define PADICI_SWAP(lock, x) _InterlockedExchange(lock, x)
#endif

PADICI_UNUSED static void padici_idle(uint32_t rounds)
{
    volatile uint32_t k;
    for (k = 0; k < rounds;) k = k + 1; // C++20 has no ++ of these
}

enum { PADICI_UNLOCK, PADICI_LOCK };

PADICI_UNUSED static void padici_lock(long *lock, long state)
{
#ifdef PADICI_SWAP
    while (PADICI_SWAP(lock, state) & state) padici_idle(20);
#endif
    (void)lock, (void)state;
}

// Steps of one call, counted by all of its workers.
typedef struct padici_steps {
    const padic_progress *hook;
    uint64_t done, total, said;
    long lock;
    int asking, stop;
} padici_steps;

PADICI_UNUSED static void padici_steps_begin(padici_steps *steps, const padic_progress *own,
                                             const padic_progress *other, uint64_t total)
{
    memset(steps, 0, sizeof *steps);
    steps->hook = own ? own : other;
    if (steps->hook && !steps->hook->step) steps->hook = NULL;
    steps->total = total;
}

// So many more are done. Not 0: stop. One worker asks at a time, and the others go on meanwhile.
PADICI_UNUSED static int padici_steps_more(padici_steps *steps, uint64_t more)
{
    uint64_t done;
    int stop, ask;
    if (!steps->hook) return 0;
    padici_lock(&steps->lock, PADICI_LOCK);
    done = steps->done += more;
    ask = !steps->asking && !steps->stop && done > steps->said;
    if (ask) steps->asking = 1, steps->said = done;
    stop = steps->stop;
    padici_lock(&steps->lock, PADICI_UNLOCK);
    if (!ask) return stop;
    stop = (*steps->hook->step)(done, steps->total, steps->hook->user) != 0;
    padici_lock(&steps->lock, PADICI_LOCK);
    steps->asking = 0;
    steps->stop |= stop;
    stop = steps->stop;
    padici_lock(&steps->lock, PADICI_UNLOCK);
    return stop;
}

// All workers are back: tells what none had told.
PADICI_UNUSED static padic_result padici_steps_end(padici_steps *steps)
{
    return padici_steps_more(steps, 0) ? PADIC_ERROR_CANCELLED : PADIC_OK;
}

// room: src/core/splitmix.c
// ---------------------------------------------------------------------------------------- >>rng

// Philox4x32-10 (Salmon, Moraes, Dror, Shaw 2011): ten rounds of two multiplications, keyed by a
// Weyl sequence. A bijection of the counter, so blocks never repeat under one key.
PADICI_INLINE void padici_philox(uint32_t k0, uint32_t k1, const uint32_t counter[4],
                                 uint32_t out[4])
{
    uint32_t a = counter[0], b = counter[1], c = counter[2], d = counter[3], round;
    for (round = 0; round < 10; round++) {
        uint64_t p = (uint64_t)0xd2511f53u * a, q = (uint64_t)0xcd9e8d57u * c;
        a = (uint32_t)(q >> 32) ^ b ^ k0;
        c = (uint32_t)(p >> 32) ^ d ^ k1;
        b = (uint32_t)q;
        d = (uint32_t)p;
        k0 += 0x9e3779b9u;
        k1 += 0xbb67ae85u;
    }
    out[0] = a;
    out[1] = b;
    out[2] = c;
    out[3] = d;
}

// The checksum of every byte form: the sum over its 64-bit words w_i of mix(w_i ^ key_i), key_i =
// (seed + 1) K + i G, the last word filled up with zeros, plus mix of the size: a parallel sum, any
// order of words gives it.
PADICI_UNUSED static uint64_t padici_mix(uint64_t x)
{
    x *= UINT64_C(0xbf58476d1ce4e5b9);
    x ^= x >> 32;
    x *= UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 29);
}

PADICI_UNUSED static uint64_t padici_checksum(const void *data, size_t size, uint64_t seed)
{
    const uint64_t step = UINT64_C(0x9e3779b97f4a7c15);
    const uint8_t *p = (const uint8_t *)data;
    uint64_t key = (seed + 1) * UINT64_C(0xd1342543de82ef95), sum = 0;
    const size_t words = size / 8;
    size_t i = 0;
    for (; i + 4 <= words; i += 4, key += 4 * step) {
        const uint64_t a = padici_mix(padici_load64(p + 8 * i) ^ key);
        const uint64_t b = padici_mix(padici_load64(p + 8 * i + 8) ^ (key + step));
        const uint64_t c = padici_mix(padici_load64(p + 8 * i + 16) ^ (key + 2 * step));
        const uint64_t d = padici_mix(padici_load64(p + 8 * i + 24) ^ (key + 3 * step));
        sum += (a + b) + (c + d);
    }
    // At most 3 times, which gcc -O3 does not find out by itself: it warns.
    for (i = words - words % 4; i < words; i++, key += step)
        sum += padici_mix(padici_load64(p + 8 * i) ^ key);
    if (size % 8) {
        uint8_t last[8] = {0, 0, 0, 0, 0, 0, 0, 0};
        memcpy(last, p + 8 * words, size % 8);
        sum += padici_mix(padici_load64(last) ^ key);
    }
    return sum + padici_mix(size ^ ~seed);
}

// What 64-bit word number i adds to it.
PADICI_UNUSED static uint64_t padici_checksum_word(uint64_t word, uint64_t i, uint64_t seed)
{
    return padici_mix(word ^ ((seed + 1) * UINT64_C(0xd1342543de82ef95) +
                              i * UINT64_C(0x9e3779b97f4a7c15)));
}

// room: src/codec/format.c
// --------------------------------------------------------------------------------- >>codec impl
// room: src/padic.in.h:109
#ifndef PADIC_NO_CODEC

// room: src/codec/constants.c
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

// room: src/codec/bytes.c
// ---- bytes in, bytes out

// A reader never passes `end`; after a failure every read gives 0 and `bad` stays set. The 8 bytes
// after `end` may be loaded (they are the payload's padding), never used.
typedef struct padici_reader {
    const uint8_t *at, *end;
    int bad;
} padici_reader;

static const uint8_t *padici_take(padici_reader *in, size_t size)
{
    const uint8_t *at = in->at;
    if (in->bad || (size_t)(in->end - at) < size) {
        in->bad = 1;
        return NULL;
    }
    in->at = at + size;
    return at;
}

static uint32_t padici_take8(padici_reader *in)
{
    const uint8_t *p = padici_take(in, 1);
    return p ? *p : 0;
}

static uint32_t padici_take32(padici_reader *in)
{
    const uint8_t *p = padici_take(in, 4);
    return p ? padici_load32(p) : 0;
}

static uint64_t padici_take64(padici_reader *in)
{
    const uint8_t *p = padici_take(in, 8);
    return p ? padici_load64(p) : 0;
}

// A writer that is full drops what comes and says so at the end.
typedef struct padici_writer {
    uint8_t *start, *at, *end;
    int full;
} padici_writer;

static uint8_t *padici_room(padici_writer *out, size_t size)
{
    uint8_t *at = out->at;
    if (out->full || (size_t)(out->end - at) < size) {
        out->full = 1;
        return NULL;
    }
    out->at = at + size;
    return at;
}

static void padici_put8(padici_writer *out, uint32_t value)
{
    uint8_t *p = padici_room(out, 1);
    if (p) *p = (uint8_t)value;
}

static void padici_put32(padici_writer *out, uint32_t value)
{
    uint8_t *p = padici_room(out, 4);
    if (p) padici_store32(p, value);
}

static void padici_put64(padici_writer *out, uint64_t value)
{
    uint8_t *p = padici_room(out, 8);
    if (p) padici_store64(p, value);
}

static void padici_put_bytes(padici_writer *out, const void *data, size_t size)
{
    uint8_t *p = padici_room(out, size);
    if (p && size) memcpy(p, data, size);
}

// Bits, lowest first, into room that was taken before.
typedef struct padici_bits {
    uint8_t *at;
    uint64_t held;
    uint32_t count; // below 8 after each put
} padici_bits;

PADICI_INLINE void padici_put_bits(padici_bits *bits, uint64_t value, uint32_t count)
{
    // count <= 56, and 8 bytes of slack behind the room
    bits->held |= value << bits->count;
    bits->count += count;
    padici_store64(bits->at, bits->held);
    bits->at += bits->count >> 3;
    bits->held >>= bits->count & ~7u;
    bits->count &= 7;
}

PADICI_INLINE void padici_put_bits64(padici_bits *bits, uint64_t value, uint32_t count)
{
    if (count > 32) {
        padici_put_bits(bits, value & 0xffffffffu, 32);
        value >>= 32;
        count -= 32;
    }
    padici_put_bits(bits, value, count);
}

// `count` <= 57 bits at bit `at` of p; 8 bytes must be loadable there.
PADICI_INLINE uint64_t padici_peek(const uint8_t *p, uint64_t at)
{
    return padici_load64(p + (at >> 3)) >> (at & 7);
}

// Whether a bit stream that is to end at byte border `end` may end at `at`: the rest is zeros.
static int padici_ends(const uint8_t *p, uint64_t at, uint64_t end)
{
    return at <= end && end - at < 8 && (padici_peek(p, at) & ((1u << (end - at)) - 1)) == 0;
}

PADICI_INLINE size_t padici_least(size_t a, size_t b)
{
    return a < b ? a : b;
}

static uint32_t padici_bit_length(uint64_t x)
{
    return x ? 64 - padici_clz64(x) : 0;
}

// log2(x) in 1/256 bits, within 3 of them: log2(1 + f) is about f + 0.343 f (1 - f). Integers only,
// so that every machine takes the same decisions.
static uint32_t padici_log2(uint32_t x)
{
    const uint32_t whole = padici_bit_length(x) - 1;
    const uint32_t f = (uint32_t)(((uint64_t)x << 32 >> whole) >> 16 & 0xffff);
    const uint32_t bow = (uint32_t)((uint64_t)f * (65536 - f) >> 16);
    return whole << 8 | (f + (bow * 22479 >> 16)) >> 8;
}

// Size in 1/256 bits of `total` symbols with these counts, coded at their entropy.
static uint64_t padici_entropy(const uint32_t *counts, uint32_t symbols, uint32_t total)
{
    uint64_t sum = 0;
    uint32_t all = total ? padici_log2(total) : 0, i;
    for (i = 0; i < symbols; i++)
        if (counts[i]) sum += (uint64_t)counts[i] * (all - padici_log2(counts[i]));
    return sum;
}

// room: src/codec/loops.c
// ---- loops that a backend in host memory may replace (PADIC_KERNEL_CODEC): the same bytes, sooner

struct padici_bound;
struct padici_context_plan;
struct padici_digits;
struct padici_form;
struct padici_op;
struct padici_predictor;
struct padici_taps;
struct padici_float_taps;

typedef void (*padici_copier)(void *to, const void *from, size_t size, uint64_t all);

typedef struct padici_codec_loops {
    uint64_t (*checksum)(const void *data, size_t size, uint64_t seed);
    // z[i] = bits [i width, (i + 1) width) of `p`; 8 bytes behind `end` may be loaded
    void (*fixed)(const uint8_t *p, const uint8_t *end, uint32_t width, uint64_t *z, size_t n);
    // and back, with `room` bytes to write in, at least 8 more than the bits take
    void (*put_fixed)(const uint64_t *z, size_t n, uint32_t width, uint8_t *p, size_t room);
    // words [from, to) of classes; how far it came
    size_t (*classes)(struct padici_digits *digits, uint64_t *z, size_t from, size_t to);
    void (*planes)(const struct padici_digits *digits, uint64_t *z, size_t from, size_t to);
    // symbols by whole rounds of 32; where in `p` the next word stands, how many in *done
    const uint8_t *(*rans)(uint32_t state[32], const uint32_t *table, const uint8_t *p,
                           const uint8_t *end, uint8_t *data, size_t n, size_t *done);
    // whole steps of rANS with contexts; how many. `rows` is scratch of so many bytes
    size_t (*context)(const struct padici_context_plan *plan, const uint32_t *table,
                      const uint8_t *map, uint32_t state[32], uint8_t *data, size_t n,
                      const uint8_t **p, const uint8_t *end, uint8_t *rows, size_t room);
    // the table of one class: as many entries of a symbol as its frequency, 4096 in all
    void (*slots)(const uint16_t freq[256], uint32_t *table);
    void (*sum)(uint64_t *x, size_t from, size_t to, const struct padici_op *op, uint64_t carry[8],
                int zigzag, int exclusive);
    void (*elements)(const struct padici_form *form, padic_dtype dtype, const uint64_t *words,
                     uint8_t *raw, size_t n);
    // and back: see padici_elements_to_words
    size_t (*words)(const struct padici_form *form, const struct padici_bound *bound,
                    padic_dtype dtype, uint32_t size, const uint8_t *raw, size_t n,
                    uint64_t *words, uint32_t *off, size_t most);
    // to[i] = x[i] - x[i - stride] inside segments, or xor, then folded; `to` may be `x`
    void (*difference)(const uint64_t *x, uint64_t *to, size_t n, const struct padici_op *op,
                       int zigzag, int exclusive);
    // the least word, as a signed one; in *differ all bits in which any two differ
    uint64_t (*least)(const uint64_t *x, size_t n, uint64_t *differ);
    void (*lower)(uint64_t *x, size_t n, uint64_t first, uint32_t shift); // (x[i] - first) >> shift
    size_t (*runs)(const uint64_t *z, size_t n); // of equal words
    // the width of a group and its exceptions behind `count`: see padici_fixed_group
    size_t (*group)(const uint64_t *z, size_t from, size_t to, uint8_t *width, uint64_t *gaps,
                    uint64_t *high, size_t count, size_t *before);
    // places of the elements whose upper bits hash to 0, one of 2^share; room for n
    size_t (*pick)(const uint8_t *raw, size_t n, uint32_t size, uint32_t split, uint32_t share,
                   uint32_t *picks);
    uint64_t (*packed)(const uint64_t *z, size_t n); // bits of words as PACKED, in runs of 32
    // tokens of classes; how many plain bits there are, and the most of one word in *widest
    uint64_t (*tokens)(const uint64_t *z, size_t n, uint32_t m, uint8_t *tokens, uint32_t *widest);
    // and the plain bits, with 8 bytes of slack
    void (*put_plain)(const uint64_t *z, const uint8_t *tokens, size_t n, uint32_t m,
                      uint32_t widest, uint8_t *p);
    void (*plane)(const uint64_t *z, size_t n, uint32_t shift, uint8_t *to); // bytes z[i] >> shift
    // the lowest bits of words that were apart: see padici_join_split
    void (*join)(const struct padici_form *form, uint32_t split, uint64_t *words,
                 const uint8_t *low, size_t plane, size_t n);
    // bytes of `width` 1 to 8 bits above `base`; 8 bytes behind them may be loaded
    void (*packed_bytes)(const uint8_t *p, uint32_t base, uint32_t width, uint8_t *data, size_t n);
    // words [from, to) with weighted neighbours, all of them there: see padici_linear_run
    void (*linear)(const struct padici_taps *taps, uint32_t shift, uint64_t *x, uint64_t *z,
                   size_t from, size_t to, int what);
    // the same of floats, several rows at once: see padici_float_steps
    void (*float_steps)(const struct padici_float_taps *taps, padic_dtype dtype, uint64_t *x,
                        double *values, size_t segment, size_t lag, size_t from, size_t to,
                        size_t rows, int zigzag);
    // residuals of interpolation to words
    void (*between)(const struct padici_predictor *predictor, uint64_t *x, size_t n, int zigzag);
    // the upper triangle of m + 1 rows of `row` doubles plus counts y y'
    void (*outer)(double *sums, size_t row, const double *y, uint32_t m, double counts);
    // PACKED digits to elements, if all words on the way fit into 32 bits: 1; else 0, with `space`
    // (8 bytes a word) and `raw` written over. May be NULL
    int (*narrow)(const struct padici_digits *digits, const struct padici_predictor *predictor,
                  int zigzag, const struct padici_form *form, padic_dtype dtype, void *space,
                  uint8_t *raw, size_t n);
    // memcpy to an array of `all` bytes, most of it in no cache. May be NULL
    padici_copier copy;
} padici_codec_loops;
static const padici_codec_loops *padici_plain(void);

// room: src/codec/huffman.c
// ---- coder: Huffman, canonical, lengths at most 11, 8 interleaved bit streams

#define PADICI_HUFFMAN_BITS 11u
#define PADICI_HUFFMAN_LANES 8u // symbol i is in stream i mod 8; one stream below 1,024 symbols

// Depths of a minimum-redundancy code for weights in rising order, in their own place, lightest
// (deepest) first: Moffat and Katajainen, WADS 1995. n >= 2.
static void padici_huffman_depths(uint32_t *a, uint32_t n)
{
    uint32_t root = 0, leaf = 2, next, depth = 0, inner, free_places = 1, place = n;
    a[0] += a[1];
    for (next = 1; next < n - 1; next++) { // a[root..next) are inner nodes, a[leaf..n) leaves
        if (leaf >= n || a[root] < a[leaf]) {
            a[next] = a[root];
            a[root++] = next; // becomes the number of its parent
        } else {
            a[next] = a[leaf++];
        }
        if (leaf >= n || (root < next && a[root] < a[leaf])) {
            a[next] += a[root];
            a[root++] = next;
        } else {
            a[next] += a[leaf++];
        }
    }
    a[n - 2] = 0;
    for (next = n - 2; next-- > 0;) a[next] = a[a[next]] + 1; // depths of the inner nodes
    for (root = n - 1; free_places; depth++) {
        for (inner = 0; root > 0 && a[root - 1] == depth; root--) inner++;
        for (; free_places > inner; free_places--) a[--place] = depth;
        free_places = 2 * inner;
    }
}

// Optimal lengths, then shortened to the limit: codes that are too long are cut, the lightest of
// the others made longer until the Kraft sum fits, and what room is left given back.
static void padici_huffman_lengths(const uint32_t counts[256], uint8_t lengths[256])
{
    const uint32_t limit = 1u << PADICI_HUFFMAN_BITS;
    uint32_t depth[256], used = 0, kraft = 0, i, j;
    uint8_t order[256];
    memset(lengths, 0, 256);
    for (i = 0; i < 256; i++)
        if (counts[i]) order[used++] = (uint8_t)i;
    if (used < 2) {
        if (used) lengths[order[0]] = 1;
        return;
    }
    for (j = 121; j; j /= 3) { // shell sort by weight, then symbol
        for (i = j; i < used; i++) {
            const uint8_t s = order[i];
            uint32_t k = i;
            for (; k >= j && (counts[order[k - j]] > counts[s] ||
                              (counts[order[k - j]] == counts[s] && order[k - j] > s));
                 k -= j)
                order[k] = order[k - j];
            order[k] = s;
        }
    }
    for (i = 0; i < used; i++) depth[i] = counts[order[i]];
    padici_huffman_depths(depth, used);
    for (i = 0; i < used; i++) {
        if (depth[i] > PADICI_HUFFMAN_BITS) depth[i] = PADICI_HUFFMAN_BITS;
        kraft += limit >> depth[i];
    }
    for (i = 0; kraft > limit; i = (i + 1) % used) {
        if (depth[i] == PADICI_HUFFMAN_BITS) continue;
        depth[i]++;
        kraft -= limit >> depth[i];
    }
    for (i = used; i-- > 0;) {
        while (depth[i] > 1 && kraft + (limit >> depth[i]) <= limit) {
            kraft += limit >> depth[i];
            depth[i]--;
        }
    }
    for (i = 0; i < used; i++) lengths[order[i]] = (uint8_t)depth[i];
}

// Canonical codes, shorter first, then by symbol; bits reversed because streams are lowest first.
// Returns 0 when the lengths are no prefix code.
static int padici_huffman_codes(const uint8_t lengths[256], uint16_t codes[256])
{
    uint32_t next = 0, length, s;
    for (length = 1; length <= PADICI_HUFFMAN_BITS; length++) {
        for (s = 0; s < 256; s++) {
            uint32_t code = next, reversed = 0, i;
            if (lengths[s] != length) continue;
            if (next >> length) return 0;
            for (i = 0; i < length; i++, code >>= 1) reversed = reversed << 1 | (code & 1);
            codes[s] = (uint16_t)reversed;
            next++;
        }
        next <<= 1;
    }
    return 1;
}

// Lengths as nibbles: a length, or 0 and a nibble of (zeros - 1).
static void padici_huffman_put_table(padici_writer *out, const uint8_t lengths[256])
{
    uint8_t nibbles[512];
    uint32_t last = 255, n = 0, s, i;
    while (last > 0 && lengths[last] == 0) last--;
    for (s = 0; s <= last; s++) {
        nibbles[n++] = lengths[s];
        if (lengths[s] == 0) {
            uint32_t run = 1;
            while (run < 16 && lengths[s + run] == 0) run++; // lengths[last] is not 0
            nibbles[n++] = (uint8_t)(run - 1);
            s += run - 1;
        }
    }
    padici_put8(out, last);
    nibbles[n] = 0;
    for (i = 0; i < n; i += 2) padici_put8(out, nibbles[i] | (uint32_t)nibbles[i + 1] << 4);
}

static void padici_huffman_take_table(padici_reader *in, uint8_t lengths[256])
{
    const uint32_t last = padici_take8(in);
    uint32_t s = 0, byte = 0, n = 0;
    memset(lengths, 0, 256);
    while (s <= last && !in->bad) {
        uint32_t nibble = n++ & 1 ? byte >> 4 : (byte = padici_take8(in)) & 15;
        if (nibble == 0) {
            s += (n++ & 1 ? byte >> 4 : (byte = padici_take8(in)) & 15) + 1;
            continue;
        }
        if (nibble > PADICI_HUFFMAN_BITS) in->bad = 1;
        lengths[s++] = (uint8_t)nibble;
    }
    if (s != last + 1) in->bad = 1;
}

static uint32_t padici_huffman_lanes(size_t n)
{
    return n < 1024 ? 1 : PADICI_HUFFMAN_LANES;
}

// Table, u32 size of each stream, streams.
static void padici_huffman_put(padici_writer *out, const uint8_t *data, size_t n,
                               const uint8_t lengths[256])
{
    const uint32_t lanes = padici_huffman_lanes(n);
    uint16_t codes[256];
    uint8_t *sizes;
    uint32_t lane;
    padici_huffman_put_table(out, lengths);
    sizes = padici_room(out, 4 * lanes);
    (void)padici_huffman_codes(lengths, codes);
    for (lane = 0; lane < lanes && !out->full; lane++) {
        padici_bits bits;
        size_t i;
        bits.at = out->at;
        bits.held = 0;
        bits.count = 0;
        // room for the longest codes and the slack of put_bits
        if ((size_t)(out->end - out->at) < (n / lanes + 1) * PADICI_HUFFMAN_BITS / 8 + 16) {
            out->full = 1;
            return;
        }
        for (i = lane; i + 3 * lanes < n; i += 4 * lanes) {
            const uint32_t a = data[i], b = data[i + lanes];
            const uint32_t c = data[i + 2 * lanes], d = data[i + 3 * lanes];
            uint64_t v = codes[d];
            v = v << lengths[c] | codes[c];
            v = v << lengths[b] | codes[b];
            v = v << lengths[a] | codes[a];
            padici_put_bits(&bits, v, (uint32_t)lengths[a] + lengths[b] + lengths[c] + lengths[d]);
        }
        for (; i < n; i += lanes) padici_put_bits(&bits, codes[data[i]], lengths[data[i]]);
        if (bits.count) bits.at++;
        padici_store32(sizes + 4 * lane, (uint32_t)(bits.at - out->at));
        out->at = bits.at;
    }
}

// Eight streams side by side hide the latency of the table look-ups. A one is put above the 57 bits
// that were loaded: how far it has come down tells the bits that 5 codes took. Returns how many
// symbols of each stream were decoded.
static size_t padici_huffman_fast(const uint16_t *table, const uint8_t *base,
                                  uint64_t at[PADICI_HUFFMAN_LANES], uint64_t limit, uint8_t *out,
                                  size_t rounds)
{
    const uint64_t mask = (1u << PADICI_HUFFMAN_BITS) - 1, top = UINT64_C(1) << 63;
    size_t done = 0;
    for (; done + 5 <= rounds; done += 5) {
        uint64_t b0, b1, b2, b3, b4, b5, b6, b7;
        uint32_t k, e;
        for (k = 0; k < PADICI_HUFFMAN_LANES; k++)
            if (at[k] > limit) return done;
        b0 = padici_peek(base, at[0]) | top;
        b1 = padici_peek(base, at[1]) | top;
        b2 = padici_peek(base, at[2]) | top;
        b3 = padici_peek(base, at[3]) | top;
        b4 = padici_peek(base, at[4]) | top;
        b5 = padici_peek(base, at[5]) | top;
        b6 = padici_peek(base, at[6]) | top;
        b7 = padici_peek(base, at[7]) | top;
#define PADICI_SYMBOL(LANE, B) e = table[B & mask], B >>= e >> 8, out[LANE] = (uint8_t)e
        for (k = 0; k < 5; k++, out += PADICI_HUFFMAN_LANES) {
            PADICI_SYMBOL(0, b0);
            PADICI_SYMBOL(1, b1);
            PADICI_SYMBOL(2, b2);
            PADICI_SYMBOL(3, b3);
            PADICI_SYMBOL(4, b4);
            PADICI_SYMBOL(5, b5);
            PADICI_SYMBOL(6, b6);
            PADICI_SYMBOL(7, b7);
        }
#undef PADICI_SYMBOL
        at[0] += padici_clz64(b0);
        at[1] += padici_clz64(b1);
        at[2] += padici_clz64(b2);
        at[3] += padici_clz64(b3);
        at[4] += padici_clz64(b4);
        at[5] += padici_clz64(b5);
        at[6] += padici_clz64(b6);
        at[7] += padici_clz64(b7);
    }
    return done;
}

static void padici_huffman_take(padici_reader *in, uint8_t *data, size_t n, void *table_space)
{
    const uint32_t lanes = padici_huffman_lanes(n), entries = 1u << PADICI_HUFFMAN_BITS;
    uint16_t *table = (uint16_t *)table_space; // entries of length << 8 | symbol
    uint64_t at[PADICI_HUFFMAN_LANES], end[PADICI_HUFFMAN_LANES], limit;
    uint8_t lengths[256];
    uint16_t codes[256];
    const uint8_t *sizes, *base;
    uint32_t s, lane;
    size_t total = 0, done = 0;
    padici_huffman_take_table(in, lengths);
    if (in->bad || !padici_huffman_codes(lengths, codes)) {
        in->bad = 1;
        return;
    }
    sizes = padici_take(in, 4 * lanes);
    if (!sizes) return;
    for (lane = 0; lane < lanes; lane++) {
        at[lane] = 8 * (uint64_t)total;
        total += padici_load32(sizes + 4 * lane);
        end[lane] = 8 * (uint64_t)total;
    }
    base = padici_take(in, total);
    if (!base || !data) return;
    limit = 8 * (uint64_t)total; // 8 bytes may be loaded from any byte up to this bit
    memset(table, 0, entries * sizeof *table); // length 0: no such code
    for (s = 0; s < 256; s++) {
        uint32_t i;
        if (!lengths[s]) continue;
        for (i = codes[s]; i < entries; i += 1u << lengths[s])
            table[i] = (uint16_t)((uint32_t)lengths[s] << 8 | s);
    }
    if (lanes == PADICI_HUFFMAN_LANES)
        done = padici_huffman_fast(table, base, at, limit, data, n / PADICI_HUFFMAN_LANES);
    for (lane = 0; lane < lanes; lane++) {
        size_t i = lane + done * lanes;
        uint64_t p = at[lane];
        for (; i < n && p <= limit; i += lanes) {
            const uint32_t e = table[padici_peek(base, p) & (entries - 1)];
            data[i] = (uint8_t)e;
            p += e >> 8;
        }
        if (i < n || !padici_ends(base, p, end[lane])) in->bad = 1;
    }
}

// room: src/codec/rans.c
// ---- coder: rANS, 32 interleaved 32-bit states, 16-bit words, frequencies that sum to 2^12

#define PADICI_RANS_BITS 12u
#define PADICI_RANS_TOTAL (1u << PADICI_RANS_BITS)
#define PADICI_RANS_LANES 32u // symbol i is coded by state i mod 32
#define PADICI_RANS_LOW (1u << 16)

// Frequencies in proportion to counts, none that occurs below 1, sum 2^12. At least two symbols.
static void padici_rans_frequencies(const uint32_t counts[256], uint32_t total,
                                    uint16_t freq[256])
{
    uint32_t sum = 0, s;
    for (s = 0; s < 256; s++) {
        uint64_t f = ((uint64_t)counts[s] * PADICI_RANS_TOTAL + total / 2) / total;
        if (counts[s] && f == 0) f = 1;
        if (f >= PADICI_RANS_TOTAL) f = PADICI_RANS_TOTAL - 1;
        freq[s] = (uint16_t)f;
        sum += (uint32_t)f;
    }
    // Take or give single steps where each costs least: the change in bits is about counts / freq.
    while (sum != PADICI_RANS_TOTAL) {
        uint32_t best = 256;
        for (s = 0; s < 256; s++) {
            if (!counts[s] || (sum > PADICI_RANS_TOTAL && freq[s] < 2)) continue;
            if (best == 256) {
                best = s;
            } else {
                const uint64_t here = (uint64_t)counts[s] * freq[best];
                const uint64_t there = (uint64_t)counts[best] * freq[s];
                if (sum > PADICI_RANS_TOTAL ? here < there : here > there) best = s;
            }
        }
        if (sum > PADICI_RANS_TOTAL) {
            freq[best]--;
            sum--;
        } else {
            freq[best]++;
            sum++;
        }
    }
}

// Frequencies as bytes: below 128 one byte, else two (high bit set first); 0 is followed by a byte
// of (zeros - 1).
static void padici_rans_put_table(padici_writer *out, const uint16_t freq[256])
{
    uint32_t last = 255, s;
    while (last > 0 && freq[last] == 0) last--;
    padici_put8(out, last);
    for (s = 0; s <= last; s++) {
        if (freq[s] == 0) {
            uint32_t run = 1;
            while (freq[s + run] == 0) run++;
            padici_put8(out, 0);
            padici_put8(out, run - 1);
            s += run - 1;
        } else if (freq[s] < 128) {
            padici_put8(out, freq[s]);
        } else {
            padici_put8(out, 128 | (freq[s] & 127u));
            padici_put8(out, (uint32_t)freq[s] >> 7);
        }
    }
}

static void padici_rans_take_table(padici_reader *in, uint16_t freq[256])
{
    const uint32_t last = padici_take8(in);
    uint32_t s = 0, sum = 0;
    memset(freq, 0, 256 * sizeof *freq);
    while (s <= last && !in->bad) {
        uint32_t f = padici_take8(in);
        if (f == 0) {
            s += padici_take8(in) + 1;
            continue;
        }
        if (f & 128) f = (f & 127) | padici_take8(in) << 7;
        if (f > PADICI_RANS_TOTAL) in->bad = 1;
        sum += f;
        freq[s++] = (uint16_t)f;
    }
    if (s != last + 1 || sum != PADICI_RANS_TOTAL) in->bad = 1;
}

// Table, u32 number of words, 32 states, words. Coded backwards, so that decoding runs forwards.
// `space` holds at least 3 n / 4 + 64 words: a symbol costs at most 12 bits.
static void padici_rans_put(padici_writer *out, const uint8_t *data, size_t n,
                            const uint16_t freq[256], uint16_t *space, size_t space_words)
{
    uint32_t state[PADICI_RANS_LANES], start[256], s, sum = 0;
    uint16_t *top = space + space_words, *word = top;
    uint8_t *to;
    size_t i, words;
    padici_rans_put_table(out, freq);
    for (s = 0; s < 256; s++) {
        start[s] = sum;
        sum += freq[s];
    }
    for (i = 0; i < PADICI_RANS_LANES; i++) state[i] = PADICI_RANS_LOW;
    for (i = n; i-- > 0;) {
        const uint32_t f = freq[data[i]], lane = (uint32_t)(i % PADICI_RANS_LANES);
        uint32_t x = state[lane];
        if (x >> 20 >= f) {
            *--word = (uint16_t)x;
            x >>= 16;
        }
        state[lane] = (x / f << PADICI_RANS_BITS) + x % f + start[data[i]];
    }
    words = (size_t)(top - word);
    padici_put32(out, (uint32_t)words);
    for (i = 0; i < PADICI_RANS_LANES; i++) padici_put32(out, state[i]);
    to = padici_room(out, 2 * words);
    for (i = 0; to && i < words; i++) padici_store16(to + 2 * i, word[i]);
}

// Rounds of a symbol a state, as far as words cannot run out.
static const uint8_t *padici_rans_rounds(uint32_t state[PADICI_RANS_LANES], const uint32_t *table,
                                         const uint8_t *p, const uint8_t *end, uint8_t *data,
                                         size_t n, size_t *done)
{
    size_t at = 0;
    for (; at + PADICI_RANS_LANES <= n; at += PADICI_RANS_LANES) {
        uint32_t lane;
        // 32 lanes take at most 64 bytes; the 8 bytes of padding allow for the last loads
        if (end - p < 64) break;
        for (lane = 0; lane < PADICI_RANS_LANES; lane++) {
            const uint32_t x = state[lane], e = table[x & (PADICI_RANS_TOTAL - 1)];
            const uint32_t y = ((e >> 8 & 4095) + 1) * (x >> PADICI_RANS_BITS) + (e >> 20);
            const uint32_t low = y < PADICI_RANS_LOW; // without a branch: it would be a coin toss
            data[at + lane] = (uint8_t)e;
            state[lane] = low ? y << 16 | padici_load16(p) : y;
            p += 2 * low;
        }
    }
    *done = at;
    return p;
}

// Entries of a table: symbol | frequency - 1 << 8 | offset << 20.
static void padici_slots(const uint16_t freq[256], uint32_t *table)
{
    uint32_t s, i;
    for (s = 0; s < 256; s++)
        for (i = 0; i < freq[s]; i++) *table++ = s | (freq[s] - 1u) << 8 | i << 20;
}

static void padici_rans_take(padici_reader *in, uint8_t *data, size_t n, void *table_space,
                             const padici_codec_loops *loops)
{
    uint32_t *table = (uint32_t *)table_space, state[PADICI_RANS_LANES], words, i;
    uint16_t freq[256];
    const uint8_t *p, *end;
    size_t done;
    padici_rans_take_table(in, freq);
    words = padici_take32(in);
    for (i = 0; i < PADICI_RANS_LANES; i++) {
        state[i] = padici_take32(in);
        if (state[i] < PADICI_RANS_LOW) in->bad = 1;
    }
    p = padici_take(in, 2 * (size_t)words);
    if (in->bad || !data) return;
    end = p + 2 * (size_t)words;
    (*loops->slots)(freq, table);
    p = (*loops->rans)(state, table, p, end, data, n, &done);
    for (; done < n; done++) {
        const uint32_t lane = (uint32_t)(done % PADICI_RANS_LANES), x = state[lane];
        const uint32_t e = table[x & (PADICI_RANS_TOTAL - 1)];
        uint32_t y = ((e >> 8 & 4095) + 1) * (x >> PADICI_RANS_BITS) + (e >> 20);
        if (y < PADICI_RANS_LOW) {
            if (p == end) {
                in->bad = 1;
                return;
            }
            y = y << 16 | padici_load16(p);
            p += 2;
        }
        data[done] = (uint8_t)e;
        state[lane] = y;
    }
    for (i = 0; i < PADICI_RANS_LANES; i++)
        if (state[i] != PADICI_RANS_LOW) in->bad = 1;
    if (p != end) in->bad = 1;
}

// room: src/codec/streams.c
// ---- streams of bytes

// Working memory of one block, laid out by padici_work_layout(), and what its stages share.
typedef struct padici_work {
    size_t capacity;                // elements of the largest block
    const padici_codec_loops *loops;
    uint64_t *words, *other; // block elements
    uint64_t *list;          // three lists as long: patterns, exceptions, planes of bytes
    uint64_t *gaps;          // two lists of an eighth: sparse streams, exceptions of widths
    uint64_t *pieces;        // three lists of a third: repeats of bytes; their literals
    uint8_t *rest;           // and tokens
    uint8_t *rows; // steps of rANS with contexts
    uint8_t *symbols, *spare;       // one stream of bytes; its sparse part
    uint8_t *raw;                   // the elements, little-endian
    uint8_t *record;                // as many, while they are taken apart into columns
    uint8_t *reference;             // what both sides know, as many
    uint64_t digest;                // of it
    int referenced, mismatch;       // there is one; it is not what this block wants,
    int refused;                    // nor the worker's first damaged one
    int bounded, line;              // words within a bound; words of no box
    int quick;                      // lattices are looked for in fewer elements: below level 7
    void *table;                    // decoding tables: PADICI_TABLES
    uint8_t *window;       // elements of the super-block's blocks as far as they are wanted
    size_t starts[65];     // where each of them begins there
    uint64_t super, held;  // which super-block; its blocks that are there, as bits
    const uint8_t *history; // elements before the block,
    size_t past;            // so many
    // packer only
    uint64_t *trial, *hold; // candidates' words
    uint8_t *payload;       // the coded block, and a rival behind it
    uint16_t *rans;         // words of one rANS stream
    uint8_t *classes;       // of the symbols of one stream with contexts
    uint64_t *keys;         // of the window and the block, shifted by
    uint32_t keyed;         // this less 1, unless 0
    uint32_t *price;        // of the words before each, as literals, in 1/16 bits
    uint32_t *picks;        // where repeats are looked for first; of the window
    const uint32_t *past_picks;
    size_t picks_count, past_count;
    int probed;
    uint32_t share[3];      // of what they found, of 256, for each split
    uint32_t each;          // price of a word then
    int may_know;           // the header says that streams may have contexts,
    int may_plain;          // floats' bits as they are,
    int may_repeat;         // repeats of bytes; 2: whatever time they take,
    int may_match;          // repeats of elements,
    int may_weigh;          // weighted neighbours,
    padic_dtype floats;     // also of floats: the words' dtype where they are ordered bits
    uint32_t slot;          // the block in its super-block: w->starts[0..slot]
    size_t behind;          // elements of the window that may be used
    uint32_t *head;         // heads and chains of repeats of elements
    size_t row, plane;      // elements to the neighbours in the block; 0: there is none
    uint32_t *hash;         // heads and chains of the repeat finder
    uint32_t *off;          // where the form does not hold,
    uint64_t *fix;          // and by how much, in ordered bits, folded
    uint8_t *kept, *stack;  // a payload that columns must beat; theirs
    padici_writer out;
    struct padici_hint *hint; // levels 1 and 2: what the first block of a group chose
    size_t best; // size of the best payload so far,
    size_t plain; // of those without a pattern or repeats of bytes; 0: there is none
    uint64_t spared; // by repeats of bytes in the payload that is being written
    uint64_t reencoded; // blocks that the proof did not let pass
    int broken;         // one did not come back even as it is
    double squares;     // PADIC_BOUND_RMS: of the errors of its blocks
    padic_codec_stages stages;
    uint32_t prime, profile; // padic_codec_profile
    int level;
    uint64_t first; // is taken off words that are not predicted
} padici_work;

// How the bytes of a payload are spread; filled while it is read.
typedef struct padici_census {
    uint64_t bytes[PADIC_CODEC_STREAM_KINDS], coders[8], exceptions;
} padici_census;

PADICI_INLINE int padici_allowed(uint32_t mask, uint32_t choice)
{
    return mask == 0 || (mask >> choice & 1);
}

static uint32_t padici_choose_mantissa(const uint64_t *z, size_t n, size_t step, uint64_t *cost);
static void padici_put_stream(padici_work *w, const uint8_t *data, size_t n, int nested);
static void padici_take_stream(padici_work *w, padici_reader *in, uint8_t *data, size_t n,
                               int nested, padici_census *census);

// Magnitude classes. A token keeps the m bits below the leading one: z < 2^(m+1) is its own token,
// else, with c its bit length, the token is (c - m) 2^m + the next m bits, and the e = c - 1 - m
// bits below stay plain.
PADICI_INLINE uint32_t padici_token(uint64_t z, uint32_t m, uint32_t *extra)
{
    uint32_t e;
    if (z < (uint64_t)2 << m) {
        *extra = 0;
        return (uint32_t)z;
    }
    e = 63 - m - padici_clz64(z);
    *extra = e;
    return ((e + 1) << m) + (uint32_t)((z >> e) & ((1u << m) - 1));
}

static uint64_t padici_make_tokens(const uint64_t *z, size_t n, uint32_t m, uint8_t *tokens,
                                   uint32_t *widest)
{
    uint64_t total = 0;
    uint32_t extra, most = 0;
    size_t i;
    for (i = 0; i < n; i++) {
        tokens[i] = (uint8_t)padici_token(z[i], m, &extra);
        total += extra;
        most = extra > most ? extra : most;
    }
    *widest = most;
    return total;
}

// Returns where the bits ended.
static padici_bits padici_put_plain_bits(padici_bits bits, const uint64_t *z, const uint8_t *tokens,
                                         size_t n, uint32_t m)
{
    size_t i;
    for (i = 0; i < n; i++) {
        const uint32_t extra = tokens[i] < 2u << m ? 0 : ((uint32_t)tokens[i] >> m) - 1;
        if (extra <= 56) padici_put_bits(&bits, z[i] & ((UINT64_C(1) << extra) - 1), extra);
        else padici_put_bits64(&bits, z[i] & (~UINT64_C(0) >> (64 - extra)), extra);
    }
    return bits;
}

static void padici_put_plain_loop(const uint64_t *z, const uint8_t *tokens, size_t n, uint32_t m,
                                  uint32_t widest, uint8_t *p)
{
    padici_bits bits;
    (void)widest;
    bits.at = p;
    bits.held = 0;
    bits.count = 0;
    (void)padici_put_plain_bits(bits, z, tokens, n, m);
}

// u8 m, u8 most plain bits of a word, the tokens as a stream, u32 size of the plain bits, the plain
// bits in order. Tokens are bytes: those of m = 3 hold words below 2^34 (30 plain bits), and where
// there is a larger one, which a sample may not have shown, m is 2.
static void padici_put_classes(padici_work *w, const uint64_t *z, size_t n, uint32_t m,
                               uint8_t *tokens, int nested)
{
    uint32_t widest;
    uint64_t total = (*w->loops->tokens)(z, n, m, tokens, &widest);
    uint8_t *size, *plain;
    if (m == 3 && widest > 30) total = (*w->loops->tokens)(z, n, m = 2, tokens, &widest);
    padici_put8(&w->out, m);
    padici_put8(&w->out, widest);
    padici_put_stream(w, tokens, n, nested);
    size = padici_room(&w->out, 4);
    plain = padici_room(&w->out, (size_t)(total / 8 + 9)); // 8 bytes of slack for put_bits
    if (!plain) return;
    padici_store32(size, (uint32_t)((total + 7) / 8));
    w->out.at = plain + (total + 7) / 8;
    if (total) (*w->loops->put_plain)(z, tokens, n, m, widest, plain);
}

// Digits while they are read: their streams are decoded when it begins, words are put together
// as they are wanted, so that what follows finds them in the first cache.
typedef struct padici_digits {
    uint32_t planes;         // of bytes
    const uint8_t *plane[8]; // low to high
    const uint8_t *tokens;   // classes
    uint64_t *base, *mask; // of each token, when `mask` is set
    uint8_t *extra;
    const uint8_t *plain;
    uint64_t at, end; // bits of `plain`; of groups bytes
    uint32_t widest, m;
    const uint8_t *widths;        // of groups, whose bits are in `plain`,
    const uint64_t *gaps, *high;  // and the exceptions that are left,
    size_t exceptions, place;     // the next one behind so many words
} padici_digits;

// `tokens` NULL: skip. Wrong tokens give wrong words, nothing worse.
static void padici_begin_classes(padici_work *w, padici_reader *in, size_t n, uint8_t *tokens,
                                 int nested, padici_census *census, padici_digits *digits)
{
    const uint32_t m = padici_take8(in), widest = padici_take8(in);
    uint32_t size;
    memset(digits, 0, sizeof *digits);
    if (m > 3 || widest > 63) in->bad = 1;
    padici_take_stream(w, in, tokens, n, nested, census);
    size = padici_take32(in);
    digits->plain = padici_take(in, size);
    digits->end = 8 * (uint64_t)size;
    digits->tokens = tokens;
    digits->widest = widest;
    digits->m = m;
    if (census) census->bytes[PADICI_KIND_BITS] += size;
    if (tokens) digits->base = (uint64_t *)w->table;
}

static void padici_classes_table(padici_digits *digits)
{
    const uint32_t m = digits->m;
    uint64_t *base = digits->base, *mask = digits->mask = base + 256;
    uint8_t *extra = digits->extra = (uint8_t *)(mask + 256);
    uint32_t t;
    for (t = 0; t < 256; t++) {
        const uint32_t e = t < 2u << m ? 0 : (t >> m) - 1;
        extra[t] = (uint8_t)(e < 64 ? e : 63);
        base[t] = t < 2u << m ? t : (uint64_t)((t & ((1u << m) - 1)) | 1u << m) << extra[t];
        mask[t] = e ? ~UINT64_C(0) >> (64 - extra[t]) : 0;
    }
}

static size_t padici_classes_loop(padici_digits *digits, uint64_t *z, size_t from, size_t to)
{
    const uint8_t *tokens = digits->tokens, *extra, *p = digits->plain;
    const uint64_t *base = digits->base, *mask, end = digits->end;
    uint64_t at = digits->at;
    size_t i = from;
    if (from < to && !digits->mask) padici_classes_table(digits);
    extra = digits->extra;
    mask = digits->mask;
    if (digits->widest <= 57) {
        for (; i < to && at <= end; i++) {
            const uint32_t t = tokens[i];
            z[i] = base[t] + (padici_peek(p, at) & mask[t]);
            at += extra[t];
        }
    } else {
        for (; i < to && at <= end; i++) {
            const uint32_t t = tokens[i];
            uint64_t plain = padici_peek(p, at) & 0xffffffffu & mask[t];
            if (extra[t] > 32 && at + 32 <= end)
                plain |= (padici_peek(p, at + 32) << 32) & mask[t];
            z[i] = base[t] + plain;
            at += extra[t];
        }
    }
    digits->at = at;
    return i;
}

// All words of a list at once; z NULL: skip, with tokens NULL as well.
static void padici_take_classes(padici_work *w, padici_reader *in, uint64_t *z, size_t n,
                                uint8_t *tokens, int nested, padici_census *census)
{
    padici_digits digits;
    padici_begin_classes(w, in, n, tokens, nested, census, &digits);
    if (in->bad || !z) return;
    if ((*w->loops->classes)(&digits, z, 0, n) < n ||
        !padici_ends(digits.plain, digits.at, digits.end))
        in->bad = 1;
}

// Symbols of equal width, lowest bits first: n * width bits.
static void padici_put_packed(padici_writer *out, const uint8_t *data, size_t n, uint32_t base,
                              uint32_t width)
{
    const size_t size = (n * width + 7) / 8;
    padici_bits bits;
    size_t i;
    padici_put8(out, base);
    padici_put8(out, width);
    bits.at = padici_room(out, size + 8);
    if (!bits.at) return;
    out->at -= 8;
    bits.held = 0;
    bits.count = 0;
    for (i = 0; i + 8 <= n; i += 8, bits.at += width) { // neighbours together, then pairs, fours
        uint64_t x = padici_load64(data + i) - base * UINT64_C(0x0101010101010101);
        x = (x & UINT64_C(0x00ff00ff00ff00ff)) | (x & UINT64_C(0xff00ff00ff00ff00)) >> (8 - width);
        x = (x & UINT64_C(0x0000ffff0000ffff)) |
            (x & UINT64_C(0xffff0000ffff0000)) >> (16 - 2 * width);
        padici_store64(bits.at, (x & 0xffffffffu) | (x >> 32) << 4 * width);
    }
    for (; i < n; i++) padici_put_bits(&bits, data[i] - base, width);
}

static void padici_packed_bytes(const uint8_t *p, uint32_t base, uint32_t width, uint8_t *data,
                                size_t n)
{
    const uint64_t eight = ~UINT64_C(0) >> (64 - 8 * width);
    const uint64_t four = UINT64_C(0xffffffff) >> (32 - 4 * width);
    const uint64_t two = (UINT64_C(0xffff) >> (16 - 2 * width)) * UINT64_C(0x0000000100000001);
    const uint64_t one = (UINT64_C(0xff) >> (8 - width)) * UINT64_C(0x0001000100010001);
    const uint64_t low = UINT64_C(0x7f7f7f7f7f7f7f7f), bases = base * UINT64_C(0x0101010101010101);
    size_t i;
    for (i = 0; i + 8 <= n; i += 8) {
        uint64_t x = padici_load64(p + i / 8 * width) & eight;
        x = (x & four) | (x >> 4 * width) << 32;
        x = (x & two) | (x & two << 2 * width) << (16 - 2 * width);
        x = (x & one) | (x & one << width) << (8 - width);
        padici_store64(data + i, ((x & low) + (bases & low)) ^ ((x ^ bases) & ~low));
    }
    for (; i < n; i++)
        data[i] = (uint8_t)(base + (padici_peek(p, i * (uint64_t)width) & ((1u << width) - 1)));
}

static void padici_take_packed(const padici_work *w, padici_reader *in, uint8_t *data, size_t n)
{
    const uint32_t base = padici_take8(in), width = padici_take8(in);
    const uint8_t *p = width <= 8 ? padici_take(in, (n * width + 7) / 8) : NULL;
    if (!p) in->bad = 1;
    if (in->bad || !data) return;
    if (!padici_ends(p, n * (uint64_t)width, (n * (uint64_t)width + 7) & ~UINT64_C(7))) in->bad = 1;
    if (width == 0) memset(data, (int)base, n);
    else (*w->loops->packed_bytes)(p, base, width, data, n);
}

// Rare bytes that are not 0: u32 how many, u8 1 for gaps or 0 for a bitmap, where, what.
static void padici_put_sparse(padici_work *w, const uint8_t *data, size_t n, size_t nonzero)
{
    uint8_t *values = w->spare, *tokens = w->spare + w->capacity / 8 + 64;
    const size_t apart = n / (nonzero + 1);
    const int gaps = padici_bit_length(apart) + 2 < apart;
    size_t i, at = 0, before = 0;
    padici_put32(&w->out, (uint32_t)nonzero);
    padici_put8(&w->out, (uint32_t)gaps);
    for (i = 0; i < n; i++) {
        while (i + 8 <= n && padici_load64(data + i) == 0) i += 8; // mostly nothing
        if (i == n || !data[i]) continue;
        values[at] = data[i];
        w->gaps[at++] = i - before;
        before = i + 1;
    }
    if (gaps) {
        padici_put_classes(w, w->gaps, nonzero, 2, tokens, 1);
    } else {
        uint8_t *map = padici_room(&w->out, (n + 7) / 8);
        if (!map) return;
        memset(map, 0, (n + 7) / 8);
        for (i = 0; i < n; i++)
            if (data[i]) map[i / 8] = (uint8_t)(map[i / 8] | 1u << i % 8);
    }
    padici_put_stream(w, values, nonzero, 1);
}

static void padici_take_sparse(padici_work *w, padici_reader *in, uint8_t *data, size_t n,
                               padici_census *census)
{
    uint8_t *values = data ? w->spare : NULL;
    uint8_t *tokens = data ? w->spare + w->capacity / 8 + 64 : NULL;
    const size_t nonzero = padici_take32(in);
    const uint32_t gaps = padici_take8(in);
    const uint8_t *map = NULL;
    size_t i, at = 0;
    if (in->bad || nonzero > n / 8 || gaps > 1) {
        in->bad = 1;
        return;
    }
    if (gaps) padici_take_classes(w, in, data ? w->gaps : NULL, nonzero, tokens, 1, census);
    else map = padici_take(in, (n + 7) / 8);
    padici_take_stream(w, in, values, nonzero, 1, census);
    if (in->bad || !data) return;
    memset(data, 0, n);
    for (i = 0; gaps && i < nonzero; i++) {
        if (at >= n || w->gaps[i] >= n - at) {
            in->bad = 1;
            return;
        }
        at += (size_t)w->gaps[i];
        data[at++] = values[i];
    }
    for (i = 0; !gaps && i < n; i++) {
        if (!(map[i / 8] >> i % 8 & 1)) continue;
        if (at == nonzero) {
            in->bad = 1;
            return;
        }
        data[i] = values[at++];
    }
    if (!gaps && (at != nonzero || (n % 8 && map[n / 8] >> n % 8))) in->bad = 1;
}

// Counts of bytes; four tables, so that equal neighbours need not wait for each other.
static void padici_count(const uint8_t *data, size_t n, uint32_t counts[256], uint32_t *tables)
{
    uint32_t s;
    size_t i;
    memset(tables, 0, 4 * 256 * sizeof *tables);
    for (i = 0; i + 4 <= n; i += 4) {
        tables[data[i]]++;
        tables[256 + data[i + 1]]++;
        tables[512 + data[i + 2]]++;
        tables[768 + data[i + 3]]++;
    }
    for (; i < n; i++) tables[data[i]]++;
    for (s = 0; s < 256; s++)
        counts[s] = tables[s] + tables[256 + s] + tables[512 + s] + tables[768 + s];
}

// Whether a long stream looks like noise: 4,096 of its bytes have (almost) the entropy that as many
// random ones would have, which is 255 / 2 ln 2 = 184 bits below 8 each.
static int padici_is_noise(const uint8_t *data, size_t n, uint32_t counts[256])
{
    const size_t step = n / 64;
    uint32_t i, k;
    if (n < 16384) return 0;
    memset(counts, 0, 256 * sizeof *counts);
    for (i = 0; i < 64; i++)
        for (k = 0; k < 64; k++) counts[data[i * step + k]]++;
    return padici_entropy(counts, 256, 4096) > 256 * (4096 * 8 - 184 - 130);
}

// room: src/codec/contexts.c
// ---- coder: rANS with contexts
//
// Each symbol is coded with one of at most 16 tables: that of its column, or that of the class of
// v = the byte `a` before + the byte `b` before. The 32 states are no longer interleaved byte by
// byte but run through 32 stretches of `length` bytes side by side, so that each may look at what
// it decoded itself. Step j decodes byte l length + j of every stretch l that has one; a byte
// x before is there already if it belongs to an earlier step or, in this one, to an earlier
// stretch; else the byte before stands for it, and 0 for that at the start of a stretch.

typedef struct padici_context_plan {
    uint32_t count;   // of tables
    uint32_t a, b;    // distances, b may be 0: none; or a = 0 and b columns
    size_t length;    // of a stretch
    uint16_t from[PADICI_CONTEXTS]; // class k begins at this sum or column
} padici_context_plan;

#define PADICI_CONTEXT_BINS 48u // candidates' classes before they are merged
#define PADICI_COLUMNS 256u     // most columns
#define PADICI_STEP_ROOM 16384u  // behind the bytes of a block: columns lengthen stretches

// The byte `distance`, which is `steps` modulo the length, before byte i, step j of its stretch.
PADICI_INLINE uint32_t padici_context_byte(const uint8_t *data, size_t i, size_t j,
                                           size_t distance, size_t steps)
{
    return distance <= i && steps <= j ? data[i - distance] : j ? data[i - 1] : 0u;
}

// Classes of the sums 0 to 510, or of the columns.
static void padici_context_map(const padici_context_plan *plan, uint8_t map[512])
{
    uint32_t v, k = 0;
    for (v = 0; v < 512; v++) {
        while (k + 1 < plan->count && v >= plan->from[k + 1]) k++;
        map[v] = (uint8_t)k;
    }
}

// Within a bound below level 6: what takes long to read must save for it, and is soon found.
static int padici_hasty(const padici_work *w)
{
    return w->level < 6 && w->bounded && w->stages.coders == 0;
}

// What a table may save at least, in bits, for the time to make it.
static uint32_t padici_table_price(const padici_work *w)
{
    return padici_hasty(w) ? 308 : 8;
}

// Size of a table's symbols, each `weight` times, and of the table, in 1/256 bits; `price` are the
// bits that it may take for the time to make it.
static uint64_t padici_context_cost(const uint32_t *counts, uint32_t symbols, uint32_t weight,
                                    uint32_t price)
{
    uint32_t total = 0, used = 0, s;
    for (s = 0; s < symbols; s++) {
        total += counts[s];
        used += counts[s] != 0;
    }
    return padici_entropy(counts, symbols, total) * weight + 256 * (uint64_t)(10 * used + price);
}

// Merges neighbouring bins of `counts` (256 each) as long as that saves, and until 16 are left.
// merged[k] is the first bin of class k; returns the cost, *count the classes.
static uint64_t padici_context_merge(uint32_t *counts, uint32_t bins, uint32_t symbols,
                                     uint32_t weight, uint32_t price, uint32_t *count,
                                     uint16_t merged[PADICI_CONTEXT_BINS])
{
    uint64_t alone[PADICI_CONTEXT_BINS], both[PADICI_CONTEXT_BINS], sum = 0;
    uint32_t sums[256], k, s, at, left = bins;
    for (k = 0; k < bins; k++) {
        merged[k] = (uint16_t)k;
        alone[k] = padici_context_cost(counts + 256 * k, symbols, weight, price);
        both[k] = UINT64_MAX;
    }
    for (at = 0; at + 1 < left; at++) {
        for (s = 0; s < symbols; s++) sums[s] = counts[256 * at + s] + counts[256 * (at + 1) + s];
        both[at] = padici_context_cost(sums, symbols, weight, price);
    }
    while (left > 1) {
        int64_t least = INT64_MAX;
        uint32_t best = 0;
        for (k = 0; k + 1 < left; k++) {
            const int64_t more = (int64_t)(both[k] - alone[k] - alone[k + 1]);
            if (more < least) least = more, best = k;
        }
        if (left <= PADICI_CONTEXTS && least >= 0) break;
        for (s = 0; s < symbols; s++) counts[256 * best + s] += counts[256 * (best + 1) + s];
        alone[best] = both[best];
        left--;
        memmove(counts + 256 * (best + 1), counts + 256 * (best + 2),
                256 * (left - best - 1) * sizeof *counts);
        for (k = best + 1; k < left; k++) {
            merged[k] = merged[k + 1];
            alone[k] = alone[k + 1];
            both[k] = both[k + 1];
        }
        for (k = best ? best - 1 : 0; k <= best && k + 1 < left; k++) {
            for (s = 0; s < symbols; s++) sums[s] = counts[256 * k + s] + counts[256 * (k + 1) + s];
            both[k] = padici_context_cost(sums, symbols, weight, price);
        }
    }
    for (k = 0; k < left; k++) sum += alone[k];
    *count = left;
    return sum;
}

// Cost in bits of one way to look at neighbours, of at most `most` classes; sets the classes.
static uint64_t padici_context_try(padici_work *w, const uint8_t *data, size_t n, uint32_t symbols,
                                   uint32_t most, padici_context_plan *plan)
{
    uint32_t *counts = (uint32_t *)w->table, *sums = counts + 256 * PADICI_CONTEXT_BINS;
    const size_t a = plan->a, b = plan->b, reach = a > b ? a : b;
    // of long streams one stretch of 64 in four is looked at, in 16 where there are few classes
    const uint32_t weight = n - reach <= 16384 || w->level >= 9 ? 1 : most < 8 ? 16 : 4;
    uint8_t *bin = (uint8_t *)(sums + 512);
    uint16_t merged[PADICI_CONTEXT_BINS], start[PADICI_CONTEXT_BINS];
    uint32_t bins = 0, v, held = 0, seen = 0, total = 0;
    size_t i, to;
    uint64_t cost;
    memset(sums, 0, 512 * sizeof *sums);
    for (i = reach; i < n; i += 64 * (weight - 1))
        for (to = padici_least(i + 64, n); i < to; i++, total++)
            sums[data[i - a] + (b ? data[i - b] : 0)]++;
    for (v = 0; v < 512; v++) { // a bin ends where its share of the bytes is reached
        if (held == 0) start[bins] = (uint16_t)v;
        held += sums[v];
        seen += sums[v];
        bin[v] = (uint8_t)bins;
        if (held > total / most && bins + 1 < most && seen < total) bins++, held = 0;
    }
    bins++;
    memset(counts, 0, 256 * bins * sizeof *counts);
    for (i = reach; i < n; i += 64 * (weight - 1))
        for (to = padici_least(i + 64, n); i < to; i++)
            counts[256 * (size_t)bin[data[i - a] + (b ? data[i - b] : 0)] + data[i]]++;
    cost = padici_context_merge(counts, bins, symbols, weight, padici_table_price(w), &plan->count,
                                merged);
    for (v = 0; v < plan->count; v++) plan->from[v] = start[merged[v]];
    plan->from[0] = 0;
    return (cost >> 8) * n / (n - reach) + 16 * plan->count + 32 * 34;
}

// The same for columns, a table for every run of columns that are alike.
static uint64_t padici_context_try_columns(padici_work *w, const uint8_t *data, size_t n,
                                           uint32_t symbols, uint32_t columns,
                                           padici_context_plan *plan)
{
    uint32_t *counts = (uint32_t *)w->table, column = 0;
    uint16_t merged[PADICI_CONTEXT_BINS];
    uint64_t cost;
    size_t i;
    memset(counts, 0, 256 * columns * sizeof *counts);
    for (i = 0; i < n; i++) {
        counts[256 * column + data[i]]++;
        if (++column == columns) column = 0;
    }
    cost = padici_context_merge(counts, columns, symbols, 1, padici_table_price(w), &plan->count,
                                merged);
    for (i = 0; i < plan->count; i++) plan->from[i] = merged[i];
    return (cost >> 8) + 16 * plan->count + 32 * 34;
}

// The cheapest contexts for this stream, which takes `alone` bits without, and their cost in bits.
// In haste four classes tell which are worth a closer look.
static uint64_t padici_context_choose(padici_work *w, const uint8_t *data, size_t n,
                                      uint32_t symbols, uint64_t alone, padici_context_plan *best)
{
    const uint32_t row = (uint32_t)w->row, plane = (uint32_t)w->plane;
    const uint32_t pairs[6][2] = {{1, 0},       {1, row},       {1, 2},
                                  {row, plane}, {row, 2 * row}, {1, plane}};
    const uint32_t tried = w->level < 8 ? 4 : 6;
    const uint32_t rough = (uint32_t)padici_hasty(w);
    padici_context_plan plan;
    uint64_t least = UINT64_MAX, cost;
    uint32_t i;
    memset(&plan, 0, sizeof plan);
    memset(best, 0, sizeof *best);
    plan.length = (n + PADICI_RANS_LANES - 1) / PADICI_RANS_LANES;
    for (i = rough; i < tried; i++) { // two bytes before serve as well as one
        plan.a = pairs[i][0];
        plan.b = pairs[i][1];
        if (plan.a == 0 || (i && plan.b == 0) || 2 * (size_t)plan.a > n || 2 * (size_t)plan.b > n)
            continue;
        cost = padici_context_try(w, data, n, symbols, rough ? 4 : PADICI_CONTEXT_BINS, &plan);
        if (cost < least) least = cost, *best = plan;
    }
    if (rough && least < alone - (alone >> 5))
        least = padici_context_try(w, data, n, symbols, PADICI_CONTEXT_BINS / 2, best);
    if (row > 1 && row <= PADICI_CONTEXT_BINS && 64 * (size_t)row < n) {
        plan.a = 0;
        plan.b = row;
        plan.length = (plan.length + row - 1) / row * row;
        cost = padici_context_try_columns(w, data, n, symbols, row, &plan);
        if (cost < least) least = cost, *best = plan;
    }
    return least;
}

// u8 tables - 1, u32 a, u32 b, u32 length, u16 sum or column where each class but the first begins,
// the tables, u32 number of words, 32 states, words.
static void padici_context_put(padici_work *w, const uint8_t *data, size_t n,
                               const padici_context_plan *plan)
{
    uint32_t *counts = (uint32_t *)w->table, state[PADICI_RANS_LANES], k, s;
    uint16_t *freq = (uint16_t *)(counts + 256 * PADICI_CONTEXTS);
    uint16_t *start = freq + 256 * PADICI_CONTEXTS, *top = w->rans + w->capacity + 64, *word = top;
    const size_t length = plan->length;
    uint8_t map[512], *to;
    const size_t a_steps = plan->a % length, b_steps = plan->b % length;
    size_t i, j, lane, words;
    padici_put8(&w->out, plan->count - 1);
    padici_put32(&w->out, plan->a);
    padici_put32(&w->out, plan->b);
    padici_put32(&w->out, (uint32_t)length);
    for (k = 1; k < plan->count; k++) {
        padici_put8(&w->out, plan->from[k] & 255u);
        padici_put8(&w->out, (uint32_t)plan->from[k] >> 8);
    }
    padici_context_map(plan, map);
    memset(counts, 0, 256 * PADICI_CONTEXTS * sizeof *counts);
    for (lane = 0, i = 0; i < n; lane++) {
        for (j = 0; j < length && i < n; j++, i++) {
            uint32_t v = 0;
            if (plan->a) v = padici_context_byte(data, i, j, plan->a, a_steps);
            else v = (uint32_t)(j % plan->b);
            if (plan->a && plan->b) v += padici_context_byte(data, i, j, plan->b, b_steps);
            w->classes[i] = map[v];
            counts[256 * (size_t)map[v] + data[i]]++;
        }
    }
    for (k = 0; k < plan->count; k++) {
        uint32_t total = 0, sum = 0;
        for (s = 0; s < 256; s++) total += counts[256 * k + s];
        // a table that one symbol fills could not be told from none: 0 gets a share
        if (total == 0 || counts[256 * k] == total) counts[256 * k + 1]++, total++;
        for (s = 1; s < 256; s++)
            if (counts[256 * k + s] == total) counts[256 * k]++, total++;
        padici_rans_frequencies(counts + 256 * k, total, freq + 256 * k);
        padici_rans_put_table(&w->out, freq + 256 * k);
        for (s = 0; s < 256; s++) {
            start[256 * k + s] = (uint16_t)sum;
            sum += freq[256 * k + s];
        }
    }
    for (i = 0; i < PADICI_RANS_LANES; i++) state[i] = PADICI_RANS_LOW;
    for (j = length; j-- > 0;) {
        for (lane = PADICI_RANS_LANES; lane-- > 0;) {
            uint32_t x = state[lane], f, e;
            i = lane * length + j;
            if (i >= n) continue;
            e = 256u * w->classes[i] + data[i];
            f = freq[e];
            if (x >> 20 >= f) {
                *--word = (uint16_t)x;
                x >>= 16;
            }
            state[lane] = (x / f << PADICI_RANS_BITS) + x % f + start[e];
        }
    }
    words = (size_t)(top - word);
    padici_put32(&w->out, (uint32_t)words);
    for (i = 0; i < PADICI_RANS_LANES; i++) padici_put32(&w->out, state[i]);
    to = padici_room(&w->out, 2 * words);
    for (i = 0; to && i < words; i++) padici_store16(to + 2 * i, word[i]);
}

static void padici_context_take_plan(padici_reader *in, size_t n, padici_context_plan *plan)
{
    uint32_t k;
    memset(plan, 0, sizeof *plan);
    plan->count = padici_take8(in) + 1;
    plan->a = padici_take32(in);
    plan->b = padici_take32(in);
    plan->length = padici_take32(in);
    if (plan->count > PADICI_CONTEXTS || plan->length == 0 ||
        plan->length > 2 * PADICI_BLOCK_LIMIT ||
        (n + plan->length - 1) / plan->length > PADICI_RANS_LANES)
        in->bad = 1;
    if (plan->a == 0 && !in->bad &&
        (plan->b == 0 || plan->b > PADICI_COLUMNS || plan->length % plan->b))
        in->bad = 1;
    for (k = 1; k < plan->count && !in->bad; k++) {
        const uint32_t low = padici_take8(in);
        plan->from[k] = (uint16_t)(low | padici_take8(in) << 8);
        if (plan->from[k] <= plan->from[k - 1] || plan->from[k] > 511) in->bad = 1;
    }
}

// Step j of the stretches that have one, as long as there are words for all of them. Returns
// whether there were.
PADICI_INLINE int padici_context_step(const padici_context_plan *plan, const uint32_t *table,
                                      const uint8_t *map, uint32_t *state, uint8_t *data, size_t n,
                                      size_t j, const uint8_t **at, const uint8_t *end)
{
    const size_t length = plan->length;
    const uint8_t *p = *at;
    // from this stretch on the byte a (b) before is there
    const size_t a = plan->a && plan->a % length <= j ? plan->a / length : PADICI_RANS_LANES;
    const size_t b = plan->b && plan->b % length <= j ? plan->b / length : PADICI_RANS_LANES;
    const uint32_t column = plan->a ? 0 : map[j % plan->b];
    size_t lane, i = j;
    for (lane = 0; i < n; lane++, i += length) {
        const uint32_t x = state[lane];
        uint32_t v = column, e, y, low;
        if (plan->a) {
            v = lane >= a ? data[i - plan->a] : j ? data[i - 1] : 0;
            if (plan->b) v += lane >= b ? data[i - plan->b] : j ? data[i - 1] : 0;
            v = map[v];
        }
        e = table[(size_t)v * PADICI_RANS_TOTAL + (x & (PADICI_RANS_TOTAL - 1))];
        y = ((e >> 8 & 4095) + 1) * (x >> PADICI_RANS_BITS) + (e >> 20);
        low = y < PADICI_RANS_LOW;
        if (low && p == end) return 0;
        data[i] = (uint8_t)e;
        state[lane] = low ? y << 16 | padici_load16(p) : y;
        p += 2 * low;
    }
    *at = p;
    return 1;
}

// Step by step it needs no room of its own.
static size_t padici_context_none(const padici_context_plan *plan, const uint32_t *table,
                                  const uint8_t *map, uint32_t *state, uint8_t *data, size_t n,
                                  const uint8_t **p, const uint8_t *end, uint8_t *rows, size_t room)
{
    (void)plan, (void)table, (void)map, (void)state, (void)data, (void)n, (void)p, (void)end;
    (void)rows, (void)room;
    return 0;
}

static void padici_context_take(padici_work *w, padici_reader *in, uint8_t *data, size_t n)
{
    uint32_t *table = (uint32_t *)w->table, state[PADICI_RANS_LANES], words, i, k;
    uint8_t map[512];
    padici_context_plan plan;
    const uint8_t *p, *end;
    size_t j;
    padici_context_take_plan(in, n, &plan);
    for (k = 0; k < plan.count && !in->bad; k++) {
        uint16_t freq[256];
        padici_rans_take_table(in, freq);
        if (!in->bad && data) (*w->loops->slots)(freq, table + (size_t)k * PADICI_RANS_TOTAL);
    }
    words = padici_take32(in);
    for (i = 0; i < PADICI_RANS_LANES; i++) {
        state[i] = padici_take32(in);
        if (state[i] < PADICI_RANS_LOW) in->bad = 1;
    }
    p = padici_take(in, 2 * (size_t)words);
    if (in->bad || !data) return;
    end = p + 2 * (size_t)words;
    padici_context_map(&plan, map);
    j = (*w->loops->context)(&plan, table, map, state, data, n, &p, end, w->rows,
                             w->capacity + PADICI_STEP_ROOM);
    for (; j < plan.length && j < n && !in->bad; j++) // a step reads what those before it wrote
        if (!padici_context_step(&plan, table, map, state, data, n, j, &p, end)) in->bad = 1;
    for (i = 0; i < PADICI_RANS_LANES; i++)
        if (state[i] != PADICI_RANS_LOW) in->bad = 1;
    if (p != end) in->bad = 1;
}

// room: src/codec/bytes_repeats.c
// ---- coder: repeats of bytes
//
// What stood in the stream before is copied: u32 q (at most n / 3), u32 literals, then three lists
// of q, as in the pattern MATCH: literals to copy, length less 1, code of the distance; and the
// literals, a stream that has no repeats itself.

static uint64_t padici_class_cost(const uint64_t *z, size_t n);
static void padici_expand_matches(padici_reader *in, const uint8_t *literals, size_t m,
                                  uint64_t *lists, size_t third, size_t q, size_t past,
                                  const uint8_t *end, uint8_t *to, size_t n, uint32_t size);

#define PADICI_BYTES_BITS 14u  // of a hash
#define PADICI_BYTES_KEY 4u    // bytes that are hashed

static uint32_t padici_hash_bytes(const uint8_t *p)
{
    return padici_load32(p) * 0x9e3779b1u >> (32 - PADICI_BYTES_BITS);
}

// What a repeat costs, in 1/16 bits.
static uint32_t padici_bytes_price(size_t distance, size_t length, const size_t last[2])
{
    const uint32_t price = 96 + 16 * padici_bit_length(length);
    if (distance == last[0]) return price;
    return distance == last[1] ? price + 32 : price + 64 + 16 * padici_bit_length(distance);
}

static size_t padici_equal_bytes(const uint8_t *x, const uint8_t *y, size_t most)
{
    size_t length = 0;
    for (; length + 8 <= most; length += 8) {
        const uint64_t differ = padici_load64(x + length) ^ padici_load64(y + length);
        if (differ) return length + padici_ctz64(differ) / 8;
    }
    while (length < most && x[length] == y[length]) length++;
    return length;
}

// About how many bits repeats save, from what is found at a sixteenth of the places, picked by
// content. A literal costs `each` 1/16 bits.
static uint64_t padici_bytes_gain(padici_work *w, const uint8_t *data, size_t n, uint32_t each)
{
    uint32_t *seen = w->hash, *picked = w->hash + (1u << PADICI_BYTES_BITS);
    const size_t pays = (28 * 16) / (each + 1) + 1, most = 4 * pays;
    uint64_t gain = 0;
    uint32_t tested = 0, t;
    size_t i;
    if (pays > 128 || most > n / 8) return 0;
    memset(seen, 0, sizeof *seen << PADICI_BYTES_BITS);
    for (i = 0; i + PADICI_BYTES_KEY + most <= n; i++) { // without a branch
        picked[tested] = (uint32_t)i;
        tested += (padici_load32(data + i) * 0x85ebca6bu) >> 28 == 7; // not where all is 0
    }
    for (t = 0; t < tested; t++) {
        uint32_t *place;
        size_t k = 0;
        i = picked[t];
        place = seen + padici_hash_bytes(data + i);
        if (*place) k = padici_equal_bytes(data + *place - 1, data + i, most);
        *place = (uint32_t)i + 1;
        if (k >= pays) gain += each - each * pays / (2 * k);
    }
    return tested > 16 ? gain * n / tested / 16 : 0;
}

// The repeat at `i` that saves most: its length, or 0.
static size_t padici_best_bytes(const uint32_t *head, const uint32_t *chain, const uint8_t *data,
                                size_t n, size_t i, uint32_t each, uint32_t tries,
                                const size_t last[2], size_t *distance, int64_t *gain)
{
    const uint8_t *x = data + i;
    size_t best = 0, length, k;
    uint32_t at;
    int64_t here;
    *gain = 0;
    for (k = 0; k < 2; k++) {
        if (last[k] == 0 || last[k] > i) continue;
        if (x[0] != *(x - last[k])) continue;
        length = padici_equal_bytes(x, x - last[k], n - i);
        here = (int64_t)length * each - padici_bytes_price(last[k], length, last);
        if (length > 2 && here > *gain) *gain = here, best = length, *distance = last[k];
    }
    if (i + PADICI_BYTES_KEY > n) return best;
    for (at = head[padici_hash_bytes(x)]; at && tries; tries--, at = chain[at - 1]) {
        const uint8_t *y = data + at - 1;
        if (padici_load32(y) != padici_load32(x) || (i + best < n && y[best] != x[best])) continue;
        length = padici_equal_bytes(x, y, n - i);
        here = (int64_t)length * each - padici_bytes_price(i - (at - 1), length, last);
        if (length > 2 && here > *gain) *gain = here, best = length, *distance = i - (at - 1);
        if (i + best == n || best > 4096) break;
    }
    return best;
}

// The chains hold what begins before `to`; from where they still have to go on.
static size_t padici_index_bytes(uint32_t *head, uint32_t *chain, const uint8_t *data, size_t n,
                                 size_t from, size_t to)
{
    for (; from < to && from + PADICI_BYTES_KEY <= n; from++) {
        const uint32_t h = padici_hash_bytes(data + from);
        chain[from] = head[h];
        head[h] = (uint32_t)from + 1;
    }
    return from;
}

// Takes repeats out of a stream, with a look at the next byte before one is taken; the literals go
// to w->rest. Returns the number of repeats.
static size_t padici_find_bytes(padici_work *w, const uint8_t *data, size_t n, uint32_t each,
                                size_t *literals)
{
    static const uint16_t depths[10] = {4, 4, 4, 4, 4, 4, 8, 24, 64, 256};
    uint32_t *head = w->head, *chain = w->head + ((size_t)1 << PADICI_BYTES_BITS);
    const size_t third = n / 3 + 1;
    const uint32_t tries = w->may_repeat > 1 ? 16 : depths[w->level];
    size_t i = 0, from = 0, q = 0, m = 0, indexed = 0, misses = 0, last[2] = {0, 0};
    memset(head, 0, sizeof *head << PADICI_BYTES_BITS);
    while (i < n) {
        size_t distance = 0, other = 0, length, next;
        int64_t gain, more;
        indexed = padici_index_bytes(head, chain, data, n, indexed, i);
        length = padici_best_bytes(head, chain, data, n, i, each, tries, last, &distance, &gain);
        if (length == 0) {
            i += w->level < 7 ? 1 + (++misses >> (padici_hasty(w) ? 5 : 6)) : 1;
            continue;
        }
        while (length < 64 && i + 1 < n) { // one that begins at the next byte may save more
            indexed = padici_index_bytes(head, chain, data, n, indexed, i + 1);
            next = padici_best_bytes(head, chain, data, n, i + 1, each, tries, last, &other, &more);
            if (next == 0 || more <= gain + (int64_t)each) break;
            i++, length = next, distance = other, gain = more;
        }
        misses = 0;
        memcpy(w->rest + m, data + from, i - from);
        m += i - from;
        w->pieces[q] = i - from;
        w->pieces[third + q] = length - 1;
        w->pieces[2 * third + q++] = distance == last[0]   ? 0
                                     : distance == last[1] ? 1
                                                           : (uint64_t)distance + 1;
        if (distance != last[0]) last[1] = last[0], last[0] = distance;
        from = i += length;
    }
    memcpy(w->rest + m, data + from, n - from);
    *literals = m + n - from;
    return q;
}

// Bits that the stream takes so.
static uint64_t padici_bytes_size(padici_work *w, size_t n, size_t q, size_t m)
{
    const size_t third = n / 3 + 1;
    uint32_t counts[256], k;
    uint64_t cost;
    padici_count(w->rest, m, counts, (uint32_t *)w->table);
    cost = (padici_entropy(counts, 256, (uint32_t)m) >> 8) + 128 * 8;
    for (k = 0; k < 3; k++) cost += (padici_class_cost(w->pieces + k * third, q) >> 8) + 40 * 8;
    return cost;
}

static void padici_put_bytes_repeats(padici_work *w, size_t n, size_t q, size_t m)
{
    const size_t third = n / 3 + 1;
    uint64_t cost;
    uint32_t k;
    padici_put32(&w->out, (uint32_t)q);
    padici_put32(&w->out, (uint32_t)m);
    for (k = 0; k < 3; k++) {
        const uint64_t *list = w->pieces + k * third;
        padici_put_classes(w, list, q, q ? padici_choose_mantissa(list, q, 1, &cost) : 0,
                           w->rest + m, 1);
    }
    padici_put_stream(w, w->rest, m, 1);
}

static void padici_take_repeats(padici_work *w, padici_reader *in, uint8_t *data, size_t n,
                                padici_census *census)
{
    const size_t third = n / 3 + 1, q = padici_take32(in), m = padici_take32(in);
    uint64_t *lists = data ? w->pieces : NULL;
    uint8_t *rest = data ? w->rest : NULL;
    uint32_t k;
    if (q > n / 3 || m > n) in->bad = 1;
    for (k = 0; k < 3 && !in->bad; k++)
        padici_take_classes(w, in, data ? lists + k * third : NULL, q, rest, 1, census);
    if (in->bad) return;
    padici_take_stream(w, in, rest, m, 1, census);
    if (in->bad || !data) return;
    padici_expand_matches(in, rest, m, lists, third, q, 0, data, data, n, 1);
}

// A stream is u8 coder and what the coder writes; its length n is known from what went before.
// The cheapest allowed coder is taken; `nested` streams are not sparse themselves.
static void padici_put_stream(padici_work *w, const uint8_t *data, size_t n, int nested)
{
    const uint32_t coders = w->stages.coders;
    uint32_t counts[256], low = 256, high = 0, used = 0, s, best = PADICI_CODER_RAW, second;
    uint64_t cost = 8 * (uint64_t)n + 8, other, alone;
    size_t q = 0, m = 0;
    uint8_t lengths[256];
    padici_context_plan context;
    if (coders == 0 && padici_is_noise(data, n, counts)) {
        padici_put8(&w->out, PADICI_CODER_RAW);
        padici_put_bytes(&w->out, data, n);
        return;
    }
    padici_count(data, n, counts, (uint32_t *)w->table);
    for (s = 0; s < 256; s++) {
        if (!counts[s]) continue;
        if (low == 256) low = s;
        high = s;
        used++;
    }
    if (!used) low = 0;
    if (!padici_allowed(coders, PADICI_CODER_RAW)) cost = UINT64_MAX;
    if (padici_allowed(coders, PADICI_CODER_CONSTANT) && used <= 1)
        cost = 8, best = PADICI_CODER_CONSTANT;
    if (padici_allowed(coders, PADICI_CODER_PACKED)) {
        other = (uint64_t)n * padici_bit_length(high - low) + 16;
        if (other < cost) cost = other, best = PADICI_CODER_PACKED;
    }
    if (padici_allowed(coders, PADICI_CODER_HUFFMAN) && used > 1 && (coders || w->level > 1)) {
        padici_huffman_lengths(counts, lengths);
        other = 32 * padici_huffman_lanes(n) + 8;
        for (s = 0; s <= high; s++) other += (uint64_t)counts[s] * lengths[s] + 4;
        if (coders == 0 && w->level < 8) other += other >> 4; // a plain stream costs no time
        if (other < cost) cost = other, best = PADICI_CODER_HUFFMAN;
    }
    if (padici_allowed(coders, PADICI_CODER_RANS) && used > 1 && (coders || w->level > 1)) {
        other = (padici_entropy(counts, high + 1, (uint32_t)n) >> 8) + 9 * (uint64_t)used + 32 * 34;
        // decodes at half the speed in plain C; of few bits a symbol it takes more than is thought
        if (coders == 0 && w->level < 8)
            other += w->bounded ? (other >> 5) + (uint64_t)n / 10 : other >> 2;
        if (other < cost) cost = other, best = PADICI_CODER_RANS;
    }
    if (padici_allowed(coders, PADICI_CODER_SPARSE) && !nested && n - counts[0] <= n / 8) {
        const uint64_t nonzero = n - counts[0];
        other = nonzero * (padici_bit_length(n / (size_t)(nonzero + 1)) + 2);
        if (other > n) other = n;
        other += 120 + (padici_entropy(counts + 1, 255, (uint32_t)nonzero) >> 8);
        if (other < cost) cost = other, best = PADICI_CODER_SPARSE;
    }
    alone = cost < 8 * (uint64_t)n ? cost : 8 * (uint64_t)n; // literals know no contexts
    second = best;
    if (padici_allowed(coders, PADICI_CODER_CONTEXT) && used > 1 && n >= 64 &&
        (coders || (!nested && n >= 2048 && w->may_know && (!padici_hasty(w) || alone > n)))) {
        other = padici_context_choose(w, data, n, high + 1, alone, &context);
        if (coders == 0 && w->level < 8) // what reading takes longer, as bits a symbol
            other += padici_hasty(w) ? n / 4 : other >> 4;
        if (other < cost) cost = other, best = PADICI_CODER_CONTEXT;
    }
    if (padici_allowed(coders, PADICI_CODER_REPEAT) && used > 1 && !nested &&
        (coders || (n >= 1024 && w->may_repeat))) {
        const uint32_t each = (uint32_t)(alone * 16 / n);
        const uint64_t all = w->best && w->best < n ? w->best : n; // a stream is part of a block
        const uint32_t least = w->level < 7 && w->may_repeat < 2 ? 3 : 6;
        if (coders || padici_bytes_gain(w, data, n, each) > all >> least) {
            q = padici_find_bytes(w, data, n, each, &m);
            other = padici_bytes_size(w, n, q, m);
            if (coders == 0 && w->level < 6 && w->may_repeat < 2)
                other += padici_hasty(w) ? n / 8 : other >> 4;
            if (other < cost) best = PADICI_CODER_REPEAT, w->spared += (cost - other) / 8;
        }
    }
    if (best == PADICI_CODER_CONTEXT && coders == 0) { // its size was an estimate
        uint8_t *const mark = w->out.at, *end;
        padici_put8(&w->out, best);
        padici_context_put(w, data, n, &context);
        end = w->out.at;
        if (n - counts[0] <= n / 8 && !w->out.full) { // of sparse bytes a rough one
            padici_put8(&w->out, PADICI_CODER_SPARSE);
            padici_put_sparse(w, data, n, n - counts[0]);
            other = 8 * (uint64_t)(w->out.at - end);
            if (other < alone) alone = other, second = PADICI_CODER_SPARSE;
            w->out.at = end;
        }
        if (w->out.full || (uint64_t)(end - mark) * 8 <= alone) return;
        w->out.at = mark;
        best = second;
    }
    padici_put8(&w->out, best);
    switch (best) {
    case PADICI_CODER_CONSTANT: padici_put8(&w->out, low); break;
    case PADICI_CODER_PACKED:
        padici_put_packed(&w->out, data, n, low, padici_bit_length(high - low));
        break;
    case PADICI_CODER_HUFFMAN: padici_huffman_put(&w->out, data, n, lengths); break;
    case PADICI_CODER_RANS: {
        uint16_t freq[256];
        padici_rans_frequencies(counts, (uint32_t)n, freq);
        padici_rans_put(&w->out, data, n, freq, w->rans, w->capacity + 64);
        break;
    }
    case PADICI_CODER_SPARSE: padici_put_sparse(w, data, n, n - counts[0]); break;
    case PADICI_CODER_CONTEXT: padici_context_put(w, data, n, &context); break;
    case PADICI_CODER_REPEAT: padici_put_bytes_repeats(w, n, q, m); break;
    default: padici_put_bytes(&w->out, data, n);
    }
}

// data NULL: the stream is parsed and skipped.
static void padici_take_stream(padici_work *w, padici_reader *in, uint8_t *data, size_t n,
                               int nested, padici_census *census)
{
    const uint32_t coder = padici_take8(in);
    const uint8_t *p;
    if (census && coder < PADICI_CODERS) census->coders[coder]++;
    switch (coder) {
    case PADICI_CODER_RAW:
        p = padici_take(in, n);
        if (p && data && n) memcpy(data, p, n);
        break;
    case PADICI_CODER_CONSTANT: {
        const uint32_t value = padici_take8(in);
        if (data) memset(data, (int)value, n);
        break;
    }
    case PADICI_CODER_PACKED: padici_take_packed(w, in, data, n); break;
    case PADICI_CODER_HUFFMAN: padici_huffman_take(in, data, n, w->table); break;
    case PADICI_CODER_RANS:
        padici_rans_take(in, data, n, w->table, w->loops);
        break;
    case PADICI_CODER_SPARSE:
        if (nested) in->bad = 1;
        else padici_take_sparse(w, in, data, n, census);
        break;
    case PADICI_CODER_CONTEXT: padici_context_take(w, in, data, n); break;
    case PADICI_CODER_REPEAT:
        if (nested) in->bad = 1;
        else padici_take_repeats(w, in, data, n, census);
        break;
    default: in->bad = 1;
    }
}

// room: src/codec/digits.c
// ---- digits: words to streams and back

static void padici_plane_loop(const uint64_t *z, size_t n, uint32_t shift, uint8_t *to)
{
    size_t i;
    for (i = 0; i < n; i++) to[i] = (uint8_t)(z[i] >> shift);
}

// Planes of `bits` = 1, 4 or 8 bits, low to high: u8 planes, a stream each.
static void padici_put_planes(padici_work *w, const uint64_t *z, size_t n, uint32_t bits)
{
    const uint8_t mask = (uint8_t)((1u << bits) - 1);
    uint64_t all = 0;
    uint32_t planes, k;
    size_t i;
    for (i = 0; i < n; i++) all |= z[i];
    planes = (padici_bit_length(all) + bits - 1) / bits;
    padici_put8(&w->out, planes);
    for (k = 0; k < planes; k++) {
        (*w->loops->plane)(z, n, k * bits, w->symbols);
        for (i = 0; i < n && bits < 8; i++) w->symbols[i] &= mask;
        padici_put_stream(w, w->symbols, n, 0);
    }
}

// Up to eight planes of bytes side by side in the list; plain ones stay where they are.
static void padici_begin_planes(padici_work *w, padici_reader *in, size_t n, int skip,
                                padici_census *census, padici_digits *digits)
{
    uint32_t k;
    memset(digits, 0, sizeof *digits);
    digits->planes = padici_take8(in);
    if (digits->planes > 8) in->bad = 1;
    for (k = 0; k < digits->planes && !in->bad; k++) {
        const uint8_t *plain = in->at + 1;
        const int raw = !skip && (size_t)(in->end - in->at) > n && *in->at == PADICI_CODER_RAW;
        uint8_t *to = skip || raw ? NULL : (uint8_t *)w->list + k * (n + 8);
        padici_take_stream(w, in, to, n, 0, census);
        digits->plane[k] = raw ? plain : to;
    }
}

static void padici_next_planes(const padici_digits *digits, uint64_t *z, size_t from, size_t to)
{
    const uint8_t *const *p = digits->plane;
    const uint8_t *a = p[0], *b = p[1], *c = p[2], *d = p[3];
    size_t i;
    uint32_t k;
    switch (digits->planes) {
    case 0: memset(z + from, 0, (to - from) * sizeof *z); return;
    case 1:
        for (i = from; i < to; i++) z[i] = a[i];
        return;
    case 2:
        for (i = from; i < to; i++) z[i] = (uint32_t)a[i] | (uint32_t)b[i] << 8;
        return;
    case 3:
        for (i = from; i < to; i++)
            z[i] = (uint32_t)a[i] | (uint32_t)b[i] << 8 | (uint32_t)c[i] << 16;
        return;
    default:
        for (i = from; i < to; i++)
            z[i] = (uint32_t)a[i] | (uint32_t)b[i] << 8 | (uint32_t)c[i] << 16 |
                   (uint32_t)d[i] << 24;
    }
    for (k = 4; k < digits->planes; k++)
        for (i = from, a = p[k]; i < to; i++) z[i] |= (uint64_t)a[i] << (8 * k);
}

// Planes of nibbles or bits.
static void padici_take_planes(padici_work *w, padici_reader *in, uint64_t *z, size_t n,
                               uint32_t bits, padici_census *census)
{
    const uint32_t planes = padici_take8(in);
    uint32_t k;
    size_t i;
    if (planes * bits > 64) in->bad = 1;
    if (z) memset(z, 0, n * sizeof *z);
    for (k = 0; k < planes && !in->bad; k++) {
        padici_take_stream(w, in, z ? w->symbols : NULL, n, 0, census);
        for (i = 0; z && i < n; i++) z[i] |= (uint64_t)w->symbols[i] << (k * bits);
    }
}

// z = sum d_k p^k: u32 p, u8 planes; then the planes low to high, and of each plane its one to
// three bytes, low to high, a stream each. `left` is what remains to be divided, it may be z.
static void padici_put_prime(padici_work *w, const uint64_t *z, size_t n, uint32_t p,
                             uint64_t *left)
{
    const uint32_t bytes = (padici_bit_length(p - 1) + 7) / 8;
    uint64_t largest = 0;
    uint32_t planes = 0, k, b;
    size_t i;
    for (i = 0; i < n; i++) {
        if (z[i] > largest) largest = z[i];
        left[i] = z[i];
    }
    for (; largest; largest /= p) planes++;
    padici_put32(&w->out, p);
    padici_put8(&w->out, planes);
    for (k = 0; k < planes; k++) {
        for (b = 0; b < bytes; b++) {
            for (i = 0; i < n; i++) w->symbols[i] = (uint8_t)(left[i] % p >> (8 * b));
            padici_put_stream(w, w->symbols, n, 0);
        }
        for (i = 0; i < n; i++) left[i] /= p;
    }
}

static void padici_take_prime(padici_work *w, padici_reader *in, uint64_t *z, size_t n,
                              padici_census *census)
{
    const uint32_t p = padici_take32(in), planes = padici_take8(in);
    const uint32_t bytes = (padici_bit_length(p - 1) + 7) / 8;
    uint64_t power = 1;
    uint32_t k, b;
    size_t i;
    if (p < 2 || p > 65537 || planes > 64) in->bad = 1;
    if (z) memset(z, 0, n * sizeof *z);
    for (k = 0; k < planes && !in->bad; k++, power *= p) {
        for (b = 0; b < bytes && !in->bad; b++) {
            padici_take_stream(w, in, z ? w->symbols : NULL, n, 0, census);
            for (i = 0; z && i < n; i++) z[i] += ((uint64_t)w->symbols[i] << (8 * b)) * power;
        }
    }
}

static void padici_fixed_loop(const uint8_t *p, const uint8_t *end, uint32_t width, uint64_t *z,
                              size_t n)
{
    const uint64_t mask = width ? ~UINT64_C(0) >> ((64 - width) & 63) : 0;
    uint64_t bit = 0;
    size_t i;
    (void)end;
    if (width <= 57) {
        for (i = 0; i < n; i++, bit += width) z[i] = padici_peek(p, bit) & mask;
    } else {
        for (i = 0; i < n; i++, bit += width)
            z[i] = (padici_peek(p, bit) & 0xffffffffu) | ((padici_peek(p, bit + 32) << 32) & mask);
    }
}

// Two or four words at a time where they fit.
static void padici_put_fixed_loop(const uint64_t *z, size_t n, uint32_t width, uint8_t *p,
                                  size_t room)
{
    const uint64_t mask = width ? ~UINT64_C(0) >> ((64 - width) & 63) : 0;
    padici_bits bits;
    size_t i = 0;
    (void)room;
    bits.at = p;
    bits.held = 0;
    bits.count = 0;
    if (width <= 14) {
        for (; i + 4 <= n; i += 4)
            padici_put_bits(&bits,
                            (z[i] & mask) | (z[i + 1] & mask) << width |
                                (z[i + 2] & mask) << 2 * width | (z[i + 3] & mask) << 3 * width,
                            4 * width);
    } else if (width <= 28) {
        for (; i + 2 <= n; i += 2)
            padici_put_bits(&bits, (z[i] & mask) | (z[i + 1] & mask) << width, 2 * width);
    }
    for (; i < n; i++) padici_put_bits64(&bits, z[i] & mask, width);
}

// The width of words [from, to) for which they take least, and what lies above it: u64 words
// without an exception before each one, and its bits above. `count` came before, the last one at
// *before - 1; returns how many there are.
static size_t padici_fixed_group(const uint64_t *z, size_t from, size_t to, uint8_t *chosen,
                                 uint64_t *gaps, uint64_t *high, size_t count, size_t *before)
{
    uint32_t counts[65], apart[65], width, best = 64, above = 0;
    uint64_t cost = UINT64_MAX, all = 0;
    size_t i;
    memset(counts, 0, sizeof counts);
    memset(apart, 0, sizeof apart); // two, as neighbours often meet in one counter
    for (i = from; i + 1 < to; i += 2) {
        counts[padici_bit_length(z[i])]++;
        apart[padici_bit_length(z[i + 1])]++;
        all |= z[i] | z[i + 1];
    }
    if (i < to) counts[padici_bit_length(z[i])]++, all |= z[i];
    for (width = 65; width-- > 0;) {
        // an exception costs its gap and its bits above the width, about
        const uint64_t here = (uint64_t)(to - from) * width + 12 * (uint64_t)above;
        if (8 * above > to - from) break;
        if (here <= cost) cost = here, best = width;
        above += counts[width] + apart[width];
    }
    for (i = from; i < to && best < 64 && all >> best; i++) {
        if (!(z[i] >> best)) continue;
        gaps[count] = i - *before;
        high[count++] = z[i] >> best;
        *before = i + 1;
    }
    *chosen = (uint8_t)best;
    return count;
}

// About what words take so, each run of 32 with a width of its own.
static uint64_t padici_packed_cost(const uint64_t *z, size_t n)
{
    uint64_t total = 0;
    size_t from, i;
    for (from = 0; from < n; from += 32) {
        const size_t to = padici_least(from + 32, n);
        uint64_t cost = UINT64_MAX;
        uint32_t counts[65], width, above = 0;
        memset(counts, 0, sizeof counts);
        for (i = from; i < to; i++) counts[padici_bit_length(z[i])]++;
        for (width = 65; width-- > 0 && 8 * above <= to - from;) {
            const uint64_t here = (uint64_t)(to - from) * width + 16 * (uint64_t)above;
            if (here < cost) cost = here;
            above += counts[width];
        }
        total += cost;
    }
    return total;
}

// Groups of 256 words of one width each, chosen so that few are wider: the widths as a stream, u32
// exceptions with their gaps and what lies above the width, u32 size and bits of the groups.
static void padici_put_fixed(padici_work *w, const uint64_t *z, size_t n)
{
    const size_t groups = (n + PADICI_GROUP - 1) / PADICI_GROUP;
    uint64_t *gaps = w->gaps, *high = w->gaps + w->capacity / 8 + 1;
    uint8_t *size, *start;
    size_t g, exceptions = 0, before = 0;
    for (g = 0; g < groups; g++)
        exceptions = (*w->loops->group)(z, g * PADICI_GROUP,
                                        padici_least((g + 1) * PADICI_GROUP, n), w->symbols + g,
                                        gaps, high, exceptions, &before);
    padici_put_stream(w, w->symbols, groups, 1);
    padici_put32(&w->out, (uint32_t)exceptions);
    if (exceptions) {
        padici_put_classes(w, gaps, exceptions, 2, w->symbols + groups, 1);
        padici_put_classes(w, high, exceptions, 2, w->symbols + groups, 1);
    }
    size = padici_room(&w->out, 4);
    start = w->out.at;
    for (g = 0; g < groups; g++) {
        const size_t from = g * PADICI_GROUP, to = padici_least(from + PADICI_GROUP, n);
        const uint32_t width = w->symbols[g];
        uint8_t *p = padici_room(&w->out, ((to - from) * width + 7) / 8 + 8);
        if (!p) return;
        w->out.at -= 8;
        if (width)
            (*w->loops->put_fixed)(z + from, to - from, width, p, (size_t)(w->out.end - p));
    }
    if (size) padici_store32(size, (uint32_t)(w->out.at - start));
}

static void padici_begin_fixed(padici_work *w, padici_reader *in, size_t n, int skip,
                               padici_census *census, padici_digits *digits)
{
    const size_t groups = (n + PADICI_GROUP - 1) / PADICI_GROUP;
    uint64_t *gaps = skip ? NULL : w->gaps, *high = skip ? NULL : w->gaps + w->capacity / 8 + 1;
    uint8_t *widths = skip ? NULL : w->symbols, *tokens = skip ? NULL : w->symbols + groups;
    size_t exceptions;
    memset(digits, 0, sizeof *digits);
    padici_take_stream(w, in, widths, groups, 1, census);
    digits->exceptions = exceptions = padici_take32(in);
    if (exceptions > n / 8) in->bad = 1;
    if (exceptions && !in->bad) {
        padici_take_classes(w, in, gaps, exceptions, tokens, 1, census);
        padici_take_classes(w, in, high, exceptions, tokens, 1, census);
    }
    digits->end = padici_take32(in);
    digits->plain = padici_take(in, (size_t)digits->end);
    digits->widths = widths;
    digits->gaps = gaps;
    digits->high = high;
    if (exceptions && !in->bad && !skip) digits->place = (size_t)padici_least(gaps[0], n);
    if (census) census->bytes[PADICI_KIND_BITS] += digits->end;
}

// Words [from, to) of n, from a group's begin on. 0: the stream is damaged.
static int padici_next_fixed(const padici_work *w, padici_digits *digits, uint64_t *z, size_t from,
                             size_t to, size_t n)
{
    while (from < to) {
        const size_t count = padici_least(to - from, PADICI_GROUP);
        const uint32_t width = digits->widths[from / PADICI_GROUP];
        const size_t bytes = (count * width + 7) / 8;
        if (width > 64 || bytes > digits->end - digits->at) return 0;
        (*w->loops->fixed)(digits->plain + digits->at, digits->plain + digits->end, width, z + from,
                           count);
        digits->at += bytes;
        from += count;
        while (digits->exceptions && digits->place < from) {
            if (width < 64) z[digits->place] |= *digits->high << width;
            digits->high++;
            digits->exceptions--;
            if (!digits->exceptions) break;
            digits->gaps++;
            if (*digits->gaps >= n - digits->place) return 0;
            digits->place += (size_t)*digits->gaps + 1;
        }
    }
    return to < n || (digits->at == digits->end && digits->exceptions == 0);
}

// z = 2^v u: the valuations v as a stream (64 for z = 0), then (u - 1) / 2 in classes.
static void padici_put_unit(padici_work *w, const uint64_t *z, size_t n, uint32_t m,
                            uint64_t *units)
{
    size_t i;
    for (i = 0; i < n; i++) {
        const uint32_t v = z[i] ? padici_ctz64(z[i]) : 64;
        w->symbols[i] = (uint8_t)v;
        units[i] = z[i] ? z[i] >> v >> 1 : 0;
    }
    padici_put_stream(w, w->symbols, n, 0);
    padici_put_classes(w, units, n, m, w->symbols, 0);
}

static void padici_take_unit(padici_work *w, padici_reader *in, uint64_t *z, size_t n,
                             padici_census *census)
{
    // the classes need `symbols` too, so the valuations wait in the list
    uint8_t *valuations = z ? (uint8_t *)w->list : NULL;
    size_t i;
    padici_take_stream(w, in, valuations, n, 0, census);
    padici_take_classes(w, in, z, n, z ? w->symbols : NULL, 0, census);
    if (in->bad || !z) return;
    for (i = 0; i < n; i++) {
        if (valuations[i] > 64) in->bad = 1;
        z[i] = valuations[i] < 64 ? (2 * z[i] + 1) << valuations[i] : 0;
    }
}

// Distinct words of z, the most frequent first, to w->gaps and the rank of each word to ranks,
// which may be z. Returns how many there are; 0 where there are more than `most`, which is at
// most 4096 and n / 16.
static uint32_t padici_make_table(padici_work *w, const uint64_t *z, size_t n, uint32_t most,
                                  uint64_t *ranks)
{
    const uint32_t slots = 1u << 14;
    uint32_t *slot = w->hash, *counts = w->hash + slots, *order = counts + 4096, used = 0, gap, i;
    uint64_t *value = w->gaps;
    size_t k;
    memset(slot, 0, slots * sizeof *slot);
    for (k = 0; k < n; k++) {
        uint32_t at = (uint32_t)((z[k] * UINT64_C(0x9e3779b97f4a7c15)) >> 50);
        while (slot[at] && value[slot[at] - 1] != z[k]) at = (at + 1) & (slots - 1);
        if (!slot[at]) {
            if (used == most) return 0;
            value[used] = z[k];
            counts[used] = 0;
            slot[at] = ++used;
        }
        counts[slot[at] - 1]++;
    }
    for (i = 0; i < used; i++) order[i] = i;
    for (gap = 3280; gap; gap /= 3) { // shell sort: by count, then by value
        for (i = gap; i < used; i++) {
            const uint32_t o = order[i];
            uint32_t j = i;
            for (; j >= gap && (counts[order[j - gap]] < counts[o] ||
                                (counts[order[j - gap]] == counts[o] &&
                                 value[order[j - gap]] > value[o]));
                 j -= gap)
                order[j] = order[j - gap];
            order[j] = o;
        }
    }
    for (i = 0; i < used; i++) counts[order[i]] = i;
    for (k = 0; k < n; k++) {
        uint32_t at = (uint32_t)((z[k] * UINT64_C(0x9e3779b97f4a7c15)) >> 50);
        while (value[slot[at] - 1] != z[k]) at = (at + 1) & (slots - 1);
        ranks[k] = counts[slot[at] - 1];
    }
    for (i = 0; i < used; i++) value[used + counts[i]] = value[i];
    memmove(value, value + used, used * sizeof *value);
    return used;
}

static uint32_t padici_table_most(size_t n)
{
    return n / 16 < 4096 ? (uint32_t)(n / 16) : 4096;
}

// u32 count, the table as a list, the ranks as classes. Without a table (too many words) it is
// empty and the ranks are the words.
static void padici_put_table(padici_work *w, const uint64_t *z, size_t n, uint64_t *ranks)
{
    const uint32_t used = padici_make_table(w, z, n, padici_table_most(n), ranks);
    uint64_t cost;
    padici_put32(&w->out, used);
    padici_put_classes(w, w->gaps, used, 2, w->symbols, 1);
    if (!used) memcpy(ranks, z, n * sizeof *z);
    padici_put_classes(w, ranks, n, padici_choose_mantissa(ranks, n, 1, &cost), w->symbols, 0);
}

static void padici_take_table(padici_work *w, padici_reader *in, uint64_t *z, size_t n,
                              padici_census *census)
{
    const size_t used = padici_take32(in);
    uint64_t *table = z ? w->list : NULL;
    size_t i;
    if (used > n) in->bad = 1;
    if (in->bad) return;
    padici_take_classes(w, in, table, used, z ? w->symbols : NULL, 1, census);
    padici_take_classes(w, in, z, n, z ? w->symbols : NULL, 0, census);
    for (i = 0; i < n && z && used && !in->bad; i++) {
        if (z[i] >= used) in->bad = 1;
        else z[i] = table[z[i]];
    }
}

static void padici_put_digits(padici_work *w, uint32_t digits, const uint64_t *z, size_t n,
                              uint32_t m, uint64_t *space)
{
    switch (digits) {
    case PADICI_DIGITS_TABLE: padici_put_table(w, z, n, space); break;
    case PADICI_DIGITS_BYTES: padici_put_planes(w, z, n, 8); break;
    case PADICI_DIGITS_NIBBLES: padici_put_planes(w, z, n, 4); break;
    case PADICI_DIGITS_BITS: padici_put_planes(w, z, n, 1); break;
    case PADICI_DIGITS_PACKED: padici_put_fixed(w, z, n); break;
    case PADICI_DIGITS_UNIT: padici_put_unit(w, z, n, m, space); break;
    case PADICI_DIGITS_PRIME: padici_put_prime(w, z, n, w->prime, space); break;
    default: padici_put_classes(w, z, n, m, w->symbols, 0);
    }
}

// Begins a block's digits. Classes, bytes and groups come word by word from padici_next_digits(),
// all others are in z when this returns.
static void padici_begin_digits(padici_work *w, padici_reader *in, uint32_t kind, uint64_t *z,
                                size_t n, padici_census *census, padici_digits *digits)
{
    switch (kind) {
    case PADICI_DIGITS_CLASS:
        padici_begin_classes(w, in, n, z ? w->symbols : NULL, 0, census, digits);
        break;
    case PADICI_DIGITS_BYTES: padici_begin_planes(w, in, n, z == NULL, census, digits); break;
    case PADICI_DIGITS_NIBBLES: padici_take_planes(w, in, z, n, 4, census); break;
    case PADICI_DIGITS_BITS: padici_take_planes(w, in, z, n, 1, census); break;
    case PADICI_DIGITS_PACKED: padici_begin_fixed(w, in, n, z == NULL, census, digits); break;
    case PADICI_DIGITS_UNIT: padici_take_unit(w, in, z, n, census); break;
    case PADICI_DIGITS_PRIME: padici_take_prime(w, in, z, n, census); break;
    case PADICI_DIGITS_TABLE: padici_take_table(w, in, z, n, census); break;
    default: in->bad = 1;
    }
}

static void padici_next_digits(const padici_work *w, uint32_t kind, padici_digits *digits,
                               padici_reader *in, uint64_t *z, size_t from, size_t to, size_t n)
{
    if (kind == PADICI_DIGITS_BYTES) {
        (*w->loops->planes)(digits, z, from, to);
    } else if (kind == PADICI_DIGITS_PACKED) {
        if (!padici_next_fixed(w, digits, z, from, to, n)) in->bad = 1;
    } else if (kind == PADICI_DIGITS_CLASS) {
        if ((*w->loops->classes)(digits, z, from, to) < to) in->bad = 1;
        if (to == n && !padici_ends(digits->plain, digits->at, digits->end)) in->bad = 1;
    }
}

// room: src/codec/forms.c
// ---- forms: elements to integers and back

PADICI_INLINE uint64_t padici_bits_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, 8);
    return bits;
}

PADICI_INLINE double padici_double_of(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, 8);
    return x;
}

PADICI_INLINE float padici_float_of(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, 4);
    return x;
}

// A binary float of m mantissa and e exponent bits in a wider format of M and E: exactly, bit by
// bit, NaN payloads too.
static uint64_t padici_widen_bits(uint64_t bits, uint32_t m, uint32_t e, uint32_t M, uint32_t E)
{
    const uint64_t top = (UINT64_C(1) << e) - 1, sign = bits >> (m + e) << (M + E);
    uint64_t fraction = bits & ((UINT64_C(1) << m) - 1), exponent = bits >> m & top;
    const uint64_t shift = (((UINT64_C(1) << E) - 1) >> 1) - (top >> 1); // between the biases
    if (E == e) return bits << (M - m);
    if (exponent == top)
        exponent = (UINT64_C(1) << E) - 1;
    else if (exponent)
        exponent += shift;
    else if (fraction) { // subnormal here, normal there
        const uint32_t up = m - (63 - padici_clz64(fraction));
        fraction = fraction << up & ((UINT64_C(1) << m) - 1);
        exponent = shift + 1 - up;
    }
    return sign | exponent << M | fraction << (M - m);
}

// The nearest float of `mantissa` and `exponent` bits to a double, ties to even.
PADICI_INLINE uint32_t padici_narrow(double x, uint32_t mantissa, uint32_t exponent)
{
    const uint64_t bits = padici_bits_of(x), m = bits & (~UINT64_C(0) >> 12);
    const uint32_t sign = (uint32_t)(bits >> 63) << (mantissa + exponent);
    const uint32_t top = (1u << exponent) - 1;
    const int32_t bias = (int32_t)(top >> 1), e = (int32_t)(bits >> 52 & 0x7ff);
    int32_t to = e - 1023 + bias;
    uint32_t shift = 52 - mantissa, result;
    uint64_t significand, rest, half;
    if (to > 0 && to < (int32_t)top) { // normal: round in place, a carry goes into the exponent
        const uint64_t odd = bits >> shift & 1;
        const uint64_t up = bits + ((UINT64_C(1) << (shift - 1)) - 1 + odd);
        return sign | ((uint32_t)(up >> shift & (~UINT64_C(0) >> 1 >> shift)) -
                       ((uint32_t)(1023 - bias) << mantissa));
    }
    if (e == 0x7ff) return sign | top << mantissa | (m ? 1u << (mantissa - 1) : 0);
    if (e == 0) return sign;
    significand = m | UINT64_C(1) << 52;
    if (to <= 0) {
        shift += (uint32_t)(1 - to);
        to = 0;
    }
    if (shift > 54) return sign;
    result = (uint32_t)(significand >> shift);
    rest = significand & ((UINT64_C(1) << shift) - 1);
    half = UINT64_C(1) << (shift - 1);
    if (rest > half || (rest == half && (result & 1))) result++;
    // the leading one, or a carry into it, adds itself to the exponent field
    if (to > 0) result += (uint32_t)(to - 1) << mantissa;
    return sign | (result >= top << mantissa ? top << mantissa : result);
}

static int padici_is_float(padic_dtype dtype)
{
    return dtype >= PADIC_F64 && dtype <= PADIC_BF16;
}

static int padici_is_signed(padic_dtype dtype)
{
    return dtype >= PADIC_I8 && dtype <= PADIC_I64;
}

// Element i of a little-endian array of `size`-byte elements, as bits.
PADICI_INLINE uint64_t padici_element(const uint8_t *raw, size_t i, uint32_t size)
{
    switch (size) {
    case 1: return raw[i];
    case 2: return padici_load16(raw + 2 * i);
    case 4: return padici_load32(raw + 4 * i);
    default: return padici_load64(raw + 8 * i);
    }
}

PADICI_INLINE void padici_set_element(uint8_t *raw, size_t i, uint32_t size, uint64_t bits)
{
    switch (size) {
    case 1: raw[i] = (uint8_t)bits; break;
    case 2: padici_store16(raw + 2 * i, (uint16_t)bits); break;
    case 4: padici_store32(raw + 4 * i, (uint32_t)bits); break;
    default: padici_store64(raw + 8 * i, bits);
    }
}

// The value of a float element, exactly.
PADICI_INLINE double padici_value(padic_dtype dtype, uint64_t bits)
{
    switch (dtype) {
    case PADIC_F64: return padici_double_of(bits);
    case PADIC_F32: return (double)padici_float_of((uint32_t)bits);
    case PADIC_F16: return padici_double_of(padici_widen_bits(bits, 10, 5, 52, 11));
    default: return padici_double_of(padici_widen_bits(bits, 7, 8, 52, 11));
    }
}

// The float element nearest to x. `single` rounds an f64 to f32 on the way.
PADICI_INLINE uint64_t padici_rounded(padic_dtype dtype, double x, int single)
{
    switch (dtype) {
    case PADIC_F64: return padici_bits_of(single ? (double)(float)x : x);
    case PADIC_F32: {
        const float y = (float)x;
        uint32_t bits;
        memcpy(&bits, &y, 4);
        return bits;
    }
    case PADIC_F16: return padici_narrow(x, 10, 5);
    default: return padici_narrow(x, 7, 8);
    }
}

// Order-preserving: a negative float of magnitude m becomes -m - 1, so -0 is just below 0.
// Integers are themselves.
PADICI_INLINE uint64_t padici_ordered(padic_dtype dtype, uint64_t bits, uint32_t size)
{
    const uint32_t shift = 64 - 8 * size;
    const int64_t wide = (int64_t)(bits << shift) >> shift;
    if (!padici_is_float(dtype)) return padici_is_signed(dtype) ? (uint64_t)wide : bits;
    return (uint64_t)wide ^ ((uint64_t)(wide >> 63) >> 1 >> shift);
}

// The caller cuts it to size.
PADICI_INLINE uint64_t padici_unordered(padic_dtype dtype, uint64_t n, uint32_t size)
{
    if (!padici_is_float(dtype)) return n;
    return n ^ ((uint64_t)((int64_t)n >> 63) >> 1 >> (64 - 8 * size));
}

// The same of a word whose upper bits have no part in it, so that it may be of 8 `size` bits.
PADICI_INLINE uint64_t padici_unordered_low(padic_dtype dtype, uint64_t n, uint32_t size)
{
    const uint32_t above = 64 - 8 * size;
    return padici_unordered(dtype, (uint64_t)((int64_t)(n << above) >> above), size);
}

// The reading of a block: what turns word n into an element.
//     BITS     the n-th float in order, or the integer n; with `shift` (floats), the magnitude
//              n 2^shift
//     FIELDS   the bits, rotated right by one
//     SCALE    n g          AFFINE   (n g) + o          DECIMAL   n / g
// in double arithmetic, each operation rounded, the result rounded once more to the dtype; for
// integers n g and n g + o modulo 2^64.
typedef struct padici_form {
    uint32_t kind, shift;
    int single; // f64 rounded to f32
    uint64_t g, o; // bits of doubles, or integers
    uint64_t first, step; // the coset that n is taken from: first + step n'
    uint64_t round; // packer, BITS: unless 0, words are n', of the nearest multiple of this
} padici_form;

PADICI_INLINE uint64_t padici_apply(const padici_form *form, uint32_t kind, padic_dtype dtype,
                                    uint32_t size, uint64_t n, double g, double o, int single)
{
    double x;
    if (kind == PADICI_FORM_BITS) {
        // what lies above the element's bits has no part in n, nor in what comes of the shift
        const uint64_t negative = (uint64_t)((int64_t)(n << (64 - 8 * size)) >> 63);
        if (form->shift == 0) return padici_unordered_low(dtype, n, size);
        return ((n ^ negative) << form->shift) ^ (negative << (8 * size - 1));
    }
    if (kind == PADICI_FORM_FIELDS) {
        const uint64_t mask = ~UINT64_C(0) >> (64 - 8 * size);
        return (n & mask) >> 1 | (n & 1) << (8 * size - 1);
    }
    if (!padici_is_float(dtype)) return form->o + form->g * n;
    x = (double)(int64_t)n;
    x = kind == PADICI_FORM_DECIMAL ? x / g : x * g;
    if (kind == PADICI_FORM_AFFINE) x += o;
    return padici_rounded(dtype, x, single);
}

#define PADICI_COMMON_LOOPS                                                                       \
    PADICI_LOOP(PADICI_FORM_BITS, PADIC_F64, 8)                                                   \
    PADICI_LOOP(PADICI_FORM_BITS, PADIC_F32, 4)                                                   \
    PADICI_LOOP(PADICI_FORM_BITS, PADIC_F16, 2)                                                   \
    PADICI_LOOP(PADICI_FORM_FIELDS, PADIC_F64, 8)                                                 \
    PADICI_LOOP(PADICI_FORM_FIELDS, PADIC_F32, 4)                                                 \
    PADICI_LOOP(PADICI_FORM_FIELDS, PADIC_F16, 2)                                                 \
    PADICI_LOOP(PADICI_FORM_FIELDS, PADIC_BF16, 2)                                                \
    PADICI_LOOP(PADICI_FORM_SCALE, PADIC_F64, 8)                                                  \
    PADICI_LOOP(PADICI_FORM_SCALE, PADIC_F32, 4)                                                  \
    PADICI_LOOP(PADICI_FORM_SCALE, PADIC_F16, 2)                                                  \
    PADICI_LOOP(PADICI_FORM_DECIMAL, PADIC_F64, 8)                                                \
    PADICI_LOOP(PADICI_FORM_DECIMAL, PADIC_F32, 4)

PADICI_INLINE void padici_apply_loop(const padici_form *given, uint32_t kind, padic_dtype dtype,
                                     uint32_t size, const uint64_t *words, uint8_t *raw, size_t n)
{
    const padici_form form = *given; // a copy: nothing that is written can be part of it
    const double g = padici_double_of(form.g), o = padici_double_of(form.o);
    const uint64_t first = form.first, step = form.step;
    size_t i;
    if (kind == PADICI_FORM_BITS && form.shift == 0 && step == 1) {
        for (i = 0; i < n; i++)
            padici_set_element(raw, i, size,
                               padici_unordered_low(dtype, first + words[i], size));
    } else if (dtype == PADIC_F64 && form.single) {
        for (i = 0; i < n; i++)
            padici_set_element(raw, i, size,
                               padici_apply(&form, kind, dtype, size, first + step * words[i], g,
                                            o, 1));
    } else {
        for (i = 0; i < n; i++)
            padici_set_element(raw, i, size,
                               padici_apply(&form, kind, dtype, size, first + step * words[i], g,
                                            o, 0));
    }
}

// Loops of their own for the common forms and dtypes, one for all others: the compiler makes them
// out of the same lines.
static void padici_words_to_elements(const padici_form *form, padic_dtype dtype,
                                     const uint64_t *words, uint8_t *raw, size_t n)
{
    const uint32_t size = padic_dtype_size(dtype);
#define PADICI_LOOP(KIND, DTYPE, SIZE)                                                            \
    if (form->kind == (KIND) && dtype == (DTYPE)) {                                               \
        padici_apply_loop(form, KIND, DTYPE, SIZE, words, raw, n);                                \
        return;                                                                                   \
    }
    PADICI_COMMON_LOOPS
#undef PADICI_LOOP
    padici_apply_loop(form, form->kind, dtype, size, words, raw, n);
}

// room: src/codec/prediction.c
// ---- prediction: chains of differences, xor, median edge

// A block of elements as an array: the scalar axes, complex numbers as a last axis of two.
typedef struct padici_box {
    padic_dtype dtype; // never complex
    uint32_t size;     // bytes of an element
    uint32_t rank;
    uint32_t extent[PADIC_MAX_RANK + 1];
    size_t n;
} padici_box;

// Difference at distance `stride` inside segments of `segment` elements: one axis of the box.
typedef struct padici_op {
    uint32_t axis; // PADICI_FLAT: a stride of its own over the whole sequence
    uint32_t stride, segment;
    uint32_t cubic; // interpolation: bit l, where the distance is 2^l
} padici_op;

typedef struct padici_predictor {
    uint32_t kind, count;
    uint32_t scale; // interpolation: residuals are multiples of it, and divided
    padici_op op[PADICI_MAX_OPS]; // median: the column axis, then the row axis
    uint32_t taps, shift;         // linear: weights are multiples of 2^-shift
    padic_dtype dtype;            // of the elements where they are added up as floats, else NONE
    double *values;               // then room for all of them
    int32_t weight[PADICI_MAX_TAPS];
    int8_t back[PADICI_MAX_TAPS][PADICI_TAP_AXES]; // steps back on the axis of each op
} padici_predictor;

static padici_op padici_axis_op(const padici_box *box, uint32_t axis)
{
    padici_op op;
    uint32_t i;
    op.axis = axis;
    op.stride = 1;
    for (i = axis + 1; i < box->rank; i++) op.stride *= box->extent[i];
    op.segment = op.stride * box->extent[axis];
    op.cubic = 0;
    return op;
}

static padici_op padici_flat_op(uint32_t stride, size_t n)
{
    padici_op op;
    op.axis = PADICI_FLAT;
    op.stride = stride;
    op.segment = (uint32_t)n;
    op.cubic = 0;
    return op;
}

PADICI_INLINE uint64_t padici_fold(uint64_t residual)
{
    return residual << 1 ^ (uint64_t)((int64_t)residual >> 63);
}

PADICI_INLINE uint64_t padici_unfold(uint64_t z)
{
    return z >> 1 ^ (0 - (z & 1));
}

// What the median edge predictor expects from left, above and corner.
PADICI_INLINE uint64_t padici_median(uint64_t left, uint64_t above, uint64_t corner)
{
    const int64_t a = (int64_t)left, b = (int64_t)above, c = (int64_t)corner;
    const int64_t low = a < b ? a : b, high = a < b ? b : a;
    if (c >= high) return (uint64_t)low;
    if (c <= low) return (uint64_t)high;
    return left + above - corner;
}

// The inverse of one difference or xor on x[from..to) of a sequence that is done before `from`:
// running sums, of unfolded words if `zigzag`. Sums at distances below 8 are carried along in
// `carry`; larger distances look back.
PADICI_INLINE void padici_sum_loop(uint64_t *x, size_t from, size_t to, const padici_op *op,
                                   uint64_t *carry, int zigzag, int exclusive)
{
    const size_t stride = op->stride, segment = op->segment;
    size_t i = from, lane;
    while (i < to) {
        const size_t place = i % segment, end = padici_least(i + segment - place, to);
        if (stride < 8) {
            if (place == 0) memset(carry, 0, 8 * sizeof *carry);
            for (lane = 0; lane < stride && i + lane < end; lane++) {
                const size_t which = stride == 1 ? 0 : (place + lane) % stride;
                uint64_t sum = carry[which];
                size_t j;
                for (j = i + lane; j < end; j += stride) {
                    const uint64_t r = zigzag ? padici_unfold(x[j]) : x[j];
                    x[j] = sum = exclusive ? sum ^ r : sum + r;
                }
                carry[which] = sum;
            }
        } else {
            const size_t edge = place < stride ? padici_least(i + stride - place, end) : i;
            for (; zigzag && i < edge; i++) x[i] = padici_unfold(x[i]);
            for (i = edge; i < end; i++) {
                const uint64_t r = zigzag ? padici_unfold(x[i]) : x[i];
                x[i] = exclusive ? r ^ x[i - stride] : r + x[i - stride];
            }
        }
        i = end;
    }
}

static void padici_sum(uint64_t *x, size_t from, size_t to, const padici_op *op, uint64_t carry[8],
                       int zigzag, int exclusive)
{
    if (exclusive)
        padici_sum_loop(x, from, to, op, carry, 0, 1);
    else if (zigzag)
        padici_sum_loop(x, from, to, op, carry, 1, 0);
    else
        padici_sum_loop(x, from, to, op, carry, 0, 0);
}

// And forwards: downwards, so that x may be `to`.
PADICI_INLINE void padici_difference_loop(const uint64_t *x, uint64_t *to, size_t n,
                                          const padici_op *op, int zigzag, int exclusive)
{
    const size_t stride = op->stride, segment = op->segment;
    size_t from, i;
    for (from = 0; from < n; from += segment) {
        const size_t end = padici_least(from + segment, n);
        const size_t edge = padici_least(from + stride, end);
        for (i = end; i > edge; i--) {
            const uint64_t before = x[i - 1 - stride];
            const uint64_t r = exclusive ? x[i - 1] ^ before : x[i - 1] - before;
            to[i - 1] = zigzag ? padici_fold(r) : r;
        }
        for (i = from; i < edge; i++) to[i] = zigzag ? padici_fold(x[i]) : x[i];
    }
}

static void padici_difference(const uint64_t *x, uint64_t *to, size_t n, const padici_op *op,
                              int zigzag, int exclusive)
{
    if (exclusive)
        padici_difference_loop(x, to, n, op, 0, 1);
    else if (zigzag)
        padici_difference_loop(x, to, n, op, 1, 0);
    else
        padici_difference_loop(x, to, n, op, 0, 0);
}

PADICI_INLINE void padici_lower_loop(uint64_t *x, size_t n, uint64_t first, uint32_t shift)
{
    size_t i;
    for (i = 0; i < n; i++) x[i] = (x[i] - first) >> shift;
}

static void padici_lower(uint64_t *x, size_t n, uint64_t first, uint32_t shift)
{
    padici_lower_loop(x, n, first, shift);
}

static uint64_t padici_least_word(const uint64_t *x, size_t n, uint64_t *differ)
{
    uint64_t low = x[0], all = 0;
    size_t i;
    for (i = 0; i < n; i++) {
        if ((int64_t)x[i] < (int64_t)low) low = x[i];
        all |= x[i] ^ x[0];
    }
    *differ = all;
    return low;
}

static size_t padici_count_runs(const uint64_t *z, size_t n)
{
    size_t i, runs = 1;
    for (i = 1; i < n; i++) runs += z[i] != z[i - 1];
    return runs;
}

// Row by row, with the edges apart from the inside.
static void padici_unpredict_median(const padici_predictor *predictor, uint64_t *x, size_t n,
                                    int zigzag)
{
    const size_t column = predictor->op[0].stride, row = predictor->op[1].stride;
    const size_t plane = predictor->op[1].segment;
    size_t from, at, i;
    for (i = 0; zigzag && i < n; i++) x[i] = padici_unfold(x[i]);
    for (from = 0; from < n; from += plane) {
        const size_t end = padici_least(from + plane, n);
        for (at = from; at < end; at += row) {
            const size_t row_end = padici_least(at + row, end);
            const size_t edge = padici_least(at + column, row_end);
            if (at == from) {
                for (i = edge; i < row_end; i++) x[i] += x[i - column];
                continue;
            }
            for (i = at; i < edge; i++) x[i] += x[i - row];
            for (; i < row_end; i++)
                x[i] += padici_median(x[i - column], x[i - row], x[i - row - column]);
        }
    }
}

// What lies between the words at distance d on both sides of x[i]: the mean; with two more on each
// side the cubic through all four; at the end of an axis what lies before. Modulo 2^64.
PADICI_INLINE uint64_t padici_between_words(const uint64_t *x, size_t i, size_t d, uint32_t order)
{
    if (order == 0) return x[i - d];
    if (order == 1) return (uint64_t)((int64_t)(x[i - d] + x[i + d]) >> 1);
    return (uint64_t)((int64_t)(9 * (x[i - d] + x[i + d]) - x[i - 3 * d] - x[i + 3 * d] + 8) >> 4);
}

// What interpolation does with the words of a block: residuals become words (UNDO), or words
// become residuals in z (DO), or words go to the nearest that differs from what is predicted for
// them by a multiple of the scale, in the order in which a reader finds them (CLOSE).
enum { PADICI_INTERPOLATE_UNDO, PADICI_INTERPOLATE_DO, PADICI_INTERPOLATE_CLOSE };

PADICI_INLINE void padici_interpolate_point(uint64_t *x, uint64_t *z, size_t i, uint64_t between,
                                            int64_t scale, int what)
{
    int64_t apart;
    if (what == PADICI_INTERPOLATE_UNDO) {
        x[i] = x[i] * (uint64_t)scale + between;
        return;
    }
    apart = (int64_t)(x[i] - between);
    if (what == PADICI_INTERPOLATE_DO) {
        z[i] = (uint64_t)(scale == 1 ? apart : apart / scale);
    } else {
        const int64_t rest = apart % scale;
        apart = apart / scale + (rest > scale / 2) - (rest < -scale / 2);
        x[i] = between + (uint64_t)apart * (uint64_t)scale;
    }
}

// The points of one level and axis: odd multiples of `step` on op[which]; multiples of step on the
// axes before it, of 2 step on those after.
PADICI_INLINE void padici_interpolate_axis(const padici_predictor *predictor, uint32_t which,
                                           uint32_t level, uint64_t *x, uint64_t *z, int64_t scale,
                                           int what)
{
    const padici_op *op = predictor->op;
    const size_t step = (size_t)1 << level, stride = op[which].stride;
    const size_t extent = op[which].segment / stride, d = step * stride;
    const int cubic = op[which].cubic >> level & 1;
    size_t at[PADICI_MAX_OPS], c;
    uint32_t k;
    for (k = 0; k < predictor->count; k++) at[k] = 0;
    for (;;) {
        size_t base = 0;
        for (k = 0; k < predictor->count; k++) base += at[k] * op[k].stride;
        for (c = step; c < extent; c += 2 * step) {
            const size_t i = base + c * stride;
            uint32_t order = 0;
            if (c + step < extent) order = cubic && c >= 3 * step && c + 3 * step < extent ? 2 : 1;
            padici_interpolate_point(x, z, i, padici_between_words(x, i, d, order), scale, what);
        }
        for (k = predictor->count; k-- > 0;) {
            if (k == which) continue;
            at[k] += k < which ? step : 2 * step;
            if (at[k] < op[k].segment / op[k].stride) break;
            at[k] = 0;
        }
        if (k == UINT32_MAX) return;
    }
}

// Level by level, from the distance that reaches over all axes down to 1; each axis in turn. The
// first word is its own residual.
static void padici_interpolate(const padici_predictor *predictor, uint64_t *x, uint64_t *z,
                               int what)
{
    const int64_t scale = (int64_t)predictor->scale;
    uint32_t level = 0, k;
    for (k = 0; k < predictor->count; k++)
        while ((size_t)1 << level < predictor->op[k].segment / predictor->op[k].stride) level++;
    padici_interpolate_point(x, z, 0, 0, scale, what);
    while (level-- > 0) {
        for (k = 0; k < predictor->count; k++) { // the packer's scale divides sooner as a constant
            if (what == PADICI_INTERPOLATE_UNDO)
                padici_interpolate_axis(predictor, k, level, x, z, scale, PADICI_INTERPOLATE_UNDO);
            else if (what == PADICI_INTERPOLATE_DO && scale == 31)
                padici_interpolate_axis(predictor, k, level, x, z, 31, PADICI_INTERPOLATE_DO);
            else if (what == PADICI_INTERPOLATE_DO)
                padici_interpolate_axis(predictor, k, level, x, z, scale, PADICI_INTERPOLATE_DO);
            else if (scale == 31)
                padici_interpolate_axis(predictor, k, level, x, z, 31, PADICI_INTERPOLATE_CLOSE);
            else
                padici_interpolate_axis(predictor, k, level, x, z, scale, PADICI_INTERPOLATE_CLOSE);
        }
    }
}

static void padici_between_loop(const padici_predictor *predictor, uint64_t *x, size_t n,
                                int zigzag)
{
    size_t i;
    for (i = 0; zigzag && i < n; i++) x[i] = padici_unfold(x[i]);
    padici_interpolate(predictor, x, NULL, PADICI_INTERPOLATE_UNDO);
}

// The weighted neighbours of a word, those that are there; what is missing of the sum of all
// weights goes to the first. Behind them weights of 0, to a multiple of four.
typedef struct padici_taps {
    uint32_t count;
    uint32_t distance[PADICI_MAX_TAPS];
    int64_t weight[PADICI_MAX_TAPS];
} padici_taps;

// A word's coordinates on the axes of the ops.
typedef struct padici_point {
    int64_t at[PADICI_TAP_AXES], extent[PADICI_TAP_AXES];
} padici_point;

static void padici_find_taps(const padici_predictor *predictor, const padici_point *point,
                             padici_taps *taps)
{
    int64_t sum = 0;
    uint32_t t, k;
    taps->count = 0;
    for (t = 0; t < predictor->taps; t++) {
        int64_t distance = 0;
        int there = 1;
        for (k = 0; k < predictor->count; k++) {
            const int64_t back = predictor->back[t][k], at = point->at[k] - back;
            there &= at >= 0 && at < point->extent[k];
            distance += back * (int64_t)predictor->op[k].stride;
        }
        sum += predictor->weight[t];
        if (!there) continue;
        taps->distance[taps->count] = (uint32_t)distance;
        taps->weight[taps->count] = predictor->weight[t];
        if (taps->count++) sum -= predictor->weight[t];
    }
    if (taps->count == 0) return;
    taps->weight[0] = sum;
    for (t = taps->count; t % 4; t++) {
        taps->distance[t] = taps->distance[0];
        taps->weight[t] = 0;
    }
}

// How far neighbours reach on the axis of op k: back, and ahead.
static void padici_tap_reach(const padici_predictor *predictor, uint32_t k, int64_t reach[2])
{
    uint32_t t;
    reach[0] = reach[1] = 0;
    for (t = 0; t < predictor->taps; t++) {
        const int64_t back = predictor->back[t][k];
        if (back > reach[0]) reach[0] = back;
        if (-back > reach[1]) reach[1] = -back;
    }
}

// What is done with the words of a block: residuals become words, or folded ones do, or words
// become residuals in z.
enum { PADICI_LINEAR_UNDO, PADICI_LINEAR_UNFOLD, PADICI_LINEAR_DO };

PADICI_INLINE void padici_linear_run(const padici_taps *taps, uint32_t shift, uint64_t *x,
                                     uint64_t *z, size_t from, size_t to, int what)
{
    const uint64_t half = (uint64_t)1 << shift >> 1;
    size_t i;
    if (taps->count == 0) {
        for (i = from; i < to && what != PADICI_LINEAR_UNDO; i++) {
            if (what == PADICI_LINEAR_DO) z[i - from] = x[i];
            else x[i] = padici_unfold(x[i]);
        }
        return;
    }
    for (i = from; i < to; i++) {
        uint64_t sum = half, about;
        uint32_t t;
        for (t = (taps->count + 3) & ~3u; t > 0; t -= 4) { // the nearest last: known last
            const uint32_t *d = taps->distance + t - 4;
            const int64_t *weight = taps->weight + t - 4;
            sum += (uint64_t)weight[3] * x[i - d[3]] + (uint64_t)weight[2] * x[i - d[2]];
            sum += (uint64_t)weight[1] * x[i - d[1]];
            sum += (uint64_t)weight[0] * x[i - d[0]];
        }
        about = x[i - taps->distance[0]] + (uint64_t)((int64_t)sum >> shift);
        if (what == PADICI_LINEAR_DO) z[i - from] = x[i] - about;
        else x[i] = about + (what == PADICI_LINEAR_UNFOLD ? padici_unfold(x[i]) : x[i]);
    }
}

static void padici_linear_words(const padici_taps *taps, uint32_t shift, uint64_t *x, uint64_t *z,
                                size_t from, size_t to, int what)
{
    if (what == PADICI_LINEAR_DO)
        padici_linear_run(taps, shift, x, z, from, to, PADICI_LINEAR_DO);
    else if (what == PADICI_LINEAR_UNFOLD)
        padici_linear_run(taps, shift, x, NULL, from, to, PADICI_LINEAR_UNFOLD);
    else
        padici_linear_run(taps, shift, x, NULL, from, to, PADICI_LINEAR_UNDO);
}

static void padici_outer_loop(double *sums, size_t row, const double *y, uint32_t m, double counts)
{
    uint32_t j, k;
    for (j = 0; j <= m; j++, sums += row) {
        const double f = y[j] * counts;
        for (k = j; k <= m; k++) sums[k] += f * y[k];
    }
}

// A float by its word (BITS); what is not finite counts as 0.
PADICI_INLINE double padici_word_value(padic_dtype dtype, uint64_t word)
{
    const uint32_t size = dtype == PADIC_F64 ? 8 : 4;
    const double x = padici_value(dtype, padici_unordered_low(dtype, word, size));
    return x - x == 0 ? x : 0;
}

// The same with floats: sums of doubles from the last tap to the first, each operation rounded; and
// the word is that of the float which is nearest.
typedef struct padici_float_taps {
    double factor[PADICI_MAX_TAPS];
    int32_t back[PADICI_MAX_TAPS];
    uint32_t count;
} padici_float_taps;

static void padici_float_taps_make(const padici_predictor *predictor, const padici_taps *taps,
                                   padici_float_taps *made)
{
    const double unit = padici_double_of((uint64_t)(1023 - predictor->shift) << 52);
    uint32_t t;
    made->count = taps->count;
    for (t = 0; t < taps->count; t++) {
        made->factor[t] = (double)taps->weight[t] * unit;
        made->back[t] = -(int32_t)taps->distance[t];
    }
}

// The word that neighbours tell; `value` stands at it.
PADICI_INLINE uint64_t padici_float_about(const padici_float_taps *taps, padic_dtype dtype,
                                          const double *value)
{
    const uint32_t size = dtype == PADIC_F64 ? 8 : 4;
    uint32_t t;
    double sum = 0;
    if (taps->count == 0) return 0;
    for (t = taps->count; t-- > 0;) sum += taps->factor[t] * value[taps->back[t]];
    sum += value[taps->back[0]];
    return sum == sum ? padici_ordered(dtype, padici_rounded(dtype, sum, 0), size) : 0;
}

PADICI_INLINE void padici_float_undo(const padici_float_taps *taps, padic_dtype dtype, uint64_t *x,
                                     double *value, int zigzag)
{
    const uint64_t apart = zigzag ? padici_unfold(*x) : *x;
    const uint64_t word = padici_float_about(taps, dtype, value) + apart;
    const uint32_t size = dtype == PADIC_F64 ? 8 : 4;
    const double v = padici_value(dtype, padici_unordered_low(dtype, word, size));
    *x = word;
    *value = v;
    if (!(v - v == 0)) *value = 0; // a branch: nothing waits for it
}

PADICI_INLINE void padici_linear_float_run(const padici_predictor *predictor,
                                           const padici_taps *taps, padic_dtype dtype, uint64_t *x,
                                           uint64_t *z, size_t from, size_t to, int what)
{
    double *values = predictor->values;
    padici_float_taps made;
    size_t i;
    padici_float_taps_make(predictor, taps, &made);
    for (i = from; i < to; i++) {
        if (what == PADICI_LINEAR_DO)
            z[i - from] = x[i] - padici_float_about(&made, dtype, values + i);
        else
            padici_float_undo(&made, dtype, x + i, values + i, what == PADICI_LINEAR_UNFOLD);
    }
}

static void padici_linear_float(const padici_predictor *predictor, const padici_taps *taps,
                                uint64_t *x, uint64_t *z, size_t from, size_t to, int what)
{
    if (predictor->dtype == PADIC_F64) {
        if (what == PADICI_LINEAR_DO)
            padici_linear_float_run(predictor, taps, PADIC_F64, x, z, from, to, PADICI_LINEAR_DO);
        else
            padici_linear_float_run(predictor, taps, PADIC_F64, x, z, from, to, what);
    } else if (what == PADICI_LINEAR_DO) {
        padici_linear_float_run(predictor, taps, PADIC_F32, x, z, from, to, PADICI_LINEAR_DO);
    } else {
        padici_linear_float_run(predictor, taps, PADIC_F32, x, z, from, to, what);
    }
}

// The values of all words, before they are predicted.
static void padici_find_values(const padici_predictor *predictor, const uint64_t *x, size_t n)
{
    double *values = predictor->values;
    size_t i;
    if (predictor->dtype == PADIC_F64)
        for (i = 0; i < n; i++) values[i] = padici_word_value(PADIC_F64, x[i]);
    else
        for (i = 0; i < n; i++) values[i] = padici_word_value(PADIC_F32, x[i]);
}

#define PADICI_TAP_LISTS 8u

// The lists of neighbours along the last op's axis: one for the inside, one for each coordinate at
// the ends; made when they are wanted, and kept while the other axes ask for the same.
typedef struct padici_tap_lists {
    padici_taps list[PADICI_TAP_LISTS];
    uint64_t like;
    uint32_t made; // as bits
} padici_tap_lists;

static const padici_taps *padici_taps_at(const padici_predictor *predictor,
                                         const padici_point *point, const int64_t reach[2],
                                         uint64_t like, padici_tap_lists *lists)
{
    const uint32_t last = predictor->count - 1;
    const int64_t at = point->at[last], from_end = point->extent[last] - at;
    int64_t which = at < reach[0] ? 1 + at : from_end <= reach[1] ? reach[0] + from_end : 0;
    const int keep = reach[0] + reach[1] < PADICI_TAP_LISTS &&
                     reach[0] + reach[1] <= point->extent[last];
    if (!keep) which = 0;
    if (!keep || like != lists->like) lists->made = 0;
    lists->like = like;
    if (!(lists->made >> which & 1)) padici_find_taps(predictor, point, &lists->list[which]);
    lists->made |= 1u << which;
    return &lists->list[which];
}

#define PADICI_TAP_ROWS 8u

// Steps [from, to) of `rows` rows of floats that lie inside: at step s row k is at its word
// s - k lag, so that the chains of operations of the rows overlap.
PADICI_INLINE void padici_float_steps_loop(const padici_float_taps *taps, padic_dtype dtype,
                                           uint64_t *x, double *values, size_t segment, size_t lag,
                                           size_t from, size_t to, size_t rows, int zigzag)
{
    size_t s, k;
    for (s = from; s < to; s++) {
        for (k = 0; k < rows; k++) {
            const size_t i = k * segment + s - k * lag;
            padici_float_undo(taps, dtype, x + i, values + i, zigzag);
        }
    }
}

static void padici_float_steps(const padici_float_taps *taps, padic_dtype dtype, uint64_t *x,
                               double *values, size_t segment, size_t lag, size_t from, size_t to,
                               size_t rows, int zigzag)
{
    if (dtype == PADIC_F64)
        padici_float_steps_loop(taps, PADIC_F64, x, values, segment, lag, from, to, rows, zigzag);
    else
        padici_float_steps_loop(taps, PADIC_F32, x, values, segment, lag, from, to, rows, zigzag);
}

// Rows of `segment` words that have the same neighbours, each behind the one before. `taps` are
// those inside, of the `edge[0]` places at the beginning and of the `edge[1]` at the end.
static void padici_float_rows(const padici_codec_loops *loops, const padici_float_taps *taps,
                              const size_t edge[2], const padici_op *op, size_t lag, size_t rows,
                              padic_dtype dtype, uint64_t *x, double *values, int zigzag)
{
    const size_t segment = op->segment, stride = op->stride, behind = (rows - 1) * lag;
    const size_t begin = behind + edge[0] * stride, end = segment - edge[1] * stride;
    size_t s, k;
    for (s = 0; s < segment + behind; s++) {
        if (s == begin) { // all are inside
            (*loops->float_steps)(taps, dtype, x, values, segment, lag, s, end, rows, zigzag);
            s = end;
        }
        for (k = 0; k < rows; k++) {
            const size_t c = s - k * lag, i = k * segment + c;
            size_t which = 0;
            if (s < k * lag || c >= segment) continue;
            if (c < edge[0] * stride)
                which = 1 + c / stride;
            else if (c >= end)
                which = edge[0] + (segment - c + stride - 1) / stride;
            if (dtype == PADIC_F64)
                padici_float_undo(&taps[which], PADIC_F64, x + i, values + i, zigzag);
            else
                padici_float_undo(&taps[which], PADIC_F32, x + i, values + i, zigzag);
        }
    }
}

// Where an axis begins and ends the neighbours are others: the same number for the same ones.
static uint64_t padici_taps_like(const padici_predictor *predictor, size_t begin,
                                 int64_t reach[PADICI_TAP_AXES][2], padici_point *point)
{
    uint64_t like = 0;
    uint32_t k;
    for (k = 0; k + 1 < predictor->count; k++) {
        const padici_op *op = &predictor->op[k];
        int64_t c;
        point->at[k] = (int64_t)(begin % op->segment / op->stride);
        point->extent[k] = op->segment / op->stride;
        c = point->extent[k] - 1 - point->at[k];
        like = like << 16 | (uint64_t)(point->at[k] < reach[k][0] ? point->at[k] : reach[k][0]) |
               (uint64_t)(c < reach[k][1] ? c : reach[k][1]) << 8;
    }
    return like;
}

// Rows of floats at once, from x[begin] on, if there are such; returns how many.
PADICI_NOINLINE static size_t padici_linear_rows(
    const padici_codec_loops *loops, const padici_predictor *predictor, uint64_t *x, size_t begin,
    size_t n, int64_t reach[PADICI_TAP_AXES][2], uint64_t like, padici_point *point,
    padici_tap_lists *lists, int zigzag)
{
    const uint32_t last = predictor->count - 1;
    const padici_op *op = &predictor->op[last];
    const size_t segment = op->segment, edge[2] = {(size_t)reach[last][0], (size_t)reach[last][1]};
    const size_t lag = (edge[1] + 3) * op->stride;
    padici_float_taps taps[PADICI_TAP_LISTS];
    padici_point other;
    size_t rows = 1, k;
    if (predictor->dtype == PADIC_DTYPE_NONE || last == 0 || segment % op->stride ||
        edge[0] + edge[1] >= PADICI_TAP_LISTS || segment < 8 * lag)
        return 0;
    while (rows < (segment < 16 * lag ? 4 : PADICI_TAP_ROWS) && (rows + 1) * segment <= n - begin &&
           padici_taps_like(predictor, begin + rows * segment, reach, &other) == like)
        rows++;
    rows = rows >= 8 ? 8 : rows >= 4 ? 4 : rows & 2;
    if (rows == 0) return 0;
    point->extent[last] = (int64_t)(segment / op->stride);
    for (k = 0; k <= edge[0] + edge[1]; k++) {
        point->at[last] = k == 0         ? reach[last][0]
                          : k <= edge[0] ? (int64_t)k - 1
                                         : point->extent[last] - (int64_t)(k - edge[0]);
        padici_float_taps_make(
            predictor, padici_taps_at(predictor, point, reach[last], like, lists), &taps[k]);
    }
    padici_float_rows(loops, taps, edge, op, lag, rows, predictor->dtype, x + begin,
                      predictor->values + begin, zigzag);
    return rows;
}

// Words x[from..to) of a block of n; z stands at `from`.
static void padici_linear(const padici_codec_loops *loops, const padici_predictor *predictor,
                          uint64_t *x, uint64_t *z, size_t from, size_t to, size_t n, int what)
{
    const uint32_t last = predictor->count - 1;
    const size_t stride = predictor->op[last].stride, segment = predictor->op[last].segment;
    int64_t reach[PADICI_TAP_AXES][2];
    padici_tap_lists lists;
    padici_point point;
    size_t i = from;
    uint32_t k;
    lists.made = 0;
    lists.like = 0;
    for (k = 0; k <= last; k++) padici_tap_reach(predictor, k, reach[k]);
    while (i < to) {
        const size_t begin = i - i % segment, end = padici_least(begin + segment, n);
        const padici_taps *taps;
        const uint64_t like = padici_taps_like(predictor, begin, reach, &point);
        size_t stop;
        int64_t c;
        if (what != PADICI_LINEAR_DO && i == begin && to == n) {
            const size_t rows = padici_linear_rows(loops, predictor, x, begin, n, reach, like,
                                                   &point, &lists, what == PADICI_LINEAR_UNFOLD);
            i += rows * segment;
            if (rows) continue;
        }
        point.at[last] = c = (int64_t)((i - begin) / stride);
        point.extent[last] = (int64_t)((end - begin + stride - 1) / stride);
        taps = padici_taps_at(predictor, &point, reach[last], like, &lists);
        if (c >= reach[last][0] && c < point.extent[last] - reach[last][1])
            c = point.extent[last] - reach[last][1];
        else
            c++;
        stop = padici_least(padici_least(begin + (size_t)c * stride, end), to);
        if (predictor->dtype != PADIC_DTYPE_NONE)
            padici_linear_float(predictor, taps, x, z ? z + (i - from) : NULL, i, stop, what);
        else
            (*loops->linear)(taps, predictor->shift, x, z ? z + (i - from) : NULL, i, stop, what);
        i = stop;
    }
}

// Whether a chain can be undone piece by piece: only its last sum may look back far, and none where
// the words of earlier pieces are `changed` before it does.
static int padici_streams(const padici_predictor *predictor, int changed)
{
    uint32_t k;
    if (predictor->kind >= PADICI_PREDICT_MEDIAN) return 0;
    for (k = 0; k + !changed < predictor->count; k++)
        if (predictor->op[k].stride >= 8) return 0;
    return 1;
}

// Residuals, folded if `zigzag`, to words: x[from..to), from 0 on. The order of sums is free.
static void padici_unpredict(const padici_codec_loops *loops, const padici_predictor *predictor,
                             uint64_t *x, size_t from, size_t to,
                             uint64_t carry[PADICI_MAX_OPS][8], int zigzag)
{
    uint32_t k;
    if (predictor->kind == PADICI_PREDICT_MEDIAN) {
        padici_unpredict_median(predictor, x, to, zigzag);
        return;
    }
    if (predictor->kind == PADICI_PREDICT_INTERPOLATE) {
        if (to) (*loops->between)(predictor, x, to, zigzag);
        return;
    }
    if (predictor->kind == PADICI_PREDICT_LINEAR) {
        padici_linear(loops, predictor, x, NULL, 0, to, to,
                      zigzag ? PADICI_LINEAR_UNFOLD : PADICI_LINEAR_UNDO);
        return;
    }
    for (k = 0; k < predictor->count; k++, zigzag = 0)
        (*loops->sum)(x, from, to, &predictor->op[k], carry[k], zigzag,
                      predictor->kind == PADICI_PREDICT_XOR);
}

// Words to residuals, folded if `zigzag`; `to` may not be `x`.
static void padici_predict(const padici_codec_loops *loops, const padici_predictor *predictor,
                           uint64_t *x, uint64_t *to, size_t n, int zigzag)
{
    size_t from, i;
    uint32_t k;
    if (predictor->kind == PADICI_PREDICT_INTERPOLATE) {
        padici_interpolate(predictor, x, to, PADICI_INTERPOLATE_DO);
    } else if (predictor->kind == PADICI_PREDICT_LINEAR) {
        if (predictor->dtype != PADIC_DTYPE_NONE) padici_find_values(predictor, x, n);
        padici_linear(loops, predictor, x, to, 0, n, n, PADICI_LINEAR_DO);
    } else if (predictor->kind == PADICI_PREDICT_MEDIAN) {
        const uint32_t column = predictor->op[0].stride, row = predictor->op[1].stride;
        const size_t plane = predictor->op[1].segment;
        for (from = 0; from < n; from += plane) {
            size_t place = 0; // in its row
            for (i = from; i < from + plane && i < n; i++) {
                const int has_left = place >= column, has_above = i - from >= row;
                const uint64_t left = has_left ? x[i - column] : 0;
                const uint64_t above = has_above ? x[i - row] : 0;
                to[i] = x[i] - (has_left && has_above
                                    ? padici_median(left, above, x[i - row - column])
                                    : left + above);
                if (++place == row) place = 0;
            }
        }
    } else {
        if (predictor->count == 0) memcpy(to, x, n * sizeof *to);
        for (k = 0; k < predictor->count; k++, x = to)
            (*loops->difference)(x, to, n, &predictor->op[k],
                                 zigzag && k + 1 == predictor->count,
                                 predictor->kind == PADICI_PREDICT_XOR);
        if (predictor->count) return;
    }
    for (i = 0; i < n && zigzag; i++) to[i] = padici_fold(to[i]);
}

// room: src/codec/block_decode.c
// ---- one block, decoded

static void padici_expand_runs(padici_reader *in, const uint64_t *values, const uint64_t *lengths,
                               size_t m, uint64_t *to, size_t n)
{
    size_t i, at = 0;
    for (i = 0; i < m; i++) {
        size_t k = 0;
        if (lengths[i] >= n - at) { // length - 1
            in->bad = 1;
            return;
        }
        for (; k < 4 && n - at >= 4; k++) to[at + k] = values[i]; // as most are short
        for (; k <= lengths[i]; k++) to[at + k] = values[i];
        at += (size_t)lengths[i] + 1;
    }
    if (at != n) in->bad = 1;
}

PADICI_INLINE void padici_copy_32(uint8_t *to, const uint8_t *from)
{
    memcpy(to, from, 8);
    memcpy(to + 8, from + 8, 8);
    memcpy(to + 16, from + 16, 8);
    memcpy(to + 24, from + 24, 8);
}

// `count` elements from `distance` elements before `to`, which may overlap, with `room` in all.
// Few are copied one by one: a processor hands each on from its store to the next load.
PADICI_INLINE void padici_copy_back(uint8_t *to, size_t distance, size_t count, size_t room,
                                    uint32_t size)
{
    const uint8_t *from = to - distance * size;
    size_t step = distance * size, left = count * size, k;
    if (count <= 4 && room >= 4) {
        memcpy(to, from, size);
        memcpy(to + size, from + size, size);
        memcpy(to + 2 * size, from + 2 * size, size);
        memcpy(to + 3 * size, from + 3 * size, size);
    } else if (step >= 32 && left <= 96 && room >= 128 / size) {
        for (k = 0; k < left; k += 32) padici_copy_32(to + k, from + k);
    } else {
        for (; left > step; step += step) { // what was copied doubles
            memcpy(to, from, step);
            to += step;
            left -= step;
        }
        memcpy(to, from, left);
    }
}

// q times: some literals, then `length` words again from `distance` before; then the rest of the
// literals.
static void padici_expand_repeats(padici_reader *in, const uint64_t *literals, size_t m,
                                  const uint64_t *runs, const uint64_t *lengths,
                                  const uint64_t *distances, size_t q, uint64_t *to, size_t n)
{
    size_t at = 0, used = 0, i;
    for (i = 0; i < q; i++) {
        const uint64_t run = runs[i], length = lengths[i], distance = distances[i];
        if (run > m - used || run > n - at || length > n - at - run || distance == 0 ||
            distance > at + run || length == 0) {
            in->bad = 1;
            return;
        }
        if (run <= 4 && n - at >= 4 && m - used >= 4)
            padici_copy_32((uint8_t *)(to + at), (const uint8_t *)(literals + used));
        else
            memcpy(to + at, literals + used, (size_t)run * sizeof *to);
        at += (size_t)run;
        used += (size_t)run;
        padici_copy_back((uint8_t *)(to + at), (size_t)distance, (size_t)length, n - at, 8);
        at += (size_t)length;
    }
    if (m - used != n - at) {
        in->bad = 1;
        return;
    }
    memcpy(to + at, literals + used, (m - used) * sizeof *to);
}

// The stage bytes and parameters at the head of a payload.
typedef struct padici_plan {
    padici_form form;
    uint32_t flags, pattern, digits;
    uint32_t split; // low bits of n that are streams of their own
    uint32_t reach; // blocks of the window
    size_t repeats; // of the pattern MATCH
    uint64_t constant, digest; // of the reference
    padici_predictor predictor;
    size_t m; // words that the digits hold: fewer than elements after a pattern
} padici_plan;

// Levels 1 and 2 look for form and predictor in the first block of a group and take them for others
// as far as they serve. Only that block's elements decide, whichever worker asks.
#define PADICI_HINT_GROUP 4u
typedef struct padici_hint {
    uint64_t group; // that it is of, + 1
    int lead, found, use; // the first block is in work; there is a hint; it is to be taken
    padici_form form;
    padici_predictor predictor;
    uint64_t cost;  // of a word, in 1/256 bits
    uint32_t share; // of what repeats begin with, of 256
    uint32_t match; // what repeats left of the size, of 256; 0: they were not tried
    uint64_t size;  // of the payload, in 1/256 bits a word
    uint64_t here;  // cost of a word of the block in work
} padici_hint;

// Axes stand from slow to fast, and the first step that is not 0 goes back, so that neighbours lie
// before their word.
static void padici_take_taps(padici_reader *in, padic_dtype dtype, padici_predictor *predictor)
{
    uint32_t t, k;
    predictor->taps = padici_take8(in);
    predictor->shift = padici_take8(in);
    predictor->dtype = predictor->shift & PADICI_TAP_FLOATS ? dtype : PADIC_DTYPE_NONE;
    predictor->shift &= ~PADICI_TAP_FLOATS;
    if (predictor->taps == 0 || predictor->taps > PADICI_MAX_TAPS || predictor->shift > 31 ||
        predictor->count > PADICI_TAP_AXES)
        in->bad = 1;
    for (k = 1; k < predictor->count && !in->bad; k++)
        if (predictor->op[k].axis <= predictor->op[k - 1].axis ||
            predictor->op[k].axis == PADICI_FLAT)
            in->bad = 1;
    for (t = 0; t < predictor->taps && !in->bad; t++) {
        int32_t way = 0;
        for (k = 0; k < predictor->count; k++) {
            const int32_t step = (int32_t)(padici_take8(in) ^ 128u) - 128;
            predictor->back[t][k] = (int8_t)step;
            if (way == 0) way = step;
        }
        if (way <= 0) in->bad = 1;
        if (predictor->dtype != PADIC_DTYPE_NONE) {
            predictor->weight[t] = (int32_t)padici_take32(in);
            continue;
        }
        k = padici_take8(in);
        k |= padici_take8(in) << 8;
        predictor->weight[t] = (int32_t)(k ^ 32768u) - 32768;
    }
}

static void padici_take_plan(padici_reader *in, const padici_box *box, padici_plan *plan)
{
    uint32_t k, axes = 0;
    memset(plan, 0, sizeof *plan);
    plan->form.kind = padici_take8(in);
    if (plan->form.kind == PADICI_FORM_RAW) return;
    plan->flags = padici_take8(in);
    if ((plan->flags & PADICI_BLOCK_WINDOW) && (plan->reach = padici_take8(in)) == 0) in->bad = 1;
    plan->predictor.kind = padici_take8(in);
    plan->pattern = padici_take8(in);
    plan->digits = padici_take8(in);
    if (plan->form.kind == PADICI_FORM_BITS) plan->form.shift = padici_take8(in);
    if (plan->form.kind >= PADICI_FORM_SCALE) plan->form.g = padici_take64(in);
    if (plan->form.kind == PADICI_FORM_AFFINE) plan->form.o = padici_take64(in);
    plan->form.single = (plan->flags & PADICI_BLOCK_SINGLE) != 0;
    plan->form.step = 1;
    if (plan->flags & PADICI_BLOCK_COSET) {
        plan->form.step = padici_take64(in);
        plan->form.first = padici_take64(in);
    }
    if (plan->form.kind >= PADICI_FORMS || plan->predictor.kind >= PADICI_PREDICTORS ||
        plan->pattern >= PADICI_PATTERNS || plan->digits >= PADICI_DIGITS ||
        plan->form.shift > 63 ||
        ((plan->form.kind == PADICI_FORM_DECIMAL || plan->form.shift) &&
         !padici_is_float(box->dtype)))
        in->bad = 1;
    if (plan->pattern == PADICI_PATTERN_MATCH
            ? !(plan->flags & PADICI_BLOCK_FIRST) || (plan->flags & PADICI_BLOCK_REFERENCE)
            : (plan->flags & PADICI_BLOCK_WINDOW) != 0)
        in->bad = 1;
    plan->m = box->n;
    if (plan->flags & PADICI_BLOCK_SPLIT) {
        plan->split = padici_take8(in);
        if (plan->split == 0 || plan->split > 32) in->bad = 1;
    }
    if (plan->flags & PADICI_BLOCK_REFERENCE) {
        plan->digest = padici_take64(in);
        if (plan->split) in->bad = 1;
    }
    if (plan->pattern == PADICI_PATTERN_CONSTANT) {
        plan->constant = padici_take64(in);
    } else if (plan->pattern != PADICI_PATTERN_NONE) {
        plan->m = padici_take32(in);
        if (plan->m > box->n) in->bad = 1;
    }
    if ((plan->flags & PADICI_BLOCK_ZIGZAG) && (plan->predictor.kind == PADICI_PREDICT_NONE ||
                                                plan->predictor.kind == PADICI_PREDICT_XOR))
        in->bad = 1;
    if (plan->predictor.kind == PADICI_PREDICT_NONE) return;
    plan->predictor.count = padici_take8(in);
    if (plan->predictor.count == 0 || plan->predictor.count > PADICI_MAX_OPS ||
        (plan->predictor.kind == PADICI_PREDICT_MEDIAN && plan->predictor.count != 2))
        in->bad = 1;
    if (plan->predictor.kind == PADICI_PREDICT_INTERPOLATE) {
        plan->predictor.scale = padici_take8(in);
        if (plan->predictor.scale == 0) in->bad = 1;
    }
    for (k = 0; k < plan->predictor.count && !in->bad; k++) {
        const uint32_t axis = padici_take8(in);
        if (axis == PADICI_FLAT) {
            const uint32_t stride = padici_take32(in);
            const size_t n = plan->flags & PADICI_BLOCK_FIRST ? plan->m : box->n;
            if (stride == 0 || stride > PADICI_BLOCK_LIMIT) in->bad = 1;
            plan->predictor.op[k] = padici_flat_op(stride, n ? n : 1);
        } else if (axis < box->rank && !(plan->flags & PADICI_BLOCK_FIRST)) {
            plan->predictor.op[k] = padici_axis_op(box, axis);
        } else {
            in->bad = 1;
        }
        if (plan->predictor.kind != PADICI_PREDICT_INTERPOLATE) continue;
        // each axis once, in any order: their points lie in the box then
        plan->predictor.op[k].cubic = padici_take32(in);
        if (axis >= box->rank || (axes >> axis & 1)) in->bad = 1;
        else axes |= 1u << axis;
    }
    if (plan->predictor.kind != PADICI_PREDICT_LINEAR || in->bad) return;
    padici_take_taps(in, box->dtype, &plan->predictor);
    if (plan->predictor.dtype != PADIC_DTYPE_NONE && // the words are ordered bits
        ((box->dtype != PADIC_F32 && box->dtype != PADIC_F64) ||
         plan->form.kind != PADICI_FORM_BITS || plan->form.shift || plan->split ||
         (plan->flags & (PADICI_BLOCK_FIRST | PADICI_BLOCK_COSET | PADICI_BLOCK_REFERENCE))))
        in->bad = 1;
}

// What a pattern took out goes back: literals in w->other to words in w->words.
static void padici_take_pattern(padici_work *w, padici_reader *in, const padici_box *box,
                                const padici_plan *plan, int skip)
{
    const size_t third = w->capacity + 1;
    uint8_t *tokens = skip ? NULL : w->symbols;
    uint64_t *list = skip ? NULL : w->list;
    size_t q;
    uint32_t i;
    if (plan->pattern == PADICI_PATTERN_RUNS) {
        padici_take_classes(w, in, list, plan->m, tokens, 0, NULL);
        if (!in->bad && !skip)
            padici_expand_runs(in, w->other, list, plan->m, w->words, box->n);
        return;
    }
    q = padici_take32(in);
    if (q > box->n) in->bad = 1; // a repeat is at least a word long
    for (i = 0; i < 3 && !in->bad; i++)
        padici_take_classes(w, in, skip ? NULL : list + i * third, q, tokens, 0, NULL);
    if (!in->bad && !skip)
        padici_expand_repeats(in, w->other, plan->m, list, list + third, list + 2 * third, q,
                              w->words, box->n);
}

// Word of element i in the form FIELDS: the bits, rotated left by one.
PADICI_INLINE uint64_t padici_fields_of(uint32_t size, const uint8_t *raw, size_t i)
{
    const uint64_t bits = padici_element(raw, i, size);
    return (bits << 1 & (~UINT64_C(0) >> (64 - 8 * size))) | bits >> (8 * size - 1);
}

PADICI_INLINE uint64_t padici_fields(const padici_box *box, const uint8_t *raw, size_t i)
{
    return padici_fields_of(box->size, raw, i);
}

PADICI_INLINE size_t padici_pick_loop(const uint8_t *raw, size_t n, uint32_t size, uint32_t split,
                                      uint32_t share, uint32_t *picks)
{
    size_t i, count = 0;
    for (i = 0; i < n; i++) { // without a branch, which would be hard to foresee
        const uint64_t upper = padici_fields_of(size, raw, i) >> split;
        picks[count] = (uint32_t)i;
        count += (uint32_t)(upper ^ upper >> 32) * 0x9e3779b1u >> (32 - share) == 0;
    }
    return count;
}

// A loop for each size.
static size_t padici_pick_plain(const uint8_t *raw, size_t n, uint32_t size, uint32_t split,
                                uint32_t share, uint32_t *picks)
{
    switch (size) {
    case 1: return padici_pick_loop(raw, n, 1, split, share, picks);
    case 2: return padici_pick_loop(raw, n, 2, split, share, picks);
    case 4: return padici_pick_loop(raw, n, 4, split, share, picks);
    default: return padici_pick_loop(raw, n, 8, split, share, picks);
    }
}

// room: src/codec/repeats.c
// ---- repeats of elements
//
// The pattern MATCH copies elements of this block or of the blocks before it in the same
// super-block (the window): bit for bit, whatever their form was. What is left, the literals, is
// one sequence of words, predicted and coded by itself. Distances are coded as 0 for the last one,
// 1 for the one before that, else distance + 1. Without literals and repeats the block is equal to
// the one `reach` blocks before.

// Elements that a super-block holds, at most 64 blocks; within a bound twice as many.
#define PADICI_WINDOW 524288u
#define PADICI_WINDOW_MOST 64u

// How many blocks back a payload looks.
static uint32_t padici_reach(const uint8_t *payload, size_t size)
{
    return size > 2 && payload[0] < PADICI_FORM_RAW && (payload[1] & PADICI_BLOCK_WINDOW)
               ? payload[2]
               : 0;
}

// Literals and repeats to n elements of `size` bytes; w->past of them stand before `end`. Distances
// become what they mean: 0 is the last one, 1 the one before that. With a split the elements are
// the upper bits of the box's, as words; those of the window are made on the way.
PADICI_INLINE void padici_expand_loop(padici_reader *in, const uint8_t *literals, size_t m,
                                      uint64_t *lists, size_t third, size_t q, size_t past,
                                      const uint8_t *end, uint8_t *to, size_t n, uint32_t size,
                                      const padici_box *box, uint32_t split)
{
    uint64_t last = 0, before = 0;
    size_t at = 0, used = 0, i, k;
    for (i = 0; i < q; i++) {
        const uint64_t run = lists[i], code = lists[2 * third + i], length = lists[third + i] + 1;
        const uint64_t same = 0 - (uint64_t)(code == 0), other = 0 - (uint64_t)(code == 1);
        const uint64_t named = (code - 1) & ~(same | other);
        const uint64_t distance = (last & same) | (before & other) | named; // no branches
        size_t part = 0;
        before ^= (before ^ last) & ~same;
        lists[2 * third + i] = last = distance;
        if (run > m - used || run > n - at || length > n - at - run || length == 0 ||
            distance == 0 || distance > past + at + run) {
            in->bad = 1;
            return;
        }
        if (run * size <= 32 && (m - used) * size >= 32 && (n - at) * size >= 32)
            padici_copy_32(to + at * size, literals + used * size);
        else
            memcpy(to + at * size, literals + used * size, (size_t)run * size);
        at += (size_t)run;
        used += (size_t)run;
        if (distance > at) { // in the window
            part = padici_least((size_t)distance - at, (size_t)length);
            if (!split) memcpy(to + at * size, end - (distance - at) * size, part * size);
            for (k = 0; split && k < part; k++) {
                const uint8_t *const p = end - (distance - at) * box->size;
                const uint64_t x = padici_fields(box, p, k) >> split;
                memcpy(to + (at + k) * size, &x, sizeof x);
            }
            at += part;
            if (length == part) continue;
        }
        padici_copy_back(to + at * size, (size_t)distance, (size_t)length - part, n - at, size);
        at += (size_t)length - part;
    }
    if (m - used != n - at) in->bad = 1;
    else memcpy(to + at * size, literals + used * size, (m - used) * size);
}

// A loop for each size.
static void padici_expand_matches(padici_reader *in, const uint8_t *literals, size_t m,
                                  uint64_t *lists, size_t third, size_t q, size_t past,
                                  const uint8_t *end, uint8_t *to, size_t n, uint32_t size)
{
    if (size == 1)
        padici_expand_loop(in, literals, m, lists, third, q, past, end, to, n, 1, NULL, 0);
    else if (size == 2)
        padici_expand_loop(in, literals, m, lists, third, q, past, end, to, n, 2, NULL, 0);
    else if (size == 4)
        padici_expand_loop(in, literals, m, lists, third, q, past, end, to, n, 4, NULL, 0);
    else
        padici_expand_loop(in, literals, m, lists, third, q, past, end, to, n, 8, NULL, 0);
}

// Behind the last element before the block; where there is none, a place that nothing is read at.
static const uint8_t *padici_history_end(const padici_work *w, const padici_box *box)
{
    return w->past ? w->history + w->past * box->size : w->raw;
}

// With a split the lowest bits of a copied element are told relative to its source: they differ in
// the sign, the lowest bit of FIELDS, and by little in the bits above it.
PADICI_INLINE uint32_t padici_low_apart(uint32_t low, uint32_t source, uint32_t split)
{
    const uint32_t top = split - 1, mask = (1u << top) - 1;
    const uint32_t up = ((low >> 1) - (source >> 1)) & mask, half = top ? 1u << (top - 1) : 0;
    const uint32_t folded = up < half ? 2 * up : up > half ? 2 * (mask - up) + 1 : up ? mask : 0;
    return folded << 1 | ((low ^ source) & 1);
}

PADICI_INLINE uint32_t padici_low_joined(uint32_t apart, uint32_t source, uint32_t split)
{
    const uint32_t mask = (1u << (split - 1)) - 1, folded = apart >> 1;
    const uint32_t up = folded & 1 ? mask - (folded >> 1) : folded >> 1;
    return (((source >> 1) + up) & mask) << 1 | ((apart ^ source) & 1);
}

// Elements [from, to) of planes of n bytes; sources before the block end at `end`.
PADICI_INLINE void padici_join_run(const padici_box *box, uint32_t split, uint8_t *low,
                                   size_t distance, size_t from, size_t to, const uint8_t *end)
{
    const uint32_t mask = (uint32_t)((UINT64_C(1) << split) - 1);
    const size_t n = box->n;
    size_t i = from;
    uint32_t k;
    for (; i < to && i < distance; i++) {
        const uint8_t *const p = end - (distance - i) * box->size;
        uint32_t apart = 0;
        for (k = 0; k < split; k += 8) apart |= (uint32_t)low[k / 8 * n + i] << k;
        apart = padici_low_joined(apart & mask, (uint32_t)padici_fields(box, p, 0) & mask, split);
        for (k = 0; k < split; k += 8) low[k / 8 * n + i] = (uint8_t)(apart >> k);
    }
    for (; i < to; i++) {
        uint32_t source = 0, apart = 0;
        for (k = 0; k < split; k += 8) {
            apart |= (uint32_t)low[k / 8 * n + i] << k;
            source |= (uint32_t)low[k / 8 * n + i - distance] << k;
        }
        apart = padici_low_joined(apart & mask, source, split);
        for (k = 0; k < split; k += 8) low[k / 8 * n + i] = (uint8_t)(apart >> k);
    }
}

// Adds the sources' lowest bits to those of the copied elements, which stand in planes of bytes.
static void padici_join_copied(const padici_work *w, const padici_box *box,
                               const padici_plan *plan, uint8_t *low)
{
    const size_t third = w->capacity + 1;
    const uint8_t *end = padici_history_end(w, box);
    size_t at = 0, q;
    for (q = 0; q < plan->repeats; q++) {
        const size_t distance = (size_t)w->list[2 * third + q];
        const size_t from = at + (size_t)w->list[q];
        at = from + (size_t)w->list[third + q] + 1;
        if (plan->split == 1)
            padici_join_run(box, 1, low, distance, from, at, end);
        else if (plan->split == 9)
            padici_join_run(box, 9, low, distance, from, at, end);
        else
            padici_join_run(box, plan->split, low, distance, from, at, end);
    }
}

// The lists of the pattern, and what they say: elements in w->raw, or with `split` words in
// w->words. The literals are words in w->other, or, if `done`, elements where w->words begin.
static void padici_take_matches(padici_work *w, padici_reader *in, const padici_box *box,
                                padici_plan *plan, int skip, int done)
{
    const size_t third = w->capacity + 1;
    uint8_t *tokens = skip ? NULL : w->symbols;
    uint64_t *list = skip ? NULL : w->list;
    const size_t q = plan->repeats = padici_take32(in);
    uint32_t i;
    if (q > box->n || (q == 0 && plan->m == 0 && plan->split)) in->bad = 1;
    for (i = 0; i < 3 && !in->bad; i++)
        padici_take_classes(w, in, skip ? NULL : list + i * third, q, tokens, 0, NULL);
    if (in->bad || skip) return;
    if (q == 0 && plan->m == 0) { // the whole block, from the window's beginning
        if (w->past < box->n) in->bad = 1;
        else memcpy(w->raw, w->history, box->n * box->size);
        return;
    }
    if (plan->split) {
        padici_expand_loop(in, (const uint8_t *)w->other, plan->m, list, third, q, w->past,
                           padici_history_end(w, box), (uint8_t *)w->words, box->n, 8, box,
                           plan->split);
        return;
    }
    if (!done)
        (*w->loops->elements)(&plan->form, box->dtype, w->other, (uint8_t *)w->words, plan->m);
    padici_expand_matches(in, (const uint8_t *)w->words, plan->m, list, third, q, w->past,
                          padici_history_end(w, box), w->raw, box->n, box->size);
}

// Exceptions: u32 count, u8 1 if they are given relative to what the lattice says; gaps; values.
static void padici_take_exceptions(padici_work *w, padici_reader *in, const padici_box *box,
                                   int skip, padici_census *census)
{
    const size_t count = padici_take32(in);
    const uint32_t relative = padici_take8(in);
    uint64_t *gaps = skip ? NULL : w->list, *values = skip ? NULL : w->other;
    uint8_t *tokens = skip ? NULL : w->symbols;
    size_t i, at = 0;
    if (count > box->n || relative > 1) in->bad = 1;
    if (in->bad) return;
    padici_take_classes(w, in, gaps, count, tokens, 0, NULL);
    padici_take_classes(w, in, values, count, tokens, 0, NULL);
    if (census) census->exceptions += count;
    for (i = 0; i < count && !skip && !in->bad; i++) {
        uint64_t bits = values[i];
        if (at >= box->n || gaps[i] >= box->n - at) {
            in->bad = 1;
            return;
        }
        at += (size_t)gaps[i];
        if (relative) {
            const uint64_t here = padici_element(w->raw, at, box->size);
            bits = padici_unordered_low(
                box->dtype, padici_ordered(box->dtype, here, box->size) + padici_unfold(bits),
                box->size);
        }
        padici_set_element(w->raw, at++, box->size, bits);
    }
}

static void padici_add_reference(const padici_form *form, padic_dtype dtype, const uint8_t *raw,
                                 uint64_t *words, size_t n, int pack);

// n = 2^split (first + step n') + low bits, in planes of `plane` bytes; the coset is done here and
// not in the form.
static void padici_join_split(const padici_form *form, uint32_t split, uint64_t *words,
                              const uint8_t *low, size_t plane, size_t n)
{
    const uint64_t first = form->first, step = form->step;
    uint32_t k;
    size_t i;
    for (i = 0; i < n; i++) words[i] = (first + step * words[i]) << split | low[i];
    for (k = 8; k < split; k += 8)
        for (i = 0; i < n; i++) words[i] |= (uint64_t)low[k / 8 * plane + i] << k;
}

// Reads one payload without columns: see padici_take_block().
static int padici_take_whole(padici_work *w, const padici_box *box, const uint8_t *payload,
                             size_t size, padici_plan *plan, padici_census *census)
{
    padici_work none;
    const int skip = w == NULL;
    uint64_t *words, *literals, carry[PADICI_MAX_OPS][8];
    uint8_t *low = NULL;
    padici_form joined;
    padici_digits digits;
    padici_reader in;
    const uint8_t *mark;
    size_t i;
    int zigzag, streams, done = 0;
    if (skip) {
        memset(&none, 0, sizeof none);
        none.loops = padici_plain();
        w = &none;
    }
    if (size < PADICI_PAYLOAD_PAD + 1) return 0;
    if (padici_load64(payload + size - PADICI_PAYLOAD_PAD)) return 0;
    in.at = payload;
    in.end = payload + size - PADICI_PAYLOAD_PAD;
    in.bad = 0;
    padici_take_plan(&in, box, plan);
    if (census) census->bytes[PADICI_KIND_HEADER] += (size_t)(in.at - payload) + PADICI_PAYLOAD_PAD;
    if (plan->form.kind == PADICI_FORM_RAW) {
        const uint8_t *raw = padici_take(&in, box->n * box->size);
        if (raw && !skip) memcpy(w->raw, raw, box->n * box->size);
        if (census) census->bytes[PADICI_KIND_RAW] += (size_t)(in.end - payload) - 1;
        return !in.bad && in.at == in.end;
    }
    words = skip ? NULL : w->words;
    literals = skip ? NULL : w->other;
    mark = in.at;
    if (in.bad) return 0;
    if ((plan->flags & PADICI_BLOCK_REFERENCE) && !skip &&
        (!w->referenced || plan->digest != w->digest)) {
        w->mismatch = 1;
        return 0;
    }
    zigzag = (plan->flags & PADICI_BLOCK_ZIGZAG) != 0;
    plan->predictor.values = (double *)(void *)w->other;
    joined = plan->form;
    joined.first = 0;
    joined.step = 1;
    streams = plan->pattern == PADICI_PATTERN_NONE &&
              padici_streams(&plan->predictor,
                             plan->split || (plan->flags & PADICI_BLOCK_REFERENCE)) &&
              !(plan->digits == PADICI_DIGITS_PACKED && plan->split); // w->gaps is both theirs
    if (plan->pattern == PADICI_PATTERN_CONSTANT) {
        for (i = 0; i < box->n && !skip; i++) words[i] = plan->constant;
    } else {
        const uint64_t plain = census ? census->bytes[PADICI_KIND_BITS] : 0;
        uint64_t *to = plan->pattern == PADICI_PATTERN_NONE ? words : literals;
        padici_begin_digits(w, &in, plan->digits, to, plan->m, census, &digits);
        if (in.bad) return 0;
        if (!skip && plan->digits == PADICI_DIGITS_PACKED && w->loops->narrow && !plan->split &&
            (plan->pattern == PADICI_PATTERN_MATCH ||
             (to == words && !(plan->flags & (PADICI_BLOCK_REFERENCE | PADICI_BLOCK_FIRST)))))
            done = (*w->loops->narrow)(&digits, &plan->predictor, zigzag, &plan->form, box->dtype,
                                       to, to == words ? w->raw : (uint8_t *)words, plan->m);
        if (!skip && !streams && !done)
            padici_next_digits(w, plan->digits, &digits, &in, to, 0, plan->m, plan->m);
        if (census)
            census->bytes[plan->digits == PADICI_DIGITS_CLASS || plan->digits == PADICI_DIGITS_UNIT
                              ? PADICI_KIND_TOKENS
                              : PADICI_KIND_PLANES] +=
                (size_t)(in.at - mark) - (census->bytes[PADICI_KIND_BITS] - plain);
    }
    mark = in.at;
    if (plan->pattern != PADICI_PATTERN_NONE && plan->pattern != PADICI_PATTERN_CONSTANT) {
        if (plan->flags & PADICI_BLOCK_FIRST && !skip && !in.bad && !done)
            padici_unpredict(w->loops, &plan->predictor, literals, 0, plan->m, carry, zigzag);
        if (plan->pattern == PADICI_PATTERN_MATCH)
            padici_take_matches(w, &in, box, plan, skip, done);
        else
            padici_take_pattern(w, &in, box, plan, skip);
        if (census) census->bytes[PADICI_KIND_PATTERN] += (size_t)(in.at - mark);
    }
    if (plan->split && !in.bad) {
        const uint64_t plain = census ? census->bytes[PADICI_KIND_BITS] : 0;
        uint32_t k;
        mark = in.at;
        low = skip ? NULL : (uint8_t *)w->other; // the literals are not needed any more
        for (k = 0; k < plan->split && !in.bad; k += 8)
            padici_take_stream(w, &in, skip ? NULL : low + k / 8 * box->n, box->n, 0, census);
        if (census)
            census->bytes[PADICI_KIND_PLANES] +=
                (size_t)(in.at - mark) - (census->bytes[PADICI_KIND_BITS] - plain);
        if (!in.bad && !skip && plan->pattern == PADICI_PATTERN_MATCH)
            padici_join_copied(w, box, plan, low);
    }
    if (in.bad) return 0;
    if (!skip && !done) {
        if (!streams && !(plan->flags & PADICI_BLOCK_FIRST))
            padici_unpredict(w->loops, &plan->predictor, words, 0, box->n, carry, zigzag);
        // repeats of elements are elements already
        i = plan->pattern == PADICI_PATTERN_MATCH && !plan->split ? box->n : 0;
        for (; i < box->n && !in.bad; i += PADICI_TILE) {
            const size_t to = padici_least(i + PADICI_TILE, box->n);
            if (streams) {
                padici_next_digits(w, plan->digits, &digits, &in, words, i, to, box->n);
                padici_unpredict(w->loops, &plan->predictor, words, i, to, carry, zigzag);
            }
            if (low)
                (*w->loops->join)(&plan->form, plan->split, words + i, low + i, box->n, to - i);
            if (plan->flags & PADICI_BLOCK_REFERENCE)
                padici_add_reference(&plan->form, box->dtype, w->reference + i * box->size,
                                     words + i, to - i, 0);
            (*w->loops->elements)(low || (plan->flags & PADICI_BLOCK_REFERENCE) ? &joined
                                                                                : &plan->form,
                                  box->dtype, words + i, w->raw + i * box->size, to - i);
        }
    }
    mark = in.at;
    if (plan->flags & PADICI_BLOCK_EXCEPTIONS) {
        padici_take_exceptions(w, &in, box, skip, census);
        if (census) census->bytes[PADICI_KIND_EXCEPTIONS] += (size_t)(in.at - mark);
    }
    return !in.bad && in.at == in.end;
}

// Elements k, k + columns, ... of a block as a box: without the fastest axes where these make up a
// record, else as one sequence.
static void padici_column_box(const padici_box *box, uint32_t columns, uint32_t k,
                              padici_box *column)
{
    uint32_t inner = 1, axes = box->rank;
    *column = *box;
    column->n = (box->n - k + columns - 1) / columns;
    while (axes > 0 && inner < columns) inner *= box->extent[--axes];
    if (inner == columns && axes > 0) {
        column->rank = axes;
    } else {
        column->rank = 1;
        column->extent[0] = (uint32_t)column->n;
    }
}

// Elements of all columns, one column after the other, to their places in records: some records at
// a time, so that they stay in the nearest cache.
PADICI_INLINE void padici_join_loop(uint8_t *record, const uint8_t *column, size_t n,
                                    uint32_t columns, uint32_t size)
{
    const size_t whole = n / columns, rest = n % columns;
    size_t from, i;
    uint32_t k;
    for (from = 0; from * columns < n; from += 64) {
        const uint8_t *at = column;
        for (k = 0; k < columns; k++) {
            const size_t length = whole + (k < rest), end = padici_least(from + 64, length);
            for (i = from; i < end; i++)
                memcpy(record + (i * columns + k) * size, at + i * size, size);
            at += length * size;
        }
    }
}

static void padici_join_columns(uint8_t *record, const uint8_t *column, size_t n, uint32_t columns,
                                uint32_t size)
{
    if (size == 4)
        padici_join_loop(record, column, n, columns, 4);
    else if (size == 8)
        padici_join_loop(record, column, n, columns, 8);
    else
        padici_join_loop(record, column, n, columns, size);
}

// What floats of this size are taken for where their bits are not those of aligned floats.
static padic_dtype padici_plain_dtype(uint32_t size)
{
    return size == 8 ? PADIC_U64 : size == 4 ? PADIC_U32 : PADIC_U16;
}

// Reads a payload; with `w` NULL only its structure, for the census. Without an error the elements
// are in w->raw. Any bytes are safe: nothing outside payload[0..size + 8) is read. Columns are
// payloads of their own, but have no columns again.
static int padici_take_block(padici_work *w, const padici_box *box, const uint8_t *payload,
                             size_t size, padici_plan *plan, padici_census *census)
{
    padici_reader in;
    uint32_t columns, k;
    int whole;
    uint8_t *const raw = w ? w->raw : NULL, *at = w ? w->record : NULL;
    if (size < PADICI_PAYLOAD_PAD + 1) return 0;
    if (size > 1 + box->n * box->size + PADICI_PAYLOAD_PAD) return 0; // raw takes no more
    if (payload[0] == PADICI_FORM_PLAIN) {
        padici_box plain = *box;
        plain.dtype = padici_plain_dtype(box->size);
        if (payload[1] > PADICI_FORM_DECIMAL || !padici_is_float(box->dtype) ||
            !padici_take_whole(w, &plain, payload + 1, size - 1, plan, census) ||
            (plan->flags & (PADICI_BLOCK_REFERENCE | PADICI_BLOCK_WINDOW)))
            return 0;
        if (census) census->bytes[PADICI_KIND_HEADER]++;
        plan->form.kind = PADICI_FORM_PLAIN;
        return 1;
    }
    if (payload[0] != PADICI_FORM_COLUMNS)
        return padici_take_whole(w, box, payload, size, plan, census);
    in.at = payload + 1;
    in.end = payload + size - PADICI_PAYLOAD_PAD;
    in.bad = 0;
    columns = padici_take32(&in);
    if (columns < 2 || columns > PADICI_MAX_COLUMNS || columns > box->n) return 0;
    for (k = 0; k < columns; k++) {
        const uint32_t part = padici_take32(&in);
        const uint8_t *p = padici_take(&in, part);
        padici_box column;
        if (!p || !part || *p >= PADICI_FORM_COLUMNS) return 0;
        padici_column_box(box, columns, k, &column);
        if (w) w->raw = at;
        whole = padici_take_whole(w, &column, p, part, plan, census);
        if (w) w->raw = raw, at += column.n * box->size;
        // the reference is not taken apart
        if (!whole || (plan->flags & PADICI_BLOCK_REFERENCE)) return 0;
    }
    memset(plan, 0, sizeof *plan);
    plan->form.kind = PADICI_FORM_COLUMNS;
    if (census) census->bytes[PADICI_KIND_HEADER] += 5 + 4 * columns + PADICI_PAYLOAD_PAD;
    if (padici_load64(in.end) || in.at != in.end) return 0;
    if (w) padici_join_columns(raw, w->record, box->n, columns, box->size);
    return 1;
}

// room: src/codec/choose_form.c
// ---- the packer's choices: form
//
// Every decision is made in integers or in single IEEE operations, so that each machine takes the
// same one. Sizes are estimated in 1/256 bits.

#define PADICI_SAMPLE 256u // elements that lattices are looked for in
#define PADICI_RUNS 32u    // stretches of 32 elements that sizes are estimated on
#define PADICI_RUN 32u

// What an element may differ by. `pointwise` keeps that many mantissa bits instead.
typedef struct padici_bound {
    padic_bound_mode mode;
    double absolute; // of one scalar; 0: lossless
    double pointwise;
} padici_bound;

// |x - y| <= bound, exactly: the difference may round down onto the bound, so its error decides.
static int padici_within(double x, double y, double bound)
{
    const double d = x - y;
    if (d < bound && d > -bound) return 1;
    if (d == bound || d == -bound) {
        // the part of x - y that d dropped (Knuth's two-sum of x and -y)
        const double z = d - x, e = (x - (d - z)) + (-y - z);
        return d > 0 ? e <= 0 : e >= 0;
    }
    return 0;
}

// Nearest integer to v, |v| < 2^62; halves go away from zero, which no lattice value meets. From
// 2^52 on v is whole.
PADICI_INLINE int64_t padici_nearest(double v)
{
    if (!(v > -4503599627370496.0 && v < 4503599627370496.0)) return (int64_t)v;
    return (int64_t)(v < 0 ? v - 0.5 : v + 0.5);
}

// The same for any v, as a double; 0 for what is no number or too large.
static double padici_whole(double v)
{
    return v > -9e15 && v < 9e15 ? (double)padici_nearest(v) : 0;
}

// The word of one element, and whether the form gives the element back, to the bit or in bound: 1;
// 0: not, and -1: not, but the word is the one to be told relative to.
PADICI_INLINE int padici_convert(const padici_form *form, uint32_t kind, const padici_bound *bound,
                                 padic_dtype dtype, uint32_t size, uint64_t bits, double g,
                                 double o, double inverse, int single, uint64_t *word)
{
    uint64_t again;
    if (kind == PADICI_FORM_BITS) {
        uint64_t n = padici_ordered(dtype, bits, size), negative;
        *word = n;
        if (form->shift == 0 && form->round == 0) return 1;
        negative = (uint64_t)((int64_t)n >> 63);
        n ^= negative;
        n = form->round ? (n + form->round / 2) / form->round
                        : (n + (UINT64_C(1) << (form->shift - 1))) >> form->shift;
        *word = form->round && negative ? 0 - n : n ^ negative;
    } else if (kind == PADICI_FORM_FIELDS) {
        const uint64_t mask = ~UINT64_C(0) >> (64 - 8 * size);
        *word = (bits << 1 & mask) | bits >> (8 * size - 1);
        return 1;
    } else if (!padici_is_float(dtype)) {
        // the multiple of g nearest to x - o
        const uint64_t x = padici_ordered(dtype, bits, size) - form->o;
        const int64_t half = (int64_t)(form->g / 2);
        if (padici_is_signed(dtype) && !form->o) {
            const int64_t q = (int64_t)x / (int64_t)form->g, r = (int64_t)x % (int64_t)form->g;
            *word = (uint64_t)(q + (r > half) - (r < -half));
        } else {
            const uint64_t q = x / form->g, r = x % form->g;
            *word = q + (r > form->g / 2);
        }
    } else {
        double v = padici_value(dtype, bits);
        if (kind == PADICI_FORM_AFFINE) v -= o;
        v *= kind == PADICI_FORM_DECIMAL ? g : inverse;
        if (!(v > -4611686018427387904.0 && v < 4611686018427387904.0)) return 0;
        *word = (uint64_t)padici_nearest(v);
    }
    again = padici_apply(form, kind, dtype, size, form->round ? *word * form->round : *word, g, o,
                         single);
    if (size < 8) again &= (UINT64_C(1) << (8 * size)) - 1;
    if (again == bits) return 1;
    if (bound->mode == PADIC_BOUND_NONE) {
        const uint64_t apart =
            padici_ordered(dtype, again, size) - padici_ordered(dtype, bits, size) + 64;
        return apart <= 128 ? -1 : 0;
    }
    if (padici_is_float(dtype)) {
        const double x = padici_value(dtype, bits), y = padici_value(dtype, again);
        if (bound->mode == PADIC_BOUND_POINTWISE) {
            const double most = (x < 0 ? -x : x) * bound->pointwise;
            // a tiny product may have been rounded up
            return most >= 1e-280 && padici_within(x, y, most * (1 - 4.5e-16));
        }
        return padici_within(x, y, bound->absolute);
    } else {
        const uint64_t x = padici_ordered(dtype, bits, size);
        const uint64_t y = padici_ordered(dtype, again, size);
        const int above = padici_is_signed(dtype) ? (int64_t)y > (int64_t)x : y > x;
        const uint64_t apart = above ? y - x : x - y;
        return (double)apart <= bound->absolute && apart <= form->g / 2;
    }
}

// Words of elements [from, n); where the form does not hold the word before is repeated and the
// place noted. `count` such places came before; returns how many there are, or stops beyond `most`.
PADICI_INLINE size_t padici_convert_loop(const padici_form *given, uint32_t kind,
                                         const padici_bound *bound, padic_dtype dtype,
                                         uint32_t size, const uint8_t *raw, size_t from, size_t n,
                                         uint64_t *words, uint32_t *off, size_t count, size_t most)
{
    const padici_form copy = *given, *form = &copy; // a copy: no word written can be part of it
    const double g = padici_double_of(form->g), o = padici_double_of(form->o);
    const double inverse = kind == PADICI_FORM_SCALE || kind == PADICI_FORM_AFFINE ? 1.0 / g : 0.0;
    const int single = dtype == PADIC_F64 && form->single;
    uint64_t before = from ? words[from - 1] : 0;
    size_t i;
    if (kind == PADICI_FORM_BITS && form->shift == 0 && form->round == 0) {
        for (i = from; i < n; i++)
            words[i] = padici_ordered(dtype, padici_element(raw, i, size), size);
        return 0;
    }
    for (i = from; i < n; i++) {
        uint64_t word = 0;
        const int fits = padici_convert(form, kind, bound, dtype, size,
                                        padici_element(raw, i, size), g, o, inverse, single, &word);
        if (fits != 1) {
            if (count == most) return count + 1;
            if (off) off[count] = (uint32_t)i;
            count++;
        }
        if (fits) before = word;
        words[i] = before;
    }
    return count;
}

static size_t padici_convert_from(const padici_form *form, const padici_bound *bound,
                                  padic_dtype dtype, uint32_t size, const uint8_t *raw, size_t from,
                                  size_t n, uint64_t *words, uint32_t *off, size_t count,
                                  size_t most)
{
#define PADICI_LOOP(KIND, DTYPE, SIZE)                                                            \
    if (form->kind == (KIND) && dtype == (DTYPE))                                                 \
        return padici_convert_loop(form, KIND, bound, DTYPE, SIZE, raw, from, n, words, off,      \
                                   count, most);
    PADICI_COMMON_LOOPS
#undef PADICI_LOOP
    return padici_convert_loop(form, form->kind, bound, dtype, size, raw, from, n, words, off,
                               count, most);
}

static size_t padici_elements_to_words(const padici_form *form, const padici_bound *bound,
                                       padic_dtype dtype, uint32_t size, const uint8_t *raw,
                                       size_t n, uint64_t *words, uint32_t *off, size_t most)
{
    return padici_convert_from(form, bound, dtype, size, raw, 0, n, words, off, 0, most);
}

static const padici_codec_loops padici_plain_loops = {
    padici_checksum,    padici_fixed_loop,  padici_put_fixed_loop, padici_classes_loop,
    padici_next_planes, padici_rans_rounds, padici_context_none,   padici_slots, padici_sum,
    padici_words_to_elements, padici_elements_to_words, padici_difference, padici_least_word,
    padici_lower, padici_count_runs, padici_fixed_group, padici_pick_plain, padici_packed_cost,
    padici_make_tokens, padici_put_plain_loop, padici_plane_loop, padici_join_split,
    padici_packed_bytes, padici_linear_words, padici_float_steps, padici_between_loop,
    padici_outer_loop, NULL, NULL};

static const padici_codec_loops *padici_plain(void)
{
    return &padici_plain_loops;
}

// The plain loops, or what the context's backends put in their place.
static void padici_codec_pick(padic_context *context, padici_codec_loops *loops)
{
    *loops = padici_plain_loops;
    (void)padici_kernel(context, PADIC_KERNEL_CODEC, loops);
}

// The words nearest to a reference are added to differences (which are given as their coset has
// them), or subtracted when packing. A value that has no word counts as 0.
PADICI_INLINE void padici_reference_loop(const padici_form *given, uint32_t kind,
                                         padic_dtype dtype, uint32_t size, const uint8_t *raw,
                                         uint64_t *words, size_t n, int pack)
{
    const padici_form copy = *given, *form = &copy;
    const padici_bound exact = {PADIC_BOUND_NONE, 0, 0};
    const double g = padici_double_of(form->g), o = padici_double_of(form->o);
    const double inverse = kind == PADICI_FORM_SCALE || kind == PADICI_FORM_AFFINE ? 1.0 / g : 0.0;
    size_t i;
    // a step of integers that would not divide: only damaged streams have one
    const int none = !padici_is_float(dtype) && kind >= PADICI_FORM_SCALE &&
                     (form->g == 0 || form->g >> 63);
    for (i = 0; i < n; i++) {
        uint64_t word = 0;
        if (!none)
            (void)padici_convert(form, kind, &exact, dtype, size, padici_element(raw, i, size), g,
                                 o, inverse, 0, &word);
        words[i] = pack ? words[i] - word : form->first + form->step * words[i] + word;
    }
}

static void padici_add_reference(const padici_form *form, padic_dtype dtype, const uint8_t *raw,
                                 uint64_t *words, size_t n, int pack)
{
#define PADICI_LOOP(KIND, DTYPE, SIZE)                                                            \
    if (form->kind == (KIND) && dtype == (DTYPE)) {                                               \
        padici_reference_loop(form, KIND, DTYPE, SIZE, raw, words, n, pack);                      \
        return;                                                                                   \
    }
    PADICI_COMMON_LOOPS
#undef PADICI_LOOP
    padici_reference_loop(form, form->kind, dtype, padic_dtype_size(dtype), raw, words, n, pack);
}

// Whether a form gives one element back, to the bit.
static int padici_holds(const padici_form *form, padic_dtype dtype, uint32_t size, uint64_t bits)
{
    const padici_bound exact = {PADIC_BOUND_NONE, 0, 0};
    const double g = padici_double_of(form->g), o = padici_double_of(form->o);
    uint64_t word;
    return padici_convert(form, form->kind, &exact, dtype, size, bits, g, o, 1 / g, form->single,
                          &word) == 1;
}

// Lattices that a block may lie on. Each finder looks at up to 256 finite values, not 0.
typedef struct padici_lattice_sample {
    double value[PADICI_SAMPLE], sorted[PADICI_SAMPLE];
    uint64_t words[PADICI_SAMPLE];
    uint8_t raw[8 * PADICI_SAMPLE], left[8 * PADICI_SAMPLE]; // as elements; some of them
    uint32_t off[PADICI_SAMPLE], place[PADICI_SAMPLE], power[PADICI_SAMPLE];
    const padici_codec_loops *loops;
    uint32_t count;
    int single; // f64 elements of which at least two thirds are f32 values
} padici_lattice_sample;

static void padici_lattice_pick(const padici_codec_loops *loops, const padici_box *box,
                                const uint8_t *raw, uint32_t most, padici_lattice_sample *sample)
{
    const size_t step = box->n / most + 1;
    size_t i, k, at = 0;
    uint32_t singles = 0;
    sample->loops = loops;
    sample->count = 0;
    for (i = 0; i < box->n && sample->count < most; i += step) {
        // not always the same place within the step, so that no column of a table is missed
        k = i + (at++ * 7) % step;
        if (k < box->n) {
            const double x = padici_value(box->dtype, padici_element(raw, k, box->size));
            if (x == 0 || !(x - x == 0)) continue;
            singles += x < 3e38 && x > -3e38 && (double)(float)x == x;
            sample->value[sample->count++] = x;
        }
    }
    // mostly zeros: whatever else there is
    for (i = 0; i < box->n && sample->count < most / 4 && at >= most / 2; i++) {
        const double x = padici_value(box->dtype, padici_element(raw, i, box->size));
        if (x == 0 || !(x - x == 0)) continue;
        singles += x < 3e38 && x > -3e38 && (double)(float)x == x;
        sample->value[sample->count++] = x;
    }
    for (i = 0; i < sample->count; i++)
        padici_set_element(sample->raw, i, box->size,
                           padici_rounded(box->dtype, sample->value[i], 0));
    sample->single = box->dtype == PADIC_F64 && singles >= sample->count - sample->count / 3;
}

// Sorts doubles: shell sort, at most 256 of them.
static void padici_sort(double *x, uint32_t n)
{
    uint32_t gap, i, k;
    for (gap = 121; gap; gap /= 3) {
        for (i = gap; i < n; i++) {
            const double v = x[i];
            for (k = i; k >= gap && x[k - gap] > v; k -= gap) x[k] = x[k - gap];
            x[k] = v;
        }
    }
}

// x = n 2^k: k is the smallest exponent of the lowest one bit among all but the oddest
// 1/32 of the sample. Returns 0 when the integers would be longer than the mantissa.
static int padici_find_binary(padici_lattice_sample *sample, int level, padici_form *form)
{
    double *low = sample->sorted;
    double largest = 0, g;
    uint32_t i;
    if (sample->count < 8) return 0;
    for (i = 0; i < sample->count; i++) {
        const double x = sample->value[i] < 0 ? -sample->value[i] : sample->value[i];
        const uint64_t bits = padici_bits_of(x), e = bits >> 52;
        const uint64_t m = (bits & (~UINT64_C(0) >> 12)) | (e ? UINT64_C(1) << 52 : 0);
        low[i] = (double)(int64_t)(e ? e : 1) + (double)padici_ctz64(m); // + 1075: of 2^k
        if (x > largest) largest = x;
    }
    padici_sort(low, sample->count);
    i = (uint32_t)low[sample->count / 32]; // g = 2^(i - 1075)
    if (i <= 52)
        g = padici_double_of(UINT64_C(1) << (i - 1));
    else if (i - 52 < 2047)
        g = padici_double_of((uint64_t)(i - 52) << 52);
    else
        return 0;
    // what spectral codes compute lies on an absolute lattice, of more bits than a mantissa has
    if (!(largest / g < (level < 8 ? 4503599627370496.0 : 1152921504606846976.0))) return 0;
    form->kind = PADICI_FORM_SCALE;
    form->g = padici_bits_of(g);
    return 1;
}

static double padici_power_of_ten(uint32_t k)
{
    double p = 1;
    while (k--) p *= 10; // exact up to 10^22
    return p;
}

// x is the float nearest to n / 10^k: the smallest k that serves all but 1/16 of the sample (1/3 of
// f64 that are f32 values, which readers of text leave an ulp off).
static int padici_find_decimal(padic_dtype dtype, uint32_t size, padici_lattice_sample *sample,
                               padici_form *form)
{
    const padici_bound exact = {PADIC_BOUND_NONE, 0, 0};
    const uint32_t most = 2 + sample->count / (sample->single ? 3 : 16);
    const uint32_t last = dtype == PADIC_F64 && !sample->single ? 15 : 9;
    uint32_t served[17], from, to, i, k, left;
    if (sample->count < 8) return 0;
    memset(served, 0, sizeof served);
    memset(form, 0, sizeof *form);
    form->kind = PADICI_FORM_DECIMAL;
    form->single = sample->single;
    for (from = 0; from < sample->count; from = to) { // few at first: most arrays are no decimals
        to = from || sample->count < 16 ? sample->count : 16;
        left = to - from;
        memcpy(sample->left, sample->raw + from * size, left * size);
        for (i = 0; i < left; i++) {
            sample->place[i] = from + i;
            sample->power[from + i] = last + 1;
        }
        for (k = 0; k <= last && left; k++) { // those that this power does not serve stay
            const uint32_t before = left;
            form->g = padici_bits_of(padici_power_of_ten(k));
            left = (uint32_t)(*sample->loops->words)(form, &exact, dtype, size, sample->left,
                                                     before, sample->words, sample->off, before);
            for (i = 0; i < before; i++)
                if (sample->power[sample->place[i]] > last) sample->power[sample->place[i]] = k;
            for (i = 0; i < left; i++) {
                const uint32_t at = sample->off[i];
                sample->place[i] = sample->place[at];
                sample->power[sample->place[i]] = last + 1;
                padici_set_element(sample->left, i, size,
                                   padici_element(sample->left, at, size));
            }
        }
        for (i = from; i < to; i++) {
            served[sample->power[i]]++;
            if (served[last + 1] > most || (i < 16 && served[last + 1] > i / 2 + 4)) return 0;
        }
    }
    for (k = last + 1, left = 0; k > 0 && left + served[k] <= most; k--) left += served[k];
    form->g = padici_bits_of(padici_power_of_ten(k));
    return 1;
}

static uint32_t padici_lattice_hits(const padici_form *form, padic_dtype dtype, uint32_t size,
                                    padici_lattice_sample *sample)
{
    const padici_bound exact = {PADIC_BOUND_NONE, 0, 0};
    if (sample->count > 64 && (*sample->loops->words)(form, &exact, dtype, size, sample->raw, 32,
                                                      sample->words, NULL, 20) > 20)
        return 0; // two thirds of all will not do
    return sample->count - (uint32_t)(*sample->loops->words)(form, &exact, dtype, size, sample->raw,
                                                             sample->count, sample->words, NULL,
                                                             sample->count);
}

// x = n / D: D is the least common multiple of the denominators of a few values, each the first
// convergent of its continued fraction that rounds to the value.
static int padici_find_fraction(padic_dtype dtype, uint32_t size,
                                const padici_lattice_sample *sample, padici_form *form)
{
    uint64_t common = 1;
    uint32_t i, failures = 0;
    if (sample->count < 8) return 0;
    memset(form, 0, sizeof *form);
    form->kind = PADICI_FORM_DECIMAL;
    form->single = sample->single;
    for (i = 0; i < sample->count && i < 32; i++) {
        const double x = sample->value[i];
        const uint64_t bits = padici_rounded(dtype, x, 0);
        double rest = x < 0 ? -x : x;
        uint64_t q = 1, before = 0, word;
        int found = 0, k;
        rest -= (double)(int64_t)(rest < 9e15 ? rest : 0);
        for (k = 0; k < 16 && !found; k++) {
            form->g = padici_bits_of((double)(int64_t)q);
            found = padici_holds(form, dtype, size, bits);
            if (found || !(rest > 1e-9)) break;
            rest = 1 / rest; // at most 1e9
            word = (uint64_t)(int64_t)rest;
            rest -= (double)(int64_t)word;
            if (word > 65536) break;
            word = word * q + before; // the next denominator
            before = q;
            q = word;
            if (q > 65536) break;
        }
        word = q;
        for (before = common; before;) { // gcd
            const uint64_t r = word % before;
            word = before;
            before = r;
        }
        if (found && common * (q / word) <= 65536)
            common *= q / word;
        else if (++failures > 4)
            return 0;
    }
    form->g = padici_bits_of((double)(int64_t)common);
    return common > 1;
}

// The decimal of at most 12 digits nearest to x, or x where none is within 1e-9 of it.
static double padici_short_decimal(double x)
{
    uint32_t k;
    for (k = 0; k <= 18; k++) {
        const double p = padici_power_of_ten(k), v = x * p;
        const double n = v < 1e12 && v > -1e12 ? padici_whole(v) : 0;
        const double d = v - n;
        if (n != 0 && (d < 0 ? -d : d) <= 1e-9 * (n < 0 ? -n : n)) return n / p;
    }
    return x;
}

// The common step of a few rising values: Euclid on their differences. Remainders are multiples of
// the step or rounding errors; the mean between the two sizes is where to cut. 0: there is none.
static double padici_common_step(const double *x, uint32_t n, double tolerance)
{
    double g = 0;
    uint32_t i;
    for (i = 1; i < n; i++) {
        double a = x[i] - x[i - 1], b = g, noise;
        if (a <= tolerance) continue;
        // about the geometric mean: that of the bits
        noise = padici_double_of((padici_bits_of(tolerance) >> 1) +
                                 (padici_bits_of(a > b ? a : b) >> 1));
        while (b > noise) {
            double r = a - padici_whole(a / b) * b;
            if (r < 0) r = -r;
            a = b;
            b = r;
        }
        g = a;
        if (!(g > 8 * tolerance)) return 0;
    }
    return g;
}

// The step, the offset and how they may have been written: whichever serves most of the sample.
static uint32_t padici_try_affine(padic_dtype dtype, uint32_t size,
                                  padici_lattice_sample *sample, double g, double at,
                                  uint32_t best, padici_form *form)
{
    padici_form trial;
    uint32_t i;
    memset(&trial, 0, sizeof trial);
    trial.single = sample->single;
    for (i = 0; i < 12 && best < sample->count; i++) {
        const double inverse = 1 / g;
        double step = g, first = 0;
        uint32_t hits;
        if (i / 3 == 1) step = (double)(float)g;
        if (i / 3 == 2) step = padici_whole(inverse) > 0 ? 1 / padici_whole(inverse) : 0;
        if (i / 3 == 3) step = padici_short_decimal(g);
        if (!(step > 0)) continue;
        if (i % 3 == 1) first = at;
        if (i % 3 == 2) first = padici_short_decimal(at - padici_whole(at / step) * step);
        trial.kind = i % 3 ? PADICI_FORM_AFFINE : PADICI_FORM_SCALE;
        trial.g = padici_bits_of(step);
        trial.o = padici_bits_of(first);
        hits = padici_lattice_hits(&trial, dtype, size, sample);
        if (hits > best) {
            best = hits;
            *form = trial;
        }
    }
    return best;
}

// x = n g + o for a general g, from several stretches of the sorted sample, since one value that is
// off the lattice spoils a stretch. g is then refined over growing spans.
static int padici_find_affine(padic_dtype dtype, uint32_t size, padici_lattice_sample *sample,
                              padici_form *form)
{
    const double eps = dtype == PADIC_F64 && !sample->single ? 1.2e-16
                       : dtype == PADIC_F64 || dtype == PADIC_F32 ? 6e-8
                       : dtype == PADIC_F16                       ? 5e-4
                                                                  : 4e-3;
    const uint32_t low = sample->count / 16, high = sample->count - 1 - low, few = 12;
    double *x = sample->sorted, tolerance;
    uint32_t trial, i, best = 0;
    if (sample->count < 32) return 0;
    memcpy(x, sample->value, sample->count * sizeof *x);
    padici_sort(x, sample->count);
    tolerance = 4 * eps * (x[high] > -x[low] ? x[high] : -x[low]);
    if (!(x[high] > x[low]) || !(x[high] - x[low] < 1e300)) return 0;
    for (trial = 0; trial < 6 && best < sample->count - sample->count / 16; trial++) {
        const uint32_t from = low + (high - low - few) * trial / 5;
        double g = padici_common_step(x + from, few + 1, tolerance), error = 4 * tolerance;
        if (!(g > 0) || !((x[high] - x[low]) / g < 1e9)) continue;
        for (i = from + 1; i <= high; i++) {
            const double d = x[i] - x[from], k = padici_whole(d / g), rest = d - k * g;
            if (k > 0 && (rest < 0 ? -rest : rest) <= k * error + tolerance) {
                g = d / k;
                error = tolerance / k;
            }
        }
        best = padici_try_affine(dtype, size, sample, g, x[from], best, form);
    }
    return best >= sample->count - sample->count / 3;
}

// room: src/codec/choose_sizes.c
// ---- the packer's choices: sizes

// Size of words as classes with m = 1: the entropy of the tokens and the bits below.
static uint64_t padici_class_cost(const uint64_t *z, size_t n)
{
    uint32_t counts[128], t, extra;
    uint64_t plain = 0;
    size_t i;
    memset(counts, 0, sizeof counts);
    for (i = 0; i < n; i++) {
        t = padici_token(z[i], 1, &extra);
        counts[t]++;
        plain += extra;
    }
    return padici_entropy(counts, 128, (uint32_t)n) + 256 * plain;
}

// Size of words: what the level's coders make of them.
static uint64_t padici_words_cost(const padici_work *w, const uint64_t *z, size_t n)
{
    if (w->level > 1) return padici_class_cost(z, n);
    return 256 * (*w->loops->packed)(z, n);
}

// Size of words as planes of bytes. A short sample makes 256 symbols look cheaper than they are:
// (symbols - 1) / 2 ln 2 bits are added back (Miller 1955).
static uint64_t padici_bytes_cost(const uint64_t *z, size_t n)
{
    uint64_t all = 0, cost = 0;
    uint32_t k, s, used;
    size_t i;
    for (i = 0; i < n; i++) all |= z[i];
    for (k = 0; k < padici_bit_length(all); k += 8) {
        uint32_t counts[256];
        uint64_t plane;
        memset(counts, 0, sizeof counts);
        for (i = 0; i < n; i++) counts[z[i] >> k & 255]++;
        for (s = 0, used = 0; s < 256; s++) used += counts[s] != 0;
        plane = padici_entropy(counts, 256, (uint32_t)n) + (uint64_t)(used - 1) * 185;
        cost += plane < 2048 * (uint64_t)n ? plane : 2048 * (uint64_t)n;
    }
    return cost;
}

// The cheapest m of classes for these words, from one histogram with m = 3.
static uint32_t padici_choose_mantissa(const uint64_t *z, size_t n, size_t step, uint64_t *cost)
{
    uint32_t counts[512], m, best = 0, extra, total = 0;
    uint64_t largest = 0, plain = 0;
    size_t i;
    memset(counts, 0, sizeof counts);
    for (i = 0; i < n; i += step) {
        counts[padici_token(z[i], 3, &extra)]++;
        plain += extra;
        total++;
        if (z[i] > largest) largest = z[i];
    }
    *cost = UINT64_MAX;
    for (m = 4; m-- > 0;) {
        uint64_t here = padici_entropy(counts, 512, total) + 256 * plain;
        uint32_t t, used = 0;
        for (t = 0; t < 512; t++) used += counts[t] != 0;
        here += (uint64_t)used * 1536; // its place in a table
        if ((m < 3 || largest >> 33 == 0) && here < *cost) {
            *cost = here;
            best = m;
        }
        if (m == 0) break;
        // tokens of m - 1, in their place (they are never larger): one with plain bits gives its
        // last bit to them, and so do the upper half of those without
        for (t = 0; t < 512; t++) {
            const uint32_t count = counts[t], e = t < 2u << m ? 0 : (t >> m) - 1;
            const uint32_t high = (t & ((1u << m) - 1)) | 1u << m; // the bits that a token keeps
            uint32_t lost = 1;
            counts[t] = 0;
            if (e == 0) counts[padici_token(t, m - 1, &lost)] += count;
            else counts[((e + 2) << (m - 1)) + ((high >> 1) & ((1u << (m - 1)) - 1))] += count;
            plain += (uint64_t)lost * count;
        }
    }
    return best;
}

// room: src/codec/choose_prediction.c
// ---- the packer's choices: prediction

// Residual of element i, straight from the definition; depth is at most the length of the chain.
static uint64_t padici_residual(const padici_predictor *predictor, uint32_t ops, const uint64_t *x,
                                size_t i)
{
    const padici_op *op;
    if (ops == 0) return x[i];
    op = &predictor->op[ops - 1];
    if (i % op->segment < op->stride) return padici_residual(predictor, ops - 1, x, i);
    if (predictor->kind == PADICI_PREDICT_XOR)
        return padici_residual(predictor, ops - 1, x, i) ^
               padici_residual(predictor, ops - 1, x, i - op->stride);
    return padici_residual(predictor, ops - 1, x, i) -
           padici_residual(predictor, ops - 1, x, i - op->stride);
}

static uint64_t padici_residual_median(const padici_predictor *predictor, const uint64_t *x,
                                       size_t i)
{
    const uint32_t column = predictor->op[0].stride, row = predictor->op[1].stride;
    const size_t place = i % predictor->op[1].segment;
    const int has_left = place % row >= column, has_above = place >= row;
    const uint64_t left = has_left ? x[i - column] : 0, above = has_above ? x[i - row] : 0;
    if (has_left && has_above) return x[i] - padici_median(left, above, x[i - row - column]);
    return x[i] - left - above;
}

// Residuals of x[from..from + count), folded where they are signed. Away from the edges a chain of
// differences is a sum of few terms, made once; near them the definition is followed.
static void padici_stretch_residuals(const padici_predictor *predictor, uint64_t *x, size_t from,
                                     size_t count, size_t n, uint64_t *z)
{
    uint32_t offset[256];
    int32_t factor[256];
    uint32_t terms = 1, k, t, reach[PADICI_MAX_OPS]; // what all differences along an axis look back
    const int fold =
        predictor->kind != PADICI_PREDICT_NONE && predictor->kind != PADICI_PREDICT_XOR;
    size_t i;
    if (predictor->kind == PADICI_PREDICT_LINEAR) {
        padici_linear(padici_plain(), predictor, x, z, from, from + count, n, PADICI_LINEAR_DO);
        for (i = 0; i < count; i++) z[i] = padici_fold(z[i]);
        return;
    }
    offset[0] = 0;
    factor[0] = 1;
    for (k = 0; k < predictor->count; k++) {
        for (reach[k] = 0, t = 0; t <= k; t++)
            if (predictor->op[t].axis == predictor->op[k].axis) reach[k] += predictor->op[t].stride;
        for (t = 0; t < terms; t++) {
            offset[terms + t] = offset[t] + predictor->op[k].stride;
            factor[terms + t] = -factor[t];
        }
        terms *= 2;
    }
    for (i = from; i < from + count; i++, z++) {
        uint64_t r;
        if (predictor->kind == PADICI_PREDICT_MEDIAN) {
            r = padici_residual_median(predictor, x, i);
        } else if (predictor->kind == PADICI_PREDICT_NONE) {
            r = x[i];
        } else {
            int inside = predictor->kind != PADICI_PREDICT_XOR;
            for (k = 0; k < predictor->count && inside; k++)
                inside = i % predictor->op[k].segment >= reach[k];
            if (inside) {
                for (r = 0, t = 0; t < terms; t++)
                    r += (uint64_t)(int64_t)factor[t] * x[i - offset[t]];
            } else {
                r = padici_residual(predictor, predictor->count, x, i);
            }
        }
        *z = fold ? padici_fold(r) : r;
    }
}

// Those of the sampled stretches.
static size_t padici_sample_residuals(const padici_predictor *predictor, uint64_t *x, size_t n,
                                      uint64_t *z)
{
    const size_t stretch = n < PADICI_RUNS * PADICI_RUN ? n : PADICI_RUN;
    const uint32_t runs = n < PADICI_RUNS * PADICI_RUN ? 1 : PADICI_RUNS;
    uint64_t low = x[0];
    size_t at = 0, i;
    uint32_t run;
    for (run = 0; run < runs; run++, at += stretch) {
        const size_t from = runs == 1 ? 0 : (size_t)((uint64_t)(n - stretch) * run / (runs - 1));
        padici_stretch_residuals(predictor, x, from, stretch, n, z + at);
    }
    if (predictor->kind == PADICI_PREDICT_NONE) { // what the coset does to the block
        for (i = 0; i < at; i++)
            if ((int64_t)z[i] < (int64_t)low) low = z[i];
        for (i = 0; i < at; i++) z[i] -= low;
    }
    return at;
}

// What may be tried, the simple ones first: differences along axes, 0 the fastest that has more
// than one element. Rows 5 to 7 are differences in an unlabelled record of 2, 3 or 4 words.
#define PADICI_CANDIDATES 20u
static const struct {
    uint8_t kind, count, axis[4];
} padici_candidates[PADICI_CANDIDATES] = {
    {PADICI_PREDICT_NONE, 0, {0, 0, 0, 0}},    {PADICI_PREDICT_DELTA, 1, {0, 0, 0, 0}},
    {PADICI_PREDICT_DELTA2, 2, {0, 0, 0, 0}},  {PADICI_PREDICT_XOR, 1, {0, 0, 0, 0}},
    {PADICI_PREDICT_DELTA2, 3, {0, 0, 0, 0}},  {PADICI_PREDICT_DELTA, 1, {0, 0, 0, 0}},
    {PADICI_PREDICT_DELTA, 1, {0, 0, 0, 0}},   {PADICI_PREDICT_DELTA, 1, {0, 0, 0, 0}},
    {PADICI_PREDICT_DELTA, 1, {1, 0, 0, 0}},   {PADICI_PREDICT_DELTA2, 2, {1, 1, 0, 0}},
    {PADICI_PREDICT_LORENZO, 2, {0, 1, 0, 0}}, {PADICI_PREDICT_MEDIAN, 2, {0, 1, 0, 0}},
    {PADICI_PREDICT_LORENZO, 4, {0, 0, 1, 1}}, {PADICI_PREDICT_LORENZO, 3, {0, 0, 1, 0}},
    {PADICI_PREDICT_LORENZO, 3, {0, 1, 1, 0}}, {PADICI_PREDICT_DELTA, 1, {2, 0, 0, 0}},
    {PADICI_PREDICT_LORENZO, 3, {0, 1, 2, 0}}, {PADICI_PREDICT_LORENZO, 2, {0, 2, 0, 0}},
    {PADICI_PREDICT_LORENZO, 2, {1, 2, 0, 0}}, {PADICI_PREDICT_DELTA2, 2, {2, 2, 0, 0}},
};

typedef struct padici_choice {
    padici_predictor predictor;
    uint64_t cost; // of the sample
} padici_choice;

// Keeps the `room` cheapest in order.
static uint32_t padici_keep(padici_choice *best, uint32_t count, uint32_t room,
                            const padici_predictor *predictor, uint64_t cost)
{
    uint32_t at = count < room ? count : room - 1;
    if (count == room && cost >= best[at].cost) return count;
    for (; at > 0 && best[at - 1].cost > cost; at--) best[at] = best[at - 1];
    best[at].predictor = *predictor;
    best[at].cost = cost;
    return count < room ? count + 1 : room;
}

// The cost of words on the sampled stretches, folded; `sample` has room for them.
static uint64_t padici_stretch_cost(const uint64_t *z, size_t n, uint64_t *sample)
{
    const size_t stretch = padici_least(PADICI_RUN, n);
    const uint32_t runs = n <= PADICI_RUN ? 1 : PADICI_RUNS;
    size_t at = 0, i;
    uint32_t run;
    for (run = 0; run < runs; run++) {
        const size_t from =
            runs == 1 ? 0 : (size_t)((uint64_t)(n - stretch) * run / (runs - 1));
        for (i = from; i < from + stretch; i++) sample[at++] = padici_fold(z[i]);
    }
    return padici_class_cost(sample, at) * (n < PADICI_RUNS * PADICI_RUN ? n : 1024) / at;
}

// Whether cubics are nearer than means on the finest level of an axis: the sum of the lengths of
// both residuals, on some of its points. Coarser levels do as it does.
static uint32_t padici_choose_cubic(const padici_op *op, const uint64_t *x, size_t n)
{
    const size_t stride = op->stride, extent = op->segment / stride, step = n / 509 + 1;
    uint64_t linear = 0, cubic = 0;
    size_t i;
    for (i = 0; i < n; i += step) {
        const size_t c = i % op->segment / stride;
        if (c < 3 || c + 3 >= extent) continue;
        linear += padici_bit_length(padici_fold(x[i] - padici_between_words(x, i, stride, 1)));
        cubic += padici_bit_length(padici_fold(x[i] - padici_between_words(x, i, stride, 2)));
    }
    return cubic < linear ? UINT32_MAX : 0;
}

// Interpolation over all axes, from slow to fast or the other way round.
static padici_predictor padici_interpolation(const padici_box *box, const uint64_t *x, int back)
{
    padici_predictor p;
    uint32_t k;
    memset(&p, 0, sizeof p);
    p.kind = PADICI_PREDICT_INTERPOLATE;
    p.scale = 1;
    for (k = 0; k < box->rank; k++) {
        const uint32_t axis = back ? box->rank - 1 - k : k;
        if (box->extent[axis] < 2) continue;
        p.op[p.count] = padici_axis_op(box, axis);
        p.op[p.count].cubic = padici_choose_cubic(&p.op[p.count], x, box->n);
        p.count++;
    }
    return p;
}

static uint32_t padici_choose_interpolation(const padici_box *box, uint64_t *x, uint64_t *z,
                                            padici_choice *best, uint32_t count, uint32_t room)
{
    int back;
    for (back = 0; back < 2; back++) {
        const padici_predictor p = padici_interpolation(box, x, back);
        if (p.count == 0 || (back && p.count < 2)) return count;
        padici_predict(NULL, &p, x, z, box->n, 0);
        count = padici_keep(best, count, room, &p, padici_stretch_cost(z, box->n, z + box->n));
    }
    return count;
}

// Smooth fields want differences of higher orders: one on whichever axis helps most is added to the
// chain as long as that saves a fiftieth. Residuals of the whole block stand in z, the sample
// behind them.
static void padici_lengthen_chain(const padici_box *box, uint64_t *x, uint64_t *z,
                                  padici_choice *best)
{
    uint64_t *sample = z + box->n;
    const size_t stretch = padici_least(PADICI_RUN, box->n);
    for (;;) {
        padici_choice found = *best;
        uint32_t axis, run;
        for (axis = 0; axis < box->rank && best->predictor.count < PADICI_MAX_OPS; axis++) {
            padici_choice trial = *best;
            size_t i, at = 0;
            if (box->extent[axis] < 16) continue;
            trial.predictor.op[trial.predictor.count++] = padici_axis_op(box, axis);
            trial.predictor.kind = PADICI_PREDICT_LORENZO;
            padici_predict(padici_plain(), &trial.predictor, x, z, box->n, 0);
            for (run = 0; run < PADICI_RUNS; run++) {
                const size_t from =
                    (size_t)((uint64_t)(box->n - stretch) * run / (PADICI_RUNS - 1));
                for (i = from; i < from + stretch; i++) sample[at++] = padici_fold(z[i]);
            }
            trial.cost = padici_class_cost(sample, at);
            if (trial.cost < found.cost) found = trial;
        }
        if (found.cost >= best->cost - best->cost / 50) return;
        *best = found;
    }
}

// room: src/codec/choose_weights.c
// ---- the packer's choices: weighted neighbours
//
// The weights are those of least squares over some stretches of the block. A word counts by the
// inverse square of what another predictor leaves of it, so that what is rough does not spoil what
// is not: nearly the fewest digits, not the least energy. Sums of doubles in one order, rounded
// after each operation: the same on every machine.

#define PADICI_TAP_STRETCH 64u
#define PADICI_TAP_ROW (PADICI_MAX_TAPS + 1)

// Neighbours on three axes from slow to fast: on one of them those of the third kind alone, on two
// the first 12.
static const int8_t padici_neighbours[23][PADICI_TAP_AXES] = {
    {0, 0, 1}, {0, 1, 0}, {0, 1, 1},  {0, 1, -1}, {0, 0, 2},  {0, 2, 0}, {0, 1, 2},   {0, 2, 1},
    {0, 1, -2}, {0, 2, -1}, {0, 0, 3}, {0, 3, 0},  {1, 0, 0},  {1, 0, 1}, {1, 1, 0},   {1, 0, -1},
    {1, -1, 0}, {1, 1, 1},  {1, -1, -1}, {2, 0, 0}, {1, 1, -1}, {1, -1, 1}, {3, 0, 0},
};

// `taps` neighbours along one axis, or the first of the table on two or three; axis[0] is the
// fastest.
static void padici_set_taps(const padici_box *box, const uint32_t *axis, uint32_t axes,
                            uint32_t taps, padici_predictor *p)
{
    uint32_t k, t;
    memset(p, 0, sizeof *p);
    p->kind = PADICI_PREDICT_LINEAR;
    p->count = axes;
    p->taps = taps;
    for (k = 0; k < axes; k++) p->op[k] = padici_axis_op(box, axis[axes - 1 - k]);
    for (t = 0; t < taps; t++)
        for (k = 0; k < axes; k++)
            p->back[t][k] = axes == 1 ? (int8_t)(t + 1)
                                      : padici_neighbours[t][PADICI_TAP_AXES - axes + k];
}

// Where a stretch begins of which all neighbours are there, and how long it is. 0: nowhere.
static size_t padici_tap_stretch(const padici_predictor *p, size_t n, uint32_t turn,
                                 uint32_t turns, size_t *length)
{
    size_t from = (size_t)((uint64_t)n * turn / turns), inside;
    const uint32_t last = p->count - 1;
    const size_t segment = padici_least(p->op[last].segment, n), stride = p->op[last].stride;
    const size_t place = segment < n ? (size_t)turn * 40503u % segment : from;
    int64_t reach[2];
    uint32_t k;
    for (k = 0; k < last; k++) {
        const size_t step = p->op[k].stride, extent = p->op[k].segment / step;
        const size_t at = from % p->op[k].segment / step;
        padici_tap_reach(p, k, reach);
        if ((size_t)(reach[0] + reach[1]) >= extent) return 0;
        if (at < (size_t)reach[0]) from += ((size_t)reach[0] - at) * step;
        if (at + (size_t)reach[1] >= extent) from -= (at + (size_t)reach[1] + 1 - extent) * step;
    }
    padici_tap_reach(p, last, reach);
    if ((size_t)(reach[0] + reach[1]) >= segment / stride) return 0;
    inside = segment - (size_t)(reach[0] + reach[1]) * stride;
    *length = padici_least(inside, PADICI_TAP_STRETCH);
    return from - from % segment + (size_t)reach[0] * stride +
           padici_least(place, inside - *length);
}

// Solves the positive system of m unknowns; what does not matter becomes 0.
static void padici_solve_taps(double *sums, uint32_t m, double *y)
{
    uint32_t i, j, k;
    for (j = 0; j < m; j++) sums[j * PADICI_TAP_ROW + j] *= 1 + 1e-11;
    for (j = 0; j < m; j++) {
        const double *row = sums + j * PADICI_TAP_ROW;
        for (i = j + 1; i < m && row[j] > 0; i++) {
            const double f = row[i] / row[j];
            double *to = sums + i * PADICI_TAP_ROW;
            for (k = i; k <= m; k++) to[k] -= f * row[k];
        }
    }
    for (j = m; j-- > 0;) {
        const double *row = sums + j * PADICI_TAP_ROW;
        double v = row[m];
        for (k = j + 1; k < m; k++) v -= row[k] * y[k];
        y[j] = row[j] > 0 ? v / row[j] : 0;
    }
}

// What the neighbours of x[i] differ from the first of them, and what the word does; of floats in
// units of their last digit. 0 where they are of no use.
static int padici_tap_row(const padici_taps *taps, const padici_predictor *p, const uint64_t *x,
                          size_t i, double *y)
{
    const uint32_t m = p->taps;
    const double *v = p->values;
    double unit;
    uint32_t k;
    if (p->dtype == PADIC_DTYPE_NONE) {
        const uint64_t first = x[i - taps->distance[0]];
        for (k = 1; k < m; k++) y[k] = (double)(int64_t)(x[i - taps->distance[k]] - first);
        y[m] = (double)(int64_t)(x[i] - first);
        y[0] = (double)(int64_t)first;
        return 1;
    }
    unit = (v[i] < 0 ? -v[i] : v[i]) * (p->dtype == PADIC_F64 ? 1.2e-16 : 6e-8);
    if (!(unit > 1e-290)) return 0;
    unit = 1 / unit;
    for (k = 1; k < m; k++) {
        y[k] = (v[i - taps->distance[k]] - v[i - taps->distance[0]]) * unit;
        if (!(y[k] < 1e20 && y[k] > -1e20)) return 0;
    }
    y[m] = (v[i] - v[i - taps->distance[0]]) * unit;
    y[0] = 0;
    return y[m] < 1e20 && y[m] > -1e20;
}

// Adds one stretch; `room` has the residuals of the predictor that decides how much each word
// counts, or `weight` does.
static void padici_sum_taps(const padici_codec_loops *loops, const padici_taps *taps,
                            const padici_predictor *p, const uint64_t *x,
                            size_t from, size_t length, const uint64_t *room, const double *weight,
                            double typical, int wide, double *sums)
{
    double y[PADICI_TAP_ROW];
    const uint32_t m = p->taps;
    uint32_t k;
    size_t i;
    for (i = 0; i < length; i++) {
        double apart, counts;
        if (!padici_tap_row(taps, p, x, from + i, y)) continue;
        if (wide) y[0] = 0;
        if (weight) {
            apart = y[m];
            for (k = 0; k < m; k++) apart -= weight[k] * y[k];
        } else {
            apart = (double)(int64_t)padici_unfold(room[i]);
        }
        counts = 1 / (apart * apart + typical * typical);
        (*loops->outer)(sums, PADICI_TAP_ROW, y, m, counts);
    }
}

// The weights in integers: all differences to the first neighbour keep their sum 0.
static int padici_round_taps(const double *y, padici_predictor *p)
{
    const int floats = p->dtype != PADIC_DTYPE_NONE;
    const double most = floats ? 2147480000.0 : 32700;
    double unit = floats ? 67108864.0 : 16384, all = 0;
    int32_t left = 0;
    uint32_t j;
    for (j = 0; j < p->taps; j++) all += y[j] < 0 ? -y[j] : y[j];
    if (!(all < 2000)) return 0;
    for (p->shift = floats ? 26 : 14; all * unit > most; p->shift--) unit *= 0.5;
    for (j = p->taps; j-- > 0;) {
        const double v = y[j] * unit;
        const int32_t whole = (int32_t)(v < 0 ? v - 0.5 : v + 0.5);
        p->weight[j] = j ? whole : whole - left;
        left += whole;
    }
    return 1;
}

// Finds weights on `turns` stretches, starting from another predictor. `room` takes a matrix and a
// stretch. 0: there are none.
static int padici_fit_taps(const padici_codec_loops *loops, uint64_t *x, size_t n,
                           uint32_t turns, uint32_t passes,
                           const padici_predictor *start, uint64_t *room, padici_predictor *p)
{
    double *sums = (double *)(void *)(room + PADICI_TAP_STRETCH), y[PADICI_TAP_ROW], typical;
    padici_point point;
    padici_taps taps;
    uint64_t bits = 0;
    uint32_t turn, k, pass;
    size_t i, length, count = 0;
    int wide = 0;
    for (k = 0; k < p->count; k++) {
        point.extent[k] = 1 << 20;
        point.at[k] = 1 << 10;
    }
    padici_find_taps(p, &point, &taps);
    for (turn = 0; turn < turns; turn += 4) { // the usual size of residuals
        const size_t from = padici_tap_stretch(p, n, turn, turns, &length);
        if (from == 0) return 0;
        padici_stretch_residuals(start, x, from, length, n, room);
        for (i = 0; i < length; i++) {
            bits += padici_bit_length(room[i]);
            wide |= padici_bit_length(padici_fold(x[from + i])) > 40;
        }
        count += length;
    }
    typical = (double)((uint64_t)1 << bits / count % 64);
    for (pass = 0; pass < passes; pass++) {
        for (i = 0; i < PADICI_TAP_ROW * PADICI_TAP_ROW; i++) sums[i] = 0;
        for (turn = 0; turn < turns; turn++) {
            const size_t from = padici_tap_stretch(p, n, turn, turns, &length);
            if (pass == 0) padici_stretch_residuals(start, x, from, length, n, room);
            padici_sum_taps(loops, &taps, p, x, from, length, room, pass ? y : NULL, typical, wide,
                            sums);
        }
        padici_solve_taps(sums, p->taps, y);
    }
    return padici_round_taps(y, p);
}

// Tries weighted neighbours: with few stretches first where there is little time.
static uint32_t padici_try_taps(const padici_work *w, const padici_box *box, padici_predictor *p,
                                const padici_predictor *start, uint64_t *x, uint64_t *z,
                                padici_choice *best, uint32_t count, uint32_t room)
{
    const uint32_t passes = w->level < 6 ? 1 : w->level < 8 ? 2 : 3;
    const int hasty = w->level < 8 && w->stages.predictors == 0;
    uint32_t turns = hasty ? 16 : 64;
    for (;; turns = 64) {
        uint64_t cost;
        if (!padici_fit_taps(w->loops, x, box->n, turns, passes, start, z + box->n, p))
            return count;
        cost = padici_class_cost(z, padici_sample_residuals(p, x, box->n, z));
        if (hasty) cost += cost >> 6; // its decoder takes longer
        if (turns == 64) return padici_keep(best, count, room, p, cost);
        if (count && cost > best->cost + (best->cost >> 5)) return count;
    }
}

// (-1)^k n! / (k! (n - k)!)
static int32_t padici_binomial(uint32_t n, uint32_t k)
{
    int32_t b = 1;
    uint32_t i;
    for (i = 1; i <= k; i++) b = -b * (int32_t)(n + 1 - i) / (int32_t)i;
    return b;
}

// Differences of order power[k] along axis[k], axis[0] the fastest, as weights of floats: what
// follows from the neighbours if that difference is 0. 0: too many neighbours.
static int padici_chain_taps(const padici_box *box, const uint32_t *axis, uint32_t axes,
                             const uint32_t *power, padici_predictor *p)
{
    uint32_t k, t, all = 1, used = 0;
    for (k = 0; k < axes; k++) {
        if (power[k] > 8 || power[k] >= box->extent[axis[k]]) return 0;
        all *= power[k] + 1;
        used += power[k] != 0;
    }
    if (all < 2 || all > PADICI_MAX_TAPS + 1) return 0;
    p->kind = PADICI_PREDICT_LINEAR;
    p->count = used;
    p->taps = all - 1;
    p->shift = 0;
    for (t = 1; t < all; t++) {
        uint32_t rest = t, at = used;
        int32_t weight = -1;
        for (k = 0; k < axes; k++) {
            const uint32_t back = rest % (power[k] + 1);
            rest /= power[k] + 1;
            if (power[k] == 0) continue;
            p->back[t - 1][--at] = (int8_t)back;
            p->op[at] = padici_axis_op(box, axis[k]);
            weight *= padici_binomial(power[k], back);
        }
        p->weight[t - 1] = weight - (t == 1); // to the first neighbour itself
    }
    return 1;
}

static uint64_t padici_taps_cost(const padici_work *w, const padici_box *box,
                                 const padici_predictor *p, uint64_t *x, uint64_t *z)
{
    const uint64_t cost = padici_class_cost(z, padici_sample_residuals(p, x, box->n, z));
    return w->level < 8 && w->stages.predictors == 0 ? cost + (cost >> 6) : cost;
}

// Smooth fields of floats: differences of floats are those of the field, those of words (the bits)
// have steps where the exponent changes. Orders grow as long as that saves a fiftieth.
static uint32_t padici_choose_floats(const padici_work *w, const padici_box *box, uint64_t *x,
                                     uint64_t *z, padici_choice *best, uint32_t count,
                                     uint32_t room)
{
    uint32_t axis[3] = {0, 0, 0}, axes = 0, power[3] = {0, 0, 0}, k, i;
    padici_choice found, trial;
    memset(&found, 0, sizeof found);
    found.predictor.dtype = w->floats;
    found.predictor.values = (double *)(void *)w->hold;
    padici_find_values(&found.predictor, x, box->n);
    for (k = box->rank; k-- > 0 && axes < 3;)
        if (box->extent[k] >= 4) axis[axes++] = k;
    if (axes == 0) return count;
    for (i = 0; count && i < best->predictor.count; i++)
        for (k = 0; k < axes; k++)
            power[k] += best->predictor.kind <= PADICI_PREDICT_LORENZO && power[k] < 3 &&
                        best->predictor.op[i].axis == axis[k];
    if (power[0] + power[1] + power[2] == 0) power[0] = 1;
    if (!padici_chain_taps(box, axis, axes, power, &found.predictor)) return count;
    found.cost = padici_taps_cost(w, box, &found.predictor, x, z);
    for (;;) {
        const uint64_t before = found.cost;
        uint32_t longer = axes;
        for (k = 0; k < axes; k++) {
            trial = found;
            power[k]++;
            if (padici_chain_taps(box, axis, axes, power, &trial.predictor)) {
                trial.cost = padici_taps_cost(w, box, &trial.predictor, x, z);
                if (trial.cost < before - before / 50 && trial.cost < found.cost) {
                    found = trial;
                    longer = k;
                }
            }
            power[k]--;
        }
        if (longer == axes) break;
        power[longer]++;
    }
    count = padici_keep(best, count, room, &found.predictor, found.cost);
    padici_set_taps(box, axis, axes, axes == 3 ? 19 : 12, &trial.predictor);
    trial.predictor.dtype = w->floats;
    trial.predictor.values = (double *)(void *)w->hold;
    return padici_try_taps(w, box, &trial.predictor, &found.predictor, x, z, best, count, room);
}

// Extrapolation by a straight line, where weights are wanted and cannot be found.
static void padici_plain_taps(const padici_box *box, uint32_t axis, padici_predictor *p)
{
    padici_set_taps(box, &axis, 1, 2, p);
    p->weight[0] = 1;
    p->weight[1] = -1;
}

static uint32_t padici_choose_linear(const padici_work *w, const padici_box *box, uint64_t *x,
                                     uint64_t *z, padici_choice *best, uint32_t count,
                                     uint32_t room)
{
    const int all = w->level >= 7 || w->stages.predictors != 0;
    uint32_t axis[3] = {0, 0, 0}, axes = 0, k;
    const uint32_t before = count;
    padici_predictor p, start;
    for (k = box->rank; k-- > 0 && axes < 3;)
        if (box->extent[k] >= 8) axis[axes++] = k;
    for (k = 0; k < box->rank && axes == 0 && count == 0; k++) {
        if (box->extent[k] < 2) continue;
        padici_plain_taps(box, k, &p);
        return padici_keep(best, count, room, &p, 0);
    }
    if (axes == 0) return count;
    if (count) start = best->predictor;
    if (count && start.count > 8) start.count = 8; // of a longer chain
    if (count == 0 || start.kind == PADICI_PREDICT_INTERPOLATE ||
        start.kind == PADICI_PREDICT_NONE || start.kind == PADICI_PREDICT_XOR) {
        memset(&start, 0, sizeof start);
        start.kind = PADICI_PREDICT_DELTA;
        start.count = 1;
        start.op[0] = padici_axis_op(box, axis[0]);
    }
    if (axes == 3) {
        padici_set_taps(box, axis, 3, all ? 23 : 19, &p);
        count = padici_try_taps(w, box, &p, &start, x, z, best, count, room);
    }
    if (axes == 2 || (axes == 3 && all)) {
        padici_set_taps(box, axis, 2, 12, &p);
        count = padici_try_taps(w, box, &p, &start, x, z, best, count, room);
    }
    for (k = 0; k < axes && (axes == 1 || all); k++) {
        padici_set_taps(box, axis + k, 1, k ? 8 : all ? 32 : 16, &p);
        count = padici_try_taps(w, box, &p, &start, x, z, best, count, room);
    }
    if (before || count) return count;
    padici_plain_taps(box, axis[0], &p);
    return padici_keep(best, count, room, &p, 0);
}

// The cheapest predictors for these words, by size on the sample; `z` holds the sample.
PADICI_NOINLINE static uint32_t padici_choose_predictors(const padici_work *w,
                                                         const padici_box *box, uint64_t *x,
                                                         uint64_t *z, padici_choice *best,
                                                         uint32_t room)
{
    const uint32_t mask = w->stages.predictors;
    const int all = mask != 0 || w->level >= 8; // else only what the simpler ones speak for
    uint64_t costs[PADICI_CANDIDATES];
    uint32_t axis[3] = {0, 0, 0}, axes = 0, k, count = 0, i;
    int planes = 0; // of bytes are what the best one so far is cheapest as
    memset(costs, 255, sizeof costs);
    for (k = box->rank; k-- > 0 && axes < 3;)
        if (box->extent[k] > 1) axis[axes++] = k;
    for (i = 0; i < PADICI_CANDIDATES; i++) {
        padici_predictor p;
        uint64_t cost, other;
        int useful = 1, bytes = 0, whole;
        size_t n;
        if ((i > 0 && axes == 0) || (i >= 8 && axes < 2) || (i >= 15 && axes < 3)) break;
        if (i >= 5 && i <= 7 && (axes > 1 || box->extent[axis[0]] < 16)) continue;
        memset(&p, 0, sizeof p);
        p.kind = padici_candidates[i].kind;
        p.count = padici_candidates[i].count;
        whole = p.kind == PADICI_PREDICT_NONE || p.kind == PADICI_PREDICT_XOR;
        for (k = 0; k < p.count; k++)
            p.op[k] = padici_axis_op(box, axis[padici_candidates[i].axis[k]]);
        if (i >= 5 && i <= 7) p.op[0] = padici_flat_op(i - 3, box->n);
        if (i == 2) useful = costs[1] < costs[0];
        if (i == 9) useful = costs[8] < costs[0];
        if (i == 12) useful = costs[2] < costs[1] || costs[9] < costs[8];
        if (i == 4 || i == 13) useful = costs[2] < costs[1];
        if (i == 14) useful = costs[9] < costs[8];
        if (i == 17 || i == 18) useful = costs[15] < costs[0];
        if (i == 19) useful = costs[15] < costs[1] && costs[15] < costs[8];
        if (!padici_allowed(mask, p.kind) || !(useful || all)) continue;
        if (mask == 0) { // what the level leaves out
            if (w->level <= 2 && i != 0 && i != 1 && i != 8 && i != 10 && i != 16) continue;
            if (w->level <= 4 && p.kind == PADICI_PREDICT_MEDIAN) continue;
            if (w->level <= 5 && (i == 4 || i == 13 || i == 14)) continue;
        }
        n = padici_sample_residuals(&p, x, box->n, z);
        if (w->level < 2 && p.count == 0) // as it is packed: the sample's least is not the block's
            (*w->loops->lower)(z, n, w->first - (x[0] - z[0]), 0);
        cost = padici_words_cost(w, z, n);
        if (w->level > 1 && (whole || planes)) { // differences must pay for more tables
            other = padici_bytes_cost(z, n);
            if (!whole) other += other >> 5;
            bytes = other < cost;
            if (bytes) cost = other;
        }
        // its decoder runs at a third of the speed, or a fifth where little else is to be done
        if (p.kind == PADICI_PREDICT_MEDIAN && w->level < 6) cost += cost >> (w->bounded ? 2 : 5);
        costs[i] = cost;
        if (count == 0 || cost < best->cost) planes = bytes;
        count = padici_keep(best, count, room, &p, cost);
    }
    // smooth fields within a bound: most of what is left is noise, which differences double
    if (padici_allowed(mask, PADICI_PREDICT_INTERPOLATE) && !w->line && box->n >= 64 &&
        (mask || (w->level >= 7 && w->bounded && box->n > 4096 &&
                  best->predictor.kind >= PADICI_PREDICT_DELTA2 && best->cost < 1024 * 256 * 5)))
        count = padici_choose_interpolation(box, x, z, best, count, room);
    if (w->level >= 8 && mask == 0 && box->n > PADICI_RUNS * PADICI_RUN &&
        (best->predictor.kind == PADICI_PREDICT_DELTA2 ||
         best->predictor.kind == PADICI_PREDICT_LORENZO))
        padici_lengthen_chain(box, x, z, best);
    if (padici_allowed(mask, PADICI_PREDICT_LINEAR) &&
        (mask || (w->may_weigh && !w->line && box->n >= 1024 &&
                  best->cost > 2 * 256 * padici_least(box->n, PADICI_RUNS * PADICI_RUN)))) {
        const int floats = w->floats != PADIC_DTYPE_NONE && !w->line;
        if (floats) count = padici_choose_floats(w, box, x, z, best, count, room);
        if (!floats || count == 0)
            count = padici_choose_linear(w, box, x, z, best, count, room);
    }
    if (count == 0) { // nothing allowed applies
        memset(best, 0, sizeof *best);
        count = 1;
    }
    return count;
}

// room: src/codec/choose_repeats.c
// ---- the packer's choices: repeats

#define PADICI_HASH_BITS 15u

// Hash of `key` words, 1 to 3.
PADICI_INLINE uint32_t padici_hash_words(const uint64_t *x, size_t key)
{
    uint64_t h = x[0] * UINT64_C(0x9e3779b97f4a7c15);
    if (key > 1) h = (h ^ h >> 32 ^ x[1]) * UINT64_C(0xc2b2ae3d27d4eb4f);
    if (key > 2) h = (h ^ h >> 32 ^ x[2]) * UINT64_C(0x165667b19e3779f9);
    return (uint32_t)(h >> (64 - PADICI_HASH_BITS));
}

// Share (of 256) of stretches of `key` words that stood in the block before, among the sixteenth
// that a hash of the first word picks: the same content is picked at every place.
static uint32_t padici_repeat_share(padici_work *w, const uint64_t *x, size_t n, size_t key)
{
    uint32_t *seen = w->hash, *picked = w->hash + (1u << PADICI_HASH_BITS);
    uint32_t tested = 0, found = 0, t;
    size_t i, k;
    memset(seen, 0, sizeof *seen << PADICI_HASH_BITS);
    for (i = 0; i + key <= n; i++) { // without a branch, which would be hard to foresee
        picked[tested] = (uint32_t)i;
        tested += x[i] * UINT64_C(0x9e3779b97f4a7c15) >> 60 == 0;
    }
    for (t = 0; t < tested; t++) {
        uint32_t h, at;
        i = picked[t];
        h = padici_hash_words(x + i, key);
        h = (h ^ h >> 7) & ((1u << PADICI_HASH_BITS) - 1);
        at = seen[h];
        seen[h] = (uint32_t)i + 1;
        for (k = 0; k < key && at && x[at - 1 + k] == x[i + k];) k++;
        found += k == key;
    }
    return tested > 16 ? found * 256 / tested : 0;
}

// Greedy parse into literals (to `literals`) and repeats of at least `least` words (three lists, a
// third of w->list each). Returns the number of literals.
static size_t padici_find_repeats(padici_work *w, const uint64_t *x, size_t n, size_t least,
                                  uint64_t *literals, size_t *repeats)
{
    const size_t third = w->capacity + 1, key = least < 3 ? least : 3;
    uint64_t *runs = w->list, *lengths = runs + third, *distances = lengths + third;
    uint32_t *head = w->hash, *chain = w->hash + (1u << PADICI_HASH_BITS);
    const uint32_t depth = w->level < 8 ? 2 : w->level < 9 ? 32 : 256;
    size_t i = 0, from = 0, m = 0, q = 0, misses = 0;
    memset(head, 0, sizeof *head << PADICI_HASH_BITS);
    while (i + key <= n) {
        const uint32_t h = padici_hash_words(x + i, key);
        size_t best = 0, distance = 0, length;
        uint32_t at = head[h], tries = depth;
        for (; at && tries; tries--, at = chain[at - 1]) {
            const uint64_t *y = x + at - 1;
            if (y[best] != x[i + best]) continue; // i + best < n: a full match ends the search
            for (length = 0; i + length < n && y[length] == x[i + length];) length++;
            if (length > best) {
                best = length;
                distance = i - (at - 1);
                if (i + best == n || best > 4096) break;
            }
        }
        chain[i] = head[h];
        head[h] = (uint32_t)i + 1;
        if (best < least) { // where nothing repeats, look less often
            i += w->level < 8 ? 1 + (++misses >> 6) : 1;
            continue;
        }
        misses = 0;
        runs[q] = i - from;
        lengths[q] = best;
        distances[q++] = distance;
        memcpy(literals + m, x + from, (i - from) * sizeof *x);
        m += i - from;
        from = i + best;
        // long repeats need not all be found again
        for (length = 1; length < best && i + length + key <= n; length += best > 64 ? 4 : 1) {
            const uint32_t g = padici_hash_words(x + i + length, key);
            chain[i + length] = head[g];
            head[g] = (uint32_t)(i + length) + 1;
        }
        i = from;
    }
    memcpy(literals + m, x + from, (n - from) * sizeof *x);
    *repeats = q;
    return m + n - from;
}

// room: src/codec/block_encode.c
// ---- one block, packed

static void padici_put_taps(padici_writer *out, const padici_predictor *predictor)
{
    uint32_t t, k;
    const int floats = predictor->dtype != PADIC_DTYPE_NONE;
    padici_put8(out, predictor->taps);
    padici_put8(out, predictor->shift | (floats ? PADICI_TAP_FLOATS : 0));
    for (t = 0; t < predictor->taps; t++) {
        const uint32_t weight = (uint32_t)(int32_t)predictor->weight[t];
        for (k = 0; k < predictor->count; k++)
            padici_put8(out, (uint32_t)(int32_t)predictor->back[t][k]);
        padici_put8(out, weight);
        padici_put8(out, weight >> 8);
        if (floats) padici_put8(out, weight >> 16), padici_put8(out, weight >> 24);
    }
}

static void padici_put_plan(padici_writer *out, const padici_plan *plan)
{
    uint32_t k;
    padici_put8(out, plan->form.kind);
    padici_put8(out, plan->flags);
    if (plan->flags & PADICI_BLOCK_WINDOW) padici_put8(out, plan->reach);
    padici_put8(out, plan->predictor.kind);
    padici_put8(out, plan->pattern);
    padici_put8(out, plan->digits);
    if (plan->form.kind == PADICI_FORM_BITS) padici_put8(out, plan->form.shift);
    if (plan->form.kind >= PADICI_FORM_SCALE) padici_put64(out, plan->form.g);
    if (plan->form.kind == PADICI_FORM_AFFINE) padici_put64(out, plan->form.o);
    if (plan->flags & PADICI_BLOCK_COSET) {
        padici_put64(out, plan->form.step);
        padici_put64(out, plan->form.first);
    }
    if (plan->flags & PADICI_BLOCK_SPLIT) padici_put8(out, plan->split);
    if (plan->flags & PADICI_BLOCK_REFERENCE) padici_put64(out, plan->digest);
    if (plan->pattern == PADICI_PATTERN_CONSTANT)
        padici_put64(out, plan->constant);
    else if (plan->pattern != PADICI_PATTERN_NONE)
        padici_put32(out, (uint32_t)plan->m);
    if (plan->predictor.kind == PADICI_PREDICT_NONE) return;
    padici_put8(out, plan->predictor.count);
    if (plan->predictor.kind == PADICI_PREDICT_INTERPOLATE)
        padici_put8(out, plan->predictor.scale);
    for (k = 0; k < plan->predictor.count; k++) {
        padici_put8(out, plan->predictor.op[k].axis);
        if (plan->predictor.op[k].axis == PADICI_FLAT)
            padici_put32(out, plan->predictor.op[k].stride);
        if (plan->predictor.kind == PADICI_PREDICT_INTERPOLATE)
            padici_put32(out, plan->predictor.op[k].cubic);
    }
    if (plan->predictor.kind == PADICI_PREDICT_LINEAR) padici_put_taps(out, &plan->predictor);
}

// Cheapest digits for these words, by size on a quarter of them; *m for the classes.
static uint32_t padici_choose_digits(padici_work *w, const uint64_t *z, size_t n,
                                     uint32_t *m)
{
    const uint32_t mask = w->stages.digits;
    uint64_t *sample = w->hold, cost, low_bits = 0, least = UINT64_MAX;
    uint32_t best = PADICI_DIGITS_CLASS, k, at = 0;
    size_t i;
    *m = 0;
    if (w->level == 1 && mask == 0 && w->prime == 0) return PADICI_DIGITS_PACKED;
    *m = padici_choose_mantissa(z, n, n > 8192 ? 4 : 1, &cost);
    cost = cost * (n > 8192 ? 4 : 1);
    if (padici_allowed(mask, PADICI_DIGITS_CLASS)) least = cost;
    for (k = 0; k < PADICI_RUNS * PADICI_RUN; k++) {
        i = n <= PADICI_RUNS * PADICI_RUN
                ? k
                : (size_t)((uint64_t)(n - PADICI_RUN) * (k / PADICI_RUN) / (PADICI_RUNS - 1)) +
                      k % PADICI_RUN;
        if (i >= n) break;
        sample[at++] = z[i];
        low_bits += z[i] ? padici_ctz64(z[i]) : 0;
    }
    if (at == 0) return best;
    if (padici_allowed(mask, PADICI_DIGITS_BYTES)) {
        cost = padici_bytes_cost(sample, at) * n / at;
        if (cost < least) least = cost, best = PADICI_DIGITS_BYTES;
    }
    if (padici_allowed(mask, PADICI_DIGITS_PACKED)) {
        for (cost = 0, i = 0; i < at; i += PADICI_RUN) {
            uint64_t all = 0;
            for (k = 0; k < PADICI_RUN && i + k < at; k++) all |= sample[i + k];
            cost += 256 * (uint64_t)k * padici_bit_length(all);
        }
        cost = cost * n / at;
        if (cost < least) least = cost, best = PADICI_DIGITS_PACKED;
    }
    // odd words have no zero bits at their end, random ones have one each on average
    if (padici_allowed(mask, PADICI_DIGITS_UNIT) &&
        (mask || low_bits > 2 * (uint64_t)at)) {
        uint32_t counts[65];
        uint64_t units;
        memset(counts, 0, sizeof counts);
        for (k = 0; k < at; k++) counts[sample[k] ? padici_ctz64(sample[k]) : 64]++;
        cost = padici_entropy(counts, 65, at);
        for (k = 0; k < at; k++)
            sample[k] = sample[k] ? sample[k] >> padici_ctz64(sample[k]) >> 1 : 0;
        (void)padici_choose_mantissa(sample, at, 1, &units);
        cost = (cost + units) * n / at;
        if (cost < least) best = PADICI_DIGITS_UNIT, least = cost;
    }
    // few distinct words, as residuals of coarse sensors are
    if (padici_allowed(mask, PADICI_DIGITS_TABLE) && (mask || w->level >= 6) && n >= 1024) {
        const uint32_t used = padici_make_table(w, z, n, padici_table_most(n), w->hold);
        if (used) {
            (void)padici_choose_mantissa(w->hold, n, 1, &cost);
            cost += padici_class_cost(w->gaps, used);
            if (cost < least) best = PADICI_DIGITS_TABLE, least = cost;
        }
    }
    if (mask && !(mask >> best & 1)) { // forced ones that are never estimated
        for (k = 0; k < PADICI_DIGITS; k++)
            if (mask >> k & 1) best = k;
    }
    if (w->prime && padici_allowed(mask, PADICI_DIGITS_PRIME)) best = PADICI_DIGITS_PRIME;
    return best;
}

// The exceptions noted in w->off and w->fix. Relative to the lattice they are small where a value
// is an ulp off; as they are, equal ones (holes) stay equal.
static void padici_put_exceptions(padici_work *w, const padici_box *box, size_t count)
{
    uint64_t *gaps = w->list, *values = w->other, close = 0, apart = 0;
    size_t i;
    int relative;
    for (i = 0; i < count; i++) {
        gaps[i] = w->off[i] - (i ? w->off[i - 1] + 1 : 0);
        values[i] = padici_element(w->raw, w->off[i], box->size);
        close += padici_bit_length(w->fix[i]);
        apart += i && values[i] == values[i - 1] ? 1 : 8 * box->size;
    }
    relative = close < apart;
    padici_put32(&w->out, (uint32_t)count);
    padici_put8(&w->out, (uint32_t)relative);
    padici_put_classes(w, gaps, count, 2, w->symbols, 0);
    padici_put_classes(w, relative ? w->fix : values, count, 2, w->symbols, 0);
}

// The `split` lowest bits of all elements; those of copied ones relative to their sources.
static void padici_low_bits(const padici_work *w, const padici_box *box, const padici_plan *plan,
                            size_t repeats, uint64_t *low)
{
    const size_t third = w->capacity + 1;
    const uint64_t mask = (UINT64_C(1) << plan->split) - 1;
    size_t at = 0, q, i, last = 0, before = 0;
    for (i = 0; i < box->n; i++) low[i] = padici_fields(box, w->raw, i) & mask;
    for (q = 0; q < repeats && plan->pattern == PADICI_PATTERN_MATCH; q++) {
        const uint64_t code = w->list[2 * third + q];
        const size_t distance = code == 0 ? last : code == 1 ? before : (size_t)code - 1;
        const size_t stop = at + (size_t)w->list[q] + (size_t)w->list[third + q] + 1;
        if (code) before = last, last = distance;
        for (i = at + (size_t)w->list[q]; i < stop; i++) {
            const uint64_t source =
                distance > i
                    ? padici_fields(box, w->history, w->behind + i - distance)
                    : padici_fields(box, w->raw, i - distance);
            low[i] = padici_low_apart((uint32_t)low[i], (uint32_t)(source & mask), plan->split);
        }
        at = stop;
    }
}

// Writes a payload: z are the predicted and folded words, or what a pattern left of them, with the
// pattern's lists in w->list.
static void padici_put_payload(padici_work *w, const padici_box *box, padici_plan *plan,
                               const uint64_t *z, size_t repeats, size_t exceptions)
{
    const size_t third = w->capacity + 1;
    uint32_t i, m = 0;
    if (exceptions) plan->flags |= PADICI_BLOCK_EXCEPTIONS;
    if (plan->pattern != PADICI_PATTERN_CONSTANT)
        plan->digits = padici_choose_digits(w, z, plan->m, &m);
    padici_put_plan(&w->out, plan);
    if (plan->pattern != PADICI_PATTERN_CONSTANT) {
        padici_put_digits(w, plan->digits, z, plan->m, m, w->hold);
    }
    if (plan->pattern == PADICI_PATTERN_RUNS) {
        padici_put_classes(w, w->list, plan->m, 2, w->symbols, 0);
    } else if (plan->pattern == PADICI_PATTERN_LZ || plan->pattern == PADICI_PATTERN_MATCH) {
        padici_put32(&w->out, (uint32_t)repeats);
        for (i = 0; i < 3; i++)
            padici_put_classes(w, w->list + i * third, repeats, 2, w->symbols, 0);
    }
    if (plan->split) padici_low_bits(w, box, plan, repeats, w->hold);
    for (i = 0; i < plan->split; i += 8) {
        (*w->loops->plane)(w->hold, box->n, i, w->symbols);
        padici_put_stream(w, w->symbols, box->n, 0);
    }
    if (exceptions) padici_put_exceptions(w, box, exceptions);
    for (i = 0; i < PADICI_PAYLOAD_PAD; i++) padici_put8(&w->out, 0);
}

// Room that one payload may take: the plain elements and something for coders that reserve.
static size_t padici_payload_room(size_t elements)
{
    return 8 * elements + elements / 4 + 4096;
}

// Keeps the payload just written if it is smaller than the best one, which stands before it.
static void padici_keep_payload(padici_work *w)
{
    const size_t size = (size_t)(w->out.at - w->out.start);
    if (!w->out.full && size && (w->best == 0 || size < w->best)) {
        if (w->out.start != w->payload) memmove(w->payload, w->out.start, size);
        w->best = size;
    }
    w->out.start = w->out.at = w->payload + w->best;
    w->out.end = w->out.start + padici_payload_room(w->capacity);
    w->out.full = 0;
}

// A form and what it costs on the sampled stretches: the best of plain, delta and 2-D Lorenzo.
typedef struct padici_form_choice {
    padici_form form;
    uint64_t cost;
} padici_form_choice;

static uint64_t padici_form_cost(padici_work *w, const padici_box *box, const padici_form *form,
                                 const padici_bound *bound)
{
    uint64_t x[2][PADICI_RUN + 1];
    uint64_t *plain = w->trial, *delta = plain + PADICI_RUNS * PADICI_RUN;
    uint64_t *lorenzo = delta + PADICI_RUNS * PADICI_RUN, low = 0, best, cost;
    uint64_t *fourth = lorenzo + PADICI_RUNS * PADICI_RUN;
    const size_t stretch = box->n > PADICI_RUN ? PADICI_RUN : box->n - 1;
    const int deep = w->level >= 8 && stretch == PADICI_RUN;
    // backends know no rounded words
    size_t (*const words)(const padici_form *, const padici_bound *, padic_dtype, uint32_t,
                          const uint8_t *, size_t, uint64_t *, uint32_t *, size_t) =
        form->round ? padici_elements_to_words : w->loops->words;
    size_t row = 1, exceptions = 0, at = 0, i, flat = 0, deeper = 0;
    uint32_t k, run;
    for (k = box->rank; k-- > 0 && row == 1;) row = box->extent[k]; // the fastest axis
    if (stretch == 0) return 0;
    for (run = 0; run < PADICI_RUNS; run++) {
        const size_t from = 1 + (size_t)((uint64_t)(box->n - 1 - stretch) * run / PADICI_RUNS);
        const int above = from > row && row > 1;
        exceptions += (*words)(form, bound, box->dtype, box->size, w->raw + (from - 1) * box->size,
                               stretch + 1, x[0], NULL, box->n);
        if (above)
            (void)(*words)(form, bound, box->dtype, box->size,
                           w->raw + (from - 1 - row) * box->size, stretch + 1, x[1], NULL, box->n);
        for (i = 1; i <= stretch; i++, at++) {
            plain[at] = x[0][i];
            if (at == 0 || (int64_t)plain[at] < (int64_t)low) low = plain[at];
            delta[at] = padici_fold(x[0][i] - x[0][i - 1]);
            lorenzo[at] = above ? padici_fold(x[0][i] - x[0][i - 1] - x[1][i] + x[1][i - 1])
                                : delta[at];
        }
        if (!above) flat++;
        for (i = 5; i <= stretch && deep; i++)
            fourth[deeper++] = padici_fold(x[0][i] - 4 * x[0][i - 1] + 6 * x[0][i - 2] -
                                           4 * x[0][i - 3] + x[0][i - 4]);
    }
    for (i = 0; i < at; i++) plain[i] -= low;
    best = UINT64_MAX;
    if (w->level == 1)
        best = padici_words_cost(w, plain, at);
    else if (form->kind <= PADICI_FORM_FIELDS)
        best = padici_bytes_cost(plain, at);
    if (form->kind != PADICI_FORM_FIELDS) { // whose differences mean nothing
        cost = padici_words_cost(w, delta, at);
        if (cost < best) best = cost;
        cost = w->level > 1 ? padici_class_cost(plain, at) : best;
        if (cost < best) best = cost;
        cost = flat < PADICI_RUNS ? padici_words_cost(w, lorenzo, at) : best;
        if (cost < best) best = cost;
        cost = deep ? padici_class_cost(fourth, deeper) * PADICI_RUN / (PADICI_RUN - 4) : best;
        if (cost < best) best = cost;
    }
    if (exceptions * 3 > (stretch + 1) * PADICI_RUNS) return UINT64_MAX;
    return best + exceptions * 256 * 14;
}

static uint32_t padici_keep_form(padici_work *w, const padici_box *box, const padici_bound *bound,
                                 padici_form_choice *best, uint32_t count,
                                 const padici_form *form)
{
    padici_form_choice here;
    uint32_t at;
    if (!padici_allowed(w->stages.forms, form->kind)) return count;
    here.form = *form;
    here.cost = padici_form_cost(w, box, form, bound);
    // 16-bit floats convert slowly: a lattice of theirs must be worth it
    if (box->size == 2 && form->kind >= PADICI_FORM_SCALE && padici_is_float(box->dtype) &&
        w->level < 7 && bound->mode == PADIC_BOUND_NONE && here.cost != UINT64_MAX)
        here.cost += here.cost >> 4;
    if (here.cost == UINT64_MAX && !(w->stages.forms >> form->kind & 1)) return count;
    for (at = count; at > 0 && best[at - 1].cost > here.cost; at--) best[at] = best[at - 1];
    best[at] = here;
    return count + 1;
}

static uint64_t padici_gcd(uint64_t a, uint64_t b)
{
    while (b) {
        const uint64_t r = a % b;
        a = b;
        b = r;
    }
    return a;
}

// The smallest word and the common step of all above it.
static void padici_find_coset(const padici_codec_loops *loops, const uint64_t *x, size_t n,
                              padici_form *form)
{
    uint64_t differ, step = 0;
    const uint64_t low = (*loops->least)(x, n, &differ);
    size_t i;
    differ &= 0 - differ; // the power of 2 in every difference
    for (i = 0; i < n && step != differ; i++)
        if (x[i] != low) step = padici_gcd(x[i] - low, step);
    form->first = low;
    form->step = step ? step : 1;
}

// Forms of integers: the quantised one, multiples of a step, the integers themselves.
static uint32_t padici_integer_forms(padici_work *w, const padici_box *box,
                                     const padici_bound *bound, padici_form_choice best[8])
{
    const padici_bound exact = {PADIC_BOUND_NONE, 0, 0};
    padici_form form, coset;
    uint32_t count = 0;
    memset(&form, 0, sizeof form);
    (void)(*w->loops->words)(&form, &exact, box->dtype, box->size, w->raw, box->n, w->words,
                                   NULL, 0);
    padici_find_coset(w->loops, w->words, box->n, &coset);
    if (bound->mode != PADIC_BOUND_NONE && bound->absolute >= 1) {
        form.kind = PADICI_FORM_SCALE;
        form.g = 2 * (uint64_t)(bound->absolute < 4e18 ? bound->absolute : 4e18) + 1;
        count = padici_keep_form(w, box, bound, best, count, &form);
    }
    if (coset.step > 1 || !padici_allowed(w->stages.forms, PADICI_FORM_BITS)) {
        form.g = coset.step;
        form.o = 0;
        form.kind = PADICI_FORM_SCALE;
        if (coset.first % coset.step || !padici_allowed(w->stages.forms, PADICI_FORM_SCALE)) {
            form.kind = PADICI_FORM_AFFINE;
            form.o = coset.first;
        }
        count = padici_keep_form(w, box, &exact, best, count, &form);
        if (count && w->stages.forms == 0) return count;
    }
    memset(&form, 0, sizeof form);
    return padici_keep_form(w, box, &exact, best, count, &form);
}

// All forms that this block may take, cheapest first; at most 8.
static uint32_t padici_choose_forms(padici_work *w, const padici_box *box,
                                    const padici_bound *bound, padici_form_choice best[8])
{
    padici_lattice_sample *sample = (padici_lattice_sample *)(void *)w->hash;
    const padici_bound exact = {PADIC_BOUND_NONE, 0, 0};
    padici_form form;
    uint32_t count = 0;
    int found;
    memset(&form, 0, sizeof form);
    if (!padici_is_float(box->dtype)) return padici_integer_forms(w, box, bound, best);
    count = padici_keep_form(w, box, &exact, best, count, &form);
    form.kind = PADICI_FORM_FIELDS;
    count = padici_keep_form(w, box, &exact, best, count, &form);
    padici_lattice_pick(w->loops, box, w->raw, w->quick ? PADICI_SAMPLE / 4 : PADICI_SAMPLE,
                        sample);
    if (bound->mode == PADIC_BOUND_ABSOLUTE || bound->mode == PADIC_BOUND_RANGE) {
        const double ulp = box->dtype == PADIC_F64   ? 1.2e-16
                           : box->dtype == PADIC_F32 ? 6e-8
                           : box->dtype == PADIC_F16 ? 5e-4
                                                     : 4e-3;
        double largest = 0, step = bound->absolute;
        uint32_t i;
        for (i = 0; i < sample->count; i++) {
            const double x = sample->value[i] < 0 ? -sample->value[i] : sample->value[i];
            if (x > largest) largest = x;
        }
        // room for the rounding of the result, where there is any
        if (largest * ulp < 0.5 * step) step -= largest * ulp;
        // 13 bits of it: the same in most blocks, so that what is alike stays alike
        step = padici_double_of(padici_bits_of(step) & ~UINT64_C(0) << 40);
        step += step < 8e307 ? step : 0;
        memset(&form, 0, sizeof form);
        form.kind = PADICI_FORM_SCALE;
        form.g = padici_bits_of(step);
        if (step > 0 && 1 / step < 1e300)
            count = padici_keep_form(w, box, bound, best, count, &form);
    } else if (bound->mode == PADIC_BOUND_POINTWISE) {
        const int32_t mantissa = box->dtype == PADIC_F64   ? 52
                                 : box->dtype == PADIC_F32 ? 23
                                 : box->dtype == PADIC_F16 ? 10
                                                           : 7;
        const int32_t power = (int32_t)(padici_bits_of(bound->pointwise) >> 52) - 1023;
        const int32_t shift = mantissa + 1 + power;
        memset(&form, 0, sizeof form);
        form.shift = shift < 1 ? 0 : shift > mantissa ? (uint32_t)mantissa : (uint32_t)shift;
        if (form.shift) count = padici_keep_form(w, box, bound, best, count, &form);
        // any multiple of as many bits as the bound allows where they weigh most: up to a bit less
        form.shift = 0;
        form.round = (uint64_t)(bound->pointwise * (1 - 1e-12) *
                                (double)(UINT64_C(2) << (uint32_t)mantissa));
        if (form.round > 1) count = padici_keep_form(w, box, bound, best, count, &form);
    }
    memset(&form, 0, sizeof form);
    if (padici_find_binary(sample, w->level, &form)) {
        const uint64_t plain = count ? best[0].cost : UINT64_MAX;
        count = padici_keep_form(w, box, &exact, best, count, &form);
        // nothing beats a binary lattice that is much coarser than the floats
        if (count && w->level < 8 && w->stages.forms == 0 && best[0].cost < plain - plain / 4)
            return count;
    }
    // 16-bit floats have few digits: other lattices hardly shorten them
    if (box->size == 2 && w->level < 6 && w->stages.forms == 0) return count;
    found = padici_find_decimal(box->dtype, box->size, sample, &form);
    if (found) count = padici_keep_form(w, box, &exact, best, count, &form);
    if ((!found || padici_double_of(form.g) > 1e6) &&
        padici_find_fraction(box->dtype, box->size, sample, &form))
        count = padici_keep_form(w, box, &exact, best, count, &form);
    memset(&form, 0, sizeof form);
    // the search for a general step is dearer, and needless where the block lies on another lattice
    if ((count == 0 || w->stages.forms || best[0].form.kind == PADICI_FORM_BITS ||
         best[0].form.kind == PADICI_FORM_FIELDS) &&
        padici_find_affine(box->dtype, box->size, sample, &form))
        count = padici_keep_form(w, box, &exact, best, count, &form);
    if (count == 0) { // the forced lattice does not exist
        memset(&form, 0, sizeof form);
        best[count].form = form;
        best[count++].cost = 0;
    }
    return count;
}

static void padici_apply_coset(const padici_codec_loops *loops, const padici_form *form,
                               uint64_t *x, size_t n)
{
    const uint64_t step = form->step, first = form->first;
    size_t i;
    if ((step & (step - 1)) == 0)
        (*loops->lower)(x, n, first, padici_ctz64(step));
    else
        for (i = 0; i < n; i++) x[i] = (x[i] - first) / step;
}

// z = predicted and folded words. Where nothing is predicted the minimum is taken off instead,
// unless the coset did that already.
static void padici_residuals(const padici_codec_loops *loops, uint64_t *x, size_t n,
                             padici_plan *plan, uint64_t *z)
{
    const uint32_t kind = plan->predictor.kind;
    const int zigzag = kind != PADICI_PREDICT_NONE && kind != PADICI_PREDICT_XOR;
    padici_predict(loops, &plan->predictor, x, z, n, zigzag);
    if (zigzag) plan->flags |= PADICI_BLOCK_ZIGZAG;
    if (kind != PADICI_PREDICT_NONE || plan->form.step > 1 || plan->form.first == 0) return;
    plan->flags |= PADICI_BLOCK_COSET;
    (*loops->lower)(z, n, plan->form.first, 0);
}

// Tries the patterns that fit on one predictor's view of the block.
PADICI_NOINLINE static void padici_try_predictor(padici_work *w, const padici_box *box,
                                                 const padici_plan *start, size_t exceptions)
{
    padici_plan plan = *start;
    const uint32_t mask = w->stages.patterns;
    const uint64_t *z = w->trial;
    size_t i, repeats, runs;
    padici_residuals(w->loops, w->words, box->n, &plan, w->trial);
    if (padici_allowed(mask, PADICI_PATTERN_NONE)) {
        plan.pattern = PADICI_PATTERN_NONE;
        plan.m = box->n;
        w->spared = 0;
        padici_put_payload(w, box, &plan, z, 0, exceptions);
        i = (size_t)(w->out.at - w->out.start) + (size_t)w->spared;
        if (w->plain == 0 || i < w->plain) w->plain = i;
        if (plan.predictor.kind == PADICI_PREDICT_LINEAR && w->level < 6 && w->best &&
            w->stages.predictors == 0) { // its decoder runs at a third of the speed
            const size_t size = (size_t)(w->out.at - w->out.start);
            if (size + size / 5 > w->best) w->out.at = w->out.start;
        }
        padici_keep_payload(w);
    }
    runs = (*w->loops->runs)(z, box->n / 8);
    if (mask || runs < box->n / 16) runs = (*w->loops->runs)(z, box->n);
    if (padici_allowed(mask, PADICI_PATTERN_RUNS) && (mask || runs < box->n / 16)) {
        size_t at = 0, from = 0;
        for (i = 1; i <= box->n; i++) {
            if (i < box->n && z[i] == z[from]) continue;
            w->other[at] = z[from];
            w->list[at++] = i - from - 1;
            from = i;
        }
        plan.pattern = PADICI_PATTERN_RUNS;
        plan.m = runs;
        padici_put_payload(w, box, &plan, w->other, 0, exceptions);
        padici_keep_payload(w);
    }
    if (padici_allowed(mask, PADICI_PATTERN_LZ) && box->n >= 16 &&
        (mask || (w->level >= 7 && padici_repeat_share(w, z, box->n, 3) > 12))) {
        plan.pattern = PADICI_PATTERN_LZ;
        plan.m = padici_find_repeats(w, z, box->n, 4, w->other, &repeats);
        padici_put_payload(w, box, &plan, w->other, repeats, exceptions);
        padici_keep_payload(w);
    }
}

// Repeats taken out of the words themselves; what is left is predicted as one sequence.
PADICI_NOINLINE static void padici_try_repeats(padici_work *w, const padici_box *box,
                                               const padici_plan *start, size_t least,
                                               size_t exceptions)
{
    padici_plan plan = *start;
    padici_choice choice[1];
    padici_box line = *box;
    size_t repeats;
    uint32_t k;
    plan.pattern = PADICI_PATTERN_LZ;
    plan.flags |= PADICI_BLOCK_FIRST;
    plan.m = padici_find_repeats(w, w->words, box->n, least, w->other, &repeats);
    line.rank = 1;
    line.extent[0] = (uint32_t)plan.m;
    line.n = plan.m;
    if (plan.m > 1) {
        w->line = 1;
        (void)padici_choose_predictors(w, &line, w->other, w->trial, choice, 1);
        w->line = 0;
        plan.predictor = choice[0].predictor;
        for (k = 0; k < plan.predictor.count; k++) plan.predictor.op[k].axis = PADICI_FLAT;
    }
    padici_residuals(w->loops, w->other, plan.m, &plan, w->trial);
    padici_put_payload(w, box, &plan, w->trial, repeats, exceptions);
    padici_keep_payload(w);
}

// Whether it pays to look for repeats, of at least `least` words.
static int padici_worth_repeats(padici_work *w, const padici_box *box, size_t least)
{
    if (!padici_allowed(w->stages.patterns, PADICI_PATTERN_LZ) || box->n < 16) return 0;
    if (w->stages.patterns || w->level < 2) return w->stages.patterns != 0;
    return padici_repeat_share(w, w->words, box->n, padici_least(least, 3)) >
           (w->level < 8 ? 56u : 20u);
}

// room: src/codec/choose_matches.c
// ---- the packer's choices: repeats of elements
//
// Keys are the elements' bits (form FIELDS without the `split` lowest bits) of the window and,
// behind them, of the block. Prices are in 1/16 bits.

#define PADICI_MATCH_BITS 17u

typedef struct padici_matcher {
    const uint64_t *keys; // past of the window, then n of the block
    size_t past, n;
    uint32_t *head, *chain;
    uint32_t key;     // words that are hashed
    uint32_t shift;   // of the hash: the fewer words, the shorter the table
    uint32_t depth;   // places looked at
    const uint32_t *price; // of the block's words before this one, as literals
    size_t indexed;   // keys that the chains hold
    size_t sparse;    // only every so many of the window
} padici_matcher;

PADICI_INLINE uint32_t padici_hash_keys(const uint64_t *x, uint32_t key, uint32_t shift)
{
    uint64_t h = x[0] * UINT64_C(0x9e3779b97f4a7c15);
    if (key > 1) h = (h ^ h >> 32 ^ x[1]) * UINT64_C(0xc2b2ae3d27d4eb4f);
    if (key > 2) h = (h ^ h >> 32 ^ x[2]) * UINT64_C(0x165667b19e3779f9);
    return (uint32_t)(h >> shift);
}

// The chains hold every key before `to`.
PADICI_INLINE void padici_index_keys(padici_matcher *s, size_t to)
{
    const size_t most = s->past + s->n >= s->key ? s->past + s->n - s->key + 1 : 0;
    if (to > most) to = most;
    for (; s->indexed < to; s->indexed += s->indexed < s->past ? s->sparse : 1) {
        const uint32_t h = padici_hash_keys(s->keys + s->indexed, s->key, s->shift);
        s->chain[s->indexed] = s->head[h];
        s->head[h] = (uint32_t)s->indexed + 1;
    }
}

PADICI_INLINE size_t padici_match_length(const uint64_t *x, const uint64_t *y, size_t most)
{
    size_t length = 0;
    while (length + 4 <= most && !((x[length] ^ y[length]) | (x[length + 1] ^ y[length + 1]) |
                                   (x[length + 2] ^ y[length + 2]) |
                                   (x[length + 3] ^ y[length + 3])))
        length += 4;
    while (length < most && x[length] == y[length]) length++;
    return length;
}

// What a repeat costs: its place in three lists, about.
PADICI_INLINE uint32_t padici_match_price(size_t distance, size_t length, const size_t last[2])
{
    const uint32_t price = 112 + 16 * padici_bit_length(length);
    if (distance == last[0]) return price;
    if (distance == last[1]) return price + 32;
    return price + 64 + 16 * padici_bit_length(distance);
}

// The repeat at key i that saves most: its length, or 0.
static size_t padici_best_match(padici_matcher *s, size_t i, const size_t last[2],
                                size_t *distance, int64_t *gain)
{
    const size_t end = s->past + s->n, most = end - i;
    const uint64_t *x = s->keys + i;
    const uint32_t *price = s->price + (i - s->past);
    uint32_t at, tries = s->depth, k;
    size_t best = 0;
    *gain = 0;
    for (k = 0; k < 2; k++) { // the last distances are cheap
        size_t length;
        int64_t here;
        if (last[k] == 0 || last[k] > i) continue;
        length = padici_match_length(x, x - last[k], most);
        here = (int64_t)(price[length] - price[0]) - padici_match_price(last[k], length, last);
        if (length && here > *gain) *gain = here, best = length, *distance = last[k];
    }
    if (i + s->key > end) return best;
    padici_index_keys(s, i);
    at = s->head[padici_hash_keys(x, s->key, s->shift)];
    for (; at && tries; tries--, at = s->chain[at - 1]) {
        const uint64_t *y = s->keys + at - 1;
        size_t length;
        int64_t here;
        if (best < most && y[best] != x[best]) continue;
        length = padici_match_length(x, y, most);
        if (length < s->key) continue;
        here = (int64_t)(price[length] - price[0]) -
               padici_match_price(i - (at - 1), length, last);
        if (here > *gain) *gain = here, best = length, *distance = i - (at - 1);
        if (best == most || best > 4096) break;
    }
    return best;
}

// Lists of repeats, coded.
typedef struct padici_matches {
    uint64_t *runs, *lengths, *distances;
    size_t count, from; // literals begin here
    size_t last[2];
} padici_matches;

static void padici_add_match(padici_matches *list, size_t i, size_t length, size_t distance)
{
    const size_t q = list->count++;
    list->runs[q] = i - list->from;
    list->lengths[q] = length - 1;
    list->distances[q] = distance == list->last[0]   ? 0
                         : distance == list->last[1] ? 1
                                                     : (uint64_t)distance + 1;
    if (distance != list->last[0]) list->last[1] = list->last[0], list->last[0] = distance;
    list->from = i + length;
}

// Greedy, or with a look at the next word before a repeat is taken. A hasty one looks less often
// where nothing repeats.
static void padici_parse_greedy(padici_matcher *s, int lazy, int hasty, padici_matches *list)
{
    const size_t end = s->past + s->n;
    size_t i = s->past, misses = 0;
    while (i < end) {
        size_t distance = 0, other = 0, length;
        int64_t gain, more;
        length = padici_best_match(s, i, list->last, &distance, &gain);
        if (length == 0 || gain < 48) {
            i += hasty ? 1 + (++misses >> 6) : 1;
            continue;
        }
        misses = 0;
        while (lazy && i + 1 < end && length < 256) {
            const size_t next = padici_best_match(s, i + 1, list->last, &other, &more);
            if (next == 0 ||
                more <= gain + (int64_t)(s->price[i + 1 - s->past] - s->price[i - s->past]))
                break;
            i++, length = next, distance = other, gain = more;
        }
        if (hasty) // what was passed over
            while (i - s->past > list->from && i > distance &&
                   s->keys[i - 1] == s->keys[i - 1 - distance])
                i--, length++;
        padici_add_match(list, i - s->past, length, distance);
        i += length;
    }
}

// Level 1 looks at the elements themselves. A repeat must save the share of the packed bits that so
// many bits of elements are, for the time that it takes; and what all must save, of 256.
#define PADICI_REPEAT_TIME 24u
#define PADICI_FAST_SHARE 24u

typedef struct padici_fast {
    uint32_t *head, size, log, each, pays; // of an element; prices of a word and of time
    uint32_t key, high, shift; // words that are hashed: those that pay, up to 16 bytes
    uint64_t mask;
} padici_fast;

static void padici_fast_begin(padici_fast *f, uint32_t *head, uint32_t bits, uint32_t size,
                              uint32_t each)
{
    f->head = head;
    f->size = size;
    f->log = padici_bit_length(size) - 1;
    f->each = each;
    f->pays = each * PADICI_REPEAT_TIME / (8 * size);
    f->key = (uint32_t)padici_least((f->pays + 384) / (each + 1) + 1, 16 / size);
    f->high = f->key * size > 8 ? f->key * size - 8 : 0;
    f->mask = ~UINT64_C(0) >> (f->key * size < 8 ? 64 - 8 * f->key * size : 0);
    f->shift = 64 - bits;
    memset(head, 0, sizeof *head << bits);
}

PADICI_INLINE uint32_t *padici_fast_place(const padici_fast *f, const uint8_t *p)
{
    uint64_t h = (padici_load64(p) & f->mask) * UINT64_C(0x9e3779b97f4a7c15);
    if (f->high) h += padici_load64(p + f->high) * UINT64_C(0xc2b2ae3d27d4eb4f);
    return f->head + (h >> f->shift);
}

// What a repeat of element i saves, in 1/16 bits; `back`: it began so much before.
PADICI_INLINE uint64_t padici_fast_gain(const padici_fast *f, const uint8_t *raw, size_t i,
                                        size_t from, size_t end, size_t distance,
                                        const size_t last[2], size_t *length, size_t *back)
{
    const uint8_t *const x = raw + (i << f->log), *y;
    uint64_t saved, price;
    if (distance - 1 >= i) return 0; // or 0
    y = x - (distance << f->log);
    if ((padici_load64(x) ^ padici_load64(y)) & f->mask) return 0;
    *length = padici_equal_bytes(x, y, (end - i) << f->log) >> f->log;
    for (*back = 0; i - *back > from && i - *back > distance; ++*back)
        if (padici_element(raw, i - *back - 1, f->size) !=
            padici_element(raw, i - *back - 1 - distance, f->size))
            break;
    *length += *back;
    saved = (uint64_t)*length * f->each;
    price = f->pays + padici_match_price(distance, *length, last);
    return saved > price ? saved - price : 0;
}

// One place a key, looked at less and less often where nothing repeats; words cost alike.
static void padici_parse_fast(const padici_fast *f, const uint8_t *raw, size_t n,
                              padici_matches *list)
{
    const size_t reads = (f->high + 8) >> f->log; // words that cost nothing are left alone
    const size_t stop = f->each && n >= reads ? n - reads + 1 : 0;
    size_t i = 0, misses = 0, length, back;
    while (i < stop) {
        uint32_t *const place = padici_fast_place(f, raw + (i << f->log));
        const size_t found = i + 1 - *place;
        size_t distance = list->last[0];
        *place = (uint32_t)i + 1;
        if (!padici_fast_gain(f, raw, i, list->from, n, distance, list->last, &length, &back) &&
            !padici_fast_gain(f, raw, i, list->from, n, distance = found, list->last, &length,
                              &back)) {
            i += 1 + (++misses >> 5);
            continue;
        }
        misses = 0;
        padici_add_match(list, i - back, length, distance);
        i += length - back;
        if (i < stop) *padici_fast_place(f, raw + ((i - 1) << f->log)) = (uint32_t)i;
    }
}

// The cheapest parse as far as the prices are right: a path from word to word. `space` holds three
// words a step: price, arrival (length << 32 | distance), and the two last distances.
static void padici_parse_cheapest(padici_matcher *s, uint64_t *price, uint64_t *arrival,
                                  uint64_t *lasts, padici_matches *list)
{
    const size_t n = s->n;
    size_t i, k, steps = 0;
    for (i = 0; i <= n; i++) price[i] = UINT64_MAX;
    price[0] = 0;
    lasts[0] = 0;
    for (i = 0; i < n; i++) {
        const size_t last[2] = {(size_t)(lasts[i] & 0xffffffffu), (size_t)(lasts[i] >> 32)};
        size_t distance = 0, length, to;
        int64_t gain;
        if (price[i] + s->price[i + 1] - s->price[i] < price[i + 1]) {
            price[i + 1] = price[i] + s->price[i + 1] - s->price[i];
            arrival[i + 1] = 0;
            lasts[i + 1] = lasts[i];
        }
        length = padici_best_match(s, s->past + i, last, &distance, &gain);
        if (length == 0) continue;
        for (to = length > 64 ? length : 1; to <= length; to++) {
            const uint64_t here =
                price[i] + padici_match_price(distance, to, last);
            if (here >= price[i + to]) continue;
            price[i + to] = here;
            arrival[i + to] = (uint64_t)to << 32 | distance;
            lasts[i + to] = distance == last[0] ? lasts[i]
                                                : (uint64_t)last[0] << 32 | distance;
        }
        if (length > 64) { // nothing inside so long a repeat pays
            for (k = 1; k < length; k++) price[i + k] = UINT64_MAX / 2;
            i += length - 1;
        }
    }
    for (i = n; i > 0;) { // backwards, the steps to the end of `price`
        const size_t length = (size_t)(arrival[i] >> 32);
        price[n - steps] = (uint64_t)i << 32 | length;
        lasts[n - steps++] = arrival[i] & 0xffffffffu;
        i -= length ? length : 1;
    }
    for (k = n - steps + 1; k <= n; k++) {
        const size_t length = (size_t)(price[k] & 0xffffffffu);
        if (length)
            padici_add_match(list, (size_t)(price[k] >> 32) - length, length, (size_t)lasts[k]);
    }
}

// The most bits that are left apart.
static uint32_t padici_widest_split(const padici_box *box)
{
    return !padici_is_float(box->dtype) ? 0 : box->size == 8 ? 9 : 1;
}

// Keys of the window and the block for this split, unless they are there already.
static void padici_make_keys(padici_work *w, const padici_box *box, uint32_t split)
{
    const padici_bound exact = {PADIC_BOUND_NONE, 0, 0};
    const size_t past = w->behind;
    padici_form form;
    if (w->keyed == split + 1) return;
    memset(&form, 0, sizeof form);
    form.kind = PADICI_FORM_FIELDS;
    if (past)
        (void)(*w->loops->words)(&form, &exact, box->dtype, box->size, w->history, past, w->keys,
                                 NULL, 0);
    (void)(*w->loops->words)(&form, &exact, box->dtype, box->size, w->raw, box->n, w->keys + past,
                             NULL, 0);
    if (split) (*w->loops->lower)(w->keys, past + box->n, 0, split);
    w->keyed = split + 1;
}

// Where repeats are looked for before all others: so many elements that the same content is picked
// at every place. Returns how many.
static size_t padici_pick(const padici_work *w, const padici_box *box, const uint8_t *raw,
                          uint32_t *picks)
{
    const uint32_t share = box->n < 16384 || w->level >= 8 ? 4 : w->level < 4 ? 6 : 5;
    return (*w->loops->pick)(raw, box->n, box->size, padici_widest_split(box), share, picks);
}

// Which of the splits 0, 1 and 9 bits this is.
#define PADICI_SPLIT_INDEX(split) (((split) + 7) >> 3)

// Level 1: the share (of 256) of the words' size that repeats save, told from those at picked
// elements.
static void padici_probe_gain(padici_work *w, const padici_box *box)
{
    const uint64_t each = padici_least((size_t)(w->hint->here / 16), (size_t)box->size * 8 * 14);
    const size_t count = padici_pick(w, box, w->raw, w->picks), last[2] = {0, 0};
    const size_t stride = count / 768 + 1; // one value may be most of the block
    uint64_t all = 0;
    size_t t, tested = 0, length, back;
    padici_fast f;
    padici_fast_begin(&f, w->head, count < 32768 ? padici_bit_length(count) : 15, box->size,
                      (uint32_t)each);
    w->probed = 1;
    w->share[0] = 0;
    for (t = 0; count && t < count && w->picks[t] + 32 <= box->n; t += stride, tested++) {
        const size_t i = w->picks[t];
        uint32_t *const place = padici_fast_place(&f, w->raw + (i << f.log));
        const uint64_t gain = padici_fast_gain(&f, w->raw, i, i > 32 ? i - 32 : 0, i + 32,
                                               i + 1 - *place, last, &length, &back);
        *place = (uint32_t)i + 1;
        if (gain && length >= f.key) all += gain / (length - f.key + 1); // so often it is found
    }
    all = all * 256 / (tested + 1) / (each + 1);
    if (tested > 16) w->share[0] = all < 256 ? (uint32_t)all : 256;
}

// For each split the share (of 256) of the picked elements of the block with which a repeat begins
// that pays: what it spares is no more than the words cost in the best payload so far.
static void padici_probe_matches(padici_work *w, const padici_box *box)
{
    const uint8_t *raw = w->behind ? w->history : w->raw;
    const size_t end = w->behind + box->n, past = w->behind ? w->past_count : 0;
    const uint32_t widest = padici_widest_split(box);
    const uint64_t each =
        padici_least((w->plain ? w->plain : w->best) * 128 / box->n, (size_t)box->size * 8 * 14);
    const size_t pays = (size_t)(320 / (each + 1)) + 1; // words
    const size_t key = each >= 24 * 16 ? 1 : each >= 10 * 16 ? 2 : 3;
    uint32_t *seen = w->head, bits, split, tested = 0;
    size_t t, k, stride, stop;
    memset(w->share, 0, sizeof w->share);
    w->probed = 1;
    w->each = (uint32_t)each;
    if (pays > 64) return;
    w->picks_count = padici_pick(w, box, w->raw, w->picks);
    stride = w->picks_count / 2048 + 1; // one value may be most of the block
    bits = padici_bit_length(past + w->picks_count);
    if (bits > PADICI_HASH_BITS) bits = PADICI_HASH_BITS;
    if (bits == 0) return;
    memset(seen, 0, sizeof *seen << bits);
    for (t = 0; t < past + w->picks_count; t++) {
        const size_t i = t < past ? w->past_picks[t] : w->behind + w->picks[t - past];
        uint64_t h = 0;
        uint32_t at;
        if (i + key > end) break;
        for (k = 0; k < key; k++)
            h = (h ^ h >> 32 ^ padici_fields(box, raw, i + k) >> widest) *
                UINT64_C(0x9e3779b97f4a7c15);
        h >>= 64 - bits;
        at = seen[h];
        seen[h] = (uint32_t)i + 1;
        if (i < w->behind || (t - past) % stride) continue;
        tested++;
        if (!at || i + pays > end) continue;
        stop = memcmp(raw + (at - 1) * box->size, raw + i * box->size, pays * box->size) ? 0 : pays;
        for (split = 0; split <= widest; split = split ? split + 8 : 1) {
            for (k = stop; k < pays; k++)
                if ((padici_fields(box, raw, at - 1 + k) ^ padici_fields(box, raw, i + k)) >> split)
                    break;
            w->share[PADICI_SPLIT_INDEX(split)] += k == pays;
        }
    }
    for (k = 0; k < 3; k++) w->share[k] = tested > 16 ? w->share[k] * 256 / tested : 0;
}

// Price of each word as a literal: the entropy of its class and its plain bits, in proportion to
// what the best payload so far took.
PADICI_NOINLINE static void padici_price_words(padici_work *w, const uint64_t *z, size_t n)
{
    uint32_t counts[128], cost[128], extra, t;
    uint64_t total = 0, sum = 0;
    const uint64_t best = w->plain ? w->plain : w->best; // repeats would make literals look cheap
    size_t i;
    memset(counts, 0, sizeof counts);
    memset(cost, 0, sizeof cost);
    for (i = 0; i < n; i++) {
        t = padici_token(z[i], 1, &extra);
        counts[t]++;
        cost[t] = 256 * extra;
    }
    for (t = 0; t < 128; t++) {
        if (!counts[t]) continue;
        cost[t] += padici_log2((uint32_t)n) - padici_log2(counts[t]) + 8;
        total += (uint64_t)cost[t] * counts[t];
    }
    if (best)
        for (t = 0; t < 128; t++) {
            const uint64_t scaled = (uint64_t)cost[t] * best * 2048 / total;
            cost[t] = (uint32_t)(scaled < 2 * (uint64_t)cost[t] ? scaled : 2 * (uint64_t)cost[t]);
            if (cost[t] < 64) cost[t] = 64; // so that long runs are worth a repeat
        }
    for (i = 0; i < n; i++) {
        w->price[i] = (uint32_t)(sum >> 4);
        sum += cost[padici_token(z[i], 1, &extra)];
    }
    w->price[n] = (uint32_t)(sum >> 4);
}

// How many blocks of the window these repeats need, and no more.
static uint32_t padici_find_reach(const padici_work *w, const padici_matches *list)
{
    size_t i, at = 0, oldest = w->behind;
    uint32_t reach = 0;
    for (i = 0; i < list->count; i++) { // the same distance, later, does not reach farther back
        const uint64_t code = list->distances[i];
        const size_t distance = code > 1 ? (size_t)code - 1 : 0;
        at += (size_t)list->runs[i];
        if (distance > at && w->behind + at - distance < oldest) oldest = w->behind + at - distance;
        at += (size_t)list->lengths[i] + 1;
    }
    while (reach < w->slot && w->starts[w->slot - reach] > oldest) reach++;
    return reach;
}

// Repeats taken out of the elements, `split` bits of each left apart; `words` are the literals'.
PADICI_NOINLINE static void padici_try_matches(padici_work *w, const padici_box *box,
                                               const padici_plan *start, const uint64_t *words,
                                               uint32_t split)
{
    padici_plan plan = *start;
    static const uint16_t depths[10] = {2, 1, 1, 1, 1, 3, 16, 16, 16, 128};
    const size_t third = w->capacity + 1;
    padici_box line = *box;
    padici_choice choice[1];
    padici_matcher s;
    padici_fast f;
    padici_matches list;
    size_t i, used = 0, m = 0, before;
    uint32_t k;
    int longer;
    memset(&s, 0, sizeof s);
    memset(&list, 0, sizeof list);
    if (w->level > 1 || split) padici_make_keys(w, box, split);
    s.keys = w->keys;
    s.past = w->behind;
    s.n = box->n;
    s.head = w->head;
    s.chain = w->head + ((size_t)1 << PADICI_MATCH_BITS);
    s.price = w->price;
    used = w->price[box->n] / box->n; // of one word
    s.key = used >= 24 * 16 ? 1 : used >= 10 * 16 ? 2 : 3;
    used = 0;
    longer = w->level > 5 || (w->level == 5 && s.key == 1); // dear literals are worth the time
    s.depth = longer && w->level < 6 ? 8 : depths[w->level];
    s.sparse = longer ? 1 : 3;
    list.runs = w->list;
    list.lengths = w->list + third;
    list.distances = w->list + 2 * third;
    k = padici_bit_length(s.past + s.n);
    if (k > PADICI_MATCH_BITS) k = PADICI_MATCH_BITS;
    if (w->level == 1 && k > 15) k = 15; // in the nearest caches
    s.shift = 64 - k;
    padici_fast_begin(&f, s.head, k, box->size, (uint32_t)(w->price[box->n] / box->n));
    if (w->level == 1 && split == 0)
        padici_parse_fast(&f, w->raw, box->n, &list);
    else if (w->level >= 8)
        padici_parse_cheapest(&s, w->trial, w->hold, w->other, &list);
    else
        padici_parse_greedy(&s, w->level >= 6, w->level < 6, &list);
    for (i = 0; i < list.count; i++) {
        memcpy(w->other + m, words + used, (size_t)list.runs[i] * sizeof *words);
        m += (size_t)list.runs[i];
        used += (size_t)list.runs[i] + (size_t)list.lengths[i] + 1;
    }
    memcpy(w->other + m, words + used, (box->n - used) * sizeof *words);
    plan.m = m + box->n - used;
    plan.pattern = PADICI_PATTERN_MATCH;
    plan.flags |= PADICI_BLOCK_FIRST;
    plan.reach = padici_find_reach(w, &list);
    if (plan.reach) plan.flags |= PADICI_BLOCK_WINDOW;
    line.rank = 1;
    line.extent[0] = (uint32_t)plan.m;
    line.n = plan.m;
    memset(&plan.predictor, 0, sizeof plan.predictor);
    if (plan.m > 1) {
        w->line = 1;
        (void)padici_choose_predictors(w, &line, w->other, w->trial, choice, 1);
        w->line = 0;
        plan.predictor = choice[0].predictor;
        for (k = 0; k < plan.predictor.count; k++) plan.predictor.op[k].axis = PADICI_FLAT;
    }
    padici_residuals(w->loops, w->other, plan.m, &plan, w->trial);
    padici_put_payload(w, box, &plan, w->trial, list.count, 0);
    // a window must be worth what it costs to read one block alone, and words within a bound are
    // read sooner without
    if ((plan.reach || w->bounded) && w->best && w->stages.patterns == 0) {
        const size_t size = (size_t)(w->out.at - w->out.start);
        if (size + (size >> 5) > w->best) w->out.at = w->out.start;
    }
    before = w->best;
    padici_keep_payload(w);
    if (w->level < 3 && w->hint->lead && before && (split == 0 || w->best < before))
        w->hint->match = split ? 0 : (uint32_t)(w->best * 256 / before);
}

// Whether repeats that pay begin often enough to look for all of them.
static int padici_worth_matches(padici_work *w, const padici_box *box, uint32_t split)
{
    if (w->stages.patterns) return 1;
    if (!w->probed) (w->level < 2 ? padici_probe_gain : padici_probe_matches)(w, box);
    return w->share[PADICI_SPLIT_INDEX(split)] >
           (w->level < 2 ? PADICI_FAST_SHARE : w->level < 6 ? 36u : w->level < 7 ? 20u : 8u);
}

// Whether elements b (the first one alone where not `all`) may stand for a.
static int padici_serves(const padici_box *box, const padici_bound *bound, const uint8_t *a,
                         const uint8_t *b, size_t all)
{
    size_t i;
    if (bound->mode != PADIC_BOUND_ABSOLUTE && bound->mode != PADIC_BOUND_RANGE)
        return all ? !memcmp(a, b, box->n * box->size)
                   : !memcmp(a, a + box->size, (box->n - 1) * box->size);
    for (i = 0; i < box->n; i++) {
        const uint64_t p = padici_element(a, i, box->size);
        const uint64_t q = padici_element(b, i * all, box->size);
        if (p != q && (!padici_is_float(box->dtype) ||
                       !padici_within(padici_value(box->dtype, p), padici_value(box->dtype, q),
                                      bound->absolute)))
            return 0;
    }
    return 1;
}

// The block as a copy of an earlier one.
static int padici_try_copy(padici_work *w, const padici_box *box, const padici_bound *bound)
{
    padici_plan plan;
    uint32_t k;
    if (!w->may_match) return 0;
    for (k = 1; k <= w->slot; k++) {
        const size_t from = w->starts[w->slot - k];
        if (w->behind - from < box->n ||
            !padici_serves(box, bound, w->raw, w->history + from * box->size, 1))
            continue;
        memset(&plan, 0, sizeof plan);
        plan.form.step = 1;
        plan.pattern = PADICI_PATTERN_MATCH;
        plan.flags = PADICI_BLOCK_FIRST | PADICI_BLOCK_WINDOW;
        plan.reach = k;
        padici_put_payload(w, box, &plan, w->other, 0, 0);
        padici_keep_payload(w);
        return 1;
    }
    return 0;
}

// Smooth fields within a bound: the step, twice the bound, is divided by 32, and each word may be
// any that differs from the interpolated one by a multiple of 31 of the small steps. So the
// rounding of one does not reach the next, as it does where all are rounded to one lattice.
static void padici_try_smooth(padici_work *w, const padici_box *box, const padici_bound *bound,
                              int back)
{
    const double g = bound->absolute * 0.0625;
    padici_form form;
    const uint64_t mask = ~UINT64_C(0) >> (64 - 8 * box->size);
    padici_plan plan;
    size_t count = 0, i;
    memset(&plan, 0, sizeof plan);
    memset(&form, 0, sizeof form);
    form.kind = PADICI_FORM_SCALE;
    form.g = padici_bits_of(g);
    form.step = 1;
    if (!(g > 0) || !(1 / g < 1e300)) return;
    if ((*w->loops->words)(&form, bound, box->dtype, box->size, w->raw, box->n, w->words, w->off,
                           box->n / 3) > box->n / 3)
        return;
    plan.form = form;
    plan.predictor = padici_interpolation(box, w->words, back);
    if (plan.predictor.count == 0) return;
    plan.predictor.scale = 31;
    padici_interpolate(&plan.predictor, w->words, NULL, PADICI_INTERPOLATE_CLOSE);
    for (i = 0; i < box->n; i++) { // what the reader will have
        const uint64_t bits = padici_element(w->raw, i, box->size);
        const uint64_t again = padici_apply(&form, PADICI_FORM_SCALE, box->dtype, box->size,
                                            w->words[i], g, 0, 0) & mask;
        if (again == bits || padici_within(padici_value(box->dtype, bits),
                                           padici_value(box->dtype, again), bound->absolute))
            continue;
        if (count == box->n / 3) return;
        w->off[count] = (uint32_t)i;
        w->fix[count++] = padici_fold(padici_ordered(box->dtype, bits, box->size) -
                                      padici_ordered(box->dtype, again, box->size));
    }
    padici_try_predictor(w, box, &plan, count);
}

// Floats repeat, often but for their sign, or for sign and last byte, as in symmetric fields and
// meshes: the upper bits alone are searched, the others are streams of their own.
static void padici_try_upper(padici_work *w, const padici_box *box)
{
    const uint32_t widest = padici_widest_split(box);
    const uint32_t more = w->level < 5 ? 24 : w->level < 7 ? 4 : 0;
    uint32_t split, most, share, best = 0;
    if (!w->may_match || box->n < 16) return;
    if (!w->probed && w->stages.patterns == 0) padici_probe_matches(w, box);
    most = w->share[0] + more;
    for (split = 1; split <= widest; split += 8) {
        const uint32_t each = (8 * box->size - split) * 14;
        padici_plan plan;
        size_t i;
        share = w->share[PADICI_SPLIT_INDEX(split)];
        if (!padici_worth_matches(w, box, split) && split + 8 <= widest) continue;
        if (w->level < 5 && w->stages.patterns == 0) { // the narrowest of those that find most
            if (share > most + 4) most = share, best = split;
            if (best == 0 || split + 8 <= widest) continue;
            split = best;
        } else if (share <= (w->level < 7 ? most : 8u) && w->stages.patterns == 0) {
            continue;
        }
        for (i = 0; i <= box->n; i++)
            w->price[i] = (uint32_t)i * (w->probed && w->each < each ? w->each : each);
        memset(&plan, 0, sizeof plan);
        plan.form.kind = PADICI_FORM_FIELDS;
        plan.form.step = 1;
        plan.flags = PADICI_BLOCK_SPLIT;
        plan.split = split;
        padici_make_keys(w, box, split);
        padici_try_matches(w, box, &plan, w->keys + w->behind, split);
        if (w->level < 5 && w->stages.patterns == 0) return;
    }
}

// Records that are no array of floats, or out of step with it: planes of the bits as they are, if
// the repeats in these promise more than the best payload so far.
static void padici_try_plain(padici_work *w, const padici_box *box)
{
    const padic_codec_stages stages = w->stages;
    const int forced = stages.forms >> PADICI_FORM_PLAIN & 1, repeats = w->may_repeat;
    padici_box plain = *box;
    padici_plan plan;
    uint64_t total = 0;
    uint32_t counts[256], k;
    size_t i;
    if (!forced && (stages.forms || !w->may_match || w->share[0] < (repeats ? 16u : 36u))) return;
    if (!repeats && w->best < box->n * box->size * 7 / 16) return; // level 5
    for (i = 0; i < box->n; i++) w->words[i] = padici_element(w->raw, i, box->size);
    for (k = 0; k < box->size && !forced; k++) {
        uint64_t cost;
        (*w->loops->plane)(w->words, box->n, 8 * k, w->symbols);
        padici_count(w->symbols, box->n, counts, (uint32_t *)w->table);
        cost = padici_entropy(counts, 256, (uint32_t)box->n) >> 8;
        total += cost - padici_bytes_gain(w, w->symbols, box->n, (uint32_t)(cost * 16 / box->n));
    }
    if (total / 8 > w->best + (w->best >> (repeats ? 2 : 4))) return;
    if (!repeats) w->may_repeat = 2;
    memset(&plan, 0, sizeof plan);
    plan.form.step = 1;
    plan.m = box->n;
    plain.dtype = padici_plain_dtype(box->size);
    padici_put8(&w->out, PADICI_FORM_PLAIN);
    if (stages.digits == 0) w->stages.digits = 1u << PADICI_DIGITS_BYTES;
    padici_put_payload(w, &plain, &plan, w->words, 0, 0);
    w->stages = stages;
    w->may_repeat = repeats;
    padici_keep_payload(w);
}

// What words cost that are predicted so.
PADICI_NOINLINE static void padici_price_residuals(padici_work *w, const padici_box *box,
                                                   const padici_plan *start,
                                                   const padici_predictor *predictor)
{
    padici_plan plan = *start;
    plan.predictor = *predictor;
    padici_residuals(w->loops, w->words, box->n, &plan, w->trial);
    padici_price_words(w, w->trial, box->n);
}

// The hint's predictor for this block; returns 0 where it is one of floats and these words are not
// the bits of floats alone.
static uint32_t padici_follow(const padici_work *w, const padici_box *box, padici_choice *choice)
{
    padici_predictor *p = &choice->predictor;
    uint32_t k;
    *p = w->hint->predictor;
    if (p->dtype != w->floats && p->dtype != PADIC_DTYPE_NONE) return 0;
    p->values = (double *)(void *)w->hold; // the hint may be another worker's
    for (k = 0; k < p->count; k++)
        p->op[k] = p->op[k].axis == PADICI_FLAT ? padici_flat_op(p->op[k].stride, box->n)
                                                : padici_axis_op(box, p->op[k].axis);
    choice->cost = w->hint->cost * padici_least(box->n, PADICI_RUNS * PADICI_RUN);
    return 1;
}

// Notes the choice for the blocks that follow.
static void padici_lead(padici_work *w, const padici_box *box, const padici_form *form,
                        const padici_choice *choice)
{
    padici_hint *hint = w->hint;
    hint->here = choice->cost / padici_least(box->n, PADICI_RUNS * PADICI_RUN);
    if (!hint->lead || hint->found) return;
    hint->found = 1;
    hint->cost = hint->here;
    hint->form = *form;
    hint->predictor = choice->predictor;
}

// Where repeats made the first block of the group much smaller, the words without them are not
// tried, unless this block comes out larger.
static int padici_match_first(padici_work *w, const padici_box *box, const padici_plan *plan,
                              size_t exceptions)
{
    const padici_hint *hint = w->hint;
    padici_plan start = *plan;
    if (!hint->use || hint->match == 0 || hint->match > 176 || exceptions || !w->may_match)
        return 0;
    w->price[box->n] = (uint32_t)(box->n * hint->cost / 16);
    padici_try_matches(w, box, &start, w->words, 0);
    return w->best && w->best * 2048 < box->n * (hint->size + hint->size / 4);
}

// Packs the block in one form. Returns 0 where the form does not hold.
static int padici_try_form(padici_work *w, const padici_box *box, const padici_bound *bound,
                           const padici_form *form, int reference)
{
    static const uint8_t predictors_tried[10] = {1, 1, 1, 1, 1, 1, 1, 1, 2, 5};
    const double g = padici_double_of(form->g), o = padici_double_of(form->o);
    padici_choice choice[5];
    uint32_t count, room, pass, p, plain = 0, others = 0;
    padici_plan plan;
    size_t exceptions, bits, i;
    memset(&plan, 0, sizeof plan);
    plan.form = *form;
    if (form->single) plan.flags |= PADICI_BLOCK_SINGLE;
    if (form->round && reference) return 0;
    if (form->round)
        exceptions = padici_elements_to_words(form, bound, box->dtype, box->size, w->raw, box->n,
                                              w->words, w->off, box->n / 3);
    else
        exceptions = (*w->loops->words)(form, bound, box->dtype, box->size, w->raw, box->n,
                                        w->words, w->off, box->n / 3);
    if (exceptions > box->n / 3) return 0;
    for (i = 0; i < exceptions; i++) {
        const size_t at = w->off[i];
        uint64_t here =
            padici_apply(form, form->kind, box->dtype, box->size,
                         form->round ? w->words[at] * form->round : w->words[at], g, o,
                         form->single);
        if (box->size < 8) here &= (UINT64_C(1) << (8 * box->size)) - 1;
        w->fix[i] = padici_fold(
            padici_ordered(box->dtype, padici_element(w->raw, at, box->size), box->size) -
            padici_ordered(box->dtype, here, box->size));
    }
    if (reference) {
        plan.flags |= PADICI_BLOCK_REFERENCE;
        plan.digest = w->digest;
        padici_add_reference(form, box->dtype, w->reference, w->words, box->n, 1);
    }
    if (form->round) {
        uint64_t differ;
        const uint64_t least = (*w->loops->least)(w->words, box->n, &differ);
        plan.flags |= PADICI_BLOCK_COSET;
        plan.form.step = form->round;
        plan.form.first = least * form->round;
        (*w->loops->lower)(w->words, box->n, least, 0);
    } else {
        padici_find_coset(w->loops, w->words, box->n, &plan.form);
    }
    if (plan.form.step > 1 && !form->round) {
        plan.flags |= PADICI_BLOCK_COSET;
        padici_apply_coset(w->loops, &plan.form, w->words, box->n);
    }
    w->bounded = bound->mode != PADIC_BOUND_NONE;
    w->first = plan.form.step > 1 ? 0 : plan.form.first;
    w->floats = w->may_weigh && form->kind == PADICI_FORM_BITS && form->shift == 0 &&
                        plan.form.step == 1 && !reference &&
                        (box->dtype == PADIC_F32 || box->dtype == PADIC_F64)
                    ? box->dtype
                    : PADIC_DTYPE_NONE;
    // weighted neighbours must prove that they are better, where it is not plain
    room = predictors_tried[w->level];
    count = w->hint->use ? padici_follow(w, box, choice) : 0;
    if (!count)
        count = padici_choose_predictors(w, box, w->words, w->trial, choice, room < 2 ? 3 : 5);
    if (w->level < 3) padici_lead(w, box, form, choice);
    if (w->level < 2 && padici_match_first(w, box, &plan, exceptions)) return 1;
    while (plain < count && choice[plain].predictor.kind == PADICI_PREDICT_LINEAR) plain++;
    for (pass = 0; pass < 2 * count; pass++) { // these last: they must win by a share
        const int simple = choice[p = pass % count].predictor.kind != PADICI_PREDICT_LINEAR;
        if (simple != (pass < count) || (simple ? others++ >= room : p >= room)) continue;
        if (w->level < 8 && p &&
            choice[0].cost < choice[p].cost - choice[p].cost / (w->level < 6 ? 5 : 8))
            continue;
        if (!simple && plain < count && w->level < 6 && w->stages.predictors == 0 &&
            choice[p].cost > choice[plain].cost - choice[plain].cost / 8)
            continue;
        plan.predictor = choice[p].predictor;
        padici_try_predictor(w, box, &plan, exceptions);
    }
    w->floats = PADIC_DTYPE_NONE;
    memset(&plan.predictor, 0, sizeof plan.predictor);
    if (plain == count) plain = 0; // what is left between repeats takes simple predictors
    // a repeat costs about 28 bits, a word what the best predictor says
    bits = (size_t)(choice[plain].cost / padici_least(box->n, PADICI_RUNS * PADICI_RUN) / 256) + 1;
    if (exceptions == 0 && !reference && w->may_match && box->n >= 16) {
        if (w->bounded) { // repeats are looked for in what the decoder will have
            padici_form here = plan.form;
            if (!(plan.flags & PADICI_BLOCK_COSET)) here.first = 0;
            memcpy(w->reference, w->raw, box->n * box->size);
            (*w->loops->elements)(&here, box->dtype, w->words, w->raw, box->n);
            w->keyed = 0;
            w->probed = 0;
        }
        if (padici_worth_matches(w, box, 0)) {
            if (w->level == 1) w->price[box->n] = (uint32_t)(w->best * 128);
            else padici_price_residuals(w, box, &plan, &choice[plain].predictor);
            padici_try_matches(w, box, &plan, w->words, 0);
        }
        if (w->bounded) memcpy(w->raw, w->reference, box->n * box->size);
    }
    if ((exceptions || reference || !w->may_match || w->bounded) &&
        padici_worth_repeats(w, box, 28 / bits + 1)) {
        padici_try_repeats(w, box, &plan, 28 / bits + 1, exceptions);
    }
    return 1;
}

// Distances to the row above and the plane before, for the contexts of streams.
static void padici_find_neighbours(padici_work *w, const padici_box *box)
{
    size_t below = 1;
    uint32_t k;
    w->row = w->plane = 0;
    for (k = box->rank; k-- > 0;) {
        if (box->extent[k] < 2) continue;
        if (below > 1 && w->row == 0) w->row = below;
        else if (below > 1 && w->plane == 0) w->plane = below;
        below *= box->extent[k];
    }
}

// The elements in w->raw as they are.
static void padici_put_raw(padici_work *w, const padici_box *box)
{
    size_t i;
    padici_put8(&w->out, PADICI_FORM_RAW);
    padici_put_bytes(&w->out, w->raw, box->n * box->size);
    for (i = 0; i < PADICI_PAYLOAD_PAD; i++) padici_put8(&w->out, 0);
}

// The same as the block's payload; returns its size.
static size_t padici_pack_raw(padici_work *w, const padici_box *box)
{
    w->best = 0;
    w->out.at = w->out.start = w->payload;
    padici_keep_payload(w); // sets the writer up
    padici_put_raw(w, box);
    padici_keep_payload(w);
    return w->best;
}

// Packs the elements in w->raw into w->payload without columns; returns the payload's size.
static size_t padici_pack_whole(padici_work *w, const padici_box *box, const padici_bound *bound)
{
    static const uint8_t forms_tried[10] = {1, 1, 1, 1, 1, 1, 1, 1, 2, 3};
    const size_t raw_size = box->n * box->size;
    padici_form_choice forms[8];
    // whether rounding by bits or by any step is better, an estimate does not tell
    const uint32_t most = forms_tried[w->level] + (bound->mode == PADIC_BOUND_POINTWISE ? 1u : 0u);
    uint32_t count = 0, tried = 0, k;
    padici_plan plan;
    w->best = w->plain = 0;
    w->out.at = w->out.start = w->payload;
    padici_keep_payload(w); // sets the writer up
    padici_find_neighbours(w, box);
    w->keyed = 0;
    w->probed = 0;
    memset(w->share, 0, sizeof w->share);
    memset(&plan, 0, sizeof plan);
    if (padici_serves(box, bound, w->raw, w->raw, 0) &&
        padici_allowed(w->stages.patterns, PADICI_PATTERN_CONSTANT) &&
        padici_allowed(w->stages.forms, PADICI_FORM_BITS)) {
        plan.pattern = PADICI_PATTERN_CONSTANT;
        plan.constant = padici_ordered(box->dtype, padici_element(w->raw, 0, box->size), box->size);
        padici_put_payload(w, box, &plan, NULL, 0, 0);
        padici_keep_payload(w);
    } else if (box->n > 1 && w->stages.forms != 1u << PADICI_FORM_RAW &&
               !padici_try_copy(w, box, bound)) {
        if (w->hint->use) { // unless it does not hold, or costs more than the first block's
            w->probed = w->hint->match > 232 ||
                        (w->hint->match == 0 && w->hint->share < (w->level < 2 ? 12u : 48u));
            w->hint->use = padici_try_form(w, box, bound, &w->hint->form, 0) &&
                           w->best * 2048 < (box->n * w->hint->cost + 65536) * 5 / 4;
            tried = (uint32_t)w->hint->use;
            if (!tried) w->probed = 0;
        }
        if (!tried) count = padici_choose_forms(w, box, bound, forms);
        for (k = 0; k < count && tried < most; k++) {
            tried += (uint32_t)padici_try_form(w, box, bound, &forms[k].form, 0);
            if (w->referenced) (void)padici_try_form(w, box, bound, &forms[k].form, 1);
        }
        if (w->level >= 5 && padici_allowed(w->stages.predictors, PADICI_PREDICT_INTERPOLATE) &&
            padici_is_float(box->dtype) && bound->absolute > 0 &&
            (bound->mode == PADIC_BOUND_ABSOLUTE || bound->mode == PADIC_BOUND_RANGE) &&
            padici_allowed(w->stages.forms, PADICI_FORM_SCALE) &&
            (w->stages.predictors || (box->n > 1024 && w->best < box->n / 8 * 5))) {
            padici_try_smooth(w, box, bound, 0);
            if (w->level >= 7) padici_try_smooth(w, box, bound, 1);
        }
        if (!tried || (w->level < 2 && w->may_match && w->payload[0] < PADICI_FORM_RAW &&
                       (w->payload[1] & PADICI_BLOCK_EXCEPTIONS) && // repeats are of bits
                       padici_worth_matches(w, box, 0) && w->share[0] > 160)) {
            // plain bits always hold
            (void)padici_try_form(w, box, bound, &plan.form, 0);
            if (w->referenced) (void)padici_try_form(w, box, bound, &plan.form, 1);
        }
        if (padici_is_float(box->dtype) && bound->mode == PADIC_BOUND_NONE &&
            (w->level > 1 || w->stages.patterns) &&
            padici_allowed(w->stages.forms, PADICI_FORM_FIELDS))
            padici_try_upper(w, box);
        if (w->may_plain && padici_is_float(box->dtype) && bound->mode == PADIC_BOUND_NONE)
            padici_try_plain(w, box);
    }
    if (w->best == 0 || w->best > raw_size + 1 + PADICI_PAYLOAD_PAD) (void)padici_pack_raw(w, box);
    if (w->level < 3 && w->hint->lead) {
        for (k = 0; k < 3; k++)
            if (w->share[k] > w->hint->share) w->hint->share = w->share[k];
        w->hint->size = w->best * 2048 / box->n;
    }
    return w->best;
}

// Columns of a block: its last axis where that is short, else the most alike distance. 0: none.
static uint32_t padici_choose_columns(padici_work *w, const padici_box *box)
{
    const size_t lag = PADICI_MAX_COLUMNS / 4, stretch = PADICI_RUN;
    const uint32_t last = box->extent[box->rank - 1];
    uint64_t cost, first = 0, least = UINT64_MAX;
    uint32_t best = 0, s, run;
    padici_form plain;
    if (last > 1 && box->rank > 1) return last <= lag && box->n >= 256 * (size_t)last ? last : 0;
    if (w->level < 8 || box->n < 64 * lag) return 0;
    memset(&plain, 0, sizeof plain);
    plain.step = 1;
    for (s = 0; s < box->n; s++)
        w->words[s] =
            padici_ordered(box->dtype, padici_element(w->raw, s, box->size), box->size);
    for (s = 1; s <= lag; s++) {
        size_t at = 0, i;
        for (run = 0; run < PADICI_RUNS; run++) {
            const size_t from =
                lag + (size_t)((uint64_t)(box->n - stretch - lag) * run / (PADICI_RUNS - 1));
            for (i = from; i < from + stretch; i++)
                w->trial[at++] = padici_fold(w->words[i] - w->words[i - s]);
        }
        cost = padici_class_cost(w->trial, at);
        if (s == 1) first = cost;
        if (cost < least - least / 64) { // a multiple of the stride must be worth it
            least = cost;
            best = s;
        }
    }
    return best > 1 && least < first - first / 16 ? best : 0;
}

// Each column by itself; the block as a whole stands in w->payload. Returns the payload's size.
static size_t padici_pack_columns(padici_work *w, const padici_box *box,
                                  const padici_bound *bound, uint32_t columns, size_t whole)
{
    const int may_plain = w->may_plain;
    const padici_hint hint = *w->hint;
    uint8_t *source = w->raw;
    size_t at = 5, i;
    uint32_t k;
    memcpy(w->kept, w->payload, whole);
    w->raw = w->record;
    w->record = source;
    w->stack[0] = PADICI_FORM_COLUMNS;
    w->quick = w->level < 8;
    w->may_plain = 0; // nor are its bits taken as they are
    padici_store32(w->stack + 1, columns);
    w->behind = 0; // a column has no window
    w->slot = 0;
    memset(w->hint, 0, sizeof *w->hint); // nor the block's axes
    for (k = 0; k < columns && at; k++) {
        padici_box column;
        size_t size;
        padici_column_box(box, columns, k, &column);
        for (i = 0; i < column.n; i++)
            memcpy(w->raw + i * box->size, source + (i * columns + k) * box->size, box->size);
        size = padici_pack_whole(w, &column, bound);
        if (at + 4 + size + PADICI_PAYLOAD_PAD >= whole) {
            at = 0;
        } else {
            padici_store32(w->stack + at, (uint32_t)size);
            memcpy(w->stack + at + 4, w->payload, size);
            at += 4 + size;
        }
    }
    w->record = w->raw;
    w->raw = source;
    w->quick = 0;
    w->may_plain = may_plain;
    *w->hint = hint;
    if (at) {
        memset(w->stack + at, 0, PADICI_PAYLOAD_PAD);
        whole = at + PADICI_PAYLOAD_PAD;
        memcpy(w->payload, w->stack, whole);
    } else {
        memcpy(w->payload, w->kept, whole);
    }
    return whole;
}

// How much columns differ, in 1/256 bits a value: what the classes of their differences cost in one
// histogram more than in one for each (of up to 8).
static uint64_t padici_columns_differ(padici_work *w, const padici_box *box, uint32_t columns)
{
    const uint32_t taken = columns < 8 ? columns : 8;
    const size_t records = box->n / columns, stretch = 16, runs = 16;
    uint64_t apart = 0, joined;
    size_t at = 0, run, i;
    uint32_t k;
    if (records < 2 * runs * stretch) return 0;
    for (k = 0; k < taken; k++) {
        const size_t column = (size_t)k * columns / taken, before = at;
        for (run = 0; run < runs; run++) {
            const size_t from = (records - stretch - 1) * run / (runs - 1);
            uint64_t last = 0;
            for (i = 0; i <= stretch; i++) {
                const uint64_t x = padici_ordered(
                    box->dtype, padici_element(w->raw, (from + i) * columns + column, box->size),
                    box->size);
                if (i) w->trial[at++] = padici_fold(x - last);
                last = x;
            }
        }
        apart += padici_class_cost(w->trial + before, at - before);
    }
    joined = padici_class_cost(w->trial, at);
    return joined > apart ? (joined - apart) / at : 0;
}

// room: src/codec/choose_profiles.c
// ---- the packer's choices: profiles
//
// All integers, so that a GPU takes the same decisions (backends/kernels/codec.cl); FORMAT.md has
// the rule. `shift`: the lowest bits of all magnitudes that are 0, for floats of both signs; else
// `step`: a power of 2 that divides all differences.
//
// Within a bound words are multiples of a scale of 24 bits, so that f32 (of f64: integers) does on
// a GPU what FORMAT.md asks of f64. What has no word is an exception.

// What both choices are made of.
typedef struct padici_spread {
    uint64_t least, most, magnitudes, differences; // the latter two: of all, one or the other
    uint32_t shift, step;                          // step: its logarithm
    uint32_t scale, off, size; // within a bound: f32, its bits; exceptions, in w->off; bytes
} padici_spread;

#define PADICI_OFF_MOST 256u // exceptions of a block

// As bits of f32: steps 2 b (1 - s) for s = 2^-8, 2^-5, 2^-2, their inverses, and the largest
// elements they are for, 2^13, 2^16, 2^19 steps. With y = x inverse, n its nearest integer, |x -
// step n| <= step / 2 + |n| step 2^-23 (the inverse and y are rounded); the product is rounded once
// more, by |n| step 2^-24. In sum no more than (1 - s) b (1 + 3/4 s) < b. Of f64: s = 2^-11 alone,
// elements up to 2^38 steps, `wide` = 2^86 / the step's 24 bits; x / step is off by 2^-60 of it.
typedef struct padici_scales {
    uint32_t step[3], inverse[3];
    uint64_t most[3], wide; // bits of elements; 0: they are f32
    uint32_t within; // b
} padici_scales;

// 0: the bound is too small (or NONE's, 0); one above 2^99 is taken for that.
static int padici_scales_of(double bound, uint32_t size, padici_scales *s)
{
    uint64_t bits = padici_bits_of(bound);
    uint32_t c, m, exponent;
    memset(s, 0, sizeof *s);
    if (!(bound >= 1.5777218104420236e-30)) return 0; // 2^-99
    if (bound > 6.338253001141147e29) bits = padici_bits_of(6.338253001141147e29);
    exponent = (uint32_t)(bits >> 52) - 1023 + 127;
    m = (uint32_t)(bits >> 29 & 0x7fffff) | 0x800000u;
    s->within = (exponent << 23) + (m - 0x800000u);
    for (c = 0; c < 3; c++) {
        const uint64_t scaled = (uint64_t)m * (2048u - (size == 8 ? 1u : 8u << 3 * c));
        const uint32_t high = (uint32_t)(scaled >> 34), e = exponent + high;
        const uint32_t g = (uint32_t)(scaled >> (10 + high));
        const uint32_t q = (uint32_t)(((UINT64_C(1) << 48) / g + 1) / 2); // at most 2^24
        s->step[c] = (e << 23) + (g - 0x800000u);
        s->inverse[c] = ((253u - e) << 23) + (q - 0x800000u);
        s->most[c] = s->step[c] + ((13 + 3 * c) << 23);
        if (size != 8) continue;
        s->wide = ((UINT64_C(1) << 63) / g << 23) + ((UINT64_C(1) << 63) % g << 23) / g;
        s->most[c] = padici_bits_of(padici_value(PADIC_F32, s->step[c])) + (UINT64_C(38) << 52);
    }
    return 1;
}

// The integer nearest to x inverse as f32, ties to even; |x inverse| < 2^20. Of f64: to x / step.
static uint64_t padici_scaled_word(uint64_t bits, const padici_scales *s, uint32_t c)
{
    if (s->wide) { // 2^k of h are 1
        const uint64_t h = padici_mulhi64(bits << 11 | UINT64_C(1) << 63, s->wide);
        const uint32_t k = (s->step[0] >> 23) + 958 - (uint32_t)(bits >> 52 & 2047);
        const uint64_t n = k > 63 ? 0 : (h + (UINT64_C(1) << (k - 1))) >> k;
        return bits >> 63 ? 0 - n : n;
    } else {
        const float y = (float)(padici_value(PADIC_F32, bits) *
                                padici_value(PADIC_F32, s->inverse[c]));
        const int32_t n = (int32_t)y, way = y < 0 ? -1 : 1;
        const double left = way * ((double)y - n);
        return (uint64_t)(int64_t)(left > 0.5 || (left == 0.5 && (n & 1)) ? n + way : n);
    }
}

// The words of a block within a bound; exceptions take the least word of the others. The bits of
// its scale, or 0: it has none.
static uint32_t padici_scaled_words(padici_work *w, const padici_box *box, double bound,
                                    uint64_t *x, uint32_t *off)
{
    const uint32_t allowed = w->profile == PADIC_CODEC_FETCH ? 0 : PADICI_OFF_MOST;
    padici_scales s;
    uint64_t least = 0, most = 0;
    uint32_t count = 0, c;
    size_t i;
    if (!padici_scales_of(bound, box->size, &s)) return 0;
    for (i = 0; i < box->n; i++) {
        const uint64_t size =
            padici_element(w->raw, i, box->size) & ~(UINT64_C(1) << (8 * box->size - 1));
        const int is_off = size > s.most[2];
        if (is_off && count == allowed) return 0;
        if (is_off) w->off[count++] = (uint32_t)i;
        if (!is_off && size > most) most = size;
    }
    if (count == box->n) return 0;
    c = most > s.most[1] ? 2 : most > s.most[0];
    for (i = 0, *off = 0; i < box->n; i++) {
        if (*off < count && w->off[*off] == i) {
            ++*off;
            continue;
        }
        x[i] = padici_scaled_word(padici_element(w->raw, i, box->size), &s, c);
        if (i == *off || (int64_t)x[i] < (int64_t)least) least = x[i]; // the first one, or less
    }
    for (i = 0; i < count; i++) x[w->off[i]] = least;
    return s.step[c];
}

static uint64_t padici_shift_right(uint64_t x, uint32_t shift)
{
    return (uint64_t)((int64_t)x >> shift);
}

// `top`: the largest word of each group; `apart`: its folded differences, one or the other.
static void padici_look_at(const uint64_t *x, size_t n, int is_float, uint64_t *top,
                           uint64_t *apart, padici_spread *s)
{
    size_t i;
    memset(s, 0, sizeof *s);
    s->least = s->most = x[0];
    for (i = 0; i < n; i++) {
        const size_t g = i / PADICI_GROUP;
        if (i % PADICI_GROUP == 0) top[g] = x[i], apart[g] = 0;
        if ((int64_t)x[i] > (int64_t)top[g]) top[g] = x[i];
        if (i) apart[g] |= padici_fold(x[i] - x[i - 1]);
        if ((int64_t)x[i] < (int64_t)s->least) s->least = x[i];
        if ((int64_t)x[i] > (int64_t)s->most) s->most = x[i];
        s->magnitudes |= x[i] ^ padici_shift_right(x[i], 63);
        s->differences |= x[i] - x[0];
    }
    if (is_float && (int64_t)s->least < 0 && (int64_t)s->most >= 0 && s->magnitudes)
        s->shift = padici_ctz64(s->magnitudes);
    s->step = s->differences ? padici_ctz64(s->differences) : 0;
}

// Widths of all groups, and the bytes of their bits.
static uint64_t padici_group_widths(const uint64_t *top, const uint64_t *apart, size_t n,
                                    const padici_spread *s, int delta, uint8_t *width)
{
    uint64_t bytes = 0;
    size_t g;
    for (g = 0; g * PADICI_GROUP < n; g++) {
        const uint64_t most =
            delta ? (apart[g] >> 1 >> s->step) << 1 | (apart[g] & 1)
                  : (padici_shift_right(top[g], s->shift) -
                     padici_shift_right(s->least, s->shift)) >> (s->shift ? 0 : s->step);
        width[g] = (uint8_t)padici_bit_length(most);
        bytes += (padici_least(n - g * PADICI_GROUP, PADICI_GROUP) * width[g] + 7) / 8;
    }
    return bytes;
}

// The digits of a block, in the words of its plan.
static void padici_profile_digits(const padici_spread *s, const uint64_t *x, uint64_t *z, size_t n,
                                  int delta)
{
    const uint32_t shift = delta ? 0 : s->shift, step = shift ? 0 : s->step;
    const uint64_t first = padici_shift_right(s->least, shift);
    size_t i;
    for (i = 0; i < n; i++)
        z[i] = delta ? padici_fold(padici_shift_right(i ? x[i] - x[i - 1] : 0, step))
                     : (padici_shift_right(x[i], shift) - first) >> step;
}

static void padici_profile_plan(padici_work *w, const padici_spread *s, const uint64_t *x, size_t n,
                                int delta, uint32_t digits)
{
    padici_plan plan;
    memset(&plan, 0, sizeof plan);
    plan.flags = PADICI_BLOCK_COSET | (delta ? PADICI_BLOCK_ZIGZAG : 0) |
                 (s->off ? PADICI_BLOCK_EXCEPTIONS : 0);
    plan.digits = digits;
    plan.form.kind = s->scale ? PADICI_FORM_SCALE : PADICI_FORM_BITS;
    plan.form.g = padici_bits_of(padici_value(PADIC_F32, s->scale));
    plan.form.shift = delta ? 0 : s->shift;
    plan.form.step = UINT64_C(1) << (plan.form.shift ? 0 : s->step);
    plan.form.first = delta ? x[0] : padici_shift_right(s->least, plan.form.shift);
    if (delta) {
        plan.predictor.kind = PADICI_PREDICT_DELTA;
        plan.predictor.count = 1;
        plan.predictor.op[0] = padici_flat_op(1, n);
    }
    padici_put_plan(&w->out, &plan);
}

// The exceptions in w->off, tokens as they are, and the end of the payload.
static void padici_put_off(padici_work *w, size_t count, uint32_t size)
{
    const uint32_t coders = w->stages.coders;
    uint64_t *gaps = w->list, *values = w->other;
    size_t i;
    for (i = 0; i < count; i++) {
        gaps[i] = w->off[i] - (i ? w->off[i - 1] + 1 : 0);
        values[i] = padici_element(w->raw, w->off[i], size);
    }
    if (count) {
        padici_put32(&w->out, (uint32_t)count);
        padici_put8(&w->out, 0);
        w->stages.coders = 1u << PADICI_CODER_RAW;
        padici_put_classes(w, gaps, count, 2, w->symbols, 0);
        padici_put_classes(w, values, count, 2, w->symbols, 0);
        w->stages.coders = coders;
    }
    for (i = 0; i < PADICI_PAYLOAD_PAD; i++) padici_put8(&w->out, 0);
}

// Stage bytes, widths and bits; z are the digits.
static void padici_put_profile(padici_work *w, const padici_spread *s, const uint64_t *x,
                               uint64_t *z, size_t n, int delta, const uint8_t *width)
{
    const size_t groups = (n + PADICI_GROUP - 1) / PADICI_GROUP;
    const int fetch = w->profile == PADIC_CODEC_FETCH;
    uint8_t *size, *start;
    size_t g;
    padici_profile_digits(s, x, z, n, delta);
    padici_profile_plan(w, s, x, n, delta, PADICI_DIGITS_PACKED);
    padici_put8(&w->out, fetch ? PADICI_CODER_CONSTANT : PADICI_CODER_RAW);
    padici_put_bytes(&w->out, width, fetch ? 1 : groups);
    padici_put32(&w->out, 0); // exceptions
    size = padici_room(&w->out, 4);
    start = w->out.at;
    for (g = 0; g < groups; g++) {
        const size_t from = g * PADICI_GROUP, count = padici_least(PADICI_GROUP, n - from);
        uint8_t *p = padici_room(&w->out, (count * width[g] + 7) / 8 + 8);
        if (!p) return;
        w->out.at -= 8;
        if (width[g])
            (*w->loops->put_fixed)(z + from, count, width[g], p, (size_t)(w->out.end - p));
    }
    if (size) padici_store32(size, (uint32_t)(w->out.at - start));
    padici_put_off(w, s->off, s->size);
}

// Classes with two bits below the leading one, their tokens in rANS; of differences where these
// are estimated to take fewer bits.
static void padici_put_coded(padici_work *w, const padici_spread *s, const uint64_t *x, uint64_t *z,
                             size_t n)
{
    const uint32_t coders = w->stages.coders;
    uint64_t cost[2];
    uint32_t counts[256], widest;
    int delta;
    for (delta = 0; delta < 2; delta++) {
        padici_profile_digits(s, x, z, n, delta);
        cost[delta] = 256 * (*w->loops->tokens)(z, n, 2, w->symbols, &widest);
        padici_count(w->symbols, n, counts, (uint32_t *)w->table);
        cost[delta] += padici_entropy(counts, 256, (uint32_t)n);
    }
    delta = cost[1] < cost[0];
    if (!delta) padici_profile_digits(s, x, z, n, 0);
    padici_profile_plan(w, s, x, n, delta, PADICI_DIGITS_CLASS);
    w->stages.coders = 1u << PADICI_CODER_RANS | 1u << PADICI_CODER_CONSTANT;
    padici_put_classes(w, z, n, 2, w->symbols, 0);
    w->stages.coders = coders;
    padici_put_off(w, s->off, s->size);
}

// A block whose words are in w->words, of a scale or (0) ordered; 0: a scaled one is not smaller
// than its elements.
PADICI_NOINLINE static size_t padici_pack_words(padici_work *w, const padici_box *box,
                                                uint32_t scale, uint32_t off)
{
    const size_t n = box->n, groups = (n + PADICI_GROUP - 1) / PADICI_GROUP;
    const uint64_t raw = n * box->size + 1 + PADICI_PAYLOAD_PAD;
    const int fetch = w->profile == PADIC_CODEC_FETCH;
    uint64_t *top = w->list, *apart = w->list + groups, *x = w->words, plain, delta = UINT64_MAX;
    uint8_t *width = w->symbols, *other = w->spare;
    padici_spread s;
    padici_plan plan;
    size_t i;
    padici_look_at(x, n, padici_is_float(box->dtype) && !scale, top, apart, &s);
    s.scale = scale, s.off = off, s.size = box->size;
    w->best = 0;
    w->out.at = w->out.start = w->payload;
    padici_keep_payload(w); // sets the writer up
    memset(&plan, 0, sizeof plan);
    plan.pattern = PADICI_PATTERN_CONSTANT;
    plan.constant = x[0];
    if (scale)
        plan.constant = padici_ordered(
            box->dtype, padici_rounded(box->dtype, (double)(int64_t)x[0] *
                                                       padici_value(PADIC_F32, scale), 0),
            box->size);
    if (s.least == s.most && !off && 22 <= raw) {
        padici_put_payload(w, box, &plan, NULL, 0, 0);
        padici_keep_payload(w);
        return w->best;
    }
    for (i = 0; i < groups && fetch; i++) top[i] = s.most;
    // 22 bytes of stages, the widths, 8 bytes of counts, 8 zeros; 6 more for a predictor, 7 for a
    // scale, and at most so many for exceptions
    i = (scale ? 7 : 0) + (off ? 24 + (box->size + 4) * off : 0);
    plain = padici_group_widths(top, apart, n, &s, 0, width) + (fetch ? 40 : 39 + groups) + i;
    if (!fetch) delta = padici_group_widths(top, apart, n, &s, 1, other) + 45 + groups + i;
    if (scale && plain >= raw && delta >= raw) return 0;
    if ((plain < delta ? plain : delta) < raw) {
        padici_put_profile(w, &s, x, w->trial, n, delta < plain, delta < plain ? other : width);
    } else {
        padici_put_raw(w, box);
    }
    padici_keep_payload(w);
    if (w->profile == PADIC_CODEC_CODED) {
        padici_put_coded(w, &s, x, w->trial, n);
        padici_keep_payload(w); // if it is smaller
    }
    return w->best;
}

static size_t padici_pack_profile(padici_work *w, const padici_box *box, const padici_bound *bound)
{
    uint32_t off = 0, scale = 0;
    size_t size, i;
    if (bound->mode != PADIC_BOUND_NONE)
        scale = padici_scaled_words(w, box, bound->absolute, w->words, &off);
    if (scale && (size = padici_pack_words(w, box, scale, off)) != 0) return size;
    for (i = 0; i < box->n; i++)
        w->words[i] = padici_ordered(box->dtype, padici_element(w->raw, i, box->size), box->size);
    return padici_pack_words(w, box, 0, 0);
}

static size_t padici_pack_block(padici_work *w, const padici_box *box, const padici_bound *bound)
{
    const uint32_t forms = w->stages.forms;
    const int forced = forms >> PADICI_FORM_COLUMNS & 1;
    uint32_t columns = 0;
    size_t size;
    int only = forced && forms == 1u << PADICI_FORM_COLUMNS;
    if (w->profile) return padici_pack_profile(w, box, bound);
    w->stages.forms = forms & ~(1u << PADICI_FORM_COLUMNS);
    if ((forced || (forms == 0 && w->level >= 5)) && !w->referenced)
        columns = padici_choose_columns(w, box);
    if (columns && !forced && w->level < 7) {
        only = columns <= 32 && padici_columns_differ(w, box, columns) > 150;
        if (!only) columns = 0;
    }
    if (forced && !columns && box->n >= 4 && !w->referenced) columns = 2;
    // columns alone: the plain elements are what they must beat
    if (only) w->stages.forms = 1u << PADICI_FORM_RAW;
    size = padici_pack_whole(w, box, bound);
    w->stages.forms = forms & ~(1u << PADICI_FORM_COLUMNS);
    if (columns) size = padici_pack_columns(w, box, bound, columns, size);
    w->stages.forms = forms;
    return size;
}

// room: src/codec/grid.c
// ---- the container: geometry

// The array cut into blocks. Shapes are in the caller's elements; complex ones count as one.
typedef struct padici_grid {
    padic_dtype dtype;
    uint32_t rank; // as given; the arrays below have at least one entry
    uint32_t axes;
    uint64_t shape[PADIC_MAX_RANK];
    uint64_t block[PADIC_MAX_RANK];
    uint64_t blocks[PADIC_MAX_RANK]; // along each axis
    uint64_t total;
    uint32_t element; // bytes
    size_t capacity;  // scalars in the largest block
    uint32_t span;    // blocks of a super-block; 1: there are none
    uint32_t window;  // of them, those that the array has
} padici_grid;

static uint32_t padici_parts(padic_dtype dtype)
{
    return dtype == PADIC_C64 || dtype == PADIC_C128 ? 2 : 1;
}

static padic_dtype padici_scalar(padic_dtype dtype)
{
    return dtype == PADIC_C64 ? PADIC_F32 : dtype == PADIC_C128 ? PADIC_F64 : dtype;
}

// Counts blocks. LIMIT when sizes do not fit into 63 bits or a block is too large.
static padic_result padici_grid_finish(padici_grid *grid)
{
    uint64_t size = grid->element, block = padici_parts(grid->dtype);
    uint32_t k;
    grid->total = 1;
    for (k = 0; k < grid->axes; k++) {
        if (grid->block[k] == 0 || grid->block[k] > PADICI_BLOCK_LIMIT) return PADIC_ERROR_LIMIT;
        block *= grid->block[k];
        if (block > PADICI_BLOCK_LIMIT) return PADIC_ERROR_LIMIT;
    }
    grid->capacity = (size_t)block;
    grid->window = 0;
    if (grid->span == 0) grid->span = 1;
    for (k = 0; k < grid->axes; k++) {
        const int unknown = k == 0 && grid->shape[k] == PADIC_CODEC_UNKNOWN;
        const uint64_t extent = unknown ? 0 : grid->shape[k];
        grid->blocks[k] = extent / grid->block[k] + (extent % grid->block[k] != 0);
        if (!padici_mul_u64(size, extent ? extent : 1, &size) || size >> 63)
            return PADIC_ERROR_LIMIT;
        grid->total *= grid->blocks[k];
    }
    return PADIC_OK;
}

// What a reader needs memory for: no block is larger than the array, no super-block has more of
// them.
static void padici_grid_fit(padici_grid *grid)
{
    uint64_t block = padici_parts(grid->dtype);
    uint32_t k;
    for (k = 0; k < grid->axes; k++)
        block *= grid->shape[k] == 0                  ? 1
                 : grid->shape[k] < grid->block[k] ? grid->shape[k]
                                                      : grid->block[k];
    grid->capacity = (size_t)block;
    grid->window = grid->span;
    if (grid->shape[0] != PADIC_CODEC_UNKNOWN && grid->total < grid->span)
        grid->window = (uint32_t)grid->total;
}

// Blocks of about 65,536 scalars: whole fast axes as far as they fit; of three and more axes the
// fastest is cut to 256 and the next to 64 when that leaves room for the slower ones. Equal parts.
// In a profile one axis is cut, so that a block is a run of elements; the fastest in whole groups.
static void padici_grid_choose(padici_grid *grid, int profile)
{
    uint64_t room = PADICI_BLOCK_TARGET / padici_parts(grid->dtype);
    uint32_t k;
    for (k = grid->axes; k-- > 0;) {
        uint64_t extent = grid->shape[k], most = room, parts;
        if (grid->axes - k == 1 && grid->axes >= 3 && !profile) most = 1024;
        if (grid->axes - k == 2 && grid->axes >= 3 && !profile)
            most = room > 16 * 64 ? room / 16 : room;
        if (most > room) most = room;
        if (extent == 0) extent = 1;
        if (extent == PADIC_CODEC_UNKNOWN) extent = most; // of axis 0: as if it were long
        parts = extent / most + (extent % most != 0);
        grid->block[k] = extent / parts + (extent % parts != 0);
        if (profile && parts > 1 && k + 1 == grid->axes) // up to at most `room`
            grid->block[k] = (grid->block[k] + PADICI_GROUP - 1) / PADICI_GROUP * PADICI_GROUP;
        room = profile && parts > 1 ? 1 : room / grid->block[k];
        if (room == 0) room = 1;
    }
}

static padic_result padici_grid_make(const padic_codec_desc *desc, padici_grid *grid)
{
    const padic_tensor *t = &desc->tensor;
    int chosen = 0;
    uint32_t k;
    memset(grid, 0, sizeof *grid);
    grid->dtype = t->dtype;
    grid->element = padic_dtype_size(t->dtype);
    grid->rank = t->rank;
    grid->axes = t->rank ? t->rank : 1;
    grid->shape[0] = 1;
    for (k = 0; k < t->rank; k++) {
        grid->shape[k] = t->shape[k];
        chosen |= desc->block[k] != 0;
    }
    if (!chosen) {
        padici_grid_choose(grid, desc->profile != PADIC_CODEC_ANY);
    } else {
        grid->block[0] = 1;
        for (k = 0; k < t->rank; k++) grid->block[k] = desc->block[k];
    }
    return padici_grid_finish(grid);
}

// Where block number `index` begins and how far it reaches; and its box of scalars.
static void padici_grid_block(const padici_grid *grid, uint64_t index, uint64_t *begin,
                              uint64_t *extent, padici_box *box)
{
    uint32_t k;
    box->dtype = padici_scalar(grid->dtype);
    box->size = padic_dtype_size(box->dtype);
    box->rank = grid->axes;
    box->n = 1;
    for (k = grid->axes; k-- > 0;) {
        begin[k] = (k ? index % grid->blocks[k] : index) * grid->block[k];
        if (k) index /= grid->blocks[k];
        extent[k] = grid->shape[k] - begin[k] < grid->block[k] ? grid->shape[k] - begin[k]
                                                               : grid->block[k];
        box->extent[k] = (uint32_t)extent[k];
        box->n *= (size_t)extent[k];
    }
    if (padici_parts(grid->dtype) == 2) {
        box->extent[box->rank++] = 2;
        box->n *= 2;
    }
}

// Little-endian elements to the host's order and back.
static void padici_swap_elements(uint8_t *data, size_t n, uint32_t size)
{
#if PADICI_BIG_ENDIAN
    size_t i;
    uint32_t k;
    for (i = 0; i < n && size > 1; i++, data += size) {
        for (k = 0; k < size / 2; k++) {
            const uint8_t byte = data[k];
            data[k] = data[size - 1 - k];
            data[size - 1 - k] = byte;
        }
    }
#else
    (void)data;
    (void)n;
    (void)size;
#endif
}

// Copies `count` floats and makes them wider.
static void padici_widen_row(uint8_t *to, int64_t to_step, padic_dtype to_dtype,
                             const uint8_t *from, int64_t step, padic_dtype dtype, uint64_t count)
{
    const uint32_t m = dtype == PADIC_F32 ? 23 : dtype == PADIC_F16 ? 10 : 7;
    const uint32_t e = dtype == PADIC_F16 ? 5 : 8;
    uint64_t i;
    for (i = 0; i < count; i++, to += to_step, from += step) {
        uint16_t half;
        uint32_t word;
        uint64_t bits;
        if (dtype == PADIC_F32) {
            memcpy(&word, from, 4);
        } else {
            memcpy(&half, from, 2);
            word = half;
        }
        bits = to_dtype == PADIC_F64 ? padici_widen_bits(word, m, e, 52, 11)
                                     : padici_widen_bits(word, m, e, 23, 8);
        word = (uint32_t)bits;
        memcpy(to, to_dtype == PADIC_F64 ? (const void *)&bits : (const void *)&word,
               to_dtype == PADIC_F64 ? 8 : 4);
    }
}

// Copies a box between two strided arrays of the host. Strides are in elements; axes that follow
// each other without a gap on both sides are taken as one, and the stride of an axis of extent 1 is
// no step. `copy` may be NULL, see the loops.
static void padici_copy_box(uint8_t *to, const int64_t *to_stride, padic_dtype to_dtype,
                            const uint8_t *from, const int64_t *from_stride, padic_dtype dtype,
                            const uint64_t *extent, uint32_t axes, padici_copier copy, uint64_t all)
{
    const uint32_t size = padic_dtype_size(dtype), to_size = padic_dtype_size(to_dtype);
    uint64_t index[PADIC_MAX_RANK], count[PADIC_MAX_RANK], i;
    int64_t a[PADIC_MAX_RANK], b[PADIC_MAX_RANK]; // strides in bytes
    uint32_t k, last = 0, before = PADIC_MAX_RANK;
    a[0] = (int64_t)to_size;
    b[0] = (int64_t)size;
    count[0] = 1;
    index[0] = 0;
    for (k = 0; k < axes; k++) {
        if (extent[k] == 0) return;
        if (extent[k] == 1) continue;
        if (before < k && to_stride[before] == to_stride[k] * (int64_t)extent[k] &&
            from_stride[before] == from_stride[k] * (int64_t)extent[k]) {
            count[last] *= extent[k];
        } else {
            if (before < k) last++;
            count[last] = extent[k];
        }
        a[last] = to_stride[k] * (int64_t)to_size;
        b[last] = from_stride[k] * (int64_t)size;
        index[last] = 0;
        before = k;
    }
    for (;;) {
        uint8_t *p = to;
        const uint8_t *q = from;
        for (k = 0; k < last; k++) {
            p += (int64_t)index[k] * a[k];
            q += (int64_t)index[k] * b[k];
        }
        if (to_dtype != dtype)
            padici_widen_row(p, a[last], to_dtype, q, b[last], dtype, count[last]);
        else if (a[last] == (int64_t)size && b[last] == (int64_t)size && copy)
            (*copy)(p, q, (size_t)count[last] * size, all);
        else if (a[last] == (int64_t)size && b[last] == (int64_t)size)
            memcpy(p, q, (size_t)count[last] * size);
        else if (size == 4)
            for (i = 0; i < count[last]; i++, p += a[last], q += b[last]) memcpy(p, q, 4);
        else if (size == 8)
            for (i = 0; i < count[last]; i++, p += a[last], q += b[last]) memcpy(p, q, 8);
        else
            for (i = 0; i < count[last]; i++, p += a[last], q += b[last]) memcpy(p, q, size);
        for (k = last; k-- > 0;) {
            if (++index[k] < count[k]) break;
            index[k] = 0;
        }
        if (k == UINT32_MAX) return;
    }
}

static void padici_dense_strides(const uint64_t *shape, uint32_t axes, int64_t *stride)
{
    uint32_t k;
    int64_t step = 1;
    for (k = axes; k-- > 0;) {
        stride[k] = step;
        step *= (int64_t)shape[k];
    }
}

// room: src/codec/work.c
// ---- the container: working memory

// Lays a padici_work out in `memory` (64-byte aligned), or only counts: NULL. 0 does not happen.
static size_t padici_work_layout(padici_work *w, const padici_grid *grid, int packer, void *memory)
{
    uint8_t *base = (uint8_t *)memory;
    size_t at = 0;
    const size_t capacity = grid->capacity, n = capacity + 64, span = grid->span;
#define PADICI_PLACE(MEMBER, TYPE, BYTES)                                                         \
    do {                                                                                          \
        if (memory) w->MEMBER = (TYPE *)(void *)(base + at);                                      \
        at += ((size_t)(BYTES) + 63) & ~(size_t)63;                                               \
    } while (0)
    if (memory) memset(w, 0, sizeof *w);
    PADICI_PLACE(words, uint64_t, 8 * n);
    PADICI_PLACE(other, uint64_t, 8 * n);
    PADICI_PLACE(list, uint64_t, 3 * 8 * n);
    PADICI_PLACE(gaps, uint64_t, 2 * n + 1024);
    PADICI_PLACE(symbols, uint8_t, n);
    PADICI_PLACE(spare, uint8_t, n / 4 + 192);
    PADICI_PLACE(pieces, uint64_t, 3 * 8 * (n / 3 + 1));
    PADICI_PLACE(rest, uint8_t, n + n / 3 + 64);
    PADICI_PLACE(rows, uint8_t, n + PADICI_STEP_ROOM);
    PADICI_PLACE(raw, uint8_t, 8 * n);
    PADICI_PLACE(record, uint8_t, 8 * n);
    PADICI_PLACE(reference, uint8_t, 8 * n);
    PADICI_PLACE(table, void, PADICI_TABLES);
    if (!packer && span > 1)
        PADICI_PLACE(window, uint8_t,
                     grid->window * n * padic_dtype_size(padici_scalar(grid->dtype)));
    if (packer) {
        PADICI_PLACE(trial, uint64_t, 8 * (n + 4 * PADICI_RUNS * PADICI_RUN));
        PADICI_PLACE(hold, uint64_t, 8 * n);
        PADICI_PLACE(payload, uint8_t, 2 * padici_payload_room(capacity) + 128);
        PADICI_PLACE(rans, uint16_t, 2 * n);
        PADICI_PLACE(classes, uint8_t, n);
        PADICI_PLACE(keys, uint64_t, 8 * span * n);
        PADICI_PLACE(picks, uint32_t, 4 * n);
        PADICI_PLACE(price, uint32_t, 4 * n);
        PADICI_PLACE(head, uint32_t, 4 * (((size_t)1 << PADICI_MATCH_BITS) + span * n));
        PADICI_PLACE(hash, uint32_t, 4 * (((size_t)1 << PADICI_HASH_BITS) + n));
        PADICI_PLACE(off, uint32_t, 4 * (n / 3 + 64));
        PADICI_PLACE(fix, uint64_t, 8 * (n / 3 + 64));
        PADICI_PLACE(hint, struct padici_hint, sizeof(padici_hint));
        PADICI_PLACE(kept, uint8_t, padici_payload_room(capacity));
        PADICI_PLACE(stack, uint8_t, padici_payload_room(capacity));
    }
#undef PADICI_PLACE
    if (memory) w->capacity = capacity;
    if (memory && packer) {
        w->payload += 64; // room for a frame's head
        memset(w->hint, 0, sizeof *w->hint);
    }
    return at;
}

// room: src/codec/header.c
// ---- the container: header and index
//
//     0  "PADC"   4 u8 wire version   5 u8 dtype   6 u8 rank   7 u8 level   8 u8 bound mode
//     9  u8 flags: 1 length not known when it was written        10 u16 size of this header
//    12  u32 features: 1 reference, 2 planes   16 f64 bound   24 f64 absolute bound
//    32  u64 shape[rank]   ..  u32 block[rank]   ..  u64 planes if there is the feature
//    ..  u64 checksum of all before, seed "HEAD"
//
// After the last block: u32 0xffffffff, u32 0, u64 blocks, u64 shape[0], u64 offset[blocks],
// u64 offset of this index, u64 checksum, "PADC-END". The checksum is that of the first 24 bytes,
// of the offsets and of the index's offset, with seeds "INDX", + 1 and + 2, exclusive-ored.

#define PADICI_HEADER_MOST (52u + 12u * PADIC_MAX_RANK)
#define PADICI_INDEX_FIXED 48u
#define PADICI_SEED_HEAD 0x44414548u
#define PADICI_SEED_INDEX 0x58444e49u
#define PADICI_UNKNOWN_LENGTH 1u
#define PADICI_FEATURE_REFERENCE 1u
#define PADICI_FEATURE_PLANES 2u
#define PADICI_FEATURE_CONTEXT 256u // streams coded with contexts
#define PADICI_FEATURE_MATCH 512u   // the pattern MATCH
#define PADICI_FEATURE_WINDOW 1024u // u32 blocks of a super-block, behind block[] and planes
#define PADICI_FEATURE_LINEAR 2048u // the predictor LINEAR
#define PADICI_FEATURE_FLOATS 4096u // which adds up floats
#define PADICI_FEATURE_REPEAT 8192u // streams with repeats of bytes, the form PLAIN
#define PADICI_FEATURES 16131u
#define PADICI_MAX_PLANES 8u

typedef struct padici_header {
    padici_grid grid;
    uint32_t version, level, flags, size;
    uint32_t features, planes; // 1 without the feature
    padic_bound_mode bound_mode;
    double bound, bound_absolute;
    const char *fault; // of a desc or stream that is refused: what, and what would be right
    uint64_t need;     // the bytes that it speaks of, or 0
} padici_header;

static padic_result padici_reject(padici_header *header, padic_result result,
                                  const char *sentence)
{
    header->fault = sentence;
    return result;
}

// What is wrong with a view that a check refused.
static const char *padici_view_fault(const padic_tensor *t, padic_result result)
{
    if (result == PADIC_ERROR_DTYPE) return "tensor.dtype is no element type: choose a padic_dtype";
    if (result == PADIC_ERROR_LIMIT && t->rank > PADIC_MAX_RANK)
        return "tensor.rank is above 8: join axes";
    if (result == PADIC_ERROR_LIMIT)
        return "tensor.shape or stride reaches beyond 2^63 bytes: split the array";
    if (!t->data) return "tensor.data is NULL: give the array's memory";
    return "tensor.stride must be above 0 on each axis, or 0 on all, and elements may not overlap";
}

static size_t padici_header_size(uint32_t rank, uint32_t features)
{
    return 40 + 12 * (size_t)rank + (features & PADICI_FEATURE_PLANES ? 8 : 0) +
           (features & PADICI_FEATURE_WINDOW ? 4 : 0);
}

static void padici_put_header(uint8_t *p, const padici_header *header)
{
    const padici_grid *grid = &header->grid;
    const size_t size = header->size;
    uint32_t k;
    memcpy(p, "PADC", 4);
    p[4] = PADIC_CODEC_WIRE_VERSION;
    p[5] = (uint8_t)grid->dtype;
    p[6] = (uint8_t)grid->rank;
    p[7] = (uint8_t)header->level;
    p[8] = (uint8_t)header->bound_mode;
    p[9] = (uint8_t)header->flags;
    padici_store16(p + 10, (uint16_t)size);
    padici_store32(p + 12, header->features);
    padici_store64(p + 16, padici_bits_of(header->bound));
    padici_store64(p + 24, padici_bits_of(header->bound_absolute));
    for (k = 0; k < grid->rank; k++) {
        padici_store64(p + 32 + 8 * k, grid->shape[k]);
        padici_store32(p + 32 + 8 * grid->rank + 4 * k, (uint32_t)grid->block[k]);
    }
    if (header->features & PADICI_FEATURE_PLANES)
        padici_store64(p + 32 + 12 * grid->rank, header->planes);
    if (header->features & PADICI_FEATURE_WINDOW) padici_store32(p + size - 12, grid->span);
    padici_store64(p + size - 8, padici_checksum(p, size - 8, PADICI_SEED_HEAD));
}

// Checks everything that a header can say. `size` may be less than the header: CORRUPT.
static padic_result padici_take_header(const uint8_t *p, size_t size, padici_header *header)
{
    padici_grid *grid = &header->grid;
    uint32_t k;
    memset(header, 0, sizeof *header);
    if (size < 40 || memcmp(p, "PADC", 4) != 0) return PADIC_ERROR_CORRUPT;
    header->version = p[4];
    if (header->version > PADIC_CODEC_WIRE_VERSION) return PADIC_ERROR_VERSION;
    header->size = padici_load16(p + 10);
    if (header->version == 0 || p[6] > PADIC_MAX_RANK ||
        header->size < padici_header_size(p[6], 0) || header->size > size)
        return PADIC_ERROR_CORRUPT;
    if (padici_load64(p + header->size - 8) !=
        padici_checksum(p, header->size - 8, PADICI_SEED_HEAD))
        return PADIC_ERROR_CHECKSUM;
    grid->dtype = (padic_dtype)p[5];
    grid->element = padic_dtype_size(grid->dtype);
    grid->rank = p[6];
    grid->axes = grid->rank ? grid->rank : 1;
    grid->shape[0] = grid->block[0] = 1;
    header->level = p[7];
    header->bound_mode = (padic_bound_mode)p[8];
    header->flags = p[9];
    header->features = padici_load32(p + 12);
    header->bound = padici_double_of(padici_load64(p + 16));
    header->bound_absolute = padici_double_of(padici_load64(p + 24));
    // what this version does not know was written by a later one
    header->planes = 1;
    if (grid->element == 0 || p[8] > PADIC_BOUND_FIXED ||
        (header->flags & ~PADICI_UNKNOWN_LENGTH) || (header->features & ~PADICI_FEATURES))
        return PADIC_ERROR_VERSION;
    if (header->size < padici_header_size(p[6], header->features)) return PADIC_ERROR_CORRUPT;
    if (header->features & PADICI_FEATURE_PLANES) {
        const uint32_t at = 32 + 12 * (uint32_t)p[6];
        if (padici_load64(p + at) < 2 || padici_load64(p + at) > PADICI_MAX_PLANES)
            return PADIC_ERROR_VERSION;
        header->planes = (uint32_t)padici_load64(p + at);
    }
    if (header->features & PADICI_FEATURE_WINDOW) {
        grid->span = padici_load32(p + padici_header_size(p[6], header->features) - 12);
        if (grid->span == 0 || grid->span > PADICI_WINDOW_MOST || header->planes > 1)
            return PADIC_ERROR_CORRUPT;
    }
    for (k = 0; k < grid->rank; k++) {
        grid->shape[k] = padici_load64(p + 32 + 8 * k);
        grid->block[k] = padici_load32(p + 32 + 8 * grid->rank + 4 * k);
    }
    if (header->flags & PADICI_UNKNOWN_LENGTH) {
        if (grid->rank == 0) return PADIC_ERROR_CORRUPT;
        grid->shape[0] = PADIC_CODEC_UNKNOWN;
    } else if (grid->shape[0] == PADIC_CODEC_UNKNOWN) {
        return PADIC_ERROR_CORRUPT;
    }
    if (padici_grid_finish(grid)) return PADIC_ERROR_CORRUPT;
    padici_grid_fit(grid);
    return PADIC_OK;
}

static uint64_t padici_index_sum(const void *head, const void *offsets, size_t blocks,
                                 const void *at)
{
    return padici_checksum(head, 24, PADICI_SEED_INDEX) ^
           padici_checksum(offsets, 8 * blocks, PADICI_SEED_INDEX + 1) ^
           padici_checksum(at, 8, PADICI_SEED_INDEX + 2);
}

// The last `length` bytes of a stream, which are its index. The grid knows its length then.
static padic_result padici_index_check(const uint8_t *index, uint64_t length, padici_header *header)
{
    padici_grid *grid = &header->grid;
    const uint8_t *tail = index + length - 24;
    const uint64_t blocks = (length - PADICI_INDEX_FIXED) / 8;
    if ((length - PADICI_INDEX_FIXED) % 8 ||
        padici_load64(tail + 8) != padici_index_sum(index, index + 24, (size_t)blocks, tail))
        return PADIC_ERROR_CHECKSUM;
    if (padici_load32(index) != PADICI_END_MARK || padici_load32(index + 4) != 0 ||
        blocks != padici_load64(index + 8))
        return PADIC_ERROR_CHECKSUM;
    if (header->flags & PADICI_UNKNOWN_LENGTH) {
        grid->shape[0] = padici_load64(index + 16);
        if (grid->shape[0] == PADIC_CODEC_UNKNOWN || padici_grid_finish(grid))
            return PADIC_ERROR_CHECKSUM;
        padici_grid_fit(grid);
    }
    if (padici_load64(index + 16) != grid->shape[0] || blocks / header->planes != grid->total ||
        blocks % header->planes)
        return PADIC_ERROR_CHECKSUM;
    return PADIC_OK;
}

// The index at the end of a whole stream. On success `offsets` points at the little-endian offsets
// of the blocks.
static padic_result padici_take_index(const uint8_t *p, size_t size, padici_header *header,
                                      const uint8_t **offsets)
{
    uint64_t at;
    padic_result result;
    if (size < header->size + 8u || memcmp(p + size - 8, "PADC-END", 8) != 0)
        return PADIC_ERROR_CORRUPT;
    if (size < header->size + PADICI_INDEX_FIXED) return PADIC_ERROR_CHECKSUM;
    at = padici_load64(p + size - 24);
    if (at < header->size || at > size - PADICI_INDEX_FIXED) return PADIC_ERROR_CHECKSUM;
    result = padici_index_check(p + at, size - at, header);
    if (result) return result;
    *offsets = p + at + 24;
    return PADIC_OK;
}

// A block stands in a frame: u32 size of the payload, u32 extent along axis 0, u64 checksum of the
// elements (little-endian, seed: the block's number), payload.
typedef struct padici_frame {
    const uint8_t *payload;
    size_t size;
    uint32_t rows;
    uint64_t checksum;
} padici_frame;

// The frame at p[at..size). 0: it is cut off, or not a block.
static int padici_take_frame(const uint8_t *p, uint64_t size, uint64_t at, padici_frame *frame)
{
    uint32_t length;
    if (at > size || size - at < PADICI_FRAME_SIZE) return 0;
    length = padici_load32(p + at);
    if (length == PADICI_END_MARK || length > size - at - PADICI_FRAME_SIZE) return 0;
    frame->payload = p + at + PADICI_FRAME_SIZE;
    frame->size = length;
    frame->rows = padici_load32(p + at + 4);
    frame->checksum = padici_load64(p + at + 8);
    return 1;
}

// The frame that the index gives this number. They follow each other, the first one behind the
// header, the index behind the last one, whose offset stands behind theirs. 0: here they do not.
static int padici_frame_of(const uint8_t *p, uint64_t size, const padici_header *header,
                           const uint8_t *offsets, uint64_t number, padici_frame *frame)
{
    const uint8_t *place = offsets + 8 * (size_t)number;
    const uint64_t at = padici_load64(place);
    return at >= header->size && (number || at == header->size) &&
           padici_take_frame(p, size, at, frame) &&
           at + PADICI_FRAME_SIZE + frame->size == padici_load64(place + 8);
}

// The window of a worker belongs to this super-block from here on.
static void padici_window_enter(padici_work *w, uint64_t super)
{
    if (w->super == super + 1) return;
    w->super = super + 1;
    w->held = 0;
    w->starts[0] = 0;
}

// Where a block that looks `reach` blocks back finds them; 0: they are not all there.
static int padici_window_find(const padici_grid *grid, padici_work *w, uint64_t index,
                              uint32_t reach)
{
    const uint32_t slot = (uint32_t)(index % grid->span);
    uint32_t k;
    w->past = 0;
    if (reach == 0) return 1;
    if (reach > slot || w->super != index / grid->span + 1) return 0;
    for (k = slot - reach; k < slot; k++)
        if (!(w->held >> k & 1)) return 0;
    w->past = w->starts[slot] - w->starts[slot - reach];
    w->history = w->window + w->starts[slot - reach] *
                                 padic_dtype_size(padici_scalar(grid->dtype));
    return 1;
}

// Most bytes of one block with its frame.
static size_t padici_slot_size(const padici_grid *grid)
{
    const uint32_t size = padic_dtype_size(padici_scalar(grid->dtype));
    return PADICI_FRAME_SIZE + grid->capacity * size + 1 + PADICI_PAYLOAD_PAD;
}

// Decodes a block into w->raw and compares its checksum: streams that are damaged and such that a
// later version wrote look alike here. Raw ones are left where they are, if they may (`move`).
static int padici_decode_block(const padici_grid *grid, padici_work *w, const padici_box *box,
                               uint64_t index, const padici_frame *frame, int move)
{
    const size_t all = box->n * box->size;
    padici_plan plan;
    if (move && frame->size == 1 + all + PADICI_PAYLOAD_PAD && !PADICI_BIG_ENDIAN &&
        frame->payload[0] == PADICI_FORM_RAW && !padici_load64(frame->payload + 1 + all)) {
        w->raw = (uint8_t *)(uintptr_t)(frame->payload + 1);
        return (*w->loops->checksum)(w->raw, all, index) == frame->checksum;
    }
    if (!padici_window_find(grid, w, index, padici_reach(frame->payload, frame->size))) return 0;
    return padici_take_block(w, box, frame->payload, frame->size, &plan, NULL) &&
           (*w->loops->checksum)(w->raw, all, index) == frame->checksum;
}

// room: src/codec/pack.c
// ---- packing

// "operation: what is wrong", with the sentence of the header where it has one.
static padic_result padici_codec_fail(padic_context *context, const char *operation,
                                      const padici_header *header, padic_result result)
{
    const char *before;
    char space[256];
    padici_text text;
    padici_text_begin(&text, space, sizeof space);
    padici_text_add(&text, header && header->fault ? header->fault : padic_result_text(result));
    if (header && header->fault && header->need) {
        padici_text_number(&text, header->need, 1);
        padici_text_add(&text, " bytes");
    }
    before = padici_enter(context, operation);
    padici_fail_here(context, result, space);
    padici_leave(context, before);
    return result;
}

static int padici_is_prime(uint32_t p)
{
    uint32_t d;
    for (d = 2; d * d <= p; d++)
        if (p % d == 0) return 0;
    return p > 1;
}

// An array that packer and unpacker both have, or NULL; and the strides of its elements.
typedef struct padici_aside {
    const uint8_t *data;
    int64_t stride[PADIC_MAX_RANK];
    uint64_t shape[PADIC_MAX_RANK];
} padici_aside;

static void padici_take_aside(const padic_tensor *t, padici_aside *aside)
{
    uint32_t k;
    memset(aside, 0, sizeof *aside);
    aside->shape[0] = 1;
    aside->stride[0] = 1;
    if (!t->data) return;
    aside->data = (const uint8_t *)t->data;
    for (k = 0; k < t->rank; k++) aside->shape[k] = t->shape[k];
    padici_tensor_dense(t, aside->stride);
    if (t->rank == 0) aside->stride[0] = 1;
}

// Whether `t` is an array of that dtype and of the grid's shape (or, if `blocks`, one of its
// blocks). Of a stream of unknown length any number of rows will do.
static padic_result padici_aside_fits(const padic_tensor *t, padic_dtype dtype,
                                      const padici_grid *grid, const uint64_t *shape)
{
    uint64_t count;
    uint32_t k;
    const padic_result result = padici_tensor_check(t, &count);
    if (result) return result;
    if (t->dtype != dtype || t->rank != grid->rank) return PADIC_ERROR_MISMATCH;
    for (k = 0; k < t->rank; k++)
        if (t->shape[k] != shape[k] && !(k == 0 && shape[k] == PADIC_CODEC_UNKNOWN))
            return PADIC_ERROR_MISMATCH;
    return PADIC_OK;
}

static padic_result padici_check_importance(const padic_codec_desc *desc, const padici_grid *grid)
{
    padic_result result = PADIC_OK;
    if (desc->importance.data) {
        result = padici_aside_fits(&desc->importance, PADIC_F32, grid, grid->blocks);
        if (result == PADIC_ERROR_MISMATCH)
            result = padici_aside_fits(&desc->importance, PADIC_F32, grid, grid->shape);
    }
    return result;
}

// A block of it as the codec has blocks. 0: the array does not reach so far.
static int padici_load_aside(const padici_aside *aside, const padici_grid *grid,
                             const uint64_t *begin, const uint64_t *extent, uint8_t *raw,
                             const padici_box *box)
{
    int64_t dense[PADIC_MAX_RANK];
    const uint8_t *from = aside->data;
    uint32_t k;
    for (k = 0; k < grid->axes; k++) {
        if (begin[k] + extent[k] > aside->shape[k]) return 0;
        from += (int64_t)begin[k] * aside->stride[k] * (int64_t)grid->element;
    }
    padici_dense_strides(extent, grid->axes, dense);
    padici_copy_box(raw, dense, grid->dtype, from, aside->stride, grid->dtype, extent, grid->axes,
                    NULL, 0);
    padici_swap_elements(raw, box->n, box->size);
    return 1;
}

// The block's part of a reference, if there is one.
static void padici_load_reference(padici_work *w, const padici_aside *aside,
                                  const padici_grid *grid, uint64_t index)
{
    uint64_t begin[PADIC_MAX_RANK], extent[PADIC_MAX_RANK];
    padici_box box;
    w->referenced = 0;
    if (!aside->data) return;
    padici_grid_block(grid, index, begin, extent, &box);
    w->referenced = padici_load_aside(aside, grid, begin, extent, w->reference, &box);
    if (w->referenced) w->digest = (*w->loops->checksum)(w->reference, box.n * box.size, index);
}

// What was just decoded becomes the reference of the next layer.
static void padici_next_layer(padici_work *w, const padici_box *box, uint64_t index)
{
    uint8_t *raw = w->raw;
    w->raw = w->reference;
    w->reference = raw;
    w->referenced = 1;
    w->digest = (*w->loops->checksum)(w->reference, box->n * box->size, index);
}

// What a reader must know for what these settings may write.
static void padici_choose_features(const padic_codec_desc *desc, padici_header *header)
{
    padici_grid *grid = &header->grid;
    const uint32_t patterns = desc->stages.patterns, coders = desc->stages.coders;
    const uint32_t predictors = desc->stages.predictors;
    const int floats = grid->dtype == PADIC_F32 || grid->dtype == PADIC_F64 ||
                       grid->dtype == PADIC_C64 || grid->dtype == PADIC_C128;
    // within a bound contexts and repeats of bytes come one level sooner
    const uint32_t level =
        header->level + (desc->bound_mode != PADIC_BOUND_NONE && grid->capacity >= 8192);
    if (desc->profile) return;
    if (coders ? coders >> PADICI_CODER_CONTEXT & 1 : level >= 6)
        header->features |= PADICI_FEATURE_CONTEXT;
    if ((coders ? coders >> PADICI_CODER_REPEAT & 1
                : (level >= 6 || (header->level == 5 && floats)) && grid->capacity >= 8192) ||
        desc->stages.forms >> PADICI_FORM_PLAIN & 1)
        header->features |= PADICI_FEATURE_REPEAT;
    if (predictors ? predictors >> PADICI_PREDICT_LINEAR & 1
                   : header->level >= 5 && grid->capacity >= 8192)
        header->features |= PADICI_FEATURE_LINEAR;
    if ((header->features & PADICI_FEATURE_LINEAR) && floats)
        header->features |= PADICI_FEATURE_FLOATS;
    if (header->planes > 1 || desc->reference.data ||
        !(patterns == 0 || patterns >> PADICI_PATTERN_MATCH & 1) ||
        (desc->bound_mode != PADIC_BOUND_NONE &&
         (patterns || header->level < 4 || desc->bound_mode > PADIC_BOUND_POINTWISE)))
        return;
    header->features |= PADICI_FEATURE_MATCH;
    if ((patterns == 0 && header->level < 4) || grid->capacity == 0 ||
        (grid->total < 2 && !header->flags))
        return;
    grid->span = PADICI_WINDOW / (uint32_t)grid->capacity;
    if (desc->bound_mode != PADIC_BOUND_NONE) grid->span *= 2;
    if (grid->span > PADICI_WINDOW_MOST) grid->span = PADICI_WINDOW_MOST;
    if (grid->span > 1) header->features |= PADICI_FEATURE_WINDOW;
    if (grid->span == 0) grid->span = 1;
}

// What a desc is checked for: packing, its sizes alone, or a stream, whose tensor has no data and
// may have no length yet.
enum { PADICI_CHECK_PACK, PADICI_CHECK_SIZES, PADICI_CHECK_STREAM };

static padic_result padici_codec_check(const padic_codec_desc *desc, int purpose,
                                       padici_header *header)
{
    const int stream = purpose == PADICI_CHECK_STREAM;
    padic_tensor t;
    uint64_t count;
    uint32_t k;
    padic_result result;
    memset(header, 0, sizeof *header);
    if (!desc)
        return padici_reject(header, PADIC_ERROR_ARGUMENT, "desc is NULL: give one with a tensor");
    t = desc->tensor;
    if (purpose != PADICI_CHECK_PACK) t.data = &t; // not read
    if (stream) {
        if (t.rank && t.shape[0] == PADIC_CODEC_UNKNOWN) {
            t.shape[0] = 1;
            header->flags = PADICI_UNKNOWN_LENGTH;
        }
        for (k = 0; k < t.rank && k < PADIC_MAX_RANK; k++)
            if (t.stride[k])
                return padici_reject(header, PADIC_ERROR_ARGUMENT,
                                    "tensor.stride must be 0 in a stream: it is dense");
    }
    result = padici_tensor_check(&t, &count);
    if (result) return padici_reject(header, result, padici_view_fault(&t, result));
    if (desc->level < 0 || desc->level > 9)
        return padici_reject(header, PADIC_ERROR_ARGUMENT,
                                "level is not 0 to 9");
    if (desc->flags & ~PADIC_CODEC_NO_PROOF)
        return padici_reject(header, PADIC_ERROR_ARGUMENT,
                                "flags has an unknown bit: only PADIC_CODEC_NO_PROOF is one");
    if (desc->prime > 65537 || (desc->prime && !padici_is_prime(desc->prime)))
        return padici_reject(header, PADIC_ERROR_PRIME,
                                "prime is no prime up to 65537: choose one, or 0");
    if ((uint32_t)desc->bound_mode > PADIC_BOUND_FIXED)
        return padici_reject(header, PADIC_ERROR_BOUND,
                                "bound_mode is no padic_bound_mode");
    if (desc->bound_mode != PADIC_BOUND_NONE) {
        const padic_dtype scalar = padici_scalar(t.dtype);
        if (!(desc->bound > 0) || !(desc->bound <= DBL_MAX) || !(desc->range >= 0) ||
            !(desc->range <= DBL_MAX))
            return padici_reject(header, PADIC_ERROR_BOUND,
                                "bound must be above 0 and finite, range at least 0 and finite");
        if (desc->bound_mode == PADIC_BOUND_POINTWISE && !padici_is_float(scalar))
            return padici_reject(header, PADIC_ERROR_DTYPE,
                                "bound_mode POINTWISE is for floats: use ABSOLUTE or none");
        if (desc->bound_mode == PADIC_BOUND_POINTWISE && !(desc->bound < 1))
            return padici_reject(header, PADIC_ERROR_BOUND,
                                "bound of POINTWISE must be below 1: it is relative");
        if (stream && desc->bound_mode == PADIC_BOUND_RANGE && desc->range == 0)
            return padici_reject(header, PADIC_ERROR_BOUND,
                                "range is 0: a stream with bound_mode RANGE must be told it");
        // the whole array is searched for these
        if (stream && desc->bound_mode >= PADIC_BOUND_RMS)
            return padici_reject(header, PADIC_ERROR_BOUND,
                                "bound_mode RMS or FIXED searches the whole array: not in streams");
    }
    if (desc->planes > PADICI_MAX_PLANES || (desc->planes > 1 && stream))
        return padici_reject(header, PADIC_ERROR_ARGUMENT,
                            stream ? "planes must be 0 or 1 in a stream"
                                   : "planes is above 8: choose 2 to 8 layers, or 0");
    if ((uint32_t)desc->profile > PADIC_CODEC_CODED)
        return padici_reject(header, PADIC_ERROR_ARGUMENT,
                                "profile is no padic_codec_profile");
    if (desc->profile) {
        const padic_codec_stages *m = &desc->stages;
        if (desc->bound_mode > PADIC_BOUND_RANGE ||
            (desc->bound_mode != PADIC_BOUND_NONE && padici_scalar(t.dtype) > PADIC_F32))
            return padici_reject(header, PADIC_ERROR_BOUND,
                                "bound_mode of a profile is ABSOLUTE or RANGE, of f32 and f64");
        if (desc->planes > 1 || desc->prime || desc->reference.data || desc->importance.data ||
            (m->forms | m->predictors | m->patterns | m->digits | m->coders))
            return padici_reject(header, PADIC_ERROR_ARGUMENT,
                                "profile excludes planes, prime, reference, importance and stages");
    }
    for (k = 1; k < t.rank; k++)
        if ((desc->block[k] == 0) != (desc->block[0] == 0))
            return padici_reject(header, PADIC_ERROR_ARGUMENT,
                                "block is 0 on some axes: give all extents, or none");
    result = padici_grid_make(desc, &header->grid);
    if (result)
        header->fault = "block has more than 2^20 scalars: choose a smaller one";
    if (!result && desc->reference.data) {
        result =
            padici_aside_fits(&desc->reference, header->grid.dtype, &header->grid,
                              header->grid.shape);
        if (result) header->fault = "reference must have the dtype and shape of tensor";
    }
    if (!result) {
        result = padici_check_importance(desc, &header->grid);
        if (result) header->fault = "importance must be f32, of tensor's shape or one a block";
    }
    if (header->flags) header->grid.shape[0] = PADIC_CODEC_UNKNOWN;
    header->planes = desc->planes > 1 ? desc->planes : 1;
    header->features = (header->planes > 1 ? PADICI_FEATURE_PLANES : 0) |
                       (desc->reference.data ? PADICI_FEATURE_REFERENCE : 0);
    header->version = PADIC_CODEC_WIRE_VERSION;
    header->level = desc->profile ? 0 : desc->level ? (uint32_t)desc->level : 5;
    padici_choose_features(desc, header);
    header->size = (uint32_t)padici_header_size(header->grid.rank, header->features);
    header->bound_mode = desc->bound_mode;
    header->bound = desc->bound_mode ? desc->bound : 0;
    return result;
}

// Where packed bytes go: into memory as far as it reaches, or to the caller's function.
typedef struct padici_sink {
    uint8_t *dst;
    uint64_t capacity, written;
    padic_codec_write write;
    void *user;
} padici_sink;

static padic_result padici_emit(padici_sink *sink, const void *data, size_t size)
{
    if (sink->write) {
        if ((*sink->write)(data, size, sink->user) != 0) return PADIC_ERROR_CALLBACK;
    } else if (sink->written <= sink->capacity && size <= sink->capacity - sink->written && size) {
        memcpy(sink->dst + sink->written, data, size);
    }
    sink->written += size;
    return PADIC_OK;
}

// Blocks that one worker begins with and others may go on with: a super-block, those that share a
// hint, or one block; less where the slots do not reach.
typedef struct padici_group {
    uint64_t number, next, end; // blocks [next, end) no worker has
    int busy;                   // not to be taken: the one before is loaded, or makes the hint
    padici_hint hint;
} padici_group;

// One packing: several workers, each with its own memory, take blocks in order as far as they can.
// Into memory a frame goes to its place once all before it are packed; till then it has a slot.
typedef struct padici_packing {
    padici_header header;
    padici_bound bound;
    padici_sink sink;
    const padic_jobs *jobs;
    padici_codec_loops loops;
    uint32_t workers;
    padici_work *work; // one a worker
    uint8_t *slots;    // a frame each: `batch` of them; of one worker its own payload's place
    size_t slot;
    uint32_t batch;
    const uint8_t *data; // the source, its strides, and the row it begins at
    int64_t stride[PADIC_MAX_RANK];
    uint64_t first_row;
    uint64_t first, count; // blocks in work
    padici_aside reference, importance;
    padici_bound layers[PADICI_MAX_PLANES]; // the last one as asked for
    uint32_t layer;                         // that is emitted
    const uint8_t *above;                   // where those before were; NULL: they are not there
    int measuring;                          // in place of a checksum: squares of errors
    int proving;                            // blocks are decoded and compared
    padici_hint hint;                       // of the group that the blocks before ended in
    struct padici_kept *kept; // the super-blocks in work: number k is in kept[k % supers]
    uint32_t supers;
    long lock;                      // for all that follows
    uint64_t begun, placed, copied; // before these blocks: groups are begun, places known, left
    uint64_t *places;               // where their frames go
    const uint8_t **frames;         // of each slot: the frame that waits there
    padici_group *groups;           // number k is in groups[k % (2 * workers)]
    uint64_t born, low;             // groups begun, those before the first with blocks to take
    uint64_t ready;                 // blocks to take in groups that are not busy
    padici_hint last;
    double squares;                 // their sum
    double allowed;                 // PADIC_BOUND_RMS: what that may be at the end
    padici_steps steps;             // blocks
} padici_packing;

// What the packer keeps of a super-block.
typedef struct padici_kept {
    uint32_t open;    // blocks begun and not packed
    uint8_t *history; // elements of its blocks so far, and where each begins
    size_t starts[PADICI_WINDOW_MOST + 1];
    uint32_t *picks;  // and where repeats are looked for in them, first
    size_t picked[PADICI_WINDOW_MOST + 1];
} padici_kept;

#define PADICI_BATCH 4u // slots for each of several workers, at least
#define PADICI_KEPT ((sizeof(padici_kept) + 63) & ~(size_t)63)

// Super-blocks in work at once.
static uint32_t padici_supers(const padici_grid *grid, uint32_t workers, uint32_t blocks)
{
    const uint64_t all = grid->span ? grid->total / grid->span + 1 : 1;
    uint64_t most = 1;
    if (workers > 1 && grid->span) most = blocks * (uint64_t)workers / grid->span;
    if (workers > 1) most = (most < workers ? most : workers) + 2;
    return (uint32_t)(grid->span < 2 ? 0 : all < most ? all : most);
}

static size_t padici_picks_size(const padici_grid *grid)
{
    return (4 * (grid->span * grid->capacity + 1) + 63) & ~(size_t)63;
}

static size_t padici_history_size(const padici_grid *grid)
{
    const size_t size = padic_dtype_size(padici_scalar(grid->dtype));
    return (grid->span * grid->capacity * size + 127) & ~(size_t)63;
}

// Slots: several workers want enough to go on while one is late.
static uint32_t padici_batch_blocks(const padici_grid *grid, uint32_t workers,
                                    uint32_t blocks)
{
    const uint64_t most = workers > 1 ? blocks * (uint64_t)workers : 1;
    return (uint32_t)(grid->total && grid->total < most ? grid->total : most);
}

// What one worker takes fits a size_t of 32 bits, what all of them take may not.
static uint64_t padici_packing_memory(const padici_grid *grid, uint32_t workers, uint32_t blocks)
{
    const size_t each = padici_work_layout(NULL, grid, 1, NULL);
    const uint64_t batch = padici_batch_blocks(grid, workers, blocks), many = workers;
    return many * (each + ((sizeof(padici_work) + 63) & ~(size_t)63)) +
           (workers > 1 ? batch : 0) * ((padici_slot_size(grid) + 63) & ~(size_t)63) +
           (uint64_t)padici_supers(grid, workers, blocks) *
               (PADICI_KEPT + padici_picks_size(grid) + padici_history_size(grid)) +
           ((2 * many * sizeof(padici_group) + batch * sizeof(void *) + 63) & ~UINT64_C(63));
}

static void padici_packing_place(padici_packing *packing, const padic_codec_desc *desc,
                                 uint32_t blocks, void *memory)
{
    const padici_grid *grid = &packing->header.grid;
    const size_t each = padici_work_layout(NULL, grid, 1, NULL);
    uint8_t *at = (uint8_t *)memory;
    uint32_t i;
    packing->work = (padici_work *)(void *)at;
    at += packing->workers * ((sizeof(padici_work) + 63) & ~(size_t)63);
    for (i = 0; i < packing->workers; i++, at += each) {
        padici_work *w = packing->work + i;
        (void)padici_work_layout(w, grid, 1, at);
        w->loops = &packing->loops;
        w->stages = desc->stages;
        w->prime = desc->prime;
        w->profile = (uint32_t)desc->profile;
        w->level = (int)packing->header.level;
        w->may_match = (packing->header.features & PADICI_FEATURE_MATCH) != 0;
        w->may_know = (packing->header.features & PADICI_FEATURE_CONTEXT) != 0;
        w->may_plain = (packing->header.features & PADICI_FEATURE_REPEAT) != 0;
        w->may_repeat = w->may_plain && (w->level != 5 || desc->bound_mode != PADIC_BOUND_NONE ||
                                         desc->stages.coders || desc->stages.forms);
        w->may_weigh = (packing->header.features & PADICI_FEATURE_LINEAR) != 0;
        if (w->prime == 0 && (desc->stages.digits >> PADICI_DIGITS_PRIME & 1)) w->prime = 3;
    }
    packing->proving = !(desc->flags & PADIC_CODEC_NO_PROOF);
    packing->batch = padici_batch_blocks(grid, packing->workers, blocks);
    packing->slot = (padici_slot_size(grid) + 63) & ~(size_t)63;
    packing->slots = packing->workers > 1 ? at : packing->work->payload - PADICI_FRAME_SIZE;
    packing->supers = padici_supers(grid, packing->workers, blocks);
    if (packing->workers > 1) at += packing->batch * packing->slot;
    packing->kept = (padici_kept *)(void *)at;
    at += packing->supers * PADICI_KEPT;
    for (i = 0; i < packing->supers; i++) {
        padici_kept *kept = packing->kept + i;
        kept->starts[0] = kept->picked[0] = kept->open = 0;
        kept->picks = (uint32_t *)(void *)at;
        kept->history = at + padici_picks_size(grid);
        at += padici_picks_size(grid) + padici_history_size(grid);
    }
    packing->groups = (padici_group *)(void *)at;
    packing->frames = (const uint8_t **)(void *)(packing->groups + 2 * packing->workers);
    memset(at, 0, (uintptr_t)(packing->frames + packing->batch) - (uintptr_t)at);
}

// Within a bound a window holds what the decoder will have: the blocks of a super-block are packed
// one after the other.
static int padici_in_turn(const padici_packing *packing)
{
    return packing->header.grid.span > 1 && packing->header.bound_mode != PADIC_BOUND_NONE;
}

// The elements of a block to raw, dense and little-endian. Returns its extent along axis 0.
static uint32_t padici_load_block(const padici_packing *packing, uint64_t index, uint8_t *raw,
                                  padici_box *box)
{
    const padici_grid *grid = &packing->header.grid;
    uint64_t begin[PADIC_MAX_RANK], extent[PADIC_MAX_RANK];
    int64_t dense[PADIC_MAX_RANK];
    const uint8_t *from = packing->data;
    uint32_t k;
    padici_grid_block(grid, index, begin, extent, box);
    padici_dense_strides(extent, grid->axes, dense);
    for (k = 0; k < grid->axes; k++)
        from += (int64_t)(begin[k] - (k ? 0 : packing->first_row)) * packing->stride[k] *
                (int64_t)grid->element;
    padici_copy_box(raw, dense, grid->dtype, from, packing->stride, grid->dtype, extent,
                    grid->axes, NULL, 0);
    padici_swap_elements(raw, box->n, box->size);
    return (uint32_t)extent[0];
}

// The elements of a block in the source, if they stand there as load_block() would leave them and
// nothing is written over them; else NULL.
static uint8_t *padici_block_in_place(const padici_packing *packing, const uint64_t *begin,
                                      const uint64_t *extent)
{
    const padici_grid *grid = &packing->header.grid;
    int64_t dense[PADIC_MAX_RANK];
    const uint8_t *from = packing->data;
    uint32_t k;
    if (packing->bound.mode != PADIC_BOUND_NONE || packing->header.planes > 1 ||
        packing->measuring || (PADICI_BIG_ENDIAN && grid->element > 1))
        return NULL;
    padici_dense_strides(extent, grid->axes, dense);
    for (k = 0; k < grid->axes; k++) {
        if (extent[k] > 1 && packing->stride[k] != dense[k]) return NULL;
        from += (int64_t)(begin[k] - (k ? 0 : packing->first_row)) * packing->stride[k] *
                (int64_t)grid->element;
    }
    return (uint8_t *)(uintptr_t)from;
}

// The elements of a block to w->raw, with the blocks behind it that may repeat in it.
static uint32_t padici_load_behind(const padici_packing *packing, padici_work *w, uint64_t index,
                                   padici_box *box)
{
    const padici_grid *grid = &packing->header.grid;
    uint64_t begin[PADIC_MAX_RANK], extent[PADIC_MAX_RANK];
    const padici_kept *kept;
    w->slot = 0;
    w->behind = 0;
    padici_grid_block(grid, index, begin, extent, box);
    if (grid->span <= 1) {
        uint8_t *const raw = padici_block_in_place(packing, begin, extent);
        if (!raw) return padici_load_block(packing, index, w->raw, box);
        w->raw = raw;
        return (uint32_t)extent[0];
    }
    kept = packing->kept + index / grid->span % packing->supers;
    w->slot = (uint32_t)(index % grid->span);
    memcpy(w->starts, kept->starts, (w->slot + 2) * sizeof *w->starts);
    w->behind = w->starts[w->slot];
    w->history = kept->history;
    w->past_picks = kept->picks;
    w->past_count = kept->picked[w->slot];
    w->raw = kept->history + w->behind * box->size;
    return (uint32_t)extent[0];
}

// Loads a block behind those of the same super-block.
static void padici_load_kept(padici_packing *packing, const padici_work *w, uint64_t index)
{
    const uint32_t span = packing->header.grid.span;
    padici_kept *kept = packing->kept + index / span % packing->supers;
    const size_t slot = (size_t)(index % span), start = kept->starts[slot];
    uint32_t *picks = kept->picks + kept->picked[slot];
    uint8_t *raw =
        kept->history + start * padic_dtype_size(padici_scalar(packing->header.grid.dtype));
    padici_box box;
    size_t i, count;
    (void)padici_load_block(packing, index, raw, &box);
    kept->starts[slot + 1] = start + box.n;
    if (padici_in_turn(packing)) return;
    count = padici_pick(w, &box, raw, picks);
    for (i = 0; i < count; i++) picks[i] += (uint32_t)start;
    kept->picked[slot + 1] = kept->picked[slot] + count;
}

// The least factor of the bound in a block; 0: lossless.
static double padici_block_importance(const padici_packing *packing, uint64_t index)
{
    const padici_grid *grid = &packing->header.grid;
    const padici_aside *aside = &packing->importance;
    uint64_t begin[PADIC_MAX_RANK], extent[PADIC_MAX_RANK], at[PADIC_MAX_RANK];
    double least = DBL_MAX;
    padici_box box;
    uint32_t k;
    int one = 1;
    padici_grid_block(grid, index, begin, extent, &box);
    for (k = 0; k < grid->axes; k++) one &= aside->shape[k] == grid->blocks[k];
    for (k = 0; k < grid->axes && one; k++) {
        begin[k] /= grid->block[k];
        extent[k] = 1;
    }
    memset(at, 0, sizeof at);
    for (;;) {
        const uint8_t *p = aside->data;
        float x;
        for (k = 0; k < grid->axes; k++) p += (int64_t)(begin[k] + at[k]) * aside->stride[k] * 4;
        memcpy(&x, p, 4);
        if (!(x > 0 && x <= FLT_MAX)) return 0;
        if ((double)x < least) least = (double)x;
        for (k = grid->axes; k-- > 0;) {
            if (++at[k] < extent[k]) break;
            at[k] = 0;
        }
        if (k == UINT32_MAX) return least;
    }
}

static double padici_down(double x);
static double padici_product_down(double a, double b);

// The bound of one layer in one block.
static padici_bound padici_block_bound(const padici_packing *packing, uint32_t layer,
                                       uint64_t index)
{
    padici_bound bound = packing->layers[layer];
    double factor;
    if (!packing->importance.data || bound.mode == PADIC_BOUND_NONE) return bound;
    factor = padici_block_importance(packing, index);
    bound.absolute = padici_product_down(bound.absolute, factor);
    bound.pointwise = padici_product_down(bound.pointwise, factor);
    if (bound.pointwise >= 1) bound.pointwise = 0.9375;
    if (!(factor > 0) || (bound.mode != PADIC_BOUND_POINTWISE && !(bound.absolute > 0)))
        bound.mode = PADIC_BOUND_NONE;
    return bound;
}

// What the elements of two blocks of finite ones differ by: the greatest, or the sum of squares.
static double padici_differ(const padici_box *box, const uint8_t *a, const uint8_t *b, int squares)
{
    double sum = 0, d;
    size_t i;
    for (i = 0; i < box->n; i++) {
        const uint64_t p = padici_element(a, i, box->size), q = padici_element(b, i, box->size);
        if (p == q) continue;
        if (padici_is_float(box->dtype)) {
            d = padici_value(box->dtype, p) - padici_value(box->dtype, q);
        } else {
            const uint64_t x = padici_ordered(box->dtype, p, box->size);
            const uint64_t y = padici_ordered(box->dtype, q, box->size);
            const int above = padici_is_signed(box->dtype) ? (int64_t)y > (int64_t)x : y > x;
            d = (double)(above ? y - x : x - y);
        }
        if (d < 0) d = -d;
        if (squares) sum = sum + d * d;
        if (!squares && d > sum) sum = d;
    }
    return sum;
}

// Whether |x - y| <= share |x|, exactly: a product and a difference as two doubles each. Powers of
// two keep both away from overflow and underflow. Of what is infinite or no number it is 0: d is
// infinite and product is not, or d, product or low is NaN, which no comparison holds for.
static int padici_within_share(double x, double y, double share)
{
    const double size = x < 0 ? -x : x, most = size * share;
    double scale = 1, high, low, product, rest, d, z;
    if (most >= 1e-280 && padici_within(x, y, most * (1 - 4.5e-16))) return 1;
    if (size < 1e-100) scale = 1.3407807929942597e154; // 2^512
    if (size > 1e150) scale = 7.458340731200207e-155;  // 2^-512
    x *= scale;
    y *= scale;
    if (x < 0) x = -x, y = -y;
    product = x * share; // rest = x share - product: x and share in halves of 26 bits
    z = x * 134217729.0;
    high = z - (z - x);
    low = x - high;
    z = share * 134217729.0;
    d = z - (z - share);
    z = share - d;
    rest = ((high * d - product) + high * z + low * d) + low * z;
    d = x - y; // and what that drops
    z = d - x;
    low = (x - (d - z)) + (-y - z);
    if (d < 0) d = -d, low = -low;
    return d < product || (d == product && low <= rest);
}

// The end of a stretch [from, to) whose elements b all differ from a by less than the bound, as far
// as rounded differences tell; `from` where one may not.
static size_t padici_near(const padici_box *box, double bound, const uint8_t *a, const uint8_t *b,
                          size_t from, size_t to)
{
    uint32_t outside = 0;
    size_t i;
    if (box->dtype == PADIC_F32 && !PADICI_BIG_ENDIAN) {
        for (i = from; i < to; i++) {
            float x, y;
            double d;
            memcpy(&x, a + 4 * i, 4);
            memcpy(&y, b + 4 * i, 4);
            d = (double)x - (double)y;
            outside |= !(d < bound) | !(d > -bound);
        }
    } else if (box->dtype == PADIC_F64 && !PADICI_BIG_ENDIAN) {
        for (i = from; i < to; i++) {
            double x, y;
            memcpy(&x, a + 8 * i, 8);
            memcpy(&y, b + 8 * i, 8);
            x -= y;
            outside |= !(x < bound) | !(x > -bound);
        }
    } else {
        return memcmp(a + from * box->size, b + from * box->size, (to - from) * box->size) ? from
                                                                                          : to;
    }
    return outside ? from : to;
}

// Whether elements b stand for a within the bound, exactly; what is no number to the bit.
static int padici_keeps(const padici_box *box, const padici_bound *bound, const uint8_t *a,
                        const uint8_t *b)
{
    const int pointwise = bound->mode == PADIC_BOUND_POINTWISE;
    const uint64_t most = bound->absolute < 18446744073709551615.0 ? (uint64_t)bound->absolute
                                                                   : UINT64_MAX;
    size_t i, from = 0;
    for (i = 0; i < box->n; i++) {
        uint64_t p, q;
        if (i % 256 == 0 && !pointwise) { // a stretch of them by rounded differences, if these do
            from = padici_near(box, bound->absolute, a, b, i, padici_least(i + 256, box->n));
            if (from > i) {
                i = from - 1;
                continue;
            }
        }
        p = padici_element(a, i, box->size);
        q = padici_element(b, i, box->size);
        if (p == q) continue;
        if (padici_is_float(box->dtype)) {
            const double x = padici_value(box->dtype, p), y = padici_value(box->dtype, q);
            if (pointwise ? !padici_within_share(x, y, bound->pointwise)
                          : !padici_within(x, y, bound->absolute))
                return 0;
        } else {
            const uint64_t x = padici_ordered(box->dtype, p, box->size);
            const uint64_t y = padici_ordered(box->dtype, q, box->size);
            const int above = padici_is_signed(box->dtype) ? (int64_t)y > (int64_t)x : y > x;
            if ((above ? y - x : x - y) > most) return 0;
        }
    }
    return 1;
}

// Whether the payload is the elements in w->raw as they are.
static int padici_is_raw(const padici_work *w, const padici_box *box, size_t size)
{
    return w->payload[0] == PADICI_FORM_RAW &&
           size == box->n * box->size + 1 + PADICI_PAYLOAD_PAD &&
           !memcmp(w->payload + 1, w->raw, size - 1 - PADICI_PAYLOAD_PAD);
}

// The elements in w->raw as they are, in place of what did not come back. Tests end there.
#ifndef PADICI_REENCODED
#define PADICI_REENCODED ((void)0)
#endif
static size_t padici_reencode(padici_work *w, const padici_box *box)
{
    const size_t size = padici_pack_raw(w, box);
    PADICI_REENCODED;
    w->reencoded++;
    if (!padici_is_raw(w, box, size)) w->broken = 1;
    return size;
}

// Decodes the payload of a block as a reader will, and stores the block as it is if it does not
// come back. Within a bound w->raw has the decoded elements then. Returns the payload's size.
static size_t padici_prove_block(const padici_packing *packing, padici_work *w,
                                 const padici_box *box, const padici_bound *bound, uint64_t index,
                                 size_t size)
{
    const int exact = bound->mode == PADIC_BOUND_NONE;
    const uint32_t reach = padici_reach(w->payload, size);
    const size_t all = box->n * box->size;
    uint8_t *const source = w->raw;
    padici_plan plan;
    int good;
    if (exact && !packing->proving) return size;
    if (exact && padici_is_raw(w, box, size)) return size;
    w->past = 0;
    if (reach) {
        const uint32_t span = packing->header.grid.span, slot = (uint32_t)(index % span);
        const padici_kept *kept = packing->kept + index / span % packing->supers;
        w->past = kept->starts[slot] - kept->starts[slot - reach];
        w->history = kept->history + kept->starts[slot - reach] * box->size;
    }
    if (exact) w->raw = (uint8_t *)w->trial; // the packer does not need it now
    good = padici_take_block(w, box, w->payload, size, &plan, NULL);
    w->past = 0;
    if (exact) {
        good = good && !memcmp(source, w->raw, all);
        w->raw = source;
    } else if (packing->proving || !good) {
        padici_box same;
        (void)padici_load_block(packing, index, w->record, &same);
        good = good && padici_keeps(box, bound, w->record, w->raw);
        if (!good) memcpy(w->raw, w->record, all);
    }
    return good ? size : padici_reencode(w, box);
}

// Whether the layer before came out as it did when it was emitted: the reader has that one.
static int padici_layer_stands(const padici_packing *packing, const padici_work *w, uint64_t index)
{
    const uint64_t total = packing->header.grid.total;
    const uint64_t *place = packing->places + (index - packing->first);
    return !packing->above ||
           padici_load64(packing->above + place[-(int64_t)total] + 8) == w->digest;
}

// Packs one block, layer after layer as far as the one that is emitted. The last payload stands in
// w->payload, what the decoder will have in w->raw.
static size_t padici_pack_layers(padici_packing *packing, padici_work *w, uint64_t index,
                                 padici_box *box, uint32_t *rows)
{
    const uint64_t reencoded = w->reencoded;
    uint32_t layer;
    size_t size = 0;
    *rows = padici_load_behind(packing, w, index, box);
    padici_load_reference(w, &packing->reference, &packing->header.grid, index);
    for (layer = 0; layer <= packing->layer; layer++) {
        padici_bound bound = padici_block_bound(packing, layer, index);
        w->reencoded = reencoded; // the layers before were counted when they were emitted
        if (layer) {
            // a layer that came nearer than it had to is not made worse
            double worst;
            (void)padici_load_block(packing, index, w->record, box);
            worst = padici_down(padici_differ(box, w->raw, w->record, 0));
            if (bound.mode == PADIC_BOUND_ABSOLUTE || bound.mode == PADIC_BOUND_RANGE) {
                if (worst < bound.absolute) bound.absolute = worst;
                if (!(bound.absolute > 0)) bound.mode = PADIC_BOUND_NONE;
            }
            padici_next_layer(w, box, index);
            (void)padici_load_block(packing, index, w->raw, box);
        }
        if (layer == packing->layer && !padici_layer_stands(packing, w, index)) {
            size = padici_reencode(w, box);
            break;
        }
        size = padici_pack_block(w, box, &bound);
        size = padici_prove_block(packing, w, box, &bound, index, size);
    }
    if (packing->measuring) w->reencoded = reencoded;
    return size;
}

// What the decoder will have of a block to its place in the window, for those that follow.
static void padici_keep_decoded(padici_packing *packing, padici_work *w, const padici_box *box,
                                uint64_t index)
{
    const uint32_t span = packing->header.grid.span, slot = (uint32_t)(index % span);
    padici_kept *kept = packing->kept + index / span % packing->supers;
    uint32_t *picks = kept->picks + kept->picked[slot];
    uint8_t *place = kept->history + kept->starts[slot] * box->size;
    size_t i, count;
    count = padici_pick(w, box, place, picks);
    for (i = 0; i < count; i++) picks[i] += (uint32_t)kept->starts[slot];
    kept->picked[slot + 1] = kept->picked[slot] + count;
}

// Levels 1 and 2: what the group's first block chose; found again where another worker packed it.
static void padici_take_hint(padici_packing *packing, padici_work *w, uint64_t index)
{
    const uint64_t group = index / PADICI_HINT_GROUP;
    padici_hint *hint = w->hint;
    hint->use = 0;
    if (w->level > 2 || packing->bound.mode != PADIC_BOUND_NONE || packing->header.planes > 1 ||
        packing->reference.data || packing->header.grid.capacity < PADICI_RUNS * PADICI_RUN)
        return;
    if (hint->group != group + 1 && packing->hint.group == group + 1) {
        *hint = packing->hint;
    } else if (hint->group != group + 1) {
        memset(hint, 0, sizeof *hint);
        hint->group = group + 1;
        hint->lead = 1;
        if (index % PADICI_HINT_GROUP) {
            uint8_t *const own = w->raw;
            padici_box box;
            (void)padici_load_behind(packing, w, index - index % PADICI_HINT_GROUP, &box);
            (void)padici_pack_block(w, &box, &packing->bound);
            w->raw = own;
        }
    }
    if (index % PADICI_HINT_GROUP) hint->lead = 0;
    hint->use = hint->found && !hint->lead;
}

// Begins the next group, if there are slots and memory for it.
static padici_group *padici_begin_group(padici_packing *packing)
{
    const uint32_t span = packing->header.grid.span, batch = packing->batch;
    const uint64_t first = packing->begun, last = packing->first + packing->count;
    const int hints = packing->work->level < 3;
    const uint32_t each = span > 1 ? span : hints ? PADICI_HINT_GROUP : 1;
    padici_group *group = packing->groups + packing->born % (2 * packing->workers);
    uint64_t end = (first / each + 1) * each, b;
    if (end > last) end = last;
    if (end > first + batch) end = first + batch;
    if (first >= last || end > packing->copied + batch ||
        packing->born - packing->low >= 2 * packing->workers)
        return NULL;
    for (b = first; b < end; b++)
        if (packing->frames[b % batch]) return NULL;
    if (span > 1) { // a hint may have to be made again from the super-block before
        padici_kept *kept = packing->kept + first / span % packing->supers;
        if (kept->open || (hints && packing->kept[(first / span + 1) % packing->supers].open))
            return NULL;
        kept->open = (uint32_t)(end - first);
    }
    group->number = packing->born++;
    group->next = first;
    group->end = packing->begun = end;
    group->busy = 0;
    return group;
}

// What a worker does next. It waits only while others are at work, so that jobs may also run one
// after the other, and not for long.
enum { PADICI_TURN_NONE, PADICI_TURN_COPY, PADICI_TURN_PACK, PADICI_TURN_WAIT };

typedef struct padici_turn {
    int lead; // of a group with a hint
    uint64_t block, number;
    padici_group *group; // that number
} padici_turn;

static int padici_next_turn(padici_packing *packing, padici_work *w, padici_turn *turn)
{
    const int windows = packing->header.grid.span > 1, in_turn = padici_in_turn(packing);
    const uint32_t groups = 2 * packing->workers;
    padici_group *group = turn->group, *other;
    uint64_t g;
    int wait = 0;
    while (packing->copied < packing->placed) {
        turn->block = packing->copied++;
        if (packing->frames[turn->block % packing->batch]) return PADICI_TURN_COPY;
    }
    for (; packing->low < packing->born; packing->low++) {
        other = packing->groups + packing->low % groups;
        if (other->next < other->end) break;
    }
    if (!windows || !group || group->number != turn->number || group->next == group->end ||
        (group->busy && !in_turn))
        group = NULL; // it has none for its first worker
    turn->lead = 0;
    if (!group && packing->ready < packing->workers) {
        group = padici_begin_group(packing);
        turn->lead = group != NULL && !windows;
    }
    for (g = packing->low; g < packing->born && !group; g++) {
        other = packing->groups + g % groups;
        if (other->next == other->end) continue;
        wait |= other->busy && !in_turn;
        if (!other->busy) group = other;
    }
    if (!group)
        return wait || packing->begun < packing->first + packing->count ? PADICI_TURN_WAIT
                                                                        : PADICI_TURN_NONE;
    turn->group = group;
    turn->number = group->number;
    turn->block = group->next++;
    if (!windows && !turn->lead) {
        *w->hint = group->hint;
        packing->ready--;
    }
    if (windows || turn->lead) group->busy = 1;
    return PADICI_TURN_PACK;
}

// Others may take blocks of the group.
static void padici_free_group(padici_packing *packing, const padici_work *w,
                              const padici_turn *turn)
{
    padici_group *group = turn->group;
    if (group->number != turn->number) return; // that had no more blocks
    group->busy = 0;
    if (!turn->lead) return;
    group->hint = *w->hint;
    packing->ready += group->end - group->next;
}

static void padici_copy_frame(const padici_packing *packing, uint64_t block, const uint8_t *frame)
{
    const padici_sink *sink = &packing->sink;
    const uint64_t at = packing->places[block - packing->first];
    const size_t size = PADICI_FRAME_SIZE + padici_load32(frame);
    if (at <= sink->capacity && size <= sink->capacity - at) memcpy(sink->dst + at, frame, size);
}

// The frame of a block that was packed, in w->payload, goes to its place if that is known; else to
// its slot. Those behind it may have places then.
static void padici_end_turn(padici_packing *packing, padici_work *w, const padici_turn *turn)
{
    const uint8_t *const frame = w->payload - PADICI_FRAME_SIZE, *from;
    uint8_t *const slot = packing->slots + turn->block % packing->batch * packing->slot;
    const int together = !packing->sink.write;
    int direct;
    padici_lock(&packing->lock, PADICI_LOCK);
    direct = together && packing->placed == turn->block;
    if (!direct && slot != frame) {
        padici_lock(&packing->lock, PADICI_UNLOCK);
        memcpy(slot, frame, PADICI_FRAME_SIZE + padici_load32(frame));
        padici_lock(&packing->lock, PADICI_LOCK);
    }
    packing->frames[turn->block % packing->batch] = direct ? frame : slot;
    if (packing->supers)
        packing->kept[turn->block / packing->header.grid.span % packing->supers].open--;
    if (w->level < 3 && w->hint->group >= packing->last.group) packing->last = *w->hint;
    if (turn->lead) padici_free_group(packing, w, turn);
    while (together && packing->placed < packing->begun &&
           (from = packing->frames[packing->placed % packing->batch]) != NULL) {
        if (from == frame) packing->frames[packing->placed % packing->batch] = NULL;
        packing->places[packing->placed++ - packing->first] = packing->sink.written;
        packing->sink.written += PADICI_FRAME_SIZE + padici_load32(from);
        if (packing->measuring) packing->squares += padici_double_of(padici_load64(from + 8));
    }
    padici_lock(&packing->lock, PADICI_UNLOCK);
    if (direct) padici_copy_frame(packing, turn->block, frame);
}

static void padici_pack_one(padici_packing *packing, padici_work *w, uint64_t index)
{
    uint8_t *const frame = w->payload - PADICI_FRAME_SIZE, *const own = w->raw;
    const int in_turn = padici_in_turn(packing);
    double squares = 0;
    uint32_t rows;
    padici_box box;
    size_t size;
    padici_take_hint(packing, w, index);
    size = padici_pack_layers(packing, w, index, &box, &rows);
    padici_store32(frame, (uint32_t)size);
    padici_store32(frame + 4, rows);
    if (packing->measuring || packing->allowed > 0) {
        (void)padici_load_block(packing, index, w->record, &box);
        squares = padici_differ(&box, w->raw, w->record, 1);
        w->squares += squares;
    }
    padici_store64(frame + 8, packing->measuring
                                  ? padici_bits_of(squares)
                                  : (*w->loops->checksum)(w->raw, box.n * box.size, index));
    if (in_turn) padici_keep_decoded(packing, w, &box, index);
    // where the elements were read in their place; no other buffers changed places then
    if (in_turn || (packing->bound.mode == PADIC_BOUND_NONE && packing->header.planes == 1))
        w->raw = own;
}

static void padici_pack_task(void *arg, uint32_t task)
{
    padici_packing *packing = (padici_packing *)arg;
    padici_work *w = packing->work + task;
    uint32_t patience = 500;
    padici_turn turn;
    int kind = PADICI_TURN_NONE, stop = 0;
    memset(&turn, 0, sizeof turn);
    padici_lock(&packing->lock, PADICI_LOCK);
    while (!stop && (kind = padici_next_turn(packing, w, &turn)) != PADICI_TURN_NONE) {
        const uint8_t **frame = packing->frames + turn.block % packing->batch;
        if (kind == PADICI_TURN_WAIT && !patience) break;
        padici_lock(&packing->lock, PADICI_UNLOCK);
        if (kind == PADICI_TURN_WAIT) {
            padici_idle(200);
            patience--;
        } else if (kind == PADICI_TURN_COPY) {
            padici_copy_frame(packing, turn.block, *frame);
        } else {
            patience = 500;
            if (packing->supers) {
                padici_load_kept(packing, w, turn.block);
                padici_lock(&packing->lock, PADICI_LOCK);
                if (!padici_in_turn(packing)) padici_free_group(packing, w, &turn);
                padici_lock(&packing->lock, PADICI_UNLOCK);
            }
            padici_pack_one(packing, w, turn.block);
            padici_end_turn(packing, w, &turn);
        }
        stop = padici_steps_more(&packing->steps, kind == PADICI_TURN_PACK);
        padici_lock(&packing->lock, PADICI_LOCK);
        if (kind == PADICI_TURN_COPY) *frame = NULL;
    }
    // the rest is for all workers again
    if (kind == PADICI_TURN_WAIT) packing->count = packing->begun - packing->first;
    padici_lock(&packing->lock, PADICI_UNLOCK);
}

// Packs blocks [first, first + count) and emits them; their offsets go to offsets[0..count).
static padic_result padici_pack_blocks(padici_packing *packing, uint64_t first, uint64_t count,
                                       uint64_t *offsets)
{
    const int together = !packing->sink.write;
    uint64_t done, b;
    for (done = 0; done < count; done += packing->count) {
        packing->first = packing->begun = packing->placed = packing->copied = first + done;
        packing->count = together || count - done < packing->batch ? count - done : packing->batch;
        packing->places = offsets + done;
        padici_parallel(packing->jobs, packing->workers, padici_pack_task, packing);
        if (packing->steps.stop) return PADIC_ERROR_CANCELLED;
        for (b = 0; b < packing->workers; b++)
            if (packing->work[b].broken) {
                packing->header.fault = "a block does not come back even as it is: this machine's "
                                        "memory is damaged, or the library was built wrong";
                return PADIC_ERROR_CHECKSUM;
            }
        packing->hint = packing->last;
        for (b = packing->first; b < packing->begun && !together; b++) {
            const uint8_t **frame = packing->frames + b % packing->batch;
            padic_result result;
            offsets[b - first] = packing->sink.written;
            result = padici_emit(&packing->sink, *frame, PADICI_FRAME_SIZE + padici_load32(*frame));
            if (result) return result;
            *frame = NULL;
        }
    }
    return PADIC_OK;
}

static padic_result padici_emit_header(padici_packing *packing)
{
    uint8_t bytes[PADICI_HEADER_MOST];
    padici_put_header(bytes, &packing->header);
    return padici_emit(&packing->sink, bytes, packing->header.size);
}

// `offsets` are made little-endian in their place.
static padic_result padici_emit_index(padici_packing *packing, uint64_t *offsets, uint64_t blocks,
                                      uint64_t length)
{
    const uint64_t at = packing->sink.written;
    uint8_t head[24], tail[24];
    uint64_t b;
    padic_result result;
    padici_store32(head, PADICI_END_MARK);
    padici_store32(head + 4, 0);
    padici_store64(head + 8, blocks);
    padici_store64(head + 16, length);
    for (b = 0; b < blocks; b++) padici_store64(offsets + b, offsets[b]);
    padici_store64(tail, at);
    padici_store64(tail + 8, padici_index_sum(head, offsets, (size_t)blocks, tail));
    memcpy(tail + 16, "PADC-END", 8);
    result = padici_emit(&packing->sink, head, 24);
    if (!result) result = padici_emit(&packing->sink, offsets, (size_t)blocks * 8);
    if (!result) result = padici_emit(&packing->sink, tail, 24);
    return result;
}

// a - b and a b, a, b >= 0, rounded down. The error of the rounding is known exactly (Knuth's
// two-sum; Dekker's product of halves of the mantissas).
static double padici_down(double x)
{
    return x > 0 ? padici_double_of(padici_bits_of(x) - 1) : x;
}

static double padici_product_down(double a, double b)
{
    const double p = a * b, split = 134217729.0;
    double ah, al, bh, bl;
    if (!(p <= DBL_MAX)) return DBL_MAX;
    if (a > 1e290 || b > 1e290 || p < 1e-280) return padici_down(p); // halves would not be exact
    ah = a * split, ah = ah - (ah - a), al = a - ah;
    bh = b * split, bh = bh - (bh - b), bl = b - bh;
    return ((ah * bh - p) + ah * bl + al * bh) + al * bl < 0 ? padici_down(p) : p;
}

static double padici_difference_down(double a, double b)
{
    const double d = a - b, z = d - a;
    if (!(d <= DBL_MAX)) return DBL_MAX;
    return (a - (d - z)) + (-b - z) < 0 ? padici_down(d) : d;
}

// The spread of the finite values of an array, rounded down.
// The values of one worker's blocks: least and greatest, of integers in unsigned order.
typedef struct padici_range {
    double low, high;
    uint64_t first, last;
    int any;
} padici_range;

static void padici_range_task(void *arg, uint32_t task)
{
    padici_packing *packing = (padici_packing *)arg;
    padici_work *w = packing->work + task;
    padici_range range;
    padici_box box;
    uint64_t b;
    size_t i;
    memset(&range, 0, sizeof range);
    for (b = task; b < packing->header.grid.total; b += packing->workers) {
        (void)padici_load_block(packing, b, w->raw, &box);
        for (i = 0; i < box.n; i++) {
            const uint64_t bits = padici_element(w->raw, i, box.size);
            if (padici_is_float(box.dtype)) {
                const double x = padici_value(box.dtype, bits);
                if (!(x - x == 0)) continue;
                if (!range.any || x < range.low) range.low = x;
                if (!range.any || x > range.high) range.high = x;
            } else {
                const uint64_t x = padici_ordered(box.dtype, bits, box.size) +
                                   (padici_is_signed(box.dtype) ? UINT64_C(1) << 63 : 0);
                if (!range.any || x < range.first) range.first = x;
                if (!range.any || x > range.last) range.last = x;
            }
            range.any = 1;
        }
    }
    memcpy(w->words, &range, sizeof range);
}

static double padici_measure_range(padici_packing *packing)
{
    const padic_dtype dtype = padici_scalar(packing->header.grid.dtype);
    padici_range all, part;
    uint32_t i;
    memset(&all, 0, sizeof all);
    padici_parallel(packing->jobs, packing->workers, padici_range_task, packing);
    for (i = 0; i < packing->workers; i++) {
        memcpy(&part, packing->work[i].words, sizeof part);
        if (!part.any) continue;
        if (!all.any || part.low < all.low) all.low = part.low;
        if (!all.any || part.high > all.high) all.high = part.high;
        if (!all.any || part.first < all.first) all.first = part.first;
        if (!all.any || part.last > all.last) all.last = part.last;
        all.any = 1;
    }
    if (!all.any) return 0;
    if (padici_is_float(dtype)) return padici_difference_down(all.high, all.low);
    all.last -= all.first;
    if (all.last >> 53 == 0) return (double)(int64_t)all.last;
    return padici_down((double)(int64_t)(all.last >> 1) * 2); // the conversion may have gone up
}

// The bound of one scalar; a complex number's error is shared by its parts.
static double padici_scalar_bound(const padic_codec_desc *desc, double range)
{
    const double absolute = desc->bound_mode == PADIC_BOUND_RANGE
                                ? padici_product_down(desc->bound, range)
                                : desc->bound;
    return padici_parts(desc->tensor.dtype) == 1
               ? absolute
               : padici_product_down(absolute, 0.70710678118654746);
}

static void padici_measure_bound(const padic_codec_desc *desc, padici_packing *packing)
{
    const int asked = desc->bound_mode == PADIC_BOUND_RANGE && !(desc->range > 0);
    double absolute;
    packing->bound.mode = desc->bound_mode;
    packing->bound.pointwise = desc->bound;
    if (desc->bound_mode == PADIC_BOUND_NONE || desc->bound_mode >= PADIC_BOUND_POINTWISE) return;
    absolute = padici_scalar_bound(desc, asked ? padici_measure_range(packing) : desc->range);
    packing->header.bound_absolute = packing->bound.absolute = absolute;
    if (!(absolute > 0)) packing->bound.mode = PADIC_BOUND_NONE; // all values are equal
}

// Bounds of the layers before the last: coarser by 16 each; where that is lossless, from 1/64 of
// the range down.
static void padici_layer_bounds(const padic_codec_desc *desc, padici_packing *packing)
{
    const uint32_t planes = packing->header.planes;
    double coarse = packing->bound.absolute;
    uint32_t k;
    packing->layer = planes - 1;
    packing->layers[planes - 1] = packing->bound;
    if (planes == 1) return;
    if (packing->bound.mode == PADIC_BOUND_NONE || packing->bound.mode == PADIC_BOUND_POINTWISE) {
        coarse = (desc->range > 0 ? desc->range : padici_measure_range(packing)) / 4;
        for (k = 0; k < planes; k++) coarse /= 16;
    }
    for (k = planes - 1; k-- > 0;) {
        coarse = coarse < DBL_MAX / 16 ? coarse * 16 : DBL_MAX;
        packing->layers[k].mode = coarse > 0 ? PADIC_BOUND_ABSOLUTE : PADIC_BOUND_NONE;
        packing->layers[k].absolute = coarse;
        packing->layers[k].pointwise = 0;
    }
}

// All blocks with a bound on trial; their size (with header and index) and the squares of errors.
static uint64_t padici_try_bound(const padic_codec_desc *desc, padici_packing *packing,
                                 double absolute, uint64_t *offsets)
{
    const padici_sink sink = packing->sink;
    const uint64_t total = packing->header.grid.total;
    uint64_t size;
    uint32_t layer;
    memset(&packing->sink, 0, sizeof packing->sink); // counts
    packing->bound.mode = absolute > 0 ? PADIC_BOUND_ABSOLUTE : PADIC_BOUND_NONE;
    packing->bound.absolute = packing->header.bound_absolute = absolute;
    padici_layer_bounds(desc, packing);
    packing->measuring = 1;
    packing->squares = 0;
    for (layer = 0; layer < packing->header.planes; layer++) {
        packing->layer = layer;
        packing->squares = 0; // of the last layer
        (void)padici_pack_blocks(packing, 0, total, offsets);
    }
    packing->measuring = 0;
    size = packing->sink.written + packing->header.size + PADICI_INDEX_FIXED +
           8 * total * packing->header.planes;
    packing->sink = sink;
    return size;
}

// The bound with which no mean square is larger than asked for: of complex numbers a part has half.
static double padici_least_rms(const padic_codec_desc *desc)
{
    return padici_parts(desc->tensor.dtype) == 2
               ? padici_product_down(desc->bound, 0.70710678118654746)
               : desc->bound;
}

// The largest bound whose errors keep the mean square. Errors spread evenly over a step give the
// square root of 3; a bound that is the target itself always does.
static void padici_search_rms(const padic_codec_desc *desc, padici_packing *packing,
                              uint64_t *offsets)
{
    const padici_grid *grid = &packing->header.grid;
    const double least = padici_least_rms(desc);
    double allowed, best = 0, factor = 1.71875, count = 0;
    uint64_t b;
    uint32_t k;
    padici_box box;
    size_t i;
    for (b = 0; b < grid->total; b++) {
        (void)padici_load_block(packing, b, packing->work->raw, &box);
        if (!padici_is_float(box.dtype)) {
            count += (double)box.n;
            continue;
        }
        for (i = 0; i < box.n; i++) {
            const double x = padici_value(box.dtype,
                                          padici_element(packing->work->raw, i, box.size));
            count += x - x == 0;
        }
    }
    if (padici_parts(grid->dtype) == 2) count *= 0.5;
    // (1 - 2^-20): the sums are rounded
    allowed = desc->bound * desc->bound * (1 - 1.0 / 1048576) * count;
    for (k = 0; k < 12 && !packing->steps.stop; k++) {
        if (!(least * factor < 1e300)) break;
        (void)padici_try_bound(desc, packing, least * factor, offsets);
        if (packing->squares <= allowed && allowed < DBL_MAX && allowed > 1e-290) {
            best = least * factor;
            if (factor < 1.71875 || factor > 16) break;
            factor *= 1.25;
        } else {
            if (best > 0 || factor < 1.125) break;
            factor *= 0.9375;
        }
    }
    if (!(best > 0)) best = least;
    else packing->allowed = allowed;
    packing->bound.mode = PADIC_BOUND_ABSOLUTE;
    packing->bound.absolute = packing->header.bound_absolute = best;
}

// The smallest bound, in quarter powers of two of the range, that gives no more bytes. 0: there is
// none; the size at the largest bound is in *size.
static int padici_search_fixed(const padic_codec_desc *desc, padici_packing *packing,
                               uint64_t *offsets, uint64_t *size)
{
    static const double quarter[4] = {1, 0.8408964152537145, 0.7071067811865476,
                                      0.5946035575013605};
    const double range = padici_measure_range(packing);
    const uint64_t most = desc->bound < 9e15 ? (uint64_t)desc->bound : UINT64_C(9000000000000000);
    uint32_t low = 0, high = 256, i; // low fits, high does not
    *size = padici_try_bound(desc, packing, 0, offsets);
    if (*size <= most) return 1;
    *size = padici_try_bound(desc, packing, range, offsets);
    if (*size > most) return 0;
    while (high - low > 1 && !packing->steps.stop) {
        const uint32_t middle = (low + high) / 2;
        double step = range * quarter[middle % 4];
        for (i = 0; i < middle / 4; i++) step *= 0.5;
        if (padici_try_bound(desc, packing, step, offsets) <= most) low = middle;
        else high = middle;
    }
    packing->bound.mode = PADIC_BOUND_ABSOLUTE;
    packing->bound.absolute = range * quarter[low % 4];
    for (i = 0; i < low / 4; i++) packing->bound.absolute *= 0.5;
    packing->header.bound_absolute = packing->bound.absolute;
    return 1;
}

static uint32_t padici_workers(const padic_jobs *jobs, uint64_t tasks)
{
    uint32_t workers = jobs && jobs->enqueue && jobs->workers > 1 ? jobs->workers : 1;
#ifndef PADICI_SWAP
    tasks = 1;
#endif
    if (workers > 64) workers = 64;
    if (workers > tasks) workers = tasks ? (uint32_t)tasks : 1;
    return workers;
}

PADIC_API size_t padic_codec_bound(const padic_codec_desc *desc)
{
    padici_header header;
    const padici_grid *grid = &header.grid;
    uint64_t size, elements = 1;
    uint32_t k;
    if (padici_codec_check(desc, PADICI_CHECK_SIZES, &header)) return 0;
    for (k = 0; k < grid->axes; k++) elements *= grid->shape[k];
    size = elements * grid->element;
    if (grid->total > UINT64_MAX / 512 || size > UINT64_MAX / 16) return 0;
    size += grid->total * (PADICI_FRAME_SIZE + 1 + PADICI_PAYLOAD_PAD + 8);
    size = size * header.planes + header.size + PADICI_INDEX_FIXED;
    return size > SIZE_MAX / 2 ? 0 : (size_t)size;
}

PADIC_API size_t padic_codec_scratch_bound(const padic_codec_desc *desc)
{
    padici_header header;
    uint64_t size;
    if (padici_codec_check(desc, PADICI_CHECK_SIZES, &header)) return 0;
    if (header.grid.total > SIZE_MAX / 512) return 0;
    size = padici_packing_memory(&header.grid, 1, 1) + 8 * header.grid.total * header.planes;
    return size > SIZE_MAX / 2 ? 0 : (size_t)size;
}

// Working memory: the caller's scratch for as many workers as fit, or from the allocator.
typedef struct padici_memory {
    const padic_allocator *allocator;
    uint8_t *at;
    size_t size; // 0: the caller's
} padici_memory;

static padic_result padici_memory_take(padici_memory *memory, padic_context *context,
                                       const padic_allocator *own, void *scratch,
                                       size_t scratch_size, uint64_t need)
{
    memory->size = 0;
    memory->allocator = own ? own : padici_allocator(context);
    if (scratch) {
        if (need > scratch_size) return PADIC_ERROR_CAPACITY;
        if ((uintptr_t)scratch % 64) return PADIC_ERROR_ARGUMENT;
        memory->at = (uint8_t *)scratch;
        return PADIC_OK;
    }
    if (need > SIZE_MAX / 2) return PADIC_ERROR_LIMIT;
    memory->at = (uint8_t *)padici_alloc(memory->allocator, (size_t)need, 64);
    memory->size = (size_t)need;
    return memory->at ? PADIC_OK : PADIC_ERROR_MEMORY;
}

static void padici_memory_give(padici_memory *memory)
{
    if (memory->size) padici_free(memory->allocator, memory->at, memory->size);
}

static void padici_fill_report(const padici_header *header, padic_codec_report *report);

// Tells what became of the blocks: to the caller's report, if there is one, and to the log.
static void padici_report_blocks(padic_context *context, const padici_header *header,
                                 uint64_t written, uint64_t reencoded, padic_codec_report *report)
{
    const padic_logger *log = padici_logger(context);
    padici_text text;
    char space[160];
    if (report) {
        padici_fill_report(header, report);
        report->packed_size = written;
        report->blocks_reencoded = reencoded;
    }
    if (!reencoded || !log) return;
    padici_text_begin(&text, space, sizeof space);
    padici_text_add(&text, "codec_pack: blocks stored as they are, as they did not come back: ");
    padici_text_number(&text, reencoded, 1);
    padici_text_add(&text, "; nothing is lost, but please report the array");
    padici_log_write(log, PADIC_LOG_WARNING, 0, space);
}

static void padici_report_packed(padic_context *context, const padici_packing *packing,
                                 padic_codec_report *report)
{
    uint64_t reencoded = 0;
    uint32_t i;
    for (i = 0; i < packing->workers; i++) reencoded += packing->work[i].reencoded;
    padici_report_blocks(context, &packing->header, packing->sink.written, reencoded, report);
}

// The header and the frames of all layers.
static padic_result padici_pack_planes(const padic_codec_desc *desc, padici_packing *packing,
                                       uint64_t *offsets)
{
    const uint64_t total = packing->header.grid.total;
    uint32_t layer, k;
    padic_result result;
    padici_layer_bounds(desc, packing);
    packing->sink.written = 0;
    result = padici_emit_header(packing);
    for (layer = 0; layer < packing->header.planes && !result; layer++) {
        for (k = 0; k < packing->workers; k++) packing->work[k].squares = 0; // of the last layer
        packing->layer = layer;
        packing->above = layer && packing->sink.written <= packing->sink.capacity
                             ? packing->sink.dst
                             : NULL;
        result = padici_pack_blocks(packing, 0, total, offsets + layer * total);
    }
    return result;
}

static double padici_squares(const padici_packing *packing)
{
    double sum = 0;
    uint32_t k;
    for (k = 0; k < packing->workers; k++) sum += packing->work[k].squares;
    return sum;
}

static padic_result padici_pack_all(padic_context *context, const padic_codec_desc *desc,
                                    padici_packing *packing)
{
    const padici_grid *grid = &packing->header.grid;
    padici_memory memory;
    uint64_t *offsets, count;
    uint64_t work, index;
    uint32_t blocks;
    padic_result result = padici_codec_check(desc, PADICI_CHECK_PACK, &packing->header);
    if (!result) result = padici_tensor_check(&desc->tensor, &count);
    if (result) return result;
    if (grid->total > SIZE_MAX / 512) return PADIC_ERROR_LIMIT;
    padici_take_aside(&desc->reference, &packing->reference);
    padici_take_aside(&desc->importance, &packing->importance);
    padici_tensor_dense(&desc->tensor, packing->stride);
    if (desc->tensor.rank == 0) packing->stride[0] = 1;
    packing->data = (const uint8_t *)desc->tensor.data;
    packing->jobs = padici_jobs(context);
    padici_codec_pick(context, &packing->loops);
    packing->workers = padici_workers(packing->jobs, grid->total);
    index = 8 * grid->total * packing->header.planes;
    blocks = grid->span > PADICI_BATCH / 2 ? 2 * grid->span : PADICI_BATCH;
    while (packing->workers > 1 &&
           padici_packing_memory(grid, packing->workers, blocks) + index >
               (desc->scratch ? desc->scratch_size : SIZE_MAX / 2))
        if (blocks > PADICI_BATCH) blocks /= 2;
        else packing->workers--;
    work = padici_packing_memory(grid, packing->workers, blocks);
    result = padici_memory_take(&memory, context, desc->allocator, desc->scratch,
                                desc->scratch_size, work + index);
    if (result) return result;
    padici_packing_place(packing, desc, blocks, memory.at);
    offsets = (uint64_t *)(void *)(memory.at + work);
    padici_steps_begin(&packing->steps, desc->progress, padici_progress(context),
                       desc->bound_mode < PADIC_BOUND_RMS ? grid->total * packing->header.planes
                                                          : 0);
    padici_measure_bound(desc, packing);
    if (desc->bound_mode == PADIC_BOUND_RMS) padici_search_rms(desc, packing, offsets);
    if (desc->bound_mode == PADIC_BOUND_FIXED &&
        !padici_search_fixed(desc, packing, offsets, &packing->sink.written))
        result = PADIC_ERROR_LIMIT;
    if (packing->steps.stop) result = PADIC_ERROR_CANCELLED;
    if (!result) result = padici_pack_planes(desc, packing, offsets);
    if (!result && packing->allowed > 0 &&
        padici_squares(packing) > packing->allowed * (1 + 1.0 / 2097152)) { // another order of sums
        // not what it was on trial; this bound needs none
        packing->allowed = 0;
        packing->bound.absolute = packing->header.bound_absolute = padici_least_rms(desc);
        result = padici_pack_planes(desc, packing, offsets);
    }
    if (!result) result = padici_steps_end(&packing->steps);
    if (!result)
        result = padici_emit_index(packing, offsets, grid->total * packing->header.planes,
                                   grid->shape[0]);
    if (!result && desc->bound_mode == PADIC_BOUND_FIXED &&
        !((double)packing->sink.written <= desc->bound))
        result = PADIC_ERROR_LIMIT;
    if (!result) padici_report_packed(context, packing, desc->report);
    padici_memory_give(&memory);
    return result;
}

PADIC_API padic_result padic_codec_pack(padic_context *context, const padic_codec_desc *desc,
                                        void *dst, size_t capacity, size_t *size)
{
    padici_packing packing;
    padic_result result = PADIC_ERROR_ARGUMENT;
    memset(&packing, 0, sizeof packing);
    packing.sink.dst = (uint8_t *)dst;
    packing.sink.capacity = capacity;
    if (size) *size = 0;
    if (size && (dst || !capacity)) result = padici_pack_all(context, desc, &packing);
    if (result == PADIC_ERROR_LIMIT && size) *size = (size_t)packing.sink.written; // FIXED
    if (result) return padici_codec_fail(context, "codec_pack", &packing.header, result);
    *size = (size_t)packing.sink.written;
    if (packing.sink.written <= capacity) return PADIC_OK;
    return padici_codec_fail(context, "codec_pack", &packing.header, PADIC_ERROR_CAPACITY);
}

// room: src/codec/pack_stream.c
// ---- packing a stream

struct padic_codec_packer {
    padici_packing packing;
    padic_context *context;
    const padic_allocator *allocator;
    size_t total; // bytes of this object and what follows it
    uint8_t *slab; // a row of blocks, or as many as the workers want
    uint64_t row_bytes, slab_bytes, slab_rows, held, rows;
    uint64_t *offsets, known, room; // of the blocks written
    padic_codec_report *report;
    padic_result failed;
};

PADIC_API padic_result padic_codec_pack_begin(padic_context *context, const padic_codec_desc *desc,
                                              padic_codec_write write, void *user,
                                              padic_codec_packer **packer)
{
    padici_header header;
    padici_grid *grid = &header.grid;
    const padic_allocator *allocator;
    padic_codec_packer *p;
    const padic_jobs *jobs = padici_jobs(context);
    uint64_t row = 1, across = 1, deep, slab, total;
    uint32_t workers, k;
    padic_result result;
    if (packer) *packer = NULL;
    if (!packer || !write)
        return padici_codec_fail(context, "codec_pack_begin", NULL, PADIC_ERROR_ARGUMENT);
    result = padici_codec_check(desc, PADICI_CHECK_STREAM, &header);
    if (result) return padici_codec_fail(context, "codec_pack_begin", &header, result);
    for (k = 1; k < grid->axes; k++) {
        row *= grid->shape[k];
        across *= grid->blocks[k];
    }
    row *= grid->element;
    workers = padici_workers(jobs, header.flags ? UINT64_MAX : grid->total);
    for (;; workers--) { // as many as the address space allows
        deep = workers > 1 && across ? (2 * workers + across - 1) / across : 1;
        if (!header.flags && deep > grid->blocks[0]) deep = grid->blocks[0] ? grid->blocks[0] : 1;
        if (padici_mul_u64(row, grid->block[0], &slab) && slab <= SIZE_MAX / 4 / deep) {
            slab *= deep;
            total = ((sizeof *p + 63) & ~(size_t)63) + ((slab + 63) & ~UINT64_C(63)) +
                    padici_packing_memory(grid, workers, PADICI_BATCH);
            if (total <= SIZE_MAX / 2) break;
        }
        if (workers == 1)
            return padici_codec_fail(context, "codec_pack_begin", &header, PADIC_ERROR_LIMIT);
    }
    allocator = desc->allocator ? desc->allocator : padici_allocator(context);
    p = (padic_codec_packer *)padici_alloc(allocator, (size_t)total, 64);
    if (!p) return padici_codec_fail(context, "codec_pack_begin", &header, PADIC_ERROR_MEMORY);
    memset(p, 0, sizeof *p);
    p->packing.header = header;
    p->packing.sink.write = write;
    p->packing.sink.user = user;
    p->packing.jobs = jobs;
    padici_codec_pick(context, &p->packing.loops);
    p->packing.workers = workers;
    p->context = context;
    p->allocator = allocator;
    p->report = desc->report;
    p->total = (size_t)total;
    p->slab = (uint8_t *)p + ((sizeof *p + 63) & ~(size_t)63);
    p->row_bytes = row;
    p->slab_bytes = slab;
    p->slab_rows = deep * grid->block[0];
    padici_packing_place(&p->packing, desc, PADICI_BATCH, p->slab + ((slab + 63) & ~UINT64_C(63)));
    padici_measure_bound(desc, &p->packing);
    padici_layer_bounds(desc, &p->packing);
    padici_take_aside(&desc->reference, &p->packing.reference);
    padici_take_aside(&desc->importance, &p->packing.importance);
    padici_dense_strides(grid->shape, grid->axes, p->packing.stride);
    p->packing.data = p->slab;
    padici_steps_begin(&p->packing.steps, desc->progress, padici_progress(context),
                       header.flags ? 0 : grid->total);
    result = padici_emit_header(&p->packing);
    if (result) {
        padici_free(allocator, p, p->total);
        return padici_codec_fail(context, "codec_pack_begin", &header, result);
    }
    *packer = p;
    return PADIC_OK;
}

// Packs the rows in the slab: whole rows of blocks, or the last ones.
static padic_result padici_pack_slab(padic_codec_packer *p)
{
    padici_grid *grid = &p->packing.header.grid;
    const uint64_t rows = p->held / p->row_bytes, length = grid->shape[0];
    uint64_t across = 1;
    padic_result result;
    uint32_t k;
    for (k = 1; k < grid->axes; k++) across *= grid->blocks[k];
    across *= (rows + grid->block[0] - 1) / grid->block[0];
    if (p->known + across > p->room) {
        const uint64_t room = 2 * (p->known + across) + 64;
        uint64_t *more = (uint64_t *)padici_alloc(p->allocator, (size_t)(room * 8), 64);
        if (!more) return PADIC_ERROR_MEMORY;
        if (p->known) memcpy(more, p->offsets, (size_t)p->known * 8);
        if (p->offsets) padici_free(p->allocator, p->offsets, (size_t)p->room * 8);
        p->offsets = more;
        p->room = room;
    }
    p->packing.first_row = p->rows;
    grid->shape[0] = p->rows + rows; // as far as it is known: the last block may be short
    result = padici_pack_blocks(&p->packing, p->known, across, p->offsets + p->known);
    grid->shape[0] = length;
    p->known += across;
    p->rows += rows;
    p->held = 0;
    return result;
}

PADIC_API padic_result padic_codec_pack_push(padic_codec_packer *packer, const void *data,
                                             size_t size)
{
    const uint8_t *from = (const uint8_t *)data;
    const padici_grid *grid;
    if (!packer || (!data && size)) return PADIC_ERROR_ARGUMENT;
    grid = &packer->packing.header.grid;
    while (size && !packer->failed) {
        uint64_t left = packer->slab_bytes - packer->held, rows = grid->shape[0] - packer->rows;
        if (rows < packer->slab_rows && rows * packer->row_bytes < left + packer->held)
            left = rows * packer->row_bytes - packer->held;
        if (left == 0) {
            packer->failed = PADIC_ERROR_MISMATCH; // more than the shape holds
            break;
        }
        if (left > size) left = size;
        memcpy(packer->slab + packer->held, from, (size_t)left);
        packer->held += left;
        from += left;
        size -= (size_t)left;
        if (packer->held == packer->slab_bytes) packer->failed = padici_pack_slab(packer);
    }
    if (!packer->failed) return PADIC_OK;
    return padici_codec_fail(packer->context, "codec_pack_push", NULL, packer->failed);
}

PADIC_API padic_result padic_codec_pack_end(padic_codec_packer *packer, uint64_t *size)
{
    padic_context *context;
    padici_grid *grid;
    padic_result result;
    if (size) *size = 0;
    if (!packer) return PADIC_ERROR_ARGUMENT;
    context = packer->context;
    grid = &packer->packing.header.grid;
    result = packer->failed;
    if (!result && packer->held) {
        if (packer->held % packer->row_bytes)
            result = PADIC_ERROR_MISMATCH; // it ends inside a row
        else
            result = padici_pack_slab(packer);
    }
    if (!result && grid->shape[0] == PADIC_CODEC_UNKNOWN)
        grid->shape[0] = packer->rows;
    if (!result && packer->rows != grid->shape[0] && packer->row_bytes)
        result = PADIC_ERROR_MISMATCH;
    if (!result)
        result = padici_steps_end(&packer->packing.steps);
    if (!result)
        result = padici_emit_index(&packer->packing, packer->offsets, packer->known,
                                   grid->shape[0]);
    if (!result) padici_report_packed(context, &packer->packing, packer->report);
    if (size) *size = packer->packing.sink.written;
    if (packer->offsets) padici_free(packer->allocator, packer->offsets, (size_t)packer->room * 8);
    padici_free(packer->allocator, packer, packer->total);
    return result ? padici_codec_fail(context, "codec_pack_end", NULL, result) : PADIC_OK;
}

// room: src/codec/unpack.c
// ---- unpacking

// Blocks that a box touches, decoded by several workers; without a destination only verified.
typedef struct padici_unpacking {
    padici_header header;
    const uint8_t *src, *offsets;
    uint64_t size;
    uint64_t begin[PADIC_MAX_RANK], count[PADIC_MAX_RANK]; // the box
    uint64_t from[PADIC_MAX_RANK], blocks[PADIC_MAX_RANK]; // the blocks that it touches
    uint64_t total, bytes;      // blocks; bytes of the destination
    const padic_tensor *tensor; // NULL: verify
    int64_t stride[PADIC_MAX_RANK];
    padici_codec_loops loops;
    padici_work *work;
    uint64_t *bad; // of each worker: its first damaged block
    uint32_t workers;
    long lock;       // for:
    uint64_t claims; // blocks that were handed out
    uint32_t planes; // layers to decode
    padici_aside reference;
    padici_steps steps; // blocks
} padici_unpacking;

// The part of a decoded block (in w->raw) that lies in the box, to its place in the destination.
static void padici_store_block(const padici_unpacking *unpacking, padici_work *w,
                               const padici_box *box, const uint64_t *begin,
                               const uint64_t *extent)
{
    const padici_grid *grid = &unpacking->header.grid;
    const padic_tensor *tensor = unpacking->tensor;
    const uint8_t *from = w->raw;
    uint8_t *to = (uint8_t *)tensor->data;
    uint64_t count[PADIC_MAX_RANK];
    int64_t dense[PADIC_MAX_RANK];
    uint32_t k;
    padici_swap_elements(w->raw, box->n, box->size);
    padici_dense_strides(extent, grid->axes, dense);
    for (k = 0; k < grid->axes; k++) {
        const uint64_t first = begin[k] > unpacking->begin[k] ? begin[k] : unpacking->begin[k];
        const uint64_t end = begin[k] + extent[k] < unpacking->begin[k] + unpacking->count[k]
                                 ? begin[k] + extent[k]
                                 : unpacking->begin[k] + unpacking->count[k];
        count[k] = end - first;
        from += (int64_t)(first - begin[k]) * dense[k] * (int64_t)grid->element;
        to += (int64_t)(first - unpacking->begin[k]) * unpacking->stride[k] *
              (int64_t)padic_dtype_size(tensor->dtype);
    }
    padici_copy_box(to, unpacking->stride, tensor->dtype, from, dense, grid->dtype, count,
                    grid->axes, unpacking->loops.copy, unpacking->bytes);
}

// What to do with a block when it is decoded.
enum { PADICI_BLOCK_STORE = 1, PADICI_BLOCK_KEEP = 2 };

// `frame` has a frame for each layer that is decoded.
static int padici_unpack_block(const padici_unpacking *unpacking, padici_work *w, uint64_t index,
                               const padici_frame *frame, int use)
{
    const padici_grid *grid = &unpacking->header.grid;
    const uint32_t slot = (uint32_t)(index % grid->span);
    uint64_t begin[PADIC_MAX_RANK], extent[PADIC_MAX_RANK];
    uint8_t *const own = w->raw;
    padici_box box;
    uint32_t layer;
    padici_grid_block(grid, index, begin, extent, &box);
    padici_load_reference(w, &unpacking->reference, grid, index);
    w->mismatch = 0;
    for (layer = 0; layer < unpacking->planes; layer++) {
        if (layer) padici_next_layer(w, &box, index);
        if (frame[layer].rows == extent[0] &&
            padici_decode_block(grid, w, &box, index, frame + layer, unpacking->planes == 1))
            continue;
        w->raw = own;
        return 0;
    }
    if (use & PADICI_BLOCK_KEEP) { // others look back at it; where it begins is known
        memcpy(w->window + w->starts[slot] * box.size, w->raw, box.n * box.size);
        w->starts[slot + 1] = w->starts[slot] + box.n;
        w->held |= UINT64_C(1) << slot;
    }
    if (unpacking->tensor && (use & PADICI_BLOCK_STORE))
        padici_store_block(unpacking, w, &box, begin, extent);
    w->raw = own;
    return 1;
}

// The frames of a block, one a layer. 0: one is not there.
static int padici_find_frames(const padici_unpacking *unpacking, uint64_t index,
                              padici_frame *frame)
{
    uint32_t k;
    for (k = 0; k < unpacking->planes; k++) {
        const uint64_t number = index + k * unpacking->header.grid.total;
        if (!padici_frame_of(unpacking->src, unpacking->size, &unpacking->header,
                             unpacking->offsets, number, frame + k))
            return 0;
    }
    return 1;
}

// Block number j of those that the box touches.
static uint64_t padici_touched_block(const padici_unpacking *unpacking, uint64_t j)
{
    const padici_grid *grid = &unpacking->header.grid;
    uint64_t place[PADIC_MAX_RANK], index = 0;
    uint32_t k;
    for (k = grid->axes; k-- > 0;) {
        place[k] = unpacking->from[k] + j % unpacking->blocks[k];
        j /= unpacking->blocks[k];
    }
    for (k = 0; k < grid->axes; k++) index = index * grid->blocks[k] + place[k];
    return index;
}

// Block number j of those that the box touches, and what hangs together with it: all blocks of the
// super-block that look back at each other. The first of them that the box touches brings them.
static void padici_unpack_group(padici_unpacking *unpacking, uint32_t task, uint64_t j)
{
    const padici_grid *grid = &unpacking->header.grid;
    const uint64_t super = padici_touched_block(unpacking, j) / grid->span;
    const uint32_t slot = (uint32_t)(padici_touched_block(unpacking, j) % grid->span);
    padici_work *w = unpacking->work + task;
    uint64_t wanted = 0, need, keep = 0, first = 0; // `first`: bits where a group begins
    uint64_t begin[PADIC_MAX_RANK], extent[PADIC_MAX_RANK];
    uint32_t lowest = PADICI_WINDOW_MOST, k, r;
    padici_frame frame[PADICI_MAX_PLANES];
    int found;
    while (j > 0 && padici_touched_block(unpacking, j - 1) / grid->span == super) j--;
    for (; j < unpacking->total && padici_touched_block(unpacking, j) / grid->span == super; j++)
        wanted |= UINT64_C(1) << padici_touched_block(unpacking, j) % grid->span;
    need = wanted;
    for (k = grid->span; k-- > 0;) {
        if (!(need >> k & 1)) continue;
        if (grid->span > 1 && padici_find_frames(unpacking, super * grid->span + k, frame)) {
            const uint32_t reach = padici_reach(frame->payload, frame->size);
            for (r = 1; r <= reach && r <= k; r++) keep |= UINT64_C(1) << (k - r);
            need |= keep;
            if (reach && k - padici_least(reach, k) < lowest)
                lowest = k - (uint32_t)padici_least(reach, k);
        }
        if (lowest >= k) first |= UINT64_C(1) << k;
    }
    for (r = slot; !(first >> r & 1); r--)
        if (wanted >> (r - 1) & 1) return;
    padici_window_enter(w, super);
    for (k = 0; k < grid->span && (k <= r || !(first >> k & 1)); k++) {
        const uint64_t index = super * grid->span + k;
        const int use = (int)(wanted >> k & 1) * PADICI_BLOCK_STORE +
                        (int)(keep >> k & 1) * PADICI_BLOCK_KEEP;
        padici_box box;
        if (keep && index < grid->total) {
            padici_grid_block(grid, index, begin, extent, &box);
            w->starts[k + 1] = w->starts[k] + box.n;
        }
        if (!(need >> k & 1) || k < r) continue;
        found = padici_find_frames(unpacking, index, frame);
        if ((!found || !padici_unpack_block(unpacking, w, index, frame, use)) &&
            (wanted >> k & 1) && index < unpacking->bad[task]) {
            unpacking->bad[task] = index;
            w->refused = found && w->mismatch;
        }
    }
}

static void padici_unpack_task(void *arg, uint32_t task)
{
    padici_unpacking *unpacking = (padici_unpacking *)arg;
    uint64_t j = 0;
    unpacking->bad[task] = UINT64_MAX;
    while (j < unpacking->total) {
        padici_lock(&unpacking->lock, PADICI_LOCK);
        j = unpacking->claims++;
        padici_lock(&unpacking->lock, PADICI_UNLOCK);
        if (j >= unpacking->total) return;
        padici_unpack_group(unpacking, task, j);
        if (padici_steps_more(&unpacking->steps, 1)) return;
    }
}

// What is said of the first damaged block, which perhaps wanted another reference.
static padic_result padici_unpack_refusal(const padici_unpacking *unpacking, int mismatch)
{
    return mismatch && unpacking->reference.data ? PADIC_ERROR_MISMATCH : PADIC_ERROR_CHECKSUM;
}

// Whether a frame that does not fit into the stream is damaged: its head is no block's of this
// grid.
static int padici_not_cut(const padici_unpacking *unpacking, uint64_t at, uint64_t index)
{
    const padici_grid *grid = &unpacking->header.grid;
    uint64_t begin[PADIC_MAX_RANK], extent[PADIC_MAX_RANK];
    padici_box box;
    if (unpacking->size - at < PADICI_FRAME_SIZE) return 0;
    padici_grid_block(grid, index, begin, extent, &box);
    return padici_load32(unpacking->src + at) > padici_slot_size(grid) - PADICI_FRAME_SIZE ||
           padici_load32(unpacking->src + at + 4) != extent[0];
}

// A stream without its index: the blocks from the front, as far as they are whole. Each layer is
// walked through by itself, after those before it. A damaged block before the end is told by its
// code, as one who reads from the front sees it.
static uint64_t padici_unpack_front(padici_unpacking *unpacking, padic_result *result)
{
    const padici_grid *grid = &unpacking->header.grid;
    uint64_t at[PADICI_MAX_PLANES], index = 0, bad = UINT64_MAX;
    padici_frame frame[PADICI_MAX_PLANES];
    uint32_t k, layer;
    for (layer = 0; layer < unpacking->planes; layer++) {
        at[layer] = layer ? at[layer - 1] : unpacking->header.size;
        for (index = 0; layer && index < grid->total; index++) {
            if (!padici_take_frame(unpacking->src, unpacking->size, at[layer], frame)) return 0;
            at[layer] += PADICI_FRAME_SIZE + frame->size;
        }
    }
    for (index = 0; index < grid->total; index++) {
        uint64_t rest = index;
        int touched = 1;
        for (layer = 0; layer < unpacking->planes && touched; layer++) {
            touched = padici_take_frame(unpacking->src, unpacking->size, at[layer], frame + layer);
            if (touched) at[layer] += PADICI_FRAME_SIZE + frame[layer].size;
            else if (bad == UINT64_MAX && padici_not_cut(unpacking, at[layer], index))
                *result = PADIC_ERROR_CHECKSUM;
        }
        if (!touched) break;
        for (k = grid->axes; k-- > 0;) {
            const uint64_t place = k ? rest % grid->blocks[k] : rest;
            if (k) rest /= grid->blocks[k];
            touched &= place >= unpacking->from[k] &&
                       place - unpacking->from[k] < unpacking->blocks[k];
        }
        padici_window_enter(unpacking->work, index / grid->span);
        if ((touched || grid->span > 1) &&
            !padici_unpack_block(unpacking, unpacking->work, index, frame,
                                 (touched ? PADICI_BLOCK_STORE : 0) |
                                     (grid->span > 1 ? PADICI_BLOCK_KEEP : 0)) &&
            touched && bad == UINT64_MAX) {
            bad = index;
            *result = padici_unpack_refusal(unpacking, unpacking->work->mismatch);
        }
        if (padici_steps_more(&unpacking->steps, (uint64_t)touched)) return bad;
    }
    return bad == UINT64_MAX && index < grid->total ? index : bad;
}

static int padici_may_widen(padic_dtype from, padic_dtype to)
{
    return from == to || (to == PADIC_F64 && (from == PADIC_F32 || from == PADIC_F16 ||
                                              from == PADIC_BF16)) ||
           (to == PADIC_F32 && (from == PADIC_F16 || from == PADIC_BF16));
}

// The reference, if the stream needs one, and the layers.
static padic_result padici_unpack_aside(padici_unpacking *unpacking,
                                        const padic_codec_unpack_desc *desc)
{
    padici_header *header = &unpacking->header;
    padic_result result;
    unpacking->planes = header->planes;
    if (desc && desc->planes && desc->planes < header->planes) unpacking->planes = desc->planes;
    if (!(header->features & PADICI_FEATURE_REFERENCE)) return PADIC_OK;
    header->fault = "reference is not the array that the packer had: give that one";
    if (!desc || !desc->reference.data) return PADIC_ERROR_MISMATCH;
    padici_take_aside(&desc->reference, &unpacking->reference);
    result = padici_aside_fits(&desc->reference, header->grid.dtype, &header->grid,
                               header->grid.shape);
    if (!result) header->fault = NULL;
    return result;
}

// Checks box and destination against the array, and finds the blocks that the box touches.
static padic_result padici_unpack_region(padici_unpacking *unpacking,
                                         const padic_codec_unpack_desc *desc, int verify)
{
    padici_header *header = &unpacking->header;
    const padici_grid *grid = &header->grid;
    const uint64_t most = desc && desc->output_limit ? desc->output_limit : UINT64_MAX;
    uint64_t bytes = grid->element;
    int whole = 1;
    uint32_t k;
    for (k = 0; k < grid->rank && !verify; k++) whole &= desc->count[k] == 0 && desc->begin[k] == 0;
    unpacking->total = 1;
    for (k = 0; k < grid->axes; k++) {
        uint64_t last;
        unpacking->begin[k] = whole ? 0 : desc->begin[k];
        unpacking->count[k] = whole ? grid->shape[k] : desc->count[k];
        if (unpacking->begin[k] > grid->shape[k] ||
            unpacking->count[k] > grid->shape[k] - unpacking->begin[k])
            return padici_reject(header, PADIC_ERROR_REGION,
                                "begin and count reach outside the array: see padic_codec_info()");
        unpacking->from[k] = unpacking->begin[k] / grid->block[k];
        last = unpacking->begin[k] + unpacking->count[k];
        unpacking->blocks[k] =
            unpacking->count[k] ? (last - 1) / grid->block[k] + 1 - unpacking->from[k] : 0;
        unpacking->total *= unpacking->blocks[k];
        bytes *= unpacking->count[k];
    }
    if (bytes > most) {
        header->need = bytes;
        return padici_reject(header, PADIC_ERROR_LIMIT, "output_limit is below the array's ");
    }
    if (!verify) {
        const padic_tensor *t = &desc->tensor;
        uint64_t count;
        const padic_result result = padici_tensor_check(t, &count);
        if (result) return padici_reject(header, result, padici_view_fault(t, result));
        if (t->rank != grid->rank || !padici_may_widen(grid->dtype, t->dtype))
            return padici_reject(header, PADIC_ERROR_MISMATCH,
                                "tensor.dtype or rank is not the stream's: see padic_codec_info()");
        for (k = 0; k < grid->rank; k++)
            if (t->shape[k] != unpacking->count[k])
                return padici_reject(header, PADIC_ERROR_MISMATCH,
                                    "tensor.shape is not that of the box, or of the array");
        padici_tensor_dense(t, unpacking->stride);
        if (t->rank == 0) unpacking->stride[0] = 1;
        unpacking->tensor = t;
        unpacking->bytes = count * padic_dtype_size(t->dtype);
    }
    return padici_unpack_aside(unpacking, desc);
}

static uint64_t padici_unpack_memory(const padici_grid *grid, uint32_t workers)
{
    const uint64_t each = padici_work_layout(NULL, grid, 0, NULL);
    return workers * (each + ((sizeof(padici_work) + 63) & ~(size_t)63) + 64);
}

static void padici_unpack_place(padici_unpacking *unpacking, uint8_t *at)
{
    const padici_grid *grid = &unpacking->header.grid;
    const size_t each = padici_work_layout(NULL, grid, 0, NULL);
    uint32_t i;
    unpacking->work = (padici_work *)(void *)at;
    at += unpacking->workers * ((sizeof(padici_work) + 63) & ~(size_t)63);
    unpacking->bad = (uint64_t *)(void *)at;
    at += unpacking->workers * 64;
    for (i = 0; i < unpacking->workers; i++, at += each) {
        (void)padici_work_layout(unpacking->work + i, grid, 0, at);
        unpacking->work[i].loops = &unpacking->loops;
    }
}

static uint64_t padici_unpack_limit(const padic_codec_unpack_desc *desc)
{
    return desc && desc->memory_limit ? desc->memory_limit : PADIC_CODEC_MEMORY;
}

static padic_result padici_unpack_all(padic_context *context, padici_unpacking *all,
                                      const padic_codec_unpack_desc *desc, int verify,
                                      const void *src, size_t size, uint64_t *bad)
{
    padici_memory memory;
    const padic_jobs *jobs = padici_jobs(context);
    const size_t scratch = desc && desc->scratch ? desc->scratch_size : SIZE_MAX / 2;
    const uint64_t limit = padici_unpack_limit(desc);
    padic_result result, index, damage = PADIC_OK;
    uint32_t i;
    memset(all, 0, sizeof *all);
    *bad = UINT64_MAX;
    if (!src)
        return padici_reject(&all->header, PADIC_ERROR_ARGUMENT, "src is NULL: give the stream");
    all->src = (const uint8_t *)src;
    all->size = size;
    result = padici_take_header(all->src, size, &all->header);
    if (result) return result;
    index = padici_take_index(all->src, size, &all->header, &all->offsets);
    // without an index the length of a stream that was written without one is not known
    if (index && (all->header.flags & PADICI_UNKNOWN_LENGTH)) return index;
    result = padici_unpack_region(all, desc, verify);
    if (result) return result;
    all->workers = index ? 1 : padici_workers(jobs, all->total);
    while (all->workers > 1 &&
           (padici_unpack_memory(&all->header.grid, all->workers) > scratch ||
            padici_unpack_memory(&all->header.grid, all->workers) > limit))
        all->workers--;
    if (padici_unpack_memory(&all->header.grid, all->workers) > limit) {
        all->header.need = padici_unpack_memory(&all->header.grid, all->workers);
        return padici_reject(&all->header, PADIC_ERROR_LIMIT,
                            "memory_limit is below what a block needs, ");
    }
    result = padici_memory_take(&memory, context, desc ? desc->allocator : NULL,
                                desc ? desc->scratch : NULL, desc ? desc->scratch_size : 0,
                                padici_unpack_memory(&all->header.grid, all->workers));
    if (result) return result;
    padici_codec_pick(context, &all->loops);
    padici_unpack_place(all, memory.at);
    padici_steps_begin(&all->steps, desc ? desc->progress : NULL, padici_progress(context),
                       all->total);
    if (index) {
        *bad = padici_unpack_front(all, &index);
    } else {
        padici_parallel(jobs, all->workers, padici_unpack_task, all);
        for (i = 0; i < all->workers; i++) {
            if (all->bad[i] >= *bad) continue;
            *bad = all->bad[i];
            damage = padici_unpack_refusal(all, all->work[i].refused);
        }
    }
    padici_memory_give(&memory);
    result = padici_steps_end(&all->steps);
    if (result) return result;
    // a prefix that holds all the layers asked for is enough
    if (index && *bad == UINT64_MAX && all->planes < all->header.planes) return PADIC_OK;
    return index ? index : damage;
}

PADIC_API padic_result padic_codec_unpack(padic_context *context,
                                          const padic_codec_unpack_desc *desc, const void *src,
                                          size_t size)
{
    padici_unpacking all;
    uint64_t bad;
    padic_result result;
    if (!desc) return padici_codec_fail(context, "codec_unpack", NULL, PADIC_ERROR_ARGUMENT);
    result = padici_unpack_all(context, &all, desc, 0, src, size, &bad);
    if (desc->bad_block) *desc->bad_block = bad;
    return result ? padici_codec_fail(context, "codec_unpack", &all.header, result) : PADIC_OK;
}

PADIC_API padic_result padic_codec_verify(padic_context *context,
                                          const padic_codec_unpack_desc *desc, const void *src,
                                          size_t size)
{
    padici_unpacking all;
    uint64_t bad;
    const padic_result result = padici_unpack_all(context, &all, desc, 1, src, size, &bad);
    if (desc && desc->bad_block) *desc->bad_block = bad;
    return result ? padici_codec_fail(context, "codec_verify", &all.header, result) : PADIC_OK;
}

struct padic_codec_unpacker {
    padici_unpacking unpacking;
    padic_context *context;
    const padic_allocator *allocator;
    size_t total;
    padic_codec_read read;
    void *user;
    padici_frame *frames; // of blocks that wait to be decoded, as many as there are workers,
    uint8_t *payload;     // and their payloads
    uint64_t payload_room, payload_step;
    const padic_jobs *jobs;
    uint8_t *slab; // rows of blocks, decoded
    uint64_t deep; // how many rows
    uint64_t row_bytes, held, given, rows, consumed, block;
    uint8_t last[8];        // of the bytes read
    uint64_t frame, places; // frames read, and what their places add to the index's checksum
    uint64_t output_limit, *bad_block;
    padic_tensor tensor;
    padic_result failed;
    int ended;
};

static uint64_t padici_payload_step(const padici_grid *grid)
{
    return (padici_slot_size(grid) + 127) & ~(uint64_t)63;
}

// Working memory of pulling: this many workers, and rows of blocks. UINT64_MAX: no memory holds it.
static uint64_t padici_pull_memory(const padici_grid *grid, uint32_t workers, uint64_t deep)
{
    const uint64_t rows = grid->shape[0] < grid->block[0] ? grid->shape[0] : grid->block[0];
    uint64_t slab = grid->element;
    uint32_t k;
    for (k = 1; k < grid->axes; k++) slab *= grid->shape[k];
    if (!padici_mul_u64(slab, rows, &slab) || !padici_mul_u64(slab, deep, &slab) || slab >> 63)
        return UINT64_MAX;
    return slab + ((sizeof(padic_codec_unpacker) + 63) & ~(size_t)63) + 64 +
           padici_unpack_memory(grid, workers) + workers * (padici_payload_step(grid) + 64);
}

static void padici_fill_report(const padici_header *header, padic_codec_report *report)
{
    const padici_grid *grid = &header->grid;
    padici_grid read = header->grid;
    uint64_t raw = grid->element;
    uint32_t k;
    memset(report, 0, sizeof *report);
    padici_grid_fit(&read);
    report->dtype = grid->dtype;
    report->rank = grid->rank;
    for (k = 0; k < grid->rank; k++) {
        report->shape[k] = grid->shape[k];
        report->block[k] = grid->block[k];
        raw *= grid->shape[k];
    }
    report->level = (int)header->level;
    report->wire_version = header->version;
    report->bound_mode = header->bound_mode;
    report->bound = header->bound;
    report->bound_absolute = header->bound_absolute;
    report->blocks = grid->total;
    report->raw_size = grid->shape[0] == PADIC_CODEC_UNKNOWN ? 0 : raw;
    report->scratch = padici_unpack_memory(&read, 1);
    report->stream_scratch = padici_pull_memory(&read, 1, 1);
    report->reference = (header->features & PADICI_FEATURE_REFERENCE) != 0;
    report->planes = header->planes;
}

PADIC_API padic_result padic_codec_info(const void *src, size_t size, padic_codec_report *report)
{
    padici_header header;
    padici_census census;
    const uint8_t *p = (const uint8_t *)src, *offsets;
    padic_result result;
    uint64_t b;
    uint32_t k;
    if (!src || !report) return PADIC_ERROR_ARGUMENT;
    memset(report, 0, sizeof *report);
    memset(&census, 0, sizeof census);
    result = padici_take_header(p, size, &header);
    if (result) return result;
    result = padici_take_index(p, size, &header, &offsets);
    if (result) return result;
    padici_fill_report(&header, report);
    report->packed_size = size;
    for (k = 0; k < header.planes; k++) {
        const uint64_t next = (k + 1) * header.grid.total;
        report->plane_end[k] = k + 1 == header.planes || !header.grid.total
                                   ? size
                                   : padici_load64(offsets + 8 * (size_t)next);
    }
    for (b = 0; b < header.grid.total * header.planes; b++) {
        uint64_t begin[PADIC_MAX_RANK], extent[PADIC_MAX_RANK];
        padici_frame frame;
        padici_box box;
        padici_plan plan;
        padici_grid_block(&header.grid, b % header.grid.total, begin, extent, &box);
        if (!padici_frame_of(p, size, &header, offsets, b, &frame) || frame.rows != extent[0] ||
            !padici_take_block(NULL, &box, frame.payload, frame.size, &plan, &census))
            return PADIC_ERROR_CHECKSUM;
        report->forms[plan.form.kind]++;
        if (plan.form.kind != PADICI_FORM_RAW) {
            report->predictors[plan.predictor.kind]++;
            report->patterns[plan.pattern]++;
            if (plan.pattern != PADICI_PATTERN_CONSTANT) report->digits[plan.digits]++;
        }
        census.bytes[PADICI_KIND_HEADER] += PADICI_FRAME_SIZE;
    }
    census.bytes[PADICI_KIND_HEADER] += header.size;
    census.bytes[PADICI_KIND_INDEX] =
        PADICI_INDEX_FIXED + 8 * header.grid.total * header.planes;
    report->exceptions = census.exceptions;
    for (k = 0; k < 8; k++) report->streams[k] = census.coders[k];
    for (k = 0; k < PADIC_CODEC_STREAM_KINDS; k++) report->bytes[k] = census.bytes[k];
    return PADIC_OK;
}

// room: src/codec/unpack_stream.c
// ---- unpacking a stream

// Exactly `size` bytes; or CORRUPT, or CHECKSUM where the input ended as a whole stream does.
static padic_result padici_fetch(padic_codec_unpacker *u, uint8_t *to, size_t size)
{
    size_t got = 0, keep;
    if ((*u->read)(to, size, &got, u->user) != 0 || got > size) return PADIC_ERROR_CALLBACK;
    u->consumed += got;
    keep = got < 8 ? 8 - got : 0;
    memmove(u->last, u->last + 8 - keep, keep);
    memcpy(u->last + keep, to + got + keep - 8, 8 - keep);
    if (got == size) return PADIC_OK;
    return memcmp(u->last, "PADC-END", 8) == 0 ? PADIC_ERROR_CHECKSUM : PADIC_ERROR_CORRUPT;
}

PADIC_API padic_result padic_codec_unpack_begin(padic_context *context,
                                                const padic_codec_unpack_desc *desc,
                                                padic_codec_read read, void *user,
                                                padic_codec_report *report,
                                                padic_codec_unpacker **unpacker)
{
    uint8_t bytes[PADICI_HEADER_MOST], *more;
    padic_codec_unpacker start, *u;
    padici_header *header = &start.unpacking.header;
    padici_grid *grid = &header->grid;
    padic_codec_report own;
    uint64_t total, row, across = 1, limit;
    size_t size;
    padic_result result;
    uint32_t workers, k;
    if (unpacker) *unpacker = NULL;
    if (report) memset(report, 0, sizeof *report);
    if (desc && desc->bad_block) *desc->bad_block = UINT64_MAX;
    if (!unpacker || !read)
        return padici_codec_fail(context, "codec_unpack_begin", NULL, PADIC_ERROR_ARGUMENT);
    memset(&start, 0, sizeof start);
    start.context = context;
    start.read = read;
    start.user = user;
    result = padici_fetch(&start, bytes, 40);
    if (result == PADIC_ERROR_CHECKSUM) result = PADIC_ERROR_CORRUPT;
    if (!result && memcmp(bytes, "PADC", 4) != 0) result = PADIC_ERROR_CORRUPT;
    if (!result && bytes[4] > PADIC_CODEC_WIRE_VERSION) result = PADIC_ERROR_VERSION;
    if (result) return padici_codec_fail(context, "codec_unpack_begin", header, result);
    size = padici_load16(bytes + 10);
    if (size < 40)
        return padici_codec_fail(context, "codec_unpack_begin", header, PADIC_ERROR_CORRUPT);
    start.allocator = desc && desc->allocator ? desc->allocator : padici_allocator(context);
    limit = padici_unpack_limit(desc);
    more = bytes;
    if (size > sizeof bytes) { // a later version's
        if (size > limit)
            return padici_codec_fail(context, "codec_unpack_begin", header, PADIC_ERROR_LIMIT);
        more = (uint8_t *)padici_alloc(start.allocator, size, 64);
        if (!more)
            return padici_codec_fail(context, "codec_unpack_begin", header, PADIC_ERROR_MEMORY);
        memcpy(more, bytes, 40);
    }
    result = padici_fetch(&start, more + 40, size - 40);
    if (result == PADIC_ERROR_CHECKSUM) result = PADIC_ERROR_CORRUPT; // no header, whatever it is
    if (!result) result = padici_take_header(more, size, header);
    if (more != bytes) padici_free(start.allocator, more, size);
    if (!result) result = padici_unpack_aside(&start.unpacking, desc);
    if (!result && header->planes > 1) result = PADIC_ERROR_NOT_SUPPORTED;
    if (result) return padici_codec_fail(context, "codec_unpack_begin", header, result);
    padici_fill_report(header, report ? report : &own);
    if (report) own = *report;
    start.output_limit = desc && desc->output_limit ? desc->output_limit : UINT64_MAX;
    if (own.raw_size > start.output_limit) {
        header->fault = "output_limit is below the array's ";
        header->need = own.raw_size;
        return padici_codec_fail(context, "codec_unpack_begin", header, PADIC_ERROR_LIMIT);
    }
    row = grid->element;
    for (k = 1; k < grid->axes; k++) {
        row *= grid->shape[k];
        across *= grid->blocks[k];
    }
    start.jobs = padici_jobs(context);
    // blocks that look back at others are decoded one after the other
    workers = grid->span > 1 || across == 0             ? 1
              : grid->shape[0] == PADIC_CODEC_UNKNOWN ? padici_workers(start.jobs, 64)
                                                      : padici_workers(start.jobs, grid->total);
    for (;; workers--) { // as many as the limit allows
        start.deep = workers > 1 ? (workers + across - 1) / across : 1;
        total = padici_pull_memory(grid, workers, start.deep);
        if (total <= limit && total <= SIZE_MAX / 2) break;
        header->fault = "memory_limit is below what a row of blocks needs, ";
        header->need = total;
        if (workers == 1)
            return padici_codec_fail(context, "codec_unpack_begin", header, PADIC_ERROR_LIMIT);
    }
    header->fault = NULL;
    start.payload_step = padici_payload_step(grid);
    u = (padic_codec_unpacker *)padici_alloc(start.allocator, (size_t)total, 64);
    if (!u) return padici_codec_fail(context, "codec_unpack_begin", header, PADIC_ERROR_MEMORY);
    *u = start;
    u->total = (size_t)total;
    u->frames = (padici_frame *)(void *)((uint8_t *)u + ((sizeof *u + 63) & ~(size_t)63));
    u->payload = (uint8_t *)u->frames + 64 * (size_t)workers;
    u->payload_room = padici_slot_size(grid);
    u->bad_block = desc ? desc->bad_block : NULL;
    padici_steps_begin(&u->unpacking.steps, desc ? desc->progress : NULL, padici_progress(context),
                       grid->total);
    u->row_bytes = row;
    u->unpacking.workers = workers;
    padici_codec_pick(context, &u->unpacking.loops);
    u->slab = u->payload + workers * (size_t)u->payload_step;
    padici_unpack_place(&u->unpacking, u->slab);
    u->slab += padici_unpack_memory(grid, workers);
    *unpacker = u;
    return PADIC_OK;
}

// The index stands behind the end mark: whole, of the frames that came, and of the array.
static padic_result padici_pull_index(padic_codec_unpacker *u, const uint8_t *frame)
{
    padici_grid *grid = &u->unpacking.header.grid;
    const uint64_t seed = PADICI_SEED_INDEX + 1, end = padici_mix((8 * u->frame) ^ ~seed);
    const uint64_t at = u->consumed - PADICI_FRAME_SIZE, length = grid->shape[0];
    uint64_t sum = 0, b, total;
    uint8_t head[24], tail[24];
    padic_result result;
    memcpy(head, frame, PADICI_FRAME_SIZE);
    result = padici_fetch(u, head + PADICI_FRAME_SIZE, 8);
    for (b = 0; b < u->frame && !result; b++) {
        result = padici_fetch(u, tail, 8);
        sum += padici_checksum_word(padici_load64(tail), b, seed);
    }
    if (!result) result = padici_fetch(u, tail, 24);
    if (result) return result;
    u->ended = 1;
    if (memcmp(tail + 16, "PADC-END", 8) != 0) return PADIC_ERROR_CORRUPT;
    sum = (sum + end) ^ padici_checksum(head, 24, PADICI_SEED_INDEX) ^
          padici_checksum(tail, 8, PADICI_SEED_INDEX + 2);
    if (sum != padici_load64(tail + 8) || padici_load64(tail) != at) return PADIC_ERROR_CHECKSUM;
    sum = (u->places + end) ^ padici_checksum(head, 24, PADICI_SEED_INDEX) ^
          padici_checksum(tail, 8, PADICI_SEED_INDEX + 2);
    if (sum != padici_load64(tail + 8)) return PADIC_ERROR_CHECKSUM; // places of other frames
    grid->shape[0] = padici_load64(head + 16);
    if (padici_load32(head + 4) != 0 || padici_load64(head + 8) != u->frame ||
        grid->shape[0] == PADIC_CODEC_UNKNOWN || padici_grid_finish(grid) ||
        grid->total != u->frame || (length != PADIC_CODEC_UNKNOWN && grid->shape[0] != length))
        result = PADIC_ERROR_CHECKSUM;
    total = grid->shape[0];
    grid->shape[0] = length;
    // of as many blocks, the last ones with another extent
    return result ? result : total == u->rows || !u->row_bytes ? PADIC_OK : PADIC_ERROR_CHECKSUM;
}

static void padici_pull_task(void *arg, uint32_t task)
{
    padic_codec_unpacker *u = (padic_codec_unpacker *)arg;
    padici_unpacking *unpacking = &u->unpacking;
    const uint64_t index = u->block + task;
    const int keep = unpacking->header.grid.span > 1 ? PADICI_BLOCK_KEEP : 0;
    padici_window_enter(unpacking->work + task, index / unpacking->header.grid.span);
    unpacking->bad[task] = !padici_unpack_block(unpacking, unpacking->work + task, index,
                                                u->frames + task, PADICI_BLOCK_STORE | keep);
}

// Decodes the blocks that wait, and counts those before the first damaged one.
static padic_result padici_pull_blocks(padic_codec_unpacker *u, uint32_t *waiting)
{
    uint32_t i;
    padici_parallel(u->jobs, *waiting, padici_pull_task, u);
    for (i = 0; i < *waiting && !u->unpacking.bad[i]; i++) {}
    u->block += i;
    if (i == *waiting) {
        *waiting = 0;
        return padici_steps_more(&u->unpacking.steps, i) ? PADIC_ERROR_CANCELLED : PADIC_OK;
    }
    *waiting = 0;
    return padici_unpack_refusal(&u->unpacking, u->unpacking.work[i].mismatch);
}

// A row of blocks begins, behind `all` rows of the slab: the slab is the box, and the array ends
// with it, as far as is known.
static padic_result padici_pull_row(padic_codec_unpacker *u, uint64_t length, uint64_t all,
                                    uint64_t rows)
{
    padici_unpacking *unpacking = &u->unpacking;
    padici_grid *grid = &unpacking->header.grid;
    uint64_t bytes;
    uint32_t k;
    if (length == u->rows + all || // more blocks than the array has
        rows == 0 || rows > grid->block[0] ||
        (length != PADIC_CODEC_UNKNOWN && rows != padici_least(length - u->rows - all,
                                                               grid->block[0])) ||
        (u->rows + all) % grid->block[0]) // only the last is short
        return PADIC_ERROR_CHECKSUM;
    if (!padici_mul_u64(u->rows + all + rows, u->row_bytes, &bytes) || bytes > u->output_limit)
        return PADIC_ERROR_LIMIT;
    grid->shape[0] = u->rows + all + rows;
    for (k = 0; k < grid->axes; k++) {
        unpacking->begin[k] = k ? 0 : u->rows;
        unpacking->count[k] = k ? grid->shape[k] : all + rows;
    }
    padici_dense_strides(unpacking->count, grid->axes, unpacking->stride);
    u->tensor.data = u->slab;
    u->tensor.dtype = grid->dtype;
    unpacking->tensor = &u->tensor;
    return PADIC_OK;
}

// Decodes the next rows of blocks into the slab. Whole rows before an error are there, too.
static padic_result padici_pull_slab(padic_codec_unpacker *u)
{
    padici_grid *grid = &u->unpacking.header.grid;
    const uint64_t length = grid->shape[0], first = u->block;
    uint64_t across = 1, rows = 0, all = 0, b;
    uint8_t bytes[PADICI_FRAME_SIZE];
    uint32_t waiting = 0, k;
    int ends = 0, whole;
    padic_result result = PADIC_OK;
    u->held = u->given = 0;
    for (k = 1; k < grid->axes; k++) across *= grid->blocks[k];
    for (b = 0; !result && (b == 0 || b < across * u->deep); b++) {
        padici_frame *frame = u->frames + waiting;
        uint8_t *payload = u->payload + waiting * (size_t)u->payload_step;
        const int begins = across == 0 || b % across == 0;
        const uint64_t at = u->consumed;
        result = padici_fetch(u, bytes, sizeof bytes);
        if (result) break;
        frame->size = padici_load32(bytes);
        frame->rows = padici_load32(bytes + 4);
        frame->checksum = padici_load64(bytes + 8);
        frame->payload = payload;
        ends = frame->size == PADICI_END_MARK && begins;
        if (ends && across && length != PADIC_CODEC_UNKNOWN && length != u->rows + all)
            result = PADIC_ERROR_CHECKSUM; // blocks are missing
        if (ends) break;
        if (begins) {
            rows = frame->rows;
            result = across ? padici_pull_row(u, length, all, rows) : PADIC_ERROR_CHECKSUM;
            if (result) break;
            all += rows;
        }
        if (frame->size > u->payload_room - PADICI_FRAME_SIZE || frame->rows != rows)
            result = PADIC_ERROR_CHECKSUM;
        u->places += padici_checksum_word(at, u->frame++, PADICI_SEED_INDEX + 1);
        if (!result) result = padici_fetch(u, payload, frame->size);
        if (!result && ++waiting == u->unpacking.workers) result = padici_pull_blocks(u, &waiting);
    }
    if (waiting) {
        const padic_result before = padici_pull_blocks(u, &waiting);
        if (before) result = before, ends = 0;
    }
    grid->shape[0] = length;
    rows = across ? (u->block - first) / across * grid->block[0] : 0;
    if (rows > all) rows = all;
    u->rows += rows;
    u->held = rows * u->row_bytes;
    if (!result && !ends) return PADIC_OK;
    if (u->row_bytes == 0 && length != PADIC_CODEC_UNKNOWN) u->rows = length;
    whole = length == u->rows || (length == PADIC_CODEC_UNKNOWN && !result);
    if (!result) result = padici_pull_index(u, bytes);
    if (u->bad_block && !whole && result != PADIC_ERROR_LIMIT && result != PADIC_ERROR_CALLBACK &&
        result != PADIC_ERROR_CANCELLED &&
        (result != PADIC_ERROR_CORRUPT || length != PADIC_CODEC_UNKNOWN))
        *u->bad_block = u->block; // as padici_unpack_front() says it of a stream that was cut
    return result;
}

PADIC_API padic_result padic_codec_unpack_pull(padic_codec_unpacker *unpacker, void *data,
                                               size_t size, size_t *got)
{
    uint8_t *to = (uint8_t *)data;
    if (got) *got = 0;
    if (!unpacker || !got || (!data && size)) return PADIC_ERROR_ARGUMENT;
    // an empty request still looks for the end, so that an empty array's index is read
    for (;;) {
        uint64_t part = unpacker->held - unpacker->given;
        if (part == 0) {
            if (unpacker->failed || unpacker->ended || (*got == size && size)) break;
            unpacker->failed = padici_pull_slab(unpacker);
            continue;
        }
        if (part > size - *got) part = size - *got;
        if (part == 0) break;
        memcpy(to + *got, unpacker->slab + unpacker->given, (size_t)part);
        unpacker->given += part;
        *got += (size_t)part;
    }
    if (unpacker->failed && unpacker->held == unpacker->given)
        return padici_codec_fail(unpacker->context, "codec_unpack_pull", NULL, unpacker->failed);
    return PADIC_OK;
}

PADIC_API void padic_codec_unpack_end(padic_codec_unpacker *unpacker)
{
    if (unpacker) padici_free(unpacker->allocator, unpacker, unpacker->total);
}

// A small set packed at several settings: lockstep peers compare the bytes.
PADICI_NOINLINE static uint64_t padici_codec_self_hash(void)
{
    static const padic_dtype dtypes[4] = {PADIC_F32, PADIC_F64, PADIC_I16, PADIC_BF16};
    uint64_t hash = 0, values[64];
    uint8_t packed[1024];
    padic_codec_desc desc;
    size_t size, i;
    uint32_t k;
    for (k = 0; k < 8; k++) {
        for (i = 0; i < 64; i++) {
            // smooth and rough halves, in whole, tenth and binary steps
            const double x = (double)(int32_t)((i * i + 7 * i * (k + 1)) % 1009) - 300;
            const padic_dtype dtype = dtypes[k % 4];
            if (padici_is_float(dtype))
                padici_set_element((uint8_t *)values, i, padic_dtype_size(dtype),
                                   padici_rounded(dtype, k < 4 ? x / 10 : x * 0.375, 0));
            else
                padici_set_element((uint8_t *)values, i, padic_dtype_size(dtype),
                                   (uint64_t)(int64_t)x);
        }
        padici_swap_elements((uint8_t *)values, 64, padic_dtype_size(dtypes[k % 4]));
        memset(&desc, 0, sizeof desc);
        desc.tensor = padic_tensor_2d(dtypes[k % 4], values, 8, 8);
        desc.level = (int)k + 2;
        if (padic_codec_pack(NULL, &desc, packed, sizeof packed, &size)) return 0;
        hash = padici_mix(hash ^ padici_checksum(packed, size, k));
    }
    return hash;
}
// room: src/padic.in.h:139

#endif // PADIC_NO_CODEC

// room: src/core/tensor.c
// --------------------------------------------------------------------------- >>tensor view impl

PADIC_API padic_tensor padic_tensor_nd(padic_dtype dtype, void *data, uint32_t rank,
                                       const uint64_t *shape)
{
    padic_tensor t;
    uint32_t i;
    memset(&t, 0, sizeof t);
    t.data = data;
    t.dtype = dtype;
    t.rank = rank;
    if (rank <= PADIC_MAX_RANK)
        for (i = 0; i < rank; i++) t.shape[i] = shape[i];
    return t;
}

PADIC_API padic_tensor padic_tensor_1d(padic_dtype dtype, void *data, uint64_t n)
{
    return padic_tensor_nd(dtype, data, 1, &n);
}

PADIC_API padic_tensor padic_tensor_2d(padic_dtype dtype, void *data, uint64_t rows, uint64_t cols)
{
    uint64_t shape[2];
    shape[0] = rows;
    shape[1] = cols;
    return padic_tensor_nd(dtype, data, 2, shape);
}

PADIC_API padic_tensor padic_tensor_3d(padic_dtype dtype, void *data, uint64_t n0, uint64_t n1,
                                       uint64_t n2)
{
    uint64_t shape[3];
    shape[0] = n0;
    shape[1] = n1;
    shape[2] = n2;
    return padic_tensor_nd(dtype, data, 3, shape);
}

PADIC_API padic_tensor padic_tensor_in(padic_tensor view, padic_buffer buffer, uint64_t offset)
{
    view.data = NULL;
    view.buffer = buffer;
    view.offset = offset;
    return view;
}

PADIC_API uint64_t padic_tensor_count(const padic_tensor *tensor)
{
    uint64_t n = 1, i;
    int fits = 1;
    if (!tensor || tensor->rank > PADIC_MAX_RANK) return 0;
    for (i = 0; i < tensor->rank; i++) {
        if (!tensor->shape[i]) return 0;
        fits = fits && padici_mul_u64(n, tensor->shape[i], &n);
    }
    return fits ? n : 0;
}

// Walks one or two views of one shape row by row (a row is the last axis), from any row on.
typedef struct padici_rows {
    uint32_t axes; // all but the last
    uint64_t length, index[PADIC_MAX_RANK], shape[PADIC_MAX_RANK];
    int64_t stride[2][PADIC_MAX_RANK], step[2]; // step: along the row
    int64_t at[2];                              // first element of the row, from the view's first
} padici_rows;

static void padici_rows_begin(padici_rows *rows, const padic_tensor *a, const padic_tensor *b,
                              uint64_t row)
{
    uint32_t i, v;
    memset(rows, 0, sizeof *rows);
    rows->axes = a->rank ? a->rank - 1 : 0;
    rows->length = a->rank ? a->shape[a->rank - 1] : 1;
    memcpy(rows->shape, a->shape, sizeof rows->shape);
    for (i = rows->axes; i > 0; i--) {
        rows->index[i - 1] = row % rows->shape[i - 1];
        row /= rows->shape[i - 1];
    }
    for (v = 0; v < 2; v++) {
        padici_tensor_dense(v && b ? b : a, rows->stride[v]);
        for (i = 0; i < a->rank; i++)
            if (a->shape[i] < 2) rows->stride[v][i] = 1; // no step, whatever the view says
        rows->step[v] = a->rank ? rows->stride[v][rows->axes] : 1;
        for (i = 0; i < rows->axes; i++)
            rows->at[v] += (int64_t)rows->index[i] * rows->stride[v][i];
    }
}

static void padici_rows_next(padici_rows *rows)
{
    uint32_t i, v;
    for (i = rows->axes; i > 0; i--) {
        uint32_t axis = i - 1;
        for (v = 0; v < 2; v++) rows->at[v] += rows->stride[v][axis];
        if (++rows->index[axis] < rows->shape[axis]) return;
        rows->index[axis] = 0;
        for (v = 0; v < 2; v++) rows->at[v] -= (int64_t)rows->shape[axis] * rows->stride[v][axis];
    }
}

// Bytes from the lowest to behind the highest element of a checked view that has elements, whether
// it is all of them without gaps, in C order, and the bytes before element 0.
static uint64_t padici_tensor_span(const padic_tensor *t, int *dense, uint64_t *before)
{
    const uint64_t size = padic_dtype_size(t->dtype);
    int64_t stride[PADIC_MAX_RANK];
    uint64_t last = 0, first = 0, step = 1;
    uint32_t i;
    padici_tensor_dense(t, stride);
    *dense = 1;
    for (i = t->rank; i > 0; i--) {
        uint64_t n = t->shape[i - 1];
        if (n > 1 && (uint64_t)stride[i - 1] != step) *dense = 0;
        if (stride[i - 1] < 0)
            first += (n - 1) * (0 - (uint64_t)stride[i - 1]);
        else
            last += (n - 1) * (uint64_t)stride[i - 1];
        step *= n;
    }
    *before = first * size;
    return (first + last + 1) * size;
}

// room: src/core/philox.c
// -------------------------------------------------------------------------------- >>random impl

PADIC_API void padic_random_block(uint64_t seed, uint64_t stream, uint32_t step, uint32_t block,
                                  uint32_t out[4])
{
    uint32_t counter[4];
    counter[0] = block;
    counter[1] = step;
    counter[2] = (uint32_t)stream;
    counter[3] = (uint32_t)(stream >> 32);
    padici_philox((uint32_t)seed, (uint32_t)(seed >> 32), counter, out);
}

PADIC_API float padic_random_f32(uint32_t word)
{
    return (float)(word >> 8) * (1.0f / 16777216.0f);
}

PADIC_API double padic_random_f64(uint32_t low, uint32_t high)
{
    uint64_t n = ((uint64_t)high << 32 | low) >> 11;
    return (double)n * (1.0 / 9007199254740992.0);
}

PADIC_API float padic_random_symmetric(uint32_t word)
{
    int32_t n = (int32_t)(word >> 8);
    return (float)(2 * n + 1 - 16777216) * (1.0f / 16777216.0f);
}

// n 2^-bits as a small float with `mantissa` stored bits and this exponent bias; n < 2^bits and
// bits = mantissa + 1, so the value is exact and normal.
static uint16_t padici_random_small(uint32_t n, uint32_t mantissa, uint32_t bias)
{
    uint32_t top;
    if (!n) return 0;
    top = 31 - padici_clz32(n);
    n <<= mantissa - top; // the leading bit goes to place `mantissa` and adds 1 to the exponent
    return (uint16_t)(((bias + top - mantissa - 2) << mantissa) + n);
}

// One element from its words.
static void padici_random_store(padic_dtype dtype, char *to, const uint32_t *w)
{
    uint16_t h;
    uint64_t u;
    float f[2];
    double d[2];
    switch (dtype) {
    case PADIC_F32:
    case PADIC_C64:
        f[0] = padic_random_f32(w[0]);
        f[1] = dtype == PADIC_C64 ? padic_random_f32(w[1]) : 0.0f;
        memcpy(to, f, dtype == PADIC_C64 ? 8 : 4);
        break;
    case PADIC_F64:
    case PADIC_C128:
        d[0] = padic_random_f64(w[0], w[1]);
        d[1] = dtype == PADIC_C128 ? padic_random_f64(w[2], w[3]) : 0.0;
        memcpy(to, d, dtype == PADIC_C128 ? 16 : 8);
        break;
    case PADIC_F16:
    case PADIC_BF16:
        h = dtype == PADIC_F16 ? padici_random_small(w[0] >> 21, 10, 15)
                               : padici_random_small(w[0] >> 24, 7, 127);
        memcpy(to, &h, 2);
        break;
    case PADIC_I16:
    case PADIC_U16:
        h = (uint16_t)w[0];
        memcpy(to, &h, 2);
        break;
    case PADIC_I32:
    case PADIC_U32: memcpy(to, w, 4); break;
    case PADIC_I64:
    case PADIC_U64:
        u = (uint64_t)w[1] << 32 | w[0];
        memcpy(to, &u, 8);
        break;
    default: *to = (char)(unsigned char)w[0]; break;
    }
}

static uint32_t padici_random_words(padic_dtype dtype) // of one element
{
    uint32_t size = padic_dtype_size(dtype);
    return size < 4 ? 1 : size / 4;
}

// room: src/context/operation.h
// -------------------------------------------------------------------------------- >>op table
//
// An operation is a row of PADIC_OPS and three functions:
//
//     padici_NAME_check(context, desc)     what is wrong with the desc beyond its tensors; says it
//     padici_NAME_operands(desc, operands) its tensors: where they stand in the desc, in or out
//     padici_NAME_host(jobs, desc)         the plain reference; tensors in host memory, checked;
//                                          of a row with 3 or 4 (env, desc), env NULL without a
//                                          context
//
// and, if the row says so, padici_NAME_driver(call, target, query): by copy and fill on any device.
// Kernels are launched by padici_gpu_NAME() in backends/padic_gpu.h.
//
// padici_run() does the rest, the same for all: validation, choice of backend, moving operands
// between host and device, statistics, profile.

#define PADICI_MAX_OPERANDS 11
#define PADICI_NO_BLOCK UINT32_MAX

typedef struct padici_place {
    padic_mem mem;
    uint64_t at;   // byte of the first element
    uint32_t host; // mem is a host pointer
} padici_place;

typedef struct padici_operand {
    padic_tensor *tensor;
    const char *name;        // of its field, for sentences; NULL: a tensor
    uint32_t out;            // 1 written; 2 read and written; else read
    uint32_t any_stride;     // only read, so strides may be 0 or negative
    uint64_t bytes;          // from the lowest to behind the highest element
    uint64_t before;         // of them, those before element 0, where the places point
    int dense;               // no gaps, in C order
    padici_place home, now;  // where it lies; where the work finds it
    uint32_t block;          // the pool's block that `now` is in, when it was moved
} padici_operand;

typedef union padici_any_desc {
#define PADICI_OP_DESC(NAME, name, driver) padic_##name##_desc name;
    PADIC_OPS(PADICI_OP_DESC)
#undef PADICI_OP_DESC
} padici_any_desc;

typedef struct padici_target padici_target;

// What `drive` is asked besides operations and kernels.
#define PADICI_DRIVE_CLOSE 900u // free context->gpu; the device still lives
#define PADICI_DRIVE_PREWARM 901u // a uint32_t of padic_area bits
#define PADICI_DRIVE_TUNE 902u    // a padici_drive_tune

typedef struct padici_drive_tune {
    uint32_t areas, ms;
} padici_drive_tune;

typedef struct padici_call {
    padic_context *context;
    uint32_t op, operand_count;
    uint64_t count;       // elements of the largest operand
    padici_any_desc desc; // a copy, in which tensors are redirected
    padici_operand operands[PADICI_MAX_OPERANDS];
} padici_call;

typedef struct padici_op_row {
    const char *name;
    uint32_t desc_size, mixed, partial; // partial: errors in the data keep what was done
    padic_result (*check)(padic_context *context, const void *desc);
    uint32_t (*operands)(void *desc, padici_operand *operands);
    padic_result (*driver)(const padici_call *call, padici_target *target, int query);
    padic_result (*host)(const padic_jobs *jobs, const void *desc);
    padic_result (*host_env)(const padic_env *env, const void *desc); // one of the two
} padici_op_row;

// The device interface as the rest sees it: counted, refused on a lost device, messages kept.
static padic_result padici_target_fill(padic_context *context, padici_target *target, padic_mem mem,
                                       uint64_t at, uint32_t word, uint64_t size);
static padic_result padici_target_move(padic_context *context, padici_target *target,
                                       const padici_place *to, const padici_place *from,
                                       uint64_t size);

// room: src/context/base.c
// The operations of the frame itself: fill, copy and random_fill.

// fill

static padic_result padici_fill_check(padic_context *context, const void *desc)
{
    (void)context;
    (void)desc;
    return PADIC_OK;
}

static uint32_t padici_fill_operands(void *desc, padici_operand *operands)
{
    operands[0].name = "tensor";
    operands[0].tensor = &((padic_fill_desc *)desc)->tensor;
    operands[0].out = 1;
    return 1;
}

// The 32-bit word that repeats to the wanted element, if there is one.
static int padici_fill_word(const padic_fill_desc *desc, uint32_t *word)
{
    uint32_t size = padic_dtype_size(desc->tensor.dtype), i;
    unsigned char bytes[16];
    memset(bytes, 0, sizeof bytes);
    if (desc->value)
        for (i = 0; i < 16; i++) bytes[i] = ((const unsigned char *)desc->value)[i % size];
    memcpy(word, bytes, 4);
    for (i = 4; i < size; i += 4)
        if (memcmp(bytes, bytes + i, 4)) return 0;
    return 1;
}

static padic_result padici_fill_driver(const padici_call *call, padici_target *target, int query)
{
    const padici_operand *o = &call->operands[0];
    uint32_t word;
    if (!o->dense || (o->bytes | o->home.at) & 3) return PADIC_ERROR_NOT_SUPPORTED;
    if (!padici_fill_word(&call->desc.fill, &word)) return PADIC_ERROR_NOT_SUPPORTED;
    if (query) return PADIC_OK;
    return padici_target_fill(call->context, target, o->now.mem, o->now.at, word, o->bytes);
}

static padic_result padici_fill_host(const padic_jobs *jobs, const void *desc_)
{
    const padic_fill_desc *desc = (const padic_fill_desc *)desc_;
    const padic_tensor *t = &desc->tensor;
    const uint32_t size = padic_dtype_size(t->dtype);
    uint64_t left = padic_tensor_count(t), i;
    static const unsigned char zero[16] = {0};
    const void *value = desc->value ? desc->value : zero;
    padici_rows rows;
    (void)jobs;
    for (padici_rows_begin(&rows, t, NULL, 0); left > 0; padici_rows_next(&rows)) {
        char *to = (char *)t->data + rows.at[0] * (int64_t)size;
        for (i = 0; i < rows.length; i++, to += rows.step[0] * (int64_t)size)
            memcpy(to, value, size);
        left -= rows.length;
    }
    return PADIC_OK;
}

// copy

static padic_result padici_copy_check(padic_context *context, const void *desc_)
{
    const padic_copy_desc *desc = (const padic_copy_desc *)desc_;
    uint32_t i;
    if (desc->from.dtype != desc->to.dtype)
        return padici_fail(context, PADIC_ERROR_MISMATCH,
                           "copy: from.dtype is not to.dtype: no element is converted");
    if (desc->from.rank != desc->to.rank)
        return padici_fail(context, PADIC_ERROR_MISMATCH,
                           "copy: from.rank is not to.rank: give both one shape");
    for (i = 0; i < desc->from.rank; i++)
        if (desc->from.shape[i] != desc->to.shape[i])
            return padici_fail(context, PADIC_ERROR_MISMATCH,
                               "copy: from.shape is not to.shape: give both one");
    return PADIC_OK;
}

static uint32_t padici_copy_operands(void *desc, padici_operand *operands)
{
    operands[0].name = "from";
    operands[0].tensor = &((padic_copy_desc *)desc)->from;
    operands[1].name = "to";
    operands[1].tensor = &((padic_copy_desc *)desc)->to;
    operands[1].out = 1;
    return 2;
}

static padic_result padici_copy_driver(const padici_call *call, padici_target *target, int query)
{
    const padici_operand *from = &call->operands[0], *to = &call->operands[1];
    if (!from->dense || !to->dense) return PADIC_ERROR_NOT_SUPPORTED;
    if (query) return PADIC_OK;
    return padici_target_move(call->context, target, &to->now, &from->now, from->bytes);
}

static padic_result padici_copy_host(const padic_jobs *jobs, const void *desc_)
{
    const padic_copy_desc *desc = (const padic_copy_desc *)desc_;
    const uint32_t size = padic_dtype_size(desc->to.dtype);
    uint64_t left = padic_tensor_count(&desc->to), i;
    padici_rows rows;
    (void)jobs;
    for (padici_rows_begin(&rows, &desc->from, &desc->to, 0); left > 0; padici_rows_next(&rows)) {
        const char *from = (const char *)desc->from.data + rows.at[0] * (int64_t)size;
        char *to = (char *)desc->to.data + rows.at[1] * (int64_t)size;
        if (rows.step[0] == 1 && rows.step[1] == 1) {
            memcpy(to, from, (size_t)(rows.length * size));
        } else {
            for (i = 0; i < rows.length; i++) {
                memcpy(to, from, size);
                from += rows.step[0] * (int64_t)size;
                to += rows.step[1] * (int64_t)size;
            }
        }
        left -= rows.length;
    }
    return PADIC_OK;
}

// random_fill

static padic_result padici_random_fill_check(padic_context *context, const void *desc_)
{
    const padic_tensor *t = &((const padic_random_fill_desc *)desc_)->tensor;
    if (padic_tensor_count(t) <= (UINT64_C(1) << 34) / padici_random_words(t->dtype))
        return PADIC_OK;
    return padici_fail(context, PADIC_ERROR_LIMIT,
                       "random_fill: tensor takes more than 2^34 words: fill it in parts, each "
                       "with a stream of its own");
}

static uint32_t padici_random_fill_operands(void *desc, padici_operand *operands)
{
    operands[0].name = "tensor";
    operands[0].tensor = &((padic_random_fill_desc *)desc)->tensor;
    operands[0].out = 1;
    return 1;
}

#define PADICI_RANDOM_CHUNK 65536u

// Elements chunk * 65536 and on.
static void padici_random_fill_chunk(void *arg, uint32_t chunk)
{
    const padic_random_fill_desc *desc = (const padic_random_fill_desc *)arg;
    const padic_tensor *t = &desc->tensor;
    const uint32_t size = padic_dtype_size(t->dtype), words = padici_random_words(t->dtype);
    const uint64_t count = padic_tensor_count(t), begin = (uint64_t)chunk * PADICI_RANDOM_CHUNK;
    const uint64_t end =
        count - begin < PADICI_RANDOM_CHUNK ? count : begin + PADICI_RANDOM_CHUNK;
    uint64_t i, column;
    uint32_t block[4];
    padici_rows rows;
    padici_rows_begin(&rows, t, NULL, begin / (t->rank ? t->shape[t->rank - 1] : 1));
    column = begin % rows.length;
    for (i = begin; i < end; i++) { // a chunk begins with a new block, since 4 divides 65536
        const uint64_t word = i * words;
        if (!(word & 3))
            padic_random_block(desc->seed, desc->stream, desc->step, (uint32_t)(word >> 2), block);
        padici_random_store(
            t->dtype,
            (char *)t->data + (rows.at[0] + (int64_t)column * rows.step[0]) * (int64_t)size,
            block + (word & 3));
        if (++column == rows.length) {
            column = 0;
            padici_rows_next(&rows);
        }
    }
}

static padic_result padici_random_fill_host(const padic_jobs *jobs, const void *desc)
{
    padic_random_fill_desc copy = *(const padic_random_fill_desc *)desc;
    uint64_t count = padic_tensor_count(&copy.tensor);
    padici_parallel(jobs, (uint32_t)((count + PADICI_RANDOM_CHUNK - 1) / PADICI_RANDOM_CHUNK),
                    padici_random_fill_chunk, &copy);
    return PADIC_OK;
}

// room: src/context/ops.c
// The table of all operations, those of the areas in files of their own among them.

// The operations of the areas in files of their own.
#define PADICI_AREAS_IMPLEMENTATION
#ifndef PADIC_NO_SAMPLE
#include "padic_sample.h"
#endif
#ifndef PADIC_NO_WAVE
#include "padic_wave.h"
#endif
#ifndef PADIC_NO_TENSOR
#include "padic_tensor.h"
#endif
#undef PADICI_AREAS_IMPLEMENTATION

static const padici_op_row padici_op_rows[PADIC_OP_COUNT] = {
    {"", 0, 0, 0, NULL, NULL, NULL, NULL, NULL},
#define PADICI_OP_DRIVER_0(name) NULL, padici_##name##_host, NULL
#define PADICI_OP_DRIVER_1(name) padici_##name##_driver, padici_##name##_host, NULL
#define PADICI_OP_DRIVER_2(name) padici_##name##_driver, padici_##name##_host, NULL
#define PADICI_OP_DRIVER_3(name) NULL, NULL, padici_##name##_host
#define PADICI_OP_DRIVER_4(name) NULL, NULL, padici_##name##_host
#define PADICI_OP_ROW(NAME, name, driver)                                        \
    {#name,                                                                      \
     sizeof(padic_##name##_desc),                                                \
     driver == 2,                                                                \
     driver == 3,                                                                \
     padici_##name##_check,                                                      \
     padici_##name##_operands,                                                   \
     PADICI_OP_DRIVER_##driver(name)},
    PADIC_OPS(PADICI_OP_ROW)
#undef PADICI_OP_ROW
};

// The plain reference; env NULL: no context.
static padic_result padici_op_host(uint32_t op, const padic_env *env, const void *desc)
{
    const padici_op_row *row = &padici_op_rows[op];
    if (row->host_env) return (*row->host_env)(env, desc);
    return (*row->host)(env ? env->jobs : NULL, desc);
}

// room: src/context/cpu.c
// -------------------------------------------------------------------------------- >>cpu backend
//
// Host memory and the plain references. Its device is the environment itself: it owns nothing.

static padic_result padici_cpu_open(const padic_env *env, const padic_device_desc *desc,
                                    padic_device **out)
{
    (void)desc;
    *out = (padic_device *)(uintptr_t)env;
    return PADIC_OK;
}

static void padici_cpu_close(padic_device *device)
{
    (void)device;
}

static void padici_cpu_info(padic_device *device, padic_device_info *info)
{
    const padic_env *env = (const padic_env *)(void *)device;
    memset(info, 0, sizeof *info);
    memcpy(info->name, "CPU, plain C", 13);
    info->features = PADIC_FEATURE_F64 | PADIC_FEATURE_UNIFIED;
    info->compute_units = env->jobs->workers ? env->jobs->workers : 1;
    info->alignment = 64;
    info->max_alloc = (size_t)-1 / 2;
}

static padic_result padici_cpu_alloc(padic_device *device, uint64_t size, padic_mem *out)
{
    const padic_env *env = (const padic_env *)(void *)device;
    void *block = size > (size_t)-1 / 2 ? NULL : padici_alloc(env->allocator, (size_t)size, 64);
    out->bits = (uint64_t)(uintptr_t)block;
    return block ? PADIC_OK : PADIC_ERROR_MEMORY;
}

static void padici_cpu_free(padic_device *device, padic_mem mem, uint64_t size)
{
    const padic_env *env = (const padic_env *)(void *)device;
    padici_free(env->allocator, (void *)(uintptr_t)mem.bits, (size_t)size);
}

PADICI_INLINE char *padici_mem_at(padic_mem mem, uint64_t at) // host memory, or none (NULL + 0)
{
    return (char *)(uintptr_t)(mem.bits + at);
}

static padic_result padici_cpu_upload(padic_device *device, padic_mem mem, uint64_t at,
                                      const void *from, uint64_t size)
{
    (void)device;
    memcpy(padici_mem_at(mem, at), from, (size_t)size);
    return PADIC_OK;
}

static padic_result padici_cpu_download(padic_device *device, padic_mem mem, uint64_t at, void *to,
                                        uint64_t size)
{
    (void)device;
    memcpy(to, padici_mem_at(mem, at), (size_t)size);
    return PADIC_OK;
}

static padic_result padici_cpu_copy(padic_device *device, padic_mem to, uint64_t at, padic_mem from,
                                    uint64_t from_at, uint64_t size)
{
    (void)device;
    memcpy(padici_mem_at(to, at), padici_mem_at(from, from_at), (size_t)size);
    return PADIC_OK;
}

static padic_result padici_cpu_fill(padic_device *device, padic_mem mem, uint64_t at,
                                    uint32_t value, uint64_t size)
{
    char *to = padici_mem_at(mem, at), *end = to + size;
    (void)device;
    for (; to < end; to += 4) memcpy(to, &value, 4);
    return PADIC_OK;
}

static padic_result padici_cpu_program(padic_device *device, const padic_program_desc *desc,
                                       padic_program **out)
{
    (void)device;
    (void)desc;
    *out = NULL;
    return PADIC_ERROR_NOT_SUPPORTED;
}

static padic_result padici_cpu_launch(padic_device *device, const padic_launch *launch)
{
    (void)device;
    (void)launch;
    return PADIC_ERROR_NOT_SUPPORTED;
}

static padic_result padici_cpu_sync(padic_device *device)
{
    (void)device;
    return PADIC_OK;
}

static padic_result padici_cpu_run(padic_device *device, uint32_t op, const void *desc, int query)
{
    const padic_env *env = (const padic_env *)(void *)device;
    return query ? PADIC_OK : padici_op_host(op, env, desc);
}

static const padic_backend padici_cpu = {PADIC_BACKEND_VERSION,
                                         "cpu",
                                         padici_cpu_open,
                                         padici_cpu_close,
                                         padici_cpu_info,
                                         padici_cpu_alloc,
                                         padici_cpu_free,
                                         padici_cpu_upload,
                                         padici_cpu_download,
                                         padici_cpu_copy,
                                         padici_cpu_fill,
                                         padici_cpu_program,
                                         padici_cpu_launch,
                                         padici_cpu_sync,
                                         NULL,
                                         NULL,
                                         NULL,
                                         padici_cpu_run,
                                         PADIC_BACKEND_HOST,
                                         NULL,
                                         NULL};

// room: src/context/state.h
// ------------------------------------------------------------------------------ >>context impl
//
// What a context holds: backends that are open, the pool, buffers, recordings, spans of the
// profile; and the hooks of its environment.

struct padici_target { // an opened backend
    const padic_backend *backend;
    padic_device *device;
    padic_device_info info;
    uint32_t lost;
};

typedef struct padici_block {
    padic_mem mem;
    uint64_t size; // 0: the record is unused
    uint32_t next; // in its class when idle, in its recording, among the unused records
    uint32_t idle;
} padici_block;

#define PADICI_POOL_CLASSES 74 // 73 sizes from 256 bytes to 64 MiB, and all larger ones

typedef struct padici_pool {
    padici_target *target;
    padici_block *blocks;
    uint32_t count, capacity, unused; // unused: first of the records without a block
    uint32_t idle[PADICI_POOL_CLASSES];
} padici_pool;

typedef struct padici_slot { // a buffer
    padic_mem mem;
    uint64_t size;
    uint32_t block; // in pools[0]; PADICI_NO_BLOCK when borrowed
    uint32_t next;  // free slot after this
    uint32_t noted; // serial of the last recording that uses it; 0: none does
    uint16_t generation;
    uint8_t live, host; // host: mem is a host pointer
} padici_slot;

enum {
    PADICI_NODE_LAUNCH = 1,
    PADICI_NODE_COPY,
    PADICI_NODE_FILL
};

typedef struct padici_node { // one call of a recording
    uint32_t kind;
    uint32_t word;               // fill
    uint64_t at, from_at, size;  // copy, fill; of mem[0] and mem[1]
    padic_launch launch;         // its params are:
    uint32_t params[64];
} padici_node;

// Kept by the backend when that records, else as a list. `held` are blocks of the pool that the
// calls use and nobody else may.
typedef struct padici_recording {
    padic_recording *handle;
    padici_node *nodes;
    uint32_t *buffers; // ids in use
    uint32_t node_count, node_capacity, buffer_count, buffer_capacity;
    uint32_t live, native, stale, held, next;
    uint16_t generation;
} padici_recording;

#define PADICI_AUTO_COUNT 32u

typedef struct padici_auto { // a call that LOW_OVERHEAD has seen
    padici_any_desc desc;
    uint64_t hash, bytes, used; // used: when, in calls
    uint32_t op;          // 0: unused
    uint32_t refused;     // cannot be recorded
    padic_record record;  // 0: not yet
} padici_auto;

typedef struct padici_span {
    const char *name, *method;
    uint64_t begin, end, bytes, launches; // device times while `pending`
    uint32_t track, pending, slot;        // slot: its first stamp, the second follows
    uint32_t host_clock;                  // a device's work in host times
} padici_span;

typedef struct padici_stamp { // a span that has begun
    uint64_t begin, launches;
    uint32_t slot; // PADIC_TIME_SLOTS: host times
} padici_stamp;

typedef struct padici_tie { // one moment on both clocks
    uint64_t device, host;
} padici_tie;

struct padic_context {
    padic_allocator allocator;
    padic_jobs jobs;
    padic_logger log;
    padic_cache cache;
    padic_clock clock;
    padic_progress progress;
    padic_env env; // lent to the backends
    padici_target targets[PADIC_MAX_BACKENDS + 1]; // buffers live on the first; the CPU is last
    uint32_t target_count, flags, strict, device_flags;
    padici_pool pools[2]; // of the first target, and of host memory when that has none
    padici_slot *slots;
    uint32_t slot_count, slot_capacity, slot_free, generation;
    padici_span *spans;
    uint32_t span_capacity;
    uint64_t span_count, start;
    padici_tie tie;         // the last one; device 0: the device's stamps are not used
    uint32_t stamps;        // slots in use since then; the last slot is for ties
    uint32_t stamp_open;    // a span has begun: its slots must stay
    uint64_t first_pending; // span
    uint64_t device_end;    // of the last span whose times are final
    padici_recording *recordings;
    uint32_t recording_count, recording_capacity, recording_free;
    uint32_t recording;        // the one begun, + 1; 0: none
    uint32_t recording_serial; // how many were begun
    padic_result recording_broken;
    uint32_t quiet;     // failures are not the caller's: no sentence
    uint32_t said;      // sentences so far: who finds none new has to say one
    uint32_t tuning;    // calls are the tuner's: no spans, nothing kept
    const char *operation; // that was asked for; NULL: none that has a name
    const char *method; // of the operation that runs; its backend's name, or its driver's word
    padic_mode mode;
    padici_auto *autos; // PADICI_AUTO_COUNT of them, in LOW_OVERHEAD
    uint64_t auto_calls;
    uint32_t tune_ms;
    uint8_t logged[PADIC_OP_COUNT]; // its fallback has been
    void *gpu;          // what padic_gpu.h keeps: programs and what their tests said
#ifndef PADIC_NO_TENSOR
    padici_einsum_kept einsum;
#endif
    padic_stats stats;
    const char *fault[3]; // of padici_blame()
    char message[512], driver_message[512];
};

PADICI_UNUSED static const padic_allocator *padici_allocator(padic_context *context)
{
    return context ? &context->allocator : NULL;
}

PADICI_UNUSED static const padic_logger *padici_logger(padic_context *context)
{
    return context ? &context->log : NULL;
}

PADICI_UNUSED static const padic_jobs *padici_jobs(padic_context *context)
{
    return context ? &context->jobs : NULL;
}

PADICI_UNUSED static const padic_progress *padici_progress(padic_context *context)
{
    return context ? &context->progress : NULL;
}

#ifndef PADIC_NO_TENSOR
static padici_einsum_kept *padici_context_einsum(padic_context *context)
{
    return &context->einsum;
}
#endif

// room: src/context/messages.c
// What a context says when it refuses: one sentence, under the name of the
// function that was called.

PADICI_UNUSED static padic_result padici_fail(padic_context *context, padic_result result,
                                              const char *sentence)
{
    if (context && !context->quiet) {
        padici_text text;
        context->said++;
        padici_text_begin(&text, context->message, sizeof context->message);
        padici_text_add(&text, sentence);
        padici_log_write(&context->log, PADIC_LOG_ERROR, 0, context->message);
    }
    return result;
}

PADICI_UNUSED static padic_result padici_blame(padic_context *context, padic_result result,
                                               const char *field, const char *plane,
                                               const char *why)
{
    if (!context || !result) return result;
    if (field && !context->fault[0]) context->fault[0] = field;
    if (plane && !context->fault[1]) context->fault[1] = plane;
    if (why && !context->fault[2]) context->fault[2] = why;
    return result;
}

PADICI_UNUSED static padic_result padici_fault(padic_context *context, padic_result result,
                                               const char *operation)
{
    const char *words = padic_result_text(result);
    char space[512];
    padici_text text;
    if (!context) return result;
    if (context->fault[0]) {
        switch (result) {
        case PADIC_ERROR_ARGUMENT: words = "is missing, not dense, or makes no sense"; break;
        case PADIC_ERROR_DTYPE: words = "has an element type that is not taken here"; break;
        case PADIC_ERROR_MISMATCH: words = "has another shape or count than is wanted"; break;
        case PADIC_ERROR_OVERLAP: words = "shares memory with another operand"; break;
        case PADIC_ERROR_LIMIT: words = "is larger than its limit"; break;
        case PADIC_ERROR_CAPACITY: words = "is too small"; break;
        case PADIC_ERROR_NOT_SUPPORTED: words = "is not supported here"; break;
        case PADIC_ERROR_RING: words = "is of another ring or model: convert one side"; break;
        case PADIC_ERROR_ALIGNMENT:
            words = "has an address that is no multiple of its element's size: move it";
            break;
        default: break;
        }
    }
    padici_text_begin(&text, space, sizeof space);
    padici_text_add(&text, operation);
    padici_text_add(&text, ": ");
    if (context->fault[0]) {
        padici_text_add(&text, context->fault[0]);
        padici_text_add(&text, context->fault[1] ? "." : "");
        padici_text_add(&text, context->fault[1] ? context->fault[1] : "");
        padici_text_add(&text, " ");
    }
    padici_text_add(&text, context->fault[2] ? context->fault[2] : words);
    context->fault[0] = context->fault[1] = context->fault[2] = NULL;
    return result ? padici_fail(context, result, space) : result;
}

PADICI_UNUSED static const char *padici_enter(padic_context *context, const char *operation)
{
    const char *before = context ? context->operation : NULL;
    if (context && !before) context->operation = operation;
    return before;
}

PADICI_UNUSED static void padici_leave(padic_context *context, const char *before)
{
    if (context) context->operation = before;
}

PADICI_UNUSED static padic_result padici_fail_here(padic_context *context, padic_result result,
                                                   const char *sentence)
{
    if (!context || !context->operation) return padici_fail(context, result, sentence);
    return padici_fail_in(context, result, context->operation, sentence);
}

PADICI_UNUSED static padic_result padici_kernel(padic_context *context, uint32_t kernel,
                                                void *call)
{
    uint32_t i;
    for (i = 0; context && i + 1 < context->target_count; i++) { // the last is the CPU itself
        const padici_target *target = &context->targets[i];
        padic_result result = PADIC_ERROR_NOT_SUPPORTED;
        if ((target->backend->flags & PADIC_BACKEND_HOST) && target->backend->run)
            result = (*target->backend->run)(target->device, kernel, call, 0);
        if (result != PADIC_ERROR_NOT_SUPPORTED) return result;
    }
    return PADIC_ERROR_NOT_SUPPORTED;
}

// A function of the context, under whose name its refusals are said. It has one.
#define PADICI_ENTRY(name, parameters, arguments)                        \
    PADIC_API padic_result padic_##name parameters                       \
    {                                                                    \
        const char *before = padici_enter(context, #name);               \
        const padic_result result =                                      \
            context ? padici_##name##_named arguments : PADIC_ERROR_ARGUMENT; \
        padici_leave(context, before);                                   \
        return result;                                                   \
    }

// room: src/context/grow.c
// Tables of a context that grow.

// Room for one more element in a table of the context: doubles it. Nothing changes on failure.
static padic_result padici_grow(padic_context *context, void **table, uint32_t *capacity,
                                uint32_t used, size_t element)
{
    uint32_t more = *capacity ? *capacity * 2 : 16;
    size_t size;
    void *bigger;
    if (used < *capacity) return PADIC_OK;
    if (more < *capacity || !padici_mul_size(more, element, &size))
        return padici_fail_here(context, PADIC_ERROR_LIMIT, "too many blocks of memory");
    bigger = padici_alloc(&context->allocator, size, 16);
    if (!bigger) return padici_fail_here(context, PADIC_ERROR_MEMORY, "out of host memory");
    context->stats.host_allocations++;
    if (used) memcpy(bigger, *table, used * element);
    padici_free(&context->allocator, *table, *capacity * element);
    *table = bigger;
    *capacity = more;
    return PADIC_OK;
}

// room: src/context/recording.c
// What calls leave in an open recording: nodes, and the buffers that they use.

// What cannot be part of a recording, refused before the driver sees it.
static padic_result padici_refuse(padic_context *context, const char *what)
{
    padici_text text;
    char space[160];
    if (!context->recording) return PADIC_OK;
    padici_text_begin(&text, space, sizeof space);
    padici_text_add(&text, what);
    padici_text_add(&text, " cannot be recorded: do it before padic_record_begin()");
    return padici_fail_here(context, PADIC_ERROR_ARGUMENT, space);
}

// A call that is being recorded: NULL when it is not, or when the backend itself keeps it. Without
// memory the recording is broken and the node goes nowhere.
static padic_result padici_node_new(padic_context *context, const padici_target *target,
                                    padici_node **node)
{
    padici_recording *r;
    padic_result result = PADIC_OK;
    *node = NULL;
    if (!context->recording || target != &context->targets[0]) return PADIC_OK;
    r = &context->recordings[context->recording - 1];
    context->stats.recorded_nodes++;
    if (r->native) return PADIC_OK;
    result = padici_grow(context, (void **)&r->nodes, &r->node_capacity, r->node_count,
                         sizeof *r->nodes);
    if (result) {
        context->recording_broken = result;
        return result;
    }
    *node = &r->nodes[r->node_count++];
    memset(*node, 0, sizeof **node);
    return PADIC_OK;
}

// The recording uses a buffer: the first time, it keeps the id.
static void padici_recording_note(padic_context *context, padici_slot *slot, uint32_t id)
{
    padici_recording *r = &context->recordings[context->recording - 1];
    padic_result result;
    if (slot->noted == context->recording_serial) return;
    result = padici_grow(context, (void **)&r->buffers, &r->buffer_capacity, r->buffer_count,
                         sizeof *r->buffers);
    if (result) {
        context->recording_broken = result;
        return;
    }
    slot->noted = context->recording_serial;
    r->buffers[r->buffer_count++] = id;
}

// A buffer is gone, and with it what the recordings that use it are good for.
static void padici_recording_forget(padic_context *context, uint32_t id)
{
    uint32_t i, j;
    for (i = 0; i < context->recording_count; i++) {
        padici_recording *r = &context->recordings[i];
        for (j = 0; r->live && j < r->buffer_count; j++)
            if (r->buffers[j] == id) r->stale = 1;
    }
}

// room: src/context/target.c
// The device interface: each wrapper asks begin() first and passes the answer through end().

static padic_result padici_target_begin(padic_context *context, padici_target *target)
{
    context->driver_message[0] = 0;
    if (!target->lost) return PADIC_OK;
    return padici_fail_here(context, PADIC_ERROR_DEVICE_LOST,
                            padic_result_text(PADIC_ERROR_DEVICE_LOST));
}

// On failure keeps the backend's sentence, or makes one.
static padic_result padici_target_end(padic_context *context, padici_target *target,
                                      padic_result result)
{
    padici_text text;
    if (!result) return PADIC_OK;
    if (result == PADIC_ERROR_DEVICE_LOST) target->lost = 1;
    if (context->recording && !context->recording_broken) context->recording_broken = result;
    if (context->driver_message[0])
        return padici_fail_here(context, result, context->driver_message);
    padici_text_begin(&text, context->driver_message, sizeof context->driver_message);
    padici_text_add(&text, target->backend->name);
    padici_text_add(&text, ": ");
    padici_text_add(&text, padic_result_text(result));
    return padici_fail_here(context, result, context->driver_message);
}

static int padici_target_is_host(const padici_target *target)
{
    return (target->backend->flags & PADIC_BACKEND_HOST) != 0;
}

static void padici_profile_settle(padic_context *context); // after a sync
static void padici_auto_end_stale(padic_context *context); // a buffer went
static void padici_auto_end_all(padic_context *context);

static padic_result padici_target_fill(padic_context *context, padici_target *target, padic_mem mem,
                                       uint64_t at, uint32_t word, uint64_t size)
{
    padici_node *node;
    padic_result result = padici_target_begin(context, target);
    if (!result) result = padici_node_new(context, target, &node);
    if (result) return result;
    if (node) {
        node->kind = PADICI_NODE_FILL;
        node->launch.mem[0] = mem;
        node->at = at;
        node->word = word;
        node->size = size;
        return PADIC_OK;
    }
    context->stats.fills += !context->recording;
    return padici_target_end(context, target,
                             (*target->backend->fill)(target->device, mem, at, word, size));
}

// A launch that has been checked.
PADICI_UNUSED static padic_result padici_target_launch(padic_context *context,
                                                       padici_target *target,
                                                       const padic_launch *launch)
{
    padici_node *node;
    padic_result result = padici_target_begin(context, target);
    if (!result) result = padici_node_new(context, target, &node);
    if (result) return result;
    if (node) {
        node->kind = PADICI_NODE_LAUNCH;
        node->launch = *launch;
        node->launch.params = NULL; // found in the node, which may move
        memcpy(node->params, launch->params, launch->params_size);
        return PADIC_OK;
    }
    context->stats.launches += !context->recording;
    return padici_target_end(context, target, (*target->backend->launch)(target->device, launch));
}

static padic_result padici_target_sync(padic_context *context, padici_target *target)
{
    padic_result result = padici_target_begin(context, target);
    if (!result) result = padici_refuse(context, "waiting for the device");
    if (result) return result;
    context->stats.syncs++;
    result = padici_target_end(context, target, (*target->backend->sync)(target->device));
    if (!result && target == &context->targets[0]) padici_profile_settle(context);
    return result;
}

static padic_result padici_target_copy(padic_context *context, padici_target *target,
                                       const padici_place *to, const padici_place *from,
                                       uint64_t size)
{
    padici_node *node;
    padic_result result = padici_node_new(context, target, &node);
    if (result) return result;
    if (node) {
        node->kind = PADICI_NODE_COPY;
        node->launch.mem[0] = to->mem;
        node->launch.mem[1] = from->mem;
        node->at = to->at;
        node->from_at = from->at;
        node->size = size;
        return PADIC_OK;
    }
    context->stats.copies += !context->recording;
    return padici_target_end(context, target,
                             (*target->backend->copy)(target->device, to->mem, to->at, from->mem,
                                                      from->at, size));
}

// Between two places, of which those that are not host memory belong to `target`.
static padic_result padici_target_move(padic_context *context, padici_target *target,
                                       const padici_place *to, const padici_place *from,
                                       uint64_t size)
{
    padic_result result = padici_target_begin(context, target);
    const padic_backend *backend = target->backend;
    if (result || !size) return result;
    if (!to->host && !from->host) return padici_target_copy(context, target, to, from, size);
    result = padici_refuse(context, "moving memory to or from the host");
    if (result) return result;
    if (to->host && from->host) {
        memcpy(padici_mem_at(to->mem, to->at), padici_mem_at(from->mem, from->at), (size_t)size);
        context->stats.copies++;
    } else if (to->host) {
        result = (*backend->download)(target->device, from->mem, from->at,
                                      padici_mem_at(to->mem, to->at), size);
        context->stats.downloads++;
        context->stats.download_bytes += size;
    } else {
        result = (*backend->upload)(target->device, to->mem, to->at,
                                    padici_mem_at(from->mem, from->at), size);
        context->stats.uploads++;
        context->stats.upload_bytes += size;
    }
    return padici_target_end(context, target, result);
}

// room: src/context/pool.c
// The pool. Sizes are rounded so that blocks serve again: 4 steps a power of two.

// Rounds *size up and returns its class.
static uint32_t padici_pool_class(uint64_t *size)
{
    const uint64_t big = UINT64_C(64) << 20, huge = UINT64_C(2) << 20;
    uint32_t k;
    uint64_t step;
    if (*size <= 256) {
        *size = 256;
        return 0;
    }
    if (*size > big) {
        *size = (*size + huge - 1) / huge * huge;
        return PADICI_POOL_CLASSES - 1;
    }
    k = 63 - padici_clz64(*size - 1); // 2^k < size <= 2^(k + 1)
    step = UINT64_C(1) << (k - 2);
    *size = (*size + step - 1) / step * step;
    return (k - 8) * 4 + (uint32_t)((*size - (UINT64_C(1) << k)) / step);
}

static void padici_pool_begin(padici_pool *pool, padici_target *target)
{
    uint32_t i;
    memset(pool, 0, sizeof *pool);
    pool->target = target;
    pool->unused = PADICI_NO_BLOCK;
    for (i = 0; i < PADICI_POOL_CLASSES; i++) pool->idle[i] = PADICI_NO_BLOCK;
}

// Gives one idle block back to its backend.
static void padici_pool_drop(padic_context *context, padici_pool *pool, uint32_t index)
{
    padici_block *block = &pool->blocks[index];
    uint64_t size = block->size;
    uint32_t *link = &pool->idle[padici_pool_class(&size)];
    while (*link != index) link = &pool->blocks[*link].next;
    *link = block->next;
    (*pool->target->backend->free)(pool->target->device, block->mem, block->size);
    context->stats.pool_idle -= block->size;
    block->size = 0;
    block->idle = 0;
    block->next = pool->unused;
    pool->unused = index;
}

// The best idle block for a rounded size: a class has one size (unless max_alloc cuts it); of
// larger ones the smallest that wastes at most an eighth.
static uint32_t padici_pool_find(const padici_pool *pool, uint32_t bin, uint64_t size)
{
    uint32_t i = pool->idle[bin], best = PADICI_NO_BLOCK;
    for (; i != PADICI_NO_BLOCK; i = pool->blocks[i].next) {
        const uint64_t has = pool->blocks[i].size;
        if (has < size || has - size > size / 8) continue;
        if (best == PADICI_NO_BLOCK || has < pool->blocks[best].size) best = i;
        if (has == size) break;
    }
    return best;
}

static void padici_pool_drop_all(padic_context *context, padici_pool *pool)
{
    uint32_t i;
    for (i = 0; i < pool->count; i++)
        if (pool->blocks[i].idle) padici_pool_drop(context, pool, i);
}

// Says what was asked for and what the pool holds, with the backend's sentence in front.
static padic_result padici_pool_full(padic_context *context, padici_target *target, uint64_t size)
{
    char space[512];
    padici_text text;
    padici_text_begin(&text, space, sizeof space);
    padici_text_add(&text, context->driver_message[0] ? context->driver_message
                                                      : target->backend->name);
    padici_text_add(&text, ": ");
    padici_text_number(&text, size, 1);
    padici_text_add(&text, " bytes asked");
    if (target->info.memory) {
        padici_text_add(&text, ", the device has ");
        padici_text_number(&text, target->info.memory, 1);
    }
    padici_text_add(&text, "; the pool has ");
    padici_text_number(&text, context->stats.pool_live, 1);
    padici_text_add(&text, " in use, ");
    padici_text_number(&text, context->stats.pool_idle, 1);
    padici_text_add(&text, " idle");
    memcpy(context->driver_message, space, sizeof space);
    return padici_target_end(context, target, PADIC_ERROR_MEMORY);
}

// A new block from the backend; when that has no memory left, idle blocks are freed first, and the
// calls that LOW_OVERHEAD keeps, with their scratch.
static padic_result padici_pool_new(padic_context *context, padici_pool *pool, uint64_t size,
                                    uint32_t *index)
{
    padici_target *target = pool->target;
    padic_mem mem;
    padic_result result = padici_target_begin(context, target);
    if (result) return result;
    if (pool->unused == PADICI_NO_BLOCK) {
        result = padici_grow(context, (void **)&pool->blocks, &pool->capacity, pool->count,
                             sizeof *pool->blocks);
        if (result) return result;
    }
    mem.bits = 0;
    result = (*target->backend->alloc)(target->device, size, &mem);
    if (result == PADIC_ERROR_MEMORY && (context->stats.pool_idle || context->autos)) {
        padici_auto_end_all(context);
        padici_pool_drop_all(context, pool);
        result = (*target->backend->alloc)(target->device, size, &mem);
    }
    if (result == PADIC_ERROR_MEMORY) return padici_pool_full(context, target, size);
    if (result) return padici_target_end(context, target, result);
    context->stats.device_allocations++;
    if (pool->unused != PADICI_NO_BLOCK) {
        *index = pool->unused;
        pool->unused = pool->blocks[*index].next;
    } else {
        *index = pool->count++;
    }
    pool->blocks[*index].mem = mem;
    pool->blocks[*index].size = size;
    pool->blocks[*index].idle = 0;
    return PADIC_OK;
}

static void padici_pool_give(padic_context *context, padici_pool *pool, uint32_t index)
{
    padici_block *block = &pool->blocks[index];
    uint64_t size = block->size;
    uint32_t bin = padici_pool_class(&size);
    if (context->flags & PADIC_CONTEXT_DEBUG)
        (void)padici_target_fill(context, pool->target, block->mem, 0, 0xcdcdcdcdu,
                                 block->size & ~UINT64_C(3));
    if (context->recording && pool == &context->pools[0]) { // its calls will use it again
        padici_recording *r = &context->recordings[context->recording - 1];
        block->next = r->held;
        r->held = index;
        return;
    }
    block->idle = 1;
    block->next = pool->idle[bin];
    pool->idle[bin] = index;
    context->stats.pool_live -= block->size;
    context->stats.pool_idle += block->size;
}

static padic_result padici_pool_limit(padic_context *context, uint64_t size, uint64_t limit)
{
    padici_text text;
    char space[160];
    padici_text_begin(&text, space, sizeof space);
    padici_text_number(&text, size, 1);
    padici_text_add(&text, " bytes are more than the ");
    padici_text_number(&text, limit ? limit : UINT64_C(1) << 62, 1);
    padici_text_add(&text, " that the device allows for one block: split the work");
    return padici_fail_here(context, PADIC_ERROR_LIMIT, space);
}

// Out of what the recording took and gave back before: 1, or 0 when nothing there fits.
static int padici_pool_take_held(padic_context *context, padici_pool *pool, uint64_t size,
                                 uint32_t *index)
{
    uint32_t *link;
    if (!context->recording || pool != &context->pools[0]) return 0;
    for (link = &context->recordings[context->recording - 1].held; *link != PADICI_NO_BLOCK;
         link = &pool->blocks[*link].next) {
        const uint64_t has = pool->blocks[*link].size;
        if (has < size || has - size > size / 8) continue;
        *index = *link;
        *link = pool->blocks[*index].next;
        context->stats.pool_hits++;
        return 1;
    }
    return 0;
}

static padic_result padici_pool_take(padic_context *context, padici_pool *pool, uint64_t size,
                                     uint32_t *index)
{
    const uint64_t limit = pool->target->info.max_alloc;
    padic_result result = PADIC_OK;
    uint32_t bin;
    padici_block *block;
    if (size >> 62 || (limit && size > limit)) return padici_pool_limit(context, size, limit);
    bin = padici_pool_class(&size);
    if (limit && size > limit) size = limit; // same class, see padici_pool_find()
    if (padici_pool_take_held(context, pool, size, index)) return PADIC_OK;
    *index = padici_pool_find(pool, bin, size);
    if (*index != PADICI_NO_BLOCK) {
        uint32_t *link = &pool->idle[bin];
        while (*link != *index) link = &pool->blocks[*link].next;
        *link = pool->blocks[*index].next;
        pool->blocks[*index].idle = 0;
        context->stats.pool_idle -= pool->blocks[*index].size;
        context->stats.pool_hits++;
    } else {
        result = padici_refuse(context, "taking memory that no call took before");
        if (!result) result = padici_pool_new(context, pool, size, index);
        if (result) return result;
    }
    block = &pool->blocks[*index];
    context->stats.pool_live += block->size;
    if (context->stats.pool_live > context->stats.pool_peak)
        context->stats.pool_peak = context->stats.pool_live;
    if (context->flags & PADIC_CONTEXT_DEBUG) {
        result = padici_target_fill(context, pool->target, block->mem, 0, 0xcdcdcdcdu,
                                    block->size & ~UINT64_C(3));
        if (result) padici_pool_give(context, pool, *index);
    }
    return result;
}

static void padici_pool_end(padic_context *context, padici_pool *pool)
{
    uint32_t i;
    for (i = 0; i < pool->count; i++)
        if (pool->blocks[i].size)
            (*pool->target->backend->free)(pool->target->device, pool->blocks[i].mem,
                                           pool->blocks[i].size);
    padici_free(&context->allocator, pool->blocks, pool->capacity * sizeof *pool->blocks);
}

PADIC_API void padic_trim(padic_context *context, uint64_t keep)
{
    padic_stats *stats;
    if (!context || context->recording) return;
    stats = &context->stats;
    if (!keep) keep = stats->pool_peak + stats->pool_peak / 5;
    while (stats->pool_idle && stats->pool_live + stats->pool_idle > keep) {
        padici_pool *from = NULL;
        uint32_t largest = 0, p, i;
        for (p = 0; p < 2; p++)
            for (i = 0; i < context->pools[p].count; i++) {
                const padici_block *block = &context->pools[p].blocks[i];
                if (!block->idle || (from && block->size <= from->blocks[largest].size)) continue;
                from = &context->pools[p];
                largest = i;
            }
        padici_pool_drop(context, from, largest);
    }
}

// room: src/context/profile.c
// The profile: spans of host and device on one clock.

static uint64_t padici_clock_default(void *user)
{
#if defined(CLOCK_MONOTONIC) && !defined(_WIN32)
    struct timespec t;
    (void)user;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
#elif defined(TIME_UTC)
    struct timespec t;
    (void)user;
    timespec_get(&t, TIME_UTC);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
#else
    (void)user; // strict C99 has no wall clock finer than a second
    return (uint64_t)clock() * (1000000000u / (uint64_t)CLOCKS_PER_SEC);
#endif
}

static uint64_t padici_profile_now(padic_context *context)
{
    uint64_t now = (*context->clock.now)(context->clock.user);
    return now > context->start ? now - context->start : 0;
}

// The next span of the ring, begun and ended in host time. Names must be literals, or a backend's.
static padici_span *padici_profile_span(padic_context *context, const char *name,
                                        const char *method, uint64_t begin)
{
    padici_span *span;
    if (context->span_count >= context->span_capacity) context->stats.spans_lost++;
    span = &context->spans[context->span_count++ % context->span_capacity];
    memset(span, 0, sizeof *span);
    span->name = name;
    span->method = method;
    span->begin = begin;
    span->end = padici_profile_now(context);
    return span;
}

// A device's spans. With PADIC_FEATURE_TIME the queue stamps slots before and after the work, and
// the times are read and moved to the host's clock at the next sync: between two syncs that clock
// is linear in the device's. Without it, or once it failed, host times around a wait do.

#define PADICI_TIE_SLOT (PADIC_TIME_SLOTS - 1u)

static int padici_time(padici_target *target, uint32_t slot, uint64_t *ns)
{
    return !(*target->backend->time)(target->device, slot, ns);
}

// With nothing in the queue: one moment on both clocks. 0: the device's clock is no use.
static int padici_tie_now(padic_context *context, padici_target *target, padici_tie *tie)
{
    uint64_t before;
    tie->device = 0;
    if (!(target->info.features & PADIC_FEATURE_TIME) || !target->backend->time) return 0;
    before = padici_profile_now(context);
    if (!padici_time(target, PADICI_TIE_SLOT, NULL) ||
        (*target->backend->sync)(target->device) ||
        !padici_time(target, PADICI_TIE_SLOT, &tie->device))
        tie->device = 0;
    tie->host = before + (padici_profile_now(context) - before) / 2;
    return tie->device != 0;
}

// A device time between two ties on the host's clock; outside them, the nearer one.
static uint64_t padici_tie_map(const padici_tie *a, const padici_tie *b, uint64_t device)
{
    if (device <= a->device || b->device <= a->device || b->host <= a->host) return a->host;
    if (device >= b->device) return b->host;
    return a->host + (uint64_t)((double)(device - a->device) / (double)(b->device - a->device) *
                                (double)(b->host - a->host));
}

// The device has just waited: reads the stamps since the last time, and ties the clocks anew. When
// any of that fails the clock is no use, and spans keep the host times of their calls.
static void padici_profile_settle(padic_context *context)
{
    padici_target *target = &context->targets[0];
    padici_tie tie;
    uint64_t stamps[PADIC_TIME_SLOTS], i = context->first_pending;
    uint32_t slot;
    int good;
    if (!context->spans || !context->tie.device || context->recording || context->stamp_open)
        return;
    if (context->span_count - i > context->span_capacity)
        i = context->span_count - context->span_capacity;
    good = padici_tie_now(context, target, &tie);
    for (slot = 0; slot < context->stamps && good; slot++)
        good = padici_time(target, slot, &stamps[slot]);
    for (; i < context->span_count && good; i++) {
        padici_span *span = &context->spans[i % context->span_capacity];
        if (!span->pending) continue;
        span->begin = padici_tie_map(&context->tie, &tie, stamps[span->slot]);
        span->end = padici_tie_map(&context->tie, &tie, stamps[span->slot + 1]);
        span->pending = span->host_clock = 0;
        context->device_end = span->end;
    }
    context->first_pending = context->span_count;
    context->stamps = 0;
    if (!good) tie.device = 0;
    context->tie = tie;
}

// Begins a span of work that the target is about to get. Costs a branch without a profile.
PADICI_UNUSED static padici_stamp padici_stamp_begin(padic_context *context, padici_target *target)
{
    padici_stamp stamp = {0, 0, PADIC_TIME_SLOTS};
    if (!context->spans || context->recording || context->tuning) return stamp;
    if (target == &context->targets[0] && context->tie.device && !target->lost) {
        if (context->stamps + 2 > PADICI_TIE_SLOT) (void)padici_target_sync(context, target);
        if (context->tie.device && context->stamps + 2 <= PADICI_TIE_SLOT &&
            padici_time(target, context->stamps, NULL))
            stamp.slot = context->stamps;
        context->stamp_open = 1;
    }
    stamp.begin = padici_profile_now(context);
    stamp.launches = context->stats.launches;
    return stamp;
}

// The work was handed to the target, or done by a host's, or has failed: then there is no span.
PADICI_UNUSED static padic_result padici_stamp_end(padic_context *context, padici_target *target,
                                                   const padici_stamp *stamp, padic_result result,
                                                   const char *name, const char *method,
                                                   uint64_t bytes, uint64_t replays)
{
    const int device = !padici_target_is_host(target);
    padici_span *span;
    int stamped = 0;
    if (!context->spans || context->recording || context->tuning) return result;
    if (!result && device && stamp->slot < PADIC_TIME_SLOTS)
        stamped = padici_time(target, stamp->slot + 1, NULL);
    if (!result && device && !stamped) result = padici_target_sync(context, target);
    context->stamp_open = 0;
    if (result) return result;
    if (device && !stamped) padici_profile_settle(context);
    span = padici_profile_span(context, name, method, stamp->begin);
    if (device && !stamped) { // what was queued before ran in this time, too
        if (span->begin < context->device_end) span->begin = context->device_end;
        context->device_end = span->end;
    }
    span->bytes = bytes;
    span->launches = context->stats.launches - stamp->launches + replays;
    span->track = device ? 2 : 1;
    span->host_clock = device != 0;
    span->pending = stamped != 0;
    span->slot = stamp->slot;
    if (stamped) context->stamps += 2;
    return PADIC_OK;
}

// room: src/context/profile_write.c
// The profile as JSON, as the trace viewers of browsers read it.

static void padici_text_microseconds(padici_text *text, uint64_t ns)
{
    padici_text_number(text, ns / 1000, 1);
    padici_text_add(text, ".");
    padici_text_number(text, ns % 1000, 3);
}

// Names of backends are the caller's: only what JSON takes as it is.
static void padici_text_name(padici_text *text, const char *name)
{
    char one[2] = {0, 0};
    for (; *name; name++) {
        one[0] = *name >= ' ' && *name <= '~' && *name != '"' && *name != '\\' ? *name : '?';
        padici_text_add(text, one);
    }
}

static void padici_profile_track(padici_text *text, uint32_t track, const char *name)
{
    padici_text_add(text, "{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":1,\"tid\":");
    padici_text_number(text, track, 1);
    padici_text_add(text, ",\"args\":{\"name\":\"");
    padici_text_name(text, name);
    padici_text_add(text, "\"}}");
}

static void padici_profile_row(padici_text *text, const padici_span *span)
{
    padici_text_add(text, ",\n{\"name\":\"");
    padici_text_add(text, span->name);
    padici_text_add(text, "\",\"cat\":\"padic\",\"ph\":\"X\",\"ts\":");
    padici_text_microseconds(text, span->begin);
    padici_text_add(text, ",\"dur\":");
    padici_text_microseconds(text, span->end > span->begin ? span->end - span->begin : 0);
    padici_text_add(text, ",\"pid\":1,\"tid\":");
    padici_text_number(text, span->track, 1);
    padici_text_add(text, ",\"args\":{\"bytes\":");
    padici_text_number(text, span->bytes, 1);
    padici_text_add(text, ",\"launches\":");
    padici_text_number(text, span->launches, 1);
    padici_text_add(text, ",\"method\":\"");
    padici_text_name(text, span->method);
    padici_text_add(text, span->host_clock ? "\",\"clock\":\"host\"}}" : "\"}}");
}

static padic_result padici_profile_write_named(padic_context *context, padic_profile_sink sink,
                                               void *user)
{
    char space[512];
    padici_text text;
    uint64_t i;
    if (!sink)
        return padici_fail_here(context, PADIC_ERROR_ARGUMENT,
                                "sink is NULL: give a function that takes the text");
    if (context->first_pending < context->span_count && !context->recording)
        (void)padici_target_sync(context, &context->targets[0]);
    padici_text_begin(&text, space, sizeof space);
    padici_text_add(&text, "{\"traceEvents\":[\n");
    padici_profile_track(&text, 1, "host");
    if (!(context->targets[0].backend->flags & PADIC_BACKEND_HOST)) {
        padici_text_add(&text, ",\n");
        padici_profile_track(&text, 2, context->targets[0].backend->name);
    }
    i = context->span_count > context->span_capacity ? context->span_count - context->span_capacity
                                                     : 0;
    for (;; i++) {
        if ((*sink)(space, sizeof space - text.left, user))
            return padici_fail_here(context, PADIC_ERROR_CALLBACK,
                                    "sink refused a piece of the text");
        padici_text_begin(&text, space, sizeof space);
        if (i >= context->span_count) break;
        padici_profile_row(&text, &context->spans[i % context->span_capacity]);
    }
    padici_text_add(&text, "\n],\"displayTimeUnit\":\"ns\"}\n");
    if ((*sink)(space, sizeof space - text.left, user))
        return padici_fail_here(context, PADIC_ERROR_CALLBACK, "sink refused a piece of the text");
    return PADIC_OK;
}

PADICI_ENTRY(profile_write, (padic_context *context, padic_profile_sink sink, void *user),
             (context, sink, user))

// room: src/context/buffer.c
// Buffers. An id is generation << 16 | slot + 1. Free slots wait in a list, last in first out.

static padici_slot *padici_slot_find(padic_context *context, padic_buffer buffer)
{
    const uint32_t index = (buffer.id & 0xffffu) - 1u; // of id 0: far beyond
    padici_slot *slot;
    if (index >= context->slot_count) return NULL;
    slot = &context->slots[index];
    if (!slot->live || slot->generation != buffer.id >> 16) return NULL;
    if (context->recording) padici_recording_note(context, slot, buffer.id);
    return slot;
}

// A slot and its id, ready to be filled.
static padic_result padici_slot_new(padic_context *context, padici_slot **slot,
                                    padic_buffer *buffer)
{
    uint32_t index = context->slot_free;
    padic_result result;
    if (index == PADICI_NO_BLOCK) {
        if (context->slot_count >= 0xffffu)
            return padici_fail_here(context, PADIC_ERROR_LIMIT,
                                    "65,535 buffers are live: destroy some");
        result = padici_grow(context, (void **)&context->slots, &context->slot_capacity,
                             context->slot_count, sizeof **slot);
        if (result) return result;
        index = context->slot_count++;
        memset(&context->slots[index], 0, sizeof **slot);
        context->slots[index].generation = (uint16_t)(context->generation + index);
    } else {
        context->slot_free = context->slots[index].next;
    }
    *slot = &context->slots[index];
    (*slot)->generation++;
    (*slot)->noted = 0;
    (*slot)->live = 1;
    buffer->id = (uint32_t)(*slot)->generation << 16 | (index + 1);
    return PADIC_OK;
}

static void padici_slot_free(padic_context *context, padici_slot *slot)
{
    slot->live = 0;
    slot->next = context->slot_free;
    context->slot_free = (uint32_t)(slot - context->slots);
}

static padic_result padici_buffer_bad(padic_context *context, const char *field)
{
    return padici_fail_field(context, PADIC_ERROR_ARGUMENT, field,
                             "is null, destroyed or another context's");
}

static padic_result padici_buffer_create_named(padic_context *context,
                                               const padic_buffer_desc *desc, padic_buffer *buffer)
{
    padici_slot *slot = NULL;
    padici_place to, from;
    padic_buffer made = {0};
    padic_result result;
    if (!desc || !buffer)
        return padici_fail_here(context, PADIC_ERROR_ARGUMENT,
                                desc ? "buffer is NULL: give a place for the id"
                                     : "desc is NULL: give one with a size");
    result = padici_refuse(context, "creating a buffer");
    if (result) return result;
    if ((desc->host != NULL) + (desc->native != 0) + (desc->data != NULL) > 1)
        return padici_fail_here(context, PADIC_ERROR_ARGUMENT,
                                "data, host and native are set: a buffer has one of them, or none");
    result = padici_slot_new(context, &slot, &made);
    if (result) return result;
    slot->size = desc->size;
    slot->block = PADICI_NO_BLOCK;
    slot->host = (uint8_t)(desc->host || padici_target_is_host(&context->targets[0]));
    if (desc->host || desc->native) {
        slot->mem.bits = desc->host ? (uint64_t)(uintptr_t)desc->host : desc->native;
    } else {
        result = padici_pool_take(context, &context->pools[0], desc->size, &slot->block);
        if (!result) slot->mem = context->pools[0].blocks[slot->block].mem;
    }
    if (!result && desc->data) {
        to.mem = slot->mem;
        to.at = from.at = 0;
        to.host = slot->host;
        from.mem.bits = (uint64_t)(uintptr_t)desc->data;
        from.host = 1;
        result = padici_target_move(context, &context->targets[0], &to, &from, desc->size);
        if (result) padici_pool_give(context, &context->pools[0], slot->block);
    }
    if (result)
        padici_slot_free(context, slot);
    else
        *buffer = made;
    return result;
}

PADIC_API padic_result padic_buffer_create(padic_context *context, const padic_buffer_desc *desc,
                                           padic_buffer *buffer)
{
    const char *before = padici_enter(context, "buffer_create");
    padic_result result = PADIC_ERROR_ARGUMENT;
    if (buffer) buffer->id = 0;
    if (context) result = padici_buffer_create_named(context, desc, buffer);
    padici_leave(context, before);
    return result;
}

static padic_result padici_buffer_destroy_named(padic_context *context, padic_buffer buffer)
{
    padici_slot *slot;
    padic_result result;
    result = padici_refuse(context, "destroying a buffer");
    if (result) return result;
    slot = padici_slot_find(context, buffer);
    if (!slot) return padici_buffer_bad(context, "buffer");
    if (slot->noted) padici_recording_forget(context, buffer.id);
    if (slot->noted) padici_auto_end_stale(context);
    if (slot->block != PADICI_NO_BLOCK) padici_pool_give(context, &context->pools[0], slot->block);
    padici_slot_free(context, slot);
    return PADIC_OK;
}

PADICI_ENTRY(buffer_destroy, (padic_context *context, padic_buffer buffer), (context, buffer))

static padic_result padici_buffer_info_named(padic_context *context, padic_buffer buffer,
                                             padic_buffer_report *report)
{
    const padici_slot *slot;
    if (!report)
        return padici_fail_here(context, PADIC_ERROR_ARGUMENT,
                                "report is NULL: give a place for it");
    memset(report, 0, sizeof *report);
    slot = padici_slot_find(context, buffer);
    if (!slot) return padici_buffer_bad(context, "buffer");
    report->size = slot->size;
    report->native = slot->mem.bits;
    report->borrowed = slot->block == PADICI_NO_BLOCK;
    report->host = slot->host;
    return PADIC_OK;
}

PADICI_ENTRY(buffer_info,
             (padic_context *context, padic_buffer buffer, padic_buffer_report *report),
             (context, buffer, report))

// room: src/context/place.c
// Where ranges of buffers and elements of views lie, and whether two of them share memory.

// Where a range of a buffer lies, which is a field of the call.
static padic_result padici_buffer_part(padic_context *context, const char *field,
                                       padic_buffer buffer, uint64_t at, uint64_t size,
                                       padici_place *place)
{
    const padici_slot *slot;
    char space[80];
    padici_text text;
    if (!context) return PADIC_ERROR_ARGUMENT;
    slot = padici_slot_find(context, buffer);
    if (!slot) return padici_buffer_bad(context, field);
    if (size > slot->size || at > slot->size - size) {
        padici_text_begin(&text, space, sizeof space);
        padici_text_add(&text, "has ");
        padici_text_number(&text, slot->size, 1);
        padici_text_add(&text, " bytes, and the range reaches beyond them");
        return padici_fail_field(context, PADIC_ERROR_REGION, field, space);
    }
    place->mem = slot->mem;
    place->at = at;
    place->host = slot->host;
    return PADIC_OK;
}

static padic_result padici_buffer_range(padic_context *context, padic_buffer buffer, uint64_t at,
                                        uint64_t size, padici_place *place)
{
    return padici_buffer_part(context, "buffer", buffer, at, size, place);
}

// Where the first element of a dense view lies, on the host or the device. REGION beyond its
// buffer, ARGUMENT for a dead id; mem 0 for no memory.
static padic_result padici_field_place(padic_context *context, const char *field,
                                       const padic_tensor *tensor, padici_place *place)
{
    uint64_t count, at, size = padic_dtype_size(tensor->dtype);
    padic_result result = padici_tensor_check_shape(tensor, &count);
    place->mem.bits = (uint64_t)(uintptr_t)tensor->data;
    place->at = 0;
    place->host = 1;
    if (result) return padici_fail_view(context, result, NULL, tensor);
    if (tensor->data || !tensor->buffer.id) return PADIC_OK;
    if (!padici_mul_u64(tensor->offset, size, &at)) at = UINT64_MAX;
    return padici_buffer_part(context, field, tensor->buffer, at, count * size, place);
}

PADICI_UNUSED static padic_result padici_operand_place(padic_context *context,
                                                       const padic_tensor *tensor,
                                                       padici_place *place)
{
    return padici_field_place(context, "buffer", tensor, place);
}

PADICI_UNUSED static padic_result padici_host_pointer(padic_context *context,
                                                      const padic_tensor *tensor, void **pointer)
{
    padici_place place;
    padic_result result = padici_operand_place(context, tensor, &place);
    *pointer = NULL;
    if (result) return result;
    if (!place.host)
        return padici_fail_here(context, PADIC_ERROR_NOT_SUPPORTED,
                                "the buffer is in a device's memory: download it first");
    if (place.mem.bits) *pointer = padici_mem_at(place.mem, place.at);
    return PADIC_OK;
}

// Whether two ranges share a byte. Different handles of a device are different memory; host
// pointers may point into one another.
static int padici_places_overlap(const padici_place *a, uint64_t a_size, const padici_place *b,
                                 uint64_t b_size)
{
    uint64_t a_at = a->at, b_at = b->at;
    if (a->host != b->host) return 0;
    if (a->host) {
        a_at += a->mem.bits;
        b_at += b->mem.bits;
    } else if (a->mem.bits != b->mem.bits) {
        return 0;
    }
    return a_at < b_at ? b_at - a_at < a_size : a_at - b_at < b_size;
}

// room: src/context/transfer.c
// Buffers to and from the host, and from one to another.

static padic_result padici_buffer_upload_named(padic_context *context, padic_buffer buffer,
                                               uint64_t at, const void *data, uint64_t size)
{
    padici_place to, from;
    padic_result result = padici_buffer_range(context, buffer, at, size, &to);
    if (result) return result;
    if (!data && size)
        return padici_fail_here(context, PADIC_ERROR_ARGUMENT, "data is NULL: give size bytes");
    from.mem.bits = (uint64_t)(uintptr_t)data;
    from.at = 0;
    from.host = 1;
    return padici_target_move(context, &context->targets[0], &to, &from, size);
}

PADICI_ENTRY(buffer_upload,
             (padic_context *context, padic_buffer buffer, uint64_t at, const void *data,
              uint64_t size),
             (context, buffer, at, data, size))

static padic_result padici_buffer_download_named(padic_context *context, padic_buffer buffer,
                                                 uint64_t at, void *data, uint64_t size)
{
    padici_place to, from;
    padic_result result = padici_buffer_range(context, buffer, at, size, &from);
    if (result) return result;
    if (!data && size)
        return padici_fail_here(context, PADIC_ERROR_ARGUMENT,
                                "data is NULL: give room for size bytes");
    to.mem.bits = (uint64_t)(uintptr_t)data;
    to.at = 0;
    to.host = 1;
    return padici_target_move(context, &context->targets[0], &to, &from, size);
}

PADICI_ENTRY(buffer_download,
             (padic_context *context, padic_buffer buffer, uint64_t at, void *data, uint64_t size),
             (context, buffer, at, data, size))

static padic_result padici_buffer_copy_named(padic_context *context, padic_buffer to,
                                             uint64_t to_at, padic_buffer from, uint64_t from_at,
                                             uint64_t size)
{
    padici_place target, source;
    padic_result result = padici_buffer_part(context, "to", to, to_at, size, &target);
    if (!result) result = padici_buffer_part(context, "from", from, from_at, size, &source);
    if (result || !size) return result;
    if (padici_places_overlap(&target, size, &source, size))
        return padici_fail_here(context, PADIC_ERROR_OVERLAP,
                                "the ranges of to and from share bytes: copy through another "
                                "buffer");
    return padici_target_move(context, &context->targets[0], &target, &source, size);
}

PADICI_ENTRY(buffer_copy,
             (padic_context *context, padic_buffer to, uint64_t to_at, padic_buffer from,
              uint64_t from_at, uint64_t size),
             (context, to, to_at, from, from_at, size))

static padic_result padici_buffer_fill_named(padic_context *context, padic_buffer buffer,
                                             uint64_t at, uint32_t word, uint64_t size)
{
    padici_place to = {{0}, 0, 0};
    padic_result result = padici_buffer_range(context, buffer, at, size, &to);
    if (result) return result;
    if ((at | size) & 3)
        return padici_fail_here(context, PADIC_ERROR_ARGUMENT,
                                "at and size must be multiples of 4, for a word is repeated");
    if (!size) return PADIC_OK;
    // Borrowed host memory is not the device's.
    return padici_target_fill(context,
                              &context->targets[to.host ? context->target_count - 1 : 0], to.mem,
                              at, word, size);
}

PADICI_ENTRY(buffer_fill,
             (padic_context *context, padic_buffer buffer, uint64_t at, uint32_t word,
              uint64_t size),
             (context, buffer, at, word, size))

// room: src/context/launch.c
// Programs and launches. What a backend sees has been checked here, in every build.

typedef struct padici_shape { // what a launch of a kernel must agree with
    uint32_t group, buffers, params_size;
} padici_shape;

typedef struct padici_program {
    padic_program *handle;
    uint32_t kernels;
    const padici_shape *shapes; // one a kernel
} padici_program;

// On the context's first device, which owns the program until it is closed. `shapes` must live as
// long.
PADICI_UNUSED static padic_result padici_program_build(padic_context *context,
                                                       const padic_program_desc *desc,
                                                       uint32_t kernels,
                                                       const padici_shape *shapes,
                                                       padici_program *program)
{
    padici_target *target = &context->targets[0];
    padic_result result = padici_target_begin(context, target);
    uint64_t begin;
    uint32_t i;
    memset(program, 0, sizeof *program);
    if (result) return result;
    result = padici_refuse(context, "building a program");
    if (result) return result;
    for (i = 0; i < kernels; i++)
        if (!shapes[i].group ||
            (target->info.max_group && shapes[i].group > target->info.max_group))
            return padici_fail(context, PADIC_ERROR_LIMIT,
                               "the device allows no groups of that size");
    begin = (*context->clock.now)(context->clock.user);
    result = (*target->backend->program)(target->device, desc, &program->handle);
    context->stats.build_ns += (*context->clock.now)(context->clock.user) - begin;
    if (result) return padici_target_end(context, target, result);
    program->kernels = kernels;
    program->shapes = shapes;
    context->stats.programs++;
    return PADIC_OK;
}

static const char *padici_launch_fault(const padici_program *program, const padic_launch *launch)
{
    const padici_shape *shape;
    uint32_t i;
    if (!program->handle || launch->kernel >= program->kernels) return "launch: no such kernel";
    shape = &program->shapes[launch->kernel];
    if (launch->group != shape->group) return "launch: not the group that was compiled";
    if (!launch->groups[0] || !launch->groups[1] || !launch->groups[2])
        return "launch: no groups";
    if ((uint64_t)launch->groups[0] * launch->group >> 32 || launch->groups[1] > 65535 ||
        launch->groups[2] > 65535)
        return "launch: too many groups";
    if (launch->mem_count != shape->buffers || launch->mem_count > 8)
        return "launch: not as many buffers as the kernel has";
    for (i = 0; i < launch->mem_count; i++)
        if (!launch->mem[i].bits) return "launch: a buffer is missing";
    if (!launch->params || launch->params_size != shape->params_size || launch->params_size < 4 ||
        launch->params_size > 256 || launch->params_size & 3)
        return "launch: params are the kernel's 4 to 256 bytes of 32-bit values";
    if (launch->op >= PADIC_OP_COUNT && launch->op < PADIC_KERNEL_SAMPLE)
        return "launch: unknown operation";
    return NULL;
}

// Whether a handle is memory that the context knows on its device: a block in use, or borrowed.
static int padici_mem_live(const padic_context *context, padic_mem mem)
{
    const padici_pool *pool = &context->pools[0];
    const int is_host = padici_target_is_host(&context->targets[0]);
    uint32_t i;
    for (i = 0; i < pool->count; i++)
        if (pool->blocks[i].size && pool->blocks[i].mem.bits == mem.bits)
            return !pool->blocks[i].idle;
    for (i = 0; i < context->slot_count; i++)
        if (context->slots[i].live && context->slots[i].mem.bits == mem.bits)
            return is_host || !context->slots[i].host;
    return 0;
}

// Launches on memory that came from live buffers or the pool; PADIC_CONTEXT_DEBUG looks again.
PADICI_UNUSED static padic_result padici_launch(padic_context *context,
                                                const padici_program *program,
                                                const padic_launch *desc)
{
    padici_target *target = &context->targets[0];
    padic_launch launch = *desc;
    const char *fault = padici_launch_fault(program, desc);
    uint32_t i;
    if (!fault && (context->flags & PADIC_CONTEXT_DEBUG))
        for (i = 0; i < launch.mem_count; i++)
            if (!padici_mem_live(context, launch.mem[i])) fault = "launch: a buffer is not alive";
    if (fault) return padici_fail(context, PADIC_ERROR_ARGUMENT, fault);
    for (i = launch.mem_count; i < 8; i++) launch.mem[i].bits = 0;
    launch.program = program->handle;
    return padici_target_launch(context, target, &launch);
}

// Layer 0 on the device of the buffers: a span and a method like those of an operation.
PADICI_UNUSED static padic_result padici_drive(padic_context *context, uint32_t kernel, void *call,
                                               int query)
{
    static const char *const names[] = {"service", "sample", "num", "sparse", "codec"};
    padici_target *target = context ? &context->targets[0] : NULL;
    padic_op_stats *stats;
    padici_stamp begin;
    padic_result result;
    if (!target || !target->backend->drive) return PADIC_ERROR_NOT_SUPPORTED;
    if (query || kernel < PADIC_KERNEL_SAMPLE)
        return (*target->backend->drive)(context, kernel, call, query);
    stats = &context->stats.kernels;
    context->method = target->backend->name;
    begin = padici_stamp_begin(context, target);
    result = (*target->backend->drive)(context, kernel, call, 0);
    result = padici_stamp_end(context, target, &begin, result,
                              names[kernel / 1000 < 5 ? kernel / 1000 : 0], context->method, 0, 0);
    if (!result) {
        stats->backend = target->backend->name;
        stats->method = context->method;
    } else if (result != PADIC_ERROR_NOT_SUPPORTED && context->recording &&
               !context->recording_broken) {
        context->recording_broken = result;
    }
    return result;
}

// room: src/context/record.c
// Recordings. An id is made like a buffer's.

static padici_recording *padici_recording_find(padic_context *context, padic_record record)
{
    const uint32_t index = (record.id & 0xffffu) - 1u;
    padici_recording *r;
    if (index >= context->recording_count) return NULL;
    r = &context->recordings[index];
    return r->live && r->generation == record.id >> 16 ? r : NULL;
}

static padic_result padici_recording_new(padic_context *context, uint32_t *index)
{
    padici_recording *r;
    padic_result result;
    *index = context->recording_free;
    if (*index == PADICI_NO_BLOCK) {
        if (context->recording_count >= 0xffffu)
            return padici_fail_here(context, PADIC_ERROR_LIMIT,
                                    "65,535 recordings are live: drop some");
        result = padici_grow(context, (void **)&context->recordings, &context->recording_capacity,
                             context->recording_count, sizeof *r);
        if (result) return result;
        *index = context->recording_count++;
        memset(&context->recordings[*index], 0, sizeof *r);
        context->recordings[*index].generation = (uint16_t)(context->generation + *index);
    } else {
        context->recording_free = context->recordings[*index].next;
    }
    r = &context->recordings[*index];
    r->generation++;
    r->live = 1;
    r->held = PADICI_NO_BLOCK;
    return PADIC_OK;
}

// Frees all that a recording has; no recording is open. The backend's own is gone on a lost device.
static void padici_recording_free(padic_context *context, padici_recording *r)
{
    padici_target *target = &context->targets[0];
    if (r->handle && !target->lost)
        (void)(*target->backend->record)(target->device, PADIC_RECORD_DROP, &r->handle);
    while (r->held != PADICI_NO_BLOCK) {
        const uint32_t index = r->held;
        r->held = context->pools[0].blocks[index].next;
        padici_pool_give(context, &context->pools[0], index);
    }
    padici_free(&context->allocator, r->nodes, r->node_capacity * sizeof *r->nodes);
    padici_free(&context->allocator, r->buffers, r->buffer_capacity * sizeof *r->buffers);
    r->handle = NULL;
    r->nodes = NULL;
    r->buffers = NULL;
    r->node_count = r->node_capacity = r->buffer_count = r->buffer_capacity = 0;
    r->live = r->native = r->stale = 0;
    r->next = context->recording_free;
    context->recording_free = (uint32_t)(r - context->recordings);
}

static padic_result padici_record_begin_named(padic_context *context)
{
    padici_target *target = &context->targets[0];
    uint32_t index;
    padic_result result = padici_target_begin(context, target);
    if (result) return result;
    if (context->recording)
        return padici_fail_here(context, PADIC_ERROR_ARGUMENT,
                                "a recording was begun already: end it with padic_record_end()");
    if (padici_target_is_host(target))
        return padici_fail_here(context, PADIC_ERROR_NOT_SUPPORTED,
                                "in host memory there is nothing to record: call the operations");
    result = padici_recording_new(context, &index);
    if (result) return result;
    if (target->backend->record && target->backend->replay) {
        padici_recording *r = &context->recordings[index];
        result = (*target->backend->record)(target->device, PADIC_RECORD_BEGIN, &r->handle);
        r->handle = NULL;
        r->native = !result;
        if (result && result != PADIC_ERROR_NOT_SUPPORTED) { // then it is kept as a list
            padici_recording_free(context, r);
            return padici_target_end(context, target, result);
        }
    }
    context->recording = index + 1;
    context->recording_serial++;
    context->recording_broken = PADIC_OK;
    return PADIC_OK;
}

PADICI_ENTRY(record_begin, (padic_context *context), (context))

static padic_result padici_record_end_named(padic_context *context, padic_record *record)
{
    padici_target *target;
    padici_recording *r;
    padic_recording *none = NULL;
    padic_result result;
    if (!context->recording)
        return padici_fail_here(context, PADIC_ERROR_ARGUMENT,
                                "no recording was begun: call padic_record_begin() first");
    target = &context->targets[0];
    r = &context->recordings[context->recording - 1];
    result = context->recording_broken; // its sentence has been said
    context->recording = 0;
    if (r->native && (result || !record)) {
        if (!target->lost)
            (void)(*target->backend->record)(target->device, PADIC_RECORD_DROP, &none);
    } else if (r->native) {
        padic_result ended = padici_target_begin(context, target);
        if (!ended)
            ended = padici_target_end(context, target,
                                      (*target->backend->record)(target->device, PADIC_RECORD_END,
                                                                 &r->handle));
        result = ended;
    }
    if (result || !record)
        padici_recording_free(context, r);
    else
        record->id = (uint32_t)r->generation << 16 | ((uint32_t)(r - context->recordings) + 1);
    return result;
}

PADIC_API padic_result padic_record_end(padic_context *context, padic_record *record)
{
    const char *before = padici_enter(context, "record_end");
    padic_result result = PADIC_ERROR_ARGUMENT;
    if (record) record->id = 0;
    if (context) result = padici_record_end_named(context, record);
    padici_leave(context, before);
    return result;
}

static padic_result padici_record_bad(padic_context *context)
{
    return padici_fail_here(context, PADIC_ERROR_ARGUMENT,
                            "record is null, dropped or another context's");
}

static padic_result padici_record_drop_named(padic_context *context, padic_record record)
{
    padici_recording *r;
    padic_result result = padici_refuse(context, "dropping a recording");
    if (result) return result;
    r = padici_recording_find(context, record);
    if (!r) return padici_record_bad(context);
    padici_recording_free(context, r);
    return PADIC_OK;
}

PADICI_ENTRY(record_drop, (padic_context *context, padic_record record), (context, record))

// room: src/context/replay.c
// A recording once more: by the backend that kept it, or call by call.

// One pass over a list.
static padic_result padici_recording_play(padici_target *target, padici_recording *r)
{
    const padic_backend *b = target->backend;
    padic_result result = PADIC_OK;
    uint32_t i;
    for (i = 0; i < r->node_count && !result; i++) {
        padici_node *n = &r->nodes[i];
        n->launch.params = n->params;
        if (n->kind == PADICI_NODE_LAUNCH)
            result = (*b->launch)(target->device, &n->launch);
        else if (n->kind == PADICI_NODE_COPY)
            result = (*b->copy)(target->device, n->launch.mem[0], n->at, n->launch.mem[1],
                                n->from_at, n->size);
        else
            result = (*b->fill)(target->device, n->launch.mem[0], n->at, n->word, n->size);
    }
    return result;
}

static const char *padici_recording_method(const padici_recording *r)
{
    return r->native ? "graph" : "list";
}

static padic_result padici_recording_replay(padic_context *context, padici_recording *r,
                                            uint32_t times)
{
    padici_target *target = &context->targets[0];
    padic_result result = padici_target_begin(context, target);
    uint32_t i;
    if (result || !times) return result;
    context->stats.replays += times;
    if (r->native) {
        result = (*target->backend->replay)(target->device, r->handle, times);
    } else {
        for (i = 0; i < times && !result; i++) result = padici_recording_play(target, r);
    }
    return padici_target_end(context, target, result);
}

static padic_result padici_record_replay_named(padic_context *context, padic_record record,
                                               uint32_t times)
{
    padici_recording *r;
    padici_stamp begin;
    padic_result result = padici_refuse(context, "a replay");
    if (result) return result;
    r = padici_recording_find(context, record);
    if (!r) return padici_record_bad(context);
    if (r->stale)
        return padici_fail_here(context, PADIC_ERROR_ARGUMENT,
                                "a buffer of record was destroyed: record again");
    begin = padici_stamp_begin(context, &context->targets[0]);
    result = padici_recording_replay(context, r, times);
    return padici_stamp_end(context, &context->targets[0], &begin, result, "replay",
                            padici_recording_method(r), 0, times);
}

PADICI_ENTRY(record_replay, (padic_context *context, padic_record record, uint32_t times),
             (context, record, times))
// room: src/padic.in.h:162

#ifndef PADIC_NO_CODEC
// room: src/context/codec_buffers.c
// ---- packing and unpacking in buffers

// What a driver gets: `blocks` runs of elements. Block b begins with scalar b / per_row * row +
// b % per_row * step, and has the next step of them, but no more than the row has.
typedef struct padici_codec_drive {
    uint32_t size, kind; // bytes of a scalar; kind: 0 unsigned, 1 signed, 2 float
    uint32_t fetch, coded, header_size;
    uint64_t blocks, per_row, row, step;
    uint64_t rows, inner;  // extent of a block along axis 0; 0: its scalars / inner
    uint64_t length;       // shape[0], for the index
    const uint8_t *header; // packing: the bytes of the header
    padici_place array, packed;
    uint64_t room;  // bytes at `packed`; unpacking: those before the index
    uint64_t total; // packing: becomes the bytes of the stream; above `room`: none was written
    uint64_t bad;   // unpacking: becomes a block that must be looked at by others, or UINT64_MAX
    uint32_t unseen; // unpacking, 1: the driver looks at the index; stays 1 where it is none
    uint32_t mostly; // unpacking: whether the first block is coded
    uint32_t proving, reencoded; // packing: blocks are proved; those that did not come back
    uint32_t wrong;              // 1: neither did they as they are, or header or index did not
    int bounded;    // there may be blocks of a scale; packing: these, and the one to begin with
    padici_scales scales;
    uint32_t guess, asked; // asked: for the range of the elements alone
    double low, high;
} padici_codec_drive;

// 0: some block is not a run of elements, or there are none.
static int padici_codec_runs(const padici_header *header, padici_codec_drive *d)
{
    const padici_grid *grid = &header->grid;
    const padic_dtype dtype = padici_scalar(grid->dtype);
    uint32_t k = grid->axes;
    memset(d, 0, sizeof *d);
    d->size = padic_dtype_size(dtype);
    d->kind = padici_is_float(dtype) ? 2 : (uint32_t)padici_is_signed(dtype);
    d->blocks = grid->total;
    d->header_size = header->size;
    d->length = grid->shape[0];
    d->inner = padici_parts(grid->dtype);
    while (k > 0 && grid->block[k - 1] >= grid->shape[k - 1]) d->inner *= grid->shape[--k];
    d->per_row = k ? grid->blocks[k - 1] : 1;
    d->row = k ? d->inner * grid->shape[k - 1] : d->inner;
    d->step = k ? d->inner * grid->block[k - 1] : d->inner;
    d->rows = k == 1 ? 0 : k ? 1 : grid->shape[0];
    for (k = k ? k - 1 : 0; k-- > 0;)
        if (grid->block[k] != 1 && grid->shape[k] != 1) return 0;
    return grid->total > 0 && grid->total >> 31 == 0;
}

// A view without gaps that lies in a device's memory. NOT_SUPPORTED: it does not.
static padic_result padici_codec_place(padic_context *context, const char *field,
                                       const padic_tensor *t, padici_place *place, uint64_t *bytes)
{
    uint64_t count, before;
    int dense = 1;
    padic_result result = padici_field_place(context, field, t, place);
    if (!result) result = padici_tensor_check_shape(t, &count);
    if (result) return result;
    *bytes = count ? padici_tensor_span(t, &dense, &before) : 0;
    return place->host || !dense ? PADIC_ERROR_NOT_SUPPORTED : PADIC_OK;
}

// What a refusal lacks: no sentence was said since there were so many.
static padic_result padici_codec_say(padic_context *context, uint32_t said, const char *operation,
                                     const padici_header *header, padic_result result)
{
    if (!result || result == PADIC_ERROR_NOT_SUPPORTED || context->said != said) return result;
    return padici_codec_fail(context, operation, header, result);
}

static padic_result padici_codec_pack_device(padic_context *context, const padic_codec_desc *desc,
                                             const padic_tensor *packed, uint64_t *size)
{
    uint8_t bytes[PADICI_HEADER_MOST];
    padici_header header;
    padici_codec_drive d;
    padici_place array, to;
    uint64_t span, room;
    padic_result result = padici_codec_check(desc, PADICI_CHECK_SIZES, &header);
    if (result) return padici_codec_fail(context, "codec_pack_to", &header, result);
    if (!desc->profile || !padici_codec_runs(&header, &d)) return PADIC_ERROR_NOT_SUPPORTED;
    result = padici_codec_place(context, "tensor.buffer", &desc->tensor, &array, &span);
    if (!result) result = padici_codec_place(context, "packed.buffer", packed, &to, &room);
    if (result) return result;
    if (padici_places_overlap(&array, span, &to, room))
        return padici_fail_field(context, PADIC_ERROR_OVERLAP, "packed",
                                 "shares memory with tensor");
    d.array = array;
    if (desc->bound_mode == PADIC_BOUND_RANGE && !(desc->range > 0)) {
        d.asked = 1;
        result = padici_drive(context, PADIC_KERNEL_CODEC_PACK, &d, 0);
        if (result) return result;
        d.asked = 0;
    }
    if (desc->bound_mode != PADIC_BOUND_NONE) {
        header.bound_absolute = padici_scalar_bound(
            desc, desc->range > 0 ? desc->range : padici_difference_down(d.high, d.low));
        d.bounded = padici_scales_of(header.bound_absolute, d.size, &d.scales);
        while (d.guess < 2 && d.size == 4 &&
               (d.high > padici_value(PADIC_F32, d.scales.most[d.guess]) ||
                -d.low > padici_value(PADIC_F32, d.scales.most[d.guess])))
            d.guess++;
    }
    padici_put_header(bytes, &header);
    d.header = bytes;
    d.fetch = desc->profile == PADIC_CODEC_FETCH;
    d.coded = desc->profile == PADIC_CODEC_CODED;
    d.packed = to;
    d.room = room;
    d.proving = !(desc->flags & PADIC_CODEC_NO_PROOF);
    result = padici_drive(context, PADIC_KERNEL_CODEC_PACK, &d, 1);
    if (!result) result = padici_drive(context, PADIC_KERNEL_CODEC_PACK, &d, 0);
    // the stream is none: the host makes one, if it may
    if (!result && d.wrong)
        return context->strict ? PADIC_ERROR_SELF_TEST : PADIC_ERROR_NOT_SUPPORTED;
    *size = d.total; // 0 after an error
    if (!result && d.total > room)
        return padici_fail_field(context, PADIC_ERROR_CAPACITY, "packed",
                                 "is smaller than the stream: *size says what it takes");
    if (!result) padici_report_blocks(context, &header, d.total, d.reencoded, desc->report);
    return result;
}

// Bytes of a place in a device's memory.
static padic_result padici_codec_read(padic_context *context, const padici_place *place,
                                      uint64_t at, void *to, uint64_t size)
{
    padici_place from = *place, here;
    from.at += at;
    here.mem.bits = (uint64_t)(uintptr_t)to;
    here.at = 0;
    here.host = 1;
    return padici_target_move(context, &context->targets[0], &here, &from, size);
}

// Header and index of a stream in a device's memory. The header mostly tells the index's length;
// then, if *unseen, that is all, else *unseen becomes 0.
static padic_result padici_codec_look(padic_context *context, const padici_place *from,
                                      uint64_t size, padici_header *header, uint64_t *index,
                                      uint32_t *unseen, uint32_t *coded)
{
    uint8_t head[256], *bytes;
    uint64_t at = size < sizeof head ? size : sizeof head;
    uint32_t block;
    padic_result result = padici_codec_read(context, from, 0, head, at);
    if (!result) result = padici_take_header(head, (size_t)at, header);
    if (result) return result;
    if (size < header->size + PADICI_INDEX_FIXED) return PADIC_ERROR_CORRUPT;
    *coded = header->size + 20u < at && head[header->size + 20] == PADICI_DIGITS_CLASS;
    at = header->grid.total * header->planes; // if there are not so many, it is read again
    *index = size - PADICI_INDEX_FIXED - (at > (size - PADICI_INDEX_FIXED) / 8 ? 0 : 8 * at);
    *unseen &= !(header->flags & PADICI_UNKNOWN_LENGTH) && at >> 16 == 0 &&
               *index >= header->size && size - *index == 8 * at + PADICI_INDEX_FIXED;
    if (*unseen) return PADIC_OK;
    do {
        result = padici_pool_take(context, &context->pools[1], size - (at = *index), &block);
        if (result) return result;
        bytes = (uint8_t *)padici_mem_at(context->pools[1].blocks[block].mem, 0);
        result = padici_codec_read(context, from, at, bytes, size - at);
        *index = result ? size : padici_load64(bytes + (size - at - 24));
        if (!result && (memcmp(bytes + (size - at - 8), "PADC-END", 8) != 0 ||
                        *index < header->size || *index > size - PADICI_INDEX_FIXED))
            result = PADIC_ERROR_CORRUPT;
        else if (!result && *index >= at)
            result = padici_index_check(bytes + (*index - at), size - *index, header);
        padici_pool_give(context, &context->pools[1], block);
    } while (!result && *index < at);
    return result;
}

// What the host says of a stream that the device of a strict context does not take: its code, and
// its bad block. NOT_SUPPORTED: the host would take it. Nothing is unpacked.
static padic_result padici_codec_verdict(padic_context *context,
                                         const padic_codec_unpack_desc *desc,
                                         const padici_place *from, uint64_t size)
{
    padic_codec_unpack_desc plain = *desc;
    padici_unpacking region;
    uint64_t bad = UINT64_MAX;
    uint32_t block;
    uint8_t *bytes;
    padic_result result = padici_pool_take(context, &context->pools[1], size + 8, &block);
    if (result) return result;
    bytes = (uint8_t *)padici_mem_at(context->pools[1].blocks[block].mem, 0);
    memset(&region, 0, sizeof region);
    plain.tensor.data = &plain; // not read
    result = padici_codec_read(context, from, 0, bytes, size);
    if (!result) {
        result = padici_take_header(bytes, (size_t)size, &region.header);
        if (!result && !(region.header.flags & PADICI_UNKNOWN_LENGTH))
            result = padici_unpack_region(&region, &plain, 0);
        if (!result)
            result = padici_unpack_all(context, &region, &plain, 1, bytes, (size_t)size, &bad);
        if (result)
            padici_codec_fail(context, "codec_unpack_from", &region.header, result);
        else
            result = PADIC_ERROR_NOT_SUPPORTED;
    }
    padici_pool_give(context, &context->pools[1], block);
    if (desc->bad_block) *desc->bad_block = bad;
    return result;
}

// *unseen: the index is the driver's to look at; 1 afterwards: it is not what was expected.
static padic_result padici_codec_unpack_seen(padic_context *context,
                                             const padic_codec_unpack_desc *desc,
                                             const padici_place *array, const padici_place *from,
                                             uint64_t size, uint32_t *unseen)
{
    padici_header header;
    padici_unpacking region;
    padici_codec_drive d;
    uint64_t index;
    padic_codec_unpack_desc plain = *desc;
    uint32_t k, coded = 0;
    padic_result result = padici_codec_look(context, from, size, &header, &index, unseen, &coded);
    if (result)
        return context->strict ? padici_codec_verdict(context, desc, from, size)
                               : PADIC_ERROR_NOT_SUPPORTED;
    memset(&region, 0, sizeof region);
    region.header = header;
    plain.tensor.data = &plain; // not read
    result = padici_unpack_region(&region, &plain, 0);
    if (result) return padici_codec_fail(context, "codec_unpack_from", &region.header, result);
    for (k = 0; k < header.grid.axes && !result; k++)
        if (region.count[k] != header.grid.shape[k]) result = PADIC_ERROR_NOT_SUPPORTED;
    if (!result && (desc->tensor.dtype != header.grid.dtype || header.planes > 1 ||
                    !padici_codec_runs(&header, &d)))
        result = PADIC_ERROR_NOT_SUPPORTED;
    if (result) return result;
    d.array = *array;
    d.packed = *from;
    d.room = index;
    d.unseen = *unseen;
    d.mostly = coded;
    d.bounded = header.bound_mode != PADIC_BOUND_NONE && d.size >= 4 && d.kind == 2;
    result = padici_drive(context, PADIC_KERNEL_CODEC_UNPACK, &d, 1);
    if (!result) result = padici_drive(context, PADIC_KERNEL_CODEC_UNPACK, &d, 0);
    *unseen = d.unseen;
    if (result || d.unseen || d.bad == UINT64_MAX) return result;
    return context->strict ? padici_codec_verdict(context, desc, from, size)
                           : PADIC_ERROR_NOT_SUPPORTED;
}

// What the host can say better, an error too, is NOT_SUPPORTED, so that it is asked; of a strict
// context it tells only which error it is.
static padic_result padici_codec_unpack_device(padic_context *context,
                                               const padic_codec_unpack_desc *desc,
                                               const padic_tensor *packed)
{
    padici_place array, from;
    uint64_t span, size;
    uint32_t unseen = 1;
    padic_result result =
        padici_codec_place(context, "tensor.buffer", &desc->tensor, &array, &span);
    if (!result) result = padici_codec_place(context, "packed.buffer", packed, &from, &size);
    if (result) return result;
    if (padici_places_overlap(&array, span, &from, size))
        return padici_fail_field(context, PADIC_ERROR_OVERLAP, "tensor",
                                 "shares memory with packed");
    if (desc->bad_block) *desc->bad_block = UINT64_MAX;
    result = padici_codec_unpack_seen(context, desc, &array, &from, size, &unseen);
    if (!result && unseen) {
        unseen = 0;
        result = padici_codec_unpack_seen(context, desc, &array, &from, size, &unseen);
    }
    return result;
}

// A copy in host memory of what lies in a device's.
typedef struct padici_codec_loan {
    padici_place home, now;
    uint64_t bytes;
    uint32_t block, lent;
} padici_codec_loan;

static padic_result padici_codec_lend(padic_context *context, const char *field, padic_tensor *t,
                                      padici_codec_loan *loan)
{
    uint64_t count, before;
    int dense;
    padic_result result;
    loan->lent = 0;
    if (!context || t->data || !t->buffer.id) return PADIC_OK;
    result = padici_field_place(context, field, t, &loan->home);
    if (!result) result = padici_tensor_check_shape(t, &count);
    if (result) return result;
    if (!loan->home.host) {
        loan->bytes = count ? padici_tensor_span(t, &dense, &before) : 0;
        if (context->strict && count)
            return padici_fail_field(context, PADIC_ERROR_NOT_SUPPORTED, field,
                                     "is not for the device to do here, and this context is "
                                     "strict: do it in host memory");
        result = padici_pool_take(context, &context->pools[1], loan->bytes + 8, &loan->block);
        if (result) return result;
        loan->lent = 1;
        loan->now.mem = context->pools[1].blocks[loan->block].mem;
        loan->now.at = 0;
        loan->now.host = 1;
        context->stats.kernels.staged_bytes += loan->bytes;
        result = padici_target_move(context, &context->targets[0], &loan->now, &loan->home,
                                    loan->bytes);
    } else {
        loan->now = loan->home;
    }
    t->data = padici_mem_at(loan->now.mem, loan->now.at);
    t->buffer.id = 0;
    t->offset = 0;
    return result;
}

// The first `bytes` go home.
static padic_result padici_codec_repay(padic_context *context, padici_codec_loan *loan,
                                       uint64_t bytes, padic_result result)
{
    padic_result moved = PADIC_OK;
    if (!loan->lent) return result;
    if (bytes > loan->bytes) bytes = loan->bytes;
    context->stats.kernels.staged_bytes += bytes;
    if (bytes)
        moved = padici_target_move(context, &context->targets[0], &loan->home, &loan->now, bytes);
    padici_pool_give(context, &context->pools[1], loan->block);
    loan->lent = 0;
    if (!result && !moved && !context->stats.kernels.fallbacks++)
        padici_log_write(&context->log, PADIC_LOG_WARNING, 0,
                         "codec: a call on buffers was done on the host (said once)");
    return result ? result : moved;
}

// A U8 tensor of rank 1 without gaps.
static int padici_codec_is_bytes(const padic_tensor *packed)
{
    return packed && packed->dtype == PADIC_U8 && packed->rank == 1 && packed->stride[0] <= 1 &&
           packed->stride[0] >= 0 && packed->shape[0] <= SIZE_MAX;
}

// Whether the host has to do a call that a device was asked to do.
static int padici_codec_goes_on(padic_context *context, padic_result result)
{
    if (!result) context->stats.kernels.calls++;
    return result == PADIC_ERROR_NOT_SUPPORTED;
}

// What is wrong with the arguments that both have.
static const char *padici_codec_bytes_fault(const void *desc, const padic_tensor *packed)
{
    if (!desc) return "desc is NULL: give one with a tensor";
    if (!packed) return "packed is NULL: give a tensor of bytes";
    if (!padici_codec_is_bytes(packed)) return "packed must be u8, of rank 1 and without gaps";
    if (!packed->data && !packed->buffer.id && packed->shape[0])
        return "packed has neither data nor a buffer: give it memory";
    return NULL;
}

static padic_result padici_codec_pack_to_named(padic_context *context,
                                               const padic_codec_desc *desc,
                                               const padic_tensor *packed, uint64_t *size)
{
    padici_codec_loan array, to;
    padic_codec_desc copy;
    padic_tensor bytes;
    size_t written = 0;
    padic_result result;
    const char *fault = padici_codec_bytes_fault(desc, packed);
    if (!fault && !size) fault = "size is NULL: give a place for the bytes written";
    if (fault) return padici_fail_here(context, PADIC_ERROR_ARGUMENT, fault);
    if (context && desc->tensor.buffer.id && packed->buffer.id) {
        const uint32_t said = context->said;
        result = padici_codec_pack_device(context, desc, packed, size);
        if (!padici_codec_goes_on(context, result))
            return padici_codec_say(context, said, "codec_pack_to", NULL, result);
    }
    copy = *desc;
    bytes = *packed;
    memset(&to, 0, sizeof to);
    result = padici_codec_lend(context, "tensor.buffer", &copy.tensor, &array);
    if (!result) result = padici_codec_lend(context, "packed.buffer", &bytes, &to);
    if (!result)
        result = padic_codec_pack(context, &copy, bytes.data, (size_t)bytes.shape[0], &written);
    *size = written;
    result = padici_codec_repay(context, &to, result ? 0 : written, result);
    return padici_codec_repay(context, &array, 0, result);
}

PADIC_API padic_result padic_codec_pack_to(padic_context *context, const padic_codec_desc *desc,
                                           const padic_tensor *packed, uint64_t *size)
{
    const char *before = padici_enter(context, "codec_pack_to");
    padic_result result;
    if (size) *size = 0;
    result = padici_codec_pack_to_named(context, desc, packed, size);
    padici_leave(context, before);
    return result;
}

static padic_result padici_codec_unpack_from_named(padic_context *context,
                                                   const padic_codec_unpack_desc *desc,
                                                   const padic_tensor *packed)
{
    padici_codec_loan array, from;
    padic_codec_unpack_desc copy;
    padic_tensor bytes;
    padic_result result;
    const char *fault = padici_codec_bytes_fault(desc, packed);
    if (fault) return padici_fail_here(context, PADIC_ERROR_ARGUMENT, fault);
    if (context && desc->tensor.buffer.id && packed->buffer.id) {
        const uint32_t said = context->said;
        result = padici_codec_unpack_device(context, desc, packed);
        if (!padici_codec_goes_on(context, result))
            return padici_codec_say(context, said, "codec_unpack_from", NULL, result);
    }
    copy = *desc;
    bytes = *packed;
    memset(&from, 0, sizeof from);
    result = padici_codec_lend(context, "tensor.buffer", &copy.tensor, &array);
    if (!result) result = padici_codec_lend(context, "packed.buffer", &bytes, &from);
    if (!result) result = padic_codec_unpack(context, &copy, bytes.data, (size_t)bytes.shape[0]);
    result = padici_codec_repay(context, &from, 0, result);
    return padici_codec_repay(context, &array, UINT64_MAX, result); // all but damaged blocks
}

PADIC_API padic_result padic_codec_unpack_from(padic_context *context,
                                               const padic_codec_unpack_desc *desc,
                                               const padic_tensor *packed)
{
    const char *before = padici_enter(context, "codec_unpack_from");
    const padic_result result = padici_codec_unpack_from_named(context, desc, packed);
    padici_leave(context, before);
    return result;
}
// room: src/padic.in.h:165
#endif // PADIC_NO_CODEC

// room: src/context/operands.c
// The operands of a call: found, checked against each other, moved to where the target reaches
// them and back.

// Finds the memory of an operand and checks that the view stays inside.
static padic_result padici_operand_find(padic_context *context, padici_operand *o, uint64_t count)
{
    const padic_tensor *t = o->tensor;
    const uint64_t size = padic_dtype_size(t->dtype);
    const padici_slot *slot;
    uint64_t at;
    o->block = PADICI_NO_BLOCK;
    o->dense = 1;
    o->bytes = count ? padici_tensor_span(t, &o->dense, &o->before) : 0;
    o->home.host = 1;
    o->home.at = o->before;
    o->home.mem.bits = (uint64_t)(uintptr_t)t->data - o->before;
    if (!t->data && t->buffer.id) {
        slot = context ? padici_slot_find(context, t->buffer) : NULL;
        if (!slot)
            return padici_fail_field(context, PADIC_ERROR_ARGUMENT, o->name,
                                     "is in a buffer that is destroyed or another context's");
        if (!padici_mul_u64(t->offset, size, &at) || at < o->before || o->bytes > slot->size ||
            at - o->before > slot->size - o->bytes)
            return padici_fail_field(context, PADIC_ERROR_REGION, o->name,
                                     "reaches beyond its buffer");
        o->home.mem = slot->mem;
        o->home.at = at;
        o->home.host = slot->host;
    } else if (!t->data && count) {
        return padici_fail_field(context, PADIC_ERROR_ARGUMENT, o->name,
                                 "has elements, but neither data nor a buffer");
    }
    o->now = o->home;
    return PADIC_OK;
}

static int padici_operands_overlap(const padici_operand *a, const padici_operand *b)
{
    padici_place first = a->home, second = b->home;
    first.at -= a->before;
    second.at -= b->before;
    return padici_places_overlap(&first, a->bytes, &second, b->bytes);
}

// "out shares memory with psi".
static padic_result padici_fail_overlap(padic_context *context, const padici_operand *out,
                                        const padici_operand *other)
{
    char space[160];
    padici_text text;
    padici_text_begin(&text, space, sizeof space);
    padici_text_add(&text, "shares memory with ");
    padici_text_add(&text, other->name ? other->name : "another tensor");
    return padici_fail_field(context, PADIC_ERROR_OVERLAP, out->name, space);
}

// Copies the desc and validates everything about it.
static padic_result padici_call_begin(padici_call *call, padic_context *context, uint32_t op,
                                      const void *desc)
{
    uint32_t i, j;
    padic_result result;
    memset(call, 0, sizeof *call);
    if (op == PADIC_OP_NONE || op >= PADIC_OP_COUNT)
        return padici_fail_in(context, PADIC_ERROR_ARGUMENT, "supports",
                              "op is no operation: choose a padic_op");
    if (!desc) return padici_fail_here(context, PADIC_ERROR_ARGUMENT, "desc is NULL");
    call->context = context;
    call->op = op;
    memcpy(&call->desc, desc, padici_op_rows[op].desc_size);
    call->operand_count = (*padici_op_rows[op].operands)(&call->desc, call->operands);
    for (i = 0; i < call->operand_count; i++) {
        uint64_t count;
        result = padici_tensor_check_view(call->operands[i].tensor, call->operands[i].any_stride,
                                          &count);
        if (result)
            return padici_fail_view(context, result, call->operands[i].name,
                                    call->operands[i].tensor);
        result = padici_operand_find(context, &call->operands[i], count);
        if (result) return result;
        if (count > call->count) call->count = count;
    }
    result = (*padici_op_rows[op].check)(context, &call->desc);
    if (result) return result;
    for (i = 0; i < call->operand_count; i++)
        for (j = 0; j < call->operand_count; j++) {
            const padici_operand *a = &call->operands[i], *b = &call->operands[j];
            if (i != j && a->out && a->bytes && b->bytes && padici_operands_overlap(a, b))
                return padici_fail_overlap(context, a, b);
        }
    return PADIC_OK;
}

// Moves one operand to where the target can reach it, into a block of the pool there.
static padic_result padici_operand_move(const padici_call *call, padici_operand *o,
                                        const padici_target *target)
{
    padic_context *context = call->context;
    const uint32_t host = (uint32_t)padici_target_is_host(target);
    padici_pool *pool = &context->pools[host];
    padici_place home = o->home, now;
    padic_result result = padici_pool_take(context, pool, o->bytes, &o->block);
    if (result) {
        o->block = PADICI_NO_BLOCK;
        return result;
    }
    now.mem = pool->blocks[o->block].mem;
    now.at = 0;
    now.host = host;
    o->now = now;
    o->now.at = o->before;
    home.at -= o->before;
    if (o->out == 1 && o->dense) return PADIC_OK; // all of it will be written
    context->stats.ops[call->op].staged_bytes += o->bytes;
    return padici_target_move(context, &context->targets[0], &now, &home, o->bytes);
}

// Moves what was written back to its home, if the work was done, and gives the block back.
static padic_result padici_operand_return(const padici_call *call, padici_operand *o, int done)
{
    padic_context *context = call->context;
    padic_result result = PADIC_OK;
    if (o->block == PADICI_NO_BLOCK) return PADIC_OK;
    if (done && o->out) {
        context->stats.ops[call->op].staged_bytes += o->bytes;
        result = padici_target_move(context, &context->targets[0], &o->home, &o->now, o->bytes);
    }
    padici_pool_give(context, &context->pools[o->now.host], o->block);
    o->block = PADICI_NO_BLOCK;
    o->now = o->home;
    return result;
}

// room: src/context/call.c
// Which target does a call, and how; the call itself.

// How a target does the call: 0 not at all, 1 by its own run, 2 by the driver, 3 by kernels.
static int padici_call_way(padici_call *call, padici_target *target)
{
    const padic_backend *backend = target->backend;
    const padici_op_row *row = &padici_op_rows[call->op];
    if (backend->run && !(*backend->run)(target->device, call->op, &call->desc, 1)) return 1;
    if (padici_target_is_host(target)) return 0;
    if (row->driver && !(*row->driver)(call, target, 1)) return 2;
    if (backend->drive && !(*backend->drive)(call->context, call->op, call, 1)) return 3;
    return 0;
}

// Whether a target comes into question: devices reach host operands by moving them, except that
// what moves anyway (a copy) stays on the host when both its ends lie there.
static int padici_call_eligible(const padici_call *call, const padici_target *target)
{
    uint32_t i;
    if (padici_target_is_host(target) || !padici_op_rows[call->op].mixed) return 1;
    for (i = 0; i < call->operand_count; i++)
        if (!call->operands[i].home.host) return 1;
    return 0;
}

// The first target that does the call, from number *index on, and how; 0 for none. *first becomes
// the number of the first that comes into question.
static int padici_call_choose(padici_call *call, uint32_t *index, uint32_t *first)
{
    padic_context *context = call->context;
    *first = PADICI_NO_BLOCK;
    for (; *index < context->target_count; ++*index) {
        int way;
        if (!padici_call_eligible(call, &context->targets[*index])) continue;
        if (*first == PADICI_NO_BLOCK) *first = *index;
        way = padici_call_way(call, &context->targets[*index]);
        if (way) return way;
        if (context->strict) break;
    }
    return 0;
}

static padic_result padici_call_refused(const padici_call *call)
{
    padici_text text;
    char space[160];
    padici_text_begin(&text, space, sizeof space);
    padici_text_add(&text, padici_op_rows[call->op].name);
    padici_text_add(&text, ": not done by ");
    padici_text_add(&text, call->context->targets[0].backend->name);
    padici_text_add(&text, ", and this context is strict: name a second backend or none");
    return padici_fail(call->context, PADIC_ERROR_NOT_SUPPORTED, space);
}

static void padici_call_log_fallback(const padici_call *call, uint32_t first, uint32_t index)
{
    padic_context *context = call->context;
    padici_text text;
    char space[160];
    context->stats.ops[call->op].fallbacks++;
    if (context->logged[call->op]) return;
    context->logged[call->op] = 1;
    padici_text_begin(&text, space, sizeof space);
    padici_text_add(&text, padici_op_rows[call->op].name);
    padici_text_add(&text, ": not done by ");
    padici_text_add(&text, context->targets[first].backend->name);
    padici_text_add(&text, " but by ");
    padici_text_add(&text, context->targets[index].backend->name);
    padici_text_add(&text, " (said once)");
    padici_log_write(&context->log, PADIC_LOG_WARNING, call->op, space);
}

// Does the call on one target. Operands are moved unless it takes them as they lie.
static padic_result padici_call_do(padici_call *call, padici_target *target, int way)
{
    const padici_op_row *row = &padici_op_rows[call->op];
    const uint32_t host = (uint32_t)padici_target_is_host(target);
    padic_result result = PADIC_OK, returned;
    uint32_t i;
    int done;
    for (i = 0; i < call->operand_count && !result; i++) {
        padici_operand *o = &call->operands[i];
        if (o->now.host != host && o->bytes && !(way == 2 && row->mixed))
            result = padici_operand_move(call, o, target);
        o->tensor->buffer.id = 0;
        o->tensor->offset = o->now.at / padic_dtype_size(o->tensor->dtype);
        o->tensor->data = (void *)(uintptr_t)o->now.mem.bits;
        if (host) { // host pointers need no offset
            o->tensor->data = padici_mem_at(o->now.mem, o->now.at);
            o->tensor->offset = 0;
        }
    }
    if (!result && way == 2) {
        result = (*row->driver)(call, target, 0);
    } else if (!result && way == 3) {
        result = (*target->backend->drive)(call->context, call->op, call, 0);
    } else if (!result) {
        result = padici_target_begin(call->context, target);
        if (!result) result = (*target->backend->run)(target->device, call->op, &call->desc, 0);
        if (result != PADIC_ERROR_NOT_SUPPORTED)
            result = padici_target_end(call->context, target, result);
    }
    done = !result || (row->partial && (result == PADIC_ERROR_NOT_FINITE ||
                                        result == PADIC_ERROR_DOMAIN));
    for (i = 0; i < call->operand_count; i++) {
        returned = padici_operand_return(call, &call->operands[i], done);
        if (!result) result = returned;
    }
    return result;
}

// While recording, only work that the device keeps: its launches, or its own way when it records.
static padic_result padici_call_recordable(const padici_call *call, uint32_t index, int way)
{
    padic_context *context = call->context;
    if (!context->recording || (!index && way >= 2)) return PADIC_OK;
    if (!index && context->recordings[context->recording - 1].native) return PADIC_OK;
    return padici_refuse(context, "an operation that the device does not do by launches");
}

static padic_result padici_call_run(padici_call *call, uint32_t *index)
{
    padic_context *context = call->context;
    uint32_t first = PADICI_NO_BLOCK, should = PADICI_NO_BLOCK;
    padic_result result;
    *index = 0;
    if (context->targets[0].lost) return padici_target_begin(context, &context->targets[0]);
    do { // a backend may still say NOT_SUPPORTED when it sees the memory: the next one, then
        const int way = padici_call_choose(call, index, &first);
        if (!way) return padici_call_refused(call);
        if (should == PADICI_NO_BLOCK) should = first;
        context->method = context->targets[*index].backend->name;
        result = padici_call_recordable(call, *index, way);
        if (!result) result = padici_call_do(call, &context->targets[*index], way);
    } while (result == PADIC_ERROR_NOT_SUPPORTED && !context->strict &&
             ++*index < context->target_count);
    if (result == PADIC_ERROR_NOT_SUPPORTED) return padici_call_refused(call);
    if (!result && *index != should) padici_call_log_fallback(call, should, *index);
    return result;
}

static padic_result padici_run_in(padici_call *call)
{
    padic_context *context = call->context;
    padic_op_stats *stats = &context->stats.ops[call->op];
    padici_stamp begin = padici_stamp_begin(context, &context->targets[0]);
    padici_target *target;
    uint64_t bytes = 0;
    uint32_t index, i;
    padic_result result = padici_call_run(call, &index);
    for (i = 0; i < call->operand_count; i++) bytes += call->operands[i].bytes;
    target = &context->targets[index < context->target_count ? index : 0];
    result = padici_stamp_end(context, target, &begin, result, padici_op_rows[call->op].name,
                              context->method, bytes, 0);
    if (result && context->recording && !context->recording_broken)
        context->recording_broken = result;
    if (result) return result;
    stats->calls++;
    stats->backend = target->backend->name;
    stats->method = context->method;
    return PADIC_OK;
}

// room: src/context/kept_calls.c
// Calls that LOW_OVERHEAD keeps: seen twice, they are recorded, and replayed from then on.

// Whether a desc points at nothing but its tensors, so that equal bytes are the same work.
static int padici_auto_may(uint32_t op, const void *desc)
{
    switch (op) {
    case PADIC_OP_FILL: return !((const padic_fill_desc *)desc)->value;
#ifndef PADIC_NO_WAVE
    case PADIC_OP_WAVE_SUPERPOSE:
        return !((const padic_wave_superpose_desc *)desc)->coincident &&
               !((const padic_wave_superpose_desc *)desc)->bound &&
               !((const padic_wave_superpose_desc *)desc)->tone.table &&
               !((const padic_wave_superpose_desc *)desc)->tone.range;
    case PADIC_OP_WAVE_OBSERVE: return 1;
    case PADIC_OP_WAVE_PHASE_GRADIENT:
        return !((const padic_wave_phase_gradient_desc *)desc)->skipped;
#endif
#ifndef PADIC_NO_TENSOR
    case PADIC_OP_TENSOR_GEMM: return !((const padic_tensor_gemm_desc *)desc)->groups;
    case PADIC_OP_TENSOR_CONTRACT:
#endif
    case PADIC_OP_COPY:
    case PADIC_OP_RANDOM_FILL: return 1;
    default: return 0;
    }
}

static void padici_auto_end(padic_context *context, padici_auto *seen)
{
    padici_recording *r = padici_recording_find(context, seen->record);
    if (r) padici_recording_free(context, r);
    memset(seen, 0, sizeof *seen);
}

static void padici_auto_end_stale(padic_context *context)
{
    uint32_t i;
    for (i = 0; context->autos && i < PADICI_AUTO_COUNT; i++) {
        const padici_recording *r = padici_recording_find(context, context->autos[i].record);
        if (r && r->stale) padici_auto_end(context, &context->autos[i]);
    }
}

static void padici_auto_end_all(padic_context *context)
{
    uint32_t i;
    for (i = 0; context->autos && i < PADICI_AUTO_COUNT; i++)
        padici_auto_end(context, &context->autos[i]);
}

// The entry of a call that was seen before, or NULL.
static padici_auto *padici_auto_find(padic_context *context, uint32_t op, const void *desc)
{
    uint64_t hash;
    uint32_t i, size;
    if (!context || !context->autos || context->recording || context->tuning || !desc ||
        op >= PADIC_OP_COUNT || !padici_auto_may(op, desc))
        return NULL;
    size = padici_op_rows[op].desc_size;
    hash = padici_checksum(desc, size, op);
    context->auto_calls++;
    for (i = 0; i < PADICI_AUTO_COUNT; i++) {
        padici_auto *seen = &context->autos[i];
        if (seen->op != op || seen->hash != hash || memcmp(&seen->desc, desc, size)) continue;
        seen->used = context->auto_calls;
        return seen;
    }
    return NULL;
}

// A call ran for the first time: it takes the place of the one unused longest.
static void padici_auto_note(const padici_call *call, const void *desc)
{
    padic_context *context = call->context;
    const uint32_t size = padici_op_rows[call->op].desc_size;
    padici_auto *place = context->autos;
    uint32_t i;
    for (i = 0; i < call->operand_count; i++)
        if (call->operands[i].home.host) return;
    for (i = 1; i < PADICI_AUTO_COUNT; i++)
        if (context->autos[i].used < place->used) place = &context->autos[i];
    padici_auto_end(context, place);
    memcpy(&place->desc, desc, size);
    place->hash = padici_checksum(desc, size, call->op);
    place->used = context->auto_calls;
    place->op = call->op;
    for (i = 0; i < call->operand_count; i++) place->bytes += call->operands[i].bytes;
}

// Does a call by replay, recording it first when this is the second time. NOT_SUPPORTED: run it.
// `call` is space to do so.
static padic_result padici_auto_run(padic_context *context, padici_auto *seen,
                                    padici_call *call)
{
    padici_recording *r = padici_recording_find(context, seen->record);
    padici_stamp begin;
    padic_result result;
    uint32_t index;
    if (seen->refused || (r && r->stale)) {
        if (r) padici_auto_end(context, seen);
        return PADIC_ERROR_NOT_SUPPORTED;
    }
    if (!r) {
        context->quiet++;
        result = padic_record_begin(context);
        if (!result) { // from here on buffers are noted
            result = padici_call_begin(call, context, seen->op, &seen->desc);
            if (!result) result = padici_call_run(call, &index);
            if (result && !context->recording_broken) context->recording_broken = result;
            (void)padic_record_end(context, &seen->record);
        }
        context->quiet--;
        r = padici_recording_find(context, seen->record);
        if (!r) {
            seen->refused = 1; // also for want of memory: as it was before is good enough
            return PADIC_ERROR_NOT_SUPPORTED;
        }
    }
    begin = padici_stamp_begin(context, &context->targets[0]);
    result = padici_recording_replay(context, r, 1);
    result = padici_stamp_end(context, &context->targets[0], &begin, result,
                              padici_op_rows[seen->op].name, padici_recording_method(r),
                              seen->bytes, 1);
    context->stats.ops[seen->op].calls += !result;
    context->stats.ops[seen->op].method = padici_recording_method(r);
    return result;
}

// room: src/context/run.c
// From a public function to its call: the one way into every operation.

#ifndef PADIC_NO_TENSOR
// A small matrix product takes less time than a call: where nothing is asked for that needs one,
// the first backend's kernel does it. 0: not done.
static int padici_run_product(padic_context *context, const padic_tensor_gemm_desc *desc)
{
    padic_op_stats *stats = &context->stats.ops[PADIC_OP_TENSOR_GEMM];
    const padici_target *target = &context->targets[0];
    padic_tensor_product product;
    if (context->target_count < 2 || !padici_target_is_host(target) || !target->backend->run ||
        context->spans || context->autos || context->recording || context->tuning ||
        !desc || !padici_tensor_gemm_small(desc, &product) ||
        (*target->backend->run)(target->device, PADIC_KERNEL_TENSOR, &product, 0))
        return 0;
    context->method = target->backend->name;
    stats->calls++;
    stats->backend = stats->method = context->method;
    return 1;
}
#endif

PADICI_NOINLINE static padic_result padici_run_named(padic_context *context, uint32_t op,
                                                     const void *desc)
{
    padici_call call;
    padici_auto *seen;
    padic_result result;
#ifndef PADIC_NO_TENSOR
    if (op == PADIC_OP_TENSOR_GEMM && context &&
        padici_run_product(context, (const padic_tensor_gemm_desc *)desc))
        return PADIC_OK;
#endif
    seen = padici_auto_find(context, op, desc);
    if (seen) {
        result = padici_auto_run(context, seen, &call);
        if (result != PADIC_ERROR_NOT_SUPPORTED) return result;
    }
    result = padici_call_begin(&call, context, op, desc);
    if (result && context && context->recording && !context->recording_broken)
        context->recording_broken = result;
    if (result || (!call.count && !padici_op_rows[op].host_env)) return result;
    if (!context || !call.count)
        return padici_op_host(op, context ? &context->env : NULL, &call.desc);
    result = padici_run_in(&call);
    if (!result && context->autos && !seen && !context->recording && !context->tuning &&
        padici_auto_may(op, desc))
        padici_auto_note(&call, desc);
    return result;
}

// The one way into every operation.
PADICI_NOINLINE static padic_result padici_run(padic_context *context, uint32_t op,
                                               const void *desc)
{
    const char *before = padici_enter(context, op < PADIC_OP_COUNT ? padici_op_rows[op].name : "");
    const padic_result result = padici_run_named(context, op, desc);
    padici_leave(context, before);
    return result;
}

#define PADICI_OP_ENTRY(NAME, name, driver)                                                      \
    PADIC_API padic_result padic_##name(padic_context *context, const padic_##name##_desc *desc) \
    {                                                                                            \
        return padici_run(context, PADIC_OP_##NAME, desc);                                       \
    }
PADIC_OPS(PADICI_OP_ENTRY)
#undef PADICI_OP_ENTRY

static padic_result padici_supports_named(padic_context *context, padic_op op, const void *desc,
                                          const char **backend)
{
    padici_call call;
    uint32_t index = 0, first;
    padic_result result = padici_call_begin(&call, context, (uint32_t)op, desc);
    if (backend) *backend = "";
    if (result) return result;
    if (context) {
        if (context->targets[0].lost) return padici_target_begin(context, &context->targets[0]);
        if (call.count && !padici_call_choose(&call, &index, &first)) // of nothing, anyone can
            return padici_call_refused(&call);
    }
    if (backend) *backend = context ? context->targets[index].backend->name : "cpu";
    return PADIC_OK;
}

PADIC_API padic_result padic_supports(padic_context *context, padic_op op, const void *desc,
                                      const char **backend)
{
    const char *before =
        padici_enter(context, (uint32_t)op < PADIC_OP_COUNT ? padici_op_rows[op].name : NULL);
    const padic_result result = padici_supports_named(context, op, desc, backend);
    padici_leave(context, before);
    return result;
}

// room: src/context/context.c
// A context: opened, asked, set, closed.

static int padici_backend_complete(const padic_backend *b)
{
    return b->version == PADIC_BACKEND_VERSION && b->name && b->open && b->close && b->info &&
           b->alloc && b->free && b->upload && b->download && b->copy && b->fill && b->program &&
           b->launch && b->sync;
}

// Opens one backend. Finding no device is an ordinary answer, logged, unless the context is strict.
static padic_result padici_context_open(padic_context *context, const padic_backend *backend,
                                        const padic_device_desc *desc)
{
    padici_target *target = &context->targets[context->target_count];
    padic_result result;
    target->backend = backend;
    context->driver_message[0] = 0;
    if (!padici_backend_complete(backend))
        return padici_fail_here(context, PADIC_ERROR_NOT_SUPPORTED,
                                "one of backends was made for another version of padic.h: compile "
                                "both from one");
    result = (*backend->open)(&context->env, desc, &target->device);
    if (!result) {
        (*backend->info)(target->device, &target->info);
        context->target_count++;
        return PADIC_OK;
    }
    if (!context->strict && (result == PADIC_ERROR_NO_DEVICE || result == PADIC_ERROR_BUILD ||
                             result == PADIC_ERROR_DEVICE || result == PADIC_ERROR_SELF_TEST)) {
        padici_log_write(&context->log, PADIC_LOG_INFO, 0,
                         context->driver_message[0] ? context->driver_message
                                                    : padic_result_text(result));
        return PADIC_OK;
    }
    return padici_target_end(context, target, result);
}

// Everything that needs memory or a driver; what was made is undone by padic_context_destroy().
static padic_result padici_context_fill(padic_context *context, const padic_context_desc *desc)
{
    const uint32_t spans = desc->profile_spans ? desc->profile_spans : 4096;
    uint32_t i;
    padic_result result = PADIC_OK;
    padici_pool_begin(&context->pools[0], &context->targets[0]);
    padici_pool_begin(&context->pools[1], NULL);
    if (context->flags & PADIC_CONTEXT_PROFILE) {
        size_t size;
        if (padici_mul_size(spans, sizeof *context->spans, &size))
            context->spans = (padici_span *)padici_alloc(&context->allocator, size, 16);
        if (!context->spans)
            return padici_fail_here(context, PADIC_ERROR_MEMORY, "out of host memory");
        context->span_capacity = spans;
        context->stats.host_allocations++;
    }
    for (i = 0; i < PADIC_MAX_BACKENDS && !result; i++) {
        const padic_backend *backend = desc->backends[i];
        // The first device has the buffers; after it only helpers in host memory make sense.
        if (!backend || (context->target_count && !(backend->flags & PADIC_BACKEND_HOST))) continue;
        result = padici_context_open(context, backend, &desc->device);
    }
    if (!result) result = padici_context_open(context, &padici_cpu, &desc->device);
    if (result) return result;
    context->pools[1].target = &context->targets[context->target_count - 1];
    if (context->spans) (void)padici_tie_now(context, &context->targets[0], &context->tie);
    return padic_context_set_mode(context, desc->mode);
}

PADIC_API padic_result padic_context_create(const padic_context_desc *desc, padic_context **out)
{
    static const padic_context_desc plain = PADIC_ZERO;
    static const padic_cache none = PADIC_ZERO;
    padic_context *context;
    padic_result result;
    uint32_t named = 0, i;
    if (!desc) desc = &plain;
    if (!out) {
        padici_log_write(&desc->log, PADIC_LOG_ERROR, 0,
                         "context_create: context is NULL: give a place for it");
        return PADIC_ERROR_ARGUMENT;
    }
    *out = NULL;
    context = (padic_context *)padici_alloc(&desc->allocator, sizeof *context, 64);
    if (!context) {
        padici_log_write(&desc->log, PADIC_LOG_ERROR, 0, "context_create: out of host memory");
        return PADIC_ERROR_MEMORY;
    }
    memset(context, 0, sizeof *context);
    context->allocator = desc->allocator;
    context->jobs = desc->jobs;
    context->log = desc->log;
    context->cache = desc->cache;
    context->clock = desc->clock;
    context->progress = desc->progress;
    if (!context->clock.now) context->clock.now = padici_clock_default;
    context->flags = desc->flags;
    context->device_flags = desc->device.flags;
    context->slot_free = context->recording_free = PADICI_NO_BLOCK;
    context->tune_ms = desc->tune_ms ? desc->tune_ms : 2000;
    context->stats.host_allocations = 1;
    // Ids of different contexts should differ: their first generation comes from the address.
    context->generation =
        (uint32_t)(((uint64_t)(uintptr_t)context >> 4) * 0x9e3779b97f4a7c15u >> 48);
    for (i = 0; i < PADIC_MAX_BACKENDS; i++) named += desc->backends[i] != NULL;
    context->strict = named == 1 || (desc->flags & PADIC_CONTEXT_STRICT);
    context->env.allocator = &context->allocator;
    context->env.jobs = &context->jobs;
    context->env.log = &context->log;
    context->env.cache = desc->device.flags & PADIC_DEVICE_NO_CACHE ? &none : &context->cache;
    context->env.message = context->driver_message;
    context->env.message_size = sizeof context->driver_message;
    context->env.stats = &context->stats;
    context->env.progress = &context->progress;
    context->start = (*context->clock.now)(context->clock.user);
    context->operation = "context_create";
    result = padici_context_fill(context, desc);
    context->operation = NULL;
    if (result)
        padic_context_destroy(context);
    else
        *out = context;
    return result;
}

PADIC_API void padic_context_destroy(padic_context *context)
{
    padic_allocator allocator;
    uint32_t i;
    if (!context) return;
    if (context->recording) (void)padic_record_end(context, NULL);
    if (context->gpu)
        (void)(*context->targets[0].backend->drive)(context, PADICI_DRIVE_CLOSE, NULL, 0);
    for (i = 0; i < context->recording_count; i++)
        if (context->recordings[i].live)
            padici_recording_free(context, &context->recordings[i]);
    for (i = 0; i < 2; i++) padici_pool_end(context, &context->pools[i]);
    for (i = context->target_count; i > 0; i--)
        (*context->targets[i - 1].backend->close)(context->targets[i - 1].device);
    padici_free(&context->allocator, context->slots,
                context->slot_capacity * sizeof *context->slots);
    padici_free(&context->allocator, context->spans,
                context->span_capacity * sizeof *context->spans);
    padici_free(&context->allocator, context->recordings,
                context->recording_capacity * sizeof *context->recordings);
    padici_free(&context->allocator, context->autos, PADICI_AUTO_COUNT * sizeof *context->autos);
    allocator = context->allocator; // its own copy goes with the context
    padici_free(&allocator, context, sizeof *context);
}

PADIC_API const char *padic_context_message(const padic_context *context)
{
    return context ? context->message : "";
}

static padic_result padici_context_sync_named(padic_context *context)
{
    return padici_target_sync(context, &context->targets[0]);
}

PADICI_ENTRY(context_sync, (padic_context *context), (context))

PADIC_API padic_mode padic_context_mode(const padic_context *context)
{
    return context ? context->mode : PADIC_MODE_DEFAULT;
}

static padic_result padici_context_set_mode_named(padic_context *context, padic_mode mode)
{
    const size_t size = PADICI_AUTO_COUNT * sizeof(padici_auto);
    padic_result result = padici_refuse(context, "a change of mode");
    if (result) return result;
    if ((uint32_t)mode > PADIC_MODE_AUTOTUNE)
        return padici_fail_here(context, PADIC_ERROR_ARGUMENT,
                                "mode is none: choose a padic_mode");
    if (mode == PADIC_MODE_LOW_OVERHEAD && !context->autos &&
        !padici_target_is_host(&context->targets[0])) {
        context->autos = (padici_auto *)padici_alloc(&context->allocator, size, 16);
        if (!context->autos)
            return padici_fail_here(context, PADIC_ERROR_MEMORY, "out of host memory");
        context->stats.host_allocations++;
        memset(context->autos, 0, size);
    } else if (mode != PADIC_MODE_LOW_OVERHEAD) {
        padici_auto_end_all(context);
        padici_free(&context->allocator, context->autos, size);
        context->autos = NULL;
    }
    context->mode = mode;
    return PADIC_OK;
}

PADICI_ENTRY(context_set_mode, (padic_context *context, padic_mode mode), (context, mode))

static padic_result padici_prewarm_named(padic_context *context, uint32_t areas)
{
    uint32_t wanted = areas ? areas : ~0u;
    padic_result result = padici_refuse(context, "building programs");
    if (!result) result = padici_target_begin(context, &context->targets[0]);
    if (!result) result = padici_drive(context, PADICI_DRIVE_PREWARM, &wanted, 0);
    return result == PADIC_ERROR_NOT_SUPPORTED ? PADIC_OK : result;
}

PADICI_ENTRY(prewarm, (padic_context *context, uint32_t areas), (context, areas))

static padic_result padici_tune_named(padic_context *context, uint32_t areas, uint32_t budget_ms)
{
    padici_drive_tune call;
    padic_result result;
    call.areas = areas ? areas : ~0u;
    call.ms = budget_ms ? budget_ms : 200;
    result = padici_refuse(context, "tuning");
    if (!result) result = padici_target_begin(context, &context->targets[0]);
    if (!result) result = padici_drive(context, PADICI_DRIVE_TUNE, &call, 0);
    if (!context->recording) padici_auto_end_all(context); // of variants that were
    return result == PADIC_ERROR_NOT_SUPPORTED ? PADIC_OK : result;
}

PADICI_ENTRY(tune, (padic_context *context, uint32_t areas, uint32_t budget_ms),
             (context, areas, budget_ms))

PADIC_API void padic_context_device(const padic_context *context, padic_device_info *info)
{
    if (!info) return;
    memset(info, 0, sizeof *info);
    if (context) *info = context->targets[0].info;
}

// room: src/context/report.c
// The report: what a context has and what it has done, as text; its statistics.

typedef struct padici_report_count {
    const char *name;
    uint64_t value;
} padici_report_count;

// "head name value, name value\n"; counts of 0 are left out, unless all are.
static void padici_report_counts(padici_text *text, const char *head,
                                 const padici_report_count *counts, uint32_t n)
{
    uint32_t i, written = 0;
    padici_text_add(text, head);
    for (i = 0; i < n; i++) {
        if (!counts[i].value && (written || i + 1 < n)) continue;
        padici_text_add(text, written++ ? ", " : " ");
        padici_text_add(text, counts[i].name);
        padici_text_add(text, " ");
        padici_text_number(text, counts[i].value, 1);
    }
    padici_text_add(text, "\n");
}

static void padici_report_features(padici_text *text, uint32_t features)
{
    static const char *const names[] = {"f64",    "64-bit atomics", "subgroups", "progress",
                                        "record", "time",           "unified memory"};
    uint32_t i, written = 0;
    padici_text_add(text, "  features:");
    for (i = 0; i < 7; i++) {
        if (!(features >> i & 1)) continue;
        padici_text_add(text, written++ ? ", " : " ");
        padici_text_add(text, names[i]);
    }
    padici_text_add(text, written ? "\n" : " none\n");
}

static void padici_report_target(padici_text *text, const padici_target *target)
{
    const padic_device_info *info = &target->info;
    const char *const words[] = {info->vendor, info->platform, info->driver, info->arch};
    static const char *const heads[] = {", vendor ", ", platform ", ", driver ", ", arch "};
    padici_report_count counts[7];
    uint32_t i, n = 0;
    padici_text_add(text, target->backend->name);
    padici_text_add(text, ": ");
    padici_text_add(text, info->name);
    for (i = 0; i < 4; i++) {
        if (!words[i][0]) continue;
        padici_text_add(text, heads[i]);
        padici_text_add(text, words[i]);
    }
    padici_text_add(text, target->lost ? " (lost)\n" : "\n");
    padici_report_features(text, info->features);
    counts[n].name = "group", counts[n++].value = info->max_group;
    counts[n].name = "subgroup", counts[n++].value = info->subgroup;
    counts[n].name = "local bytes", counts[n++].value = info->local_bytes;
    counts[n].name = "MiB of memory", counts[n++].value = info->memory >> 20;
    counts[n].name = "largest block", counts[n++].value = info->max_alloc;
    counts[n].name = "alignment", counts[n++].value = info->alignment;
    counts[n].name = "units", counts[n++].value = info->compute_units;
    padici_report_counts(text, "  limits:", counts, n);
}

static void padici_report_stats(padici_text *text, const padic_stats *s)
{
    const padici_report_count work[] = {{"launches", s->launches}, {"copies", s->copies},
                                 {"fills", s->fills},       {"uploads", s->uploads},
                                 {"bytes up", s->upload_bytes}, {"downloads", s->downloads},
                                 {"bytes down", s->download_bytes}, {"syncs", s->syncs}};
    const padici_report_count memory[] = {{"live", s->pool_live}, {"idle", s->pool_idle},
                                   {"used again", s->pool_hits},
                                   {"allocations", s->device_allocations},
                                   {"host allocations", s->host_allocations},
                                   {"most live", s->pool_peak}};
    const padici_report_count built[] = {{"us building", s->build_ns / 1000},
                                  {"cache hits", s->cache_hits}, {"cache misses", s->cache_misses},
                                  {"cache entries bad", s->cache_bad},
                                  {"self-tests", s->self_tests},
                                  {"self-tests failed", s->self_tests_failed},
                                  {"variants timed", s->tuner_candidates},
                                  {"programs", s->programs}};
    const padici_report_count kept[] = {{"nodes", s->recorded_nodes}, {"replays", s->replays}};
    padici_report_counts(text, "work:", work, 8);
    padici_report_counts(text, "memory:", memory, 6);
    padici_report_counts(text, "built:", built, 8);
    padici_report_counts(text, "recorded:", kept, 2);
}

static void padici_report_op(padici_text *text, const char *name, const padic_op_stats *op)
{
    const padici_report_count counts[] = {
        {"fallbacks", op->fallbacks}, {"bytes staged", op->staged_bytes}, {"calls", op->calls}};
    if (!op->calls) return;
    padici_text_add(text, name);
    padici_text_add(text, ": ");
    padici_text_add(text, op->backend ? op->backend : "?");
    if (op->method && op->backend && strcmp(op->method, op->backend)) {
        padici_text_add(text, ", ");
        padici_text_add(text, op->method);
    }
    padici_report_counts(text, ",", counts, 3);
}

static padic_result padici_context_report_named(padic_context *context, char *space, size_t size)
{
    static const char *const modes[] = {"default", "off", "low overhead", "autotune"};
    padici_text text;
    uint32_t i;
    if (!space || !size)
        return padici_fail_here(context, PADIC_ERROR_ARGUMENT,
                                space ? "size is 0: 4096 bytes are mostly enough"
                                      : "text is NULL: give room for size bytes");
    padici_text_begin(&text, space, size);
    padici_text_add(&text, "padic.h " PADIC_VERSION ", mode ");
    padici_text_add(&text, modes[context->mode]);
    if (context->strict) padici_text_add(&text, ", strict");
    if (context->spans) padici_text_add(&text, ", profile");
    padici_text_add(&text, "\n");
    for (i = 0; i < context->target_count; i++)
        padici_report_target(&text, &context->targets[i]);
    padici_report_stats(&text, &context->stats);
    for (i = 1; i < PADIC_OP_COUNT; i++)
        padici_report_op(&text, padici_op_rows[i].name, &context->stats.ops[i]);
    padici_report_op(&text, "numbers and matrices in buffers", &context->stats.kernels);
    if (text.left > 1) return PADIC_OK;
    return padici_fail_here(context, PADIC_ERROR_CAPACITY,
                            "size is too small for the report, whose end is missing");
}

PADICI_ENTRY(context_report, (padic_context *context, char *space, size_t size),
             (context, space, size))

PADIC_API void padic_get_stats(const padic_context *context, padic_stats *stats)
{
    if (!stats) return;
    memset(stats, 0, sizeof *stats);
    if (context) *stats = context->stats;
}

// room: src/context/self_hash.c
// The self hash: one number over what every machine must compute alike.

// FNV-1a over the value, low byte first.
static uint64_t padici_hash_u64(uint64_t hash, uint64_t value)
{
    uint32_t i;
    for (i = 0; i < 8; i++, value >>= 8) hash = (hash ^ (value & 0xff)) * 0x100000001b3u;
    return hash;
}

// A word of 1, 2, 4 or 8 bytes in this machine's byte order.
static uint64_t padici_self_word(const void *from, uint32_t size)
{
    uint8_t b;
    uint16_t h;
    uint32_t w;
    uint64_t u;
    switch (size) {
    case 1: memcpy(&b, from, 1); return b;
    case 2: memcpy(&h, from, 2); return h;
    case 4: memcpy(&w, from, 4); return w;
    default: memcpy(&u, from, 8); return u;
    }
}

// Philox, and every conversion of its words.
PADICI_NOINLINE static uint64_t padici_random_self_hash(void)
{
    uint64_t hash = 0xcbf29ce484222325u, i, values[2 * 37];
    uint32_t dtype, block[4];
    for (i = 0; i < 64; i++) {
        padic_random_block(i * 0x0123456789abcdefu, ~i, (uint32_t)i, (uint32_t)(i * i), block);
        hash = padici_hash_u64(hash, (uint64_t)block[1] << 32 | block[0]);
        hash = padici_hash_u64(hash, (uint64_t)block[3] << 32 | block[2]);
    }
    for (dtype = PADIC_F64; dtype <= PADIC_C128; dtype++) {
        padic_random_fill_desc desc = PADIC_ZERO;
        const uint32_t parts = dtype >= PADIC_C64 ? 2 : 1;
        const uint32_t size = padic_dtype_size((padic_dtype)dtype) / parts;
        desc.tensor = padic_tensor_1d((padic_dtype)dtype, values, 37);
        desc.seed = dtype;
        if (padic_random_fill(NULL, &desc)) return 0;
        // As integers of the element's size (of its parts, when complex), so in no byte order.
        for (i = 0; i < 37u * parts; i++)
            hash = padici_hash_u64(hash, padici_self_word((const char *)values + i * size, size));
    }
    return hash;
}

PADIC_API uint64_t padic_self_hash(void)
{
    uint64_t hash = padici_random_self_hash();
#ifndef PADIC_NO_CODEC
    hash = padici_hash_u64(hash, padici_codec_self_hash());
#endif
    return hash;
}

// room: src/padic.in.h:174
// ------------------------------------------------------------------------- end of implementation

#if defined(__clang__)
#pragma STDC FP_CONTRACT DEFAULT
#elif defined(__GNUC__)
#pragma GCC pop_options
#elif defined(_MSC_VER)
#pragma fp_contract(on)
#endif
#endif // PADIC_IMPLEMENTATION
