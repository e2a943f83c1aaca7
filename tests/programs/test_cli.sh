#!/bin/sh
# test_cli.sh: the command-line tool: every command, round trips of every dtype through raw and .npy
# files and pipes, boxes against the whole, and what it says about bad input: the exit code, one
# sentence, and no file left behind.
#
#     sh tests/programs/test_cli.sh [path of a padic that is built already]
#
# CC chooses the compiler. With OBJECT, the compiled implementation, and IMPLEMENTED, the flags
# beside it, the tool is linked with that. Checks with numpy are skipped where there is none.
cd "$(dirname "$0")/../.." || exit 1
. tests/support/sh_test.sh
data=tests/data
dtypes="f64 f32 f16 bf16 i8 i16 i32 i64 u8 u16 u32 u64 complex64 complex128"

if [ -n "$1" ]; then
    padic=$1
else
    padic=$tmp/padic
    # shellcheck disable=SC2086
    expect "the tool compiles" "${CC:-cc}" -O1 $IMPLEMENTED -o "$padic" examples/padic.c $OBJECT \
        -lm -lpthread
    [ -x "$padic" ] || finish test_cli
fi
python=
for program in python3 /usr/bin/python3; do
    ! "$program" -c 'import numpy' 2>/dev/null || python=$program
done

# ------------------------------------------------------------------------------------------ helpers

slice() { # file, first byte, number of bytes
    tail -c "+$(($2 + 1))" "$1" | head -c "$3"
}

npy() { # raw file, descr, fortran_order, shape: writes a .npy to standard output
    text="{'descr': '$2', 'fortran_order': $3, 'shape': $4, }"
    size=${#text}
    # shellcheck disable=SC2059
    printf "\\223NUMPY\\001\\000\\$(printf %03o "$size")\\000"
    printf %s "$text"
    cat "$1"
}

no_leftovers() {
    ! ls "$tmp" | grep '\.tmp$'
}

refuses() { # exit code, part of the sentence, arguments; OUT is $tmp/none where there is one
    want=$1 part=$2
    shift 2
    rm -f "$tmp/none" "$tmp/none.npy"
    "$padic" "$@" >"$tmp/stdout" 2>"$tmp/stderr"
    got=$?
    cat "$tmp/stderr"
    [ "$got" = "$want" ] || { echo "exit code $got, not $want"; return 1; }
    [ "$(wc -l <"$tmp/stderr")" -eq 1 ] || { echo "not one line"; return 1; }
    grep -q -e "^padic: .*$part" "$tmp/stderr" || { echo "without \"$part\""; return 1; }
    [ ! -s "$tmp/stdout" ] || { echo "wrote to standard output"; return 1; }
    [ ! -e "$tmp/none" ] && [ ! -e "$tmp/none.npy" ] && no_leftovers
}

bad() { # what, then as for refuses
    what=$1
    shift
    expect "$what" refuses "$@"
}

piped() { # file, command...: the command with the file as a pipe on standard input
    from=$1
    shift
    cat "$from" | "$@"
}

round() { # file, pack options...
    from=$1
    shift
    "$padic" pack "$@" "$from" "$tmp/a.padic" && "$padic" unpack "$tmp/a.padic" "$tmp/a.out" &&
        cmp "$from" "$tmp/a.out"
}

# ----------------------------------------------------------------------------- raw files and pipes

# 120,000 bytes that are partly smooth and partly noise: nothing is a NaN-free float of every type.
{ slice $data/dem_bigtujunga.bin 5000 60000; slice $data/nn_silero_f32.bin 0 60000; } >"$tmp/raw"
: >"$tmp/empty"

raw_dtype() {
    round "$tmp/raw" --dtype "$1" && round "$tmp/raw" --dtype "$1" --shape -1x25 &&
        "$padic" verify "$tmp/a.padic" | grep -q "whole, $1 "
}
piped_dtype() {
    piped "$tmp/raw" "$padic" pack --dtype "$1" - - >"$tmp/b.padic" &&
        "$padic" unpack - - <"$tmp/b.padic" | cmp "$tmp/raw" - &&
        "$padic" unpack "$tmp/b.padic" "$tmp/b.out" && cmp "$tmp/raw" "$tmp/b.out" &&
        "$padic" verify - <"$tmp/b.padic" >"$tmp/said" && grep -q "whole, $1 " "$tmp/said"
}
for dtype in $dtypes; do
    expect "$dtype: raw files come back" raw_dtype "$dtype"
    expect "$dtype: pipes of unknown length come back" piped_dtype "$dtype"
done

same_stream() { # a pipe of known shape gives the file's bytes
    "$padic" pack --dtype f32 --shape 500x500 $data/dem_bigtujunga.bin "$tmp/c.padic" &&
        piped $data/dem_bigtujunga.bin "$padic" pack --dtype f32 --shape 500x500 - - |
        cmp "$tmp/c.padic" -
}
same_threads() {
    for threads in 2 3 0; do
        "$padic" pack --threads $threads --dtype f64 --shape 3x32x47x47 $data/em_femm_B.bin \
            "$tmp/d.padic" || return
        [ ! -e "$tmp/d1.padic" ] || cmp "$tmp/d.padic" "$tmp/d1.padic" || return
        cp "$tmp/d.padic" "$tmp/d1.padic"
    done
    "$padic" pack --dtype f64 --shape 3x32x47x47 $data/em_femm_B.bin "$tmp/d.padic" &&
        cmp "$tmp/d.padic" "$tmp/d1.padic" &&
        "$padic" unpack --threads 3 "$tmp/d.padic" "$tmp/d.out" &&
        cmp $data/em_femm_B.bin "$tmp/d.out" &&
        "$padic" verify --threads 2 "$tmp/d.padic"
}
levels() {
    for level in 1 2 3 4 5 6 7 8 9; do
        round $data/alp_city_temperature.bin --dtype f64 --level $level || return
        "$padic" info "$tmp/a.padic" | grep -q "^level *$level\$" || return
    done
}
shapes() { # every rank, odd extents, extents of 1, none at all
    for shape in 120000 1x120000 120000x1 7x5x3x1 2x3x4x5x1000 2x2x2x3x5x5x10x20 -1 -1x3 0 0x7 \
        7x0; do
        bytes=1
        for extent in $(echo "$shape" | tr x ' '); do
            [ "$extent" = -1 ] && bytes=$((120000 / 3)) &&
            [ "$shape" = -1x3 ] || bytes=$((bytes * extent))
        done
        [ "$shape" != -1 ] || bytes=120000
        head -c "$bytes" "$tmp/raw" >"$tmp/shaped"
        echo "$shape"
        round "$tmp/shaped" --dtype u8 --shape "$shape" || return
    done
}
whole_arrays() {
    while read -r name dtype shape _; do
        [ "$name" = name ] || round "$data/$name.bin" --dtype "$dtype" --shape "$shape" || return
    done <$data/MANIFEST.tsv
}
empty_pipe() {
    "$padic" pack --dtype f32 - - <"$tmp/empty" >"$tmp/e.padic" &&
        "$padic" unpack - - <"$tmp/e.padic" >"$tmp/e.out" && cmp "$tmp/empty" "$tmp/e.out" &&
        round "$tmp/empty" --dtype f32
}
open_rows() { # rows of a shape until the pipe ends
    head -c 119988 "$tmp/raw" >"$tmp/rows"
    piped "$tmp/rows" "$padic" pack --dtype f32 --shape -1x3 - "$tmp/f.padic" &&
        "$padic" unpack "$tmp/f.padic" "$tmp/f.out" && cmp "$tmp/rows" "$tmp/f.out" &&
        "$padic" info "$tmp/f.padic" | grep -q '^array .*f32 9999x3,'
}
blocks() {
    round $data/dem_bigtujunga.bin --dtype f32 --shape 500x500 --block 64x48 &&
        "$padic" info "$tmp/a.padic" | grep -q '^blocks *88 of at most 64x48$'
}
bounded_memory() { # 100 MB through both ends of a pipe, with 60 MB of address space for each
    # shellcheck disable=SC3045
    (ulimit -v 60000 && head -c 100000000 /dev/zero | "$padic" pack --dtype f32 - - |
        "$padic" unpack - - | cmp - "$tmp/zeros")
}
if [ -n "$1" ]; then
    skip "pipes take bounded memory" "not for a program given to this script"
elif [ -c /dev/zero ] && (ulimit -v 60000) 2>/dev/null; then
    head -c 100000000 /dev/zero >"$tmp/zeros"
    expect "pipes take bounded memory" bounded_memory
    rm -f "$tmp/zeros"
else
    skip "pipes take bounded memory" "ulimit -v does not work here"
fi
expect "a pipe of known shape gives the same bytes as the file" same_stream
expect "any number of threads gives the same bytes" same_threads
expect "every level" levels
expect "every rank and empty arrays" shapes
expect "the arrays of tests/data" whole_arrays
expect "an empty pipe and an empty file" empty_pipe
expect "a pipe of rows" open_rows
expect "blocks of a given shape" blocks

# --------------------------------------------------------------------------------------------- .npy

npy_raw() { # descr, dtype: a .npy comes back as the raw bytes, and as a .npy that packs to the same
    npy "$tmp/raw" "$1" False "($((120000 / $3)),)" >"$tmp/n.npy"
    "$padic" pack "$tmp/n.npy" "$tmp/n.padic" && "$padic" unpack "$tmp/n.padic" "$tmp/n.out" &&
        cmp "$tmp/raw" "$tmp/n.out" && "$padic" info "$tmp/n.padic" | grep -q "^array *$2 " &&
        "$padic" unpack "$tmp/n.padic" "$tmp/n2.npy" &&
        "$padic" pack "$tmp/n2.npy" "$tmp/n2.padic" &&
        cmp "$tmp/n.padic" "$tmp/n2.padic" &&
        piped "$tmp/n.npy" "$padic" pack - - | cmp "$tmp/n.padic" -
}
for row in f64:f8:8 f32:f4:4 f16:f2:2 i8:i1:1 i16:i2:2 i32:i4:4 i64:i8:8 u8:u1:1 u16:u2:2 u32:u4:4 \
    u64:u8:8 complex64:c8:8 complex128:c16:16; do
    rest=${row#*:}
    expect "${row%%:*}: .npy files come back" npy_raw "<${rest%:*}" "${row%%:*}" "${rest#*:}"
done

fortran() { # column-major 2 x 3: by file, by pipe
    printf '\001\002\003\004\005\006' >"$tmp/columns"
    printf '\001\003\005\002\004\006' >"$tmp/rows"
    npy "$tmp/columns" '|u1' True '(2, 3)' >"$tmp/g.npy"
    "$padic" pack "$tmp/g.npy" "$tmp/g.padic" && "$padic" unpack "$tmp/g.padic" "$tmp/g.out" &&
        cmp "$tmp/rows" "$tmp/g.out" && piped "$tmp/g.npy" "$padic" pack - - | cmp "$tmp/g.padic" -
}
big_endian() {
    dd if="$tmp/raw" of="$tmp/swapped" conv=swab 2>/dev/null
    npy "$tmp/swapped" '>i2' False '(60000,)' >"$tmp/h.npy"
    "$padic" pack "$tmp/h.npy" "$tmp/h.padic" && "$padic" unpack "$tmp/h.padic" "$tmp/h.out" &&
        cmp "$tmp/raw" "$tmp/h.out" && piped "$tmp/h.npy" "$padic" pack - - | cmp "$tmp/h.padic" -
}
scalar() { # rank 0
    head -c 8 "$tmp/raw" >"$tmp/one"
    npy "$tmp/one" '<f8' False '()' >"$tmp/i.npy"
    "$padic" pack "$tmp/i.npy" "$tmp/i.padic" && "$padic" unpack "$tmp/i.padic" "$tmp/i.out" &&
        cmp "$tmp/one" "$tmp/i.out" &&
        "$padic" info "$tmp/i.padic" | grep -q '^array *f64 scalar, 1 '
}
bf16_in_npy() { # numpy has no bf16: read as one, widened on the way back
    npy "$tmp/raw" '|V2' False '(600, 100)' >"$tmp/j.npy"
    "$padic" pack --dtype bf16 "$tmp/j.npy" "$tmp/j.padic" &&
        "$padic" unpack "$tmp/j.padic" "$tmp/j.out" &&
        cmp "$tmp/raw" "$tmp/j.out" && "$padic" unpack --dtype f32 "$tmp/j.padic" "$tmp/j32" &&
        [ "$(wc -c <"$tmp/j32")" -eq 240000 ] && "$padic" unpack --dtype f32 - - <"$tmp/j.padic" |
        cmp "$tmp/j32" - || return
    # The upper half of each f32 is the bf16.
    slice "$tmp/raw" 0 2 >"$tmp/half" && slice "$tmp/j32" 2 2 | cmp "$tmp/half" - &&
        slice "$tmp/raw" 119998 2 >"$tmp/half" && slice "$tmp/j32" 239998 2 | cmp "$tmp/half" -
}
open_npy() { # a pipe of unknown length to a .npy: the shape is filled in at the end
    piped "$tmp/raw" "$padic" pack --dtype f32 --shape -1x3 - - >"$tmp/k.padic" &&
        piped "$tmp/k.padic" "$padic" unpack - "$tmp/k.npy" &&
        "$padic" pack "$tmp/k.npy" "$tmp/k2.padic" &&
        "$padic" unpack "$tmp/k2.padic" "$tmp/k.out" &&
        cmp "$tmp/raw" "$tmp/k.out" && "$padic" info "$tmp/k2.padic" | grep -q ' 10000x3,'
}
expect "a column-major .npy" fortran
expect "a big-endian .npy" big_endian
expect "a .npy of rank 0" scalar
expect "bf16 in a .npy, and widening" bf16_in_npy
expect "a pipe of unknown length to a .npy" open_npy

numpy_files() { # numpy writes, numpy reads
    "$python" - "$padic" "$tmp" <<'EOF'
import os, subprocess, sys
import numpy as np
padic, tmp = sys.argv[1:]
rng = np.random.default_rng(7)
source, packed, back = tmp + '/np.npy', tmp + '/np.padic', tmp + '/np2.npy'
descrs = 'f8 f4 f2 i1 i2 i4 i8 u1 u2 u4 u8 c8 c16'.split()
shapes = [(), (0,), (1,), (1001,), (37, 53), (5, 0, 2), (3, 4, 5, 6), (2,) * 8]
for i, descr in enumerate(descrs):
    for order in '<>':
        for j, shape in enumerate(shapes):
            for fortran in (False, True):
                # Everyday a third of them, in which each two of the four still meet.
                if not os.environ.get('FULL') and (i + j + (order == '>') + fortran) % 3: continue
                size = int(np.prod(shape)) * np.dtype(descr).itemsize
                a = np.frombuffer(rng.bytes(size), order + descr).reshape(shape)
                a = np.asfortranarray(a) if fortran else a
                np.save(source, a)
                subprocess.run([padic, 'pack', source, packed], check=True)
                subprocess.run([padic, 'unpack', packed, back], check=True)
                b = np.load(back)
                assert b.shape == a.shape and b.dtype.newbyteorder('=') == a.dtype.newbyteorder('=')
                want = a.astype(a.dtype.newbyteorder('<')).tobytes()
                assert b.astype(b.dtype.newbyteorder('<')).tobytes() == want, (descr, order, shape)
for version in [(1, 0), (2, 0), (3, 0)]:
    a = np.arange(1000, dtype='<f4').reshape(10, 100)
    with open(source, 'wb') as f:
        np.lib.format.write_array(f, a, version=version)
    subprocess.run([padic, 'pack', source, packed], check=True)
    subprocess.run([padic, 'unpack', packed, back], check=True)
    assert (np.load(back) == a).all()
EOF
}
numpy_bounds() { # the largest error as numpy sees it
    "$python" - "$padic" "$tmp" <<'EOF'
import subprocess, sys
import numpy as np
padic, tmp = sys.argv[1:]
source, packed, back = tmp + '/np.npy', tmp + '/np.padic', tmp + '/np2.npy'
rng = np.random.default_rng(8)
for dtype in (np.float64, np.float32, np.float16):
    a = (np.cumsum(rng.normal(size=20000)) * 3).astype(dtype).reshape(100, 200)
    a[3, 5], a[7, 9], a[8, 8] = np.inf, -np.inf, np.nan
    np.save(source, a)
    finite = np.isfinite(a)
    x = a[finite].astype(np.longdouble)
    for options, most in [(['--bound', '0.01'], 0.01),
                          (['--bound', '1e-3', '--relative'], 1e-3 * float(x.max() - x.min())),
                          (['--bound', '1e-2', '--pointwise'], 1e-2 * abs(x))]:
        subprocess.run([padic, 'pack'] + options + [source, packed], check=True)
        subprocess.run([padic, 'unpack', packed, back], check=True)
        b = np.load(back)
        assert (abs(b[finite].astype(np.longdouble) - x) <= most).all(), (dtype, options)
        assert b[~finite].tobytes() == a[~finite].tobytes()
        boxes = [padic, 'cut', '--begin', '90,150', '--count', '10,50', packed, back]
        subprocess.run(boxes, check=True)
        assert np.load(back).tobytes() == b[90:, 150:].tobytes()
for dtype in 'i1 i2 i4 i8 u1 u2 u4 u8'.split():
    info = np.iinfo(dtype)
    a = rng.integers(info.min, info.max, 3000, dtype, True)
    a[:2] = info.min, info.max
    np.save(source, a)
    for options, most in [(['--bound', '3'], 3), (['--bound', '0.01', '--relative'],
                                                  0.01 * float(int(info.max) - int(info.min)))]:
        subprocess.run([padic, 'pack'] + options + [source, packed], check=True)
        subprocess.run([padic, 'unpack', packed, back], check=True)
        errors = [abs(int(x) - int(y)) for x, y in zip(a, np.load(back))]
        assert max(errors) <= most, (dtype, options, max(errors))
EOF
}
if [ -n "$python" ]; then
    expect "numpy's files, every dtype, order and rank" numpy_files
    expect "numpy finds no value outside the bound" numpy_bounds
else
    skip "numpy's files, every dtype, order and rank" "no numpy"
    skip "numpy finds no value outside the bound" "no numpy"
fi

# -------------------------------------------------------------------------------- info, cut, bench

head -c 9000 $data/nn_silero_f32.bin >"$tmp/bytes"
"$padic" pack --dtype u8 --shape 100x90 --block 32x32 "$tmp/bytes" "$tmp/box.padic"
"$padic" pack --dtype f32 --shape 500x500 $data/dem_bigtujunga.bin "$tmp/dem.padic"
info_lines() {
    "$padic" info "$tmp/dem.padic" >"$tmp/info" && cat "$tmp/info" || return
    for line in 'array *f32 500x500, 250000 elements, 1000000 bytes' \
        'packed *[0-9]* bytes, ratio [0-9]' \
        'wire version *[0-9]' 'level *5' 'bound *none' 'blocks *[1-9]' 'unpack memory *[0-9]' \
        'exceptions *[0-9]' 'forms *[a-z]' 'predictors *[a-z]' 'patterns *[a-z]' 'digits *[a-z-]' \
        'coders *[a-z]' 'bytes *[a-z]'; do
        grep -q "^$line" "$tmp/info" || { echo "no line $line"; return 1; }
    done
    [ "$(sed -n 's/^packed *\([0-9]*\) .*/\1/p' "$tmp/info")" = \
        "$(wc -c <"$tmp/dem.padic" | tr -d ' ')" ]
}
bound_lines() {
    "$padic" pack --bound 0.5 --dtype f32 $data/dem_bigtujunga.bin "$tmp/l.padic" &&
        "$padic" info "$tmp/l.padic" | grep '^bound *absolute: .* 0.5$' &&
        "$padic" pack --bound 0.5 --relative --dtype f32 $data/dem_bigtujunga.bin "$tmp/l.padic" &&
        "$padic" info "$tmp/l.padic" | grep \
        '^bound *relative to the range: 0.5 of it, which is 803.5$' &&
        "$padic" pack --bound 0.5 --pointwise --dtype f32 $data/dem_bigtujunga.bin "$tmp/l.padic" &&
        "$padic" info "$tmp/l.padic" | grep '^bound *pointwise: 0.5 of each value$'
}
box() {
    "$padic" cut --begin 10,20 --count 50,60 "$tmp/box.padic" "$tmp/box" || return
    row=10
    : >"$tmp/rows"
    while [ $row -lt 60 ]; do
        slice "$tmp/bytes" $((row * 90 + 20)) 60 >>"$tmp/rows"
        row=$((row + 1))
    done
    cmp "$tmp/rows" "$tmp/box"
}
box_defaults() { # without --count to the end, without --begin from the start
    "$padic" cut --begin 97,0 "$tmp/box.padic" - >"$tmp/box" && slice "$tmp/bytes" 8730 270 |
        cmp "$tmp/box" - && "$padic" cut --count 2,90 "$tmp/box.padic" "$tmp/box" &&
        slice "$tmp/bytes" 0 180 | cmp "$tmp/box" - && "$padic" cut "$tmp/box.padic" "$tmp/box" &&
        cmp "$tmp/bytes" "$tmp/box"
}
box_empty() { # of an array without elements
    : >"$tmp/none"
    "$padic" pack --dtype f32 --shape 8x0 "$tmp/none" "$tmp/none.padic" &&
        "$padic" cut --begin 3,0 --count 2,0 "$tmp/none.padic" "$tmp/none.npy" &&
        grep -a "'shape': (2, 0)" "$tmp/none.npy" >/dev/null
}
box_4d() {
    "$padic" pack --dtype f64 --shape 3x32x47x47 $data/em_femm_B.bin "$tmp/em.padic" &&
        "$padic" cut --threads 2 --begin 1,0,0,0 --count 1,32,47,47 "$tmp/em.padic" "$tmp/box" &&
        slice $data/em_femm_B.bin 565504 565504 | cmp "$tmp/box" - &&
        "$padic" cut --begin 2,31,46,40 --count 1,1,1,7 - - <"$tmp/em.padic" >"$tmp/box" &&
        tail -c 56 $data/em_femm_B.bin | cmp "$tmp/box" -
}
bench_rows() {
    "$padic" bench --list $data/MANIFEST.tsv --levels 1,9 --seconds 0 >"$tmp/bench" &&
        cat "$tmp/bench" && [ "$(grep -c ' exact$' "$tmp/bench")" -eq 14 ] &&
        [ "$(grep -c '^geometric mean of 7 ' "$tmp/bench")" -eq 2 ] &&
        grep -q '^14 of 14 proofs hold$' "$tmp/bench"
}
bench_bounds() {
    for bound in '0.01' '1e-5 --relative' '1e-3 --pointwise'; do
        # shellcheck disable=SC2086
        "$padic" bench --list $data/MANIFEST.tsv --level 5 --bound $bound --seconds 0 >"$tmp/bench"
        got=$?
        cat "$tmp/bench"
        [ $got = 0 ] && [ "$(grep -c 'largest error .* <= ' "$tmp/bench")" -eq 7 ] &&
            grep -q '^14 of 14 proofs hold$' "$tmp/bench" || return
    done
}
bench_files() {
    npy "$tmp/raw" '<i4' False '(30000,)' >"$tmp/bench.npy"
    "$padic" bench --seconds 0 "$tmp/bench.npy" "$tmp/bench.npy" | grep -q '^6 of 6 proofs hold$' &&
        "$padic" bench --dtype f16 --shape 600x100 --level 3 --threads 2 --seconds 0 "$tmp/raw" |
        grep -q '^1 of 1 proofs hold$'
}
expect "info prints every part of the report" info_lines
expect "info prints the bound" bound_lines
expect "a box is what the whole holds there" box
expect "a box with defaults" box_defaults
expect "a box without elements" box_empty
expect "boxes of four axes, by file and by pipe" box_4d
with_vectors() { # the same bytes, and `bench` says which are used
    name=$(PADIC_SIMD='' "$padic" bench --dtype f32 --seconds 0 --level 1 "$tmp/raw" |
        sed -n 's/^padic [^,]*, \(CPU, [a-z0-9]*\), 1 thread.*/\1/p')
    echo "vectors: $name"
    [ -n "$name" ] && PADIC_SIMD=none "$padic" bench --dtype f32 --seconds 0 --level 1 "$tmp/raw" |
        grep -q '^padic [^,]*, CPU, none, 1 thread' || return
    ! grep -q -w avx2 /proc/cpuinfo || [ "$name" != "CPU, none" ] || return
    for level in 1 5 9; do
        "$padic" pack --level $level --dtype f32 $data/dem_bigtujunga.bin "$tmp/vectors" &&
            PADIC_SIMD=none "$padic" pack --level $level --dtype f32 $data/dem_bigtujunga.bin \
                "$tmp/plain" && cmp "$tmp/vectors" "$tmp/plain" || return
    done
}
expect "vectors are used and change no byte" with_vectors
expect "bench: a row, a proof and a mean for each level" bench_rows
expect "bench: every bound holds" bench_bounds
expect "bench: .npy and raw files" bench_files

said() { # text, arguments
    part=$1
    shift
    "$padic" "$@" >"$tmp/stdout" && grep -q -e "$part" "$tmp/stdout"
}
expect "--help" said 'padic pack' --help
expect "--help after a command" said 'padic pack' cut --help
expect "--help lists the exit codes" said '  14 bench: a proof failed' --help
version=$(sed -n 's/^#define PADIC_VERSION "\(.*\)"/\1/p' padic.h)
expect "--version" said "^padic $version " --version
expect "options may follow the names" round "$tmp/raw" --dtype=f32 --level=2

# ---------------------------------------------------------------------------------------- bad input

none=$tmp/none
raw=$tmp/raw
"$padic" pack --dtype f32 "$raw" "$tmp/good.padic"
size=$(wc -c <"$tmp/good.padic")

bad "no command" 1 'padic --help'
bad "an unknown command" 1 'not a command' squeeze "$raw" "$none"
bad "an unknown option" 1 '--fast is not an option' pack --fast "$raw" "$none"
bad "an option of another command" 1 '--level is not an option' unpack --level 3 "$raw" "$none"
bad "an option without its value" 1 '--dtype needs a value' pack "$raw" "$none" --dtype
bad "too few names" 1 'padic pack' pack --dtype f32 "$raw"
bad "too many names" 1 'padic info' info "$raw" "$raw"
bad "raw without a dtype" 1 'add --dtype' pack "$raw" "$none"
untyped_pipe() { piped "$raw" refuses 1 'add --dtype' pack - "$none"; }
expect "raw without a dtype, by pipe" untyped_pipe
bad "an unknown dtype" 3 'use one of f64' pack --dtype f31 "$raw" "$none"
bad "a shape that is none" 1 'list of whole numbers' pack --dtype f32 --shape 3y4 "$raw" "$none"
bad "a shape of nothing" 1 'list of whole numbers' pack --dtype f32 --shape 3x "$raw" "$none"
bad "a shape that overflows" 5 'larger than 2^63' pack --dtype f32 \
    --shape 4294967296x4294967296x4294967296 "$raw" "$none"
bad "a shape just beyond 2^63 bytes" 5 'larger than 2^63' pack --dtype u8 \
    --shape 9223372036854775809 "$raw" "$none"
bad "an extent beyond 64 bits" 5 'does not fit 64 bits' pack --dtype u8 \
    --shape 99999999999999999999 "$raw" "$none"
bad "nine axes" 5 'more than 8 axes' pack --dtype u8 --shape 1x1x1x1x1x1x1x1x1 "$raw" "$none"
bad "rows of nothing" 5 'above 0' pack --dtype u8 --shape -1x0 "$raw" "$none"
bad "a shape of another size" 11 'check --dtype and --shape' pack --dtype f32 --shape 3x4 \
    "$raw" "$none"
bad "half an element" 11 'no multiple of 16' pack --dtype complex128 "$tmp/bytes" "$none"
bad "a block of another rank" 11 'one extent for each axis' pack --dtype f32 --block 8x8 \
    "$raw" "$none"
bad "a block too large" 5 '1048576' pack --dtype u8 --shape 1x120000 --block 2000x2000 \
    "$raw" "$none"
for bound in 0 -1 nan inf -inf 0.0; do
    bad "a bound of $bound" 4 'finite number above 0' pack --dtype f32 --bound $bound \
        "$raw" "$none"
    bad "a relative bound of $bound" 4 'finite number above 0' pack --dtype f32 \
        --bound $bound --relative "$raw" "$none"
done
bad "a pointwise bound of 1" 4 'below 1' pack --dtype f32 --bound 1 --pointwise "$raw" "$none"
bad "a bound that is no number" 1 'is not a number' pack --dtype f32 --bound 1e-3x "$raw" "$none"
bad "--relative without a bound" 1 'add --bound' pack --dtype f32 --relative "$raw" "$none"
bad "--relative and --pointwise" 1 'not both' pack --dtype f32 --bound 1e-3 --relative \
    --pointwise "$raw" "$none"
bad "a pointwise bound on integers" 3 'for floats' pack --dtype i32 --bound 0.1 --pointwise \
    "$raw" "$none"
relative_pipe() { piped "$raw" refuses 4 'add --range' pack --dtype f32 --bound 1e-3 --relative - \
    "$none"; }
expect "a relative bound on a pipe" relative_pipe
range_pipe() { # with the range it works, and gives the file's bound
    piped $data/dem_bigtujunga.bin "$padic" pack --dtype f32 --bound 1e-3 --relative --range 1607 \
        - - \
        >"$tmp/m.padic" && "$padic" info "$tmp/m.padic" | grep -q 'relative to the range: 0.001 '
}
expect "a relative bound on a pipe with its range" range_pipe
for range in 0 -1 nan inf; do
    bad "a range of $range" 4 'above 0' pack --dtype f32 --bound 1e-3 --relative --range $range \
        "$raw" "$none"
done
bad "a range without --relative" 1 'add both' pack --dtype f32 --bound 1e-3 --range 5 "$raw" "$none"
bad "a block of nothing" 5 '1 or more' pack --dtype f32 --shape -1x5 --block 8x0 "$raw" "$none"
bad "seconds of nothing" 1 'from 0 to 3600' bench --seconds nan --dtype f32 "$raw"
bad "level 0" 1 'a level is 1' pack --dtype f32 --level 0 "$raw" "$none"
bad "level 10" 1 'a level is 1' pack --dtype f32 --level 10 "$raw" "$none"
bad "threads that are none" 1 'whole number' pack --dtype f32 --threads two "$raw" "$none"
short_pipe() { piped "$raw" refuses 11 'ended after' pack --dtype f32 --shape 30001 - "$none"; }
long_pipe() { piped "$raw" refuses 11 'goes on after' pack --dtype f32 --shape 29999 - "$none"; }
odd_pipe() { piped "$raw" refuses 11 'inside an element or a row' pack --dtype f32 --shape -1x7 - \
    "$none"; }
expect "a pipe that ends early" short_pipe
expect "a pipe that goes on" long_pipe
expect "a pipe that ends inside a row" odd_pipe

bad "a file that is not there" 2 'cannot read' pack --dtype f32 "$tmp/nowhere" "$none"
bad "a folder as input" 2 'is a directory' pack --dtype f32 "$tmp" "$none"
bad "a folder as output" 2 'is a directory' pack --dtype f32 "$raw" "$tmp"
bad "output into no folder" 2 'cannot write' pack --dtype f32 "$raw" "$tmp/no/where"
bad "input and output the same" 1 'the same file' pack --dtype f32 "$raw" "$raw"
ln -s "$raw" "$tmp/link"
bad "input and output the same by a link" 1 'the same file' pack --dtype f32 "$tmp/link" "$raw"
untouched() { [ "$(wc -c <"$raw")" -eq 120000 ]; }
expect "and the file is as it was" untouched
if [ -c /dev/full ]; then
    full() { ! "$padic" unpack "$tmp/good.padic" - >/dev/full 2>"$tmp/stderr" &&
        cat "$tmp/stderr" &&
        grep -q 'cannot write standard output' "$tmp/stderr"; }
    expect "a full disk" full
    bad "a full disk as a device" 2 'cannot write' unpack "$tmp/good.padic" /dev/full
else
    skip "a full disk" "no /dev/full"
fi

npy_refused() { # exit code, part, descr, shape, bytes of data
    head -c "$5" "$raw" >"$tmp/part"
    npy "$tmp/part" "$3" False "$4" >"$tmp/bad.npy"
    refuses "$1" "$2" pack "$tmp/bad.npy" "$none"
}
expect ".npy: bool" npy_refused 3 'array of bool' '|b1' '(10,)' 10
expect ".npy: text" npy_refused 3 'text) are not packed' '<U1' '(10,)' 40
expect ".npy: objects" npy_refused 3 'Python objects) are not packed' '|O' '(10,)' 80
expect ".npy: long double" npy_refused 3 '<f16 (long double) are not packed' '<f16' \
    '(10,)' 160
expect ".npy: complex long double" npy_refused 3 '(complex long double) are not' '>c32' '(10,)' 320
expect ".npy: bytes of no type" npy_refused 3 'say with --dtype' '|V3' '(10,)' 30
expect ".npy: time spans" npy_refused 3 'add --dtype i64' '<m8[ms]' '(10,)' 80
expect ".npy: a type that nobody knows" npy_refused 3 '(of a type that is not known' '<q7' \
    '(10,)' 70
expect ".npy: dates" npy_refused 3 '<M8.ns. (dates or times) are' '<M8[ns]' '(10,)' 80
expect ".npy: cut short" npy_refused 11 'cut short: 39 of the 40 bytes' '<f4' '(10,)' 39
expect ".npy: longer than it says" npy_refused 11 'other bytes follow' '<f4' '(10,)' 41
expect ".npy: nine axes" npy_refused 5 'more than 8 axes' '<f4' '(1,1,1,1,1,1,1,1,1)' 4
expect ".npy: an extent beyond 64 bits" npy_refused 5 'beyond 64 bits' '<f4' \
    '(99999999999999999999,)' 4
expect ".npy: a shape that overflows" npy_refused 5 'larger than 2^63' '<f4' \
    '(4294967296, 4294967296)' 4
expect ".npy: a negative extent" npy_refused 6 'header is damaged' '<f4' '(-1,)' 4
expect ".npy: a shape that is none" npy_refused 6 'header is damaged' '<f4' '(1 2)' 4
records() {
    text="{'descr': [('x', '<f4')], 'fortran_order': False, 'shape': (1,), }"
    # shellcheck disable=SC2059
    printf "\\223NUMPY\\001\\000\\$(printf %03o ${#text})\\000${text}abcd" >"$tmp/bad.npy"
    refuses 3 'array of records' pack "$tmp/bad.npy" "$none"
}
expect ".npy: records" records
printf '\223NUMPY\004\000\006\000{}    ' >"$tmp/bad.npy"
bad ".npy: a later version" 6 'unknown version' pack "$tmp/bad.npy" "$none"
printf '\223NUMPY\001\000\006\000{}    ' >"$tmp/bad.npy"
bad ".npy: nothing in its header" 6 'header is damaged' pack "$tmp/bad.npy" "$none"
printf '\223NUMPY\002\000\377\377\377\377{}' >"$tmp/bad.npy"
bad ".npy: a header of 4 GiB" 6 'claims to be 4294967295 bytes' pack "$tmp/bad.npy" "$none"
npy "$raw" '<f4' False '(30000,)' >"$tmp/n.npy"
bad ".npy: a dtype of another size" 3 'leave --dtype out' pack --dtype f64 "$tmp/n.npy" "$none"
bad ".npy: a shape of one's own" 1 'leave out --shape' pack --shape 30000 "$tmp/n.npy" "$none"

for command in unpack info verify cut; do
    case $command in unpack | cut) out=$none ;; *) out= ;; esac
    bad "$command: not ours" 6 'not a padic file' $command "$raw" $out
    bad "$command: an empty file" 6 'not a padic file' $command "$tmp/empty" $out
    head -c 3 "$tmp/good.padic" >"$tmp/bad"
    bad "$command: three bytes" 6 'not a padic file' $command "$tmp/bad" $out
    head -c 20 "$tmp/good.padic" >"$tmp/bad"
    bad "$command: cut short in the header" 6 'cut short' $command "$tmp/bad" $out
    head -c $((size - 1)) "$tmp/good.padic" >"$tmp/bad"
    bad "$command: one byte short" 6 'cut short' $command "$tmp/bad" $out
    # The byte after the magic is the wire version.
    { head -c 4 "$tmp/good.padic"; printf '\377'; tail -c +6 "$tmp/good.padic"; } >"$tmp/bad"
    bad "$command: a newer version" 8 'update padic' $command "$tmp/bad" $out
done
# One byte changed in the middle: another one, whatever it is.
{ head -c $((size / 2)) "$tmp/good.padic"
  slice "$tmp/good.padic" $((size / 2)) 1 | tr '\000-\377' '\001-\377\000'
  tail -c "+$((size / 2 + 2))" "$tmp/good.padic"; } >"$tmp/bad"
damaged_pipe() { piped "$tmp/bad" refuses 7 'damaged' unpack - "$none"; }
short_packed_pipe() { head -c $((size - 9)) "$tmp/good.padic" | refuses 6 'cut short' unpack - \
    "$none"; }
longer_pipe() { { cat "$tmp/good.padic"; echo x; } | refuses 6 'fetch it again' unpack - "$none"; }
bad "unpack: damaged" 7 'damaged' unpack "$tmp/bad" "$none"
expect "unpack: damaged, by pipe" damaged_pipe
expect "unpack: cut short, by pipe" short_packed_pipe
expect "unpack: more after the end, by pipe" longer_pipe
bad "verify: damaged" 7 'damaged' verify "$tmp/bad"
bad "cut: damaged" 7 'damaged' cut "$tmp/bad" "$none"
{ cat "$tmp/good.padic"; echo x; } >"$tmp/bad"
bad "unpack: more after the end" 6 'fetch it again' unpack "$tmp/bad" "$none"

bad "cut: outside" 9 'leaves the array' cut --begin 90,80 --count 10,11 "$tmp/box.padic" "$none"
bad "cut: beginning outside" 9 'leaves the array' cut --begin 101,0 "$tmp/box.padic" "$none"
bad "cut: overflow" 9 'leaves the array' cut --begin 18446744073709551614,1 --count 2,1 \
    "$tmp/box.padic" "$none"
bad "cut: an empty box" 9 'is empty on axis 1' cut --count 5,0 "$tmp/box.padic" "$none"
bad "cut: too few numbers" 9 'one number for each' cut --begin 5 "$tmp/box.padic" "$none"
bad "cut: too many numbers" 9 'one number for each' cut --count 5,5,5 "$tmp/box.padic" "$none"
bad "unpack: no such widening" 11 'does not widen' unpack --dtype f16 "$tmp/good.padic" "$none"
bad "unpack: integers do not widen" 11 'does not widen' unpack --dtype f32 "$tmp/box.padic" "$none"
bad "unpack: too little memory" 10 'memory' unpack --memory 100 "$tmp/good.padic" "$none"
memory_pipe() { piped "$tmp/good.padic" refuses 10 'memory' unpack --memory 100 - "$none"; }
expect "unpack: too little memory, by pipe" memory_pipe
"$padic" pack --dtype bf16 "$raw" "$tmp/bf16.padic"
bad "unpack: bf16 to .npy" 3 'add --dtype f32' unpack "$tmp/bf16.padic" "$none.npy"
bad "bench: nothing" 1 'needs arrays' bench
bad "bench: no such list" 2 'cannot read' bench --list "$tmp/nowhere"

# What looks like an array and is none.
bad "pack: packed already" 1 'good.padic: packed already' pack "$tmp/good.padic" "$none"
bad "pack: packed already, with a dtype" 1 'packed already' pack --dtype u8 "$tmp/good.padic" \
    "$none"
packed_pipe() { piped "$tmp/good.padic" refuses 1 'packed already' pack --dtype u8 - "$none"; }
expect "pack: packed already, by pipe" packed_pipe
expect "pack: --force packs it all the same" round "$tmp/good.padic" --force --dtype u8
{ printf 'PK\003\004'; head -c 400 "$raw"; } >"$tmp/arrays.npz"
cp "$tmp/arrays.npz" "$tmp/zip.npy"
bad "pack: a zip archive" 1 'a zip archive' pack "$tmp/arrays.npz" "$none"
bad "pack: a zip archive named .npy" 1 'zip.npy: a zip archive' pack --dtype u8 "$tmp/zip.npy" \
    "$none"
expect "pack: --force packs an archive" round "$tmp/zip.npy" --force --dtype u8
cp "$raw" "$tmp/other.npy"
: >"$tmp/empty.npy"
bad "pack: named .npy and none" 6 'not a .npy file in spite' pack --dtype u8 "$tmp/other.npy" \
    "$none"
bad "pack: an empty .npy" 6 'it is empty' pack --dtype u8 "$tmp/empty.npy" "$none"
bad "unpack: an empty file is said to be empty" 6 'it is empty' unpack "$tmp/empty" "$none"
for command in unpack info verify cut; do
    case $command in unpack | cut) out=$none ;; *) out= ;; esac
    bad "$command: other bytes behind" 6 'other bytes follow' $command "$tmp/bad" $out
done
longer_npy_pipe() { # also where the array is read whole
    { cat "$tmp/g.npy"; echo x; } | refuses 11 'other bytes follow' pack - "$none" &&
        { cat "$tmp/h.npy"; echo x; } | refuses 11 'other bytes follow' pack - "$none"
}
expect ".npy: other bytes behind, by pipe" longer_npy_pipe
short_npy_pipe() {
    head -c 100000 "$tmp/h.npy" | refuses 11 'a .npy file that is cut short' pack - "$none"
}
expect ".npy: cut short, by pipe" short_npy_pipe
dates() { # as the integers that they are
    npy "$raw" '<M8[ns]' False '(15000,)' >"$tmp/dates.npy"
    "$padic" pack --dtype i64 "$tmp/dates.npy" "$tmp/dates.padic" &&
        "$padic" unpack "$tmp/dates.padic" "$tmp/dates.out" && cmp "$raw" "$tmp/dates.out"
}
expect ".npy: dates as i64" dates
no_size() { # a file of /proc says 0 bytes
    cat /proc/version >"$tmp/version"
    "$padic" pack --dtype u8 /proc/version "$tmp/v.padic" &&
        "$padic" unpack "$tmp/v.padic" "$tmp/v.out" && cmp "$tmp/version" "$tmp/v.out"
}
if [ -r /proc/version ] && [ ! -s /proc/version ]; then
    expect "a file that says 0 bytes and holds more" no_size
else
    skip "a file that says 0 bytes and holds more" "no /proc"
fi
onto_itself() { # an input that grows as it is read would never end
    cp "$raw" "$tmp/grows" && "$padic" pack --dtype u8 "$tmp/grows" - 2>"$tmp/stderr" \
        >>"$tmp/grows"
    [ $? = 1 ] && grep -q 'the same file' "$tmp/stderr" && cmp "$raw" "$tmp/grows"
}
expect "standard output and input the same file" onto_itself
whole_memory() { # a column-major array of 10^15 bytes has to be read whole
    npy "$tmp/columns" '|u1' True '(1000000000, 1000000)' >"$tmp/huge.npy"
    piped "$tmp/huge.npy" refuses 10 'standard input: not enough memory to hold all' pack - "$none"
}
expect "standard input beyond memory" whole_memory
little_memory() {
    # shellcheck disable=SC3045
    (ulimit -v 60000 && "$padic" cut - "$none" <"$tmp/large" >"$tmp/stdout" 2>"$tmp/stderr")
    [ $? = 10 ] && cat "$tmp/stderr" && [ ! -e "$none" ] && no_leftovers &&
        grep -q 'standard input: not enough memory to hold all' "$tmp/stderr"
}
if [ -n "$1" ] || ! (ulimit -v 60000) 2>/dev/null; then
    skip "standard input beyond ulimit -v" "not here"
else
    { cat "$tmp/good.padic"; head -c 60000000 /dev/zero; } >"$tmp/large"
    expect "standard input beyond ulimit -v" little_memory
    rm -f "$tmp/large"
fi
if [ "$(id -u)" != 0 ]; then
    mkdir "$tmp/locked" && chmod 500 "$tmp/locked"
    bad "output into a locked folder" 2 'locked/x: Permission' pack --dtype f32 "$raw" \
        "$tmp/locked/x"
else
    skip "output into a locked folder" "root may write everywhere"
fi

# Limits.
for command in unpack cut verify; do
    case $command in unpack | cut) out=$none ;; *) out= ;; esac
    bad "$command: a memory limit" 10 'and the limit is 2048; raise it' $command \
        --memory-limit 2K "$tmp/good.padic" $out
    bad "$command: an output limit" 10 'decodes to 120000 bytes' $command --output-limit 119999 \
        "$tmp/good.padic" $out
    expect "$command: limits that are enough" "$padic" $command --memory-limit 1g \
        --output-limit 120000 "$tmp/good.padic" ${out:+$tmp/enough}
done
pipe_limits() {
    for command in unpack verify; do
        case $command in unpack) out=$none ;; *) out= ;; esac
        piped "$tmp/good.padic" refuses 10 'and the limit is 2048' $command --memory-limit 2K - \
            $out || return
        piped "$tmp/good.padic" refuses 10 'decodes to 120000 bytes' $command --output-limit 117K \
            - $out || return
        # of unknown length: it is seen as it comes
        piped "$tmp/f.padic" refuses 10 'decodes to more than the 1000' $command \
            --output-limit 1000 - $out || return
        piped "$tmp/good.padic" "$padic" $command --memory-limit 1T --output-limit 118K - \
            ${out:+$tmp/enough} || return
    done
}
expect "limits, by pipe" pipe_limits

# ------------------------------------------------------------------------- what a stranger may try

wrong() { # exit code, what the message names, part of it, arguments; nothing new may lie about
    code=$1 names=$2
    shift 2
    ls -A "$tmp" | grep -v -e '^stdout$' -e '^stderr$' -e '^\.log$' >"$tmp/.before"
    refuses "$code" "$@" || return
    grep -q -F -e "$names" "$tmp/stderr" || { echo "does not name $names"; return 1; }
    ls -A "$tmp" | grep -v -e '^stdout$' -e '^stderr$' -e '^\.log$' | cmp - "$tmp/.before"
}
try() { # as wrong
    expect "wrong: $*" wrong "$@"
}
: >"$tmp/.before"
good=$tmp/good.padic box=$tmp/box.padic npy=$tmp/n.npy
rm -f "$tmp/enough" "$tmp/none"
try 1 PACK 'not a command' PACK "$raw" "$none"
try 1 compress 'not a command' compress "$raw" "$none"
try 1 "$raw" 'not a command' "$raw"
try 1 -v 'not a command' -v
try 1 --verbose 'not a command' --verbose
try 1 '0 file names' 'where 2' pack
try 1 '1 file names' 'where 2' unpack "$good"
try 1 '0 file names' 'padic info IN' info
try 1 '3 file names' 'padic unpack' unpack "$good" "$none" "$none"
try 1 '2 file names' 'padic verify' verify "$good" "$good"
try 1 --lvel 'not an option' pack --dtype f32 --lvel 3 "$raw" "$none"
try 1 -l 'not an option' pack -l 3 "$raw" "$none"
try 1 --force 'takes no value' pack --force=yes "$raw" "$none"
try 1 --relative 'takes no value' pack --dtype f32 --bound 1 --relative=1 "$raw" "$none"
try 1 --shape 'not an option' unpack --shape 3 "$good" "$none"
try 1 --bound 'not an option' verify --bound 1 "$good"
try 1 --memory-limit 'not an option' pack --memory-limit 1G "$raw" "$none"
try 1 --begin 'not an option' unpack --begin 0 "$good" "$none"
try 1 --begin 'not a list' cut --begin -1 "$good" "$none"
try 1 --count 'not a list' cut --count 5. "$good" "$none"
try 1 --count 'not a list' cut --count 5, "$good" "$none"
try 1 --memory-limit 'number of bytes' unpack --memory-limit 0 "$good" "$none"
try 1 --memory-limit 'number of bytes' unpack --memory-limit 1GB "$good" "$none"
try 1 --memory-limit 'number of bytes' verify --memory-limit -5 "$good"
try 1 --memory-limit 'number of bytes' verify --memory-limit G "$good"
try 1 --memory-limit 'number of bytes' verify --memory-limit 99999999T "$good"
try 1 --memory-limit 'number of bytes' verify --memory-limit= "$good"
try 1 --output-limit 'number of bytes' unpack --output-limit 1.5G "$good" "$none"
try 1 --output-limit 'number of bytes' unpack --output-limit 99999999999999999999 "$good" "$none"
try 1 --output-limit 'needs a value' unpack "$good" "$none" --output-limit
try 3 float128 'not an element type' pack --dtype float128 "$raw" "$none"
try 3 F32 'not an element type' pack --dtype F32 "$raw" "$none"
try 3 --dtype 'not an element type' pack --dtype= "$raw" "$none"
try 1 --shape 'not a list' pack --dtype f32 --shape= "$raw" "$none"
try 1 --shape 'not a list' pack --dtype f32 --shape '(3,4)' "$raw" "$none"
try 1 --shape 'not a list' pack --dtype f32 --shape 3xx4 "$raw" "$none"
try 1 --shape 'not a list' pack --dtype f32 --shape 3x-1 "$raw" "$none"
try 1 --shape 'not a list' pack --dtype f32 --shape ' 30000' "$raw" "$none"
try 11 "$raw" 'no multiple' pack --dtype f32 --shape -1x7 "$raw" "$none"
try 11 "$raw" 'holds 120000 bytes' pack --dtype f64 --shape 30000 "$raw" "$none"
try 11 "$raw" 'holds 120000 bytes' pack --dtype f32 --shape 0 "$raw" "$none"
try 11 "$raw" '--block has 3 axes' pack --dtype f32 --block 8x8x8 "$raw" "$none"
try 1 --block 'not a list' pack --dtype f32 --block -1 "$raw" "$none"
try 1 --bound 'not a number' pack --dtype f32 --bound= "$raw" "$none"
try 1 --bound 'not a number' pack --dtype f32 --bound 1,5 "$raw" "$none"
try 1 --bound 'not a number' pack --dtype f32 --bound 1% "$raw" "$none"
try 4 "$raw" 'finite number above 0' pack --dtype f32 --bound 1e999 "$raw" "$none"
try 4 "$raw" 'below 1' pack --dtype f32 --bound 2 --pointwise "$raw" "$none"
try 1 --pointwise 'add --bound' pack --dtype f32 --pointwise "$raw" "$none"
try 1 --range 'not a number' pack --dtype f32 --bound 1 --relative --range x "$raw" "$none"
try 1 --level 'a level is 1' pack --dtype f32 --level -1 "$raw" "$none"
try 1 --level 'a level is 1' pack --dtype f32 --level 5.5 "$raw" "$none"
try 1 --level 'a level is 1' pack --dtype f32 --level= "$raw" "$none"
try 1 'one level' 'padic bench' pack --dtype f32 --level 1,9 "$raw" "$none"
try 1 --threads 'whole number' pack --dtype f32 --threads -1 "$raw" "$none"
try 1 --threads 'whole number' pack --dtype f32 --threads 257 "$raw" "$none"
try 1 --seconds 'from 0 to 3600' bench --seconds -1 --dtype f32 "$raw"
try 1 --levels 'a level is 1' bench --levels 0 --dtype f32 "$raw"
try 1 --levels 'a level is 1' bench --levels 1-9 --dtype f32 "$raw"
try 1 "$raw" 'add --dtype' bench "$raw"
try 1 'standard input' 'name a file' bench --dtype f32 -
try 2 nowhere 'No such file' unpack "$tmp/nowhere" "$none"
try 2 nowhere 'No such file' verify "$tmp/nowhere"
try 2 "$raw/x" 'cannot read' info "$raw/x"
try 2 "$tmp/no/where" 'cannot write' unpack "$good" "$tmp/no/where"
try 2 "$raw/x" 'cannot write' unpack "$good" "$raw/x"
try 2 "$tmp" 'is a directory' verify "$tmp"
try 2 "$tmp" 'is a directory' unpack "$good" "$tmp"
try 1 'file name 1' 'is empty' info ''
try 1 'file name 2' 'is empty' unpack "$good" ''
try 1 "$good" 'the same file' unpack "$good" "$good"
try 6 "$npy" 'not a padic file' unpack "$npy" "$none"
try 6 arrays.npz 'not a padic file' verify "$tmp/arrays.npz"
try 3 "$npy" 'leave --dtype out' pack --dtype i8 "$npy" "$none"
try 1 "$npy" 'leave out --shape' pack --shape -1 "$npy" "$none"
try 11 "$good" 'does not widen' unpack --dtype i32 "$good" "$none"
try 11 "$good" 'does not widen' cut --dtype bf16 "$good" "$none"
try 9 "$box" 'one number for each' cut --begin 0,0,0 "$box" "$none"
try 9 "$box" 'leaves the array' cut --begin 0,0 --count 1,1000000 "$box" "$none"
try 3 none.npy 'add --dtype f32' unpack "$tmp/bf16.padic" "$none.npy"
long=$(head -c 4400 /dev/zero | tr '\0' a)
try 2 aaaa 'more than 4300 bytes' unpack "$good" "$tmp/$long"
try 2 aaaa 'cannot read' info "$tmp/$long"

# ----------------------------------------------------------------------- what becomes of the output

kept() { # a failure leaves an existing file as it was
    echo precious >"$tmp/kept"
    ! "$padic" pack --dtype f32 --bound 0 "$raw" "$tmp/kept" 2>/dev/null &&
        ! "$padic" unpack "$raw" "$tmp/kept" 2>/dev/null &&
        ! "$padic" unpack - "$tmp/kept" <"$tmp/empty" 2>/dev/null &&
        [ "$(cat "$tmp/kept")" = precious ] && no_leftovers
}
replaced() { # success replaces it, keeps its mode, and writes through a link
    echo old >"$tmp/target" && chmod 640 "$tmp/target" && ln -s target "$tmp/pointer" &&
        "$padic" pack --dtype f32 "$raw" "$tmp/pointer" && [ -L "$tmp/pointer" ] &&
        cmp "$tmp/good.padic" "$tmp/target" && no_leftovers &&
        ls -l "$tmp/target" | grep -q '^-rw-r-----'
}
fifo() { # a named pipe is read and written as one
    mkfifo "$tmp/in" "$tmp/out" && cat "$raw" >"$tmp/in" &
    sleep 0.1 2>/dev/null || sleep 1
    cat "$tmp/out" >"$tmp/through" &
    reader=$!
    "$padic" pack --dtype f32 --shape 30000 "$tmp/in" "$tmp/out" && wait $reader &&
        cmp "$tmp/good.padic" "$tmp/through" && [ -p "$tmp/out" ]
}
interrupted() { # a signal leaves no half file
    mkfifo "$tmp/slow" || return
    "$padic" pack --dtype f32 "$tmp/slow" "$tmp/partial" &
    job=$!
    exec 3>"$tmp/slow"
    cat "$raw" >&3
    tries=0
    until ls "$tmp" | grep -q 'partial.*\.tmp$' || [ $tries = 50 ]; do
        sleep 0.1 2>/dev/null || sleep 1
        tries=$((tries + 1))
    done
    [ $tries -lt 50 ] || { echo "no temporary file was seen"; kill $job; exec 3>&-; return 1; }
    kill -TERM $job
    wait $job
    exec 3>&-
    [ ! -e "$tmp/partial" ] && no_leftovers
}
slow() { # signal, command...: sends it when the command that reads $tmp/slow has a temporary file
    signal=$1
    shift
    rm -f "$tmp/slow" "$tmp/partial"
    mkfifo "$tmp/slow" || return
    "$@" pack --dtype f32 "$tmp/slow" "$tmp/partial" 2>"$tmp/stderr" &
    job=$!
    exec 3>"$tmp/slow"
    cat "$raw" >&3
    tries=0
    until ls "$tmp" | grep -q 'partial.*\.tmp$' || [ $tries = 50 ]; do
        sleep 0.1 2>/dev/null || sleep 1
        tries=$((tries + 1))
    done
    [ $tries -lt 50 ] || { echo "no temporary file was seen"; kill $job; exec 3>&-; return 1; }
    kill -"$signal" $job
    exec 3>&- # the end of the input
    wait $job
}
killed_by() { # signal, status of a command
    echo "status $2, which is to be that of $1"
    [ "$2" -gt 128 ] && [ "$(kill -l "$2")" = "$1" ]
}
ends() { # signal: nothing is left, and the status says which
    slow "$1" "$padic"
    killed_by "$1" $? && [ ! -e "$tmp/partial" ] && no_leftovers
}
ends_default() { # signals that sh ignores for a background command
    slow "$1" env --default-signal="$1" "$padic"
    killed_by "$1" $? && [ ! -e "$tmp/partial" ] && no_leftovers
}
ignores() { # signal: as nohup and sh ask
    (trap '' "$1" && slow "$1" "$padic") && "$padic" unpack "$tmp/partial" "$tmp/whole" &&
        cmp "$raw" "$tmp/whole" && no_leftovers
}
too_large() {
    rm -f "$tmp/partial"
    # shellcheck disable=SC3045
    (ulimit -c 0; ulimit -f 16; "$padic" pack --dtype f32 "$raw" "$tmp/partial") 2>"$tmp/stderr"
    killed_by XFSZ $? && [ ! -e "$tmp/partial" ] && no_leftovers
}
too_large_ignored() { # then it is an error as any other
    (trap '' XFSZ; ulimit -f 16; refuses 2 'cannot write .*none: ' pack --dtype f32 "$raw" "$none")
}
no_reader() { # the sentence goes to a pipe that nobody reads any more
    { sleep 0.5 2>/dev/null || sleep 1
      "$padic" unpack "$tmp/damaged" "$tmp/partial"
      echo $? >"$tmp/status"; } 2>&1 | :
    killed_by PIPE "$(cat "$tmp/status")" && [ ! -e "$tmp/partial" ] && no_leftovers
}
no_room() { # a disk of 32 KiB
    mkdir -p "$tmp/disk" &&
        unshare -m sh -c 'mount -t tmpfs -o size=32k none "$3/disk" || exit 77
            "$1" pack --dtype f32 "$2" "$3/disk/partial" 2>"$3/stderr"
            [ $? = 2 ] && [ -z "$(ls -A "$3/disk")" ]' sh "$padic" "$raw" "$tmp"
    status=$?
    cat "$tmp/stderr"
    [ $status = 0 ] && grep -q "cannot write $tmp/disk/partial: No space" "$tmp/stderr"
}
cancelled() { # Ctrl-C in the middle of one long call
    head -c 40000000 /dev/urandom >"$tmp/noise"
    for threads in 1 2; do
        rm -f "$tmp/partial"
        env --default-signal=INT "$padic" pack --level 9 --threads $threads --bound 1e-6 \
            --relative --dtype i32 "$tmp/noise" "$tmp/partial" 2>"$tmp/stderr" &
        job=$!
        sleep 1
        kill -INT $job
        wait $job
        killed_by INT $? && [ ! -s "$tmp/stderr" ] && [ ! -e "$tmp/partial" ] && no_leftovers ||
            return
    done
    rm -f "$tmp/noise"
}
expect "a failure leaves the existing file alone" kept
expect "success replaces it" replaced
if command -v mkfifo >/dev/null; then
    expect "named pipes" fifo
    expect "a signal leaves nothing behind" interrupted
    for signal in TERM HUP PIPE USR1; do
        expect "SIG$signal leaves nothing behind and is the status" ends $signal
    done
    if (env --default-signal=INT true) 2>/dev/null; then
        for signal in INT QUIT; do
            expect "SIG$signal leaves nothing behind and is the status" ends_default $signal
        done
        expect "Ctrl-C in a long call leaves nothing behind" cancelled
    else
        skip "Ctrl-C leaves nothing behind" "env has no --default-signal"
    fi
    for signal in HUP INT TERM; do
        expect "SIG$signal stays ignored" ignores $signal
    done
else
    skip "named pipes" "no mkfifo"
    skip "a signal leaves nothing behind" "no mkfifo"
fi
if (ulimit -f 16) 2>/dev/null && kill -l 153 2>/dev/null | grep -q XFSZ; then
    expect "a file beyond ulimit -f leaves nothing behind" too_large
    expect "a file beyond ulimit -f, where that signal is ignored" too_large_ignored
else
    skip "a file beyond ulimit -f" "no such limit here"
fi
{ head -c $((size / 2)) "$tmp/good.padic"
  slice "$tmp/good.padic" $((size / 2)) 1 | tr '\000-\377' '\001-\377\000'
  tail -c "+$((size / 2 + 2))" "$tmp/good.padic"; } >"$tmp/damaged"
expect "a pipe without a reader leaves nothing behind" no_reader
if [ "$(id -u)" = 0 ] && unshare -m sh -c "mount -t tmpfs none '$tmp'" 2>/dev/null; then
    expect "a disk that is full leaves nothing behind" no_room
else
    skip "a disk that is full leaves nothing behind" "cannot mount one"
fi
finish test_cli
