#include "einsum_expression.h"
#include "../core/view.h"
#include "../core/words.h"
#include "plan.h"

#if PADICI_IMPLEMENT_TENSOR

// ---------------------------------------------------------------------------------- >>einsum impl
//
// Labels are numbers below 128 and sets of them 128 bits. A node is an operand or the result of a
// step. Workspace is dealt out ahead, by measuring the path: the lowest place that is free.

typedef struct padici_tensor_einsum_word { // the labels of one term
    uint32_t count, dots, dots_at, end; // dots: labels before "..."; NONE: it has none
    uint32_t at[PADIC_TENSOR_MAX_OPERANDS];
    uint8_t label[PADIC_TENSOR_MAX_OPERANDS];
} padici_tensor_einsum_word;

PADICI_INLINE void padici_tensor_label_set_add(padici_tensor_label_set *s, uint32_t label)
{
    s->w[label >> 6] |= UINT64_C(1) << (label & 63);
}

// Product of the extents, as a double, and in *exact, UINT64_MAX where it does not fit.
PADICI_FN double padici_tensor_einsum_volume(const padici_tensor_einsum *e,
                                             padici_tensor_label_set s, uint64_t *exact)
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

static padic_result padici_tensor_einsum_fault(padici_tensor_einsum *e, padic_result result,
                                               uint32_t at, const char *sentence)
{
    e->fault = sentence;
    e->at = at;
    e->placed = e->desc->expression != NULL;
    return result;
}

// The labels of a term of the expression, up to ',', "->" or the end.
static padic_result padici_tensor_einsum_read(padici_tensor_einsum *e,
                                              padici_tensor_einsum_word *word)
{
    const char *text = e->desc->expression;
    word->count = 0;
    word->dots = PADIC_TENSOR_NO_OPERAND;
    for (;; e->at++) {
        const char c = text[e->at];
        if (c == ' ') continue;
        if (c == '.') {
            if (word->dots != PADIC_TENSOR_NO_OPERAND || text[e->at + 1] != '.' ||
                text[e->at + 2] != '.')
                return padici_tensor_einsum_fault(
                    e, PADIC_ERROR_ARGUMENT, e->at,
                    "expression has \"...\" of three dots, once in a term");
            word->dots = word->count;
            word->dots_at = e->at;
            e->at += 2;
            continue;
        }
        if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'))) break;
        if (word->count == PADIC_TENSOR_MAX_OPERANDS)
            return padici_tensor_einsum_fault(e, PADIC_ERROR_LIMIT, e->at,
                                              "expression has more than 64 labels in a term");
        word->at[word->count] = e->at;
        word->label[word->count++] = (uint8_t)(c >= 'a' ? c - 'a' + 26 : c - 'A');
    }
    word->end = e->at;
    return PADIC_OK;
}

// Splits the runs of a view, its axes joined where they can be, by dims. 0: they do not fit.
static int padici_tensor_einsum_split(const padic_tensor_term *term, uint64_t *size, int64_t *step)
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
static padic_result padici_tensor_einsum_axes(padici_tensor_einsum *e,
                                              const padic_tensor_term *term, int out,
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
        return padici_tensor_einsum_split(term, size, step) ? PADIC_OK : PADIC_ERROR_MISMATCH;
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
static padic_result padici_tensor_einsum_axis_add(padici_tensor_einsum *e, uint32_t i,
                                                  uint32_t label, uint32_t at, int stretch,
                                                  uint64_t size, int64_t step)
{
    const int out = i == PADIC_TENSOR_MAX_OPERANDS;
    if (out && !padici_tensor_label_set_has(&e->known, label))
        return padici_tensor_einsum_fault(
            e, PADIC_ERROR_ARGUMENT, at,
            "expression, or labels of out, has a label that no operand has");
    if (out && padici_tensor_label_set_has(&e->out, label))
        return padici_tensor_einsum_fault(e, PADIC_ERROR_ARGUMENT, at,
                                          "expression, or labels of out, has a label twice");
    if (!padici_tensor_label_set_has(&e->known, label) || (stretch && !out && e->size[label] == 1))
        e->size[label] = size;
    else if (e->size[label] != size && (out || !stretch || size != 1))
        return padici_tensor_einsum_fault(
            e, PADIC_ERROR_MISMATCH, at,
            "operands and out have axes of different sizes with one label");
    padici_tensor_label_set_add(&e->known, label);
    e->seen[label] += !out;
    if (size == 1) return PADIC_OK; // never stepped along, and stretched as if it were not there
    e->step[i][label] += step;
    padici_tensor_label_set_add(out ? &e->out : &e->set[i], label);
    return PADIC_OK;
}

static padic_result padici_tensor_einsum_term(padici_tensor_einsum *e, uint32_t i,
                                              const padici_tensor_einsum_word *word)
{
    const int out = i == PADIC_TENSOR_MAX_OPERANDS, dots = word->dots != PADIC_TENSOR_NO_OPERAND;
    const padic_tensor_term *term = out ? &e->desc->out : &e->desc->operands[i];
    uint64_t size[PADIC_TENSOR_MAX_OPERANDS];
    int64_t step[PADIC_TENSOR_MAX_OPERANDS];
    uint32_t n, j, more;
    padic_result result = padici_tensor_einsum_axes(e, term, out, size, step, &n);
    if (result) return result;
    if (n < word->count || (!dots && n != word->count) ||
        (out && dots && n - word->count != e->dots))
        return padici_tensor_einsum_fault(e, PADIC_ERROR_MISMATCH, word->end,
                                          "operands or out have not as many axes as their terms in "
                                          "expression");
    more = n - word->count;
    if (!out && more > e->dots) e->dots = more;
    if (out && !dots && e->dots)
        return padici_tensor_einsum_fault(
            e, PADIC_ERROR_ARGUMENT, word->end,
            "expression has \"...\" in an operand, but not in the result");
    for (j = 0; j < n && !result; j++) {
        const int inside = dots && j >= word->dots && j < word->dots + more;
        const uint32_t k = dots && j >= word->dots + more ? j - more : j;
        result = inside ? padici_tensor_einsum_axis_add(e, i, 128 - (word->dots + more - j),
                                                        word->dots_at, 1, size[j], step[j])
                        : padici_tensor_einsum_axis_add(e, i, word->label[k], word->at[k], 0,
                                                        size[j], step[j]);
    }
    return result;
}

// Without "->": what occurs once.
static void padici_tensor_einsum_guess(const padici_tensor_einsum *e,
                                       padici_tensor_einsum_word *word)
{
    uint32_t label;
    word->count = 0;
    word->dots = e->dots ? 0 : PADIC_TENSOR_NO_OPERAND;
    word->dots_at = word->end = e->at;
    for (label = 0; label < 52; label++)
        if (e->seen[label] == 1) {
            word->at[word->count] = e->at;
            word->label[word->count++] = (uint8_t)label;
        }
}

static padic_result padici_tensor_einsum_expression(padici_tensor_einsum *e)
{
    const char *text = e->desc->expression;
    padici_tensor_einsum_word word;
    padic_result result = PADIC_OK;
    uint32_t i;
    e->at = 0;
    for (i = 0; !result; i++) {
        result = padici_tensor_einsum_read(e, &word);
        if (result) break;
        if (i >= e->count)
            return padici_tensor_einsum_fault(
                e, i >= PADIC_TENSOR_MAX_OPERANDS ? PADIC_ERROR_LIMIT : PADIC_ERROR_MISMATCH, e->at,
                "expression has more terms than there are operands");
        if (text[e->at] != ',' && text[e->at] && (text[e->at] != '-' || text[e->at + 1] != '>'))
            return padici_tensor_einsum_fault(e, PADIC_ERROR_ARGUMENT, e->at,
                                              "expression has neither a letter, \",\", \"->\" nor "
                                              "\"...\"");
        if (text[e->at] != ',' && i + 1 < e->count)
            return padici_tensor_einsum_fault(e, PADIC_ERROR_MISMATCH, e->at,
                                              "expression has fewer terms than there are operands");
        result = padici_tensor_einsum_term(e, i, &word);
        if (result || text[e->at] != ',') break;
        e->at++;
    }
    if (result) return result;
    if (text[e->at]) {
        e->at += 2;
        result = padici_tensor_einsum_read(e, &word);
        if (!result && text[e->at])
            result =
                padici_tensor_einsum_fault(e, PADIC_ERROR_ARGUMENT, e->at,
                                           "expression has other than letters and \"...\" in the "
                                           "result");
    } else {
        padici_tensor_einsum_guess(e, &word);
    }
    return result ? result : padici_tensor_einsum_term(e, PADIC_TENSOR_MAX_OPERANDS, &word);
}

// Label arrays: values become their places among those in use.
static padic_result padici_tensor_einsum_arrays(padici_tensor_einsum *e)
{
    uint8_t number[256];
    padici_tensor_einsum_word word;
    uint32_t i, j, n = 0;
    padic_result result = PADIC_OK;
    memset(number, 0, sizeof number);
    word.dots = PADIC_TENSOR_NO_OPERAND;
    word.dots_at = word.end = 0;
    for (i = 0; i <= e->count; i++) {
        const padic_tensor_term *term = i < e->count ? &e->desc->operands[i] : &e->desc->out;
        const uint32_t rank = term->dims ? term->rank : term->tensor.rank;
        if (rank > PADIC_TENSOR_MAX_OPERANDS || (rank && !term->labels))
            return padici_tensor_einsum_fault(
                e, PADIC_ERROR_ARGUMENT, 0,
                "expression is NULL, and labels are not given for each "
                "axis");
        for (j = 0; j < rank; j++) number[term->labels[j]] = 1;
    }
    for (i = 0; i < 256; i++)
        if (number[i]) {
            if (n == PADIC_TENSOR_MAX_LABELS)
                return padici_tensor_einsum_fault(e, PADIC_ERROR_LIMIT, 0,
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
        result = padici_tensor_einsum_term(e, i < e->count ? i : PADIC_TENSOR_MAX_OPERANDS, &word);
    }
    return result;
}

// More than 64 operands: the comma before the one too many.
static padic_result padici_tensor_einsum_many(padici_tensor_einsum *e)
{
    const char *text = e->desc->expression;
    uint32_t at = 0, commas = 0;
    for (; text && text[at]; at++) {
        commas += text[at] == ',';
        if (commas == PADIC_TENSOR_MAX_OPERANDS) break;
    }
    return padici_tensor_einsum_fault(e, PADIC_ERROR_LIMIT, at, "count is above 64");
}

// Reads the desc. A label is in the set of a term where its axis is larger than 1.
PADICI_FN padic_result padici_tensor_einsum_begin(padici_tensor_einsum *e,
                                                  const padic_tensor_einsum_desc *desc)
{
    padic_result result;
    uint32_t i;
    int paired = 0;
    memset(e, 0, (size_t)((char *)e->axis - (char *)e));
    e->desc = desc;
    e->count = desc->count;
    e->fault = "count is 0, or operands is NULL";
    if (!desc->count || !desc->operands) return PADIC_ERROR_ARGUMENT;
    if (desc->count > PADIC_TENSOR_MAX_OPERANDS) return padici_tensor_einsum_many(e);
    memset(e->step, 0, desc->count * sizeof *e->step);
    memset(e->step[PADIC_TENSOR_MAX_OPERANDS], 0, sizeof *e->step);
    e->fault = "math, method or objective is unknown";
    if ((uint32_t)desc->math > PADIC_TENSOR_MATH_TF32 ||
        (uint32_t)desc->method > PADIC_TENSOR_METHOD_GIVEN ||
        (uint32_t)desc->objective > PADIC_TENSOR_OBJECTIVE_WRITES)
        return PADIC_ERROR_ARGUMENT;
    result = desc->expression ? padici_tensor_einsum_expression(e) : padici_tensor_einsum_arrays(e);
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
        if (!padici_tensor_label_set_has(&e->known, i)) e->size[i] = 1;
        e->extent[i] = e->size[i];
    }
    return PADIC_OK;
}

#endif
