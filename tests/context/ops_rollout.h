// ops_rollout.h: rows of test_ops.c for rollouts of operators.

static void ops_rollout_weights(ops_run *run)
{
    static padic_rollout_node nodes[16];
    padic_rollout_nodes_cnn_desc cnn = PADIC_ZERO;
    padic_rollout_weights_init_desc desc = PADIC_ZERO;
    padic_rollout_operator_report report = PADIC_ZERO;
    cnn.width = 5;
    cnn.layers = run->perf ? 3 : 2;
    cnn.nodes = nodes;
    cnn.capacity = 16;
    desc.op.nodes = nodes;
    desc.op.count = padic_rollout_nodes_cnn(&cnn);
    desc.op.height = desc.op.width = 8;
    CHECK_EQ(padic_rollout_operator_info(NULL, &desc.op, &report), PADIC_OK);
    for (uint64_t n = 0; n < 4; n++) {
        desc.out = padic_tensor_2d(PADIC_F32, NULL, n, report.parameters);
        if (n == 3) desc.out.stride[0] = 2 * (int64_t)report.parameters, desc.out.stride[1] = 2;
        desc.ids = padic_tensor_1d(PADIC_U32, NULL, n);
        ops_check(run, PADIC_OP_ROLLOUT_WEIGHTS_INIT, &desc, NULL);
    }
}

// Vectors are not the reference bit by bit: tests/rollout has their errors.
static void ops_rollout_compare(ops_run *run, uint32_t op, const void *desc)
{
    if (strcmp(run->backend, "simd")) ops_check(run, op, desc, NULL);
    else ops_note(run, PADIC_F32, 1);
}

// The reference, which tests/rollout compares with loops of its own: states are about 1, and sums
// have few terms. Devices have f32.
static void ops_rollout_want(padic_tensor *out, double *want, double *slack)
{
    double *numbers = ops_numbers_of(out);
    for (uint64_t i = 0; i < padic_tensor_count(out); i++) {
        want[i] = numbers[i];
        slack[i] = out->dtype == PADIC_F32 ? 2e-5 : 1e-13;
    }
    free(numbers);
    free(out->data);
}

static void ops_rollout_apply_exact(const void *desc_, double *want, double *slack)
{
    padic_rollout_apply_desc desc = *(const padic_rollout_apply_desc *)desc_;
    desc.out.data = calloc((size_t)padic_tensor_count(&desc.out) + 1, 8);
    CHECK_EQ(padic_rollout_apply(NULL, &desc), PADIC_OK);
    ops_rollout_want(&desc.out, want, slack);
}

static void ops_rollout_run_exact(const void *desc_, double *want, double *slack)
{
    padic_rollout_run_desc desc = *(const padic_rollout_run_desc *)desc_;
    desc.out.data = calloc((size_t)padic_tensor_count(&desc.out) + 1, 8);
    CHECK_EQ(padic_rollout_run(NULL, &desc), PADIC_OK);
    ops_rollout_want(&desc.out, want, slack);
}

// On devices within a bound.
static void ops_rollout_device(ops_run *run, uint32_t op, const void *desc,
                               void (*exact)(const void *desc, double *want, double *slack))
{
    ops_case c = PADIC_ZERO;
    c.exact = exact;
    if (strcmp(run->backend, "simd")) ops_check_device(run, op, desc, &c);
    else ops_note(run, PADIC_F32, 1);
}

static void ops_rollout_run(ops_run *run)
{
    static const padic_dtype dtypes[] = {PADIC_F64, PADIC_F32};
    static padic_rollout_node nodes[8];
    padic_rollout_nodes_cnn_desc cnn = PADIC_ZERO;
    padic_rollout_operator_report report = PADIC_ZERO;
    cnn.width = 5;
    cnn.layers = 2;
    cnn.nodes = nodes;
    cnn.capacity = 8;
    for (uint32_t d = 0; d < 2; d++) {
        const uint64_t shape[4] = {2, 3, 9, 12}, frames[7] = {2, 2, 1, 3, 3, 9, 12};
        padic_rollout_run_desc desc = PADIC_ZERO;
        desc.op.nodes = nodes;
        desc.op.count = padic_rollout_nodes_cnn(&cnn);
        desc.op.height = 9;
        desc.op.width = 12;
        CHECK_EQ(padic_rollout_operator_info(NULL, &desc.op, &report), PADIC_OK);
        desc.weights = padic_tensor_2d(dtypes[d], NULL, 2, report.parameters);
        desc.initial = padic_tensor_nd(dtypes[d], NULL, 4, shape);
        desc.out = padic_tensor_nd(dtypes[d], NULL, 7, frames);
        desc.steps = 3;
        desc.policy = PADIC_ROLLOUT_POLICY_CONVEX;
        ops_rollout_device(run, PADIC_OP_ROLLOUT_RUN, &desc, ops_rollout_run_exact);
    }
}

// A plan is of one context: two of them, on the backend and without a context, each in parts.
static void ops_rollout_plan(ops_run *run)
{
    static padic_rollout_node nodes[8];
    const uint64_t initial[4] = {2, 3, 9, 12}, out[6] = {2, 2, 1, 3, 9, 12};
    const uint64_t frames[7] = {2, 2, 1, 3, 3, 9, 12};
    static float weights[2 * 4096], x[2 * 324], y[2][4 * 324], z[2][4 * 3 * 324];
    padic_rollout_nodes_cnn_desc cnn = PADIC_ZERO;
    padic_rollout_operator_report report = PADIC_ZERO;
    padic_rollout_plan_desc desc = PADIC_ZERO;
    padic_result result = PADIC_OK;
    if (run->perf) return;
    cnn.width = 5;
    cnn.layers = 2;
    cnn.nodes = nodes;
    cnn.capacity = 8;
    desc.run.op.nodes = nodes;
    desc.run.op.count = padic_rollout_nodes_cnn(&cnn);
    desc.run.op.height = 9;
    desc.run.op.width = 12;
    CHECK_EQ(padic_rollout_operator_info(NULL, &desc.run.op, &report), PADIC_OK);
    for (int i = 0; i < 2 * 4096; i++) weights[i] = (float)((int64_t)test_random() >> 40) / 2e7f;
    for (int i = 0; i < 2 * 324; i++) x[i] = (float)((int64_t)test_random() >> 40) / 2e7f;
    desc.run.weights = padic_tensor_2d(PADIC_F32, weights, 2, report.parameters);
    desc.run.initial = padic_tensor_nd(PADIC_F32, x, 4, initial);
    desc.run.steps = 3;
    for (int how = 0; how < 2 && !result; how++) {
        padic_context *context = how ? run->context : NULL;
        padic_rollout_plan_step_desc step = PADIC_ZERO;
        padic_rollout_plan_run_desc all = PADIC_ZERO;
        padic_rollout_plan_reset_desc reset = PADIC_ZERO;
        padic_rollout_plan_status_desc status = PADIC_ZERO;
        padic_rollout_plan_report at = PADIC_ZERO;
        result = padic_rollout_plan_create(context, &desc, &step.plan);
        all.plan = reset.plan = status.plan = step.plan;
        all.out = padic_tensor_nd(PADIC_F32, z[how], 7, frames);
        step.out = padic_tensor_nd(PADIC_F32, y[how], 6, out);
        status.report = &at;
        step.count = 2;
        if (!result) result = padic_rollout_plan_run(context, &all);
        if (!result) result = padic_rollout_plan_reset(context, &reset);
        if (!result) result = padic_rollout_plan_step(context, &step);
        if (!result) result = padic_rollout_plan_status(context, &status);
        CHECK(result || (at.step == 2 && at.size > 10000));
        for (int i = 0; i < 4 && !result; i++)
            CHECK(!memcmp(y[how] + i * 324, z[how] + (3 * i + 2) * 324, 324 * sizeof(float)));
        padic_rollout_plan_destroy(step.plan);
    }
    CHECK(!result || (run->context && result == PADIC_ERROR_NOT_SUPPORTED));
    for (int i = 0; i < 4 * 3 * 324 && !result; i++)
        CHECK_NEAR(z[0][i], z[1][i], 1e-4);
    ops_note(run, PADIC_F32, !result);
}

static void ops_rollout_apply(ops_run *run)
{
    static const padic_dtype dtypes[] = {PADIC_F64, PADIC_F32};
    static padic_rollout_node nodes[8];
    padic_rollout_nodes_cnn_desc cnn = PADIC_ZERO;
    padic_rollout_operator_report report = PADIC_ZERO;
    cnn.width = 5;
    cnn.layers = 2;
    cnn.nodes = nodes;
    cnn.capacity = 8;
    for (uint32_t d = 0; d < 2; d++) {
        const uint64_t shape[5] = {2, run->perf ? 8 : 1 + d, 3, 9, 12};
        padic_rollout_apply_desc desc = PADIC_ZERO;
        desc.op.nodes = nodes;
        desc.op.count = padic_rollout_nodes_cnn(&cnn);
        desc.op.height = 9;
        desc.op.width = 12;
        CHECK_EQ(padic_rollout_operator_info(NULL, &desc.op, &report), PADIC_OK);
        desc.weights = padic_tensor_2d(dtypes[d], NULL, 2, report.parameters);
        desc.state = padic_tensor_nd(dtypes[d], NULL, 5, shape);
        desc.out = desc.state;
        ops_rollout_device(run, PADIC_OP_ROLLOUT_APPLY, &desc, ops_rollout_apply_exact);
    }
}

static void ops_rollout_compare_row(ops_run *run)
{
    static padic_rollout_node nodes[2];
    padic_rollout_compare_desc desc = PADIC_ZERO;
    const uint64_t shape[4] = {2, 2, 5, 7}, out[5] = {2, 2, 3, 4, 2};
    memset(nodes, 0, sizeof nodes);
    nodes[1].kind = PADIC_ROLLOUT_KIND_NOISE, nodes[1].input = 1;
    desc.run.op.nodes = nodes, desc.run.op.count = 2, desc.run.op.channels = 2;
    desc.run.op.height = 5, desc.run.op.width = 7;
    desc.run.weights = padic_tensor_2d(PADIC_F32, NULL, 2, 36);
    desc.run.initial = padic_tensor_nd(PADIC_F32, NULL, 4, shape);
    desc.run.realisations = 3, desc.run.steps = 5;
    desc.run.output = PADIC_ROLLOUT_OUTPUT_NONE;
    desc.against = PADIC_ROLLOUT_PRECISION_BF16;
    desc.out = padic_tensor_nd(PADIC_F64, NULL, 5, out);
    ops_rollout_compare(run, PADIC_OP_ROLLOUT_COMPARE, &desc);
}

static void ops_rollout_probe(ops_run *run)
{
    static padic_rollout_node nodes[1];
    padic_rollout_probe_desc desc = PADIC_ZERO;
    const uint64_t shape[5] = {2, 3, 2, 5, 7};
    memset(nodes, 0, sizeof nodes);
    desc.op.nodes = nodes, desc.op.count = 1, desc.op.channels = 2;
    desc.op.height = 5, desc.op.width = 7;
    desc.weights = padic_tensor_2d(PADIC_F32, NULL, 2, 36);
    desc.state = padic_tensor_nd(PADIC_F32, NULL, 5, shape);
    desc.out = padic_tensor_3d(PADIC_F64, NULL, 2, 3, 13);
    ops_rollout_compare(run, PADIC_OP_ROLLOUT_PROBE, &desc);
}

static void ops_rollout_update(ops_run *run)
{
    static const padic_dtype dtypes[] = {PADIC_F64, PADIC_F32};
    for (uint32_t d = 0; d < 2; d++)
        for (uint32_t policy = 0; policy < 3; policy++)
            for (uint64_t n = 0; n < 4; n++) {
                const uint64_t shape[5] = {n, 2, 3, 5, 7};
                padic_rollout_update_desc desc = PADIC_ZERO;
                desc.policy = (padic_rollout_policy)policy;
                desc.before = padic_tensor_nd(dtypes[d], NULL, 5, shape);
                desc.output = desc.out = desc.before;
                ops_check(run, PADIC_OP_ROLLOUT_UPDATE, &desc, NULL);
            }
}

static void ops_rollout_postprocess(ops_run *run)
{
    static const padic_dtype dtypes[] = {PADIC_F64, PADIC_F32};
    for (uint32_t d = 0; d < 2; d++)
        for (uint32_t post = 0; post < 3; post++)
            for (uint64_t b = 0; b < 3; b++) {
                const uint64_t shape[4] = {b, 3, 5, 1 + 6 * b};
                padic_rollout_postprocess_desc desc = PADIC_ZERO;
                desc.post = (padic_rollout_post)post;
                desc.flags = PADIC_ROLLOUT_CLAMP;
                if (post && b % 2) desc.flags |= PADIC_ROLLOUT_POST_PER_CHANNEL;
                desc.lo = -1, desc.hi = 0.75;
                desc.state = padic_tensor_nd(dtypes[d], NULL, 4, shape);
                desc.out = desc.state;
                ops_check(run, PADIC_OP_ROLLOUT_POSTPROCESS, &desc, NULL);
            }
}

#define OPS_ROLLOUT                                                                         \
    {"rollout_weights_init", ops_rollout_weights}, {"rollout_apply", ops_rollout_apply}, \
        {"rollout_run", ops_rollout_run}, {"rollout_plan", ops_rollout_plan},               \
        {"rollout_update", ops_rollout_update},           \
        {"rollout_postprocess", ops_rollout_postprocess},                                   \
        {"rollout_compare", ops_rollout_compare_row}, {"rollout_probe", ops_rollout_probe},
