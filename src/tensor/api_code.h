#pragma once
// ------------------------------------------------------------------------------------- >>code API
//
// Perfect tensors and the holographic codes made of them (Pastawski, Yoshida, Harlow, Preskill
// 1503.06237). All of it is integer, D0, on the CPU; but padic_tensor_perfect_check() is F64, D1.
// Arrays are dense and lie in host memory (NOT_SUPPORTED otherwise); those of U64 words are masks.

// The six-leg perfect tensor T_b = 2^-3 prod over edges (-1)^{b_i b_j} of the wheel graph: hub 0,
// joined to the ring 1..5. Equivalent to the [[5,1,3]] code with leg 0 as its input.
// Errors: ARGUMENT, DTYPE, MISMATCH (another shape).
typedef struct padic_tensor_perfect_desc {
    padic_tensor out; // (2, 2, 2, 2, 2, 2), F32, F64, C64 or C128, in host memory
} padic_tensor_perfect_desc;
PADIC_API padic_result padic_tensor_perfect(padic_context *context,
                                            const padic_tensor_perfect_desc *desc);

// How far a tensor of 2, 4, 6 or 8 equal extents is from perfect: with M the tensor as a matrix and
// c the mean of the diagonal of M M^dagger, the largest |M M^dagger - c 1|/c of all splits of the
// legs in halves. Errors: ARGUMENT, DTYPE, MISMATCH (number of legs, extents that differ), DOMAIN
// (zero or not finite).
typedef struct padic_tensor_perfect_check_report {
    double deviation; // 0: perfect
} padic_tensor_perfect_check_report;

typedef struct padic_tensor_perfect_check_desc {
    padic_tensor tensor; // in host memory
    padic_tensor_perfect_check_report *report;
} padic_tensor_perfect_check_desc;
PADIC_API padic_result padic_tensor_perfect_check(padic_context *context,
                                                  const padic_tensor_perfect_check_desc *desc);

typedef enum padic_tensor_code {
    // {5,4}: slot 0 is a bulk leg, slots 1..5 counter-clockwise from the inward one
    PADIC_TENSOR_CODE_PENTAGON = 0,
    PADIC_TENSOR_CODE_HEXAGON = 1 // {6,4}: slots 0..5 from the inward one, no bulk leg
} padic_tensor_code;

// A code: tiles, each a padic_tensor_perfect() whose legs are its six slots. Layer 1 has a tile on
// every edge of the first one. Then, going round counter-clockwise, each tile puts new tiles on its
// middle outward legs, and one on its last outward leg and the first one of its successor (which
// meets the new tile's first slot, its own the second). Boundary legs are numbered in that order.
#define PADIC_TENSOR_HAPPY_LEG 0x80000000u  // + number of the boundary leg
#define PADIC_TENSOR_HAPPY_BULK 0x40000000u // + number of the tile
typedef struct padic_tensor_happy {
    padic_tensor_code code;
    uint32_t layers;
    uint32_t tiles, legs;
    padic_tensor links; // U32, tiles x 6: what a slot is joined to: 6 tile + slot, or as above
} padic_tensor_happy;

// Errors: ARGUMENT, DTYPE, ALIGNMENT; CAPACITY, with the counts in out.
typedef struct padic_tensor_happy_build_desc {
    padic_tensor_code code;
    uint32_t layers;        // 0 to 8
    padic_tensor links;     // U32, 6 per tile or more, that out then refers to; none: only the
                            // counts are wanted
    padic_tensor_happy *out;
} padic_tensor_happy_build_desc;
PADIC_API padic_result padic_tensor_happy_build(padic_context *context,
                                                const padic_tensor_happy_build_desc *desc);

// The stabilisers of an encoded state. Qubits: the boundary legs, then the open bulk legs by tile.
// Row r: `words` words of X bits, then as many of Z bits, and a sign (1: minus); both bits are Y.
typedef struct padic_tensor_tableau {
    uint32_t qubits, words;
    padic_tensor rows;  // U64, qubits x 2 x words
    padic_tensor signs; // U8, qubits
} padic_tensor_tableau;

// Errors: ARGUMENT, DTYPE, ALIGNMENT, MISMATCH (too few of bulk); CAPACITY, with qubits and words
// in out; DOMAIN (norm 0); MEMORY.
typedef struct padic_tensor_happy_encode_desc {
    const padic_tensor_happy *happy;
    // What tile t's bulk leg is: 0 open; 1, 2 the +1, -1 eigenstate of X; 3, 4 of Y; 5, 6 of Z.
    padic_tensor bulk;  // optional: U8, one per tile; none: all open
    padic_tensor rows;  // U64, qubits x 2 x words or more, that out then refers to; none: only
                        // qubits and words are wanted
    padic_tensor signs; // U8, one per qubit, as rows
    padic_tensor_tableau *out;
} padic_tensor_happy_encode_desc;
PADIC_API padic_result padic_tensor_happy_encode(padic_context *context,
                                                 const padic_tensor_happy_encode_desc *desc);

// Entropy of some qubits, in units of ln 2: the rank over GF(2) of the rows cut to them, minus
// their number. Errors: ARGUMENT (bits beyond the qubits), DTYPE, ALIGNMENT, MISMATCH (part or rows
// too short), MEMORY.
typedef struct padic_tensor_happy_entropy_report {
    uint32_t entropy;
} padic_tensor_happy_entropy_report;

typedef struct padic_tensor_happy_entropy_desc {
    const padic_tensor_tableau *tableau;
    padic_tensor part; // U64: bit q % 64 of word q / 64: qubit q
    padic_tensor_happy_entropy_report *report;
} padic_tensor_happy_entropy_desc;
PADIC_API padic_result padic_tensor_happy_entropy(padic_context *context,
                                                  const padic_tensor_happy_entropy_desc *desc);

// The fewest links that part some boundary legs from the others, by maximal flow.
// Errors: ARGUMENT (no code, bits beyond the legs), DTYPE, ALIGNMENT, MISMATCH (part too short),
// CAPACITY (side or edges: report->cut is what edges takes), MEMORY.
typedef struct padic_tensor_happy_cut_report {
    uint32_t cut; // how many links
} padic_tensor_happy_cut_report;

typedef struct padic_tensor_happy_cut_desc {
    const padic_tensor_happy *happy;
    padic_tensor part;  // U64: bit l % 64 of word l / 64: boundary leg l
    padic_tensor side;  // optional: U8, one per tile: 1 where it is on the side of part, as few as
                        // can be
    padic_tensor edges; // optional: U32, a slot 6 tile + slot of each link cut; at most legs / 2,
                        // those beyond are left alone
    padic_tensor_happy_cut_report *report;
} padic_tensor_happy_cut_desc;
PADIC_API padic_result padic_tensor_happy_cut(padic_context *context,
                                              const padic_tensor_happy_cut_desc *desc);

// The greedy wedge of some boundary legs: a tile joins when at least half of its legs (not the bulk
// leg; rounded up) are in `part` or lead to tiles that have joined.
// Errors: ARGUMENT (no code, bits beyond the legs), DTYPE, ALIGNMENT, MISMATCH (part too short),
// CAPACITY.
typedef struct padic_tensor_happy_wedge_report {
    uint32_t tiles; // how many joined
} padic_tensor_happy_wedge_report;

typedef struct padic_tensor_happy_wedge_desc {
    const padic_tensor_happy *happy;
    padic_tensor part; // U64, as above
    padic_tensor out;  // U8, one per tile: 1 for those that joined
    padic_tensor_happy_wedge_report *report; // optional
} padic_tensor_happy_wedge_desc;
PADIC_API padic_result padic_tensor_happy_wedge(padic_context *context,
                                                const padic_tensor_happy_wedge_desc *desc);
