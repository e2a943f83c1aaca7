// -------------------------------------------------------------------------------- >>op table
//
// An operation is a row of PADIC_OPS and three functions:
//
//     padici_NAME_check(context, desc)     what is wrong with the desc beyond its tensors; says it
//     padici_NAME_operands(desc, operands) its tensors: where they stand in the desc, in or out
//     padici_NAME_host(jobs, desc)         the plain reference; tensors in host memory, checked;
//                                          of a row with 3 or 4 (env, desc), env NULL without a
//                                          context
//
// and, if the row says so, padici_NAME_driver(call, target, query): by copy and fill on any device.
// Kernels are launched by padici_gpu_NAME() in backends/padic_gpu.h.
//
// padici_run() does the rest, the same for all: validation, choice of backend, moving operands
// between host and device, statistics, profile.

#define PADICI_MAX_OPERANDS 11
#define PADICI_NO_BLOCK UINT32_MAX

typedef struct padici_place {
    padic_mem mem;
    uint64_t at;   // byte of the first element
    uint32_t host; // mem is a host pointer
} padici_place;

typedef struct padici_operand {
    padic_tensor *tensor;
    const char *name;        // of its field, for sentences; NULL: a tensor
    uint32_t out;            // 1 written; 2 read and written; else read
    uint32_t any_stride;     // only read, so strides may be 0 or negative
    uint64_t bytes;          // from the lowest to behind the highest element
    uint64_t before;         // of them, those before element 0, where the places point
    int dense;               // no gaps, in C order
    padici_place home, now;  // where it lies; where the work finds it
    uint32_t block;          // the pool's block that `now` is in, when it was moved
} padici_operand;

typedef union padici_any_desc {
#define PADICI_OP_DESC(NAME, name, driver) padic_##name##_desc name;
    PADIC_OPS(PADICI_OP_DESC)
#undef PADICI_OP_DESC
} padici_any_desc;

typedef struct padici_target padici_target;

// What `drive` is asked besides operations and kernels.
#define PADICI_DRIVE_CLOSE 900u // free context->gpu; the device still lives
#define PADICI_DRIVE_PREWARM 901u // a uint32_t of padic_area bits
#define PADICI_DRIVE_TUNE 902u    // a padici_drive_tune

typedef struct padici_drive_tune {
    uint32_t areas, ms;
} padici_drive_tune;

typedef struct padici_call {
    padic_context *context;
    uint32_t op, operand_count;
    uint64_t count;       // elements of the largest operand
    padici_any_desc desc; // a copy, in which tensors are redirected
    padici_operand operands[PADICI_MAX_OPERANDS];
} padici_call;

typedef struct padici_op_row {
    const char *name;
    uint32_t desc_size, mixed, partial; // partial: errors in the data keep what was done
    padic_result (*check)(padic_context *context, const void *desc);
    uint32_t (*operands)(void *desc, padici_operand *operands);
    padic_result (*driver)(const padici_call *call, padici_target *target, int query);
    padic_result (*host)(const padic_jobs *jobs, const void *desc);
    padic_result (*host_env)(const padic_env *env, const void *desc); // one of the two
} padici_op_row;

// The device interface as the rest sees it: counted, refused on a lost device, messages kept.
static padic_result padici_target_fill(padic_context *context, padici_target *target, padic_mem mem,
                                       uint64_t at, uint32_t word, uint64_t size);
static padic_result padici_target_move(padic_context *context, padici_target *target,
                                       const padici_place *to, const padici_place *from,
                                       uint64_t size);

// fill

static padic_result padici_fill_check(padic_context *context, const void *desc)
{
    (void)context;
    (void)desc;
    return PADIC_OK;
}

static uint32_t padici_fill_operands(void *desc, padici_operand *operands)
{
    operands[0].name = "tensor";
    operands[0].tensor = &((padic_fill_desc *)desc)->tensor;
    operands[0].out = 1;
    return 1;
}

// The 32-bit word that repeats to the wanted element, if there is one.
static int padici_fill_word(const padic_fill_desc *desc, uint32_t *word)
{
    uint32_t size = padic_dtype_size(desc->tensor.dtype), i;
    unsigned char bytes[16];
    memset(bytes, 0, sizeof bytes);
    if (desc->value)
        for (i = 0; i < 16; i++) bytes[i] = ((const unsigned char *)desc->value)[i % size];
    memcpy(word, bytes, 4);
    for (i = 4; i < size; i += 4)
        if (memcmp(bytes, bytes + i, 4)) return 0;
    return 1;
}

static padic_result padici_fill_driver(const padici_call *call, padici_target *target, int query)
{
    const padici_operand *o = &call->operands[0];
    uint32_t word;
    if (!o->dense || (o->bytes | o->home.at) & 3) return PADIC_ERROR_NOT_SUPPORTED;
    if (!padici_fill_word(&call->desc.fill, &word)) return PADIC_ERROR_NOT_SUPPORTED;
    if (query) return PADIC_OK;
    return padici_target_fill(call->context, target, o->now.mem, o->now.at, word, o->bytes);
}

static padic_result padici_fill_host(const padic_jobs *jobs, const void *desc_)
{
    const padic_fill_desc *desc = (const padic_fill_desc *)desc_;
    const padic_tensor *t = &desc->tensor;
    const uint32_t size = padic_dtype_size(t->dtype);
    uint64_t left = padic_tensor_count(t), i;
    static const unsigned char zero[16] = {0};
    const void *value = desc->value ? desc->value : zero;
    padici_rows rows;
    (void)jobs;
    for (padici_rows_begin(&rows, t, NULL, 0); left > 0; padici_rows_next(&rows)) {
        char *to = (char *)t->data + rows.at[0] * (int64_t)size;
        for (i = 0; i < rows.length; i++, to += rows.step[0] * (int64_t)size)
            memcpy(to, value, size);
        left -= rows.length;
    }
    return PADIC_OK;
}

// copy

static padic_result padici_copy_check(padic_context *context, const void *desc_)
{
    const padic_copy_desc *desc = (const padic_copy_desc *)desc_;
    uint32_t i;
    if (desc->from.dtype != desc->to.dtype)
        return padici_fail(context, PADIC_ERROR_MISMATCH,
                           "copy: from.dtype is not to.dtype: no element is converted");
    if (desc->from.rank != desc->to.rank)
        return padici_fail(context, PADIC_ERROR_MISMATCH,
                           "copy: from.rank is not to.rank: give both one shape");
    for (i = 0; i < desc->from.rank; i++)
        if (desc->from.shape[i] != desc->to.shape[i])
            return padici_fail(context, PADIC_ERROR_MISMATCH,
                               "copy: from.shape is not to.shape: give both one");
    return PADIC_OK;
}

static uint32_t padici_copy_operands(void *desc, padici_operand *operands)
{
    operands[0].name = "from";
    operands[0].tensor = &((padic_copy_desc *)desc)->from;
    operands[1].name = "to";
    operands[1].tensor = &((padic_copy_desc *)desc)->to;
    operands[1].out = 1;
    return 2;
}

static padic_result padici_copy_driver(const padici_call *call, padici_target *target, int query)
{
    const padici_operand *from = &call->operands[0], *to = &call->operands[1];
    if (!from->dense || !to->dense) return PADIC_ERROR_NOT_SUPPORTED;
    if (query) return PADIC_OK;
    return padici_target_move(call->context, target, &to->now, &from->now, from->bytes);
}

static padic_result padici_copy_host(const padic_jobs *jobs, const void *desc_)
{
    const padic_copy_desc *desc = (const padic_copy_desc *)desc_;
    const uint32_t size = padic_dtype_size(desc->to.dtype);
    uint64_t left = padic_tensor_count(&desc->to), i;
    padici_rows rows;
    (void)jobs;
    for (padici_rows_begin(&rows, &desc->from, &desc->to, 0); left > 0; padici_rows_next(&rows)) {
        const char *from = (const char *)desc->from.data + rows.at[0] * (int64_t)size;
        char *to = (char *)desc->to.data + rows.at[1] * (int64_t)size;
        if (rows.step[0] == 1 && rows.step[1] == 1) {
            memcpy(to, from, (size_t)(rows.length * size));
        } else {
            for (i = 0; i < rows.length; i++) {
                memcpy(to, from, size);
                from += rows.step[0] * (int64_t)size;
                to += rows.step[1] * (int64_t)size;
            }
        }
        left -= rows.length;
    }
    return PADIC_OK;
}

// random_fill

static padic_result padici_random_fill_check(padic_context *context, const void *desc_)
{
    const padic_tensor *t = &((const padic_random_fill_desc *)desc_)->tensor;
    if (padic_tensor_count(t) <= (UINT64_C(1) << 34) / padici_random_words(t->dtype))
        return PADIC_OK;
    return padici_fail(context, PADIC_ERROR_LIMIT,
                       "random_fill: tensor takes more than 2^34 words: fill it in parts, each "
                       "with a stream of its own");
}

static uint32_t padici_random_fill_operands(void *desc, padici_operand *operands)
{
    operands[0].name = "tensor";
    operands[0].tensor = &((padic_random_fill_desc *)desc)->tensor;
    operands[0].out = 1;
    return 1;
}

#define PADICI_RANDOM_CHUNK 65536u

// Elements chunk * 65536 and on.
static void padici_random_fill_chunk(void *arg, uint32_t chunk)
{
    const padic_random_fill_desc *desc = (const padic_random_fill_desc *)arg;
    const padic_tensor *t = &desc->tensor;
    const uint32_t size = padic_dtype_size(t->dtype), words = padici_random_words(t->dtype);
    const uint64_t count = padic_tensor_count(t), begin = (uint64_t)chunk * PADICI_RANDOM_CHUNK;
    const uint64_t end =
        count - begin < PADICI_RANDOM_CHUNK ? count : begin + PADICI_RANDOM_CHUNK;
    uint64_t i, column;
    uint32_t block[4];
    padici_rows rows;
    padici_rows_begin(&rows, t, NULL, begin / (t->rank ? t->shape[t->rank - 1] : 1));
    column = begin % rows.length;
    for (i = begin; i < end; i++) { // a chunk begins with a new block, since 4 divides 65536
        const uint64_t word = i * words;
        if (!(word & 3))
            padic_random_block(desc->seed, desc->stream, desc->step, (uint32_t)(word >> 2), block);
        padici_random_store(
            t->dtype,
            (char *)t->data + (rows.at[0] + (int64_t)column * rows.step[0]) * (int64_t)size,
            block + (word & 3));
        if (++column == rows.length) {
            column = 0;
            padici_rows_next(&rows);
        }
    }
}

static padic_result padici_random_fill_host(const padic_jobs *jobs, const void *desc)
{
    padic_random_fill_desc copy = *(const padic_random_fill_desc *)desc;
    uint64_t count = padic_tensor_count(&copy.tensor);
    padici_parallel(jobs, (uint32_t)((count + PADICI_RANDOM_CHUNK - 1) / PADICI_RANDOM_CHUNK),
                    padici_random_fill_chunk, &copy);
    return PADIC_OK;
}

// The operations of the areas in files of their own.
#define PADICI_AREAS_IMPLEMENTATION
#ifndef PADIC_NO_SAMPLE
#include "padic_sample.h"
#endif
#ifndef PADIC_NO_WAVE
#include "padic_wave.h"
#endif
#ifndef PADIC_NO_TENSOR
#include "padic_tensor.h"
#endif
#undef PADICI_AREAS_IMPLEMENTATION

static const padici_op_row padici_op_rows[PADIC_OP_COUNT] = {
    {"", 0, 0, 0, NULL, NULL, NULL, NULL, NULL},
#define PADICI_OP_DRIVER_0(name) NULL, padici_##name##_host, NULL
#define PADICI_OP_DRIVER_1(name) padici_##name##_driver, padici_##name##_host, NULL
#define PADICI_OP_DRIVER_2(name) padici_##name##_driver, padici_##name##_host, NULL
#define PADICI_OP_DRIVER_3(name) NULL, NULL, padici_##name##_host
#define PADICI_OP_DRIVER_4(name) NULL, NULL, padici_##name##_host
#define PADICI_OP_ROW(NAME, name, driver)                                        \
    {#name,                                                                      \
     sizeof(padic_##name##_desc),                                                \
     driver == 2,                                                                \
     driver == 3,                                                                \
     padici_##name##_check,                                                      \
     padici_##name##_operands,                                                   \
     PADICI_OP_DRIVER_##driver(name)},
    PADIC_OPS(PADICI_OP_ROW)
#undef PADICI_OP_ROW
};

// The plain reference; env NULL: no context.
static padic_result padici_op_host(uint32_t op, const padic_env *env, const void *desc)
{
    const padici_op_row *row = &padici_op_rows[op];
    if (row->host_env) return (*row->host_env)(env, desc);
    return (*row->host)(env ? env->jobs : NULL, desc);
}

