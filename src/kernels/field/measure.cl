// program: field_measure
// texts: ../fft/pair.cl number.cl sum.cl
// measure.cl: norms of fields. Groups of a field add up neighbouring points, then one group adds up
// theirs.
//
// variant: PD_FIELD_PLANAR=1

#define FIELD_DENSITY 0u  // what is added up: |psi|^2,
#define FIELD_INFINITE 1u // how many parts are not finite

// Places as in element.cl.
typedef struct {
    pd_u32 points, groups, each; // of a field; points of a group
    pd_u32 n1, n2, what;         // extents of the last axes
    pd_u32 base, imaginary, step0, step1, step2, step_field;
    pd_u32 slot, places, held, now; // in which of a field's numbers a sum goes; how many it has
    pd_u32 ended;                   // not 0: the number that is not 0 where psi stays as it is
} padic_k_field_norm_params;

// Where point i of a field lies.
PD_FN pd_u32 field_norm_place(pd_u32 field, pd_u32 i, const padic_k_field_norm_params k)
{
    const pd_u32 row = i / k.n2, plane = row / k.n1;
    return k.base + field * k.step_field + plane * k.step0 + (row - plane * k.n1) * k.step1 +
           (i - row * k.n2) * k.step2;
}

PD_FN field_sum field_norm_of(fft_pair x, pd_u32 what)
{
    if (what == FIELD_DENSITY)
        return field_sum_add(field_sum_product(x.re, x.re), field_sum_product(x.im, x.im));
    return field_sum_add(field_sum_of(x.re - x.re == FFT_ZERO ? FFT_ZERO : (fft_real)1.0f),
                         field_sum_of(x.im - x.im == FFT_ZERO ? FFT_ZERO : (fft_real)1.0f));
}

PD_KERNEL(padic_k_field_measure_norm)
(PD_CBUF(field_word, psi), PD_BUF(pd_u32, parts), PD_PARAMS(padic_k_field_norm_params, k))
{
    PD_LOCAL field_sum held[PD_WG];
    const pd_u32 field = PD_GRP / k.groups, from = (PD_GRP - field * k.groups) * k.each;
    const pd_u32 end = from + k.each < k.points ? from + k.each : k.points;
    field_sum sum = FIELD_SUM_ZERO;
    for (pd_u32 i = from + PD_LID; i < end; i += PD_WG) {
        const fft_pair x = field_get(psi, field_norm_place(field, i, k), k.imaginary);
        sum = field_sum_add(sum, field_norm_of(x, k.what));
    }
    held[PD_LID] = sum;
    FIELD_TREE(held, 0u, 1u)
    if (PD_LID == 0u) field_sum_put(parts, PD_GRP, held[0]);
}

// A group for each field.
PD_KERNEL(padic_k_field_measure_total)
(PD_CBUF(pd_u32, parts), PD_BUF(pd_u32, state), PD_PARAMS(padic_k_field_norm_params, k))
{
    PD_LOCAL field_sum held[PD_WG];
    const pd_u32 first = PD_GRP * k.groups;
    field_sum sum = FIELD_SUM_ZERO;
    for (pd_u32 i = PD_LID; i < k.groups; i += PD_WG)
        sum = field_sum_add(sum, field_sum_get(parts, first + i));
    held[PD_LID] = sum;
    FIELD_TREE(held, 0u, 1u)
    if (PD_LID == 0u) field_sum_put(state, PD_GRP * k.places + k.slot, held[0]);
}

// psi sqrt(held / now), of numbers of its field, unless that has ended.
PD_KERNEL(padic_k_field_measure_rescale)
(PD_CBUF(pd_u32, state), PD_BUF(field_word, psi), PD_PARAMS(padic_k_field_norm_params, k))
{
    const pd_u32 field = PD_GRP / k.groups, from = (PD_GRP - field * k.groups) * k.each;
    const pd_u32 all = from + k.each < k.points ? from + k.each : k.points;
    const pd_u32 last = field * k.places + k.ended;
    const pd_u32 end = k.ended && (state[2u * last] | state[2u * last + 1u]) ? from : all;
#if PD_HAS_F64
    const pd_f64 factor =
#else
    const pd_f32 factor =
#endif
        field_sum_ratio(field_sum_get(state, field * k.places + k.held),
                        field_sum_get(state, field * k.places + k.now));
    for (pd_u32 i = from + PD_LID; i < end; i += PD_WG) {
        const pd_u32 at = field_norm_place(field, i, k);
        const fft_pair x = field_get(psi, at, k.imaginary);
        field_put(psi, at, k.imaginary,
                  fft_pair_of((fft_real)(x.re * factor), (fft_real)(x.im * factor)));
    }
}
