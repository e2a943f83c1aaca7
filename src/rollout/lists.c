#include "nodes.h"

#if PADICI_IMPLEMENT_ROLLOUT

// Lists of nodes of usual networks.

typedef struct padici_rollout_list {
    padic_rollout_node *nodes; // NULL: counted only
    padic_rollout_node usual;  // what convolutions have in common
    uint32_t capacity, count;
} padici_rollout_list;

// Appends one; its number.
static uint32_t padici_rollout_list_add(padici_rollout_list *list, const padic_rollout_node *node)
{
    if (list->nodes && list->count < list->capacity) list->nodes[list->count] = *node;
    return ++list->count;
}

static uint32_t padici_rollout_list_conv(padici_rollout_list *list, uint32_t input,
                                         uint32_t channels)
{
    padic_rollout_node node = list->usual;
    node.input = input;
    node.channels = channels;
    return padici_rollout_list_add(list, &node);
}

// A 1 x 1 convolution with bias.
static uint32_t padici_rollout_list_point(padici_rollout_list *list, uint32_t input,
                                          uint32_t channels, padic_rollout_act act)
{
    padic_rollout_node node;
    memset(&node, 0, sizeof node);
    node.input = input;
    node.channels = channels;
    node.kernel = 1;
    node.norm = PADIC_ROLLOUT_NORM_NONE;
    node.act = act;
    node.boundary = list->usual.boundary;
    return padici_rollout_list_add(list, &node);
}

static uint32_t padici_rollout_list_join(padici_rollout_list *list, padic_rollout_kind kind,
                                         uint32_t input, uint32_t skip)
{
    padic_rollout_node node;
    memset(&node, 0, sizeof node);
    node.kind = kind;
    node.input = input;
    node.skip = skip;
    return padici_rollout_list_add(list, &node);
}

// Two convolutions, and their input added.
static uint32_t padici_rollout_list_residual(padici_rollout_list *list, uint32_t input,
                                             uint32_t channels)
{
    uint32_t at = padici_rollout_list_conv(list, input, channels);
    at = padici_rollout_list_conv(list, at, channels);
    return padici_rollout_list_join(list, PADIC_ROLLOUT_KIND_ADD, at, input);
}

static uint32_t padici_rollout_list_output(padici_rollout_list *list, uint32_t input,
                                           uint32_t channels)
{
    return padici_rollout_list_point(list, input, channels ? channels : 3,
                                     PADIC_ROLLOUT_ACT_NONE);
}

static uint32_t padici_rollout_list_noise(padici_rollout_list *list, uint32_t input,
                                          const padic_rollout_noise_law *noise)
{
    padic_rollout_node node;
    memset(&node, 0, sizeof node);
    node.kind = PADIC_ROLLOUT_KIND_NOISE;
    node.input = input;
    node.noise = noise;
    return padici_rollout_list_add(list, &node);
}

// The last convolution, with noise where it is wanted.
static void padici_rollout_list_end(padici_rollout_list *list, uint32_t at, uint32_t channels,
                                    padic_rollout_noise_site site,
                                    const padic_rollout_noise_law *noise)
{
    if (site == PADIC_ROLLOUT_NOISE_HIDDEN) at = padici_rollout_list_noise(list, at, noise);
    at = padici_rollout_list_output(list, at, channels);
    if (site == PADIC_ROLLOUT_NOISE_OUTPUT) (void)padici_rollout_list_noise(list, at, noise);
}

PADIC_API uint32_t padic_rollout_nodes_cnn(const padic_rollout_nodes_cnn_desc *desc)
{
    padici_rollout_list list;
    uint32_t i, at;
    if (!desc || !desc->width || desc->width > PADIC_ROLLOUT_CHANNELS / 4 || !desc->layers ||
        desc->layers > PADIC_ROLLOUT_NODES || desc->channels > PADIC_ROLLOUT_CHANNELS ||
        (uint32_t)desc->site > PADIC_ROLLOUT_NOISE_OUTPUT ||
        (desc->noise && desc->site == PADIC_ROLLOUT_NOISE_NONE))
        return 0;
    memset(&list, 0, sizeof list);
    list.nodes = desc->nodes;
    list.capacity = desc->capacity;
    list.usual.kernel = desc->kernel;
    list.usual.norm = desc->norm;
    list.usual.act = desc->act;
    list.usual.boundary = desc->boundary;
    at = padici_rollout_list_conv(&list, 0, desc->width);
    for (i = 0; i < desc->layers; i++) {
        const uint32_t channels = desc->width << (i < 2 ? i : 2);
        at = desc->layers > 3 ? padici_rollout_list_residual(&list, at, channels)
                              : padici_rollout_list_conv(&list, at, channels);
    }
    padici_rollout_list_end(&list, at, desc->channels, desc->site, desc->noise);
    return list.count > PADIC_ROLLOUT_NODES ? 0 : list.count;
}

// One block of mixing, of ch channels.
static uint32_t padici_rollout_list_mixer(padici_rollout_list *list,
                                          const padic_rollout_nodes_uafno_desc *desc, uint32_t x,
                                          uint32_t ch)
{
    const uint32_t hidden = desc->hidden ? desc->hidden : 2 * ch;
    padic_rollout_node layer, node;
    uint32_t at;
    memset(&layer, 0, sizeof layer);
    layer.kind = PADIC_ROLLOUT_KIND_NORM;
    layer.norm = PADIC_ROLLOUT_NORM_LAYER;
    layer.act = PADIC_ROLLOUT_ACT_NONE;
    layer.input = x;
    memset(&node, 0, sizeof node);
    node.kind = PADIC_ROLLOUT_KIND_SPECTRAL;
    node.input = padici_rollout_list_add(list, &layer);
    node.modes = desc->modes;
    node.flags = desc->flags;
    at = padici_rollout_list_add(list, &node);
    at = padici_rollout_list_point(list, at, 2 * ch, desc->act);
    at = padici_rollout_list_point(list, at, ch, PADIC_ROLLOUT_ACT_NONE);
    x = padici_rollout_list_join(list, PADIC_ROLLOUT_KIND_ADD, at, x);
    layer.input = x;
    at = padici_rollout_list_add(list, &layer);
    at = padici_rollout_list_point(list, at, hidden, desc->act);
    at = padici_rollout_list_point(list, at, ch, PADIC_ROLLOUT_ACT_NONE);
    return padici_rollout_list_join(list, PADIC_ROLLOUT_KIND_ADD, at, x);
}

static uint32_t padici_rollout_list_residuals(padici_rollout_list *list, uint32_t at,
                                              uint32_t blocks, uint32_t channels)
{
    while (blocks--) at = padici_rollout_list_residual(list, at, channels);
    return at;
}

// Channels of a level, counted from 0.
static uint32_t padici_rollout_list_width(uint32_t width, uint32_t level)
{
    return width << (level < 2 ? level + 1 : 3);
}

static int padici_rollout_uafno_fits(const padic_rollout_nodes_uafno_desc *desc)
{
    const uint32_t most = PADIC_ROLLOUT_NODES;
    return desc->width && desc->width <= PADIC_ROLLOUT_CHANNELS / 16 && desc->blocks &&
           desc->blocks <= most && desc->levels <= 16 && desc->mixers <= most && desc->modes &&
           desc->channels <= PADIC_ROLLOUT_CHANNELS && desc->hidden <= PADIC_ROLLOUT_CHANNELS &&
           (uint32_t)desc->site <= PADIC_ROLLOUT_NOISE_OUTPUT &&
           (!desc->noise || desc->site != PADIC_ROLLOUT_NOISE_NONE);
}

PADIC_API uint32_t padic_rollout_nodes_uafno(const padic_rollout_nodes_uafno_desc *desc)
{
    padici_rollout_list list;
    uint32_t taken[16], level, i, at;
    if (!desc || !padici_rollout_uafno_fits(desc)) return 0;
    memset(&list, 0, sizeof list);
    list.nodes = desc->nodes;
    list.capacity = desc->capacity;
    list.usual.norm = desc->norm;
    list.usual.act = desc->act;
    list.usual.boundary = desc->boundary;
    at = padici_rollout_list_conv(&list, 0, desc->width);
    for (level = 0; level < desc->levels; level++) {
        const uint32_t ch = padici_rollout_list_width(desc->width, level);
        at = taken[level] = padici_rollout_list_residuals(&list, at, desc->blocks, ch);
        list.usual.stride = 2;
        at = padici_rollout_list_conv(&list, at, ch);
        list.usual.stride = 0;
    }
    for (i = 0; i < desc->mixers; i++)
        at = padici_rollout_list_mixer(
            &list, desc, at,
            level ? padici_rollout_list_width(desc->width, level - 1) : desc->width);
    while (level--) {
        const uint32_t ch = padici_rollout_list_width(desc->width, level);
        padic_rollout_node up;
        memset(&up, 0, sizeof up);
        up.kind = PADIC_ROLLOUT_KIND_UP;
        up.input = at;
        up.boundary = desc->boundary;
        at = padici_rollout_list_add(&list, &up);
        at = padici_rollout_list_join(&list, PADIC_ROLLOUT_KIND_CONCAT, at, taken[level]);
        at = padici_rollout_list_conv(&list, at, ch);
        at = padici_rollout_list_residuals(&list, at, desc->blocks, ch);
    }
    padici_rollout_list_end(&list, at, desc->channels, desc->site, desc->noise);
    return list.count > PADIC_ROLLOUT_NODES ? 0 : list.count;
}

#endif
