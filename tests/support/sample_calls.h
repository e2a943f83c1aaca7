// Keys and the way back from a scrambling, with their arguments in a row.
#ifndef SAMPLE_CALLS_H
#define SAMPLE_CALLS_H

static inline padic_result sample_keys(const padic_sample_keys_desc *like, uint64_t *keys,
                                       uint64_t size)
{
    padic_sample_keys_desc desc;
    if (!like) return padic_sample_keys(NULL, NULL);
    desc = *like;
    desc.out = padic_tensor_1d(PADIC_U64, keys, size / 8);
    return padic_sample_keys(NULL, &desc);
}

static inline padic_result sample_halton_index(const padic_sample_halton_index_desc *like,
                                               uint64_t *index)
{
    padic_sample_halton_index_report report = {9};
    padic_sample_halton_index_desc desc;
    if (!like) return padic_sample_halton_index(NULL, NULL);
    desc = *like;
    desc.report = index ? &report : NULL;
    const padic_result result = padic_sample_halton_index(NULL, &desc);
    if (index) *index = report.index;
    return result;
}

static inline padic_result sample_unscramble(padic_context *context,
                                             const padic_sample_scramble_desc *like)
{
    padic_sample_scramble_desc desc;
    if (!like) return padic_sample_scramble(context, NULL);
    desc = *like;
    desc.inverse = 1;
    return padic_sample_scramble(context, &desc);
}

#endif
