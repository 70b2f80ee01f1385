# SPDX-License-Identifier: MIT
# illustration.awk: prints the rows of one or more runs as the illustration table of the paper.
#
#   awk -f illustration.awk -v motif=S [-v markdown=1 [-v paper=1]] TABLE
#
# TABLE has a header and one row per run (row.awk).  The motif is marked, or the longest part of it
# that occurs.  In Markdown each run is a column; paper=1 adds one with the figures of the paper.

BEGIN { FS = "\t" }
NR == 1 {
    for (i = 1; i <= NF; i++)
        column[$i] = i
    next
}
{
    rows++
    for (name in column)
        value[rows, name] = $column[name]
}

# mark(X): the motif in X in [ ], or the longest part of it in ( ); ** and <u> in Markdown
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

# short(LIST): numbers with two decimals, small ones with four; in columns
function short(list,    n, part, i, text) {
    n = split(list, part, ",")
    for (i = 1; i <= n; i++)
        text = text cell(part[i] + 0 == part[i] ? number(part[i]) : part[i], i)
    return text
}
function number(x) {
    if (x < 0.00005 && x > -0.00005)
        return "0"
    return sprintf(x < 0.01 && x > -0.01 ? "%.4f" : "%.2f", x)
}
function cell(text, i) {
    return markdown ? (i > 1 ? "  " : "") text : sprintf("%10s", text)
}

# several(K, FORMAT, NAMES, LABELS): values of run K, with labels in Markdown
function several(k, format, names, labels,    n, i, name, label, text) {
    n = split(names, name, " ")
    split(labels, label, " ")
    for (i = 1; i <= n; i++)
        if (markdown)
            text = text (i > 1 ? "  " : "") label[i] " " figure(format, value[k, name[i]])
        else
            text = text sprintf("%10s", name[i] == "-" ? "" : figure(format, value[k, name[i]]))
    return text
}
# figure(FORMAT, X): a number, or the dash of what was not run
function figure(format, x) {
    return x == "-" ? x : sprintf(format, x)
}

# line(NAME, THEIRS): a line of the table, with text[k] of run k
function line(name, theirs,    k, all) {
    if (!markdown) {
        printf "%-15s%s\n", name, text[1]
        return
    }
    for (k = 1; k <= rows; k++)
        all = all " " text[k] " |"
    print "| " name " |" all (paper ? " " theirs " |" : "")
}
function list_line(name, of, theirs,    k) {
    for (k = 1; k <= rows; k++)
        text[k] = short(value[k, of])
    line(name, theirs)
}
function several_line(name, format, names, labels, theirs,    k) {
    for (k = 1; k <= rows; k++)
        text[k] = several(k, format, names, labels)
    line(name, theirs)
}
function string_line(name, of,    k) {
    for (k = 1; k <= rows; k++)
        text[k] = (markdown ? "" : "  ") mark(value[k, of])
    line(name, "")
}

END {
    if (markdown) {
        for (k = 1; k <= rows; k++) {
            header = header " ours, " (value[k, "recipe"] == "paper" ? "the paper's" : "default") " recipe |"
            rule = rule "---|"
        }
        print "| |" header (paper ? " the paper |" : "")
        print "|---|" rule (paper ? "---|" : "")
    }
    string_line("source", "string_true")
    string_line("r", "string_r")
    string_line("pi", "string_pi")
    if (!markdown)
        print ""
    list_line("features", "features", "m  d0  d1  d2  d3")
    list_line("lambda", "lambda", "-10.1  -0.15  -0.06  0.0  -0.14")
    list_line("moments source", "mom_true", "0.0  0.47  0.99  1.0  0.91")
    list_line("moments D", "mom_data", "")
    list_line("moments r", "mom_r", "0.95  0.53  0.99  1.0  0.91")
    list_line("moments D'", "mom_distilled", "0.0006  0.43  0.99  0.99  0.91")
    list_line("moments pi", "mom_pi", "")
    if (!markdown)
        printf "\n%-15s%10s%10s%10s%10s%10s\n", "", "source", "r", "P", "D' of P", "pi"
    if (markdown) {
        several_line("CE", "%.4f", "H ce_r ce_P ce_pi", "source r P pi",
            "source 0.4491  r 0.5647  P 0.4662  pi 0.4689")
        if ("ce_rL" in column)
            several_line("CE given length <= L", "%.4f", "ce_rL ce_P", "r P", "")
        several_line("motif", "%.3f", "freq_true freq_r freq_distilled freq_pi", "source r D' pi",
            "source 1.000  r 0.045  pi 0.960")
        several_line("mean length", "%.1f", "length_true length_r length_pi", "source r pi",
            "source 30.0  r 26.8  pi 29.7")
    } else {
        several_line("CE", "%.4f", "H ce_r ce_P - ce_pi")
        if ("ce_rL" in column)
            several_line("CE, |x| <= L", "%.4f", "- ce_rL ce_P")
        several_line("motif", "%.3f", "freq_true freq_r - freq_distilled freq_pi")
        several_line("mean length", "%.1f", "length_true length_r - length_distilled length_pi")
    }
}
