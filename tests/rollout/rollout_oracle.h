// rollout_oracle.h: lists of nodes on planes of doubles, loop by loop from the formulas of the
// header. Nothing of the library is called.
#pragma once

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct oracle_field {
    uint32_t c, h, w;
    double *at, *slack; // (c, h, w); slack: sums of |w x| and |b| of a last convolution
} oracle_field;

// Rounding errors: of each sum and each result, random, up to this part of it. 0: none.
static double oracle_error;
static uint64_t oracle_state = 88172645463325252u;

static double oracle_wrong(double size)
{
    oracle_state ^= oracle_state << 13, oracle_state ^= oracle_state >> 7;
    oracle_state ^= oracle_state << 17;
    return oracle_error * size * ((double)(oracle_state >> 11) / 4503599627370496.0 - 1);
}

static double oracle_cell(const oracle_field *f, uint32_t c, int64_t y, int64_t x, int boundary)
{
    int64_t at[2] = {y, x};
    const int64_t n[2] = {f->h, f->w};
    for (int a = 0; a < 2; a++) {
        if (at[a] >= 0 && at[a] < n[a]) continue;
        if (boundary == PADIC_ROLLOUT_BOUNDARY_ZERO) return 0;
        if (boundary == PADIC_ROLLOUT_BOUNDARY_PERIODIC)
            while (at[a] < 0 || at[a] >= n[a]) at[a] += at[a] < 0 ? n[a] : -n[a];
        if (boundary == PADIC_ROLLOUT_BOUNDARY_REFLECT)
            at[a] = at[a] < 0 ? -at[a] : 2 * (n[a] - 1) - at[a];
        if (boundary == PADIC_ROLLOUT_BOUNDARY_REPLICATE) at[a] = at[a] < 0 ? 0 : n[a] - 1;
    }
    return f->at[((uint64_t)c * f->h + (uint64_t)at[0]) * f->w + (uint64_t)at[1]];
}

static double oracle_act(int act, double x)
{
    if (x < -1e9 && act != PADIC_ROLLOUT_ACT_NONE && act != PADIC_ROLLOUT_ACT_TANH) return 0;
    switch (act) {
    case PADIC_ROLLOUT_ACT_GELU_ERF: return x / 2 * erfc(-x / sqrt(2.0));
    case PADIC_ROLLOUT_ACT_RELU: return x < 0 ? 0 : x;
    case PADIC_ROLLOUT_ACT_GELU_TANH: {
        const double z = 2 * sqrt(2 / acos(-1.0)) * (x + 0.044715 * pow(x, 3));
        return x / (1 + exp(-z)); // (1 + tanh(z / 2)) / 2
    }
    case PADIC_ROLLOUT_ACT_SILU: return x / (1 + exp(-x));
    case PADIC_ROLLOUT_ACT_TANH: return tanh(x);
    default: return x;
    }
}

static oracle_field oracle_new(uint32_t c, uint32_t h, uint32_t w)
{
    oracle_field f;
    f.c = c, f.h = h, f.w = w;
    f.at = (double *)calloc((size_t)c * h * w, sizeof(double));
    f.slack = (double *)calloc((size_t)c * h * w, sizeof(double));
    if (!f.at || !f.slack) exit(1);
    return f;
}

static void oracle_end(oracle_field *f)
{
    free(f->at);
    free(f->slack);
}

static void oracle_conv(const padic_rollout_node *n, const oracle_field *in, const double *w,
                        const double *b, oracle_field *out)
{
    const int64_t k = n->kernel ? n->kernel : 3, s = n->stride ? n->stride : 1, p = (k - 1) / 2;
    for (uint32_t o = 0; o < out->c; o++)
        for (uint32_t y = 0; y < out->h; y++)
            for (uint32_t x = 0; x < out->w; x++) {
                double sum = b ? b[o] : 0, slack = fabs(sum);
                for (uint32_t i = 0; i < in->c; i++)
                    for (int64_t dy = 0; dy < k; dy++)
                        for (int64_t dx = 0; dx < k; dx++) {
                            const double v = w[((o * (uint64_t)in->c + i) * (uint64_t)k +
                                                (uint64_t)dy) * (uint64_t)k + (uint64_t)dx] *
                                             oracle_cell(in, i, s * y + dy - p, s * x + dx - p,
                                                         (int)n->boundary);
                            sum += v;
                            slack += fabs(v);
                        }
                out->at[((uint64_t)o * out->h + y) * out->w + x] = sum + oracle_wrong(slack);
                out->slack[((uint64_t)o * out->h + y) * out->w + x] = slack;
            }
}

static void oracle_norm(const padic_rollout_node *n, oracle_field *f, const double *w)
{
    const uint64_t cells = (uint64_t)f->h * f->w;
    const double *gamma = n->flags & PADIC_ROLLOUT_AFFINE ? w : NULL;
    const double *given = w + (gamma ? 2 * f->c : 0);
    uint32_t groups = n->groups;
    if (n->norm == PADIC_ROLLOUT_NORM_INSTANCE) groups = f->c;
    if (n->norm == PADIC_ROLLOUT_NORM_LAYER) groups = 1;
    if (n->norm == PADIC_ROLLOUT_NORM_GROUP && !groups)
        for (uint32_t g = 1; g <= 32; g++)
            if (f->c % g == 0) groups = g;
    for (uint32_t c = 0; c < f->c; c++) {
        const uint32_t each = groups ? f->c / groups : 1, first = c / each * each;
        double mu = 0, var = 1;
        if (n->norm == PADIC_ROLLOUT_NORM_FROZEN) {
            if (n->flags & PADIC_ROLLOUT_STATISTICS) mu = given[c], var = given[f->c + c];
        } else { // of the values before: slack keeps a copy of them
            const double *x = f->slack + first * cells;
            for (uint64_t i = 0; i < each * cells; i++) mu += x[i];
            mu /= (double)(each * cells);
            var = 0;
            for (uint64_t i = 0; i < each * cells; i++) var += (x[i] - mu) * (x[i] - mu);
            var /= (double)(each * cells);
        }
        for (uint64_t i = c * cells; i < (c + 1) * cells; i++)
            f->at[i] = (gamma ? gamma[c] : 1) * (f->slack[i] - mu) /
                           sqrt(var + (n->eps > 0 ? (double)n->eps : (double)1e-5f)) +
                       (gamma ? gamma[f->c + c] : 0);
    }
}

static void oracle_up(const padic_rollout_node *n, const oracle_field *in, const double *w,
                      oracle_field *out)
{
    const int boundary = n->boundary == PADIC_ROLLOUT_BOUNDARY_ZERO
                             ? PADIC_ROLLOUT_BOUNDARY_REPLICATE
                             : (int)n->boundary;
    for (uint32_t o = 0; o < out->c; o++)
        for (uint32_t y = 0; y < out->h; y++)
            for (uint32_t x = 0; x < out->w; x++) {
                double *to = out->at + ((uint64_t)o * out->h + y) * out->w + x;
                const double sy = (y + 0.5) / 2 - 0.5, sx = (x + 0.5) / 2 - 0.5;
                const double fy = sy - floor(sy), fx = sx - floor(sx);
                *to = 0;
                if (n->up == PADIC_ROLLOUT_UP_NEAREST) {
                    *to = oracle_cell(in, o, y / 2, x / 2, boundary);
                } else if (n->up == PADIC_ROLLOUT_UP_BILINEAR) {
                    for (int dy = 0; dy < 2; dy++)
                        for (int dx = 0; dx < 2; dx++)
                            *to += (dy ? fy : 1 - fy) * (dx ? fx : 1 - fx) *
                                   oracle_cell(in, o, (int64_t)floor(sy) + dy,
                                               (int64_t)floor(sx) + dx, boundary);
                } else {
                    for (uint32_t i = 0; i < in->c; i++)
                        *to += w[(i * (uint64_t)out->c + o) * 4 + y % 2 * 2 + x % 2] *
                               oracle_cell(in, i, y / 2, x / 2, boundary);
                    *to += w[4 * (uint64_t)in->c * out->c + o];
                }
            }
}

// The direct sums of 1/sqrt(H W) exp(-+ 2 pi i (q_y y/H + q_x x/W)), over a whole plane of modes.
static void oracle_spectral(const padic_rollout_node *n, const oracle_field *in, const double *w,
                            oracle_field *out)
{
    const int64_t H = in->h, W = in->w, m = n->modes, cells = H * W;
    const int one = (n->flags & PADIC_ROLLOUT_ONE_SIDED) != 0;
    double *table = (double *)calloc((size_t)(2 * (H + W)), 8), *x, *y;
    int64_t rows[256], row_count = 0, columns = m < W / 2 + 1 ? m : W / 2 + 1, count;
    for (int64_t q = 0; q < H && q < m; q++)
        if (one || 2 * q < H) rows[row_count++] = q;
    for (int64_t q = -m; q < 0 && !one; q++)
        if (-2 * q <= H) rows[row_count++] = q + H;
    count = row_count * columns;
    x = (double *)calloc((size_t)(2 * in->c * count), 8);
    y = (double *)calloc((size_t)(2 * cells), 8);
    if (!table || !x || !y) exit(1);
    for (int64_t i = 0; i < H; i++)
        table[2 * i] = cos(2 * acos(-1.0) * (double)i / (double)H),
        table[2 * i + 1] = sin(2 * acos(-1.0) * (double)i / (double)H);
    for (int64_t i = 0; i < W; i++)
        table[2 * (H + i)] = cos(2 * acos(-1.0) * (double)i / (double)W),
        table[2 * (H + i) + 1] = sin(2 * acos(-1.0) * (double)i / (double)W);
#define ORACLE_RE(a, b) (table[2 * (a)] * table[2 * (b)] - table[2 * (a) + 1] * table[2 * (b) + 1])
#define ORACLE_IM(a, b) (table[2 * (a)] * table[2 * (b) + 1] + table[2 * (a) + 1] * table[2 * (b)])
    for (int64_t c = 0; c < in->c; c++)
        for (int64_t q = 0; q < count; q++)
            for (int64_t i = 0; i < cells; i++) {
                const int64_t a = rows[q / columns] * (i / W) % H;
                const int64_t b = H + q % columns * (i % W) % W;
                const double v = in->at[c * cells + i] / sqrt((double)cells);
                x[2 * (c * count + q)] += v * ORACLE_RE(a, b);
                x[2 * (c * count + q) + 1] -= v * ORACLE_IM(a, b);
            }
    for (int64_t o = 0; o < out->c; o++) {
        double size = 0;
        memset(y, 0, (size_t)(2 * cells) * 8);
        for (int64_t q = 0; q < count; q++)
            for (int64_t c = 0; c < in->c; c++) {
                const double *v = x + 2 * (c * count + q);
                const double *u = w + 2 * ((c * out->c + o) * count + q);
                const double re = u[0] * v[0] - u[1] * v[1], im = u[0] * v[1] + u[1] * v[0];
                const int64_t qx = q % columns, qy = rows[q / columns];
                const int64_t other = (H - qy) % H * W + (W - qx) % W;
                const double part = qx == 0 || 2 * qx == W ? 0.5 : 1; // both halves are there
                y[2 * (qy * W + qx)] += part * re, y[2 * (qy * W + qx) + 1] += part * im;
                y[2 * other] += part * re, y[2 * other + 1] -= part * im;
            }
        for (int64_t i = 0; i < cells; i++) {
            double sum = 0;
            for (int64_t q = 0; q < cells; q++) {
                const int64_t a = q / W * (i / W) % H, b = H + q % W * (i % W) % W;
                sum += y[2 * q] * ORACLE_RE(a, b) - y[2 * q + 1] * ORACLE_IM(a, b);
            }
            out->at[o * cells + i] = sum / sqrt((double)cells);
            size += out->at[o * cells + i] * out->at[o * cells + i] / (double)cells;
        }
        for (int64_t i = 0; i < cells; i++) out->at[o * cells + i] += oracle_wrong(sqrt(size));
    }
    free(table), free(x), free(y);
}

// The node's output from those before it (f[0] is the state) and its own weights.
static oracle_field oracle_node(const padic_rollout_node *n, const oracle_field *f,
                                const double *w)
{
    const oracle_field *in = &f[n->input], *skip = &f[n->skip];
    const uint32_t s = n->stride ? n->stride : 1, channels = n->channels ? n->channels : in->c;
    const int norm = n->kind <= PADIC_ROLLOUT_KIND_NORM && n->norm != PADIC_ROLLOUT_NORM_NONE;
    const uint64_t k = n->kernel ? n->kernel : 3;
    oracle_field out;
    uint64_t i, cells;
    switch (n->kind) {
    case PADIC_ROLLOUT_KIND_CONV:
        out = oracle_new(channels, (in->h + s - 1) / s, (in->w + s - 1) / s);
        oracle_conv(n, in, w, norm ? NULL : w + channels * in->c * k * k, &out);
        w += channels * in->c * k * k + (norm ? 0 : channels);
        break;
    case PADIC_ROLLOUT_KIND_CONCAT:
        out = oracle_new(in->c + skip->c, in->h, in->w);
        cells = (uint64_t)in->h * in->w;
        memcpy(out.at, in->at, in->c * cells * 8);
        memcpy(out.at + in->c * cells, skip->at, skip->c * cells * 8);
        break;
    case PADIC_ROLLOUT_KIND_MEAN:
        out = oracle_new(in->c, in->h / 2, in->w / 2);
        for (i = 0; i < (uint64_t)out.c * out.h * out.w; i++) {
            const uint64_t y = i / out.w, x = i % out.w; // y counts the rows of all channels
            const double *at = in->at + 2 * y * in->w + 2 * x;
            out.at[i] = (at[0] + at[1] + at[in->w] + at[in->w + 1]) / 4;
        }
        break;
    case PADIC_ROLLOUT_KIND_SPECTRAL:
        out = oracle_new(channels, in->h, in->w);
        oracle_spectral(n, in, w, &out);
        break;
    case PADIC_ROLLOUT_KIND_UP:
        out = oracle_new(channels, 2 * in->h, 2 * in->w);
        oracle_up(n, in, w, &out);
        break;
    default: // ADD, NORM, NOISE that is quiet
        out = oracle_new(in->c, in->h, in->w);
        cells = (uint64_t)in->h * in->w;
        for (i = 0; i < in->c * cells; i++) {
            out.at[i] = in->at[i];
            if (n->kind != PADIC_ROLLOUT_KIND_ADD) continue;
            if (in->c == skip->c) out.at[i] += skip->at[i];
            else
                for (uint32_t j = 0; j < skip->c; j++)
                    out.at[i] += w[i / cells * skip->c + j] * skip->at[j * cells + i % cells];
        }
    }
    if (norm) {
        memcpy(out.slack, out.at, (size_t)out.c * out.h * out.w * 8);
        oracle_norm(n, &out, w);
    }
    if (n->kind <= PADIC_ROLLOUT_KIND_NORM)
        for (i = 0; i < (uint64_t)out.c * out.h * out.w; i++)
            out.at[i] = oracle_act((int)n->act, out.at[i]);
    for (i = 0; i < (uint64_t)out.c * out.h * out.w && oracle_error > 0; i++)
        out.at[i] += oracle_wrong(fabs(out.at[i]));
    return out;
}

// What NOISE nodes add, of the caller: the node's number, its field. NULL: nothing.
static void (*oracle_noise)(const padic_rollout_node *n, uint32_t site, oracle_field *f);

// All of an operator; the caller frees the field.
static inline oracle_field oracle_run(const padic_rollout_operator *op,
                                      const padic_rollout_shape *shapes, const double *weights,
                                      const double *state)
{
    static oracle_field all[PADIC_ROLLOUT_NODES + 1];
    oracle_field last;
    all[0] = oracle_new(op->channels ? op->channels : 3, op->height, op->width);
    memcpy(all[0].at, state, (size_t)all[0].c * all[0].h * all[0].w * 8);
    for (uint32_t i = 0; i < op->count; i++) {
        all[i + 1] = oracle_node(&op->nodes[i], all, weights + shapes[i].weights);
        if (oracle_noise && op->nodes[i].kind == PADIC_ROLLOUT_KIND_NOISE)
            (*oracle_noise)(&op->nodes[i], i + 1, &all[i + 1]);
    }
    last = all[op->count];
    for (uint32_t i = 0; i < op->count; i++) oracle_end(&all[i]);
    return last;
}
