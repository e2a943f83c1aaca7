#pragma once
#include "../../core/platform.h"
#include "../../num/cell.h"
#include "each_arrays_test.h"

#ifndef PADIC_NO_NUM

PADICI_FN PADICI_NOINLINE void padici_test_num_compares(padici_test_num *t, uint32_t *sticky);
PADICI_FN PADICI_NOINLINE void padici_test_num_horner(padici_test_num *t);
PADICI_FN PADICI_NOINLINE void padici_test_num_hensel(padici_test_num *t);

// 100 polynomials of their own, none of them 0; every fifth is x^2 - p^2, whose roots are in one
// class modulo p.
#define PADICI_TEST_NUM_POLYNOMIALS 100u
#define PADICI_TEST_NUM_BRANCHES 4u
#define PADICI_TEST_NUM_ROOM (UINT64_C(9) + 2 * PADICI_TEST_NUM_BRANCHES) // words of a group

PADICI_FN PADICI_NOINLINE void padici_test_num_squares(const padic_num_array *c);
PADICI_FN PADICI_NOINLINE void padici_test_num_hensel_all(padici_test_num *t);
PADICI_FN PADICI_NOINLINE void padici_test_num_converts(padici_test_num *t, uint32_t *sticky);
PADICI_FN PADICI_NOINLINE void padici_test_num_fractions(padici_test_num *t, uint32_t *sticky);
PADICI_FN PADICI_NOINLINE void padici_test_num_host(padici_test_num *t, uint32_t *sticky);
PADICI_FN void padici_test_num_cell(uint32_t *to, const padici_cell *x);
PADICI_FN PADICI_NOINLINE void padici_test_num_sums(padici_test_num *t, padic_num_call *call,
                                                    uint32_t *sticky);

#endif
