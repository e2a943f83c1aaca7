#include "../../sample/checks.h"
#include "../../sample/driver.h"
#include "../../sample/sample.h"
#include "../tables.h"
#include "../tests.h"
#include "../texts.h"
#include "points.h"

#if PADICI_IMPLEMENT_GPU && !defined(PADIC_NO_SAMPLE)

// Known answers: 301 numbers by the host, one of them out of range, in every task, of short and of
// long indices, to all four types.

#define PADICI_SAMPLE_KNOWN 301u

// The base and the type of each round.
static void padici_gpu_sample_round(uint32_t maps, uint32_t round, uint32_t nodes,
                                    padici_sample_job *job, padici_sample_radix *x)
{
    static const uint32_t bases[] = {3, 2, 5, 7, 257, 4};
    static const padic_dtype dtypes[] = {PADIC_F32, PADIC_U32, PADIC_U64, PADIC_F64};
    const uint32_t is_long = round / 2 % 2;
    const padici_sample_task task =
        maps ? round % 4 == 3 ? PADICI_SAMPLE_VALUE : (padici_sample_task)(round % 4)
             : round == 5 ? PADICI_SAMPLE_RATIO : PADICI_SAMPLE_VALUE;
    memset(job, 0, sizeof *job);
    padici_sample_radix_make(x, bases[round % 6], (int)is_long);
    job->task = maps && round == 7 ? PADICI_SAMPLE_SHUFFLE : task;
    if (maps && !nodes && job->task == PADICI_SAMPLE_UNSCRAMBLE) job->task = PADICI_SAMPLE_VALUE;
    job->integers = job->task != PADICI_SAMPLE_VALUE && job->task != PADICI_SAMPLE_RATIO;
    job->dtype = job->integers ? (is_long ? PADIC_U64 : PADIC_U32) : dtypes[(round + maps) % 4];
    job->last = job->scale = x->last;
    job->index_dtype = PADIC_U64;
    job->index_stride = job->out_stride = 1;
    if (maps) {
        x->mode = (padic_sample_mode)(1 + round % 2);
        x->full = nodes && (round == 2 || !padici_sample_is_prime(x->base));
        if (job->task == PADICI_SAMPLE_SHUFFLE) {
            job->group = (uint64_t)x->base * x->base * x->base;
            x->levels = 3;
        }
    }
}

static padic_result padici_test_sample(padici_gpu_case *c)
{
    const uint32_t maps = c->kernel == (PADICI_KERNEL_SAMPLE_MAPS & 0xffffu);
    const uint32_t n = PADICI_SAMPLE_KNOWN, nodes = padici_gpu_define(c, "PD_SAMPLE_NODES", 0);
    padici_k_sample_points_params k;
    padici_sample_job job;
    padici_sample_radix x;
    uint64_t keys[64], *index = PADICI_TEST_IMAGE(uint64_t, 0);
    uint32_t i;
    padici_gpu_sample_round(maps, c->round, nodes, &job, &x);
    x.keys = keys;
    for (i = 0; i < 64; i++) keys[i] = (i + 1) * UINT64_C(0x9e3779b97f4a7c15);
    if (maps) memcpy(c->buffers[3].image, keys, sizeof keys);
    for (i = 0; i < n; i++)
        index[i] = i < 100                ? i
                   : x.last == UINT64_MAX ? keys[i % 64] * i
                                          : keys[i % 64] * i % (x.last + 1);
    index[n - 2] = x.last;
    if (x.last < UINT64_MAX) index[150] = x.last + 1;
    job.out = (char *)padici_gpu_make(c, 1, PADICI_FILL_BYTES | PADICI_FILL_OUT, job.dtype, n, 0);
    job.index = (const char *)index;
    *PADICI_TEST_ANSWER(uint32_t, 2) =
        padici_sample_run(NULL, &job, &x, 0, n) == PADIC_ERROR_LIMIT;
    padici_gpu_sample_params(&job, &x, &k);
    k.n_lo = n;
    k.index = 8;
    k.index_stride[0] = k.out_stride[0] = 1;
    memcpy(&c->params, &k, sizeof k);
    return PADIC_OK;
}

PADICI_FN const padici_gpu_test *padici_tests_sample(void)
{
    static const padici_gpu_test rows[] = {
        {PADICI_KERNEL_SAMPLE_POINTS, 6, 2, padici_test_sample,
         {PADICI_TEST_IN(BYTES, PADIC_U64, PADICI_SAMPLE_KNOWN), PADICI_TEST_NONE,
          PADICI_TEST_BOTH(ZERO, PADIC_U32, 1, 0)}},
        {PADICI_KERNEL_SAMPLE_MAPS, 8, 2, padici_test_sample,
         {PADICI_TEST_IN(BYTES, PADIC_U64, PADICI_SAMPLE_KNOWN), PADICI_TEST_NONE,
          PADICI_TEST_BOTH(ZERO, PADIC_U32, 1, 0), PADICI_TEST_IN(BYTES, PADIC_U64, 64)}},
        PADICI_TESTS_END};
    return rows;
}

#undef PADICI_SAMPLE_KNOWN

#endif
