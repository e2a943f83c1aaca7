// program: solve
// texts: solve_system.cl solve_words.cl solve_primes.cl solve_bound.cl solve_check.cl
// solve.cl: small exact linear algebra over the rationals: batches of n x n systems of integers,
// n <= 64, and determinants. Results are unique, so the bytes are those of the CPU, which may solve
// a system in another way.
//
//     PD_SOLVE_KIND  0: minors below 2^62: a work-item does a system in words of 64 bits, by
//                    Jordan's elimination without fractions (Bareiss 1968): every entry is a minor
//                    of (A B), so a division by the pivot before is exact. Larger systems go to a
//                    list.
//                    1: those of the list, a group for each: det A and det A times the unknowns,
//                    which are minors too, modulo as many primes below 2^31 as their bound asks
//                    for, and from residues to limbs of 32 bits (Garner's steps). A prime that
//                    divides det A is left out; if all do, det A = 0.
//                    2: Hadamard's bounds instead, in the place of ranks: a group for a matrix.
//                    3: is A x = d b, for all systems? A group for each.
//
// Working data is in global scratch, with the numbers of neighbouring systems interleaved.
//
// variant: PD_SOLVE_KIND=1
// variant: PD_SOLVE_KIND=2
// variant: PD_SOLVE_KIND=3

PD_KERNEL_MIN(padic_k_solve_systems, 64, 8)
(PD_BUF(pd_u32, m0), PD_BUF(pd_u32, m1), PD_BUF(pd_u32, m2), PD_BUF(pd_u32, m3),
 PD_BUF(pd_u32, m4), PD_BUF(pd_u32, m5), PD_BUF(pd_u32, m6), PD_BUF(pd_u32, m7),
 PD_PARAMS(padic_k_solve_systems_params, k))
{
#if !PD_IS_CUDA
    PD_LOCAL solve_pointer spot[8];
    PD_LOCAL pd_u32 fact[17];
    if (PD_LID == 0u) {
        spot[0] = SOLVE_PLACE(0, m0);
        spot[1] = SOLVE_PLACE(1, m1);
        spot[2] = SOLVE_PLACE(2, m2);
        spot[3] = SOLVE_PLACE(3, m3);
        spot[4] = SOLVE_PLACE(4, m4);
        spot[5] = SOLVE_PLACE(5, m5);
        spot[6] = SOLVE_PLACE(6, m6);
        spot[7] = SOLVE_PLACE(7, m7);
        fact[0] = k.type[0];
        fact[1] = k.type[1];
        fact[2] = k.type[2];
        fact[3] = k.words[0];
        fact[4] = k.words[1];
        fact[5] = k.words[2];
        fact[6] = k.wide;
        fact[7] = k.sides;
        fact[8] = k.items;
        fact[9] = PD_SOLVE_KIND ? ((PD_GPTR(pd_u32))spot[7])[1] : 0u; // for kind 0 it grows
        fact[10] = SOLVE_HAS(4);
        fact[11] = SOLVE_HAS(5);
        fact[12] = SOLVE_HAS(6);
        fact[13] = k.n;
        fact[14] = k.step;
        fact[15] = k.batch;
        fact[16] = k.again;
    }
    PD_BARRIER();
#endif
#if PD_SOLVE_KIND == 0
    solve_words(SOLVE_PASS);
#elif PD_SOLVE_KIND == 1
    PD_LOCAL pd_u32 most[4], before[SOLVE_MOST], product[SOLVE_LIMBS], found[3u * SOLVE_MOST];
    solve_listed(SOLVE_PASS, most, before, product, found);
#elif PD_SOLVE_KIND == 2
    PD_LOCAL solve_scale norm[2u * SOLVE_MOST];
    solve_bounds(SOLVE_PASS, norm);
#else
    solve_check(SOLVE_PASS);
#endif
}
