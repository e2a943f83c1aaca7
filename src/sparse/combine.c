#include "combine.h"
#include "../context/messages.h"
#include "../core/log.h"
#include "../num/integers.h"
#include "../num/residue.h"
#include "../num/task.h"
#include "../num/words.h"
#include "decode.h"
#include "index.h"
#include "kept.h"
#include "matrix.h"
#include "product.h"
#include "validate.h"

#if PADICI_IMPLEMENT_SPARSE

// Matrices from matrices

// A matrix like a in the planes of out.
PADICI_FN void padici_sparse_like(padic_sparse_csr *next, const padic_sparse_csr *out,
                                  const padic_sparse_csr *a)
{
    *next = *a;
    next->row_ptr = out->row_ptr;
    next->col = out->col;
    next->value = out->value;
    next->val = out->val;
    next->nnz = 0;
    next->trusted = PADIC_SPARSE_LEVEL_UNKNOWN;
}

PADICI_FN PADICI_NOINLINE padic_result padici_sparse_transpose(padic_context *context,
                                                               padic_sparse_csr *out,
                                                               const padic_sparse_csr *a)
{
    padic_sparse_csr next;
    padici_sparse m, to;
    padici_num_range list[8];
    uint64_t r, e, c, at;
    uint32_t n = 0;
    padic_result result = out ? padici_sparse_open(context, a, &m) : PADIC_ERROR_ARGUMENT;
    if (!out) padici_blame(context, result, "out", NULL, "is NULL");
    if (result) return result;
    padici_sparse_like(&next, out, a);
    next.rows = a->cols;
    next.cols = a->rows;
    if (a->val_of == PADIC_SPARSE_VAL_ROW) next.val_of = PADIC_SPARSE_VAL_COL;
    if (a->val_of == PADIC_SPARSE_VAL_COL) next.val_of = PADIC_SPARSE_VAL_ROW;
    if ((result = padici_sparse_planes(context, &next, 1, &to)) != PADIC_OK) return result;
    if (to.entry != m.entry || next.value.dtype != a->value.dtype || to.size[3] != m.size[3])
        return padici_blame(context, PADIC_ERROR_MISMATCH, "out", NULL,
                            "must have planes of the dtypes of a");
    if (!to.wide && m.nnz >> 31)
        return padici_blame(context, PADIC_ERROR_LIMIT, "out", "row_ptr", "must be I64 here");
    to.bytes[3] = m.bytes[3];
    padici_sparse_ranges(&m, 0, 0, list, &n);
    padici_sparse_ranges(&to, 0, 1, list, &n);
    if ((result = padici_num_overlap(list, n)) != PADIC_OK) return result;
    out->nnz = m.nnz;
    if (to.room < m.nnz)
        return padici_blame(context, PADIC_ERROR_CAPACITY, "out", NULL,
                            "has planes with too little room: out.nnz is what it takes");
    memset(to.row_ptr, 0, (size_t)to.bytes[0]);
    for (e = 0; e < m.nnz; e++) { // how many in each column, one place further up
        c = padici_sparse_index(m.col, m.wide, e) + 1;
        at = padici_sparse_index(to.row_ptr, to.wide, c) + 1;
        padici_sparse_index_set(to.row_ptr, to.wide, c, at);
    }
    for (c = 0, at = 0; c <= next.rows; c++) {
        at += padici_sparse_index(to.row_ptr, to.wide, c);
        padici_sparse_index_set(to.row_ptr, to.wide, c, at);
    }
    for (r = 0, e = 0; r < m.rows; r++)
        for (; e < padici_sparse_first(&m, r + 1); e++) {
            c = padici_sparse_index(m.col, m.wide, e);
            at = padici_sparse_index(to.row_ptr, to.wide, c);
            padici_sparse_index_set(to.row_ptr, to.wide, c, at + 1);
            padici_sparse_index_set(to.col, to.wide, at, r);
            memcpy(to.value + at * m.entry, m.value + e * m.entry, m.entry);
            if (a->val_of == PADIC_SPARSE_VAL_ENTRY)
                memcpy(to.val + at * m.size[3], m.val + e * m.size[3], m.size[3]);
        }
    for (c = next.rows; c > 0; c--) { // each now holds where the next one begins
        at = padici_sparse_index(to.row_ptr, to.wide, c - 1);
        padici_sparse_index_set(to.row_ptr, to.wide, c, at);
    }
    padici_sparse_index_set(to.row_ptr, to.wide, 0, 0);
    if (m.vals && a->val_of != PADIC_SPARSE_VAL_ENTRY) memcpy(to.val, m.val, (size_t)m.bytes[3]);
    next.nnz = m.nnz;
    next.trusted = a->trusted ? a->trusted : PADIC_SPARSE_LEVEL_STRUCTURE;
    *out = next;
    return PADIC_OK;
}

typedef struct padici_sparse_sum {
    const padic_sparse_csr *like;
    const padic_num_ring *ring; // NUMBERS
    const padic_sparse_factor *factor[2]; // alpha, beta; NULL: 1
    uint32_t overflow;
} padici_sparse_sum;

// A ring's factors must be residues.
static int padici_sparse_is_residue(const padic_num_ring *r, const padic_sparse_factor *factor)
{
    const padic_num_value *v = factor ? &factor->number : NULL;
    if (!v) return 1;
    if (r->form == PADIC_NUM_W128)
        return padici_num_wide_less(padici_num_wide_load(v->u), padici_num_modulus(r));
    return !v->u[1] && (!r->base || v->u[0] < r->base);
}

// *to = the sum of factor times entry, those that are there: 1, or 0 if it is zero or does not fit.
static int padici_sparse_combine(padici_sparse_sum *s, const uint8_t *const from[2], uint8_t *to)
{
    const padic_dtype type = s->like->value.dtype;
    const padic_num_ring *r = s->ring;
    const uint32_t size = padic_dtype_size(type);
    padici_sparse_exact exact = {{0, 0, 0}};
    uint64_t sum[2] = {0, 0}, a[2] = {0, 0}, t[2], m;
    uint32_t i, k, n = 0;
    int64_t whole = 1;
    int negative;
    double real = 0, f = 1;
    float single = 0;
    for (i = 0; i < 2; i++) {
        if (!from[i]) continue;
        if (r) {
            for (k = 0; k < r->words; k++) a[k] = padici_sparse_key(from[i] + k * size, size);
            if (s->factor[i])
                padici_num_ring_mul(r, t, s->factor[i]->number.u, a);
            padici_num_ring_add(r, sum, sum, s->factor[i] ? t : a);
        } else if (padici_sparse_is(type, PADICI_SPARSE_INTEGERS)) {
            if (s->factor[i]) whole = s->factor[i]->integer;
            m = padici_num_int_load(from[i], type, 0, &negative);
            padici_sparse_exact_add(&exact, m, negative,
                                    whole < 0 ? 0 - (uint64_t)whole : (uint64_t)whole, whole < 0);
        } else {
            if (s->factor[i]) f = s->factor[i]->real;
            if (type == PADIC_F64) {
                const double x = f * padici_sparse_double(type, from[i]);
                real = n++ ? real + x : x;
            } else {
                const float x = (float)f * padici_sparse_single(type, from[i]);
                single = n++ ? single + x : x;
            }
        }
        whole = 1;
        f = 1;
    }
    if (r) {
        for (k = 0; k < r->words; k++) padici_sparse_key_set(to + k * size, size, sum[k]);
        return (sum[0] | sum[1]) != 0;
    }
    if (type == PADIC_F64)
        memcpy(to, &real, 8);
    else if (type == PADIC_F32)
        memcpy(to, &single, 4);
    else if (size == 2 && padici_sparse_is(type, PADICI_SPARSE_FLOATS))
        padici_sparse_narrow(type, to, single);
    else if (!padici_sparse_exact_store(&exact, type, to))
        s->overflow = 1;
    m = padici_sparse_key(to, size);
    return padici_sparse_is(type, PADICI_SPARSE_FLOATS) ? (m << 1 & padici_sparse_full(size)) != 0
                                                        : m != 0;
}

// Merges the rows of a and b (NULL: a alone). The result of a alone may be a: an entry is written
// at or before where it was read, and row_ptr after it was read.
static uint64_t padici_sparse_merge(padici_sparse_sum *s, const padici_sparse *to,
                                    const padici_sparse *a, const padici_sparse *b)
{
    uint64_t r, at = 0, i = 0, j = 0, i_end, j_end = 0, value[2];
    const uint8_t *from[2];
    for (r = 0; r < a->rows; r++) {
        i_end = padici_sparse_first(a, r + 1);
        if (b) j_end = padici_sparse_first(b, r + 1);
        padici_sparse_index_set(to->row_ptr, to->wide, r, at);
        while (i < i_end || j < j_end) {
            const uint64_t x = i < i_end ? padici_sparse_index(a->col, a->wide, i) : UINT64_MAX;
            const uint64_t y = j < j_end ? padici_sparse_index(b->col, b->wide, j) : UINT64_MAX;
            from[0] = x <= y ? a->value + i++ * a->entry : NULL;
            from[1] = y <= x ? b->value + j++ * b->entry : NULL;
            if (!padici_sparse_combine(s, from, (uint8_t *)value)) continue;
            if (at < to->room) {
                padici_sparse_index_set(to->col, to->wide, at, x < y ? x : y);
                memcpy(to->value + at * to->entry, value, to->entry);
            }
            at++;
        }
    }
    padici_sparse_index_set(to->row_ptr, to->wide, a->rows, at);
    return at;
}

// b NULL: alpha a, which may lie where a does.
static padic_result padici_sparse_merged(padic_context *context, padic_sparse_csr *out,
                                         const padic_sparse_csr *a, const padic_sparse_csr *b,
                                         padici_sparse_sum *s)
{
    padic_sparse_csr next;
    padici_sparse ma, mb, to;
    padici_num_range list[12];
    uint32_t n = 0, same;
    padic_result result = out ? padici_sparse_open(context, a, &ma) : PADIC_ERROR_ARGUMENT;
    if (!result && b) result = padici_sparse_open(context, b, &mb);
    if (result) return result;
    if (b && (a->kind != b->kind || a->rows != b->rows || a->cols != b->cols || a->p != b->p ||
              a->value.dtype != b->value.dtype || a->precision != b->precision ||
              ma.entry != mb.entry || a->val_of != b->val_of || a->form != b->form)) {
        if (a->kind == b->kind && a->kind && (a->p != b->p || a->precision != b->precision ||
                                              a->form != b->form || ma.entry != mb.entry))
            return padici_blame(context, PADIC_ERROR_RING, "b", NULL,
                                "is of another ring than a");
        return padici_blame(context, PADIC_ERROR_MISMATCH, "b", NULL,
                            "must have the kind, shape and dtypes of a");
    }
    if (a->kind == PADIC_SPARSE_KIND_DIGITS || a->val_of || (s->ring &&
                                                             s->ring->form == PADIC_NUM_RX))
        return padici_blame(context, PADIC_ERROR_NOT_SUPPORTED, "a", NULL,
                            "must be PLAIN, or RING numbers up to W128");
    if (a->kind == PADIC_SPARSE_KIND_NUMBERS && !s->ring)
        return padici_blame(context, PADIC_ERROR_ARGUMENT, "a", NULL,
                            "has a p, precision, form and words that no ring has");
    if (s->ring && (!padici_sparse_is_residue(s->ring, s->factor[0]) ||
                    !padici_sparse_is_residue(s->ring, s->factor[1])))
        return padici_blame(context, PADIC_ERROR_ARGUMENT, "alpha", NULL,
                            "and beta must be residues below P");
    padici_sparse_like(&next, out, a);
    next.mode = PADIC_SPARSE_MODE_NONZERO;
    next.threshold = 0;
    if ((result = padici_sparse_planes(context, &next, 1, &to)) != PADIC_OK) return result;
    if (next.value.dtype != a->value.dtype)
        return padici_blame(context, PADIC_ERROR_MISMATCH, "out", "value",
                            "must have the dtype of a.value");
    same = !b && to.row_ptr == ma.row_ptr && to.col == ma.col && to.value == ma.value &&
           to.wide == ma.wide;
    if (same) to.room = ma.nnz;
    padici_sparse_ranges(&ma, same, 0, list, &n);
    if (b) padici_sparse_ranges(&mb, 0, 0, list, &n);
    padici_sparse_ranges(&to, same, 1, list, &n);
    if ((result = padici_num_overlap(list, n)) != PADIC_OK) return result;
    s->like = a;
    next.nnz = padici_sparse_merge(s, &to, &ma, b ? &mb : NULL);
    if (next.nnz > to.room || (!to.wide && next.nnz >> 31)) {
        out->nnz = next.nnz;
        return next.nnz > to.room ? PADIC_ERROR_CAPACITY : PADIC_ERROR_LIMIT;
    }
    next.trusted = PADIC_SPARSE_LEVEL_STRUCTURE;
    if (a->trusted == PADIC_SPARSE_LEVEL_CANONICAL &&
        (!b || b->trusted == PADIC_SPARSE_LEVEL_CANONICAL))
        next.trusted = PADIC_SPARSE_LEVEL_CANONICAL;
    *out = next;
    return s->overflow ? PADIC_ERROR_DOMAIN : PADIC_OK;
}

// 0: a factor is of another kind than the entries.
static int padici_sparse_factor_of(const padic_sparse_csr *a, const padic_sparse_factor *factor,
                                   const padic_sparse_factor **to)
{
    const padic_sparse_factor_kind kind =
        a->kind == PADIC_SPARSE_KIND_NUMBERS                            ? PADIC_SPARSE_FACTOR_NUMBER
        : padici_sparse_is(a->value.dtype, PADICI_SPARSE_INTEGERS) ? PADIC_SPARSE_FACTOR_INTEGER
                                                                   : PADIC_SPARSE_FACTOR_REAL;
    *to = factor->kind ? factor : NULL;
    return !factor->kind || factor->kind == kind;
}

static padic_result padici_sparse_sum_of(padic_context *context, padici_sparse_sum *s,
                                         padic_num_ring *ring, const padic_sparse_csr *a,
                                         const padic_sparse_factor *alpha,
                                         const padic_sparse_factor *beta)
{
    memset(s, 0, sizeof *s);
    if (!a) return padici_blame(context, PADIC_ERROR_ARGUMENT, "a", NULL, "is NULL");
    if (!padici_sparse_factor_of(a, alpha, &s->factor[0]) ||
        (beta && !padici_sparse_factor_of(a, beta, &s->factor[1])))
        return padici_blame(context, PADIC_ERROR_ARGUMENT,
                            beta && s->factor[1] ? "beta" : "alpha", "kind",
                            "must be that of the matrix: INTEGER, REAL or NUMBER");
    if (a->kind == PADIC_SPARSE_KIND_NUMBERS && !padici_sparse_ring(a, ring)) s->ring = ring;
    return PADIC_OK;
}

PADICI_FN padic_result padici_sparse_add(padic_context *context, const padic_sparse_add_desc *desc)
{
    padic_num_ring ring;
    padici_sparse_sum s;
    padic_result result =
        padici_sparse_sum_of(context, &s, &ring, desc->a, &desc->alpha, &desc->beta);
    if (!result && !desc->b)
        result = padici_blame(context, PADIC_ERROR_ARGUMENT, "b", NULL, "is NULL");
    return result ? result : padici_sparse_merged(context, desc->out, desc->a, desc->b, &s);
}

PADICI_FN padic_result padici_sparse_scale(padic_context *context,
                                           const padic_sparse_scale_desc *desc)
{
    padic_num_ring ring;
    padici_sparse_sum s;
    const padic_result result =
        padici_sparse_sum_of(context, &s, &ring, desc->a, &desc->alpha, NULL);
    return result ? result : padici_sparse_merged(context, desc->out, desc->a, NULL, &s);
}

#endif
