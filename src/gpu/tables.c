// --------------------------------------------------------------------------------------- >>tables
//
// An area adds its tables here. Drivers: operations of the op table, X(NAME, name) for
// padici_gpu_name(gpu, call, query). Layers: kernels below the operations, X(first, name) for
// padici_gpu_name(gpu, kernel, call, query), numbers first to first + 999.

#define PADICI_GPU_DRIVERS(X) \
    PADICI_GPU_DRIVERS_BASE(X) PADICI_GPU_DRIVERS_WAVE(X) PADICI_GPU_DRIVERS_TENSOR(X)
#define PADICI_GPU_TESTS(X)                             \
    PADICI_GPU_TESTS_BASE(X) PADICI_GPU_TESTS_NUM(X)    \
    PADICI_GPU_TESTS_WAVE(X) PADICI_GPU_TESTS_SPARSE(X) \
    PADICI_GPU_TESTS_TENSOR(X) PADICI_GPU_TESTS_CODEC(X) PADICI_GPU_TESTS_SAMPLE(X)
#define PADICI_GPU_LAYERS(X)                              \
    PADICI_GPU_LAYERS_NUM(X) PADICI_GPU_LAYERS_SPARSE(X)  \
    PADICI_GPU_LAYERS_CODEC(X) PADICI_GPU_LAYERS_SAMPLE(X)
// Tunables: X(name) for padici_tunable_name. What padic_prewarm() builds: X(area, name) for
// padici_warm_name(gpu), which calls padici_gpu_need() for the kernels that most calls use.
#define PADICI_GPU_TUNABLES(X) \
    PADICI_GPU_TUNABLES_BASE(X) PADICI_GPU_TUNABLES_WAVE(X) PADICI_GPU_TUNABLES_TENSOR(X)
#define PADICI_GPU_WARM(X)                            \
    PADICI_GPU_WARM_BASE(X) PADICI_GPU_WARM_NUM(X)    \
    PADICI_GPU_WARM_SPARSE(X) PADICI_GPU_WARM_WAVE(X) \
    PADICI_GPU_WARM_TENSOR(X) PADICI_GPU_WARM_CODEC(X) PADICI_GPU_WARM_SAMPLE(X)

static padici_gpu_test_fn padici_gpu_test_of(uint32_t kernel)
{
    switch (kernel) {
#define PADICI_GPU_TEST_ROW(NAME, name) \
    case PADICI_KERNEL_##NAME: return padici_test_##name;
        PADICI_GPU_TESTS(PADICI_GPU_TEST_ROW)
#undef PADICI_GPU_TEST_ROW
    default: return NULL;
    }
}

