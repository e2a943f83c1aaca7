// program: pq
// texts: number.cl cache.cl
// pq.cl: codes of keys, a group some sub-vectors of a key; codes into tiles, a group a tile of a
// head; keys of codes.

typedef struct {
    pd_u32 rows, groups, count, d; // count: keys of a row
    pd_u32 m, bits, ds, extra;     // extra: 1 with IP
    pd_u32 book_rows;              // 0: one codebook for all rows
    pd_u32 scaled_at, info_at;
    pd_u32 dtype, keys_lo, keys_hi, key_step[4];
    pd_u32 counts, counts_at, counts_step; // counts: 1 if there are any; 2: no key comes
    pd_u32 width, out_at, out_step[4];     // width: bytes of a code
    pd_u32 appended; // the room of all rows is looked at
    pd_u32 lengths_at, capacity, page, page_count, row_pages, pages_at; // page: keys of one, or 0
    pd_u32 words_at; // in `found`: a word of each key
    pd_u32 slices;   // groups of a key, side by side
} padic_k_pq_keys_params;

// What is wrong with a row's room: 1 too many keys, 2 no room or no page though there should be, 3
// no room.
PD_FN pd_u32 pq_room(PD_GPTR(const pd_u32) pages, pd_u32 row, pd_u32 was, pd_u32 add,
                     const padic_k_pq_keys_params k)
{
    const pd_u64 end = (pd_u64)was + add;
    pd_u32 i;
    if (add > k.count) return 1u;
    if (end > k.capacity) return was > k.capacity ? 2u : 3u;
    for (i = 0u; k.page > 0u && (pd_u64)i * k.page < end; i++)
        if (pages[k.pages_at + row * k.row_pages + i] >= k.page_count) return 2u;
    return 0u;
}

PD_FN pd_u32 pq_key_count(PD_GPTR(const pd_u32) counts, pd_u32 row, const padic_k_pq_keys_params k)
{
    if (k.counts == 2u) return 0u;
    return k.counts > 0u ? counts[k.counts_at + row * k.counts_step] : k.count;
}

#define PQ_AHEAD 8u // components that are read before their products are added

// The distance from centroid c, as an integer: half its norm less the product.
PD_FN pd_u32 pq_distance(PD_GPTR(const pd_f32) scaled, PD_LPTR(const pd_u32) x, pd_u32 n, pd_u32 c,
                         pd_u32 cells)
{
    pd_f32 sum = 0.0f, distance, y[PQ_AHEAD];
    for (pd_u32 i = 0u; i < n; i += PQ_AHEAD) {
        for (pd_u32 a = 0u; a < PQ_AHEAD; a++) y[a] = scaled[(i + a < n ? i + a : i) * cells + c];
        for (pd_u32 a = 0u; a < PQ_AHEAD; a++)
            if (i + a < n) {
                const pd_f32 one = PD_AS_F32(x[i + a]) * y[a];
                sum = i + a > 0u ? sum + one : one;
            }
    }
    distance = scaled[n * cells + c] - sum;
    if (distance != distance) return c == 0u ? 0u : PQ_MOST; // as comparisons have it
    return pq_order(PD_AS_U32(distance));
}

PD_FN void pq_put_code(PD_GPTR(pd_u32) out, pd_u32 at, pd_u32 width, pd_u32 code)
{
    if (width == 1u) ((PD_GPTR(pd_u8))out)[at] = (pd_u8)code;
    else if (width == 2u) ((PD_GPTR(pd_u16))out)[at] = (pd_u16)code;
    else out[at] = code;
}

// found: of all rows what is wrong, or MOST; of each its length and how many keys come; then of
// each key whether it is not finite (bit 31) and how many of its sub-vectors are beyond phi.
PD_KERNEL(padic_k_pq_keys)
(PD_CBUF(pd_u32, keys), PD_CBUF(pd_f32, scaled), PD_CBUF(pd_u32, info), PD_CBUF(pd_u32, lengths),
 PD_CBUF(pd_u32, pages), PD_CBUF(pd_u32, counts), PD_BUF(pd_u32, out), PD_BUF(pd_u32, found),
 PD_PARAMS(padic_k_pq_keys_params, k))
{
    PD_LOCAL pd_u32 x[1280];
    PD_LOCAL pd_u32 high[PD_WG];
    PD_LOCAL pd_u32 low[PD_WG];
    PD_LOCAL pd_u32 word[2]; // not finite, beyond phi
    const pd_u32 key = PD_GRP % k.count, head = PD_GRP / k.count % k.groups;
    const pd_u32 row = PD_GRP / k.count / k.groups, cells = 1u << k.bits, n = k.ds + k.extra;
    const pd_u32 book = (k.book_rows > 0u ? row * k.groups + head : head) * k.m;
    const pd_u32 lanes = cells < PQ_WG ? cells : PQ_WG, lane = PD_LID % lanes;
    const pd_u32 side = PD_LID / lanes, sides = PQ_WG / lanes; // sub-vectors at a time
    const pd_u32 live = key < pq_key_count(counts, row, k) ? 1u : 0u, m = live > 0u ? k.m : 0u;
    const pd_u64 from = PD_U64(k.keys_lo, k.keys_hi) + pq_steps(row, k.key_step[0]) +
                        pq_steps(head, k.key_step[1]) + pq_steps(key, k.key_step[2]);
    const pd_u32 to = k.out_at + row * k.out_step[0] + head * k.out_step[1] + key * k.out_step[2];
    pd_i32 e = (pd_i32)info[k.info_at + book * 4u];
    pd_u32 i, wrong = PQ_MOST;
    e = e < -200 ? -200 : e > 200 ? 200 : e;
    if (PD_LID < 2u) word[PD_LID] = 0u;
    if (PD_GRP == 0u && PD_GRP_Y == 0u && k.appended > 0u)
        for (i = PD_LID; i < k.rows; i += PQ_WG) {
            const pd_u32 was = lengths[k.lengths_at + i], add = pq_key_count(counts, i, k);
            const pd_u32 what = pq_room(pages, i, was, add, k);
            found[1u + 2u * i] = was;
            found[2u + 2u * i] = add;
            if (what > 0u && i * 4u + what < wrong) wrong = i * 4u + what;
        }
    high[PD_LID] = wrong;
    PD_BARRIER();
    for (pd_u32 apart = PQ_WG / 2u; apart > 0u; apart /= 2u) {
        if (PD_LID < apart && high[PD_LID + apart] < high[PD_LID])
            high[PD_LID] = high[PD_LID + apart];
        PD_BARRIER();
    }
    if (PD_GRP == 0u && PD_GRP_Y == 0u && PD_LID == 0u && k.appended > 0u) found[0] = high[0];
    for (i = PD_LID; i < m * k.ds; i += PQ_WG) {
        const pd_u32 j = i / k.ds, bits = pq_load(keys, from + pq_steps(i, k.key_step[3]),
                                                  k.dtype);
        x[j * n + i - j * k.ds] = pq_scaled(bits, e);
        if (pq_finite(bits) == 0u) PD_ATOMIC_OR_L(&word[0], 1u);
    }
    PD_BARRIER();
    for (pd_u32 j = PD_LID; j < m && k.extra > 0u; j += PQ_WG) {
        pd_f32 norm = 0.0f, left;
        for (i = 0u; i < k.ds; i++) {
            const pd_f32 one = PD_AS_F32(x[j * n + i]), square = one * one;
            norm = norm + square;
        }
        left = PD_AS_F32(info[k.info_at + (book + j) * 4u + 2u]) - norm;
        if (left < 0.0f) PD_ATOMIC_ADD_L(&word[1], 1u);
        x[j * n + k.ds] = pq_root(left);
    }
    PD_BARRIER();
    for (pd_u32 first = PD_GRP_Y * sides; first < m; first += k.slices * sides) {
        const pd_u32 j = first + side;
        pd_u32 best = PQ_MOST, at = 0u;
        for (pd_u32 c = lane; c < cells && j < m; c += lanes) {
            const pd_u32 distance =
                pq_distance(scaled + k.scaled_at + (pd_u64)(book + j) * ((n + 1u) << k.bits),
                            x + j * n, n, c, cells);
            if (distance < best) {
                best = distance;
                at = c;
            }
        }
        high[PD_LID] = best;
        low[PD_LID] = at;
        PD_BARRIER();
        for (pd_u32 apart = lanes / 2u; apart > 0u; apart /= 2u) {
            if (lane < apart) {
                const pd_u32 other = high[PD_LID + apart], c = low[PD_LID + apart];
                if (other < high[PD_LID] || (other == high[PD_LID] && c < low[PD_LID])) {
                    high[PD_LID] = other;
                    low[PD_LID] = c;
                }
            }
            PD_BARRIER();
        }
        if (lane == 0u && j < m)
            pq_put_code(out, to + j * k.out_step[3], k.width, word[0] > 0u ? 0u : low[PD_LID]);
    }
    if (PD_LID == 0u && live > 0u && PD_GRP_Y == 0u)
        found[k.words_at + PD_GRP] = word[0] > 0u ? 0x80000000u : word[1];
}

typedef struct {
    pd_u32 groups, count, m, bits, bytes; // count: keys of a row at most
    pd_u32 spans;                  // tiles that a row's keys may lie in
    pd_u32 codes_lo, codes_hi, tiles, page_tiles, page_count, row_pages, pages_at;
    pd_u32 lengths_at, cells, counts_at;         // cells: 0 if they are not counted
    pd_u32 bad, bad_at, bad_step[2];             // `bad`: 1 if it is wanted
    pd_u32 beyond, beyond_at, beyond_step[2];
    pd_u32 words_at, all, found_at; // all: of codes as flat arrays, only sums; found[0] |= 1
} padic_k_pq_store_params;

// The sums over the keys of a head: which are not finite, and what is beyond phi.
PD_FN void pq_store_sums(PD_GPTR(const pd_u32) found, PD_LPTR(pd_u32) bad, PD_LPTR(pd_u32) beyond,
                         pd_u32 at, pd_u32 count)
{
    pd_u32 a = 0u, b = 0u;
    for (pd_u32 i = PD_LID; i < count; i += PQ_WG) {
        const pd_u32 word = found[at + i];
        a += word >> 31;
        b += word & 0x7fffffffu;
    }
    bad[PD_LID] = a;
    beyond[PD_LID] = b;
}

// Byte i of a tile with keys low..high of it: in the first 32 bytes the lower 4 bits of two keys,
// then the upper 2 of four.
PD_FN pd_u32 pq_store_byte(pd_u32 was, PD_GPTR(const pd_u16) code, pd_u32 step, pd_u32 first,
                           pd_u32 i, pd_u32 low, pd_u32 high)
{
    const pd_u32 upper = i >= 32u ? 1u : 0u, width = upper > 0u ? 2u : 4u;
    const pd_u32 apart = upper > 0u ? 16u : 32u, mask = (1u << width) - 1u;
    pd_u32 byte = was;
    for (pd_u32 n = 0u; n < 8u; n += width) {
        const pd_u32 key = (i & 31u) + n / width * apart;
        if (key >= low && key < high) {
            const pd_u32 bits = (pd_u32)code[(first + key) * step] >> (upper > 0u ? 4u : 0u);
            byte = (byte & ~(mask << n)) | (bits & mask) << n;
        }
    }
    return byte;
}

// Codes of a tile of a head, and their cells; the row's length at its first group.
PD_KERNEL(padic_k_pq_store)
(PD_CBUF(pd_u32, fresh), PD_CBUF(pd_u32, found), PD_BUF(pd_u32, codes), PD_BUF(pd_u32, lengths),
 PD_CBUF(pd_u32, pages), PD_BUF(pd_u32, counts), PD_BUF(pd_u32, bad), PD_BUF(pd_u32, beyond),
 PD_PARAMS(padic_k_pq_store_params, k))
{
    PD_LOCAL pd_u32 sum[PD_WG];
    PD_LOCAL pd_u32 sum2[PD_WG];
    const pd_u32 span = PD_GRP % k.spans, head = PD_GRP / k.spans % k.groups;
    const pd_u32 row = PD_GRP / k.spans / k.groups, fine = found[0] == PQ_MOST ? 1u : 0u;
    const pd_u32 was = found[1u + 2u * row], count = fine > 0u ? found[2u + 2u * row] : 0u;
    const pd_u32 tile = was / PQ_TILE + span, base = tile * PQ_TILE;
    const pd_u32 at = (row * k.groups + head) * k.count; // of its first key among the new ones
    PD_GPTR(const pd_u16) code = (PD_GPTR(const pd_u16))fresh;
    pq_store s;
    pd_u32 low = was > base ? was - base : 0u, high = 0u; // of this tile
    PQ_STORE(s, k)
    if (count > 0u && tile < k.tiles && was + count > base) high = was + count - base;
    if (high > PQ_TILE) high = PQ_TILE;
    if (low < high) {
        const pd_u64 to = pq_tile(pages, s, row, head, tile);
        const pd_u32 first = at + base - was, wide = k.bytes < PQ_TILE ? k.bytes : PQ_TILE;
        for (pd_u32 e = PD_LID; e < k.m * wide; e += PQ_WG) {
            const pd_u32 j = e / wide, i = e - j * wide;
            if (k.bytes < PQ_TILE) {
                ((PD_GPTR(pd_u8))codes)[to + e] = (pd_u8)pq_store_byte(
                    ((PD_GPTR(pd_u8))codes)[to + e], code + j, k.m, first, i, low, high);
            } else if (i >= low && i < high) {
                if (k.bytes == PQ_TILE)
                    ((PD_GPTR(pd_u8))codes)[to + e] = (pd_u8)code[(first + i) * k.m + j];
                else ((PD_GPTR(pd_u16))codes)[to / 2u + e] = code[(first + i) * k.m + j];
            }
        }
        for (pd_u32 i = low + PD_LID; i < high && k.cells > 0u; i += PQ_WG) {
            pd_u32 cell = 0u;
            for (pd_u32 j = 0u; j < k.m; j++) cell = cell << k.bits | code[(first + i) * k.m + j];
            PD_ATOMIC_ADD_G(&counts[k.counts_at + (row * k.groups + head) * k.cells + cell], 1u);
        }
    }
    pq_store_sums(found, sum, sum2, k.words_at + at, span == 0u ? count : 0u);
    PD_BARRIER();
    if (span == 0u && PD_LID == 0u && fine > 0u) {
        pd_u32 a = 0u, b = 0u;
        for (pd_u32 i = 0u; i < count && i < PQ_WG; i++) { // not to be unrolled
            a += sum[i];
            b += sum2[i];
        }
        if (k.bad > 0u) bad[k.bad_at + row * k.bad_step[0] + head * k.bad_step[1]] = a;
        if (k.beyond > 0u)
            beyond[k.beyond_at + row * k.beyond_step[0] + head * k.beyond_step[1]] = b;
        if (head == 0u) lengths[k.lengths_at + row] = was + count;
    }
}

// The sums alone, of codes as flat arrays; found[0] becomes 1 where a key is not finite.
PD_KERNEL(padic_k_pq_tally)
(PD_BUF(pd_u32, found), PD_BUF(pd_u32, beyond), PD_PARAMS(padic_k_pq_store_params, k))
{
    PD_LOCAL pd_u32 sum[PD_WG];
    PD_LOCAL pd_u32 sum2[PD_WG];
    const pd_u32 row = PD_GRP / k.groups, head = PD_GRP % k.groups;
    pq_store_sums(found, sum, sum2, k.words_at + PD_GRP * k.count, k.count);
    PD_BARRIER();
    if (PD_LID == 0u) {
        pd_u32 a = 0u, b = 0u;
        for (pd_u32 i = 0u; i < PQ_WG; i++) {
            a += sum[i];
            b += sum2[i];
        }
        if (a > 0u) PD_ATOMIC_OR_G(&found[0], 1u);
        if (k.beyond > 0u)
            beyond[k.beyond_at + row * k.beyond_step[0] + head * k.beyond_step[1]] = b;
    }
}

typedef struct {
    pd_u32 n, groups, count, m, ds, d, cells, book_rows, components; // n: sub-vectors of all keys
    pd_u32 centroids_at;
    pd_u32 width, codes_at, code_step[4];
    pd_u32 out_at, out_step[4];
} padic_k_pq_decode_params;

// A sub-vector an item; found[0] becomes 1 where a code is none.
PD_KERNEL(padic_k_pq_decode)
(PD_CBUF(pd_u32, centroids), PD_CBUF(pd_u32, codes), PD_BUF(pd_u32, out), PD_BUF(pd_u32, found),
 PD_PARAMS(padic_k_pq_decode_params, k))
{
    for (pd_u32 e = PD_GID; e < k.n; e += PD_NGRP * PQ_WG) {
        const pd_u32 j = e % k.m, key = e / k.m % k.count, head = e / k.m / k.count % k.groups;
        const pd_u32 row = e / k.m / k.count / k.groups;
        const pd_u32 from = k.codes_at + row * k.code_step[0] + head * k.code_step[1] +
                            key * k.code_step[2] + j * k.code_step[3];
        const pd_u32 to = k.out_at + row * k.out_step[0] + head * k.out_step[1] +
                          key * k.out_step[2] + j * k.ds * k.out_step[3];
        const pd_u32 book = (k.book_rows > 0u ? row * k.groups + head : head) * k.m + j;
        const pd_u32 code = k.width == 1u   ? (pd_u32)((PD_GPTR(const pd_u8))codes)[from]
                            : k.width == 2u ? (pd_u32)((PD_GPTR(const pd_u16))codes)[from]
                                            : codes[from];
        const pd_u32 is = code < k.cells ? 1u : 0u;
        if (is == 0u) PD_ATOMIC_OR_G(&found[0], 1u);
        for (pd_u32 i = 0u; i < k.ds; i++)
            out[to + i * k.out_step[3]] =
                is > 0u ? centroids[k.centroids_at + (book * k.cells + code) * k.components + i]
                        : 0x7fc00000u;
    }
}
