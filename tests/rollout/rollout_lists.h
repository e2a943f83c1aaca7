// rollout_lists.h: lists of nodes, and numbers for their weights and states. Include it after
// padic.h and padic_test.h.
#pragma once

#define U 5.9604644775390625e-8 // 2^-24

static padic_rollout_node nodes[PADIC_ROLLOUT_NODES];
static padic_rollout_shape shapes[PADIC_ROLLOUT_NODES];

static inline uint32_t below(uint32_t n)
{
    return (uint32_t)(test_random() % n);
}

static inline double uniform(void) // in (-1, 1), exact as a float
{
    return (double)padic_random_symmetric((uint32_t)(test_random() >> 32));
}

static inline void *fresh(uint64_t count, size_t size)
{
    void *p = calloc((size_t)count + 1, size);
    if (!p) exit(1);
    return p;
}

// One node, whose fields are the defaults.
static inline padic_rollout_operator list(uint32_t channels, uint32_t height, uint32_t width)
{
    padic_rollout_operator op = PADIC_ZERO;
    memset(nodes, 0, sizeof nodes);
    op.nodes = nodes;
    op.count = 1;
    op.channels = channels;
    op.height = height;
    op.width = width;
    return op;
}
