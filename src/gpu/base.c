// ----------------------------------------------------------------------------------------- >>base
//
// fill, copy and random_fill of tensors with gaps.

// One or two views of one shape as units of 1, 2 or 4 bytes, innermost axis first.
typedef struct padici_gpu_axes {
    uint32_t axes, unit;
    uint64_t extent[PADIC_MAX_RANK + 1], stride[2][PADIC_MAX_RANK + 1], base[2]; // in units
} padici_gpu_axes;

// Merges axes that follow on each other, beginning with the bytes of an element.
static void padici_gpu_axes_begin(padici_gpu_axes *x, const padici_operand *a,
                                  const padici_operand *b, uint32_t unit)
{
    const padic_tensor *t = a->tensor;
    const uint64_t size = padic_dtype_size(t->dtype);
    int64_t stride[2][PADIC_MAX_RANK];
    uint64_t all;
    uint32_t i, j;
    memset(x, 0, sizeof *x);
    padici_tensor_dense(t, stride[0]);
    padici_tensor_dense(b ? b->tensor : t, stride[1]);
    x->base[0] = a->now.at;
    x->base[1] = b ? b->now.at : a->now.at;
    x->extent[0] = size;
    x->stride[0][0] = x->stride[1][0] = 1;
    x->axes = 1;
    for (i = t->rank; i > 0; i--) {
        const uint64_t n = t->shape[i - 1], sa = (uint64_t)stride[0][i - 1] * size;
        const uint64_t sb = (uint64_t)stride[1][i - 1] * size;
        const uint32_t last = x->axes - 1;
        if (n == 1) continue;
        if (sa == x->extent[last] * x->stride[0][last] &&
            sb == x->extent[last] * x->stride[1][last]) {
            x->extent[last] *= n;
        } else {
            x->extent[x->axes] = n;
            x->stride[0][x->axes] = sa;
            x->stride[1][x->axes++] = sb;
        }
    }
    all = x->extent[0] | x->base[0] | x->base[1];
    for (i = 1; i < x->axes; i++) all |= x->stride[0][i] | x->stride[1][i];
    while (all & (unit - 1)) unit /= 2;
    x->unit = unit;
    x->extent[0] /= unit;
    for (j = 0; j < 2; j++) {
        x->base[j] /= unit;
        for (i = 1; i < x->axes; i++) x->stride[j][i] /= unit;
    }
    if (x->extent[0] > 1 || x->axes == 1) return;
    for (x->axes--, i = 0; i < x->axes; i++) { // a unit an element: that axis says nothing
        x->extent[i] = x->extent[i + 1];
        for (j = 0; j < 2; j++) x->stride[j][i] = x->stride[j][i + 1];
    }
}

// Launches see at most 2^31 units and strides below 2^32: the inner axes `whole`, and of the next
// one `piece` coordinates at once. The others are walked here.
typedef struct padici_gpu_slices {
    uint32_t whole;
    uint64_t piece, inner;               // inner: units of the whole axes
    uint64_t index[PADIC_MAX_RANK + 2];  // of axes from `whole` on
    uint64_t at[2], unit, count;         // this slice: base, number of its first unit, units
    uint64_t extent;                     // of axis `whole` in this slice; 1 when there is none
} padici_gpu_slices;

static void padici_gpu_slice(const padici_gpu_axes *x, padici_gpu_slices *s)
{
    uint64_t step = s->inner;
    uint32_t i, j;
    s->unit = 0;
    for (j = 0; j < 2; j++) s->at[j] = x->base[j];
    for (i = s->whole; i < x->axes; i++) {
        for (j = 0; j < 2; j++) s->at[j] += s->index[i] * x->stride[j][i];
        s->unit += s->index[i] * step;
        step *= x->extent[i];
    }
    s->extent = 1;
    if (s->whole < x->axes) {
        s->extent = x->extent[s->whole] - s->index[s->whole];
        if (s->extent > s->piece) s->extent = s->piece;
    }
    s->count = s->inner * s->extent;
}

static void padici_gpu_slices_begin(const padici_gpu_axes *x, padici_gpu_slices *s)
{
    const uint64_t most = UINT64_C(1) << 31;
    uint32_t i;
    memset(s, 0, sizeof *s);
    s->inner = 1;
    for (i = 0; i < x->axes; i++) {
        if (x->extent[i] > most / s->inner || (x->stride[0][i] | x->stride[1][i]) >> 32) break;
        s->inner *= x->extent[i];
    }
    s->whole = i;
    s->piece = 1;
    if (i < x->axes && !((x->stride[0][i] | x->stride[1][i]) >> 32)) s->piece = most / s->inner;
    padici_gpu_slice(x, s);
}

// The next slice; 0 after the last.
static int padici_gpu_slices_next(const padici_gpu_axes *x, padici_gpu_slices *s)
{
    uint64_t step = s->piece;
    uint32_t i;
    for (i = s->whole; i < x->axes; i++, step = 1) {
        s->index[i] += step;
        if (s->index[i] < x->extent[i]) {
            padici_gpu_slice(x, s);
            return 1;
        }
        s->index[i] = 0;
    }
    return 0;
}

// How many axes a launch for this slice has, their extents and how to divide by them.
static uint32_t padici_gpu_divide(const padici_gpu_axes *x, const padici_gpu_slices *s,
                                  uint32_t extent[9], uint32_t magic[9], uint32_t shift[9])
{
    const uint32_t axes = s->whole < x->axes ? s->whole + 1 : s->whole;
    uint32_t i;
    for (i = 0; i < 9; i++) {
        const uint64_t d = i >= axes ? 1 : i < s->whole ? x->extent[i] : s->extent;
        uint32_t log = 0;
        while (UINT64_C(1) << log < d) log++;
        extent[i] = (uint32_t)d;
        if (i + 1 >= axes) { // quotient 0
            magic[i] = 0;
            shift[i] = 31;
        } else {
            magic[i] = (uint32_t)((((UINT64_C(1) << log) - d) << 32) / d + 1);
            shift[i] = log - 1;
        }
    }
    return axes;
}

static const padici_gpu_choice padici_gpu_base_plain = {{NULL, NULL, NULL, NULL}, 0, 128};

// Items of a group of kernels that have a place or a few places an item.
#define PADICI_TUNE_GROUPS                 \
    {{{NULL, NULL, NULL, NULL}, 0, 128},   \
     {{"PD_WG=64", NULL, NULL, NULL}, 1, 64}, \
     {{"PD_WG=256", NULL, NULL, NULL}, 1, 256}}

static int padici_example_random_fill(padici_any_desc *desc, uint32_t size_class)
{
    desc->random_fill.tensor = padic_tensor_1d(PADIC_U32, NULL, UINT64_C(2048) << 4 * size_class);
    return size_class < 4; // its largest class is like the one before
}

static const padici_gpu_tunable padici_tunable_random_fill = {
    "random_fill", PADIC_AREA_BASE, PADIC_OP_RANDOM_FILL, PADICI_PROGRAM_BASE, 3,
    PADICI_TUNE_GROUPS, padici_example_random_fill, 0};

#define PADICI_GPU_TUNABLES_BASE(X) X(random_fill)

static padic_result padici_gpu_base_launch(padici_gpu *gpu, uint32_t kernel, const padic_mem *mem,
                                           uint32_t mem_count, const void *params, uint32_t size,
                                           uint64_t items, const padici_gpu_choice *choice)
{
    padici_gpu_work work;
    memset(&work, 0, sizeof work);
    work.kernel = kernel;
    work.defines = choice->defines;
    work.define_count = choice->define_count;
    memcpy(work.mem, mem, mem_count * sizeof *mem);
    work.mem_count = mem_count;
    work.params = params;
    work.params_size = size;
    work.groups[0] = padici_gpu_groups(gpu, items, choice->number);
    return padici_gpu_launch(gpu, &work);
}

static padic_result padici_gpu_fill(padici_gpu *gpu, const padici_call *call, int query)
{
    const padici_operand *o = &call->operands[0];
    const void *value = call->desc.fill.value;
    const uint32_t size = padic_dtype_size(o->tensor->dtype);
    padici_k_base_fill_params k;
    padici_gpu_axes x;
    padici_gpu_slices s;
    uint32_t kernel, i;
    unsigned char bytes[16];
    padic_result result;
    padici_gpu_axes_begin(&x, o, NULL, 4);
    kernel = x.unit == 4   ? PADICI_KERNEL_BASE_FILL_4
             : x.unit == 2 ? PADICI_KERNEL_BASE_FILL_2
                           : PADICI_KERNEL_BASE_FILL_1;
    result = padici_gpu_need(gpu, kernel, NULL, 0);
    if (query || result) return result;
    memset(&k, 0, sizeof k);
    for (i = 0; i < 16; i++) bytes[i] = value ? ((const unsigned char *)value)[i % size] : 0;
    memcpy(k.value, bytes, 16);
    padici_gpu_slices_begin(&x, &s);
    do {
        k.n = (uint32_t)s.count;
        k.axes = padici_gpu_divide(&x, &s, k.extent, k.magic, k.shift);
        k.base_lo = (uint32_t)s.at[0];
        k.base_hi = (uint32_t)(s.at[0] >> 32);
        for (i = 0; i < k.axes; i++) k.stride[i] = (uint32_t)x.stride[0][i];
        result = padici_gpu_base_launch(gpu, kernel, &o->now.mem, 1, &k, sizeof k, s.count,
                                        &padici_gpu_base_plain);
    } while (!result && padici_gpu_slices_next(&x, &s));
    return result;
}

static padic_result padici_gpu_copy(padici_gpu *gpu, const padici_call *call, int query)
{
    const padici_operand *from = &call->operands[0], *to = &call->operands[1];
    padici_k_base_copy_params k;
    padici_gpu_axes x;
    padici_gpu_slices s;
    padic_mem mem[2];
    uint32_t kernel, i;
    padic_result result;
    padici_gpu_axes_begin(&x, from, to, 4);
    kernel = x.unit == 4   ? PADICI_KERNEL_BASE_COPY_4
             : x.unit == 2 ? PADICI_KERNEL_BASE_COPY_2
                           : PADICI_KERNEL_BASE_COPY_1;
    result = padici_gpu_need(gpu, kernel, NULL, 0);
    if (query || result) return result;
    memset(&k, 0, sizeof k);
    mem[0] = from->now.mem;
    mem[1] = to->now.mem;
    padici_gpu_slices_begin(&x, &s);
    do {
        k.n = (uint32_t)s.count;
        k.axes = padici_gpu_divide(&x, &s, k.extent, k.magic, k.shift);
        k.from_lo = (uint32_t)s.at[0];
        k.from_hi = (uint32_t)(s.at[0] >> 32);
        k.to_lo = (uint32_t)s.at[1];
        k.to_hi = (uint32_t)(s.at[1] >> 32);
        for (i = 0; i < k.axes; i++) {
            k.from_stride[i] = (uint32_t)x.stride[0][i];
            k.to_stride[i] = (uint32_t)x.stride[1][i];
        }
        result = padici_gpu_base_launch(gpu, kernel, mem, 2, &k, sizeof k, s.count,
                                        &padici_gpu_base_plain);
    } while (!result && padici_gpu_slices_next(&x, &s));
    return result;
}

// How the kernels make an element of its words: base.cl has the numbers.
static uint32_t padici_gpu_random_kind(padic_dtype dtype)
{
    return dtype == PADIC_F32 || dtype == PADIC_C64    ? 1
           : dtype == PADIC_F64 || dtype == PADIC_C128 ? 2
           : dtype == PADIC_F16                        ? 3
           : dtype == PADIC_BF16                       ? 4
                                                       : 0;
}

static padic_result padici_gpu_random_fill(padici_gpu *gpu, const padici_call *call, int query)
{
    const padici_operand *o = &call->operands[0];
    const padic_random_fill_desc *desc = &call->desc.random_fill;
    const uint32_t size = padic_dtype_size(o->tensor->dtype);
    padici_k_base_random_params k;
    padici_gpu_axes x;
    padici_gpu_slices s;
    const padici_gpu_choice *choice;
    uint32_t kernel, i;
    padic_result result;
    padici_gpu_axes_begin(&x, o, NULL, size < 4 ? size : 4); // a unit takes one word
    kernel = x.unit == 4   ? PADICI_KERNEL_BASE_RANDOM_4
             : x.unit == 2 ? PADICI_KERNEL_BASE_RANDOM_2
                           : PADICI_KERNEL_BASE_RANDOM_1;
    choice = padici_gpu_choose(gpu, &padici_tunable_random_fill, call->count);
    result = padici_gpu_need(gpu, kernel, choice->defines, choice->define_count);
    if (query || result) return result;
    memset(&k, 0, sizeof k);
    k.step = desc->step;
    k.kind = padici_gpu_random_kind(o->tensor->dtype);
    k.seed_lo = (uint32_t)desc->seed;
    k.seed_hi = (uint32_t)(desc->seed >> 32);
    k.stream_lo = (uint32_t)desc->stream;
    k.stream_hi = (uint32_t)(desc->stream >> 32);
    padici_gpu_slices_begin(&x, &s);
    do {
        k.n = (uint32_t)s.count;
        k.axes = padici_gpu_divide(&x, &s, k.extent, k.magic, k.shift);
        k.base_lo = (uint32_t)s.at[0];
        k.base_hi = (uint32_t)(s.at[0] >> 32);
        k.skip = (uint32_t)s.unit & 3;
        k.block = (uint32_t)(s.unit >> 2);
        for (i = 0; i < k.axes; i++) k.stride[i] = (uint32_t)x.stride[0][i];
        result = padici_gpu_base_launch(gpu, kernel, &o->now.mem, 1, &k, sizeof k,
                                        (s.count + k.skip + 3) / 4, choice);
    } while (!result && padici_gpu_slices_next(&x, &s));
    return result;
}

// Tests: views with three axes that are not dense, an odd number of units, more than two groups.

static uint32_t padici_test_base_view(padici_gpu_axes *x, uint32_t unit, uint32_t extent[9],
                                      uint32_t magic[9], uint32_t shift[9])
{
    static const uint64_t extents[3] = {3, 7, 37};
    static const uint64_t strides[2][3] = {{1, 5, 41}, {41 * 37, 3, 41}}; // neither overlaps
    padici_gpu_slices s;
    uint32_t i, j;
    memset(x, 0, sizeof *x);
    x->axes = 3;
    x->unit = unit;
    for (i = 0; i < 3; i++) {
        x->extent[i] = extents[i];
        for (j = 0; j < 2; j++) x->stride[j][i] = strides[j][i];
    }
    x->base[0] = 5;
    x->base[1] = 2;
    padici_gpu_slices_begin(x, &s);
    return padici_gpu_divide(x, &s, extent, magic, shift);
}

#define PADICI_TEST_BASE_UNITS (3u * 7u * 37u)
#define PADICI_TEST_BASE_REACH 4700u // units that hold either view

// Where unit i of view j lies, by dividing.
static uint64_t padici_test_base_at(const padici_gpu_axes *x, uint32_t j, uint64_t i)
{
    return x->base[j] + i % 3 * x->stride[j][0] + i / 3 % 7 * x->stride[j][1] +
           i / 21 * x->stride[j][2];
}

static padic_result padici_test_base_fill(padici_gpu_case *c, uint32_t unit)
{
    padici_k_base_fill_params k;
    padici_gpu_axes x;
    unsigned char *answer, bytes[16];
    uint64_t i;
    memset(&k, 0, sizeof k);
    k.n = PADICI_TEST_BASE_UNITS;
    k.axes = padici_test_base_view(&x, unit, k.extent, k.magic, k.shift);
    k.base_lo = (uint32_t)x.base[0];
    for (i = 0; i < 3; i++) k.stride[i] = (uint32_t)x.stride[0][i];
    for (i = 0; i < 16; i++) bytes[i] = (unsigned char)(17 * i + 1);
    memcpy(k.value, bytes, 16);
    memcpy(&c->params, &k, sizeof k);
    c->groups[0] = 3;
    if (!padici_gpu_image(c, 0, PADICI_TEST_BASE_REACH * unit)) return PADIC_ERROR_MEMORY;
    answer = (unsigned char *)padici_gpu_answer(c, 0);
    if (!answer) return PADIC_ERROR_MEMORY;
    for (i = 0; i < k.n; i++)
        memcpy(answer + padici_test_base_at(&x, 0, i) * unit, bytes + i % 3 * unit, unit);
    return PADIC_OK;
}

static padic_result padici_test_base_copy(padici_gpu_case *c, uint32_t unit)
{
    padici_k_base_copy_params k;
    padici_gpu_axes x;
    unsigned char *from, *answer;
    uint32_t i;
    memset(&k, 0, sizeof k);
    k.n = PADICI_TEST_BASE_UNITS;
    k.axes = padici_test_base_view(&x, unit, k.extent, k.magic, k.shift);
    k.from_lo = (uint32_t)x.base[0];
    k.to_lo = (uint32_t)x.base[1];
    for (i = 0; i < 3; i++) {
        k.from_stride[i] = (uint32_t)x.stride[0][i];
        k.to_stride[i] = (uint32_t)x.stride[1][i];
    }
    memcpy(&c->params, &k, sizeof k);
    c->groups[0] = 3;
    from = (unsigned char *)padici_gpu_image(c, 0, PADICI_TEST_BASE_REACH * unit);
    if (!from || !padici_gpu_image(c, 1, PADICI_TEST_BASE_REACH * unit)) return PADIC_ERROR_MEMORY;
    answer = (unsigned char *)padici_gpu_answer(c, 1);
    if (!answer) return PADIC_ERROR_MEMORY;
    for (i = 0; i < PADICI_TEST_BASE_REACH * unit; i++)
        from[i] = (unsigned char)((i * 2654435761u) >> 13);
    for (i = 0; i < k.n; i++)
        memcpy(answer + padici_test_base_at(&x, 1, i) * unit,
               from + padici_test_base_at(&x, 0, i) * unit, unit);
    return PADIC_OK;
}

// Every element type of the kernel's unit, one a round; the answer is the host's, moved.
static padic_result padici_test_base_random(padici_gpu_case *c, uint32_t unit)
{
    static const padic_dtype types[3][4] = {{PADIC_U8, PADIC_DTYPE_NONE},
                                            {PADIC_F16, PADIC_BF16, PADIC_U16, PADIC_DTYPE_NONE},
                                            {PADIC_F32, PADIC_F64, PADIC_U64, PADIC_DTYPE_NONE}};
    const padic_dtype *row = types[unit / 2], dtype = row[c->round];
    const uint32_t each = padic_dtype_size(dtype) / unit; // units of an element
    padici_k_base_random_params k;
    padici_gpu_axes x;
    padic_random_fill_desc desc;
    unsigned char *answer, *flat;
    uint32_t i;
    memset(&k, 0, sizeof k);
    memset(&desc, 0, sizeof desc);
    k.n = PADICI_TEST_BASE_UNITS;
    k.axes = padici_test_base_view(&x, unit, k.extent, k.magic, k.shift);
    k.base_lo = (uint32_t)x.base[0];
    for (i = 0; i < 3; i++) k.stride[i] = (uint32_t)x.stride[0][i];
    k.kind = padici_gpu_random_kind(dtype);
    k.seed_lo = 0x89abcdefu;
    k.seed_hi = 0x01234567u;
    k.stream_lo = 5;
    k.stream_hi = 0x80000001u;
    k.step = 3;
    k.skip = 2;
    k.block = 1;
    memcpy(&c->params, &k, sizeof k);
    c->groups[0] = 2;
    c->again = row[c->round + 1] != PADIC_DTYPE_NONE;
    if (!padici_gpu_image(c, 0, PADICI_TEST_BASE_REACH * unit)) return PADIC_ERROR_MEMORY;
    answer = (unsigned char *)padici_gpu_answer(c, 0);
    flat = (unsigned char *)padici_gpu_image(c, 7, (k.n + 7u) * unit); // room of its own
    if (!answer || !flat) return PADIC_ERROR_MEMORY;
    desc.tensor = padic_tensor_1d(dtype, flat, (k.n + 7u) / each);
    desc.seed = UINT64_C(0x0123456789abcdef);
    desc.stream = UINT64_C(0x8000000100000005);
    desc.step = 3;
    padici_random_fill_host(NULL, &desc);
    for (i = 0; i < k.n; i++) // the launch begins with word 6
        memcpy(answer + padici_test_base_at(&x, 0, i) * unit, flat + (i + 6u) * unit, unit);
    return PADIC_OK;
}

static padic_result padici_test_base_fill_1(padici_gpu_case *c)
{
    return padici_test_base_fill(c, 1);
}
static padic_result padici_test_base_fill_2(padici_gpu_case *c)
{
    return padici_test_base_fill(c, 2);
}
static padic_result padici_test_base_fill_4(padici_gpu_case *c)
{
    return padici_test_base_fill(c, 4);
}
static padic_result padici_test_base_copy_1(padici_gpu_case *c)
{
    return padici_test_base_copy(c, 1);
}
static padic_result padici_test_base_copy_2(padici_gpu_case *c)
{
    return padici_test_base_copy(c, 2);
}
static padic_result padici_test_base_copy_4(padici_gpu_case *c)
{
    return padici_test_base_copy(c, 4);
}
static padic_result padici_test_base_random_1(padici_gpu_case *c)
{
    return padici_test_base_random(c, 1);
}
static padic_result padici_test_base_random_2(padici_gpu_case *c)
{
    return padici_test_base_random(c, 2);
}
static padic_result padici_test_base_random_4(padici_gpu_case *c)
{
    return padici_test_base_random(c, 4);
}

// (1 + e)^2 - (1 + 2 e) is 0 when the product is rounded, and e^2 when it is fused with the sum.
static padic_result padici_test_base_mul_add(padici_gpu_case *c)
{
    const float e = 1.0f / 4096.0f;
    const uint32_t n = 301, group = padici_gpu_define(c, "PD_WG", 128);
    uint32_t i;
    float *a = (float *)padici_gpu_image(c, 0, 4 * n), *b = (float *)padici_gpu_image(c, 1, 4 * n);
    float *d = (float *)padici_gpu_image(c, 2, 4 * n), *to = (float *)padici_gpu_image(c, 3, 4 * n);
    if (!a || !b || !d || !to) return PADIC_ERROR_MEMORY;
    to = (float *)padici_gpu_answer(c, 3);
    if (!to) return PADIC_ERROR_MEMORY;
    for (i = 0; i < n; i++) {
        a[i] = (float)(i + 1) * (1.0f + e);
        b[i] = 1.0f + e;
        d[i] = -(float)(i + 1) * (1.0f + 2.0f * e);
        to[i] = a[i] * b[i];
        to[i] = to[i] + d[i];
    }
    c->params.words[0] = n;
    c->groups[0] = (n + group - 1) / group;
    return PADIC_OK;
}

static padic_result padici_warm_base(padici_gpu *gpu)
{
    return padici_gpu_need(gpu, PADICI_KERNEL_BASE_FILL_4, NULL, 0);
}

#define PADICI_GPU_WARM_BASE(X) X(PADIC_AREA_BASE, base)

#define PADICI_GPU_DRIVERS_BASE(X) \
    X(FILL, fill)                  \
    X(COPY, copy)                  \
    X(RANDOM_FILL, random_fill)

#define PADICI_GPU_TESTS_BASE(X)    \
    X(BASE_FILL_1, base_fill_1)     \
    X(BASE_FILL_2, base_fill_2)     \
    X(BASE_FILL_4, base_fill_4)     \
    X(BASE_COPY_1, base_copy_1)     \
    X(BASE_COPY_2, base_copy_2)     \
    X(BASE_COPY_4, base_copy_4)     \
    X(BASE_RANDOM_1, base_random_1) \
    X(BASE_RANDOM_2, base_random_2) \
    X(BASE_RANDOM_4, base_random_4) \
    X(BASE_MUL_ADD, base_mul_add)

