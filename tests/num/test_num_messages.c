// test_num_messages.c: what a wrong call of numbers, sparse matrices and samplers gets: the code
// that says what kind of mistake it is, and a sentence with the operation, the field and what would
// be right; memory that is not aligned; work space of two rings; valuations beyond their limits.

#define PADIC_IMPLEMENTATION
#include "../../padic.h"
#include "../../backends/padic_simd.h"
#include "../support/padic_test.h"
#include "../support/num_calls.h"
#include "../support/sample_calls.h"
#include "../support/sparse_calls.h"

static padic_context *context;

// The last call was refused with `want`, and said "operation: ... field ...".
static void refused(int line, padic_result got, padic_result want, const char *operation,
                    const char *field)
{
    const char *const sentence = padic_context_message(context);
    const size_t length = strlen(operation);
    const int named = !strncmp(sentence, operation, length) && sentence[length] == ':';
    if (got == want && named && strstr(sentence + length, field)) return;
    printf("\n  line %d: %d, not %d: \"%s\" has no %s: or %s", line, (int)got, (int)want, sentence,
           operation, field);
    CHECK(0);
}
#define REFUSED(call, want, operation, field) refused(__LINE__, call, want, operation, field)

// Arrays of 4 elements, placed in memory of their own.
typedef struct numbers {
    padic_num_array a;
    uint64_t memory[4000];
} numbers;

static padic_num_array *make(numbers *x, const padic_num_ring *ring, padic_num_model model,
                             uint64_t count)
{
    memset(x, 0, sizeof *x);
    CHECK_EQ(padic_num_place(&x->a, ring, model, count, x->memory, sizeof x->memory), PADIC_OK);
    return &x->a;
}

static padic_num_ring ring5, ring7, longer, other_long, radix;
static numbers room[12];
static int64_t integers[64];
static double doubles[64];
static uint8_t bytes[4096];

static void begin(void)
{
    static const uint64_t p[5] = {5, 7, 5, 257, 10};
    static const uint32_t n[5] = {10, 10, 300, 60, 4};
    padic_num_ring *const ring[5] = {&ring5, &ring7, &longer, &other_long, &radix};
    int i;
    for (i = 0; i < 5; i++)
        CHECK_EQ(i < 4 ? padic_num_ring_init(ring[i], p[i], n[i], NULL)
                       : padic_num_ring_init_radix(ring[i], p[i], n[i], NULL),
                 PADIC_OK);
    memset(integers, 0, sizeof integers);
    if (!context) {
        padic_context_desc desc = PADIC_ZERO;
        CHECK_EQ(padic_context_create(&desc, &context), PADIC_OK);
    }
}

TEST(arithmetic)
{
    padic_num_array *x, *a, *b, *c, *wrong;
    padic_tensor t;
    begin();
    x = make(&room[0], &ring5, PADIC_NUM_BALL, 4);
    a = make(&room[1], &ring5, PADIC_NUM_BALL, 4);
    b = make(&room[2], &ring7, PADIC_NUM_BALL, 4);
    c = make(&room[3], &ring5, PADIC_NUM_FLOAT, 4);
    wrong = make(&room[4], &ring5, PADIC_NUM_BALL, 3);
    REFUSED(padic_num_add(context, NULL, a, a), PADIC_ERROR_ARGUMENT, "num_add", "out");
    REFUSED(padic_num_sub(context, x, NULL, a), PADIC_ERROR_ARGUMENT, "num_sub", "a ");
    REFUSED(padic_num_mul(context, x, a, NULL), PADIC_ERROR_ARGUMENT, "num_mul", "b ");
    REFUSED(padic_num_fma(context, x, a, a, NULL), PADIC_ERROR_ARGUMENT, "num_fma", "c ");
    REFUSED(padic_num_add(context, x, a, b), PADIC_ERROR_RING, "num_add", "b.ring");
    REFUSED(padic_num_div(context, x, b, a), PADIC_ERROR_RING, "num_div", "a.ring");
    REFUSED(padic_num_mul(context, x, a, c), PADIC_ERROR_RING, "num_mul", "b.model");
    REFUSED(padic_num_neg(context, x, wrong), PADIC_ERROR_MISMATCH, "num_neg", "a.count");
    REFUSED(padic_num_fma(context, x, a, a, wrong), PADIC_ERROR_MISMATCH, "num_fma", "c.count");
    make(&room[4], &ring5, PADIC_NUM_BALL, 4);
    wrong->val.dtype = PADIC_F32;
    REFUSED(padic_num_inv(context, x, wrong), PADIC_ERROR_DTYPE, "num_inv", "a.val");
    make(&room[4], &ring5, PADIC_NUM_BALL, 4);
    wrong->known.data = NULL;
    REFUSED(padic_num_pow(context, wrong, a, 3), PADIC_ERROR_ARGUMENT, "num_pow", "out.known");
    make(&room[4], &ring5, PADIC_NUM_BALL, 4);
    wrong->ring = NULL;
    REFUSED(padic_num_shift(context, wrong, a, 1), PADIC_ERROR_ARGUMENT, "num_shift", "out.ring");
    REFUSED(padic_num_shift(context, x, wrong, 1), PADIC_ERROR_ARGUMENT, "num_shift", "a.ring");
    make(&room[4], &radix, PADIC_NUM_RING, 4);
    REFUSED(padic_num_add(context, wrong, wrong, wrong), PADIC_ERROR_NOT_SUPPORTED, "num_add",
            "out.ring");
    t = padic_tensor_1d(PADIC_U8, bytes, 4);
    REFUSED(padic_num_equal(context, &t, a, b, 0), PADIC_ERROR_RING, "num_equal", "b.ring");
    t = padic_tensor_1d(PADIC_F32, doubles, 4);
    REFUSED(padic_num_equal(context, &t, a, a, 0), PADIC_ERROR_DTYPE, "num_equal", "equal");
    REFUSED(padic_num_tropical(context, &t, a), PADIC_ERROR_DTYPE, "num_tropical", "out");
    REFUSED(padic_num_split(context, x, &t, a), PADIC_ERROR_DTYPE, "num_split", "val");
    REFUSED(padic_num_pow_array(context, x, a, &t), PADIC_ERROR_DTYPE, "num_pow_array", "k");
    REFUSED(padic_num_sum(context, x, a), PADIC_ERROR_MISMATCH, "num_sum", "out.count");
    make(&room[4], &ring5, PADIC_NUM_BALL, 1);
    REFUSED(padic_num_dot(context, wrong, a, b), PADIC_ERROR_RING, "num_dot", "b.ring");
    {
        padic_num_horner_desc h = PADIC_ZERO;
        padic_num_valuation_desc v = PADIC_ZERO;
        h.out = *x;
        h.x = *a;
        h.coefficients = *b;
        REFUSED(padic_num_horner(context, &h), PADIC_ERROR_ARGUMENT, "num_horner", "terms");
        h.terms = 1u << 20;
        REFUSED(padic_num_horner(context, &h), PADIC_ERROR_LIMIT, "num_horner", "terms");
        h.terms = 4;
        REFUSED(padic_num_horner(context, &h), PADIC_ERROR_RING, "num_horner", "coefficients");
        h.coefficients = *a;
        h.terms = 3;
        REFUSED(padic_num_horner(context, &h), PADIC_ERROR_MISMATCH, "num_horner",
                "coefficients.count");
        v.in = *a;
        REFUSED(padic_num_valuation(context, &v), PADIC_ERROR_ARGUMENT, "num_valuation", "val");
        v.norm = padic_tensor_1d(PADIC_F16, doubles, 4);
        REFUSED(padic_num_valuation(context, &v), PADIC_ERROR_DTYPE, "num_valuation", "norm");
        v.norm = padic_tensor_1d(PADIC_F32, doubles, 4);
        v.other = *b;
        REFUSED(padic_num_valuation(context, &v), PADIC_ERROR_RING, "num_valuation", "other");
    }
    CHECK_EQ(padic_num_ring_init(&radix, 5, 0, NULL), PADIC_ERROR_PRECISION);
    CHECK_EQ(padic_num_ring_init(&radix, 10, 4, NULL), PADIC_ERROR_PRIME);
    {
        padic_num_value value = PADIC_ZERO;
        CHECK_EQ(padic_num_get(a, 4, &value), PADIC_ERROR_REGION);
        CHECK_EQ(padic_num_set(a, 4, &value), PADIC_ERROR_REGION);
    }
}

TEST(conversions)
{
    padic_num_array *x;
    padic_num_from_int_desc from = PADIC_ZERO;
    padic_num_to_int_desc to = PADIC_ZERO;
    padic_num_from_rational_desc fraction = PADIC_ZERO;
    padic_num_from_float_desc real = PADIC_ZERO;
    padic_num_to_float_desc back = PADIC_ZERO;
    padic_num_to_digits_desc digits = PADIC_ZERO;
    padic_num_random_desc random = PADIC_ZERO;
    size_t size;
    begin();
    x = make(&room[0], &ring5, PADIC_NUM_FLOAT, 4);
    REFUSED(padic_num_from_int(context, NULL), PADIC_ERROR_ARGUMENT, "num_from_int", "desc");
    from.out = *x;
    from.in = padic_tensor_1d(PADIC_F64, doubles, 4);
    REFUSED(padic_num_from_int(context, &from), PADIC_ERROR_DTYPE, "num_from_int", "in");
    from.in = padic_tensor_1d(PADIC_I64, integers, 3);
    REFUSED(padic_num_from_int(context, &from), PADIC_ERROR_MISMATCH, "num_from_int", "in");
    from.in = padic_tensor_2d(PADIC_U64, integers, 65, 4);
    REFUSED(padic_num_from_int(context, &from), PADIC_ERROR_LIMIT, "num_from_int", "in");
    to.in = *x;
    to.out = padic_tensor_1d(PADIC_I64, NULL, 4);
    REFUSED(padic_num_to_int(context, &to), PADIC_ERROR_ARGUMENT, "num_to_int", "out");
    to.mode = (padic_num_int_mode)2;
    REFUSED(padic_num_to_int(context, &to), PADIC_ERROR_ARGUMENT, "num_to_int", "mode");
    fraction.out = *x;
    fraction.numerator = padic_tensor_1d(PADIC_I64, integers, 4);
    fraction.denominator = padic_tensor_1d(PADIC_I32, integers, 4);
    REFUSED(padic_num_from_rational(context, &fraction), PADIC_ERROR_DTYPE, "num_from_rational",
            "denominator");
    real.out = *x;
    real.in = padic_tensor_1d(PADIC_I64, integers, 4);
    REFUSED(padic_num_from_float(context, &real), PADIC_ERROR_DTYPE, "num_from_float", "in");
    real.mode = PADIC_NUM_FLOAT_SPLIT;
    REFUSED(padic_num_from_float(context, &real), PADIC_ERROR_ARGUMENT, "num_from_float",
            "exponent");
    real.mode = PADIC_NUM_FLOAT_SCALED;
    real.scale = 1 << 21;
    REFUSED(padic_num_from_float(context, &real), PADIC_ERROR_LIMIT, "num_from_float", "scale");
    back.in = *x;
    back.mode = (padic_num_float_mode)7;
    REFUSED(padic_num_to_float(context, &back), PADIC_ERROR_ARGUMENT, "num_to_float", "mode");
    digits.in = *x;
    digits.digits = padic_tensor_2d(PADIC_U8, bytes, 9, 4);
    REFUSED(padic_num_to_digits(context, &digits), PADIC_ERROR_MISMATCH, "num_to_digits", "digits");
    digits.kind = (padic_num_digit_kind)9;
    REFUSED(padic_num_to_digits(context, &digits), PADIC_ERROR_ARGUMENT, "num_to_digits", "kind");
    random.out = *x;
    random.first = UINT64_C(1) << 48;
    REFUSED(padic_num_random(context, &random), PADIC_ERROR_LIMIT, "num_random", "first");
    CHECK_EQ(
        num_write(NULL, make(&room[1], &ring7, PADIC_NUM_FLOAT, 4), bytes, sizeof bytes, &size),
        PADIC_ERROR_CORRUPT); // 0 with valuation 0
    REFUSED(num_write(context, &room[1].a, bytes, sizeof bytes, &size), PADIC_ERROR_CORRUPT,
            "num_write", "in");
    make(&room[1], &ring7, PADIC_NUM_RING, 4);
    REFUSED(num_write(context, &room[1].a, NULL, 9, &size), PADIC_ERROR_ARGUMENT, "num_write",
            "out");
    REFUSED(num_write(context, &room[1].a, bytes, 9, &size), PADIC_ERROR_CAPACITY, "num_write",
            "out");
    CHECK_EQ(num_write(context, &room[1].a, bytes, sizeof bytes, &size), PADIC_OK);
    REFUSED(num_read(context, x, bytes, size), PADIC_ERROR_RING, "num_read", "out");
    REFUSED(num_read(context, make(&room[2], &ring7, PADIC_NUM_RING, 5), bytes, size),
            PADIC_ERROR_MISMATCH, "num_read", "out.count");
    REFUSED(num_read(context, x, bytes, 20), PADIC_ERROR_CORRUPT, "num_read", "bytes");
    REFUSED(num_check(context, make(&room[1], &ring7, PADIC_NUM_FLOAT, 4), NULL),
            PADIC_ERROR_CORRUPT, "num_check", "in");
}

TEST(series)
{
    padic_num_array *x, *a, *b;
    padic_num_hensel_desc h = PADIC_ZERO;
    padic_num_polynomial_roots_desc roots = PADIC_ZERO;
    padic_num_tree_init_desc init = PADIC_ZERO;
    padic_num_tree_insert_desc insert = PADIC_ZERO;
    padic_num_tree_read_desc read = PADIC_ZERO;
    padic_num_tree_write_desc write = PADIC_ZERO;
    padic_num_tree tree;
    uint64_t nodes[64];
    uint32_t two[2] = {1, 1};
    padic_num_to_rational_desc r = PADIC_ZERO;
    padic_num_solve_desc s = PADIC_ZERO;
    padic_num_det_desc det = PADIC_ZERO;
    padic_num_log_desc log = PADIC_ZERO;
    padic_num_grad_desc grad = PADIC_ZERO;
    padic_tensor t;
    begin();
    x = make(&room[0], &ring5, PADIC_NUM_FLOAT, 4);
    a = make(&room[1], &ring5, PADIC_NUM_FLOAT, 4);
    b = make(&room[2], &ring7, PADIC_NUM_FLOAT, 4);
    REFUSED(padic_num_root(context, x, a, 0), PADIC_ERROR_ARGUMENT, "num_root", "n ");
    REFUSED(padic_num_sqrt(context, x, b), PADIC_ERROR_RING, "num_sqrt", "a.ring");
    REFUSED(num_roots(context, x, a, 2), PADIC_ERROR_MISMATCH, "num_roots", "out.count");
    REFUSED(padic_num_exp(context, x, NULL), PADIC_ERROR_ARGUMENT, "num_exp", "a ");
    REFUSED(padic_num_log(context, x, a, (padic_num_log_branch)2), PADIC_ERROR_ARGUMENT, "num_log",
            "branch");
    REFUSED(padic_num_pow_padic(context, x, a, b), PADIC_ERROR_RING, "num_pow_padic", "s.ring");
    REFUSED(padic_num_teichmueller(context, x, b), PADIC_ERROR_RING, "num_teichmueller", "a.ring");
    h.out = *x;
    h.coefficients = *b;
    h.terms = 4;
    REFUSED(padic_num_hensel(context, &h), PADIC_ERROR_RING, "num_hensel", "coefficients");
    h.coefficients = *a;
    REFUSED(padic_num_hensel(context, &h), PADIC_ERROR_ARGUMENT, "num_hensel", "seeds");
    roots.out = *x;
    roots.coefficients = *a;
    roots.terms = 4;
    roots.polynomials = 1;
    roots.root_limit = 3;
    REFUSED(padic_num_polynomial_roots(context, &roots), PADIC_ERROR_MISMATCH,
            "num_polynomial_roots", "out.count");
    roots.root_limit = 4;
    roots.workspace = padic_tensor_1d(PADIC_U8, integers, 1);
    REFUSED(padic_num_polynomial_roots(context, &roots), PADIC_ERROR_CAPACITY,
            "num_polynomial_roots", "workspace");
    roots.workspace = padic_tensor_1d(PADIC_F32, integers, 1 << 20);
    REFUSED(padic_num_polynomial_roots(context, &roots), PADIC_ERROR_ARGUMENT,
            "num_polynomial_roots", "workspace");
    roots.workspace = padic_tensor_1d(PADIC_U8, (char *)integers + 1, 1 << 20);
    REFUSED(padic_num_polynomial_roots(context, &roots), PADIC_ERROR_ALIGNMENT,
            "num_polynomial_roots", "workspace");
    roots.branches = 1u << 20;
    REFUSED(padic_num_polynomial_roots(context, &roots), PADIC_ERROR_LIMIT,
            "num_polynomial_roots", "branches");
    REFUSED(padic_num_set_precision(context, x, b), PADIC_ERROR_RING, "num_set_precision", "prime");
    REFUSED(padic_num_change_prime(context, x, x), PADIC_ERROR_OVERLAP, "num_change_prime", "out");
    r.in = *x;
    r.numerator = padic_tensor_1d(PADIC_I64, integers, 4);
    REFUSED(padic_num_to_rational(context, &r), PADIC_ERROR_DTYPE, "num_to_rational",
            "denominator");
    r.denominator = padic_tensor_1d(PADIC_I64, integers + 4, 4);
    r.numerator_limit[0] = r.denominator_limit[0] = 1u << 30;
    REFUSED(padic_num_to_rational(context, &r), PADIC_ERROR_ARGUMENT, "num_to_rational",
            "numerator_limit");
    r.mode = PADIC_NUM_RATIONAL_FIXED;
    REFUSED(padic_num_to_rational(context, &r), PADIC_ERROR_ARGUMENT, "num_to_rational", "fixed");
    r.mode = PADIC_NUM_RATIONAL_COMMON;
    r.vector = 3;
    REFUSED(padic_num_to_rational(context, &r), PADIC_ERROR_MISMATCH, "num_to_rational", "vector");
    s.matrix = padic_tensor_2d(PADIC_F64, doubles, 2, 2);
    REFUSED(padic_num_solve(context, &s), PADIC_ERROR_DTYPE, "num_solve", "matrix");
    s.matrix = padic_tensor_2d(PADIC_I64, integers, 2, 3);
    REFUSED(padic_num_solve(context, &s), PADIC_ERROR_MISMATCH, "num_solve", "matrix");
    s.matrix = padic_tensor_2d(PADIC_I64, integers, 2, 2);
    s.right = padic_tensor_1d(PADIC_I64, integers, 3);
    REFUSED(padic_num_solve(context, &s), PADIC_ERROR_MISMATCH, "num_solve", "right");
    det.matrix = s.matrix;
    det.out = padic_tensor_1d(PADIC_I64, integers + 8, 1);
    det.workspace = padic_tensor_1d(PADIC_U8, doubles, 1);
    REFUSED(padic_num_det(context, &det), PADIC_ERROR_CAPACITY, "num_det", "workspace");
    det.out.data = NULL;
    REFUSED(padic_num_det(context, &det), PADIC_ERROR_ARGUMENT, "num_det", "out");
    t = padic_tensor_1d(PADIC_F32, doubles, 1);
    REFUSED(num_hadamard(context, &t, &s.matrix), PADIC_ERROR_DTYPE, "num_hadamard", "out");
    log.value = padic_tensor_1d(PADIC_F32, doubles, 4);
    log.sign = padic_tensor_1d(PADIC_I8, bytes, 4);
    log.level = padic_tensor_1d(PADIC_I32, integers, 4);
    log.fraction = 40;
    REFUSED(padic_num_log_encode(context, &log), PADIC_ERROR_LIMIT, "num_log_encode", "fraction");
    log.sign.dtype = PADIC_U8;
    REFUSED(padic_num_log_decode(context, &log), PADIC_ERROR_DTYPE, "num_log_decode", "sign");
    grad.step = 63;
    REFUSED(num_grad_step(context, &grad, NULL), PADIC_ERROR_ARGUMENT, "num_grad_step", "step");
    REFUSED(padic_num_tree_insert(context, NULL), PADIC_ERROR_ARGUMENT, "num_tree_insert", "desc");
    REFUSED(padic_num_tree_insert(context, &insert), PADIC_ERROR_ARGUMENT, "num_tree_insert",
            "tree");
    REFUSED(padic_num_tree_init(context, &init), PADIC_ERROR_ARGUMENT, "num_tree_init", "tree");
    init.tree = insert.tree = &tree;
    init.points = *a;
    init.memory = padic_tensor_1d(PADIC_U8, nodes, sizeof nodes);
    CHECK_EQ(padic_num_tree_init(context, &init), PADIC_OK);
    insert.ids = padic_tensor_1d(PADIC_U32, two, 2);
    REFUSED(padic_num_tree_insert(context, &insert), PADIC_ERROR_ARGUMENT, "num_tree_insert",
            "ids");
    read.tree = &tree;
    read.bytes = padic_bytes_in(doubles, 4);
    REFUSED(padic_num_tree_read(context, &read), PADIC_ERROR_CORRUPT, "num_tree_read", "bytes");
    write.tree = &tree;
    REFUSED(padic_num_tree_write(context, &write), PADIC_ERROR_CAPACITY, "num_tree_write",
            "out.capacity");
    REFUSED(padic_num_tree_nearest(context, NULL), PADIC_ERROR_ARGUMENT, "num_tree_nearest",
            "desc");
}

TEST(sparse)
{
    static float dense[12] = {1, 0, 2};
    static double space[512];
    padic_sparse_csr csr = PADIC_ZERO, none = PADIC_ZERO;
    padic_sparse_encode_desc desc = PADIC_ZERO;
    padic_sparse_product_desc product = PADIC_ZERO;
    padic_sparse_encode_report report;
    const padic_buffer dead = {77};
    padic_num_array *x, lost;
    uint64_t first, count;
    int64_t entry;
    size_t size;
    begin();
    x = make(&room[0], &ring5, PADIC_NUM_BALL, 4);
    REFUSED(sparse_count(context, NULL, NULL, &report), PADIC_ERROR_ARGUMENT, "sparse_count",
            "desc");
    REFUSED(sparse_encode(context, &csr, &desc, NULL), PADIC_ERROR_ARGUMENT, "sparse_encode",
            "dense");
    desc.source.numbers = *x;
    desc.source.rows = desc.source.cols = 2;
    REFUSED(sparse_encode(context, &csr, &desc, NULL), PADIC_ERROR_NOT_SUPPORTED,
            "sparse_encode", "numbers");
    desc.source.numbers = *make(&room[1], &ring5, PADIC_NUM_RING, 3);
    REFUSED(sparse_encode(context, &csr, &desc, NULL), PADIC_ERROR_MISMATCH, "sparse_encode",
            "numbers");
    memset(&desc, 0, sizeof desc);
    desc.source.dense = padic_tensor_2d(PADIC_F32, dense, 3, 4);
    desc.source.mode = PADIC_SPARSE_MODE_THRESHOLD;
    desc.source.threshold = -1;
    REFUSED(sparse_count(context, &desc, NULL, &report), PADIC_ERROR_ARGUMENT, "sparse_count",
            "threshold");
    desc.source.mode = PADIC_SPARSE_MODE_NORM;
    REFUSED(sparse_count(context, &desc, NULL, &report), PADIC_ERROR_DTYPE, "sparse_count",
            "mode");
    desc.source.mode = PADIC_SPARSE_MODE_NONZERO;
    csr.rows = 3;
    csr.cols = 4;
    csr.nnz = 1;
    csr.value.dtype = PADIC_F32;
    CHECK_EQ(padic_sparse_place(&csr, space, sizeof space), PADIC_OK);
    REFUSED(sparse_encode(context, &csr, &desc, NULL), PADIC_ERROR_CAPACITY, "sparse_encode",
            "");
    csr.nnz = 4;
    csr.rows = 3;
    csr.cols = 4;
    CHECK_EQ(padic_sparse_place(&csr, space, sizeof space), PADIC_OK);
    CHECK_EQ(sparse_encode(context, &csr, &desc, NULL), PADIC_OK);
    REFUSED(sparse_row(context, &csr, 3, &first, &count), PADIC_ERROR_REGION, "sparse_row",
            "row");
    REFUSED(sparse_get(context, &csr, 0, 4, &entry), PADIC_ERROR_REGION, "sparse_get", "col");
    REFUSED(sparse_decode(context, NULL, NULL, &csr), PADIC_ERROR_ARGUMENT, "sparse_decode",
            "out");
    REFUSED(sparse_to_num(context, x, &csr), PADIC_ERROR_MISMATCH, "sparse_to_num", "matrix");
    REFUSED(sparse_from_num(context, &none, x), PADIC_ERROR_NOT_SUPPORTED, "sparse_from_num",
            "numbers.model");
    lost = *x;
    lost.unit = padic_num_plane_in(x->unit.dtype, dead, 0);
    REFUSED(sparse_from_num(context, &none, &lost), PADIC_ERROR_ARGUMENT, "sparse_from_num",
            "numbers");
    REFUSED(sparse_to_num(context, &lost, &csr), PADIC_ERROR_ARGUMENT, "sparse_to_num", "out");
    REFUSED(sparse_decode(context, NULL, &lost, &csr), PADIC_ERROR_ARGUMENT, "sparse_decode",
            "out_numbers");
    product.a = &csr;
    product.x = padic_tensor_1d(PADIC_F32, doubles, 3);
    product.y = padic_tensor_1d(PADIC_F32, integers, 3);
    REFUSED(padic_sparse_product(context, &product), PADIC_ERROR_MISMATCH, "sparse_product", "x");
    product.x = padic_tensor_1d(PADIC_F32, doubles, 4);
    product.y = padic_tensor_1d(PADIC_F32, integers, 2);
    REFUSED(padic_sparse_product(context, &product), PADIC_ERROR_MISMATCH, "sparse_product", "y");
    REFUSED(padic_sparse_product(context, NULL), PADIC_ERROR_ARGUMENT, "sparse_product", "desc");
    REFUSED(sparse_transpose(context, NULL, &csr), PADIC_ERROR_ARGUMENT, "sparse_transpose",
            "out");
    none = csr;
    none.rows = 2;
    none.trusted = PADIC_SPARSE_LEVEL_UNKNOWN;
    REFUSED(sparse_add(context, &csr, &csr, NULL, NULL, NULL), PADIC_ERROR_ARGUMENT,
            "sparse_add", "b ");
    REFUSED(sparse_write(context, &csr, NULL, 9, &size), PADIC_ERROR_ARGUMENT, "sparse_write",
            "out");
    REFUSED(sparse_write(context, &csr, bytes, 9, &size), PADIC_ERROR_CAPACITY,
            "sparse_write", "out.capacity");
    CHECK_EQ(sparse_write(context, &csr, bytes, sizeof bytes, &size), PADIC_OK);
    bytes[size - 9] ^= 1;
    REFUSED(sparse_read(context, &csr, bytes, size), PADIC_ERROR_CHECKSUM, "sparse_read",
            "bytes");
    none.kind = (padic_sparse_kind)7;
    REFUSED(sparse_validate(context, &none, PADIC_SPARSE_LEVEL_STRUCTURE, NULL),
            PADIC_ERROR_ARGUMENT, "sparse_validate", "kind");
}

TEST(sample)
{
    static uint32_t out[8];
    padic_sample_radical_inverse_desc inverse = PADIC_ZERO;
    padic_sample_halton_desc halton = PADIC_ZERO;
    padic_sample_scramble_desc scramble = PADIC_ZERO;
    begin();
    inverse.out = padic_tensor_1d(PADIC_U32, out, 8);
    REFUSED(padic_sample_radical_inverse(context, NULL), PADIC_ERROR_ARGUMENT,
            "sample_radical_inverse", "desc");
    REFUSED(padic_sample_radical_inverse(context, &inverse), PADIC_ERROR_ARGUMENT,
            "sample_radical_inverse", "base");
    inverse.base = 3;
    inverse.first = UINT64_MAX;
    REFUSED(padic_sample_radical_inverse(context, &inverse), PADIC_ERROR_LIMIT,
            "sample_radical_inverse", "first");
    inverse.first = 0;
    inverse.scrambling.mode = PADIC_SAMPLE_MODE_OWEN;
    REFUSED(padic_sample_radical_inverse(context, &inverse), PADIC_ERROR_ARGUMENT,
            "sample_radical_inverse", "scrambling.keys");
    inverse.scrambling.keys = padic_tensor_1d(PADIC_U64, integers, 1);
    REFUSED(padic_sample_radical_inverse(context, &inverse), PADIC_ERROR_CAPACITY,
            "sample_radical_inverse", "scrambling.keys");
    halton.out = padic_tensor_1d(PADIC_U32, out, 8);
    REFUSED(padic_sample_halton(context, &halton), PADIC_ERROR_MISMATCH, "sample_halton", "out");
    halton.out = padic_tensor_2d(PADIC_U32, out, 2, 4);
    halton.dimension = 1023;
    REFUSED(padic_sample_halton(context, &halton), PADIC_ERROR_LIMIT, "sample_halton", "dimension");
    halton.dimension = 0;
    halton.index = padic_tensor_1d(PADIC_U32, integers, 3);
    REFUSED(padic_sample_halton(context, &halton), PADIC_ERROR_MISMATCH, "sample_halton", "index");
    scramble.out = padic_tensor_1d(PADIC_F32, out, 8);
    scramble.base = 3;
    REFUSED(padic_sample_scramble(context, &scramble), PADIC_ERROR_DTYPE, "sample_scramble", "out");
    REFUSED(sample_unscramble(context, NULL), PADIC_ERROR_ARGUMENT, "sample_scramble",
            "desc");
}

static padic_tensor off(padic_tensor t) // one byte further
{
    t.data = (char *)t.data + 1;
    return t;
}

static padic_num_plane plane_off(padic_num_plane plane)
{
    plane.data = (char *)plane.data + 1;
    return plane;
}

TEST(alignment)
{
    padic_num_array *x, *a, *y;
    padic_num_from_int_desc from = PADIC_ZERO;
    padic_num_to_rational_desc r = PADIC_ZERO;
    padic_num_to_digits_desc digits = PADIC_ZERO;
    padic_num_det_desc det = PADIC_ZERO;
    padic_sample_radical_inverse_desc inverse = PADIC_ZERO;
    padic_sparse_encode_desc encode = PADIC_ZERO;
    padic_sparse_encode_report report;
    padic_num_tree tree;
    padic_tensor t;
    begin();
    x = make(&room[0], &ring5, PADIC_NUM_BALL, 4);
    a = make(&room[1], &ring5, PADIC_NUM_BALL, 4);
    x->unit = plane_off(x->unit);
    REFUSED(padic_num_add(context, x, a, a), PADIC_ERROR_ALIGNMENT, "num_add", "out.unit");
    make(&room[0], &ring5, PADIC_NUM_BALL, 4);
    x->val = plane_off(x->val);
    REFUSED(padic_num_add(context, a, a, x), PADIC_ERROR_ALIGNMENT, "num_add", "b.val");
    make(&room[0], &longer, PADIC_NUM_BALL, 4);
    x->known = plane_off(x->known);
    y = make(&room[2], &longer, PADIC_NUM_BALL, 4);
    REFUSED(padic_num_neg(context, y, x), PADIC_ERROR_ALIGNMENT, "num_neg", "a.known");
    y->workspace = (char *)y->workspace + 1;
    y->workspace_size--;
    REFUSED(num_check(context, y, NULL), PADIC_ERROR_CAPACITY, "num_check", "workspace");
    y->workspace_size++;
    REFUSED(padic_num_neg(context, y, y), PADIC_ERROR_ALIGNMENT, "num_neg", "workspace");
    make(&room[0], &ring5, PADIC_NUM_BALL, 4);
    x->sticky = (uint32_t *)(void *)(bytes + 1);
    REFUSED(padic_num_neg(context, x, a), PADIC_ERROR_ALIGNMENT, "num_neg", "sticky");
    make(&room[0], &ring5, PADIC_NUM_FLOAT, 4);
    from.out = *x;
    from.in = off(padic_tensor_1d(PADIC_I64, integers, 4));
    REFUSED(padic_num_from_int(context, &from), PADIC_ERROR_ALIGNMENT, "num_from_int", "in");
    r.in = *x;
    r.numerator = padic_tensor_1d(PADIC_I64, integers, 4);
    r.denominator = off(padic_tensor_1d(PADIC_I64, integers + 8, 4));
    REFUSED(padic_num_to_rational(context, &r), PADIC_ERROR_ALIGNMENT, "num_to_rational",
            "denominator");
    digits.in = *x;
    digits.digits = off(padic_tensor_1d(PADIC_U16, bytes, 40));
    REFUSED(padic_num_to_digits(context, &digits), PADIC_ERROR_ALIGNMENT, "num_to_digits",
            "digits");
    det.matrix = off(padic_tensor_2d(PADIC_I64, integers, 2, 2));
    det.out = padic_tensor_1d(PADIC_I64, integers + 8, 1);
    REFUSED(padic_num_det(context, &det), PADIC_ERROR_ALIGNMENT, "num_det", "matrix");
    make(&room[0], &ring5, PADIC_NUM_RING, 4);
    CHECK_EQ(num_tree_init(&tree, x, 0, bytes + 1, sizeof bytes - 1), PADIC_ERROR_ALIGNMENT);
    CHECK_EQ(num_ring_tables(&ring5, bytes + 1, sizeof bytes), PADIC_ERROR_ALIGNMENT);
    inverse.base = 2;
    inverse.out = off(padic_tensor_1d(PADIC_U32, bytes, 8));
    REFUSED(padic_sample_radical_inverse(context, &inverse), PADIC_ERROR_ALIGNMENT,
            "sample_radical_inverse", "out");
    encode.source.dense = off(padic_tensor_2d(PADIC_F32, doubles, 2, 3));
    REFUSED(sparse_count(context, &encode, NULL, &report), PADIC_ERROR_ALIGNMENT,
            "sparse_count", "dense");
    t = off(padic_tensor_1d(PADIC_I32, integers, 4));
    encode.source.dense = padic_tensor_2d(PADIC_F32, doubles, 2, 3);
    REFUSED(sparse_count(context, &encode, &t, &report), PADIC_ERROR_ALIGNMENT,
            "sparse_count", "row_ptr");
}

// Between a long ring and a short one: placed arrays have work space enough, on either side.
TEST(rings)
{
    padic_num_array *wide, *small, *back;
    padic_num_from_int_desc from = PADIC_ZERO;
    padic_num_to_int_desc to = PADIC_ZERO;
    int64_t got[4];
    int i;
    begin();
    wide = make(&room[0], &longer, PADIC_NUM_FLOAT, 4);
    small = make(&room[1], &ring5, PADIC_NUM_FLOAT, 4);
    back = make(&room[2], &ring7, PADIC_NUM_FLOAT, 4);
    for (i = 0; i < 4; i++) integers[i] = 3 * i - 4;
    from.out = *wide;
    from.in = padic_tensor_1d(PADIC_I64, integers, 4);
    CHECK_EQ(padic_num_from_int(context, &from), PADIC_OK);
    CHECK_EQ(padic_num_set_precision(context, small, wide), PADIC_OK);
    to.in = *small;
    to.out = padic_tensor_1d(PADIC_I64, got, 4);
    to.mode = PADIC_NUM_INT_BALANCED;
    CHECK_EQ(padic_num_to_int(context, &to), PADIC_OK);
    for (i = 0; i < 4; i++) CHECK_EQ(got[i], integers[i]);
    CHECK_EQ(padic_num_change_prime(context, back, wide), PADIC_OK);
    to.in = *back;
    CHECK_EQ(padic_num_to_int(context, &to), PADIC_OK);
    for (i = 0; i < 4; i++) CHECK_EQ(got[i], integers[i]);
    CHECK_EQ(padic_num_change_prime(context, wide, back), PADIC_OK);
    make(&room[3], &other_long, PADIC_NUM_FLOAT, 4);
    CHECK_EQ(padic_num_change_prime(context, &room[3].a, wide), PADIC_OK);
    to.in = room[3].a;
    CHECK_EQ(padic_num_to_int(context, &to), PADIC_OK);
    for (i = 0; i < 4; i++) CHECK_EQ(got[i], integers[i]);
    wide->workspace = NULL;
    wide->workspace_size = 0;
    CHECK_EQ(padic_num_set_precision(context, small, wide), PADIC_ERROR_CAPACITY);
}

// Sums of valuations: v above 2^29 is ZERO with INEXACT, below -2^29 it is NaN with RANGE, for
// every operation that adds them, in vectors too.
enum { VALS = 7 * 7 };
typedef padic_result (*operation)(padic_context *context, padic_num_array *x, padic_num_array *a,
                                  padic_num_array *b);

static padic_result op_mul(padic_context *c, padic_num_array *x, padic_num_array *a,
                           padic_num_array *b)
{
    return padic_num_mul(c, x, a, b);
}

static padic_result op_div(padic_context *c, padic_num_array *x, padic_num_array *a,
                           padic_num_array *b)
{
    return padic_num_div(c, x, a, b);
}

static padic_result op_pow(padic_context *c, padic_num_array *x, padic_num_array *a,
                           padic_num_array *b)
{
    (void)b;
    return padic_num_pow(c, x, a, 3);
}

static padic_result op_square(padic_context *c, padic_num_array *x, padic_num_array *a,
                              padic_num_array *b)
{
    (void)b;
    return padic_num_square(c, x, a);
}

static padic_result op_shift(padic_context *c, padic_num_array *x, padic_num_array *a,
                             padic_num_array *b)
{
    (void)b;
    return padic_num_shift(c, x, a, INT64_MIN);
}

TEST(valuations)
{
    static const int32_t v[7] = {0, 1, -1, 1 << 29, -(1 << 29), (1 << 29) - 1, 1 << 28};
    static const operation ops[5] = {op_mul, op_div, op_pow, op_square, op_shift};
    static const char *const levels[] = {NULL, "neon", "avx2", "avx512", "avx512ifma"};
    padic_num_array *x, *a, *b;
    uint32_t level, model, op, i;
    begin();
    for (level = 0; level < 5; level++) {
        padic_context_desc desc = PADIC_ZERO;
        padic_context *at = NULL;
        desc.backends[0] = padic_simd();
        desc.device.name = levels[level];
        if (level && padic_context_create(&desc, &at)) continue;
        for (model = PADIC_NUM_FLOAT; model <= PADIC_NUM_BALL; model++)
            for (op = 0; op < 5; op++) {
                x = make(&room[0], &ring5, (padic_num_model)model, VALS);
                a = make(&room[1], &ring5, (padic_num_model)model, VALS);
                b = make(&room[2], &ring5, (padic_num_model)model, VALS);
                for (i = 0; i < VALS; i++) {
                    padic_num_value value = PADIC_ZERO;
                    value.u[0] = 2;
                    value.n = 10;
                    value.v = v[i % 7];
                    CHECK_EQ(padic_num_set(a, i, &value), PADIC_OK);
                    value.v = v[i / 7];
                    CHECK_EQ(padic_num_set(b, i, &value), PADIC_OK);
                }
                CHECK_EQ((*ops[op])(at, x, a, b), PADIC_OK);
                for (i = 0; i < VALS; i++) {
                    const int64_t p = v[i % 7], q = v[i / 7];
                    const int64_t want = op == 0   ? p + q
                                         : op == 1 ? p - q
                                         : op == 2 ? 3 * p
                                         : op == 3 ? 2 * p
                                                   : -(INT64_C(1) << 40);
                    const uint8_t status = ((const uint8_t *)x->status.data)[i];
                    padic_num_value got;
                    CHECK_EQ(padic_num_get(x, i, &got), PADIC_OK);
                    CHECK_EQ(got.v, want > 1 << 29      ? PADIC_NUM_ZERO
                                    : want < -(1 << 29) ? PADIC_NUM_NAN
                                                        : (int32_t)want);
                    CHECK_EQ(status, want > 1 << 29      ? PADIC_NUM_INEXACT
                                     : want < -(1 << 29) ? PADIC_NUM_RANGE
                                                         : 0);
                }
            }
        if (at) padic_context_destroy(at);
    }
    padic_context_destroy(context);
    context = NULL;
}

TEST_MAIN("num_messages", CASE(arithmetic), CASE(conversions), CASE(series), CASE(sparse),
          CASE(sample), CASE(alignment), CASE(rings), CASE(valuations))
