// fuzz_cut.c: a box of any bytes. The first 32 bytes choose the box, the rest is the stream; what
// the box holds must equal the same box of the whole. See fuzz.h.
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t choice[32];
    memset(choice, 0, sizeof choice);
    memcpy(choice, data, size < sizeof choice ? size : sizeof choice);
    const size_t n = size < sizeof choice ? 0 : size - sizeof choice;
    uint8_t *exact = (uint8_t *)fuzz_new(n);
    if (n) memcpy(exact, data + sizeof choice, n);
    padic_codec_report r;
    memset(&r, 0, sizeof r);
    if (codec_info(exact, n, &r) != PADIC_OK || r.raw_size > FUZZ_MOST) {
        free(exact);
        return 0;
    }
    fuzz_memory memory;
    const padic_allocator allocator = fuzz_allocator(&memory);
    padic_codec_unpack_desc u;
    memset(&u, 0, sizeof u);
    uint64_t box = 1;
    int outside = 0;
    u.tensor.dtype = r.dtype;
    u.tensor.rank = r.rank;
    for (uint32_t a = 0; a < r.rank; a++) {
        // Mostly inside, now and then beyond the edge.
        const uint64_t b = choice[2 * a] | (uint64_t)choice[2 * a + 1] << 8;
        const uint64_t c = choice[16 + 2 * a] | (uint64_t)choice[17 + 2 * a] << 8;
        u.begin[a] = b % (r.shape[a] + 1);
        u.count[a] = c % (r.shape[a] + 2 - u.begin[a]);
        if (c == 0xFFFF) u.count[a] = UINT64_MAX - b;
        outside |= u.begin[a] > r.shape[a] || u.count[a] > r.shape[a] - u.begin[a];
        u.tensor.shape[a] = u.count[a];
        if (!outside) box *= u.count[a];
    }
    const size_t element = padic_dtype_size(r.dtype), room = outside ? 16 : (size_t)box * element;
    uint8_t *part = (uint8_t *)fuzz_new(room), *whole = (uint8_t *)fuzz_new((size_t)r.raw_size);
    memset(part, 0x71, room);
    memset(whole, 0x17, (size_t)r.raw_size);
    u.tensor.data = part;
    u.memory_limit = FUZZ_MEMORY;
    u.allocator = &allocator;
    uint64_t any = 0;
    for (uint32_t a = 0; a < r.rank; a++) any |= u.count[a];
    const padic_result cut = codec_unpack(NULL, &u, exact, n);
    if (outside) FUZZ_CHECK(cut != PADIC_OK);
    FUZZ_CHECK(memory.bytes == 0 && memory.peak <= FUZZ_MEMORY);
    padic_codec_unpack_desc w;
    memset(&w, 0, sizeof w);
    w.tensor = fuzz_tensor(&r, whole);
    const padic_result all = codec_unpack(NULL, &w, exact, n);
    if (all == PADIC_OK && !outside && any) FUZZ_CHECK(cut == PADIC_OK);
    if (cut == PADIC_OK && all == PADIC_OK && any && !outside) {
        for (uint64_t i = 0; i < box; i++) {
            uint64_t rest = i, from = 0, step = 1;
            for (uint32_t a = r.rank; a-- > 0;) {
                from += (rest % u.count[a] + u.begin[a]) * step;
                rest /= u.count[a];
                step *= r.shape[a];
            }
            FUZZ_CHECK(!memcmp(part + i * element, whole + from * element, element));
        }
    }
    free(part);
    free(whole);
    free(exact);
    return 0;
}
