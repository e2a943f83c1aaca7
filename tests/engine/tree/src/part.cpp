// part.cpp: a part compiled as C++.
#include "part.c"
