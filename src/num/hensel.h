#pragma once
#include "../core/platform.h"

#ifndef PADIC_NO_NUM

// Hensel lifting. A polynomial is read from the planes of an array, or is `terms` residues in
// words.
typedef struct padici_num_polynomial {
    const padic_num_call *call;
    padic_num_planes planes;
    uint64_t at, stride; // of its coefficients, in elements
    const uint64_t *words;
    uint32_t terms;
} padici_num_polynomial;

// All roots. The waiting residue classes x + p^k Z_p form a queue in the workspace, x and k of
// each.
typedef struct padici_num_hensel {
    const padic_num_polynomial_roots_desc *desc;
    padic_num_call call;
    padici_num_polynomial f, g;   // g(t) = f(x + p^k t) / p^m
    uint64_t *words, *shifted, *digits, *queue, *temp; // of f, of g; g modulo p
    uint64_t head, waiting, at; // at: element of the next root
    uint32_t known, found, lower_bound;
    uint32_t own; // 1: each polynomial has its coefficients
} padici_num_hensel;

#endif
