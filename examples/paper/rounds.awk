# SPDX-License-Identifier: MIT
# rounds.awk: the acceptance rate by round of cyclic runs, from their rounds.tsv (3-cyclic.sh),
# each in a directory with the name of its run (../grid.mk): the first, the best, the last.

BEGIN {
    FS = "\t"
    label["default"] = "default"
    label["paper"] = "the paper's"
    print "| recipe | size of D | seed | tReg | rounds | first | best (round) | last | the rest |"
    print "|---|---|---|---|---|---|---|---|---|"
}
FNR == 1 {
    show()
    count = split(FILENAME, part, "/")
    split(part[count - 1], setting, "-")
    rounds = best = 0
    rest = "-"
    next
}
$1 == "rest" {
    rest = sprintf("%.4f", $3)
    next
}
{
    rounds++
    last = $3
    if (rounds == 1)
        first = $3
    if (rounds == 1 || $3 > best) {
        best = $3
        which = $1
    }
}
END { show() }

function show() {
    if (rounds)
        printf "| %s | %s | %s | %s | %d | %.4f | %.4f (%d) | %.4f | %s |\n", label[setting[1]], setting[4],
            setting[5], setting[7], rounds, first, best, which, last, rest
}
