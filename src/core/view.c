#include "view.h"
#include "words.h"

#if PADICI_IMPLEMENT_CORE

// Checks of views: shape, strides, alignment.

// The strides in elements that a view has: its own, or the dense ones when all are zero. Axes
// beyond the rank get 0, those of one element 1 where theirs, which no check looks at, could
// overflow as bytes. The shape has been checked.
PADICI_FN void padici_tensor_dense(const padic_tensor *t, int64_t stride[PADIC_MAX_RANK])
{
    const int64_t most = (int64_t)1 << 40;
    uint32_t i, given = 0;
    uint64_t step = 1;
    memset(stride, 0, PADIC_MAX_RANK * sizeof *stride);
    for (i = 0; i < t->rank; i++) {
        stride[i] = t->stride[i];
        given |= stride[i] != 0;
        if (t->shape[i] < 2 && (stride[i] > most || stride[i] < -most)) stride[i] = 1;
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
static PADICI_NOINLINE padic_result padici_tensor_check_reach(const padic_tensor *t, uint64_t size)
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

// Dtype, rank, shape and strides of a view, and how many elements it has. The memory is not
// read. DTYPE; LIMIT for rank above 8 or 2^63 bytes; ARGUMENT for strides (unless `any_stride`).
static PADICI_NOINLINE padic_result padici_tensor_check_sizes(const padic_tensor *t,
                                                              uint32_t any_stride, uint64_t *count)
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

// The same of a view whose elements are read and written as they are, so that alignment
// is checked: a complex number's is that of its parts.
PADICI_FN padic_result padici_tensor_check_view(const padic_tensor *t, uint32_t any_stride,
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
    return *count && ((uintptr_t)t->data & (align - 1)) ? PADIC_ERROR_ALIGNMENT : PADIC_OK;
}

PADICI_FN PADICI_NOINLINE padic_result padici_tensor_check_shape(const padic_tensor *t,
                                                                 uint64_t *count)
{
    return padici_tensor_check_view(t, 0, count);
}

// A view of host memory that the codec copies byte by byte, wherever it lies; it must be there
// unless there are no elements.
PADICI_FN PADICI_NOINLINE padic_result padici_tensor_check(const padic_tensor *t, uint64_t *count)
{
    padic_result result = padici_tensor_check_sizes(t, 0, count);
    if (result) return result;
    return *count && !t->data ? PADIC_ERROR_ARGUMENT : PADIC_OK;
}

// May a pointer be read as words of `size` bytes? A complex number is two.
PADICI_FN int padici_aligned(const void *pointer, size_t size)
{
    struct padici_probe {
        char before;
        uint64_t word;
    };
    const size_t most = offsetof(struct padici_probe, word); // 4 on some machines of 32 bits
    return !((uintptr_t)pointer & ((size < most ? size : most) - 1));
}

#endif
