// per_level.in.h: compiled once for each level, with PADICI_ISA and PADICI_ISA_LEVEL defined: its
// words, where PADICI_ISA_WORDS is defined; its kernels; those of matrices and of Fourier
// transforms for each of its precisions, with PADICI_REAL and PADICI_REAL_SIZE.
#ifdef PADICI_REAL
#include "tensor/words.c"
#include "tensor/pack.c"
#include "tensor/product.c"
#include "tensor/direct.c"
#include "tensor/columns.c"
#include "tensor/reflect.c"
#include "tensor/reduce.c"
#include "tensor/factor_one.c"
#include "../made/tensor_level_end.h"
#include "fft/words.c"
#include "fft/stages.c"
#include "fft/moves.c"
#include "fft/whole.c"
#include "fft/reals.c"
#include "field/steps.c"
#include "../made/fft_level_end.h"
#include "rnn/words.c"
#include "rnn/exponentials.c"
#include "rnn/product.c"
#include "rnn/gates.c"
#include "rollout/acts.c"
#include "rollout/noise.c"
#include "rollout/conv.c"
#include "pq/dots.c"
#include "../made/rnn_level_end.h"
#undef PADICI_REAL
#undef PADICI_REAL_SIZE
#else
#include "vector.c"
#ifdef PADICI_ISA_WORDS
#include "words.c"
#include "../made/simd_level_end.h"
#else
#include "sample_kernels.c"
#include "sample_ifma.c"
#include "codec/words.c"
#include "codec/checksum.c"
#include "codec/scans.c"
#include "codec/sums.c"
#include "codec/differences.c"
#include "codec/unpack.c"
#include "codec/rans.c"
#include "codec/contexts.c"
#include "codec/elements.c"
#include "codec/loops.c"
#include "../made/codec_level_end.h"
#include "../made/simd_level_end.h"

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
#include "wave/double_words.c"
#include "wave/vortex_words.c"
#include "wave/fields.c"
#include "../made/wave_level_end.h"

#include "field/words.c"
#include "field/legacy.c"
#include "../made/field_level_end.h"
#endif
#endif
#undef PADICI_ISA
#undef PADICI_ISA_LEVEL
