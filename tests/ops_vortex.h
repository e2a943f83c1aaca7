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

static const ops_case ops_vortex_case = {"", ops_vortex_input, NULL};

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
                desc.emit = PADIC_WAVE_INTENSITY;
                desc.out.dtype = PADIC_F32;
                desc.out.stride[0] = 2;
                desc.centres.stride[0] = 4;
                desc.centres.stride[1] = 1;
                desc.psi = padic_tensor_1d(PADIC_C64, NULL, n);
                desc.psi.stride[0] = -1;
            }
            ops_check(run, PADIC_OP_WAVE_VORTEX, &desc, &ops_vortex_case);
            if (run->perf) break;
        }
}

static void ops_wave_phase_gradient(ops_run *run)
{
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
                ops_check(run, PADIC_OP_WAVE_PHASE_GRADIENT, &desc, NULL);
            }
        }
}

// What is counted beside the map, which ops_check() does not see.
static void ops_winding_results(ops_run *run, uint32_t rank)
{
    static float psi[7 * 8 * 9][2];
    int64_t total[2][3];
    uint64_t other[2][2];
    padic_result result[2];
    for (uint32_t i = 0; i < 7 * 8 * 9; i++)
        for (uint32_t j = 0; j < 2; j++) psi[i][j] = (float)(test_random() % 7) - 3;
    for (uint32_t i = 0; i < 2; i++) {
        padic_wave_winding_desc desc = PADIC_ZERO;
        desc.psi = padic_tensor_3d(PADIC_C64, psi, 7, 8, 9);
        if (rank == 2) desc.psi = padic_tensor_2d(PADIC_C64, psi, 56, 9);
        desc.total = total[i];
        desc.absolute = &other[i][0];
        desc.undefined = &other[i][1];
        result[i] = padic_wave_winding(i ? run->context : NULL, &desc);
    }
    CHECK_EQ(result[0], PADIC_OK);
    CHECK(!result[1] || result[1] == PADIC_ERROR_NOT_SUPPORTED);
    if (result[1]) return;
    CHECK(!memcmp(total[0], total[1], sizeof total[0]));
    CHECK(!memcmp(other[0], other[1], sizeof other[0]));
    CHECK(other[0][0] > 20 && other[0][1] > 0);
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
