#!/bin/sh
# SPDX-License-Identifier: MIT
# discovery.sh: does gam-features find what is there, and nothing else?
#
#   examples/discovery/discovery.sh DIRECTORY [planted] [words] [sites] [gain]
#
# Adds rows to DIRECTORY/NAME.tsv, one per run; rows that are there already are not run again.
# discovery-page.sh makes a page and a figure of them.
#
#   planted   strings of 30 fair bits, a share of which has a motif of 10, 12 or 14 bits
#   words     English words (/usr/share/dict/words, of the package wamerican)
#   sites     57 random bases with TATAAT, each of whose bases is mutated with probability 0.1
#   gain      a GAM over an LSTM, with the features found and with the motif that was planted
#
# levels.sh measures p-values where there is nothing to find.
#
# RUNS is the number of runs of a cell (30; 4 of gain), SIZES are the numbers of strings (20 50 100
# 500).

set -eu
LC_ALL=C
export LC_ALL
out=$1
shift
[ $# -gt 0 ] || set -- planted words sites gain
runs=${RUNS:-30}
sizes=${SIZES:-20 50 100 500}
letters=abcdefghijklmnopqrstuvwxyz
mkdir -p "$out"
work=$(mktemp -d "${TMPDIR:-/tmp}/gamut-discovery.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

# row FILE KEY...: whether the row with these first cells is there
row() {
    file=$out/$1.tsv
    shift
    [ -f "$file" ] && grep -q "^$(printf '%s\t' "$@")" "$file"
}

# add FILE CELL...: a row
add() {
    file=$out/$1.tsv
    shift
    cells=$(printf '%s\t' "$@")
    printf '%s\n' "${cells%?}" >>"$file"
}

# first COLUMN: of the first feature in `table`; - if there is none
first() {
    awk -F '\t' -v column="$1" 'NR == 2 { print $column } END { if (NR < 2) print "-" }' "$work/table"
}

# all COLUMN: of all features in `table`, separated by blanks
all() {
    sed 1d "$work/table" | cut -f "$1" | tr '\n' ' ' | sed 's/ $//'
}

# planted N SHARE RUN
planted() {
    bits=$((10 + $3 % 3 * 2))
    motif=$(pfsa-gen -l $bits -n 1 -s "$3")
    pfsa-gen -l 30 -m "$motif" --mix "$2" -n "$1" -s "$3" -o "$work/D"
    gam-features -q --max-features 1 -s "$3" "$work/D" >"$work/table"
    add planted "$1" "$2" "$3" "motif:$motif" "$(first 1)" "$(first 7)"
}

# words N RUN: the first five features
words() {
    awk -v seed="$2" 'BEGIN { for (i = -9; i < seed; i++) r = (r * 16807 + seed) % 2147483647 }
        /^[a-z]+$/ && length >= 4 && length <= 10 {
            r = r * 16807 % 2147483647
            print r "\t" $0
        }' /usr/share/dict/words | sort -n | cut -f 2 | head -n "$1" >"$work/D"
    gam-features -q --max-features 5 -s "$2" -a $letters "$work/D" >"$work/table"
    add words "$1" "$2" "$(all 1)" "$(all 7)"
}

# sites N RUN
sites() {
    awk -v n="$1" -v seed="$2" 'function random() {
            r = r * 16807 % 2147483647
            return r / 2147483647
        }
        BEGIN {
            for (r = seed * 7919; i < 20; i++) random()
            for (i = 0; i < n; i++) {
                at = int(random() * 52)
                s = ""
                for (t = 0; t < 57; t++) {
                    c = substr("ACGT", 1 + int(random() * 4), 1)
                    if (t >= at && t < at + 6 && random() >= 0.1)
                        c = substr("TATAAT", t - at + 1, 1)
                    s = s c
                }
                print s
            }
        }' >"$work/D"
    gam-features -q --max-features 1 -s "$2" -a ACGT "$work/D" >"$work/table"
    add sites "$1" "$2" "$(first 1)" "$(first 7)"
}

# loss MODEL: nats per string on T
loss() {
    lm-eval -q "$1" "$work/T" | awk -F '\t' '$1 == "log_likelihood" { sum = -$2 } $1 == "strings" { n = $2 }
        END { printf "%.4f", sum / n }'
}

# fit FILE FEATURES: the GAM with these features
fit() {
    gam-fit -q --base "$work/r" --features "$2" -o "$1" "$work/D"
}

# gain N SHARE RUN: losses of r, with the motif, with the features found
gain() {
    bits=$((10 + $3 % 3 * 2))
    motif=$(pfsa-gen -l $bits -n 1 -s "$3")
    pfsa-gen -l 30 -m "$motif" --mix "$2" -n "$1" -s "$3" -o "$work/D"
    pfsa-gen -l 30 -m "$motif" --mix "$2" -n 2000 -s $((1000 + $3)) -o "$work/T"
    lstm-train -q -o "$work/r" "$work/D"
    gam-features -q -s "$3" "$work/D" >"$work/table"
    echo "motif:$motif" >"$work/given"
    fit "$work/P-given" "$work/given"
    fit "$work/P-found" "$work/table"
    add gain "$1" "$2" "$3" "motif:$motif" "$(all 1)" "$(all 7)" "$(loss "$work/r")" "$(loss "$work/P-given")" \
        "$(loss "$work/P-found")"
}

for what; do
    run=0
    while [ $((run += 1)) -le "$runs" ]; do
        case $what in
        planted)
            for n in $sizes; do
                for share in 1 0.5 0.1; do
                    row planted "$n" $share $run || planted "$n" $share $run
                done
            done
            ;;
        words)
            for n in 200 500 1000; do
                [ $run -gt 3 ] || row words $n $run || words $n $run
            done
            ;;
        sites)
            [ $run -gt 24 ] || row sites 50 $run || sites 50 $run
            ;;
        gain)
            for n in $sizes; do
                for share in 1 0.5; do
                    [ $run -gt 4 ] || row gain "$n" $share $run || gain "$n" $share $run
                done
            done
            ;;
        *)
            echo "discovery.sh: unknown part '$what'" >&2
            exit 2
            ;;
        esac
    done
done
