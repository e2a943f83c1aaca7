#pragma once
#include "../core/platform.h"
#include "plan.h"

#ifndef PADIC_NO_CDT

PADICI_FN uint64_t padici_cdt_check_bytes(const padici_cdt_rules *rules, uint64_t vertices);
PADICI_FN padic_cdt_fault padici_cdt_check_replica(const padici_cdt_rules *rules,
                                                   const padici_cdt_replica *r, void *scratch,
                                                   uint64_t *label);
PADICI_FN padic_result padici_cdt_corrupt(padic_context *context, padic_cdt_fault fault,
                                          uint64_t replica, uint64_t label,
                                          padic_cdt_check_report *report);

#endif
