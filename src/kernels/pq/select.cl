// program: pq_select
// texts: number.cl cache.cl group.cl record.cl list.cl score.cl
// select.cl: tables of queries, scores, and the best of them, exactly.
//
// Many candidates are shared by groups: `count` finds their scores as ordered integers and a
// histogram of the upper 11 bits, four keys of a tile an item; `keep` what is in the bin of the
// k-th or above, and a histogram of the next 11 bits of what is in that bin; `finish` the k-th
// among these and its ties, in the order of positions. With two sub-vectors and counts of cells,
// `cells` does all of a query's in one group: the cells' scores have the same histogram, weighted,
// and each key is then one look-up of its cell: above the k-th, at it, or below.
//
// In a test the groups are those of a small device.
// variant: PD_PQ_TABLE=8192 PD_LOCAL_BYTES=49152
// variant: PD_PQ_TABLE=8192 PD_LOCAL_BYTES=49152 PD_WG=256
// variant: PD_PQ_TABLE=8192 PD_LOCAL_BYTES=49152 PD_WG=512
#define PQ_OWN 8u // orders of an item that are read at a time
#define PQ_PARTS 16u // components of a centroid

// floor(fraction visible) as f64 has it, the product rounded first: 53 bits times 2^-shift.
PD_FN pd_u32 pq_heavy_part(pd_u32 lo, pd_u32 hi, pd_u32 shift, pd_u32 visible)
{
    const pd_u64 a = (pd_u64)lo * visible, b = (pd_u64)hi * visible + (a >> 32); // b: up to 2^53
    pd_u64 high = b >> 32, rest = b << 32 | (a & 0xffffffffu);
    pd_u32 cut = 0u;
    while (high >> cut > 0u || (cut == 0u ? rest : rest >> cut | high << (64u - cut)) >> 53 > 0u)
        cut++;
    if (cut > 0u) {
        const pd_u64 all = rest >> cut | high << (64u - cut);
        const pd_u64 left = rest & (((pd_u64)1u << cut) - 1u), tie = (pd_u64)1u << (cut - 1u);
        rest = all + (left > tie || (left == tie && (all & 1u) > 0u) ? 1u : 0u);
    }
    return shift - cut < 64u ? (pd_u32)(rest >> (shift - cut)) : 0u;
}

// The most of the best: heavy, or fewer. `given`: heavy_counts of the row.
PD_FN pd_u32 pq_heavy(pd_u32 given, pd_u32 visible, const padic_k_pq_select_tables_params k)
{
    pd_u32 heavy = k.heavy;
    if ((k.flags & PQ_FLAG_HEAVY) > 0u && given < heavy) heavy = given;
    if (k.part_shift > 0u) {
        const pd_u32 part = pq_heavy_part(k.part_lo, k.part_hi, k.part_shift, visible);
        if (part < heavy) heavy = part;
    }
    return heavy;
}

// What the row says of a query: its record, but for the query's own numbers.
PD_FN void pq_record(PD_GPTR(pd_u32) record, pd_u32 query, pd_u32 length, pd_u32 coded,
                     pd_u32 given, pd_u32 queries_given, pd_u32 heavy_given, pd_u32 is_finite,
                     pd_i32 exponent, const padic_k_pq_select_tables_params k)
{
    const pd_u32 finite = (k.flags & PQ_FLAG_VALUES) > 0u ? 1u : is_finite; // values say it
    const pd_u32 all = finite > 0u || (k.flags & PQ_FLAG_LEAST) > 0u ? 1u : 0u; // scores count
    const pd_u32 i = query % k.queries, most = length < k.capacity ? length : k.capacity;
    const pd_u32 best = (k.flags & PQ_FLAG_BEST) > 0u ? 1u : 0u;
    const pd_u32 recent = (k.flags & PQ_FLAG_RECENT) > 0u ? 1u : 0u;
    const pd_u32 limited = k.flags & (PQ_FLAG_VALUES | PQ_FLAG_LEAST);
    const pd_u32 heads = k.heads / k.share;
    pd_u32 keys = k.start + coded, queries = k.queries, status = 0u, visible = 0u;
    pd_u32 kind = PQ_ALL, first = 0u, count = 0u, heavy, least, skip = 0u, pad = 0u;
    if (k.keys != PQ_MOST) keys = k.keys;
    if ((k.flags & PQ_FLAG_COUNTS) > 0u) {
        keys = given < 0x7fffffffu ? given : 0x7fffffffu;
        if (given > keys) status |= 2u;
    }
    if ((k.flags & PQ_FLAG_QUERIES) > 0u) {
        queries = queries_given < k.queries ? queries_given : k.queries;
        if (queries_given > queries) status |= 2u;
    }
    if (i < queries && keys + i + 1u > queries) visible = keys + i + 1u - queries;
    if ((k.flags & PQ_FLAG_HEAVY) > 0u && heavy_given > k.heavy) status |= 2u;
    heavy = pq_heavy(heavy_given, visible, k);
    least = k.sink + heavy + k.window;
    if (least < k.full_below) least = k.full_below;
    if (visible > least) {
        const pd_u32 to = visible - k.window, low = k.start > k.sink ? k.start : k.sink;
        pd_u32 high = k.start + coded < to ? k.start + coded : to, uncoded;
        if (high < low) high = low;
        if (finite == 0u) status |= 1u;
        if (length > k.capacity) status |= 2u;
        if (coded < most) status |= 4u;
        uncoded = to - k.sink - (high - low);
        if (uncoded > 0u) status |= 8u | (uncoded < 0xffffffu ? uncoded : 0xffffffu) << 8;
        first = low - k.start;
        count = high - low;
        if ((k.flags & PQ_FLAG_VALUES) == 0u) pad = first & 3u;
        if (heavy > count) heavy = count;
        kind = all == 0u || heavy == 0u || (heavy == count && best == 0u && limited == 0u)
                   ? PQ_FIXED
                   : PQ_SEARCH;
        if (all == 0u && recent > 0u) skip = count - heavy;
    }
    record[PQ_KIND] = kind;
    record[PQ_VISIBLE] = visible;
    record[PQ_FIRST] = first;
    record[PQ_COUNT] = count;
    record[PQ_K] = heavy;
    record[PQ_SKIP] = skip;
    record[PQ_TURNED] = all == 0u && best > 0u ? recent : 0u;
    record[PQ_IS_FINITE] = finite;
    record[PQ_EXPONENT] = (pd_u32)exponent;
    record[PQ_CODED] = coded;
    record[PQ_LENGTH] = length;
    record[PQ_ROW] = query / k.queries / heads;
    record[PQ_GROUP] = query / k.queries % heads * k.share / k.per;
    record[PQ_STATUS] = status;
    record[PQ_PAD] = pad;
}

// A slice of the table of a query head, which is entry `own`, from its scaled components.
PD_FN void pq_table_make(PD_GPTR(pd_u32) space, PD_LPTR(const pd_u32) x,
                         PD_GPTR(const pd_f32) scaled, pd_u32 book, pd_u32 own, pd_u32 slice,
                         const padic_k_pq_select_tables_params k)
{
    const pd_u32 cells = 1u << k.bits;
    for (pd_u32 n = slice * PQ_WG + PD_LID; n < k.m << k.bits; n += k.slices * PQ_WG) {
        const pd_u32 j = n >> k.bits, c = n & (cells - 1u);
        PD_GPTR(const pd_f32) s =
            scaled + k.scaled_at + (pd_u64)(book + j) * ((k.ds + k.extra + 1u) << k.bits) + c;
        pd_f32 sum = 0.0f, y[PQ_PARTS];
        for (pd_u32 a = 0u; a < k.ds; a += PQ_PARTS) {
            for (pd_u32 b = 0u; b < PQ_PARTS; b++) y[b] = s[(a + b < k.ds ? a + b : a) << k.bits];
            for (pd_u32 b = 0u; b < PQ_PARTS; b++)
                if (a + b < k.ds) {
                    const pd_f32 one = PD_AS_F32(x[j * k.ds + a + b]) * y[b];
                    sum = a + b > 0u ? sum + one : one;
                }
        }
        space[k.tables_at + own * (k.m << k.bits) + n] = PD_AS_U32(sum);
    }
}

// A slice of the table of a query head a group; the record of its list; no counts in its bins.
PD_KERNEL(padic_k_pq_select_tables)
(PD_CBUF(pd_u32, queries), PD_CBUF(pd_f32, scaled), PD_CBUF(pd_u32, info), PD_CBUF(pd_u32, lengths),
 PD_CBUF(pd_u32, pages), PD_CBUF(pd_u32, key_counts), PD_CBUF(pd_u32, query_counts),
 PD_BUF(pd_u32, space), PD_PARAMS(padic_k_pq_select_tables_params, k))
{
    PD_LOCAL pd_u32 x[1024];
    PD_LOCAL pd_u32 most[PD_WG];
    PD_LOCAL pd_u32 bad[PD_WG]; // the first page that is none
    const pd_u32 table = PD_GRP / k.slices, slice = PD_GRP - table * k.slices;
    const pd_u32 own = table / k.share, part = table - own * k.share, heads = k.heads / k.share;
    const pd_u32 query = k.first + own, i = query % k.queries;
    const pd_u32 head = query / k.queries % heads * k.share + part;
    const pd_u32 row = query / k.queries / heads;
    const pd_u32 book = ((k.book_rows > 0u ? row * k.groups : 0u) + head / k.per) * k.m;
    const pd_u32 alone = k.flags & PQ_FLAG_ALONE, d = k.m * k.ds;
    const pd_u32 length = alone > 0u ? 0u : lengths[k.lengths_at + row];
    const pd_u64 from = PD_U64(k.query_lo, k.query_hi) + pq_steps(row, k.query_step[0]) +
                        pq_steps(head, k.query_step[1]) + pq_steps(i, k.query_step[2]);
    pd_u32 coded = length < k.capacity ? length : k.capacity, largest = 0u, page = PQ_MOST, n;
    pd_i32 e = (pd_i32)info[k.info_at + book * 4u], own_e;
    for (n = PD_LID; n < d; n += PQ_WG) {
        const pd_u32 bits = pq_load(queries, from + pq_steps(n, k.query_step[3]), k.dtype);
        x[n] = bits;
        if ((bits & 0x7fffffffu) > largest) largest = bits & 0x7fffffffu;
    }
    for (n = PD_LID; k.page > 0u && (pd_u64)n * k.page < coded; n += PQ_WG)
        if (n < page && pages[k.pages_at + row * k.row_pages + n] >= k.page_count) page = n;
    most[PD_LID] = largest;
    bad[PD_LID] = page;
    PD_BARRIER();
    for (pd_u32 apart = PQ_WG / 2u; apart > 0u; apart /= 2u) {
        if (PD_LID < apart) {
            if (most[PD_LID + apart] > most[PD_LID]) most[PD_LID] = most[PD_LID + apart];
            if (bad[PD_LID + apart] < bad[PD_LID]) bad[PD_LID] = bad[PD_LID + apart];
        }
        PD_BARRIER();
    }
    largest = most[0];
    if (bad[0] != PQ_MOST) coded = bad[0] * k.page;
    own_e = largest > 0u ? pq_exponent(largest) : 0;
    e = e < -200 ? -200 : e > 200 ? 200 : e;
    if (PD_LID == 0u && slice == 0u && k.heads_at > 0u) {
        space[k.heads_at + table * PQ_HEAD_WORDS + PQ_HEAD_FINITE] = pq_finite(largest);
        space[k.heads_at + table * PQ_HEAD_WORDS + PQ_HEAD_EXPONENT] = (pd_u32)(own_e + e);
    }
    if (PD_LID == 0u && part == 0u && slice == 0u)
        pq_record(space + own * PQ_RECORD, query, length, coded,
                  (k.flags & PQ_FLAG_COUNTS) > 0u ? key_counts[k.keys_at + row * k.keys_step] : 0u,
                  (k.flags & PQ_FLAG_QUERIES) > 0u
                      ? query_counts[k.counts_at + row * k.counts_step]
                      : 0u,
                  (k.flags & PQ_FLAG_HEAVY) > 0u ? space[k.heavy_at + row] : 0u,
                  pq_finite(largest), own_e + e, k);
    for (n = PD_LID; n < d; n += PQ_WG)
        x[n] = pq_finite(largest) > 0u ? pq_scaled(x[n], own_e) : 0u;
    for (n = slice * PQ_WG + PD_LID; n < PQ_BINS_ALL && part == 0u && (k.flags & PQ_FLAG_BINS) > 0u;
         n += k.slices * PQ_WG)
        space[k.bins_at + own * PQ_BINS_ALL + n] = 0u;
    PD_BARRIER();
    pq_table_make(space, x, scaled, book, table, slice, k);
}

// Tables and scores as they are asked for; a part of a query's keys a group.
PD_KERNEL(padic_k_pq_select_scores)
(PD_CBUF(pd_u32, space), PD_CBUF(pd_u32, codes), PD_CBUF(pd_u32, pages), PD_BUF(pd_u32, tables),
 PD_BUF(pd_u32, out), PD_PARAMS(padic_k_pq_select_find_params, k))
{
    PD_LOCAL pd_f32 table[PD_PQ_TABLE];
    const pd_u32 own = PD_GRP / k.parts, part = PD_GRP - own * k.parts, query = k.first + own;
    const pd_u32 i = query % k.queries, head = query / k.queries % k.heads;
    const pd_u32 row = query / k.queries / k.heads, record = own * PQ_RECORD;
    const pd_u32 finite = space[record + PQ_IS_FINITE], each = pq_part(k.n, k.parts);
    const pd_i32 e = (pd_i32)space[record + PQ_EXPONENT];
    const pq_tables t = pq_tables_of(k.tables_at, own, 1u, k.m, k.bits);
    const pq_store s = pq_store_of(k);
    pd_u32 n;
    pq_hold(space, table, t, 1u);
    PD_BARRIER();
    for (n = part * PQ_WG + PD_LID; (k.flags & PQ_FLAG_TABLES) > 0u && n < k.m << k.bits;
         n += k.parts * PQ_WG)
        tables[k.table_at + row * k.table_step[0] + head * k.table_step[1] + i * k.table_step[2] +
               (n >> k.bits) * k.table_step[3] + (n & ((1u << k.bits) - 1u)) * k.table_step[4]] =
            finite > 0u ? pq_unscaled(space[t.at + n], e) : 0x7fc00000u;
    if ((k.flags & PQ_FLAG_SCORES) > 0u)
        for (n = part * each + PD_LID; n < k.n && n < (part + 1u) * each; n += PQ_WG) {
            pd_u32 bits = PQ_LEAST;
            if (finite > 0u && n < space[record + PQ_CODED])
                bits = pq_unscaled(
                    PD_AS_U32(pq_score(space, table, t, 0u, codes,
                                       pq_tile(pages, s, row, space[record + PQ_GROUP],
                                               n / PQ_TILE),
                                       n % PQ_TILE, s)),
                    e);
            out[k.out_at + row * k.out_step[0] + head * k.out_step[1] + i * k.out_step[2] +
                n * k.out_step[3]] = bits;
        }
}

// The same as pq_candidates(), for which no load waits for another.
PD_FN pd_u32 pq_searched(PD_GPTR(const pd_u32) space, pd_u32 own)
{
    const pd_u32 kind = space[own * PQ_RECORD + PQ_KIND], count = space[own * PQ_RECORD + PQ_COUNT];
    return kind == PQ_SEARCH ? count : 0u;
}

// Adds a group's histogram to its query's.
PD_FN void pq_bins_add(PD_GPTR(pd_u32) space, PD_LPTR(const pd_u32) bins, pd_u32 at)
{
    for (pd_u32 n = PD_LID; n < PQ_BINS; n += PQ_WG)
        if (bins[n] > 0u) PD_ATOMIC_ADD_G(&space[at + n], bins[n]);
}

// Scores of candidates as ordered integers, one key an item, from code `begin` to before `end`;
// adds to the histogram of their upper bits. at: the order of code 0.
PD_FN void pq_count_keys(PD_GPTR(pd_u32) space, PD_LPTR(pd_u32) bins, PD_LPTR(const pd_f32) table,
                         const pq_tables t, PD_GPTR(const pd_u32) codes,
                         PD_GPTR(const pd_u32) pages, const pq_store s, pd_u32 row, pd_u32 group,
                         pd_u32 finite, pd_u32 at, pd_u32 begin, pd_u32 end)
{
    for (pd_u32 code = begin + PD_LID; code < end; code += PQ_WG) {
        const pd_u32 score = PD_AS_U32(
            pq_score(space, table, t, 0u, codes, pq_tile(pages, s, row, group, code / PQ_TILE),
                     code % PQ_TILE, s));
        const pd_u32 order = pq_order(finite > 0u ? score : PQ_LEAST);
        space[at + code] = order;
        PD_ATOMIC_ADD_L(&bins[order >> 21], 1u);
    }
}

// The same, four keys of a tile an item; the table is in local memory.
PD_FN void pq_count_units(PD_GPTR(pd_u32) space, PD_LPTR(pd_u32) bins, PD_LPTR(const pd_f32) table,
                          pd_u32 bits, PD_GPTR(const pd_u32) codes, PD_GPTR(const pd_u32) pages,
                          const pq_store s, pd_u32 row, pd_u32 group, pd_u32 finite, pd_u32 at,
                          pd_u32 begin, pd_u32 end)
{
    for (pd_u32 code = (begin & ~3u) + 4u * PD_LID; code < end; code += 4u * PQ_WG) {
        const pq_unit u = pq_unit_of(pq_tile(pages, s, row, group, code / PQ_TILE),
                                     code % PQ_TILE, bits, s);
        const pq_four four = pq_score_four(table, bits, codes, u);
        pd_u32 order[4];
        for (pd_u32 b = 0u; b < 4u; b++) {
            order[b] = pq_order(finite > 0u ? PD_AS_U32(four.x[b]) : PQ_LEAST);
            if (code + b >= begin && code + b < end)
                PD_ATOMIC_ADD_L(&bins[order[b] >> 21], 1u);
        }
        if (code >= begin && code + 4u <= end) {
            PQ_PUT_FOUR(space, at + code, order);
        } else {
            for (pd_u32 b = 0u; b < 4u; b++)
                if (code + b >= begin && code + b < end) space[at + code + b] = order[b];
        }
    }
}

// A part of a query's candidates a group. Codes of more than a byte, or that do not begin at words,
// are read one by one, and so are those of large tables.
PD_KERNEL_MIN(padic_k_pq_select_count, PD_WG, 2)
(PD_BUF(pd_u32, space), PD_CBUF(pd_u32, codes), PD_CBUF(pd_u32, pages),
 PD_PARAMS(padic_k_pq_select_find_params, k))
{
    PD_LOCAL pd_u32 bins[PQ_BINS];
    PD_LOCAL pd_f32 table[PD_PQ_TABLE];
    const pd_u32 own = PD_GRP / k.parts, part = PD_GRP - own * k.parts;
    const pd_u32 count = pq_searched(space, own), each = pq_part(count, k.parts);
    const pd_u32 first = space[own * PQ_RECORD + PQ_FIRST], low = part * each;
    const pd_u32 row = space[own * PQ_RECORD + PQ_ROW], group = space[own * PQ_RECORD + PQ_GROUP];
    const pd_u32 finite = space[own * PQ_RECORD + PQ_IS_FINITE];
    const pd_u32 high = low + each < count ? low + each : count;
    const pd_u32 at = k.order_at + own * k.n + space[own * PQ_RECORD + PQ_PAD] - first;
    const pq_tables t = pq_tables_of(k.tables_at, own, 1u, k.m, k.bits);
    const pq_store s = pq_store_of(k);
    pq_clear(bins);
    pq_hold_one(space, table, t);
    PD_BARRIER();
    if (low < high) {
        if (t.held == 0u || k.bytes > PQ_TILE || (k.codes_lo & 3u) > 0u)
            pq_count_keys(space, bins, table, t, codes, pages, s, row, group, finite, at,
                          first + low, first + high);
        else
            pq_count_units(space, bins, table, k.bits, codes, pages, s, row, group, finite, at,
                           first + low, first + high);
    }
    PD_BARRIER();
    pq_bins_add(space, bins, k.bins_at + own * PQ_BINS_ALL);
}

typedef struct {
    pd_u32 first, parts, n, k, flags; // k: wanted of n
    pd_u32 scores_at, score_step[2];
    pd_u32 bins_at, order_at, stride; // stride: words of a row's orders
} padic_k_pq_select_rows_params;

// The same of rows of scores, whose records are made here.
PD_KERNEL(padic_k_pq_select_rows)
(PD_CBUF(pd_u32, scores), PD_BUF(pd_u32, space), PD_PARAMS(padic_k_pq_select_rows_params, k))
{
    PD_LOCAL pd_u32 bins[PQ_BINS];
    const pd_u32 own = PD_GRP / k.parts, part = PD_GRP - own * k.parts;
    const pd_u32 from = k.scores_at + (k.first + own) * k.score_step[0];
    const pd_u32 each = pq_part(k.n, k.parts);
    pd_u32 n;
    pq_clear(bins);
    if (part == 0u && PD_LID < PQ_RECORD) {
        const pd_u32 all = k.k == k.n && (k.flags & PQ_FLAG_BEST) == 0u ? 1u : 0u;
        pd_u32 word = 0u;
        if (PD_LID == PQ_KIND) word = all > 0u || k.k == 0u ? PQ_FIXED : PQ_SEARCH;
        if (PD_LID == PQ_VISIBLE || PD_LID == PQ_COUNT) word = k.n;
        if (PD_LID == PQ_K) word = k.k;
        space[own * PQ_RECORD + PD_LID] = word;
    }
    PD_BARRIER();
    for (n = part * each + PD_LID; n < k.n && n < (part + 1u) * each; n += PQ_WG) {
        const pd_u32 order = pq_order(scores[from + n * k.score_step[1]]);
        space[k.order_at + own * k.stride + n] = order;
        PD_ATOMIC_ADD_L(&bins[order >> 21], 1u);
    }
    PD_BARRIER();
    pq_bins_add(space, bins, k.bins_at + own * PQ_BINS_ALL);
}

// Bins of a query, from `at` on.
PD_FN void pq_bins_load(PD_GPTR(const pd_u32) space, PD_LPTR(pd_u32) bins, pd_u32 at)
{
    for (pd_u32 i = PD_LID; i < PQ_BINS; i += PQ_WG) bins[i] = space[at + i];
}

// Orders that an item has at a time.
typedef struct {
    pd_u32 x[PQ_OWN];
} pq_orders;

// Those of candidates `from` to before `end`, and 0, which no score has.
PD_FN pq_orders pq_orders_of(PD_GPTR(const pd_u32) space, pd_u32 order, pd_u32 from, pd_u32 end)
{
    pq_orders o;
    o.x[0] = 0u;
    for (pd_u32 i = 0u; i < PQ_OWN; i++) {
        const pd_u32 n = from + i;
        o.x[i] = n < end ? space[order + n] : 0u;
    }
    return o;
}

// The candidates in the bin of the k-th or above, of each part by itself: places, and orders beside
// them. Adds to the histogram of the next bits of those in the bin.
PD_KERNEL(padic_k_pq_select_keep)
(PD_BUF(pd_u32, space), PD_PARAMS(padic_k_pq_select_find_params, k))
{
    PD_LOCAL pd_u32 bins[PQ_BINS];
    PD_LOCAL pd_u32 sums[PQ_SUMS];
    PD_LOCAL pd_u32 found[4];
    const pd_u32 own = PD_GRP / k.parts, part = PD_GRP - own * k.parts;
    const pd_u32 count = pq_searched(space, own), each = pq_part(count, k.parts);
    const pd_u32 order = k.order_at + own * k.n + space[own * PQ_RECORD + PQ_PAD];
    const pd_u32 end = count < (part + 1u) * each ? count : (part + 1u) * each;
    const pd_u32 places = k.places_at + 2u * own * k.n + part * each, mine = PQ_OWN * PD_LID;
    const pd_u32 wanted = space[own * PQ_RECORD + PQ_K];
    pd_u32 to = places;
    pq_orders o = pq_orders_of(space, order, part * each + mine, end);
    pq_bins_load(space, bins, k.bins_at + own * PQ_BINS_ALL);
    PD_BARRIER();
    pq_find(bins, sums, found, wanted);
    pq_clear(bins);
    PD_BARRIER();
    for (pd_u32 base = part * each; base < end; base += PQ_OWN * PQ_WG) {
        pd_u32 kept = 0u, at, i;
        for (i = 0u; i < PQ_OWN; i++) {
            const pd_u32 bin = o.x[i] >> 21;
            kept += o.x[i] > 0u && bin >= found[0] ? 1u : 0u;
            if (o.x[i] > 0u && bin == found[0])
                PD_ATOMIC_ADD_L(&bins[o.x[i] >> 10 & 2047u], 1u);
        }
        at = to + pq_before(sums, kept);
        for (i = 0u; i < PQ_OWN; i++)
            if (o.x[i] > 0u && o.x[i] >> 21 >= found[0]) {
                space[at] = base + mine + i;
                space[at + k.n] = o.x[i];
                at++;
            }
        to += PQ_TOTAL(sums);
        PD_BARRIER();
        o = pq_orders_of(space, order, base + PQ_OWN * PQ_WG + mine, end);
    }
    if (PD_LID == 0u) space[k.part_at + PD_GRP] = to - places;
    PD_BARRIER();
    pq_bins_add(space, bins, k.bins_at + own * PQ_BINS_ALL + PQ_BINS);
}

// What was kept of a query: of each part how much of it is before, in local memory, and where.
typedef struct {
    pd_u32 at, each, parts, all, apart; // apart: from a place to its order
} pq_kept;

// The part that the i-th is in.
PD_FN pd_u32 pq_kept_part(PD_LPTR(const pd_u32) before, pd_u32 i, const pq_kept k)
{
    pd_u32 low = 0u, high = k.parts;
    while (high - low > 1u) { // the last that begins at i or before
        const pd_u32 middle = (low + high) / 2u;
        if (before[middle] <= i) low = middle;
        else high = middle;
    }
    return low;
}

// Where the i-th is, which is in the part or after it.
PD_FN pd_u32 pq_kept_at(PD_LPTR(const pd_u32) before, pd_u32 i, pd_u32 *part, const pq_kept k)
{
    pd_u32 in = *part;
    while (in + 1u < k.parts && before[in + 1u] <= i) in++;
    *part = in;
    return k.at + in * k.each + i - before[in];
}

// What is compared with the limit, and sorted: of the score as it is.
PD_FN pd_u32 pq_listed(pd_u32 order, pd_u32 unscale, pd_i32 e)
{
    return unscale > 0u ? pq_order(pq_unscaled(pq_of_order(order), e)) : order;
}

// The orders from the i-th to before the `end`-th of what was kept, and 0.
PD_FN pq_orders pq_kept_orders(PD_GPTR(const pd_u32) space, PD_LPTR(const pd_u32) before,
                               pd_u32 i, pd_u32 end, pd_u32 *part, const pq_kept k)
{
    pq_orders o;
    o.x[0] = 0u;
    for (pd_u32 n = 0u; n < PQ_OWN; n++) {
        o.x[n] = 0u;
        if (i + n < end) o.x[n] = space[pq_kept_at(before, i + n, part, k) + k.apart];
    }
    return o;
}

// A histogram of the last bits of those that have the upper bits of value.
PD_FN void pq_kept_bins(PD_GPTR(const pd_u32) space, PD_LPTR(pd_u32) bins,
                        PD_LPTR(const pd_u32) before, const pq_kept kept, pd_u32 low, pd_u32 high,
                        pd_u32 value)
{
    pd_u32 part = pq_kept_part(before, low, kept);
    for (pd_u32 i = low; i < high; i += PQ_OWN) {
        const pq_orders o = pq_kept_orders(space, before, i, high, &part, kept);
        for (pd_u32 n = 0u; n < PQ_OWN; n++)
            if (o.x[n] > 0u && o.x[n] >> 10 == value >> 10)
                PD_ATOMIC_ADD_L(&bins[o.x[n] & 1023u], 1u);
    }
}

// How many are above the k-th, and not below the limit; how many at it.
PD_FN void pq_kept_count(PD_GPTR(const pd_u32) space, PD_LPTR(const pd_u32) before,
                         const pq_kept kept, pd_u32 low, pd_u32 high, pd_u32 value, pd_u32 limit,
                         pd_u32 unscale, pd_i32 e, pd_u32 *over, pd_u32 *equal)
{
    pd_u32 part = pq_kept_part(before, low, kept);
    for (pd_u32 i = low; i < high; i += PQ_OWN) {
        const pq_orders o = pq_kept_orders(space, before, i, high, &part, kept);
        for (pd_u32 n = 0u; n < PQ_OWN; n++) {
            *over += o.x[n] > value && pq_listed(o.x[n], unscale, e) >= limit ? 1u : 0u;
            *equal += o.x[n] == value ? 1u : 0u;
        }
    }
}

// The best of what was kept, from the `low`-th to before the `high`-th, after so many above the
// k-th and at it.
PD_FN void pq_kept_take(PD_GPTR(pd_u32) space, PD_GPTR(pd_u32) lists,
                        PD_LPTR(const pd_u32) before, const pq_kept kept, const pq_goal goal,
                        pd_u32 low, pd_u32 high, pd_u32 above, pd_u32 equals, pd_u32 value,
                        pd_u32 take, pd_u32 skip, pd_u32 limit, pd_u32 unscale, pd_i32 e,
                        pd_u32 wide)
{
    pd_u32 over = above, equal = equals, part = pq_kept_part(before, low, kept);
    for (pd_u32 i = low; i < high; i++) {
        const pd_u32 at = pq_kept_at(before, i, &part, kept), x = space[at + kept.apart];
        const pd_u32 key = pq_listed(x, unscale, e), more = x > value && key >= limit ? 1u : 0u;
        const pd_u32 tied = equal < skip ? 0u : equal - skip < take ? equal - skip : take;
        if (more > 0u || (x == value && equal >= skip && equal - skip < take))
            pq_take(space, lists, goal, wide, over + tied, space[at], key);
        over += more;
        equal += x == value ? 1u : 0u;
    }
}

// The k-th of what was kept, and its ties; the list. A query a group.
PD_KERNEL(padic_k_pq_select_finish)
(PD_BUF(pd_u32, space), PD_BUF(pd_u32, lists), PD_BUF(pd_u32, lengths), PD_BUF(pd_u32, status),
 PD_PARAMS(padic_k_pq_select_find_params, k))
{
    PD_LOCAL pd_u32 bins[PQ_BINS];
    PD_LOCAL pd_u32 sums[PQ_SUMS];
    PD_LOCAL pd_u32 found[4];
    PD_LOCAL pd_u32 before[PD_WG];
    PQ_LATE_BEGIN(padic_k_pq_select_find_params)
    const pd_u32 own = PD_GRP, query = k.first + own, record = own * PQ_RECORD;
    const pd_u32 search = space[record + PQ_KIND] == PQ_SEARCH ? 1u : 0u;
    const pd_u32 wanted = search > 0u ? space[record + PQ_K] : 0u;
    const pd_u32 unscale = k.flags & PQ_FLAG_UNSCALE;
    const pd_u32 limit = (k.flags & PQ_FLAG_LEAST) > 0u ? k.limit : 0u;
    const pd_u32 here = PD_LID < k.parts ? space[k.part_at + own * k.parts + PD_LID] : 0u;
    const pd_i32 e = (pd_i32)space[record + PQ_EXPONENT];
    pd_u32 value, above, take, skip, mine, low, high, over = 0u, equal = 0u;
    pq_kept kept;
    if (PD_LID == 0u) {
        PQ_LATE_PUT
    }
    pq_bins_load(space, bins, k.bins_at + own * PQ_BINS_ALL);
    kept.each = pq_part(pq_searched(space, own), k.parts);
    kept.at = k.places_at + 2u * own * k.n;
    kept.apart = k.n;
    kept.parts = k.parts;
    before[PD_LID] = pq_before(sums, here);
    kept.all = PQ_TOTAL(sums);
    PD_BARRIER();
    pq_find(bins, sums, found, wanted);
    value = found[0] << 21;
    above = found[1];
    PD_BARRIER();
    pq_bins_load(space, bins, k.bins_at + own * PQ_BINS_ALL + PQ_BINS);
    PD_BARRIER();
    pq_find(bins, sums, found, wanted - above);
    value |= found[0] << 10;
    above += found[1];
    pq_clear(bins);
    PD_BARRIER();
    mine = kept.all / PQ_WG + 1u;
    low = PD_LID * mine < kept.all ? PD_LID * mine : kept.all;
    high = low + mine < kept.all ? low + mine : kept.all;
    pq_kept_bins(space, bins, before, kept, low, high, value);
    PD_BARRIER();
    pq_find(bins, sums, found, wanted - above);
    value |= found[0];
    above += found[1];
    take = wanted - above;
    skip = (k.flags & PQ_FLAG_RECENT) > 0u && take < found[2] ? found[2] - take : 0u;
    if (pq_listed(value, unscale, e) < limit) take = 0u;
    pq_kept_count(space, before, kept, low, high, value, limit, unscale, e, &over, &equal);
    over = pq_before(sums, over);
    if (PD_LID == 0u && limit > 0u && search > 0u) space[record + PQ_K] = PQ_TOTAL(sums) + take;
    PD_BARRIER();
    equal = pq_before(sums, equal);
    pq_kept_take(space, lists, before, kept, pq_goal_of(query, space[record + PQ_FIRST], PQ_LATE),
                 low, high, over, equal, value, take, skip, limit, unscale, e, PQ_LATE.list_wide);
    PD_BARRIER_ALL();
    pq_finish(space, lists, lengths, status, query, PQ_LATE);
}

// What the items of a group know, in local memory: PoCL loses numbers of items across barriers.
#define PQ_VALUE 0u // the k-th
#define PQ_ABOVE 1u // keys above it, keys at it: as the histogram has them, as the codes have them
#define PQ_EQUAL 2u
#define PQ_ALL_ABOVE 3u
#define PQ_ALL_EQUAL 4u
#define PQ_ACTIVE 5u // 1: it is right
#define PQ_IN_ROW 6u
#define PQ_IN_GROUP 7u
#define PQ_BEGIN 8u // the candidates' codes
#define PQ_END 9u
#define PQ_KNOWN 10u // codes of the row
#define PQ_WANTED 11u
#define PQ_STATE 12u

// By cells. `bins` become classes of cells, four in a word: 0 below the k-th, 1 at it, 2 above.

PD_FN pd_u32 pq_cell_order(PD_LPTR(const pd_f32) table, pd_u32 cell, pd_u32 bits)
{
    const pd_u32 mask = (1u << bits) - 1u;
    const pd_f32 sum = table[cell >> bits] + table[(1u << bits) + (cell & mask)];
    return pq_order(PD_AS_U32(sum));
}

PD_FN pd_u32 pq_cell(PD_GPTR(const pd_u32) codes, pd_u64 tile, pd_u32 i, pd_u32 bits, pd_u32 bytes)
{
    const pd_u32 mask = (1u << bits) - 1u;
    PD_GPTR(const pd_u8) a = (PD_GPTR(const pd_u8))codes + tile;
    PD_GPTR(const pd_u8) b = a + bytes;
    pd_u32 x, y, shift = (i >> 5) * 4u;
    if (bytes == PQ_TILE) return ((pd_u32)a[i] & mask) << bits | ((pd_u32)b[i] & mask);
    x = (pd_u32)a[i & 31u] >> shift & 15u;
    y = (pd_u32)b[i & 31u] >> shift & 15u;
    if (bytes == 48u) {
        shift = (i >> 4) * 2u;
        x |= ((pd_u32)a[32u + (i & 15u)] >> shift & 3u) << 4;
        y |= ((pd_u32)b[32u + (i & 15u)] >> shift & 3u) << 4;
    }
    return (x & mask) << bits | (y & mask);
}

PD_FN pd_u32 pq_class(PD_LPTR(const pd_u32) classes, pd_u32 cell)
{
    return classes[cell >> 2] >> (cell & 3u) * 8u & 3u;
}

// Adds to the bins of codes, of those whose upper bits are those of value: 1 for each candidate, or
// -1 for each that is none.
PD_FN void pq_codes_count(PD_LPTR(pd_u32) bins, PD_LPTR(const pd_f32) table,
                          PD_GPTR(const pd_u32) codes, PD_GPTR(const pd_u32) pages,
                          PD_LPTR(const pd_u32) state, pd_u32 round,
                          const padic_k_pq_select_find_params k)
{
    const pd_u32 shift = round == 0u ? 21u : round == 1u ? 10u : 0u, value = state[PQ_VALUE];
    const pd_u32 mask = round == 2u ? 1023u : 2047u, top = round == 1u ? 21u : 10u;
    const pd_u32 first = state[PQ_BEGIN], end = state[PQ_END], known = state[PQ_KNOWN];
    const pd_u32 gap = end - first, all = k.again > 0u ? gap : known - gap;
    const pd_u32 by = k.again > 0u ? 1u : PQ_MOST;
    for (pd_u32 n = PD_LID; n < all; n += PQ_WG) {
        const pd_u32 i = k.again > 0u ? first + n : n < first ? n : n + gap;
        const pd_u32 x = pq_cell_order(
            table, pq_cell(codes, pq_tile(pages, pq_store_of(k), state[PQ_IN_ROW],
                                          state[PQ_IN_GROUP], i / PQ_TILE),
                           i % PQ_TILE, k.bits, k.bytes),
            k.bits);
        if (round == 0u || x >> top == value >> top) PD_ATOMIC_ADD_L(&bins[x >> shift & mask], by);
    }
}

// The same with the cells' counts.
PD_FN void pq_cells_count(PD_LPTR(pd_u32) bins, PD_LPTR(const pd_f32) table,
                          PD_GPTR(const pd_u32) counts, pd_u32 value, pd_u32 round, pd_u32 cells,
                          pd_u32 bits)
{
    const pd_u32 shift = round == 0u ? 21u : round == 1u ? 10u : 0u;
    const pd_u32 mask = round == 2u ? 1023u : 2047u, top = round == 1u ? 21u : 10u;
    for (pd_u32 i = PD_LID; i < cells; i += PQ_WG) {
        const pd_u32 x = pq_cell_order(table, i, bits), count = counts[i];
        if (count > 0u && (round == 0u || x >> top == value >> top))
            PD_ATOMIC_ADD_L(&bins[x >> shift & mask], count);
    }
}

// Keys of a tile above the k-th, and 65,536 times those at it.
PD_FN pd_u32 pq_classes_count(PD_LPTR(const pd_u32) classes, PD_GPTR(const pd_u32) codes,
                              PD_GPTR(const pd_u32) pages, pd_u32 row, pd_u32 group, pd_u32 tile,
                              pd_u32 first, pd_u32 end, const padic_k_pq_select_find_params k)
{
    const pd_u64 at = pq_tile(pages, pq_store_of(k), row, group, tile);
    const pd_u32 base = tile * PQ_TILE, low = first > base ? first - base : 0u;
    const pd_u32 high = end < base + PQ_TILE ? end - base : PQ_TILE;
    pd_u32 count = 0u;
    for (pd_u32 i = low; i < high; i++) {
        const pd_u32 is = pq_class(classes, pq_cell(codes, at, i, k.bits, k.bytes));
        count += is == 2u ? 1u : is == 1u ? 65536u : 0u;
    }
    return count;
}

// The first tile of an item.
PD_FN pd_u32 pq_tile_first(PD_LPTR(const pd_u32) state, pd_u32 item)
{
    const pd_u32 all = state[PQ_END] > state[PQ_BEGIN]
                           ? (state[PQ_END] - 1u) / PQ_TILE + 1u - state[PQ_BEGIN] / PQ_TILE
                           : 0u;
    const pd_u32 each = all / PQ_WG + 1u;
    return state[PQ_BEGIN] / PQ_TILE + (item * each < all ? item * each : all);
}

// The k-th from a histogram in three rounds: of the cells' counts less what is no candidate, or of
// the candidates.
PQ_FN void pq_cells_find(PD_LPTR(pd_u32) bins, PD_LPTR(pd_u32) sums, PD_LPTR(pd_u32) found,
                         PD_LPTR(pd_u32) state, PD_LPTR(const pd_f32) table,
                         PD_GPTR(const pd_u32) codes, PD_GPTR(const pd_u32) pages,
                         PD_GPTR(const pd_u32) counts, const padic_k_pq_select_find_params k)
{
    for (pd_u32 round = 0u; round < 3u; round++) {
        pq_clear(bins);
        PD_BARRIER();
        pq_codes_count(bins, table, codes, pages, state, round, k);
        if (k.again == 0u && state[PQ_WANTED] > 0u)
            pq_cells_count(bins, table,
                           counts + k.counts_at +
                               ((state[PQ_IN_ROW] * k.groups + state[PQ_IN_GROUP])
                                << 2u * k.bits),
                           state[PQ_VALUE], round, 1u << 2u * k.bits, k.bits);
        PD_BARRIER();
        pq_find(bins, sums, found, state[PQ_WANTED] - state[PQ_ABOVE]);
        if (PD_LID == 0u) {
            state[PQ_VALUE] |= found[0] << (round == 0u ? 21u : round == 1u ? 10u : 0u);
            state[PQ_ABOVE] += found[1];
            state[PQ_EQUAL] = found[2];
        }
        PD_BARRIER();
    }
}

// Classes of cells instead of the histogram; of each item's tiles how many keys before are above
// the k-th and at it.
PQ_FN void pq_cells_place(PD_LPTR(pd_u32) bins, PD_LPTR(pd_u32) sums, PD_LPTR(pd_u32) state,
                          PD_LPTR(const pd_f32) table, PD_LPTR(pd_u32) over, PD_LPTR(pd_u32) equal,
                          PD_GPTR(const pd_u32) codes, PD_GPTR(const pd_u32) pages,
                          const padic_k_pq_select_find_params k)
{
    const pd_u32 cells = 1u << 2u * k.bits;
    pd_u32 a = 0u, b = 0u;
    for (pd_u32 i = PD_LID; i < (cells + 3u) / 4u; i += PQ_WG) {
        pd_u32 word = 0u;
        for (pd_u32 c = 0u; c < 4u && 4u * i + c < cells; c++) {
            const pd_u32 x = pq_cell_order(table, 4u * i + c, k.bits);
            word |= (x > state[PQ_VALUE] ? 2u : x == state[PQ_VALUE] ? 1u : 0u) << 8u * c;
        }
        bins[i] = word;
    }
    PD_BARRIER();
    for (pd_u32 tile = pq_tile_first(state, PD_LID); tile < pq_tile_first(state, PD_LID + 1u);
         tile++) {
        const pd_u32 both = pq_classes_count(bins, codes, pages, state[PQ_IN_ROW],
                                             state[PQ_IN_GROUP], tile, state[PQ_BEGIN],
                                             state[PQ_END], k);
        a += both & 65535u;
        b += both >> 16;
    }
    over[PD_LID] = a;
    equal[PD_LID] = b;
    PD_BARRIER();
    a = pq_before(sums, over[PD_LID]);
    over[PD_LID] = a;
    if (PD_LID == 0u) state[PQ_ALL_ABOVE] = PQ_TOTAL(sums);
    PD_BARRIER();
    b = pq_before(sums, equal[PD_LID]);
    equal[PD_LID] = b;
    if (PD_LID == 0u) state[PQ_ALL_EQUAL] = PQ_TOTAL(sums);
    PD_BARRIER();
}

// The best of an item's tiles.
PD_FN void pq_cells_take(PD_LPTR(const pd_u32) bins, PD_LPTR(const pd_u32) state,
                         PD_LPTR(const pd_f32) table, PD_GPTR(pd_u32) space, PD_GPTR(pd_u32) lists,
                         PD_GPTR(const pd_u32) codes, PD_GPTR(const pd_u32) pages, pd_u32 query,
                         pd_u32 before, pd_u32 equals, const padic_k_pq_select_find_params k)
{
    const pd_u32 take = state[PQ_WANTED] - state[PQ_ALL_ABOVE], all = state[PQ_ALL_EQUAL];
    const pd_u32 skip = (k.flags & PQ_FLAG_RECENT) > 0u && take < all ? all - take : 0u;
    const pd_u32 first = state[PQ_BEGIN], end = state[PQ_END];
    const pq_goal goal = pq_goal_of(query, first, k);
    pd_u32 over = before, equal = equals;
    for (pd_u32 tile = pq_tile_first(state, PD_LID); tile < pq_tile_first(state, PD_LID + 1u);
         tile++) {
        const pd_u64 from = pq_tile(pages, pq_store_of(k), state[PQ_IN_ROW], state[PQ_IN_GROUP],
                                    tile);
        const pd_u32 base = tile * PQ_TILE;
        for (pd_u32 i = first > base ? first - base : 0u; i < PQ_TILE && base + i < end; i++) {
            const pd_u32 cell = pq_cell(codes, from, i, k.bits, k.bytes);
            const pd_u32 is = pq_class(bins, cell);
            const pd_u32 tied = equal < skip ? 0u : equal - skip < take ? equal - skip : take;
            if ((is == 2u || (is == 1u && equal >= skip && equal - skip < take)) &&
                over + tied < state[PQ_WANTED])
                pq_take(space, lists, goal, k.list_wide, over + tied, base + i - first,
                        pq_cell_order(table, cell, k.bits));
            over += is == 2u ? 1u : 0u;
            equal += is == 1u ? 1u : 0u;
        }
    }
}

// What is looked for: nothing where the record has no search, where counts will not do, or where
// the launch before did it.
PD_FN void pq_cells_begin(PD_GPTR(const pd_u32) space, PD_LPTR(pd_u32) state,
                          const padic_k_pq_select_find_params k)
{
    const pd_u32 record = PD_GRP * PQ_RECORD, search = pq_candidates(space, PD_GRP);
    const pd_u32 coded = space[record + PQ_CODED];
    const pd_u32 usable = k.cells > 0u && coded == space[record + PQ_LENGTH] &&
                                  search >= 2u << 2u * k.bits && coded / 2u <= search
                              ? 1u
                              : 0u;
    const pd_u32 on = k.again > 0u ? space[record + PQ_LEFT] : usable;
    for (pd_u32 i = 0u; i < PQ_IN_ROW; i++) state[i] = 0u;
    state[PQ_IN_ROW] = space[record + PQ_ROW];
    state[PQ_IN_GROUP] = space[record + PQ_GROUP];
    state[PQ_BEGIN] = space[record + PQ_FIRST];
    state[PQ_END] = state[PQ_BEGIN] + (on > 0u ? search : 0u);
    if (on == 0u) state[PQ_BEGIN] = state[PQ_END] = 0u;
    state[PQ_KNOWN] = on > 0u ? coded : 0u;
    state[PQ_WANTED] = on > 0u && search > 0u ? space[record + PQ_K] : 0u;
}

// Whether the k-th is right; a query without a search has its list from the first launch.
PD_FN pd_u32 pq_cells_right(PD_GPTR(const pd_u32) space, PD_LPTR(const pd_u32) state,
                            const padic_k_pq_select_find_params k)
{
    if (pq_candidates(space, PD_GRP) == 0u) return 1u - k.again;
    if (state[PQ_WANTED] == 0u) return 0u;
    if (k.again > 0u) return 1u;
    return state[PQ_ALL_ABOVE] == state[PQ_ABOVE] && state[PQ_ALL_EQUAL] == state[PQ_EQUAL] &&
                   state[PQ_ABOVE] < state[PQ_WANTED] &&
                   state[PQ_EQUAL] >= state[PQ_WANTED] - state[PQ_ABOVE]
               ? 1u
               : 0u;
}

// A query a group. Where counts are not those of the codes its record says so, and the next launch,
// with k.again, counts all candidates instead, and writes over what this one did.
PD_KERNEL(padic_k_pq_select_cells)
(PD_BUF(pd_u32, space), PD_CBUF(pd_u32, codes), PD_CBUF(pd_u32, pages), PD_CBUF(pd_u32, counts),
 PD_BUF(pd_u32, lists), PD_BUF(pd_u32, lengths), PD_BUF(pd_u32, status),
 PD_PARAMS(padic_k_pq_select_find_params, k))
{
    PD_LOCAL pd_u32 bins[PQ_BINS];
    PD_LOCAL pd_u32 sums[PQ_SUMS];
    PD_LOCAL pd_u32 found[4];
    PD_LOCAL pd_u32 state[PQ_STATE];
    PD_LOCAL pd_f32 table[128];
    PD_LOCAL pd_u32 over[PD_WG];
    PD_LOCAL pd_u32 equal[PD_WG];
    PQ_LATE_BEGIN(padic_k_pq_select_find_params)
    for (pd_u32 i = PD_LID; i < 2u << k.bits; i += PQ_WG)
        table[i] = PD_AS_F32(space[k.tables_at + PD_GRP * (2u << k.bits) + i]);
    if (PD_LID == 0u) {
        pq_cells_begin(space, state, k);
        PQ_LATE_PUT
    }
    PD_BARRIER();
    pq_cells_find(bins, sums, found, state, table, codes, pages, counts, k);
    pq_cells_place(bins, sums, state, table, over, equal, codes, pages, k);
    if (PD_LID == 0u) {
        state[PQ_ACTIVE] = pq_cells_right(space, state, k);
        if (k.again == 0u) space[PD_GRP * PQ_RECORD + PQ_LEFT] = 1u - state[PQ_ACTIVE];
    }
    PD_BARRIER();
    if (state[PQ_WANTED] > 0u && state[PQ_ACTIVE] > 0u)
        pq_cells_take(bins, state, table, space, lists, codes, pages, k.first + PD_GRP,
                      over[PD_LID], equal[PD_LID], PQ_LATE);
    PD_BARRIER_ALL();
    pq_finish(space, lists, lengths, status, k.first + PD_GRP, PQ_LATE);
}
