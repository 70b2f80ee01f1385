# SPDX-License-Identifier: MIT
# quality.sh: CPU time of one core until a model reaches the cross-entropy GOAL on 5000 test
# strings, from 5000 training strings with a motif; the entropy of the source is 0.4491.
# Compares the default recipe of lstm-train with the paper's recipe in PyTorch.  Writes
# quality.tsv, and the CE after each epoch to quality-course.tsv and quality.svg.
#
# lstm-train runs once for each number of epochs up to EPOCHS [12]; start and evaluation count.
# PyTorch trains until it reaches GOAL, which takes about 80 epochs, or for LIMIT seconds
# [1800]; its evaluation is not counted.

# shellcheck source=tests/bench/lib.sh
. "$(dirname "$0")/lib.sh"
: "${GOAL:=0.46}" "${SIZE:=5000}" "${RECIPE:=}" "${BAR:=10}" "${EPOCHS:=12}"
scratch

# reached FILE: seconds at which a run reached GOAL, empty if it did not
reached() {
    awk -v goal="$GOAL" '$3 <= goal { printf "%.2f\n", $2; exit }' "$1"
}

# course NAME FILE: the rows of a run in quality-course.tsv
course() {
    awk -v OFS='\t' -v name="$1" '{ print name, $1, $2, $3 }' "$2"
}

# train_ours: a row "epoch seconds CE" for each number of epochs.  The test set is given as the
# validation set, so that its CE is in the log.
# shellcheck disable=SC2086 # options
train_ours() {
    epoch=1
    while [ $epoch -le "$EPOCHS" ]; do
        cost used lstm-train -q -j 1 $RECIPE --epochs $epoch --valid test --log log data \
            >/dev/null || return 1
        awk -v OFS='\t' -v seconds="$(cut -f 2 used)" 'END { print $1, seconds, $4 }' log
        epoch=$((epoch + 1))
    done
}

# ratio SIGN SECONDS: the peer's seconds divided by ours, and the required ratio
ratio() {
    times=$(calc "sprintf(\"%.1f\", $2 / $ours)")
    columns ratio "$1$times" ">=$BAR" "$(calc "($times >= $BAR) ? \"yes\" : \"no\"")"
}

# The result.  If PyTorch did not reach GOAL, its time is a lower bound.
compare() {
    columns what value bar met
    columns 'CPU seconds, lstm-train' "${ours:-not reached}" - -
    if [ ! -s peer ]; then
        columns 'CPU seconds, PyTorch' 'not measured' - -
    elif [ -n "$theirs" ]; then
        columns 'CPU seconds, PyTorch' "$theirs" - -
        ratio '' "$theirs"
    else
        spent=$(awk 'END { print $2 }' peer)
        columns 'CPU seconds, PyTorch' "not reached after $spent" - -
        ratio '> ' "$spent"
    fi
}

pfsa-gen -l 30 -m "$motif" -n "$SIZE" -o data &&
    pfsa-gen -l 30 -m "$motif" -s 2 -n "$SIZE" -o test || exit 1
say "lstm-train, to a CE of $GOAL"
train_ours >ours || exit 1
ours=$(reached ours)
: >peer
if [ -z "$ours" ]; then
    say "lstm-train has not reached $GOAL"
elif torch; then
    say "PyTorch, to a CE of $GOAL or for ${LIMIT:=1800} seconds"
    $python "$here/lstm_train.py" data 1 test "$GOAL" "$LIMIT" >peer || exit 1
else
    say "SKIPPED PyTorch: not installed ('make bench-deps' installs it)"
fi
theirs=$(reached peer)
compare | tee "$out/quality.tsv"
{
    columns what epoch seconds ce
    course lstm-train ours
    course PyTorch peer
} >"$out/quality-course.tsv"
plot quality quality-course
