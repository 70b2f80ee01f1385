# SPDX-License-Identifier: MIT
# lint.sh: the checks of `make lint`, which sets MAKE, CC and CFLAGS.  A check whose program is
# not installed is skipped with a message; `make lint-deps` installs them.

set -u
failures=0
checks=0
skipped=0

# check NAME COMMAND...: one line, and what the command printed if it failed
check() {
    name=$1
    shift
    checks=$((checks + 1))
    if output=$("$@" 2>&1); then
        echo "lint: $name: ok"
    else
        failures=$((failures + 1))
        printf '%s\n' "$output" | head -n 40
        echo "lint: $name: FAILED"
    fi
}

skip() {
    skipped=$((skipped + 1))
    echo "lint: $1: SKIPPED, $2"
}

has_program() {
    command -v "$1" >/dev/null 2>&1
}

# compiles COMPILER: everything, without a warning, in its own build directory
compiles() {
    $MAKE --no-print-directory -s -k VARIANT="lint-$1" CC="$1" CFLAGS="$CFLAGS -Werror" everything
}

# Every header compiles alone, and twice.  A header without a guard is a fragment that other
# files include.
headers() {
    for header in common/*/*.h tests/support/*.h; do
        grep -q '^#ifndef GAMUT_' "$header" || continue
        # shellcheck disable=SC2086 # CC may hold options
        printf '#include "%s"\n#include "%s"\n' "$header" "$header" |
            $CC -std=c11 -D_GNU_SOURCE -Wall -Wextra -Wno-unused-function -Werror \
                -I. -Icommon -Itests -fsyntax-only -x c - || return 1
    done
}

formatted() {
    clang-format --dry-run -Werror common/*/*.[ch] tools/*.c tests/support/*.h tests/unit/*.c tests/fuzz/*.[ch] tests/bench/*.c ||
        { echo 'run: clang-format -i FILE' && return 1; }
}

manual() {
    mandoc -T lint -W warning man/*.[157]
}

# groff, which most systems use to display pages, has warnings of its own.
typeset() {
    warnings=$(groff -mandoc -Tutf8 -ww man/*.[157] 2>&1 >/dev/null)
    echo "$warnings"
    [ -z "$warnings" ]
}

scripts() {
    # SC2034: what lib.sh sets is used where it is sourced.
    shellcheck -s sh -x -e SC2034 tests/support/*.sh tests/cli/*.t tests/bench/*.sh examples/*.sh examples/*/*.sh &&
        shellcheck -s sh -x -e SC1091,SC2034,SC2154 tests/bench/*.row && # they set variables for rows.sh
        shellcheck -s bash .ci/run
}

analysis() {
    # cppcheck takes for uninitialized: vectors that simd.h sets lane by lane, and arrays that a loop
    # fills, since it assumes that the loop makes no pass.
    cppcheck --quiet --std=c11 --language=c --inline-suppr --error-exitcode=1 \
        --enable=warning,portability,performance --suppress=missingIncludeSystem \
        --suppress=uninitvar:common/lstm/simd.h --suppress=uninitvar:common/lstm/backprop.c \
        --suppress=uninitvar:common/core/dmath.c \
        -D_GNU_SOURCE -Icommon common tools
}

# optional PROGRAM FUNCTION [ARGUMENT]: a check that needs a program
optional() {
    if has_program "$1"; then
        program=$1
        shift
        check "$program" "$@"
    else
        skip "$1" 'not installed'
    fi
}

optional gcc compiles gcc
optional clang compiles clang
check 'headers stand alone' headers
check style sh tests/cli/style.t
if has_program clang-format && ! clang-format --version | grep -q 'version 14\.'; then
    skip clang-format 'not version 14, which formats otherwise'
else
    optional clang-format formatted
fi
optional mandoc manual
optional groff typeset
optional shellcheck scripts
optional cppcheck analysis

echo "lint: $checks checks, $failures failed, $skipped skipped"
[ $failures -eq 0 ]
