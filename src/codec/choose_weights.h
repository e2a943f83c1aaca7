#pragma once
#include "../core/platform.h"
#include "choose_prediction.h"
#include "differences.h"
#include "streams.h"

#ifndef PADIC_NO_CODEC

PADICI_FN PADICI_NOINLINE uint32_t padici_codec_choose_predictors(const padici_codec_work *w,
                                                                  const padici_codec_box *box,
                                                                  uint64_t *x, uint64_t *z,
                                                                  padici_codec_choice *best,
                                                                  uint32_t room);

#endif
