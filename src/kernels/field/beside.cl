// beside.cl: neighbours along an axis, or what stands for them.
#define FIELD_WALL_OPEN 0u // of walls: periodic
#define FIELD_WALL_ZERO 1u // psi is 0 one step outside; else mirrored

// From point i of an axis of n to its neighbours, or to what stands for them.
typedef struct {
    pd_u32 up, down;               // places away
    fft_real up_scale, down_scale; // `scale`; 0 where psi is 0 outside
} field_beside;

PD_FN field_beside field_beside_of(pd_u32 i, pd_u32 n, pd_u32 step, pd_u32 wall, fft_real scale)
{
    field_beside b;
    const pd_u32 around = wall == FIELD_WALL_OPEN ? (n - 1u) * step : 0u;
    b.up = i + 1u < n ? step : 0u - around;
    b.down = i > 0u ? 0u - step : around;
    b.up_scale = i + 1u < n || wall != FIELD_WALL_ZERO ? scale : FFT_ZERO;
    b.down_scale = i > 0u || wall != FIELD_WALL_ZERO ? scale : FFT_ZERO;
    return b;
}
