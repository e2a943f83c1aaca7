// How do I find what is near in a hierarchy? A shop files each article under a path of numbered
// shelves. The path, read as digits of a p-adic number with the widest shelf first, makes "under
// the same shelves" a distance: x and y that share d shelves are p^-d apart. A tree of such numbers
// gives the nearest articles, all of a shelf (a ball), and the groups of a depth (clusters).
//
//     cc -O2 -o neighbours examples/neighbours.c -lm && ./neighbours

#define PADIC_IMPLEMENTATION
#include "../padic.h"
#include <stdio.h>

enum { ARTICLES = 14, DEPTH = 4, SHELVES = 101, K = 4 }; // a prime above every shelf's number

static const struct article {
    const char *name;
    int shelf[DEPTH];
} articles[ARTICLES] = {
    {"claw hammer", {1, 1, 1, 1}},   {"sledge hammer", {1, 1, 1, 2}}, {"mallet", {1, 1, 2, 1}},
    {"hacksaw", {1, 2, 1, 1}},       {"bow saw", {1, 2, 1, 2}},       {"jigsaw", {1, 2, 2, 1}},
    {"wood screws", {2, 1, 1, 1}},   {"metal screws", {2, 1, 1, 2}},  {"nails", {2, 1, 2, 1}},
    {"wall plugs", {2, 2, 1, 1}},    {"white paint", {3, 1, 1, 1}},   {"red paint", {3, 1, 1, 2}},
    {"wood stain", {3, 1, 2, 1}},    {"paint brush", {3, 2, 1, 1}},
};

static padic_num_ring ring;
static padic_num_array points;
static padic_num_tree tree;
static uint64_t number_memory[64], tree_memory[128];

// x = d_0 + d_1 p + d_2 p^2 + ...: the first shelf counts most, as the lowest digit.
static padic_result file_articles(void)
{
    padic_num_tree_init_desc init = PADIC_ZERO;
    padic_num_tree_build_desc build = PADIC_ZERO; // of all points
    padic_result result = padic_num_ring_init(&ring, SHELVES, DEPTH, NULL);
    if (!result)
        result = padic_num_place(&points, &ring, PADIC_NUM_RING, ARTICLES, number_memory,
                                 sizeof number_memory);
    for (uint64_t i = 0; !result && i < ARTICLES; i++) {
        padic_num_value x = PADIC_ZERO;
        for (int d = DEPTH; d-- > 0;) x.u[0] = x.u[0] * SHELVES + (uint64_t)articles[i].shelf[d];
        result = padic_num_set(&points, i, &x);
    }
    init.tree = build.tree = &tree;
    init.points = points;
    init.memory = padic_tensor_1d(PADIC_U8, tree_memory, sizeof tree_memory);
    if (!result) result = padic_num_tree_init(NULL, &init);
    return result ? result : padic_num_tree_build(NULL, &build);
}

// What else to show beside each article.
static padic_result show_nearest(void)
{
    static uint32_t ids[ARTICLES][K];
    static int32_t shared[ARTICLES][K]; // v(x - y): how many shelves are the same
    padic_num_tree_nearest_desc desc = PADIC_ZERO;
    desc.tree = &tree;
    desc.query = points;
    desc.ids = padic_tensor_2d(PADIC_U32, ids, ARTICLES, K);
    desc.val = padic_tensor_2d(PADIC_I32, shared, ARTICLES, K);
    const padic_result result = padic_num_tree_nearest(NULL, &desc);
    for (uint32_t i = 0; !result && i < ARTICLES; i += 4) {
        printf("near %s:", articles[i].name);
        for (int k = 0; k < K; k++)
            if (ids[i][k] != i) printf(" %s (%d)", articles[ids[i][k]].name, (int)shared[i][k]);
        puts("");
    }
    return result;
}

static padic_result show_ball(uint64_t i, int32_t depth)
{
    uint32_t ids[ARTICLES];
    padic_num_tree_ball_report report = PADIC_ZERO;
    padic_num_tree_ball_desc desc = PADIC_ZERO;
    desc.tree = &tree;
    desc.query = points;
    desc.index = i;
    desc.depth = depth;
    desc.out = padic_tensor_1d(PADIC_U32, ids, ARTICLES);
    desc.report = &report;
    const padic_result result = padic_num_tree_ball(NULL, &desc);
    printf("all that share %d shelves with %s:", (int)depth, articles[i].name);
    for (uint64_t k = 0; k < report.count; k++) printf(" %s,", articles[ids[k]].name);
    puts("");
    return result;
}

static padic_result show_clusters(int32_t depth, uint64_t *count)
{
    uint32_t label[ARTICLES];
    padic_num_tree_clusters_report report = PADIC_ZERO;
    padic_num_tree_clusters_desc desc = PADIC_ZERO;
    desc.tree = &tree;
    desc.depth = depth;
    desc.out = padic_tensor_1d(PADIC_U32, label, ARTICLES);
    desc.report = &report;
    const padic_result result = padic_num_tree_clusters(NULL, &desc);
    if (result) return result;
    *count = report.count;
    printf("%d groups at depth %d\n", (int)*count, (int)depth);
    for (uint32_t group = 0; group < ARTICLES; group++) {
        if (label[group] != group) continue; // a group is named by its smallest id
        printf("   ");
        for (uint32_t i = 0; i < ARTICLES; i++)
            if (label[i] == group) printf(" %s,", articles[i].name);
        puts("");
    }
    return result;
}

int main(void)
{
    uint64_t count = 0;
    int32_t depth = 0;
    uint32_t hammer = 0, mallet = 2;
    padic_num_tree_lca_desc desc = PADIC_ZERO;
    desc.tree = &tree;
    desc.first = padic_tensor_1d(PADIC_U32, &hammer, 1);
    desc.second = padic_tensor_1d(PADIC_U32, &mallet, 1);
    desc.out = padic_tensor_1d(PADIC_I32, &depth, 1);
    padic_result result = file_articles();
    if (!result) result = show_nearest();
    if (!result) result = show_ball(3, 2);
    if (!result) result = show_clusters(2, &count);
    if (!result) result = padic_num_tree_lca(NULL, &desc);
    if (result) return puts(padic_result_text(result)), 1;
    printf("hammer and mallet part after %d shelves\n", (int)depth);
    return count == 6 && depth == 2 ? 0 : 1;
}
