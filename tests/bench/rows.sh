# SPDX-License-Identifier: MIT
# rows.sh [ROW...]: compares our speed with that of a peer, as ratios measured in one run; also
# writes bench.tsv.
#
# A row is a file tests/bench/ROW.row, sourced in an empty directory.  It sets
#
#   what        what is measured, and the unit of a rate
#   need        programs without which the row is skipped
#   bar         the required ratio of rates, ours to the peer's, if there is one
#   ours_work, peer_work    the work of one run, in that unit
#   peers       names of the peer functions, if not just `peer`: the fastest counts
#   limit       without a peer: the maximum milliseconds of a run
#
# and defines the functions prepare, ours and peer.  The cost of a run is its seconds, unless
# the function sets `cost` to something else.
#
# Ours and the peer alternate, ROUNDS times, so that load on the machine affects both; the
# median of the ratios counts.

# shellcheck source=tests/bench/lib.sh
. "$(dirname "$0")/lib.sh"
rounds=${ROUNDS:-5}
table=$out/bench.tsv

# cost_of FUNCTION: sets `cost`
cost_of() {
    cost=
    start=$(now)
    "$1" || return 1
    [ -n "$cost" ] || cost=$(awk -v t=$(($(now) - start)) 'BEGIN { print t / 1e9 }')
}

# least_cost FUNCTION...: sets `cost` to the smallest cost
least_cost() {
    least=
    for function in "$@"; do
        cost_of "$function" || return 1
        least=$(awk -v a="$least" -v b="$cost" 'BEGIN { print (a == "" || b < a) ? b : a }')
    done
    cost=$least
}

# One line "ours peer" of costs per round; the peer's is - if there is none.
measure() {
    round=0
    while [ $round -lt "$rounds" ]; do
        least_cost ours || return 1
        ours_cost=$cost
        cost=-
        [ -z "$peers" ] || least_cost $peers || return 1
        echo "$ours_cost $cost"
        round=$((round + 1))
    done
}

# Costs on stdin, the row of the table on stdout.
summary() {
    awk -v what="$what" -v bar="$bar" -v limit="$limit" \
        -v ours_work="$ours_work" -v peer_work="$peer_work" '
    function sort(v, n,   i, j, t) {
        for (i = 2; i <= n; i++)
            for (j = i; j > 1 && v[j] < v[j - 1]; j--) { t = v[j]; v[j] = v[j - 1]; v[j - 1] = t }
    }
    function median(v, n) {
        sort(v, n)
        return (v[int((n + 1) / 2)] + v[int((n + 2) / 2)]) / 2
    }
    $2 == "-" { ours[NR] = 1000 * $1 / ours_work; next }
    { ours[NR] = ours_work / $1; peer[NR] = peer_work / $2; ratio[NR] = ours[NR] / peer[NR] }
    END {
        if (limit != "") {
            t = median(ours, NR)
            printf "%s\t%.3g\t-\t-\t-\t-\t<=%s\t%s\n", what, t, limit, (t <= limit ? "yes" : "no")
        } else {
            r = median(ratio, NR)
            met = bar == "-" ? "-" : r >= bar ? "yes" : "no"
            printf "%s\t%.4g\t%.4g\t%.3g\t%.3g\t%.3g\t%s\t%s\n", what, median(ours, NR),
                median(peer, NR), r, ratio[1], ratio[NR], bar, met
        }
    }'
}

missing() {
    for program in $need; do
        command -v "$program" >/dev/null || printf ' %s' "$program"
    done
}

# row FILE: in a subshell, so that rows do not affect each other
row() {
    what=$1 need='' bar=- limit='' ours_work=1 peer_work=1 peers=peer
    # shellcheck source=/dev/null
    . "$1"
    [ -z "$limit" ] || peers=
    lacks=$(missing)
    if [ -n "$lacks" ]; then
        say "SKIPPED '$what': no$lacks ('make bench-deps' installs it)"
        return 0
    fi
    say "$what"
    scratch
    if prepare && measure >costs; then
        summary <costs
    else
        say "FAILED '$what'"
        return 1
    fi
}

[ $# -gt 0 ] || set -- "$here"/*.row
status=0
{
    columns what ours peer ratio_median ratio_min ratio_max bar met
    for name in "$@"; do
        name=$(basename "$name" .row)
        (row "$here/$name.row") || echo "$name" >&3
    done
} 3>"$table.failed" | tee "$table"
[ ! -s "$table.failed" ] || status=1
rm -f "$table.failed"
# The figure shows ratios.
! awk -F '\t' 'NR > 1 && $4 != "-" { found = 1 } END { exit !found }' "$table" || plot bench || status=1
exit $status
