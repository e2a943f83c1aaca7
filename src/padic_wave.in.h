// padic_wave.h: waves. padic.h includes it when it lies beside it.
// Part of padic.h 0.1.0; MIT or Unlicense.
//
// >>contents: search for the tag
//
//     >>wave API          superposition, bound, frames, gradient; observables; vortices, ...
//     >>wave impl         the plain reference
//     >>wave operations   its rows of the op table in padic.h

#ifndef PADIC_HEADER
#include "padic.h" // which includes this file where it belongs
#else

#ifndef PADIC_WAVE_H
#define PADIC_WAVE_H

#include "wave/api.h"
#endif // PADIC_WAVE_H

#ifdef PADICI_AREAS_IMPLEMENTATION

#include "wave/wave.c"
#include "wave/ops.c"
#endif // PADICI_AREAS_IMPLEMENTATION

#endif // PADIC_HEADER
