#pragma once
#include "../core/platform.h"
#include "choose_prediction.h"
#include "differences.h"
#include "streams.h"

#ifndef PADIC_NO_CODEC

PADICI_FN PADICI_NOINLINE uint32_t padici_choose_predictors(const padici_work *w,
                                                            const padici_box *box, uint64_t *x,
                                                            uint64_t *z, padici_choice *best,
                                                            uint32_t room);

#endif
