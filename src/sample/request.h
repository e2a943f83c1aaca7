#pragma once
#include "../context/view_task.h"
#include "../core/platform.h"
#include "checks.h"
#include "driver.h"
#include "sample.h"

#ifndef PADIC_NO_SAMPLE

enum { // views of a request, and operands of its call
    PADICI_SAMPLE_OUT = 0,
    PADICI_SAMPLE_INDEX = 1,
    PADICI_SAMPLE_KEYS = 2
};

// A call of one base, or of the points of several dimensions: a row of src/ops.def each. What is
// computed is one coordinate after another.
typedef struct padici_sample_request {
    padici_view_task task;
    // every call sets these
    padic_tensor out, index;  // index without memory: first, first + 1, ...
    padic_sample_scrambling scrambling;
    // 0 at first
    const char *name;         // of the operation
    const char *index_name;   // of the field
    uint32_t op;
    uint32_t needs_index;
    padic_sample_digits digits;
    padic_sample_layout layout;
    uint64_t first;
    uint64_t n;               // of a Hammersley set; 0: none
    uint32_t single, base;    // 1: of one base
    uint32_t dimension;       // 0: of those from this one on
    uint32_t levels;          // of a shuffle; 0: all
    padici_sample_job job;    // of every coordinate, but for its base and its place
    // found by the check:
    padici_sample_radix radix; // of one base
    uint64_t points;
    uint32_t dimensions, axis; // axis: of the coordinates
    uint32_t outside;          // 1: an index was above the largest
} padici_sample_request;

PADICI_FN void padici_sample_request_begin(padici_sample_request *q, const char *name, uint32_t op);
PADICI_FN padic_result padici_sample_coordinate(const padici_sample_request *q, uint64_t c,
                                                padici_sample_job *job, padici_sample_radix *x,
                                                padici_sample_keys *keys);
PADICI_FN padici_sample_keys padici_sample_request_keys(const padici_sample_request *q);
PADICI_FN uint64_t padici_sample_offset(const padici_sample_request *q, uint64_t c);
PADICI_FN padic_result padici_sample_request_run(padic_context *context, padici_sample_request *q);

#endif
