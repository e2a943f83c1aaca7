// tunables.cl: compile-time options of this area's programs, and the concurrent groups.

#ifndef PD_CODEC_SIZE
#define PD_CODEC_SIZE 4 // bytes of a scalar
#endif
#ifndef PD_CODEC_BOUND
#define PD_CODEC_BOUND 0 // 1, with scalars of 4 or 8 bytes: blocks may be within a bound
#endif
#ifndef PD_CODEC_WG
#define PD_CODEC_WG 256 // must not be changed
#endif
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
#define CODEC_CROWD 6 // concurrent groups
#else
#define CODEC_CROWD 4
#endif
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900 // elsewhere ptxas would spill
#define CODEC_MEASURERS (PD_CODEC_SIZE == 8 ? 4 : 5)
#else
#define CODEC_MEASURERS 4
#endif
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 1000
#define CODEC_CLASSES 3
#else
#define CODEC_CLASSES 4
#endif
#ifndef PD_CODEC_MEASURERS
#define PD_CODEC_MEASURERS (PD_CODEC_BOUND ? PD_CODEC_SIZE == 8 ? 2 : 3 : CODEC_MEASURERS)
#endif
#ifndef PD_CODEC_FILLERS
#define PD_CODEC_FILLERS (PD_HAS_WARPS && PD_CODEC_SIZE == 8 ? 4 : CODEC_CROWD)
#endif
#if PD_CODEC_BOUND && PD_CODEC_SIZE == 8
#define CODEC_CODERS 3
#define CODEC_EXPANDERS 2
#elif defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900
#define CODEC_CODERS 4
#define CODEC_EXPANDERS 3
#else
#define CODEC_CODERS 4
#define CODEC_EXPANDERS 4
#endif
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ == 900 && PD_CODEC_SIZE == 4 && !PD_CODEC_BOUND
#define CODEC_REMAINDER_GROUPS 5
#else
#define CODEC_REMAINDER_GROUPS 4
#endif
#ifndef PD_CODEC_REMAINDER_GROUPS
#define PD_CODEC_REMAINDER_GROUPS CODEC_REMAINDER_GROUPS
#endif
#ifndef PD_CODEC_CODERS
#define PD_CODEC_CODERS CODEC_CODERS
#endif
#ifndef PD_CODEC_EXPANDERS
#define PD_CODEC_EXPANDERS CODEC_EXPANDERS
#endif
#ifndef PD_CODEC_UNPACKERS
#define PD_CODEC_UNPACKERS (CODEC_CROWD > 4 ? 5 : 4)
#endif
#ifndef PD_CODEC_NARROW_GROUPS
#define PD_CODEC_NARROW_GROUPS (CODEC_CROWD > 4 ? 6 : 3)
#endif
