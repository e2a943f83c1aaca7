// program: sparse
// texts: encode.cl
// sparse.cl: dense to CSR in two passes over tiles (method BITMAP or REREAD), and CSR to dense.
//
// A dense matrix without gaps is one row of n elements; row_ptr[r] is how many of its first r cols
// elements are kept. Each group has a tile. Pass 1 (bits) reads it once, writes a bit per element
// and the tile's count; scan sums the counts; pass 2 (emit) makes row_ptr, columns and values from
// the bits and the kept elements. The elements start at a boundary of 16 bytes: the first `pad` of
// them belong to something else.
// variant: PD_SPARSE_SIZE=1
// variant: PD_SPARSE_SIZE=1 PD_SPARSE_LINES=1
// variant: PD_SPARSE_SIZE=1 PD_SPARSE_REPORT=1
// variant: PD_SPARSE_SIZE=2
// variant: PD_SPARSE_SIZE=2 PD_SPARSE_REPORT=1
// variant: PD_SPARSE_SIZE=4 PD_SPARSE_REPORT=1
// variant: PD_SPARSE_SIZE=4 PD_SPARSE_UNITS=2
// variant: PD_SPARSE_SIZE=8
// variant: PD_SPARSE_SIZE=8 PD_SPARSE_REPORT=1

#ifndef PD_SPARSE_REPORT
#define PD_SPARSE_REPORT 0 // 1: also `other` and `largest`
#endif
#ifndef PD_SPARSE_LINES
#define PD_SPARSE_LINES 0 // 1: for dense tiles `emit` reads all keys, of a byte, by whole lines
#endif
#ifndef PD_SPARSE_UNITS
#define PD_SPARSE_UNITS 0 // words of units to gather; the tested keys are valuations
#endif

// Words of the bitmap per item, and words of 32 bits of flags per word of the bitmap.
#if PD_SPARSE_SIZE == 1
#define SPARSE_EACH 4u
#define SPARSE_FLAGS 2u
#elif PD_SPARSE_SIZE == 2
#define SPARSE_EACH 2u
#define SPARSE_FLAGS 4u
#elif PD_SPARSE_SIZE == 4
#define SPARSE_EACH 1u
#define SPARSE_FLAGS 8u
#else
#define SPARSE_EACH 1u
#define SPARSE_FLAGS 8u
#endif
#define SPARSE_WORDS (PD_WG * SPARSE_EACH)
#define SPARSE_TILE (SPARSE_WORDS * 32u)
#define SPARSE_PARTS (PD_WG / 4u + 1u) // words that sums over the items need
#define SPARSE_LIST (PD_WG * 32u) // entries of a word of bits per item
#if PD_SPARSE_SIZE == 1 // a byte of flags is one of the bitmap
#define SPARSE_FLAG_WORDS 1u
#else
#define SPARSE_FLAG_WORDS (SPARSE_WORDS * SPARSE_FLAGS)
#endif

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
#define SPARSE_GROUPS 8 // of `emit`, to reserve registers for
#elif PD_SPARSE_LINES
#define SPARSE_GROUPS 10
#elif PD_SPARSE_SIZE == 1 || PD_SPARSE_SIZE == 8
#define SPARSE_GROUPS 12
#else
#define SPARSE_GROUPS 16
#endif
#if PD_IS_C
#define SPARSE_ROLL
#else
#define SPARSE_ROLL _Pragma("unroll 1") // registers are scarce
#endif

#if PD_SPARSE_SIZE < 4
// The flags of the elements of a word, starting from its lowest one.
PD_FN pd_u32 sparse_word(pd_u32 x, pd_u32 simple, const padic_k_sparse_encode_params k)
{
#if PD_SPARSE_SIZE == 1
    pd_u32 f;
    if (simple) { // sets 0x80 in bytes that are not 0
        x &= k.mask[0] * 0x01010101u;
        f = (((x & 0x7f7f7f7fu) + 0x7f7f7f7fu) | x) & 0x80808080u;
    } else { // bytes 0 and 2, 1 and 3 in halves of 16 bits: 255 * 255 + 255 < 2^16
        const pd_u32 bias = k.bias[0] * 0x10001u, mask = k.mask[0] * 0x10001u;
        const pd_u32 above = (255u - k.limit[0]) * 0x10001u;
        const pd_u32 e = (((x & 0x00ff00ffu) * k.factor[0] + bias) & mask) + above;
        const pd_u32 o = ((((x >> 8) & 0x00ff00ffu) * k.factor[0] + bias) & mask) + above;
        f = ((e >> 1) & 0x00800080u) | ((o << 7) & 0x80008000u);
    }
    return (f * 0x00204081u) >> 28;
#else
    (void)simple;
    return sparse_kept(x & 0xffffu, k.factor[0], k.bias[0], k.mask[0], k.limit[0]) |
           sparse_kept(x >> 16, k.factor[0], k.bias[0], k.mask[0], k.limit[0]) << 1;
#endif
}
#endif

#if PD_SPARSE_REPORT
// Adds one key to the report of its tile.
PD_FN pd_u64 sparse_largest(sparse_int x, pd_u64 largest, const padic_k_sparse_encode_params k)
{
    sparse_int m = x & SPARSE_INT(k.other + 4);
    if (k.flags & SPARSE_SIGNED) {
        const sparse_int sign = (x >> (8 * PD_SPARSE_SIZE - 1)) & 1u;
        const sparse_int full = (sparse_int)~(sparse_int)0 >> (8 * (sizeof x - PD_SPARSE_SIZE));
        m = (sign ? 0u - m : m) & full;
    }
    return m <= SPARSE_INT(k.most) && m > largest ? m : largest;
}

PD_FN pd_u32 sparse_other(sparse_int x, const padic_k_sparse_encode_params k)
{
    return sparse_kept(x, SPARSE_INT(k.other), SPARSE_INT(k.other + 2), SPARSE_INT(k.other + 4),
                       SPARSE_INT(k.other + 6));
}

// The report of elements e to end - 1, in to[0] and to[1]. Ends with a barrier.
PD_FN void sparse_report(PD_GPTR(const sparse_key) keys, pd_u64 e, pd_u64 end,
                         PD_LPTR(pd_u64) most, PD_LPTR(pd_u32) each, PD_GPTR(pd_u64) to,
                         const padic_k_sparse_encode_params k)
{
    const pd_u64 base = PD_U64(k.base_lo, k.base_hi) / PD_SPARSE_SIZE;
    pd_u64 largest = 0u;
    pd_u32 others = 0u, i;
    for (e += PD_LID; e < end; e += PD_WG) {
        const sparse_int x = keys[base + e];
        largest = sparse_largest(x, largest, k);
        others += sparse_other(x, k);
    }
    most[PD_LID] = largest;
    each[PD_LID] = others;
    PD_BARRIER();
    if (PD_LID == 0u) {
        for (i = 1u; i < PD_WG; i++) {
            if (most[i] > largest) largest = most[i];
            others += each[i];
        }
        to[0] = others;
        to[1] = largest;
    }
    PD_BARRIER();
}
#endif

// The flags of word number i (s < 4), or key, of a tile that starts with element `first`; elements
// before `pad` and from n on have none.
PD_FN pd_u32 sparse_flags(PD_GPTR(const sparse_key) keys, pd_u64 first, pd_u32 i,
                          const padic_k_sparse_encode_params k)
{
    const pd_u64 n = PD_U64(k.n_lo, k.n_hi), base = PD_U64(k.base_lo, k.base_hi) / PD_SPARSE_SIZE;
    const pd_u32 each = PD_SPARSE_SIZE < 4 ? 4u / PD_SPARSE_SIZE : 1u;
    const pd_u64 e = first + (pd_u64)i * each;
    pd_u32 f = 0u, j;
    for (j = 0u; j < each; j++)
        if (e + j >= k.pad && e + j < n)
            f |= sparse_kept(keys[base + e + j], SPARSE_INT(k.factor), SPARSE_INT(k.bias),
                             SPARSE_INT(k.mask), SPARSE_INT(k.limit))
                 << j;
    return f;
}

#if PD_SPARSE_SIZE < 8
// For 8 bytes, which are two words: their flags in two bytes, or (keys of a byte) in one.
PD_FN pd_u32 sparse_pair(pd_u64 x, pd_u32 simple, const padic_k_sparse_encode_params k)
{
#if PD_SPARSE_SIZE < 4
    return sparse_word((pd_u32)x, simple, k) | sparse_word((pd_u32)(x >> 32), simple, k)
                                                   << (4u * PD_SPARSE_SIZE);
#else
    (void)simple;
    return sparse_kept((pd_u32)x, k.factor[0], k.bias[0], k.mask[0], k.limit[0]) |
           sparse_kept((pd_u32)(x >> 32), k.factor[0], k.bias[0], k.mask[0], k.limit[0]) << 8;
#endif
}
#endif

#if PD_SPARSE_SIZE == 1
// The flags of a whole tile.
PD_FN void sparse_bytes_of(PD_GPTR(const pd_u64) from, PD_LPTR(pd_u8) flag, pd_u32 simple,
                           const padic_k_sparse_encode_params k)
{
    const pd_u32 l = PD_LID;
    pd_u32 i;
    for (i = 0u; i < 4u * SPARSE_WORDS; i += 4u * PD_WG) {
        const pd_u64 a = from[i + l], b = from[i + l + PD_WG];
        const pd_u64 c = from[i + l + 2u * PD_WG], d = from[i + l + 3u * PD_WG];
        flag[i + l] = (pd_u8)sparse_pair(a, simple, k);
        flag[i + l + PD_WG] = (pd_u8)sparse_pair(b, simple, k);
        flag[i + l + 2u * PD_WG] = (pd_u8)sparse_pair(c, simple, k);
        flag[i + l + 3u * PD_WG] = (pd_u8)sparse_pair(d, simple, k);
    }
}

// The bitmap of a tile from its elements, 8 bytes a load. Ends with a barrier.
PD_FN void sparse_bits_of(PD_GPTR(const pd_u64) pairs, PD_GPTR(const sparse_key) keys,
                          PD_LPTR(pd_u32) flags, PD_LPTR(pd_u32) bits, pd_u32 tile,
                          const padic_k_sparse_encode_params k)
{
    const pd_u64 first = (pd_u64)tile * SPARSE_TILE;
    PD_LPTR(pd_u8) flag = (PD_LPTR(pd_u8))bits;
    pd_u32 i;
    (void)flags;
    if (first >= k.pad && first + SPARSE_TILE <= PD_U64(k.n_lo, k.n_hi)) {
        PD_GPTR(const pd_u64) from = pairs + (PD_U64(k.base_lo, k.base_hi) + first) / 8u;
        if (k.flags & SPARSE_SIMPLE)
            sparse_bytes_of(from, flag, 1u, k);
        else
            sparse_bytes_of(from, flag, 0u, k);
    } else {
        for (i = PD_LID; i < 4u * SPARSE_WORDS; i += PD_WG)
            flag[i] = (pd_u8)(sparse_flags(keys, first, 2u * i, k) |
                              sparse_flags(keys, first, 2u * i + 1u, k) << 4);
    }
    PD_BARRIER();
}
#else
// Packs four flags in the bytes of a word into neighbouring bits.
PD_FN pd_u32 sparse_pack(pd_u32 x)
{
#if PD_SPARSE_SIZE == 2
    return (x * 0x01041040u) >> 24;
#else
    return (x * 0x10204080u) >> 28;
#endif
}

// The bitmap of a tile from its elements, 8 bytes a load. Ends with a barrier.
PD_FN void sparse_bits_of(PD_GPTR(const pd_u64) pairs, PD_GPTR(const sparse_key) keys,
                          PD_LPTR(pd_u32) flags, PD_LPTR(pd_u32) bits, pd_u32 tile,
                          const padic_k_sparse_encode_params k)
{
    const pd_u32 l = PD_LID;
    const pd_u64 first = (pd_u64)tile * SPARSE_TILE;
    PD_LPTR(pd_u8) flag = (PD_LPTR(pd_u8))flags;
    pd_u32 i, w, q;
    if (first >= k.pad && first + SPARSE_TILE <= PD_U64(k.n_lo, k.n_hi)) {
        const pd_u64 at = (PD_U64(k.base_lo, k.base_hi) + first * PD_SPARSE_SIZE) / 8u + l;
#if PD_SPARSE_SIZE == 8
        for (i = 0u; i < 4u * SPARSE_FLAG_WORDS; i += 4u * PD_WG) {
            const pd_u64 a = pairs[at + i], b = pairs[at + i + PD_WG];
            const pd_u64 c = pairs[at + i + 2u * PD_WG], d = pairs[at + i + 3u * PD_WG];
#define SPARSE_TO_FLAG(x)                                                          \
    (pd_u8) sparse_kept((x), SPARSE_INT(k.factor), SPARSE_INT(k.bias), SPARSE_INT(k.mask), \
                        SPARSE_INT(k.limit))
            flag[i + l] = SPARSE_TO_FLAG(a);
            flag[i + l + PD_WG] = SPARSE_TO_FLAG(b);
            flag[i + l + 2u * PD_WG] = SPARSE_TO_FLAG(c);
            flag[i + l + 3u * PD_WG] = SPARSE_TO_FLAG(d);
        }
#else
        PD_LPTR(pd_u16) two = (PD_LPTR(pd_u16))flags;
        for (i = 0u; i < 2u * SPARSE_FLAG_WORDS; i += 4u * PD_WG) {
            const pd_u64 a = pairs[at + i], b = pairs[at + i + PD_WG];
            const pd_u64 c = pairs[at + i + 2u * PD_WG], d = pairs[at + i + 3u * PD_WG];
            two[i + l] = (pd_u16)sparse_pair(a, 0u, k);
            two[i + l + PD_WG] = (pd_u16)sparse_pair(b, 0u, k);
            two[i + l + 2u * PD_WG] = (pd_u16)sparse_pair(c, 0u, k);
            two[i + l + 3u * PD_WG] = (pd_u16)sparse_pair(d, 0u, k);
        }
#endif
    } else {
        for (i = l; i < 4u * SPARSE_FLAG_WORDS; i += PD_WG)
            flag[i] = (pd_u8)sparse_flags(keys, first, i, k);
    }
    PD_BARRIER();
    for (w = l; w < SPARSE_WORDS; w += PD_WG) {
        pd_u32 x = 0u;
        for (q = 0u; q < SPARSE_FLAGS; q++)
            x |= sparse_pack(flags[w * SPARSE_FLAGS + q]) << (q * (32u / SPARSE_FLAGS));
        bits[w] = x;
    }
    PD_BARRIER();
}
#endif

// Exclusive prefix sums over the items, and the total. Three barriers; the arrays may be written
// again after one more.
PD_FN pd_u32 sparse_before(PD_LPTR(pd_u32) each, PD_LPTR(pd_u32) part, pd_u32 mine, pd_u32 *all)
{
    const pd_u32 l = PD_LID, m = PD_WG / 8u;
    pd_u32 i, sum = 0u, up = 0u;
    each[l] = mine;
    PD_BARRIER();
    if (l < m) {
        SPARSE_ROLL
        for (i = 8u * l; i < 8u * l + 8u; i++) {
            const pd_u32 x = each[i];
            each[i] = sum;
            sum += x;
        }
        part[l] = sum;
    }
    PD_BARRIER();
    if (l < m) {
        SPARSE_ROLL
        for (i = 0u; i < l; i++) up += part[i];
        part[m + l] = up;
        if (l + 1u == m) part[2u * m] = up + sum;
    }
    PD_BARRIER();
    *all = part[2u * m];
    return each[l] + part[m + l / 8u];
}

// The sum over all items, for item 0. Two barriers.
PD_FN pd_u32 sparse_sum(PD_LPTR(pd_u32) each, PD_LPTR(pd_u32) part, pd_u32 mine)
{
    const pd_u32 l = PD_LID, m = PD_WG / 8u;
    pd_u32 i, sum = 0u;
    each[l] = mine;
    PD_BARRIER();
    if (l < m) {
        for (i = 0u; i < 8u; i++) sum += each[l + i * m];
        part[l] = sum;
    }
    PD_BARRIER();
    if (l == 0u)
        for (i = 1u; i < m; i++) sum += part[i];
    return sum;
}

PD_FN pd_u64 sparse_index(PD_GPTR(const pd_u32) p, pd_u64 at, pd_u32 flags)
{
    return flags & SPARSE_WIDE ? PD_U64(p[2u * at], p[2u * at + 1u]) : (pd_u64)p[at];
}

PD_FN void sparse_index_set(PD_GPTR(pd_u32) p, pd_u64 at, pd_u64 x, pd_u32 flags)
{
    if (flags & SPARSE_WIDE) {
        p[2u * at] = (pd_u32)x;
        p[2u * at + 1u] = (pd_u32)(x >> 32);
    } else {
        p[at] = (pd_u32)x;
    }
}

PD_KERNEL(padic_k_sparse_bits)
(PD_CBUF(sparse_key, keys), PD_CBUF(pd_u64, pairs), PD_BUF(pd_u32, bitmap), PD_BUF(pd_u32, count),
 PD_BUF(pd_u64, report), PD_PARAMS(padic_k_sparse_encode_params, k))
{
    PD_LOCAL pd_u32 flags[SPARSE_FLAG_WORDS];
    PD_LOCAL pd_u32 bits[SPARSE_WORDS];
    PD_LOCAL pd_u32 each[PD_WG];
    PD_LOCAL pd_u32 part[SPARSE_PARTS];
    const pd_u32 l = PD_LID, tile = PD_GRP;
    pd_u32 w, n = 0u;
#if PD_SPARSE_REPORT
    PD_LOCAL pd_u64 most[PD_WG];
    const pd_u64 first = (pd_u64)tile * SPARSE_TILE, n_all = PD_U64(k.n_lo, k.n_hi);
    sparse_report(keys, (first < k.pad) ? (pd_u64)k.pad : first,
                  (n_all - first < SPARSE_TILE) ? n_all : first + SPARSE_TILE, most, each,
                  report + 2u * tile, k);
#else
    (void)report;
#endif
    sparse_bits_of(pairs, keys, flags, bits, tile, k);
    for (w = l; w < SPARSE_WORDS; w += PD_WG) {
        n += PD_POPCOUNT(bits[w]);
        if (k.flags & SPARSE_BITMAP) bitmap[(pd_u64)tile * SPARSE_WORDS + w] = bits[w];
    }
    n = sparse_sum(each, part, n);
    if (l == 0u) count[tile] = n;
}

#ifndef PD_SPARSE_SCAN_WG
#define PD_SPARSE_SCAN_WG 256
#endif
#define SPARSE_SCAN (PD_SPARSE_SCAN_WG * 8u) // tiles of a group

// An item's part of the counts before tile `first`, a multiple of SPARSE_SCAN, with 8 loads in
// flight.
PD_FN pd_u64 sparse_sum_before(PD_GPTR(const pd_u32) count, pd_u32 first)
{
    PD_GPTR(const void) counts = count;
    PD_GPTR(const pd_u64) pairs = (PD_GPTR(const pd_u64))counts; // counts of two tiles
    pd_u64 sum = 0u;
    pd_u32 t;
    for (t = PD_LID; t < (first & SPARSE_SCAN); t += PD_SPARSE_SCAN_WG) sum += count[t];
    for (t = (first & SPARSE_SCAN) / 2u + PD_LID; t < first / 2u; t += SPARSE_SCAN) {
        const pd_u64 a = pairs[t], b = pairs[t + PD_SPARSE_SCAN_WG];
        const pd_u64 c = pairs[t + 2u * PD_SPARSE_SCAN_WG], d = pairs[t + 3u * PD_SPARSE_SCAN_WG];
        const pd_u64 e = pairs[t + 4u * PD_SPARSE_SCAN_WG], f = pairs[t + 5u * PD_SPARSE_SCAN_WG];
        const pd_u64 g = pairs[t + 6u * PD_SPARSE_SCAN_WG], h = pairs[t + 7u * PD_SPARSE_SCAN_WG];
        sum += (a >> 32) + (b >> 32) + (c >> 32) + (d >> 32);
        sum += (e >> 32) + (f >> 32) + (g >> 32) + (h >> 32);
        sum += (a & 0xffffffffu) + (b & 0xffffffffu) + (c & 0xffffffffu) + (d & 0xffffffffu);
        sum += (e & 0xffffffffu) + (f & 0xffffffffu) + (g & 0xffffffffu) + (h & 0xffffffffu);
    }
    return sum;
}

#if PD_SPARSE_REPORT
// The tiles' reports, combined in total[2] and total[3].
PD_FN void sparse_put_report(PD_GPTR(pd_u64) total, PD_GPTR(const pd_u64) report,
                             PD_LPTR(pd_u64) sums, pd_u32 tiles)
{
    pd_u64 largest = 0u, others = 0u;
    pd_u32 t;
    for (t = PD_LID; t < tiles; t += PD_SPARSE_SCAN_WG) {
        others += report[2u * t];
        if (report[2u * t + 1u] > largest) largest = report[2u * t + 1u];
    }
    sums[PD_LID] = others;
    PD_BARRIER();
    if (PD_LID == 0u) {
        for (t = 1u; t < PD_SPARSE_SCAN_WG; t++) others += sums[t];
        total[2] = others;
    }
    PD_BARRIER();
    sums[PD_LID] = largest;
    PD_BARRIER();
    if (PD_LID == 0u) {
        for (t = 1u; t < PD_SPARSE_SCAN_WG; t++)
            if (sums[t] > largest) largest = sums[t];
        total[3] = largest;
    }
}
#endif

// start[t] = the sum of the counts before t; total = {0, entries, other, largest}. Every group sums
// the counts before its tiles itself: they are few.
PD_KERNEL_WG(padic_k_sparse_scan, PD_SPARSE_SCAN_WG)
(PD_CBUF(pd_u32, count), PD_CBUF(pd_u64, report), PD_BUF(pd_u64, start), PD_BUF(pd_u64, totals),
 PD_PARAMS(padic_k_sparse_encode_params, k))
{
    PD_LOCAL pd_u64 sums[PD_SPARSE_SCAN_WG];
    PD_LOCAL pd_u32 own[PD_SPARSE_SCAN_WG];
    const pd_u32 l = PD_LID, first = PD_GRP * SPARSE_SCAN, mine = first + 8u * l;
    PD_GPTR(pd_u64) total = totals + PD_U64(k.total_lo, k.total_hi);
    pd_u64 sum = sparse_sum_before(count, first);
    pd_u32 t, i, n = 0u;
    for (t = mine; t < mine + 8u; t++)
        if (t < k.tiles) n += count[t];
    sums[l] = sum;
    own[l] = n;
    PD_BARRIER();
    for (i = PD_SPARSE_SCAN_WG / 2u; i > 0u; i >>= 1) { // all before the group
        if (l < i) sums[l] += sums[l + i];
        PD_BARRIER();
    }
    for (i = 1u; i < PD_SPARSE_SCAN_WG; i <<= 1) { // those up to each item
        n = l >= i ? own[l - i] : 0u;
        PD_BARRIER();
        own[l] += n;
        PD_BARRIER();
    }
    sum = sums[0] + (l ? own[l - 1u] : 0u);
    for (t = mine; t < mine + 8u; t++)
        if (t < k.tiles) {
            start[t] = sum;
            sum += count[t];
            if (t + 1u == k.tiles) {
                total[0] = 0u;
                total[1] = sum;
            }
        }
#if PD_SPARSE_REPORT
    PD_BARRIER();
    if (PD_GRP + 1u != PD_NGRP) return; // for the whole group
    sparse_put_report(total, report, sums, k.tiles);
#else
    (void)report;
#endif
}

// The position of a tile in the matrix: the row and column of its first counted element.
typedef struct {
    pd_u64 row, col, skip; // skip: elements of the tile before that one
} sparse_place;

// `wide` 0: there are fewer than 2^32 elements, which spares the division of 64 bits.
PD_FN sparse_place sparse_place_of(pd_u32 tile, pd_u32 wide, const padic_k_sparse_encode_params k)
{
    const pd_u64 first = (pd_u64)tile * SPARSE_TILE, cols = PD_U64(k.cols_lo, k.cols_hi);
    sparse_place p;
    pd_u64 e;
    p.skip = first < k.pad ? k.pad - first : 0u;
    e = first + p.skip - k.pad;
    if (e < cols) {
        p.row = 0u;
    } else if (wide && e >> 32) {
        p.row = e / cols;
    } else {
        p.row = (pd_u32)e / (pd_u32)cols;
    }
    p.col = e - p.row * cols;
    return p;
}

PD_FN pd_u32 sparse_rank(PD_LPTR(const pd_u32) bits, PD_LPTR(const pd_u16) before, pd_u32 i)
{
    return before[i / 32u] + PD_POPCOUNT(bits[i / 32u] & ((1u << (i % 32u)) - 1u));
}

// One entry: element i of the tile is entry `at`.
PD_FN void sparse_entry(PD_GPTR(const sparse_key) keys, PD_GPTR(const pd_u32) units,
                        PD_GPTR(pd_u32) col, PD_GPTR(sparse_key) kept, PD_GPTR(pd_u32) value,
                        pd_u32 tile, pd_u32 i, pd_u64 at, sparse_place p,
                        const padic_k_sparse_encode_params k)
{
    const pd_u64 cols = PD_U64(k.cols_lo, k.cols_hi), e = (pd_u64)tile * SPARSE_TILE + i;
    pd_u64 c = p.col + (i - p.skip);
    if (at >= PD_U64(k.room_lo, k.room_hi)) return;
    if (cols >= SPARSE_TILE) {
        if (c >= cols) c -= cols;
    } else {
        const pd_u32 d = (pd_u32)c;
        c = cols > 1u ? d - PD_MULHI32(d, k.magic) * k.cols_lo : 0u;
    }
    sparse_index_set(col, PD_U64(k.col_lo, k.col_hi) + at, c, k.flags);
    if (k.flags & SPARSE_KEYS)
        kept[PD_U64(k.kept_lo, k.kept_hi) + at] =
            keys[PD_U64(k.base_lo, k.base_hi) / PD_SPARSE_SIZE + e];
#if PD_SPARSE_UNITS
    {
        const pd_u64 from = PD_U64(k.unit_lo, k.unit_hi) + (e - k.pad) * PD_SPARSE_UNITS;
        const pd_u64 to = PD_U64(k.value_lo, k.value_hi) + at * PD_SPARSE_UNITS;
        value[to] = units[from];
        if (PD_SPARSE_UNITS > 1) value[to + 1u] = units[from + 1u];
    }
#else
    (void)units;
    (void)value;
#endif
}

#if !PD_SPARSE_UNITS
// Entries base to end - 1 of a tile, whose elements are in the list: indices of 32 bits and keys,
// with room for all. 32 items write a line of columns at a time.
PD_FN void sparse_entries(PD_GPTR(const sparse_key) keys, PD_GPTR(pd_u32) col,
                          PD_GPTR(sparse_key) kept, PD_LPTR(const pd_u16) list, pd_u32 base,
                          pd_u32 end, pd_u32 tile, pd_u64 start, sparse_place p,
                          const padic_k_sparse_encode_params k)
{
    const pd_u64 first = PD_U64(k.base_lo, k.base_hi) / PD_SPARSE_SIZE + (pd_u64)tile * SPARSE_TILE;
    const pd_u64 col_at = PD_U64(k.col_lo, k.col_hi) + start;
    PD_GPTR(const sparse_key) own = keys + first;
    PD_GPTR(pd_u32) to = col + col_at;
    PD_GPTR(sparse_key) keep = kept + (PD_U64(k.kept_lo, k.kept_hi) + start);
    const sparse_line line = sparse_line_of((pd_u32)p.col, (pd_u32)p.skip, SPARSE_TILE, k);
    const pd_u32 turn = ((pd_u32)col_at + base) & 31u;
    pd_u32 n = base + ((PD_LID - turn) & (PD_WG - 1u));
    SPARSE_ROLL
    for (; n + PD_WG < end; n += 2u * PD_WG) {
        const pd_u32 i = list[n - base], j = list[n + PD_WG - base];
        const sparse_key x = own[i], y = own[j];
        to[n] = sparse_line_column(i, line);
        to[n + PD_WG] = sparse_line_column(j, line);
        keep[n] = x;
        keep[n + PD_WG] = y;
    }
    if (n < end) {
        const pd_u32 i = list[n - base];
        to[n] = sparse_line_column(i, line);
        keep[n] = own[i];
    }
}

#if PD_SPARSE_LINES
// The same for 32 PD_WG keys from number `from` of the tile on, which are in local memory.
PD_FN void sparse_plain(PD_LPTR(const pd_u8) own, PD_GPTR(pd_u32) col, PD_GPTR(sparse_key) kept,
                        PD_LPTR(const pd_u16) list, pd_u32 from, pd_u32 base, pd_u32 end,
                        pd_u64 start, sparse_place p, const padic_k_sparse_encode_params k)
{
    const pd_u64 col_at = PD_U64(k.col_lo, k.col_hi) + start;
    PD_GPTR(pd_u32) to = col + col_at;
    PD_GPTR(sparse_key) keep = kept + (PD_U64(k.kept_lo, k.kept_hi) + start);
    const sparse_line line = sparse_line_of((pd_u32)p.col, (pd_u32)p.skip, SPARSE_TILE, k);
    const pd_u32 turn = ((pd_u32)col_at + base) & 31u;
    SPARSE_ROLL
    for (pd_u32 n = base + ((PD_LID - turn) & (PD_WG - 1u)); n < end; n += PD_WG) {
        const pd_u32 i = list[n - base];
        to[n] = sparse_line_column(i, line);
        keep[n] = own[i - from];
    }
}
#endif
#endif

// Appends the elements of a word of bits, the first of which is `number`, to the list at n. Returns
// the new n.
PD_FN pd_u32 sparse_list_word(PD_LPTR(pd_u16) list, pd_u32 n, pd_u32 word, pd_u32 number)
{
    pd_u32 x;
    for (x = word; x; n++) {
        list[n] = (pd_u16)(number + 31u - PD_CLZ(x & (0u - x)));
        x &= x - 1u;
    }
    return n;
}

// For each word of a tile's bits, the number of earlier entries. Returns the tile's total.
PD_FN pd_u32 sparse_count_before(PD_LPTR(const pd_u64) bit_pairs, PD_LPTR(pd_u16) before,
                                 PD_LPTR(pd_u32) each, PD_LPTR(pd_u32) part)
{
    const pd_u32 l = PD_LID;
    pd_u32 n = 0u, all;
#if PD_SPARSE_SIZE == 1 // an item's words: few reads of local memory, whose banks they would share
    const pd_u64 low = bit_pairs[2u * l], high = bit_pairs[2u * l + 1u];
    const pd_u32 n0 = PD_POPCOUNT((pd_u32)low), n1 = n0 + PD_POPCOUNT((pd_u32)(low >> 32));
    const pd_u32 n2 = n1 + PD_POPCOUNT((pd_u32)high);
    n = sparse_before(each, part, n2 + PD_POPCOUNT((pd_u32)(high >> 32)), &all);
    before[4u * l] = (pd_u16)n;
    before[4u * l + 1u] = (pd_u16)(n + n0);
    before[4u * l + 2u] = (pd_u16)(n + n1);
    before[4u * l + 3u] = (pd_u16)(n + n2);
#else
    PD_LPTR(const pd_u32) bits = (PD_LPTR(const pd_u32))bit_pairs;
    pd_u32 q;
    for (q = 0u; q < SPARSE_EACH; q++) n += PD_POPCOUNT(bits[l * SPARSE_EACH + q]);
    n = sparse_before(each, part, n, &all);
    for (q = 0u; q < SPARSE_EACH; q++) {
        before[l * SPARSE_EACH + q] = (pd_u16)n;
        n += PD_POPCOUNT(bits[l * SPARSE_EACH + q]);
    }
#endif
    return all;
}

// row_ptr of the rows that start in a tile, and the last one's end.
PD_FN void sparse_put_rows(PD_GPTR(pd_u32) row_ptr, PD_LPTR(const pd_u32) bits,
                           PD_LPTR(const pd_u16) before, pd_u32 tile, pd_u32 all, pd_u64 start,
                           sparse_place p, const padic_k_sparse_encode_params k)
{
    const pd_u64 cols = PD_U64(k.cols_lo, k.cols_hi), rows = PD_U64(k.rows_lo, k.rows_hi);
    pd_u64 r = p.row + (p.col ? 1u : 0u) + PD_LID;
    pd_u64 i = p.skip + (p.col ? cols - p.col : 0u) + PD_LID * cols;
    for (; i < SPARSE_TILE && r < rows; i += PD_WG * cols, r += PD_WG)
        sparse_index_set(row_ptr, PD_U64(k.row_ptr_lo, k.row_ptr_hi) + r,
                         start + sparse_rank(bits, before, (pd_u32)i), k.flags);
    if (PD_LID == 0u && tile + 1u == k.tiles)
        sparse_index_set(row_ptr, PD_U64(k.row_ptr_lo, k.row_ptr_hi) + rows, start + all, k.flags);
}

// Appends the elements of `once` words of bits per item, from word w on, to the list.
PD_FN void sparse_make_list(PD_LPTR(pd_u16) list, PD_LPTR(const pd_u64) bit_pairs,
                            PD_LPTR(const pd_u16) before, pd_u32 w, pd_u32 once)
{
    PD_LPTR(const pd_u32) bits = (PD_LPTR(const pd_u32))bit_pairs;
    const pd_u32 l = PD_LID, base = before[w];
    pd_u32 q;
#if PD_SPARSE_SIZE == 1
    if (once != 1u) {
        const pd_u64 lows = bit_pairs[2u * l], highs = bit_pairs[2u * l + 1u];
        pd_u32 n = sparse_list_word(list, before[4u * l], (pd_u32)lows, 128u * l);
        n = sparse_list_word(list, n, (pd_u32)(lows >> 32), 128u * l + 32u);
        n = sparse_list_word(list, n, (pd_u32)highs, 128u * l + 64u);
        n = sparse_list_word(list, n, (pd_u32)(highs >> 32), 128u * l + 96u);
        return;
    }
#endif
    for (q = w + l * once; q < w + (l + 1u) * once; q++)
        (void)sparse_list_word(list, before[q] - base, bits[q], 32u * q);
}

// Converts the bits of a tile to row_ptr, columns and values. `start`: earlier entries. Returns its
// own. Needs a barrier before the local arrays are written again.
PD_FN pd_u32 sparse_emit_tile(PD_GPTR(const sparse_key) keys, PD_GPTR(pd_u32) row_ptr,
                              PD_GPTR(pd_u32) col, PD_GPTR(sparse_key) kept,
                              PD_GPTR(const pd_u32) units, PD_GPTR(pd_u32) value,
                              PD_LPTR(pd_u64) bit_pairs, PD_LPTR(pd_u16) before,
                              PD_LPTR(pd_u32) each, PD_LPTR(pd_u32) part, PD_LPTR(pd_u16) list,
                              PD_LPTR(pd_u64) plain, pd_u32 tile, pd_u32 wide, pd_u64 start,
                              const padic_k_sparse_encode_params k)
{
    const pd_u32 l = PD_LID;
    const sparse_place p = sparse_place_of(tile, wide, k);
    const pd_u32 all = sparse_count_before(bit_pairs, before, each, part);
    pd_u32 n, w;
    PD_BARRIER();
    if (k.flags & SPARSE_ROWS)
        sparse_put_rows(row_ptr, (PD_LPTR(const pd_u32))bit_pairs, before, tile, all, start, p, k);
    if (!(k.flags & SPARSE_FILL) || all == 0u) return all; // for the whole group
    // All entries at once if the list has room, otherwise those of a word per item after another;
    // the same if there are many keys of a byte, and their keys are written by whole lines.
#if PD_SPARSE_LINES
    const pd_u32 most = wide ? SPARSE_TILE / 8u : SPARSE_LIST;
#else
    const pd_u32 most = SPARSE_LIST;
#endif
    const pd_u32 once = (all <= most) ? SPARSE_EACH : 1u;
#if !PD_SPARSE_UNITS
    const pd_u32 keys_only = k.flags & (SPARSE_WIDE | SPARSE_KEYS);
    const pd_u32 easy =
        (wide && keys_only == SPARSE_KEYS && start + all <= PD_U64(k.room_lo, k.room_hi)) ? 1u : 0u;
#endif
#if PD_SPARSE_LINES
    const pd_u64 first = (pd_u64)tile * SPARSE_TILE;
    const pd_u32 lines =
        (easy && once == 1u && first + SPARSE_TILE <= PD_U64(k.n_lo, k.n_hi)) ? 1u : 0u;
    PD_GPTR(const void) own = keys + (PD_U64(k.base_lo, k.base_hi) + first);
    PD_GPTR(const pd_u64) line = (PD_GPTR(const pd_u64))own + l;
    pd_u64 a = 0u, b = 0u;
#else
    (void)plain;
#endif
    for (w = 0u; w < SPARSE_WORDS; w += once * PD_WG) {
        const pd_u32 next = w + once * PD_WG, base = before[w];
        const pd_u32 end = (next < SPARSE_WORDS) ? before[next] : all;
#if PD_SPARSE_LINES
        if (lines) {
            a = line[4u * w];
            b = line[4u * w + PD_WG];
        }
#endif
        sparse_make_list(list, bit_pairs, before, w, once);
#if PD_SPARSE_LINES
        if (lines) {
            plain[l] = a;
            plain[l + PD_WG] = b;
            a = line[4u * w + 2u * PD_WG];
            b = line[4u * w + 3u * PD_WG];
            plain[l + 2u * PD_WG] = a;
            plain[l + 3u * PD_WG] = b;
        }
#endif
        PD_BARRIER();
#if PD_SPARSE_LINES
        if (lines)
            sparse_plain((PD_LPTR(const pd_u8))plain, col, kept, list, 32u * w, base, end, start, p,
                         k);
        else
#endif
#if !PD_SPARSE_UNITS
        if (easy)
            sparse_entries(keys, col, kept, list, base, end, tile, start, p, k);
        else
#endif
            for (n = base + l; n < end; n += PD_WG)
                sparse_entry(keys, units, col, kept, value, tile, list[n - base], start + n, p, k);
        if (next < SPARSE_WORDS) PD_BARRIER();
    }
    return all;
}

// `pairs`: the bitmap (BITMAP), else the keys again.
PD_KERNEL_MIN(padic_k_sparse_emit, PD_WG, SPARSE_GROUPS)
(PD_CBUF(sparse_key, keys), PD_CBUF(pd_u64, pairs), PD_CBUF(pd_u64, start), PD_BUF(pd_u32, row_ptr),
 PD_BUF(pd_u32, col), PD_BUF(sparse_key, kept), PD_CBUF(pd_u32, units), PD_BUF(pd_u32, value),
 PD_PARAMS(padic_k_sparse_encode_params, k))
{
    PD_LOCAL pd_u32 flags[SPARSE_LIST / 2u]; // then the list
    PD_LOCAL pd_u64 bit_pairs[SPARSE_WORDS / 2u];
    PD_LOCAL pd_u16 before[SPARSE_WORDS];
    PD_LOCAL pd_u32 each[PD_WG];
    PD_LOCAL pd_u32 part[SPARSE_PARTS];
    PD_LPTR(pd_u16) list = (PD_LPTR(pd_u16))flags;
    PD_LOCAL pd_u64 plain[PD_SPARSE_LINES ? SPARSE_LIST / 8u : 1u];
    const pd_u32 l = PD_LID, tile = PD_GRP;
    pd_u32 w;
    if (k.flags & SPARSE_BITMAP) {
        for (w = l; w < SPARSE_WORDS / 2u; w += PD_WG)
            bit_pairs[w] = pairs[(pd_u64)tile * (SPARSE_WORDS / 2u) + w];
        PD_BARRIER();
    } else {
        sparse_bits_of(pairs, keys, flags, (PD_LPTR(pd_u32))bit_pairs, tile, k);
    }
    sparse_emit_tile(keys, row_ptr, col, kept, units, value, bit_pairs, before, each, part, list,
                     plain, tile, 1u, start[tile], k);
}

// Everything in one group, for small input. total = {0, entries, other, largest}.
PD_KERNEL_MIN(padic_k_sparse_small, PD_WG, 4)
(PD_CBUF(sparse_key, keys), PD_CBUF(pd_u64, pairs), PD_BUF(pd_u64, totals), PD_BUF(pd_u32, row_ptr),
 PD_BUF(pd_u32, col), PD_BUF(sparse_key, kept), PD_CBUF(pd_u32, units), PD_BUF(pd_u32, value),
 PD_PARAMS(padic_k_sparse_encode_params, k))
{
    PD_LOCAL pd_u32 flags[SPARSE_LIST / 2u]; // then the list
    PD_LOCAL pd_u64 bit_pairs[SPARSE_WORDS / 2u];
    PD_LOCAL pd_u16 before[SPARSE_WORDS];
    PD_LOCAL pd_u32 each[PD_WG];
    PD_LOCAL pd_u32 part[SPARSE_PARTS];
    PD_LPTR(pd_u16) list = (PD_LPTR(pd_u16))flags;
    PD_LOCAL pd_u64 plain[1]; // unused
    PD_LOCAL padic_k_sparse_encode_params again[1]; // otherwise registers run out
    pd_u64 start = 0u;
    pd_u32 tile;
#if PD_SPARSE_REPORT
    PD_LOCAL pd_u64 most[PD_WG];
    sparse_report(keys, k.pad, PD_U64(k.n_lo, k.n_hi), most, each,
                  totals + (PD_U64(k.total_lo, k.total_hi) + 2u), k);
#endif
    if (PD_LID == 0u) again[0] = k;
    PD_BARRIER();
    for (tile = 0u; tile < again[0].tiles; tile++) {
        sparse_bits_of(pairs, keys, flags, (PD_LPTR(pd_u32))bit_pairs, tile, again[0]);
        start += sparse_emit_tile(keys, row_ptr, col, kept, units, value, bit_pairs, before, each,
                                  part, list, plain, tile, 0u, start, again[0]);
        PD_BARRIER();
    }
    if (PD_LID == 0u) {
        PD_GPTR(pd_u64) at = totals + PD_U64(again[0].total_lo, again[0].total_hi);
        at[0] = 0u;
        at[1] = start;
    }
}

typedef struct {
    pd_u32 rows_lo, rows_hi, count, wide; // wide: 0 or SPARSE_WIDE
    pd_u32 to_lo, to_hi; // first element of the result
} padic_k_sparse_segments_params;

// row_ptr of `count` matrices of `rows` rows, each from 0, from that of all their rows; firsts[b]:
// entries of the matrices before b.
PD_KERNEL(padic_k_sparse_segments)
(PD_CBUF(pd_u32, from), PD_BUF(pd_u32, to), PD_BUF(pd_u64, firsts),
 PD_PARAMS(padic_k_sparse_segments_params, k))
{
    const pd_u64 rows = PD_U64(k.rows_lo, k.rows_hi), all = (rows + 1u) * k.count;
    pd_u64 i = (pd_u64)PD_GRP * PD_WG + PD_LID;
    for (; i < all; i += (pd_u64)PD_NGRP * PD_WG) {
        const pd_u64 b = i / (rows + 1u), at = i - b, first = b * rows; // i - b: row of all
        const pd_u64 out = PD_U64(k.to_lo, k.to_hi) + i;
        const pd_u64 start = sparse_index(from, first, k.wide);
        sparse_index_set(to, out, sparse_index(from, at, k.wide) - start, k.wide);
        if (i == b * (rows + 1u)) firsts[b] = start;
        if (i + 1u == all) firsts[k.count] = sparse_index(from, at, k.wide);
    }
}

// Decoding: a group builds DECODE_TILE elements in local memory and writes them once.

#define SPARSE_OUT (8192u / PD_SPARSE_SIZE)

typedef struct {
    pd_u32 rows_lo, rows_hi, cols_lo, cols_hi, nnz_lo, nnz_hi, wide;
    pd_u32 row_ptr_lo, row_ptr_hi, col_lo, col_hi, value_lo, value_hi, dense_lo, dense_hi;
} padic_k_sparse_decode_params;

// The first of the entries from `low` to `high` whose column is not below c.
PD_FN pd_u64 sparse_column(PD_GPTR(const pd_u32) col, pd_u64 low, pd_u64 high, pd_u64 c,
                           const padic_k_sparse_decode_params k)
{
    while (low < high) {
        const pd_u64 middle = low + (high - low) / 2u;
        if (sparse_index(col, PD_U64(k.col_lo, k.col_hi) + middle, k.wide) < c) {
            low = middle + 1u;
        } else {
            high = middle;
        }
    }
    return low;
}

PD_KERNEL(padic_k_sparse_decode)
(PD_CBUF(pd_u32, row_ptr), PD_CBUF(pd_u32, col), PD_CBUF(sparse_key, value),
 PD_BUF(sparse_key, dense), PD_PARAMS(padic_k_sparse_decode_params, k))
{
    PD_LOCAL sparse_key tile[SPARSE_OUT];
    PD_LOCAL pd_u64 range[2];
    const pd_u64 rows = PD_U64(k.rows_lo, k.rows_hi), cols = PD_U64(k.cols_lo, k.cols_hi);
    const pd_u64 all = rows * cols, first = (pd_u64)PD_GRP * SPARSE_OUT;
    const pd_u64 end = all - first < SPARSE_OUT ? all : first + SPARSE_OUT;
    const pd_u64 row0 = first / cols, row1 = (end - 1u) / cols; // of the first and last element
    const pd_u64 rp = PD_U64(k.row_ptr_lo, k.row_ptr_hi), nnz = PD_U64(k.nnz_lo, k.nnz_hi);
    pd_u64 e, low, high;
    pd_u32 i;
    for (i = PD_LID; i < SPARSE_OUT; i += PD_WG) tile[i] = 0u;
    if (PD_LID < 2u) { // one item finds the first entry, one the end
        const pd_u64 row = PD_LID ? row1 : row0, c = (PD_LID ? end : first) - row * cols;
        low = sparse_index(row_ptr, rp + row, k.wide);
        high = sparse_index(row_ptr, rp + row + 1u, k.wide);
        if (low > nnz) low = nnz;
        if (high > nnz) high = nnz;
        range[PD_LID] = c == 0u ? low : c == cols ? high : sparse_column(col, low, high, c, k);
    }
    PD_BARRIER();
    for (e = range[0] + PD_LID; e < range[1]; e += PD_WG) {
        pd_u64 at;
        low = row0; // the last row that starts at or before entry e
        high = row1 + 1u;
        while (high - low > 1u) {
            const pd_u64 middle = low + (high - low) / 2u;
            if (sparse_index(row_ptr, rp + middle, k.wide) <= e) {
                low = middle;
            } else {
                high = middle;
            }
        }
        at = low * cols + sparse_index(col, PD_U64(k.col_lo, k.col_hi) + e, k.wide) - first;
        if (at < SPARSE_OUT) tile[at] = value[PD_U64(k.value_lo, k.value_hi) + e];
    }
    PD_BARRIER();
    for (i = PD_LID; i < (pd_u32)(end - first); i += PD_WG)
        dense[PD_U64(k.dense_lo, k.dense_hi) + first + i] = tile[i];
}
