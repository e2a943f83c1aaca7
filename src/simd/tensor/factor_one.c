// @per-level
#ifndef PADIC_NO_TENSOR

// SVD, QR and eigenvalues of one matrix of a call, in the precision of its numbers.

// Padded rows; columns do not all begin at the same place of the first cache.
static size_t PADICI_GK(padded)(size_t rows)
{
    const size_t whole = PADICI_UP(rows);
    return whole * PADICI_REAL_SIZE % 1024 ? whole : whole + PADICI_LANES;
}

static void *PADICI_GK(take)(uintptr_t *at, size_t bytes)
{
    const uintptr_t from = *at;
    *at += (bytes + 63) / 64 * 64;
    return (void *)from;
}

static void PADICI_GK(take_matrix)(uintptr_t *at, PADICI_GK(matrix) *a, int paired, size_t rows,
                                   size_t columns)
{
    a->im = rows;
    a->step = paired ? 2 * rows : rows;
    a->x = (PADICI_REAL *)PADICI_GK(take)(at, a->step * columns * sizeof *a->x);
}

static size_t PADICI_GK(is_tall)(const PADICI_GK(room) *m)
{
    return (double)m->m > 1.2 * (double)m->n;
}

// Numbers and lines beside the matrices.
static void PADICI_GK(layout_lines)(PADICI_GK(room) *m, uintptr_t *at)
{
    const size_t parts = m->paired ? 2 : 1, line = parts * m->line * sizeof(PADICI_REAL);
    const size_t rows = m->down > m->right ? m->down : m->right;
    uint32_t i;
    for (i = 0; i < 2; i++)
        m->vector[i] = (PADICI_REAL *)PADICI_GK(take)(at, parts * rows * sizeof(PADICI_REAL));
    for (i = 0; i < 3; i++) m->factor[i] = (PADICI_REAL *)PADICI_GK(take)(at, line);
    m->sums = (PADICI_REAL *)PADICI_GK(take)(at, line);
    m->spare = (PADICI_REAL *)PADICI_GK(take)(at, 4 * line);
    for (i = 0; i < 3; i++) m->tau[i] = (double *)PADICI_GK(take)(at, 16 * (m->r + 1));
    m->d = (double *)PADICI_GK(take)(at, 8 * m->r);
    if (!m->v.step) return; // QR
    m->e = (double *)PADICI_GK(take)(at, 8 * m->r);
    m->order = (uint64_t *)PADICI_GK(take)(at, 8 * m->r);
    m->turns.room = 8 * m->r;
    for (i = 0; i < 2; i++) {
        m->turns.c[i] = (double *)PADICI_GK(take)(at, 8 * (size_t)m->turns.room);
        m->turns.s[i] = (double *)PADICI_GK(take)(at, 8 * (size_t)m->turns.room);
    }
}

// Sizes, and places from `space` on; returns the bytes that they take.
static size_t PADICI_GK(layout)(const padici_tensor_factor *f, PADICI_GK(room) *m, double *space)
{
    uintptr_t at = (uintptr_t)space;
    memset(m, 0, offsetof(PADICI_GK(room), turns));
    m->turns.used = m->turns.sweeps = m->turns.sides = 0;
    m->paired = padici_tensor_is_complex(f->tensors[0].dtype);
    m->turn = f->kind == PADICI_TENSOR_FACTOR_SVD && f->m < f->n;
    m->vectors = f->tensors[1].dtype != PADIC_DTYPE_NONE;
    if (f->kind == PADICI_TENSOR_FACTOR_SVD) m->vectors |= f->tensors[2].dtype != PADIC_DTYPE_NONE;
    m->m = (size_t)(m->turn ? f->n : f->m);
    m->n = (size_t)(m->turn ? f->m : f->n);
    m->r = (size_t)f->r;
    m->down = PADICI_GK(padded)(m->m);
    m->right = PADICI_GK(padded)(f->kind == PADICI_TENSOR_FACTOR_QR ? m->r : m->n);
    m->line = PADICI_UP(m->n + 4);
    PADICI_GK(take_matrix)(&at, &m->a, m->paired, m->down, m->n);
    if (f->kind == PADICI_TENSOR_FACTOR_QR) {
        PADICI_GK(take_matrix)(&at, &m->b, m->paired, m->right, m->n);
        PADICI_GK(take_matrix)(&at, &m->u, m->paired, m->down, m->vectors ? m->r : 0);
    } else if (f->kind == PADICI_TENSOR_FACTOR_SVD) {
        m->b = m->a;
        if (PADICI_GK(is_tall)(m))
            PADICI_GK(take_matrix)(&at, &m->b, m->paired, m->right, m->n);
        PADICI_GK(take_matrix)(&at, &m->w, m->paired, m->right, m->vectors ? m->n : 1);
        if (!m->vectors) m->w.step = 0;
        PADICI_GK(take_matrix)(&at, &m->u, m->paired, m->down, m->vectors ? m->n : 0);
    }
    if (f->kind != PADICI_TENSOR_FACTOR_QR) {
        PADICI_GK(take_matrix)(&at, &m->v, m->paired, m->right, m->vectors ? m->n : 0);
        PADICI_GK(take_matrix)(&at, &m->x, 0, m->right, m->vectors ? m->n : 0);
    }
    if (f->kind == PADICI_TENSOR_FACTOR_SVD && m->vectors)
        PADICI_GK(take_matrix)(&at, &m->y, 0, m->right, m->n);
    PADICI_GK(layout_lines)(m, &at);
    return (size_t)(at - (uintptr_t)space);
}

static size_t PADICI_GK(factor_bytes)(const padici_tensor_factor *f)
{
    PADICI_GK(room) m;
    return PADICI_GK(layout)(f, &m, NULL);
}

// A tile of a matrix to or from a tensor's memory, `row` and `column` in real numbers.
static void PADICI_GK(load_tile)(int paired, const PADICI_REAL *from, int64_t row, int64_t column,
                                 size_t rows, size_t columns, const PADICI_GK(matrix) *a)
{
    size_t i, j;
    if (row == 1) {
        for (j = 0; j < columns; j++)
            memcpy(a->x + j * a->step, from + (int64_t)j * column, rows * sizeof *from);
    } else {
        for (i = 0; i < rows; i++)
            for (j = 0; j < columns; j++) {
                const PADICI_REAL *x = from + (int64_t)i * row + (int64_t)j * column;
                a->x[j * a->step + i] = x[0];
                if (paired) a->x[j * a->step + a->im + i] = x[1];
            }
    }
}

static void PADICI_GK(save_tile)(int paired, PADICI_REAL *to, int64_t row, int64_t column,
                                 size_t rows, size_t columns, const PADICI_GK(matrix) *a, int turn)
{
    size_t i, j;
    if (row == 1) {
        for (j = 0; j < columns; j++)
            memcpy(to + (int64_t)j * column, a->x + j * a->step, rows * sizeof *to);
    } else {
        for (i = 0; i < rows; i++)
            for (j = 0; j < columns; j++) {
                PADICI_REAL *x = to + (int64_t)i * row + (int64_t)j * column;
                x[0] = a->x[j * a->step + i];
                if (!paired) continue;
                x[1] = a->x[j * a->step + a->im + i];
                if (turn) x[1] = -x[1];
            }
    }
}

// Columns of a that lie in tensor i of matrix b, or its adjoint; `load`: the other way.
static void PADICI_GK(transfer)(const padici_tensor_factor *f, uint32_t i, uint64_t b, int paired,
                                const PADICI_GK(matrix) *a, size_t rows, size_t columns, int turn,
                                int load)
{
    const padic_tensor *t = &f->tensors[i];
    const int64_t parts = paired ? 2 : 1, *stride = f->stride[i];
    const int64_t row = parts * stride[turn ? 2 : 1], column = parts * stride[turn ? 1 : 2];
    PADICI_REAL *at = (PADICI_REAL *)t->data + (int64_t)b * stride[0] * parts;
    PADICI_GK(matrix) tile = *a;
    size_t j;
    if (t->dtype == PADIC_DTYPE_NONE) return;
    for (j = 0; j < columns; j += 16, at += 16 * column, tile.x += 16 * tile.step) {
        const size_t some = columns - j < 16 ? columns - j : 16;
        if (load) PADICI_GK(load_tile)(paired, at, row, column, rows, some, &tile);
        else PADICI_GK(save_tile)(paired, at, row, column, rows, some, &tile, turn);
    }
}

// The largest part of rows `from` to rows of a column, or -1 if one is not finite.
static double PADICI_GK(largest)(const PADICI_REAL *x, size_t from, size_t rows, double before)
{
    PADICI_REAL most = (PADICI_REAL)before;
    int bad = before < 0;
    size_t i;
    for (i = from; i < rows; i++) {
        const PADICI_REAL y = x[i] < 0 ? -x[i] : x[i];
        bad |= !(y - y == 0);
        most = y > most ? y : most;
    }
    return bad ? -1 : (double)most;
}

// Reads matrix b. Where squares could overflow it is divided by a power of 2, the scale; 0 when an
// entry is not finite.
static int PADICI_GK(read)(const padici_tensor_factor *f, uint64_t b, const PADICI_GK(room) *m,
                           double *scale)
{
    const int hermitian = f->kind == PADICI_TENSOR_FACTOR_EIGH;
    const PADICI_GK(matrix) *a = &m->a;
    const size_t parts = m->paired ? 2 : 1;
    double largest = 0;
    size_t i, j, p;
    int power;
    PADICI_GK(transfer)(f, 0, b, m->paired, a, m->m, m->n, m->turn, 1);
    for (j = 0; j < m->n; j++)
        for (p = 0; p < parts; p++) {
            PADICI_REAL *x = a->x + j * a->step + p * a->im;
            for (i = m->m; i < a->im; i++) x[i] = 0;
            if (p && m->turn)
                for (i = 0; i < m->m; i++) x[i] = -x[i];
            if (p && hermitian) x[j] = 0;
            largest = PADICI_GK(largest)(x, hermitian ? j : 0, m->m, largest);
        }
    if (largest < 0) return 0;
    for (j = 0; hermitian && j < m->n; j++) // above the diagonal
        for (i = 0; i < j; i++) {
            a->x[j * a->step + i] = a->x[i * a->step + j];
            if (m->paired) a->x[j * a->step + a->im + i] = -a->x[i * a->step + a->im + j];
        }
    frexp(largest, &power);
    power = power < -1000 ? -1000 : power > 1000 ? 1000 : power;
    *scale = 1;
    if (power >= -16 && power <= 16) return 1;
    if (largest > 0) *scale = ldexp(1, power);
    for (j = 0; j < m->n; j++)
        for (p = 0; p < parts; p++) {
            PADICI_REAL *x = a->x + j * a->step + p * a->im;
            for (i = 0; i < m->m; i++) x[i] = (PADICI_REAL)((double)x[i] / *scale);
        }
    return 1;
}

// Turns column j of a so that its largest entry is real and positive, and of b by the same phase.
static void PADICI_GK(sign)(int paired, const PADICI_GK(matrix) *a, size_t rows, size_t j,
                            const PADICI_GK(matrix) *b, size_t b_rows)
{
    PADICI_REAL *x = a->x + j * a->step, most = 0;
    const PADICI_REAL more = (PADICI_REAL)(1 + 1.9073486328125e-6);
    double z[2], phase[2];
    size_t i, at = 0;
    for (i = 0; i < rows; i++) {
        const PADICI_REAL y = paired ? x[i] * x[i] + x[a->im + i] * x[a->im + i] : x[i] * x[i];
        if (y <= most * more) continue;
        most = y;
        at = i;
    }
    z[0] = (double)x[at];
    z[1] = paired ? (double)x[a->im + at] : 0;
    if (z[1] == 0 && z[0] >= 0) return;
    padici_tensor_z_phase(z, phase);
    PADICI_GK(times)(paired, x, a->im, 0, rows, phase[0], -phase[1]);
    if (paired) x[a->im + at] = 0;
    if (b)
        PADICI_GK(times)(paired, b->x + j * b->step, b->im, 0, b_rows, phase[0], -phase[1]);
}

// d as values: the order of the columns by value.
static void PADICI_GK(sort)(const PADICI_GK(room) *m, int ascending)
{
    uint64_t i, j, *order = m->order;
    double *d = m->d;
    for (i = 0; i < m->n; i++) order[i] = i;
    for (i = 1; i < m->n; i++) { // by insertion: they come nearly sorted
        const double value = d[i];
        const uint64_t from = order[i];
        for (j = i; j > 0 && (ascending ? d[j - 1] > value : d[j - 1] < value); j--) {
            d[j] = d[j - 1];
            order[j] = order[j - 1];
        }
        d[j] = value;
        order[j] = from;
    }
}

// The identity, in the order `back` if that is set.
static void PADICI_GK(identity)(const PADICI_GK(matrix) *a, size_t n, int back)
{
    size_t j;
    memset(a->x, 0, a->step * n * sizeof *a->x);
    for (j = 0; j < n; j++) a->x[j * a->step + (back ? n - 1 - j : j)] = 1;
}

// The first columns of x, sorted, to v, whose other rows, imaginary parts and columns are 0.
static void PADICI_GK(gather)(const PADICI_GK(room) *m, const PADICI_GK(matrix) *x,
                              const PADICI_GK(matrix) *v, size_t kept, size_t columns)
{
    size_t j;
    for (j = kept; j < columns; j++) memset(v->x + j * v->step, 0, v->step * sizeof *v->x);
    for (j = 0; j < kept; j++) {
        PADICI_REAL *to = v->x + j * v->step;
        memcpy(to, x->x + (size_t)m->order[j] * x->step, m->n * sizeof *to);
        memset(to + m->n, 0, (v->step - m->n) * sizeof *to);
    }
}

static void PADICI_GK(backwards)(double *x, size_t n)
{
    size_t i;
    for (i = 0; i < n / 2; i++) {
        const double y = x[i];
        x[i] = x[n - 1 - i];
        x[n - 1 - i] = y;
    }
}

// Values of the bidiagonal matrix, and its vectors in y (left) and x (right).
static int PADICI_GK(bidiagonal_values)(PADICI_GK(room) *m)
{
    const size_t n = m->n;
    const int back = fabs(m->d[0]) < fabs(m->d[n - 1]); // large values first: fewer sweeps
    size_t i, j;
    int good;
    if (back) { // as J B^T J
        PADICI_GK(backwards)(m->d, n);
        PADICI_GK(backwards)(m->e, n - 1);
    }
    if (m->vectors) {
        PADICI_GK(identity)(&m->x, n, back);
        PADICI_GK(identity)(&m->y, n, back);
    }
    m->turns.step = m->right;
    m->turns.sides = m->vectors ? 2 : 0;
    m->turns.turn = PADICI_GK(turn);
    m->turns.x[0] = back ? m->y.x : m->x.x;
    m->turns.x[1] = back ? m->x.x : m->y.x;
    good = padici_simd_tensor_bidiagonal_qr(
        n, m->d, m->e, PADICI_REAL_SIZE == 4 ? 5.9604644775390625e-8 : PADICI_TENSOR_EPS,
        &m->turns);
    for (j = 0; j < n; j++) {
        PADICI_REAL *x = m->x.x + j * m->x.step;
        if (!(m->d[j] < 0)) continue;
        m->d[j] = -m->d[j];
        for (i = 0; m->vectors && i < n; i++) x[i] = -x[i];
    }
    PADICI_GK(sort)(m, 0);
    return good;
}

static int PADICI_GK(factor_svd)(const padici_tensor_factor *f, uint64_t b, double *space)
{
    PADICI_GK(room) m;
    double scale;
    size_t j, kept;
    int good, tall;
    (void)PADICI_GK(layout)(f, &m, space);
    if (!PADICI_GK(read)(f, b, &m, &scale)) return PADIC_ERROR_NOT_FINITE;
    tall = m.b.x != m.a.x;
    memset(m.spare, 0, (m.paired ? 8 : 4) * m.line * sizeof *m.spare);
    memset(m.w.x, 0, (m.paired ? 2 : 1) * m.right * (m.vectors ? m.n : 1) * sizeof *m.w.x);
    if (tall) {
        memset(m.b.x, 0, m.b.step * m.n * sizeof *m.b.x);
        PADICI_GK(qr)(&m, &m.b, m.tau[2]);
    }
    PADICI_GK(bidiagonal)(&m, &m.b);
    good = PADICI_GK(bidiagonal_values)(&m);
    if (!padici_tensor_factor_holds(f, 3, m.d, m.n, scale)) return PADIC_ERROR_NOT_FINITE;
    kept = (size_t)padici_tensor_factor_keep(f, b, m.d);
    if (m.vectors) {
        const size_t columns = (size_t)f->columns;
        PADICI_GK(gather)(&m, &m.y, &m.u, kept, columns);
        PADICI_GK(gather)(&m, &m.x, &m.v, kept, columns);
        PADICI_GK(reflect_all)(&m, &m.b, m.n, 0, m.tau[0], &m.u, kept, m.b.im, 0);
        if (tall) PADICI_GK(reflect_all)(&m, &m.a, m.n, 0, m.tau[2], &m.u, kept, m.down, 0);
        PADICI_GK(reflect_all)(&m, &m.w, m.n - 1, 1, m.tau[1], &m.v, kept, m.right, 0);
        for (j = 0; j < kept; j++) {
            if (m.turn) PADICI_GK(sign)(m.paired, &m.v, m.n, j, &m.u, m.m);
            else PADICI_GK(sign)(m.paired, &m.u, m.m, j, &m.v, m.n);
        }
        PADICI_GK(transfer)(f, m.turn ? 2 : 1, b, m.paired, &m.u, m.m, columns, m.turn, 0);
        PADICI_GK(transfer)(f, m.turn ? 1 : 2, b, m.paired, &m.v, m.n, columns, !m.turn, 0);
    }
    padici_tensor_factor_values(f, 3, b, m.d, f->columns, scale);
    return good ? PADIC_OK : PADIC_ERROR_DOMAIN;
}

static int PADICI_GK(factor_eigh)(const padici_tensor_factor *f, uint64_t b, double *space)
{
    PADICI_GK(room) m;
    double scale;
    size_t j;
    int good, back;
    (void)PADICI_GK(layout)(f, &m, space);
    if (!PADICI_GK(read)(f, b, &m, &scale)) return PADIC_ERROR_NOT_FINITE;
    memset(m.spare, 0, (m.paired ? 8 : 4) * m.line * sizeof *m.spare);
    PADICI_GK(tridiagonal)(&m, &m.a);
    back = fabs(m.d[0]) < fabs(m.d[m.n - 1]);
    if (back) {
        PADICI_GK(backwards)(m.d, m.n);
        PADICI_GK(backwards)(m.e, m.n - 1);
    }
    if (m.vectors) PADICI_GK(identity)(&m.x, m.n, back);
    m.turns.step = m.right;
    m.turns.sides = m.vectors ? 1 : 0;
    m.turns.turn = PADICI_GK(turn);
    m.turns.x[0] = m.x.x;
    good = padici_simd_tensor_tridiagonal_qr(
        m.n, m.d, m.e, PADICI_REAL_SIZE == 4 ? 5.9604644775390625e-8 : PADICI_TENSOR_EPS,
        &m.turns);
    PADICI_GK(sort)(&m, 1);
    if (!padici_tensor_factor_holds(f, 2, m.d, m.n, scale)) return PADIC_ERROR_NOT_FINITE;
    if (m.vectors) {
        PADICI_GK(gather)(&m, &m.x, &m.v, m.n, m.n);
        PADICI_GK(reflect_all)(&m, &m.a, m.n - 1, 1, m.tau[0], &m.v, m.n, m.right, 0);
        for (j = 0; j < m.n; j++) PADICI_GK(sign)(m.paired, &m.v, m.n, j, NULL, 0);
        PADICI_GK(transfer)(f, 1, b, m.paired, &m.v, m.n, m.n, 0, 0);
    }
    padici_tensor_factor_values(f, 2, b, m.d, m.n, scale);
    return good ? PADIC_OK : PADIC_ERROR_DOMAIN;
}

// Rows of R (and columns of Q) so that its diagonal is positive, times the scale. 0: a number of R
// is too large.
static int PADICI_GK(qr_signs)(const padici_tensor_factor *f, const PADICI_GK(room) *m,
                               double scale)
{
    const size_t parts = m->paired ? 2 : 1;
    size_t i, j, p;
    int good = 1;
    for (i = 0; i < m->r; i++) m->d[i] = m->b.x[i * m->b.step + i] < 0 ? -scale : scale;
    for (j = 0; j < m->n; j++)
        for (p = 0; p < parts; p++) {
            PADICI_REAL *x = m->b.x + j * m->b.step + p * m->b.im;
            for (i = 0; i <= j && i < m->r; i++) {
                const double y = (double)x[i] * m->d[i];
                if (f->tensors[2].dtype != PADIC_DTYPE_NONE)
                    good &= padici_tensor_holds(f->tensors[2].dtype, y);
                else if (!(y - y == 0))
                    continue;
                x[i] = (PADICI_REAL)y;
            }
        }
    return good;
}

static int PADICI_GK(factor_qr)(const padici_tensor_factor *f, uint64_t b, double *space)
{
    PADICI_GK(room) m;
    double scale;
    size_t i, j;
    (void)PADICI_GK(layout)(f, &m, space);
    if (!PADICI_GK(read)(f, b, &m, &scale)) return PADIC_ERROR_NOT_FINITE;
    memset(m.spare, 0, (m.paired ? 8 : 4) * m.line * sizeof *m.spare);
    memset(m.b.x, 0, m.b.step * m.n * sizeof *m.b.x);
    PADICI_GK(qr)(&m, &m.b, m.tau[0]);
    if (!PADICI_GK(qr_signs)(f, &m, scale)) return PADIC_ERROR_NOT_FINITE;
    if (m.vectors) {
        PADICI_GK(identity)(&m.u, m.r, 0);
        PADICI_GK(reflect_all)(&m, &m.a, m.r, 0, m.tau[0], &m.u, m.r, m.down, 1);
        for (j = 0; j < m.r; j++) {
            PADICI_REAL *x = m.u.x + j * m.u.step;
            for (i = 0; m.d[j] < 0 && i < m.u.step; i++) x[i] = -x[i];
        }
        PADICI_GK(transfer)(f, 1, b, m.paired, &m.u, m.m, m.r, 0, 0);
    }
    PADICI_GK(transfer)(f, 2, b, m.paired, &m.b, m.r, m.n, 0, 0);
    return PADIC_OK;
}

PADICI_FN const padici_simd_tensor_factor_kernels *PADICI_GK(factor_kernels)(void)
{
    static const padici_simd_tensor_factor_kernels kernels = {
        PADICI_GK(factor_bytes),
        {PADICI_GK(factor_svd), PADICI_GK(factor_qr), PADICI_GK(factor_eigh)}};
    return &kernels;
}

#endif
