// padic_gpu_codec.h: part of padic_gpu.h, which includes it: the codec's profiles, packed and
// unpacked in a device's memory.
#if defined(PADIC_GPU_IMPLEMENTED) && !defined(PADIC_NO_CODEC) && !defined(PADICI_GPU_CODEC)
#define PADICI_GPU_CODEC

#include "gpu/codec/job.c"
#include "gpu/codec/pack.c"
#include "gpu/codec/unpack.c"
#include "gpu/codec/prove.c"
#include "gpu/codec/driver.c"
#include "gpu/codec/known.c"
#include "gpu/codec/pack_test.c"
#include "gpu/codec/look_test.c"
#include "gpu/codec/coded_test.c"
#include "gpu/codec/unpack_test.c"
#include "gpu/codec/prove_test.c"

#endif // PADICI_GPU_CODEC
