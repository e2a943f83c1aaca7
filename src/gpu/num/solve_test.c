#include "solve_test.h"
#include "../../core/tensor.h"
#include "../../num/determinant.h"
#include "each_arrays_test.h"
#include "each_test.h"
#include "solve.h"
#include "../tables.h"
#include "../texts.h"

#if PADICI_IMPLEMENT_GPU && !defined(PADIC_NO_NUM)

// Systems over the rationals. Kind 0: 75 of 3 unknowns and 2 sides, of which some are singular and
// some are too large, which stay as they are. Kind 1: all of 5, of 4 unknowns, to words of 64 bits.
PADICI_FN int64_t padici_test_solve_entry(uint32_t kind, uint32_t system, uint32_t at)
{
    const uint64_t word = padici_test_num_word(1000 * (uint64_t)system + at);
    const uint32_t large = kind ? system < 3 : system % 19 == 7;
    if (system % 8 == 3 && at % 4 == 1) return 0; // rows or columns that depend on others
    return large ? (int64_t)word : (int64_t)(word % 19) - 9;
}

PADICI_FN padic_result padici_test_solve_image(padici_gpu_case *c, padici_k_solve_systems_params *k)
{
    const uint32_t kind = padici_gpu_define(c, "PD_SOLVE_KIND", 0);
    const uint64_t each = kind ? 4 * 6 : 8; // bytes of an element of the results
    int64_t *a, *b;
    uint32_t *room, i, j;
    uint64_t bytes[8];
    memset(k, 0, sizeof *k);
    k->count = kind ? 5 : 75;
    k->n = kind ? 4 : 3;
    k->sides = 2;
    k->wide = 1;
    k->items = kind ? 2 : 128;
    padici_gpu_solve_room(k);
    k->step = k->sides;
    k->batch = k->count;
    for (i = 0; i < 3; i++) {
        k->type[i] = kind ? 3 : 7;
        k->words[i] = kind ? 3 : 0;
    }
    if (!kind) k->type[1] = 4; // denominators of 8 bits
    bytes[0] = (uint64_t)k->count * k->n * k->n * 8;
    bytes[1] = (uint64_t)k->count * k->n * 2 * 8;
    bytes[2] = k->count * k->n * 2 * each;
    bytes[3] = kind ? k->count * 2 * each : k->count * 2;
    bytes[4] = k->count * each;
    bytes[5] = (uint64_t)k->count * 4;
    bytes[6] = k->count;
    bytes[7] = padici_gpu_solve_head(k->count) +
               (kind ? (uint64_t)k->items * k->each * 4
                     : (uint64_t)k->items * k->n * (k->n + 2) * 8);
    for (i = 0; i < 8; i++) {
        if (!padici_gpu_image(c, i, bytes[i])) return PADIC_ERROR_MEMORY;
        k->place[2 * i + 1] = 1u << 24;
    }
    a = (int64_t *)(void *)c->buffers[0].image;
    b = (int64_t *)(void *)c->buffers[1].image;
    for (i = 0; i < k->count; i++) {
        for (j = 0; j < k->n * k->n; j++)
            a[i * k->n * k->n + j] = padici_test_solve_entry(kind, i, j);
        for (j = 0; j < k->n * 2; j++)
            b[i * k->n * 2 + j] = padici_test_solve_entry(kind, i, 100 + 3 * j);
    }
    room = (uint32_t *)(void *)c->buffers[7].image;
    c->buffers[7].bound = kind < 3 ? -1 : 0;
    room[0] = 0;
    room[1] = kind ? k->count : 0;
    for (i = 0; i < k->count && kind; i++) room[2 + i] = k->count - 1 - i;
    c->groups[0] = 2;
    return PADIC_OK;
}

// Systems first to first + count - 1 on the host.
PADICI_FN padic_result padici_test_solve_part(padici_gpu_case *c,
                                              const padici_k_solve_systems_params *k,
                                              uint32_t first, uint32_t count)
{
    const padic_dtype dtype = k->words[0] ? PADIC_U64 : PADIC_I64;
    const padic_dtype few = k->words[0] ? PADIC_U64 : PADIC_I8;
    const uint64_t w = k->words[0], n = k->n, from = first;
    const uint64_t shape[3] = {count, n, n}, right[3] = {count, n, 2}, wide[4] = {w, count, n, 2};
    const uint64_t sides[3] = {w, count, 2}, one[2] = {w, count};
    const uint32_t skip = w ? 0 : 1; // no planes of words
    padic_num_solve_desc desc;
    unsigned char *at[7];
    uint32_t i, sticky = 0;
    for (i = 0; i < 7; i++) at[i] = c->buffers[i].answer;
    memset(&desc, 0, sizeof desc);
    desc.matrix = padic_tensor_nd(PADIC_I64, c->buffers[0].image + from * n * n * 8, 3, shape);
    desc.right = padic_tensor_nd(PADIC_I64, c->buffers[1].image + from * n * 2 * 8, 3, right);
    desc.numerator = padic_tensor_nd(dtype, at[2] + from * n * 2 * 8, 4 - skip, wide + skip);
    desc.denominator = padic_tensor_nd(few, at[3] + from * 2 * padic_dtype_size(few), 3 - skip,
                                       sides + skip);
    desc.det = padic_tensor_nd(dtype, at[4] + from * 8, 2 - skip, one + skip);
    desc.rank = padic_tensor_1d(PADIC_U32, at[5] + from * 4, count);
    desc.status = padic_tensor_1d(PADIC_U8, at[6] + from, count);
    desc.sticky = &sticky;
    return padici_test_solve_host(c->gpu, &desc);
}

// A x = d b, but for one number: results of the host are what the kernel looks at.
PADICI_FN padic_result padici_test_solve_check(padici_gpu_case *c,
                                               const padici_k_solve_systems_params *k)
{
    uint32_t *const bits = (uint32_t *)(void *)padici_gpu_answer(c, 7);
    const padic_result result = padici_test_solve_part(c, k, 0, k->count);
    uint32_t i;
    if (result || !bits) return result ? result : PADIC_ERROR_MEMORY;
    c->buffers[3].answer[1] ^= 1; // of a denominator
    for (i = 2; i < 7; i++)
        memcpy(c->buffers[i].image, c->buffers[i].answer, (size_t)c->buffers[i].size);
    bits[0] = UINT32_C(1) << 31;
    return PADIC_OK;
}

// Hadamard's bounds of the matrices.
PADICI_FN padic_result padici_test_solve_bounds(padici_gpu_case *c,
                                                const padici_k_solve_systems_params *k)
{
    uint32_t *const bits = (uint32_t *)(void *)padici_gpu_answer(c, 5), i;
    for (i = 0; i < k->count && bits; i++)
        bits[i] = padici_hadamard(c->buffers[0].image, PADIC_I64, i * k->n * k->n, k->n, 0);
    return bits ? PADIC_OK : PADIC_ERROR_MEMORY;
}

PADICI_FN padic_result padici_test_solve_systems(padici_gpu_case *c)
{
    padici_k_solve_systems_params k;
    padic_result result = padici_test_solve_image(c, &k);
    uint32_t i;
    if (result) return result;
    memcpy(&c->params, &k, sizeof k);
    if (padici_gpu_define(c, "PD_SOLVE_KIND", 0) == 2) return padici_test_solve_bounds(c, &k);
    for (i = 2; i < 7; i++)
        if (!padici_gpu_answer(c, i)) return PADIC_ERROR_MEMORY;
    if (padici_gpu_define(c, "PD_SOLVE_KIND", 0) == 3) return padici_test_solve_check(c, &k);
    if (k.words[0]) return padici_test_solve_part(c, &k, 0, k.count);
    for (i = 0; i < k.count && !result; i++)
        if (i % 19 != 7) result = padici_test_solve_part(c, &k, i, 1);
    return result;
}

PADICI_FN const padici_gpu_test *padici_tests_num(void)
{
    static const padici_gpu_test rows[] = {
        {PADICI_KERNEL_NUM_EACH, 0, 0, padici_test_num_each, {PADICI_TEST_NONE}},
        {PADICI_KERNEL_SOLVE_SYSTEMS, 0, 0, padici_test_solve_systems, {PADICI_TEST_NONE}},
        PADICI_TESTS_END};
    return rows;
}

#endif
