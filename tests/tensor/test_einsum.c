// padic_tensor_einsum() and its path: random expressions against the definition by
// nested loops in long double, closed forms from physics, every order of small networks, memory to
// the byte, slices, what must be refused and where.
#define PADIC_IMPLEMENTATION
#include "../../padic.h"
#include "../support/padic_test.h"
#include <math.h>

#define LENGTH(x) ((int)(sizeof(x) / sizeof *(x)))

static double normal(void)
{
    double s = -6;
    for (int i = 0; i < 12; i++) s += (double)(test_random() >> 11) / 9007199254740992.0;
    return s;
}

// Network: operands as strings of letters, sizes by letter.
typedef struct net {
    int count;
    char label[64][12], out[12];
    uint64_t size[128];
    padic_tensor_term term[64];
    void *block[65];
    padic_dtype dtype[65]; // the last: of the result
    char text[900];
} net;

static uint64_t extent(const net *n, const char *labels)
{
    uint64_t v = 1;
    for (; *labels; labels++) v *= n->size[(int)*labels];
    return v;
}

static double *numbers(uint64_t count) // complex ones
{
    double *x = (double *)malloc((size_t)(count ? count : 1) * 16);
    for (uint64_t i = 0; i < 2 * count; i++) x[i] = normal();
    return x;
}

// Views with strides: 0 dense, 1 axes in the opposite order in memory, 2 negative.
static padic_tensor view_of(const net *n, const char *labels, padic_dtype dtype, double *data,
                            int kind)
{
    uint64_t shape[8] = {0}, step = 1;
    const uint32_t rank = (uint32_t)strlen(labels);
    for (uint32_t i = 0; i < rank; i++) shape[i] = n->size[(int)labels[i]];
    padic_tensor t = padic_tensor_nd(dtype, data, rank, shape);
    for (uint32_t i = 0; i < rank && kind; i++) {
        const uint32_t axis = kind == 1 ? i : rank - 1 - i;
        t.stride[axis] = kind == 2 ? -(int64_t)step : (int64_t)step;
        step *= shape[axis] ? shape[axis] : 1;
    }
    if (kind == 2 && rank)
        t.data = (char *)data + (step - 1) * (uint64_t)padic_dtype_size(dtype);
    return t;
}

static padic_tensor_einsum_desc describe(net *n, int kinds)
{
    padic_tensor_einsum_desc desc = PADIC_ZERO;
    n->text[0] = 0;
    for (int i = 0; i < n->count; i++) {
        if (i) strcat(n->text, ",");
        strcat(n->text, n->label[i]);
        n->block[i] = numbers(extent(n, n->label[i]));
        memset(&n->term[i], 0, sizeof n->term[i]);
        n->term[i].tensor = view_of(n, n->label[i], n->dtype[i], (double *)n->block[i],
                                    kinds ? (int)(test_random() % 3) : 0);
    }
    strcat(n->text, "->");
    strcat(n->text, n->out);
    n->block[64] = numbers(extent(n, n->out));
    desc.expression = n->text;
    desc.operands = n->term;
    desc.count = (uint32_t)n->count;
    desc.out.tensor = view_of(n, n->out, n->dtype[64], (double *)n->block[64], kinds ? 1 : 0);
    return desc;
}

static void release(net *n)
{
    for (int i = 0; i < n->count; i++) free(n->block[i]);
    free(n->block[64]);
}

static void number_at(const padic_tensor *t, int64_t at, long double z[2])
{
    const double *d = (const double *)t->data;
    z[0] = t->dtype == PADIC_F64 ? d[at] : d[2 * at];
    z[1] = t->dtype == PADIC_F64 ? 0 : d[2 * at + 1];
}

static int64_t place(const net *n, const padic_tensor *t, const char *labels, const uint64_t *value)
{
    int64_t at = 0, step = 1, given = 0;
    for (uint32_t i = 0; i < t->rank; i++) given |= t->stride[i];
    for (uint32_t i = t->rank; i-- > 0;) {
        at += (int64_t)value[(int)labels[i]] * (given ? t->stride[i] : step);
        step *= (int64_t)n->size[(int)labels[i]];
    }
    return at;
}

// Largest |result - definition| over the largest sum of absolute values.
static double wrong(const net *n, const padic_tensor_einsum_desc *desc)
{
    char all[64] = "";
    uint64_t value[128] = {0}, total = 1, outs = extent(n, n->out);
    double worst = 0, scale = 0;
    strcpy(all, n->out);
    for (int i = 0; i < n->count; i++)
        for (const char *l = n->label[i]; *l; l++)
            if (!strchr(all, *l)) {
                const size_t end = strlen(all);
                all[end] = *l, all[end + 1] = 0;
            }
    total = extent(n, all);
    for (uint64_t o = 0; o < outs; o++) {
        long double sum[2] = {0, 0}, big = 0, z[2];
        uint64_t rest = o;
        for (size_t l = strlen(n->out); l-- > 0;) {
            value[(int)all[l]] = rest % n->size[(int)all[l]];
            rest /= n->size[(int)all[l]];
        }
        for (uint64_t k = 0; k < total / outs; k++) {
            long double p[2] = {1, 0};
            rest = k;
            for (size_t l = strlen(n->out); all[l]; l++) {
                value[(int)all[l]] = rest % n->size[(int)all[l]];
                rest /= n->size[(int)all[l]];
            }
            for (int i = 0; i < n->count; i++) {
                const padic_tensor *t = &n->term[i].tensor;
                number_at(t, place(n, t, n->label[i], value), z);
                if (n->term[i].conj) z[1] = -z[1];
                const long double re = p[0] * z[0] - p[1] * z[1];
                p[1] = p[0] * z[1] + p[1] * z[0];
                p[0] = re;
            }
            sum[0] += p[0], sum[1] += p[1];
            big += hypotl(p[0], p[1]);
        }
        number_at(&desc->out.tensor, place(n, &desc->out.tensor, n->out, value), z);
        const double off = (double)hypotl(z[0] - sum[0], z[1] - sum[1]);
        if (!(off <= worst)) worst = off;
        if ((double)big > scale) scale = (double)big;
    }
    return scale > 0 ? worst / scale : worst;
}

// Up to `most` operands of up to `rank` labels out of `letters`; total work below 2^18.
static void draw(net *n, int most, int rank, int letters)
{
    double work;
    do {
        char used[32] = "";
        memset(n, 0, sizeof *n);
        work = 1;
        n->count = 1 + (int)(test_random() % (uint64_t)most);
        for (int l = 0; l < 128; l++) n->size[l] = 1 + test_random() % 4;
        n->dtype[64] = PADIC_F64;
        for (int i = 0; i < n->count; i++) {
            const int r = (int)(test_random() % (uint64_t)(rank + 1));
            for (int j = 0; j < r; j++) {
                const char l = (char)((test_random() % 2 ? 'a' : 'A') +
                                      (int)(test_random() % (uint64_t)letters));
                n->label[i][j] = l;
                if (!strchr(used, l)) used[strlen(used)] = l, work *= (double)n->size[(int)l];
            }
            n->dtype[i] = test_random() % 3 ? PADIC_C128 : PADIC_F64;
            if (n->dtype[i] == PADIC_C128) n->dtype[64] = PADIC_C128;
        }
        for (const char *l = used; *l; l++)
            if (test_random() % 3 == 0 && strlen(n->out) < 8) n->out[strlen(n->out)] = *l;
    } while (work > 262144.0 || n->count == 0);
}

static double *space; // workspace of the tests
static const uint64_t space_size = 1 << 22;

static void set_space(padic_tensor_einsum_desc *desc, uint64_t bytes)
{
    if (!space) space = (double *)malloc((size_t)space_size);
    desc->workspace = padic_tensor_1d(PADIC_U8, space, bytes);
}

TEST(random_expressions)
{
    int steps = 0, sliced = 0, refused = 0;
    for (int round = 0; round < (test_tiny ? 60 : 1500); round++) {
        static net n;
        draw(&n, 8, 5, 5);
        padic_tensor_einsum_desc desc = describe(&n, 1);
        padic_tensor_path path = PADIC_ZERO;
        for (int i = 0; i < n.count; i++) n.term[i].conj = test_random() % 2;
        desc.method = (uint32_t)(round % 2);
        desc.objective = (uint32_t)(round / 2 % 3);
        CHECK_EQ(padic_tensor_einsum_info(NULL, &desc, &path), PADIC_OK);
        REQUIRE(path.workspace_bytes <= space_size);
        set_space(&desc, path.workspace_bytes);
        CHECK_EQ(padic_tensor_einsum(NULL, &desc), PADIC_OK);
        CHECK(wrong(&n, &desc) <= 1e-14);
        steps += (int)path.steps;
        // Less memory: the same, or refused.
        desc.memory_limit = path.workspace_bytes / 3 / 64 * 64 + 64;
        const padic_result result = padic_tensor_einsum_info(NULL, &desc, &path);
        CHECK(result == PADIC_OK || result == PADIC_ERROR_LIMIT);
        sliced += path.slices > 1;
        refused += result != PADIC_OK;
        if (result == PADIC_OK) {
            CHECK(path.workspace_bytes <= desc.memory_limit);
            desc.path = round % 3 ? &path : NULL;
            set_space(&desc, path.workspace_bytes);
            CHECK_EQ(padic_tensor_einsum(NULL, &desc), PADIC_OK);
            CHECK(wrong(&n, &desc) <= 1e-14);
        }
        release(&n);
    }
    CHECK(steps > 100 && sliced > 4 && refused < 600);
}

// Ising on a torus: a spin is one index of all its bonds. Z at beta = ln(1 + sqrt 2) / 2.
TEST(ising_torus)
{
    static const struct {
        int rows, columns;
        double z;
    } cases[] = {{2, 2, 80}, {3, 3, 8268.5414075}, {3, 4, 136043.2207156}, {4, 4, 5509120}};
    const double beta = log(1 + sqrt(2.0)) / 2;
    double bond[2][2];
    for (int i = 0; i < 4; i++) bond[i / 2][i % 2] = exp(i % 3 ? -beta : beta);
    for (int c = 0; c < LENGTH(cases); c++) {
        padic_tensor_einsum_desc desc = PADIC_ZERO;
        padic_tensor_term term[64];
        padic_tensor_path path = PADIC_ZERO;
        uint8_t labels[64][2];
        double z = 0;
        memset(term, 0, sizeof term);
        for (int i = 0; i < cases[c].rows; i++)
            for (int j = 0; j < cases[c].columns; j++)
                for (int way = 0; way < 2; way++) {
                    const int k = 2 * (i * cases[c].columns + j) + way;
                    const int x = (i + way) % cases[c].rows, y = (j + 1 - way) % cases[c].columns;
                    labels[k][0] = (uint8_t)(3 * (i * cases[c].columns + j)); // any values
                    labels[k][1] = (uint8_t)(3 * (x * cases[c].columns + y));
                    term[k].tensor = padic_tensor_2d(PADIC_F64, bond, 2, 2);
                    term[k].labels = labels[k];
                    desc.count++;
                }
        desc.operands = term;
        desc.out.tensor = padic_tensor_nd(PADIC_F64, &z, 0, NULL);
        CHECK_EQ(padic_tensor_einsum_info(NULL, &desc, &path), PADIC_OK);
        REQUIRE(path.workspace_bytes <= space_size);
        set_space(&desc, space_size);
        CHECK_EQ(padic_tensor_einsum(NULL, &desc), PADIC_OK);
        CHECK_NEAR(z, cases[c].z, c == 0 || c == 3 ? 1e-12 * cases[c].z : 6e-8);
        // In less memory, by slices.
        if (c < 2) continue; // a result takes 64 bytes at least
        desc.memory_limit = path.workspace_bytes / 2;
        const double whole = z;
        CHECK_EQ(padic_tensor_einsum_info(NULL, &desc, &path), PADIC_OK);
        CHECK(path.slices > 1 && path.workspace_bytes <= desc.memory_limit);
        CHECK_EQ(padic_tensor_einsum(NULL, &desc), PADIC_OK);
        CHECK_NEAR(z, whole, 1e-12 * whole);
    }
}

// One number from operands of complex doubles with up to 4 axes.
static double number(const char *expression, int count, const double *const *data,
                     uint64_t (*shape)[5], uint64_t conjugated)
{
    padic_tensor_einsum_desc desc = PADIC_ZERO;
    padic_tensor_term term[32];
    double z[2] = {0, 0};
    memset(term, 0, sizeof term);
    for (int i = 0; i < count; i++) {
        uint32_t rank = 0;
        while (shape[i][rank]) rank++;
        term[i].tensor = padic_tensor_nd(PADIC_C128, (void *)(uintptr_t)data[i], rank, shape[i]);
        term[i].conj = (uint32_t)(conjugated >> i & 1);
    }
    desc.expression = expression;
    desc.operands = term;
    desc.count = (uint32_t)count;
    desc.out.tensor = padic_tensor_nd(PADIC_C128, z, 0, NULL);
    set_space(&desc, space_size);
    CHECK_EQ(padic_tensor_einsum(NULL, &desc), PADIC_OK);
    CHECK(fabs(z[1]) < 1e-12);
    return z[0];
}

// AKLT: sites (s, left, right). Transfer matrix: traces of its powers are 1 + 3 (-1/3)^n, so its
// eigenvalues are 1 and -1/3 three times; S.S + (S.S)^2 / 3 of a bond of the ring is -2/3.
TEST(aklt)
{
    static double a[3][2][2][2], h[3][3][3][3][2];
    static const char letters[] = "abcdefghijklmnop";
    double trace[6];
    a[0][0][1][0] = sqrt(2.0 / 3), a[2][1][0][0] = -sqrt(2.0 / 3);
    a[1][0][0][0] = -sqrt(1.0 / 3), a[1][1][1][0] = sqrt(1.0 / 3);
    for (int n = 1; n <= 5; n++) { // ring of n sites: spins, bonds above, bonds below
        char text[128] = "", word[8];
        const double *data[32];
        uint64_t shape[32][5] = {{0}}, conj = 0;
        for (int i = 0; i < 2 * n; i++) {
            const int site = i / 2, low = i % 2;
            snprintf(word, sizeof word, "%s%c%c%c", i ? "," : "", 'A' + site,
                     letters[site + low * 8], letters[(site + 1) % n + low * 8]);
            strcat(text, word);
            data[i] = &a[0][0][0][0];
            shape[i][0] = 3, shape[i][1] = shape[i][2] = 2;
            conj |= (uint64_t)low << i;
        }
        strcat(text, "->");
        trace[n] = number(text, 2 * n, data, shape, conj);
        CHECK_NEAR(trace[n], 1 + 3 * pow(-1.0 / 3, n), 1e-12);
    }
    // h = S.S + (S.S)^2 / 3 on two spins 1.
    double ss[9][9] = {{0}};
    const double m[3] = {1, 0, -1}, r2 = sqrt(2.0);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            ss[3 * i + j][3 * i + j] = m[i] * m[j];
            if (i > 0 && j < 2) ss[3 * (i - 1) + j + 1][3 * i + j] = r2 * r2 / 2;
            if (i < 2 && j > 0) ss[3 * (i + 1) + j - 1][3 * i + j] = r2 * r2 / 2;
        }
    for (int i = 0; i < 9; i++)
        for (int j = 0; j < 9; j++) {
            double square = 0;
            for (int k = 0; k < 9; k++) square += ss[i][k] * ss[k][j];
            h[i / 3][i % 3][j / 3][j % 3][0] = ss[i][j] + square / 3;
        }
    const double *data[9];
    uint64_t shape[9][5] = {{0}};
    for (int i = 0; i < 8; i++) {
        data[i] = &a[0][0][0][0];
        shape[i][0] = 3, shape[i][1] = shape[i][2] = 2;
    }
    data[8] = &h[0][0][0][0][0];
    for (int i = 0; i < 4; i++) shape[8][i] = 3;
    const double energy = number("Aab,Bbc,Ccd,Dda,Xij,Yjk,Ckl,Dli,XYAB->", 9, data, shape, 0xf0);
    CHECK_NEAR(energy / trace[4], -2.0 / 3, 1e-12);
    CHECK_NEAR(-1 / log(fabs(trace[3] - 1) / fabs(trace[2] - 1)), 1 / log(3.0), 1e-12);
}

// GHZ and W of 6 sites as matrix products (s, left, right) with end vectors.
TEST(ghz_and_w)
{
    static double ghz[2][2][2][2], w[2][2][2][2], plus[2][2], first[2][2], ends[2][2], last[2][2];
    static const char text[] = "i,Aij,Bjk,Ckl,Dlm,Emn,Fno,o";
    const double *const mps[2] = {&ghz[0][0][0][0], &w[0][0][0][0]};
    ghz[0][0][0][0] = ghz[1][1][1][0] = 1;                  // diagonal
    w[0][0][0][0] = w[0][1][1][0] = w[1][0][1][0] = 1;      // one step from 0 to 1
    plus[0][0] = plus[1][0] = sqrt(0.5);
    ends[0][0] = ends[1][0] = 1, first[0][0] = 1, last[1][0] = 1;
    for (int x = 0; x < 2; x++) {
        const double norm = x ? sqrt(6.0) : sqrt(2.0);
        for (int y = 0; y < 3; y++) { // with GHZ, W, the product state
            char all[128];
            const double *data[32];
            uint64_t shape[32][5] = {{0}};
            int n = 0;
            for (int half = 0; half < 2; half++)
                for (int i = 0; i < 8; i++) {
                    const int which = half ? y : x, end = i % 7 == 0;
                    if (which == 2 && end) continue;
                    data[n] = end ? (which == 0 ? ends[0] : i ? last[0] : first[0])
                                  : which == 2 ? plus[0] : mps[which];
                    shape[n][0] = 2;
                    if (!end && which < 2) shape[n][1] = shape[n][2] = 2;
                    n++;
                }
            snprintf(all, sizeof all, "%s,%s->", text,
                     y == 2 ? "A,B,C,D,E,F" : "p,Apq,Bqr,Crs,Dst,Etu,Fuv,v");
            const double overlap = number(all, n, data, shape, 0);
            const double other = y == 0 ? sqrt(2.0) : y == 1 ? sqrt(6.0) : 1;
            const double want = y == 2 ? (x ? sqrt(6.0) / 8 : sqrt(2.0) / 8) : x == y;
            CHECK_NEAR(overlap / norm / other, want, 1e-12);
        }
    }
}

// Matrix chain 30 x 35, 35 x 15, ...: multiplications.
TEST(chain)
{
    static const uint64_t sizes[] = {30, 35, 15, 5, 10, 20, 25};
    static net n;
    padic_tensor_path path = PADIC_ZERO;
    memset(&n, 0, sizeof n);
    n.count = 6;
    for (int i = 0; i < 7; i++) n.size['a' + i] = sizes[i];
    for (int i = 0; i < 6; i++) {
        n.label[i][0] = (char)('a' + i), n.label[i][1] = (char)('b' + i);
        n.dtype[i] = PADIC_F64;
    }
    strcpy(n.out, "ag");
    n.dtype[64] = PADIC_F64;
    padic_tensor_einsum_desc desc = describe(&n, 0);
    CHECK_EQ(padic_tensor_einsum_info(NULL, &desc, &path), PADIC_OK);
    CHECK_EQ(path.flops, 2 * 15125);
    CHECK_EQ(path.steps, 5);
    desc.method = PADIC_TENSOR_METHOD_LEFT;
    CHECK_EQ(padic_tensor_einsum_info(NULL, &desc, &path), PADIC_OK);
    CHECK_EQ(path.flops, 2 * 40500);
    release(&n);
}

// The test's own cost of contracting two sets of labels (bits) next to others.
typedef struct cost {
    double flops;
    uint32_t left;
} cost;

static cost join(const uint64_t *size, uint32_t a, uint32_t b, uint32_t rest)
{
    cost c = {1, (a | b) & rest};
    for (int l = 0; l < 16; l++)
        if ((a | b) >> l & 1) c.flops *= (double)size[l];
    return c;
}

// The least flops of all orders that contract only neighbours.
static double every_order(const uint64_t *size, const uint32_t *set, int count, uint32_t out)
{
    double best = HUGE_VAL;
    if (count == 1) return 0;
    for (int i = 0; i < count; i++)
        for (int j = 0; j < i; j++) {
            uint32_t next[8], rest = out;
            int n = 0;
            if (!(set[i] & set[j])) continue;
            for (int k = 0; k < count; k++)
                if (k != i && k != j) next[n++] = set[k], rest |= set[k];
            const cost c = join(size, set[i], set[j], rest);
            next[n++] = c.left;
            const double all = c.flops + every_order(size, next, n, out);
            if (all < best) best = all;
        }
    return best;
}

// A connected network of n operands over letters a to p, as bits too.
static uint32_t connected(net *n, int count, uint32_t *set, uint64_t *size)
{
    uint32_t out = 0, used = 0;
    memset(n, 0, sizeof *n);
    memset(set, 0, 8 * sizeof *set);
    n->count = count;
    for (int l = 0; l < 16; l++) n->size['a' + l] = size[l] = 2 + test_random() % 5;
    for (int i = 1; i < count; i++) { // a tree
        const int j = (int)(test_random() % (uint64_t)i);
        set[i] |= 1u << i, set[j] |= 1u << i;
    }
    for (int k = 0; k < count; k++) { // more of it: hyperindices, too
        const int i = (int)(test_random() % (uint64_t)count);
        const uint32_t l = (uint32_t)(1 + test_random() % 11);
        if (l < (uint32_t)count || test_random() % 2) set[i] |= 1u << l;
    }
    for (int i = 0; i < count; i++) used |= set[i];
    for (int l = 0; l < 12; l++)
        if ((used >> l & 1) && test_random() % 5 == 0) out |= 1u << l;
    for (int i = 0; i <= count; i++) {
        char *to = i < count ? n->label[i] : n->out;
        for (int l = 0; l < 16; l++)
            if (((i < count ? set[i] : out) >> l & 1) && strlen(to) < 8)
                to[strlen(to)] = (char)('a' + l);
            else if (i < count) set[i] &= ~(1u << l);
            else out &= ~(1u << l);
        n->dtype[i < count ? i : 64] = PADIC_F64;
    }
    return out;
}

// flops, writes and peak as this program counts them along a path.
static void count_path(const padic_tensor_path *path, const uint64_t *whole, const uint32_t *set,
                       int count, uint32_t out, uint64_t numbers_[3])
{
    uint32_t sets[16];
    uint64_t size[16], bytes[16] = {0}, live = 0;
    int gone[16] = {0};
    memcpy(sets, set, (size_t)count * sizeof *set);
    memcpy(size, whole, sizeof size);
    numbers_[0] = numbers_[1] = numbers_[2] = 0;
    for (uint32_t i = 0; i < path->slice_count; i++) size[path->slice[i] - 26] = 1;
    for (int s = 0; s < (int)path->steps; s++) {
        uint32_t rest = out;
        const int a = path->left[s], b = path->right[s];
        for (int i = 0; i < count + s; i++)
            if (!gone[i] && i != a && i != b) rest |= sets[i];
        const cost c = join(size, sets[a], sets[b], rest);
        sets[count + s] = c.left;
        numbers_[0] += 2 * (uint64_t)c.flops;
        const uint64_t elements = (uint64_t)join(size, c.left, 0, c.left).flops;
        numbers_[1] += elements;
        if (s + 1 < (int)path->steps) bytes[count + s] = (elements * 8 + 63) / 64 * 64;
        live += bytes[count + s];
        if (live > numbers_[2]) numbers_[2] = live;
        live -= bytes[a] + bytes[b];
        gone[a] = gone[b] = 1;
    }
    numbers_[0] *= path->slices;
    numbers_[1] *= path->slices;
}

// Up to 7 operands: AUTO is the best of all orders; its numbers are what this program counts, also
// with slices; PEAK and WRITES are no worse than FLOPS in what they are after.
TEST(every_order)
{
    int sliced = 0;
    for (int round = 0; round < (test_tiny ? 10 : 120); round++) {
        static net n;
        uint32_t set[8];
        uint64_t size[16], counted[3];
        padic_tensor_path path = PADIC_ZERO, other = PADIC_ZERO;
        const int count = 3 + round % 5;
        const uint32_t out = connected(&n, count, set, size);
        padic_tensor_einsum_desc desc = describe(&n, 0);
        CHECK_EQ(padic_tensor_einsum_info(NULL, &desc, &path), PADIC_OK);
        count_path(&path, size, set, count, out, counted);
        CHECK_EQ(path.flops, counted[0]);
        CHECK_EQ(path.writes, counted[1]);
        CHECK_EQ(path.peak_bytes, counted[2]);
        CHECK(path.workspace_bytes >= path.peak_bytes);
        if (count < 7 || round % 4 == 0)
            CHECK(2 * every_order(size, set, count, out) == (double)path.flops);
        desc.objective = PADIC_TENSOR_OBJECTIVE_PEAK;
        CHECK_EQ(padic_tensor_einsum_info(NULL, &desc, &other), PADIC_OK);
        CHECK(other.peak_bytes <= path.peak_bytes && other.flops >= path.flops);
        desc.objective = PADIC_TENSOR_OBJECTIVE_WRITES;
        CHECK_EQ(padic_tensor_einsum_info(NULL, &desc, &other), PADIC_OK);
        CHECK(other.flops + 64 * other.writes <= path.flops + 64 * path.writes);
        desc.objective = PADIC_TENSOR_OBJECTIVE_FLOPS;
        desc.memory_limit = path.workspace_bytes / 2 + 64;
        if (padic_tensor_einsum_info(NULL, &desc, &other) == PADIC_OK) {
            CHECK(other.workspace_bytes <= desc.memory_limit);
            count_path(&other, size, set, count, out, counted);
            CHECK_EQ(other.flops, counted[0]);
            CHECK_EQ(other.peak_bytes, counted[2]);
            sliced += other.slices > 1;
            // The same path, given.
            padic_tensor_path given = other;
            desc.method = PADIC_TENSOR_METHOD_GIVEN;
            given.flops = 1, given.slices = 9;
            desc.memory_limit = 0;
            desc.path = &given;
            CHECK_EQ(padic_tensor_einsum_info(NULL, &desc, &given), PADIC_OK);
            CHECK_EQ(given.flops, path.flops);
            desc.path = NULL;
        }
        release(&n);
    }
    CHECK(sliced > (test_tiny ? 0 : 10));
}

// A host's memory that knows how much of it is in use.
typedef struct heap {
    uint64_t live, peak;
} heap;

static void *heap_alloc(size_t size, size_t align, void *user)
{
    heap *h = (heap *)user;
    (void)align;
    h->live += size;
    if (h->live > h->peak) h->peak = h->live;
    return malloc(size + 64); // at 16
}

static void heap_free(void *p, size_t size, void *user)
{
    ((heap *)user)->live -= size;
    free(p);
}

// What is predicted is what is used: the workspace is touched to its last block of 64 bytes and not
// beyond, one byte less is refused, nothing else grows with the network, and the pool gives no more
// than its rounding.
TEST(workspace)
{
    uint64_t books = 0;
    for (int round = 0; round < 40; round++) {
        static net n;
        uint32_t set[8];
        uint64_t size[16], top = 0;
        heap h = {0, 0};
        padic_context_desc how = PADIC_ZERO;
        padic_context *context = NULL;
        padic_tensor_path path = PADIC_ZERO;
        padic_stats stats;
        (void)connected(&n, 3 + round % 5, set, size);
        padic_tensor_einsum_desc desc = describe(&n, 0);
        how.allocator.alloc = heap_alloc, how.allocator.free = heap_free, how.allocator.user = &h;
        REQUIRE(!padic_context_create(&how, &context));
        CHECK_EQ(padic_tensor_einsum_info(context, &desc, &path), PADIC_OK);
        REQUIRE(path.workspace_bytes + 4096 <= space_size);
        set_space(&desc, path.workspace_bytes);
        memset(space, 0x5a, (size_t)path.workspace_bytes + 4096);
        desc.path = &path;
        h.peak = h.live;
        const uint64_t before = h.live;
        CHECK_EQ(padic_tensor_einsum(context, &desc), PADIC_OK);
        CHECK(wrong(&n, &desc) <= 1e-14);
        if (!books) books = h.peak - before;
        CHECK_EQ(h.peak - before, books);
        CHECK(books < 100 << 10);
        for (uint64_t i = 0; i < path.workspace_bytes + 4096; i++)
            if (((unsigned char *)space)[i] != 0x5a) top = i + 1;
        CHECK(top <= path.workspace_bytes && top + 64 > path.workspace_bytes);
        if (path.workspace_bytes) {
            char bytes[32];
            set_space(&desc, path.workspace_bytes - 1);
            memset(n.block[64], 0x33, (size_t)extent(&n, n.out) * 8);
            CHECK_EQ(padic_tensor_einsum(context, &desc), PADIC_ERROR_CAPACITY);
            CHECK_EQ(padic_tensor_einsum(NULL, &desc), PADIC_ERROR_CAPACITY);
            snprintf(bytes, sizeof bytes, "%lu", (unsigned long)path.workspace_bytes);
            CHECK(strstr(padic_context_message(context), bytes) != NULL);
            CHECK(((unsigned char *)n.block[64])[0] == 0x33);
            memset(&desc.workspace, 0, sizeof desc.workspace);
            CHECK_EQ(padic_tensor_einsum(NULL, &desc), PADIC_OK); // from malloc
            CHECK(wrong(&n, &desc) <= 1e-14);
            memset(n.block[64], 0x33, (size_t)extent(&n, n.out) * 8);
            CHECK_EQ(padic_tensor_einsum(context, &desc), PADIC_OK);
            padic_context_stats(context, &stats);
            CHECK(stats.pool_peak >= path.workspace_bytes);
            CHECK(stats.pool_peak <= path.workspace_bytes * 5 / 4 + 256);
            CHECK(stats.pool_live == 0);
        }
        padic_context_destroy(context);
        CHECK_EQ(h.live, 0);
        release(&n);
    }
}

// Operands, result and workspace in buffers; the path kept for the next call.
TEST(buffers)
{
    static double a[3][4], b[4][5], c[5][2], want[3][2], got[3][2];
    padic_context *context = NULL;
    padic_tensor_einsum_desc desc = PADIC_ZERO;
    padic_tensor_term term[3];
    padic_buffer_desc size = PADIC_ZERO;
    padic_buffer all, work;
    memset(term, 0, sizeof term);
    for (int i = 0; i < 12; i++) a[i / 4][i % 4] = i - 5;
    for (int i = 0; i < 20; i++) b[i / 5][i % 5] = i % 7 - 3;
    for (int i = 0; i < 10; i++) c[i / 2][i % 2] = i % 3 - 1;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 2; j++)
            for (int k = 0; k < 20; k++)
                want[i][j] += a[i][k / 5] * b[k / 5][k % 5] * c[k % 5][j];
    REQUIRE(!padic_context_create(NULL, &context));
    size.size = 48 * 8;
    REQUIRE(!padic_buffer_create(context, &size, &all));
    size.size = 1024;
    REQUIRE(!padic_buffer_create(context, &size, &work));
    CHECK_EQ(padic_buffer_upload(context, all, 0, a, sizeof a), PADIC_OK);
    CHECK_EQ(padic_buffer_upload(context, all, 96, b, sizeof b), PADIC_OK);
    CHECK_EQ(padic_buffer_upload(context, all, 256, c, sizeof c), PADIC_OK);
    term[0].tensor = padic_tensor_in(padic_tensor_2d(PADIC_F64, NULL, 3, 4), all, 0);
    term[1].tensor = padic_tensor_in(padic_tensor_2d(PADIC_F64, NULL, 4, 5), all, 12);
    term[2].tensor = padic_tensor_in(padic_tensor_2d(PADIC_F64, NULL, 5, 2), all, 32);
    desc.out.tensor = padic_tensor_in(padic_tensor_2d(PADIC_F64, NULL, 3, 2), all, 42);
    desc.workspace = padic_tensor_in(padic_tensor_1d(PADIC_U8, NULL, 512), work, 16);
    desc.expression = "ab,bc,cd";
    desc.operands = term;
    desc.count = 3;
    for (int i = 0; i < 2; i++) {
        CHECK_EQ(padic_tensor_einsum(context, &desc), PADIC_OK);
        CHECK_EQ(padic_buffer_download(context, all, 336, got, sizeof got), PADIC_OK);
        CHECK(!memcmp(got, want, sizeof got));
    }
    desc.workspace = padic_tensor_in(padic_tensor_1d(PADIC_U8, NULL, 512), all, 0);
    CHECK(padic_tensor_einsum(context, &desc) != PADIC_OK); // reaches beyond, and overlaps
    desc.workspace = padic_tensor_in(padic_tensor_1d(PADIC_U8, NULL, 512), work, 8);
    CHECK_EQ(padic_tensor_einsum(context, &desc), PADIC_ERROR_ARGUMENT);
    desc.workspace = padic_tensor_in(padic_tensor_1d(PADIC_U8, NULL, 512), work, 0);
    desc.out.tensor.offset = 0;
    CHECK_EQ(padic_tensor_einsum(context, &desc), PADIC_ERROR_OVERLAP);
    padic_context_destroy(context);
}

// Small integers by expressions of one and two operands: result shapes and numbers.
static void small(const char *expression, padic_tensor a, const padic_tensor *b, padic_tensor out,
                  const double *want)
{
    padic_tensor_einsum_desc desc = PADIC_ZERO;
    padic_tensor_term term[2];
    memset(term, 0, sizeof term);
    term[0].tensor = a;
    if (b) term[1].tensor = *b;
    desc.expression = expression;
    desc.operands = term;
    desc.count = b ? 2 : 1;
    desc.out.tensor = out;
    memset(out.data, 0xff, (size_t)padic_tensor_count(&out) * 8);
    CHECK_EQ(padic_tensor_einsum(NULL, &desc), PADIC_OK);
    for (uint64_t i = 0; i < padic_tensor_count(&out); i++)
        CHECK(((double *)out.data)[i] == want[i]);
}

TEST(grammar)
{
    static double a[6] = {1, 2, 3, 4, 5, 6}, b[3] = {10, 100, 1000}, c[24], out[24];
    static const uint64_t one[3] = {2, 1, 3}, two[3] = {2, 2, 3};
    static const double turned[] = {1, 4, 2, 5, 3, 6}, diagonal[] = {0, 8, 16};
    static const double sums[] = {6, 15}, product[] = {3210, 6540}, scalar[] = {9750};
    static const double spread[] = {1, 2, 3, 1, 2, 3, 4, 5, 6, 4, 5, 6};
    static const double ones[6] = {1, 1, 1, 1, 1, 1};
    for (int i = 0; i < 24; i++) c[i] = i;
    const padic_tensor m = padic_tensor_2d(PADIC_F64, a, 2, 3);
    const padic_tensor v = padic_tensor_1d(PADIC_F64, b, 3);
    padic_tensor s = padic_tensor_2d(PADIC_F64, c, 3, 3);
    s.stride[0] = 6, s.stride[1] = 2; // 0 2 4, 6 8 10, 12 14 16
    small("ab->ba", m, NULL, padic_tensor_2d(PADIC_F64, out, 3, 2), turned);
    small("ba", m, NULL, padic_tensor_2d(PADIC_F64, out, 3, 2), turned); // a before b
    small("ab->a", m, NULL, padic_tensor_1d(PADIC_F64, out, 2), sums);
    small("aa->a", s, NULL, padic_tensor_1d(PADIC_F64, out, 3), diagonal);
    small("a b , b", m, &v, padic_tensor_1d(PADIC_F64, out, 2), product);
    small("...b,b->...", m, &v, padic_tensor_1d(PADIC_F64, out, 2), product);
    small("...b,b", m, &v, padic_tensor_1d(PADIC_F64, out, 2), product);
    small("ab,b->", m, &v, padic_tensor_nd(PADIC_F64, out, 0, NULL), scalar);
    padic_tensor t = padic_tensor_2d(PADIC_F64, c, 1, 1);
    const double fifteen[1] = {0};
    small("...,...", t, &t, padic_tensor_2d(PADIC_F64, out, 1, 1), fifteen);
    // An axis of 1 is stretched below "...".
    padic_tensor x = padic_tensor_nd(PADIC_F64, a, 3, one);
    double unit[2] = {1, 1};
    padic_tensor y = padic_tensor_2d(PADIC_F64, unit, 2, 1);
    small("...,...->...", x, &y, padic_tensor_nd(PADIC_F64, out, 3, two), spread);
    // A view that repeats one element.
    padic_tensor r = padic_tensor_3d(PADIC_F64, unit, 2, 2, 1);
    padic_tensor n = padic_tensor_1d(PADIC_F64, unit, 1);
    r.stride[0] = 0, r.stride[1] = 0, r.stride[2] = 1;
    small("abd,c->ab", r, &n, padic_tensor_2d(PADIC_F64, out, 2, 2), ones);
}

// dims: a state of 14 two-level sites in two axes, contracted with itself but for two sites.
TEST(dims)
{
    enum { SITES = 14 };
    static double state[1 << SITES][2], rho[2][2][2][2][2];
    uint64_t two[SITES];
    uint8_t up[SITES], down[SITES], left[4];
    padic_tensor_einsum_desc desc = PADIC_ZERO;
    padic_tensor_term term[2];
    memset(term, 0, sizeof term);
    for (int i = 0; i < 1 << SITES; i++) state[i][0] = normal(), state[i][1] = normal();
    for (int i = 0; i < SITES; i++) {
        two[i] = 2;
        up[i] = (uint8_t)(100 + i);
        down[i] = (uint8_t)(i == 3 || i == 9 ? 200 + i : 100 + i);
    }
    left[0] = 103, left[1] = 109, left[2] = 203, left[3] = 209;
    for (int i = 0; i < 2; i++) {
        term[i].tensor = padic_tensor_2d(PADIC_C128, state, 1 << 5, 1 << (SITES - 5));
        term[i].dims = two;
        term[i].rank = SITES;
        term[i].labels = i ? down : up;
        term[i].conj = (uint32_t)i;
    }
    desc.operands = term;
    desc.count = 2;
    desc.out.tensor = padic_tensor_1d(PADIC_C128, rho, 16);
    desc.out.dims = two;
    desc.out.rank = 4;
    desc.out.labels = left;
    CHECK_EQ(padic_tensor_einsum(NULL, &desc), PADIC_OK);
    for (int e = 0; e < 16; e++) { // site 0 is the most significant bit
        double re = 0, im = 0, size = 0;
        for (int i = 0; i < 1 << SITES; i++) {
            const int high = SITES - 1 - 3, low = SITES - 1 - 9;
            if ((i >> high & 1) != (e >> 3 & 1) || (i >> low & 1) != (e >> 2 & 1)) continue;
            const int j = (i & ~(1 << high) & ~(1 << low)) | (e >> 1 & 1) << high | (e & 1) << low;
            re += state[i][0] * state[j][0] + state[i][1] * state[j][1];
            im += state[i][1] * state[j][0] - state[i][0] * state[j][1];
            size += hypot(state[i][0], state[i][1]) * hypot(state[j][0], state[j][1]);
        }
        const double *got = (const double *)rho + 2 * e;
        CHECK(hypot(got[0] - re, got[1] - im) <= 1e-13 * size);
    }
    two[0] = 3;
    CHECK_EQ(padic_tensor_einsum(NULL, &desc), PADIC_ERROR_MISMATCH);
}

// 64 operands, 65 labels: a chain of 2 x 2 rotations, and a ring of it in slices.
TEST(many)
{
    static double turn[64][2][2], out[2][2];
    static uint8_t labels[64][2], ends[2] = {0, 64};
    padic_tensor_einsum_desc desc = PADIC_ZERO;
    padic_tensor_term term[65];
    padic_tensor_path path = PADIC_ZERO, again = PADIC_ZERO;
    double angle = 0;
    memset(term, 0, sizeof term);
    for (int i = 0; i < 64; i++) {
        const double x = 0.1 * normal();
        angle += x;
        turn[i][0][0] = turn[i][1][1] = cos(x);
        turn[i][0][1] = -(turn[i][1][0] = sin(x));
        labels[i][0] = (uint8_t)i, labels[i][1] = (uint8_t)(i + 1);
        term[i].tensor = padic_tensor_2d(PADIC_F64, turn[i], 2, 2);
        term[i].labels = labels[i];
    }
    desc.operands = term;
    desc.count = 64;
    desc.out.tensor = padic_tensor_2d(PADIC_F64, out, 2, 2);
    desc.out.labels = ends;
    set_space(&desc, space_size);
    CHECK_EQ(padic_tensor_einsum(NULL, &desc), PADIC_OK);
    CHECK_NEAR(out[0][0], cos(angle), 1e-13);
    CHECK_NEAR(out[1][0], sin(angle), 1e-13);
    CHECK_EQ(padic_tensor_einsum_info(NULL, &desc, &path), PADIC_OK);
    CHECK_EQ(padic_tensor_einsum_info(NULL, &desc, &again), PADIC_OK);
    CHECK(!memcmp(&path, &again, sizeof path));
    CHECK_EQ(path.flops, 63 * 16);
    desc.count = 65;
    CHECK_EQ(padic_tensor_einsum(NULL, &desc), PADIC_ERROR_LIMIT);
}

// D0: orders of tori of 40 (greedy), 16 (greedy) and 12 operands (all orders), as first found.
TEST(order_is_fixed)
{
    uint64_t hash = 1469598103934665603u;
    for (int round = 0; round < 3; round++) {
        padic_tensor_path path = PADIC_ZERO;
        padic_tensor_einsum_desc desc = PADIC_ZERO;
        padic_tensor_term term[40];
        uint8_t labels[40][4];
        double data[1] = {0};
        const int rows = round == 0 ? 5 : round == 1 ? 4 : 3, columns = round == 0 ? 8 : 4;
        const uint64_t shape[4] = {2, 3, 2, 3};
        memset(term, 0, sizeof term);
        for (int i = 0; i < rows * columns; i++) { // right, down, left, up of a torus
            const int r = i / columns, c = i % columns;
            labels[i][0] = (uint8_t)(2 * i);
            labels[i][1] = (uint8_t)(2 * i + 1);
            labels[i][2] = (uint8_t)(2 * (r * columns + (c + columns - 1) % columns));
            labels[i][3] = (uint8_t)(2 * ((r + rows - 1) % rows * columns + c) + 1);
            term[i].tensor = padic_tensor_nd(PADIC_F32, data, 4, shape);
            term[i].labels = labels[i];
        }
        desc.operands = term;
        desc.count = (uint32_t)(rows * columns);
        desc.out.tensor = padic_tensor_nd(PADIC_F32, data, 0, NULL);
        CHECK_EQ(padic_tensor_einsum_info(NULL, &desc, &path), PADIC_OK);
        for (uint32_t s = 0; s < path.steps; s++) {
            hash = (hash ^ path.left[s]) * 1099511628211u;
            hash = (hash ^ path.right[s]) * 1099511628211u;
        }
        if (round == 0) { // less memory: slices, and what it costs is said
            const uint64_t before = path.flops;
            desc.memory_limit = path.workspace_bytes / 8;
            CHECK_EQ(padic_tensor_einsum_info(NULL, &desc, &path), PADIC_OK);
            CHECK(path.slices >= 2 && path.flops > before);
            CHECK(path.workspace_bytes <= desc.memory_limit);
            desc.memory_limit = 64;
            CHECK_EQ(padic_tensor_einsum_info(NULL, &desc, &path), PADIC_ERROR_LIMIT);
            CHECK(path.workspace_bytes > 64);
        }
    }
    CHECK_EQ(hash, UINT64_C(0x76353212eec69ba2));
}

// The answer, where, and nothing written.
static void refuse(const char *expression, int which, padic_result result, uint32_t position)
{
    static double a[64], b[64], out[64], kept[64];
    static const uint64_t split[2] = {3, 2};
    padic_tensor_einsum_desc desc = PADIC_ZERO;
    padic_tensor_term term[2];
    padic_tensor_path path = PADIC_ZERO;
    padic_context *context = NULL;
    char at[40];
    REQUIRE(!padic_context_create(NULL, &context));
    memset(term, 0, sizeof term);
    term[0].tensor = padic_tensor_2d(PADIC_F64, a, 2, 3);
    term[1].tensor = padic_tensor_2d(PADIC_F64, b, 3, 4);
    desc.out.tensor = padic_tensor_2d(PADIC_F64, out, 2, 4);
    desc.expression = expression;
    desc.operands = term;
    desc.count = 2;
    switch (which) {
    case 0: break;
    case 1: desc.count = 1; break;
    case 2: desc.count = 0; break;
    case 3: desc.operands = NULL; break;
    case 4: desc.math = 4; break;
    case 5: desc.method = 3; break;
    case 6: desc.objective = 3; break;
    case 7: desc.out.tensor.dtype = PADIC_C128; break;
    case 8: desc.out.tensor.dtype = PADIC_F32; break;
    case 9: term[0].tensor.dtype = PADIC_I64; break;
    case 10: desc.out.tensor.data = a + 2; break;
    case 11: term[1].conj = 2; break;
    case 12: desc.out.conj = 1; break;
    case 13: term[0].rank = 3; break;
    case 14: term[0].dims = split; term[0].rank = 2; break;
    case 15: desc.method = PADIC_TENSOR_METHOD_GIVEN; break;
    case 16: desc.path = &path; break;
    case 17: term[1].tensor.rank = 9; break;
    case 18: desc.out.tensor.stride[0] = -4, desc.out.tensor.stride[1] = 1; break;
    case 19: term[0].tensor.data = NULL; break;
    default: desc.count = 65; break;
    }
    memset(out, 0x33, sizeof out);
    memcpy(kept, out, sizeof out);
    CHECK_EQ(padic_tensor_einsum(context, &desc), result);
    if (which == 0 || which == 1) {
        snprintf(at, sizeof at, "(at character %u)", (unsigned)position);
        if (expression) CHECK(strstr(padic_context_message(context), at) != NULL);
        CHECK_EQ(padic_tensor_einsum_info(NULL, &desc, &path), result);
        CHECK_EQ(path.position, position);
    } else {
        CHECK(padic_context_message(context)[0] != 0);
    }
    CHECK(!memcmp(out, kept, sizeof out));
    padic_context_destroy(context);
}

TEST(refused)
{
    static const struct {
        const char *text;
        padic_result result;
        uint32_t position;
    } cases[] = {
        {"ab,bc->ad", PADIC_ERROR_ARGUMENT, 8},  {"ab,bc->aa", PADIC_ERROR_ARGUMENT, 8},
        {"ab,cb->ac", PADIC_ERROR_MISMATCH, 4},  {"ab,bc->ca", PADIC_ERROR_MISMATCH, 7},
        {"ab,b1->a", PADIC_ERROR_ARGUMENT, 4},   {"ab;bc->ac", PADIC_ERROR_ARGUMENT, 2},
        {"ab,bc-ac", PADIC_ERROR_ARGUMENT, 5},   {"ab,bc->a,c", PADIC_ERROR_ARGUMENT, 8},
        {"a,bc->ac", PADIC_ERROR_MISMATCH, 1},   {"abc,cd->ad", PADIC_ERROR_MISMATCH, 3},
        {"ab->ab", PADIC_ERROR_MISMATCH, 2},     {"ab,bc,cd->ad", PADIC_ERROR_MISMATCH, 8},
        {"a..b,bc->ac", PADIC_ERROR_ARGUMENT, 1}, {"......,bc", PADIC_ERROR_ARGUMENT, 3},
        {"...b,bc->bc", PADIC_ERROR_ARGUMENT, 11}, {"ab,bc->...ab", PADIC_ERROR_MISMATCH, 11},
        {"a...,b...->ab", PADIC_ERROR_MISMATCH, 6}, {"", PADIC_ERROR_MISMATCH, 0},
        {"ab,bc->a", PADIC_ERROR_MISMATCH, 8},
    };
    for (int i = 0; i < LENGTH(cases); i++)
        refuse(cases[i].text, 0, cases[i].result, cases[i].position);
    refuse("ab,bc->ac", 1, PADIC_ERROR_MISMATCH, 5);
    refuse("ab,bc->ac", 2, PADIC_ERROR_ARGUMENT, 0);
    refuse("ab,bc->ac", 3, PADIC_ERROR_ARGUMENT, 0);
    refuse("ab,bc->ac", 4, PADIC_ERROR_ARGUMENT, 0);
    refuse("ab,bc->ac", 5, PADIC_ERROR_ARGUMENT, 0);
    refuse("ab,bc->ac", 6, PADIC_ERROR_ARGUMENT, 0);
    refuse("ab,bc->ac", 7, PADIC_ERROR_MISMATCH, 0);
    refuse("ab,bc->ac", 8, PADIC_ERROR_MISMATCH, 0);
    refuse("ab,bc->ac", 9, PADIC_ERROR_DTYPE, 0);
    refuse("ab,bc->ac", 10, PADIC_ERROR_OVERLAP, 0);
    refuse("ab,bc->ac", 11, PADIC_ERROR_ARGUMENT, 0);
    refuse("ab,bc->ac", 12, PADIC_ERROR_ARGUMENT, 0);
    refuse("ab,bc->ac", 13, PADIC_ERROR_ARGUMENT, 0);
    refuse("ab,bc->ac", 14, PADIC_ERROR_MISMATCH, 0);
    refuse("ab,bc->ac", 15, PADIC_ERROR_ARGUMENT, 0);
    refuse("ab,bc->ac", 16, PADIC_ERROR_ARGUMENT, 0);
    refuse("ab,bc->ac", 17, PADIC_ERROR_LIMIT, 0);
    refuse("ab,bc->ac", 18, PADIC_ERROR_ARGUMENT, 0);
    refuse("ab,bc->ac", 19, PADIC_ERROR_ARGUMENT, 0);
    refuse("ab,bc->ac", 20, PADIC_ERROR_LIMIT, 0);
    refuse(NULL, 0, PADIC_ERROR_ARGUMENT, 0);
    CHECK_EQ(padic_tensor_einsum(NULL, NULL), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(padic_tensor_einsum_info(NULL, NULL, NULL), PADIC_ERROR_ARGUMENT);
}

// 2^40 elements between two steps: refused with the bytes, not tried. 129 labels.
TEST(limits)
{
    padic_tensor_einsum_desc desc = PADIC_ZERO;
    padic_tensor_term term[17];
    padic_tensor_path path = PADIC_ZERO;
    static uint8_t labels[17][8];
    static const uint64_t shape[8] = {1 << 20, 1 << 20, 1, 1, 1, 1, 1, 1};
    static const uint64_t ones[8] = {1, 1, 1, 1, 1, 1, 1, 1};
    float x = 1, out = 0;
    memset(term, 0, sizeof term);
    desc.operands = term;
    desc.out.tensor = padic_tensor_nd(PADIC_F32, &out, 0, NULL);
    desc.count = 3;
    for (int i = 0; i < 3; i++) {
        term[i].tensor = padic_tensor_nd(PADIC_F32, &x, 2, shape);
        term[i].tensor.stride[0] = 0, term[i].tensor.stride[1] = 0;
    }
    desc.expression = "ab,cb,cd->ad";
    term[0].tensor.shape[0] = 1 << 20;
    desc.out.tensor = padic_tensor_nd(PADIC_F32, NULL, 2, shape);
    CHECK_EQ(padic_tensor_einsum_info(NULL, &desc, &path), PADIC_OK);
    CHECK_EQ(path.workspace_bytes, UINT64_C(4) << 40);
    CHECK(path.flops == UINT64_C(4) << 60);
    desc.memory_limit = UINT64_C(1) << 30;
    CHECK_EQ(padic_tensor_einsum_info(NULL, &desc, &path), PADIC_OK);
    CHECK(path.workspace_bytes <= desc.memory_limit && path.slices == 1 << 20);
    desc.memory_limit = UINT64_C(1) << 20;
    CHECK_EQ(padic_tensor_einsum_info(NULL, &desc, &path), PADIC_ERROR_LIMIT);
    CHECK_EQ(path.workspace_bytes, UINT64_C(1) << 22);
    // 128 labels are fine, one more is not.
    memset(&desc, 0, sizeof desc);
    desc.operands = term;
    desc.out.tensor = padic_tensor_nd(PADIC_F32, &out, 0, NULL);
    set_space(&desc, space_size);
    for (int i = 0; i < 17; i++) {
        memset(&term[i], 0, sizeof term[i]);
        term[i].tensor = padic_tensor_nd(PADIC_F32, &x, i < 16 ? 8 : 1, ones);
        for (int j = 0; j < 8; j++) labels[i][j] = (uint8_t)(8 * i + j);
        term[i].labels = labels[i];
    }
    desc.count = 16;
    CHECK_EQ(padic_tensor_einsum(NULL, &desc), PADIC_OK);
    CHECK(out == 1);
    desc.count = 17;
    CHECK_EQ(padic_tensor_einsum(NULL, &desc), PADIC_ERROR_LIMIT);
}

// Extents of 0: nothing to write, or zeros.
TEST(empty)
{
    static double a[4], out[4] = {7, 7, 7, 7};
    padic_tensor_einsum_desc desc = PADIC_ZERO;
    padic_tensor_term term[3];
    memset(term, 0, sizeof term);
    term[0].tensor = padic_tensor_2d(PADIC_F64, a, 2, 0);
    term[1].tensor = padic_tensor_2d(PADIC_F64, a, 0, 2);
    term[2].tensor = padic_tensor_2d(PADIC_F64, a, 2, 2);
    desc.expression = "ab,bc,cd->ad";
    desc.operands = term;
    desc.count = 3;
    desc.out.tensor = padic_tensor_2d(PADIC_F64, out, 2, 2);
    CHECK_EQ(padic_tensor_einsum(NULL, &desc), PADIC_OK);
    for (int i = 0; i < 4; i++) CHECK(out[i] == 0);
    desc.expression = "ab,bc,cd->bad";
    desc.out.tensor = padic_tensor_3d(PADIC_F64, NULL, 0, 2, 2);
    CHECK_EQ(padic_tensor_einsum(NULL, &desc), PADIC_OK);
}

// Pair pooling: the numbers of the page, exact; fused; strides; what is refused.
TEST(pair_pool)
{
    static const float t1[2] = {1, 1}, u1[4] = {1, 2, 3, 4}, w1[2] = {1, 10};
    static double t[4][2][4][2], u[2][8][8][2], w[2][8][2][2], out[2][2][2], fused[2][8][2][2];
    static const double want[] = {-10, 0, -4, -7, 12, -16, 17, -4};
    float one = 0;
    padic_tensor_pair_pool_desc d = PADIC_ZERO;
    padic_context *context = NULL;
    REQUIRE(!padic_context_create(NULL, &context));
    d.tensors = padic_tensor_3d(PADIC_F32, (void *)(uintptr_t)t1, 2, 1, 1);
    d.u = padic_tensor_3d(PADIC_F32, (void *)(uintptr_t)u1, 1, 2, 2);
    d.w = padic_tensor_3d(PADIC_F32, (void *)(uintptr_t)w1, 1, 2, 1);
    d.out = padic_tensor_2d(PADIC_F32, &one, 1, 1);
    CHECK_EQ(padic_tensor_pair_pool(context, &d), PADIC_OK);
    CHECK(one == 64);
    for (int n = 0; n < 4; n++) // rows of 2 lie 4 apart
        for (int j = 0; j < 4; j++) {
            t[n][j / 2][j % 2][0] = (4 * n + j) % 7 - 3;
            t[n][j / 2][j % 2][1] = (4 * n + j) % 3 - 1;
        }
    for (int p = 0; p < 2; p++)
        for (int i = 0; i < 8; i++) {
            for (int j = 0; j < 8; j++) {
                u[p][i][j][0] = (64 * p + 8 * i + j) % 5 - 2;
                u[p][i][j][1] = (i + j) % 3 - 1;
            }
            for (int j = 0; j < 2; j++) {
                w[p][i][j][0] = (16 * p + 2 * i + j) % 4 - 1;
                w[p][i][j][1] = i * j % 2;
            }
        }
    d.tensors = padic_tensor_3d(PADIC_C128, t, 4, 2, 2);
    d.tensors.stride[0] = 8, d.tensors.stride[1] = 4, d.tensors.stride[2] = 1;
    d.u = padic_tensor_3d(PADIC_C128, u, 2, 8, 8);
    d.w = padic_tensor_3d(PADIC_C128, w, 2, 8, 2);
    d.out = padic_tensor_2d(PADIC_C128, out, 2, 2);
    for (int i = 0; i < 3; i++) { // with the pool, with a workspace, fused
        if (i == 1) d.workspace = padic_tensor_1d(PADIC_U8, fused, 4 * 4 * 16);
        if (i == 2) {
            d.fused = padic_tensor_3d(PADIC_C128, fused, 2, 8, 2);
            memset(&d.workspace, 0, sizeof d.workspace);
            padic_tensor_pair_pool_fuse_desc fuse = PADIC_ZERO;
            fuse.u = d.u, fuse.w = d.w, fuse.out = d.fused;
            CHECK_EQ(padic_tensor_pair_pool_fuse(NULL, &fuse), PADIC_OK);
            memset(&d.u, 0, sizeof d.u);
            memset(&d.w, 0, sizeof d.w);
        }
        memset(out, 0, sizeof out);
        CHECK_EQ(padic_tensor_pair_pool_workspace(NULL, &d), i == 2 ? 64 : 4 * 4 * 16);
        CHECK_EQ(padic_tensor_pair_pool(i ? NULL : context, &d), PADIC_OK);
        CHECK(!memcmp(out, want, sizeof out));
    }
    memset(&d.fused, 0, sizeof d.fused);
    d.u = padic_tensor_3d(PADIC_C128, u, 2, 8, 8);
    d.w = padic_tensor_3d(PADIC_C128, w, 2, 8, 2);
    memset(out, 0, sizeof out);
    CHECK_EQ(padic_tensor_pair_pool(NULL, &d), PADIC_OK); // the workspace is malloc's
    CHECK(!memcmp(out, want, sizeof out));
    for (int i = 0; i < 6; i++) {
        padic_tensor_pair_pool_desc bad = d;
        if (i == 0) bad.tensors.shape[0] = 3;
        if (i == 1) bad.tensors.shape[2] = 1;
        if (i == 2) bad.u.shape[2] = 7;
        if (i == 3) bad.w.shape[1] = 7;
        if (i == 4) bad.out.shape[1] = 3;
        if (i == 5) bad.out.data = t;
        if (i < 5) CHECK_EQ(padic_tensor_pair_pool_workspace(NULL, &bad), 0);
        CHECK_EQ(padic_tensor_pair_pool(context, &bad), i == 0   ? PADIC_ERROR_ARGUMENT
                                                        : i == 5 ? PADIC_ERROR_OVERLAP
                                                                 : PADIC_ERROR_MISMATCH);
        if (i < 5) CHECK(strstr(padic_context_message(context), "pair_pool: ") != NULL);
    }
    d.tensors = padic_tensor_3d(PADIC_C128, NULL, 0, 2, 2);
    d.u = padic_tensor_3d(PADIC_C128, NULL, 0, 8, 8);
    d.w = padic_tensor_3d(PADIC_C128, NULL, 0, 8, 2);
    d.out = padic_tensor_2d(PADIC_C128, NULL, 0, 2);
    CHECK_EQ(padic_tensor_pair_pool(context, &d), PADIC_OK);
    CHECK_EQ(padic_tensor_pair_pool(context, NULL), PADIC_ERROR_ARGUMENT);
    CHECK_EQ(padic_tensor_pair_pool_fuse(context, NULL), PADIC_ERROR_ARGUMENT);
    padic_context_destroy(context);
}

TEST_MAIN("test_einsum", CASE(random_expressions), CASE(ising_torus), CASE(aklt), CASE(ghz_and_w),
          CASE(chain), CASE(every_order), CASE(workspace), CASE(buffers), CASE(grammar), CASE(dims),
          CASE(many), CASE(order_is_fixed), CASE(refused), CASE(limits), CASE(empty),
          CASE(pair_pool))
