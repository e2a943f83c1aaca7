// time.h: stub for msvc_gate.sh.
#pragma once
#ifdef __cplusplus
extern "C" {
#endif
typedef long clock_t;
typedef long long time_t;
struct timespec {
    time_t tv_sec;
    long tv_nsec;
};
#define CLOCKS_PER_SEC ((clock_t)1000)
#define TIME_UTC 1
clock_t clock(void);
time_t time(time_t *);
int timespec_get(struct timespec *, int);
#ifdef __cplusplus
}
#endif
