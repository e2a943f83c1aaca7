#include "each_test.h"
#include "../../core/memory.h"
#include "../../core/tensor.h"
#include "../../num/array.h"
#include "../../num/cell.h"
#include "../../num/rational.h"
#include "../../num/ring_tables.h"
#include "../../num/root.h"
#include "each_answers_test.h"
#include "params.h"
#include "special.h"
#include "tables.h"
#include "../texts.h"

#if PADICI_IMPLEMENT_GPU && !defined(PADIC_NO_NUM)

// The test of a variant: one operation of the kernel over the arrays, against the host.

// What the kernel is asked for the same.
PADICI_FN void padici_test_num_call(const padici_test_num *t, padici_num_task *task)
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
PADICI_FN void *padici_test_num_address(const unsigned char *image, const void *p)
{
    return p ? (void *)(uintptr_t)(UINT64_C(1) << 56 |
                                   (uint64_t)((const unsigned char *)p - image))
             : NULL;
}

PADICI_FN void padici_test_num_addresses(const unsigned char *image, padic_num_call *call)
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

PADICI_FN void padici_test_num_begin(padici_test_num *t, const padici_gpu_case *c)
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
PADICI_FN void padici_test_num_bounds(padici_test_num *t)
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

// padic_num_solve() on the host with workspace of its own.
PADICI_FN PADICI_NOINLINE padic_result padici_test_solve_host(padici_gpu *gpu,
                                                              padic_num_solve_desc *desc)
{
    const padic_allocator *allocator = &gpu->context->allocator;
    padic_result result;
    desc->workspace_size = padic_num_solve_workspace(desc);
    desc->workspace = padici_alloc(allocator, desc->workspace_size, 64);
    result = desc->workspace ? padic_num_solve(NULL, desc) : PADIC_ERROR_MEMORY;
    padici_free(allocator, desc->workspace, desc->workspace_size);
    return result;
}

// Systems modulo P: 144 of 3 unknowns each, of random integers.
#define PADICI_TEST_NUM_SYSTEMS 144u

PADICI_FN PADICI_NOINLINE padic_result padici_test_num_solve(padici_gpu *gpu, padici_test_num *t,
                                                             uint32_t *sticky)
{
    const uint64_t n = PADICI_TEST_NUM_SYSTEMS, shape[3] = {n, 3, 3};
    padic_num_solve_desc desc;
    memset(&desc, 0, sizeof desc);
    desc.matrix = padic_tensor_nd(t->dtype, t->other[0], 3, shape);
    desc.right = padic_tensor_nd(t->dtype, t->other[1], 2, shape);
    desc.out = t->x;
    desc.out.count = n * 3;
    desc.out.unit = t->x.unit;
    desc.status = padic_tensor_1d(PADIC_U8, t->x.status.data, n);
    desc.rank = padic_tensor_1d(PADIC_U32, t->b.unit.data, n);
    desc.sticky = sticky;
    return padici_test_solve_host(gpu, &desc);
}

// The numbers of a test, and what lies in its other memories before.
PADICI_FN PADICI_NOINLINE void padici_test_num_inputs(padici_test_num *t)
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
PADICI_FN void padici_test_num_cells(const padici_test_num *t, padic_num_call *call)
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
PADICI_FN uint32_t padici_test_num_kernel(const padici_test_num *t)
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
PADICI_FN padic_result padici_test_num_scratch(padici_gpu_case *c, const padici_test_num *t,
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
PADICI_FN PADICI_NOINLINE padic_result padici_test_num_table(padici_gpu_case *c,
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
PADICI_FN padic_result padici_test_num_answer(padici_gpu_case *c, padici_test_num *t,
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

PADICI_FN padic_result padici_test_num_with(padici_gpu_case *c, padici_test_num *t)
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

PADICI_FN padic_result padici_test_num_each(padici_gpu_case *c)
{
    const padic_allocator *allocator = &c->gpu->context->allocator; // two rings are long
    padici_test_num *t = (padici_test_num *)padici_alloc(allocator, sizeof *t, 16);
    const padic_result result = t ? padici_test_num_with(c, t) : PADIC_ERROR_MEMORY;
    padici_free(allocator, t, sizeof *t);
    return result;
}

#undef PADICI_TEST_NUM_SYSTEMS

#endif
