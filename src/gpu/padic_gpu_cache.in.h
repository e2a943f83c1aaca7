// padic_gpu_cache.h: part of padic_gpu.h, which includes it: blobs for a context's cache hooks.
#if defined(PADIC_IMPLEMENTATION) && !defined(PADICI_GPU_CACHE)
#define PADICI_GPU_CACHE

#include "gpu/cache.c"

#endif // PADICI_GPU_CACHE
