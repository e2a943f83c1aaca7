// ops_vortex.h: rows of test_ops.c for wave_vortex, wave_phase_gradient and wave_winding.

static const char *ops_vortex_kinds; // of the operands: p positions, a axes, q charges, x cores

static void ops_vortex_number(void *element, uint64_t i, void *arg)
{
    const char *kind = (const char *)arg; // and whether it is f64
    const double u = (double)(test_random() >> 11) / 9007199254740992.0;
    double value = 4 * u - 2;
    float single;
    if (*kind == 'a') value = i % 3 == i / 3 % 3 ? (i & 1 ? -1 : 1) : 0;
    if (*kind == 'q') value = (double)(test_random() % 7) - 3;
    if (*kind == '1') value = u < 0.5 ? -1 : 1;
    if (*kind == 'x') value = 0.25 + u;
    single = (float)value;
    if (kind[1]) memcpy(element, &value, 8);
    else memcpy(element, &single, 4);
}

static void ops_vortex_input(const padic_tensor *t, uint32_t operand)
{
    char kind[2];
    kind[0] = ops_vortex_kinds[operand];
    kind[1] = t->dtype == PADIC_F64;
    if (t->dtype == PADIC_C64 || t->dtype == PADIC_C128) ops_random(t);
    else ops_each(t, ops_vortex_number, kind);
}

// The product by modulus and angle, in f64. Devices: the area's bound, 5e-7 a factor.
static void ops_vortex_line(const padic_wave_vortex_desc *desc, const double at[3],
                            const double centre[3], const double axis[3], double q, double xi,
                            double *modulus, double *angle)
{
    const double length = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
    double n[3], e1[3], e2[3], d[3], x = 0, y = 0, size = 0, rho, m, r;
    const int from = fabs(axis[0] / length) > 0.9;
    for (int i = 0; i < 3; i++) {
        n[i] = axis[i] / length;
        d[i] = at[i] - centre[i];
    }
    for (int i = 0; i < 3; i++) {
        e1[i] = (i == from ? 1 : 0) - n[from] * n[i];
        size += e1[i] * e1[i];
    }
    for (int i = 0; i < 3; i++) e1[i] /= sqrt(size);
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        e2[i] = n[j] * e1[k] - n[k] * e1[j];
    }
    for (int i = 0; i < 3; i++) {
        x += d[i] * e1[i];
        y += d[i] * e2[i];
    }
    rho = hypot(x, y);
    r = rho / xi;
    m = desc->core == PADIC_WAVE_CORE_NONE ? rho > 0 : rho / hypot(rho, xi);
    if (desc->core == PADIC_WAVE_CORE_PADE)
        m = sqrt(r * r * (0.34011 + 0.0464431 * r * r) /
                 (1 + 0.3865531 * r * r + 0.0464431 * r * r * r * r));
    if (desc->core == PADIC_WAVE_CORE_LEGACY) {
        *modulus *= tanh(sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]) / (xi > 0 ? xi : 0.1));
        *angle += q * atan2(d[1], d[0]);
        return;
    }
    *modulus *= pow(m, fabs(q));
    *angle += q * atan2(y, x);
}

static void ops_vortex_exact(const void *desc_, double *want, double *slack)
{
    const padic_wave_vortex_desc *desc = (const padic_wave_vortex_desc *)desc_;
    const uint32_t rgba = desc->output == PADIC_WAVE_OUTPUT_RGBA8;
    const uint64_t lines = desc->centres.shape[0], n = padic_tensor_count(&desc->out) >> 2 * rgba;
    const uint64_t count[3] = {desc->grid.count[0] ? desc->grid.count[0] : 1,
                               desc->grid.count[1] ? desc->grid.count[1] : 1,
                               desc->grid.count[2] ? desc->grid.count[2] : 1};
    double *points = ops_numbers_of(&desc->points), *centres = ops_numbers_of(&desc->centres);
    double *axes = ops_numbers_of(&desc->axes), *charges = ops_numbers_of(&desc->charges);
    double *cores = ops_numbers_of(&desc->cores), *psi = ops_numbers_of(&desc->psi);
    const int wide = desc->out.dtype == PADIC_C128 || desc->out.dtype == PADIC_F64;
    for (uint64_t i = 0; i < n; i++) {
        double at[3] = {0, 0, 0}, modulus = 1, angle = 0, re, im, bound = 2;
        const uint64_t place[3] = {i / count[2] / count[1], i / count[2] % count[1], i % count[2]};
        for (uint32_t j = 0; j < 3; j++) {
            if (desc->points.dtype) {
                if (j < desc->points.shape[1]) at[j] = points[i * desc->points.shape[1] + j];
                continue;
            }
            at[j] = desc->grid.origin[j];
            for (uint32_t a = 0; a < 3; a++)
                at[j] += (double)place[a] * desc->grid.step[a] * desc->grid.axis[a][j];
        }
        if (desc->psi.dtype) {
            modulus = hypot(psi[2 * i], psi[2 * i + 1]);
            angle = atan2(psi[2 * i + 1], psi[2 * i]);
        }
        for (uint64_t v = 0; v < lines; v++) {
            double centre[3] = {0, 0, 0};
            const double up[3] = {0, 0, 1};
            const double q = desc->charges.dtype ? charges[desc->charges.rank ? v : 0] : 1;
            for (uint32_t j = 0; j < desc->centres.shape[1]; j++)
                centre[j] = centres[v * desc->centres.shape[1] + j];
            ops_vortex_line(desc, at, centre, desc->axes.dtype ? axes + 3 * v : up, q,
                            desc->cores.dtype ? cores[desc->cores.rank ? v : 0] : 0, &modulus,
                            &angle);
            bound += fabs(q) + 1;
        }
        bound *= (wide ? 2e-15 : 5e-7);
        re = modulus * cos(angle);
        im = modulus * sin(angle);
        if (rgba) {
            ops_tone_pixel(&desc->tone, re, im, 0, want + 4 * i);
            for (uint32_t j = 0; j < 4; j++) slack[4 * i + j] = 1;
        } else if (desc->output == PADIC_WAVE_OUTPUT_COMPLEX) {
            want[2 * i] = re;
            want[2 * i + 1] = im;
            slack[2 * i] = slack[2 * i + 1] = bound * modulus + 1e-37;
        } else {
            want[i] = ops_field_seen((int)desc->output, re, im);
            slack[i] =
                2 * bound * (desc->output == PADIC_WAVE_OUTPUT_INTENSITY ? want[i]
                             : modulus) + 1e-37;
        }
    }
    free(points);
    free(centres);
    free(axes);
    free(charges);
    free(cores);
    free(psi);
}

static const ops_case ops_vortex_case = {"", ops_vortex_input, ops_vortex_exact};

// Vectors, too, are within the bound; f64 is the reference's, bit for bit.
static void ops_vortex_check(ops_run *run, const padic_wave_vortex_desc *desc)
{
    if (desc->out.dtype == PADIC_C128 || desc->out.dtype == PADIC_F64)
        ops_check_device(run, PADIC_OP_WAVE_VORTEX, desc, &ops_vortex_case);
    else
        ops_check(run, PADIC_OP_WAVE_VORTEX, desc, &ops_vortex_case);
}

// On a grid: a plane askew, pixels of a volume, a line of one point.
static void ops_vortex_grids(ops_run *run)
{
    static const uint64_t shapes[4][4] = {
        {37, 29, 1, 0}, {5, 7, 19, 4}, {1, 1, 1, 0}, {3, 1, 67, 0}};
    for (uint32_t i = 0; i < 4; i++) {
        padic_wave_vortex_desc desc = PADIC_ZERO;
        ops_vortex_kinds = "paqxp";
        for (uint32_t a = 0; a < 3; a++) {
            desc.grid.count[a] = (uint32_t)shapes[i][a];
            desc.grid.step[a] = 0.11 + 0.02 * a;
            desc.grid.origin[a] = -0.9 + 0.1 * a;
            desc.grid.axis[a][a] = a == 2 ? 1 : 0.8;
        }
        desc.grid.axis[0][1] = 0.6;
        desc.grid.axis[1][0] = -0.6;
        desc.core = i & 1 ? PADIC_WAVE_CORE_NONE : PADIC_WAVE_CORE_RATIONAL;
        desc.centres = padic_tensor_2d(PADIC_F64, NULL, 7, 3);
        desc.axes = padic_tensor_2d(PADIC_F32, NULL, 7, 3);
        desc.charges = padic_tensor_1d(PADIC_F64, NULL, 7);
        desc.cores = padic_tensor_1d(PADIC_F64, NULL, 7);
        desc.out = padic_tensor_nd(PADIC_C64, NULL, 3, shapes[i]);
        if (i == 1) {
            desc.out = padic_tensor_nd(PADIC_U8, NULL, 4, shapes[i]);
            desc.output = PADIC_WAVE_OUTPUT_RGBA8;
            desc.tone.map = PADIC_WAVE_MAP_HUE;
        } else if (i != 2) { // the first axis is contiguous
            desc.psi = padic_tensor_nd(PADIC_C64, NULL, 3, shapes[i]);
            desc.out.stride[0] = 1;
            desc.out.stride[1] = (int64_t)shapes[i][0];
            desc.out.stride[2] = (int64_t)(shapes[i][0] * shapes[i][1]);
        }
        ops_vortex_check(run, &desc);
    }
}

static void ops_wave_vortex(ops_run *run)
{
    static const uint64_t sizes[][2] = {{0, 3}, {1, 1}, {1, 0}, {3, 65}, {67, 19}, {700, 10}};
    static const char *const kinds[4] = {"ppaqx", "ppa1x", "ppaqx", "ppqx"};
    for (int core = 0; core < 4; core++)
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            const uint64_t n = run->perf ? 1000000 : sizes[i][0], v = run->perf ? 10 : sizes[i][1];
            padic_wave_vortex_desc desc = PADIC_ZERO;
            ops_vortex_kinds = kinds[core];
            desc.core = (padic_wave_core)core;
            desc.points = padic_tensor_2d(i & 1 ? PADIC_F64 : PADIC_F32, NULL, n, 3);
            desc.centres = padic_tensor_2d(PADIC_F32, NULL, v, i == 4 ? 2 : 3);
            if (core != PADIC_WAVE_CORE_LEGACY)
                desc.axes = padic_tensor_2d(PADIC_F64, NULL, v, 3);
            desc.charges = padic_tensor_1d(PADIC_F32, NULL, v);
            desc.cores = padic_tensor_nd(PADIC_F32, NULL, 0, NULL);
            desc.out = padic_tensor_1d(i & 1 ? PADIC_C128 : PADIC_C64, NULL, n);
            if (i == 5) { // and strides
                desc.output = PADIC_WAVE_OUTPUT_INTENSITY;
                desc.out.dtype = PADIC_F32;
                desc.out.stride[0] = 2;
                desc.centres.stride[0] = 4;
                desc.centres.stride[1] = 1;
                desc.psi = padic_tensor_1d(PADIC_C64, NULL, n);
                desc.psi.stride[0] = -1;
            }
            ops_vortex_check(run, &desc);
            if (run->perf) break;
        }
    if (!run->perf) ops_vortex_grids(run);
}

// Slopes from the angles of samples, in f64; devices: the area's bound.
static void ops_gradient_exact(const void *desc_, double *want, double *slack)
{
    const padic_wave_phase_gradient_desc *desc = (const padic_wave_phase_gradient_desc *)desc_;
    const double unit = desc->out.dtype == PADIC_F32 ? 6e-7 : 1e-14, pi = 3.14159265358979324;
    const uint32_t rank = desc->psi.rank;
    const uint64_t *shape = desc->psi.shape;
    double *psi = ops_numbers_of(&desc->psi);
    for (uint64_t i = 0; i < padic_tensor_count(&desc->psi); i++) {
        const double *h = psi + 2 * i, size = h[0] * h[0] + h[1] * h[1];
        uint64_t inner = 1;
        for (uint32_t a = rank; a-- > 0; inner *= shape[a]) {
            const uint64_t own = i / inner % shape[a];
            const double step = desc->step[a] > 0 ? desc->step[a] : 1;
            const double *side[2] = {h, h};
            double total = 0, off = 0, links = 0;
            for (int s = 0; s < 2; s++) { // the left one, the right one
                const uint64_t next = (own + (s ? 1 : shape[a] - 1)) % shape[a];
                const int inside = s ? own + 1 < shape[a] : own > 0;
                if (!inside && !(desc->periodic >> a & 1)) continue;
                side[s] = psi + 2 * (i - own * inner + next * inner);
                links++;
            }
            if (desc->method == PADIC_WAVE_PHASE_CURRENT) {
                const double dr = side[1][0] - side[0][0], di = side[1][1] - side[0][1];
                total = (h[0] * di - h[1] * dr) / size;
                off = fabs(total) + (unit < 1e-9 ? 1 : 1e-5) * hypot(dr, di) / sqrt(size);
            } else {
                const double mid = atan2(h[1], h[0]);
                const double l = atan2(side[0][1], side[0][0]), r = atan2(side[1][1], side[1][0]);
                const double one = desc->method ? l : remainder(mid - l, 2 * pi);
                const double two = desc->method ? r : remainder(r - mid, 2 * pi);
                total = desc->method ? two - one : one + two;
                off = fabs(one) + fabs(two) + (unit < 1e-9 ? 0.1 : 0); // f64: products cancel
            }
            want[i * rank + a] = slack[i * rank + a] = 0;
            if (size <= desc->floor || links == 0) continue;
            want[i * rank + a] = total / links / step * desc->scale;
            slack[i * rank + a] = unit * off / links / step * desc->scale + 1e-37;
        }
    }
    free(psi);
}

static const ops_case ops_gradient_case = {"", ops_field_input, ops_gradient_exact};

// What is counted, and the cut: a phase of pi belongs to the link, -pi does not, whatever the signs
// of zeros are.
static void ops_gradient_results(ops_run *run)
{
    static float psi[33][41][2], out[2][33][41][2];
    padic_wave_phase_gradient_report told[2] = {{0}, {0}};
    for (int real_ = 0; real_ < 2; real_++) {
        padic_result result[2];
        for (uint32_t i = 0; i < 33 * 41; i++)
            for (uint32_t j = 0; j < 2; j++)
                psi[i / 41][i % 41][j] =
                    j && real_ ? (test_random() & 1 ? 0.0f : -0.0f)
                               : (float)(int32_t)(test_random() % 7) - 3;
        for (uint32_t i = 0; i < 2; i++) {
            padic_wave_phase_gradient_desc desc = PADIC_ZERO;
            desc.psi = padic_tensor_2d(PADIC_C64, psi, 33, 41);
            desc.out = padic_tensor_3d(PADIC_F32, out[i], 33, 41, 2);
            desc.periodic = 3;
            desc.floor = real_ ? 0 : 2;
            desc.report = &told[i];
            result[i] = padic_wave_phase_gradient(i ? run->context : NULL, &desc);
        }
        CHECK_EQ(result[0], PADIC_OK);
        CHECK(!result[1] || result[1] == PADIC_ERROR_NOT_SUPPORTED);
        if (result[1]) return;
        CHECK_EQ(told[0].skipped, told[1].skipped);
        CHECK(told[0].skipped > 20 && told[0].skipped < 1000);
        for (uint32_t i = 0; i < 33 * 41; i++)
            for (uint32_t j = 0; j < 2; j++) {
                const double a = out[0][i / 41][i % 41][j], b = out[1][i / 41][i % 41][j];
                CHECK(fabs(a - b) < 3e-6);
                CHECK(!real_ || a >= 0); // links of pi and 0
            }
    }
}

static void ops_wave_phase_gradient(ops_run *run)
{
    ops_gradient_results(run);
    for (int d = 0; d < 2; d++)
        for (int method = 0; method < 3; method++) {
            padic_tensor view = PADIC_ZERO;
            const padic_dtype complex_ = d ? PADIC_C128 : PADIC_C64;
            for (uint32_t i = 0; ops_view(run->perf, i, complex_, &view); i++) {
                padic_wave_phase_gradient_desc desc = PADIC_ZERO;
                if (!view.rank || view.rank > 3) continue;
                desc.psi = view;
                desc.method = (padic_wave_phase_method)method;
                desc.periodic = i & ((1u << view.rank) - 1);
                desc.scale = 0.5;
                desc.floor = 0.01;
                if (method != PADIC_WAVE_PHASE_LEGACY) desc.step[0] = 0.25;
                desc.out = padic_tensor_nd(d ? PADIC_F64 : PADIC_F32, NULL, view.rank + 1,
                                           view.shape);
                desc.out.shape[view.rank] = view.rank;
                ops_field_power = 0;
                ops_check_vectors(run, PADIC_OP_WAVE_PHASE_GRADIENT, &desc, &ops_gradient_case);
            }
        }
}

// What is counted beside the map, which ops_check() does not see.
static void ops_winding_results(ops_run *run, uint32_t rank)
{
    static float psi[7 * 8 * 9][2];
    padic_wave_winding_report told[2];
    padic_result result[2];
    for (uint32_t i = 0; i < 7 * 8 * 9; i++)
        for (uint32_t j = 0; j < 2; j++) psi[i][j] = (float)(test_random() % 7) - 3;
    for (uint32_t i = 0; i < 2; i++) {
        padic_wave_winding_desc desc = PADIC_ZERO;
        desc.psi = padic_tensor_3d(PADIC_C64, psi, 7, 8, 9);
        if (rank == 2) desc.psi = padic_tensor_2d(PADIC_C64, psi, 56, 9);
        desc.report = &told[i];
        result[i] = padic_wave_winding(i ? run->context : NULL, &desc);
    }
    CHECK_EQ(result[0], PADIC_OK);
    CHECK(!result[1] || result[1] == PADIC_ERROR_NOT_SUPPORTED);
    if (result[1]) return;
    CHECK(!memcmp(&told[0], &told[1], sizeof told[0]));
    CHECK(told[0].absolute > 20 && told[0].undefined > 0);
}

static void ops_wave_winding(ops_run *run)
{
    ops_winding_results(run, 2);
    ops_winding_results(run, 3);
    for (int d = 0; d < 2; d++) {
        padic_tensor view = PADIC_ZERO;
        for (uint32_t i = 0; ops_view(run->perf, i, d ? PADIC_C128 : PADIC_C64, &view); i++) {
            padic_wave_winding_desc desc = PADIC_ZERO;
            const uint32_t lead = view.rank == 3;
            if (view.rank != 2 && view.rank != 3) continue;
            desc.psi = view;
            desc.periodic = i & 3;
            desc.map = padic_tensor_nd(PADIC_I8, NULL, view.rank + lead, view.shape);
            if (lead) {
                desc.map.shape[0] = 3;
                memcpy(desc.map.shape + 1, view.shape, 3 * sizeof *view.shape);
            }
            ops_check(run, PADIC_OP_WAVE_WINDING, &desc, NULL);
        }
    }
}

#define OPS_VORTEX                                       \
    {"wave_vortex", ops_wave_vortex},                    \
    {"wave_phase_gradient", ops_wave_phase_gradient},    \
    {"wave_winding", ops_wave_winding},
