# SPDX-License-Identifier: MIT
# valgrind.sh DIR TEST...: runs tests (as run.sh does) with the tools of DIR, and the C units,
# under valgrind.  Fails if a test fails, or if valgrind reports anything about any process,
# including those whose status no test checks.

set -u
cd "$(dirname "$0")/../.." || exit 1
if ! command -v valgrind >/dev/null; then
    echo 'valgrind: SKIPPED, not installed'
    exit 0
fi
dir=$1
shift
wrapped=$PWD/build/valgrind
rm -rf "$wrapped"
mkdir -p "$wrapped/bin" "$wrapped/said"
ln -s "$dir/tests" "$wrapped/tests"
VALGRIND_OPTS=--leak-check=full # kill.t has its own: who is killed frees nothing
export VALGRIND_OPTS
valgrind="valgrind -q --error-exitcode=99 --suppressions=$PWD/tests/support/valgrind.supp"
RUN="$valgrind --log-file=$wrapped/said/%p"
# A log descriptor, not a file: a file could take the number of a closed standard output.
for tool in "$dir"/bin/*; do
    printf '#!/bin/sh\nexec %s --log-fd=9 "%s" "$@" 9>"%s/said/$$"\n' "$valgrind" "$tool" "$wrapped" \
        >"$wrapped/bin/${tool##*/}"
done
chmod +x "$wrapped"/bin/*

BUILD=$wrapped VARIANT=valgrind RUN=$RUN TEST_TIMEOUT=${TEST_TIMEOUT:-3600} sh tests/support/run.sh "$@"
status=$?
said=$(find "$wrapped/said" -type f -size +0)
if [ -n "$said" ]; then
    echo "valgrind: complaints in:" >&2
    printf '%s\n' "$said" >&2
    status=1
fi
exit $status
