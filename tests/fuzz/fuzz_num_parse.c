// fuzz_num_parse.c: any text into padic_num_parse(). The first byte chooses ring, model and style;
// what is read must be canonical, and printing it must be read as the same number. See fuzz.h.
#include "fuzz.h"
#include "../../padic.h" // after fuzz.h, which asks for the implementation
#include "../support/num_calls.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct {
        uint64_t p;
        uint32_t precision;
        padic_num_form form;
    } rings[8] = {{2, 5, PADIC_NUM_B2},    {2, 64, PADIC_NUM_B2},   {3, 20, PADIC_NUM_W32},
                  {257, 6, PADIC_NUM_W49}, {5, 27, PADIC_NUM_W64},  {5, 30, PADIC_NUM_W128},
                  {3, 60, PADIC_NUM_RX},   {10, 12, PADIC_NUM_W49}};
    const uint32_t choice = size ? data[0] : 0, r = choice & 7;
    const padic_num_model model = (padic_num_model)((choice >> 3 & 3) % 3);
    const padic_num_text style = (padic_num_text)(choice >> 5 & 1);
    const size_t n = size ? size - 1 : 0;
    padic_num_ring ring;
    padic_num_ring_options options = PADIC_ZERO;
    padic_num_array array;
    size_t bad, length, again;
    char *text = (char *)fuzz_new(n);
    if (n) memcpy(text, data + 1, n);
    options.form = rings[r].form;
    const padic_result made =
        rings[r].p == 10 ? padic_num_ring_init_radix(&ring, 10, rings[r].precision, &options)
                         : padic_num_ring_init(&ring, rings[r].p, rings[r].precision, &options);
    FUZZ_CHECK(made == PADIC_OK);
    const size_t room = padic_num_array_size_bound(&ring, model, 2);
    void *memory = fuzz_new(room);
    memset(memory, 0, room);
    FUZZ_CHECK(padic_num_place(&array, &ring, model, 2, memory, room) == PADIC_OK);
    const padic_result result = num_parse(&array, 0, text, n, &bad);
    if (result == PADIC_OK) {
        const size_t most = padic_num_print_size_bound(&ring, style);
        char *one = (char *)fuzz_new(most), *two = (char *)fuzz_new(most);
        if (!ring.composite) {
            array.count = 1; // the second element is 0, which is no FLOAT
            FUZZ_CHECK(num_check(NULL, &array, NULL) == PADIC_OK);
        }
        FUZZ_CHECK(num_print(&array, 0, style, one, most, &length) == PADIC_OK);
        FUZZ_CHECK(length < most && strlen(one) == length);
        FUZZ_CHECK(num_parse(&array, 0, one, length, NULL) == PADIC_OK);
        FUZZ_CHECK(num_print(&array, 0, style, two, most, &again) == PADIC_OK);
        FUZZ_CHECK(again == length && !memcmp(one, two, length));
        free(one);
        free(two);
    } else {
        FUZZ_CHECK(bad <= n);
    }
    free(memory);
    free(text);
    return 0;
}
