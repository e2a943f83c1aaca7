#include "step.h"
#include "engine.h"

#include <math.h>

#if PADICI_IMPLEMENT_ROLLOUT

// What follows an evaluation: policy, post.

PADICI_FN void padici_rollout_step(padic_rollout_policy policy, double parameter,
                                   uint64_t numbers, size_t size, const char *x, char *o)
{
    const int convex = policy == PADIC_ROLLOUT_POLICY_CONVEX;
    const double p = parameter, rest = 1 - p;
    uint64_t i;
    if (policy == PADIC_ROLLOUT_POLICY_AUTOREGRESSIVE || (convex && !(p > 0))) return;
    if (convex ? !(p < 1) : !(p < 0 || p > 0)) {
        memcpy(o, x, (size_t)numbers * size);
        return;
    }
    for (i = 0; i < numbers; i++) {
        const double before = padici_rollout_get(x, i, size);
        const double here = padici_rollout_get(o, i, size);
        padici_rollout_put(o, i, size, convex ? p * before + rest * here : before + p * here);
    }
}

static void padici_rollout_clamp(const padici_rollout_finishing *how, char *x)
{
    uint64_t i;
    if (!(how->flags & PADIC_ROLLOUT_CLAMP)) return;
    for (i = 0; i < how->numbers; i++) {
        const double v = padici_rollout_get(x, i, how->size);
        if (v < how->lo) padici_rollout_put(x, i, how->size, how->lo);
        if (v > how->hi) padici_rollout_put(x, i, how->size, how->hi);
    }
}

// `count` numbers, by their own statistics.
static void padici_rollout_normalise(padic_rollout_post post, char *x, uint64_t count, size_t size)
{
    double low, high, mean = 0, square = 0, by;
    uint64_t i;
    low = high = padici_rollout_get(x, 0, size);
    for (i = 0; i < count; i++) {
        const double v = padici_rollout_get(x, i, size);
        mean += v;
        if (v < low) low = v;
        if (v > high) high = v;
    }
    mean /= (double)count;
    if (post == PADIC_ROLLOUT_POST_MINMAX) {
        by = high - low;
        if (!(by > 1e-8)) return;
        mean = low;
    } else {
        for (i = 0; i < count; i++) {
            const double d = padici_rollout_get(x, i, size) - mean;
            square += d * d;
        }
        by = sqrt(square / (double)count) + 1e-8;
    }
    for (i = 0; i < count; i++)
        padici_rollout_put(x, i, size, (padici_rollout_get(x, i, size) - mean) / by);
}

PADICI_FN void padici_rollout_finish(const padici_rollout_finishing *how, char *x)
{
    const uint64_t parts = how->flags & PADIC_ROLLOUT_POST_PER_CHANNEL ? how->channels : 1;
    const uint64_t each = how->numbers / parts;
    uint64_t c;
    for (c = 0; c < parts && how->post != PADIC_ROLLOUT_POST_NONE; c++)
        padici_rollout_normalise(how->post, x + c * each * how->size, each, how->size);
    padici_rollout_clamp(how, x);
}

#endif
