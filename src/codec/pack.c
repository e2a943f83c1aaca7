// ---- packing

// "operation: what is wrong", with the sentence of the header where it has one.
static padic_result padici_codec_fail(padic_context *context, const char *operation,
                                      const padici_header *header, padic_result result)
{
    const char *before;
    char space[256];
    padici_text text;
    padici_text_begin(&text, space, sizeof space);
    padici_text_add(&text, header && header->fault ? header->fault : padic_result_text(result));
    if (header && header->fault && header->need) {
        padici_text_number(&text, header->need, 1);
        padici_text_add(&text, " bytes");
    }
    before = padici_enter(context, operation);
    padici_fail_here(context, result, space);
    padici_leave(context, before);
    return result;
}

static int padici_is_prime(uint32_t p)
{
    uint32_t d;
    for (d = 2; d * d <= p; d++)
        if (p % d == 0) return 0;
    return p > 1;
}

// An array that packer and unpacker both have, or NULL; and the strides of its elements.
typedef struct padici_aside {
    const uint8_t *data;
    int64_t stride[PADIC_MAX_RANK];
    uint64_t shape[PADIC_MAX_RANK];
} padici_aside;

static void padici_take_aside(const padic_tensor *t, padici_aside *aside)
{
    uint32_t k;
    memset(aside, 0, sizeof *aside);
    aside->shape[0] = 1;
    aside->stride[0] = 1;
    if (!t->data) return;
    aside->data = (const uint8_t *)t->data;
    for (k = 0; k < t->rank; k++) aside->shape[k] = t->shape[k];
    padici_tensor_dense(t, aside->stride);
    if (t->rank == 0) aside->stride[0] = 1;
}

// Whether `t` is an array of that dtype and of the grid's shape (or, if `blocks`, one of its
// blocks). Of a stream of unknown length any number of rows will do.
static padic_result padici_aside_fits(const padic_tensor *t, padic_dtype dtype,
                                      const padici_grid *grid, const uint64_t *shape)
{
    uint64_t count;
    uint32_t k;
    const padic_result result = padici_tensor_check(t, &count);
    if (result) return result;
    if (t->dtype != dtype || t->rank != grid->rank) return PADIC_ERROR_MISMATCH;
    for (k = 0; k < t->rank; k++)
        if (t->shape[k] != shape[k] && !(k == 0 && shape[k] == PADIC_CODEC_UNKNOWN))
            return PADIC_ERROR_MISMATCH;
    return PADIC_OK;
}

static padic_result padici_check_importance(const padic_codec_desc *desc, const padici_grid *grid)
{
    padic_result result = PADIC_OK;
    if (desc->importance.data) {
        result = padici_aside_fits(&desc->importance, PADIC_F32, grid, grid->blocks);
        if (result == PADIC_ERROR_MISMATCH)
            result = padici_aside_fits(&desc->importance, PADIC_F32, grid, grid->shape);
    }
    return result;
}

// A block of it as the codec has blocks. 0: the array does not reach so far.
static int padici_load_aside(const padici_aside *aside, const padici_grid *grid,
                             const uint64_t *begin, const uint64_t *extent, uint8_t *raw,
                             const padici_box *box)
{
    int64_t dense[PADIC_MAX_RANK];
    const uint8_t *from = aside->data;
    uint32_t k;
    for (k = 0; k < grid->axes; k++) {
        if (begin[k] + extent[k] > aside->shape[k]) return 0;
        from += (int64_t)begin[k] * aside->stride[k] * (int64_t)grid->element;
    }
    padici_dense_strides(extent, grid->axes, dense);
    padici_copy_box(raw, dense, grid->dtype, from, aside->stride, grid->dtype, extent, grid->axes,
                    NULL, 0);
    padici_swap_elements(raw, box->n, box->size);
    return 1;
}

// The block's part of a reference, if there is one.
static void padici_load_reference(padici_work *w, const padici_aside *aside,
                                  const padici_grid *grid, uint64_t index)
{
    uint64_t begin[PADIC_MAX_RANK], extent[PADIC_MAX_RANK];
    padici_box box;
    w->referenced = 0;
    if (!aside->data) return;
    padici_grid_block(grid, index, begin, extent, &box);
    w->referenced = padici_load_aside(aside, grid, begin, extent, w->reference, &box);
    if (w->referenced) w->digest = (*w->loops->checksum)(w->reference, box.n * box.size, index);
}

// What was just decoded becomes the reference of the next layer.
static void padici_next_layer(padici_work *w, const padici_box *box, uint64_t index)
{
    uint8_t *raw = w->raw;
    w->raw = w->reference;
    w->reference = raw;
    w->referenced = 1;
    w->digest = (*w->loops->checksum)(w->reference, box->n * box->size, index);
}

// What a reader must know for what these settings may write.
static void padici_choose_features(const padic_codec_desc *desc, padici_header *header)
{
    padici_grid *grid = &header->grid;
    const uint32_t patterns = desc->stages.patterns, coders = desc->stages.coders;
    const uint32_t predictors = desc->stages.predictors;
    const int floats = grid->dtype == PADIC_F32 || grid->dtype == PADIC_F64 ||
                       grid->dtype == PADIC_C64 || grid->dtype == PADIC_C128;
    // within a bound contexts and repeats of bytes come one level sooner
    const uint32_t level =
        header->level + (desc->bound_mode != PADIC_BOUND_NONE && grid->capacity >= 8192);
    if (desc->profile) return;
    if (coders ? coders >> PADICI_CODER_CONTEXT & 1 : level >= 6)
        header->features |= PADICI_FEATURE_CONTEXT;
    if ((coders ? coders >> PADICI_CODER_REPEAT & 1
                : (level >= 6 || (header->level == 5 && floats)) && grid->capacity >= 8192) ||
        desc->stages.forms >> PADICI_FORM_PLAIN & 1)
        header->features |= PADICI_FEATURE_REPEAT;
    if (predictors ? predictors >> PADICI_PREDICT_LINEAR & 1
                   : header->level >= 5 && grid->capacity >= 8192)
        header->features |= PADICI_FEATURE_LINEAR;
    if ((header->features & PADICI_FEATURE_LINEAR) && floats)
        header->features |= PADICI_FEATURE_FLOATS;
    if (header->planes > 1 || desc->reference.data ||
        !(patterns == 0 || patterns >> PADICI_PATTERN_MATCH & 1) ||
        (desc->bound_mode != PADIC_BOUND_NONE &&
         (patterns || header->level < 4 || desc->bound_mode > PADIC_BOUND_POINTWISE)))
        return;
    header->features |= PADICI_FEATURE_MATCH;
    if ((patterns == 0 && header->level < 4) || grid->capacity == 0 ||
        (grid->total < 2 && !header->flags))
        return;
    grid->span = PADICI_WINDOW / (uint32_t)grid->capacity;
    if (desc->bound_mode != PADIC_BOUND_NONE) grid->span *= 2;
    if (grid->span > PADICI_WINDOW_MOST) grid->span = PADICI_WINDOW_MOST;
    if (grid->span > 1) header->features |= PADICI_FEATURE_WINDOW;
    if (grid->span == 0) grid->span = 1;
}

// What a desc is checked for: packing, its sizes alone, or a stream, whose tensor has no data and
// may have no length yet.
enum { PADICI_CHECK_PACK, PADICI_CHECK_SIZES, PADICI_CHECK_STREAM };

static padic_result padici_codec_check(const padic_codec_desc *desc, int purpose,
                                       padici_header *header)
{
    const int stream = purpose == PADICI_CHECK_STREAM;
    padic_tensor t;
    uint64_t count;
    uint32_t k;
    padic_result result;
    memset(header, 0, sizeof *header);
    if (!desc)
        return padici_reject(header, PADIC_ERROR_ARGUMENT, "desc is NULL: give one with a tensor");
    t = desc->tensor;
    if (purpose != PADICI_CHECK_PACK) t.data = &t; // not read
    if (stream) {
        if (t.rank && t.shape[0] == PADIC_CODEC_UNKNOWN) {
            t.shape[0] = 1;
            header->flags = PADICI_UNKNOWN_LENGTH;
        }
        for (k = 0; k < t.rank && k < PADIC_MAX_RANK; k++)
            if (t.stride[k])
                return padici_reject(header, PADIC_ERROR_ARGUMENT,
                                    "tensor.stride must be 0 in a stream: it is dense");
    }
    result = padici_tensor_check(&t, &count);
    if (result) return padici_reject(header, result, padici_view_fault(&t, result));
    if (desc->level < 0 || desc->level > 9)
        return padici_reject(header, PADIC_ERROR_ARGUMENT,
                                "level is not 0 to 9");
    if (desc->flags & ~PADIC_CODEC_NO_PROOF)
        return padici_reject(header, PADIC_ERROR_ARGUMENT,
                                "flags has an unknown bit: only PADIC_CODEC_NO_PROOF is one");
    if (desc->prime > 65537 || (desc->prime && !padici_is_prime(desc->prime)))
        return padici_reject(header, PADIC_ERROR_PRIME,
                                "prime is no prime up to 65537: choose one, or 0");
    if ((uint32_t)desc->bound_mode > PADIC_BOUND_FIXED)
        return padici_reject(header, PADIC_ERROR_BOUND,
                                "bound_mode is no padic_bound_mode");
    if (desc->bound_mode != PADIC_BOUND_NONE) {
        const padic_dtype scalar = padici_scalar(t.dtype);
        if (!(desc->bound > 0) || !(desc->bound <= DBL_MAX) || !(desc->range >= 0) ||
            !(desc->range <= DBL_MAX))
            return padici_reject(header, PADIC_ERROR_BOUND,
                                "bound must be above 0 and finite, range at least 0 and finite");
        if (desc->bound_mode == PADIC_BOUND_POINTWISE && !padici_is_float(scalar))
            return padici_reject(header, PADIC_ERROR_DTYPE,
                                "bound_mode POINTWISE is for floats: use ABSOLUTE or none");
        if (desc->bound_mode == PADIC_BOUND_POINTWISE && !(desc->bound < 1))
            return padici_reject(header, PADIC_ERROR_BOUND,
                                "bound of POINTWISE must be below 1: it is relative");
        if (stream && desc->bound_mode == PADIC_BOUND_RANGE && desc->range == 0)
            return padici_reject(header, PADIC_ERROR_BOUND,
                                "range is 0: a stream with bound_mode RANGE must be told it");
        // the whole array is searched for these
        if (stream && desc->bound_mode >= PADIC_BOUND_RMS)
            return padici_reject(header, PADIC_ERROR_BOUND,
                                "bound_mode RMS or FIXED searches the whole array: not in streams");
    }
    if (desc->planes > PADICI_MAX_PLANES || (desc->planes > 1 && stream))
        return padici_reject(header, PADIC_ERROR_ARGUMENT,
                            stream ? "planes must be 0 or 1 in a stream"
                                   : "planes is above 8: choose 2 to 8 layers, or 0");
    if ((uint32_t)desc->profile > PADIC_CODEC_CODED)
        return padici_reject(header, PADIC_ERROR_ARGUMENT,
                                "profile is no padic_codec_profile");
    if (desc->profile) {
        const padic_codec_stages *m = &desc->stages;
        if (desc->bound_mode > PADIC_BOUND_RANGE ||
            (desc->bound_mode != PADIC_BOUND_NONE && padici_scalar(t.dtype) > PADIC_F32))
            return padici_reject(header, PADIC_ERROR_BOUND,
                                "bound_mode of a profile is ABSOLUTE or RANGE, of f32 and f64");
        if (desc->planes > 1 || desc->prime || desc->reference.data || desc->importance.data ||
            (m->forms | m->predictors | m->patterns | m->digits | m->coders))
            return padici_reject(header, PADIC_ERROR_ARGUMENT,
                                "profile excludes planes, prime, reference, importance and stages");
    }
    for (k = 1; k < t.rank; k++)
        if ((desc->block[k] == 0) != (desc->block[0] == 0))
            return padici_reject(header, PADIC_ERROR_ARGUMENT,
                                "block is 0 on some axes: give all extents, or none");
    result = padici_grid_make(desc, &header->grid);
    if (result)
        header->fault = "block has more than 2^20 scalars: choose a smaller one";
    if (!result && desc->reference.data) {
        result =
            padici_aside_fits(&desc->reference, header->grid.dtype, &header->grid,
                              header->grid.shape);
        if (result) header->fault = "reference must have the dtype and shape of tensor";
    }
    if (!result) {
        result = padici_check_importance(desc, &header->grid);
        if (result) header->fault = "importance must be f32, of tensor's shape or one a block";
    }
    if (header->flags) header->grid.shape[0] = PADIC_CODEC_UNKNOWN;
    header->planes = desc->planes > 1 ? desc->planes : 1;
    header->features = (header->planes > 1 ? PADICI_FEATURE_PLANES : 0) |
                       (desc->reference.data ? PADICI_FEATURE_REFERENCE : 0);
    header->version = PADIC_CODEC_WIRE_VERSION;
    header->level = desc->profile ? 0 : desc->level ? (uint32_t)desc->level : 5;
    padici_choose_features(desc, header);
    header->size = (uint32_t)padici_header_size(header->grid.rank, header->features);
    header->bound_mode = desc->bound_mode;
    header->bound = desc->bound_mode ? desc->bound : 0;
    return result;
}

// Where packed bytes go: into memory as far as it reaches, or to the caller's function.
typedef struct padici_sink {
    uint8_t *dst;
    uint64_t capacity, written;
    padic_codec_write write;
    void *user;
} padici_sink;

static padic_result padici_emit(padici_sink *sink, const void *data, size_t size)
{
    if (sink->write) {
        if ((*sink->write)(data, size, sink->user) != 0) return PADIC_ERROR_CALLBACK;
    } else if (sink->written <= sink->capacity && size <= sink->capacity - sink->written && size) {
        memcpy(sink->dst + sink->written, data, size);
    }
    sink->written += size;
    return PADIC_OK;
}

// Blocks that one worker begins with and others may go on with: a super-block, those that share a
// hint, or one block; less where the slots do not reach.
typedef struct padici_group {
    uint64_t number, next, end; // blocks [next, end) no worker has
    int busy;                   // not to be taken: the one before is loaded, or makes the hint
    padici_hint hint;
} padici_group;

// One packing: several workers, each with its own memory, take blocks in order as far as they can.
// Into memory a frame goes to its place once all before it are packed; till then it has a slot.
typedef struct padici_packing {
    padici_header header;
    padici_bound bound;
    padici_sink sink;
    const padic_jobs *jobs;
    padici_codec_loops loops;
    uint32_t workers;
    padici_work *work; // one a worker
    uint8_t *slots;    // a frame each: `batch` of them; of one worker its own payload's place
    size_t slot;
    uint32_t batch;
    const uint8_t *data; // the source, its strides, and the row it begins at
    int64_t stride[PADIC_MAX_RANK];
    uint64_t first_row;
    uint64_t first, count; // blocks in work
    padici_aside reference, importance;
    padici_bound layers[PADICI_MAX_PLANES]; // the last one as asked for
    uint32_t layer;                         // that is emitted
    const uint8_t *above;                   // where those before were; NULL: they are not there
    int measuring;                          // in place of a checksum: squares of errors
    int proving;                            // blocks are decoded and compared
    padici_hint hint;                       // of the group that the blocks before ended in
    struct padici_kept *kept; // the super-blocks in work: number k is in kept[k % supers]
    uint32_t supers;
    long lock;                      // for all that follows
    uint64_t begun, placed, copied; // before these blocks: groups are begun, places known, left
    uint64_t *places;               // where their frames go
    const uint8_t **frames;         // of each slot: the frame that waits there
    padici_group *groups;           // number k is in groups[k % (2 * workers)]
    uint64_t born, low;             // groups begun, those before the first with blocks to take
    uint64_t ready;                 // blocks to take in groups that are not busy
    padici_hint last;
    double squares;                 // their sum
    double allowed;                 // PADIC_BOUND_RMS: what that may be at the end
    padici_steps steps;             // blocks
} padici_packing;

// What the packer keeps of a super-block.
typedef struct padici_kept {
    uint32_t open;    // blocks begun and not packed
    uint8_t *history; // elements of its blocks so far, and where each begins
    size_t starts[PADICI_WINDOW_MOST + 1];
    uint32_t *picks;  // and where repeats are looked for in them, first
    size_t picked[PADICI_WINDOW_MOST + 1];
} padici_kept;

#define PADICI_BATCH 4u // slots for each of several workers, at least
#define PADICI_KEPT ((sizeof(padici_kept) + 63) & ~(size_t)63)

// Super-blocks in work at once.
static uint32_t padici_supers(const padici_grid *grid, uint32_t workers, uint32_t blocks)
{
    const uint64_t all = grid->span ? grid->total / grid->span + 1 : 1;
    uint64_t most = 1;
    if (workers > 1 && grid->span) most = blocks * (uint64_t)workers / grid->span;
    if (workers > 1) most = (most < workers ? most : workers) + 2;
    return (uint32_t)(grid->span < 2 ? 0 : all < most ? all : most);
}

static size_t padici_picks_size(const padici_grid *grid)
{
    return (4 * (grid->span * grid->capacity + 1) + 63) & ~(size_t)63;
}

static size_t padici_history_size(const padici_grid *grid)
{
    const size_t size = padic_dtype_size(padici_scalar(grid->dtype));
    return (grid->span * grid->capacity * size + 127) & ~(size_t)63;
}

// Slots: several workers want enough to go on while one is late.
static uint32_t padici_batch_blocks(const padici_grid *grid, uint32_t workers,
                                    uint32_t blocks)
{
    const uint64_t most = workers > 1 ? blocks * (uint64_t)workers : 1;
    return (uint32_t)(grid->total && grid->total < most ? grid->total : most);
}

// What one worker takes fits a size_t of 32 bits, what all of them take may not.
static uint64_t padici_packing_memory(const padici_grid *grid, uint32_t workers, uint32_t blocks)
{
    const size_t each = padici_work_layout(NULL, grid, 1, NULL);
    const uint64_t batch = padici_batch_blocks(grid, workers, blocks), many = workers;
    return many * (each + ((sizeof(padici_work) + 63) & ~(size_t)63)) +
           (workers > 1 ? batch : 0) * ((padici_slot_size(grid) + 63) & ~(size_t)63) +
           (uint64_t)padici_supers(grid, workers, blocks) *
               (PADICI_KEPT + padici_picks_size(grid) + padici_history_size(grid)) +
           ((2 * many * sizeof(padici_group) + batch * sizeof(void *) + 63) & ~UINT64_C(63));
}

static void padici_packing_place(padici_packing *packing, const padic_codec_desc *desc,
                                 uint32_t blocks, void *memory)
{
    const padici_grid *grid = &packing->header.grid;
    const size_t each = padici_work_layout(NULL, grid, 1, NULL);
    uint8_t *at = (uint8_t *)memory;
    uint32_t i;
    packing->work = (padici_work *)(void *)at;
    at += packing->workers * ((sizeof(padici_work) + 63) & ~(size_t)63);
    for (i = 0; i < packing->workers; i++, at += each) {
        padici_work *w = packing->work + i;
        (void)padici_work_layout(w, grid, 1, at);
        w->loops = &packing->loops;
        w->stages = desc->stages;
        w->prime = desc->prime;
        w->profile = (uint32_t)desc->profile;
        w->level = (int)packing->header.level;
        w->may_match = (packing->header.features & PADICI_FEATURE_MATCH) != 0;
        w->may_know = (packing->header.features & PADICI_FEATURE_CONTEXT) != 0;
        w->may_plain = (packing->header.features & PADICI_FEATURE_REPEAT) != 0;
        w->may_repeat = w->may_plain && (w->level != 5 || desc->bound_mode != PADIC_BOUND_NONE ||
                                         desc->stages.coders || desc->stages.forms);
        w->may_weigh = (packing->header.features & PADICI_FEATURE_LINEAR) != 0;
        if (w->prime == 0 && (desc->stages.digits >> PADICI_DIGITS_PRIME & 1)) w->prime = 3;
    }
    packing->proving = !(desc->flags & PADIC_CODEC_NO_PROOF);
    packing->batch = padici_batch_blocks(grid, packing->workers, blocks);
    packing->slot = (padici_slot_size(grid) + 63) & ~(size_t)63;
    packing->slots = packing->workers > 1 ? at : packing->work->payload - PADICI_FRAME_SIZE;
    packing->supers = padici_supers(grid, packing->workers, blocks);
    if (packing->workers > 1) at += packing->batch * packing->slot;
    packing->kept = (padici_kept *)(void *)at;
    at += packing->supers * PADICI_KEPT;
    for (i = 0; i < packing->supers; i++) {
        padici_kept *kept = packing->kept + i;
        kept->starts[0] = kept->picked[0] = kept->open = 0;
        kept->picks = (uint32_t *)(void *)at;
        kept->history = at + padici_picks_size(grid);
        at += padici_picks_size(grid) + padici_history_size(grid);
    }
    packing->groups = (padici_group *)(void *)at;
    packing->frames = (const uint8_t **)(void *)(packing->groups + 2 * packing->workers);
    memset(at, 0, (uintptr_t)(packing->frames + packing->batch) - (uintptr_t)at);
}

// Within a bound a window holds what the decoder will have: the blocks of a super-block are packed
// one after the other.
static int padici_in_turn(const padici_packing *packing)
{
    return packing->header.grid.span > 1 && packing->header.bound_mode != PADIC_BOUND_NONE;
}

// The elements of a block to raw, dense and little-endian. Returns its extent along axis 0.
static uint32_t padici_load_block(const padici_packing *packing, uint64_t index, uint8_t *raw,
                                  padici_box *box)
{
    const padici_grid *grid = &packing->header.grid;
    uint64_t begin[PADIC_MAX_RANK], extent[PADIC_MAX_RANK];
    int64_t dense[PADIC_MAX_RANK];
    const uint8_t *from = packing->data;
    uint32_t k;
    padici_grid_block(grid, index, begin, extent, box);
    padici_dense_strides(extent, grid->axes, dense);
    for (k = 0; k < grid->axes; k++)
        from += (int64_t)(begin[k] - (k ? 0 : packing->first_row)) * packing->stride[k] *
                (int64_t)grid->element;
    padici_copy_box(raw, dense, grid->dtype, from, packing->stride, grid->dtype, extent,
                    grid->axes, NULL, 0);
    padici_swap_elements(raw, box->n, box->size);
    return (uint32_t)extent[0];
}

// The elements of a block in the source, if they stand there as load_block() would leave them and
// nothing is written over them; else NULL.
static uint8_t *padici_block_in_place(const padici_packing *packing, const uint64_t *begin,
                                      const uint64_t *extent)
{
    const padici_grid *grid = &packing->header.grid;
    int64_t dense[PADIC_MAX_RANK];
    const uint8_t *from = packing->data;
    uint32_t k;
    if (packing->bound.mode != PADIC_BOUND_NONE || packing->header.planes > 1 ||
        packing->measuring || (PADICI_BIG_ENDIAN && grid->element > 1))
        return NULL;
    padici_dense_strides(extent, grid->axes, dense);
    for (k = 0; k < grid->axes; k++) {
        if (extent[k] > 1 && packing->stride[k] != dense[k]) return NULL;
        from += (int64_t)(begin[k] - (k ? 0 : packing->first_row)) * packing->stride[k] *
                (int64_t)grid->element;
    }
    return (uint8_t *)(uintptr_t)from;
}

// The elements of a block to w->raw, with the blocks behind it that may repeat in it.
static uint32_t padici_load_behind(const padici_packing *packing, padici_work *w, uint64_t index,
                                   padici_box *box)
{
    const padici_grid *grid = &packing->header.grid;
    uint64_t begin[PADIC_MAX_RANK], extent[PADIC_MAX_RANK];
    const padici_kept *kept;
    w->slot = 0;
    w->behind = 0;
    padici_grid_block(grid, index, begin, extent, box);
    if (grid->span <= 1) {
        uint8_t *const raw = padici_block_in_place(packing, begin, extent);
        if (!raw) return padici_load_block(packing, index, w->raw, box);
        w->raw = raw;
        return (uint32_t)extent[0];
    }
    kept = packing->kept + index / grid->span % packing->supers;
    w->slot = (uint32_t)(index % grid->span);
    memcpy(w->starts, kept->starts, (w->slot + 2) * sizeof *w->starts);
    w->behind = w->starts[w->slot];
    w->history = kept->history;
    w->past_picks = kept->picks;
    w->past_count = kept->picked[w->slot];
    w->raw = kept->history + w->behind * box->size;
    return (uint32_t)extent[0];
}

// Loads a block behind those of the same super-block.
static void padici_load_kept(padici_packing *packing, const padici_work *w, uint64_t index)
{
    const uint32_t span = packing->header.grid.span;
    padici_kept *kept = packing->kept + index / span % packing->supers;
    const size_t slot = (size_t)(index % span), start = kept->starts[slot];
    uint32_t *picks = kept->picks + kept->picked[slot];
    uint8_t *raw =
        kept->history + start * padic_dtype_size(padici_scalar(packing->header.grid.dtype));
    padici_box box;
    size_t i, count;
    (void)padici_load_block(packing, index, raw, &box);
    kept->starts[slot + 1] = start + box.n;
    if (padici_in_turn(packing)) return;
    count = padici_pick(w, &box, raw, picks);
    for (i = 0; i < count; i++) picks[i] += (uint32_t)start;
    kept->picked[slot + 1] = kept->picked[slot] + count;
}

// The least factor of the bound in a block; 0: lossless.
static double padici_block_importance(const padici_packing *packing, uint64_t index)
{
    const padici_grid *grid = &packing->header.grid;
    const padici_aside *aside = &packing->importance;
    uint64_t begin[PADIC_MAX_RANK], extent[PADIC_MAX_RANK], at[PADIC_MAX_RANK];
    double least = DBL_MAX;
    padici_box box;
    uint32_t k;
    int one = 1;
    padici_grid_block(grid, index, begin, extent, &box);
    for (k = 0; k < grid->axes; k++) one &= aside->shape[k] == grid->blocks[k];
    for (k = 0; k < grid->axes && one; k++) {
        begin[k] /= grid->block[k];
        extent[k] = 1;
    }
    memset(at, 0, sizeof at);
    for (;;) {
        const uint8_t *p = aside->data;
        float x;
        for (k = 0; k < grid->axes; k++) p += (int64_t)(begin[k] + at[k]) * aside->stride[k] * 4;
        memcpy(&x, p, 4);
        if (!(x > 0 && x <= FLT_MAX)) return 0;
        if ((double)x < least) least = (double)x;
        for (k = grid->axes; k-- > 0;) {
            if (++at[k] < extent[k]) break;
            at[k] = 0;
        }
        if (k == UINT32_MAX) return least;
    }
}

static double padici_down(double x);
static double padici_product_down(double a, double b);

// The bound of one layer in one block.
static padici_bound padici_block_bound(const padici_packing *packing, uint32_t layer,
                                       uint64_t index)
{
    padici_bound bound = packing->layers[layer];
    double factor;
    if (!packing->importance.data || bound.mode == PADIC_BOUND_NONE) return bound;
    factor = padici_block_importance(packing, index);
    bound.absolute = padici_product_down(bound.absolute, factor);
    bound.pointwise = padici_product_down(bound.pointwise, factor);
    if (bound.pointwise >= 1) bound.pointwise = 0.9375;
    if (!(factor > 0) || (bound.mode != PADIC_BOUND_POINTWISE && !(bound.absolute > 0)))
        bound.mode = PADIC_BOUND_NONE;
    return bound;
}

// What the elements of two blocks of finite ones differ by: the greatest, or the sum of squares.
static double padici_differ(const padici_box *box, const uint8_t *a, const uint8_t *b, int squares)
{
    double sum = 0, d;
    size_t i;
    for (i = 0; i < box->n; i++) {
        const uint64_t p = padici_element(a, i, box->size), q = padici_element(b, i, box->size);
        if (p == q) continue;
        if (padici_is_float(box->dtype)) {
            d = padici_value(box->dtype, p) - padici_value(box->dtype, q);
        } else {
            const uint64_t x = padici_ordered(box->dtype, p, box->size);
            const uint64_t y = padici_ordered(box->dtype, q, box->size);
            const int above = padici_is_signed(box->dtype) ? (int64_t)y > (int64_t)x : y > x;
            d = (double)(above ? y - x : x - y);
        }
        if (d < 0) d = -d;
        if (squares) sum = sum + d * d;
        if (!squares && d > sum) sum = d;
    }
    return sum;
}

// Whether |x - y| <= share |x|, exactly: a product and a difference as two doubles each. Powers of
// two keep both away from overflow and underflow. Of what is infinite or no number it is 0: d is
// infinite and product is not, or d, product or low is NaN, which no comparison holds for.
static int padici_within_share(double x, double y, double share)
{
    const double size = x < 0 ? -x : x, most = size * share;
    double scale = 1, high, low, product, rest, d, z;
    if (most >= 1e-280 && padici_within(x, y, most * (1 - 4.5e-16))) return 1;
    if (size < 1e-100) scale = 1.3407807929942597e154; // 2^512
    if (size > 1e150) scale = 7.458340731200207e-155;  // 2^-512
    x *= scale;
    y *= scale;
    if (x < 0) x = -x, y = -y;
    product = x * share; // rest = x share - product: x and share in halves of 26 bits
    z = x * 134217729.0;
    high = z - (z - x);
    low = x - high;
    z = share * 134217729.0;
    d = z - (z - share);
    z = share - d;
    rest = ((high * d - product) + high * z + low * d) + low * z;
    d = x - y; // and what that drops
    z = d - x;
    low = (x - (d - z)) + (-y - z);
    if (d < 0) d = -d, low = -low;
    return d < product || (d == product && low <= rest);
}

// The end of a stretch [from, to) whose elements b all differ from a by less than the bound, as far
// as rounded differences tell; `from` where one may not.
static size_t padici_near(const padici_box *box, double bound, const uint8_t *a, const uint8_t *b,
                          size_t from, size_t to)
{
    uint32_t outside = 0;
    size_t i;
    if (box->dtype == PADIC_F32 && !PADICI_BIG_ENDIAN) {
        for (i = from; i < to; i++) {
            float x, y;
            double d;
            memcpy(&x, a + 4 * i, 4);
            memcpy(&y, b + 4 * i, 4);
            d = (double)x - (double)y;
            outside |= !(d < bound) | !(d > -bound);
        }
    } else if (box->dtype == PADIC_F64 && !PADICI_BIG_ENDIAN) {
        for (i = from; i < to; i++) {
            double x, y;
            memcpy(&x, a + 8 * i, 8);
            memcpy(&y, b + 8 * i, 8);
            x -= y;
            outside |= !(x < bound) | !(x > -bound);
        }
    } else {
        return memcmp(a + from * box->size, b + from * box->size, (to - from) * box->size) ? from
                                                                                          : to;
    }
    return outside ? from : to;
}

// Whether elements b stand for a within the bound, exactly; what is no number to the bit.
static int padici_keeps(const padici_box *box, const padici_bound *bound, const uint8_t *a,
                        const uint8_t *b)
{
    const int pointwise = bound->mode == PADIC_BOUND_POINTWISE;
    const uint64_t most = bound->absolute < 18446744073709551615.0 ? (uint64_t)bound->absolute
                                                                   : UINT64_MAX;
    size_t i, from = 0;
    for (i = 0; i < box->n; i++) {
        uint64_t p, q;
        if (i % 256 == 0 && !pointwise) { // a stretch of them by rounded differences, if these do
            from = padici_near(box, bound->absolute, a, b, i, padici_least(i + 256, box->n));
            if (from > i) {
                i = from - 1;
                continue;
            }
        }
        p = padici_element(a, i, box->size);
        q = padici_element(b, i, box->size);
        if (p == q) continue;
        if (padici_is_float(box->dtype)) {
            const double x = padici_value(box->dtype, p), y = padici_value(box->dtype, q);
            if (pointwise ? !padici_within_share(x, y, bound->pointwise)
                          : !padici_within(x, y, bound->absolute))
                return 0;
        } else {
            const uint64_t x = padici_ordered(box->dtype, p, box->size);
            const uint64_t y = padici_ordered(box->dtype, q, box->size);
            const int above = padici_is_signed(box->dtype) ? (int64_t)y > (int64_t)x : y > x;
            if ((above ? y - x : x - y) > most) return 0;
        }
    }
    return 1;
}

// Whether the payload is the elements in w->raw as they are.
static int padici_is_raw(const padici_work *w, const padici_box *box, size_t size)
{
    return w->payload[0] == PADICI_FORM_RAW &&
           size == box->n * box->size + 1 + PADICI_PAYLOAD_PAD &&
           !memcmp(w->payload + 1, w->raw, size - 1 - PADICI_PAYLOAD_PAD);
}

// The elements in w->raw as they are, in place of what did not come back. Tests end there.
#ifndef PADICI_REENCODED
#define PADICI_REENCODED ((void)0)
#endif
static size_t padici_reencode(padici_work *w, const padici_box *box)
{
    const size_t size = padici_pack_raw(w, box);
    PADICI_REENCODED;
    w->reencoded++;
    if (!padici_is_raw(w, box, size)) w->broken = 1;
    return size;
}

// Decodes the payload of a block as a reader will, and stores the block as it is if it does not
// come back. Within a bound w->raw has the decoded elements then. Returns the payload's size.
static size_t padici_prove_block(const padici_packing *packing, padici_work *w,
                                 const padici_box *box, const padici_bound *bound, uint64_t index,
                                 size_t size)
{
    const int exact = bound->mode == PADIC_BOUND_NONE;
    const uint32_t reach = padici_reach(w->payload, size);
    const size_t all = box->n * box->size;
    uint8_t *const source = w->raw;
    padici_plan plan;
    int good;
    if (exact && !packing->proving) return size;
    if (exact && padici_is_raw(w, box, size)) return size;
    w->past = 0;
    if (reach) {
        const uint32_t span = packing->header.grid.span, slot = (uint32_t)(index % span);
        const padici_kept *kept = packing->kept + index / span % packing->supers;
        w->past = kept->starts[slot] - kept->starts[slot - reach];
        w->history = kept->history + kept->starts[slot - reach] * box->size;
    }
    if (exact) w->raw = (uint8_t *)w->trial; // the packer does not need it now
    good = padici_take_block(w, box, w->payload, size, &plan, NULL);
    w->past = 0;
    if (exact) {
        good = good && !memcmp(source, w->raw, all);
        w->raw = source;
    } else if (packing->proving || !good) {
        padici_box same;
        (void)padici_load_block(packing, index, w->record, &same);
        good = good && padici_keeps(box, bound, w->record, w->raw);
        if (!good) memcpy(w->raw, w->record, all);
    }
    return good ? size : padici_reencode(w, box);
}

// Whether the layer before came out as it did when it was emitted: the reader has that one.
static int padici_layer_stands(const padici_packing *packing, const padici_work *w, uint64_t index)
{
    const uint64_t total = packing->header.grid.total;
    const uint64_t *place = packing->places + (index - packing->first);
    return !packing->above ||
           padici_load64(packing->above + place[-(int64_t)total] + 8) == w->digest;
}

// Packs one block, layer after layer as far as the one that is emitted. The last payload stands in
// w->payload, what the decoder will have in w->raw.
static size_t padici_pack_layers(padici_packing *packing, padici_work *w, uint64_t index,
                                 padici_box *box, uint32_t *rows)
{
    const uint64_t reencoded = w->reencoded;
    uint32_t layer;
    size_t size = 0;
    *rows = padici_load_behind(packing, w, index, box);
    padici_load_reference(w, &packing->reference, &packing->header.grid, index);
    for (layer = 0; layer <= packing->layer; layer++) {
        padici_bound bound = padici_block_bound(packing, layer, index);
        w->reencoded = reencoded; // the layers before were counted when they were emitted
        if (layer) {
            // a layer that came nearer than it had to is not made worse
            double worst;
            (void)padici_load_block(packing, index, w->record, box);
            worst = padici_down(padici_differ(box, w->raw, w->record, 0));
            if (bound.mode == PADIC_BOUND_ABSOLUTE || bound.mode == PADIC_BOUND_RANGE) {
                if (worst < bound.absolute) bound.absolute = worst;
                if (!(bound.absolute > 0)) bound.mode = PADIC_BOUND_NONE;
            }
            padici_next_layer(w, box, index);
            (void)padici_load_block(packing, index, w->raw, box);
        }
        if (layer == packing->layer && !padici_layer_stands(packing, w, index)) {
            size = padici_reencode(w, box);
            break;
        }
        size = padici_pack_block(w, box, &bound);
        size = padici_prove_block(packing, w, box, &bound, index, size);
    }
    if (packing->measuring) w->reencoded = reencoded;
    return size;
}

// What the decoder will have of a block to its place in the window, for those that follow.
static void padici_keep_decoded(padici_packing *packing, padici_work *w, const padici_box *box,
                                uint64_t index)
{
    const uint32_t span = packing->header.grid.span, slot = (uint32_t)(index % span);
    padici_kept *kept = packing->kept + index / span % packing->supers;
    uint32_t *picks = kept->picks + kept->picked[slot];
    uint8_t *place = kept->history + kept->starts[slot] * box->size;
    size_t i, count;
    count = padici_pick(w, box, place, picks);
    for (i = 0; i < count; i++) picks[i] += (uint32_t)kept->starts[slot];
    kept->picked[slot + 1] = kept->picked[slot] + count;
}

// Levels 1 and 2: what the group's first block chose; found again where another worker packed it.
static void padici_take_hint(padici_packing *packing, padici_work *w, uint64_t index)
{
    const uint64_t group = index / PADICI_HINT_GROUP;
    padici_hint *hint = w->hint;
    hint->use = 0;
    if (w->level > 2 || packing->bound.mode != PADIC_BOUND_NONE || packing->header.planes > 1 ||
        packing->reference.data || packing->header.grid.capacity < PADICI_RUNS * PADICI_RUN)
        return;
    if (hint->group != group + 1 && packing->hint.group == group + 1) {
        *hint = packing->hint;
    } else if (hint->group != group + 1) {
        memset(hint, 0, sizeof *hint);
        hint->group = group + 1;
        hint->lead = 1;
        if (index % PADICI_HINT_GROUP) {
            uint8_t *const own = w->raw;
            padici_box box;
            (void)padici_load_behind(packing, w, index - index % PADICI_HINT_GROUP, &box);
            (void)padici_pack_block(w, &box, &packing->bound);
            w->raw = own;
        }
    }
    if (index % PADICI_HINT_GROUP) hint->lead = 0;
    hint->use = hint->found && !hint->lead;
}

// Begins the next group, if there are slots and memory for it.
static padici_group *padici_begin_group(padici_packing *packing)
{
    const uint32_t span = packing->header.grid.span, batch = packing->batch;
    const uint64_t first = packing->begun, last = packing->first + packing->count;
    const int hints = packing->work->level < 3;
    const uint32_t each = span > 1 ? span : hints ? PADICI_HINT_GROUP : 1;
    padici_group *group = packing->groups + packing->born % (2 * packing->workers);
    uint64_t end = (first / each + 1) * each, b;
    if (end > last) end = last;
    if (end > first + batch) end = first + batch;
    if (first >= last || end > packing->copied + batch ||
        packing->born - packing->low >= 2 * packing->workers)
        return NULL;
    for (b = first; b < end; b++)
        if (packing->frames[b % batch]) return NULL;
    if (span > 1) { // a hint may have to be made again from the super-block before
        padici_kept *kept = packing->kept + first / span % packing->supers;
        if (kept->open || (hints && packing->kept[(first / span + 1) % packing->supers].open))
            return NULL;
        kept->open = (uint32_t)(end - first);
    }
    group->number = packing->born++;
    group->next = first;
    group->end = packing->begun = end;
    group->busy = 0;
    return group;
}

// What a worker does next. It waits only while others are at work, so that jobs may also run one
// after the other, and not for long.
enum { PADICI_TURN_NONE, PADICI_TURN_COPY, PADICI_TURN_PACK, PADICI_TURN_WAIT };

typedef struct padici_turn {
    int lead; // of a group with a hint
    uint64_t block, number;
    padici_group *group; // that number
} padici_turn;

static int padici_next_turn(padici_packing *packing, padici_work *w, padici_turn *turn)
{
    const int windows = packing->header.grid.span > 1, in_turn = padici_in_turn(packing);
    const uint32_t groups = 2 * packing->workers;
    padici_group *group = turn->group, *other;
    uint64_t g;
    int wait = 0;
    while (packing->copied < packing->placed) {
        turn->block = packing->copied++;
        if (packing->frames[turn->block % packing->batch]) return PADICI_TURN_COPY;
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
        group = padici_begin_group(packing);
        turn->lead = group != NULL && !windows;
    }
    for (g = packing->low; g < packing->born && !group; g++) {
        other = packing->groups + g % groups;
        if (other->next == other->end) continue;
        wait |= other->busy && !in_turn;
        if (!other->busy) group = other;
    }
    if (!group)
        return wait || packing->begun < packing->first + packing->count ? PADICI_TURN_WAIT
                                                                        : PADICI_TURN_NONE;
    turn->group = group;
    turn->number = group->number;
    turn->block = group->next++;
    if (!windows && !turn->lead) {
        *w->hint = group->hint;
        packing->ready--;
    }
    if (windows || turn->lead) group->busy = 1;
    return PADICI_TURN_PACK;
}

// Others may take blocks of the group.
static void padici_free_group(padici_packing *packing, const padici_work *w,
                              const padici_turn *turn)
{
    padici_group *group = turn->group;
    if (group->number != turn->number) return; // that had no more blocks
    group->busy = 0;
    if (!turn->lead) return;
    group->hint = *w->hint;
    packing->ready += group->end - group->next;
}

static void padici_copy_frame(const padici_packing *packing, uint64_t block, const uint8_t *frame)
{
    const padici_sink *sink = &packing->sink;
    const uint64_t at = packing->places[block - packing->first];
    const size_t size = PADICI_FRAME_SIZE + padici_load32(frame);
    if (at <= sink->capacity && size <= sink->capacity - at) memcpy(sink->dst + at, frame, size);
}

// The frame of a block that was packed, in w->payload, goes to its place if that is known; else to
// its slot. Those behind it may have places then.
static void padici_end_turn(padici_packing *packing, padici_work *w, const padici_turn *turn)
{
    const uint8_t *const frame = w->payload - PADICI_FRAME_SIZE, *from;
    uint8_t *const slot = packing->slots + turn->block % packing->batch * packing->slot;
    const int together = !packing->sink.write;
    int direct;
    padici_lock(&packing->lock, PADICI_LOCK);
    direct = together && packing->placed == turn->block;
    if (!direct && slot != frame) {
        padici_lock(&packing->lock, PADICI_UNLOCK);
        memcpy(slot, frame, PADICI_FRAME_SIZE + padici_load32(frame));
        padici_lock(&packing->lock, PADICI_LOCK);
    }
    packing->frames[turn->block % packing->batch] = direct ? frame : slot;
    if (packing->supers)
        packing->kept[turn->block / packing->header.grid.span % packing->supers].open--;
    if (w->level < 3 && w->hint->group >= packing->last.group) packing->last = *w->hint;
    if (turn->lead) padici_free_group(packing, w, turn);
    while (together && packing->placed < packing->begun &&
           (from = packing->frames[packing->placed % packing->batch]) != NULL) {
        if (from == frame) packing->frames[packing->placed % packing->batch] = NULL;
        packing->places[packing->placed++ - packing->first] = packing->sink.written;
        packing->sink.written += PADICI_FRAME_SIZE + padici_load32(from);
        if (packing->measuring) packing->squares += padici_double_of(padici_load64(from + 8));
    }
    padici_lock(&packing->lock, PADICI_UNLOCK);
    if (direct) padici_copy_frame(packing, turn->block, frame);
}

static void padici_pack_one(padici_packing *packing, padici_work *w, uint64_t index)
{
    uint8_t *const frame = w->payload - PADICI_FRAME_SIZE, *const own = w->raw;
    const int in_turn = padici_in_turn(packing);
    double squares = 0;
    uint32_t rows;
    padici_box box;
    size_t size;
    padici_take_hint(packing, w, index);
    size = padici_pack_layers(packing, w, index, &box, &rows);
    padici_store32(frame, (uint32_t)size);
    padici_store32(frame + 4, rows);
    if (packing->measuring || packing->allowed > 0) {
        (void)padici_load_block(packing, index, w->record, &box);
        squares = padici_differ(&box, w->raw, w->record, 1);
        w->squares += squares;
    }
    padici_store64(frame + 8, packing->measuring
                                  ? padici_bits_of(squares)
                                  : (*w->loops->checksum)(w->raw, box.n * box.size, index));
    if (in_turn) padici_keep_decoded(packing, w, &box, index);
    // where the elements were read in their place; no other buffers changed places then
    if (in_turn || (packing->bound.mode == PADIC_BOUND_NONE && packing->header.planes == 1))
        w->raw = own;
}

static void padici_pack_task(void *arg, uint32_t task)
{
    padici_packing *packing = (padici_packing *)arg;
    padici_work *w = packing->work + task;
    uint32_t patience = 500;
    padici_turn turn;
    int kind = PADICI_TURN_NONE, stop = 0;
    memset(&turn, 0, sizeof turn);
    padici_lock(&packing->lock, PADICI_LOCK);
    while (!stop && (kind = padici_next_turn(packing, w, &turn)) != PADICI_TURN_NONE) {
        const uint8_t **frame = packing->frames + turn.block % packing->batch;
        if (kind == PADICI_TURN_WAIT && !patience) break;
        padici_lock(&packing->lock, PADICI_UNLOCK);
        if (kind == PADICI_TURN_WAIT) {
            padici_idle(200);
            patience--;
        } else if (kind == PADICI_TURN_COPY) {
            padici_copy_frame(packing, turn.block, *frame);
        } else {
            patience = 500;
            if (packing->supers) {
                padici_load_kept(packing, w, turn.block);
                padici_lock(&packing->lock, PADICI_LOCK);
                if (!padici_in_turn(packing)) padici_free_group(packing, w, &turn);
                padici_lock(&packing->lock, PADICI_UNLOCK);
            }
            padici_pack_one(packing, w, turn.block);
            padici_end_turn(packing, w, &turn);
        }
        stop = padici_steps_more(&packing->steps, kind == PADICI_TURN_PACK);
        padici_lock(&packing->lock, PADICI_LOCK);
        if (kind == PADICI_TURN_COPY) *frame = NULL;
    }
    // the rest is for all workers again
    if (kind == PADICI_TURN_WAIT) packing->count = packing->begun - packing->first;
    padici_lock(&packing->lock, PADICI_UNLOCK);
}

// Packs blocks [first, first + count) and emits them; their offsets go to offsets[0..count).
static padic_result padici_pack_blocks(padici_packing *packing, uint64_t first, uint64_t count,
                                       uint64_t *offsets)
{
    const int together = !packing->sink.write;
    uint64_t done, b;
    for (done = 0; done < count; done += packing->count) {
        packing->first = packing->begun = packing->placed = packing->copied = first + done;
        packing->count = together || count - done < packing->batch ? count - done : packing->batch;
        packing->places = offsets + done;
        padici_parallel(packing->jobs, packing->workers, padici_pack_task, packing);
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
            result = padici_emit(&packing->sink, *frame, PADICI_FRAME_SIZE + padici_load32(*frame));
            if (result) return result;
            *frame = NULL;
        }
    }
    return PADIC_OK;
}

static padic_result padici_emit_header(padici_packing *packing)
{
    uint8_t bytes[PADICI_HEADER_MOST];
    padici_put_header(bytes, &packing->header);
    return padici_emit(&packing->sink, bytes, packing->header.size);
}

// `offsets` are made little-endian in their place.
static padic_result padici_emit_index(padici_packing *packing, uint64_t *offsets, uint64_t blocks,
                                      uint64_t length)
{
    const uint64_t at = packing->sink.written;
    uint8_t head[24], tail[24];
    uint64_t b;
    padic_result result;
    padici_store32(head, PADICI_END_MARK);
    padici_store32(head + 4, 0);
    padici_store64(head + 8, blocks);
    padici_store64(head + 16, length);
    for (b = 0; b < blocks; b++) padici_store64(offsets + b, offsets[b]);
    padici_store64(tail, at);
    padici_store64(tail + 8, padici_index_sum(head, offsets, (size_t)blocks, tail));
    memcpy(tail + 16, "PADC-END", 8);
    result = padici_emit(&packing->sink, head, 24);
    if (!result) result = padici_emit(&packing->sink, offsets, (size_t)blocks * 8);
    if (!result) result = padici_emit(&packing->sink, tail, 24);
    return result;
}

// a - b and a b, a, b >= 0, rounded down. The error of the rounding is known exactly (Knuth's
// two-sum; Dekker's product of halves of the mantissas).
static double padici_down(double x)
{
    return x > 0 ? padici_double_of(padici_bits_of(x) - 1) : x;
}

static double padici_product_down(double a, double b)
{
    const double p = a * b, split = 134217729.0;
    double ah, al, bh, bl;
    if (!(p <= DBL_MAX)) return DBL_MAX;
    if (a > 1e290 || b > 1e290 || p < 1e-280) return padici_down(p); // halves would not be exact
    ah = a * split, ah = ah - (ah - a), al = a - ah;
    bh = b * split, bh = bh - (bh - b), bl = b - bh;
    return ((ah * bh - p) + ah * bl + al * bh) + al * bl < 0 ? padici_down(p) : p;
}

static double padici_difference_down(double a, double b)
{
    const double d = a - b, z = d - a;
    if (!(d <= DBL_MAX)) return DBL_MAX;
    return (a - (d - z)) + (-b - z) < 0 ? padici_down(d) : d;
}

// The spread of the finite values of an array, rounded down.
// The values of one worker's blocks: least and greatest, of integers in unsigned order.
typedef struct padici_range {
    double low, high;
    uint64_t first, last;
    int any;
} padici_range;

static void padici_range_task(void *arg, uint32_t task)
{
    padici_packing *packing = (padici_packing *)arg;
    padici_work *w = packing->work + task;
    padici_range range;
    padici_box box;
    uint64_t b;
    size_t i;
    memset(&range, 0, sizeof range);
    for (b = task; b < packing->header.grid.total; b += packing->workers) {
        (void)padici_load_block(packing, b, w->raw, &box);
        for (i = 0; i < box.n; i++) {
            const uint64_t bits = padici_element(w->raw, i, box.size);
            if (padici_is_float(box.dtype)) {
                const double x = padici_value(box.dtype, bits);
                if (!(x - x == 0)) continue;
                if (!range.any || x < range.low) range.low = x;
                if (!range.any || x > range.high) range.high = x;
            } else {
                const uint64_t x = padici_ordered(box.dtype, bits, box.size) +
                                   (padici_is_signed(box.dtype) ? UINT64_C(1) << 63 : 0);
                if (!range.any || x < range.first) range.first = x;
                if (!range.any || x > range.last) range.last = x;
            }
            range.any = 1;
        }
    }
    memcpy(w->words, &range, sizeof range);
}

static double padici_measure_range(padici_packing *packing)
{
    const padic_dtype dtype = padici_scalar(packing->header.grid.dtype);
    padici_range all, part;
    uint32_t i;
    memset(&all, 0, sizeof all);
    padici_parallel(packing->jobs, packing->workers, padici_range_task, packing);
    for (i = 0; i < packing->workers; i++) {
        memcpy(&part, packing->work[i].words, sizeof part);
        if (!part.any) continue;
        if (!all.any || part.low < all.low) all.low = part.low;
        if (!all.any || part.high > all.high) all.high = part.high;
        if (!all.any || part.first < all.first) all.first = part.first;
        if (!all.any || part.last > all.last) all.last = part.last;
        all.any = 1;
    }
    if (!all.any) return 0;
    if (padici_is_float(dtype)) return padici_difference_down(all.high, all.low);
    all.last -= all.first;
    if (all.last >> 53 == 0) return (double)(int64_t)all.last;
    return padici_down((double)(int64_t)(all.last >> 1) * 2); // the conversion may have gone up
}

// The bound of one scalar; a complex number's error is shared by its parts.
static double padici_scalar_bound(const padic_codec_desc *desc, double range)
{
    const double absolute = desc->bound_mode == PADIC_BOUND_RANGE
                                ? padici_product_down(desc->bound, range)
                                : desc->bound;
    return padici_parts(desc->tensor.dtype) == 1
               ? absolute
               : padici_product_down(absolute, 0.70710678118654746);
}

static void padici_measure_bound(const padic_codec_desc *desc, padici_packing *packing)
{
    const int asked = desc->bound_mode == PADIC_BOUND_RANGE && !(desc->range > 0);
    double absolute;
    packing->bound.mode = desc->bound_mode;
    packing->bound.pointwise = desc->bound;
    if (desc->bound_mode == PADIC_BOUND_NONE || desc->bound_mode >= PADIC_BOUND_POINTWISE) return;
    absolute = padici_scalar_bound(desc, asked ? padici_measure_range(packing) : desc->range);
    packing->header.bound_absolute = packing->bound.absolute = absolute;
    if (!(absolute > 0)) packing->bound.mode = PADIC_BOUND_NONE; // all values are equal
}

// Bounds of the layers before the last: coarser by 16 each; where that is lossless, from 1/64 of
// the range down.
static void padici_layer_bounds(const padic_codec_desc *desc, padici_packing *packing)
{
    const uint32_t planes = packing->header.planes;
    double coarse = packing->bound.absolute;
    uint32_t k;
    packing->layer = planes - 1;
    packing->layers[planes - 1] = packing->bound;
    if (planes == 1) return;
    if (packing->bound.mode == PADIC_BOUND_NONE || packing->bound.mode == PADIC_BOUND_POINTWISE) {
        coarse = (desc->range > 0 ? desc->range : padici_measure_range(packing)) / 4;
        for (k = 0; k < planes; k++) coarse /= 16;
    }
    for (k = planes - 1; k-- > 0;) {
        coarse = coarse < DBL_MAX / 16 ? coarse * 16 : DBL_MAX;
        packing->layers[k].mode = coarse > 0 ? PADIC_BOUND_ABSOLUTE : PADIC_BOUND_NONE;
        packing->layers[k].absolute = coarse;
        packing->layers[k].pointwise = 0;
    }
}

// All blocks with a bound on trial; their size (with header and index) and the squares of errors.
static uint64_t padici_try_bound(const padic_codec_desc *desc, padici_packing *packing,
                                 double absolute, uint64_t *offsets)
{
    const padici_sink sink = packing->sink;
    const uint64_t total = packing->header.grid.total;
    uint64_t size;
    uint32_t layer;
    memset(&packing->sink, 0, sizeof packing->sink); // counts
    packing->bound.mode = absolute > 0 ? PADIC_BOUND_ABSOLUTE : PADIC_BOUND_NONE;
    packing->bound.absolute = packing->header.bound_absolute = absolute;
    padici_layer_bounds(desc, packing);
    packing->measuring = 1;
    packing->squares = 0;
    for (layer = 0; layer < packing->header.planes; layer++) {
        packing->layer = layer;
        packing->squares = 0; // of the last layer
        (void)padici_pack_blocks(packing, 0, total, offsets);
    }
    packing->measuring = 0;
    size = packing->sink.written + packing->header.size + PADICI_INDEX_FIXED +
           8 * total * packing->header.planes;
    packing->sink = sink;
    return size;
}

// The bound with which no mean square is larger than asked for: of complex numbers a part has half.
static double padici_least_rms(const padic_codec_desc *desc)
{
    return padici_parts(desc->tensor.dtype) == 2
               ? padici_product_down(desc->bound, 0.70710678118654746)
               : desc->bound;
}

// The largest bound whose errors keep the mean square. Errors spread evenly over a step give the
// square root of 3; a bound that is the target itself always does.
static void padici_search_rms(const padic_codec_desc *desc, padici_packing *packing,
                              uint64_t *offsets)
{
    const padici_grid *grid = &packing->header.grid;
    const double least = padici_least_rms(desc);
    double allowed, best = 0, factor = 1.71875, count = 0;
    uint64_t b;
    uint32_t k;
    padici_box box;
    size_t i;
    for (b = 0; b < grid->total; b++) {
        (void)padici_load_block(packing, b, packing->work->raw, &box);
        if (!padici_is_float(box.dtype)) {
            count += (double)box.n;
            continue;
        }
        for (i = 0; i < box.n; i++) {
            const double x = padici_value(box.dtype,
                                          padici_element(packing->work->raw, i, box.size));
            count += x - x == 0;
        }
    }
    if (padici_parts(grid->dtype) == 2) count *= 0.5;
    // (1 - 2^-20): the sums are rounded
    allowed = desc->bound * desc->bound * (1 - 1.0 / 1048576) * count;
    for (k = 0; k < 12 && !packing->steps.stop; k++) {
        if (!(least * factor < 1e300)) break;
        (void)padici_try_bound(desc, packing, least * factor, offsets);
        if (packing->squares <= allowed && allowed < DBL_MAX && allowed > 1e-290) {
            best = least * factor;
            if (factor < 1.71875 || factor > 16) break;
            factor *= 1.25;
        } else {
            if (best > 0 || factor < 1.125) break;
            factor *= 0.9375;
        }
    }
    if (!(best > 0)) best = least;
    else packing->allowed = allowed;
    packing->bound.mode = PADIC_BOUND_ABSOLUTE;
    packing->bound.absolute = packing->header.bound_absolute = best;
}

// The smallest bound, in quarter powers of two of the range, that gives no more bytes. 0: there is
// none; the size at the largest bound is in *size.
static int padici_search_fixed(const padic_codec_desc *desc, padici_packing *packing,
                               uint64_t *offsets, uint64_t *size)
{
    static const double quarter[4] = {1, 0.8408964152537145, 0.7071067811865476,
                                      0.5946035575013605};
    const double range = padici_measure_range(packing);
    const uint64_t most = desc->bound < 9e15 ? (uint64_t)desc->bound : UINT64_C(9000000000000000);
    uint32_t low = 0, high = 256, i; // low fits, high does not
    *size = padici_try_bound(desc, packing, 0, offsets);
    if (*size <= most) return 1;
    *size = padici_try_bound(desc, packing, range, offsets);
    if (*size > most) return 0;
    while (high - low > 1 && !packing->steps.stop) {
        const uint32_t middle = (low + high) / 2;
        double step = range * quarter[middle % 4];
        for (i = 0; i < middle / 4; i++) step *= 0.5;
        if (padici_try_bound(desc, packing, step, offsets) <= most) low = middle;
        else high = middle;
    }
    packing->bound.mode = PADIC_BOUND_ABSOLUTE;
    packing->bound.absolute = range * quarter[low % 4];
    for (i = 0; i < low / 4; i++) packing->bound.absolute *= 0.5;
    packing->header.bound_absolute = packing->bound.absolute;
    return 1;
}

static uint32_t padici_workers(const padic_jobs *jobs, uint64_t tasks)
{
    uint32_t workers = jobs && jobs->enqueue && jobs->workers > 1 ? jobs->workers : 1;
#ifndef PADICI_SWAP
    tasks = 1;
#endif
    if (workers > 64) workers = 64;
    if (workers > tasks) workers = tasks ? (uint32_t)tasks : 1;
    return workers;
}

PADIC_API size_t padic_codec_bound(const padic_codec_desc *desc)
{
    padici_header header;
    const padici_grid *grid = &header.grid;
    uint64_t size, elements = 1;
    uint32_t k;
    if (padici_codec_check(desc, PADICI_CHECK_SIZES, &header)) return 0;
    for (k = 0; k < grid->axes; k++) elements *= grid->shape[k];
    size = elements * grid->element;
    if (grid->total > UINT64_MAX / 512 || size > UINT64_MAX / 16) return 0;
    size += grid->total * (PADICI_FRAME_SIZE + 1 + PADICI_PAYLOAD_PAD + 8);
    size = size * header.planes + header.size + PADICI_INDEX_FIXED;
    return size > SIZE_MAX / 2 ? 0 : (size_t)size;
}

PADIC_API size_t padic_codec_scratch_bound(const padic_codec_desc *desc)
{
    padici_header header;
    uint64_t size;
    if (padici_codec_check(desc, PADICI_CHECK_SIZES, &header)) return 0;
    if (header.grid.total > SIZE_MAX / 512) return 0;
    size = padici_packing_memory(&header.grid, 1, 1) + 8 * header.grid.total * header.planes;
    return size > SIZE_MAX / 2 ? 0 : (size_t)size;
}

// Working memory: the caller's scratch for as many workers as fit, or from the allocator.
typedef struct padici_memory {
    const padic_allocator *allocator;
    uint8_t *at;
    size_t size; // 0: the caller's
} padici_memory;

static padic_result padici_memory_take(padici_memory *memory, padic_context *context,
                                       const padic_allocator *own, void *scratch,
                                       size_t scratch_size, uint64_t need)
{
    memory->size = 0;
    memory->allocator = own ? own : padici_allocator(context);
    if (scratch) {
        if (need > scratch_size) return PADIC_ERROR_CAPACITY;
        if ((uintptr_t)scratch % 64) return PADIC_ERROR_ARGUMENT;
        memory->at = (uint8_t *)scratch;
        return PADIC_OK;
    }
    if (need > SIZE_MAX / 2) return PADIC_ERROR_LIMIT;
    memory->at = (uint8_t *)padici_alloc(memory->allocator, (size_t)need, 64);
    memory->size = (size_t)need;
    return memory->at ? PADIC_OK : PADIC_ERROR_MEMORY;
}

static void padici_memory_give(padici_memory *memory)
{
    if (memory->size) padici_free(memory->allocator, memory->at, memory->size);
}

static void padici_fill_report(const padici_header *header, padic_codec_report *report);

// Tells what became of the blocks: to the caller's report, if there is one, and to the log.
static void padici_report_blocks(padic_context *context, const padici_header *header,
                                 uint64_t written, uint64_t reencoded, padic_codec_report *report)
{
    const padic_logger *log = padici_logger(context);
    padici_text text;
    char space[160];
    if (report) {
        padici_fill_report(header, report);
        report->packed_size = written;
        report->blocks_reencoded = reencoded;
    }
    if (!reencoded || !log) return;
    padici_text_begin(&text, space, sizeof space);
    padici_text_add(&text, "codec_pack: blocks stored as they are, as they did not come back: ");
    padici_text_number(&text, reencoded, 1);
    padici_text_add(&text, "; nothing is lost, but please report the array");
    padici_log_write(log, PADIC_LOG_WARNING, 0, space);
}

static void padici_report_packed(padic_context *context, const padici_packing *packing,
                                 padic_codec_report *report)
{
    uint64_t reencoded = 0;
    uint32_t i;
    for (i = 0; i < packing->workers; i++) reencoded += packing->work[i].reencoded;
    padici_report_blocks(context, &packing->header, packing->sink.written, reencoded, report);
}

// The header and the frames of all layers.
static padic_result padici_pack_planes(const padic_codec_desc *desc, padici_packing *packing,
                                       uint64_t *offsets)
{
    const uint64_t total = packing->header.grid.total;
    uint32_t layer, k;
    padic_result result;
    padici_layer_bounds(desc, packing);
    packing->sink.written = 0;
    result = padici_emit_header(packing);
    for (layer = 0; layer < packing->header.planes && !result; layer++) {
        for (k = 0; k < packing->workers; k++) packing->work[k].squares = 0; // of the last layer
        packing->layer = layer;
        packing->above = layer && packing->sink.written <= packing->sink.capacity
                             ? packing->sink.dst
                             : NULL;
        result = padici_pack_blocks(packing, 0, total, offsets + layer * total);
    }
    return result;
}

static double padici_squares(const padici_packing *packing)
{
    double sum = 0;
    uint32_t k;
    for (k = 0; k < packing->workers; k++) sum += packing->work[k].squares;
    return sum;
}

static padic_result padici_pack_all(padic_context *context, const padic_codec_desc *desc,
                                    padici_packing *packing)
{
    const padici_grid *grid = &packing->header.grid;
    padici_memory memory;
    uint64_t *offsets, count;
    uint64_t work, index;
    uint32_t blocks;
    padic_result result = padici_codec_check(desc, PADICI_CHECK_PACK, &packing->header);
    if (!result) result = padici_tensor_check(&desc->tensor, &count);
    if (result) return result;
    if (grid->total > SIZE_MAX / 512) return PADIC_ERROR_LIMIT;
    padici_take_aside(&desc->reference, &packing->reference);
    padici_take_aside(&desc->importance, &packing->importance);
    padici_tensor_dense(&desc->tensor, packing->stride);
    if (desc->tensor.rank == 0) packing->stride[0] = 1;
    packing->data = (const uint8_t *)desc->tensor.data;
    packing->jobs = padici_jobs(context);
    padici_codec_pick(context, &packing->loops);
    packing->workers = padici_workers(packing->jobs, grid->total);
    index = 8 * grid->total * packing->header.planes;
    blocks = grid->span > PADICI_BATCH / 2 ? 2 * grid->span : PADICI_BATCH;
    while (packing->workers > 1 &&
           padici_packing_memory(grid, packing->workers, blocks) + index >
               (desc->scratch ? desc->scratch_size : SIZE_MAX / 2))
        if (blocks > PADICI_BATCH) blocks /= 2;
        else packing->workers--;
    work = padici_packing_memory(grid, packing->workers, blocks);
    result = padici_memory_take(&memory, context, desc->allocator, desc->scratch,
                                desc->scratch_size, work + index);
    if (result) return result;
    padici_packing_place(packing, desc, blocks, memory.at);
    offsets = (uint64_t *)(void *)(memory.at + work);
    padici_steps_begin(&packing->steps, desc->progress, padici_progress(context),
                       desc->bound_mode < PADIC_BOUND_RMS ? grid->total * packing->header.planes
                                                          : 0);
    padici_measure_bound(desc, packing);
    if (desc->bound_mode == PADIC_BOUND_RMS) padici_search_rms(desc, packing, offsets);
    if (desc->bound_mode == PADIC_BOUND_FIXED &&
        !padici_search_fixed(desc, packing, offsets, &packing->sink.written))
        result = PADIC_ERROR_LIMIT;
    if (packing->steps.stop) result = PADIC_ERROR_CANCELLED;
    if (!result) result = padici_pack_planes(desc, packing, offsets);
    if (!result && packing->allowed > 0 &&
        padici_squares(packing) > packing->allowed * (1 + 1.0 / 2097152)) { // another order of sums
        // not what it was on trial; this bound needs none
        packing->allowed = 0;
        packing->bound.absolute = packing->header.bound_absolute = padici_least_rms(desc);
        result = padici_pack_planes(desc, packing, offsets);
    }
    if (!result) result = padici_steps_end(&packing->steps);
    if (!result)
        result = padici_emit_index(packing, offsets, grid->total * packing->header.planes,
                                   grid->shape[0]);
    if (!result && desc->bound_mode == PADIC_BOUND_FIXED &&
        !((double)packing->sink.written <= desc->bound))
        result = PADIC_ERROR_LIMIT;
    if (!result) padici_report_packed(context, packing, desc->report);
    padici_memory_give(&memory);
    return result;
}

PADIC_API padic_result padic_codec_pack(padic_context *context, const padic_codec_desc *desc,
                                        void *dst, size_t capacity, size_t *size)
{
    padici_packing packing;
    padic_result result = PADIC_ERROR_ARGUMENT;
    memset(&packing, 0, sizeof packing);
    packing.sink.dst = (uint8_t *)dst;
    packing.sink.capacity = capacity;
    if (size) *size = 0;
    if (size && (dst || !capacity)) result = padici_pack_all(context, desc, &packing);
    if (result == PADIC_ERROR_LIMIT && size) *size = (size_t)packing.sink.written; // FIXED
    if (result) return padici_codec_fail(context, "codec_pack", &packing.header, result);
    *size = (size_t)packing.sink.written;
    if (packing.sink.written <= capacity) return PADIC_OK;
    return padici_codec_fail(context, "codec_pack", &packing.header, PADIC_ERROR_CAPACITY);
}

