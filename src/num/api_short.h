#pragma once
// ----------------------------------------------------------------------------------- >>short API
//
// What most callers write, in one call each, on top of the calls above. Numbers and text are in
// memory from the context's allocator, else malloc; the same context gives it back. The ring stays
// where it is until then. After a failure the result is zero and nothing has to be given back.
// Errors: those of the call named, ARGUMENT (a NULL pointer), LIMIT (too many elements), MEMORY.

// Makes an array of `count` zeros, with a status plane and, in a long ring, a workspace for one
// thread: padic_num_place() in memory of the library's own.
PADIC_API padic_result padic_num_new(padic_context *context, const padic_num_ring *ring,
                                     padic_num_model model, uint64_t count, padic_num_array *out);
// Gives back what padic_num_new() or one of the functions below made, and zeroes it. Without memory
// nothing happens.
PADIC_API void padic_num_free(padic_context *context, padic_num_array *array);

// out[i] = numerators[i] / denominators[i], by padic_num_from_rational(); `denominators` NULL:
// all 1. An element without a result is NaN (RING: 0), and out->status says why.
PADIC_API padic_result padic_num_from_fractions(padic_context *context, const padic_num_ring *ring,
                                                padic_num_model model, const int64_t *numerators,
                                                const int64_t *denominators, uint64_t count,
                                                padic_num_array *out);
// The fractions of all elements, in->count of them, by padic_num_to_rational() with its defaults:
// equal limits of numerators and denominators. Where those of padic_num_ring_fit() are unequal,
// give them to padic_num_to_rational().
// DOMAIN: some element has none; it is 0/0, all others are right.
PADIC_API padic_result padic_num_to_fractions(padic_context *context, const padic_num_array *in,
                                              int64_t *numerators, int64_t *denominators);

// out[i] = p^valuations[i] sum over k < N of digits[N i + k] p^k, by padic_num_from_digits().
// `valuations` (NULL: all 0) is not for a RING.
PADIC_API padic_result padic_num_from_digit_rows(padic_context *context,
                                                 const padic_num_ring *ring, padic_num_model model,
                                                 const uint64_t *digits, const int32_t *valuations,
                                                 uint64_t count, padic_num_array *out);
// The N digits of each unit, lowest first, and its valuation, by padic_num_to_digits(): in->count N
// digits, and in->count valuations (NULL: not wanted; not for a RING).
PADIC_API padic_result padic_num_to_digit_rows(padic_context *context, const padic_num_array *in,
                                               uint64_t *digits, int32_t *valuations);

// One number for each line of `text`, by padic_num_parse(). A line ends with a newline, or with the
// text; an empty text has no lines. The message of a refusal says which line it is.
PADIC_API padic_result padic_num_from_text(padic_context *context, const padic_num_ring *ring,
                                           padic_num_model model, const char *text,
                                           padic_num_array *out);
// A line for each number, by padic_num_print(), each ended by a newline. After text->size bytes
// there is a 0.
PADIC_API padic_result padic_num_to_text(padic_context *context, const padic_num_array *in,
                                         padic_num_text style, padic_bytes *text);
// Gives back what padic_num_to_text() made, and zeroes it. Without memory nothing happens.
PADIC_API void padic_num_free_text(padic_context *context, padic_bytes *text);
