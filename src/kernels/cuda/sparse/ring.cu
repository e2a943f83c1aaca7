// program: cuda_sparse_ring
// texts: ../../sparse/encode.cl place.cu keys.cu
// ring.cu: dense to CSR in one pass, for large matrices on chips with bulk copies. A group stays on
// its multiprocessor and processes tile after tile. Each of its working warps has a ring of buffers
// that bulk copies fill, and gathers the kept keys of the data that has arrived; it writes the
// gathered entries of a tile after gathering two more: by then one more warp has published the
// tile's count to the other groups, and another has summed the published counts. Warps only wait
// for these sums. The same bytes as padic_k_cuda_sparse_encode, for tests of the form (key & mask)
// != 0.
// arch: sm_90
// variant: PD_SPARSE_SIZE=1 PD_SPARSE_THREADS=704
// variant: PD_SPARSE_SIZE=2
// variant: PD_SPARSE_SIZE=8

#ifndef PD_SPARSE_THREADS
#define PD_SPARSE_THREADS 576 // 64 of them sum counts
#endif
#ifndef PD_SPARSE_STAGES
#define PD_SPARSE_STAGES 2 // buffers per warp
#endif
#ifndef PD_SPARSE_UNIT
#define PD_SPARSE_UNIT 2 // chunks in a warp's part of a tile
#endif
#ifndef PD_SPARSE_LATE
#define PD_SPARSE_LATE 2 // tiles gathered between gathering one and writing it
#endif
#ifndef PD_DYNAMIC_BYTES
#define PD_DYNAMIC_BYTES 231424 // of local memory
#endif

#define CSP_WORKERS (PD_SPARSE_THREADS / 32u - 2u)
#define CSP_KEYS_OF_CHUNK (CSP_CHUNK * CSP_EACH)
#define CSP_PART (PD_SPARSE_UNIT * CSP_KEYS_OF_CHUNK) // keys of a warp's part of a tile
#define CSP_TILE (CSP_WORKERS * CSP_PART)
#define CSP_SLOTS (PD_SPARSE_LATE + 1u)         // tiles gathered and not yet written
// Entries of its part that a warp has room for, in the remaining memory.
#define CSP_ROOM                                                                       \
    (PD_DYNAMIC_BYTES - 8192u - PD_SPARSE_STAGES * CSP_WORKERS * CSP_CHUNK * 16u - \
     CSP_WORKERS * CSP_KEYS_OF_CHUNK / 8u)
#define CSP_LIST (CSP_ROOM / (CSP_SLOTS * CSP_WORKERS * (2u + PD_SPARSE_SIZE)) / 16u * 16u)
// Steps whose tiles are known in advance.
#define CSP_AHEAD (PD_SPARSE_STAGES / PD_SPARSE_UNIT + PD_SPARSE_LATE + 2u)
#define CSP_NUMBERS 32u

// state: a word for the number of groups that have started, with CSP_SINGLY; one for those that are
// done; from word 8 on half a word per tile: CSP_OWN and its entries. It is 0 before, and after.
#define CSP_NEXT 4u
#define CSP_DONE 5u
#define CSP_STATUS 8u
#define CSP_SINGLY (1ull << 63) // tiles are taken one by one: some group did not start in time
#define CSP_OWN (1u << 31)

typedef struct {
    uint4 key[PD_SPARSE_STAGES][CSP_WORKERS][CSP_CHUNK];
    // Of a tile whose place is not yet known.
    sparse_key kept[CSP_SLOTS][CSP_WORKERS][CSP_LIST + 8u];
    pd_u16 at[CSP_SLOTS][CSP_WORKERS][CSP_LIST + 8u];    // their numbers in the warp's part
    pd_u32 bits[CSP_WORKERS][CSP_KEYS_OF_CHUNK / 32u];
    pd_u64 arrived[PD_SPARSE_STAGES][CSP_WORKERS]; // barriers: keys are here
    pd_u64 counted[CSP_SLOTS], told[CSP_SLOTS], known[CSP_SLOTS]; // every lane arrives
    csp_place place[CSP_SLOTS][CSP_WORKERS];
    pd_u64 start[CSP_SLOTS], begun; // a barrier: number[] is there
    pd_u32 count[CSP_SLOTS][CSP_WORKERS], before[CSP_SLOTS][CSP_WORKERS], all[CSP_SLOTS];
    pd_u32 number[CSP_NUMBERS]; // of the group's tiles
} csp_shared;

typedef char csp_fits[sizeof(csp_shared) <= PD_DYNAMIC_BYTES ? 1 : -1];

PD_FN void csp_barrier(pd_u64 *bar, pd_u32 count)
{
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(csp_address(bar)), "r"(count)
                 : "memory");
}

PD_FN void csp_arrive(pd_u64 *bar)
{
    asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(csp_address(bar)) : "memory");
}

PD_FN void csp_wait(pd_u64 *bar, pd_u32 parity)
{
    const pd_u32 at = csp_address(bar);
    pd_u32 there = 0u;
    while (!there)
        asm volatile("{\n\t.reg .pred p;\n\t"
                     "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2, 10000000;\n\t"
                     "selp.u32 %0, 1, 0, p;\n\t}"
                     : "=r"(there)
                     : "r"(at), "r"(parity)
                     : "memory");
}

// Starts the copy of a warp's keys of a whole tile to local memory; by one lane. Keys of a byte
// leave the cache first (5 % faster on an H200; those of 4 bytes gain 2 at density 0.01, lose 5 at
// 0.1).
PD_FN void csp_send_for(uint4 *to, const pd_u8 *from, pd_u64 *bar)
{
#if PD_SPARSE_SIZE == 1
    pd_u64 policy;
    asm("createpolicy.fractional.L2::evict_first.b64 %0;" : "=l"(policy));
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %3;\n\t"
                 "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.L2::cache_hint "
                 "[%1], [%2], %3, [%0], %4;" ::"r"(csp_address(bar)),
                 "r"(csp_address(to)), "l"(from), "r"(CSP_CHUNK * 16u), "l"(policy)
                 : "memory");
#else
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %3;\n\t"
                 "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
                 "[%1], [%2], %3, [%0];" ::"r"(csp_address(bar)),
                 "r"(csp_address(to)), "l"(from), "r"(CSP_CHUNK * 16u)
                 : "memory");
#endif
}

PD_FN uint4 csp_statuses(const pd_u32 *p)
{
    uint4 x;
    asm volatile("ld.relaxed.gpu.global.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(x.x), "=r"(x.y), "=r"(x.z), "=r"(x.w)
                 : "l"(p)
                 : "memory");
    return x;
}

PD_FN pd_u64 csp_begun(const pd_u64 *p)
{
    pd_u64 x;
    asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(x) : "l"(p) : "memory");
    return x;
}

PD_FN void csp_status_set(pd_u32 *p, pd_u32 x)
{
    asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" : : "l"(p), "r"(x) : "memory");
}

PD_FN pd_u32 csp_kept(sparse_key x, const padic_k_sparse_encode_params &k)
{
#if PD_SPARSE_SIZE == 8
    return (x & PD_U64(k.mask[0], k.mask[1])) ? 1u : 0u;
#else
    return (x & k.mask[0]) ? 1u : 0u;
#endif
}

// The set of kept keys in a warp's chunk in local memory. Keys outside of the matrix are 0 there.
PD_FN csp_mask csp_inspect(const uint4 *key, pd_u32 *bits, pd_u32 high,
                           const padic_k_sparse_encode_params &k)
{
    const pd_u32 lane = threadIdx.x & 31u;
    uint4 x[PD_SPARSE_VECTORS];
    csp_mask m;
    pd_u32 j;
#if PD_SPARSE_SIZE <= 2 // by rows of 32 vectors
#pragma unroll
    for (j = 0u; j < PD_SPARSE_VECTORS; j++) x[j] = key[32u * j + lane];
#pragma unroll
    for (j = 0u; j < PD_SPARSE_VECTORS; j++)
#if PD_SPARSE_SIZE == 1
        ((pd_u16 *)bits)[32u * j + lane] = (pd_u16)csp_bits(x[j], high, k);
#else
        ((pd_u8 *)bits)[32u * j + lane] = (pd_u8)csp_bits(x[j], high, k);
#endif
    __syncwarp();
#if PD_SPARSE_VECTORS * 16 / PD_SPARSE_SIZE == 128
    const uint4 w = ((const uint4 *)bits)[lane];
    m.word[0] = w.x, m.word[1] = w.y, m.word[2] = w.z, m.word[3] = w.w;
#elif PD_SPARSE_VECTORS * 16 / PD_SPARSE_SIZE == 64
    const uint2 w = ((const uint2 *)bits)[lane];
    m.word[0] = w.x, m.word[1] = w.y;
#elif PD_SPARSE_VECTORS * 16 / PD_SPARSE_SIZE == 32
    m.word[0] = bits[lane];
#else
    m.word[0] = ((const pd_u16 *)bits)[lane];
#endif
#else // a lane's neighbours, each lane starting with another one, against bank conflicts
    const pd_u32 turn = lane * PD_SPARSE_VECTORS / 8u;
    (void)bits;
    m.word[0] = 0u;
#pragma unroll
    for (j = 0u; j < PD_SPARSE_VECTORS; j++)
        x[j] = key[PD_SPARSE_VECTORS * lane + (j + turn) % PD_SPARSE_VECTORS];
#pragma unroll
    for (j = 0u; j < PD_SPARSE_VECTORS; j++)
        m.word[0] |= csp_bits(x[j], high, k) << ((j + turn) % PD_SPARSE_VECTORS * CSP_EACH);
#endif
    return m;
}

// Appends a chunk's kept keys to the list at `have`; first: the number of its first key. If they
// are few, each lane writes its own; if many, each lane writes one key at a time, for fewer bank
// conflicts.
PD_FN void csp_gather(pd_u16 *at, sparse_key *kept, const sparse_key *key, pd_u32 first,
                      const csp_mask &mask, pd_u32 have, pd_u32 count, pd_u32 before,
                      const padic_k_sparse_encode_params &k)
{
    const pd_u32 lane = threadIdx.x & 31u;
    pd_u32 j;
    if (count <= CSP_KEYS_OF_CHUNK / 4u) {
        pd_u16 *to = at + (have + before);
        sparse_key *keep = kept + (have + before);
#pragma unroll
        for (j = 0u; j < CSP_WORDS; j++) {
            const sparse_key *const own = key + lane * CSP_LANE + 32u * j;
            const pd_u32 number = first + lane * CSP_LANE + 32u * j;
            pd_u32 m = mask.word[j];
            while (m) {
                const pd_u32 b = (pd_u32)__ffs((int)m) - 1u;
                m &= m - 1u;
                *to++ = (pd_u16)(number + b);
                *keep++ = own[b];
            }
        }
        return;
    }
#pragma unroll 4
    for (j = lane; j < CSP_KEYS_OF_CHUNK; j += 32u) {
        const sparse_key x = key[j];
        const pd_u32 all = __ballot_sync(CSP_ALL, (int)csp_kept(x, k));
        if (csp_kept(x, k)) {
            const pd_u32 to = have + PD_POPCOUNT(all & ((1u << lane) - 1u));
            at[to] = (pd_u16)(first + j);
            kept[to] = x;
        }
        have += PD_POPCOUNT(all);
    }
}

// How many of n ascending numbers are below i.
PD_FN pd_u32 csp_below(const pd_u16 *at, pd_u32 n, pd_u32 i)
{
    pd_u32 from = 0u;
    while (from < n) {
        const pd_u32 middle = (from + n) / 2u;
        if (at[middle] < i)
            from = middle + 1u;
        else
            n = middle;
    }
    return from;
}

// row_ptr of the rows that start in the warp's part of the tile, whose first entry is `start`.
PD_FN void csp_rows(pd_u32 *row_ptr, const pd_u16 *at, pd_u32 n, pd_u64 start, const csp_place &p,
                    const padic_k_sparse_encode_params &k)
{
    const pd_u64 cols = PD_U64(k.cols_lo, k.cols_hi), rows = PD_U64(k.rows_lo, k.rows_hi);
    const pd_u32 lane = threadIdx.x & 31u;
    pd_u64 i = p.skip + (p.col ? cols - p.col : 0u), r = p.row + (p.col ? 1u : 0u) + lane;
    if (i >= CSP_PART || (lane && cols >= CSP_PART)) return;
    for (i += lane * cols; i < CSP_PART && r < rows; i += 32u * cols, r += 32u)
        csp_index_set(row_ptr, PD_U64(k.row_ptr_lo, k.row_ptr_hi) + r,
                      start + csp_below(at, n, (pd_u32)i), k.flags);
}

// The column of element i of a warp's part, of any width.
PD_FN pd_u64 csp_wide_column(pd_u32 i, const csp_place &p, const sparse_line &line,
                             const padic_k_sparse_encode_params &k)
{
    const pd_u64 cols = PD_U64(k.cols_lo, k.cols_hi), c = p.col + (i - p.skip);
    return cols < CSP_PART ? sparse_line_column(i, line) : c >= cols ? c - cols : c;
}

PD_FN void csp_entry(pd_u64 column, sparse_key x, pd_u64 to, pd_u32 *col, sparse_key *kept,
                     const padic_k_sparse_encode_params &k)
{
    csp_index_set(col, PD_U64(k.col_lo, k.col_hi) + to, column, k.flags);
    if (k.flags & SPARSE_KEYS) kept[PD_U64(k.kept_lo, k.kept_hi) + to] = x;
}

// n entries of a warp, from number `start` of the matrix on. Lane 0 has a multiple of 32, so that
// whole lines are written.
PD_FN void csp_entries(const pd_u16 *at, const sparse_key *key, pd_u32 n, pd_u32 *col,
                       sparse_key *kept, pd_u64 start, const csp_place &p,
                       const padic_k_sparse_encode_params &k)
{
    const pd_u64 room = PD_U64(k.room_lo, k.room_hi);
    const pd_u32 lane = threadIdx.x & 31u;
    const sparse_line line = sparse_line_of((pd_u32)p.col, p.skip, CSP_PART, k);
    pd_u32 j;
    if (start >= room) return;
    if (n > room - start) n = (pd_u32)(room - start);
    if ((k.flags & (SPARSE_WIDE | SPARSE_KEYS)) == SPARSE_KEYS) { // so there are under 2^31 columns
        pd_u32 *const to = col + (PD_U64(k.col_lo, k.col_hi) + start);
        sparse_key *const keys = kept + (PD_U64(k.kept_lo, k.kept_hi) + start);
        pd_u32 step = 32u;
        j = n <= 32u ? lane : (lane - (pd_u32)((pd_u64)to >> 2)) & 31u;
#if PD_SPARSE_SIZE == 1 // four at a time
        const pd_u32 odd = (0u - (pd_u32)((pd_u64)to >> 2)) & 3u, fours = (n - odd) & ~3u;
        if (n > 64u && ((pd_u64)(keys + odd) & 3u) == 0u) {
            for (j = 4u * lane; j < fours; j += 128u) {
                const uint2 a = *(const uint2 *)(const void *)(at + j);
                const uint2 b = *(const uint2 *)(const void *)(at + j + 4u * (odd > 0u));
                const pd_u32 x = *(const pd_u32 *)(const void *)(key + j);
                const pd_u32 y = *(const pd_u32 *)(const void *)(key + j + 4u * (odd > 0u));
                const pd_u32 u = odd & 2u ? a.y : a.x, v = odd & 2u ? b.x : a.y;
                const pd_u32 w = odd & 2u ? b.y : b.x, shift = 16u * (odd & 1u);
                const pd_u32 l = __funnelshift_r(u, v, shift), h = __funnelshift_r(v, w, shift);
                csp_four(to + odd + j, sparse_line_column(l & 0xffffu, line),
                         sparse_line_column(l >> 16, line), sparse_line_column(h & 0xffffu, line),
                         sparse_line_column(h >> 16, line));
                *(pd_u32 *)(void *)(keys + odd + j) = __funnelshift_r(x, y, 8u * odd);
            }
            j = lane < odd ? lane : lane >= 4u && lane < 8u ? odd + fours + lane - 4u : n;
            step = n;
        }
#pragma unroll 1
#else
#pragma unroll 4
#endif
        for (; j < n; j += step) {
            to[j] = sparse_line_column(at[j], line);
            keys[j] = key[j];
        }
    } else {
        for (j = lane; j < n; j += 32u)
            csp_entry(csp_wide_column(at[j], p, line, k), key[j], start + j, col, kept, k);
    }
}

// A warp's part of a tile that starts with element `first` and has more entries than the list: once
// more from its keys, each lane its own.
PD_FN void csp_again(const sparse_key *keys, pd_u64 first, pd_u64 start, pd_u32 *row_ptr,
                     pd_u32 *col, sparse_key *kept, const csp_place &p,
                     const padic_k_sparse_encode_params &k)
{
    const pd_u64 cols = PD_U64(k.cols_lo, k.cols_hi), room = PD_U64(k.room_lo, k.room_hi);
    const sparse_line line = sparse_line_of((pd_u32)p.col, p.skip, CSP_PART, k);
    pd_u32 i, j;
#pragma unroll 1
    for (i = (threadIdx.x & 31u) * 8u; i < CSP_PART; i += 256u) {
        const pd_u32 valid = csp_valid(first + i, 8u, k);
        pd_u32 mask = 0u, up_to;
        sparse_key x[8];
#pragma unroll
        for (j = 0u; j < 8u; j++) {
            x[j] = valid >> j & 1u ? keys[first + i + j] : 0u;
            mask |= csp_kept(x[j], k) << j;
        }
        up_to = csp_up_to(PD_POPCOUNT(mask));
        pd_u64 to = start + (up_to - PD_POPCOUNT(mask));
#pragma unroll
        for (j = 0u; j < 8u; j++) {
            const pd_u64 c = csp_wide_column(i + j, p, line, k);
            if (c == 0u && (valid >> j & 1u) && (k.flags & SPARSE_ROWS)) {
                const pd_u64 e = p.col + (i + j - p.skip);
                csp_index_set(row_ptr, PD_U64(k.row_ptr_lo, k.row_ptr_hi) + p.row +
                                           (cols < CSP_PART ? (pd_u32)e / k.cols_lo
                                            : e >= cols     ? 1u
                                                            : 0u),
                              to, k.flags);
            }
            if (!(mask >> j & 1u)) continue;
            if ((k.flags & SPARSE_FILL) && to < room) csp_entry(c, x[j], to, col, kept, k);
            to++;
        }
        start += __shfl_sync(CSP_ALL, up_to, 31);
    }
}

// 1 if `count` keys from element `first` on all belong to the matrix, so bulk copies can load them.
PD_FN pd_u32 csp_whole(pd_u64 first, pd_u32 count, const padic_k_sparse_encode_params &k)
{
    return first >= k.pad && first + count <= PD_U64(k.n_lo, k.n_hi) ? 1u : 0u;
}

// The next load of a warp: chunk u of its part of a tile.
typedef struct {
    pd_u64 first; // its first element
    pd_u32 step, u, whole;
} csp_ahead;

PD_FN csp_ahead csp_ahead_of(pd_u32 step, pd_u32 tile, const padic_k_sparse_encode_params &k)
{
    csp_ahead a;
    a.first = (pd_u64)tile * CSP_TILE + (threadIdx.x >> 5) * CSP_PART;
    a.step = step;
    a.u = 0u;
    a.whole = csp_whole(a.first, CSP_PART, k);
    return a;
}

PD_FN void csp_next(csp_shared *s, const sparse_key *keys, const csp_ahead &a, pd_u32 stage,
                    const padic_k_sparse_encode_params &k)
{
    const pd_u32 warp = threadIdx.x >> 5;
    if ((threadIdx.x & 31u) == 0u && (a.whole || csp_whole(a.first, CSP_KEYS_OF_CHUNK, k)))
        csp_send_for(s->key[stage][warp], (const pd_u8 *)(keys + a.first),
                     &s->arrived[stage][warp]);
}

// Waits for a chunk of a warp, or loads its existing keys; *came: the phases, one bit per stage.
PD_FN void csp_take(csp_shared *s, const pd_u8 *bytes, uint4 *chunk, pd_u64 first, pd_u32 whole,
                    pd_u32 stage, pd_u32 *came, const padic_k_sparse_encode_params &k)
{
    pd_u32 j;
    if (whole || csp_whole(first, CSP_KEYS_OF_CHUNK, k)) {
        csp_wait(&s->arrived[stage][threadIdx.x >> 5], *came >> stage & 1u);
        *came ^= 1u << stage;
    } else {
#pragma unroll 1
        for (j = threadIdx.x & 31u; j < CSP_CHUNK; j += 32u)
            chunk[j] = csp_load_part(bytes, first + j * CSP_EACH, k);
        asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
        __syncwarp();
    }
}

// Prefix sums of the lanes' counts up to each one, and (*all) the total.
PD_FN pd_u32 csp_counts(pd_u32 count, pd_u32 *all)
{
    pd_u32 up_to;
    if (!__any_sync(CSP_ALL, (int)(count > 3u))) { // few: by votes
        const pd_u32 odd = __ballot_sync(CSP_ALL, (int)(count & 1u));
        const pd_u32 two = __ballot_sync(CSP_ALL, (int)(count & 2u));
        const pd_u32 upto = CSP_ALL >> (31u - (threadIdx.x & 31u));
        *all = PD_POPCOUNT(odd) + 2u * PD_POPCOUNT(two);
        return PD_POPCOUNT(odd & upto) + 2u * PD_POPCOUNT(two & upto);
    }
    up_to = csp_up_to(count);
    *all = __shfl_sync(CSP_ALL, up_to, 31);
    return up_to;
}

// Requests the next chunk.
PD_FN void csp_go_on(csp_shared *s, csp_ahead *ahead, const padic_k_sparse_encode_params &k)
{
    if (++ahead->u == PD_SPARSE_UNIT)
        *ahead = csp_ahead_of(ahead->step + 1u, s->number[(ahead->step + 1u) % CSP_NUMBERS], k);
    else
        ahead->first += CSP_KEYS_OF_CHUNK;
}

// Writes the entries of a warp's part of tile `before`, in slot `late`, once their position is
// known.
PD_FN void csp_write(csp_shared *s, const sparse_key *keys, pd_u32 *row_ptr, pd_u32 *col,
                     sparse_key *kept, pd_u32 before, pd_u32 late, pd_u32 turn,
                     const padic_k_sparse_encode_params &k)
{
    const pd_u32 warp = threadIdx.x >> 5;
    csp_wait(&s->told[late], turn); // known implies it, in two steps
    csp_wait(&s->known[late], turn);
    const pd_u32 count = s->count[late][warp];
    const pd_u64 start = s->start[late] + s->before[late][warp];
    const csp_place p = s->place[late][warp];
    const pd_u16 *const at = s->at[late][warp];
    if (count > CSP_LIST) {
        csp_again(keys, (pd_u64)before * CSP_TILE + warp * CSP_PART, start, row_ptr, col, kept, p,
                  k);
    } else {
        if (k.flags & SPARSE_ROWS) csp_rows(row_ptr, at, count, start, p, k);
        if (k.flags & SPARSE_FILL)
            csp_entries(at, s->kept[late][warp], count, col, kept, start, p, k);
    }
    __syncwarp();
}

// A warp that gathers and writes.
PD_FN void csp_work(csp_shared *s, const sparse_key *keys, pd_u32 *row_ptr, pd_u32 *col,
                    sparse_key *kept, const padic_k_sparse_encode_params &k)
{
    const pd_u32 lane = threadIdx.x & 31u, warp = threadIdx.x >> 5;
    const pd_u8 *const bytes = (const pd_u8 *)keys - PD_U64(k.base_lo, k.base_hi);
    const pd_u32 high = PD_SPARSE_SIZE <= 2 && k.mask[0] >> (8 * PD_SPARSE_SIZE - 1) ? 1u : 0u;
    pd_u32 step, stage = 0u, came = 0u, u, j;
    pd_u32 slot = 0u, late = 0u, turn = 0u; // late: what is written
    csp_ahead ahead = csp_ahead_of(0u, s->number[0], k);
#pragma unroll 1
    for (u = 0u; u < PD_SPARSE_STAGES; u++) {
        csp_next(s, keys, ahead, u, k);
        if (u + 1u == PD_SPARSE_STAGES || ahead.u + 1u == PD_SPARSE_UNIT) csp_wait(&s->begun, 0u);
        csp_go_on(s, &ahead, k);
    }
    for (step = 0u;; step++) {
        const pd_u32 tile = s->number[step % CSP_NUMBERS];
        if (tile < k.tiles) {
            pd_u64 first = (pd_u64)tile * CSP_TILE + warp * CSP_PART;
            const pd_u32 whole = csp_whole(first, CSP_PART, k);
            pd_u32 have = 0u;
#pragma unroll 1
            for (u = 0u; u < PD_SPARSE_UNIT; u++, first += CSP_KEYS_OF_CHUNK) {
                uint4 *const chunk = s->key[stage][warp];
                csp_mask mask;
                pd_u32 count = 0u, up_to, all;
                csp_take(s, bytes, chunk, first, whole, stage, &came, k);
                mask = high ? csp_inspect(chunk, s->bits[warp], 1u, k)
                            : csp_inspect(chunk, s->bits[warp], 0u, k);
#pragma unroll
                for (j = 0u; j < CSP_WORDS; j++) count += PD_POPCOUNT(mask.word[j]);
                up_to = csp_counts(count, &all);
                if (have + all <= CSP_LIST)
                    csp_gather(s->at[slot][warp], s->kept[slot][warp], (const sparse_key *)chunk,
                               u * CSP_KEYS_OF_CHUNK, mask, have, all, up_to - count, k);
                have += all;
                __syncwarp();
                csp_next(s, keys, ahead, stage, k);
                csp_go_on(s, &ahead, k);
                if (++stage == PD_SPARSE_STAGES) stage = 0u;
            }
            if (lane == 0u) s->count[slot][warp] = have;
            csp_arrive(&s->counted[slot]);
        }
        if (++slot == CSP_SLOTS) slot = 0u;
        if (step < PD_SPARSE_LATE) continue;
        const pd_u32 before = s->number[(step - PD_SPARSE_LATE) % CSP_NUMBERS];
        if (before >= k.tiles) return;
        csp_write(s, keys, row_ptr, col, kept, before, late, turn, k);
        if (++late == CSP_SLOTS) late = 0u, turn ^= 1u;
    }
}

// The warp that publishes a tile's count to the other groups.
PD_FN void csp_tell(csp_shared *s, pd_u32 *status, const padic_k_sparse_encode_params &k)
{
    const pd_u32 lane = threadIdx.x & 31u;
    pd_u32 step, slot = 0u, turn = 0u;
    csp_wait(&s->begun, 0u);
    for (step = 0u;; step++) {
        const pd_u32 tile = s->number[step % CSP_NUMBERS];
        if (tile >= k.tiles) return;
        const csp_place place = csp_place_of((pd_u64)tile * CSP_TILE + lane * CSP_PART, k);
        csp_wait(&s->counted[slot], turn);
        if (step >= CSP_SLOTS) csp_wait(&s->known[slot], turn ^ 1u); // was all[slot] read?
        const pd_u32 count = lane < CSP_WORKERS ? s->count[slot][lane] : 0u;
        const pd_u32 up_to = csp_up_to(count);
        if (lane == 31u) {
            csp_status_set(status + tile, CSP_OWN | up_to);
            s->all[slot] = up_to;
        }
        if (lane < CSP_WORKERS) {
            s->before[slot][lane] = up_to - count;
            s->place[slot][lane] = place;
        }
        csp_arrive(&s->told[slot]);
        if (++slot == CSP_SLOTS) slot = 0u, turn ^= 1u;
    }
}

// The entries of tiles from..to - 1.
PD_FN pd_u64 csp_sum(const pd_u32 *status, pd_u32 from, pd_u32 to)
{
    pd_u64 sum = 0u;
    pd_u32 at = (from & ~3u) + 4u * (threadIdx.x & 31u), i;
    for (; at < to; at += 256u) { // two vectors at a time
        const pd_u32 more = at + 128u < to ? 128u : 0u;
        pd_u32 missing, own;
        do {
            const uint4 x = csp_statuses(status + at), y = csp_statuses(status + at + more);
            const pd_u32 w[8] = {x.x, x.y, x.z, x.w, y.x, y.y, y.z, y.w};
            missing = own = 0u;
#pragma unroll
            for (i = 0u; i < 8u; i++) {
                const pd_u32 t = at + i % 4u + i / 4u * 128u;
                if (t >= from && t < to) {
                    missing |= ~w[i] & CSP_OWN;
                    own += w[i] & ~CSP_OWN;
                }
            }
        } while (missing);
        sum += own;
    }
#pragma unroll
    for (i = 16u; i > 0u; i >>= 1) sum += __shfl_xor_sync(CSP_ALL, sum, (int)i);
    return sum;
}

// The warp that sums the published counts.
PD_FN void csp_add(csp_shared *s, pd_u64 *state, pd_u64 *total, pd_u32 *row_ptr, pd_u32 singly,
                   const padic_k_sparse_encode_params &k)
{
    const pd_u32 *const status = (const pd_u32 *)(state + CSP_STATUS);
    const pd_u32 lane = threadIdx.x & 31u;
    pd_u32 step, slot = 0u, turn = 0u, from = 0u;
    pd_u64 before = 0u;
    for (step = 0u;; step++) {
        const pd_u32 tile = s->number[step % CSP_NUMBERS];
        pd_u32 next = tile + CSP_AHEAD * gridDim.x;
        if (tile >= k.tiles) break;
        if (singly && lane == 0u) next = (pd_u32)atomicAdd(state + CSP_NEXT, 1ull);
        before += csp_sum(status, from, tile);
        csp_wait(&s->counted[slot], turn); // was start[slot] read?
        csp_wait(&s->told[slot], turn);
        if (lane == 0u) {
            s->start[slot] = before;
            s->number[(step + CSP_AHEAD) % CSP_NUMBERS] = next;
        }
        before += s->all[slot];
        csp_arrive(&s->known[slot]);
        if (lane == 0u && tile + 1u == k.tiles) {
            total[1] = before;
            if (k.flags & SPARSE_ROWS)
                csp_index_set(row_ptr,
                              PD_U64(k.row_ptr_lo, k.row_ptr_hi) + PD_U64(k.rows_lo, k.rows_hi),
                              before, k.flags);
        }
        from = tile + 1u;
        if (++slot == CSP_SLOTS) slot = 0u, turn ^= 1u;
    }
    pd_u32 last = 0u; // whether all groups have stopped reading and publishing
    if (lane == 0u) {
        __threadfence();
        last = atomicAdd(state + CSP_DONE, 1ull) + 1u == gridDim.x ? 1u : 0u;
        __threadfence();
    }
    if (!__shfl_sync(CSP_ALL, last, 0)) return;
    for (pd_u32 i = lane; i < (k.tiles + 1u) / 2u; i += 32u) state[CSP_STATUS + i] = 0u;
    if (lane == 0u) state[CSP_NEXT] = state[CSP_DONE] = 0u;
}

// Group g has tiles g, g + groups, ... if all groups have started; if one is late, each takes the
// next tile that no group has. So no group waits for one that does not run.
PD_FN pd_u32 csp_singly(pd_u64 *state, pd_u32 polls)
{
    pd_u64 *const next = state + CSP_NEXT;
    pd_u64 seen = csp_begun(next);
    for (pd_u32 i = 0u; i < polls && !(seen & CSP_SINGLY) && seen < gridDim.x; i++)
        seen = csp_begun(next);
    while (!(seen & CSP_SINGLY) && seen < gridDim.x) {
        const pd_u64 other = atomicCAS(next, seen, seen | CSP_SINGLY);
        if (other == seen) return 1u;
        seen = other;
    }
    return seen & CSP_SINGLY ? 1u : 0u;
}

PD_KERNEL_MIN(padic_k_cuda_sparse_ring_encode, PD_SPARSE_THREADS, 1)
(PD_CBUF(pd_u8, keys), PD_BUF(pd_u64, state), PD_BUF(pd_u32, row_ptr), PD_BUF(pd_u32, col),
 PD_BUF(sparse_key, kept), PD_CBUF(pd_u32, units), PD_BUF(pd_u32, value), PD_BUF(pd_u64, totals),
 PD_PARAMS(padic_k_sparse_encode_params, k))
{
    extern __shared__ __align__(128) pd_u8 csp_space[];
    csp_shared *const s = (csp_shared *)(void *)csp_space;
    const sparse_key *const first_key = (const sparse_key *)(keys + PD_U64(k.base_lo, k.base_hi));
    const pd_u32 warp = threadIdx.x >> 5;
    pd_u64 *const total = totals + PD_U64(k.total_lo, k.total_hi);
    pd_u32 singly = 0u, i;
    // Most likely this group processes this tile; if not, another one.
    if ((threadIdx.x & 31u) == 0u && warp < CSP_WORKERS &&
        (blockIdx.x + 1ull) * CSP_TILE <= PD_U64(k.n_lo, k.n_hi))
        asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(
                         first_key + ((pd_u64)blockIdx.x * CSP_TILE + warp * CSP_PART)),
                     "r"((pd_u32)(CSP_PART * sizeof(sparse_key)))
                     : "memory");
    if (threadIdx.x == PD_SPARSE_THREADS - 32u) {
        const pd_u32 tile = (pd_u32)atomicAdd(state + CSP_NEXT, 1ull);
        s->number[0] = tile;
        if (tile == 0u) total[0] = total[2] = total[3] = 0u;
    }
    for (i = threadIdx.x; i < PD_SPARSE_STAGES * CSP_WORKERS; i += PD_SPARSE_THREADS)
        csp_barrier(&s->arrived[0][0] + i, 1u);
    if (threadIdx.x == 0u) csp_barrier(&s->begun, 1u);
    if (threadIdx.x < CSP_SLOTS) {
        csp_barrier(s->counted + threadIdx.x, 32u * CSP_WORKERS);
        csp_barrier(s->told + threadIdx.x, 32u);
        csp_barrier(s->known + threadIdx.x, 32u);
    }
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    if (warp < CSP_WORKERS) {
        csp_work(s, first_key, row_ptr, col, kept, k);
    } else if (warp == CSP_WORKERS) {
        csp_tell(s, (pd_u32 *)(state + CSP_STATUS), k);
    } else {
        if (threadIdx.x == PD_SPARSE_THREADS - 32u) {
            singly = csp_singly(state, k.polls);
            for (i = 1u; i < CSP_AHEAD; i++)
                s->number[i] = singly ? (pd_u32)atomicAdd(state + CSP_NEXT, 1ull)
                                      : s->number[0] + i * gridDim.x;
            csp_arrive(&s->begun);
        }
        __syncwarp();
        csp_add(s, state, total, row_ptr, __shfl_sync(CSP_ALL, singly, 0), k);
    }
    (void)units;
    (void)value;
}
