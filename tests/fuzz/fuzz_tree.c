// fuzz_tree.c: the bytes of a tree, and a tree whose memory is any bytes. Byte 0 chooses the
// numbers (bits 0, 1) and what the rest is: 0 a stream, 4 a stream without its checksum, 8 words
// that are xor-ed into the nodes and links of a sound tree. See fuzz.h.
#define PADIC_IMPLEMENTATION
#include "../../padic.h"
#include "fuzz.h"
#include "../support/num_calls.h"

enum { POINTS = 40 };

static padic_num_array points[4];
static padic_num_ring rings[4];
static uint64_t numbers[4][4096], memory[512], words[128];

static void prepare(void)
{
    static const uint64_t p[4] = {3, 257, 7, 5}, n[4] = {20, 6, 40, 24};
    static const padic_num_form form[4] = {(padic_num_form)0, (padic_num_form)0, (padic_num_form)0,
                                           PADIC_NUM_RX};
    uint64_t state = 1;
    if (points[0].count) return;
    for (int t = 0; t < 4; t++) {
        padic_num_ring_options o = PADIC_ZERO;
        o.form = form[t];
        FUZZ_CHECK(!padic_num_ring_init(&rings[t], p[t], (uint32_t)n[t], &o));
        FUZZ_CHECK(!padic_num_place(&points[t], &rings[t], t & 1 ? PADIC_NUM_FLOAT : PADIC_NUM_RING,
                                    POINTS, numbers[t], sizeof numbers[t]));
        for (uint32_t i = 0; i < POINTS; i++) { // some equal, some alike; FLOAT: units
            uint32_t word[4];
            padic_random_block(7, state++, 0, 0, word);
            const uint64_t u = word[0] % 4 ? word[1] % 1000 : word[1] % 9;
            const uint64_t unit = t & 1 && u % p[t] == 0 ? u + 1 : u;
            if (form[t] == PADIC_NUM_RX)
                ((uint64_t *)points[t].unit.data)[i / 32 * 32 * rings[t].words + i % 32] = unit;
            else if (rings[t].unit_size == 8)
                ((uint64_t *)points[t].unit.data)[i] = unit;
            else
                ((uint32_t *)points[t].unit.data)[i] = (uint32_t)unit;
            if (t & 1) ((int32_t *)points[t].val.data)[i] = (int32_t)(word[2] % 5) - 2;
        }
    }
}

// Whatever is asked of a tree that was found sound.
static void ask(const padic_num_tree *tree)
{
    uint32_t ids[3 * POINTS];
    uint64_t count = 0, clusters = 0;
    int32_t depth;
    padic_tensor list = padic_tensor_1d(PADIC_U32, ids, POINTS);
    padic_num_tree_nearest_desc d = PADIC_ZERO;
    d.tree = tree;
    d.query = tree->points;
    d.ids = padic_tensor_2d(PADIC_U32, ids, POINTS, 3);
    FUZZ_CHECK(!padic_num_tree_nearest(NULL, &d));
    FUZZ_CHECK(!num_tree_clusters(tree, 1, &list, &clusters) && clusters <= tree->count);
    for (uint32_t i = 0; i < POINTS; i++) {
        FUZZ_CHECK(!num_tree_ball(tree, &tree->points, i, (int32_t)(i % 9), &list, &count));
        FUZZ_CHECK(count <= tree->count);
        (void)num_tree_lca(tree, i, (i + 7) % POINTS, &depth);
    }
}

// The checksum of padic.h, from its description.
static uint64_t mixed(uint64_t x)
{
    x *= UINT64_C(0xbf58476d1ce4e5b9);
    x ^= x >> 32;
    x *= UINT64_C(0x94d049bb133111eb);
    return x ^ (x >> 29);
}

static void seal(uint8_t *bytes, size_t size)
{
    uint64_t key = UINT64_C(0x545045) * UINT64_C(0xd1342543de82ef95), sum = 0;
    for (size_t i = 0; i < size - 8; i += 8, key += UINT64_C(0x9e3779b97f4a7c15)) {
        uint64_t word = 0;
        for (int k = 0; k < 8; k++) word |= (uint64_t)bytes[i + (size_t)k] << 8 * k;
        sum += mixed(word ^ key);
    }
    sum += mixed((size - 8) ^ ~UINT64_C(0x545044));
    for (int k = 0; k < 8; k++) bytes[size - 8 + (size_t)k] = (uint8_t)(sum >> 8 * k);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    padic_num_tree tree;
    prepare();
    if (size < 1 || size > 2000) return 0;
    const uint32_t choice = data[0];
    FUZZ_CHECK(!num_tree_init(&tree, &points[choice & 3], 0, memory, sizeof memory));
    if (choice & 8) { // a tree of any bytes
        FUZZ_CHECK(!num_tree_build(&tree, NULL));
        if (choice & 4) FUZZ_CHECK(!num_tree_erase(&tree, choice >> 4));
        memset(words, 0, sizeof words);
        memcpy(words, data + 1, size - 1 < sizeof words ? size - 1 : sizeof words);
        for (size_t i = 0; i < sizeof words / 8; i++) memory[i] ^= words[i];
        if (!num_tree_validate(&tree)) ask(&tree);
        return 0;
    }
    const size_t n = size - 1;
    uint8_t *bytes = (uint8_t *)fuzz_new(n), *again = (uint8_t *)fuzz_new(n);
    memcpy(bytes, data + 1, n);
    if (choice & 4 && n >= 16 && n % 8 == 0) seal(bytes, n);
    if (!num_tree_read(&tree, bytes, n)) {
        size_t written = 0;
        FUZZ_CHECK(!num_tree_validate(&tree));
        ask(&tree);
        FUZZ_CHECK(!num_tree_write(&tree, again, n, &written));
        FUZZ_CHECK(written == n && !memcmp(again, bytes, n));
    } else {
        FUZZ_CHECK(!tree.count && !num_tree_validate(&tree));
    }
    free(bytes);
    free(again);
    return 0;
}
