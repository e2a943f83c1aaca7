#include "../context/messages.h"
#include "../context/operation.h"
#include "../context/ops.h"
#include "../context/workspace.h"
#include "../core/jobs.h"
#include "calls.h"
#include "codebook.h"

#if PADICI_IMPLEMENT_PQ

// k-means. A group is a sub-vector of a head of a row of codebooks, and is trained by itself: its
// samples are scaled by the exponent of its largest component, and all arithmetic but the last
// step, back to the keys' scale, is with those.

typedef struct padici_pq_training {
    const padic_pq_train_desc *desc;
    const padici_pq_kernels *kernels;
    padici_pq_book book;
    padici_pq_view keys, inertia;
    uint64_t rows, length, stretches; // keys of a row, and how many samples of each
    uint64_t samples, rounds;         // of a group
    padici_pq_space space;
    padici_steps steps;
} padici_pq_training;

typedef struct padici_pq_group { // and its memory
    const padici_pq_training *training;
    uint64_t row, head, j, n;
    int32_t e;
    uint32_t used, failed;
    float phi;
    float *x, *scaled, *sums, *apart; // x: samples in turn; apart: squares of distances
    uint32_t *place;                  // the centroid of each sample
    int64_t *total;                   // sums of the samples of each centroid, fixed point
    uint32_t *members, *weight;
    float *phis;     // of this worker's head, where it is done
} padici_pq_group;

static uint64_t padici_pq_train_each(const padici_pq_training *t)
{
    const uint64_t d = t->book.components, cells = t->book.cells;
    return 128 + t->samples * (d * 4 + 12) + (d + 1) * cells * 4 + cells * 8 + cells * d * 8 + 64;
}

static void padici_pq_train_begin(const padic_pq_train_desc *desc, padici_pq_training *t)
{
    memset(t, 0, sizeof *t);
    t->desc = desc;
    padici_pq_book_of(&desc->codebook, &t->book);
    t->rows = t->book.batch == 1 ? desc->keys.shape[0] : 1;
    t->length = desc->keys.shape[2];
    t->stretches = desc->samples && desc->samples < t->length ? desc->samples : t->length;
    t->samples = t->rows * t->stretches;
    t->rounds = desc->rounds ? desc->rounds : 10;
}

PADIC_API uint64_t padic_pq_train_workspace(padic_context *context, const padic_pq_train_desc *desc)
{
    padici_pq_training t;
    if (!desc || padici_pq_check_book(NULL, &desc->codebook)) return 0;
    padici_pq_train_begin(desc, &t);
    if (t.samples >> 40) return UINT64_MAX;
    return padici_pq_space_bytes(context ? padici_jobs(context) : NULL,
                                 t.book.batch * t.book.groups * t.book.m, padici_pq_train_each(&t),
                                 &t.space);
}

PADICI_FN uint32_t padici_pq_train_operands(void *desc_, padici_operand *operands)
{
    padic_pq_train_desc *desc = (padic_pq_train_desc *)desc_;
    const uint8_t out = desc->init == PADIC_PQ_INIT_GIVEN ? 2 : 1;
    uint32_t n = padici_pq_book_operands(operands, &desc->codebook, out);
    n = padici_pq_operand(operands, n, "keys", &desc->keys, 0);
    return padici_pq_optional(operands, n, "inertia", &desc->inertia, 1);
}

PADICI_FN padic_result padici_pq_train_check(padic_context *context, const void *desc_)
{
    const padic_pq_train_desc *desc = (const padic_pq_train_desc *)desc_;
    const uint64_t *n = desc->codebook.centroids.shape;
    padici_pq_book book;
    padic_result result = padici_pq_check_book(context, &desc->codebook);
    if (result) return result;
    padici_pq_book_of(&desc->codebook, &book);
    if ((uint32_t)desc->init > PADIC_PQ_INIT_GIVEN)
        return padici_fail_field(context, PADIC_ERROR_ARGUMENT, "init", "is unknown");
    result = padici_pq_check(context, "keys", &desc->keys, PADIC_DTYPE_NONE, 4,
                             n[0] == 1 ? UINT64_MAX : n[0], n[1], UINT64_MAX, book.m * book.ds);
    if (!result && padic_tensor_count(&desc->keys) / (book.m * book.ds) > UINT32_MAX)
        result = padici_fail_field(context, PADIC_ERROR_LIMIT, "keys", "has 2^32 or more");
    if (!result)
        result = padici_pq_check_optional(context, "inertia", &desc->inertia, PADIC_F64, 4, n[0],
                                          n[1], n[2], (desc->rounds ? desc->rounds : 10u) + 1u);
    return result ? result
                  : padici_workspace_check(context, &desc->workspace,
                                           padic_pq_train_workspace(context, desc));
}

// Random words: step 0 for the first centroids, 1 for samples.
static uint32_t padici_pq_train_word(const padici_pq_group *group, uint32_t step, uint64_t element)
{
    const padici_pq_training *t = group->training;
    const uint64_t low = (uint32_t)(t->desc->head + group->row * t->book.groups + group->head);
    uint32_t words[4];
    padic_random_block(t->desc->seed, (group->j << 4 | 9) << 32 | low, step,
                       (uint32_t)(element >> 2), words);
    return words[element & 3];
}

// Samples

// The address of sample i: one from each of the row's stretches.
static const char *padici_pq_train_key(const padici_pq_group *group, uint64_t i)
{
    const padici_pq_training *t = group->training;
    const uint64_t row = t->book.batch == 1 ? i / t->stretches : group->row, at = i % t->stretches;
    uint64_t first = at, length = 1;
    if (t->stretches < t->length) { // at * length fits: both are below 2^32
        first = at * t->length / t->stretches;
        length = (at + 1) * t->length / t->stretches - first;
        first += (uint64_t)padici_pq_train_word(group, 1, i) * length >> 32;
    }
    return t->keys.at + (int64_t)row * t->keys.step[0] + (int64_t)group->head * t->keys.step[1] +
           (int64_t)first * t->keys.step[2] +
           (int64_t)(group->j * t->book.ds) * t->keys.step[3];
}

// Bits first, then scaled in place.
static void padici_pq_train_load(padici_pq_group *group)
{
    const padici_pq_training *t = group->training;
    const uint64_t ds = t->book.ds, d = t->book.components;
    uint32_t largest = 0;
    uint64_t i, k;
    for (i = 0; i < group->n; i++) {
        const char *key = padici_pq_train_key(group, i);
        for (k = 0; k < ds; k++, key += t->keys.step[3]) {
            const uint32_t bits = padici_pq_load(key, t->keys.dtype);
            if (!padici_pq_finite(bits)) group->failed = 1;
            if ((bits & 0x7fffffffu) > largest) largest = bits & 0x7fffffffu;
            group->x[i * d + k] = padici_pq_float(bits);
        }
    }
    if (group->failed) return;
    group->e = largest ? padici_pq_exponent(largest) : 0;
    for (i = 0; i < group->n; i++)
        for (k = 0; k < ds; k++)
            group->x[i * d + k] = padici_pq_scaled(padici_pq_bits(group->x[i * d + k]), group->e);
}

// IP: the component that makes all norms phi.
static void padici_pq_train_extend(padici_pq_group *group)
{
    const uint64_t ds = group->training->book.ds;
    uint64_t i, k;
    group->phi = 0;
    for (i = 0; i < group->n; i++) {
        float *x = group->x + i * (ds + 1), norm = 0;
        for (k = 0; k < ds; k++) {
            const float square = x[k] * x[k];
            norm = norm + square;
        }
        x[ds] = norm;
        if (norm > group->phi) group->phi = norm;
    }
    for (i = 0; i < group->n; i++) {
        float *x = group->x + i * (ds + 1);
        x[ds] = padici_pq_root(group->phi - x[ds]);
    }
}

// Centroids, as columns of `scaled`, with half their norms below.

static float padici_pq_train_apart(const padici_pq_group *group, const float *x, uint64_t k)
{
    const uint64_t d = group->training->book.components, cells = group->training->book.cells;
    float sum = 0;
    uint64_t i;
    for (i = 0; i < d; i++) {
        const float difference = x[i] - group->scaled[i * cells + k];
        const float square = difference * difference;
        sum = sum + square;
    }
    return sum;
}

static void padici_pq_train_norm(padici_pq_group *group, uint64_t k)
{
    const uint64_t d = group->training->book.components, cells = group->training->book.cells;
    float sum = 0;
    uint64_t i;
    for (i = 0; i < d; i++) {
        const float square = group->scaled[i * cells + k] * group->scaled[i * cells + k];
        sum = sum + square;
    }
    group->scaled[d * cells + k] = sum * 0.5f;
}

static void padici_pq_train_set(padici_pq_group *group, uint64_t k, const float *x)
{
    const uint64_t d = group->training->book.components, cells = group->training->book.cells;
    uint64_t i;
    for (i = 0; i < d; i++) group->scaled[i * cells + k] = x[i];
    padici_pq_train_norm(group, k);
}

// Squares of distances as integers below 2^31; RANDOM: 1 where there is one. Returns their sum.
static uint64_t padici_pq_train_weights(padici_pq_group *group)
{
    const int random = group->training->desc->init == PADIC_PQ_INIT_RANDOM;
    float largest = 0;
    uint64_t i, sum = 0;
    int32_t e;
    for (i = 0; i < group->n; i++)
        if (group->apart[i] > largest) largest = group->apart[i];
    e = 30 - (largest > 0 ? padici_pq_exponent(padici_pq_bits(largest)) : 0);
    for (i = 0; i < group->n; i++) {
        const float scaled = padici_pq_unscaled(group->apart[i], e);
        group->weight[i] = random ? group->apart[i] > 0 : (uint32_t)scaled;
        sum += group->weight[i];
    }
    return sum;
}

// The first centroids: the next is sample i with a probability of its weight.
static void padici_pq_train_first(padici_pq_group *group)
{
    const padici_pq_book *book = &group->training->book;
    uint64_t i, k;
    for (i = 0; i < group->n; i++) group->apart[i] = 1;
    group->used = 0;
    for (k = 0; k < book->cells; k++) {
        uint64_t sum = padici_pq_train_weights(group), draw, chosen = 0;
        if (!sum) break;
        draw = padici_mulhi64((uint64_t)padici_pq_train_word(group, 0, 2 * k + 1) << 32 |
                                  padici_pq_train_word(group, 0, 2 * k), sum);
        while (draw >= group->weight[chosen]) draw -= group->weight[chosen++];
        padici_pq_train_set(group, k, group->x + chosen * book->components);
        group->used++;
        for (i = 0; i < group->n; i++) {
            const float apart = padici_pq_train_apart(group, group->x + i * book->components, k);
            if (!k || apart < group->apart[i]) group->apart[i] = apart;
        }
    }
}

// Those of the caller, in this group's scale.
static void padici_pq_train_given(padici_pq_group *group)
{
    const padici_pq_book *book = &group->training->book;
    const uint64_t d = book->components;
    const float *c = book->centroids +
                     padici_pq_book_index(book, group->row, group->head, group->j) *
                         book->cells * d;
    uint64_t i, k;
    for (k = 0; k < book->cells; k++) {
        for (i = 0; i < d; i++, c++) {
            const uint32_t bits = padici_pq_bits(*c);
            if (!padici_pq_finite(bits)) group->failed = 1;
            else group->scaled[i * book->cells + k] = padici_pq_scaled(bits, group->e);
        }
        padici_pq_train_norm(group, k);
    }
    group->used = (uint32_t)book->cells;
}

// Lloyd

// Assigns all samples; returns how many moved, and the sum of squares in 2^-24.
static uint64_t padici_pq_train_assign(padici_pq_group *group, uint64_t *inertia)
{
    const padici_pq_training *t = group->training;
    const uint64_t d = t->book.components;
    uint64_t moved = 0, sum = 0, i;
    for (i = 0; i < group->n; i++) {
        const float *x = group->x + i * d;
        const uint32_t place =
            padici_pq_nearest(t->kernels, group->scaled, d, t->book.cells, x, group->sums);
        group->apart[i] = padici_pq_train_apart(group, x, place);
        moved += place != group->place[i];
        group->place[i] = place;
        sum += (uint64_t)(group->apart[i] * 16777216.0f);
    }
    *inertia = sum;
    return moved;
}

// The nearest integer of x 2^24, |x| < 2^12.
static int64_t padici_pq_fixed(float x)
{
    const int64_t twice = (int64_t)(x * 33554432.0f);
    return (twice + (twice >= 0 ? 1 : -1)) / 2;
}

static int64_t padici_pq_mean(int64_t sum, int64_t count)
{
    return sum >= 0 ? (sum + count / 2) / count : -((-sum + count / 2) / count);
}

// A centroid without samples takes the sample that is farthest from its own, the first of equals.
static void padici_pq_train_revive(padici_pq_group *group, uint64_t k)
{
    uint64_t i, most = 0;
    for (i = 1; i < group->n; i++)
        if (group->apart[i] > group->apart[most]) most = i;
    if (!group->n || !(group->apart[most] > 0)) return;
    padici_pq_train_set(group, k, group->x + most * group->training->book.components);
    group->apart[most] = 0;
}

static void padici_pq_train_move(padici_pq_group *group)
{
    const padici_pq_book *book = &group->training->book;
    const uint64_t d = book->components;
    uint64_t i, k;
    memset(group->total, 0, (size_t)(book->cells * d) * sizeof *group->total);
    memset(group->members, 0, (size_t)book->cells * sizeof *group->members);
    for (i = 0; i < group->n; i++) {
        int64_t *total = group->total + group->place[i] * d;
        group->members[group->place[i]]++;
        for (k = 0; k < d; k++) total[k] += padici_pq_fixed(group->x[i * d + k]);
    }
    for (k = 0; k < group->used; k++) {
        if (!group->members[k]) continue;
        for (i = 0; i < d; i++) {
            const int64_t mean = padici_pq_mean(group->total[k * d + i], group->members[k]);
            const float value = (float)(int32_t)mean * (1.0f / 16777216.0f);
            group->scaled[i * book->cells + k] = value;
        }
        padici_pq_train_norm(group, k);
    }
    for (k = 0; k < group->used; k++)
        if (!group->members[k]) padici_pq_train_revive(group, k);
}

static void padici_pq_train_record(const padici_pq_group *group, uint64_t round, uint64_t sum)
{
    const padici_pq_view *view = &group->training->inertia;
    double value = (double)sum * (1.0 / 16777216.0);
    int32_t e = 2 * group->e;
    if (!view->at) return;
    for (; e > 0; e--) value *= 2;
    for (; e < 0; e++) value *= 0.5;
    for (; round <= group->training->rounds; round++)
        *(double *)(void *)(view->at + (int64_t)group->row * view->step[0] +
                            (int64_t)group->head * view->step[1] +
                            (int64_t)group->j * view->step[2] + (int64_t)round * view->step[3]) =
            value;
}

// Back to the keys' scale.
static void padici_pq_train_store(const padici_pq_group *group)
{
    const padici_pq_book *book = &group->training->book;
    const uint64_t d = book->components;
    float *c = (float *)(uintptr_t)book->centroids +
               padici_pq_book_index(book, group->row, group->head, group->j) * book->cells * d;
    int32_t *info = (int32_t *)(uintptr_t)book->info +
                    padici_pq_book_index(book, group->row, group->head, group->j) * PADICI_PQ_INFO;
    uint64_t i, k;
    for (k = 0; k < book->cells; k++)
        for (i = 0; i < d; i++)
            c[k * d + i] = k < group->used
                               ? padici_pq_unscaled(group->scaled[i * book->cells + k], group->e)
                               : 0;
    info[0] = 2 * group->e; // until all of the head are done
    info[1] = (int32_t)group->used;
    memcpy(&info[2], &group->phi, 4);
}

static void padici_pq_train_group(padici_pq_group *group)
{
    const padici_pq_training *t = group->training;
    const uint64_t d = t->book.components;
    uint64_t round, sum = 0, k, moved;
    group->e = 0;
    group->phi = 0;
    padici_pq_train_load(group);
    if (group->failed) return;
    if (d > t->book.ds) padici_pq_train_extend(group);
    for (k = 0; k < (d + 1) * t->book.cells; k++)
        group->scaled[k] = k < d * t->book.cells ? 0 : padici_pq_float(PADICI_PQ_FARTHEST);
    if (t->desc->init == PADIC_PQ_INIT_GIVEN) padici_pq_train_given(group);
    else padici_pq_train_first(group);
    if (group->failed) return;
    for (k = 0; k < group->n; k++) group->place[k] = UINT32_MAX;
    for (round = 0; round < t->rounds; round++) {
        moved = padici_pq_train_assign(group, &sum);
        padici_pq_train_record(group, round, sum);
        if (moved <= t->desc->tolerance_moves) break;
        padici_pq_train_move(group);
    }
    if (round == t->rounds) {
        (void)padici_pq_train_assign(group, &sum);
        padici_pq_train_record(group, round, sum);
    }
    padici_pq_train_store(group);
}

static void padici_pq_train_space(const padici_pq_training *t, char *at, padici_pq_group *group)
{
    const uint64_t d = t->book.components, cells = t->book.cells, n = t->samples;
    group->training = t;
    group->n = n;
    group->failed = 0;
    group->total = (int64_t *)(void *)(at + 64);
    group->x = (float *)(void *)(group->total + cells * d);
    group->scaled = group->x + n * d;
    group->sums = group->scaled + (d + 1) * cells;
    group->apart = group->sums + cells;
    group->place = (uint32_t *)(void *)(group->apart + n);
    group->weight = group->place + n;
    group->members = group->weight + n;
}

static void padici_pq_train_work(void *work, uint32_t worker)
{
    padici_pq_training *t = (padici_pq_training *)work;
    char *at = t->space.at + worker * t->space.each;
    const uint64_t groups = t->book.batch * t->book.groups * t->book.m;
    padici_pq_group group;
    uint64_t i;
    padici_pq_train_space(t, at, &group);
    for (i = worker; i < groups && !group.failed; i += t->space.workers) {
        group.j = i % t->book.m;
        group.head = i / t->book.m % t->book.groups;
        group.row = i / t->book.m / t->book.groups;
        padici_pq_train_group(&group);
        if (padici_steps_more(&t->steps, 1)) break;
    }
    memcpy(at, &group.failed, 4);
}

static PADICI_NOINLINE void padici_pq_train_finish(const padici_pq_training *t, uint64_t row,
                                                   uint64_t head)
{
    uint32_t used[PADICI_PQ_SUBVECTORS];
    float phi[PADICI_PQ_SUBVECTORS];
    int32_t exponent[PADICI_PQ_SUBVECTORS];
    uint64_t j;
    for (j = 0; j < t->book.m; j++) {
        const int32_t *info =
            t->book.info + padici_pq_book_index(&t->book, row, head, j) * PADICI_PQ_INFO;
        exponent[j] = info[0];
        used[j] = (uint32_t)info[1];
        memcpy(&phi[j], &info[2], 4);
    }
    padici_pq_prepare_head(&t->book, row, head, used, phi, exponent);
}

PADICI_FN padic_result padici_pq_train_run(const padic_env *env, const padici_pq_kernels *kernels,
                                           const padic_pq_train_desc *desc)
{
    padici_pq_training t;
    uint64_t i;
    uint32_t failed = 0, one;
    padic_result result;
    padici_pq_train_begin(desc, &t);
    t.kernels = kernels;
    t.keys = padici_pq_view_of(&desc->keys);
    t.inertia = padici_pq_view_of(&desc->inertia);
    result = padici_pq_space_begin(env, &desc->workspace, t.book.batch * t.book.groups * t.book.m,
                                   padici_pq_train_each(&t), &t.space);
    if (result) return result;
    padici_steps_begin(&t.steps, NULL, env ? env->progress : NULL,
                       t.book.batch * t.book.groups * t.book.m);
    padici_parallel(padici_env_jobs(env), t.space.workers, padici_pq_train_work, &t);
    result = padici_steps_end(&t.steps);
    for (i = 0; i < t.space.workers; i++) {
        memcpy(&one, t.space.at + i * t.space.each, 4);
        failed |= one;
    }
    padici_pq_space_end(env, &t.space);
    if (failed)
        return padici_env_fail(env, PADIC_ERROR_NOT_FINITE,
                               "a key or a given centroid has a NaN or an infinity");
    for (i = 0; i < t.book.batch * t.book.groups && !result; i++)
        padici_pq_train_finish(&t, i / t.book.groups, i % t.book.groups);
    return result;
}

PADICI_FN padic_result padici_pq_train_host(const padic_env *env, const void *desc)
{
    return padici_pq_train_run(env, padici_pq_plain(), (const padic_pq_train_desc *)desc);
}

#endif
