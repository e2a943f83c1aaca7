#include "axes.h"
#include "../../core/view.h"
#include "../launch.h"

#if PADICI_IMPLEMENT_GPU && !defined(PADIC_NO_WAVE)

// Views as the kernels of fields read them, and their launches.

PADICI_FN void padici_gpu_wave_vortex_axes(const padic_tensor *from, uint32_t unit,
                                           const padic_tensor *to, uint32_t to_unit,
                                           padici_gpu_wave_vortex_view *v)
{
    int64_t stride[PADIC_MAX_RANK], to_stride[PADIC_MAX_RANK];
    uint32_t i = from->rank;
    memset(v, 0, sizeof *v);
    padici_tensor_dense(from, stride);
    padici_tensor_dense(to, to_stride);
    while (i--) {
        const uint32_t n = (uint32_t)from->shape[i], step = (uint32_t)stride[i] * unit;
        const uint32_t to_step = (uint32_t)to_stride[i] * to_unit, last = v->axes - 1;
        if (n == 1) continue;
        if (v->axes && step == v->extent[last] * v->step[last] &&
            to_step == v->extent[last] * v->to_step[last]) {
            v->extent[last] *= n;
        } else {
            v->extent[v->axes] = n;
            v->step[v->axes] = step;
            v->to_step[v->axes++] = to_step;
        }
    }
}

// One launch of a kernel of vortex.cl whose items loop over n.
PADICI_FN padic_result padici_gpu_wave_vortex_launch(padici_gpu *gpu, padici_gpu_work *work,
                                                     uint32_t kernel, uint32_t mems, uint64_t n,
                                                     const void *params, uint32_t size)
{
    work->kernel = kernel;
    work->mem_count = mems;
    work->params = params;
    work->params_size = size;
    work->groups[0] = padici_gpu_groups(gpu, n, 128);
    return padici_gpu_launch(gpu, work);
}

#endif
