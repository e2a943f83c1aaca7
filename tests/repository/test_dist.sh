#!/bin/sh
# test_dist.sh: the archive of a release, its installation, and three ways to use it: pkg-config, a
# subproject, a subproject found by its wrap file. Works on what is in the folder now, committed or
# not. Needs meson, ninja, git, pkg-config and a C compiler.
cd "$(dirname "$0")/../.." || exit 1
. tests/support/sh_test.sh
root=$PWD
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_SYSTEM=/dev/null

cat >"$tmp/use.c" <<'END'
#define PADIC_IMPLEMENTATION
#include "padic.h"
#include "backends/padic_simd.h"
#include "backends/padic_threads.h"
int main(void)
{
    return padic_dtype_size(PADIC_F32) != 4;
}
END

repository() { # meson dist takes what is committed: commit a copy
    mkdir "$tmp/copy" || return
    if git ls-files -z -c -o --exclude-standard >"$tmp/files" 2>/dev/null; then
        # A file that is deleted and not yet committed is not there.
        tr '\0' '\n' <"$tmp/files" | while read -r file; do
            [ ! -f "$file" ] || printf '%s\0' "$file"
        done | xargs -0 tar -cf "$tmp/files.tar" || return
    else
        tar -cf "$tmp/files.tar" --exclude=.git . || return
    fi
    tar -xf "$tmp/files.tar" -C "$tmp/copy" && cd "$tmp/copy" && git init -q . &&
        git add -f . && git -c user.name=t -c user.email=t@localhost commit -q -m t
}
archive() {
    cd "$tmp/copy" && meson setup "$tmp/b" &&
        meson dist -C "$tmp/b" --no-tests --formats gztar &&
        mkdir "$tmp/dist" && tar -xzf "$tmp"/b/meson-dist/padic-*.tar.gz -C "$tmp/dist"
}
complete() {
    cd "$tmp"/dist/padic-* && for file in padic.h backends/padic_simd.h backends/padic_opencl.h \
        backends/padic_cuda.h backends/padic_fetch.h backends/padic_threads.h \
        src/padic.in.h tools/amalgamate.py LICENSE README.md CONTRIBUTING.md \
        SECURITY.md CHANGELOG.md meson.build meson_options.txt .clang-format .editorconfig \
        .ci/run tests/run.sh tests/data/README.md examples/padic.c examples/demo.sh; do
        [ -s $file ] || { echo "no $file"; return 1; }
    done
}
builds() {
    cd "$tmp"/dist/padic-* && meson setup "$tmp/built" --prefix="$tmp/usr" -Dtests=false \
        -Doptimization=0 && ninja -j2 -C "$tmp/built" &&
        meson setup "$tmp/tested" -Doptimization=0 &&
        ninja -j2 -C "$tmp/tested" two_units private_copies &&
        meson test -C "$tmp/tested" --no-rebuild --suite header
}
installs() {
    meson install -C "$tmp/built" && cd "$tmp/usr" && find . -type f | sort && [ -x bin/padic ] &&
        cmp include/padic/padic.h "$root/padic.h" &&
        cmp include/padic/backends/padic_cuda.h "$root/backends/padic_cuda.h" &&
        cmp include/padic/backends/padic_threads.h "$root/backends/padic_threads.h"
}
pkg() {
    export PKG_CONFIG_PATH="$tmp/usr/share/pkgconfig"
    version=$(sed -n 's/^#define PADIC_VERSION "\(.*\)"/\1/p' padic.h)
    [ "$(pkg-config --modversion padic)" = "$version" ] || return
    # shellcheck disable=SC2046
    cc "$tmp/use.c" -o "$tmp/use" $(pkg-config --cflags --libs padic) && "$tmp/use"
}
consumer() { # folder: a project that uses the library and has its own test
    mkdir -p "$1/subprojects" && cp "$tmp/use.c" "$1" && cat >"$1/meson.build"
}
subproject() {
    consumer "$tmp/user" <<'END' || return
project('user', 'c')
padic = subproject('padic').get_variable('padic_dep')
test('use', executable('use', 'use.c', dependencies: padic))
END
    cp -R "$tmp"/dist/padic-* "$tmp/user/subprojects/padic" &&
        meson setup "$tmp/user_build" "$tmp/user" -Doptimization=0 &&
        ninja -j2 -C "$tmp/user_build" &&
        meson test -C "$tmp/user_build" &&
        meson test -C "$tmp/user_build" --no-rebuild --list >"$tmp/list" || return
    cat "$tmp/list"
    [ "$(wc -l <"$tmp/list")" = 1 ] # the consumer's own test, and none of the library's
}
wrapped() { # C++17 consumer, the library fetched by git as its wrap says
    consumer "$tmp/wrap" <<'END' || return
project('wrap', 'cpp', default_options: ['cpp_std=c++17', 'warning_level=3', 'werror=true'])
test('use', executable('use', 'use.cpp', dependencies: dependency('padic', version: '>=0.1')))
END
    mv "$tmp/wrap/use.c" "$tmp/wrap/use.cpp"
    printf '[wrap-git]\nurl = %s\nrevision = HEAD\n[provide]\ndependency_names = padic\n' \
        "$tmp/copy" >"$tmp/wrap/subprojects/padic.wrap"
    meson setup "$tmp/wrap_build" "$tmp/wrap" -Doptimization=0 && ninja -j2 -C "$tmp/wrap_build" &&
        meson test -C "$tmp/wrap_build"
}

expect "the files make a repository" repository
expect "meson dist makes the archive" archive
expect "the archive is complete" complete
expect "the archive builds, and its header tests pass" builds
expect "it installs" installs
expect "pkg-config finds it" pkg
expect "it is a subproject" subproject
expect "a wrap file finds it, from C++" wrapped
finish test_dist
