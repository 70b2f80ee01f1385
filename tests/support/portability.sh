# SPDX-License-Identifier: MIT
# portability.sh [TARGET...]: builds the tools for other machines and C libraries from the
# Makefile as it is, runs them there or in an emulator, and compares the checksums of
# what they give with those of this machine.  A target whose compiler, emulator or
# libraries are missing is skipped with a message; `make portability-deps` gets them.
#
# portability.sh deps: installs the compilers and emulators, and puts the sources of zlib
# into build/portability.

set -u
top=$(cd "$(dirname "$0")/../.." && pwd)
cd "$top" || exit 1
own=$top/build/portability
zlib=$own/zlib

say() {
    echo "portability: $*"
}

# target NAME: sets `compiler`, and `run`, the command that its programs are run with
target() {
    run=
    case $1 in
    arm64)
        compiler=aarch64-linux-gnu-gcc
        run='qemu-aarch64 -L /usr/aarch64-linux-gnu'
        ;;
    i386) # x86-64 runs it by itself, where the kernel lets it
        compiler=i686-linux-gnu-gcc
        run='/usr/i686-linux-gnu/lib/ld-linux.so.2 --library-path /usr/i686-linux-gnu/lib'
        $run --version >/dev/null 2>&1 || run='qemu-i386 -L /usr/i686-linux-gnu'
        ;;
    musl) compiler=musl-gcc ;;
    s390x)
        compiler=s390x-linux-gnu-gcc
        run='qemu-s390x -L /usr/s390x-linux-gnu'
        ;;
    *)
        say "no target '$1'; there are arm64, i386, musl and s390x" >&2
        exit 2
        ;;
    esac
}

# Debian's source package, also where apt's sources list binary packages only: apt is
# given copies of them that list source packages.
get_zlib() {
    [ ! -d "$zlib" ] || return 0
    rm -rf "$own/apt"
    mkdir -p "$own/apt/sources" "$own/apt/lists/partial" "$own/apt/zlib" && cd "$own/apt" || return 1
    for list in /etc/apt/sources.list /etc/apt/sources.list.d/debian.sources; do
        [ ! -f $list ] || sed 's/^Types:.*/Types: deb-src/; s/^deb /deb-src /' $list >"sources/${list##*/}"
    done
    for action in 'update' 'source --download-only zlib'; do
        # shellcheck disable=SC2086 # an action is a list of words
        apt-get -qq -o Dir::Etc::sourcelist=/dev/null \
            -o Dir::Etc::sourceparts="$own/apt/sources" -o Dir::State::lists="$own/apt/lists" \
            -o APT::Sandbox::User=root $action || return 1
    done
    tar -xf zlib_*.orig.tar.* -C zlib --strip-components=1 && mv zlib "$zlib" && rm -rf "$own/apt"
}

# build_libraries DIRECTORY: zlib from its sources, and xxHash from its header, which has all
# of it, for the present compiler
build_libraries() {
    header=$(echo '#include <xxhash.h>' | "${CC:-cc}" -E -x c - | sed -n 's/^# 1 "\(.*xxhash\.h\)".*/\1/p')
    mkdir -p "$1/include" && cp "$header" "$zlib/zlib.h" "$zlib/zconf.h" "$1/include" || return 1
    for source in adler32 compress crc32 deflate inffast inflate inftrees trees zutil; do
        $compiler -O2 -fPIC -c -o "$1/$source.o" "$zlib/$source.c" || return 1
    done
    printf '#define XXH_IMPLEMENTATION\n#include "%s"\n' "$1/include/xxhash.h" |
        $compiler -O2 -fPIC -DXXH_STATIC_LINKING_ONLY -c -o "$1/xxhash.o" -x c - &&
        ar rcs "$1/libz.a" "$1"/[!x]*.o && ar rcs "$1/libxxhash.a" "$1/xxhash.o"
}

# has_libraries: whether the compiler has its own zlib and xxHash
has_libraries() {
    printf '#include <xxhash.h>\n#include <zlib.h>\nint main(void) { return !XXH_versionNumber() || !zlibVersion(); }\n' |
        $compiler -o "$work/probe" -x c - -lz -lxxhash 2>/dev/null
}

# missing NAME: prints what keeps the target from being tried
missing() {
    command -v $compiler >/dev/null || { echo "no $compiler"; return; }
    [ -z "$run" ] || command -v "${run%% *}" >/dev/null || { echo "no ${run%% *}"; return; }
    has_libraries || [ -d "$zlib" ] || echo "no zlib for it"
}

# sums FILE: every tool in PATH once
sums() {
    rm -rf "$work/run"
    mkdir "$work/run"
    (cd "$work/run" && sh "$top/tests/support/determinism.sh" 1 2>"$work/err") >"$1" ||
        { cat "$work/err"; return 1; }
}

# try NAME: builds, runs and compares
try() {
    flags=
    if ! has_libraries; then
        [ -f "$own/$1/libxxhash.a" ] || build_libraries "$own/$1" || return 1
        flags=$own/$1
    fi
    "${MAKE:-make}" -s VARIANT="$1" CC=$compiler ${flags:+CPPFLAGS="-I$flags/include" LDFLAGS="-L$flags"} all ||
        return 1
    rm -rf "${work:?}/bin"
    mkdir "$work/bin"
    for tool in "build/$1/bin"/*; do
        printf '#!/bin/sh\nexec %s "%s" "$@"\n' "$run" "$top/$tool" >"$work/bin/${tool##*/}"
    done
    chmod +x "$work/bin"/*
    PATH=$work/bin:$path sums "$work/$1" && diff "$work/here" "$work/$1"
}

work=$(mktemp -d "${TMPDIR:-/tmp}/gamut-port.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

if [ "${1-}" = deps ]; then
    sh tests/support/deps.sh portability || exit 1
    (get_zlib) && exit
    say 'cannot get the source package of zlib' >&2
    exit 1
fi

path=$PATH
status=0
"${MAKE:-make}" -s VARIANT=release all || exit 1
PATH=$top/build/release/bin:$path sums "$work/here" || exit 1
[ $# -gt 0 ] || set -- arm64 i386 musl
for name; do
    target "$name"
    reason=$(missing)
    if [ -n "$reason" ]; then
        say "$name SKIPPED, $reason; see make portability-deps"
    elif try "$name"; then
        say "$name: builds, and gives the same bytes in $(grep -c . "$work/here") results"
    else
        say "$name FAILED"
        status=1
    fi
done
exit $status
