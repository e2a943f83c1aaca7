#pragma once
// -------------------------------------------------------------------------------------- >>fft API
//
// Discrete Fourier transforms along 1 to 3 axes of a tensor of any rank; all other axes are
// batches. Along an axis of n elements, x any sequence and X its spectrum,
//
//     forward   X_k = sum_j x_j exp(-2 pi i j k / n)
//     inverse   x_j = sum_k X_k exp(+2 pi i j k / n) / n
//
// A program that finds the loudest tone of a second of sound:
//
//     #define PADIC_IMPLEMENTATION
//     #include "padic.h"
//     #include <stdio.h>
//
//     int main(void)
//     {
//         static float sound[1000], spectrum[501][2];
//         float loud = 0;
//         int hertz = 0;
//         for (int i = 0; i < 1000; i++) sound[i] = 60 * i % 1000 < 500 ? 1.0f : -1.0f;
//         padic_fft_transform_desc fft = PADIC_ZERO;
//         fft.in = padic_tensor_1d(PADIC_F32, sound, 1000);
//         fft.out = padic_tensor_1d(PADIC_C64, spectrum, 501);
//         padic_result result = padic_fft_transform(NULL, &fft);
//         if (result) return puts(padic_result_text(result)), 1;
//         for (int k = 0; k < 501; k++) {
//             float *s = spectrum[k], power = s[0] * s[0] + s[1] * s[1];
//             if (power > loud) loud = power, hertz = k;
//         }
//         return printf("%d Hz\n", hertz) < 0;
//     }

typedef enum padic_fft_direction {
    PADIC_FFT_FORWARD = 0,
    PADIC_FFT_INVERSE = 1
} padic_fft_direction;

// What the sums are multiplied by, n being the product of the transformed extents.
typedef enum padic_fft_scale {
    PADIC_FFT_SCALE_INVERSE = 0, // forward 1, inverse 1/n
    PADIC_FFT_SCALE_NONE = 1,    // 1
    PADIC_FFT_SCALE_ORTHO = 2    // 1/sqrt(n), which keeps the norm
} padic_fft_scale;

#define PADIC_FFT_AXES 3
#define PADIC_FFT_LONGEST 1073741824u // elements of a transformed axis, 2^30; half that unless
                                      // all its prime factors are 2, 3, 5 and 7

typedef struct padic_fft_plan padic_fft_plan;

// The dtypes of `in` and `out` choose the transform:
//
//     C64 to C64, C128 to C128   complex. All extents alike. `in` may be `out`, or may be left
//                                zero: `out` is transformed in place
//     F32 to C64, F64 to C128    real, forward only. The last axis named, of n elements, has
//                                n/2 + 1 in `out`: the others are their conjugates
//     C64 to F32, C128 to F64    its inverse. That axis has n in `out` and n/2 + 1 in `in`. Of
//                                column 0, and of n/2 where n is even, only the Hermitian part
//                                counts: what a real signal's spectrum has there
//
// `in` may have any strides, `out` any positive ones. Reals and their spectrum may share memory if
// both have stride 1 along the last axis named, begin at one place, and have steps along the other
// axes that are the same in bytes: lines of n reals are padded to 2 (n/2 + 1). Else `in` is not
// changed. Extents that 2, 3, 5 and 7 divide are fastest (padic_fft_next_size()); an axis with
// another prime factor costs about six times as much (Bluestein's chirp transform).
//
// A call makes its tables and scratch, from the allocator hook, and frees them. Repeated calls give
// a plan and allocate nothing.
//
// On a device: kernels for F32 and C64, and for F64 and C128 where it has f64; lengths up to 2^22,
// in f64 2^20, if they are a product of two numbers up to 2048, in f64 1024, that 2, 3, 5 and 7
// divide, and others up to half of that. The CPU does what is longer, or has more than 2^31 numbers
// in all. The first call of a length makes its tables; a recording takes the next ones.
//
// Error: with N the product of the transformed extents, the relative error in the L2 norm is at
// most max(4, log2 N) u, u = 2^-53 for C128 and F64 and 2^-24 for C64 and F32; four times that
// with Bluestein. Without vectors C64 and F32 are computed in f64 and rounded once: u alone. D1,
// the same bits for any number of workers; D2 between backends. A NaN or infinity spreads over its
// own lines and no others.
//
// Errors: DTYPE (no pair of the above); ARGUMENT (no axis, an axis twice or beyond the rank, an
// extent of 0 along one, unknown direction or scale, a direction that the dtypes exclude, another
// context's plan); MISMATCH (extents of in and out; a plan for another shape); OVERLAP; LIMIT (an
// axis too long); MEMORY. A batch of 0 is done at once.
typedef struct padic_fft_transform_desc {
    padic_tensor in, out;
    uint32_t axis_count;            // 0: the last axis alone
    uint32_t axis[PADIC_FFT_AXES];  // as many of them as axis_count
    padic_fft_direction direction;
    padic_fft_scale scale;
    padic_fft_plan *plan;           // zero: none
} padic_fft_transform_desc;
PADIC_API padic_result padic_fft_transform(padic_context *context,
                                           const padic_fft_transform_desc *desc);

// Makes a plan: the tables and the scratch of all transforms of this context whose tensors have
// the dtypes, extents and axes of `desc`, either way round and with any scale, strides and memory
// (`data` is not looked at). It serves one call at a time, of as many workers as the jobs hook has
// now. `context` NULL: for calls without one. On failure *plan is NULL.
// Errors: as above.
PADIC_API padic_result padic_fft_plan_create(padic_context *context,
                                             const padic_fft_transform_desc *desc,
                                             padic_fft_plan **plan);
// Frees it, before its context is destroyed. NULL is fine.
PADIC_API void padic_fft_plan_destroy(padic_fft_plan *plan);
// Bytes that it holds.
PADIC_API uint64_t padic_fft_plan_size(const padic_fft_plan *plan);

// The least number from n on that only 2, 3, 5 and 7 divide; n 0: 1; beyond 2^63: 0.
PADIC_API uint64_t padic_fft_next_size(uint64_t n);

