// fuzz_num_read.c: any bytes into padic_num_read(). The first byte chooses the ring, the second how
// checksums are treated; the rest is the stream. What is read must be canonical, and writing it
// must give the stream back. See fuzz.h.
#include "fuzz.h"
#include "../../padic.h"
#include "../support/num_calls.h"

#define MOST 200

static uint64_t get(const uint8_t *p, size_t bytes)
{
    uint64_t x = 0;
    while (bytes-- > 0) x = x << 8 | p[bytes];
    return x;
}

static void put(uint8_t *p, size_t bytes, uint64_t x)
{
    for (; bytes-- > 0; x >>= 8) *p++ = (uint8_t)x;
}

static uint64_t mix(uint64_t x)
{
    x *= UINT64_C(0xbf58476d1ce4e5b9);
    x ^= x >> 32;
    x *= UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 29);
}

// The checksum of FORMAT.md, from its description.
static uint64_t checksum(const uint8_t *p, size_t size, uint64_t seed)
{
    uint64_t sum = mix(size ^ ~seed), i;
    for (i = 0; 8 * i < size; i++)
        sum += mix(get(p + 8 * i, size - 8 * i < 8 ? size - 8 * i : 8) ^
                   ((seed + 1) * UINT64_C(0xd1342543de82ef95) + i * UINT64_C(0x9e3779b97f4a7c15)));
    return sum;
}

static void mend(uint8_t *data, size_t size)
{
    const size_t head = 40;
    uint64_t seed, at = head, first = 0;
    if (size < head) return;
    memcpy(data, "PDN\1", 4);
    seed = checksum(data, 32, 0);
    put(data + 32, 8, seed);
    while (size - at >= 12) {
        const uint64_t n = get(data + at, 4);
        if (n > size - at - 12) return;
        put(data + at + 4 + n, 8, checksum(data + at, (size_t)n + 4, seed + first));
        at += n + 12;
        first += 65536;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct {
        uint64_t p;
        uint32_t precision;
        padic_num_form form;
    } rings[8] = {{2, 5, PADIC_NUM_B2},    {2, 64, PADIC_NUM_B2},  {3, 20, PADIC_NUM_W32},
                  {257, 6, PADIC_NUM_W49}, {5, 27, PADIC_NUM_W64}, {5, 30, PADIC_NUM_W128},
                  {3, 300, PADIC_NUM_RX},  {257, 6, PADIC_NUM_RX}};
    padic_num_report header;
    padic_num_ring ring;
    padic_num_ring_options options = PADIC_ZERO;
    padic_num_array array;
    const size_t n = size < 2 ? 0 : size - 2;
    const uint32_t r = size ? data[0] & 7 : 0;
    uint8_t *exact = (uint8_t *)fuzz_new(n), *again;
    if (n) memcpy(exact, data + 2, n);
    if (n >= 40) {
        if (data[1] & 2) { // the ring that is read into, else hardly anything goes further
            put(exact + 8, 8, rings[r].p);
            put(exact + 24, 4, rings[r].precision);
            exact[4] &= 3;
            exact[5] = (uint8_t)((2u << exact[4]) - 1);
            exact[6] = exact[7] = 0;
            put(exact + 16, 8, get(exact + 16, 8) & 127);
            put(exact + 28, 4, 0);
        }
        if (data[1] & 1) mend(exact, n);
    }
    options.form = rings[r].form;
    FUZZ_CHECK(padic_num_ring_init(&ring, rings[r].p, rings[r].precision, &options) == PADIC_OK);
    const padic_result told = num_info(exact, n, &header);
    const padic_num_model model = told == PADIC_OK ? header.model : PADIC_NUM_RING;
    const uint64_t count = told == PADIC_OK && header.count <= MOST ? header.count : 3;
    const size_t room = padic_num_array_size_bound(&ring, model, count);
    void *memory = fuzz_new(room);
    memset(memory, 0xa5, room);
    FUZZ_CHECK(padic_num_place(&array, &ring, model, count, memory, room) == PADIC_OK);
    const padic_result result = num_read(NULL, &array, exact, n);
    if (told != PADIC_OK) FUZZ_CHECK(result != PADIC_OK);
    if (result == PADIC_OK) {
        size_t written;
        FUZZ_CHECK(num_check(NULL, &array, NULL) == PADIC_OK);
        FUZZ_CHECK(padic_num_write_size_bound(&array) >= n);
        again = (uint8_t *)fuzz_new(n);
        FUZZ_CHECK(num_write(NULL, &array, again, n, &written) == PADIC_OK);
        FUZZ_CHECK(written == n && !memcmp(again, exact, n));
        free(again);
    } else if (count && ring.form != PADIC_NUM_RX) { // nothing was written
        FUZZ_CHECK(*(const uint32_t *)array.unit.data == 0xa5a5a5a5u);
    }
    free(memory);
    free(exact);
    return 0;
}
