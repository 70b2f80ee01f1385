# SPDX-License-Identifier: MIT
# install.t: the installation is complete, stays below DESTDIR and PREFIX, and can be removed.

# shellcheck source=tests/support/lib.sh
. "$(dirname "$0")/../support/lib.sh"

export VARIANT="${VARIANT:-release}"
[ "$VARIANT" != valgrind ] || VARIANT=release

root="$work/a root"
run make -s -C "$top" install DESTDIR="$root" PREFIX=/opt/gamut
is "$status" 0 'installs'
for source in "$top"/tools/*.c; do
    tool=$(basename "$source" .c)
    [ -x "$root/opt/gamut/bin/$tool" ]
    ok $? "$tool is there"
done
for page in "$top"/man/*.[157]; do
    file=$(basename "$page")
    cmp -s "$page" "$root/opt/gamut/share/man/man${file##*.}/$file"
    ok $? "$file is there"
done
is "$(ls "$root/opt")" gamut 'nothing is put elsewhere'

run make -s -C "$top" uninstall DESTDIR="$root" PREFIX=/opt/gamut
is "$status" 0 'uninstalls'
is "$(find "$root" -type f)" '' 'nothing is left'

# The flags are those of the machine that the compiler compiles for.
# flags MACRO: those of a kernel by a compiler that predefines the macro
flags() {
    printf '#!/bin/sh\ncase $* in\n*-dM*) echo "#define %s 1" ;;\nesac\n' "$1" >cc
    chmod +x cc
    make -n -C "$top" VARIANT=flags CC="$work/cc" build/flags/common/lstm/kernel_avx2.o 2>&1 |
        grep -o -e '-mavx2' -e '-mfpmath=sse' -e '-fexcess-precision=fast' | sort -u
}
is "$(flags __x86_64__)" -mavx2 'x86-64: vector kernels'
is "$(flags __aarch64__)" '' 'arm64: none'
is "$(flags __i386__)" -mfpmath=sse '32-bit x86: floats in registers for floats'
is "$(flags __s390x__)" -fexcess-precision=fast 's390x: floats as floats'

# A level of _FORTIFY_SOURCE that the user gives is used, without a warning.
cp -R "$top/Makefile" "$top/common" "$top/tools" "$work"
fortified='-O2 -D_FORTIFY_SOURCE=3'
run make -s -C "$work" VARIANT=release CFLAGS="$fortified" build/release/common/core/err.o
is "$status$(cat out err)" 0 "CFLAGS='$fortified' gives no warning"
run make -s -C "$work" VARIANT=release CFLAGS=-O2 CPPFLAGS=-D_FORTIFY_SOURCE=3 build/release/common/core/num.o
is "$status$(cat out err)" 0 'nor does CPPFLAGS=-D_FORTIFY_SOURCE=3'
make -n -C "$work" VARIANT=release CFLAGS="$fortified" build/release/common/core/mem.o >out 2>&1
is "$(grep -o -e '-D_FORTIFY_SOURCE=[0-9]' out | sort -u)" -D_FORTIFY_SOURCE=3 'and is the only one'
make -n -C "$work" VARIANT=release CFLAGS=-O2 build/release/common/core/mem.o >out 2>&1
is "$(grep -o -e '-D_FORTIFY_SOURCE=[0-9]' out | sort -u)" -D_FORTIFY_SOURCE=2 'else it is 2'

# Two checkouts give the same objects, whatever the names of their directories.
if [ "$VARIANT" = coverage ]; then
    skip 'two checkouts give the same objects' 'coverage keeps the whole path'
else
    objects='common/core/err.o common/io/output.o tools/pfsa-gen.o'
    for checkout in "$work/one" "$work/another one's"; do
        mkdir "$checkout"
        cp -R "$top/Makefile" "$top/common" "$top/tools" "$checkout"
        # shellcheck disable=SC2046,SC2086 # words
        make -s -C "$checkout" $(printf "build/$VARIANT/%s " $objects) >"$work/out" 2>&1 ||
            sed 's/^/#   /' "$work/out"
    done
    for object in $objects; do
        cmp "$work/one/build/$VARIANT/$object" "$work/another one's/build/$VARIANT/$object"
        ok $? "two checkouts give the same $object"
    done
fi

done_testing
