#include "../core/platform.h"
#include "../core/splitmix.h"
#include "../core/tensor.h"
#include "array.h"
#include "ring.h"

#if PADICI_IMPLEMENT_NUM

// ---- the self hash of numbers

#define PADICI_NUM_HASH_COUNT 8u

// Everything lies in the caller's memory, since one array takes most of a stack frame.
typedef struct padici_num_hash_work {
    padic_num_ring ring;
    padic_num_array a, b, x;
    padic_num_random_desc random;
    padic_num_from_int_desc from_int;
    padic_num_to_rational_desc to_rational;
    padic_num_write_desc write;
    padic_num_write_report written;
    int64_t integers[2][PADICI_NUM_HASH_COUNT];
    uint32_t sticky;
    unsigned char bytes[2048];
} padici_num_hash_work;

// The bytes of an array are the same everywhere, and so is their checksum. 0 if anything failed.
static PADICI_NOINLINE uint64_t padici_num_hash_array(uint64_t hash, padic_result result,
                                                  padici_num_hash_work *w)
{
    w->write.in = w->x;
    w->write.out = padic_bytes_out(w->bytes, sizeof w->bytes);
    w->write.report = &w->written;
    if (!result) result = padic_num_write(NULL, &w->write);
    if (result) return 0;
    return padici_mix(hash ^ padici_checksum(w->bytes, (size_t)w->written.size, hash));
}

// a and b hold random residues; x is scratch.
static uint64_t padici_num_hash_ring(uint64_t hash, padici_num_hash_work *w)
{
    const padic_num_array *a = &w->a, *b = &w->b, *x = &w->x;
    hash = padici_num_hash_array(hash, padic_num_add(NULL, x, a, b), w);
    hash = padici_num_hash_array(hash, padic_num_sub(NULL, x, a, b), w);
    hash = padici_num_hash_array(hash, padic_num_mul(NULL, x, a, b), w);
    hash = padici_num_hash_array(hash, padic_num_inv(NULL, x, a), w);
    hash = padici_num_hash_array(hash, padic_num_pow(NULL, x, a, 1000003), w);
    return padici_num_hash_array(hash, padic_num_fma(NULL, x, a, b, a), w);
}

// a and b hold small integers.
static uint64_t padici_num_hash_float(uint64_t hash, padici_num_hash_work *w)
{
    const padic_num_array *a = &w->a, *b = &w->b, *x = &w->x;
    padic_num_to_rational_desc *to = &w->to_rational;
    uint32_t i;
    hash = padici_num_hash_array(hash, padic_num_div(NULL, x, a, b), w);
    to->in = *x;
    to->numerator = padic_tensor_1d(PADIC_I64, w->integers[0], PADICI_NUM_HASH_COUNT);
    to->denominator = padic_tensor_1d(PADIC_I64, w->integers[1], PADICI_NUM_HASH_COUNT);
    to->sticky = &w->sticky;
    if (padic_num_to_rational(NULL, to)) return 0;
    for (i = 0; i < PADICI_NUM_HASH_COUNT; i++)
        hash = padici_mix(hash ^ (uint64_t)w->integers[0][i] ^ (uint64_t)w->integers[1][i] << 32);
    hash = padici_num_hash_array(hash, padic_num_add(NULL, x, x, b), w);
    hash = padici_num_hash_array(hash, padic_num_square(NULL, x, x), w);
    hash = padici_num_hash_array(hash, padic_num_sqrt(NULL, x, x), w);
    hash = padici_num_hash_array(hash, padic_num_teichmueller(NULL, x, a), w);
    hash = padici_num_hash_array(hash, padic_num_shift(NULL, x, a, a->ring->p == 2 ? 2 : 1), w);
    hash = padici_num_hash_array(hash, padic_num_exp(NULL, x, x), w);
    return padici_num_hash_array(hash, padic_num_log(NULL, x, x, PADIC_NUM_LOG_SERIES), w);
}

// Lays out an array at `at` and fills it with random residues or integers of stream j.
static padic_result padici_num_hash_fill(padici_num_hash_work *w, padic_num_array *array,
                                     padic_num_model model, char *at, uint32_t j)
{
    const size_t size = padic_num_array_size_bound(&w->ring, model, PADICI_NUM_HASH_COUNT);
    padic_result result = padic_num_place(array, &w->ring, model, PADICI_NUM_HASH_COUNT, at, size);
    uint32_t k;
    array->sticky = &w->sticky;
    if (result || array == &w->x) return result;
    for (k = 0; k < PADICI_NUM_HASH_COUNT; k++)
        w->integers[j][k] = (int64_t)(padici_mix(k + 1 + 16 * j) % 2000) - 1000;
    w->random.out = w->from_int.out = *array;
    w->random.stream = j;
    w->from_int.in = padic_tensor_1d(PADIC_I64, w->integers[j], PADICI_NUM_HASH_COUNT);
    return model == PADIC_NUM_RING ? padic_num_random(NULL, &w->random)
                                   : padic_num_from_int(NULL, &w->from_int);
}

PADIC_API uint64_t padic_num_self_hash(void *memory)
{
    static const uint32_t rings[7][2] = {{257, 6}, {2, 53}, {2, 20}, {3, 20},
                                         {5, 27},  {257, 12}, {257, 40}};
    const uintptr_t up = (0u - (uintptr_t)memory) & 63;
    char *const base = memory ? (char *)memory + up : NULL;
    char *const planes =
        base ? base + ((sizeof(padici_num_hash_work) + 63) & ~(size_t)63) : NULL;
    const size_t third = (PADIC_NUM_SELF_HASH - 64 - (size_t)(planes - base)) / 192 * 64;
    padici_num_hash_work *const w = (padici_num_hash_work *)(void *)base;
    uint64_t hash = 0x9e3779b97f4a7c15u;
    uint32_t i, j;
    if (!memory) return 0;
    for (i = 0; i < 7; i++)
        for (j = PADIC_NUM_RING; j <= PADIC_NUM_BALL; j++) {
            const padic_num_model model = (padic_num_model)j;
            memset(w, 0, sizeof *w);
            if (padic_num_ring_init(&w->ring, rings[i][0], rings[i][1], NULL) ||
                padic_num_array_size_bound(&w->ring, model, PADICI_NUM_HASH_COUNT) > third ||
                padici_num_hash_fill(w, &w->a, model, planes, 0) ||
                padici_num_hash_fill(w, &w->b, model, planes + third, 1) ||
                padici_num_hash_fill(w, &w->x, model, planes + 2 * third, 0))
                return 0;
            hash = j ? padici_num_hash_float(hash, w) : padici_num_hash_ring(hash, w);
            if (!hash) return 0;
        }
    return hash;
}

#undef PADICI_NUM_HASH_COUNT

#endif
