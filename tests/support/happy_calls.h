// happy_calls.h: the calls of codes with their fields as arguments, for tests that make many.

// A view of `count` elements; of NULL: none.
static inline padic_tensor happy_view(padic_dtype dtype, const void *data, uint64_t count)
{
    const padic_tensor none = PADIC_ZERO;
    return data ? padic_tensor_1d(dtype, (void *)(uintptr_t)data, count) : none;
}

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
    desc.links = happy_view(PADIC_U32, links, capacity), desc.out = out;
    return padic_tensor_happy_build(context, &desc);
}

static inline padic_result happy_encode(padic_context *context, const padic_tensor_happy *happy,
                                        const uint8_t *bulk, uint64_t *rows, uint8_t *signs,
                                        uint64_t capacity, padic_tensor_tableau *out)
{
    padic_tensor_happy_encode_desc desc = PADIC_ZERO;
    desc.happy = happy, desc.bulk = happy_view(PADIC_U8, bulk, happy->tiles);
    desc.rows = happy_view(PADIC_U64, rows, capacity);
    desc.signs = happy_view(PADIC_U8, signs, capacity / 2), desc.out = out;
    return padic_tensor_happy_encode(context, &desc);
}

static inline padic_result happy_entropy(padic_context *context,
                                         const padic_tensor_tableau *tableau, const uint64_t *part,
                                         uint32_t *entropy)
{
    padic_tensor_happy_entropy_report report = {999};
    padic_tensor_happy_entropy_desc desc = PADIC_ZERO;
    desc.tableau = tableau, desc.part = happy_view(PADIC_U64, part, tableau->words);
    desc.report = &report;
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
    desc.happy = happy, desc.part = happy_view(PADIC_U64, part, (happy->legs + 63) / 64);
    desc.side = happy_view(PADIC_U8, side, happy->tiles);
    desc.edges = happy_view(PADIC_U32, edges, happy->legs / 2), desc.report = &report;
    const padic_result result = padic_tensor_happy_cut(context, &desc);
    *cut = report.cut;
    return result;
}

static inline padic_result happy_wedge(padic_context *context, const padic_tensor_happy *happy,
                                       const uint64_t *part, uint8_t *out, uint32_t *tiles)
{
    padic_tensor_happy_wedge_report report = {999};
    padic_tensor_happy_wedge_desc desc = PADIC_ZERO;
    desc.happy = happy, desc.part = happy_view(PADIC_U64, part, (happy->legs + 63) / 64);
    desc.out = happy_view(PADIC_U8, out, happy->tiles), desc.report = tiles ? &report : NULL;
    const padic_result result = padic_tensor_happy_wedge(context, &desc);
    if (tiles) *tiles = report.tiles;
    return result;
}
