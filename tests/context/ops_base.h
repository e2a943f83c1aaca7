// ops_base.h: rows of test_ops.c for fill, copy and random_fill.

static void ops_fill(ops_run *run)
{
    static const unsigned char value[16] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
    for (uint32_t dtype = PADIC_F64; dtype <= PADIC_C128; dtype++) {
        padic_fill_desc desc = PADIC_ZERO;
        for (uint32_t i = 0; ops_view(run->perf, i, (padic_dtype)dtype, &desc.tensor); i++) {
            desc.value = NULL;
            ops_check(run, PADIC_OP_FILL, &desc, NULL);
            desc.value = value;
            ops_check(run, PADIC_OP_FILL, &desc, NULL);
        }
    }
}

static void ops_copy(ops_run *run)
{
    for (uint32_t dtype = PADIC_F64; dtype <= PADIC_C128; dtype++) {
        padic_copy_desc desc = PADIC_ZERO;
        for (uint32_t i = 0; ops_view(run->perf, i, (padic_dtype)dtype, &desc.from); i++) {
            desc.to = desc.from;
            ops_check(run, PADIC_OP_COPY, &desc, NULL);
            memset(desc.to.stride, 0, sizeof desc.to.stride);
            ops_check(run, PADIC_OP_COPY, &desc, NULL); // gathered
            desc.to = desc.from;
            memset(desc.from.stride, 0, sizeof desc.from.stride);
            ops_check(run, PADIC_OP_COPY, &desc, NULL); // scattered
        }
    }
}

static void ops_random_fill(ops_run *run)
{
    for (uint32_t dtype = PADIC_F64; dtype <= PADIC_C128; dtype++) {
        padic_random_fill_desc desc = PADIC_ZERO;
        desc.seed = UINT64_C(0x123456789abcdef0) + dtype;
        desc.stream = UINT64_C(0xfedcba9876543210);
        desc.step = 7;
        for (uint32_t i = 0; ops_view(run->perf, i, (padic_dtype)dtype, &desc.tensor); i++)
            ops_check(run, PADIC_OP_RANDOM_FILL, &desc, NULL);
    }
}

#define OPS_BASE {"fill", ops_fill}, {"copy", ops_copy}, {"random_fill", ops_random_fill},
