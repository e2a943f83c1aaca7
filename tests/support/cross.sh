#!/bin/sh
# cross.sh MACHINE: prints a Meson cross file for s390x, aarch64, armhf, riscv64, ppc64le, i686 or
# mingw64, with the emulator that runs its programs here:
#
#     sh tests/support/cross.sh s390x >/tmp/s390x.ini
#     meson setup build-s390x --cross-file /tmp/s390x.ini
#
# `cross.sh MACHINE cc` prints the compiler with its flags and `cross.sh MACHINE run` the emulator:
# what run.sh needs. Programs are static, so that no emulator looks for a C library.
order=little system=linux args="'-O2'"
case $1 in
s390x) cc=s390x-linux-gnu-gcc run=qemu-s390x family=s390x order=big ;;
aarch64) cc=aarch64-linux-gnu-gcc run=qemu-aarch64 family=aarch64 ;;
armhf) cc=arm-linux-gnueabihf-gcc run=qemu-arm family=arm ;;
riscv64) cc=riscv64-linux-gnu-gcc run=qemu-riscv64 family=riscv64 ;;
ppc64le) cc=powerpc64le-linux-gnu-gcc run=qemu-ppc64le family=ppc64 ;;
# x87 arithmetic rounds twice; the header refuses it.
i686) cc=i686-linux-gnu-gcc run='' family=x86 args="'-O2', '-msse2', '-mfpmath=sse'" ;;
mingw64) cc=x86_64-w64-mingw32-gcc run=wine family=x86_64 system=windows ;;
*) echo "usage: cross.sh s390x|aarch64|armhf|riscv64|ppc64le|i686|mingw64 [cc|run]" >&2; exit 2 ;;
esac
case $2 in
cc) echo "$cc $(echo "$args" | tr -d "',") -static"; exit ;;
run) echo "$run"; exit ;;
esac
printf "[binaries]\nc = '%s'\n" "$cc"
[ -z "$run" ] || printf "exe_wrapper = ['%s']\n" "$run"
printf "[built-in options]\nc_args = [%s]\nc_link_args = ['-static']\n" "$args"
printf "[host_machine]\nsystem = '%s'\ncpu_family = '%s'\ncpu = '%s'\nendian = '%s'\n" \
    "$system" "$family" "$1" "$order"
