// stream.cl: the layout of a stream: types, a block's record, the params, the status.

#if PD_CODEC_SIZE == 1
typedef pd_u8 codec_key;
#elif PD_CODEC_SIZE == 2
typedef pd_u16 codec_key;
#elif PD_CODEC_SIZE == 4
typedef pd_u32 codec_key;
#else
typedef pd_u64 codec_key;
#endif
// A word less `bias`, in 32 bits if the elements have no more, and without its sign.
#if PD_CODEC_SIZE == 8
typedef pd_i64 codec_num;
typedef pd_u64 codec_bare;
#define CODEC_NUM_BITS 64u
#define CODEC_TOP 0u
#define CODEC_BIAS 0u
#define CODEC_EACH (PD_HAS_WARPS && !PD_CODEC_BOUND ? 8u : 4u) // elements per item in a tile
#define CODEC_ROUNDS 2u // tiles between two updates of groups
#define CODEC_OCTS 0u   // up to this width an item joins 8 digits
#else
typedef pd_i32 codec_num;
typedef pd_u32 codec_bare;
#define CODEC_NUM_BITS 32u
#define CODEC_TOP 0x80000000u
#define CODEC_BIAS ((pd_u64)1u << (8u * PD_CODEC_SIZE - 1u))
#define CODEC_EACH 8u
#define CODEC_ROUNDS 4u
#define CODEC_OCTS 8u
#endif
#if PD_CODEC_SIZE == 8 // under PD_HAS_WARPS
#define CODEC_SHUFFLE_UP(x, n) PD_SHUFFLE_UP64(x, n)
#else
#define CODEC_SHUFFLE_UP(x, n) PD_SHUFFLE_UP(x, n)
#endif
#define CODEC_NARROW (PD_HAS_WARPS && CODEC_SHORT) // `narrow` decodes differences
#define CODEC_HIGHEST ((codec_bare)~(codec_bare)0u >> 1)
#define CODEC_WIDE (PD_CODEC_BOUND && PD_CODEC_SIZE == 8)
#define CODEC_BY_WARP (PD_HAS_WARPS && !CODEC_WIDE) // `measure`: otherwise too few registers
#define CODEC_SHORT (PD_CODEC_SIZE < 8) // words of 32 bits
#define CODEC_PER (8u / PD_CODEC_SIZE) // elements per word of 64 bits
#define CODEC_BITS (8u * PD_CODEC_SIZE)
#define CODEC_TILE (256u * CODEC_EACH)
#define CODEC_WORDS (CODEC_EACH / CODEC_PER) // per item
#define CODEC_LOT (PD_HAS_WARPS ? 8u : CODEC_EACH) // the same, except for `measure` and `classes`
#define CODEC_LOT_TILE (256u * CODEC_LOT)
#define CODEC_GROUP 256u                     // elements sharing a width
#define CODEC_SUMS (PD_CODEC_SIZE == 1 ? 8u : 4u) // elements per item in a tile of sums
#define CODEC_ITEMS (CODEC_GROUP / CODEC_EACH)
#define CODEC_KEYS (CODEC_GROUP / CODEC_PER)   // words of its elements
#define CODEC_FILL (CODEC_TILE / CODEC_GROUP) // groups of a tile
#define CODEC_SPREAD(i) ((i) + (i) / 16u)     // padded against bank conflicts

#define CODEC_FLOAT 2u // kinds: 0 unsigned, 1 signed

#define CODEC_RAW 0u // kinds of a block
#define CODEC_CONSTANT 1u
#define CODEC_PLAIN 2u
#define CODEC_DELTA 3u
#define CODEC_BAD 4u

#define CODEC_UNSCALED 3u // replaces the number of a scale

#define CODEC_RECORD 20u // words of a record:
#define CODEC_SIZE 0u    // bytes of the payload
#define CODEC_MODE 1u
#define CODEC_SHIFT 2u
#define CODEC_STEP 3u // its logarithm; unpacking: 1: the block needs `remainder`
#define CODEC_FIRST 4u
#define CODEC_SUM 6u
#define CODEC_WIDTH 8u // of all groups, in FETCH; unpacking: 65: each its own, 66: coded
#define CODEC_BYTES 9u // of the bits of all groups
#define CODEC_AT 10u   // of the frame in the stream; of `measure`: the size without exceptions
#define CODEC_BODY 12u // of the bits in the stream; widths end 8 bytes before
#define CODEC_FACTOR 14u // unpacking: the step; packing: inverse of the scale, word of exceptions
#define CODEC_SCALE 16u  // as f32, or 0
#define CODEC_LEFT 1u    // a block needs another pass; | 2: the word of exceptions is known
#define CODEC_CODED 66u  // a width: the block is coded
#define CODEC_OFF 17u    // packing: exceptions and their bytes; unpacking: place of them, or 0

#define CODEC_OFF_MOST 256u // exceptions of a block

#define CODEC_GOLDEN PD_U64(0x7f4a7c15u, 0x9e3779b9u)
#define CODEC_SEED_INDEX 0x58444e49u
#define CODEC_HEAD 27u // words of a header in params

typedef struct {
    pd_u32 blocks, kind, fetch;
    pd_u32 groups; // in the largest block
    pd_u32 per_row, row_lo, row_hi, step; // see padici_codec_drive
    pd_u32 rows, inner;
    pd_u32 array_lo, array_hi;   // first element of the array
    pd_u32 packed_lo, packed_hi; // first byte of the stream
    pd_u32 header;               // its bytes
    pd_u32 room_lo, room_hi;
    pd_u32 length_lo, length_hi;
    pd_u32 each; // elements per item in a tile, for loops that must not be unrolled
    pd_u32 bound; // the first scale to try, or CODEC_UNSCALED; see padici_codec_scales
    pd_f32 scale0, scale1, scale2, inverse0, inverse1, inverse2;
    pd_u32 most0, most1, most2;
    pd_u32 writing; // of `off`; of `measure`: for retried blocks
    pd_u32 most_hi; // of f64: above most2; 2^86 / the scale's bits
    pd_u32 wide_lo, wide_hi;
    pd_u32 coded; // packing: blocks may be; unpacking: the index is to be checked
    pd_f32 within; // of `prove`: the bound
    pd_u32 head_size, head[27]; // a header of no more bytes; then its size, else 0
} padic_k_codec_stream_params;

PD_FN pd_u64 codec_start(pd_u32 block, const padic_k_codec_stream_params k)
{
    return (pd_u64)(block / k.per_row) * PD_U64(k.row_lo, k.row_hi) +
           (pd_u64)(block % k.per_row) * k.step;
}

PD_FN pd_u32 codec_count(pd_u32 block, const padic_k_codec_stream_params k)
{
    const pd_u64 left = PD_U64(k.row_lo, k.row_hi) - (pd_u64)(block % k.per_row) * k.step;
    return left < k.step ? (pd_u32)left : k.step;
}

PD_FN pd_u32 codec_rows(pd_u32 count, const padic_k_codec_stream_params k)
{
    return k.rows ? k.rows : count / k.inner;
}

// Size of the bits of a block's group number g.
PD_FN pd_u32 codec_group_bytes(pd_u32 g, pd_u32 n, pd_u32 width)
{
    const pd_u32 left = n - g * CODEC_GROUP;
    return ((left < CODEC_GROUP ? left : CODEC_GROUP) * width + 7u) / 8u;
}

#define CODEC_TABLE 296u // words of statistics of a block's tokens: start | frequency << 16, ...
#define CODEC_HOW 256u   // 1: differences; 2: all tokens are equal, << 8
#define CODEC_WIDEST 257u
#define CODEC_PLAINS 258u // bytes of the plain bits
#define CODEC_TABLES 259u // of the table of frequencies
#define CODEC_WORDS16 260u
#define CODEC_STAGE 261u // shift, step << 8, and the word `first`
#define CODEC_STATES 264u

// Results of `inspect`, bits of status[1]. status[2] is 1 where there is no index: a word that no
// other kernel of unpacking writes. One word per block follows, 1 if it was not taken.
#define CODEC_STATUS 3u
#define CODEC_SOME_CODED 1u
#define CODEC_SOME_LEFT 2u // by `unpack`, for `remainder`
#define CODEC_SOME_OFF 4u

PD_FN void codec_bad(PD_GPTR(pd_u32) status, pd_u32 block)
{
    PD_ATOMIC_MAX_G(status, 0xffffffffu - block);
    status[CODEC_STATUS + block] = 1u;
}

// 1 if a block's checksum is left to `patch`.
PD_FN pd_u32 codec_has_off(PD_GPTR(const pd_u32) r)
{
#if PD_CODEC_BOUND
    return r[CODEC_OFF] | r[CODEC_OFF + 1u] ? 1u : 0u;
#else
    (void)r;
    return 0u;
#endif
}
