#pragma once
#include "../core/platform.h"

#ifndef PADIC_NO_ROLLOUT

enum { PADICI_ROLLOUT_TAIL_POINTS = 577 }; // n from 0 to 9 in steps of 1/64

// Student's quantile of normal variables, and its derivative.
typedef struct padici_rollout_student {
    double freedom, value[PADICI_ROLLOUT_TAIL_POINTS], slope[PADICI_ROLLOUT_TAIL_POINTS];
} padici_rollout_student;

PADICI_FN double padici_rollout_to_laplace(double n);
PADICI_FN void padici_rollout_student_begin(padici_rollout_student *s, double freedom);
PADICI_FN double padici_rollout_to_student(const padici_rollout_student *s, double n);

#endif
