#include "plan.h"
#include "../context/state.h"
#include "../core/tensor.h"

#if PADICI_IMPLEMENT_FIELD

// -K Lap psi, and with the rest H psi, by transforms or differences as the plan's method has it.

// One or both of a plan's transforms in place, without factors.
PADICI_FN void padici_field_transform(const padic_field_plan *plan, uint32_t axes,
                                      padic_fft_direction direction, double *psi)
{
    const padic_env *env = plan->context ? &plan->context->env : NULL;
    uint32_t i;
    for (i = 0; i < 2; i++) {
        padic_fft_transform_desc fft;
        if (!plan->fft[i] || !(axes & 1u << i)) continue;
        memset(&fft, 0, sizeof fft);
        fft.out = padic_tensor_nd(PADIC_C128, psi, plan->rules.desc.dims, plan->rules.desc.shape);
        fft.axis_count = i ? plan->rules.desc.dims - 1 : 1;
        fft.axis[0] = i;
        fft.axis[1] = i + 1;
        if (fft.axis_count == 1) fft.axis[1] = 0;
        fft.direction = direction;
        fft.scale = PADIC_FFT_SCALE_NONE;
        fft.plan = plan->fft[i];
        (void)padici_fft_run(env, padici_fft_plain(), &fft); // with a plan it cannot fail
    }
}

static void padici_field_modes_piece(const padici_field_pass *pass,
                                     const padici_field_piece *piece, double *sums)
{
    const padic_field_plan *plan = pass->plan;
    const double line = plan->k[0][piece->i[0]] + plan->k[1][piece->i[1]];
    const double *k = plan->k[2] + piece->i[2];
    double *out = pass->out + 2 * piece->at;
    uint64_t i;
    (void)sums;
    for (i = 0; i < piece->count; i++) {
        const double factor = (line + k[i]) * pass->value[0];
        out[2 * i] *= factor;
        out[2 * i + 1] *= factor;
    }
}

// The neighbour of point i along an axis of n; NULL: beyond a wall.
static const double *padici_field_neighbour(const double *at, uint64_t i, uint64_t n,
                                            uint64_t stride, int up,
                                            padic_field_boundary boundary)
{
    const uint64_t step = 2 * stride;
    if (up ? i + 1 < n : i > 0) return up ? at + step : at - step;
    if (boundary == PADIC_FIELD_BOUNDARY_DIRICHLET) return NULL;
    if (boundary == PADIC_FIELD_BOUNDARY_NEUMANN) return at;
    return up ? at - (n - 1) * step : at + (n - 1) * step;
}

static void padici_field_stencil_piece(const padici_field_pass *pass,
                                       const padici_field_piece *piece, double *sums)
{
    const padici_field_rules *rules = &pass->plan->rules;
    const uint64_t stride[3] = {rules->n[1] * rules->n[2], rules->n[2], 1};
    const double *in = pass->in + 2 * piece->at;
    double *out = pass->out + 2 * piece->at;
    uint64_t i;
    uint32_t a;
    (void)sums;
    for (i = 0; i < piece->count; i++, in += 2, out += 2) {
        double re = 0, im = 0;
        for (a = rules->first; a < 3; a++) {
            const double scale = rules->desc.kinetic / (rules->h[a] * rules->h[a]);
            const uint64_t at = piece->i[a] + (a == 2 ? i : 0);
            const padic_field_boundary b = rules->desc.boundary[a - rules->first];
            const double *up = padici_field_neighbour(in, at, rules->n[a], stride[a], 1, b);
            const double *down = padici_field_neighbour(in, at, rules->n[a], stride[a], 0, b);
            re += scale * (2 * in[0] - (up ? up[0] : 0) - (down ? down[0] : 0));
            im += scale * (2 * in[1] - (up ? up[1] : 0) - (down ? down[1] : 0));
        }
        out[0] = re;
        out[1] = im;
    }
}

// out = -K Lap psi.
PADICI_FN void padici_field_kinetic(const padic_field_plan *plan, const double *psi, double *out)
{
    padici_field_pass pass;
    memset(&pass, 0, sizeof pass);
    pass.plan = plan;
    pass.out = out;
    if (!plan->rules.spectral) {
        pass.in = psi;
        pass.piece = padici_field_stencil_piece;
        padici_field_run(&pass, NULL);
        return;
    }
    padici_field_copy(plan, psi, out);
    padici_field_transform(plan, 3, PADIC_FFT_FORWARD, out);
    pass.piece = padici_field_modes_piece;
    pass.value[0] = 1 / (double)plan->rules.points;
    padici_field_run(&pass, NULL);
    padici_field_transform(plan, 3, PADIC_FFT_INVERSE, out);
}

// ---- rotation: -Omega L_z = Omega (y (-i d/dx) - x (-i d/dy)), a part at a time

// In the mixed representation of axis 0 (number 0) or of the others (1): times y k_x or -x k_y, and
// the sum of that over the field.
static void padici_field_turning_piece(const padici_field_pass *pass,
                                       const padici_field_piece *piece, double *sums)
{
    const padic_field_plan *plan = pass->plan;
    const uint32_t x = plan->rules.first, y = x + 1;
    double *out = pass->out + 2 * piece->at, sum = 0;
    uint64_t i;
    for (i = 0; i < piece->count; i++) {
        const uint64_t at_x = piece->i[x], at_y = piece->i[y] + (y == 2 ? i : 0);
        const double factor = pass->number[0] ? -plan->x[x][at_x] * plan->slope[y][at_y]
                                              : plan->x[y][at_y] * plan->slope[x][at_x];
        sum += factor * (out[2 * i] * out[2 * i] + out[2 * i + 1] * out[2 * i + 1]);
        out[2 * i] *= factor * pass->value[0];
        out[2 * i + 1] *= factor * pass->value[0];
    }
    sums[0] += sum;
}

static void padici_field_add_piece(const padici_field_pass *pass, const padici_field_piece *piece,
                                   double *sums)
{
    const double *in = pass->in + 2 * piece->at;
    double *out = pass->out + 2 * piece->at;
    uint64_t i;
    (void)sums;
    for (i = 0; i < 2 * piece->count; i++) out[i] += in[i];
}

// Points of the axes that part 0 or 1 transforms.
static double padici_field_part(const padic_field_plan *plan, uint32_t part)
{
    const double n = (double)plan->rules.n[plan->rules.first];
    return part ? (double)plan->rules.points / n : n;
}

// out -= Omega L_z psi.
PADICI_FN void padici_field_rotation(const padic_field_plan *plan, const double *psi, double *space,
                                     double *out)
{
    padici_field_pass pass;
    double sums[PADICI_FIELD_SUMS];
    uint32_t part;
    for (part = 0; part < 2; part++) {
        padici_field_copy(plan, psi, space);
        padici_field_transform(plan, 1u << part, PADIC_FFT_FORWARD, space);
        memset(&pass, 0, sizeof pass);
        pass.plan = plan;
        pass.out = space;
        pass.number[0] = part;
        pass.value[0] = plan->rules.desc.rotation / padici_field_part(plan, part);
        pass.piece = padici_field_turning_piece;
        padici_field_run(&pass, sums);
        padici_field_transform(plan, 1u << part, PADIC_FFT_INVERSE, space);
        pass.in = space;
        pass.out = out;
        pass.piece = padici_field_add_piece;
        padici_field_run(&pass, NULL);
    }
}

static void padici_field_differences_piece(const padici_field_pass *pass,
                                           const padici_field_piece *piece, double *sums)
{
    const padic_field_plan *plan = pass->plan;
    const padici_field_rules *rules = &plan->rules;
    const uint64_t stride[3] = {rules->n[1] * rules->n[2], rules->n[2], 1};
    const double *in = pass->in + 2 * piece->at;
    uint64_t i;
    uint32_t a;
    for (i = 0; i < piece->count; i++, in += 2)
        for (a = rules->first; a < rules->first + 2; a++) { // conj(psi) (-i) d psi, its real part
            const uint32_t b = a == rules->first ? a + 1 : a - 1;
            const uint64_t at = piece->i[a] + (a == 2 ? i : 0);
            const uint64_t other = piece->i[b] + (b == 2 ? i : 0);
            const padic_field_boundary wall = rules->desc.boundary[a - rules->first];
            const double *up = padici_field_neighbour(in, at, rules->n[a], stride[a], 1, wall);
            const double *down = padici_field_neighbour(in, at, rules->n[a], stride[a], 0, wall);
            const double re = (up ? up[0] : 0) - (down ? down[0] : 0);
            const double im = (up ? up[1] : 0) - (down ? down[1] : 0);
            const double p = (in[0] * im - in[1] * re) / (2 * rules->h[a]);
            sums[0] += (a == rules->first ? -plan->x[b][other] : plan->x[b][other]) * p;
        }
}

// <psi|L_z psi>.
PADICI_FN double padici_field_turning(const padic_field_plan *plan, const double *psi,
                                      double *space)
{
    padici_field_pass pass;
    double sums[PADICI_FIELD_SUMS], total = 0;
    uint32_t part;
    if (plan->rules.desc.dims < 2) return 0;
    memset(&pass, 0, sizeof pass);
    pass.plan = plan;
    if (!plan->rules.spectral) {
        pass.in = psi;
        pass.piece = padici_field_differences_piece;
        padici_field_run(&pass, sums);
        return sums[0] * plan->rules.volume;
    }
    for (part = 0; part < 2; part++) {
        padici_field_copy(plan, psi, space);
        padici_field_transform(plan, 1u << part, PADIC_FFT_FORWARD, space);
        pass.out = space;
        pass.number[0] = part;
        pass.value[0] = 1;
        pass.piece = padici_field_turning_piece;
        padici_field_run(&pass, sums);
        total -= sums[0] / padici_field_part(plan, part);
    }
    return total * plan->rules.volume;
}

static void padici_field_local_piece(const padici_field_pass *pass,
                                     const padici_field_piece *piece, double *sums)
{
    const double *in = pass->in + 2 * piece->at;
    double *out = pass->out + 2 * piece->at;
    uint64_t i;
    (void)sums;
    for (i = 0; i < piece->count; i++, in += 2, out += 2) {
        const double density = in[0] * in[0] + in[1] * in[1];
        const double u = padici_field_rate(pass->plan, piece, i, density);
        out[0] += u * in[0];
        out[1] += u * in[1];
    }
}

// out += U psi, the potential and the interaction.
PADICI_FN void padici_field_local(const padic_field_plan *plan, const double *psi, double *out)
{
    padici_field_pass pass;
    memset(&pass, 0, sizeof pass);
    pass.plan = plan;
    pass.in = psi;
    pass.out = out;
    pass.piece = padici_field_local_piece;
    padici_field_run(&pass, NULL);
}

// out = H psi. `space` is used with rotation only.
PADICI_FN void padici_field_hamilton(const padic_field_plan *plan, const double *psi,
                                     double *space, double *out)
{
    padici_field_kinetic(plan, psi, out);
    if (plan->rules.desc.rotation != 0) padici_field_rotation(plan, psi, space, out);
    padici_field_local(plan, psi, out);
}

#endif
