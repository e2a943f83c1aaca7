// Operations on numbers with their arguments in a row, as tests write them by the dozen.
#ifndef NUM_CALLS_H
#define NUM_CALLS_H

#include <stdlib.h>

// A workspace of exactly so many bytes, to be freed by num_workspace_end().
static inline padic_tensor num_workspace(uint64_t size)
{
    void *const memory = malloc((size_t)size + 1);
    if (!memory) abort();
    return padic_tensor_1d(PADIC_U8, memory, size);
}

static inline void num_workspace_end(padic_tensor *workspace)
{
    free(workspace->data);
    workspace->data = NULL;
}

static inline padic_result num_hadamard(padic_context *context, const padic_tensor *bits,
                                        const padic_tensor *matrix)
{
    padic_num_hadamard_desc desc = PADIC_ZERO;
    desc.out = *bits;
    desc.matrix = *matrix;
    return padic_num_hadamard(context, &desc);
}

static inline padic_result num_roots(padic_context *context, const padic_num_array *out,
                                     const padic_num_array *in, uint64_t n)
{
    padic_num_roots_desc desc = PADIC_ZERO;
    desc.out = *out;
    desc.in = *in;
    desc.n = n;
    return padic_num_roots(context, &desc);
}

static inline padic_result num_ring_tables(padic_num_ring *ring, void *memory, uint64_t size)
{
    padic_num_ring_tables_desc desc = PADIC_ZERO;
    desc.ring = ring;
    desc.memory = padic_tensor_1d(PADIC_U8, memory, size);
    return padic_num_ring_tables(NULL, &desc);
}

static inline padic_result num_check(padic_context *context, const padic_num_array *in,
                                     uint64_t *bad)
{
    padic_num_check_desc desc = PADIC_ZERO;
    padic_num_check_report report = PADIC_ZERO;
    padic_result result;
    if (in) desc.in = *in;
    desc.report = bad ? &report : NULL;
    result = padic_num_check(context, &desc);
    if (bad) *bad = report.bad_index;
    return result;
}

static inline padic_result num_valuation_of(padic_context *context, const padic_num_ring *ring,
                                            const padic_tensor *out,
                                            const padic_tensor *numerator,
                                            const padic_tensor *denominator)
{
    padic_num_valuation_of_desc desc = PADIC_ZERO;
    desc.ring = ring;
    if (out) desc.out = *out;
    if (numerator) desc.numerator = *numerator;
    if (denominator) desc.denominator = *denominator;
    return padic_num_valuation_of(context, &desc);
}

static inline uint32_t num_fit_integer(uint64_t p, uint64_t greatest)
{
    padic_num_ring_fit_desc desc = PADIC_ZERO;
    desc.p = p;
    desc.greatest_numerator = greatest;
    return padic_num_ring_fit(&desc);
}

static inline uint32_t num_fit_fraction(uint64_t p, uint64_t numerator, uint64_t denominator)
{
    padic_num_ring_fit_desc desc = PADIC_ZERO;
    desc.p = p;
    desc.greatest_numerator = numerator;
    desc.greatest_denominator = denominator;
    return padic_num_ring_fit(&desc);
}

static inline uint32_t num_fit_float(uint64_t p, padic_dtype dtype)
{
    padic_num_ring_fit_desc desc = PADIC_ZERO;
    desc.p = p;
    desc.dtype = dtype;
    return padic_num_ring_fit(&desc);
}

static inline padic_result num_print(const padic_num_array *in, uint64_t index,
                                     padic_num_text style, char *text, size_t capacity,
                                     size_t *size)
{
    padic_num_print_desc desc = PADIC_ZERO;
    padic_num_print_report report = PADIC_ZERO;
    padic_result result;
    if (in) desc.in = *in;
    desc.index = index;
    desc.style = style;
    desc.out = padic_bytes_out(text, capacity);
    desc.report = size ? &report : NULL;
    result = padic_num_print(NULL, &desc);
    if (size) *size = (size_t)report.size;
    return result;
}

static inline padic_result num_parse(const padic_num_array *out, uint64_t index, const char *text,
                                     size_t size, size_t *bad)
{
    padic_num_parse_desc desc = PADIC_ZERO;
    padic_num_parse_report report = PADIC_ZERO;
    padic_result result;
    if (out) desc.out = *out;
    desc.index = index;
    desc.text = padic_bytes_in(text, size);
    desc.report = bad ? &report : NULL;
    result = padic_num_parse(NULL, &desc);
    if (bad) *bad = (size_t)report.bad_offset;
    return result;
}

static inline padic_result num_write(padic_context *context, const padic_num_array *in, void *data,
                                     size_t capacity, size_t *size)
{
    padic_num_write_desc desc = PADIC_ZERO;
    padic_num_write_report report = PADIC_ZERO;
    padic_result result;
    if (in) desc.in = *in;
    desc.out = padic_bytes_out(data, capacity);
    desc.report = size ? &report : NULL;
    result = padic_num_write(context, &desc);
    if (size) *size = (size_t)report.size;
    return result;
}

static inline padic_result num_read(padic_context *context, const padic_num_array *out,
                                    const void *data, size_t size)
{
    padic_num_read_desc desc = PADIC_ZERO;
    desc.bytes = padic_bytes_in(data, size);
    if (out) desc.out = *out;
    return padic_num_read(context, &desc);
}

static inline padic_result num_info(const void *data, size_t size, padic_num_report *report)
{
    padic_num_info_desc desc = PADIC_ZERO;
    desc.bytes = padic_bytes_in(data, size);
    desc.report = report;
    return padic_num_info(NULL, &desc);
}

static inline padic_result num_grad_step(padic_context *context, const padic_num_grad_desc *like,
                                         padic_num_grad_report *report)
{
    padic_num_grad_desc desc;
    if (!like) return padic_num_grad_step(context, NULL);
    desc = *like;
    desc.report = report;
    return padic_num_grad_step(context, &desc);
}

static inline padic_result num_tree_init(padic_num_tree *tree, const padic_num_array *points,
                                         uint64_t capacity, void *memory, uint64_t size)
{
    padic_num_tree_init_desc desc = PADIC_ZERO;
    desc.tree = tree;
    desc.points = *points;
    desc.capacity = capacity;
    desc.memory = padic_tensor_1d(PADIC_U8, memory, size);
    return padic_num_tree_init(NULL, &desc);
}

static inline padic_result num_tree_build(padic_num_tree *tree, const padic_tensor *ids)
{
    padic_num_tree_build_desc desc = PADIC_ZERO;
    desc.tree = tree;
    if (ids) desc.ids = *ids;
    return padic_num_tree_build(NULL, &desc);
}

static inline padic_result num_tree_insert(padic_num_tree *tree, uint32_t id)
{
    padic_num_tree_insert_desc desc = PADIC_ZERO;
    desc.tree = tree;
    desc.ids = padic_tensor_1d(PADIC_U32, &id, 1);
    return padic_num_tree_insert(NULL, &desc);
}

static inline padic_result num_tree_erase(padic_num_tree *tree, uint32_t id)
{
    padic_num_tree_erase_desc desc = PADIC_ZERO;
    desc.tree = tree;
    desc.ids = padic_tensor_1d(PADIC_U32, &id, 1);
    return padic_num_tree_erase(NULL, &desc);
}

static inline padic_result num_tree_index(padic_num_tree *tree, void *memory, uint64_t size)
{
    padic_num_tree_index_desc desc = PADIC_ZERO;
    desc.tree = tree;
    desc.memory = padic_tensor_1d(PADIC_U8, memory, size);
    return padic_num_tree_index(NULL, &desc);
}

static inline padic_result num_tree_lca(const padic_num_tree *tree, uint32_t first, uint32_t second,
                                        int32_t *depth)
{
    padic_num_tree_lca_desc desc = PADIC_ZERO;
    desc.tree = tree;
    desc.first = padic_tensor_1d(PADIC_U32, &first, 1);
    desc.second = padic_tensor_1d(PADIC_U32, &second, 1);
    desc.out = padic_tensor_1d(PADIC_I32, depth, 1);
    return padic_num_tree_lca(NULL, &desc);
}

static inline padic_result num_tree_ball(const padic_num_tree *tree, const padic_num_array *query,
                                         uint64_t index, int32_t depth, const padic_tensor *ids,
                                         uint64_t *count)
{
    padic_num_tree_ball_desc desc = PADIC_ZERO;
    padic_num_tree_ball_report report = PADIC_ZERO;
    padic_result result;
    desc.tree = tree;
    desc.query = *query;
    desc.index = index;
    desc.depth = depth;
    if (ids) desc.out = *ids;
    desc.report = &report;
    result = padic_num_tree_ball(NULL, &desc);
    *count = report.count;
    return result;
}

static inline padic_result num_tree_clusters(const padic_num_tree *tree, int32_t depth,
                                             const padic_tensor *labels, uint64_t *count)
{
    padic_num_tree_clusters_desc desc = PADIC_ZERO;
    padic_num_tree_clusters_report report = PADIC_ZERO;
    padic_result result;
    desc.tree = tree;
    desc.depth = depth;
    desc.out = *labels;
    desc.report = &report;
    result = padic_num_tree_clusters(NULL, &desc);
    *count = report.count;
    return result;
}

static inline padic_result num_tree_validate(const padic_num_tree *tree)
{
    padic_num_tree_validate_desc desc = PADIC_ZERO;
    desc.tree = tree;
    return padic_num_tree_validate(NULL, &desc);
}

static inline padic_result num_tree_write(const padic_num_tree *tree, void *data, size_t capacity,
                                          size_t *size)
{
    padic_num_tree_write_desc desc = PADIC_ZERO;
    padic_num_tree_write_report report = PADIC_ZERO;
    padic_result result;
    desc.tree = tree;
    desc.out = padic_bytes_out(data, capacity);
    desc.report = &report;
    result = padic_num_tree_write(NULL, &desc);
    *size = (size_t)report.size;
    return result;
}

static inline padic_result num_tree_read(padic_num_tree *tree, const void *data, size_t size)
{
    padic_num_tree_read_desc desc = PADIC_ZERO;
    desc.tree = tree;
    desc.bytes = padic_bytes_in(data, size);
    return padic_num_tree_read(NULL, &desc);
}

#endif
