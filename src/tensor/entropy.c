// Entropies.

// A state by its axes, cut in two: where the `size` places of each side lie.
typedef struct padici_cut {
    padic_tensor tensor;
    uint32_t axes;
    uint64_t extent[64];
    int64_t step[64];
    uint64_t size[2]; // sides, the shorter one first
    uint32_t shorter; // 1: that of the axes in `part`
    int64_t *at[2];
    double *p; // the shorter side's p_i, descending
    double *space;
    const padic_allocator *allocator;
    const char *fault; // after an error
    char *memory;
    size_t bytes;
} padici_cut;

static padic_result padici_cut_fail(padici_cut *cut, padic_result result, const char *sentence)
{
    cut->fault = sentence;
    return result;
}

static void padici_cut_end(padici_cut *cut)
{
    padici_free(cut->allocator, cut->memory, cut->bytes);
    cut->memory = NULL;
}

// The axes: the tensor's, or `dims` of a dense one.
static padic_result padici_cut_axes(padici_cut *cut, const padic_tensor *state, uint32_t dims_count,
                                    const uint64_t *dims)
{
    uint64_t count = 1, step = 1, before;
    int64_t stride[PADIC_MAX_RANK];
    uint32_t i;
    int dense = 1;
    memset(cut, 0, sizeof *cut);
    cut->tensor = *state;
    if (!padici_tensor_is_complex(state->dtype) && !padici_tensor_is_double(state->dtype) &&
        state->dtype != PADIC_F32)
        return padici_cut_fail(cut, PADIC_ERROR_DTYPE, "state or rho is not F32, F64, C64 or C128");
    padici_tensor_dense(state, stride);
    cut->axes = dims_count ? dims_count : state->rank;
    if (dims_count > 64 || (dims_count && !dims))
        return padici_cut_fail(cut, PADIC_ERROR_ARGUMENT, "dim_count is above 64, or dims is NULL");
    for (i = cut->axes; i-- > 0;) {
        cut->extent[i] = dims_count ? dims[i] : state->shape[i];
        cut->step[i] = dims_count ? (int64_t)step : stride[i];
        if (!padici_mul_u64(count, cut->extent[i], &count)) count = 0;
        step *= cut->extent[i];
    }
    if (dims_count && padic_tensor_count(state)) (void)padici_tensor_span(state, &dense, &before);
    if (dims_count && (!dense || count != padic_tensor_count(state)))
        return padici_cut_fail(cut, PADIC_ERROR_MISMATCH,
                               "dims do not split state, which must be dense");
    if (!count) return padici_cut_fail(cut, PADIC_ERROR_DOMAIN, "the state is zero");
    return PADIC_OK;
}

// Where the places of the axes in `part` lie, the last axis fastest.
static void padici_cut_places(const padici_cut *cut, uint64_t part, int64_t *at)
{
    uint64_t n = 1, i, j;
    uint32_t axis;
    at[0] = 0;
    for (axis = 0; axis < cut->axes; axis++) {
        const uint64_t extent = cut->extent[axis];
        if (!(part >> axis & 1)) continue;
        for (i = n; i-- > 0;) // from the end, so that nothing is lost
            for (j = extent; j-- > 0;) at[i * extent + j] = at[i] + (int64_t)j * cut->step[axis];
        n *= extent;
    }
}

// Whether p comes from singular values.
static int padici_cut_by_svd(const padici_cut *cut)
{
    return padici_tensor_is_double(cut->tensor.dtype) && cut->size[0] <= 64;
}

// The sides, and whether they are of a size.
static padic_result padici_cut_sizes(padici_cut *cut, uint64_t part)
{
    uint64_t size[2] = {1, 1};
    uint32_t i;
    if (cut->axes < 64 && part >> cut->axes)
        return padici_cut_fail(cut, PADIC_ERROR_ARGUMENT, "part has bits beyond the axes");
    for (i = 0; i < cut->axes; i++) size[part >> i & 1] *= cut->extent[i];
    cut->shorter = size[1] < size[0];
    cut->size[0] = size[cut->shorter];
    cut->size[1] = size[!cut->shorter];
    if (cut->size[0] > 32768 || cut->size[1] >> 40)
        return padici_cut_fail(cut, PADIC_ERROR_LIMIT,
                               "part leaves a shorter side above 32768, or a longer one of 2^40");
    return PADIC_OK;
}

// Memory for a cut, and its places.
static padic_result padici_cut_begin(padici_cut *cut, uint64_t part)
{
    const uint64_t all = cut->axes == 64 ? UINT64_MAX : (UINT64_C(1) << cut->axes) - 1;
    uint64_t doubles;
    size_t bytes;
    padic_result result = padici_cut_sizes(cut, part);
    if (result) return result;
    doubles = padici_cut_by_svd(cut)
                  ? 4 * cut->size[1] * cut->size[0] + 2 * cut->size[0] * cut->size[0]
                  : 2 * cut->size[0] * cut->size[0];
    doubles += 8 * cut->size[0] + cut->size[0] + cut->size[1];
    if (doubles > (size_t)-1 || !padici_mul_size((size_t)doubles, 8, &bytes))
        return padici_cut_fail(cut, PADIC_ERROR_LIMIT, "u and w are too large for memory");
    cut->bytes = bytes;
    cut->memory = (char *)padici_alloc(cut->allocator, bytes, 64);
    if (!cut->memory) return padici_cut_fail(cut, PADIC_ERROR_MEMORY, "out of host memory");
    cut->at[0] = (int64_t *)(void *)cut->memory;
    cut->at[1] = cut->at[0] + cut->size[0];
    cut->p = (double *)(void *)(cut->at[1] + cut->size[1]);
    cut->space = cut->p + cut->size[0];
    padici_cut_places(cut, part, cut->at[!cut->shorter]);
    padici_cut_places(cut, all & ~part, cut->at[cut->shorter]);
    return PADIC_OK;
}

// Column j (of the longer side) of the state, divided by `scale`.
static void padici_cut_read(const padici_cut *cut, uint64_t j, double scale, double *x)
{
    uint64_t i;
    for (i = 0; i < cut->size[0]; i++) {
        padici_tensor_read(cut->tensor.dtype, (const char *)cut->tensor.data,
                           cut->at[1][j] + cut->at[0][i], x + 2 * i, x + 2 * i + 1);
        x[2 * i] /= scale;
        x[2 * i + 1] /= scale;
    }
}

// A power of 2 near the largest part; 0 for a zero state, -1 for one that is not finite.
static double padici_cut_scale(const padici_cut *cut, double *x)
{
    double largest = 0;
    uint64_t i, j;
    int power;
    for (j = 0; j < cut->size[1]; j++) {
        padici_cut_read(cut, j, 1, x);
        for (i = 0; i < 2 * cut->size[0]; i++) {
            if (!(x[i] - x[i] == 0)) return -1;
            if (fabs(x[i]) > largest) largest = fabs(x[i]);
        }
    }
    if (largest == 0) return 0;
    frexp(largest, &power);
    return ldexp(1.0, power < -1000 ? -1000 : power > 1000 ? 1000 : power);
}

// p of the cut, not yet divided by their sum.
static int padici_cut_values(padici_cut *cut, double scale)
{
    const uint64_t r = cut->size[0], n = cut->size[1];
    double *g = cut->space + 8 * r - 2 * r, *x = cut->space;
    uint64_t i, j;
    int good = 1;
    if (padici_cut_by_svd(cut)) {
        double *w = cut->space + 2 * r;
        for (j = 0; j < n; j++) {
            padici_cut_read(cut, j, scale, x);
            for (i = 0; i < r; i++) memcpy(w + 2 * (i * n + j), x + 2 * i, 16);
        }
        good = padici_z_svd(n, r, w, cut->p, NULL, w + 2 * n * r, 0);
        for (i = 0; i < r; i++) cut->p[i] *= cut->p[i];
        return good;
    }
    memset(g, 0, (size_t)(16 * r * r));
    for (j = 0; j < n; j++) { // the lower triangle of sum x x^dagger
        padici_cut_read(cut, j, scale, x);
        for (i = 0; i < r; i++)
            padici_z_add(r - i, g + 2 * (i * r + i), x[2 * i], -x[2 * i + 1], x + 2 * i);
    }
    for (i = 0; i < r; i++)
        for (j = 0; j < i; j++) {
            g[2 * (i * r + j)] = g[2 * (j * r + i)];
            g[2 * (i * r + j) + 1] = -g[2 * (j * r + i) + 1];
        }
    good = padici_z_eigh(r, g, cut->p, NULL, cut->space);
    padici_z_sort(r, cut->p, 0, 0, NULL, 0, NULL);
    return good;
}

static padic_result padici_cut_normalise(padici_cut *cut, double drop, uint64_t *rank)
{
    double sum = 0;
    uint64_t i;
    for (i = cut->size[0]; i-- > 0;) sum += cut->p[i]; // the small ones first
    if (!(sum > 0)) return padici_cut_fail(cut, PADIC_ERROR_DOMAIN, "rho has no positive trace");
    if (cut->p[cut->size[0] - 1] < -1e-6 * sum)
        return padici_cut_fail(cut, PADIC_ERROR_DOMAIN, "rho has a negative eigenvalue");
    for (i = 0; i < cut->size[0] && cut->p[i] / sum > drop; i++) cut->p[i] /= sum;
    *rank = i;
    return PADIC_OK;
}

// p of a state, descending, and how many are above `drop`.
static padic_result padici_cut_run(padici_cut *cut, uint64_t part, double drop, uint64_t *rank)
{
    double scale;
    padic_result result = padici_cut_begin(cut, part);
    if (result) return result;
    scale = padici_cut_scale(cut, cut->space);
    if (scale < 0)
        result = padici_cut_fail(cut, PADIC_ERROR_NOT_FINITE, "the state has a NaN or an infinity");
    else if (scale == 0)
        result = padici_cut_fail(cut, PADIC_ERROR_DOMAIN, "the state is zero");
    else if (!padici_cut_values(cut, scale))
        result = padici_cut_fail(cut, PADIC_ERROR_DOMAIN, "no convergence");
    if (!result) result = padici_cut_normalise(cut, drop, rank);
    if (result) padici_cut_end(cut);
    return result;
}

// The same of a density matrix.
static padic_result padici_cut_run_rho(padici_cut *cut, double drop, uint64_t *rank)
{
    const uint64_t n = cut->extent[0];
    padici_factor f;
    double *g, scale;
    padic_result result;
    memset(&f, 0, sizeof f);
    result = padici_cut_begin(cut, 1);
    if (result) return result;
    f.kind = PADICI_FACTOR_EIGH;
    f.tensors[0] = cut->tensor;
    f.m = f.n = n;
    f.stride[0][1] = cut->step[0];
    f.stride[0][2] = cut->step[1];
    g = cut->space + 6 * n;
    if (!padici_factor_read(&f, 0, 0, g, &scale))
        result = padici_cut_fail(cut, PADIC_ERROR_NOT_FINITE, "rho has a NaN or an infinity");
    else if (!padici_z_eigh(n, g, cut->p, NULL, cut->space))
        result = padici_cut_fail(cut, PADIC_ERROR_DOMAIN, "no convergence");
    if (!result) padici_z_sort(n, cut->p, 0, 0, NULL, 0, NULL);
    if (!result) result = padici_cut_normalise(cut, drop, rank);
    if (result) padici_cut_end(cut);
    return result;
}

static double padici_entropy_von_neumann(const double *p, uint64_t n)
{
    double sum = 0;
    uint64_t i;
    for (i = n; i-- > 0;) sum -= p[i] * log(p[i]);
    return sum > 0 ? sum : 0;
}

static double padici_entropy_renyi(const double *p, uint64_t n, double order)
{
    double sum = 0;
    uint64_t i;
    if (order == 1) return padici_entropy_von_neumann(p, n);
    if (order == 0) return log((double)n);
    if (order - order != 0) return -log(p[0]) + 0.0;
    for (i = n; i-- > 0;) sum += pow(p[i] / p[0], order); // p^a may vanish for all of them
    return (order * log(p[0]) + log(sum)) / (1 - order);
}

static void padici_entropy_write(const padic_tensor_entropy_desc *desc, const double *p, uint64_t n)
{
    const double unit = desc->unit || desc->legacy ? 1.4426950408889634 : 1;
    double sum = 0;
    uint64_t i;
    for (i = 0; desc->renyi && i < desc->order_count; i++)
        desc->renyi[i] = unit * padici_entropy_renyi(p, n, desc->orders[i]);
    if (desc->von_neumann) *desc->von_neumann = unit * padici_entropy_von_neumann(p, n);
    if (desc->gap) *desc->gap = p[0] - (n > 1 ? p[1] : 0);
    for (i = n; i-- > 0;) sum += sqrt(p[i]);
    if (desc->negativity) *desc->negativity = n > 1 ? (sum * sum - 1) / 2 : 0;
    for (i = 0; desc->spectrum && i < n; i++) desc->spectrum[i] = unit * -log(p[i]);
}

// What p must be above.
static double padici_entropy_drop(const padic_tensor_entropy_desc *desc, padic_dtype dtype)
{
    return desc->legacy || !padici_tensor_is_double(dtype) ? 1e-12 : 1e-14;
}

static const char *padici_entropy_fault(const padic_tensor_entropy_desc *desc)
{
    const int rho = desc->rho.dtype != PADIC_DTYPE_NONE;
    uint32_t i;
    if (rho == (desc->state.dtype != PADIC_DTYPE_NONE)) return "state or rho: one of them is given";
    if (rho && (desc->part || desc->dim_count || desc->negativity))
        return "part, dims and negativity are for a state";
    if (desc->unit > PADIC_TENSOR_BITS || desc->legacy > 1)
        return "unit is no padic_tensor_unit, or legacy is above 1";
    if (desc->legacy && (desc->part & (desc->part + 1)))
        return "part has other than leading axes, but legacy is set";
    if (desc->order_count && (!desc->orders || !desc->renyi))
        return "orders or renyi is NULL, but order_count is not 0";
    for (i = 0; i < desc->order_count; i++)
        if (!(desc->orders[i] >= 0)) return "orders has one below 0";
    return NULL;
}

// Everything about a call but its memory.
static padic_result padici_entropy_of(const padic_tensor_entropy_desc *desc, padici_cut *cut)
{
    const int rho = desc->rho.dtype != PADIC_DTYPE_NONE;
    const char *fault = padici_entropy_fault(desc);
    padic_result result;
    cut->fault = fault;
    if (fault) return PADIC_ERROR_ARGUMENT;
    result = padici_cut_axes(cut, rho ? &desc->rho : &desc->state, desc->dim_count, desc->dims);
    if (!result && rho && (cut->axes != 2 || cut->extent[1] != cut->extent[0]))
        result = padici_cut_fail(cut, PADIC_ERROR_MISMATCH, "rho is a square matrix");
    return result ? result : padici_cut_sizes(cut, rho ? 1 : desc->part);
}

static padic_result padici_tensor_mutual_information_named(
    padic_context *context, const padic_tensor_mutual_information_desc *desc)
{
    padic_tensor_entropy_desc one;
    double s[3];
    uint32_t i;
    padic_result result = PADIC_OK;
    if (!desc || !desc->information)
        return padici_fail_here(context, PADIC_ERROR_ARGUMENT, "desc or information is NULL");
    if (desc->unit > PADIC_TENSOR_BITS || (desc->part_a & desc->part_b))
        return padici_fail_here(context, PADIC_ERROR_ARGUMENT,
                                "part_a and part_b overlap, or unit is no padic_tensor_unit");
    memset(&one, 0, sizeof one);
    one.state = desc->state;
    one.dim_count = desc->dim_count;
    one.dims = desc->dims;
    one.unit = desc->unit;
    for (i = 0; i < 3 && !result; i++) {
        one.part = i == 0 ? desc->part_a : i == 1 ? desc->part_b : desc->part_a | desc->part_b;
        one.von_neumann = &s[i];
        result = padic_tensor_entropy(context, &one);
    }
    if (result) return result;
    *desc->information = s[0] + s[1] - s[2];
    for (i = 0; desc->entropies && i < 3; i++) desc->entropies[i] = s[i];
    return PADIC_OK;
}

PADIC_API padic_result padic_tensor_mutual_information(
    padic_context *context, const padic_tensor_mutual_information_desc *desc)
{
    const char *before = padici_enter(context, "tensor_mutual_information");
    const padic_result result = padici_tensor_mutual_information_named(context, desc);
    padici_leave(context, before);
    return result;
}
