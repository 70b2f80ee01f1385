# SPDX-License-Identifier: MIT
# mix-by-folds.sh TRAIN MODEL DIR: a mixture of a position weight matrix, an n-gram model and an
# LSTM, for strings of one length over the alphabet $A.
#
# A fifth of few strings is too little to find weights on.  So each of FOLDS parts of TRAIN is held
# back once, and the weights found on it, for models trained on the others, are averaged.  The
# models of the mixture are then trained on all of TRAIN; the LSTM for as many updates as were best
# in the median of the folds, in proportion to the strings.

set -eu
train=$1
model=$2
dir=$3
: "${A:=acgt}" "${FOLDS:=5}" "${LSTM:=--lr 0.001}" # options of lstm-train: few strings need a low rate

# models DIR TRAIN OPTION...: trains them; the options are those of the LSTM
models() {
    to=$1
    strings=$2
    shift 2
    pfsa-train -a "$A" --positional --order 0 "$strings" -o "$to/pwm.pfsa"
    pfsa-train -a "$A" "$strings" -o "$to/ngram.pfsa"
    # shellcheck disable=SC2086 # several options
    lstm-train -q -a "$A" $LSTM "$@" "$strings" -o "$to/r.lstm"
}

: >"$dir/weights"
: >"$dir/updates"
for i in $(seq "$FOLDS"); do
    fold=$dir/$i
    mkdir -p "$fold"
    awk -v n="$FOLDS" -v i="$i" -v to="$fold" '{ print >(to (NR % n == i % n ? "/V" : "/D")) }' "$train"
    models "$fold" "$fold/D" --valid "$fold/V"
    lm-mix --valid "$fold/V" --report "$fold/report" "$fold/pwm.pfsa" "$fold/ngram.pfsa" "$fold/r.lstm" -o "$fold/mix"
    awk -F '\t' 'NF == 4 && $1 != "model" { printf "%s ", $3 } END { print "" }' "$fold/report" >>"$dir/weights"
    model-info "$fold/r.lstm" | awk '$1 == "updates" { print $2 }' >>"$dir/updates"
done
updates=$(sort -n "$dir/updates" | awk -v n="$FOLDS" '{ u[NR] = $1 } END { print int(u[int((NR + 1) / 2)] * n / (n - 1)) }')
models "$dir" "$train" --steps "$updates"
lm-mix --weights "$(awk '{ for (k = 1; k <= NF; k++) w[k] += ($k > 1e-6 ? $k : 1e-6); n = NF }
    END { for (k = 1; k <= n; k++) { x = k < n ? sprintf("%.9f", w[k] / NR) : sprintf("%.9f", 1 - sum)
        sum += x; printf "%s%s", x, k < n ? "," : "" } }' "$dir/weights")" \
    "$dir/pwm.pfsa" "$dir/ngram.pfsa" "$dir/r.lstm" -o "$model"
