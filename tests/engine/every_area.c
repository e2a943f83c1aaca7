// every_area.c: one program that uses every area, beside padic.h and nothing else.
//     cc every_area.c -lm
#define PADIC_IMPLEMENTATION
#include "padic.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures;
#define CHECK(is)                                          \
    do {                                                   \
        if (!(is)) {                                       \
            printf("line %d: %s\n", __LINE__, #is);        \
            failures++;                                    \
        }                                                  \
    } while (0)

// ---- codec: a bound, a box, a stream in pieces
typedef struct bytes {
    unsigned char data[8192];
    size_t size;
} bytes;

static int write_bytes(const void *data, size_t size, void *user)
{
    bytes *to = (bytes *)user;
    if (size > sizeof to->data - to->size) return 1;
    memcpy(to->data + to->size, data, size);
    to->size += size;
    return 0;
}

static void codec(void)
{
    static double field[40][50], box[10][50];
    static float line[1000];
    static bytes stream;
    padic_codec_pack_desc desc = PADIC_ZERO;
    padic_codec_pack_begin_desc lines = PADIC_ZERO;
    padic_codec_verify_desc verify = PADIC_ZERO;
    padic_codec_info_desc info = PADIC_ZERO;
    padic_codec_unpack_desc back = PADIC_ZERO;
    padic_codec_report report = PADIC_ZERO;
    padic_codec_packer *packer = NULL;
    padic_bytes packed, part;
    int y, x;
    for (y = 0; y < 40; y++)
        for (x = 0; x < 50; x++) field[y][x] = sin(0.1 * x) * cos(0.07 * y);
    desc.tensor = padic_tensor_2d(PADIC_F64, field, 40, 50);
    desc.tolerance_mode = PADIC_CODEC_TOLERANCE_ABSOLUTE;
    desc.tolerance = 1e-3;
    CHECK(padic_codec_pack_new(NULL, &desc, &packed) == PADIC_OK);
    CHECK(packed.size < sizeof field / 8);
    info.packed = verify.packed = back.packed = packed;
    info.report = &report;
    CHECK(padic_codec_info(NULL, &info) == PADIC_OK);
    CHECK(report.rank == 2 && report.shape[1] == 50 && report.tolerance == 1e-3);
    CHECK(padic_codec_verify(NULL, &verify) == PADIC_OK);
    back.tensor = padic_tensor_2d(PADIC_F64, box, 10, 50);
    back.begin[0] = 20;
    back.count[0] = 10;
    back.count[1] = 50;
    CHECK(padic_codec_unpack(NULL, &back) == PADIC_OK);
    for (y = 0; y < 10; y++)
        for (x = 0; x < 50; x++) CHECK(fabs(box[y][x] - field[20 + y][x]) <= 1e-3);
    back.packed.size /= 2;
    CHECK(padic_codec_unpack(NULL, &back) != PADIC_OK);
    padic_codec_free_packed(NULL, &packed);

    for (x = 0; x < 1000; x++) line[x] = (float)(x * x % 37);
    lines.pack.tensor = padic_tensor_1d(PADIC_F32, NULL, 1000);
    lines.pack.report = &report;
    lines.write = write_bytes;
    lines.user = &stream;
    CHECK(padic_codec_pack_begin(NULL, &lines, &packer) == PADIC_OK);
    part = padic_bytes_in(line, 1001);
    CHECK(padic_codec_pack_push(packer, &part) == PADIC_OK);
    part = padic_bytes_in((char *)line + 1001, sizeof line - 1001);
    CHECK(padic_codec_pack_push(packer, &part) == PADIC_OK);
    CHECK(padic_codec_pack_end(packer) == PADIC_OK && report.packed_size == stream.size);
    verify.packed = padic_bytes_in(stream.data, stream.size);
    CHECK(padic_codec_verify(NULL, &verify) == PADIC_OK);
}

// ---- context, buffers, operations without an area
static int count_text(const char *text, size_t size, void *user)
{
    *(size_t *)user += size;
    return text == NULL;
}

static void context(void)
{
    padic_context_desc desc = PADIC_ZERO;
    padic_context *made = NULL;
    padic_buffer_desc of = PADIC_ZERO;
    padic_buffer a = PADIC_ZERO, b = PADIC_ZERO;
    padic_buffer_report about;
    padic_random_fill_desc random = PADIC_ZERO;
    padic_fill_desc fill = PADIC_ZERO;
    padic_copy_desc copy = PADIC_ZERO;
    padic_record record;
    padic_context_describe_desc describe = PADIC_ZERO;
    padic_context_ask_report asked;
    padic_stats stats;
    float one = 1, in[64], out[64];
    uint32_t words[64];
    char text[4096];
    size_t pieces = 0;
    int i;
    desc.flags = PADIC_CONTEXT_PROFILE;
    CHECK(padic_context_create(&desc, &made) == PADIC_OK);
    of.size = sizeof out;
    CHECK(padic_buffer_create(made, &of, &a) == PADIC_OK);
    CHECK(padic_buffer_create(made, &of, &b) == PADIC_OK);
    CHECK(padic_buffer_info(made, a, &about) == PADIC_OK && about.size == sizeof out);
    fill.tensor = padic_tensor_in(padic_tensor_1d(PADIC_F32, NULL, 64), a, 0);
    fill.value = &one;
    CHECK(padic_fill(made, &fill) == PADIC_OK);
    CHECK(padic_buffer_copy(made, b, 0, a, 0, sizeof out) == PADIC_OK);
    CHECK(padic_buffer_fill(made, b, 0, 0x40000000u, 128) == PADIC_OK); // 2.0f
    copy.from = padic_tensor_in(padic_tensor_1d(PADIC_F32, NULL, 64), b, 0);
    copy.to = padic_tensor_1d(PADIC_F32, out, 64);
    CHECK(padic_copy(made, &copy) == PADIC_OK);
    CHECK(out[0] == 2 && out[31] == 2 && out[32] == 1 && out[63] == 1);
    for (i = 0; i < 64; i++) in[i] = (float)i;
    CHECK(padic_buffer_upload(made, a, 0, in, sizeof in) == PADIC_OK);
    CHECK(padic_buffer_download(made, a, 128, out, 128) == PADIC_OK && out[0] == 32);
    random.tensor = padic_tensor_1d(PADIC_U32, words, 64);
    CHECK(padic_random_fill(made, &random) == PADIC_OK && words[0] == 0x6627e8d5u);
    CHECK(padic_record_begin(made) == PADIC_ERROR_NOT_SUPPORTED);
    CHECK(padic_record_replay(made, (record.id = 7, record), 1) == PADIC_ERROR_ARGUMENT);
    CHECK(*padic_context_message(made));
    CHECK(padic_context_ask(made, &asked) == PADIC_OK);
    CHECK(padic_fill(made, &fill) == PADIC_ERROR_ASKED && asked.op == PADIC_OP_FILL);
    CHECK(padic_context_ask(made, NULL) == PADIC_OK && asked.calls == 1);
    CHECK(padic_buffer_destroy(made, a) == PADIC_OK);
    CHECK(padic_buffer_destroy(made, a) == PADIC_ERROR_ARGUMENT);
    CHECK(padic_context_sync(made) == PADIC_OK);
    describe.text = padic_bytes_out(text, sizeof text);
    CHECK(padic_context_describe(made, &describe) == PADIC_OK && strlen(text) > 10);
    CHECK(padic_context_profile_write(made, count_text, &pieces) == PADIC_OK && pieces > 10);
    padic_context_stats(made, &stats);
    CHECK(stats.pool_live > 0 && stats.host_allocations > 0);
    padic_context_destroy(made);
    CHECK(padic_dtype_size(PADIC_C64) == 8 && !strcmp(padic_dtype_name(PADIC_BF16), "bf16"));
    CHECK(padic_random_f32(0xffffffffu) < 1 && padic_random_f64(0, 0x80000000u) == 0.5);
}

// ---- numbers: text, inverse, root, determinant, digest, tree
static void numbers(void)
{
    padic_num_ring ring;
    padic_num_array a, r;
    padic_num_check_desc check = PADIC_ZERO;
    padic_num_check_report checked;
    padic_bytes text;
    padic_num_value value;
    padic_num_det_desc det = PADIC_ZERO;
    padic_num_digest left, right;
    padic_num_tree tree;
    padic_num_tree_init_desc init = PADIC_ZERO;
    padic_num_tree_build_desc build = PADIC_ZERO;
    padic_num_tree_lca_desc lca = PADIC_ZERO;
    padic_num_tree_validate_desc validate = PADIC_ZERO;
    uint32_t ids[2] = {0, 2};
    int64_t matrix[3][3] = {{2, 0, 1}, {1, 3, 2}, {1, 1, 4}}, result = 0;
    size_t room;
    int32_t depth = 0;
    char *work;
    CHECK(padic_num_is_prime(257) && !padic_num_is_prime(91));
    CHECK(padic_num_ring_init(&ring, 6, 3, NULL) == PADIC_ERROR_PRIME);
    CHECK(padic_num_ring_init(&ring, 7, 10, NULL) == PADIC_OK);
    CHECK(padic_num_new(NULL, &ring, PADIC_NUM_RING, 3, &r) == PADIC_OK);
    CHECK(padic_num_from_text(NULL, &ring, PADIC_NUM_RING, "2\n-3/5\n51\n", &a) == PADIC_OK);
    check.in = a; // 51 = 2 + 7^2
    check.report = &checked;
    CHECK(padic_num_check(NULL, &check) == PADIC_OK && checked.bad_index == 3);
    CHECK(padic_num_sqrt(NULL, &r, &a) != PADIC_ERROR_ARGUMENT); // 2 = 3^2 mod 7
    CHECK(padic_num_square(NULL, &r, &r) == PADIC_OK);
    CHECK(padic_num_get(&r, 0, &value) == PADIC_OK && value.u[0] == 2);
    CHECK(padic_num_inv(NULL, &r, &a) == PADIC_OK && padic_num_mul(NULL, &r, &r, &a) == PADIC_OK);
    CHECK(padic_num_get(&r, 1, &value) == PADIC_OK && value.u[0] == 1);
    CHECK(padic_num_to_text(NULL, &a, PADIC_NUM_TEXT_VALUE, &text) == PADIC_OK);
    CHECK(strstr((const char *)text.data, "\n51 mod 7^10\n"));
    CHECK(text.size == strlen((const char *)text.data));
    padic_num_free_text(NULL, &text);

    room = padic_num_tree_size_bound(&a, 0);
    work = (char *)malloc(room);
    init.tree = build.tree = &tree;
    lca.tree = validate.tree = &tree;
    init.points = a;
    init.memory = padic_tensor_1d(PADIC_U8, work, room);
    lca.first = padic_tensor_1d(PADIC_U32, ids, 1);
    lca.second = padic_tensor_1d(PADIC_U32, ids + 1, 1);
    lca.out = padic_tensor_1d(PADIC_I32, &depth, 1);
    CHECK(padic_num_tree_init(NULL, &init) == PADIC_OK);
    CHECK(padic_num_tree_build(NULL, &build) == PADIC_OK && tree.count == 3);
    CHECK(padic_num_tree_lca(NULL, &lca) == PADIC_OK && depth == 2);
    CHECK(padic_num_tree_validate(NULL, &validate) == PADIC_OK);
    free(work);

    det.matrix = padic_tensor_2d(PADIC_I64, matrix, 3, 3);
    det.out = padic_tensor_1d(PADIC_I64, &result, 1);
    room = padic_num_det_workspace(&det);
    work = (char *)malloc(room);
    det.workspace = padic_tensor_1d(PADIC_U8, work, room);
    CHECK(padic_num_det(NULL, &det) == PADIC_OK && result == 18);
    free(work);

    padic_num_digest_init(&left, 9);
    padic_num_digest_init(&right, 9);
    padic_num_digest_add(&left, 1, "one", 3);
    padic_num_digest_add(&left, 2, "two", 3);
    padic_num_digest_add(&right, 2, "two", 3);
    CHECK(memcmp(&left, &right, sizeof left));
    padic_num_digest_add(&right, 1, "one", 3);
    CHECK(!memcmp(&left, &right, sizeof left));
    work = (char *)malloc(PADIC_NUM_SELF_HASH);
    CHECK(padic_num_self_hash(work) != 0);
    free(work);
    padic_num_free(NULL, &a);
    padic_num_free(NULL, &r);
}

// ---- sparse: y = A x
static void sparse(void)
{
    double dense[3][4] = {{1, 0, 0, 2}, {0, 0, 0, 0}, {0, -3, 4, 0}}, value[12];
    double x[4] = {1, 2, 3, 4}, y[3];
    int32_t row_ptr[4], col[12];
    padic_sparse_get_report found = PADIC_ZERO;
    padic_sparse_get_desc get = PADIC_ZERO;
    padic_sparse_encode_desc desc = PADIC_ZERO;
    padic_sparse_csr csr = PADIC_ZERO;
    padic_sparse_encode_report report;
    padic_sparse_product_desc product = PADIC_ZERO;
    desc.source.dense = padic_tensor_2d(PADIC_F64, dense, 3, 4);
    csr.row_ptr = padic_tensor_1d(PADIC_I32, row_ptr, 4);
    csr.col = padic_tensor_1d(PADIC_I32, col, 12);
    csr.value = padic_tensor_1d(PADIC_F64, value, 12);
    desc.out = &csr;
    desc.report = &report;
    CHECK(padic_sparse_encode(NULL, &desc) == PADIC_OK && report.nnz == 4);
    product.a = &csr;
    product.x = padic_tensor_1d(PADIC_F64, x, 4);
    product.y = padic_tensor_1d(PADIC_F64, y, 3);
    CHECK(padic_sparse_product(NULL, &product) == PADIC_OK);
    CHECK(y[0] == 9 && y[1] == 0 && y[2] == 6);
    get.matrix = &csr;
    get.row = get.col = 2;
    get.report = &found;
    CHECK(padic_sparse_get(NULL, &get) == PADIC_OK && value[found.entry] == 4);
    get.row = 1;
    CHECK(padic_sparse_get(NULL, &get) == PADIC_OK && found.entry == -1);
}

// ---- samples: an Owen scrambling keeps the cells
static void samples(void)
{
    padic_sample_keys_desc init = PADIC_ZERO;
    padic_sample_radical_inverse_desc desc = PADIC_ZERO;
    padic_sample_hammersley_desc set = PADIC_ZERO;
    uint64_t keys[64];
    float x[16], points[3][8];
    unsigned cells = 0;
    int i;
    init.seed = 3;
    init.base = 2;
    init.out = padic_tensor_1d(PADIC_U64, keys, 64);
    CHECK(padic_sample_keys_count(&init) <= 64);
    CHECK(padic_sample_keys(NULL, &init) == PADIC_OK);
    desc.out = padic_tensor_1d(PADIC_F32, x, 16);
    desc.base = 2;
    desc.scrambling.mode = PADIC_SAMPLE_MODE_OWEN;
    desc.scrambling.keys = padic_tensor_1d(PADIC_U64, keys, sizeof keys / 8);
    CHECK(padic_sample_radical_inverse(NULL, &desc) == PADIC_OK);
    for (i = 0; i < 16; i++) cells |= 1u << (int)(16 * x[i]);
    CHECK(cells == 0xffff);
    set.out = padic_tensor_2d(PADIC_F32, points, 3, 8);
    set.n = 8;
    CHECK(padic_sample_hammersley(NULL, &set) == PADIC_OK);
    CHECK(points[0][3] == 0.375f && points[1][3] == 0.75f);
    CHECK(padic_sample_prime(5) == 13);
}

// ---- waves: a vortex has its charge
static void waves(void)
{
    static double psi[16][16][2], phase[16][16];
    double centre[3] = {7.5, 7.5, 0}, core = 1, sphere[12][3];
    padic_wave_lattice_report told = PADIC_ZERO;
    padic_wave_winding_report found = PADIC_ZERO;
    padic_wave_vortex_desc desc = PADIC_ZERO;
    padic_wave_winding_desc winding = PADIC_ZERO;
    padic_wave_observe_desc observe = PADIC_ZERO;
    padic_wave_lattice_desc lattice = PADIC_ZERO;
    desc.grid.count[0] = desc.grid.count[1] = 16;
    desc.grid.step[0] = desc.grid.step[1] = 1;
    desc.centres = padic_tensor_2d(PADIC_F64, centre, 1, 3);
    desc.cores = padic_tensor_1d(PADIC_F64, &core, 1);
    desc.out = padic_tensor_2d(PADIC_C128, psi, 16, 16);
    CHECK(padic_wave_vortex(NULL, &desc) == PADIC_OK);
    winding.psi = desc.out;
    winding.report = &found;
    CHECK(padic_wave_winding(NULL, &winding) == PADIC_OK && found.total[2] == 1);
    observe.psi = desc.out;
    observe.output = PADIC_WAVE_OUTPUT_PHASE;
    observe.out = padic_tensor_2d(PADIC_F64, phase, 16, 16);
    CHECK(padic_wave_observe(NULL, &observe) == PADIC_OK);
    CHECK(fabs(phase[2][5] - atan2(psi[2][5][1], psi[2][5][0])) <= 1e-15);
    lattice.out = padic_tensor_2d(PADIC_F64, sphere, 12, 3);
    lattice.report = &told;
    CHECK(padic_wave_lattice(NULL, &lattice) == PADIC_OK);
    CHECK(fabs(12 * told.weight - 12.566370614359172) <= 1e-12);
}

// ---- tensors: einsum, singular values, a perfect tensor, a MERA layer
static void tensors(void)
{
    double a[2][3] = {{1, 2, 3}, {4, 5, 6}}, b[3][2] = {{1, 0}, {0, 1}, {1, 1}}, c[2][2], s[2];
    double norm = 0, u[16], w[8];
    static float perfect[64];
    uint64_t legs[6] = {2, 2, 2, 2, 2, 2}, four[4] = {2, 2, 2, 2};
    padic_tensor_term terms[2];
    padic_tensor_einsum_desc desc = PADIC_ZERO;
    padic_tensor_contract_desc pair = PADIC_ZERO;
    padic_tensor_svd_desc svd = PADIC_ZERO;
    padic_tensor_labels_desc labels = PADIC_ZERO;
    padic_tensor_perfect_desc six = PADIC_ZERO;
    padic_tensor_perfect_check_report six_report = {1};
    padic_tensor_perfect_check_desc six_check = PADIC_ZERO;
    padic_tensor_mera_random_desc mera = PADIC_ZERO;
    padic_tensor_mera_check_report mera_report = {1};
    padic_tensor_mera_check_desc mera_check = PADIC_ZERO;
    int i, j;
    memset(terms, 0, sizeof terms);
    terms[0].tensor = padic_tensor_2d(PADIC_F64, a, 2, 3);
    terms[1].tensor = padic_tensor_2d(PADIC_F64, b, 3, 2);
    desc.expression = "ij,jk->ki";
    desc.operands = terms;
    desc.count = 2;
    desc.out.tensor = padic_tensor_2d(PADIC_F64, c, 2, 2);
    CHECK(padic_tensor_einsum(NULL, &desc) == PADIC_OK);
    CHECK(c[0][0] == 4 && c[1][0] == 5 && c[0][1] == 10 && c[1][1] == 11);
    labels.expression = "ij,jk->ik";
    labels.out = &pair;
    CHECK(padic_tensor_labels(NULL, &labels) == PADIC_OK);
    pair.a = terms[0].tensor;
    pair.b = terms[1].tensor;
    pair.c = desc.out.tensor;
    CHECK(padic_tensor_contract(NULL, &pair) == PADIC_OK && c[0][1] == 5 && c[1][0] == 10);
    svd.a = terms[0].tensor;
    svd.s = padic_tensor_1d(PADIC_F64, s, 2);
    CHECK(padic_tensor_svd(NULL, &svd) == PADIC_OK);
    for (i = 0; i < 2; i++)
        for (j = 0; j < 3; j++) norm += a[i][j] * a[i][j];
    CHECK(fabs(s[0] * s[0] + s[1] * s[1] - norm) <= 1e-12 * norm && s[0] > s[1]);
    six.out = padic_tensor_nd(PADIC_F32, perfect, 6, legs);
    CHECK(padic_tensor_perfect(NULL, &six) == PADIC_OK);
    six_check.tensor = six.out;
    six_check.report = &six_report;
    CHECK(padic_tensor_perfect_check(NULL, &six_check) == PADIC_OK);
    CHECK(six_report.deviation < 1e-6);
    mera.layer.u = padic_tensor_nd(PADIC_F64, u, 4, four);
    mera.layer.w = padic_tensor_3d(PADIC_F64, w, 2, 2, 2);
    mera.seed = 5;
    CHECK(padic_tensor_mera_random(NULL, &mera) == PADIC_OK);
    mera_check.layer = mera.layer;
    mera_check.report = &mera_report;
    CHECK(padic_tensor_mera_check(NULL, &mera_check) == PADIC_OK);
    CHECK(mera_report.deviation < 1e-12);
}

static void transforms(void)
{
    static float signal[12], spectrum[7][2];
    padic_fft_transform_desc fft = PADIC_ZERO;
    padic_fft_plan *plan = NULL;
    int i;
    for (i = 0; i < 12; i++) signal[i] = i % 2 ? -1.0f : 1.0f;
    fft.in = padic_tensor_1d(PADIC_F32, signal, 12);
    fft.out = padic_tensor_1d(PADIC_C64, spectrum, 7);
    CHECK(padic_fft_plan_create(NULL, &fft, &plan) == PADIC_OK);
    fft.plan = plan;
    CHECK(padic_fft_transform(NULL, &fft) == PADIC_OK);
    CHECK(spectrum[6][0] > 11.999f && spectrum[6][0] < 12.001f);
    CHECK(padic_fft_plan_size(plan) > padic_fft_next_size(11));
    padic_fft_plan_destroy(plan);
}

// ---- triangulations: one grown, measured, checked, saved and loaded
static void triangulations(void)
{
    static unsigned char saved[20000];
    uint64_t counts[1][PADIC_CDT_COUNTS];
    padic_cdt_plan_desc desc = PADIC_ZERO;
    padic_cdt_grow_desc grow = PADIC_ZERO;
    padic_cdt_measure_desc measure = PADIC_ZERO;
    padic_cdt_check_desc check = PADIC_ZERO;
    padic_cdt_save_desc save = PADIC_ZERO;
    padic_cdt_save_report report = PADIC_ZERO;
    padic_cdt_load_desc load = PADIC_ZERO;
    padic_cdt_plan *plan = NULL, *again = NULL;
    desc.slices = 8;
    desc.target = 400;
    desc.capacity = 800;
    CHECK(padic_cdt_plan_create(NULL, &desc, &plan) == PADIC_OK);
    grow.plan = plan;
    CHECK(padic_cdt_grow(NULL, &grow) == PADIC_OK);
    measure.plan = check.plan = save.plan = plan;
    measure.counts = padic_tensor_2d(PADIC_U64, counts, 1, PADIC_CDT_COUNTS);
    CHECK(padic_cdt_measure(NULL, &measure) == PADIC_OK);
    CHECK(counts[0][PADIC_CDT_COUNT_LINKS] == 3 * counts[0][PADIC_CDT_COUNT_VERTICES]);
    CHECK(padic_cdt_check(NULL, &check) == PADIC_OK);
    save.out = padic_bytes_out(saved, sizeof saved);
    save.report = &report;
    CHECK(padic_cdt_save(NULL, &save) == PADIC_OK);
    load.bytes = padic_bytes_in(saved, report.size);
    CHECK(padic_cdt_load(NULL, &load, &again) == PADIC_OK);
    padic_cdt_plan_destroy(plan);
    padic_cdt_plan_destroy(again);
}

// ---- a condensate: its ground state, steps, energy
static void condensates(void)
{
    static double psi[32][2];
    padic_field_plan_desc desc = PADIC_ZERO;
    padic_field_ground_desc ground = PADIC_ZERO;
    padic_field_ground_report found = PADIC_ZERO;
    padic_field_step_desc step = PADIC_ZERO;
    padic_field_measure_desc measure = PADIC_ZERO;
    padic_field_record record = PADIC_ZERO;
    padic_field_plan *plan = NULL;
    int i;
    for (i = 0; i < 32; i++) psi[i][0] = i > 11 && i < 21 ? 1.0 / 3 : 0;
    desc.dims = 1;
    desc.shape[0] = 32;
    desc.spacing[0] = 0.5;
    desc.dtype = PADIC_C128;
    desc.trap[0] = 0.5;
    desc.dt = 0.01;
    CHECK(padic_field_plan_create(NULL, &desc, &plan) == PADIC_OK);
    ground.plan = step.plan = measure.plan = plan;
    ground.psi = step.psi = measure.psi = padic_tensor_1d(PADIC_C128, psi, 32);
    ground.report = &found;
    measure.report = &record;
    step.count = 5;
    CHECK(padic_field_ground(NULL, &ground) == PADIC_OK);
    CHECK(padic_field_step(NULL, &step) == PADIC_OK);
    CHECK(padic_field_measure(NULL, &measure) == PADIC_OK);
    CHECK(found.mu > 0.4999 && found.mu < 0.5001 && record.mu > 0.4999 && record.mu < 0.5001);
    padic_field_plan_destroy(plan);
}

// ---- networks: a GRU over a sequence
static void networks(void)
{
    static float x[3][1][2] = {{{1, 2}}, {{3, 4}}, {{5, 6}}}, y[3][1][5], w[15][5];
    padic_rnn_layer layer = PADIC_ZERO;
    padic_rnn_plan_desc desc = PADIC_ZERO;
    padic_rnn_run_desc run = PADIC_ZERO;
    padic_rnn_plan *plan = NULL;
    int i;
    for (i = 0; i < 75; i++) w[i / 5][i % 5] = 0.1f;
    layer.reset = PADIC_RNN_RESET_BEFORE;
    layer.weights.input = padic_tensor_2d(PADIC_F32, w, 15, 2);
    layer.weights.recurrent = padic_tensor_2d(PADIC_F32, w, 15, 5);
    desc.layers = &layer;
    desc.layer_count = 1;
    CHECK(padic_rnn_plan_create(NULL, &desc, &plan) == PADIC_OK);
    run.plan = plan;
    run.x = padic_tensor_3d(PADIC_F32, x, 3, 1, 2);
    run.out = padic_tensor_3d(PADIC_F32, y, 3, 1, 5);
    CHECK(padic_rnn_run(NULL, &run) == PADIC_OK);
    CHECK(y[2][0][4] > 0.40873f && y[2][0][4] < 0.40874f);
    padic_rnn_plan_destroy(plan);
}

// ---- operators: the weights of a network from its id
static void operators(void)
{
    static padic_rollout_node nodes[8];
    static float weights[2][1000];
    padic_rollout_nodes_cnn_desc cnn = PADIC_ZERO;
    padic_rollout_weights_init_desc desc = PADIC_ZERO;
    padic_rollout_operator_report report = PADIC_ZERO;
    cnn.width = 4;
    cnn.layers = 2;
    cnn.nodes = nodes;
    cnn.capacity = 8;
    desc.op.nodes = nodes;
    desc.op.count = padic_rollout_nodes_cnn(&cnn);
    desc.op.height = desc.op.width = 8;
    CHECK(padic_rollout_operator_info(NULL, &desc.op, &report) == PADIC_OK);
    CHECK(report.mac == 64 * (3 * 4 * 9 + 4 * 4 * 9 + 4 * 8 * 9 + 8 * 3));
    CHECK(report.parameters < 1000);
    desc.out = padic_tensor_2d(PADIC_F32, weights, 2, report.parameters);
    CHECK(padic_rollout_weights_init(NULL, &desc) == PADIC_OK);
    CHECK(weights[0][0] != weights[0][1]);
}

// ---- selection: the best of keys that a codebook holds exactly
static void selection(void)
{
    static float keys[200][4], centroids[2][4][2], scaled[2][3][4], query[4] = {1, 1, 0, 0};
    static int32_t info[2][4], list[3];
    static uint8_t codes[4][2][32];
    static const uint64_t c[5] = {1, 1, 2, 4, 2}, s[5] = {1, 1, 2, 3, 4}, i[4] = {1, 1, 2, 4};
    static const uint64_t k[4] = {1, 1, 200, 4}, t[5] = {1, 1, 4, 2, 32}, q[4] = {1, 1, 1, 4};
    static const uint64_t l[4] = {1, 1, 1, 3};
    uint32_t count = 0;
    padic_pq_train_desc train = PADIC_ZERO;
    padic_pq_append_desc append = PADIC_ZERO;
    padic_pq_select_desc select = PADIC_ZERO;
    int n;
    for (n = 0; n < 800; n++) keys[n / 4][n % 4] = (float)(n / 4 * 7 % 16 >> n % 4 & 1);
    train.codebook.centroids = padic_tensor_nd(PADIC_F32, centroids, 5, c);
    train.codebook.scaled = padic_tensor_nd(PADIC_F32, scaled, 5, s);
    train.codebook.info = padic_tensor_nd(PADIC_I32, info, 4, i);
    train.keys = padic_tensor_nd(PADIC_F32, keys, 4, k);
    CHECK(padic_pq_train(NULL, &train) == PADIC_OK);
    append.codebook = select.codebook = train.codebook;
    append.cache.codes = padic_tensor_nd(PADIC_U8, codes, 5, t);
    append.cache.lengths = padic_tensor_1d(PADIC_U32, &count, 1);
    append.keys = train.keys;
    CHECK(padic_pq_append(NULL, &append) == PADIC_OK);
    select.cache = append.cache;
    select.heavy = 3;
    select.queries = padic_tensor_nd(PADIC_F32, query, 4, q);
    select.lists = padic_tensor_nd(PADIC_I32, list, 4, l);
    CHECK(padic_pq_select(NULL, &select) == PADIC_OK);
    CHECK(list[0] == 1 && list[1] == 5 && list[2] == 9); // 7 n mod 16 = 7, 3, 15
}

int main(void)
{
    codec();
    context();
    numbers();
    sparse();
    samples();
    waves();
    tensors();
    transforms();
    triangulations();
    condensates();
    networks();
    operators();
    selection();
    if (failures) return 1;
    printf("every_area: fine, hash %016llx\n", (unsigned long long)padic_self_hash());
    return 0;
}
