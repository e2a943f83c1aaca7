#include "tensor.h"
#include "view.h"
#include "words.h"

#if PADICI_IMPLEMENT_CORE

// --------------------------------------------------------------------------- >>tensor view impl

PADIC_API padic_tensor padic_tensor_nd(padic_dtype dtype, void *data, uint32_t rank,
                                       const uint64_t *shape)
{
    padic_tensor t;
    uint32_t i;
    memset(&t, 0, sizeof t);
    t.data = data;
    t.dtype = dtype;
    t.rank = rank;
    if (rank <= PADIC_MAX_RANK)
        for (i = 0; i < rank; i++) t.shape[i] = shape[i];
    return t;
}

PADIC_API padic_tensor padic_tensor_1d(padic_dtype dtype, void *data, uint64_t n)
{
    return padic_tensor_nd(dtype, data, 1, &n);
}

PADIC_API padic_tensor padic_tensor_2d(padic_dtype dtype, void *data, uint64_t rows, uint64_t cols)
{
    uint64_t shape[2];
    shape[0] = rows;
    shape[1] = cols;
    return padic_tensor_nd(dtype, data, 2, shape);
}

PADIC_API padic_tensor padic_tensor_3d(padic_dtype dtype, void *data, uint64_t n0, uint64_t n1,
                                       uint64_t n2)
{
    uint64_t shape[3];
    shape[0] = n0;
    shape[1] = n1;
    shape[2] = n2;
    return padic_tensor_nd(dtype, data, 3, shape);
}

PADIC_API padic_tensor padic_tensor_in(padic_tensor view, padic_buffer buffer, uint64_t offset)
{
    view.data = NULL;
    view.buffer = buffer;
    view.offset = offset;
    return view;
}

PADIC_API padic_bytes padic_bytes_in(const void *data, uint64_t size)
{
    padic_bytes b;
    memset(&b, 0, sizeof b);
    b.data = (void *)(uintptr_t)data;
    b.size = size;
    return b;
}

PADIC_API padic_bytes padic_bytes_out(void *data, uint64_t capacity)
{
    padic_bytes b;
    memset(&b, 0, sizeof b);
    b.data = data;
    b.capacity = capacity;
    return b;
}

PADIC_API uint64_t padic_tensor_count(const padic_tensor *tensor)
{
    uint64_t n = 1, i;
    int fits = 1;
    if (!tensor || tensor->rank > PADIC_MAX_RANK) return 0;
    for (i = 0; i < tensor->rank; i++) {
        if (!tensor->shape[i]) return 0;
        fits = fits && padici_mul_u64(n, tensor->shape[i], &n);
    }
    return fits ? n : 0;
}

PADICI_FN void padici_rows_begin(padici_rows *rows, const padic_tensor *a, const padic_tensor *b,
                                 uint64_t row)
{
    uint32_t i, v;
    memset(rows, 0, sizeof *rows);
    rows->axes = a->rank ? a->rank - 1 : 0;
    rows->length = a->rank ? a->shape[a->rank - 1] : 1;
    memcpy(rows->shape, a->shape, sizeof rows->shape);
    for (i = rows->axes; i > 0; i--) {
        rows->index[i - 1] = row % rows->shape[i - 1];
        row /= rows->shape[i - 1];
    }
    for (v = 0; v < 2; v++) {
        padici_tensor_dense(v && b ? b : a, rows->stride[v]);
        for (i = 0; i < a->rank; i++)
            if (a->shape[i] < 2) rows->stride[v][i] = 1; // no step, whatever the view says
        rows->step[v] = a->rank ? rows->stride[v][rows->axes] : 1;
        for (i = 0; i < rows->axes; i++)
            rows->at[v] += (int64_t)rows->index[i] * rows->stride[v][i];
    }
}

PADICI_FN void padici_rows_next(padici_rows *rows)
{
    uint32_t i, v;
    for (i = rows->axes; i > 0; i--) {
        uint32_t axis = i - 1;
        for (v = 0; v < 2; v++) rows->at[v] += rows->stride[v][axis];
        if (++rows->index[axis] < rows->shape[axis]) return;
        rows->index[axis] = 0;
        for (v = 0; v < 2; v++) rows->at[v] -= (int64_t)rows->shape[axis] * rows->stride[v][axis];
    }
}

// Bytes from the lowest element to the end of the highest one of a checked view that has elements,
// whether it is all of them without gaps, in C order, and the bytes before element 0.
PADICI_FN uint64_t padici_tensor_span(const padic_tensor *t, int *dense, uint64_t *before)
{
    const uint64_t size = padic_dtype_size(t->dtype);
    int64_t stride[PADIC_MAX_RANK];
    uint64_t last = 0, first = 0, step = 1;
    uint32_t i;
    padici_tensor_dense(t, stride);
    *dense = 1;
    for (i = t->rank; i > 0; i--) {
        uint64_t n = t->shape[i - 1];
        if (n > 1 && (uint64_t)stride[i - 1] != step) *dense = 0;
        if (stride[i - 1] < 0)
            first += (n - 1) * (0 - (uint64_t)stride[i - 1]);
        else
            last += (n - 1) * (uint64_t)stride[i - 1];
        step *= n;
    }
    *before = first * size;
    return (first + last + 1) * size;
}

#endif
