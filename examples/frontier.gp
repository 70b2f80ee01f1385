# SPDX-License-Identifier: MIT
# frontier.gp: cross-entropy of r, P and pi above the entropy, against the number of strings.
#
#   gnuplot examples/frontier.gp | sed 's/ *$//' >examples/frontier.svg      from base.tsv, made by base.sh
set terminal svg size 1000,430 font 'sans,12' background 'white'
set datafile separator tab
rows(source, model) = sprintf("< awk -F '\\t' '$1 == \"%s\" && $3 == \"%s\"' examples/base.tsv", source, model)
strings(n) = n + int(n / 4)
set multiplot layout 1,2 margins 0.08,0.98,0.14,0.91 spacing 0.08,0
set logscale xy
set xrange [22:700]
set yrange [0.04:60]
set xtics (25, 62, 125, 250, 625)
set ytics (0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50)
set grid ytics lc rgb '#dddddd'
set xlabel 'training and validation strings'
do for [source in 'fair mk2'] {
    set title source eq 'fair' ? '30 fair bits with a motif' : '30 bits of a Markov chain of order 2, with a motif'
    set ylabel source eq 'fair' ? 'CE above the entropy, percent' : ''
    plot for [i = 1:4] rows(source, word('r plain pi smooth', i)) \
        using (strings($2)):(100 * ($4 - 1)) with linespoints lw 2 pt 7 ps 0.6 \
        lc rgb word('#d95f02 #e6ab02 #1b9e77 #7570b3', i) \
        title word('"r: LSTM" "plain: r with features" "pi: distilled from P" "P: plain, smoothed by n-grams"', i)
}
