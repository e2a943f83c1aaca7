#include "choose_columns.h"
#include "../core/words.h"
#include "block_decode.h"
#include "choose_sizes.h"
#include "constants.h"
#include "transforms.h"
#include "pack_block.h"
#include "repeats.h"

#if PADICI_IMPLEMENT_CODEC

// ---- the packer's choices: columns

// Columns of a block: its last axis if that is short, otherwise the most similar distance. 0: none.
PADICI_FN uint32_t padici_codec_choose_columns(padici_codec_work *w, const padici_codec_box *box)
{
    const size_t lag = PADICI_CODEC_MAX_COLUMNS / 4, stretch = PADICI_CODEC_SAMPLE_RUN;
    const uint32_t last = box->extent[box->rank - 1];
    uint64_t cost, first = 0, least = UINT64_MAX;
    uint32_t best = 0, s, run;
    padici_codec_transform plain;
    if (last > 1 && box->rank > 1) return last <= lag && box->n >= 256 * (size_t)last ? last : 0;
    if (!w->policy->transforms.distances || box->n < 64 * lag) return 0;
    memset(&plain, 0, sizeof plain);
    plain.step = 1;
    for (s = 0; s < box->n; s++)
        w->words[s] = padici_codec_to_ordered(
            box->dtype, padici_codec_element(w->raw, s, box->size), box->size);
    for (s = 1; s <= lag; s++) {
        size_t at = 0, i;
        for (run = 0; run < PADICI_CODEC_SAMPLE_RUNS; run++) {
            const size_t from = lag + (size_t)((uint64_t)(box->n - stretch - lag) * run /
                                               (PADICI_CODEC_SAMPLE_RUNS - 1));
            for (i = from; i < from + stretch; i++)
                w->trial[at++] = padici_codec_fold(w->words[i] - w->words[i - s]);
        }
        cost = padici_codec_bucket_cost(w->loops, w->trial, at);
        if (s == 1) first = cost;
        if (cost < least - least / 64) { // a multiple of the stride must pay
            least = cost;
            best = s;
        }
    }
    return best > 1 && least < first - first / 16 ? best : 0;
}

// Each column by itself; the whole block's payload is in w->payload. Returns the payload's size.
PADICI_FN size_t padici_codec_pack_columns(padici_codec_work *w, const padici_codec_box *box,
                                           const padici_codec_tolerance *tolerance,
                                           uint32_t columns, size_t whole)
{
    const int may_plain = w->may_plain;
    const padici_codec_hint hint = *w->hint;
    uint8_t *source = w->raw;
    size_t at = 5, i;
    uint32_t k;
    memcpy(w->kept, w->payload, whole);
    w->raw = w->record;
    w->record = source;
    w->stack[0] = PADICI_CODEC_TRANSFORM_COLUMNS;
    w->column = 1;
    w->may_plain = 0; // nor is PLAIN allowed
    padici_store32(w->stack + 1, columns);
    w->behind = 0; // a column has no window
    w->slot = 0;
    memset(w->hint, 0, sizeof *w->hint); // nor the block's axes
    for (k = 0; k < columns && at; k++) {
        padici_codec_box column;
        size_t size;
        padici_codec_column_box(box, columns, k, &column);
        for (i = 0; i < column.n; i++)
            memcpy(w->raw + i * box->size, source + (i * columns + k) * box->size, box->size);
        size = padici_codec_pack_whole(w, &column, tolerance);
        if (at + 4 + size + PADICI_CODEC_PAYLOAD_PAD >= whole) {
            at = 0;
        } else {
            padici_store32(w->stack + at, (uint32_t)size);
            memcpy(w->stack + at + 4, w->payload, size);
            at += 4 + size;
        }
    }
    w->record = w->raw;
    w->raw = source;
    w->column = 0;
    w->may_plain = may_plain;
    *w->hint = hint;
    if (at) {
        memset(w->stack + at, 0, PADICI_CODEC_PAYLOAD_PAD);
        whole = at + PADICI_CODEC_PAYLOAD_PAD;
        memcpy(w->payload, w->stack, whole);
    } else {
        memcpy(w->payload, w->kept, whole);
    }
    return whole;
}

// The difference between columns, in 1/256 bits per value: the additional cost of the magnitude
// buckets of their differences in one histogram over one for each (of up to 8).
PADICI_FN uint64_t padici_codec_columns_differ(padici_codec_work *w, const padici_codec_box *box,
                                               uint32_t columns)
{
    const uint32_t taken = columns < 8 ? columns : 8;
    const size_t records = box->n / columns, stretch = 16, runs = 16;
    uint64_t apart = 0, joined;
    size_t at = 0, run, i;
    uint32_t k;
    if (records < 2 * runs * stretch) return 0;
    for (k = 0; k < taken; k++) {
        const size_t column = (size_t)k * columns / taken, before = at;
        for (run = 0; run < runs; run++) {
            const size_t from = (records - stretch - 1) * run / (runs - 1);
            uint64_t last = 0;
            for (i = 0; i <= stretch; i++) {
                const uint64_t x = padici_codec_to_ordered(
                    box->dtype,
                    padici_codec_element(w->raw, (from + i) * columns + column, box->size),
                    box->size);
                if (i) w->trial[at++] = padici_codec_fold(x - last);
                last = x;
            }
        }
        apart += padici_codec_bucket_cost(w->loops, w->trial + before, at - before);
    }
    joined = padici_codec_bucket_cost(w->loops, w->trial, at);
    return joined > apart ? (joined - apart) / at : 0;
}

#endif
