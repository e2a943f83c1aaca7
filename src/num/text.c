#include "text.h"
#include "../context/cpu.h"
#include "../context/messages.h"
#include "../context/place.h"
#include "../core/tensor.h"
#include "../core/view.h"
#include "array.h"
#include "cell.h"
#include "digits.h"
#include "element.h"
#include "integers.h"
#include "residue.h"
#include "ring.h"
#include "task.h"

#if PADICI_IMPLEMENT_NUM

// ---- text

// One element, or a stream, without a task: checks an array and returns its planes and workspace.
PADICI_FN padic_result padici_num_open(padic_context *context, padic_num_call *call,
                                       padic_num_planes *planes, const padic_num_array *array,
                                       padici_num_work *work)
{
    padic_result result;
    void *status = NULL;
    if (!padici_num_ring_is(array->ring) || (uint32_t)array->model > PADIC_NUM_BALL)
        return PADIC_ERROR_ARGUMENT;
    call->ring = array->ring;
    call->model = array->model;
    if ((result = padici_num_planes_of(context, array, planes)) != PADIC_OK) return result;
    if (array->status.dtype || array->status.data) {
        result = padici_num_plane_add(context, NULL, &array->status, array->count,
                                      1u << PADIC_U8, 0, 1, &status);
        if (result) return padici_blame(context, result, NULL, "status", NULL);
        call->status = (uint8_t *)status;
    }
    if (array->ring->form == PADIC_NUM_RX &&
        (!array->workspace || array->workspace_size < padic_num_workspace(array->ring)))
        return padici_blame(context, PADIC_ERROR_CAPACITY, NULL, "workspace", NULL);
    if (array->ring->form == PADIC_NUM_RX && !padici_aligned(array->workspace, 8))
        return padici_blame(context, PADIC_ERROR_ALIGNMENT, NULL, "workspace", NULL);
    padici_num_work_begin(work, array->ring, array->workspace);
    return PADIC_OK;
}

// Where the bytes of a call lie: `size` of them in host memory, which may belong to a buffer.
PADICI_FN padic_result padici_num_bytes_at(padic_context *context, const char *field,
                                           const padic_bytes *bytes, uint64_t size, void **at)
{
    padic_tensor view = padic_tensor_1d(PADIC_U8, bytes->data, size);
    padici_place place;
    padic_result result;
    view.buffer = bytes->buffer;
    view.offset = bytes->offset;
    result = padici_field_place(context, field, &view, &place);
    *at = NULL;
    if (!result && !place.host)
        result = padici_blame(context, PADIC_ERROR_NOT_SUPPORTED, field, NULL,
                              "is in a device's memory: download it first");
    if (!result && place.mem.bits) *at = padici_mem_at(place.mem, place.at);
    if (!result && !*at && size)
        result = padici_blame(context, PADIC_ERROR_ARGUMENT, field, NULL,
                              "has neither data nor a buffer");
    return padici_blame(context, result, field, NULL, NULL);
}

// Checks that bytes share no memory with the planes of an array, its workspace and `status`.
PADICI_FN padic_result padici_num_bytes_apart(padic_context *context, const char *field,
                                              const void *at, uint64_t size,
                                              const padic_num_array *array,
                                              const padic_num_planes *planes,
                                              const uint8_t *status)
{
    const uint64_t begin = (uint64_t)(uintptr_t)at;
    const int rx = array->ring->form == PADIC_NUM_RX;
    padici_num_range range[5];
    uint32_t n = 0, i;
    padici_num_ranges(array->ring, planes, array->count, 0, range, &n);
    padici_num_range_add(range, &n, status, array->count, 0, 0);
    padici_num_range_add(range, &n, array->workspace, rx ? array->workspace_size : 0, 0, 0);
    for (i = 0; i < n && size; i++)
        if (begin < range[i].end && range[i].begin < begin + size)
            return padici_blame(context, PADIC_ERROR_OVERLAP, field, NULL,
                                "shares memory with the array");
    return PADIC_OK;
}

// Text whose length is counted beyond its capacity.
typedef struct padici_num_line {
    char *text;
    size_t n, room;
} padici_num_line;

static void padici_num_line_char(padici_num_line *t, uint32_t c)
{
    if (t->n < t->room) t->text[t->n] = (char)c;
    t->n++;
}

static void padici_num_line_put(padici_num_line *t, const char *s)
{
    while (*s) padici_num_line_char(t, (uint8_t)*s++);
}

// Reverses the text from `begin` on.
static void padici_num_line_turn(padici_num_line *t, size_t begin)
{
    size_t end = t->n;
    if (end > t->room) return;
    for (; begin + 1 < end; begin++) {
        const char c = t->text[begin];
        t->text[begin] = t->text[--end];
        t->text[end] = c;
    }
}

static void padici_num_line_backwards(padici_num_line *t, uint64_t x, uint32_t least)
{
    uint32_t n = 0;
    for (; x || n < least; n++, x /= 10) padici_num_line_char(t, '0' + (uint32_t)(x % 10));
}

static void padici_num_line_u64(padici_num_line *t, uint64_t x)
{
    const size_t begin = t->n;
    padici_num_line_backwards(t, x, 1);
    padici_num_line_turn(t, begin);
}

static void padici_num_line_power(padici_num_line *t, const padic_num_ring *r, int64_t k)
{
    padici_num_line_u64(t, r->p);
    padici_num_line_char(t, '^');
    if (k < 0) padici_num_line_char(t, '-');
    padici_num_line_u64(t, (uint64_t)(k < 0 ? -k : k));
}

static const char *const padici_num_status_names[8] = {"DIV0",   "NONUNIT", "NOPOWER",  "OUTSIDE",
                                                   "RATREC", "RANGE",   "PRECLOSS", "INEXACT"};

static void padici_num_line_value(padici_num_line *t, const padic_num_ring *r, const uint64_t *u,
                              padici_num_work *work)
{
    const padici_num_divisor ten19 = padici_num_divisor_make(UINT64_C(10000000000000000000));
    const size_t begin = t->n;
    padici_num_big_of_ring(r, &work->a, u);
    do {
        const uint64_t low = padici_num_big_div(&work->a, &ten19);
        padici_num_line_backwards(t, low, work->a.n ? 19 : low ? 0 : 1);
    } while (work->a.n);
    padici_num_line_turn(t, begin);
}

static void padici_num_line_digits(padici_num_line *t, const padic_num_ring *r, uint64_t *u,
                                   uint32_t n)
{
    size_t begin;
    uint32_t k;
    padici_num_line_put(t, "...");
    begin = t->n;
    for (k = 0; k < n; k++) {
        if (k) padici_num_line_char(t, ' ');
        padici_num_line_backwards(t, padici_num_ring_next_digit(r, u, k), 1);
    }
    padici_num_line_turn(t, begin);
    padici_num_line_put(t, " (");
    padici_num_line_u64(t, r->p);
    padici_num_line_char(t, ')');
}

static void padici_num_line_cell(padici_num_line *t, const padic_num_call *call, padici_num_cell *x,
                             padic_num_text style, padici_num_work *work)
{
    const padic_num_ring *r = call->ring;
    uint32_t i, names = 0;
    if (x->v == PADIC_NUM_NAN) {
        padici_num_line_put(t, "nan(");
        for (i = 0; i < 8; i++)
            if (x->bits >> i & 1) {
                if (names++) padici_num_line_char(t, '|');
                padici_num_line_put(t, padici_num_status_names[i]);
            }
        padici_num_line_char(t, ')');
        return;
    }
    if (x->v == PADIC_NUM_ZERO) {
        padici_num_line_char(t, '0');
        return;
    }
    if (x->n && style == PADIC_NUM_TEXT_DIGITS)
        padici_num_line_digits(t, r, x->u, x->n);
    else if (x->n)
        padici_num_line_value(t, r, x->u, work);
    if (x->n && x->v) {
        padici_num_line_put(t, " * ");
        padici_num_line_power(t, r, x->v);
    }
    if (style == PADIC_NUM_TEXT_VALUE && call->model == PADIC_NUM_RING) {
        padici_num_line_put(t, " mod ");
        padici_num_line_power(t, r, r->precision);
    }
    if (!x->n || (style == PADIC_NUM_TEXT_VALUE && call->model == PADIC_NUM_BALL)) {
        padici_num_line_put(t, x->n ? " + O(" : "O(");
        padici_num_line_power(t, r, (int64_t)x->v + x->n);
        padici_num_line_char(t, ')');
    }
}

PADIC_API uint64_t padic_num_print_size_bound(const padic_num_ring *ring, padic_num_text style)
{
    padici_num_line t;
    if (!padici_num_ring_is(ring) || (uint32_t)style > PADIC_NUM_TEXT_DIGITS) return 0;
    memset(&t, 0, sizeof t);
    padici_num_line_u64(&t, ring->p - 1);
    // 128 for p three times, two exponents and what stands between, or all names of a NaN
    return 128 + (style == PADIC_NUM_TEXT_DIGITS ? (t.n + 1) * ring->precision
                                                 : (size_t)ring->bits * 1234 / 4096 + 2);
}

static padic_result padici_num_print_one(padic_context *context, const padic_num_print_desc *desc,
                                         uint64_t *size)
{
    padic_num_call call;
    padici_num_work work;
    padici_num_line t;
    padici_num_cell x;
    void *text;
    padic_result result;
    memset(&call, 0, sizeof call);
    memset(&t, 0, sizeof t);
    if ((uint32_t)desc->style > PADIC_NUM_TEXT_DIGITS)
        return padici_blame(context, PADIC_ERROR_ARGUMENT, "style", NULL, "is none that there is");
    result = padici_num_open(context, &call, &call.a, &desc->in, &work);
    if (!result && desc->in.ring->composite && desc->in.model != PADIC_NUM_RING)
        result = padici_blame(context, PADIC_ERROR_NOT_SUPPORTED, NULL, "ring", NULL);
    padici_blame(context, result, "in", NULL, NULL);
    if (!result && desc->index >= desc->in.count)
        result = padici_blame(context, PADIC_ERROR_REGION, "index", NULL, "is beyond the array");
    if (!result)
        result = padici_num_bytes_at(context, "out", &desc->out, desc->out.capacity, &text);
    if (result) return result;
    x.u = work.u;
    t.text = (char *)text;
    do { // count, then write
        t.room = t.n;
        t.n = 0;
        padici_num_cell_load(&call, &call.a, desc->index, &x);
        padici_num_line_cell(&t, &call, &x, desc->style, &work);
        *size = t.n < desc->out.capacity ? t.n : t.n + 1;
        if (t.n >= desc->out.capacity)
            return padici_blame(context, PADIC_ERROR_CAPACITY, "out", NULL,
                                "is too small: report.size is the capacity needed");
        result = padici_num_bytes_apart(context, "out", text, t.n + 1, &desc->in, &call.a, NULL);
        if (result) return result;
    } while (!t.room);
    t.text[t.n] = 0;
    return PADIC_OK;
}

PADIC_API padic_result padic_num_print(padic_context *context, const padic_num_print_desc *desc)
{
    uint64_t size = 0;
    padic_result result;
    if (!desc) return padici_fail_in(context, PADIC_ERROR_ARGUMENT, "num_print", "desc is NULL");
    result = padici_num_print_one(context, desc, &size);
    if (desc->report) desc->report->size = size;
    return result ? padici_fault(context, result, "num_print") : PADIC_OK;
}

typedef struct padici_num_scan {
    const char *text;
    size_t n, at;
} padici_num_scan;

// The next character that is not a space, or 0.
static uint32_t padici_num_scan_peek(padici_num_scan *s)
{
    while (s->at < s->n && s->text[s->at] == ' ') s->at++;
    return s->at < s->n ? (uint8_t)s->text[s->at] : 0;
}

static PADICI_NOINLINE int padici_num_scan_word(padici_num_scan *s, const char *word)
{
    const size_t length = strlen(word);
    (void)padici_num_scan_peek(s);
    if (s->n - s->at < length || memcmp(s->text + s->at, word, length) != 0) return 0;
    s->at += length;
    return 1;
}

// The digit at the current position, or 10.
static uint32_t padici_num_scan_digit(const padici_num_scan *s)
{
    const uint32_t c = s->at < s->n ? (uint8_t)s->text[s->at] : 0;
    return c >= '0' && c <= '9' ? c - '0' : 10;
}

static padic_result padici_num_scan_u64(padici_num_scan *s, uint64_t *x)
{
    uint64_t digit;
    *x = 0;
    (void)padici_num_scan_peek(s);
    if (padici_num_scan_digit(s) > 9) return PADIC_ERROR_CORRUPT;
    for (; (digit = padici_num_scan_digit(s)) < 10; s->at++) {
        if (*x > (UINT64_MAX - digit) / 10) return PADIC_ERROR_CORRUPT;
        *x = 10 * *x + digit;
    }
    return PADIC_OK;
}

static padic_result padici_num_scan_exponent(padici_num_scan *s, int64_t *k)
{
    const int negative = padici_num_scan_word(s, "-");
    const size_t at = s->at;
    uint64_t x;
    padic_result result;
    *k = 0;
    if (!negative) (void)padici_num_scan_word(s, "+");
    if ((result = padici_num_scan_u64(s, &x)) != PADIC_OK) return result;
    if (x > UINT64_C(1) << 30) { // a ball may know more digits than a valuation can be
        s->at = at;
        return PADIC_ERROR_CORRUPT;
    }
    *k = negative ? -(int64_t)x : (int64_t)x;
    return PADIC_OK;
}

// p itself, then ^k if `k` is given.
static padic_result padici_num_scan_prime(padici_num_scan *s, const padic_num_ring *r, int64_t *k)
{
    size_t at;
    uint64_t p;
    padic_result result;
    (void)padici_num_scan_peek(s);
    at = s->at;
    if ((result = padici_num_scan_u64(s, &p)) != PADIC_OK) return result;
    if (p != r->p) {
        s->at = at;
        return PADIC_ERROR_DOMAIN;
    }
    if (!k) return PADIC_OK;
    return padici_num_scan_word(s, "^") ? padici_num_scan_exponent(s, k) : PADIC_ERROR_CORRUPT;
}

static padic_result padici_num_scan_nan(padici_num_scan *s, uint32_t *bits)
{
    uint32_t i;
    do {
        for (i = 0; i < 8 && !padici_num_scan_word(s, padici_num_status_names[i]);) i++;
        if (i == 8) return PADIC_ERROR_CORRUPT;
        *bits |= 1u << i;
    } while (padici_num_scan_word(s, "|"));
    return padici_num_scan_word(s, ")") && *bits & PADIC_NUM_HARD ? PADIC_OK : PADIC_ERROR_CORRUPT;
}

// "4 2 0 (5)" after "...". The digits are counted first, since the highest comes first.
static padic_result padici_num_scan_digits(padici_num_scan *s, const padic_num_ring *r,
                                           padici_num_cell *x)
{
    const size_t begin = s->at;
    uint32_t n = 0, k;
    uint64_t digit;
    padic_result result = PADIC_OK;
    memset(x->u, 0, r->words * sizeof *x->u);
    for (; padici_num_scan_peek(s) != '('; n++) {
        if (n == r->precision) return PADIC_ERROR_CORRUPT;
        if ((result = padici_num_scan_u64(s, &digit)) != PADIC_OK) return result;
    }
    if (!n) return PADIC_ERROR_CORRUPT;
    s->at = begin;
    for (k = n; k > 0; k--) {
        (void)padici_num_scan_u64(s, &digit);
        if (digit >= r->p) {
            s->at--; // its last decimal
            return PADIC_ERROR_CORRUPT;
        }
        padici_num_ring_set_digit(r, x->u, k - 1, digit);
    }
    (void)padici_num_scan_word(s, "(");
    x->n = n;
    if (n < r->precision) x->bits = PADIC_NUM_PRECLOSS;
    if ((result = padici_num_scan_prime(s, r, NULL)) != PADIC_OK) return result;
    return padici_num_scan_word(s, ")") ? PADIC_OK : PADIC_ERROR_CORRUPT;
}

// Decimal digits from the current position into b, *points of them after a point if `points` is
// given.
static padic_result padici_num_scan_decimal(padici_num_scan *s, padici_num_big *b, int64_t *points)
{
    uint32_t digits = 0, digit;
    int point = 0;
    b->n = 0;
    for (;; s->at++) {
        if (points && !point && s->at < s->n && s->text[s->at] == '.') {
            point = 1;
            continue;
        }
        if ((digit = padici_num_scan_digit(s)) > 9) break;
        if (!padici_num_big_mul_add(b, 10, digit)) return PADIC_ERROR_CORRUPT;
        digits++;
        if (point) ++*points;
    }
    return digits ? PADIC_OK : PADIC_ERROR_CORRUPT;
}

// An integer, a fraction or a decimal, as a split number.
static padic_result padici_num_scan_number(padici_num_scan *s, const padic_num_call *call,
                                           padici_num_cell *x, padici_num_work *work)
{
    const padic_num_ring *r = call->ring;
    const int negative = padici_num_scan_word(s, "-");
    int64_t exponent = 0, points = 0;
    padici_num_cell a, b;
    padic_num_call split = *call;
    padic_result result;
    if (!negative) (void)padici_num_scan_word(s, "+");
    (void)padici_num_scan_peek(s);
    if ((result = padici_num_scan_decimal(s, &work->a, r->composite ? NULL : &points)) != PADIC_OK)
        return result;
    a.u = work->temp;
    b.u = work->temp + r->words;
    padici_num_cell_of_big(r, r->composite ? x : &a, &work->a, negative, !r->composite);
    if (r->composite) return PADIC_OK;
    padici_num_big_set(&work->a, 10);
    if (s->at < s->n && (s->text[s->at] | 32) == 'e') {
        s->at++;
        if ((result = padici_num_scan_exponent(s, &exponent)) != PADIC_OK) return result;
    } else if (!points && padici_num_scan_word(s, "/")) {
        (void)padici_num_scan_peek(s);
        if ((result = padici_num_scan_decimal(s, &work->a, NULL)) != PADIC_OK) return result;
        exponent = -1; // b is not ten
    }
    exponent -= points;
    padici_num_cell_of_big(r, &b, &work->a, 0, 1);
    split.model = PADIC_NUM_FLOAT;
    if (b.v != PADIC_NUM_ZERO) {
        const uint64_t k = (uint64_t)(exponent < 0 ? -exponent : exponent);
        b.v = padici_num_val_clamp(b.v * (int64_t)k);
        padici_num_ring_pow(r, x->u, b.u, k, work->temp + 2 * r->words);
        padici_num_ring_copy(r, b.u, x->u);
    }
    if (exponent < 0)
        padici_num_cell_div(&split, x, &a, &b, work->temp + 2 * r->words);
    else
        padici_num_cell_mul(&split, x, &a, &b);
    return PADIC_OK;
}

// An optional suffix of a number: a power of p; the modulus of a ring, or the precision of a ball.
static padic_result padici_num_scan_tail(padici_num_scan *s, const padic_num_call *call,
                                         padici_num_cell *x)
{
    const padic_num_ring *r = call->ring;
    int64_t k;
    size_t at;
    padic_result result;
    if (!r->composite && padici_num_scan_word(s, "*")) {
        if ((result = padici_num_scan_prime(s, r, &k)) != PADIC_OK) return result;
        if (x->v != PADIC_NUM_ZERO) x->v = padici_num_val_clamp(x->v + k);
    }
    at = s->at;
    if (padici_num_scan_word(s, "mod")) {
        if (call->model == PADIC_NUM_RING) {
            if ((result = padici_num_scan_prime(s, r, &k)) != PADIC_OK) return result;
            if (k == (int64_t)r->precision) return PADIC_OK;
        }
        s->at = at;
        return PADIC_ERROR_DOMAIN;
    }
    if (!padici_num_scan_word(s, "+")) return PADIC_OK;
    if (!padici_num_scan_word(s, "O(")) return PADIC_ERROR_CORRUPT;
    if (call->model != PADIC_NUM_BALL) {
        s->at = at;
        return PADIC_ERROR_DOMAIN;
    }
    if ((result = padici_num_scan_prime(s, r, &k)) != PADIC_OK) return result;
    if (x->v == PADIC_NUM_ZERO || k <= x->v) {
        x->v = (int32_t)k;
        x->n = 0;
    } else if (k - x->v < (int64_t)x->n) {
        x->n = (uint32_t)(k - x->v);
    }
    return padici_num_scan_word(s, ")") ? PADIC_OK : PADIC_ERROR_CORRUPT;
}

static padic_result padici_num_scan_all(padici_num_scan *s, const padic_num_call *call,
                                        padici_num_cell *x, padici_num_work *work)
{
    const size_t at = s->at;
    int64_t k;
    padic_result result;
    if (padici_num_scan_word(s, "nan(") || padici_num_scan_word(s, "O(")) {
        const int ball = s->text[s->at - 2] == 'O';
        if (ball ? call->model != PADIC_NUM_BALL : call->model == PADIC_NUM_RING) {
            s->at = at;
            return PADIC_ERROR_DOMAIN;
        }
        if (!ball) {
            x->v = PADIC_NUM_NAN;
            return padici_num_scan_nan(s, &x->bits);
        }
        result = padici_num_scan_prime(s, call->ring, &k);
        memset(x->u, 0, call->ring->words * sizeof *x->u);
        x->v = (int32_t)k;
        x->n = 0;
        return result ? result : padici_num_scan_word(s, ")") ? PADIC_OK : PADIC_ERROR_CORRUPT;
    }
    result = padici_num_scan_word(s, "...") ? padici_num_scan_digits(s, call->ring, x)
                                        : padici_num_scan_number(s, call, x, work);
    return result ? result : padici_num_scan_tail(s, call, x);
}

static padic_result padici_num_parse_one(padic_context *context, const padic_num_parse_desc *desc,
                                         uint64_t *bad)
{
    const padic_num_array *const out = &desc->out;
    padic_num_call call;
    padici_num_work work;
    padici_num_scan s;
    padici_num_cell x;
    void *text;
    padic_result result;
    memset(&call, 0, sizeof call);
    result = padici_num_open(context, &call, &call.out, out, &work);
    if (!result && out->ring->composite && out->model != PADIC_NUM_RING)
        result = padici_blame(context, PADIC_ERROR_NOT_SUPPORTED, NULL, "ring", NULL);
    padici_blame(context, result, "out", NULL, NULL);
    if (!result && desc->index >= out->count)
        result = padici_blame(context, PADIC_ERROR_REGION, "index", NULL, "is beyond the array");
    if (!result)
        result = padici_num_bytes_at(context, "text", &desc->text, desc->text.size, &text);
    if (result) return result;
    if (!text)
        return padici_blame(context, PADIC_ERROR_ARGUMENT, "text", NULL,
                            "has neither data nor a buffer");
    s.text = (const char *)text;
    s.n = (size_t)desc->text.size;
    s.at = 0;
    x.u = work.u;
    x.v = 0;
    x.n = out->ring->precision;
    x.bits = 0;
    result = padici_num_scan_all(&s, &call, &x, &work);
    if (!result && (padici_num_scan_peek(&s) || s.at < s.n)) result = PADIC_ERROR_CORRUPT;
    *bad = s.at;
    if (result)
        return padici_blame(context, result, "text", NULL,
                            result == PADIC_ERROR_DOMAIN
                                ? "is of another prime, precision or model: report.bad_offset"
                                : "is no number: report.bad_offset is the first wrong byte");
    if (x.v != PADIC_NUM_NAN) { // a NaN that was written raises nothing
        if (!(x.bits & PADIC_NUM_HARD)) padici_num_cell_settle(&call, &x);
        padici_num_cell_normal(&call, &x);
        if (x.bits & PADIC_NUM_HARD && !out->sticky && !call.status)
            result = padici_blame(context, PADIC_ERROR_DOMAIN, NULL, NULL, PADICI_NUM_SILENT);
    }
    padici_num_cell_store(&call, desc->index, &x);
    if (out->sticky) *out->sticky |= call.bits;
    return result;
}

PADIC_API padic_result padic_num_parse(padic_context *context, const padic_num_parse_desc *desc)
{
    uint64_t bad = 0;
    padic_result result;
    if (!desc) return padici_fail_in(context, PADIC_ERROR_ARGUMENT, "num_parse", "desc is NULL");
    result = padici_num_parse_one(context, desc, &bad);
    if (desc->report) desc->report->bad_offset = bad;
    return result ? padici_fault(context, result, "num_parse") : PADIC_OK;
}

#endif
