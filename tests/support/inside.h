// inside.h: for a test program that calls internal functions. It is included before padic.h, after
//
//     #define PADIC_IMPLEMENT_CODEC
//
// for each part that the program compiles itself: one whose functions of a single file it calls, or
// that it compiles with settings of its own. The build (meson.build, tests/stages/common.sh) sees
// the line, passes PADIC_SPLIT and links the other parts, compiled once for all programs.
// Without PADIC_SPLIT the program has the whole library.
#ifndef PADIC_SPLIT
#define PADIC_IMPLEMENTATION
#endif
