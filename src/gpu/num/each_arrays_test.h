#pragma once
#include "../../core/platform.h"
#include "../../num/rational.h"
#include "../../num/root.h"

#ifndef PADIC_NO_NUM

// The test of a variant: 301 numbers or more of each kind, specials among them; the answer is the
// host's.
typedef struct padici_test_num {
    padic_num_ring ring, from; // from: of a, where the precision changes
    padic_num_array x, a, b, c;
    unsigned char *other[2];
    padic_num_model model;
    uint32_t op, count, kind, val, known, size; // as the defines
    uint32_t norm;     // 1: norms in other[1], or logarithms of them
    padic_dtype dtype; // of other[0]; of norms
    padic_num_horner_desc polynomial; // here, for the frame of who uses it
    padic_num_to_rational_desc fraction; // of RATIONAL
    padici_rational rational;
    uint64_t bounds[4 * 65];
    uint64_t n; // of roots
    padici_root root;
    padic_num_random_desc random;
} padici_test_num;

PADICI_FN uint64_t padici_test_num_room(const padici_test_num *t);
PADICI_FN void padici_test_num_array(const padici_test_num *t, padic_num_array *a,
                                     const padic_num_ring *ring, uint64_t count, char *base,
                                     uint64_t *at);
PADICI_FN uint64_t padici_test_num_lay(padici_test_num *t, unsigned char *base_);
PADICI_FN uint64_t padici_test_num_word(uint64_t i);
PADICI_FN void padici_test_num_fill(const padic_num_array *a, uint64_t seed);
PADICI_FN void padici_test_num_small(const padic_num_array *a);

#endif
