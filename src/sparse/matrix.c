#include "matrix.h"
#include "../context/buffer.h"
#include "../context/messages.h"
#include "../core/tensor.h"
#include "../core/view.h"
#include "../core/words.h"
#include "index.h"
#include "validate.h"

#if PADICI_IMPLEMENT_SPARSE

// Matrices

PADICI_FN padic_tensor *padici_sparse_tensor(padic_sparse_csr *a, uint32_t i)
{
    return i == 0 ? &a->row_ptr : i == 1 ? &a->col : i == 2 ? &a->value : &a->val;
}

// *out becomes what was made, in its own planes.
PADICI_FN void padici_sparse_made(padic_sparse_csr *out, const padic_sparse_csr *made)
{
    out->rows = made->rows;
    out->cols = made->cols;
    out->nnz = made->nnz;
    memcpy(&out->kind, &made->kind, sizeof *out - offsetof(padic_sparse_csr, kind));
}

PADICI_FN uint8_t *padici_sparse_plane(const padici_sparse *m, uint32_t i)
{
    return i == 0 ? m->row_ptr : i == 1 ? m->col : i == 2 ? m->value : m->val;
}

// A dense view with `count` elements of one of the dtypes in `allowed` (a mask of 1 << dtype). In a
// buffer: there is no pointer yet.
PADICI_FN padic_result padici_sparse_view(const padic_tensor *t, uint64_t count, uint32_t allowed,
                                          void **pointer)
{
    uint64_t n, step = 1;
    uint32_t axis;
    int64_t stride[PADIC_MAX_RANK];
    padic_result result = padici_tensor_check_shape(t, &n);
    *pointer = NULL;
    if (result) return result;
    if (!(allowed >> (uint32_t)t->dtype & 1)) return PADIC_ERROR_DTYPE;
    if (n != count) return PADIC_ERROR_MISMATCH;
    if (!count) return PADIC_OK;
    padici_tensor_dense(t, stride);
    for (axis = t->rank; axis > 0; axis--) {
        if (t->shape[axis - 1] > 1 && (uint64_t)stride[axis - 1] != step)
            return PADIC_ERROR_ARGUMENT;
        step *= t->shape[axis - 1];
    }
    *pointer = t->data;
    return t->data || t->buffer.id ? PADIC_OK : PADIC_ERROR_ARGUMENT;
}

// All that can be said of a matrix without its memory.
PADICI_FN padic_result padici_sparse_head(const padic_sparse_csr *a, padici_sparse *m)
{
    const padic_dtype index = a->row_ptr.dtype;
    const uint64_t any = a->rows | a->cols | a->nnz;
    const int numbers = a->kind == PADIC_SPARSE_KIND_NUMBERS, digits =
        a->kind == PADIC_SPARSE_KIND_DIGITS;
    const uint32_t words = numbers ? a->words : 1, val = (uint32_t)a->val_of;
    memset(m, 0, sizeof *m);
    if ((uint32_t)a->kind > 2 || (uint32_t)a->mode > 3 || (uint32_t)a->trusted > 2 ||
        (val && !(numbers && val == 3) && !(digits && val < 3)) || words - 1 > 65535u ||
        (!numbers && a->words > 1) ||
        (a->kind && (a->p < 2 || !a->precision || a->precision > PADIC_NUM_MAX_PRECISION)))
        return PADIC_ERROR_ARGUMENT;
    if (!padici_sparse_is(index, PADICI_SPARSE_INDICES) || a->col.dtype != index ||
        !padici_sparse_is(a->value.dtype,
                          numbers  ? 1u << PADIC_U32 | 1u << PADIC_U64
                          : digits ? PADICI_SPARSE_INTEGERS & ~PADICI_SPARSE_SIGNED
                                   : PADICI_SPARSE_INTEGERS | PADICI_SPARSE_FLOATS) ||
        (val && !padici_sparse_is(a->val.dtype, 1u << PADIC_I32 | 1u << PADIC_I16)))
        return PADIC_ERROR_DTYPE;
    m->rows = a->rows;
    m->cols = a->cols;
    m->nnz = m->room = a->nnz;
    m->vals = val == PADIC_SPARSE_VAL_ROW     ? a->rows
              : val == PADIC_SPARSE_VAL_COL   ? a->cols
              : val == PADIC_SPARSE_VAL_ENTRY ? a->nnz
                                              : 0;
    m->wide = index == PADIC_I64;
    m->size[0] = m->size[1] = padic_dtype_size(index);
    m->size[2] = padic_dtype_size(a->value.dtype);
    m->size[3] = val ? padic_dtype_size(a->val.dtype) : 0;
    m->entry = m->size[2] * words;
    if (any >> 48 || (!m->wide && any >> 31) || !padici_mul_u64(a->nnz, m->entry, &m->bytes[2]) ||
        m->bytes[2] >> 62)
        return PADIC_ERROR_LIMIT;
    m->bytes[0] = (a->rows + 1) * m->size[0];
    m->bytes[1] = a->nnz * m->size[1];
    m->bytes[3] = m->vals * m->size[3];
    return PADIC_OK;
}

// The planes of a matrix; `out`: one to be made, nnz still 0, whose room is looked up. Those that
// lie in buffers have no pointer.
PADICI_FN padic_result padici_sparse_planes(padic_context *context, const padic_sparse_csr *a,
                                            int out, padici_sparse *m)
{
    static const char *const name[4] = {"row_ptr", "col", "value", "val"};
    uint32_t i;
    padic_result result = PADIC_ERROR_ARGUMENT;
    if (a) result = padici_sparse_head(a, m);
    if (result)
        padici_blame(context, result, "csr", NULL,
                     !a                             ? "is NULL"
                     : result == PADIC_ERROR_DTYPE ? "has a dtype that its kind does not take: I32 "
                                                     "or I64 indices, values as documented"
                     : result == PADIC_ERROR_LIMIT ? "has 2^48 rows, cols or nnz, or 2^31 with I32 "
                                                     "indices: use I64"
                                                   : "has a kind, val_of, mode, words, p or "
                                                     "precision that makes no sense");
    if (out) m->room = UINT64_MAX;
    for (i = 0; i < 4 && !result; i++) {
        const padic_tensor *t = padici_sparse_tensor((padic_sparse_csr *)(uintptr_t)a, i);
        uint64_t room;
        void *p = NULL;
        if (i == 3 && !a->val_of) break;
        result = padici_tensor_check_shape(t, &room);
        if (!result && room < m->bytes[i] / m->size[i]) result = PADIC_ERROR_CAPACITY;
        if (!result) result = padici_sparse_view(t, room, 1u << (uint32_t)t->dtype, &p);
        if (result) return padici_blame(context, result, name[i], NULL, NULL);
        *(i == 0 ? &m->row_ptr : i == 1 ? &m->col : i == 2 ? &m->value : &m->val) = (uint8_t *)p;
        if (i == 2) room /= m->entry / m->size[2];
        if (out && i && room < m->room && (i < 3 || a->val_of == PADIC_SPARSE_VAL_ENTRY))
            m->room = room;
    }
    return result;
}

// A matrix to be read: valid, or trusted to be.
PADICI_FN PADICI_NOINLINE padic_result padici_sparse_open(padic_context *context,
                                                          const padic_sparse_csr *a,
                                                          padici_sparse *m)
{
    padic_result result = padici_sparse_planes(context, a, 0, m);
    if (result || a->trusted) return result;
    return padici_sparse_check(a, m, PADIC_SPARSE_LEVEL_STRUCTURE, NULL);
}

// The memory of a matrix in a list for padici_num_overlap(). `same`: an equal one may coincide.
PADICI_FN void padici_sparse_ranges(const padici_sparse *m, uint32_t same, uint32_t out,
                                    padici_num_range *list, uint32_t *n)
{
    uint32_t i;
    for (i = 0; i < 4; i++) {
        uint64_t bytes = m->bytes[i];
        if (out && (i == 1 || i == 2)) bytes = m->room * (i == 1 ? m->size[1] : m->entry);
        padici_num_range_add(list, n, padici_sparse_plane(m, i), bytes, same ? i + 1 : 0, out);
    }
}

PADICI_FN PADICI_NOINLINE padic_result padici_sparse_end(padic_context *context, const char *name,
                                                         padic_result result)
{
    if (!result) return result;
    if (result == PADIC_ERROR_CORRUPT)
        padici_blame(context, result, NULL, NULL,
                     "the matrix is not valid: sparse_validate says in which row");
    return padici_fault(context, result, name);
}

PADICI_FN PADICI_NOINLINE padic_result padici_sparse_no_desc(padic_context *context,
                                                             const char *name)
{
    return padici_fail_in(context, PADIC_ERROR_ARGUMENT, name, "desc is NULL");
}

PADIC_API uint64_t padic_sparse_size(const padic_sparse_csr *csr)
{
    padici_sparse m;
    if (!csr || padici_sparse_head(csr, &m)) return 0;
    return m.bytes[0] + m.bytes[1] + m.bytes[2] + m.bytes[3] + PADIC_SPARSE_HEADER;
}

// Types that are not chosen yet, and the shapes of the planes, without memory.
PADICI_FN padic_result padici_sparse_lay(padic_sparse_csr *a, padici_sparse *m)
{
    uint32_t i;
    padic_result result;
    if (!a->row_ptr.dtype)
        a->row_ptr.dtype = (a->rows | a->cols | a->nnz) >> 31 ? PADIC_I64 : PADIC_I32;
    a->col.dtype = a->row_ptr.dtype;
    if (a->val_of && !a->val.dtype) a->val.dtype = PADIC_I32;
    if ((result = padici_sparse_head(a, m)) != PADIC_OK) return result;
    for (i = 0; i < 4; i++) {
        padic_tensor *t = padici_sparse_tensor(a, i);
        *t = padic_tensor_1d(t->dtype, NULL, m->size[i] ? m->bytes[i] / m->size[i] : 0);
    }
    return PADIC_OK;
}

PADIC_API padic_result padic_sparse_create(padic_context *context, padic_sparse_csr *csr)
{
    padic_sparse_csr next;
    padici_sparse m;
    uint32_t i;
    padic_result result = PADIC_ERROR_ARGUMENT;
    if (csr) next = *csr;
    if (context && csr) result = padici_sparse_lay(&next, &m);
    if (result) return padici_sparse_end(context, "sparse_create", result);
    for (i = 0; i < 4 && !result; i++) {
        padic_buffer_desc desc = PADIC_ZERO;
        desc.size = m.bytes[i];
        if (desc.size)
            result = padic_buffer_create(context, &desc, &padici_sparse_tensor(&next, i)->buffer);
    }
    next.trusted = PADIC_SPARSE_LEVEL_UNKNOWN;
    if (result)
        padic_sparse_destroy(context, &next);
    else
        *csr = next;
    return result;
}

PADIC_API uint64_t padic_sparse_place_size_bound(const padic_sparse_csr *csr)
{
    padic_sparse_csr next;
    padici_sparse m;
    uint64_t sum = 63;
    uint32_t i;
    if (csr) next = *csr;
    if (!csr || padici_sparse_lay(&next, &m)) return 0;
    for (i = 0; i < 4; i++) padici_num_take(NULL, &sum, m.bytes[i]);
    return sum > (size_t)-1 / 2 ? 0 : sum;
}

PADIC_API padic_result padic_sparse_place(padic_sparse_csr *csr, void *memory, uint64_t size)
{
    const uint64_t skip = (0u - (uintptr_t)memory) & 63, need = padic_sparse_place_size_bound(csr);
    padici_sparse m;
    uint64_t at = 0;
    uint32_t i;
    if (!csr || !memory || !need) return PADIC_ERROR_ARGUMENT;
    if (size < skip || size - skip < need - 63) return PADIC_ERROR_CAPACITY;
    padici_sparse_lay(csr, &m);
    for (i = 0; i < 4; i++)
        padici_sparse_tensor(csr, i)->data =
            padici_num_take((char *)memory + skip, &at, m.bytes[i]);
    csr->trusted = PADIC_SPARSE_LEVEL_UNKNOWN;
    return PADIC_OK;
}

PADIC_API padic_result padic_sparse_destroy(padic_context *context, padic_sparse_csr *csr)
{
    padic_result result = PADIC_OK, one;
    uint32_t i;
    if (!csr) return PADIC_OK;
    if (!context) return PADIC_ERROR_ARGUMENT;
    for (i = 0; i < 4; i++) {
        const padic_buffer buffer = padici_sparse_tensor(csr, i)->buffer;
        one = buffer.id ? padic_buffer_destroy(context, buffer) : PADIC_OK;
        if (!result) result = one;
    }
    memset(csr, 0, sizeof *csr);
    return result;
}

#endif
