// cuda/sparse.cu: dense to CSR in one pass: every tile is read once, and learns what was kept
// before it from those before it (decoupled look-back: Merrill, Garland, Single-pass parallel
// prefix scan, 2016). Groups wait for groups with a lower number, so these must run: they do on
// NVIDIA's devices, and a limit on the waiting ends it where they do not. The same bytes as
// padic_k_sparse_bits, _scan and _emit.
// arch: sm_75
// variant: PD_SPARSE_SIZE=1 PD_SPARSE_SIMPLE=1
// variant: PD_SPARSE_SIZE=1 PD_SPARSE_SIMPLE=1 PD_SPARSE_LATER=1
// variant: PD_SPARSE_SIZE=2 PD_SPARSE_SIMPLE=1 PD_SPARSE_LATER=1
// variant: PD_SPARSE_SIZE=4 PD_SPARSE_SIMPLE=1 PD_SPARSE_LATER=1
// variant: PD_SPARSE_SIZE=8 PD_SPARSE_SIMPLE=1 PD_SPARSE_LATER=1
// variant: PD_SPARSE_SIZE=1
// variant: PD_SPARSE_SIZE=1 PD_SPARSE_REPORT=1
// variant: PD_SPARSE_SIZE=2 PD_SPARSE_SIMPLE=1
// variant: PD_SPARSE_SIZE=2 PD_SPARSE_REPORT=1
// variant: PD_SPARSE_SIZE=4 PD_SPARSE_SIMPLE=1
// variant: PD_SPARSE_SIZE=4 PD_SPARSE_REPORT=1
// variant: PD_SPARSE_SIZE=4 PD_SPARSE_UNITS=2
// variant: PD_SPARSE_SIZE=8 PD_SPARSE_SIMPLE=1
// variant: PD_SPARSE_SIZE=8 PD_SPARSE_REPORT=1

#ifndef PD_SPARSE_SIZE
#define PD_SPARSE_SIZE 4 // bytes of a key
#endif
#ifndef PD_SPARSE_SIMPLE
#define PD_SPARSE_SIMPLE 0 // 1: the test is (key & mask) != 0
#endif
#ifndef PD_SPARSE_REPORT
#define PD_SPARSE_REPORT 0
#endif
#ifndef PD_SPARSE_UNITS
#define PD_SPARSE_UNITS 0 // words of units to be gathered
#endif
#ifndef PD_SPARSE_VECTORS
#define PD_SPARSE_VECTORS 4 // loads of 16 bytes a thread has in flight
#endif
#ifndef PD_SPARSE_WINDOWS
#define PD_SPARSE_WINDOWS 4 // how many times 32 tiles a warp looks back at in one go
#endif
#ifndef PD_SPARSE_LATER
#define PD_SPARSE_LATER 0 // 1: tile after tile, each written after the next has been counted
#endif
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 800 // which nobody asks it of
#undef PD_SPARSE_LATER
#define PD_SPARSE_LATER 0
#endif
#ifndef PD_SPARSE_BLOCKS // groups that a multiprocessor shall have registers for
#if PD_SPARSE_LATER
#define PD_SPARSE_BLOCKS 8
#elif PD_SPARSE_SIMPLE && !PD_SPARSE_REPORT && PD_SPARSE_VECTORS == 4 && __CUDA_ARCH__ >= 800
#define PD_SPARSE_BLOCKS 6
#elif !PD_SPARSE_REPORT
#define PD_SPARSE_BLOCKS 4
#else
#define PD_SPARSE_BLOCKS 3
#endif
#endif

#define CSP_THREADS 256u
#define CSP_VECTORS (CSP_THREADS * PD_SPARSE_VECTORS) // of a tile
#define CSP_EACH (16u / PD_SPARSE_SIZE)               // keys of a vector
#define CSP_TILE (CSP_VECTORS * CSP_EACH)
#define CSP_LIST 2048u
#define CSP_ALL 0xffffffffu // lanes
#if PD_SPARSE_SIZE == 1
typedef pd_u8 csp_key;
#elif PD_SPARSE_SIZE == 2
typedef pd_u16 csp_key;
#elif PD_SPARSE_SIZE == 4
typedef pd_u32 csp_key;
#else
typedef pd_u64 csp_key;
#endif
#if PD_SPARSE_SIZE == 8
typedef pd_u64 csp_int;
#define CSP_INT(x) PD_U64((x)[0], (x)[1])
#else
typedef pd_u32 csp_int;
#define CSP_INT(x) ((x)[0])
#endif

#define CSP_FILL 1u // flags, as in sparse.cl
#define CSP_ROWS 2u
#define CSP_WIDE 4u
#define CSP_SIGNED 32u
#define CSP_KEYS 64u

// total: {a group waited too long, entries, other, largest}. state: 8 words, for it when the caller
// has no other place and for the number of the next group in the 5th; then a word a tile: in the
// two highest bits what is known, and a number.
#define CSP_NEXT 4u
#define CSP_STATUS 8u
#define CSP_OWN (1ull << 62)    // entries of the tile
#define CSP_UP_TO (2ull << 62)  // entries of all tiles up to it
#define CSP_NUMBER (CSP_OWN - 1ull)

typedef struct {
    pd_u32 n_lo, n_hi; // elements, `pad` included
    pd_u32 base_lo, base_hi; // byte, a multiple of 16
    pd_u32 pad, tiles, flags;
    pd_u32 rows_lo, rows_hi, cols_lo, cols_hi;
    pd_u32 magic; // 2^32 / cols + 1 for 1 < cols < 32768
    pd_u32 room_lo, room_hi;
    pd_u32 row_ptr_lo, row_ptr_hi, col_lo, col_hi; // elements where the planes begin
    pd_u32 kept_lo, kept_hi, unit_lo, unit_hi, value_lo, value_hi; // unit, value: words
    pd_u32 factor[2], bias[2], mask[2], limit[2];
    pd_u32 other[8]; // factor, bias, mask, limit of the second test
    pd_u32 most[2];
    pd_u32 total_lo, total_hi; // element where it begins
    pd_u32 spins; // how often a group looks at what it waits for
} padic_k_cuda_sparse_encode_params;

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

#if PD_SPARSE_REPORT || (PD_SPARSE_SIZE > 1 && !PD_SPARSE_SIMPLE)
PD_FN pd_u32 csp_kept(csp_int x, csp_int factor, csp_int bias, csp_int mask, csp_int limit)
{
    return ((x * factor + bias) & mask) > limit ? 1u : 0u;
}
#endif

#if PD_SPARSE_SIMPLE
#define CSP_TEST(x) (((x)&CSP_INT(k.mask)) != 0u ? 1u : 0u)
#else
#define CSP_TEST(x) \
    csp_kept((x), CSP_INT(k.factor), CSP_INT(k.bias), CSP_INT(k.mask), CSP_INT(k.limit))
#endif

#if PD_SPARSE_SIZE < 4
// Moves the flags of one more word into the low end of `bits`.
PD_FN pd_u32 csp_word(pd_u32 bits, pd_u32 x, const padic_k_cuda_sparse_encode_params &k)
{
#if PD_SPARSE_SIZE == 1
    pd_u32 f;
#if PD_SPARSE_SIMPLE
    const pd_u32 mask = k.mask[0] * 0x01010101u, low = mask & 0x7f7f7f7fu;
    f = (((x & low) + 0x7f7f7f7fu) | (x & mask)) & 0x80808080u;
#else // bytes 0 and 2, 1 and 3 in halves of 16 bits: 255 * 255 + 255 < 2^16
    const pd_u32 bias = k.bias[0] * 0x10001u, mask = k.mask[0] * 0x10001u;
    const pd_u32 above = (255u - k.limit[0]) * 0x10001u;
    const pd_u32 e = (((x & 0x00ff00ffu) * k.factor[0] + bias) & mask) + above;
    const pd_u32 o = ((((x >> 8) & 0x00ff00ffu) * k.factor[0] + bias) & mask) + above;
    f = ((e >> 1) & 0x00800080u) | ((o << 7) & 0x80008000u);
#endif
    return __funnelshift_l(f * 0x00204081u, bits, 4);
#elif PD_SPARSE_SIMPLE
    const pd_u32 mask = k.mask[0] * 0x10001u, low = mask & 0x7fff7fffu;
    const pd_u32 f = (((x & low) + 0x7fff7fffu) | (x & mask)) & 0x80008000u;
    return __funnelshift_l(f * 0x8001u, bits, 2);
#else
    return bits << 2 | CSP_TEST(x & 0xffffu) | CSP_TEST(x >> 16) << 1;
#endif
}
#endif

// A bit for every key of a vector.
PD_FN pd_u32 csp_bits(const uint4 x, const padic_k_cuda_sparse_encode_params &k)
{
#if PD_SPARSE_SIZE == 8
    return CSP_TEST(PD_U64(x.x, x.y)) | CSP_TEST(PD_U64(x.z, x.w)) << 1;
#elif PD_SPARSE_SIZE == 4
    return CSP_TEST(x.x) | CSP_TEST(x.y) << 1 | CSP_TEST(x.z) << 2 | CSP_TEST(x.w) << 3;
#else
    return csp_word(csp_word(csp_word(csp_word(0u, x.w, k), x.z, k), x.y, k), x.x, k);
#endif
}

// Vector number v of a tile that begins with element `first` and is not whole; `bits` loses the
// elements that are not of the matrix.
PD_FN uint4 csp_load_part(const pd_u8 *keys, pd_u64 first, pd_u32 v, pd_u32 *valid,
                          const padic_k_cuda_sparse_encode_params &k)
{
    const pd_u64 n = PD_U64(k.n_lo, k.n_hi), e = first + (pd_u64)v * CSP_EACH;
    const pd_u8 *p = keys + PD_U64(k.base_lo, k.base_hi) + e * PD_SPARSE_SIZE;
    pd_u32 i, w[4] = {0u, 0u, 0u, 0u};
    *valid = 0u;
    for (i = 0u; i < CSP_EACH; i++)
        if (e + i >= k.pad && e + i < n) *valid |= 1u << i;
#pragma unroll
    for (i = 0u; i < 16u; i++)
        if (*valid >> (i / PD_SPARSE_SIZE) & 1u) w[i / 4u] |= (pd_u32)p[i] << (8u * (i % 4u));
    return make_uint4(w[0], w[1], w[2], w[3]);
}

PD_FN void csp_index_set(pd_u32 *p, pd_u64 at, pd_u64 x, pd_u32 flags)
{
    if (flags & CSP_WIDE)
        ((pd_u64 *)p)[at] = x;
    else
        p[at] = (pd_u32)x;
}

// The row and column of the first element of a tile that counts, and how many do not count.
typedef struct {
    pd_u64 row, col;
    pd_u32 skip;
} csp_place;

PD_FN csp_place csp_place_of(pd_u64 first, const padic_k_cuda_sparse_encode_params &k)
{
    const pd_u64 cols = PD_U64(k.cols_lo, k.cols_hi);
    csp_place p;
    pd_u64 e;
    p.skip = first < k.pad ? k.pad - (pd_u32)first : 0u;
    e = first + p.skip - k.pad;
    p.row = (e | cols) >> 32 ? e / cols : (pd_u64)((pd_u32)e / (pd_u32)cols);
    p.col = e - p.row * cols;
    return p;
}

// The column of element i of the tile, below 2^32.
PD_FN pd_u32 csp_column(pd_u32 i, const csp_place &p, const padic_k_cuda_sparse_encode_params &k)
{
    const pd_u32 c = (pd_u32)p.col + (i - p.skip);
    if (k.cols_lo >= CSP_TILE) return c >= k.cols_lo ? c - k.cols_lo : c;
    return k.cols_lo > 1u ? c - __umulhi(c, k.magic) * k.cols_lo : 0u;
}

// n entries, from number `start` of the matrix on, whose elements are in the list.
PD_FN void csp_entries(const pd_u16 *list, pd_u32 n, const csp_key *tile, pd_u32 *col,
                       csp_key *kept, const pd_u32 *units, pd_u32 *value, pd_u64 first,
                       pd_u64 start, const csp_place &p, const padic_k_cuda_sparse_encode_params &k)
{
    const pd_u64 room = PD_U64(k.room_lo, k.room_hi), cols = PD_U64(k.cols_lo, k.cols_hi);
    pd_u32 *const to = col + (PD_U64(k.col_lo, k.col_hi) + start);
    pd_u64 *const wide = (pd_u64 *)col + (PD_U64(k.col_lo, k.col_hi) + start);
    csp_key *const keys = kept + (PD_U64(k.kept_lo, k.kept_hi) + start);
    pd_u32 j;
    if (start >= room) return;
    if (n > room - start) n = (pd_u32)(room - start);
    if (!(k.flags & CSP_WIDE)) { // so there are fewer than 2^31 columns
#pragma unroll 4
        for (j = threadIdx.x; j < n; j += CSP_THREADS) to[j] = csp_column(list[j], p, k);
    } else {
        for (j = threadIdx.x; j < n; j += CSP_THREADS) {
            const pd_u64 c = p.col + (list[j] - p.skip);
            wide[j] = cols < CSP_TILE ? csp_column(list[j], p, k) : c >= cols ? c - cols : c;
        }
    }
    if (k.flags & CSP_KEYS) {
#pragma unroll 4
        for (j = threadIdx.x; j < n; j += CSP_THREADS) keys[j] = tile[list[j]];
    }
#if PD_SPARSE_UNITS
    for (j = threadIdx.x; j < n; j += CSP_THREADS) {
        const pd_u64 from = PD_U64(k.unit_lo, k.unit_hi) + (first + list[j] - k.pad) *
                            PD_SPARSE_UNITS;
        const pd_u64 at = PD_U64(k.value_lo, k.value_hi) + (start + j) * PD_SPARSE_UNITS;
        value[at] = units[from];
        if (PD_SPARSE_UNITS > 1) value[at + 1u] = units[from + 1u];
    }
#endif
}

#if PD_SPARSE_LATER // tile after tile

// For large and sparse matrices (sm_80). A group does tile after tile; the next one is on its way
// to local memory while a tile is counted, and the one before, whose predecessors have been counted
// by then, is written. A lane has four neighbouring vectors; kept keys are read again.
#if PD_SPARSE_SIZE == 1
typedef pd_u64 csp_mask; // a bit for each of a lane's keys
#define CSP_COUNT(m) ((pd_u32)__popcll(m))
#define CSP_LAST(m) (63u - (pd_u32)__clzll((long long)(m)))
#else
typedef pd_u32 csp_mask;
#define CSP_COUNT(m) PD_POPCOUNT(m)
#define CSP_LAST(m) (31u - PD_CLZ(m))
#endif
#define CSP_LANE (4u * CSP_EACH) // keys of a lane
#define CSP_AT(v) ((v) ^ ((v) >> 3 & 7u)) // where vector v lies: no bank twice, by row or column

// Four vectors of a lane, 32 apart: a warp's are neighbours on the way.
PD_FN void csp_send_for(const pd_u8 *from, bool whole, pd_u32 to)
{
    if (whole) {
#pragma unroll
        for (pd_u32 j = 0u; j < 4u; j++)
            asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(
                             (to ^ (j << 6 & 64u)) + j * 512u),
                         "l"(from + j * 512u)
                         : "memory");
    }
    asm volatile("cp.async.commit_group;" ::: "memory");
}

// Which of a lane's keys are kept.
PD_FN csp_mask csp_receive(const pd_u8 *keys, int tile, bool whole, pd_u32 chunk, const uint4 *from,
                           const padic_k_cuda_sparse_encode_params &k)
{
    const pd_u32 lane = threadIdx.x & 31u;
    csp_mask mask = 0u;
    asm volatile("cp.async.wait_group 0;" ::: "memory");
    __syncwarp();
    if (whole) {
#pragma unroll
        for (pd_u32 j = 0u; j < 4u; j++)
            mask |= (csp_mask)csp_bits(from[CSP_AT(4u * lane + j)], k) << (j * CSP_EACH);
    } else {
#pragma unroll 1
        for (pd_u32 j = 0u; j < 4u; j++) {
            pd_u32 valid;
            const uint4 x = csp_load_part(keys, (pd_u64)tile * CSP_TILE, chunk + 4u * lane + j,
                                          &valid, k);
            mask |= (csp_mask)(csp_bits(x, k) & valid) << (j * CSP_EACH);
        }
    }
    __syncwarp();
    return mask;
}

typedef struct {
    csp_mask mask[2][CSP_THREADS]; // of two tiles: of a lane's keys,
    pd_u32 rank[2][CSP_THREADS];   // and the entries before them
    pd_u32 begin;                  // the first element of the tile that begins a row, or CSP_TILE
    pd_u16 list[CSP_LIST];
    pd_u32 warp_sum[CSP_THREADS / 32u];
    pd_u32 all[2];
    pd_u64 start;
    csp_place place;
    pd_u32 number;
} csp_shared;

PD_FN void csp_list_masks(csp_shared *shared, pd_u32 slot, pd_u32 w0)
{
    csp_mask m = shared->mask[slot][threadIdx.x];
    if (!m) return;
    pd_u32 r = shared->rank[slot][threadIdx.x] - w0 + CSP_COUNT(m);
    while (m) { // from the last on: r wraps below w0
        const pd_u32 b = CSP_LAST(m);
        m ^= (csp_mask)1u << b;
        r--;
        if (r < CSP_LIST) shared->list[r] = (pd_u16)(threadIdx.x * CSP_LANE + b);
    }
}

PD_FN void csp_rows_masks(pd_u32 *row_ptr, const csp_shared *shared, pd_u32 slot, pd_u64 start,
                          const csp_place &p, const padic_k_cuda_sparse_encode_params &k)
{
    const pd_u32 cols = k.cols_lo; // as long as more than one row begins
    pd_u64 r = p.row + (p.col ? 1u : 0u) + threadIdx.x;
    pd_u64 i = shared->begin + (pd_u64)threadIdx.x * cols;
    for (; i < CSP_TILE && r < PD_U64(k.rows_lo, k.rows_hi);
         i += (pd_u64)CSP_THREADS * cols, r += CSP_THREADS) {
        const pd_u32 owner = (pd_u32)i / CSP_LANE;
        const csp_mask below = ((csp_mask)1u << ((pd_u32)i % CSP_LANE)) - 1u;
        csp_index_set(row_ptr, PD_U64(k.row_ptr_lo, k.row_ptr_hi) + r,
                      start + shared->rank[slot][owner] +
                          CSP_COUNT(shared->mask[slot][owner] & below),
                      k.flags);
        if (cols >= CSP_TILE || k.cols_hi) return;
    }
}

// Entries before a tile, by one warp; s: the lane's word, read some time ago.
PD_FN pd_u64 csp_look(const pd_u64 *status, pd_u64 *total, int at, pd_u64 s, pd_u32 spins)
{
    pd_u64 before = 0u;
    for (;;) {
        pd_u32 up_to;
        pd_u64 sum;
        while (__any_sync(CSP_ALL, (s >> 62) == 0u)) {
            if (spins == 0u) {
                total[0] = 1u;
                s = CSP_UP_TO;
            } else if ((s >> 62) == 0u) {
                s = csp_status(status + at);
            }
            spins -= spins ? 1u : 0u;
        }
        up_to = __ballot_sync(CSP_ALL, (s >> 62) == 2u);
        sum = s & CSP_NUMBER;
        if (up_to && (threadIdx.x & 31u) > (pd_u32)__ffs((int)up_to) - 1u) sum = 0u;
#pragma unroll
        for (pd_u32 i = 16u; i > 0u; i >>= 1) sum += __shfl_xor_sync(CSP_ALL, sum, (int)i);
        before += sum;
        if (up_to) return before;
        at -= 32;
        s = at >= 0 ? csp_status(status + at) : CSP_UP_TO; // nothing is before the first tile
    }
}

PD_FN void csp_write(csp_shared *shared, pd_u32 slot, pd_u32 tile, const csp_key *tile_keys,
                     pd_u64 *total, pd_u32 *row_ptr, pd_u32 *col, csp_key *kept,
                     const padic_k_cuda_sparse_encode_params &k)
{
    const pd_u64 start = shared->start;
    const pd_u32 all = shared->all[slot];
    const csp_place p = shared->place;
    if (threadIdx.x == 0u && tile + 1u == k.tiles) {
        total[1] = start + all;
        if (k.flags & CSP_ROWS)
            csp_index_set(row_ptr,
                          PD_U64(k.row_ptr_lo, k.row_ptr_hi) + PD_U64(k.rows_lo, k.rows_hi),
                          start + all, k.flags);
    }
    if ((k.flags & CSP_ROWS) && shared->begin < CSP_TILE &&
        (threadIdx.x == 0u || (k.cols_lo < CSP_TILE && !k.cols_hi)))
        csp_rows_masks(row_ptr, shared, slot, start, p, k);
    if (!(k.flags & CSP_FILL)) return;
    for (pd_u32 i = 0u; i < all; i += CSP_LIST) { // again where the list does not hold all
        if (i) {
            __syncthreads();
            csp_list_masks(shared, slot, i);
            __syncthreads();
        }
        if (threadIdx.x < all - i)
            csp_entries(shared->list, all - i < CSP_LIST ? all - i : CSP_LIST, tile_keys, col,
                        kept, (const pd_u32 *)0, (pd_u32 *)0, 0u, start + i, p, k);
    }
}

#else // a group a tile: small, dense or tested matrices

// Not cached: nothing is read twice.
PD_FN uint4 csp_load(const pd_u8 *p)
{
    uint4 x;
    asm volatile("ld.global.cs.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(x.x), "=r"(x.y), "=r"(x.z), "=r"(x.w)
                 : "l"(p));
    return x;
}

// The vectors of a thread: vector, vector + 32, ... of the tile.
PD_FN void csp_load_tile(const pd_u8 *keys, pd_u32 tile, pd_u32 vector, uint4 *x, pd_u32 *valid,
                         const padic_k_cuda_sparse_encode_params &k)
{
    const pd_u64 first = (pd_u64)tile * CSP_TILE;
    pd_u32 j;
    if (first >= k.pad && first + CSP_TILE <= PD_U64(k.n_lo, k.n_hi)) {
        const pd_u8 *p = keys + PD_U64(k.base_lo, k.base_hi) + first * PD_SPARSE_SIZE;
#pragma unroll
        for (j = 0u; j < PD_SPARSE_VECTORS; j++) x[j] = csp_load(p + (vector + 32u * j) * 16u);
#pragma unroll
        for (j = 0u; j < PD_SPARSE_VECTORS; j++) valid[j] = 0xffffu >> (16u - CSP_EACH);
    } else {
#pragma unroll
        for (j = 0u; j < PD_SPARSE_VECTORS; j++)
            x[j] = csp_load_part(keys, first, vector + 32u * j, &valid[j], k);
    }
}

// Entries before each vector of the warp; returns all of them. Counts of two vectors go in one
// word, at most 512 each.
PD_FN pd_u32 csp_rank(const pd_u32 *bits, pd_u32 *rank)
{
    const pd_u32 lane = threadIdx.x & 31u;
    pd_u32 i, j, sum = 0u;
#pragma unroll
    for (j = 0u; j < PD_SPARSE_VECTORS; j += 2u) {
        const pd_u32 own = PD_POPCOUNT(bits[j]) | PD_POPCOUNT(bits[j + 1u]) << 16;
        pd_u32 up = own, all;
#pragma unroll
        for (i = 1u; i < 32u; i <<= 1) {
            const pd_u32 from = __shfl_up_sync(CSP_ALL, up, i);
            if (lane >= i) up += from;
        }
        all = __shfl_sync(CSP_ALL, up, 31);
        up -= own;
        rank[j] = sum + (up & 0xffffu);
        sum += all & 0xffffu;
        rank[j + 1u] = sum + (up >> 16);
        sum += all >> 16;
    }
    return sum;
}

// A warp looks at the tiles from `at` (its first lane's) down: 1 in the highest bit if one of them
// knew all entries up to it, and the sum from there on; the same in all lanes.
PD_FN pd_u64 csp_look_back(const pd_u64 *status, pd_u64 *total, int at, pd_u32 spins)
{
    const pd_u32 lane = threadIdx.x & 31u;
    pd_u64 sum = 0u, s[PD_SPARSE_WINDOWS];
    pd_u32 up_to = 0u, i;
#pragma unroll
    for (i = 0u; i < PD_SPARSE_WINDOWS; i++) { // nothing is before the first tile
        const int from = at - (int)lane - 32 * (int)i;
        s[i] = from >= 0 ? csp_status(status + from) : CSP_UP_TO;
    }
#pragma unroll
    for (i = 0u; i < PD_SPARSE_WINDOWS; i++) {
        if (up_to) continue; // the same for the warp
        while (__any_sync(CSP_ALL, (s[i] >> 62) == 0u)) {
            if (spins == 0u) {
                total[0] = 1u;
                s[i] = CSP_UP_TO;
            } else if ((s[i] >> 62) == 0u) {
                s[i] = csp_status(status + (at - (int)lane - 32 * (int)i));
            }
            spins -= spins ? 1u : 0u;
        }
        up_to = __ballot_sync(CSP_ALL, (s[i] >> 62) == 2u);
        if (!up_to || lane <= (pd_u32)__ffs((int)up_to) - 1u) sum += s[i] & CSP_NUMBER;
    }
#pragma unroll
    for (i = 16u; i > 0u; i >>= 1) sum += __shfl_xor_sync(CSP_ALL, sum, (int)i);
    return up_to ? sum | 1ull << 63 : sum;
}

// Entries of all tiles before this one, after its own have been published: the warps look at so
// many tiles that as a rule all that run are among them, and one round does. Contains barriers.
PD_FN pd_u64 csp_before(const pd_u64 *status, pd_u64 *total, pd_u64 *parts, pd_u32 tile,
                        pd_u32 spins)
{
    const pd_u32 warp = threadIdx.x >> 5, warps = CSP_THREADS / 32u;
    int at = (int)tile - 1 - (int)(warp * 32u * PD_SPARSE_WINDOWS);
    pd_u64 before = 0u, found = 0u;
    pd_u32 i;
    for (;;) {
        const pd_u64 part = csp_look_back(status, total, at, spins);
        if ((threadIdx.x & 31u) == 0u) parts[warp] = part;
        __syncthreads();
        for (i = 0u; i < warps && !found; i++) {
            before += parts[i] & CSP_NUMBER;
            found = parts[i] >> 63;
        }
        if (found) return before;
        at -= (int)(warps * 32u * PD_SPARSE_WINDOWS);
        __syncthreads();
    }
}

#if PD_SPARSE_REPORT
PD_FN void csp_report(csp_key x, pd_u64 *largest, pd_u32 *others,
                      const padic_k_cuda_sparse_encode_params &k)
{
    csp_int m = x & CSP_INT(k.other + 4);
    if ((k.flags & CSP_SIGNED) && (x >> (8 * PD_SPARSE_SIZE - 1) & 1u))
        m = (csp_int)(csp_key)(0u - m);
    if (m <= CSP_INT(k.most) && m > *largest) *largest = m;
    *others += csp_kept(x, CSP_INT(k.other), CSP_INT(k.other + 2), CSP_INT(k.other + 4),
                        CSP_INT(k.other + 6));
}

PD_FN void csp_report_tile(const uint4 *x, const pd_u32 *valid, pd_u64 *total,
                           const padic_k_cuda_sparse_encode_params &k)
{
    pd_u64 largest = 0u, other;
    pd_u32 others = 0u, i, j;
#pragma unroll
    for (j = 0u; j < PD_SPARSE_VECTORS; j++) {
        const pd_u32 w[4] = {x[j].x, x[j].y, x[j].z, x[j].w};
#pragma unroll
        for (i = 0u; i < CSP_EACH; i++)
            if (valid[j] >> i & 1u) {
#if PD_SPARSE_SIZE == 8
                const csp_key key = PD_U64(w[2u * i], w[2u * i + 1u]);
#else
                const csp_key key =
                    (csp_key)(w[i * PD_SPARSE_SIZE / 4u] >> (8u * (i * PD_SPARSE_SIZE % 4u)));
#endif
                csp_report(key, &largest, &others, k);
            }
    }
    for (i = 16u; i > 0u; i >>= 1) {
        other = __shfl_xor_sync(CSP_ALL, largest, (int)i);
        largest = other > largest ? other : largest;
        others += __shfl_xor_sync(CSP_ALL, others, (int)i);
    }
    if ((threadIdx.x & 31u) == 0u) {
        if (others) atomicAdd(total + 2, (pd_u64)others);
        if (largest) atomicMax(total + 3, largest);
    }
}
#endif

// row_ptr of the rows that begin in the tile. places[v]: entries before vector v, and its bits.
PD_FN void csp_rows(pd_u32 *row_ptr, const pd_u32 *places, pd_u64 start, const csp_place p,
                    const padic_k_cuda_sparse_encode_params &k)
{
    const pd_u64 cols = PD_U64(k.cols_lo, k.cols_hi), rows = PD_U64(k.rows_lo, k.rows_hi);
    pd_u64 r = p.row + (p.col ? 1u : 0u) + threadIdx.x;
    pd_u64 i = p.skip + (p.col ? cols - p.col : 0u) + threadIdx.x * cols;
    for (; i < CSP_TILE && r < rows; i += CSP_THREADS * cols, r += CSP_THREADS) {
        const pd_u32 place = places[(pd_u32)i / CSP_EACH];
        const pd_u32 below = (1u << ((pd_u32)i % CSP_EACH)) - 1u;
        csp_index_set(row_ptr, PD_U64(k.row_ptr_lo, k.row_ptr_hi) + r,
                      start + (place >> 16) + PD_POPCOUNT(place & below), k.flags);
    }
}

// The elements of entries w0 to w0 + CSP_LIST - 1: those of a thread's vectors.
PD_FN void csp_list(pd_u16 *list, const pd_u32 *bits, const pd_u32 *rank, pd_u32 vector, pd_u32 w0)
{
    pd_u32 j;
#pragma unroll
    for (j = 0u; j < PD_SPARSE_VECTORS; j++) {
        const pd_u32 i = (vector + 32u * j) * CSP_EACH;
        pd_u32 m = bits[j], r = rank[j] + PD_POPCOUNT(m) - w0;
        if (rank[j] >= w0 + CSP_LIST || (int)r <= 0) continue; // none of them
        while (m) { // from the last on: r wraps below w0
            const pd_u32 b = 31u - PD_CLZ(m);
            m ^= 1u << b;
            r--;
            if (r < CSP_LIST) list[r] = (pd_u16)(i + b);
        }
    }
}

#endif

#ifndef CSP_BOUNDS
#define CSP_BOUNDS 256, PD_SPARSE_BLOCKS // threads, as CSP_THREADS, and the promise above
#endif

PD_KERNEL_WG(padic_k_cuda_sparse_encode, CSP_BOUNDS)
(PD_CBUF(pd_u8, keys), PD_BUF(pd_u64, state), PD_BUF(pd_u32, row_ptr), PD_BUF(pd_u32, col),
 PD_BUF(csp_key, kept), PD_CBUF(pd_u32, units), PD_BUF(pd_u32, value), PD_BUF(pd_u64, totals),
 PD_PARAMS(padic_k_cuda_sparse_encode_params, k))
{
#if PD_SPARSE_LATER
    __shared__ __align__(128) uint4 arrived[CSP_VECTORS];
    __shared__ csp_shared shared;
    const pd_u32 l = threadIdx.x, lane = l & 31u, warp = l >> 5, chunk = warp * 128u;
    const pd_u32 to = (pd_u32)__cvta_generic_to_shared(arrived + chunk + CSP_AT(lane));
    const csp_key *const first_key = (const csp_key *)(keys + PD_U64(k.base_lo, k.base_hi));
    const int tiles = (int)k.tiles, step = (int)gridDim.x;
    const int whole_from = k.pad ? 1 : 0, whole_to = (int)(PD_U64(k.n_lo, k.n_hi) / CSP_TILE);
#define CSP_WHOLE(tile) ((tile) >= whole_from && (tile) < whole_to)
    pd_u64 *const total = totals + PD_U64(k.total_lo, k.total_hi);
    pd_u64 *const status = state + CSP_STATUS;
    pd_u32 slot = 0u;
    // Group g, as they begin to run, has the tiles g, g + groups, ...: those that run at the same
    // time are neighbours.
    if (l == 0u) shared.number = (pd_u32)atomicAdd(state + CSP_NEXT, 1ull);
    __syncthreads();
    int tile = (int)shared.number;
    const pd_u8 *from =
        (const pd_u8 *)first_key + ((pd_u64)tile * CSP_VECTORS + chunk + lane) * 16u;
    csp_send_for(from, CSP_WHOLE(tile), to);
    for (; tile - step < tiles; tile += step, slot ^= 1u) {
        const int late = tile - step, at = late - 1 - (int)lane;
        pd_u64 known = CSP_UP_TO;
        pd_u32 rank = 0u;
        csp_mask mask = 0u;
        if (warp == 0u && at >= 0) known = csp_status(status + at);
        if (tile < tiles) {
            pd_u32 own;
            mask = csp_receive(keys, tile, CSP_WHOLE(tile), chunk, arrived + chunk, k);
            from += (pd_u64)(pd_u32)step * (CSP_VECTORS * 16u);
            csp_send_for(from, CSP_WHOLE(tile + step), to);
            rank = own = CSP_COUNT(mask);
#pragma unroll
            for (pd_u32 i = 1u; i < 32u; i <<= 1) {
                const pd_u32 from = __shfl_up_sync(CSP_ALL, rank, i);
                if (lane >= i) rank += from;
            }
            if (lane == 31u) shared.warp_sum[warp] = rank;
            rank -= own;
        }
        __syncthreads(); // now all are done with the tile before `late`
        if (tile < tiles) {
            const pd_u32 sum = lane < CSP_THREADS / 32u ? shared.warp_sum[lane] : 0u;
            const pd_u32 all = __reduce_add_sync(CSP_ALL, sum);
            rank += __reduce_add_sync(CSP_ALL, lane < warp ? sum : 0u);
            if (l == 0u) {
                csp_status_set(status + tile, (tile ? CSP_OWN : CSP_UP_TO) | (pd_u64)all);
                shared.all[slot] = all;
            }
            shared.mask[slot][l] = mask;
            shared.rank[slot][l] = rank;
        }
        if (late >= 0) {
            if (l == CSP_THREADS - 1u) {
                const csp_place p = csp_place_of((pd_u64)late * CSP_TILE, k);
                const pd_u64 i = p.skip + (p.col ? PD_U64(k.cols_lo, k.cols_hi) - p.col : 0u);
                shared.place = p;
                shared.begin = i < CSP_TILE ? (pd_u32)i : CSP_TILE;
            }
            if (k.flags & CSP_FILL) csp_list_masks(&shared, slot ^ 1u, 0u);
            if (warp == 0u) {
                const pd_u64 start = csp_look(status, total, at, known, k.spins);
                if (lane == 0u) {
                    shared.start = start;
                    csp_status_set(status + late, CSP_UP_TO | (start + shared.all[slot ^ 1u]));
                }
            }
        }
        __syncthreads();
        if (late >= 0)
            csp_write(&shared, slot ^ 1u, (pd_u32)late, first_key + (pd_u64)late * CSP_TILE, total,
                      row_ptr, col, kept, k);
    }
    (void)units;
    (void)value;
#else
    __shared__ uint4 tile_keys[CSP_VECTORS];
    __shared__ pd_u32 places[CSP_VECTORS];
    __shared__ pd_u16 list[CSP_LIST];
    __shared__ pd_u32 warp_sum[CSP_THREADS / 32u];
    __shared__ csp_place place;
    __shared__ pd_u64 parts[CSP_THREADS / 32u];
    const pd_u32 l = threadIdx.x, lane = l & 31u, warp = l >> 5;
    pd_u64 *const total = totals + PD_U64(k.total_lo, k.total_hi);
    const pd_u32 vector = warp * (32u * PD_SPARSE_VECTORS) + lane;
    uint4 x[PD_SPARSE_VECTORS];
    pd_u32 bits[PD_SPARSE_VECTORS], rank[PD_SPARSE_VECTORS], valid[PD_SPARSE_VECTORS];
    const pd_u32 tile = blockIdx.x;
    const pd_u64 first = (pd_u64)tile * CSP_TILE;
    pd_u32 j, i, sum, before = 0u, all = 0u;
    csp_load_tile(keys, tile, vector, x, valid, k);
    if (l == CSP_THREADS - 1u) place = csp_place_of(first, k); // while the loads are on their way
#pragma unroll
    for (j = 0u; j < PD_SPARSE_VECTORS; j++) bits[j] = csp_bits(x[j], k) & valid[j];
    sum = csp_rank(bits, rank);
    if (lane == 0u) warp_sum[warp] = sum;
    if (k.flags & CSP_KEYS) {
#pragma unroll
        for (j = 0u; j < PD_SPARSE_VECTORS; j++)
            if (bits[j]) tile_keys[vector + 32u * j] = x[j];
    }
#if PD_SPARSE_REPORT
    csp_report_tile(x, valid, total, k);
#endif
    __syncthreads();
#pragma unroll
    for (i = 0u; i < CSP_THREADS / 32u; i++) {
        before += i < warp ? warp_sum[i] : 0u;
        all += warp_sum[i];
    }
    if (l == 0u)
        csp_status_set(state + CSP_STATUS + tile, (tile ? CSP_OWN : CSP_UP_TO) | (pd_u64)all);
#pragma unroll
    for (j = 0u; j < PD_SPARSE_VECTORS; j++) {
        rank[j] += before;
        if (k.flags & CSP_ROWS) places[vector + 32u * j] = rank[j] << 16 | bits[j];
    }
    if (k.flags & CSP_FILL) csp_list(list, bits, rank, vector, 0u);
    const pd_u64 start = csp_before(state + CSP_STATUS, total, parts, tile, k.spins);
    const csp_place p = place;
    if (l == 0u) {
        csp_status_set(state + CSP_STATUS + tile, CSP_UP_TO | (start + all));
        if (tile + 1u == k.tiles) {
            total[1] = start + all;
            if (k.flags & CSP_ROWS)
                csp_index_set(row_ptr,
                              PD_U64(k.row_ptr_lo, k.row_ptr_hi) + PD_U64(k.rows_lo, k.rows_hi),
                              start + all, k.flags);
        }
    }
    if (k.flags & CSP_ROWS) csp_rows(row_ptr, places, start, p, k);
    if (!(k.flags & CSP_FILL)) return;
    for (i = 0u; i < all; i += CSP_LIST) { // more than once where the list does not hold all
        if (i) {
            __syncthreads();
            csp_list(list, bits, rank, vector, i);
            __syncthreads();
        }
        csp_entries(list, all - i < CSP_LIST ? all - i : CSP_LIST, (const csp_key *)tile_keys, col,
                    kept, units, value, first, start + i, p, k);
    }
#endif
}
