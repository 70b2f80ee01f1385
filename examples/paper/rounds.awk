# SPDX-License-Identifier: MIT
# rounds.awk: the acceptance rate by round of cyclic runs, from a table of runs (../row.awk): the
# first, the best, the last, and the rate at which the best P gave the remaining samples.

BEGIN {
    FS = "\t"
    label["default"] = "default"
    label["paper"] = "the paper's"
}
NR == 1 {
    for (i = 1; i <= NF; i++)
        at[$i] = i
    next
}
"rounds" in at && $at["mode"] == "cyclic" && $at["rounds"] != "-" {
    if (!header++)
        print "| recipe | size of D | seed | tReg | rounds | first | best (round) | last | the rest |\n" \
            "|---|---|---|---|---|---|---|---|---|"
    n = split($at["rounds"], rate, ",")
    best = 1
    for (i = 2; i <= n; i++)
        if (rate[i] > rate[best])
            best = i
    rest = $at["rounds_rest"]
    printf "| %s | %s | %s | %s | %d | %.4f | %.4f (%d) | %.4f | %s |\n", label[$at["recipe"]], $at["size"],
        $at["seed"], $at["regime"], n, rate[1], rate[best], best, rate[n], rest == "-" ? rest : sprintf("%.4f", rest)
}
