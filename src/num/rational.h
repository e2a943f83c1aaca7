#pragma once
#include "../context/state.h"
#include "../core/platform.h"
#include "convert.h"
#include "euclid.h"
#include "euclid_word.h"

#ifndef PADIC_NO_NUM

// padic_num_call.op of every reconstruction that PADIC_OP_NUM_TO_RATIONAL does not describe; it is
// no row of src/ops.def.
#define PADICI_NUM_RATIONAL 0xff00u

// call->options of a loop.
typedef struct padici_num_rational {
    padic_num_rational_mode mode;
    padici_num_bounds bounds;
    uint64_t vector;            // COMMON
    uint64_t fixed[2], unit[2]; // FIXED: d, and d / p^fixed_v
    uint32_t fixed_v;
    uint32_t limbs[2]; // numerators and denominators: planes of words, 0: plain integers
    padic_dtype dtype[2];
    uint64_t stride; // between planes
} padici_num_rational;

// Working memory for one number, 24 parts, in the workspace of long numbers or here.
#define PADICI_NUM_EXACT_WORDS 12u

typedef struct padici_num_exact {
    uint64_t
        *at; // a residue, 15 parts of a padici_num_joint; over that from part 9 on 7 of n, 7 of d;
             // and d of the joint
    uint32_t part;
    padici_num_big n, d;
    padici_num_joint joint;
    uint64_t local[24 * (PADICI_NUM_EXACT_WORDS + 2)];
} padici_num_exact;

PADICI_FN void padici_num_exact_begin(padici_num_exact *e, uint32_t words, void *workspace);
PADICI_FN void padici_num_rational_fast(padic_num_call *call);
PADICI_FN padic_result padici_num_rational_options(padic_context *context,
                                               const padic_num_to_rational_desc *desc,
                                               padici_num_rational *o);

#endif
