// fuzz_decode.c: any bytes into unpack, verify and the pull stream. See fuzz.h.
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t *exact = (uint8_t *)fuzz_new(size);
    if (size) memcpy(exact, data, size);
    padic_codec_report r;
    memset(&r, 0, sizeof r);
    const padic_result told = codec_info(exact, size, &r);
    uint64_t bad_verify = 0, bad = 0;
    fuzz_memory memory;
    const padic_allocator allocator = fuzz_allocator(&memory);

    if (told == PADIC_OK && r.raw_size <= FUZZ_MOST) {
        padic_codec_unpack_desc v;
        memset(&v, 0, sizeof v);
        v.memory_limit = FUZZ_MEMORY;
        v.allocator = &allocator;
        v.report = CODEC_BAD_BLOCK(&bad_verify);
        const padic_result verified = codec_verify(NULL, &v, exact, size);
        FUZZ_CHECK(memory.bytes == 0 && memory.peak <= FUZZ_MEMORY);
        uint8_t *one = (uint8_t *)fuzz_new((size_t)r.raw_size),
                *two = (uint8_t *)fuzz_new((size_t)r.raw_size);
        memset(one, 0x35, (size_t)r.raw_size);
        padic_codec_unpack_desc u;
        memset(&u, 0, sizeof u);
        u.tensor = fuzz_tensor(&r, one);
        u.memory_limit = FUZZ_MEMORY;
        u.allocator = &allocator;
        u.report = CODEC_BAD_BLOCK(&bad);
        if (r.reference) { // whose digest few inputs hold, but nothing may depend on that
            memset(two, 0x41, (size_t)r.raw_size);
            u.reference = fuzz_tensor(&r, two);
            (void)codec_unpack(NULL, &u, exact, size);
            memset(&u.reference, 0, sizeof u.reference);
        }
        const padic_result unpacked = codec_unpack(NULL, &u, exact, size);
        FUZZ_CHECK(memory.bytes == 0 && memory.peak <= FUZZ_MEMORY);
        FUZZ_CHECK((unpacked == PADIC_OK) == (verified == PADIC_OK) ||
                   unpacked == PADIC_ERROR_LIMIT);
        if (unpacked == PADIC_ERROR_CHECKSUM) FUZZ_CHECK(bad == bad_verify);

        // Pulled as a stream, it is the same array as far as it goes.
        fuzz_source in = {exact, size, 0};
        padic_codec_unpacker *unpacker = NULL;
        padic_codec_unpack_desc d;
        memset(&d, 0, sizeof d);
        d.memory_limit = FUZZ_MEMORY;
        d.allocator = &allocator;
        memset(two, 0x53, (size_t)r.raw_size);
        if (codec_unpack_begin(NULL, &d, fuzz_read, &in, NULL, &unpacker) == PADIC_OK) {
            size_t total = 0;
            padic_result pulled = PADIC_OK;
            for (size_t piece = 1; total < r.raw_size; piece = piece * 3 + 1) {
                const size_t n =
                    (size_t)r.raw_size - total < piece ? (size_t)r.raw_size - total : piece;
                size_t got = 0;
                pulled = codec_unpack_pull(unpacker, two + total, n, &got);
                FUZZ_CHECK(got <= n);
                total += got;
                if (pulled != PADIC_OK || got < n) break;
            }
            if (unpacked == PADIC_OK && pulled == PADIC_OK) {
                FUZZ_CHECK(total == r.raw_size);
                FUZZ_CHECK(!memcmp(one, two, total));
            }
            padic_codec_unpack_end(unpacker);
        } else {
            FUZZ_CHECK(unpacker == NULL);
        }
        FUZZ_CHECK(memory.bytes == 0 && memory.peak <= FUZZ_MEMORY);
        free(one);
        free(two);
    } else {
        // Pull a little of what is not whole, or too large to decode here.
        fuzz_source in = {exact, size, 0};
        padic_codec_unpacker *unpacker = NULL;
        padic_codec_unpack_desc d;
        memset(&d, 0, sizeof d);
        d.memory_limit = FUZZ_MEMORY;
        d.allocator = &allocator;
        if (codec_unpack_begin(NULL, &d, fuzz_read, &in, &r, &unpacker) == PADIC_OK) {
            uint8_t *piece = (uint8_t *)fuzz_new(10000);
            for (int i = 0; i < 20; i++) {
                size_t got = 0;
                if (codec_unpack_pull(unpacker, piece, 10000, &got) != PADIC_OK ||
                    got < 10000)
                    break;
            }
            free(piece);
            padic_codec_unpack_end(unpacker);
        }
        FUZZ_CHECK(memory.bytes == 0 && memory.peak <= FUZZ_MEMORY);
        if (told != PADIC_OK)
            FUZZ_CHECK(codec_verify(NULL, NULL, exact, size) != PADIC_OK);
    }
    free(exact);
    return 0;
}
