# SPDX-License-Identifier: MIT
# quality.sh: training time until a model reaches the cross-entropy GOAL on 5000 test strings,
# from 5000 training strings with a motif; the entropy of the source is 0.4491.  Compares the
# default recipe of lstm-train with the paper's recipe in PyTorch.  Writes quality.tsv, and
# the CE after each epoch to quality-course.tsv and quality.svg.
#
# PyTorch trains until it reaches GOAL, which takes about 80 epochs, or for LIMIT seconds
# [1800].  Its evaluation is not counted, ours is.

# shellcheck source=tests/bench/lib.sh
. "$(dirname "$0")/lib.sh"
: "${GOAL:=0.46}" "${SIZE:=5000}" "${RECIPE:=}" "${BAR:=10}"
scratch

# reached FILE: seconds at which a run reached GOAL, empty if it did not
reached() {
    awk -v goal="$GOAL" '$3 <= goal { printf "%.2f\n", $2; exit }' "$1"
}

# course NAME FILE: the rows of a run in quality-course.tsv
course() {
    awk -v OFS='\t' -v name="$1" '{ print name, $1, $2, $3 }' "$2"
}

# ratio SIGN SECONDS: the peer's seconds divided by ours, and the required ratio
ratio() {
    times=$(calc "sprintf(\"%.1f\", $2 / $ours)")
    columns ratio "$1$times" ">=$BAR" "$(calc "($times >= $BAR) ? \"yes\" : \"no\"")"
}

# The result.  If PyTorch did not reach GOAL, its time is a lower bound.
compare() {
    columns what value bar met
    columns 'seconds, lstm-train' "${ours:-not reached}" - -
    if [ ! -s peer ]; then
        columns 'seconds, PyTorch' 'not measured' - -
    elif [ -n "$theirs" ]; then
        columns 'seconds, PyTorch' "$theirs" - -
        ratio '' "$theirs"
    else
        spent=$(awk 'END { print $2 }' peer)
        columns 'seconds, PyTorch' "not reached after $spent" - -
        ratio '> ' "$spent"
    fi
}

pfsa-gen -l 30 -m "$motif" -n "$SIZE" -o data &&
    pfsa-gen -l 30 -m "$motif" -s 2 -n "$SIZE" -o test || exit 1
say "lstm-train, to a CE of $GOAL"
# The test set is given as the validation set, so that its CE is in the log.
# shellcheck disable=SC2086 # options
lstm-train -q $RECIPE --valid test --log log data >/dev/null || exit 1
awk -v OFS='\t' 'NR > 1 { print $1, $6, $4 }' log >ours
ours=$(reached ours)
: >peer
if [ -z "$ours" ]; then
    say "lstm-train has not reached $GOAL"
elif torch; then
    say "PyTorch, to a CE of $GOAL or for ${LIMIT:=1800} seconds"
    $python "$here/lstm_train.py" data 0 test "$GOAL" "$LIMIT" >peer || exit 1
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
