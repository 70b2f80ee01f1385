# SPDX-License-Identifier: MIT
# lib.sh: what every command-line test (tests/cli/*.t) starts with.
#
#   . "$(dirname "$0")/../support/lib.sh"
#   run pfsa-gen -l 3 -n 2          # sets $status; files out and err
#   is "$status" 0 'generates'
#   done_testing
#
# Each test runs in a fresh directory that is removed at the end.  BUILD names
# the directory of the tools under test, VARIANT says how they were built, or that
# they run under valgrind.

set -u
LC_ALL=C
export LC_ALL
# The make that runs the tests must not affect makes that the tests run.
unset MAKEFLAGS MAKELEVEL MFLAGS
top=$(cd "$(dirname "$0")/../.." && pwd)
PATH=${BUILD:-$top/build/release}/bin:$PATH
export PATH
work=$(mktemp -d "${TMPDIR:-/tmp}/gamut-test.XXXXXX") || exit 1
trap 'cd /; rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
cd "$work" || exit 1
tests=0
failed=0

# run COMMAND ARGUMENT...: stdout to `out`, stderr to `err`, exit to $status.
run() {
    "$@" >out 2>err
    status=$?
}

# ok CONDITION-STATUS NAME: `[ 1 -eq 1 ]; ok $? 'one is one'`
ok() {
    tests=$((tests + 1))
    if [ "$1" -eq 0 ]; then
        printf 'ok %d - %s\n' "$tests" "$2"
    else
        failed=$((failed + 1))
        printf 'not ok %d - %s\n' "$tests" "$2"
    fi
}

# is GOT WANTED NAME
is() {
    [ "$1" = "$2" ]
    ok $? "$3"
    [ "$1" = "$2" ] || printf '#   got:    %s\n#   wanted: %s\n' "$1" "$2"
}

# has FILE TEXT NAME: the file contains the fixed text
has() {
    grep -qF -e "$2" "$1"
    ok $? "$3"
    grep -qF -e "$2" "$1" || sed 's/^/#   /' "$1" | head -n 5
}

# near GOT WANTED TOLERANCE NAME: numbers within an absolute tolerance
near() {
    awk -v a="$1" -v b="$2" -v t="$3" 'BEGIN { d = a - b; if (d < 0) d = -d; exit !(a != "" && d <= t) }'
    near_status=$?
    ok $near_status "$4"
    [ $near_status -eq 0 ] || printf '#   got %s, wanted %s within %s\n' "$1" "$2" "$3"
}

# row NAME [FILE]: the value of a `name<TAB>value` report
row() {
    awk -F '\t' -v n="$1" '$1 == n { print $2 }' "${2:-out}"
}

# limited KB COMMAND...: with limited memory; with a sanitizer, whose shadow memory would not
# fit, there is no limit
limited() (
    kb=$1
    shift
    # In a subshell, so that messages about a tool that aborts do not appear here.
    # shellcheck disable=SC2016 # its own parameters
    if sh -c 'ulimit -v "$1" && "$2" --version; exit $?' sh "$kb" "$1" >/dev/null 2>&1; then
        # shellcheck disable=SC3045 # not in POSIX, but in every sh that we meet
        ulimit -v "$kb"
    fi
    exec "$@"
)

# has_descriptors: whether open descriptors have names: not without /proc, as in some chroots
has_descriptors() {
    [ -e /proc/self/fd/0 ] && [ -e /dev/fd/0 ] && [ -e /dev/stdin ]
}

# has_terminals: whether script(1) can make a terminal
has_terminals() {
    command -v script >/dev/null && script -qec true /dev/null </dev/null >/dev/null 2>&1
}

# skip NAME REASON: a test that does not apply here; it counts as passed
skip() {
    tests=$((tests + 1))
    printf 'ok %d - %s # SKIP %s\n' "$tests" "$1" "$2"
}

# skip_all REASON: the whole file does not apply here
skip_all() {
    printf '1..0 # SKIP %s\n' "$1"
    exit 0
}

done_testing() {
    printf '1..%d\n' "$tests"
    [ "$failed" -eq 0 ]
    exit
}
