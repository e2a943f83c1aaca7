// program: gpu_micro
// gpu_micro.cl: kernels of gpu_micro.c: one kind of work each, enough of it in flight.

typedef struct {
    pd_u32 n, repeat, never; // never: a result that does not occur, so that results are not stored
    pd_u32 u, v;
    pd_f32 a, b;
} padic_k_gpu_micro_params;

// Eight chains a work-item, eight steps a turn of the loop.
#define MICRO_CHAINS(T, FIRST, STEP, WORD)                                                       \
    T x0 = FIRST(0u), x1 = FIRST(1u), x2 = FIRST(2u), x3 = FIRST(3u);                            \
    T x4 = FIRST(4u), x5 = FIRST(5u), x6 = FIRST(6u), x7 = FIRST(7u);                            \
    for (pd_u32 turn = 0u; turn < k.repeat; turn++) {                                            \
        MICRO_STEPS(STEP)                                                                        \
        MICRO_STEPS(STEP)                                                                        \
        MICRO_STEPS(STEP)                                                                        \
        MICRO_STEPS(STEP)                                                                        \
        MICRO_STEPS(STEP)                                                                        \
        MICRO_STEPS(STEP)                                                                        \
        MICRO_STEPS(STEP)                                                                        \
        MICRO_STEPS(STEP)                                                                        \
    }                                                                                            \
    const pd_u32 word = WORD(x0) ^ WORD(x1) ^ WORD(x2) ^ WORD(x3) ^ WORD(x4) ^ WORD(x5) ^        \
                        WORD(x6) ^ WORD(x7);                                                     \
    if (word == k.never) to[PD_GID] = word
#define MICRO_STEPS(STEP)                                                                        \
    STEP(x0);                                                                                    \
    STEP(x1);                                                                                    \
    STEP(x2);                                                                                    \
    STEP(x3);                                                                                    \
    STEP(x4);                                                                                    \
    STEP(x5);                                                                                    \
    STEP(x6);                                                                                    \
    STEP(x7);

#define MICRO_FLOAT(i) (0.5f + (pd_f32)(PD_LID + i) * 0.001f)
#define MICRO_WORD(i) (PD_GID * 8u + i + 1u)
#define MICRO_LONG(i) PD_U64(PD_GID * 8u + i + 1u, PD_LID)
#define MICRO_OF_FLOAT(x) PD_AS_U32(x)
#define MICRO_OF_WORD(x) (x)
#define MICRO_OF_LONG(x) ((pd_u32)(x) ^ (pd_u32)((x) >> 32))

#define MICRO_FMA(x) x = PD_FMA(x, k.a, k.b)
#define MICRO_ADD(x) x = x + k.b
#define MICRO_SIN(x) x = PD_FAST_SIN(x)
#define MICRO_COS(x) x = PD_FAST_COS(x)
#define MICRO_SIN_EXACT(x) x = PD_SIN(x)
#define MICRO_RSQRT(x) x = PD_FAST_RSQRT(x)
#define MICRO_SQRT(x) x = PD_SQRT(x)
#define MICRO_DIVIDE(x) x = k.a / x
#define MICRO_EXP(x) x = PD_EXP(-x)
#define MICRO_FLOOR(x) x = k.b + PD_FLOOR(x)
#define MICRO_MULADD(x) x = x * k.u + k.v
#define MICRO_MULHI(x) x = PD_MULHI32(x, k.u) + k.v
#define MICRO_WIDE(x) x = (pd_u64)(pd_u32)x * (pd_u32)(x >> 32) + x
#define MICRO_WIDE_PARAM(x) x = (pd_u64)(pd_u32)x * k.u + x // what a modulus is
#define MICRO_LONG_MUL(x) x = x * (pd_u64)k.u + k.v
#define MICRO_LONG_FULL(x) x = x * PD_U64(k.u, k.v) + k.v
#define MICRO_LONG_HIGH(x) x = PD_MULHI64(x, PD_U64(k.u, k.v)) + k.v
#define MICRO_UADD(x) x = (x ^ k.u) + k.v
#define MICRO_SHIFT(x) x = (x << 5 | x >> 27) + k.v
#define MICRO_POPCOUNT(x) x = PD_POPCOUNT(x) + k.u
#define MICRO_CLZ(x) x = PD_CLZ(x) + k.u

PD_KERNEL(padic_k_gpu_micro_fma)
(PD_BUF(pd_u32, to), PD_PARAMS(padic_k_gpu_micro_params, k))
{
    MICRO_CHAINS(pd_f32, MICRO_FLOAT, MICRO_FMA, MICRO_OF_FLOAT);
}

PD_KERNEL(padic_k_gpu_micro_add)
(PD_BUF(pd_u32, to), PD_PARAMS(padic_k_gpu_micro_params, k))
{
    MICRO_CHAINS(pd_f32, MICRO_FLOAT, MICRO_ADD, MICRO_OF_FLOAT);
}

PD_KERNEL(padic_k_gpu_micro_sin)
(PD_BUF(pd_u32, to), PD_PARAMS(padic_k_gpu_micro_params, k))
{
    MICRO_CHAINS(pd_f32, MICRO_FLOAT, MICRO_SIN, MICRO_OF_FLOAT);
}

PD_KERNEL(padic_k_gpu_micro_cos)
(PD_BUF(pd_u32, to), PD_PARAMS(padic_k_gpu_micro_params, k))
{
    MICRO_CHAINS(pd_f32, MICRO_FLOAT, MICRO_COS, MICRO_OF_FLOAT);
}

PD_KERNEL(padic_k_gpu_micro_sin_exact)
(PD_BUF(pd_u32, to), PD_PARAMS(padic_k_gpu_micro_params, k))
{
    MICRO_CHAINS(pd_f32, MICRO_FLOAT, MICRO_SIN_EXACT, MICRO_OF_FLOAT);
}

PD_KERNEL(padic_k_gpu_micro_rsqrt)
(PD_BUF(pd_u32, to), PD_PARAMS(padic_k_gpu_micro_params, k))
{
    MICRO_CHAINS(pd_f32, MICRO_FLOAT, MICRO_RSQRT, MICRO_OF_FLOAT);
}

PD_KERNEL(padic_k_gpu_micro_sqrt)
(PD_BUF(pd_u32, to), PD_PARAMS(padic_k_gpu_micro_params, k))
{
    MICRO_CHAINS(pd_f32, MICRO_FLOAT, MICRO_SQRT, MICRO_OF_FLOAT);
}

PD_KERNEL(padic_k_gpu_micro_divide)
(PD_BUF(pd_u32, to), PD_PARAMS(padic_k_gpu_micro_params, k))
{
    MICRO_CHAINS(pd_f32, MICRO_FLOAT, MICRO_DIVIDE, MICRO_OF_FLOAT);
}

PD_KERNEL(padic_k_gpu_micro_exp)
(PD_BUF(pd_u32, to), PD_PARAMS(padic_k_gpu_micro_params, k))
{
    MICRO_CHAINS(pd_f32, MICRO_FLOAT, MICRO_EXP, MICRO_OF_FLOAT);
}

PD_KERNEL(padic_k_gpu_micro_floor)
(PD_BUF(pd_u32, to), PD_PARAMS(padic_k_gpu_micro_params, k))
{
    MICRO_CHAINS(pd_f32, MICRO_FLOAT, MICRO_FLOOR, MICRO_OF_FLOAT);
}

// Four FMAs of one chain a sine of another: whether the two kinds of units work side by side.
#define MICRO_MIXED(x)                                                                           \
    x = PD_FAST_SIN(x);                                                                          \
    y = PD_FMA(y, k.a, k.b);                                                                     \
    z = PD_FMA(z, k.b, k.a);                                                                     \
    y = PD_FMA(y, k.b, z);                                                                       \
    z = PD_FMA(z, k.a, k.a)

PD_KERNEL(padic_k_gpu_micro_mixed)
(PD_BUF(pd_u32, to), PD_PARAMS(padic_k_gpu_micro_params, k))
{
    pd_f32 y = MICRO_FLOAT(8u), z = MICRO_FLOAT(9u);
    MICRO_CHAINS(pd_f32, MICRO_FLOAT, MICRO_MIXED, MICRO_OF_FLOAT);
    if (y + z == k.b) to[PD_GID] = 1u;
}

PD_KERNEL(padic_k_gpu_micro_muladd)
(PD_BUF(pd_u32, to), PD_PARAMS(padic_k_gpu_micro_params, k))
{
    MICRO_CHAINS(pd_u32, MICRO_WORD, MICRO_MULADD, MICRO_OF_WORD);
}

PD_KERNEL(padic_k_gpu_micro_mulhi)
(PD_BUF(pd_u32, to), PD_PARAMS(padic_k_gpu_micro_params, k))
{
    MICRO_CHAINS(pd_u32, MICRO_WORD, MICRO_MULHI, MICRO_OF_WORD);
}

PD_KERNEL(padic_k_gpu_micro_wide)
(PD_BUF(pd_u32, to), PD_PARAMS(padic_k_gpu_micro_params, k))
{
    MICRO_CHAINS(pd_u64, MICRO_LONG, MICRO_WIDE, MICRO_OF_LONG);
}

PD_KERNEL(padic_k_gpu_micro_wide_param)
(PD_BUF(pd_u32, to), PD_PARAMS(padic_k_gpu_micro_params, k))
{
    MICRO_CHAINS(pd_u64, MICRO_LONG, MICRO_WIDE_PARAM, MICRO_OF_LONG);
}

PD_KERNEL(padic_k_gpu_micro_long_mul)
(PD_BUF(pd_u32, to), PD_PARAMS(padic_k_gpu_micro_params, k))
{
    MICRO_CHAINS(pd_u64, MICRO_LONG, MICRO_LONG_MUL, MICRO_OF_LONG);
}

PD_KERNEL(padic_k_gpu_micro_long_full)
(PD_BUF(pd_u32, to), PD_PARAMS(padic_k_gpu_micro_params, k))
{
    MICRO_CHAINS(pd_u64, MICRO_LONG, MICRO_LONG_FULL, MICRO_OF_LONG);
}

PD_KERNEL(padic_k_gpu_micro_long_high)
(PD_BUF(pd_u32, to), PD_PARAMS(padic_k_gpu_micro_params, k))
{
    MICRO_CHAINS(pd_u64, MICRO_LONG, MICRO_LONG_HIGH, MICRO_OF_LONG);
}

PD_KERNEL(padic_k_gpu_micro_uadd)
(PD_BUF(pd_u32, to), PD_PARAMS(padic_k_gpu_micro_params, k))
{
    MICRO_CHAINS(pd_u32, MICRO_WORD, MICRO_UADD, MICRO_OF_WORD);
}

PD_KERNEL(padic_k_gpu_micro_shift)
(PD_BUF(pd_u32, to), PD_PARAMS(padic_k_gpu_micro_params, k))
{
    MICRO_CHAINS(pd_u32, MICRO_WORD, MICRO_SHIFT, MICRO_OF_WORD);
}

PD_KERNEL(padic_k_gpu_micro_popcount)
(PD_BUF(pd_u32, to), PD_PARAMS(padic_k_gpu_micro_params, k))
{
    MICRO_CHAINS(pd_u32, MICRO_WORD, MICRO_POPCOUNT, MICRO_OF_WORD);
}

PD_KERNEL(padic_k_gpu_micro_clz)
(PD_BUF(pd_u32, to), PD_PARAMS(padic_k_gpu_micro_params, k))
{
    MICRO_CHAINS(pd_u32, MICRO_WORD, MICRO_CLZ, MICRO_OF_WORD);
}

#if PD_HAS_F64
#define MICRO_DOUBLE(i) ((pd_f64)MICRO_FLOAT(i))
#define MICRO_OF_DOUBLE(x) ((pd_u32)PD_AS_U64(x))
#define MICRO_FMA64(x) x = PD_FMA64(x, (pd_f64)k.a, (pd_f64)k.b)
PD_KERNEL(padic_k_gpu_micro_fma64)
(PD_BUF(pd_u32, to), PD_PARAMS(padic_k_gpu_micro_params, k))
{
    MICRO_CHAINS(pd_f64, MICRO_DOUBLE, MICRO_FMA64, MICRO_OF_DOUBLE);
}
#endif

// Words of local memory, one a work-item and step, without conflicts; u is odd.
PD_KERNEL(padic_k_gpu_micro_local)
(PD_BUF(pd_u32, to), PD_PARAMS(padic_k_gpu_micro_params, k))
{
    PD_LOCAL pd_u32 table[2048];
    pd_u32 at = PD_LID, sum = 0u;
    for (pd_u32 i = PD_LID; i < 2048u; i += (pd_u32)PD_WG) table[i] = i * k.u;
    PD_BARRIER();
    for (pd_u32 turn = 0u; turn < k.repeat * 8u; turn++) {
        sum += table[at & 2047u] ^ table[(at + 256u) & 2047u];
        sum += table[(at + 512u) & 2047u] ^ table[(at + 768u) & 2047u];
        sum += table[(at + 1024u) & 2047u] ^ table[(at + 1280u) & 2047u];
        sum += table[(at + 1536u) & 2047u] ^ table[(at + 1792u) & 2047u];
        at += 32u;
    }
    if (sum == k.never) to[PD_GID] = sum;
}

PD_KERNEL(padic_k_gpu_micro_empty)
(PD_BUF(pd_u32, to), PD_PARAMS(padic_k_gpu_micro_params, k))
{
    if (k.n == k.never) to[PD_GID] = 1u;
}

// One word a work-item and step, then two words, then a write and a read alone.
PD_KERNEL(padic_k_gpu_micro_copy)
(PD_CBUF(pd_u32, from), PD_BUF(pd_u32, to), PD_PARAMS(padic_k_gpu_micro_params, k))
{
    for (pd_u32 i = PD_GID; i < k.n; i += PD_NGRP * (pd_u32)PD_WG) to[i] = from[i];
}

PD_KERNEL(padic_k_gpu_micro_copy_long)
(PD_CBUF(pd_u64, from), PD_BUF(pd_u64, to), PD_PARAMS(padic_k_gpu_micro_params, k))
{
    for (pd_u32 i = PD_GID; i < k.n / 2u; i += PD_NGRP * (pd_u32)PD_WG) to[i] = from[i];
}

// The same with four loads under way before the first store.
#define MICRO_COPY_FOUR(T, N)                                                                    \
    const pd_u32 step = PD_NGRP * (pd_u32)PD_WG;                                                 \
    pd_u32 i = PD_GID;                                                                           \
    for (; i + 3u * step < (N); i += 4u * step) {                                                \
        const T a = from[i], b = from[i + step];                                                 \
        const T c = from[i + 2u * step], d = from[i + 3u * step];                                \
        to[i] = a;                                                                               \
        to[i + step] = b;                                                                        \
        to[i + 2u * step] = c;                                                                   \
        to[i + 3u * step] = d;                                                                   \
    }                                                                                            \
    for (; i < (N); i += step) to[i] = from[i]

PD_KERNEL(padic_k_gpu_micro_copy_four)
(PD_CBUF(pd_u32, from), PD_BUF(pd_u32, to), PD_PARAMS(padic_k_gpu_micro_params, k))
{
    MICRO_COPY_FOUR(pd_u32, k.n);
}

PD_KERNEL(padic_k_gpu_micro_copy_long_four)
(PD_CBUF(pd_u64, from), PD_BUF(pd_u64, to), PD_PARAMS(padic_k_gpu_micro_params, k))
{
    MICRO_COPY_FOUR(pd_u64, k.n / 2u);
}

PD_KERNEL(padic_k_gpu_micro_write)
(PD_BUF(pd_u64, to), PD_PARAMS(padic_k_gpu_micro_params, k))
{
    for (pd_u32 i = PD_GID; i < k.n / 2u; i += PD_NGRP * (pd_u32)PD_WG) to[i] = (pd_u64)i * k.u;
}

PD_KERNEL(padic_k_gpu_micro_read)
(PD_CBUF(pd_u64, from), PD_BUF(pd_u32, to), PD_PARAMS(padic_k_gpu_micro_params, k))
{
    pd_u64 sum = 0u;
    for (pd_u32 i = PD_GID; i < k.n / 2u; i += PD_NGRP * (pd_u32)PD_WG) sum ^= from[i];
    if ((pd_u32)(sum >> 32) == k.never && (pd_u32)sum == k.never) to[PD_GID] = 1u;
}

// Adds to words of global memory: all to one (u 0), or spread over u words.
PD_KERNEL(padic_k_gpu_micro_atomic)
(PD_BUF(pd_u32, to), PD_PARAMS(padic_k_gpu_micro_params, k))
{
    for (pd_u32 i = PD_GID; i < k.n; i += PD_NGRP * (pd_u32)PD_WG)
        (void)PD_ATOMIC_ADD_G(&to[k.u ? (i * 2654435761u) % k.u : 0u], 1u);
}
