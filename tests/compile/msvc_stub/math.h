// math.h: stub for msvc_gate.sh.
#pragma once
#ifdef __cplusplus
extern "C" {
#endif
double sqrt(double);
double sin(double);
double cos(double);
double exp(double);
double log(double);
double atan2(double, double);
double ldexp(double, int);
double fabs(double);
double floor(double);
double acos(double);
double frexp(double, int *);
double pow(double, double);
double tanh(double);
double erf(double);
double erfc(double);
float fmaf(float, float, float);
#ifdef __cplusplus
}
#endif
