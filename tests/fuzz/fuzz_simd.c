// fuzz_simd.c: any bytes into unpack and verify at every level of SIMD that this CPU has: the same
// answer, the same damaged block and the same bytes as without. See fuzz.h.
#include "fuzz.h"

#include "../../backends/padic_simd.h"

enum { LEVELS = 4 };

static padic_context *context_of(int level)
{
    static const char *const names[LEVELS] = {"avx2", "avx512", "avx512ifma", "neon"};
    static padic_context *contexts[LEVELS];
    static int begun;
    if (!begun) {
        begun = 1;
        for (int i = 0; i < LEVELS; i++) {
            padic_context_desc desc;
            memset(&desc, 0, sizeof desc);
            desc.backends[0] = padic_simd();
            desc.device.name = names[i];
            if (padic_context_create(&desc, &contexts[i])) contexts[i] = NULL;
        }
    }
    return contexts[level];
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    padic_codec_report r;
    memset(&r, 0, sizeof r);
    if (codec_info(data, size, &r) != PADIC_OK || r.raw_size > FUZZ_MOST) return 0;
    uint8_t *exact = (uint8_t *)fuzz_new(size);
    memcpy(exact, data, size);
    uint8_t *plain = (uint8_t *)fuzz_new((size_t)r.raw_size),
            *fast = (uint8_t *)fuzz_new((size_t)r.raw_size);
    memset(plain, 0x35, (size_t)r.raw_size);
    fuzz_memory memory;
    const padic_allocator allocator = fuzz_allocator(&memory);
    uint64_t bad = 77, bad_fast;
    padic_codec_unpack_desc u;
    memset(&u, 0, sizeof u);
    u.memory_limit = FUZZ_MEMORY;
    u.allocator = &allocator;
    u.tensor = fuzz_tensor(&r, plain);
    u.report = CODEC_BAD_BLOCK(&bad);
    const padic_result unpacked = codec_unpack(NULL, &u, exact, size);
    for (int level = 0; level < LEVELS; level++) {
        padic_context *context = context_of(level);
        if (!context) continue;
        memset(fast, 0x35, (size_t)r.raw_size);
        bad_fast = 77;
        u.tensor.data = fast;
        u.report = CODEC_BAD_BLOCK(&bad_fast);
        FUZZ_CHECK(codec_unpack(context, &u, exact, size) == unpacked);
        FUZZ_CHECK(bad_fast == bad);
        FUZZ_CHECK(!memcmp(plain, fast, (size_t)r.raw_size));
        FUZZ_CHECK(memory.bytes == 0 && memory.peak <= FUZZ_MEMORY);
    }
    free(exact);
    free(plain);
    free(fast);
    return 0;
}
