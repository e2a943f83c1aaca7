#include "product.h"
#include "../context/messages.h"
#include "../core/jobs.h"
#include "../core/view.h"
#include "../core/words.h"
#include "../num/array.h"
#include "../num/cell.h"
#include "../num/integers.h"
#include "../num/residue.h"
#include "decode.h"
#include "index.h"
#include "kept.h"
#include "matrix.h"

#if PADICI_IMPLEMENT_SPARSE

// Products

// Writes a sum as an integer of any type: 1, or 0 if it does not fit, and 0 is written.
PADICI_FN int padici_sparse_exact_store(const padici_sparse_exact *s, padic_dtype dtype, uint8_t *p)
{
    const uint32_t size = padic_dtype_size(dtype);
    const int is_signed = padici_sparse_is(dtype, PADICI_SPARSE_SIGNED);
    const uint64_t full = padici_sparse_full(size), x = s->w[0];
    const uint64_t sign = is_signed ? 0 - (x >> 63) : 0;
    const int fits = s->w[1] == sign && s->w[2] == sign &&
                     (x ^ sign) <= (is_signed ? full / 2 : full);
    padici_sparse_key_set(p, size, fits ? x & full : 0);
    return fits;
}

#define PADICI_SPARSE_WIDE 8 // columns of x at once

// y of one row and `wide` columns, for one type of sum: 32 sums, added in a fixed tree. No sum is
// ever -0, so lanes beyond n change no bit and the tree may leave them out.
#define PADICI_SPARSE_PRODUCT(T, NAME, LOAD)                                                      \
    PADICI_INLINE void padici_sparse_##NAME(const padici_sparse_job *job, uint64_t first,         \
                                            uint64_t n, const uint8_t *x, uint8_t *y,             \
                                            padic_dtype a_type, padic_dtype x_type, uint32_t wide) \
    {                                                                                             \
        const padici_sparse *m = &job->m;                                                         \
        const uint64_t a_size = padic_dtype_size(a_type), x_size = padic_dtype_size(x_type);      \
        T sum[32 * PADICI_SPARSE_WIDE], a;                                                        \
        uint64_t k;                                                                               \
        uint32_t lanes = 1, lane, half, j;                                                        \
        while (lanes < 32 && lanes < n) lanes *= 2;                                               \
        for (j = 0; j < lanes * wide; j++) sum[j] = 0;                                            \
        for (k = 0; k < n; k++) {                                                                 \
            const uint64_t c = padici_sparse_index(m->col, m->wide, first + k);                   \
            a = LOAD(a_type, m->value + (first + k) * a_size);                                    \
            for (j = 0; j < wide; j++)                                                            \
                sum[k % 32 * wide + j] += a * LOAD(x_type, x + (c * job->width + j) * x_size);    \
        }                                                                                         \
        for (half = 1; half < lanes; half *= 2)                                                   \
            for (lane = 0; lane < lanes; lane += 2 * half)                                        \
                for (j = 0; j < wide; j++) sum[lane * wide + j] += sum[(lane + half) * wide + j]; \
        memcpy(y, sum, wide * sizeof a);                                                          \
    }

PADICI_SPARSE_PRODUCT(float, product32, padici_sparse_single)

PADICI_SPARSE_PRODUCT(double, product64, padici_sparse_double)

static void padici_sparse_real_row(const padici_sparse_job *job, uint64_t first, uint64_t n,
                                   const uint8_t *x, uint8_t *y, uint32_t wide)
{
    const padic_dtype type = job->csr->value.dtype;
    if (type == PADIC_F64 && wide == 1)
        padici_sparse_product64(job, first, n, x, y, PADIC_F64, PADIC_F64, 1);
    else if (type == PADIC_F64)
        padici_sparse_product64(job, first, n, x, y, PADIC_F64, PADIC_F64, wide);
    else if (type == PADIC_F32 && wide == 1)
        padici_sparse_product32(job, first, n, x, y, PADIC_F32, PADIC_F32, 1);
    else if (type == PADIC_F32)
        padici_sparse_product32(job, first, n, x, y, PADIC_F32, PADIC_F32, wide);
    else
        padici_sparse_product32(job, first, n, x, y, type, job->x_dtype, wide);
}

// 1 if all sums fit.
static int padici_sparse_integer_row(const padici_sparse_job *job, uint64_t first, uint64_t n,
                                     const uint8_t *x, uint8_t *y, uint32_t wide)
{
    const padici_sparse *m = &job->m;
    padici_sparse_exact sum[PADICI_SPARSE_WIDE];
    uint64_t k, a, b;
    uint32_t j;
    int fits = 1, a_negative, b_negative;
    memset(sum, 0, sizeof sum);
    for (k = first; k < first + n; k++) {
        const uint64_t c = padici_sparse_index(m->col, m->wide, k) * job->width;
        a = padici_num_int_load(m->value, job->csr->value.dtype, k, &a_negative);
        for (j = 0; j < wide; j++) {
            b = padici_num_int_load(x, job->x_dtype, c + j, &b_negative);
            padici_sparse_exact_add(&sum[j], a, a_negative, b, b_negative);
        }
    }
    for (j = 0; j < wide; j++)
        fits &= padici_sparse_exact_store(&sum[j], job->y_dtype, y + 8 * j);
    return fits;
}

static void padici_sparse_product_rows(void *arg, uint32_t task)
{
    padici_sparse_job *job = (padici_sparse_job *)arg;
    const uint64_t end = padici_sparse_end_row(job, task);
    const uint64_t x_size = padic_dtype_size(job->x_dtype), y_size = padic_dtype_size(job->y_dtype);
    uint64_t r, j;
    for (r = task * job->step; r < end; r++) {
        const uint64_t first = padici_sparse_first(&job->m, r);
        const uint64_t n = padici_sparse_first(&job->m, r + 1) - first;
        for (j = 0; j < job->width; j += PADICI_SPARSE_WIDE) {
            const uint64_t left = job->width - j;
            const uint32_t wide = left < PADICI_SPARSE_WIDE ? (uint32_t)left : PADICI_SPARSE_WIDE;
            const uint8_t *x = job->x ? job->x + j * x_size : NULL;
            uint8_t *y = job->y + (r * job->width + j) * y_size;
            if (padici_sparse_is(job->x_dtype, PADICI_SPARSE_FLOATS))
                padici_sparse_real_row(job, first, n, x, y, wide);
            else if (!padici_sparse_integer_row(job, first, n, x, y, wide))
                job->bad[task % PADICI_JOBS_AT_ONCE] = 1;
        }
    }
}

static void padici_sparse_ring_rows(void *arg, uint32_t task)
{
    padici_sparse_job *job = (padici_sparse_job *)arg;
    const padici_sparse *m = &job->m;
    const padic_num_ring *ring = job->call.ring;
    const uint64_t end = padici_sparse_end_row(job, task);
    uint64_t local[8], i, e, at, step;
    uint64_t *u = ring->form == PADIC_NUM_RX ? (uint64_t *)job->call.workspace : local;
    uint64_t *const a = u + ring->words, *const x = a + ring->words, *const t = x + ring->words;
    uint32_t k;
    for (i = task * job->step * job->width; i < end * job->width; i++) {
        const uint64_t r = i / job->width, j = i % job->width;
        memset(u, 0, ring->words * sizeof *u);
        for (e = padici_sparse_first(m, r); e < padici_sparse_first(m, r + 1); e++) {
            at = padici_sparse_index(m->col, m->wide, e) * job->width + j;
            at = padici_num_at(ring, &job->call.b, at, &step);
            for (k = 0; k < ring->words; k++) {
                a[k] = padici_sparse_key(m->value + e * m->entry + k * m->size[2], m->size[2]);
                x[k] = padici_num_word(ring, job->call.b.unit, at + k * step);
            }
            padici_num_ring_mul(ring, t, a, x);
            padici_num_ring_add(ring, u, u, t);
        }
        at = padici_num_at(ring, &job->call.out, i, &step);
        for (k = 0; k < ring->words; k++)
            padici_num_word_set(ring, job->call.out.unit, at + k * step, u[k]);
        if (job->call.status) job->call.status[i] = 0;
    }
}

static padic_result padici_sparse_ring_product(padic_context *context, padici_sparse_job *job,
                                               const padic_sparse_product_desc *desc)
{
    const padic_sparse_csr *a = desc->a;
    uint64_t outs, ins;
    padic_result result;
    job->width = a->rows ? desc->y_numbers.count / a->rows : 1;
    if (a->val_of)
        return padici_blame(context, PADIC_ERROR_NOT_SUPPORTED, "a", NULL,
                            "has FLOAT numbers: products are for RING");
    if (!padici_mul_u64(job->width, a->rows, &outs) || !padici_mul_u64(job->width, a->cols, &ins))
        return PADIC_ERROR_LIMIT;
    result = padici_sparse_array(context, job, &desc->y_numbers, outs, "y_numbers", 1);
    if (!result) result = padici_sparse_array(context, job, &desc->x_numbers, ins, "x_numbers", 0);
    if (!result) result = padici_sparse_apart(job, &desc->y_numbers, &desc->x_numbers, 0, 0);
    if (!result && desc->y_numbers.ring->composite) result = PADIC_ERROR_NOT_SUPPORTED;
    if (!result)
        padici_sparse_rows(context, job, desc->y_numbers.ring->form == PADIC_NUM_RX,
                           padici_sparse_ring_rows);
    return result;
}

// A dense operand of rows x width (or rows, for width 1).
static padic_result padici_sparse_operand(const padic_tensor *t, uint64_t rows, uint64_t width,
                                          uint32_t dtypes, void **p)
{
    uint64_t count;
    padic_result result = padici_tensor_check_shape(t, &count);
    if (result) return result;
    if (t->rank < 1 || t->rank > 2 || t->shape[0] != rows ||
        (t->rank == 2 ? t->shape[1] : 1) != width)
        return PADIC_ERROR_MISMATCH;
    return padici_sparse_view(t, count, dtypes, p);
}

PADICI_FN PADICI_NOINLINE padic_result padici_sparse_product(padic_context *context,
                                                             const padic_sparse_product_desc *desc)
{
    padici_sparse_job job;
    const padic_sparse_csr *a = desc->a;
    uint32_t x_types = PADICI_SPARSE_INTEGERS, y_types = 1u << PADIC_I64 | 1u << PADIC_U64;
    void *x, *y;
    padic_result result = a ? padici_sparse_job_begin(context, &job, a) : PADIC_ERROR_ARGUMENT;
    if (!a) padici_blame(context, result, "a", NULL, "is NULL");
    if (result) return result;
    if (a->kind == PADIC_SPARSE_KIND_NUMBERS)
        return padici_sparse_ring_product(context, &job, desc);
    if (padici_sparse_is(a->value.dtype, PADICI_SPARSE_FLOATS)) {
        y_types = 1u << (a->value.dtype == PADIC_F64 ? PADIC_F64 : PADIC_F32);
        x_types = 1u << a->value.dtype | y_types;
    }
    job.width = desc->y.rank != 2 ? 1 : desc->y.shape[1];
    job.x_dtype = desc->x.dtype;
    job.y_dtype = desc->y.dtype;
    result = padici_sparse_operand(&desc->x, a->cols, job.width, x_types, &x);
    padici_blame(context, result, "x", NULL,
                 result == PADIC_ERROR_MISMATCH ? "must have a.cols rows, and as many columns as y"
                                                : NULL);
    if (!result) {
        result = padici_sparse_operand(&desc->y, a->rows, job.width, y_types, &y);
        padici_blame(context, result, "y", NULL,
                     result == PADIC_ERROR_MISMATCH ? "must have a.rows rows" : NULL);
    }
    if (result) return result;
    job.x = (const uint8_t *)x;
    job.y = (uint8_t *)y;
    result = padici_sparse_apart(&job, NULL, NULL,
                                 a->rows * job.width * padic_dtype_size(job.y_dtype),
                                 a->cols * job.width * padic_dtype_size(job.x_dtype));
    if (result || !job.width) return result;
    return padici_sparse_rows(context, &job, 0, padici_sparse_product_rows) ? PADIC_ERROR_DOMAIN
                                                                            : PADIC_OK;
}

#undef PADICI_SPARSE_WIDE
#undef PADICI_SPARSE_PRODUCT

#endif
