// @per-level
#ifndef PADIC_NO_TENSOR

// QR, and reduction to bidiagonal and tridiagonal form: one matrix, in vectors along its columns.
// The reflections of the latter two are applied when the next column is known, in the same pass as
// that column's products (Howell and others 2008).

// a (down x n) to R in r (r->x NULL: none) and reflections in its columns.
PADICI_TARGET static void PADICI_GK(qr)(const PADICI_GK(room) *m, const PADICI_GK(matrix) *r,
                                        double *tau)
{
    const size_t count = m->m < m->n ? m->m : m->n, parts = m->paired ? 2 : 1;
    const int each = m->n <= 8; // a block does not pay
    size_t j, k, p;
    for (k = 0; k < count; k += 4) {
        const uint32_t some = count - k < 4 ? (uint32_t)(count - k) : 4;
        for (j = k; j < k + some; j++) {
            PADICI_REAL *x = m->a.x + j * m->a.step, *to = r->x + j * r->step;
            double beta;
            for (p = 0; p < parts; p++)
                memcpy(to + p * r->im, x + p * m->a.im, j * sizeof *x);
            PADICI_GK(reflector)(m->paired, x, m->a.im, j, m->down, &beta, tau + 2 * j);
            to[j] = (PADICI_REAL)beta;
            PADICI_GK(reflect)(m, &m->a, j, 1, j, tau + 2 * j, 1, &m->a, j + 1,
                               each ? m->n : k + some, m->down);
        }
        if (each) continue;
        PADICI_GK(reflect)(m, &m->a, k, some, k, tau + 2 * k, 1, &m->a, k + some, m->n, m->down);
    }
    for (j = count; j < m->n; j++)
        for (p = 0; p < parts; p++)
            memcpy(r->x + j * r->step + p * r->im, m->a.x + j * m->a.step + p * m->a.im,
                   count * sizeof *m->a.x);
}

// The pass over columns that carries what is not yet subtracted from them.
static void PADICI_GK(pass_begin)(const PADICI_GK(room) *m, const PADICI_GK(matrix) *a,
                                  PADICI_GK(pass) *p)
{
    const size_t parts = m->paired ? 2 : 1;
    p->a = *a;
    p->v = m->vector[0];
    p->x = m->vector[1];
    p->w = NULL;
    p->f = m->factor[0];
    p->g = m->factor[1];
    p->sums = m->sums;
    p->factor_im = m->line;
    p->begin = 0;
    p->end = a->im;
    memset(m->vector[0], 0, parts * a->im * sizeof *a->x);
    memset(m->vector[1], 0, parts * a->im * sizeof *a->x);
    memset(m->factor[0], 0, parts * m->line * sizeof *a->x);
    memset(m->factor[1], 0, parts * m->line * sizeof *a->x);
}

// f_j = -conj(tau) sum_j, and row k of the columns after it, conjugated, to y.
static void PADICI_GK(bidiagonal_row)(const PADICI_GK(room) *m, const PADICI_GK(matrix) *a,
                                      size_t k, const double *tau, PADICI_REAL *y)
{
    const PADICI_REAL re = (PADICI_REAL)tau[0], im = (PADICI_REAL)tau[1], *s = m->sums;
    PADICI_REAL *f = m->factor[0];
    size_t j;
    for (j = k + 1; j < m->n; j++) {
        const PADICI_REAL *c = a->x + j * a->step + k;
        if (m->paired) {
            f[j] = -(re * s[j] + im * s[m->line + j]);
            f[m->line + j] = -(re * s[m->line + j] - im * s[j]);
            y[m->right + j] = -(c[a->im] + f[m->line + j]);
        } else {
            f[j] = -re * s[j];
        }
        y[j] = c[0] + f[j];
    }
}

// x = -tau (a y + v (f^T y)), and g = conj(y).
PADICI_TARGET static void PADICI_GK(bidiagonal_column)(const PADICI_GK(room) *m,
                                                       PADICI_GK(pass) *p, size_t k,
                                                       const double *tau, const PADICI_REAL *y)
{
    const size_t parts = m->paired ? 2 : 1;
    const PADICI_REAL *f = m->factor[0], *v = p->v;
    PADICI_REAL *x = m->vector[1], *g = m->factor[1], *z = m->factor[2], re = 0, im = 0;
    size_t i, j;
    for (j = k + 1; j < m->n; j++) {
        g[j] = z[j] = y[j];
        re += f[j] * y[j];
        if (!m->paired) continue;
        z[m->line + j] = y[m->right + j];
        g[m->line + j] = -y[m->right + j];
        re -= f[m->line + j] * y[m->right + j];
        im += f[j] * y[m->right + j] + f[m->line + j] * y[j];
    }
    p->f = z;
    PADICI_GK(combine)(m->paired, p, k + 1, m->n, x);
    p->f = f;
    for (i = p->begin; i < p->end; i++) {
        x[i] += v[i] * re;
        if (parts == 1) continue;
        x[i] -= v[p->a.im + i] * im;
        x[p->a.im + i] += v[i] * im + v[p->a.im + i] * re;
    }
    PADICI_GK(times)(m->paired, x, p->a.im, p->begin, p->end, -tau[0], -tau[1]);
}

// a (padded rows x n) = Q B P^dagger, B upper bidiagonal with d and e: reflections of Q in the
// columns of a, of P in those of w (from row k + 1 on). w.step 0: those of P are not kept.
PADICI_TARGET static void PADICI_GK(bidiagonal)(PADICI_GK(room) *m, const PADICI_GK(matrix) *a)
{
    PADICI_GK(pass) p;
    size_t k;
    PADICI_GK(pass_begin)(m, a, &p);
    for (k = 0; k < m->n; k++) {
        PADICI_REAL *x = a->x + k * a->step, *y = m->w.x + k * m->w.step;
        p.w = p.v;
        if (k) PADICI_GK(pass_over)(m->paired, &p, k, k + 1);
        PADICI_GK(reflector)(m->paired, x, a->im, k, a->im, m->d + k, m->tau[0] + 2 * k);
        m->e[k] = 0;
        if (k + 1 == m->n) break;
        p.w = x;
        p.begin = PADICI_DOWN(k);
        PADICI_GK(pass_over)(m->paired, &p, k + 1, m->n);
        PADICI_GK(bidiagonal_row)(m, a, k, m->tau[0] + 2 * k, y);
        PADICI_GK(reflector)(m->paired, y, m->right, k + 1, m->right, m->e + k,
                             m->tau[1] + 2 * k);
        p.v = x;
        PADICI_GK(bidiagonal_column)(m, &p, k, m->tau[1] + 2 * k, y);
    }
}

// Of Hermitian a (padded rows x n): w = tau a v - (tau (tau a v)^dagger v / 2) v from the sums
// v^dagger a, and the factors of v and w in the next pass.
PADICI_TARGET static void PADICI_GK(tridiagonal_column)(const PADICI_GK(room) *m,
                                                        const PADICI_GK(pass) *p, size_t k,
                                                        const double *tau)
{
    const PADICI_REAL re = (PADICI_REAL)tau[0], im = (PADICI_REAL)tau[1], *s = m->sums, *v = p->w;
    PADICI_REAL *w = m->vector[1], *f = m->factor[0], *g = m->factor[1];
    const size_t line = m->line, a_im = p->a.im;
    double x = 0, y = 0, h[2];
    size_t j;
    for (j = PADICI_DOWN(k + 1); j < p->end; j++) {
        const int in = j > k && j < m->n;
        w[j] = in ? re * s[j] : 0;
        if (m->paired) {
            w[j] = in ? re * s[j] + im * s[line + j] : 0;
            w[a_im + j] = in ? im * s[j] - re * s[line + j] : 0;
            y += (double)(w[j] * v[a_im + j] - w[a_im + j] * v[j]);
            x += (double)(w[a_im + j] * v[a_im + j]);
        }
        x += (double)(w[j] * v[j]);
    }
    h[0] = -(tau[0] * x - tau[1] * y) / 2;
    h[1] = -(tau[0] * y + tau[1] * x) / 2;
    for (j = k + 1; j < m->n; j++) {
        if (m->paired) {
            w[j] += (PADICI_REAL)(h[0] * (double)v[j] - h[1] * (double)v[a_im + j]);
            w[a_im + j] += (PADICI_REAL)(h[0] * (double)v[a_im + j] + h[1] * (double)v[j]);
            f[line + j] = w[a_im + j];
            g[line + j] = v[a_im + j];
        } else {
            w[j] += (PADICI_REAL)h[0] * v[j];
        }
        f[j] = -w[j];
        g[j] = -v[j];
    }
}

// Hermitian a = Q T Q^dagger, T real with d and e: reflections of Q in the columns of a, from row
// k + 1 on.
PADICI_TARGET static void PADICI_GK(tridiagonal)(PADICI_GK(room) *m, const PADICI_GK(matrix) *a)
{
    PADICI_GK(pass) p;
    size_t k;
    PADICI_GK(pass_begin)(m, a, &p);
    for (k = 0; k < m->n; k++) {
        PADICI_REAL *x = a->x + k * a->step;
        p.w = p.v;
        if (k) PADICI_GK(pass_over)(m->paired, &p, k, k + 1);
        m->d[k] = (double)x[k];
        m->e[k] = 0;
        if (k + 1 == m->n) break;
        PADICI_GK(reflector)(m->paired, x, a->im, k + 1, a->im, m->e + k, m->tau[0] + 2 * k);
        p.w = x;
        p.begin = PADICI_DOWN(k + 1);
        PADICI_GK(pass_over)(m->paired, &p, k + 1, m->n);
        PADICI_GK(tridiagonal_column)(m, &p, k, m->tau[0] + 2 * k);
        p.v = x;
    }
}

#endif
