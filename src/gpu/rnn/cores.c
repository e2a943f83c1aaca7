#include "run.h"
#include "../../context/operation.h"
#include "../launch.h"
#include "../variants.h"

#if PADICI_IMPLEMENT_GPU && !defined(PADIC_NO_RNN)

// All steps of a layer by one launch on NVIDIA's devices: of one row by kernels/cuda/rnn/rnn.cu, of
// many rows by tensor cores, rows.cu (up to 64 units) and grid.cu.

#define PADICI_GPU_RNN_SMALL 64u // units of rows.cu
#define PADICI_GPU_RNN_HELD 8u   // tiles of 16 rows of a group of grid.cu

// The variant of a kernel, and the units of a group.
typedef struct padici_gpu_rnn_variant {
    const char *defines[6];
    uint32_t count, units, pitch; // pitch: of the states
} padici_gpu_rnn_variant;

// These kernels are tested with the others' help, so those are tested without them.
PADICI_FN int padici_gpu_rnn_may(const padici_gpu *gpu, uint32_t kernel)
{
    return !gpu->tested || gpu->state->variants[gpu->tested - 1].program == kernel >> 16;
}

// For launches whose groups wait for each other. Groups share no multiprocessor: they have local
// memory of which two do not fit into one of sm_90 or sm_100.
static uint32_t padici_gpu_rnn_together(const padici_gpu *gpu, const char **defines, uint32_t count)
{
    const char *arch = gpu->info->arch;
    defines[count++] = "PD_COOPERATIVE=1";
    if (!strcmp(arch, "sm_90") || !strcmp(arch, "sm_100"))
        defines[count++] = "PD_DYNAMIC_BYTES=118784";
    return count;
}

static int padici_gpu_rnn_variant_has(const padici_variant *v, const char *define)
{
    const size_t length = strlen(define);
    size_t i;
    for (i = 0; i + length < v->defines_size; i++)
        if (!memcmp(v->defines + i, define, length) && v->defines[i + length] == '\n') return 1;
    return 0;
}

static void padici_gpu_rnn_rows_of(const padici_gpu_rnn_net *is, const padici_rnn_part *part,
                                   padici_gpu_rnn_variant *v)
{
    v->count = padici_gpu_rnn_define(is->dtype, &v->defines[0]);
    if (part->is.kind == PADIC_RNN_KIND_LSTM) v->defines[v->count++] = "PD_RNN_GATES=4";
}

// Weights of a lane: words of two BF16. 0: too many.
static int padici_gpu_rnn_grid_of(const padici_gpu *gpu, const padici_gpu_rnn_net *is,
                                  const padici_rnn_part *part, padici_gpu_rnn_variant *v)
{
    static const char *const deep[] = {"PD_RNN_DEEP=1", "PD_RNN_DEEP=2", "PD_RNN_DEEP=4",
                                       "PD_RNN_DEEP=8"};
    const uint32_t n = (uint32_t)part->units, gates = (uint32_t)(part->width / part->units);
    const uint32_t parts = is->dtype == PADIC_F32 ? 3 : is->dtype == PADIC_F16 ? 2 : 1;
    uint32_t depth = 0, words;
    if (n > 1024 || !padici_gpu_is_sm(gpu, 80)) return 0;
    while (n > 128u << depth) depth++;
    words = (2u << depth) * gates * parts;
    padici_gpu_rnn_rows_of(is, part, v);
    v->defines[v->count++] = deep[depth];
    v->units = 2 * words > 96 ? 8 : 16;
    v->pitch = 128u << depth;
    if (gpu->tested && padici_gpu_rnn_may(gpu, PADICI_KERNEL_CUDA_RNN_GRID_RUN)) {
        const padici_variant *tested = &gpu->state->variants[gpu->tested - 1];
        v->units = 16; // its test has fewer units than it is for
        if (padici_gpu_rnn_variant_has(tested, "PD_RNN_OCTETS=1")) v->units = 8;
        v->pitch = 1024;
    }
    if (v->units == 8) v->defines[v->count++] = "PD_RNN_OCTETS=1";
    v->count = padici_gpu_rnn_together(gpu, v->defines, v->count);
    return words <= 144 && (n + v->units - 1) / v->units <= gpu->info->compute_units;
}

// Whether these kernels do all layers of many rows.
PADICI_FN int padici_gpu_rnn_has_rows(padici_gpu *gpu, const padici_gpu_rnn_net *is,
                                      const padici_rnn_net *net)
{
    uint32_t i;
    if (!padici_gpu_is_sm(gpu, 80)) return 0;
    for (i = 0; i < net->layers * net->directions; i++) {
        const padici_rnn_part *part = &net->part[i];
        const uint32_t few = part->units <= PADICI_GPU_RNN_SMALL;
        const uint32_t kernel = few ? PADICI_KERNEL_CUDA_RNN_ROWS_RUN
                                      : PADICI_KERNEL_CUDA_RNN_GRID_RUN;
        padici_gpu_rnn_variant v;
        if (part->is.kind == PADIC_RNN_KIND_LINEAR) continue;
        if (!padici_gpu_rnn_may(gpu, kernel)) return 0;
        if (few) padici_gpu_rnn_rows_of(is, part, &v);
        else if (!padici_gpu_rnn_grid_of(gpu, is, part, &v)) return 0;
        if (padici_gpu_need(gpu, kernel, v.defines, v.count)) return 0;
    }
    return 1;
}

// Words of flags and of states, in memory of the call: enough for all layers.
PADICI_FN uint64_t padici_gpu_rnn_words(const padici_gpu *gpu, const padici_rnn_net *net,
                                        uint64_t rows)
{
    const uint64_t tiles = (rows + 15) / 16;
    uint64_t pitch = gpu->tested ? 1024 : 128;
    while (pitch < net->state && pitch < 1024) pitch *= 2;
    return tiles * ((net->state + 7) / 8 + 32 * pitch) + 4;
}

// What each launch reads and writes.
static void padici_gpu_rnn_cores_work(const padici_gpu_rnn_layer *l,
                                      const padici_gpu_rnn_variant *v, padici_gpu_work *work)
{
    const padici_gpu_rnn_sequence *r = l->r;
    memset(work, 0, sizeof *work);
    work->defines = v->defines;
    work->define_count = v->count;
    work->mem[0] = work->mem[1] = r->plan->device_mem;
    work->mem[2] = r->sums.mem;
    work->mem[3] = r->k.flags ? r->lengths.mem : r->sums.mem;
    work->mem[4] = r->memory.mem;
}

static padic_result padici_gpu_rnn_layer_rows(const padici_gpu_rnn_layer *l)
{
    const padici_gpu_rnn_sequence *r = l->r;
    padici_gpu_rnn_variant v;
    padici_k_cuda_rnn_rows_params k;
    padici_gpu_work work;
    memset(&k, 0, sizeof k);
    padici_gpu_rnn_rows_of(&r->is, l->part, &v);
    k.units = (uint32_t)l->part->units;
    k.rows = r->k.rows;
    k.flags = r->k.flags | l->row[1];
    k.first = l->first;
    k.count = l->count;
    k.steps = r->k.steps;
    k.recurrent = l->row[7];
    k.back = l->row[9];
    k.scale = l->row[11];
    k.at = l->row[4];
    k.y = l->y_flags;
    k.y_at = l->y_at;
    k.y_time = l->y_time;
    k.y_row = l->y_row;
    k.y_column = l->y_column;
    k.length_at = r->lengths.at;
    k.length_step = r->lengths.step[0];
    padici_gpu_rnn_cores_work(l, &v, &work);
    work.kernel = PADICI_KERNEL_CUDA_RNN_ROWS_RUN;
    work.mem[5] = k.y ? l->y : r->to.mem;
    work.mem_count = 6;
    work.params = &k;
    work.params_size = sizeof k;
    work.groups[0] = (k.rows + 31) / 32;
    return padici_gpu_launch(r->gpu, &work);
}

static void padici_gpu_rnn_grid_params(const padici_gpu_rnn_layer *l,
                                       const padici_gpu_rnn_variant *v,
                                       padici_k_cuda_rnn_grid_params *k)
{
    const padici_gpu_rnn_sequence *r = l->r;
    memset(k, 0, sizeof *k);
    k->units = (uint32_t)l->part->units;
    k->rows = r->k.rows;
    k->flags = r->k.flags | l->row[1];
    k->first = l->first;
    k->count = l->count;
    k->steps = r->k.steps;
    k->all = (k->rows + 15) / 16;
    k->blocks = (k->units + v->units - 1) / v->units;
    k->recurrent = l->row[7];
    k->back = l->row[9];
    k->scale = l->row[11];
    k->at = l->row[4];
    k->states = (k->all * k->blocks + 3) / 4 * 4;
    k->y = l->y_flags;
    k->y_at = l->y_at;
    k->y_time = l->y_time;
    k->y_row = l->y_row;
    k->y_column = l->y_column;
    k->length_at = r->lengths.at;
    k->length_step = r->lengths.step[0];
}

// As many tiles at a time as groups that the device runs at a time can hold.
static padic_result padici_gpu_rnn_layer_grid(const padici_gpu_rnn_layer *l)
{
    const padici_gpu_rnn_sequence *r = l->r;
    const uint32_t units = r->gpu->info->compute_units;
    padici_gpu_rnn_variant v;
    padici_k_cuda_rnn_grid_params k;
    padici_gpu_work work;
    padic_result result;
    uint32_t columns, most;
    if (padici_gpu_rnn_words(r->gpu, &r->plan->net, r->k.rows) >> 31 ||
        !padici_gpu_rnn_grid_of(r->gpu, &r->is, l->part, &v))
        return PADIC_ERROR_NOT_SUPPORTED;
    result = padici_gpu_need(r->gpu, PADICI_KERNEL_CUDA_RNN_GRID_RUN, v.defines, v.count);
    if (result) return result;
    padici_gpu_rnn_grid_params(l, &v, &k);
    columns = units / k.blocks; // groups of rows
    most = columns * PADICI_GPU_RNN_HELD;
    padici_gpu_rnn_cores_work(l, &v, &work);
    work.params = &k;
    work.params_size = sizeof k;
    work.kernel = PADICI_KERNEL_CUDA_RNN_GRID_BEGIN;
    work.mem[0] = r->memory.mem;
    work.mem[1] = r->words.mem;
    work.mem_count = 2;
    work.groups[0] = (k.all * v.pitch + 7) / 8;
    if (work.groups[0] > units) work.groups[0] = units;
    result = padici_gpu_launch(r->gpu, &work);
    work.kernel = PADICI_KERNEL_CUDA_RNN_GRID_RUN;
    work.mem[0] = work.mem[1] = r->plan->device_mem;
    work.mem[5] = r->words.mem;
    work.mem[6] = k.y ? l->y : r->to.mem;
    work.mem_count = 7;
    for (; k.from < k.all && !result; k.from = k.until) {
        const uint32_t left = k.all - k.from, here = left < most ? left : most;
        k.until = k.from + here;
        k.tiles = (here + columns - 1) / columns;
        work.groups[0] = k.blocks * ((here + k.tiles - 1) / k.tiles);
        result = padici_gpu_launch(r->gpu, &work);
    }
    return result;
}

// One row, all steps by one launch. NOT_SUPPORTED: not on this device, or too many units.
static padic_result padici_gpu_rnn_layer_ring(const padici_gpu_rnn_layer *l)
{
    static const char *const deep[] = {"PD_RNN_DEEP=4", "PD_RNN_DEEP=8", "PD_RNN_DEEP=16",
                                       "PD_RNN_DEEP=32"};
    padici_gpu_rnn_sequence *r = l->r;
    const uint32_t n = (uint32_t)l->part->units, groups = (n + 7) / 8;
    const char *defines[5];
    padici_k_cuda_rnn_begin_params begin;
    padici_k_cuda_rnn_steps_params k;
    padici_gpu_work work;
    uint32_t count, depth = 0;
    padic_result result;
    if (n > 1024 || groups > r->gpu->info->compute_units) return PADIC_ERROR_NOT_SUPPORTED;
    while (n > (128u << depth)) depth++;
    memset(&k, 0, sizeof k);
    memset(&work, 0, sizeof work);
    count = padici_gpu_rnn_define(r->is.dtype, &defines[0]);
    defines[count++] = deep[depth];
    if (l->part->is.kind == PADIC_RNN_KIND_LSTM) defines[count++] = "PD_RNN_GATES=4";
    count = padici_gpu_rnn_together(r->gpu, defines, count);
    result = padici_gpu_need(r->gpu, PADICI_KERNEL_CUDA_RNN_STEPS, defines, count);
    if (result) return result;
    begin.units = k.units = n;
    begin.first = k.first = l->first;
    begin.at = k.at = l->row[4];
    work.kernel = PADICI_KERNEL_CUDA_RNN_BEGIN;
    work.defines = defines;
    work.define_count = count;
    work.mem[0] = r->memory.mem;
    work.mem[1] = r->words.mem;
    work.mem_count = 2;
    work.params = &begin;
    work.params_size = sizeof begin;
    work.groups[0] = (n + 255) / 256;
    result = padici_gpu_launch(r->gpu, &work);
    k.flags = r->k.flags | l->row[1];
    k.count = l->count;
    k.steps = r->k.steps;
    k.recurrent = l->row[7];
    k.back = l->row[9];
    k.scale = l->row[11];
    k.y = l->y_flags;
    k.y_at = l->y_at;
    k.y_time = l->y_time;
    k.y_column = l->y_column;
    k.length_at = r->lengths.at;
    work.kernel = PADICI_KERNEL_CUDA_RNN_STEPS;
    work.mem[0] = work.mem[1] = r->plan->device_mem;
    work.mem[2] = r->sums.mem;
    work.mem[3] = r->k.flags ? r->lengths.mem : r->sums.mem;
    work.mem[4] = r->memory.mem;
    work.mem[5] = r->words.mem;
    work.mem[6] = k.y ? l->y : r->to.mem;
    work.mem_count = 7;
    work.params = &k;
    work.params_size = sizeof k;
    work.groups[0] = groups;
    return result ? result : padici_gpu_launch(r->gpu, &work);
}

// NOT_SUPPORTED: none of these.
PADICI_FN padic_result padici_gpu_rnn_layer_cuda(const padici_gpu_rnn_layer *l)
{
    const uint32_t rows = l->r->k.rows, few = l->part->units <= PADICI_GPU_RNN_SMALL;
    const padici_gpu *gpu = l->r->gpu;
    padic_result result = PADIC_ERROR_NOT_SUPPORTED;
    if (rows == 1 && !few && padici_gpu_rnn_may(gpu, PADICI_KERNEL_CUDA_RNN_STEPS))
        result = padici_gpu_rnn_layer_ring(l);
    if (result == PADIC_ERROR_NOT_SUPPORTED && few && rows > PADICI_GPU_RNN_FEW &&
        padici_gpu_rnn_may(gpu, PADICI_KERNEL_CUDA_RNN_ROWS_RUN))
        return padici_gpu_rnn_layer_rows(l);
    if (result == PADIC_ERROR_NOT_SUPPORTED && !few &&
        padici_gpu_rnn_may(gpu, PADICI_KERNEL_CUDA_RNN_GRID_RUN))
        return padici_gpu_rnn_layer_grid(l);
    return result;
}

#undef PADICI_GPU_RNN_SMALL
#undef PADICI_GPU_RNN_HELD

#endif
