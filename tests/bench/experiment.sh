# SPDX-License-Identifier: MIT
# experiment.sh: the paper's illustration with the default recipe, by stage, to experiment.tsv:
# 5000 strings with a motif, r, lambda, 22,000 distilled strings, pi.  The graph is
# examples/2-two-stage.mk.  The paper took 24 minutes on one V100, for a CE of 0.469 and a motif
# frequency of 0.96.
#
# With this number of strings r is already good, so it is not smoothed, and pi is trained for one epoch at
# a low rate.  20 CPU seconds are 10 seconds on two cores.  RECIPE may contain options of r.

# shellcheck source=tests/bench/lib.sh
. "$(dirname "$0")/lib.sh"
unset MAKEFLAGS MAKELEVEL MFLAGS # one job at a time; the tools have threads
scratch

files() {
    cost used make -s -f "$top/examples/2-two-stage.mk" OUT=. SIZE=$((5000 / shrink)) VALID=$((1250 / shrink)) \
        DISTIL=$((20000 / shrink)) TEST=$((5000 / shrink)) MOTIF="$motif" FEATURES="-m $motif --ft 1001111" \
        TRAIN="-q ${RECIPE-}" SMOOTH= PI='--epochs 1 --lr 0.001' "$@" >>log
}

# stage NAME FILE...: makes the files; a line "NAME seconds CPU-seconds"
stage() {
    name=$1
    shift
    say "$name"
    files "$@" || { say "FAILED: $name" && return 1; }
    columns "$name" "$(cut -f 1-2 used)"
}

# Stages on stdin, the table of figures in `table`; the total has a required value.
judge() {
    awk -F '\t' -v OFS='\t' '
    function line(what, value, bar, met) { print what, value, bar, met }
    BEGIN { line("what", "value", "bar", "met") }
    FILENAME == "stages" {
        line("seconds: " $1, sprintf("%.1f", $2), "-", "-")
        total += $2
        cpu += $3
        next
    }
    { ce[$1] = $2; freq[$1] = $3 }
    END {
        line("seconds", sprintf("%.1f", total), "<=180", total <= 180 ? "yes" : "no")
        line("CPU seconds", sprintf("%.1f", cpu), "<=20", cpu <= 20 ? "yes" : "no")
        line("CE r", ce["r"], "-", "-")
        line("CE P", ce["g"], "-", "-")
        line("CE pi", ce["pi"], "<=0.4510", ce["pi"] <= 0.4510 ? "yes" : "no")
        line("motif frequency r", freq["r"], "-", "-")
        line("motif frequency pi", freq["pi"], ">=0.95", freq["pi"] >= 0.95 ? "yes" : "no")
    }' stages table
}

{
    stage data D V T exact &&
        stage r r.lstm &&
        stage lambda g.gam &&
        stage distil D2 V2 &&
        stage pi pi.lstm &&
        stage evaluate table
} >stages && judge >"$out/experiment.tsv.tmp" && mv "$out/experiment.tsv.tmp" "$out/experiment.tsv" &&
    cat "$out/experiment.tsv"
