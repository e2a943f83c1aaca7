// happy_calls.h: the calls of codes with their fields as arguments, for tests that make many.
static inline padic_result perfect(padic_context *context, const padic_tensor *out)
{
    padic_tensor_perfect_desc desc = PADIC_ZERO;
    desc.out = *out;
    return padic_tensor_perfect(context, &desc);
}

static inline padic_result perfect_check(padic_context *context, const padic_tensor *tensor,
                                         double *deviation)
{
    padic_tensor_perfect_check_report report;
    padic_tensor_perfect_check_desc desc = PADIC_ZERO;
    desc.tensor = *tensor, desc.report = &report;
    const padic_result result = padic_tensor_perfect_check(context, &desc);
    if (!result) *deviation = report.deviation;
    return result;
}

static inline padic_result happy_build(padic_context *context, uint32_t code, uint32_t layers,
                                       uint32_t *links, uint64_t capacity, padic_tensor_happy *out)
{
    padic_tensor_happy_build_desc desc = PADIC_ZERO;
    desc.code = (padic_tensor_code)code, desc.layers = layers;
    desc.links = links, desc.link_capacity = capacity, desc.out = out;
    return padic_tensor_happy_build(context, &desc);
}

static inline padic_result happy_encode(padic_context *context, const padic_tensor_happy *happy,
                                        const uint8_t *bulk, uint64_t *rows, uint8_t *signs,
                                        uint64_t capacity, padic_tensor_tableau *out)
{
    padic_tensor_happy_encode_desc desc = PADIC_ZERO;
    desc.happy = happy, desc.bulk = bulk, desc.rows = rows, desc.signs = signs;
    desc.row_capacity = capacity, desc.out = out;
    return padic_tensor_happy_encode(context, &desc);
}

static inline padic_result happy_entropy(padic_context *context,
                                         const padic_tensor_tableau *tableau, const uint64_t *part,
                                         uint32_t *entropy)
{
    padic_tensor_happy_entropy_report report = {999};
    padic_tensor_happy_entropy_desc desc = PADIC_ZERO;
    desc.tableau = tableau, desc.part = part, desc.report = &report;
    const padic_result result = padic_tensor_happy_entropy(context, &desc);
    *entropy = report.entropy;
    return result;
}

static inline padic_result happy_cut(padic_context *context, const padic_tensor_happy *happy,
                                     const uint64_t *part, uint32_t *cut, uint8_t *side,
                                     uint32_t *edges)
{
    padic_tensor_happy_cut_report report = {999};
    padic_tensor_happy_cut_desc desc = PADIC_ZERO;
    desc.happy = happy, desc.part = part, desc.side = side, desc.edges = edges;
    desc.report = &report;
    const padic_result result = padic_tensor_happy_cut(context, &desc);
    *cut = report.cut;
    return result;
}

static inline padic_result happy_wedge(padic_context *context, const padic_tensor_happy *happy,
                                       const uint64_t *part, uint8_t *out, uint32_t *tiles)
{
    padic_tensor_happy_wedge_report report = {999};
    padic_tensor_happy_wedge_desc desc = PADIC_ZERO;
    desc.happy = happy, desc.part = part, desc.out = out, desc.report = tiles ? &report : NULL;
    const padic_result result = padic_tensor_happy_wedge(context, &desc);
    if (tiles) *tiles = report.tiles;
    return result;
}
