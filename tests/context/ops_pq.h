// ops_pq.h: rows of test_ops.c for product quantisation. What it computes is integers or sums in a
// fixed order, so that every backend has the reference's bits; devices attend within a bound.

static double ops_pq_given; // what may be left out is an operand only where it has memory

static void ops_pq_small(void *element, uint64_t i, void *arg)
{
    (void)i;
    *(uint32_t *)element = (uint32_t)(test_random() % *(const uint64_t *)arg);
}

// Pages of 2 rows: the first of each, where keys are added, is its own.
static void ops_pq_page(void *element, uint64_t i, void *arg)
{
    (void)arg;
    *(uint32_t *)element = (uint32_t)(i / 2 + i % 2);
}

static void ops_pq_finite(void *element, uint64_t i, void *arg) // f16 or bf16, below 2
{
    (void)i;
    (void)arg;
    *(uint16_t *)element = (uint16_t)(test_random() & 0xbfffu);
}

// Lengths, counts and pages below 3, exponents and positions below 16.
static void ops_pq_input(const padic_tensor *t, uint32_t operand)
{
    uint64_t below = t->dtype == PADIC_U32 ? 3 : 16;
    (void)operand;
    if (t->dtype == PADIC_U32 && t->rank == 2) ops_each(t, ops_pq_page, NULL);
    else if (t->dtype == PADIC_U32 || t->dtype == PADIC_I32) ops_each(t, ops_pq_small, &below);
    else if (t->dtype == PADIC_F16 || t->dtype == PADIC_BF16) ops_each(t, ops_pq_finite, NULL);
    else ops_random(t);
}

static void ops_pq_truncate_input(const padic_tensor *t, uint32_t operand)
{
    uint64_t below = 1;
    if (operand > 1 && t->rank == 1) ops_each(t, ops_pq_small, &below); // no row is so short
    else ops_pq_input(t, operand);
}

static padic_tensor ops_pq_tensor(padic_dtype dtype, uint32_t rank, uint64_t n0, uint64_t n1,
                                  uint64_t n2, uint64_t n3, uint64_t n4)
{
    const uint64_t shape[5] = {n0, n1, n2, n3, n4};
    return padic_tensor_nd(dtype, NULL, rank, shape);
}

static padic_tensor ops_pq_some(padic_tensor t)
{
    t.data = &ops_pq_given;
    return t;
}

// b 2, g 2, m 2, ds 3, K 2^bits.
static padic_pq_codebook ops_pq_book(uint32_t i)
{
    const uint64_t cells = i % 2 ? 256 : 16, d = i % 4 < 2 ? 3 : 4;
    padic_pq_codebook book = PADIC_ZERO;
    book.metric = (padic_pq_metric)(i % 4 / 2);
    book.centroids = ops_pq_tensor(PADIC_F32, 5, 2, 2, 2, cells, d);
    book.scaled = ops_pq_tensor(PADIC_F32, 5, 2, 2, 2, d + 1, cells);
    book.info = ops_pq_tensor(PADIC_I32, 4, 2, 2, 2, 4, 0);
    return book;
}

static padic_pq_cache ops_pq_cache(uint32_t i)
{
    padic_pq_cache cache = PADIC_ZERO;
    cache.codes = ops_pq_tensor(PADIC_U8, 5, i % 3 ? 2 : 3, 2, 2, 2, i % 2 ? 64 : 32);
    cache.lengths = ops_pq_tensor(PADIC_U32, 1, 2, 0, 0, 0, 0);
    if (i % 3 == 0) cache.pages = ops_pq_some(ops_pq_tensor(PADIC_U32, 2, 2, 2, 0, 0, 0));
    if (i % 2 == 0) cache.counts = ops_pq_some(ops_pq_tensor(PADIC_U32, 3, 2, 2, 256, 0, 0));
    return cache;
}

static padic_tensor ops_pq_keys(padic_dtype dtype, uint64_t heads, uint64_t count)
{
    return ops_pq_tensor(dtype, 4, 2, heads, count, 6, 0);
}

static void ops_pq_books(ops_run *run, uint32_t op)
{
    static const ops_case each = {"", ops_pq_input, NULL};
    for (uint32_t i = 0; i < 8; i++) {
        static const padic_dtype flat[3] = {PADIC_U8, PADIC_U16, PADIC_I32};
        padic_pq_prepare_desc prepare = PADIC_ZERO;
        padic_pq_train_desc train = PADIC_ZERO;
        padic_pq_encode_desc encode = PADIC_ZERO;
        padic_pq_decode_desc decode = PADIC_ZERO;
        prepare.codebook = train.codebook = encode.codebook = decode.codebook =
            ops_pq_book(op == PADIC_OP_PQ_PREPARE ? i & 1 : i);
        train.keys = encode.keys = ops_pq_keys(i % 3 ? PADIC_F32 : PADIC_BF16, 2, 30);
        train.rounds = 2;
        train.init = (padic_pq_init)(i % 3);
        train.inertia = ops_pq_some(ops_pq_tensor(PADIC_F64, 4, 2, 2, 2, 3, 0));
        encode.out = decode.codes = ops_pq_tensor(flat[i % 3], 4, 2, 2, 30, 2, 0);
        encode.clamped = ops_pq_some(ops_pq_tensor(PADIC_U32, 2, 2, 2, 0, 0, 0));
        if (op == PADIC_OP_PQ_DECODE && i % 3 != 2) { // random codes must be below K
            decode.codebook = ops_pq_book(i | 1);
            decode.codes.dtype = PADIC_U8;
        }
        decode.out = ops_pq_keys(PADIC_F32, 2, 30);
        if (i & 1) train.keys.stride[0] = encode.keys.stride[0] = 400,
                   train.keys.stride[1] = encode.keys.stride[1] = 6,
                   train.keys.stride[2] = encode.keys.stride[2] = 12,
                   train.keys.stride[3] = encode.keys.stride[3] = 1;
        if (op == PADIC_OP_PQ_PREPARE) ops_check(run, op, &prepare, &each);
        else if (op == PADIC_OP_PQ_TRAIN) ops_check(run, op, &train, &each);
        else if (op == PADIC_OP_PQ_ENCODE) ops_check(run, op, &encode, &each);
        else ops_check(run, op, &decode, &each);
    }
}

static void ops_pq_caches(ops_run *run, uint32_t op)
{
    static const ops_case each = {"", ops_pq_input, NULL};
    static const ops_case truncate = {"", ops_pq_truncate_input, NULL};
    for (uint32_t i = 0; i < 6; i++) {
        padic_pq_append_desc append = PADIC_ZERO;
        padic_pq_truncate_desc cut = PADIC_ZERO;
        padic_pq_fork_desc fork = PADIC_ZERO;
        padic_pq_import_desc import = PADIC_ZERO;
        padic_pq_export_desc out = PADIC_ZERO;
        append.codebook = ops_pq_book(i);
        append.cache = cut.cache = import.cache = out.cache = ops_pq_cache(i);
        fork.cache = ops_pq_cache(3 * i);
        append.keys = ops_pq_keys(PADIC_F32, 2, 2);
        append.key_counts = ops_pq_some(ops_pq_tensor(PADIC_U32, 1, 2, 0, 0, 0, 0));
        append.not_finite = append.clamped =
            ops_pq_some(ops_pq_tensor(PADIC_U32, 2, 2, 2, 0, 0, 0));
        cut.lengths = ops_pq_tensor(PADIC_U32, 1, 2, 0, 0, 0, 0);
        fork.to = 1;
        fork.page = 2;
        import.cache = ops_pq_cache(i | 1);
        import.codes = ops_pq_tensor(PADIC_U8, 4, 2, 2, 5, 2, 0);
        out.out = ops_pq_tensor(i % 3 ? PADIC_U8 : PADIC_I64, 4, 2, 2, 9, 2, 0);
        if (op == PADIC_OP_PQ_APPEND) ops_check(run, op, &append, &each);
        else if (op == PADIC_OP_PQ_TRUNCATE) ops_check(run, op, &cut, &truncate);
        else if (op == PADIC_OP_PQ_FORK) ops_check(run, op, &fork, &each);
        else if (op == PADIC_OP_PQ_IMPORT) ops_check(run, op, &import, &each);
        else ops_check(run, op, &out, &each);
    }
}

static void ops_pq_scores(ops_run *run, uint32_t op)
{
    static const ops_case each = {"", ops_pq_input, NULL};
    for (uint32_t i = 0; i < 14; i++) {
        const uint64_t heads = 2 + 2 * (i % 2), cap = 1 + i % 5;
        padic_pq_score_desc score = PADIC_ZERO;
        padic_pq_topk_desc top = PADIC_ZERO;
        padic_pq_select_desc select = PADIC_ZERO;
        score.codebook = select.codebook = ops_pq_book(i);
        score.cache = select.cache = ops_pq_cache(i);
        score.queries = select.queries = ops_pq_keys(i % 3 ? PADIC_F32 : PADIC_F16, heads, 3);
        score.tables = ops_pq_some(
            ops_pq_tensor(PADIC_F32, 5, 2, heads, 3, 2, score.codebook.centroids.shape[3]));
        score.out = ops_pq_some(ops_pq_tensor(PADIC_F32, 4, 2, heads, 3, 7, 0));
        select.key_count = 6;
        select.heavy = cap - 1;
        select.window = 1;
        select.lists = ops_pq_tensor(PADIC_I32, 4, 2, heads, 3, cap, 0);
        select.lengths = select.status =
            ops_pq_some(ops_pq_tensor(PADIC_U32, 3, 2, heads, 3, 0, 0));
        select.tie = top.tie = (padic_pq_tie)(i & 1);
        select.order = top.order = (padic_pq_order)(i >> 1 & 1);
        if (i >= 8) { // fewer of the best, other scores, a list for a group
            select.heavy_counts = ops_pq_some(ops_pq_tensor(PADIC_U32, 1, 2, 0, 0, 0, 0));
            if (i % 2) select.bias = ops_pq_some(ops_pq_tensor(PADIC_F32, 3, 2, heads, 5, 0, 0));
            if (i % 3) select.slopes = ops_pq_some(ops_pq_tensor(PADIC_F32, 1, heads, 0, 0, 0, 0));
            select.limit = (padic_pq_limit)(i % 2);
            select.reduce = (padic_pq_reduce)(i % 3);
            if (select.reduce) select.lists.shape[1] = select.lengths.shape[1] =
                select.status.shape[1] = 2;
            if (i > 10) select.lists.dtype = PADIC_I64;
        }
        top.scores = ops_pq_tensor(PADIC_F32, 2, 3, 100 * (i % 8), 0, 0, 0);
        top.out = ops_pq_tensor(PADIC_I32, 2, 3, 17, 0, 0, 0);
        if (op == PADIC_OP_PQ_SCORE) ops_check(run, op, &score, &each);
        else if (op == PADIC_OP_PQ_TOPK) ops_check(run, op, &top, &each);
        else ops_check(run, op, &select, &each);
    }
}

// ----- attention in f64

typedef struct ops_pq_heads { // as f64, in C order
    const padic_tensor *queries, *keys, *values, *pages, *lists, *lengths, *key_counts;
    double *q, *k, *x, *page, *list, *length, *count;
} ops_pq_heads;

static void ops_pq_heads_begin(ops_pq_heads *a)
{
    static const padic_tensor none = PADIC_ZERO;
    if (!a->lists) a->lists = &none;
    if (!a->lengths) a->lengths = &none;
    if (!a->key_counts) a->key_counts = &none;
    a->q = ops_numbers_of(a->queries);
    a->k = ops_numbers_of(a->keys);
    a->x = ops_numbers_of(a->values);
    a->page = ops_numbers_of(a->pages);
    a->list = ops_numbers_of(a->lists);
    a->length = ops_numbers_of(a->lengths);
    a->count = ops_numbers_of(a->key_counts);
}

static void ops_pq_heads_end(ops_pq_heads *a)
{
    free(a->q), free(a->k), free(a->x), free(a->page), free(a->list), free(a->length);
    free(a->count);
}

// The row of keys and values of entry j of query r, or -1.
static int64_t ops_pq_entry(const ops_pq_heads *a, uint64_t r, uint64_t j)
{
    const uint64_t *n = a->queries->shape, *s = a->keys->shape;
    const uint64_t head = r / n[2] % n[1], row = r / n[2] / n[1], group = head / (n[1] / s[1]);
    const uint64_t pages = a->pages->rank ? a->pages->shape[1] : 1;
    uint64_t in = row, at = j;
    if (a->lists->rank) {
        const uint64_t heads = a->lists->shape[1], whose = heads == n[1] ? head : group;
        const double p =
            a->list[((row * heads + whose) * n[2] + r % n[2]) * a->lists->shape[3] + j];
        if (!(p >= 0 && p < (double)(s[2] * pages))) return -1;
        at = (uint64_t)p;
    }
    if (a->pages->rank) {
        in = (uint64_t)a->page[row * pages + at / s[2]];
        at %= s[2];
        if (in >= s[0]) return -1;
    }
    return (int64_t)((in * s[1] + group) * s[2] + at);
}

// Where a list ends, or what query r sees.
static uint64_t ops_pq_entries(const ops_pq_heads *a, uint64_t r)
{
    const uint64_t *n = a->queries->shape;
    const uint64_t head = r / n[2] % n[1], row = r / n[2] / n[1], heads = a->lists->shape[1];
    const uint64_t whose = heads == n[1] ? head : head / (n[1] / a->keys->shape[1]);
    const uint64_t s = a->keys->shape[2] * (a->pages->rank ? a->pages->shape[1] : 1);
    double most;
    if (a->lists->rank) {
        most = a->length[(row * heads + whose) * n[2] + r % n[2]];
        return most < (double)a->lists->shape[3] ? (uint64_t)most : a->lists->shape[3];
    }
    most = a->count[row] < (double)s ? a->count[row] : (double)s;
    most += (double)(r % n[2]) + 1 - (double)n[2];
    return most > 0 ? (uint64_t)most : 0;
}

// o, lse, and a status, of which only devices' tests say something. Keys and values are below 2 and
// have 6 and 5 components, so that no logit is above 10.
static void ops_pq_heads_exact(ops_pq_heads *a, double *want, double *slack)
{
    const uint64_t *n = a->queries->shape, rows = n[0] * n[1] * n[2];
    const uint64_t d = n[3], v = a->values->shape[3];
    ops_pq_heads_begin(a);
    for (uint64_t r = 0; r < rows; r++) {
        const uint64_t count = ops_pq_entries(a, r);
        double sum = 0;
        for (uint64_t j = 0; j < count; j++) {
            const int64_t at = ops_pq_entry(a, r, j);
            double dot = 0;
            for (uint64_t i = 0; i < d && at >= 0; i++)
                dot += a->q[r * d + i] * a->k[(uint64_t)at * d + i];
            if (at < 0) continue;
            dot = exp(dot / sqrt((double)d));
            sum += dot;
            for (uint64_t i = 0; i < v; i++) want[r * v + i] += dot * a->x[(uint64_t)at * v + i];
        }
        for (uint64_t i = 0; i < v; i++) {
            if (sum > 0) want[r * v + i] /= sum;
            slack[r * v + i] = 2 * (8 + 10 + 7) * ldexp(1, -23);
        }
        want[rows * v + r] = sum > 0 ? log(sum) : -INFINITY;
        slack[rows * v + r] = (8 + 10) * ldexp(1, -23);
        slack[rows * (v + 1) + r] = 1e-30;
    }
    ops_pq_heads_end(a);
}

static void ops_pq_attend_exact(const void *desc_, double *want, double *slack)
{
    const padic_pq_attend_desc *desc = (const padic_pq_attend_desc *)desc_;
    ops_pq_heads a = PADIC_ZERO;
    a.queries = &desc->queries, a.keys = &desc->keys, a.values = &desc->values;
    a.pages = &desc->pages, a.lists = &desc->lists, a.lengths = &desc->lengths;
    ops_pq_heads_exact(&a, want, slack);
}

static void ops_pq_attend_full_exact(const void *desc_, double *want, double *slack)
{
    const padic_pq_attend_full_desc *desc = (const padic_pq_attend_full_desc *)desc_;
    ops_pq_heads a = PADIC_ZERO;
    a.queries = &desc->queries, a.keys = &desc->keys, a.values = &desc->values;
    a.pages = &desc->pages, a.key_counts = &desc->key_counts;
    ops_pq_heads_exact(&a, want, slack);
}

static void ops_pq_merge_exact(const void *desc_, double *want, double *slack)
{
    const padic_pq_merge_desc *desc = (const padic_pq_merge_desc *)desc_;
    double *first = ops_numbers_of(&desc->first), *second = ops_numbers_of(&desc->second);
    double *one = ops_numbers_of(&desc->first_lse), *two = ops_numbers_of(&desc->second_lse);
    const uint64_t rows = padic_tensor_count(&desc->first_lse), v = desc->first.shape[3];
    for (uint64_t r = 0; r < rows; r++) {
        const double a = exp(one[r]), b = exp(two[r]);
        for (uint64_t i = r * v; i < (r + 1) * v; i++) {
            want[i] = (a * first[i] + b * second[i]) / (a + b);
            slack[i] = ldexp(1, -19); // numbers below 1
        }
        want[rows * v + r] = log(a + b);
        slack[rows * v + r] = ldexp(1, -19);
    }
    free(first), free(second), free(one), free(two);
}

static void ops_pq_attention(ops_run *run, uint32_t op)
{
    static const ops_case each = {"", ops_pq_input, NULL};
    static const ops_case attend = {"", ops_pq_input, ops_pq_attend_exact};
    static const ops_case attend_full = {"", ops_pq_input, ops_pq_attend_full_exact};
    static const ops_case merged = {"", ops_pq_input, ops_pq_merge_exact};
    for (uint32_t i = 0; i < 6; i++) {
        const padic_dtype dtype = i % 3 == 0 ? PADIC_F32 : i % 3 == 1 ? PADIC_F16 : PADIC_BF16;
        padic_pq_attend_desc list = PADIC_ZERO;
        padic_pq_attend_full_desc full = PADIC_ZERO;
        padic_pq_merge_desc merge = PADIC_ZERO;
        padic_pq_weights_dense_desc dense = PADIC_ZERO;
        list.queries = full.queries = ops_pq_keys(dtype, 4, 2);
        list.keys = full.keys = ops_pq_keys(dtype, 2, 20);
        list.values = full.values = ops_pq_tensor(dtype, 4, 2, 2, 20, 5, 0);
        if (i % 2) {
            list.pages = full.pages = ops_pq_some(ops_pq_tensor(PADIC_U32, 2, 2, 2, 0, 0, 0));
        }
        list.lists = dense.lists = ops_pq_tensor(PADIC_I32, 4, 2, 4, 2, 3, 0);
        list.lengths = dense.lengths = ops_pq_some(ops_pq_tensor(PADIC_U32, 3, 2, 4, 2, 0, 0));
        full.key_counts = ops_pq_some(ops_pq_tensor(PADIC_U32, 1, 2, 0, 0, 0, 0));
        merge.first = merge.second = ops_pq_tensor(PADIC_F32, 4, 2, 4, 2, 5, 0);
        merge.first_lse = merge.second_lse = ops_pq_tensor(PADIC_F32, 3, 2, 4, 2, 0, 0);
        list.out = full.out = merge.out = merge.first;
        list.lse = full.lse = merge.lse = ops_pq_some(merge.first_lse);
        list.status = full.status = ops_pq_some(ops_pq_tensor(PADIC_U32, 3, 2, 4, 2, 0, 0));
        dense.weights = ops_pq_some(ops_pq_tensor(PADIC_F32, 4, 2, 4, 2, 3, 0));
        dense.out = ops_pq_tensor(PADIC_F32, 4, 2, 4, 2, 11, 0);
        if (i == 4) { // one list for two heads
            list.lists = ops_pq_tensor(PADIC_I64, 4, 2, 2, 2, 3, 0);
            list.lengths = ops_pq_some(ops_pq_tensor(PADIC_U32, 3, 2, 2, 2, 0, 0));
        }
        if (op == PADIC_OP_PQ_ATTEND) ops_check_device(run, op, &list, &attend);
        else if (op == PADIC_OP_PQ_ATTEND_FULL) ops_check_device(run, op, &full, &attend_full);
        else if (op == PADIC_OP_PQ_MERGE) ops_check_device(run, op, &merge, &merged);
        else ops_check(run, op, &dense, &each);
    }
}

static void ops_pq_parts(ops_run *run, uint32_t op)
{
    static const ops_case each = {"", ops_pq_input, NULL};
    for (uint32_t i = 0; i < 6; i++) {
        const padic_dtype dtype = i % 3 == 0 ? PADIC_F32 : i % 3 == 1 ? PADIC_F16 : PADIC_BF16;
        padic_pq_lut_desc lut = PADIC_ZERO;
        padic_pq_lists_desc lists = PADIC_ZERO;
        padic_pq_rerank_desc rerank = PADIC_ZERO;
        lut.codebook = ops_pq_book(i);
        lut.queries = rerank.queries = ops_pq_keys(dtype, 4, 2);
        lut.out = ops_pq_tensor(PADIC_F32, 5, 2, 4, 2, 2, lut.codebook.centroids.shape[3]);
        rerank.keys = ops_pq_keys(dtype, 2, 9);
        if (i % 2) rerank.pages = ops_pq_some(ops_pq_tensor(PADIC_U32, 2, 2, 2, 0, 0, 0));
        lists.chosen = rerank.lists =
            ops_pq_tensor(i % 3 ? PADIC_I32 : PADIC_I64, 4, 2, 4, 2, 7, 0);
        lists.chosen_lengths = rerank.list_lengths = lists.lengths = rerank.lengths =
            lists.status = rerank.status =
                ops_pq_some(ops_pq_tensor(PADIC_U32, 3, 2, 4, 2, 0, 0));
        lists.sink = rerank.sink = i;
        lists.window = rerank.window = 1;
        rerank.heavy = 3;
        lists.order = rerank.order = (padic_pq_order)(i & 1);
        rerank.tie = (padic_pq_tie)(i / 2 & 1);
        lists.key_count = 16;
        lists.lists = rerank.out = ops_pq_tensor(i % 2 ? PADIC_I32 : PADIC_I64, 4, 2, 4, 2, 15, 0);
        if (op == PADIC_OP_PQ_LUT) ops_check(run, op, &lut, &each);
        else if (op == PADIC_OP_PQ_LISTS) ops_check(run, op, &lists, &each);
        else ops_check(run, op, &rerank, &each);
    }
}

static void ops_pq_qualities(ops_run *run, uint32_t op)
{
    static const ops_case each = {"", ops_pq_input, NULL};
    for (uint32_t i = 0; i < 4; i++) {
        padic_pq_quality_desc desc = PADIC_ZERO;
        desc.queries = ops_pq_keys(PADIC_F16, 4, 2);
        desc.keys = ops_pq_keys(PADIC_F16, 2, 20);
        desc.values = ops_pq_some(ops_pq_tensor(PADIC_BF16, 4, 2, 2, 20, 5, 0));
        if (i % 2) desc.pages = ops_pq_some(ops_pq_tensor(PADIC_U32, 2, 2, 2, 0, 0, 0));
        desc.lists = ops_pq_tensor(i % 2 ? PADIC_I32 : PADIC_I64, 4, 2, 4, 2, 7, 0);
        desc.list_lengths = desc.status = ops_pq_some(ops_pq_tensor(PADIC_U32, 3, 2, 4, 2, 0, 0));
        desc.recall = desc.mass = desc.error =
            ops_pq_some(ops_pq_tensor(PADIC_F32, 3, 2, 4, 2, 0, 0));
        desc.sink = desc.window = i;
        ops_check(run, op, &desc, &each);
    }
}

#define OPS_PQ_ROW(name, NAME, family)           \
    static void ops_pq_row_##name(ops_run *run)  \
    {                                            \
        family(run, PADIC_OP_PQ_##NAME);         \
    }
OPS_PQ_ROW(prepare, PREPARE, ops_pq_books)
OPS_PQ_ROW(train, TRAIN, ops_pq_books)
OPS_PQ_ROW(encode, ENCODE, ops_pq_books)
OPS_PQ_ROW(decode, DECODE, ops_pq_books)
OPS_PQ_ROW(append, APPEND, ops_pq_caches)
OPS_PQ_ROW(truncate, TRUNCATE, ops_pq_caches)
OPS_PQ_ROW(fork, FORK, ops_pq_caches)
OPS_PQ_ROW(import, IMPORT, ops_pq_caches)
OPS_PQ_ROW(export, EXPORT, ops_pq_caches)
OPS_PQ_ROW(score, SCORE, ops_pq_scores)
OPS_PQ_ROW(topk, TOPK, ops_pq_scores)
OPS_PQ_ROW(select, SELECT, ops_pq_scores)
OPS_PQ_ROW(attend, ATTEND, ops_pq_attention)
OPS_PQ_ROW(attend_full, ATTEND_FULL, ops_pq_attention)
OPS_PQ_ROW(merge, MERGE, ops_pq_attention)
OPS_PQ_ROW(weights_dense, WEIGHTS_DENSE, ops_pq_attention)
OPS_PQ_ROW(lut, LUT, ops_pq_parts)
OPS_PQ_ROW(lists, LISTS, ops_pq_parts)
OPS_PQ_ROW(rerank, RERANK, ops_pq_parts)
OPS_PQ_ROW(quality, QUALITY, ops_pq_qualities)

#define OPS_PQ                                                                              \
    {"pq_prepare", ops_pq_row_prepare}, {"pq_train", ops_pq_row_train},                     \
        {"pq_encode", ops_pq_row_encode}, {"pq_decode", ops_pq_row_decode},                 \
        {"pq_append", ops_pq_row_append}, {"pq_truncate", ops_pq_row_truncate},             \
        {"pq_fork", ops_pq_row_fork}, {"pq_import", ops_pq_row_import},                     \
        {"pq_export", ops_pq_row_export}, {"pq_score", ops_pq_row_score},                   \
        {"pq_topk", ops_pq_row_topk}, {"pq_select", ops_pq_row_select},                     \
        {"pq_attend", ops_pq_row_attend}, {"pq_attend_full", ops_pq_row_attend_full},       \
        {"pq_merge", ops_pq_row_merge}, {"pq_weights_dense", ops_pq_row_weights_dense},       \
        {"pq_lut", ops_pq_row_lut}, {"pq_lists", ops_pq_row_lists},                         \
        {"pq_rerank", ops_pq_row_rerank}, {"pq_quality", ops_pq_row_quality},
