// ops_wave.h: rows of test_ops.c for superpositions and what is seen of fields.

static double ops_wave_reach; // positions of sources are up to so far, in wavelengths of 2 pi

static void ops_wave_zero(void *element, uint64_t i, void *arg)
{
    (void)i;
    (void)arg;
    memset(element, 0, 8);
}

static void ops_wave_scale(void *element, uint64_t i, void *arg)
{
    const padic_tensor *t = (const padic_tensor *)arg;
    const double u = (double)(test_random() >> 11) / 9007199254740992.0;
    const double value = t->rank == 2 ? (2 * u - 1) * ops_wave_reach : 0.25 + u;
    const float single = (float)value;
    (void)i;
    if (t->dtype == PADIC_F64 || t->dtype == PADIC_C128) memcpy(element, &value, 8);
    else memcpy(element, &single, 4);
}

// Points (the first operand of a list) within two wavelengths, sources as far as wanted.
static void ops_wave_input(const padic_tensor *t, uint32_t operand)
{
    const double reach = ops_wave_reach;
    padic_tensor view = *t;
    if (operand == 0 && t->rank == 2) ops_wave_reach = reach < 12 ? reach : 12;
    if (t->dtype == PADIC_C64) { // what ACCUMULATE adds to
        ops_each(t, ops_wave_zero, &view);
    } else {
        ops_each(t, ops_wave_scale, &view);
    }
    ops_wave_reach = reach;
}

// What `output` makes of psi, which may be wrong by `error`: number i of an output.
static void ops_wave_emit(padic_wave_output output, padici_complex psi, double error, int single,
                          uint64_t i, double *want, double *slack)
{
    const double off = sqrt(psi.re * psi.re + psi.im * psi.im), v = padici_wave_real(output, psi);
    if (output == PADIC_WAVE_OUTPUT_COMPLEX) {
        want[2 * i] = psi.re;
        want[2 * i + 1] = psi.im;
        slack[2 * i] = slack[2 * i + 1] = error;
        return;
    }
    want[i] = v;
    slack[i] = error + (single ? 1.2e-7 * fabs(v) : 0);
    if (output == PADIC_WAVE_OUTPUT_INTENSITY)
        slack[i] = (2 * off + error) * error * 1.1 + (single ? 1.2e-7 * v : 0);
    if (output == PADIC_WAVE_OUTPUT_PHASE) { // which may turn by a whole one at its cut
        slack[i] = off > 2 * error ? 2 * error / off + 5e-7 : 7;
        if (fabs(v) > 3.14 - slack[i]) slack[i] = 7;
    }
}

// The reference, which test_wave.c compares with closed forms, and the stated bound of the area:
// 2 pi tolerance + 2e-6 times the sizes of all terms, carried through `output`.
static void ops_wave_exact(const void *desc_, double *want, double *slack)
{
    padic_wave_superpose_desc desc = *(const padic_wave_superpose_desc *)desc_;
    const double allowed = 6.2832 * (desc.tolerance > 0 ? desc.tolerance : 2e-6) + 2e-6;
    const int single = desc.out.dtype == PADIC_C64 || desc.out.dtype == PADIC_F32;
    padici_wave_job job;
    padici_wave_job_begin(&job, &desc);
    for (uint64_t i = 0; i < job.points; i++) {
        padici_complex psi = {0, 0};
        double at[3], size = 0;
        padici_wave_point(&job, i, at);
        for (uint64_t m = 0; m < job.sources; m++) {
            padici_wave_source source;
            padici_complex one = {0, 0};
            padici_wave_source_get(&desc, m, &source);
            (void)padici_wave_pair(&job, &source, at, &one);
            psi.re += one.re;
            psi.im += one.im;
            // A shell has zeros outside, of which the error knows nothing.
            size += sqrt(one.re * one.re + one.im * one.im) +
                    (desc.softening == PADIC_WAVE_SOFTENING_SHELL ? fabs(source.amplitude) * 0.1
                     : 0);
        }
        ops_wave_emit(desc.output, psi, (single ? allowed : 1e-12) * size + 1e-30, single, i, want,
                      slack);
    }
}

static const ops_case ops_wave_case = {"f64 or on tiles", ops_wave_input, ops_wave_exact};

static padic_wave_superpose_desc ops_wave_desc(padic_dtype real, padic_dtype out, uint64_t n,
                                               uint64_t m, uint32_t d)
{
    padic_wave_superpose_desc desc = PADIC_ZERO;
    desc.points = padic_tensor_2d(real, NULL, n, d);
    desc.sources = padic_tensor_2d(real, NULL, m, d);
    desc.amplitude = padic_tensor_1d(real, NULL, m);
    desc.wavenumber = padic_tensor_1d(real, NULL, m);
    desc.length = 0.1;
    desc.out = padic_tensor_1d(out, NULL, n);
    return desc;
}

// Each kernel and each softening. On devices each is a program of its own, so not all pairs.
static void ops_wave_kernels(ops_run *run)
{
    for (int kernel = 0; kernel < 5; kernel++)
        for (int soft = 0; soft < 6; soft++) {
            static const uint8_t wanted[5] = {0x16, 0x08, 0x01, 0x01, 0x20}; // a bit a softening
            if (!(wanted[kernel] >> soft & 1)) continue;
            const uint32_t d = kernel == PADIC_WAVE_KERNEL_GREEN1   ? 1
                               : kernel == PADIC_WAVE_KERNEL_GREEN2 ? 2
                                                             : 3;
            padic_wave_superpose_desc desc = ops_wave_desc(PADIC_F32, PADIC_C64, 67, 13, d);
            desc.kernel = (padic_wave_kernel)kernel;
            desc.softening = (padic_wave_softening)soft;
            if (padici_wave_check_softening(NULL, &desc)) continue;
            for (int row = 0; row < 4; row++) { // few pairs; on tiles, which both k and w ask for
                if (row == 2) desc.frequency = padic_tensor_1d(PADIC_F32, NULL, 13);
                ops_wave_reach = row & 1 ? 3000 : 6;
                ops_check(run, PADIC_OP_WAVE_SUPERPOSE, &desc, &ops_wave_case);
            }
        }
}

static void ops_wave_grids(ops_run *run)
{
    static const uint32_t counts[][3] = {{1, 0, 0}, {67, 0, 0}, {5, 1, 19}, {3, 37, 2}, {9, 8, 7}};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        for (int turned = 0; turned < 2; turned++) {
            padic_wave_superpose_desc desc = ops_wave_desc(PADIC_F64, PADIC_C64, 1, 33, 3);
            uint64_t shape[3];
            memset(&desc.points, 0, sizeof desc.points);
            for (uint32_t a = 0; a < 3; a++) {
                desc.grid.count[a] = counts[i][a];
                desc.grid.step[a] = 0.3 + 0.1 * a;
                desc.grid.origin[a] = -1.5 * a;
                shape[a] = counts[i][a] ? counts[i][a] : 1;
            }
            desc.out = padic_tensor_nd(PADIC_C64, NULL, 3, shape);
            if (turned) { // the first axis is contiguous, and the grid stands askew
                desc.out.stride[0] = 1;
                desc.out.stride[1] = (int64_t)shape[0] + 1;
                desc.out.stride[2] = desc.out.stride[1] * (int64_t)shape[1];
                desc.grid.axis[0][0] = desc.grid.axis[1][1] = 0.8;
                desc.grid.axis[0][1] = 0.6;
                desc.grid.axis[1][0] = -0.6;
                desc.grid.axis[2][2] = 1;
            }
            desc.sign = turned ? PADIC_WAVE_SIGN_CONJUGATE : PADIC_WAVE_SIGN_OUTGOING;
            ops_wave_reach = i & 1 ? 400 : 20;
            ops_check(run, PADIC_OP_WAVE_SUPERPOSE, &desc, &ops_wave_case);
        }
}

static void ops_wave_superpose(ops_run *run)
{
    static const uint64_t sizes[][2] = {{0, 3}, {1, 1}, {1, 0}, {3, 65}, {67, 129}, {700, 40}};
    for (int d = 0; d < 2; d++)
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            const padic_dtype real = d ? PADIC_F64 : PADIC_F32;
            padic_wave_superpose_desc desc = ops_wave_desc(
                real, d ? PADIC_C128 : PADIC_C64, run->perf ? 1000000 : sizes[i][0],
                run->perf ? 1000 : sizes[i][1], 3);
            ops_wave_reach = 40;
            ops_check(run, PADIC_OP_WAVE_SUPERPOSE, &desc, &ops_wave_case);
            if (run->perf) break;
        }
    if (run->perf) return;
    ops_wave_kernels(run);
    ops_wave_grids(run);
    for (int output = 1; output < 5; output++) { // and strides, everything else that a desc has
        padic_wave_superpose_desc desc = ops_wave_desc(PADIC_F64, PADIC_F32, 131, 21, 2);
        desc.output = (padic_wave_output)output;
        desc.points.stride[0] = 1;
        desc.points.stride[1] = 131;
        desc.sources.stride[0] = -2;
        desc.sources.stride[1] = 1;
        desc.amplitude.stride[0] = 3;
        desc.wavenumber.rank = 0;
        desc.phase = padic_tensor_1d(PADIC_F32, NULL, 21);
        desc.frequency = padic_tensor_1d(PADIC_F64, NULL, 21);
        if (output & 1) desc.absorption = padic_tensor_1d(PADIC_F32, NULL, 21);
        if (output == 4) memset(&desc.amplitude, 0, sizeof desc.amplitude); // 8 operands at most
        desc.time = 100;
        desc.sign = (padic_wave_sign)(output % 3);
        desc.out.stride[0] = 2;
        ops_wave_reach = 30;
        ops_check(run, PADIC_OP_WAVE_SUPERPOSE, &desc, &ops_wave_case);
        desc.output = PADIC_WAVE_OUTPUT_COMPLEX;
        desc.out.dtype = PADIC_C64;
        desc.flags = PADIC_WAVE_FLAG_ACCUMULATE; // to 0
        ops_check(run, PADIC_OP_WAVE_SUPERPOSE, &desc, &ops_wave_case);
    }
}

// As ops_wave_exact(), the field first if there is one: a term A e^{...}/r of the gradient may be
// wrong by the same part of |A| |q|/r, q taken as k + 3/r, but 1 for the inside of a shell.
static void ops_slope_exact(const void *desc_, double *want, double *slack)
{
    const padic_wave_gradient_desc *desc = (const padic_wave_gradient_desc *)desc_;
    const padic_wave_superpose_desc *field = &desc->field;
    const int both = field->out.dtype != PADIC_DTYPE_NONE;
    const uint64_t parts = desc->out.shape[desc->out.rank - 1];
    const double allowed =
        desc->out.dtype == PADIC_C64
            ? 6.2832 * (field->tolerance > 0 ? field->tolerance : 2e-6) + 2e-6
            : 1e-12;
    padic_wave_superpose_desc plain = *field;
    padici_wave_job job;
    memset(&plain.out, 0, sizeof plain.out);
    padici_wave_job_begin(&job, &plain);
    for (uint64_t i = 0; i < job.points; i++) {
        padici_complex all[4] = {{0, 0}, {0, 0}, {0, 0}, {0, 0}};
        double at[3], off[4] = {1e-30, 1e-30, 1e-30, 1e-30};
        padici_wave_point(&job, i, at);
        for (uint64_t m = 0; m < job.sources; m++) {
            padici_wave_source source;
            padici_complex one[4] = {{0, 0}, {0, 0}, {0, 0}, {0, 0}};
            double r2 = 0, size, steep;
            padici_wave_source_get(field, m, &source);
            (void)padici_wave_pair_slope(&job, &source, at, one);
            for (uint32_t j = 0; j < 3; j++)
                r2 += (at[j] - source.at[j]) * (at[j] - source.at[j]);
            size = sqrt(one[0].re * one[0].re + one[0].im * one[0].im) +
                   (field->softening == PADIC_WAVE_SOFTENING_SHELL ? fabs(source.amplitude) * 0.1
                    : 0);
            steep = fabs(source.wavenumber) + fabs(source.absorption) + 3 / sqrt(r2 + 1e-12);
            for (uint32_t j = 0; j < 4; j++) {
                all[j].re += one[j].re;
                all[j].im += one[j].im;
                off[j] += allowed * size * (j ? steep : 1);
            }
        }
        for (uint64_t j = 0; j <= parts; j++) {
            const uint64_t to = 2 * (j ? (both ? job.points : 0) + i * parts + j - 1 : i);
            if (!j && !both) continue;
            want[to] = all[j].re;
            want[to + 1] = all[j].im;
            slack[to] = slack[to + 1] = off[j];
        }
    }
}

static const ops_case ops_slope_case = {"f64 or on tiles", ops_wave_input, ops_slope_exact};

// Every kernel that has a gradient on devices, near and far; grids whose output is turned.
static void ops_slope_kernels(ops_run *run)
{
    static const uint8_t wanted[5] = {0x3f, 0x02, 0x05, 0x01, 0x20}; // a bit a softening
    for (int kernel = 0; kernel < 5; kernel++)
        for (int soft = 0; soft < 6; soft++) {
            const uint32_t d = kernel == PADIC_WAVE_KERNEL_GREEN1   ? 1
                               : kernel == PADIC_WAVE_KERNEL_GREEN2 ? 2
                                                             : 3;
            padic_wave_gradient_desc desc = PADIC_ZERO;
            if (!(wanted[kernel] >> soft & 1)) continue;
            desc.field = ops_wave_desc(PADIC_F32, PADIC_C64, 67, 13, d);
            desc.field.kernel = (padic_wave_kernel)kernel;
            desc.field.softening = (padic_wave_softening)soft;
            desc.field.length = 1.5; // so that points lie inside
            desc.field.sign = (padic_wave_sign)(soft % 3);
            if (soft & 1) {
                memset(&desc.field.out, 0, sizeof desc.field.out);
                desc.field.absorption = padic_tensor_1d(PADIC_F32, NULL, 13);
            }
            desc.out = padic_tensor_2d(PADIC_C64, NULL, 67, d);
            for (int far_ = 0; far_ < 2; far_++) {
                ops_wave_reach = far_ ? 3000 : 6;
                ops_check(run, PADIC_OP_WAVE_GRADIENT, &desc, &ops_slope_case);
            }
        }
}

static void ops_slope_grids(ops_run *run)
{
    static const uint32_t counts[][3] = {{1, 0, 0}, {67, 0, 0}, {5, 1, 19}, {9, 8, 7}};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        padic_wave_gradient_desc desc = PADIC_ZERO;
        uint64_t shape[4] = {1, 1, 1, 3};
        desc.field = ops_wave_desc(PADIC_F64, PADIC_C64, 1, 33, 3);
        memset(&desc.field.points, 0, sizeof desc.field.points);
        for (uint32_t a = 0; a < 3; a++) {
            desc.field.grid.count[a] = counts[i][a];
            desc.field.grid.step[a] = 0.3 + 0.1 * a;
            desc.field.grid.origin[a] = -1.5 * a;
            shape[a] = counts[i][a] ? counts[i][a] : 1;
        }
        desc.field.out = padic_tensor_nd(PADIC_C64, NULL, 3, shape);
        desc.out = padic_tensor_nd(PADIC_C64, NULL, 4, shape);
        if (i & 1) { // the first axis is contiguous, components are apart
            desc.out.stride[0] = 1;
            desc.out.stride[1] = (int64_t)shape[0] + 1;
            desc.out.stride[2] = desc.out.stride[1] * (int64_t)shape[1];
            desc.out.stride[3] = desc.out.stride[2] * (int64_t)shape[2];
            memset(&desc.field.out, 0, sizeof desc.field.out);
        }
        ops_wave_reach = i == 2 ? 400 : 20;
        ops_check(run, PADIC_OP_WAVE_GRADIENT, &desc, &ops_slope_case);
    }
}

static void ops_wave_gradient(ops_run *run)
{
    static const uint64_t sizes[][2] = {{0, 3}, {1, 1}, {3, 0}, {3, 65}, {67, 29}};
    for (int d = 0; d < 2; d++)
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            const padic_dtype out = d ? PADIC_C128 : PADIC_C64;
            const uint64_t n = run->perf ? 200000 : sizes[i][0];
            padic_wave_gradient_desc desc = PADIC_ZERO;
            ops_wave_reach = 40;
            desc.field = ops_wave_desc(d ? PADIC_F64 : PADIC_F32, out, n,
                                       run->perf ? 100 : sizes[i][1], 3);
            desc.field.softening = (padic_wave_softening)(d ? i % 6 : 0);
            desc.out = padic_tensor_2d(out, NULL, n, 3);
            if (i & 1) memset(&desc.field.out, 0, sizeof desc.field.out);
            if (i & 1) desc.out.stride[0] = 1, desc.out.stride[1] = (int64_t)n + 5;
            if (i == 4) desc.field.flags = PADIC_WAVE_FLAG_ACCUMULATE; // to 0 on tiles
            // the shell in f64 is the reference's own, and added to what was there
            ops_check(run, PADIC_OP_WAVE_GRADIENT, &desc, d && i == 4 ? NULL : &ops_slope_case);
            if (run->perf) return;
        }
    ops_slope_kernels(run);
    ops_slope_grids(run);
}

static void ops_frames_input(const padic_tensor *t, uint32_t operand)
{
    if (t->dtype == PADIC_C64 || t->dtype == PADIC_C128) ops_random(t); // drives
    else ops_wave_input(t, operand);
}

// As ops_wave_exact(), frame by frame; no two sources have one frequency, so that the mean is the
// sum of their intensities.
static void ops_frames_exact(const void *desc_, double *want, double *slack)
{
    const padic_wave_frames_desc *desc = (const padic_wave_frames_desc *)desc_;
    const int driven = desc->drive.dtype != PADIC_DTYPE_NONE;
    const int single = desc->field.out.dtype != PADIC_C128 && desc->field.out.dtype != PADIC_F64;
    const double allowed = single ? 6.2832 * 2e-6 + 2e-6 : 1e-12;
    const uint64_t frames = desc->field.out.shape[0];
    const uint64_t each = // numbers of a point
        desc->field.output == PADIC_WAVE_OUTPUT_COMPLEX ? 2 : 1;
    double *drive = driven ? ops_numbers_of(&desc->drive) : NULL;
    padic_wave_superpose_desc one = desc->field;
    padici_wave_job job;
    memset(&one.out, 0, sizeof one.out);
    padici_wave_job_begin(&job, &one);
    const uint64_t n = job.points;
    for (uint64_t f = 0; f < frames + 1; f++) // the last for the mean
        for (uint64_t i = 0; i < n; i++) {
            const uint64_t at = f * n + i;
            double re = 0, im = 0, size = 0, power = 0, point[3];
            padici_wave_point(&job, i, point);
            one.time = driven || f == frames
                           ? 0
                           : desc->field.time + padici_wave_value(&desc->times, f, 0);
            for (uint64_t m = 0; m < job.sources; m++) {
                const double *d = driven && f < frames ? drive + 2 * (f * job.sources + m) : NULL;
                padici_wave_source source;
                padici_complex wave = {0, 0};
                padici_wave_source_get(&one, m, &source);
                (void)padici_wave_pair(&job, &source, point, &wave);
                re += d ? d[0] * wave.re - d[1] * wave.im : wave.re;
                im += d ? d[0] * wave.im + d[1] * wave.re : wave.im;
                power += wave.re * wave.re + wave.im * wave.im;
                size += sqrt(wave.re * wave.re + wave.im * wave.im) +
                        (one.softening == PADIC_WAVE_SOFTENING_SHELL ? fabs(source.amplitude) * 0.1
                         : 0);
            }
            if (f < frames && one.output == PADIC_WAVE_OUTPUT_RGBA8) { // grey, linear, 0 to high
                const double off = (allowed + 6.2832 * desc->merge_turns) * size;
                const double v = re * re + im * im, x = v / one.tone.high;
                for (uint64_t j = 0; j < 4; j++) {
                    want[4 * at + j] = j == 3 || x >= 1 ? 255 : floor(255 * x + 0.5);
                    slack[4 * at + j] =
                        j == 3 ? 0 : 1 + 255 * (2 * sqrt(v) + off) * off / one.tone.high;
                }
            } else if (f < frames) {
                const padici_complex psi = {re, im};
                ops_wave_emit(one.output, psi,
                              (driven ? 1.5 : 1) * (allowed + 6.2832 * desc->merge_turns) * size +
                                  1e-30,
                              single, at, want, slack);
            } else if (!driven && desc->mean_intensity.dtype != PADIC_DTYPE_NONE) {
                want[(each - 1) * f * n + at] = power;
                slack[(each - 1) * f * n + at] =
                    3 * allowed * size * (sqrt(power) + allowed * size) +
                                    (single ? 2e-7 : 1e-15) * power + 1e-30;
            }
        }
    free(drive);
}

static const ops_case ops_frames_case = {"f64 or on tiles", ops_frames_input, ops_frames_exact};

// Grids of more than a tile, each `output`, each sign, more frequencies and frames than a kernel
// has at once; an output whose frames lie innermost.
static void ops_frames_grids(ops_run *run)
{
    for (uint32_t output = 0; output < 6; output++) { // 5: pixels
        padic_wave_frames_desc desc = PADIC_ZERO;
        const uint64_t m = output == 2 ? 70 : 20, f = output == 2 ? 3 : 6;
        uint64_t shape[5] = {f, 11, 3, 23, 4};
        desc.field = ops_wave_desc(PADIC_F32, PADIC_C64, 1, m, 3);
        memset(&desc.field.points, 0, sizeof desc.field.points);
        for (uint32_t a = 0; a < 3; a++) {
            desc.field.grid.count[a] = (uint32_t)shape[a + 1];
            desc.field.grid.step[a] = 0.4;
        }
        desc.field.output = (padic_wave_output)output;
        desc.field.sign = (padic_wave_sign)(output % 3);
        desc.field.time = 10;
        desc.field.out = padic_tensor_nd(output ? PADIC_F32 : PADIC_C64, NULL, 4, shape);
        if (output == 5) {
            desc.field.out = padic_tensor_nd(PADIC_U8, NULL, 5, shape);
            desc.field.tone.high = 8;
        }
        desc.times = padic_tensor_1d(PADIC_F64, NULL, f);
        if (output == 1) {
            desc.field.out.stride[0] = 1;
            desc.field.out.stride[3] = 7;
            desc.field.out.stride[2] = 7 * 23;
            desc.field.out.stride[1] = 7 * 23 * 4;
        }
        if (output == 3) desc.mean_intensity = padic_tensor_nd(PADIC_F32, NULL, 3, shape + 1);
        ops_wave_reach = output & 1 ? 200 : 20;
        ops_check(run, PADIC_OP_WAVE_FRAMES, &desc, &ops_frames_case);
    }
}

static void ops_wave_frames(ops_run *run)
{
    static const uint64_t sizes[][3] = {{0, 3, 2}, {1, 1, 1}, {3, 0, 2}, {3, 65, 0}, {67, 29, 9}};
    for (int d = 0; d < 4; d++) // f32, f64; times, drives
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
            for (int merged = 0; merged < (i == 4 && d < 2 ? 2 : 1); merged++) {
                const padic_dtype real = d & 1 ? PADIC_F64 : PADIC_F32;
                const padic_dtype out = d & 1 ? PADIC_C128 : PADIC_C64;
                const uint64_t n = run->perf ? 100000 : sizes[i][0];
                const uint64_t m = run->perf ? 100 : sizes[i][1], f = run->perf ? 32 : sizes[i][2];
                padic_wave_frames_desc desc = PADIC_ZERO;
                ops_wave_reach = i & 1 ? 300 : 12;
                desc.field = ops_wave_desc(real, out, n, m, 3);
                // Each is a program of its own on devices, and compilers are slow.
                desc.field.softening = d & 1    ? (padic_wave_softening)((i + (uint32_t)d) % 6)
                                       : i == 4 ? PADIC_WAVE_SOFTENING_PLUMMER_BOTH
                                                : PADIC_WAVE_SOFTENING_NONE;
                desc.field.out = padic_tensor_2d(out, NULL, f, n);
                if (i & 1) desc.field.out.stride[0] = 1, desc.field.out.stride[1] = (int64_t)f + 3;
                if (d & 2) {
                    memset(&desc.field.amplitude, 0, sizeof desc.field.amplitude);
                    desc.drive = padic_tensor_2d(out, NULL, f, m);
                } else {
                    desc.times = padic_tensor_1d(real, NULL, f);
                    if (merged) desc.merge_turns = 1e-3;
                    else desc.mean_intensity = padic_tensor_1d(real, NULL, n);
                }
                ops_check(run, PADIC_OP_WAVE_FRAMES, &desc, &ops_frames_case);
                if (run->perf) return;
            }
    ops_frames_grids(run);
}

// Observables, pixels and the norm, from their definitions in f64. Devices: 4 units in the last
// place of f32, the area's bound.

static double ops_field_power; // samples are in (-1, 1) times a power of 2, up to so large or small

static void ops_field_number(void *element, uint64_t i, void *arg)
{
    const padic_dtype dtype = *(const padic_dtype *)arg;
    const uint32_t parts = dtype == PADIC_C64 || dtype == PADIC_C128 ? 2 : 1;
    const int power = (int)(ops_field_power * ((double)(test_random() % 2001) / 1000 - 1));
    (void)i;
    for (uint32_t k = 0; k < parts; k++) {
        const double x = ldexp((double)(int64_t)test_random() / 9223372036854775808.0,
                               ops_field_power < 0 ? (int)ops_field_power : power);
        const float f = (float)x;
        if (dtype == PADIC_F32 || dtype == PADIC_C64) memcpy((char *)element + 4 * k, &f, 4);
        else memcpy((char *)element + 8 * k, &x, 8);
    }
}

static void ops_field_input(const padic_tensor *t, uint32_t operand)
{
    padic_dtype dtype = t->dtype;
    (void)operand;
    ops_each(t, ops_field_number, &dtype);
}

static double ops_field_seen(int output, double re, double im)
{
    if (output == PADIC_WAVE_OUTPUT_REAL) return re;
    if (output == PADIC_WAVE_OUTPUT_AMPLITUDE) return hypot(re, im);
    if (output == PADIC_WAVE_OUTPUT_PHASE) return re == 0 && im == 0 ? 0 : atan2(im, re);
    return re * re + im * im;
}

static void ops_observe_exact(const void *desc_, double *want, double *slack)
{
    const padic_wave_observe_desc *desc = (const padic_wave_observe_desc *)desc_;
    double *psi = ops_numbers_of(&desc->psi);
    for (uint64_t i = 0; i < padic_tensor_count(&desc->psi); i++) {
        want[i] = ops_field_seen((int)desc->output, psi[2 * i], psi[2 * i + 1]);
        slack[i] = (desc->out.dtype == PADIC_F32 ? 5e-7 : 1e-15) * fabs(want[i]) + 1e-37;
    }
    free(psi);
}

static const ops_case ops_observe_case = {"", ops_field_input, ops_observe_exact};

static void ops_observe_check(ops_run *run, const padic_wave_observe_desc *desc)
{
    if (desc->output == PADIC_WAVE_OUTPUT_PHASE)
        ops_check_vectors(run, PADIC_OP_WAVE_OBSERVE, desc, &ops_observe_case);
    else
        ops_check_device(run, PADIC_OP_WAVE_OBSERVE, desc, &ops_observe_case);
}

static void ops_wave_observe(ops_run *run)
{
    for (int d = 0; d < 2; d++)
        for (int output = 0; output < 5; output++) {
            padic_tensor view = PADIC_ZERO;
            for (uint32_t i = 0; ops_view(run->perf, i, d ? PADIC_C128 : PADIC_C64, &view); i++) {
                padic_wave_observe_desc desc = PADIC_ZERO;
                if ((i + 1) % 5 != (uint32_t)output && i != 4) continue; // each of one view
                desc.psi = view;
                desc.output = (padic_wave_output)output;
                desc.out = padic_tensor_nd(d ? PADIC_F64 : PADIC_F32, NULL, view.rank, view.shape);
                if (i == 7) desc.out.stride[0] = 1, desc.out.stride[1] = 19;
                ops_field_power = i == 4 ? 55 : 0;
                ops_observe_check(run, &desc);
                if (i != 5) continue;
                desc.out.dtype = d ? PADIC_F32 : PADIC_F64; // what devices leave to the CPU
                ops_observe_check(run, &desc);
            }
        }
}

// The definition, with products and their difference in long double.
static void ops_flux_exact(const void *desc_, double *want, double *slack)
{
    const padic_wave_flux_desc *desc = (const padic_wave_flux_desc *)desc_;
    const uint64_t n = desc->gradient.shape[desc->psi.rank];
    const int single = desc->out.dtype == PADIC_F32;
    double *psi = ops_numbers_of(&desc->psi), *g = ops_numbers_of(&desc->gradient);
    for (uint64_t i = 0; i < padic_tensor_count(&desc->gradient); i++) {
        const double *z = psi + 2 * (i / n);
        const long double a = (long double)z[0] * g[2 * i + 1];
        const long double b = (long double)z[1] * g[2 * i];
        const double scale = desc->scale != 0 ? desc->scale : 1;
        want[i] = (double)(scale * (a - b));
        slack[i] = single ? 5e-7 * fabs(want[i]) + 1e-37 : 0;
        slack[i] += 4e-16 * fabs(scale) * (double)(fabsl(a) + fabsl(b));
    }
    free(psi), free(g);
}

static const ops_case ops_flux_case = {"", ops_field_input, ops_flux_exact};

// What gives a plane wave: the field A e^{ik.r} has the flux scale |A|^2 k.
static void ops_flux_plane_wave(ops_run *run)
{
    static double psi[60][2], gradient[60][3][2], flux[60][3];
    const double k[3] = {.7, -1.3, 2.1}, a = 1.5;
    padic_wave_flux_desc desc = PADIC_ZERO;
    for (int i = 0; i < 60; i++) {
        const double at[3] = {.1 * i, .37 * i, -.05 * i};
        const double turn = k[0] * at[0] + k[1] * at[1] + k[2] * at[2];
        psi[i][0] = a * cos(turn), psi[i][1] = a * sin(turn);
        for (int c = 0; c < 3; c++) gradient[i][c][0] = -k[c] * psi[i][1];
        for (int c = 0; c < 3; c++) gradient[i][c][1] = k[c] * psi[i][0];
    }
    desc.psi = padic_tensor_1d(PADIC_C128, psi, 60);
    desc.gradient = padic_tensor_2d(PADIC_C128, gradient, 60, 3);
    desc.out = padic_tensor_2d(PADIC_F64, flux, 60, 3);
    desc.scale = .5;
    const padic_result result = padic_wave_flux(run->context, &desc);
    if (result == PADIC_ERROR_NOT_SUPPORTED) return; // a strict device without f64
    CHECK_EQ(result, PADIC_OK);
    for (int i = 0; i < 60; i++)
        for (int c = 0; c < 3; c++) CHECK_NEAR(flux[i][c], .5 * a * a * k[c], 1e-14);
    desc.scale = INFINITY;
    CHECK_EQ(padic_wave_flux(run->context, &desc), PADIC_ERROR_ARGUMENT);
    desc.scale = 0, desc.gradient.shape[0] = 59;
    CHECK_EQ(padic_wave_flux(run->context, &desc), PADIC_ERROR_MISMATCH);
    desc.gradient.shape[0] = 60, desc.gradient.dtype = PADIC_C64;
    CHECK_EQ(padic_wave_flux(run->context, &desc), PADIC_ERROR_DTYPE);
    desc.gradient.dtype = PADIC_C128, desc.out.data = psi;
    CHECK_EQ(padic_wave_flux(run->context, &desc), PADIC_ERROR_OVERLAP);
}

static void ops_wave_flux(ops_run *run)
{
    for (int d = 0; d < 2; d++) {
        padic_tensor view = PADIC_ZERO;
        for (uint32_t i = 0; ops_view(run->perf, i, d ? PADIC_C128 : PADIC_C64, &view); i++) {
            padic_wave_flux_desc desc = PADIC_ZERO;
            if (!view.rank) continue;
            desc.gradient = view;
            desc.psi = padic_tensor_nd(view.dtype, NULL, view.rank - 1, view.shape);
            desc.out = padic_tensor_nd(d ? PADIC_F64 : PADIC_F32, NULL, view.rank, view.shape);
            desc.scale = i % 3 ? i - 2.5 : 0;
            ops_field_power = i == 4 ? 55 : 0;
            ops_check_device(run, PADIC_OP_WAVE_FLUX, &desc, &ops_flux_case);
            if (i != 5) continue;
            desc.out.dtype = d ? PADIC_F32 : PADIC_F64; // what devices leave to the CPU
            ops_check_device(run, PADIC_OP_WAVE_FLUX, &desc, &ops_flux_case);
        }
    }
    if (!run->perf) ops_flux_plane_wave(run);
}

static double ops_tone_byte(double x)
{
    return floor(255 * (x < 0 ? 0 : x > 1 ? 1 : x) + 0.5);
}

static void ops_tone_pixel(const padic_wave_tone *tone, double re, double im, int real_,
                           double pixel[4])
{
    const int both = tone->low == 0 && tone->high == 0, log_ = tone->curve == PADIC_WAVE_CURVE_LOG;
    const double low = both ? log_ : tone->low, high = both ? 1 : tone->high;
    const double v = real_ ? re : ops_field_seen((int)tone->value, re, im);
    double x = (v - low) / (high - low);
    if (tone->curve == PADIC_WAVE_CURVE_REINHARD) x = v > 0 ? v / (v + high) : 0;
    if (log_) x = v > 0 ? log1p(v / low) / log1p(high / low) : 0;
    x = x < 0 ? 0 : x > 1 ? 1 : x;
    for (uint32_t j = 0; j < 3; j++) {
        pixel[j] = ops_tone_byte(x);
        if (tone->map == PADIC_WAVE_MAP_HEAT) pixel[j] = ops_tone_byte(3 * x - j);
        if (tone->map == PADIC_WAVE_MAP_HUE) { // sixths of a turn from the channel's own hue
            const double own = j == 0 ? 0 : j == 1 ? 2.0943951023931953 : -2.0943951023931953;
            const double sixths = fabs(remainder(atan2(im, re) - own, 6.283185307179586)) /
                                  1.0471975511965976;
            pixel[j] = ops_tone_byte(x * (sixths <= 1 ? 1 : sixths >= 2 ? 0 : 2 - sixths));
        }
        if (tone->map == PADIC_WAVE_MAP_TABLE)
            pixel[j] = tone->table[4 * (uint32_t)ops_tone_byte(x) + j];
    }
    pixel[3] = 255;
    if (tone->map == PADIC_WAVE_MAP_TABLE)
        pixel[3] = tone->table[4 * (uint32_t)ops_tone_byte(x) + 3];
}

static void ops_tonemap_exact(const void *desc_, double *want, double *slack)
{
    const padic_wave_tonemap_desc *desc = (const padic_wave_tonemap_desc *)desc_;
    const int real_ = desc->field.dtype == PADIC_F32 || desc->field.dtype == PADIC_F64;
    double *psi = ops_numbers_of(&desc->field);
    for (uint64_t i = 0; i < padic_tensor_count(&desc->field); i++) {
        ops_tone_pixel(&desc->tone, psi[real_ ? i : 2 * i], real_ ? 0 : psi[2 * i + 1], real_,
                       want + 4 * i);
        for (uint32_t j = 0; j < 4; j++) slack[4 * i + j] = 1;
    }
    free(psi);
}

static const ops_case ops_tonemap_case = {"", ops_field_input, ops_tonemap_exact};

// A table whose neighbours differ by one.
static const uint8_t *ops_tone_table(void)
{
    static uint8_t table[1024];
    for (uint32_t i = 0; i < 1024; i++) table[i] = (uint8_t)((i / 4) * (i % 4 + 1) / 4);
    return table;
}

static void ops_wave_tonemap(ops_run *run)
{
    static const padic_dtype dtypes[4] = {PADIC_F32, PADIC_F64, PADIC_C64, PADIC_C128};
    for (int d = 0; d < 4; d++) {
        padic_tensor view = PADIC_ZERO;
        for (uint32_t i = 0; ops_view(run->perf, i, dtypes[d], &view); i++) {
            static const padic_wave_map maps[7] = {PADIC_WAVE_MAP_GREY, PADIC_WAVE_MAP_HUE,
                                                   PADIC_WAVE_MAP_HEAT, PADIC_WAVE_MAP_TABLE,
                                                   PADIC_WAVE_MAP_HUE,  PADIC_WAVE_MAP_TABLE,
                                                   PADIC_WAVE_MAP_HEAT};
            padic_wave_tonemap_desc desc = PADIC_ZERO;
            padic_wave_tonemap_report told;
            if (view.rank == PADIC_MAX_RANK) continue;
            desc.field = view;
            desc.tone.value = (padic_wave_output)((i + 1) % 5);
            desc.tone.curve = (padic_wave_curve)(i % 3);
            desc.tone.map = maps[i % 7];
            if (d < 2 && desc.tone.map == PADIC_WAVE_MAP_HUE) desc.tone.map = PADIC_WAVE_MAP_GREY;
            desc.tone.table = ops_tone_table();
            if (i & 1) desc.tone.low = 0.125, desc.tone.high = 0.75;
            if (i % 3 == 1) desc.report = &told;
            desc.out = padic_tensor_nd(PADIC_U8, NULL, view.rank, view.shape);
            desc.out.shape[desc.out.rank++] = 4;
            if (i == 7) { // planes
                desc.out.stride[0] = 23;
                desc.out.stride[1] = 1;
                desc.out.stride[2] = 19 * 23;
            }
            ops_field_power = 0;
            ops_check_device(run, PADIC_OP_WAVE_TONEMAP, &desc, &ops_tonemap_case);
        }
    }
}

static void ops_normalise_exact(const void *desc_, double *want, double *slack)
{
    const padic_wave_normalise_desc *desc = (const padic_wave_normalise_desc *)desc_;
    const uint64_t n = 2 * padic_tensor_count(&desc->psi);
    double *psi = ops_numbers_of(&desc->psi), sum = 0, factor;
    for (uint64_t i = 0; i < n; i++) sum += psi[i] * psi[i];
    factor = desc->legacy ? 1 / (sqrt(sum) + 1e-10)
                          : sqrt((desc->target > 0 ? desc->target : 1) /
                                 (sum * (desc->volume > 0 ? desc->volume : 1)));
    for (uint64_t i = 0; i < n; i++) {
        want[i] = psi[i] * factor;
        slack[i] = (desc->psi.dtype == PADIC_C64 ? 1e-7 : 1e-13) * fabs(want[i]) + 1e-37;
    }
    free(psi);
}

static const ops_case ops_normalise_case = {"", ops_field_input, ops_normalise_exact};

// What is said beside the numbers: the norm, which has the reference's tree, and a range.
static void ops_normalise_results(ops_run *run)
{
    static float psi[2][3001][2];
    static uint8_t pixels[3001][4];
    for (int power = -60; power < 61; power += 60) {
        padic_wave_normalise_report told[2] = {{0}, {0}};
        padic_wave_tonemap_report range[2];
        padic_result result[2];
        for (uint32_t i = 0; i < 3001; i++)
            for (uint32_t j = 0; j < 2; j++)
                psi[0][i][j] = psi[1][i][j] =
                    ldexpf(padic_random_symmetric((uint32_t)test_random()), power);
        for (uint32_t i = 0; i < 2; i++) {
            padic_wave_normalise_desc desc = PADIC_ZERO;
            padic_wave_tonemap_desc tones = PADIC_ZERO;
            desc.psi = padic_tensor_1d(PADIC_C64, psi[i], 3001);
            desc.volume = 0.5;
            desc.report = &told[i];
            tones.field = desc.psi;
            tones.out = padic_tensor_2d(PADIC_U8, pixels, 3001, 4);
            tones.tone.value = PADIC_WAVE_OUTPUT_REAL;
            tones.report = &range[i];
            result[i] = padic_wave_tonemap(i ? run->context : NULL, &tones);
            if (!result[i]) result[i] = padic_wave_normalise(i ? run->context : NULL, &desc);
        }
        CHECK_EQ(result[0], PADIC_OK);
        CHECK(!result[1] || result[1] == PADIC_ERROR_NOT_SUPPORTED);
        if (result[1]) return;
        CHECK(fabs(told[1].norm - told[0].norm) <= 1e-12 * told[0].norm);
        CHECK(!memcmp(&range[0], &range[1], sizeof range[0]));
        if (run->context && (run->context->targets[0].info.features & PADIC_FEATURE_F64))
            CHECK(!memcmp(&told[0].norm, &told[1].norm, sizeof told[0].norm));
        memset(psi, 0, sizeof psi);
        for (uint32_t i = 0; i < 2; i++) { // nothing to scale; and a NaN
            padic_wave_normalise_desc desc = PADIC_ZERO;
            desc.psi = padic_tensor_1d(PADIC_C64, psi[1], 3001);
            CHECK_EQ(padic_wave_normalise(run->context, &desc), PADIC_ERROR_DOMAIN);
            psi[1][7][1] = (float)NAN;
        }
        CHECK(psi[1][0][0] == 0);
    }
}

static void ops_wave_normalise(ops_run *run)
{
    static const uint64_t shape[3] = {13, 17, 40};
    ops_normalise_results(run);
    for (int d = 0; d < 2; d++) {
        padic_wave_normalise_desc desc = PADIC_ZERO;
        for (uint64_t n = 0; n < 1000; n = 3 * n + 1) {
            desc.psi = padic_tensor_1d(d ? PADIC_C128 : PADIC_C64, NULL, run->perf ? 1 << 20 : n);
            desc.psi.stride[0] = n & 2 ? 3 : 1;
            desc.volume = 0.25;
            ops_field_power = n & 1 ? -55 : 0;
            ops_check_device(run, PADIC_OP_WAVE_NORMALISE, &desc, &ops_normalise_case);
            if (run->perf) break;
        }
        if (run->perf) continue;
        desc.psi = padic_tensor_nd(desc.psi.dtype, NULL, 3, shape);
        desc.psi.stride[0] = 1; // turned, with gaps
        desc.psi.stride[1] = 14;
        desc.psi.stride[2] = 14 * 17;
        desc.target = 3;
        ops_field_power = 40;
        ops_check_device(run, PADIC_OP_WAVE_NORMALISE, &desc, &ops_normalise_case);
        memset(&desc.target, 0, 2 * sizeof desc.target);
        desc.legacy = 1;
        ops_field_power = 0;
        ops_check_device(run, PADIC_OP_WAVE_NORMALISE, &desc, &ops_normalise_case);
    }
}

#define OPS_WAVE                              \
    {"wave_superpose", ops_wave_superpose},   \
    {"wave_gradient", ops_wave_gradient},     \
    {"wave_frames", ops_wave_frames},         \
    {"wave_observe", ops_wave_observe},       \
    {"wave_tonemap", ops_wave_tonemap},       \
    {"wave_flux", ops_wave_flux},             \
    {"wave_normalise", ops_wave_normalise},
