#!/bin/sh
# SPDX-License-Identifier: MIT
# recipes.sh: compares training settings; the default settings of lstm-train were chosen with it.
#
# Trains on strings of 30 fair bits that contain 10001011111000, with a quarter as many for
# validation, and prints the cross-entropy on 5000 test strings divided by the entropy (mean and
# worst over seeds) and the CPU seconds.  Each seed has its own strings and initial parameters.
#
#   examples/recipes.sh
#   SIZES='1000 5000 20000' SEEDS='1 2 3' RECIPES='default average0 start' examples/recipes.sh
#   SIZES='1000 5000' SEEDS='1 2 3' RECIPES='batch10 lr.002 dropout.2 hidden128 layers2' \
#       examples/recipes.sh
#
# examples/recipes.tsv has the results of all these commands, with the tools of commit 737789a.  They
# let an LSTM generate strings of any length.  Later tools make the end of string certain where all
# strings have one length, as they have here, so CE/H is lower for all recipes: 1.12 instead of
# 1.15 for 50 strings of the default recipe (examples/base.tsv).  What the results show:
#
# - Small batches matter most, in particular with few strings.  `start`, implemented in PyTorch,
#   had 1.48, 1.35, 1.07 to 1.25 and 1.014 to 1.024 at 50, 100, 200 and 500 strings, and took 44
#   to 55 seconds for 500.
# - Averaging the parameters costs nothing and helps at every size (`average0` is without it),
#   because small batches make the parameters noisy.
# - With averaging, a dropout of 0.3 is better than 0.2.  0.4 is better at 50 and 200 strings and
#   worse at 100 and 500.  A learning rate of 0.008 is better at 50 and worse at 100 and 200.
# - With many strings, an epoch has so many updates that few epochs show whether the loss still
#   improves.  So the patience is limited to 10,000 updates; with few strings it is at least 600.
# - A second layer is better at every size, by 0.01 of the entropy at 50 strings and 0.001 at 5000,
#   and takes 2.5 to 4 times as long.

set -eu
LC_ALL=C
export LC_ALL
sizes=${SIZES:-50 100 200 500}
seeds=${SEEDS:-1 2 3 4 5}
recipes=${RECIPES:-default start average0 average.99 average.9995 batch3 batch10 lr.002 lr.008 \
    dropout.2 dropout.4 hidden32 hidden128 layers2 clip.25 clip0}
motif=10001011111000
examples=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/gamut-recipes.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

# options RECIPE: the options that differ from the default; `start` is where the search began
options() {
    case $1 in
    default) ;;
    start) echo --batch 25 --lr 0.002 --dropout 0.2 --average 0 --patience 20 ;;
    average*) echo --average "0${1#average}" ;;
    batch*) echo --batch "${1#batch}" ;;
    lr*) echo --lr "0${1#lr}" ;;
    dropout*) echo --dropout "0${1#dropout}" ;;
    hidden*) echo --hidden "${1#hidden}" ;;
    layers*) echo --layers "${1#layers}" ;;
    clip*) echo --clip "0${1#clip}" ;;
    patience*) echo --patience "${1#patience}" ;;
    paper) echo --recipe paper ;;
    *) echo "recipes.sh: unknown recipe '$1'" >&2 && exit 2 ;;
    esac
}

# train RECIPE SIZE SEED: prints "CE/H CPU-seconds epochs"
train() {
    pfsa-gen -l 30 -m $motif -s "$3" -n "$2" -o "$work/D"
    pfsa-gen -l 30 -m $motif -s "$((1000 + $3))" -n "$(($2 / 4))" -o "$work/V"
    # shellcheck disable=SC2046 # a list
    sh "$examples/timed.sh" "$work/seconds" lstm-train -q -j 1 -s "$3" $(options "$1") \
        --valid "$work/V" --log "$work/log" -o "$work/m" "$work/D"
    ce=$(lm-eval "$work/m" "$work/T" | awk '$1 == "ce" { print $2 }')
    seconds=$(cut -f 2 "$work/seconds")
    awk -v ce="$ce" -v h="$entropy" -v seconds="$seconds" 'END { print ce / h, seconds, $1 }' "$work/log"
}

entropy=$(pfsa-entropy -l 30 -m $motif | awk '$1 == "entropy_per_char" { print $2 }')
pfsa-gen -l 30 -m $motif -s 9999 -n 5000 -o "$work/T"
printf 'recipe\tstrings\tseeds\tce_over_h\tworst\tseconds\tepochs\n'
for recipe in $recipes; do
    for size in $sizes; do
        for seed in $seeds; do
            train "$recipe" "$size" "$seed"
        done | awk -v recipe="$recipe" -v size="$size" '
            { ratio += $1; seconds += $2; epochs += $3 }
            NR == 1 || $1 > worst { worst = $1 }
            END {
                printf "%s\t%s\t%d\t%.4f\t%.4f\t%.2f\t%.0f\n", recipe, size, NR,
                    ratio / NR, worst, seconds / NR, epochs / NR
            }'
    done
done
