#pragma once
// -------------------------------------------------------------------------------- >>random API
//
// Philox4x32-10 (Salmon, Moraes, Dror, Shaw: Parallel random numbers: as easy as 1, 2, 3; 2011).
// Numbers are addressed, not drawn: (seed, stream, step, block) gives four words, so no result
// depends on order, batching, threads or device. The key is the seed, low word first; the counter
// is (block, step, stream low, stream high). Everything here is D0.

PADIC_API void padic_random_block(uint64_t seed, uint64_t stream, uint32_t step, uint32_t block,
                                  uint32_t out[4]);
// Uniform in [0, 1) on the grid 2^-24: (word >> 8) 2^-24.
PADIC_API float padic_random_f32(uint32_t word);
// Uniform in [0, 1) on the grid 2^-53: ((high 2^32 + low) >> 11) 2^-53.
PADIC_API double padic_random_f64(uint32_t low, uint32_t high);
// Uniform in (-1, 1), symmetric and never 0: with n = word >> 8, (2 n + 1 - 2^24) 2^-24.
PADIC_API float padic_random_symmetric(uint32_t word);
// The quantile of a standard normal variable, of the word's upper bit as its sign and the others as
// the probability of its tail, (2 n + 1) 2^-33, n = word mod 2^31: within 2e-7 max(1, |z|), up to
// 6.23. Sums and products of floats alone, so that all devices agree. (Piecewise polynomials.)
PADIC_API float padic_random_normal(uint32_t word);
// The same of the density e^-|x| / 2: variance 2, up to 22.2.
PADIC_API float padic_random_laplace(uint32_t word);

// Fills a tensor of any dtype. Integers take all values of their type (the low bits of their word);
// floats lie in [0, 1): f64 on the grid 2^-53, f32 2^-24, f16 2^-11, bf16 2^-8, from the highest
// bits. Words are numbered through a stream, word w in block w / 4 at place w % 4, and element i
// (in C order of the shape, whatever the strides) takes word i; 64-bit types and complex64 take
// words 2 i and 2 i + 1 (low or real part first); complex128 four. At most 2^34 words: LIMIT.
typedef struct padic_random_fill_desc {
    padic_tensor tensor;
    uint64_t seed;
    uint64_t stream;
    uint32_t step;
} padic_random_fill_desc;
PADIC_API padic_result padic_random_fill(padic_context *context,
                                         const padic_random_fill_desc *desc);

