// ops_field.h: rows of test_ops.c for fields.

// One step of forward Euler, in f64, elements in C order. C64 by vectors or a device: within 1e-6
// of the largest.
static void ops_field_euler_exact(const void *desc_, double *want, double *slack)
{
    const padic_field_legacy_euler_desc *desc = (const padic_field_legacy_euler_desc *)desc_;
    const uint32_t rank = desc->phi.rank, d = desc->power ? desc->power : 3;
    const uint64_t count = padic_tensor_count(&desc->phi);
    double *phi = ops_numbers_of(&desc->phi), most = 0;
    for (uint64_t i = 0; i < count; i++) {
        const double *z = phi + 2 * i, size = hypot(z[0], z[1]);
        uint64_t step = 1;
        for (int c = 0; c < 2; c++) {
            double h = (desc->mass_squared + desc->lambda * pow(size, d - 2)) * z[c];
            step = 1;
            for (uint32_t a = rank; a-- > 0; step *= desc->phi.shape[a]) {
                const uint64_t n = desc->phi.shape[a], k = i / step % n, at = i - k * step;
                h -= phi[2 * (at + (k + 1) % n * step) + (uint64_t)c] - 2 * z[c] +
                     phi[2 * (at + (k + n - 1) % n * step) + (uint64_t)c];
            }
            want[2 * i + (c ? 0 : 1)] = z[c ? 0 : 1] + (c ? desc->dt : -desc->dt) * h;
            if (fabs(want[2 * i + (c ? 0 : 1)]) > most) most = fabs(want[2 * i + (c ? 0 : 1)]);
        }
    }
    for (uint64_t i = 0; i < 2 * count; i++)
        slack[i] = (desc->phi.dtype == PADIC_C64 ? 1e-6 : 1e-14) * most + 1e-300;
    free(phi);
}

static void ops_field_legacy(ops_run *run, int step)
{
    static const ops_case euler = {"", NULL, ops_field_euler_exact}, energy = {"", NULL, NULL};
    static padic_field_legacy_energy_report report;
    static const padic_dtype types[2] = {PADIC_C64, PADIC_C128};
    padic_tensor view;
    for (int type = 0; type < 2; type++)
        for (uint32_t i = 0; ops_view(run->perf, i, types[type], &view); i++) {
            padic_field_legacy_euler_desc desc = PADIC_ZERO;
            padic_field_legacy_energy_desc measure = PADIC_ZERO;
            if (view.rank < 1 || view.rank > 3) continue;
            desc.phi = desc.out = measure.phi = view;
            desc.mass_squared = measure.mass_squared = -0.5;
            desc.lambda = measure.lambda = 0.25;
            desc.power = measure.power = i % 4 ? 3 + i % 4 : 0;
            desc.dt = 0.125;
            measure.report = &report;
            if (step) ops_check_vectors(run, PADIC_OP_FIELD_LEGACY_EULER, &desc, &euler);
            if (step) continue;
            const uint32_t done = run->done;
            ops_check(run, PADIC_OP_FIELD_LEGACY_ENERGY, &measure, &energy);
            if (!padic_tensor_count(&view)) continue;
            run->tried[types[type]]++; // its result is no tensor
            run->yes[types[type]] += run->done > done;
        }
}

static void ops_field_euler(ops_run *run)
{
    ops_field_legacy(run, 1);
}

static void ops_field_energy(ops_run *run) // tests/field compares the sums
{
    ops_field_legacy(run, 0);
}

static void ops_field_vortices(ops_run *run)
{
    static const ops_case each = {"", NULL, NULL}; // bits: of any backend
    static const padic_dtype types[2] = {PADIC_C64, PADIC_C128};
    padic_tensor view;
    for (int type = 0; type < 2; type++)
        for (uint32_t i = 0; ops_view(run->perf, i, types[type], &view); i++) {
            padic_field_vortices_desc desc = PADIC_ZERO;
            const uint64_t rows = 3 * padic_tensor_count(&view);
            if (view.rank != 2 && view.rank != 3) continue;
            desc.psi = view;
            desc.boundary[0] = i % 2 ? PADIC_FIELD_BOUNDARY_DIRICHLET
                                     : PADIC_FIELD_BOUNDARY_PERIODIC;
            desc.cells = padic_tensor_2d(PADIC_I64, NULL, rows, 3);
            desc.positions = padic_tensor_2d(PADIC_F64, NULL, rows, view.rank);
            desc.density = padic_tensor_1d(PADIC_F64, NULL, rows);
            if (i % 3) {
                desc.last_cells = padic_tensor_2d(PADIC_I64, NULL, 5, 3);
                desc.last_positions = padic_tensor_2d(PADIC_F64, NULL, 5, view.rank);
                desc.links = padic_tensor_1d(PADIC_I64, NULL, rows);
            }
            ops_check(run, PADIC_OP_FIELD_VORTICES, &desc, &each);
        }
}

static void ops_field_gft(ops_run *run)
{
    static const ops_case each = {"", NULL, NULL};
    static const uint64_t counts[5] = {0, 1, 7, 64, 333};
    for (uint32_t i = 0; i < 10; i++) {
        const uint64_t modes = counts[i % 5];
        padic_field_gft_evolve_desc desc = PADIC_ZERO;
        desc.modes = padic_tensor_1d(PADIC_C128, NULL, modes);
        desc.rates = padic_tensor_1d(PADIC_C128, NULL, modes);
        desc.mass = padic_tensor_1d(PADIC_F64, NULL, modes);
        desc.power[0].g = -0.25;
        desc.method = (padic_field_gft_method)(i % 2);
        desc.dt = 1.0 / 64;
        desc.count = 5;
        desc.every = i % 3;
        desc.charge = padic_tensor_2d(PADIC_F64, NULL, i % 3 ? 1 + 5 / (i % 3) : 2, modes);
        if (i > 4) desc.path = padic_tensor_2d(PADIC_C128, NULL, desc.charge.shape[0], modes);
        ops_check(run, PADIC_OP_FIELD_GFT_EVOLVE, &desc, &each);
    }
}

#define OPS_FIELD                                                                          \
    {"field_vortices", ops_field_vortices}, {"field_gft_evolve", ops_field_gft},           \
        {"field_legacy_energy", ops_field_energy}, {"field_legacy_euler", ops_field_euler},
