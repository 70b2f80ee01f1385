# SPDX-License-Identifier: MIT
# page.awk: the curve (of curve.awk) as a page of Markdown.
#
#   awk -v distil=N -v test=N -f page.awk recipes.tsv curve.tsv
#
# What the page says of the outcome is computed from the curve, so that it is true of any.

BEGIN {
    FS = "\t"
    print "# How few strings are enough?\n"
    print "![Cross-entropy over entropy and motif frequency of r, P and pi, and of pi0 without" \
        " features, against the number of strings](efficiency.svg)\n"
    print "CE/H is the cross-entropy on " test " fresh strings over the entropy of the process: 1 is perfect."
    print "|V| = |D|/4 strings more decide when to stop, and count as data. Mean [least, greatest] over"
    print "motifs and seeds. The crosses in the figure are read off the paper's figure 2 (c), the squares are runs"
    print "of its recipe here: both have |V| = 500 at least, which counts on the axis too, and no length feature.\n"
    print "- *r* is the LSTM of the data alone."
    print "- *P* is r with the features 1001111 (the motif and four distractors) and length:30."
    print "- *pi* is an LSTM that learns from " distil " strings of P, and some more to know when to stop."
    print "- *pi0* is the control: distilled in the same way, but from r itself, without a feature (as"
    print "  everywhere, strings longer than any of the data are drawn again). From r to pi0 is what distilling"
    print "  alone does; from pi0 to pi is what the features do.\n"
    print "| recipe | D + V | runs | CE(r)/H | CE(P)/H | CE(pi)/H | motif in r | motif in pi |" \
        " CE(pi0)/H | motif in pi0 |"
    print "|---|---|---|---|---|---|---|---|---|---|"
}
FNR == 1 {
    for (i = 1; i <= NF; i++)
        at[$i] = i
    curve = NR > 1
    next
}
!curve {
    if ($at["recipe"] == "default" && $at["strings"] == 20000)
        reach = $at["ce_over_h"]
    next
}
function cell(name) {
    if ($at[name] == "-")
        return "-"
    return sprintf("%.3f", $at[name]) \
        ($3 > 1 ? sprintf(" [%.3f, %.3f]", $at[name "_min"], $at[name "_max"]) : "")
}
function add(list, text) {
    return list (list == "" ? "" : "; ") text
}
{
    strings = $2 + int($2 / 4)
    runs = $at["controls"] > 0 && $at["controls"] != $3 ? $3 ", pi0 " $at["controls"] : $3
    printf "| %s | %d + %d | %s | %s | %s | %s | %s | %s | %s | %s |\n", $1, $2, strings - $2, runs,
        cell("ce_r"), cell("ce_P"), cell("ce_pi"), cell("freq_r"), cell("freq_pi"), cell("ce_pi0"), cell("freq_pi0")
}
# The control runs have the data of the others: differences of means over different runs would mislead.
$at["controls"] > 0 && $at["controls"] == $3 {
    ways = add(ways, sprintf("%d strings: %+.3f and %+.3f", strings, $at["ce_pi0"] - $at["ce_r"],
        $at["ce_pi"] - $at["ce_pi0"]))
}
$3 > 0 && $at["ce_pi"] > $at["ce_P"] { above = above (above == "" ? "" : ", ") strings }
END {
    print ""
    if (ways != "")
        print "The way from CE(r)/H to CE(pi)/H in two parts, distilling alone and the features:\n" ways ".\n"
    print "The process is fair coins given motif and length, which the features can say exactly: with fair coins"
    print "for r, P would be the truth. What P lacks is what r takes for a rule but is an accident of so few"
    print "strings."
    if (above != "" && reach != "")
        printf "\npi is above P in the mean at %s strings. %d strings teach an LSTM only so well: even\n" \
            "20000 of the process itself bring the default recipe to %.3f and not to 1 (the row default 20000 of\n" \
            "`examples/recipes.tsv`, made by `recipes.sh`).\n", above, distil, reach
    print "\nMade by `make` in `examples/efficiency`; a row a run in [results.tsv](results.tsv)," \
        " ft 0000000 for pi0."
}
