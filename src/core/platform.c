// ----------------------------------------------------------------------------------- >>platform

#include <float.h>
#include <math.h>
#include <string.h>
#include <time.h>
#ifndef PADIC_NO_MALLOC
#include <stdlib.h>
#endif

// Lossless forms are checked by recomputing floats, so both sides must round each operation once.
#if defined(__FAST_MATH__) || defined(_M_FP_FAST)
#error "padic.h: compile the implementation without -ffast-math (/fp:fast)"
#endif
#if defined(FLT_EVAL_METHOD)
#if FLT_EVAL_METHOD == 2 || FLT_EVAL_METHOD < 0
#error "padic.h: the x87 unit rounds twice; compile with -msse2 -mfpmath=sse"
#endif
#endif

// a * b + c must stay two operations; and plain -O2 is to vectorise loops, as clang does (each
// element is still computed alone, so no bit changes). The settings end with the implementation.
#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#elif defined(__GNUC__)
#pragma GCC push_options
#pragma GCC optimize("fp-contract=off", "tree-vectorize", "vect-cost-model=dynamic")
#elif defined(_MSC_VER)
#include <intrin.h>
#pragma fp_contract(off)
#endif

#if defined(__GNUC__) || defined(__clang__)
#define PADICI_UNUSED __attribute__((unused))
#define PADICI_NOINLINE __attribute__((noinline)) // a frame of its own
#ifdef __OPTIMIZE__ // else a frame would hold the locals of every copy
#define PADICI_INLINE static inline __attribute__((always_inline, unused))
#else
#define PADICI_INLINE static inline __attribute__((unused))
#endif
#define PADICI_LIKELY(x) __builtin_expect(!!(x), 1)
#define PADICI_UNLIKELY(x) __builtin_expect(!!(x), 0)
#elif defined(_MSC_VER)
#define PADICI_UNUSED
#define PADICI_NOINLINE __declspec(noinline)
#define PADICI_INLINE static __forceinline
#define PADICI_LIKELY(x) (x)
#define PADICI_UNLIKELY(x) (x)
#else
#define PADICI_UNUSED
#define PADICI_NOINLINE
#define PADICI_INLINE static inline
#define PADICI_LIKELY(x) (x)
#define PADICI_UNLIKELY(x) (x)
#endif

#if defined(__BYTE_ORDER__) && defined(__ORDER_BIG_ENDIAN__)
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define PADICI_BIG_ENDIAN 1
#else
#define PADICI_BIG_ENDIAN 0
#endif
#elif defined(__BIG_ENDIAN__) || defined(__ARMEB__) || defined(__MIPSEB__) || defined(__sparc)
#define PADICI_BIG_ENDIAN 1
#else
#define PADICI_BIG_ENDIAN 0
#endif

#if defined(__SIZEOF_INT128__) && !defined(PADIC_NO_INT128)
#define PADICI_INT128 1
__extension__ typedef unsigned __int128 padici_u128; // -Wpedantic refuses it without the word
#else
#define PADICI_INT128 0
#endif

// Written with shifts: every compiler makes one instruction of them.
PADICI_INLINE uint16_t padici_swap16(uint16_t v)
{
    return (uint16_t)((v >> 8) | (v << 8));
}

PADICI_INLINE uint32_t padici_swap32(uint32_t v)
{
    return (v >> 24) | ((v >> 8) & 0xff00u) | ((v << 8) & 0xff0000u) | (v << 24);
}

PADICI_INLINE uint64_t padici_swap64(uint64_t v)
{
    return ((uint64_t)padici_swap32((uint32_t)v) << 32) | padici_swap32((uint32_t)(v >> 32));
}

// Little-endian loads and stores at any alignment. memcpy of a fixed size is one move, and unlike a
// cast pointer it may alias anything.
PADICI_INLINE uint16_t padici_load16(const void *p)
{
    uint16_t v;
    memcpy(&v, p, 2);
    return PADICI_BIG_ENDIAN ? padici_swap16(v) : v;
}

PADICI_INLINE uint32_t padici_load32(const void *p)
{
    uint32_t v;
    memcpy(&v, p, 4);
    return PADICI_BIG_ENDIAN ? padici_swap32(v) : v;
}

PADICI_INLINE uint64_t padici_load64(const void *p)
{
    uint64_t v;
    memcpy(&v, p, 8);
    return PADICI_BIG_ENDIAN ? padici_swap64(v) : v;
}

PADICI_INLINE void padici_store16(void *p, uint16_t v)
{
    if (PADICI_BIG_ENDIAN) v = padici_swap16(v);
    memcpy(p, &v, 2);
}

PADICI_INLINE void padici_store32(void *p, uint32_t v)
{
    if (PADICI_BIG_ENDIAN) v = padici_swap32(v);
    memcpy(p, &v, 4);
}

PADICI_INLINE void padici_store64(void *p, uint64_t v)
{
    if (PADICI_BIG_ENDIAN) v = padici_swap64(v);
    memcpy(p, &v, 8);
}

// Zeros above the highest (clz) and below the lowest (ctz) set bit; v is not 0.
PADICI_INLINE uint32_t padici_clz64(uint64_t v)
{
#if defined(__GNUC__) || defined(__clang__)
    return (uint32_t)__builtin_clzll(v);
#elif defined(_MSC_VER) && (defined(_M_X64) || defined(_M_ARM64))
    unsigned long at;
    _BitScanReverse64(&at, v);
    return 63u - (uint32_t)at;
#else
    uint32_t n = 0, step;
    for (step = 32; step > 0; step >>= 1)
        if (!(v >> (64 - step))) {
            n += step;
            v <<= step;
        }
    return n;
#endif
}

PADICI_INLINE uint32_t padici_ctz64(uint64_t v)
{
#if defined(__GNUC__) || defined(__clang__)
    return (uint32_t)__builtin_ctzll(v);
#elif defined(_MSC_VER) && (defined(_M_X64) || defined(_M_ARM64))
    unsigned long at;
    _BitScanForward64(&at, v);
    return (uint32_t)at;
#else
    return 63u - padici_clz64(v & (0u - v));
#endif
}

PADICI_INLINE uint32_t padici_clz32(uint32_t v)
{
#if defined(__GNUC__) || defined(__clang__)
    return (uint32_t)__builtin_clz(v);
#else
    return padici_clz64(v) - 32u;
#endif
}

// Not the builtin: without -mpopcnt that is a call.
PADICI_INLINE uint32_t padici_popcount64(uint64_t v)
{
    v -= (v >> 1) & 0x5555555555555555u;
    v = (v & 0x3333333333333333u) + ((v >> 2) & 0x3333333333333333u);
    v = (v + (v >> 4)) & 0x0f0f0f0f0f0f0f0fu;
    return (uint32_t)((v * 0x0101010101010101u) >> 56);
}

// The upper 64 bits of a 128-bit product.
PADICI_INLINE uint64_t padici_mulhi64(uint64_t a, uint64_t b)
{
#if PADICI_INT128
    return (uint64_t)(((padici_u128)a * b) >> 64);
#elif defined(_MSC_VER) && !defined(__clang__) && defined(_M_X64) && !defined(PADIC_NO_INT128)
    uint64_t high;
    (void)_umul128(a, b, &high);
    return high;
#else
    uint64_t al = (uint32_t)a, ah = a >> 32, bl = (uint32_t)b, bh = b >> 32;
    uint64_t low = al * bl, m1 = al * bh, m2 = ah * bl;
    uint64_t middle = (low >> 32) + (uint32_t)m1 + (uint32_t)m2;
    return ah * bh + (m1 >> 32) + (m2 >> 32) + (middle >> 32);
#endif
}

// Products that say when they do not fit: 1 and *out = a b, or 0 and *out = 0.
PADICI_INLINE int padici_mul_u64(uint64_t a, uint64_t b, uint64_t *out)
{
    int fits = !b || a <= UINT64_MAX / b;
    *out = fits ? a * b : 0;
    return fits;
}

PADICI_INLINE int padici_mul_size(size_t a, size_t b, size_t *out)
{
    int fits = !b || a <= (size_t)-1 / b;
    *out = fits ? a * b : 0;
    return fits;
}

PADIC_API uint32_t padic_dtype_size(padic_dtype dtype)
{
    static const uint8_t sizes[15] = {0, 8, 4, 2, 2, 1, 2, 4, 8, 1, 2, 4, 8, 8, 16};
    uint32_t i = (uint32_t)dtype;
    return i < 15 ? sizes[i] : 0;
}

PADIC_API const char *padic_dtype_name(padic_dtype dtype)
{
    static const char *const names[15] = {"?",   "f64", "f32", "f16", "bf16",
                                          "i8",  "i16", "i32", "i64", "u8",
                                          "u16", "u32", "u64", "complex64", "complex128"};
    uint32_t i = (uint32_t)dtype;
    return names[i < 15 ? i : 0];
}

PADIC_API const char *padic_result_text(padic_result result)
{
    switch (result) {
    case PADIC_OK: return "no error";
    case PADIC_ERROR_ARGUMENT: return "a field or pointer makes no sense: check the desc";
    case PADIC_ERROR_MISMATCH: return "dtypes or shapes differ: make both sides agree";
    case PADIC_ERROR_OVERLAP: return "operands share memory: give each its own";
    case PADIC_ERROR_PRIME: return "the base is not a prime: choose one";
    case PADIC_ERROR_LIMIT: return "larger than a limit: raise the limit or split the work";
    case PADIC_ERROR_CAPACITY: return "the destination is too small: give the size returned";
    case PADIC_ERROR_NOT_SUPPORTED: return "not supported by this build, device or version";
    case PADIC_ERROR_DTYPE: return "the element type is unknown or not one for this operation";
    case PADIC_ERROR_BOUND: return "the error bound must be finite and above zero";
    case PADIC_ERROR_REGION: return "the box reaches outside the array: check begin and count";
    case PADIC_ERROR_CALLBACK: return "a read or write function of the caller failed";
    case PADIC_ERROR_RING: return "the numbers are of different rings or models: convert one side";
    case PADIC_ERROR_PRECISION: return "the number of digits is 0 or more than the ring has";
    case PADIC_ERROR_ALIGNMENT: return "an address is not aligned to its elements: move the data";
    case PADIC_ERROR_CANCELLED: return "the progress hook stopped the work";
    case PADIC_ERROR_MEMORY: return "out of memory: free some or make the work smaller";
    case PADIC_ERROR_DOMAIN: return "a value lies outside the domain of the operation";
    case PADIC_ERROR_CORRUPT: return "not a padic stream, or cut short: fetch it again";
    case PADIC_ERROR_CHECKSUM: return "the stream is damaged: fetch it again";
    case PADIC_ERROR_VERSION: return "written by a newer version: update padic.h";
    case PADIC_ERROR_NOT_FINITE: return "a value is infinite or not a number";
    case PADIC_ERROR_DEVICE: return "a driver call failed: see the message of the context";
    case PADIC_ERROR_DEVICE_LOST: return "the device is lost: destroy the context, make a new one";
    case PADIC_ERROR_NO_DEVICE: return "no usable device: install a driver or use the CPU";
    case PADIC_ERROR_BUILD: return "a kernel did not compile: see the log";
    case PADIC_ERROR_SELF_TEST: return "a kernel gives wrong answers: update the device's driver";
    }
    return "unknown result code";
}

// The strides in elements that a view has: its own, or the dense ones when all are zero. Axes
// beyond the rank get 0. The shape has been checked.
PADICI_UNUSED static void padici_tensor_dense(const padic_tensor *t, int64_t stride[PADIC_MAX_RANK])
{
    uint32_t i, given = 0;
    uint64_t step = 1;
    for (i = 0; i < PADIC_MAX_RANK; i++) {
        stride[i] = i < t->rank ? t->stride[i] : 0;
        given |= stride[i] != 0;
    }
    for (i = t->rank; !given && i > 0; i--) {
        stride[i - 1] = (int64_t)step;
        step *= t->shape[i - 1];
    }
}

// Strides of a view with elements: all positive, and no two elements share memory. Taking axes from
// the smallest stride up, each must step beyond everything the axes before it reach.
static padic_result padici_tensor_check_strides(const padic_tensor *t, uint64_t size)
{
    uint32_t done = 0, i, round;
    uint64_t reach = 0, bytes; // largest offset so far, in elements
    for (round = 0; round < t->rank; round++) {
        uint32_t best = PADIC_MAX_RANK;
        for (i = 0; i < t->rank; i++) {
            if (t->stride[i] <= 0) return PADIC_ERROR_ARGUMENT;
            if (done >> i & 1u || t->shape[i] < 2) continue; // an axis of 1 takes no step
            if (best == PADIC_MAX_RANK || t->stride[i] < t->stride[best]) best = i;
        }
        if (best == PADIC_MAX_RANK) break;
        done |= 1u << best;
        if ((uint64_t)t->stride[best] <= reach) return PADIC_ERROR_ARGUMENT;
        if (!padici_mul_u64(t->shape[best] - 1, (uint64_t)t->stride[best], &bytes) ||
            (bytes | (reach + bytes)) >> 63)
            return PADIC_ERROR_LIMIT;
        reach += bytes;
    }
    if (!padici_mul_u64(reach + 1, size, &bytes) || bytes >> 63) return PADIC_ERROR_LIMIT;
    return PADIC_OK;
}

// Strides of a view that is only read: of any sign, 0 to repeat; what they reach fits 2^62 bytes.
static padic_result padici_tensor_check_reach(const padic_tensor *t, uint64_t size)
{
    uint64_t reach = 1, bytes;
    uint32_t i;
    for (i = 0; i < t->rank; i++) {
        const uint64_t step =
            t->stride[i] < 0 ? 0 - (uint64_t)t->stride[i] : (uint64_t)t->stride[i];
        if (!padici_mul_u64(t->shape[i] - 1, step, &bytes) || (bytes | (reach + bytes)) >> 62)
            return PADIC_ERROR_LIMIT;
        reach += bytes;
    }
    return padici_mul_u64(reach, size, &bytes) && !(bytes >> 62) ? PADIC_OK : PADIC_ERROR_LIMIT;
}

// Dtype, rank, shape and strides of a view, and how many elements it has. The memory is not looked
// at. DTYPE; LIMIT for rank above 8 or 2^63 bytes; ARGUMENT for strides (unless `any_stride`).
static padic_result padici_tensor_check_sizes(const padic_tensor *t, uint32_t any_stride,
                                             uint64_t *count)
{
    uint32_t i, given = 0, empty = 0;
    uint64_t n = 1, bytes, size;
    *count = 0;
    if (!t) return PADIC_ERROR_ARGUMENT;
    size = padic_dtype_size(t->dtype);
    if (!size) return PADIC_ERROR_DTYPE;
    if (t->rank > PADIC_MAX_RANK) return PADIC_ERROR_LIMIT;
    for (i = 0; i < t->rank; i++) {
        given |= t->stride[i] != 0;
        if (!t->shape[i]) {
            empty = 1;
        } else if (!padici_mul_u64(n, t->shape[i], &n) || !padici_mul_u64(n, size, &bytes) ||
                   bytes >> 63) { // also next to an extent of 0, so that strides never overflow
            return PADIC_ERROR_LIMIT;
        }
    }
    if (given && !empty) {
        padic_result result = any_stride ? padici_tensor_check_reach(t, size)
                                         : padici_tensor_check_strides(t, size);
        if (result) return result;
    }
    *count = empty ? 0 : n;
    return PADIC_OK;
}

// The same of a view whose elements are read and written as they are, so that ALIGNMENT is looked
// at: a complex number's is that of its parts.
static padic_result padici_tensor_check_view(const padic_tensor *t, uint32_t any_stride,
                                             uint64_t *count)
{
    struct place {
        char at;
        uint64_t word;
    };
    const padic_result result = padici_tensor_check_sizes(t, any_stride, count);
    size_t align;
    if (result) return result;
    align = padic_dtype_size(t->dtype) / (t->dtype >= PADIC_C64 ? 2 : 1);
    if (align > offsetof(struct place, word)) align = offsetof(struct place, word);
    return *count && (uintptr_t)t->data % align ? PADIC_ERROR_ALIGNMENT : PADIC_OK;
}

static padic_result padici_tensor_check_shape(const padic_tensor *t, uint64_t *count)
{
    return padici_tensor_check_view(t, 0, count);
}

#ifndef PADIC_NO_CODEC
// A view of host memory that the codec copies byte by byte, wherever it lies; it must be there
// unless there are no elements.
static padic_result padici_tensor_check(const padic_tensor *t, uint64_t *count)
{
    padic_result result = padici_tensor_check_sizes(t, 0, count);
    if (result) return result;
    return *count && !t->data ? PADIC_ERROR_ARGUMENT : PADIC_OK;
}
#endif

// May a pointer be read as words of `size` bytes? A complex number is two.
PADICI_UNUSED static int padici_aligned(const void *pointer, size_t size)
{
    struct padici_probe {
        char before;
        uint64_t word;
    };
    const size_t most = offsetof(struct padici_probe, word); // 4 on some machines of 32 bits
    return !((uintptr_t)pointer & ((size < most ? size : most) - 1));
}

