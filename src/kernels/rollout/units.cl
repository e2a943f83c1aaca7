// units.cl: what is known of 1,024 cells of a channel, by numbers of a unit that is a power of two.
#define ROLLOUT_SUMS 18u    // numbers of a group: those of the extremes, then, by place:
#define ROLLOUT_EXTREMES 6u // whether not finite, -least, largest; the same of the frame before
#define ROLLOUT_ABS 6u      // sum |x|, x^2
#define ROLLOUT_ABOUT 8u    // a number near the mean, then sums of powers of the distance from it
#define ROLLOUT_BEFORE 13u  // the same of the frame before, up to the second power
#define ROLLOUT_BOTH 16u    // sum of products of both distances
#define ROLLOUT_APART 17u   // sum (x - x before)^2

// 2^-e for a number of 2^e to 2^(e + 1); not beyond 2^125.
PD_FN pd_f32 rollout_unit(pd_f32 most)
{
    const pd_u32 e = PD_AS_U32(most) >> 23;
    return PD_AS_F32((254u - (e < 2u ? 2u : e > 252u ? 252u : e)) << 23);
}

// 1 over a power of two.
PD_FN pd_f32 rollout_inverse(pd_f32 unit)
{
    return PD_AS_F32((254u - (PD_AS_U32(unit) >> 23)) << 23);
}

PD_FN pd_f32 rollout_larger(pd_f32 a, pd_f32 b)
{
    return a > b ? a : b;
}

// Of each row the largest number of all items, or the sum.
ROLLOUT_FN void rollout_rows(PD_LPTR(pd_f32) room, pd_u32 rows, pd_u32 largest)
{
    PD_BARRIER();
    for (pd_u32 apart = ROLLOUT_WG / 2u; apart > 0u; apart /= 2u) {
        if (PD_LID < apart)
            for (pd_u32 row = 0u; row < rows; row++) {
                const pd_u32 i = row * ROLLOUT_WG + PD_LID;
                const pd_f32 a = room[i], b = room[i + apart];
                room[i] = largest > 0u ? rollout_larger(a, b) : a + b;
            }
        PD_BARRIER();
    }
}

// The number near the mean that a group of cells has at `at`, by a unit of its own, by `unit`.
PD_FN pd_f32 rollout_about(PD_GPTR(const pd_f32) fields, pd_u32 group, pd_u32 at, pd_f32 unit)
{
    const pd_u32 side = at == ROLLOUT_BEFORE ? 4u : 1u;
    const pd_f32 most = rollout_larger(fields[group + side], fields[group + side + 1u]);
    const pd_f32 own = rollout_unit(most);
    return fields[group + at] * (unit * rollout_inverse(own));
}
