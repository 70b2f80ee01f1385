#!/bin/sh
# SPDX-License-Identifier: MIT
# base.sh: compares bases of a GAM on known sources, by the exact cross-entropy of P.
#
#   examples/base.sh [SOURCE...]
#
# Strings have LENGTH bits and contain a motif; the features are --ft 1001111 of it, and the
# length.  The bits are
#
#   fair   fair coins
#   mk2    a Markov chain of order 2 (mk1, mk4: of order 1, 4), which depends on the seed
#   hid    fair coins, with a second motif that no feature knows
#
# For each source, size N, motif and seed there are N training and N/4 validation strings.  Models:
#
#   r      an LSTM trained on D, stopped on V
#   plain  gam-fit --base r.lstm, the features alone; PLAIN adds options
#   smooth gam-fit --base r.lstm --valid V, the base smoothed with n-grams
#   pi     lstm-train --recipe distil --init r.lstm on DISTIL samples of smooth
#   ngram  gam-fit --base ngram on D and V: no network
#
# Prints CE / entropy, mean over motifs and seeds, with the worst run, and the share of SAMPLE
# samples that contain the motif, with the smallest.  CE is exact where P is an automaton; else it
# is measured on TEST strings that nothing else has seen, against the source's own loss on the same
# strings.  MODELS selects the models, ROWS=FILE keeps a row for each run.

set -eu
LC_ALL=C
export LC_ALL
sizes=${SIZES:-20 50 100}
seeds=${SEEDS:-1 2}
motifs=${MOTIFS:-10001011111000 01011101101 1011100111001}
models=${MODELS:-r plain smooth pi ngram}
length=${LENGTH:-30}
test=${TEST:-2000}
distil=${DISTIL:-20000}
sample=${SAMPLE:-20000}
hidden=1101001
work=$(mktemp -d "${TMPDIR:-/tmp}/gamut-base.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
rows=${ROWS:-$work/rows}

# chain ORDER SEED: AT&T text of a Markov chain over bits that ends anywhere; a state is 1 and the
# last bits, as a binary number
chain() {
    awk -v order="$1" -v seed="$2" 'function random() { return r = r * 16807 % 2147483647 }
    BEGIN {
        r = 100 + seed
        for (i = 0; i < 10; i++)
            random()
        for (s = 1; s < 2 ^ (order + 1); s++) {
            one = 0.15 + 0.7 * random() / 2147483647
            for (b = 0; b < 2; b++) {
                to = s * 2 + b
                if (to >= 2 ^ (order + 1))
                    to = to % 2 ^ order + 2 ^ order
                printf "%d %d %d %.12g\n", s - 1, to - 1, b + 1, -log((b ? one : 1 - one) * 0.9)
            }
            printf "%d %.12g\n", s - 1, -log(0.1)
        }
    }'
}

# source KIND MOTIF SEED: the automaton of the source
source_of() {
    case $1 in
    fair) pfsa-gen -b -l "$length" -m "$2" ;;
    hid) pfsa-gen -b -l "$length" -m "$2" -m $hidden ;;
    *) # the chain, of which the features below leave strings of one length with the motif
        chain "${1#mk}" "$3" | model-convert --from att -o "$work/chain.pfsa"
        gam-fit -q --base "$work/chain.pfsa" --max-length "$length" --feature "motif:$2" \
            --feature "length:$length" --lambda "motif:$2=-inf" --lambda "length:$length=-inf" \
            "$work/any" | model-convert --to pfsa
        ;;
    esac
}

# measured MODEL: its loss on T, relative to the source's, times the entropy
measured() {
    lm-eval -q "$1" "$work/T" | awk -v h="$entropy" -v own="$own" '$1 == "ce" { print h + $2 - own }'
}

# exact GAM: the CE of P under the source
exact() {
    model-convert --to pfsa "$1" -o "$work/pi.pfsa"
    pfsa-entropy "$work/source.pfsa" --relative-to "$work/pi.pfsa" |
        awk -v n=$((length + 1)) '$1 == "cross_entropy" { print $2 / n }'
}

# build MODEL: fits or trains it as $work/MODEL
# shellcheck disable=SC2086 # lists of options
build() {
    features="-m $motif --ft 1001111 --feature length:$length"
    case $1 in
    r) lstm-train -q -s "$seed" --valid "$work/V" "$work/D" ;;
    plain) gam-fit -q --base "$work/r" $PLAIN $features "$work/D" ;;
    smooth) gam-fit -q --base "$work/r" --valid "$work/V" $features "$work/D" ;;
    pi) gam-sample -n "$distil" "$work/smooth" | lstm-train -q -s "$seed" --recipe distil --init "$work/r" ;;
    ngram) cat "$work/D" "$work/V" | gam-fit -q --base ngram $features ;;
    esac >"$work/$1"
}
PLAIN=${PLAIN-}

# run KIND SIZE MOTIF SEED: one row per model
run() {
    motif=$3
    seed=$4
    source_of "$1" "$3" "$4" >"$work/source.pfsa"
    entropy=$(pfsa-entropy "$work/source.pfsa" | awk '$1 == "entropy_per_char" { print $2 }')
    pfsa-gen -s "$4" -n "$2" "$work/source.pfsa" -o "$work/D"
    pfsa-gen -s $((1000 + $4)) -n $(($2 / 4)) "$work/source.pfsa" -o "$work/V"
    pfsa-gen -s $((2000 + $4)) -n "$test" "$work/source.pfsa" -o "$work/T"
    own=$(lm-eval "$work/source.pfsa" "$work/T" | awk '$1 == "ce" { print $2 }')
    for model in $models; do
        build "$model"
        case $model in
        ngram) ce=$(exact "$work/$model") ;;
        *) ce=$(measured "$work/$model") ;;
        esac
        share=$(gam-sample -s 3000 -n "$sample" "$work/$model" | motif-freq -m "$motif" | awk 'NR == 2 { print $4 }')
        echo "$1 $2 $3 $4 $model $ce $entropy $share" | awk -v OFS='\t' '{ print $1, $2, $3, $4, $5, $6 / $7, $8 }'
    done
}

awk -v n="$length" 'BEGIN { for (i = 0; i < n; i++) printf "0"; print "" }' >"$work/any"
[ $# -gt 0 ] || set -- fair mk2
for kind in "$@"; do
    for size in $sizes; do
        for motif in $motifs; do
            for seed in $seeds; do
                run "$kind" "$size" "$motif" "$seed"
            done
        done
    done
done >"$rows"
awk -F '\t' 'BEGIN { print "source\tstrings\tmodel\tce/entropy\tworst\tmotif\tleast\truns" }
    { key = $1 "\t" $2 "\t" $5; sum[key] += $6; share[key] += $7
      if (count[key]++ == 0) { name[++n] = key; worst[key] = $6; least[key] = $7 }
      if ($6 > worst[key]) worst[key] = $6
      if ($7 < least[key]) least[key] = $7 }
    END { for (i = 1; i <= n; i++) { key = name[i]
        printf "%s\t%.4f\t%.4f\t%.4f\t%.4f\t%d\n", key, sum[key] / count[key], worst[key], share[key] / count[key],
            least[key], count[key] } }' "$rows"
