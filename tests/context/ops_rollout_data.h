// ops_rollout_data.h: rows of test_ops.c for the parameters, noise and initial conditions of
// rollouts.

static void ops_rollout_sobol(ops_run *run)
{
    padic_rollout_sobol_desc desc = PADIC_ZERO;
    for (uint64_t n = 0; n < 40; n += 13)
        for (uint32_t plain = 0; plain < 2; plain++) {
            desc.out = padic_tensor_2d(n & 1 ? PADIC_U32 : PADIC_F64, NULL, n, 5);
            if (n == 26) desc.out.stride[0] = 1, desc.out.stride[1] = 30;
            desc.seed = n;
            desc.first = 3 * n;
            desc.plain = plain;
            ops_check(run, PADIC_OP_ROLLOUT_SOBOL, &desc, NULL);
        }
}

static void ops_rollout_place(void *element, uint64_t i, void *arg)
{
    const double u = (double)(test_random() >> 11) / 9007199254740992.0;
    (void)i;
    (void)arg;
    memcpy(element, &u, 8);
}

static void ops_rollout_points(const padic_tensor *t, uint32_t operand)
{
    (void)operand;
    ops_each(t, ops_rollout_place, NULL);
}

static void ops_rollout_map(ops_run *run)
{
    static const ops_case each = {"", ops_rollout_points, NULL};
    static const double weights[3] = {1, 0, 2};
    static const padic_rollout_parameter p[3] = {
        {PADIC_ROLLOUT_PARAMETER_LOG10, 1e-3, 10, 0, NULL},
        {PADIC_ROLLOUT_PARAMETER_INTEGER, 2, 5, 0, NULL},
        {PADIC_ROLLOUT_PARAMETER_CHOICE, 0, 0, 3, weights}};
    padic_rollout_map_params_desc desc = PADIC_ZERO;
    desc.parameters = p;
    desc.count = 3;
    for (uint64_t n = 0; n < 60; n += 17) {
        desc.points = desc.out = padic_tensor_2d(PADIC_F64, NULL, n, 3);
        if (n == 17) desc.points.stride[0] = 1, desc.points.stride[1] = 20;
        ops_check(run, PADIC_OP_ROLLOUT_MAP_PARAMS, &desc, &each);
    }
}

static void ops_rollout_discrepancy(ops_run *run) // its result is no tensor: tests/rollout has it
{
    static const ops_case each = {"", ops_rollout_points, NULL};
    static padic_rollout_discrepancy_report report;
    padic_rollout_discrepancy_desc desc = PADIC_ZERO;
    desc.report = &report;
    for (uint64_t n = 1; n < 60; n += 17) {
        const uint32_t done = run->done;
        desc.points = padic_tensor_2d(PADIC_F64, NULL, n, 4);
        ops_check(run, PADIC_OP_ROLLOUT_DISCREPANCY, &desc, &each);
        run->tried[PADIC_F64]++;
        run->yes[PADIC_F64] += run->done > done;
    }
}

static void ops_rollout_noise(ops_run *run)
{
    static const uint64_t shape[4] = {3, 2, 9, 14};
    padic_rollout_noise_desc desc = PADIC_ZERO;
    for (int type = 0; type < 4; type++)
        for (int way = 0; way < 3; way++) {
            if (type == PADIC_ROLLOUT_NOISE_DROPOUT && way) continue;
            desc.field = desc.out = padic_tensor_nd(PADIC_F32, NULL, way ? 4 : 3, shape + !way);
            if (way == 2) desc.out.stride[0] = 1, desc.out.stride[1] = 3;
            if (way == 2) desc.out.stride[2] = 6, desc.out.stride[3] = 54;
            desc.law.type = (padic_rollout_noise_type)type;
            desc.law.length = way;
            desc.seed = 5;
            desc.step = 3;
            ops_check(run, PADIC_OP_ROLLOUT_NOISE, &desc, NULL);
        }
}

static void ops_rollout_initial(ops_run *run)
{
    static const uint64_t shape[4] = {2, 3, 10, 7};
    padic_rollout_initial_desc desc = PADIC_ZERO;
    desc.wavelength = desc.width = 4;
    desc.k[0] = 1;
    desc.count = 4;
    desc.radii.a = desc.amplitudes.a = desc.weights[2] = 1;
    for (int kind = 0; kind < 21; kind++) {
        if (kind == PADIC_ROLLOUT_INITIAL_MULTISCALE || kind == PADIC_ROLLOUT_INITIAL_WAVES)
            continue; // needs terms or waves
        desc.out = padic_tensor_nd(PADIC_F32, NULL, kind & 1 ? 4 : 3, shape + !(kind & 1));
        desc.kind = (padic_rollout_initial_kind)kind;
        desc.exact = kind & 2;
        desc.exact >>= 1;
        ops_check(run, PADIC_OP_ROLLOUT_INITIAL, &desc, NULL);
    }
}

static void ops_rollout_reduce_exact(const void *desc_, double *want, double *slack)
{
    padic_rollout_reduce_desc desc = *(const padic_rollout_reduce_desc *)desc_;
    const uint64_t count = padic_tensor_count(&desc.out);
    desc.out.data = calloc((size_t)count + 1, 4);
    CHECK_EQ(padic_rollout_reduce(NULL, &desc), PADIC_OK);
    ops_rollout_want(&desc.out, want, slack);
    for (uint64_t i = 0; i < count; i++)
        if (want[i] == want[i]) slack[i] *= 1 + fabs(want[i]); // no NaN, as first frames have
}

static void ops_rollout_reduce(ops_run *run)
{
    static const padic_dtype types[3] = {PADIC_F32, PADIC_F16, PADIC_BF16};
    static const uint64_t shape[5] = {2, 3, 2, 6, 5};
    padic_rollout_reduce_desc desc = PADIC_ZERO;
    ops_case c = PADIC_ZERO;
    c.exact = ops_rollout_reduce_exact; // on devices within a bound
    for (int type = 0; type < 3; type++)
        for (uint32_t way = 0; way < 4; way++) {
            uint32_t columns;
            desc.metrics.metrics = way & 1 ? 4095 : 0;
            desc.metrics.per_channel = way >> 1;
            columns = padic_rollout_metrics_count(&desc.metrics, 2, 6, 5);
            desc.frames = padic_tensor_nd(types[type], NULL, 5, shape);
            desc.out = padic_tensor_3d(PADIC_F32, NULL, 2, 3, columns);
            ops_check_device(run, PADIC_OP_ROLLOUT_REDUCE, &desc, &c);
        }
}

#define OPS_ROLLOUT_DATA                                                                  \
    {"rollout_sobol", ops_rollout_sobol}, {"rollout_map_params", ops_rollout_map},        \
        {"rollout_discrepancy", ops_rollout_discrepancy},                                 \
        {"rollout_noise", ops_rollout_noise}, {"rollout_initial", ops_rollout_initial}, \
        {"rollout_reduce", ops_rollout_reduce},
