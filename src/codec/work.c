#include "work.h"
#include "block_decode.h"
#include "block_encode.h"
#include "choose_transform.h"
#include "choose_repeats.h"
#include "constants.h"
#include "contexts.h"
#include "find_matches.h"

#if PADICI_IMPLEMENT_CODEC

// ---- the container: working memory

// Lays out a padici_codec_work in `memory` (64-byte aligned), or only computes its size: NULL.
// Never returns 0.
PADICI_FN PADICI_NOINLINE size_t padici_codec_work_layout(padici_codec_work *w,
                                                          const padici_codec_grid *grid, int packer,
                                                          void *memory)
{
    uint8_t *base = (uint8_t *)memory;
    size_t at = 0;
    const size_t capacity = grid->capacity, n = capacity + 64, span = grid->span;
#define PADICI_CODEC_PLACE(MEMBER, TYPE, BYTES) \
    do { \
        if (memory) w->MEMBER = (TYPE *)(void *)(base + at); \
        at += ((size_t)(BYTES) + 63) & ~(size_t)63; \
    } while (0)
    if (memory) memset(w, 0, sizeof *w);
    PADICI_CODEC_PLACE(words, uint64_t, 8 * n);
    PADICI_CODEC_PLACE(other, uint64_t, 8 * n);
    PADICI_CODEC_PLACE(list, uint64_t, 3 * 8 * n);
    PADICI_CODEC_PLACE(gaps, uint64_t, 2 * n + 1024);
    PADICI_CODEC_PLACE(symbols, uint8_t, n);
    PADICI_CODEC_PLACE(spare, uint8_t, n / 4 + 192);
    PADICI_CODEC_PLACE(pieces, uint64_t, 3 * 8 * (n / 3 + 1));
    PADICI_CODEC_PLACE(literals, uint8_t, n + n / 3 + 64);
    PADICI_CODEC_PLACE(rows, uint8_t, n + PADICI_CODEC_STEP_ROOM);
    PADICI_CODEC_PLACE(raw, uint8_t, 8 * n);
    PADICI_CODEC_PLACE(record, uint8_t, 8 * n);
    PADICI_CODEC_PLACE(reference, uint8_t, 8 * n);
    PADICI_CODEC_PLACE(table, void, PADICI_CODEC_TABLES_SIZE);
    if (!packer && span > 1)
        PADICI_CODEC_PLACE(window, uint8_t,
                           grid->window * n * padic_dtype_size(padici_codec_scalar(grid->dtype)));
    if (packer) {
        PADICI_CODEC_PLACE(trial, uint64_t,
                           8 * (n + 4 * PADICI_CODEC_SAMPLE_RUNS * PADICI_CODEC_SAMPLE_RUN));
        PADICI_CODEC_PLACE(hold, uint64_t, 8 * n);
        PADICI_CODEC_PLACE(payload, uint8_t, 2 * padici_codec_payload_room(capacity) + 128);
        PADICI_CODEC_PLACE(rans, uint16_t, 2 * n);
        PADICI_CODEC_PLACE(contexts, uint8_t, n);
        PADICI_CODEC_PLACE(keys, uint64_t, 8 * n);
        PADICI_CODEC_PLACE(picks, uint32_t, 4 * n);
        PADICI_CODEC_PLACE(price, uint32_t, 4 * n);
        PADICI_CODEC_PLACE(head, uint32_t, 4 * (((size_t)1 << PADICI_CODEC_MATCH_BITS) + n));
        PADICI_CODEC_PLACE(
            past_table, uint32_t,
            span > 1 ? 4 * (((size_t)1 << PADICI_CODEC_MATCH_BITS) + span * n) : 0);
        PADICI_CODEC_PLACE(past_seen, uint32_t,
                           span > 1 ? (size_t)4 << PADICI_CODEC_HASH_BITS : 0);
        PADICI_CODEC_PLACE(hash, uint32_t, 4 * (((size_t)1 << PADICI_CODEC_HASH_BITS) + n));
        PADICI_CODEC_PLACE(off, uint32_t, 4 * (n / 3 + 64));
        PADICI_CODEC_PLACE(fix, uint64_t, 8 * (n / 3 + 64));
        PADICI_CODEC_PLACE(hint, struct padici_codec_hint, sizeof(padici_codec_hint));
        PADICI_CODEC_PLACE(kept, uint8_t, padici_codec_payload_room(capacity));
        PADICI_CODEC_PLACE(stack, uint8_t, padici_codec_payload_room(capacity));
    }
#undef PADICI_CODEC_PLACE
    if (memory) w->capacity = capacity;
    if (memory && packer) {
        w->payload += 64; // space for a frame's head
        memset(w->hint, 0, sizeof *w->hint);
    }
    return at;
}

#endif
