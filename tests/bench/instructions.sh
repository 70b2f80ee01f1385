# SPDX-License-Identifier: MIT
# instructions.sh: instructions per token trained on, per string drawn or scored, with one
# thread, to instructions.tsv.  Jobs are small: valgrind computes fused multiply-adds in
# software, at some millions per second.
#
# For training, startup and writing the model are subtracted, as the count of a shorter run; the
# other figures are of complete runs.

# shellcheck source=tests/bench/lib.sh
. "$(dirname "$0")/lib.sh"
if ! command -v valgrind >/dev/null; then
    say "SKIPPED instructions: no valgrind ('make bench-deps' installs it)"
    exit 0
fi
# shellcheck source=tests/bench/count.sh
. "$here/count.sh"
scratch

prepare() {
    pfsa-gen -l 30 -m "$motif" --build -o truth.pfsa &&
        pfsa-gen -l 30 --build -o noise.pfsa &&
        pfsa-gen -n 20000 truth.pfsa -o data &&
        head -n 500 data >few &&
        lstm-train -q --steps 500 -o r.lstm data &&
        gam-fit -q --base noise.pfsa --feature "motif:$motif" --lambda "motif:$motif=-10" -o g.gam few
}

# row UNIT ITEMS INSTRUCTIONS COMMAND...: a line of the table
row() {
    unit=$1 items=$2 instructions=$3
    shift 3
    columns "$*" "$unit" "$items" "$instructions" "$(calc "int($instructions / $items + 0.5)")"
}

# whole UNIT ITEMS TOOL ARGUMENT...: instructions of the run per item
whole() {
    unit=$1 items=$2 tool=$3
    shift 3
    say "$tool $*"
    all=$(count "$tool" -q -j 1 "$@") && row "$unit" "$items" "$all" "$tool" "$@"
}

# steps FEW MANY BATCH OPTION...: instructions per token of the updates after the first few
steps() {
    a=$1 b=$2 batch=$3
    shift 3
    say "lstm-train $*"
    part=$(count lstm-train -q -j 1 "$@" --steps "$a" few) &&
        all=$(count lstm-train -q -j 1 "$@" --steps "$b" few) &&
        row token $(((b - a) * batch * 31)) $((all - part)) lstm-train "$@" --steps "$b" few
}

n=$((1000 / shrink))
many=$((20000 / shrink))
prepare && {
    columns command item items instructions per_item
    steps 1 $((1 + 20 / shrink)) 5 --batch 5 &&
        steps 1 2 5 --recipe paper --batch 5 &&
        whole string $many pfsa-gen -n $many truth.pfsa &&
        whole string $((5 * n)) gam-sample -n $((5 * n)) noise.pfsa &&
        whole string $n gam-sample -n $n r.lstm &&
        whole string $n gam-sample -n $n g.gam &&
        whole string 20000 lm-eval truth.pfsa data &&
        whole string 500 lm-eval r.lstm few &&
        whole string 20000 motif-freq -m "$motif" data
} >"$out/instructions.tsv.tmp" && mv "$out/instructions.tsv.tmp" "$out/instructions.tsv" &&
    cat "$out/instructions.tsv"
