# SPDX-License-Identifier: MIT
# peak.sh: for the rows that set `threads`: the speed of complete updates of the paper's network
# as a share of this machine's peak for matrix products.  Operations are counted by the formula
# of the network, in products only: with H = 200 units and V = 3 symbols, per token and forward
# pass
#
#     layer 1: 2 * 4H (V + H)    layer 2: 2 * 4H (H + H)    output: 2 * H V
#
# and twice that backward.  A token is a distinct prefix of the batch, since shared prefixes are
# computed once; `what` says how many there are.

# shellcheck disable=SC2154 # threads and motif are set where this is sourced
what="lstm-train -j $threads relative to matrix products of $threads threads (flops/s)"
[ "$threads" -eq 1 ] && what='lstm-train -j 1 relative to matrix products of one thread (flops/s)'
need=peak

prepare() {
    pfsa-gen -l 30 -m "$motif" -n 500 -o data || return 1
    prefixes=$(awk '{ for (i = 0; i <= length($0); i++) if (!seen[substr($0, 1, i)]++) n++ } END { print n }' data)
    ours_work=$(calc "$prefixes * 3 * (2 * 800 * 203 + 2 * 800 * 400 + 2 * 200 * 3)")
    peer_work=1e9
    what="$what: $prefixes prefixes for $((500 * 31)) tokens"
}
ours() {
    lstm-train -q -j "$threads" --recipe paper --steps 6 --log log data >/dev/null &&
        cost=$(awk 'NR > 3 { s += 500 / $5; n++ } END { print s / n }' log)
}
peer() {
    cost=$(peak "$threads" | awk '{ print 1e9 / $1 }')
}
