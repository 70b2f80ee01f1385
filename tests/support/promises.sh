# SPDX-License-Identifier: MIT
# promises.sh: writes tests/PROMISES.md (`make promises`): what the tools promise
# when things go wrong, how it is tested, and the counts of the tests run here and
# now.  Counts of fuzzing and coverage are those of the last `make fuzz` and
# `make coverage`, if there was one.

set -u
cd "$(dirname "$0")/../.." || exit 1
work=$(mktemp -d "${TMPDIR:-/tmp}/gamut-promises.XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
ASAN_OPTIONS=exitcode=99:allocator_may_return_null=1
export ASAN_OPTIONS

# tested NAME VARIANT: runs tests/NAME.t or the unit NAME; a red one ends it all
tested() {
    command="sh tests/cli/$1.t"
    [ -f "tests/cli/$1.t" ] || command=build/$2/tests/unit/$1
    BUILD=$PWD/build/$2 VARIANT=$2 $command >"$work/$1" 2>"$work/err" && return
    echo "promises: $1 ($2) is red" >&2
    exit 1
}

# after NAME TEXT: the number behind a text in a test's output
after() {
    sed -n "s/.*$2 *\([0-9][0-9]*\).*/\1/p" "$work/$1" | head -n 1
}

# before NAME TEXT: the sum of the numbers before a text
before() {
    sed -n "s/.*[ ,]\([0-9][0-9]*\) $2.*/\1/p" "$work/$1" | awk '{ s += $1 } END { print s + 0 }'
}

# A page with a finding that is not fixed would promise too much.
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

cat >tests/PROMISES.md <<END
# What is promised, and how it is tested

Written by \`make promises\`, from tests run at that moment; every test is also part of \`make test\`,
\`make faults\` or \`make fuzz\`.

| promise | how it is tested | counts |
|---|---|---|
| Bad input is answered by one line that names the place, gives no orders to the terminal whatever it quotes, with the documented exit status, and leaves no file | [bad-input.t](bad-input.t): one table, word for word, for every tool; then pipes, FIFOs, closed descriptors, permissions | $rows rows, $(grep -c '^ok' "$work/bad-input") checks |
| A damaged model file is refused, with file, section and reason | [test_corrupt.c](test_corrupt.c): golden files of every kind truncated at every byte, flipped at every byte (headers: every bit) | $(before test_corrupt 'truncations') truncations, $(before test_corrupt 'flipped bits are') flipped bits, none accepted |
| A hostile model file does no harm: refused, or a proper distribution; memory stays bounded, by 64 MB and 1032 times the file | the same with checksums made right again, and with single values changed; what is accepted is used; files that expand a thousandfold, once and twice | $(before test_corrupt 'flipped bits with') flipped bits, $(before test_corrupt 'changed values') changed values, at most $(sed -n 's/.*all of it in \([0-9]*\) MB.*/\1/p' "$work/test_corrupt") MB |
| Nothing rests on checksums alone | [test_unchecked.c](test_unchecked.c): truncations and flipped bits again, linked with a reader that believes every checksum | $(before test_unchecked 'truncations') truncations, $(before test_unchecked 'flipped bits unchecked') flipped bits, at most $(sed -n 's/.*all of it in \([0-9]*\) MB.*/\1/p' "$work/test_unchecked") MB |
| Out of memory, I/O errors: one line, exit 1, no leak, no file under the final name, no temporary file | [faults.t](faults.t), under asan: the 1st, 2nd, .. allocation, open, read, write, fsync, link, close, rename, thread start of every tool fails, once or from then on; reads and writes of a few bytes at a time | $(after faults 'faults injected:') faults at $points kinds of place |
| A killed run loses nothing but time: checkpoints can be read, resumed runs give the same bytes, files are complete or absent | [kill.t](kill.t): SIGKILL, SIGTERM, SIGINT, SIGHUP at random moments of training, of output, of a make pipeline | $kills processes killed |
| The same input and seed give the same bytes | [determinism.t](determinism.t): every tool, 1, 2, 3, 8 threads, every instruction set; \`make determinism\`: the same crossed with gcc and clang, -O0 and -O2 | $(grep -c 'the same bytes' "$work/determinism") comparisons of $(before determinism results) results |
| Memory does not grow with the number of strings, but for training, which holds them | [load.t](load.t): one number of strings and three times as many; \`make load\`: large jobs beside the bounds of the manual pages, the table below | $(grep -c '^ok' "$work/load") commands |
| No undefined behaviour, leak or race | \`make sanitize\`: all tests under asan and ubsan, under tsan, under valgrind; the gate has them in part | |
| Every finding of clang-tidy, cppcheck and gcc -fanalyzer is resolved, or explained in [analyse.known](analyse.known) | \`make analyse\`, \`make lint\` | $(grep -v '^#' tests/support/analyse.known | awk -F '\t' '{ n += $3 } END { print n + 0 }') explained |
| Readers of foreign bytes survive anything | [fuzz/](fuzz): libFuzzer with asan and ubsan, checksums switched off; the inputs kept are replayed by every compiler in [fuzz.t](fuzz.t) | $(after fuzz 'inputs replayed:') inputs replayed |
END

cat >>tests/PROMISES.md <<'END'

Faults that cannot be ordered, and why that is no matter: closing an input (all was read), closing
the log of training (each row was flushed and looked at), syncing the directory after the rename (the
file is there and whole; some file systems cannot, and a power cut may then bring the old one back),
and the memory of the C library's qsort, which sorts in place when it gets none.
END

# The last `make load`.
if [ -f build/load.tsv ]; then
    printf '\n## Load\n\n| what | peak memory, MB | CPU seconds | bound, MB | |\n|---|---|---|---|---|\n'
    awk -F '\t' 'NR > 1 {
        sub(/0123456789[A-Za-z]*\+\//, "SIXTY-FOUR", $1)
        print "| " $1 " | " $2 " | " $3 " | " $4 " | " $5 " |"
    }' build/load.tsv
fi >>tests/PROMISES.md

# The last `make fuzz`.
if ls build/fuzz/tests/fuzz/*.log >/dev/null 2>&1; then
    {
        printf '\n## Fuzzing\n\n| target | runs | seconds | peak memory, MB | found |\n|---|---|---|---|---|\n'
        for log in build/fuzz/tests/fuzz/*.log; do
            name=$(basename "$log" .log)
            awk -v name="$name" -v found="$(find "build/fuzz/tests/fuzz/$name.found" -type f |
                wc -l | tr -d ' ')" '
                /^stat::number_of_executed_units/ { runs = $2 }
                /^stat::peak_rss_mb/ { mb = $2 }
                /^Done .* runs in/ { seconds = $5 }
                END { print "| " name " | " runs " | " seconds " | " mb " | " found " |" }' "$log"
        done
    } >>tests/PROMISES.md
fi

# The last `make coverage`.
if [ -f build/coverage/report ] && [ -f build/coverage/left ]; then
    {
        printf '\n## Coverage\n\nLines of common/ and tools/ that the tests run: '
        awk '$1 == "total" { print $4 " % of " $2 "." }' build/coverage/report
        printf 'What is left is mostly what happens when memory runs out, which faults.t sees in a build\n'
        printf 'of its own, as it does file systems without O_TMPFILE; what a process does that ends by a\n'
        printf 'signal, which writes no counts (kill.t); and terminals. Files below 90 %%:'
        awk '$1 != "total" && $4 < 90 { printf "%s %s (%s %%)", sep, $1, $4; sep = "," }
            END { print (sep == "" ? " none" : "") "." }' build/coverage/report
        printf 'Functions that no test runs, with their lines:'
        sort -u build/coverage/left | awk '{ printf "%s %s (%s)", sep, $1, $2; sep = "," }
            END { print (sep == "" ? " none" : "") "." }'
    } >>tests/PROMISES.md
fi
