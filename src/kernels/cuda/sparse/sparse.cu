// program: cuda_sparse
// texts: ../../sparse/encode.cl place.cu keys.cu
// sparse.cu: dense to CSR in one pass: every tile is read once, and gets the number of earlier
// entries from the earlier tiles (decoupled look-back: Merrill, Garland, Single-pass parallel
// prefix scan, 2016; here in two levels). A group takes the next free tile, so none waits for a
// group that has not started. The same bytes as padic_k_sparse_bits, _scan and _emit.
// arch: sm_75
// variant: PD_SPARSE_SIZE=1 PD_SPARSE_SIMPLE=1
// variant: PD_SPARSE_SIZE=1 PD_SPARSE_SIMPLE=1 PD_SPARSE_SHORT=1
// variant: PD_SPARSE_SIZE=1 PD_SPARSE_SIMPLE=1 PD_SPARSE_VECTORS=4
// variant: PD_SPARSE_SIZE=1
// variant: PD_SPARSE_SIZE=1 PD_SPARSE_REPORT=1
// variant: PD_SPARSE_SIZE=2 PD_SPARSE_SIMPLE=1
// variant: PD_SPARSE_SIZE=2 PD_SPARSE_REPORT=1
// variant: PD_SPARSE_SIZE=4 PD_SPARSE_SIMPLE=1
// variant: PD_SPARSE_SIZE=4 PD_SPARSE_SIMPLE=1 PD_SPARSE_VECTORS=4
// variant: PD_SPARSE_SIZE=4 PD_SPARSE_REPORT=1
// variant: PD_SPARSE_SIZE=4 PD_SPARSE_UNITS=2
// variant: PD_SPARSE_SIZE=8 PD_SPARSE_SIMPLE=1
// variant: PD_SPARSE_SIZE=8 PD_SPARSE_REPORT=1

#ifndef PD_SPARSE_SIMPLE
#define PD_SPARSE_SIMPLE 0 // 1: the test is (key & mask) != 0
#endif
#ifndef PD_SPARSE_REPORT
#define PD_SPARSE_REPORT 0
#endif
#ifndef PD_SPARSE_UNITS
#define PD_SPARSE_UNITS 0 // words of units to gather
#endif
#ifndef PD_SPARSE_THREADS
#define PD_SPARSE_THREADS 256
#endif
#ifndef PD_SPARSE_SHORT // 1: short lists, for many entries
#define PD_SPARSE_SHORT 0
#endif
#ifndef PD_SPARSE_BLOCKS // groups per multiprocessor to reserve registers for
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800
#define PD_SPARSE_BLOCKS (512 / PD_SPARSE_THREADS) // it has local memory for one
#elif PD_SPARSE_SIMPLE && (PD_SPARSE_SIZE > 1 || PD_SPARSE_SHORT) && defined(__CUDA_ARCH__) && \
    __CUDA_ARCH__ >= 900 && __CUDA_ARCH__ < 1200
#define PD_SPARSE_BLOCKS (1280 / PD_SPARSE_THREADS)
#else
#define PD_SPARSE_BLOCKS (1024 / PD_SPARSE_THREADS)
#endif
#endif
#ifndef PD_SPARSE_LOAD // how keys get to local memory: 0 by registers, 1 asynchronously, 2 in bulk
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900 && __CUDACC_VER_MAJOR__ >= 12
#define PD_SPARSE_LOAD 2
#elif defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
#define PD_SPARSE_LOAD 1
#else
#define PD_SPARSE_LOAD 0
#endif
#endif

#ifndef PD_SPARSE_AHEAD // 2: how many tiles ahead a group prefetches for the others
#define PD_SPARSE_AHEAD 200
#endif

#define CSP_THREADS ((pd_u32)PD_SPARSE_THREADS)
#define CSP_WARPS (CSP_THREADS / 32u)
#define CSP_VECTORS (CSP_WARPS * CSP_CHUNK) // of a tile
#define CSP_TILE (CSP_VECTORS * CSP_EACH)
#define CSP_KEYS_OF_WARP (CSP_CHUNK * CSP_EACH)
#define CSP_LIST (PD_SPARSE_SHORT ? 256u : 512u) // entries that a warp gathers at a time

// total: {0, entries, other, largest}. state: 8 words, a substitute for it if the caller has none,
// and for the next tile; a word per tile: CSP_OWN and its entries; a word for 32 tiles: their
// entries, and in the highest 16 bits how many have been added; a word for 32 tiles: CSP_UP_TO and
// the entries of all tiles up to them.
#define CSP_NEXT 4u
#define CSP_STATUS 8u
#define CSP_OWN (1ull << 62)
#define CSP_UP_TO (2ull << 62)
#define CSP_NUMBER ((1ull << 48) - 1ull)
#define CSP_ONE (1ull << 48)

PD_FN pd_u64 csp_status(const pd_u64 *p)
{
    pd_u64 x;
    asm volatile("ld.relaxed.gpu.global.u64 %0, [%1];" : "=l"(x) : "l"(p) : "memory");
    return x;
}

PD_FN void csp_status_set(pd_u64 *p, pd_u64 x)
{
    asm volatile("st.relaxed.gpu.global.u64 [%0], %1;" : : "l"(p), "l"(x) : "memory");
}

#if !PD_SPARSE_SIMPLE
#define CSP_TEST(x) \
    sparse_kept((x), SPARSE_INT(k.factor), SPARSE_INT(k.bias), SPARSE_INT(k.mask), \
                SPARSE_INT(k.limit))

#if PD_SPARSE_SIZE <= 2
// The kept keys of a word, in their highest bits.
PD_FN pd_u32 csp_test_word(pd_u32 x, const padic_k_sparse_encode_params &k)
{
#if PD_SPARSE_SIZE == 1 // bytes 0 and 2, 1 and 3 in halves of 16 bits: 255 * 255 + 255 < 2^16
    const pd_u32 bias = k.bias[0] * 0x10001u, mask = k.mask[0] * 0x10001u;
    const pd_u32 above = (255u - k.limit[0]) * 0x10001u;
    const pd_u32 e = (((x & 0x00ff00ffu) * k.factor[0] + bias) & mask) + above;
    const pd_u32 o = ((((x >> 8) & 0x00ff00ffu) * k.factor[0] + bias) & mask) + above;
    return ((e >> 1) & 0x00800080u) | ((o << 7) & 0x80008000u);
#else
    return CSP_TEST(x & 0xffffu) << 15 | CSP_TEST(x >> 16) << 31;
#endif
}
#endif

// A bit for every key of a vector.
PD_FN pd_u32 csp_test_bits(const uint4 x, const padic_k_sparse_encode_params &k)
{
#if PD_SPARSE_SIZE == 8
    return CSP_TEST(PD_U64(x.x, x.y)) | CSP_TEST(PD_U64(x.z, x.w)) << 1;
#elif PD_SPARSE_SIZE == 4
    return CSP_TEST(x.x) | CSP_TEST(x.y) << 1 | CSP_TEST(x.z) << 2 | CSP_TEST(x.w) << 3;
#else
    return csp_packed(csp_test_word(x.x, k), csp_test_word(x.y, k), csp_test_word(x.z, k),
                      csp_test_word(x.w, k));
#endif
}
#define CSP_BITS(x) ((void)high, csp_test_bits(x, k))
#else
#define CSP_BITS(x) csp_bits(x, high, k)
#endif

// The column of element i of the tile, below 2^32.
PD_FN pd_u32 csp_column(pd_u32 i, const csp_place &p, const padic_k_sparse_encode_params &k)
{
    const pd_u32 c = (pd_u32)p.col + (i - p.skip);
    if (k.cols_lo >= CSP_TILE) return c >= k.cols_lo ? c - k.cols_lo : c;
    return k.cols_lo > 1u ? c - __umulhi(c, k.magic) * k.cols_lo : 0u;
}

#if PD_SPARSE_REPORT
PD_FN void csp_report(sparse_key x, pd_u64 *largest, pd_u32 *others,
                      const padic_k_sparse_encode_params &k)
{
    sparse_int m = x & SPARSE_INT(k.other + 4);
    if ((k.flags & SPARSE_SIGNED) && (x >> (8 * PD_SPARSE_SIZE - 1) & 1u))
        m = (sparse_int)(sparse_key)(0u - m);
    if (m <= SPARSE_INT(k.most) && m > *largest) *largest = m;
    *others += sparse_kept(x, SPARSE_INT(k.other), SPARSE_INT(k.other + 2), SPARSE_INT(k.other + 4),
                        SPARSE_INT(k.other + 6));
}

#endif

// A tile's data; each warp has its own part, except for `sum`.
typedef struct {
    pd_u32 bits[CSP_TILE / 32u]; // of the kept keys
    pd_u16 before[CSP_TILE / 32u]; // entries of the warp before each word of bits
    pd_u16 list[CSP_WARPS][CSP_LIST + 32u];
} csp_tile;

typedef struct {
    uint4 key[CSP_VECTORS];
    csp_tile tile;
    pd_u32 sum[CSP_WARPS];
    pd_u64 arrived[CSP_WARPS];
    pd_u64 start;
    csp_place place;
    pd_u32 number;
} csp_shared;

PD_FN void csp_begin(csp_shared *shared)
{
#if PD_SPARSE_LOAD == 2
    if ((threadIdx.x & 31u) == 0u)
        asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;\n\t"
                     "fence.proxy.async.shared::cta;" ::"r"(
                         csp_address(shared->arrived + (threadIdx.x >> 5)))
                     : "memory");
#endif
    (void)shared;
}

// Starts the copy of all keys of a warp's part of a whole tile to local memory: lane l has vectors
// l, l + 32, ... (PD_SPARSE_LOAD 0, 1).
PD_FN void csp_send_for(csp_shared *shared, const sparse_key *tile)
{
    const pd_u8 *from = (const pd_u8 *)tile;
    const pd_u32 warp = threadIdx.x >> 5, lane = threadIdx.x & 31u;
    uint4 *const to = shared->key + warp * CSP_CHUNK;
    from += warp * CSP_CHUNK * 16u;
#if PD_SPARSE_LOAD == 2
    if (lane == 0u) {
        const pd_u32 bar = csp_address(shared->arrived + warp);
        asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %3;\n\t"
                     "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
                     "[%1], [%2], %3, [%0];" ::"r"(bar),
                     "r"(csp_address(to)), "l"(from), "r"(CSP_CHUNK * 16u)
                     : "memory");
    }
    __syncwarp();
#elif PD_SPARSE_LOAD == 1
#pragma unroll
    for (pd_u32 j = 0u; j < PD_SPARSE_VECTORS; j++)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(
                         csp_address(to + 32u * j + lane)),
                     "l"(from + (32u * j + lane) * 16u)
                     : "memory");
    asm volatile("cp.async.commit_group;" ::: "memory");
#else
    uint4 x[PD_SPARSE_VECTORS];
#pragma unroll
    for (pd_u32 j = 0u; j < PD_SPARSE_VECTORS; j++)
        asm volatile("ld.global.cs.v4.u32 {%0, %1, %2, %3}, [%4];"
                     : "=r"(x[j].x), "=r"(x[j].y), "=r"(x[j].z), "=r"(x[j].w)
                     : "l"(from + (32u * j + lane) * 16u));
#pragma unroll
    for (pd_u32 j = 0u; j < PD_SPARSE_VECTORS; j++) to[32u * j + lane] = x[j];
#endif
}

PD_FN void csp_receive(csp_shared *shared)
{
#if PD_SPARSE_LOAD == 2
    const pd_u32 bar =
        csp_address(shared->arrived + (threadIdx.x >> 5));
    pd_u32 there = 0u;
    while (!there)
        asm volatile("{\n\t.reg .pred p;\n\t"
                     "mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n\t"
                     "selp.u32 %0, 1, 0, p;\n\t}"
                     : "=r"(there)
                     : "r"(bar), "r"(0u)
                     : "memory");
#elif PD_SPARSE_LOAD == 1
    asm volatile("cp.async.wait_group 0;" ::: "memory");
    __syncwarp();
#else
    __syncwarp();
#endif
    (void)shared;
}

// The keys of a tile that is not whole, in the same way.
PD_FN void csp_load_tail(csp_shared *shared, const pd_u8 *keys, pd_u64 first,
                         const padic_k_sparse_encode_params &k)
{
#pragma unroll 1
    for (pd_u32 v = threadIdx.x; v < CSP_VECTORS; v += CSP_THREADS)
        shared->key[v] = csp_load_part(keys, first + (pd_u64)v * CSP_EACH, k);
    __syncthreads();
}

#if PD_SPARSE_REPORT
PD_FN void csp_report_vector(const uint4 x, pd_u32 valid, pd_u64 *largest, pd_u32 *others,
                             const padic_k_sparse_encode_params &k)
{
    const pd_u32 w[4] = {x.x, x.y, x.z, x.w};
#pragma unroll
    for (pd_u32 i = 0u; i < CSP_EACH; i++)
        if (valid >> i & 1u) {
#if PD_SPARSE_SIZE == 8
            const sparse_key key = PD_U64(w[2u * i], w[2u * i + 1u]);
#else
            const sparse_key key =
                (sparse_key)(w[i * PD_SPARSE_SIZE / 4u] >> (8u * (i * PD_SPARSE_SIZE % 4u)));
#endif
            csp_report(key, largest, others, k);
        }
}

PD_FN void csp_report_end(pd_u64 largest, pd_u32 others, pd_u64 *total)
{
    for (pd_u32 i = 16u; i > 0u; i >>= 1) {
        const pd_u64 other = __shfl_xor_sync(CSP_ALL, largest, (int)i);
        largest = other > largest ? other : largest;
        others += __shfl_xor_sync(CSP_ALL, others, (int)i);
    }
    if ((threadIdx.x & 31u) == 0u) {
        if (others) atomicAdd(total + 2, (pd_u64)others);
        if (largest) atomicMax(total + 3, largest);
    }
}
#endif

#if PD_SPARSE_REPORT
#define CSP_REPORT_VECTOR(x, v) \
    csp_report_vector(x, whole ? CSP_ALL : csp_valid(first + (v)*CSP_EACH, CSP_EACH, k), \
                      &largest, &others, k)
#else
#define CSP_REPORT_VECTOR(x, v) (void)0
#endif

// Tests the warp's keys of a tile that starts with element `first`; the bits go to local memory,
// too.
PD_FN csp_mask csp_inspect(csp_shared *shared, csp_tile *t, pd_u64 first, pd_u32 whole,
                           pd_u64 *total, pd_u32 high, const padic_k_sparse_encode_params &k)
{
    const pd_u32 l = threadIdx.x, warp = l >> 5, lane = l & 31u;
    const uint4 *const key = shared->key + warp * CSP_CHUNK;
    csp_mask m;
    pd_u32 j;
#if PD_SPARSE_REPORT
    pd_u64 largest = 0u;
    pd_u32 others = 0u;
#else
    (void)total;
#endif
#if PD_SPARSE_SIZE <= 2 // by rows of 32 vectors
#if PD_SPARSE_SIZE == 1
    pd_u16 *const bits = (pd_u16 *)t->bits + warp * CSP_CHUNK + lane;
#else
    pd_u8 *const bits = (pd_u8 *)t->bits + warp * CSP_CHUNK + lane;
#endif
#pragma unroll
    for (j = 0u; j < PD_SPARSE_VECTORS; j++) {
        const uint4 x = key[32u * j + lane];
        const pd_u32 b = CSP_BITS(x);
        CSP_REPORT_VECTOR(x, warp * CSP_CHUNK + 32u * j + lane);
#if PD_SPARSE_SIZE == 1
        bits[32u * j] = (pd_u16)b;
#else
        bits[32u * j] = (pd_u8)b;
#endif
    }
    __syncwarp();
#pragma unroll
    for (j = 0u; j < CSP_LANE / 32u; j++) m.word[j] = t->bits[l * (CSP_LANE / 32u) + j];
    if (!whole)
        for (j = 0u; j < CSP_LANE / 32u; j++) {
            m.word[j] &= csp_valid(first + (l * CSP_LANE + 32u * j), 32u, k);
            t->bits[l * (CSP_LANE / 32u) + j] = m.word[j];
        }
#else // a lane's neighbours, each lane starting with another one, against bank conflicts
    m.word[0] = 0u;
#pragma unroll
    for (j = 0u; j < PD_SPARSE_VECTORS; j++) {
        const pd_u32 v = (j + lane) % PD_SPARSE_VECTORS;
        const uint4 x = key[PD_SPARSE_VECTORS * lane + v];
        m.word[0] |= CSP_BITS(x) << (v * CSP_EACH);
        CSP_REPORT_VECTOR(x, PD_SPARSE_VECTORS * l + v);
    }
    if (!whole) m.word[0] &= csp_valid(first + l * CSP_LANE, CSP_LANE, k);
#if PD_SPARSE_SIZE * 8 / PD_SPARSE_VECTORS == 4 // 32 keys
    t->bits[l] = m.word[0];
#elif PD_SPARSE_SIZE * 8 / PD_SPARSE_VECTORS == 8
    ((pd_u16 *)t->bits)[l] = (pd_u16)m.word[0];
#else
    ((pd_u8 *)t->bits)[l] = (pd_u8)m.word[0];
#endif
    __syncwarp();
#endif
#if PD_SPARSE_REPORT
    csp_report_end(largest, others, total);
#endif
    return m;
}

PD_FN pd_u32 csp_add_all(pd_u32 x)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    return __reduce_add_sync(CSP_ALL, x);
#else
#pragma unroll
    for (pd_u32 i = 16u; i > 0u; i >>= 1) x += __shfl_xor_sync(CSP_ALL, x, (int)i);
    return x;
#endif
}

// Publishes the count of a tile for later tiles.
PD_FN void csp_tell(pd_u64 *state, pd_u32 tile, pd_u32 tiles, pd_u32 all)
{
    pd_u64 *const sums = state + CSP_STATUS + tiles + tile / 32u;
    csp_status_set(state + CSP_STATUS + tile, CSP_OWN | (pd_u64)all);
    asm volatile("red.relaxed.gpu.global.add.u64 [%0], %1;" ::"l"(sums), "l"(CSP_ONE + all)
                 : "memory");
}

// The words a warp reads to sum the entries of all earlier tiles: those of its own 32 one by one,
// those of 32 others as sums, or as sums of all up to them.
typedef struct {
    pd_u64 own, sum, up;
} csp_seen;

PD_FN csp_seen csp_ask(const pd_u64 *state, pd_u32 tile, pd_u32 tiles)
{
    const pd_u32 lane = threadIdx.x & 31u;
    const pd_u64 *const status = state + CSP_STATUS, *const sums = status + tiles;
    const int at = (int)(tile / 32u) - 1 - (int)lane;
    csp_seen seen;
    seen.own = lane < tile % 32u ? csp_status(status + (tile / 32u * 32u + lane)) : CSP_OWN;
    seen.sum = at >= 0 ? csp_status(sums + at) : 0u;
    seen.up = at >= 0 ? csp_status(sums + (tiles + 31u) / 32u + at) : CSP_UP_TO;
    return seen;
}

PD_FN pd_u64 csp_before(const pd_u64 *state, pd_u32 tile, pd_u32 tiles)
{
    csp_seen seen = csp_ask(state, tile, tiles);
    const pd_u32 lane = threadIdx.x & 31u;
    const pd_u64 *const status = state + CSP_STATUS, *const sums = status + tiles;
    const pd_u64 *const ups = sums + (tiles + 31u) / 32u;
    int at = (int)(tile / 32u) - 1 - (int)lane;
    pd_u64 before = 0u;
    for (;;) {
        pd_u32 known, full, below;
        for (;;) {
            known = __ballot_sync(CSP_ALL, seen.up != 0u);
            full = __ballot_sync(CSP_ALL, (seen.sum >> 48) == 32u);
            below = known ? (known & (0u - known)) - 1u : CSP_ALL; // lanes before the first known
            if ((full & below) == below && __all_sync(CSP_ALL, seen.own != 0u)) break;
            if (seen.own == 0u) seen.own = csp_status(status + (tile / 32u * 32u + lane));
            if (seen.up == 0u) {
                seen.up = csp_status(ups + at);
                seen.sum = csp_status(sums + at);
            }
        }
        before += csp_add_all((pd_u32)seen.own) +
                  (pd_u64)csp_add_all(below >> lane & 1u ? (pd_u32)seen.sum : 0u);
        if (known)
            return before + __shfl_sync(CSP_ALL, seen.up & CSP_NUMBER, __ffs((int)known) - 1);
        at -= 32;
        seen.own = CSP_OWN;
        seen.up = at >= 0 ? csp_status(ups + at) : CSP_UP_TO;
        seen.sum = at >= 0 ? csp_status(sums + at) : 0u;
    }
}

// row_ptr of the rows that start in the warp's part of the tile, whose first entry is `start`.
PD_FN void csp_rows(pd_u32 *row_ptr, const csp_tile *t, pd_u64 start, const csp_place &p,
                    const padic_k_sparse_encode_params &k)
{
    const pd_u64 cols = PD_U64(k.cols_lo, k.cols_hi), rows = PD_U64(k.rows_lo, k.rows_hi);
    const pd_u32 from = threadIdx.x / 32u * CSP_KEYS_OF_WARP, lane = threadIdx.x & 31u;
    pd_u64 r = p.row + (p.col ? 1u : 0u), i = p.skip + (p.col ? cols - p.col : 0u);
    if (i >= from + CSP_KEYS_OF_WARP) return;
    if (cols < CSP_TILE && (pd_u32)i < from) { // rows that start earlier
        const pd_u32 n = (from - (pd_u32)i + k.cols_lo - 1u) / k.cols_lo;
        r += n;
        i += n * k.cols_lo;
    }
    if (i < from || (lane && cols >= CSP_TILE)) return;
    r += lane;
    for (i += lane * cols; i < from + CSP_KEYS_OF_WARP && r < rows; i += 32u * cols, r += 32u) {
        const pd_u32 at = (pd_u32)i;
        const pd_u32 n =
            t->before[at / 32u] + PD_POPCOUNT(t->bits[at / 32u] & ((1u << at % 32u) - 1u));
        csp_index_set(row_ptr, PD_U64(k.row_ptr_lo, k.row_ptr_hi) + r, start + n, k.flags);
    }
}

// Tables of csp_rows and csp_list_part.
PD_FN void csp_words_before(csp_tile *t, const csp_mask &mask, pd_u32 rank)
{
#if CSP_LANE < 32
    (void)mask;
    if (threadIdx.x * CSP_LANE % 32u == 0u) t->before[threadIdx.x * CSP_LANE / 32u] = (pd_u16)rank;
#else
#pragma unroll
    for (pd_u32 j = 0u; j < CSP_WORDS; j++) {
        t->before[threadIdx.x * CSP_WORDS + j] = (pd_u16)rank;
        rank += PD_POPCOUNT(mask.word[j]);
    }
#endif
}

// Appends the elements (of the tile) of a lane's keys to the warp's list.
PD_FN void csp_list(pd_u16 *list, const csp_mask &mask, pd_u32 rank)
{
    pd_u16 *to = list + rank;
#pragma unroll
    for (pd_u32 j = 0u; j < CSP_WORDS; j++) {
        pd_u32 m = mask.word[j];
        while (m) {
            const pd_u32 b = (pd_u32)__ffs((int)m) - 1u;
            m &= m - 1u;
            *to++ = (pd_u16)(threadIdx.x * CSP_LANE + 32u * j + b);
        }
    }
}

#if CSP_KEYS_OF_WARP > CSP_LIST
// The same for as many neighbouring keys of the warp as the list has room for, from number `first`
// of the tile on: the list starts with entry `base` of the warp. Four keys of a lane at a time.
PD_FN void csp_list_part(const pd_u16 *list, pd_u32 base, const csp_tile *t, pd_u32 first)
{
    const pd_u32 lane = threadIdx.x & 31u, shift = lane % 8u * 4u;
    const pd_u32 to = csp_address(list) - 2u * base;
#pragma unroll
    for (pd_u32 u = 0u; u < CSP_LIST / 128u; u++) {
        const pd_u32 number = first + 128u * u + 4u * lane, w = t->bits[number / 32u];
        const pd_u32 four = w >> shift;
        pd_u32 at = to + 2u * (t->before[number / 32u] + PD_POPCOUNT(w & ((1u << shift) - 1u)));
#pragma unroll
        for (pd_u32 i = 0u; i < 4u; i++)
            asm volatile("{\n\t.reg .pred p;\n\t.reg .u32 x;\n\t.reg .u16 h;\n\t"
                         "and.b32 x, %1, %2;\n\tsetp.ne.u32 p, x, 0;\n\t"
                         "cvt.u16.u32 h, %3;\n\t"
                         "@p st.shared.u16 [%0], h;\n\t@p add.u32 %0, %0, 2;\n\t}"
                         : "+r"(at)
                         : "r"(four), "r"(1u << i), "r"(number + i)
                         : "memory");
    }
}
#endif

#if !PD_SPARSE_UNITS
// Constants to get columns, more than one, from an element's number in its tile.
typedef struct {
    pd_u32 add, cols, magic, limit; // magic 0: at most one row starts
} csp_line;

PD_FN pd_u32 csp_divided(pd_u32 c, const csp_line &line)
{
    return c - __umulhi(c, line.magic) * line.cols;
}

PD_FN pd_u32 csp_limited(pd_u32 c, const csp_line &line)
{
    return c >= line.limit ? c - line.cols : c;
}

// For a warp's part of a tile.
PD_FN csp_line csp_line_of(const csp_place &p, const padic_k_sparse_encode_params &k)
{
    const pd_u32 first = threadIdx.x / 32u * CSP_KEYS_OF_WARP;
    csp_line line;
    line.add = (pd_u32)p.col - p.skip;
    line.cols = k.cols_lo;
    line.magic = line.cols < CSP_TILE ? k.magic : 0u;
    line.limit = line.cols;
    if (line.cols >= CSP_KEYS_OF_WARP && first >= p.skip) {
        const pd_u32 c = first + line.add;
        const pd_u32 begin = line.magic ? csp_divided(c, line) : csp_limited(c, line);
        line.add = begin - first;
        line.magic = 0u;
        if (begin + CSP_KEYS_OF_WARP <= line.cols) line.limit = CSP_ALL;
    }
    return line;
}

PD_FN pd_u32 csp_column_of(pd_u32 i, const csp_line &line)
{
    const pd_u32 c = i + line.add;
    return line.magic ? csp_divided(c, line) : csp_limited(c, line);
}

// Four entries; a and b have the numbers of two each. Columns are aligned to 16 bytes, keys to 4
// keys or 16 bytes.
PD_FN void csp_write_four(pd_u32 a, pd_u32 b, const sparse_key *key, pd_u32 *to, sparse_key *keys,
                          const csp_line &line)
{
    const pd_u32 i[4] = {a & 0xffffu, a >> 16, b & 0xffffu, b >> 16};
    const pd_u32 c[4] = {i[0] + line.add, i[1] + line.add, i[2] + line.add, i[3] + line.add};
    if (line.limit == CSP_ALL)
        csp_four(to, c[0], c[1], c[2], c[3]);
    else if (!line.magic)
        csp_four(to, csp_limited(c[0], line), csp_limited(c[1], line), csp_limited(c[2], line),
                 csp_limited(c[3], line));
    else
        csp_four(to, csp_divided(c[0], line), csp_divided(c[1], line), csp_divided(c[2], line),
                 csp_divided(c[3], line));
#if PD_SPARSE_SIZE == 1
    *(pd_u32 *)(void *)keys = __byte_perm(__byte_perm(key[i[0]], key[i[1]], 0x0040),
                                          __byte_perm(key[i[2]], key[i[3]], 0x0040), 0x5410);
#elif PD_SPARSE_SIZE == 2
    *(uint2 *)(void *)keys = make_uint2(__byte_perm(key[i[0]], key[i[1]], 0x5410),
                                        __byte_perm(key[i[2]], key[i[3]], 0x5410));
#elif PD_SPARSE_SIZE == 4
    csp_four(keys, key[i[0]], key[i[1]], key[i[2]], key[i[3]]);
#else
    ((ulonglong2 *)(void *)keys)[0] = make_ulonglong2(key[i[0]], key[i[1]]);
    ((ulonglong2 *)(void *)keys)[1] = make_ulonglong2(key[i[2]], key[i[3]]);
#endif
}

// Entries from..to - 1 of a list, up to 32.
PD_FN void csp_write_few(const pd_u16 *list, pd_u32 from, pd_u32 end, const sparse_key *key,
                         pd_u32 *to, sparse_key *keys, const csp_line &line)
{
    const pd_u32 j = from + (threadIdx.x & 31u);
    if (j >= end) return;
    to[j] = csp_column_of(list[j], line);
    keys[j] = key[list[j]];
}
#endif

#if !PD_SPARSE_UNITS
// 1 if four keys can be written at once there.
PD_FN pd_u32 csp_keys_fit(const sparse_key *keys)
{
    return ((pd_u64)keys & (4u * PD_SPARSE_SIZE - 1u) & 15u) == 0u ? 1u : 0u;
}

#if CSP_KEYS_OF_WARP > CSP_LIST
// All entries of a warp's part of a tile, many of them, list by list. An incomplete line starts the
// next list.
PD_FN void csp_lists(pd_u16 *list, const csp_tile *t, pd_u32 count, const sparse_key *key,
                     pd_u32 *to,
                     sparse_key *keys, const csp_place &p, const padic_k_sparse_encode_params &k)
{
    const csp_line line = csp_line_of(p, k);
    const pd_u32 lane = threadIdx.x & 31u, lead = (pd_u32)((pd_u64)to >> 2) & 31u;
    const pd_u32 first = threadIdx.x / 32u * CSP_KEYS_OF_WARP;
    pd_u32 i, j, base = 0u - lead, skip = lead; // base: entry number of the list's first
    to -= lead;
    keys -= lead;
#pragma unroll 1
    for (i = 0u; i < CSP_KEYS_OF_WARP; i += CSP_LIST) {
        const pd_u32 end = i + CSP_LIST < CSP_KEYS_OF_WARP
                               ? t->before[(first + i + CSP_LIST) / 32u]
                               : count;
        const pd_u32 have = end - base, all = have & ~31u;
        csp_list_part(list, base, t, first + i);
        __syncwarp();
        if (!all) continue;
        if (skip) csp_write_few(list, skip, 32u, key, to, keys, line);
#pragma unroll 2
        for (j = 4u * lane + (skip ? 32u : 0u); j < all; j += 128u) {
            const uint2 a = *(const uint2 *)(const void *)(list + j);
            csp_write_four(a.x, a.y, key, to + j, keys + j, line);
        }
        const pd_u16 rest = list[all + lane];
        __syncwarp();
        if (lane < have - all) list[lane] = rest;
        skip = 0u;
        base += all;
        to += all;
        keys += all;
    }
    __syncwarp();
    csp_write_few(list, skip, count - base, key, to, keys, line);
}
#endif
#endif

// n entries of a warp, from number `start` of the matrix on, whose elements are in the list. Lane 0
// has a multiple of 32, so that whole lines are written.
PD_FN void csp_entries(const pd_u16 *list, pd_u32 n, const sparse_key *key, pd_u32 *col,
                       sparse_key *kept, const pd_u32 *units, pd_u32 *value, pd_u64 first,
                       pd_u64 start, const csp_place &p, const padic_k_sparse_encode_params &k)
{
    const pd_u64 room = PD_U64(k.room_lo, k.room_hi), cols = PD_U64(k.cols_lo, k.cols_hi);
    const pd_u64 col_at = PD_U64(k.col_lo, k.col_hi) + start;
    const pd_u32 begin = (threadIdx.x - (pd_u32)col_at) & 31u;
    pd_u32 j;
    if (start >= room) return;
    if (n > room - start) n = (pd_u32)(room - start);
    if ((k.flags & (SPARSE_WIDE | SPARSE_KEYS)) == SPARSE_KEYS) { // so there are under 2^31 columns
        pd_u32 *const to = col + col_at;
        sparse_key *const keys = kept + (PD_U64(k.kept_lo, k.kept_hi) + start);
#if !PD_SPARSE_UNITS
        const pd_u32 head = (0u - (pd_u32)((pd_u64)to >> 2)) & 31u; // up to a line
        if (n > 64u && cols > 1u && csp_keys_fit(keys + head)) {
            const csp_line line = csp_line_of(p, k);
            const pd_u32 odd = head & 3u, more = odd ? 4u : 0u, shift = 16u * (odd & 1u);
            const pd_u32 all = (n - head) & ~3u;
            const pd_u16 *const from = list + (head - odd);
            csp_write_few(list, 0u, head, key, to, keys, line);
            for (j = 4u * (threadIdx.x & 31u); j < all; j += 128u) {
                const uint2 a = *(const uint2 *)(const void *)(from + j);
                const uint2 b = *(const uint2 *)(const void *)(from + j + more);
                const pd_u32 u = odd & 2u ? a.y : a.x, v = odd & 2u ? b.x : a.y;
                const pd_u32 w = odd & 2u ? b.y : b.x;
                csp_write_four(__funnelshift_r(u, v, shift), __funnelshift_r(v, w, shift), key,
                               to + head + j, keys + head + j, line);
            }
            csp_write_few(list, head + all, n, key, to, keys, line);
            return;
        }
#endif
#pragma unroll 2
        for (j = begin; j < n; j += 32u) {
            const pd_u32 i = list[j];
            to[j] = csp_column(i, p, k);
            keys[j] = key[i];
        }
    } else {
        for (j = begin; j < n; j += 32u) {
            const pd_u64 c = p.col + (list[j] - p.skip);
            csp_index_set(col, col_at + j,
                          cols < CSP_TILE ? csp_column(list[j], p, k) : c >= cols ? c - cols : c,
                          k.flags);
            if (k.flags & SPARSE_KEYS)
                kept[PD_U64(k.kept_lo, k.kept_hi) + start + j] = key[list[j]];
        }
    }
#if PD_SPARSE_UNITS
    for (j = begin; j < n; j += 32u) {
        const pd_u64 from = PD_U64(k.unit_lo, k.unit_hi) + (first + list[j] - k.pad) *
                            PD_SPARSE_UNITS;
        const pd_u64 at = PD_U64(k.value_lo, k.value_hi) + (start + j) * PD_SPARSE_UNITS;
        value[at] = units[from];
        if (PD_SPARSE_UNITS > 1) value[at + 1u] = units[from + 1u];
    }
#else
    (void)units;
    (void)value;
    (void)first;
#endif
}

// Values that follow from the number of entries before a tile, computed by one thread.
PD_FN void csp_start(csp_shared *shared, pd_u64 *state, pd_u64 *total, pd_u32 *row_ptr, pd_u32 tile,
                     pd_u64 start, pd_u32 all, const padic_k_sparse_encode_params &k)
{
    const pd_u64 end = start + all;
    shared->start = start;
    if (tile % 32u == 31u)
        csp_status_set(state + CSP_STATUS + k.tiles + (k.tiles + 31u) / 32u + tile / 32u,
                       CSP_UP_TO | end);
    if (tile + 1u < k.tiles) return;
    total[1] = end;
    if (k.flags & SPARSE_ROWS)
        csp_index_set(row_ptr, PD_U64(k.row_ptr_lo, k.row_ptr_hi) + PD_U64(k.rows_lo, k.rows_hi),
                      end, k.flags);
}

// A warp's part of a tile: `count` entries from number `start` on.
PD_FN void csp_write(csp_tile *t, pd_u32 tile, pd_u32 count, pd_u64 start, const csp_place p,
                     const sparse_key *key, pd_u32 *row_ptr, pd_u32 *col, sparse_key *kept,
                     const pd_u32 *units, pd_u32 *value,
                     const padic_k_sparse_encode_params &k)
{
    const pd_u32 warp = threadIdx.x >> 5;
    const pd_u64 first = (pd_u64)tile * CSP_TILE;
    pd_u16 *const list = t->list[warp];
    if (k.flags & SPARSE_ROWS) csp_rows(row_ptr, t, start, p, k);
    if (!(k.flags & SPARSE_FILL)) return;
    if (count <= CSP_LIST) {
        csp_entries(list, count, key, col, kept, units, value, first, start, p, k);
        return;
    }
#if CSP_KEYS_OF_WARP > CSP_LIST
#if !PD_SPARSE_UNITS
    pd_u32 *const to = col + (PD_U64(k.col_lo, k.col_hi) + start);
    sparse_key *const keys = kept + (PD_U64(k.kept_lo, k.kept_hi) + start);
    if ((k.flags & (SPARSE_WIDE | SPARSE_KEYS)) == SPARSE_KEYS && k.cols_lo > 1u &&
        start + count <= PD_U64(k.room_lo, k.room_hi) &&
        csp_keys_fit(keys - ((pd_u32)((pd_u64)to >> 2) & 31u))) {
        csp_lists(list, t, count, key, to, keys, p, k);
        return;
    }
#endif
    const pd_u32 end = (warp + 1u) * CSP_KEYS_OF_WARP;
#pragma unroll 1
    for (pd_u32 i = end - CSP_KEYS_OF_WARP; i < end; i += CSP_LIST) {
        const pd_u32 from = t->before[i / 32u];
        const pd_u32 n = (i + CSP_LIST < end ? t->before[(i + CSP_LIST) / 32u] : count) - from;
        csp_list_part(list, from, t, i);
        __syncwarp();
        csp_entries(list, n, key, col, kept, units, value, first, start, p, k);
        __syncwarp();
        start += n;
    }
#endif
}

PD_KERNEL_MIN(padic_k_cuda_sparse_encode, PD_SPARSE_THREADS, PD_SPARSE_BLOCKS)
(PD_CBUF(pd_u8, keys), PD_BUF(pd_u64, state), PD_BUF(pd_u32, row_ptr), PD_BUF(pd_u32, col),
 PD_BUF(sparse_key, kept), PD_CBUF(pd_u32, units), PD_BUF(pd_u32, value), PD_BUF(pd_u64, totals),
 PD_PARAMS(padic_k_sparse_encode_params, k))
{
    __shared__ __align__(128) csp_shared shared;
    const pd_u32 l = threadIdx.x, lane = l & 31u, warp = l >> 5;
    const sparse_key *const first_key = (const sparse_key *)(keys + PD_U64(k.base_lo, k.base_hi));
    pd_u64 *const total = totals + PD_U64(k.total_lo, k.total_hi);
    csp_tile *const t = &shared.tile;
    pd_u32 rank, count = 0u, j;
    csp_mask mask;
    csp_begin(&shared);
    if (l == 0u) {
        shared.number = (pd_u32)atomicAdd(state + CSP_NEXT, 1ull);
        if (shared.number == 0u) {
            total[0] = 0u;
            if (!PD_SPARSE_REPORT) total[2] = total[3] = 0u;
        }
    }
    __syncthreads();
    const pd_u32 tile = shared.number;
    const pd_u64 first = (pd_u64)tile * CSP_TILE;
    const pd_u32 whole =
        (tile || !k.pad) && tile < (pd_u32)(PD_U64(k.n_lo, k.n_hi) / CSP_TILE) ? 1u : 0u;
    if (whole) csp_send_for(&shared, first_key + first);
#if PD_SPARSE_LOAD == 2 && PD_SPARSE_AHEAD
    if (lane == 0u && (pd_u64)(tile + PD_SPARSE_AHEAD + 1ull) * CSP_TILE <= PD_U64(k.n_lo, k.n_hi))
        asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(
                         (const pd_u8 *)(first_key + first) +
                         PD_SPARSE_AHEAD * sizeof shared.key + warp * CSP_CHUNK * 16u),
                     "r"(CSP_CHUNK * 16u)
                     : "memory");
#endif
    if (l == CSP_THREADS - 1u) shared.place = csp_place_of(first, k);
    if (whole)
        csp_receive(&shared);
    else
        csp_load_tail(&shared, keys, first, k);
#if PD_SPARSE_SIMPLE && PD_SPARSE_SIZE <= 2
    if (k.mask[0] >> (8 * PD_SPARSE_SIZE - 1))
        mask = csp_inspect(&shared, t, first, whole, total, 1u, k);
    else
#endif
        mask = csp_inspect(&shared, t, first, whole, total, 0u, k);
#pragma unroll
    for (j = 0u; j < CSP_WORDS; j++) count += PD_POPCOUNT(mask.word[j]);
    rank = csp_up_to(count);
    if (lane == 31u) shared.sum[warp] = rank;
    rank -= count;
    csp_words_before(t, mask, rank);
    __syncthreads();
    const pd_u32 sum = lane < CSP_WARPS ? shared.sum[lane] : 0u, all = csp_add_all(sum);
    const pd_u32 before = csp_add_all(lane < warp ? sum : 0u);
    count = __shfl_sync(CSP_ALL, sum, (int)warp); // of the warp
    if (l == 0u) csp_tell(state, tile, k.tiles, all);
    if ((k.flags & SPARSE_FILL) && count <= CSP_LIST) csp_list(t->list[warp], mask, rank);
    if (warp == 0u) {
        const pd_u64 start = csp_before(state, tile, k.tiles);
        if (lane == 0u) csp_start(&shared, state, total, row_ptr, tile, start, all, k);
    }
    __syncthreads();
    csp_write(t, tile, count, shared.start + before, shared.place, (const sparse_key *)shared.key,
              row_ptr, col, kept, units, value, k);
}
