#include "tables.h"
#include "base/axes.h"
#include "base/axes_test.h"
#include "cache.h"
#include "choices.h"
#include "codec/coded_test.h"
#include "codec/job.h"
#include "codec/known.h"
#include "codec/look_test.h"
#include "codec/pack.h"
#include "codec/pack_test.h"
#include "codec/prove.h"
#include "codec/prove_test.h"
#include "codec/unpack.h"
#include "codec/unpack_test.h"
#include "drive.h"
#include "factor/entropy.h"
#include "factor/entropy_test.h"
#include "factor/factor.h"
#include "factor/factor_test.h"
#include "frame.h"
#include "launch.h"
#include "num/driver.h"
#include "num/each_answers_test.h"
#include "num/each_arrays_test.h"
#include "num/each_test.h"
#include "num/params.h"
#include "num/run.h"
#include "num/solve.h"
#include "num/solve_test.h"
#include "num/special.h"
#include "num/tables.h"
#include "sample/points_test.h"
#include "source.h"
#include "sparse/csr_test.h"
#include "sparse/encode.h"
#include "sparse/job.h"
#include "sparse/known.h"
#include "tensor/cores.h"
#include "tensor/cores_test.h"
#include "tensor/driver.h"
#include "tensor/groups.h"
#include "tensor/product.h"
#include "tensor/product_test.h"
#include "tensor/tile.h"
#include "tuner.h"
#include "variants.h"
#include "vortex/axes.h"
#include "vortex/field_test.h"
#include "vortex/lines.h"
#include "vortex/lines_test.h"
#include "vortex/normalise.h"
#include "vortex/phase.h"
#include "vortex/pixels.h"
#include "wave/field.h"
#include "wave/field_test.h"
#include "wave/frames.h"
#include "wave/frames_plan.h"
#include "wave/frames_test.h"
#include "wave/plan.h"
#include "wave/superpose.h"
#include "wave/warm.h"
#include "texts.h"

#if PADICI_IMPLEMENT_GPU

// --------------------------------------------------------------------------------------- >>tables
//
// An area adds its tables here. Layers: kernels below the operations, X(first, name) for
// padici_gpu_name(gpu, kernel, call, query), numbers first to first + 999.

PADICI_FN padici_gpu_test_fn padici_gpu_test_of(uint32_t kernel)
{
    switch (kernel) {
#define PADICI_GPU_TEST_ROW(NAME, name) \
    case PADICI_KERNEL_##NAME: return padici_test_##name;
        PADICI_GPU_TESTS(PADICI_GPU_TEST_ROW)
#undef PADICI_GPU_TEST_ROW
    default: return NULL;
    }
}

#endif
