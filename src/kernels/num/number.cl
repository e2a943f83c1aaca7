// number.cl: a number of one of the models, its planes in memory, the state of an operation.

typedef struct {
    num_u u;
    pd_i32 v; // NUM_ZERO, NUM_NAN as in a plane
    pd_u32 n, bits, spare;
} num_cell;

typedef struct { // planes of one operand
    PD_GPTR(num_u) unit;
    PD_GPTR(void) val;
    PD_GPTR(void) known;
    pd_u32 mask, spare; // of element numbers: 0 where there is one element for all
} num_planes;

#define NUM_MEMS                                                                                \
    PD_GPTR(pd_u32) m0, PD_GPTR(pd_u32) m1, PD_GPTR(pd_u32) m2, PD_GPTR(pd_u32) m3,             \
        PD_GPTR(pd_u32) m4, PD_GPTR(pd_u32) m5, PD_GPTR(pd_u32) m6, PD_GPTR(pd_u32) m7
#define NUM_PASS m0, m1, m2, m3, m4, m5, m6, m7

PD_FN PD_GPTR(void) num_place(NUM_MEMS, pd_u32 low, pd_u32 high)
{
    const pd_u32 i = high >> 24;
    PD_GPTR(pd_u32) m = i < 2u   ? m0
                        : i < 3u ? m1
                        : i < 4u ? m2
                        : i < 5u ? m3
                        : i < 6u ? m4
                        : i < 7u ? m5
                        : i < 8u ? m6
                                 : m7;
    return (PD_GPTR(pd_u8))m + PD_U64(low, high & 0xffffffu);
}
typedef PD_GPTR(void) num_pointer;
#define NUM_PLACE(q) num_place(NUM_PASS, k.place[2u * (q)], k.place[2u * (q) + 1u])
#define NUM_HAS(q) (k.place[2u * (q) + 1u] >> 24)

// The planes of operand q: 0 to 3 for out, a, b, c.
PD_FN num_planes num_planes_of(NUM_MEMS, const padic_k_num_each_params k, pd_u32 q)
{
    const pd_u32 at = 3u * q;
    num_planes x;
    x.unit = (PD_GPTR(num_u))NUM_PLACE(at);
#if PD_NUM_MODEL != 0 || PD_NUM_OP == NUM_OP_CHANGE_PRIME // there a is of another model
    x.val = NUM_PLACE(at + 1u);
#else
    x.val = m0;
#endif
#if PD_NUM_MODEL == 2 || PD_NUM_OP == NUM_OP_CHANGE_PRIME
    x.known = NUM_PLACE(at + 2u);
#else
    x.known = m0;
#endif
    x.mask = k.flags & NUM_SCALAR(q) ? 0u : 0xffffffffu;
    x.spare = 0u;
    return x;
}

PD_FN num_cell num_cell_of(const num_ring r) // initial value of a result
{
    num_cell x;
    x.u = 0u;
    x.v = 0;
    x.n = r.n;
    x.bits = 0u;
    x.spare = 0u;
    return x;
}

// Replaces a valuation beyond the limits by the special that a result there would have become, so
// that no sum overflows.
PD_FN pd_i32 num_val_load(PD_GPTR(void) val, pd_u64 i)
{
#if PD_NUM_VAL == 32
    const pd_i32 v = ((PD_GPTR(pd_i32))val)[i];
    return v > NUM_MOST ? NUM_ZERO : v < -NUM_MOST ? NUM_NAN : v;
#else
    const pd_u32 w = ((PD_GPTR(pd_u16))val)[i];
    return w == 32767u   ? NUM_ZERO
           : w == 32768u ? NUM_NAN
                         : (pd_i32)w - (w > 32767u ? 65536 : 0);
#endif
}

// Element i except its unit u, which was read. A plane may hold anything, but tables end at N.
PD_FN num_cell num_load_val(const num_ring r, const num_planes p, pd_u64 i, num_u u)
{
    (void)p, (void)i;
    num_cell x = num_cell_of(r);
    x.u = u;
#if PD_NUM_MODEL != 0
    x.v = num_val_load(p.val, i);
    if (x.v == NUM_NAN) x.bits = (pd_u32)x.u & 255u;
#endif
#if PD_NUM_MODEL == 2
    x.n = ((PD_GPTR(num_known))p.known)[i];
    if (x.n > r.n) x.n = r.n;
#endif
    return x;
}

PD_FN num_cell num_load(const num_ring r, const num_planes p, pd_u64 i)
{
    i &= p.mask;
    return num_load_val(r, p, i, p.unit[i]);
}

// Writes a result: specials for hard bits and for valuations beyond the limits. Returns its bits.
// `narrow`: units of 32 bits, whatever PD_NUM_BITS is.
PD_FN pd_u32 num_store_as(const num_planes p, pd_u64 i, num_cell given, pd_u32 narrow)
{
    num_cell x = given;
#if PD_NUM_MODEL != 0
    const pd_i32 most = PD_NUM_VAL == 16 ? 16383 : NUM_MOST;
    if (x.v != NUM_ZERO && x.v != NUM_NAN) {
        if (x.v > most) {
            x.v = NUM_ZERO;
            x.bits |= NUM_INEXACT;
        } else if (x.v < -most) {
            x.bits |= NUM_RANGE;
        }
    }
    if (x.bits & NUM_HARD) x.v = NUM_NAN;
    if (x.v == NUM_NAN || x.v == NUM_ZERO) {
        x.u = x.v == NUM_NAN ? (num_u)x.bits : 0u;
        x.n = 0u;
    }
#if PD_NUM_VAL == 32
    ((PD_GPTR(pd_i32))p.val)[i] = x.v;
#else
    ((PD_GPTR(pd_u16))p.val)[i] = x.v == NUM_ZERO  ? (pd_u16)32767u
                                  : x.v == NUM_NAN ? (pd_u16)32768u
                                                   : (pd_u16)((pd_u32)x.v & 65535u);
#endif
#else
    if (x.bits & NUM_HARD) x.u = 0u;
#endif
#if PD_NUM_MODEL == 2
    ((PD_GPTR(num_known))p.known)[i] = (num_known)x.n;
#endif
    if (narrow)
        ((PD_GPTR(pd_u32))p.unit)[i] = (pd_u32)x.u;
    else
        p.unit[i] = x.u;
    return x.bits;
}

PD_FN pd_u32 num_store(const num_planes p, pd_u64 i, num_cell x)
{
    return num_store_as(p, i, x, 0u);
}

// u, v and n of a number, also of a residue: 0 has v = NUM_ZERO, any other is p^v u with u a unit.
PD_FN num_cell num_parted(const num_ring r, const num_cell a)
{
    num_cell x = num_cell_of(r);
    x.v = a.v;
    x.u = a.u;
    x.n = a.n;
#if PD_NUM_MODEL == 0
    x.v = NUM_ZERO;
    if (a.u) {
        const num_parts s = num_split(r, a.u);
        x.v = (pd_i32)s.v;
        x.u = s.u;
        x.n = r.n - s.v;
    }
#endif
    return x;
}

// Makes p^v u canonical, for any residue u with n known digits.
PD_FN num_cell num_normal(const num_ring r, num_cell given)
{
    num_cell x = given;
    (void)r;
#if PD_NUM_MODEL != 0
    if (x.v == NUM_ZERO || x.v == NUM_NAN || (x.bits & NUM_HARD)) return x;
#if PD_NUM_MODEL == 2
    x.u = num_low(r, x.u, x.n);
#endif
    if (x.u) {
        const num_parts s = num_split(r, x.u);
        x.u = s.u;
        x.v += (pd_i32)s.v;
        x.n -= s.v;
        return x;
    }
#if PD_NUM_MODEL == 1
    x.v = NUM_ZERO;
#else
    if (!x.n) return x; // O(p^v) unchanged
    x.v += (pd_i32)x.n;
#endif
    x.n = 0u;
    x.bits |= NUM_PRECLOSS;
#endif
    return x;
}

// A valuation that may lie far outside the limits, which num_store() then finds.
PD_FN pd_i32 num_clamp(pd_i64 v)
{
    const pd_i64 most = NUM_MOST + 1;
    return (pd_i32)(v > most ? most : v < -most ? -most : v);
}

// Applies the limits of valuations to an intermediate result.
PD_FN num_cell num_limit(num_cell given)
{
    num_cell x = given;
    if (x.v == NUM_NAN || x.v == NUM_ZERO) return x;
    if (x.v > NUM_MOST) {
        x.v = NUM_ZERO;
        x.bits |= NUM_INEXACT;
    } else if (x.v < -NUM_MOST) {
        x.v = NUM_NAN;
        x.bits |= NUM_RANGE;
    }
    return x;
}

// If an operand is NaN, the result is, with its bits.
#if PD_NUM_MODEL != 0
#define NUM_NAN_OF(x, a)        \
    if ((a).v == NUM_NAN) {     \
        (x).v = NUM_NAN;        \
        (x).bits = (a).bits;    \
        return x;               \
    }
#else
#define NUM_NAN_OF(x, a)
#endif

// ---- work

// The state of an operation. If NUM_HEAVY is set, all but the last words lie in local memory.
typedef struct {
    num_planes out, a, b, c;
    PD_GPTR(pd_u8) status;
    PD_GPTR(void) other0;
    PD_GPTR(void) other1;
    PD_GPTR(void) other2;
    PD_GPTR(void) sticky;
    pd_u64 k, stride, first; // first: the word in the place of other[0]
    pd_u64 inverse, limit;   // of p modulo 2^64, floor((2^64 - 1) / p), where integers come in
    pd_u32 count, mode, step, has_status, has_b, has_other0, has_other1, has_other2, has_sticky;
    pd_u32 spare;
} num_work;

#define NUM_WORK_SET(w)                                 \
    do {                                                \
        (w).out = num_planes_of(NUM_PASS, k, 0u);       \
        (w).a = num_planes_of(NUM_PASS, k, 1u);         \
        (w).b = num_planes_of(NUM_PASS, k, 2u);         \
        (w).c = num_planes_of(NUM_PASS, k, 3u);         \
        (w).k = PD_U64(k.k[0], k.k[1]);                 \
        (w).stride = PD_U64(k.stride[0], k.stride[1]);  \
        (w).has_sticky = NUM_HAS(NUM_STICKY);           \
        (w).status = (PD_GPTR(pd_u8))NUM_PLACE(NUM_STATUS);\
        (w).other0 = NUM_PLACE(NUM_OTHER);              \
        (w).other1 = NUM_PLACE(NUM_OTHER + 1u);         \
        (w).other2 = NUM_PLACE(NUM_OTHER + 2u);         \
        (w).sticky = NUM_PLACE(NUM_STICKY);             \
    } while (0)

// The group's state, and what each item keeps itself.
PD_FN num_work num_work_with(const num_work given, const num_ring r,
                             const padic_k_num_each_params k)
{
    num_work w = given;
    (void)r;
    w.first = PD_U64(k.place[2u * NUM_OTHER], k.place[2u * NUM_OTHER + 1u]);
    w.count = k.count;
    w.mode = k.mode;
    w.step = PD_NGRP * (pd_u32)PD_WG;
    w.has_status = NUM_HAS(NUM_STATUS);
    w.has_b = NUM_HAS(NUM_B);
    w.has_other0 = NUM_HAS(NUM_OTHER);
    w.has_other1 = NUM_HAS(NUM_OTHER + 1u);
    w.has_other2 = NUM_HAS(NUM_OTHER + 2u);
    w.inverse = w.limit = 0u;
    w.spare = 0u;
#if PD_NUM_OP == NUM_OP_FROM_INT || PD_NUM_OP == NUM_OP_FROM_RATIONAL || \
    PD_NUM_OP == NUM_OP_FROM_FLOAT || PD_NUM_OP == NUM_OP_CHANGE_PRIME
    w.inverse = num_inverse64((pd_u64)NUM_P(r));
    w.limit = PD_NUM_TWO ? 0u : (0u - (pd_u64)1u) / NUM_P(r);
#endif
    return w;
}

// Writes the status byte of result i of a function that processes several elements. Returns its
// bits.
PD_FN pd_u32 num_report(const num_work w, pd_u64 i, pd_u32 bits)
{
    if (w.has_status) w.status[i] = (pd_u8)bits;
    return bits;
}
