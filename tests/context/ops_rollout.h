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

#define OPS_ROLLOUT {"rollout_weights_init", ops_rollout_weights},
