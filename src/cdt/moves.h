#pragma once
#include "../core/platform.h"
#include "../core/words.h"
#include "plan.h"

#ifndef PADIC_NO_CDT

// One attempt, by the four words of its Philox block.

// A place of n, uniform but for n 2^-64.
PADICI_INLINE uint32_t padici_cdt_place(uint64_t word, uint64_t n)
{
    return (uint32_t)padici_mulhi64(word, n);
}

// Whether a move is accepted that is drawn from `from` places, and its inverse from `to`.
PADICI_INLINE uint32_t padici_cdt_accept(uint32_t word, uint64_t threshold, uint64_t from,
                                         uint64_t to)
{
    return (uint64_t)word * to < threshold * from; // below 2^62
}

PADICI_INLINE uint64_t padici_cdt_insert_threshold(const padici_cdt_replica *r)
{
    return r->insert[r->vertices >= r->target];
}

PADICI_INLINE uint64_t padici_cdt_remove_threshold(const padici_cdt_replica *r)
{
    return r->remove[r->vertices > r->target];
}

// Which kind of move a word asks for.
PADICI_INLINE uint32_t padici_cdt_kind(const padici_cdt_rules *rules, uint32_t word)
{
    const uint32_t at = (uint32_t)(((uint64_t)word * rules->moves) >> 32);
    return (uint32_t)(at >= rules->flips) + (uint32_t)(at >= rules->inserts);
}

// Whether there is room for another vertex; a refusal by the capacity is counted.
PADICI_INLINE uint32_t padici_cdt_room(const padici_cdt_rules *rules, padici_cdt_replica *r)
{
    if (PADICI_LIKELY(r->vertices < r->to)) return 1;
    r->refused += rules->by_capacity;
    return 0;
}

PADICI_FN void padici_cdt_torus_begin(const padici_cdt_rules *rules, padici_cdt_replica *r);
PADICI_FN void padici_cdt_torus_insert(padici_cdt_replica *r, uint32_t link);
PADICI_FN uint32_t padici_cdt_torus_attempt(const padici_cdt_rules *rules, padici_cdt_replica *r,
                                            uint32_t kind, uint64_t place, uint32_t word);
PADICI_FN void padici_cdt_sphere_begin(padici_cdt_replica *r);
PADICI_FN void padici_cdt_sphere_insert(padici_cdt_replica *r, uint32_t triangle);
PADICI_FN uint32_t padici_cdt_sphere_attempt(const padici_cdt_rules *rules, padici_cdt_replica *r,
                                             uint32_t kind, uint64_t place, uint32_t word);

// Half-edges of a triangle.
PADICI_INLINE uint32_t padici_cdt_next(uint32_t h)
{
    return (h & 3) == 2 ? h - 2 : h + 1;
}

PADICI_INLINE uint32_t padici_cdt_previous(uint32_t h)
{
    return (h & 3) == 0 ? h + 2 : h - 1;
}

#endif
