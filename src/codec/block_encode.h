#pragma once
#include "../core/platform.h"
#include "block_decode.h"
#include "bytes.h"
#include "choose_transform.h"
#include "differences.h"
#include "transforms.h"
#include "loops.h"
#include "streams.h"

#ifndef PADIC_NO_CODEC

PADICI_FN void padici_codec_put_plan(padici_codec_writer *out, const padici_codec_plan *plan);
PADICI_FN void padici_codec_put_payload(padici_codec_work *w, const padici_codec_box *box,
                                        padici_codec_plan *plan, const uint64_t *z, size_t repeats,
                                        size_t exceptions);
PADICI_FN size_t padici_codec_payload_room(size_t elements);
PADICI_FN PADICI_NOINLINE void padici_codec_keep_payload(padici_codec_work *w);

// A transform and its cost on the sampled stretches: the best of plain, delta and 2-D Lorenzo.
typedef struct padici_codec_transform_choice {
    padici_codec_transform transform;
    uint64_t cost;
} padici_codec_transform_choice;

PADICI_FN void padici_codec_find_coset(const padici_codec_loops *loops, const uint64_t *x, size_t n,
                                       padici_codec_transform *transform);
PADICI_FN PADICI_NOINLINE uint32_t padici_codec_choose_transforms(
    padici_codec_work *w, const padici_codec_box *box, const padici_codec_tolerance *tolerance,
    padici_codec_transform_choice best[8]);
PADICI_FN void padici_codec_apply_coset(const padici_codec_loops *loops,
                                        const padici_codec_transform *transform, uint64_t *x,
                                        size_t n);
PADICI_FN void padici_codec_residuals(const padici_codec_loops *loops, uint64_t *x, size_t n,
                                      padici_codec_plan *plan, uint64_t *z);
PADICI_FN PADICI_NOINLINE void padici_codec_try_patterns(padici_codec_work *w,
                                                         const padici_codec_box *box,
                                                         const padici_codec_plan *start,
                                                         size_t exceptions);
PADICI_FN PADICI_NOINLINE void padici_codec_try_predictor(padici_codec_work *w,
                                                          const padici_codec_box *box,
                                                          const padici_codec_plan *start,
                                                          size_t exceptions);
PADICI_FN PADICI_NOINLINE void padici_codec_try_repeats(padici_codec_work *w,
                                                        const padici_codec_box *box,
                                                        const padici_codec_plan *start,
                                                        size_t least, size_t exceptions);
PADICI_FN int padici_codec_worth_repeats(padici_codec_work *w, const padici_codec_box *box,
                                         size_t least);

#endif
