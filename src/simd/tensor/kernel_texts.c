#include "kernel_texts.h"

#if PADICI_IMPLEMENT_SIMD && !defined(PADIC_NO_TENSOR) && (PADICI_SIMD_X86 || PADICI_SIMD_ARM)

// The texts of the kernels, for any instruction set and both precisions: packing of panels
// and products of panels, lines and whole small matrices.

// Packing. a: for each place of the sum the real parts of the lines, then the imaginary ones. Lines
// next to each other are copied a place at a time, others a line at a time. b: see above.
#define PADICI_GEMM_PACK(T)                                                                        \
    PADICI_INLINE void padici_gemm_a_##T(const padici_gemm_pack *pack, T *to, uint32_t mr)         \
    {                                                                                              \
        const T *from = (const T *)(const void *)pack->from;                                       \
        const T sign = pack->negate ? (T)-1 : (T)1;                                                \
        const int64_t *sum = pack->sum;                                                            \
        uint32_t k, i;                                                                             \
        if (!pack->paired && pack->flat) {                                                         \
            for (k = 0; k < pack->depth; k++, to += mr)                                            \
                memcpy(to, from + pack->line[0] + sum[k], mr * sizeof(T));                         \
        } else if (pack->flat) {                                                                   \
            for (k = 0; k < pack->depth; k++, to += 2 * mr) {                                      \
                const T *x = from + 2 * (pack->line[0] + sum[k]);                                  \
                for (i = 0; i < mr; i++) to[i] = x[2 * i];                                         \
                for (i = 0; i < mr; i++) to[mr + i] = sign * x[2 * i + 1];                         \
            }                                                                                      \
        } else if (pack->adjacent) {                                                               \
            const uint32_t parts = pack->paired ? 2 : 1;                                           \
            const T *x[PADICI_GEMM_LINES];                                                         \
            for (i = 0; i < mr; i++) x[i] = from + parts * (pack->line[i] + sum[0]);               \
            for (k = 0; k < parts * pack->depth; k++, to += mr)                                    \
                for (i = 0; i < mr; i++) to[i] = x[i][k];                                          \
            for (k = mr; k < parts * pack->depth * mr && pack->negate; k += 2 * mr)                \
                for (i = 0; i < mr; i++) (to - parts * pack->depth * mr)[k + i] *= sign;           \
        } else if (!pack->paired) {                                                                \
            for (i = 0; i < mr; i++) {                                                             \
                const T *x = from + pack->line[i];                                                 \
                for (k = 0; k < pack->depth; k++) to[k * mr + i] = x[sum[k]];                      \
            }                                                                                      \
        } else {                                                                                   \
            for (i = 0; i < mr; i++) {                                                             \
                const T *x = from + 2 * pack->line[i];                                             \
                for (k = 0; k < pack->depth; k++) {                                                \
                    to[2 * k * mr + i] = x[2 * sum[k]];                                            \
                    to[(2 * k + 1) * mr + i] = sign * x[2 * sum[k] + 1];                           \
                }                                                                                  \
            }                                                                                      \
        }                                                                                          \
    }                                                                                              \
    /* One complex number of b; under it, for a complex a, i times the number. */                  \
    PADICI_INLINE void padici_gemm_turn_##T(const padici_gemm_pack *pack, const T *x, T *to,       \
                                            uint32_t nr)                                           \
    {                                                                                              \
        T re = x[0], im = pack->negate ? -x[1] : x[1];                                             \
        if (pack->scaled) {                                                                        \
            const T p = (T)pack->scale[0], q = (T)pack->scale[1], m = -q;                          \
            const T r = p * re + m * im;                                                           \
            im = p * im + q * re;                                                                  \
            re = r;                                                                                \
        }                                                                                          \
        to[0] = re;                                                                                \
        to[1] = im;                                                                                \
        if (!pack->twice) return;                                                                  \
        to[nr] = -im;                                                                              \
        to[nr + 1] = re;                                                                           \
    }                                                                                              \
    PADICI_INLINE void padici_gemm_b_##T(const padici_gemm_pack *pack, T *to, uint32_t nr)         \
    {                                                                                              \
        const T *from = (const T *)(const void *)pack->from;                                       \
        const T scale = pack->scaled ? (T)pack->scale[0] : (T)1;                                   \
        const T sign = pack->negate ? (T)-1 : (T)1;                                                \
        const uint32_t rows = pack->twice ? 2 : 1;                                                 \
        const int64_t *sum = pack->sum;                                                            \
        uint32_t k, i;                                                                             \
        if (!pack->paired && pack->flat) {                                                         \
            for (k = 0; k < pack->depth; k++, to += nr) {                                          \
                const T *x = from + pack->line[0] + sum[k];                                        \
                for (i = 0; i < nr; i++) to[i] = scale * x[i];                                     \
            }                                                                                      \
        } else if (!pack->paired) {                                                                \
            for (i = 0; i < nr; i++) {                                                             \
                const T *x = from + pack->line[i];                                                 \
                for (k = 0; k < pack->depth; k++) to[k * nr + i] = scale * x[sum[k]];              \
            }                                                                                      \
        } else if (pack->flat && !pack->scaled && pack->twice) {                                   \
            for (k = 0; k < pack->depth; k++, to += 2 * nr) {                                      \
                const T *x = from + 2 * (pack->line[0] + sum[k]);                                  \
                for (i = 0; i < nr; i += 2) {                                                      \
                    to[i] = to[nr + i + 1] = x[i];                                                 \
                    to[i + 1] = sign * x[i + 1];                                                   \
                    to[nr + i] = -sign * x[i + 1];                                                 \
                }                                                                                  \
            }                                                                                      \
        } else {                                                                                   \
            for (i = 0; i < nr; i += 2)                                                            \
                for (k = 0; k < pack->depth; k++)                                                  \
                    padici_gemm_turn_##T(pack, from + 2 * (pack->line[i / 2] + sum[k]),            \
                                         to + k * rows * nr + i, nr);                              \
        }                                                                                          \
    }

PADICI_GEMM_PACK(float)

PADICI_GEMM_PACK(double)

#undef PADICI_GEMM_PACK

#endif
