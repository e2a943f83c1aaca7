#pragma once
// ------------------------------------------------------------------------------- >>channels API
//
// Floats as integers, digests of sets, compressed gradients. Everything is D0. Tensors here are
// dense, in host memory (also that of a buffer) and of one count; none may overlap another unless a
// comment allows it. Common errors: ARGUMENT (pointers, strides, buffers without a context), DTYPE,
// MISMATCH (counts), NOT_SUPPORTED (a buffer on a device), ALIGNMENT, OVERLAP, DOMAIN (a hard
// status bit where there is neither `status` nor `sticky`).

// x as sign s in {-1, 0, 1} and level y = floor(2^F log2 |x| + 1/2), exactly rounded: no tie
// exists. y grows with |x|; zero is s = 0, y = 0; subnormals have their true level. The magnitude
// is x' = 2^(y / 2^F), |x' / x - 1| <= 2^(2^-(F+1)) - 1 (F = 16: 5.3e-6) and half an ulp of
// decoding. encode(decode(y)) = y for normal results.
//
// Inf and NaN are refused: s = 0 and OUTSIDE, so `status` tells which elements to keep elsewhere.
// -0 becomes 0 (INEXACT). Decoding is correctly rounded; beyond the range it gives Inf (RANGE), and
// 0 where a level is too small (INEXACT). Errors: LIMIT (F above t - 2, with t = 11, 8, 24, 53
// significant bits, or above 30; `ring` too small), ARGUMENT (`level` too narrow for 25, 134, 150
// or 1,075 times 2^F), and the common ones.
typedef struct padic_num_log_desc {
    padic_tensor value; // F16, BF16, F32, F64: in for encode, out for decode
    padic_tensor sign;  // I8
    padic_tensor level; // I16, I32, I64
    uint32_t fraction;  // F
    const padic_num_ring *ring;   // optional: must hold every level, P > 2,150 2^F, so that
                                  // padic_num_from_int() takes levels exactly, never folded mod p
    padic_tensor status;          // optional, U8: padic_num_status
    uint32_t *sticky;             // optional: all status bits are combined into it by or
} padic_num_log_desc;
PADIC_API padic_result padic_num_log_encode(padic_context *context, const padic_num_log_desc *desc);
PADIC_API padic_result padic_num_log_decode(padic_context *context, const padic_num_log_desc *desc);

// The fields of IEEE floats as they stand: value = sign | biased exponent | mantissa. Every bit
// pattern survives, NaN payloads too. The planes are U8 to U64, wide enough for 1 bit, for 5, 8, 8,
// 11 and for 10, 7, 23, 52 bits (else ARGUMENT). join: DOMAIN if a field is out of range; that
// element is 0, the others are right.
typedef struct padic_num_channels_desc {
    padic_tensor value; // F16, BF16, F32, F64: in for split, out for join
    padic_tensor sign, exponent, mantissa;
} padic_num_channels_desc;
PADIC_API padic_result padic_num_channels_split(padic_context *context,
                                                const padic_num_channels_desc *desc);
PADIC_API padic_result padic_num_channels_join(padic_context *context,
                                               const padic_num_channels_desc *desc);

// A digest of a set of records (id, bytes), in any order: two peers of a lockstep game keep one
// each and compare them. Each record, as words of 32 bits with its length and id before them,
// is a polynomial over Z/(2^61 - 1); its values at two points drawn from the seed are the counter
// of Philox4x32-10, keyed by the seed, and the 128 bits are added to `sum`, two elements of Z/2^64.
// Any order, split and history of one set gives the same bytes, so memcmp() compares two digests.
// Two sets of which d records of w words differ agree by accident with probability d^2 w^2 2^-122,
// or 2^-128. NOT cryptographic: whoever chooses the records can make two sets agree.
typedef struct padic_num_digest {
    uint64_t seed, count, sum[2];
    uint64_t point[2]; // made from the seed
} padic_num_digest;
PADIC_API void padic_num_digest_init(padic_num_digest *digest, uint64_t seed);
// `data` may be NULL if size is 0; if it is NULL otherwise, or there is no digest, nothing is done.
// A record that was never added can be removed: the digest is then that of a set with -1 of it, and
// adding the record gives the digest of the empty set again.
PADIC_API void padic_num_digest_add(padic_num_digest *digest, uint64_t id, const void *data,
                                    size_t size);
PADIC_API void padic_num_digest_remove(padic_num_digest *digest, uint64_t id, const void *data,
                                       size_t size);
// Removes the record `before` and adds `after`, both of `size` bytes.
PADIC_API void padic_num_digest_update(padic_num_digest *digest, uint64_t id, const void *before,
                                       const void *after, size_t size);
// Adds all records of another digest. Errors: ARGUMENT (NULL), MISMATCH (another seed).
PADIC_API padic_result padic_num_digest_merge(padic_num_digest *digest,
                                              const padic_num_digest *other);
// Straight-through gradient of a quantiser: out = grad where low <= in <= high, else 0 (NaN: 0).
// A surrogate: the true derivative of a quantiser is 0 almost everywhere (Bengio, Leonard,
// Courville 2013). Floats of any type; out and grad of the same, out may be grad. Errors: ARGUMENT
// (low or high is NaN), MISMATCH (dtype of out), and the common ones.
typedef struct padic_num_ste_desc {
    padic_tensor out, grad, in;
    double low, high; // what the quantiser can represent
} padic_num_ste_desc;
PADIC_API padic_result padic_num_ste_backward(padic_context *context,
                                              const padic_num_ste_desc *desc);

typedef enum padic_num_grad_mode {
    PADIC_NUM_GRAD_ALL = 0,       // every element
    PADIC_NUM_GRAD_THRESHOLD = 1, // |state| >= threshold
    PADIC_NUM_GRAD_TOP = 2        // the `top` largest |state|, ties by the lower index
} padic_num_grad_mode;

// One step of a gradient compressor with error feedback. The residual counts units of 2^-scale and
// is exact: state = residual + in 2^scale; an element that is sent sends the multiple q 2^step of
// units nearest to its state (ties to even; at most the largest multiple that `sent` holds), and
//
//     q 2^step + residual' = residual + in 2^scale       as integers, with no decay
//
// Where in 2^scale is no integer it is rounded (ties to even), INEXACT and counted. Inf and NaN
// (OUTSIDE) and an input that would wrap the state (RANGE) count as 0.
// CAPACITY: there is more to send than room, and report.sent is how many; the state then keeps it
// all, so nothing is lost: a call with room, and zeros for `in`, sends it. Other errors: ARGUMENT
// (scale, step, mode), LIMIT (index U32 for 2^32 elements or more), and the common ones.
typedef struct padic_num_grad_report {
    uint64_t sent, inexact, refused; // elements; refused: OUTSIDE and RANGE
} padic_num_grad_report;
typedef struct padic_num_grad_desc {
    padic_tensor in;       // F16, BF16, F32, F64
    padic_tensor residual; // I64, in and out
    int32_t scale;         // -1,100 to 1,100
    uint32_t step;         // 0 to 62
    padic_num_grad_mode mode;
    uint64_t threshold;    // in units
    uint64_t top;
    padic_tensor sent;     // q: I8, I16, I32, I64; room for those sent
    padic_tensor index;    // U32, U64: which they are, ascending, as many; unused by ALL
    padic_tensor status;   // optional, U8
    uint32_t *sticky;      // optional
    padic_num_grad_report *report; // optional
} padic_num_grad_desc;
PADIC_API padic_result padic_num_grad_step(padic_context *context, const padic_num_grad_desc *desc);
