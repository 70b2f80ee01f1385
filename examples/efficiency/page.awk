# SPDX-License-Identifier: MIT
# page.awk: prints the curve (from curve.awk) as a Markdown page.
#
#   awk -v distil=N -v test=N -f page.awk recipes.tsv curve.tsv
#
# The statements about the result are computed from the curve, so they hold for any curve.

BEGIN {
    FS = "\t"
    print "# How few strings are enough?\n"
    print "![Cross-entropy above entropy, and motif frequency, of r, pi and pi0 by number of strings](efficiency.svg)\n"
    print "CE/H is the cross-entropy on " test " test strings divided by the entropy of the source; 1 is optimal."
    print "The validation set V has |D|/4 strings, which count as data. Values are the mean [smallest, largest] over"
    print "motifs and seeds. The crosses in the figure are read off figure 2 (c) of the paper, where |V| is at least 500 and"
    print "there is no length feature.\n"
    print "- *r*: LSTM trained on D alone."
    print "- *r given L*: r given that strings have at most 30 symbols, as samples and P always are. The step from r to"
    print "  r given L is the effect of this limit alone. `lm-eval --max-length` computes it."
    print "- *P*: r with the features 1001111 (motif and four distractors) and length:30."
    print "- *pi*: LSTM trained on " distil " samples of P, with more samples for validation."
    print "- *pi0*: the control. It is distilled in the same way from r itself, without features. The step from"
    print "  r given L to pi0 is the effect of distillation; the step from pi0 to pi is the effect of the features.\n"
    print "| recipe | D + V | runs | CE(r)/H | CE(r given L)/H | CE(P)/H | CE(pi)/H | motif in r | motif in pi |" \
        " CE(pi0)/H | motif in pi0 |"
    print "|---|---|---|---|---|---|---|---|---|---|---|"
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
    printf "| %s | %d + %d | %s | %s | %s | %s | %s | %s | %s | %s | %s |\n", $1, $2, strings - $2, runs,
        cell("ce_r"), cell("ce_rL"), cell("ce_P"), cell("ce_pi"), cell("freq_r"), cell("freq_pi"), cell("ce_pi0"), cell("freq_pi0")
}
# Only where the control was run on the same data: differences of means over different runs would mislead.
$at["controls"] > 0 && $at["controls"] == $3 {
    ways = add(ways, sprintf("%d strings: %+.3f, %+.3f and %+.3f", strings, $at["ce_rL"] - $at["ce_r"],
        $at["ce_pi0"] - $at["ce_rL"], $at["ce_pi"] - $at["ce_pi0"]))
}
$3 > 0 && $at["ce_pi"] > $at["ce_P"] { above = above (above == "" ? "" : ", ") strings }
END {
    print ""
    if (ways != "")
        print "Change of CE/H from r to r given L (the length limit), from r given L to pi0 (distillation) and from" \
            " pi0 to pi\n(features):\n" ways ".\n"
    print "The source is fair bits with a motif and a fixed length, which the features describe exactly: with fair bits"
    print "as the base model, P would be the source. P differs from it because r has also learned chance patterns of the"
    print "few strings."
    if (above != "" && reach != "")
        printf "\nOn average, pi is worse than P at %s strings. %d samples limit what an LSTM can learn: even with\n" \
            "20000 strings of the source, the default recipe reaches %.3f and not 1 (row default 20000 of\n" \
            "`examples/recipes.tsv`, made by `recipes.sh`).\n", above, distil, reach
    print "\nMade by `make` in `examples/efficiency`. [results.tsv](results.tsv) has one row per run; the runs of pi0" \
        " have ft 0000000."
}
