#include "record.h"
#include "../context/messages.h"
#include "../context/state.h"
#include "../core/memory.h"
#include "../core/splitmix.h"
#include "../core/view.h"
#include "../core/words.h"

#if PADICI_IMPLEMENT_ROLLOUT

// Records: reading. A file may be any bytes at all.

struct padic_rollout_reader {
    padic_allocator allocator;
    padic_bytes file;
    int (*read)(void *bytes, uint64_t size, uint64_t at, void *user);
    void *user;
    uint64_t size;
    uint64_t array[PADICI_ROLLOUT_FILE_ARRAYS]; // where; 0: it is not there
    uint64_t *piece;                            // where, of `pieces`
    uint64_t pieces, room;
    uint32_t complete;
    padici_rollout_file_what what;
};

static padic_result padici_rollout_file_get(padic_rollout_reader *r, uint64_t at, uint64_t size,
                                            void *bytes)
{
    if (at > r->size || size > r->size - at) return PADIC_ERROR_CORRUPT;
    if (!size) return PADIC_OK;
    if (r->file.data) {
        memcpy(bytes, (const char *)r->file.data + at, (size_t)size);
        return PADIC_OK;
    }
    return (*r->read)(bytes, size, at, r->user) ? PADIC_ERROR_CALLBACK : PADIC_OK;
}

static padic_result padici_rollout_file_get_block(padic_rollout_reader *r, uint64_t at,
                                                  padici_rollout_file_block *block)
{
    uint8_t head[PADICI_ROLLOUT_FILE_HEAD];
    const padic_result result = padici_rollout_file_get(r, at, sizeof head, head);
    if (result) return result;
    if (!padici_rollout_file_block_get(block, head)) return PADIC_ERROR_CHECKSUM;
    return block->size <= r->size - at - sizeof head ? PADIC_OK : PADIC_ERROR_CORRUPT;
}

// A block's own bytes, in memory of the reader's allocator, `block.size` and one.
static padic_result padici_rollout_file_get_bytes(padic_rollout_reader *r, uint64_t at,
                                                  const padici_rollout_file_block *block,
                                                  uint8_t **bytes)
{
    padic_result result;
    *bytes = NULL;
    if (block->size > (size_t)-1 / 2) return PADIC_ERROR_MEMORY;
    *bytes = (uint8_t *)padici_alloc(&r->allocator, (size_t)block->size + 1, 16);
    if (!*bytes) return PADIC_ERROR_MEMORY;
    result = padici_rollout_file_get(r, at + PADICI_ROLLOUT_FILE_HEAD, block->size, *bytes);
    if (!result && padici_checksum(*bytes, (size_t)block->size, block->tag) != block->checksum)
        result = PADIC_ERROR_CHECKSUM;
    if (result) {
        padici_free(&r->allocator, *bytes, (size_t)block->size + 1);
        *bytes = NULL;
    }
    return result;
}

static void padici_rollout_file_give(padic_rollout_reader *r,
                                     const padici_rollout_file_block *block, uint8_t *bytes)
{
    if (bytes) padici_free(&r->allocator, bytes, (size_t)block->size + 1);
}

// Whether a block is piece i.
static int padici_rollout_file_is(const padici_rollout_file_what *what,
                                  const padici_rollout_file_block *block, uint64_t i)
{
    const uint64_t k = i % (what->blocks + 1);
    if (block->trajectory != i / (what->blocks + 1)) return 0;
    if (k == what->blocks)
        return block->tag == PADICI_ROLLOUT_FILE_RESULT && !block->frame && !block->count &&
               block->size == padici_rollout_file_result_bytes(what);
    return block->tag == PADICI_ROLLOUT_FILE_FRAMES && block->frame == k * what->block &&
           block->count == padici_rollout_file_frames_of(what, k);
}

// What runs, and where the arrays are; *at is where pieces begin.
static padic_result padici_rollout_file_open_beginning(padic_rollout_reader *r, uint64_t *at)
{
    static const uint8_t magic[8] = {'P', 'D', 'R', 1, 0, 0, 0, 0};
    padici_rollout_file_bytes fields;
    padici_rollout_file_block block;
    uint8_t first[8], *bytes = NULL;
    padic_result result = padici_rollout_file_get(r, 0, 8, first);
    if (result) return result;
    if (memcmp(first, magic, 3)) return PADIC_ERROR_CORRUPT;
    if (first[3] > 1) return PADIC_ERROR_VERSION;
    if (memcmp(first, magic, 8)) return PADIC_ERROR_CORRUPT;
    *at = 8;
    result = padici_rollout_file_get_block(r, *at, &block);
    if (!result && block.tag != PADICI_ROLLOUT_FILE_WHAT) result = PADIC_ERROR_CORRUPT;
    if (!result) result = padici_rollout_file_get_bytes(r, *at, &block, &bytes);
    if (result) return result;
    memset(&fields, 0, sizeof fields);
    fields.at = bytes;
    fields.size = block.size;
    fields.reading = 1;
    padici_rollout_file_fields(&fields, &r->what);
    padici_rollout_file_give(r, &block, bytes);
    if (fields.wrong == 2) return PADIC_ERROR_VERSION;
    if (fields.wrong || fields.used != fields.size) return PADIC_ERROR_CORRUPT;
    result = padici_rollout_file_follow(&r->what);
    *at += PADICI_ROLLOUT_FILE_HEAD + block.size;
    while (!result && !padici_rollout_file_get_block(r, *at, &block) &&
           block.tag == PADICI_ROLLOUT_FILE_ARRAY) {
        if (block.count >= PADICI_ROLLOUT_FILE_ARRAYS || r->array[block.count] ||
            padici_rollout_file_array_of(&r->what, block.count)->dtype == PADIC_DTYPE_NONE)
            result = PADIC_ERROR_CORRUPT;
        else
            r->array[block.count] = *at;
        *at += PADICI_ROLLOUT_FILE_HEAD + block.size;
    }
    return result;
}

// The index at the file's end. 0: there is none that holds.
static int padici_rollout_file_open_index(padic_rollout_reader *r, uint64_t begin)
{
    padici_rollout_file_block block, end;
    uint8_t *bytes = NULL;
    uint64_t i;
    if (r->size < PADICI_ROLLOUT_FILE_HEAD ||
        padici_rollout_file_get_block(r, r->size - PADICI_ROLLOUT_FILE_HEAD, &end) ||
        end.tag != PADICI_ROLLOUT_FILE_END || end.trajectory != r->what.pieces ||
        end.frame < begin || padici_rollout_file_get_block(r, end.frame, &block) ||
        block.tag != PADICI_ROLLOUT_FILE_INDEX || block.size != 8 * r->what.pieces ||
        padici_rollout_file_get_bytes(r, end.frame, &block, &bytes))
        return 0;
    r->room = 8 * r->what.pieces;
    r->piece = (uint64_t *)padici_alloc(&r->allocator, (size_t)r->room, 16);
    for (i = 0; r->piece && i < r->what.pieces; i++) r->piece[i] = padici_load64(bytes + 8 * i);
    padici_rollout_file_give(r, &block, bytes);
    r->pieces = r->piece ? r->what.pieces : 0;
    return r->piece != NULL;
}

// Pieces one after another, as far as their heads hold and their bytes are there.
static padic_result padici_rollout_file_open_scan(padic_rollout_reader *r, uint64_t at)
{
    const uint64_t most = (r->size - at) / PADICI_ROLLOUT_FILE_HEAD;
    const uint64_t count = most < r->what.pieces ? most : r->what.pieces;
    padici_rollout_file_block block;
    r->room = 8 * (count + 1);
    r->piece = (uint64_t *)padici_alloc(&r->allocator, (size_t)r->room, 16);
    if (!r->piece) return PADIC_ERROR_MEMORY;
    while (r->pieces < count && !padici_rollout_file_get_block(r, at, &block) &&
           padici_rollout_file_is(&r->what, &block, r->pieces)) {
        r->piece[r->pieces++] = at;
        at += PADICI_ROLLOUT_FILE_HEAD + block.size;
    }
    return PADIC_OK;
}

PADIC_API void padic_rollout_record_close(padic_context *context, padic_rollout_reader *reader)
{
    padic_allocator allocator;
    (void)context;
    if (!reader) return;
    allocator = reader->allocator;
    if (reader->piece) padici_free(&allocator, reader->piece, (size_t)reader->room);
    padici_free(&allocator, reader, sizeof *reader);
}

PADIC_API padic_result padic_rollout_record_open(padic_context *context,
                                                 const padic_rollout_record_open_desc *desc,
                                                 padic_rollout_reader **reader)
{
    const char *before = padici_enter(context, "rollout_record_open");
    const padic_allocator *from = context ? padici_allocator(context) : NULL;
    padic_rollout_reader *r = NULL;
    padic_result result = PADIC_OK;
    uint64_t at = 0;
    if (reader) *reader = NULL;
    if (!reader || !desc || (!desc->file.data && !desc->read) ||
        (desc->file.data && (desc->read || desc->size)) || desc->file.buffer.id)
        result = padici_fail_here(context, PADIC_ERROR_ARGUMENT,
                                  "reader, desc or the file is missing, or there are two");
    if (!result) r = (padic_rollout_reader *)padici_alloc(from, sizeof *r, 16);
    if (!result && !r) result = padici_fail_here(context, PADIC_ERROR_MEMORY, "no memory");
    if (!result) {
        memset(r, 0, sizeof *r);
        if (from) r->allocator = *from;
        r->file = desc->file;
        r->read = desc->read;
        r->user = desc->user;
        r->size = desc->file.data ? desc->file.size : desc->size;
        result = padici_rollout_file_open_beginning(r, &at);
        if (result)
            (void)padici_fail_here(context, result, "the file is no record, cut short or damaged");
        else if (padici_rollout_file_open_index(r, at))
            r->complete = 1;
        else
            result = padici_rollout_file_open_scan(r, at);
    }
    if (result)
        padic_rollout_record_close(context, r);
    else
        *reader = r;
    padici_leave(context, before);
    return result;
}

PADIC_API padic_result padic_rollout_record_report_of(const padic_rollout_reader *reader,
                                                      padic_rollout_reader_report *report)
{
    const padici_rollout_file_what *what;
    if (report) memset(report, 0, sizeof *report);
    if (!reader || !report) return PADIC_ERROR_ARGUMENT;
    what = &reader->what;
    report->run = what->run;
    report->measures = what->measures;
    report->flags = what->flags;
    report->weights_seed = what->weights_seed;
    report->hash = what->hash;
    report->parameter_count = what->parameters;
    report->parameters = what->parameter;
    report->block = what->block;
    report->level = what->level;
    report->tolerance_mode = (padic_codec_tolerance_mode)what->mode;
    report->tolerance = what->tolerance;
    report->profile = (padic_codec_profile)what->profile;
    report->frames = what->frames;
    report->rows = what->rows;
    report->columns = what->columns;
    report->trajectories = what->trajectories;
    report->whole = reader->pieces / (what->blocks + 1);
    report->complete = reader->complete;
    return PADIC_OK;
}

// ---- parts

static padic_result padici_rollout_file_read_array(padic_context *context, padic_rollout_reader *r,
                                                   uint32_t i, const padic_tensor *out)
{
    const padic_tensor *holds = padici_rollout_file_array_of(&r->what, i);
    padici_rollout_file_block block;
    uint8_t *bytes = NULL;
    padic_result result;
    if (!r->array[i])
        return padici_fail_field(context, PADIC_ERROR_REGION, "part", "is not in the file");
    if (out->dtype != holds->dtype)
        return padici_fail_field(context, PADIC_ERROR_DTYPE, "out", "has another dtype");
    if (out->rank != holds->rank ||
        memcmp(out->shape, holds->shape, holds->rank * sizeof *holds->shape))
        return padici_fail_field(context, PADIC_ERROR_MISMATCH, "out", "has another shape");
    result = padici_rollout_file_get_block(r, r->array[i], &block);
    if (!result) result = padici_rollout_file_get_bytes(r, r->array[i], &block, &bytes);
    if (!result) result = padici_rollout_file_unpack(context, bytes, block.size, holds, NULL, out);
    padici_rollout_file_give(r, &block, bytes);
    return result;
}

// Piece i, checked.
static padic_result padici_rollout_file_piece_of(padic_context *context, padic_rollout_reader *r,
                                                 uint64_t i, padici_rollout_file_block *block,
                                                 uint8_t **bytes)
{
    padic_result result;
    *bytes = NULL;
    if (i >= r->pieces)
        return padici_fail_here(context, PADIC_ERROR_REGION, "the file was cut before this");
    result = padici_rollout_file_get_block(r, r->piece[i], block);
    if (!result && !padici_rollout_file_is(&r->what, block, i)) result = PADIC_ERROR_CORRUPT;
    if (!result) result = padici_rollout_file_get_bytes(r, r->piece[i], block, bytes);
    return result ? padici_fail_here(context, result, "a block of the file is damaged") : PADIC_OK;
}

// Frames frame to frame + F' - 1 of one trajectory, dense.
static padic_result padici_rollout_file_read_frames(padic_context *context, padic_rollout_reader *r,
                                                    uint64_t trajectory, uint64_t frame,
                                                    const padic_tensor *out, char *to)
{
    const padici_rollout_file_what *what = &r->what;
    const uint64_t size = padic_dtype_size(out->dtype), end = frame + out->shape[1];
    uint64_t f = frame;
    padic_result result = PADIC_OK;
    while (f < end && !result) {
        const uint64_t k = f / what->block, first = k * what->block;
        const uint64_t count = padici_rollout_file_frames_of(what, k);
        uint64_t begin[4] = {f - first, 0, 0, 0};
        padic_tensor holds = what->run.initial, part;
        padici_rollout_file_block block;
        uint8_t *bytes = NULL;
        memset(&block, 0, sizeof block);
        holds.shape[0] = count;
        part = padic_tensor_nd(out->dtype, to + (f - frame) * what->numbers * size, 4, holds.shape);
        part.shape[0] = (first + count < end ? first + count : end) - f;
        result = padici_rollout_file_piece_of(context, r, trajectory * (what->blocks + 1) + k,
                                              &block, &bytes);
        if (!result)
            result = padici_rollout_file_unpack(context, bytes, block.size, &holds, begin, &part);
        padici_rollout_file_give(r, &block, bytes);
        f += part.shape[0];
    }
    return result;
}

static padic_result padici_rollout_file_read_results(padic_context *context,
                                                     padic_rollout_reader *r,
                                                     const padic_rollout_record_read_desc *desc,
                                                     uint64_t trajectory, uint64_t row)
{
    const padici_rollout_file_what *what = &r->what;
    const uint64_t numbers = what->rows * what->columns;
    const int status = desc->part == PADIC_ROLLOUT_PART_STATUS;
    const uint64_t count = status ? 4 : numbers;
    padici_rollout_file_block block;
    uint8_t *bytes;
    uint64_t i;
    const padic_result result = padici_rollout_file_piece_of(
        context, r, trajectory * (what->blocks + 1) + what->blocks, &block, &bytes);
    for (i = 0; !result && i < count; i++) {
        const uint32_t word = padici_load32(bytes + 4 * (i + (status ? numbers : 0)));
        memcpy((char *)desc->out.data + 4 * (row * count + i), &word, 4);
    }
    if (!result) padici_rollout_file_give(r, &block, bytes);
    return result;
}

static padic_result padici_rollout_file_read_check(padic_context *context,
                                                   const padic_rollout_record_read_desc *desc)
{
    const padici_rollout_file_what *what;
    const padic_tensor *out;
    uint64_t count;
    padic_result result;
    if (!desc || !desc->reader)
        return padici_fail_here(context, PADIC_ERROR_ARGUMENT, "desc or reader is NULL");
    if ((uint32_t)desc->part > PADIC_ROLLOUT_PART_PHYSICAL)
        return padici_fail_field(context, PADIC_ERROR_ARGUMENT, "part", "is unknown");
    out = &desc->out;
    what = &desc->reader->what;
    if (!out->data || out->buffer.id)
        return padici_fail_field(context, PADIC_ERROR_ARGUMENT, "out", "is not in host memory");
    result = padici_tensor_check_view(out, 0, &count);
    if (result) return padici_fail_view(context, result, "out", out);
    if (!padici_rollout_is_dense(out))
        return padici_fail_field(context, PADIC_ERROR_ARGUMENT, "out", "is not dense");
    if (desc->part > PADIC_ROLLOUT_PART_STATUS)
        return desc->first || desc->frame
                   ? padici_fail_field(context, PADIC_ERROR_ARGUMENT, "first",
                                       "or frame is given, but the part is read as a whole")
                   : PADIC_OK;
    if (desc->part == PADIC_ROLLOUT_PART_FRAMES
            ? out->dtype != what->run.initial.dtype
            : out->dtype != (desc->part == PADIC_ROLLOUT_PART_STATUS ? PADIC_U32 : PADIC_F32))
        return padici_fail_field(context, PADIC_ERROR_DTYPE, "out", "has another dtype");
    if (desc->part == PADIC_ROLLOUT_PART_FRAMES
            ? out->rank != 5 ||
                  memcmp(out->shape + 2, what->run.initial.shape + 1, 3 * sizeof *out->shape)
        : desc->part == PADIC_ROLLOUT_PART_STATUS
            ? out->rank != 2 || out->shape[1] != 4
            : out->rank != 3 || out->shape[1] != what->rows || out->shape[2] != what->columns)
        return padici_fail_field(context, PADIC_ERROR_MISMATCH, "out", "has another shape");
    if (desc->first > what->trajectories || out->shape[0] > what->trajectories - desc->first)
        return padici_fail_field(context, PADIC_ERROR_REGION, "first", "leads past the last one");
    if (desc->part == PADIC_ROLLOUT_PART_FRAMES
            ? desc->frame > what->frames || out->shape[1] > what->frames - desc->frame
            : desc->frame > 0)
        return padici_fail_field(context, PADIC_ERROR_REGION, "frame", "leads past the last one");
    return PADIC_OK;
}

PADIC_API padic_result padic_rollout_record_read(padic_context *context,
                                                 const padic_rollout_record_read_desc *desc)
{
    const char *before = padici_enter(context, "rollout_record_read");
    padic_result result = padici_rollout_file_read_check(context, desc);
    uint64_t k;
    if (!result && desc->part > PADIC_ROLLOUT_PART_STATUS)
        result = padici_rollout_file_read_array(context, desc->reader, (uint32_t)desc->part - 3,
                                                &desc->out);
    for (k = 0; !result && desc->part <= PADIC_ROLLOUT_PART_STATUS && k < desc->out.shape[0]; k++) {
        const uint64_t bytes = desc->reader->what.numbers * padic_dtype_size(desc->out.dtype);
        if (desc->part == PADIC_ROLLOUT_PART_FRAMES)
            result = padici_rollout_file_read_frames(
                context, desc->reader, desc->first + k, desc->frame, &desc->out,
                (char *)desc->out.data + k * desc->out.shape[1] * bytes);
        else
            result =
                padici_rollout_file_read_results(context, desc->reader, desc, desc->first + k, k);
    }
    padici_leave(context, before);
    return result;
}

#endif
