#include "pack_layers.h"
#include "../core/words.h"
#include "block_decode.h"
#include "choose_transform.h"
#include "choose_matches.h"
#include "choose_profiles.h"
#include "pack_tolerance.h"
#include "pack_check.h"
#include "pack_load.h"
#include "pack_prove.h"

#if PADICI_IMPLEMENT_CODEC

// ---- packing: the layers of a block

// 1 if the previous layer came out as when it was emitted: the reader has that one.
static int padici_codec_layer_stands(const padici_codec_packing *packing,
                                     const padici_codec_work *w, uint64_t index)
{
    const uint64_t total = packing->header.grid.total;
    const uint64_t *place = packing->places + (index - packing->first);
    return !packing->above ||
           padici_load64(packing->above + place[-(int64_t)total] + 8) == w->digest;
}

// Packs one block, layer by layer up to the emitted one. The last payload is in w->payload, the
// decoded block in w->raw.
PADICI_FN PADICI_NOINLINE size_t padici_codec_pack_layers(padici_codec_packing *packing,
                                                          padici_codec_work *w, uint64_t index,
                                                          padici_codec_box *box, uint32_t *rows)
{
    const uint64_t reencoded = w->reencoded;
    uint32_t layer;
    size_t size = 0;
    *rows = padici_codec_load_behind(packing, w, index, box);
    padici_codec_load_reference(w, &packing->reference, &packing->header.grid, index);
    for (layer = 0; layer <= packing->layer; layer++) {
        padici_codec_tolerance tolerance = padici_codec_block_tolerance(packing, layer, index);
        w->reencoded = reencoded; // earlier layers were counted when they were emitted
        if (layer) {
            // a layer that came closer than required is not made worse
            double worst;
            (void)padici_codec_load_block(packing, index, w->record, box);
            worst = padici_codec_down(padici_codec_differ(box, w->raw, w->record, 0));
            if (tolerance.mode == PADIC_CODEC_TOLERANCE_ABSOLUTE ||
                tolerance.mode == PADIC_CODEC_TOLERANCE_RANGE) {
                if (worst < tolerance.absolute) tolerance.absolute = worst;
                if (!(tolerance.absolute > 0)) tolerance.mode = PADIC_CODEC_TOLERANCE_NONE;
            }
            padici_codec_next_layer(w, box, index);
            (void)padici_codec_load_block(packing, index, w->raw, box);
        }
        if (layer == packing->layer && !padici_codec_layer_stands(packing, w, index)) {
            size = padici_codec_reencode(w, box);
            break;
        }
        size = padici_codec_pack_block(w, box, &tolerance);
        size = padici_codec_prove_block(packing, w, box, &tolerance, index, size);
    }
    if (packing->measuring) w->reencoded = reencoded;
    return size;
}

// Stores a decoded block in the window, for the following ones.
PADICI_FN void padici_codec_keep_decoded(padici_codec_packing *packing, padici_codec_work *w,
                                         const padici_codec_box *box, uint64_t index)
{
    const uint32_t span = packing->header.grid.span, slot = (uint32_t)(index % span);
    padici_codec_kept *kept = packing->kept + index / span % packing->supers;
    uint32_t *picks = kept->picks + kept->picked[slot];
    uint8_t *place = kept->history + kept->starts[slot] * box->size;
    kept->picked[slot + 1] =
        kept->picked[slot] + padici_codec_pick_past(w, box, place, kept->starts[slot], picks);
}

// Whether blocks follow the first of their group.
PADICI_FN int padici_codec_hints(const padici_codec_packing *packing)
{
    const uint32_t follow = packing->work->policy->hints.follow;
    return follow && (follow == 1 || !packing->forced) &&
           packing->tolerance.mode == PADIC_CODEC_TOLERANCE_NONE && packing->header.layers == 1 &&
           !packing->reference.data && !padici_codec_in_turn(packing) &&
           packing->header.grid.capacity >= PADICI_CODEC_SAMPLE_RUNS * PADICI_CODEC_SAMPLE_RUN;
}

// A block's place in its group, which lies in one super-block.
PADICI_FN uint32_t padici_codec_hint_place(const padici_codec_packing *packing, uint64_t index)
{
    const uint32_t span = packing->header.grid.span;
    return (uint32_t)(span > 1 ? index % span : index) % PADICI_CODEC_HINT_GROUP;
}

// The choice of the group's first block; repeated where another worker packed it.
PADICI_FN void padici_codec_take_hint(padici_codec_packing *packing, padici_codec_work *w,
                                      uint64_t index)
{
    const uint32_t place = padici_codec_hint_place(packing, index);
    const uint64_t group = index - place;
    padici_codec_hint *hint = w->hint;
    hint->use = 0;
    if (!padici_codec_hints(packing)) return;
    if (hint->group != group + 1 && packing->hint.group == group + 1) {
        *hint = packing->hint;
    } else if (hint->group != group + 1) {
        memset(hint, 0, sizeof *hint);
        hint->group = group + 1;
        hint->lead = 1;
        if (place) {
            uint8_t *const own = w->raw;
            padici_codec_box box;
            (void)padici_codec_load_behind(packing, w, group, &box);
            (void)padici_codec_pack_block(w, &box, &packing->tolerance);
            w->raw = own;
        }
    }
    if (place) hint->lead = 0;
    hint->use = hint->found && !hint->lead;
}

#endif
