#include "kernels.h"
#include "../level.h"

#if PADICI_IMPLEMENT_SIMD && !defined(PADIC_NO_WAVE)

// The arguments of the kernels of tiles, vortices and fields, and the kernels: this header includes
// itself once for each instruction set.


#endif
