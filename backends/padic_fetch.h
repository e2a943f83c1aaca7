// padic_fetch.h 0.1.0: elements of an array that is packed in the profile FETCH, read by kernels of
// your own, without unpacking. MIT or Unlicense.
//
// In a kernel's text (OpenCL C 1.2, CUDA, HIP), or with PADIC_FETCH_CODE in C, this file is the
// functions; their comments, below, say how they are used. In a host program it is that same text,
// to be compiled in front of a kernel's:
//
//     padic_fetch_lines[PADIC_FETCH_LINES]   one string a line, as clCreateProgramWithSource takes
//     padic_fetch_text(to, room)             all of it, for NVRTC or hiprtc: writes at most `room`
//                                            bytes, the last a 0, and returns the room it takes
//
// Made by tools/amalgamate.py from src/codec/padic_fetch.in.h.
#if defined(__OPENCL_VERSION__) || defined(__OPENCL_C_VERSION__) || defined(__CUDA_ARCH__) || \
    defined(__CUDACC_RTC__) || defined(__HIPCC_RTC__) || defined(PADIC_FETCH_CODE)
#ifndef PADIC_FETCH_CODE_H
#define PADIC_FETCH_CODE_H
// room: src/kernels/dialect.h
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
// room: src/kernels/codec/fetch.h
// fetch.h: elements of an array packed in the profile PADIC_CODEC_PROFILE_FETCH, inside kernels of
// your own.
//
// Text for OpenCL C 1.2, CUDA, HIP and C: put dialect.h in front of it (or include both). The
// packed bytes lie in a buffer, at any offset; it is read in words of 32 bits. Find a block, then
// read its elements in any order; a block is `count` consecutive scalars, as padic_codec_info()
// gives its shape (1-D: block[0] of them, the last one shorter).
//
//     padic_codec_block b;
//     if (padic_codec_block_find(stream, at, size, number, count, 4u, &b))
//         x = PD_AS_F32((pd_u32)padic_codec_fetch(stream, b, i, 4u, PADIC_FETCH_FLOAT));
//
// Whatever the bytes are, nothing outside the stream is read: an invalid block is not found.
// Checksums are not verified; padic_codec_unpack() or padic_codec_verify() do that once for all.
#ifndef PADIC_CODEC_FETCH_H
#define PADIC_CODEC_FETCH_H

#define PADIC_FETCH_UNSIGNED 0u // kinds of scalars
#define PADIC_FETCH_SIGNED 1u
#define PADIC_FETCH_FLOAT 2u

typedef struct {
    pd_u64 bits;        // bit of the buffer with which element 0 begins
    pd_u64 first, step; // word n makes first + step n
    pd_u32 width, shift, raw, count;
    pd_f32 scale; // not 0: within a bound, word n makes n times this
} padic_codec_block;

// `width` bits from bit `at` on; 12 bytes from its word on must exist.
PD_FN pd_u64 padic_fetch_bits(PD_GPTR(const pd_u32) stream, pd_u64 at, pd_u32 width)
{
    PD_GPTR(const pd_u32) p = stream + (at >> 5);
    const pd_u32 s = (pd_u32)at & 31u;
    pd_u64 x = PD_U64(p[0], p[1]) >> s;
    if (64u - s < width) x |= (pd_u64)p[2] << (64u - s);
    return width < 64u ? x & (((pd_u64)1u << width) - 1u) : x;
}

// Finds block `number`, of `count` scalars of `bytes` (1, 2, 4, 8) bytes, in the stream of `size`
// bytes that starts with byte `at` of the buffer. 0: there is no such block that can be read like
// this.
PD_FN pd_u32 padic_codec_block_find(PD_GPTR(const pd_u32) stream, pd_u64 at, pd_u64 size,
                                    pd_u32 number, pd_u32 count, pd_u32 bytes,
                                    padic_codec_block *b)
{
    pd_u64 index, frame, payload, head, used, g, from, most;
    b->scale = 0.0f;
    b->bits = b->first = 0u;
    b->step = 1u;
    b->width = b->shift = b->raw = b->count = 0u;
    if (size < 88u || count == 0u || count > 1048576u) return 0u;
    index = padic_fetch_bits(stream, 8u * (at + size - 24u), 64u);
    if (index < 40u || index > size - 48u || (size - index - 48u) / 8u <= number) return 0u;
    frame = padic_fetch_bits(stream, 8u * (at + index + 24u + 8u * (pd_u64)number), 64u);
    if (frame < 40u || frame > index - 16u) return 0u;
    payload = padic_fetch_bits(stream, 8u * (at + frame), 32u); // bytes of the payload
    if (payload < 22u || payload > index - frame - 16u) return 0u;
    at += frame + 16u;
    head = padic_fetch_bits(stream, 8u * at, 48u);
    if ((head & 255u) == 5u) { // raw elements
        if (payload != (pd_u64)count * bytes + 9u) return 0u;
        b->raw = 1u;
        b->width = 8u * bytes;
        b->bits = 8u * (at + 1u);
    } else if (head == PD_U64(0x03000000u, 0u)) { // all are equal
        if (payload != 22u) return 0u;
        b->first = padic_fetch_bits(stream, 8u * (at + 6u), 64u);
        b->bits = 8u * at;
    } else {
        if ((head & PD_U64(0xffffffffu, 0xffu)) == PD_U64(0x1002u, 2u) && bytes >= 4u) {
            g = padic_fetch_bits(stream, 8u * (at + 5u), 64u); // 24 bits from 2^-100 to 2^101
            if (g >> 52 < 923u || g >> 52 > 1123u || (pd_u32)g & 0x1fffffffu || payload < 47u)
                return 0u;
            b->scale = PD_AS_F32((pd_u32)((g - PD_U64(0u, 896u << 20)) >> 29));
            head = PD_U64(0x1000u, 2u);
            at += 7u;
            payload -= 7u;
        }
        if ((head & PD_U64(0xffffffffu, 0xffu)) != PD_U64(0x1000u, 2u) || payload < 40u) return 0u;
        b->shift = (pd_u32)(head >> 40);
        b->step = padic_fetch_bits(stream, 8u * (at + 6u), 64u);
        b->first = padic_fetch_bits(stream, 8u * (at + 14u), 64u);
        head = padic_fetch_bits(stream, 8u * (at + 22u), 48u); // coder, width, no exceptions
        b->width = (pd_u32)(head >> 8);
        if ((head & 255u) != 1u || head >> 16 || b->width > 64u || b->shift > 63u) return 0u;
        used = ((pd_u64)count * b->width + 7u) / 8u;
        if (payload != 40u + used || padic_fetch_bits(stream, 8u * (at + 28u), 32u) != used)
            return 0u;
        b->bits = 8u * (at + 32u);
        // words of a scale are below 2^24, those of f64 up to 2^40
        most = bytes == 8u ? PD_U64(0u, 512u) : 0x1ffffffu;
        from = b->first + (bytes == 8u ? PD_U64(0u, 256u) : 0x1000000u);
        used = b->width < 64u ? ((pd_u64)1u << b->width) - 1u : most + 1u; // the largest digit
        if (b->scale != 0.0f && (from > most || used > most || PD_MULHI64(b->step, used) ||
                                 b->step * used > most - from))
            return 0u;
    }
    b->count = count;
    return 1u;
}

// The bits as f64 of n times a scale, |n| up to 2^40, rounded once.
PD_FN pd_u64 padic_fetch_scaled(pd_u64 n, pd_f32 scale)
{
    const pd_u32 g = PD_AS_U32(scale);
    const pd_u64 negative = 0u - (n >> 63);
    pd_u64 x = ((n ^ negative) - negative) * ((g & 0x7fffffu) | 0x800000u);
    const pd_u32 high = (pd_u32)(x >> 32);
    const pd_u32 up = high ? PD_CLZ(high) : 32u + PD_CLZ((pd_u32)x | 1u);
    if (x == 0u) return 0u;
    x <<= up;
    x = ((pd_u64)((g >> 23) + 935u - up) << 52) + (x >> 11) +
        (((x & 2047u) + 1023u + (x >> 11 & 1u)) >> 11);
    return x | (negative & (pd_u64)1u << 63);
}

// The bits of element i (in the lowest `bytes` bytes); 0 if there is none.
PD_FN pd_u64 padic_codec_fetch(PD_GPTR(const pd_u32) stream, const padic_codec_block b, pd_u32 i,
                               pd_u32 bytes, pd_u32 kind)
{
    pd_u64 z, n, negative;
    if (i >= b.count) return 0u;
    z = padic_fetch_bits(stream, b.bits + (pd_u64)i * b.width, b.width);
    if (b.raw) return z;
    n = b.first + b.step * z;
    if ((b.scale != 0.0f || b.shift) && kind != PADIC_FETCH_FLOAT) return 0u;
    if (b.scale != 0.0f && bytes == 8u) return padic_fetch_scaled(n, b.scale);
    if (b.scale != 0.0f) return PD_AS_U32((pd_f32)(pd_i32)n * b.scale);
    if (kind == PADIC_FETCH_FLOAT) {
        negative = 0u - (n >> (8u * bytes - 1u) & 1u);
        n = ((n ^ negative) << b.shift) ^ negative << (8u * bytes - 1u);
    }
    return bytes < 8u ? n & (((pd_u64)1u << (8u * bytes)) - 1u) : n;
}

#endif // PADIC_CODEC_FETCH_H
// room: src/codec/padic_fetch.in.h:19
#endif
#else
#ifndef PADIC_FETCH_H
#define PADIC_FETCH_H
#include <string.h>

static const char *const padic_fetch_lines[] = {
// room: src/made/fetch.h
    "// dialect.h: one kernel text for OpenCL C 1.2, NVRTC, nvcc, hiprtc, clang and plain C.\n",
    "//\n",
    "// A kernel takes up to 8 buffers, then one struct of 32-bit values. Tunables are #ifndef defines.\n",
    "// Three readers: OpenCL, the CUDA family (NVIDIA and AMD), and a C compiler inside a harness.\n",
    "// README.md in this folder has the rules. A new word is defined for all three or not at all.\n",
    "#ifndef PD_WG\n",
    "#define PD_WG 128 // work-items of a group; every kernel that does not say otherwise uses this\n",
    "#endif\n",
    "#define PD_KERNEL(name) PD_KERNEL_WG(name, PD_WG)\n",
    "// PD_KERNEL_MIN(name, n, groups): reserves registers for so many concurrent groups; a hint, where\n",
    "// ptxas needs one.\n",
    "\n",
    "// Features of the device beyond the minimum; the library passes these with every build.\n",
    "#ifndef PD_HAS_F64\n",
    "#define PD_HAS_F64 0 // pd_f64 and the words that end in 64 and take one\n",
    "#endif\n",
    "#ifndef PD_HAS_I64_ATOMICS\n",
    "#define PD_HAS_I64_ATOMICS 0 // PD_ATOMIC_ADD64_G\n",
    "#endif\n",
    "#ifndef PD_LOCAL_BYTES\n",
    "#define PD_LOCAL_BYTES 16384 // local memory of a group\n",
    "#endif\n",
    "#ifndef PD_HAS_WARPS // PD_BALLOT PD_SHUFFLE_... PD_BARRIER_WARP PD_F32_DOWN\n",
    "#if defined(__CUDA_ARCH__)\n",
    "#define PD_HAS_WARPS 1 // 32 consecutive items run together\n",
    "#else\n",
    "#define PD_HAS_WARPS 0\n",
    "#endif\n",
    "#endif\n",
    "\n",
    "#if defined(__OPENCL_VERSION__) || defined(__OPENCL_C_VERSION__)\n",
    "// ---- OpenCL C 1.2\n",
    "#pragma OPENCL FP_CONTRACT OFF\n",
    "#if PD_HAS_F64\n",
    "#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n",
    "#endif\n",
    "#if PD_HAS_I64_ATOMICS\n",
    "#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable\n",
    "#endif\n",
    "#define PD_IS_OPENCL 1\n",
    "#define PD_IS_CUDA 0\n",
    "#define PD_IS_C 0\n",
    "typedef uchar pd_u8;\n",
    "typedef ushort pd_u16;\n",
    "typedef int pd_i32;\n",
    "typedef uint pd_u32;\n",
    "typedef long pd_i64;\n",
    "typedef ulong pd_u64;\n",
    "typedef float pd_f32;\n",
    "#define PD_KERNEL_WG(name, n) __kernel __attribute__((reqd_work_group_size(n, 1, 1))) void name\n",
    "#define PD_KERNEL_MIN(name, n, groups) PD_KERNEL_WG(name, n)\n",
    "#define PD_FN static inline\n",
    "#define PD_FN_SHARED static inline __attribute__((unused)) // of the dialect itself\n",
    "#define PD_BUF(T, name) __global T *restrict name\n",
    "#define PD_CBUF(T, name) __global const T *restrict name\n",
    "#define PD_PARAMS(T, name) const T name\n",
    "#define PD_GPTR(T) __global T * // pointer types for the arguments of PD_FN functions\n",
    "#define PD_LPTR(T) __local T *\n",
    "#define PD_LOCAL __local\n",
    "#define PD_TABLE static __constant // a constant table at file scope\n",
    "#define PD_BARRIER() barrier(CLK_LOCAL_MEM_FENCE)\n",
    "#define PD_BARRIER_ALL() barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)\n",
    "#define PD_LID ((pd_u32)get_local_id(0))\n",
    "#define PD_GRP ((pd_u32)get_group_id(0))\n",
    "#define PD_GRP_Y ((pd_u32)get_group_id(1))\n",
    "#define PD_GRP_Z ((pd_u32)get_group_id(2))\n",
    "#define PD_NGRP ((pd_u32)get_num_groups(0))\n",
    "#define PD_ATOMIC_ADD_G(p, v) atomic_add((volatile __global pd_u32 *)(p), (pd_u32)(v))\n",
    "#define PD_ATOMIC_ADD_L(p, v) atomic_add((volatile __local pd_u32 *)(p), (pd_u32)(v))\n",
    "#define PD_ATOMIC_OR_G(p, v) atomic_or((volatile __global pd_u32 *)(p), (pd_u32)(v))\n",
    "#define PD_ATOMIC_OR_L(p, v) atomic_or((volatile __local pd_u32 *)(p), (pd_u32)(v))\n",
    "#define PD_ATOMIC_MAX_G(p, v) atomic_max((volatile __global pd_u32 *)(p), (pd_u32)(v))\n",
    "#define PD_MULHI32(a, b) mul_hi((pd_u32)(a), (pd_u32)(b))\n",
    "#define PD_MULHI64(a, b) mul_hi((pd_u64)(a), (pd_u64)(b))\n",
    "#define PD_MULWIDE(a, b) ((pd_u64)(pd_u32)(a) * (pd_u32)(b))\n",
    "#define PD_STORE16_IF(on, p, i, x) \\\n",
    "    do {                           \\\n",
    "        if (on) (p)[i] = (pd_u16)(x); \\\n",
    "    } while (0)\n",
    "#define PD_POPCOUNT(x) popcount((pd_u32)(x))\n",
    "#define PD_CLZ(x) clz((pd_u32)(x)) // of 0: 32\n",
    "#define PD_AS_U32(x) as_uint(x)\n",
    "#define PD_AS_F32(x) as_float(x)\n",
    "#define PD_FMA(a, b, c) fma((pd_f32)(a), (pd_f32)(b), (pd_f32)(c))\n",
    "#define PD_FABS(x) fabs((pd_f32)(x))\n",
    "#define PD_FLOOR(x) floor((pd_f32)(x))\n",
    "#define PD_RINT(x) rint((pd_f32)(x)) // ties to even\n",
    "#define PD_SQRT(x) sqrt((pd_f32)(x))\n",
    "#define PD_RSQRT(x) rsqrt((pd_f32)(x))\n",
    "#define PD_SIN(x) sin((pd_f32)(x))\n",
    "#define PD_COS(x) cos((pd_f32)(x))\n",
    "#define PD_EXP(x) exp((pd_f32)(x))\n",
    "#define PD_LOG(x) log((pd_f32)(x))\n",
    "#define PD_FAST_RSQRT(x) native_rsqrt((pd_f32)(x)) // the device's fastest version; the area's page\n",
    "#define PD_FAST_SIN(x) native_sin((pd_f32)(x))     // bounds the error\n",
    "#define PD_FAST_COS(x) native_cos((pd_f32)(x))\n",
    "#define PD_LOAD_TWO(a, b, p)                                                     \\\n",
    "    do {                                                                         \\\n",
    "        const float2 two = *(const __global float2 *)(const __global void *)(p); \\\n",
    "        (a) = two.x;                                                             \\\n",
    "        (b) = two.y;                                                             \\\n",
    "    } while (0)\n",
    "#define PD_STORE_TWO(p, a, b) (*(__global float2 *)(__global void *)(p) = (float2)((a), (b)))\n",
    "#if PD_HAS_I64_ATOMICS\n",
    "#define PD_ATOMIC_ADD64_G(p, v) atom_add((volatile __global pd_u64 *)(p), (pd_u64)(v))\n",
    "#endif\n",
    "#if PD_HAS_F64\n",
    "typedef double pd_f64; // tools/kernels.py allows the word here only\n",
    "#define PD_FMA64(a, b, c) fma((pd_f64)(a), (pd_f64)(b), (pd_f64)(c))\n",
    "#define PD_SQRT64(x) sqrt((pd_f64)(x))\n",
    "#define PD_AS_U64(x) as_ulong(x)\n",
    "#define PD_AS_F64(x) as_double(x)\n",
    "#define PD_LOAD_TWO64(a, b, p)                                                     \\\n",
    "    do {                                                                           \\\n",
    "        const double2 two = *(const __global double2 *)(const __global void *)(p); \\\n",
    "        (a) = two.x;                                                               \\\n",
    "        (b) = two.y;                                                               \\\n",
    "    } while (0)\n",
    "#define PD_STORE_TWO64(p, a, b) (*(__global double2 *)(__global void *)(p) = (double2)((a), (b)))\n",
    "#endif\n",
    "\n",
    "#elif defined(__CUDACC__) || defined(__CUDACC_RTC__) || defined(__HIPCC__) || \\\n",
    "    defined(__HIPCC_RTC__) || defined(__HIP__) || defined(__CUDA__)\n",
    "// ---- CUDA C++14 (NVRTC, nvcc, clang -x cuda) and HIP (hiprtc, hipcc, clang -x hip)\n",
    "#define PD_IS_OPENCL 0\n",
    "#define PD_IS_CUDA 1\n",
    "#define PD_IS_C 0\n",
    "typedef unsigned char pd_u8;\n",
    "typedef unsigned short pd_u16;\n",
    "typedef int pd_i32;\n",
    "typedef unsigned int pd_u32;\n",
    "typedef long long pd_i64;\n",
    "typedef unsigned long long pd_u64;\n",
    "typedef float pd_f32;\n",
    "#define PD_KERNEL_WG(name, n) extern \"C\" __global__ void __launch_bounds__(n) name\n",
    "#define PD_KERNEL_MIN(name, n, groups) extern \"C\" __global__ void __launch_bounds__(n, groups) name\n",
    "#define PD_FN static __device__ __forceinline__\n",
    "#define PD_FN_SHARED __device__ __forceinline__ // not static: EDG would warn if it is unused\n",
    "#define PD_BUF(T, name) T *__restrict__ name\n",
    "#define PD_CBUF(T, name) const T *__restrict__ name\n",
    "#define PD_PARAMS(T, name) const T name\n",
    "#define PD_GPTR(T) T *\n",
    "#define PD_LPTR(T) T *\n",
    "#define PD_LOCAL __shared__\n",
    "#define PD_TABLE static __constant__ const\n",
    "#define PD_BARRIER() __syncthreads()\n",
    "#define PD_BARRIER_ALL() __syncthreads()\n",
    "#define PD_LID ((pd_u32)threadIdx.x)\n",
    "#define PD_GRP ((pd_u32)blockIdx.x)\n",
    "#define PD_GRP_Y ((pd_u32)blockIdx.y)\n",
    "#define PD_GRP_Z ((pd_u32)blockIdx.z)\n",
    "#define PD_NGRP ((pd_u32)gridDim.x)\n",
    "#define PD_ATOMIC_ADD_G(p, v) atomicAdd((pd_u32 *)(p), (pd_u32)(v))\n",
    "#define PD_ATOMIC_ADD_L(p, v) atomicAdd((pd_u32 *)(p), (pd_u32)(v))\n",
    "#define PD_ATOMIC_OR_G(p, v) atomicOr((pd_u32 *)(p), (pd_u32)(v))\n",
    "#define PD_ATOMIC_OR_L(p, v) atomicOr((pd_u32 *)(p), (pd_u32)(v))\n",
    "#define PD_ATOMIC_MAX_G(p, v) atomicMax((pd_u32 *)(p), (pd_u32)(v))\n",
    "#define PD_MULHI32(a, b) __umulhi((pd_u32)(a), (pd_u32)(b))\n",
    "#define PD_MULHI64(a, b) __umul64hi((pd_u64)(a), (pd_u64)(b))\n",
    "#if defined(__NVCC__) || defined(__CUDACC_RTC__)\n",
    "// Inline assembly: a factor that was widened before a loop would be treated as 64-bit.\n",
    "static __device__ __forceinline__ pd_u64 PD_MULWIDE(pd_u32 a, pd_u32 b)\n",
    "{\n",
    "    pd_u64 x;\n",
    "    asm(\"mul.wide.u32 %0, %1, %2;\" : \"=l\"(x) : \"r\"(a), \"r\"(b));\n",
    "    return x;\n",
    "}\n",
    "// No branch around the address computation.\n",
    "static __device__ __forceinline__ void PD_STORE16_IF(pd_u32 on, pd_u16 *p, pd_u32 i, pd_u32 x)\n",
    "{\n",
    "    asm volatile(\"{ .reg .pred p;\\n setp.ne.u32 p, %0, 0;\\n @p st.global.u16 [%1], %2; }\"\n",
    "                 :\n",
    "                 : \"r\"(on), \"l\"((char *)p + PD_MULWIDE(i, 2u)), \"h\"((pd_u16)x)\n",
    "                 : \"memory\");\n",
    "}\n",
    "#else\n",
    "#define PD_STORE16_IF(on, p, i, x) \\\n",
    "    do {                           \\\n",
    "        if (on) (p)[i] = (pd_u16)(x); \\\n",
    "    } while (0)\n",
    "#define PD_MULWIDE(a, b) ((pd_u64)(pd_u32)(a) * (pd_u32)(b))\n",
    "#endif\n",
    "#define PD_POPCOUNT(x) ((pd_u32)__popc((pd_u32)(x)))\n",
    "#define PD_CLZ(x) ((pd_u32)__clz((int)(x)))\n",
    "#define PD_AS_U32(x) __float_as_uint(x)\n",
    "#define PD_AS_F32(x) __uint_as_float(x)\n",
    "#define PD_FMA(a, b, c) fmaf((a), (b), (c))\n",
    "#define PD_FABS(x) fabsf(x)\n",
    "#define PD_FLOOR(x) floorf(x)\n",
    "#define PD_RINT(x) rintf(x)\n",
    "#define PD_SQRT(x) sqrtf(x)\n",
    "#define PD_RSQRT(x) rsqrtf(x)\n",
    "#define PD_SIN(x) sinf(x)\n",
    "#define PD_COS(x) cosf(x)\n",
    "#define PD_EXP(x) expf(x)\n",
    "#define PD_LOG(x) logf(x)\n",
    "#define PD_FAST_RSQRT(x) rsqrtf(x)\n",
    "#define PD_FAST_SIN(x) __sinf(x)\n",
    "#define PD_FAST_COS(x) __cosf(x)\n",
    "#define PD_LOAD_TWO(a, b, p)                    \\\n",
    "    do {                                        \\\n",
    "        const float2 two = *(const float2 *)(p); \\\n",
    "        (a) = two.x;                            \\\n",
    "        (b) = two.y;                            \\\n",
    "    } while (0)\n",
    "#define PD_STORE_TWO(p, a, b) (*(float2 *)(p) = make_float2((a), (b)))\n",
    "#if PD_HAS_I64_ATOMICS\n",
    "#define PD_ATOMIC_ADD64_G(p, v) atomicAdd((pd_u64 *)(p), (pd_u64)(v))\n",
    "#endif\n",
    "#if PD_HAS_WARPS\n",
    "#define PD_BALLOT(x) ((pd_u32)__ballot_sync(0xffffffffu, (int)(x)))\n",
    "#define PD_SHUFFLE(x, lane) __shfl_sync(0xffffffffu, (pd_u32)(x), (int)(lane))\n",
    "#define PD_SHUFFLE_UP(x, n) __shfl_up_sync(0xffffffffu, (pd_u32)(x), (n))\n",
    "#define PD_SHUFFLE_UP64(x, n) __shfl_up_sync(0xffffffffu, (pd_u64)(x), (n))\n",
    "#define PD_SHUFFLE_XOR64(x, n) __shfl_xor_sync(0xffffffffu, (pd_u64)(x), (int)(n))\n",
    "#define PD_BARRIER_WARP() __syncwarp()\n",
    "#define PD_F32_DOWN(x) __uint2float_rz((pd_u32)(x)) // rounded towards 0\n",
    "#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800\n",
    "#define PD_WARP_OR(x) __reduce_or_sync(0xffffffffu, (pd_u32)(x))\n",
    "#define PD_WARP_MAX(x) __reduce_max_sync(0xffffffffu, (pd_i32)(x))\n",
    "#define PD_WARP_SUM(x) __reduce_add_sync(0xffffffffu, (pd_u32)(x))\n",
    "#else\n",
    "static __device__ __forceinline__ pd_u32 PD_WARP_OR(pd_u32 x)\n",
    "{\n",
    "    pd_u32 i;\n",
    "    for (i = 16u; i > 0u; i /= 2u) x |= __shfl_xor_sync(0xffffffffu, x, (int)i);\n",
    "    return x;\n",
    "}\n",
    "static __device__ __forceinline__ pd_u32 PD_WARP_SUM(pd_u32 x)\n",
    "{\n",
    "    pd_u32 i;\n",
    "    for (i = 16u; i > 0u; i /= 2u) x += __shfl_xor_sync(0xffffffffu, x, (int)i);\n",
    "    return x;\n",
    "}\n",
    "static __device__ __forceinline__ pd_i32 PD_WARP_MAX(pd_i32 x)\n",
    "{\n",
    "    pd_u32 i;\n",
    "    for (i = 16u; i > 0u; i /= 2u) {\n",
    "        const pd_i32 y = __shfl_xor_sync(0xffffffffu, x, (int)i);\n",
    "        x = y > x \? y : x;\n",
    "    }\n",
    "    return x;\n",
    "}\n",
    "#endif\n",
    "// x, plus that of the item n before in 32, or in 8, if there is one. Inline assembly: a conditional\n",
    "// sum would take one more instruction.\n",
    "#define PD_SHUFFLE_SUM(name, c)                                                             \\\n",
    "    static __device__ __forceinline__ pd_u32 name(pd_u32 x, pd_u32 n)                       \\\n",
    "    {                                                                                       \\\n",
    "        pd_u32 y;                                                                           \\\n",
    "        asm volatile(\"{\\n.reg .u32 r;\\n.reg .pred p;\\n\"                                     \\\n",
    "                     \"shfl.sync.up.b32 r|p, %1, %2, \" c \", 0xffffffff;\\n\"                   \\\n",
    "                     \"@p add.u32 r, r, %1;\\nmov.u32 %0, r;\\n}\"                              \\\n",
    "                     : \"=r\"(y)                                                              \\\n",
    "                     : \"r\"(x), \"r\"(n));                                                     \\\n",
    "        return y;                                                                           \\\n",
    "    }\n",
    "PD_SHUFFLE_SUM(PD_SUM_UP, \"0\")\n",
    "PD_SHUFFLE_SUM(PD_SUM_UP_8, \"0x1800\")\n",
    "// Two words of 64 bits, the first aligned to 16 bytes.\n",
    "#define PD_PAIRED(p) (((pd_u64)(p) & 15u) == 0u)\n",
    "#define PD_STORE_PAIR(p, a, b) (*(ulonglong2 *)(p) = make_ulonglong2((a), (b)))\n",
    "#define PD_LOAD_PAIR(a, b, p)                             \\\n",
    "    do {                                                  \\\n",
    "        const ulonglong2 pair = *(const ulonglong2 *)(p); \\\n",
    "        (a) = pair.x;                                     \\\n",
    "        (b) = pair.y;                                     \\\n",
    "    } while (0)\n",
    "#endif\n",
    "#if PD_HAS_F64\n",
    "typedef double pd_f64;\n",
    "#define PD_FMA64(a, b, c) fma((pd_f64)(a), (pd_f64)(b), (pd_f64)(c))\n",
    "#define PD_SQRT64(x) sqrt((pd_f64)(x))\n",
    "#define PD_AS_U64(x) ((pd_u64)__double_as_longlong(x))\n",
    "#define PD_AS_F64(x) __longlong_as_double((pd_i64)(x))\n",
    "#define PD_LOAD_TWO64(a, b, p)                     \\\n",
    "    do {                                           \\\n",
    "        const double2 two = *(const double2 *)(p); \\\n",
    "        (a) = two.x;                               \\\n",
    "        (b) = two.y;                               \\\n",
    "    } while (0)\n",
    "#define PD_STORE_TWO64(p, a, b) (*(double2 *)(p) = make_double2((a), (b)))\n",
    "#endif\n",
    "\n",
    "#else\n",
    "// ---- plain C; the harness supplies ids and the barrier, and runs one group at a time\n",
    "#define PD_IS_OPENCL 0\n",
    "#define PD_IS_CUDA 0\n",
    "#define PD_IS_C 1\n",
    "#if defined(__clang__)\n",
    "#pragma STDC FP_CONTRACT OFF // gcc takes -ffp-contract=off on the command line\n",
    "#endif\n",
    "#include <math.h>\n",
    "#include <stdint.h>\n",
    "#include <string.h>\n",
    "typedef uint8_t pd_u8;\n",
    "typedef uint16_t pd_u16;\n",
    "typedef int32_t pd_i32;\n",
    "typedef uint32_t pd_u32;\n",
    "typedef int64_t pd_i64;\n",
    "typedef uint64_t pd_u64;\n",
    "typedef float pd_f32;\n",
    "#define PD_KERNEL_WG(name, n) static void name\n",
    "#define PD_KERNEL_MIN(name, n, groups) PD_KERNEL_WG(name, n)\n",
    "#define PD_FN static inline\n",
    "#define PD_FN_SHARED static inline __attribute__((unused))\n",
    "#define PD_BUF(T, name) T *name\n",
    "#define PD_CBUF(T, name) const T *name\n",
    "#define PD_PARAMS(T, name) const T name\n",
    "#define PD_GPTR(T) T *\n",
    "#define PD_LPTR(T) T *\n",
    "#define PD_LOCAL static // one group at a time, so static storage is shared by the group\n",
    "#define PD_TABLE static const\n",
    "// The harness compares line numbers: all items of a group must wait at the same barrier.\n",
    "#define PD_BARRIER() pd_host_barrier(__LINE__)\n",
    "#define PD_BARRIER_ALL() pd_host_barrier(__LINE__)\n",
    "#define PD_LID pd_host_lid\n",
    "#define PD_GRP pd_host_grp[0]\n",
    "#define PD_GRP_Y pd_host_grp[1]\n",
    "#define PD_GRP_Z pd_host_grp[2]\n",
    "#define PD_NGRP pd_host_ngrp\n",
    "#define PD_ATOMIC_ADD_G(p, v) __atomic_fetch_add((p), (pd_u32)(v), __ATOMIC_RELAXED)\n",
    "#define PD_ATOMIC_ADD_L(p, v) __atomic_fetch_add((p), (pd_u32)(v), __ATOMIC_RELAXED)\n",
    "#define PD_ATOMIC_OR_G(p, v) __atomic_fetch_or((p), (pd_u32)(v), __ATOMIC_RELAXED)\n",
    "#define PD_ATOMIC_OR_L(p, v) __atomic_fetch_or((p), (pd_u32)(v), __ATOMIC_RELAXED)\n",
    "#define PD_ATOMIC_MAX_G(p, v) pd_host_max((p), (pd_u32)(v))\n",
    "#define PD_ATOMIC_ADD64_G(p, v) __atomic_fetch_add((p), (pd_u64)(v), __ATOMIC_RELAXED)\n",
    "#define PD_MULHI32(a, b) ((pd_u32)(((pd_u64)(pd_u32)(a) * (pd_u32)(b)) >> 32))\n",
    "#define PD_MULHI64(a, b) pd_host_mulhi64((a), (b))\n",
    "#define PD_MULWIDE(a, b) ((pd_u64)(pd_u32)(a) * (pd_u32)(b))\n",
    "#define PD_STORE16_IF(on, p, i, x) \\\n",
    "    do {                           \\\n",
    "        if (on) (p)[i] = (pd_u16)(x); \\\n",
    "    } while (0)\n",
    "#define PD_POPCOUNT(x) ((pd_u32)__builtin_popcount((pd_u32)(x)))\n",
    "#define PD_CLZ(x) pd_host_clz((pd_u32)(x))\n",
    "#define PD_FMA(a, b, c) fmaf((a), (b), (c))\n",
    "#define PD_FABS(x) fabsf(x)\n",
    "#define PD_FLOOR(x) floorf(x)\n",
    "#define PD_RINT(x) rintf(x)\n",
    "#define PD_SQRT(x) sqrtf(x)\n",
    "#define PD_RSQRT(x) (1.0f / sqrtf(x))\n",
    "#define PD_SIN(x) sinf(x)\n",
    "#define PD_COS(x) cosf(x)\n",
    "#define PD_EXP(x) expf(x)\n",
    "#define PD_LOG(x) logf(x)\n",
    "#define PD_FAST_RSQRT(x) PD_RSQRT(x)\n",
    "#define PD_FAST_SIN(x) sinf(x)\n",
    "#define PD_FAST_COS(x) cosf(x)\n",
    "#define PD_LOAD_TWO(a, b, p) ((a) = (p)[0], (b) = (p)[1])\n",
    "#define PD_STORE_TWO(p, a, b) ((p)[0] = (a), (p)[1] = (b))\n",
    "#define PD_LOAD_TWO64 PD_LOAD_TWO\n",
    "#define PD_STORE_TWO64 PD_STORE_TWO\n",
    "static inline pd_u32 PD_AS_U32(pd_f32 x)\n",
    "{\n",
    "    pd_u32 u;\n",
    "    memcpy(&u, &x, 4);\n",
    "    return u;\n",
    "}\n",
    "static inline pd_f32 PD_AS_F32(pd_u32 u)\n",
    "{\n",
    "    pd_f32 x;\n",
    "    memcpy(&x, &u, 4);\n",
    "    return x;\n",
    "}\n",
    "static inline pd_u32 pd_host_clz(pd_u32 x)\n",
    "{\n",
    "    return x \? (pd_u32)__builtin_clz(x) : 32u;\n",
    "}\n",
    "static inline pd_u32 pd_host_max(pd_u32 *p, pd_u32 v)\n",
    "{\n",
    "    pd_u32 old = __atomic_load_n(p, __ATOMIC_RELAXED);\n",
    "    while (old < v)\n",
    "        if (__atomic_compare_exchange_n(p, &old, v, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) break;\n",
    "    return old;\n",
    "}\n",
    "#if PD_HAS_WARPS // as slow as possible, to test the text; all items of the group reach them\n",
    "#define PD_BALLOT(x) ((pd_u32)pd_host_warp((x) \? 1u : 0u, 0, 0u, __LINE__))\n",
    "#define PD_SHUFFLE(x, lane) ((pd_u32)pd_host_warp((pd_u32)(x), 3, (lane), __LINE__))\n",
    "#define PD_SHUFFLE_UP(x, n) ((pd_u32)pd_host_warp((pd_u32)(x), 1, (n), __LINE__))\n",
    "#define PD_SHUFFLE_UP64(x, n) pd_host_warp((x), 1, (n), __LINE__)\n",
    "#define PD_SHUFFLE_XOR64(x, n) pd_host_warp((x), 2, (n), __LINE__)\n",
    "#define PD_BARRIER_WARP() pd_host_barrier(__LINE__)\n",
    "static inline pd_f32 PD_F32_DOWN(pd_u32 x)\n",
    "{\n",
    "    const pd_u32 below = 32u - pd_host_clz(x) > 24u \? 8u - pd_host_clz(x) : 0u; // 24 bits stay\n",
    "    return (pd_f32)(x >> below << below);\n",
    "}\n",
    "#define PD_WARP_OR(x) ((pd_u32)pd_host_warp((pd_u32)(x), 6, 0u, __LINE__))\n",
    "#define PD_WARP_MAX(x) \\\n",
    "    ((pd_i32)(pd_u32)pd_host_warp((pd_u32)(x) ^ 0x80000000u, 7, 0u, __LINE__) ^ (pd_i32)0x80000000u)\n",
    "#define PD_WARP_SUM(x) ((pd_u32)pd_host_warp((pd_u32)(x), 8, 0u, __LINE__))\n",
    "#define PD_SUM_UP(x, n) ((pd_u32)pd_host_warp((pd_u32)(x), 4, (n), __LINE__))\n",
    "#define PD_SUM_UP_8(x, n) ((pd_u32)pd_host_warp((pd_u32)(x), 5, (n), __LINE__))\n",
    "#define PD_PAIRED(p) (((pd_u64)(size_t)(p) & 15u) == 0u)\n",
    "#define PD_STORE_PAIR(p, a, b) ((p)[0] = (a), (p)[1] = (b))\n",
    "#define PD_LOAD_PAIR(a, b, p) ((a) = (p)[0], (b) = (p)[1])\n",
    "static inline pd_u64 pd_host_warp(pd_u64 x, int way, pd_u32 n, int line)\n",
    "{\n",
    "    static pd_u64 seen[1024];\n",
    "    const pd_u32 lane = pd_host_lid % 32u, first = pd_host_lid - lane;\n",
    "    pd_u32 i;\n",
    "    seen[pd_host_lid] = x;\n",
    "    pd_host_barrier(line);\n",
    "    if (way == 0)\n",
    "        for (x = 0, i = 0; i < 32u; i++) x |= seen[first + i] << i;\n",
    "    else if (way == 8)\n",
    "        for (x = 0, i = 0; i < 32u; i++) x += seen[first + i];\n",
    "    else if (way > 5)\n",
    "        for (i = 0; i < 32u; i++)\n",
    "            x = way == 6 \? x | seen[first + i] : x > seen[first + i] \? x : seen[first + i];\n",
    "    else if (way > 3)\n",
    "        x += lane % (way == 4 \? 32u : 8u) < n \? 0u : seen[first + lane - n];\n",
    "    else\n",
    "        x = seen[first + (way == 3 \? n & 31u : way == 2 \? lane ^ n : lane < n \? lane : lane - n)];\n",
    "    pd_host_barrier(line);\n",
    "    return x;\n",
    "}\n",
    "#endif\n",
    "static inline pd_u64 pd_host_mulhi64(pd_u64 a, pd_u64 b)\n",
    "{\n",
    "    pd_u64 al = (pd_u32)a, ah = a >> 32, bl = (pd_u32)b, bh = b >> 32;\n",
    "    pd_u64 p0 = al * bl, p1 = al * bh, p2 = ah * bl;\n",
    "    pd_u64 mid = (p0 >> 32) + (pd_u32)p1 + (pd_u32)p2;\n",
    "    return ah * bh + (p1 >> 32) + (p2 >> 32) + (mid >> 32);\n",
    "}\n",
    "#if PD_HAS_F64\n",
    "typedef double pd_f64;\n",
    "#define PD_FMA64(a, b, c) fma((a), (b), (c))\n",
    "#define PD_SQRT64(x) sqrt(x)\n",
    "static inline pd_u64 PD_AS_U64(pd_f64 x)\n",
    "{\n",
    "    pd_u64 u;\n",
    "    memcpy(&u, &x, 8);\n",
    "    return u;\n",
    "}\n",
    "static inline pd_f64 PD_AS_F64(pd_u64 u)\n",
    "{\n",
    "    pd_f64 x;\n",
    "    memcpy(&x, &u, 8);\n",
    "    return x;\n",
    "}\n",
    "#endif\n",
    "#endif\n",
    "\n",
    "#define PD_GID (PD_GRP * (pd_u32)PD_WG + PD_LID)\n",
    "#define PD_U64(lo, hi) (((pd_u64)(hi) << 32) | (pd_u64)(lo)) // params carry 32-bit halves\n",
    "// Storage of small floats, exact whatever the device does with subnormals; `h` is used repeatedly.\n",
    "#define PD_BF16_TO_F32(h) PD_AS_F32((pd_u32)(h) << 16)\n",
    "#define PD_F16_TO_F32(h)                                                                         \\\n",
    "    PD_AS_F32((((pd_u32)(h)&0x8000u) << 16) |                                                    \\\n",
    "              (((h)&0x7c00u) == 0u                                                               \\\n",
    "                   \? PD_AS_U32(PD_AS_F32(0x38800000u + (((pd_u32)(h)&0x3ffu) << 13)) -           \\\n",
    "                               PD_AS_F32(0x38800000u))                                           \\\n",
    "                   : (((pd_u32)(h)&0x7fffu) << 13) +                                             \\\n",
    "                         (((h)&0x7c00u) == 0x7c00u \? 0x70000000u : 0x38000000u)))\n",
    "\n",
    "// ---- two words: hi + lo, |lo| <= ulp(hi)/2, about 46 bits (Dekker 1971; Knuth)\n",
    "typedef struct {\n",
    "    pd_f32 hi, lo;\n",
    "} pd_two;\n",
    "\n",
    "PD_FN_SHARED pd_two pd_two_raw(pd_f32 hi, pd_f32 lo)\n",
    "{\n",
    "    pd_two x;\n",
    "    x.hi = hi;\n",
    "    x.lo = lo;\n",
    "    return x;\n",
    "}\n",
    "PD_FN_SHARED pd_two pd_two_of(pd_f32 hi, pd_f32 lo) // |lo| <= |hi|\n",
    "{\n",
    "    pd_two x;\n",
    "    x.hi = hi + lo;\n",
    "    x.lo = lo - (x.hi - hi);\n",
    "    return x;\n",
    "}\n",
    "PD_FN_SHARED pd_two pd_two_sum(pd_f32 a, pd_f32 b)\n",
    "{\n",
    "    pd_two x;\n",
    "    pd_f32 t;\n",
    "    x.hi = a + b;\n",
    "    t = x.hi - a;\n",
    "    x.lo = (a - (x.hi - t)) + (b - t);\n",
    "    return x;\n",
    "}\n",
    "PD_FN_SHARED pd_two pd_two_add(pd_two a, pd_two b)\n",
    "{\n",
    "    const pd_two high = pd_two_sum(a.hi, b.hi), low = pd_two_sum(a.lo, b.lo);\n",
    "    const pd_two x = pd_two_of(high.hi, high.lo + low.hi);\n",
    "    return pd_two_of(x.hi, x.lo + low.lo);\n",
    "}\n",
    "PD_FN_SHARED pd_two pd_two_sub(pd_two a, pd_two b)\n",
    "{\n",
    "    return pd_two_add(a, pd_two_raw(-b.hi, -b.lo)); // b stays as it is: Mesa hands over the\n",
    "}                                                   // caller's own\n",
    "PD_FN_SHARED pd_two pd_two_mul(pd_two a, pd_two b)\n",
    "{\n",
    "    const pd_f32 p = a.hi * b.hi, e = PD_FMA(a.hi, b.hi, -p);\n",
    "    return pd_two_of(p, PD_FMA(a.hi, b.lo, PD_FMA(a.lo, b.hi, e)));\n",
    "}\n",
    "PD_FN_SHARED pd_two pd_two_mul1(pd_two a, pd_f32 b)\n",
    "{\n",
    "    const pd_f32 p = a.hi * b, e = PD_FMA(a.hi, b, -p);\n",
    "    return pd_two_of(p, PD_FMA(a.lo, b, e));\n",
    "}\n",
    "// Two words from the bits of a number: f32 (`low`), or f64 (no device needs fp64 for it).\n",
    "PD_FN_SHARED pd_two pd_two_words(pd_u32 low, pd_u32 high, pd_u32 wide)\n",
    "{\n",
    "    pd_two x;\n",
    "    pd_u32 e, shown;\n",
    "    x.lo = 0.0f;\n",
    "    if (!wide) {\n",
    "        x.hi = PD_AS_F32(low);\n",
    "        return x;\n",
    "    }\n",
    "    e = (high >> 20) & 2047u;\n",
    "    shown = (high & 0x80000000u) | ((high & 0xfffffu) << 3) | (low >> 29); // 23 bits\n",
    "    if (e <= 896u) { // too small for f32: 0\n",
    "        x.hi = 0.0f;\n",
    "    } else if (e >= 1151u) { // too large: Inf, or the NaN\n",
    "        x.hi = PD_AS_F32((high & 0x80000000u) | 0x7f800000u |\n",
    "                         ((e == 2047u && ((high & 0xfffffu) | low)) \? 0x400000u : 0u));\n",
    "    } else {\n",
    "        x.hi = PD_AS_F32(shown | ((e - 896u) << 23));\n",
    "        if (e > 949u) { // 2^-52 of it is still normal\n",
    "            x.lo = (pd_f32)(low & 0x1fffffffu) * PD_AS_F32((e - 948u) << 23); // 29 bits\n",
    "            if (high & 0x80000000u) x.lo = -x.lo;\n",
    "            x = pd_two_of(x.hi, x.lo);\n",
    "        }\n",
    "    }\n",
    "    return x;\n",
    "}\n",
    "\n",
    "// The same for an element of a tensor.\n",
    "PD_FN_SHARED pd_two pd_two_load(PD_GPTR(const pd_u32) from, pd_u32 at, pd_u32 wide)\n",
    "{\n",
    "    return pd_two_words(from[at], wide \? from[at + 1u] : 0u, wide);\n",
    "}\n",
    "// fetch.h: elements of an array packed in the profile PADIC_CODEC_PROFILE_FETCH, inside kernels of\n",
    "// your own.\n",
    "//\n",
    "// Text for OpenCL C 1.2, CUDA, HIP and C: put dialect.h in front of it (or include both). The\n",
    "// packed bytes lie in a buffer, at any offset; it is read in words of 32 bits. Find a block, then\n",
    "// read its elements in any order; a block is `count` consecutive scalars, as padic_codec_info()\n",
    "// gives its shape (1-D: block[0] of them, the last one shorter).\n",
    "//\n",
    "//     padic_codec_block b;\n",
    "//     if (padic_codec_block_find(stream, at, size, number, count, 4u, &b))\n",
    "//         x = PD_AS_F32((pd_u32)padic_codec_fetch(stream, b, i, 4u, PADIC_FETCH_FLOAT));\n",
    "//\n",
    "// Whatever the bytes are, nothing outside the stream is read: an invalid block is not found.\n",
    "// Checksums are not verified; padic_codec_unpack() or padic_codec_verify() do that once for all.\n",
    "#ifndef PADIC_CODEC_FETCH_H\n",
    "#define PADIC_CODEC_FETCH_H\n",
    "\n",
    "#define PADIC_FETCH_UNSIGNED 0u // kinds of scalars\n",
    "#define PADIC_FETCH_SIGNED 1u\n",
    "#define PADIC_FETCH_FLOAT 2u\n",
    "\n",
    "typedef struct {\n",
    "    pd_u64 bits;        // bit of the buffer with which element 0 begins\n",
    "    pd_u64 first, step; // word n makes first + step n\n",
    "    pd_u32 width, shift, raw, count;\n",
    "    pd_f32 scale; // not 0: within a bound, word n makes n times this\n",
    "} padic_codec_block;\n",
    "\n",
    "// `width` bits from bit `at` on; 12 bytes from its word on must exist.\n",
    "PD_FN pd_u64 padic_fetch_bits(PD_GPTR(const pd_u32) stream, pd_u64 at, pd_u32 width)\n",
    "{\n",
    "    PD_GPTR(const pd_u32) p = stream + (at >> 5);\n",
    "    const pd_u32 s = (pd_u32)at & 31u;\n",
    "    pd_u64 x = PD_U64(p[0], p[1]) >> s;\n",
    "    if (64u - s < width) x |= (pd_u64)p[2] << (64u - s);\n",
    "    return width < 64u \? x & (((pd_u64)1u << width) - 1u) : x;\n",
    "}\n",
    "\n",
    "// Finds block `number`, of `count` scalars of `bytes` (1, 2, 4, 8) bytes, in the stream of `size`\n",
    "// bytes that starts with byte `at` of the buffer. 0: there is no such block that can be read like\n",
    "// this.\n",
    "PD_FN pd_u32 padic_codec_block_find(PD_GPTR(const pd_u32) stream, pd_u64 at, pd_u64 size,\n",
    "                                    pd_u32 number, pd_u32 count, pd_u32 bytes,\n",
    "                                    padic_codec_block *b)\n",
    "{\n",
    "    pd_u64 index, frame, payload, head, used, g, from, most;\n",
    "    b->scale = 0.0f;\n",
    "    b->bits = b->first = 0u;\n",
    "    b->step = 1u;\n",
    "    b->width = b->shift = b->raw = b->count = 0u;\n",
    "    if (size < 88u || count == 0u || count > 1048576u) return 0u;\n",
    "    index = padic_fetch_bits(stream, 8u * (at + size - 24u), 64u);\n",
    "    if (index < 40u || index > size - 48u || (size - index - 48u) / 8u <= number) return 0u;\n",
    "    frame = padic_fetch_bits(stream, 8u * (at + index + 24u + 8u * (pd_u64)number), 64u);\n",
    "    if (frame < 40u || frame > index - 16u) return 0u;\n",
    "    payload = padic_fetch_bits(stream, 8u * (at + frame), 32u); // bytes of the payload\n",
    "    if (payload < 22u || payload > index - frame - 16u) return 0u;\n",
    "    at += frame + 16u;\n",
    "    head = padic_fetch_bits(stream, 8u * at, 48u);\n",
    "    if ((head & 255u) == 5u) { // raw elements\n",
    "        if (payload != (pd_u64)count * bytes + 9u) return 0u;\n",
    "        b->raw = 1u;\n",
    "        b->width = 8u * bytes;\n",
    "        b->bits = 8u * (at + 1u);\n",
    "    } else if (head == PD_U64(0x03000000u, 0u)) { // all are equal\n",
    "        if (payload != 22u) return 0u;\n",
    "        b->first = padic_fetch_bits(stream, 8u * (at + 6u), 64u);\n",
    "        b->bits = 8u * at;\n",
    "    } else {\n",
    "        if ((head & PD_U64(0xffffffffu, 0xffu)) == PD_U64(0x1002u, 2u) && bytes >= 4u) {\n",
    "            g = padic_fetch_bits(stream, 8u * (at + 5u), 64u); // 24 bits from 2^-100 to 2^101\n",
    "            if (g >> 52 < 923u || g >> 52 > 1123u || (pd_u32)g & 0x1fffffffu || payload < 47u)\n",
    "                return 0u;\n",
    "            b->scale = PD_AS_F32((pd_u32)((g - PD_U64(0u, 896u << 20)) >> 29));\n",
    "            head = PD_U64(0x1000u, 2u);\n",
    "            at += 7u;\n",
    "            payload -= 7u;\n",
    "        }\n",
    "        if ((head & PD_U64(0xffffffffu, 0xffu)) != PD_U64(0x1000u, 2u) || payload < 40u) return 0u;\n",
    "        b->shift = (pd_u32)(head >> 40);\n",
    "        b->step = padic_fetch_bits(stream, 8u * (at + 6u), 64u);\n",
    "        b->first = padic_fetch_bits(stream, 8u * (at + 14u), 64u);\n",
    "        head = padic_fetch_bits(stream, 8u * (at + 22u), 48u); // coder, width, no exceptions\n",
    "        b->width = (pd_u32)(head >> 8);\n",
    "        if ((head & 255u) != 1u || head >> 16 || b->width > 64u || b->shift > 63u) return 0u;\n",
    "        used = ((pd_u64)count * b->width + 7u) / 8u;\n",
    "        if (payload != 40u + used || padic_fetch_bits(stream, 8u * (at + 28u), 32u) != used)\n",
    "            return 0u;\n",
    "        b->bits = 8u * (at + 32u);\n",
    "        // words of a scale are below 2^24, those of f64 up to 2^40\n",
    "        most = bytes == 8u \? PD_U64(0u, 512u) : 0x1ffffffu;\n",
    "        from = b->first + (bytes == 8u \? PD_U64(0u, 256u) : 0x1000000u);\n",
    "        used = b->width < 64u \? ((pd_u64)1u << b->width) - 1u : most + 1u; // the largest digit\n",
    "        if (b->scale != 0.0f && (from > most || used > most || PD_MULHI64(b->step, used) ||\n",
    "                                 b->step * used > most - from))\n",
    "            return 0u;\n",
    "    }\n",
    "    b->count = count;\n",
    "    return 1u;\n",
    "}\n",
    "\n",
    "// The bits as f64 of n times a scale, |n| up to 2^40, rounded once.\n",
    "PD_FN pd_u64 padic_fetch_scaled(pd_u64 n, pd_f32 scale)\n",
    "{\n",
    "    const pd_u32 g = PD_AS_U32(scale);\n",
    "    const pd_u64 negative = 0u - (n >> 63);\n",
    "    pd_u64 x = ((n ^ negative) - negative) * ((g & 0x7fffffu) | 0x800000u);\n",
    "    const pd_u32 high = (pd_u32)(x >> 32);\n",
    "    const pd_u32 up = high \? PD_CLZ(high) : 32u + PD_CLZ((pd_u32)x | 1u);\n",
    "    if (x == 0u) return 0u;\n",
    "    x <<= up;\n",
    "    x = ((pd_u64)((g >> 23) + 935u - up) << 52) + (x >> 11) +\n",
    "        (((x & 2047u) + 1023u + (x >> 11 & 1u)) >> 11);\n",
    "    return x | (negative & (pd_u64)1u << 63);\n",
    "}\n",
    "\n",
    "// The bits of element i (in the lowest `bytes` bytes); 0 if there is none.\n",
    "PD_FN pd_u64 padic_codec_fetch(PD_GPTR(const pd_u32) stream, const padic_codec_block b, pd_u32 i,\n",
    "                               pd_u32 bytes, pd_u32 kind)\n",
    "{\n",
    "    pd_u64 z, n, negative;\n",
    "    if (i >= b.count) return 0u;\n",
    "    z = padic_fetch_bits(stream, b.bits + (pd_u64)i * b.width, b.width);\n",
    "    if (b.raw) return z;\n",
    "    n = b.first + b.step * z;\n",
    "    if ((b.scale != 0.0f || b.shift) && kind != PADIC_FETCH_FLOAT) return 0u;\n",
    "    if (b.scale != 0.0f && bytes == 8u) return padic_fetch_scaled(n, b.scale);\n",
    "    if (b.scale != 0.0f) return PD_AS_U32((pd_f32)(pd_i32)n * b.scale);\n",
    "    if (kind == PADIC_FETCH_FLOAT) {\n",
    "        negative = 0u - (n >> (8u * bytes - 1u) & 1u);\n",
    "        n = ((n ^ negative) << b.shift) ^ negative << (8u * bytes - 1u);\n",
    "    }\n",
    "    return bytes < 8u \? n & (((pd_u64)1u << (8u * bytes)) - 1u) : n;\n",
    "}\n",
    "\n",
    "#endif // PADIC_CODEC_FETCH_H\n",
// room: src/codec/padic_fetch.in.h:27
};
#define PADIC_FETCH_LINES (sizeof padic_fetch_lines / sizeof padic_fetch_lines[0])

#if defined(__GNUC__) || defined(__clang__)
__attribute__((unused))
#endif
static size_t padic_fetch_text(char *to, size_t room)
{
    size_t size = 0, i;
    for (i = 0; i < PADIC_FETCH_LINES; i++) {
        const size_t length = strlen(padic_fetch_lines[i]);
        if (size + length < room) memcpy(to + size, padic_fetch_lines[i], length + 1);
        size += length;
    }
    return size + 1;
}
#endif
#endif
#if defined(PADIC_FETCH_TEXT) && PADIC_FETCH_TEXT != 0x1ac9deccu
#error "two versions of padic_fetch.h in one translation unit"
#endif
#ifndef PADIC_FETCH_TEXT
#define PADIC_FETCH_TEXT 0x1ac9deccu // a hash of this file
#endif
