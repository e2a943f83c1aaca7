#pragma once
#include "../core/platform.h"
#include "plan.h"

#ifndef PADIC_NO_CDT

// Nodes with their neighbours, and room for walks over them. Neighbours of node i are at
// neighbour[first[i]] to neighbour[first[i + 1] - 1].
typedef struct padici_cdt_nodes {
    uint32_t count;
    uint32_t *corner; // three vertices of each triangle
    uint32_t *first, *neighbour, *distance, *queue;
    double *now, *next;
} padici_cdt_nodes;

PADICI_FN uint64_t padici_cdt_nodes_bytes(const padici_cdt_rules *rules);
PADICI_FN void padici_cdt_nodes_place(const padici_cdt_rules *rules, void *memory,
                                      padici_cdt_nodes *nodes);
PADICI_FN void padici_cdt_nodes_dual(const padici_cdt_rules *rules, const padici_cdt_replica *r,
                                     padici_cdt_nodes *nodes);
PADICI_FN void padici_cdt_nodes_vertices(const padici_cdt_rules *rules,
                                         const padici_cdt_replica *r, padici_cdt_nodes *nodes);
PADICI_FN void padici_cdt_nodes_shells(padici_cdt_nodes *nodes, uint32_t root, uint64_t *out,
                                       uint64_t n);
PADICI_FN void padici_cdt_nodes_returns(padici_cdt_nodes *nodes, uint32_t root, double *out,
                                        uint64_t n, double weight);

#endif
