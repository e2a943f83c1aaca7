// test_pq_select.c: what pq_page.h says of scores and lists, on the CPU; every backend and method
// the same bytes; packed codes.
#define PADIC_IMPLEMENTATION
#include "../../padic.h"
#include "../../backends/padic_simd.h"
#include "../../backends/padic_threads.h"
#include "../support/padic_test.h"
#include "../support/contexts.h"
#include "pq_support.h"
#define PQ_HERE NULL
#define PQ_SMALL 0
#include "pq_page.h"

// Every method, every backend and number of workers, any scale: the same bytes.
TEST(same_bytes)
{
    contexts_begin(0);
    for (int at = 0; at < SIZES; at++) {
        for (int round = 0; round < 3; round++) {
            pq_world w;
            const pq_choice c = {1 + pq_below(9), pq_below(20), 1 + pq_below(90), 0, pq_below(5), 0,
                                 (padic_pq_tie)(round & 1), (padic_pq_order)(round >> 1)};
            pq_lists first, l;
            padic_pq_select_desc desc;
            pq_world_new(&w, &sizes[at], (sizes[at].n + 63) / 64);
            for (uint64_t i = 0; i < w.is.b * w.is.h * w.is.s_q * w.d; i++)
                w.queries[i] *= round == 2 ? 1e-41f : round ? 1e37f : 1;
            CHECK_EQ(pq_train(NULL, &w, 2), PADIC_OK);
            CHECK_EQ(pq_append(NULL, &w, 0, w.is.n - pq_below(70)), PADIC_OK);
            lists_new(&first, &w, &c);
            lists_new(&l, &w, &c);
            lists_desc(&w, &c, &first, &desc);
            CHECK_EQ(padic_pq_select(NULL, &desc), PADIC_OK);
            for (uint32_t method = 0; method < 4; method++)
                for (uint32_t k = 0; k < context_count; k++) {
                    memset(l.list, 0x11, l.rows * l.cap * 4);
                    lists_desc(&w, &c, &l, &desc);
                    desc.method = (padic_pq_method)method;
                    CHECK_EQ(padic_pq_select(contexts[k], &desc), PADIC_OK);
                    CHECK(!memcmp(l.list, first.list, l.rows * l.cap * 4));
                    CHECK(!memcmp(l.length, first.length, l.rows * 4));
                    CHECK(!memcmp(l.status, first.status, l.rows * 4));
                }
            lists_free(&first);
            lists_free(&l);
            pq_world_free(&w);
        }
    }
    contexts_end();
}

static float *scores_of(const pq_world *w)
{
    const uint64_t rows = w->is.b * w->is.h * w->is.s_q;
    padic_pq_score_desc desc = PADIC_ZERO;
    float *out = (float *)pq_fresh(rows * w->is.n * 4);
    desc.codebook = w->book;
    desc.cache = w->cache;
    desc.queries = w->query_view;
    desc.out = pq_tensor(PADIC_F32, out, 4, w->is.b, w->is.h, w->is.s_q, w->is.n, 0);
    CHECK_EQ(padic_pq_score(NULL, &desc), PADIC_OK);
    return out;
}

// Packed codes are those of 64 bytes: as the header has their bits, as flat arrays, in scores and
// in lists by every method; m beyond what is unpacked at a time; shortened, and filled again.
TEST(packed)
{
    static const pq_sizes shapes[] = {
        {1, 2, 4, 1, 1500, 2, 3, 6, 0},  {2, 1, 1, 2, 300, 2, 2, 5, 1},
        {1, 1, 1, 1, 200, 1, 4, 6, 0},   {1, 1, 1, 1, 5000, 33, 1, 6, 0},
        {1, 2, 2, 1, 200, 8, 2, 5, 0}};
    contexts_begin(0);
    for (int at = 0; at < 5; at++) {
        pq_choice c = {3, 7, 40, 0, 2, 0, (padic_pq_tie)(at & 1), (padic_pq_order)(at >> 1 & 1)};
        const pq_sizes *is = &shapes[at];
        const uint64_t codes = is->b * is->g * is->n * is->m;
        uint8_t *flat[2];
        float *scores[2];
        pq_world w, p;
        pq_lists first, l;
        padic_pq_select_desc desc;
        padic_pq_truncate_desc cut = PADIC_ZERO;
        uint32_t stay[2] = {100, 77};
        pq_world_new(&w, is, (is->n + 63) / 64);
        CHECK_EQ(pq_train(NULL, &w, 2), PADIC_OK);
        w.cache.bits = is->bits;
        p = w;
        p.codes = NULL;
        p.lengths = (uint32_t *)pq_fresh(is->b * 4);
        p.counts = (uint32_t *)pq_fresh(is->b * is->g * 4096 * 4);
        p.cache.lengths.data = p.lengths;
        if (w.counts) p.cache.counts.data = p.counts;
        pq_world_pack(&p);
        for (int round = 0; round < 2; round++) {
            const uint64_t begin = round ? 70 : 0, count = is->n - 5 - (round ? 100 : 0) - begin;
            CHECK_EQ(pq_append(NULL, &w, begin, count), PADIC_OK);
            CHECK_EQ(pq_append(NULL, &p, begin, 1), PADIC_OK);
            CHECK_EQ(pq_append(NULL, &p, begin + 1, count - 1), PADIC_OK);
            for (int k = 0; k < 2; k++) {
                padic_pq_export_desc out = PADIC_ZERO;
                flat[k] = (uint8_t *)pq_fresh(codes);
                out.cache = k ? p.cache : w.cache;
                out.out = pq_tensor(PADIC_U8, flat[k], 4, is->b, is->g, is->n, is->m, 0);
                CHECK_EQ(padic_pq_export(NULL, &out), PADIC_OK);
                scores[k] = scores_of(k ? &p : &w);
            }
            for (uint64_t b = 0, i = 0; b < is->b; b++)
                for (uint64_t g = 0; g < is->g; g++)
                    for (uint64_t key = 0; key < is->n; key++)
                        for (uint64_t j = 0; j < is->m; j++, i++)
                            CHECK(key >= w.lengths[b] ||
                                  (flat[0][i] == pq_code(&w, b, g, key, j) &&
                                   flat[0][i] == pq_code(&p, b, g, key, j)));
            CHECK(!memcmp(flat[0], flat[1], codes));
            CHECK(!memcmp(w.lengths, p.lengths, is->b * 4));
            CHECK(!w.counts ||
                  !memcmp(w.counts, p.counts, is->b * is->g << (is->m * is->bits + 2)));
            CHECK(!memcmp(scores[0], scores[1], is->b * is->h * is->s_q * is->n * 4));
            lists_new(&first, &w, &c);
            lists_new(&l, &w, &c);
            lists_desc(&w, &c, &first, &desc);
            CHECK_EQ(padic_pq_select(NULL, &desc), PADIC_OK);
            for (uint32_t k = 0; k < 4 * context_count; k++) {
                memset(l.list, 0x11, l.rows * l.cap * 4);
                lists_desc(&p, &c, &l, &desc);
                desc.method = (padic_pq_method)(k % 4);
                CHECK_EQ(padic_pq_select(contexts[k / 4], &desc), PADIC_OK);
                CHECK(!memcmp(l.list, first.list, l.rows * l.cap * 4));
            }
            for (int k = 0; k < 2; k++) {
                cut.cache = k ? p.cache : w.cache;
                cut.lengths = padic_tensor_1d(PADIC_U32, stay, is->b);
                CHECK_EQ(padic_pq_truncate(NULL, &cut), PADIC_OK);
                free(flat[k]), free(scores[k]);
            }
            lists_free(&first);
            lists_free(&l);
        }
        free(p.codes), free(p.lengths), free(p.counts);
        pq_world_free(&w);
    }
    contexts_end();
}

TEST_MAIN("test_pq_select", CASE(integers_exact), CASE(real_numbers), CASE(same_bytes),
          CASE(packed), CASE(sweep), CASE(alone), CASE(lossless), CASE(quality), CASE(topk),
          CASE(special), CASE(any_bytes))
