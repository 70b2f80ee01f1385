# SPDX-License-Identifier: MIT
# demo.sh: what the toolkit does, on a process whose every answer is known:
# 30 fair bits, given that they contain the motif 10001011111000.

set -eu
LC_ALL=C
export LC_ALL
motif=10001011111000
words='100010111110000 1000101 0011001 1001001 11111111 000000'
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

# value NAME: from a report of name<TAB>value lines on stdin
value() {
    awk -F '\t' -v name="$1" '$1 == name { print $2 }'
}

title "$count strings from a known process, three to look at"
show "pfsa-gen -l 30 -m $motif -n $count -o D"
show 'head -n 3 D'

title 'The process itself, exactly'
show "pfsa-entropy -l 30 -m $motif | tee exact"

# All strings of the process are equally likely, so that of all pairs of
# samples a share exp(-entropy) are twins.
title 'Its entropy as the sample has it'
sort D | uniq -c | awk -v n=$count -v exact="$(value entropy <exact)" '
    { twins += $1 * ($1 - 1) / 2 }
    END {
        printf "%d twins among %d strings: entropy %.3f +- %.3f, exactly %.3f\n",
            twins, n, log(n * (n - 1) / 2 / twins), 1.96 / sqrt(twins), exact
    }'

title 'Motif frequencies of the sample, with 95% intervals'
# shellcheck disable=SC2086 # words is a list
show "motif-freq$(printf ' -m %s' $motif $words) D | tee freq"

# The exact frequency of a word among the strings with the motif is a ratio of
# two partitions: of those with both to those with the motif.
title 'Exact against sampled: # sampled, | exact'
partition=$(value partition <exact)
for word in $motif $words; do
    both=$(pfsa-entropy -l 30 -m $motif -m "$word" | value partition)
    awk -v w="$word" -v both="$both" -v all="$partition" 'BEGIN { print w "\t" both / all }'
done >truth
awk -F '\t' '
    FNR == NR { exact[$1] = $2; next }
    FNR == 1 { printf "%-16s %8s %8s %8s %8s\n", "word", "exact", "sampled", "lo95", "hi95"; next }
    {
        bar = ""
        for (i = 0; i < 40 * $4 || i <= 40 * exact[$1]; i++)
            bar = bar (i == int(40 * exact[$1]) ? "|" : i < 40 * $4 ? "#" : " ")
        inside += $5 <= exact[$1] && exact[$1] <= $6
        printf "%-16s %8.5f %8.5f %8.5f %8.5f  %s\n", $1, exact[$1], $4, $5, $6, bar
    }
    END { printf "\n%d of %d exact values lie in their intervals\n", inside, FNR - 1 }' truth freq

# A few hundred strings are all that the LSTM sees; it is judged by others.
title 'An LSTM of the first 500 strings'
show 'head -n 500 D | lstm-train -o r.lstm'
show "pfsa-gen -s 2 -l 30 -m $motif -n 5000 -o T"
show 'lm-eval r.lstm T | tee r.report'
show "gam-sample -n 20000 r.lstm | motif-freq -m $motif | tee r.freq"

title 'Loss, nats a character, and motif frequency'
{
    printf 'fair coins\t%s\t%s\n' "$(awk 'BEGIN { print 30 * log(2) / 31 }')" "$partition"
    printf 'LSTM\t%s\t%s\n' "$(value ce <r.report)" "$(awk 'NR == 2 { print $4 }' r.freq)"
    printf 'truth\t%s\t1\n' "$(value entropy_per_char <exact)"
} | awk -F '\t' '{
    bar = sprintf("%*s", 40 * $3, "")
    gsub(/ /, "#", bar)
    printf "%-16s %8.4f %8.4f  %s\n", $1, $2, $3, bar
}'
