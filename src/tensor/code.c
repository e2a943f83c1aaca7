// ------------------------------------------------------------------------------------ >>code impl

static uint32_t padici_ones(uint64_t x)
{
    x -= x >> 1 & UINT64_C(0x5555555555555555);
    x = (x & UINT64_C(0x3333333333333333)) + (x >> 2 & UINT64_C(0x3333333333333333));
    return (uint32_t)(((x + (x >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f)) *
                          UINT64_C(0x0101010101010101) >> 56);
}

static padic_result padici_tensor_perfect_named(padic_context *context, const padic_tensor *tensor)
{
    static const char *const names[1] = {"tensor"};
    padic_tensor t;
    padici_operand operand;
    int64_t stride[PADIC_MAX_RANK];
    uint32_t i, b;
    padic_result result;
    if (!tensor) return padici_fail_here(context, PADIC_ERROR_ARGUMENT, "tensor is NULL");
    t = *tensor;
    if (t.dtype != PADIC_F32 && !padici_tensor_is_double(t.dtype) &&
        !padici_tensor_is_complex(t.dtype))
        return padici_fail_here(context, PADIC_ERROR_DTYPE, "tensor is not F32, F64, C64 or C128");
    result = padici_tensor_host(context, &t, names, &operand, 1, 0);
    if (result) return result;
    for (i = 0, b = t.rank == 6; i < 6 && b; i++) b = t.shape[i] == 2;
    if (!b) return padici_fail_here(context, PADIC_ERROR_MISMATCH, "tensor has not six axes of 2");
    padici_tensor_dense(&t, stride);
    for (b = 0; b < 64; b++) {
        const uint32_t ring = b >> 1; // bit i - 1: leg i
        const uint32_t next = (ring << 1 | ring >> 4) & 31;
        const uint32_t minus = padici_ones((b & 1) ? ring : 0) + padici_ones(ring & next);
        int64_t at = 0;
        for (i = 0; i < 6; i++) at += (b >> i & 1) * stride[i];
        padici_tensor_write(t.dtype, (char *)t.data, at, minus & 1 ? -0.125 : 0.125, 0);
    }
    return PADIC_OK;
}

PADIC_API padic_result padic_tensor_perfect(padic_context *context, const padic_tensor *tensor)
{
    const char *before = padici_enter(context, "tensor_perfect");
    const padic_result result = padici_tensor_perfect_named(context, tensor);
    padici_leave(context, before);
    return result;
}

// Where the number `index` of the legs in `part` lies, the last one fastest.
static int64_t padici_perfect_at(const padic_tensor *t, const int64_t *stride, uint32_t part,
                                 uint64_t index)
{
    int64_t at = 0;
    uint32_t i;
    for (i = t->rank; i-- > 0;) {
        if (!(part >> i & 1)) continue;
        at += (int64_t)(index % t->shape[i]) * stride[i];
        index /= t->shape[i];
    }
    return at;
}

// (M M^dagger)_ij of a split with d rows, all numbers divided by `scale`.
static void padici_perfect_entry(const padic_tensor *t, double scale, uint32_t part, uint64_t d,
                                 uint64_t i, uint64_t j, double out[2])
{
    const uint32_t rest = ((1u << t->rank) - 1) & ~part;
    int64_t stride[PADIC_MAX_RANK], row[2];
    uint64_t k;
    padici_tensor_dense(t, stride);
    row[0] = padici_perfect_at(t, stride, part, i);
    row[1] = padici_perfect_at(t, stride, part, j);
    out[0] = out[1] = 0;
    for (k = 0; k < d; k++) {
        const int64_t at = padici_perfect_at(t, stride, rest, k);
        double x[2], y[2];
        padici_tensor_read(t->dtype, (const char *)t->data, row[0] + at, x, x + 1);
        padici_tensor_read(t->dtype, (const char *)t->data, row[1] + at, y, y + 1);
        x[0] /= scale, x[1] /= scale;
        y[0] /= scale, y[1] /= scale;
        out[0] += x[0] * y[0];
        out[0] += x[1] * y[1];
        out[1] += x[1] * y[0];
        out[1] -= x[0] * y[1];
    }
}

static padic_result padici_tensor_perfect_check_named(padic_context *context,
                                                      const padic_tensor *tensor, double *deviation)
{
    static const char *const names[1] = {"tensor"};
    padic_tensor t;
    padici_operand operand;
    uint32_t part, i;
    uint64_t d = 1, j, k;
    double norm = 0, z[2], worst = 0, scale = 1;
    int power;
    padic_result result;
    if (!tensor || !deviation)
        return padici_fail_here(context, PADIC_ERROR_ARGUMENT, "tensor is NULL");
    t = *tensor;
    if (t.dtype != PADIC_F32 && !padici_tensor_is_double(t.dtype) &&
        !padici_tensor_is_complex(t.dtype))
        return padici_fail_here(context, PADIC_ERROR_DTYPE, "tensor is not F32, F64, C64 or C128");
    result = padici_tensor_host(context, &t, names, &operand, 1, 1);
    if (result) return result;
    for (i = 0; i < t.rank && t.shape[i] == t.shape[0]; i++) continue;
    if (!t.rank || t.rank % 2 || i < t.rank || !t.shape[0])
        return padici_fail_here(context, PADIC_ERROR_MISMATCH,
                                "tensor has not 2, 4, 6 or 8 axes of one extent");
    for (i = 0; i < t.rank / 2; i++) d *= t.shape[0];
    if (padici_tensor_power(&t, &power)) {
        scale = ldexp(1.0, power);
        for (j = 0; j < d; j++) {
            padici_perfect_entry(&t, scale, (1u << t.rank / 2) - 1, d, j, j, z);
            norm += z[0] / (double)d;
        }
    }
    if (!(norm > 0))
        return padici_fail_here(context, PADIC_ERROR_DOMAIN, "tensor is zero or not finite");
    for (part = 1; part < 1u << t.rank; part += 2) { // with leg 0; the others are the rest of one
        uint32_t legs = 0;
        for (i = 0; i < t.rank; i++) legs += part >> i & 1;
        if (legs != t.rank / 2) continue;
        for (j = 0; j < d; j++)
            for (k = 0; k <= j; k++) {
                double off;
                padici_perfect_entry(&t, scale, part, d, j, k, z);
                if (j == k) z[0] -= norm;
                off = sqrt(z[0] * z[0] + z[1] * z[1]) / norm;
                if (off > worst) worst = off;
            }
    }
    *deviation = worst;
    return PADIC_OK;
}

PADIC_API padic_result padic_tensor_perfect_check(padic_context *context,
                                                  const padic_tensor *tensor, double *deviation)
{
    const char *before = padici_enter(context, "tensor_perfect_check");
    const padic_result result = padici_tensor_perfect_check_named(context, tensor, deviation);
    padici_leave(context, before);
    return result;
}

// Codes.

#define PADICI_HAPPY_UNSET 0xffffffffu

static uint32_t padici_happy_base(uint32_t code) // the first slot that is no bulk leg
{
    return code == PADIC_TENSOR_PENTAGON;
}

static void padici_happy_join(uint32_t *links, uint32_t a, uint32_t b)
{
    links[a] = b;
    links[b] = a;
}

// The first outward slot of a tile in the last layer but one: two of its legs may lead inward.
static uint32_t padici_happy_first(const uint32_t *links, uint32_t tile, uint32_t base)
{
    const uint32_t second = links[6 * tile + base + 1];
    return 6 * tile + base + (second != PADICI_HAPPY_UNSET && second / 6 < tile ? 2 : 1);
}

// The tiles on the layer [begin, end); returns how many tiles there are then.
static uint32_t padici_happy_layer(uint32_t *links, uint32_t base, uint32_t begin, uint32_t end)
{
    uint32_t t, slot, tiles = end;
    for (t = begin; t < end; t++) {
        const uint32_t next = t + 1 < end ? t + 1 : begin, last = 6 * t + 5;
        for (slot = padici_happy_first(links, t, base) + 1; slot < last; slot++)
            padici_happy_join(links, slot, 6 * tiles++ + base);
        padici_happy_join(links, padici_happy_first(links, next, base), 6 * tiles + base);
        padici_happy_join(links, last, 6 * tiles++ + base + 1);
    }
    return tiles;
}

static padic_result padici_tensor_happy_build_named(padic_context *context,
                                                    padic_tensor_happy *happy)
{
    uint64_t f, g = 0, tiles = 1, legs;
    uint32_t base, layer, begin, end, i;
    if (!happy || happy->code > PADIC_TENSOR_HEXAGON || happy->layers > 8)
        return padici_fail_here(context, PADIC_ERROR_ARGUMENT,
                                "happy is NULL, its code no padic_tensor_code, or its layers "
                                "above 8");
    base = padici_happy_base(happy->code);
    f = legs = 6 - base;
    for (layer = 1; layer <= happy->layers; layer++) {
        const uint64_t both = f + g, more = (3 - base) * f + (2 - base) * g;
        if (layer > 1) {
            g = both;
            f = more;
        }
        tiles += f + g;
        legs = (5 - base) * f + (4 - base) * g;
    }
    happy->tiles = (uint32_t)tiles;
    happy->legs = (uint32_t)legs;
    if (!happy->links) return PADIC_OK;
    if (happy->link_capacity < 6 * tiles)
        return padici_fail_here(context, PADIC_ERROR_CAPACITY,
                                "link_capacity is too small: 6 words a tile");
    for (i = 0; i < 6 * tiles; i++) happy->links[i] = PADICI_HAPPY_UNSET;
    for (begin = 0, end = 1, layer = 1; layer <= happy->layers; layer++) {
        uint32_t now = end;
        if (layer == 1)
            for (i = base; i < 6; i++) padici_happy_join(happy->links, i, 6 * now++ + base);
        else
            now = padici_happy_layer(happy->links, base, begin, end);
        begin = end;
        end = now;
    }
    for (i = 0, legs = 0; i < 6 * tiles; i++) {
        if (base && i % 6 == 0)
            happy->links[i] = PADIC_TENSOR_HAPPY_BULK + i / 6;
        else if (happy->links[i] == PADICI_HAPPY_UNSET)
            happy->links[i] = PADIC_TENSOR_HAPPY_LEG + (uint32_t)legs++;
    }
    return PADIC_OK;
}

PADIC_API padic_result padic_tensor_happy_build(padic_context *context, padic_tensor_happy *happy)
{
    const char *before = padici_enter(context, "tensor_happy_build");
    const padic_result result = padici_tensor_happy_build_named(context, happy);
    padici_leave(context, before);
    return result;
}

// Links as _build() made them, and a mask of legs without bits beyond.
static const char *padici_happy_fault(const padic_tensor_happy *happy, const uint64_t *part)
{
    uint32_t i;
    if (!happy || !happy->links || happy->code > PADIC_TENSOR_HEXAGON || !happy->tiles)
        return "happy has no code: padic_tensor_happy_build() makes it, with links";
    if (happy->link_capacity / 6 < happy->tiles) return "link_capacity is too small";
    for (i = 0; i < 6 * happy->tiles; i++) {
        const uint32_t link = happy->links[i];
        if (link & PADIC_TENSOR_HAPPY_LEG) {
            if (link - PADIC_TENSOR_HAPPY_LEG >= happy->legs) return "links are damaged";
        } else if (!(link & PADIC_TENSOR_HAPPY_BULK) &&
                   (link >= 6 * happy->tiles || happy->links[link] != i)) {
            return "links are damaged";
        }
    }
    if (part && happy->legs % 64 && part[happy->legs / 64] >> happy->legs % 64)
        return "part has bits beyond the legs";
    return NULL;
}

// A growing state: `n` qubits in columns of rows that have room for more.
typedef struct padici_tableau {
    uint64_t *rows;
    uint8_t *signs;
    uint32_t *column; // of each slot of each tile
    uint32_t *spare;  // columns not in use
    uint32_t n, words, spares;
} padici_tableau;

static uint64_t *padici_tableau_row(const padici_tableau *t, uint32_t row)
{
    return t->rows + (uint64_t)row * 2 * t->words;
}

PADICI_INLINE uint32_t padici_tableau_bit(const uint64_t *bits, uint32_t at)
{
    return (uint32_t)(bits[at / 64] >> at % 64 & 1);
}

// Row h becomes the product of rows i and h, which commute. Aaronson and Gottesman
// quant-ph/0406196: a factor i for XY, YZ, ZX, -i for the other way round.
static void padici_tableau_multiply(const padici_tableau *t, uint32_t h, uint32_t i)
{
    uint64_t *a = padici_tableau_row(t, i), *b = padici_tableau_row(t, h);
    uint32_t w, phase = 0;
    for (w = 0; w < t->words; w++) {
        const uint64_t x = a[w], z = a[w + t->words], p = b[w], q = b[w + t->words];
        phase += padici_ones((x & z & q & ~p) | (x & ~z & p & q) | (~x & z & p & ~q));
        phase -= padici_ones((x & z & p & ~q) | (x & ~z & q & ~p) | (~x & z & p & q));
        b[w] ^= x;
        b[w + t->words] ^= z;
    }
    t->signs[h] = (uint8_t)((t->signs[h] ^ t->signs[i]) ^ (phase >> 1 & 1));
}

// Projects on the eigenvalue +1 (sign 1: -1) of a Pauli product: x and z on each of `count`
// columns. Returns its row; UINT32_MAX when it was decided before.
static uint32_t padici_tableau_project(const padici_tableau *t, const uint32_t *columns,
                                       uint32_t count, uint32_t x, uint32_t z, uint32_t sign)
{
    uint32_t r, i, pivot = UINT32_MAX;
    uint64_t *row;
    for (r = 0; r < t->n; r++) {
        uint32_t odd = 0;
        row = padici_tableau_row(t, r);
        for (i = 0; i < count; i++)
            odd ^= (padici_tableau_bit(row, columns[i]) & z) ^
                   (padici_tableau_bit(row + t->words, columns[i]) & x);
        if (!odd) continue;
        if (pivot == UINT32_MAX)
            pivot = r;
        else
            padici_tableau_multiply(t, r, pivot);
    }
    if (pivot == UINT32_MAX) return pivot;
    row = padici_tableau_row(t, pivot);
    memset(row, 0, 16 * t->words);
    for (i = 0; i < count; i++) {
        row[columns[i] / 64] |= (uint64_t)x << columns[i] % 64;
        row[t->words + columns[i] / 64] |= (uint64_t)z << columns[i] % 64;
    }
    t->signs[pivot] = (uint8_t)sign;
    return pivot;
}

// Clears a column from all rows but `row`, whose Pauli there they have or not; then drops the row.
static void padici_tableau_drop(padici_tableau *t, uint32_t row, uint32_t column)
{
    const uint64_t *own = padici_tableau_row(t, row);
    const uint32_t x = padici_tableau_bit(own, column);
    uint32_t r;
    for (r = 0; r < t->n; r++) {
        const uint64_t *other = padici_tableau_row(t, r) + (x ? 0 : t->words);
        if (r != row && padici_tableau_bit(other, column)) padici_tableau_multiply(t, r, row);
    }
    if (row != --t->n) {
        memcpy(padici_tableau_row(t, row), padici_tableau_row(t, t->n), 16 * t->words);
        t->signs[row] = t->signs[t->n];
    }
}

// Six rows and columns of a new tile: X on a leg, Z on its neighbours in the wheel.
static void padici_tableau_tile(padici_tableau *t, uint32_t tile)
{
    static const uint8_t wheel[6] = {0x3e, 0x25, 0x0b, 0x15, 0x29, 0x13}; // bit j: joined to j
    uint32_t *column = t->column + 6 * tile, i, j;
    for (i = 0; i < 6; i++) column[i] = t->spare[--t->spares];
    for (i = 0; i < 6; i++) {
        uint64_t *row = padici_tableau_row(t, t->n);
        memset(row, 0, 16 * t->words);
        row[column[i] / 64] |= UINT64_C(1) << column[i] % 64;
        for (j = 0; j < 6; j++)
            row[t->words + column[j] / 64] |= (uint64_t)(wheel[i] >> j & 1) << column[j] % 64;
        t->signs[t->n++] = 0;
    }
}

// Adds a tile: fixes its bulk leg, joins the slots that lead to tiles before it by Bell pairs.
static int padici_tableau_add(padici_tableau *t, const padic_tensor_happy *happy, uint32_t tile,
                              uint32_t state)
{
    uint32_t slot, row, other;
    padici_tableau_tile(t, tile);
    for (slot = 0; slot < 6; slot++) {
        const uint32_t at = 6 * tile + slot, link = happy->links[at];
        uint32_t pair[2];
        pair[0] = t->column[at];
        if (link & PADIC_TENSOR_HAPPY_LEG) continue;
        if (link & PADIC_TENSOR_HAPPY_BULK) {
            if (!state) continue;
            row = padici_tableau_project(t, pair, 1, state < 5, state > 2, (state - 1) & 1);
            if (row == UINT32_MAX) return 0;
            padici_tableau_drop(t, row, pair[0]);
            t->spare[t->spares++] = pair[0];
            continue;
        }
        if (link / 6 >= tile) continue;
        pair[1] = t->column[link];
        row = padici_tableau_project(t, pair, 2, 1, 0, 0);
        other = padici_tableau_project(t, pair, 2, 0, 1, 0);
        if (row == UINT32_MAX || other == UINT32_MAX) return 0;
        padici_tableau_drop(t, other, pair[0]); // rows commute with XX and ZZ: I, XX, YY, ZZ there
        padici_tableau_drop(t, row == t->n ? other : row, pair[0]);
        t->spare[t->spares++] = pair[0];
        t->spare[t->spares++] = pair[1];
    }
    return 1;
}

// Rows with the columns in the order of the qubits.
static void padici_tableau_write(const padici_tableau *t, const padic_tensor_happy *happy,
                                 const uint8_t *bulk, padic_tensor_tableau *out)
{
    uint32_t r, i;
    memset(out->rows, 0, (size_t)16 * out->words * out->qubits);
    for (r = 0; r < t->n; r++) {
        const uint64_t *from = padici_tableau_row(t, r);
        uint64_t *to = out->rows + (uint64_t)2 * out->words * r;
        uint32_t open = happy->legs;
        for (i = 0; i < 6 * happy->tiles; i++) {
            const uint32_t link = happy->links[i], column = t->column[i];
            uint32_t q = open;
            if (link & PADIC_TENSOR_HAPPY_LEG)
                q = link - PADIC_TENSOR_HAPPY_LEG;
            else if (!(link & PADIC_TENSOR_HAPPY_BULK) || (bulk && bulk[i / 6]))
                continue;
            else
                open++;
            to[q / 64] |= (uint64_t)padici_tableau_bit(from, column) << q % 64;
            to[out->words + q / 64] |= (uint64_t)padici_tableau_bit(from + t->words, column)
                                       << q % 64;
        }
        out->signs[r] = t->signs[r];
    }
}

static padic_result padici_tensor_happy_encode_named(padic_context *context,
                                                     const padic_tensor_happy *happy,
                                                     const uint8_t *bulk,
                                                     padic_tensor_tableau *tableau)
{
    const char *fault = tableau ? padici_happy_fault(happy, NULL) : "tableau is NULL";
    padici_tableau t;
    uint64_t room;
    uint32_t i;
    size_t bytes;
    char *memory;
    if (fault) return padici_fail_here(context, PADIC_ERROR_ARGUMENT, fault);
    tableau->qubits = happy->legs;
    for (i = 0; i < happy->tiles; i++) {
        if (bulk && bulk[i] > 6)
            return padici_fail_here(context, PADIC_ERROR_ARGUMENT, "bulk has a state above 6");
        tableau->qubits += happy->code == PADIC_TENSOR_PENTAGON && !(bulk && bulk[i]);
    }
    tableau->words = (tableau->qubits + 63) / 64;
    if (!tableau->rows) return PADIC_OK;
    if (!tableau->signs || tableau->row_capacity / 2 / tableau->words < tableau->qubits)
        return padici_fail_here(context, PADIC_ERROR_CAPACITY,
                                "row_capacity is too small: qubits x 2 x words, and signs");
    memset(&t, 0, sizeof t);
    room = (uint64_t)tableau->qubits + 8; // a tile adds six, and at most five of them go again
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
        if (!padici_tableau_add(&t, happy, i, bulk ? bulk[i] : 0)) break;
    if (i == happy->tiles) padici_tableau_write(&t, happy, bulk, tableau);
    padici_free(padici_allocator(context), memory, bytes);
    return i == happy->tiles ? PADIC_OK
                             : padici_fail_here(context, PADIC_ERROR_DOMAIN,
                                                "bulk makes a state of norm 0");
}

PADIC_API padic_result padic_tensor_happy_encode(padic_context *context,
                                                 const padic_tensor_happy *happy,
                                                 const uint8_t *bulk, padic_tensor_tableau *tableau)
{
    const char *before = padici_enter(context, "tensor_happy_encode");
    const padic_result result = padici_tensor_happy_encode_named(context, happy, bulk, tableau);
    padici_leave(context, before);
    return result;
}

// Rank of rows of `width` words, which are lost.
static uint32_t padici_rank(uint64_t *rows, uint32_t n, uint32_t width)
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
                                                      const padic_tensor_tableau *tableau,
                                                      const uint64_t *part, uint32_t *entropy)
{
    uint32_t width, r, w, members = 0;
    uint64_t *rows;
    size_t bytes;
    if (!tableau || !tableau->rows || !part || !entropy ||
        tableau->words != (tableau->qubits + 63) / 64 ||
        (tableau->qubits && tableau->row_capacity / 2 / tableau->words < tableau->qubits))
        return padici_fail_here(context, PADIC_ERROR_ARGUMENT, "tableau, part or entropy is NULL");
    if (tableau->qubits % 64 && part[tableau->words - 1] >> tableau->qubits % 64)
        return padici_fail_here(context, PADIC_ERROR_ARGUMENT, "part has bits beyond the qubits");
    *entropy = 0;
    for (w = 0; w < tableau->words; w++) members += padici_ones(part[w]);
    if (!members || members == tableau->qubits) return PADIC_OK;
    width = 2 * tableau->words;
    if (!padici_mul_size((size_t)tableau->qubits * 8, width, &bytes))
        return padici_fail_here(context, PADIC_ERROR_LIMIT, "tableau has too many qubits");
    rows = (uint64_t *)padici_alloc(padici_allocator(context), bytes, 64);
    if (!rows) return padici_fail_here(context, PADIC_ERROR_MEMORY, "out of host memory");
    for (r = 0; r < tableau->qubits; r++)
        for (w = 0; w < width; w++)
            rows[(uint64_t)r * width + w] =
                tableau->rows[(uint64_t)r * width + w] & part[w % tableau->words];
    *entropy = padici_rank(rows, tableau->qubits, width) - members;
    padici_free(padici_allocator(context), rows, bytes);
    return PADIC_OK;
}

PADIC_API padic_result padic_tensor_happy_entropy(padic_context *context,
                                                  const padic_tensor_tableau *tableau,
                                                  const uint64_t *part, uint32_t *entropy)
{
    const char *before = padici_enter(context, "tensor_happy_entropy");
    const padic_result result = padici_tensor_happy_entropy_named(context, tableau, part, entropy);
    padici_leave(context, before);
    return result;
}

// A search in the graph of tiles for one more unit of flow. flow: of each slot, out of its tile.
typedef struct padici_flow {
    const padic_tensor_happy *happy;
    const uint64_t *part;
    uint32_t *queue, *from; // of a tile: the slot by which it was reached + 1
    int8_t *flow;
} padici_flow;

static int padici_flow_inside(const padici_flow *f, uint32_t link)
{
    const uint32_t leg = link - PADIC_TENSOR_HAPPY_LEG;
    return (int)(f->part[leg / 64] >> leg % 64 & 1);
}

// Reaches what residual capacity leads to; the last slot of a path to the sink, or UINT32_MAX.
static uint32_t padici_flow_search(const padici_flow *f)
{
    const uint32_t *links = f->happy->links;
    uint32_t i, head = 0, tail = 0;
    memset(f->from, 0, 4 * (size_t)f->happy->tiles);
    for (i = 0; i < 6 * f->happy->tiles; i++) {
        if (!(links[i] & PADIC_TENSOR_HAPPY_LEG) || !padici_flow_inside(f, links[i])) continue;
        if (f->flow[i] < 0 || f->from[i / 6]) continue; // in use: a unit comes in
        f->from[i / 6] = i + 1;
        f->queue[tail++] = i / 6;
    }
    while (head < tail) {
        const uint32_t tile = f->queue[head++];
        for (i = 6 * tile; i < 6 * tile + 6; i++) {
            if ((links[i] & PADIC_TENSOR_HAPPY_BULK) || f->flow[i] > 0) continue;
            if (links[i] & PADIC_TENSOR_HAPPY_LEG) {
                if (!padici_flow_inside(f, links[i])) return i;
            } else if (!f->from[links[i] / 6]) {
                f->from[links[i] / 6] = links[i] + 1;
                f->queue[tail++] = links[i] / 6;
            }
        }
    }
    return UINT32_MAX;
}

// One unit along the path that ends with `slot`.
static void padici_flow_push(const padici_flow *f, uint32_t slot)
{
    const uint32_t *links = f->happy->links;
    for (;;) {
        const uint32_t in = f->from[slot / 6] - 1;
        f->flow[slot]++;
        f->flow[in]--;
        if (links[in] & PADIC_TENSOR_HAPPY_LEG) return;
        slot = links[in];
    }
}

static padic_result padici_tensor_happy_cut_named(padic_context *context,
                                                  const padic_tensor_happy *happy,
                                                  const uint64_t *part, uint32_t *cut,
                                                  uint8_t *side, uint32_t *edges)
{
    const char *fault = part && cut ? padici_happy_fault(happy, part) : "part or cut is NULL";
    padici_flow f;
    uint32_t i, slot, n = 0;
    size_t bytes;
    if (fault) return padici_fail_here(context, PADIC_ERROR_ARGUMENT, fault);
    bytes = (size_t)14 * happy->tiles;
    f.happy = happy;
    f.part = part;
    f.queue = (uint32_t *)padici_alloc(padici_allocator(context), bytes, 64);
    if (!f.queue) return padici_fail_here(context, PADIC_ERROR_MEMORY, "out of host memory");
    f.from = f.queue + happy->tiles;
    f.flow = (int8_t *)(f.from + happy->tiles);
    memset(f.flow, 0, (size_t)6 * happy->tiles);
    *cut = 0;
    while ((slot = padici_flow_search(&f)) != UINT32_MAX) {
        padici_flow_push(&f, slot);
        ++*cut;
    }
    for (i = 0; side && i < happy->tiles; i++) side[i] = f.from[i] != 0;
    for (i = 0; edges && i < 6 * happy->tiles; i++) {
        const uint32_t link = happy->links[i], here = f.from[i / 6] != 0;
        if (link & PADIC_TENSOR_HAPPY_BULK) continue;
        if (link & PADIC_TENSOR_HAPPY_LEG) {
            if (here != (uint32_t)padici_flow_inside(&f, link)) edges[n++] = i;
        } else if (here && !f.from[link / 6]) {
            edges[n++] = i;
        }
    }
    padici_free(padici_allocator(context), f.queue, bytes);
    return PADIC_OK;
}

PADIC_API padic_result padic_tensor_happy_cut(padic_context *context,
                                              const padic_tensor_happy *happy, const uint64_t *part,
                                              uint32_t *cut, uint8_t *side, uint32_t *edges)
{
    const char *before = padici_enter(context, "tensor_happy_cut");
    const padic_result result = padici_tensor_happy_cut_named(context, happy, part, cut, side,
                                                              edges);
    padici_leave(context, before);
    return result;
}

static padic_result padici_tensor_happy_wedge_named(padic_context *context,
                                                    const padic_tensor_happy *happy,
                                                    const uint64_t *part, uint8_t *inside,
                                                    uint32_t *tiles)
{
    const char *fault = part && inside ? padici_happy_fault(happy, part) : "part or inside is NULL";
    uint32_t t, slot, more = 1, count = 0;
    if (fault) return padici_fail_here(context, PADIC_ERROR_ARGUMENT, fault);
    memset(inside, 0, happy->tiles);
    while (more) // from the rim inwards: a few rounds do
        for (t = happy->tiles, more = 0; t-- > 0;) {
            uint32_t legs = 0;
            for (slot = 6 * t; slot < 6 * t + 6; slot++) {
                const uint32_t link = happy->links[slot], leg = link - PADIC_TENSOR_HAPPY_LEG;
                if (link & PADIC_TENSOR_HAPPY_LEG)
                    legs += (uint32_t)(part[leg / 64] >> leg % 64 & 1);
                else if (!(link & PADIC_TENSOR_HAPPY_BULK))
                    legs += inside[link / 6];
            }
            if (inside[t] || legs < 3) continue; // half of 6, and of 5 rounded up
            inside[t] = 1;
            more = 1;
            count++;
        }
    if (tiles) *tiles = count;
    return PADIC_OK;
}

PADIC_API padic_result padic_tensor_happy_wedge(padic_context *context,
                                                const padic_tensor_happy *happy,
                                                const uint64_t *part, uint8_t *inside,
                                                uint32_t *tiles)
{
    const char *before = padici_enter(context, "tensor_happy_wedge");
    const padic_result result = padici_tensor_happy_wedge_named(context, happy, part, inside,
                                                                tiles);
    padici_leave(context, before);
    return result;
}

