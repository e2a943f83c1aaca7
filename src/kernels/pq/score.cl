// score.cl: scores of keys from tables.

#ifndef PD_PQ_TABLE
#define PD_PQ_TABLE 1024 // numbers of tables that fit into local memory
#endif
#define PQ_AHEAD 4u // codes of a key that are read before their numbers are added

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

// Candidates of a query whose scores count.
PD_FN pd_u32 pq_candidates(PD_GPTR(const pd_u32) space, pd_u32 own)
{
    return space[own * PQ_RECORD + PQ_KIND] == PQ_SEARCH ? space[own * PQ_RECORD + PQ_COUNT] : 0u;
}
