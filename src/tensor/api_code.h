#pragma once
// ------------------------------------------------------------------------------------- >>code API
//
// Perfect tensors and the holographic codes made of them (Pastawski, Yoshida, Harlow, Preskill
// 1503.06237). All of it is integer, D0, on the CPU; but padic_tensor_perfect_check() is F64, D1.

// The six-leg perfect tensor T_b = 2^-3 prod over edges (-1)^{b_i b_j} of the wheel graph: hub 0,
// joined to the ring 1..5. Equivalent to the [[5,1,3]] code with leg 0 as its input. `tensor` has
// shape (2, 2, 2, 2, 2, 2), any of F32, F64, C64, C128, in host memory.
// Errors: ARGUMENT, DTYPE, MISMATCH (another shape).
PADIC_API padic_result padic_tensor_perfect(padic_context *context, const padic_tensor *tensor);

// How far a tensor of 2, 4, 6 or 8 equal extents is from perfect: with M the tensor as a matrix and
// c the mean of the diagonal of M M^dagger, the largest |M M^dagger - c 1|/c of all splits of the
// legs in halves. 0: perfect. In host memory. Errors: ARGUMENT, DTYPE, MISMATCH (number of legs,
// extents that differ), DOMAIN (zero or not finite).
PADIC_API padic_result padic_tensor_perfect_check(padic_context *context,
                                                  const padic_tensor *tensor, double *deviation);

typedef enum padic_tensor_code {
    PADIC_TENSOR_PENTAGON = 0, // {5,4}: slot 0 is a bulk leg, slots 1..5 counter-clockwise from the
                               // inward one
    PADIC_TENSOR_HEXAGON = 1   // {6,4}: slots 0..5 from the inward one, no bulk leg
} padic_tensor_code;

// A code: tiles, each a padic_tensor_perfect() whose legs are its six slots. Layer 1 has a tile on
// every edge of the first one. Then, going round counter-clockwise, each tile puts new tiles on its
// middle outward legs, and one on its last outward leg and the first one of its successor (which
// meets the new tile's first slot, its own the second). Boundary legs are numbered in that order.
#define PADIC_TENSOR_HAPPY_LEG 0x80000000u  // + number of the boundary leg
#define PADIC_TENSOR_HAPPY_BULK 0x40000000u // + number of the tile
typedef struct padic_tensor_happy {
    uint32_t code, layers; // given: padic_tensor_code, 0 to 8
    uint32_t *links; // 6 a tile: what a slot is joined to, 6 tile + slot, or one of the above
    uint64_t link_capacity; // in words; links NULL: only the counts are wanted
    uint32_t tiles, legs;   // results
} padic_tensor_happy;
// Errors: ARGUMENT; CAPACITY, with the counts set.
PADIC_API padic_result padic_tensor_happy_build(padic_context *context, padic_tensor_happy *happy);

// The stabilisers of the encoded state. Qubits: the boundary legs, then the open bulk legs by tile.
// bulk[t] says what tile t's is: 0 open; 1, 2 the +1, -1 eigenstate of X; 3, 4 of Y; 5, 6 of Z.
// NULL: all open. Row r: `words` words of X bits, then as many of Z bits, and a sign (1: minus);
// both bits are Y. Errors: ARGUMENT; CAPACITY, with qubits and words set (rows
// NULL: only these); MEMORY.
typedef struct padic_tensor_tableau {
    uint64_t *rows;        // qubits x 2 x words
    uint8_t *signs;        // qubits
    uint64_t row_capacity; // words of `rows`
    uint32_t qubits, words;
} padic_tensor_tableau;
PADIC_API padic_result padic_tensor_happy_encode(padic_context *context,
                                                 const padic_tensor_happy *happy,
                                                 const uint8_t *bulk,
                                                 padic_tensor_tableau *tableau);

// Entropy of the qubits in `part` (bit q of part[q / 64]), in units of ln 2: the rank over GF(2) of
// the rows cut to them, minus their number. Errors: ARGUMENT (bits beyond the qubits); MEMORY.
PADIC_API padic_result padic_tensor_happy_entropy(padic_context *context,
                                                  const padic_tensor_tableau *tableau,
                                                  const uint64_t *part, uint32_t *entropy);

// The fewest links that part the boundary legs in `part` from the others, by maximal flow. side
// (optional, one byte a tile): 1 for the tiles that are then on the side of `part`, as few as can
// be. edges (optional, *cut of them, at most `legs`): a slot 6 tile + slot of each link cut.
// Errors: ARGUMENT (no code, bits beyond the legs), MEMORY.
PADIC_API padic_result padic_tensor_happy_cut(padic_context *context,
                                              const padic_tensor_happy *happy,
                                              const uint64_t *part, uint32_t *cut, uint8_t *side,
                                              uint32_t *edges);

// The greedy wedge of the boundary legs in `part`: a tile joins when at least half of its legs (not
// the bulk leg; rounded up) are in `part` or lead to tiles that have joined. inside: a byte a tile.
// *tiles (optional): how many joined. Errors: ARGUMENT (no code, bits beyond the legs).
PADIC_API padic_result padic_tensor_happy_wedge(padic_context *context,
                                                const padic_tensor_happy *happy,
                                                const uint64_t *part, uint8_t *inside,
                                                uint32_t *tiles);

