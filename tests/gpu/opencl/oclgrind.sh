#!/bin/sh
# oclgrind.sh program [arguments]: an OpenCL program in Oclgrind, every check on, within Apple's
# limits: 256 items a group, 32 KiB of local memory. The exit status is the program's, or 1 if
# Oclgrind reported anything.
#
# Kernels are not optimised: version 21.10 neither follows `freeze`, which the optimiser makes, nor
# finds every kernel afterwards. After a host write it also knows no more of a buffer than the bytes
# of that write, be it a part: what lies beyond it is called uninitialized, even where the kernel
# itself has just written it. So programs run here write whole buffers; drivers that clear the first
# words of a scratch buffer (systems over the rationals) are seen by their known answers.
#
# A loader opened at run time reaches Oclgrind by an ICD file, not by its preload. Its own exit
# status means nothing: kernel errors are in its log, errors in the use of the API on its stderr.
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
icd=${OCLGRIND_ICD:-$(dpkg -L oclgrind 2>/dev/null | grep 'rt-icd\.so$')}
[ -f "$icd" ] || { echo "oclgrind.sh: no liboclgrind-rt-icd.so; name it in OCLGRIND_ICD"; exit 2; }
echo "$icd" >"$tmp/oclgrind.icd"
OCL_ICD_VENDORS="$tmp/oclgrind.icd" oclgrind --build-options -cl-opt-disable --data-races \
    --uninitialized --uniform-writes --check-api --max-wgsize "${MAX_WG:-256}" \
    --local-mem-size "${LOCAL_BYTES:-32768}" \
    --max-errors 20 --log "$tmp/log" "$@" 2>"$tmp/err"
code=$?
cat "$tmp/err" >&2
if [ -s "$tmp/log" ]; then
    head -n 40 "$tmp/log"
    exit 1
fi
if grep -q 'OpenCL runtime error detected' "$tmp/err"; then exit 1; fi
exit $code
