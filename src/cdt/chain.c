#include "chain.h"
#include "../context/messages.h"
#include "../context/ops.h"
#include "../context/state.h"
#include "arrays.h"
#include "moves.h"

#if PADICI_IMPLEMENT_CDT

// Chains: attempts in batches, replicas over the jobs.

#define PADICI_CDT_LANES 32u    // attempts whose random words are made side by side
#define PADICI_CDT_BATCH 160u   // and in one go, a multiple of that
#define PADICI_CDT_AHEAD 12u    // attempts between fetching a record and using it
#define PADICI_CDT_SHARE 65536u // attempts between two looks at the progress hook

#if defined(__GNUC__) || defined(__clang__)
#define PADICI_CDT_FETCH(pointer) __builtin_prefetch(pointer, 1)
#else
#define PADICI_CDT_FETCH(pointer) ((void)0)
#endif

typedef struct padici_cdt_words { // of a batch
    uint64_t place[PADICI_CDT_BATCH];
    uint32_t kind[PADICI_CDT_BATCH], accept[PADICI_CDT_BATCH];
} padici_cdt_words;

// Words of PADICI_CDT_LANES attempts from this one on: Philox side by side, one round of all after
// another, which compilers make vectors of.
static void padici_cdt_draw_lanes(uint64_t seed, uint32_t stream, uint64_t attempt, uint64_t *place,
                                  uint32_t *kind, uint32_t *accept)
{
    uint32_t a[PADICI_CDT_LANES], b[PADICI_CDT_LANES], c[PADICI_CDT_LANES], d[PADICI_CDT_LANES];
    uint32_t k0 = (uint32_t)seed, k1 = (uint32_t)(seed >> 32), i, round;
    for (i = 0; i < PADICI_CDT_LANES; i++) {
        a[i] = (uint32_t)(attempt + i);
        b[i] = (uint32_t)((attempt + i) >> 32);
        c[i] = stream;
        d[i] = PADICI_CDT_ATTEMPT;
    }
    for (round = 0; round < 10; round++) {
        for (i = 0; i < PADICI_CDT_LANES; i++) {
            const uint64_t p = (uint64_t)0xd2511f53u * a[i], q = (uint64_t)0xcd9e8d57u * c[i];
            a[i] = (uint32_t)(q >> 32) ^ b[i] ^ k0;
            c[i] = (uint32_t)(p >> 32) ^ d[i] ^ k1;
            b[i] = (uint32_t)q;
            d[i] = (uint32_t)p;
        }
        k0 += 0x9e3779b9u;
        k1 += 0xbb67ae85u;
    }
    for (i = 0; i < PADICI_CDT_LANES; i++) {
        kind[i] = a[i];
        place[i] = (uint64_t)b[i] << 32 | c[i];
        accept[i] = d[i];
    }
}

// Words of `count` attempts from r->attempt on.
static void padici_cdt_draw(uint64_t seed, const padici_cdt_replica *r, uint32_t count,
                            padici_cdt_words *w)
{
    uint32_t i;
    for (i = 0; i < count; i += PADICI_CDT_LANES)
        padici_cdt_draw_lanes(seed, r->stream, r->attempt + i, w->place + i, w->kind + i,
                              w->accept + i);
}

// The batch's attempts, until so many visits of the target (0: all); how many were made. The volume
// hardly changes on the way: what an attempt will want is known long before.
static uint32_t padici_cdt_torus_batch(const padici_cdt_rules *rules, padici_cdt_replica *r,
                                       const padici_cdt_words *w, uint32_t count,
                                       uint64_t *visits)
{
    const uint32_t stop = *visits ? r->target : 0;
    uint32_t i;
    for (i = 0; i < count; i++) {
        const uint32_t kind = padici_cdt_kind(rules, w->kind[i]);
        const uint64_t links = r->vertices;
        if (i + PADICI_CDT_AHEAD < count)
            PADICI_CDT_FETCH(r->records +
                             4 * (size_t)padici_cdt_place(w->place[i + PADICI_CDT_AHEAD], links));
        r->attempts[kind]++;
        r->accepted[kind] +=
            padici_cdt_torus_attempt(rules, r, kind, w->place[i], w->accept[i]);
        if (r->vertices == stop && --*visits == 0) return i + 1;
    }
    return count;
}

static uint32_t padici_cdt_sphere_batch(const padici_cdt_rules *rules, padici_cdt_replica *r,
                                        const padici_cdt_words *w, uint32_t count,
                                       uint64_t *visits)
{
    const uint32_t stop = *visits ? r->target : 0;
    uint32_t i;
    for (i = 0; i < count; i++) {
        const uint32_t kind = padici_cdt_kind(rules, w->kind[i]);
        const uint64_t triangles = 2 * (uint64_t)r->vertices - 4;
        if (i + PADICI_CDT_AHEAD < count)
            PADICI_CDT_FETCH(r->records + 8 * (size_t)padici_cdt_place(
                                                  w->place[i + PADICI_CDT_AHEAD], triangles));
        r->attempts[kind]++;
        r->accepted[kind] +=
            padici_cdt_sphere_attempt(rules, r, kind, w->place[i], w->accept[i]);
        if (r->vertices == stop && --*visits == 0) return i + 1;
    }
    return count;
}

// Attempts of one replica, until so many visits of the target (0: all of them). 0: cancelled.
static uint32_t padici_cdt_walk(padici_cdt_run *run, padici_cdt_replica *r, uint64_t count,
                                uint64_t *visits)
{
    const padici_cdt_rules *rules = &run->plan->rules;
    const uint64_t wanted = *visits;
    padici_cdt_words words;
    uint64_t share = 0;
    while (count) {
        const uint32_t batch = count < PADICI_CDT_BATCH ? (uint32_t)count : PADICI_CDT_BATCH;
        uint32_t made;
        padici_cdt_draw(rules->desc.seed, r, batch, &words);
        made = rules->sphere ? padici_cdt_sphere_batch(rules, r, &words, batch, visits)
                             : padici_cdt_torus_batch(rules, r, &words, batch, visits);
        r->attempt += made;
        count -= made;
        share += made;
        if (wanted && !*visits) break;
        if (share < PADICI_CDT_SHARE && count) continue;
        if (padici_steps_more(&run->steps, share)) return 0;
        share = 0;
    }
    return !share || !padici_steps_more(&run->steps, share);
}

// An insertion into the sphere, or into a slice that is no longer than the mean.
static uint32_t padici_cdt_grow_once(const padici_cdt_rules *rules, padici_cdt_replica *r,
                                     uint64_t place)
{
    const uint32_t n = r->vertices;
    const uint32_t at = padici_cdt_place(place, rules->sphere ? 2 * (uint64_t)n - 4 : n);
    if (rules->sphere)
        padici_cdt_sphere_insert(r, at);
    else if (r->lengths[r->places[at]] <= n / rules->desc.slices)
        padici_cdt_torus_insert(r, at);
    return r->vertices != n;
}

// Insertions at random places until the target is reached, with seven flips to each. Slices stay
// about equal: from very unequal ones, or from a bush of vertices of the lowest order, a chain
// first loses most of its volume. 0: the capacity is below the target.
static uint32_t padici_cdt_insert_all(const padici_cdt_rules *rules, padici_cdt_replica *r)
{
    const uint32_t target = padici_cdt_goal(r);
    padici_cdt_words words;
    uint32_t i = 0;
    if (target > rules->most) return 0;
    for (; r->vertices < target; i++) {
        const uint32_t at = i % PADICI_CDT_BATCH;
        uint32_t kind;
        if (!at) padici_cdt_draw(rules->desc.seed, r, PADICI_CDT_BATCH, &words);
        kind = words.kind[at] >> 29 ? PADIC_CDT_MOVE_FLIP : PADIC_CDT_MOVE_INSERT;
        r->attempt++;
        r->attempts[kind]++;
        r->accepted[kind] += kind == PADIC_CDT_MOVE_INSERT
                                 ? padici_cdt_grow_once(rules, r, words.place[at])
                             : rules->sphere
                                 ? padici_cdt_sphere_attempt(rules, r, kind, words.place[at], 0)
                                 : padici_cdt_torus_attempt(rules, r, kind, words.place[at], 0);
    }
    padici_cdt_law_follow(rules, r);
    return 1;
}

static void padici_cdt_run_replica(void *arg, uint32_t task)
{
    padici_cdt_run *run = (padici_cdt_run *)arg;
    const padici_cdt_rules *rules = &run->plan->rules;
    padici_cdt_replica *r = &run->plan->replicas[task];
    uint32_t *missed = &run->missed[task % PADICI_JOBS_AT_ONCE];
    uint64_t count = run->attempts, visits = run->visits, none = 0;
    if (run->grow) {
        if (!padici_cdt_insert_all(rules, r)) {
            *missed = 1;
            return;
        }
        count = padici_cdt_discard(run, r->vertices);
    }
    if (!padici_cdt_walk(run, r, count, &none) || !visits) return;
    if (count && r->vertices == r->target) visits--;
    if (visits && padici_cdt_walk(run, r, run->more, &visits) && visits) *missed = 1;
}

// Adds what the replicas have counted; begins with sign 0 - 1, ends with 1.
static void padici_cdt_run_count(padici_cdt_run *run, uint64_t sign)
{
    uint64_t i;
    uint32_t k;
    for (i = 0; i < run->plan->rules.desc.replicas; i++) {
        const padici_cdt_replica *r = &run->plan->replicas[i];
        for (k = 0; k < PADIC_CDT_MOVES; k++) {
            run->report.attempts[k] += sign * r->attempts[k];
            run->report.accepted[k] += sign * r->accepted[k];
        }
        run->report.refused += sign * r->refused;
    }
}

PADICI_FN void padici_cdt_run_begin(padici_cdt_run *run)
{
    const uint64_t replicas = run->plan->rules.desc.replicas;
    uint64_t total;
    if (run->grow || run->visits || !padici_mul_u64(run->attempts, replicas, &total)) total = 0;
    padici_steps_begin(&run->steps, NULL, padici_progress(run->task.context), total);
    padici_cdt_run_count(run, 0 - (uint64_t)1);
}

// `missed`: a replica did not get where it should.
PADICI_FN padic_result padici_cdt_run_end(padici_cdt_run *run, uint32_t missed)
{
    padic_context *context = run->task.context;
    padici_cdt_run_count(run, 1);
    if (padici_steps_end(&run->steps))
        return padici_fail_here(context, PADIC_ERROR_CANCELLED, "the progress hook said so");
    if (!missed) return PADIC_OK;
    return run->grow ? padici_fail_field(context, PADIC_ERROR_DOMAIN, "target",
                                         "is above the capacity of a replica")
                     : padici_fail_field(context, PADIC_ERROR_LIMIT, "target",
                                         "was not visited so often within attempts_more");
}

PADICI_FN padic_result padici_cdt_run_work(padici_view_task *task)
{
    padici_cdt_run *run = (padici_cdt_run *)(void *)task;
    const uint64_t replicas = run->plan->rules.desc.replicas;
    uint32_t i, missed = 0;
    padici_cdt_state_reach(run->plan, 0, replicas, &run->state);
    padici_cdt_run_begin(run);
    padici_parallel(padici_jobs(task->context), (uint32_t)replicas, padici_cdt_run_replica, run);
    for (i = 0; i < PADICI_JOBS_AT_ONCE; i++) missed |= run->missed[i];
    return padici_cdt_run_end(run, missed);
}

static padic_result padici_cdt_run_inspect(padici_view_task *task)
{
    const padici_cdt_run *run = (const padici_cdt_run *)(const void *)task;
    uint64_t i;
    if (!run->plan)
        return padici_fail_field(task->context, PADIC_ERROR_ARGUMENT, "plan", "is NULL");
    if (run->plan->rules.desc.replicas > UINT32_MAX)
        return padici_fail_here(task->context, PADIC_ERROR_LIMIT, "2^32 replicas are too many");
    for (i = 0; run->visits && i < run->plan->rules.desc.replicas; i++)
        if (!run->plan->replicas[i].target)
            return padici_fail_field(task->context, PADIC_ERROR_ARGUMENT, "visits",
                                     "are of a target, and the plan has none");
    return PADIC_OK;
}

PADICI_VIEW_TASK(cdt_grow)
PADICI_VIEW_TASK(cdt_run)

static padic_result padici_cdt_run_do(padic_context *context, uint32_t op, padici_cdt_run *run,
                                      padic_cdt_run_report *report)
{
    padic_result result;
    padici_view_task_begin(&run->task, context, padici_cdt_run_inspect, padici_cdt_run_work);
    if (run->plan)
        padici_cdt_state_view(run->plan, 0, run->plan->rules.desc.replicas, &run->state);
    padici_view_add(&run->task, "state", &run->state, 2);
    result = padici_run_task(context, op, run);
    if (report) *report = run->report;
    return result;
}

PADIC_API padic_result padic_cdt_grow(padic_context *context, const padic_cdt_grow_desc *desc)
{
    padici_cdt_run run;
    if (!desc) return padici_cdt_no_desc(context, "cdt_grow");
    memset(&run, 0, sizeof run);
    run.plan = desc->plan;
    run.grow = 1;
    run.discard = desc->discard;
    return padici_cdt_run_do(context, PADIC_OP_CDT_GROW, &run, desc->report);
}

PADIC_API padic_result padic_cdt_run(padic_context *context, const padic_cdt_run_desc *desc)
{
    padici_cdt_run run;
    if (!desc) return padici_cdt_no_desc(context, "cdt_run");
    memset(&run, 0, sizeof run);
    run.plan = desc->plan;
    run.attempts = desc->attempts;
    run.visits = desc->visits;
    run.more = desc->attempts_more ? desc->attempts_more : UINT64_C(1) << 32;
    return padici_cdt_run_do(context, PADIC_OP_CDT_RUN, &run, desc->report);
}

#undef PADICI_CDT_LANES
#undef PADICI_CDT_BATCH
#undef PADICI_CDT_AHEAD
#undef PADICI_CDT_SHARE
#undef PADICI_CDT_FETCH

#endif
