#include "../../field/vortices.h"
#include "../../context/messages.h"
#include "../../context/operation.h"
#include "../../context/recording.h"
#include "../../core/view.h"
#include "../launch.h"
#include "../texts.h"
#include "../variants.h"

#if PADICI_IMPLEMENT_GPU && !defined(PADIC_NO_FIELD)

// Lists of vortices of a field in a device's memory: kernels/field/vortex.cl.

enum {
    PADICI_GPU_VORTEX_NUMBERS = 5, // of a group
    PADICI_GPU_VORTEX_STATE = 6    // of all: count, totals, undefined, linked
};

// The operands of the desc, NULL if there is no such; numbers of words of 64 bits, psi's of parts.
typedef struct padici_gpu_vortices {
    const padic_field_vortices_desc *desc;
    const padici_operand *psi, *last_cells, *last_positions, *cells, *positions, *density, *links;
    padici_gpu_block parts; // numbers of all, then of each group
    padici_k_field_vortex_params k;
    padici_k_field_vortex_link_params link;
    uint32_t wide, lead;
} padici_gpu_vortices;

// A list: where it begins, steps of rows and columns. 0: beyond what kernels reach.
static int padici_gpu_vortex_view(const padici_operand *o, uint32_t *at, uint32_t *row,
                                  uint32_t *column)
{
    int64_t stride[PADIC_MAX_RANK];
    if (!o) return 1;
    if (o->now.at % 8 || (o->now.at + o->bytes) >> 34) return 0;
    padici_tensor_dense(o->tensor, stride);
    *at = (uint32_t)(o->now.at / 8);
    *row = (uint32_t)stride[0];
    if (column) *column = (uint32_t)stride[1];
    return 1;
}

// psi: a plane is a volume of one layer, its orientation the kernel's 0.
static int padici_gpu_vortex_psi(padici_gpu_vortices *x)
{
    const uint32_t part = x->wide ? 8 : 4;
    padici_k_field_vortex_params *k = &x->k;
    padici_field_vortex_job job;
    int64_t stride[PADIC_MAX_RANK];
    uint64_t each;
    uint32_t i;
    padici_field_vortex_begin(&job, x->desc);
    if (job.points >> 30 || x->psi->now.at % part || (x->psi->now.at + x->psi->bytes) / part >> 32)
        return 0;
    padici_tensor_dense(&x->desc->psi, stride);
    k->points = (uint32_t)job.points;
    each = (job.points + 1023) / 1024;
    each = each < 512 ? 512 : (each + 127) / 128 * 128;
    k->each = (uint32_t)each;
    k->groups = (uint32_t)((job.points + each - 1) / each);
    k->base = (uint32_t)(x->psi->now.at / part);
    k->periodic = job.periodic << x->lead;
    k->plane = x->lead;
    k->count[0] = 1;
    for (i = 0; i < job.rank; i++) {
        k->count[x->lead + i] = (uint32_t)job.count[i];
        k->step[x->lead + i] = 2 * (uint32_t)stride[i];
        padici_gpu_real(job.origin[i], 1, k->origin + 2 * (x->lead + i));
        padici_gpu_real(job.spacing[i], 1, k->spacing + 2 * (x->lead + i));
    }
    return 1;
}

static const padici_operand *padici_gpu_vortex_operand(const padici_call *call, uint32_t *next,
                                                       const padic_tensor *t)
{
    return t->dtype == PADIC_DTYPE_NONE ? NULL : &call->operands[(*next)++];
}

// Links, where there are some. 0: beyond what kernels reach.
static int padici_gpu_vortex_links(padici_gpu_vortices *x)
{
    const padic_field_vortices_desc *desc = x->desc;
    padici_k_field_vortex_link_params *k = &x->link;
    padici_field_vortex_job job;
    uint32_t i;
    if (!x->links) return 1;
    padici_field_vortex_begin(&job, desc);
    if (desc->last_cells.shape[0] >> 31) return 0;
    k->rows = x->k.rows;
    k->last = (uint32_t)desc->last_cells.shape[0];
    k->columns = job.rank;
    k->periodic = job.periodic;
    k->cells = x->k.cells;
    k->cells_row = x->k.cells_row;
    k->cells_column = x->k.cells_column;
    k->positions = x->k.positions;
    k->positions_row = x->k.positions_row;
    k->positions_column = x->k.positions_column;
    padici_gpu_real(desc->reach > 0 ? desc->reach * desc->reach : DBL_MAX, 1, k->reach);
    for (i = 0; i < job.rank; i++)
        padici_gpu_real((double)job.count[i] * job.spacing[i], 1, k->box + 2 * i);
    return padici_gpu_vortex_view(x->last_cells, &k->last_cells, &k->last_cells_row,
                                  &k->last_cells_column) &&
           padici_gpu_vortex_view(x->last_positions, &k->last_positions, &k->last_positions_row,
                                  &k->last_positions_column) &&
           padici_gpu_vortex_view(x->links, &k->links, &k->links_row, NULL);
}

// 0: there are no kernels for such a field, or such lists.
static int padici_gpu_vortices_begin(padici_gpu_vortices *x, padici_gpu *gpu,
                                     const padici_call *call)
{
    const padic_field_vortices_desc *desc = &call->desc->field_vortices;
    uint64_t rows = padici_field_vortex_rows(desc);
    uint32_t next = 1;
    memset(x, 0, sizeof *x);
    x->parts.block = PADICI_NO_BLOCK;
    x->desc = desc;
    x->wide = desc->psi.dtype == PADIC_C128;
    x->lead = 3 - desc->psi.rank;
    x->psi = &call->operands[0];
    x->last_cells = padici_gpu_vortex_operand(call, &next, &desc->last_cells);
    x->last_positions = padici_gpu_vortex_operand(call, &next, &desc->last_positions);
    x->cells = padici_gpu_vortex_operand(call, &next, &desc->cells);
    x->positions = padici_gpu_vortex_operand(call, &next, &desc->positions);
    x->density = padici_gpu_vortex_operand(call, &next, &desc->density);
    x->links = padici_gpu_vortex_operand(call, &next, &desc->links);
    if ((x->positions || x->density || x->links) && !(gpu->info->features & PADIC_FEATURE_F64))
        return 0;
    if (!padic_tensor_count(&desc->psi) || !padici_gpu_vortex_psi(x)) return 0;
    x->k.rows = (uint32_t)(rows < UINT32_MAX ? rows : UINT32_MAX);
    x->k.listed = (x->cells ? 1u : 0u) | (x->positions ? 2u : 0u) | (x->density ? 4u : 0u);
    return padici_gpu_vortex_view(x->cells, &x->k.cells, &x->k.cells_row, &x->k.cells_column) &&
           padici_gpu_vortex_view(x->positions, &x->k.positions, &x->k.positions_row,
                                  &x->k.positions_column) &&
           padici_gpu_vortex_view(x->density, &x->k.density, &x->k.density_row, NULL) &&
           padici_gpu_vortex_links(x);
}

static padic_result padici_gpu_vortex_launch(padici_gpu *gpu, const padici_gpu_vortices *x,
                                             padici_gpu_work *work, const void *params,
                                             uint32_t size)
{
    static const char *const wide[] = {"PD_FIELD_WIDE=1"};
    work->defines = wide;
    work->define_count = x->wide;
    work->params = params;
    work->params_size = size;
    return padici_gpu_launch(gpu, work);
}

static padic_mem padici_gpu_vortex_mem(const padici_gpu_vortices *x, const padici_operand *o)
{
    return o ? o->now.mem : x->parts.mem; // of none, memory that nobody uses
}

// Counts, then the rows of each group.
static padic_result padici_gpu_vortices_list(padici_gpu *gpu, const padici_gpu_vortices *x)
{
    padici_gpu_work work;
    padic_result result;
    memset(&work, 0, sizeof work);
    work.kernel = PADICI_KERNEL_FIELD_VORTEX_COUNT;
    work.mem[0] = x->psi->now.mem;
    work.mem[1] = x->parts.mem;
    work.mem_count = 2;
    work.groups[0] = x->k.groups;
    result = padici_gpu_vortex_launch(gpu, x, &work, &x->k, sizeof x->k);
    if (result) return result;
    memset(&work, 0, sizeof work);
    work.kernel = PADICI_KERNEL_FIELD_VORTEX_TOTAL;
    work.mem[0] = x->parts.mem;
    work.mem_count = 1;
    result = padici_gpu_vortex_launch(gpu, x, &work, &x->k, sizeof x->k);
    if (result || !x->k.listed || !x->k.rows) return result;
    memset(&work, 0, sizeof work);
    work.kernel = PADICI_KERNEL_FIELD_VORTEX_LIST;
    work.mem[0] = x->psi->now.mem;
    work.mem[1] = x->parts.mem;
    work.mem[2] = padici_gpu_vortex_mem(x, x->cells);
    work.mem[3] = padici_gpu_vortex_mem(x, x->positions);
    work.mem[4] = padici_gpu_vortex_mem(x, x->density);
    work.mem_count = 5;
    work.groups[0] = x->k.groups;
    return padici_gpu_vortex_launch(gpu, x, &work, &x->k, sizeof x->k);
}

// The rows of the earlier list.
static padic_result padici_gpu_vortices_link(padici_gpu *gpu, const padici_gpu_vortices *x)
{
    padici_gpu_work work;
    if (!x->links || !x->k.rows) return PADIC_OK;
    memset(&work, 0, sizeof work);
    work.kernel = PADICI_KERNEL_FIELD_VORTEX_LINK;
    work.mem[0] = x->parts.mem;
    work.mem[1] = x->cells->now.mem;
    work.mem[2] = x->positions->now.mem;
    work.mem[3] = x->last_cells->now.mem;
    work.mem[4] = x->last_positions->now.mem;
    work.mem[5] = x->links->now.mem;
    work.mem_count = 6;
    work.groups[0] = padici_gpu_groups(gpu, x->k.rows, 128);
    return padici_gpu_vortex_launch(gpu, x, &work, &x->link, sizeof x->link);
}

// What the kernels counted; waits for them.
static padic_result padici_gpu_vortices_report(padici_gpu *gpu, const padici_gpu_vortices *x)
{
    const uint32_t plane = x->lead;
    padic_field_vortices_report report;
    uint32_t words[PADICI_GPU_VORTEX_STATE], i;
    const padic_result result = padici_gpu_download(gpu, x->parts.mem, 0, words, sizeof words);
    if (result) return result;
    memset(&report, 0, sizeof report);
    report.count = words[0];
    for (i = 0; i < (plane ? 1u : 3u); i++) report.total[plane ? 2 : i] = (int32_t)words[1 + i];
    report.undefined = words[4];
    report.linked = words[5];
    return padici_field_vortex_end(&gpu->context->env, padici_field_vortex_rows(x->desc), &report,
                                   x->desc);
}

static padic_result padici_gpu_vortices_need(padici_gpu *gpu, const padici_gpu_vortices *x)
{
    static const uint32_t kernels[] = {
        PADICI_KERNEL_FIELD_VORTEX_COUNT, PADICI_KERNEL_FIELD_VORTEX_TOTAL,
        PADICI_KERNEL_FIELD_VORTEX_LIST, PADICI_KERNEL_FIELD_VORTEX_LINK};
    static const char *const wide[] = {"PD_FIELD_WIDE=1"};
    padic_result result = PADIC_OK;
    uint32_t i;
    for (i = 0; i < sizeof kernels / sizeof *kernels && !result; i++)
        result = padici_gpu_need(gpu, kernels[i], wide, x->wide);
    return result;
}

PADICI_FN padic_result padici_gpu_field_vortices(padici_gpu *gpu, const padici_call *call,
                                                 int query)
{
    padici_gpu_vortices x;
    padic_result result;
    if (!padici_gpu_vortices_begin(&x, gpu, call)) return PADIC_ERROR_NOT_SUPPORTED;
    result = padici_gpu_vortices_need(gpu, &x);
    if (query || result) return result;
    if (x.desc->report)
        result = padici_refuse(gpu->context, "a report, for which the host waits,");
    if (!result)
        result = padici_gpu_scratch(
            gpu, 4 * (PADICI_GPU_VORTEX_STATE + x.k.groups * PADICI_GPU_VORTEX_NUMBERS),
            &x.parts);
    if (!result) result = padici_gpu_vortices_list(gpu, &x);
    if (!result) result = padici_gpu_vortices_link(gpu, &x);
    if (!result && !gpu->context->recording) result = padici_gpu_vortices_report(gpu, &x);
    padici_gpu_scratch_end(gpu, &x.parts);
    return result;
}

#endif
