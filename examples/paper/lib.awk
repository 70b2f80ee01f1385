# SPDX-License-Identifier: MIT
# lib.awk: what the tables of the paper share.
#
#   awk -f lib.awk -f TABLE.awk -v motif=MOTIF PAPER.tsv results.tsv
#
# The first file has the paper's figures, the second a row a run (../row.awk); at("name") is
# a column of the present line.  A cell of ours that was not run is a dash.

BEGIN {
    FS = "\t"
    sources = split("default paper", source, " ")
    label["default"] = "ours, default recipe"
    label["paper"] = "ours, the paper's recipe"
    sizes = split("500 1000 5000 10000 20000", size, " ")
}
FNR == 1 {
    for (i = 1; i <= NF; i++)
        column[$i] = i
    ours = NR > 1
    next
}

function at(name) {
    return $column[name]
}

# see(KEY, X): one more value of a quantity; mean, deviation and range are had from them
function see(key, x) {
    if (!(key in count) || x < least[key])
        least[key] = x
    if (!(key in count) || x > most[key])
        most[key] = x
    count[key]++
    sum[key] += x
    squares[key] += x * x
}
function mean(key) {
    return count[key] ? sum[key] / count[key] : 0
}
function mean_text(key) {
    return key in count ? sprintf("%.3f", mean(key)) : "-"
}
# A single value has no deviation and no range.
function mean_deviation_text(key,    variance) {
    if (!(key in count) || count[key] == 1)
        return mean_text(key)
    variance = squares[key] / count[key] - mean(key) ^ 2
    return sprintf("%.3f±%.3f", mean(key), variance > 0 ? sqrt(variance) : 0)
}
function range_text(key,    high) {
    if (!(key in count))
        return infinite[key] ? "inf" : "-"
    high = infinite[key] ? "inf" : sprintf("%.2f", most[key])
    return count[key] + infinite[key] == 1 ? high : sprintf("[%.2f, %s]", least[key], high)
}

# A ratio to a frequency of 0 is infinite: it is counted, and ends the range.
function see_ratio(key, a, b) {
    if (b > 0)
        see(key, a / b)
    else
        infinite[key]++
}

# ratio_text(KEY, A, B, NAME): of the means over seeds of NAME, between the settings A and B
function ratio_text(key, a, b, name) {
    a = key a SUBSEP name
    b = key b SUBSEP name
    return (a in count) && mean(b) > 0 ? sprintf("%.3f", mean(a) / mean(b)) : "-"
}

# by_size(HEADER, LEFT, RIGHT): a row for each size and source, with cells(KEY) of two settings
# and the number of runs in them
function by_size(header, left, right,    n, s, key, line) {
    markdown_header("size of D | from | runs | " header)
    for (n = 1; n <= sizes; n++) {
        print "| " size[n] " | the paper | | " theirs[size[n]] " |"
        for (s = 1; s <= sources; s++) {
            key = source[s] SUBSEP size[n] SUBSEP
            line = cells(key left SUBSEP) " | " cells(key right SUBSEP)
            if (line ~ /[0-9]/)
                print "| " size[n] " | " label[source[s]] " | " runs[source[s], size[n]] " | " line " |"
        }
    }
}

function markdown_header(text,    n, cell, i, line) {
    n = split(text, cell, "|")
    for (i = 1; i <= n; i++)
        line = line "|---"
    print "| " text " |"
    print line "|"
}
