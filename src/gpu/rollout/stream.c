#include "stream.h"
#include "../../context/messages.h"
#include "../../context/place.h"
#include "../../context/state.h"
#include "../../core/memory.h"
#include "../../core/words.h"
#include "../../rollout/record.h"
#include "../codec/driver.h"
#include "../launch.h"

#if PADICI_IMPLEMENT_GPU && !defined(PADIC_NO_ROLLOUT)

// Frames to the host while the next steps compute.

// Whether a block of one trajectory's frames is no large part of the device's memory.
static int padici_gpu_rollout_stream_holds(const padic_device_info *info, uint64_t bytes)
{
    return (!info->max_alloc || bytes <= info->max_alloc) &&
           (!info->memory || bytes <= info->memory / 8);
}

// The profile of a stream's record, whose kernels are noted in a query that gathers.
static padic_codec_profile padici_gpu_rollout_stream_profile(const padici_gpu_rollout_stream *s)
{
    padic_codec_tolerance_mode mode;
    const padic_codec_profile profile =
        padici_rollout_record_profile(s->desc->stream.record, &mode);
    if (profile && s->n->gpu->gathers) padici_gpu_codec_gather(s->n->gpu, profile, mode);
    return profile;
}

PADICI_FN void padici_gpu_rollout_stream_lay(padici_gpu_rollout_stream *s, padici_gpu_rollout *n,
                                             const padic_rollout_run_desc *desc)
{
    memset(s, 0, sizeof *s);
    s->block.block = PADICI_NO_BLOCK;
    if (desc->output != PADIC_ROLLOUT_OUTPUT_STREAM) return;
    s->desc = desc;
    s->n = n;
    s->numbers = padic_tensor_count(&desc->initial) / desc->initial.shape[0];
    s->frames = padici_rollout_run_frames(desc);
    s->ring = desc->stream.record ? padici_rollout_record_block(desc->stream.record)
              : desc->stream.ring ? desc->stream.ring
                                  : 2;
    s->packs = desc->stream.record && padici_gpu_rollout_stream_profile(s) &&
               padici_gpu_rollout_stream_holds(n->gpu->info, s->ring * s->numbers * 4);
    n->apart = (s->packs ? s->ring : PADIC_FETCH_SLOTS) * s->numbers;
}

// Bytes of the frames of the trajectories that are held, and where frame `frame` is on the host.
static char *padici_gpu_rollout_stream_home(const padici_gpu_rollout_stream *s, uint64_t frame)
{
    return s->host + (frame / s->ring % 2 * s->ring + frame % s->ring) * s->size;
}

static padic_result padici_gpu_rollout_stream_fetch(const padici_gpu_rollout_stream *s, int action)
{
    padic_fetch fetch;
    memset(&fetch, 0, sizeof fetch);
    fetch.action = action;
    fetch.to = s->host;
    fetch.size = s->bytes;
    fetch.slot = (uint32_t)(s->frame % PADIC_FETCH_SLOTS);
    if (action == PADIC_FETCH_COPY) {
        fetch.mem = s->block.mem;
        fetch.at = fetch.slot * s->size;
        fetch.to = padici_gpu_rollout_stream_home(s, s->frame);
        fetch.size = s->n->count * s->numbers * 4;
        if (!s->beside)
            return padici_gpu_download(s->n->gpu, fetch.mem, fetch.at, fetch.to, fetch.size);
    }
    return s->beside || action == PADIC_FETCH_OPEN ? padici_gpu_fetch(s->n->gpu, &fetch)
                                                   : PADIC_OK;
}

PADICI_FN padic_result padici_gpu_rollout_stream_begin(padici_gpu_rollout_stream *s)
{
    padic_context *context;
    padic_result result;
    if (!s->desc) return PADIC_OK;
    context = s->n->gpu->context;
    s->size = s->n->batch * s->numbers * 4;
    if (s->packs) {
        padic_buffer_desc want;
        padici_place place;
        memset(&want, 0, sizeof want);
        want.size = s->ring * s->size;
        result = padic_buffer_create(context, &want, &s->buffer);
        if (!result)
            result = padici_buffer_part(context, "frames", s->buffer, 0, want.size, &place);
        if (!result) s->block.mem = place.mem;
        return result;
    }
    if (!padici_mul_u64(s->size, 2 * (uint64_t)s->ring, &s->bytes) || s->bytes > (size_t)-1 / 4)
        return padici_fail_here(context, PADIC_ERROR_MEMORY, "out of host memory");
    result = padici_gpu_scratch(s->n->gpu, PADIC_FETCH_SLOTS * s->size, &s->block);
    if (result) return result;
    s->host = (char *)padici_alloc(context->env.allocator, (size_t)s->bytes, 64);
    if (!s->host) return padici_fail_here(context, PADIC_ERROR_MEMORY, "out of host memory");
    context->stats.host_allocations++;
    result = padici_gpu_rollout_stream_fetch(s, PADIC_FETCH_OPEN);
    s->beside = !result;
    return result == PADIC_ERROR_NOT_SUPPORTED ? PADIC_OK : result;
}

PADICI_FN void padici_gpu_rollout_stream_end(padici_gpu_rollout_stream *s)
{
    int stop = 0;
    if (!s->desc) return;
    (void)padici_gpu_rollout_stream_rest(s, 0, &stop);
    if (s->host) {
        (void)padici_gpu_rollout_stream_fetch(s, PADIC_FETCH_CLOSE);
        padici_free(s->n->gpu->context->env.allocator, s->host, (size_t)s->bytes);
    }
    padici_gpu_scratch_end(s->n->gpu, &s->block);
    if (s->buffer.id) (void)padic_buffer_destroy(s->n->gpu->context, s->buffer);
    memset(s, 0, sizeof *s);
}

PADICI_FN uint64_t padici_gpu_rollout_stream_place(const padici_gpu_rollout_stream *s,
                                                   uint64_t frame, uint64_t *own,
                                                   uint64_t *frames)
{
    *own = s->packs ? frame % s->ring : 0;
    *frames = s->packs ? s->ring : 1;
    if (s->packs) return 0 - s->n->first * s->numbers * s->ring;
    return frame % PADIC_FETCH_SLOTS * (s->size / 4) - s->n->first * s->numbers;
}

// The frame that waits, or was just made, to the stream.
static padic_result padici_gpu_rollout_stream_hand(padici_gpu_rollout_stream *s, int *stop)
{
    const uint64_t held = s->frame % s->ring + 1, *state = s->desc->initial.shape;
    padic_rollout_view view;
    uint64_t shape[5];
    memset(&view, 0, sizeof view);
    shape[0] = s->n->count;
    shape[1] = held;
    memcpy(shape + 2, state + 1, 3 * sizeof *shape);
    view.first = s->n->first;
    view.count = s->n->count;
    view.frame = s->frame;
    view.frames = padic_tensor_nd(
        PADIC_F32, s->packs ? NULL : padici_gpu_rollout_stream_home(s, s->frame + 1 - held), 5,
        shape);
    if (s->packs) view.frames.buffer = s->buffer;
    view.frames.stride[4] = 1;
    view.frames.stride[3] = (int64_t)shape[4];
    view.frames.stride[2] = (int64_t)(shape[4] * shape[3]);
    view.frames.stride[1] = (int64_t)(s->packs ? s->numbers : s->size / 4);
    view.frames.stride[0] = (int64_t)(s->packs ? s->numbers * s->ring : s->numbers);
    if (s->desc->stream.record)
        return s->failed = padici_rollout_record_take(&s->desc->stream, &view);
    if ((*s->desc->stream.frame)(s->t, &view, s->desc->stream.user)) *stop = 1;
    return PADIC_OK;
}

PADICI_FN padic_result padici_gpu_rollout_stream_rest(padici_gpu_rollout_stream *s, int hand,
                                                      int *stop)
{
    padic_result result;
    if (!s->desc || !s->waits) return PADIC_OK;
    s->waits = 0;
    result = padici_gpu_rollout_stream_fetch(s, PADIC_FETCH_WAIT);
    return !result && hand ? padici_gpu_rollout_stream_hand(s, stop) : result;
}

PADICI_FN padic_result padici_gpu_rollout_stream_step(padici_gpu_rollout_stream *s, uint32_t t,
                                                      int wanted, uint64_t frame, int *stop)
{
    padici_gpu_rollout_stream before = *s;
    padic_result result = PADIC_OK, rest;
    if (!s->desc) return PADIC_OK;
    if (wanted) {
        s->frame = frame;
        s->t = t;
        if (s->packs) return *stop ? PADIC_OK : padici_gpu_rollout_stream_hand(s, stop);
        result = padici_gpu_rollout_stream_fetch(s, PADIC_FETCH_COPY);
    }
    s->waits = wanted && !result;
    rest = padici_gpu_rollout_stream_rest(&before, !result && !*stop, stop);
    return result ? result : rest;
}

#endif
