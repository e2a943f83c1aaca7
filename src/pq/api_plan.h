#pragma once

// A step of a decoder as one call: new keys get codes, the list of each query is made, attention
// goes over it. A plan holds the descs of the three and all their memory, so that a step allocates
// nothing; it gives the bytes of the three calls. Sizes of a plan are the most of a step: numbers
// of keys, of the best and of queries that differ by row or by step are values of key_counts,
// heavy_counts and query_counts, which a device has in its memory: there a step may be recorded
// after the first one, and a replay waits for nothing. Outside a recording a step waits for the
// answer whether the new keys had room, and for that alone.
//
//     padic_pq_plan_desc desc = PADIC_ZERO;
//     desc.append = ...; desc.select = ...; desc.attend = ...; // lists: the plan's own
//     padic_pq_plan_create(context, &desc, &plan);
//     for (;;) padic_pq_plan_step(plan, NULL);                 // on what the views hold now
//     padic_pq_plan_destroy(plan);
//
// It serves one call at a time. Its context and all memory of the descs must live as long.
typedef struct padic_pq_plan padic_pq_plan;

enum { // parts of a plan
    PADIC_PQ_PLAN_APPEND = 1,
    PADIC_PQ_PLAN_SELECT = 2,
    PADIC_PQ_PLAN_ATTEND = 4
};

typedef struct padic_pq_plan_desc {
    uint32_t parts;              // 0: all three
    padic_pq_append_desc append; // of the most new keys of a step
    padic_pq_select_desc select; // without views lists, lengths and status: the plan's own, in host
                                 // memory, or on the device if the queries are. Without a cache or
                                 // a codebook: those of append
    padic_pq_attend_desc attend; // without queries, lists or lengths: those of select. Workspaces
                                 // of the three must be zero
    padic_tensor workspace;      // U8 of rank 1, padic_pq_plan_size_bound() bytes of host memory,
                                 // on 64 bytes, for as long as the plan lives; zero: from the
                                 // allocator
} padic_pq_plan_desc;

// Returns the bytes of a plan at most; 0 if the desc makes no sense.
PADIC_API uint64_t padic_pq_plan_size_bound(padic_context *context,
                                            const padic_pq_plan_desc *desc);
// Errors: those of the three calls' descs. *plan is NULL then.
PADIC_API padic_result padic_pq_plan_create(padic_context *context, const padic_pq_plan_desc *desc,
                                            padic_pq_plan **plan);
// NULL: nothing.
PADIC_API void padic_pq_plan_destroy(padic_pq_plan *plan);

// What differs from the plan's descs in one step. A view has the dtype and the shape of that which
// it replaces, but new keys may be fewer; one without memory stays the plan's.
typedef struct padic_pq_plan_step_desc {
    padic_tensor new_keys; // of append
    padic_tensor queries;  // of select, and of attend where the plan's are
    padic_tensor keys, values, out; // of attend
    uint64_t key_count;    // of select; 0: the plan's
} padic_pq_plan_step_desc;

// desc NULL: nothing differs. Errors: ARGUMENT (no plan), MISMATCH, and of new keys those of
// padic_pq_append(): nothing is written then. If the selection or the attention of a step fails,
// the new keys stay; padic_pq_truncate() takes them back.
PADIC_API padic_result padic_pq_plan_step(padic_pq_plan *plan, const padic_pq_plan_step_desc *desc);

// The lists of the last step. Views that the plan has none of are zero.
typedef struct padic_pq_plan_report {
    uint64_t size; // bytes of the plan
    padic_tensor lists, lengths, status;
} padic_pq_plan_report;
PADIC_API padic_result padic_pq_plan_info(const padic_pq_plan *plan, padic_pq_plan_report *report);
