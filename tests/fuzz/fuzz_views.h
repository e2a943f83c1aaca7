// fuzz_views.h: calls chosen by bytes: arrays of exactly their size, right or with a mistake, and
// what must hold after any call. A call that fails has a sentence and has written nothing; one
// without a mistake succeeds. Include it after fuzz.h and padic_simd.h.
#ifndef FUZZ_VIEWS_H
#define FUZZ_VIEWS_H

#define FUZZ_BLOCKS 160

static padic_context *contexts[3]; // none, plain, with vectors
static fuzz_memory memory;

typedef struct block {
    uint8_t *data, *before;
    size_t size;
    size_t scratch, scratch_size; // bytes that may change at any time
} block;

static block blocks[FUZZ_BLOCKS];
static uint32_t block_count;
static const uint8_t *at, *end;
static uint32_t mistakes; // of this call

static uint32_t next(uint32_t n) // from the bytes, less than n; 0 where they end
{
    return at < end ? *at++ % n : 0;
}

static inline void *block_new(size_t size)
{
    block *b = &blocks[block_count++];
    FUZZ_CHECK(block_count <= FUZZ_BLOCKS);
    memset(b, 0, sizeof *b);
    b->data = (uint8_t *)fuzz_new(size);
    b->before = (uint8_t *)fuzz_new(size);
    b->size = size;
    for (size_t i = 0; i < size; i++) b->data[i] = (uint8_t)(63 - next(4) * 64 + i % 2);
    return b->data;
}

static inline void blocks_free(void)
{
    while (block_count) {
        block *b = &blocks[--block_count];
        free(b->data);
        free(b->before);
    }
}

static inline void blocks_keep(void)
{
    for (uint32_t i = 0; i < block_count; i++)
        memcpy(blocks[i].before, blocks[i].data, blocks[i].size);
}

static inline int blocks_same(int scratch_only)
{
    for (uint32_t i = 0; i < block_count; i++) {
        const block *b = &blocks[i];
        const size_t after = b->scratch + b->scratch_size;
        if (scratch_only && !after) continue;
        if (memcmp(b->before, b->data, b->scratch)) return 0;
        if (memcmp(b->before + after, b->data + after, b->size - after)) return 0;
    }
    return 1;
}

// Bytes of a view, and those before its first element where a stride is negative. UINT64_MAX beyond
// a mebibyte, which is never legal here: such sizes overflow.
static inline uint64_t view_size(const padic_tensor *t, uint64_t *lead)
{
    const uint64_t size = padic_dtype_size(t->dtype);
    uint64_t last = 0, count = 1, first = 0;
    int dense = 1;
    *lead = 0;
    for (uint32_t a = 0; a < t->rank && a < PADIC_MAX_RANK; a++) dense &= !t->stride[a];
    for (uint32_t a = t->rank < PADIC_MAX_RANK ? t->rank : PADIC_MAX_RANK; a-- > 0;) {
        const uint64_t n = t->shape[a];
        const int64_t step = dense ? (int64_t)count : t->stride[a];
        if (!n) return 0;
        if (n > 1 << 20 || (n > 1 && (step > 1 << 20 || step < -(1 << 20)))) return UINT64_MAX;
        if (n > 1 && step > 0) last += (n - 1) * (uint64_t)step;
        if (n > 1 && step < 0) first += (n - 1) * (uint64_t)-step;
        count *= n;
        if (count > 1 << 20) return UINT64_MAX;
    }
    *lead = first * size;
    return (first + last + 1) * size;
}

static inline void view_mistake(padic_tensor *t, uint32_t *slack)
{
    static const uint64_t huge[] = {UINT64_MAX, UINT64_MAX / 2 + 1, UINT64_MAX / 2, UINT64_MAX - 1};
    const uint32_t axis = t->rank ? next(t->rank) : 0;
    uint64_t step = 1;
    mistakes++;
    for (uint32_t a = next(2) ? t->rank : 0; a-- > 0; step *= t->shape[a])
        if (!t->stride[a]) t->stride[a] = (int64_t)step;
    switch (next(12)) {
    case 0: t->dtype = (padic_dtype)next(17); break;
    case 1: t->rank += next(2) ? 1 : UINT32_MAX; break;
    case 2: t->rank = 9; break;
    case 3: t->shape[axis] += 1; break;
    case 4: t->shape[axis] -= 1; break;
    case 5: t->shape[axis] = 0; break;
    case 6: t->shape[axis] = huge[next(4)]; break;
    case 7: t->stride[axis] = next(2) ? (int64_t)next(4) - 2 : -t->stride[axis]; break;
    case 8: t->stride[axis] = (int64_t)(huge[next(4)] / (next(2) + 1)); break;
    case 9: *slack = 1 + next(9); break;
    case 10: t->buffer.id = next(256) * 0x01010101u, *slack = 99; break;
    default: t->offset = next(2) ? 1 : UINT64_MAX, *slack = 0; break;
    }
}

static inline padic_tensor view(padic_dtype dtype, uint32_t rank, const uint64_t *shape)
{
    padic_tensor t;
    uint32_t slack = 0;
    memset(&t, 0, sizeof t);
    t.dtype = dtype;
    t.rank = rank;
    for (uint32_t a = 0; a < rank; a++) t.shape[a] = shape[a];
    if (!next(6)) { // longer rows
        uint64_t step = 1;
        for (uint32_t a = rank; a-- > 0; step *= shape[a + 0] + next(3)) {
            if (!step) step = 1;
            t.stride[a] = (int64_t)step;
        }
    }
    if (!next(24)) view_mistake(&t, &slack);
    uint64_t lead, size = view_size(&t, &lead);
    if (slack == 99) return t; // a buffer
    if (size == UINT64_MAX) size = 64;
    if (!next(40) && block_count) { // overlap: of one that is there already, if it is large enough
        const block *other = &blocks[next(block_count)];
        mistakes++;
        if (other->size >= size) return t.data = other->data + other->size - size + lead, t;
    }
    t.data = (uint8_t *)block_new((size_t)size + slack) + slack + lead;
    if (!next(60)) mistakes++, t.data = NULL;
    return t;
}

static inline padic_tensor view_1(padic_dtype dtype, uint64_t n)
{
    return view(dtype, 1, &n);
}

static inline padic_tensor view_2(padic_dtype dtype, uint64_t rows, uint64_t columns)
{
    uint64_t shape[2];
    shape[0] = rows, shape[1] = columns;
    return view(dtype, 2, shape);
}

static inline padic_tensor view_3(padic_dtype dtype, uint64_t a, uint64_t b, uint64_t c)
{
    uint64_t shape[3];
    shape[0] = a, shape[1] = b, shape[2] = c;
    return view(dtype, 3, shape);
}

static inline uint32_t enumerated(uint32_t n)
{
    if (next(40)) return next(n);
    mistakes++;
    return next(2) ? n : UINT32_MAX;
}

static inline padic_tensor workspace_of(uint64_t size)
{
    padic_tensor t;
    uint32_t slack = 0;
    memset(&t, 0, sizeof t);
    if (!next(3) || size > 1 << 22) return t;
    if (!next(8) && size) mistakes++, size--;
    if (!next(16)) mistakes++, slack = 1 + next(63);
    uint8_t *p = (uint8_t *)block_new((size_t)size + 128 + slack);
    p += (64 - (uintptr_t)p % 64) % 64 + slack;
    blocks[block_count - 1].scratch = (size_t)(p - blocks[block_count - 1].data);
    blocks[block_count - 1].scratch_size = (size_t)size;
    t = padic_tensor_1d(PADIC_U8, p, size);
    if (!next(16)) mistakes++, t.dtype = PADIC_I8;
    if (!next(16)) mistakes++, t.rank = 2, t.shape[1] = 1;
    return t;
}

static padic_context *any_context(void)
{
    return contexts[next(3)];
}

// After a call: what must hold whatever it was.
static inline void fuzz_after(padic_context *context, padic_result result)
{
    FUZZ_CHECK(blocks_same(1));
    if (result) {
        FUZZ_CHECK(blocks_same(0));
        if (context) FUZZ_CHECK(*padic_context_message(context));
    }
    if (result && !mistakes && result != PADIC_ERROR_DOMAIN)
        fprintf(stderr, "%d: %s\n", (int)result, context ? padic_context_message(context) : "");
    FUZZ_CHECK(result == PADIC_OK || mistakes || result == PADIC_ERROR_DOMAIN);
}

static void fuzz_begin(void)
{
    padic_context_desc desc;
    if (contexts[1]) return;
    memset(&desc, 0, sizeof desc);
    desc.allocator = fuzz_allocator(&memory);
    FUZZ_CHECK(!padic_context_create(&desc, &contexts[1]));
    desc.backends[0] = padic_simd();
    if (padic_context_create(&desc, &contexts[2])) contexts[2] = contexts[1];
}

#endif
