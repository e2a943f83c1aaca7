#include "base.h"
#include "../core/jobs.h"
#include "../core/philox.h"
#include "../core/platform.h"
#include "../core/tensor.h"
#include "messages.h"
#include "operation.h"
#include "ops.h"
#include "state.h"
#include "target.h"

#if PADICI_IMPLEMENT_CORE

// The operations of the frame itself: fill, copy and random_fill.

// fill

PADICI_FN padic_result padici_fill_check(padic_context *context, const void *desc)
{
    (void)context;
    (void)desc;
    return PADIC_OK;
}

PADICI_FN uint32_t padici_fill_operands(void *desc, padici_operand *operands)
{
    operands[0].name = "tensor";
    operands[0].tensor = &((padic_fill_desc *)desc)->tensor;
    operands[0].out = 1;
    return padici_operand_host(operands, 1, ((padic_fill_desc *)desc)->value);
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

PADICI_FN padic_result padici_fill_device(const padici_call *call, padici_target *target, int query)
{
    const padici_operand *o = &call->operands[0];
    uint32_t word;
    if (!o->dense || (o->bytes | o->home.at) & 3) return PADIC_ERROR_NOT_SUPPORTED;
    if (!padici_fill_word(&call->desc->fill, &word)) return PADIC_ERROR_NOT_SUPPORTED;
    if (query) return PADIC_OK;
    return padici_target_fill(call->context, target, o->now.mem, o->now.at, word, o->bytes);
}

PADICI_FN padic_result padici_fill_host(const padic_env *env, const void *desc_)
{
    const padic_fill_desc *desc = (const padic_fill_desc *)desc_;
    const padic_tensor *t = &desc->tensor;
    const uint32_t size = padic_dtype_size(t->dtype);
    uint64_t left = padic_tensor_count(t), i;
    static const unsigned char zero[16] = {0};
    const void *value = desc->value ? desc->value : zero;
    padici_rows rows;
    (void)env;
    if (!left) return PADIC_OK;
    for (padici_rows_begin(&rows, t, NULL, 0); left > 0; padici_rows_next(&rows)) {
        char *to = (char *)t->data + rows.at[0] * (int64_t)size;
        for (i = 0; i < rows.length; i++, to += rows.step[0] * (int64_t)size)
            memcpy(to, value, size);
        left -= rows.length;
    }
    return PADIC_OK;
}

// copy

PADICI_FN padic_result padici_copy_check(padic_context *context, const void *desc_)
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

PADICI_FN uint32_t padici_copy_operands(void *desc, padici_operand *operands)
{
    operands[0].name = "from";
    operands[0].tensor = &((padic_copy_desc *)desc)->from;
    operands[1].name = "to";
    operands[1].tensor = &((padic_copy_desc *)desc)->to;
    operands[1].out = 1;
    return 2;
}

PADICI_FN padic_result padici_copy_device(const padici_call *call, padici_target *target, int query)
{
    const padici_operand *from = &call->operands[0], *to = &call->operands[1];
    if (!from->dense || !to->dense) return PADIC_ERROR_NOT_SUPPORTED;
    if (query) return PADIC_OK;
    return padici_target_move(call->context, target, &to->now, &from->now, from->bytes);
}

PADICI_FN padic_result padici_copy_host(const padic_env *env, const void *desc_)
{
    const padic_copy_desc *desc = (const padic_copy_desc *)desc_;
    const uint32_t size = padic_dtype_size(desc->to.dtype);
    uint64_t left = padic_tensor_count(&desc->to), i;
    padici_rows rows;
    (void)env;
    if (!left) return PADIC_OK;
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

PADICI_FN padic_result padici_random_fill_check(padic_context *context, const void *desc_)
{
    const padic_tensor *t = &((const padic_random_fill_desc *)desc_)->tensor;
    if (padic_tensor_count(t) <= (UINT64_C(1) << 34) / padici_random_words(t->dtype))
        return PADIC_OK;
    return padici_fail(context, PADIC_ERROR_LIMIT,
                       "random_fill: tensor takes more than 2^34 words: fill it in parts, each "
                       "with a stream of its own");
}

PADICI_FN uint32_t padici_random_fill_operands(void *desc, padici_operand *operands)
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

PADICI_FN padic_result padici_random_fill_host(const padic_env *env, const void *desc)
{
    padic_random_fill_desc copy = *(const padic_random_fill_desc *)desc;
    uint64_t count = padic_tensor_count(&copy.tensor);
    padici_parallel(padici_env_jobs(env),
                    (uint32_t)((count + PADICI_RANDOM_CHUNK - 1) / PADICI_RANDOM_CHUNK),
                    padici_random_fill_chunk, &copy);
    return PADIC_OK;
}

#undef PADICI_RANDOM_CHUNK

#endif
