#!/bin/sh
# msvc_gate.sh file.c [flags]: clang-cl reads the file as MSVC would, as C11 and as C++17, at /W4
# with warnings as errors. The C library's headers are the stubs in msvc_stub/: mingw's do not mix
# with clang-cl, and Microsoft's are not ours to ship. GNU extensions and VLAs are errors.
# CLANG_CL names the compiler.
here=$(cd "$(dirname "$0")" && pwd)
cl=${CLANG_CL:-clang-cl-19}
builtin=$($cl /clang:-print-resource-dir)/include # stddef.h, stdint.h, float.h, intrinsics
gate() {
    "$cl" --target=x86_64-pc-windows-msvc /Zs /X /imsvc "$here/msvc_stub" /imsvc "$builtin" \
        /W4 /WX -Wgnu -Wvla -Wconversion -Wshadow -Wno-unused-command-line-argument "$@"
}
gate /std:c11 "$@" && gate /TP /std:c++17 "$@"
