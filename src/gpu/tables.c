#include "tables.h"
#include "base/axes.h"
#include "cache.h"
#include "choices.h"
#include "codec/job.h"
#include "codec/pack.h"
#include "codec/prove.h"
#include "codec/unpack.h"
#include "drive.h"
#include "factor/entropy.h"
#include "factor/factor.h"
#include "frame.h"
#include "launch.h"
#include "num/driver.h"
#include "num/params.h"
#include "num/run.h"
#include "num/solve.h"
#include "num/special.h"
#include "num/tables.h"
#include "source.h"
#include "sparse/encode.h"
#include "sparse/job.h"
#include "tensor/cores.h"
#include "tensor/driver.h"
#include "tensor/groups.h"
#include "tensor/product.h"
#include "tensor/tile.h"
#include "tuner.h"
#include "variants.h"
#include "vortex/axes.h"
#include "vortex/lines.h"
#include "vortex/normalise.h"
#include "vortex/phase.h"
#include "vortex/pixels.h"
#include "wave/field.h"
#include "wave/frames.h"
#include "wave/frames_plan.h"
#include "wave/plan.h"
#include "wave/superpose.h"
#include "wave/warm.h"
#include "texts.h"

#if PADICI_IMPLEMENT_GPU

// --------------------------------------------------------------------------------------- >>tables
//
// An area adds its tables here. Layers: kernels below the operations, X(first, name) for
// padici_gpu_name(gpu, kernel, call, query), numbers first to first + 999.

// The test of a kernel; NULL: it has none.
PADICI_FN const padici_gpu_test *padici_gpu_test_of(uint32_t kernel)
{
    static const padici_gpu_test *(*const families[])(void) = {
#define PADICI_GPU_FAMILY_ROW(area, name) padici_tests_##name,
        PADICI_GPU_FAMILIES(PADICI_GPU_FAMILY_ROW)
#undef PADICI_GPU_FAMILY_ROW
    };
    const padici_gpu_test *test;
    uint32_t i;
    for (i = 0; i < sizeof families / sizeof *families; i++)
        for (test = (*families[i])(); test->make; test++)
            if (test->kernel == kernel) return test;
    return NULL;
}

#endif
