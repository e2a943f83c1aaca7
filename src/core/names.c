#include "platform.h"

#if PADICI_IMPLEMENT_CORE

// Sizes and names of element types, and what results mean.

PADIC_API uint32_t padic_dtype_size(padic_dtype dtype)
{
    static const uint8_t sizes[15] = {0, 8, 4, 2, 2, 1, 2, 4, 8, 1, 2, 4, 8, 8, 16};
    uint32_t i = (uint32_t)dtype;
    return i < 15 ? sizes[i] : 0;
}

PADIC_API const char *padic_dtype_name(padic_dtype dtype)
{
    static const char *const names[15] = {"?",   "f64", "f32", "f16", "bf16",
                                          "i8",  "i16", "i32", "i64", "u8",
                                          "u16", "u32", "u64", "complex64", "complex128"};
    uint32_t i = (uint32_t)dtype;
    return names[i < 15 ? i : 0];
}

PADIC_API const char *padic_result_text(padic_result result)
{
    switch (result) {
    case PADIC_OK: return "no error";
    case PADIC_ERROR_ARGUMENT: return "a field or pointer makes no sense: check the desc";
    case PADIC_ERROR_MISMATCH: return "dtypes or shapes differ: make both sides agree";
    case PADIC_ERROR_OVERLAP: return "operands share memory: give each its own";
    case PADIC_ERROR_PRIME: return "the base is not a prime: choose one";
    case PADIC_ERROR_LIMIT: return "larger than a limit: raise the limit or split the work";
    case PADIC_ERROR_CAPACITY: return "the destination is too small: give the size returned";
    case PADIC_ERROR_NOT_SUPPORTED: return "not supported by this build, device or version";
    case PADIC_ERROR_DTYPE: return "the element type is unknown or not one for this operation";
    case PADIC_ERROR_TOLERANCE:
        return "the error bound must be finite and above zero";
    case PADIC_ERROR_REGION: return "the box reaches outside the array: check begin and count";
    case PADIC_ERROR_CALLBACK: return "a read or write function of the caller failed";
    case PADIC_ERROR_RING: return "the numbers are of different rings or models: convert one side";
    case PADIC_ERROR_PRECISION: return "the number of digits is 0 or more than the ring has";
    case PADIC_ERROR_ALIGNMENT: return "an address is not aligned to its elements: move the data";
    case PADIC_ERROR_CANCELLED: return "the progress hook stopped the work";
    case PADIC_ERROR_ASKED: return "only asked, not done: padic_context_ask() of NULL ends that";
    case PADIC_ERROR_MEMORY: return "out of memory: free some or make the work smaller";
    case PADIC_ERROR_DOMAIN: return "a value lies outside the domain of the operation";
    case PADIC_ERROR_CORRUPT: return "not a padic stream, or cut short: fetch it again";
    case PADIC_ERROR_CHECKSUM: return "the stream is damaged: fetch it again";
    case PADIC_ERROR_VERSION:
        return "written by a newer version, or compiled with another: update padic.h";
    case PADIC_ERROR_NOT_FINITE: return "a value is infinite or not a number";
    case PADIC_ERROR_DEVICE: return "a driver call failed: see the message of the context";
    case PADIC_ERROR_DEVICE_LOST: return "the device is lost: destroy the context, make a new one";
    case PADIC_ERROR_NO_DEVICE: return "no usable device: install a driver or use the CPU";
    case PADIC_ERROR_BUILD: return "a kernel did not compile: see the log";
    case PADIC_ERROR_SELF_TEST: return "a kernel gives wrong answers: update the device's driver";
    }
    return "unknown result code";
}

#endif
