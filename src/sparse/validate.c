#include "validate.h"
#include "../context/messages.h"
#include "../num/cell.h"
#include "../num/limbs.h"
#include "../num/value.h"
#include "index.h"
#include "kept.h"

#if PADICI_IMPLEMENT_SPARSE

// Validation

// The ring of a matrix of numbers.
PADICI_FN padic_result padici_sparse_ring(const padic_sparse_csr *a, padic_num_ring *ring)
{
    padic_num_ring_options options;
    options.form = a->form;
    options.limb32 = a->form == PADIC_NUM_RX && a->value.dtype == PADIC_U32;
    if (padic_num_ring_init(ring, a->p, a->precision, &options) || ring->form != a->form ||
        ring->words != a->words || ring->unit_size != padic_dtype_size(a->value.dtype))
        return PADIC_ERROR_CORRUPT;
    return PADIC_OK;
}

// Is entry e what the matrix may hold? call->a has its valuations.
static int padici_sparse_check_entry(const padic_sparse_csr *a, const padici_sparse *m,
                                     const padic_num_call *call, uint64_t e)
{
    const padic_num_ring *r = call->ring;
    const uint8_t *p = m->value + e * m->entry;
    uint64_t u[2] = {0, 0}, x = padici_sparse_key(p, m->size[2]), any = 0, rest = 0;
    padici_num_cell cell;
    uint32_t k;
    if (a->kind == PADIC_SPARSE_KIND_DIGITS) return x && x < a->p;
    if (a->kind == PADIC_SPARSE_KIND_PLAIN) {
        if (a->mode != PADIC_SPARSE_MODE_BITS && padici_sparse_is(a->value.dtype,
                                                                  PADICI_SPARSE_FLOATS))
            x &= padici_sparse_full(m->size[2]) / 2;
        return x != 0;
    }
    for (k = 0; k < a->words; k++) {
        x = padici_sparse_key(p + k * m->size[2], m->size[2]);
        any |= x;
        if (k) rest |= x;
        if (k < 2) u[k] = x;
        if (r->form == PADIC_NUM_RX && x >= padici_num_limb_base(r, k)) return 0;
    }
    cell.v = m->val ? padici_num_val_raw(&call->a, e) : 0;
    cell.n = r->precision;
    cell.u = u;
    if (r->form != PADIC_NUM_RX)
        return any && cell.v != PADIC_NUM_ZERO && padici_num_cell_canonical(call, &call->a, &cell);
    if (cell.v == PADIC_NUM_NAN) return !rest && u[0] < 256 && u[0] & PADIC_NUM_HARD;
    if (!m->val) return any != 0;
    return cell.v <= PADIC_NUM_MAX_VALUATION && cell.v >= -PADIC_NUM_MAX_VALUATION && u[0] % r->p;
}

// A valuation of a row or column of digits.
static int padici_sparse_check_val(const padic_num_call *call, uint64_t i)
{
    const int32_t v = padici_num_val_raw(&call->a, i);
    const int32_t limit = call->a.val16 ? PADIC_NUM_MAX_VALUATION16 : PADIC_NUM_MAX_VALUATION;
    return v == PADIC_NUM_ZERO || v == PADIC_NUM_NAN || (v <= limit && v >= -limit);
}

PADICI_FN padic_result padici_sparse_check(const padic_sparse_csr *a, const padici_sparse *m,
                                           padic_sparse_level level, uint64_t *bad)
{
    const int canonical = level == PADIC_SPARSE_LEVEL_CANONICAL;
    uint64_t r, e = 0, next, col, last = 0, i, here;
    padic_num_ring ring;
    padic_num_call call;
    memset(&call, 0, sizeof call);
    call.ring = &ring;
    call.model = m->val ? PADIC_NUM_FLOAT : PADIC_NUM_RING;
    call.a.val = m->val;
    call.a.val16 = m->size[3] == 2;
    if (!bad) bad = &here;
    *bad = a->rows;
    if (canonical && a->kind == PADIC_SPARSE_KIND_NUMBERS && padici_sparse_ring(a, &ring))
        return PADIC_ERROR_CORRUPT;
    if (canonical && a->kind == PADIC_SPARSE_KIND_DIGITS &&
        a->precision != (a->val_of == PADIC_SPARSE_VAL_COL ? a->rows : a->cols) &&
        !(a->val_of == PADIC_SPARSE_VAL_NONE && a->precision == a->rows))
        return PADIC_ERROR_CORRUPT;
    for (i = 0; canonical && a->val_of == PADIC_SPARSE_VAL_COL && i < m->cols; i++)
        if (!padici_sparse_check_val(&call, i)) return PADIC_ERROR_CORRUPT;
    *bad = 0;
    if (padici_sparse_index(m->row_ptr, m->wide, 0)) return PADIC_ERROR_CORRUPT;
    for (r = 0; r < m->rows; r++, e = next) {
        *bad = r;
        next = padici_sparse_index(m->row_ptr, m->wide, r + 1);
        if (next < e || next > m->nnz || (canonical && a->val_of == PADIC_SPARSE_VAL_ROW &&
                                          !padici_sparse_check_val(&call, r)))
            return PADIC_ERROR_CORRUPT;
        for (i = e; i < next; i++, last = col) {
            col = padici_sparse_index(m->col, m->wide, i);
            if (col >= m->cols || (i > e && col <= last) ||
                (canonical && !padici_sparse_check_entry(a, m, &call, i)))
                return PADIC_ERROR_CORRUPT;
        }
    }
    *bad = a->rows;
    return e == m->nnz ? PADIC_OK : PADIC_ERROR_CORRUPT;
}

PADICI_FN padic_result padici_sparse_validate(padic_context *context, const padic_sparse_csr *csr,
                                              padic_sparse_level level, uint64_t *bad_row)
{
    padici_sparse m;
    padic_result result;
    *bad_row = csr ? csr->rows : 0;
    if (level != PADIC_SPARSE_LEVEL_STRUCTURE && level != PADIC_SPARSE_LEVEL_CANONICAL)
        return padici_blame(context, PADIC_ERROR_ARGUMENT, "level", NULL,
                            "must be STRUCTURE or CANONICAL");
    result = padici_sparse_planes(context, csr, 0, &m);
    return result ? result : padici_sparse_check(csr, &m, level, bad_row);
}

#endif
