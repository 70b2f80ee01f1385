# SPDX-License-Identifier: MIT
# shellcheck disable=SC2034,SC2154,SC2317 # rows.sh reads variables and calls functions
# core.sh: the body of the rows that compare one core with an LSTM over another library, in CPU
# seconds.  With `threads` 2, both use two threads, and seconds are those of the clock.  A row sets
# `program`, one of tests/bench/peer, and `job`:
#
#   train LAYERS HIDDEN BATCH DROPOUT UPDATES    complete updates
#   score                                        of a network of 2 x 200 units
#   sample                                       the same
#
# The programs read the parameters that model-convert writes; they must find our log-likelihood.

need=$program
: "${threads:=1}"
OMP_NUM_THREADS=$threads
export OMP_NUM_THREADS
cores='one core'
field=2
[ "$threads" -eq 1 ] || cores="$threads threads" field=1

# cpu COMMAND...: its seconds in `cost`; its output goes to the file `printed`
cpu() {
    command cost used "$@" >printed && cost=$(cut -f $field used)
}

train_row() {
    layers=$1 hidden=$2 batch=$3 dropout=$4 updates=$(($5 / shrink + 1))
    what="lstm-train, ${layers}x$hidden, batch $batch, $cores, peer ${program#lstm_} (tokens/s)"
    ours_work=$((31 * batch * updates))
    peer_work=$((31 * batch))
    prepare() {
        pfsa-gen -l 30 -m "$motif" -n $((batch < 500 ? 5000 : batch)) -o data
    }
    ours() {
        cpu lstm-train -q -j "$threads" --layers "$layers" --hidden "$hidden" --batch "$batch" \
            --dropout "$dropout" --free-length --steps "$updates" data
    }
    peer() {
        cost=$("$program" train data "$layers" "$hidden" "$batch" "$dropout" "$updates" 2>/dev/null)
    }
}

# network ARG...: `lstm` and `weights`, begun to learn strings of 30 bits with a motif
network() {
    pfsa-gen -l 30 -m "$motif" -n 5000 |
        lstm-train -q --hidden 200 --layers 2 --batch 100 --steps 100 "$@" -o lstm &&
        model-convert --to safetensors -o weights lstm
}

score_row() {
    what="lm-eval, 2x200 LSTM, $cores, peer ${program#lstm_} (strings/s)"
    ours_work=$((20000 / shrink))
    peer_work=$((4000 / shrink))
    prepare() {
        network --free-length &&
            pfsa-gen -s 2 -l 30 -n "$ours_work" -o data &&
            head -n "$peer_work" data >part &&
            "$program" score weights 2 200 part 500 >theirs &&
            lm-eval -q lstm part >report &&
            awk -v ours="$(value log_likelihood report)" \
                '{ exit !((ours / $2 - 1) ^ 2 < 1e-12) }' theirs
    }
    ours() {
        cpu lm-eval -q -j "$threads" lstm data
    }
    peer() {
        cost=$("$program" score weights 2 200 part 500 | cut -f 1)
    }
}

sample_row() {
    what="gam-sample, trained 2x200 LSTM, $cores, peer ${program#lstm_} (strings/s)"
    ours_work=$((20000 / shrink))
    peer_work=$((4000 / shrink))
    prepare() {
        network
    }
    ours() {
        cpu gam-sample -q -j "$threads" -n "$ours_work" lstm
    }
    # 30 steps, the first without a symbol
    peer() {
        cost=$("$program" sample weights 2 200 "$peer_work" 29 500 | cut -f 1)
    }
}

# shellcheck disable=SC2086 # words
set -- $job
row_kind=$1
shift
"${row_kind}_row" "$@"
