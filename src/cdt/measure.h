#pragma once
#include "../core/platform.h"
#include "plan.h"

#ifndef PADIC_NO_CDT

PADICI_FN void padici_cdt_corners(const padici_cdt_rules *rules, const padici_cdt_replica *r,
                                  uint32_t *corner);

#endif
