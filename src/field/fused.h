#pragma once
#include "plan.h"

#ifndef PADIC_NO_FIELD

// A field on its way through split steps that few ways over memory make.
typedef struct padici_field_fused {
    padic_field_plan *plan; // NULL: such steps are none
    char *at;               // dense, complex, in psi's precision
    double owed;            // half a phase that is still to be done
    uint32_t mixed;         // all axes but the first are transformed
    uint32_t own;           // `at` is the plan's memory, not the caller's
} padici_field_fused;

PADICI_FN void padici_field_fused_begin(padic_field_plan *plan, padici_field_fused *fused);
PADICI_FN void padici_field_fused_take(padici_field_fused *fused, const padic_tensor *psi,
                                       uint64_t field);
PADICI_FN void padici_field_fused_give(const padici_field_fused *fused, const padic_tensor *psi,
                                       uint64_t field);
PADICI_FN void padici_field_fused_out(const padici_field_fused *fused);
PADICI_FN void padici_field_fused_in(const padici_field_fused *fused);
PADICI_FN void padici_field_fused_step(padici_field_fused *fused, double time, uint32_t which);
PADICI_FN void padici_field_fused_settle(padici_field_fused *fused);

#endif
