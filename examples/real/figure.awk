# SPDX-License-Identifier: MIT
# figure.awk: shows the output of lm-compare(1) as an SVG figure: the cross-entropy of each model, with a line
# of two standard errors of its difference from the reference to either side.
#
#   awk -v title=TEXT -f figure.awk table >figure.svg

BEGIN { FS = "\t" }
NR > 1 {
    n++
    name[n] = $1
    sub(/\.[a-z]*$/, "", name[n])
    ce[n] = $2
    error[n] = 2 * $5
    if ($4 == 0 && $6 == 1)
        reference = name[n]
    if (n == 1 || ce[n] - error[n] < low)
        low = ce[n] - error[n]
    if (n == 1 || ce[n] + error[n] > high)
        high = ce[n] + error[n]
}

# place(X): the horizontal position of a cross-entropy
function place(x) {
    return 90 + 380 * (x - low) / (high - low)
}
END {
    if (high == low)
        high = low + 1
    printf "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"560\" height=\"%d\" font-family=\"sans-serif\" font-size=\"13\">\n", 30 * n + 80
    printf "<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n<text x=\"10\" y=\"20\">%s</text>\n", title
    for (i = 1; i <= n; i++) {
        y = 20 + 30 * i
        printf "<text x=\"10\" y=\"%d\">%s</text>\n", y + 4, name[i]
        printf "<line x1=\"%.1f\" x2=\"%.1f\" y1=\"%d\" y2=\"%d\" stroke=\"#0072b2\" stroke-width=\"2\"/>\n",
            place(ce[i] - error[i]), place(ce[i] + error[i]), y, y
        printf "<circle cx=\"%.1f\" cy=\"%d\" r=\"4\" fill=\"#0072b2\"/>\n", place(ce[i]), y
        printf "<text x=\"490\" y=\"%d\">%.4f</text>\n", y + 4, ce[i]
    }
    printf "<text x=\"10\" y=\"%d\">CE on the test set, nats per character (lower is better)</text>\n", 30 * n + 50
    printf "<text x=\"10\" y=\"%d\">Bars: two standard errors of the difference from %s</text>\n</svg>\n", 30 * n + 70, reference
}
