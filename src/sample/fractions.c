// ---- fractions

// floor(2^64 r / n) for r < n. With n shifted up to d >= 2^63 and v = floor((2^128 - 1) / d) - 2^64
// this is the division of Moeller and Granlund (Improved division by invariant integers, 2011).
typedef struct padici_sample_fraction {
    uint64_t n, d, v; // n 0: 2^64
    uint64_t inverse; // floor((2^64 - 1) / n) for n <= 2^32, else 0
    uint32_t shift;
} padici_sample_fraction;

static void padici_sample_fraction_make(padici_sample_fraction *f, uint64_t last, int need64)
{
    uint64_t rest;
    uint32_t k;
    memset(f, 0, sizeof *f);
    f->n = last + 1;
    if (!f->n) return;
    if (last <= UINT32_MAX) f->inverse = UINT64_MAX / f->n;
    if (f->inverse && !need64) return;
    f->shift = padici_clz64(f->n);
    f->d = f->n << f->shift;
    rest = ~f->d; // of 2^128 - 1 - 2^64 d, whose upper word this is; the lower is all ones
    for (k = 0; k < 64; k++) {
        uint64_t over = rest >> 63;
        rest = rest << 1 | 1;
        f->v <<= 1;
        if (over || rest >= f->d) {
            rest -= f->d;
            f->v |= 1;
        }
    }
}

PADICI_INLINE uint64_t padici_sample_cut64(const padici_sample_fraction *f, uint64_t r)
{
    uint64_t u, q, low, rest;
    if (!f->n) return r;
    u = r << f->shift;
    q = padici_mulhi64(f->v, u) + u + 1;
    low = f->v * u;
    rest = 0 - q * f->d;
    if (rest > low) {
        q--;
        rest += f->d;
    }
    return q + (rest >= f->d);
}

// floor(2^32 r / n).
PADICI_INLINE uint32_t padici_sample_cut32(const padici_sample_fraction *f, uint64_t r)
{
    if (!f->inverse) return (uint32_t)(padici_sample_cut64(f, r) >> 32);
    return (uint32_t)padici_sample_divide(r << 32, f->n, f->inverse);
}

