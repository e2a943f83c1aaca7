// test_rollout_nodes.c: lists of nodes, what is known of them, weights. The words of weights come
// from padic_random_block() by the rule of the header, 1/sqrt(fan_in) from long double.
#define PADIC_IMPLEMENTATION
#include "../../padic.h"
#include "../support/padic_test.h"

#include <math.h>

static padic_rollout_node nodes[PADIC_ROLLOUT_NODES];

static padic_rollout_operator cnn_of(uint32_t width, uint32_t layers, uint32_t size)
{
    padic_rollout_nodes_cnn_desc cnn = PADIC_ZERO;
    padic_rollout_operator op = PADIC_ZERO;
    cnn.width = width;
    cnn.layers = layers;
    cnn.nodes = nodes;
    cnn.capacity = PADIC_ROLLOUT_NODES;
    op.nodes = nodes;
    op.count = padic_rollout_nodes_cnn(&cnn);
    op.height = op.width = size;
    return op;
}

static padic_rollout_operator_report info_of(const padic_rollout_operator *op)
{
    padic_rollout_operator_report report = PADIC_ZERO;
    CHECK_EQ(padic_rollout_operator_info(NULL, op, &report), PADIC_OK);
    return report;
}

// The operations that the page counts for its two benchmarks.
TEST(cnn_counts)
{
    padic_rollout_operator large = cnn_of(64, 4, 128);
    padic_rollout_operator_report report = info_of(&large);
    CHECK_EQ(large.count, 1 + 4 * 3 + 1);
    CHECK_EQ(report.mac, (uint64_t)2402752 * 128 * 128);
    CHECK_EQ(report.parameters, 2402752 + 3); // the output has a bias, what has a norm has none
    CHECK_EQ(report.output_channels, 3);
    padic_rollout_operator little = cnn_of(16, 2, 128);
    report = info_of(&little);
    CHECK_EQ(little.count, 4);
    CHECK_EQ(report.mac, (uint64_t)7440 * 128 * 128);
}

TEST(cnn_refuses)
{
    padic_rollout_nodes_cnn_desc cnn = PADIC_ZERO;
    CHECK_EQ(padic_rollout_nodes_cnn(NULL), 0);
    CHECK_EQ(padic_rollout_nodes_cnn(&cnn), 0);
    cnn.width = 4;
    CHECK_EQ(padic_rollout_nodes_cnn(&cnn), 0);
    cnn.layers = 84;
    CHECK_EQ(padic_rollout_nodes_cnn(&cnn), 254);
    cnn.layers = 85;
    CHECK_EQ(padic_rollout_nodes_cnn(&cnn), 0);
    cnn.layers = UINT32_MAX;
    CHECK_EQ(padic_rollout_nodes_cnn(&cnn), 0);
    cnn.layers = 1;
    cnn.width = 16385;
    CHECK_EQ(padic_rollout_nodes_cnn(&cnn), 0);
    cnn.width = 4;
    cnn.nodes = nodes;
    cnn.capacity = 1; // writes one, counts three
    memset(nodes, 0x55, sizeof nodes);
    CHECK_EQ(padic_rollout_nodes_cnn(&cnn), 3);
    CHECK_EQ(nodes[0].channels, 4);
    CHECK_EQ(nodes[1].channels, 0x55555555);
}

TEST(shapes)
{
    padic_rollout_shape shapes[6];
    padic_rollout_operator op = PADIC_ZERO;
    padic_rollout_operator_report report = PADIC_ZERO;
    memset(nodes, 0, sizeof nodes);
    nodes[0].channels = 8, nodes[0].stride = 2, nodes[0].flags = PADIC_ROLLOUT_AFFINE;
    nodes[1].kind = PADIC_ROLLOUT_KIND_UP, nodes[1].input = 1;
    nodes[1].up = PADIC_ROLLOUT_UP_TRANSPOSED, nodes[1].channels = 4;
    nodes[2].kind = PADIC_ROLLOUT_KIND_CONCAT, nodes[2].input = 2, nodes[2].skip = 0;
    nodes[3].kind = PADIC_ROLLOUT_KIND_MEAN, nodes[3].input = 3;
    nodes[4].kind = PADIC_ROLLOUT_KIND_ADD, nodes[4].input = 1, nodes[4].skip = 4;
    nodes[5].kind = PADIC_ROLLOUT_KIND_NORM, nodes[5].input = 5;
    nodes[5].norm = PADIC_ROLLOUT_NORM_FROZEN;
    nodes[5].flags = PADIC_ROLLOUT_AFFINE | PADIC_ROLLOUT_STATISTICS;
    op.nodes = nodes;
    op.count = 6;
    op.channels = 2;
    op.height = 6;
    op.width = 10;
    report.shapes = shapes;
    CHECK_EQ(padic_rollout_operator_info(NULL, &op, &report), PADIC_OK);
    CHECK(shapes[0].channels == 8 && shapes[0].height == 3 && shapes[0].width == 5);
    CHECK_EQ(shapes[0].count, 8 * 2 * 9 + 16);
    CHECK(shapes[1].channels == 4 && shapes[1].height == 6 && shapes[1].width == 10);
    CHECK_EQ(shapes[1].count, 8 * 4 * 4 + 4);
    CHECK(shapes[2].channels == 6 && shapes[2].height == 6 && !shapes[2].count);
    CHECK(shapes[3].channels == 6 && shapes[3].height == 3 && shapes[3].width == 5);
    CHECK_EQ(shapes[4].count, 8 * 6);
    CHECK_EQ(shapes[5].count, 4 * 8);
    CHECK_EQ(shapes[5].weights, 160 + 132 + 48);
    CHECK_EQ(report.parameters, 160 + 132 + 48 + 32);
    CHECK_EQ(report.mac, 144 * 15 + 8 * 4 * 60 + 48 * 15);
}

// Section 6 of the page: each is refused, and the context's sentence names the node and the field.
TEST(bad_nodes)
{
    static const struct {
        const char *field;
        size_t at;
        uint32_t value;
        padic_result result;
    } bad[] = {
#define FIELD(name) #name, offsetof(padic_rollout_node, name)
        {FIELD(kind), 77, PADIC_ERROR_ARGUMENT},   {FIELD(boundary), 4, PADIC_ERROR_ARGUMENT},
        {FIELD(norm), 5, PADIC_ERROR_ARGUMENT},    {FIELD(act), 6, PADIC_ERROR_ARGUMENT},
        {FIELD(flags), 4, PADIC_ERROR_ARGUMENT},   {FIELD(kernel), 2, PADIC_ERROR_ARGUMENT},
        {FIELD(kernel), 17, PADIC_ERROR_ARGUMENT}, {FIELD(stride), 3, PADIC_ERROR_ARGUMENT},
        {FIELD(input), 2, PADIC_ERROR_ARGUMENT},   {FIELD(skip), 1, PADIC_ERROR_ARGUMENT},
        {FIELD(up), 1, PADIC_ERROR_ARGUMENT},      {FIELD(groups), 2, PADIC_ERROR_ARGUMENT},
        {FIELD(eps), 0xbf800000, PADIC_ERROR_ARGUMENT}, // -1
        {FIELD(eps), 0x7fc00000, PADIC_ERROR_ARGUMENT}, // NaN
        {FIELD(channels), 65537, PADIC_ERROR_LIMIT},
#undef FIELD
    };
    padic_context *context = NULL;
    padic_context_desc with = PADIC_ZERO;
    REQUIRE(padic_context_create(&with, &context) == PADIC_OK);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        padic_rollout_operator op = cnn_of(4, 2, 8);
        padic_rollout_operator_report report = PADIC_ZERO;
        memcpy((char *)&nodes[1] + bad[i].at, &bad[i].value, 4);
        CHECK_EQ(padic_rollout_operator_info(context, &op, &report), bad[i].result);
        CHECK(strstr(padic_context_message(context), "node 2: ") != NULL);
        CHECK(strstr(padic_context_message(context), bad[i].field) != NULL);
    }
    padic_context_destroy(context);
}

TEST(bad_operators)
{
    padic_rollout_operator op = cnn_of(4, 2, 3);
    padic_rollout_operator_report report = PADIC_ZERO;
    CHECK_EQ(padic_rollout_operator_info(NULL, NULL, &report), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(padic_rollout_operator_info(NULL, &op, NULL), PADIC_ERROR_ARGUMENT);
    nodes[1].boundary = PADIC_ROLLOUT_BOUNDARY_REFLECT, nodes[1].kernel = 5; // p = 2 = n - 1
    CHECK_EQ(padic_rollout_operator_info(NULL, &op, &report), PADIC_OK);
    nodes[1].kernel = 7;
    CHECK_EQ(padic_rollout_operator_info(NULL, &op, &report), PADIC_ERROR_ARGUMENT);
    op = cnn_of(4, 2, 3);
    nodes[1].norm = PADIC_ROLLOUT_NORM_GROUP, nodes[1].groups = 3;
    CHECK_EQ(padic_rollout_operator_info(NULL, &op, &report), PADIC_ERROR_ARGUMENT);
    op = cnn_of(4, 2, 3);
    nodes[2].kind = PADIC_ROLLOUT_KIND_MEAN, nodes[2].channels = 0;
    CHECK_EQ(padic_rollout_operator_info(NULL, &op, &report), PADIC_ERROR_ARGUMENT);
    op = cnn_of(4, 2, 0);
    CHECK_EQ(padic_rollout_operator_info(NULL, &op, &report), PADIC_ERROR_ARGUMENT);
    op = cnn_of(4, 2, 65537);
    CHECK_EQ(padic_rollout_operator_info(NULL, &op, &report), PADIC_ERROR_LIMIT);
    op = cnn_of(4, 2, 4);
    op.count = 256;
    CHECK_EQ(padic_rollout_operator_info(NULL, &op, &report), PADIC_ERROR_ARGUMENT);
}

// Equal for the same operator with defaults left and written; other for any other.
TEST(signatures)
{
    padic_rollout_operator op = cnn_of(4, 2, 8);
    const uint64_t first = info_of(&op).signature;
    nodes[1].stride = 1, nodes[1].eps = 1e-5f;
    op.channels = 3;
    CHECK_EQ(info_of(&op).signature, first);
    nodes[1].act = PADIC_ROLLOUT_ACT_RELU;
    CHECK(info_of(&op).signature != first);
    op = cnn_of(4, 2, 9);
    CHECK(info_of(&op).signature != first);
}

TEST(groups)
{
    const uint64_t signatures[7] = {5, 9, 5, 5, 1, 9, 5}, want[7] = {0, 2, 3, 6, 1, 5, 4};
    uint64_t order[7], runs[7];
    padic_rollout_group_report report = PADIC_ZERO;
    padic_rollout_group_desc desc = PADIC_ZERO;
    desc.signatures = signatures;
    desc.count = 7;
    desc.order = order;
    desc.runs = runs;
    desc.report = &report;
    CHECK_EQ(padic_rollout_group(NULL, &desc), PADIC_OK);
    CHECK_EQ(report.runs, 3);
    CHECK(!memcmp(order, want, sizeof want) && runs[0] == 4 && runs[1] == 2 && runs[2] == 1);
    desc.order = NULL;
    CHECK_EQ(padic_rollout_group(NULL, &desc), PADIC_ERROR_ARGUMENT);
    desc.count = 0;
    CHECK_EQ(padic_rollout_group(NULL, &desc), PADIC_OK);
    CHECK_EQ(report.runs, 0);
    CHECK_EQ(padic_rollout_group(NULL, NULL), PADIC_ERROR_ARGUMENT);
}

// R10. Every number of every row from the rule; ids in any order give the same rows.
TEST(weights)
{
    padic_rollout_operator op = cnn_of(6, 4, 8);
    nodes[2].flags = PADIC_ROLLOUT_AFFINE;
    nodes[5].norm = PADIC_ROLLOUT_NORM_FROZEN;
    nodes[5].flags = PADIC_ROLLOUT_AFFINE | PADIC_ROLLOUT_STATISTICS;
    padic_rollout_shape shapes[16];
    padic_rollout_operator_report report = PADIC_ZERO;
    report.shapes = shapes;
    REQUIRE(padic_rollout_operator_info(NULL, &op, &report) == PADIC_OK);
    const size_t p = (size_t)report.parameters;
    const uint32_t ids[3] = {7, 0, 1};
    float *out = (float *)calloc(6 * p, sizeof(float));
    REQUIRE(out != NULL);
    padic_rollout_weights_init_desc desc = PADIC_ZERO;
    desc.op = op;
    desc.seed = 0x123456789abcdef0;
    desc.out = padic_tensor_2d(PADIC_F32, out, 3, p);
    CHECK_EQ(padic_rollout_weights_init(NULL, &desc), PADIC_OK);
    desc.ids = padic_tensor_1d(PADIC_U32, (void *)(uintptr_t)ids, 3);
    desc.out = padic_tensor_2d(PADIC_F32, out + 3 * p, 3, p);
    CHECK_EQ(padic_rollout_weights_init(NULL, &desc), PADIC_OK);
    CHECK(!memcmp(out, out + 4 * p, 2 * p * sizeof(float))); // ids 0 and 1
    CHECK(memcmp(out + 3 * p, out + 2 * p, p * sizeof(float)) != 0);
    double sum = 0, square = 0, count = 0;
    for (uint32_t i = 0; i < op.count; i++) {
        const int add = nodes[i].kind == PADIC_ROLLOUT_KIND_ADD;
        const uint32_t from = add ? nodes[i].skip : nodes[i].input;
        const uint64_t inputs = from ? shapes[from - 1].channels : 3;
        const uint64_t kernel = add ? 1 : nodes[i].kernel ? nodes[i].kernel : 3;
        const uint64_t w = add ? (shapes[i].count ? shapes[i].channels * inputs : 0)
                               : shapes[i].channels * inputs * kernel * kernel;
        const float limit = (float)(1 / sqrtl((long double)(inputs * kernel * kernel)));
        const float *row = out + 3 * p + shapes[i].weights; // of id 7
        const uint64_t b = nodes[i].norm == PADIC_ROLLOUT_NORM_NONE ? shapes[i].channels : 0;
        for (uint64_t e = 0; e < w + b; e++) {
            const uint64_t purpose = e < w ? 1 : 2, element = e < w ? e : e - w;
            uint32_t word[4];
            padic_random_block(desc.seed, ((i + 1) << 4 | purpose) << 32 | 7, 0,
                               (uint32_t)(element / 4), word);
            CHECK(!(row[e] < padic_random_symmetric(word[element % 4]) * limit ||
                    row[e] > padic_random_symmetric(word[element % 4]) * limit));
            sum += (double)row[e] / (double)limit;
            square += (double)row[e] / (double)limit * ((double)row[e] / (double)limit);
            count++;
        }
        for (uint64_t e = w + b; e < shapes[i].count; e++) {
            const uint64_t part = (e - w - b) / shapes[i].channels; // gamma, beta, mu, var
            CHECK_NEAR(row[e], part == 0 || part == 3 ? 1 : 0, 0);
        }
    }
    CHECK_NEAR(sum / count, 0, 5 * sqrt(1 / 3.0 / count)); // variance 1/(3 fan_in)
    CHECK_NEAR(square / count, 1 / 3.0, 5 * sqrt(4 / 45.0 / count));
    free(out);
}

// D0: a golden hash, the same on every machine.
TEST(weights_golden)
{
    padic_rollout_operator op = cnn_of(16, 5, 64);
    const size_t p = (size_t)info_of(&op).parameters;
    float *out = (float *)malloc(2 * p * sizeof(float));
    uint64_t hash = 0xcbf29ce484222325;
    REQUIRE(out != NULL);
    padic_rollout_weights_init_desc desc = PADIC_ZERO;
    desc.op = op;
    desc.seed = 42;
    desc.out = padic_tensor_2d(PADIC_F32, out, 2, p);
    CHECK_EQ(padic_rollout_weights_init(NULL, &desc), PADIC_OK);
    for (size_t i = 0; i < 2 * p; i++) {
        uint32_t bits;
        memcpy(&bits, out + i, 4);
        for (int byte = 0; byte < 4; byte++)
            hash = (hash ^ (bits >> 8 * byte & 255)) * 0x100000001b3;
    }
    CHECK_EQ(hash, 0xb3283d8622c07761);
    desc.rule = PADIC_ROLLOUT_WEIGHT_ZERO;
    CHECK_EQ(padic_rollout_weights_init(NULL, &desc), PADIC_OK);
    for (size_t i = 0; i < 2 * p; i++) CHECK_NEAR(out[i], 0, 0);
    free(out);
}

TEST(weights_refused)
{
    padic_rollout_operator op = cnn_of(2, 1, 8);
    float out[1000];
    uint32_t ids[2] = {0, 1};
    const uint64_t p = info_of(&op).parameters;
    padic_rollout_weights_init_desc desc = PADIC_ZERO;
    CHECK_EQ(padic_rollout_weights_init(NULL, NULL), PADIC_ERROR_ARGUMENT);
    CHECK(padic_rollout_weights_init(NULL, &desc) != PADIC_OK);
    REQUIRE(2 * p < 1000);
    desc.op = op;
    desc.out = padic_tensor_2d(PADIC_F32, out, 2, p + 1);
    CHECK_EQ(padic_rollout_weights_init(NULL, &desc), PADIC_ERROR_MISMATCH);
    desc.out = padic_tensor_2d(PADIC_F64, out, 2, p);
    CHECK_EQ(padic_rollout_weights_init(NULL, &desc), PADIC_ERROR_DTYPE);
    desc.out = padic_tensor_2d(PADIC_F32, out, 2, p);
    desc.ids = padic_tensor_1d(PADIC_U32, ids, 1);
    CHECK_EQ(padic_rollout_weights_init(NULL, &desc), PADIC_ERROR_MISMATCH);
    desc.ids = padic_tensor_1d(PADIC_I32, ids, 2);
    CHECK_EQ(padic_rollout_weights_init(NULL, &desc), PADIC_ERROR_DTYPE);
    desc.ids = padic_tensor_1d(PADIC_U32, ids, 2);
    desc.rule = (padic_rollout_weight_rule)9;
    CHECK_EQ(padic_rollout_weights_init(NULL, &desc), PADIC_ERROR_ARGUMENT);
    desc.rule = PADIC_ROLLOUT_WEIGHT_UNIFORM;
    CHECK_EQ(padic_rollout_weights_init(NULL, &desc), PADIC_OK);
}

TEST_MAIN("test_rollout_nodes", CASE(cnn_counts), CASE(cnn_refuses), CASE(shapes),
          CASE(bad_nodes), CASE(bad_operators), CASE(signatures), CASE(groups), CASE(weights),
          CASE(weights_golden), CASE(weights_refused))
