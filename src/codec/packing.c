// ---- packing: what workers share, and its memory

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
