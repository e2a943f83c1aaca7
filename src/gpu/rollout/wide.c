#include "wide.h"
#include "../../context/operation.h"
#include "../../context/state.h"
#include "../../context/target.h"
#include "../../core/log.h"
#include "../launch.h"
#include "../tests.h"
#include "../variants.h"

#if PADICI_IMPLEMENT_GPU && !defined(PADIC_NO_ROLLOUT)

// Operators in 16 bits on tensor cores. A convolution's kernel leaves its sums in 16 bits and the
// moments of its tiles; of few channels the last tile of a trajectory makes the map of the norm, of
// many a launch does. The norm and the activation are done where the field is read, or once for all
// where that would be done often. Tiles and kernels depend on the operator and the device alone.

#define PADICI_GPU_ROLLOUT_WIDE_OUTPUTS 4u // of the last convolution: each.cu
#define PADICI_GPU_ROLLOUT_WIDE_INPUTS 512u
#define PADICI_GPU_ROLLOUT_WIDE_GROUPS 256u // channels of a node whose norm is over some: tile.cu
#define PADICI_GPU_ROLLOUT_WIDE_TILE 16u
#define PADICI_GPU_ROLLOUT_WIDE_PLAIN 64u // channels from which on norms are done once for all
#define PADICI_GPU_ROLLOUT_WIDE_STAGES 5u // ring.cu
#define PADICI_GPU_ROLLOUT_WIDE_WORDS 8u  // of a trajectory: half.cu

static uint32_t padici_gpu_rollout_padded(uint32_t channels)
{
    return (channels + 15) / 16 * 16;
}

// ---- which operators

static int padici_gpu_rollout_wide_norm(const padici_rollout_node *node)
{
    const padic_rollout_norm norm = node->is.norm;
    if (norm == PADIC_ROLLOUT_NORM_NONE || norm == PADIC_ROLLOUT_NORM_INSTANCE) return 1;
    return norm != PADIC_ROLLOUT_NORM_FROZEN &&
           node->is.channels <= PADICI_GPU_ROLLOUT_WIDE_GROUPS;
}

static int padici_gpu_rollout_wide_has(const padici_gpu_rollout *n, uint32_t i)
{
    const padici_rollout_node *node = &n->e.node[i];
    if (node->is.kind == PADIC_ROLLOUT_KIND_CONV)
        return node->is.stride == 1 && node->is.kernel <= 7 && padici_gpu_rollout_wide_norm(node);
    return node->is.kind == PADIC_ROLLOUT_KIND_ADD && node->is.input && node->is.skip;
}

// The node whose field the last convolution reads, through NOISE or not; 0: not such a list.
static uint32_t padici_gpu_rollout_wide_source(const padici_gpu_rollout *n)
{
    const padici_rollout_node *last = &n->e.node[n->e.op.count], *node;
    if (last->is.kind != PADIC_ROLLOUT_KIND_CONV || last->is.kernel != 1 || last->is.stride != 1 ||
        last->is.norm != PADIC_ROLLOUT_NORM_NONE || last->is.act != PADIC_ROLLOUT_ACT_NONE ||
        last->is.channels > PADICI_GPU_ROLLOUT_WIDE_OUTPUTS ||
        last->inputs > PADICI_GPU_ROLLOUT_WIDE_INPUTS)
        return 0;
    node = &n->e.node[last->is.input];
    return node->is.kind == PADIC_ROLLOUT_KIND_NOISE ? node->is.input : last->is.input;
}

static int padici_gpu_rollout_wide_fits(const padici_gpu_rollout *n)
{
    const uint32_t count = n->e.op.count, source = padici_gpu_rollout_wide_source(n);
    const uint32_t noise = n->e.node[count].is.input;
    uint32_t i;
    if (!source || !padici_gpu_is_sm(n->gpu, 80)) return 0;
    for (i = 1; i < count; i++) {
        const padici_rollout_node *node = &n->e.node[i];
        if (i == noise && i != source) { // NOISE, which nothing else may read
            if (node->law.length > 0 && !n->e.chance.quiet) return 0;
            continue;
        }
        if (!padici_gpu_rollout_wide_has(n, i)) return 0;
        if (noise != source && (node->is.input == noise || (node->skips && node->is.skip == noise)))
            return 0;
    }
    return 1;
}

// ---- layout

// Whether the variant under test is of the kernel's program: then it does all of that.
static int padici_gpu_rollout_tests(const padici_gpu *gpu, uint32_t kernel)
{
    return gpu->tested && gpu->state->variants[gpu->tested - 1].program == kernel >> 16;
}

// Of a convolution from `inputs` channels, or the skip of an ADD.
static void padici_gpu_rollout_wide_conv(const padici_gpu_rollout *n, uint32_t at, uint32_t from,
                                         uint32_t span, padici_gpu_rollout_wide_node *wide)
{
    const padici_rollout_node *node = &n->e.node[at];
    const uint32_t inputs = n->e.node[from].shape.channels, channels = node->is.channels;
    const uint32_t all = (15 + span) * (15 + span), padded = padici_gpu_rollout_padded(inputs);
    const int own = !strcmp(n->gpu->target->backend->name, "cuda") &&
                    !strcmp(n->gpu->info->arch, "sm_90");
    const uint32_t tested = padici_gpu_tested(n->gpu, "PD_ROLLOUT_N", 0);
    uint32_t bytes;
    wide->span = span;
    wide->from = from;
    wide->more = node->is.kind == PADIC_ROLLOUT_KIND_ADD     ? 2
                 : node->is.norm == PADIC_ROLLOUT_NORM_NONE ? 1
                                                            : 0;
    wide->ring = own && from && inputs % 64 == 0 && channels % 64 == 0 && span <= 3 &&
                  !padici_gpu_rollout_tests(n->gpu, PADICI_KERNEL_CUDA_ROLLOUT_CONV);
    if (wide->ring) {
        wide->n = channels % 128 ? 64 : 128;
        if (padici_gpu_rollout_tests(n->gpu, PADICI_KERNEL_CUDA_ROLLOUT_RING_CONV))
            wide->n = tested;
        wide->blocks = 8;
        bytes = 256 * all + PADICI_GPU_ROLLOUT_WIDE_STAGES * 128 * wide->n + 64 * wide->n + 256;
    } else {
        wide->n = channels <= 16 ? 16 : channels <= 32 ? 32 : 64;
        wide->blocks = padded % 32 || span > 3 ? 2 : 4;
        if (padici_gpu_rollout_tests(n->gpu, PADICI_KERNEL_CUDA_ROLLOUT_CONV)) {
            wide->n = tested;
            wide->blocks = padici_gpu_tested(n->gpu, "PD_ROLLOUT_BLOCKS", 4);
        }
        bytes = 16 * wide->blocks * (all + span * span * wide->n);
        bytes = bytes <= 16384 ? 16384 : bytes <= 32768 ? 32768 : bytes <= 65536 ? 65536 : 122880;
    }
    wide->bytes = bytes;
    wide->chunks = (padded / 8 + wide->blocks - 1) / wide->blocks;
    wide->groups = (channels + wide->n - 1) / wide->n;
}

// Whether a node's norm is done once for all: a convolution on large fields would do it often, and
// tensor cores that read memory themselves cannot, nor is there time after sums.
static int padici_gpu_rollout_wide_plain(const padici_gpu_rollout *n, uint32_t at)
{
    const uint32_t many = n->e.node[at].is.channels >= PADICI_GPU_ROLLOUT_WIDE_PLAIN;
    uint32_t i;
    if (!n->place[at].norms) return 0;
    for (i = at + 1; i < n->e.op.count; i++) {
        if (n->wide[i].span && n->wide[i].from == at && (many || n->wide[i].ring)) return 1;
        if (n->wide[i].more == 2 && n->e.node[i].is.input == at) return 1;
    }
    return 0;
}

// Maps, moments, fields: numbers of a trajectory, in steps of four.
static void padici_gpu_rollout_wide_fields(padici_gpu_rollout *n)
{
    uint64_t field[PADIC_ROLLOUT_NODES + 1], fields, at = 0;
    const uint32_t count = n->e.op.count;
    uint32_t i;
    for (i = 0; i <= count; i++) field[i] = 0;
    for (i = 1; i < count; i++) {
        const padic_rollout_shape *shape = &n->e.node[i].shape;
        const uint32_t padded = padici_gpu_rollout_padded(shape->channels);
        if (n->e.node[i].is.kind != PADIC_ROLLOUT_KIND_NOISE)
            field[i] = (uint64_t)padded / 2 * shape->height * shape->width;
        n->place[i].moments = at;
        if (n->place[i].norms)
            at += ((uint64_t)n->place[i].count * shape->channels * 2 + 3) / 4 * 4;
        n->place[i].map = at;
        if (n->place[i].norms) at += 2 * padded;
    }
    fields = padici_rollout_place_fields(n->e.node, count, field);
    for (i = 1; i < count; i++) n->place[i].field = at + field[i];
    at += fields;
    n->place[count].field = at;
    at += (uint64_t)n->e.node[count].shape.channels * n->e.node[count].shape.height *
          n->e.node[count].shape.width;
    n->each = (at + 3) / 4 * 4;
    n->beside = PADICI_GPU_ROLLOUT_WIDE_WORDS;
    n->packed = n->e.operators * n->e.parameters;
}

PADICI_FN int padici_gpu_rollout_wide_lay(padici_gpu_rollout *n)
{
    uint64_t at = 0;
    uint32_t i;
    if (!padici_gpu_rollout_wide_fits(n)) return 0;
    for (i = 1; i <= n->e.op.count; i++) {
        const padici_rollout_node *node = &n->e.node[i];
        padici_gpu_rollout_place *place = &n->place[i];
        padici_gpu_rollout_wide_node *wide = &n->wide[i];
        const uint32_t tile = PADICI_GPU_ROLLOUT_WIDE_TILE;
        memset(place, 0, sizeof *place);
        if (i == n->e.op.count) break;
        place->norms = place->counts = node->is.kind == PADIC_ROLLOUT_KIND_CONV &&
                                       node->is.norm != PADIC_ROLLOUT_NORM_NONE;
        place->acts = node->is.kind == PADIC_ROLLOUT_KIND_CONV &&
                      node->is.act != PADIC_ROLLOUT_ACT_NONE;
        place->tiles = (node->shape.width + tile - 1) / tile;
        place->count = place->tiles * ((node->shape.height + tile - 1) / tile);
        if (node->is.kind == PADIC_ROLLOUT_KIND_CONV)
            padici_gpu_rollout_wide_conv(n, i, node->is.input, node->is.kernel, wide);
        else if (node->is.kind == PADIC_ROLLOUT_KIND_ADD && node->skip_w)
            padici_gpu_rollout_wide_conv(n, i, node->is.skip, 1, wide);
        wide->w = (uint32_t)at;
        at += (uint64_t)wide->groups * wide->chunks * wide->span * wide->span * wide->blocks *
              wide->n;
        if (at >> 31) return 0;
    }
    for (i = 1; i < n->e.op.count; i++) {
        n->wide[i].plain = (uint32_t)padici_gpu_rollout_wide_plain(n, i);
        n->wide[i].late = n->place[i].norms && (n->wide[i].ring || n->wide[i].plain);
    }
    n->halves_each = (uint32_t)at;
    if (n->e.operators && at > ((uint64_t)1 << 31) / n->e.operators) return 0;
    padici_gpu_rollout_wide_fields(n);
    return 1;
}

// ---- variants

typedef struct padici_gpu_rollout_variant {
    char text[8][32];
    const char *defines[8];
    uint32_t count, kernel;
} padici_gpu_rollout_variant;

static void padici_gpu_rollout_define(padici_gpu_rollout_variant *v, const char *word,
                                      uint32_t number)
{
    padici_text text;
    padici_text_begin(&text, v->text[v->count], sizeof v->text[0]);
    padici_text_add(&text, word);
    padici_text_number(&text, number, 1);
    v->defines[v->count] = v->text[v->count];
    v->count++;
}

static void padici_gpu_rollout_precision(const padici_gpu_rollout *n,
                                         padici_gpu_rollout_variant *v)
{
    v->count = 0;
    padici_gpu_rollout_define(v, "PD_ROLLOUT_F16=",
                              n->e.precision == PADIC_ROLLOUT_PRECISION_F16);
}

// The variant of each.cu: the noise, and the activation that the last convolution reads with, or
// that of the first node where it reads a field as it is.
static void padici_gpu_rollout_each_variant(const padici_gpu_rollout *n,
                                            padici_gpu_rollout_variant *v)
{
    const padici_rollout_node *noise = &n->e.node[n->e.node[n->e.op.count].is.input];
    const uint32_t source = padici_gpu_rollout_wide_source(n);
    const int pending = n->place[source].norms && !n->wide[source].plain;
    padici_gpu_rollout_precision(n, v);
    padici_gpu_rollout_define(v, "PD_ROLLOUT_NOISE=",
                              noise->is.kind != PADIC_ROLLOUT_KIND_NOISE || n->e.chance.quiet
                                  ? 0
                                  : (uint32_t)noise->law.type + 1);
    padici_gpu_rollout_define(v, "PD_ROLLOUT_IN=",
                              (uint32_t)n->e.node[pending ? source : 1].is.act);
    padici_gpu_rollout_define(v, "PD_ROLLOUT_OUT=", n->e.node[n->e.op.count].is.channels);
}

static void padici_gpu_rollout_wide_variant(const padici_gpu_rollout *n, uint32_t at,
                                            padici_gpu_rollout_variant *v)
{
    const padici_gpu_rollout_wide_node *wide = &n->wide[at];
    padici_gpu_rollout_precision(n, v);
    padici_gpu_rollout_define(v, "PD_ROLLOUT_N=", wide->n);
    padici_gpu_rollout_define(v, "PD_DYNAMIC_BYTES=", wide->bytes);
    padici_gpu_rollout_define(v, "PD_ROLLOUT_MORE=", wide->more);
    if (wide->more == 1)
        padici_gpu_rollout_define(v, "PD_ROLLOUT_ACT=", (uint32_t)n->e.node[at].is.act);
    if (!wide->ring && n->place[wide->from].norms && !n->wide[wide->from].plain)
        padici_gpu_rollout_define(v, "PD_ROLLOUT_IN=", (uint32_t)n->e.node[wide->from].is.act);
    padici_gpu_rollout_define(v, "PD_ROLLOUT_SPAN=", wide->span);
    if (!wide->ring) padici_gpu_rollout_define(v, "PD_ROLLOUT_BLOCKS=", wide->blocks);
    v->kernel = wide->ring ? PADICI_KERNEL_CUDA_ROLLOUT_RING_CONV
                            : PADICI_KERNEL_CUDA_ROLLOUT_CONV;
}

PADICI_FN padic_result padici_gpu_rollout_wide_need(const padici_gpu_rollout *n)
{
    padici_gpu_rollout_variant v;
    padic_result result;
    uint32_t i;
    padici_gpu_rollout_each_variant(n, &v);
    result = padici_gpu_need(n->gpu, PADICI_KERNEL_CUDA_ROLLOUT_EACH_END, v.defines, v.count);
    for (i = 1; i < n->e.op.count && !result; i++) {
        if (!n->wide[i].span) continue;
        padici_gpu_rollout_wide_variant(n, i, &v);
        result = padici_gpu_need(n->gpu, v.kernel, v.defines, v.count);
    }
    return result;
}

PADICI_FN padic_result padici_warm_rollout_half(padici_gpu *gpu)
{
    static const char *const defines[] = {"PD_ROLLOUT_F16=0", "PD_ROLLOUT_NOISE=1",
                                          "PD_ROLLOUT_IN=0", "PD_ROLLOUT_OUT=3"};
    if (!padici_gpu_is_sm(gpu, 80)) return PADIC_OK;
    return padici_gpu_need(gpu, PADICI_KERNEL_CUDA_ROLLOUT_EACH_END, defines, 4);
}

// A launch of a kernel of each.cu.
static padic_result padici_gpu_rollout_wide_launch(const padici_gpu_rollout *n, uint32_t kernel,
                                                   padici_gpu_work *work, const void *params,
                                                   uint32_t size)
{
    padici_gpu_rollout_variant v;
    padici_gpu_rollout_each_variant(n, &v);
    work->kernel = kernel;
    work->defines = v.defines;
    work->define_count = v.count;
    work->params = params;
    work->params_size = size;
    return padici_gpu_launch(n->gpu, work);
}

// ---- weights

static padic_result padici_gpu_rollout_wide_pack(const padici_gpu_rollout *n, uint32_t at)
{
    const padici_gpu_rollout_wide_node *wide = &n->wide[at];
    const padici_rollout_node *node = &n->e.node[at];
    padici_k_cuda_rollout_each_halves_params k;
    padici_gpu_work work;
    memset(&k, 0, sizeof k);
    memset(&work, 0, sizeof work);
    k.inputs = n->e.node[wide->from].shape.channels;
    k.outputs = node->is.channels;
    k.taps = wide->span * wide->span;
    k.blocks = wide->blocks;
    k.n = wide->n;
    k.chunks = wide->chunks;
    k.count = wide->groups * k.chunks * k.taps * k.blocks * k.n;
    k.w = (uint32_t)node->shape.weights;
    k.parameters = (uint32_t)n->e.parameters;
    k.to = wide->w;
    k.each = n->halves_each;
    work.mem[0] = n->weights.mem;
    work.mem[1] = n->halves.mem;
    work.mem[2] = n->faulty.mem;
    work.mem_count = 3;
    work.groups[0] = (k.count + 255) / 256;
    work.groups[1] = (uint32_t)n->e.operators;
    return padici_gpu_rollout_wide_launch(n, PADICI_KERNEL_CUDA_ROLLOUT_EACH_HALVES, &work, &k,
                                          sizeof k);
}

PADICI_FN padic_result padici_gpu_rollout_wide_begin(padici_gpu_rollout *n)
{
    const uint64_t halves = (uint64_t)n->halves_each * n->e.operators * 16;
    const uint64_t marks = n->batch * PADICI_GPU_ROLLOUT_WIDE_WORDS * 4;
    padici_gpu *gpu = n->gpu;
    padic_result result = padici_gpu_scratch(gpu, halves ? halves : 16, &n->halves);
    uint32_t i;
    n->size += marks;
    if (!result) result = padici_gpu_scratch(gpu, marks, &n->marks);
    if (!result) result = padici_target_fill(gpu->context, gpu->target, n->marks.mem, 0, 0, marks);
    for (i = 1; i < n->e.op.count && !result; i++)
        if (n->wide[i].span) result = padici_gpu_rollout_wide_pack(n, i);
    return result;
}

// ---- an evaluation

// Where node `at` is read: field, map plus 1, activation.
static void padici_gpu_rollout_wide_read(const padici_gpu_rollout *n, uint32_t at, uint32_t *in,
                                         uint32_t *map, uint32_t *act)
{
    const padici_gpu_rollout_place *place = &n->place[at];
    const int pending = place->norms && !n->wide[at].plain;
    *in = (uint32_t)place->field;
    *map = pending ? (uint32_t)place->map + 1 : 0;
    *act = (uint32_t)(pending ? n->e.node[at].is.act : PADIC_ROLLOUT_ACT_NONE);
}

// Where gamma and beta of a node are among an operator's weights, plus 1; 0: it has none.
static uint32_t padici_gpu_rollout_wide_affine(const padici_gpu_rollout *n, uint32_t at)
{
    const padici_rollout_node *node = &n->e.node[at];
    return node->affine ? (uint32_t)(node->shape.weights + node->w + node->bias) + 1 : 0;
}

static void padici_gpu_rollout_wide_params(const padici_gpu_rollout *n, uint32_t at,
                                           padici_k_rollout_tile_params *k)
{
    const padici_gpu_rollout_wide_node *wide = &n->wide[at];
    const padici_gpu_rollout_place *place = &n->place[at];
    const padici_rollout_node *node = &n->e.node[at];
    uint32_t act; // is the variant's
    memset(k, 0, sizeof *k);
    k->height = node->shape.height;
    k->width = node->shape.width;
    k->boundary = (uint32_t)node->is.boundary;
    k->tiles = place->count;
    k->across = place->tiles;
    k->inputs = n->e.node[wide->from].shape.channels;
    if (wide->from) {
        padici_gpu_rollout_wide_read(n, wide->from, &k->in, &k->map, &act);
    } else {
        k->in = n->state_at;
        k->state = 1;
        k->state_step = n->state_step;
    }
    k->outputs = node->is.channels;
    k->out = (uint32_t)place->field;
    k->w = wide->w;
    k->w_each = n->halves_each;
    if (node->bias) k->bias = (uint32_t)(node->shape.weights + node->w) + 1;
    if (node->is.kind == PADIC_ROLLOUT_KIND_ADD) {
        k->add = (uint32_t)n->place[node->is.input].field + 1; // is plain
    } else if (place->norms) {
        k->moments = (uint32_t)place->moments + 1;
        if (!wide->late) k->to_map = (uint32_t)place->map + 1;
        k->group = node->is.channels / node->is.groups;
        k->eps = node->is.eps;
        k->affine = padici_gpu_rollout_wide_affine(n, at);
    }
    k->step = (uint32_t)n->each;
    k->parameters = (uint32_t)n->e.parameters;
    k->first = n->first;
    k->per_operator = (uint32_t)n->e.per_operator;
    k->count = n->count;
}

static padic_result padici_gpu_rollout_wide_sums(const padici_gpu_rollout *n, uint32_t at)
{
    const padici_gpu_rollout_wide_node *wide = &n->wide[at];
    padici_gpu_rollout_variant v;
    padici_k_rollout_tile_params k;
    padici_gpu_work work;
    uint32_t i = 0;
    memset(&work, 0, sizeof work);
    padici_gpu_rollout_wide_variant(n, at, &v);
    padici_gpu_rollout_wide_params(n, at, &k);
    work.kernel = v.kernel;
    work.defines = v.defines;
    work.define_count = v.count;
    work.mem[i++] = n->memory.mem;
    if (!wide->ring) work.mem[i++] = n->state;
    work.mem[i++] = n->weights.mem;
    work.mem[i++] = n->halves.mem;
    work.mem[i++] = n->marks.mem;
    work.mem_count = i;
    work.params = &k;
    work.params_size = sizeof k;
    work.groups[0] = k.tiles;
    work.groups[1] = wide->groups;
    work.groups[2] = n->count;
    if (wide->ring) {
        const uint32_t units = n->gpu->info->compute_units;
        const uint64_t all = (uint64_t)k.tiles * wide->groups * n->count;
        work.groups[0] = all < units ? (uint32_t)all : units;
        work.groups[1] = work.groups[2] = 1;
    }
    return padici_gpu_launch(n->gpu, &work);
}

// The map of a node's norm.
static padic_result padici_gpu_rollout_wide_map(const padici_gpu_rollout *n, uint32_t at)
{
    const padici_rollout_node *node = &n->e.node[at];
    const padici_gpu_rollout_place *place = &n->place[at];
    padici_k_cuda_rollout_each_map_params k;
    padici_gpu_work work;
    memset(&k, 0, sizeof k);
    memset(&work, 0, sizeof work);
    k.height = node->shape.height;
    k.width = node->shape.width;
    k.tiles = place->count;
    k.across = place->tiles;
    k.outputs = node->is.channels;
    k.group = node->is.channels / node->is.groups;
    k.moments = (uint32_t)place->moments;
    k.map = (uint32_t)place->map;
    k.affine = padici_gpu_rollout_wide_affine(n, at);
    k.step = (uint32_t)n->each;
    k.parameters = (uint32_t)n->e.parameters;
    k.first = n->first;
    k.per_operator = (uint32_t)n->e.per_operator;
    k.eps = node->is.eps;
    work.mem[0] = n->memory.mem;
    work.mem[1] = n->weights.mem;
    work.mem_count = 2;
    work.groups[0] = k.group > 1 ? 1 : (padici_gpu_rollout_padded(k.outputs) + 31) / 32;
    work.groups[2] = n->count;
    return padici_gpu_rollout_wide_launch(n, PADICI_KERNEL_CUDA_ROLLOUT_EACH_MAP, &work, &k,
                                          sizeof k);
}

// A sum of two fields, or, without `other`, a norm and an activation in place.
static padic_result padici_gpu_rollout_wide_join(const padici_gpu_rollout *n, uint32_t at)
{
    const padici_rollout_node *node = &n->e.node[at];
    const uint32_t cells = node->shape.height * node->shape.width;
    padici_k_cuda_rollout_each_join_params k;
    padici_gpu_work work;
    memset(&k, 0, sizeof k);
    memset(&work, 0, sizeof work);
    k.out = (uint32_t)n->place[at].field;
    if (node->is.kind == PADIC_ROLLOUT_KIND_ADD) {
        padici_gpu_rollout_wide_read(n, node->is.input, &k.in, &k.map, &k.act);
        padici_gpu_rollout_wide_read(n, node->is.skip, &k.other, &k.other_map, &k.other_act);
        k.other++;
    } else {
        k.in = k.out;
        k.map = (uint32_t)n->place[at].map + 1;
        k.act = (uint32_t)node->is.act;
    }
    k.blocks = padici_gpu_rollout_padded(node->shape.channels) / 8;
    k.cells = cells;
    k.step = (uint32_t)n->each;
    work.mem[0] = n->memory.mem;
    work.mem[1] = n->marks.mem;
    work.mem_count = 2;
    work.groups[0] = (cells + 1023) / 1024;
    work.groups[1] = k.blocks;
    work.groups[2] = n->count;
    return padici_gpu_rollout_wide_launch(n, PADICI_KERNEL_CUDA_ROLLOUT_EACH_JOIN, &work, &k,
                                          sizeof k);
}

static void padici_gpu_rollout_wide_noise(const padici_gpu_rollout *n,
                                          padici_k_cuda_rollout_each_end_params *k)
{
    const uint32_t at = n->e.node[n->e.op.count].is.input;
    if (n->e.node[at].is.kind != PADIC_ROLLOUT_KIND_NOISE || n->e.chance.quiet) return;
    k->site = at;
    k->seed_low = (uint32_t)n->e.chance.seed;
    k->seed_high = (uint32_t)(n->e.chance.seed >> 32);
    k->ids = n->ids;
    k->realisations = n->realisations;
    k->scales = n->scales + 2 * (uint32_t)n->e.operators * (n->ticks ? 0 : n->time);
}

static padic_result padici_gpu_rollout_wide_last(const padici_gpu_rollout *n,
                                                 const padici_gpu_rollout_wide_end *end)
{
    const padici_rollout_node *node = &n->e.node[n->e.op.count];
    padici_k_cuda_rollout_each_end_params k;
    padici_gpu_work work;
    uint32_t act; // is the variant's
    memset(&k, 0, sizeof k);
    memset(&work, 0, sizeof work);
    padici_gpu_rollout_wide_read(n, padici_gpu_rollout_wide_source(n), &k.in, &k.map, &act);
    padici_gpu_rollout_wide_noise(n, &k);
    k.t = n->e.step;
    if (n->ticks) {
        k.clock = n->now + 1;
        k.apart = 2 * (uint32_t)n->e.operators;
        k.last = n->times - 1;
    }
    k.channels = node->inputs;
    k.blocks = padici_gpu_rollout_padded(node->inputs) / 8;
    k.cells = node->shape.height * node->shape.width;
    k.step = (uint32_t)n->each;
    k.w = (uint32_t)node->shape.weights;
    if (node->bias) k.bias = k.w + (uint32_t)node->w + 1;
    k.parameters = (uint32_t)n->e.parameters;
    k.first = n->first;
    k.per_operator = (uint32_t)n->e.per_operator;
    if (end->result) k.result = (uint32_t)n->place[n->e.op.count].field + 1;
    k.x = end->x;
    k.status = end->status_at;
    k.frame = (uint32_t)end->frame;
    k.frames = (uint32_t)end->frames;
    k.wanted = end->wanted;
    k.out_low = (uint32_t)end->out_at;
    k.out_high = (uint32_t)(end->out_at >> 32);
    k.limit = end->limit;
    work.mem[0] = n->memory.mem;
    work.mem[1] = n->weights.mem;
    work.mem[2] = n->words ? n->tables.mem : n->weights.mem;
    work.mem[3] = n->marks.mem;
    work.mem[4] = end->wanted ? end->out : n->marks.mem;
    work.mem[5] = end->result ? n->marks.mem : end->status;
    work.mem_count = 6;
    work.groups[0] = (k.cells + 127) / 128;
    work.groups[2] = n->count;
    return padici_gpu_rollout_wide_launch(n, PADICI_KERNEL_CUDA_ROLLOUT_EACH_END, &work, &k,
                                          sizeof k);
}

PADICI_FN padic_result padici_gpu_rollout_wide(const padici_gpu_rollout *n,
                                               const padici_gpu_rollout_wide_end *end)
{
    padic_result result = PADIC_OK;
    uint32_t i;
    for (i = 1; i < n->e.op.count && !result; i++) {
        if (n->wide[i].span) result = padici_gpu_rollout_wide_sums(n, i);
        else if (n->e.node[i].is.kind == PADIC_ROLLOUT_KIND_ADD)
            result = padici_gpu_rollout_wide_join(n, i);
        if (!result && n->wide[i].late) result = padici_gpu_rollout_wide_map(n, i);
        if (!result && n->wide[i].plain) result = padici_gpu_rollout_wide_join(n, i);
    }
    return result ? result : padici_gpu_rollout_wide_last(n, end);
}

PADICI_FN padic_result padici_gpu_rollout_wide_mark(const padici_gpu_rollout *n, uint32_t partial)
{
    padici_k_cuda_rollout_each_mark_params k;
    padici_gpu_work work;
    memset(&k, 0, sizeof k);
    memset(&work, 0, sizeof work);
    k.count = n->count;
    k.partial = partial;
    k.step = (uint32_t)n->each;
    work.mem[0] = n->memory.mem;
    work.mem[1] = n->marks.mem;
    work.mem_count = 2;
    work.groups[0] = (n->count + 255) / 256;
    return padici_gpu_rollout_wide_launch(n, PADICI_KERNEL_CUDA_ROLLOUT_EACH_MARK, &work, &k,
                                          sizeof k);
}

#undef PADICI_GPU_ROLLOUT_WIDE_OUTPUTS
#undef PADICI_GPU_ROLLOUT_WIDE_INPUTS
#undef PADICI_GPU_ROLLOUT_WIDE_GROUPS
#undef PADICI_GPU_ROLLOUT_WIDE_TILE
#undef PADICI_GPU_ROLLOUT_WIDE_PLAIN
#undef PADICI_GPU_ROLLOUT_WIDE_STAGES
#undef PADICI_GPU_ROLLOUT_WIDE_WORDS

#endif
