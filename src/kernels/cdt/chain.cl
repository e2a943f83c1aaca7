// chain.cl: what the chains of both kinds share: random words, acceptance, thresholds.
//
// A chain is one work-item's. Its records lie in global memory as src/cdt/plan.h says; what else a
// move needs is in a cdt_chain, and between launches in its head, words of 64 bits.

#ifndef PD_CDT_SPHERE
#define PD_CDT_SPHERE 0 // 1: EUCLID_SPHERE
#endif
#ifndef PD_CDT_SQUARE
#define PD_CDT_SQUARE 0 // 1: thresholds follow the volume
#endif

#define CDT_FLIP 0u // kinds of moves
#define CDT_INSERT 1u
#define CDT_DELETE 2u

#define CDT_MOVES 0u  // what a launch does: attempts,
#define CDT_VISITS 1u // attempts until the target was visited so often,
#define CDT_GROW 2u   // flips, and insertions until the target is reached

// Words of a head, as PADICI_CDT_HEAD_... of src/cdt/plan.h.
#define CDT_HEAD_VERTICES 0
#define CDT_HEAD_ATTEMPT 1
#define CDT_HEAD_ATTEMPTS 2 // 3, by kind
#define CDT_HEAD_ACCEPTED 5
#define CDT_HEAD_REFUSED 8
#define CDT_HEAD_INSERT 9 // thresholds below the target and from it on
#define CDT_HEAD_REMOVE 11 // up to it and above it
#define CDT_HEAD_LEFT 13
#define CDT_HEAD_VISITS 14
#define CDT_HEAD_FROM 15
#define CDT_HEAD_TO 16
#define CDT_HEAD_TARGET 17
#define CDT_HEAD_GOAL 18
#define CDT_HEAD_STREAM 19
#define CDT_HEAD_LAMBDA 20 // twice it
#define CDT_HEAD_EPSILON 21
#define CDT_HEAD 22u // their number

typedef struct {
    pd_u32 replicas, lanes; // a group has a chain in each of its first `lanes` items
    pd_u32 mode, share;     // CDT_MOVES ...; steps after which a chain leaves the rest to the next
                            // launch: turns of loops, of which Mesa's llvmpipe makes 65,535
    pd_u32 begin, arrive;   // visits begin: with `more` attempts for them; one was made already
                            // where a chain is at its target
    pd_u32 more_lo, more_hi;
    pd_u32 turn;            // this launch's number: busy[0] becomes it if there is more to do
    pd_u32 state_lo, state_hi, stride_lo, stride_hi; // in words of 32 bits
    pd_u32 places, lengths; // where they are in a replica's words
    pd_u32 slices, least;   // least length of a slice
    pd_u32 seed_lo, seed_hi;
    pd_u32 flips, inserts, moves; // as padici_cdt_rules
    pd_u32 counted;               // insertions that find no room are counted
    pd_u32 weight_insert, weight_delete;
} padic_k_cdt_run_params;

typedef struct {
    PD_GPTR(pd_u32) records;
    PD_GPTR(pd_u32) places;
    PD_GPTR(pd_u32) lengths;
    pd_u32 n; // vertices
    pd_u32 from, to, target, stream, refused;
    pd_u64 insert_below, insert_above, remove_below, remove_above;
    pd_u64 lambda, epsilon, steps;
} cdt_chain;

typedef struct { // of one attempt
    pd_u32 kind, high, low, accept;
} cdt_words;

// A round of Philox with the key that it has then; w is the counter.
PD_FN cdt_words cdt_round(const cdt_words w, pd_u32 k0, pd_u32 k1)
{
    cdt_words x;
    x.kind = PD_MULHI32(0xcd9e8d57u, w.low) ^ w.high ^ k0;
    x.high = 0xcd9e8d57u * w.low;
    x.low = PD_MULHI32(0xd2511f53u, w.kind) ^ w.accept ^ k1;
    x.accept = 0xd2511f53u * w.kind;
    return x;
}

// Philox4x32-10 of (attempt, stream, 10). Written out: its turns would be steps.
PD_FN cdt_words cdt_draw(pd_u64 attempt, pd_u32 stream, const padic_k_cdt_run_params k)
{
    cdt_words w;
    w.kind = (pd_u32)attempt;
    w.high = (pd_u32)(attempt >> 32);
    w.low = stream;
    w.accept = 10u;
    w = cdt_round(w, k.seed_lo, k.seed_hi);
    w = cdt_round(w, k.seed_lo + 0x9e3779b9u, k.seed_hi + 0xbb67ae85u);
    w = cdt_round(w, k.seed_lo + 0x9e3779b9u * 2u, k.seed_hi + 0xbb67ae85u * 2u);
    w = cdt_round(w, k.seed_lo + 0x9e3779b9u * 3u, k.seed_hi + 0xbb67ae85u * 3u);
    w = cdt_round(w, k.seed_lo + 0x9e3779b9u * 4u, k.seed_hi + 0xbb67ae85u * 4u);
    w = cdt_round(w, k.seed_lo + 0x9e3779b9u * 5u, k.seed_hi + 0xbb67ae85u * 5u);
    w = cdt_round(w, k.seed_lo + 0x9e3779b9u * 6u, k.seed_hi + 0xbb67ae85u * 6u);
    w = cdt_round(w, k.seed_lo + 0x9e3779b9u * 7u, k.seed_hi + 0xbb67ae85u * 7u);
    w = cdt_round(w, k.seed_lo + 0x9e3779b9u * 8u, k.seed_hi + 0xbb67ae85u * 8u);
    w = cdt_round(w, k.seed_lo + 0x9e3779b9u * 9u, k.seed_hi + 0xbb67ae85u * 9u);
    return w;
}

// floor(w n / 2^64).
PD_FN pd_u32 cdt_place(const cdt_words w, pd_u32 n)
{
    return (pd_u32)((PD_MULWIDE(w.high, n) + (PD_MULWIDE(w.low, n) >> 32)) >> 32);
}

PD_FN pd_u32 cdt_accept(pd_u32 word, pd_u64 threshold, pd_u32 from, pd_u32 to)
{
    return PD_MULWIDE(word, to) < threshold * from ? 1u : 0u; // below 2^62
}

PD_FN pd_u32 cdt_accept_insert(const cdt_chain *c, pd_u32 word, pd_u32 from, pd_u32 to)
{
    return cdt_accept(word, c->n >= c->target ? c->insert_above : c->insert_below, from, to);
}

PD_FN pd_u32 cdt_accept_remove(const cdt_chain *c, pd_u32 word, pd_u32 from, pd_u32 to)
{
    return cdt_accept(word, c->n > c->target ? c->remove_above : c->remove_below, from, to);
}

// Whether there is room for another vertex.
PD_FN pd_u32 cdt_room(cdt_chain *c)
{
    if (c->n < c->to) return 1u;
    c->refused++;
    return 0u;
}

#if PD_CDT_SQUARE
#define CDT_LN2 ((pd_u64)49946518145322874u) // in units of 2^-56
#define CDT_ALWAYS ((pd_u64)1 << 33)

// e^-r in units of 2^-62, r in [0, ln 2) in units of 2^-64.
PD_FN pd_u64 cdt_exponential(pd_u64 r)
{
    pd_u64 y = (pd_u64)1 << 62;
    for (pd_u32 k = 18u; k; k--) y = ((pd_u64)1 << 62) - PD_MULHI64(r, y) / k;
    return y;
}

// round(2^32 (above / below) e^-x), at most 2^33: padici_cdt_threshold(). x is in two's complement.
PD_FN pd_u64 cdt_threshold(pd_u64 x, pd_u32 above, pd_u32 below)
{
    const pd_u32 negative = (pd_u32)(x >> 63);
    const pd_u64 size = negative ? (pd_u64)0 - x : x;
    pd_i32 n = (pd_i32)(size / CDT_LN2);
    pd_u64 r = size % CDT_LN2, value;
    if (negative) {
        n = -n;
        if (r) {
            r = CDT_LN2 - r;
            n--;
        }
    }
    value = (cdt_exponential(r << 8) >> 10) * above / below;
    n += 20;
    if (n >= 63) return 0;
    if (n > 0) {
        value = (value + ((pd_u64)1 << (pd_u32)(n - 1))) >> (pd_u32)n;
        return value > CDT_ALWAYS ? CDT_ALWAYS : value;
    }
    return n <= -33 || value > CDT_ALWAYS >> (pd_u32)-n ? CDT_ALWAYS : value << (pd_u32)-n;
}

// epsilon n, at most 2^61 either way, in two's complement.
PD_FN pd_u64 cdt_times(pd_u64 epsilon, pd_i64 n)
{
    const pd_u64 count = n < 0 ? (pd_u64)0 - (pd_u64)n : (pd_u64)n;
    pd_u64 size = epsilon * count;
    if (PD_MULHI64(epsilon, count) || size > (pd_u64)1 << 61) size = (pd_u64)1 << 61;
    return n < 0 ? (pd_u64)0 - size : size;
}
#endif

// After the volume has changed.
PD_FN void cdt_follow(cdt_chain *c, const padic_k_cdt_run_params k)
{
#if PD_CDT_SQUARE
    const pd_i64 above = 2 * ((pd_i64)c->n - (pd_i64)c->target); // triangles
    const pd_u64 change = cdt_times(c->epsilon, 4 * above + 4);
    const pd_u64 back = cdt_times(c->epsilon, 4 - 4 * above);
    if (!k.weight_delete) return;
    c->steps += 36; // of the two exponentials
    c->insert_below = cdt_threshold(c->lambda + change, k.weight_delete, k.weight_insert);
    c->remove_below = cdt_threshold(back - c->lambda, k.weight_insert, k.weight_delete);
    c->insert_above = c->insert_below;
    c->remove_above = c->remove_below;
#else
    (void)c;
    (void)k;
#endif
}
