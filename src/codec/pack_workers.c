#include "pack_workers.h"
#include "../core/jobs.h"
#include "../core/words.h"
#include "block_decode.h"
#include "constants.h"
#include "differences.h"
#include "transforms.h"
#include "header.h"
#include "pack_layers.h"
#include "pack_load.h"
#include "pack_prove.h"
#include "streams.h"

#if PADICI_IMPLEMENT_CODEC

// ---- packing: workers take blocks in turn, and their frames go to their places

// Starts the next group, if there are slots and memory for it.
static padici_codec_work_group *padici_codec_begin_group(padici_codec_packing *packing)
{
    const uint32_t span = packing->header.grid.span, batch = packing->batch;
    const uint64_t first = packing->begun, last = packing->first + packing->count;
    const uint64_t super = (first / span + 1) * span;
    const int in_turn = padici_codec_in_turn(packing);
    padici_codec_work_group *group = packing->groups + packing->born % (2 * packing->workers);
    uint64_t end = first + 1, b;
    if (in_turn)
        end = super;
    else if (span > 1 || padici_codec_hints(packing))
        end = first + PADICI_CODEC_HINT_GROUP - padici_codec_hint_place(packing, first);
    if (span > 1 && end > super) end = super;
    if (end > last) end = last;
    if (end > first + batch) end = first + batch;
    if (first >= last || end > packing->copied + batch ||
        packing->born - packing->low >= 2 * packing->workers)
        return NULL;
    for (b = first; b < end; b++)
        if (packing->frames[b % batch]) return NULL;
    if (span > 1) {
        padici_codec_kept *kept = packing->kept + first / span % packing->supers;
        if (kept->loading || (kept->open && (in_turn || first % span == 0))) return NULL;
        if (first % span == 0) kept->loaded = 0;
        group->loads = kept->loading = !in_turn && first % span >= kept->loaded;
        kept->open += (uint32_t)(end - first);
    }
    group->number = packing->born++;
    group->next = first;
    group->end = packing->begun = end;
    group->busy = 0;
    return group;
}

// Chooses a worker's next step. It only waits, and briefly, while others are working, so that jobs
// may also run one after the other.
enum {
    PADICI_CODEC_TURN_NONE,
    PADICI_CODEC_TURN_COPY,
    PADICI_CODEC_TURN_PACK,
    PADICI_CODEC_TURN_WAIT
};

typedef struct padici_codec_work_turn {
    int lead; // of a group with a hint
    uint64_t block, number;
    padici_codec_work_group *group; // that number
} padici_codec_work_turn;

static int padici_codec_next_turn(padici_codec_packing *packing, padici_codec_work *w,
                                  padici_codec_work_turn *turn)
{
    const int windows = packing->header.grid.span > 1, in_turn = padici_codec_in_turn(packing);
    const uint32_t groups = 2 * packing->workers;
    padici_codec_work_group *group = turn->group, *other;
    uint64_t g;
    int wait = 0;
    while (packing->copied < packing->placed) {
        turn->block = packing->copied++;
        if (packing->frames[turn->block % packing->batch]) return PADICI_CODEC_TURN_COPY;
    }
    for (; packing->low < packing->born; packing->low++) {
        other = packing->groups + packing->low % groups;
        if (other->next < other->end) break;
    }
    if (!windows || !group || group->number != turn->number || group->next == group->end ||
        (group->busy && !in_turn))
        group = NULL; // it has none for its first worker
    turn->lead = 0;
    if (!group && packing->ready < packing->workers) {
        group = padici_codec_begin_group(packing);
        turn->lead = group != NULL && !in_turn;
    }
    for (g = packing->low; g < packing->born && !group; g++) {
        other = packing->groups + g % groups;
        if (other->next == other->end) continue;
        wait |= other->busy && !in_turn;
        if (!other->busy) group = other;
    }
    if (!group)
        return wait || packing->begun < packing->first + packing->count ? PADICI_CODEC_TURN_WAIT
                                                                        : PADICI_CODEC_TURN_NONE;
    turn->group = group;
    turn->number = group->number;
    turn->block = group->next++;
    if (!in_turn && !turn->lead) {
        *w->hint = group->hint;
        packing->ready--;
    }
    if (in_turn || turn->lead) group->busy = 1;
    return PADICI_CODEC_TURN_PACK;
}

// Lets other workers take blocks of the group.
static void padici_codec_free_group(padici_codec_packing *packing, const padici_codec_work *w,
                                    const padici_codec_work_turn *turn)
{
    padici_codec_work_group *group = turn->group;
    if (group->number != turn->number) return; // it had no more blocks
    group->busy = 0;
    if (!turn->lead) return;
    group->hint = *w->hint;
    packing->ready += group->end - group->next;
}

static void padici_codec_copy_frame(const padici_codec_packing *packing, uint64_t block,
                                    const uint8_t *frame)
{
    const padici_codec_sink *sink = &packing->sink;
    const uint64_t at = packing->places[block - packing->first];
    const size_t size = PADICI_CODEC_FRAME_SIZE + padici_load32(frame);
    if (at <= sink->capacity && size <= sink->capacity - at) memcpy(sink->dst + at, frame, size);
}

// Moves the frame of a packed block from w->payload to its place if that is known, otherwise to its
// slot. Then later frames may get their places.
static void padici_codec_end_turn(padici_codec_packing *packing, padici_codec_work *w,
                                  const padici_codec_work_turn *turn)
{
    const uint8_t *const frame = w->payload - PADICI_CODEC_FRAME_SIZE, *from;
    uint8_t *const slot = packing->staged + turn->block % packing->batch * packing->slot;
    const int together = !packing->sink.write;
    int direct;
    padici_lock(&packing->lock, PADICI_LOCK);
    direct = together && packing->placed == turn->block;
    if (!direct && slot != frame) {
        padici_lock(&packing->lock, PADICI_UNLOCK);
        memcpy(slot, frame, PADICI_CODEC_FRAME_SIZE + padici_load32(frame));
        padici_lock(&packing->lock, PADICI_LOCK);
    }
    packing->frames[turn->block % packing->batch] = direct ? frame : slot;
    if (packing->supers)
        packing->kept[turn->block / packing->header.grid.span % packing->supers].open--;
    if (w->policy->hints.follow && w->hint->group >= packing->last.group) packing->last = *w->hint;
    if (turn->lead) padici_codec_free_group(packing, w, turn);
    while (together && packing->placed < packing->begun &&
           (from = packing->frames[packing->placed % packing->batch]) != NULL) {
        if (from == frame) packing->frames[packing->placed % packing->batch] = NULL;
        packing->places[packing->placed++ - packing->first] = packing->sink.written;
        packing->sink.written += PADICI_CODEC_FRAME_SIZE + padici_load32(from);
        if (packing->measuring) packing->squares += padici_codec_double_of(padici_load64(from + 8));
    }
    padici_lock(&packing->lock, PADICI_UNLOCK);
    if (direct) padici_codec_copy_frame(packing, turn->block, frame);
}

static PADICI_NOINLINE void padici_codec_pack_one(padici_codec_packing *packing,
                                                  padici_codec_work *w, uint64_t index)
{
    uint8_t *const frame = w->payload - PADICI_CODEC_FRAME_SIZE, *const own = w->raw;
    const int in_turn = padici_codec_in_turn(packing);
    double squares = 0;
    uint32_t rows;
    padici_codec_box box;
    size_t size;
    padici_codec_take_hint(packing, w, index);
    size = padici_codec_pack_layers(packing, w, index, &box, &rows);
    padici_store32(frame, (uint32_t)size);
    padici_store32(frame + 4, rows);
    if (packing->measuring || packing->allowed > 0) {
        (void)padici_codec_load_block(packing, index, w->record, &box);
        squares = padici_codec_differ(&box, w->raw, w->record, 1);
        w->squares += squares;
    }
    padici_store64(frame + 8, packing->measuring
                                  ? padici_codec_bits_of(squares)
                                  : (*w->loops->checksum)(w->raw, box.n * box.size, index));
    if (in_turn) padici_codec_keep_decoded(packing, w, &box, index);
    // the elements were read in place; no other buffers were swapped then
    if (in_turn ||
        (packing->tolerance.mode == PADIC_CODEC_TOLERANCE_NONE && packing->header.layers == 1))
        w->raw = own;
}

// Loads the block, or of an exact super-block all that are not there yet. Without a hint others may
// take the rest of the group then.
static void padici_codec_load_turn(padici_codec_packing *packing, padici_codec_work *w,
                                   padici_codec_work_turn *turn)
{
    const uint32_t span = packing->header.grid.span;
    padici_codec_kept *kept = packing->kept + turn->block / span % packing->supers;
    uint64_t b = turn->block, last;
    if (padici_codec_in_turn(packing)) {
        padici_codec_load_kept(packing, w, b);
        return;
    }
    if (!turn->lead) return;
    if (turn->group->loads) {
        padici_lock(&packing->lock, PADICI_LOCK);
        last = packing->first + packing->count; // less, where a worker gave up waiting
        padici_lock(&packing->lock, PADICI_UNLOCK);
        do padici_codec_load_kept(packing, w, b);
        while (++b % span && b < last);
        padici_lock(&packing->lock, PADICI_LOCK);
        kept->loaded = (uint32_t)(b - turn->block + turn->block % span);
        kept->loading = 0;
        padici_lock(&packing->lock, PADICI_UNLOCK);
    }
    if (padici_codec_hints(packing)) return;
    padici_lock(&packing->lock, PADICI_LOCK);
    padici_codec_free_group(packing, w, turn);
    turn->lead = 0;
    padici_lock(&packing->lock, PADICI_UNLOCK);
}

static void padici_codec_pack_task(void *arg, uint32_t task)
{
    padici_codec_packing *packing = (padici_codec_packing *)arg;
    padici_codec_work *w = packing->work + task;
    uint32_t patience = 500;
    padici_codec_work_turn turn;
    int kind = PADICI_CODEC_TURN_NONE, stop = 0;
    memset(&turn, 0, sizeof turn);
    padici_lock(&packing->lock, PADICI_LOCK);
    while (!stop && (kind = padici_codec_next_turn(packing, w, &turn)) != PADICI_CODEC_TURN_NONE) {
        const uint8_t **frame = packing->frames + turn.block % packing->batch;
        if (kind == PADICI_CODEC_TURN_WAIT && !patience) break;
        padici_lock(&packing->lock, PADICI_UNLOCK);
        if (kind == PADICI_CODEC_TURN_WAIT) {
            padici_idle(200);
            patience--;
        } else if (kind == PADICI_CODEC_TURN_COPY) {
            padici_codec_copy_frame(packing, turn.block, *frame);
        } else {
            patience = 500;
            if (packing->supers) padici_codec_load_turn(packing, w, &turn);
            padici_codec_pack_one(packing, w, turn.block);
            padici_codec_end_turn(packing, w, &turn);
        }
        stop = padici_steps_more(&packing->steps, kind == PADICI_CODEC_TURN_PACK);
        padici_lock(&packing->lock, PADICI_LOCK);
        if (kind == PADICI_CODEC_TURN_COPY) *frame = NULL;
    }
    // the remaining blocks are open to all workers again
    if (kind == PADICI_CODEC_TURN_WAIT) packing->count = packing->begun - packing->first;
    padici_lock(&packing->lock, PADICI_UNLOCK);
}

// Packs blocks [first, first + count) and emits them; their offsets go to offsets[0..count).
PADICI_FN padic_result padici_codec_pack_blocks(padici_codec_packing *packing, uint64_t first,
                                                uint64_t count, uint64_t *offsets)
{
    const int together = !packing->sink.write;
    uint64_t done, b;
    for (done = 0; done < count; done += packing->count) {
        packing->first = packing->begun = packing->placed = packing->copied = first + done;
        packing->count = together || count - done < packing->batch ? count - done : packing->batch;
        packing->places = offsets + done;
        padici_parallel(packing->jobs, packing->workers, padici_codec_pack_task, packing);
        if (packing->steps.stop) return PADIC_ERROR_CANCELLED;
        for (b = 0; b < packing->workers; b++)
            if (packing->work[b].broken) {
                packing->header.fault = "a block does not come back even as it is: this machine's "
                                        "memory is damaged, or the library was built wrong";
                return PADIC_ERROR_CHECKSUM;
            }
        packing->hint = packing->last;
        for (b = packing->first; b < packing->begun && !together; b++) {
            const uint8_t **frame = packing->frames + b % packing->batch;
            padic_result result;
            offsets[b - first] = packing->sink.written;
            result = padici_codec_output(&packing->sink, *frame,
                                         PADICI_CODEC_FRAME_SIZE + padici_load32(*frame));
            if (result) return result;
            *frame = NULL;
        }
    }
    return PADIC_OK;
}

PADICI_FN padic_result padici_codec_output_header(padici_codec_packing *packing)
{
    uint8_t bytes[PADICI_CODEC_HEADER_MOST];
    padici_codec_put_header(bytes, &packing->header);
    return padici_codec_output(&packing->sink, bytes, packing->header.size);
}

// `offsets` are made little-endian in their place.
PADICI_FN padic_result padici_codec_output_index(padici_codec_packing *packing, uint64_t *offsets,
                                                 uint64_t blocks, uint64_t length)
{
    const uint64_t at = packing->sink.written;
    uint8_t head[24], tail[24];
    uint64_t b;
    padic_result result;
    padici_store32(head, PADICI_CODEC_END_MARK);
    padici_store32(head + 4, 0);
    padici_store64(head + 8, blocks);
    padici_store64(head + 16, length);
    for (b = 0; b < blocks; b++) padici_store64(offsets + b, offsets[b]);
    padici_store64(tail, at);
    padici_store64(tail + 8, padici_codec_index_sum(head, offsets, (size_t)blocks, tail));
    memcpy(tail + 16, "PADC-END", 8);
    result = padici_codec_output(&packing->sink, head, 24);
    if (!result) result = padici_codec_output(&packing->sink, offsets, (size_t)blocks * 8);
    if (!result) result = padici_codec_output(&packing->sink, tail, 24);
    return result;
}

#endif
