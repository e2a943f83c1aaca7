// unity.cpp: everything in one unit, the implementation last, as file order happens to be.
#define STUDIO_VARIANT "unity"
#include "game.cpp"
#include "unity_audio.cpp"
#define PADIC_IMPLEMENTATION
#include "padic.h"
#include "padic_threads.h"
