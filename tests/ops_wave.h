// ops_wave.h: rows of test_ops.c for wave_superpose.

static void ops_wave_superpose(ops_run *run)
{
    static const padic_dtype types[] = {PADIC_C64, PADIC_C128};
    for (int d = 0; d < 2; d++)
        for (uint64_t n = 1; n < 200; n = 3 * n + 2) {
            const padic_dtype real = d ? PADIC_F64 : PADIC_F32;
            padic_wave_superpose_desc desc = PADIC_ZERO;
            desc.points = padic_tensor_2d(real, NULL, n, 3);
            desc.sources = padic_tensor_2d(real, NULL, 2 * n, 3);
            desc.amplitude = padic_tensor_1d(real, NULL, 2 * n);
            desc.wavenumber = padic_tensor_1d(real, NULL, 2 * n);
            desc.out = padic_tensor_1d(types[d], NULL, n);
            ops_check(run, PADIC_OP_WAVE_SUPERPOSE, &desc, NULL);
        }
}

#define OPS_WAVE {"wave_superpose", ops_wave_superpose},
