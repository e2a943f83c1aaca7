#include "pack_check.h"
#include "../context/messages.h"
#include "../context/state.h"
#include "../core/log.h"
#include "../core/memory.h"
#include "../core/view.h"
#include "constants.h"
#include "transforms.h"
#include "repeats.h"

#if PADICI_IMPLEMENT_CODEC

// ---- packing: checks of the desc, and the side arrays: reference and importance

// "operation: what is wrong", with the sentence of the header where it has one.
PADICI_FN PADICI_NOINLINE padic_result padici_codec_fail(padic_context *context,
                                                         const char *operation,
                                                         const padici_codec_header *header,
                                                         padic_result result)
{
    const char *before;
    char space[256];
    padici_text text;
    padici_text_begin(&text, space, sizeof space);
    padici_text_add(&text, header && header->fault ? header->fault : padic_result_text(result));
    if (header && header->fault && header->need) {
        padici_text_number(&text, header->need, 1);
        padici_text_add(&text, " bytes");
    }
    before = padici_enter(context, operation);
    padici_fail_here(context, result, space);
    padici_leave(context, before);
    return result;
}

static int padici_codec_is_prime(uint32_t p)
{
    uint32_t d;
    for (d = 2; d * d <= p; d++)
        if (p % d == 0) return 0;
    return p > 1;
}

PADICI_FN void padici_codec_take_side(const padic_tensor *t, padici_codec_side *aside)
{
    uint32_t k;
    memset(aside, 0, sizeof *aside);
    aside->shape[0] = 1;
    aside->stride[0] = 1;
    if (!t->data) return;
    aside->data = (const uint8_t *)t->data;
    for (k = 0; k < t->rank; k++) aside->shape[k] = t->shape[k];
    padici_tensor_dense(t, aside->stride);
    if (t->rank == 0) aside->stride[0] = 1;
}

// 1 if `t` is an array of that dtype and of the grid's shape (or, if `blocks`, one of its blocks).
// A stream of unknown length may have any number of rows.
PADICI_FN padic_result padici_codec_side_fits(const padic_tensor *t, padic_dtype dtype,
                                              const padici_codec_grid *grid, const uint64_t *shape)
{
    uint64_t count;
    uint32_t k;
    const padic_result result = padici_tensor_check(t, &count);
    if (result) return result;
    if (t->dtype != dtype || t->rank != grid->rank) return PADIC_ERROR_MISMATCH;
    for (k = 0; k < t->rank; k++)
        if (t->shape[k] != shape[k] && !(k == 0 && shape[k] == PADIC_CODEC_UNKNOWN))
            return PADIC_ERROR_MISMATCH;
    return PADIC_OK;
}

static padic_result padici_codec_check_importance(const padic_codec_pack_desc *desc,
                                                  const padici_codec_grid *grid)
{
    padic_result result = PADIC_OK;
    if (desc->importance.data) {
        result = padici_codec_side_fits(&desc->importance, PADIC_F32, grid, grid->blocks);
        if (result == PADIC_ERROR_MISMATCH)
            result = padici_codec_side_fits(&desc->importance, PADIC_F32, grid, grid->shape);
    }
    return result;
}

// A block of it in the codec's layout. 0: the array does not reach that far.
static int padici_codec_load_side(const padici_codec_side *aside, const padici_codec_grid *grid,
                                  const uint64_t *begin, const uint64_t *extent, uint8_t *raw,
                                  const padici_codec_box *box)
{
    int64_t dense[PADIC_MAX_RANK];
    const uint8_t *from = aside->data;
    uint32_t k;
    for (k = 0; k < grid->axes; k++) {
        if (begin[k] + extent[k] > aside->shape[k]) return 0;
        from += (int64_t)begin[k] * aside->stride[k] * (int64_t)grid->element;
    }
    padici_codec_dense_strides(extent, grid->axes, dense);
    padici_codec_copy_box(raw, dense, grid->dtype, from, aside->stride, grid->dtype, extent,
                          grid->axes, NULL, 0);
    padici_codec_swap_elements(raw, box->n, box->size);
    return 1;
}

// The block's part of a reference, if there is one.
PADICI_FN void padici_codec_load_reference(padici_codec_work *w, const padici_codec_side *aside,
                                           const padici_codec_grid *grid, uint64_t index)
{
    uint64_t begin[PADIC_MAX_RANK], extent[PADIC_MAX_RANK];
    padici_codec_box box;
    w->referenced = 0;
    if (!aside->data) return;
    padici_codec_grid_block(grid, index, begin, extent, &box);
    w->referenced = padici_codec_load_side(aside, grid, begin, extent, w->reference, &box);
    if (w->referenced) w->digest = (*w->loops->checksum)(w->reference, box.n * box.size, index);
}

// Makes the block just decoded the reference of the next layer.
PADICI_FN void padici_codec_next_layer(padici_codec_work *w, const padici_codec_box *box,
                                       uint64_t index)
{
    uint8_t *raw = w->raw;
    w->raw = w->reference;
    w->reference = raw;
    w->referenced = 1;
    w->digest = (*w->loops->checksum)(w->reference, box->n * box->size, index);
}

// The features a reader needs for what these settings may write.
static void padici_codec_choose_features(const padic_codec_pack_desc *desc,
                                         padici_codec_header *header)
{
    padici_codec_grid *grid = &header->grid;
    const uint32_t patterns = desc->stages.patterns, coders = desc->stages.coders;
    const uint32_t predictors = desc->stages.predictors;
    const int floats = grid->dtype == PADIC_F32 || grid->dtype == PADIC_F64 ||
                       grid->dtype == PADIC_C64 || grid->dtype == PADIC_C128;
    const padici_codec_policy *policy = padici_codec_policy_of(header->level);
    const int large = grid->capacity >= PADICI_CODEC_LARGE_BLOCK;
    const int bounded = desc->tolerance_mode != PADIC_CODEC_TOLERANCE_NONE;
    if (desc->profile) return;
    if (coders ? coders >> PADICI_CODEC_CODER_CONTEXT & 1
               : policy->features.contexts + (bounded && large) >= 2)
        header->features |= PADICI_CODEC_FEATURE_CONTEXT;
    if ((coders ? coders >> PADICI_CODEC_CODER_REPEAT & 1
                : policy->features.repeats + (bounded || floats) >= 2 && large) ||
        desc->stages.transforms >> PADICI_CODEC_TRANSFORM_PLAIN & 1)
        header->features |= PADICI_CODEC_FEATURE_REPEAT;
    if (predictors ? predictors >> PADICI_CODEC_PREDICTOR_LINEAR & 1
                   : policy->features.linear && large)
        header->features |= PADICI_CODEC_FEATURE_LINEAR;
    if ((header->features & PADICI_CODEC_FEATURE_LINEAR) && floats)
        header->features |= PADICI_CODEC_FEATURE_FLOATS;
    if (header->layers > 1 || desc->reference.data ||
        !(patterns == 0 || patterns >> PADICI_CODEC_PATTERN_MATCH & 1) ||
        (bounded && (patterns || !policy->features.bounded ||
                     desc->tolerance_mode > PADIC_CODEC_TOLERANCE_POINTWISE)))
        return;
    header->features |= PADICI_CODEC_FEATURE_MATCH;
    if ((patterns == 0 && !policy->features.window) || grid->capacity == 0 ||
        (grid->total < 2 && !header->flags))
        return;
    grid->span = 1u << (policy->features.window ? policy->features.window
                                                : PADICI_CODEC_WINDOW_LOG);
    grid->span /= (uint32_t)grid->capacity;
    if (bounded) grid->span *= 2;
    if (grid->span > PADICI_CODEC_WINDOW_MOST) grid->span = PADICI_CODEC_WINDOW_MOST;
    if (grid->span > 1) header->features |= PADICI_CODEC_FEATURE_WINDOW;
    if (grid->span == 0) grid->span = 1;
}

static padic_result padici_codec_check_source(const padic_codec_pack_desc *desc, int purpose,
                                              padici_codec_header *header)
{
    padic_tensor t = desc->tensor;
    uint64_t count;
    uint32_t k;
    padic_result result;
    if (purpose != PADICI_CODEC_CHECK_PACK) t.data = &t; // not read
    if (purpose == PADICI_CODEC_CHECK_STREAM) {
        if (t.rank && t.shape[0] == PADIC_CODEC_UNKNOWN) {
            t.shape[0] = 1;
            header->flags = PADICI_CODEC_UNKNOWN_LENGTH;
        }
        for (k = 0; k < t.rank && k < PADIC_MAX_RANK; k++)
            if (t.stride[k])
                return padici_codec_reject(header, PADIC_ERROR_ARGUMENT,
                                           "tensor.stride must be 0 in a stream: it is dense");
    }
    result = padici_tensor_check(&t, &count);
    return result ? padici_codec_reject(header, result, padici_codec_view_fault(&t, result))
                  : PADIC_OK;
}

static padic_result padici_codec_check_tolerance(const padic_codec_pack_desc *desc, int stream,
                                                 padici_codec_header *header)
{
    const padic_dtype scalar = padici_codec_scalar(desc->tensor.dtype);
    if (desc->tolerance_mode == PADIC_CODEC_TOLERANCE_NONE) return PADIC_OK;
    if (!(desc->tolerance > 0) || !(desc->tolerance <= DBL_MAX) || !(desc->range >= 0) ||
        !(desc->range <= DBL_MAX))
        return padici_codec_reject(
            header, PADIC_ERROR_TOLERANCE,
            "tolerance must be above 0 and finite, range at least 0 and finite");
    if (desc->tolerance_mode == PADIC_CODEC_TOLERANCE_POINTWISE && !padici_codec_is_float(scalar))
        return padici_codec_reject(header, PADIC_ERROR_DTYPE,
                                   "tolerance_mode POINTWISE is for floats: use ABSOLUTE or none");
    if (desc->tolerance_mode == PADIC_CODEC_TOLERANCE_POINTWISE && !(desc->tolerance < 1))
        return padici_codec_reject(header, PADIC_ERROR_TOLERANCE,
                                   "tolerance of POINTWISE must be below 1: it is relative");
    if (stream && desc->tolerance_mode == PADIC_CODEC_TOLERANCE_RANGE && desc->range == 0)
        return padici_codec_reject(
            header, PADIC_ERROR_TOLERANCE,
            "range is 0: a stream with tolerance_mode RANGE must be told it");
    // the whole array is searched for them
    if (stream && desc->tolerance_mode >= PADIC_CODEC_TOLERANCE_RMS)
        return padici_codec_reject(
            header, PADIC_ERROR_TOLERANCE,
            "tolerance_mode RMS or FIXED searches the whole array: not in streams");
    return PADIC_OK;
}

static padic_result padici_codec_check_profile(const padic_codec_pack_desc *desc,
                                               padici_codec_header *header)
{
    const padic_codec_stages *m = &desc->stages;
    if ((uint32_t)desc->profile > PADIC_CODEC_PROFILE_CODED)
        return padici_codec_reject(header, PADIC_ERROR_ARGUMENT,
                                   "profile is no padic_codec_profile");
    if (!desc->profile) return PADIC_OK;
    if (desc->tolerance_mode > PADIC_CODEC_TOLERANCE_RANGE ||
        (desc->tolerance_mode != PADIC_CODEC_TOLERANCE_NONE &&
         padici_codec_scalar(desc->tensor.dtype) > PADIC_F32))
        return padici_codec_reject(
            header, PADIC_ERROR_TOLERANCE,
            "tolerance_mode of a profile is ABSOLUTE or RANGE, of f32 and f64");
    if (desc->layers > 1 || desc->prime || desc->reference.data || desc->importance.data ||
        (m->transforms | m->predictors | m->patterns | m->representations | m->coders))
        return padici_codec_reject(
            header, PADIC_ERROR_ARGUMENT,
            "profile excludes layers, prime, reference, importance and stages");
    return PADIC_OK;
}

// The settings other than arrays.
static padic_result padici_codec_check_settings(const padic_codec_pack_desc *desc, int stream,
                                                padici_codec_header *header)
{
    padic_result result;
    uint32_t k;
    if (!padici_allocator_whole(desc->allocator))
        return padici_codec_reject(header, PADIC_ERROR_ARGUMENT, PADICI_CODEC_HALF_ALLOCATOR);
    if (desc->level > 9)
        return padici_codec_reject(header, PADIC_ERROR_ARGUMENT, "level is not 0 to 9");
    if (desc->flags & ~(uint32_t)PADIC_CODEC_PACK_NO_PROOF)
        return padici_codec_reject(header, PADIC_ERROR_ARGUMENT,
                                   "flags has an unknown bit: take padic_codec_pack_flags");
    if (desc->prime > 65537)
        return padici_codec_reject(header, PADIC_ERROR_LIMIT,
                                   "prime is above 65537: choose a smaller one, or 0");
    if (desc->prime && !padici_codec_is_prime(desc->prime))
        return padici_codec_reject(header, PADIC_ERROR_PRIME,
                                   "prime is no prime: choose one up to 65537, or 0");
    if ((uint32_t)desc->tolerance_mode > PADIC_CODEC_TOLERANCE_FIXED)
        return padici_codec_reject(header, PADIC_ERROR_ARGUMENT,
                                   "tolerance_mode is no padic_codec_tolerance_mode");
    result = padici_codec_check_tolerance(desc, stream, header);
    if (result) return result;
    if (desc->layers > PADICI_CODEC_MAX_LAYERS || (desc->layers > 1 && stream))
        return padici_codec_reject(header, PADIC_ERROR_ARGUMENT,
                                   stream ? "layers must be 0 or 1 in a stream"
                                          : "layers is above 8: choose 2 to 8, or 0");
    result = padici_codec_check_profile(desc, header);
    if (result) return result;
    for (k = 1; k < desc->tensor.rank; k++)
        if ((desc->block[k] == 0) != (desc->block[0] == 0))
            return padici_codec_reject(header, PADIC_ERROR_ARGUMENT,
                                       "block is 0 on some axes: give all extents, or none");
    return PADIC_OK;
}

// The grid of blocks, and the arrays that must match it.
static PADICI_NOINLINE padic_result padici_codec_check_grid(const padic_codec_pack_desc *desc,
                                                            padici_codec_header *header)
{
    padic_result result;
    if ((!desc->reference.data && desc->reference.buffer.id) ||
        (!desc->importance.data && desc->importance.buffer.id))
        return padici_codec_reject(header, PADIC_ERROR_ARGUMENT,
                                   "reference and importance lie in buffers: give host memory");
    result = padici_codec_grid_make(desc, &header->grid);
    if (result)
        header->fault = "block has more than 2^20 scalars: choose a smaller one";
    if (!result && desc->reference.data) {
        result = padici_codec_side_fits(&desc->reference, header->grid.dtype, &header->grid,
                                        header->grid.shape);
        if (result) header->fault = "reference must have the dtype and shape of tensor";
    }
    if (!result) {
        result = padici_codec_check_importance(desc, &header->grid);
        if (result) header->fault = "importance must be f32, of tensor's shape or one a block";
    }
    return result;
}

PADICI_FN padic_result padici_codec_check(const padic_codec_pack_desc *desc, int purpose,
                                          padici_codec_header *header)
{
    padic_result result;
    memset(header, 0, sizeof *header);
    if (!desc)
        return padici_codec_reject(header, PADIC_ERROR_ARGUMENT,
                                   "desc is NULL: give one with a tensor");
    result = padici_codec_check_source(desc, purpose, header);
    if (!result)
        result = padici_codec_check_settings(desc, purpose == PADICI_CODEC_CHECK_STREAM, header);
    if (result) return result;
    result = padici_codec_check_grid(desc, header);
    if (header->flags) header->grid.shape[0] = PADIC_CODEC_UNKNOWN;
    header->layers = desc->layers > 1 ? desc->layers : 1;
    header->features = (header->layers > 1 ? PADICI_CODEC_FEATURE_LAYERS : 0) |
                       (desc->reference.data ? PADICI_CODEC_FEATURE_REFERENCE : 0);
    header->version = PADIC_CODEC_WIRE_VERSION;
    header->level = desc->profile ? 0 : desc->level ? desc->level : 5;
    padici_codec_choose_features(desc, header);
    header->size = (uint32_t)padici_codec_header_size(header->grid.rank, header->features);
    header->tolerance_mode = desc->tolerance_mode;
    header->tolerance = desc->tolerance_mode ? desc->tolerance : 0;
    return result;
}

#endif
