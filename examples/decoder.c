// decoder.c: attention that reads 260 keys of a long context and not all of them. A decoder makes
// one token after the other; an index of its keys (padic_pq_plan) finds those that matter.
//
//     cc -O2 -o decoder examples/decoder.c -lm
//     ./decoder 65536 && ./decoder lists
//
// The decoder is one layer of attention with random weights: 8 heads of queries, 2 of keys and
// values, 64 components each, 96 tokens. Keys are those of tokens, turned with their
// positions (rotary encoding), so that they lie in clusters. The next token is drawn by what
// attention puts out. For each length of the context it prints what a token takes with all keys and
// with the index, and how far the outputs are apart. `lists` shows what lists of keys hold of the
// attention: by codes, by codes and then the keys, the last keys, any keys, the best ones.
#define PADIC_IMPLEMENTATION
#define PADIC_ONLY_PQ
#include "../padic.h"
#include "../backends/padic_simd.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { HEADS = 8, GROUPS = 2, D = 64, TOKENS = 96, SINK = 4, WINDOW = 64, HEAVY = 192 };
enum { AHEAD = 16, LONGEST = 1 << 16, MOST = LONGEST + 7 * 64 }; // with the tokens decoded

static float embed_q[TOKENS][HEADS][D], embed_k[TOKENS][GROUPS][D], embed_v[TOKENS][GROUPS][D];
static float *keys, *values, query[HEADS][D], out[HEADS][D], dense[HEADS][D];
static uint64_t draws;
static padic_context *context;

static double uniform(void) // in (0, 1), the same everywhere
{
    uint64_t x = ++draws * UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 32) * UINT64_C(0xd6e8feb86659fd93);
    x ^= x >> 32;
    return ((double)(x >> 12) + 0.5) / 4503599627370496.0;
}

static float normal(void)
{
    const double radius = sqrt(-2 * log(uniform()));
    return (float)(radius * cos(6.283185307179586 * uniform()));
}

static double now(void)
{
    struct timespec t;
    timespec_get(&t, TIME_UTC);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void must(padic_result result, const char *what)
{
    if (!result) return;
    fprintf(stderr, "%s: %s\n", what, padic_result_text(result));
    exit(1);
}

static padic_tensor view(padic_dtype dtype, void *data, uint32_t rank, uint64_t n0, uint64_t n1,
                         uint64_t n2, uint64_t n3, uint64_t n4)
{
    const uint64_t shape[5] = {n0, n1, n2, n3, n4};
    return padic_tensor_nd(dtype, data, rank, shape);
}

// Pairs of components, turned by an angle that grows with the position, slower and slower.
static void rotary(float *to, const float *from, double position, float noise)
{
    for (int i = 0; i < D; i += 2) {
        const double angle = position * pow(10000, -(double)i / D);
        const double a = (double)(from[i] + noise * normal());
        const double b = (double)(from[i + 1] + noise * normal());
        to[i] = (float)(a * cos(angle) - b * sin(angle));
        to[i + 1] = (float)(a * sin(angle) + b * cos(angle));
    }
}

static void weights(void)
{
    float *k = &embed_k[0][0][0], *v = &embed_v[0][0][0];
    for (int i = 0; i < TOKENS * GROUPS * D; i++) {
        k[i] = normal();
        v[i] = normal();
    }
    for (int t = 0; t < TOKENS; t++) // a query looks for the tokens after its own
        for (int h = 0; h < HEADS; h++)
            for (int i = 0; i < D; i++)
                embed_q[t][h][i] =
                    2.2f * embed_k[(t + h) % TOKENS][h / (HEADS / GROUPS)][i] + 0.6f * normal();
}

// The key and value of a token at a position, and the query there.
static void put(int token, uint64_t position)
{
    for (int g = 0; g < GROUPS; g++) {
        float *value = values + ((uint64_t)g * MOST + position) * D;
        rotary(keys + ((uint64_t)g * MOST + position) * D, embed_k[token][g], (double)position,
               0.3f);
        for (int i = 0; i < D; i++) value[i] = embed_v[token][g][i] + 0.3f * normal();
    }
    for (int h = 0; h < HEADS; h++) rotary(query[h], embed_q[token][h], (double)position, 0);
}

// The token whose values are nearest to the outputs, of each head of values in turn.
static int next_token(void)
{
    double best = -1e30;
    int token = 0;
    for (int t = 0; t < TOKENS; t++) {
        double score = -3 * log(-log(uniform()));
        for (int h = 0; h < HEADS; h++)
            for (int i = 0; i < D; i++)
                score += (double)(out[h][i] * embed_v[t][h / (HEADS / GROUPS)][i]) / 16;
        if (score <= best) continue;
        best = score;
        token = t;
    }
    return token;
}

// Keys and values of the first `n` positions, with a gap up to MOST in memory.
static padic_tensor first(float *data, uint64_t from, uint64_t n)
{
    padic_tensor t = view(PADIC_F32, data + from * D, 4, 1, GROUPS, n, D, 0);
    t.stride[0] = (int64_t)GROUPS * MOST * D;
    t.stride[1] = (int64_t)MOST * D;
    t.stride[2] = D;
    t.stride[3] = 1;
    return t;
}

typedef struct book { // a codebook and a cache of 2^bits centroids for each of m sub-vectors
    padic_pq_codebook codebook;
    padic_pq_cache cache;
    void *memory[5];
} book;

static void book_make(book *b, uint64_t m, uint32_t bits, uint64_t n)
{
    const uint64_t cells = (uint64_t)1 << bits, ds = D / m, width = bits <= 4 ? 32 : 64;
    padic_pq_train_desc train = PADIC_ZERO;
    memset(b, 0, sizeof *b);
    b->memory[0] = calloc(GROUPS * m * cells * ds, 4);
    b->memory[1] = calloc(GROUPS * m * cells * (ds + 1), 4);
    b->memory[2] = calloc(GROUPS * m, 16);
    b->memory[3] = calloc(GROUPS * (MOST / 64) * m, width);
    b->memory[4] = calloc(1, 4);
    b->codebook.centroids = view(PADIC_F32, b->memory[0], 5, 1, GROUPS, m, cells, ds);
    b->codebook.scaled = view(PADIC_F32, b->memory[1], 5, 1, GROUPS, m, ds + 1, cells);
    b->codebook.info = view(PADIC_I32, b->memory[2], 4, 1, GROUPS, m, 4, 0);
    b->cache.codes = view(PADIC_U8, b->memory[3], 5, 1, GROUPS, MOST / 64, m, width);
    b->cache.lengths = padic_tensor_1d(PADIC_U32, b->memory[4], 1);
    train.codebook = b->codebook;
    train.keys = first(keys, 0, n);
    train.seed = 1;
    train.samples = 4096;
    must(padic_pq_train(context, &train), "train");
}

static void book_free(book *b)
{
    for (int i = 0; i < 5; i++) free(b->memory[i]);
}

static void book_append(const book *b, uint64_t from, uint64_t n)
{
    padic_pq_append_desc append = PADIC_ZERO;
    append.codebook = b->codebook;
    append.cache = b->cache;
    append.keys = first(keys, from, n);
    must(padic_pq_append(context, &append), "append");
}

static double distance(void) // of the outputs, of the length of those over all keys
{
    double apart = 0, size = 0;
    for (int h = 0; h < HEADS; h++)
        for (int i = 0; i < D; i++) {
            const double less = (double)out[h][i] - (double)dense[h][i];
            apart += less * less;
            size += (double)dense[h][i] * (double)dense[h][i];
        }
    return sqrt(apart / size);
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static double median(double *seconds)
{
    qsort(seconds, AHEAD, sizeof *seconds, ascending);
    return seconds[AHEAD / 2];
}

// Tokens from position n on, by the index and by all keys.
static void decode(const book *b, uint64_t n)
{
    const padic_tensor queries = view(PADIC_F32, query, 4, 1, HEADS, 1, D, 0);
    padic_pq_plan_desc desc = PADIC_ZERO;
    padic_pq_plan_step_desc step = PADIC_ZERO;
    padic_pq_attend_full_desc full = PADIC_ZERO;
    padic_pq_plan *plan;
    double by_index[AHEAD], by_all[AHEAD], error = 0;
    int token = 1;
    desc.append.codebook = b->codebook;
    desc.append.cache = b->cache;
    desc.append.keys = first(keys, n, 1);
    desc.select.queries = full.queries = queries;
    desc.select.sink = SINK;
    desc.select.window = WINDOW;
    desc.select.heavy = HEAVY;
    desc.attend.keys = full.keys = first(keys, 0, MOST);
    desc.attend.values = full.values = first(values, 0, MOST);
    desc.attend.out = view(PADIC_F32, out, 4, 1, HEADS, 1, D, 0);
    full.out = view(PADIC_F32, dense, 4, 1, HEADS, 1, D, 0);
    must(padic_pq_plan_create(context, &desc, &plan), "plan");
    for (uint64_t i = 0; i < AHEAD; i++) {
        double start;
        put(token, n + i);
        start = now();
        step.new_keys = first(keys, n + i, 1);
        must(padic_pq_plan_step(plan, &step), "step");
        by_index[i] = now() - start;
        start = now();
        full.key_count = n + i + 1;
        must(padic_pq_attend_full(context, &full), "attend_full");
        by_all[i] = now() - start;
        error += distance() / AHEAD;
        token = next_token();
    }
    printf("%9lu %14.0f %14.0f %10.1f %12.4f\n", (unsigned long)n, 1 / median(by_all),
           1 / median(by_index), median(by_all) / median(by_index), error);
    padic_pq_plan_destroy(plan);
}

static void contexts_grow(uint64_t most)
{
    book b;
    uint64_t n = 0;
    printf("  context     all keys/s   by index/s      times        error\n");
    for (uint64_t length = 1024; length <= most; length *= 2) {
        const uint64_t had = n;
        for (; n < length; n++) put((int)(uniform() * TOKENS), n);
        if (!had) book_make(&b, 16, 4, n);
        book_append(&b, had, n - had);
        decode(&b, n);
        n += AHEAD;
    }
    book_free(&b);
}

// What lists hold: recall of the best keys, share of the softmax, error of the output.
static void judge(const char *name, int32_t *list, uint64_t n, uint64_t k)
{
    float recall[HEADS], mass[HEADS], error[HEADS];
    double sum[3] = {0, 0, 0};
    padic_pq_quality_desc desc = PADIC_ZERO;
    desc.queries = view(PADIC_F32, query, 4, 1, HEADS, 1, D, 0);
    desc.keys = first(keys, 0, MOST);
    desc.values = first(values, 0, MOST);
    desc.key_count = n;
    desc.lists = view(PADIC_I32, list, 4, 1, HEADS, 1, k, 0);
    desc.recall = view(PADIC_F32, recall, 3, 1, HEADS, 1, 0, 0);
    desc.mass = view(PADIC_F32, mass, 3, 1, HEADS, 1, 0, 0);
    desc.error = view(PADIC_F32, error, 3, 1, HEADS, 1, 0, 0);
    must(padic_pq_quality(context, &desc), "quality");
    for (int h = 0; h < HEADS; h++) {
        sum[0] += (double)recall[h] / HEADS;
        sum[1] += (double)mass[h] / HEADS;
        sum[2] += (double)error[h] / HEADS;
    }
    printf("%-22s %6lu %10.3f %10.3f %10.3f\n", name, (unsigned long)k, sum[0], sum[1], sum[2]);
}

// The best k by codes, from which the best by the keys may be taken.
static void select_of(const book *b, int32_t *list, uint64_t n, uint64_t k)
{
    padic_pq_select_desc desc = PADIC_ZERO;
    desc.codebook = b->codebook;
    desc.cache = b->cache;
    desc.queries = view(PADIC_F32, query, 4, 1, HEADS, 1, D, 0);
    desc.key_count = n;
    desc.heavy = k;
    desc.lists = view(PADIC_I32, list, 4, 1, HEADS, 1, k, 0);
    must(padic_pq_select(context, &desc), "select");
}

static void rerank_of(int32_t *list, uint64_t n, const int32_t *from, uint64_t most, uint64_t k)
{
    padic_pq_rerank_desc desc = PADIC_ZERO;
    desc.queries = view(PADIC_F32, query, 4, 1, HEADS, 1, D, 0);
    desc.keys = first(keys, 0, MOST);
    desc.key_count = n;
    desc.lists = view(PADIC_I32, (int32_t *)(uintptr_t)from, 4, 1, HEADS, 1, most, 0);
    desc.heavy = k;
    desc.out = view(PADIC_I32, list, 4, 1, HEADS, 1, k, 0);
    must(padic_pq_rerank(context, &desc), "rerank");
}

static void lists_hold(void)
{
    static const struct {
        uint64_t m;
        uint32_t bits;
        const char *name, *more;
    } books[] = {{2, 6, "codes 2 x 64", "2 x 64, 4 k reranked"},
                 {4, 8, "codes 4 x 256", "4 x 256, 4 k reranked"},
                 {16, 4, "codes 16 x 16", "16 x 16, 4 k reranked"},
                 {16, 8, "codes 16 x 256", "16 x 256, 4 k reranked"}};
    const uint64_t n = 8192;
    int32_t *every = (int32_t *)malloc(HEADS * n * 4), *more = (int32_t *)malloc(HEADS * n * 4);
    int32_t *list = (int32_t *)malloc(HEADS * n * 4);
    for (uint64_t p = 0; p < n; p++) put((int)(uniform() * TOKENS), p);
    printf("lists of k of %lu keys      k     recall  of softmax      error\n", (unsigned long)n);
    for (uint64_t k = 64; k <= 1024; k *= 4) {
        for (uint64_t i = 0; i < HEADS * n; i++) every[i] = (int32_t)(i % n);
        for (uint64_t i = 0; i < HEADS * k; i++) list[i] = (int32_t)(i % k * 7919 % n);
        judge("any keys", list, n, k);
        for (uint64_t i = 0; i < HEADS * k; i++) list[i] = (int32_t)(n - 1 - i % k);
        judge("the last keys", list, n, k);
        for (size_t at = 0; at < sizeof books / sizeof *books; at++) {
            book b;
            book_make(&b, books[at].m, books[at].bits, n);
            book_append(&b, 0, n);
            select_of(&b, list, n, k);
            judge(books[at].name, list, n, k);
            select_of(&b, more, n, 4 * k);
            rerank_of(list, n, more, 4 * k, k);
            judge(books[at].more, list, n, k);
            book_free(&b);
        }
        rerank_of(list, n, every, n, k);
        judge("the best keys", list, n, k);
    }
    free(every);
    free(more);
    free(list);
}

int main(int argc, char **argv)
{
    const uint64_t asked = argc > 1 ? strtoull(argv[1], NULL, 10) : 0;
    const uint64_t most = asked >= 1024 && asked <= LONGEST ? asked : 8192;
    padic_context_desc desc = PADIC_ZERO;
    desc.backends[0] = padic_simd();
    must(padic_context_create(&desc, &context), "context");
    keys = (float *)calloc((size_t)GROUPS * MOST * D, sizeof *keys);
    values = (float *)calloc((size_t)GROUPS * MOST * D, sizeof *values);
    if (!keys || !values) return 1;
    weights();
    if (argc > 1 && !strcmp(argv[1], "lists")) lists_hold();
    else contexts_grow(most);
    padic_context_destroy(context);
    free(keys);
    free(values);
    return 0;
}
