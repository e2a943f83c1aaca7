// dialect.h: one kernel text for OpenCL C 1.2, NVRTC, nvcc, hiprtc, clang and plain C.
//
// A kernel takes up to 8 buffers, then one struct of 32-bit values. Tunables are #ifndef defines.
// Three readers: OpenCL, the CUDA family (NVIDIA and AMD), and a C compiler inside a harness.
// README.md in this folder has the rules. A new word is defined for all three or not at all.
#ifndef PD_WG
#define PD_WG 128 // work-items of a group; every kernel that does not say otherwise uses this
#endif
#define PD_KERNEL(name) PD_KERNEL_WG(name, PD_WG)
// PD_KERNEL_MIN(name, n, groups): reserves registers for so many concurrent groups; a hint, where
// ptxas needs one.

// Features of the device beyond the minimum; the library passes these with every build.
#ifndef PD_HAS_F64
#define PD_HAS_F64 0 // pd_f64 and the words that end in 64 and take one
#endif
#ifndef PD_HAS_I64_ATOMICS
#define PD_HAS_I64_ATOMICS 0 // PD_ATOMIC_ADD64_G
#endif
#ifndef PD_LOCAL_BYTES
#define PD_LOCAL_BYTES 16384 // local memory of a group
#endif
#ifndef PD_HAS_WARPS // PD_BALLOT PD_SHUFFLE_... PD_BARRIER_WARP PD_F32_DOWN
#if defined(__CUDA_ARCH__)
#define PD_HAS_WARPS 1 // 32 consecutive items run together
#else
#define PD_HAS_WARPS 0
#endif
#endif

#if defined(__OPENCL_VERSION__) || defined(__OPENCL_C_VERSION__)
// ---- OpenCL C 1.2
#pragma OPENCL FP_CONTRACT OFF
#if PD_HAS_F64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif
#if PD_HAS_I64_ATOMICS
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#endif
#define PD_IS_OPENCL 1
#define PD_IS_CUDA 0
#define PD_IS_C 0
typedef uchar pd_u8;
typedef ushort pd_u16;
typedef int pd_i32;
typedef uint pd_u32;
typedef long pd_i64;
typedef ulong pd_u64;
typedef float pd_f32;
#define PD_KERNEL_WG(name, n) __kernel __attribute__((reqd_work_group_size(n, 1, 1))) void name
#define PD_KERNEL_MIN(name, n, groups) PD_KERNEL_WG(name, n)
#define PD_FN static inline
#define PD_FN_SHARED static inline __attribute__((unused)) // of the dialect itself
#define PD_BUF(T, name) __global T *restrict name
#define PD_CBUF(T, name) __global const T *restrict name
#define PD_PARAMS(T, name) const T name
#define PD_GPTR(T) __global T * // pointer types for the arguments of PD_FN functions
#define PD_LPTR(T) __local T *
#define PD_LOCAL __local
#define PD_TABLE static __constant // a constant table at file scope
#define PD_BARRIER() barrier(CLK_LOCAL_MEM_FENCE)
#define PD_BARRIER_ALL() barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)
#define PD_LID ((pd_u32)get_local_id(0))
#define PD_GRP ((pd_u32)get_group_id(0))
#define PD_GRP_Y ((pd_u32)get_group_id(1))
#define PD_GRP_Z ((pd_u32)get_group_id(2))
#define PD_NGRP ((pd_u32)get_num_groups(0))
#define PD_ATOMIC_ADD_G(p, v) atomic_add((volatile __global pd_u32 *)(p), (pd_u32)(v))
#define PD_ATOMIC_ADD_L(p, v) atomic_add((volatile __local pd_u32 *)(p), (pd_u32)(v))
#define PD_ATOMIC_OR_G(p, v) atomic_or((volatile __global pd_u32 *)(p), (pd_u32)(v))
#define PD_ATOMIC_OR_L(p, v) atomic_or((volatile __local pd_u32 *)(p), (pd_u32)(v))
#define PD_ATOMIC_MAX_G(p, v) atomic_max((volatile __global pd_u32 *)(p), (pd_u32)(v))
#define PD_MULHI32(a, b) mul_hi((pd_u32)(a), (pd_u32)(b))
#define PD_MULHI64(a, b) mul_hi((pd_u64)(a), (pd_u64)(b))
#define PD_MULWIDE(a, b) ((pd_u64)(pd_u32)(a) * (pd_u32)(b))
#define PD_STORE16_IF(on, p, i, x) \
    do {                           \
        if (on) (p)[i] = (pd_u16)(x); \
    } while (0)
#define PD_POPCOUNT(x) popcount((pd_u32)(x))
#define PD_CLZ(x) clz((pd_u32)(x)) // of 0: 32
#define PD_AS_U32(x) as_uint(x)
#define PD_AS_F32(x) as_float(x)
#define PD_FMA(a, b, c) fma((pd_f32)(a), (pd_f32)(b), (pd_f32)(c))
#define PD_FABS(x) fabs((pd_f32)(x))
#define PD_FLOOR(x) floor((pd_f32)(x))
#define PD_RINT(x) rint((pd_f32)(x)) // ties to even
#define PD_SQRT(x) sqrt((pd_f32)(x))
#define PD_RSQRT(x) rsqrt((pd_f32)(x))
#define PD_SIN(x) sin((pd_f32)(x))
#define PD_COS(x) cos((pd_f32)(x))
#define PD_EXP(x) exp((pd_f32)(x))
#define PD_LOG(x) log((pd_f32)(x))
#define PD_FAST_RSQRT(x) native_rsqrt((pd_f32)(x)) // the device's fastest version; the area's page
#define PD_FAST_SIN(x) native_sin((pd_f32)(x))     // bounds the error
#define PD_FAST_COS(x) native_cos((pd_f32)(x))
#define PD_LOAD_TWO(a, b, p)                                                     \
    do {                                                                         \
        const float2 two = *(const __global float2 *)(const __global void *)(p); \
        (a) = two.x;                                                             \
        (b) = two.y;                                                             \
    } while (0)
#define PD_STORE_TWO(p, a, b) (*(__global float2 *)(__global void *)(p) = (float2)((a), (b)))
#if PD_HAS_I64_ATOMICS
#define PD_ATOMIC_ADD64_G(p, v) atom_add((volatile __global pd_u64 *)(p), (pd_u64)(v))
#endif
#if PD_HAS_F64
typedef double pd_f64; // tools/kernels.py allows the word here only
#define PD_FMA64(a, b, c) fma((pd_f64)(a), (pd_f64)(b), (pd_f64)(c))
#define PD_SQRT64(x) sqrt((pd_f64)(x))
#define PD_AS_U64(x) as_ulong(x)
#define PD_AS_F64(x) as_double(x)
#define PD_LOAD_TWO64(a, b, p)                                                     \
    do {                                                                           \
        const double2 two = *(const __global double2 *)(const __global void *)(p); \
        (a) = two.x;                                                               \
        (b) = two.y;                                                               \
    } while (0)
#define PD_STORE_TWO64(p, a, b) (*(__global double2 *)(__global void *)(p) = (double2)((a), (b)))
#endif

#elif defined(__CUDACC__) || defined(__CUDACC_RTC__) || defined(__HIPCC__) || \
    defined(__HIPCC_RTC__) || defined(__HIP__) || defined(__CUDA__)
// ---- CUDA C++14 (NVRTC, nvcc, clang -x cuda) and HIP (hiprtc, hipcc, clang -x hip)
#define PD_IS_OPENCL 0
#define PD_IS_CUDA 1
#define PD_IS_C 0
typedef unsigned char pd_u8;
typedef unsigned short pd_u16;
typedef int pd_i32;
typedef unsigned int pd_u32;
typedef long long pd_i64;
typedef unsigned long long pd_u64;
typedef float pd_f32;
#define PD_KERNEL_WG(name, n) extern "C" __global__ void __launch_bounds__(n) name
#define PD_KERNEL_MIN(name, n, groups) extern "C" __global__ void __launch_bounds__(n, groups) name
#define PD_FN static __device__ __forceinline__
#define PD_FN_SHARED __device__ __forceinline__ // not static: EDG would warn if it is unused
#define PD_BUF(T, name) T *__restrict__ name
#define PD_CBUF(T, name) const T *__restrict__ name
#define PD_PARAMS(T, name) const T name
#define PD_GPTR(T) T *
#define PD_LPTR(T) T *
#define PD_LOCAL __shared__
#define PD_TABLE static __constant__ const
#define PD_BARRIER() __syncthreads()
#define PD_BARRIER_ALL() __syncthreads()
#define PD_LID ((pd_u32)threadIdx.x)
#define PD_GRP ((pd_u32)blockIdx.x)
#define PD_GRP_Y ((pd_u32)blockIdx.y)
#define PD_GRP_Z ((pd_u32)blockIdx.z)
#define PD_NGRP ((pd_u32)gridDim.x)
#define PD_ATOMIC_ADD_G(p, v) atomicAdd((pd_u32 *)(p), (pd_u32)(v))
#define PD_ATOMIC_ADD_L(p, v) atomicAdd((pd_u32 *)(p), (pd_u32)(v))
#define PD_ATOMIC_OR_G(p, v) atomicOr((pd_u32 *)(p), (pd_u32)(v))
#define PD_ATOMIC_OR_L(p, v) atomicOr((pd_u32 *)(p), (pd_u32)(v))
#define PD_ATOMIC_MAX_G(p, v) atomicMax((pd_u32 *)(p), (pd_u32)(v))
#define PD_MULHI32(a, b) __umulhi((pd_u32)(a), (pd_u32)(b))
#define PD_MULHI64(a, b) __umul64hi((pd_u64)(a), (pd_u64)(b))
#if defined(__NVCC__) || defined(__CUDACC_RTC__)
// Inline assembly: a factor that was widened before a loop would be treated as 64-bit.
static __device__ __forceinline__ pd_u64 PD_MULWIDE(pd_u32 a, pd_u32 b)
{
    pd_u64 x;
    asm("mul.wide.u32 %0, %1, %2;" : "=l"(x) : "r"(a), "r"(b));
    return x;
}
// No branch around the address computation.
static __device__ __forceinline__ void PD_STORE16_IF(pd_u32 on, pd_u16 *p, pd_u32 i, pd_u32 x)
{
    asm volatile("{ .reg .pred p;\n setp.ne.u32 p, %0, 0;\n @p st.global.u16 [%1], %2; }"
                 :
                 : "r"(on), "l"((char *)p + PD_MULWIDE(i, 2u)), "h"((pd_u16)x)
                 : "memory");
}
#else
#define PD_STORE16_IF(on, p, i, x) \
    do {                           \
        if (on) (p)[i] = (pd_u16)(x); \
    } while (0)
#define PD_MULWIDE(a, b) ((pd_u64)(pd_u32)(a) * (pd_u32)(b))
#endif
#define PD_POPCOUNT(x) ((pd_u32)__popc((pd_u32)(x)))
#define PD_CLZ(x) ((pd_u32)__clz((int)(x)))
#define PD_AS_U32(x) __float_as_uint(x)
#define PD_AS_F32(x) __uint_as_float(x)
#define PD_FMA(a, b, c) fmaf((a), (b), (c))
#define PD_FABS(x) fabsf(x)
#define PD_FLOOR(x) floorf(x)
#define PD_RINT(x) rintf(x)
#define PD_SQRT(x) sqrtf(x)
#define PD_RSQRT(x) rsqrtf(x)
#define PD_SIN(x) sinf(x)
#define PD_COS(x) cosf(x)
#define PD_EXP(x) expf(x)
#define PD_LOG(x) logf(x)
#define PD_FAST_RSQRT(x) rsqrtf(x)
#define PD_FAST_SIN(x) __sinf(x)
#define PD_FAST_COS(x) __cosf(x)
#define PD_LOAD_TWO(a, b, p)                    \
    do {                                        \
        const float2 two = *(const float2 *)(p); \
        (a) = two.x;                            \
        (b) = two.y;                            \
    } while (0)
#define PD_STORE_TWO(p, a, b) (*(float2 *)(p) = make_float2((a), (b)))
#if PD_HAS_I64_ATOMICS
#define PD_ATOMIC_ADD64_G(p, v) atomicAdd((pd_u64 *)(p), (pd_u64)(v))
#endif
#if PD_HAS_WARPS
#define PD_BALLOT(x) ((pd_u32)__ballot_sync(0xffffffffu, (int)(x)))
#define PD_SHUFFLE(x, lane) __shfl_sync(0xffffffffu, (pd_u32)(x), (int)(lane))
#define PD_SHUFFLE_UP(x, n) __shfl_up_sync(0xffffffffu, (pd_u32)(x), (n))
#define PD_SHUFFLE_UP64(x, n) __shfl_up_sync(0xffffffffu, (pd_u64)(x), (n))
#define PD_SHUFFLE_XOR64(x, n) __shfl_xor_sync(0xffffffffu, (pd_u64)(x), (int)(n))
#define PD_BARRIER_WARP() __syncwarp()
#define PD_F32_DOWN(x) __uint2float_rz((pd_u32)(x)) // rounded towards 0
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
#define PD_WARP_OR(x) __reduce_or_sync(0xffffffffu, (pd_u32)(x))
#define PD_WARP_MAX(x) __reduce_max_sync(0xffffffffu, (pd_i32)(x))
#define PD_WARP_SUM(x) __reduce_add_sync(0xffffffffu, (pd_u32)(x))
#else
static __device__ __forceinline__ pd_u32 PD_WARP_OR(pd_u32 x)
{
    pd_u32 i;
    for (i = 16u; i > 0u; i /= 2u) x |= __shfl_xor_sync(0xffffffffu, x, (int)i);
    return x;
}
static __device__ __forceinline__ pd_u32 PD_WARP_SUM(pd_u32 x)
{
    pd_u32 i;
    for (i = 16u; i > 0u; i /= 2u) x += __shfl_xor_sync(0xffffffffu, x, (int)i);
    return x;
}
static __device__ __forceinline__ pd_i32 PD_WARP_MAX(pd_i32 x)
{
    pd_u32 i;
    for (i = 16u; i > 0u; i /= 2u) {
        const pd_i32 y = __shfl_xor_sync(0xffffffffu, x, (int)i);
        x = y > x ? y : x;
    }
    return x;
}
#endif
// x, plus that of the item n before in 32, or in 8, if there is one. Inline assembly: a conditional
// sum would take one more instruction.
#define PD_SHUFFLE_SUM(name, c)                                                             \
    static __device__ __forceinline__ pd_u32 name(pd_u32 x, pd_u32 n)                       \
    {                                                                                       \
        pd_u32 y;                                                                           \
        asm volatile("{\n.reg .u32 r;\n.reg .pred p;\n"                                     \
                     "shfl.sync.up.b32 r|p, %1, %2, " c ", 0xffffffff;\n"                   \
                     "@p add.u32 r, r, %1;\nmov.u32 %0, r;\n}"                              \
                     : "=r"(y)                                                              \
                     : "r"(x), "r"(n));                                                     \
        return y;                                                                           \
    }
PD_SHUFFLE_SUM(PD_SUM_UP, "0")
PD_SHUFFLE_SUM(PD_SUM_UP_8, "0x1800")
// Two words of 64 bits, the first aligned to 16 bytes.
#define PD_PAIRED(p) (((pd_u64)(p) & 15u) == 0u)
#define PD_STORE_PAIR(p, a, b) (*(ulonglong2 *)(p) = make_ulonglong2((a), (b)))
#define PD_LOAD_PAIR(a, b, p)                             \
    do {                                                  \
        const ulonglong2 pair = *(const ulonglong2 *)(p); \
        (a) = pair.x;                                     \
        (b) = pair.y;                                     \
    } while (0)
#endif
#if PD_HAS_F64
typedef double pd_f64;
#define PD_FMA64(a, b, c) fma((pd_f64)(a), (pd_f64)(b), (pd_f64)(c))
#define PD_SQRT64(x) sqrt((pd_f64)(x))
#define PD_AS_U64(x) ((pd_u64)__double_as_longlong(x))
#define PD_AS_F64(x) __longlong_as_double((pd_i64)(x))
#define PD_LOAD_TWO64(a, b, p)                     \
    do {                                           \
        const double2 two = *(const double2 *)(p); \
        (a) = two.x;                               \
        (b) = two.y;                               \
    } while (0)
#define PD_STORE_TWO64(p, a, b) (*(double2 *)(p) = make_double2((a), (b)))
#endif

#else
// ---- plain C; the harness supplies ids and the barrier, and runs one group at a time
#define PD_IS_OPENCL 0
#define PD_IS_CUDA 0
#define PD_IS_C 1
#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF // gcc takes -ffp-contract=off on the command line
#endif
#include <math.h>
#include <stdint.h>
#include <string.h>
typedef uint8_t pd_u8;
typedef uint16_t pd_u16;
typedef int32_t pd_i32;
typedef uint32_t pd_u32;
typedef int64_t pd_i64;
typedef uint64_t pd_u64;
typedef float pd_f32;
#define PD_KERNEL_WG(name, n) static void name
#define PD_KERNEL_MIN(name, n, groups) PD_KERNEL_WG(name, n)
#define PD_FN static inline
#define PD_FN_SHARED static inline __attribute__((unused))
#define PD_BUF(T, name) T *name
#define PD_CBUF(T, name) const T *name
#define PD_PARAMS(T, name) const T name
#define PD_GPTR(T) T *
#define PD_LPTR(T) T *
#define PD_LOCAL static // one group at a time, so static storage is shared by the group
#define PD_TABLE static const
// The harness compares line numbers: all items of a group must wait at the same barrier.
#define PD_BARRIER() pd_host_barrier(__LINE__)
#define PD_BARRIER_ALL() pd_host_barrier(__LINE__)
#define PD_LID pd_host_lid
#define PD_GRP pd_host_grp[0]
#define PD_GRP_Y pd_host_grp[1]
#define PD_GRP_Z pd_host_grp[2]
#define PD_NGRP pd_host_ngrp
#define PD_ATOMIC_ADD_G(p, v) __atomic_fetch_add((p), (pd_u32)(v), __ATOMIC_RELAXED)
#define PD_ATOMIC_ADD_L(p, v) __atomic_fetch_add((p), (pd_u32)(v), __ATOMIC_RELAXED)
#define PD_ATOMIC_OR_G(p, v) __atomic_fetch_or((p), (pd_u32)(v), __ATOMIC_RELAXED)
#define PD_ATOMIC_OR_L(p, v) __atomic_fetch_or((p), (pd_u32)(v), __ATOMIC_RELAXED)
#define PD_ATOMIC_MAX_G(p, v) pd_host_max((p), (pd_u32)(v))
#define PD_ATOMIC_ADD64_G(p, v) __atomic_fetch_add((p), (pd_u64)(v), __ATOMIC_RELAXED)
#define PD_MULHI32(a, b) ((pd_u32)(((pd_u64)(pd_u32)(a) * (pd_u32)(b)) >> 32))
#define PD_MULHI64(a, b) pd_host_mulhi64((a), (b))
#define PD_MULWIDE(a, b) ((pd_u64)(pd_u32)(a) * (pd_u32)(b))
#define PD_STORE16_IF(on, p, i, x) \
    do {                           \
        if (on) (p)[i] = (pd_u16)(x); \
    } while (0)
#define PD_POPCOUNT(x) ((pd_u32)__builtin_popcount((pd_u32)(x)))
#define PD_CLZ(x) pd_host_clz((pd_u32)(x))
#define PD_FMA(a, b, c) fmaf((a), (b), (c))
#define PD_FABS(x) fabsf(x)
#define PD_FLOOR(x) floorf(x)
#define PD_RINT(x) rintf(x)
#define PD_SQRT(x) sqrtf(x)
#define PD_RSQRT(x) (1.0f / sqrtf(x))
#define PD_SIN(x) sinf(x)
#define PD_COS(x) cosf(x)
#define PD_EXP(x) expf(x)
#define PD_LOG(x) logf(x)
#define PD_FAST_RSQRT(x) PD_RSQRT(x)
#define PD_FAST_SIN(x) sinf(x)
#define PD_FAST_COS(x) cosf(x)
#define PD_LOAD_TWO(a, b, p) ((a) = (p)[0], (b) = (p)[1])
#define PD_STORE_TWO(p, a, b) ((p)[0] = (a), (p)[1] = (b))
#define PD_LOAD_TWO64 PD_LOAD_TWO
#define PD_STORE_TWO64 PD_STORE_TWO
static inline pd_u32 PD_AS_U32(pd_f32 x)
{
    pd_u32 u;
    memcpy(&u, &x, 4);
    return u;
}
static inline pd_f32 PD_AS_F32(pd_u32 u)
{
    pd_f32 x;
    memcpy(&x, &u, 4);
    return x;
}
static inline pd_u32 pd_host_clz(pd_u32 x)
{
    return x ? (pd_u32)__builtin_clz(x) : 32u;
}
static inline pd_u32 pd_host_max(pd_u32 *p, pd_u32 v)
{
    pd_u32 old = __atomic_load_n(p, __ATOMIC_RELAXED);
    while (old < v)
        if (__atomic_compare_exchange_n(p, &old, v, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) break;
    return old;
}
#if PD_HAS_WARPS // as slow as possible, to test the text; all items of the group reach them
#define PD_BALLOT(x) ((pd_u32)pd_host_warp((x) ? 1u : 0u, 0, 0u, __LINE__))
#define PD_SHUFFLE(x, lane) ((pd_u32)pd_host_warp((pd_u32)(x), 3, (lane), __LINE__))
#define PD_SHUFFLE_UP(x, n) ((pd_u32)pd_host_warp((pd_u32)(x), 1, (n), __LINE__))
#define PD_SHUFFLE_UP64(x, n) pd_host_warp((x), 1, (n), __LINE__)
#define PD_SHUFFLE_XOR64(x, n) pd_host_warp((x), 2, (n), __LINE__)
#define PD_BARRIER_WARP() pd_host_barrier(__LINE__)
static inline pd_f32 PD_F32_DOWN(pd_u32 x)
{
    const pd_u32 below = 32u - pd_host_clz(x) > 24u ? 8u - pd_host_clz(x) : 0u; // 24 bits stay
    return (pd_f32)(x >> below << below);
}
#define PD_WARP_OR(x) ((pd_u32)pd_host_warp((pd_u32)(x), 6, 0u, __LINE__))
#define PD_WARP_MAX(x) \
    ((pd_i32)(pd_u32)pd_host_warp((pd_u32)(x) ^ 0x80000000u, 7, 0u, __LINE__) ^ (pd_i32)0x80000000u)
#define PD_WARP_SUM(x) ((pd_u32)pd_host_warp((pd_u32)(x), 8, 0u, __LINE__))
#define PD_SUM_UP(x, n) ((pd_u32)pd_host_warp((pd_u32)(x), 4, (n), __LINE__))
#define PD_SUM_UP_8(x, n) ((pd_u32)pd_host_warp((pd_u32)(x), 5, (n), __LINE__))
#define PD_PAIRED(p) (((pd_u64)(size_t)(p) & 15u) == 0u)
#define PD_STORE_PAIR(p, a, b) ((p)[0] = (a), (p)[1] = (b))
#define PD_LOAD_PAIR(a, b, p) ((a) = (p)[0], (b) = (p)[1])
static inline pd_u64 pd_host_warp(pd_u64 x, int way, pd_u32 n, int line)
{
    static pd_u64 seen[1024];
    const pd_u32 lane = pd_host_lid % 32u, first = pd_host_lid - lane;
    pd_u32 i;
    seen[pd_host_lid] = x;
    pd_host_barrier(line);
    if (way == 0)
        for (x = 0, i = 0; i < 32u; i++) x |= seen[first + i] << i;
    else if (way == 8)
        for (x = 0, i = 0; i < 32u; i++) x += seen[first + i];
    else if (way > 5)
        for (i = 0; i < 32u; i++)
            x = way == 6 ? x | seen[first + i] : x > seen[first + i] ? x : seen[first + i];
    else if (way > 3)
        x += lane % (way == 4 ? 32u : 8u) < n ? 0u : seen[first + lane - n];
    else
        x = seen[first + (way == 3 ? n & 31u : way == 2 ? lane ^ n : lane < n ? lane : lane - n)];
    pd_host_barrier(line);
    return x;
}
#endif
static inline pd_u64 pd_host_mulhi64(pd_u64 a, pd_u64 b)
{
    pd_u64 al = (pd_u32)a, ah = a >> 32, bl = (pd_u32)b, bh = b >> 32;
    pd_u64 p0 = al * bl, p1 = al * bh, p2 = ah * bl;
    pd_u64 mid = (p0 >> 32) + (pd_u32)p1 + (pd_u32)p2;
    return ah * bh + (p1 >> 32) + (p2 >> 32) + (mid >> 32);
}
#if PD_HAS_F64
typedef double pd_f64;
#define PD_FMA64(a, b, c) fma((a), (b), (c))
#define PD_SQRT64(x) sqrt(x)
static inline pd_u64 PD_AS_U64(pd_f64 x)
{
    pd_u64 u;
    memcpy(&u, &x, 8);
    return u;
}
static inline pd_f64 PD_AS_F64(pd_u64 u)
{
    pd_f64 x;
    memcpy(&x, &u, 8);
    return x;
}
#endif
#endif

#define PD_GID (PD_GRP * (pd_u32)PD_WG + PD_LID)
#define PD_U64(lo, hi) (((pd_u64)(hi) << 32) | (pd_u64)(lo)) // params carry 32-bit halves
// Storage of small floats, exact whatever the device does with subnormals; `h` is used repeatedly.
#define PD_BF16_TO_F32(h) PD_AS_F32((pd_u32)(h) << 16)
#define PD_F16_TO_F32(h)                                                                         \
    PD_AS_F32((((pd_u32)(h)&0x8000u) << 16) |                                                    \
              (((h)&0x7c00u) == 0u                                                               \
                   ? PD_AS_U32(PD_AS_F32(0x38800000u + (((pd_u32)(h)&0x3ffu) << 13)) -           \
                               PD_AS_F32(0x38800000u))                                           \
                   : (((pd_u32)(h)&0x7fffu) << 13) +                                             \
                         (((h)&0x7c00u) == 0x7c00u ? 0x70000000u : 0x38000000u)))

// ---- two words: hi + lo, |lo| <= ulp(hi)/2, about 46 bits (Dekker 1971; Knuth)
typedef struct {
    pd_f32 hi, lo;
} pd_two;

PD_FN_SHARED pd_two pd_two_raw(pd_f32 hi, pd_f32 lo)
{
    pd_two x;
    x.hi = hi;
    x.lo = lo;
    return x;
}
PD_FN_SHARED pd_two pd_two_of(pd_f32 hi, pd_f32 lo) // |lo| <= |hi|
{
    pd_two x;
    x.hi = hi + lo;
    x.lo = lo - (x.hi - hi);
    return x;
}
PD_FN_SHARED pd_two pd_two_sum(pd_f32 a, pd_f32 b)
{
    pd_two x;
    pd_f32 t;
    x.hi = a + b;
    t = x.hi - a;
    x.lo = (a - (x.hi - t)) + (b - t);
    return x;
}
PD_FN_SHARED pd_two pd_two_add(pd_two a, pd_two b)
{
    const pd_two high = pd_two_sum(a.hi, b.hi), low = pd_two_sum(a.lo, b.lo);
    const pd_two x = pd_two_of(high.hi, high.lo + low.hi);
    return pd_two_of(x.hi, x.lo + low.lo);
}
PD_FN_SHARED pd_two pd_two_sub(pd_two a, pd_two b)
{
    return pd_two_add(a, pd_two_raw(-b.hi, -b.lo)); // b stays as it is: Mesa hands over the
}                                                   // caller's own
PD_FN_SHARED pd_two pd_two_mul(pd_two a, pd_two b)
{
    const pd_f32 p = a.hi * b.hi, e = PD_FMA(a.hi, b.hi, -p);
    return pd_two_of(p, PD_FMA(a.hi, b.lo, PD_FMA(a.lo, b.hi, e)));
}
PD_FN_SHARED pd_two pd_two_mul1(pd_two a, pd_f32 b)
{
    const pd_f32 p = a.hi * b, e = PD_FMA(a.hi, b, -p);
    return pd_two_of(p, PD_FMA(a.lo, b, e));
}
// Two words from the bits of a number: f32 (`low`), or f64 (no device needs fp64 for it).
PD_FN_SHARED pd_two pd_two_words(pd_u32 low, pd_u32 high, pd_u32 wide)
{
    pd_two x;
    pd_u32 e, shown;
    x.lo = 0.0f;
    if (!wide) {
        x.hi = PD_AS_F32(low);
        return x;
    }
    e = (high >> 20) & 2047u;
    shown = (high & 0x80000000u) | ((high & 0xfffffu) << 3) | (low >> 29); // 23 bits
    if (e <= 896u) { // too small for f32: 0
        x.hi = 0.0f;
    } else if (e >= 1151u) { // too large: Inf, or the NaN
        x.hi = PD_AS_F32((high & 0x80000000u) | 0x7f800000u |
                         ((e == 2047u && ((high & 0xfffffu) | low)) ? 0x400000u : 0u));
    } else {
        x.hi = PD_AS_F32(shown | ((e - 896u) << 23));
        if (e > 949u) { // 2^-52 of it is still normal
            x.lo = (pd_f32)(low & 0x1fffffffu) * PD_AS_F32((e - 948u) << 23); // 29 bits
            if (high & 0x80000000u) x.lo = -x.lo;
            x = pd_two_of(x.hi, x.lo);
        }
    }
    return x;
}

// The same for an element of a tensor.
PD_FN_SHARED pd_two pd_two_load(PD_GPTR(const pd_u32) from, pd_u32 at, pd_u32 wide)
{
    return pd_two_words(from[at], wide ? from[at + 1u] : 0u, wide);
}
