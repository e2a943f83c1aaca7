#pragma once
#include "../core/platform.h"
#include "choose_form.h"
#include "differences.h"
#include "streams.h"

#ifndef PADIC_NO_CODEC

PADICI_FN void padici_put_raw(padici_work *w, const padici_box *box);
PADICI_FN size_t padici_pack_raw(padici_work *w, const padici_box *box);
PADICI_FN size_t padici_pack_whole(padici_work *w, const padici_box *box,
                                   const padici_bound *bound);

#endif
