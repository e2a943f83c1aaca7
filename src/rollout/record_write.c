#include "record.h"
#include "../context/messages.h"
#include "../context/state.h"
#include "../core/memory.h"
#include "../core/splitmix.h"
#include "../core/view.h"
#include "../core/words.h"

#if PADICI_IMPLEMENT_ROLLOUT

// Records: writing.

typedef struct padici_rollout_file_piece { // of a trajectory: a block of frames, or its result
    uint8_t *held;                         // NULL: it is in the file, or has not come
    uint64_t size;
    uint64_t at; // in the file
} padici_rollout_file_piece;

struct padic_rollout_record {
    padic_context *context; // that it was begun with
    padic_allocator allocator;
    int (*write)(const void *bytes, uint64_t size, uint64_t at, void *user);
    void *user;
    padici_rollout_file_piece *piece;
    uint64_t next, at; // piece that is written next, and where
    uint64_t held;     // bytes
    uint64_t room;     // of `piece`
    uint8_t *packed;   // a piece in the making, on the host
    uint64_t packed_size;
    padic_buffer there; // a block in the making, on the context's device
    uint64_t there_size;
    int failed;
    padici_rollout_file_what what;
};

static const uint8_t padici_rollout_file_magic[8] = {'P', 'D', 'R', 1, 0, 0, 0, 0};

static void padici_rollout_file_allocator(padic_context *context, padic_allocator *to)
{
    const padic_allocator *from = context ? padici_allocator(context) : NULL;
    memset(to, 0, sizeof *to);
    if (from) *to = *from;
}

static padic_result padici_rollout_file_put(padic_rollout_record *r, const void *bytes,
                                            uint64_t size)
{
    if (r->failed || (size && (*r->write)(bytes, size, r->at, r->user))) {
        r->failed = 1;
        return PADIC_ERROR_CALLBACK;
    }
    r->at += size;
    return PADIC_OK;
}

static padic_result padici_rollout_file_put_block(padic_rollout_record *r,
                                                  padici_rollout_file_block *block,
                                                  const uint8_t *bytes)
{
    uint8_t head[PADICI_ROLLOUT_FILE_HEAD];
    padic_result result;
    block->checksum = padici_checksum(bytes, (size_t)block->size, block->tag);
    padici_rollout_file_block_put(block, head);
    result = padici_rollout_file_put(r, head, sizeof head);
    return result ? result : padici_rollout_file_put(r, bytes, block->size);
}

static void padici_rollout_file_piece_block(const padici_rollout_file_what *what, uint64_t i,
                                            padici_rollout_file_block *block)
{
    const uint64_t k = i % (what->blocks + 1);
    memset(block, 0, sizeof *block);
    block->trajectory = i / (what->blocks + 1);
    block->tag = k < what->blocks ? PADICI_ROLLOUT_FILE_FRAMES : PADICI_ROLLOUT_FILE_RESULT;
    if (k == what->blocks) return;
    block->frame = k * what->block;
    block->count = (uint32_t)padici_rollout_file_frames_of(what, k);
}

// The next piece to the file.
static padic_result padici_rollout_file_write(padic_rollout_record *r, const uint8_t *bytes,
                                              uint64_t size)
{
    const uint64_t at = r->at;
    padici_rollout_file_block block;
    padic_result result;
    padici_rollout_file_piece_block(&r->what, r->next, &block);
    block.size = size;
    result = padici_rollout_file_put_block(r, &block, bytes);
    if (!result) r->piece[r->next++].at = at;
    return result;
}

// Piece i has come: `size` bytes of r->packed. What waits for its turn is copied; nothing else is
// allocated for it.
static padic_result padici_rollout_file_take(padic_rollout_record *r, uint64_t i, uint64_t size)
{
    padici_rollout_file_piece *piece = &r->piece[i];
    padic_result result;
    if (i > r->next) {
        piece->held = (uint8_t *)padici_alloc(&r->allocator, (size_t)size, 16);
        if (!piece->held) return PADIC_ERROR_MEMORY;
        memcpy(piece->held, r->packed, (size_t)size);
        piece->size = size;
        r->held += size;
        return PADIC_OK;
    }
    result = padici_rollout_file_write(r, r->packed, size);
    while (!result && r->next < r->what.pieces && r->piece[r->next].held) {
        piece = &r->piece[r->next];
        result = padici_rollout_file_write(r, piece->held, piece->size);
        if (result) return result;
        padici_free(&r->allocator, piece->held, (size_t)piece->size);
        r->held -= piece->size;
        piece->held = NULL;
    }
    return result;
}

// Room for a piece of so many bytes, which is kept until the record ends.
static padic_result padici_rollout_file_make_room(padic_rollout_record *r, uint64_t size)
{
    if (size <= r->packed_size) return PADIC_OK;
    if (r->packed) padici_free(&r->allocator, r->packed, (size_t)r->packed_size);
    r->packed_size = 0;
    r->packed = (uint8_t *)padici_alloc(&r->allocator, (size_t)size, 64);
    if (!r->packed) return PADIC_ERROR_MEMORY;
    r->packed_size = size;
    return PADIC_OK;
}

static int padici_rollout_file_has(const padic_rollout_record *r, uint64_t i)
{
    return i < r->next || r->piece[i].held;
}

// ---- what comes before the frames

static void padici_rollout_file_what_of(const padic_rollout_record_desc *desc,
                                        padici_rollout_file_what *what)
{
    padic_rollout_run_desc *run = &what->run;
    const uint32_t count =
        desc->parameters && desc->parameter_count <= 64 ? desc->parameter_count : 0;
    memset(what, 0, sizeof *what);
    *run = *desc->run;
    if (run->output == PADIC_ROLLOUT_OUTPUT_STREAM) run->output = PADIC_ROLLOUT_OUTPUT_EVERY;
    memset(&run->stream, 0, sizeof run->stream);
    if (run->op.count <= PADIC_ROLLOUT_NODES)
        memcpy(what->node, run->op.nodes, run->op.count * sizeof *what->node);
    if (count) memcpy(what->parameter, desc->parameters, count * sizeof *what->parameter);
    what->parameters = count;
    what->unit = desc->unit;
    what->physical = desc->physical;
    what->measures = desc->measures;
    what->flags = desc->flags;
    what->weights_seed = desc->weights_seed;
    what->block = desc->block ? desc->block : 16;
    what->level = desc->level;
    what->mode = (uint32_t)desc->tolerance_mode;
    what->tolerance = desc->tolerance;
    what->profile = (uint32_t)desc->profile;
    what->hash = padic_self_hash();
    what->operators = run->weights.shape[0];
    what->initials = run->flags & PADIC_ROLLOUT_INITIAL_PER_OPERATOR ? 1 : run->initial.shape[0];
}

static padic_result padici_rollout_file_check(padic_context *context,
                                              const padic_rollout_record_desc *desc,
                                              padici_rollout_file_what *what)
{
    const char *field = NULL, *why = NULL;
    padic_tensor *t;
    uint64_t count;
    uint32_t i;
    padic_result result;
    if (desc->measures > 1)
        field = "measures", why = "is not 0 or 1";
    else if (desc->flags > 1)
        field = "flags", why = "has an unknown bit";
    else if (desc->parameter_count > 64 || (desc->parameter_count && !desc->parameters))
        field = "parameters", why = "are missing, or more than 64";
    else if (desc->block > 65536)
        field = "block", why = "is above 65,536";
    else if (desc->level > 9)
        field = "level", why = "is above 9";
    else if ((uint32_t)desc->tolerance_mode > PADIC_CODEC_TOLERANCE_POINTWISE)
        field = "tolerance_mode", why = "is not NONE, ABSOLUTE, RANGE or POINTWISE";
    else if (desc->tolerance_mode ? !(desc->tolerance > 0 && desc->tolerance < 1e300)
                                  : desc->tolerance < 0 || desc->tolerance > 0)
        field = "tolerance", why = "does not fit the mode";
    else if ((uint32_t)desc->profile > PADIC_CODEC_PROFILE_CODED)
        field = "profile", why = "is unknown";
    else if (desc->profile && desc->tolerance_mode == PADIC_CODEC_TOLERANCE_POINTWISE)
        field = "profile", why = "has no tolerance POINTWISE";
    if (field) return padici_fail_field(context, PADIC_ERROR_ARGUMENT, field, why);
    for (i = 0; i < PADICI_ROLLOUT_FILE_ARRAYS; i++) {
        const padic_tensor *w = &what->run.weights;
        const int none = !i && w->rank == 2 && !w->shape[1]; // an operator without parameters
        t = padici_rollout_file_array_of(what, i);
        if (!padici_rollout_here(t) && !none) {
            t->dtype = i < 2 ? t->dtype : PADIC_DTYPE_NONE;
            if (i < 2)
                return padici_fail_here(context, PADIC_ERROR_ARGUMENT,
                                        "run: weights or initial are missing");
            continue;
        }
        if (!t->data && (!none || t->buffer.id))
            return padici_fail_here(context, PADIC_ERROR_ARGUMENT, "run is not in host memory");
        result = padici_tensor_check_view(t, 0, &count);
        if (result) return padici_fail_view(context, result, "run", t);
        if (i >= 6 && (t->dtype != PADIC_F64 || t->rank != 2 || t->shape[0] != what->operators ||
                       t->shape[1] != what->parameters))
            return padici_fail_field(context, PADIC_ERROR_MISMATCH, "unit, physical",
                                     "is not F64 (N, D)");
    }
    result = padici_rollout_run_inputs(context, &what->run, (int)what->measures);
    if (!result && padici_rollout_parameters_fault(&what->run))
        result = padici_fail_field(context, PADIC_ERROR_ARGUMENT, "parameter",
                                   "has an alpha outside [0, 1], or a dt not finite");
    return result;
}

// All bytes before the frames, in memory of the record's allocator.
static padic_result padici_rollout_file_beginning(padic_context *context, padic_rollout_record *r,
                                                  padic_bytes *out)
{
    padic_bytes array[PADICI_ROLLOUT_FILE_ARRAYS];
    padici_rollout_file_bytes fields;
    padici_rollout_file_block block;
    uint64_t size = sizeof padici_rollout_file_magic + PADICI_ROLLOUT_FILE_HEAD;
    uint8_t *at;
    uint32_t i;
    padic_result result = PADIC_OK;
    memset(array, 0, sizeof array);
    memset(&fields, 0, sizeof fields);
    padici_rollout_file_fields(&fields, &r->what);
    if (fields.wrong) return padici_fail_here(context, PADIC_ERROR_LIMIT, "too many choices");
    size += fields.used;
    for (i = 0; i < PADICI_ROLLOUT_FILE_ARRAYS && !result; i++) {
        padic_codec_pack_desc pack;
        memset(&pack, 0, sizeof pack);
        pack.tensor = *padici_rollout_file_array_of(&r->what, i);
        if (pack.tensor.dtype == PADIC_DTYPE_NONE) continue;
        if (!i && (r->what.flags & PADIC_ROLLOUT_RECORD_NO_WEIGHTS)) continue;
        pack.level = r->what.level;
        result = padic_codec_pack_new(context, &pack, &array[i]);
        size += PADICI_ROLLOUT_FILE_HEAD + array[i].size;
    }
    at = result ? NULL : (uint8_t *)padici_alloc(&r->allocator, (size_t)size, 16);
    if (!result && !at) result = PADIC_ERROR_MEMORY;
    if (!result) {
        out->data = at;
        out->size = size;
        memcpy(at, padici_rollout_file_magic, sizeof padici_rollout_file_magic);
        memset(&block, 0, sizeof block);
        block.tag = PADICI_ROLLOUT_FILE_WHAT;
        block.size = fields.used;
        fields.at = at += sizeof padici_rollout_file_magic;
        fields.at = at + PADICI_ROLLOUT_FILE_HEAD;
        fields.size = fields.used;
        fields.used = 0;
        padici_rollout_file_fields(&fields, &r->what);
        block.checksum = padici_checksum(fields.at, (size_t)block.size, block.tag);
        padici_rollout_file_block_put(&block, at);
        at += PADICI_ROLLOUT_FILE_HEAD + block.size;
    }
    for (i = 0; i < PADICI_ROLLOUT_FILE_ARRAYS; i++) {
        if (!result && array[i].data) {
            memset(&block, 0, sizeof block);
            block.tag = PADICI_ROLLOUT_FILE_ARRAY;
            block.count = i;
            block.size = array[i].size;
            block.checksum = padici_checksum(array[i].data, (size_t)block.size, block.tag);
            padici_rollout_file_block_put(&block, at);
            memcpy(at + PADICI_ROLLOUT_FILE_HEAD, array[i].data, (size_t)block.size);
            at += PADICI_ROLLOUT_FILE_HEAD + block.size;
        }
        padic_codec_free_packed(context, &array[i]);
    }
    return result;
}

// ---- a file that was cut

// Bytes from `at` on, of memory of the record's allocator.
static padic_result padici_rollout_file_fetch(padic_rollout_record *r,
                                              const padic_rollout_record_desc *desc, uint64_t at,
                                              uint64_t size, uint8_t **bytes)
{
    *bytes = (uint8_t *)padici_alloc(&r->allocator, (size_t)(size ? size : 1), 16);
    if (!*bytes) return PADIC_ERROR_MEMORY;
    return size && (*desc->read)(*bytes, size, at, desc->user) ? PADIC_ERROR_CALLBACK : PADIC_OK;
}

// How much of the file is this record's: r->next and r->at.
static padic_result padici_rollout_file_resume(padic_rollout_record *r,
                                               const padic_rollout_record_desc *desc,
                                               const padic_bytes *beginning)
{
    const uint64_t same = desc->size < beginning->size ? desc->size : beginning->size;
    uint64_t at = beginning->size;
    uint8_t *bytes = NULL;
    padic_result result = padici_rollout_file_fetch(r, desc, 0, same, &bytes);
    if (!result && memcmp(bytes, beginning->data, (size_t)same)) result = PADIC_ERROR_MISMATCH;
    if (bytes) padici_free(&r->allocator, bytes, (size_t)(same ? same : 1));
    if (same < beginning->size) return result;
    while (!result && r->next < r->what.pieces && desc->size - at > PADICI_ROLLOUT_FILE_HEAD) {
        uint8_t head[PADICI_ROLLOUT_FILE_HEAD];
        padici_rollout_file_block block, want;
        int good;
        if ((*desc->read)(head, sizeof head, at, desc->user)) return PADIC_ERROR_CALLBACK;
        padici_rollout_file_piece_block(&r->what, r->next, &want);
        good = padici_rollout_file_block_get(&block, head) && block.tag == want.tag &&
               block.count == want.count && block.trajectory == want.trajectory &&
               block.frame == want.frame &&
               block.size <= desc->size - at - PADICI_ROLLOUT_FILE_HEAD;
        if (!good) break;
        result =
            padici_rollout_file_fetch(r, desc, at + PADICI_ROLLOUT_FILE_HEAD, block.size, &bytes);
        good = !result && padici_checksum(bytes, (size_t)block.size, block.tag) == block.checksum;
        if (bytes) padici_free(&r->allocator, bytes, (size_t)(block.size ? block.size : 1));
        if (!good) break;
        r->piece[r->next++].at = at;
        at += PADICI_ROLLOUT_FILE_HEAD + block.size;
    }
    r->at = at;
    return result;
}

static void padici_rollout_file_free(padic_rollout_record *r)
{
    padic_allocator allocator = r->allocator;
    uint64_t i;
    for (i = 0; r->piece && i < r->what.pieces; i++)
        if (r->piece[i].held) padici_free(&allocator, r->piece[i].held, (size_t)r->piece[i].size);
    if (r->piece) padici_free(&allocator, r->piece, (size_t)r->room);
    if (r->packed) padici_free(&allocator, r->packed, (size_t)r->packed_size);
    if (r->there.id) (void)padic_buffer_destroy(r->context, r->there);
    padici_free(&allocator, r, sizeof *r);
}

static padic_result padici_rollout_file_begin_named(padic_context *context,
                                                    const padic_rollout_record_desc *desc,
                                                    padic_rollout_record **record)
{
    padic_allocator allocator;
    padic_bytes beginning;
    padic_rollout_record *r;
    padic_result result;
    if (!record) return padici_fail_here(context, PADIC_ERROR_ARGUMENT, "record is NULL");
    *record = NULL;
    if (!desc || !desc->run || !desc->write || (desc->size && !desc->read) || !desc->run->op.nodes)
        return padici_fail_here(context, PADIC_ERROR_ARGUMENT,
                                "desc, its run or its functions are missing");
    padici_rollout_file_allocator(context, &allocator);
    r = (padic_rollout_record *)padici_alloc(&allocator, sizeof *r, 16);
    if (!r) return padici_fail_here(context, PADIC_ERROR_MEMORY, "no memory for a record");
    memset(r, 0, sizeof *r);
    memset(&beginning, 0, sizeof beginning);
    r->context = context;
    r->allocator = allocator;
    r->write = desc->write;
    r->user = desc->user;
    padici_rollout_file_what_of(desc, &r->what);
    result = padici_rollout_file_check(context, desc, &r->what);
    if (!result) result = padici_rollout_file_beginning(context, r, &beginning);
    if (!result && padici_rollout_file_follow(&r->what))
        result = padici_fail_here(context, PADIC_ERROR_LIMIT, "it is larger than a record can be");
    if (!result && !padici_mul_u64(r->what.pieces, sizeof *r->piece, &r->room))
        result = PADIC_ERROR_LIMIT;
    if (!result) {
        r->piece = (padici_rollout_file_piece *)padici_alloc(&allocator, (size_t)r->room, 16);
        if (!r->piece)
            result = padici_fail_here(context, PADIC_ERROR_MEMORY, "no memory");
        else
            memset(r->piece, 0, (size_t)r->room);
    }
    if (!result && desc->size) {
        result = padici_rollout_file_resume(r, desc, &beginning);
        if (result == PADIC_ERROR_MISMATCH)
            (void)padici_fail_here(context, result, "the file is another record's");
    }
    if (!result && !r->at) result = padici_rollout_file_put(r, beginning.data, beginning.size);
    if (beginning.data) padici_free(&allocator, beginning.data, (size_t)beginning.size);
    if (result)
        padici_rollout_file_free(r);
    else
        *record = r;
    return result;
}

PADIC_API padic_result padic_rollout_record_begin(padic_context *context,
                                                  const padic_rollout_record_desc *desc,
                                                  padic_rollout_record **record)
{
    const char *before = padici_enter(context, "rollout_record_begin");
    const padic_result result = padici_rollout_file_begin_named(context, desc, record);
    padici_leave(context, before);
    return result;
}

// ---- frames

// How a block of the record's frames is packed, but for the frames.
static void padici_rollout_file_pack_desc(const padici_rollout_file_what *what,
                                          padic_codec_pack_desc *pack)
{
    memset(pack, 0, sizeof *pack);
    pack->level = what->level;
    pack->tolerance_mode = (padic_codec_tolerance_mode)what->mode;
    pack->tolerance = what->tolerance;
    pack->profile = (padic_codec_profile)what->profile;
}

// Packs frames of a buffer into the record's other one, where a device does it, and fetches the
// bytes.
static padic_result padici_rollout_file_pack_there(padic_context *context, padic_rollout_record *r,
                                                   padic_codec_pack_desc *pack)
{
    padic_buffer_desc want;
    padic_result result = PADIC_OK;
    memset(&want, 0, sizeof want);
    want.size = pack->packed.capacity;
    if (r->there_size < want.size) {
        if (r->there.id) (void)padic_buffer_destroy(context, r->there);
        r->there.id = 0;
        r->there_size = 0;
        result = padic_buffer_create(context, &want, &r->there);
        if (!result) r->there_size = want.size;
    }
    if (result) return result;
    pack->packed.data = NULL;
    pack->packed.buffer = r->there;
    result = padic_codec_pack(context, pack);
    return result ? result
                  : padic_buffer_download(context, r->there, 0, r->packed,
                                          pack->report->packed_size);
}

// Packs block k of a trajectory out of frames (F, C, H, W) of the view's row.
static padic_result padici_rollout_file_pack(padic_context *context, padic_rollout_record *r,
                                             const padic_tensor *frames, uint64_t row,
                                             uint64_t skip, uint64_t i,
                                             const padic_progress *progress)
{
    padic_codec_pack_desc pack;
    padic_codec_report report;
    int64_t stride[PADIC_MAX_RANK], at;
    uint64_t bound;
    uint32_t a;
    padic_result result;
    padici_tensor_dense(frames, stride);
    at = (int64_t)row * stride[0] + (int64_t)skip * stride[1];
    padici_rollout_file_pack_desc(&r->what, &pack);
    pack.progress = progress;
    pack.tensor = padic_tensor_nd(frames->dtype, NULL, 4, frames->shape + 1);
    for (a = 0; a < 4; a++) pack.tensor.stride[a] = stride[a + 1];
    pack.tensor.shape[0] = padici_rollout_file_frames_of(&r->what, i % (r->what.blocks + 1));
    if (frames->data) {
        pack.tensor.data =
            (char *)frames->data + at * (int64_t)padic_dtype_size(frames->dtype);
    } else {
        pack.tensor.buffer = frames->buffer;
        pack.tensor.offset = frames->offset + (uint64_t)at;
    }
    bound = padic_codec_size_bound(&pack);
    if (!bound) return padici_fail_here(context, PADIC_ERROR_LIMIT, "a block is too large");
    result = padici_rollout_file_make_room(r, bound);
    if (result) return result;
    pack.packed = padic_bytes_out(r->packed, bound);
    pack.report = &report;
    result = frames->data || !pack.profile ? padic_codec_pack(context, &pack)
                                           : padici_rollout_file_pack_there(context, r, &pack);
    return result ? result : padici_rollout_file_take(r, i, report.packed_size);
}

static padic_result padici_rollout_file_frames_check(padic_context *context,
                                                     const padic_rollout_record_frames_desc *desc)
{
    const padici_rollout_file_what *what;
    const padic_tensor *t;
    uint64_t count, end;
    padic_result result;
    if (!desc || !desc->record)
        return padici_fail_here(context, PADIC_ERROR_ARGUMENT, "desc or record is NULL");
    what = &desc->record->what;
    t = &desc->frames;
    if (t->dtype != what->run.initial.dtype)
        return padici_fail_field(context, PADIC_ERROR_DTYPE, "frames", "have another dtype");
    if (t->rank != 5 || memcmp(t->shape + 2, what->run.initial.shape + 1, 3 * sizeof *t->shape))
        return padici_fail_field(context, PADIC_ERROR_MISMATCH, "frames",
                                 "are not (count, F, C, H, W)");
    if (!t->data && t->buffer.id && context != desc->record->context)
        return padici_fail_field(context, PADIC_ERROR_ARGUMENT, "frames",
                                 "are in a buffer of another context than the record's");
    if (!t->data && !t->buffer.id && t->shape[0] && t->shape[1])
        return padici_fail_field(context, PADIC_ERROR_ARGUMENT, "frames", "have no memory");
    result = padici_tensor_check_view(t, 0, &count);
    if (result) return padici_fail_view(context, result, "frames", t);
    if (desc->first > what->trajectories || t->shape[0] > what->trajectories - desc->first ||
        desc->frame > what->frames || t->shape[1] > what->frames - desc->frame)
        return padici_fail_field(context, PADIC_ERROR_MISMATCH, "frames",
                                 "go past the last trajectory or frame");
    end = desc->frame + t->shape[1];
    return desc->frame % what->block || (end % what->block && end != what->frames)
               ? padici_fail_field(context, PADIC_ERROR_ARGUMENT, "frame",
                                   "is not the first of a block, or the last one is cut")
               : PADIC_OK;
}

// All of a checked desc.
static padic_result padici_rollout_file_frames(padic_context *context,
                                               const padic_rollout_record_frames_desc *desc,
                                               const padic_progress *progress)
{
    const padici_rollout_file_what *what = &desc->record->what;
    const uint32_t said = context ? context->said : 0;
    padic_result result = PADIC_OK;
    uint64_t k, f;
    for (k = 0; !result && k < desc->frames.shape[0]; k++)
        for (f = 0; !result && f < desc->frames.shape[1]; f += what->block) {
            const uint64_t i =
                (desc->first + k) * (what->blocks + 1) + (desc->frame + f) / what->block;
            if (!padici_rollout_file_has(desc->record, i))
                result = padici_rollout_file_pack(context, desc->record, &desc->frames, k, f, i,
                                                  progress);
        }
    if (!context || context->said != said) return result;
    if (result == PADIC_ERROR_MEMORY)
        (void)padici_fail_here(context, result, "no memory for packed frames");
    if (result == PADIC_ERROR_CALLBACK)
        (void)padici_fail_here(context, result, "the record's write() said so");
    return result;
}

PADIC_API padic_result padic_rollout_record_frames(padic_context *context,
                                                   const padic_rollout_record_frames_desc *desc)
{
    const char *before = padici_enter(context, "rollout_record_frames");
    padic_result result = padici_rollout_file_frames_check(context, desc);
    if (!result) result = padici_rollout_file_frames(context, desc, NULL);
    padici_leave(context, before);
    return result;
}

// ---- frames of a stream

PADICI_FN uint32_t padici_rollout_record_block(const padic_rollout_record *record)
{
    return record->what.block;
}

PADICI_FN padic_codec_profile padici_rollout_record_profile(const padic_rollout_record *record,
                                                            padic_codec_tolerance_mode *mode)
{
    *mode = (padic_codec_tolerance_mode)record->what.mode;
    return (padic_codec_profile)record->what.profile;
}

PADICI_FN padic_result padici_rollout_record_fits(padic_context *context,
                                                  const padic_rollout_run_desc *run)
{
    const padic_rollout_record *r = run->stream.record;
    const padici_rollout_file_what *what = &r->what;
    const uint64_t realisations = run->realisations ? run->realisations : 1;
    const uint64_t initials =
        run->flags & PADIC_ROLLOUT_INITIAL_PER_OPERATOR ? 1 : run->initial.shape[0];
    uint64_t all;
    if (run->initial.dtype != what->run.initial.dtype)
        return padici_fail_field(context, PADIC_ERROR_DTYPE, "stream",
                                 "has a record of another dtype");
    if (memcmp(run->initial.shape + 1, what->run.initial.shape + 1, 3 * sizeof(uint64_t)) ||
        padici_rollout_run_frames(run) != what->frames)
        return padici_fail_field(context, PADIC_ERROR_MISMATCH, "stream",
                                 "has a record of other frames");
    return !padici_mul_u64(initials, realisations, &all) ||
                   !padici_mul_u64(all, run->weights.shape[0], &all) ||
                   run->stream.first > what->trajectories ||
                   all > what->trajectories - run->stream.first
               ? padici_fail_field(context, PADIC_ERROR_MISMATCH, "stream",
                                   "goes past the last trajectory of its record")
               : PADIC_OK;
}

PADICI_FN padic_result padici_rollout_record_own(padic_context *context,
                                                 const padic_rollout_record *record)
{
    return !record || record->context == context
               ? PADIC_OK
               : padici_fail_field(context, PADIC_ERROR_ARGUMENT, "stream",
                                   "has a record of another context");
}

// Progress is the rollout's, which counts steps.
PADICI_FN padic_result padici_rollout_record_take(const padic_rollout_stream *stream,
                                                  const padic_rollout_view *view)
{
    static const padic_progress none = PADIC_ZERO;
    const padici_rollout_file_what *what = &stream->record->what;
    padic_rollout_record_frames_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.record = stream->record;
    desc.first = stream->first + view->first;
    desc.frames = view->frames;
    desc.frame = view->frame + 1 - desc.frames.shape[1];
    if (desc.frames.shape[1] < what->block && view->frame + 1 < what->frames) return PADIC_OK;
    return padici_rollout_file_frames(stream->record->context, &desc, &none);
}

static padic_result padici_rollout_file_metrics_check(padic_context *context,
                                                      const padic_rollout_record_metrics_desc *desc)
{
    const padici_rollout_file_what *what;
    const padic_tensor *m, *s;
    if (!desc || !desc->record)
        return padici_fail_here(context, PADIC_ERROR_ARGUMENT, "desc or record is NULL");
    what = &desc->record->what;
    m = &desc->metrics;
    s = &desc->status;
    if (!s->data || s->dtype != PADIC_U32 || s->rank != 2 || s->shape[1] != 4 ||
        !padici_rollout_is_dense(s))
        return padici_fail_field(context, PADIC_ERROR_MISMATCH, "status",
                                 "is not U32 (count, 4), dense, in host memory");
    if (what->measures ? !m->data || m->dtype != PADIC_F32 || m->rank != 3 ||
                             m->shape[0] != s->shape[0] || m->shape[1] != what->rows ||
                             m->shape[2] != what->columns || !padici_rollout_is_dense(m)
                       : padici_rollout_here(m))
        return padici_fail_field(context, PADIC_ERROR_MISMATCH, "metrics",
                                 "are not F32 (count, F_r, R), dense, or not measured");
    return desc->first > what->trajectories || s->shape[0] > what->trajectories - desc->first
               ? padici_fail_field(context, PADIC_ERROR_MISMATCH, "first",
                                   "leads past the last trajectory")
               : PADIC_OK;
}

PADIC_API padic_result padic_rollout_record_metrics(padic_context *context,
                                                    const padic_rollout_record_metrics_desc *desc)
{
    const char *before = padici_enter(context, "rollout_record_metrics");
    padic_result result = padici_rollout_file_metrics_check(context, desc);
    uint64_t k, j;
    for (k = 0; !result && k < desc->status.shape[0]; k++) {
        padic_rollout_record *r = desc->record;
        const padici_rollout_file_what *what = &r->what;
        const uint64_t i = (desc->first + k) * (what->blocks + 1) + what->blocks;
        const uint64_t numbers = what->rows * what->columns;
        const uint64_t size = padici_rollout_file_result_bytes(what);
        if (padici_rollout_file_has(r, i)) continue;
        result = padici_rollout_file_make_room(r, size);
        if (result) break;
        for (j = 0; j < numbers + 4; j++) {
            uint32_t word;
            memcpy(&word,
                   j < numbers ? (const char *)desc->metrics.data + 4 * (k * numbers + j)
                               : (const char *)desc->status.data + 4 * (4 * k + j - numbers),
                   4);
            padici_store32(r->packed + 4 * j, word);
        }
        result = padici_rollout_file_take(r, i, size);
    }
    if (result == PADIC_ERROR_MEMORY)
        (void)padici_fail_here(context, result, "no memory for metrics");
    padici_leave(context, before);
    return result;
}

PADIC_API padic_result padic_rollout_record_info(const padic_rollout_record *record,
                                                 padic_rollout_record_report *report)
{
    if (report) memset(report, 0, sizeof *report);
    if (!record || !report) return PADIC_ERROR_ARGUMENT;
    report->trajectories = record->next / (record->what.blocks + 1);
    report->size = record->at;
    report->held = record->held;
    report->complete = record->next == record->what.pieces;
    return PADIC_OK;
}

PADIC_API padic_result padic_rollout_record_end(padic_context *context,
                                                padic_rollout_record *record)
{
    padici_rollout_file_block block;
    padic_result result = PADIC_OK;
    uint8_t *index = NULL;
    uint64_t i, size;
    (void)context;
    if (!record || !record->write) return PADIC_ERROR_ARGUMENT;
    size = 8 * record->what.pieces;
    if (record->next != record->what.pieces) result = PADIC_ERROR_MISMATCH;
    if (record->failed) result = PADIC_ERROR_CALLBACK;
    if (!result) index = (uint8_t *)padici_alloc(&record->allocator, (size_t)size, 16);
    if (!result && !index) result = PADIC_ERROR_MEMORY;
    if (!result) {
        const uint64_t at = record->at;
        for (i = 0; i < record->what.pieces; i++)
            padici_store64(index + 8 * i, record->piece[i].at);
        memset(&block, 0, sizeof block);
        block.tag = PADICI_ROLLOUT_FILE_INDEX;
        block.size = size;
        result = padici_rollout_file_put_block(record, &block, index);
        block.tag = PADICI_ROLLOUT_FILE_END;
        block.size = 0;
        block.trajectory = record->what.pieces;
        block.frame = at;
        if (!result) result = padici_rollout_file_put_block(record, &block, index);
    }
    if (index) padici_free(&record->allocator, index, (size_t)size);
    padici_rollout_file_free(record);
    return result;
}

PADIC_API uint64_t padic_rollout_record_size_bound(padic_context *context,
                                                   const padic_rollout_record_desc *desc)
{
    padic_allocator allocator;
    padic_codec_pack_desc pack;
    padic_rollout_record *r;
    padic_bytes beginning;
    uint64_t bytes = 0, each = 0, k, last;
    if (!desc || !desc->run || !desc->run->op.nodes) return 0;
    padici_rollout_file_allocator(context, &allocator);
    r = (padic_rollout_record *)padici_alloc(&allocator, sizeof *r, 16);
    if (!r) return 0;
    memset(r, 0, sizeof *r);
    memset(&beginning, 0, sizeof beginning);
    r->allocator = allocator;
    padici_rollout_file_what_of(desc, &r->what);
    if (!padici_rollout_file_check(NULL, desc, &r->what) &&
        !padici_rollout_file_beginning(context, r, &beginning) &&
        !padici_rollout_file_follow(&r->what)) {
        padici_rollout_file_pack_desc(&r->what, &pack);
        pack.tensor = r->what.run.initial;
        for (k = 0; k < 2 && r->what.blocks; k++) { // whole blocks, and the last one
            last = padici_rollout_file_frames_of(&r->what, k ? r->what.blocks - 1 : 0);
            pack.tensor.shape[0] = last;
            each += (k ? 1 : r->what.blocks - 1) *
                    (PADICI_ROLLOUT_FILE_HEAD + padic_codec_size_bound(&pack));
        }
        each += PADICI_ROLLOUT_FILE_HEAD + padici_rollout_file_result_bytes(&r->what);
        if (each < UINT64_MAX / 4 / r->what.trajectories)
            bytes = beginning.size + r->what.trajectories * each + 8 * r->what.pieces +
                    2 * PADICI_ROLLOUT_FILE_HEAD;
    }
    if (beginning.data) padici_free(&allocator, beginning.data, (size_t)beginning.size);
    padici_rollout_file_free(r);
    return bytes;
}

#endif
