#!/bin/sh
# SPDX-License-Identifier: MIT
# ngrams.sh: compares orders and smoothing of pfsa-train on English words.
#
#   examples/ngrams.sh [DICTIONARY]
#
# Takes the words of 4 to 10 lower-case letters of a dictionary (/usr/share/dict/words, of the
# package wamerican), in an order that depends on the seed: the first ones for training, the
# last 3000 for testing.  Prints the cross-entropy on the test words, in nats per character, by
# order and smoothing, mean over seeds; `auto` is what pfsa-train chooses by leave-one-out.

set -eu
LC_ALL=C
export LC_ALL
dictionary=${1:-/usr/share/dict/words}
sizes=${SIZES:-200 500 1000}
seeds=${SEEDS:-1 2 3}
letters=abcdefghijklmnopqrstuvwxyz
work=$(mktemp -d "${TMPDIR:-/tmp}/gamut-ngrams.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

# shuffled SEED: the words in random order, by a generator that every awk computes exactly
shuffled() {
    awk -v seed="$1" 'BEGIN { for (i = -9; i < seed; i++) r = (r * 16807 + seed) % 2147483647 }
        /^[a-z]+$/ && length >= 4 && length <= 10 {
            r = r * 16807 % 2147483647
            print r "\t" $0
        }' "$dictionary" | sort -n | cut -f 2
}

# evaluate NAME OPTION...: one row: size, name, CE
evaluate() {
    name=$1
    shift
    pfsa-train -a $letters "$@" "$work/D" | lm-eval - "$work/T" |
        awk -v size="$size" -v name="$name" '$1 == "ce" { print size "\t" name "\t" $2 }'
}

for seed in $seeds; do
    shuffled "$seed" >"$work/words"
    tail -n 3000 "$work/words" >"$work/T"
    for size in $sizes; do
        head -n "$size" "$work/words" >"$work/D"
        evaluate auto
        for order in 0 1 2 3 4; do
            evaluate "kn-$order" --smoothing kn --order $order
            evaluate "wb-$order" --smoothing wb --order $order
        done
    done
done >"$work/rows"
awk -F '\t' 'BEGIN { print "words\tmodel\tce" }
    { key = $1 "\t" $2; sum[key] += $3; if (count[key]++ == 0) name[++n] = key }
    END { for (i = 1; i <= n; i++) printf "%s\t%.4f\n", name[i], sum[name[i]] / count[name[i]] }' "$work/rows"
