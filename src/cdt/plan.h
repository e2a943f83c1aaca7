#pragma once
#include "../core/platform.h"
#include "threshold.h"

#ifndef PADIC_NO_CDT

// Most triangles: 2 h + 1 of a half-edge h < 4 N2 fits 32 bits.
#define PADICI_CDT_CAPACITY ((uint64_t)1 << 28)
#define PADICI_CDT_ATTEMPT 10u // purposes of random words: an attempt of a chain,
#define PADICI_CDT_ROOT 11u    // the root of an observable

// What all replicas of a plan share: the desc with its defaults filled in.
typedef struct padici_cdt_rules {
    padic_cdt_plan_desc desc; // without its tensors
    uint32_t sphere;
    uint32_t least, most;     // vertices: of the smallest state, of the capacity
    uint32_t flips, inserts, moves; // of `moves` kinds the first are flips, those before `inserts`
                                    // flips or insertions
    uint32_t by_capacity; // what refuses insertions is the capacity, not the window
} padici_cdt_rules;

enum { // what kernels have of a replica between launches, in words of 64 bits
    PADICI_CDT_HEAD_VERTICES = 0,
    PADICI_CDT_HEAD_ATTEMPT = 1,  // the next
    PADICI_CDT_HEAD_ATTEMPTS = 2, // by kind
    PADICI_CDT_HEAD_ACCEPTED = 5,
    PADICI_CDT_HEAD_REFUSED = 8,
    PADICI_CDT_HEAD_INSERT = 9, // thresholds
    PADICI_CDT_HEAD_REMOVE = 11,
    PADICI_CDT_HEAD_LEFT = 13,   // attempts that are to be made
    PADICI_CDT_HEAD_VISITS = 14, // of the target, that are to be made
    PADICI_CDT_HEAD_FROM = 15,
    PADICI_CDT_HEAD_TO = 16,
    PADICI_CDT_HEAD_TARGET = 17,
    PADICI_CDT_HEAD_GOAL = 18, // to grow to
    PADICI_CDT_HEAD_STREAM = 19,
    PADICI_CDT_HEAD_LAMBDA = 20,
    PADICI_CDT_HEAD_EPSILON = 21,
    PADICI_CDT_HEAD = 22
};

// One chain. Its state:
//
//             records                                          places         lengths
//     torus   left and right neighbour of triangle x at 2 x    slice of a     links of a
//             and 2 x + 1; link i has triangles 2 i, 2 i + 1   link           slice
//     sphere  origin and opposite of half-edge h at 2 h and    a half-edge    none
//             2 h + 1; triangle t has h = 4 t, 4 t + 1,        that leaves
//             4 t + 2, and 4 t + 3 is unused                   a vertex
//
typedef struct padici_cdt_replica {
    uint32_t *records, *places, *lengths;
    uint32_t vertices;
    uint32_t from, to;        // a move may leave so many vertices
    uint32_t target;          // vertices; 0: none
    uint32_t moving;          // thresholds depend on the volume (SQUARE): set for `vertices`
    uint64_t insert[2], remove[2]; // E below the target (or anywhere) and from it on; removals up
                                   // to it and above it
    int64_t lambda, epsilon;  // 2 lambda and epsilon in units of 2^-56
    double lambda_given;
    uint64_t target_given;    // triangles
    uint64_t attempt;         // the next
    uint64_t attempts[PADIC_CDT_MOVES], accepted[PADIC_CDT_MOVES], refused;
    uint32_t stream;
} padici_cdt_replica;

struct padic_cdt_plan {
    padici_cdt_rules rules;
    padici_cdt_replica *replicas;
    uint64_t *heads;    // what kernels know of each replica, if `state` is set
    padic_tensor state; // the memory of the chains, if that is not here
    padic_allocator allocator;
    uint64_t size;   // bytes
    uint32_t placed; // in the caller's memory
};

PADICI_INLINE uint64_t padici_cdt_triangles(const padici_cdt_rules *rules, uint64_t vertices)
{
    return rules->sphere ? 2 * vertices - 4 : 2 * vertices;
}

PADICI_INLINE uint64_t padici_cdt_vertices(const padici_cdt_rules *rules, uint64_t triangles)
{
    return rules->sphere ? triangles / 2 + 2 : triangles / 2;
}

PADICI_FN padic_result padici_cdt_rules_make(padic_context *context,
                                             const padic_cdt_plan_desc *desc,
                                             padici_cdt_rules *rules);
PADICI_FN padic_result padici_cdt_law_check(padic_context *context, const padici_cdt_rules *rules,
                                            double lambda, uint64_t target);
PADICI_FN uint64_t padici_cdt_stride(const padici_cdt_rules *rules, uint64_t part[3]);
PADICI_FN uint64_t padici_cdt_state_bytes(const padici_cdt_rules *rules);
PADICI_FN uint64_t padici_cdt_plan_bytes(const padici_cdt_rules *rules, int apart);
PADICI_FN padic_cdt_plan *padici_cdt_plan_place(void *memory, const padici_cdt_rules *rules,
                                                const padic_tensor *state);
PADICI_FN void padici_cdt_state_view(const padic_cdt_plan *plan, uint64_t first, uint64_t count,
                                     padic_tensor *view);
PADICI_FN void padici_cdt_state_reach(const padic_cdt_plan *plan, uint64_t first, uint64_t count,
                                      const padic_tensor *view);
PADICI_FN void padici_cdt_law_set(const padici_cdt_rules *rules, padici_cdt_replica *r,
                                  double lambda, uint64_t target);
PADICI_FN void padici_cdt_law_follow(const padici_cdt_rules *rules, padici_cdt_replica *r);
PADICI_FN void padici_cdt_report(const padic_cdt_plan *plan, padic_cdt_plan_report *report);

#endif
