#pragma once
#include "../context/view_task.h"
#include "../core/platform.h"
#include "plan.h"

#ifndef PADIC_NO_CDT

enum { // outputs, in the order of the views
    PADICI_CDT_OUT_COUNTS,
    PADICI_CDT_OUT_PROFILE,
    PADICI_CDT_OUT_SUM,
    PADICI_CDT_OUT_PRODUCT,
    PADICI_CDT_OUT_ORDER,
    PADICI_CDT_OUT_SHELLS,
    PADICI_CDT_OUT_RETURNS,
    PADICI_CDT_OUTS // then the memory of the chains
};

typedef struct padici_cdt_measure {
    padici_view_task task;
    padic_cdt_measure_desc desc; // its tensors are where the work finds them
    padic_tensor state;          // none if only counts are asked for
    uint32_t together; // an output has one row for all replicas
    uint32_t workers;  // each does every so many-th replica
    uint64_t room;     // bytes of scratch of each
    char *scratch;
} padici_cdt_measure;

PADICI_FN padic_tensor *padici_cdt_out(padici_cdt_measure *m, uint32_t i);
PADICI_FN padic_result padici_cdt_measure_work(padici_view_task *task);
PADICI_FN void padici_cdt_corners(const padici_cdt_rules *rules, const padici_cdt_replica *r,
                                  uint32_t *corner);

#endif
