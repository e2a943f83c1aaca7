// padic_simd_codec.h: the codec's hot loops in vectors. Part of padic_simd.h, which includes it; of
// no use alone. Each function gives the bytes of the plain loop of padic.h that it replaces (see
// padici_codec_loops), and loads nothing that the plain one might not.

#if defined(PADICI_SIMD_CODEC) && !defined(PADICI_SIMD_CODEC_BEGUN)
#define PADICI_SIMD_CODEC_BEGUN

#include "simd/codec/all.c"

#if PADICI_SIMD_X86

#include "simd/codec/forms.c"
#include "simd/codec/avx2.c"
#include "simd/codec/contexts_avx2.c"
#include "simd/codec/avx512.c"
#include "simd/codec/contexts_avx512.c"
#include "simd/codec/pack_avx512.c"
#include "simd/codec/vbmi.c"
#include "simd/codec/blocks_vbmi.c"
#endif

#include "simd/codec/neon.c"
#endif // PADICI_SIMD_CODEC
