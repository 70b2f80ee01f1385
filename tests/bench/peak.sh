# SPDX-License-Identifier: MIT
# peak.sh: for the rows that set `threads`: the share of this machine's own peak of matrix
# products that whole updates of the paper's network reach.  Operations are counted by the
# formula of the network, in products only: H = 200 units, V = 3 symbols, forward
#     layer 1: 2 * 4H (V + H)    layer 2: 2 * 4H (H + H)    output: 2 * H V
# a token, and twice that backward.  A token is a distinct prefix of the batch, for those
# that strings share are worked off once; `what` says how many there are of each.

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
