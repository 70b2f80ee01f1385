# SPDX-License-Identifier: MIT
# promises.sh: runs the tests that tests/PROMISES.md names, and replaces the counts at its end
# (`make promises`).  Counts of load, fuzzing and coverage are those of the last `make load`, `make
# fuzz` and `make coverage`, if there was one.

set -u
cd "$(dirname "$0")/../.." || exit 1
work=$(mktemp -d "${TMPDIR:-/tmp}/gamut-promises.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
ASAN_OPTIONS=exitcode=99:allocator_may_return_null=1
export ASAN_OPTIONS

# tested NAME VARIANT: runs tests/NAME.t or the unit NAME; a failure ends the script
tested() {
    command="sh tests/cli/$1.t"
    [ -f "tests/cli/$1.t" ] || command=build/$2/tests/unit/$1
    BUILD=$PWD/build/$2 VARIANT=$2 $command >"$work/$1" 2>"$work/err" && return
    echo "promises: $1 ($2) is red" >&2
    exit 1
}

# after NAME TEXT: the number after a text in the output of a test
after() {
    sed -n "s/.*$2 *\([0-9][0-9]*\).*/\1/p" "$work/$1" | head -n 1
}

# before NAME TEXT: the sum of the numbers before a text
before() {
    sed -n "s/.*[ ,]\([0-9][0-9]*\) $2.*/\1/p" "$work/$1" | awk '{ s += $1 } END { print s + 0 }'
}

# Findings that are not fixed would make the page wrong.
found=$(find build/fuzz/tests/fuzz -path '*.found/*' -type f 2>/dev/null)
if [ -n "$found" ]; then
    echo "promises: fuzzing has found something; fix it and run make fuzz again:" >&2
    printf '%s\n' "$found" >&2
    exit 1
fi

for unit in bad-input kill determinism fuzz load test_corrupt test_unchecked; do
    tested $unit release
done
tested faults faults

rows=$(grep -cE '^[0-9] \| ' tests/cli/bad-input.t)
kills=$(($(before kill 'kills:') + $(before kill 'times: every') + $(before kill 'signals during')))
points=$(sed -n 's/.*for point in \(.*\); do/\1/p' tests/cli/faults.t | tr ' ' '\n' | sort -u | wc -l)

# mb NAME: the peak memory that a test prints
mb() {
    sed -n 's/.*all of it in \([0-9]*\) MB.*/\1/p' "$work/$1"
}

# The text up to the counts stays.
page=$work/page
awk '{ print } /^`make promises` runs/ { exit }' tests/PROMISES.md >"$page"
cat >>"$page" <<END

| test | counts |
|---|---|
| bad-input.t | $rows rows, $(grep -c '^ok' "$work/bad-input") checks |
| test_corrupt.c | $(before test_corrupt 'truncations') truncations, $(before test_corrupt 'flipped bits are') flipped bits, none accepted |
| test_corrupt.c, with valid checksums | $(before test_corrupt 'flipped bits with') flipped bits, $(before test_corrupt 'changed values') changed values, at most $(mb test_corrupt) MB |
| test_unchecked.c | $(before test_unchecked 'truncations') truncations, $(before test_unchecked 'flipped bits unchecked') flipped bits, at most $(mb test_unchecked) MB |
| faults.t | $(after faults 'faults injected:') faults at $points kinds of place |
| kill.t | $kills processes killed |
| determinism.t | $(grep -c 'the same bytes' "$work/determinism") comparisons of $(before determinism results) results |
| load.t | $(grep -c '^ok' "$work/load") commands |
| analyse.known | $(grep -v '^#' tests/support/analyse.known | awk -F '\t' '{ n += $3 } END { print n + 0 }') explained |
| fuzz.t | $(after fuzz 'inputs replayed:') inputs replayed |
END

# The last `make load`.
if [ -f build/load.tsv ]; then
    printf '\n### Load\n\n| what | peak memory, MB | CPU seconds | bound, MB | |\n|---|---|---|---|---|\n'
    awk -F '\t' 'NR > 1 {
        sub(/0123456789[A-Za-z]*\+\//, "SIXTY-FOUR", $1)
        print "| " $1 " | " $2 " | " $3 " | " $4 " | " $5 " |"
    }' build/load.tsv
fi >>"$page"

# The last `make fuzz`.
if ls build/fuzz/tests/fuzz/*.log >/dev/null 2>&1; then
    {
        printf '\n### Fuzzing\n\n| target | runs | seconds | peak memory, MB | found |\n|---|---|---|---|---|\n'
        for log in build/fuzz/tests/fuzz/*.log; do
            name=$(basename "$log" .log)
            awk -v name="$name" -v found="$(find "build/fuzz/tests/fuzz/$name.found" -type f |
                wc -l | tr -d ' ')" '
                /^stat::number_of_executed_units/ { runs = $2 }
                /^stat::peak_rss_mb/ { mb = $2 }
                /^Done .* runs in/ { seconds = $5 }
                END { print "| " name " | " runs " | " seconds " | " mb " | " found " |" }' "$log"
        done
    } >>"$page"
fi

# The last `make coverage`.
if [ -f build/coverage/report ] && [ -f build/coverage/left ]; then
    {
        printf '\n### Coverage\n\nLines of common/ and tools/ that the tests run: '
        awk '$1 == "total" { print $4 " % of " $2 "." }' build/coverage/report
        printf 'Most other lines are run by other tests, whose counts are not included: faults.t has a build\n'
        printf 'of its own for lack of memory and file systems without O_TMPFILE, and the processes of kill.t\n'
        printf 'end by a signal before they write counts. Few tests have a terminal. Files below 90 %%:'
        awk '$1 != "total" && $4 < 90 { printf "%s %s (%s %%)", sep, $1, $4; sep = "," }
            END { print (sep == "" ? " none" : "") "." }' build/coverage/report
        printf 'Functions that no test runs, with their lines:'
        sort -u build/coverage/left | awk '{ printf "%s %s (%s)", sep, $1, $2; sep = "," }
            END { print (sep == "" ? " none" : "") "." }'
    } >>"$page"
fi

mv "$page" tests/PROMISES.md
