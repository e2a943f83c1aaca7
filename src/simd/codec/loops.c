// @per-level
#if !defined(PADIC_NO_CODEC) && PADICI_ISA_LEVEL <= 3

// The loops of every level; a higher level replaces what it does differently.
PADICI_FN void PADICI_CK(loops)(padici_codec_loops *loops)
{
    loops->checksum = PADICI_CK(checksum);
    loops->sum = PADICI_CK(sum);
    loops->lower = PADICI_CK(lower);
    loops->planes = PADICI_CK(planes);
    loops->rans_table = PADICI_CK(slots);
#if PADICI_ISA_LEVEL < 3
    loops->fixed = PADICI_CK(fixed);
    loops->difference = PADICI_CK(difference);
#endif
#if PADICI_ISA_LEVEL >= 2
    loops->rans = PADICI_CK(rans);
    loops->context = PADICI_CK(context);
    loops->elements = PADICI_CK(elements);
    loops->words = PADICI_CK(words);
    loops->range = PADICI_CK(range);
    loops->within = PADICI_CK(within);
#endif
}

#endif
