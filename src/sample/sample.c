// -------------------------------------------------------------------------------- >>sample impl

// Points go through in blocks of this many, so that the digit loops run over independent values.
#define PADICI_SAMPLE_BLOCK 64
#define PADICI_SAMPLE_TABLE 512   // reversals of several digits at once
#define PADICI_SAMPLE_CHUNK 4096u // points of one dimension before the next one's turn

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

// One base with what its loops need. Division by b is by multiplication: with m = floor((2^64 - 1)
// / b), q = mulhi(x, m) is floor(x / b) or one less for every x, and mulhi(x, m + 1) is
// floor(x / b) for x < 2^46, since (m + 1) b - 2^64 < b <= 65,537.
typedef struct padici_sample_radix {
    uint32_t base, levels;
    uint32_t wide;     // 64-bit hashes
    uint32_t full;     // Fisher-Yates instead of a d + c
    uint32_t together; // digits that one look into the table reverses: b^together = span
    uint32_t span;
    uint64_t last; // b^levels - 1
    uint64_t inverse;
    padic_sample_mode mode;
    const uint64_t *keys;
} padici_sample_radix;

static void padici_sample_radix_make(padici_sample_radix *x, uint32_t base, int is_long)
{
    uint64_t power = 1, limit;
    memset(x, 0, sizeof *x);
    x->base = base;
    x->wide = is_long || base > 1021;
    x->inverse = UINT64_MAX / base;
    limit = is_long ? x->inverse : x->inverse >> 32; // as long as b power <= 2^64 - 1 or 2^32 - 1
    while (power <= limit) {
        power *= base;
        x->levels++;
    }
    if (power == limit + 1 && !(base & (base - 1))) { // one more reaches 2^64 or 2^32
        power *= base;
        x->levels++;
    }
    x->last = power - 1;
    x->together = 1;
    x->span = base;
    while (x->span <= PADICI_SAMPLE_TABLE / base) {
        x->span *= base;
        x->together++;
    }
}

PADIC_API uint32_t padic_sample_levels(uint32_t base, padic_sample_digits digits, uint64_t *last)
{
    padici_sample_radix x;
    if (last) *last = 0;
    if (base < 2 || base > 65537 || (uint32_t)digits > 1) return 0;
    padici_sample_radix_make(&x, base, digits == PADIC_SAMPLE_LONG);
    if (last) *last = x.last;
    return x.levels;
}

