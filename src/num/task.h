#pragma once
#include "../context/state.h"
#include "../core/platform.h"
#include "array.h"

#ifndef PADIC_NO_NUM

#define PADICI_NUM_SILENT \
    "an element has no result, and there is neither status nor sticky to say which"

#define PADICI_NUM_OTHERS 4
// The memory slots of a call: the planes of out, a, b and c, three each, the status bytes, the word
// that takes status bits, the other operands.
#define PADICI_NUM_STATUS 12u
#define PADICI_NUM_STICKY 13u
#define PADICI_NUM_OTHER 14u
#define PADICI_NUM_SLOTS 18u

#define PADICI_NUM_CHUNKS 64u // so that the bits of all chunks fit on the stack

// An operation on whole arrays. The caller sets kernel, k, dtype, ... of `call`, the arrays (NULL:
// none) and the loop; padici_num_run() does the rest. Other operands are dense tensors with
// other_each[j] elements for each number, found by the loop in call->other[j]; the dtype of the
// first is call->dtype.
typedef struct padici_num_task padici_num_task;
struct padici_num_task {
    padic_num_call call;
    const padic_num_array *out, *a, *b, *c;
    const padic_tensor *other[PADICI_NUM_OTHERS];
    uint64_t other_each[PADICI_NUM_OTHERS]; // 0: 1
    uint32_t other_planes;      // bit j: other[j] has shape (other_each[j], count), not the reverse
    uint64_t c_count;                       // c has this many elements and does not advance ...
    uint32_t c_moves;                       // 1: ... or advances with the others
    uint32_t c_out; // 1: c is the result of all elements of a (and b): one piece, one status byte
    uint32_t other_dtypes[PADICI_NUM_OTHERS]; // allowed, 1 << dtype
    uint32_t other_out;         // bit j: other[j] is written
    const padic_tensor *status; // where there is no `out` array
    uint32_t *sticky;
    uint32_t composite; // 1: a composite radix is allowed
    uint32_t whole;      // 1: never split
    uint32_t free_rings; // 1: a and b may have different rings (precision, prime)
    uint32_t op; // row of src/ops.def
    void (*loop)(padic_num_call *call);
    void (*all)(padici_num_task *task); // replaces `loop`: everything, on the host
    const char *name;           // of the operation, and of its operands: out, a, b, c,
    const char *field[4];
    const char *other_field[PADICI_NUM_OTHERS];
    // of padici_num_run()
    padic_context *context;
    uint32_t checked;  // 1: operands are checked
    uint32_t report;   // 1: call.bits is needed, also on a device
    uint32_t said;     // 1: statuses of elements are reported to somebody
    void *status_plane, *sticky_word;
    uint64_t count, chunk;
    uint64_t workspace, workspace_pieces; // bytes for one piece, and how many pieces they serve
    padici_num_memory memory;
    // not cleared first from here on
    uint32_t bits[PADICI_NUM_CHUNKS];
};

PADICI_FN padic_num_call padici_num_part(const padici_num_task *task, uint64_t first,
                                         uint64_t count);
PADICI_FN void **padici_num_slot(padici_num_task *task, uint32_t slot);
PADICI_FN uint64_t padici_num_slot_step(const padici_num_task *task, uint32_t slot);
PADICI_FN int padici_num_has(padici_num_task *task, uint32_t slot);
PADICI_FN void padici_num_pieces(padici_num_task *task);
PADICI_FN padic_result padici_num_run(padic_context *context, padici_num_task *task);
PADICI_FN void padici_num_task_begin(padici_num_task *task, const char *name, uint32_t op,
                                     void (*loop)(padic_num_call *call), const padic_num_array *out,
                                     const padic_num_array *a, const padic_num_array *b,
                                     const padic_num_array *c);

#endif
