// ---------------------------------------------------------------------------------- >>einsum impl
//
// Labels are numbers below 128 and sets of them 128 bits. A node is an operand or the result of a
// step. Workspace is dealt out ahead, by measuring the path: the lowest place that is free.

#define PADICI_EINSUM_NODES (2 * PADIC_TENSOR_MAX_OPERANDS)
#define PADICI_EINSUM_EXACT 14 // operands up to which all orders are looked at

// The last path is kept in the context with the checksum of what it depends on.
typedef struct padici_einsum_kept {
    uint64_t hash;
    padic_tensor_path path;
} padici_einsum_kept;

// Defined later in padic.h.
static padici_einsum_kept *padici_context_einsum(padic_context *context);

typedef struct padici_labels {
    uint64_t w[2];
} padici_labels;

typedef struct padici_einsum_word { // the labels of one term
    uint32_t count, dots, dots_at, end; // dots: labels before "..."; NONE: it has none
    uint32_t at[PADIC_TENSOR_MAX_OPERANDS];
    uint8_t label[PADIC_TENSOR_MAX_OPERANDS];
} padici_einsum_word;

typedef struct padici_einsum_axis {
    uint64_t size, digit;
    int64_t step[3];
    uint32_t has, loop; // bits of a, b, c; a loop around the calls
} padici_einsum_axis;

typedef struct padici_einsum {
    const padic_tensor_einsum_desc *desc;
    const char *fault;
    uint32_t at, placed, count, dots, axes; // placed: the fault has a character
    uint64_t size[PADIC_TENSOR_MAX_LABELS];   // of each label
    uint64_t extent[PADIC_TENSOR_MAX_LABELS]; // the same; 1 when it is sliced
    uint32_t seen[PADIC_TENSOR_MAX_LABELS];   // in how many places
    padici_labels known, out, set[PADICI_EINSUM_NODES];
    uint8_t paired[PADICI_EINSUM_NODES]; // complex
    uint64_t place[PADICI_EINSUM_NODES], bytes[PADICI_EINSUM_NODES];
    uint8_t live[PADICI_EINSUM_NODES];
    uint32_t unit; // bytes of a real number
    uint8_t vanish[PADIC_TENSOR_MAX_LABELS];
    uint32_t ordered; // labels in `order`: those of an extent above 1
    uint8_t order[PADIC_TENSOR_MAX_LABELS];
    uint64_t digit[PADIC_TENSOR_MAX_SLICED];
    padici_einsum_axis axis[PADIC_TENSOR_MAX_LABELS]; // from here on not cleared as a whole
    int64_t row[3][PADIC_TENSOR_MAX_LABELS];
    int64_t step[PADIC_TENSOR_MAX_OPERANDS + 1][PADIC_TENSOR_MAX_LABELS]; // the last: the result's
} padici_einsum;

PADICI_INLINE int padici_labels_has(const padici_labels *s, uint32_t label)
{
    return (int)(s->w[label >> 6] >> (label & 63) & 1);
}

PADICI_INLINE void padici_labels_add(padici_labels *s, uint32_t label)
{
    s->w[label >> 6] |= UINT64_C(1) << (label & 63);
}

PADICI_INLINE padici_labels padici_labels_or(padici_labels a, padici_labels b)
{
    a.w[0] |= b.w[0];
    a.w[1] |= b.w[1];
    return a;
}

PADICI_INLINE padici_labels padici_labels_and(padici_labels a, padici_labels b)
{
    a.w[0] &= b.w[0];
    a.w[1] &= b.w[1];
    return a;
}

// Product of the extents, as a double, and in *exact, UINT64_MAX where it does not fit.
static double padici_einsum_volume(const padici_einsum *e, padici_labels s, uint64_t *exact)
{
    double n = 1;
    uint64_t whole = 1;
    uint32_t i;
    for (i = 0; i < 2; i++)
        for (; s.w[i]; s.w[i] &= s.w[i] - 1) {
            const uint64_t size = e->extent[64 * i + padici_ctz64(s.w[i])];
            n *= (double)size;
            if (exact && !padici_mul_u64(whole, size, &whole)) whole = UINT64_MAX;
        }
    if (exact) *exact = n >= 18446744073709551616.0 ? UINT64_MAX : whole;
    return n;
}

static padic_result padici_einsum_fault(padici_einsum *e, padic_result result, uint32_t at,
                                        const char *sentence)
{
    e->fault = sentence;
    e->at = at;
    e->placed = e->desc->expression != NULL;
    return result;
}

// The labels of a term of the expression, up to ',', "->" or the end.
static padic_result padici_einsum_read(padici_einsum *e, padici_einsum_word *word)
{
    const char *text = e->desc->expression;
    word->count = 0;
    word->dots = PADIC_TENSOR_NONE;
    for (;; e->at++) {
        const char c = text[e->at];
        if (c == ' ') continue;
        if (c == '.') {
            if (word->dots != PADIC_TENSOR_NONE || text[e->at + 1] != '.' ||
                text[e->at + 2] != '.')
                return padici_einsum_fault(e, PADIC_ERROR_ARGUMENT, e->at,
                                           "expression has \"...\" of three dots, once in a term");
            word->dots = word->count;
            word->dots_at = e->at;
            e->at += 2;
            continue;
        }
        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'))) break;
        if (word->count == PADIC_TENSOR_MAX_OPERANDS)
            return padici_einsum_fault(e, PADIC_ERROR_LIMIT, e->at,
                                       "expression has more than 64 labels in a term");
        word->at[word->count] = e->at;
        word->label[word->count++] = (uint8_t)(c >= 'a' ? c - 'a' + 26 : c - 'A');
    }
    word->end = e->at;
    return PADIC_OK;
}

// Splits the runs of a view, its axes joined where they can be, by dims. 0: they do not fit.
static int padici_einsum_split(const padic_tensor_term *term, uint64_t *size, int64_t *step)
{
    const padic_tensor *t = &term->tensor;
    int64_t stride[PADIC_MAX_RANK], next = 0;
    uint64_t left = 1;
    uint32_t i = t->rank, d, empty = 0, zero = 0;
    padici_tensor_dense(t, stride);
    for (d = 0; d < t->rank; d++) empty |= !t->shape[d];
    for (d = 0; d < term->rank; d++) zero |= !term->dims[d];
    for (d = term->rank; d-- > 0;) {
        uint64_t want = size[d] = term->dims[d];
        step[d] = 0;
        if (empty || zero || want == 1) continue;
        for (; want > 1;) {
            if (left == 1) {
                while (i > 0 && t->shape[i - 1] == 1) i--;
                if (!i) return 0;
                left = t->shape[--i];
                if (want != size[d] && stride[i] != next) return 0; // a dim across two runs
                next = stride[i];
            }
            if (want == size[d]) step[d] = next;
            if (left % want && want % left) return 0;
            if (left >= want) {
                left /= want;
                next *= (int64_t)want;
                want = 1;
            } else {
                want /= left;
                next *= (int64_t)left;
                left = 1;
            }
        }
    }
    if (empty || zero) return empty == zero;
    while (i > 0 && t->shape[i - 1] == 1) i--;
    return left == 1 && !i;
}

// The axes of a term in elements. Also checks its view.
static padic_result padici_einsum_axes(padici_einsum *e, const padic_tensor_term *term, int out,
                                       uint64_t *size, int64_t *step, uint32_t *axes)
{
    const padic_tensor *t = &term->tensor;
    int64_t stride[PADIC_MAX_RANK];
    uint64_t count;
    uint32_t i;
    const padic_result result = padici_tensor_check_view(t, !out, &count);
    e->placed = 0;
    if (result) {
        e->fault = out ? "out has a dtype, shape or strides that cannot be written"
                       : "operands has a tensor whose dtype, shape or strides make no sense";
        return result;
    }
    e->fault = "operands or out are not F32, F64, C64 or C128";
    if (t->dtype != PADIC_F32 && !padici_tensor_is_double(t->dtype) &&
        !padici_tensor_is_complex(t->dtype))
        return PADIC_ERROR_DTYPE;
    e->fault = "conj of a term is not 0 or 1, or of out not 0";
    if (term->conj > (out ? 0u : 1u)) return PADIC_ERROR_ARGUMENT;
    e->fault = "rank of a term is not that of its dims, up to 64, or not 0 without dims";
    if (term->rank > PADIC_TENSOR_MAX_OPERANDS || (!term->dims && term->rank))
        return PADIC_ERROR_ARGUMENT;
    if (term->dims) {
        *axes = term->rank;
        e->fault = "dims do not split the axes of their tensor";
        return padici_einsum_split(term, size, step) ? PADIC_OK : PADIC_ERROR_MISMATCH;
    }
    *axes = t->rank;
    padici_tensor_dense(t, stride);
    for (i = 0; i < t->rank; i++) {
        size[i] = t->shape[i];
        step[i] = stride[i];
    }
    return PADIC_OK;
}

// One axis of term i, which is `out` for the last: its label, size and step.
static padic_result padici_einsum_axis_add(padici_einsum *e, uint32_t i, uint32_t label,
                                           uint32_t at, int stretch, uint64_t size, int64_t step)
{
    const int out = i == PADIC_TENSOR_MAX_OPERANDS;
    if (out && !padici_labels_has(&e->known, label))
        return padici_einsum_fault(e, PADIC_ERROR_ARGUMENT, at,
                                   "expression, or labels of out, has a label that no operand has");
    if (out && padici_labels_has(&e->out, label))
        return padici_einsum_fault(e, PADIC_ERROR_ARGUMENT, at,
                                   "expression, or labels of out, has a label twice");
    if (!padici_labels_has(&e->known, label) || (stretch && !out && e->size[label] == 1))
        e->size[label] = size;
    else if (e->size[label] != size && (out || !stretch || size != 1))
        return padici_einsum_fault(e, PADIC_ERROR_MISMATCH, at,
                                   "operands and out have axes of different sizes with one label");
    padici_labels_add(&e->known, label);
    e->seen[label] += !out;
    if (size == 1) return PADIC_OK; // never stepped along, and stretched as if it were not there
    e->step[i][label] += step;
    padici_labels_add(out ? &e->out : &e->set[i], label);
    return PADIC_OK;
}

static padic_result padici_einsum_term(padici_einsum *e, uint32_t i, const padici_einsum_word *word)
{
    const int out = i == PADIC_TENSOR_MAX_OPERANDS, dots = word->dots != PADIC_TENSOR_NONE;
    const padic_tensor_term *term = out ? &e->desc->out : &e->desc->operands[i];
    uint64_t size[PADIC_TENSOR_MAX_OPERANDS];
    int64_t step[PADIC_TENSOR_MAX_OPERANDS];
    uint32_t n, j, more;
    padic_result result = padici_einsum_axes(e, term, out, size, step, &n);
    if (result) return result;
    if (n < word->count || (!dots && n != word->count) ||
        (out && dots && n - word->count != e->dots))
        return padici_einsum_fault(e, PADIC_ERROR_MISMATCH, word->end,
                                   "operands or out have not as many axes as their terms in "
                                   "expression");
    more = n - word->count;
    if (!out && more > e->dots) e->dots = more;
    if (out && !dots && e->dots)
        return padici_einsum_fault(e, PADIC_ERROR_ARGUMENT, word->end,
                                   "expression has \"...\" in an operand, but not in the result");
    for (j = 0; j < n && !result; j++) {
        const int inside = dots && j >= word->dots && j < word->dots + more;
        const uint32_t k = dots && j >= word->dots + more ? j - more : j;
        result = inside ? padici_einsum_axis_add(e, i, 128 - (word->dots + more - j), word->dots_at,
                                                 1, size[j], step[j])
                        : padici_einsum_axis_add(e, i, word->label[k], word->at[k], 0, size[j],
                                                 step[j]);
    }
    return result;
}

// Without "->": what occurs once.
static void padici_einsum_guess(const padici_einsum *e, padici_einsum_word *word)
{
    uint32_t label;
    word->count = 0;
    word->dots = e->dots ? 0 : PADIC_TENSOR_NONE;
    word->dots_at = word->end = e->at;
    for (label = 0; label < 52; label++)
        if (e->seen[label] == 1) {
            word->at[word->count] = e->at;
            word->label[word->count++] = (uint8_t)label;
        }
}

static padic_result padici_einsum_expression(padici_einsum *e)
{
    const char *text = e->desc->expression;
    padici_einsum_word word;
    padic_result result = PADIC_OK;
    uint32_t i;
    e->at = 0;
    for (i = 0; !result; i++) {
        result = padici_einsum_read(e, &word);
        if (result) break;
        if (i >= e->count)
            return padici_einsum_fault(e, i >= PADIC_TENSOR_MAX_OPERANDS ? PADIC_ERROR_LIMIT
                                                                         : PADIC_ERROR_MISMATCH,
                                       e->at, "expression has more terms than there are operands");
        if (text[e->at] != ',' && text[e->at] && (text[e->at] != '-' || text[e->at + 1] != '>'))
            return padici_einsum_fault(e, PADIC_ERROR_ARGUMENT, e->at,
                                       "expression has neither a letter, \",\", \"->\" nor "
                                       "\"...\"");
        if (text[e->at] != ',' && i + 1 < e->count)
            return padici_einsum_fault(e, PADIC_ERROR_MISMATCH, e->at,
                                       "expression has fewer terms than there are operands");
        result = padici_einsum_term(e, i, &word);
        if (result || text[e->at] != ',') break;
        e->at++;
    }
    if (result) return result;
    if (text[e->at]) {
        e->at += 2;
        result = padici_einsum_read(e, &word);
        if (!result && text[e->at])
            result = padici_einsum_fault(e, PADIC_ERROR_ARGUMENT, e->at,
                                         "expression has other than letters and \"...\" in the "
                                         "result");
    } else {
        padici_einsum_guess(e, &word);
    }
    return result ? result : padici_einsum_term(e, PADIC_TENSOR_MAX_OPERANDS, &word);
}

// Label arrays: values become their places among those in use.
static padic_result padici_einsum_arrays(padici_einsum *e)
{
    uint8_t number[256];
    padici_einsum_word word;
    uint32_t i, j, n = 0;
    padic_result result = PADIC_OK;
    memset(number, 0, sizeof number);
    word.dots = PADIC_TENSOR_NONE;
    word.dots_at = word.end = 0;
    for (i = 0; i <= e->count; i++) {
        const padic_tensor_term *term = i < e->count ? &e->desc->operands[i] : &e->desc->out;
        const uint32_t rank = term->dims ? term->rank : term->tensor.rank;
        if (rank > PADIC_TENSOR_MAX_OPERANDS || (rank && !term->labels))
            return padici_einsum_fault(e, PADIC_ERROR_ARGUMENT, 0,
                                       "expression is NULL, and labels are not given for each "
                                       "axis");
        for (j = 0; j < rank; j++) number[term->labels[j]] = 1;
    }
    for (i = 0; i < 256; i++)
        if (number[i]) {
            if (n == PADIC_TENSOR_MAX_LABELS)
                return padici_einsum_fault(e, PADIC_ERROR_LIMIT, 0,
                                           "labels are more than 128");
            number[i] = (uint8_t)n++;
        }
    for (i = 0; i <= e->count && !result; i++) {
        const padic_tensor_term *term = i < e->count ? &e->desc->operands[i] : &e->desc->out;
        word.count = term->dims ? term->rank : term->tensor.rank;
        for (j = 0; j < word.count; j++) {
            word.label[j] = number[term->labels[j]];
            word.at[j] = 0;
        }
        result = padici_einsum_term(e, i < e->count ? i : PADIC_TENSOR_MAX_OPERANDS, &word);
    }
    return result;
}

// More than 64 operands: the comma before the one too many.
static padic_result padici_einsum_many(padici_einsum *e)
{
    const char *text = e->desc->expression;
    uint32_t at = 0, commas = 0;
    for (; text && text[at]; at++) {
        commas += text[at] == ',';
        if (commas == PADIC_TENSOR_MAX_OPERANDS) break;
    }
    return padici_einsum_fault(e, PADIC_ERROR_LIMIT, at, "count is above 64");
}

// Reads the desc. A label is in the set of a term where its axis is larger than 1.
static padic_result padici_einsum_begin(padici_einsum *e, const padic_tensor_einsum_desc *desc)
{
    padic_result result;
    uint32_t i;
    int paired = 0;
    memset(e, 0, (size_t)((char *)e->axis - (char *)e));
    e->desc = desc;
    e->count = desc->count;
    e->fault = "count is 0, or operands is NULL";
    if (!desc->count || !desc->operands) return PADIC_ERROR_ARGUMENT;
    if (desc->count > PADIC_TENSOR_MAX_OPERANDS) return padici_einsum_many(e);
    memset(e->step, 0, desc->count * sizeof *e->step);
    memset(e->step[PADIC_TENSOR_MAX_OPERANDS], 0, sizeof *e->step);
    e->fault = "math, method or objective is unknown";
    if (desc->math > PADIC_TENSOR_TF32 || desc->method > PADIC_TENSOR_GIVEN ||
        desc->objective > PADIC_TENSOR_WRITES)
        return PADIC_ERROR_ARGUMENT;
    result = desc->expression ? padici_einsum_expression(e) : padici_einsum_arrays(e);
    if (result) return result;
    e->placed = 0;
    e->unit = padici_tensor_is_double(desc->out.tensor.dtype) ? 8 : 4;
    for (i = 0; i < e->count; i++) {
        const padic_dtype dtype = desc->operands[i].tensor.dtype;
        e->paired[i] = (uint8_t)padici_tensor_is_complex(dtype);
        paired |= e->paired[i];
        e->fault = "operands and out are not of one precision";
        if ((padici_tensor_is_double(dtype) ? 8u : 4u) != e->unit) return PADIC_ERROR_MISMATCH;
    }
    e->fault = "out is complex when one of the operands is, and only then";
    if (paired != padici_tensor_is_complex(desc->out.tensor.dtype)) return PADIC_ERROR_MISMATCH;
    for (i = 0; i < PADIC_TENSOR_MAX_LABELS; i++) {
        if (!padici_labels_has(&e->known, i)) e->size[i] = 1;
        e->extent[i] = e->size[i];
    }
    return PADIC_OK;
}

// What a path costs. As doubles where sums may be beyond 64 bits.
typedef struct padici_einsum_cost {
    double flops, writes, score, tie; // score, then tie: by the objective
    uint64_t whole_flops, whole_writes, peak, workspace;
    uint64_t widest; // bytes of the largest result
} padici_einsum_cost;

static uint64_t padici_einsum_plus(uint64_t a, uint64_t b) // or the most there is
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static uint64_t padici_einsum_bytes(double elements, uint64_t exact, uint32_t size)
{
    if (elements >= 144115188075855872.0) return UINT64_MAX; // 2^57
    return (exact * size + 63) / 64 * 64;
}

// The lowest place for a node among the live ones.
static uint64_t padici_einsum_find_place(const padici_einsum *e, uint32_t node, uint32_t nodes)
{
    uint64_t place = 0;
    uint32_t i;
    for (i = e->count; i < nodes; i++)
        if (e->live[i] && place < e->place[i] + e->bytes[i] &&
            e->place[i] < place + e->bytes[node]) {
            place = e->place[i] + e->bytes[i];
            i = e->count - 1;
        }
    return place;
}

// The set of a step's result: what the result of all or an operand not yet used has.
static padici_labels padici_einsum_result(const padici_einsum *e, uint32_t node, uint32_t a,
                                          uint32_t b, padici_labels *all)
{
    padici_labels rest = e->out;
    uint32_t i;
    *all = b == PADIC_TENSOR_NONE ? e->set[a] : padici_labels_or(e->set[a], e->set[b]);
    for (i = 0; i < node; i++)
        if (e->live[i] && i != a && i != b) rest = padici_labels_or(rest, e->set[i]);
    return padici_labels_and(*all, rest);
}

// Walks through a valid path: sets, sizes and places of its results, and its cost for one slice.
static void padici_einsum_measure(padici_einsum *e, const padic_tensor_path *path,
                                  padici_einsum_cost *cost)
{
    uint64_t live = 0, exact;
    uint32_t s;
    memset(cost, 0, sizeof *cost);
    memset(e->vanish, 0, sizeof e->vanish);
    memset(e->live, 1, e->count);
    for (s = 0; s < path->steps; s++) {
        const uint32_t a = path->left[s], b = path->right[s], node = e->count + s;
        const int paired = e->paired[a] || (b != PADIC_TENSOR_NONE && e->paired[b]);
        padici_labels all, gone;
        double volume;
        e->set[node] = padici_einsum_result(e, node, a, b, &all);
        e->paired[node] = (uint8_t)paired;
        gone.w[0] = all.w[0] & ~e->set[node].w[0];
        gone.w[1] = all.w[1] & ~e->set[node].w[1];
        for (; gone.w[0]; gone.w[0] &= gone.w[0] - 1)
            e->vanish[padici_ctz64(gone.w[0])] = (uint8_t)(s + 1);
        for (; gone.w[1]; gone.w[1] &= gone.w[1] - 1)
            e->vanish[64 + padici_ctz64(gone.w[1])] = (uint8_t)(s + 1);
        volume = padici_einsum_volume(e, all, &exact);
        cost->flops += volume * (paired ? 8 : 2);
        if (!padici_mul_u64(exact, paired ? 8 : 2, &exact)) exact = UINT64_MAX;
        cost->whole_flops = padici_einsum_plus(cost->whole_flops, exact);
        volume = padici_einsum_volume(e, e->set[node], &exact);
        cost->writes += volume;
        cost->whole_writes = padici_einsum_plus(cost->whole_writes, exact);
        e->bytes[node] = 0; // the last one is the result
        if (s + 1 < path->steps)
            e->bytes[node] = padici_einsum_bytes(volume, exact, paired ? 2 * e->unit : e->unit);
        if (e->bytes[node] > cost->widest) cost->widest = e->bytes[node];
        live = padici_einsum_plus(live, e->bytes[node]);
        if (live > cost->peak) cost->peak = live;
        if (cost->peak >> 62) { // places would not fit
            cost->workspace = UINT64_MAX;
            e->place[node] = 0;
        } else {
            e->place[node] = padici_einsum_find_place(e, node, node);
            if (e->place[node] + e->bytes[node] > cost->workspace)
                cost->workspace = e->place[node] + e->bytes[node];
            live -= (a < e->count ? 0 : e->bytes[a]) +
                    (b == PADIC_TENSOR_NONE || b < e->count ? 0 : e->bytes[b]);
        }
        e->live[node] = 1;
        e->live[a] = 0;
        if (b != PADIC_TENSOR_NONE) e->live[b] = 0;
    }
    cost->score = e->desc->objective == PADIC_TENSOR_PEAK     ? (double)cost->peak
                  : e->desc->objective == PADIC_TENSOR_WRITES ? cost->flops + 64 * cost->writes
                                                              : cost->flops;
    cost->tie = e->desc->objective == PADIC_TENSOR_PEAK ? cost->flops : 0;
}

static int padici_einsum_path_valid(const padici_einsum *e, const padic_tensor_path *path)
{
    uint8_t used[PADICI_EINSUM_NODES];
    uint32_t s;
    memset(used, 0, sizeof used);
    if (e->count == 1)
        return path->steps == 1 && path->left[0] == 0 && path->right[0] == PADIC_TENSOR_NONE;
    if (path->steps != e->count - 1) return 0;
    for (s = 0; s < path->steps; s++) {
        const uint32_t a = path->left[s], b = path->right[s];
        if (a >= e->count + s || b >= e->count + s || a == b || used[a] || used[b]) return 0;
        used[a] = used[b] = 1;
    }
    return 1;
}

// Orders the steps of a tree depth first, at each the operand that leaves more memory at its peak
// before the other: fewer results wait. Which are left and right stays.
static void padici_einsum_reorder(padici_einsum *e, padic_tensor_path *path)
{
    padici_einsum_cost cost;
    uint64_t need[PADICI_EINSUM_NODES];
    uint8_t stack[PADICI_EINSUM_NODES], seen[PADICI_EINSUM_NODES], name[PADICI_EINSUM_NODES];
    uint8_t left[PADIC_TENSOR_MAX_OPERANDS], right[PADIC_TENSOR_MAX_OPERANDS];
    uint32_t s, top = 0, done = 0;
    if (e->count < 3) return;
    padici_einsum_measure(e, path, &cost);
    memset(need, 0, sizeof need);
    memset(seen, 0, sizeof seen);
    for (s = 0; s < e->count; s++) e->bytes[s] = 0, name[s] = (uint8_t)s;
    for (s = 0; s < path->steps; s++) {
        uint32_t a = path->left[s], b = path->right[s];
        const uint64_t both = padici_einsum_plus(e->bytes[a], e->bytes[b]);
        const uint64_t ab = padici_einsum_plus(e->bytes[a], need[b]);
        const uint64_t ba = padici_einsum_plus(e->bytes[b], need[a]);
        const uint64_t first = ab > need[a] ? ab : need[a], second = ba > need[b] ? ba : need[b];
        const uint64_t least = first < second ? first : second;
        const uint64_t here = padici_einsum_plus(both, e->bytes[e->count + s]);
        need[e->count + s] = least > here ? least : here;
        seen[e->count + s] = second < first ? 2 : 0; // 2: right first
    }
    stack[top++] = (uint8_t)(e->count + path->steps - 1);
    while (top) { // bit 0 of seen: its operands have been pushed
        const uint32_t node = stack[top - 1];
        uint32_t a, b;
        if (node < e->count) {
            top--;
            continue;
        }
        s = node - e->count;
        a = path->left[s], b = path->right[s];
        if (!(seen[node] & 1)) {
            stack[top++] = (uint8_t)(seen[node] & 2 ? a : b);
            stack[top++] = (uint8_t)(seen[node] & 2 ? b : a);
            seen[node] |= 1;
            continue;
        }
        left[done] = name[a], right[done] = name[b];
        name[node] = (uint8_t)(e->count + done++);
        top--;
    }
    memcpy(path->left, left, done);
    memcpy(path->right, right, done);
}

// All orders: the best for each connected set of operands, from those for its two parts.

typedef struct padici_einsum_best {
    padici_labels set, keep; // of all its operands; of its result
    double score, tie, bytes;
    // Root of the product of the sizes of those labels of `keep` that two operands have and the
    // result has not, or one operand and the result. Of x, y and x with y their product is that of
    // all such labels of x and y, so of no more elements than x with y goes over.
    double root;
    uint16_t left; // 0: not connected; of one operand itself
    uint16_t beside; // operands that share a label with one of these
    uint8_t node, paired;
} padici_einsum_best;

// The score of contracting x with y, if it is below that of `best`.
static void padici_einsum_try(const padici_einsum *e, padici_einsum_best *best,
                              const padici_einsum_best *x, const padici_einsum_best *y,
                              uint32_t left)
{
    // Less by what rounding may add: whatever passes is looked at exactly.
    const double least = x->root * y->root * best->root * (best->paired ? 8 : 2) * (1 - 1e-12);
    double score, tie = 0, flops, low;
    if (e->desc->objective == PADIC_TENSOR_PEAK) {
        const double xy = x->score > x->bytes + y->score ? x->score : x->bytes + y->score;
        const double yx = y->score > y->bytes + x->score ? y->score : y->bytes + x->score;
        score = xy < yx ? xy : yx;
        if (score < x->bytes + y->bytes + best->bytes) score = x->bytes + y->bytes + best->bytes;
        low = x->tie + y->tie;
        if (best->left &&
            (score > best->score || (score >= best->score && low + least >= best->tie)))
            return;
    } else {
        score = low = x->score + y->score;
        if (best->left && score + least >= best->score) return;
    }
    flops = padici_einsum_volume(e, padici_labels_or(x->keep, y->keep), NULL) *
            (best->paired ? 8 : 2);
    if (e->desc->objective == PADIC_TENSOR_PEAK) {
        tie = low + flops;
        if (best->left && score >= best->score && tie >= best->tie) return;
    } else {
        score += flops;
        if (e->desc->objective == PADIC_TENSOR_WRITES)
            score += 64 * padici_einsum_volume(e, best->keep, NULL);
        if (best->left && score >= best->score) return;
    }
    best->score = score;
    best->tie = tie;
    best->left = (uint16_t)left;
}

// The labels that the comment of `root` names, none when something is empty.
static padici_labels padici_einsum_plain(const padici_einsum *e)
{
    padici_labels once = {{0, 0}}, twice = {{0, 0}}, more = {{0, 0}}, empty = {{0, 0}};
    uint32_t i;
    for (i = 0; i < e->count; i++) {
        const padici_labels s = e->set[i];
        more = padici_labels_or(more, padici_labels_and(twice, s));
        twice = padici_labels_or(twice, padici_labels_and(once, s));
        once = padici_labels_or(once, s);
    }
    for (i = 0; i < PADIC_TENSOR_MAX_LABELS; i++)
        if (padici_labels_has(&once, i) && !e->extent[i]) return empty;
    for (i = 0; i < 2; i++)
        once.w[i] = (twice.w[i] & ~more.w[i] & ~e->out.w[i]) |
                    (once.w[i] & ~twice.w[i] & e->out.w[i]);
    return once;
}

static void padici_einsum_best_begin(const padici_einsum *e, padici_einsum_best *best,
                                     uint32_t full)
{
    const padici_labels plain = padici_einsum_plain(e);
    uint32_t s, i, j;
    memset(best, 0, (size_t)(full + 1) * sizeof *best);
    for (i = 0; i < e->count; i++) {
        padici_einsum_best *one = &best[1u << i];
        one->left = (uint16_t)(1u << i);
        one->set = e->set[i];
        one->paired = e->paired[i];
        for (j = 0; j < e->count; j++) {
            const padici_labels common = padici_labels_and(e->set[i], e->set[j]);
            if (i != j && (common.w[0] | common.w[1])) one->beside |= (uint16_t)(1u << j);
        }
    }
    for (s = 1; s <= full; s++) {
        const uint32_t low = s & (0 - s);
        if (s == low) continue;
        best[s].set = padici_labels_or(best[low].set, best[s ^ low].set);
        best[s].beside = (uint16_t)(best[low].beside | best[s ^ low].beside);
        best[s].paired = (uint8_t)(best[low].paired | best[s ^ low].paired);
    }
    for (s = 1; s <= full; s++) {
        uint64_t exact;
        if (!(s & (s - 1))) {
            best[s].keep = best[s].set;
            best[s].root = sqrt(padici_einsum_volume(e, padici_labels_and(best[s].set, plain),
                                                     NULL));
            continue;
        }
        best[s].keep = padici_labels_and(best[s].set,
                                         padici_labels_or(e->out, best[full ^ s].set));
        best[s].root = sqrt(padici_einsum_volume(e, padici_labels_and(best[s].keep, plain), NULL));
        best[s].bytes = padici_einsum_volume(e, best[s].keep, &exact);
        best[s].bytes = (double)padici_einsum_bytes(best[s].bytes, exact,
                                                    best[s].paired ? 2 * e->unit : e->unit);
        if (s == full) best[s].bytes = 0;
    }
}

// The steps of the best tree for the operands in `set`, their order reversed.
static uint32_t padici_einsum_unfold(const padici_einsum_best *best, uint32_t set, uint16_t *parts,
                                     uint32_t count)
{
    uint16_t stack[PADICI_EINSUM_EXACT + 1];
    uint32_t top = 0;
    stack[top++] = (uint16_t)set;
    while (top) {
        const uint32_t s = stack[--top], left = best[s].left;
        if (s == left) continue;
        parts[count++] = (uint16_t)s;
        stack[top++] = (uint16_t)left;
        stack[top++] = (uint16_t)(s ^ left);
    }
    return count;
}

static void padici_einsum_exact(padici_einsum *e, padici_einsum_best *best, padic_tensor_path *path)
{
    const uint32_t full = (1u << e->count) - 1;
    uint16_t parts[PADICI_EINSUM_EXACT], whole[PADICI_EINSUM_EXACT];
    uint32_t s, sub, count = 0, wholes = 0, i, j, left = full;
    padici_einsum_best_begin(e, best, full);
    for (s = 1; s <= full; s++) {
        const uint32_t low = s & (0 - s), rest = s ^ low;
        if (!rest) continue;
        for (sub = (rest - 1) & rest;; sub = (sub - 1) & rest) { // the part with the lowest operand
            const uint32_t x = sub | low, y = s ^ x;
            if (best[x].left && best[y].left && (best[x].beside & y))
                padici_einsum_try(e, &best[s], &best[x], &best[y], x);
            if (!sub) break;
        }
    }
    while (left) { // parts that share no label
        uint32_t now = left & (0 - left), next = now;
        do {
            now = next;
            for (i = 0, next = now; i < e->count; i++)
                if (now >> i & 1) next |= best[1u << i].beside;
        } while (next != now);
        whole[wholes++] = (uint16_t)now;
        count = padici_einsum_unfold(best, now, parts, count);
        left &= ~now;
    }
    for (i = 0; i < e->count; i++) best[1u << i].node = (uint8_t)i;
    path->steps = 0;
    for (j = count; j-- > 0; path->steps++) {
        path->left[path->steps] = best[best[parts[j]].left].node;
        path->right[path->steps] = best[parts[j] ^ best[parts[j]].left].node;
        best[parts[j]].node = (uint8_t)(e->count + path->steps);
    }
    for (; wholes > 1; path->steps++) { // outer products, the two lightest first
        uint32_t a = 0, b = 1;
        for (i = 0; i < wholes; i++)
            for (j = 0; j < i; j++)
                if (best[whole[i]].bytes + best[whole[j]].bytes <
                    best[whole[a]].bytes + best[whole[b]].bytes)
                    a = j, b = i;
        path->left[path->steps] = best[whole[a]].node;
        path->right[path->steps] = best[whole[b]].node;
        whole[a] = (uint16_t)(whole[a] | whole[b]);
        best[whole[a]].node = (uint8_t)(e->count + path->steps);
        whole[b] = whole[--wholes];
    }
    padici_einsum_reorder(e, path);
}

// Greedy, with more operands. Slots hold what is left.

typedef struct padici_einsum_greedy {
    double score[PADIC_TENSOR_MAX_OPERANDS][PADIC_TENSOR_MAX_OPERANDS]; // of row > column
    double size[PADIC_TENSOR_MAX_OPERANDS];
    padici_labels set[PADIC_TENSOR_MAX_OPERANDS];
    uint8_t node[PADIC_TENSOR_MAX_OPERANDS];
    uint32_t count;
} padici_einsum_greedy;

#define PADICI_EINSUM_APART 1e300 // the score of those that share no label

// e^-x for 0 <= x < 700: (Taylor of e^(-x / 1024))^1024. No libm: paths are D0.
static double padici_einsum_exp(double x)
{
    const double y = x / 1024;
    double v = 1 - y * (1 - y / 2 * (1 - y / 3 * (1 - y / 4)));
    uint32_t i;
    for (i = 0; i < 10; i++) v *= v;
    return v;
}

static padici_labels padici_einsum_pair(const padici_einsum *e, const padici_einsum_greedy *g,
                                        uint32_t i, uint32_t j)
{
    padici_labels rest = e->out;
    uint32_t k;
    for (k = 0; k < g->count; k++)
        if (k != i && k != j) rest = padici_labels_or(rest, g->set[k]);
    return padici_labels_and(padici_labels_or(g->set[i], g->set[j]), rest);
}

static void padici_einsum_rate(const padici_einsum *e, padici_einsum_greedy *g, uint32_t i,
                               uint32_t j)
{
    const padici_labels common = padici_labels_and(g->set[i], g->set[j]);
    double *score = i > j ? &g->score[i][j] : &g->score[j][i];
    *score = PADICI_EINSUM_APART;
    if (common.w[0] | common.w[1])
        *score = padici_einsum_volume(e, padici_einsum_pair(e, g, i, j), NULL) - g->size[i] -
                 g->size[j];
}

// Chooses a pair: the best, or one of the 8 best with the odds e^((best - score) / heat).
static void padici_einsum_choose(const padici_einsum_greedy *g, uint32_t round, uint32_t step,
                                 uint32_t *x, uint32_t *y)
{
    const uint32_t most = round ? 8 : 1;
    double low[9], weight[8], heat, sum = 0, dart;
    uint8_t at[9][2];
    uint32_t count = 0, i, j, k, word[4];
    for (i = 1; i < g->count; i++)
        for (j = 0; j < i; j++) {
            const double score = g->score[i][j];
            if (score >= PADICI_EINSUM_APART || (count == most && score >= low[count - 1]))
                continue;
            for (k = count < most ? count++ : most - 1; k > 0 && low[k - 1] > score; k--) {
                low[k] = low[k - 1];
                at[k][0] = at[k - 1][0], at[k][1] = at[k - 1][1];
            }
            low[k] = score;
            at[k][0] = (uint8_t)i, at[k][1] = (uint8_t)j;
        }
    if (!count) { // nothing is connected: the two lightest
        double least = 0;
        for (i = 1; i < g->count; i++)
            for (j = 0; j < i; j++)
                if (!count || g->size[i] * g->size[j] < least) {
                    least = g->size[i] * g->size[j];
                    at[0][0] = (uint8_t)i, at[0][1] = (uint8_t)j;
                    count = 1;
                }
    }
    k = 0;
    if (count > 1) {
        heat = low[0] < 0 ? -low[0] : low[0];
        if (heat < 1) heat = 1;
        for (i = 0; i < count; i++) {
            const double far_off = (low[i] - low[0]) / heat;
            sum += weight[i] = far_off < 700 ? padici_einsum_exp(far_off) : 0;
        }
        padic_random_block(0, round, step, 0, word);
        dart = padic_random_f64(word[0], word[1]) * sum;
        for (; k + 1 < count && dart >= weight[k]; k++) dart -= weight[k];
    }
    *x = at[k][1], *y = at[k][0];
}

static void padici_einsum_greedy_once(padici_einsum *e, padici_einsum_greedy *g, uint32_t round,
                                      padic_tensor_path *path)
{
    uint32_t i, j, a, b;
    g->count = e->count;
    for (i = 0; i < e->count; i++) {
        g->set[i] = e->set[i];
        g->size[i] = padici_einsum_volume(e, e->set[i], NULL);
        g->node[i] = (uint8_t)i;
    }
    for (i = 1; i < e->count; i++)
        for (j = 0; j < i; j++) padici_einsum_rate(e, g, i, j);
    for (path->steps = 0; g->count > 1; path->steps++) {
        const uint32_t last = g->count - 1;
        padici_einsum_choose(g, round, path->steps, &a, &b);
        path->left[path->steps] = g->node[a] < g->node[b] ? g->node[a] : g->node[b];
        path->right[path->steps] = g->node[a] < g->node[b] ? g->node[b] : g->node[a];
        g->set[a] = padici_einsum_pair(e, g, a, b);
        g->size[a] = padici_einsum_volume(e, g->set[a], NULL);
        g->node[a] = (uint8_t)(e->count + path->steps);
        if (b != last) { // the last one moves to the free slot
            g->set[b] = g->set[last], g->size[b] = g->size[last], g->node[b] = g->node[last];
            for (i = 0; i < last; i++)
                if (i != b) *(i > b ? &g->score[i][b] : &g->score[b][i]) = g->score[last][i];
        }
        g->count--;
        for (i = 0; i < g->count; i++)
            if (i != a) padici_einsum_rate(e, g, a, i);
    }
    padici_einsum_reorder(e, path);
}

static void padici_einsum_greedy_all(padici_einsum *e, padici_einsum_greedy *g,
                                     padic_tensor_path *path)
{
    padic_tensor_path now = *path;
    padici_einsum_cost cost, least;
    uint32_t round;
    memset(&least, 0, sizeof least);
    for (round = 0; round <= 32; round++) {
        padici_einsum_greedy_once(e, g, round, &now);
        padici_einsum_measure(e, &now, &cost);
        if (round && (cost.score > least.score ||
                      (cost.score >= least.score && cost.tie >= least.tie)))
            continue;
        least = cost;
        *path = now;
    }
}

// Fixes labels until the workspace fits: of those that make it smaller (or, when none does, of
// those that a result has) the one with the fewest flops in all.
static padic_result padici_einsum_slice(padici_einsum *e, padic_tensor_path *path,
                                        padici_einsum_cost *cost)
{
    const uint64_t limit = e->desc->memory_limit;
    while (limit && cost->workspace > limit) {
        uint32_t label, s, chosen = PADIC_TENSOR_NONE;
        int helps = 0;
        double least = 0;
        uint64_t most = 0;
        padici_labels any;
        any.w[0] = any.w[1] = 0;
        for (s = 0; s + 1 < path->steps; s++) any = padici_labels_or(any, e->set[e->count + s]);
        for (label = 0; label < PADIC_TENSOR_MAX_LABELS; label++) {
            padici_einsum_cost then;
            int better;
            if (e->extent[label] < 2 || !padici_labels_has(&any, label) ||
                path->slices > (UINT64_C(1) << 20) / e->extent[label])
                continue;
            e->extent[label] = 1;
            padici_einsum_measure(e, path, &then);
            e->extent[label] = e->size[label];
            better = then.workspace < cost->workspace;
            if (better < helps) continue;
            then.flops *= (double)e->size[label];
            if (chosen != PADIC_TENSOR_NONE && better == helps &&
                (then.flops > least || (then.flops >= least && then.workspace >= most)))
                continue;
            chosen = label, helps = better, least = then.flops, most = then.workspace;
        }
        if (chosen == PADIC_TENSOR_NONE || path->slice_count == PADIC_TENSOR_MAX_SLICED)
            return PADIC_ERROR_LIMIT;
        path->slice[path->slice_count++] = (uint8_t)chosen;
        path->slices *= e->size[chosen];
        e->extent[chosen] = 1;
        padici_einsum_measure(e, path, cost);
    }
    return cost->workspace == UINT64_MAX ? PADIC_ERROR_LIMIT : PADIC_OK;
}

// The numbers of a path from what was measured.
static void padici_einsum_totals(const padici_einsum_cost *cost, padic_tensor_path *path)
{
    if (!padici_mul_u64(cost->whole_flops, path->slices, &path->flops)) path->flops = UINT64_MAX;
    if (!padici_mul_u64(cost->whole_writes, path->slices, &path->writes))
        path->writes = UINT64_MAX;
    path->peak_bytes = cost->peak;
    path->workspace_bytes = cost->workspace;
}

// A path of somebody else: valid or not, sizes set to its slices, measured anew.
static padic_result padici_einsum_take(padici_einsum *e, padic_tensor_path *path)
{
    padici_einsum_cost cost;
    uint32_t i;
    path->slices = 1;
    e->fault = "path is not one of these operands";
    if (path->operands != e->count || path->slice_count > PADIC_TENSOR_MAX_SLICED ||
        !padici_einsum_path_valid(e, path))
        return PADIC_ERROR_ARGUMENT;
    for (i = 0; i < path->slice_count; i++) {
        const uint32_t label = path->slice[i];
        if (label >= PADIC_TENSOR_MAX_LABELS || e->extent[label] < 2 ||
            path->slices > (UINT64_C(1) << 20) / e->extent[label])
            return PADIC_ERROR_ARGUMENT;
        path->slices *= e->extent[label];
        e->extent[label] = 1;
    }
    padici_einsum_measure(e, path, &cost);
    padici_einsum_totals(&cost, path);
    e->fault = "workspace is larger than memory_limit, or than 2^62 bytes: it needs ";
    return cost.workspace == UINT64_MAX ||
                   (e->desc->memory_limit && cost.workspace > e->desc->memory_limit)
               ? PADIC_ERROR_LIMIT
               : PADIC_OK;
}

// Finds a path. The sizes of what is sliced are 1 afterwards.
static padic_result padici_einsum_find(padici_einsum *e, const padic_allocator *allocator,
                                       padic_tensor_path *path)
{
    const size_t size = e->count <= PADICI_EINSUM_EXACT
                            ? ((size_t)1 << e->count) * sizeof(padici_einsum_best)
                            : sizeof(padici_einsum_greedy);
    padici_einsum_cost cost;
    padic_result result;
    void *space;
    uint32_t i;
    if (e->desc->method != PADIC_TENSOR_GIVEN) memset(path, 0, sizeof *path);
    path->slice_count = 0;
    path->slices = 1;
    if (e->desc->method == PADIC_TENSOR_GIVEN) {
        e->fault = "path is not one of these operands";
        if (path->operands != e->count || !padici_einsum_path_valid(e, path))
            return PADIC_ERROR_ARGUMENT;
    } else if (e->count < 3 || e->desc->method == PADIC_TENSOR_LEFT) {
        path->steps = e->count < 2 ? 1 : e->count - 1;
        for (i = 0; i < path->steps; i++) {
            path->left[i] = (uint8_t)(i ? e->count + i - 1 : 0);
            path->right[i] = (uint8_t)(e->count < 2 ? PADIC_TENSOR_NONE : i + 1);
        }
    } else {
        space = padici_alloc(allocator, size, 16);
        e->fault = padic_result_text(PADIC_ERROR_MEMORY);
        if (!space) return PADIC_ERROR_MEMORY;
        if (e->count <= PADICI_EINSUM_EXACT)
            padici_einsum_exact(e, (padici_einsum_best *)space, path);
        else
            padici_einsum_greedy_all(e, (padici_einsum_greedy *)space, path);
        padici_free(allocator, space, size);
    }
    path->operands = e->count;
    padici_einsum_measure(e, path, &cost);
    result = padici_einsum_slice(e, path, &cost);
    padici_einsum_totals(&cost, path);
    e->fault = "workspace is larger than memory_limit, or than 2^62 bytes: it needs ";
    return result;
}

// Labels of results in memory, slowest first: those that stay longest, so that what one step sums
// over, and what goes on together, lies together and joins to one axis.
static void padici_einsum_sort(padici_einsum *e, uint32_t steps)
{
    const int64_t *out = e->step[PADIC_TENSOR_MAX_OPERANDS];
    uint32_t i, j;
    e->ordered = 0;
    for (i = 0; i < PADIC_TENSOR_MAX_LABELS; i++) {
        if (e->extent[i] < 2) continue;
        if (padici_labels_has(&e->out, i)) e->vanish[i] = (uint8_t)(steps + 1);
        for (j = e->ordered++; j > 0; j--) {
            const uint8_t before = e->order[j - 1];
            if (e->vanish[before] > e->vanish[i] ||
                (e->vanish[before] == e->vanish[i] && out[before] >= out[i]))
                break;
            e->order[j] = before;
        }
        e->order[j] = (uint8_t)i;
    }
}

// The steps of a node along its labels, in e->row[k].
static void padici_einsum_row(padici_einsum *e, uint32_t k, uint32_t node, int last)
{
    int64_t step = 1;
    uint32_t i;
    if (last || node < e->count) {
        memcpy(e->row[k], e->step[last ? PADIC_TENSOR_MAX_OPERANDS : node], sizeof e->row[k]);
        return;
    }
    memset(e->row[k], 0, sizeof e->row[k]);
    for (i = e->ordered; i-- > 0;) {
        const uint32_t label = e->order[i];
        if (!padici_labels_has(&e->set[node], label)) continue;
        e->row[k][label] = step;
        step *= (int64_t)e->extent[label];
    }
}

// Whether axis y goes on where x ends: x is joined to it.
static int padici_einsum_join(padici_einsum_axis *x, const padici_einsum_axis *y)
{
    uint32_t k;
    if (x->has != y->has) return 0;
    for (k = 0; k < 3; k++) // y is the inner one; sizes are 2 at least
        if (x->step[k] % (int64_t)y->size || x->step[k] / (int64_t)y->size != y->step[k]) return 0;
    x->size *= y->size;
    for (k = 0; k < 3; k++) x->step[k] = y->step[k];
    return 1;
}

// The axes of a step: its labels, joined where they can be.
static void padici_einsum_axes_make(padici_einsum *e, const uint32_t node[3], int last)
{
    uint32_t i, j, k;
    e->axes = 0;
    for (i = 0; i < e->ordered; i++) {
        const uint32_t label = e->order[i];
        padici_einsum_axis *axis = &e->axis[e->axes];
        axis->has = axis->loop = 0;
        axis->size = e->extent[label];
        axis->digit = 0;
        for (k = 0; k < 3; k++) {
            if (node[k] == PADIC_TENSOR_NONE) {
                axis->step[k] = 0;
                continue;
            }
            axis->step[k] = e->row[k][label];
            if (padici_labels_has(k == 2 && last ? &e->out : &e->set[node[k]], label))
                axis->has |= 1u << k;
        }
        e->axes += axis->has != 0;
    }
    for (i = 0; i < e->axes; i++)
        for (j = 0; j < e->axes; j++)
            if (i != j && padici_einsum_join(&e->axis[i], &e->axis[j])) {
                e->axis[j] = e->axis[--e->axes];
                if (i == e->axes) i = j; // it was the last one and has moved
                j = UINT32_MAX;          // from the begin again
            }
}

// Until no tensor has more than 8 axes, the shortest of them becomes a loop around the calls. A
// tensor that does not move along any takes an axis of 1, since strides all 0 mean dense.
static void padici_einsum_loops(padici_einsum *e)
{
    for (;;) {
        uint32_t count[3] = {0, 0, 0}, moves = 4, i, k, over = 0, chosen = PADIC_TENSOR_NONE;
        for (i = 0; i < e->axes; i++)
            for (k = 0; k < 3 && !e->axis[i].loop; k++) {
                count[k] += e->axis[i].has >> k & 1;
                if (e->axis[i].step[k]) moves |= 1u << k;
            }
        for (k = 0; k < 3; k++)
            if (count[k] + (moves >> k & 1 ? 0u : 1u) > PADIC_MAX_RANK) over |= 1u << k;
        if (!over) return;
        for (i = 0; i < e->axes; i++)
            if (!e->axis[i].loop && (e->axis[i].has & over) &&
                (chosen == PADIC_TENSOR_NONE || e->axis[i].size < e->axis[chosen].size))
                chosen = i;
        e->axis[chosen].loop = 1;
    }
}

// The view of tensor k in a call: the axes that are no loops, from element `at` on.
static void padici_einsum_view(const padici_einsum *e, uint32_t k, const padic_tensor *base,
                               int64_t at, padic_tensor *view, uint8_t *labels)
{
    uint32_t i, moves = 0;
    memset(view, 0, sizeof *view);
    memset(labels, 0, PADIC_MAX_RANK);
    view->dtype = base->dtype;
    view->buffer = base->buffer;
    view->data = base->data;
    view->offset = base->offset;
    if (view->data)
        view->data = (char *)view->data + at * (int64_t)padic_dtype_size(view->dtype);
    else
        view->offset += (uint64_t)at;
    for (i = 0; i < e->axes; i++) {
        if (e->axis[i].loop || !(e->axis[i].has >> k & 1)) continue;
        labels[view->rank] = (uint8_t)(i + 1);
        view->shape[view->rank] = e->axis[i].size;
        view->stride[view->rank++] = e->axis[i].step[k];
        moves |= e->axis[i].step[k] != 0;
    }
    if (!view->rank || moves) return;
    labels[view->rank] = (uint8_t)(200 + k);
    view->shape[view->rank] = 1;
    view->stride[view->rank++] = 1;
}

// A node as a tensor of any shape: an operand, the result or a part of the workspace.
static void padici_einsum_base(const padici_einsum *e, const padic_tensor *workspace, uint32_t node,
                               int last, padic_tensor *base)
{
    static const double one = 1;
    static const float single = 1;
    const uint32_t paired = node == PADIC_TENSOR_NONE ? 0u : e->paired[node];
    uint64_t at;
    if (last || node < e->count) {
        *base = last ? e->desc->out.tensor : e->desc->operands[node].tensor;
        return;
    }
    memset(base, 0, sizeof *base);
    base->dtype = e->unit == 8 ? (paired ? PADIC_C128 : PADIC_F64) : paired ? PADIC_C64 : PADIC_F32;
    if (node == PADIC_TENSOR_NONE) {
        base->data = (void *)(uintptr_t)(e->unit == 8 ? (const void *)&one : (const void *)&single);
        return;
    }
    at = e->place[node];
    base->buffer = workspace->buffer;
    if (workspace->data)
        base->data = (char *)workspace->data + at;
    else
        base->offset = (workspace->offset + at) / padic_dtype_size(base->dtype);
}

// Where an operand, or the result, stands in this slice.
static int64_t padici_einsum_offset(const padici_einsum *e, const padic_tensor_path *path,
                                    uint32_t node, int last)
{
    const int64_t *steps;
    int64_t at = 0;
    uint32_t i;
    if (!last && node >= e->count) return 0;
    steps = e->step[last ? PADIC_TENSOR_MAX_OPERANDS : node];
    for (i = 0; i < path->slice_count; i++)
        at += (int64_t)e->digit[i] * steps[path->slice[i]];
    return at;
}

static padic_result padici_einsum_step(padici_einsum *e, padic_context *context,
                                       const padic_tensor_path *path, uint32_t s,
                                       const padic_tensor *workspace, int more)
{
    const int last = s + 1 == path->steps;
    const uint32_t node[3] = {path->left[s], path->right[s], e->count + s};
    padic_tensor_contract_desc call;
    padic_tensor base[3];
    int64_t at[3];
    padic_result result;
    uint32_t i, k;
    memset(&call, 0, sizeof call);
    call.math = e->desc->math;
    for (k = 0; k < 3; k++) {
        const int out = k == 2 && last;
        if (node[k] != PADIC_TENSOR_NONE) padici_einsum_row(e, k, node[k], out);
        padici_einsum_base(e, workspace, node[k], out, &base[k]);
        at[k] = padici_einsum_offset(e, path, node[k], out);
        if (k < 2 && node[k] < e->count && e->paired[node[k]] && e->desc->operands[node[k]].conj)
            call.conj |= 1u << k;
    }
    padici_einsum_axes_make(e, node, last);
    padici_einsum_loops(e);
    do {
        int again = more && last; // something has been written there
        for (i = 0; i < e->axes; i++)
            again |= e->axis[i].digit && !(e->axis[i].has & 4);
        call.beta[0] = again;
        padici_einsum_view(e, 0, &base[0], at[0], &call.a, call.labels_a);
        padici_einsum_view(e, 1, &base[1], at[1], &call.b, call.labels_b);
        padici_einsum_view(e, 2, &base[2], at[2], &call.c, call.labels_c);
        result = padic_tensor_contract(context, &call);
        for (i = 0; i < e->axes; i++) { // the loops go on
            padici_einsum_axis *axis = &e->axis[i];
            if (!axis->loop) continue;
            axis->digit++;
            for (k = 0; k < 3; k++) at[k] += axis->step[k];
            if (axis->digit < axis->size) break;
            for (k = 0; k < 3; k++) at[k] -= (int64_t)axis->size * axis->step[k];
            axis->digit = 0;
        }
    } while (!result && i < e->axes);
    return result;
}

// All slices. Of what a result's element is the sum of, the first slice writes, later ones add.
static padic_result padici_einsum_run(padici_einsum *e, padic_context *context,
                                      const padic_tensor_path *path, const padic_tensor *workspace)
{
    padici_steps steps;
    padic_result result = PADIC_OK;
    uint32_t s, i;
    padici_steps_begin(&steps, NULL, padici_progress(context), path->slices * path->steps);
    padici_einsum_sort(e, path->steps);
    memset(e->digit, 0, sizeof e->digit);
    do {
        int more = 0;
        for (i = 0; i < path->slice_count; i++)
            more |= e->digit[i] && !padici_labels_has(&e->out, path->slice[i]);
        for (s = 0; s < path->steps && !result; s++) {
            result = padici_einsum_step(e, context, path, s, workspace, more);
            if (!result && padici_steps_more(&steps, 1))
                result = padici_fail_here(context, PADIC_ERROR_CANCELLED,
                                     "the progress hook stopped it midway");
        }
        for (i = 0; i < path->slice_count; i++) {
            if (++e->digit[i] < e->size[path->slice[i]]) break;
            e->digit[i] = 0;
        }
    } while (!result && i < path->slice_count);
    return result;
}

// Says the fault with its character or the bytes needed.
static padic_result padici_einsum_say(padic_context *context, const padici_einsum *e,
                                      padic_result result, uint64_t bytes)
{
    padici_text text;
    char space[192];
    padici_text_begin(&text, space, sizeof space);
    padici_text_add(&text, e->fault);
    if (e->placed) {
        padici_text_add(&text, " (at character ");
        padici_text_number(&text, e->at, 1);
        padici_text_add(&text, ")");
    } else if (bytes) {
        padici_text_number(&text, bytes, 1);
        padici_text_add(&text, " bytes");
    }
    return padici_fail_here(context, result, space);
}

static padic_result padici_tensor_path_find_named(padic_context *context,
                                                  const padic_tensor_einsum_desc *desc,
                                                  padic_tensor_path *path)
{
    const padic_allocator *allocator = padici_allocator(context);
    padici_einsum *e;
    padic_result result;
    if (!desc || !path)
        return padici_fail_here(context, PADIC_ERROR_ARGUMENT, "desc or path is NULL");
    path->position = 0;
    e = (padici_einsum *)padici_alloc(allocator, sizeof *e, 16);
    if (!e) return padici_fail_here(context, PADIC_ERROR_MEMORY, "out of memory");
    result = padici_einsum_begin(e, desc);
    if (result) {
        path->position = e->placed ? e->at : 0;
        (void)padici_einsum_say(context, e, result, 0);
    } else {
        result = padici_einsum_find(e, allocator, path);
        if (result)
            (void)padici_einsum_say(context, e, result,
                                    result == PADIC_ERROR_LIMIT ? path->workspace_bytes : 0);
    }
    padici_free(allocator, e, sizeof *e);
    return result;
}

PADIC_API padic_result padic_tensor_path_find(padic_context *context,
                                              const padic_tensor_einsum_desc *desc,
                                              padic_tensor_path *path)
{
    const char *before = padici_enter(context, "tensor_path_find");
    const padic_result result = padici_tensor_path_find_named(context, desc, path);
    padici_leave(context, before);
    return result;
}

static uint64_t padici_einsum_hash(const padici_einsum *e)
{
    uint64_t hash = e->desc->memory_limit;
    const uint32_t words[4] = {e->count, e->desc->method, e->desc->objective, e->unit};
    hash = padici_checksum(words, sizeof words, hash);
    hash = padici_checksum(e->size, sizeof e->size, hash);
    hash = padici_checksum(e->set, sizeof e->set, hash); // 0 beyond the operands
    hash = padici_checksum(e->paired, sizeof e->paired, hash);
    return padici_checksum(&e->out, sizeof e->out, hash);
}

// Given, kept or found: a valid path, measured, its slices' sizes 1.
static padic_result padici_einsum_path(padici_einsum *e, padic_context *context,
                                       padic_tensor_path *path)
{
    const padic_tensor_einsum_desc *desc = e->desc;
    // From left to right a path is found as fast as one that is kept.
    const int plain = !desc->memory_limit && desc->method == PADIC_TENSOR_LEFT;
    padici_einsum_kept *kept = context && !plain ? padici_context_einsum(context) : NULL;
    const uint64_t hash = kept ? padici_einsum_hash(e) : 0;
    padic_result result;
    if (e->desc->path || (kept && kept->hash == hash)) {
        *path = e->desc->path ? *e->desc->path : kept->path;
        return padici_einsum_take(e, path);
    }
    e->fault = "method is GIVEN, but path is NULL";
    if (e->desc->method == PADIC_TENSOR_GIVEN) return PADIC_ERROR_ARGUMENT;
    result = padici_einsum_find(e, padici_allocator(context), path);
    if (!result && kept) {
        kept->path = *path;
        kept->hash = hash;
    }
    return result;
}

// No output shares memory with anything: the result with no operand, the workspace with neither.
static padic_result padici_einsum_places(padici_einsum *e, padic_context *context,
                                         padic_tensor *workspace, uint64_t bytes)
{
    padici_operand out, space, one;
    padic_tensor result = e->desc->out.tensor, t;
    padic_result code;
    uint32_t i;
    memset(&out, 0, sizeof out);
    memset(&space, 0, sizeof space);
    out.name = "out";
    out.tensor = &result;
    space.name = "workspace";
    space.tensor = workspace;
    code = padici_operand_find(context, &out, padic_tensor_count(&result));
    if (!code && bytes) code = padici_operand_find(context, &space, bytes);
    for (i = 0; i <= e->count && !code; i++) {
        memset(&one, 0, sizeof one);
        t = i < e->count ? e->desc->operands[i].tensor : result;
        one.name = "operands";
        one.tensor = &t;
        code = padici_operand_find(context, &one, padic_tensor_count(&t));
        if (code || !one.bytes) continue;
        e->fault = i < e->count ? "one of the operands shares memory with out or workspace"
                                : "workspace shares memory with out";
        if ((i < e->count && out.bytes && padici_operands_overlap(&out, &one)) ||
            (space.bytes && padici_operands_overlap(&space, &one)))
            return padici_einsum_say(context, e, PADIC_ERROR_OVERLAP, 0);
    }
    return code;
}

// The caller's workspace, or a buffer from the pool; without a context memory, to be freed.
static padic_result padici_einsum_workspace(padici_einsum *e, padic_context *context,
                                            uint64_t bytes, padic_tensor *workspace)
{
    padic_buffer_desc desc;
    padic_buffer buffer;
    const padic_tensor *given = &e->desc->workspace;
    uint64_t count = 0;
    padic_result result;
    memset(workspace, 0, sizeof *workspace);
    e->placed = 0;
    if (!bytes) return PADIC_OK;
    if (given->data || given->buffer.id) {
        e->fault = "workspace is not U8, dense, at a multiple of 16 bytes of its buffer";
        result = padici_tensor_check_view(given, 0, &count);
        if (result || given->dtype != PADIC_U8 || given->rank != 1 ||
            (given->stride[0] && given->stride[0] != 1) || (!given->data && given->offset % 16))
            return padici_einsum_say(context, e, PADIC_ERROR_ARGUMENT, 0);
        e->fault = "workspace is too small: it needs ";
        if (count < bytes) return padici_einsum_say(context, e, PADIC_ERROR_CAPACITY, bytes);
        *workspace = padic_tensor_1d(PADIC_U8, given->data, bytes);
        workspace->buffer = given->buffer;
        workspace->offset = given->offset;
        return PADIC_OK;
    }
    if (!context) { // as much of malloc
        size_t size = (size_t)bytes;
        *workspace = padic_tensor_1d(PADIC_U8, NULL, bytes);
        if (size == bytes) workspace->data = padici_alloc(NULL, size, 64);
        return workspace->data ? PADIC_OK : PADIC_ERROR_MEMORY;
    }
    memset(&desc, 0, sizeof desc);
    desc.size = bytes;
    result = padic_buffer_create(context, &desc, &buffer);
    if (!result)
        *workspace = padic_tensor_in(padic_tensor_1d(PADIC_U8, NULL, bytes), buffer, 0);
    return result;
}

static padic_result padici_einsum_do(padici_einsum *e, padic_context *context,
                                     const padic_tensor_einsum_desc *desc)
{
    padic_tensor_path path;
    padic_tensor workspace;
    padic_result result = padici_einsum_begin(e, desc), freed;
    uint32_t i, none = 0;
    if (result) return padici_einsum_say(context, e, result, 0);
    for (i = 0; i < PADIC_TENSOR_MAX_LABELS; i++) none |= !e->size[i];
    memset(&path, 0, sizeof path);
    if (!none) {
        result = padici_einsum_path(e, context, &path);
        if (result)
            return padici_einsum_say(context, e, result,
                                     result == PADIC_ERROR_LIMIT ? path.workspace_bytes : 0);
    }
    result = padici_einsum_workspace(e, context, path.workspace_bytes, &workspace);
    if (result) return result;
    result = padici_einsum_places(e, context, &workspace, path.workspace_bytes);
    if (!result && none) { // nothing to sum: zeros, if there is anywhere to write them
        padic_fill_desc fill;
        memset(&fill, 0, sizeof fill);
        fill.tensor = desc->out.tensor;
        result = padic_fill(context, &fill);
    } else if (!result) {
        result = padici_einsum_run(e, context, &path, &workspace);
    }
    if (workspace.buffer.id && !desc->workspace.buffer.id) {
        freed = padic_buffer_destroy(context, workspace.buffer);
        if (!result) result = freed;
    }
    if (!context && !desc->workspace.data)
        padici_free(NULL, workspace.data, (size_t)path.workspace_bytes);
    return result;
}

static padic_result padici_tensor_einsum_named(padic_context *context,
                                               const padic_tensor_einsum_desc *desc)
{
    const padic_allocator *allocator = padici_allocator(context);
    padici_einsum *e;
    padic_result result;
    if (!desc) return padici_fail_here(context, PADIC_ERROR_ARGUMENT, "desc is NULL");
    e = (padici_einsum *)padici_alloc(allocator, sizeof *e, 16);
    if (!e) return padici_fail_here(context, PADIC_ERROR_MEMORY, "out of memory");
    result = padici_einsum_do(e, context, desc);
    padici_free(allocator, e, sizeof *e);
    return result;
}

PADIC_API padic_result padic_tensor_einsum(padic_context *context,
                                           const padic_tensor_einsum_desc *desc)
{
    const char *before = padici_enter(context, "tensor_einsum");
    const padic_result result = padici_tensor_einsum_named(context, desc);
    padici_leave(context, before);
    return result;
}

// Whether t is of a dtype, and of the precision of `like`.
static padic_result padici_pair_pool_type(padic_context *context, const padic_tensor *t,
                                          const char *name, padic_dtype like)
{
    if (t->dtype != PADIC_F32 && !padici_tensor_is_double(t->dtype) &&
        !padici_tensor_is_complex(t->dtype))
        return padici_fail_field(context, PADIC_ERROR_DTYPE, name, "is not F32, F64, C64 or C128");
    if (t->rank > PADIC_MAX_RANK)
        return padici_fail_view(context, PADIC_ERROR_LIMIT, name, t);
    if (padici_tensor_is_double(t->dtype) == padici_tensor_is_double(like)) return PADIC_OK;
    return padici_fail_field(context, PADIC_ERROR_MISMATCH, name,
                             "is not of the others' precision");
}

// Shape of u (2d^2 columns), w or fused (any number of columns) for `pairs` and `rows`.
static int padici_pair_pool_shape(const padic_tensor *t, uint64_t pairs, uint64_t rows)
{
    return t->rank == 3 && t->shape[0] == pairs && t->shape[1] == rows;
}

static padic_result padici_tensor_pair_pool_named(padic_context *context,
                                                  const padic_tensor_pair_pool_desc *desc)
{
    static const char *const texts[2] = {"pnab,pnabj,pjk->pk", "pnab,pnabk->pk"};
    padic_tensor_einsum_desc einsum;
    padic_tensor_term terms[3];
    const padic_tensor *t, *first;
    uint64_t dims[2][5], rows, d, pairs;
    uint32_t fused;
    padic_result result;
    if (!desc) return padici_fail_here(context, PADIC_ERROR_ARGUMENT, "desc is NULL");
    t = &desc->tensors;
    fused = desc->fused.dtype != PADIC_DTYPE_NONE;
    first = fused ? &desc->fused : &desc->u;
    result = padici_pair_pool_type(context, t, "tensors", t->dtype);
    if (!result) result = padici_pair_pool_type(context, first, fused ? "fused" : "u", t->dtype);
    if (!result && !fused) result = padici_pair_pool_type(context, &desc->w, "w", t->dtype);
    if (!result) result = padici_pair_pool_type(context, &desc->out, "out", t->dtype);
    if (result) return result;
    if (t->rank != 3 || t->shape[0] % 2)
        return padici_fail_here(context, PADIC_ERROR_ARGUMENT, "tensors are (N, d, d), N is even");
    pairs = t->shape[0] / 2, d = t->shape[1];
    if (d != t->shape[2] || d >> 31)
        return padici_fail_here(context, PADIC_ERROR_MISMATCH, "tensors are (N, d, d)");
    rows = 2 * d * d;
    if (!padici_pair_pool_shape(first, pairs, rows) || (!fused && first->shape[2] != rows))
        return padici_fail_here(context, PADIC_ERROR_MISMATCH,
                                fused ? "fused is (N/2, 2d^2, d_out)" : "u is (N/2, 2d^2, 2d^2)");
    if (!fused && !padici_pair_pool_shape(&desc->w, pairs, rows))
        return padici_fail_here(context, PADIC_ERROR_MISMATCH, "w is (N/2, 2d^2, d_out)");
    if (desc->out.rank != 2 || desc->out.shape[0] != pairs ||
        desc->out.shape[1] != (fused ? first : &desc->w)->shape[2])
        return padici_fail_here(context, PADIC_ERROR_MISMATCH, "out is (N/2, d_out)");
    memset(&einsum, 0, sizeof einsum);
    memset(terms, 0, sizeof terms);
    dims[0][0] = dims[1][0] = pairs;
    dims[0][1] = dims[1][1] = 2;
    dims[0][2] = dims[1][2] = dims[0][3] = dims[1][3] = d;
    dims[1][4] = first->shape[2];
    terms[0].tensor = *t;
    terms[0].dims = dims[0];
    terms[0].rank = 4;
    terms[1].tensor = *first;
    terms[1].dims = dims[1];
    terms[1].rank = 5;
    terms[2].tensor = desc->w;
    einsum.expression = texts[fused];
    einsum.operands = terms;
    einsum.count = fused ? 2 : 3;
    einsum.out.tensor = desc->out;
    einsum.method = PADIC_TENSOR_LEFT;
    einsum.workspace = desc->workspace;
    return padic_tensor_einsum(context, &einsum);
}

PADIC_API padic_result padic_tensor_pair_pool(padic_context *context,
                                              const padic_tensor_pair_pool_desc *desc)
{
    const char *before = padici_enter(context, "tensor_pair_pool");
    const padic_result result = padici_tensor_pair_pool_named(context, desc);
    padici_leave(context, before);
    return result;
}

static padic_result padici_tensor_pair_pool_fuse_named(padic_context *context,
                                                       const padic_tensor_pair_pool_desc *desc)
{
    padic_tensor_contract_desc contract;
    padic_result result;
    if (!desc) return padici_fail_here(context, PADIC_ERROR_ARGUMENT, "desc is NULL");
    result = padici_pair_pool_type(context, &desc->u, "u", desc->u.dtype);
    if (!result) result = padici_pair_pool_type(context, &desc->w, "w", desc->u.dtype);
    if (!result) result = padici_pair_pool_type(context, &desc->fused, "fused", desc->u.dtype);
    if (result) return result;
    if (desc->u.rank != 3)
        return padici_fail_here(context, PADIC_ERROR_MISMATCH, "u is not (N/2, 2d^2, 2d^2)");
    if (!padici_pair_pool_shape(&desc->w, desc->u.shape[0], desc->u.shape[2]))
        return padici_fail_here(context, PADIC_ERROR_MISMATCH, "w is not (N/2, 2d^2, d_out)");
    if (!padici_pair_pool_shape(&desc->fused, desc->u.shape[0], desc->u.shape[1]) ||
        desc->fused.shape[2] != desc->w.shape[2])
        return padici_fail_here(context, PADIC_ERROR_MISMATCH, "fused is not (N/2, 2d^2, d_out)");
    memset(&contract, 0, sizeof contract);
    memcpy(contract.labels_a, "pij", 3);
    memcpy(contract.labels_b, "pjk", 3);
    memcpy(contract.labels_c, "pik", 3);
    contract.a = desc->u;
    contract.b = desc->w;
    contract.c = desc->fused;
    return padic_tensor_contract(context, &contract);
}

PADIC_API padic_result padic_tensor_pair_pool_fuse(padic_context *context,
                                                   const padic_tensor_pair_pool_desc *desc)
{
    const char *before = padici_enter(context, "tensor_pair_pool_fuse");
    const padic_result result = padici_tensor_pair_pool_fuse_named(context, desc);
    padici_leave(context, before);
    return result;
}

