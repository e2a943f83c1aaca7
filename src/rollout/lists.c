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

// Two convolutions, and their input added.
static uint32_t padici_rollout_list_residual(padici_rollout_list *list, uint32_t input,
                                             uint32_t channels)
{
    padic_rollout_node add;
    memset(&add, 0, sizeof add);
    add.kind = PADIC_ROLLOUT_KIND_ADD;
    add.input = padici_rollout_list_conv(list, input, channels);
    add.input = padici_rollout_list_conv(list, add.input, channels);
    add.skip = input;
    return padici_rollout_list_add(list, &add);
}

static uint32_t padici_rollout_list_output(padici_rollout_list *list, uint32_t input,
                                           uint32_t channels)
{
    padic_rollout_node node;
    memset(&node, 0, sizeof node);
    node.input = input;
    node.channels = channels ? channels : 3;
    node.kernel = 1;
    node.norm = PADIC_ROLLOUT_NORM_NONE;
    node.act = PADIC_ROLLOUT_ACT_NONE;
    node.boundary = list->usual.boundary;
    return padici_rollout_list_add(list, &node);
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

#endif
