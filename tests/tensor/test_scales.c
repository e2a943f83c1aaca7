// Tensors, fields and vortices at every scale: op(2^k x) is op(x) with its results times 2^k to the
// power of their degree, from the smallest numbers to the largest, wherever it is computed. What
// the dtype cannot hold is NOT_FINITE (DOMAIN for the sum of wave_normalise), with nothing written;
// never an infinity, a NaN or a 0 with OK. Products and contractions, and intensities, are IEEE's.
// Then matrices whose columns differ by hundreds of powers of ten.
#define PADIC_IMPLEMENT_GPU
#include "../support/inside.h"
#include "../../padic.h"
#include "../../backends/padic_simd.h"
#include "../gpu/gpu_devices.h"
#include "../support/mera_args.h"
#include <float.h>
#include <math.h>

#define MOST 6000 // numbers of a tensor
static const padic_dtype dtypes[] = {PADIC_F64, PADIC_C128, PADIC_F32, PADIC_C64};

static int is_double(padic_dtype d) { return d == PADIC_F64 || d == PADIC_C128; }
static int is_complex(padic_dtype d) { return d == PADIC_C64 || d == PADIC_C128; }
static padic_dtype real_of(padic_dtype d) { return is_double(d) ? PADIC_F64 : PADIC_F32; }

// Numbers in C order, complex ones as two.
typedef struct values {
    padic_dtype dtype;
    uint32_t count, degree; // degree: of an output
    int inner;              // results of the caller: doubles
    double x[MOST];
    char memory[MOST * 8];
} values;

static void store(values *v)
{
    for (uint32_t i = 0; i < v->count; i++) {
        const float f = (float)v->x[i];
        if (is_double(v->dtype)) memcpy(v->memory + 8 * i, &v->x[i], 8);
        else memcpy(v->memory + 4 * i, &f, 4);
    }
}

static void load(values *v)
{
    for (uint32_t i = 0; i < v->count; i++) {
        float f;
        if (is_double(v->dtype)) {
            memcpy(&v->x[i], v->memory + 8 * i, 8);
        } else {
            memcpy(&f, v->memory + 4 * i, 4);
            v->x[i] = (double)f;
        }
    }
}

static padic_tensor view(values *v, padic_dtype dtype, uint32_t rank, const uint64_t *shape)
{
    padic_tensor t = padic_tensor_nd(dtype, v->memory, rank, shape);
    v->dtype = dtype;
    v->count = (uint32_t)padic_tensor_count(&t) * (is_complex(dtype) ? 2u : 1u);
    if (v->count > MOST) abort();
    return t;
}

static padic_tensor matrix(values *v, padic_dtype dtype, uint64_t m, uint64_t n)
{
    const uint64_t shape[2] = {m, n};
    return view(v, dtype, 2, shape);
}

static padic_tensor vector(values *v, padic_dtype dtype, uint64_t n)
{
    return view(v, dtype, 1, &n);
}

static void fill(values *v)
{
    for (uint32_t i = 0; i < v->count; i++)
        v->x[i] = (double)(test_random() >> 40) / 16777216.0 - 0.5; // exact in F32
}

// What an operation reads (in, scaled) and writes. `number` is one of its sizes or ways.
static values in, fixed[2], out[4];
static double results[8];
static uint32_t outs, result_count, result_degree;

typedef padic_result (*operation)(padic_context *context, padic_dtype d, int number, int make);

static padic_result svd(padic_context *context, padic_dtype d, int number, int make)
{
    static const uint64_t sizes[][2] = {{5, 5}, {9, 3}, {3, 9}, {1, 1}, {20, 20}, {40, 33}};
    const uint64_t m = sizes[number][0], n = sizes[number][1], r = m < n ? m : n;
    padic_tensor_svd_desc desc = PADIC_ZERO;
    desc.a = matrix(&in, d, m, n);
    desc.u = matrix(&out[0], d, m, r);
    desc.vh = matrix(&out[1], d, r, n);
    desc.s = vector(&out[2], real_of(d), r);
    if (make) return fill(&in), PADIC_OK;
    outs = 3, out[2].degree = 1;
    return padic_tensor_svd(context, &desc);
}

static padic_result svd_values(padic_context *context, padic_dtype d, int number, int make)
{
    const uint64_t n = number ? 17 : 4;
    padic_tensor_svd_desc desc = PADIC_ZERO;
    desc.a = matrix(&in, d, n + 3, n);
    desc.s = vector(&out[0], real_of(d), n);
    if (make) return fill(&in), PADIC_OK;
    outs = 1, out[0].degree = 1;
    return padic_tensor_svd(context, &desc);
}

static padic_result qr(padic_context *context, padic_dtype d, int number, int make)
{
    static const uint64_t sizes[][2] = {{5, 5}, {9, 3}, {3, 9}, {1, 1}, {24, 24}};
    const uint64_t m = sizes[number][0], n = sizes[number][1], r = m < n ? m : n;
    padic_tensor_qr_desc desc = PADIC_ZERO;
    desc.a = matrix(&in, d, m, n);
    desc.q = matrix(&out[0], d, m, r);
    desc.r = matrix(&out[1], d, r, n);
    if (make) return fill(&in), PADIC_OK;
    outs = 2, out[1].degree = 1;
    return padic_tensor_qr(context, &desc);
}

static padic_result eigh(padic_context *context, padic_dtype d, int number, int make)
{
    static const uint64_t sizes[] = {5, 1, 16, 40};
    const uint64_t n = sizes[number];
    padic_tensor_eigh_desc desc = PADIC_ZERO;
    desc.a = matrix(&in, d, n, n);
    desc.v = matrix(&out[0], d, n, n);
    desc.w = vector(&out[1], real_of(d), n);
    if (make) return fill(&in), PADIC_OK;
    outs = 2, out[1].degree = 1;
    return padic_tensor_eigh(context, &desc);
}

static padic_result eigh_values(padic_context *context, padic_dtype d, int number, int make)
{
    const uint64_t n = number ? 12 : 3;
    padic_tensor_eigh_desc desc = PADIC_ZERO;
    desc.a = matrix(&in, d, n, n);
    desc.w = vector(&out[0], real_of(d), n);
    if (make) return fill(&in), PADIC_OK;
    outs = 1, out[0].degree = 1;
    return padic_tensor_eigh(context, &desc);
}

static padic_result entropy(padic_context *context, padic_dtype d, int number, int make)
{
    static const uint64_t sizes[][2] = {{3, 7}, {66, 68}, {30, 40}};
    static const double orders[3] = {0.5, 2, INFINITY};
    const uint64_t m = sizes[is_complex(d) && number == 1 ? 0 : number][0];
    const uint64_t n = sizes[is_complex(d) && number == 1 ? 0 : number][1];
    padic_tensor_entropy_desc desc = PADIC_ZERO;
    padic_tensor_entropy_report told;
    padic_result result;
    desc.state = matrix(&in, d, m, n);
    if (make) return fill(&in), PADIC_OK;
    desc.part = 1;
    desc.report = &told;
    desc.orders = padic_tensor_1d(PADIC_F64, (void *)orders, 3);
    desc.renyi = padic_tensor_1d(PADIC_F64, &results[3], 3);
    outs = 0, result_count = 6;
    result = padic_tensor_entropy(context, &desc);
    if (!result) results[0] = told.von_neumann, results[1] = told.gap, results[2] = told.negativity;
    return result;
}

static padic_result entropy_rho(padic_context *context, padic_dtype d, int number, int make)
{
    const uint64_t n = number ? 20 : 3;
    padic_tensor_entropy_desc desc = PADIC_ZERO;
    padic_tensor_entropy_report told;
    padic_result result;
    desc.rho = matrix(&in, d, n, n);
    if (make) {
        fill(&in);
        for (uint64_t i = 0; i < n; i++) { // positive
            const uint64_t at = (is_complex(d) ? 2 : 1) * i * (n + 1);
            in.x[at] = 0.5 + (in.x[at] + 0.5) + 0.9 * (double)n;
        }
        for (uint32_t i = 0; i < in.count; i++) in.x[i] /= 32;
        return PADIC_OK;
    }
    desc.report = &told;
    outs = 0, result_count = 2;
    result = padic_tensor_entropy(context, &desc);
    if (!result) results[0] = told.von_neumann, results[1] = told.gap;
    return result;
}

static padic_result information(padic_context *context, padic_dtype d, int number, int make)
{
    const uint64_t shape[3] = {3, 4, 5};
    padic_tensor_mutual_information_desc desc = PADIC_ZERO;
    padic_tensor_mutual_information_report told;
    padic_result result;
    (void)number;
    desc.state = view(&in, d, 3, shape);
    if (make) return fill(&in), PADIC_OK;
    desc.part_a = 1, desc.part_b = 2;
    desc.report = &told;
    outs = 0, result_count = 4;
    result = padic_tensor_mutual_information(context, &desc);
    if (result) return result;
    results[0] = told.information, results[1] = told.entropy_a;
    results[2] = told.entropy_b, results[3] = told.entropy_ab;
    return PADIC_OK;
}

static padic_result perfect_check_of(padic_context *context, const padic_tensor *t,
                                     double *deviation)
{
    padic_tensor_perfect_check_report report;
    padic_tensor_perfect_check_desc desc = PADIC_ZERO;
    padic_result result;
    desc.tensor = *t, desc.report = &report;
    result = padic_tensor_perfect_check(context, &desc);
    if (!result) *deviation = report.deviation;
    return result;
}

static padic_result perfect_check(padic_context *context, padic_dtype d, int number, int make)
{
    const uint64_t shape[4] = {3, 3, 3, 3};
    const padic_tensor t = view(&in, d, 4, shape);
    (void)number;
    if (make) return fill(&in), PADIC_OK;
    outs = 0, result_count = 1;
    return perfect_check_of(context, &t, results);
}

// A layer of 2 and 2, binary or ternary (number 1).
static void layer(mera_args *desc, padic_dtype d, int number)
{
    const uint64_t f[4] = {2, 2, 2, 2};
    memset(desc, 0, sizeof *desc);
    desc->layer.kind = number ? PADIC_TENSOR_MERA_TERNARY : PADIC_TENSOR_MERA_BINARY;
    desc->layer.u = view(&fixed[0], d, 4, f);
    desc->layer.w = view(&fixed[1], d, number ? 4 : 3, f);
    desc->seed = 5;
    CHECK_EQ(mera_random(NULL, desc), PADIC_OK);
}

static padic_result ascend(padic_context *context, padic_dtype d, int number, int make)
{
    mera_args desc;
    layer(&desc, d, number);
    desc.op = matrix(&in, d, number ? 4 : 8, number ? 4 : 8);
    desc.out = matrix(&out[0], d, number ? 4 : 8, number ? 4 : 8);
    if (make) return fill(&in), PADIC_OK;
    outs = 1, out[0].degree = 1;
    return mera_ascend(context, &desc);
}

static padic_result descend(padic_context *context, padic_dtype d, int number, int make)
{
    mera_args desc;
    layer(&desc, d, number);
    desc.rho = matrix(&in, d, number ? 4 : 8, number ? 4 : 8);
    desc.out = matrix(&out[0], d, number ? 4 : 8, number ? 4 : 8);
    if (make) return fill(&in), PADIC_OK;
    outs = 1, out[0].degree = 1;
    return mera_descend(context, &desc);
}

static padic_result expect(padic_context *context, padic_dtype d, int number, int make)
{
    mera_args desc = PADIC_ZERO;
    desc.op = desc.rho = matrix(&in, d, 4, 4); // degree 2
    if (number) {
        desc.rho = matrix(&fixed[0], d, 4, 4);
        for (uint32_t i = 0; i < fixed[0].count; i++) fixed[0].x[i] = i % 5 - 1.5;
        store(&fixed[0]);
    }
    if (make) return fill(&in), PADIC_OK;
    desc.result = results;
    outs = 0, result_count = 2, result_degree = number ? 1 : 2;
    return mera_expect(context, &desc);
}

static padic_result environment(padic_context *context, padic_dtype d, int number, int make)
{
    mera_args desc;
    layer(&desc, d, number & 1);
    desc.op = matrix(&in, d, number & 1 ? 4 : 8, number & 1 ? 4 : 8);
    desc.rho = desc.op;
    desc.count = (uint32_t)number >> 1;
    desc.out = desc.count ? desc.layer.w : desc.layer.u;
    desc.out.data = out[0].memory;
    if (make) return fill(&in), PADIC_OK;
    out[0].dtype = d, out[0].count = fixed[desc.count].count;
    outs = 1, out[0].degree = 2;
    return mera_environment(context, &desc);
}

static padic_result update(padic_context *context, padic_dtype d, int number, int make)
{
    mera_args desc;
    const uint64_t n = number ? 4 : 8;
    layer(&desc, d, number);
    desc.op = matrix(&in, d, n, n);
    desc.rho = matrix(&out[3], d, n, n);
    memset(out[3].x, 0, sizeof out[3].x); // (1 + 2 op)/d, whose trace need not be 1
    for (uint64_t i = 0; i < n; i++)
        out[3].x[(is_complex(d) ? 2 : 1) * i * (n + 1)] = (double)(i + 1) / 16;
    store(&out[3]);
    if (make) {
        fill(&in);
        for (uint64_t i = 0; i < n; i++) // Hermitian: real and symmetric
            for (uint64_t j = 0; j < n; j++) {
                const uint64_t p = is_complex(d) ? 2 : 1, at = p * (i * n + j);
                in.x[at] = in.x[p * (i < j ? i * n + j : j * n + i)];
                if (p == 2) in.x[at + 1] = 0;
            }
        return PADIC_OK;
    }
    desc.result = results;
    outs = 2, result_count = 1, result_degree = 1;
    for (int i = 0; i < 2; i++) { // u and w, where they can be compared
        out[i].dtype = d, out[i].count = fixed[i].count, out[i].degree = 0;
        memcpy(out[i].memory, fixed[i].memory, sizeof fixed[i].memory);
    }
    desc.layer.u.data = out[0].memory, desc.layer.w.data = out[1].memory;
    return mera_update(context, &desc);
}

static padic_result state(padic_context *context, padic_dtype d, int number, int make)
{
    mera_args desc;
    layer(&desc, d, number);
    desc.count = 3;
    desc.rho = vector(&in, d, 8);
    desc.out = vector(&out[0], d, number ? 512 : 64);
    if (make) return fill(&in), PADIC_OK;
    outs = 1, out[0].degree = 1;
    return mera_state(context, &desc);
}

static padic_result normalise(padic_context *context, padic_dtype d, int number, int make)
{
    padic_wave_normalise_desc desc = PADIC_ZERO;
    padic_wave_normalise_report told = PADIC_ZERO;
    padic_result result;
    desc.psi = vector(&in, d, number ? 2500 : 3);
    if (make) return fill(&in), PADIC_OK;
    out[0].dtype = d, out[0].count = in.count, out[0].degree = 0;
    memcpy(out[0].memory, in.memory, sizeof in.memory);
    desc.psi.data = out[0].memory;
    outs = 1, result_count = (uint32_t)number & 1, result_degree = 2;
    if (number & 1) desc.report = &told;
    result = padic_wave_normalise(context, &desc);
    if (!result && desc.report) results[0] = told.norm;
    return result;
}

static padic_result observe(padic_context *context, padic_dtype d, int number, int make)
{
    padic_wave_observe_desc desc = PADIC_ZERO;
    desc.psi = vector(&in, d, 67);
    desc.out = vector(&out[0], real_of(d), 67);
    desc.output = (padic_wave_output)(number + 1);
    if (make) return fill(&in), PADIC_OK;
    outs = 1, out[0].degree = number == 2 ? 2 : number < 2;
    return padic_wave_observe(context, &desc);
}

static padic_result phase_gradient(padic_context *context, padic_dtype d, int number, int make)
{
    padic_wave_phase_gradient_desc desc = PADIC_ZERO;
    const uint64_t shape[3] = {5, 21, 2};
    padic_wave_phase_gradient_report told = PADIC_ZERO;
    padic_result result;
    desc.psi = view(&in, d, 2, shape);
    desc.out = view(&out[0], real_of(d), 3, shape);
    desc.method = (padic_wave_phase_method)number;
    desc.report = &told;
    if (make) return fill(&in), PADIC_OK;
    outs = 1, out[0].degree = 0, result_count = 1;
    result = padic_wave_phase_gradient(context, &desc);
    results[0] = (double)told.skipped;
    return result;
}

static padic_result winding(padic_context *context, padic_dtype d, int number, int make)
{
    padic_wave_winding_desc desc = PADIC_ZERO;
    padic_wave_winding_report told = PADIC_ZERO;
    padic_result result;
    (void)number;
    desc.psi = matrix(&in, d, 9, 11);
    desc.report = &told;
    if (make) return fill(&in), PADIC_OK;
    outs = 0, result_count = 2;
    result = padic_wave_winding(context, &desc);
    results[0] = (double)told.absolute, results[1] = (double)told.undefined;
    return result;
}

// Points, centres and core lengths at one scale; the field is F64's, or F32's, whatever they are.
static padic_result vortex(padic_context *context, padic_dtype d, int number, int make)
{
    padic_wave_vortex_desc desc = PADIC_ZERO;
    static values axes;
    const padic_dtype r = number & 8 ? PADIC_F64 : real_of(d);
    (void)vector(&in, r, 40 * 3 + 3 * 3 + 3);
    const size_t size = padic_dtype_size(r);
    if (make) {
        fill(&in);
        for (int i = 129; i < 132; i++) in.x[i] = 0.25 + in.x[i] * in.x[i];
        return PADIC_OK;
    }
    desc.points = padic_tensor_2d(r, in.memory, 40, 3);
    desc.centres = padic_tensor_2d(r, in.memory + 120 * size, 3, 3);
    desc.cores = padic_tensor_1d(r, in.memory + 129 * size, 3);
    desc.core = (padic_wave_core)(number & 3);
    if ((number & 7) == 7) return PADIC_ERROR_NOT_SUPPORTED; // LEGACY has no axes
    if (number & 4) { // along other axes
        desc.axes = matrix(&axes, r, 3, 3);
        for (int i = 0; i < 9; i++) axes.x[i] = i % 4 ? 0 : 1;
        axes.x[0] = 0, axes.x[1] = 0.6, axes.x[2] = 0.8;
        store(&axes);
    }
    desc.out = vector(&out[0], d, 40);
    outs = 1, out[0].degree = 0;
    return padic_wave_vortex(context, &desc);
}

#define COMPLEX_ONLY 1 // its input is complex
#define IEEE 2         // results may be infinite
static const struct {
    const char *name;
    operation run;
    int numbers, flags;
    double bound; // of an error, by eps
} table[] = {{"svd", svd, 6, 0, 1e4},
             {"svd_values", svd_values, 2, 0, 1e3},
             {"qr", qr, 5, 0, 1e3},
             {"eigh", eigh, 4, 0, 1e4},
             {"eigh_values", eigh_values, 2, 0, 1e3},
             {"entropy", entropy, 3, 0, 1e4},
             {"entropy_rho", entropy_rho, 2, 0, 1e4},
             {"mutual_information", information, 1, 0, 1e4},
             {"perfect_check", perfect_check, 1, 0, 1e3},
             {"mera_ascend", ascend, 2, 0, 1e3},
             {"mera_descend", descend, 2, 0, 1e3},
             {"mera_expect", expect, 2, 0, 1e3},
             {"mera_environment", environment, 4, 0, 1e3},
             {"mera_update", update, 2, 0, 1e5},
             {"mera_state", state, 2, 0, 1e3},
             {"normalise", normalise, 2, COMPLEX_ONLY, 1e2},
             {"observe", observe, 4, COMPLEX_ONLY | IEEE, 1e2},
             {"phase_gradient", phase_gradient, 3, COMPLEX_ONLY, 1e4},
             {"winding", winding, 1, COMPLEX_ONLY, 0},
             {"vortex", vortex, 15, COMPLEX_ONLY, 1e3}};

static double largest(padic_dtype d) { return is_double(d) ? DBL_MAX : (double)FLT_MAX; }

// |got - want| within the bound: of the largest of them all, and some steps of the smallest number.
static int close_to(const double *got, const double *want, uint32_t n, padic_dtype d, double bound,
                    int ieee)
{
    double most = 0;
    for (uint32_t i = 0; i < n; i++)
        if (fabs(want[i]) > most && fabs(want[i]) <= largest(d)) most = fabs(want[i]);
    for (uint32_t i = 0; i < n; i++) {
        const double step = is_double(d) ? ldexp(1, -1074) : ldexp(1, -149);
        if (ieee && !(fabs(want[i]) <= largest(d) * 0.999999)) {
            if (!(fabs(got[i]) >= largest(d) * 0.999999)) return 0;
            continue;
        }
        if (!(fabs(got[i] - want[i]) <= bound * most + 16 * step)) return 0;
    }
    return 1;
}

static void sweep_at(padic_context *context, const char *place, padic_dtype d, size_t row)
{
    static const int wide[] = {-1040, -1000, -700, -600, -540, -500, -340, -270, 0,
                               270,   340,   500,  540,  600,  700,  1000, 1020, 1024};
    static const int narrow[] = {-140, -120, -100, -75, -64, -40, 0,
                                 40,   62,   75,   100, 120, 124, 128};
    static values base, want[3];
    double said[8];
    for (int number = 0; number < table[row].numbers; number++) {
        uint32_t degree;
        padic_result result;
        (void)(*table[row].run)(context, d, number, 1);
        base = in;
        store(&in);
        result_degree = 0, result_count = 0;
        for (uint32_t i = 0; i < 4; i++) out[i].degree = 0;
        result = (*table[row].run)(context, d, number, 0);
        if (result == PADIC_ERROR_NOT_SUPPORTED) continue; // not by a device, or of this size
        CHECK_EQ(result, PADIC_OK);
        for (uint32_t i = 0; i < outs; i++) load(&out[i]), want[i] = out[i];
        memcpy(said, results, sizeof said);
        degree = result_degree;
        for (int s = 0; s < (is_double(base.dtype) ? 18 : 14); s++) {
            const int k = is_double(base.dtype) ? wide[s] : narrow[s];
            // Digits that the input itself loses among the smallest numbers.
            const double lost = ldexp(1, (is_double(base.dtype) ? -1074 : -149) - k);
            const double eps =
                is_double(d) ? DBL_EPSILON : (double)FLT_EPSILON;
            const double bound = table[row].bound * (lost > eps ? 8 * lost : eps);
            int fits = 1, good = 1;
            in = base;
            for (uint32_t i = 0; i < in.count; i++) {
                in.x[i] = ldexp(in.x[i], k);
                fits &= fabs(in.x[i]) <= largest(in.dtype);
            }
            if (!fits || bound > 0.01 || (table[row].bound == 0 && lost > eps)) continue;
            store(&in);
            for (uint32_t i = 0; i < 4; i++) {
                memset(out[i].memory, 0x5a, sizeof out[i].memory);
            }
            memset(results, 0x5a, sizeof results);
            double untouched[8];
            memcpy(untouched, results, sizeof untouched);
            result_count = 0;
            // Whether the results can be told.
            for (uint32_t i = 0; i < outs; i++)
                for (uint32_t j = 0; j < want[i].count; j++)
                    fits &= fabs(ldexp(want[i].x[j], k * (int)want[i].degree)) <=
                            largest(want[i].dtype) * 0.9999;
            result = (*table[row].run)(context, d, number, 0);
            if (result == PADIC_ERROR_NOT_SUPPORTED && *place == 'd') continue; // the next one does
            for (uint32_t i = 0; i < result_count; i++)
                fits &= fabs(ldexp(said[i], k * (int)degree)) <= DBL_MAX * 0.9999;
            if (result == PADIC_OK) {
                for (uint32_t i = 0; i < outs; i++) {
                    static double scaled[MOST];
                    load(&out[i]);
                    for (uint32_t j = 0; j < out[i].count; j++)
                        scaled[j] = ldexp(want[i].x[j], k * (int)want[i].degree);
                    good &= close_to(out[i].x, scaled, out[i].count, out[i].dtype, bound,
                                     table[row].flags & IEEE);
                }
                for (uint32_t i = 0; i < result_count; i++) {
                    const double to = ldexp(said[i], k * (int)degree);
                    good &= fabs(results[i] - to) <= bound * fabs(to) + bound * (degree == 0) +
                                                         16 * ldexp(1, -1074);
                }
                if (!fits && !(table[row].flags & IEEE)) good = 0;
            } else { // only where there is something that cannot be told
                good = !fits && (result == PADIC_ERROR_NOT_FINITE ||
                                 (result == PADIC_ERROR_DOMAIN && table[row].run == normalise));
                // the sum may be below F64, too
                if (table[row].run == normalise && result == PADIC_ERROR_DOMAIN && result_count &&
                    ldexp(said[0], 2 * k) < 1e-290)
                    good = 1;
                // lengths beyond 1e150 and below 1e-150 are refused
                if (table[row].run == vortex && abs(k) >= 490)
                    good = result == PADIC_ERROR_LIMIT || result == PADIC_ERROR_ARGUMENT;
                if (table[row].run != update && table[row].run != normalise)
                    for (uint32_t i = 0; i < outs; i++)
                        for (uint32_t j = 0; j < sizeof out[i].memory; j++)
                            good &= out[i].memory[j] == 0x5a;
                good &= !memcmp(results, untouched, sizeof untouched);
            }
            if (!good) {
                test_failed(__FILE__, __LINE__, table[row].name);
                if (test_failures < 12)
                    printf(" (%s, dtype %d, way %d, 2^%d: result %d)", place, (int)d, number, k,
                           (int)result);
            }
        }
    }
}

static void sweep(size_t row)
{
    static const char *const levels[] = {"neon", "avx2", "avx512"};
    for (int t = 0; t < 4; t++) {
        if ((table[row].flags & COMPLEX_ONLY) && !is_complex(dtypes[t])) continue;
        sweep_at(NULL, "reference", dtypes[t], row);
        for (int i = 0; i < 3; i++) {
            padic_context_desc with = PADIC_ZERO;
            padic_context *context = NULL;
            with.backends[0] = padic_simd();
            with.device.name = levels[i];
            if (padic_context_create(&with, &context)) continue; // this CPU lacks it
            sweep_at(context, levels[i], dtypes[t], row);
            padic_context_destroy(context);
        }
        open_devices();
        for (int i = 0; i < device_count; i++) sweep_at(devices[i], "device", dtypes[t], row);
    }
}

TEST(scales)
{
    for (size_t row = 0; row < sizeof table / sizeof *table; row++) sweep(row);
}

// The largest number in every place: the first singular value is n times it.
TEST(all_largest)
{
    open_devices();
    for (int place = -1; place < device_count; place++)
        for (int t = 0; t < 4; t++)
            for (int sign = 0; sign < 2; sign++) {
                padic_context *context = place < 0 ? NULL : devices[place];
                padic_tensor_svd_desc s = PADIC_ZERO;
                padic_tensor_qr_desc q = PADIC_ZERO;
                padic_tensor_eigh_desc e = PADIC_ZERO;
                const padic_dtype d = dtypes[t];
                const double big = (sign ? -1 : 1) * (is_double(d) ? 1.5e308 : 3e38);
                s.a = q.a = e.a = matrix(&in, d, 3, 3);
                for (uint32_t i = 0; i < in.count; i++)
                    in.x[i] = is_complex(d) && (i & 1) ? 0 : big;
                store(&in);
                s.u = q.q = e.v = matrix(&out[0], d, 3, 3);
                s.s = e.w = vector(&out[1], real_of(d), 3);
                q.r = matrix(&out[2], d, 3, 3);
                memset(out[0].memory, 0x5a, sizeof out[0].memory);
                memcpy(out[1].memory, out[0].memory, sizeof out[0].memory);
                memcpy(out[2].memory, out[0].memory, sizeof out[0].memory);
                CHECK_EQ(padic_tensor_svd(context, &s), PADIC_ERROR_NOT_FINITE);
                CHECK_EQ(padic_tensor_eigh(context, &e), PADIC_ERROR_NOT_FINITE);
                CHECK_EQ(padic_tensor_qr(context, &q), PADIC_ERROR_NOT_FINITE);
                for (int i = 0; i < 3; i++)
                    for (size_t j = 0; j < sizeof out[i].memory; j++)
                        CHECK(out[i].memory[j] == 0x5a);
                memset(&s.s, 0, sizeof s.s); // vectors alone are no larger than 1
                memset(&e.w, 0, sizeof e.w);
                memset(&q.r, 0, sizeof q.r);
                CHECK_EQ(padic_tensor_svd(context, &s), PADIC_OK);
                CHECK_EQ(padic_tensor_eigh(context, &e), PADIC_OK);
                CHECK_EQ(padic_tensor_qr(context, &q), PADIC_OK);
            }
}

// Columns at 1, 2^-step, 2^(-2 step) ...: Q and U have orthonormal columns all the same, and A =
// QR.
TEST(graded)
{
    static double q[2 * 64], r[2 * 64];
    open_devices();
    for (int place = -1; place < device_count; place++)
        for (int t = 0; t < 4; t++)
            for (int round = 0; round < (test_tiny ? 40 : 400); round++) {
                padic_context *context = place < 0 ? NULL : devices[place];
                const padic_dtype d = dtypes[t];
                const uint64_t m = 4 + test_random() % 5, n = 2 + test_random() % 3;
                const uint32_t parts = is_complex(d) ? 2 : 1;
                const int step = (int)(test_random() % (is_double(d) ? 500 : 60));
                const double eps = is_double(d) ? DBL_EPSILON : (double)FLT_EPSILON;
                padic_tensor_svd_desc s = PADIC_ZERO;
                padic_tensor_qr_desc f = PADIC_ZERO;
                f.a = s.a = matrix(&in, d, m, n);
                f.q = s.u = matrix(&out[0], d, m, n);
                f.r = matrix(&out[1], d, n, n);
                fill(&in);
                for (uint64_t i = 0; i < m * n; i++)
                    for (uint32_t p = 0; p < parts; p++) {
                        const int low = is_double(d) ? -1000 : -120;
                        int power = -step * (int)(i % n);
                        if (test_random() % 8 == 0) power -= step;
                        in.x[parts * i + p] = ldexp(in.x[parts * i + p], power < low ? low : power);
                    }
                store(&in);
                load(&in);
                for (int way = 0; way < 2; way++) {
                    const padic_result result =
                        way ? padic_tensor_svd(context, &s) : padic_tensor_qr(context, &f);
                    double worst = 0;
                    CHECK_EQ(result, PADIC_OK);
                    load(&out[0]);
                    memset(q, 0, sizeof q);
                    for (uint64_t i = 0; i < m * n; i++)
                        for (uint32_t p = 0; p < parts; p++) q[2 * i + p] = out[0].x[parts * i + p];
                    for (uint64_t i = 0; i < n; i++)
                        for (uint64_t j = 0; j < n; j++) {
                            double re = i == j ? -1 : 0, im = 0;
                            for (uint64_t k = 0; k < m; k++) {
                                const double *x = q + 2 * (k * n + i), *y = q + 2 * (k * n + j);
                                re += x[0] * y[0] + x[1] * y[1];
                                im += x[0] * y[1] - x[1] * y[0];
                            }
                            if (!(hypot(re, im) <= worst)) worst = hypot(re, im);
                        }
                    CHECK_NEAR(worst, 0, 100 * eps);
                    if (way) continue;
                    load(&out[1]);
                    memset(r, 0, sizeof r);
                    worst = 0;
                    for (uint64_t i = 0; i < n * n; i++)
                        for (uint32_t p = 0; p < parts; p++) r[2 * i + p] = out[1].x[parts * i + p];
                    for (uint64_t j = 0; j < n; j++) {
                        double error = 0;
                        for (uint64_t i = 0; i < m; i++) {
                            double re = in.x[parts * (i * n + j)], im = 0;
                            if (parts == 2) im = in.x[parts * (i * n + j) + 1];
                            for (uint64_t k = 0; k < n; k++) {
                                const double *x = q + 2 * (i * n + k), *y = r + 2 * (k * n + j);
                                re -= x[0] * y[0] - x[1] * y[1];
                                im -= x[0] * y[1] + x[1] * y[0];
                            }
                            if (!(hypot(re, im) <= error)) error = hypot(re, im);
                        }
                        if (!(error <= worst)) worst = error;
                    }
                    CHECK_NEAR(worst, 0, 100 * eps);
                }
            }
}

TEST_MAIN("test_scales", CASE(scales), CASE(all_largest), CASE(graded),
          CASE(no_kernel_was_dropped))
