// intrin.h: stub for msvc_gate.sh: the bit and wide multiply intrinsics that MSVC has.
#pragma once
#ifdef __cplusplus
extern "C" {
#endif
unsigned char _BitScanForward(unsigned long *, unsigned long);
unsigned char _BitScanReverse(unsigned long *, unsigned long);
unsigned char _BitScanForward64(unsigned long *, unsigned long long);
unsigned char _BitScanReverse64(unsigned long *, unsigned long long);
unsigned long long _umul128(unsigned long long, unsigned long long, unsigned long long *);
unsigned long long __umulh(unsigned long long, unsigned long long);
unsigned long long _udiv128(unsigned long long, unsigned long long, unsigned long long,
                            unsigned long long *);
#ifdef __cplusplus
}
#endif
