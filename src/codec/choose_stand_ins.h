#pragma once
#include "../core/platform.h"
#include "choose_form.h"
#include "differences.h"
#include "streams.h"

#ifndef PADIC_NO_CODEC

PADICI_FN int padici_serves(const padici_box *box, const padici_bound *bound, const uint8_t *a,
                            const uint8_t *b, size_t all);
PADICI_FN int padici_try_copy(padici_work *w, const padici_box *box, const padici_bound *bound);
PADICI_FN void padici_try_smooth(padici_work *w, const padici_box *box, const padici_bound *bound,
                                 int back);
PADICI_FN void padici_try_upper(padici_work *w, const padici_box *box);
PADICI_FN void padici_try_plain(padici_work *w, const padici_box *box);

#endif
