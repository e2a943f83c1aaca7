#include "../context/messages.h"
#include "../context/state.h"
#include "../core/memory.h"
#include "../core/platform.h"
#include "../core/words.h"
#include "happy.h"
#include "perfect.h"

#if PADICI_IMPLEMENT_TENSOR

// The state of a holographic code as a tableau of stabilisers; its entropies are ranks.

// A growing state: `n` qubits in columns of rows that have room for more.
typedef struct padici_tensor_tableau {
    uint64_t *rows;
    uint8_t *signs;
    uint32_t *column; // of each slot of each tile
    uint32_t *spare;  // columns not in use
    uint32_t n, words, spares;
} padici_tensor_tableau;

static uint64_t *padici_tensor_tableau_row(const padici_tensor_tableau *t, uint32_t row)
{
    return t->rows + (uint64_t)row * 2 * t->words;
}

PADICI_INLINE uint32_t padici_tensor_tableau_bit(const uint64_t *bits, uint32_t at)
{
    return (uint32_t)(bits[at / 64] >> at % 64 & 1);
}

// Row h becomes the product of rows i and h, which commute. Aaronson and Gottesman
// quant-ph/0406196: a factor i for XY, YZ, ZX, -i for the other way round.
static void padici_tensor_tableau_multiply(const padici_tensor_tableau *t, uint32_t h, uint32_t i)
{
    uint64_t *a = padici_tensor_tableau_row(t, i), *b = padici_tensor_tableau_row(t, h);
    uint32_t w, phase = 0;
    for (w = 0; w < t->words; w++) {
        const uint64_t x = a[w], z = a[w + t->words], p = b[w], q = b[w + t->words];
        phase += padici_tensor_ones((x & z & q & ~p) | (x & ~z & p & q) | (~x & z & p & ~q));
        phase -= padici_tensor_ones((x & z & p & ~q) | (x & ~z & q & ~p) | (~x & z & p & q));
        b[w] ^= x;
        b[w + t->words] ^= z;
    }
    t->signs[h] = (uint8_t)((t->signs[h] ^ t->signs[i]) ^ (phase >> 1 & 1));
}

// Projects on the eigenvalue +1 (sign 1: -1) of a Pauli product: x and z on each of `count`
// columns. Returns its row; UINT32_MAX when it was decided before.
static uint32_t padici_tensor_tableau_project(const padici_tensor_tableau *t,
                                              const uint32_t *columns, uint32_t count, uint32_t x,
                                              uint32_t z, uint32_t sign)
{
    uint32_t r, i, pivot = UINT32_MAX;
    uint64_t *row;
    for (r = 0; r < t->n; r++) {
        uint32_t odd = 0;
        row = padici_tensor_tableau_row(t, r);
        for (i = 0; i < count; i++)
            odd ^= (padici_tensor_tableau_bit(row, columns[i]) & z) ^
                   (padici_tensor_tableau_bit(row + t->words, columns[i]) & x);
        if (!odd) continue;
        if (pivot == UINT32_MAX)
            pivot = r;
        else
            padici_tensor_tableau_multiply(t, r, pivot);
    }
    if (pivot == UINT32_MAX) return pivot;
    row = padici_tensor_tableau_row(t, pivot);
    memset(row, 0, 16 * t->words);
    for (i = 0; i < count; i++) {
        row[columns[i] / 64] |= (uint64_t)x << columns[i] % 64;
        row[t->words + columns[i] / 64] |= (uint64_t)z << columns[i] % 64;
    }
    t->signs[pivot] = (uint8_t)sign;
    return pivot;
}

// Clears a column from all rows but `row`, whose Pauli there they have or not; then drops the row.
static void padici_tensor_tableau_drop(padici_tensor_tableau *t, uint32_t row, uint32_t column)
{
    const uint64_t *own = padici_tensor_tableau_row(t, row);
    const uint32_t x = padici_tensor_tableau_bit(own, column);
    uint32_t r;
    for (r = 0; r < t->n; r++) {
        const uint64_t *other = padici_tensor_tableau_row(t, r) + (x ? 0 : t->words);
        if (r != row && padici_tensor_tableau_bit(other, column))
            padici_tensor_tableau_multiply(t, r, row);
    }
    if (row != --t->n) {
        memcpy(padici_tensor_tableau_row(t, row), padici_tensor_tableau_row(t, t->n),
               16 * t->words);
        t->signs[row] = t->signs[t->n];
    }
}

// Six rows and columns of a new tile: X on a leg, Z on its neighbours in the wheel.
static void padici_tensor_tableau_tile(padici_tensor_tableau *t, uint32_t tile)
{
    static const uint8_t wheel[6] = {0x3e, 0x25, 0x0b, 0x15, 0x29, 0x13}; // bit j: joined to j
    uint32_t *column = t->column + 6 * tile, i, j;
    for (i = 0; i < 6; i++) column[i] = t->spare[--t->spares];
    for (i = 0; i < 6; i++) {
        uint64_t *row = padici_tensor_tableau_row(t, t->n);
        memset(row, 0, 16 * t->words);
        row[column[i] / 64] |= UINT64_C(1) << column[i] % 64;
        for (j = 0; j < 6; j++)
            row[t->words + column[j] / 64] |= (uint64_t)(wheel[i] >> j & 1) << column[j] % 64;
        t->signs[t->n++] = 0;
    }
}

// Adds a tile: fixes its bulk leg, joins the slots that lead to tiles before it by Bell pairs.
static int padici_tensor_tableau_add(padici_tensor_tableau *t, const padic_tensor_happy *happy,
                                     uint32_t tile, uint32_t state)
{
    uint32_t slot, row, other;
    padici_tensor_tableau_tile(t, tile);
    for (slot = 0; slot < 6; slot++) {
        const uint32_t at = 6 * tile + slot, link = padici_tensor_happy_links(happy)[at];
        uint32_t pair[2];
        pair[0] = t->column[at];
        if (link & PADIC_TENSOR_HAPPY_LEG) continue;
        if (link & PADIC_TENSOR_HAPPY_BULK) {
            if (!state) continue;
            row = padici_tensor_tableau_project(t, pair, 1, state<5, state> 2, (state - 1) & 1);
            if (row == UINT32_MAX) return 0;
            padici_tensor_tableau_drop(t, row, pair[0]);
            t->spare[t->spares++] = pair[0];
            continue;
        }
        if (link / 6 >= tile) continue;
        pair[1] = t->column[link];
        row = padici_tensor_tableau_project(t, pair, 2, 1, 0, 0);
        other = padici_tensor_tableau_project(t, pair, 2, 0, 1, 0);
        if (row == UINT32_MAX || other == UINT32_MAX) return 0;
        padici_tensor_tableau_drop(t, other,
                                   pair[0]); // rows commute with XX and ZZ: I, XX, YY, ZZ there
        padici_tensor_tableau_drop(t, row == t->n ? other : row, pair[0]);
        t->spare[t->spares++] = pair[0];
        t->spare[t->spares++] = pair[1];
    }
    return 1;
}

// Rows with the columns in the order of the qubits, in the memory of *out.
static void padici_tensor_tableau_write(const padici_tensor_tableau *t,
                                        const padic_tensor_happy *happy, const uint8_t *bulk,
                                        const padic_tensor_tableau *out)
{
    const uint32_t *links = padici_tensor_happy_links(happy);
    uint64_t *rows = (uint64_t *)out->rows.data;
    uint8_t *signs = (uint8_t *)out->signs.data;
    uint32_t r, i;
    memset(rows, 0, (size_t)16 * out->words * out->qubits);
    for (r = 0; r < t->n; r++) {
        const uint64_t *from = padici_tensor_tableau_row(t, r);
        uint64_t *to = rows + (uint64_t)2 * out->words * r;
        uint32_t open = happy->legs;
        for (i = 0; i < 6 * happy->tiles; i++) {
            const uint32_t link = links[i], column = t->column[i];
            uint32_t q = open;
            if (link & PADIC_TENSOR_HAPPY_LEG)
                q = link - PADIC_TENSOR_HAPPY_LEG;
            else if (!(link & PADIC_TENSOR_HAPPY_BULK) || (bulk && bulk[i / 6]))
                continue;
            else
                open++;
            to[q / 64] |= (uint64_t)padici_tensor_tableau_bit(from, column) << q % 64;
            to[out->words + q / 64] |= (uint64_t)padici_tensor_tableau_bit(from + t->words, column)
                                       << q % 64;
        }
        signs[r] = t->signs[r];
    }
}

// The call: *bulk, and the counts and the memory of *made, whose rows have no data when only the
// counts are wanted.
static padic_result padici_tensor_happy_encode_check(padic_context *context,
                                                     const padic_tensor_happy_encode_desc *desc,
                                                     const uint8_t **bulk,
                                                     padic_tensor_tableau *made)
{
    const padic_tensor_happy *happy = desc->happy;
    padic_result result = padici_tensor_happy_check(context, happy);
    void *states, *rows, *signs = NULL;
    uint32_t i;
    if (!result)
        result = padici_tensor_happy_array(context, &desc->bulk, "bulk", PADIC_U8, happy->tiles,
                                           PADIC_ERROR_MISMATCH, &states);
    if (result) return result;
    *bulk = (const uint8_t *)states;
    made->qubits = happy->legs;
    for (i = 0; i < happy->tiles; i++) {
        if (*bulk && (*bulk)[i] > 6)
            return padici_fail_here(context, PADIC_ERROR_ARGUMENT, "bulk has a state above 6");
        made->qubits += happy->code == PADIC_TENSOR_CODE_PENTAGON && !(*bulk && (*bulk)[i]);
    }
    made->words = (made->qubits + 63) / 64;
    *desc->out = *made;
    result = padici_tensor_happy_array(context, &desc->rows, "rows", PADIC_U64,
                                       (uint64_t)made->qubits * 2 * made->words,
                                       PADIC_ERROR_CAPACITY, &rows);
    if (result || !rows) return result;
    result = padici_tensor_happy_array(context, &desc->signs, "signs", PADIC_U8, made->qubits,
                                       PADIC_ERROR_CAPACITY, &signs);
    if (result) return result;
    if (!signs) return padici_fail_here(context, PADIC_ERROR_CAPACITY, "signs is missing");
    made->rows = padic_tensor_3d(PADIC_U64, rows, made->qubits, 2, made->words);
    made->signs = padic_tensor_1d(PADIC_U8, signs, made->qubits);
    return PADIC_OK;
}

static padic_result padici_tensor_happy_encode_named(padic_context *context,
                                                     const padic_tensor_happy_encode_desc *desc)
{
    const padic_tensor_happy *happy = desc ? desc->happy : NULL;
    const uint8_t *bulk = NULL;
    padic_tensor_tableau made;
    padici_tensor_tableau t;
    uint64_t room;
    uint32_t i;
    size_t bytes;
    char *memory;
    padic_result result;
    if (!desc || !desc->out)
        return padici_fail_here(context, PADIC_ERROR_ARGUMENT, "desc or out is NULL");
    memset(&made, 0, sizeof made);
    result = padici_tensor_happy_encode_check(context, desc, &bulk, &made);
    if (result || !made.rows.data) return result;
    memset(&t, 0, sizeof t);
    room = (uint64_t)made.qubits + 8; // a tile adds six, and at most five of them go again
    t.words = (uint32_t)((room + 63) / 64);
    bytes = (size_t)(room * 16 * t.words + (uint64_t)t.words * 256 + room +
                     (uint64_t)happy->tiles * 24);
    memory = (char *)padici_alloc(padici_allocator(context), bytes, 64);
    if (!memory) return padici_fail_here(context, PADIC_ERROR_MEMORY, "out of host memory");
    t.rows = (uint64_t *)(void *)memory;
    t.spare = (uint32_t *)(void *)(t.rows + room * 2 * t.words);
    t.column = t.spare + 64 * t.words;
    t.signs = (uint8_t *)(t.column + 6 * happy->tiles);
    for (i = 64 * t.words; i-- > 0;) t.spare[t.spares++] = i;
    for (i = 0; i < happy->tiles; i++)
        if (!padici_tensor_tableau_add(&t, happy, i, bulk ? bulk[i] : 0)) break;
    if (i == happy->tiles) {
        padici_tensor_tableau_write(&t, happy, bulk, &made);
        *desc->out = made;
    }
    padici_free(padici_allocator(context), memory, bytes);
    return i == happy->tiles ? PADIC_OK
                             : padici_fail_here(context, PADIC_ERROR_DOMAIN,
                                                "bulk makes a state of norm 0");
}

PADIC_API padic_result padic_tensor_happy_encode(padic_context *context,
                                                 const padic_tensor_happy_encode_desc *desc)
{
    const char *before = padici_enter(context, "tensor_happy_encode");
    const padic_result result = padici_tensor_happy_encode_named(context, desc);
    padici_leave(context, before);
    return result;
}

// Rank of rows of `width` words, which are lost.
static uint32_t padici_tensor_bit_rank(uint64_t *rows, uint32_t n, uint32_t width)
{
    uint32_t rank = 0, r, i, w;
    for (w = 0; w < width; w++)
        for (;;) { // the lowest bit of word w that a row not used has
            uint64_t bit = 0;
            for (r = rank; r < n && !bit; r++) bit = rows[(uint64_t)r * width + w];
            if (!bit) break;
            bit &= ~bit + 1;
            for (i = 0, r--; i < width; i++) {
                const uint64_t x = rows[(uint64_t)r * width + i];
                rows[(uint64_t)r * width + i] = rows[(uint64_t)rank * width + i];
                rows[(uint64_t)rank * width + i] = x;
            }
            for (r++; r < n; r++) {
                if (!(rows[(uint64_t)r * width + w] & bit)) continue;
                for (i = w; i < width; i++)
                    rows[(uint64_t)r * width + i] ^= rows[(uint64_t)rank * width + i];
            }
            rank++;
        }
    return rank;
}

static padic_result padici_tensor_happy_entropy_named(padic_context *context,
                                                      const padic_tensor_happy_entropy_desc *desc)
{
    const padic_tensor_tableau *tableau = desc ? desc->tableau : NULL;
    const uint64_t *part;
    uint32_t width, r, w, members = 0;
    uint64_t *rows;
    void *from = NULL;
    size_t bytes;
    padic_result result = PADIC_OK;
    if (desc && tableau)
        result = padici_tensor_happy_array(context, &tableau->rows, "tableau.rows", PADIC_U64,
                                           (uint64_t)tableau->qubits * 2 * tableau->words,
                                           PADIC_ERROR_MISMATCH, &from);
    if (result) return result;
    if (!from || !desc->report || tableau->words != (tableau->qubits + 63) / 64)
        return padici_fail_here(context, PADIC_ERROR_ARGUMENT,
                                "desc or report is NULL, or tableau without rows");
    result = padici_tensor_happy_part(context, &desc->part, tableau->qubits, &part);
    if (result) return result;
    desc->report->entropy = 0;
    for (w = 0; w < tableau->words; w++) members += padici_tensor_ones(part[w]);
    if (!members || members == tableau->qubits) return PADIC_OK;
    width = 2 * tableau->words;
    if (!padici_mul_size((size_t)tableau->qubits * 8, width, &bytes))
        return padici_fail_here(context, PADIC_ERROR_LIMIT, "tableau has too many qubits");
    rows = (uint64_t *)padici_alloc(padici_allocator(context), bytes, 64);
    if (!rows) return padici_fail_here(context, PADIC_ERROR_MEMORY, "out of host memory");
    for (r = 0; r < tableau->qubits; r++)
        for (w = 0; w < width; w++)
            rows[(uint64_t)r * width + w] =
                ((const uint64_t *)from)[(uint64_t)r * width + w] & part[w % tableau->words];
    desc->report->entropy = padici_tensor_bit_rank(rows, tableau->qubits, width) - members;
    padici_free(padici_allocator(context), rows, bytes);
    return PADIC_OK;
}

PADIC_API padic_result padic_tensor_happy_entropy(padic_context *context,
                                                  const padic_tensor_happy_entropy_desc *desc)
{
    const char *before = padici_enter(context, "tensor_happy_entropy");
    const padic_result result = padici_tensor_happy_entropy_named(context, desc);
    padici_leave(context, before);
    return result;
}

#endif
