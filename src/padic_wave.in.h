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

#include "wave/source.c"
#include "wave/green.c"
#include "wave/emit.c"
#include "wave/check.c"
#include "wave/bound.c"
#include "wave/superpose.c"
#include "wave/frames.c"
#include "wave/gradient.c"
#include "wave/vortex.c"
#include "wave/grid.c"
#include "wave/phase_gradient.c"
#include "wave/winding.c"
#include "wave/lattice.c"
#include "wave/observables.c"
#include "wave/tonemap.c"
#include "wave/normalise.c"
#include "wave/ops.c"
#endif // PADICI_AREAS_IMPLEMENTATION

#endif // PADIC_HEADER
