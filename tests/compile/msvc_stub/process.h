// process.h: stub for msvc_gate.sh.
#pragma once
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif
uintptr_t _beginthreadex(void *, unsigned, unsigned(__stdcall *)(void *), void *, unsigned,
                         unsigned *);
#ifdef __cplusplus
}
#endif
