// test_pq_plan.c: a decoder's steps by a plan have the bytes of the three calls, whatever changes
// in the memory that its views have; they ask for no memory. Every call without memory says so and
// leaves nothing.
#define PADIC_IMPLEMENTATION
#include "../../padic.h"
#include "../../backends/padic_simd.h"
#include "../../backends/padic_threads.h"
#include "../support/padic_test.h"
#include "../support/contexts.h"
#include "../support/failing.h"
#include "pq_support.h"

enum { B = 2, G = 2, H = 6, D = 8, V = 5, KEYS = 640, LIST = 40 };

typedef struct decoder {
    pq_world w;
    float *values, *out, *lse;
    int32_t *list;
    uint32_t *length, *status;
    uint32_t added[B], keys[B], heavy[B];
    padic_pq_plan_desc desc;
} decoder;

static void decoder_new(decoder *a, uint64_t s_q, padic_pq_reduce reduce)
{
    const pq_sizes is = {B, G, H, s_q, KEYS, 2, D / 2, 5, 0};
    const uint64_t heads = reduce ? G : H;
    memset(a, 0, sizeof *a);
    test_random_state = 11; // the same numbers each time
    pq_world_new(&a->w, &is, KEYS / 64);
    CHECK_EQ(pq_train(NULL, &a->w, 1), PADIC_OK);
    a->values = (float *)pq_fresh(B * G * KEYS * V * 4);
    for (int i = 0; i < B * G * KEYS * V; i++) a->values[i] = pq_uniform();
    a->out = (float *)pq_fresh(B * H * s_q * V * 4);
    a->lse = (float *)pq_fresh(B * H * s_q * 4);
    a->list = (int32_t *)pq_fresh(B * heads * s_q * LIST * 4);
    a->length = (uint32_t *)pq_fresh(B * heads * s_q * 4);
    a->status = (uint32_t *)pq_fresh(B * heads * s_q * 4);
    a->desc.append.codebook = a->w.book;
    a->desc.append.cache = a->w.cache;
    a->desc.append.keys = a->w.key_view; // with room for 3 new ones
    a->desc.append.keys.shape[2] = 3;
    a->desc.append.keys.stride[0] = G * KEYS * D;
    a->desc.append.keys.stride[1] = KEYS * D;
    a->desc.append.keys.stride[2] = D, a->desc.append.keys.stride[3] = 1;
    a->desc.append.key_counts = padic_tensor_1d(PADIC_U32, a->added, B);
    a->desc.select.queries = a->w.query_view;
    a->desc.select.key_counts = padic_tensor_1d(PADIC_U32, a->keys, B);
    a->desc.select.heavy_counts = padic_tensor_1d(PADIC_U32, a->heavy, B);
    a->desc.select.sink = 5;
    a->desc.select.window = 7;
    a->desc.select.heavy = LIST - 12;
    a->desc.select.reduce = reduce;
    a->desc.attend.keys = a->w.key_view;
    a->desc.attend.values = pq_tensor(PADIC_F32, a->values, 4, B, G, KEYS, V, 0);
    a->desc.attend.out = pq_tensor(PADIC_F32, a->out, 4, B, H, s_q, V, 0);
    a->desc.attend.lse = pq_tensor(PADIC_F32, a->lse, 3, B, H, s_q, 0, 0);
}

static void decoder_free(decoder *a)
{
    pq_world_free(&a->w);
    free(a->values);
    free(a->out);
    free(a->lse);
    free(a->list);
    free(a->length);
    free(a->status);
}

// The values in memory of step `step`.
static void decoder_at(decoder *a, uint64_t step)
{
    for (uint32_t b = 0; b < B; b++) {
        a->added[b] = (uint32_t)(step * 7 + b) % 4;
        a->keys[b] = a->w.lengths[b] + a->added[b];
        a->heavy[b] = (uint32_t)(step * 5 + b) % (LIST - 11);
    }
    for (uint64_t i = 0; i < B * H * a->w.is.s_q * D; i++)
        a->w.queries[i] = (float)((int)((step * 31 + i * 17) % 41) - 20) / 16;
}

// Where the new keys of a row begin; both rows have as many or it does not matter which.
static padic_tensor new_keys(const decoder *a)
{
    padic_tensor t = a->desc.append.keys;
    t.data = a->w.keys + a->w.lengths[0] * D;
    t.shape[2] = 3;
    return t;
}

TEST(same_as_calls)
{
    contexts_begin(1);
    for (int at = 0; at < 4; at++)
        for (uint32_t c = 0; c < context_count; c++) {
            const padic_pq_reduce reduce = at == 3 ? PADIC_PQ_REDUCE_SUM : PADIC_PQ_REDUCE_NONE;
            const uint64_t s_q = at == 1 ? 2 : 1, heads = reduce ? G : H;
            decoder a, b;
            padic_pq_plan *plan = NULL;
            padic_pq_plan_report report;
            padic_pq_plan_step_desc step = PADIC_ZERO;
            if (at && c && c + 1 < context_count) continue;
            decoder_new(&a, s_q, reduce);
            decoder_new(&b, s_q, reduce);
            CHECK_EQ(padic_pq_plan_create(contexts[c], &a.desc, &plan), PADIC_OK);
            CHECK_EQ(padic_pq_plan_info(plan, &report), PADIC_OK);
            CHECK_EQ(report.lists.shape[1], heads);
            b.desc.select.codebook = b.w.book;
            b.desc.select.cache = b.w.cache;
            b.desc.select.lists = pq_tensor(PADIC_I32, b.list, 4, B, heads, s_q, LIST, 0);
            b.desc.select.lengths = pq_tensor(PADIC_U32, b.length, 3, B, heads, s_q, 0, 0);
            b.desc.select.status = pq_tensor(PADIC_U32, b.status, 3, B, heads, s_q, 0, 0);
            b.desc.attend.queries = b.w.query_view;
            b.desc.attend.lists = b.desc.select.lists;
            b.desc.attend.lengths = b.desc.select.lengths;
            for (uint64_t i = 0; a.w.lengths[0] + 3 < KEYS && a.w.lengths[1] + 3 < KEYS; i++) {
                decoder_at(&a, i);
                decoder_at(&b, i);
                step.new_keys = new_keys(&a);
                b.desc.append.keys = new_keys(&b);
                if (i % 3 == 2) { // fewer new keys
                    step.new_keys.shape[2] = b.desc.append.keys.shape[2] = 2;
                    a.added[0] = a.added[1] = b.added[0] = b.added[1] = (uint32_t)(i & 1) + 1;
                    a.keys[0] = b.keys[0] = a.w.lengths[0] + a.added[0];
                    a.keys[1] = b.keys[1] = a.w.lengths[1] + a.added[1];
                }
                CHECK_EQ(padic_pq_plan_step(plan, &step), PADIC_OK);
                CHECK_EQ(padic_pq_append(NULL, &b.desc.append), PADIC_OK);
                CHECK_EQ(padic_pq_select(NULL, &b.desc.select), PADIC_OK);
                CHECK_EQ(padic_pq_attend(NULL, &b.desc.attend), PADIC_OK);
                CHECK(!memcmp(a.out, b.out, B * H * s_q * V * 4));
                CHECK(!memcmp(a.lse, b.lse, B * H * s_q * 4));
                CHECK(!memcmp(report.lists.data, b.list, B * heads * s_q * LIST * 4));
                CHECK(!memcmp(report.status.data, b.status, B * heads * s_q * 4));
            }
            CHECK_EQ(a.w.lengths[1], b.w.lengths[1]);
            padic_pq_plan_destroy(plan);
            decoder_free(&a);
            decoder_free(&b);
        }
    contexts_end();
}

// 10^4 steps with an allocator that has nothing left.
TEST(no_allocation)
{
    failing f = {1000, 0};
    padic_context_desc with = PADIC_ZERO;
    padic_context *context = NULL;
    padic_pq_plan *plan = NULL;
    padic_pq_truncate_desc back = PADIC_ZERO;
    uint32_t fewer[B] = {100, 90};
    decoder a;
    with.backends[0] = padic_simd();
    with.allocator.alloc = failing_alloc;
    with.allocator.free = failing_free;
    with.allocator.user = &f;
    CHECK_EQ(padic_context_create(&with, &context), PADIC_OK);
    decoder_new(&a, 1, PADIC_PQ_REDUCE_NONE);
    CHECK_EQ(padic_pq_plan_create(context, &a.desc, &plan), PADIC_OK);
    back.cache = a.w.cache;
    back.cache.bits = 5;
    back.lengths = padic_tensor_1d(PADIC_U32, fewer, B);
    f.left = 0;
    for (uint64_t i = 0; i < (test_tiny ? 2000u : 10000u); i++) {
        if (a.w.lengths[0] > 600 || a.w.lengths[1] > 600)
            CHECK_EQ(padic_pq_truncate(context, &back), PADIC_OK);
        decoder_at(&a, i);
        CHECK_EQ(padic_pq_plan_step(plan, NULL), PADIC_OK);
    }
    padic_pq_plan_destroy(plan);
    padic_context_destroy(context);
    CHECK_EQ(f.live, 0);
    decoder_free(&a);
}

// Parts, memory of the caller, and what makes no sense.
TEST(parts)
{
    decoder a;
    padic_pq_plan *plan = NULL;
    padic_pq_plan_step_desc step = PADIC_ZERO;
    padic_pq_plan_report report;
    char *memory;
    uint64_t bytes;
    decoder_new(&a, 1, PADIC_PQ_REDUCE_NONE);
    CHECK_EQ(pq_append(NULL, &a.w, 0, 200), PADIC_OK);
    a.desc.parts = PADIC_PQ_PLAN_SELECT | PADIC_PQ_PLAN_ATTEND;
    CHECK_EQ(padic_pq_plan_create(NULL, &a.desc, &plan), PADIC_ERROR_DTYPE); // no codebook
    CHECK(!plan);
    a.desc.select.codebook = a.w.book;
    a.desc.select.cache = a.w.cache;
    bytes = padic_pq_plan_size_bound(NULL, &a.desc);
    CHECK(bytes > B * H * LIST * 4);
    memory = (char *)pq_fresh(bytes + 64);
    a.desc.workspace =
        padic_tensor_1d(PADIC_U8, memory + (64 - ((uintptr_t)memory & 63)), bytes - 1);
    CHECK(padic_pq_plan_create(NULL, &a.desc, &plan) != PADIC_OK);
    a.desc.workspace.shape[0] = bytes;
    CHECK_EQ(padic_pq_plan_create(NULL, &a.desc, &plan), PADIC_OK);
    CHECK_EQ(padic_pq_plan_info(plan, &report), PADIC_OK);
    CHECK_EQ(report.size, bytes);
    decoder_at(&a, 3);
    a.keys[0] = a.keys[1] = 200;
    CHECK_EQ(padic_pq_plan_step(plan, NULL), PADIC_OK);
    CHECK_EQ(((uint32_t *)report.lengths.data)[0], a.heavy[0] + 12);
    step.queries = a.w.query_view;
    step.queries.dtype = PADIC_F16;
    CHECK_EQ(padic_pq_plan_step(plan, &step), PADIC_ERROR_MISMATCH);
    step.queries = a.w.query_view;
    step.queries.shape[2] = 2;
    CHECK_EQ(padic_pq_plan_step(plan, &step), PADIC_ERROR_MISMATCH);
    step.queries.shape[2] = 1;
    CHECK_EQ(padic_pq_plan_step(plan, &step), PADIC_OK);
    padic_pq_plan_destroy(plan);
    a.desc.workspace.data = NULL;
    a.desc.parts = 8;
    CHECK_EQ(padic_pq_plan_create(NULL, &a.desc, &plan), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(padic_pq_plan_size_bound(NULL, &a.desc), 0);
    a.desc.parts = PADIC_PQ_PLAN_SELECT;
    a.desc.select.heavy = (uint64_t)1 << 31;
    CHECK_EQ(padic_pq_plan_create(NULL, &a.desc, &plan), PADIC_ERROR_LIMIT);
    a.desc.select.heavy = 5;
    a.desc.select.workspace = padic_tensor_1d(PADIC_U8, memory, 64);
    CHECK_EQ(padic_pq_plan_create(NULL, &a.desc, &plan), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(padic_pq_plan_step(NULL, NULL), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(padic_pq_plan_info(NULL, &report), PADIC_ERROR_ARGUMENT);
    padic_pq_plan_destroy(NULL);
    free(memory);
    decoder_free(&a);
}

// Each call after each number of successes of the allocator.
TEST(no_memory)
{
    for (int op = 0; op < 10; op++) {
        int left = 0;
        padic_result result = PADIC_ERROR_MEMORY;
        for (; left < 100 && result; left++) {
            failing f = {1000, 0};
            padic_context_desc with = PADIC_ZERO;
            padic_context *context = NULL;
            padic_pq_plan *plan = NULL;
            padic_pq_score_desc score = PADIC_ZERO;
            padic_pq_lut_desc lut = PADIC_ZERO;
            padic_pq_encode_desc encode = PADIC_ZERO;
            padic_pq_rerank_desc rerank = PADIC_ZERO;
            padic_pq_quality_desc quality = PADIC_ZERO;
            uint16_t codes[B][G][3][2];
            decoder a;
            padic_pq_plan_desc d;
            long live;
            with.allocator.alloc = failing_alloc;
            with.allocator.free = failing_free;
            with.allocator.user = &f;
            CHECK_EQ(padic_context_create(&with, &context), PADIC_OK);
            decoder_new(&a, 1, PADIC_PQ_REDUCE_NONE);
            decoder_at(&a, 1);
            d = a.desc;
            d.select.codebook = score.codebook = lut.codebook = encode.codebook = a.w.book;
            d.select.cache = score.cache = a.w.cache;
            d.attend.queries = score.queries = lut.queries = rerank.queries = quality.queries =
                a.w.query_view;
            d.select.lists = d.attend.lists = rerank.lists = quality.lists =
                pq_tensor(PADIC_I32, a.list, 4, B, H, 1, LIST, 0);
            rerank.out = pq_tensor(PADIC_I32, a.length, 4, B, H, 1, 1, 0);
            rerank.heavy = 1;
            rerank.keys = quality.keys = a.w.key_view;
            quality.mass = lut.out = pq_tensor(PADIC_F32, a.lse, 3, B, H, 1, 0, 0);
            lut.out = pq_tensor(PADIC_F32, pq_fresh(B * H * 64 * 4), 5, B, H, 1, 2, 32);
            encode.keys = d.append.keys;
            encode.out = pq_tensor(PADIC_U16, codes, 4, B, G, 3, 2, 0);
            f.left = left;
            live = f.live;
            if (op == 0) result = padic_pq_append(context, &d.append);
            else if (op == 1) result = padic_pq_select(context, &d.select);
            else if (op == 2) result = padic_pq_attend(context, &d.attend);
            else if (op == 3) result = padic_pq_score(context, &score);
            else if (op == 4) result = padic_pq_lut(context, &lut);
            else if (op == 5) result = padic_pq_encode(context, &encode);
            else if (op == 6) result = padic_pq_rerank(context, &rerank);
            else if (op == 7) result = padic_pq_quality(context, &quality);
            else if (op == 8) result = pq_train(context, &a.w, 1);
            else {
                result = padic_pq_plan_create(context, &a.desc, &plan);
                CHECK(!plan == (result != PADIC_OK));
                padic_pq_plan_destroy(plan);
            }
            CHECK(!result || result == PADIC_ERROR_MEMORY);
            CHECK_EQ(f.live, live);
            if (result) CHECK_EQ(a.w.lengths[0] + a.w.lengths[1], 0);
            f.left = 1000;
            padic_context_destroy(context);
            CHECK_EQ(f.live, 0);
            free(lut.out.data);
            decoder_free(&a);
        }
        CHECK(left > 1 && !result);
    }
}

TEST_MAIN("test_pq_plan", CASE(same_as_calls), CASE(no_allocation), CASE(parts), CASE(no_memory))
