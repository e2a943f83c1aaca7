// padic_sample.h: low-discrepancy points. padic.h includes it when it lies beside it.
// Part of padic.h 0.1.0; MIT or Unlicense.
//
// >>contents: search for the tag
//
//     >>sample API        Halton, Hammersley, Owen scrambling by index
//     >>sample impl       the plain reference

#ifndef PADIC_HEADER
#include "padic.h" // which includes this file where it belongs
#else

#ifndef PADIC_SAMPLE_H
#define PADIC_SAMPLE_H

#include "sample/api.h"

#endif // PADIC_SAMPLE_H

// ================================================================================================
#ifdef PADICI_AREAS_IMPLEMENTATION

#include "sample/sample.c"
#include "sample/hashes.c"
#include "sample/reverse.c"
#include "sample/fractions.c"
#include "sample/driver.c"
#include "sample/checks.c"
#include "sample/calls.c"

#endif // PADICI_AREAS_IMPLEMENTATION

#endif // PADIC_HEADER
