// padic_gpu_codec.h: part of padic_gpu.h, which includes it: the codec's profiles, packed and
// unpacked in a device's memory.
#if defined(PADIC_GPU_IMPLEMENTED) && !defined(PADIC_NO_CODEC) && !defined(PADICI_GPU_CODEC)
#define PADICI_GPU_CODEC

#include "gpu/codec.c"

#endif // PADICI_GPU_CODEC
