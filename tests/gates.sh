#!/bin/sh
# gates.sh: kernel texts through the compilers of devices that are not here.
#
#     sh tests/gates.sh clang|amd|nvidia|spirv|intel [PROGRAM...]
#
# Every program of the folder of kernels is compiled as it is and once for each comment line
# `// variant: PD_X=1 PD_Y=2` in it; with FEW set, for every third of these. What fails a gate: an
# error, a warning, a spilled register, scratch memory, more than 200 vector registers (AMD), arrays
# in local memory (NVIDIA), fp64, 64-bit atomics, images (clang, SPIR-V).
# Exit 77 when the compiler is not installed.
set -eu
cd "$(dirname "$0")/.."
. tests/support/paths.sh
kernels=${KERNELS:-$PWD/$kernels}
gate=$1
shift
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
failed=0
count=0

need() {
    for tool in "$@"; do
        command -v "$tool" >/dev/null || { echo "SKIP: no $tool"; exit 77; }
    done
}

# ------------------------------------------------------------------------------------- the gates
# Each compiles $1 with the defines that follow and prints what is wrong.

begin_clang() { need clang-19; }
gate_clang() { # OpenCL C 1.2 with every extension off, as on Apple: double is an error
    text=$1
    shift
    clang-19 -x cl -cl-std=CL1.2 -target spir64-unknown-unknown -Xclang -cl-ext=-all -Weverything \
        -pedantic -Werror -Wno-pedantic-core-features -Wno-unsafe-buffer-usage \
        -Wno-declaration-after-statement -Wno-unused-macros -Wno-unused-function \
        -Wno-used-but-marked-unused \
        -fsyntax-only "$@" "$text"
}

chips=${AMD_CHIPS:-gfx906 gfx90a gfx942 gfx1030 gfx1100}
begin_amd() {
    need clang-19
    lib=$(dpkg -L rocm-device-libs 2>/dev/null | sed -n 's|/opencl\.bc$||p' | head -n 1)
    [ -n "$lib" ] || { echo "SKIP: no rocm-device-libs"; exit 77; }
    # The packaged library knows no newer chip, so its one constant of a chip is made here: gfx90a
    # is 9.0.10, the last two digits are hexadecimal, what is before them decimal.
    for chip in $chips; do
        number=${chip#gfx} low=${chip#"${chip%?}"} middle=${chip%?}
        middle=${middle#"${middle%?}"} high=${number%??}
        version=$((high * 1000 + 0x$middle * 100 + 0x$low))
        printf '%s\n%s\n' "extern const __constant int __oclc_ISA_version;" \
            "const __constant int __oclc_ISA_version = $version;" >"$tmp/isa.cl"
        clang-19 -x cl -cl-std=CL2.0 -target amdgcn-amd-amdhsa -mcpu="$chip" -nogpulib -O3 \
            -emit-llvm -c "$tmp/isa.cl" -o "$tmp/$chip.bc"
    done
}
gate_amd() {
    text=$1
    shift
    for chip in $chips; do
        case $chip in gfx9*) wave=on ;; *) wave=off ;; esac
        link=
        for f in opencl ocml ockl oclc_daz_opt_on oclc_unsafe_math_off oclc_finite_only_off \
            oclc_correctly_rounded_sqrt_off oclc_wavefrontsize64_$wave oclc_abi_version_500; do
            link="$link -Xclang -mlink-builtin-bitcode -Xclang $lib/$f.bc"
        done
        link="$link -Xclang -mlink-builtin-bitcode -Xclang $tmp/$chip.bc"
        # shellcheck disable=SC2086
        clang-19 -x cl -cl-std=CL1.2 -Xclang -cl-ext=-all -target amdgcn-amd-amdhsa -mcpu="$chip" \
            -nogpulib -O3 $link "$@" -S "$text" -o "$tmp/amd.s" &&
            awk -v chip="$chip" '
                /^    \.name:/ { name = $2 }
                /\.private_segment_fixed_size:/ { scratch = $2 }
                /\.sgpr_spill_count:/ { spills = $2 }
                /\.vgpr_count:/ { vgpr = $2 }
                /\.vgpr_spill_count:/ {
                    seen++
                    if (spills + $2 || scratch || vgpr > 200) {
                        bad = 1
                        printf "%s %s: %d vector registers, %d spills, %d bytes of scratch\n",
                            chip, name, vgpr, spills + $2, scratch
                    }
                }
                END { if (!seen) print chip ": no kernel"; exit bad || !seen }' "$tmp/amd.s" ||
            return 1
    done
}

begin_nvidia() {
    PATH=$PATH:/usr/local/cuda/bin
    need nvcc
}
gate_nvidia() {
    text=$1 code=0
    shift
    for chip in ${NVIDIA_CHIPS:-75 90}; do
        [ "$chip" -ge "$arch" ] || continue
        name=$chip
        [ "$chip" = "$arch" ] && name=$chip$own
        nvcc -x cu --std=c++14 --fmad=false -O3 -cubin \
            -gencode="arch=compute_$name,code=sm_$name" -Xptxas -v "$@" "$text" \
            -o "$tmp/cubin" >"$tmp/nvcc" 2>&1 || { cat "$tmp/nvcc"; return 1; }
        awk -v chip="sm_$chip" '
            /Compiling entry function/ { split($0, quoted, "\047"); name = quoted[2] }
            /spill stores/ && ($1 > 64 || $5 + $9) { # stack frame, spill stores and loads, in bytes
                bad = 1
                print chip, name, $0
            }
            /warning/ { bad = 1; print chip, $0 }
            END { exit bad }' "$tmp/nvcc" || code=1
    done
    return $code
}

begin_spirv() { need clang-15 llvm-spirv-15 spirv-val; }
gate_spirv() { # -O0 only: optimised, this translator orders blocks in a way that spirv-val refuses
    text=$1
    shift
    clang-15 -x cl -cl-std=CL1.2 -target spir64-unknown-unknown -O0 "$@" -emit-llvm -c "$text" \
        -o "$tmp/k.bc" &&
        llvm-spirv-15 --spirv-max-version=1.0 "$tmp/k.bc" -o "$tmp/k.spv" &&
        spirv-val --target-env opencl1.2 "$tmp/k.spv" &&
        spirv-dis "$tmp/k.spv" | grep OpCapability >"$tmp/capabilities" &&
        ! grep -E 'Float64|Float16$|Int64Atomics|Image|GenericPointer|SubgroupDispatch|Groups' \
        "$tmp/capabilities"
}

begin_intel() { need ocloc; }
gate_intel() {
    text=$1
    shift
    for device in ${INTEL_CHIPS:-skl dg2}; do
        ocloc compile -file "$text" -device "$device" -options "-cl-std=CL1.2 $*" \
            -out_dir "$tmp/intel" >"$tmp/ocloc" 2>&1 || { cat "$tmp/ocloc"; return 1; }
        # Registers are few at the width that this compiler chooses: it says where it spills.
        ! grep -i warning "$tmp/ocloc" | grep -v spilled || return 1
    done
}

# ---------------------------------------------------------------------------------- the programs

"begin_$gate"
for row in $(python3 "$embed" --kernels "$kernels" --list "$@" | awk '{ print $1 ":" $3 }'); do
    area=${row%%:*} arch=${row##*:sm_} own= # `own`: the chip's own instructions
    case $arch in *a) arch=${arch%a} own=a ;; esac
    case $area in cuda_*) [ "$gate" = nvidia ] || continue ;; esac
    python3 "$embed" --kernels "$kernels" --join "$area" >"$tmp/$area.cl"
    { echo; python3 "$embed" --kernels "$kernels" --variants "$area" |
        awk -v few="${FEW:+1}" '!few || NR % 3 == 1'
    } >"$tmp/variants"
    while read -r variant; do
        defines=$(printf ' %s' "$variant" | sed 's/ \([A-Z]\)/ -D\1/g')
        # shellcheck disable=SC2086
        if "gate_$gate" "$tmp/$area.cl" $defines >"$tmp/out" 2>&1; then
            count=$((count + 1))
        else
            failed=$((failed + 1))
            echo "FAILED $gate $area $variant"
            head -n 20 "$tmp/out"
        fi
    done <"$tmp/variants"
done
echo "gate_$gate: $count passed, $failed failed, 0 skipped"
[ $failed = 0 ] && [ $count -gt 0 ]
