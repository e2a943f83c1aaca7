#pragma once
// ------------------------------------------------------------------------------------- >>result

// 0 or a negative code. padic_result_text() has a sentence for each code, and
// padic_context_message() the sentence of the last failure in a context.
typedef enum padic_result {
    PADIC_OK = 0,
    // the caller
    PADIC_ERROR_ARGUMENT = -100,      // a field or pointer that makes no sense
    PADIC_ERROR_MISMATCH = -101,      // dtype, shape, ring or model differ
    PADIC_ERROR_OVERLAP = -102,       // operands share memory they must not share
    PADIC_ERROR_PRIME = -103,         // not a prime
    PADIC_ERROR_LIMIT = -104,         // larger than a documented limit, or than the limit given
    PADIC_ERROR_CAPACITY = -105,      // destination too small; the size needed is returned
    PADIC_ERROR_NOT_SUPPORTED = -106, // valid, but not by this build, device or version
    PADIC_ERROR_DTYPE = -107,         // not an element type, or not one for this operation
    PADIC_ERROR_TOLERANCE = -108,     // tolerance: zero, negative, infinite, NaN, or not offered
    PADIC_ERROR_REGION = -109,        // a box that reaches outside the array
    PADIC_ERROR_CALLBACK = -110,      // a read or write function of the caller failed
    PADIC_ERROR_RING = -111,          // numbers of different rings, or of another model than asked
    PADIC_ERROR_PRECISION = -112,     // 0 digits, or more than the ring or the form has
    PADIC_ERROR_ALIGNMENT = -113,     // an address that is no multiple of the element's size
    PADIC_ERROR_CANCELLED = -114,     // the progress hook asked to stop
    PADIC_ERROR_ASKED = -115,         // no failure: only asked, see padic_context_ask()
    // memory
    PADIC_ERROR_MEMORY = -200,
    // data
    PADIC_ERROR_DOMAIN = -300,
    PADIC_ERROR_CORRUPT = -301,  // not a stream of ours, or cut short
    PADIC_ERROR_CHECKSUM = -302, // a stream of ours, damaged
    PADIC_ERROR_VERSION = -303,  // written by a newer version
    PADIC_ERROR_NOT_FINITE = -304,
    // device
    PADIC_ERROR_DEVICE = -400,
    PADIC_ERROR_DEVICE_LOST = -401,
    PADIC_ERROR_NO_DEVICE = -402,
    // kernels
    PADIC_ERROR_BUILD = -500,
    PADIC_ERROR_SELF_TEST = -501
} padic_result;

// One sentence that says what happened and what to do; never NULL.
PADIC_API const char *padic_result_text(padic_result result);

