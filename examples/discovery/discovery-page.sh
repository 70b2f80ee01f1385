#!/bin/sh
# SPDX-License-Identifier: MIT
# discovery-page.sh DIRECTORY: the page README.md and, with gnuplot, the figure discovery.svg from
# the rows that discovery.sh and levels.sh left in DIRECTORY.

set -eu
LC_ALL=C
export LC_ALL
cd "$1"

# shares: SIZE SHARE FOUND RUNS MEDIAN-P, by the number of strings
awk -F '\t' '{
    key = $1 "\t" $2
    runs[key]++
    found[key] += $4 == $5
    p[key, runs[key]] = $6 == "-" ? 1 : $6 + 0
} END {
    for (key in runs) {
        n = runs[key]
        for (i = 2; i <= n; i++)
            for (k = i; k > 1 && p[key, k] < p[key, k - 1]; k--) { t = p[key, k]; p[key, k] = p[key, k - 1]; p[key, k - 1] = t }
        median = (p[key, int((n + 1) / 2)] + p[key, int(n / 2) + 1]) / 2
        print key "\t" found[key] + 0 "\t" n "\t" median
    }
}' planted.tsv | sort -n >planted-shares.tsv

# levels COLUMN: a table of levels.tsv by this column and by the number of strings
levels() {
    awk -F '\t' -v column="$1" '$6 != "-" {
        if (!($column in seen)) name[++names] = $column
        seen[$column]
        size[$3]
        n[$column, $3]++
        k[$column, $3] += $6 <= 0.05
    } END {
        split("20 100 500 5000", at, " ")
        printf "| %s |", column == 1 ? "search" : "source"
        for (i = 1; i <= 4; i++) printf " %d strings |", at[i]
        print "\n|---|---|---|---|---|"
        for (j = 1; j <= names; j++) {
            printf "| %s |", name[j]
            for (i = 1; i <= 4; i++)
                printf " %s |", (name[j], at[i]) in n ? k[name[j], at[i]] + 0 " of " n[name[j], at[i]] : ""
            print ""
        }
    }' levels.tsv
}

# tail(n, k): the probability of k or more of n at a level of 0.05
tail='function tail(n, k,   i, term, sum) {
    term = exp(n * log(0.95))
    for (i = 0; i < k; i++) {
        sum += term
        term *= (n - i) / (i + 1) * 0.05 / 0.95
    }
    return 1 - sum
}
'

# with_p(features, p): two lists side by side
# shellcheck disable=SC2016 # awk's, not the shell's
with_p='function with_p(features, p,   name, value, n, i, text) {
    n = split(features, name, " ")
    split(p, value, " ")
    for (i = 1; i <= n; i++)
        text = text sprintf("%s\140%s\140 (%.2g)", i > 1 ? ", " : "", name[i], value[i])
    return text
}
'

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
feature is exactly the motif, and its p-value is at most 0.05, and the median p-value of all runs:

| strings | all | half | a tenth |
|---|---|---|---|
END
    awk -F '\t' '{ cell[$1, $2] = $3 " of " $4 sprintf(", %.2g", $5); size[$1] }
        END { for (n in size) print "| " n " | " cell[n, "1"] " | " cell[n, "0.5"] " | " cell[n, "0.1"] " |" }' \
        planted-shares.tsv | sort -t '|' -k 2n
    cat <<'END'

![share of runs in which the motif is found, by number of strings](discovery.svg)

A tenth of 20 strings is two strings, which is little evidence.

## Nothing to find

Strings of i.i.d. symbols: bits, four bases, and 26 letters with the frequencies of English; of 30, 30 and 8 symbols, or of
geometric lengths with means 32, 32 and 7. Made by `levels.sh`, which describes the searches. The p-values are those of the
best candidate, 1 if there is none, or, in the rows `later`, of the second feature after a word that most strings have. Sets
with a p-value of at most 0.05, of all sets:

END
    levels 1
    cat <<'END'

The same by source:

END
    levels 2
    awk -F '\t' "$tail"'$6 != "-" { n++; k += $6 <= 0.05; twenty += $6 <= 0.2 }
        END {
            printf "\nIn all, %d of %d p-values are at most 0.05 (%.3f), and %d at most 0.2 (%.3f). ", k, n, k / n, twenty,
                twenty / n
        }' levels.tsv
    awk -F '\t' "$tail"'$6 != "-" { n[$1]++; k[$1] += $6 <= 0.05 }
        END {
            least = 1
            for (what in n) {
                p = tail(n[what], k[what])
                if (p < least) { least = p; which = what }
            }
            printf "The search\nwith most for its number of sets is `%s`: if the level is exactly 0.05, %d of %d or more have", which,
                k[which], n[which]
            printf "\nthe probability %.2f.\n", least
        }' levels.tsv
    cat <<'END'

The chain is fitted to the strings themselves, which makes p-values too large rather than too small: the more so, the more
symbols there are. Where nothing is fitted (`length`, `model`, `against`), small p-values are rarer than stated, too; the reason was
not examined. Most sets of letters have no candidate for `edit`, so they say little about it. In the rows `later`, sets are left
out where the word is not the first feature or where the search ends after it. With 5000 strings, few sets were run of the
searches that take several seconds each, and of some none.

## English words

Words of 4 to 10 letters. The first five features with their p-values, or all if they are fewer:

| words | set | features |
|---|---|---|
END
    awk -F '\t' "$with_p"'{ print "| " $1 " | " $2 " | " with_p($3, $4) " |" }' words.tsv | sort -t '|' -k 2n -k 3n
    cat <<'END'

## A motif with mutations

Strings of 57 random bases with TATAAT at a random place, each of its bases replaced by a random one with probability 0.1. The
first feature for 50 strings, by number of sets:

| feature | sets | largest p-value |
|---|---|---|
END
    awk -F '\t' '{ n[$3]++; if ($4 + 0 > p[$3]) p[$3] = $4 + 0 }
        END { for (name in n) printf "| %s | %d | %.2g |\n", name == "-" ? "none" : name, n[name], p[name] }' sites.tsv |
        sort -t '|' -k 3nr
    cat <<'END'

## What the features are worth

Strings with a planted motif, as above; r is an LSTM trained on them. P has the motif as its feature, or the features that
were found. Losses on 2000 new strings, in nats per string, as means over runs:

| strings | share | runs | r | P, motif given | P, features found | largest difference |
|---|---|---|---|---|---|---|
END
    awk -F '\t' '{
        key = $1 "\t" ($2 == 1 ? "all" : "half")
        runs[key]++
        r[key] += $7
        given[key] += $8
        found[key] += $9
        off = $9 - $8
        if (off < 0) off = -off
        if (off > worst[key]) worst[key] = off
    } END {
        for (key in runs) {
            split(key, cell, "\t")
            printf "| %s | %s | %d | %.2f | %.2f | %.2f | %.2f |\n", cell[1], cell[2], runs[key], r[key] / runs[key],
                given[key] / runs[key], found[key] / runs[key], worst[key]
        }
    }' gain.tsv | sort -t '|' -k 2n -k 3
    awk -F '\t' "$with_p"'{
        same += $4 == $5
        sum += $9 - $8
        split($6, p, " ")
        if (p[1] > greatest) greatest = p[1]
    } $4 != $5 {
        other = other "; where `" $4 "` is given, " with_p($5, $6) " are found, and P loses " $9 - $8
    } END {
        printf "\nIn %d of %d runs, the motif is all that is found%s. The mean difference is %.3f. ", same, NR, other, sum / NR
        printf "The\np-values of the motifs are at most %.2g. A search ends with a p-value above 0.05, so a feature like", greatest
        print "\nthis, which few strings have by chance, is expected in up to one of twenty searches."
    }' gain.tsv
} >README.md
