// test_pq_attend.c: what pq_attention.h says, on the CPU; lists with every backend; no allocation.
#define PADIC_IMPLEMENTATION
#include "../../padic.h"
#include "../../backends/padic_simd.h"
#include "../../backends/padic_threads.h"
#include "../support/padic_test.h"
#include "../support/contexts.h"
#include "../support/failing.h"
#include "pq_support.h"
#define PQ_HERE NULL
#define PQ_SMALL 0
#include "pq_attention.h"

TEST(lists)
{
    static const uint64_t shapes[6][8] = {
        {1, 1, 1, 1, 40, 16, 16, 20},  {2, 4, 2, 1, 300, 32, 24, 200},
        {1, 8, 1, 3, 100, 64, 128, 65}, {2, 2, 2, 2, 70, 128, 16, 64},
        {1, 3, 3, 1, 20, 1, 1, 1},      {1, 1, 1, 1, 500, 256, 8, 129}};
    contexts_begin(0);
    for (int at = 0; at < 18; at++) {
        const uint64_t *n = shapes[at % 6];
        heads a;
        float *out;
        heads_new(&a, n[0], n[1], n[2], n[3], n[4], n[5], n[6], n[7], dtypes[at / 6]);
        a.desc.scale = at % 5 == 1 ? 0.5 : 0;
        CHECK_EQ(padic_pq_attend(NULL, &a.desc), PADIC_OK);
        for (uint64_t r = 0; r < a.b * a.h * a.n; r++) exactly(&a, r, a.length[r], 1, 1);
        out = (float *)pq_fresh(a.b * a.h * a.n * a.v * 4);
        memcpy(out, a.out, a.b * a.h * a.n * a.v * 4);
        for (uint32_t c = 1; c < context_count; c++) {
            CHECK_EQ(padic_pq_attend(contexts[c], &a.desc), PADIC_OK);
            CHECK(!memcmp(out, a.out, a.b * a.h * a.n * a.v * 4));
        }
        a.desc.weights.data = NULL;
        CHECK_EQ(padic_pq_attend(NULL, &a.desc), PADIC_OK);
        for (uint64_t r = 0; r < a.b * a.h * a.n; r++) exactly(&a, r, a.length[r], 1, 0);
        free(out);
        heads_free(&a);
    }
    contexts_end();
}

// Steps of a decoder with memory of their own: none of them asks for more.
TEST(no_allocation)
{
    const pq_sizes is = {1, 2, 4, 1, 600, 2, 4, 6, 0};
    pq_world w;
    heads a;
    failing f = {1000, 0};
    padic_context_desc with = PADIC_ZERO;
    padic_context *context = NULL;
    padic_pq_append_desc append = PADIC_ZERO;
    padic_pq_select_desc select = PADIC_ZERO;
    char *memory[3];
    padic_tensor *space[3];
    heads_new(&a, 1, 4, 2, 1, 600, 8, 8, 40, PADIC_F32);
    pq_world_new(&w, &is, 10);
    with.backends[0] = padic_simd();
    with.allocator.alloc = failing_alloc;
    with.allocator.free = failing_free;
    with.allocator.user = &f;
    CHECK_EQ(padic_context_create(&with, &context), PADIC_OK);
    CHECK_EQ(pq_train(NULL, &w, 1), PADIC_OK);
    CHECK_EQ(pq_append(NULL, &w, 0, 200), PADIC_OK);
    append.codebook = select.codebook = w.book;
    append.cache = select.cache = w.cache;
    append.keys = pq_tensor(PADIC_F32, w.keys, 4, 1, 2, 1, 8, 0);
    append.keys.stride[0] = append.keys.stride[1] = 600 * 8;
    append.keys.stride[2] = 8, append.keys.stride[3] = 1;
    select.queries = w.query_view;
    select.sink = select.window = 10;
    select.heavy = 20;
    select.lists = a.desc.lists;
    select.lengths = a.desc.lengths;
    a.desc.weights.data = NULL;
    space[0] = &append.workspace, space[1] = &select.workspace, space[2] = &a.desc.workspace;
    for (int i = 0; i < 3; i++) {
        const uint64_t bytes = i == 0   ? padic_pq_append_workspace(context, &append)
                               : i == 1 ? padic_pq_select_workspace(context, &select)
                                        : padic_pq_attend_workspace(context, &a.desc);
        memory[i] = (char *)pq_fresh(bytes + 64);
        *space[i] = padic_tensor_1d(
            PADIC_U8, memory[i] + (64 - ((uintptr_t)memory[i] & 63)), bytes);
    }
    f.left = 0;
    for (uint64_t step = 0; step < 400; step++) {
        append.keys.data = w.keys + (200 + step) * 8;
        CHECK_EQ(padic_pq_append(context, &append), PADIC_OK);
        CHECK_EQ(padic_pq_select(context, &select), PADIC_OK);
        CHECK_EQ(padic_pq_attend(context, &a.desc), PADIC_OK);
    }
    CHECK_EQ(w.lengths[0], 600);
    CHECK_EQ(a.length[3], 40);
    for (uint64_t r = 0; r < 4; r++) exactly(&a, r, 40, 1, 0);
    padic_context_destroy(context);
    CHECK_EQ(f.live, 0);
    for (int i = 0; i < 3; i++) free(memory[i]);
    heads_free(&a);
    pq_world_free(&w);
}

TEST_MAIN("test_pq_attend", CASE(lists), CASE(all_keys), CASE(identities), CASE(pages),
          CASE(special_attention), CASE(estimates), CASE(dense_weights),
          CASE(no_allocation))
