// per_level.in.h: kernels that are compiled once for each level, with PADICI_ISA and
// PADICI_ISA_LEVEL defined; those of matrices for each of its precisions, with PADICI_REAL and
// PADICI_REAL_SIZE.
#ifndef PADICI_REAL
#include "num/words.c"
#include "num/residues.c"
#include "num/product.c"
#include "num/floats.c"
#include "num/valuation.c"
#include "num/inverse.c"
#include "num/horner.c"
#include "num/sums.c"
#include "num/series.c"
#include "num/digits.c"
#include "num/from_floats.c"
#include "num/rational.c"
#include "num/long.c"
#include "num/systems.c"
#include "num/tables.c"
#include "../made/num_level_end.h"

#include "wave/words.c"
#include "wave/superpose_words.c"
#include "wave/gradient_words.c"
#include "wave/vortex_words.c"
#include "wave/fields.c"
#include "../made/wave_level_end.h"
#else
#include "tensor/words.c"
#include "tensor/pack.c"
#include "tensor/product.c"
#include "tensor/direct.c"
#include "../made/tensor_level_end.h"
#undef PADICI_REAL
#undef PADICI_REAL_SIZE
#endif
#undef PADICI_ISA
#undef PADICI_ISA_LEVEL
