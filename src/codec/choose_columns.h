#pragma once
#include "../core/platform.h"
#include "choose_form.h"
#include "differences.h"
#include "streams.h"

#ifndef PADIC_NO_CODEC

PADICI_FN uint32_t padici_choose_columns(padici_work *w, const padici_box *box);
PADICI_FN size_t padici_pack_columns(padici_work *w, const padici_box *box,
                                     const padici_bound *bound, uint32_t columns, size_t whole);
PADICI_FN uint64_t padici_columns_differ(padici_work *w, const padici_box *box, uint32_t columns);

#endif
