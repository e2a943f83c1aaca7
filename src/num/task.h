#pragma once
#include "../context/state.h"
#include "../core/platform.h"
#include "array.h"

#ifndef PADIC_NO_NUM

#define PADICI_NUM_SILENT \
    "an element has no result, and there is neither status nor sticky to say which"

#define PADICI_NUM_OTHERS 4
#define PADICI_NUM_CHUNKS 64u // so that the bits of all chunks fit on the stack

// A range of memory that a call uses.
typedef struct padici_num_range {
    uintptr_t begin, end;
    uint32_t kind; // planes of the same kind may be the same range; 0: may not
    uint32_t out;
} padici_num_range;

// An operation on whole arrays. The caller sets kernel, k, dtype, ... of `call`, the arrays (NULL:
// none) and the loop; padici_num_run() does the rest. Other operands are dense tensors with
// other_each[j] elements for each number, found by the loop in call->other[j]; the dtype of the
// first is call->dtype.
typedef struct padici_num_task {
    padic_num_call call;
    const padic_num_array *out, *a, *b, *c;
    const padic_tensor *other[PADICI_NUM_OTHERS];
    uint64_t other_each[PADICI_NUM_OTHERS]; // 0: 1
    uint32_t other_planes;      // bit j: other[j] has shape (other_each[j], count), not the reverse
    uint64_t c_count;                       // c has this many elements, and stays where it is ...
    uint32_t c_moves;                       // 1: ... or moves on with the others
    uint32_t c_out; // 1: c is the result of all elements of a (and b): one piece, one status byte
    uint32_t other_dtypes[PADICI_NUM_OTHERS]; // allowed, 1 << dtype
    uint32_t other_out;         // bit j: other[j] is written
    const padic_tensor *status; // where there is no `out` array
    uint32_t *sticky;
    uint32_t composite; // 1: a composite radix will do
    uint32_t whole;      // 1: never cut into pieces
    uint32_t free_rings; // 1: a and b may have rings of their own (precision, prime)
    void (*loop)(padic_num_call *call);
    const char *name;           // of the operation, and of its operands: out, a, b, c,
    const char *field[4];
    const char *other_field[PADICI_NUM_OTHERS];
    // of padici_num_run()
    padic_context *context;
    padici_num_space space;
    uint32_t range_count;
    uint32_t *sticky_word;
    uint32_t report; // 1: on a device, too, call.bits is wanted
    uint64_t count, chunk;
    uint64_t workspace, workspace_pieces; // bytes for one piece, and for how many there are
    // from here on not cleared first
    padici_num_range ranges[PADICI_NUM_PLANES + 2];
    uint32_t bits[PADICI_NUM_CHUNKS];
} padici_num_task;

PADICI_FN padic_num_call padici_num_part(const padici_num_task *task, uint64_t first,
                                         uint64_t count);
PADICI_FN void padici_num_range_add(padici_num_range *list, uint32_t *n, const void *p,
                                    uint64_t bytes, uint32_t kind, uint32_t out);
PADICI_FN void padici_num_ranges(const padic_num_ring *r, const padic_num_planes *p, uint64_t count,
                                 uint32_t out, padici_num_range *list, uint32_t *n);
PADICI_FN PADICI_NOINLINE padic_result padici_num_overlap(const padici_num_range *list, uint32_t n);
PADICI_FN void padici_num_pieces(padici_num_task *task);
PADICI_FN void padici_num_redirect(const padici_num_task *task, char *base, const uint64_t *at,
                                   void **pointer);
PADICI_FN PADICI_NOINLINE uint64_t padici_num_range_size(const padici_num_range *range);
PADICI_FN PADICI_NOINLINE padic_result padici_num_copies(padici_num_task *task, char *base,
                                                         const uint64_t *at, int back);
PADICI_FN padic_result padici_num_device(padici_num_task *task);
PADICI_FN padic_result padici_num_run(padic_context *context, padici_num_task *task);
PADICI_FN void padici_num_task_begin(padici_num_task *task, const char *name, uint32_t kernel,
                                     void (*loop)(padic_num_call *call), const padic_num_array *out,
                                     const padic_num_array *a, const padic_num_array *b,
                                     const padic_num_array *c);

#endif
