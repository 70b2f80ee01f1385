#!/bin/sh
# SPDX-License-Identifier: MIT
# automata.sh: random deterministic automata, learned from 20,000 strings.
#
#   examples/automata.sh [STATES...]
#
# An automaton has STATES states (20, 40 and 60 by default) and STATES/5 symbols.  Each state has
# half of the symbols, with random probabilities and random next states, and ends with a
# probability of 0.02 to 0.15.  Models, trained on N strings, a fifth of them for validation:
#
#   ngram   pfsa-train
#   merged  pfsa-train --merge
#   old     the LSTM of the training set alone: the settings of the default recipe, stated
#   r       the LSTM of the default recipe, trained on samples of an automaton if that is better
#   tune    lstm-train --tune
#   mix     lm-mix of r, ngram and merged, weights found on the validation set
#
# Prints KL, the divergence from the source on TEST new strings, in nats per character, and its
# standard error; KL relative to `old`; and KL relative to the entropy.

set -eu
LC_ALL=C
export LC_ALL
: "${N:=20000}" "${TEST:=20000}" "${SEED:=1}" "${MODELS:=ngram merged old r mix tune}" "${TRAIN:=}"
work=$(mktemp -d "${TMPDIR:-/tmp}/gamut-automata.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

# automaton STATES SYMBOLS: AT&T text
automaton() {
    awk -v states="$1" -v symbols="$2" -v seed="$SEED" '
    function random() { return (r = r * 16807 % 2147483647) / 2147483647 }
    BEGIN {
        r = 1000 + seed
        for (i = 0; i < 10; i++)
            random()
        for (s = 0; s < states; s++) {
            end = 0.02 + 0.13 * random()
            for (a = 1; a <= symbols; a++)
                order[a] = a
            for (a = sum = 0; a++ < symbols / 2; sum += weight[a] = -log(random())) {
                other = a + int(random() * (symbols - a + 1))
                kept = order[other]; order[other] = order[a]; order[a] = kept
            }
            for (a = 1; a <= symbols / 2; a++)
                printf "%d %d %d %.12g\n", s, int(random() * states), order[a], -log((1 - end) * weight[a] / sum)
            printf "%d %.12g\n", s, -log(end)
        }
    }'
}

# build MODEL: trains it as $work/MODEL
# shellcheck disable=SC2086 # a list of options
build() {
    train="lstm-train -q -a $letters --valid $work/V $TRAIN"
    case $1 in
    old) $train --lr 0.004 "$work/D" ;;
    r) $train "$work/D" ;;
    tune) $train --tune "$work/D" ;;
    mix) lm-mix --valid "$work/V" "$work/r" "$work/ngram" "$work/merged" ;;
    ngram) pfsa-train -a $letters "$work/D" ;;
    merged) pfsa-train -a $letters --merge "$work/D" ;;
    esac >"$work/$1"
}

[ $# -gt 0 ] || set -- 20 40 60
printf 'states\tmodel\tkl\tkl_se\tkl_over_old\tkl_over_entropy\n'
for states in "$@"; do
    letters=$(echo abcdefghijklmnopqrstuvwxyz | cut -c "1-$((states / 5))")
    automaton "$states" $((states / 5)) | model-convert --from att -a "$letters" -o "$work/source"
    pfsa-gen -s "$SEED" -n $((N * 4 / 5)) "$work/source" -o "$work/D"
    pfsa-gen -s $((1000 + SEED)) -n $((N / 5)) "$work/source" -o "$work/V"
    pfsa-gen -s $((2000 + SEED)) -n "$TEST" "$work/source" -o "$work/T"
    entropy=$(pfsa-entropy "$work/source" | awk '$1 == "entropy_per_char" { print $2 }')
    for model in $MODELS; do
        build "$model"
        (cd "$work" && lm-compare --reference source source "$model" T) | awk -F '\t' -v OFS='\t' \
            -v model="$model" -v states="$states" '$1 == model { print states, model, $4, $5 }'
    done | awk -F '\t' -v h="$entropy" '{ kl[NR] = $3; line[NR] = $0; if ($2 == "old") old = $3 }
        END { for (i = 1; i <= NR; i++) printf "%s\t%.3f\t%.4f\n", line[i], kl[i] / old, kl[i] / h }'
done
