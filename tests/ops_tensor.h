// ops_tensor.h: rows of test_ops.c for tensor_gemm and tensor_contract.

static void ops_tensor_gemm(ops_run *run)
{
    static const uint64_t sizes[][3] = {{1, 1, 1}, {3, 4, 5}, {17, 1, 33}, {0, 3, 2}, {2, 3, 0}};
    static const padic_dtype types[] = {PADIC_F32, PADIC_F64, PADIC_C64, PADIC_C128};
    for (int d = 0; d < 4; d++)
        for (int i = 0; i < 5; i++) {
            padic_tensor_gemm_desc desc = PADIC_ZERO;
            desc.a = padic_tensor_2d(types[d], NULL, sizes[i][0], sizes[i][2]);
            desc.b = padic_tensor_2d(types[d], NULL, sizes[i][2], sizes[i][1]);
            desc.c = padic_tensor_2d(types[d], NULL, sizes[i][0], sizes[i][1]);
            ops_check(run, PADIC_OP_TENSOR_GEMM, &desc, NULL);
            desc.beta[0] = 0.5;
            ops_check(run, PADIC_OP_TENSOR_GEMM, &desc, NULL);
        }
}

static void ops_tensor_contract(ops_run *run)
{
    static const padic_dtype types[] = {PADIC_F32, PADIC_F64, PADIC_C64, PADIC_C128};
    for (int d = 0; d < 4; d++) {
        padic_tensor_contract_desc desc = PADIC_ZERO;
        desc.a = padic_tensor_3d(types[d], NULL, 3, 5, 7); // c_ikl = sum_j a_ijk b_lj
        desc.b = padic_tensor_2d(types[d], NULL, 2, 5);
        desc.c = padic_tensor_3d(types[d], NULL, 3, 7, 2);
        memcpy(desc.labels_a, "ijk", 3);
        memcpy(desc.labels_b, "lj", 2);
        memcpy(desc.labels_c, "ikl", 3);
        ops_check(run, PADIC_OP_TENSOR_CONTRACT, &desc, NULL);
    }
}

#define OPS_TENSOR {"tensor_gemm", ops_tensor_gemm}, {"tensor_contract", ops_tensor_contract},
