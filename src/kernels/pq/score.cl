// score.cl: scores of keys from tables.

#ifndef PD_PQ_TABLE
#define PD_PQ_TABLE 1024 // numbers of tables that fit into local memory
#endif
#define PQ_AHEAD 4u // codes of a key that are read before their numbers are added
#define PQ_WORDS 8u // words of codes that are on their way

// Tables of a list's heads: in local memory where they fit, else in `space` from `at` on.
typedef struct {
    pd_u32 at, each, bits, held; // each: numbers of a head's
} pq_tables;

PD_FN pq_tables pq_tables_of(pd_u32 at, pd_u32 own, pd_u32 share, pd_u32 m, pd_u32 bits)
{
    pq_tables t;
    t.bits = bits;
    t.each = m << bits;
    t.at = at + own * share * t.each;
    t.held = share * t.each <= (pd_u32)PD_PQ_TABLE ? 1u : 0u;
    return t;
}

PD_FN void pq_hold(PD_GPTR(const pd_u32) space, PD_LPTR(pd_f32) table, const pq_tables t,
                   pd_u32 share)
{
    for (pd_u32 i = PD_LID; t.held > 0u && i < share * t.each; i += PQ_WG)
        table[i] = PD_AS_F32(space[t.at + i]);
}

// The table of one head, of which several numbers are on their way.
PD_FN void pq_hold_one(PD_GPTR(const pd_u32) space, PD_LPTR(pd_f32) table, const pq_tables t)
{
    const pd_u32 all = t.held > 0u ? t.each : 0u;
    for (pd_u32 i = PD_LID; i < all; i += PQ_WORDS * PQ_WG) {
        pd_u32 x[PQ_WORDS];
        for (pd_u32 n = 0u; n < PQ_WORDS; n++)
            x[n] = space[t.at + (i + n * PQ_WG < all ? i + n * PQ_WG : i)];
        for (pd_u32 n = 0u; n < PQ_WORDS; n++)
            if (i + n * PQ_WG < all) table[i + n * PQ_WG] = PD_AS_F32(x[n]);
    }
}

// The score of key i of a tile by one of the heads.
PD_FN pd_f32 pq_score(PD_GPTR(const pd_u32) space, PD_LPTR(const pd_f32) table, const pq_tables t,
                      pd_u32 head, PD_GPTR(const pd_u32) codes, pd_u64 tile, pd_u32 i,
                      const pq_store s)
{
    const pd_u32 first = head * t.each;
    pd_f32 sum = 0.0f, x[PQ_AHEAD];
    for (pd_u32 j = 0u; j < s.m; j += PQ_AHEAD) {
        for (pd_u32 n = 0u; n < PQ_AHEAD; n++) {
            const pd_u32 own = j + n < s.m ? j + n : j;
            const pd_u32 code = first + (own << t.bits) +
                                pq_code(codes, tile, own, i, t.bits, s.bytes);
            x[n] = t.held > 0u ? table[code] : PD_AS_F32(space[t.at + code]);
        }
        for (pd_u32 n = 0u; n < PQ_AHEAD; n++) {
            if (j + n == 0u) sum = x[n];
            else if (j + n < s.m) sum = sum + x[n];
        }
    }
    return sum;
}

// Four keys of a tile, whose codes are in the bytes of words: where those of sub-vector 0 are, in
// words; of packed codes a second word has the upper bits.
typedef struct {
    pd_u64 at, high_at;
    pd_u32 step, shift, mask, high_shift, high_mask, m;
} pq_unit;

// Keys i to i + 3 of a tile of codes of at most a byte, which begins at a word.
PD_FN pq_unit pq_unit_of(pd_u64 tile, pd_u32 i, pd_u32 bits, const pq_store s)
{
    const pd_u32 q = i / 4u, mask = (1u << bits) - 1u;
    pq_unit u;
    u.m = s.m;
    u.step = s.bytes / 4u;
    u.at = tile / 4u + (s.bytes == PQ_TILE ? q : q & 7u);
    u.shift = s.bytes == PQ_TILE ? 0u : q / 8u * 4u;
    u.mask = (s.bytes == PQ_TILE ? mask : mask & 15u) * 0x01010101u;
    u.high_at = tile / 4u + 8u + (q & 3u);
    u.high_shift = q / 4u * 2u;
    u.high_mask = s.bytes == 48u ? (mask >> 4) * 0x01010101u : 0u;
    return u;
}

// Codes of these in the sub-vectors from j on; beyond the last its own again.
typedef struct {
    pd_u32 x[PQ_WORDS];
} pq_words;

PD_FN pq_words pq_words_of(PD_GPTR(const pd_u32) codes, const pq_unit u, pd_u32 j)
{
    pq_words w;
    w.x[0] = 0u;
    for (pd_u32 n = 0u; n < PQ_WORDS; n++) {
        const pd_u32 own = j + n < u.m ? j + n : u.m - 1u;
        w.x[n] = codes[u.at + own * u.step] >> u.shift & u.mask;
        if (u.high_mask > 0u)
            w.x[n] |= (codes[u.high_at + own * u.step] >> u.high_shift & u.high_mask) << 4;
    }
    return w;
}

typedef struct {
    pd_f32 x[4];
} pq_four;

// The scores of four keys by one head, whose table is in local memory. Codes of the next
// sub-vectors are on their way while these are looked up.
PD_FN pq_four pq_score_four(PD_LPTR(const pd_f32) table, pd_u32 bits,
                            PD_GPTR(const pd_u32) codes, const pq_unit u)
{
    pq_words w = pq_words_of(codes, u, 0u);
    pq_four sum;
    sum.x[0] = sum.x[1] = sum.x[2] = sum.x[3] = 0.0f;
    for (pd_u32 j = 0u; j < u.m; j += PQ_WORDS) {
        const pq_words next = pq_words_of(codes, u, j + PQ_WORDS);
        for (pd_u32 n = 0u; n < PQ_WORDS; n++)
            if (j + n < u.m)
                for (pd_u32 b = 0u; b < 4u; b++)
                    sum.x[b] = sum.x[b] + table[((j + n) << bits) + (w.x[n] >> 8u * b & 255u)];
        w = next;
    }
    return sum;
}

// Four words from a multiple of four on.
#if PD_HAS_WARPS
#define PQ_PUT_FOUR(p, at, y)                                           \
    PD_STORE_PAIR((PD_GPTR(pd_u64))(void *)((p) + (at)),                \
                  PD_U64((y)[0], (y)[1]), PD_U64((y)[2], (y)[3]))
#else
#define PQ_PUT_FOUR(p, at, y) \
    for (pd_u32 put = 0u; put < 4u; put++) (p)[(at) + put] = (y)[put]
#endif

// Candidates of a query whose scores count.
PD_FN pd_u32 pq_candidates(PD_GPTR(const pd_u32) space, pd_u32 own)
{
    return space[own * PQ_RECORD + PQ_KIND] == PQ_SEARCH ? space[own * PQ_RECORD + PQ_COUNT] : 0u;
}
