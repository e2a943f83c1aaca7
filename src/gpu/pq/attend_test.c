#include "../../context/ops.h"
#include "../../core/tensor.h"
#include "../../pq/shape.h"
#include "../tables.h"
#include "../tests.h"
#include "../texts.h"
#include "../variants.h"

#if PADICI_IMPLEMENT_GPU && !defined(PADIC_NO_PQ)

// Tests of attention: lists of three splits with positions that are none, lengths from 0 on,
// weights, pages out of order, lists of two heads as one; 37 and more components of 16 and 32 bits.
// The same lists with sink and window, and the best of them by the keys.

enum { PADICI_TEST_ATTEND_KEYS = 150, PADICI_TEST_ATTEND_LIST = 133 };

typedef struct padici_test_attend {
    padici_gpu_case *c;
    padic_tensor queries, keys, values, pages, lists, lengths, weights, out, lse, status;
} padici_test_attend;

static padic_tensor padici_test_attend_tensor(padici_gpu_case *c, padic_dtype dtype, uint32_t rank,
                                              uint64_t n0, uint64_t n1, uint64_t n2, uint64_t n3)
{
    uint64_t shape[4];
    padic_tensor x;
    shape[0] = n0, shape[1] = n1, shape[2] = n2, shape[3] = n3;
    x = padic_tensor_nd(dtype, NULL, rank, shape);
    x.data = padici_gpu_space(c, padic_tensor_count(&x) * padic_dtype_size(dtype));
    if (!c->failed) memset(x.data, 0, (size_t)padic_tensor_count(&x) * padic_dtype_size(dtype));
    return x;
}

// Numbers in (-2, 2).
static void padici_test_attend_numbers(padici_gpu_case *c, const padic_tensor *x, uint32_t random)
{
    uint64_t i;
    for (i = 0; i < padic_tensor_count(x) && !c->failed; i++) {
        float value;
        uint32_t bits;
        random = random * 1664525u + 1013904223u;
        value = ((float)(random >> 10) - 2097152.0f) / 1048576.0f;
        memcpy(&bits, &value, 4);
        if (x->dtype == PADIC_F32) ((float *)x->data)[i] = value;
        else if (x->dtype == PADIC_BF16) ((uint16_t *)x->data)[i] = (uint16_t)(bits >> 16);
        else ((uint16_t *)x->data)[i] = (uint16_t)(random >> 8 & 0xbfffu);
    }
}

// Entry i of a list; some are no positions.
static int64_t padici_test_attend_entry(uint64_t i)
{
    if (i % 23 == 5) return -1;
    if (i % 37 == 9) return i % 2 ? -7 : 2000000000;
    return (int64_t)(i * i * 7 + i / 9) % PADICI_TEST_ATTEND_KEYS;
}

static PADICI_NOINLINE void padici_test_attend_lists(padici_test_attend *t, int wide)
{
    padici_gpu_case *c = t->c;
    const uint64_t heads = wide ? 2 : 4;
    uint64_t i;
    t->lists = padici_test_attend_tensor(c, wide ? PADIC_I64 : PADIC_I32, 4, 2, heads, 2,
                                         PADICI_TEST_ATTEND_LIST);
    t->lengths = padici_test_attend_tensor(c, PADIC_U32, 3, 2, heads, 2, 0);
    t->weights = padici_test_attend_tensor(c, PADIC_F32, 4, 2, heads, 2, PADICI_TEST_ATTEND_LIST);
    for (i = 0; i < padic_tensor_count(&t->lists) && !c->failed; i++) {
        if (wide) ((int64_t *)t->lists.data)[i] = padici_test_attend_entry(i);
        else ((int32_t *)t->lists.data)[i] = (int32_t)padici_test_attend_entry(i);
        ((float *)t->weights.data)[i] = i % 11 ? (float)(i % 13 + 1) * 0.375f : 0;
    }
    for (i = 0; i < padic_tensor_count(&t->lengths) && !c->failed; i++)
        ((uint32_t *)t->lengths.data)[i] = (uint32_t)(i * 41 % 140);
}

static int padici_test_attend_begin(padici_test_attend *t, padici_gpu_case *c)
{
    static const padic_dtype dtypes[3] = {PADIC_F32, PADIC_F16, PADIC_BF16};
    static const uint32_t pages[6] = {4, 0, 9, 2, 3, 1};
    const padic_dtype dtype = dtypes[c->round % 3];
    const uint64_t d = 37 + c->round, d_v = c->round == 2 ? 130 : 21;
    const uint64_t s = PADICI_TEST_ATTEND_KEYS;
    memset(t, 0, sizeof *t);
    t->c = c;
    t->queries = padici_test_attend_tensor(c, dtype, 4, 2, 4, 2, d);
    t->keys = padici_test_attend_tensor(c, dtype, 4, 2, 2, s, d);
    t->values = padici_test_attend_tensor(c, dtype, 4, 2, 2, s, d_v);
    if (c->round == 1) { // 5 pages of 50 keys
        t->pages = padici_test_attend_tensor(c, PADIC_U32, 2, 2, 3, 0, 0);
        t->keys = padici_test_attend_tensor(c, dtype, 4, 5, 2, 50, d);
        t->values = padici_test_attend_tensor(c, dtype, 4, 5, 2, 50, d_v);
        if (!c->failed) memcpy(t->pages.data, pages, sizeof pages);
    }
    t->out = padici_test_attend_tensor(c, PADIC_F32, 4, 2, 4, 2, d_v);
    t->lse = padici_test_attend_tensor(c, PADIC_F32, 3, 2, 4, 2, 0);
    t->status = padici_test_attend_tensor(c, PADIC_U32, 3, 2, 4, 2, 0);
    padici_test_attend_numbers(c, &t->queries, 1);
    padici_test_attend_numbers(c, &t->keys, 2);
    padici_test_attend_numbers(c, &t->values, 3);
    return !c->failed;
}

static padic_result padici_test_pq_attend(padici_gpu_case *c)
{
    padici_test_attend t;
    padic_pq_attend_desc *desc; // beside `t` too large for the stack
    if (!padici_test_attend_begin(&t, c)) return PADIC_ERROR_SELF_TEST;
    padici_test_attend_lists(&t, c->round == 2);
    desc = (padic_pq_attend_desc *)padici_gpu_space(c, sizeof *desc);
    if (c->failed) return PADIC_ERROR_SELF_TEST;
    memset(desc, 0, sizeof *desc);
    desc->queries = t.queries;
    desc->keys = t.keys;
    desc->values = t.values;
    desc->pages = t.pages;
    desc->lists = t.lists;
    desc->lengths = t.lengths;
    if (c->round) desc->weights = t.weights;
    desc->out = t.out;
    desc->lse = t.lse;
    desc->status = t.status;
    c->again = c->round < 2;
    return padici_gpu_case_drive(c, PADIC_OP_PQ_ATTEND, desc, 0, 1e-5);
}

// Keys of d components, each 8 after the one before.
static padic_tensor padici_test_cuda_attend_keys(padici_gpu_case *c, padic_dtype dtype,
                                                 uint64_t keys, uint64_t d)
{
    padic_tensor x = padici_test_attend_tensor(c, dtype, 4, 2, 1, keys + 32, 8);
    padici_test_attend_numbers(c, &x, (uint32_t)keys);
    x.shape[2] = keys;
    x.shape[3] = d;
    x.stride[3] = 1;
    x.stride[2] = 8;
    x.stride[0] = x.stride[1] = (int64_t)(keys + 32) * 8;
    return x;
}

// Keys and values of the variant's components, four or eight heads of one of keys.
static int padici_test_cuda_attend_begin(padici_test_attend *t, padici_gpu_case *c, uint64_t keys)
{
    const padic_dtype dtype = padici_gpu_define(c, "PD_PQ_BF16", 0) ? PADIC_BF16 : PADIC_F16;
    const uint64_t d = padici_gpu_define(c, "PD_PQ_D", 128);
    const uint64_t heads = padici_gpu_define(c, "PD_PQ_HEADS", 1) == 8 ? 8 : 4;
    memset(t, 0, sizeof *t);
    t->c = c;
    t->queries = padici_test_attend_tensor(c, PADIC_F32, 4, 2, heads, 1, d);
    t->keys = padici_test_cuda_attend_keys(c, dtype, keys, d);
    t->values = padici_test_cuda_attend_keys(c, dtype, keys, d);
    t->out = padici_test_attend_tensor(c, PADIC_F32, 4, 2, heads, 1, d);
    padici_test_attend_numbers(c, &t->queries, 1);
    return !c->failed;
}

// Over lists, one of them empty.
static padic_result padici_test_cuda_attend_few(padici_gpu_case *c)
{
    padici_test_attend t;
    padic_pq_attend_desc *desc;
    uint64_t i;
    if (padici_gpu_define(c, "PD_PQ_HEADS", 1) > 1) return PADIC_ERROR_NOT_SUPPORTED;
    if (!padici_test_cuda_attend_begin(&t, c, PADICI_TEST_ATTEND_KEYS))
        return PADIC_ERROR_SELF_TEST;
    t.lists = padici_test_attend_tensor(c, PADIC_I32, 4, 2, 4, 1, 600);
    t.lengths = padici_test_attend_tensor(c, PADIC_U32, 3, 2, 4, 1, 0);
    t.weights = padici_test_attend_tensor(c, PADIC_F32, 4, 2, 4, 1, 600);
    desc = (padic_pq_attend_desc *)padici_gpu_space(c, sizeof *desc);
    if (c->failed) return PADIC_ERROR_SELF_TEST;
    for (i = 0; i < 8 * 600; i++) {
        ((int32_t *)t.lists.data)[i] = (int32_t)padici_test_attend_entry(i);
        ((float *)t.weights.data)[i] = i % 11 ? (float)(i % 13 + 1) * 0.375f : 0;
    }
    for (i = 0; i < 8; i++) ((uint32_t *)t.lengths.data)[i] = (uint32_t)(i * 85);
    memset(desc, 0, sizeof *desc);
    desc->queries = t.queries;
    desc->keys = t.keys;
    desc->values = t.values;
    desc->lists = t.lists;
    desc->lengths = t.lengths;
    if (c->round) desc->weights = t.weights;
    desc->out = t.out;
    c->again = !c->round;
    return padici_gpu_case_drive(c, PADIC_OP_PQ_ATTEND, desc, 0, 1e-5);
}

// Over all keys, in short splits and long ones.
static padic_result padici_test_cuda_attend_many(padici_gpu_case *c)
{
    const uint64_t keys = 2600;
    padici_test_attend t;
    padic_pq_attend_full_desc *desc;
    if (!padici_test_cuda_attend_begin(&t, c, keys)) return PADIC_ERROR_SELF_TEST;
    t.lse = padici_test_attend_tensor(c, PADIC_F32, 3, 2, t.queries.shape[1], 1, 0);
    t.status = padici_test_attend_tensor(c, PADIC_U32, 3, 2, t.queries.shape[1], 1, 0);
    t.lengths = padici_test_attend_tensor(c, PADIC_U32, 1, 2, 0, 0, 0);
    desc = (padic_pq_attend_full_desc *)padici_gpu_space(c, sizeof *desc);
    if (c->failed) return PADIC_ERROR_SELF_TEST;
    ((uint32_t *)t.lengths.data)[0] = c->round ? 77 : (uint32_t)keys;
    ((uint32_t *)t.lengths.data)[1] = c->round ? 0 : (uint32_t)keys + 9;
    memset(desc, 0, sizeof *desc);
    desc->queries = t.queries;
    desc->keys = t.keys;
    desc->values = t.values;
    desc->key_counts = t.lengths;
    desc->out = t.out;
    desc->lse = t.lse;
    desc->status = t.status;
    c->again = !c->round;
    return padici_gpu_case_drive(c, PADIC_OP_PQ_ATTEND_FULL, desc, 0, 1e-5);
}

static padic_result padici_test_pq_merge(padici_gpu_case *c)
{
    padic_pq_merge_desc desc;
    uint64_t i;
    memset(&desc, 0, sizeof desc);
    desc.first = padici_test_attend_tensor(c, PADIC_F32, 4, 2, 3, 2, 131);
    desc.second = padici_test_attend_tensor(c, PADIC_F32, 4, 2, 3, 2, 131);
    desc.first_lse = padici_test_attend_tensor(c, PADIC_F32, 3, 2, 3, 2, 0);
    desc.second_lse = padici_test_attend_tensor(c, PADIC_F32, 3, 2, 3, 2, 0);
    desc.out = padici_test_attend_tensor(c, PADIC_F32, 4, 2, 3, 2, 131);
    desc.lse = padici_test_attend_tensor(c, PADIC_F32, 3, 2, 3, 2, 0);
    padici_test_attend_numbers(c, &desc.first, 4);
    padici_test_attend_numbers(c, &desc.second, 5);
    padici_test_attend_numbers(c, &desc.first_lse, 6);
    padici_test_attend_numbers(c, &desc.second_lse, 7);
    for (i = 0; i < 12 && !c->failed; i++) { // empty parts
        if (i % 4 == 1) ((uint32_t *)desc.first_lse.data)[i] = 0xff800000u;
        if (i % 3 == 1) ((uint32_t *)desc.second_lse.data)[i] = 0xff800000u;
    }
    return c->failed ? PADIC_ERROR_SELF_TEST
                     : padici_gpu_case_drive(c, PADIC_OP_PQ_MERGE, &desc, 0, 4e-6);
}

static padic_result padici_test_pq_dense(padici_gpu_case *c)
{
    padici_test_attend t;
    padic_pq_weights_dense_desc desc;
    memset(&t, 0, sizeof t);
    memset(&desc, 0, sizeof desc);
    t.c = c;
    padici_test_attend_lists(&t, c->round == 1);
    desc.lists = t.lists;
    desc.lengths = t.lengths;
    if (c->round) desc.weights = t.weights;
    desc.out = padici_test_attend_tensor(c, PADIC_F32, 4, 2, t.lists.shape[1], 2,
                                         PADICI_TEST_ATTEND_KEYS - 10);
    c->again = c->round < 1;
    return c->failed ? PADIC_ERROR_SELF_TEST
                     : padici_gpu_case_drive(c, PADIC_OP_PQ_WEIGHTS_DENSE, &desc, 0, 0);
}

// Lists that ascend already, and others; each position once.
static padic_result padici_test_pq_entries(padici_gpu_case *c)
{
    padici_test_attend t;
    padic_pq_lists_desc desc;
    uint64_t i;
    memset(&t, 0, sizeof t);
    memset(&desc, 0, sizeof desc);
    t.c = c;
    padici_test_attend_lists(&t, c->round == 1);
    for (i = 0; i < padic_tensor_count(&t.lists) && c->round == 2 && !c->failed; i++)
        ((int32_t *)t.lists.data)[i] = (int32_t)(i % PADICI_TEST_ATTEND_LIST * 2);
    desc.chosen = t.lists;
    if (c->round) desc.chosen_lengths = t.lengths;
    desc.key_count = c->round == 2 ? 200 : PADICI_TEST_ATTEND_KEYS;
    desc.sink = 5;
    desc.window = 7;
    desc.full_below = c->round == 1 ? 0 : PADICI_TEST_ATTEND_KEYS - 1;
    desc.order = (padic_pq_order)(c->round != 1);
    desc.lists = padici_test_attend_tensor(c, c->round ? PADIC_I32 : PADIC_I64, 4, 2,
                                           t.lists.shape[1], 2, 151);
    desc.lengths = padici_test_attend_tensor(c, PADIC_U32, 3, 2, t.lists.shape[1], 2, 0);
    desc.status = padici_test_attend_tensor(c, PADIC_U32, 3, 2, t.lists.shape[1], 2, 0);
    c->again = c->round < 2;
    return c->failed ? PADIC_ERROR_SELF_TEST
                     : padici_gpu_case_drive(c, PADIC_OP_PQ_LISTS, &desc, 0, 0);
}

static padic_result padici_test_pq_rerank(padici_gpu_case *c)
{
    padici_test_attend t;
    padic_pq_rerank_desc *desc; // beside `t` too large for the stack
    if (!padici_test_attend_begin(&t, c)) return PADIC_ERROR_SELF_TEST;
    padici_test_attend_lists(&t, 0);
    desc = (padic_pq_rerank_desc *)padici_gpu_space(c, sizeof *desc);
    if (c->failed) return PADIC_ERROR_SELF_TEST;
    // Equal scores of four queries; one that is not finite.
    memset(t.queries.data, 0, 4 * t.queries.shape[3] * padic_dtype_size(t.queries.dtype));
    if (!c->round) ((uint32_t *)t.queries.data)[200] = 0x7f800000u;
    memset(desc, 0, sizeof *desc);
    desc->queries = t.queries;
    desc->keys = t.keys;
    desc->pages = t.pages;
    desc->lists = t.lists;
    if (c->round) desc->list_lengths = t.lengths;
    desc->sink = 4;
    desc->window = 3;
    desc->heavy = 20;
    desc->tie = (padic_pq_tie)(c->round == 1);
    desc->order = (padic_pq_order)(c->round > 0);
    desc->out = padici_test_attend_tensor(c, c->round ? PADIC_I32 : PADIC_I64, 4, 2, 4, 2, 30);
    desc->lengths = padici_test_attend_tensor(c, PADIC_U32, 3, 2, 4, 2, 0);
    desc->status = t.status;
    c->again = c->round < 2;
    return c->failed ? PADIC_ERROR_SELF_TEST
                     : padici_gpu_case_drive(c, PADIC_OP_PQ_RERANK, desc, 0, 0);
}

PADICI_FN const padici_gpu_test *padici_tests_pq_attend(void)
{
    static const padici_gpu_test rows[] = {
#define PADICI_TEST_PQ(kernel, make) \
    {PADICI_KERNEL_PQ_##kernel, 1, PADICI_TEST_DRIVEN, padici_test_pq_##make, {PADICI_TEST_NONE}}
        PADICI_TEST_PQ(ATTEND_SPLIT, attend), PADICI_TEST_PQ(ATTEND_JOIN, attend),
        PADICI_TEST_PQ(MERGE_PARTS, merge),   PADICI_TEST_PQ(MERGE_DENSE, dense),
        PADICI_TEST_PQ(ENTRIES_LISTS, entries), PADICI_TEST_PQ(ENTRIES_READ, rerank),
        PADICI_TEST_PQ(ENTRIES_SCORE, rerank),  PADICI_TEST_PQ(ENTRIES_BEST, rerank),
#undef PADICI_TEST_PQ
        {PADICI_KERNEL_CUDA_PQ_ATTEND_FEW, 1, PADICI_TEST_DRIVEN, padici_test_cuda_attend_few,
         {PADICI_TEST_NONE}},
        {PADICI_KERNEL_CUDA_PQ_ATTEND_MANY, 1, PADICI_TEST_DRIVEN, padici_test_cuda_attend_many,
         {PADICI_TEST_NONE}},
        {PADICI_KERNEL_CUDA_PQ_ATTEND_JOIN, 1, PADICI_TEST_DRIVEN, padici_test_cuda_attend_many,
         {PADICI_TEST_NONE}},
        PADICI_TESTS_END};
    return rows;
}

PADICI_FN padic_result padici_warm_pq_attend(padici_gpu *gpu)
{
    return padici_gpu_need(gpu, PADICI_KERNEL_PQ_ATTEND_SPLIT, NULL, 0);
}

#endif
