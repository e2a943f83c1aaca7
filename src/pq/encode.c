#include "../context/messages.h"
#include "../context/operation.h"
#include "../context/ops.h"
#include "../context/workspace.h"
#include "../core/jobs.h"
#include "cache.h"
#include "calls.h"
#include "codebook.h"

#if PADICI_IMPLEMENT_PQ

// Codes of keys as flat arrays, and keys of codes.

PADICI_FN uint32_t padici_pq_encode_operands(void *desc_, padici_operand *operands)
{
    padic_pq_encode_desc *desc = (padic_pq_encode_desc *)desc_;
    uint32_t n = padici_pq_book_operands(operands, &desc->codebook, 0);
    n = padici_pq_operand(operands, n, "keys", &desc->keys, 0);
    n = padici_pq_operand(operands, n, "out", &desc->out, 1);
    return padici_pq_optional(operands, n, "clamped", &desc->clamped, 1);
}

// Keys (b, g, s, d) of a codebook.
static padic_result padici_pq_keys_check(padic_context *context, const padic_tensor *keys,
                                         const padic_pq_codebook *book, const char *name)
{
    const uint64_t *n = book->centroids.shape;
    padici_pq_book is;
    padici_pq_book_of(book, &is);
    return padici_pq_check(context, name, keys,
                           name[0] == 'o' ? PADIC_F32 : PADIC_DTYPE_NONE, 4,
                           n[0] == 1 ? UINT64_MAX : n[0], n[1], UINT64_MAX, is.m * is.ds);
}

static uint64_t padici_pq_encode_each(const padici_pq_book *book)
{
    return 64 + padici_pq_key_floats(book) * 4 + book->m * 2;
}

PADIC_API uint64_t padic_pq_encode_workspace(padic_context *context,
                                             const padic_pq_encode_desc *desc)
{
    padici_pq_book book;
    padici_pq_space space;
    if (!desc || padici_pq_check_book(NULL, &desc->codebook)) return 0;
    padici_pq_book_of(&desc->codebook, &book);
    return padici_pq_space_bytes(context ? padici_jobs(context) : NULL,
                                 desc->keys.shape[0] * book.groups, padici_pq_encode_each(&book),
                                 &space);
}

PADICI_FN padic_result padici_pq_encode_check(padic_context *context, const void *desc_)
{
    const padic_pq_encode_desc *desc = (const padic_pq_encode_desc *)desc_;
    const uint64_t *n = desc->keys.shape;
    padici_pq_book book;
    padic_result result = padici_pq_check_book(context, &desc->codebook);
    if (!result) result = padici_pq_keys_check(context, &desc->keys, &desc->codebook, "keys");
    if (result) return result;
    padici_pq_book_of(&desc->codebook, &book);
    result = padici_pq_check_codes(context, "out", &desc->out, book.bits);
    if (!result)
        result = padici_pq_check(context, "out", &desc->out, desc->out.dtype, 4, n[0], n[1], n[2],
                                 book.m);
    if (!result)
        result = padici_pq_check_optional(context, "clamped", &desc->clamped, PADIC_U32, 2, n[0],
                                          n[1], 0, 0);
    return result ? result
                  : padici_workspace_check(context, &desc->workspace,
                                           padic_pq_encode_workspace(context, desc));
}

typedef struct padici_pq_encoding {
    const padici_pq_kernels *kernels;
    padici_pq_book book;
    padici_pq_view keys, out, clamped;
    uint64_t rows, count;
    padici_pq_space space;
} padici_pq_encoding;

PADICI_FN void padici_pq_put_code(char *at, padic_dtype dtype, uint32_t code)
{
    switch (dtype) {
    case PADIC_U8: *(uint8_t *)at = (uint8_t)code; break;
    case PADIC_U16: *(uint16_t *)(void *)at = (uint16_t)code; break;
    case PADIC_I32: *(int32_t *)(void *)at = (int32_t)code; break;
    default: *(int64_t *)(void *)at = (int64_t)code; break;
    }
}

// The heads `worker`, worker + workers, ... of all rows.
static void padici_pq_encode_work(void *work_, uint32_t worker)
{
    const padici_pq_encoding *work = (const padici_pq_encoding *)work_;
    char *at = work->space.at + worker * work->space.each;
    float *floats = (float *)(void *)(at + 64);
    uint16_t *codes = (uint16_t *)(void *)(floats + padici_pq_key_floats(&work->book));
    uint64_t item, i, j;
    uint32_t failed = 0;
    for (item = worker; item < work->rows * work->book.groups; item += work->space.workers) {
        const uint64_t row = item / work->book.groups, head = item % work->book.groups;
        const char *key = work->keys.at + (int64_t)row * work->keys.step[0] +
                          (int64_t)head * work->keys.step[1];
        char *out = work->out.at + (int64_t)row * work->out.step[0] +
                    (int64_t)head * work->out.step[1];
        uint32_t clamped = 0;
        for (i = 0; i < work->count; i++, key += work->keys.step[2], out += work->out.step[2]) {
            failed |= (uint32_t)!padici_pq_encode_key(work->kernels, &work->book, row, head, key,
                                                      work->keys.dtype, work->keys.step[3], floats,
                                                      codes, &clamped);
            for (j = 0; j < work->book.m; j++)
                padici_pq_put_code(out + (int64_t)j * work->out.step[3], work->out.dtype, codes[j]);
        }
        if (work->clamped.at)
            *(uint32_t *)(void *)(work->clamped.at + (int64_t)row * work->clamped.step[0] +
                                  (int64_t)head * work->clamped.step[1]) = clamped;
    }
    memcpy(at, &failed, 4);
}

PADICI_FN padic_result padici_pq_encode_run(const padic_env *env, const padici_pq_kernels *kernels,
                                            const padic_pq_encode_desc *desc)
{
    padici_pq_encoding work;
    uint32_t i, failed = 0, one;
    padic_result result;
    work.kernels = kernels;
    padici_pq_book_of(&desc->codebook, &work.book);
    work.keys = padici_pq_view_of(&desc->keys);
    work.out = padici_pq_view_of(&desc->out);
    work.clamped = padici_pq_view_of(&desc->clamped);
    work.rows = desc->keys.shape[0];
    work.count = desc->keys.shape[2];
    result = padici_pq_space_begin(env, &desc->workspace, work.rows * work.book.groups,
                                   padici_pq_encode_each(&work.book), &work.space);
    if (result) return result;
    padici_parallel(padici_env_jobs(env), work.space.workers, padici_pq_encode_work, &work);
    for (i = 0; i < work.space.workers; i++) {
        memcpy(&one, work.space.at + i * work.space.each, 4);
        failed |= one;
    }
    padici_pq_space_end(env, &work.space);
    return failed ? padici_env_fail(env, PADIC_ERROR_NOT_FINITE, "a key has a NaN or an infinity")
                  : PADIC_OK;
}

PADICI_FN padic_result padici_pq_encode_host(const padic_env *env, const void *desc)
{
    return padici_pq_encode_run(env, padici_pq_plain(), (const padic_pq_encode_desc *)desc);
}

// padic_pq_decode()

PADICI_FN uint32_t padici_pq_decode_operands(void *desc_, padici_operand *operands)
{
    padic_pq_decode_desc *desc = (padic_pq_decode_desc *)desc_;
    uint32_t n = padici_pq_book_operands(operands, &desc->codebook, 0);
    n = padici_pq_operand(operands, n, "codes", &desc->codes, 0);
    return padici_pq_operand(operands, n, "out", &desc->out, 1);
}

PADICI_FN padic_result padici_pq_decode_check(padic_context *context, const void *desc_)
{
    const padic_pq_decode_desc *desc = (const padic_pq_decode_desc *)desc_;
    const uint64_t *n = desc->out.shape;
    padic_result result = padici_pq_check_book(context, &desc->codebook);
    if (!result) result = padici_pq_keys_check(context, &desc->out, &desc->codebook, "out");
    if (!result) result = padici_pq_check_codes(context, "codes", &desc->codes, 1);
    return result ? result
                  : padici_pq_check(context, "codes", &desc->codes, desc->codes.dtype, 4, n[0],
                                    n[1], n[2], desc->codebook.centroids.shape[2]);
}

// A code of a flat array; UINT32_MAX where it is negative or large.
PADICI_FN uint32_t padici_pq_get_code(const char *at, padic_dtype dtype)
{
    int64_t code;
    switch (dtype) {
    case PADIC_U8: return *(const uint8_t *)at;
    case PADIC_U16: return *(const uint16_t *)(const void *)at;
    case PADIC_I32: code = *(const int32_t *)(const void *)at; break;
    default: code = *(const int64_t *)(const void *)at; break;
    }
    return code < 0 || code > 65535 ? UINT32_MAX : (uint32_t)code;
}

// One key; 0 where a code is none.
static int padici_pq_decode_key(const padici_pq_book *book, uint64_t row, uint64_t head,
                                const char *codes, padic_dtype dtype, int64_t code_step, char *out,
                                int64_t step)
{
    int fine = 1;
    uint64_t i, j;
    for (j = 0; j < book->m; j++, codes += code_step) {
        const uint32_t code = padici_pq_get_code(codes, dtype);
        const float *c = book->centroids +
                         (padici_pq_book_index(book, row, head, j) * book->cells +
                          (code < book->cells ? code : 0)) * book->components;
        for (i = 0; i < book->ds; i++, out += step)
            *(float *)(void *)out = code < book->cells ? c[i] : padici_pq_float(0x7fc00000u);
        fine &= code < book->cells;
    }
    return fine;
}

PADICI_FN padic_result padici_pq_decode_host(const padic_env *env, const void *desc_)
{
    const padic_pq_decode_desc *desc = (const padic_pq_decode_desc *)desc_;
    const padici_pq_view codes = padici_pq_view_of(&desc->codes);
    const padici_pq_view out = padici_pq_view_of(&desc->out);
    const uint64_t *n = desc->out.shape;
    padici_pq_book book;
    uint64_t row, head, i;
    int fine = 1;
    padici_pq_book_of(&desc->codebook, &book);
    for (row = 0; row < n[0]; row++)
        for (head = 0; head < n[1]; head++)
            for (i = 0; i < n[2]; i++)
                fine &= padici_pq_decode_key(
                    &book, row, head,
                    codes.at + (int64_t)row * codes.step[0] + (int64_t)head * codes.step[1] +
                        (int64_t)i * codes.step[2],
                    codes.dtype, codes.step[3],
                    out.at + (int64_t)row * out.step[0] + (int64_t)head * out.step[1] +
                        (int64_t)i * out.step[2],
                    out.step[3]);
    return fine ? PADIC_OK
                : padici_env_fail(env, PADIC_ERROR_DOMAIN, "codes has one that is not below K");
}

#endif
