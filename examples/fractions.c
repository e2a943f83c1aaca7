// How do I add fractions exactly? 1/3 + 22/7 in Q_5 with 20 digits, read back as a fraction, 73/21,
// and shown as 5-adic digits.
//
//     cc -O2 -o fractions examples/fractions.c -lm
#define PADIC_IMPLEMENTATION
#include "../padic.h"
#include <stdio.h>

int main(void)
{
    padic_num_ring ring;
    padic_num_array x = PADIC_ZERO, sum = PADIC_ZERO;
    padic_bytes text = PADIC_ZERO;
    int64_t numerator = 0, denominator = 0;
    padic_result result = padic_num_ring_init(&ring, 5, 20, NULL);
    if (!result) result = padic_num_from_text(NULL, &ring, PADIC_NUM_FLOAT, "1/3\n22/7\n", &x);
    if (!result) result = padic_num_new(NULL, &ring, PADIC_NUM_FLOAT, 1, &sum);
    if (!result) result = padic_num_sum(NULL, &sum, &x);
    if (!result) result = padic_num_to_fractions(NULL, &sum, &numerator, &denominator);
    if (!result) result = padic_num_to_text(NULL, &sum, PADIC_NUM_TEXT_DIGITS, &text);
    if (result) return puts(padic_result_text(result)), 1;
    printf("1/3 + 22/7 = %d/%d\n%s", (int)numerator, (int)denominator, (const char *)text.data);
    padic_num_free(NULL, &x);
    padic_num_free(NULL, &sum);
    padic_num_free_text(NULL, &text);
    return 0;
}
