# SPDX-License-Identifier: MIT
# growth.sh: how time and memory grow with the size of a job, to growth.tsv and growth.svg.
#
#   SIZES       strings to generate, to score, to sample; with two threads
#   SIZES_ONE   the same with one thread
#   DATA        strings to train on, for one epoch
#   MOTIFS      lengths of the motif that distilled strings must contain: acceptance rates
#
# The LSTM has the default recipe, 64 units, and little training: its speed is that of a trained
# one.  SHRINK only affects its training.

# shellcheck source=tests/bench/lib.sh
. "$(dirname "$0")/lib.sh"
: "${SIZES:=1000 10000 100000 1000000 10000000}" "${SIZES_ONE:=1000 10000 100000 1000000}"
: "${DATA:=100 1000 10000 100000}" "${DATA_PAPER:=500 2000 5000}" "${MOTIFS:=5 7 9 11 13 15}"
: "${DISTIL:=20000}"
bits=100010111110001
scratch

prepare() {
    pfsa-gen -l 30 --build -o noise.pfsa &&
        pfsa-gen -l 30 -m "$motif" --build -o truth.pfsa &&
        pfsa-gen -s 2 -n 100 truth.pfsa -o valid &&
        pfsa-gen -n 5000 truth.pfsa | lstm-train -q --steps $((2000 / shrink + 10)) -o truth.lstm &&
        pfsa-gen -n 5000 noise.pfsa | lstm-train -q --steps $((2000 / shrink + 10)) -o noise.lstm
}

# point WHAT THREADS SIZE WORK COMMAND...: a line of the table; the rate is WORK per second
point() {
    what=$1 threads=$2 size=$3 amount=$4
    shift 4
    cost used "$@" -q -j "$threads" >/dev/null || { say "FAILED: $*" && return 1; }
    awk -v what="$what" -v threads="$threads" -v size="$size" -v amount="$amount" '
        { printf "%s\t%s\t%s\t%.3f\t%.3f\t%.1f\t%.4g\n", what, threads, size, $1, $2, $3, amount / $1 }' used
}

# strings THREADS SIZE: generates, scores and samples SIZE strings
strings() {
    point pfsa-gen "$1" "$2" "$2" pfsa-gen -n "$2" truth.pfsa || return 1
    for kind in pfsa lstm; do
        pfsa-gen -n "$2" truth.pfsa | point lm-eval:$kind "$1" "$2" "$2" lm-eval truth.$kind - &&
            point gam-sample:$kind "$1" "$2" "$2" gam-sample -n "$2" truth.$kind || return 1
    done
}

# train THREADS SIZE RECIPE: one epoch
train() {
    pfsa-gen -n "$2" truth.pfsa |
        point "lstm-train:$3" "$1" "$2" "$2" lstm-train --recipe "$3" --epochs 1 --valid valid
}

# distil THREADS LENGTH: strings of a GAM that must contain the first LENGTH bits
distil() {
    part=$(printf '%.*s' "$2" $bits)
    for kind in pfsa lstm; do
        pfsa-gen -l 30 -m "$part" -n 200 | gam-fit -q --base noise.$kind --feature "motif:$part" \
            --lambda "motif:$part=-10" -o gam &&
            point distil:$kind "$1" ACCEPTANCE "$DISTIL" \
                gam-sample -n "$DISTIL" --method exact --stats stats gam >row || return 1
        sed "s/ACCEPTANCE/$(value acceptance_rate stats)/" row
    done
}

# each COMMAND THREADS "VALUE..." [ARGUMENT]: the command for each value
each() {
    for v in $3; do
        say "$1 ${4-}, threads: $2, size: $v"
        "$1" "$2" "$v" ${4+"$4"} || exit 1
    done
}

table=$out/growth.tsv
{
    columns what threads size seconds cpu_seconds megabytes rate
    prepare || exit 1
    each strings 2 "$SIZES"
    each strings 1 "$SIZES_ONE"
    for threads in 2 1; do
        each train $threads "$DATA" default
        each train $threads "$DATA_PAPER" paper
        each distil $threads "$MOTIFS"
    done
} >"$table.tmp" || exit 1
mv "$table.tmp" "$table"
plot growth
