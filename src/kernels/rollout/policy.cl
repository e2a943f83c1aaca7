// policy.cl: the next state from the one before and the operator's output.
#define ROLLOUT_POLICY 5u // words of an operator: 0: O, 1: X, 2: a X + b O; a and b, two words each

// X from the state before and O; not of the first step.
PD_FN pd_f32 rollout_policy(PD_GPTR(const pd_u32) tables, pd_u32 at, pd_f32 x, pd_f32 o)
{
    const pd_two a = pd_two_raw(PD_AS_F32(tables[at + 1u]), PD_AS_F32(tables[at + 2u]));
    const pd_two b = pd_two_raw(PD_AS_F32(tables[at + 3u]), PD_AS_F32(tables[at + 4u]));
    const pd_f32 simple = a.hi * x + b.hi * o;
    const pd_two sum = pd_two_add(pd_two_mul1(a, x), pd_two_mul1(b, o));
    if (tables[at] < 2u) return tables[at] > 0u ? x : o;
    return simple - simple == 0.0f ? sum.hi : simple;
}
