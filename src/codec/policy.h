#pragma once
#include "../core/platform.h"

#ifndef PADIC_NO_CODEC

// The differences between levels: how much the packer tries, and what a slowly decoded choice has
// to save. Shares are of 256.

#define PADICI_CODEC_EXCEPTIONS 3u     // a transform may have at most 1 / this of exceptions
#define PADICI_CODEC_EXCEPTION_BITS 14u // estimated cost of each
#define PADICI_CODEC_DECIMAL_LONG 1e6  // above this scale a fraction is searched for, too
#define PADICI_CODEC_COLUMNS_MOST 32u  // of records for which columns are the only choice
#define PADICI_CODEC_REPEAT_BITS 28u   // cost of a repeat
#define PADICI_CODEC_RUN_LENGTH 16u    // runs are packed where their mean length is greater
#define PADICI_CODEC_RUNS_ALONE 64u     // and first from this mean length on, on fast levels
#define PADICI_CODEC_HINT_MATCH 176u   // share of a payload at which repeats alone are tried,
#define PADICI_CODEC_HINT_NONE 232u    // and above which none are searched for
#define PADICI_CODEC_UNIT_BITS 2u      // trailing zero bits of a word from which UNIT is tried
#define PADICI_CODEC_SYMBOL_BITS 9u    // of a symbol in a table of rANS
#define PADICI_CODEC_RANS_BITS (32u * 34u) // of its states and its offset
// Least elements of a block for smooth fields (with at most so many bits per element otherwise),
// interpolation, and what the features call a large block.
#define PADICI_CODEC_SMOOTH_LEAST 1024u
#define PADICI_CODEC_SMOOTH_BITS 5u
// Repeats that save less than 1 / 2^(this - 18) of a smooth field are not searched for, nor words'
// repeats within a tolerance, at fast levels, that save less than 1 / that of the best payload.
#define PADICI_CODEC_SMOOTH_GAIN 21u
#define PADICI_CODEC_BOUNDED_GAIN 8u
// Estimates of smooth fields and of others for 1,024 elements that differ by less (0.05 bits per
// element) do not decide, where both may be packed.
#define PADICI_CODEC_SMOOTH_SLACK 13107u
#define PADICI_CODEC_INTERPOLATE_LEAST 4096u
#define PADICI_CODEC_LARGE_BLOCK 8192u
// A greedy parse that does not promise to save 1 / this is not packed.
#define PADICI_CODEC_MATCHES_GAIN 128u
// Least words for a table of them, and bytes of a stream for contexts and for repeats.
#define PADICI_CODEC_TABLE_LEAST 1024u
#define PADICI_CODEC_CONTEXT_LEAST 2048u
#define PADICI_CODEC_REPEAT_LEAST 1024u

// A block follows the first one of its group while its predictor costs at most 1 / COST more beside
// plain differences than there, repeats save 1 / SAVES, those of upper parts and of bytes take at
// most 1 / SHARE more, and while not so much more of it (of 256) repeats.
#define PADICI_CODEC_FOLLOW_LEAST 128u // in 1/256 bits per word: smaller ones tell nothing
#define PADICI_CODEC_FOLLOW_COST 12u
#define PADICI_CODEC_FOLLOW_SAVES 16u
#define PADICI_CODEC_FOLLOW_SHARE 4u
#define PADICI_CODEC_FOLLOW_REPEATS 12u
#define PADICI_CODEC_FOLLOW_NONE 4u // so little (of 256) of the first one that none look

// How repeats of elements are found.
enum {
    PADICI_CODEC_PARSE_FAST,    // only at the first place, in the elements themselves
    PADICI_CODEC_PARSE_SKIP,    // greedily, fewer places where nothing repeats
    PADICI_CODEC_PARSE_LAZY,    // a match at the next element is tried first
    PADICI_CODEC_PARSE_CHEAPEST // the cheapest parse by price
};

typedef struct padici_codec_policy {
    struct { // Features that a reader needs.
        uint8_t contexts; // coder CONTEXT: 0 not, 1 within a tolerance in large blocks, 2 yes
        uint8_t
            repeats; // coder REPEAT in large blocks: 1 of floats and within a tolerance, 2 of all
        uint8_t linear;   // predictor LINEAR in large blocks
        uint8_t bounded;  // pattern MATCH within a tolerance, too
        uint8_t window;   // and over earlier blocks: the logarithm of a super-block's elements
    } features;
    struct { // The shape of blocks; see choose_blocks.c.
        uint8_t apart;  // unrelated slices are not joined
        uint8_t trial;  // the level that packs some blocks of other shapes; 0: none are tried
        uint8_t share;  // one of so many blocks
        uint8_t axes;   // fewest for blocks balanced in all of them; 0: none
        uint8_t saves;  // these must save 1 / this
        uint8_t larger; // blocks may grow by 4^this
    } blocks;
    struct { // Reuse of the first block of a group.
        uint8_t follow;  // blocks reuse the choice of the first of their group: 1 transform and
                         // predictor, 2 also what made its payload
        uint8_t matches; // where repeats made that much smaller, only they are tried
        uint8_t probe;   // the share (of 256) of repeats from which they are searched for
    } hints;
    struct { // Transforms of elements to words.
        uint8_t tried;      // cheapest by estimate that are packed
        uint8_t lattice;    // bits of the longest n of a binary lattice
        uint8_t binary;     // one that saves 1 / this ends the search; 0: never
        uint8_t half;       // other lattices of 16-bit floats are searched for
        uint8_t half_price; // theirs cost cost >> this more, as they are slow; 0: none
        uint8_t columns;    // records by columns: 0 not, 1 yes, else where they differ by as many
                            // 1/256 bits
        uint8_t distances;  // columns also for arrays without such an axis
        uint8_t sample;     // 1 / this of a column's elements determine its lattice
        uint8_t again;      // share of repeats at which plain bits are tried after a lattice with
                            // exceptions; 0: never
        uint8_t smooth;     // smooth fields within a tolerance: 0 not, 1 by estimate, 2 in all
                            // blocks and in several orders of axes
        uint8_t smooth_rival; // what else is not more than 1 / this dearer by estimate is packed,
                              // too; 0: nothing
    } transforms;
    struct { // Predictors.
        uint32_t candidates;   // rows of padici_codec_candidates
        uint8_t all;           // also unpromising ones
        uint8_t tried;         // cheapest by estimate that are packed,
        uint8_t rival;         // unless the first is cheaper by 1 / this; 0: they are
        uint8_t fourth;        // fourth differences also rate transforms
        uint8_t longer;        // chains of differences grow as long as that saves
        uint8_t interpolate;   // interpolation within a tolerance
        uint8_t median_price;  // MEDIAN must save for its decoding time
        uint8_t linear_gain;   // LINEAR must save 1 / this by estimate; 0: anything
        uint8_t linear_size;   // and 1 / this of the payload; 0: anything
        uint8_t linear_price;  // surcharge on its estimates, as a shift; 0: none
        uint8_t linear_turns;  // stretches of the first fit, of 64
        uint8_t linear_passes; // number of refits
        uint8_t linear_axes;   // neighbours on fewer axes are tried, too, and more of them
    } predictors;
    struct { // Repeats of elements (MATCH) and of words (LZ).
        uint8_t parse;        // how MATCH is found
        uint8_t depth;        // places compared,
        uint8_t dear;         // the same for expensive literals; these places are closer together;
                              // 1: always
        uint8_t pick;         // one of 2^this elements is tried before all others
        uint8_t share;        // share (of 256) of those that must repeat
        uint8_t upper;        // upper parts of floats are searched,
        uint8_t upper_more;   // which must repeat so much more often than all of them
        uint8_t upper_share;  // or this often, unless 0
        uint8_t upper_one;    // one split alone is tried
        uint8_t words_share;  // share of words that must repeat before prediction; 0: not tried,
        uint8_t after_share;  // and after it,
        uint8_t after_whole;  // of integers
        uint16_t words_depth; // places that are compared
        uint8_t words_skip;   // fewer words are searched where nothing repeats
    } patterns;
    struct { // Representation of words and coders of bytes. What must save for the time to read it
        // costs cost >> N more, with N below; N 0: nothing.
        uint8_t packed;        // only fixed widths: no Huffman, no rANS
        uint8_t table;         // tables of distinct words
        uint8_t huffman_price; // N of Huffman
        uint8_t rans_price;    // of rANS; within a tolerance N is 5, plus a tenth of a bit per byte
        uint8_t context_price; // of rANS with contexts
        uint8_t repeat_price;  // of repeats of bytes
        uint8_t bounded_fast;  // within a tolerance less is tried, and must save more
        uint8_t context_pairs; // pairs of neighbours that contexts are tried with,
        uint8_t context_whole; // on the whole stream
        uint8_t repeat_share;  // repeats of bytes must promise block >> this,
        uint16_t repeat_depth; // search depth,
        uint8_t repeat_skip;   // fewer bytes are searched where nothing repeats
    } coders;
} padici_codec_policy;

// The row of a level; profiles have none and get that of level 1.
PADICI_FN const padici_codec_policy *padici_codec_policy_of(uint32_t level);

#endif
