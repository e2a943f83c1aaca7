// program: pq_rows
// texts: number.cl cache.cl
// rows.cl: rows of caches: shortened, set from flat arrays and read as such, shared by pages.
//
// `check` looks at all rows, and the kernels after it do nothing where one is wrong: found[0] is 0,
// or MOST less the number of what is wrong, the least of all; then two words of each row, the keys
// that are counted.

#define PQ_ROWS_CUT 0u // modes
#define PQ_ROWS_SET 1u
#define PQ_ROWS_READ 2u
#define PQ_ROWS_FORK 3u

typedef struct {
    pd_u32 mode, rows, groups, parts;
    pd_u32 m, bits, bytes;
    pd_u32 codes_lo, codes_hi, tiles, page_tiles, page_count, row_pages, pages_at;
    pd_u32 lengths_at, cells, counts_at; // cells: 0 if they are not counted
    pd_u32 given, given_at, given_step;  // given: 1 if rows have numbers of keys
    pd_u32 count, width, flat_at, flat_step[4]; // flat arrays: keys of a row, bytes of a code
    pd_u32 from, to, length, page;
} padic_k_pq_rows_check_params;

PD_FN pq_store pq_rows_store(const padic_k_pq_rows_check_params k)
{
    pq_store s;
    PQ_STORE(s, k)
    return s;
}

// Whether a row can have so many keys, by its tiles and its pages.
PD_FN pd_u32 pq_rows_sound(PD_GPTR(const pd_u32) pages, pd_u32 row, pd_u32 length,
                           const padic_k_pq_rows_check_params k)
{
    if (length > k.tiles * PQ_TILE) return 0u;
    for (pd_u32 i = 0u; k.page_tiles > 0u && (pd_u64)i * k.page_tiles * PQ_TILE < length; i++)
        if (pages[k.pages_at + row * k.row_pages + i] >= k.page_count) return 0u;
    return 1u;
}

// An item a row. Numbers of what is wrong: 1 a row, 2 an argument; of codes that are set, after 8
// times the row, 1 an argument, 2 no room, 3 a page, 4 a code.
PD_KERNEL(padic_k_pq_rows_check)
(PD_CBUF(pd_u32, lengths), PD_CBUF(pd_u32, pages), PD_CBUF(pd_u32, given), PD_BUF(pd_u32, found),
 PD_PARAMS(padic_k_pq_rows_check_params, k))
{
    for (pd_u32 row = PD_GID; row < k.rows; row += PD_NGRP * PQ_WG) {
        const pd_u32 was = lengths[k.lengths_at + row], page = k.page_tiles * PQ_TILE;
        const pd_u32 to = k.given > 0u ? given[k.given_at + row * k.given_step] : k.count;
        pd_u32 wrong = 0u, low = 0u, high = 0u;
        if (k.mode == PQ_ROWS_SET) {
            if (to > k.count) wrong = 1u;
            else if (to > k.tiles * PQ_TILE) wrong = 2u;
            else if (pq_rows_sound(pages, row, to, k) == 0u) wrong = 3u;
            if (wrong > 0u) wrong += 8u * row;
            high = to;
        } else if (pq_rows_sound(pages, row, was, k) == 0u) {
            wrong = 1u;
        } else if (k.mode == PQ_ROWS_CUT) {
            if (to > was) wrong = 2u;
            low = to;
            high = was;
        } else if (k.mode == PQ_ROWS_FORK && row == k.from) {
            const pd_u32 length = k.length > 0u ? k.length : was;
            if (length > was || (length % page > 0u && k.page >= k.page_count)) wrong = 2u;
            found[2u + 2u * k.to] = length;
        }
        if (wrong > 0u) PD_ATOMIC_MAX_G(&found[0], PQ_MOST - wrong);
        if (k.mode != PQ_ROWS_FORK) {
            found[1u + 2u * row] = low;
            found[2u + 2u * row] = high;
        }
    }
}

// A code of a flat array.
PD_FN pd_u32 pq_rows_flat(PD_GPTR(const pd_u32) flat, pd_u32 at, pd_u32 width)
{
    if (width == 1u) return ((PD_GPTR(const pd_u8))flat)[at];
    if (width == 2u) return ((PD_GPTR(const pd_u16))flat)[at];
    if (width == 4u) return flat[at];
    return flat[2u * (pd_u64)at + 1u] > 0u ? PQ_MOST : flat[2u * (pd_u64)at];
}

PD_FN pd_u32 pq_rows_at(pd_u32 row, pd_u32 head, pd_u32 key, pd_u32 j,
                        const padic_k_pq_rows_check_params k)
{
    return k.flat_at + row * k.flat_step[0] + head * k.flat_step[1] + key * k.flat_step[2] +
           j * k.flat_step[3];
}

// Whether all codes that are to be set are below 2^bits. A part of a head of a row a group.
PD_KERNEL(padic_k_pq_rows_inspect)
(PD_CBUF(pd_u32, flat), PD_BUF(pd_u32, found), PD_PARAMS(padic_k_pq_rows_check_params, k))
{
    const pd_u32 part = PD_GRP % k.parts, head = PD_GRP / k.parts % k.groups;
    const pd_u32 row = PD_GRP / k.parts / k.groups, high = found[2u + 2u * row];
    const pd_u32 end = high < k.count ? high : k.count;
    for (pd_u32 key = part * PQ_WG + PD_LID; key < end; key += k.parts * PQ_WG)
        for (pd_u32 j = 0u; j < k.m; j++)
            if (pq_rows_flat(flat, pq_rows_at(row, head, key, j, k), k.width) >> k.bits > 0u)
                PD_ATOMIC_MAX_G(&found[0], PQ_MOST - (8u * row + 4u));
}

// Byte i of a tile with the first `high` keys of a flat array set.
PD_FN pd_u32 pq_rows_byte(pd_u32 was, PD_GPTR(const pd_u32) flat, pd_u32 at, pd_u32 i, pd_u32 high,
                          const padic_k_pq_rows_check_params k)
{
    const pd_u32 upper = i >= 32u && k.bytes == 48u ? 1u : 0u;
    const pd_u32 width = k.bytes == 64u ? 8u : upper > 0u ? 2u : 4u;
    const pd_u32 apart = upper > 0u ? 16u : 32u, mask = (1u << width) - 1u;
    pd_u32 byte = was;
    for (pd_u32 n = 0u; n < 8u; n += width) {
        const pd_u32 key = (upper > 0u ? i - 32u : i) + n / width * apart;
        if (key < high) {
            const pd_u32 code = pq_rows_flat(flat, at + key * k.flat_step[2], k.width);
            byte = (byte & ~(mask << n)) | (code >> (upper > 0u ? 4u : 0u) & mask) << n;
        }
    }
    return byte;
}

// Codes of whole rows, and no counts of cells. A part of the tiles of a head of a row a group.
PD_KERNEL(padic_k_pq_rows_set)
(PD_CBUF(pd_u32, found), PD_CBUF(pd_u32, flat), PD_BUF(pd_u32, codes), PD_CBUF(pd_u32, pages),
 PD_BUF(pd_u32, counts), PD_PARAMS(padic_k_pq_rows_check_params, k))
{
    const pd_u32 part = PD_GRP % k.parts, head = PD_GRP / k.parts % k.groups;
    const pd_u32 row = PD_GRP / k.parts / k.groups;
    const pd_u32 end = found[0] > 0u ? 0u : found[2u + 2u * row];
    const pd_u32 wide = k.bytes < PQ_TILE ? k.bytes : PQ_TILE;
    for (pd_u32 c = part * PQ_WG + PD_LID; c < k.cells && found[0] == 0u; c += k.parts * PQ_WG)
        counts[k.counts_at + (row * k.groups + head) * k.cells + c] = 0u;
    for (pd_u32 tile = part; tile * PQ_TILE < end; tile += k.parts) {
        const pd_u32 base = tile * PQ_TILE, high = end - base < PQ_TILE ? end - base : PQ_TILE;
        const pd_u64 to = pq_tile(pages, pq_rows_store(k), row, head, tile);
        for (pd_u32 e = PD_LID; e < k.m * wide; e += PQ_WG) {
            const pd_u32 j = e / wide, i = e - j * wide, at = pq_rows_at(row, head, base, j, k);
            if (k.bytes > PQ_TILE) {
                if (i < high)
                    ((PD_GPTR(pd_u16))codes)[to / 2u + e] =
                        (pd_u16)pq_rows_flat(flat, at + i * k.flat_step[2], k.width);
            } else {
                ((PD_GPTR(pd_u8))codes)[to + e] = (pd_u8)pq_rows_byte(
                    ((PD_GPTR(pd_u8))codes)[to + e], flat, at, i, high, k);
            }
        }
    }
}

// Codes as flat arrays; 0 from a row's length on. A part of a head of a row a group.
PD_KERNEL(padic_k_pq_rows_read)
(PD_CBUF(pd_u32, found), PD_CBUF(pd_u32, codes), PD_CBUF(pd_u32, pages), PD_CBUF(pd_u32, lengths),
 PD_BUF(pd_u32, flat), PD_PARAMS(padic_k_pq_rows_check_params, k))
{
    const pd_u32 part = PD_GRP % k.parts, head = PD_GRP / k.parts % k.groups;
    const pd_u32 row = PD_GRP / k.parts / k.groups, length = lengths[k.lengths_at + row];
    const pd_u32 end = found[0] > 0u ? 0u : k.count;
    for (pd_u32 e = part * PQ_WG + PD_LID; e / k.m < end; e += k.parts * PQ_WG) {
        const pd_u32 key = e / k.m, j = e - key * k.m, at = pq_rows_at(row, head, key, j, k);
        pd_u32 code = 0u;
        if (key < length)
            code = pq_code(codes, pq_tile(pages, pq_rows_store(k), row, head, key / PQ_TILE), j,
                           key % PQ_TILE, k.bits, k.bytes);
        if (k.width == 1u) {
            ((PD_GPTR(pd_u8))flat)[at] = (pd_u8)code;
        } else if (k.width == 2u) {
            ((PD_GPTR(pd_u16))flat)[at] = (pd_u16)code;
        } else if (k.width == 4u) {
            flat[at] = code;
        } else {
            flat[2u * (pd_u64)at] = code;
            flat[2u * (pd_u64)at + 1u] = 0u;
        }
    }
}

// Pages of row `from` become those of row `to`, the codes of the last one are copied; no counts.
PD_KERNEL(padic_k_pq_rows_fork)
(PD_CBUF(pd_u32, found), PD_BUF(pd_u32, codes), PD_BUF(pd_u32, pages), PD_BUF(pd_u32, counts),
 PD_PARAMS(padic_k_pq_rows_check_params, k))
{
    const pd_u32 length = found[0] > 0u ? 0u : found[2u + 2u * k.to], keys = k.page_tiles * PQ_TILE;
    const pd_u32 whole = length / keys, from = k.pages_at + k.from * k.row_pages;
    const pd_u32 to = k.pages_at + k.to * k.row_pages, step = PD_NGRP * PQ_WG;
    for (pd_u32 i = PD_GID; i < whole; i += step) pages[to + i] = pages[from + i];
    for (pd_u32 c = PD_GID; c < k.cells * k.groups && found[0] == 0u; c += step)
        counts[k.counts_at + k.to * k.groups * k.cells + c] = 0u;
    if (length % keys > 0u) {
        const pd_u64 bytes = (pd_u64)k.page_tiles * k.groups * k.m * k.bytes;
        const pd_u64 base = PD_U64(k.codes_lo, k.codes_hi);
        PD_GPTR(pd_u8) byte = (PD_GPTR(pd_u8))codes;
        const pd_u64 a = base + pages[from + whole] * bytes, b = base + k.page * bytes;
        for (pd_u64 i = PD_GID; i < bytes; i += step) byte[b + i] = byte[a + i];
        if (PD_GID == 0u) pages[to + whole] = k.page;
    }
}

// Keys of each row are counted, or no longer; its length. A part of a head of a row a group.
PD_KERNEL(padic_k_pq_rows_count)
(PD_CBUF(pd_u32, found), PD_CBUF(pd_u32, codes), PD_CBUF(pd_u32, pages), PD_BUF(pd_u32, counts),
 PD_BUF(pd_u32, lengths), PD_PARAMS(padic_k_pq_rows_check_params, k))
{
    const pd_u32 part = PD_GRP % k.parts, head = PD_GRP / k.parts % k.groups;
    const pd_u32 row = PD_GRP / k.parts / k.groups, fine = found[0] > 0u ? 0u : 1u;
    const pd_u32 low = found[1u + 2u * row], high = found[2u + 2u * row];
    const pd_u32 by = k.mode == PQ_ROWS_CUT ? PQ_MOST : 1u, end = k.cells * fine > 0u ? high : low;
    for (pd_u32 key = low + part * PQ_WG + PD_LID; key < end; key += k.parts * PQ_WG) {
        const pd_u64 tile = pq_tile(pages, pq_rows_store(k), row, head, key / PQ_TILE);
        pd_u32 cell = 0u;
        for (pd_u32 j = 0u; j < k.m; j++)
            cell = cell << k.bits | pq_code(codes, tile, j, key % PQ_TILE, k.bits, k.bytes);
        PD_ATOMIC_ADD_G(&counts[k.counts_at + (row * k.groups + head) * k.cells + cell], by);
    }
    if (PD_LID == 0u && part == 0u && head == 0u && fine > 0u &&
        (k.mode != PQ_ROWS_FORK || row == k.to))
        lengths[k.lengths_at + row] = k.mode == PQ_ROWS_CUT ? low : high;
}
