// math.h: stub for msvc_gate.sh.
#pragma once
#ifdef __cplusplus
extern "C" {
#endif
double sqrt(double);
double fabs(double);
double floor(double);
#ifdef __cplusplus
}
#endif
