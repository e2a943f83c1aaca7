// test_gpu_field.c: fields in buffers of a device: split steps in real time, records of all
// methods, H psi.
//
//     ./test_gpu_field               devices: see gpu_devices.h
#define PADIC_IMPLEMENT_GPU
#include "../support/inside.h"
#include "../../padic.h"
#include "gpu_devices.h"
#include "gpu_field.h"

TEST(split)
{
    static const uint64_t shapes[][4] = {
        {1, 1, 1, 1},   {1, 7, 1, 1},   {1, 64, 1, 1},  {1, 360, 1, 1},  {1, 2048, 1, 1},
        {2, 8, 8, 1},   {2, 64, 64, 1}, {2, 128, 96, 1}, {2, 1, 90, 1},  {2, 35, 1, 1},
        {3, 5, 6, 7},   {3, 64, 4, 64}, {3, 16, 64, 16}, {3, 32, 32, 32}, {2, 40, 512, 1},
        {2, 256, 24, 1}, {2, 1024, 3, 1}, {3, 3, 128, 20}};
    open_devices();
    for (int d = 0; d < device_count; d++)
        for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i += test_tiny ? 2 : 1)
            for (int wide = 0; wide < 2; wide++) {
                padic_field_plan_desc desc = grid((uint32_t)shapes[i][0], shapes[i][1],
                                                  shapes[i][2], shapes[i][3], wide);
                if (wide && desc.shape[0] > 1024) continue;
                desc.method = i % 3 == 1 ? PADIC_FIELD_METHOD_SPLIT4 : PADIC_FIELD_METHOD_SPLIT2;
                if (i % 2) desc.flags |= PADIC_FIELD_YOSHIDA;
                compare(devices[d], &desc, 0, 3);
            }
}

// Planar, with gaps, batches, a potential, all powers, an absorber, back in time.
TEST(layouts)
{
    open_devices();
    for (int d = 0; d < device_count; d++)
        for (int i = 0; i < 16; i++) {
            padic_field_plan_desc desc = grid(2, i & 8 ? 64 : 20, 24, 1, i % 3 == 2);
            double *potential = (double *)malloc(64 * 24 * 8);
            for (int j = 0; j < 64 * 24; j++) potential[j] = sin(0.1 * j);
            desc.layout = i & 1 ? PADIC_FIELD_LAYOUT_PLANAR : PADIC_FIELD_LAYOUT_INTERLEAVED;
            desc.batch = i & 2 ? 3 : 0;
            desc.potential = padic_tensor_2d(PADIC_F64, potential, desc.shape[0], 24);
            desc.power[1].g = -0.5;
            desc.power[1].p = desc.dtype == PADIC_C128 ? 3 : 5;
            desc.power[2].g = 0.25;
            desc.power[2].p = desc.dtype == PADIC_C128 ? 6 : 4.5;
            if (i % 4 == 3) desc.dt = -desc.dt;
            if (i % 3 == 1) { // c64
                for (int j = 0; j < 64 * 24; j++) potential[j] = fabs(potential[j]);
                desc.absorber = desc.potential;
            }
            compare(devices[d], &desc, i & 4, 2);
            free(potential);
        }
}

// The norm stays; back again is the start; the bytes are the same from run to run, in one call or
// in several.
TEST(conserved)
{
    open_devices();
    for (int d = 0; d < device_count; d++) {
        padic_field_plan_desc desc = grid(3, 8, 64, 12, 0);
        const uint64_t n = field_points(&desc);
        double *start = packet(&desc, 1), *got = (double *)malloc((size_t)n * 16);
        double *again = (double *)malloc((size_t)n * 16);
        double before = 0, after = 0;
        there x;
        there_begin(devices[d], &desc, 0, start, &x);
        CHECK_EQ(there_go(devices[d], &x, 20), PADIC_OK);
        there_get(devices[d], &x, got);
        for (uint64_t i = 0; i < 2 * n; i++) {
            before += start[i] * start[i];
            after += got[i] * got[i];
        }
        CHECK(fabs(after / before - 1) < 2e-5);
        desc.dt = -desc.dt;
        CHECK_EQ(padic_field_plan_set(devices[d], &desc, x.plan), PADIC_OK);
        CHECK_EQ(there_go(devices[d], &x, 20), PADIC_OK);
        there_get(devices[d], &x, again);
        CHECK(field_apart(again, start, n) < 2e-4);
        there_end(devices[d], &x);
        desc.dt = -desc.dt;
        there_begin(devices[d], &desc, 0, start, &x);
        CHECK_EQ(there_go(devices[d], &x, 0), PADIC_OK);
        CHECK_EQ(there_go(devices[d], &x, 20), PADIC_OK);
        there_get(devices[d], &x, again);
        CHECK(!memcmp(got, again, (size_t)n * 16));
        there_end(devices[d], &x);
        free(start);
        free(got);
        free(again);
    }
}

// ---- records, energies, H psi

// The reference's numbers of psi as the device has it.
static padic_field_record exact_record(const padic_field_plan_desc *desc, double *psi)
{
    padic_field_plan_desc exact = *desc;
    exact.dtype = PADIC_C128;
    exact.layout = PADIC_FIELD_LAYOUT_INTERLEAVED;
    exact.batch = 0;
    return field_energy(&exact, psi);
}

// Of what H psi is off by, of psi of size 1.
static double residual_bound(const padic_field_plan_desc *desc, const padic_field_record *record)
{
    const double unit = desc->dtype == PADIC_C128 ? ldexp(1, -53) : ldexp(1, -24);
    double top = 33, length = 0, parts = fabs(record->potential);
    for (uint32_t a = 0; a < desc->dims; a++) {
        const double k = FIELD_PI / desc->spacing[a];
        top += k * k / 2;
        length += desc->spacing[a] * (double)desc->shape[a];
    }
    for (int j = 0; j < 3; j++) parts += fabs(record->interaction[j]);
    return 8 * (log2((double)field_points(desc)) + 8) * unit *
           (top + parts / record->norm + record->density * 8 +
            fabs(desc->rotation) * length * sqrt(top));
}

// Two records agree. Energies are off by the rounding of a transform, in units of the largest
// eigenvalue of the kinetic energy, and by that of potentials; the residual by as much.
static void compare_records(const padic_field_plan_desc *desc, const padic_field_record *got,
                            const padic_field_record *want)
{
    const double unit = desc->dtype == PADIC_C128 ? ldexp(1, -53) : ldexp(1, -24);
    const double few = 8 * (log2((double)field_points(desc)) + 8) * unit;
    double top = 1, length = 0, parts = fabs(want->potential);
    for (uint32_t a = 0; a < desc->dims; a++) {
        const double k = FIELD_PI / desc->spacing[a];
        top += k * k / 2;
        length += desc->spacing[a] * (double)desc->shape[a];
    }
    for (int j = 0; j < 3; j++) parts += fabs(want->interaction[j]);
    const double bound = few * (sqrt(top * (want->kinetic / want->norm + 1)) * want->norm + parts);
    CHECK_NEAR(got->norm, want->norm, few * want->norm);
    CHECK_NEAR(got->kinetic, want->kinetic, bound);
    CHECK_NEAR(got->potential, want->potential, bound);
    for (int j = 0; j < 3; j++) CHECK_NEAR(got->interaction[j], want->interaction[j], bound);
    CHECK_NEAR(got->energy, want->energy, (2 + fabs(desc->rotation) * length) * bound);
    CHECK_NEAR(got->mu, want->mu, (4 + fabs(desc->rotation) * length) * bound / want->norm);
    CHECK_NEAR(got->angular_momentum, want->angular_momentum, length * bound);
    for (int j = 0; j < 3; j++) CHECK_NEAR(got->centroid[j], want->centroid[j], few * length);
    CHECK_NEAR(got->density, want->density, few * want->density);
    CHECK_NEAR(got->residual, want->residual, residual_bound(desc, want));
    CHECK_NEAR(got->rotation, want->rotation, fabs(desc->rotation) * length * bound);
    CHECK_EQ(got->status, want->status);
}

// Plans of all methods, in both times, with rotation and noise.
static padic_field_plan_desc telling_of_all(int i)
{
    static const padic_field_method methods[] = {
        PADIC_FIELD_METHOD_LEAPFROG2,    PADIC_FIELD_METHOD_RK4,    PADIC_FIELD_METHOD_CAYLEY2,
        PADIC_FIELD_METHOD_LEGACY_EULER, PADIC_FIELD_METHOD_CAYLEY2, PADIC_FIELD_METHOD_SPLIT4,
        PADIC_FIELD_METHOD_SPLIT2,       PADIC_FIELD_METHOD_SPLIT2};
    static const uint64_t shapes[][4] = {{2, 33, 20, 1}, {3, 11, 6, 7}, {1, 77, 1, 1},
                                         {2, 12, 35, 1}, {3, 20, 1, 9}, {3, 6, 5, 8},
                                         {2, 12, 20, 1}, {2, 15, 14, 1}};
    const padic_field_method method = methods[i];
    const uint64_t *s = shapes[i];
    padic_field_plan_desc desc = i < 5 ? walled((uint32_t)s[0], s[1], s[2], s[3], i, method)
                                       : grid((uint32_t)s[0], s[1], s[2], s[3], 0);
    desc.method = method;
    desc.dtype = PADIC_C64;
    if (i == 3) memset(desc.boundary, 0, sizeof desc.boundary);
    if (i == 4 || i == 6) desc.time = PADIC_FIELD_TIME_IMAGINARY;
    if (i == 5 || i == 6) desc.rotation = 0.7;
    if (i == 1 || i == 7) desc.noise = 0.25, desc.seed = 3;
    else desc.batch = i % 2 ? 2 : 0;
    return desc;
}

static padic_field_plan_desc telling(int i)
{
    static const uint64_t shapes[][4] = {{1, 360, 1, 1}, {2, 64, 64, 1}, {3, 20, 12, 14},
                                         {2, 1, 90, 1},  {3, 8, 64, 16}, {1, 1, 1, 1}};
    padic_field_plan_desc desc;
    if (i >= 12) return telling_of_all(i - 12);
    desc = grid((uint32_t)shapes[i % 6][0], shapes[i % 6][1],
                                      shapes[i % 6][2], shapes[i % 6][3], i / 6);
    desc.layout = i % 2 ? PADIC_FIELD_LAYOUT_PLANAR : PADIC_FIELD_LAYOUT_INTERLEAVED;
    desc.batch = i % 3 == 2 ? 2 : 0;
    desc.power[2].g = 0.25;
    desc.power[2].p = i % 4 == 1 ? 3 : 6;
    return desc;
}

// H psi of the plan's fields, and -K Lap psi, off by as much as the residual.
static void compare_hamiltonian(padic_context *context, const there *x, double *psi,
                                const padic_field_record *record)
{
    const uint64_t points = field_points(&x->desc), fields = x->desc.batch ? x->desc.batch : 1;
    for (uint32_t kinetic = 0; kinetic < 2; kinetic++) {
        padic_field_hamiltonian_desc desc = PADIC_ZERO;
        padic_field_plan_desc exact = x->desc;
        double *got = (double *)malloc((size_t)(points * fields) * 16);
        double *want = (double *)malloc((size_t)points * 16);
        there to;
        there_begin(context, &x->desc, 1, psi, &to);
        desc.plan = x->plan;
        desc.psi = x->psi;
        desc.out = to.psi;
        desc.kinetic_only = kinetic;
        CHECK_EQ(padic_field_hamiltonian(context, &desc), PADIC_OK);
        there_get(context, &to, got);
        there_end(context, &to);
        exact.dtype = PADIC_C128;
        exact.layout = PADIC_FIELD_LAYOUT_INTERLEAVED;
        exact.batch = 0;
        exact.noise = 0;
        CHECK_EQ(padic_field_plan_create(NULL, &exact, &desc.plan), PADIC_OK);
        for (uint64_t field = 0; field < fields; field++) {
            double error = 0;
            desc.psi = padic_tensor_nd(PADIC_C128, psi + 2 * field * points, exact.dims,
                                       exact.shape);
            desc.out = padic_tensor_nd(PADIC_C128, want, exact.dims, exact.shape);
            CHECK_EQ(padic_field_hamiltonian(NULL, &desc), PADIC_OK);
            for (uint64_t i = 0; i < 2 * points; i++) {
                const double e = got[2 * field * points + i] - want[i];
                error += e * e;
            }
            for (uint32_t a = 0; a < exact.dims; a++) error *= exact.spacing[a];
            CHECK(sqrt(error / record[field].norm) <= residual_bound(&x->desc, &record[field]));
        }
        padic_field_plan_destroy(desc.plan);
        free(got);
        free(want);
    }
}

// padic_field_measure(), padic_field_energy() and padic_field_hamiltonian().
TEST(measured)
{
    open_devices();
    for (int d = 0; d < device_count; d++)
        for (int i = 0; i < 20; i += test_tiny ? 3 : 1) {
            const padic_field_plan_desc desc = telling(i);
            const uint64_t points = field_points(&desc), fields = desc.batch ? desc.batch : 1;
            padic_field_measure_desc measure = PADIC_ZERO;
            padic_field_energy_desc energy = PADIC_ZERO;
            padic_field_record got[2], again[2], want;
            double *psi;
            there x;
            if (desc.dtype == PADIC_C128 && !has_f64(devices[d])) continue;
            psi = packet(&desc, fields);
            there_begin(devices[d], &desc, i % 5 == 1, psi, &x);
            measure.plan = x.plan;
            measure.psi = energy.psi = x.psi;
            measure.report = got;
            energy.field = desc;
            energy.report = again;
            CHECK_EQ(padic_field_measure(devices[d], &measure), PADIC_OK);
            CHECK_EQ(padic_field_energy(devices[d], &energy), PADIC_OK);
            CHECK(!memcmp(got, again, (size_t)fields * sizeof *got));
            for (uint64_t field = 0; field < fields; field++) {
                want = exact_record(&desc, psi + 2 * field * points);
                compare_records(&desc, &got[field], &want);
            }
            compare_hamiltonian(devices[d], &x, psi, got);
            there_end(devices[d], &x);
            free(psi);
        }
}

// Steps whose records stay on the device: the reference's, and of batches and rings their rows.
TEST(recorded)
{
    open_devices();
    for (int d = 0; d < device_count; d++)
        for (int i = 0; i < 20; i += test_tiny ? 3 : 1) {
            padic_field_plan_desc desc = telling(i);
            const uint64_t points = field_points(&desc), fields = desc.batch ? desc.batch : 1;
            const uint64_t rows = i % 2 ? 2 : 4, all = rows * fields;
            padic_field_step_desc step = PADIC_ZERO;
            padic_field_step_report report;
            padic_field_record got[8], want;
            padic_buffer_desc buffer = PADIC_ZERO;
            double *psi, *now;
            there x;
            if (desc.dtype == PADIC_C128 && !has_f64(devices[d])) continue;
            psi = packet(&desc, fields);
            now = (double *)malloc((size_t)(points * fields) * 16);
            desc.measure_every = 2;
            there_begin(devices[d], &desc, i % 5 == 1, psi, &x);
            buffer.size = all * sizeof *got;
            step.plan = x.plan;
            step.psi = x.psi;
            step.count = 7;
            step.report = &report;
            step.records = desc.batch ? padic_tensor_3d(PADIC_F64, NULL, rows, fields,
                                                        PADIC_FIELD_COLUMNS)
                                      : padic_tensor_2d(PADIC_F64, NULL, rows,
                                                        PADIC_FIELD_COLUMNS);
            CHECK_EQ(padic_buffer_create(devices[d], &buffer, &step.records.buffer), PADIC_OK);
            CHECK_EQ(padic_field_step(devices[d], &step), PADIC_OK);
            CHECK_EQ(report.steps, 7);
            CHECK_EQ(report.records, 3);
            CHECK_EQ(padic_buffer_download(devices[d], step.records.buffer, 0, got, buffer.size),
                     PADIC_OK);
            for (uint64_t record = 0; record < 3; record++) {
                const padic_field_record *row = &got[record % rows * fields];
                if (record + rows < 3) continue; // another one has taken its row
                memcpy(now, psi, (size_t)(points * fields) * 16);
                reference(&desc, now, 2 * record + 2);
                for (uint64_t field = 0; field < fields; field++) {
                    want = exact_record(&desc, now + 2 * field * points);
                    CHECK_EQ(row[field].step, 2 * (double)record + 2);
                    CHECK_NEAR(row[field].time, (2 * (double)record + 2) * desc.dt, 1e-15);
                    compare_records(&desc, &row[field], &want);
                }
            }
            CHECK_EQ(padic_buffer_destroy(devices[d], step.records.buffer), PADIC_OK);
            there_end(devices[d], &x);
            free(psi);
            free(now);
        }
}

// A buffer of `rows` records of each field, whose bytes are 0x11.
static padic_tensor record_rows(padic_context *context, uint64_t rows, uint64_t fields)
{
    padic_tensor t = padic_tensor_3d(PADIC_F64, NULL, rows, fields, PADIC_FIELD_COLUMNS);
    padic_buffer_desc buffer = PADIC_ZERO;
    char *bytes;
    buffer.size = rows * fields * sizeof(padic_field_record);
    bytes = (char *)malloc((size_t)buffer.size);
    memset(bytes, 0x11, (size_t)buffer.size);
    CHECK_EQ(padic_buffer_create(context, &buffer, &t.buffer), PADIC_OK);
    CHECK_EQ(padic_buffer_upload(context, t.buffer, 0, bytes, buffer.size), PADIC_OK);
    free(bytes);
    return t;
}

// Plans whose second field is to end.
static padic_field_plan_desc ending(int i)
{
    static const padic_field_method methods[] = {
        PADIC_FIELD_METHOD_SPLIT2, PADIC_FIELD_METHOD_LEAPFROG2, PADIC_FIELD_METHOD_RK4,
        PADIC_FIELD_METHOD_CAYLEY2, PADIC_FIELD_METHOD_CAYLEY2, PADIC_FIELD_METHOD_SPLIT2};
    padic_field_plan_desc desc =
        i % 5 ? walled(2, 24, 18, 1, 0, methods[i]) : grid(2, 24, 18, 1, 0);
    if (i > 3) desc.time = PADIC_FIELD_TIME_IMAGINARY;
    return desc;
}

// A record above density_limit, or not finite, ends the steps of its field alone, without a wait;
// psi is that record's, and so are the rows that were written.
TEST(ended)
{
    open_devices();
    for (int d = 0; d < device_count; d++)
        for (int i = 0; i < 12; i += test_tiny ? 3 : 1) {
            padic_field_plan_desc desc = ending(i / 2);
            const int broken = i % 2 && !desc.time; // which imaginary time refuses to begin with
            const uint64_t n = field_points(&desc);
            padic_field_step_desc step = PADIC_ZERO;
            padic_field_step_report report;
            padic_field_record got[8], none;
            double *psi = packet(&desc, 2), *out = (double *)malloc((size_t)n * 32);
            there x;
            memset(&none, 0x11, sizeof none);
            desc.batch = 2;
            desc.measure_every = 2;
            desc.density_limit = 2;
            for (uint64_t j = 2 * n; j < 4 * n; j++) psi[j] = broken ? NAN : psi[j] * 2;
            there_begin(devices[d], &desc, 0, psi, &x);
            step.plan = x.plan;
            step.psi = x.psi;
            step.count = 9;
            step.report = &report;
            step.records = record_rows(devices[d], 4, 2);
            CHECK_EQ(padic_field_step(devices[d], &step), PADIC_ERROR_DOMAIN);
            CHECK_EQ(report.steps, 2);
            CHECK_NEAR(report.time, 2 * desc.dt, 1e-15);
            CHECK_EQ(padic_buffer_download(devices[d], step.records.buffer, 0, got, sizeof got),
                     PADIC_OK);
            for (int row = 0; row < 4; row++) CHECK_EQ(got[2 * row].step, 2 * row + 2);
            for (int row = 0; row < 4; row++) CHECK_EQ(got[2 * row].status, 0);
            CHECK_EQ(got[1].status,
                     broken ? PADIC_FIELD_STATUS_NOT_FINITE : PADIC_FIELD_STATUS_DENSE);
            for (int row = 1; row < 4; row++) CHECK(!memcmp(&got[2 * row + 1], &none, sizeof none));
            there_get(devices[d], &x, out);
            desc.batch = 0;
            reference(&desc, psi, 9);
            reference(&desc, psi + 2 * n, 2);
            CHECK(field_apart(out, psi, n) < 1e-5);
            CHECK(broken || field_apart(out + 2 * n, psi + 2 * n, n) < 1e-5);
            CHECK_EQ(padic_field_step(devices[d], &step), // there it is still
                     PADIC_ERROR_DOMAIN);
            CHECK_EQ(padic_buffer_destroy(devices[d], step.records.buffer), PADIC_OK);
            there_end(devices[d], &x);
            free(psi);
            free(out);
        }
}

// Recorded steps with records and NORM_LOCK: the bytes of three calls, and of a call and two
// replays. The records hold the norm.
TEST(replayed)
{
    open_devices();
    for (int d = 0; d < device_count; d++) {
        padic_field_plan_desc desc = grid(3, 8, 12, 10, 0);
        const uint64_t n = field_points(&desc);
        padic_field_step_desc step = PADIC_ZERO;
        padic_field_record got[2][3];
        padic_field_measure_desc measure = PADIC_ZERO;
        double *psi, *out[2];
        psi = packet(&desc, 1);
        desc.flags = 0; // NORM_LOCK is the default
        desc.measure_every = 3;
        for (int way = 0; way < 2; way++) {
            padic_record record = {0};
            there x;
            out[way] = (double *)malloc((size_t)n * 16);
            there_begin(devices[d], &desc, 0, psi, &x);
            step.plan = x.plan;
            step.psi = x.psi;
            step.count = 6;
            step.restart = 1;
            step.records = record_rows(devices[d], 3, 1);
            step.records.rank = 2;
            step.records.shape[1] = PADIC_FIELD_COLUMNS;
            CHECK_EQ(padic_field_step(devices[d], &step), PADIC_OK);
            for (int again = 0; again < 2 && !way; again++)
                CHECK_EQ(padic_field_step(devices[d], &step), PADIC_OK);
            if (way) {
                CHECK_EQ(padic_record_begin(devices[d]), PADIC_OK);
                CHECK_EQ(padic_field_step(devices[d], &step), PADIC_OK);
                CHECK_EQ(padic_record_end(devices[d], &record), PADIC_OK);
                CHECK_EQ(padic_record_replay(devices[d], record, 2), PADIC_OK);
            }
            CHECK_EQ(padic_buffer_download(devices[d], step.records.buffer, 0, got[way],
                                           sizeof got[way]), PADIC_OK);
            there_get(devices[d], &x, out[way]);
            if (way) CHECK_EQ(padic_record_drop(devices[d], record), PADIC_OK);
            measure.plan = x.plan; // what waits is not recorded
            measure.psi = x.psi;
            measure.report = got[0] + 2;
            CHECK_EQ(padic_record_begin(devices[d]), PADIC_OK);
            CHECK_EQ(padic_field_measure(devices[d], &measure), PADIC_ERROR_ARGUMENT);
            CHECK_EQ(padic_record_end(devices[d], &record), PADIC_ERROR_ARGUMENT);
            CHECK_EQ(padic_buffer_destroy(devices[d], step.records.buffer), PADIC_OK);
            there_end(devices[d], &x);
        }
        CHECK(!memcmp(out[0], out[1], (size_t)n * 16));
        CHECK(!memcmp(got[0], got[1], sizeof got[0]));
        CHECK_EQ(got[0][1].step, 6);
        CHECK_NEAR(got[0][1].norm, exact_record(&desc, psi).norm, 1e-6 * got[0][1].norm);
        for (int way = 0; way < 2; way++) free(out[way]);
        free(psi);
    }
}

// NORM_LOCK gives back what 20 steps of c64 lose; CHECK_FINITE finds one part in three fields.
TEST(norms)
{
    open_devices();
    for (int d = 0; d < device_count; d++)
        for (int i = 0; i < 3; i++) {
            padic_field_plan_desc desc = grid(3, 20, 18, 7, 0);
            uint64_t n = field_points(&desc) * 3;
            double *start = packet(&desc, 3), *got = (double *)malloc((size_t)n * 16);
            there x;
            desc.batch = 3;
            desc.layout = i == 1 ? PADIC_FIELD_LAYOUT_PLANAR : PADIC_FIELD_LAYOUT_INTERLEAVED;
            desc.flags = PADIC_FIELD_NORM_LOCK | PADIC_FIELD_CHECK_FINITE;
            there_begin(devices[d], &desc, i, start, &x);
            CHECK_EQ(there_go(devices[d], &x, 20), PADIC_OK);
            there_get(devices[d], &x, got);
            for (uint64_t field = 0; field < 3; field++) {
                double before = 0, after = 0;
                for (uint64_t j = field * n / 3 * 2; j < (field + 1) * n / 3 * 2; j++) {
                    before += start[j] * start[j];
                    after += got[j] * got[j];
                }
                CHECK(fabs(after / before - 1) < 1e-7); // each part rounded once, either way
            }
            start[2 * n - 1] = i == 1 ? HUGE_VAL : NAN;
            there_end(devices[d], &x);
            there_begin(devices[d], &desc, i, start, &x);
            CHECK_EQ(there_go(devices[d], &x, 2), PADIC_ERROR_DOMAIN);
            there_get(devices[d], &x, got);
            CHECK(!memcmp(got, start, (size_t)n * 16 - 8)); // as it was
            there_end(devices[d], &x);
            free(start);
            free(got);
        }
}

// ---- vortices

enum { LISTED = 2048 };
typedef struct lists {
    int64_t cells[LISTED][3], links[LISTED];
    double positions[LISTED * 3], density[LISTED];
    padic_field_vortices_report report;
} lists;

// The lists of a desc in memory, or at places of a buffer; without `places` cells alone.
static void list_in(padic_field_vortices_desc *desc, lists *to, padic_buffer buffer, uint64_t rows,
                    int places)
{
    const uint32_t rank = desc->psi.rank;
    padic_tensor cells = padic_tensor_2d(PADIC_I64, to->cells, rows, 3);
    padic_tensor links = padic_tensor_1d(PADIC_I64, to->links, rows);
    padic_tensor positions = padic_tensor_2d(PADIC_F64, to->positions, rows, rank);
    padic_tensor density = padic_tensor_1d(PADIC_F64, to->density, rows);
    desc->cells = buffer.id ? padic_tensor_in(cells, buffer, offsetof(lists, cells) / 8) : cells;
    if (!places) return;
    desc->links = links;
    desc->positions = positions;
    desc->density = density;
    if (!buffer.id) return;
    desc->links = padic_tensor_in(links, buffer, offsetof(lists, links) / 8);
    desc->positions = padic_tensor_in(positions, buffer, offsetof(lists, positions) / 8);
    desc->density = padic_tensor_in(density, buffer, offsetof(lists, density) / 8);
}

// psi in a buffer, its lists in another: the host's bytes, of planes and volumes, all boundaries,
// too few rows, links to the list before. Devices without f64 have charges alone.
TEST(vortices)
{
    static const uint64_t shapes[][3] = {{40, 33, 1}, {9, 8, 11}, {4, 9, 8}, {128, 64, 1}};
    open_devices();
    for (int d = 0; d < device_count; d++)
        for (int i = 0; i < 8; i++) {
            const uint64_t *n = shapes[i / 2], points = n[0] * n[1] * n[2];
            const uint64_t rows = i == 4 ? 5 : LISTED;
            const int wide = i & 1, space = i / 2 % 3 > 0, places = has_f64(devices[d]);
            static lists want, got, first;
            padic_field_vortices_desc desc = PADIC_ZERO;
            padic_buffer_desc memory = PADIC_ZERO;
            padic_buffer buffer[2], none = {0};
            double *psi = (double *)malloc((size_t)points * 16);
            float *single = (float *)malloc((size_t)points * 8);
            desc.last_cells = padic_tensor_2d(PADIC_I64, first.cells, 100, 3);
            for (int step = 0; step < 2; step++) {
                padic_result result;
                memset(&want, 0, sizeof want);
                for (uint64_t j = 0; j < 2 * points; j++) { // smooth enough for a few hundred
                    const double x = (double)(int64_t)test_random() / 9223372036854775808.0;
                    psi[j] = j < 2 || i == 2 ? x : x + 0.9 * psi[j - 2];
                    single[j] = (float)psi[j];
                }
                desc.psi = wide ? padic_tensor_nd(PADIC_C128, psi, space ? 3 : 2, n)
                                : padic_tensor_nd(PADIC_C64, single, space ? 3 : 2, n);
                for (int a = 0; a < 3; a++)
                    desc.boundary[a] = (padic_field_boundary)((i + a) % 3);
                desc.spacing[1] = 0.3;
                desc.report = &want.report;
                desc.last_positions =
                    padic_tensor_2d(PADIC_F64, first.positions, 100, desc.psi.rank);
                list_in(&desc, &want, none, rows, places);
                result = padic_field_vortices(NULL, &desc);
                CHECK(want.report.count > 0);
                memory.data = desc.psi.data;
                memory.size = points * (wide ? 16 : 8);
                CHECK_EQ(padic_buffer_create(devices[d], &memory, &buffer[0]), PADIC_OK);
                memset(&got, 0, sizeof got);
                memory.data = &got;
                memory.size = sizeof got;
                CHECK_EQ(padic_buffer_create(devices[d], &memory, &buffer[1]), PADIC_OK);
                desc.psi = padic_tensor_in(desc.psi, buffer[0], 0);
                desc.report = &got.report;
                list_in(&desc, &got, buffer[1], rows, places);
                CHECK_EQ(padic_field_vortices(devices[d], &desc), result);
                first.report = got.report;
                CHECK_EQ(padic_buffer_download(devices[d], buffer[1], 0, &got, sizeof got),
                         PADIC_OK);
                got.report = first.report;
                CHECK(!memcmp(&got, &want, sizeof got));
                first = got;
                for (int j = 0; j < 2; j++)
                    CHECK_EQ(padic_buffer_destroy(devices[d], buffer[j]), PADIC_OK);
            }
            free(psi);
            free(single);
        }
}

// Records and charges of a device that has nothing that is optional, f64 above all.
TEST(least)
{
    static padic_native_desc least;
    padic_context *all[sizeof devices / sizeof *devices];
    padic_context *context;
    int count;
    open_devices();
    count = device_count;
    least.features = PADIC_FEATURE_UNIFIED;
    least.down = native_desc.down;
    context = open_one(padic_native(), &least, 0, PADIC_CONTEXT_STRICT);
    if (!context) return;
    memcpy(all, devices, sizeof all);
    devices[0] = context;
    device_count = 1;
    CHECK(!has_f64(context));
    test_measured();
    test_recorded();
    test_ended();
    test_vortices();
    memcpy(devices, all, sizeof all);
    device_count = count;
    padic_context_destroy(context);
}

// The programs of a call that were new have been built side by side, as C has them, too.
TEST(together)
{
    if (!native_desc.together) {
        CHECK(!device_count || strcmp(devices[0]->targets[0].backend->name, "native"));
        SKIP("kernels as C need Linux, python3 and the compiler");
    }
    CHECK(native_desc.together > 1);
}

TEST_MAIN("test_gpu_field", CASE(split), CASE(layouts), CASE(conserved), CASE(norms),
          CASE(measured), CASE(recorded), CASE(ended), CASE(replayed), CASE(vortices), CASE(least),
          CASE(together), CASE(no_kernel_was_dropped))
