#include "sample.h"

#if PADICI_IMPLEMENT_SAMPLE

// -------------------------------------------------------------------------------- >>sample impl

PADIC_API uint32_t padic_sample_prime(uint32_t dimension)
{
    // Half the gaps between the odd primes up to 8161, A for 1.
    static const char gaps[] =
        "AABABABCACBABCCACBACBCDBABABGBCAEACCBCCAEABAFFBABCAECCCACBAEGBABGCEABCDCCBCDBDEAEACBCDBABF"
        "DBDBCFAICECCACECCACCBAFEABCCAFBCDEDEDCCBDCBDBGEFAEABAEGBABGBABJBDEDBCCGBCCDCFBCAEACEAEACIB"
        "ABCCDCCKAEDECCDFBCCACFEIABCACBABFACQCCDIEGBABCDBACFEABABCFFDFCBCDBDBGBCABCACEJCBALBAEFAEDC"
        "CCICBAFEFDHGCBABAEFCCIAHAKCDCBABDCEAEGECFABAEFAHACBAEDILBCDHABDHABDCCBFAKCACBCGCBACBCFCCGB"
        "CFDCBMIEDBCACKFAHDBFGEABDCCBABCDBACEAEDBGEFACBAHGBCDCBIDECCDEFGBCCANAEDBGBDFCFBCJEAHMBAFCB"
        "FCDBDKABAFNACCCBCAFBFAEAHAHCJHDBABAKDFCEABCACEAFEAEGCBCDCCHFABGCBDEDCCKCAEGBCIAEGBAEGBDIBC"
        "ABCAFBJKFABCCACKACHCFACFHABCGBAILECAEAEAECAEAECDOEAEDCEICFFAICBCCIAEGCBABLAFCHDCCIHABCACCE"
        "CFFIACBIDLBABCAFBGOECFGCEFABCDCEABGCCBCAEAHFDIBCFACCCNCGBDEDFIBABLFCAHCCGEGBOCCCDCBAFCBACK"
        "CABIABFACBMCCBDEPHACBABAEGCBDECJBACOBDECCDCFBCACBCAEAHCJBFGNCJBIDCBCGCCEAEFDEAEDFELABDCBDI"
        "ECCACEFAECCCDCECACCCEDLCKAIBDEODIBAECACBIDFIHCAFCEAEACEGBLAHAEAEJBABDHCCAFHDBCOAEACBCCDCBF"
        "CDFBGFELCFCAKDIECGBACEDCBCOGEAFEAHAILICHICAIBCAEDECCDBCAEAFBCCAFBGIBCJBDCBDBGCBGFBAOBLCCFF"
        "GCBABICFDCBFAFOHACKGCEFCABDECCLG";
    uint32_t prime = 3, i;
    if (dimension == 0) return 2;
    if (dimension > 1023) return 0;
    for (i = 1; i < dimension; i++) prime += 2u * (uint32_t)(gaps[i - 1] - 'A' + 1);
    return prime;
}

PADICI_FN void padici_sample_radix_make(padici_sample_radix *x, uint32_t base, int is_long)
{
    uint64_t power = 1, limit;
    uint32_t below = 1; // span / base
    memset(x, 0, sizeof *x);
    x->base = base;
    x->wide = is_long || base > 1021;
    x->inverse = UINT64_MAX / base;
    x->together = 1;
    for (x->span = base; x->span <= PADICI_SAMPLE_TABLE / base; x->together++) {
        below = x->span;
        x->span *= base;
    }
    limit = is_long ? x->inverse : x->inverse >> 32; // as long as b power <= 2^64 - 1 or 2^32 - 1
    while (power <= limit / below) { // several digits at once
        power *= x->span;
        x->levels += x->together;
    }
    while (power <= limit) {
        power *= base;
        x->levels++;
    }
    if (power == limit + 1 && !(base & (base - 1))) { // one more reaches 2^64 or 2^32
        power *= base;
        x->levels++;
    }
    x->last = power - 1;
}

static void padici_sample_radix_of(padici_sample_radix *x, uint32_t base,
                                   padic_sample_digits digits)
{
    memset(x, 0, sizeof *x);
    if (base < 2 || base > 65537 || (uint32_t)digits > 1) return;
    padici_sample_radix_make(x, base, digits == PADIC_SAMPLE_DIGITS_LONG);
}

PADIC_API uint32_t padic_sample_levels(uint32_t base, padic_sample_digits digits)
{
    padici_sample_radix x;
    padici_sample_radix_of(&x, base, digits);
    return x.levels;
}

PADIC_API uint64_t padic_sample_last_index(uint32_t base, padic_sample_digits digits)
{
    padici_sample_radix x;
    padici_sample_radix_of(&x, base, digits);
    return x.last;
}

#endif
