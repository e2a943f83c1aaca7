// checks.h: what every unit of this engine asks of padic.h, as a studio would write it once for C
// and C++. studio_check() returns NULL, or the name of the first check that failed.
#ifndef STUDIO_CHECKS_H
#define STUDIO_CHECKS_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "padic.h"

// A picture goes through the codec and comes back bit for bit, and smaller.
static int studio_codec(void)
{
    static float height[96][96], again[96][96];
    padic_codec_pack_desc desc = PADIC_ZERO;
    padic_codec_unpack_desc back = PADIC_ZERO;
    padic_bytes packed;
    int x, y, fine;
    for (y = 0; y < 96; y++)
        for (x = 0; x < 96; x++) height[y][x] = 0.25f * (float)((x * x + y * y) / 99);
    height[3][5] = -0.0f;
    desc.tensor = padic_tensor_2d(PADIC_F32, height, 96, 96);
    fine = padic_codec_pack_new(NULL, &desc, &packed) == PADIC_OK;
    back.packed = packed;
    back.tensor = padic_tensor_2d(PADIC_F32, again, 96, 96);
    fine = fine && padic_codec_unpack(NULL, &back) == PADIC_OK &&
           packed.size < sizeof height;
    padic_codec_free_packed(NULL, &packed);
    return fine && memcmp(height, again, sizeof height) == 0;
}

#ifndef STUDIO_ONLY_CODEC
// 1/3 + 22/7 = 73/21 in Q_5, by twenty digits.
static int studio_sum(void)
{
    int64_t over[2] = {1, 22}, under[2] = {3, 7}, numerator = 0, denominator = 0;
    padic_num_ring ring;
    padic_num_array both = PADIC_ZERO, sum = PADIC_ZERO;
    padic_num_from_rational_desc in = PADIC_ZERO;
    padic_num_to_rational_desc out = PADIC_ZERO;
    size_t room;
    char *memory;
    int fine;
    if (padic_num_ring_init(&ring, 5, 20, NULL)) return 0;
    room = padic_num_array_size_bound(&ring, PADIC_NUM_FLOAT, 2);
    memory = (char *)malloc(2 * room);
    if (!memory) return 0;
    fine = !padic_num_place(&both, &ring, PADIC_NUM_FLOAT, 2, memory, room) &&
           !padic_num_place(&sum, &ring, PADIC_NUM_FLOAT, 1, memory + room, room);
    in.out = both;
    in.numerator = padic_tensor_1d(PADIC_I64, over, 2);
    in.denominator = padic_tensor_1d(PADIC_I64, under, 2);
    fine = fine && !padic_num_from_rational(NULL, &in) && !padic_num_sum(NULL, &sum, &both);
    out.in = sum;
    out.numerator = padic_tensor_1d(PADIC_I64, &numerator, 1);
    out.denominator = padic_tensor_1d(PADIC_I64, &denominator, 1);
    fine = fine && !padic_num_to_rational(NULL, &out);
    free(memory);
    return fine && numerator == 73 && denominator == 21;
}

// (1/2, 1/3), (1/4, 2/3), (3/4, 1/9), (1/8, 4/9).
static int studio_halton(void)
{
    static const double wanted[4][2] = {
        {1.0 / 2, 1.0 / 3}, {1.0 / 4, 2.0 / 3}, {3.0 / 4, 1.0 / 9}, {1.0 / 8, 4.0 / 9}};
    double point[4][2];
    padic_sample_halton_desc desc = PADIC_ZERO;
    int j, c;
    desc.out = padic_tensor_2d(PADIC_F64, point, 4, 2);
    desc.layout = PADIC_SAMPLE_LAYOUT_POINTS;
    desc.digits = PADIC_SAMPLE_DIGITS_LONG;
    desc.first = 1;
    if (padic_sample_halton(NULL, &desc)) return 0;
    for (j = 0; j < 4; j++)
        for (c = 0; c < 2; c++)
            if (!(fabs(point[j][c] - wanted[j][c]) <= 1e-15)) return 0;
    return 1;
}

// One source: e^{ikr} / r at each point.
static int studio_wave(padic_context *context)
{
    enum { POINTS = 500 };
    static double where[POINTS][3], psi[POINTS][2];
    double source[3] = {0.5, -0.25, 2.0}, k = 7.5;
    padic_wave_superpose_desc desc = PADIC_ZERO;
    int i;
    for (i = 0; i < POINTS; i++) {
        where[i][0] = 0.125 * i;
        where[i][1] = 3.0 - 0.03125 * i;
        where[i][2] = 0.0625 * (i % 7);
    }
    desc.points = padic_tensor_2d(PADIC_F64, where, POINTS, 3);
    desc.sources = padic_tensor_2d(PADIC_F64, source, 1, 3);
    desc.wavenumber = padic_tensor_1d(PADIC_F64, &k, 1);
    desc.out = padic_tensor_1d(PADIC_C128, psi, POINTS);
    if (padic_wave_superpose(context, &desc)) return 0;
    for (i = 0; i < POINTS; i++) {
        double x = where[i][0] - source[0], y = where[i][1] - source[1];
        double z = where[i][2] - source[2], r = sqrt(x * x + y * y + z * z);
        if (!(fabs(psi[i][0] - cos(k * r) / r) <= 1e-12)) return 0;
        if (!(fabs(psi[i][1] - sin(k * r) / r) <= 1e-12)) return 0;
    }
    return 1;
}

// A 4x4 product, the hand's way of moving a camera, against a plain loop.
static int studio_product(padic_context *context)
{
    float a[4][4], b[4][4], c[4][4];
    padic_tensor_gemm_desc desc = PADIC_ZERO;
    int i, j, k;
    for (i = 0; i < 4; i++)
        for (j = 0; j < 4; j++) {
            a[i][j] = (float)(3 * i - j);
            b[i][j] = 0.5f * (float)(i * j - 2);
        }
    desc.a = padic_tensor_2d(PADIC_F32, a, 4, 4);
    desc.b = padic_tensor_2d(PADIC_F32, b, 4, 4);
    desc.c = padic_tensor_2d(PADIC_F32, c, 4, 4);
    if (padic_tensor_gemm(context, &desc)) return 0;
    for (i = 0; i < 4; i++)
        for (j = 0; j < 4; j++) {
            float sum = 0;
            for (k = 0; k < 4; k++) sum += a[i][k] * b[k][j];
            if (c[i][j] != sum) return 0; // small multiples of 1/2: exact
        }
    return 1;
}

// Five entries of a matrix of 4 x 6 and back.
static int studio_sparse(void)
{
    float dense[4][6], again[4][6];
    int32_t row_ptr[5], col[24];
    float value[24];
    padic_sparse_encode_desc desc = PADIC_ZERO;
    padic_sparse_csr csr = PADIC_ZERO;
    padic_sparse_decode_desc decode = PADIC_ZERO;
    memset(dense, 0, sizeof dense);
    dense[0][1] = 1, dense[0][5] = -2, dense[2][0] = 3, dense[3][3] = 4, dense[3][4] = 0.5f;
    desc.source.dense = padic_tensor_2d(PADIC_F32, dense, 4, 6);
    desc.out = &csr;
    decode.matrix = &csr;
    decode.out = padic_tensor_2d(PADIC_F32, again, 4, 6);
    csr.row_ptr = padic_tensor_1d(PADIC_I32, row_ptr, 5);
    csr.col = padic_tensor_1d(PADIC_I32, col, 24);
    csr.value = padic_tensor_1d(PADIC_F32, value, 24);
    if (padic_sparse_encode(NULL, &desc) || csr.nnz != 5) return 0;
    if (row_ptr[1] != 2 || row_ptr[2] != 2 || row_ptr[4] != 5 || col[1] != 5) return 0;
    return !padic_sparse_decode(NULL, &decode) && !memcmp(dense, again, sizeof dense);
}
#endif

// A context with threads, where padic_threads.h has been included: two workers.
#if defined(PADIC_THREADS_H) && !defined(STUDIO_ONLY_CODEC)
static int studio_threads(void)
{
    padic_context_desc desc = PADIC_ZERO;
    padic_context *context = NULL;
    padic_threads *threads = padic_threads_create(2, NULL);
    int fine;
    if (!threads) return 0;
    desc.jobs = padic_threads_jobs(threads);
    fine = desc.jobs.workers == 2 && padic_context_create(&desc, &context) == PADIC_OK;
    fine = fine && studio_wave(context) && studio_product(context);
    padic_context_destroy(context);
    padic_threads_destroy(threads);
    return fine;
}
#endif

static const char *studio_check(void)
{
    if (!studio_codec()) return "codec";
#ifndef STUDIO_ONLY_CODEC
    if (!studio_sum()) return "sum";
    if (!studio_halton()) return "halton";
    if (!studio_wave(NULL)) return "wave";
    if (!studio_product(NULL)) return "product";
    if (!studio_sparse()) return "sparse";
#ifdef PADIC_THREADS_H
    if (!studio_threads()) return "threads";
#endif
#endif
    return NULL;
}

// The one line of a program.
static int studio_report(const char *variant, const char *failed)
{
    if (failed) printf("%s: %s failed\n", variant, failed);
    else printf("%s: fine, hash %016llx\n", variant, (unsigned long long)padic_self_hash());
    return failed != NULL;
}

#endif // STUDIO_CHECKS_H
