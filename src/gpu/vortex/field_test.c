#include "field_test.h"
#include "../../context/ops.h"
#include "../../core/tensor.h"
#include "../../wave/output.h"
#include "../../wave/observables.h"
#include "../../wave/phase_gradient.h"
#include "../../wave/source.h"
#include "../../wave/tonemap.h"
#include "../../wave/winding.h"
#include "../wave/plan.h"
#include "normalise.h"
#include "phase.h"
#include "pixels.h"
#include "../texts.h"

#if PADICI_IMPLEMENT_GPU && !defined(PADIC_NO_WAVE)

// Tests: against the reference, on numbers where that cannot be one byte or one rounding beside.

// Samples of moderate size, one of them 0.
PADICI_FN void padici_test_vortex_samples(float *psi, uint32_t n)
{
    uint32_t i, random = 12345;
    for (i = 0; i < 2 * n; i++) {
        random = random * 1664525u + 1013904223u;
        psi[i] = ((float)(int32_t)(random >> 12) - 524288.0f) / 262144.0f * (i % 6 < 2 ? 0.01f : 1);
    }
    psi[6] = psi[7] = 0;
}

// A round for each of REAL, AMPLITUDE, INTENSITY, PHASE; columns apart.
PADICI_FN padic_result padici_test_vortex_observe(padici_gpu_case *c)
{
    const uint32_t n = 37 * 11;
    float *psi = (float *)padici_gpu_image(c, 0, 8 * 2 * n), *out;
    padic_wave_observe_desc desc;
    padici_k_vortex_observe_params k;
    if (!psi || !padici_gpu_image(c, 1, 4 * n)) return PADIC_ERROR_MEMORY;
    out = (float *)padici_gpu_answer(c, 1);
    if (!out) return PADIC_ERROR_MEMORY;
    padici_test_vortex_samples(psi, 2 * n);
    memset(&desc, 0, sizeof desc);
    desc.psi = padic_tensor_2d(PADIC_C64, psi, 37, 11);
    desc.psi.stride[0] = 22;
    desc.psi.stride[1] = 2;
    desc.out = padic_tensor_2d(PADIC_F32, out, 37, 11);
    desc.out.stride[0] = 1;
    desc.out.stride[1] = 37;
    desc.output = (padic_wave_output)(c->round + 1);
    padici_wave_observe_host(NULL, &desc);
    padici_gpu_observe_params(&desc, 0, 0, &k);
    memcpy(&c->params, &k, sizeof k);
    c->groups[0] = 2;
    c->buffers[1].dtype = PADIC_F32;
    c->buffers[1].bound = 4e-6;
    c->again = c->round < 3;
    return PADIC_OK;
}

// Makes samples whose pixel is near to the next one into others.
PADICI_FN void padici_test_vortex_steady(const padic_wave_tone *tone, float *field, uint32_t n,
                                         int real_)
{
    padic_wave_superpose_desc desc;
    padici_wave_job job;
    uint32_t i, j, again;
    memset(&desc, 0, sizeof desc);
    memset(&job, 0, sizeof job);
    desc.tone = *tone;
    if (real_) desc.tone.value = PADIC_WAVE_REAL;
    job.desc = &desc;
    padici_wave_tone_range(tone, &job.low, &job.high);
    for (i = 0; i < n; i++)
        for (again = 1; again;) {
            uint8_t pixel[5][4];
            for (j = 0; j < 5; j++) {
                static const double off[5][2] = {
                    {0, 0}, {2e-5, 0}, {-2e-5, 0}, {0, 2e-5}, {0, -2e-5}};
                const double re = (double)field[real_ ? i : 2 * i];
                const double im = real_ ? 0 : (double)field[2 * i + 1];
                padici_complex z;
                z.re = re * (1 + off[j][0]) - im * off[j][1];
                z.im = im * (1 + off[j][0]) + re * off[j][1];
                padici_wave_pixel(&job, z, padici_wave_real(desc.tone.value, z), pixel[j]);
            }
            for (again = 0, j = 1; j < 5; j++) again |= memcmp(pixel[0], pixel[j], 4) != 0;
            if (again) field[real_ ? i : 2 * i] += 0.0011f;
        }
}

// Each curve and each map, c64 and f32.
PADICI_FN padic_result padici_test_vortex_tonemap(padici_gpu_case *c)
{
    const uint32_t n = 389, real_ = c->round == 1;
    float *field = (float *)padici_gpu_image(c, 0, 8 * n);
    uint8_t *table = (uint8_t *)padici_gpu_image(c, 1, 1024), *out;
    uint32_t *report = (uint32_t *)padici_gpu_image(c, 3, 8), i;
    padic_wave_tonemap_desc desc;
    padici_k_vortex_tonemap_params k;
    padic_wave_tonemap_report range;
    if (!field || !table || !report || !padici_gpu_image(c, 2, 4 * n)) return PADIC_ERROR_MEMORY;
    padici_test_vortex_samples(field, n);
    for (i = 0; i < 1024; i++) table[i] = (uint8_t)(i * 37 >> 2);
    report[0] = report[1] = 0;
    memset(&desc, 0, sizeof desc);
    desc.tone.curve = (padic_wave_curve)(c->round % 3);
    desc.tone.map = !c->round ? PADIC_WAVE_HUE : c->round == 1 ? PADIC_WAVE_HEAT
                                             : c->round == 2 ? PADIC_WAVE_TABLE
                                                             : PADIC_WAVE_GREY;
    desc.tone.value = PADIC_WAVE_REAL;
    desc.tone.low = 0.25;
    desc.tone.high = 3;
    desc.tone.table = table;
    desc.report = &range;
    padici_test_vortex_steady(&desc.tone, field, n, (int)real_);
    out = (uint8_t *)padici_gpu_answer(c, 2);
    report = (uint32_t *)padici_gpu_answer(c, 3);
    if (!out || !report) return PADIC_ERROR_MEMORY;
    desc.field = padic_tensor_1d(real_ ? PADIC_F32 : PADIC_C64, field, n);
    desc.out = padic_tensor_2d(PADIC_U8, out, n, 4);
    desc.out.stride[0] = 1;
    desc.out.stride[1] = (int64_t)n;
    padici_wave_tonemap_host(NULL, &desc);
    for (i = 0; i < 2; i++) { // floats, and one below 0 and one above, as all of these are
        const float f = (float)(i ? range.largest : range.smallest);
        uint32_t bits;
        memcpy(&bits, &f, 4);
        report[i] = i ? bits | 0x80000000u : bits;
    }
    if (!padici_gpu_tonemap_params(&desc, 0, 0, &k)) return PADIC_ERROR_MEMORY;
    memcpy(&c->params, &k, sizeof k);
    c->groups[0] = 2;
    c->again = c->round < 3;
    return PADIC_OK;
}

PADICI_FN uint64_t padici_test_vortex_bits(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, 8);
    return bits;
}

// Numbers whose squares and sums are exact, in shares of 11 and 10 samples over one of 256.
PADICI_FN padic_result padici_test_vortex_norm(padici_gpu_case *c)
{
    const uint32_t n = 2 * 266 + 1, wide = c->gpu->info->features & PADIC_FEATURE_F64 ? 1 : 0;
    float *psi = (float *)padici_gpu_image(c, 0, 8 * n);
    uint32_t *sums = (uint32_t *)padici_gpu_image(c, 1, 8 * 4), i, j;
    padici_k_vortex_norm_params k;
    if (!psi || !sums) return PADIC_ERROR_MEMORY;
    sums = (uint32_t *)padici_gpu_answer(c, 1);
    if (!sums) return PADIC_ERROR_MEMORY;
    for (i = 0; i < 2 * n; i++) psi[i] = (float)((int32_t)(i * 7 % 31) - 15) / 8;
    memset(&k, 0, sizeof k);
    k.each = 266;
    k.more = 1;
    k.blocks = k.shares = 2;
    k.axes = 2;
    k.extent[0] = 13; // backwards, in rows
    k.extent[1] = 41;
    k.step[0] = 0u - 2u;
    k.step[1] = 26;
    k.base = 24;
    k.scale = 1;
    memcpy(&c->params, &k, sizeof k);
    c->groups[0] = 1;
    for (i = 0; i < 4; i++) {
        const uint32_t first = i < 2 ? 0 : 267, end = first + (i < 2 ? 267 : 266);
        double sum = 0;
        float two[2];
        for (j = first + (i & 1) * 256; j < end && j < first + 256 + (i & 1) * 256; j++) {
            const float *z = psi + 2 * (j / 13 * 13 + 12 - j % 13);
            sum += (double)z[0] * (double)z[0] + (double)z[1] * (double)z[1];
        }
        padici_gpu_wave_two(sum, two);
        memcpy(sums + 2 * i, two, 8);
        if (!wide) continue;
        sums[2 * i] = 0; // these sums have few bits
        sums[2 * i + 1] = (uint32_t)(padici_test_vortex_bits(sum) >> 32);
    }
    return PADIC_OK;
}

PADICI_FN padic_result padici_test_vortex_norm_total(padici_gpu_case *c)
{
    const uint32_t wide = c->gpu->info->features & PADIC_FEATURE_F64 ? 1 : 0;
    uint32_t *sums = (uint32_t *)padici_gpu_image(c, 0, 8 * 21), *totals, i;
    padici_k_vortex_norm_total_params k;
    double sum = 0;
    if (!sums || !padici_gpu_image(c, 1, 8 * 4)) return PADIC_ERROR_MEMORY;
    totals = (uint32_t *)padici_gpu_answer(c, 1);
    if (!totals) return PADIC_ERROR_MEMORY;
    k.blocks = 7;
    k.shares = 3;
    memcpy(&c->params, &k, sizeof k);
    c->groups[0] = 1;
    for (i = 0; i < 21; i++) {
        const double x = 0.25 + i * i;
        float two[2];
        sum = i % 7 ? sum + x : x;
        padici_gpu_wave_two(x, two);
        memcpy(sums + 2 * i, two, 8);
        if (wide) sums[2 * i] = 0;
        if (wide) sums[2 * i + 1] = (uint32_t)(padici_test_vortex_bits(x) >> 32);
        padici_gpu_wave_two(sum, two);
        memcpy(totals + 2 * (i / 7), two, 8);
        if (wide) totals[2 * (i / 7)] = 0;
        if (wide) totals[2 * (i / 7) + 1] = (uint32_t)(padici_test_vortex_bits(sum) >> 32);
    }
    return PADIC_OK;
}

PADICI_FN padic_result padici_test_vortex_multiply(padici_gpu_case *c)
{
    static const double factors[3] = {0.7071067811865476, 1.2345678e-25, 9.87654321e25};
    const uint32_t n = 387;
    float *psi = (float *)padici_gpu_image(c, 0, 8 * n), *answer;
    padici_k_vortex_multiply_params k;
    padic_tensor t;
    uint32_t i;
    if (!psi) return PADIC_ERROR_MEMORY;
    padici_test_vortex_samples(psi, n);
    for (i = 0; i < 2 * n; i++)
        psi[i] *= c->round == 2 ? 7.8886090522e-31f : c->round ? 1.2676506e30f : 1;
    answer = (float *)padici_gpu_answer(c, 0);
    if (!answer) return PADIC_ERROR_MEMORY;
    for (i = 0; i < 2 * n; i++)
        if (i / 2 % 3 == 0) answer[i] = (float)((double)psi[i] * factors[c->round]);
    t = padic_tensor_1d(PADIC_C64, psi, 129); // every third sample
    t.stride[0] = 3;
    padici_gpu_multiply_params(&t, 0, factors[c->round], &k);
    memcpy(&c->params, &k, sizeof k);
    c->groups[0] = 2;
    c->buffers[0].dtype = PADIC_F32;
    c->buffers[0].bound = c->round == 2 ? 4e-11 : c->round ? 0.04 : 2.4e-7;
    c->again = c->round < 2;
    return PADIC_OK;
}

// Each method, in a volume, along a line and in a plane.
PADICI_FN padic_result padici_test_vortex_gradient(padici_gpu_case *c)
{
    const uint32_t n = 5 * 7 * 9;
    float *psi = (float *)padici_gpu_image(c, 0, 8 * n), *out;
    uint32_t *report = (uint32_t *)padici_gpu_image(c, 2, 4);
    padic_wave_phase_gradient_desc desc;
    padici_k_vortex_gradient_params k;
    padic_wave_phase_gradient_report seen;
    if (!psi || !report || !padici_gpu_image(c, 1, 12 * n)) return PADIC_ERROR_MEMORY;
    out = (float *)padici_gpu_answer(c, 1);
    if (!out || !padici_gpu_answer(c, 2)) return PADIC_ERROR_MEMORY;
    padici_test_vortex_samples(psi, n);
    psi[40] = psi[42] = -1; // a link along the cut, and one at it
    psi[41] = psi[43] = 0;
    psi[44] = 1;
    psi[45] = -0.0f;
    memset(&desc, 0, sizeof desc);
    desc.psi = padic_tensor_3d(PADIC_C64, psi, 5, 7, 9);
    desc.out = padic_tensor_3d(PADIC_F32, out, 5, 7, 9);
    if (c->round == 1) desc.psi = padic_tensor_1d(PADIC_C64, psi, n);
    if (c->round == 1) desc.out = padic_tensor_1d(PADIC_F32, out, n);
    if (c->round == 2) desc.psi = padic_tensor_2d(PADIC_C64, psi, 35, 9);
    if (c->round == 2) desc.out = padic_tensor_2d(PADIC_F32, out, 35, 9);
    desc.out.shape[desc.out.rank++] = desc.psi.rank;
    desc.periodic = c->round == 1 ? 0 : 2;
    desc.method = (padic_wave_phase_method)(c->round % 3);
    desc.step[0] = c->round == 2 ? 0 : 0.25;
    desc.scale = 0.5;
    desc.floor = 0.015625;
    desc.report = &seen;
    padici_wave_phase_gradient_host(NULL, &desc);
    *(uint32_t *)(void *)c->buffers[2].answer += (uint32_t)seen.skipped;
    if (!padici_gpu_gradient_params(&desc, 0, 0, &k)) return PADIC_ERROR_MEMORY;
    memcpy(&c->params, &k, sizeof k);
    c->groups[0] = 2;
    c->buffers[1].dtype = PADIC_F32;
    c->buffers[1].bound = 4e-5; // CURRENT reaches some 20
    c->again = c->round < 2;
    return PADIC_OK;
}

// Test: small whole numbers, with many links through 0, very small and large ones, zeros, a NaN; in
// a plane and a volume, against the reference.
PADICI_FN padic_result padici_test_vortex_winding(padici_gpu_case *c)
{
    static const float sizes[5] = {1, 1e-42f, 3e38f, 1e-20f, 0.3333333f};
    const uint64_t shape[4] = {3, 7, 9, 11};
    const uint32_t n = 7 * 9 * 11, plane = c->round;
    float *psi = (float *)padici_gpu_image(c, 0, 8 * n);
    unsigned char *map = (unsigned char *)padici_gpu_image(c, 1, 3 * n), *answer;
    uint32_t *report = (uint32_t *)padici_gpu_image(c, 2, 20), *counts, i, random = 77;
    padic_wave_winding_report found;
    padic_wave_winding_desc desc;
    padici_k_vortex_winding_params k;
    if (!psi || !map || !report) return PADIC_ERROR_MEMORY;
    for (i = 0; i < 2 * n; i++) {
        random = random * 1664525u + 1013904223u;
        psi[i] = (float)((int32_t)(random >> 20 & 7) - 3) * sizes[i / 2 % 5] /
                 (i / 2 % 5 == 2 ? 4.0f : 1.0f);
    }
    psi[101] *= 1e38f * 1e38f; // not finite
    memset(&desc, 0, sizeof desc);
    desc.psi = plane ? padic_tensor_2d(PADIC_C64, psi, 63, 11)
                     : padic_tensor_3d(PADIC_C64, psi, 7, 9, 11);
    desc.periodic = plane ? 2 : 5;
    answer = (unsigned char *)padici_gpu_answer(c, 1);
    counts = (uint32_t *)padici_gpu_answer(c, 2);
    if (!answer || !counts) return PADIC_ERROR_MEMORY;
    desc.map = plane ? padic_tensor_2d(PADIC_I8, answer, 63, 11)
                     : padic_tensor_nd(PADIC_I8, answer, 4, shape);
    desc.report = &found;
    padici_wave_winding_host(NULL, &desc);
    for (i = 0; i < 3; i++) counts[i] += (uint32_t)(uint64_t)found.total[plane ? (i ? 0 : 2) : i];
    counts[3] += (uint32_t)found.absolute;
    counts[4] += (uint32_t)found.undefined;
    padici_gpu_winding_params(&desc, 0, 0, &k);
    memcpy(&c->params, &k, sizeof k);
    c->groups[0] = 3;
    c->again = !plane;
    return PADIC_OK;
}

#endif
