// program: num
// texts: operation.cl residue.cl number.cl integer.cl arithmetic.cl digits.cl series.cl root.cl
// texts: fraction.cl float.cl valuation.cl polynomial.cl hensel.cl hensel_all.cl sum.cl
// texts: system.cl random.cl
// num.cl: operations on arrays of p-adic numbers, one number a work-item at a time.
//
// One kernel. A variant is made for one operation, one model and one way to store units:
//
//     PD_NUM_OP     what is done, NUM_OP_... below
//     PD_NUM_MODEL  0 RING, 1 FLOAT, 2 BALL (padic.h, >>num API)
//     PD_NUM_BITS   32, 64: bits of a stored unit
//     PD_NUM_TWO    1: p = 2, units modulo 2^N. 0: odd p, Montgomery products
//     PD_NUM_VAL    32, 16: bits of a valuation in the planes
//     PD_NUM_KNOWN  8, 16: bits of a precision in the planes
//     PD_NUM_SIZE   bytes of an element of other[0]: digits, integers, exponents; 0: there are none
//     PD_NUM_KIND   of digits: 0 standard, 1 balanced, 2 Teichmueller; of fractions: 0 bounds for
//                   all, 1 for each precision, 2 common, 3 fixed denominator, 4 largest quotient;
//                   of a change of the prime: the model of a; to floats: 0 p^v is a power of two
//                   or 1, 1 integers u p^v, 2 fractions; of n-th roots the sum of 1 if p is too
//                   large for a table of those modulo p, and 2 if p divides n, but for p = n = 2
//
// The text of an operation has a function num_item_... for one element, which it calls NUM_ITEM;
// what a group does together has a function of its own. Only those of the operation are compiled.
//
// Planes lie in up to 8 memories. Residues are canonical, so the bytes are those of the CPU.
//
// variant: PD_NUM_OP=1 PD_NUM_MODEL=0 PD_NUM_BITS=32 PD_NUM_TWO=0
// variant: PD_NUM_OP=4 PD_NUM_MODEL=0 PD_NUM_BITS=32 PD_NUM_TWO=0
// variant: PD_NUM_OP=4 PD_NUM_MODEL=0 PD_NUM_BITS=64 PD_NUM_TWO=0
// variant: PD_NUM_OP=4 PD_NUM_MODEL=1 PD_NUM_BITS=64 PD_NUM_TWO=0
// variant: PD_NUM_OP=1 PD_NUM_MODEL=1 PD_NUM_BITS=64 PD_NUM_TWO=0
// variant: PD_NUM_OP=1 PD_NUM_MODEL=1 PD_NUM_BITS=64 PD_NUM_TWO=1
// variant: PD_NUM_OP=2 PD_NUM_MODEL=2 PD_NUM_BITS=64 PD_NUM_TWO=0
// variant: PD_NUM_OP=5 PD_NUM_MODEL=2 PD_NUM_BITS=32 PD_NUM_TWO=0
// variant: PD_NUM_OP=7 PD_NUM_MODEL=1 PD_NUM_BITS=64 PD_NUM_TWO=0
// variant: PD_NUM_OP=9 PD_NUM_MODEL=2 PD_NUM_BITS=64 PD_NUM_TWO=0
// variant: PD_NUM_OP=13 PD_NUM_MODEL=0 PD_NUM_BITS=32 PD_NUM_TWO=0
// variant: PD_NUM_OP=13 PD_NUM_MODEL=0 PD_NUM_BITS=64 PD_NUM_TWO=0
// variant: PD_NUM_OP=11 PD_NUM_MODEL=2 PD_NUM_BITS=64 PD_NUM_TWO=0 PD_NUM_SIZE=8
// variant: PD_NUM_OP=29 PD_NUM_MODEL=1 PD_NUM_BITS=64 PD_NUM_TWO=0 PD_NUM_SIZE=8
// variant: PD_NUM_OP=14 PD_NUM_MODEL=1 PD_NUM_BITS=64 PD_NUM_TWO=0 PD_NUM_KIND=0 PD_NUM_SIZE=2
// variant: PD_NUM_OP=15 PD_NUM_MODEL=2 PD_NUM_BITS=64 PD_NUM_TWO=0 PD_NUM_KIND=2 PD_NUM_SIZE=2
// variant: PD_NUM_OP=16 PD_NUM_MODEL=0 PD_NUM_BITS=64 PD_NUM_TWO=0 PD_NUM_SIZE=8
// variant: PD_NUM_OP=17 PD_NUM_MODEL=1 PD_NUM_BITS=64 PD_NUM_TWO=0 PD_NUM_SIZE=4
// variant: PD_NUM_OP=20 PD_NUM_MODEL=2 PD_NUM_BITS=32 PD_NUM_TWO=0 PD_NUM_SIZE=8
// variant: PD_NUM_OP=21 PD_NUM_MODEL=1 PD_NUM_BITS=64 PD_NUM_TWO=0
// variant: PD_NUM_OP=21 PD_NUM_MODEL=2 PD_NUM_BITS=64 PD_NUM_TWO=1 PD_NUM_KIND=1
// variant: PD_NUM_OP=21 PD_NUM_MODEL=2 PD_NUM_BITS=64 PD_NUM_TWO=0 PD_NUM_KIND=2
// variant: PD_NUM_OP=21 PD_NUM_MODEL=0 PD_NUM_BITS=32 PD_NUM_TWO=0 PD_NUM_KIND=3
// variant: PD_NUM_OP=21 PD_NUM_MODEL=1 PD_NUM_BITS=64 PD_NUM_TWO=0 PD_NUM_KIND=4
// variant: PD_NUM_OP=30 PD_NUM_MODEL=1 PD_NUM_BITS=64 PD_NUM_TWO=0 PD_NUM_KIND=2
// variant: PD_NUM_OP=22 PD_NUM_MODEL=1 PD_NUM_BITS=64 PD_NUM_TWO=0 PD_NUM_SIZE=8
// variant: PD_NUM_OP=23 PD_NUM_MODEL=0 PD_NUM_BITS=64 PD_NUM_TWO=0 PD_NUM_SIZE=8
// variant: PD_NUM_OP=23 PD_NUM_MODEL=1 PD_NUM_BITS=64 PD_NUM_TWO=1 PD_NUM_SIZE=4
// variant: PD_NUM_OP=23 PD_NUM_MODEL=2 PD_NUM_BITS=64 PD_NUM_TWO=0 PD_NUM_SIZE=8 PD_NUM_KIND=1
// variant: PD_NUM_OP=23 PD_NUM_MODEL=1 PD_NUM_BITS=64 PD_NUM_TWO=0 PD_NUM_SIZE=8 PD_NUM_KIND=2
// variant: PD_NUM_OP=25 PD_NUM_MODEL=1 PD_NUM_BITS=64 PD_NUM_TWO=0
// variant: PD_NUM_OP=25 PD_NUM_MODEL=2 PD_NUM_BITS=32 PD_NUM_TWO=0
// variant: PD_NUM_OP=25 PD_NUM_MODEL=0 PD_NUM_BITS=64 PD_NUM_TWO=1
// variant: PD_NUM_OP=25 PD_NUM_MODEL=2 PD_NUM_BITS=64 PD_NUM_TWO=0 PD_NUM_KIND=1
// variant: PD_NUM_OP=25 PD_NUM_MODEL=2 PD_NUM_BITS=64 PD_NUM_TWO=0 PD_NUM_KIND=2
// variant: PD_NUM_OP=25 PD_NUM_MODEL=1 PD_NUM_BITS=64 PD_NUM_TWO=0 PD_NUM_KIND=3
// variant: PD_NUM_OP=25 PD_NUM_MODEL=1 PD_NUM_BITS=32 PD_NUM_TWO=1 PD_NUM_KIND=2
// variant: PD_NUM_OP=31 PD_NUM_MODEL=2 PD_NUM_BITS=64 PD_NUM_TWO=0
// variant: PD_NUM_OP=26 PD_NUM_MODEL=1 PD_NUM_BITS=64 PD_NUM_TWO=0
// variant: PD_NUM_OP=27 PD_NUM_MODEL=2 PD_NUM_BITS=32 PD_NUM_TWO=0
// variant: PD_NUM_OP=32 PD_NUM_MODEL=0 PD_NUM_BITS=32 PD_NUM_TWO=1
// variant: PD_NUM_OP=32 PD_NUM_MODEL=2 PD_NUM_BITS=64 PD_NUM_TWO=0
// variant: PD_NUM_OP=33 PD_NUM_MODEL=0 PD_NUM_BITS=64 PD_NUM_TWO=1
// variant: PD_NUM_OP=33 PD_NUM_MODEL=2 PD_NUM_BITS=64 PD_NUM_TWO=0
// variant: PD_NUM_OP=35 PD_NUM_MODEL=0 PD_NUM_BITS=64 PD_NUM_TWO=0
// variant: PD_NUM_OP=35 PD_NUM_MODEL=2 PD_NUM_BITS=64 PD_NUM_TWO=0
// variant: PD_NUM_OP=35 PD_NUM_MODEL=1 PD_NUM_BITS=32 PD_NUM_TWO=1
// variant: PD_NUM_OP=34 PD_NUM_MODEL=0 PD_NUM_BITS=32 PD_NUM_TWO=0 PD_NUM_SIZE=4
// variant: PD_NUM_OP=34 PD_NUM_MODEL=0 PD_NUM_BITS=64 PD_NUM_TWO=0 PD_NUM_SIZE=8
// variant: PD_NUM_OP=34 PD_NUM_MODEL=0 PD_NUM_BITS=64 PD_NUM_TWO=1 PD_NUM_SIZE=8
// variant: PD_NUM_OP=18 PD_NUM_MODEL=1 PD_NUM_BITS=64 PD_NUM_TWO=0
// variant: PD_NUM_OP=19 PD_NUM_MODEL=1 PD_NUM_BITS=64 PD_NUM_TWO=1

// ptxas would rather spill than have fewer groups at once.
#if PD_NUM_OP == NUM_OP_SOLVE || PD_NUM_OP == NUM_OP_HENSEL_ALL
#define NUM_GROUPS 4
#else
#define NUM_GROUPS 0 // as many as it likes
#endif
PD_KERNEL_MIN(padic_k_num_each, PD_WG, NUM_GROUPS)
(PD_BUF(pd_u32, m0), PD_BUF(pd_u32, m1), PD_BUF(pd_u32, m2), PD_BUF(pd_u32, m3),
 PD_BUF(pd_u32, m4), PD_BUF(pd_u32, m5), PD_BUF(pd_u32, m6), PD_BUF(pd_u32, m7),
 PD_PARAMS(padic_k_num_each_params, k))
{
    PD_LOCAL pd_u32 together[1];
    PD_LOCAL num_u rung[21];
    const num_ring r = num_ring_of(k, rung);
    pd_u32 seen = 0u;
#if NUM_HEAVY // scalar registers are few
#define NUM_FIRST shared[0]
    PD_LOCAL num_work shared[1];
    if (PD_LID == 0u) NUM_WORK_SET(shared[0]);
    PD_BARRIER();
    num_work w = shared[0];
#else
#define NUM_FIRST w
    num_work w;
    NUM_WORK_SET(w);
#endif
    w = num_work_with(w, r, k);
#if NUM_WANTS_LESS_ONE
    num_less_one_set(r);
#endif
#if PD_NUM_OP == NUM_OP_POW
    PD_LOCAL pd_u64 held[1];
    if (PD_LID == 0u) held[0] = w.k;
    PD_BARRIER();
    w.k = held[0];
#endif

#if PD_NUM_OP == NUM_OP_REDUCE
    PD_LOCAL num_cell cells[PD_WG];
    num_reduce_chunks(r, w, cells);
#elif PD_NUM_OP == NUM_OP_FOLD
    seen = num_fold(r, w);
#elif PD_NUM_OP == NUM_OP_HENSEL_ALL
    PD_LOCAL num_u root[PD_WG], next[1];
    PD_LOCAL pd_u32 right[PD_WG], hit[2u * ((PD_WG + 31u) / 32u)], word[4];
    seen = num_hensel_all(r, w, root, next, right, hit, word);
#elif NUM_PLAIN
    for (pd_u32 i = PD_GID; i < w.count;) i += num_plain_some(r, w, i);
#elif NUM_POLYNOMIAL
    PD_LOCAL pd_u64 tile[NUM_TILE]; // so that a product and a sum are one instruction
    num_horner_shared(r, w, tile);
    num_horner_own(r, w);
#else
    for (pd_u32 i = PD_GID; i < w.count; i += w.step) {
        const pd_u32 happened = NUM_ITEM(r, w, i);
#if !NUM_ITEM_REPORTS
        if (w.has_status) w.status[i] = (pd_u8)happened;
#endif
        seen |= happened;
    }
#endif
    if (NUM_FIRST.has_sticky) { // one atomic a group, and only where there is something to say
        if (PD_LID == 0u) together[0] = 0u;
        PD_BARRIER();
        if (seen) (void)PD_ATOMIC_OR_L(&together[0], seen);
        PD_BARRIER();
        if (PD_LID == 0u && together[0])
            (void)PD_ATOMIC_OR_G((PD_GPTR(pd_u32))NUM_FIRST.sticky, together[0]);
    }
}
