// Sparse operations with their arguments in a row, as tests write them by the dozen.
#ifndef SPARSE_CALLS_H
#define SPARSE_CALLS_H

static inline padic_result sparse_count(padic_context *context,
                                        const padic_sparse_encode_desc *like,
                                        const padic_tensor *row_ptr,
                                        padic_sparse_encode_report *report)
{
    padic_sparse_count_desc desc = PADIC_ZERO;
    if (!like) return padic_sparse_count(context, NULL);
    desc.source = like->source;
    desc.method = like->method;
    desc.calibration = like->calibration;
    if (row_ptr) desc.row_ptr = *row_ptr;
    desc.report = report;
    return padic_sparse_count(context, &desc);
}

static inline padic_result sparse_encode(padic_context *context, padic_sparse_csr *out,
                                         const padic_sparse_encode_desc *like,
                                         padic_sparse_encode_report *report)
{
    padic_sparse_encode_desc desc;
    if (!like) return padic_sparse_encode(context, NULL);
    desc = *like;
    desc.out = out;
    desc.report = report;
    return padic_sparse_encode(context, &desc);
}

static inline padic_result sparse_row(padic_context *context, const padic_sparse_csr *matrix,
                                      uint64_t row, uint64_t *first, uint64_t *count)
{
    padic_sparse_row_report report = {9, 9};
    padic_sparse_row_desc desc = PADIC_ZERO;
    desc.matrix = matrix, desc.row = row, desc.report = &report;
    const padic_result result = padic_sparse_row(context, &desc);
    *first = report.first;
    *count = report.count;
    return result;
}

static inline padic_result sparse_get(padic_context *context, const padic_sparse_csr *matrix,
                                      uint64_t row, uint64_t col, int64_t *entry)
{
    padic_sparse_get_report report = {9};
    padic_sparse_get_desc desc = PADIC_ZERO;
    desc.matrix = matrix, desc.row = row, desc.col = col, desc.report = &report;
    const padic_result result = padic_sparse_get(context, &desc);
    *entry = report.entry;
    return result;
}

static inline padic_result sparse_settle(padic_context *context, padic_sparse_csr *matrix,
                                         const padic_sparse_encode_desc *like,
                                         padic_sparse_encode_report *report)
{
    padic_sparse_settle_desc desc = PADIC_ZERO;
    desc.matrix = matrix;
    desc.totals = like->totals;
    desc.report = report;
    return padic_sparse_settle(context, &desc);
}

static inline padic_result sparse_encode_batch(padic_context *context, padic_sparse_csr *out,
                                               uint64_t count, const padic_sparse_encode_desc *like,
                                               padic_sparse_encode_report *report)
{
    padic_sparse_encode_batch_desc desc = PADIC_ZERO;
    desc.source = like->source;
    desc.method = like->method;
    desc.calibration = like->calibration;
    desc.count = count;
    desc.out = out;
    desc.report = report;
    return padic_sparse_encode_batch(context, &desc);
}

static inline padic_result sparse_from_num(padic_context *context, padic_sparse_csr *out,
                                           const padic_num_array *numbers)
{
    padic_sparse_from_num_desc desc = PADIC_ZERO;
    if (numbers) desc.numbers = *numbers;
    desc.out = out;
    return padic_sparse_from_num(context, &desc);
}

static inline padic_result sparse_to_num(padic_context *context, const padic_num_array *out,
                                         const padic_sparse_csr *matrix)
{
    padic_sparse_to_num_desc desc = PADIC_ZERO;
    if (out) desc.out = *out;
    desc.matrix = matrix;
    return padic_sparse_to_num(context, &desc);
}

static inline padic_result sparse_decode(padic_context *context, const padic_tensor *out,
                                         const padic_num_array *out_numbers,
                                         const padic_sparse_csr *matrix)
{
    padic_sparse_decode_desc desc = PADIC_ZERO;
    if (out) desc.out = *out;
    if (out_numbers) desc.out_numbers = *out_numbers;
    desc.matrix = matrix;
    return padic_sparse_decode(context, &desc);
}

static inline padic_result sparse_validate(padic_context *context, padic_sparse_csr *matrix,
                                           padic_sparse_level level, uint64_t *bad_row)
{
    padic_sparse_validate_desc desc = PADIC_ZERO;
    padic_sparse_validate_report report = PADIC_ZERO;
    padic_result result;
    desc.matrix = matrix;
    desc.level = level;
    desc.report = bad_row ? &report : NULL;
    result = padic_sparse_validate(context, &desc);
    if (bad_row) *bad_row = report.bad_row;
    return result;
}

static inline padic_result sparse_col(padic_context *context, const padic_sparse_csr *matrix,
                                      uint64_t col, const padic_tensor *out)
{
    padic_sparse_col_desc desc = PADIC_ZERO;
    desc.matrix = matrix;
    desc.col = col;
    desc.out = *out;
    return padic_sparse_col(context, &desc);
}

static inline padic_result sparse_transpose(padic_context *context, padic_sparse_csr *out,
                                            const padic_sparse_csr *a)
{
    padic_sparse_transpose_desc desc = PADIC_ZERO;
    desc.a = a;
    desc.out = out;
    return padic_sparse_transpose(context, &desc);
}

// A factor of a matrix's kind from an int64_t, double or padic_num_value; NULL: 1.
#if defined(__GNUC__)
__attribute__((noinline)) // where gcc sees what x points at, it warns of the other kinds
#endif
static padic_sparse_factor sparse_factor(const padic_sparse_csr *a, const void *x)
{
    padic_sparse_factor factor = PADIC_ZERO;
    const int number = a->kind == PADIC_SPARSE_KIND_NUMBERS;
    union {
        padic_num_value number;
        int64_t integer;
        double real;
    } from;
    if (!x) return factor;
    memset(&from, 0, sizeof from);
    memcpy(&from, x, number ? sizeof from.number : 8);
    factor.kind = number                         ? PADIC_SPARSE_FACTOR_NUMBER
                  : a->value.dtype >= PADIC_I8 ? PADIC_SPARSE_FACTOR_INTEGER
                                               : PADIC_SPARSE_FACTOR_REAL;
    if (number)
        factor.number = from.number;
    else if (factor.kind == PADIC_SPARSE_FACTOR_INTEGER)
        factor.integer = from.integer;
    else
        factor.real = from.real;
    return factor;
}

static inline padic_result sparse_add(padic_context *context, padic_sparse_csr *out,
                                      const padic_sparse_csr *a, const padic_sparse_csr *b,
                                      const void *alpha, const void *beta)
{
    padic_sparse_add_desc desc = PADIC_ZERO;
    desc.a = a;
    desc.b = b;
    desc.alpha = sparse_factor(a, alpha);
    desc.beta = sparse_factor(a, beta);
    desc.out = out;
    return padic_sparse_add(context, &desc);
}

static inline padic_result sparse_scale(padic_context *context, padic_sparse_csr *out,
                                        const padic_sparse_csr *a, const void *alpha)
{
    padic_sparse_scale_desc desc = PADIC_ZERO;
    desc.a = a;
    desc.alpha = sparse_factor(a, alpha);
    desc.out = out;
    return padic_sparse_scale(context, &desc);
}

static inline padic_result sparse_fit(padic_context *context, const padic_tensor *dense,
                                      uint64_t nnz_limit, uint64_t size_limit, uint32_t index_size,
                                      double *threshold, padic_sparse_encode_report *encoding)
{
    padic_sparse_fit_desc desc = PADIC_ZERO;
    padic_sparse_fit_report report = PADIC_ZERO;
    padic_result result;
    desc.dense = *dense;
    desc.nnz_limit = nnz_limit;
    desc.size_limit = size_limit;
    desc.index_size = index_size;
    desc.report = &report;
    result = padic_sparse_fit(context, &desc);
    *threshold = report.threshold;
    if (encoding) *encoding = report.encoding;
    return result;
}

static inline padic_result sparse_write(padic_context *context, const padic_sparse_csr *matrix,
                                        void *bytes, uint64_t capacity, size_t *size)
{
    padic_sparse_write_desc desc = PADIC_ZERO;
    padic_sparse_write_report report = PADIC_ZERO;
    padic_result result;
    desc.matrix = matrix;
    desc.out = padic_bytes_out(bytes, capacity);
    desc.report = &report;
    result = padic_sparse_write(context, &desc);
    *size = (size_t)report.size;
    return result;
}

static inline padic_result sparse_info(const void *bytes, uint64_t size, padic_sparse_csr *csr)
{
    const padic_bytes in = padic_bytes_in(bytes, size);
    return padic_sparse_info(NULL, &in, csr);
}

static inline padic_result sparse_read(padic_context *context, padic_sparse_csr *out,
                                       const void *bytes, uint64_t size)
{
    padic_sparse_read_desc desc = PADIC_ZERO;
    desc.bytes = padic_bytes_in(bytes, size);
    desc.out = out;
    return padic_sparse_read(context, &desc);
}

#endif
