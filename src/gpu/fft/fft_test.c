#include "../../context/ops.h"
#include "../../core/tensor.h"
#include "../tables.h"
#include "../tests.h"
#include "../texts.h"

#if PADICI_IMPLEMENT_GPU && !defined(PADIC_NO_FFT)

// Tests: the driver against the reference. Lines with every radix, in order and across, in place;
// matrices, convolutions, reals; more lines than a group has.

static padic_result padici_test_fft_lines(padici_gpu_case *c)
{
    static const struct {
        uint64_t shape[3];
        uint32_t axis, real, inverse; // real: 1 from, 2 to
    } rounds[] = {{{1, 3, 1680}, 2, 0, 0}, {{2, 96, 41}, 1, 0, 1},  {{1, 2100, 3}, 1, 0, 0},
                  {{1, 55, 90}, 2, 1, 0},  {{2, 45, 19}, 1, 2, 1}, {{2, 32, 33}, 1, 2, 1},
                  {{3, 11, 200}, 1, 0, 1}, {{1, 2, 1031}, 2, 1, 0}};
    const int is_double = padici_gpu_define(c, "PD_FFT_F64", 0) != 0;
    const padic_dtype real = is_double ? PADIC_F64 : PADIC_F32;
    const padic_dtype both = is_double ? PADIC_C128 : PADIC_C64;
    const uint32_t axis = rounds[c->round].axis, kind = rounds[c->round].real;
    uint64_t shape[3], half[3], n;
    padic_fft_transform_desc desc;
    memcpy(shape, rounds[c->round].shape, sizeof shape);
    memcpy(half, shape, sizeof half);
    if (kind) half[axis] = shape[axis] / 2 + 1;
    n = half[0] * half[1] * half[2];
    memset(&desc, 0, sizeof desc);
    desc.out = padic_tensor_3d(kind == 2 ? real : both, NULL, shape[0], shape[1], shape[2]);
    desc.in = padic_tensor_3d(kind == 1 ? real : both, NULL, shape[0], shape[1], shape[2]);
    memcpy((kind == 1 ? &desc.out : &desc.in)->shape, half, sizeof half);
    if (kind == 1) n = shape[0] * shape[1] * shape[2];
    desc.in.data = padici_gpu_numbers(c, PADICI_FILL_WHOLE, desc.in.dtype, n);
    desc.out.data = padici_gpu_numbers(c, PADICI_FILL_BYTES, desc.out.dtype,
                                       padic_tensor_count(&desc.out));
    if (!kind && c->round == 1) desc.out = desc.in;
    desc.axis_count = 1;
    desc.axis[0] = axis;
    desc.direction = (padic_fft_direction)rounds[c->round].inverse;
    desc.scale = PADIC_FFT_SCALE_ORTHO;
    c->again = c->round + 1 < sizeof rounds / sizeof *rounds;
    return padici_gpu_case_drive(c, PADIC_OP_FFT_TRANSFORM, &desc, 0, is_double ? 1e-13 : 3e-5);
}

// Lines of a power of two: those of two groups and a part of one, along either axis. Of 2048
// numbers the largest sums are near 200, and the area's bound is 11 times 2^-24 of that.
static padic_result padici_test_fft_power(padici_gpu_case *c)
{
    const int is_double = padici_gpu_define(c, "PD_FFT_F64", 0) != 0;
    const uint32_t across = padici_gpu_define(c, "PD_FFT_ACROSS", 0) & 1;
    const uint64_t n = UINT64_C(1) << padici_gpu_define(c, "PD_FFT_LOG", 9);
    const uint64_t lines = 2 * 16 * padici_gpu_define(c, "PD_FFT_WG", 128) / n + 1;
    const padic_dtype dtype = is_double ? PADIC_C128 : PADIC_C64;
    padic_fft_transform_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.out = padic_tensor_2d(dtype, NULL, across ? n : lines, across ? lines : n);
    desc.out.data = padici_gpu_numbers(c, PADICI_FILL_WHOLE, dtype, n * lines);
    desc.axis_count = 1;
    desc.axis[0] = 1 - across;
    desc.direction = (padic_fft_direction)c->round;
    desc.scale = PADIC_FFT_SCALE_ORTHO;
    return padici_gpu_case_drive(c, PADIC_OP_FFT_TRANSFORM, &desc, 0, is_double ? 2e-13 : 1e-4);
}

PADICI_FN const padici_gpu_test *padici_tests_fft(void)
{
    static const padici_gpu_test rows[] = {
        {PADICI_KERNEL_FFT_LINES, 1, PADICI_TEST_DRIVEN, padici_test_fft_lines, {PADICI_TEST_NONE}},
        {PADICI_KERNEL_FFT_POWER_LINES, 2, PADICI_TEST_DRIVEN, padici_test_fft_power,
         {PADICI_TEST_NONE}},
        PADICI_TESTS_END};
    return rows;
}

#endif
