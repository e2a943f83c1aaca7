// padic_gpu_num.h: p-adic numbers in buffers of a device, kernels/num.cl. padic_gpu.h includes it
// where padic_num.h was included before; of no use alone.
#if defined(PADIC_GPU_IMPLEMENTED) && defined(PADIC_NUM_IMPLEMENTED) && !defined(PADICI_GPU_NUM)
#define PADICI_GPU_NUM

// room: src/gpu/num/params.c
// Which calls the kernel of numbers does, and what it is told about all of them.

// The kernel's NUM_OP_... for an operation of padic_num_kernel; 0: there is none.
static uint32_t padici_gpu_num_op(uint32_t kernel)
{
    static const uint8_t op[] = {
        1,  2,  3,  4, 5, 6, 7, // ADD, SUB, NEG, MUL, FMA, INV, DIV
        10, 11, 13, // SPLIT, VALUATION, HORNER
        25, 26, 27, 24, // SQRT (ROOT), EXP, LOG, TEICHMUELLER
        14, 15, 21, 22, // TO_DIGITS, FROM_DIGITS, TO_RATIONAL, FROM_FLOAT
        18, 18, // DOT, SUM
        8,  9,  9,  12, 29, // SHIFT, POW, POW_ARRAY, EQUAL, TROPICAL
        16, 17, 20, 23, // FROM_INT, TO_INT, FROM_RATIONAL, TO_FLOAT
        25, 31, 28, 21, 30, 32, 33, // ROOT, POW_PADIC, SET_PRECISION, RATIONAL, CHANGE_PRIME,
        0, 34, 35                   // RANDOM, HENSEL; SYSTEMS, SOLVE, HENSEL_ALL
    };
    const uint32_t i = kernel - PADIC_KERNEL_NUM_ADD;
    return i < sizeof op ? op[i] : 0;
}

#define PADICI_GPU_NUM_FOLD 19u

// Have the planes of a call I16 valuations (`val` 1), U16 precisions (0)? -1: some of them.
static int padici_gpu_num_narrow(const padic_num_call *call, int val)
{
    const padic_num_planes *planes[4];
    uint32_t i, all = 0, some = 0;
    planes[0] = &call->out;
    planes[1] = &call->a;
    planes[2] = &call->b;
    planes[3] = &call->c;
    for (i = 0; i < 4; i++) {
        if (!(val ? planes[i]->val : planes[i]->known)) continue;
        all++;
        some += val ? planes[i]->val16 : planes[i]->known16;
    }
    return !some ? 0 : some == all ? 1 : -1;
}

// TO_FLOAT: 0: p^v is a power of two, or 1; 1: u p^v is an integer; 2: a fraction.
static uint32_t padici_gpu_num_float_kind(const padic_num_call *call)
{
    if (call->ring->p == 2) return 0;
    return (call->k & 255) == PADIC_NUM_DIRECT ? 2 : call->model != PADIC_NUM_RING;
}

// ROOT: 1 if p is too large for a table, and 2 if p divides n, but for p = n = 2.
static uint32_t padici_gpu_num_root_kind(const padic_num_call *call)
{
    const uint64_t p = call->ring->p;
    return (p > 65537 ? 1u : 0u) | ((uint64_t)call->k % p == 0 && call->k != 2 ? 2u : 0u);
}

// Does the kernel do this call?
static int padici_gpu_num_can(const padici_num_task *task, uint32_t kernel)
{
    const padic_num_call *call = &task->call;
    const padic_num_ring *r = call->ring;
    const uint32_t op = padici_gpu_num_op(kernel);
    if (!op || r->form > PADIC_NUM_W64 || r->composite) return 0;
    if (task->report && task->sticky_word) return 0;
    if (padici_gpu_num_narrow(call, 0) < 0 || padici_gpu_num_narrow(call, 1) < 0) return 0;
    switch (kernel) {
    case PADIC_KERNEL_NUM_POW_ARRAY: return call->dtype != PADIC_U64;
    case PADIC_KERNEL_NUM_VALUATION: return !call->other[1] || !task->context->recording; // a table
    case PADIC_KERNEL_NUM_FROM_INT:
    case PADIC_KERNEL_NUM_TO_INT:
    case PADIC_KERNEL_NUM_FROM_RATIONAL: return !(uint32_t)call->k; // no limbs
    case PADIC_KERNEL_NUM_SET_PRECISION: return task->a->ring->form <= PADIC_NUM_W64;
    case PADIC_KERNEL_NUM_CHANGE_PRIME: // a table goes up
        return task->a->ring->form <= PADIC_NUM_W64 && !task->a->ring->composite &&
               !task->context->recording;
    case PADIC_KERNEL_NUM_RATIONAL: {
        const padici_rational *o = (const padici_rational *)call->options;
        return !o->limbs[0] && !o->limbs[1] && !task->context->recording &&
               (o->mode != PADIC_NUM_RATIONAL_COMMON || task->count >> 30 == 0) &&
               (o->mode != PADIC_NUM_RATIONAL_FIXED || !o->fixed[1]);
    }
    case PADIC_KERNEL_NUM_DOT:
    case PADIC_KERNEL_NUM_SUM: return task->count >> 31 == 0;
    case PADIC_KERNEL_NUM_TO_FLOAT:
        return !padici_gpu_num_float_kind(call) || !task->context->recording; // a table goes up
    case PADIC_KERNEL_NUM_SQRT:
    case PADIC_KERNEL_NUM_ROOT:
        if (task->context->recording) return 0; // a table goes up
        // Without a table the smallest of many roots is searched; Mesa's loops end after 65,535.
        return r->p <= 65537 || ((const padici_root *)call->options)->count <= 32768;
    case PADIC_KERNEL_NUM_HENSEL_ALL: // it waits for what it reports
        return !task->context->recording && task->count >> 32 == 0;
    case PADIC_KERNEL_NUM_POW_PADIC:
    case PADIC_KERNEL_NUM_EXP:
    case PADIC_KERNEL_NUM_LOG: return !task->context->recording; // the coefficients go up
    default: return 1;
    }
}

static void padici_gpu_num_pair(uint32_t *to, uint64_t x)
{
    to[0] = (uint32_t)x;
    to[1] = (uint32_t)(x >> 32);
}

// The constants of a ring for units of `bits`.
static void padici_gpu_num_ring(padici_k_num_each_params *k, const padic_num_ring *r, uint32_t bits)
{
    const uint64_t most = bits == 32 ? UINT32_MAX : UINT64_MAX, p = r->base;
    uint32_t j;
    k->precision = r->precision;
    padici_gpu_num_pair(k->p, r->p);
    if (r->p == 2) {
        padici_gpu_num_pair(k->base, p - 1);
        padici_gpu_num_pair(k->one, 1);
        return;
    }
    padici_gpu_num_pair(k->base, p);
    padici_gpu_num_pair(k->inverse, padici_inverse64(p));
    padici_gpu_num_pair(k->one, (most % p + 1) % p);
    padici_gpu_num_pair(k->square, bits == 32 ? (UINT64_MAX % p + 1) % p : r->mont_square[0]);
    padici_gpu_num_pair(k->limit, most / r->p);
    for (j = 1; j < r->ladder && j < 6; j++)
        padici_gpu_num_pair(k->limit + 2 * j, most / r->ladder_power[j]);
}

static void padici_gpu_num_place(padici_k_num_each_params *k, uint32_t at, const void *pointer)
{
    padici_gpu_num_pair(k->place + 2 * at, (uint64_t)(uintptr_t)pointer);
}

static void padici_gpu_num_planes(padici_k_num_each_params *k, uint32_t q,
                                  const padic_num_planes *planes)
{
    padici_gpu_num_place(k, 3 * q, planes->unit);
    padici_gpu_num_place(k, 3 * q + 1, planes->val);
    padici_gpu_num_place(k, 3 * q + 2, planes->known);
    if (planes->scalar) k->flags |= 1u << q;
}

// Params of a part of a call, but for what only one operation has.
static void padici_gpu_num_params(padici_k_num_each_params *k, const padic_num_call *call,
                                  const void *sticky, uint32_t bits)
{
    uint32_t j;
    memset(k, 0, sizeof *k);
    k->count = (uint32_t)call->count;
    padici_gpu_num_ring(k, call->ring, bits);
    padici_gpu_num_planes(k, 0, &call->out);
    padici_gpu_num_planes(k, 1, &call->a);
    padici_gpu_num_planes(k, 2, &call->b);
    padici_gpu_num_planes(k, 3, &call->c);
    padici_gpu_num_place(k, 12, call->status);
    padici_gpu_num_place(k, 13, sticky);
    for (j = 0; j < 3; j++) padici_gpu_num_place(k, 14 + j, call->other[j]);
    padici_gpu_num_pair(k->k, (uint64_t)call->k);
    padici_gpu_num_pair(k->stride, call->stride);
}

// Of norms p^-v: how many v on either side of 0 have one that is neither 0 nor infinite, or occur.
static uint32_t padici_gpu_num_norm_most(const padic_num_call *call)
{
    const uint32_t bits = (padic_dtype)call->k == PADIC_F64 ? 1075 : 150;
    if (call->model == PADIC_NUM_RING) return call->ring->precision;
    return bits / (63 - padici_clz64(call->ring->p)) + 1;
}

// How RATIONAL stores an integer: log2 of its bytes, and 4 if it has a sign.
static uint32_t padici_gpu_num_int_kind(padic_dtype dtype)
{
    const uint32_t size = padic_dtype_size(dtype);
    return (size == 8 ? 3 : size == 4 ? 2 : size == 2 ? 1 : 0) |
           (PADICI_SIGNED >> dtype & 1 ? 4 : 0);
}

// room: src/gpu/num/tables.c
// Tables that the host makes for the kernel: bounds, powers, coefficients, norms, roots.

// For each precision j: p^j, Nmax, Dmax (clamped), whether they go together; p in place of p^0.
// `o` NULL: the defaults.
static void padici_gpu_num_bounds(const padic_num_ring *r, const padici_rational *o,
                                  uint64_t *table)
{
    const padici_bounds usual = {1, 0, 0, {0, 0}, {0, 0}, 0}, *b = o ? &o->bounds : &usual;
    const int whole =
        o && (o->mode == PADIC_NUM_RATIONAL_COMMON || o->mode == PADIC_NUM_RATIONAL_FIXED);
    uint32_t j, i;
    memset(table, 0, 32);
    table[0] = r->p;
    for (j = 1; j <= r->precision; j++) {
        uint64_t *const entry = table + 4 * (size_t)j;
        padici_wide bound[2];
        const int fit = !b->quotient && padici_bounds_wide(r, j, b, &bound[0], &bound[1]);
        entry[0] = j < r->precision || r->base ? r->power[j][0] : 0;
        for (i = 0; i < 2; i++)
            entry[1 + i] = !fit ? 0 : bound[i].high ? UINT64_MAX : bound[i].low;
        if (!whole && !entry[2]) entry[1] = 0;
        entry[3] = (uint64_t)fit;
    }
}

// The powers of p below 2^limit as the kernel finds them in `table`, NULL: none yet. Its words.
static uint64_t padici_gpu_num_powers(uint64_t p, uint32_t limit, uint64_t *table)
{
    uint64_t power[66], at = 0; // 4,096 bits and one factor more
    uint32_t turn, most = 0;
    for (turn = 0; turn < 2; turn++) {
        uint32_t used = 1, v = 0;
        memset(power, 0, sizeof power);
        power[0] = 1;
        at = 3 + (uint64_t)most;
        for (; 64 * used - padici_clz64(power[used - 1]) <= limit; v++) {
            if (turn && table) {
                table[1 + v] = at;
                memcpy(table + at, power, used * sizeof *power);
            }
            at += used;
            used = padici_norm_times(power, used, p);
        }
        most = v - 1;
    }
    if (table) {
        table[0] = most;
        table[2 + (size_t)most] = at;
    }
    return at;
}

// The table of TO_FLOAT in `block`: default bounds for fractions; powers of p.
static padic_result padici_gpu_num_floats(padici_gpu *gpu, const padic_num_call *call,
                                          padici_gpu_block *block)
{
    const padic_allocator *allocator = &gpu->context->allocator;
    const int fractions = padici_gpu_num_float_kind(call) == 2;
    const int64_t scale = -(call->k >> 8);
    const uint32_t begin = fractions ? 4 * (call->ring->precision + 1) : 0;
    const uint32_t limit = fractions                                   ? call->model ? 1300 : 1
                           : (call->k & 255) == PADIC_NUM_SPLIT ||
                                     scale < -(4096 - 1100)            ? 4096
                           : scale < 0                                 ? 1100 + (uint32_t)-scale
                                                                       : 1100;
    const uint64_t words = begin + padici_gpu_num_powers(call->ring->p, limit, NULL);
    padic_result result = padici_gpu_scratch(gpu, 8 * words, block);
    uint64_t *const table =
        result ? NULL : (uint64_t *)padici_alloc(allocator, 8 * (size_t)words, 16);
    if (!table) return result ? result : PADIC_ERROR_MEMORY;
    if (fractions) padici_gpu_num_bounds(call->ring, NULL, table);
    padici_gpu_num_powers(call->ring->p, limit, table + begin);
    result = padici_gpu_upload(gpu, block->mem, 0, table, 8 * words);
    padici_free(allocator, table, 8 * (size_t)words);
    return result;
}

// The table of bounds in `block`: that of RATIONAL, or the default ones of the ring of a.
static padic_result padici_gpu_num_fractions(padici_gpu *gpu, const padici_num_task *task,
                                             uint32_t kernel, padici_gpu_block *block)
{
    const padic_num_ring *r = task->a->ring;
    uint64_t table[4 * 65];
    const uint64_t size = 32 * ((uint64_t)r->precision + 1);
    padic_result result;
    padici_gpu_num_bounds(r, kernel == PADIC_KERNEL_NUM_RATIONAL
                                 ? (const padici_rational *)task->call.options
                                 : NULL, table);
    result = padici_gpu_scratch(gpu, size, block);
    if (!result) result = padici_gpu_upload(gpu, block->mem, 0, table, size);
    return result;
}

// Of ROOT, n = p^e m: 1 / m modulo P, the root of unity by which each is multiplied (0: none), and
// e with the numbers of coefficients.
static uint32_t padici_gpu_num_root_numbers(const padic_num_call *call, uint64_t *less,
                                            uint64_t *turn)
{
    const padici_root *const root = (const padici_root *)call->options;
    const padic_num_ring *r = call->ring;
    uint64_t n, m = (uint64_t)call->k, temp[16];
    uint32_t mode = 0;
    if (padici_gpu_num_root_kind(call) & 2) {
        for (; m % r->p == 0; m /= r->p) mode++;
        mode |= padici_series_count(r, 0) << 8 | padici_series_count(r, 1) << 20;
    }
    *less = *turn = 0;
    padici_ring_set(r, &n, m);
    if (m % r->p) padici_ring_inv(r, less, &n, temp);
    if (!root->turn) return mode;
    padici_root_unity(r, root, &n, temp);
    padici_ring_pow(r, turn, &n, root->turn, temp);
    return mode;
}

// The coefficients of exp (1), log (2) or both, as the kernel stores units; their number, in halves
// of a word if there are two.
static uint64_t padici_gpu_num_coefficients(const padic_num_ring *r, uint32_t which, void *to,
                                            uint64_t *terms)
{
    uint64_t c[PADICI_SERIES_TERMS], temp[16], at = 0;
    uint32_t log, i;
    *terms = 0;
    for (log = 0; log < 2; log++) {
        const uint32_t count = which >> log & 1 ? padici_series_count(r, (int)log) : 0;
        if (!count) continue;
        *terms |= (uint64_t)count << (which == 3 && log ? 32 : 0);
        if (to) padici_series_make(r, (int)log, c, count, temp);
        for (i = 0; i < count && to; i++) padici_word_set(r, to, at + i, c[i]);
        at += count;
    }
    return at * r->unit_size;
}

static padic_result padici_gpu_num_series(padici_gpu *gpu, const padic_num_ring *r, uint32_t which,
                                          padici_gpu_block *block, uint64_t *terms)
{
    uint64_t c[2 * PADICI_SERIES_TERMS];
    const uint64_t size = padici_gpu_num_coefficients(r, which, c, terms);
    padic_result result = padici_gpu_scratch(gpu, size, block);
    if (!result) result = padici_gpu_upload(gpu, block->mem, 0, c, size);
    return result;
}

// 1 / the smallest n-th root of each residue modulo p, 0 where there is none; 2 p words of room.
static void padici_gpu_num_root_table(uint64_t p, uint64_t n, uint32_t *table)
{
    uint32_t *const inverse = table + p;
    uint64_t x, y, square, k;
    memset(table, 0, 2 * (size_t)p * sizeof *table);
    inverse[1] = 1;
    for (x = 2; x < p; x++) inverse[x] = (uint32_t)(p - p / x * inverse[p % x] % p);
    for (x = p - 1; x > 0 && p > 2; x--) {
        for (y = 1, square = x, k = n % (p - 1); k; k >>= 1, square = square * square % p)
            if (k & 1) y = y * square % p;
        table[y] = inverse[x];
    }
}

static void padici_gpu_num_norm_table(const padic_num_call *call, uint32_t most, void *table)
{
    const padic_dtype dtype = (padic_dtype)call->k;
    uint64_t power[PADICI_NORM_WORDS];
    uint32_t used = 1, v, side, overflow;
    memset(power, 0, sizeof power);
    power[0] = 1;
    for (v = 0; v <= most; v++) {
        for (side = 0; side < 2; side++) {
            const int64_t e = side ? -(int64_t)v : (int64_t)v;
            uint32_t inexact;
            padici_float_store(table, dtype, side ? most + v : most - v,
                               call->ring->p == 2
                                   ? padici_float_round(dtype, 1, e, 0, &inexact, &overflow)
                                   : padici_norm_round(power, used, side && v, dtype, &overflow));
        }
        if (used < PADICI_NORM_WORDS - 1 && call->ring->p != 2)
            used = padici_norm_times(power, used, call->ring->p);
    }
}

// The table of norms in `block`.
static padic_result padici_gpu_num_norms(padici_gpu *gpu, const padic_num_call *call,
                                         padici_gpu_block *block)
{
    const padic_allocator *allocator = &gpu->context->allocator;
    const uint32_t most = padici_gpu_num_norm_most(call);
    const uint64_t size = (2 * (uint64_t)most + 1) * padic_dtype_size((padic_dtype)call->k);
    padic_result result = padici_gpu_scratch(gpu, size, block);
    void *const table = result ? NULL : padici_alloc(allocator, (size_t)size, 16);
    if (!table) return result ? result : PADIC_ERROR_MEMORY;
    padici_gpu_num_norm_table(call, most, table);
    result = padici_gpu_upload(gpu, block->mem, 0, table, size);
    padici_free(allocator, table, (size_t)size);
    return result;
}

// What seeds of roots are made of where p is too large for a table: see num_mod_root().
#define PADICI_GPU_NUM_SYLOW (16 + 8 * 15)
static void padici_gpu_num_sylow(const padici_root *root, uint64_t *table)
{
    uint32_t i;
    memset(table, 0, PADICI_GPU_NUM_SYLOW * sizeof *table);
    table[0] = root->p;
    table[1] = root->inverse;
    table[2] = root->one;
    table[3] = root->square;
    table[4] = root->count;
    table[5] = root->rest;
    table[6] = root->zeta;
    table[7] = root->sylows;
    table[8] = (root->n - 1) % (root->p - 1);
    for (i = 0; i < root->sylows; i++) {
        const padici_sylow *y = &root->sylow[i];
        uint64_t *const entry = table + 16 + 8 * i;
        entry[0] = y->q;
        entry[1] = y->order;
        entry[2] = y->share;
        entry[3] = y->generator;
        entry[4] = y->unity;
        entry[5] = y->project;
        entry[6] = y->inverse;
    }
}

// Bytes of seeds, of coefficients behind them (p divides n), and of the room to make the former.
static void padici_gpu_num_root_sizes(const padic_num_ring *r, uint32_t kind, uint64_t size[3])
{
    uint64_t terms;
    size[0] = kind & 1 ? 8 * PADICI_GPU_NUM_SYLOW : 4 * ((r->p + 1) & ~UINT64_C(1));
    size[1] = kind & 2 ? padici_gpu_num_coefficients(r, 3, NULL, &terms) : 0;
    size[2] = kind & 1 ? 0 : 4 * r->p;
}

static void padici_gpu_num_root_make(const padic_num_call *call, uint32_t kind, char *to)
{
    uint64_t size[3], terms;
    padici_gpu_num_root_sizes(call->ring, kind, size);
    if (kind & 1) {
        uint64_t *const table = (uint64_t *)(void *)to;
        const padici_root *root = (const padici_root *)call->options;
        padici_root full;
        if (root->search) { // the host does without the subgroups
            padici_root_init(&full, call->ring, root->n, 1);
            root = &full;
        }
        padici_gpu_num_sylow(root, table);
        table[10] = padici_gpu_num_root_numbers(call, &table[9], &table[11]);
        table[12] = (uint64_t)call->k;
    } else
        padici_gpu_num_root_table(call->ring->p, (uint64_t)call->k, (uint32_t *)(void *)to);
    if (kind & 2) padici_gpu_num_coefficients(call->ring, 3, to + size[0], &terms);
}

static padic_result padici_gpu_num_roots(padici_gpu *gpu, const padic_num_call *call,
                                         padici_gpu_block *block)
{
    const uint32_t kind = padici_gpu_num_root_kind(call);
    const padic_allocator *allocator = &gpu->context->allocator;
    uint64_t size[3], all;
    padic_result result;
    char *table;
    padici_gpu_num_root_sizes(call->ring, kind, size);
    all = size[0] + size[1] + size[2];
    result = padici_gpu_scratch(gpu, size[0] + size[1], block);
    table = result ? NULL : (char *)padici_alloc(allocator, (size_t)all, 16);
    if (!table) return result ? result : PADIC_ERROR_MEMORY;
    padici_gpu_num_root_make(call, kind, table);
    result = padici_gpu_upload(gpu, block->mem, 0, table, size[0] + size[1]);
    padici_free(allocator, table, (size_t)all);
    return result;
}

// room: src/gpu/num/special.c
// What the kernel is told about one operation.

static void padici_gpu_num_rational(padici_k_num_each_params *k, const padic_num_call *call)
{
    const padici_rational *o = (const padici_rational *)call->options;
    k->mode = padici_gpu_num_int_kind(o->dtype[0]);
    if (call->other[1]) k->mode |= padici_gpu_num_int_kind(o->dtype[1]) << 3 | 64;
    if (o->mode == PADIC_NUM_RATIONAL_COMMON) {
        k->count = (uint32_t)(k->count / o->vector);
        padici_gpu_num_pair(k->stride, o->vector);
    } else if (o->mode == PADIC_NUM_RATIONAL_FIXED) {
        uint64_t unit;
        padici_big d;
        uint64_t word = o->unit[0];
        d.w = &word;
        d.n = d.room = 1;
        padici_ring_of_big(call->ring, &unit, &d);
        k->mode |= o->fixed_v << 8;
        padici_gpu_num_pair(k->k, unit);
        padici_gpu_num_pair(k->stride, o->fixed[0]);
    } else if (o->mode == PADIC_NUM_RATIONAL_QUOTIENT) {
        padici_gpu_num_pair(k->k, o->bounds.quotient);
    }
}

// What is special about an operation.
static void padici_gpu_num_special(padici_k_num_each_params *k, const padici_num_task *task,
                                   uint32_t kernel)
{
    const padic_num_call *call = &task->call;
    const uint32_t is_signed = PADICI_SIGNED >> call->dtype & 1;
    switch (kernel) {
    case PADIC_KERNEL_NUM_HENSEL:
    case PADIC_KERNEL_NUM_HORNER: k->flags &= ~8u; break; // shared coefficients are no scalar
    case PADIC_KERNEL_NUM_TO_DIGITS:
    case PADIC_KERNEL_NUM_FROM_DIGITS:
    case PADIC_KERNEL_NUM_FROM_INT:
    case PADIC_KERNEL_NUM_FROM_RATIONAL:
        k->mode = kernel == PADIC_KERNEL_NUM_TO_DIGITS || kernel == PADIC_KERNEL_NUM_FROM_DIGITS
                      ? (uint32_t)call->k & 16
                      : is_signed;
        break;
    case PADIC_KERNEL_NUM_TO_INT:
        k->mode = is_signed | (uint32_t)(call->k >> 32 != 0) << 1;
        break;
    case PADIC_KERNEL_NUM_RATIONAL: padici_gpu_num_rational(k, call); break;
    case PADIC_KERNEL_NUM_RANDOM: {
        const padic_num_random_desc *desc = (const padic_num_random_desc *)call->options;
        padici_gpu_num_pair(k->k, desc->seed);
        padici_gpu_num_pair(k->stride, desc->stream);
        break;
    }
    case PADIC_KERNEL_NUM_CHANGE_PRIME:
    case PADIC_KERNEL_NUM_SET_PRECISION:
        k->mode = (uint32_t)(task->a->ring->unit_size == 4) |
                  (uint32_t)(call->ring->unit_size == 4) << 1;
        padici_gpu_num_pair(k->k, task->a->ring->precision);
        break;
    case PADIC_KERNEL_NUM_SQRT:
    case PADIC_KERNEL_NUM_ROOT: {
        uint64_t less, turn;
        k->mode = padici_gpu_num_root_numbers(call, &less, &turn);
        padici_gpu_num_pair(k->stride, less);
        if (turn) padici_gpu_num_pair(k->place + 28, turn); // other[0] is no plane
        break;
    }
    case PADIC_KERNEL_NUM_VALUATION:
        if (call->other[1]) padici_gpu_num_pair(k->k, padici_gpu_num_norm_most(call));
        break;
    case PADIC_KERNEL_NUM_TROPICAL: {
        const padici_wide ln = padici_ln(call->ring->p);
        padici_gpu_num_pair(k->k, ln.low);
        padici_gpu_num_pair(k->stride, ln.high);
        break;
    }
    case PADIC_KERNEL_NUM_TO_FLOAT:
    case PADIC_KERNEL_NUM_FROM_FLOAT: {
        const padici_format f = padici_format_of(call->dtype);
        k->mode = ((uint32_t)call->k & 3) | f.mantissa << 8 | f.exponent << 16;
        padici_gpu_num_pair(k->k, kernel == PADIC_KERNEL_NUM_TO_FLOAT
                                      ? 0 - (uint64_t)(call->k >> 8)
                                      : (uint64_t)(call->k >> 8));
        padici_gpu_num_pair(k->stride, call->ring->bits);
        break;
    }
    default: break;
    }
}

// room: src/gpu/num/run.c
// One call: its variant of the kernel, memories, tables and launches; sums.

// One call on the device: its variant of the kernel and the memories.
typedef struct padici_gpu_num_run {
    padici_gpu *gpu;
    padici_gpu_work work;
    char text[8][20];
    const char *defines[8];
    uint32_t bits, mems;
    uint64_t terms;
    char *coefficients; // of a series, and how many: terms; another table
} padici_gpu_num_run;

static void padici_gpu_num_define(padici_gpu_num_run *run, uint32_t i, const char *name, uint32_t x)
{
    padici_text text;
    padici_text_begin(&text, run->text[i], sizeof run->text[i]);
    padici_text_add(&text, name);
    padici_text_number(&text, x, 1);
    run->defines[i] = run->text[i];
}

static void padici_gpu_num_begin(padici_gpu_num_run *run, padici_gpu *gpu,
                                 const padici_num_task *task, uint32_t kernel, uint32_t op)
{
    const padic_num_ring *r = task->call.ring;
    memset(run, 0, sizeof *run);
    run->gpu = gpu;
    run->bits = kernel == PADIC_KERNEL_NUM_SET_PRECISION || kernel == PADIC_KERNEL_NUM_CHANGE_PRIME
                    ? 64
                    : 8 * r->unit_size;
    padici_gpu_num_define(run, 0, "PD_NUM_OP=", op);
    padici_gpu_num_define(run, 1, "PD_NUM_MODEL=", (uint32_t)task->call.model);
    padici_gpu_num_define(run, 2, "PD_NUM_BITS=", run->bits);
    padici_gpu_num_define(run, 3, "PD_NUM_TWO=", r->p == 2);
    run->work.kernel = PADICI_KERNEL_NUM_EACH;
    run->work.defines = run->defines;
    run->work.define_count = 4;
    if (padici_gpu_num_narrow(&task->call, 1))
        padici_gpu_num_define(run, run->work.define_count++, "PD_NUM_VAL=", 16);
    if (padici_gpu_num_narrow(&task->call, 0))
        padici_gpu_num_define(run, run->work.define_count++, "PD_NUM_KNOWN=", 16);
    if ((kernel == PADIC_KERNEL_NUM_VALUATION && task->call.other[1]) ||
        (kernel == PADIC_KERNEL_NUM_TROPICAL && task->call.dtype == PADIC_F64))
        padici_gpu_num_define(run, run->work.define_count++, "PD_NUM_SIZE=",
                              kernel == PADIC_KERNEL_NUM_TROPICAL
                                  ? 8
                                  : padic_dtype_size((padic_dtype)task->call.k));
    if (kernel == PADIC_KERNEL_NUM_TO_DIGITS || kernel == PADIC_KERNEL_NUM_FROM_DIGITS ||
        kernel == PADIC_KERNEL_NUM_POW_ARRAY || kernel == PADIC_KERNEL_NUM_FROM_INT ||
        kernel == PADIC_KERNEL_NUM_TO_INT || kernel == PADIC_KERNEL_NUM_FROM_RATIONAL ||
        kernel == PADIC_KERNEL_NUM_FROM_FLOAT || kernel == PADIC_KERNEL_NUM_TO_FLOAT)
        padici_gpu_num_define(run, run->work.define_count++, "PD_NUM_SIZE=",
                              padic_dtype_size(task->call.dtype));
    if (kernel == PADIC_KERNEL_NUM_TO_DIGITS || kernel == PADIC_KERNEL_NUM_FROM_DIGITS)
        padici_gpu_num_define(run, run->work.define_count++, "PD_NUM_KIND=",
                              (uint32_t)task->call.k & 15);
    if (kernel == PADIC_KERNEL_NUM_TO_FLOAT && padici_gpu_num_float_kind(&task->call))
        padici_gpu_num_define(run, run->work.define_count++, "PD_NUM_KIND=",
                              padici_gpu_num_float_kind(&task->call));
    if (op == 25 && padici_gpu_num_root_kind(&task->call))
        padici_gpu_num_define(run, run->work.define_count++, "PD_NUM_KIND=",
                              padici_gpu_num_root_kind(&task->call));
    if (kernel == PADIC_KERNEL_NUM_CHANGE_PRIME)
        padici_gpu_num_define(run, run->work.define_count++, "PD_NUM_KIND=",
                              (uint32_t)task->a->model);
    if (kernel == PADIC_KERNEL_NUM_RATIONAL)
        padici_gpu_num_define(run, run->work.define_count++, "PD_NUM_KIND=",
                              1 + (uint32_t)((const padici_rational *)task->call.options)->mode);
    run->work.mem_count = 8;
    for (run->mems = 0; run->mems < task->space.mems && run->mems < 8; run->mems++)
        run->work.mem[run->mems] = task->space.mem[run->mems];
}

// One memory more; the address of its byte 0, as those of padici_num_space.
static char *padici_gpu_num_memory(padici_gpu_num_run *run, const padici_gpu_block *block)
{
    run->work.mem[run->mems] = block->mem;
    return (char *)(uintptr_t)((uint64_t)++run->mems << 56);
}

static padic_result padici_gpu_num_launch(padici_gpu_num_run *run,
                                          const padici_k_num_each_params *k, uint32_t groups)
{
    const uint32_t units = run->gpu->info->compute_units, most = (units ? units : 64) * 32;
    uint32_t i;
    for (i = run->mems; i < 8; i++) run->work.mem[i] = run->work.mem[0]; // not looked at
    run->work.params = k;
    run->work.params_size = sizeof *k;
    run->work.groups[0] = groups < most ? groups : most;
    return padici_gpu_launch(run->gpu, &run->work);
}

// A sum: chunks to cells, then cells to the result.
static padic_result padici_gpu_num_reduce(padici_gpu_num_run *run, padici_num_task *task,
                                          const void *sticky)
{
    const uint64_t chunks = (task->count + 4095) / 4096, half = (chunks + 1) * 16;
    padici_k_num_each_params k;
    padic_num_call call = task->call;
    padici_gpu_block cells;
    padic_result result = padici_gpu_scratch(run->gpu, 2 * half, &cells);
    if (result) return result;
    memset(&call.c, 0, sizeof call.c);
    call.count = task->count;
    call.status = NULL;
    call.other[0] = padici_gpu_num_memory(run, &cells);
    if (chunks) {
        padici_gpu_num_params(&k, &call, NULL, run->bits);
        k.mode = call.b.unit != NULL;
        result = padici_gpu_num_launch(run, &k, (uint32_t)((chunks + 3) / 4));
    }
    padici_gpu_num_define(run, 0, "PD_NUM_OP=", PADICI_GPU_NUM_FOLD);
    call.status = task->call.status;
    call.out = task->call.c;
    memset(&call.a, 0, sizeof call.a);
    memset(&call.b, 0, sizeof call.b);
    call.other[1] = (char *)call.other[0] + half;
    call.count = chunks;
    padici_gpu_num_params(&k, &call, sticky, run->bits);
    if (!result) result = padici_gpu_num_launch(run, &k, 1);
    padici_gpu_scratch_end(run->gpu, &cells);
    return result;
}

// Does the kernel want a table in other[2]? It is made on the host and goes up.
static uint32_t padici_gpu_num_tables(const padici_num_task *task, uint32_t kernel)
{
    return kernel == PADIC_KERNEL_NUM_EXP || kernel == PADIC_KERNEL_NUM_LOG ||
           kernel == PADIC_KERNEL_NUM_SQRT || kernel == PADIC_KERNEL_NUM_ROOT ||
           kernel == PADIC_KERNEL_NUM_POW_PADIC || kernel == PADIC_KERNEL_NUM_RATIONAL ||
           kernel == PADIC_KERNEL_NUM_CHANGE_PRIME ||
           (kernel == PADIC_KERNEL_NUM_TO_FLOAT && padici_gpu_num_float_kind(&task->call)) ||
           (kernel == PADIC_KERNEL_NUM_VALUATION && task->call.other[1]);
}

static padic_result padici_gpu_num_table(padici_gpu *gpu, const padici_num_task *task,
                                         uint32_t kernel, padici_gpu_block *block, uint64_t *terms)
{
    const padic_num_call *call = &task->call;
    switch (kernel) {
    case PADIC_KERNEL_NUM_RATIONAL:
    case PADIC_KERNEL_NUM_CHANGE_PRIME: return padici_gpu_num_fractions(gpu, task, kernel, block);
    case PADIC_KERNEL_NUM_TO_FLOAT: return padici_gpu_num_floats(gpu, call, block);
    case PADIC_KERNEL_NUM_VALUATION: return padici_gpu_num_norms(gpu, call, block);
    case PADIC_KERNEL_NUM_SQRT:
    case PADIC_KERNEL_NUM_ROOT: return padici_gpu_num_roots(gpu, call, block);
    default:
        return padici_gpu_num_series(gpu, call->ring,
                                     kernel == PADIC_KERNEL_NUM_EXP   ? 1
                                     : kernel == PADIC_KERNEL_NUM_LOG ? 2
                                                                      : 3,
                                     block, terms);
    }
}

// All parts of a call of at most 2^30 elements each.
static padic_result padici_gpu_num_parts(padici_gpu_num_run *run, const padici_num_task *task,
                                         uint32_t kernel, const void *sticky)
{
    padici_k_num_each_params k;
    padic_result result = PADIC_OK;
    uint64_t first, n;
    for (first = 0; first < task->count && !result; first += n) {
        padic_num_call part;
        n = task->count - first < UINT64_C(1) << 30 ? task->count - first : UINT64_C(1) << 30;
        part = padici_num_part(task, first, n);
        padici_gpu_num_params(&k, &part, sticky, run->bits);
        padici_gpu_num_special(&k, task, kernel);
        if (kernel == PADIC_KERNEL_NUM_RANDOM)
            padici_gpu_num_pair(k.place + 28,
                                ((const padic_num_random_desc *)part.options)->first + first);
        if (run->coefficients) {
            padici_gpu_num_place(&k, 16, run->coefficients);
            if (run->terms) padici_gpu_num_pair(k.stride, run->terms);
        }
        result = padici_gpu_num_launch(run, &k, (uint32_t)((n + 127) / 128));
    }
    return result;
}

// room: src/gpu/num/solve.c
// Small exact linear algebra

#define PADICI_GPU_NUM_ROOM (UINT64_C(32) << 20) // bytes: what a large cache holds

// The last word of the host's `bits`: what happened to all systems.
static padic_result padici_gpu_num_report(padici_gpu *gpu, padici_num_task *task, padic_mem mem)
{
    padici_place from = {{0}, 0, 0}, to = {{0}, 0, 1};
    if (!task->report) return PADIC_OK;
    from.mem = mem;
    to.mem.bits = (uint64_t)(uintptr_t)&task->call.bits;
    return padici_target_move(gpu->context, gpu->target, &to, &from, 4);
}

// How many groups of `items` systems a launch has: for all, as many as run at a time, and `each`
// bytes of room for every one.
static uint32_t padici_gpu_num_groups(const padici_gpu *gpu, uint64_t count, uint32_t items,
                                      uint32_t most, uint64_t each)
{
    const uint32_t units = gpu->info->compute_units;
    const uint64_t all = (count + items - 1) / items;
    uint64_t groups = (uint64_t)(units ? units : 64) * most;
    if (groups > all) groups = all;
    if (groups > PADICI_GPU_NUM_ROOM / each) groups = PADICI_GPU_NUM_ROOM / each;
    return groups ? (uint32_t)groups : 1;
}

// What one launch does of a batch: systems from `system` on, and right sides from `side` on.
typedef struct padici_gpu_solve_cut {
    uint64_t system, systems;
    uint32_t side, sides;
} padici_gpu_solve_cut;

#ifndef PADICI_GPU_SOLVE_CELLS
#define PADICI_GPU_SOLVE_CELLS (UINT64_C(1) << 30) // of A, or of B, in a launch
#endif
#define PADICI_GPU_SOLVE_SIDES 64u // of a launch: as many as a group has items

// The first cut (systems = 0), or the next one. 0: there is none.
static int padici_gpu_solve_next(const padici_solving *s, padici_gpu_solve_cut *cut)
{
    const uint32_t sides = s->right.data ? s->sides : 0;
    const uint64_t each = (uint64_t)s->n * (s->n > sides ? s->n : sides);
    const uint64_t most = PADICI_GPU_SOLVE_CELLS > each ? PADICI_GPU_SOLVE_CELLS / each : 1;
    cut->side += cut->sides;
    if (cut->side >= sides) {
        cut->side = 0;
        cut->system += cut->systems;
    }
    cut->systems = s->batch - cut->system < most ? s->batch - cut->system : most;
    cut->sides = sides - cut->side < PADICI_GPU_SOLVE_SIDES ? sides - cut->side
                                                            : PADICI_GPU_SOLVE_SIDES;
    return cut->systems != 0;
}

// Where a cut begins in a tensor with `each` elements of a system: of B and its like the side too.
static void *padici_gpu_solve_at(const padici_integers *x, const padici_gpu_solve_cut *cut,
                                 uint64_t each, uint32_t side)
{
    if (!x->data) return NULL;
    return (char *)x->data + (cut->system * each + side) * padic_dtype_size(x->dtype);
}

// Modulo p^N: num.cl.
static padic_result padici_gpu_solve_modp(padici_gpu *gpu, padici_num_task *task,
                                          const padici_solving *s, int query)
{
    const uint32_t n = s->n, size = s->call.ring->unit_size;
    const uint32_t sides = s->sides < PADICI_GPU_SOLVE_SIDES ? s->sides : PADICI_GPU_SOLVE_SIDES;
    const uint64_t each = 128 * (uint64_t)n * (n + sides) * size;
    padici_gpu_solve_cut cut = {0, 0, 0, 0};
    padic_num_call call = s->call;
    padici_k_num_each_params k;
    padici_gpu_num_run run;
    padici_gpu_block room;
    padic_result result;
    uint32_t groups;
    char *base;
    if (s->call.ring->form > PADIC_NUM_W64 || s->call.ring->composite || task->space.mems > 7)
        return PADIC_ERROR_NOT_SUPPORTED;
    padici_gpu_num_begin(&run, gpu, task, PADIC_KERNEL_NUM_SOLVE,
                         padici_gpu_num_op(PADIC_KERNEL_NUM_SOLVE));
    padici_gpu_num_define(&run, run.work.define_count++, "PD_NUM_SIZE=",
                          padic_dtype_size(s->dtype));
    result = padici_gpu_need(gpu, run.work.kernel, run.defines, run.work.define_count);
    if (result || query) return result;
    groups = padici_gpu_num_groups(gpu, s->batch, 128, 32, each);
    result = padici_gpu_scratch(gpu, 256 + groups * each, &room);
    if (result) return result;
    base = padici_gpu_num_memory(&run, &room);
    if (task->report)
        result = padici_target_fill(gpu->context, gpu->target, room.mem, 0, 0, 4);
    while (!result && padici_gpu_solve_next(s, &cut)) {
        const uint64_t row = (uint64_t)n * s->sides;
        call.status = (uint8_t *)padici_gpu_solve_at(&s->status, &cut, 1, 0);
        call.other[0] = (char *)padici_gpu_solve_at(&s->matrix, &cut, (uint64_t)n * n, 0);
        call.other[1] = (char *)padici_gpu_solve_at(&s->right, &cut, row, cut.side);
        call.other[2] = base + 256;
        call.out.unit = (char *)s->call.out.unit + (cut.system * row + cut.side) * size;
        call.count = cut.systems;
        call.k = n;
        call.stride = cut.sides | (uint64_t)s->sides << 32;
        padici_gpu_num_params(&k, &call, task->report ? base : NULL, run.bits);
        padici_gpu_num_place(&k, 6, padici_gpu_solve_at(&s->rank, &cut, 1, 0));
        result = padici_gpu_num_launch(&run, &k, groups);
    }
    if (!result) result = padici_gpu_num_report(gpu, task, room.mem);
    padici_gpu_scratch_end(gpu, &room);
    return result;
}

// Words of a group of kind 1: for residues and for two numbers a side, then for the answers. Their
// limbs are those of the product of primes, as solve_bound() of solve.cl asks for, and one more for
// a carry or a sign.
static void padici_gpu_solve_room(padici_k_solve_systems_params *k)
{
    const uint32_t cells = k->n * (k->n + k->sides);
    uint32_t log = 0, bits, limbs;
    while (1u << log < k->n) log++;
    bits = k->n * (k->wide ? 64 : 32) + (k->n * log + 1) / 2;
    limbs = 31 * ((bits + 2) / 31 + 1) / 32 + 2;
    k->part = cells > 2 * k->sides * limbs ? cells : 2 * k->sides * limbs;
    k->each = k->part + limbs * (k->n * k->sides + 1);
}

// The plane q of the kernel: an address as of padici_num_space.
static void padici_gpu_solve_place(padici_k_solve_systems_params *k, padici_gpu_work *work,
                                   const padici_num_space *space, uint32_t q, const void *plane)
{
    const uint64_t at = (uint64_t)(uintptr_t)plane;
    work->mem[q] = space->mem[plane ? (at >> 56) - 1 : 0];
    padici_gpu_num_pair(k->place + 2 * q, at & (UINT64_MAX >> 8));
    if (plane) k->place[2 * q + 1] |= 1u << 24;
}

static void padici_gpu_solve_params(padici_k_solve_systems_params *k, padici_gpu_work *work,
                                    const padici_solving *s, const padici_num_space *space,
                                    const padici_gpu_solve_cut *cut)
{
    const padici_integers *const out[3] = {&s->numerator, &s->denominator, &s->det};
    const uint64_t n = s->n, row = n * s->sides;
    uint32_t i;
    memset(k, 0, sizeof *k);
    k->count = (uint32_t)cut->systems;
    k->n = s->n;
    k->sides = cut->sides;
    k->step = s->sides;
    k->batch = (uint32_t)s->batch;
    k->again = cut->side != 0;
    k->wide = s->dtype == PADIC_I64;
    padici_gpu_solve_room(k);
    for (i = 0; i < 3; i++) {
        k->type[i] = padici_gpu_num_int_kind(out[i]->dtype);
        k->words[i] = out[i]->limbs;
    }
    padici_gpu_solve_place(k, work, space, 0, padici_gpu_solve_at(&s->matrix, cut, n * n, 0));
    padici_gpu_solve_place(k, work, space, 1,
                           padici_gpu_solve_at(&s->right, cut, row, cut->side));
    padici_gpu_solve_place(k, work, space, 2,
                           padici_gpu_solve_at(&s->numerator, cut, row, cut->side));
    padici_gpu_solve_place(k, work, space, 3,
                           padici_gpu_solve_at(&s->denominator, cut, s->sides, cut->side));
    padici_gpu_solve_place(k, work, space, 4,
                           k->again ? NULL : padici_gpu_solve_at(&s->det, cut, 1, 0));
    padici_gpu_solve_place(k, work, space, 5,
                           k->again ? NULL : padici_gpu_solve_at(&s->rank, cut, 1, 0));
    padici_gpu_solve_place(k, work, space, 6, padici_gpu_solve_at(&s->status, cut, 1, 0));
}

// Bytes of the words before the room of the kernel.
static uint64_t padici_gpu_solve_head(uint64_t count)
{
    return 8 + 4 * ((count + 1) & ~UINT64_C(1));
}

// A padici_solving: over the rationals by solve.cl, small systems first, then what they left.
static padic_result padici_gpu_num_solve(padici_gpu *gpu, padici_num_task *task, int query)
{
    static const char *const large = "PD_SOLVE_KIND=1", *const bound = "PD_SOLVE_KIND=2";
    static const char *const check = "PD_SOLVE_KIND=3";
    const padici_solving *s = (const padici_solving *)task->call.options;
    padici_gpu_solve_cut cut = {0, 0, 0, 0};
    padici_k_solve_systems_params k;
    padici_gpu_work work;
    padici_gpu_block room;
    uint64_t each[2], busy, bytes, head;
    uint32_t groups[2], i;
    padic_result result;
    if (s->batch >> 32) return PADIC_ERROR_NOT_SUPPORTED;
    if (s->call.ring) return padici_gpu_solve_modp(gpu, task, s, query);
    result = padici_gpu_need(gpu, PADICI_KERNEL_SOLVE_SYSTEMS, &bound, s->bound);
    if (!result && !s->bound)
        result = padici_gpu_need(gpu, PADICI_KERNEL_SOLVE_SYSTEMS, &large, 1);
    if (!result && s->verify)
        result = padici_gpu_need(gpu, PADICI_KERNEL_SOLVE_SYSTEMS, &check, 1);
    if (result || query) return result;
    memset(&work, 0, sizeof work);
    padici_gpu_solve_next(s, &cut); // the largest
    padici_gpu_solve_params(&k, &work, s, &task->space, &cut);
    head = padici_gpu_solve_head(cut.systems);
    each[0] = (uint64_t)64 * 8 * s->n * (s->n + cut.sides);
    each[1] = (uint64_t)4 * k.each;
    busy = each[1] / 8 > 4 * k.part ? each[1] / 8 : 4 * k.part; // what is looked at most
    if (s->bound) each[0] = each[1] = busy = 4; // no room
    groups[0] = padici_gpu_num_groups(gpu, cut.systems, 64, 32, each[0]);
    groups[1] = padici_gpu_num_groups(gpu, cut.systems, 1, 16, busy);
    bytes = groups[0] * each[0] > groups[1] * each[1] ? groups[0] * each[0] : groups[1] * each[1];
    result = padici_gpu_scratch(gpu, head + bytes, &room);
    if (result) return result;
    work.mem_count = 8;
    work.kernel = PADICI_KERNEL_SOLVE_SYSTEMS;
    work.params = &k;
    work.params_size = sizeof k;
    result = padici_target_fill(gpu->context, gpu->target, room.mem, 0, 0, 4);
    memset(&cut, 0, sizeof cut);
    while (!result && padici_gpu_solve_next(s, &cut)) {
        padici_gpu_solve_params(&k, &work, s, &task->space, &cut);
        work.mem[7] = room.mem;
        result = padici_target_fill(gpu->context, gpu->target, room.mem, 4, 0, 4);
        for (i = s->bound; i < 2 + s->verify && !result; i++) {
            k.items = i ? groups[1] : groups[0] * 64;
            work.defines = s->bound ? &bound : i == 2 ? &check : &large;
            work.define_count = i > 0;
            work.groups[0] = groups[i > 0];
            result = padici_gpu_launch(gpu, &work);
        }
    }
    if (!result) result = padici_gpu_num_report(gpu, task, room.mem);
    padici_gpu_scratch_end(gpu, &room);
    return result;
}

// room: src/gpu/num/driver.c
// Roots of polynomials; the driver of all operations and what it builds beforehand.

// All roots of polynomials: a group for each.
static padic_result padici_gpu_num_hensel(padici_gpu *gpu, padici_num_task *task, int query)
{
    const padici_hensel *const h = (const padici_hensel *)task->call.options;
    const padic_num_hensel_desc *const desc = h->desc;
    const padic_num_ring *const r = task->call.ring;
    const uint32_t kernel = PADIC_KERNEL_NUM_HENSEL_ALL;
    const uint32_t words = 3 * desc->terms + 2 * desc->branches;
    padici_k_num_each_params k;
    padici_gpu_num_run run;
    padici_gpu_block room;
    padic_result result;
    uint64_t first, n;
    uint32_t groups;
    char *base;
    if (!padici_gpu_num_can(task, kernel) || task->space.mems > 7)
        return PADIC_ERROR_NOT_SUPPORTED;
    padici_gpu_num_begin(&run, gpu, task, kernel, padici_gpu_num_op(kernel));
    result = padici_gpu_need(gpu, run.work.kernel, run.defines, run.work.define_count);
    if (result || query) return result;
    groups = padici_gpu_num_groups(gpu, task->count, 1, 16, (uint64_t)words * r->unit_size);
    result = padici_gpu_scratch(gpu, 256 + (uint64_t)groups * words * r->unit_size, &room);
    if (result) return result;
    base = padici_gpu_num_memory(&run, &room);
    result = padici_target_fill(gpu->context, gpu->target, room.mem, 0, 0, 4);
    for (first = 0; first < task->count && !result; first += n) {
        padic_num_call call = task->call;
        n = task->count - first < UINT64_C(1) << 30 ? task->count - first : UINT64_C(1) << 30;
        padici_num_advance(r, &call.out, first * desc->most);
        if (h->own) padici_num_advance(r, &call.c, first);
        if (call.status) call.status += first * desc->most;
        call.other[0] = (uint32_t *)call.other[0] + first;
        if (call.other[1]) call.other[1] = (uint8_t *)call.other[1] + first;
        call.other[2] = base + 256;
        call.count = n;
        call.k = (int64_t)(desc->terms | (uint64_t)desc->branches << 32);
        call.stride = (h->own ? desc->polynomials : 0) | (uint64_t)words << 32;
        padici_gpu_num_params(&k, &call, base, run.bits);
        k.mode = desc->most;
        result = padici_gpu_num_launch(&run, &k, groups);
    }
    if (!result) result = padici_gpu_num_report(gpu, task, room.mem);
    padici_gpu_scratch_end(gpu, &room);
    return result;
}

// A number from padic_num_kernel and its padici_num_task: see padici_gpu_drive().
static padic_result padici_gpu_num(padici_gpu *gpu, uint32_t kernel, void *call, int query)
{
    padici_num_task *const task = (padici_num_task *)call;
    const uint32_t reduce = kernel == PADIC_KERNEL_NUM_DOT || kernel == PADIC_KERNEL_NUM_SUM;
    const uint32_t tables = padici_gpu_num_tables(task, kernel);
    const void *sticky = task->sticky_word;
    padici_gpu_num_run run;
    padici_gpu_block word, coefficients;
    padic_result result;
    if (kernel == PADIC_KERNEL_NUM_SOLVE) return padici_gpu_num_solve(gpu, task, query);
    if (kernel == PADIC_KERNEL_NUM_HENSEL_ALL) return padici_gpu_num_hensel(gpu, task, query);
    if (!padici_gpu_num_can(task, kernel) || task->space.mems + reduce + tables + task->report > 8)
        return PADIC_ERROR_NOT_SUPPORTED;
    padici_gpu_num_begin(&run, gpu, task, kernel, padici_gpu_num_op(kernel));
    result = padici_gpu_need(gpu, run.work.kernel, run.defines, run.work.define_count);
    if (!result && reduce) {
        padici_gpu_num_define(&run, 0, "PD_NUM_OP=", PADICI_GPU_NUM_FOLD);
        result = padici_gpu_need(gpu, run.work.kernel, run.defines, run.work.define_count);
        padici_gpu_num_define(&run, 0, "PD_NUM_OP=", padici_gpu_num_op(kernel));
    }
    if (result || query) return result;
    if (task->report) {
        result = padici_gpu_scratch(gpu, 4, &word);
        if (result) return result;
        sticky = padici_gpu_num_memory(&run, &word);
        result = padici_target_fill(gpu->context, gpu->target, word.mem, 0, 0, 4);
    }
    if (!result && tables) {
        result = padici_gpu_num_table(gpu, task, kernel, &coefficients, &run.terms);
        run.coefficients = padici_gpu_num_memory(&run, &coefficients);
    }
    if (!result)
        result = reduce ? padici_gpu_num_reduce(&run, task, sticky)
                        : padici_gpu_num_parts(&run, task, kernel, sticky);
    if (run.coefficients) padici_gpu_scratch_end(gpu, &coefficients);
    if (task->report) {
        padici_place from = {{0}, 0, 0}, to = {{0}, 0, 1};
        from.mem = word.mem;
        to.mem.bits = (uint64_t)(uintptr_t)&task->call.bits;
        if (!result) result = padici_target_move(gpu->context, gpu->target, &to, &from, 4);
        padici_gpu_scratch_end(gpu, &word);
    }
    return result;
}

// The most used: sums, products and sums of products in words of 64 bits, in a ring and as floats;
// systems over the rationals.
static padic_result padici_warm_num(padici_gpu *gpu)
{
    static const uint32_t ops[] = {1, 4, 5, 18, PADICI_GPU_NUM_FOLD};
    static const char *const large = "PD_SOLVE_KIND=1";
    padici_gpu_num_run run;
    padic_result result = PADIC_OK;
    uint32_t i;
    memset(&run, 0, sizeof run);
    for (i = 0; i < 10 && !result; i++) {
        padici_gpu_num_define(&run, 0, "PD_NUM_OP=", ops[i % 5]);
        padici_gpu_num_define(&run, 1, "PD_NUM_MODEL=",
                              (uint32_t)(i < 5 ? PADIC_NUM_RING : PADIC_NUM_FLOAT));
        padici_gpu_num_define(&run, 2, "PD_NUM_BITS=", 64);
        padici_gpu_num_define(&run, 3, "PD_NUM_TWO=", 0);
        result = padici_gpu_need(gpu, PADICI_KERNEL_NUM_EACH, run.defines, 4);
        if (result == PADIC_ERROR_NOT_SUPPORTED) result = PADIC_OK;
    }
    for (i = 0; i < 2 && !result; i++) {
        result = padici_gpu_need(gpu, PADICI_KERNEL_SOLVE_SYSTEMS, &large, i);
        if (result == PADIC_ERROR_NOT_SUPPORTED) result = PADIC_OK;
    }
    return result;
}

// room: src/gpu/num/each_arrays_test.c
// The test of a variant: 301 numbers or more of each kind, specials among them; the answer is the
// host's.
typedef struct padici_test_num {
    padic_num_ring ring, from; // from: of a, where the precision changes
    padic_num_array x, a, b, c;
    unsigned char *other[2];
    padic_num_model model;
    uint32_t op, count, kind, val, known, size; // as the defines
    uint32_t norm;     // 1: norms in other[1], or logarithms of them
    padic_dtype dtype; // of other[0]; of norms
    padic_num_horner_desc polynomial; // here, for the frame of who uses it
    padic_num_to_rational_desc fraction; // of RATIONAL
    padici_rational rational;
    uint64_t bounds[4 * 65];
    uint64_t n; // of roots
    padici_root root;
    padic_num_random_desc random;
} padici_test_num;

static uint64_t padici_test_num_room(const padici_test_num *t) // bytes of other[0]
{
    const uint32_t digits = t->op == 14 || t->op == 15;
    return (t->op == 18 ? 64 : t->count) * (digits ? 64 * t->size : 16);
}

// An array of a test, *at bytes into the block at base (NULL: only *at moves).
static void padici_test_num_array(const padici_test_num *t, padic_num_array *a,
                                  const padic_num_ring *ring, uint64_t count, char *base,
                                  uint64_t *at)
{
    const padic_num_model model =
        t->op == 30 && a == &t->a ? (padic_num_model)t->kind : t->model;
    char *const here = (char *)padici_num_take(base, at, 0);
    *at += padici_num_lay(a, ring, model, count, here);
    if (t->val == 16 && model) a->val.dtype = PADIC_I16;
    if (t->known == 16 && model == PADIC_NUM_BALL)
        a->known = padic_tensor_1d(PADIC_U16, padici_num_take(base, at, count * 2), count);
}

// The arrays and tensors of a test in one block of memory; the bytes it takes.
static uint64_t padici_test_num_lay(padici_test_num *t, unsigned char *base_)
{
    const uint64_t n = t->count, few = t->op == 18 ? 64 : n; // sums of many use one array
    char *const base = (char *)base_;
    uint64_t at = 0;
    padici_test_num_array(t, &t->a, &t->from, n, base, &at);
    padici_test_num_array(t, &t->b, &t->ring, few, base, &at);
    padici_test_num_array(t, &t->c, &t->ring, t->op == 13 || t->op == 33 ? 3 : few, base, &at);
    padici_test_num_array(t, &t->x, &t->ring, few, base, &at);
    t->other[0] = (unsigned char *)padici_num_take(base, &at, padici_test_num_room(t));
    t->other[1] = (unsigned char *)padici_num_take(base, &at, few * 16);
    return at;
}

static uint64_t padici_test_num_word(uint64_t i) // splitmix64
{
    uint64_t z = i * UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static void padici_test_num_fill(const padic_num_array *a, uint64_t seed)
{
    const padic_num_ring *r = a->ring;
    uint64_t i;
    for (i = 0; i < a->count; i++) {
        const uint64_t word = padici_test_num_word(seed + i), kind = i % 17;
        padic_num_value v = {0, 0, {0, 0}};
        v.v = (int32_t)(word >> 60) - 3;
        v.n = a->model == PADIC_NUM_BALL ? 1 + (uint32_t)(word >> 32) % r->precision
                                         : r->precision;
        v.u[0] = r->base || v.n < r->precision ? word % r->power[v.n][0] : word;
        if (a->model == PADIC_NUM_RING) {
            if (kind < 4) v.u[0] = v.u[0] / r->power[kind + 1][0] * r->power[kind + 1][0];
        } else if (kind == 5) {
            v.v = PADIC_NUM_ZERO;
        } else if (kind == 7) {
            v.v = PADIC_NUM_NAN;
            v.u[0] = PADIC_NUM_DIV0;
        } else if (v.u[0] % r->p == 0) {
            v.u[0] = 1;
        }
        if (kind == 9 && a->model == PADIC_NUM_BALL) v.n = 0; // O(p^v)
        if (v.v == PADIC_NUM_ZERO || !v.n) v.u[0] = 0;
        if (v.v == PADIC_NUM_ZERO || v.v == PADIC_NUM_NAN) v.n = 0;
        padic_num_set(a, i, &v);
    }
}

// Small integers among them, which are fractions.
static void padici_test_num_small(const padic_num_array *a)
{
    const padic_num_ring *r = a->ring;
    uint64_t i;
    for (i = 0; i < a->count; i += 3) {
        padic_num_value v = {0, 0, {0, 0}};
        v.v = a->model == PADIC_NUM_RING ? 0 : (int32_t)(i % 5) - 2;
        v.n = a->model == PADIC_NUM_BALL ? r->precision - (uint32_t)(i % 3) : r->precision;
        v.u[0] = 1 + i % r->p % 60 % (r->p - 1 ? r->p - 1 : 1);
        padic_num_set(a, i, &v);
    }
}

// room: src/gpu/num/each_answers_test.c
// What the host answers in the test of a variant.

// Of padici_test_num_host(): comparisons.
static PADICI_NOINLINE void padici_test_num_compares(padici_test_num *t, uint32_t *sticky)
{
    const uint64_t n = t->count;
    padic_num_valuation_desc desc;
    if (t->op == 12) { // a plane of n bytes
        const padic_tensor bytes = padic_tensor_1d(PADIC_U8, t->other[0], n);
        padic_num_equal(NULL, &bytes, &t->a, &t->b, 2);
        return;
    }
    memset(&desc, 0, sizeof desc);
    desc.in = t->a;
    desc.other = t->b;
    desc.val = padic_tensor_1d(PADIC_I32, t->other[0], n);
    if (t->norm) desc.norm = padic_tensor_1d(t->dtype, t->other[1], n);
    desc.status = t->x.status;
    desc.sticky = sticky;
    padic_num_valuation(NULL, &desc);
}

// Of padici_test_num_host(): a polynomial.
static PADICI_NOINLINE void padici_test_num_horner(padici_test_num *t)
{
    t->polynomial.out = t->x;
    t->polynomial.x = t->a;
    t->polynomial.coefficients = t->c;
    t->polynomial.terms = 3;
    padic_num_horner(NULL, &t->polynomial);
}

static PADICI_NOINLINE void padici_test_num_hensel(padici_test_num *t)
{
    padic_num_hensel_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.out = t->x;
    desc.coefficients = t->c;
    desc.terms = 3;
    desc.seeds = t->a;
    padic_num_hensel(NULL, &desc);
}

// 100 polynomials of their own, none of them 0; every fifth is x^2 - p^2, whose roots are in one
// class modulo p.
#define PADICI_TEST_NUM_POLYNOMIALS 100u
#define PADICI_TEST_NUM_BRANCHES 4u
#define PADICI_TEST_NUM_ROOM (UINT64_C(9) + 2 * PADICI_TEST_NUM_BRANCHES) // words of a group
static PADICI_NOINLINE void padici_test_num_squares(const padic_num_array *c)
{
    const padic_num_ring *r = c->ring;
    uint32_t i, j;
    for (i = 0; i < PADICI_TEST_NUM_POLYNOMIALS; i++)
        for (j = 0; j < 3; j++) {
            padic_num_value v = {0, 0, {0, 0}};
            if (i % 5) {
                padic_num_get(c, j * (uint64_t)PADICI_TEST_NUM_POLYNOMIALS + i, &v);
                if (v.v > 1 && v.v != PADIC_NUM_ZERO) v.v = (int32_t)(i + j) % 2;
                padic_num_set(c, j * (uint64_t)PADICI_TEST_NUM_POLYNOMIALS + i, &v);
                continue;
            }
            v.n = r->precision;
            v.u[0] = j == 2 ? 1 : j == 0 ? r->modulus[0] - 1 : 0;
            if (c->model == PADIC_NUM_RING && j == 0) v.u[0] = r->modulus[0] - r->p * r->p;
            if (c->model != PADIC_NUM_RING) v.v = j == 1 ? PADIC_NUM_ZERO : j == 0 ? 2 : 0;
            if (j == 1) v.n = c->model == PADIC_NUM_RING ? v.n : 0;
            padic_num_set(c, j * (uint64_t)PADICI_TEST_NUM_POLYNOMIALS + i, &v);
        }
}

static PADICI_NOINLINE void padici_test_num_hensel_all(padici_test_num *t)
{
    uint64_t scratch[9 + PADICI_NUM_TEMPS + 2 * PADICI_TEST_NUM_BRANCHES];
    padic_num_hensel_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.out = t->x;
    desc.coefficients = t->c;
    desc.terms = desc.most = 3;
    desc.polynomials = PADICI_TEST_NUM_POLYNOMIALS;
    desc.branches = PADICI_TEST_NUM_BRANCHES;
    desc.found = padic_tensor_1d(PADIC_U32, t->other[0], desc.polynomials);
    desc.guarantee = padic_tensor_1d(PADIC_U8, t->other[1], desc.polynomials);
    desc.scratch = scratch;
    desc.scratch_size = sizeof scratch;
    padic_num_hensel(NULL, &desc);
}

// Of padici_test_num_host(): conversions.
static PADICI_NOINLINE void padici_test_num_converts(padici_test_num *t, uint32_t *sticky)
{
    const uint64_t shape[2] = {t->ring.precision, t->count};
    const padic_tensor wide = padic_tensor_1d(t->dtype, t->other[0], t->count);
    const padic_tensor digits = padic_tensor_nd(t->dtype, t->other[0], 2, shape);
    union { // one at a time, for the frame
        padic_num_to_digits_desc to_digits;
        padic_num_from_digits_desc from_digits;
        padic_num_from_int_desc from_int;
        padic_num_to_int_desc to_int;
        padic_num_from_float_desc from_float;
        padic_num_to_float_desc to_float;
    } d;
    memset(&d, 0, sizeof d);
    if (t->op == 14) {
        d.to_digits.in = t->a;
        d.to_digits.digits = digits;
        d.to_digits.kind = (padic_num_digit_kind)t->kind;
        d.to_digits.status = t->x.status;
        d.to_digits.sticky = sticky;
        padic_num_to_digits(NULL, &d.to_digits);
    } else if (t->op == 15) {
        d.from_digits.out = t->x;
        d.from_digits.digits = digits;
        d.from_digits.kind = (padic_num_digit_kind)t->kind;
        padic_num_from_digits(NULL, &d.from_digits);
    } else if (t->op == 16) {
        d.from_int.out = t->x;
        d.from_int.in = wide;
        padic_num_from_int(NULL, &d.from_int);
    } else if (t->op == 17) {
        d.to_int.in = t->a;
        d.to_int.out = wide;
        d.to_int.mode = PADIC_NUM_BALANCED;
        d.to_int.status = t->x.status;
        d.to_int.sticky = sticky;
        padic_num_to_int(NULL, &d.to_int);
    } else if (t->op == 22) {
        d.from_float.out = t->x;
        d.from_float.in = wide;
        padic_num_from_float(NULL, &d.from_float);
    } else if (t->op == 23) {
        d.to_float.in = t->a;
        d.to_float.out = wide;
        d.to_float.mode =
            t->ring.p == 2 || t->kind == 2 ? PADIC_NUM_DIRECT : PADIC_NUM_SCALED;
        d.to_float.status = t->x.status;
        d.to_float.sticky = sticky;
        padic_num_to_float(NULL, &d.to_float);
    }
}

// Of padici_test_num_host(): fractions.
static PADICI_NOINLINE void padici_test_num_fractions(padici_test_num *t, uint32_t *sticky)
{
    const padic_dtype dtype = t->op == 21 ? PADIC_I64 : t->dtype;
    const padic_tensor wide = padic_tensor_1d(dtype, t->other[0], t->count);
    const padic_tensor wide1 = padic_tensor_1d(dtype, t->other[1], t->count);
    if (t->op == 20) {
        padic_num_from_rational_desc desc;
        memset(&desc, 0, sizeof desc);
        desc.out = t->x;
        desc.numerator = wide;
        desc.denominator = wide1;
        padic_num_from_rational(NULL, &desc);
    } else {
        padic_num_to_rational_desc desc;
        memset(&desc, 0, sizeof desc);
        desc.in = t->a;
        desc.numerator = wide;
        desc.denominator = wide1;
        desc.most_numerator[0] = desc.most_denominator[0] = 1000;
        if (t->kind) {
            desc = t->fraction;
            desc.in = t->a; // of the answer
            desc.numerator = wide;
            desc.denominator = wide1;
        }
        desc.status = t->x.status;
        desc.sticky = sticky;
        padic_num_to_rational(NULL, &desc);
    }
}

// The operation on the host, over the answer. Sums: padici_test_num_sums().
static PADICI_NOINLINE void padici_test_num_host(padici_test_num *t, uint32_t *sticky)
{
    const padic_tensor narrow = padic_tensor_1d(PADIC_I32, t->other[0], t->count);
    const padic_tensor wide = padic_tensor_1d(PADIC_F64, t->other[0], t->count);
    t->x.sticky = sticky;
    switch (t->op) {
    case 1: padic_num_add(NULL, &t->x, &t->a, &t->b); break;
    case 2: padic_num_sub(NULL, &t->x, &t->a, &t->b); break;
    case 3: padic_num_neg(NULL, &t->x, &t->a); break;
    case 4: padic_num_mul(NULL, &t->x, &t->a, &t->b); break;
    case 5: padic_num_fma(NULL, &t->x, &t->a, &t->b, &t->c); break;
    case 6: padic_num_inv(NULL, &t->x, &t->a); break;
    case 7: padic_num_div(NULL, &t->x, &t->a, &t->b); break;
    case 8: padic_num_shift(NULL, &t->x, &t->a, -1); break;
    case 9: padic_num_pow(NULL, &t->x, &t->a, -19); break;
    case 10: padic_num_split(NULL, &t->x, &narrow, &t->a); break;
    case 25: padici_root_turn(NULL, &t->x, &t->a, &t->root); break;
    case 31: padic_num_pow_padic(NULL, &t->x, &t->a, &t->b); break;
    case 26: padic_num_exp(NULL, &t->x, &t->a); break;
    case 27: padic_num_log(NULL, &t->x, &t->a, PADIC_NUM_IWASAWA); break;
    case 24: padic_num_teichmueller(NULL, &t->x, &t->a); break;
    case 28: padic_num_set_precision(NULL, &t->x, &t->a); break;
    case 33: padici_test_num_hensel(t); break;
    case 35: padici_test_num_hensel_all(t); break;
    case 32:
        t->random.out = t->x;
        padic_num_random(NULL, &t->random);
        break;
    case 30: padic_num_change_prime(NULL, &t->x, &t->a); break;
    case 29: padic_num_tropical(NULL, t->norm ? &wide : &narrow, &t->a); break;
    case 20:
    case 21: padici_test_num_fractions(t, sticky); break;
    case 11:
    case 12: padici_test_num_compares(t, sticky); break;
    case 13: padici_test_num_horner(t); break;
    default: padici_test_num_converts(t, sticky);
    }
}

static void padici_test_num_cell(uint32_t *to, const padici_cell *x)
{
    padici_gpu_num_pair(to, x->v == PADIC_NUM_NAN ? 0 : x->u[0]);
    to[2] = (uint32_t)x->v;
    to[3] = x->n | x->bits << 16;
}

// REDUCE: two chunks of a b to cells. FOLD: three cells to a number, by way of other[1].
static PADICI_NOINLINE void padici_test_num_sums(padici_test_num *t, padic_num_call *call,
                                                 uint32_t *sticky)
{
    uint64_t words[64], temp[64], i;
    padici_reduction lanes;
    padici_cell x;
    memset(&lanes, 0, sizeof lanes);
    for (i = 0; i < 40; i++) lanes.level[i].u = words + i;
    x.u = words + 40;
    if (t->op == 18) {
        for (i = 0; i < 2; i++) {
            padici_reduce_chunk(call, i ? 4096 : 0, i ? t->count : 4096, &lanes, &x, temp);
            padici_test_num_cell((uint32_t *)(void *)t->other[0] + 4 * i, &x);
        }
        return;
    }
    for (i = 0; i < 3; i++) {
        padici_cell_load(call, &call->a, i + 5, &x);
        padici_reduce_push(call, &lanes, &x, temp);
    }
    padici_test_num_cell((uint32_t *)(void *)t->other[1], &lanes.level[0]);
    padici_test_num_cell((uint32_t *)(void *)t->other[1] + 4, &lanes.level[1]);
    padici_reduce_merge(call, &lanes, temp);
    padici_test_num_cell((uint32_t *)(void *)t->other[0], &lanes.level[0]);
    padici_cell_store(call, 0, &lanes.level[0]);
    *sticky |= call->bits;
}

// room: src/gpu/num/each_test.c
// The test of a variant: one operation of the kernel over the arrays, against the host.

// What the kernel is asked for the same.
static void padici_test_num_call(const padici_test_num *t, padici_num_task *task)
{
    padic_num_call *call = &task->call;
    memset(task, 0, sizeof *task);
    call->ring = &t->ring;
    call->model = t->model;
    call->count = t->count;
    task->a = &t->a;
    call->status = (uint8_t *)t->x.status.data;
    padici_num_planes_of(NULL, &t->a, &call->a);
    if (t->op == 1 || t->op == 2 || t->op == 4 || t->op == 5 || t->op == 7 || t->op == 11 ||
        t->op == 12 || t->op == 31)
        padici_num_planes_of(NULL, &t->b, &call->b);
    if (t->op == 5 || t->op == 13 || t->op == 33 || t->op == 35)
        padici_num_planes_of(NULL, &t->c, &call->c);
    padici_num_planes_of(NULL, &t->x, &call->out);
    call->k = t->op == 8    ? -1
              : t->op == 9  ? -19
              : t->op == 12 ? 2
              : t->op == 13 || t->op == 33 || t->op == 34 ? 3
              : t->op == 35 ? 3 | (int64_t)PADICI_TEST_NUM_BRANCHES << 32
              : t->op == 21 ? 1000
              : t->op == 17 ? INT64_C(1) << 32
                            : 0;
    if (t->op == 21 && t->kind) call->options = &t->rational;
    if (t->op == 34) {
        call->b.unit = t->b.unit.data; // ranks
        call->other[0] = t->other[0];
        call->other[1] = t->other[1];
    }
    if (t->op == 27) call->k = PADIC_NUM_IWASAWA;
    if (t->op == 25) call->k = (int64_t)t->n;
    if (t->op == 25) call->options = &t->root;
    if (t->op == 32) call->options = &t->random;
    if (t->op == 23)
        call->k = t->ring.p == 2 || t->kind == 2 ? PADIC_NUM_DIRECT : PADIC_NUM_SCALED;
    call->stride = t->op == 14 || t->op == 15 ? t->count
                   : t->op == 21              ? 1000
                   : t->op == 34              ? 1 | UINT64_C(1) << 32
                   : t->op == 35 ? PADICI_TEST_NUM_POLYNOMIALS | PADICI_TEST_NUM_ROOM << 32
                                              : 0;
    if (t->op == 29 || t->op == 35 || (t->op >= 10 && t->op < 24 && t->op != 13))
        call->other[0] = t->other[0];
    if (t->op == 35 || t->op == 20 || t->op == 21 || (t->op == 11 && t->norm))
        call->other[1] = t->other[1];
    if (t->op == 11 && t->norm) call->k = t->dtype;
    call->dtype = t->op == 21 ? PADIC_I64 : t->dtype;
}

// Addresses of the image become those of memory 1.
static void *padici_test_num_address(const unsigned char *image, const void *p)
{
    return p ? (void *)(uintptr_t)(UINT64_C(1) << 56 |
                                   (uint64_t)((const unsigned char *)p - image))
             : NULL;
}

static void padici_test_num_addresses(const unsigned char *image, padic_num_call *call)
{
    padic_num_planes *planes[4];
    uint32_t i;
    planes[0] = &call->out;
    planes[1] = &call->a;
    planes[2] = &call->b;
    planes[3] = &call->c;
    for (i = 0; i < 4; i++) {
        planes[i]->unit = padici_test_num_address(image, planes[i]->unit);
        planes[i]->val = padici_test_num_address(image, planes[i]->val);
        planes[i]->known = padici_test_num_address(image, planes[i]->known);
        call->other[i] = padici_test_num_address(image, call->other[i]);
    }
    call->status = (uint8_t *)padici_test_num_address(image, call->status);
}

static void padici_test_num_begin(padici_test_num *t, const padici_gpu_case *c)
{
    const uint32_t narrow = padici_gpu_define(c, "PD_NUM_BITS", 64) == 32;
    const uint32_t two = padici_gpu_define(c, "PD_NUM_TWO", 0);
    uint64_t p = two ? 2 : narrow ? 3 : 5;
    uint32_t n = two ? (narrow ? 31 : 63) : narrow ? 20 : 27;
    memset(t, 0, sizeof *t);
    t->op = padici_gpu_define(c, "PD_NUM_OP", 0);
    t->kind = padici_gpu_define(c, "PD_NUM_KIND", 0);
    if (t->op == 25 && (t->kind & 1)) { // 12 divides 786432, and 2^18
        p = 786433;
        n = narrow ? 1 : 3;
    }
    if (t->op == 35) { // residues for several turns of a group
        p = two ? 2 : 257;
        n = two ? n : narrow ? 3 : 6;
    }
    t->n = t->kind == 1 ? 12 : t->kind == 2 ? 2 * p : t->kind == 3 ? 12 * p : 2;
    t->size = padici_gpu_define(c, "PD_NUM_SIZE", 8);
    t->dtype = (padic_dtype)((t->op == 16 || t->op == 17 || t->op == 20 || t->op == 34 ||
                                      t->kind == 1
                                  ? PADIC_I8
                                  : PADIC_U8) +
                             (t->size == 1 ? 0 : t->size == 2 ? 1 : t->size == 4 ? 2 : 3));
    t->norm = (t->op == 11 || t->op == 29) && padici_gpu_define(c, "PD_NUM_SIZE", 0);
    if (t->op == 22 || t->op == 23 || t->norm)
        t->dtype = t->size == 8 ? PADIC_F64 : t->size == 4 ? PADIC_F32 : PADIC_F16;
    t->val = padici_gpu_define(c, "PD_NUM_VAL", 32);
    t->known = padici_gpu_define(c, "PD_NUM_KNOWN", 8);
    t->model = (padic_num_model)padici_gpu_define(c, "PD_NUM_MODEL", 0);
    t->count = t->op == 18 ? 4096 + 77 : t->op == 19 ? 3 : t->op == 14 || t->op == 15 ? 150 : 301;
    if (t->op == 35) t->count = 3 * PADICI_TEST_NUM_POLYNOMIALS;
    if (!t->model && (t->op < 6 || t->op == 13 || t->op == 34))
        t->count = 1301; // of which items do several
    padic_num_ring_init(&t->from, t->op == 30 ? 7 : p, t->op == 30 ? 22 : n, NULL);
    padic_num_ring_init(&t->ring, p, t->op == 28 ? n - 5 : n, NULL);
    if (t->op == 25) padici_root_init(&t->root, &t->ring, t->n, 1);
    t->root.alone = 1;
    t->root.turn = t->root.count / 2; // of p = 3, n = 2 the second; 12 or 2 p: another
    t->random.seed = UINT64_C(0x123456789abcdef0);
    t->random.stream = UINT64_C(0xfedcba9876543210);
    t->random.first = UINT64_C(0x7fffffff80);
}

// The options and the table of bounds of a test of fractions.
static void padici_test_num_bounds(padici_test_num *t)
{
    padic_num_to_rational_desc *const desc = &t->fraction;
    desc->in = t->a;
    desc->mode = t->op == 30 ? PADIC_NUM_RATIONAL_BOUNDED : (padic_num_rational_mode)(t->kind - 1);
    desc->vector = 43;
    desc->fixed[0] = 6 * t->ring.p;
    desc->quotient = 100;
    padici_rational_options(NULL, desc, &t->rational);
    t->rational.dtype[0] = t->rational.dtype[1] = PADIC_I64;
    padici_gpu_num_bounds(t->a.ring, &t->rational, t->bounds);
}

// padic_num_solve() on the host with scratch of its own.
static PADICI_NOINLINE padic_result padici_test_solve_host(padici_gpu *gpu,
                                                           padic_num_solve_desc *desc)
{
    const padic_allocator *allocator = &gpu->context->allocator;
    padic_result result;
    desc->scratch_size = padic_num_solve_bound(desc);
    desc->scratch = padici_alloc(allocator, desc->scratch_size, 64);
    result = desc->scratch ? padic_num_solve(NULL, desc) : PADIC_ERROR_MEMORY;
    padici_free(allocator, desc->scratch, desc->scratch_size);
    return result;
}

// Systems modulo P: 144 of 3 unknowns each, of random integers.
#define PADICI_TEST_NUM_SYSTEMS 144u
static PADICI_NOINLINE padic_result padici_test_num_solve(padici_gpu *gpu, padici_test_num *t,
                                                          uint32_t *sticky)
{
    const uint64_t n = PADICI_TEST_NUM_SYSTEMS, shape[3] = {n, 3, 3};
    padic_num_solve_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.matrix = padic_tensor_nd(t->dtype, t->other[0], 3, shape);
    desc.right = padic_tensor_nd(t->dtype, t->other[1], 2, shape);
    desc.out = t->x;
    desc.out.count = n * 3;
    desc.out.unit = padic_tensor_1d(t->x.unit.dtype, t->x.unit.data, n * 3);
    desc.status = padic_tensor_1d(PADIC_U8, t->x.status.data, n);
    desc.rank = padic_tensor_1d(PADIC_U32, t->b.unit.data, n);
    desc.sticky = sticky;
    return padici_test_solve_host(gpu, &desc);
}

// The numbers of a test, and what lies in its other memories before.
static PADICI_NOINLINE void padici_test_num_inputs(padici_test_num *t)
{
    uint32_t i;
    padici_test_num_fill(&t->a, 1);
    padici_test_num_fill(&t->b, 1001);
    padici_test_num_fill(&t->c, 2001);
    if (t->op == 25 && t->kind == 3) // nearly none of the others has a root
        padic_num_pow(NULL, &t->a, &t->a, (int64_t)t->n);
    if (t->op == 35) padici_test_num_squares(&t->c);
    for (i = 0; t->op == 33 && i < 3; i++) { // integers
        padic_num_value value;
        padic_num_get(&t->c, i, &value);
        value.v = t->model ? (int32_t)i : 0;
        padic_num_set(&t->c, i, &value);
    }
    if (t->op == 30 || ((t->op == 21 || t->op == 23) && t->kind))
        padici_test_num_small(&t->a);
    if (t->op == 30 || (t->op == 21 && t->kind)) padici_test_num_bounds(t);
    for (i = 0; i < padici_test_num_room(t); i++) // for digits these are the lowest bytes
        t->other[0][i] = (unsigned char)(t->op != 15        ? padici_test_num_word(i)
                                         : i % t->size      ? 0
                                         : i == 9 * t->size ? t->ring.p
                                                            : padici_test_num_word(i) % t->ring.p);
    for (i = 0; i < t->b.count * 16; i++)
        t->other[1][i] = (unsigned char)padici_test_num_word(3 * i);
}

// FOLD: cells of three numbers are what the kernel adds.
static void padici_test_num_cells(const padici_test_num *t, padic_num_call *call)
{
    uint32_t i;
    for (i = 0; i < 3; i++) {
        uint64_t u;
        padici_cell x;
        x.u = &u;
        padici_cell_load(call, &call->a, i + 5, &x);
        padici_test_num_cell((uint32_t *)(void *)t->other[0] + 4 * i, &x);
    }
    call->other[1] = t->other[1];
    call->count = 3;
}

// The operation's number in layer 0.
static uint32_t padici_test_num_kernel(const padici_test_num *t)
{
    return t->op == 28   ? (uint32_t)PADIC_KERNEL_NUM_SET_PRECISION
           : t->op == 30 ? (uint32_t)PADIC_KERNEL_NUM_CHANGE_PRIME
           : t->op == 21 && t->kind ? (uint32_t)PADIC_KERNEL_NUM_RATIONAL
           : t->op == 13 || t->op == 33 ? (uint32_t)PADIC_KERNEL_NUM_HORNER
           : t->op == 16 ? (uint32_t)PADIC_KERNEL_NUM_FROM_INT
           : t->op == 17 ? (uint32_t)PADIC_KERNEL_NUM_TO_INT
           : t->op == 20 ? (uint32_t)PADIC_KERNEL_NUM_FROM_RATIONAL
           : t->op == 22 ? (uint32_t)PADIC_KERNEL_NUM_FROM_FLOAT
           : t->op == 23 ? (uint32_t)PADIC_KERNEL_NUM_TO_FLOAT
           : t->op == 25 ? (uint32_t)PADIC_KERNEL_NUM_SQRT
           : t->op == 32 ? (uint32_t)PADIC_KERNEL_NUM_RANDOM
           : t->op == 11 ? (uint32_t)PADIC_KERNEL_NUM_VALUATION
           : t->norm     ? (uint32_t)PADIC_KERNEL_NUM_TROPICAL
           : (uint32_t)PADIC_KERNEL_NUM_ADD;
}

// Room in memory 3, which the kernel writes: of 256 items, or of two groups.
static padic_result padici_test_num_scratch(padici_gpu_case *c, const padici_test_num *t,
                                            padici_k_num_each_params *k)
{
    if (t->op == 34) { // 256 items have room in memory 3
        if (!padici_gpu_image(c, 2, 256 * 12 * t->ring.unit_size)) return PADIC_ERROR_MEMORY;
        c->buffers[2].bound = -1;
        padici_gpu_num_place(k, 16, (void *)(uintptr_t)(UINT64_C(3) << 56));
        k->count = PADICI_TEST_NUM_SYSTEMS;
    }
    if (t->op == 35) {
        if (!padici_gpu_image(c, 2, 2 * PADICI_TEST_NUM_ROOM * t->ring.unit_size))
            return PADIC_ERROR_MEMORY;
        c->buffers[2].bound = -1;
        padici_gpu_num_place(k, 16, (void *)(uintptr_t)(UINT64_C(3) << 56));
        k->count = PADICI_TEST_NUM_POLYNOMIALS;
        k->mode = 3;
    }
    return PADIC_OK;
}

// The table of an operation that has one, in memory 3.
static PADICI_NOINLINE padic_result padici_test_num_table(padici_gpu_case *c,
                                                          const padici_test_num *t,
                                                          const padic_num_call *call,
                                                          padici_k_num_each_params *k)
{
    if (t->op == 25) { // seeds in memory 3
        uint64_t bytes[3];
        char *table;
        padici_gpu_num_root_sizes(&t->ring, t->kind, bytes);
        table = (char *)padici_gpu_image(c, 2, bytes[0] + bytes[1] + bytes[2]);
        if (!table) return PADIC_ERROR_MEMORY;
        padici_gpu_num_root_make(call, t->kind, table);
        padici_gpu_num_place(k, 16, (void *)(uintptr_t)(UINT64_C(3) << 56));
    }
    if (t->op == 11 && t->norm) {
        const uint32_t most = padici_gpu_num_norm_most(call);
        void *table = padici_gpu_image(c, 2, (2 * (uint64_t)most + 1) * 8);
        if (!table) return PADIC_ERROR_MEMORY;
        padici_gpu_num_norm_table(call, most, table);
        padici_gpu_num_place(k, 16, (void *)(uintptr_t)(UINT64_C(3) << 56));
    }
    if (t->op == 23 && t->kind) { // powers in memory 3
        const uint32_t begin = t->kind == 2 ? 4 * (t->ring.precision + 1) : 0;
        const uint64_t words = begin + padici_gpu_num_powers(t->ring.p, 1300, NULL);
        uint64_t *table = (uint64_t *)padici_gpu_image(c, 2, 8 * words);
        if (!table) return PADIC_ERROR_MEMORY;
        if (begin) padici_gpu_num_bounds(&t->ring, NULL, table);
        padici_gpu_num_powers(t->ring.p, 1300, table + begin);
        padici_gpu_num_place(k, 16, (void *)(uintptr_t)(UINT64_C(3) << 56));
    }
    if (t->op == 30 || (t->op == 21 && t->kind)) { // bounds in memory 3
        void *table = padici_gpu_image(c, 2, sizeof t->bounds);
        if (!table) return PADIC_ERROR_MEMORY;
        memcpy(table, t->bounds, sizeof t->bounds);
        padici_gpu_num_place(k, 16, (void *)(uintptr_t)(UINT64_C(3) << 56));
    }
    if (t->op == 26 || t->op == 27 || t->op == 31) { // coefficients in memory 3
        const uint32_t which = t->op == 31 ? 3 : t->op - 25;
        uint64_t terms;
        void *to = padici_gpu_image(c, 2, 2 * PADICI_SERIES_TERMS * 8);
        if (!to) return PADIC_ERROR_MEMORY;
        padici_gpu_num_coefficients(&t->ring, which, to, &terms);
        padici_gpu_num_place(k, 16, (void *)(uintptr_t)(UINT64_C(3) << 56));
        padici_gpu_num_pair(k->stride, terms);
    }
    return PADIC_OK;
}

// The answers, over a copy of the arrays.
static padic_result padici_test_num_answer(padici_gpu_case *c, padici_test_num *t,
                                           padici_num_task *task)
{
    unsigned char *answer = (unsigned char *)padici_gpu_answer(c, 0);
    uint32_t *sticky = (uint32_t *)padici_gpu_answer(c, 1);
    if (!answer || !sticky) return PADIC_ERROR_MEMORY;
    padici_test_num_lay(t, answer);
    if (t->op == 34) return padici_test_num_solve(c->gpu, t, sticky);
    if (t->op != 18 && t->op != 19) {
        padici_test_num_host(t, sticky);
        return PADIC_OK;
    }
    padici_test_num_call(t, task);
    if (t->op == 18) padici_num_planes_of(NULL, &t->a, &task->call.b);
    padici_test_num_sums(t, &task->call, sticky);
    return PADIC_OK;
}

static padic_result padici_test_num_with(padici_gpu_case *c, padici_test_num *t)
{
    padici_num_task task;
    padici_k_num_each_params k;
    padic_result result;
    unsigned char *image;
    uint32_t i;
    uint64_t size;
    padici_test_num_begin(t, c);
    if (!t->op || (t->op == 21 && t->model == PADIC_NUM_BALL && !t->kind))
        return PADIC_ERROR_NOT_SUPPORTED;
    if (t->op == 19) t->count = 301; // of which three are added
    size = padici_test_num_lay(t, NULL);
    image = (unsigned char *)padici_gpu_image(c, 0, size);
    if (!image) return PADIC_ERROR_MEMORY;
    for (i = 0; i < size; i++) image[i] = 0;
    padici_test_num_lay(t, image);
    padici_test_num_inputs(t);
    padici_test_num_call(t, &task);
    if (t->op == 19) padici_test_num_cells(t, &task.call);
    if (t->op == 18) padici_num_planes_of(NULL, &t->a, &task.call.b);
    padici_test_num_addresses(image, &task.call);
    padici_gpu_num_params(&k, &task.call, (void *)(uintptr_t)(UINT64_C(2) << 56),
                          t->op == 28 || t->op == 30 ? 64 : 8 * t->ring.unit_size);
    padici_gpu_num_special(&k, &task, padici_test_num_kernel(t));
    if (t->op == 18) k.mode = 1;
    result = padici_test_num_scratch(c, t, &k);
    if (result) return result;
    if (t->op == 32) padici_gpu_num_pair(k.place + 28, t->random.first);
    result = padici_test_num_table(c, t, &task.call, &k);
    if (result) return result;
    memcpy(&c->params, &k, sizeof k);
    c->groups[0] = t->op == 19 ? 1 : 2;
    for (i = 1; i < 8; i++)
        if (!c->buffers[i].image && !padici_gpu_image(c, i, 4)) return PADIC_ERROR_MEMORY;
    memset(c->buffers[1].image, 0, 4);
    return padici_test_num_answer(c, t, &task);
}

static padic_result padici_test_num_each(padici_gpu_case *c)
{
    const padic_allocator *allocator = &c->gpu->context->allocator; // two rings are long
    padici_test_num *t = (padici_test_num *)padici_alloc(allocator, sizeof *t, 16);
    const padic_result result = t ? padici_test_num_with(c, t) : PADIC_ERROR_MEMORY;
    padici_free(allocator, t, sizeof *t);
    return result;
}

// room: src/gpu/num/solve_test.c
// Systems over the rationals. Kind 0: 75 of 3 unknowns and 2 sides, of which some are singular and
// some are too large, which stay as they are. Kind 1: all of 5, of 4 unknowns, to words of 64 bits.
static int64_t padici_test_solve_entry(uint32_t kind, uint32_t system, uint32_t at)
{
    const uint64_t word = padici_test_num_word(1000 * (uint64_t)system + at);
    const uint32_t large = kind ? system < 3 : system % 19 == 7;
    if (system % 8 == 3 && at % 4 == 1) return 0; // rows or columns that depend on others
    return large ? (int64_t)word : (int64_t)(word % 19) - 9;
}

static padic_result padici_test_solve_image(padici_gpu_case *c, padici_k_solve_systems_params *k)
{
    const uint32_t kind = padici_gpu_define(c, "PD_SOLVE_KIND", 0);
    const uint64_t each = kind ? 4 * 6 : 8; // bytes of an element of the results
    int64_t *a, *b;
    uint32_t *room, i, j;
    uint64_t bytes[8];
    memset(k, 0, sizeof *k);
    k->count = kind ? 5 : 75;
    k->n = kind ? 4 : 3;
    k->sides = 2;
    k->wide = 1;
    k->items = kind ? 2 : 128;
    padici_gpu_solve_room(k);
    k->step = k->sides;
    k->batch = k->count;
    for (i = 0; i < 3; i++) {
        k->type[i] = kind ? 3 : 7;
        k->words[i] = kind ? 3 : 0;
    }
    if (!kind) k->type[1] = 4; // denominators of 8 bits
    bytes[0] = (uint64_t)k->count * k->n * k->n * 8;
    bytes[1] = (uint64_t)k->count * k->n * 2 * 8;
    bytes[2] = k->count * k->n * 2 * each;
    bytes[3] = kind ? k->count * 2 * each : k->count * 2;
    bytes[4] = k->count * each;
    bytes[5] = (uint64_t)k->count * 4;
    bytes[6] = k->count;
    bytes[7] = padici_gpu_solve_head(k->count) +
               (kind ? (uint64_t)k->items * k->each * 4
                     : (uint64_t)k->items * k->n * (k->n + 2) * 8);
    for (i = 0; i < 8; i++) {
        if (!padici_gpu_image(c, i, bytes[i])) return PADIC_ERROR_MEMORY;
        k->place[2 * i + 1] = 1u << 24;
    }
    a = (int64_t *)(void *)c->buffers[0].image;
    b = (int64_t *)(void *)c->buffers[1].image;
    for (i = 0; i < k->count; i++) {
        for (j = 0; j < k->n * k->n; j++)
            a[i * k->n * k->n + j] = padici_test_solve_entry(kind, i, j);
        for (j = 0; j < k->n * 2; j++)
            b[i * k->n * 2 + j] = padici_test_solve_entry(kind, i, 100 + 3 * j);
    }
    room = (uint32_t *)(void *)c->buffers[7].image;
    c->buffers[7].bound = kind < 3 ? -1 : 0;
    room[0] = 0;
    room[1] = kind ? k->count : 0;
    for (i = 0; i < k->count && kind; i++) room[2 + i] = k->count - 1 - i;
    c->groups[0] = 2;
    return PADIC_OK;
}

// Systems first to first + count - 1 on the host.
static padic_result padici_test_solve_part(padici_gpu_case *c,
                                           const padici_k_solve_systems_params *k, uint32_t first,
                                           uint32_t count)
{
    const padic_dtype dtype = k->words[0] ? PADIC_U64 : PADIC_I64;
    const padic_dtype few = k->words[0] ? PADIC_U64 : PADIC_I8;
    const uint64_t w = k->words[0], n = k->n, from = first;
    const uint64_t shape[3] = {count, n, n}, right[3] = {count, n, 2}, wide[4] = {w, count, n, 2};
    const uint64_t sides[3] = {w, count, 2}, one[2] = {w, count};
    const uint32_t skip = w ? 0 : 1; // no planes of words
    padic_num_solve_desc desc;
    unsigned char *at[7];
    uint32_t i, sticky = 0;
    for (i = 0; i < 7; i++) at[i] = c->buffers[i].answer;
    memset(&desc, 0, sizeof desc);
    desc.matrix = padic_tensor_nd(PADIC_I64, c->buffers[0].image + from * n * n * 8, 3, shape);
    desc.right = padic_tensor_nd(PADIC_I64, c->buffers[1].image + from * n * 2 * 8, 3, right);
    desc.numerator = padic_tensor_nd(dtype, at[2] + from * n * 2 * 8, 4 - skip, wide + skip);
    desc.denominator = padic_tensor_nd(few, at[3] + from * 2 * padic_dtype_size(few), 3 - skip,
                                       sides + skip);
    desc.det = padic_tensor_nd(dtype, at[4] + from * 8, 2 - skip, one + skip);
    desc.rank = padic_tensor_1d(PADIC_U32, at[5] + from * 4, count);
    desc.status = padic_tensor_1d(PADIC_U8, at[6] + from, count);
    desc.sticky = &sticky;
    return padici_test_solve_host(c->gpu, &desc);
}

// A x = d b, but for one number: results of the host are what the kernel looks at.
static padic_result padici_test_solve_check(padici_gpu_case *c,
                                            const padici_k_solve_systems_params *k)
{
    uint32_t *const bits = (uint32_t *)(void *)padici_gpu_answer(c, 7);
    const padic_result result = padici_test_solve_part(c, k, 0, k->count);
    uint32_t i;
    if (result || !bits) return result ? result : PADIC_ERROR_MEMORY;
    c->buffers[3].answer[1] ^= 1; // of a denominator
    for (i = 2; i < 7; i++)
        memcpy(c->buffers[i].image, c->buffers[i].answer, (size_t)c->buffers[i].size);
    bits[0] = UINT32_C(1) << 31;
    return PADIC_OK;
}

// Hadamard's bounds of the matrices.
static padic_result padici_test_solve_bounds(padici_gpu_case *c,
                                             const padici_k_solve_systems_params *k)
{
    uint32_t *const bits = (uint32_t *)(void *)padici_gpu_answer(c, 5), i;
    for (i = 0; i < k->count && bits; i++)
        bits[i] = padici_hadamard(c->buffers[0].image, PADIC_I64, i * k->n * k->n, k->n, 0);
    return bits ? PADIC_OK : PADIC_ERROR_MEMORY;
}

static padic_result padici_test_solve_systems(padici_gpu_case *c)
{
    padici_k_solve_systems_params k;
    padic_result result = padici_test_solve_image(c, &k);
    uint32_t i;
    if (result) return result;
    memcpy(&c->params, &k, sizeof k);
    if (padici_gpu_define(c, "PD_SOLVE_KIND", 0) == 2) return padici_test_solve_bounds(c, &k);
    for (i = 2; i < 7; i++)
        if (!padici_gpu_answer(c, i)) return PADIC_ERROR_MEMORY;
    if (padici_gpu_define(c, "PD_SOLVE_KIND", 0) == 3) return padici_test_solve_check(c, &k);
    if (k.words[0]) return padici_test_solve_part(c, &k, 0, k.count);
    for (i = 0; i < k.count && !result; i++)
        if (i % 19 != 7) result = padici_test_solve_part(c, &k, i, 1);
    return result;
}
// room: src/gpu/padic_gpu_num.in.h:16
#endif // PADICI_GPU_NUM
