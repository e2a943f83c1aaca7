#include "bytes.h"
#include "../context/messages.h"
#include "../core/splitmix.h"
#include "../core/words.h"
#include "../num/task.h"
#include "combine.h"
#include "matrix.h"
#include "validate.h"

#if PADICI_IMPLEMENT_SPARSE

// Bytes
//
//     0 "PDS" 1   4 kind, val_of, mode, value type   8 index size, val type, form, 0   12 words
//     16 rows   24 cols   32 nnz   40 p   48 precision   52 0   56 threshold   64 size of all
//     72 checksum; then row_ptr, col, value, val, each filled up to 8 bytes by 0, and its checksum

#define PADICI_SPARSE_PADDED(bytes) (((bytes) + 7) & ~UINT64_C(7))

static uint64_t padici_sparse_sections(const padici_sparse *m)
{
    uint64_t sum = PADIC_SPARSE_HEADER;
    uint32_t i;
    for (i = 0; i < 4; i++) sum += PADICI_SPARSE_PADDED(m->bytes[i]);
    return sum;
}

PADIC_API uint64_t padic_sparse_write_size_bound(const padic_sparse_csr *csr)
{
    padici_sparse m;
    if (!csr || padici_sparse_head(csr, &m)) return 0;
    return padici_sparse_sections(&m) > (size_t)-1 ? 0 : padici_sparse_sections(&m);
}

// Elements of `size` bytes to or from little-endian.
static void padici_sparse_move(uint8_t *to, const uint8_t *from, uint64_t bytes, uint32_t size)
{
    uint64_t i;
    if (!bytes) return;
    if (!PADICI_BIG_ENDIAN)
        memcpy(to, from, (size_t)bytes);
    else
        for (i = 0; i < bytes; i++) to[i] = from[i / size * size + size - 1 - i % size];
}

PADICI_FN padic_result padici_sparse_write(padic_context *context, const padic_sparse_csr *csr,
                                           uint8_t *at, uint64_t capacity, uint64_t *size)
{
    padici_num_range list[5];
    padici_sparse m;
    uint64_t bits;
    uint32_t i, n = 0;
    padic_result result = padici_sparse_open(context, csr, &m);
    *size = 0;
    if (result) return result;
    if (!at && capacity)
        return padici_blame(context, PADIC_ERROR_ARGUMENT, "out", NULL, "has no memory");
    if (!(*size = padic_sparse_write_size_bound(csr))) return PADIC_ERROR_LIMIT;
    if (capacity < *size)
        return padici_blame(context, PADIC_ERROR_CAPACITY, "out", "capacity",
                            "is below sparse_write_size_bound");
    padici_sparse_ranges(&m, 0, 0, list, &n);
    padici_num_range_add(list, &n, at, *size, 0, 1);
    if ((result = padici_num_overlap(list, n)) != PADIC_OK) {
        *size = 0;
        return padici_blame(context, result, "out", NULL, NULL);
    }
    memset(at, 0, 72);
    memcpy(at, "PDS\1", 4);
    at[4] = (uint8_t)csr->kind;
    at[5] = (uint8_t)csr->val_of;
    at[6] = (uint8_t)csr->mode;
    at[7] = (uint8_t)csr->value.dtype;
    at[8] = (uint8_t)m.size[0];
    at[9] = (uint8_t)(csr->val_of ? csr->val.dtype : 0);
    padici_store32(at + 12, csr->kind == PADIC_SPARSE_KIND_NUMBERS ? csr->words : 1);
    padici_store64(at + 16, csr->rows);
    padici_store64(at + 24, csr->cols);
    padici_store64(at + 32, csr->nnz);
    if (csr->kind) {
        at[10] = (uint8_t)csr->form;
        padici_store64(at + 40, csr->p);
        padici_store32(at + 48, csr->precision);
    }
    memcpy(&bits, &csr->threshold, 8);
    padici_store64(at + 56, bits);
    padici_store64(at + 64, *size);
    padici_store64(at + 72, padici_checksum(at, 72, 0));
    at += 80;
    for (i = 0; i < 4; i++) {
        const uint64_t padded = PADICI_SPARSE_PADDED(m.bytes[i]);
        if (padded) memset(at + padded - 8, 0, 8);
        padici_sparse_move(at, padici_sparse_plane(&m, i), m.bytes[i], m.size[i]);
        padici_store64(at + padded, padici_checksum(at, (size_t)padded, i + 1));
        at += padded + 8;
    }
    return PADIC_OK;
}

// Only what _write() writes is accepted.
PADICI_FN padic_result padici_sparse_info_of(const void *bytes, uint64_t size,
                                             padic_sparse_csr *csr)
{
    const uint8_t *at = (const uint8_t *)bytes;
    padic_sparse_csr a;
    padici_sparse m;
    uint64_t bits;
    if (!csr) return PADIC_ERROR_ARGUMENT;
    memset(csr, 0, sizeof *csr);
    memset(&a, 0, sizeof a);
    if (!bytes) return PADIC_ERROR_ARGUMENT;
    if (size < 4 || memcmp(at, "PDS", 3) || !at[3]) return PADIC_ERROR_CORRUPT;
    if (at[3] > 1) return PADIC_ERROR_VERSION;
    if (size < PADIC_SPARSE_HEADER) return PADIC_ERROR_CORRUPT;
    if (padici_load64(at + 72) != padici_checksum(at, 72, 0)) return PADIC_ERROR_CHECKSUM;
    if ((at[8] != 4 && at[8] != 8) || at[4] > 2 || at[5] > 3 || at[6] > 3 || at[7] > 14 ||
        at[9] > 14 || at[10] > PADIC_NUM_RX || at[11] || padici_load32(at + 52) || !at[5] != !at[9])
        return PADIC_ERROR_CORRUPT;
    a.kind = (padic_sparse_kind)at[4];
    a.val_of = (padic_sparse_val)at[5];
    a.mode = (padic_sparse_mode)at[6];
    a.value.dtype = (padic_dtype)at[7];
    a.row_ptr.dtype = at[8] == 8 ? PADIC_I64 : PADIC_I32;
    a.val.dtype = (padic_dtype)at[9];
    a.form = (padic_num_form)at[10];
    a.words = padici_load32(at + 12);
    a.rows = padici_load64(at + 16);
    a.cols = padici_load64(at + 24);
    a.nnz = padici_load64(at + 32);
    a.p = padici_load64(at + 40);
    a.precision = padici_load32(at + 48);
    bits = padici_load64(at + 56);
    memcpy(&a.threshold, &bits, 8);
    if (padici_sparse_lay(&a, &m) || padici_load64(at + 64) != size ||
        padici_sparse_sections(&m) != size || !(a.threshold - a.threshold == 0) || !a.words ||
        (!a.kind && (a.p || a.precision || at[10])))
        return PADIC_ERROR_CORRUPT;
    *csr = a;
    return PADIC_OK;
}

PADICI_FN PADICI_NOINLINE padic_result padici_sparse_read(padic_context *context,
                                                          padic_sparse_csr *out, const void *bytes,
                                                          uint64_t size)
{
    const uint8_t *at = (const uint8_t *)bytes, *data[4];
    padic_sparse_csr next, head;
    padici_sparse m;
    padici_num_range list[5];
    uint64_t padded, j;
    uint32_t i, n = 0;
    padic_result result = out ? padici_sparse_info_of(bytes, size, &head) : PADIC_ERROR_ARGUMENT;
    if (result)
        return padici_blame(context, result, out ? "bytes" : "out", NULL,
                            out && bytes ? padic_result_text(result) : "is NULL");
    if (out->row_ptr.dtype != head.row_ptr.dtype || out->value.dtype != head.value.dtype ||
        (head.val_of && out->val.dtype != head.val.dtype))
        return padici_blame(context, PADIC_ERROR_DTYPE, "out", NULL,
                            "has planes of other dtypes than the stream: see sparse_info");
    padici_sparse_like(&next, out, &head);
    next.nnz = head.nnz;
    result = padici_sparse_planes(context, &next, 0, &m);
    if (result == PADIC_ERROR_CAPACITY) *out = next;
    if (result) return result;
    padici_sparse_ranges(&m, 0, 1, list, &n);
    padici_num_range_add(list, &n, bytes, size, 0, 0);
    if ((result = padici_num_overlap(list, n)) != PADIC_OK) return result;
    for (i = 0, at += 80; i < 4; i++) {
        data[i] = at;
        padded = PADICI_SPARSE_PADDED(m.bytes[i]);
        at += padded + 8;
        if (padici_load64(at - 8) != padici_checksum(data[i], (size_t)padded, i + 1))
            return padici_blame(context, PADIC_ERROR_CHECKSUM, "bytes", NULL, "are damaged");
        for (j = m.bytes[i]; j < padded; j++)
            if (data[i][j])
                return padici_blame(context, PADIC_ERROR_CORRUPT, "bytes", NULL,
                                    "are no stream that sparse_write makes");
    }
    for (i = 0; i < 4; i++)
        padici_sparse_move(padici_sparse_plane(&m, i), data[i], m.bytes[i], m.size[i]);
    result = padici_sparse_check(&next, &m, PADIC_SPARSE_LEVEL_CANONICAL, NULL);
    if (result)
        return padici_blame(context, result, "bytes", NULL, "hold a matrix that is not canonical");
    next.trusted = PADIC_SPARSE_LEVEL_CANONICAL;
    *out = next;
    return PADIC_OK;
}

#undef PADICI_SPARSE_PADDED

#endif
