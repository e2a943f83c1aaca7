// fuzz_roundtrip.c: any array under any desc. The first 32 bytes choose the desc, the rest fills
// the array again and again; what is accepted must come back bit for bit, or within its bound. See
// fuzz.h.
#include "fuzz.h"

static double component(padic_dtype dtype, const uint8_t *p)
{
    float f;
    double d;
    if (dtype == PADIC_F64 || dtype == PADIC_C128) {
        memcpy(&d, p, 8);
        return d;
    }
    memcpy(&f, p, 4);
    return (double)f;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t c[32];
    if (size < sizeof c + 1) return 0;
    memcpy(c, data, sizeof c);
    data += sizeof c;
    size -= sizeof c;
    padic_codec_desc desc;
    memset(&desc, 0, sizeof desc);
    const padic_dtype dtype = (padic_dtype)(1 + c[0] % 14);
    const size_t element = padic_dtype_size(dtype);
    desc.tensor.dtype = dtype;
    desc.tensor.rank = c[1] % 9;
    uint64_t n = 1;
    const uint64_t most[9] = {1, 600, 25, 9, 5, 4, 3, 3, 3};
    for (uint32_t a = 0; a < desc.tensor.rank; a++) {
        const uint64_t pick = a == 0 ? c[2] | (uint64_t)c[3] << 8 : c[2 + a];
        desc.tensor.shape[a] = pick % (most[desc.tensor.rank] + 1);
        n *= desc.tensor.shape[a];
    }
    desc.level = c[10] % 10;
    // A third of the masks are left open, a third hold one choice, a third any.
    uint32_t *const masks[5] = {&desc.stages.forms, &desc.stages.predictors, &desc.stages.patterns,
                                &desc.stages.digits, &desc.stages.coders};
    for (int g = 0; g < 5; g++) {
        const uint8_t m = c[11 + g];
        *masks[g] = m < 86 ? 0 : m < 171 ? 1u << m % 8 : m;
    }
    static const uint32_t primes[8] = {0, 2, 3, 5, 7, 257, 65537, 65521};
    desc.prime = primes[c[16] % 8];
    if (c[17] % 4 == 3) {
        for (uint32_t a = 0; a < desc.tensor.rank; a++)
            desc.block[a] = 1 + (c[18 + a % 4] + a) % 64;
    }
    const int is_float =
        dtype == PADIC_F32 || dtype == PADIC_F64 || dtype == PADIC_C64 || dtype == PADIC_C128;
    if (c[22] % 3 == 2) {
        desc.bound_mode = (padic_bound_mode)(1 + c[22] / 3 % 3);
        desc.bound = (1 + c[23]) / 256.0;
        for (int i = 0; i < c[24] % 64; i++) desc.bound /= 8;
        for (int i = 0; i < c[25] % 16 && desc.bound_mode != PADIC_BOUND_POINTWISE; i++)
            desc.bound *= 1024;
    }
    const size_t bytes = (size_t)n * element;
    uint8_t *array = (uint8_t *)fuzz_new(bytes), *again = (uint8_t *)fuzz_new(bytes);
    for (size_t i = 0; i < bytes; i++) array[i] = data[i % size];
    if (c[26] & 1) { // sums of them: smoother arrays
        for (size_t i = element; i < bytes; i++)
            array[i] = (uint8_t)(array[i] + array[i - element]);
    }
    desc.tensor.data = array;
    fuzz_memory memory;
    const padic_allocator allocator = fuzz_allocator(&memory);
    desc.allocator = &allocator;
    const size_t room = padic_codec_bound(&desc);
    uint8_t *packed = (uint8_t *)fuzz_new(room);
    size_t size_packed = 0;
    const padic_result result = padic_codec_pack(NULL, &desc, packed, room, &size_packed);
    FUZZ_CHECK(memory.bytes == 0);
    FUZZ_CHECK((room > 0) == (result == PADIC_OK));
    if (result == PADIC_OK) {
        FUZZ_CHECK(size_packed <= room);
        uint8_t *exact = (uint8_t *)fuzz_new(size_packed);
        memcpy(exact, packed, size_packed);
        for (size_t i = 0; i < bytes; i++) again[i] = (uint8_t)~array[i];
        padic_codec_unpack_desc u;
        memset(&u, 0, sizeof u);
        u.tensor = desc.tensor;
        u.tensor.data = again;
        u.allocator = &allocator;
        FUZZ_CHECK(padic_codec_unpack(NULL, &u, exact, size_packed) == PADIC_OK);
        FUZZ_CHECK(memory.bytes == 0);
        if (desc.bound_mode == PADIC_BOUND_NONE) {
            FUZZ_CHECK(!memcmp(array, again, bytes));
        } else if (is_float && desc.bound_mode != PADIC_BOUND_RANGE) {
            const size_t part = dtype == PADIC_F64 || dtype == PADIC_C128 ? 8 : 4;
            for (size_t i = 0; i < bytes; i += part) {
                const double x = component(dtype, array + i), y = component(dtype, again + i);
                if (x - x != 0) { // not finite
                    FUZZ_CHECK(!memcmp(array + i, again + i, part));
                } else {
                    const double d = x > y ? x - y : y - x, a = x < 0 ? -x : x;
                    // Doubles round; the exact comparison is in test_codec_bound.c.
                    const double limit =
                        desc.bound_mode == PADIC_BOUND_ABSOLUTE ? desc.bound : desc.bound * a;
                    FUZZ_CHECK(d <= limit * 1.000000001 + 5e-324);
                }
            }
        }
        free(exact);
    }
    free(packed);
    free(array);
    free(again);
    return 0;
}
