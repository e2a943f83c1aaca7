// How do I add fractions exactly? 1/3 + 22/7 in Q_5 with 20 digits, read back as a fraction: 73/21.
//
//     cc -O2 -o fractions examples/fractions.c -lm
#define PADIC_IMPLEMENTATION
#include "../padic.h"
#include <stdio.h>

int main(void)
{
    padic_num_ring ring;
    padic_result result = padic_num_ring_init(&ring, 5, 20, NULL);
    int64_t numerator[2] = {1, 22}, denominator[2] = {3, 7};
    padic_num_array x, y;
    static uint64_t memory[2][128];
    if (!result) result = padic_num_place(&x, &ring, PADIC_NUM_FLOAT, 2, memory[0], 1024);
    if (!result) result = padic_num_place(&y, &ring, PADIC_NUM_FLOAT, 1, memory[1], 1024);

    padic_num_from_rational_desc from = PADIC_ZERO;
    from.out = x;
    from.numerator = padic_tensor_1d(PADIC_I64, numerator, 2);
    from.denominator = padic_tensor_1d(PADIC_I64, denominator, 2);
    if (!result) result = padic_num_from_rational(NULL, &from);
    if (!result) result = padic_num_sum(NULL, &y, &x);

    padic_num_to_rational_desc to = PADIC_ZERO;
    to.in = y;
    to.numerator = padic_tensor_1d(PADIC_I64, numerator, 1);
    to.denominator = padic_tensor_1d(PADIC_I64, denominator, 1);
    if (!result) result = padic_num_to_rational(NULL, &to);
    if (result) return puts(padic_result_text(result)), 1;
    printf("1/3 + 22/7 = %d/%d\n", (int)numerator[0], (int)denominator[0]); // 73/21
    return 0;
}
