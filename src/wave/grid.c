#include "grid.h"
#include "../core/view.h"
#include "output.h"
#include "vortex.h"

#if PADICI_IMPLEMENT_WAVE

// A field on a grid of up to three axes, its neighbours with their difference in phase, and what
// its tasks count.

PADICI_FN void padici_wave_grid_begin(padici_wave_grid_job *job, const padic_tensor *psi,
                                      uint32_t periodic, padici_wave_tally *tallies)
{
    int64_t stride[PADIC_MAX_RANK];
    uint32_t i;
    memset(job, 0, sizeof *job);
    memset(tallies, 0, PADICI_WAVE_SHARES * sizeof *tallies);
    job->psi = psi;
    job->periodic = periodic;
    job->tallies = tallies;
    job->points = 1;
    padici_tensor_dense(psi, stride);
    for (i = 0; i < 3; i++) {
        job->count[i] = i < psi->rank ? psi->shape[i] : 1;
        job->stride[i] = i < psi->rank ? stride[i] : 0;
        job->points *= job->count[i];
    }
    job->tasks = (job->points + 1023) / 1024;
    if (job->tasks > PADICI_WAVE_SHARES) job->tasks = PADICI_WAVE_SHARES;
}

PADICI_FN void padici_wave_grid_index(const padici_wave_grid_job *job, uint64_t i,
                                      uint64_t index[3])
{
    index[2] = i % job->count[2];
    index[1] = i / job->count[2] % job->count[1];
    index[0] = i / job->count[2] / job->count[1];
}

// How far in memory the neighbour along an axis is, to the right or left; 0 where there is none.
PADICI_FN int padici_wave_beside(const padici_wave_grid_job *job, const uint64_t index[3],
                                 uint32_t axis, int left, int64_t *way)
{
    const uint64_t last = job->count[axis] - 1;
    const int64_t step = left ? -job->stride[axis] : job->stride[axis];
    *way = step;
    if (index[axis] != (left ? 0 : last)) return 1;
    *way = -step * (int64_t)last;
    return (int)(job->periodic >> axis & 1);
}

PADICI_FN double padici_wave_angle(padici_complex z)
{
    return z.re == 0 && z.im == 0 ? 0 : atan2(z.im, z.re);
}

// The angle from a to b; + 0.0: pi, not -pi, for an im of -0.
PADICI_FN double padici_wave_link(padici_complex a, padici_complex b)
{
    padici_complex z;
    int power;
    a = padici_wave_near(a, &power);
    b = padici_wave_near(b, &power);
    a.im = -a.im;
    z = padici_wave_times(b, a);
    z.im += 0.0;
    return padici_wave_angle(z);
}

#endif
