
// a * b + c must stay two operations; and plain -O2 is to vectorise loops, as clang does (each
// element is still computed alone, so no bit changes). The settings end with the implementation.
#if defined(__clang__)
#pragma STDC FP_CONTRACT OFF
#elif defined(__GNUC__)
#pragma GCC push_options
#pragma GCC optimize("fp-contract=off", "tree-vectorize", "vect-cost-model=dynamic")
#elif defined(_MSC_VER)
#pragma fp_contract(off)
#endif
