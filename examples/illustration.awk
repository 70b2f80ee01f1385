# SPDX-License-Identifier: MIT
# illustration.awk: the row of one run as the paper's illustration table.
#
#   awk -f illustration.awk -v motif=S -v true=STRING -v r=STRING -v pi=STRING \
#       [-v paper=1] [-v markdown=1] row.tsv
#
# The motif is marked, or else the longest part of it that occurs.  With paper=1 the
# paper's figures stand beside ours.

BEGIN { FS = "\t" }
FNR == 1 {
    for (i = 1; i <= NF; i++)
        column[$i] = i
    next
}
{
    for (name in column)
        value[name] = $column[name]
}

# mark(X): the motif in X in [ ], or the longest part of it in ( ); ** and _ in Markdown
function mark(x,    n, i, k) {
    for (n = length(motif); n > 0; n--)
        for (i = 1; i + n - 1 <= length(motif); i++)
            if (k = index(x, substr(motif, i, n)))
                return substr(x, 1, k - 1) quote(substr(x, k, n), n == length(motif)) substr(x, k + n)
    return x
}
function quote(text, whole) {
    if (markdown)
        return (whole ? "**" : "<u>") text (whole ? "**" : "</u>")
    return (whole ? "[" : "(") text (whole ? "]" : ")")
}

# short(LIST): numbers to two digits behind the point, small ones to three
function short(list,    n, part, i, text) {
    n = split(list, part, ",")
    for (i = 1; i <= n; i++)
        text = text (i > 1 ? "  " : "") (part[i] + 0 == part[i] ? number(part[i]) : part[i])
    return text
}
function number(x) {
    if (x < 0.00005 && x > -0.00005)
        return "0"
    return sprintf(x < 0.01 && x > -0.01 ? "%.4f" : "%.2f", x)
}

function row(name, ours, theirs) {
    if (markdown)
        printf "| %s | %s |%s\n", name, ours, paper ? " " theirs " |" : ""
    else
        printf "%-14s %s\n", name, ours
}

END {
    if (markdown) {
        print "| | ours |" (paper ? " the paper |" : "")
        print "|---|---|" (paper ? "---|" : "")
    }
    row("true", mark(true), "")
    row("r", mark(r), "")
    row("pi", mark(pi), "")
    row("features", short(value["features"]), "m  d0  d1  d2  d3")
    row("lambda", short(value["lambda"]), "-10.1  -0.15  -0.06  0.0  -0.14")
    row("moments true", short(value["mom_true"]), "0.0  0.47  0.99  1.0  0.91")
    row("moments D", short(value["mom_data"]), "")
    row("moments r", short(value["mom_r"]), "0.95  0.53  0.99  1.0  0.91")
    row("moments D'", short(value["mom_distilled"]), "0.0006  0.43  0.99  0.99  0.91")
    row("moments pi", short(value["mom_pi"]), "")
    row("CE", sprintf("true %.4f  r %.4f  P %.4f  pi %.4f", value["H"], value["ce_r"], value["ce_P"],
        value["ce_pi"]), "true 0.4491  r 0.5647  P 0.4662  pi 0.4689")
    row("motif", sprintf("true %.3f  r %.3f  D' %.3f  pi %.3f", value["freq_true"], value["freq_r"],
        value["freq_distilled"], value["freq_pi"]), "true 1.000  r 0.045  pi 0.960")
    row("mean length", sprintf("true %.1f  r %.1f  pi %.1f", value["length_true"], value["length_r"],
        value["length_pi"]), "true 30.0  r 26.8  pi 29.7")
}
