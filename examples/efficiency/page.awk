# SPDX-License-Identifier: MIT
# page.awk: the curve (of curve.awk) as a page of Markdown.

BEGIN {
    FS = "\t"
    print "# How few strings are enough?\n"
    print "![cross-entropy and motif frequency against the number of strings](efficiency.svg)\n"
    print "CE/H is the cross-entropy on 5000 fresh strings over the entropy of the process: 1 is perfect."
    print "|V| = |D|/4 strings more decide when to stop, and count as data. Features: 1001111 (the motif and"
    print "four distractors) and length:30. Mean [least, greatest] over motifs and seeds.\n"
    print "The process is fair coins given motif and length, which the features can say exactly: what pi has over r"
    print "is due to them, and with fair coins for r, P would be the truth. What P lacks is what r takes for a rule"
    print "but is an accident of so few strings; what pi lacks beyond that is lost in distilling.\n"
    print "| recipe | D + V | runs | CE(r)/H | CE(P)/H | CE(pi)/H | motif in r | motif in pi |"
    print "|---|---|---|---|---|---|---|---|"
}
NR == 1 {
    for (i = 1; i <= NF; i++)
        at[$i] = i
    next
}
function cell(name) {
    return sprintf("%.3f [%.3f, %.3f]", $at[name], $at[name "_min"], $at[name "_max"])
}
{
    printf "| %s | %d + %d | %d | %s | %s | %s | %s | %s |\n", $1, $2, int($2 / 4), $3, cell("ce_r"), cell("ce_P"),
        cell("ce_pi"), cell("freq_r"), cell("freq_pi")
}
END { print "\nMade by `make` in `examples/efficiency`; a row a run in [results.tsv](results.tsv)." }
