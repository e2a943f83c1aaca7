#include "kernels.h"
#include "../level.h"

#if PADICI_IMPLEMENT_SIMD && !defined(PADIC_NO_WAVE)

// What the kernels of tiles, vortices and fields are given, and the kernels themselves: this header
// includes itself once for each instruction set.


#endif
