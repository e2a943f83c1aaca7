#include "source.h"
#include "../context/messages.h"
#include "../core/view.h"
#include "../core/words.h"
#include "../num/cell.h"
#include "../num/residue.h"
#include "../num/ring.h"
#include "index.h"

#if PADICI_IMPLEMENT_SPARSE

// Sources

// 0 for zero, 2 where v < t, else 1, of a number of several words.
PADICI_FN uint8_t padici_sparse_number_key(const padici_sparse_source *s, uint64_t i)
{
    const padic_num_ring *r = s->ring;
    uint64_t step, at = padici_num_at(r, &s->planes, i, &step), u[2];
    uint32_t k;
    if (r->form == PADIC_NUM_W128) {
        u[0] = padici_num_word(r, s->planes.unit, at);
        u[1] = padici_num_word(r, s->planes.unit, at + step);
        if (!(u[0] | u[1])) return 0;
        return s->below >= (int64_t)r->precision || padici_num_ring_valuation(r, u) < s->below ? 2
                                                                                               : 1;
    }
    for (k = 0; k < r->words; k++) {
        u[0] = padici_num_word(r, s->planes.unit, at + k * step);
        if (u[0]) return k * r->limb_digits + padici_num_split1(r, u[0], u + 1) < s->below ? 2 : 1;
    }
    return 0;
}

// The memory of a source: its keys, or planes of numbers; none for what lies in a buffer.
PADICI_FN padic_result padici_sparse_source_find(padic_context *context, padici_sparse_source *s,
                                                 const padic_sparse_source *source)
{
    const padic_num_array *a = &source->numbers;
    padic_result result;
    if (!s->ring) {
        s->key = (const uint8_t *)source->dense.data;
        return PADIC_OK;
    }
    memset(&s->planes, 0, sizeof s->planes);
    s->planes.val16 = a->val.dtype == PADIC_I16;
    if (!a->unit.data && a->unit.buffer.id) return PADIC_OK;
    result = padici_num_planes_of(context, a, &s->planes);
    if (result) return padici_blame(context, result, "numbers", NULL, NULL);
    s->key = (const uint8_t *)(s->made ? NULL : s->val_dtype ? s->planes.val : s->planes.unit);
    return PADIC_OK;
}

static padic_result padici_sparse_numbers(padici_sparse_source *s,
                                          const padic_sparse_source *source, uint64_t batch)
{
    const padic_num_array *a = &source->numbers;
    const padic_num_ring *r = a->ring;
    // the least integer t that does: |t| is at most what a plane of valuations holds
    const double up = source->threshold > 2147483647.0 ? 2147483647.0
                      : source->threshold < -2147483647.0 ? -2147483647.0
                                                        : source->threshold;
    const int64_t t = source->mode == PADIC_SPARSE_MODE_NORM
                          ? (int64_t)up + (up > (double)(int64_t)up)
                          : INT64_MAX;
    if (!padici_num_ring_is(r) || source->mode == PADIC_SPARSE_MODE_THRESHOLD)
        return PADIC_ERROR_ARGUMENT;
    if (r->composite || (uint32_t)a->model > PADIC_NUM_FLOAT) return PADIC_ERROR_NOT_SUPPORTED;
    if (!padici_mul_u64(source->rows, source->cols, &s->stride) ||
        !padici_mul_u64(s->stride, batch, &s->stride) || s->stride != a->count)
        return PADIC_ERROR_MISMATCH;
    s->ring = r;
    s->rows = source->rows;
    s->cols = s->stride = source->cols;
    s->dtype = r->unit_size == 4 ? PADIC_U32 : PADIC_U64;
    if (a->count && (a->unit.dtype != s->dtype ||
                     (a->model == PADIC_NUM_FLOAT && a->val.dtype != PADIC_I32 &&
                      a->val.dtype != PADIC_I16)))
        return PADIC_ERROR_DTYPE;
    s->has_other = source->mode == PADIC_SPARSE_MODE_NORM;
    s->below = t;
    s->gather = a->model == PADIC_NUM_FLOAT || r->words > 1;
    if (a->model == PADIC_NUM_FLOAT) {
        s->val_dtype = a->val.dtype;
        s->size = a->val.dtype == PADIC_I16 ? 2 : 4;
        s->test = padici_sparse_below_val(s->size, t);
        s->other = padici_sparse_below_val(s->size, INT64_MAX);
    } else if (r->words > 1) {
        s->made = 1;
        s->size = 1;
        s->test = padici_sparse_above(PADIC_U8, 1);
        s->other = padici_sparse_above(PADIC_U8, 0);
    } else {
        s->size = r->unit_size;
        s->test = padici_sparse_below(s->dtype, r->p, t);
        s->other = padici_sparse_above(s->dtype, 0);
    }
    return PADIC_OK;
}

// `t`: rank 1 or 2, or 3 for `batch` matrices *step elements apart.
PADICI_FN padic_result padici_sparse_dense(padici_sparse_source *s, const padic_tensor *t,
                                           uint64_t batch, uint64_t *step)
{
    const uint32_t axis = t->rank > 1 ? t->rank - 2 : 0; // of rows
    int64_t stride[PADIC_MAX_RANK];
    uint64_t count;
    padic_result result = padici_tensor_check_shape(t, &count);
    if (result) return result;
    if (!padici_sparse_is(t->dtype, PADICI_SPARSE_INTEGERS | PADICI_SPARSE_FLOATS))
        return PADIC_ERROR_DTYPE;
    if (t->rank < 1 || t->rank > 3 || (t->rank == 3) != (batch != 0) ||
        (batch && t->shape[0] != batch))
        return PADIC_ERROR_ARGUMENT;
    if (!padici_aligned(t->data, padic_dtype_size(t->dtype))) return PADIC_ERROR_ALIGNMENT;
    padici_tensor_dense(t, stride);
    s->dtype = t->dtype;
    s->size = padic_dtype_size(t->dtype);
    s->rows = t->rank > 1 ? t->shape[axis] : 1;
    s->cols = t->shape[t->rank - 1];
    s->stride = t->rank > 1 ? (uint64_t)stride[axis] : s->cols;
    if (step) *step = (uint64_t)stride[0];
    if (s->cols > 1 && (stride[t->rank - 1] != 1 || (s->rows > 1 && s->stride < s->cols)))
        return PADIC_ERROR_ARGUMENT;
    if (!t->data && s->rows > 1 && s->stride != s->cols) return PADIC_ERROR_ARGUMENT; // in a buffer
    return count && !t->data && !t->buffer.id ? PADIC_ERROR_ARGUMENT : PADIC_OK;
}

static padic_result padici_sparse_mode_of(padici_sparse_source *s,
                                          const padic_sparse_source *source)
{
    const int is_float = padici_sparse_is(s->dtype, PADICI_SPARSE_FLOATS);
    const double t = source->threshold, up = t > 64 ? 64 : t;
    s->other = s->test = padici_sparse_above(s->dtype, 0);
    s->has_other = source->mode >= PADIC_SPARSE_MODE_THRESHOLD;
    if (source->mode == PADIC_SPARSE_MODE_NONZERO) {
        s->has_other = (uint32_t)is_float;
        s->other.mask = padici_sparse_full(s->size);
    } else if (source->mode == PADIC_SPARSE_MODE_BITS) {
        s->test.mask = padici_sparse_full(s->size);
    } else if (source->mode == PADIC_SPARSE_MODE_THRESHOLD) {
        if (t < 0) return PADIC_ERROR_ARGUMENT;
        s->most = padici_sparse_limit(s->dtype, t);
        s->test = padici_sparse_above(s->dtype, s->most);
        s->has_largest = 1;
    } else {
        if (is_float) return PADIC_ERROR_DTYPE;
        if (!padici_num_ring_is(source->ring) || source->ring->composite)
            return PADIC_ERROR_ARGUMENT;
        s->test = padici_sparse_below(s->dtype, source->ring->p,
                                      up <= 0 ? 0 : (int64_t)up + (up > (double)(int64_t)up));
    }
    return PADIC_OK;
}

PADICI_FN padic_result padici_sparse_check_method(padic_context *context,
                                                  padic_sparse_method method)
{
    if ((uint32_t)method < PADIC_SPARSE_METHOD_COUNT) return PADIC_OK;
    return padici_blame(context, PADIC_ERROR_ARGUMENT, NULL, NULL, "method is none that there is");
}

// `batch`: 0, or how many matrices there are; *step: from one to the next.
PADICI_FN padic_result padici_sparse_source_of(padic_context *context, padici_sparse_source *s,
                                               const padic_sparse_source *source, uint64_t batch,
                                               uint64_t *step)
{
    const int both = (source->dense.dtype != PADIC_DTYPE_NONE) == (source->numbers.ring != NULL);
    padic_result result;
    memset(s, 0, sizeof *s);
    if (both || (uint32_t)source->mode > 3 ||
        !(source->threshold - source->threshold == 0)) // Inf - Inf is NaN
        return padici_blame(context, PADIC_ERROR_ARGUMENT, NULL, NULL,
                            both ? "dense or numbers must be given, and not both"
                            : (uint32_t)source->mode > 3 ? "mode is none that there is"
                                                         : "threshold must be finite");
    if (source->numbers.ring) {
        result = padici_sparse_numbers(s, source, batch ? batch : 1);
        padici_blame(context, result, "numbers", NULL,
                     result == PADIC_ERROR_MISMATCH        ? "must have rows times cols elements"
                     : result == PADIC_ERROR_NOT_SUPPORTED ? "must be RING or FLOAT, of a prime"
                     : source->mode == PADIC_SPARSE_MODE_THRESHOLD
                         ? "have norms, not sizes: mode THRESHOLD is for `dense`"
                         : NULL);
        if (step) *step = s->rows * s->cols;
    } else {
        result = padici_sparse_dense(s, &source->dense, batch, step);
        padici_blame(context, result, "dense", NULL,
                     result == PADIC_ERROR_ARGUMENT
                         ? "must have rank 1 or 2 (3 for a batch), memory, columns next to one "
                           "another, and no gaps in a buffer"
                         : NULL);
        if (!result) {
            result = padici_sparse_mode_of(s, source);
            padici_blame(context, result, "mode", NULL,
                         result == PADIC_ERROR_DTYPE ? "NORM is for integers and numbers"
                         : source->mode == PADIC_SPARSE_MODE_THRESHOLD
                             ? "THRESHOLD wants a threshold of 0 or more"
                             : "NORM of integers wants `ring`, of a prime");
        }
    }
    return !result && (s->rows | s->cols) >> 48 ? PADIC_ERROR_LIMIT : result;
}

#endif
