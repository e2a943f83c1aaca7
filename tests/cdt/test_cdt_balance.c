// test_cdt_balance.c: small ensembles in full. Every state that moves reach is listed up to its
// numbers, the number of states is compared with the exact one, and the transition matrix, from the
// move code with each random word swept, must leave the law e^-S / |Aut| as it is. Thresholds
// against long doubles.
#define PADIC_IMPLEMENT_NULL
#include "../support/inside.h"
#include "../../padic.h"

#include "../support/padic_test.h"

#include <math.h>

enum { WORDS = 96, CODE = 64, STATES = 3000 };

// A state with its own records.
typedef struct state {
    padici_cdt_replica r;
    uint32_t records[WORDS], places[WORDS], lengths[4];
    uint8_t code[CODE];
    uint32_t code_size, automorphisms;
    double weight, in;
} state;

static state *states;
static uint32_t state_count;

static void own(state *s)
{
    s->r.records = s->records;
    s->r.places = s->places;
    s->r.lengths = s->lengths;
}

static void copy_state(state *to, const state *from)
{
    *to = *from;
    own(to);
}

// Numbers by a walk from a root: links of the torus, triangles of the sphere, in the order in which
// they are met; what is written then no longer depends on the numbers they had.
static uint32_t code_from(const padici_cdt_rules *rules, const state *s, uint32_t root,
                          uint8_t *code)
{
    uint8_t number[64], turn[64]; // turn: of a triangle, which corner comes first
    uint32_t queue[64], head = 0, tail = 1, size = 0, k;
    memset(number, 255, sizeof number);
    memset(turn, 0, sizeof turn);
    queue[0] = rules->sphere ? root / 4 : root;
    number[queue[0]] = 0;
    turn[queue[0]] = (uint8_t)(rules->sphere ? root % 4 : 0);
    for (; head < tail; head++) {
        const uint32_t at = queue[head];
        for (k = 0; k < (rules->sphere ? 3u : 4u); k++) {
            const uint32_t corner = (turn[at] + k) % 3;
            const uint32_t next = rules->sphere ? s->records[2 * (4 * at + corner) + 1]
                                                : s->records[4 * at + k];
            const uint32_t to = rules->sphere ? next / 4 : next / 2;
            if (number[to] == 255) {
                number[to] = (uint8_t)tail;
                turn[to] = (uint8_t)(rules->sphere ? next % 4 : 0);
                queue[tail++] = to;
            }
            code[size++] = (uint8_t)(4 * number[to] +
                                     (rules->sphere ? (next % 4 + 3 - turn[to]) % 3 : next % 2));
        }
        if (!rules->sphere) code[size++] = (uint8_t)s->places[at];
    }
    return size;
}

// The least code over all roots, and how many roots have it.
static void encode(const padici_cdt_rules *rules, state *s)
{
    const uint32_t n = s->r.vertices, roots = rules->sphere ? 4 * (2 * n - 4) : n;
    s->code_size = 0;
    for (uint32_t root = 0; root < roots; root++) {
        uint8_t code[CODE];
        uint32_t size;
        if (rules->sphere ? root % 4 == 3 : s->places[root] != 0) continue;
        size = code_from(rules, s, root, code);
        const int order = s->code_size ? memcmp(code, s->code, size) : -1;
        if (order < 0) {
            memcpy(s->code, code, size);
            s->code_size = size;
            s->automorphisms = 0;
        }
        s->automorphisms += order <= 0;
    }
}

static uint32_t number_of(const padici_cdt_rules *rules, state *s)
{
    encode(rules, s);
    for (uint32_t i = 0; i < state_count; i++)
        if (states[i].code_size == s->code_size && !memcmp(states[i].code, s->code, s->code_size))
            return i;
    if (state_count == STATES) return 0;
    states[state_count] = *s;
    own(&states[state_count]);
    return state_count++;
}

static uint32_t places_of(const padici_cdt_rules *rules, const state *s, uint32_t kind)
{
    const uint32_t n = s->r.vertices;
    if (kind == PADIC_CDT_MOVE_FLIP) return rules->sphere ? 3 * (2 * n - 4) : 2 * n;
    return rules->sphere && kind == PADIC_CDT_MOVE_INSERT ? 2 * n - 4 : n;
}

// One attempt on a copy; 1: accepted.
static uint32_t attempt(const padici_cdt_rules *rules, state *s, uint32_t kind, uint32_t place,
                        uint32_t word)
{
    const uint32_t n = places_of(rules, s, kind);
    const uint64_t step = UINT64_MAX / n, at = place * step + step / 2;
    return rules->sphere ? padici_cdt_sphere_attempt(rules, &s->r, kind, at, word)
                         : padici_cdt_torus_attempt(rules, &s->r, kind, at, word);
}

// How many of the 2^32 words accept: below it all do.
static double acceptance(const padici_cdt_rules *rules, const state *s, uint32_t kind,
                         uint32_t place)
{
    uint64_t low = 0, high = (uint64_t)1 << 32; // words below low accept, from high on refuse
    while (low < high) {
        const uint64_t middle = (low + high) / 2;
        state copy;
        copy_state(&copy, s);
        if (attempt(rules, &copy, kind, place, (uint32_t)middle))
            low = middle + 1;
        else
            high = middle;
    }
    return (double)low / 4294967296.0;
}

static double kind_probability(const padici_cdt_rules *rules, uint32_t kind)
{
    uint64_t first[4] = {0, 0, 0, (uint64_t)1 << 32};
    for (uint32_t k = 1; k < 3; k++) { // the first word whose kind is k or more
        uint64_t low = 0, high = (uint64_t)1 << 32;
        while (low < high) {
            const uint64_t middle = (low + high) / 2;
            if (padici_cdt_kind(rules, (uint32_t)middle) >= k)
                high = middle;
            else
                low = middle + 1;
        }
        first[k] = low;
    }
    return (double)(first[kind + 1] - first[kind]) / 4294967296.0;
}

static double action(const padic_cdt_plan_desc *d, double n2)
{
    double s = d->lambda * n2;
    if (d->volume == PADIC_CDT_VOLUME_ABS) s += d->epsilon * fabs(n2 - (double)d->target);
    if (d->volume == PADIC_CDT_VOLUME_SQUARE)
        s += d->epsilon * (n2 - (double)d->target) * (n2 - (double)d->target);
    return s;
}

// All states of an ensemble; `exact`: sums of 1 / |Aut| by vertices, from the least on.
static void ensemble(const padic_cdt_plan_desc *desc, const double *exact, uint32_t sizes)
{
    static double sum[16];
    padic_cdt_plan *plan;
    double all = 0, worst = 0;
    state first;
    REQUIRE(!padic_cdt_plan_create(NULL, desc, &plan));
    const padici_cdt_rules *rules = &plan->rules;
    const uint32_t least = rules->least;
    states = (state *)calloc(STATES, sizeof *states);
    state_count = 0;
    memset(&first, 0, sizeof first);
    memset(sum, 0, sizeof sum);
    first.r = plan->replicas[0];
    REQUIRE(first.r.vertices <= 8);
    const size_t triangles = (size_t)padici_cdt_triangles(rules, first.r.vertices);
    memcpy(first.records, first.r.records, triangles * (rules->sphere ? 32 : 8));
    memcpy(first.places, first.r.places, 4 * (size_t)first.r.vertices);
    memcpy(first.lengths, first.r.lengths, 4 * (size_t)rules->desc.slices);
    own(&first);
    number_of(rules, &first);
    for (uint32_t i = 0; i < state_count; i++) // all that are reached
        for (uint32_t kind = 0; kind < 3; kind++)
            for (uint32_t p = 0; p < places_of(rules, &states[i], kind); p++) {
                state copy;
                copy_state(&copy, &states[i]);
                if (attempt(rules, &copy, kind, p, 0)) number_of(rules, &copy);
            }
    CHECK(state_count < STATES);
    for (uint32_t i = 0; i < state_count; i++) {
        state *s = &states[i];
        const double n2 = (double)padici_cdt_triangles(rules, s->r.vertices);
        s->weight = exp(-action(&rules->desc, n2)) / s->automorphisms;
        sum[s->r.vertices - least] += 1.0 / s->automorphisms;
        all += s->weight;
    }
    for (uint32_t i = 0; i < sizes; i++) CHECK_NEAR(sum[i], exact[i], 1e-9);
    for (uint32_t i = 0; i < state_count; i++)
        for (uint32_t kind = 0; kind < 3; kind++) {
            const uint32_t places = places_of(rules, &states[i], kind);
            const double flow =
                states[i].weight / all * kind_probability(rules, kind) / places;
            for (uint32_t p = 0; p < places; p++) {
                const double accepted = acceptance(rules, &states[i], kind, p);
                state copy;
                copy_state(&copy, &states[i]);
                states[i].in += flow * (1 - accepted);
                if (accepted > 0 && attempt(rules, &copy, kind, p, 0))
                    states[number_of(rules, &copy)].in += flow * accepted;
            }
        }
    for (uint32_t i = 0; i < state_count; i++) {
        const double off = fabs(states[i].in - states[i].weight / all);
        if (off > worst) worst = off;
    }
    CHECK(worst < 1e-8);
    free(states);
    padic_cdt_plan_destroy(plan);
}

TEST(torus) // T = 2, N0 = 2 to 5
{
    static const double exact[5] = {1, 4, 15, 56, 210};
    padic_cdt_plan_desc desc = PADIC_ZERO;
    desc.slices = 2;
    desc.min_length = 1;
    desc.volume = PADIC_CDT_VOLUME_WINDOW;
    desc.target = 4;
    desc.window_max = 10;
    desc.lambda = 0.9;
    ensemble(&desc, exact, 4);
    desc.weight_flip = 3;
    desc.weight_insert = 7;
    desc.weight_delete = 5;
    ensemble(&desc, exact, 4);
    desc.volume = PADIC_CDT_VOLUME_ABS;
    desc.target = 6;
    desc.epsilon = 0.3;
    desc.capacity = 10;
    ensemble(&desc, exact, 4);
    desc.volume = PADIC_CDT_VOLUME_SQUARE;
    desc.epsilon = 0.05;
    desc.lambda = -0.4;
    ensemble(&desc, exact, 4);
}

TEST(torus_of_one) // T = 1 and 3
{
    static const double one[6] = {1, 3, 10, 35, 126, 462}, three[4] = {1, 6, 27, 111};
    padic_cdt_plan_desc desc = PADIC_ZERO;
    desc.min_length = 1;
    desc.volume = PADIC_CDT_VOLUME_WINDOW;
    desc.slices = 1;
    desc.target = 2;
    desc.window_max = test_tiny ? 10 : 12;
    desc.lambda = 0.7;
    for (uint32_t i = 0; i < 6; i++) CHECK(one[i] > 0);
    ensemble(&desc, one, test_tiny ? 5 : 6);
    desc.slices = 3;
    desc.target = 6;
    desc.window_max = test_tiny ? 10 : 12;
    ensemble(&desc, three, test_tiny ? 3 : 4);
}

TEST(sphere) // N0 = 4 to 7
{
    // Tutte's numbers over 2 N1 = 6 (n + 1), n = N0 - 3
    static const double exact[4] = {1 / 12.0, 3 / 18.0, 13 / 24.0, 68 / 30.0};
    padic_cdt_plan_desc desc = PADIC_ZERO;
    desc.kind = PADIC_CDT_KIND_EUCLID_SPHERE;
    desc.volume = PADIC_CDT_VOLUME_WINDOW;
    desc.window_max = 10;
    desc.lambda = 0.8;
    ensemble(&desc, exact, 4);
    desc.volume = PADIC_CDT_VOLUME_ABS;
    desc.lambda = 1.2;
    desc.target = 8;
    desc.capacity = 10;
    desc.epsilon = 0.2;
    desc.weight_flip = 2;
    desc.weight_insert = 2;
    desc.weight_delete = 3;
    ensemble(&desc, exact, 4);
}

TEST(thresholds) // round(2^32 q e^-x), at most 2^33
{
    const int rounds = test_amount(3000, 100000, 2000000);
    CHECK_EQ(padici_cdt_threshold(0, 1, 1), (uint64_t)1 << 32);
    CHECK_EQ(padici_cdt_threshold(0, 1000, 1), (uint64_t)1 << 33);
    CHECK_EQ(padici_cdt_threshold(-(INT64_C(1) << 62), 1, 1000), (uint64_t)1 << 33);
    CHECK_EQ(padici_cdt_threshold(INT64_C(1) << 62, 1000, 1), 0);
    CHECK_EQ(padici_cdt_threshold(2 * padici_cdt_fixed(0.6931471805599453), 4, 1),
             (uint64_t)1 << 32); // the default weights accept every insertion
    for (int i = 0; i < rounds; i++) {
        const uint32_t above = 1 + (uint32_t)(test_random() % 1000);
        const uint32_t below = 1 + (uint32_t)(test_random() % 1000);
        const int64_t x = (int64_t)(test_random() >> 3) - (INT64_C(1) << 60);
        const double value = 4294967296.0 * above / below * exp(-(double)x / 72057594037927936.0);
        const double found = (double)padici_cdt_threshold(x, above, below);
        if (value < 8589934592.0)
            CHECK_NEAR(found, value, 0.51 + 2e-15 * value * 20);
        else
            CHECK_NEAR(found, 8589934592.0, 1);
    }
    CHECK_EQ((uint64_t)padici_cdt_fixed_times(INT64_C(1) << 60, 9), (uint64_t)1 << 61);
    CHECK_EQ((uint64_t)padici_cdt_fixed_times(-3, 5), (uint64_t)-INT64_C(15));
    CHECK_EQ((uint64_t)padici_cdt_fixed(-0.5), (uint64_t)-(INT64_C(1) << 55));
}

TEST_MAIN("cdt_balance", CASE(torus), CASE(torus_of_one), CASE(sphere), CASE(thresholds))
