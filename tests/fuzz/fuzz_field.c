// fuzz_field.c: any bytes as plans and calls of condensates and Fourier transforms, most of them
// nearly right: grids, walls, methods, views with any strides, workspaces, plans of other contexts.
// What is refused says why and has written nothing; nothing is written beside a view, and all
// memory comes back. See fuzz.h.
#define PADIC_IMPLEMENTATION
#include "../../padic.h"
#include "fuzz.h"

#include <math.h>

static padic_context *contexts[2];
static fuzz_memory memory;
static uint64_t memory_most; // of the allocator
static const uint8_t *next_byte, *last_byte;

static uint32_t byte_of(void)
{
    return next_byte < last_byte ? *next_byte++ : 0;
}
static uint32_t below(uint32_t n)
{
    return byte_of() % n;
}
static int rarely(void)
{
    return byte_of() > 247;
}

static void *limited(size_t size, size_t align, void *user)
{
    return memory.bytes + size > memory_most ? NULL : fuzz_alloc(size, align, user);
}

static void begin(void)
{
    padic_context_desc desc;
    memory_most = FUZZ_MEMORY;
    if (contexts[0]) return;
    memset(&desc, 0, sizeof desc);
    desc.allocator = fuzz_allocator(&memory);
    desc.allocator.alloc = limited;
    for (int i = 0; i < 2; i++) FUZZ_CHECK(!padic_context_create(&desc, &contexts[i]));
}

static double real_of(double least, double most)
{
    static const double odd[] = {0, -0.0, -1, 1e300, -1e300, 1e-300, 5e-324, 1};
    const uint32_t b = byte_of();
    if (b > 250) return b > 253 ? (double)NAN : (double)INFINITY;
    if (b > 240) return odd[below(8)];
    return least + (most - least) * (b + byte_of() / 256.0) / 241;
}

static uint64_t extent_of(uint32_t most)
{
    static const uint64_t odd[] = {0, (uint64_t)1 << 61, (uint64_t)1 << 63, UINT64_MAX,
                                   UINT64_MAX / 3};
    return rarely() ? odd[below(5)] : 1 + below(most);
}

static uint32_t enum_of(uint32_t count)
{
    return rarely() ? count + below(3) - 1 : below(count);
}

// --------------------------------------------------------------------------------------- views

typedef struct view {
    padic_tensor tensor;
    char *memory, *before;
    size_t size;
} view;

static view views[16];
static uint32_t view_count;

// Memory of exactly the view's span, so that one byte too far is seen.
static padic_tensor view_of(padic_dtype dtype, uint32_t rank, const uint64_t *shape, int negative)
{
    view *v = &views[view_count++];
    const uint32_t form = below(8), size = padic_dtype_size(dtype);
    int64_t step = 1, low = 0, high = 0;
    memset(v, 0, sizeof *v);
    v->tensor = padic_tensor_nd(dtype, NULL, rank, shape);
    if (form < 3 && rank <= PADIC_MAX_RANK) { // gaps, axes turned, now and then nonsense
        for (uint32_t i = 0; i < rank; i++) {
            const uint32_t a = form ? rank - 1 - i : i;
            step *= 1 + below(2);
            v->tensor.stride[a] = step;
            if (shape[a] && shape[a] < 4096) step *= (int64_t)shape[a];
            if (negative && !below(4)) v->tensor.stride[a] *= -(int64_t)below(2);
            if (rarely()) v->tensor.stride[a] = below(2) ? INT64_MIN : INT64_MAX / (1 + below(5));
        }
    }
    uint64_t count = 1;
    int sound = rank <= PADIC_MAX_RANK && size;
    for (uint32_t a = 0; a < rank && sound; a++) {
        if (shape[a] > 4096)
            sound = 0;
        else
            count *= shape[a];
        if (count > 65536) sound = 0;
    }
    for (uint32_t a = rank; a-- > 0 && sound;) {
        int64_t s = v->tensor.stride[a];
        if (form >= 3) {
            s = 1;
            for (uint32_t b = a + 1; b < rank; b++) s *= (int64_t)shape[b];
        }
        if (shape[a] < 2) continue; // its stride does not count
        if (s > 65536 || s < -65536)
            sound = 0;
        else if (s < 0)
            low += s * (int64_t)(shape[a] - 1);
        else
            high += s * (int64_t)(shape[a] - 1);
    }
    int zeroes = form < 3; // strides that are all 0 are dense
    for (uint32_t a = 0; a < rank && zeroes; a++) zeroes = !v->tensor.stride[a];
    if (zeroes && rank) low = 0, high = (int64_t)count;
    int endless = 0; // to be refused, whatever lies there
    for (uint32_t a = 0; a < rank && a < PADIC_MAX_RANK; a++) endless |= shape[a] >> 60 != 0;
    if (high - low > 300000) sound = 0;
    if (!sound) low = high = 0;
    v->size = (size_t)(high - low + 1) * (size ? size : 1);
    v->memory = (char *)fuzz_new(v->size);
    v->before = (char *)fuzz_new(v->size);
    v->tensor.data = v->memory - low * (int64_t)size;
    for (size_t i = 0; i + 8 <= v->size; i += 8) { // numbers near 1 in each format
        const float f[2] = {0.5f + (float)(i % 96) / 96, 0.25f};
        const double d = -0.5 + (double)(i % 80) / 64;
        if (dtype == PADIC_C128 || dtype == PADIC_F64)
            memcpy(v->memory + i, &d, 8);
        else
            memcpy(v->memory + i, f, 8);
    }
    for (size_t i = v->size & ~(size_t)7; i < v->size; i++) v->memory[i] = 0;
    if (rarely()) memset(v->memory, below(2) ? 0 : 0xff, v->size); // 0, or NaN
    if (rarely()) v->tensor.dtype = (padic_dtype)below(17);
    if (rarely()) v->tensor.buffer.id = 1 + below(100), v->tensor.data = NULL;
    if (rarely() && size > 1 && v->tensor.data) v->tensor.data = (char *)v->tensor.data + 1;
    if (rarely() || (!sound && !endless && count)) v->tensor.data = NULL;
    if (rarely()) v->tensor.rank = below(12);
    if (v->tensor.dtype != dtype || v->tensor.rank != rank) { // its span is another one now
        static char ample[1 << 21];
        memset(v->tensor.stride, 0, sizeof v->tensor.stride);
        if (v->tensor.data) v->tensor.data = endless ? NULL : ample;
    }
    memcpy(v->before, v->memory, v->size);
    return v->tensor;
}

static void views_end(void)
{
    while (view_count) {
        view_count--;
        free(views[view_count].memory);
        free(views[view_count].before);
    }
}

// What every call promises. `wrote`: results after which its views may have changed.
static void answered(padic_context *context, padic_result result, int wrote)
{
    FUZZ_CHECK(result <= 0 && strcmp(padic_result_text(result), "unknown result"));
    if (!result) return;
    if (context) FUZZ_CHECK(strlen(padic_context_message(context)) > 12);
    for (uint32_t i = 0; i < view_count && !wrote; i++)
        FUZZ_CHECK(!memcmp(views[i].memory, views[i].before, views[i].size));
}

// --------------------------------------------------------------------------------------- plans

static void grid_of(padic_field_plan_desc *d)
{
    memset(d, 0, sizeof *d);
    d->dims = rarely() ? below(6) : 1 + below(3);
    for (uint32_t a = 0; a < 3; a++) {
        if (a >= d->dims && !rarely()) continue;
        d->shape[a] = extent_of(d->dims == 1 ? 70 : d->dims == 2 ? 20 : 8);
        d->spacing[a] = rarely() ? real_of(-1, 1) : 0.25 + below(4) * 0.25;
        if (!below(4)) d->origin[a] = real_of(-3, 3);
        if (!below(3)) d->trap[a] = real_of(-1, 2);
        if (!below(4)) d->centre[a] = real_of(-1, 1);
    }
    d->method = (padic_field_method)enum_of(7);
    if (d->method > PADIC_FIELD_METHOD_SPLIT4 && d->method < PADIC_FIELD_METHOD_LEGACY_EULER)
        for (uint32_t a = 0; a < 3; a++) d->boundary[a] = (padic_field_boundary)enum_of(3);
    else if (rarely())
        d->boundary[below(3)] = (padic_field_boundary)enum_of(3);
    if (d->method == PADIC_FIELD_METHOD_FLOW || !below(6)) d->time = (padic_field_time)enum_of(2);
    if (d->method == PADIC_FIELD_METHOD_FLOW && !rarely()) d->time = PADIC_FIELD_TIME_IMAGINARY;
    d->dtype = below(3)   ? (below(2) ? PADIC_C128 : PADIC_C64)
               : rarely() ? (padic_dtype)below(20)
                          : PADIC_DTYPE_NONE;
    d->layout = (padic_field_layout)enum_of(2);
    d->batch = below(3) ? 0 : extent_of(3);
    d->dt = rarely() ? real_of(-1, 1) : 0.001 * (1 + below(5));
    if (!below(3)) d->kinetic = real_of(0.1, 1);
    for (int t = 0; t < PADIC_FIELD_TERMS; t++)
        if (!below(3))
            d->power[t].g = real_of(-1, 2), d->power[t].p = below(2) ? 0 : real_of(2.1, 8);
    if (!below(5)) d->rotation = real_of(-1, 1);
    if (!below(6)) d->noise = real_of(0, 1), d->seed = byte_of();
    if (!below(3)) d->measure_every = 1 + below(3);
    if (!below(4)) d->density_hint = real_of(0, 2);
    if (!below(8)) d->density_limit = real_of(0, 4);
    d->flags = rarely() ? byte_of() * 8 : below(32);
    const uint32_t rank = d->dims < 4 ? d->dims : 3;
    if (!below(4)) d->potential = view_of(below(2) ? PADIC_F64 : PADIC_F32, rank, d->shape, 1);
    if (!below(6)) d->absorber = view_of(below(2) ? PADIC_F64 : PADIC_F32, rank, d->shape, 1);
}

static padic_tensor psi_of(const padic_field_plan_desc *d)
{
    uint64_t shape[5];
    uint32_t rank = 0;
    const int is_short = d->dtype != PADIC_C128, planar = d->layout == PADIC_FIELD_LAYOUT_PLANAR;
    if (planar) shape[rank++] = 2;
    if (d->batch) shape[rank++] = d->batch;
    for (uint32_t a = 0; a < d->dims && a < 3; a++) shape[rank++] = d->shape[a];
    if (rarely() && rank) shape[below(rank)] = 1 + below(9);
    if (rarely() && rank > 1) rank--;
    return view_of(planar     ? (is_short ? PADIC_F32 : PADIC_F64)
                   : is_short ? PADIC_C64
                              : PADIC_C128,
                   rank, shape, 0);
}

static void one_call(padic_context *context, padic_field_plan *plan,
                     const padic_field_plan_desc *desc)
{
    // As many records as fields, of a batch that is sound.
    const uint64_t fields = desc->batch && desc->batch < 100 ? desc->batch : 1;
    padic_field_record *records = (padic_field_record *)fuzz_new((size_t)fields * sizeof *records);
    padic_field_ground_report *grounds =
        (padic_field_ground_report *)fuzz_new((size_t)fields * sizeof *grounds);
    const uint32_t first = view_count, what = below(6);
    int wrote = 0;
    padic_result result;
    if (what < 2) {
        padic_field_step_desc d;
        padic_field_step_report report;
        memset(&d, 0, sizeof d);
        d.plan = rarely() ? NULL : plan;
        d.psi = psi_of(desc);
        d.count = below(4), d.restart = below(2);
        d.report = below(2) ? &report : NULL;
        if (below(2)) {
            uint64_t shape[3] = {1 + below(3), PADIC_FIELD_COLUMNS, PADIC_FIELD_COLUMNS};
            if (desc->batch) shape[1] = fields;
            if (rarely()) shape[below(3)] = extent_of(20);
            d.records = view_of(PADIC_F64, desc->batch ? 3 : 2, shape, 0);
        }
        result = padic_field_step(context, &d);
        wrote = result == PADIC_ERROR_DOMAIN;
    } else if (what == 2) {
        padic_field_measure_desc d;
        memset(&d, 0, sizeof d);
        d.plan = plan, d.psi = psi_of(desc), d.report = rarely() ? NULL : records;
        result = padic_field_measure(context, &d);
    } else if (what == 3) {
        padic_field_hamiltonian_desc d;
        memset(&d, 0, sizeof d);
        d.plan = plan, d.psi = psi_of(desc), d.kinetic_only = below(3);
        d.out = rarely() ? d.psi : psi_of(desc);
        result = padic_field_hamiltonian(context, &d);
    } else if (what == 4) {
        padic_field_ground_desc d;
        memset(&d, 0, sizeof d);
        d.plan = plan, d.psi = psi_of(desc);
        d.method = (padic_field_ground_method)enum_of(3);
        d.max_iterations = 1 + below(4);
        d.tolerance = rarely() ? real_of(-1, 1) : 0;
        if (!below(4)) d.dt = real_of(0.01, 1);
        d.report = below(2) ? grounds : NULL;
        if (below(2)) {
            const uint64_t size = padic_field_ground_workspace(plan) - (rarely() ? 1 : 0);
            if (size < FUZZ_MOST) {
                d.workspace = padic_tensor_1d(PADIC_U8, fuzz_new((size_t)size + 64), size);
                char *at = (char *)d.workspace.data;
                d.workspace.data = at + (64 - (uintptr_t)at % 64) % 64 + (rarely() ? 8 : 0);
                result = padic_field_ground(context, &d);
                free(at);
            } else {
                result = PADIC_OK;
            }
        } else {
            result = padic_field_ground(context, &d);
        }
        wrote = result == PADIC_ERROR_DOMAIN;
    } else {
        padic_field_energy_desc d;
        memset(&d, 0, sizeof d);
        if (below(2))
            d.field = *desc;
        else
            grid_of(&d.field);
        const uint64_t batch = d.field.batch;
        if (batch > fields && batch < 100) { // its own number of records
            free(records);
            records = (padic_field_record *)fuzz_new((size_t)batch * sizeof *records);
        }
        d.psi = psi_of(&d.field), d.report = records;
        result = padic_field_energy(context, &d);
    }
    answered(context, result, wrote);
    (void)first;
    free(records);
    free(grounds);
}

static void plans(void)
{
    padic_context *context = below(4) ? contexts[0] : NULL;
    padic_field_plan_desc desc, changed;
    padic_field_plan *plan = (padic_field_plan *)1;
    const uint64_t before = memory.bytes;
    grid_of(&desc);
    const uint64_t bound = padic_field_plan_size_bound(context, &desc);
    if (context && rarely()) memory_most = before + (uint64_t)byte_of() * 128;
    const padic_result result = padic_field_plan_create(context, &desc, &plan);
    FUZZ_CHECK(!result == !!plan);
    answered(context, result, 0);
    if (plan) {
        padic_field_limits limits;
        FUZZ_CHECK(bound >= padic_field_plan_size(plan));
        if (context) FUZZ_CHECK(memory.bytes - before <= bound);
        FUZZ_CHECK(!padic_field_plan_limits(plan, &limits));
        const uint64_t held = memory.bytes;
        for (uint32_t i = 1 + below(4); i-- > 0 && view_count < 8;) {
            one_call(rarely() ? contexts[1] : context, plan, &desc);
            FUZZ_CHECK(memory.bytes == held);
            for (uint32_t v = 0; v < view_count; v++)
                memcpy(views[v].before, views[v].memory, views[v].size);
            if (below(3) || view_count > 6) continue;
            changed = desc;
            if (below(2)) changed.dt = real_of(-0.01, 0.01);
            if (below(2)) changed.power[below(3)].g = real_of(-1, 1);
            if (below(2)) changed.rotation = real_of(-1, 1);
            if (below(2)) changed.time = (padic_field_time)enum_of(2);
            if (below(2)) changed.flags = below(34);
            if (rarely()) grid_of(&changed);
            answered(context, padic_field_plan_set(context, &changed, plan), 0);
            FUZZ_CHECK(memory.bytes == held);
        }
    }
    padic_field_plan_destroy(plan);
    FUZZ_CHECK(memory.bytes == before);
}

// ------------------------------------------------------------------------------ without a plan

static void shape_of(uint32_t *rank, uint64_t *shape, uint32_t most)
{
    *rank = rarely() ? below(10) : 1 + below(3);
    for (uint32_t a = 0; a < 10; a++) shape[a] = extent_of(most);
}

static void transforms(void)
{
    padic_context *context = below(4) ? contexts[0] : NULL;
    const uint64_t before = memory.bytes;
    padic_fft_transform_desc d;
    padic_fft_plan *plan = NULL;
    uint64_t shape[10], half[10];
    uint32_t rank, last;
    memset(&d, 0, sizeof d);
    shape_of(&rank, shape, 14);
    d.axis_count = rarely() ? below(6) : below((rank < 3 ? rank : 3) + 1);
    for (uint32_t i = 0; i < 3; i++)
        d.axis[i] = rarely() ? byte_of() : rank ? (i + below(2)) % rank : 0;
    d.direction = (padic_fft_direction)enum_of(2);
    d.scale = (padic_fft_scale)enum_of(3);
    memcpy(half, shape, sizeof half);
    last = d.axis_count && d.axis_count < 4 ? d.axis[d.axis_count - 1] : rank - 1;
    const uint32_t form = below(6), is_short = below(2);
    if (form < 2 && last < 10 && half[last] < UINT64_MAX) half[last] = half[last] / 2 + 1;
    const padic_dtype pair = is_short ? PADIC_C64 : PADIC_C128;
    const padic_dtype one = is_short ? PADIC_F32 : PADIC_F64;
    if (form < 2 && !rarely()) d.direction = form ? PADIC_FFT_INVERSE : PADIC_FFT_FORWARD;
    d.out = view_of(form == 1 ? one : pair, rank, form == 0 ? half : shape, 0);
    if (form != 2) d.in = view_of(form == 0 ? one : pair, rank, form == 1 ? half : shape, 1);
    if (form == 3 && rarely()) d.in = d.out;
    if (context && rarely()) memory_most = before + (uint64_t)byte_of() * 64;
    if (below(2)) {
        const padic_result result = padic_fft_plan_create(context, &d, &plan);
        FUZZ_CHECK(!result == !!plan);
        answered(context, result, 0);
        d.plan = plan;
        if (rarely()) d.axis[0] ^= 1;
    }
    for (int i = 0; i < 2; i++)
        answered(context, padic_fft_transform(rarely() ? contexts[1] : context, &d), i);
    padic_fft_plan_destroy(plan);
    FUZZ_CHECK(memory.bytes == before);
}

static void vortices(void)
{
    padic_context *context = below(4) ? contexts[0] : NULL;
    padic_field_vortices_desc d;
    padic_field_vortices_report report;
    uint64_t shape[10];
    uint32_t rank;
    memset(&d, 0, sizeof d);
    shape_of(&rank, shape, 9);
    d.psi = view_of(below(2) ? PADIC_C64 : PADIC_C128, rank, shape, 1);
    for (int a = 0; a < 3; a++) {
        d.boundary[a] = (padic_field_boundary)enum_of(3);
        if (!below(4)) d.spacing[a] = real_of(0, 2);
        if (!below(4)) d.origin[a] = real_of(-1, 1);
    }
    d.flags = rarely() ? byte_of() : below(2) * 16;
    const uint64_t cells[2] = {below(40), 3}, last[2] = {1 + below(9), 3};
    const uint64_t positions[2] = {cells[0], rank}, last_positions[2] = {last[0], rank};
    if (below(2)) d.cells = view_of(PADIC_I64, 2, cells, 0);
    if (below(2)) d.positions = view_of(PADIC_F64, 2, positions, 0);
    if (below(2)) d.density = view_of(PADIC_F64, 1, cells, 0);
    if (!below(3)) {
        d.last_cells = view_of(PADIC_I64, 2, last, 1);
        d.last_positions = view_of(PADIC_F64, 2, last_positions, 1);
        d.links = view_of(PADIC_I64, 1, cells, 0);
        d.reach = real_of(0, 3);
    }
    d.report = below(4) ? &report : NULL;
    const padic_result result = padic_field_vortices(context, &d);
    answered(context, result, result == PADIC_ERROR_CAPACITY);
}

static void legacy(void)
{
    padic_context *context = below(4) ? contexts[0] : NULL;
    padic_field_legacy_energy_desc e;
    padic_field_legacy_energy_report report;
    padic_field_legacy_euler_desc s;
    uint64_t shape[10];
    uint32_t rank;
    memset(&e, 0, sizeof e);
    memset(&s, 0, sizeof s);
    shape_of(&rank, shape, 9);
    e.phi = s.phi = view_of(below(2) ? PADIC_C64 : PADIC_C128, rank, shape, 1);
    s.out = view_of(e.phi.dtype, rank, shape, 0);
    e.mass_squared = s.mass_squared = real_of(-1, 1);
    e.lambda = s.lambda = real_of(-1, 1);
    e.power = s.power = rarely() ? byte_of() : below(6);
    e.report = rarely() ? NULL : &report;
    s.dt = real_of(-0.1, 0.1);
    answered(context, padic_field_legacy_energy(context, &e), 0);
    answered(context, padic_field_legacy_euler(context, &s), 0);
}

static void group_fields(void)
{
    padic_context *context = below(4) ? contexts[0] : NULL;
    padic_field_gft_minimum_desc m;
    padic_field_gft_minimum_report minimum;
    padic_field_gft_evolve_desc d;
    padic_field_gft_evolve_report report;
    memset(&m, 0, sizeof m);
    memset(&d, 0, sizeof d);
    m.mass = real_of(-2, 2);
    for (int t = 0; t < PADIC_FIELD_TERMS; t++) {
        m.power[t].g = below(2) ? 0 : real_of(-2, 2);
        m.power[t].p = below(2) ? 0 : real_of(2.01, 9);
        d.power[t] = m.power[t];
    }
    m.report = rarely() ? NULL : &minimum;
    const padic_result result = padic_field_gft_minimum(context, &m);
    answered(context, result, 0);
    if (!result) {
        FUZZ_CHECK(minimum.count <= PADIC_FIELD_TERMS + 1);
        FUZZ_CHECK(minimum.minimum < minimum.count || minimum.minimum == UINT32_MAX);
        for (uint32_t i = 1; i < minimum.count; i++)
            FUZZ_CHECK(minimum.point[i].s > minimum.point[i - 1].s);
    }
    const uint64_t modes = extent_of(6);
    d.count = below(9), d.every = below(5);
    const uint64_t every = d.every ? d.every : d.count ? d.count : 1;
    const uint64_t rows[2] = {1 + d.count / every, rarely() ? modes + 1 : modes};
    d.modes = view_of(PADIC_C128, 1, &modes, 0);
    d.rates = view_of(PADIC_C128, 1, &modes, 0);
    if (!below(3)) d.kinetic = view_of(PADIC_F64, below(2), &modes, 1);
    if (!below(3)) d.mass = view_of(PADIC_F64, below(2), &modes, 1);
    if (!below(3)) d.volumes = view_of(PADIC_F64, below(2), &modes, 1);
    d.method = (padic_field_gft_method)enum_of(2);
    d.dt = real_of(-0.1, 0.1);
    if (!below(3)) d.path = view_of(PADIC_C128, 2, rows, 0);
    if (!below(3)) d.path_rates = view_of(PADIC_C128, 2, rows, 0);
    if (!below(3)) d.volume = view_of(PADIC_F64, 1, rows, 0);
    if (!below(3)) d.charge = view_of(PADIC_F64, 2, rows, 0);
    if (!below(3)) d.energy = view_of(PADIC_F64, 2, rows, 0);
    d.report = below(2) ? &report : NULL;
    answered(context, padic_field_gft_evolve(context, &d), 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static void (*const kinds[])(void) = {plans, transforms, vortices, legacy, group_fields, plans};
    if (size < 2 || size > 4000) return 0;
    begin();
    next_byte = data + 1;
    last_byte = data + size;
    kinds[data[0] % 6]();
    views_end();
    return 0;
}
