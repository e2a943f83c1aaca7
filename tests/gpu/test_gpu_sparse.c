// test_gpu_sparse.c: sparse matrices in a device's memory: every method gives the host's bytes.
#define PADIC_IMPLEMENT_GPU
#include "../support/inside.h"
#include "../../padic.h"

#include "gpu_devices.h"
#include "../support/sparse_calls.h"

static int is_cuda(padic_context *context)
{
    return !strcmp(context->targets[0].backend->name, "cuda");
}

static plane plane_1d(padic_context *context, padic_dtype dtype, uint64_t n, uint64_t skip,
                      const void *data)
{
    const padic_tensor like = padic_tensor_1d(dtype, NULL, n);
    return plane_new(context, &like, skip, data);
}

// A matrix on the host with room for everything.
typedef struct host_csr {
    padic_sparse_csr csr;
    void *planes[4];
} host_csr;

static padic_num_plane number_plane(const padic_tensor *t)
{
    padic_num_plane p = padic_num_plane_in(t->dtype, t->buffer, t->offset);
    p.data = t->data;
    return p;
}

static host_csr host_new(padic_dtype index, padic_dtype value, padic_dtype val, uint64_t pointers,
                         uint64_t room)
{
    host_csr m;
    memset(&m, 0, sizeof m);
    m.planes[0] = calloc((size_t)pointers + 1, 8);
    m.planes[1] = calloc((size_t)room + 1, 8);
    m.planes[2] = calloc((size_t)room + 1, 8);
    m.planes[3] = calloc((size_t)room + 1, 8);
    m.csr.row_ptr = padic_tensor_1d(index, m.planes[0], pointers);
    m.csr.col = padic_tensor_1d(index, m.planes[1], room);
    m.csr.value = padic_tensor_1d(value, m.planes[2], room);
    if (val) m.csr.val = padic_tensor_1d(val, m.planes[3], room);
    return m;
}

static void host_end(host_csr *m)
{
    int i;
    for (i = 0; i < 4; i++) free(m->planes[i]);
}

// Bits of any kind at a density: zeros of both signs, NaN, extreme and small numbers.
static void random_keys(void *keys, padic_dtype dtype, uint64_t n, double density)
{
    const uint32_t size = padic_dtype_size(dtype);
    const uint64_t limit = (uint64_t)(density * 16777216.0);
    uint64_t i, x;
    for (i = 0; i < n; i++) {
        x = 0;
        if (test_random() >> 40 < limit) {
            x = test_random();
            switch (test_random() & 7) {
            case 0: x = UINT64_MAX; break; // -1, NaN
            case 1: x = UINT64_C(1) << (8 * size - 1); break; // -0, the least integer
            case 2: x &= 7; break;         // subnormal, small
            case 3: x = x << (8 * size - 4) ? x << (8 * size - 4) : 1; break;
            default: break;
            }
        }
        memcpy((uint8_t *)keys + i * size, &x, size); // little-endian hosts
    }
}

static int same_report(const padic_sparse_encode_report *a, const padic_sparse_encode_report *b)
{
    return a->nnz == b->nnz && a->size == b->size && a->index_size == b->index_size &&
           a->negative_zeros == b->negative_zeros && a->dropped == b->dropped &&
           a->largest_dropped == b->largest_dropped;
}

static const padic_dtype all_dtypes[] = {PADIC_F64, PADIC_F32, PADIC_F16, PADIC_BF16,
                                         PADIC_I8,  PADIC_I16, PADIC_I32, PADIC_I64,
                                         PADIC_U8,  PADIC_U16, PADIC_U32, PADIC_U64};

// One matrix by one method: planes at odd places, room for `spare` entries more or fewer.
static void check_encode(padic_context *context, const padic_sparse_encode_desc *host_desc,
                         const void *keys, padic_sparse_method method, padic_dtype index,
                         int64_t spare, int with_report)
{
    const padic_tensor *keys_of = &host_desc->source.dense;
    const uint64_t rows = keys_of->rank == 2 ? keys_of->shape[0] : 1;
    const uint64_t cols = keys_of->shape[keys_of->rank - 1], n = rows * cols;
    const padic_dtype dtype = keys_of->dtype;
    padic_sparse_encode_desc desc = *host_desc;
    padic_sparse_encode_report want, got;
    host_csr host = host_new(index, dtype, PADIC_DTYPE_NONE, rows + 1, n);
    plane dense, row_ptr, col, value;
    padic_sparse_csr out = PADIC_ZERO;
    uint64_t room;
    padic_result result;
    desc.method = PADIC_SPARSE_METHOD_SCALAR;
    CHECK_EQ(sparse_encode(NULL, &host.csr, &desc, &want), PADIC_OK);
    room = spare < 0 && host.csr.nnz < (uint64_t)-spare ? 0 : host.csr.nnz + (uint64_t)spare;
    dense = plane_1d(context, dtype, n, test_random() % 21, keys);
    row_ptr = plane_1d(context, index, rows + 1, test_random() % 5, NULL);
    col = plane_1d(context, index, room, test_random() % 5, NULL);
    value = plane_1d(context, dtype, room, test_random() % 21, NULL);
    dense.tensor.rank = host_desc->source.dense.rank;
    memcpy(dense.tensor.shape, host_desc->source.dense.shape, sizeof dense.tensor.shape);
    desc.source.dense = dense.tensor;
    desc.method = method;
    out.row_ptr = row_ptr.tensor;
    out.col = col.tensor;
    out.value = value.tensor;
    result = sparse_encode(context, &out, &desc, with_report ? &got : NULL);
    CHECK_EQ(result, room < host.csr.nnz ? PADIC_ERROR_CAPACITY : PADIC_OK);
    if (with_report) {
        CHECK(same_report(&got, &want));
        CHECK(!method || got.method == method);
    }
    CHECK_EQ(out.nnz, host.csr.nnz);
    if (!result && !with_report) { // again, with a density that is known
        const plane *to[3] = {&row_ptr, &col, &value};
        int i;
        for (i = 0; i < 3; i++)
            CHECK_EQ(padic_buffer_fill(context, to[i]->tensor.buffer, 0, 0xa5a5a5a5u,
                                       (to[i]->at + to[i]->bytes + 64) & ~UINT64_C(3)),
                     PADIC_OK);
        CHECK_EQ(sparse_encode(context, &out, &desc, NULL), PADIC_OK);
        CHECK_EQ(out.nnz, host.csr.nnz);
    }
    CHECK(plane_is(context, &dense, keys, dense.bytes)); // is not written
    CHECK(plane_is(context, &row_ptr, host.planes[0], row_ptr.bytes));
    if (!result) {
        CHECK_EQ(out.trusted, PADIC_SPARSE_LEVEL_CANONICAL);
        CHECK(plane_is(context, &col, host.planes[1], host.csr.nnz * padic_dtype_size(index)));
        CHECK(plane_is(context, &value, host.planes[2], host.csr.nnz * padic_dtype_size(dtype)));
    } else {
        CHECK(plane_is(context, &col, NULL, 0) && plane_is(context, &value, NULL, 0));
    }
    if (!result) { // and back
        const padic_tensor was = desc.source.dense;
        CHECK_EQ(padic_buffer_fill(context, dense.tensor.buffer, 0, 0xa5a5a5a5u,
                                   (dense.at + dense.bytes) & ~UINT64_C(3)),
                 PADIC_OK);
        CHECK_EQ(sparse_decode(NULL, &host_desc->source.dense, NULL, &host.csr), PADIC_OK);
        CHECK_EQ(sparse_decode(context, &was, NULL, &out), PADIC_OK);
        CHECK(plane_is(context, &dense, keys, dense.bytes)); // as the host decodes
    }
    // counting alone
    memset(&got, 0xff, sizeof got);
    CHECK_EQ(padic_buffer_fill(context, row_ptr.tensor.buffer, 0, 0xa5a5a5a5u,
                               (row_ptr.at + row_ptr.bytes) & ~UINT64_C(3)),
             PADIC_OK);
    CHECK_EQ(sparse_count(context, &desc, with_report ? &row_ptr.tensor : NULL, &got),
             PADIC_OK);
    CHECK_EQ(got.nnz, want.nnz);
    if (with_report) CHECK(plane_is(context, &row_ptr, host.planes[0], row_ptr.bytes));
    plane_end(context, &dense);
    plane_end(context, &row_ptr);
    plane_end(context, &col);
    plane_end(context, &value);
    host_end(&host);
}

static void random_mode(padic_sparse_encode_desc *desc, const padic_num_ring *ring)
{
    static const double thresholds[] = {0, 1, 0.5, 100, 1e-300, 6e4};
    const int is_float = desc->source.dense.dtype < PADIC_I8;
    desc->source.mode = (padic_sparse_mode)(test_random() % (is_float ? 3 : 4));
    desc->source.ring = ring;
    if (desc->source.mode == PADIC_SPARSE_MODE_THRESHOLD)
        desc->source.threshold = thresholds[test_random() % 6];
    if (desc->source.mode == PADIC_SPARSE_MODE_NORM)
        desc->source.threshold = (double)(test_random() % 4);
}

static void encode_shapes(const uint64_t (*shapes)[2], int shape_count, int rounds)
{
    static const double densities[] = {0, 0.001, 0.01, 0.1, 0.5, 1};
    padic_num_ring rings[3];
    int d, round, i;
    open_devices();
    CHECK_EQ(padic_num_ring_init(&rings[0], 2, 8, NULL), PADIC_OK);
    CHECK_EQ(padic_num_ring_init(&rings[1], 3, 5, NULL), PADIC_OK);
    CHECK_EQ(padic_num_ring_init(&rings[2], 257, 3, NULL), PADIC_OK);
    for (d = 0; d < device_count; d++)
        for (round = 0; round < rounds; round++)
            for (i = 0; i < 12; i++) {
                const uint64_t *shape = shapes[(round * 12 + i * 5) % shape_count];
                const padic_dtype dtype = all_dtypes[i];
                const uint64_t n = shape[0] * shape[1];
                padic_sparse_encode_desc desc = PADIC_ZERO;
                padic_sparse_method method;
                void *keys = malloc((size_t)n * 8 + 8);
                random_keys(keys, dtype, n, densities[test_random() % 6]);
                desc.source.dense = padic_tensor_2d(dtype, keys, shape[0], shape[1]);
                if (shape[0] == 1 && test_random() & 1)
                    desc.source.dense = padic_tensor_1d(dtype, keys, shape[1]);
                random_mode(&desc, &rings[test_random() % 3]);
                method =
                    (padic_sparse_method)(PADIC_SPARSE_METHOD_GPU_ONE_PASS + test_random() % 3);
                if (method == PADIC_SPARSE_METHOD_GPU_ONE_PASS && !is_cuda(devices[d]))
                    method = PADIC_SPARSE_METHOD_AUTO;
                check_encode(devices[d], &desc, keys, method,
                             test_random() % 3 ? PADIC_I32 : PADIC_I64,
                             (int64_t)(test_random() % 5) - 1, test_random() % 4 != 0);
                free(keys);
            }
}

TEST(small)
{
    static const uint64_t shapes[][2] = {{1, 1},   {3, 3},   {1, 40000}, {40000, 1}, {0, 5},
                                         {5, 0},   {0, 0},   {129, 127}, {7, 4099},  {4099, 7},
                                         {2, 65536 / 2}, {1, 65536}, {255, 257}, {1, 4096},
                                         {1, 4097}, {2000, 2}, {17, 128}};
    encode_shapes(shapes, 17, test_tiny ? 2 : 10);
}

TEST(large)
{
    static const uint64_t shapes[][2] = {{1, 65537}, {70001, 1}, {257, 263}, {3, 33333},
                                         {33333, 3}, {521, 509}, {65537, 2}, {16, 16384},
                                         {9, 16383}, {1, 140000}, {8, 32768}};
    encode_shapes(shapes, 11, test_tiny ? 1 : 3);
}

// Dense matrices of bytes whose density is known: their keys are read once more, by whole lines.
TEST(dense_bytes)
{
    static const uint64_t shapes[][2] = {{400, 333}, {9, 16383}, {1, 140000}, {8, 32768}};
    int d, i, turn;
    open_devices();
    for (d = 0; d < device_count; d++)
        for (i = 0; i < 4; i++)
            for (turn = 0; turn < 4; turn++) {
                const uint64_t n = shapes[i][0] * shapes[i][1];
                padic_sparse_encode_desc desc = PADIC_ZERO;
                uint8_t *keys = (uint8_t *)malloc((size_t)n);
                random_keys(keys, PADIC_U8, n, turn & 1 ? 0.2 : 0.8);
                desc.source.dense = padic_tensor_2d(PADIC_U8, keys, shapes[i][0], shapes[i][1]);
                check_encode(devices[d], &desc, keys,
                             turn & 2 ? PADIC_SPARSE_METHOD_GPU_REREAD
                                 : PADIC_SPARSE_METHOD_GPU_BITMAP,
                             PADIC_I32, i, 0);
                free(keys);
            }
}

// A matrix of `mib` MiB, large enough for the kernel that does tile after tile, and dense in one
// place, at `at` keys in its memory; with room for all entries but `less`.
static void encode_tiles(padic_context *device, padic_dtype dtype, padic_dtype index, uint64_t cols,
                         double density, uint64_t at, uint64_t less, uint64_t mib)
{
    const uint64_t size = padic_dtype_size(dtype);
    const uint64_t rows = (mib << 20) / size / cols + 1, n = rows * cols;
    unsigned char *memory = (unsigned char *)calloc((size_t)(n + at), (size_t)size);
    unsigned char *dense = memory + at * size, *planes[2];
    padic_sparse_csr csr[2];
    uint64_t i, room = 0;
    for (i = 0; i < n; i++)
        if ((double)(test_random() & 0xffff) < (i / 50000 == 7 ? 0.7 : density) * 65536)
            dense[i * size + test_random() % size] = (unsigned char)(1 + i % 127), room++; // no -0
    room -= less;
    for (i = 0; i < 2; i++) {
        padic_sparse_encode_desc desc = PADIC_ZERO;
        planes[i] = (unsigned char *)calloc((size_t)(rows + 1 + 2 * room), 8);
        memset(&csr[i], 0, sizeof csr[i]);
        csr[i].row_ptr = padic_tensor_1d(index, planes[i], rows + 1);
        csr[i].col = padic_tensor_1d(index, planes[i] + 8 * (rows + 1), room);
        csr[i].value = padic_tensor_1d(dtype, planes[i] + 8 * (rows + 1 + room), room);
        desc.source.dense = padic_tensor_2d(dtype, dense, rows, cols);
        desc.method = i ? PADIC_SPARSE_METHOD_GPU_ONE_PASS : PADIC_SPARSE_METHOD_AUTO;
        for (int turn = 0; turn < (i ? 3 : 1); turn++) // its density is known the second time
            CHECK_EQ(sparse_encode(i ? device : NULL, &csr[i], &desc, NULL),
                     less ? PADIC_ERROR_CAPACITY : PADIC_OK);
        CHECK_EQ(csr[i].nnz, room + less);
    }
    CHECK(!memcmp(planes[0], planes[1], (size_t)(rows + 1 + (less ? 0 : 2 * room)) * 8));
    free(memory), free(planes[0]), free(planes[1]);
}

TEST(tile_after_tile)
{
    static const struct {
        padic_dtype dtype, index;
        uint64_t cols;
        double density;
        uint64_t at, less;
    } cases[] = {
        {PADIC_F64, PADIC_I32, 1024, 0.05, 0, 0}, // many tiles a group take turns in its memory
        {PADIC_U8, PADIC_I32, 4099, 0.002, 0, 0},      {PADIC_U8, PADIC_I32, 50, 0.01, 3, 0},
        {PADIC_U8, PADIC_I32, 3000017, 0.0035, 0, 0},  {PADIC_U8, PADIC_I32, 7, 0.9, 1, 0},
        {PADIC_U8, PADIC_I64, 16384, 0.02, 0, 1000},   {PADIC_I16, PADIC_I32, 333, 0.01, 0, 0},
        {PADIC_I16, PADIC_I32, 1000003, 0.05, 5, 0},   {PADIC_F32, PADIC_I32, 1, 0.03, 0, 0},
        {PADIC_F32, PADIC_I32, 16384, 0.04, 1, 0},     {PADIC_F32, PADIC_I32, 12, 0.1, 0, 77},
        {PADIC_F64, PADIC_I32, 1021, 0.05, 1, 0},      {PADIC_F64, PADIC_I64, 9000000, 0.1, 0, 0},
        {PADIC_F32, PADIC_I32, 32768, 0.0001, 0, 0},   {PADIC_U8, PADIC_I32, 8192, 0.0002, 7, 0},
        {PADIC_F32, PADIC_I32, 5, 0.6, 0, 0},          {PADIC_U8, PADIC_I32, 4099, 0.5, 3, 0},
        {PADIC_U8, PADIC_I32, 16384, 0.5, 0, 999},     {PADIC_I16, PADIC_I32, 8192, 0.6, 1, 0},
        {PADIC_F32, PADIC_I32, 16384, 0.5, 2, 0},      {PADIC_F64, PADIC_I32, 700, 0.5, 0, 0}};
    int any = 0;
    open_devices();
    for (int d = 0; d < device_count; d++)
        for (size_t i = 0; is_cuda(devices[d]) && i < sizeof cases / sizeof *cases; i++, any = 1)
            encode_tiles(devices[d], cases[i].dtype, cases[i].index, cases[i].cols,
                         cases[i].density, cases[i].at, cases[i].less, i ? 24 : 110);
    if (!any) {
        SKIP("no CUDA device");
    }
}

// A forced method that is not there; and host memory in and out through the device.
TEST(forced)
{
    float dense[70], value[70];
    int32_t row_ptr[8], col[70], i;
    int d;
    open_devices();
    for (i = 0; i < 70; i++) dense[i] = i % 3 ? 0.0f : (float)i;
    for (d = 0; d < device_count; d++) {
        padic_sparse_encode_desc desc = PADIC_ZERO;
        padic_sparse_csr csr = PADIC_ZERO;
        padic_sparse_encode_report report;
        desc.source.dense = padic_tensor_2d(PADIC_F32, dense, 7, 10);
        csr.row_ptr = padic_tensor_1d(PADIC_I32, row_ptr, 8);
        csr.col = padic_tensor_1d(PADIC_I32, col, 70);
        csr.value = padic_tensor_1d(PADIC_F32, value, 70);
        desc.method = PADIC_SPARSE_METHOD_GPU_ONE_PASS;
        CHECK_EQ(sparse_encode(devices[d], &csr, &desc, &report),
                 is_cuda(devices[d]) ? PADIC_OK : PADIC_ERROR_NOT_SUPPORTED);
        desc.method = PADIC_SPARSE_METHOD_GPU_BITMAP;
        CHECK_EQ(sparse_encode(devices[d], &csr, &desc, &report), PADIC_OK);
        CHECK_EQ(report.method, PADIC_SPARSE_METHOD_GPU_BITMAP);
        CHECK_EQ(csr.nnz, 23); // 0.0f is dropped
        for (i = 0; i < 23; i++)
            CHECK(value[i] == (float)(3 * i + 3) && col[i] == (3 * i + 3) % 10);
        CHECK_EQ(row_ptr[7], 23);
        desc.method = PADIC_SPARSE_METHOD_AUTO; // host memory stays there
        CHECK_EQ(sparse_encode(devices[d], &csr, &desc, &report), PADIC_OK);
        CHECK(report.method < PADIC_SPARSE_METHOD_GPU_ONE_PASS);
        CHECK_EQ(sparse_encode(NULL, &csr, &desc, &report), PADIC_OK);
        desc.method = PADIC_SPARSE_METHOD_GPU_REREAD;
        CHECK_EQ(sparse_encode(NULL, &csr, &desc, &report), PADIC_ERROR_NOT_SUPPORTED);
    }
}

// Numbers with valuations: units are gathered, valuations go along.
TEST(numbers)
{
    static const uint32_t precisions[] = {3, 6};
    padic_num_ring ring;
    int d, r, m;
    open_devices();
    for (d = 0; d < device_count; d++)
        for (r = 0; r < 2; r++)
            for (m = 0; m < 4; m++) {
                const uint64_t rows = m & 1 ? 300 : 23, cols = 301, n = rows * cols;
                const padic_num_model model = m & 2 ? PADIC_NUM_FLOAT : PADIC_NUM_RING;
                const padic_dtype unit = r ? PADIC_U64 : PADIC_U32;
                padic_context *context = devices[d];
                padic_sparse_encode_desc desc = PADIC_ZERO, on = PADIC_ZERO;
                padic_sparse_encode_report want, got;
                padic_sparse_csr out = PADIC_ZERO;
                host_csr host;
                plane units, vals, planes[4];
                uint64_t i;
                void *memory;
                size_t size;
                CHECK_EQ(padic_num_ring_init(&ring, 257, precisions[r], NULL), PADIC_OK);
                size = padic_num_array_size_bound(&ring, model, n);
                memory = malloc(size);
                CHECK_EQ(padic_num_place(&desc.source.numbers, &ring, model, n, memory, size),
                         PADIC_OK);
                for (i = 0; i < n; i++) {
                    padic_num_value v = PADIC_ZERO;
                    v.n = ring.precision;
                    v.u[0] = test_random() % 9 ? 0 : test_random() % 200 + 1;
                    v.v = model == PADIC_NUM_RING ? 0
                          : v.u[0]               ? (int32_t)(test_random() % 40) - 20
                                                 : PADIC_NUM_ZERO;
                    CHECK_EQ(padic_num_set(&desc.source.numbers, i, &v), PADIC_OK);
                }
                desc.source.rows = rows;
                desc.source.cols = cols;
                if (model == PADIC_NUM_FLOAT && r) desc.source.mode = PADIC_SPARSE_MODE_NORM;
                desc.source.threshold = 5;
                host = host_new(PADIC_I32, unit, model ? PADIC_I32 : PADIC_DTYPE_NONE, rows + 1, n);
                CHECK_EQ(sparse_encode(NULL, &host.csr, &desc, &want), PADIC_OK);
                CHECK(want.nnz > n / 20);
                on = desc;
                units = plane_1d(context, unit, n, 3, desc.source.numbers.unit.data);
                vals = plane_1d(context, PADIC_I32, n, 1, desc.source.numbers.val.data);
                on.source.numbers.unit = number_plane(&units.tensor);
                if (model) on.source.numbers.val = number_plane(&vals.tensor);
                planes[0] = plane_1d(context, PADIC_I32, rows + 1, 1, NULL);
                planes[1] = plane_1d(context, PADIC_I32, want.nnz, 2, NULL);
                planes[2] = plane_1d(context, unit, want.nnz, 3, NULL);
                planes[3] = plane_1d(context, PADIC_I32, want.nnz, 4, NULL);
                out.row_ptr = planes[0].tensor;
                out.col = planes[1].tensor;
                out.value = planes[2].tensor;
                if (model) out.val = planes[3].tensor;
                CHECK_EQ(sparse_encode(context, &out, &on, &got), PADIC_OK);
                CHECK(same_report(&want, &got));
                for (i = 0; i < (model ? 4u : 3u); i++)
                    CHECK(plane_is(context, &planes[i], host.planes[i], planes[i].bytes));
                for (i = 0; i < 4; i++) plane_end(context, &planes[i]);
                plane_end(context, &units);
                plane_end(context, &vals);
                host_end(&host);
                free(memory);
            }
}

TEST(batch)
{
    static const uint64_t shapes[][3] = {{5, 7, 11}, {3, 200, 301}, {40, 1, 9}, {2, 60, 0},
                                         {1, 9, 9}};
    int d, i, j;
    open_devices();
    for (d = 0; d < device_count; d++)
        for (i = 0; i < 5; i++) {
            const uint64_t count = shapes[i][0], rows = shapes[i][1], cols = shapes[i][2];
            const uint64_t n = count * rows * cols;
            padic_context *context = devices[d];
            padic_sparse_encode_desc desc = PADIC_ZERO;
            padic_sparse_encode_report want, got;
            padic_sparse_csr wants[40], outs[40];
            host_csr host = host_new(PADIC_I32, PADIC_U8, PADIC_DTYPE_NONE, (rows + 1) * count, n);
            plane dense, planes[3];
            uint8_t *keys = (uint8_t *)malloc((size_t)n + 1);
            random_keys(keys, PADIC_U8, n, 0.1);
            memset(wants, 0, sizeof wants);
            memset(outs, 0, sizeof outs);
            desc.source.dense = padic_tensor_3d(PADIC_U8, keys, count, rows, cols);
            wants[0] = host.csr;
            CHECK_EQ(sparse_encode_batch(NULL, wants, count, &desc, &want), PADIC_OK);
            for (j = 0; j < 2; j++) { // enough room, and one too few
                const uint64_t room = j && want.nnz ? want.nnz - 1 : want.nnz;
                uint64_t b;
                dense = plane_1d(context, PADIC_U8, n, 5, keys);
                planes[0] = plane_1d(context, PADIC_I32, (rows + 1) * count, 1, NULL);
                planes[1] = plane_1d(context, PADIC_I32, room, 2, NULL);
                planes[2] = plane_1d(context, PADIC_U8, room, 3, NULL);
                desc.source.dense = padic_tensor_in(
                    padic_tensor_3d(PADIC_U8, NULL, count, rows, cols), dense.tensor.buffer, 5);
                outs[0].row_ptr = planes[0].tensor;
                outs[0].col = planes[1].tensor;
                outs[0].value = planes[2].tensor;
                CHECK_EQ(sparse_encode_batch(context, outs, count, &desc, &got),
                         room < want.nnz ? PADIC_ERROR_CAPACITY : PADIC_OK);
                CHECK(same_report(&want, &got));
                CHECK(plane_is(context, &planes[0], host.planes[0], planes[0].bytes));
                for (b = 0; b < count; b++) CHECK_EQ(outs[b].nnz, wants[b].nnz);
                for (b = 0; b < count && room == want.nnz; b++) {
                    CHECK_EQ(outs[b].col.offset - 2,
                             (uint64_t)((int32_t *)wants[b].col.data - (int32_t *)host.planes[1]));
                    CHECK_EQ(outs[b].value.offset - 3, (uint64_t)((uint8_t *)wants[b].value.data -
                                                                  (uint8_t *)host.planes[2]));
                }
                if (n) { // into the source
                    outs[0].row_ptr = planes[0].tensor;
                    outs[0].col = planes[1].tensor;
                    outs[0].value = padic_tensor_in(padic_tensor_1d(PADIC_U8, NULL, n - 1),
                                                    dense.tensor.buffer, 6);
                    CHECK_EQ(sparse_encode_batch(context, outs, count, &desc, &got),
                             PADIC_ERROR_OVERLAP);
                }
                if (room == want.nnz) {
                    CHECK(plane_is(context, &planes[1], host.planes[1], planes[1].bytes));
                    CHECK(plane_is(context, &planes[2], host.planes[2], planes[2].bytes));
                }
                plane_end(context, &dense);
                for (b = 0; b < 3; b++) plane_end(context, &planes[b]);
            }
            free(keys);
            host_end(&host);
        }
}

// Nothing waits, nothing is allocated from the second time on.
TEST(later)
{
    const uint64_t rows = 400, cols = 333, n = rows * cols;
    int d, i;
    open_devices();
    for (d = 0; d < device_count; d++) {
        padic_context *context = devices[d];
        padic_sparse_encode_desc desc = PADIC_ZERO;
        padic_sparse_encode_report want, got;
        padic_sparse_csr out = PADIC_ZERO;
        padic_stats before, after;
        host_csr host = host_new(PADIC_I32, PADIC_F32, PADIC_DTYPE_NONE, rows + 1, n);
        float *keys = (float *)malloc(n * 4);
        plane dense, planes[3], totals;
        random_keys(keys, PADIC_F32, n, 0.03);
        desc.source.dense = padic_tensor_2d(PADIC_F32, keys, rows, cols);
        desc.source.mode = PADIC_SPARSE_MODE_THRESHOLD;
        desc.source.threshold = 0.25;
        CHECK_EQ(sparse_encode(NULL, &host.csr, &desc, &want), PADIC_OK);
        dense = plane_1d(context, PADIC_F32, n, 1, keys);
        planes[0] = plane_1d(context, PADIC_I32, rows + 1, 0, NULL);
        planes[1] = plane_1d(context, PADIC_I32, n, 0, NULL);
        planes[2] = plane_1d(context, PADIC_F32, n, 0, NULL);
        totals = plane_1d(context, PADIC_U64, 4, 1, NULL);
        desc.source.dense = padic_tensor_in(padic_tensor_2d(PADIC_F32, NULL, rows, cols),
                                     dense.tensor.buffer, 1);
        desc.totals = totals.tensor;
        out.row_ptr = planes[0].tensor;
        out.col = planes[1].tensor;
        out.value = planes[2].tensor;
        for (i = 0; i < 4; i++) {
            if (i == 2) padic_context_stats(context, &before);
            CHECK_EQ(sparse_encode(context, &out, &desc, i ? NULL : &got), PADIC_OK);
            CHECK_EQ(out.nnz, n); // not known
        }
        padic_context_stats(context, &after);
        CHECK_EQ(after.downloads, before.downloads);
        CHECK_EQ(after.syncs, before.syncs);
        CHECK_EQ(after.device_allocations, before.device_allocations);
        CHECK_EQ(after.host_allocations, before.host_allocations);
        CHECK_EQ(sparse_encode(context, &out, &desc, &got), PADIC_OK);
        CHECK_EQ(sparse_settle(context, &out, &desc, &got), PADIC_OK);
        CHECK(same_report(&want, &got));
        CHECK_EQ(out.nnz, want.nnz);
        CHECK_EQ(out.trusted, PADIC_SPARSE_LEVEL_CANONICAL);
        for (i = 0; i < 3; i++)
            CHECK(plane_is(context, &planes[i], host.planes[i],
                           i ? want.nnz * 4 : (rows + 1) * 4));
        out.col.shape[0] = out.value.shape[0] = want.nnz - 1;
        CHECK_EQ(sparse_encode(context, &out, &desc, NULL), PADIC_OK);
        CHECK_EQ(sparse_settle(context, &out, &desc, NULL), PADIC_ERROR_CAPACITY);
        CHECK_EQ(out.nnz, want.nnz);
        desc.totals.shape[0] = 3;
        CHECK_EQ(sparse_encode(context, &out, &desc, NULL), PADIC_ERROR_ARGUMENT);
        for (i = 0; i < 3; i++) plane_end(context, &planes[i]);
        plane_end(context, &dense);
        plane_end(context, &totals);
        host_end(&host);
        free(keys);
    }
}

// In a context that has not encoded in one pass: what is recorded, but not run, leaves nothing that
// a call could stumble over, and runs later. Refused where it needs scratch that no call took.
static void record_first(const padic_backend *backend, void *native, uint64_t rows)
{
    const uint64_t cols = 512, n = rows * cols;
    padic_context *context = open_one(backend, native, 0, PADIC_CONTEXT_STRICT);
    padic_sparse_encode_desc desc = PADIC_ZERO;
    padic_sparse_csr out = PADIC_ZERO, end;
    padic_record record;
    padic_result recorded;
    plane dense, planes[3], totals;
    uint8_t *keys = (uint8_t *)calloc((size_t)n, 1);
    host_csr host = host_new(PADIC_I32, PADIC_U8, PADIC_DTYPE_NONE, rows + 1, n / 16);
    uint64_t i, room;
    int turn;
    REQUIRE(context && keys);
    CHECK_EQ(padic_context_prewarm(context, PADIC_AREA_SPARSE),
             PADIC_OK); // else it is not recorded
    for (i = 0; i < n; i++)
        if (test_random() % 128 == 0) keys[i] = (uint8_t)(1 + i % 255);
    desc.source.dense = padic_tensor_2d(PADIC_U8, keys, rows, cols);
    CHECK_EQ(sparse_encode(NULL, &host.csr, &desc, NULL), PADIC_OK);
    room = host.csr.nnz;
    dense = plane_1d(context, PADIC_U8, n, 0, keys);
    planes[0] = plane_1d(context, PADIC_I32, rows + 1, 0, NULL);
    planes[1] = plane_1d(context, PADIC_I32, room, 0, NULL);
    planes[2] = plane_1d(context, PADIC_U8, room, 0, NULL);
    totals = plane_1d(context, PADIC_U64, 4, 0, NULL);
    desc.source.dense = dense.tensor;
    desc.source.dense.rank = 2;
    desc.source.dense.shape[0] = rows;
    desc.source.dense.shape[1] = cols;
    desc.source.dense.stride[0] = (int64_t)cols;
    desc.source.dense.stride[1] = 1;
    desc.totals = totals.tensor;
    out.row_ptr = planes[0].tensor;
    out.col = planes[1].tensor;
    out.value = planes[2].tensor;
    out.rows = rows; // so its density is known
    out.cols = cols;
    out.nnz = room;
    end = out;
    desc.method = PADIC_SPARSE_METHOD_GPU_BITMAP; // leaves scratch of some sizes
    CHECK_EQ(sparse_encode(context, &end, &desc, NULL), PADIC_OK);
    desc.method = PADIC_SPARSE_METHOD_AUTO;
    end = out;
    CHECK_EQ(padic_record_begin(context), PADIC_OK);
    recorded = sparse_encode(context, &end, &desc, NULL);
    CHECK(!recorded || recorded == PADIC_ERROR_ARGUMENT);
    CHECK_EQ(padic_record_end(context, &record), recorded);
    if (!strcmp(backend->name, "native")) CHECK_EQ(recorded, PADIC_OK);
    for (turn = 0; turn < 6; turn++) { // 2 and from 4 on: replayed
        for (i = 0; i < 3; i++)
            CHECK_EQ(padic_buffer_fill(context, planes[i].tensor.buffer, 0, 0xa5a5a5a5u,
                                       planes[i].bytes & ~UINT64_C(3)),
                     PADIC_OK);
        end = out;
        if (!recorded && (turn == 2 || turn > 3))
            CHECK_EQ(padic_record_replay(context, record, turn > 4 ? 2 : 1), PADIC_OK);
        else
            CHECK_EQ(sparse_encode(context, &end, &desc, NULL), PADIC_OK);
        end.nnz = 0;
        CHECK_EQ(sparse_settle(context, &end, &desc, NULL), PADIC_OK);
        CHECK_EQ(end.nnz, host.csr.nnz);
        for (i = 0; i < 3; i++)
            CHECK(plane_is(context, &planes[i], host.planes[i], planes[i].bytes));
    }
    if (!recorded) CHECK_EQ(padic_record_drop(context, record), PADIC_OK);
    padic_context_destroy(context);
    host_end(&host);
    free(keys);
}

TEST(recorded_first)
{
    open_devices();
    record_first(padic_native(), &native_desc, 100); // a group does it
#ifndef TEST_NATIVE_ONLY
    for (int d = 0; d < device_count; d++)
        if (is_cuda(devices[d])) record_first(padic_cuda(), NULL, 60000); // tile after tile
#endif
}

// What has no kernel is done on copies, or refused where the context is strict.
TEST(copies)
{
    enum { rows = 37, cols = 53 };
    padic_context_desc open = PADIC_ZERO;
    padic_context *context = NULL, *strict = NULL;
    padic_sparse_encode_desc desc = PADIC_ZERO;
    padic_sparse_product_desc product = PADIC_ZERO;
    padic_sparse_csr on = PADIC_ZERO, turned = PADIC_ZERO, sum = PADIC_ZERO;
    host_csr a = host_new(PADIC_I32, PADIC_F32, PADIC_DTYPE_NONE, rows + 1, rows * cols);
    host_csr t = host_new(PADIC_I32, PADIC_F32, PADIC_DTYPE_NONE, cols + 1, rows * cols);
    host_csr s = host_new(PADIC_I32, PADIC_F32, PADIC_DTYPE_NONE, rows + 1, rows * cols);
    float dense[rows * cols], x[cols], y[rows];
    const double two = 2;
    plane p[9], xs, ys;
    uint64_t fallbacks = 0, staged_bytes = 0;
    int64_t entry;
    size_t size = 0;
    uint8_t bytes[32768];
    int i, op;
    open.backends[0] = open.backends[1] = padic_native(); // the second is passed over
    REQUIRE(padic_context_create(&open, &context) == PADIC_OK);
    for (i = 0; i < rows * cols; i++) dense[i] = test_random() % 5 ? 0.0f : (float)(i % 91 - 45);
    for (i = 0; i < cols; i++) x[i] = (float)(i % 7) - 2.5f;
    desc.source.dense = padic_tensor_2d(PADIC_F32, dense, rows, cols);
    CHECK_EQ(sparse_encode(NULL, &a.csr, &desc, NULL), PADIC_OK);
    CHECK_EQ(sparse_transpose(NULL, &t.csr, &a.csr), PADIC_OK);
    CHECK_EQ(sparse_scale(NULL, &s.csr, &a.csr, &two), PADIC_OK);
    product.a = &a.csr;
    product.x = padic_tensor_1d(PADIC_F32, x, cols);
    product.y = padic_tensor_1d(PADIC_F32, y, rows);
    CHECK_EQ(padic_sparse_product(NULL, &product), PADIC_OK);
    for (i = 0; i < 9; i++) {
        const uint64_t n = i % 3 ? a.csr.nnz : (i == 3 ? cols : rows) + 1;
        p[i] = plane_1d(context, i % 3 < 2 ? PADIC_I32 : PADIC_F32, n, (uint64_t)i, NULL);
    }
    on.row_ptr = p[0].tensor, on.col = p[1].tensor, on.value = p[2].tensor;
    turned.row_ptr = p[3].tensor, turned.col = p[4].tensor, turned.value = p[5].tensor;
    sum.row_ptr = p[6].tensor, sum.col = p[7].tensor, sum.value = p[8].tensor;
    CHECK_EQ(sparse_encode(context, &on, &desc, NULL), PADIC_OK); // from host memory
    for (i = 0; i < 3; i++) CHECK(plane_is(context, &p[i], a.planes[i], p[i].bytes));
    on.trusted = PADIC_SPARSE_LEVEL_UNKNOWN;
    CHECK_EQ(sparse_transpose(context, &turned, &on), PADIC_OK);
    CHECK_EQ(turned.row_ptr.buffer.id, p[3].tensor.buffer.id);
    CHECK_EQ(turned.nnz, a.csr.nnz);
    for (i = 3; i < 6; i++) CHECK(plane_is(context, &p[i], t.planes[i - 3], p[i].bytes));
    CHECK_EQ(sparse_validate(context, &on, PADIC_SPARSE_LEVEL_CANONICAL, NULL), PADIC_OK);
    CHECK_EQ(on.trusted, PADIC_SPARSE_LEVEL_CANONICAL);
    CHECK_EQ(sparse_scale(context, &sum, &on, &two), PADIC_OK);
    for (i = 6; i < 9; i++) CHECK(plane_is(context, &p[i], s.planes[i - 6], p[i].bytes));
    CHECK_EQ(sparse_add(context, &sum, &on, &on, NULL, NULL), PADIC_OK); // the same bits
    CHECK(plane_is(context, &p[8], s.planes[2], p[8].bytes));
    xs = plane_1d(context, PADIC_F32, cols, 2, x);
    ys = plane_1d(context, PADIC_F32, rows, 3, NULL);
    product.a = &on;
    product.x = xs.tensor;
    product.y = ys.tensor;
    CHECK_EQ(padic_sparse_product(context, &product), PADIC_OK);
    CHECK(plane_is(context, &ys, y, ys.bytes));
    CHECK_EQ(sparse_get(context, &on, 0, (uint64_t)((int32_t *)a.planes[1])[0], &entry),
             PADIC_OK);
    CHECK_EQ(entry, 0);
    CHECK_EQ(sparse_write(context, &on, bytes, sizeof bytes, &size), PADIC_OK);
    CHECK_EQ(sparse_read(context, &sum, bytes, size), PADIC_OK);
    for (i = 6; i < 9; i++) CHECK(plane_is(context, &p[i], a.planes[i - 6], p[i].bytes));
    ((int32_t *)a.planes[1])[5] = cols; // a column too far
    CHECK_EQ(padic_buffer_upload(context, p[1].tensor.buffer, p[1].at, a.planes[1], p[1].bytes),
             PADIC_OK);
    CHECK_EQ(sparse_validate(context, &on, PADIC_SPARSE_LEVEL_STRUCTURE, NULL),
             PADIC_ERROR_CORRUPT);
    for (op = PADIC_OP_SPARSE_COUNT; op <= PADIC_OP_SPARSE_READ; op++) {
        padic_op_stats stats;
        padic_context_op_stats(context, (padic_op)op, &stats);
        fallbacks += stats.fallbacks;
        staged_bytes += stats.staged_bytes;
    }
    CHECK(fallbacks > 5 && staged_bytes > 10000);
    open_devices();
    strict = devices[0];
    xs.tensor = plane_1d(strict, PADIC_F32, cols, 2, x).tensor;
    product.a = &a.csr;
    ((int32_t *)a.planes[1])[5] = 0;
    product.x = xs.tensor;
    product.y = padic_tensor_1d(PADIC_F32, y, rows);
    CHECK_EQ(padic_sparse_product(strict, &product), PADIC_ERROR_NOT_SUPPORTED);
    CHECK_EQ(padic_buffer_destroy(strict, xs.tensor.buffer), PADIC_OK);
    padic_context_destroy(context);
    host_end(&a);
    host_end(&t);
    host_end(&s);
}

TEST_MAIN("gpu_sparse", CASE(small), CASE(large), CASE(dense_bytes), CASE(tile_after_tile),
          CASE(forced), CASE(numbers), CASE(batch), CASE(later), CASE(recorded_first),
          CASE(copies), CASE(no_kernel_was_dropped))
