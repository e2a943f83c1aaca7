#include "driver.h"
#include "../context/loops.h"
#include "../context/messages.h"
#include "reverse.h"

#if PADICI_IMPLEMENT_SAMPLE

// ---- driver

// Fetches n numbers from place `at` on. Those above the limit become 0; their bits are returned.
PADICI_FN uint64_t padici_sample_fetch(const padici_sample_job *job, uint64_t at, uint64_t *v,
                                       uint32_t n)
{
    uint64_t bad = 0, word;
    uint32_t j, half;
    for (j = 0; j < n; j++) {
        if (!job->index) {
            v[j] = job->first + at + j;
            continue;
        }
        if (job->index_dtype == PADIC_U32) {
            memcpy(&half, job->index + (size_t)((at + j) * job->index_stride * 4), 4);
            word = half;
        } else {
            memcpy(&word, job->index + (size_t)((at + j) * job->index_stride * 8), 8);
        }
        if (word > job->last) {
            bad |= 1ull << j;
            word = 0;
        }
        v[j] = word;
    }
    return bad;
}

PADICI_FN void padici_sample_emit(const padici_sample_job *job, const padici_sample_fraction *f,
                                  uint64_t at, const uint64_t *r, uint32_t n)
{
    const uint64_t size = job->dtype == PADIC_U64 || job->dtype == PADIC_F64 ? 8 : 4;
    const size_t step = (size_t)(job->out_stride * size);
    char *out = job->out + (size_t)at * step;
    uint32_t j, half;
    uint64_t word;
    float single;
    double twice;
    switch (job->dtype) {
    case PADIC_U32:
        for (j = 0; j < n; j++, out += step) {
            half = job->integers ? (uint32_t)r[j] : padici_sample_cut32(f, r[j]);
            memcpy(out, &half, 4);
        }
        return;
    case PADIC_U64:
        for (j = 0; j < n; j++, out += step) {
            word = job->integers ? r[j] : padici_sample_cut64(f, r[j]);
            memcpy(out, &word, 8);
        }
        return;
    case PADIC_F32:
        for (j = 0; j < n; j++, out += step) { // through int32_t: one instruction
            single = (float)(int32_t)(padici_sample_cut32(f, r[j]) >> 8) * (1.0f / 16777216.0f);
            memcpy(out, &single, 4);
        }
        return;
    default:
        for (j = 0; j < n; j++, out += step) {
            word = padici_sample_cut64(f, r[j]) >> 11;
            twice = (double)(int64_t)word * (1.0 / 9007199254740992.0);
            memcpy(out, &twice, 8);
        }
    }
}

// Places begin to end of a job by a backend's kernel.
static padic_result padici_sample_offer(padic_context *context, const padici_sample_job *job,
                                        const padici_sample_radix *x, uint64_t begin, uint64_t end)
{
    const uint64_t size = job->dtype == PADIC_U64 || job->dtype == PADIC_F64 ? 8 : 4;
    padici_loop loop;
    padic_sample_call call;
    padic_result result;
    if (end - begin < PADICI_SAMPLE_FEW || job->task == PADICI_SAMPLE_UNSCRAMBLE ||
        job->task == PADICI_SAMPLE_RATIO)
        return PADIC_ERROR_NOT_SUPPORTED;
    loop = padici_loop_of(context, PADIC_OP_SAMPLE_LOOP);
    if (!loop.op) return PADIC_ERROR_NOT_SUPPORTED;
    call.base = x->base;
    call.levels = x->levels;
    call.wide = x->wide;
    call.full = x->full;
    call.mode = x->mode;
    call.keys = x->keys;
    call.reversed_in = job->task == PADICI_SAMPLE_SCRAMBLE;
    call.index_out = job->task == PADICI_SAMPLE_SHUFFLE;
    call.group = job->group;
    call.first = job->first + begin;
    call.index_stride = job->index_stride;
    call.index_dtype = job->index_dtype;
    call.index = job->index;
    if (job->index)
        call.index = job->index + (size_t)(begin * job->index_stride *
                                           padic_dtype_size(job->index_dtype));
    call.dtype = job->dtype;
    call.out = job->out + (size_t)(begin * job->out_stride * size);
    call.out_stride = job->out_stride;
    call.integers = job->integers;
    call.outside = 0;
    call.last = job->last;
    call.scale = job->scale;
    call.count = end - begin;
    result = padici_loop_run(loop, &call);
    return !result && call.outside ? PADIC_ERROR_LIMIT : result;
}

// Places begin to end of a job; PADIC_ERROR_LIMIT if an index was above the limit.
PADICI_FN padic_result padici_sample_run(padic_context *context, const padici_sample_job *job,
                                         const padici_sample_radix *x, uint64_t begin, uint64_t end)
{
    uint64_t v[PADICI_SAMPLE_BLOCK], high[PADICI_SAMPLE_BLOCK], bad, any = 0;
    uint16_t space[PADICI_SAMPLE_TABLE];
    const uint16_t *table = NULL;
    padici_sample_fraction f;
    const int need64 = job->dtype == PADIC_U64 || job->dtype == PADIC_F64;
    uint32_t n, j;
    padic_result result = begin < end ? padici_sample_offer(context, job, x, begin, end) : PADIC_OK;
    if (result != PADIC_ERROR_NOT_SUPPORTED) return result;
    memset(&f, 0, sizeof f);
    if (!job->integers) padici_sample_fraction_make(&f, job->scale, need64);
    if (job->task == PADICI_SAMPLE_VALUE && x->mode == PADIC_SAMPLE_MODE_NONE && x->together > 1 &&
        end - begin >= x->span) {
        padici_sample_table(x, space);
        table = space;
    }
    for (; begin < end; begin += n) {
        n = end - begin < PADICI_SAMPLE_BLOCK ? (uint32_t)(end - begin) : PADICI_SAMPLE_BLOCK;
        if (job->task == PADICI_SAMPLE_VALUE && x->mode == PADIC_SAMPLE_MODE_NONE && !job->index) {
            padici_sample_range(x, table, job->first + begin, v, n);
            padici_sample_emit(job, &f, begin, v, n);
            continue;
        }
        bad = padici_sample_fetch(job, begin, v, n);
        switch (job->task) {
        case PADICI_SAMPLE_VALUE: padici_sample_forward(x, table, v, n); break;
        case PADICI_SAMPLE_SCRAMBLE:
            padici_sample_plain(x, NULL, v, v, n);
            padici_sample_forward(x, NULL, v, n);
            break;
        case PADICI_SAMPLE_UNSCRAMBLE:
            padici_sample_plain(x, NULL, v, v, n);
            padici_sample_backward(x, v, n);
            break;
        case PADICI_SAMPLE_SHUFFLE:
            memset(high, 0, sizeof high);
            for (j = 0; j < n && job->group; j++) {
                high[j] = v[j] - v[j] % job->group;
                v[j] -= high[j];
            }
            padici_sample_forward(x, NULL, v, n);
            padici_sample_plain(x, NULL, v, v, n);
            for (j = 0; j < n; j++) v[j] += high[j];
            break;
        default: break;
        }
        for (j = 0; bad && j < n; j++) // after the maps, which may move 0
            if (bad >> j & 1) v[j] = 0;
        any |= bad;
        padici_sample_emit(job, &f, begin, v, n);
    }
    return any ? PADIC_ERROR_LIMIT : PADIC_OK;
}

#endif
