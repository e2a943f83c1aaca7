// program: rollout_spectrum
// texts: number.cl units.cl
// spectrum.cl: the spectrum of a frame. Transforms of rows, then of columns, as sums: of 8 cells
// one after another, and of those sums with what each addition lost. A number near the mean is
// taken from the cells first, and comes back in the first mode, so that it rounds nothing else.
#define ROLLOUT_SPECTRUM_CELLS 4096u // numbers of local memory

typedef struct {
    pd_u32 height, width, columns; // columns: of modes, W/2 + 1
    pd_u32 lines, chunks, shared;  // rows of a group; groups of a channel; channels of a part
    pd_u32 x, sums, units, modes;  // of a trajectory's numbers
    pd_u32 turns, step;            // turns: among the weights, W of a row and then H of a column
    pd_f32 scale;                  // 1/(H W)
} padic_k_rollout_spectrum_params;

typedef struct {
    pd_f32 re, im;
} rollout_mode;

// Sum of `count` numbers, complex or real, from `at` of local memory on, each times e^(-2 pi i j
// q/n).
PD_FN rollout_mode rollout_mode_of(PD_LPTR(const pd_f32) room, pd_u32 at, pd_u32 real,
                                   PD_GPTR(const pd_f32) weights, pd_u32 turns, pd_u32 count,
                                   pd_u32 q)
{
    rollout_mode sum;
    pd_f32 lost_re = 0.0f, lost_im = 0.0f;
    pd_u32 turn = 0u, j = 0u;
    sum.re = sum.im = 0.0f;
    while (j < count) {
        const pd_u32 end = count - j < 8u ? count : j + 8u;
        pd_f32 re = 0.0f, im = 0.0f, next;
        for (; j < end; j++) {
            const pd_f32 c = weights[turns + 2u * turn], s = weights[turns + 2u * turn + 1u];
            const pd_f32 a = room[real > 0u ? at + j : at + 2u * j];
            const pd_f32 b = real > 0u ? 0.0f : room[at + 2u * j + 1u];
            re = PD_FMA(a, c, PD_FMA(b, s, re));
            im = PD_FMA(b, c, PD_FMA(-a, s, im));
            turn += q;
            if (turn >= count) turn -= count;
        }
        re -= lost_re;
        im -= lost_im;
        next = sum.re + re;
        lost_re = (next - sum.re) - re;
        sum.re = next;
        next = sum.im + im;
        lost_im = (next - sum.im) - im;
        sum.im = next;
    }
    return sum;
}

PD_FN pd_f32 rollout_spectrum_about(PD_GPTR(const pd_f32) fields, pd_u32 channel, pd_u32 of,
                                    pd_f32 unit, pd_u32 sums, pd_u32 chunks)
{
    return rollout_about(fields, sums + of + ROLLOUT_SUMS * channel * chunks, ROLLOUT_ABOUT, unit);
}

PD_KERNEL_WG(padic_k_rollout_spectrum_rows, ROLLOUT_WG)
(PD_BUF(pd_f32, fields), PD_CBUF(pd_f32, weights), PD_PARAMS(padic_k_rollout_spectrum_params, k))
{
    PD_LOCAL pd_f32 room[ROLLOUT_SPECTRUM_CELLS];
    const pd_u32 c = PD_GRP_Y, of = PD_GRP_Z * k.step, y = PD_GRP * k.lines;
    const pd_u32 lines = k.height - y < k.lines ? k.height - y : k.lines;
    const pd_u32 at = k.x + of + (c * k.height + y) * k.width;
    const pd_f32 unit = fields[k.units + of + c / k.shared];
    const pd_f32 mean = rollout_spectrum_about(fields, c, of, unit, k.sums, k.chunks);
    for (pd_u32 i = PD_LID; i < lines * k.width; i += ROLLOUT_WG) {
        const pd_u32 line = i / k.width;
        room[i + line] = fields[at + i] * unit - mean; // a gap after each row: banks
    }
    PD_BARRIER();
    for (pd_u32 e = PD_LID; e < lines * k.columns; e += ROLLOUT_WG) {
        const pd_u32 q = e / lines, line = e - q * lines;
        const pd_u32 to = k.modes + of + 2u * ((c * k.columns + q) * k.height + y + line);
        const rollout_mode sum = rollout_mode_of(room, line * (k.width + 1u), 1u, weights, k.turns,
                                                 k.width, q);
        fields[to] = sum.re;
        fields[to + 1u] = sum.im;
    }
}

// |X_q|^2/(H W)^2 of a column of modes, in units, where the first half of its numbers was.
PD_KERNEL_WG(padic_k_rollout_spectrum_columns, ROLLOUT_WG)
(PD_BUF(pd_f32, fields), PD_CBUF(pd_f32, weights), PD_PARAMS(padic_k_rollout_spectrum_params, k))
{
    PD_LOCAL pd_f32 room[ROLLOUT_SPECTRUM_CELLS];
    const pd_u32 c = PD_GRP_Y, of = PD_GRP_Z * k.step;
    const pd_u32 at = k.modes + of + 2u * (c * k.columns + PD_GRP) * k.height;
    const pd_f32 unit = fields[k.units + of + c / k.shared];
    const pd_f32 mean = rollout_spectrum_about(fields, c, of, unit, k.sums, k.chunks);
    for (pd_u32 i = PD_LID; i < 2u * k.height; i += ROLLOUT_WG) room[i] = fields[at + i];
    PD_BARRIER_ALL();
    for (pd_u32 q = PD_LID; q < k.height; q += ROLLOUT_WG) {
        const rollout_mode sum = rollout_mode_of(room, 0u, 0u, weights, k.turns + 2u * k.width,
                                                 k.height, q);
        const pd_f32 re = sum.re * k.scale + (q + PD_GRP == 0u ? mean : 0.0f);
        const pd_f32 im = sum.im * k.scale;
        fields[at + q] = PD_FMA(re, re, im * im);
    }
}

typedef struct {
    pd_u32 height, width, columns, shared;
    pd_u32 units, modes, step;
    pd_u32 out, row, group, first; // where the first band is; numbers of a row, of a part
} padic_k_rollout_bands_params;

// The least y with y^2 >= rest.
PD_FN pd_u32 rollout_band_from(pd_u32 rest)
{
    const pd_f32 root = PD_SQRT((pd_f32)rest);
    pd_u32 y = (pd_u32)root;
    while (y * y < rest) y += 1u;
    while (y > 0u && (y - 1u) * (y - 1u) >= rest) y -= 1u;
    return y;
}

// A band of a part: round(|q|) = b is b^2 - b < |q|^2 <= b^2 + b, of b = 0 q = 0.
PD_KERNEL_WG(padic_k_rollout_spectrum_bands, ROLLOUT_WG)
(PD_CBUF(pd_f32, fields), PD_BUF(pd_f32, out), PD_PARAMS(padic_k_rollout_bands_params, k))
{
    PD_LOCAL pd_f32 room[ROLLOUT_WG];
    const pd_u32 band = PD_GRP, of = PD_GRP_Z * k.step;
    const pd_u32 least = band > 0u ? band * band - band + 1u : 0u, most = band * band + band;
    const pd_u32 own = band < k.columns ? band + 1u : k.columns; // columns that may be in it
    const pd_f32 unit = fields[k.units + of + PD_GRP_Y], size = rollout_inverse(unit);
    pd_f32 sum = 0.0f;
    for (pd_u32 e = PD_LID; e < own * k.shared; e += ROLLOUT_WG) {
        const pd_u32 c = e / own, x = e - c * own;
        const pd_u32 column = (PD_GRP_Y * k.shared + c) * k.columns + x;
        const pd_u32 at = k.modes + of + 2u * column * k.height;
        pd_u32 y = rollout_band_from(least > x * x ? least - x * x : 0u);
        pd_f32 part = 0.0f;
        for (; 2u * y <= k.height && x * x + y * y <= most; y++) {
            part += fields[at + y];
            if (y > 0u && 2u * y < k.height) part += fields[at + k.height - y];
        }
        sum += x > 0u && 2u * x != k.width ? 2.0f * part : part; // for -q
    }
    room[PD_LID] = sum;
    rollout_rows(room, 1u, 0u);
    if (PD_LID == 0u && unit > 0.0f)
        out[k.out + (k.first + PD_GRP_Z) * k.row + PD_GRP_Y * k.group + band] =
            room[0] / (pd_f32)k.shared * size * size;
}
