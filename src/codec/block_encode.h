#pragma once
#include "../core/platform.h"
#include "block_decode.h"
#include "bytes.h"
#include "choose_form.h"
#include "differences.h"
#include "forms.h"
#include "loops.h"
#include "streams.h"

#ifndef PADIC_NO_CODEC

PADICI_FN void padici_put_plan(padici_writer *out, const padici_plan *plan);
PADICI_FN void padici_put_payload(padici_work *w, const padici_box *box, padici_plan *plan,
                                  const uint64_t *z, size_t repeats, size_t exceptions);
PADICI_FN size_t padici_payload_room(size_t elements);
PADICI_FN PADICI_NOINLINE void padici_keep_payload(padici_work *w);

// A form and what it costs on the sampled stretches: the best of plain, delta and 2-D Lorenzo.
typedef struct padici_form_choice {
    padici_form form;
    uint64_t cost;
} padici_form_choice;

PADICI_FN void padici_find_coset(const padici_codec_loops *loops, const uint64_t *x, size_t n,
                                 padici_form *form);
PADICI_FN PADICI_NOINLINE uint32_t padici_choose_forms(padici_work *w, const padici_box *box,
                                                       const padici_bound *bound,
                                                       padici_form_choice best[8]);
PADICI_FN void padici_apply_coset(const padici_codec_loops *loops, const padici_form *form,
                                  uint64_t *x, size_t n);
PADICI_FN void padici_residuals(const padici_codec_loops *loops, uint64_t *x, size_t n,
                                padici_plan *plan, uint64_t *z);
PADICI_FN PADICI_NOINLINE void padici_try_predictor(padici_work *w, const padici_box *box,
                                                    const padici_plan *start, size_t exceptions);
PADICI_FN PADICI_NOINLINE void padici_try_repeats(padici_work *w, const padici_box *box,
                                                  const padici_plan *start, size_t least,
                                                  size_t exceptions);
PADICI_FN int padici_worth_repeats(padici_work *w, const padici_box *box, size_t least);

#endif
