#!/bin/sh
# SPDX-License-Identifier: MIT
# discovery-page.sh DIRECTORY: the page README.md and, with gnuplot, the figure discovery.svg from
# the rows that discovery.sh left in DIRECTORY.

set -eu
LC_ALL=C
export LC_ALL
cd "$1"

# shares: SIZE SHARE FOUND RUNS, by the number of strings
awk -F '\t' '{
    key = $1 "\t" $2
    runs[key]++
    found[key] += $4 == $5
} END {
    for (key in runs) print key "\t" found[key] + 0 "\t" runs[key]
}' planted.tsv | sort -n >planted-shares.tsv

if command -v gnuplot >/dev/null; then
    gnuplot <<'END'
set terminal svg size 640,400 font 'sans,12' background 'white'
set output 'discovery.svg'
set datafile separator tab
set logscale x
set xrange [17:600]
set xtics (20, 50, 100, 500)
set yrange [0:105]
set xlabel 'strings'
set ylabel 'percent of runs'
set title 'The planted motif is found, exactly and first'
set grid ytics lc rgb '#dddddd'
set key bottom right title 'strings that have the motif' left
row(s) = sprintf("< awk -F '\\t' '$2 == %s' planted-shares.tsv", s)
plot row('1') using 1:(100 * $3 / $4) with linespoints lw 2 pt 6 ps 1.6 lc rgb '#08519c' title 'all', \
    row('0.5') using 1:(100 * $3 / $4) with linespoints lw 2 pt 7 ps 0.8 lc rgb '#3182bd' title 'half', \
    row('0.1') using 1:(100 * $3 / $4) with linespoints lw 2 pt 9 ps 1 lc rgb '#9ecae1' title 'a tenth'
END
    sed 's/[ \t]*$//' discovery.svg >figure.new && mv figure.new discovery.svg
fi

{
    cat <<'END'
# What gam-features finds

Made by `discovery.sh` and `discovery-page.sh` in this folder's parent, with the default settings of `gam-features`: a chain of
order 1 as background, p-values up to 0.05.

## A planted motif

Strings of 30 fair bits. All of them, a half or a tenth contain a motif of 10, 12 or 14 random bits. Runs in which the first
feature is exactly the motif, and its p-value is at most 0.05:

| strings | all | half | a tenth |
|---|---|---|---|
END
    awk -F '\t' '{ cell[$1, $2] = $3 " of " $4; size[$1] }
        END { for (n in size) print "| " n " | " cell[n, "1"] " | " cell[n, "0.5"] " | " cell[n, "0.1"] " |" }' \
        planted-shares.tsv | sort -t '|' -k 2n
    cat <<'END'

![share of runs in which the motif is found, by number of strings](discovery.svg)

A tenth of 20 strings is two strings, which is little evidence.

## Nothing to find

Strings without a motif: 30 fair bits; four bases, and 26 letters, with geometric lengths of mean 32 and 7. Runs in which the
best word has a p-value of at most 0.05 and 0.2:

| source | strings | runs | p <= 0.05 | p <= 0.2 |
|---|---|---|---|---|
END
    awk -F '\t' '{
        key = $1 " | " $2
        runs[key]++
        five[key] += $5 != "-" && $5 <= 0.05
        twenty[key] += $5 != "-" && $5 <= 0.2
    } END {
        for (key in runs) print "| " key " | " runs[key] " | " five[key] + 0 " | " twenty[key] + 0 " |"
    }' null.tsv | sort -t '|' -k 2,2 -k 3n
    cat <<'END'

The chain is fitted to the strings themselves, which makes p-values too large rather than too small: the more so, the more
symbols there are.

## English words

Words of 4 to 10 letters. The first five features, or all if they are fewer:

| words | set | features |
|---|---|---|
END
    awk -F '\t' '{ print "| " $1 " | " $2 " | " $3 " |" }' words.tsv | sort -t '|' -k 2n -k 3n
    cat <<'END'

## A motif with mutations

Strings of 57 random bases with TATAAT at a random place, each of its bases replaced by a random one with probability 0.1. The
first feature for 50 strings, by number of sets:

| feature | sets |
|---|---|
END
    cut -f 3 sites.tsv | sort | uniq -c | awk '{ print "| " ($2 == "-" ? "none" : $2) " | " $1 " |" }'
} >README.md
