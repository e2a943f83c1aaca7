// wave_scales.h: superpositions, gradients and frames on any context at distances from 0 to the end
// of f32 and f64, and at late times, against closed forms; for test_wave.c (the plain reference and
// kernels as plain C), test_simd_wave.c and test_ops.c.

#define SCALES_WORDS 48 // of 32 bits, 24 of them behind the point

// product/(2 pi) without whole turns, by digits: 1/(2 pi) is doubled and added bit by bit.
static long double scales_turns(const double *factors, int count)
{
    static const char decimals[] =
        "15915494309189533576888376337251436203445964574045644874766734405889679763422653509011380"
        "276625308595607284272675795803689291";
    uint32_t x[SCALES_WORDS] = {0}, y[SCALES_WORDS];
    long double turns = 0;
    int negative = 0, power = 0;
    for (int i = (int)sizeof decimals - 2; i >= 0; i--) { // x = (x + digit)/10
        uint64_t rest = (uint64_t)(decimals[i] - '0');
        x[SCALES_WORDS / 2] += (uint32_t)rest;
        rest = 0;
        for (int j = SCALES_WORDS; j-- > 0;) {
            rest = rest << 32 | x[j];
            x[j] = (uint32_t)(rest / 10);
            rest %= 10;
        }
    }
    for (int i = 0; i < count; i++) {
        int own;
        const double fraction = frexp(fabs(factors[i]), &own);
        const uint64_t whole = (uint64_t)ldexp(fraction, 53);
        negative ^= factors[i] < 0;
        power += own - 53;
        memset(y, 0, sizeof y);
        for (int bit = 52; bit >= 0; bit--) {
            uint64_t carry = 0;
            for (int j = 0; j < SCALES_WORDS; j++) {
                carry += 2 * (uint64_t)y[j] + (whole >> bit & 1 ? x[j] : 0);
                y[j] = (uint32_t)carry;
                carry >>= 32;
            }
        }
        memcpy(x, y, sizeof x);
    }
    for (; power > 0; power--)
        for (int j = SCALES_WORDS; j-- > 0;) x[j] = x[j] << 1 | (j ? x[j - 1] >> 31 : 0);
    for (; power < 0; power++)
        for (int j = 0; j < SCALES_WORDS; j++)
            x[j] = x[j] >> 1 | (j + 1 < SCALES_WORDS ? x[j + 1] << 31 : 0);
    for (int j = SCALES_WORDS / 2 - 4; j < SCALES_WORDS / 2; j++)
        turns = (turns + (long double)x[j]) / 4294967296.0L;
    return negative ? -turns : turns;
}

// Distances, the first ones of f64 alone; |r| < 1.0842e-19 squared is below f32's normal numbers.
static const double scales_r[] = {
    0,       1e-320,  1e-160,  1.4e-154, 1.6e-154, 1e-100,  1e-45,   1e-40,   1.2e-38, 1e-30,
    1e-25,   1e-20,   5e-20,   1.08e-19, 1.09e-19, 1.5e-19, 3e-19,   9e-19,   1e-18,   1.1e-18,
    1e-17,   1e-15,   1e-12,   1e-10,    1e-7,     1e-5,    1e-3,    .02,     .1,      1,
    3,       40,      1e3,     1e5,      1e7,      1e10,    1e14,    1e17,    1e18,    1e19,
    4e19,    1e25,    1e30,    1e38,     1.9e38,   1e39,    1e77,    1e100,   1e149};
#define SCALES_COUNT ((int)(sizeof scales_r / sizeof *scales_r))

// |psi| and |grad psi| at distance r of a source of amplitude 1; on: r^2 is no normal number.
static void scales_sizes(const padic_wave_superpose_desc *desc, double k, double r_, int on,
                         long double *size, long double *slope)
{
    const long double r = (long double)r_, a = (long double)desc->length, q = (long double)k;
    const long double big = sqrtl(r * r + a * a);
    long double over = r, falls;
    *size = *slope = 0;
    if (on && desc->softening == PADIC_WAVE_SOFTENING_NONE &&
        desc->kernel != PADIC_WAVE_KERNEL_GREEN1)
        return;
    if (desc->softening == PADIC_WAVE_SOFTENING_PLUMMER ||
        desc->softening == PADIC_WAVE_SOFTENING_PLUMMER_BOTH)
        over = big;
    if (desc->softening == PADIC_WAVE_SOFTENING_ADDED) over = r + a;
    if (desc->softening == PADIC_WAVE_SOFTENING_CLAMP && r < a) over = a;
    falls = 1 / over;
    if (desc->softening == PADIC_WAVE_SOFTENING_PLUMMER) falls = r / (over * over);
    *size = 1 / over;
    if (desc->kernel == PADIC_WAVE_KERNEL_GREEN3) *size /= 4 * 3.14159265358979323846L;
    if (desc->kernel == PADIC_WAVE_KERNEL_SQRT) {
        *size = sqrtl(*size);
        falls /= 2;
    }
    if (desc->kernel == PADIC_WAVE_KERNEL_GREEN1) {
        *size = 1 / (2 * fabsl(q));
        falls = 0;
    }
    *slope = *size * hypotl(q, falls);
    if (desc->softening == PADIC_WAVE_SOFTENING_PLUMMER_BOTH) *slope *= r / big;
    else if (on) *slope = 0;
    if (desc->softening == PADIC_WAVE_SOFTENING_CLAMP && r < a) *slope = 0;
}

// n points at distances r[] from a source at 0. single: inputs of f32; wide: outputs of f64;
// device: positions are two words of f32.
static void scales_run(padic_context *context, padic_wave_superpose_desc desc, const double *r,
                       int n, int single, int wide, int what, int device)
{
    enum { MOST = 128 };
    static double at[3 * MOST], zero[3], fine[8 * MOST];
    static float coarse_at[3 * MOST], coarse_zero[3], coarse[8 * MOST];
    static double k = 1;
    const uint32_t d = desc.kernel == PADIC_WAVE_KERNEL_GREEN1   ? 1
                       : desc.kernel == PADIC_WAVE_KERNEL_GREEN2 ? 2
                                                          : 3;
    const padic_dtype type = single ? PADIC_F32 : PADIC_F64;
    const padic_dtype of = wide ? PADIC_C128 : PADIC_C64;
    const double least = wide ? 1.4916681462400413e-154 : 1.0842021724855044e-19;
    const long double allowed = wide ? 1e-11L : 2e-5L;
    void *psi = wide ? (void *)fine : (void *)coarse, *grad = psi;
    padic_wave_superpose_report told = {12345, -1, 0, 0};
    uint64_t want = 0;
    double time0 = 0;
    int skipped = 0;
    padic_result result;
    static const double way[4][3] = {{1, 0, 0}, {.6, -.8, 0}, {-.48, .6, .64}, {0, 0, -1}};
    for (int i = 0; i < n; i++) {
        const double *to = d == 3 ? way[i & 3] : d == 2 ? way[i & 1] : way[0];
        for (uint32_t j = 0; j < d; j++) at[(uint32_t)i * d + j] = r[i] * to[j];
    }
    for (int i = 0; i < 3 * n; i++) coarse_at[i] = (float)at[i];
    desc.points = padic_tensor_2d(type, single ? (void *)coarse_at : (void *)at, (uint64_t)n, d);
    desc.sources = padic_tensor_2d(type, single ? (void *)coarse_zero : (void *)zero, 1, d);
    desc.wavenumber = padic_tensor_nd(PADIC_F64, &k, 0, NULL);
    desc.report = &told;
    memset(fine, 0x55, sizeof fine);
    memset(coarse, 0x55, sizeof coarse);
    grad = wide ? (void *)(fine + 2 * n) : (void *)(coarse + 2 * n);
    if (what == 1) {
        padic_wave_gradient_desc slope = PADIC_ZERO;
        desc.out = padic_tensor_1d(of, psi, (uint64_t)n);
        slope.field = desc;
        slope.out = padic_tensor_2d(of, grad, (uint64_t)n, d);
        result = padic_wave_gradient(context, &slope);
    } else if (what == 2) {
        padic_wave_frames_desc frames = PADIC_ZERO;
        desc.out = padic_tensor_2d(of, psi, 1, (uint64_t)n);
        frames.field = desc;
        frames.times = padic_tensor_1d(PADIC_F64, &time0, 1);
        result = padic_wave_frames(context, &frames);
    } else {
        desc.out = padic_tensor_1d(of, psi, (uint64_t)n);
        result = padic_wave_superpose(context, &desc);
    }
    CHECK_EQ(result, PADIC_OK);
    for (int i = 0; i < n && !result; i++) {
        long double x[8], size, slope, own = 0, lost = 0, re = 0, im = 0, wrong;
        double there = 0;
        int on;
        for (uint32_t j = 0; j < d; j++) {
            const uint32_t from = (uint32_t)i * d + j;
            const double c = single ? (double)coarse_at[from] : at[from];
            own += (long double)c * (long double)c;
            if (device && fabs(c) < (double)FLT_MIN) lost += (long double)c * (long double)c;
        }
        there = (double)sqrtl(own);
        on = there < least;
        if (fabs(there - least) < 1e-5 * least) skipped = 1; // either will do
        want += (uint64_t)on;
        for (int j = 0; j < 2; j++)
            x[j] = wide ? (long double)fine[2 * i + j] : (long double)coarse[2 * i + j];
        for (uint32_t j = 0; j < 2 * d; j++) {
            const int from = 2 * n + 2 * i * (int)d + (int)j;
            x[2 + j] = wide ? (long double)fine[from] : (long double)coarse[from];
        }
        scales_sizes(&desc, k, there, on, &size, &slope);
        if (desc.kernel == PADIC_WAVE_KERNEL_GREEN2 ||
            desc.softening == PADIC_WAVE_SOFTENING_SHELL) {
            // Closed forms elsewhere: here that it is finite, and 0 where it is left out.
            CHECK(x[0] - x[0] == 0 && x[1] - x[1] == 0);
            if (on && desc.softening == PADIC_WAVE_SOFTENING_NONE) CHECK(x[0] == 0 && x[1] == 0);
            for (uint32_t j = 0; j < 2 * d && what == 1; j++) CHECK(x[2 + j] - x[2 + j] == 0);
            continue;
        }
        wrong = fabsl(hypotl(x[0], x[1]) - size);
        CHECK(wrong <= allowed * size + (wide ? 1e-305L : 2e-37L));
        for (uint32_t j = 0; j < d && what == 1; j++) {
            re += x[2 + 2 * j] * x[2 + 2 * j];
            im += x[3 + 2 * j] * x[3 + 2 * j];
        }
        wrong = fabsl(sqrtl(re + im) - slope);
        // A device may take such coordinates for 0; this near a source slopes go as r.
        if (lost > 0) wrong -= slope * sqrtl(lost / own);
        if (what == 1) CHECK(wrong <= 2 * allowed * slope + (wide ? 1e-305L : 2e-37L));
    }
    if (!result && !skipped)
        CHECK_EQ(told.coincident, desc.softening == PADIC_WAVE_SOFTENING_NONE &&
                                     desc.kernel != PADIC_WAVE_KERNEL_GREEN1 ? want : 0);
    CHECK(result || (told.error_bound >= 0 && told.error_bound - told.error_bound == 0));
}

// A kernel and softening at every distance up to `most`: each alone, 100 points of about that one,
// and all together; what: 0 the field, 1 its gradient, 2 frames.
static void scales_of(padic_context *context, padic_wave_kernel kernel, padic_wave_softening soft,
                      int what, int wide, double most)
{
    for (int single = 0; single < 2; single++) {
        const double end = single && most > 2e38 ? 2e38 : most;
        const int device = most <= 1e15; // others reach farther
        padic_wave_superpose_desc desc = PADIC_ZERO;
        double r[100];
        int n = 0;
        desc.kernel = kernel;
        desc.softening = soft;
        desc.length = .1;
        if (padici_wave_check_softening(NULL, &desc)) return;
        for (int i = 0; i < SCALES_COUNT; i++) {
            if (scales_r[i] > end) continue;
            scales_run(context, desc, &scales_r[i], 1, single, wide, what, device);
            for (int j = 0; j < 100; j++) r[j] = scales_r[i] * (1 - 2e-3 * j);
            if (!test_tiny) scales_run(context, desc, r, 100, single, wide, what, device);
        }
        for (int i = 0; i < SCALES_COUNT; i++)
            if (scales_r[i] <= end) r[n++] = scales_r[i];
        scales_run(context, desc, r, n, single, wide, what, device);
    }
}

PADICI_UNUSED static void scales(padic_context *context, int wide, double most)
{
    for (int kernel = 0; kernel < 5; kernel++)
        for (int soft = 0; soft < 6; soft++)
            for (int what = 0; what < 3; what++)
                scales_of(context, (padic_wave_kernel)kernel, (padic_wave_softening)soft, what,
                          wide, most);
}

// w t from 1 to `most`: no phase is wrong by more than the run reports, and late times cost
// nothing: `tight` is what may be reported. ways: w; k and a speed; in f32.
PADICI_UNUSED static void scales_late(padic_context *context, int wide, double most, double tight)
{
    enum { M = 6 };
    static double sources[M][3], w[M], fine[2 * M];
    static float single[M], coarse[2 * M];
    double at[3] = {0, 0, 0};
    for (int round = 0; round < (test_tiny ? 60 : 600); round++) {
        const int way = round % 3, what = round / 3 % 2;
        const double reach = pow(10, (double)(round % 20) / 19 * log10(most));
        for (int m = 0; m < M; m++) { // one source at a time is heard
            padic_wave_superpose_desc desc = PADIC_ZERO;
            double amplitude[M] = {0}, phase[M] = {0}, factors[3], late[2];
            const double u = (double)(test_random() >> 11) / 9007199254740992.0;
            long double turns, off, other, re, im;
            padic_wave_superpose_report told = {0, -1, 0, 0};
            padic_result result;
            for (int j = 0; j < M; j++) {
                for (int a = 0; a < 3; a++) sources[j][a] = a == j % 3 ? 1 + j * .25 : 0;
                w[j] = (1 + (double)(test_random() >> 11) / 9007199254740992.0) * (j & 1 ? -1 : 1);
                single[j] = (float)w[j];
            }
            amplitude[m] = 1;
            phase[m] = way ? (u - .5) * reach : u;
            desc.points = padic_tensor_2d(PADIC_F64, at, 1, 3);
            desc.sources = padic_tensor_2d(PADIC_F64, sources, M, 3);
            desc.amplitude = padic_tensor_1d(PADIC_F64, amplitude, M);
            desc.phase = padic_tensor_1d(PADIC_F64, phase, M);
            desc.speed = 1.25 + u;
            desc.time = reach * (1 + u);
            desc.report = &told;
            desc.frequency = padic_tensor_1d(way == 2 ? PADIC_F32 : PADIC_F64,
                                             way == 2 ? (void *)single : (void *)w, M);
            factors[0] = way == 2 ? (double)single[m] : w[m];
            factors[1] = desc.time;
            factors[2] = desc.speed;
            if (way == 1) {
                desc.wavenumber = desc.frequency;
                memset(&desc.frequency, 0, sizeof desc.frequency);
            }
            desc.out = padic_tensor_1d(wide ? PADIC_C128 : PADIC_C64,
                                       wide ? (void *)fine : (void *)coarse, 1);
            turns = -scales_turns(factors, way == 1 ? 3 : 2);
            if (what) { // frames: the time is a sum
                padic_wave_frames_desc frames = PADIC_ZERO;
                late[0] = desc.time / 3;
                late[1] = desc.time;
                desc.time = 1 + u;
                desc.out = padic_tensor_2d(wide ? PADIC_C128 : PADIC_C64,
                                           wide ? (void *)fine : (void *)coarse, 2, 1);
                frames.field = desc;
                frames.times = padic_tensor_1d(PADIC_F64, late, 2);
                result = padic_wave_frames(context, &frames);
                factors[1] = desc.time;
                turns -= scales_turns(factors, way == 1 ? 3 : 2);
            } else {
                result = padic_wave_superpose(context, &desc);
            }
            CHECK_EQ(result, PADIC_OK);
            if (result) continue;
            factors[0] = phase[m];
            turns += scales_turns(factors, 1);
            factors[0] = way == 2 ? (double)single[m] : w[m]; // k, which is small, is rounded once
            other = (long double)(way == 1 ? w[m] : factors[0] / desc.speed);
            turns += other * (1 + m * .25L) / (2 * 3.14159265358979323846264338327950288L);
            re = wide ? (long double)fine[what * 2] : (long double)coarse[what * 2];
            im = wide ? (long double)fine[what * 2 + 1] : (long double)coarse[what * 2 + 1];
            off = atan2l(im, re) / (2 * 3.14159265358979323846264338327950288L) - turns;
            off = fabsl(off - floorl(off + .5L));
            // 1e-6 radians of sines
            CHECK(off <= (long double)told.error_bound + (wide ? 1e-19L : 1.6e-7L));
            CHECK(told.error_bound <= tight);
        }
    }
}
