// cache.cl: codes in tiles of 64 keys, and pages. Whatever the bytes are, they lead nowhere else:
// codes are cut to their bits, pages that are none are not followed.

typedef struct {
    pd_u64 at; // byte of the first code
    pd_u32 groups, m;
    pd_u32 bytes; // of a tile and sub-vector: 32 with up to 4 bits, 48 if packed, 64, or 128
    pd_u32 tiles; // of a row
    pd_u32 page_tiles, page_count, row_pages, pages_at; // page_tiles 0: no pages
} pq_store;

// The store of params that have its numbers.
#define PQ_STORE(s, k)                            \
    (s).at = PD_U64((k).codes_lo, (k).codes_hi);  \
    (s).groups = (k).groups;                      \
    (s).m = (k).m;                                \
    (s).bytes = (k).bytes;                        \
    (s).tiles = (k).tiles;                        \
    (s).page_tiles = (k).page_tiles;              \
    (s).page_count = (k).page_count;              \
    (s).row_pages = (k).row_pages;                \
    (s).pages_at = (k).pages_at;

// The byte where a tile of a row and head begins; tile < s.tiles.
PD_FN pd_u64 pq_tile(PD_GPTR(const pd_u32) pages, const pq_store s, pd_u32 row, pd_u32 head,
                     pd_u32 tile)
{
    pd_u32 in = row, at = tile, tiles = s.tiles;
    if (s.page_tiles > 0u) {
        const pd_u32 page = tile / s.page_tiles;
        in = page < s.row_pages ? pages[s.pages_at + row * s.row_pages + page] : 0u;
        if (in >= s.page_count) in = 0u;
        at = tile - page * s.page_tiles;
        tiles = s.page_tiles;
    }
    return s.at + (((pd_u64)in * s.groups + head) * tiles + at) * (s.m * s.bytes);
}

// The code of key i of the tile that begins at byte `tile`, below 2^bits.
PD_FN pd_u32 pq_code(PD_GPTR(const pd_u32) codes, pd_u64 tile, pd_u32 j, pd_u32 i, pd_u32 bits,
                     pd_u32 bytes)
{
    const pd_u32 mask = (1u << bits) - 1u;
    PD_GPTR(const pd_u8) byte = (PD_GPTR(const pd_u8))codes + tile + j * bytes;
    pd_u32 code;
    if (bytes == 64u) return byte[i] & mask;
    if (bytes == 128u) return ((PD_GPTR(const pd_u16))codes)[(tile + j * bytes) / 2u + i] & mask;
    code = (pd_u32)byte[i & 31u] >> (i >> 5) * 4u & 15u;
    if (bytes == 48u) code |= ((pd_u32)byte[32u + (i & 15u)] >> (i >> 4) * 2u & 3u) << 4;
    return code & mask;
}
