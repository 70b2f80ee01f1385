# SPDX-License-Identifier: MIT
# memory.sh: the peak memory of each tool for a job of moderate size, to memory.tsv.  growth.tsv
# shows how it grows with the job.

# shellcheck source=tests/bench/lib.sh
. "$(dirname "$0")/lib.sh"
scratch

prepare() {
    pfsa-gen -l 30 -m "$motif" --build -o truth.pfsa &&
        pfsa-gen -n $((1000000 / shrink)) truth.pfsa -o strings &&
        head -n 5000 strings >few &&
        pfsa-gen -l 30 --build -o noise.pfsa &&
        lstm-train -q --steps 200 -o small.lstm few &&
        lstm-train -q --recipe paper --steps 1 -o large.lstm few &&
        gam-fit -q --base noise.pfsa --feature "motif:$motif" -o g.gam few
}

# job TOOL ARGUMENT...: a line "command megabytes seconds"
job() {
    say "$*"
    command=$*
    tool=$1
    shift
    cost used "$tool" -q "$@" >result || { say "FAILED: $command" && return 1; }
    awk -v OFS='\t' -v command="$command" '{ printf "%s\t%.1f\t%.2f\n", command, $3, $1 }' used
}

n=$((1000000 / shrink))
m=$((20000 / shrink))
prepare && {
    columns command megabytes seconds
    job pfsa-gen -n $n truth.pfsa &&
        job pfsa-entropy truth.pfsa &&
        job motif-freq -m "$motif" strings &&
        job lstm-train --epochs 1 few &&
        job lstm-train --recipe paper --steps 2 few &&
        job gam-fit --base small.lstm -m "$motif" --ft 1001111 --accepted 2000 few &&
        job gam-sample -n $n noise.pfsa &&
        job gam-sample -n $m small.lstm &&
        job gam-sample -n $m large.lstm &&
        job gam-sample -n $m g.gam &&
        job lm-eval truth.pfsa strings &&
        job lm-eval small.lstm few &&
        job lm-eval large.lstm few &&
        job lm-eval g.gam few &&
        job model-info large.lstm &&
        job model-convert --to safetensors large.lstm
} >"$out/memory.tsv.tmp" && mv "$out/memory.tsv.tmp" "$out/memory.tsv" && cat "$out/memory.tsv"
