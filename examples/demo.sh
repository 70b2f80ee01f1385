# SPDX-License-Identifier: MIT
# demo.sh: what the toolkit does, in a minute, on a process whose every answer
# is known: 30 fair bits that contain the motif 10001011111000.

set -eu
motif=10001011111000
length=30
count=100000
work=$(mktemp -d "${TMPDIR:-/tmp}/gamut-demo.XXXXXX")
trap 'rm -rf "$work"' EXIT
cd "$work"

title() {
    printf '\n== %s\n' "$*"
}

# show COMMAND: prints it, then runs it
show() {
    printf '$ %s\n' "$*"
    eval "$*"
}

# value NAME FILE: from a report of name<TAB>value lines
value() {
    awk -F '\t' -v name="$1" '$1 == name { print $2 }' "$2"
}

title 'Strings from a known process: one with the motif, one that mostly has it'
show "pfsa-gen -l $length -m $motif -n $count -o pure"
show "pfsa-gen -l $length -m $motif --mix 0.9 -n $count -o mixed"
show 'head -n 3 pure'

title 'The same process as an automaton: every quantity is exact'
show "pfsa-entropy -l $length -m $motif -o exact"
show 'cat exact'

title 'Motif frequencies of the samples, with 95% intervals'
show "motif-freq -m $motif mixed"

# The entropy from the sample: the strings are uniform over the support, so
# that pairs of equal strings tell its size (a birthday count): of n(n-1)/2
# pairs a share exp(-H) is equal.
title 'Exact against sampled'
sort pure | uniq -c | awk -v n="$count" -v exact="$(value entropy exact)" '
    { pairs += $1 * ($1 - 1) / 2 }
    END {
        estimate = log(n * (n - 1) / 2 / pairs)
        error = 1 / sqrt(pairs)
        printf "%-34s %12s %12s %10s\n", "", "exact", "sampled", "+-"
        printf "%-34s %12.6f %12.6f %10.6f\n", "entropy, nats a string", exact, estimate, error
    }'
motif-freq -m $motif mixed | awk -F '\t' 'NR == 2 {
    printf "%-34s %12.6f %12.6f %10.6f\n", "motif frequency of the mixture", 0.9, $4, ($6 - $5) / 2
}'

# Where the motif begins: uniform, but for the strings that hold it twice.
title 'Where the motif begins, in the sample'
awk -v m=$motif '{ at[index($0, m)]++ }
    END { for (i = 1; i in at; i++) {
        bar = sprintf("%*s", at[i] / NR * 600, ""); gsub(/ /, "#", bar)
        printf "%4d %6.4f %s\n", i, at[i] / NR, bar } }' pure
