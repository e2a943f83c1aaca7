// ops_fft.h: rows of test_ops.c for Fourier transforms.

// Sums over one axis of a dense array of complex numbers: `shape` of rank `rank`.
static void ops_fft_axis(double *x, const uint64_t *shape, uint32_t rank, uint32_t axis,
                         double sign)
{
    const uint64_t n = shape[axis];
    uint64_t step = 1, lines = 1;
    double *in = (double *)malloc((size_t)n * 2 * sizeof *in);
    for (uint32_t a = 0; a < rank; a++) {
        if (a > axis) step *= shape[a];
        if (a != axis) lines *= shape[a];
    }
    for (uint64_t line = 0; line < lines; line++) {
        double *at = x + 2 * (line / step * step * n + line % step);
        for (uint64_t j = 0; j < n; j++) memcpy(in + 2 * j, at + 2 * j * step, 16);
        for (uint64_t k = 0; k < n; k++) {
            double re = 0, im = 0;
            for (uint64_t j = 0; j < n; j++) {
                const double angle = sign * 6.283185307179586477 * (double)(j * k % n) / (double)n;
                re += in[2 * j] * cos(angle) - in[2 * j + 1] * sin(angle);
                im += in[2 * j] * sin(angle) + in[2 * j + 1] * cos(angle);
            }
            at[2 * k * step] = re;
            at[2 * k * step + 1] = im;
        }
    }
    free(in);
}

// The element of a spectrum of reals, halved along `axis`, that number `i` of the whole is, or
// whose conjugate it is.
static uint64_t ops_fft_half(const uint64_t *shape, uint32_t rank, uint32_t axis, uint64_t i,
                             int *conjugate)
{
    const uint64_t n = shape[axis];
    uint64_t step = 1, k;
    for (uint32_t a = axis + 1; a < rank; a++) step *= shape[a];
    k = i / step % n;
    *conjugate = k > n / 2;
    return i / step / n * step * (n / 2 + 1) + (*conjugate ? n - k : k) * step + i % step;
}

// The definition, and the area's bound of the error in the L2 norm for each element.
static void ops_fft_exact(const void *desc_, double *want, double *slack)
{
    const padic_fft_transform_desc *desc = (const padic_fft_transform_desc *)desc_;
    const int from_real = desc->in.dtype == PADIC_F32 || desc->in.dtype == PADIC_F64;
    const int to_real = desc->out.dtype == PADIC_F32 || desc->out.dtype == PADIC_F64;
    const padic_tensor *whole = to_real ? &desc->out : &desc->in;
    const uint32_t axes = desc->axis_count ? desc->axis_count : 1, rank = whole->rank;
    const uint64_t count = padic_tensor_count(whole), numbers = padic_tensor_count(&desc->out);
    const double sign = desc->direction == PADIC_FFT_INVERSE ? 1 : -1;
    uint32_t axis[3], last;
    double n = 1, factor = 1, norm = 0, *in = ops_numbers_of(&desc->in);
    double *x = (double *)calloc((size_t)count * 2 + 1, sizeof *x);
    memcpy(axis, desc->axis, sizeof axis);
    if (!desc->axis_count) axis[0] = rank - 1;
    last = axis[axes - 1];
    for (uint32_t a = 0; a < axes; a++) n *= (double)whole->shape[axis[a]];
    if (to_real) // along the others first: then the last one's spectrum has conjugates
        for (uint32_t a = 0; a + 1 < axes; a++)
            ops_fft_axis(in, desc->in.shape, rank, axis[a], sign);
    for (uint64_t i = 0; i < count; i++) {
        int conjugate = 0;
        const uint64_t at = to_real ? ops_fft_half(whole->shape, rank, last, i, &conjugate) : i;
        x[2 * i] = in[from_real ? i : 2 * at];
        if (!from_real) x[2 * i + 1] = conjugate ? -in[2 * at + 1] : in[2 * at + 1];
    }
    for (uint32_t a = to_real ? axes - 1 : 0; a < axes; a++)
        ops_fft_axis(x, whole->shape, rank, axis[a], sign);
    if (desc->scale == PADIC_FFT_SCALE_ORTHO) factor = 1 / sqrt(n);
    if (desc->scale == PADIC_FFT_SCALE_INVERSE && sign > 0) factor = 1 / n;
    for (uint64_t i = 0; i < count; i++) {
        int conjugate = 0;
        const uint64_t at = from_real ? ops_fft_half(whole->shape, rank, last, i, &conjugate) : i;
        if (conjugate) continue;
        want[to_real ? i : 2 * at] = factor * x[2 * i];
        if (!to_real) want[2 * at + 1] = factor * x[2 * i + 1];
    }
    for (uint64_t i = 0; i < numbers * (to_real ? 1 : 2); i++) norm += want[i] * want[i];
    for (uint64_t i = 0; i < numbers * (to_real ? 1 : 2); i++)
        slack[i] = sqrt(norm) * 4 * (2 + log2(n + 1)) *
                   (desc->out.dtype == PADIC_C64 || desc->out.dtype == PADIC_F32 ? 6e-8 : 2e-15);
    free(in);
    free(x);
}

static void ops_fft(ops_run *run)
{
    static const ops_case each = {"", NULL, ops_fft_exact};
    static const padic_dtype pairs[][2] = {{PADIC_C64, PADIC_C64}, {PADIC_C128, PADIC_C128},
                                           {PADIC_F32, PADIC_C64}, {PADIC_F64, PADIC_C128},
                                           {PADIC_C64, PADIC_F32}, {PADIC_C128, PADIC_F64}};
    for (int pair = 0; pair < 6; pair++) {
        const padic_dtype in = pairs[pair][0], out = pairs[pair][1];
        const int from_real = pair == 2 || pair == 3, to_real = pair > 3;
        padic_tensor view;
        for (uint32_t i = 0; ops_view(run->perf, i, PADIC_U8, &view); i++) {
            padic_fft_transform_desc desc = PADIC_ZERO;
            const uint32_t rank = view.rank, turn = i % 3 + 1;
            uint32_t zero = !rank;
            for (uint32_t a = 0; a < rank; a++) zero |= !view.shape[a];
            if (zero || rank > 4) continue;
            desc.axis_count = turn < rank ? turn : rank;
            for (uint32_t a = 0; a < desc.axis_count; a++) desc.axis[a] = (a + i) % rank;
            desc.scale = (padic_fft_scale)(i % 3);
            desc.direction = to_real || (!from_real && i % 2) ? PADIC_FFT_INVERSE
                                                              : PADIC_FFT_FORWARD;
            desc.in = desc.out = view;
            desc.in.dtype = in;
            desc.out.dtype = out;
            if (from_real || to_real) {
                padic_tensor *half = from_real ? &desc.out : &desc.in;
                const uint32_t last = desc.axis[desc.axis_count - 1];
                half->shape[last] = half->shape[last] / 2 + 1;
                memset(half->stride, 0, sizeof half->stride);
            }
            ops_check(run, PADIC_OP_FFT_TRANSFORM, &desc, &each);
        }
    }
}

#define OPS_FFT {"fft_transform", ops_fft},
