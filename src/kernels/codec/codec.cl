// program: codec
// codec.cl: arrays packed in the profiles of FORMAT.md, and unpacked.
//
// A block is a run of elements and a group's work, in tiles of 256 items; the stream is seen as
// bytes from `packed` on. Packing: measure (one read of the elements: spreads, checksum, the
// choice), scan (where each block begins), frames (all but widths and bits, and the index), fill
// (widths and bits); where blocks may be coded, after
// measure classes (tokens and frequencies), rans (their chain; the choice), after fill coded (the
// bytes of coded blocks). Then the stream is unpacked again: prove compares what came back with the
// array, redo makes the blocks raw that did not, to be written once more. Unpacking: look (frames;
// every offset is compared before it is followed), unpack, and rest for differences; where there
// are coded blocks, tokens (rANS, 32 items a block) and expand. What is not one of the profiles, or
// damaged, is only reported. Numbers of the container stand as in FORMAT.md.
//
// Under PD_HAS_WARPS a group of 256 elements is a warp's work, 8 elements an item: 8 digits of one
// width are whole bytes. Of other warps it needs where its bits begin, and sums of differences.
//
// PD_CODEC_BOUND: streams with a bound (of f32, or of f64 by integers). Words of their blocks are
// multiples of a scale; range finds what a bound may be relative to, off sizes and writes
// exceptions, mend puts them back.
// variant: PD_CODEC_BOUND=1
// variant: PD_CODEC_BOUND=1 PD_CODEC_SIZE=8
// variant: PD_CODEC_SIZE=1
// variant: PD_CODEC_SIZE=2
// variant: PD_CODEC_SIZE=8

#ifndef PD_CODEC_SIZE
#define PD_CODEC_SIZE 4 // bytes of a scalar
#endif
#ifndef PD_CODEC_BOUND
#define PD_CODEC_BOUND 0 // 1, with scalars of 4 or 8 bytes: blocks may be within a bound
#endif
#ifndef PD_CODEC_WG
#define PD_CODEC_WG 256 // not to be changed
#endif
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
#define CODEC_CROWD 6 // groups at once
#else
#define CODEC_CROWD 4
#endif
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900 // elsewhere ptxas would spill
#define CODEC_MEASURERS (PD_CODEC_SIZE == 8 ? 4 : 5)
#else
#define CODEC_MEASURERS 4
#endif
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 1000
#define CODEC_CLASSES 3
#else
#define CODEC_CLASSES 4
#endif
#ifndef PD_CODEC_MEASURERS
#define PD_CODEC_MEASURERS (PD_CODEC_BOUND ? PD_CODEC_SIZE == 8 ? 2 : 3 : CODEC_MEASURERS)
#endif
#ifndef PD_CODEC_FILLERS
#define PD_CODEC_FILLERS (PD_HAS_WARPS && PD_CODEC_SIZE == 8 ? 4 : CODEC_CROWD)
#endif
#if PD_CODEC_BOUND && PD_CODEC_SIZE == 8
#define CODEC_CODERS 3
#define CODEC_EXPANDERS 2
#elif defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900
#define CODEC_CODERS 4
#define CODEC_EXPANDERS 3
#else
#define CODEC_CODERS 4
#define CODEC_EXPANDERS 4
#endif
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ == 900 && PD_CODEC_SIZE == 4 && !PD_CODEC_BOUND
#define CODEC_RESTERS 5
#else
#define CODEC_RESTERS 4
#endif
#ifndef PD_CODEC_RESTERS
#define PD_CODEC_RESTERS CODEC_RESTERS
#endif
#ifndef PD_CODEC_CODERS
#define PD_CODEC_CODERS CODEC_CODERS
#endif
#ifndef PD_CODEC_EXPANDERS
#define PD_CODEC_EXPANDERS CODEC_EXPANDERS
#endif
#ifndef PD_CODEC_UNPACKERS
#define PD_CODEC_UNPACKERS (CODEC_CROWD > 4 ? 5 : 4)
#endif
#ifndef PD_CODEC_SWIFTERS
#define PD_CODEC_SWIFTERS (CODEC_CROWD > 4 ? 6 : 3)
#endif

#if PD_CODEC_SIZE == 1
typedef pd_u8 codec_key;
#elif PD_CODEC_SIZE == 2
typedef pd_u16 codec_key;
#elif PD_CODEC_SIZE == 4
typedef pd_u32 codec_key;
#else
typedef pd_u64 codec_key;
#endif
// A word less `bias`, in 32 bits where the elements have no more, and without its sign.
#if PD_CODEC_SIZE == 8
typedef pd_i64 codec_num;
typedef pd_u64 codec_bare;
#define CODEC_NUM_BITS 64u
#define CODEC_TOP 0u
#define CODEC_BIAS 0u
#define CODEC_EACH (PD_HAS_WARPS && !PD_CODEC_BOUND ? 8u : 4u) // elements of an item in a tile
#define CODEC_ROUNDS 2u // tiles between two looks at groups
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
#define CODEC_SWIFT (PD_HAS_WARPS && CODEC_SHORT) // `swift` makes differences
#define CODEC_HIGHEST ((codec_bare)~(codec_bare)0u >> 1)
#define CODEC_WIDE (PD_CODEC_BOUND && PD_CODEC_SIZE == 8)
#define CODEC_BY_WARP (PD_HAS_WARPS && !CODEC_WIDE) // `measure`: else too few registers
#define CODEC_SHORT (PD_CODEC_SIZE < 8) // words of 32 bits
#define CODEC_PER (8u / PD_CODEC_SIZE) // elements of a word of 64 bits
#define CODEC_BITS (8u * PD_CODEC_SIZE)
#define CODEC_TILE (256u * CODEC_EACH)
#define CODEC_WORDS (CODEC_EACH / CODEC_PER) // of an item
#define CODEC_GROUP 256u                     // elements of one width
#define CODEC_SUMS (PD_CODEC_SIZE == 1 ? 8u : 4u) // elements of an item in a tile of sums
#define CODEC_SUM_TILE (256u * CODEC_SUMS)
#define CODEC_ITEMS (CODEC_GROUP / CODEC_EACH)
#define CODEC_KEYS (CODEC_GROUP / CODEC_PER)   // words of its elements
#define CODEC_FILL (CODEC_TILE / CODEC_GROUP) // groups of a tile
#define CODEC_SPREAD(i) ((i) + (i) / 16u)     // places of words in local memory: other banks

#define CODEC_FLOAT 2u // kinds: 0 unsigned, 1 signed

#define CODEC_RAW 0u // what a block is
#define CODEC_CONSTANT 1u
#define CODEC_PLAIN 2u
#define CODEC_DELTA 3u
#define CODEC_BAD 4u

#define CODEC_UNSCALED 3u // instead of the number of a scale

#define CODEC_RECORD 20u // words of a record:
#define CODEC_SIZE 0u    // bytes of the payload
#define CODEC_MODE 1u
#define CODEC_SHIFT 2u
#define CODEC_STEP 3u // its logarithm; unpacking: 1: the block is left to `rest`
#define CODEC_FIRST 4u
#define CODEC_SUM 6u
#define CODEC_WIDTH 8u // of all groups, in FETCH; unpacking: 65: each its own, 66: coded
#define CODEC_BYTES 9u // of the bits of all groups
#define CODEC_AT 10u   // of the frame in the stream; of `measure`: the size without exceptions
#define CODEC_BODY 12u // of the bits in the stream; widths end 8 bytes before
#define CODEC_FACTOR 14u // unpacking: the step; packing: inverse of the scale, word of exceptions
#define CODEC_SCALE 16u  // as f32, or 0
#define CODEC_LEFT 1u    // a block is left to another pass; | 2: the word of exceptions is known
#define CODEC_CODED 66u  // a width: the block is coded
#define CODEC_OFF 17u    // packing: exceptions and their bytes; unpacking: place of them, or 0

#define CODEC_GOLDEN PD_U64(0x7f4a7c15u, 0x9e3779b9u)
#define CODEC_SEED_INDEX 0x58444e49u
#define CODEC_HEAD 27u // words of a header that params hold

typedef struct {
    pd_u32 blocks, kind, fetch;
    pd_u32 groups; // in the largest block
    pd_u32 per_row, row_lo, row_hi, step; // see padici_codec_drive
    pd_u32 rows, inner;
    pd_u32 array_lo, array_hi;   // element where the array begins
    pd_u32 packed_lo, packed_hi; // byte where the stream begins
    pd_u32 header;               // its bytes
    pd_u32 room_lo, room_hi;
    pd_u32 length_lo, length_hi;
    pd_u32 each; // elements of an item in a tile, for loops that are better not unrolled
    pd_u32 bound; // which scale to begin with, or CODEC_UNSCALED; see padici_scales
    pd_f32 scale0, scale1, scale2, inverse0, inverse1, inverse2;
    pd_u32 most0, most1, most2;
    pd_u32 writing; // of `off`; of `measure`: for blocks that are left
    pd_u32 most_hi; // of f64: above most2; 2^86 / the scale's bits
    pd_u32 wide_lo, wide_hi;
    pd_u32 coded; // packing: blocks may be; unpacking: the index is to be looked at
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

PD_FN pd_u32 codec_length(pd_u64 x) // in bits
{
    const pd_u32 high = (pd_u32)(x >> 32);
    return high ? 64u - PD_CLZ(high) : 32u - PD_CLZ((pd_u32)x);
}

PD_FN pd_u32 codec_zeros(pd_u64 x) // below the lowest 1, or 0
{
    return x ? codec_length(x & (0u - x)) - 1u : 0u;
}

PD_FN pd_u64 codec_right(pd_u64 x, pd_u32 shift) // keeps the sign
{
    return (pd_u64)((pd_i64)x >> shift);
}

PD_FN pd_u64 codec_fold(pd_u64 x)
{
    return x << 1 ^ codec_right(x, 63u);
}

PD_FN pd_u64 codec_unfold(pd_u64 z)
{
    return z >> 1 ^ (0u - (z & 1u));
}

PD_FN pd_u64 codec_ordered(pd_u64 bits, pd_u32 kind)
{
    const pd_u64 wide = codec_right(bits << (64u - CODEC_BITS), 64u - CODEC_BITS);
    if (kind == 0u) return bits;
    return kind == CODEC_FLOAT ? wide ^ (codec_right(wide, 63u) >> 1 >> (64u - CODEC_BITS)) : wide;
}

// What `codec_number` needs: for unsigned elements of up to 32 bits their highest bit, as the
// highest of 32; for floats all bits but the sign.
PD_FN codec_bare codec_flip(pd_u32 kind)
{
    return kind ? 0u : CODEC_TOP;
}

PD_FN codec_bare codec_fold_of(pd_u32 kind)
{
    return PD_CODEC_SIZE > 1 && kind == CODEC_FLOAT ? ((codec_bare)1u << (CODEC_BITS - 1u)) - 1u
                                                    : 0u;
}

// What is missing to an element's word.
PD_FN pd_u64 codec_bias(pd_u32 kind)
{
    return kind ? 0u : CODEC_BIAS;
}

// Of an element's bits, above which there may be others.
PD_FN codec_num codec_number(codec_bare bits, codec_bare flip, codec_bare fold)
{
    // a sum, as `flip` is the highest bit or 0
    const codec_num x = (codec_num)((bits << (CODEC_NUM_BITS - CODEC_BITS)) + flip) >>
                        (CODEC_NUM_BITS - CODEC_BITS);
    return x ^ ((x >> (CODEC_NUM_BITS - 1u)) & (codec_num)fold);
}

// ---- words within a bound

// Whether an element has no word: its size is above `most`.
PD_FN pd_u32 codec_is_off(codec_bare bits, codec_bare most)
{
    return (bits & CODEC_HIGHEST) > most ? 1u : 0u;
}

#if CODEC_WIDE
typedef pd_u64 codec_inverse;
#define CODEC_MOST_SCALED PD_U64(k.most2, k.most_hi)
#else
typedef pd_f32 codec_inverse;
#define CODEC_MOST_SCALED k.most2
#endif

// All bits, where an element has no word.
PD_FN codec_bare codec_off_mask(codec_bare bits, codec_bare most)
{
    return (codec_bare)0u - ((most - (bits & CODEC_HIGHEST)) >> (CODEC_NUM_BITS - 1u));
}

// The word of an element, `instead` where it has none. Less than 2^20; of f64 at most 2^38.
PD_FN codec_num codec_scaled(codec_bare bits, codec_inverse inverse, pd_f32 scale,
                             codec_bare most, codec_num instead)
{
    const codec_bare is_off = codec_off_mask(bits, most);
#if CODEC_WIDE
    const pd_u64 h = PD_MULHI64(bits << 11 | (pd_u64)1u << 63, inverse);
    const pd_u32 k = (PD_AS_U32(scale) >> 23) + 957u - ((pd_u32)(bits >> 52) & 2047u);
    const pd_u64 n = k > 62u ? 0u : ((h >> k) + 1u) >> 1;
    const pd_u64 negative = codec_right(bits, 63u);
    return (codec_num)((((n ^ negative) - negative) & ~is_off) | ((pd_u64)instead & is_off));
#else
    const pd_f32 y = PD_RINT(PD_AS_F32((pd_u32)(bits & ~is_off)) * inverse);
    (void)scale;
    return (codec_num)y + (instead & (codec_num)is_off);
#endif
}

// The element of a word that f32 holds; of f64, of one up to 2^40.
PD_FN codec_bare codec_unscaled(codec_num n, pd_f32 scale)
{
#if CODEC_WIDE
    const pd_u32 bits = PD_AS_U32(scale);
    const pd_u64 negative = codec_right((pd_u64)n, 63u);
    const pd_u64 x = (((pd_u64)n ^ negative) - negative) * ((bits & 0x7fffffu) | 0x800000u);
    const pd_u32 up = 64u - codec_length(x | 1u);
    const pd_u64 m = x << up >> 11; // 53 bits, to be rounded to even
    const pd_u64 made = ((pd_u64)((bits >> 23) + 935u - up) << 52) + m +
                        ((((x << up) & 2047u) + 1023u + (m & 1u)) >> 11);
    return x ? made | (negative & (pd_u64)1u << 63) : 0u;
#else
    return PD_AS_U32((pd_f32)n * scale);
#endif
}

// Of a word: 0 where f32 holds it (of f64: where it is one).
PD_FN pd_u64 codec_wild(pd_u64 n)
{
#if CODEC_WIDE
    return n + PD_U64(0u, 256u) > PD_U64(0u, 512u) ? 1u : 0u;
#else
    return (n + 0x1000000u) >> 25;
#endif
}

// A scale as f64, and back: 0 where it is not one of 24 bits from 2^-100 to 2^101.
PD_FN pd_u64 codec_scale_wide(pd_u32 scale)
{
    return PD_U64(scale << 29, (scale >> 3) + (896u << 20));
}

PD_FN pd_u32 codec_scale_of(pd_u64 wide)
{
    const pd_u32 high = (pd_u32)(wide >> 32), low = (pd_u32)wide;
    if (high >> 20 < 923u || high >> 20 > 1123u || low & 0x1fffffffu) return 0u;
    return ((high - (896u << 20)) << 3) | (low >> 29);
}

#if PD_CODEC_BOUND
#define CODEC_NUMBER(bits) \
    (scale != 0.0f \
         ? codec_scaled((codec_bare)(bits), inverse, scale, highest, instead) \
         : codec_number((codec_bare)(bits), flip, fold))
#define CODEC_TURNS chosen[15] // by local memory, as scalar registers are few
#define CODEC_GROUPS chosen[16]
#define CODEC_MAY_CODE chosen[22]
#define CODEC_ARRAY PD_U64(chosen[18], chosen[19])
#else
#define CODEC_NUMBER(bits) codec_number((codec_bare)(bits), flip, fold)
#if PD_CODEC_SIZE == 1 // a word of elements is flipped at once; with 2 bytes that is slower
#define CODEC_FLIPPED(word) ((word) ^ (flip ? PD_U64(0x80808080u, 0x80808080u) : 0u))
#define CODEC_NUMBER_OF(bits) codec_number((codec_bare)(bits), 0u, fold)
#endif
#define CODEC_TURNS rounds
#define CODEC_GROUPS k.groups
#define CODEC_MAY_CODE k.coded
#define CODEC_ARRAY PD_U64(k.array_lo, k.array_hi)
#endif

#ifndef CODEC_FLIPPED
#define CODEC_FLIPPED(word) (word)
#define CODEC_NUMBER_OF(bits) CODEC_NUMBER(bits)
#endif

// By parts: three instructions where compilers know of four.
PD_FN pd_u64 codec_times(pd_u64 x, pd_u32 low, pd_u32 high)
{
    const pd_u64 y = PD_MULWIDE((pd_u32)x, low);
    return PD_U64((pd_u32)y, (pd_u32)(y >> 32) + (pd_u32)x * high + (pd_u32)(x >> 32) * low);
}

PD_FN pd_u64 codec_mix(pd_u64 x)
{
    x = codec_times(x, 0x1ce4e5b9u, 0xbf58476du);
    x ^= x >> 32;
    x = codec_times(x, 0x133111ebu, 0x94d049bbu);
    return x ^ (x >> 29);
}

PD_FN pd_u64 codec_seed(pd_u64 seed)
{
    return (seed + 1u) * PD_U64(0xde82ef95u, 0xd1342543u);
}

// The last part of a checksum.
PD_FN pd_u64 codec_sum_end(pd_u64 bytes, pd_u64 seed)
{
    return codec_mix(bytes ^ ~seed);
}

// Word q of the block of n elements that begins with element `base`; 0 behind its end. In whole
// words where the block begins with one.
PD_FN pd_u64 codec_word(PD_GPTR(const codec_key) keys, PD_GPTR(const pd_u64) pairs, pd_u64 base,
                        pd_u32 q, pd_u32 n)
{
    pd_u64 x = 0u;
    pd_u32 j;
#if PD_CODEC_SIZE == 8
    (void)pairs;
#else
    if (base % CODEC_PER == 0u && (q + 1u) * CODEC_PER <= n) return pairs[base / CODEC_PER + q];
#endif
    for (j = 0u; j < CODEC_PER; j++)
        if (q * CODEC_PER + j < n)
            x |= (pd_u64)keys[base + q * CODEC_PER + j] << (j * (CODEC_BITS & 63u));
    return x;
}

#if PD_HAS_WARPS
// The words of an item's 8 elements, from e on.
PD_FN void codec_item(pd_u64 word[8u / CODEC_PER], PD_GPTR(const codec_key) keys,
                      PD_GPTR(const pd_u64) pairs, pd_u64 base, pd_u32 e, pd_u32 n)
{
    pd_u32 i, j;
    if (base % CODEC_PER == 0u && e + 8u <= n) {
        PD_GPTR(const pd_u64) from = pairs + (base + e) / CODEC_PER;
#if PD_CODEC_SIZE > 1
        if (PD_PAIRED(from)) {
            for (i = 0u; i < 8u / CODEC_PER; i += 2u) PD_LOAD_PAIR(word[i], word[i + 1u], from + i);
            return;
        }
#endif
        for (i = 0u; i < 8u / CODEC_PER; i++) word[i] = from[i];
        return;
    }
    for (i = 0u; i < 8u / CODEC_PER; i++) {
        word[i] = 0u;
        for (j = e + i * CODEC_PER; j < e + (i + 1u) * CODEC_PER && j < n; j++)
            word[i] |= (pd_u64)keys[base + j] << ((j - e) % CODEC_PER * (CODEC_BITS & 63u));
    }
}
#endif

// From what each of 256 items has, the sum of those before it; CODEC_TOTAL(part) becomes the sum of
// all. The arrays may be written again after one more barrier. They have 288 and 36 elements.
PD_FN pd_u64 codec_before(PD_LPTR(pd_u64) each, PD_LPTR(pd_u64) part, pd_u64 mine)
{
    const pd_u32 l = PD_LID;
    pd_u32 i;
#if PD_HAS_WARPS
    pd_u64 sum = mine;
    (void)each;
    for (i = 1u; i < 32u; i *= 2u) {
        const pd_u64 x = PD_SHUFFLE_UP64(sum, i);
        if (l % 32u >= i) sum += x;
    }
    if (l % 32u == 31u) part[l / 32u] = sum;
    PD_BARRIER();
    sum -= mine;
    for (i = 0u; i < 7u; i++) sum += i < l / 32u ? part[i] : 0u;
#else
    const pd_u32 own = l + l / 8u;
    pd_u64 sum = 0u, x;
    each[own] = mine;
    PD_BARRIER();
    if (l < 32u) {
        for (i = 9u * l; i < 9u * l + 8u; i++) {
            x = each[i];
            each[i] = sum;
            sum += x;
        }
        part[l] = sum;
    }
    PD_BARRIER();
    if (l < 4u) {
        sum = 0u;
        for (i = 8u * l; i < 8u * l + 8u; i++) {
            x = part[i];
            part[i] = sum;
            sum += x;
        }
        part[32u + l] = sum;
    }
    PD_BARRIER();
    sum = part[l / 8u] + each[own];
    for (i = 0u; i < l / 64u; i++) sum += part[32u + i];
#endif
    return sum;
}

// The same in 32 bits.
PD_FN pd_u32 codec_before32(PD_LPTR(pd_u64) each, PD_LPTR(pd_u64) part, pd_u32 mine)
{
#if PD_HAS_WARPS
    const pd_u32 l = PD_LID;
    pd_u32 sum = mine, i;
    (void)each;
    for (i = 1u; i < 32u; i *= 2u) sum = PD_SUM_UP(sum, i);
    if (l % 32u == 31u) part[l / 32u] = sum;
    PD_BARRIER();
    sum -= mine;
    for (i = 0u; i < 7u; i++) sum += i < l / 32u ? (pd_u32)part[i] : 0u;
    return sum;
#else
    return (pd_u32)codec_before(each, part, mine);
#endif
}

#if PD_HAS_WARPS
#define CODEC_AGAIN() // other places than those that were read: nobody need wait
#define CODEC_TOTAL(part) \
    ((part)[0] + (part)[1] + (part)[2] + (part)[3] + (part)[4] + (part)[5] + (part)[6] + (part)[7])
#define CODEC_TEAM 32u // items that need no barrier of the group among themselves
#define CODEC_TEAM_BARRIER() PD_BARRIER_WARP()
#else
#define CODEC_AGAIN() PD_BARRIER()
#define CODEC_TOTAL(part) ((part)[32] + (part)[33] + (part)[34] + (part)[35])
#define CODEC_TEAM 256u
#define CODEC_TEAM_BARRIER() PD_BARRIER()
#endif

#if PD_HAS_WARPS
// As codec_before, of a tile: its sum is added to *all, and the arrays (of 8, in turns) may be
// written again after the next one's barrier.
PD_FN pd_u32 codec_tile_before32(PD_LPTR(pd_u32) part, pd_u32 mine, pd_u32 *all)
{
    const pd_u32 l = PD_LID;
    pd_u32 sum = mine, i, y;
    for (i = 1u; i < 32u; i *= 2u) sum = PD_SUM_UP(sum, i);
    if (l % 32u == 31u) part[l / 32u] = sum;
    PD_BARRIER();
    y = l % 32u < 8u ? part[l % 8u] : 0u;
    *all = PD_WARP_SUM(y);
    return sum - mine + PD_WARP_SUM(l % 32u < l / 32u ? y : 0u);
}

PD_FN pd_u64 codec_tile_before(PD_LPTR(pd_u64) part, pd_u64 mine, pd_u64 *all)
{
    const pd_u32 l = PD_LID;
    pd_u64 sum = mine, x, y;
    pd_u32 i;
    for (i = 1u; i < 32u; i *= 2u) {
        x = PD_SHUFFLE_UP64(sum, i);
        if (l % 32u >= i) sum += x;
    }
    if (l % 32u == 31u) part[l / 32u] = sum;
    PD_BARRIER();
    y = part[l % 8u];
    x = l % 8u < l / 32u ? y : 0u;
    for (i = 4u; i > 0u; i /= 2u) {
        x += PD_SHUFFLE_XOR64(x, i);
        y += PD_SHUFFLE_XOR64(y, i);
    }
    *all = y;
    return sum - mine + x;
}
#endif

#define CODEC_OFF_MOST 256u // exceptions of a block

#define CODEC_OR 0u // ways to make one of two
#define CODEC_ADD 1u
#define CODEC_MOST 2u
#define CODEC_LEAST 3u
PD_FN pd_u64 codec_join(pd_u64 a, pd_u64 b, pd_u32 way)
{
    if (way == CODEC_OR) return a | b;
    if (way == CODEC_ADD) return a + b;
    if (way == CODEC_MOST) return (pd_i64)a > (pd_i64)b ? a : b;
    return (pd_i64)a < (pd_i64)b ? a : b;
}

// One of all items' values. Begins with a barrier.
PD_FN pd_u64 codec_all(PD_LPTR(pd_u64) each, pd_u64 mine, pd_u32 way)
{
    const pd_u32 l = PD_LID;
    pd_u32 i;
#if PD_HAS_WARPS
    for (i = 16u; i > 0u; i /= 2u) mine = codec_join(mine, PD_SHUFFLE_XOR64(mine, i), way);
    PD_BARRIER();
    if (l % 32u == 0u) each[l / 32u] = mine;
    PD_BARRIER();
    mine = each[0];
    for (i = 1u; i < 8u; i++) mine = codec_join(mine, each[i], way);
#else
    PD_BARRIER();
    each[l] = mine;
    PD_BARRIER();
    if (l < 16u)
        for (i = 1u; i < 16u; i++) each[l] = codec_join(each[l], each[l + 16u * i], way);
    PD_BARRIER();
    mine = each[0];
    for (i = 1u; i < 16u; i++) mine = codec_join(mine, each[i], way);
#endif
    return mine;
}

// Of 32 items, which have `vote`, by words that go round: three, 0 at first.
PD_FN pd_u32 codec_votes(PD_LPTR(pd_u32) mask, pd_u32 turn, pd_u32 vote)
{
#if PD_HAS_WARPS
    (void)mask;
    (void)turn;
    return PD_BALLOT(vote);
#else
    pd_u32 all;
    if (vote) PD_ATOMIC_OR_L(&mask[turn], 1u << PD_LID);
    PD_BARRIER();
    all = mask[turn];
    if (PD_LID == 0u) mask[turn ? turn - 1u : 2u] = 0u; // of the round before
    return all;
#endif
}

// Bytes of the bits of a block's group number g.
PD_FN pd_u32 codec_group_bytes(pd_u32 g, pd_u32 n, pd_u32 width)
{
    const pd_u32 left = n - g * CODEC_GROUP;
    return ((left < CODEC_GROUP ? left : CODEC_GROUP) * width + 7u) / 8u;
}

// ---- packing

// The width that a group needs: `delta` of its folded differences, else of its largest word.
PD_FN pd_u32 codec_width(pd_u64 most, pd_u64 least, pd_u32 shift, pd_u32 step, pd_u32 delta)
{
    if (delta) return codec_length((most >> 1 >> step) << 1 | (most & 1u));
    return codec_length((codec_right(most, shift) - codec_right(least, shift)) >> step);
}

// The elements of a word, of which only `have` are there, the last one in place of others.
PD_FN pd_u64 codec_repeat(pd_u64 word, pd_u32 have)
{
    pd_u32 j;
    for (j = 1u; j < CODEC_PER; j++)
        if (j >= have) {
            const pd_u64 x = (codec_key)(word >> ((j - 1u) * (CODEC_BITS & 63u)));
            word |= x << (j * (CODEC_BITS & 63u));
        }
    return word;
}

// The word of an item that lies at the block's end: behind it the last element, again and again.
PD_FN pd_u64 codec_filled(pd_u64 word, pd_u64 before, pd_u32 at, pd_u32 n)
{
    if (at >= n) return codec_repeat(before >> (64u - CODEC_BITS), 1u);
    return n - at < CODEC_PER ? codec_repeat(word, n - at) : word;
}

// top, apart: of each group, its largest word and its folded differences, or-ed.
PD_KERNEL_MIN(padic_k_codec_measure, PD_CODEC_WG, PD_CODEC_MEASURERS)
(PD_CBUF(codec_key, keys), PD_CBUF(pd_u64, pairs), PD_BUF(pd_u64, top), PD_BUF(pd_u64, apart),
 PD_BUF(pd_u8, width), PD_BUF(pd_u32, record), PD_PARAMS(padic_k_codec_stream_params, k))
{
#if !CODEC_BY_WARP
    PD_LOCAL codec_bare one[CODEC_ROUNDS * 256u];
    PD_LOCAL codec_bare two[CODEC_ROUNDS * 256u];
    PD_LOCAL pd_u8 signs[CODEC_ROUNDS * 256u];
#endif
    PD_LOCAL pd_u64 each[256];
#if PD_CODEC_BOUND
    PD_LOCAL pd_u32 chosen[23]; // scale, word of exceptions; inverses, scales, largest elements
#endif
    const pd_u32 l = PD_LID;
    const codec_num lowest = (codec_num)((codec_bare)1u << (CODEC_NUM_BITS - 1u));
    const pd_u32 kind = PD_CODEC_BOUND ? CODEC_FLOAT : k.kind;
    const codec_bare flip = codec_flip(kind), fold = codec_fold_of(kind);
    const pd_u64 bias = codec_bias(kind);
    const pd_u32 rounds = CODEC_ROUNDS * k.each / CODEC_SUMS; // CODEC_ROUNDS, not to be unrolled
    pd_u32 block;
#if PD_CODEC_BOUND
    if (l == 0u) {
#if CODEC_WIDE
        chosen[2] = k.wide_lo;
        chosen[3] = k.wide_hi;
        chosen[21] = k.most_hi;
#else
        chosen[2] = PD_AS_U32(k.inverse0);
        chosen[3] = PD_AS_U32(k.inverse1);
        chosen[4] = PD_AS_U32(k.inverse2);
#endif
        chosen[6] = PD_AS_U32(k.scale0);
        chosen[7] = PD_AS_U32(k.scale1);
        chosen[8] = PD_AS_U32(k.scale2);
        chosen[5] = chosen[9] = 0u;
        chosen[10] = k.most0;
        chosen[11] = k.most1;
        chosen[12] = k.most2;
        chosen[14] = k.fetch ? 0u : CODEC_OFF_MOST;
        chosen[15] = rounds;
        chosen[16] = k.groups;
        chosen[17] = k.bound;
        chosen[18] = k.array_lo;
        chosen[22] = k.coded;
        chosen[19] = k.array_hi;
    }
    PD_BARRIER();
#endif
    for (block = PD_GRP; block < k.blocks; block += PD_NGRP) {
        const pd_u64 base = CODEC_ARRAY + codec_start(block, k);
        const pd_u32 n = codec_count(block, k);
        const pd_u64 own = (pd_u64)block * CODEC_GROUPS;
        codec_num y0, lower, upper;
        pd_u64 all_bits, key;
        codec_bare all_apart;
        pd_u64 x0, least, most, magnitudes, differences, sum, plain, delta;
        pd_u32 tile, i, j, g, shift, step, mode, round, fetch = k.fetch;
#if PD_CODEC_BOUND
        // In the first pass all blocks have the scale that is guessed, in others those that are
        // left have what the pass before found.
        PD_GPTR(const pd_u32) found = record + (pd_u64)block * CODEC_RECORD;
        pd_u32 off = 0u, next = 0u, which;
        codec_bare largest = 0u, highest, as_it_is;
        codec_num instead;
        codec_inverse inverse;
        pd_f32 scale;
        if (k.writing && found[CODEC_OFF + 2u] == 0u) continue;
        if (l == 0u) { // by local memory, as scalar registers are few
            chosen[0] = k.writing ? found[CODEC_SCALE] : chosen[17];
            chosen[1] = k.writing ? found[CODEC_FACTOR + 1u] : 0u;
#if CODEC_WIDE
            chosen[20] = k.writing ? found[CODEC_FACTOR] : 0u;
#endif
            chosen[13] = k.writing ? found[CODEC_OFF + 2u] : 0u;
        }
        PD_BARRIER();
        which = chosen[0];
        scale = PD_AS_F32(chosen[6u + which]);
#if CODEC_WIDE
        instead = (codec_num)PD_U64(chosen[20], chosen[1]);
        inverse = PD_U64(chosen[2], chosen[3]);
        highest = PD_U64(chosen[12], chosen[21]); // that has a word
#else
        instead = (codec_num)chosen[1];
        inverse = PD_AS_F32(chosen[2u + which]);
        highest = chosen[12];
#endif
        if (which == CODEC_UNSCALED) highest = CODEC_HIGHEST;
        as_it_is = (codec_bare)0u - (which == CODEC_UNSCALED ? 1u : 0u);
#endif
        y0 = CODEC_NUMBER(keys[base]);
        x0 = (pd_u64)(pd_i64)y0 + bias;
        lower = upper = y0;
#if PD_CODEC_BOUND
        if (codec_is_off((codec_bare)keys[base], highest)) lower = (codec_num)CODEC_HIGHEST;
#endif
        all_bits = sum = 0u;
        all_apart = 0u;
        tile = 0u;
        key = codec_seed(block) + l * CODEC_WORDS * CODEC_GOLDEN;
        while (tile < n) {
#if !CODEC_BY_WARP
            const pd_u32 from = tile;
#endif
            for (round = 0u; round < CODEC_TURNS; round++) {
                const pd_u32 e = tile + l * CODEC_EACH;
                const pd_u32 whole = base % CODEC_PER == 0u && e + CODEC_EACH <= n ? 1u : 0u;
                codec_num high = lowest;
                codec_bare apart_bits = 0u, sign = 0u;
#if CODEC_BY_WARP // the element before the item's comes from the item before
                pd_u64 word[CODEC_WORDS], shown[CODEC_WORDS];
                codec_num y1;
                codec_item(word, keys, pairs, base, e, n);
                if (!whole && e < n)
                    for (i = 0u; i < CODEC_WORDS; i++) {
#if !PD_CODEC_BOUND
                        if (e + i * CODEC_PER < n)
                            sum += codec_mix(word[i] ^ (key + i * CODEC_GOLDEN));
#endif
                        word[i] = codec_filled(word[i], word[i ? i - 1u : 0u], e + i * CODEC_PER,
                                               n);
                    }
                for (i = 0u; i < CODEC_WORDS; i++) shown[i] = CODEC_FLIPPED(word[i]);
                y1 = CODEC_NUMBER_OF((codec_key)(shown[CODEC_WORDS - 1u] >> (64u - CODEC_BITS)));
                y1 = (codec_num)CODEC_SHUFFLE_UP(y1, 1u);
                if (l % 32u == 0u && e < n) y1 = CODEC_NUMBER(keys[base + (e ? e - 1u : 0u)]);
#endif
                if (e < n) {
#if !CODEC_BY_WARP
                    pd_u64 word[CODEC_WORDS];
                    const codec_num y1 = CODEC_NUMBER(keys[base + (e ? e - 1u : 0u)]);
#endif
                    codec_num before = y1, low = y1;
#if PD_CODEC_BOUND
                    if (scale != 0.0f) low = (codec_num)CODEC_HIGHEST; // y1 is not of it
#endif
#if !CODEC_BY_WARP
                    if (whole) {
                        for (i = 0u; i < CODEC_WORDS; i++)
                            word[i] = pairs[(base + e) / CODEC_PER + i];
                    } else {
                        for (i = 0u; i < CODEC_WORDS; i++)
                            word[i] = codec_word(keys, pairs, base, e / CODEC_PER + i, n);
                    }
#elif !PD_CODEC_BOUND
                    if (whole)
                        for (i = 0u; i < CODEC_WORDS; i++)
                            sum += codec_mix(word[i] ^ (key + i * CODEC_GOLDEN));
#endif
                    for (i = 0u; i < CODEC_WORDS; i++) {
#if PD_CODEC_BOUND
                        pd_u64 made = 0u;
#endif
#if PD_CODEC_BOUND || !CODEC_BY_WARP
                        const pd_u32 at = e + i * CODEC_PER;
#endif
#if !CODEC_BY_WARP
#if !PD_CODEC_BOUND
                        if (whole || at < n) sum += codec_mix(word[i] ^ (key + i * CODEC_GOLDEN));
#endif
                        if (!whole) word[i] = codec_filled(word[i], word[i ? i - 1u : 0u], at, n);
#endif
                        all_bits |= word[i];
                        for (j = 0u; j < CODEC_PER; j++) {
                            const codec_bare bits =
                                (codec_bare)(word[i] >> (j * (CODEC_BITS & 63u)));
#if PD_CODEC_BOUND
                            // masks, as conditions would take scalar registers
                            const codec_bare size = bits & CODEC_HIGHEST;
                            const codec_bare is_off = codec_off_mask(bits, highest);
                            const codec_num y = CODEC_NUMBER(bits);
                            const codec_bare keep = is_off | as_it_is;
                            const codec_bare came =
                                (codec_unscaled(y, scale) & ~keep) | (bits & keep);
                            const codec_num on = (codec_num)(((codec_bare)y & ~is_off) |
                                                             (CODEC_HIGHEST & is_off));
                            made |= (pd_u64)came << (j * (CODEC_BITS & 63u));
                            off += at + j < n ? (pd_u32)is_off & 1u : 0u;
                            largest = largest > (size & ~is_off) ? largest : size & ~is_off;
                            low = on < low ? on : low;
#else
#if CODEC_BY_WARP
                            const codec_num y =
                                CODEC_NUMBER_OF(shown[i] >> (j * (CODEC_BITS & 63u)));
                            (void)bits;
#else
                            const codec_num y = CODEC_NUMBER(bits);
#endif
#endif
                            const codec_bare d = (codec_bare)y - (codec_bare)before;
                            apart_bits |= d ^ (codec_bare)((codec_num)d >> (CODEC_NUM_BITS - 1u));
                            sign |= d;
                            high = y > high ? y : high;
#if !PD_CODEC_BOUND
                            low = y < low ? y : low;
#endif
                            before = y;
                        }
#if PD_CODEC_BOUND
#if !CODEC_WIDE
                        if (at + 1u >= n) made &= 0xffffffffu; // the last element alone
#endif
                        if (at < n) sum += codec_mix(made ^ (key + i * CODEC_GOLDEN));
#endif
                    }
                    all_apart |= sign;
                    sign >>= CODEC_NUM_BITS - 1u;
#if PD_CODEC_SIZE == 4
                    if (((pd_u32)(y1 > high ? y1 : high) - (pd_u32)low) >> 31) {
                        // a difference may have 33 bits
                        before = y1;
                        apart_bits = sign = 0u;
                        for (i = 0u; i < CODEC_WORDS; i++)
                            for (j = 0u; j < CODEC_PER; j++) {
                                const codec_num y =
                                    CODEC_NUMBER(word[i] >> (j * (CODEC_BITS & 63u)));
                                const codec_bare less = y < before ? 0xffffffffu : 0u;
                                apart_bits |= ((codec_bare)y - (codec_bare)before) ^ less;
                                sign |= less & 1u;
                                before = y;
                            }
                    }
#endif
                    lower = low < lower ? low : lower;
                    upper = high > upper ? high : upper;
                }
#if CODEC_BY_WARP
                g = PD_BALLOT(sign) ? 1u : 0u;
#if CODEC_SHORT
                apart_bits = PD_WARP_OR(apart_bits);
                high = PD_WARP_MAX(high);
#else
                apart_bits = PD_U64(PD_WARP_OR((pd_u32)apart_bits),
                                    PD_WARP_OR((pd_u32)(apart_bits >> 32)));
                {
                    const pd_i32 up = PD_WARP_MAX((pd_i32)(high >> 32));
                    const pd_u32 low = (pd_i32)(high >> 32) == up ? (pd_u32)high : 0u;
                    high = (codec_num)PD_U64(
                        (pd_u32)PD_WARP_MAX((pd_i32)(low ^ 0x80000000u)) ^ 0x80000000u,
                        (pd_u32)up);
                }
#endif
                if (l % 32u == 0u && e < n) {
                    top[own + e / CODEC_GROUP] = (pd_u64)(pd_i64)high + bias;
                    apart[own + e / CODEC_GROUP] = (pd_u64)apart_bits << 1 | g;
                }
#else
                one[256u * round + l] = (codec_bare)high;
                two[256u * round + l] = apart_bits;
                signs[256u * round + l] = (pd_u8)sign;
#endif
                tile += CODEC_TILE;
                key += CODEC_TILE / CODEC_PER * CODEC_GOLDEN;
            }
#if !CODEC_BY_WARP
            PD_BARRIER();
            {
                codec_num high = (codec_num)one[CODEC_ROUNDS * l];
                codec_bare apart_bits = two[CODEC_ROUNDS * l], sign = signs[CODEC_ROUNDS * l];
                for (i = 1u; i < CODEC_ROUNDS; i++) {
                    const codec_num y = (codec_num)one[CODEC_ROUNDS * l + i];
                    high = y > high ? y : high;
                    apart_bits |= two[CODEC_ROUNDS * l + i];
                    sign |= signs[CODEC_ROUNDS * l + i];
                }
                one[CODEC_ROUNDS * l] = (codec_bare)high;
                two[CODEC_ROUNDS * l] = apart_bits;
                signs[CODEC_ROUNDS * l] = (pd_u8)sign;
            }
            PD_BARRIER();
            g = from / CODEC_GROUP + l;
            if (l < CODEC_ROUNDS * CODEC_FILL && g * CODEC_GROUP < n) {
                codec_num high = lowest;
                codec_bare apart_bits = 0u, sign = 0u;
                for (i = l * CODEC_ITEMS; i < (l + 1u) * CODEC_ITEMS; i += CODEC_ROUNDS) {
                    const codec_num y = (codec_num)one[i];
                    high = y > high ? y : high;
                    apart_bits |= two[i];
                    sign |= signs[i];
                }
                top[own + g] = (pd_u64)(pd_i64)high + bias;
                apart[own + g] = (pd_u64)apart_bits << 1 | sign;
            }
            PD_BARRIER();
#endif
        }
        least = codec_all(each, (pd_u64)(pd_i64)lower + bias, CODEC_LEAST);
        most = codec_all(each, (pd_u64)(pd_i64)upper + bias, CODEC_MOST);
        // powers of 2 that divide all differences divide those of neighbours, and the reverse
        differences = codec_all(each, all_apart, CODEC_OR);
        for (j = CODEC_BITS; j < 64u; j *= 2u) all_bits |= all_bits >> j;
        magnitudes = codec_all(each, (codec_bare)all_bits & fold, CODEC_OR);
        sum = codec_all(each, sum, CODEC_ADD) +
              codec_sum_end((pd_u64)n * PD_CODEC_SIZE, block);
        shift = kind == CODEC_FLOAT && (pd_i64)least < 0 && (pd_i64)most >= 0
                    ? codec_zeros(magnitudes)
                    : 0u;
#if PD_CODEC_BOUND
        if (which < CODEC_UNSCALED) {
            pd_u32 want = CODEC_UNSCALED;
            largest = (codec_bare)codec_all(each, largest, CODEC_MOST);
            off = (pd_u32)codec_all(each, off, CODEC_ADD);
            shift = 0u;
            if (off < n && off <= chosen[14])
#if CODEC_WIDE
                want = 0u;
#else
                want = largest > chosen[11] ? 2u : largest > chosen[10] ? 1u : 0u;
#endif
            if (want != which)
                next = CODEC_LEFT | want << 2;
            else if (off && chosen[13] != (CODEC_LEFT | 2u))
                next = CODEC_LEFT | 2u | want << 2;
        }
#endif
#if PD_CODEC_BOUND
        fetch = chosen[14] ? 0u : 1u;
#endif
        step = codec_zeros(differences);
        if (l == 0u && CODEC_MAY_CODE) { // for `classes`
            PD_GPTR(pd_u32) r = record + (pd_u64)block * CODEC_RECORD;
            r[CODEC_AT + 1u] = shift | step << 8;
            r[CODEC_BODY] = (pd_u32)least;
            r[CODEC_BODY + 1u] = (pd_u32)(least >> 32);
        }
        PD_BARRIER_ALL(); // top and apart are there
        plain = delta = 0u;
        for (g = l; g * CODEC_GROUP < n; g += 256u) {
            plain += codec_group_bytes(
                g, n,
                codec_width(fetch ? most : top[own + g], least, shift, shift ? 0u : step, 0u));
            delta += codec_group_bytes(g, n, codec_width(apart[own + g], 0u, 0u, step, 1u));
        }
        plain = codec_all(each, plain, CODEC_ADD);
        delta = codec_all(each, delta, CODEC_ADD);
        mode = !fetch && delta + 6u < plain ? CODEC_DELTA : CODEC_PLAIN;
        plain = mode == CODEC_DELTA ? delta : plain;
        i = (pd_u32)plain + (fetch ? 40u : 39u + (n + CODEC_GROUP - 1u) / CODEC_GROUP);
        if (mode == CODEC_DELTA) i += 6u;
#if PD_CODEC_BOUND
        if (which < CODEC_UNSCALED) {
            i += 7u + (off ? 24u + (PD_CODEC_SIZE + 4u) * off : 0u);
            if (i >= PD_CODEC_SIZE * n + 9u &&
                (least != most || off || 22u > PD_CODEC_SIZE * n + 9u)) {
                if (!next) next = CODEC_LEFT | CODEC_UNSCALED << 2;
            }
            i -= off ? 24u + (PD_CODEC_SIZE + 4u) * off : 0u; // `off` adds what they take
        }
#endif
        if (i >= n * PD_CODEC_SIZE + 9u) {
            mode = CODEC_RAW;
            i = n * PD_CODEC_SIZE + 9u;
            plain = n * PD_CODEC_SIZE;
        }
#if PD_CODEC_BOUND
        if (least == most && 22u <= n * PD_CODEC_SIZE + 9u && (which == CODEC_UNSCALED || !off)) {
            if (which < CODEC_UNSCALED)
                x0 = (pd_u64)(pd_i64)codec_number(codec_unscaled(y0, scale), flip, fold);
#else
        if (least == most && 22u <= n * PD_CODEC_SIZE + 9u) {
#endif
            mode = CODEC_CONSTANT;
            i = 22u;
            plain = 0u;
        }
        if (mode != CODEC_PLAIN) shift = 0u;
        if (shift || mode < CODEC_PLAIN) step = 0u;
        if (l == 0u) {
            PD_GPTR(pd_u32) r = record + (pd_u64)block * CODEC_RECORD;
            const pd_u64 first = mode == CODEC_PLAIN ? codec_right(least, shift) : x0;
            r[CODEC_SIZE] = r[CODEC_AT] = i;
            r[CODEC_MODE] = mode;
            r[CODEC_SHIFT] = shift;
            r[CODEC_STEP] = step;
            r[CODEC_FIRST] = (pd_u32)first;
            r[CODEC_FIRST + 1u] = (pd_u32)(first >> 32);
            r[CODEC_SUM] = (pd_u32)sum;
            r[CODEC_SUM + 1u] = (pd_u32)(sum >> 32);
            r[CODEC_WIDTH] = codec_width(most, least, shift, step, 0u);
            r[CODEC_BYTES] = (pd_u32)plain;
            r[CODEC_SCALE] = r[CODEC_OFF] = r[CODEC_OFF + 1u] = r[CODEC_OFF + 2u] = 0u;
            r[CODEC_FACTOR] = r[CODEC_FACTOR + 1u] = 0u;
#if PD_CODEC_BOUND
            if (which < CODEC_UNSCALED && mode >= CODEC_PLAIN) {
#if CODEC_WIDE
                r[CODEC_FACTOR] = (pd_u32)instead;
                r[CODEC_FACTOR + 1u] = (pd_u32)((pd_u64)instead >> 32);
#else
                r[CODEC_FACTOR] = PD_AS_U32(inverse);
                r[CODEC_FACTOR + 1u] = (pd_u32)instead;
#endif
                r[CODEC_SCALE] = PD_AS_U32(scale);
                r[CODEC_OFF] = off;
            }
            if (next) { // for the next pass
#if CODEC_WIDE
                r[CODEC_FACTOR] = (pd_u32)least;
                r[CODEC_FACTOR + 1u] = (pd_u32)(least >> 32);
#else
                r[CODEC_FACTOR + 1u] = (pd_u32)least;
#endif
                r[CODEC_SCALE] = next >> 2;
                r[CODEC_OFF + 2u] = next & 3u;
            }
#endif
        }
        for (g = l; g * CODEC_GROUP < n; g += 256u) {
            pd_u32 w = CODEC_BITS; // of raw ones
            if (mode == CODEC_CONSTANT) w = 0u;
            if (mode == CODEC_PLAIN)
                w = codec_width(fetch ? most : top[own + g], least, shift, step, 0u);
            if (mode == CODEC_DELTA) w = codec_width(apart[own + g], 0u, 0u, step, 1u);
            width[own + g] = (pd_u8)w;
        }
        PD_BARRIER();
    }
}

#define CODEC_SCAN 16u // blocks of an item
// totals = {where the index begins, bytes of the stream}. One group.
PD_KERNEL_WG(padic_k_codec_scan, PD_CODEC_WG)
(PD_BUF(pd_u32, record), PD_BUF(pd_u64, totals), PD_PARAMS(padic_k_codec_stream_params, k))
{
    PD_LOCAL pd_u64 each[288];
    PD_LOCAL pd_u64 part[36];
    pd_u64 at = k.header;
    pd_u32 from, i;
    for (from = 0u; from < k.blocks; from += 256u * CODEC_SCAN) {
        const pd_u32 own = from + PD_LID * CODEC_SCAN;
        PD_GPTR(pd_u32) r = record + (pd_u64)own * CODEC_RECORD;
        pd_u64 size[CODEC_SCAN], x = 0u;
        for (i = 0u; i < CODEC_SCAN; i++) // all are asked for at once
            size[i] = own + i < k.blocks ? r[i * CODEC_RECORD + CODEC_SIZE] + (pd_u64)16u : 0u;
        for (i = 0u; i < CODEC_SCAN; i++) x += size[i];
        x = codec_before(each, part, x) + at;
        for (i = 0u; i < CODEC_SCAN; i++) {
            if (own + i < k.blocks) {
                r[i * CODEC_RECORD + CODEC_AT] = (pd_u32)x;
                r[i * CODEC_RECORD + CODEC_AT + 1u] = (pd_u32)(x >> 32);
            }
            x += size[i];
        }
        at += CODEC_TOTAL(part);
        PD_BARRIER();
    }
    if (PD_LID == 0u) {
        totals[0] = at;
        totals[1] = at + 48u + 8u * (pd_u64)k.blocks;
    }
}

PD_FN void codec_put(PD_GPTR(pd_u8) bytes, pd_u64 at, pd_u64 value, pd_u32 size)
{
    pd_u32 i;
    for (i = 0u; i < size; i++) bytes[at + i] = (pd_u8)(value >> (8u * i));
}

// The checksum of an index that begins at byte `index`; `sum`: of the offsets.
#define CODEC_END PD_U64(0x43444150u, 0x444e452du) // its last 8 bytes
PD_FN pd_u64 codec_index_sum(pd_u64 sum, pd_u32 blocks, pd_u64 length, pd_u64 index)
{
    const pd_u64 head = codec_seed(CODEC_SEED_INDEX);
    sum += codec_sum_end(8u * (pd_u64)blocks, CODEC_SEED_INDEX + 1u);
    sum ^= codec_mix(0xffffffffu ^ head) + codec_mix(blocks ^ (head + CODEC_GOLDEN)) +
           codec_mix(length ^ (head + 2u * CODEC_GOLDEN)) + codec_sum_end(24u, CODEC_SEED_INDEX);
    return sum ^ (codec_mix(index ^ codec_seed(CODEC_SEED_INDEX + 2u)) +
                  codec_sum_end(8u, CODEC_SEED_INDEX + 2u));
}

// The header, and what the index has besides the offsets. A group.
PD_FN void codec_finish(PD_GPTR(const pd_u32) record, PD_GPTR(pd_u8) bytes, PD_LPTR(pd_u64) each,
                        pd_u64 index, const padic_k_codec_stream_params k)
{
    const pd_u64 packed = PD_U64(k.packed_lo, k.packed_hi), at = packed + index;
    const pd_u64 length = PD_U64(k.length_lo, k.length_hi);
    const pd_u64 key = codec_seed(CODEC_SEED_INDEX + 1u);
    const pd_u32 l = PD_LID;
    pd_u64 sum = 0u;
    pd_u32 b;
    for (b = l; b < k.blocks; b += 256u) {
        PD_GPTR(const pd_u32) r = record + (pd_u64)b * CODEC_RECORD;
        sum += codec_mix(PD_U64(r[CODEC_AT], r[CODEC_AT + 1u]) ^ (key + b * CODEC_GOLDEN));
    }
    sum = codec_all(each, sum, CODEC_ADD);
    if (l == 32u)
        for (b = 0u; b < CODEC_HEAD; b++)
            if (4u * b < k.head_size) codec_put(bytes, packed + 4u * b, k.head[b], 4u);
    if (l) return;
    sum = codec_index_sum(sum, k.blocks, length, index);
    codec_put(bytes, at, 0xffffffffu, 8u);
    codec_put(bytes, at + 8u, k.blocks, 8u);
    codec_put(bytes, at + 16u, length, 8u);
    b = k.blocks;
    codec_put(bytes, at + 24u + 8u * (pd_u64)b, index, 8u);
    codec_put(bytes, at + 32u + 8u * (pd_u64)b, sum, 8u);
    codec_put(bytes, at + 40u + 8u * (pd_u64)b, CODEC_END, 8u);
}

// An item does a block. There are many groups, each with few: bytes are stored one by one. The last
// group does the rest of the index.
PD_KERNEL_WG(padic_k_codec_frames, PD_CODEC_WG)
(PD_BUF(pd_u32, record), PD_CBUF(pd_u64, totals), PD_BUF(pd_u8, bytes),
 PD_PARAMS(padic_k_codec_stream_params, k))
{
    PD_LOCAL pd_u64 each[256];
    const pd_u64 packed = PD_U64(k.packed_lo, k.packed_hi);
    const pd_u32 most = PD_NGRP - 1u;
    pd_u32 block;
    if (totals[1] > PD_U64(k.room_lo, k.room_hi)) return;
    if (PD_GRP == most) {
        codec_finish(record, bytes, each, totals[0], k);
        return;
    }
    for (block = PD_GRP + most * PD_LID; block < k.blocks; block += most * 256u) {
        PD_GPTR(pd_u32) r = record + (pd_u64)block * CODEC_RECORD;
        const pd_u32 n = codec_count(block, k);
        const pd_u64 frame = PD_U64(r[CODEC_AT], r[CODEC_AT + 1u]);
        const pd_u64 first = PD_U64(r[CODEC_FIRST], r[CODEC_FIRST + 1u]);
        const pd_u32 mode = r[CODEC_MODE], delta = mode == CODEC_DELTA ? 1u : 0u;
        const pd_u32 coded = k.coded && r[CODEC_WIDTH] == CODEC_CODED ? 1u : 0u;
        pd_u64 at = packed + frame;
        codec_put(bytes, at, r[CODEC_SIZE], 4u);
        codec_put(bytes, at + 4u, codec_rows(n, k), 4u);
        codec_put(bytes, at + 8u, PD_U64(r[CODEC_SUM], r[CODEC_SUM + 1u]), 8u);
        codec_put(bytes, packed + totals[0] + 24u + 8u * (pd_u64)block, frame, 8u);
        codec_put(bytes, at + 8u + r[CODEC_SIZE], 0u, 8u); // zeros at the end of the payload
        at += 16u;
        if (mode == CODEC_RAW) {
            bytes[at] = 5;
            at += 1u;
        } else if (mode == CODEC_CONSTANT) {
            codec_put(bytes, at, PD_U64(0x03000000u, 0u), 6u);
            codec_put(bytes, at + 6u, first, 8u);
        } else {
            codec_put(bytes, at,
                      PD_U64(0x1000u | delta << 8 | delta << 16,
                             (coded ? 0u : 2u) | r[CODEC_SHIFT] << 8), 6u);
#if PD_CODEC_BOUND
            if (r[CODEC_SCALE]) {
                bytes[at] = 2;
                bytes[at + 1u] = (pd_u8)(16u + delta + (r[CODEC_OFF] ? 8u : 0u));
                codec_put(bytes, at + 5u, codec_scale_wide(r[CODEC_SCALE]), 8u);
                at += 7u;
            }
#endif
            codec_put(bytes, at + 6u, (pd_u64)1u << r[CODEC_STEP], 8u);
            codec_put(bytes, at + 14u, first, 8u);
            if (delta) codec_put(bytes, at + 22u, PD_U64(0x00018001u, 0u), 6u);
            at += 22u + 6u * delta;
            if (!coded) {
                if (k.fetch)
                    codec_put(bytes, at, 1u | r[CODEC_WIDTH] << 8, 2u);
                else
                    bytes[at] = 0;
                at += k.fetch ? 2u : 1u + (n + CODEC_GROUP - 1u) / CODEC_GROUP;
                codec_put(bytes, at, (pd_u64)r[CODEC_BYTES] << 32, 8u);
                at += 8u;
            }
        }
        at -= packed;
        r[CODEC_BODY] = (pd_u32)at;
        r[CODEC_BODY + 1u] = (pd_u32)(at >> 32);
    }
}

// Bytes of a word that lie in [ahead, most).
PD_FN void codec_put_some(PD_GPTR(pd_u8) bytes, pd_u64 at, pd_u32 x, pd_u32 ahead, pd_u32 most)
{
    pd_u32 b;
    for (b = ahead; b < 4u && b < most; b++) bytes[at + b] = (pd_u8)(x >> (8u * (b - ahead)));
}

#if PD_CODEC_SIZE == 4
// The folded difference of an element and the one before it, which may have 33 bits.
PD_FN pd_u64 codec_difference(PD_GPTR(const codec_key) keys, pd_u64 base, pd_u32 e, pd_u32 step,
                              codec_bare flip, codec_bare fold)
{
    const pd_i32 y = codec_number(keys[base + e], flip, fold);
    const pd_i32 before = codec_number(keys[base + (e ? e - 1u : 0u)], flip, fold);
    const pd_u32 less = y < before ? 0xffffffffu : 0u;
    return (pd_u64)((((pd_u32)y - (pd_u32)before) ^ less) >> step) << 1 | (less & 1u);
}
#endif

// So many digits of an item are put together, the most that take 64 bits.
PD_FN pd_u32 codec_joined(pd_u32 width)
{
    return width > 32u ? 1u : width > 16u ? 2u : width > CODEC_OCTS ? 4u : 8u;
}

// An item's digits, joined, in local memory; those of a group begin with place `origin`.
#define CODEC_PLACES (4u * CODEC_ITEMS) // of a group
PD_FN void codec_join_digits(PD_LPTR(pd_u64) to, const pd_u64 z[CODEC_EACH], pd_u32 width)
{
    const pd_u32 l = PD_LID % CODEC_ITEMS, origin = PD_LID / CODEC_ITEMS * CODEC_PLACES;
    pd_u64 x[CODEC_EACH];
    pd_u32 i;
    if (width > 32u) { // only where an item has 4
        for (i = 0u; i < 4u; i++) to[CODEC_SPREAD(origin + l * 4u + i)] = z[i];
        return;
    }
    for (i = 0u; i < CODEC_EACH / 2u; i++) x[i] = z[2u * i] | z[2u * i + 1u] << width;
    if (width > 16u) {
        for (i = 0u; i < CODEC_EACH / 2u; i++)
            to[CODEC_SPREAD(origin + l * (CODEC_EACH / 2u) + i)] = x[i];
        return;
    }
    for (i = 0u; i < CODEC_EACH / 4u; i++) x[i] = x[2u * i] | x[2u * i + 1u] << (2u * width);
    if (width > CODEC_OCTS) {
        for (i = 0u; i < CODEC_EACH / 4u; i++)
            to[CODEC_SPREAD(origin + l * (CODEC_EACH / 4u) + i)] = x[i];
        return;
    }
    to[CODEC_SPREAD(origin + l)] = x[0] | x[CODEC_EACH / 8u] << (4u * width);
}

#if PD_HAS_WARPS
// Digits of 8 words, and their bits above 32. `far_off`: differences may have 33 bits (SIZE 4).
PD_FN void codec_digits(pd_u32 low[8], pd_u32 high[8], const codec_num y[8], codec_num before,
                        codec_bare lower, pd_u32 shift, pd_u32 step, pd_u32 delta, pd_u32 far_off)
{
    pd_u32 i;
    if (!delta) {
        for (i = 0u; i < 8u; i++) {
            const codec_bare flat = ((codec_bare)(y[i] >> shift) - lower) >> step;
            low[i] = (pd_u32)flat;
            high[i] = (pd_u32)((pd_u64)flat >> 32);
        }
        return;
    }
#if PD_CODEC_SIZE == 4
    if (far_off) {
        for (i = 0u; i < 8u; i++) {
            const pd_u32 less = y[i] < before ? 0xffffffffu : 0u;
            const pd_u32 size = (((pd_u32)y[i] - (pd_u32)before) ^ less) >> step;
            low[i] = size << 1 | (less & 1u);
            high[i] = size >> 31;
            before = y[i];
        }
        return;
    }
#else
    (void)far_off;
#endif
    for (i = 0u; i < 8u; i++) {
        const codec_num d = (codec_num)((codec_bare)y[i] - (codec_bare)before) >> step;
        const codec_bare folded = (codec_bare)d << 1 ^ (codec_bare)(d >> (CODEC_NUM_BITS - 1u));
        low[i] = (pd_u32)folded;
        high[i] = (pd_u32)((pd_u64)folded >> 32);
        before = y[i];
    }
}

PD_FN void codec_raw_digits(pd_u32 low[8], pd_u32 high[8], const pd_u64 word[8u / CODEC_PER])
{
    pd_u32 i;
    for (i = 0u; i < 8u; i++) {
        const pd_u64 bits = word[i / CODEC_PER] >> (i % CODEC_PER * (CODEC_BITS & 63u));
        low[i] = (pd_u32)(codec_key)bits;
        high[i] = (pd_u32)((pd_u64)(codec_key)bits >> 32);
    }
}

// A warp makes the bits of a group: an item those of 8 digits, which are `width` whole bytes, from
// byte `at` of `to` on. The bytes behind the last whole word come back, to be put into the word
// *spot, if there are any: *left bits, with those of the item before.
#define CODEC_STRING (8u * (CODEC_BITS + 1u) + 4u) // words

// With a width that the compiler knows.
PD_FN pd_u32 codec_string(PD_LPTR(pd_u32) to, const pd_u32 z[8], pd_u32 width, pd_u32 at,
                          pd_u32 *spot, pd_u32 *left)
{
    const pd_u32 whole = width >> 2, skip = 8u * (at & 3u);
    pd_u32 word[9], last = 0u, i;
    for (i = 0u; i < 9u; i++) word[i] = 0u;
    for (i = 0u; i < 8u; i++) {
        const pd_u32 bit = i * width;
        word[bit >> 5] |= z[i] << (bit & 31u);
        if ((bit & 31u) + width > 32u) word[(bit >> 5) + 1u] |= z[i] >> ((32u - bit) & 31u);
    }
    *spot = at >> 2;
    *left = 0u;
    if (width < 4u) {
        PD_LPTR(pd_u8) bytes = (PD_LPTR(pd_u8))to;
        for (i = 0u; i < width; i++) bytes[at + i] = (pd_u8)(word[0] >> (8u * i));
        return 0u;
    }
    for (i = 0u; i < whole; i++) {
        to[*spot + i] = (pd_u32)(PD_U64(last, word[i]) << skip >> 32);
        last = word[i];
    }
    *spot += whole;
    *left = skip + 8u * (width & 3u);
    i = (pd_u32)(PD_U64(last, word[whole]) << skip >> 32);
    if (*left >= 32u) {
        to[*spot] = i;
        *spot += 1u;
        *left -= 32u;
        i = (pd_u32)((pd_u64)word[whole] << skip >> 32);
    }
    return i;
}

#if PD_CODEC_SIZE > 2
// Any width: `high` has the bits above 32.
PD_FN pd_u32 codec_string_wide(PD_LPTR(pd_u32) to, const pd_u32 z[8], const pd_u32 high[8],
                               pd_u32 width, pd_u32 at, pd_u32 *spot, pd_u32 *left)
{
    const pd_u32 skip = 8u * (at & 3u);
    pd_u64 bits = 0u;
    pd_u32 have = 0u, last = 0u, i;
    *spot = at >> 2;
    for (i = 0u; i < 16u; i++) {
        bits |= (pd_u64)(i & 1u ? high[i / 2u] : z[i / 2u]) << have;
        have += i & 1u ? width - 32u : 32u;
        if (have < 32u) continue;
        to[*spot] = (pd_u32)(PD_U64(last, (pd_u32)bits) << skip >> 32);
        last = (pd_u32)bits;
        bits >>= 32;
        have -= 32u;
        *spot += 1u;
    }
    *left = skip + have;
    i = (pd_u32)(PD_U64(last, (pd_u32)bits) << skip >> 32);
    if (*left >= 32u) {
        to[*spot] = i;
        *spot += 1u;
        *left -= 32u;
        i = (pd_u32)((pd_u64)(pd_u32)bits << skip >> 32);
    }
    return i;
}
#endif
#define CODEC_STRINGS(n)                                      \
    case n:                                                   \
        x = codec_string(string, low, n, at_byte, &spot, &unit); \
        break;
#endif

// Each item joins its digits of a tile; then CODEC_ITEMS items make the words of a group.
PD_KERNEL_MIN(padic_k_codec_fill, PD_CODEC_WG, PD_CODEC_FILLERS)
(PD_CBUF(codec_key, keys), PD_CBUF(pd_u64, pairs), PD_CBUF(pd_u8, width), PD_CBUF(pd_u32, record),
 PD_CBUF(pd_u64, totals), PD_BUF(pd_u32, words),
 PD_PARAMS(padic_k_codec_stream_params, k))
{
    PD_LOCAL pd_u64 each[288];
    PD_LOCAL pd_u64 part[36];
    PD_LOCAL pd_u32 place[256];
    PD_LOCAL pd_u32 wide[256];
#if PD_HAS_WARPS
    PD_LOCAL pd_u32 strings[8u * CODEC_STRING];
    PD_LPTR(pd_u32) string = strings + PD_LID / 32u * CODEC_STRING;
    const pd_u32 lane = PD_LID % 32u;
#else
    PD_LOCAL pd_u64 digit[CODEC_SPREAD(256u * 4u)]; // joined
#endif
    const pd_u32 l = PD_LID;
    const codec_bare flip = codec_flip(k.kind), fold = codec_fold_of(k.kind);
    PD_GPTR(pd_u8) bytes = (PD_GPTR(pd_u8))words;
    pd_u32 turn;
    if (totals[1] > PD_U64(k.room_lo, k.room_hi)) return;
    for (turn = PD_GRP; turn < k.blocks; turn += PD_NGRP) {
        // what `measure` read last comes first: some of it is in a cache
        const pd_u32 block = k.blocks - 1u - turn;
        PD_GPTR(const pd_u32) r = record + (pd_u64)block * CODEC_RECORD;
        const pd_u64 base = PD_U64(k.array_lo, k.array_hi) + codec_start(block, k);
        const pd_u32 n = codec_count(block, k), groups = (n + CODEC_GROUP - 1u) / CODEC_GROUP;
        const pd_u64 own = (pd_u64)block * k.groups;
        const pd_u64 first = PD_U64(r[CODEC_FIRST], r[CODEC_FIRST + 1u]);
        const codec_bare lower = (codec_bare)(first - codec_bias(k.kind));
#if PD_CODEC_BOUND
        const pd_f32 scale = PD_AS_F32(r[CODEC_SCALE]);
#if CODEC_WIDE
        const codec_inverse inverse = PD_U64(k.wide_lo, k.wide_hi);
        const codec_num instead =
            (codec_num)PD_U64(r[CODEC_FACTOR], r[CODEC_FACTOR + 1u]);
#else
        const codec_inverse inverse = PD_AS_F32(r[CODEC_FACTOR]);
        const codec_num instead = (codec_num)r[CODEC_FACTOR + 1u];
#endif
        const codec_bare highest = CODEC_MOST_SCALED;
#endif
        const pd_u32 mode = r[CODEC_MODE], shift = r[CODEC_SHIFT], step = r[CODEC_STEP];
        pd_u64 at = PD_U64(k.packed_lo, k.packed_hi) + PD_U64(r[CODEC_BODY], r[CODEC_BODY + 1u]);
        pd_u32 chunk, g, tile, i;
        if (k.coded && r[CODEC_WIDTH] == CODEC_CODED) continue;
        if (mode >= CODEC_PLAIN && !k.fetch)
            for (g = l; g < groups; g += 256u) bytes[at - 8u - groups + g] = width[own + g];
        for (chunk = 0u; chunk < groups && mode != CODEC_CONSTANT; chunk += 256u) {
            const pd_u32 here = chunk + l < groups ? width[own + chunk + l] : 0u;
            const pd_u32 end = n < (chunk + 256u) * CODEC_GROUP ? n : (chunk + 256u) * CODEC_GROUP;
#if PD_HAS_WARPS
            wide[l] = here;
#else
            // 2^20 / bits of joined digits, rounded up: divides less than 2^14 exactly
            const pd_u32 joined = here ? here * codec_joined(here) : 1u;
            wide[l] = (1048575u + joined) / joined << 7 | here;
#endif
            place[l] = (pd_u32)codec_before(
                each, part, here ? codec_group_bytes(chunk + l, n, here) : 0u);
            PD_BARRIER();
#if PD_HAS_WARPS
            for (tile = chunk * CODEC_GROUP; tile < end; tile += 8u * CODEC_GROUP) {
                const pd_u32 row = tile / CODEC_GROUP + l / 32u, e = tile + 8u * l;
                const pd_u32 w = row < groups ? wide[row - chunk] : 0u;
                const pd_u32 left = row < groups && n - row * CODEC_GROUP < CODEC_GROUP
                                        ? n - row * CODEC_GROUP
                                        : CODEC_GROUP;
                const pd_u64 begin = at + place[(row - chunk) & 255u];
                const pd_u32 over = (pd_u32)begin & 3u, most = over + (left * w + 7u) / 8u;
                PD_GPTR(pd_u32) to = words + (begin >> 2);
                pd_u32 low[8], high[8], unit, spot, at_byte, x;
                pd_u64 word[8u / CODEC_PER];
                codec_num y[8], before = 0, last;
                codec_item(word, keys, pairs, base, e, n);
                if (mode == CODEC_DELTA && lane == 0u && row < groups)
                    before = CODEC_NUMBER(keys[base + (e ? e - 1u : 0u)]);
                for (i = 0u; i < 8u; i++)
                    y[i] = CODEC_NUMBER_OF((codec_key)(CODEC_FLIPPED(word[i / CODEC_PER]) >>
                                                       (i % CODEC_PER * (CODEC_BITS & 63u))));
                last = (codec_num)CODEC_SHUFFLE_UP(y[7], 1u);
                if (lane) before = last;
                if (mode == CODEC_RAW)
                    codec_raw_digits(low, high, word);
                else
                    codec_digits(low, high, y, before, lower, shift, step,
                                 mode == CODEC_DELTA ? 1u : 0u, w + step > 32u ? 1u : 0u);
                if (e + 8u > n)
                    for (i = 0u; i < 8u; i++)
                        if (e + i >= n) low[i] = high[i] = 0u;
                at_byte = over + lane * w;
                unit = spot = x = 0u;
                switch (w) {
                case 0u: break;
                CODEC_STRINGS(1u) CODEC_STRINGS(2u) CODEC_STRINGS(3u) CODEC_STRINGS(4u)
                CODEC_STRINGS(5u) CODEC_STRINGS(6u) CODEC_STRINGS(7u) CODEC_STRINGS(8u)
#if PD_CODEC_SIZE > 1
                CODEC_STRINGS(9u) CODEC_STRINGS(10u) CODEC_STRINGS(11u) CODEC_STRINGS(12u)
                CODEC_STRINGS(13u) CODEC_STRINGS(14u) CODEC_STRINGS(15u) CODEC_STRINGS(16u)
#endif
#if PD_CODEC_SIZE > 2
                CODEC_STRINGS(17u) CODEC_STRINGS(18u) CODEC_STRINGS(19u) CODEC_STRINGS(20u)
                CODEC_STRINGS(21u) CODEC_STRINGS(22u) CODEC_STRINGS(23u) CODEC_STRINGS(24u)
                CODEC_STRINGS(25u) CODEC_STRINGS(26u) CODEC_STRINGS(27u) CODEC_STRINGS(28u)
                CODEC_STRINGS(29u) CODEC_STRINGS(30u) CODEC_STRINGS(31u) CODEC_STRINGS(32u)
                default: x = codec_string_wide(string, low, high, w, at_byte, &spot, &unit);
#else
                default:
                    x = codec_string(string, low, CODEC_BITS + 1u, at_byte, &spot, &unit);
#endif
                }
                PD_BARRIER_WARP();
                if (unit) string[spot] = x | (lane < 31u ? string[spot] : 0u);
                PD_BARRIER_WARP();
                if (w) {
                    const pd_u32 edge = lane < 4u ? lane : (most & ~3u) + lane - 4u;
                    const pd_u32 first = over ? 1u : 0u;
                    for (unit = first + lane; 4u * unit + 4u <= most; unit += 32u)
                        to[unit] = string[unit];
                    unit = lane < 4u ? over ? over : 4u : 4u * first;
                    if (lane < 8u && edge < most && edge >= unit)
                        ((PD_GPTR(pd_u8))to)[edge] = ((PD_LPTR(const pd_u8))string)[edge];
                }
                PD_BARRIER_WARP();
            }
#else
            for (tile = chunk * CODEC_GROUP; tile < end; tile += CODEC_TILE) {
                const pd_u32 e = tile + l * CODEC_EACH, row = tile / CODEC_GROUP + l / CODEC_ITEMS;
                const pd_u32 w = row < groups ? wide[row - chunk] & 127u : 0u;
                const pd_u32 together = w * codec_joined(w);
                const pd_u32 inverted = row < groups ? wide[row - chunk] >> 7 : 0u;
                const pd_u32 left = row < groups && n - row * CODEC_GROUP < CODEC_GROUP
                                        ? n - row * CODEC_GROUP
                                        : CODEC_GROUP;
                pd_u64 z[CODEC_EACH];
                for (i = 0u; i < CODEC_EACH; i++) z[i] = 0u;
                if (w && w <= CODEC_NUM_BITS && e < n) {
                    pd_u64 word[CODEC_WORDS];
                    codec_num before = 0;
                    if (base % CODEC_PER == 0u && e + CODEC_EACH <= n)
                        for (i = 0u; i < CODEC_WORDS; i++)
                            word[i] = pairs[(base + e) / CODEC_PER + i];
                    else
                        for (i = 0u; i < CODEC_WORDS; i++)
                            word[i] = codec_word(keys, pairs, base, e / CODEC_PER + i, n);
                    if (mode == CODEC_DELTA)
                        before = CODEC_NUMBER(keys[base + (e ? e - 1u : 0u)]);
                    for (i = 0u; i < CODEC_EACH; i++) {
                        const codec_bare bits = (codec_key)(
                            word[i / CODEC_PER] >> (i % CODEC_PER * (CODEC_BITS & 63u)));
                        const codec_num y = CODEC_NUMBER(bits);
                        codec_bare x = bits;
                        if (mode == CODEC_PLAIN) x = ((codec_bare)(y >> shift) - lower) >> step;
                        if (mode == CODEC_DELTA) {
                            const codec_bare d = (codec_bare)y - (codec_bare)before;
#if PD_CODEC_SIZE == 8
                            const codec_bare less = (codec_bare)((codec_num)d >> 63);
#else
                            const codec_bare less = y < before ? 0xffffffffu : 0u;
#endif
                            x = (d ^ less) >> step << 1 | (less & 1u); // less than 33 bits
                            before = y;
                        }
                        z[i] = e + i < n ? x : 0u;
                    }
                }
                if (w && w <= CODEC_NUM_BITS) codec_join_digits(digit, z, w);
                PD_BARRIER();
                if (w) {
                    const pd_u64 begin = at + place[row - chunk];
                    const pd_u32 over = (pd_u32)begin & 3u, most = over + (left * w + 7u) / 8u;
                    const pd_u32 origin = l / CODEC_ITEMS * CODEC_PLACES;
                    const pd_u32 last = origin + CODEC_GROUP / codec_joined(w);
                    PD_GPTR(pd_u32) to = words + (begin >> 2);
                    pd_u32 unit = l % CODEC_ITEMS;
                    for (; 4u * unit < most; unit += CODEC_ITEMS) {
                        const pd_u32 ahead = unit ? 0u : over;
                        const pd_u32 bit = (4u * unit + ahead - over) * 8u;
                        const pd_u32 q = bit * inverted >> 20, skip = bit - q * together;
                        pd_u32 f = origin + q, have = together - skip, x = 0u;
#if PD_CODEC_SIZE == 4
                        if (w > 32u) { // these are not in local memory
                            have = 0u;
                            for (f = q; have < 32u && f < left; f++) {
                                const pd_u64 y = codec_difference(
                                    keys, base, row * CODEC_GROUP + f, step, flip, fold);
                                x |= (pd_u32)(have ? y << have : y >> skip);
                                have = have ? 32u : w - skip;
                            }
                        } else
#endif
                        {
                            x = (pd_u32)(digit[CODEC_SPREAD(f)] >> skip);
                            for (f++; have < 32u && f < last; f++, have += together)
                                x |= (pd_u32)digit[CODEC_SPREAD(f)] << have;
                        }
                        if (ahead == 0u && 4u * unit + 4u <= most)
                            to[unit] = x;
                        else
                            codec_put_some((PD_GPTR(pd_u8))to, 4u * unit, x, ahead,
                                           most - 4u * unit);
                    }
                }
                PD_BARRIER();
            }
#endif
            at += CODEC_TOTAL(part);
            PD_BARRIER();
        }
    }
}

// A word as magnitude class, two bits below the leading one; the bits below them are plain.
PD_FN pd_u32 codec_class(pd_u64 z)
{
    const pd_u32 length = codec_length(z), extra = length > 3u ? length - 3u : 0u;
    return 4u * extra + (pd_u32)(z >> extra);
}

#if PD_HAS_WARPS
PD_FN pd_u32 codec_class32(pd_u32 z) // the highest bits of z / 2^128 as f32, which may be subnormal
{
    return PD_AS_U32(PD_F32_DOWN(z) * PD_AS_F32(0x200000u)) >> 21;
}
#endif

PD_FN pd_u32 codec_extra(pd_u32 token) // plain bits
{
    const pd_u32 length = token >> 2;
    return (length > 1u ? length : 1u) - 1u;
}

// Plain bits of four tokens, a byte each.
PD_FN pd_u32 codec_extras(pd_u32 four)
{
    const pd_u32 lengths = four >> 2 & 0x3f3f3f3fu;
    return lengths - ((lengths + 0x7f7f7f7fu) >> 7 & 0x01010101u); // less 1, but 0 stays
}

PD_FN pd_u32 codec_bytes_sum(pd_u32 four) // together less than 256
{
    return four * 0x01010101u >> 24;
}

PD_FN pd_u32 codec_extras_sum(pd_u64 eight)
{
    return codec_bytes_sum(codec_extras((pd_u32)eight)) +
           codec_bytes_sum(codec_extras((pd_u32)(eight >> 32)));
}

#if PD_HAS_WARPS
// Tokens from e on; behind the end 0, without plain bits. `whole`: they lie in whole words.
PD_FN pd_u64 codec_eight_tokens(PD_GPTR(const pd_u8) tokens, pd_u32 whole, pd_u32 e, pd_u32 n)
{
    PD_GPTR(const pd_u32) four = (PD_GPTR(const pd_u32))(PD_GPTR(const void))(tokens + e);
    const pd_u32 left = e < n ? n - e : 0u;
    pd_u64 some = 0u;
    pd_u32 i;
    if (whole && left >= 8u) return PD_U64(four[0], four[1]);
    for (i = left < 8u ? left : 8u; i > 0u; i--) some = some << 8 | tokens[e + i - 1u];
    return some;
}

// The bit where the plain bits of each group of a chunk begin, from `bit` on, and (begins[256])
// where they end. Ends with a barrier.
PD_FN void codec_begins(PD_GPTR(const pd_u8) tokens, pd_u32 whole, pd_u32 chunk, pd_u32 n,
                        pd_u32 bit, PD_LPTR(pd_u64) each, PD_LPTR(pd_u64) part,
                        PD_LPTR(pd_u32) begins)
{
    const pd_u32 l = PD_LID, left = (n - chunk + CODEC_GROUP - 1u) / CODEC_GROUP;
    const pd_u32 groups = left < 256u ? left : 256u;
    pd_u32 turn, g, j;
    for (turn = 0u; turn < groups; turn += 32u) { // a warp adds up four groups
        pd_u32 e;
        pd_u64 sums = 0u;
        g = turn + l / 32u * 4u;
        e = chunk + g * CODEC_GROUP + l % 32u * 8u;
        if (whole && e + 3u * CODEC_GROUP + 8u <= n) { // all are asked for at once
            PD_GPTR(const pd_u32) four = (PD_GPTR(const pd_u32))(PD_GPTR(const void))(tokens + e);
            pd_u64 some[4];
            for (j = 0u; j < 4u; j++)
                some[j] = PD_U64(four[CODEC_GROUP / 4u * j], four[CODEC_GROUP / 4u * j + 1u]);
            for (j = 0u; j < 4u; j++) sums |= (pd_u64)codec_extras_sum(some[j]) << (16u * j);
        } else {
            for (j = 0u; j < 4u; j++)
                sums |= (pd_u64)codec_extras_sum(codec_eight_tokens(tokens, whole,
                                                                    e + j * CODEC_GROUP, n))
                        << (16u * j);
        }
        sums = PD_U64(PD_WARP_SUM(sums), PD_WARP_SUM(sums >> 32)); // 16 bits each
        if (l % 32u < 4u) begins[g + l % 32u] = (pd_u32)(sums >> (l % 32u * 16u)) & 0xffffu;
    }
    PD_BARRIER();
    j = l < groups ? begins[l] : 0u;
    g = bit + codec_before32(each, part, j);
    begins[l] = g;
    if (l == 255u) begins[256] = g + j;
    PD_BARRIER();
}
#endif

// ---- packing coded blocks

#define CODEC_TABLE 296u // words of what is known of a block's tokens: start | frequency << 16, ...
#define CODEC_HOW 256u   // 1: differences; 2: all tokens are equal, << 8
#define CODEC_WIDEST 257u
#define CODEC_PLAINS 258u // bytes of the plain bits
#define CODEC_TABLES 259u // of the table of frequencies
#define CODEC_WORDS16 260u
#define CODEC_STAGE 261u // shift, step << 8, and the word `first`
#define CODEC_STATES 264u
#if PD_CODEC_SIZE == 8
#define CODEC_PLAIN_WORDS 1960u // plain bits of a tile, of 61 or 30 each
#else
#define CODEC_PLAIN_WORDS 1928u
#endif

#if PD_CODEC_BOUND // what a block's words are made with
#if CODEC_WIDE
#define CODEC_INVERSE PD_U64(k.wide_lo, k.wide_hi)
#define CODEC_INSTEAD(r) ((codec_num)PD_U64((r)[CODEC_FACTOR], (r)[CODEC_FACTOR + 1u]))
#else
#define CODEC_INVERSE PD_AS_F32(r[CODEC_FACTOR])
#define CODEC_INSTEAD(r) ((codec_num)(r)[CODEC_FACTOR + 1u])
#endif
#endif

// The words of an item's elements, of which the first is there; behind the end anything.
#define CODEC_LOAD_NUMBERS(y, e)                                                              \
    do {                                                                                      \
        pd_u64 loaded[CODEC_WORDS];                                                           \
        pd_u32 at_word;                                                                       \
        if (base % CODEC_PER == 0u && (e) + CODEC_EACH <= n)                                  \
            for (at_word = 0u; at_word < CODEC_WORDS; at_word++)                              \
                loaded[at_word] = pairs[(base + (e)) / CODEC_PER + at_word];                  \
        else                                                                                  \
            for (at_word = 0u; at_word < CODEC_WORDS; at_word++)                              \
                loaded[at_word] = codec_word(keys, pairs, base, (e) / CODEC_PER + at_word, n); \
        for (at_word = 0u; at_word < CODEC_EACH; at_word++)                                   \
            (y)[at_word] = CODEC_NUMBER((codec_key)(loaded[at_word / CODEC_PER] >>            \
                                                    (at_word % CODEC_PER * (CODEC_BITS & 63u)))); \
    } while (0)

// The digit of a word above the least one, and of a difference: in 32 bits, without its sign.
PD_FN codec_bare codec_flat(codec_num y, codec_bare lower, pd_u32 shift, pd_u32 step)
{
    return ((codec_bare)(y >> shift) - lower) >> step;
}

#if CODEC_SHORT
PD_FN pd_u32 codec_flat_token(pd_i32 y, pd_u32 lower, pd_u32 shift, pd_u32 step)
{
    return codec_class(codec_flat(y, lower, shift, step));
}

PD_FN pd_u32 codec_steep_token(pd_i32 y, pd_i32 before, pd_u32 step)
{
    const pd_u32 less = y < before ? 0xffffffffu : 0u;
    const pd_u32 size = (((pd_u32)y - (pd_u32)before) ^ less) >> step, length = 32u - PD_CLZ(size);
    const pd_u32 extra = length > 2u ? length - 2u : 0u;
    return 4u * extra + (pd_u32)(((pd_u64)size << 1 | (less & 1u)) >> extra);
}

// The digit's lowest 32 bits.
PD_FN pd_u32 codec_low_digit(pd_i32 y, pd_i32 before, pd_u32 lower, pd_u32 shift, pd_u32 step,
                             pd_u32 delta)
{
    const pd_u32 less = y < before ? 0xffffffffu : 0u;
    return delta ? (((pd_u32)y - (pd_u32)before) ^ less) >> step << 1 | (less & 1u)
                 : codec_flat(y, lower, shift, step);
}
#else
PD_FN pd_u64 codec_low_digit(pd_i64 y, pd_i64 before, pd_u64 lower, pd_u32 shift, pd_u32 step,
                             pd_u32 delta)
{
    return delta ? codec_fold(codec_right((pd_u64)y - (pd_u64)before, step))
                 : codec_flat(y, lower, shift, step);
}

PD_FN pd_u32 codec_flat_token(pd_i64 y, pd_u64 lower, pd_u32 shift, pd_u32 step)
{
    return codec_class(codec_flat(y, lower, shift, step));
}

PD_FN pd_u32 codec_steep_token(pd_i64 y, pd_i64 before, pd_u32 step)
{
    return codec_class(codec_low_digit(y, before, 0u, 0u, step, 1u));
}
#endif

// An item's tokens, from e on, a byte each.
PD_FN void codec_put_tokens(PD_GPTR(pd_u8) to, pd_u32 whole, pd_u32 e, pd_u32 n, pd_u64 some)
{
    PD_GPTR(pd_u32) four = (PD_GPTR(pd_u32))(PD_GPTR(void))(to + e);
    pd_u32 i;
    if (whole && e + CODEC_EACH <= n) {
        for (i = 0u; i < CODEC_EACH / 4u; i++) four[i] = (pd_u32)(some >> (32u * i));
    } else {
        for (i = 0u; i < CODEC_EACH; i++)
            if (e + i < n) to[e + i] = (pd_u8)(some >> (8u * i));
    }
}

PD_FN pd_u32 codec_log2(pd_u32 x) // in 1/256 bits, as the host has it
{
    const pd_u32 whole = codec_length(x) - 1u;
    const pd_u32 f = (pd_u32)(((pd_u64)x << 32 >> whole) >> 16) & 0xffffu;
    const pd_u32 bow = (pd_u32)((pd_u64)f * (65536u - f) >> 16);
    return whole << 8 | (f + (bow * 22479u >> 16)) >> 8;
}

// What `count` of `n` tokens take, in 1/256 bits.
PD_FN pd_u64 codec_cost(pd_u32 count, pd_u32 token, pd_u32 n)
{
    const pd_u64 entropy =
        count ? (pd_u64)count * (pd_u32)(codec_log2(n) - codec_log2(count)) : 0u;
    return (pd_u64)count * codec_extra(token) * 256u + entropy;
}

// Which of two symbols a single step of frequency is taken from (or given to); 256: none.
PD_FN pd_u32 codec_fitter(PD_LPTR(const pd_u32) count, PD_LPTR(const pd_u32) share, pd_u32 a,
                          pd_u32 b, pd_u32 over)
{
    pd_u64 here, there;
    if (b > 255u || count[b] == 0u || (over && share[b] < 2u)) return a;
    if (a > 255u) return b;
    here = (pd_u64)count[b] * share[a];
    there = (pd_u64)count[a] * share[b];
    return (over ? here < there : here > there) ? b : a;
}

// Tokens of each block that is not constant, and their frequencies in 2^12.
PD_KERNEL_MIN(padic_k_codec_classes, PD_CODEC_WG, CODEC_CLASSES)
(PD_CBUF(codec_key, keys), PD_CBUF(pd_u32, record), PD_BUF(pd_u8, tokens), PD_BUF(pd_u32, table),
 PD_CBUF(pd_u64, pairs), PD_PARAMS(padic_k_codec_stream_params, k))
{
    PD_LOCAL pd_u64 each[288];
    PD_LOCAL pd_u64 part[36];
    PD_LOCAL pd_u32 counts[512];
    PD_LOCAL pd_u32 share[256];
    PD_LOCAL pd_u32 best[16];
    const pd_u32 l = PD_LID;
    const pd_u32 kind = PD_CODEC_BOUND ? CODEC_FLOAT : k.kind;
    const codec_bare flip = codec_flip(kind), fold = codec_fold_of(kind);
    pd_u32 block;
    for (block = PD_GRP; block < k.blocks; block += PD_NGRP) {
        PD_GPTR(const pd_u32) r = record + (pd_u64)block * CODEC_RECORD;
        PD_GPTR(pd_u32) t = table + (pd_u64)block * CODEC_TABLE;
        const pd_u64 base = PD_U64(k.array_lo, k.array_hi) + codec_start(block, k);
        PD_GPTR(pd_u8) to = tokens + codec_start(block, k);
        const pd_u32 whole = codec_start(block, k) % 4u == 0u ? 1u : 0u;
        const pd_u32 n = codec_count(block, k), shift = r[CODEC_AT + 1u] & 255u;
        const pd_u32 common = r[CODEC_AT + 1u] >> 8, step = shift ? 0u : common;
        const pd_u64 first = codec_right(PD_U64(r[CODEC_BODY], r[CODEC_BODY + 1u]), shift);
        const codec_bare lower = (codec_bare)(first - codec_bias(kind));
        pd_u32 e, i, tile, guess, delta, mine, plain, widest, used, one, f, sum, last, size, start;
#if PD_CODEC_BOUND
        const pd_f32 scale = PD_AS_F32(r[CODEC_SCALE]);
        const codec_inverse inverse = CODEC_INVERSE;
        const codec_num instead = CODEC_INSTEAD(r);
        const codec_bare highest = CODEC_MOST_SCALED;
#endif
#if PD_HAS_WARPS && CODEC_SHORT
        const pd_u32 slim = r[CODEC_WIDTH] + r[CODEC_SHIFT] + r[CODEC_STEP] <= 30u ? 1u : 0u;
#endif
        if (r[CODEC_MODE] == CODEC_CONSTANT) continue;
        counts[l] = counts[l + 256u] = 0u;
        PD_BARRIER();
        // Which of both the tokens are, is guessed from the first tile.
        guess = 2u;
        for (tile = 0u; tile < n; tile += CODEC_TILE) {
            pd_u64 flat = 0u, steep = 0u; // tokens
            e = tile + l * CODEC_EACH;
#if PD_HAS_WARPS && (CODEC_SHORT || !PD_CODEC_BOUND) // an item has 8
            {
                pd_u64 word[8u / CODEC_PER];
                pd_u32 a[8], b[8];
                codec_num y[8], before = 0, last;
                codec_item(word, keys, pairs, base, e, n);
                if (l % 32u == 0u && e < n)
                    before = CODEC_NUMBER(keys[base + (e ? e - 1u : 0u)]);
                for (i = 0u; i < 8u; i++)
                    y[i] = CODEC_NUMBER((codec_key)(word[i / CODEC_PER] >>
                                                    (i % CODEC_PER * (CODEC_BITS & 63u))));
                last = (codec_num)CODEC_SHUFFLE_UP(y[7], 1u);
                if (l % 32u) before = last;
#if CODEC_SHORT
                if (slim) { // in 32 bits
                    for (i = 0u; i < 8u; i++) {
                        const pd_i32 d = (pd_i32)((pd_u32)y[i] - (pd_u32)before) >> common;
                        a[i] = codec_class32(codec_flat(y[i], lower, shift, step));
                        b[i] = codec_class32((pd_u32)d << 1 ^ (pd_u32)(d >> 31));
                        before = y[i];
                    }
                } else
#endif
                    for (i = 0u; i < 8u; i++) {
                        a[i] = codec_flat_token(y[i], lower, shift, step);
                        b[i] = codec_steep_token(y[i], before, common);
                        before = y[i];
                    }
                if (e + 8u <= n) {
                    for (i = 0u; i < 8u; i++) {
                        PD_ATOMIC_ADD_L(&counts[a[i]], 1u);
                        PD_ATOMIC_ADD_L(&counts[256u + b[i]], 1u);
                    }
                } else {
                    for (i = 0u; i < 8u; i++)
                        if (e + i < n) {
                            PD_ATOMIC_ADD_L(&counts[a[i]], 1u);
                            PD_ATOMIC_ADD_L(&counts[256u + b[i]], 1u);
                        }
                }
                for (i = 0u; i < 8u; i++) {
                    flat |= (pd_u64)a[i] << (8u * i);
                    steep |= (pd_u64)b[i] << (8u * i);
                }
            }
#else
            if (e < n) {
                codec_num before = CODEC_NUMBER(keys[base + (e ? e - 1u : 0u)]);
                codec_num y[CODEC_EACH];
                CODEC_LOAD_NUMBERS(y, e);
                for (i = 0u; i < CODEC_EACH; i++) {
                    const pd_u32 a = codec_flat_token(y[i], lower, shift, step);
                    const pd_u32 b = codec_steep_token(y[i], before, common);
                    before = y[i];
                    if (e + i < n) {
                        PD_ATOMIC_ADD_L(&counts[a], 1u);
                        PD_ATOMIC_ADD_L(&counts[256u + b], 1u);
                    }
                    flat |= (pd_u64)a << (8u * i);
                    steep |= (pd_u64)b << (8u * i);
                }
            }
#endif
            if (guess == 2u) {
                const pd_u64 both = codec_all(
                    each, PD_U64(codec_extras_sum(flat), codec_extras_sum(steep)), CODEC_ADD);
                guess = both >> 32 < (pd_u32)both ? 1u : 0u;
            }
            codec_put_tokens(to, whole, e, n, guess ? steep : flat);
        }
        PD_BARRIER();
        {
            const pd_u64 flat = codec_all(each, codec_cost(counts[l], l, n), CODEC_ADD);
            const pd_u64 steep = codec_all(each, codec_cost(counts[l + 256u], l, n), CODEC_ADD);
            delta = steep < flat ? 1u : 0u;
        }
        mine = counts[256u * delta + l];
        plain = (pd_u32)((codec_all(each, (pd_u64)mine * codec_extra(l), CODEC_ADD) + 7u) / 8u);
        widest = (pd_u32)codec_all(each, mine ? codec_extra(l) : 0u, CODEC_MOST);
        used = (pd_u32)codec_all(each, mine ? 1u : 0u, CODEC_ADD);
        one = (pd_u32)codec_all(each, mine ? l : 256u, CODEC_LEAST);
        // (4096 mine + n / 2) / n, in 32 bits
        f = 64u * (64u * mine / n) + (64u * (64u * mine % n) + n / 2u) / n;
        if (mine && f == 0u) f = 1u;
        if (f > 4095u) f = 4095u;
        sum = (pd_u32)codec_all(each, f, CODEC_ADD);
        if (used < 2u) sum = 4096u;
        while (sum != 4096u) {
            const pd_u32 over = sum > 4096u ? 1u : 0u;
            pd_u32 fittest = 256u;
            PD_BARRIER();
            share[l] = f;
            PD_BARRIER();
            if (l < 16u) {
                for (i = 16u * l; i < 16u * l + 16u; i++)
                    fittest = codec_fitter(counts + 256u * delta, share, fittest, i, over);
                best[l] = fittest;
            }
            PD_BARRIER();
            fittest = 256u;
            for (i = 0u; i < 16u; i++)
                fittest = codec_fitter(counts + 256u * delta, share, fittest, best[i], over);
            if (fittest == l) f = over ? f - 1u : f + 1u;
            sum = fittest > 255u ? 4096u : over ? sum - 1u : sum + 1u;
        }
        PD_BARRIER();
        share[l] = f;
        last = (pd_u32)codec_all(each, f ? l : 0u, CODEC_MOST);
        size = f >= 128u ? 2u : f ? 1u : l < last && (l == 0u || share[l - 1u]) ? 2u : 0u;
        size = (pd_u32)codec_all(each, size, CODEC_ADD) + 1u;
        PD_BARRIER();
        start = (pd_u32)codec_before(each, part, f);
        t[l] = start | f << 16;
        for (tile = 0u; tile < n && guess != delta; tile += CODEC_TILE) {
            pd_u64 some = 0u;
            e = tile + l * CODEC_EACH;
            if (e < n) {
                codec_num before = CODEC_NUMBER(keys[base + (e ? e - 1u : 0u)]);
                codec_num y[CODEC_EACH];
                CODEC_LOAD_NUMBERS(y, e);
                for (i = 0u; i < CODEC_EACH; i++) {
                    const pd_u32 a = delta ? codec_steep_token(y[i], before, common)
                                           : codec_flat_token(y[i], lower, shift, step);
                    before = y[i];
                    some |= (pd_u64)a << (8u * i);
                }
            }
            codec_put_tokens(to, whole, e, n, some);
        }
        if (l == 0u) {
            const pd_u64 x =
                delta ? (pd_u64)(pd_i64)CODEC_NUMBER(keys[base]) + codec_bias(kind) : first;
            t[CODEC_HOW] = delta | (used < 2u ? 2u | one << 8 : 0u);
            t[CODEC_WIDEST] = widest;
            t[CODEC_PLAINS] = plain;
            t[CODEC_TABLES] = size;
            t[CODEC_STAGE] = delta ? common << 8 : shift | step << 8;
            t[CODEC_STAGE + 1u] = (pd_u32)x;
            t[CODEC_STAGE + 2u] = (pd_u32)(x >> 32);
        }
        PD_BARRIER();
    }
}

// Where a block's words of the chain end, in halves of u32: at most 12 bits a token.
PD_FN pd_u64 codec_chain_end(pd_u32 block, pd_u32 n, const padic_k_codec_stream_params k)
{
    const pd_u64 start = codec_start(block, k);
    return start - start / 4u + 64u * (pd_u64)block + (n - n / 4u + 48u);
}

// A token's step of the chain; words below to[*left] are free. A token's code: 4096 less its
// frequency, its start << 16, (2^32 - 1) / its frequency << 32.
PD_FN pd_u32 codec_link(PD_GPTR(pd_u16) to, PD_LPTR(pd_u32) mask, pd_u32 turn, pd_u32 on,
                        pd_u64 code, pd_u32 x, pd_u32 *left)
{
    const pd_u32 more = (pd_u32)code & 0xffffu;
    const pd_u32 out = on && x >= (pd_u32)code * 0xfff00000u ? 1u : 0u; // frequency << 20
    const pd_u32 all = codec_votes(mask, turn, out), y = out ? x >> 16 : x;
    const pd_u32 q = PD_MULHI32(y, (pd_u32)(code >> 32)); // y / frequency, or one less
    const pd_u32 made = y + q * more;
    *left -= PD_POPCOUNT(all);
    PD_STORE16_IF(out, to, *left + PD_POPCOUNT(all & ((1u << (PD_LID % 32u)) - 1u)), x);
    // 4096 (y / frequency) + y % frequency + start
    return on ? made + ((pd_u32)code >> 16) + (made - q * 4096u + more > 4095u ? more : 0u) : x;
}

// The chain of each block, backwards: token i by state i % 32. Takes it where it is smaller.
PD_KERNEL_WG(padic_k_codec_rans, 32)
(PD_CBUF(pd_u8, tokens), PD_BUF(pd_u32, record), PD_BUF(pd_u32, table), PD_BUF(pd_u16, chain),
 PD_PARAMS(padic_k_codec_stream_params, k))
{
    PD_LOCAL pd_u64 code[256];
    PD_LOCAL pd_u32 mask[3];
    const pd_u32 l = PD_LID;
    pd_u32 block;
    for (block = PD_GRP; block < k.blocks; block += PD_NGRP) {
        PD_GPTR(pd_u32) r = record + (pd_u64)block * CODEC_RECORD;
        PD_GPTR(pd_u32) t = table + (pd_u64)block * CODEC_TABLE;
        PD_GPTR(const pd_u8) from = tokens + codec_start(block, k);
        const pd_u32 n = codec_count(block, k), how = t[CODEC_HOW];
        const pd_u32 room = n - n / 4u + 48u; // of the chain, at most
        PD_GPTR(pd_u16) to = chain + (codec_chain_end(block, n, k) - room);
        pd_u32 left = room, x = 65536u, turn = 0u, i, j, next[8];
        if (r[CODEC_MODE] == CODEC_CONSTANT) continue;
        for (i = l; i < 256u; i += 32u) {
            const pd_u32 f = t[i] >> 16;
            code[i] = f ? PD_U64(4096u - f + (t[i] << 16), 0xffffffffu / f) : 0u;
        }
        if (l < 3u) mask[l] = 0u;
        PD_BARRIER_ALL(); // the record is read
        i = how & 2u ? 0u : (n + 255u) / 256u;
        for (j = 0u; j < 8u && i; j++) { // tokens of 8 rounds
            const pd_u32 e = 256u * (i - 1u) + 32u * j + l;
            next[j] = from[e < n ? e : n - 1u];
        }
        while (i-- > 0u) {
            pd_u32 token[8];
            for (j = 0u; j < 8u; j++) token[j] = next[j];
            if (i) { // asked for 8 rounds before
                PD_GPTR(const pd_u8) some = from + (256u * (i - 1u) + l);
                for (j = 0u; j < 8u; j++) next[j] = some[32u * j];
            }
#if PD_HAS_WARPS // else the vote's barrier would stand in a condition
            if (256u * i + 256u <= n) {
                for (j = 8u; j-- > 0u;)
                    x = codec_link(to, mask, 0u, 1u, code[token[j]], x, &left);
                continue;
            }
#endif
            for (j = 8u; j-- > 0u;) {
                x = codec_link(to, mask, turn, 256u * i + 32u * j + l < n ? 1u : 0u,
                               code[token[j]], x, &left);
                turn = turn < 2u ? turn + 1u : 0u;
            }
        }
        t[CODEC_STATES + l] = x;
        if (l == 0u) {
            const pd_u32 delta = how & 1u, lists = r[CODEC_OFF] ? r[CODEC_OFF + 1u] : 0u;
            const pd_u32 stages = 22u + 6u * delta + (r[CODEC_SCALE] ? 7u : 0u);
            const pd_u32 words = room - left;
            const pd_u32 size = (how & 2u ? 8u : 139u + t[CODEC_TABLES] + 2u * words) +
                                t[CODEC_PLAINS];
            t[CODEC_WORDS16] = words;
            if (stages + size + 8u + lists < r[CODEC_SIZE]) {
                r[CODEC_SIZE] = stages + size + 8u + lists;
                r[CODEC_MODE] = delta ? CODEC_DELTA : CODEC_PLAIN;
                r[CODEC_SHIFT] = t[CODEC_STAGE] & 255u;
                r[CODEC_STEP] = t[CODEC_STAGE] >> 8;
                r[CODEC_FIRST] = t[CODEC_STAGE + 1u];
                r[CODEC_FIRST + 1u] = t[CODEC_STAGE + 2u];
                r[CODEC_WIDTH] = CODEC_CODED;
                r[CODEC_BYTES] = size;
            }
        }
        PD_BARRIER_ALL();
    }
}

#if PD_HAS_WARPS
// Frequencies as bytes, an item each, if `writing`.
PD_FN void codec_put_table(PD_GPTR(pd_u8) bytes, pd_u64 at, pd_u32 f, pd_u32 writing,
                           PD_LPTR(pd_u64) each, PD_LPTR(pd_u64) part, PD_LPTR(pd_u32) share)
{
    const pd_u32 l = PD_LID;
    pd_u32 last, size, run = 1u, value = f;
    share[l] = f;
    last = (pd_u32)codec_all(each, f ? l : 0u, CODEC_MOST);
    size = f >= 128u ? 2u : f ? 1u : l < last && (l == 0u || share[l - 1u]) ? 2u : 0u;
    if (f >= 128u) value = (f & 127u) | 128u | f >> 7 << 8;
    if (f == 0u && size) {
        while (share[l + run] == 0u) run++;
        value = (run - 1u) << 8;
    }
    PD_BARRIER();
    at += codec_before32(each, part, size) + 1u;
    if (writing) codec_put(bytes, at, value, size);
    if (writing && l == 0u) bytes[at - 1u] = (pd_u8)last;
    PD_BARRIER();
}
#else // fewer scalar registers
// Frequencies as bytes. Returns how many.
PD_FN pd_u32 codec_put_table(PD_GPTR(pd_u8) bytes, pd_u64 at, PD_GPTR(const pd_u32) t)
{
    pd_u32 last = 255u, s, f, run, p = 1u;
    while (last && t[last] >> 16 == 0u) last--;
    bytes[at] = (pd_u8)last;
    for (s = 0u; s <= last; s++) {
        f = t[s] >> 16;
        if (f == 0u) {
            for (run = 1u; t[s + run] >> 16 == 0u;) run++;
            codec_put(bytes, at + p, (run - 1u) << 8, 2u);
            s += run - 1u;
            p += 2u;
        } else if (f < 128u) {
            bytes[at + p] = (pd_u8)f;
            p++;
        } else {
            codec_put(bytes, at + p, (f & 127u) | 128u | f >> 7 << 8, 2u);
            p += 2u;
        }
    }
    return p;
}
#endif

// The words of the chain as bytes, in whole words of the stream but at the ends.
PD_FN void codec_put_chain(PD_GPTR(pd_u32) stream, pd_u64 at, PD_GPTR(const pd_u16) from,
                           pd_u32 words)
{
#ifdef __AMDGCN__ // fewer scalar registers
    pd_u32 i;
    for (i = PD_LID; i < words; i += 256u)
        codec_put((PD_GPTR(pd_u8))stream, at + 2u * i, from[i], 2u);
#else
    PD_GPTR(pd_u32) to = stream + (at >> 2);
    const pd_u32 over = (pd_u32)at & 3u, most = over + 2u * words;
    pd_u32 i, j;
    for (i = PD_LID; 4u * i < most; i += 1024u) {
        pd_u64 x[4];
        for (j = 0u; j < 4u; j++) { // 6 bytes from the half on in which the word begins
            const pd_u32 half_at = (4u * (i + 256u * j) - over) >> 1;
            const pd_u32 h = half_at < words ? half_at : words; // there is room behind the chain
            x[j] = PD_U64(from[h] | (pd_u32)from[h + 1u] << 16, from[h + 2u]);
        }
        for (j = 0u; j < 4u; j++) {
            const pd_u32 u = i + 256u * j;
            const pd_u32 y = (pd_u32)(x[j] >> (8u * (over & 1u)));
            if (4u * u >= over && 4u * u + 4u <= most)
                to[u] = y;
            else if (4u * u < over) // the first word
                codec_put_some((PD_GPTR(pd_u8))to, 0u, from[0] | (pd_u32)from[words > 1u] << 16,
                               over, most);
            else if (4u * u < most)
                codec_put_some((PD_GPTR(pd_u8))to, 4u * u, y, 0u, most - 4u * u);
        }
    }
#endif
}

// Bits behind those that are there; whole words go to local memory, where others may have a part.
PD_FN void codec_pour(PD_LPTR(pd_u32) plain, pd_u64 *bits, pd_u32 *have, pd_u32 *at, pd_u32 z,
                      pd_u32 extra)
{
    *bits |= (pd_u64)z << *have;
    *have += extra;
    if (*have >= 32u) {
        PD_ATOMIC_OR_L(&plain[*at], (pd_u32)*bits);
        *bits >>= 32;
        *have -= 32u;
        *at += 1u;
    }
}

#if PD_HAS_WARPS
// `size` bits, up to 32, behind those that are there; whole words go to local memory, of which
// others may have a part.
PD_FN void codec_append(PD_LPTR(pd_u32) string, pd_u64 *bits, pd_u32 *have, pd_u32 *spot, pd_u32 z,
                        pd_u32 size)
{
    *bits += PD_MULWIDE(z, 1u << *have);
    *have += size;
    if (*have >= 32u) {
        PD_ATOMIC_OR_L(&string[*spot], (pd_u32)*bits);
        *bits >>= 32;
        *have -= 32u;
        *spot += 1u;
    }
}

// The plain bits of 8 digits, up to 15 of each, behind `have` bits of *string.
PD_FN void codec_append_8(PD_LPTR(pd_u32) string, const pd_u32 z[8], pd_u64 extras, pd_u32 have)
{
    pd_u64 quad[2], low, high;
    pd_u32 word[5], first = codec_bytes_sum((pd_u32)extras), all, i;
    for (i = 0u; i < 2u; i++) {
        const pd_u32 four = (pd_u32)(extras >> (32u * i));
        const pd_u32 a = four & 255u, b = four >> 8 & 255u, c = four >> 16 & 255u, d = four >> 24;
        const pd_u32 x = (z[4u * i] & ((1u << a) - 1u)) | (z[4u * i + 1u] & ((1u << b) - 1u)) << a;
        const pd_u32 y =
            (z[4u * i + 2u] & ((1u << c) - 1u)) | (z[4u * i + 3u] & ((1u << d) - 1u)) << c;
        quad[i] = PD_MULWIDE(y, 1u << (a + b)) + x;
    }
    low = quad[0] | quad[1] << first;
    high = quad[1] >> 1 >> (63u - first);
    all = have + first + codec_bytes_sum((pd_u32)(extras >> 32));
    word[0] = (pd_u32)low << have;
    word[1] = (pd_u32)(low << have >> 32);
    word[2] = (pd_u32)(PD_U64(low >> 32, high) << have >> 32);
    word[3] = (pd_u32)(high << have >> 32);
    word[4] = (pd_u32)(high >> 32) >> 1 >> (31u - have);
    // bits that are not there are 0, and a branch would cost more
    for (i = 0u; i < 3u; i++) PD_ATOMIC_OR_L(&string[i], word[i]);
    if (all > 96u)
        for (i = 3u; i < 5u; i++) PD_ATOMIC_OR_L(&string[i], word[i]);
}
#endif

// The bytes of coded blocks, but for stages and exceptions.
PD_KERNEL_MIN(padic_k_codec_coded, PD_CODEC_WG, PD_CODEC_CODERS)
(PD_CBUF(codec_key, keys), PD_CBUF(pd_u32, record), PD_CBUF(pd_u64, totals),
 PD_CBUF(pd_u32, table), PD_CBUF(pd_u16, chain), PD_BUF(pd_u32, stream), PD_CBUF(pd_u64, pairs),
 PD_CBUF(pd_u8, tokens), PD_PARAMS(padic_k_codec_stream_params, k))
{
    PD_LOCAL pd_u64 each[288];
    PD_LOCAL pd_u64 part[36];
#if PD_HAS_WARPS
    PD_LOCAL pd_u32 begins[257]; // bit where a group's plain bits begin, from `to` on
    PD_LOCAL pd_u32 edge[257];   // the word in which they do, if they are not all of it
    PD_LOCAL pd_u32 strings[8u * CODEC_STRING];
    PD_LPTR(pd_u32) string = strings + PD_LID / 32u * CODEC_STRING;
    const pd_u32 lane = PD_LID % 32u;
#else
    PD_LOCAL pd_u32 plain[CODEC_PLAIN_WORDS];
    (void)tokens;
#endif
    PD_LOCAL pd_u32 held[CODEC_RECORD + 4u]; // as scalar registers are few
    const pd_u32 l = PD_LID;
    const pd_u32 kind = PD_CODEC_BOUND ? CODEC_FLOAT : k.kind;
    const codec_bare flip = codec_flip(kind), fold = codec_fold_of(kind);
    PD_GPTR(pd_u8) bytes = (PD_GPTR(pd_u8))stream;
    pd_u32 block;
    if (totals[1] > PD_U64(k.room_lo, k.room_hi)) return;
    for (block = PD_GRP; block < k.blocks; block += PD_NGRP) {
        PD_GPTR(const pd_u32) r = record + (pd_u64)block * CODEC_RECORD;
        PD_GPTR(const pd_u32) t = table + (pd_u64)block * CODEC_TABLE;
        const pd_u64 base = PD_U64(k.array_lo, k.array_hi) + codec_start(block, k);
        const pd_u32 n = codec_count(block, k), how = t[CODEC_HOW];
        const pd_u32 words = t[CODEC_WORDS16];
        const pd_u64 chained = codec_chain_end(block, n, k) - words;
        pd_u64 at = PD_U64(k.packed_lo, k.packed_hi) + PD_U64(r[CODEC_BODY], r[CODEC_BODY + 1u]);
        codec_bare lower;
        PD_GPTR(pd_u32) to;
        pd_u32 tile, i, j, over, end, bit, carry, shift, step, delta;
#if PD_HAS_WARPS
        PD_GPTR(const pd_u8) from = tokens + codec_start(block, k);
        const pd_u32 whole = codec_start(block, k) % 4u == 0u ? 1u : 0u;
        const pd_u32 widest = t[CODEC_WIDEST];
        pd_u32 chunk, have_edge;
#endif
#if PD_CODEC_BOUND
        pd_f32 scale;
        codec_inverse inverse;
        codec_num instead;
        codec_bare highest;
#endif
        if (r[CODEC_MODE] < CODEC_PLAIN || r[CODEC_WIDTH] != CODEC_CODED) continue;
#if PD_HAS_WARPS
        codec_put_table(bytes, at + 3u, t[l] >> 16, how & 2u ? 0u : 1u, each, part, begins);
#endif
        if (l == 0u) {
            codec_put(bytes, at, 2u | t[CODEC_WIDEST] << 8 | (how & 2u ? 1u : 4u) << 16, 3u);
            if (how & 2u)
                bytes[at + 3u] = (pd_u8)(how >> 8);
            else
#if PD_HAS_WARPS
                codec_put(bytes, at + 3u + t[CODEC_TABLES], words, 4u);
#else
                codec_put(bytes, at + 3u + codec_put_table(bytes, at + 3u, t), words, 4u);
#endif
        }
        at += how & 2u ? 4u : 7u + t[CODEC_TABLES];
        if (!(how & 2u)) {
            if (l < 32u) codec_put(bytes, at + 4u * l, t[CODEC_STATES + l], 4u);
            at += 128u;
            codec_put_chain(stream, at, chain + chained, words);
            at += 2u * (pd_u64)words;
        }
        if (l == 0u) codec_put(bytes, at, t[CODEC_PLAINS], 4u);
#if PD_HAS_WARPS
        for (i = l; i < 8u * CODEC_STRING; i += 256u) strings[i] = 0u;
        for (i = l; i < 257u; i += 256u) edge[i] = 0u;
#else
        for (i = l; i < CODEC_PLAIN_WORDS; i += 256u) plain[i] = 0u;
#endif
        if (l < CODEC_RECORD) held[l] = r[l];
#if CODEC_WIDE
        if (l == CODEC_RECORD) {
            held[l] = k.wide_lo;
            held[l + 1u] = k.wide_hi;
            held[l + 2u] = k.most2;
            held[l + 3u] = k.most_hi;
        }
#endif
        PD_BARRIER();
        shift = held[CODEC_SHIFT];
        step = held[CODEC_STEP];
        delta = held[CODEC_MODE] == CODEC_DELTA ? 1u : 0u;
#if PD_CODEC_BOUND
        scale = PD_AS_F32(held[CODEC_SCALE]);
        instead = CODEC_INSTEAD(held);
#if CODEC_WIDE
        inverse = PD_U64(held[CODEC_RECORD], held[CODEC_RECORD + 1u]);
        highest = PD_U64(held[CODEC_RECORD + 2u], held[CODEC_RECORD + 3u]);
#else
        inverse = PD_AS_F32(held[CODEC_FACTOR]);
        highest = CODEC_MOST_SCALED;
#endif
#endif
        lower = (codec_bare)(PD_U64(held[CODEC_FIRST], held[CODEC_FIRST + 1u]) - codec_bias(kind));
        at += 4u;
        over = (pd_u32)at & 3u; // bits are counted from a whole word on
        to = stream + (at >> 2);
        bit = 8u * over;
        end = over + t[CODEC_PLAINS];
#if PD_HAS_WARPS
        for (chunk = 0u; chunk < n; chunk += 256u * CODEC_GROUP) {
            const pd_u32 here = n - chunk < 256u * CODEC_GROUP ? n - chunk : 256u * CODEC_GROUP;
            const pd_u32 groups = (here + CODEC_GROUP - 1u) / CODEC_GROUP;
            codec_begins(from, whole, chunk, n, bit, each, part, begins);
            bit = begins[256];
            for (tile = chunk; tile < chunk + here; tile += 8u * CODEC_GROUP) {
                const pd_u32 e = tile + 8u * l, row = (e - chunk) / CODEC_GROUP;
                const pd_u32 begin = begins[row], behind = begins[row + 1u];
                pd_u64 word[8u / CODEC_PER], some, extras, bits = 0u;
                codec_num y[8], before = 0, last;
                pd_u32 low[8], high[8], have, spot;
                codec_item(word, keys, pairs, base, e, n);
                some = codec_eight_tokens(from, whole, e, n);
                if (lane == 0u && e < n) before = CODEC_NUMBER(keys[base + (e ? e - 1u : 0u)]);
                for (j = 0u; j < 8u; j++)
                    y[j] = CODEC_NUMBER((codec_key)(word[j / CODEC_PER] >>
                                                    (j % CODEC_PER * (CODEC_BITS & 63u))));
                last = (codec_num)CODEC_SHUFFLE_UP(y[7], 1u);
                if (lane) before = last;
                codec_digits(low, high, y, before, lower, shift, step, delta,
                             widest + step > 28u ? 1u : 0u);
                extras = PD_U64(codec_extras((pd_u32)some), codec_extras((pd_u32)(some >> 32)));
                spot = codec_bytes_sum((pd_u32)extras) + codec_bytes_sum((pd_u32)(extras >> 32));
                have = spot;
                for (j = 1u; j < 32u; j *= 2u) have = PD_SUM_UP(have, j);
                spot = begin + have - spot;
                have = spot & 31u;
                spot = (spot >> 5) - (begin >> 5);
                if (widest <= 15u) {
                    codec_append_8(string + spot, low, extras, have);
                } else {
                    for (j = 0u; j < 8u; j++) {
                        const pd_u32 extra = (pd_u32)(extras >> (8u * j)) & 255u;
#if CODEC_SHORT
                        codec_append(string, &bits, &have, &spot,
                                     low[j] & ((1u << (extra & 31u)) - 1u), extra);
#else
                        const pd_u64 z = PD_U64(low[j], high[j]) & (((pd_u64)1u << extra) - 1u);
                        const pd_u32 some_bits = extra < 32u ? extra : 32u;
                        codec_append(string, &bits, &have, &spot, (pd_u32)z, some_bits);
                        codec_append(string, &bits, &have, &spot, (pd_u32)(z >> 32),
                                     extra - some_bits);
#endif
                    }
                }
                if ((pd_u32)bits) PD_ATOMIC_OR_L(&string[spot], (pd_u32)bits);
                PD_BARRIER_WARP();
                for (i = ((begin + 31u) >> 5) + lane; i < behind >> 5; i += 32u) { // whole words
                    to[i] = string[i - (begin >> 5)];
                    string[i - (begin >> 5)] = 0u;
                }
                i = lane ? behind : begin; // the word in which it lies belongs to others, too
                if (lane < 2u && i & 31u && (!lane || behind >> 5 >= (begin + 31u) >> 5)) {
                    i = (i >> 5) - (begin >> 5);
                    PD_ATOMIC_OR_L(&edge[row + lane], string[i]);
                    string[i] = 0u;
                }
                PD_BARRIER_WARP();
            }
            PD_BARRIER();
            // Words in which groups begin: the first of those that share one puts them together.
            have_edge = carry = 0u;
            for (i = l; i <= groups; i += 256u) {
                const pd_u32 spot = begins[i] >> 5;
                pd_u32 x = 0u;
                if ((begins[i] & 31u) == 0u ||
                    (i && begins[i - 1u] >> 5 == spot && (begins[i - 1u] & 31u)))
                    continue;
                for (j = i; j <= groups && begins[j] >> 5 == spot; j++) x |= edge[j];
                if (j > groups && chunk + here < n) { // the next chunk goes on in it
                    have_edge = 1u;
                    carry = x;
                } else if (spot == 0u && over) {
                    codec_put_some((PD_GPTR(pd_u8))to, 0u, x >> (8u * over), over, end);
                } else if (4u * spot + 4u <= end) {
                    to[spot] = x;
                } else {
                    codec_put_some((PD_GPTR(pd_u8))to, 4u * spot, x, 0u, end - 4u * spot);
                }
            }
            PD_BARRIER();
            for (i = l; i < 257u; i += 256u) edge[i] = 0u;
            PD_BARRIER();
            if (have_edge) edge[0] = carry;
            PD_BARRIER();
        }
#else
        for (tile = 0u; tile < n; tile += CODEC_TILE) {
            const pd_u32 e = tile + l * CODEC_EACH;
            codec_bare z[CODEC_EACH];
            pd_u32 extra[CODEC_EACH], here = 0u, own, full;
            for (j = 0u; j < CODEC_EACH; j++) extra[j] = 0u;
            if (e < n) {
                codec_num before = CODEC_NUMBER(keys[base + (e ? e - 1u : 0u)]);
                codec_num y[CODEC_EACH];
                CODEC_LOAD_NUMBERS(y, e);
                for (j = 0u; j < CODEC_EACH; j++) {
                    const codec_bare digit =
                        codec_low_digit(y[j], before, lower, shift, step, delta);
#if CODEC_SHORT
                    const pd_u32 token = delta ? codec_steep_token(y[j], before, step)
                                               : codec_flat_token(y[j], lower, shift, step);
#else
                    const pd_u32 token = codec_class(digit);
#endif
                    extra[j] = codec_extra(token) & (0u - ((e + j - n) >> 31)); // 0 behind the end
                    z[j] = digit & (((codec_bare)1u << extra[j]) - 1u);
                    before = y[j];
                    here += extra[j];
                }
            }
            own = codec_before32(each, part, here);
            here = (bit & 31u) + (pd_u32)CODEC_TOTAL(part);
            if (e < n) {
                pd_u32 x = (bit & 31u) + own, have = x & 31u;
                pd_u64 bits = 0u;
                x >>= 5;
                for (j = 0u; j < CODEC_EACH; j++) {
#if CODEC_SHORT
                    codec_pour(plain, &bits, &have, &x, (pd_u32)z[j], extra[j]);
#else
                    const pd_u32 low = extra[j] < 32u ? extra[j] : 32u;
                    codec_pour(plain, &bits, &have, &x, (pd_u32)z[j], low);
                    codec_pour(plain, &bits, &have, &x, (pd_u32)(z[j] >> 32), extra[j] - low);
#endif
                }
                if (have) PD_ATOMIC_OR_L(&plain[x], (pd_u32)bits);
            }
            PD_BARRIER();
            full = here >> 5;
            for (i = l; i < full; i += 256u) {
                if ((bit >> 5) + i == 0u && over)
                    codec_put_some((PD_GPTR(pd_u8))to, 0u, plain[i] >> (8u * over), over, 4u);
                else
                    to[(bit >> 5) + i] = plain[i];
                plain[i] = 0u;
            }
            carry = plain[full];
            PD_BARRIER();
            if (l == 0u) {
                plain[full] = 0u;
                plain[0] = carry;
            }
            bit = (bit & ~31u) + here;
        }
        PD_BARRIER();
        if (l == 0u) {
            i = bit >> 5;
            j = i ? 0u : over;
            codec_put_some((PD_GPTR(pd_u8))to, 4u * i, plain[0] >> (8u * j), j, end - 4u * i);
        }
#endif
        PD_BARRIER();
    }
}

// One list of exceptions, an item each: what it takes; with `bytes` it is written from `at` on.
PD_FN pd_u32 codec_put_list(PD_GPTR(pd_u8) bytes, pd_u64 at, pd_u64 z, pd_u32 count,
                            pd_u32 writing, PD_LPTR(pd_u64) each, PD_LPTR(pd_u64) part,
                            PD_LPTR(pd_u32) plain)
{
    const pd_u32 l = PD_LID, token = codec_class(z), extra = l < count ? codec_extra(token) : 0u;
    const pd_u32 widest = (pd_u32)codec_all(each, extra, CODEC_MOST);
    pd_u32 bit, all, i;
    pd_u64 x = extra ? z & (((pd_u64)1u << extra) - 1u) : 0u;
    for (i = l; i < 512u; i += 256u) plain[i] = 0u;
    PD_BARRIER();
    bit = (pd_u32)codec_before(each, part, extra);
    all = ((pd_u32)CODEC_TOTAL(part) + 7u) / 8u;
    if (writing) {
        for (i = 0u; i < extra;) { // as far as the next word
            const pd_u32 at_bit = bit & 31u;
            PD_ATOMIC_OR_L(&plain[bit >> 5], (pd_u32)x << at_bit);
            x >>= 32u - at_bit;
            i += 32u - at_bit;
            bit += 32u - at_bit;
        }
        if (l < count) bytes[at + 3u + l] = (pd_u8)token;
        if (l == 0u) {
            codec_put(bytes, at, 2u | widest << 8, 3u); // tokens in coder 0
            codec_put(bytes, at + 3u + count, all, 4u);
        }
    }
    PD_BARRIER(); // in no condition, as PoCL wants it
    for (i = l; i < all && writing; i += 256u)
        bytes[at + 7u + count + i] = (pd_u8)(plain[i >> 2] >> (8u * (i & 3u)));
    PD_BARRIER();
    return 7u + count + all;
}

// Exceptions: what they take, or (writing) their bytes behind those of `fill`.
PD_KERNEL_WG(padic_k_codec_off, PD_CODEC_WG)
(PD_CBUF(codec_key, keys), PD_BUF(pd_u32, record), PD_CBUF(pd_u64, totals), PD_BUF(pd_u8, bytes),
 PD_PARAMS(padic_k_codec_stream_params, k))
{
    PD_LOCAL pd_u64 each[288];
    PD_LOCAL pd_u64 part[36];
    PD_LOCAL pd_u32 place[CODEC_OFF_MOST];
    PD_LOCAL pd_u32 plain[512];
    const pd_u32 l = PD_LID;
    pd_u32 block;
    if (k.writing && totals[1] > PD_U64(k.room_lo, k.room_hi)) return;
    for (block = PD_GRP; block < k.blocks; block += PD_NGRP) {
        PD_GPTR(pd_u32) r = record + (pd_u64)block * CODEC_RECORD;
        const pd_u64 base = PD_U64(k.array_lo, k.array_hi) + codec_start(block, k);
        const pd_u32 n = codec_count(block, k), count = r[CODEC_OFF];
        pd_u64 at = PD_U64(k.packed_lo, k.packed_hi) +
                    PD_U64(r[CODEC_BODY], r[CODEC_BODY + 1u]) + r[CODEC_BYTES];
        pd_u64 gap = 0u, value = 0u;
        pd_u32 tile, found = 0u, size = 5u, j;
        if (count == 0u) continue;
        for (tile = 0u; tile < n; tile += 256u * 8u) {
            const pd_u32 e = tile + l * 8u;
            pd_u32 mine = 0u, to;
            for (j = 0u; j < 8u; j++)
                if (e + j < n)
                    mine |= codec_is_off((codec_bare)keys[base + e + j], CODEC_MOST_SCALED) << j;
            to = found + (pd_u32)codec_before(each, part, PD_POPCOUNT(mine));
            found += (pd_u32)CODEC_TOTAL(part);
            for (j = 0u; j < 8u; j++)
                if (mine >> j & 1u) {
                    if (to < CODEC_OFF_MOST) place[to] = e + j;
                    to++;
                }
            PD_BARRIER();
        }
        if (l < count) {
            gap = place[l] - (l ? place[l - 1u] + 1u : 0u);
            value = keys[base + place[l]];
        }
        PD_BARRIER();
        for (j = 0u; j < 2u; j++)
            size += codec_put_list(bytes, at + size, j ? value : gap, count, k.writing, each, part,
                                   plain);
        if (l == 0u) {
            if (k.writing) {
                codec_put(bytes, at, count, 5u);
            } else {
                r[CODEC_SIZE] = r[CODEC_AT] + size;
                r[CODEC_OFF + 1u] = size;
            }
        }
    }
}

// The range of the finite elements: of each group, its least and its greatest.
PD_KERNEL_WG(padic_k_codec_range, PD_CODEC_WG)
(PD_CBUF(codec_key, keys), PD_BUF(pd_i64, range), PD_PARAMS(padic_k_codec_stream_params, k))
{
    PD_LOCAL pd_u64 each[256];
    const codec_bare flip = codec_flip(k.kind), fold = codec_fold_of(k.kind);
    const pd_u64 all = (pd_u64)(k.blocks / k.per_row) * PD_U64(k.row_lo, k.row_hi);
    PD_GPTR(const codec_key) from = keys + PD_U64(k.array_lo, k.array_hi);
    pd_u64 least = PD_U64(0u, 0x7fffffffu), most = PD_U64(0u, 0x80000000u), i;
    for (i = (pd_u64)PD_GRP * 256u + PD_LID; i < all; i += (pd_u64)PD_NGRP * 256u) {
        const pd_u64 x = (pd_u64)(pd_i64)codec_number(from[i], flip, fold);
#if PD_CODEC_SIZE == 4
        if (codec_is_off(from[i], 0x7f7fffffu)) continue;
#elif PD_CODEC_SIZE == 8
        if (codec_is_off(from[i], PD_U64(0xffffffffu, 0x7fefffffu))) continue;
#endif
        least = codec_join(least, x, CODEC_LEAST);
        most = codec_join(most, x, CODEC_MOST);
    }
    least = codec_all(each, least, CODEC_LEAST);
    most = codec_all(each, most, CODEC_MOST);
    if (PD_LID == 0u) {
        range[2u * PD_GRP] = (pd_i64)least;
        range[2u * PD_GRP + 1u] = (pd_i64)most;
    }
}

// ---- unpacking

// `width` bits from bit `at` of the stream on; the 12 bytes from there on are there.
PD_FN pd_u64 codec_bits(PD_GPTR(const pd_u32) stream, pd_u64 at, pd_u32 width)
{
    PD_GPTR(const pd_u32) p = stream + (at >> 5);
    const pd_u32 s = (pd_u32)at & 31u;
    pd_u64 x;
    x = PD_U64(p[0], p[1]) >> s;
    if (64u - s < width) x |= (pd_u64)p[2] << (64u - s);
    return width < 64u ? x & (((pd_u64)1u << width) - 1u) : x;
}

PD_FN pd_u64 codec_take(PD_GPTR(const pd_u32) stream, pd_u64 at, pd_u32 size)
{
    return codec_bits(stream, 8u * at, 8u * size);
}

// What `look` finds out, bits of status[1]. status[2] is 1 where there is no index: a word that no
// other kernel of unpacking writes. A word a block follows, 1 where it is not taken.
#define CODEC_STATUS 3u
#define CODEC_SOME_CODED 1u
#define CODEC_SOME_LEFT 2u // by `unpack`, to `rest`
#define CODEC_SOME_OFF 4u

PD_FN void codec_bad(PD_GPTR(pd_u32) status, pd_u32 block)
{
    PD_ATOMIC_MAX_G(status, 0xffffffffu - block);
    status[CODEC_STATUS + block] = 1u;
}

// Whether an index of all blocks begins at byte `room`. Of a group, item 0 knows.
PD_FN pd_u32 codec_is_index(PD_GPTR(const pd_u32) stream, PD_LPTR(pd_u64) each, pd_u64 packed,
                            pd_u64 room, pd_u64 length, pd_u32 blocks)
{
    const pd_u64 at = packed + room, end = at + 24u + 8u * (pd_u64)blocks;
    // the last bytes one by one: the buffer may end with them, in the middle of a word
    PD_GPTR(const pd_u8) tail = (PD_GPTR(const pd_u8))stream + (end + 16u);
    pd_u64 sum = 0u, mark = 0u;
    pd_u32 b;
    for (b = 0u; b < 8u; b++) mark |= (pd_u64)tail[b] << (8u * b);
    for (b = PD_LID; b < blocks; b += 256u)
        sum += codec_mix(codec_take(stream, at + 24u + 8u * (pd_u64)b, 8u) ^
                         (codec_seed(CODEC_SEED_INDEX + 1u) + b * CODEC_GOLDEN));
    sum = codec_all(each, sum, CODEC_ADD);
    return codec_take(stream, at, 8u) == 0xffffffffu &&
                   codec_take(stream, at + 8u, 8u) == blocks &&
                   codec_take(stream, at + 16u, 8u) == length &&
                   codec_take(stream, end, 8u) == room &&
                   codec_take(stream, end + 8u, 8u) ==
                       codec_index_sum(sum, blocks, length, room) &&
                   mark == CODEC_END
               ? 1u
               : 0u;
}

// Reads the frames, an item each; with k.coded the last group looks at the index. Every place that
// is read lies before byte `room` + 48: the index is as long. status[0] becomes 2^32 - 1 - the
// number of the first block that is not of the profiles, or damaged.
PD_KERNEL_WG(padic_k_codec_look, PD_CODEC_WG)
(PD_CBUF(pd_u32, stream), PD_BUF(pd_u32, record), PD_BUF(pd_u32, status),
 PD_PARAMS(padic_k_codec_stream_params, k))
{
    PD_LOCAL pd_u64 each[256];
    const pd_u64 packed = PD_U64(k.packed_lo, k.packed_hi), room = PD_U64(k.room_lo, k.room_hi);
    const pd_u32 most = PD_NGRP - (k.coded ? 1u : 0u); // groups that look at blocks
    pd_u32 block;
    if (PD_GRP == most) {
        if (!codec_is_index(stream, each, packed, room, PD_U64(k.length_lo, k.length_hi),
                            k.blocks) &&
            PD_LID == 0u)
            status[2] = 1u;
        return;
    }
    for (block = PD_GRP + most * PD_LID; block < k.blocks; block += most * 256u) {
        PD_GPTR(pd_u32) r = record + (pd_u64)block * CODEC_RECORD;
        const pd_u32 n = codec_count(block, k), groups = (n + CODEC_GROUP - 1u) / CODEC_GROUP;
        const pd_u64 frame = codec_take(stream, packed + room + 24u + 8u * (pd_u64)block, 8u);
        pd_u64 at, end, stored, head, first = 0u, step = 1u, size = 9u;
        pd_u32 mode = CODEC_RAW, shift = 0u, one = CODEC_BITS, scale = 0u;
        pd_u64 off = 0u; // where the exceptions are; 1: behind the plain bits
        const pd_u64 next = block + 1u < k.blocks
                                ? codec_take(stream, packed + room + 32u + 8u * (pd_u64)block, 8u)
                                : room; // frames follow each other
        pd_u32 good = frame >= k.header && frame <= room - 16u && (block || frame == k.header)
                          ? 1u
                          : 0u;
        at = packed + (good ? frame : k.header);
        if (good) {
            size = codec_take(stream, at, 4u);
            good = size <= room - frame - 16u && size >= 9u && frame + 16u + size == next &&
                           size <= (pd_u64)n * PD_CODEC_SIZE + 9u &&
                           codec_take(stream, at + 4u, 4u) == codec_rows(n, k)
                       ? 1u
                       : 0u;
        }
        stored = codec_take(stream, at + 8u, 8u);
        at += 16u;
        end = at + (good ? size : 9u) - 8u;
        head = codec_take(stream, at, 6u);
        if (!good || codec_take(stream, end, 8u)) {
            good = 0u;
        } else if ((head & 255u) == 5u) {
            if (size != (pd_u64)n * PD_CODEC_SIZE + 9u) good = 0u;
            at += 1u;
        } else if (head == PD_U64(0x03000000u, 0u)) {
            if (size != 22u) good = 0u;
            mode = CODEC_CONSTANT;
            first = codec_take(stream, at + 6u, 8u);
            one = 0u;
            at = end;
        } else {
            mode = (head >> 8 & 1u) ? CODEC_DELTA : CODEC_PLAIN;
            shift = (pd_u32)(head >> 40);
#if PD_CODEC_BOUND
            if ((head & 255u) == 2u) { // a scale in place of a shift
                scale = codec_scale_of(codec_take(stream, at + 5u, 8u));
                if (scale == 0u || size < 45u) good = 0u;
                off = head >> 11 & 1u;
                if (good && off) PD_ATOMIC_OR_G(status + 1, CODEC_SOME_OFF);
                head &= PD_U64(0xfffff700u, 0xffu);
                shift = 0u;
                at += 7u;
            }
#endif
            if ((head & PD_U64(0xffffffffu, 0xfdu)) !=
                    (mode == CODEC_DELTA ? PD_U64(0x00011100u, 0u) : PD_U64(0x00001000u, 0u)) ||
                shift > 63u || (shift && k.kind != CODEC_FLOAT) || size < 38u)
                good = 0u;
            one = (head >> 32 & 2u) ? 65u : 66u;
            step = codec_take(stream, at + 6u, 8u);
            first = codec_take(stream, at + 14u, 8u);
            at += 22u;
            if (mode == CODEC_DELTA) {
                if (codec_take(stream, at, 6u) != PD_U64(0x00018001u, 0u)) good = 0u;
                at += 6u;
            }
            head = codec_take(stream, at, 2u); // the coder of the widths, and one width
            if (one == 66u) { // two bits below the leading one; the bits of a word at most 63
                if ((head & 255u) != 2u || head >> 8 > 63u || at + 4u > end) good = 0u;
                if (good) PD_ATOMIC_OR_G(status + 1, CODEC_SOME_CODED);
            } else {
                if ((head & 255u) == 1u) one = (pd_u32)(head >> 8);
                if ((head & 255u) > 1u || ((head & 255u) == 1u && one > 64u)) good = 0u;
                at += (head & 255u) == 1u ? 2u : 1u + groups;
                if (at + 8u > end) good = 0u;
                if (good && codec_take(stream, at, 4u)) good = 0u;
                size = good ? codec_take(stream, at + 4u, 4u) : 0u;
                at += 8u;
                if (good && (off ? size > end - at : size != end - at)) good = 0u;
                if (good && off) {
                    off = at + size;
                    end = off;
                }
            }
        }
        if (good && one != 66u) PD_ATOMIC_OR_G(status + 1, 16u);
        size = end - at;
        if (!good) off = 0u;
        at -= packed;
        r[CODEC_SIZE] = 0u;
        r[CODEC_MODE] = good ? mode : CODEC_BAD;
        r[CODEC_SHIFT] = shift;
        r[CODEC_STEP] = 0u;
        r[CODEC_FIRST] = (pd_u32)first;
        r[CODEC_FIRST + 1u] = (pd_u32)(first >> 32);
        r[CODEC_SUM] = (pd_u32)stored;
        r[CODEC_SUM + 1u] = (pd_u32)(stored >> 32);
        r[CODEC_WIDTH] = one;
        r[CODEC_BYTES] = (pd_u32)size;
        r[CODEC_AT] = (pd_u32)frame;
        r[CODEC_AT + 1u] = (pd_u32)(frame >> 32);
        r[CODEC_BODY] = (pd_u32)at;
        r[CODEC_BODY + 1u] = (pd_u32)(at >> 32);
        r[CODEC_FACTOR] = (pd_u32)step;
        r[CODEC_FACTOR + 1u] = (pd_u32)(step >> 32);
        r[CODEC_SCALE] = scale;
        r[CODEC_OFF] = (pd_u32)off;
        r[CODEC_OFF + 1u] = (pd_u32)(off >> 32);
        r[CODEC_OFF + 2u] = 0u;
        if (!good) codec_bad(status, block);
    }
}

// All bits where the highest of an element is 1: what lies above it in a word does not count.
PD_FN codec_bare codec_sign(codec_bare n)
{
    return (codec_bare)((codec_num)(n << (CODEC_NUM_BITS - CODEC_BITS)) >> (CODEC_NUM_BITS - 1u));
}

// The bits of a word's element, above which there may be others; `keep`: see `rest`.
PD_FN codec_bare codec_bits_of(codec_bare n, pd_u32 shift, codec_bare keep)
{
    const codec_bare negative = codec_sign(n);
    return (codec_bare)((pd_u64)(n ^ negative) << shift) ^ (negative & keep);
}

// The element of a digit, or of a sum of differences.
PD_FN pd_u64 codec_element(pd_u64 z, pd_u64 first, pd_u64 step, pd_u32 mode, pd_u32 shift,
                           pd_u32 kind)
{
    const pd_u64 n = first + step * z, negative = codec_right(n << (64u - CODEC_BITS), 63u);
    if (mode == CODEC_RAW || kind != CODEC_FLOAT) return mode == CODEC_RAW ? z : n;
    return ((n ^ negative) << shift) ^ (negative << (CODEC_BITS - 1u));
}

// Word q of an array in memory, of n elements; what lies behind them is not written.
PD_FN void codec_set_word(PD_GPTR(pd_u64) pairs, pd_u64 base, pd_u32 q, pd_u32 n, pd_u64 x)
{
    PD_GPTR(codec_key) keys = (PD_GPTR(codec_key))pairs;
    pd_u32 j;
    if (base % CODEC_PER == 0u && (q + 1u) * CODEC_PER <= n) {
        pairs[base / CODEC_PER + q] = x;
        return;
    }
    for (j = 0u; j < CODEC_PER; j++)
        if (q * CODEC_PER + j < n)
            keys[base + q * CODEC_PER + j] = (codec_key)(x >> (j * (CODEC_BITS & 63u)));
}

// Writes the words of a tile, `each` an item, and returns the item's part of the checksum. `key` is
// that of the block, plus the item's number times the step. Items of a team write what they made.
PD_FN pd_u64 codec_store(PD_GPTR(pd_u64) pairs, PD_LPTR(pd_u64) tile, pd_u64 base, pd_u32 from,
                         pd_u32 n, pd_u64 key, pd_u32 each)
{
    const pd_u32 l = PD_LID, own = l / CODEC_TEAM * CODEC_TEAM * each + l % CODEC_TEAM;
    pd_u64 sum = 0u;
    pd_u32 i;
    key += (from / CODEC_PER + own - l) * CODEC_GOLDEN;
#if PD_HAS_WARPS // else fewer scalar registers
    if (base % CODEC_PER == 0u && from + 256u * each * CODEC_PER <= n) {
        PD_GPTR(pd_u64) to = pairs + (base + from) / CODEC_PER + own;
        for (i = 0u; i < each; i++) {
            const pd_u64 x = tile[CODEC_SPREAD(own + CODEC_TEAM * i)];
            sum += codec_mix(x ^ (key + i * CODEC_TEAM * CODEC_GOLDEN));
            to[CODEC_TEAM * i] = x;
        }
        return sum;
    }
#endif
    for (i = 0u; i < each; i++) {
        const pd_u32 q = from / CODEC_PER + own + CODEC_TEAM * i;
        const pd_u64 x = tile[CODEC_SPREAD(own + CODEC_TEAM * i)];
        if (q * CODEC_PER < n) {
            sum += codec_mix(x ^ (key + i * CODEC_TEAM * CODEC_GOLDEN));
            codec_set_word(pairs, base, q, n, x);
        }
    }
    return sum;
}

#if PD_HAS_WARPS
// The same for tiles of 2048 elements, 8 an item; `key` is that of the item's first word.
PD_FN pd_u64 codec_store_8(PD_GPTR(pd_u64) pairs, PD_LPTR(const pd_u64) tile, pd_u64 base,
                           pd_u32 from, pd_u32 n, pd_u64 key)
{
    const pd_u32 own = PD_LID / 32u * 32u * (8u / CODEC_PER) + PD_LID % 32u;
    pd_u64 sum = 0u;
    pd_u32 i;
    if (base % CODEC_PER == 0u && from + 2048u <= n) {
        PD_GPTR(pd_u64) to = pairs + (base + from) / CODEC_PER + own;
        for (i = 0u; i < 8u / CODEC_PER; i++) {
            const pd_u64 x = tile[CODEC_SPREAD(own + 32u * i)];
            sum += codec_mix(x ^ (key + i * 32u * CODEC_GOLDEN));
            to[32u * i] = x;
        }
        return sum;
    }
    for (i = 0u; i < 8u / CODEC_PER; i++) {
        const pd_u32 q = from / CODEC_PER + own + 32u * i;
        const pd_u64 x = tile[CODEC_SPREAD(own + 32u * i)];
        if (q * CODEC_PER < n) {
            sum += codec_mix(x ^ (key + i * 32u * CODEC_GOLDEN));
            codec_set_word(pairs, base, q, n, x);
        }
    }
    return sum;
}
#define CODEC_KEY_8(block) /* of the first tile */ \
    (codec_seed(block) + (PD_LID / 32u * 32u * (8u / CODEC_PER) + PD_LID % 32u) * CODEC_GOLDEN)
#define CODEC_NEXT_8 (2048u / CODEC_PER * CODEC_GOLDEN) // to that of the next tile
#endif

// Whether words of `width` bits become elements in 32 bits (SIZE below 8).
PD_FN pd_u32 codec_narrow(pd_u64 first, pd_u64 step, pd_u32 width, pd_u32 shift, pd_u32 scale)
{
#if CODEC_WIDE
    const pd_u64 from = first + PD_U64(0u, 256u); // how far above the least word
    if (scale)
        return from <= PD_U64(0u, 512u) && step >> 22 == 0u && width <= 42u &&
                       step * (((pd_u64)1u << width) - 1u) <= PD_U64(0u, 512u) - from
                   ? 1u
                   : 0u;
#elif PD_CODEC_BOUND
    const pd_u64 from = first + 0x1000000u; // how far above the least of 25 bits
    if (scale)
        return from >> 25 == 0u && step >> 32 == 0u && width <= 25u &&
                       step * (((pd_u64)1u << width) - 1u) <= 0x1ffffffu - from
                   ? 1u
                   : 0u;
#else
    (void)scale;
#endif
    (void)first;
    (void)step;
#if PD_CODEC_SIZE == 8
    (void)width;
    (void)shift;
    return 1u;
#else
    return width <= CODEC_BITS && shift < 32u ? 1u : 0u;
#endif
}

// A word of elements from the bits of as many digits. Elements as they are have first 0, step 1,
// shift 0, fold 0.
PD_FN pd_u64 codec_quick(pd_u64 bits, pd_u64 first, pd_u64 step, pd_u32 width, pd_u32 shift,
                         codec_bare fold, pd_f32 scale)
{
    pd_u64 word = 0u;
#if !PD_CODEC_BOUND
    (void)scale;
#endif
#if PD_CODEC_SIZE == 8
    const pd_u64 z = bits & (width < 64u ? ((pd_u64)1u << width) - 1u : ~(pd_u64)0u);
    const pd_u64 n = first + step * z, negative = codec_sign(n);
    word = ((n ^ negative) << shift) ^ (negative & ~fold);
#if PD_CODEC_BOUND
    if (scale != 0.0f) word = codec_unscaled((codec_num)n, scale);
#endif
#else
    const pd_u32 mask = width < 32u ? (1u << width) - 1u : 0xffffffffu;
    pd_u32 j;
    for (j = 0u; j < CODEC_PER; j++) {
        const pd_u32 z = (pd_u32)(bits >> (j * width)) & mask;
        const pd_u32 n = (pd_u32)first + (pd_u32)step * z;
        const pd_u32 negative = codec_sign(n);
#if PD_CODEC_BOUND
        const pd_u32 x = scale != 0.0f ? codec_unscaled((pd_i32)n, scale)
                                       : ((n ^ negative) << shift) ^ (negative & ~fold);
#else
        const pd_u32 x = ((n ^ negative) << shift) ^ (negative & ~fold);
#endif
        word |= (pd_u64)(codec_key)x << (j * (CODEC_BITS & 63u));
    }
#endif
    return word;
}

// 64 bits from a bit on; the 12 bytes from there on are there.
PD_FN pd_u64 codec_window(PD_GPTR(const pd_u32) p, pd_u32 bit)
{
    const pd_u32 a = p[bit >> 5], b = p[(bit >> 5) + 1u], c = p[(bit >> 5) + 2u];
    return PD_U64((pd_u32)(PD_U64(a, b) >> (bit & 31u)), (pd_u32)(PD_U64(b, c) >> (bit & 31u)));
}

// Whether a block's checksum is left to `mend`.
#define CODEC_HAS_OFF(r) (PD_CODEC_BOUND && ((r)[CODEC_OFF] | (r)[CODEC_OFF + 1u]))

#ifndef PD_CODEC_AHEAD
#ifdef __AMDGCN__
#define PD_CODEC_AHEAD 2u // words of an item whose bits are asked for at once
#else
#define PD_CODEC_AHEAD 4u
#endif
#endif

// Where the bits of a chunk of 256 groups lie, in place: 128 times the bit where one begins, and
// its width. Returns their bytes, to which 2^32 is added for each group whose words do not become
// elements in 32 bits (with a kind above 3 that is not asked; CODEC_SLIM: whose width is above
// CODEC_SLIM_MOST), and 2^48 for each whose width is none. Begins and ends with a barrier.
#define CODEC_SLIM 5u
#define CODEC_SLIM_MOST 20u // the sum of 2^11 such differences has 32 bits
PD_FN pd_u64 codec_places(PD_GPTR(const pd_u32) stream, PD_GPTR(const pd_u32) r, pd_u64 packed,
                          pd_u32 n, pd_u32 chunk, pd_u32 kind, PD_LPTR(pd_u64) each,
                          PD_LPTR(pd_u64) part, PD_LPTR(pd_u32) place)
{
    const pd_u32 g = chunk + PD_LID, groups = (n + CODEC_GROUP - 1u) / CODEC_GROUP;
    pd_u32 w = g < groups ? r[CODEC_WIDTH] : 0u;
    pd_u64 mine;
    if (w == 65u) // widths end 8 bytes before the bits of the first chunk
        w = (pd_u32)codec_take(
            stream, packed + PD_U64(r[CODEC_BODY], r[CODEC_BODY + 1u]) - 8u - groups + g, 1u);
    mine = w > 64u ? PD_U64(0u, 65536u) : w ? codec_group_bytes(g, n, w) : 0u;
    if (kind < 4u && r[CODEC_MODE] != CODEC_RAW &&
        !codec_narrow(PD_U64(r[CODEC_FIRST], r[CODEC_FIRST + 1u]),
                      PD_U64(r[CODEC_FACTOR], r[CODEC_FACTOR + 1u]), w, r[CODEC_SHIFT],
                      r[CODEC_SCALE]))
        mine += PD_U64(0u, 1u);
    if (kind == CODEC_SLIM && w > CODEC_SLIM_MOST) mine += PD_U64(0u, 1u);
    PD_BARRIER();
    mine = codec_before(each, part, mine);
    place[PD_LID] = (pd_u32)mine << 10 | (w & 127u);
    PD_BARRIER();
    return CODEC_TOTAL(part);
}

#if CODEC_SWIFT
// Four differences of up to 16 bits each, and their sum.
PD_FN pd_u32 codec_four(pd_u32 d[4], pd_u64 bits, pd_u32 width, pd_u32 mask, pd_u32 sign)
{
    pd_u32 i;
    for (i = 0u; i < 4u; i++) {
        d[i] = ((pd_u32)bits >> 1 & mask) ^ (0u - ((pd_u32)bits & sign));
        bits >>= width;
    }
    return d[0] + d[1] + d[2] + d[3];
}

// The element of a word of 32 bits; `fold` as of codec_fold_of.
PD_FN pd_u32 codec_made(pd_u32 x, pd_u32 fold, pd_f32 scale)
{
#if PD_CODEC_BOUND
    if (scale != 0.0f) return codec_unscaled((pd_i32)x, scale);
#endif
    (void)scale;
    return x ^ (codec_sign(x) & fold);
}

// An item has two times four elements, where they lie in whole pairs of words. Of a tile of 2048:
#if PD_CODEC_SIZE == 4
#define CODEC_SWIFT_FIRST (PD_LID / 32u * 256u + PD_LID % 32u * 4u)
#define CODEC_SWIFT_FAR 128u // from the first to the fifth
#else
#define CODEC_SWIFT_FIRST (PD_LID * 8u)
#define CODEC_SWIFT_FAR 4u
#endif
#define CODEC_SWIFT_WORD(i) ((i) + (PD_CODEC_SIZE == 4 ? (i) / 2u * 62u : 0u)) // from its first on

// A tile from differences of up to 16 bits, whose words have no more than 32; y is the word before
// it. Of the tile `left` elements are there. Returns the item's part of the checksum; *all becomes
// the sum of the differences.
PD_FN pd_u64 codec_swift(PD_GPTR(pd_u64) to, PD_GPTR(const pd_u32) p, pd_u32 bit, pd_u32 width,
                         pd_u32 left, pd_u32 y, pd_u32 step, pd_u32 fold, pd_f32 scale, pd_u64 key,
                         PD_LPTR(pd_u32) sums, pd_u32 *all)
{
    const pd_u32 lane = PD_LID % 32u, team = PD_LID / 32u, mask = ((1u << width) - 1u) >> 1;
    pd_u64 low, high, word[8u / CODEC_PER], sum = 0u;
    pd_u32 d[8], at = CODEC_SWIFT_FIRST % CODEC_GROUP, far_at = at + CODEC_SWIFT_FAR;
    pd_u32 one, two, mine, ahead, i, j, x;
    if (left < 2048u) { // bits of those behind the end may not be there
        const pd_u32 here = left > team * CODEC_GROUP ? left - team * CODEC_GROUP : 0u;
        at = at < here ? at : here;
        far_at = far_at < here ? far_at : here;
    }
    low = codec_window(p, bit + at * width);
    high = codec_window(p, bit + far_at * width);
    x = width ? 1u : 0u;
    one = codec_four(d, low, width, mask, x);
    two = codec_four(d + 4, high, width, mask, x);
    mine = PD_CODEC_SIZE == 4 ? one : one + two; // becomes the sum behind them
    for (i = 1u; i < 32u; i *= 2u) mine = PD_SUM_UP(mine, i);
    one = mine - one - (PD_CODEC_SIZE == 4 ? 0u : two); // before them
#if PD_CODEC_SIZE == 4
    ahead = PD_SHUFFLE(mine, 31u);
    mine = two;
    for (i = 1u; i < 32u; i *= 2u) mine = PD_SUM_UP(mine, i);
    mine += ahead;
    two = mine - two;
#endif
    if (lane == 31u) sums[team] = mine;
    PD_BARRIER();
    x = sums[lane % 8u];
    for (i = 1u; i < 8u; i *= 2u) x = PD_SUM_UP_8(x, i);
    *all = PD_SHUFFLE(x, 7u);
    ahead = PD_SHUFFLE(x, (team - 1u) & 7u);
    if (team == 0u) ahead = 0u;
    x = y + step * (one + ahead);
#if PD_CODEC_SIZE == 4
    y += step * (two + ahead);
#endif
    for (i = 0u; i < 8u / CODEC_PER; i++) {
        word[i] = 0u;
#if PD_CODEC_SIZE == 4
        if (i == 2u) x = y;
#endif
        for (j = 0u; j < CODEC_PER; j++) {
            x += step * d[i * CODEC_PER + j];
            word[i] |= (pd_u64)(codec_key)codec_made(x, fold, scale) << (j * (CODEC_BITS & 63u));
        }
    }
    if (left < 2048u) {
        for (i = 0u; i < 8u / CODEC_PER; i++) {
            const pd_u32 q = CODEC_SWIFT_FIRST / CODEC_PER + CODEC_SWIFT_WORD(i);
            if (q * CODEC_PER >= left) continue;
            if (left - q * CODEC_PER < CODEC_PER)
                word[i] &= ((pd_u64)1u << ((left - q * CODEC_PER) * CODEC_BITS & 63u)) - 1u;
            sum += codec_mix(word[i] ^ (key + CODEC_SWIFT_WORD(i) * CODEC_GOLDEN));
            codec_set_word(to, 0u, q, left, word[i]);
        }
        return sum;
    }
    to += CODEC_SWIFT_FIRST / CODEC_PER;
#if PD_CODEC_SIZE == 1
    to[0] = word[0];
#else
    PD_STORE_PAIR(to, word[0], word[1]);
#endif
#if PD_CODEC_SIZE == 4
    PD_STORE_PAIR(to + 64, word[2], word[3]);
#endif
    for (i = 0u; i < 8u / CODEC_PER; i++)
        sum += codec_mix(word[i] ^ (key + CODEC_SWIFT_WORD(i) * CODEC_GOLDEN));
    return sum;
}
#endif

// The blocks whose words are elements by themselves, and that are no trouble; CODEC_STEP of the
// others' records becomes 1. Under CODEC_SWIFT, with k.writing, differences are left to `swift`.
PD_KERNEL_MIN(padic_k_codec_unpack, PD_CODEC_WG, PD_CODEC_UNPACKERS)
(PD_CBUF(pd_u32, stream), PD_BUF(pd_u32, record), PD_BUF(pd_u64, pairs), PD_BUF(pd_u32, status),
 PD_PARAMS(padic_k_codec_stream_params, k))
{
    PD_LOCAL pd_u64 each[288];
    PD_LOCAL pd_u64 part[36];
    PD_LOCAL pd_u32 place[256];
    const pd_u32 l = PD_LID;
    pd_u32 block;
    if (status[2]) return;
    for (block = PD_GRP; block < k.blocks; block += PD_NGRP) {
        PD_GPTR(pd_u32) r = record + (pd_u64)block * CODEC_RECORD;
        const pd_u64 base = PD_U64(k.array_lo, k.array_hi) + codec_start(block, k);
        const pd_u32 n = codec_count(block, k);
        const pd_u64 first = PD_U64(r[CODEC_FIRST], r[CODEC_FIRST + 1u]);
        const pd_u64 step = PD_U64(r[CODEC_FACTOR], r[CODEC_FACTOR + 1u]);
        const pd_u32 mode = r[CODEC_MODE], shift = r[CODEC_SHIFT];
        const codec_bare fold = mode == CODEC_RAW ? 0u : codec_fold_of(k.kind);
        const pd_f32 scale = PD_AS_F32(r[CODEC_SCALE]);
        pd_u64 at = PD_U64(k.packed_lo, k.packed_hi) + PD_U64(r[CODEC_BODY], r[CODEC_BODY + 1u]);
        pd_u64 sum = 0u;
        pd_u32 left = r[CODEC_BYTES], again = 0u, chunk, from, i; // left: bytes of bits
        if (mode == CODEC_BAD || r[CODEC_WIDTH] == 66u) continue;
#if CODEC_SWIFT
        if (mode == CODEC_DELTA && k.writing) continue;
#endif
        if (base % CODEC_PER || mode == CODEC_DELTA) again = 1u;
        for (chunk = 0u; chunk < n && !again; chunk += 256u * CODEC_GROUP) {
            const pd_u32 end =
                n - chunk < 256u * CODEC_GROUP ? n : chunk + 256u * CODEC_GROUP;
            const pd_u32 origin = chunk / CODEC_PER, last = (end + CODEC_PER - 1u) / CODEC_PER;
            const pd_u32 lead = (pd_u32)(at & 3u) * 8u;
            PD_GPTR(const pd_u32) p = stream + (at >> 2);
            const pd_u64 total =
                codec_places(stream, r, PD_U64(k.packed_lo, k.packed_hi), n, chunk / CODEC_GROUP,
                             k.kind, each, part, place);
            pd_u64 key = codec_seed(block) + (origin + l) * CODEC_GOLDEN, x;
            if (total > left) {
                again = 1u;
                break;
            }
            for (from = origin; from + 256u * PD_CODEC_AHEAD <= end / CODEC_PER;
                 from += 256u * PD_CODEC_AHEAD) {
                pd_u64 bits[PD_CODEC_AHEAD];
                pd_u32 wide[PD_CODEC_AHEAD];
                PD_GPTR(pd_u64) to = pairs + (base / CODEC_PER + from + l);
                for (i = 0u; i < PD_CODEC_AHEAD; i++) {
                    const pd_u32 q = from - origin + 256u * i + l;
                    const pd_u32 spot = place[q / CODEC_KEYS];
                    bits[i] = codec_window(p, lead + (spot >> 7) +
                                                  q % CODEC_KEYS * CODEC_PER * (spot & 127u));
                    wide[i] = spot & 127u;
                }
                for (i = 0u; i < PD_CODEC_AHEAD; i++) {
                    x = codec_quick(bits[i], first, step, wide[i], shift, fold, scale);
                    sum += codec_mix(x ^ key);
                    key += 256u * CODEC_GOLDEN;
                    to[256u * i] = x;
                }
            }
            for (from += l; from < last; from += 256u) {
                const pd_u32 spot = place[(from - origin) / CODEC_KEYS];
                x = codec_window(p, lead + (spot >> 7) + (from - origin) % CODEC_KEYS * CODEC_PER *
                                                             (spot & 127u));
                x = codec_quick(x, first, step, spot & 127u, shift, fold, scale);
                if ((from + 1u) * CODEC_PER > n) // the last elements
                    x &= ((pd_u64)1u << ((n - from * CODEC_PER) * CODEC_BITS & 63u)) - 1u;
                sum += codec_mix(x ^ key);
                key += 256u * CODEC_GOLDEN;
                codec_set_word(pairs, base, from, n, x);
            }
            at += total;
            left -= (pd_u32)total;
        }
        sum = codec_all(each, sum, CODEC_ADD) + codec_sum_end((pd_u64)n * PD_CODEC_SIZE, block);
        if (l == 0u && again) {
            r[CODEC_STEP] = 1u;
            PD_ATOMIC_OR_G(status + 1, CODEC_SOME_LEFT);
        }
        if (l == 0u && !again &&
            (left || (!CODEC_HAS_OFF(r) && sum != PD_U64(r[CODEC_SUM], r[CODEC_SUM + 1u]))))
            codec_bad(status, block);
        PD_BARRIER();
    }
}

// The blocks of differences of up to 16 bits whose words have no more than 32, in whole pairs of
// words of 64 bits. CODEC_STEP of the others' records becomes 1.
PD_KERNEL_MIN(padic_k_codec_swift, PD_CODEC_WG, PD_CODEC_SWIFTERS)
(PD_CBUF(pd_u32, stream), PD_BUF(pd_u32, record), PD_BUF(pd_u64, pairs), PD_BUF(pd_u32, status),
 PD_PARAMS(padic_k_codec_stream_params, k))
{
#if CODEC_SWIFT
    PD_LOCAL pd_u64 each[288];
    PD_LOCAL pd_u64 part[36];
    PD_LOCAL pd_u32 place[256];
    PD_LOCAL pd_u32 sums[16];
    PD_LOCAL pd_u32 widths; // a bit each
    const pd_u32 l = PD_LID;
    pd_u32 block;
    if (status[2]) return;
    for (block = PD_GRP; block < k.blocks; block += PD_NGRP) {
        PD_GPTR(pd_u32) r = record + (pd_u64)block * CODEC_RECORD;
        const pd_u64 base = PD_U64(k.array_lo, k.array_hi) + codec_start(block, k);
        const pd_u32 n = codec_count(block, k);
        const pd_u64 step = PD_U64(r[CODEC_FACTOR], r[CODEC_FACTOR + 1u]);
        const pd_u32 fold = codec_fold_of(PD_CODEC_BOUND ? CODEC_FLOAT : k.kind);
        const pd_f32 scale = PD_AS_F32(r[CODEC_SCALE]);
        pd_u64 at = PD_U64(k.packed_lo, k.packed_hi) + PD_U64(r[CODEC_BODY], r[CODEC_BODY + 1u]);
        pd_u64 sum = 0u, y = PD_U64(r[CODEC_FIRST], r[CODEC_FIRST + 1u]); // the word before a tile
        pd_u64 key = codec_seed(block) + CODEC_SWIFT_FIRST / CODEC_PER * CODEC_GOLDEN;
        pd_u32 left = r[CODEC_BYTES], again = 0u, chunk, from, turn; // left: bytes of bits
        if (r[CODEC_MODE] != CODEC_DELTA || r[CODEC_WIDTH] == CODEC_CODED) continue;
        if (base % CODEC_PER || r[CODEC_SHIFT] || step >> 22 ||
            !PD_PAIRED(pairs + base / CODEC_PER))
            again = 1u;
        for (chunk = 0u; chunk < n && !again; chunk += 256u * CODEC_GROUP) {
            const pd_u32 end = n - chunk < 256u * CODEC_GROUP ? n : chunk + 256u * CODEC_GROUP;
            const pd_u32 lead = (pd_u32)(at & 3u) * 8u;
            PD_GPTR(const pd_u32) p = stream + (at >> 2);
            PD_GPTR(pd_u64) to = pairs + (base + chunk) / CODEC_PER;
            const pd_u64 total = codec_places(stream, r, PD_U64(k.packed_lo, k.packed_hi), n,
                                              chunk / CODEC_GROUP, 4u, each, part, place);
            // how far a tile's words may be from the one before it, and that from 0
            pd_u64 reach, limit = (pd_u64)1u << (scale != 0.0f ? 24u : 31u);
            if (total > left) {
                again = 1u;
                break;
            }
            if (l == 0u) widths = 1u;
            PD_BARRIER();
            if (place[l] & 127u)
                PD_ATOMIC_OR_L(&widths, 1u << ((place[l] & 127u) < 31u ? place[l] & 31u : 31u));
            PD_BARRIER();
            reach = step * 1024u << (31u - PD_CLZ(widths));
            if (widths >> 17 || reach > limit) again = 1u;
            limit -= reach;
            for (from = chunk, turn = 0u; from < end && !again; from += 2048u) {
                const pd_u32 spot = place[((from - chunk) / CODEC_GROUP + l / 32u) & 255u];
                pd_u32 all;
                if (y + limit >= 2u * limit) {
                    again = 1u;
                    break;
                }
                sum += codec_swift(to, p, lead + (spot >> 7), spot & 127u, n - from, (pd_u32)y,
                                   (pd_u32)step, fold, scale, key, sums + turn, &all);
                y += (pd_u64)((pd_i64)(pd_i32)all * (pd_i32)step);
                turn = 8u - turn;
                to += 2048u / CODEC_PER;
                key += 2048u / CODEC_PER * CODEC_GOLDEN;
            }
            at += total;
            left -= (pd_u32)total;
        }
        sum = codec_all(each, sum, CODEC_ADD) + codec_sum_end((pd_u64)n * PD_CODEC_SIZE, block);
        if (l == 0u && again) {
            r[CODEC_STEP] = 1u;
            PD_ATOMIC_OR_G(status + 1, CODEC_SOME_LEFT);
        }
        if (l == 0u && !again &&
            (left || (!CODEC_HAS_OFF(r) && sum != PD_U64(r[CODEC_SUM], r[CODEC_SUM + 1u]))))
            codec_bad(status, block);
        PD_BARRIER();
    }
#else // they are left to `rest`, and this is not launched
    (void)stream;
    (void)record;
    (void)pairs;
    (void)status;
    (void)k;
#endif
}

PD_FN pd_u64 codec_digit_at(PD_GPTR(const pd_u32) p, pd_u32 bit, pd_u32 f, pd_u32 width)
{
    const pd_u64 mask = width < 64u ? ((pd_u64)1u << width) - 1u : ~(pd_u64)0u;
    return mask & codec_window(p, bit + f * width);
}

#ifndef PD_CODEC_QUICK
#ifdef __AMDGCN__
#define PD_CODEC_QUICK 0 // fewer scalar registers
#else
#define PD_CODEC_QUICK 1 // words of an item once in 32 bits, where they have no more
#endif
#endif
#define CODEC_QUICK (PD_CODEC_QUICK && CODEC_SHORT)
#if CODEC_QUICK
#if PD_CODEC_BOUND
#define CODEC_SCALE_HERE scale
#else
#define CODEC_SCALE_HERE 0.0f
#endif

// Whether an item's words, from y on by digits of up to 24 bits, have 32 bits (or are none that are
// wild).
PD_FN pd_u32 codec_tame(pd_u64 y, pd_u64 step, pd_u32 width, pd_f32 scale)
{
    const pd_u64 limit = (pd_u64)1u << (scale != 0.0f ? 24u : 31u);
    const pd_u64 reach = step * CODEC_EACH << width;
    return step >> 32 == 0u && reach < limit && y + (limit - reach) < 2u * (limit - reach) ? 1u
                                                                                          : 0u;
}

// An item's elements, from y on by differences or digits, in local memory.
PD_FN void codec_make(PD_LPTR(pd_u64) tile, const pd_u32 d[CODEC_EACH], pd_u32 y, pd_u32 step,
                      pd_u32 delta, pd_u32 shift, pd_u32 keep, pd_f32 scale)
{
    pd_u32 i, j;
    if (delta && shift == 0u && scale == 0.0f) { // mostly
        for (i = 0u; i < CODEC_WORDS; i++) {
            pd_u64 word = 0u;
            for (j = 0u; j < CODEC_PER; j++) {
                y += step * d[i * CODEC_PER + j];
                word |= (pd_u64)(codec_key)(y ^ (codec_sign(y) & ~keep))
                        << (j * (CODEC_BITS & 63u));
            }
            tile[CODEC_SPREAD(PD_LID * CODEC_WORDS + i)] = word;
        }
        return;
    }
    for (i = 0u; i < CODEC_WORDS; i++) {
        pd_u64 word = 0u;
        for (j = 0u; j < CODEC_PER; j++) {
            const pd_u32 x = y + step * d[i * CODEC_PER + j];
            const pd_u32 negative = codec_sign(x);
            pd_u32 made = ((x ^ negative) << shift) ^ (negative & keep);
#if PD_CODEC_BOUND
            if (scale != 0.0f) made = codec_unscaled((pd_i32)x, scale);
#endif
            word |= (pd_u64)(codec_key)made << (j * (CODEC_BITS & 63u));
            if (delta) y = x;
        }
        tile[CODEC_SPREAD(PD_LID * CODEC_WORDS + i)] = word;
    }
}
#endif

// The blocks that are left: differences, and those that are unusual.
PD_KERNEL_MIN(padic_k_codec_rest, PD_CODEC_WG, PD_CODEC_RESTERS)
(PD_CBUF(pd_u32, stream), PD_CBUF(pd_u32, record), PD_BUF(pd_u64, pairs), PD_BUF(pd_u32, status),
 PD_PARAMS(padic_k_codec_stream_params, k))
{
    PD_LOCAL pd_u64 each[288];
    PD_LOCAL pd_u64 part[72];
    PD_LOCAL pd_u32 place[256];
    PD_LOCAL pd_u32 held[CODEC_RECORD]; // as scalar registers are few
#if PD_HAS_WARPS
    PD_LOCAL pd_u64 tile[CODEC_SPREAD(2048u / CODEC_PER)];
#if CODEC_SHORT
    PD_LOCAL pd_u32 sums[16];
#endif
#else
    PD_LOCAL pd_u64 tile[CODEC_SPREAD(CODEC_TILE / CODEC_PER)];
#endif
#if CODEC_SHORT || !PD_HAS_WARPS
    PD_LPTR(codec_key) element = (PD_LPTR(codec_key))tile;
#endif
    const pd_u32 l = PD_LID, each_digit = k.each * (CODEC_EACH / CODEC_SUMS); // not unrolled
    pd_u32 block;
    if (!(status[1] & CODEC_SOME_LEFT)) return;
    for (block = PD_GRP; block < k.blocks; block += PD_NGRP) {
        PD_GPTR(const pd_u32) r = record + (pd_u64)block * CODEC_RECORD;
        const pd_u64 base = PD_U64(k.array_lo, k.array_hi) + codec_start(block, k);
        const pd_u32 n = codec_count(block, k);
#if PD_HAS_WARPS
        pd_u64 key = CODEC_KEY_8(block);
#else
        const pd_u64 key = codec_seed(block) + l * CODEC_GOLDEN;
#endif
        pd_u64 at = PD_U64(k.packed_lo, k.packed_hi) + PD_U64(r[CODEC_BODY], r[CODEC_BODY + 1u]);
        pd_u64 sum = 0u, own_sum = 0u, first, step;
        codec_bare keep;
        pd_u32 left = r[CODEC_BYTES], turn, chunk, from, j, mode, shift; // left: bytes of bits
#if PD_CODEC_BOUND
        pd_f32 scale;
        pd_u64 wild = 0u;
#endif
        if (r[CODEC_STEP] != 1u) continue;
        if (l < CODEC_RECORD) held[l] = r[l];
        PD_BARRIER();
        mode = held[CODEC_MODE];
        shift = held[CODEC_SHIFT];
        first = PD_U64(held[CODEC_FIRST], held[CODEC_FIRST + 1u]);
        step = PD_U64(held[CODEC_FACTOR], held[CODEC_FACTOR + 1u]);
        // of a negative word, what is turned back; elements as they are have first 0 and step 1
        keep = mode == CODEC_RAW ? ~(codec_bare)0u
                                 : ~codec_fold_of(PD_CODEC_BOUND ? CODEC_FLOAT : k.kind);
#if PD_CODEC_BOUND
        scale = PD_AS_F32(held[CODEC_SCALE]);
#endif
        for (chunk = 0u; chunk < n; chunk += 256u * CODEC_GROUP) {
            const pd_u32 end =
                n - chunk < 256u * CODEC_GROUP ? n : chunk + 256u * CODEC_GROUP;
            const pd_u64 total = codec_places(stream, r, PD_U64(k.packed_lo, k.packed_hi), n,
                                              chunk / CODEC_GROUP, PD_HAS_WARPS ? CODEC_SLIM : 4u,
                                              each, part, place);
            if (total >> 48 || (pd_u32)total > left) {
                left = 1u; // not 0, as it must be in the end
                break;
            }
#if PD_HAS_WARPS
            turn = 0u;
            for (from = chunk; from < end; from += 2048u) {
                const pd_u32 e = from + 8u * l;
                const pd_u32 spot = place[((e - chunk) / CODEC_GROUP) & 255u], w = spot & 127u;
                PD_GPTR(const pd_u32) p = stream + (at >> 2);
                const pd_u32 bit = (pd_u32)(at & 3u) * 8u + (spot >> 7) +
                                   e % CODEC_GROUP * w; // of the item's first digit
                const pd_u32 most = e < n ? n - 1u - e : 0u; // behind the end the last one
                pd_u64 x = 0u, all;
                pd_u32 i;
#if CODEC_SHORT
                const pd_u64 limit = (pd_u64)1u << (CODEC_SCALE_HERE != 0.0f ? 24u : 31u);
                const pd_u32 slim = mode == CODEC_DELTA && (total >> 32) == 0u ? 1u : 0u;
                const pd_u32 quick =
                    slim && shift == 0u && step >> 32 == 0u && e + 8u <= n ? 1u : 0u;
                const pd_u64 reach = slim ? step * 8u << w : 0u;
                pd_u32 d[8];
                if (slim) {
                    const pd_u32 mask = (1u << (w & 31u)) - 1u;
                    pd_u32 mine = 0u, every;
                    if (e + 8u <= n && w <= 16u) {
                        pd_u64 y0 = codec_window(p, bit), y1 = codec_window(p, bit + 4u * w);
                        for (i = 0u; i < 4u; i++) {
                            d[i] = (pd_u32)y0 & mask;
                            d[i + 4u] = (pd_u32)y1 & mask;
                            y0 >>= w;
                            y1 >>= w;
                        }
                    } else if (e + 8u <= n) {
                        for (i = 0u; i < 8u; i += 2u) {
                            const pd_u64 y = codec_window(p, bit + i * w);
                            d[i] = (pd_u32)y & mask;
                            d[i + 1u] = (pd_u32)(y >> w) & mask;
                        }
                    } else {
                        for (i = 0u; i < 8u; i++)
                            d[i] = i <= most && e < n ? (pd_u32)codec_digit_at(p, bit, i, w) : 0u;
                    }
                    for (i = 0u; i < 8u; i++) {
                        d[i] = d[i] >> 1 ^ (0u - (d[i] & 1u));
                        mine += d[i];
                    }
                    mine = codec_tile_before32(sums + turn, mine, &every);
                    x = (pd_u64)(pd_i64)(pd_i32)mine + sum;
                    sum += (pd_u64)(pd_i64)(pd_i32)every;
                } else if (mode == CODEC_DELTA) {
                    for (j = 0u; j < each_digit && e < n; j++)
                        x += codec_unfold(codec_digit_at(p, bit, j < most ? j : most, w));
                    x = codec_tile_before(part + 36u + turn, x, &all) + sum;
                    sum += all;
                }
                if (quick && reach < limit &&
                    first + step * x + (limit - reach) < 2u * (limit - reach)) {
                    codec_make(tile, d, (pd_u32)(first + step * x), (pd_u32)step, 1u, 0u,
                               keep, CODEC_SCALE_HERE);
                } else {
                    for (j = 0u; j < each_digit; j++) {
                        const pd_u64 z =
                            e < n ? codec_digit_at(p, bit, j < most ? j : most, w) : 0u;
                        pd_u64 y;
                        codec_key made;
                        if (mode == CODEC_DELTA) x += codec_unfold(z);
                        y = first + step * (mode == CODEC_DELTA ? x : z);
                        made = (codec_key)codec_bits_of((codec_bare)y, shift, keep);
#if PD_CODEC_BOUND
                        if (scale != 0.0f) {
                            made = codec_unscaled((codec_num)y, scale);
                            if (e + j < n) wild |= codec_wild(y);
                        }
#endif
                        element[CODEC_SPREAD((8u * l + j) / CODEC_PER) * CODEC_PER +
                                (8u * l + j) % CODEC_PER] = e + j < n ? made : 0u;
                    }
                }
#else
                const pd_u64 mask = w < 64u ? ((pd_u64)1u << w) - 1u : ~(pd_u64)0u;
                pd_u64 d[8], window = 0u;
                (void)each_digit;
                for (i = 0u; i < 8u; i++) {
                    if (w > 16u ? w > 32u || i % 2u == 0u : i % 4u == 0u)
                        window = e + i < n ? codec_window(p, bit + i * w) : 0u;
                    d[i] = i <= most && e < n ? window & mask : 0u;
                    window >>= w & 63u;
                    if (mode == CODEC_DELTA) d[i] = codec_unfold(d[i]);
                    x += d[i];
                }
                if (mode == CODEC_DELTA) {
                    x = codec_tile_before(part + 36u + turn, x, &all) + sum;
                    sum += all;
                }
                for (j = 0u; j < 8u; j++) {
                    pd_u64 y;
                    codec_key made;
                    if (mode == CODEC_DELTA) x += d[j];
                    y = first + step * (mode == CODEC_DELTA ? x : d[j]);
                    made = (codec_key)codec_bits_of((codec_bare)y, shift, keep);
#if PD_CODEC_BOUND
                    if (scale != 0.0f) {
                        made = codec_unscaled((codec_num)y, scale);
                        if (e + j < n) wild |= codec_wild(y);
                    }
#endif
                    tile[CODEC_SPREAD(8u * l + j)] = e + j < n ? made : 0u;
                }
#endif
                turn = 8u - turn;
                PD_BARRIER_WARP();
                own_sum += codec_store_8(pairs, tile, base, from, n, key);
                key += CODEC_NEXT_8;
                PD_BARRIER_WARP();
            }
#else
            turn = 36u; // which sums: those of the places may yet be read
            for (from = chunk; from < end; from += CODEC_TILE) {
                const pd_u32 e = from + l * CODEC_EACH;
                const pd_u32 spot = place[(e - chunk) / CODEC_GROUP], w = spot & 127u;
                PD_GPTR(const pd_u32) p = stream + (at >> 2);
                const pd_u32 bit = (pd_u32)(at & 3u) * 8u + (spot >> 7) +
                                   e % CODEC_GROUP * w; // of the item's first digit
                const pd_u32 most = e < n ? n - 1u - e : 0u; // behind the end the last one
                pd_u64 x = 0u;
#if CODEC_QUICK
                const pd_u32 mask = (1u << (w & 31u)) - 1u;
                const pd_u32 quick =
                    mode == CODEC_DELTA && shift == 0u && w <= 24u && e + CODEC_EACH <= n ? 1u : 0u;
                pd_u32 d[CODEC_EACH], i;
                if (quick) {
                    pd_u32 all = 0u;
                    if (w <= 16u) {
                        for (i = 0u; i < CODEC_EACH; i += 4u) {
                            const pd_u64 y = codec_window(p, bit + i * w);
                            for (j = 0u; j < 4u; j++) d[i + j] = (pd_u32)(y >> (j * w)) & mask;
                        }
                    } else {
                        for (i = 0u; i < CODEC_EACH; i += 2u) {
                            const pd_u64 y = codec_window(p, bit + i * w);
                            for (j = 0u; j < 2u; j++) d[i + j] = (pd_u32)(y >> (j * w)) & mask;
                        }
                    }
                    for (i = 0u; i < CODEC_EACH; i++) {
                        d[i] = d[i] >> 1 ^ (0u - (d[i] & 1u));
                        all += d[i];
                    }
                    x = (pd_u64)(pd_i64)(pd_i32)all;
                } else
#endif
                    if (mode == CODEC_DELTA && e < n)
                    for (j = 0u; j < each_digit; j++)
                        x += codec_unfold(codec_digit_at(p, bit, j < most ? j : most, w));
                if (mode == CODEC_DELTA) {
                    CODEC_AGAIN(); // sums of the tile before were read
                    x = codec_before(each, part + turn, x) + sum;
                    sum += CODEC_TOTAL(part + turn);
                    turn = 36u - turn;
                }
#if CODEC_QUICK
                if (quick && codec_tame(first + step * x, step, w, CODEC_SCALE_HERE)) {
                    codec_make(tile, d, (pd_u32)(first + step * x), (pd_u32)step, 1u, 0u,
                               keep, CODEC_SCALE_HERE);
                } else
#endif
                    for (j = 0u; j < each_digit; j++) {
                        const pd_u64 z =
                            e < n ? codec_digit_at(p, bit, j < most ? j : most, w) : 0u;
                        pd_u64 y;
                        codec_key made;
                        if (mode == CODEC_DELTA) x += codec_unfold(z);
                        y = first + step * (mode == CODEC_DELTA ? x : z);
                        made = (codec_key)codec_bits_of((codec_bare)y, shift, keep);
#if PD_CODEC_BOUND
                        if (scale != 0.0f) {
                            made = codec_unscaled((codec_num)y, scale);
                            if (e + j < n) wild |= codec_wild(y);
                        }
#endif
                        element[CODEC_SPREAD((l * CODEC_EACH + j) / CODEC_PER) * CODEC_PER +
                                (l * CODEC_EACH + j) % CODEC_PER] = e + j < n ? made : 0u;
                    }
                CODEC_TEAM_BARRIER();
                own_sum += codec_store(pairs, tile, base, from, n, key, CODEC_WORDS);
                CODEC_TEAM_BARRIER();
            }
#endif
            at += (pd_u32)total;
            left -= (pd_u32)total;
        }
        sum = codec_all(each, own_sum, CODEC_ADD) +
              codec_sum_end((pd_u64)n * PD_CODEC_SIZE, block);
#if PD_CODEC_BOUND
        if (codec_all(each, wild, CODEC_OR)) left = 1u;
#endif
        if (l == 0u &&
            (left || (!CODEC_HAS_OFF(r) && sum != PD_U64(r[CODEC_SUM], r[CODEC_SUM + 1u]))))
            codec_bad(status, block);
        PD_BARRIER();
    }
}

// ---- unpacking coded blocks

// A byte that lies before `end`, or 0.
PD_FN pd_u32 codec_byte(PD_GPTR(const pd_u32) stream, pd_u64 at, pd_u64 end)
{
    return at < end ? (pd_u32)(stream[at >> 2] >> (8u * ((pd_u32)at & 3u))) & 255u : 0u;
}

// Bytes 4 i to 4 i + 3 behind bit `lead` of a word; words behind the last one are not read.
PD_FN pd_u32 codec_pair(PD_GPTR(const pd_u32) from, pd_u32 i, pd_u32 last, pd_u32 lead)
{
    return (pd_u32)(PD_U64(from[i < last ? i : last], from[i < last ? i + 1u : last]) >> lead);
}

// One symbol of the items that are `on`, each by its state x; of the chain so much is taken.
PD_FN pd_u32 codec_turn(PD_LPTR(const pd_u8) symbol, PD_LPTR(const pd_u32) code,
                        PD_LPTR(const pd_u16) chained, PD_LPTR(pd_u32) mask, pd_u32 turn, pd_u32 on,
                        pd_u32 *x, pd_u32 *taken)
{
    const pd_u32 slot = *x & 4095u, s = symbol[slot], c = code[s];
    pd_u32 y = (c >> 16) * (*x >> 12) + slot - (c & 65535u), low, all, next;
    low = on && y < 65536u ? 1u : 0u;
    all = codec_votes(mask, turn, low);
    next = chained[(*taken + PD_POPCOUNT(all & ((1u << PD_LID) - 1u))) & 255u];
    y = low ? y << 16 | next : y;
    *x = on ? y : *x;
    *taken += PD_POPCOUNT(all);
    return s;
}

// Tokens of the coded blocks: rANS, symbol i by state i % 32. What follows them is noted in the
// record: the plain bits, where they begin and how many bytes.
PD_KERNEL_WG(padic_k_codec_tokens, 32)
(PD_CBUF(pd_u32, stream), PD_BUF(pd_u32, record), PD_BUF(pd_u8, tokens), PD_BUF(pd_u32, status),
 PD_PARAMS(padic_k_codec_stream_params, k))
{
    PD_LOCAL pd_u32 code[256]; // start | frequency << 16
    PD_LOCAL pd_u8 symbol[4096];
    PD_LOCAL pd_u32 ring[128]; // words of the chain, two in each
    PD_LOCAL pd_u32 found[4]; // where the table ends, whether it is one, its symbols; bad states
    PD_LOCAL pd_u32 mask[3];
    PD_LPTR(const pd_u16) chained = (PD_LPTR(const pd_u16))ring;
    const pd_u32 l = PD_LID;
    pd_u32 block;
    for (block = PD_GRP; block < k.blocks; block += PD_NGRP) {
        PD_GPTR(pd_u32) r = record + (pd_u64)block * CODEC_RECORD;
        PD_GPTR(pd_u8) to = tokens + codec_start(block, k);
        const pd_u32 n = codec_count(block, k);
        pd_u64 at = PD_U64(k.packed_lo, k.packed_hi) + PD_U64(r[CODEC_BODY], r[CODEC_BODY + 1u]);
        const pd_u64 end = at + r[CODEC_BYTES];
        pd_u64 plain;
        pd_u32 coder, words, x, i, j, s, filled, taken, turn, good = 1u;
        pd_u32 last, lead, next[4];
        PD_GPTR(const pd_u32) from;
        if (r[CODEC_MODE] == CODEC_BAD || r[CODEC_WIDTH] != 66u) continue;
        coder = codec_byte(stream, at + 2u, end);
        PD_BARRIER_ALL(); // the record is read
        if (coder == 1u) {
            for (i = l; i < n; i += 32u) to[i] = (pd_u8)codec_byte(stream, at + 3u, end);
            at += 4u;
        } else {
            if (l == 0u) {
                pd_u32 sum = 0u, p = 4u;
                last = codec_byte(stream, at + 3u, end);
                for (s = 0u; s <= last && sum <= 4096u;) {
                    pd_u32 f = codec_byte(stream, at + p, end);
                    p++;
                    if (f == 0u) {
                        f = codec_byte(stream, at + p, end) + 1u;
                        p++;
                        for (i = 0u; i < f && s < 256u; i++) code[s++] = sum;
                        continue;
                    }
                    if (f & 128u) {
                        f = (f & 127u) | codec_byte(stream, at + p, end) << 7;
                        p++;
                    }
                    code[s++] = sum | f << 16;
                    sum += f;
                }
                found[0] = p;
                found[1] = s == last + 1u && sum == 4096u && coder == 4u ? 1u : 0u;
                found[2] = s;
                found[3] = 0u;
                mask[0] = mask[1] = mask[2] = 0u;
            }
            PD_BARRIER();
            good = found[1];
            if (good)
                for (s = 0u; s < found[2]; s++)
                    for (i = l; i < code[s] >> 16; i += 32u)
                        symbol[(code[s] & 65535u) + i] = (pd_u8)s;
            at += found[0];
            // u32 words, 32 states of u32
            if (at + 132u > end) good = 0u;
            words = good ? (pd_u32)codec_take(stream, at, 4u) : 0u;
            x = good ? (pd_u32)codec_take(stream, at + 4u + 4u * l, 4u) : 65536u;
            at += 132u;
            if (x < 65536u) PD_ATOMIC_OR_L(&found[3], 1u);
            if (good && 2u * (pd_u64)words > end - at) good = 0u;
            // words are read in pairs, from whole words of the stream on
            from = stream + (at >> 2);
            lead = ((pd_u32)at & 3u) * 8u;
            last = good ? ((pd_u32)(at & 3u) + 2u * words) / 4u : 0u;
            for (j = 0u; j < 4u; j++) {
                i = 32u * j + l;
                ring[i] = good ? codec_pair(from, i, last, lead) : 0u;
            }
            for (j = 0u; j < 2u; j++) {
                i = 128u + 32u * j + l;
                next[2u * j] = good ? from[i < last ? i : last] : 0u;
                next[2u * j + 1u] = good ? from[i < last ? i + 1u : last] : 0u;
            }
            PD_BARRIER();
            filled = 256u; // words that are, or were, in the ring
            taken = turn = 0u;
            for (i = 0u; good && i < n; i += 128u) {
#if PD_HAS_WARPS // else the vote's barrier would stand in a condition, which PoCL does not like
                if (i + 128u <= n) {
                    for (j = 0u; j < 4u; j++)
                        to[i + 32u * j + l] =
                            (pd_u8)codec_turn(symbol, code, chained, mask, turn, 1u, &x, &taken);
                } else
#endif
                    for (j = 0u; j < 4u; j++) {
                        const pd_u32 e = i + 32u * j + l;
                        s = codec_turn(symbol, code, chained, mask, turn, e < n ? 1u : 0u, &x,
                                       &taken);
                        turn = turn < 2u ? turn + 1u : 0u;
                        if (e < n) to[e] = (pd_u8)s;
                    }
                CODEC_TEAM_BARRIER(); // what is replaced was read
                if (filled - taken <= 128u) {
                    for (j = 0u; j < 2u; j++) {
                        s = filled / 2u + 32u * j + l;
                        ring[s & 127u] =
                            (pd_u32)(PD_U64(next[2u * j], next[2u * j + 1u]) >> lead);
                        s += 64u;
                        next[2u * j] = from[s < last ? s : last];
                        next[2u * j + 1u] = from[s < last ? s + 1u : last];
                    }
                    filled += 128u;
                }
#if PD_HAS_WARPS
                PD_BARRIER_WARP(); // else the next vote begins with one
#endif
            }
            if (taken > words) good = 0u;
            at += 2u * (pd_u64)taken;
            words -= taken;
            if (good && x != 65536u) PD_ATOMIC_OR_L(&found[3], 1u);
            PD_BARRIER();
            if (words || found[3]) good = 0u;
        }
        plain = end; // behind the plain bits
        if (good && at + 4u > end) good = 0u;
        if (good) {
            plain = at + 4u + codec_take(stream, at, 4u);
            if (plain > end) good = 0u;
#if PD_CODEC_BOUND
            if (!CODEC_HAS_OFF(r)) // else behind them
#endif
                if (plain != end) good = 0u;
        }
        at += 4u - PD_U64(k.packed_lo, k.packed_hi);
#if PD_CODEC_BOUND
        PD_BARRIER_ALL(); // the record is read
#endif
        if (l == 0u) {
#if PD_CODEC_BOUND
            if (CODEC_HAS_OFF(r)) {
                r[CODEC_OFF] = (pd_u32)plain;
                r[CODEC_OFF + 1u] = (pd_u32)(plain >> 32);
            }
#endif
            r[CODEC_SIZE] = codec_byte(stream, PD_U64(k.packed_lo, k.packed_hi) +
                                                   PD_U64(r[CODEC_BODY], r[CODEC_BODY + 1u]) + 1u,
                                       end); // most plain bits
            r[CODEC_BYTES] = good ? (pd_u32)(plain - PD_U64(k.packed_lo, k.packed_hi) - at) : 0u;
            r[CODEC_BODY] = (pd_u32)at;
            r[CODEC_BODY + 1u] = (pd_u32)(at >> 32);
            if (!good) {
                r[CODEC_MODE] = CODEC_BAD;
                codec_bad(status, block);
            }
        }
        PD_BARRIER_ALL();
    }
}

// Behind the block's end: 0, a word without plain bits that is 0.
PD_FN pd_u32 codec_token(PD_GPTR(const pd_u8) token, pd_u32 e, pd_u32 n)
{
    const pd_u32 t = token[e < n ? e : n - 1u];
    return e < n ? t : 0u;
}

// The word of a token whose plain bits begin with bit `at`.
PD_FN pd_u64 codec_value(PD_GPTR(const pd_u32) stream, pd_u32 token, pd_u64 at)
{
    const pd_u32 extra = codec_extra(token);
    return ((pd_u64)(token - 4u * extra) << extra) + codec_bits(stream, at, extra);
}

#if PD_HAS_WARPS
// An item's digits, from their tokens (low, high: plain bits of each) and the plain bits from bit
// `at` on; their sum. Those of differences (`delta`: 1, else 0) are unfolded.
#if CODEC_SHORT // each has at most 16 plain bits, or anything comes out
PD_FN pd_u32 codec_digits_of(pd_u32 d[8], PD_GPTR(const pd_u32) p, pd_u32 at, pd_u64 some,
                             pd_u32 low, pd_u32 high, pd_u32 delta)
{
    const pd_u32 leads[2] = {(pd_u32)some - (low << 2), (pd_u32)(some >> 32) - (high << 2)};
    pd_u64 window = codec_window(p, at), other = codec_window(p, at + codec_bytes_sum(low));
    pd_u32 sum = 0u, i;
    for (i = 0u; i < 8u; i++) {
        const pd_u32 lead = leads[i / 4u] >> (8u * (i & 3u)) & 255u;
        const pd_u32 extra = (i < 4u ? low : high) >> (8u * (i & 3u)) & 255u;
        pd_u32 z;
        if (i == 4u) window = other;
        z = lead * (1u << extra) + ((pd_u32)window & ((1u << extra) - 1u));
        window >>= extra;
        d[i] = z >> delta;
        if (z & delta) d[i] = ~d[i];
        sum += d[i];
    }
    return sum;
}
#else // widest: of those of the block
PD_FN pd_u64 codec_digits_of(pd_u64 d[8], PD_GPTR(const pd_u32) p, pd_u32 at, pd_u64 some,
                             pd_u32 low, pd_u32 high, pd_u32 delta, pd_u32 widest)
{
    const pd_u32 few = widest > 32u ? 0u : widest > 16u ? 1u : 3u; // of a window, less 1
    pd_u64 window = 0u, sum = 0u;
    pd_u32 i;
    for (i = 0u; i < 8u; i++) {
        const pd_u32 t = (pd_u32)(some >> (8u * i)) & 255u;
        const pd_u32 extra = ((i < 4u ? low : high) >> (8u * (i & 3u))) & 255u;
        if ((i & few) == 0u) window = codec_window(p, at);
        d[i] = (pd_u64)(t - 4u * extra) << extra | (window & (((pd_u64)1u << extra) - 1u));
        window >>= extra;
        at += extra;
        if (delta) d[i] = codec_unfold(d[i]);
        sum += d[i];
    }
    return sum;
}
#endif
#endif

PD_KERNEL_MIN(padic_k_codec_expand, PD_CODEC_WG, PD_CODEC_EXPANDERS)
(PD_CBUF(pd_u32, stream), PD_CBUF(pd_u32, record), PD_CBUF(pd_u32, tokens), PD_BUF(pd_u64, pairs),
 PD_BUF(pd_u32, status), PD_PARAMS(padic_k_codec_stream_params, k))
{
    PD_LOCAL pd_u64 each[288];
    PD_LOCAL pd_u64 part[72];
    PD_LOCAL pd_u32 held[CODEC_RECORD + 2u]; // as (scalar) registers are few
#if PD_HAS_WARPS
    PD_LOCAL pd_u64 tile[CODEC_SPREAD(2048u / CODEC_PER)];
    PD_LOCAL pd_u32 begins[257]; // bit where a group's plain bits begin, from a chunk's word on
#if CODEC_SHORT
    PD_LOCAL pd_u32 sums[16];
#endif
#else
    PD_LOCAL pd_u64 tile[CODEC_SPREAD(CODEC_TILE / CODEC_PER)];
#endif
#if CODEC_SHORT || !PD_HAS_WARPS
    PD_LPTR(codec_key) element = (PD_LPTR(codec_key))tile;
#endif
    const pd_u32 l = PD_LID, each_digit = k.each * (CODEC_EACH / CODEC_SUMS); // not unrolled
    pd_u32 block;
    for (block = PD_GRP; block < k.blocks; block += PD_NGRP) {
        PD_GPTR(const pd_u32) r = record + (pd_u64)block * CODEC_RECORD;
        PD_GPTR(const pd_u8) token = (PD_GPTR(const pd_u8))tokens + codec_start(block, k);
        const pd_u64 base = PD_U64(k.array_lo, k.array_hi) + codec_start(block, k);
        const pd_u32 n = codec_count(block, k);
        const pd_u32 whole = codec_start(block, k) % 4u == 0u ? 1u : 0u;
#if PD_HAS_WARPS
        pd_u64 key = CODEC_KEY_8(block);
#else
        const pd_u64 key = codec_seed(block) + l * CODEC_GOLDEN;
#endif
        pd_u64 bit = 8u * (PD_U64(k.packed_lo, k.packed_hi) +
                           PD_U64(r[CODEC_BODY], r[CODEC_BODY + 1u]));
        pd_u64 left = 8u * (pd_u64)r[CODEC_BYTES]; // plain bits
        pd_u64 sum = 0u, own_sum = 0u;
#if CODEC_SHORT || !PD_HAS_WARPS
        pd_u64 step;
#endif
#if !PD_HAS_WARPS
        pd_u64 first;
#endif
#if CODEC_QUICK
        const pd_u32 keep = ~(pd_u32)codec_fold_of(PD_CODEC_BOUND ? CODEC_FLOAT : k.kind);
#endif
        pd_u32 from, j, mode, shift, most = 0u; // most: plain bits of one word
#if PD_HAS_WARPS
        pd_u32 chunk, turn = 0u, above = 0u;
        pd_u64 next;
#if CODEC_SHORT
        pd_u64 limit, reach;
        pd_u32 slim;
#endif
#endif
#if PD_CODEC_BOUND
        pd_f32 scale;
#endif
        if (r[CODEC_MODE] == CODEC_BAD || r[CODEC_WIDTH] != CODEC_CODED) continue;
        if (l < CODEC_RECORD) held[l] = r[l];
        PD_BARRIER();
        mode = held[CODEC_MODE];
        shift = held[CODEC_SHIFT];
#if CODEC_SHORT || !PD_HAS_WARPS
        step = PD_U64(held[CODEC_FACTOR], held[CODEC_FACTOR + 1u]);
#endif
#if !PD_HAS_WARPS
        first = PD_U64(held[CODEC_FIRST], held[CODEC_FIRST + 1u]);
#endif
#if PD_CODEC_BOUND
        scale = PD_AS_F32(held[CODEC_SCALE]);
#endif
#if PD_HAS_WARPS
#if CODEC_SHORT
        // How large the first word of an item may be, where none can have more than 32 bits; or 0.
        limit = (pd_u64)1u << (CODEC_SCALE_HERE != 0.0f ? 24u : 31u);
        reach = held[CODEC_SIZE] <= 16u && shift < 32u && step >> 32 == 0u
                    ? step * 8u << (held[CODEC_SIZE] + 3u)
                    : limit;
        if (l == 0u) held[CODEC_RECORD] = reach < limit ? (pd_u32)(limit - reach) : 0u;
        PD_BARRIER();
        slim = held[CODEC_RECORD];
#endif
        for (chunk = 0u; chunk < n; chunk += 256u * CODEC_GROUP) {
            const pd_u32 end = n - chunk < 256u * CODEC_GROUP ? n : chunk + 256u * CODEC_GROUP;
            PD_GPTR(const pd_u32) p = stream + (bit >> 5);
            codec_begins(token, whole, chunk, n, (pd_u32)bit & 31u, each, part, begins);
            j = begins[256] - ((pd_u32)bit & 31u);
            if (j > left) {
                left = 8u; // more than what fills up a byte
                break;
            }
            left -= j;
            bit += j;
            next = codec_eight_tokens(token, whole, chunk + 8u * l, n);
            for (from = chunk; from < end; from += 2048u) {
                const pd_u32 e = from + 8u * l;
                const pd_u64 some = next;
                pd_u32 low = codec_extras((pd_u32)some), high = codec_extras((pd_u32)(some >> 32));
                pd_u32 at = codec_bytes_sum(low) + codec_bytes_sum(high), own = at, i;
                codec_bare d[8];
                pd_u64 x = 0u, all, first_here, step_here;
                for (i = 1u; i < 32u; i *= 2u) own = PD_SUM_UP(own, i);
                at = begins[(from - chunk) / CODEC_GROUP + l / 32u] + own - at;
                next = codec_eight_tokens(token, whole, e + 2048u, n); // asked for early
                i = 0x01010101u * (127u - (held[CODEC_SIZE] & 63u));
                above |= (low + i) | (high + i); // its bits 7, 15, 23, 31
#if CODEC_SHORT
                if (slim) {
                    low &= 0x1f1f1f1fu; // no shift is larger, whatever a token is
                    high &= 0x1f1f1f1fu;
                }
                if (slim) {
                    pd_u32 total;
                    const pd_u32 sum_here = codec_digits_of(
                        d, p, at, some, low, high, mode == CODEC_DELTA ? 1u : 0u);
                    if (mode == CODEC_DELTA) {
                        x = (pd_u64)(pd_i64)(pd_i32)codec_tile_before32(sums + turn, sum_here,
                                                                        &total) + sum;
                        sum += (pd_u64)(pd_i64)(pd_i32)total;
                    }
                } else if (mode == CODEC_DELTA) {
                    pd_u32 behind = at;
                    for (j = 0u; j < each_digit; j++) {
                        const pd_u32 t = (pd_u32)(some >> (8u * j)) & 255u;
                        x += codec_unfold(codec_value(p, t, behind));
                        behind += codec_extra(t);
                    }
                    x = codec_tile_before(part + 36u + turn, x, &all) + sum;
                    sum += all;
                }
                first_here = PD_U64(held[CODEC_FIRST], held[CODEC_FIRST + 1u]);
                step_here = PD_U64(held[CODEC_FACTOR], held[CODEC_FACTOR + 1u]);
                own = held[CODEC_RECORD];
                if (own && e + 8u <= n && first_here + step_here * x + own < 2u * (pd_u64)own) {
                    codec_make(tile, d, (pd_u32)(first_here + step_here * x), (pd_u32)step_here,
                               mode == CODEC_DELTA ? 1u : 0u, shift, keep, CODEC_SCALE_HERE);
                } else {
                    for (j = 0u; j < each_digit; j++) {
                        const pd_u32 t = (pd_u32)(some >> (8u * j)) & 255u;
                        pd_u64 z = codec_value(p, t, at);
                        at += codec_extra(t);
                        if (mode == CODEC_DELTA) {
                            x += codec_unfold(z);
                            z = x;
                        }
#if PD_CODEC_BOUND
                        if (scale != 0.0f) {
                            z = first_here + step_here * z;
                            if (e + j < n && codec_wild(z)) most = 64u;
                            z = codec_unscaled((codec_num)z, scale);
                        } else
#endif
                            z = codec_element(z, first_here, step_here, CODEC_PLAIN, shift, k.kind);
                        element[CODEC_SPREAD((8u * l + j) / CODEC_PER) * CODEC_PER +
                                (8u * l + j) % CODEC_PER] = (codec_key)(e + j < n ? z : 0u);
                    }
                }
#else
                (void)each_digit;
                x = codec_digits_of(d, p, at, some, low, high, mode == CODEC_DELTA ? 1u : 0u,
                                    held[CODEC_SIZE]);
                if (mode == CODEC_DELTA) {
                    x = codec_tile_before(part + 36u + turn, x, &all) + sum;
                    sum += all;
                }
                first_here = PD_U64(held[CODEC_FIRST], held[CODEC_FIRST + 1u]);
                step_here = PD_U64(held[CODEC_FACTOR], held[CODEC_FACTOR + 1u]);
                for (i = 0u; i < 8u; i++) {
                    pd_u64 z = d[i];
                    if (mode == CODEC_DELTA) {
                        x += z;
                        z = x;
                    }
#if PD_CODEC_BOUND
                    if (scale != 0.0f) {
                        z = first_here + step_here * z;
                        if (e + i < n && codec_wild(z)) most = 64u;
                        z = codec_unscaled((codec_num)z, scale);
                    } else
#endif
                        z = codec_element(z, first_here, step_here, CODEC_PLAIN, shift, k.kind);
                    tile[CODEC_SPREAD(8u * l + i)] = e + i < n ? z : 0u;
                }
#endif
                turn = 8u - turn;
                PD_BARRIER_WARP();
                own_sum += codec_store_8(pairs, tile, base, from, n, key);
                key += CODEC_NEXT_8;
                PD_BARRIER_WARP();
            }
            PD_BARRIER(); // the begins were read
        }
        if (above & 0x80808080u) most = 64u;
#else
        for (from = 0u; from < n; from += CODEC_TILE) {
            const pd_u32 e = from + l * CODEC_EACH;
            PD_GPTR(const pd_u32) p = stream + (bit >> 5);
            pd_u64 some = 0u, x = 0u; // some: tokens; behind the end 0, without plain bits
            pd_u32 at, here = 0u, own = 0u;
#if CODEC_QUICK
            pd_u32 d[CODEC_EACH], quick, i;
#endif
            if (whole && e + CODEC_EACH <= n) {
                PD_GPTR(const pd_u32) four = tokens + (codec_start(block, k) + e) / 4u;
                some = CODEC_EACH > 4u ? PD_U64(four[0], four[CODEC_EACH / 4u - 1u]) : four[0];
            } else {
                for (j = 0u; j < each_digit; j++)
                    if (e + j < n) some |= (pd_u64)token[e + j] << (8u * j);
            }
            for (j = 0u; j < CODEC_EACH; j++) {
                const pd_u32 extra = codec_extra((pd_u32)(some >> (8u * j)) & 255u);
                here += extra;
                own = extra > own ? extra : own;
            }
            most = own > most ? own : most;
            at = codec_before32(each, part, here) + ((pd_u32)bit & 31u);
            here = (pd_u32)CODEC_TOTAL(part);
            CODEC_AGAIN();
            if (here > left) {
                left = 8u; // more than what fills up a byte
                break;
            }
            bit += here;
            left -= here;
#if CODEC_QUICK
            quick = own <= 20u && shift < 32u && e + CODEC_EACH <= n ? 1u : 0u;
            if (quick) {
                pd_u32 behind = at, all = 0u;
                const pd_u32 few = own > 16u ? 1u : 3u; // elements of a window, less 1
                pd_u64 window = 0u;
                for (i = 0u; i < CODEC_EACH; i++) {
                    const pd_u32 t = (pd_u32)(some >> (8u * i)) & 255u, extra = codec_extra(t);
                    if ((i & few) == 0u) window = codec_window(p, behind);
                    d[i] = (t - 4u * extra) << extra | ((pd_u32)window & ((1u << extra) - 1u));
                    window >>= extra;
                    behind += extra;
                    if (mode == CODEC_DELTA) d[i] = d[i] >> 1 ^ (0u - (d[i] & 1u));
                    all += d[i];
                }
                x = (pd_u64)(pd_i64)(pd_i32)all;
            } else
#endif
                if (mode == CODEC_DELTA) {
                pd_u32 behind = at;
                for (j = 0u; j < each_digit; j++) {
                    const pd_u32 t = (pd_u32)(some >> (8u * j)) & 255u;
                    x += codec_unfold(codec_value(p, t, behind));
                    behind += codec_extra(t);
                }
            }
            if (mode == CODEC_DELTA) {
                x = codec_before(each, part + 36u, x) + sum;
                sum += CODEC_TOTAL(part + 36u);
                CODEC_AGAIN();
            } else {
                PD_BARRIER();
                x = 0u;
            }
#if CODEC_QUICK
            if (quick && codec_tame(first + step * x, step, own + 3u, CODEC_SCALE_HERE)) {
                codec_make(tile, d, (pd_u32)(first + step * x), (pd_u32)step,
                           mode == CODEC_DELTA ? 1u : 0u, shift, keep, CODEC_SCALE_HERE);
            } else
#endif
                for (j = 0u; j < each_digit; j++) {
                    const pd_u32 t = (pd_u32)(some >> (8u * j)) & 255u;
                    pd_u64 z = codec_value(p, t, at);
                    at += codec_extra(t);
                    if (mode == CODEC_DELTA) {
                        x += codec_unfold(z);
                        z = x;
                    }
#if PD_CODEC_BOUND
                    if (scale != 0.0f) {
                        z = first + step * z;
                        if (e + j < n && codec_wild(z)) most = 64u;
                        z = codec_unscaled((codec_num)z, scale);
                    } else
#endif
                        z = codec_element(z, first, step, CODEC_PLAIN, shift, k.kind);
                    element[CODEC_SPREAD((l * CODEC_EACH + j) / CODEC_PER) * CODEC_PER +
                            (l * CODEC_EACH + j) % CODEC_PER] = (codec_key)(e + j < n ? z : 0u);
                }
            CODEC_TEAM_BARRIER();
            own_sum += codec_store(pairs, tile, base, from, n, key, CODEC_WORDS);
            CODEC_TEAM_BARRIER();
        }
#endif
        if (left > 7u || codec_bits(stream, bit, (pd_u32)left)) most = 64u;
        most = (pd_u32)codec_all(each, most, CODEC_MOST);
        sum = codec_all(each, own_sum, CODEC_ADD) +
              codec_sum_end((pd_u64)n * PD_CODEC_SIZE, block);
        if (l == 0u && (most > r[CODEC_SIZE] ||
                        (!CODEC_HAS_OFF(r) && sum != PD_U64(r[CODEC_SUM], r[CODEC_SUM + 1u]))))
            codec_bad(status, block);
        PD_BARRIER();
    }
}

// ---- exceptions

// One list of `count` words, an item each, from `at` on, which then is behind it. 0: it is none, or
// not as a packer of the profiles writes it.
PD_FN pd_u32 codec_take_list(PD_GPTR(const pd_u32) stream, PD_LPTR(pd_u64) each,
                             PD_LPTR(pd_u64) part, pd_u64 *place, pd_u64 end, pd_u32 count,
                             pd_u64 *z)
{
    const pd_u32 l = PD_LID;
    const pd_u64 at = *place;
    const pd_u32 widest = codec_byte(stream, at + 1u, end);
    const pd_u32 token = l < count ? codec_byte(stream, at + 3u + l, end) : 0u;
    const pd_u32 extra = codec_extra(token);
    const pd_u64 from = at + 7u + count;
    const pd_u32 most = (pd_u32)codec_all(each, extra, CODEC_MOST);
    pd_u64 before;
    pd_u32 all, size, good;
    PD_BARRIER();
    before = codec_before(each, part, extra);
    all = (pd_u32)CODEC_TOTAL(part);
    PD_BARRIER();
    good = from <= end && codec_byte(stream, at, end) == 2u &&
                   codec_byte(stream, at + 2u, end) == 0u && most <= widest && widest < 62u
               ? 1u
               : 0u;
    size = good ? (pd_u32)codec_take(stream, at + 3u + count, 4u) : 0u;
    if (size != (all + 7u) / 8u || from + size > end) good = 0u;
    if (good && codec_bits(stream, 8u * from + all, 8u * size - all)) good = 0u;
    *place = from + size;
    *z = 0u;
    if (good && l < count) {
        *z = token;
        if (token >= 8u)
            *z = ((pd_u64)((token & 3u) | 4u) << extra) +
                 codec_bits(stream, 8u * from + before, extra);
    }
    return good;
}

// Puts them back and compares the checksum of the block.
PD_KERNEL_WG(padic_k_codec_mend, PD_CODEC_WG)
(PD_CBUF(pd_u32, stream), PD_CBUF(pd_u32, record), PD_BUF(pd_u64, pairs), PD_BUF(pd_u32, status),
 PD_PARAMS(padic_k_codec_stream_params, k))
{
    PD_LOCAL pd_u64 each[288];
    PD_LOCAL pd_u64 part[36];
    PD_GPTR(codec_key) keys = (PD_GPTR(codec_key))pairs;
    const pd_u32 l = PD_LID;
    pd_u32 block;
    for (block = PD_GRP; block < k.blocks; block += PD_NGRP) {
        PD_GPTR(const pd_u32) r = record + (pd_u64)block * CODEC_RECORD;
        const pd_u64 base = PD_U64(k.array_lo, k.array_hi) + codec_start(block, k);
        const pd_u32 n = codec_count(block, k);
        const pd_u64 frame = PD_U64(k.packed_lo, k.packed_hi) +
                             PD_U64(r[CODEC_AT], r[CODEC_AT + 1u]);
        pd_u64 at = PD_U64(r[CODEC_OFF], r[CODEC_OFF + 1u]), end, gap = 0u, value = 0u, e, sum = 0u;
        pd_u32 count, good, q, j;
        if (r[CODEC_MODE] == CODEC_BAD || (r[CODEC_OFF] | r[CODEC_OFF + 1u]) == 0u) continue;
        end = frame + 8u + codec_take(stream, frame, 4u);
        good = at + 5u <= end ? 1u : 0u;
        count = good ? (pd_u32)codec_take(stream, at, 4u) : 0u;
        if (count == 0u || count > CODEC_OFF_MOST || codec_byte(stream, at + 4u, end)) good = 0u;
        if (!good) count = 0u;
        at += 5u;
        PD_BARRIER();
        for (j = 0u; j < 2u; j++) { // of gaps, of elements
            gap = value;
            if (!codec_take_list(stream, each, part, &at, end, count, &value)) {
                good = count = 0u;
                at = end;
            }
            PD_BARRIER();
        }
        if (at != end) good = 0u;
        if (codec_all(each, gap >= n ? 1u : 0u, CODEC_MOST)) {
            good = 0u;
            gap = 0u;
        }
        PD_BARRIER();
        e = codec_before(each, part, gap + 1u) + gap;
        if (codec_all(each, l < count && e >= n ? 1u : 0u, CODEC_MOST)) good = 0u;
        if (good && l < count) keys[base + e] = (codec_key)value;
        PD_BARRIER_ALL();
        for (q = l; q * CODEC_PER < n; q += 256u) {
            pd_u64 x = 0u;
            for (j = 0u; j < CODEC_PER; j++)
                if (q * CODEC_PER + j < n)
                    x |= (pd_u64)keys[base + q * CODEC_PER + j] << (j * (CODEC_BITS & 63u));
            sum += codec_mix(x ^ (codec_seed(block) + q * CODEC_GOLDEN));
        }
        sum = codec_all(each, sum, CODEC_ADD) + codec_sum_end((pd_u64)n * PD_CODEC_SIZE, block);
        if (l == 0u && (!good || sum != PD_U64(r[CODEC_SUM], r[CODEC_SUM + 1u])))
            codec_bad(status, block);
        PD_BARRIER();
    }
}

// ---- the proof of a packer

#if PD_CODEC_BOUND
// Whether both are numbers that are no further apart than `within`, exactly. What a scale makes is
// 0 or above the bound, so that of others one is not far above the other.
PD_FN pd_u32 codec_is_near(codec_bare x, codec_bare y, pd_f32 within)
{
    const codec_bare a = x & CODEC_HIGHEST, b = y & CODEC_HIGHEST;
    const codec_bare large = a > b ? a : b, small = a > b ? b : a;
#if PD_CODEC_SIZE == 8
    const codec_bare unit = (codec_bare)1u << 52; // of an exponent
    pd_u32 high = (pd_u32)(large >> 52), low = (pd_u32)(small >> 52);
    const pd_u32 above = (PD_AS_U32(within) >> 23) + 925u, none = 2047u;
#else
    const codec_bare unit = (codec_bare)1u << 23;
    pd_u32 high = large >> 23, low = small >> 23;
    const pd_u32 above = PD_AS_U32(within) >> 23, none = 255u;
#endif
    const pd_u32 most = (PD_AS_U32(within) & 0x7fffffu) | 0x800000u;
    pd_u64 d = (large & (unit - 1u)) + (high ? unit : 0u);
    const pd_u64 s = (small & (unit - 1u)) + (low ? unit : 0u);
    if (high == none) return 0u;
    high = high ? high : 1u; // below the least exponent there are fewer digits
    low = s == 0u ? high : low ? low : 1u;
    if (high - low > 8u) return 0u;
    d = (x ^ y) > CODEC_HIGHEST ? (d << (high - low)) + s : (d << (high - low)) - s;
    if (above >= low) return above - low > 39u || d <= (pd_u64)most << (above - low) ? 1u : 0u;
    return low - above < 24u ? (d <= most >> (low - above) ? 1u : 0u) : (d == 0u ? 1u : 0u);
}
#endif

// Compares the array with what unpacking made of its stream; and the header. Groups in y have a
// part of each block.
#define CODEC_PROOF 8192u // elements
PD_KERNEL_WG(padic_k_codec_prove, PD_CODEC_WG)
(PD_CBUF(codec_key, keys), PD_CBUF(pd_u64, pairs), PD_CBUF(codec_key, back),
 PD_CBUF(pd_u64, back_pairs), PD_CBUF(pd_u32, stream), PD_BUF(pd_u32, status),
 PD_PARAMS(padic_k_codec_stream_params, k))
{
    PD_LOCAL pd_u32 head[CODEC_HEAD];
    const pd_u32 first = PD_GRP_Y * (CODEC_PROOF / CODEC_PER) + PD_LID;
    pd_u32 block, i;
    if (PD_LID == 0u) // Mesa 22.3 crashes where an index into params differs between items
        for (i = 0u; i < CODEC_HEAD; i++) head[i] = k.head[i];
    PD_BARRIER();
    if (PD_GRP == 0u && PD_GRP_Y == 0u && 4u * PD_LID < k.head_size &&
        codec_take(stream, PD_U64(k.packed_lo, k.packed_hi) + 4u * PD_LID, 4u) != head[PD_LID])
        status[2] = 1u;
    for (block = PD_GRP; block < k.blocks; block += PD_NGRP) {
        const pd_u64 start = codec_start(block, k);
        const pd_u64 base = PD_U64(k.array_lo, k.array_hi) + start;
        const pd_u32 n = codec_count(block, k);
        pd_u32 q, bad = 0u;
        for (i = 0u, q = first; i < CODEC_PROOF / CODEC_PER && q * CODEC_PER < n;
             i += 256u, q += 256u) {
            const pd_u64 x = codec_word(keys, pairs, base, q, n);
            const pd_u64 y = codec_word(back, back_pairs, start, q, n);
#if PD_CODEC_BOUND
            pd_u32 j;
            for (j = 0u; j < CODEC_PER && x != y; j++) {
                const codec_bare was = (codec_key)(x >> (j * (CODEC_BITS & 63u)));
                const codec_bare is = (codec_key)(y >> (j * (CODEC_BITS & 63u)));
                if (was != is && (codec_is_off(was, CODEC_MOST_SCALED) ||
                                  !codec_is_near(was, is, k.within)))
                    bad = 1u;
            }
#else
            if (x != y) bad = 1u;
#endif
        }
        if (bad) codec_bad(status, block);
    }
}

// Makes the blocks raw that did not come back; status[2] becomes how many.
PD_KERNEL_WG(padic_k_codec_redo, PD_CODEC_WG)
(PD_CBUF(codec_key, keys), PD_CBUF(pd_u64, pairs), PD_BUF(pd_u8, width), PD_BUF(pd_u32, record),
 PD_BUF(pd_u32, status), PD_PARAMS(padic_k_codec_stream_params, k))
{
    PD_LOCAL pd_u64 each[256];
    const pd_u32 l = PD_LID;
    pd_u32 block;
    for (block = PD_GRP; block < k.blocks; block += PD_NGRP) {
        PD_GPTR(pd_u32) r = record + (pd_u64)block * CODEC_RECORD;
        const pd_u64 base = PD_U64(k.array_lo, k.array_hi) + codec_start(block, k);
        const pd_u32 n = codec_count(block, k);
        pd_u64 sum = 0u;
        pd_u32 q;
        if (!status[CODEC_STATUS + block]) continue;
        for (q = l; q * CODEC_PER < n; q += 256u)
            sum += codec_mix(codec_word(keys, pairs, base, q, n) ^
                             (codec_seed(block) + q * CODEC_GOLDEN));
        sum = codec_all(each, sum, CODEC_ADD) + codec_sum_end((pd_u64)n * PD_CODEC_SIZE, block);
        for (q = l; q * CODEC_GROUP < n; q += 256u)
            width[(pd_u64)block * k.groups + q] = (pd_u8)CODEC_BITS;
        if (l == 0u) {
            for (q = 0u; q < CODEC_RECORD; q++) r[q] = 0u;
            r[CODEC_SIZE] = n * PD_CODEC_SIZE + 9u;
            r[CODEC_MODE] = CODEC_RAW;
            r[CODEC_SUM] = (pd_u32)sum;
            r[CODEC_SUM + 1u] = (pd_u32)(sum >> 32);
            r[CODEC_WIDTH] = CODEC_BITS;
            r[CODEC_BYTES] = n * PD_CODEC_SIZE;
            PD_ATOMIC_ADD_G(status + 2, 1u);
        }
        PD_BARRIER();
    }
}
