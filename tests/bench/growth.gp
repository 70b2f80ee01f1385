# SPDX-License-Identifier: MIT
# growth.gp: what growth.tsv says, in four panels, as SVG to stdout.  Variable: table
set terminal svg size 1100,800 font 'sans,12' background 'white'
set datafile separator tab
set multiplot layout 2,2
set logscale xy
set format x '10^{%T}'
set format y '10^{%T}'
set grid lc rgb '#dddddd'
set key left top

# The rows of a curve, by size.
rows(what, threads) = sprintf("< awk -F '\\t' '$1 == \"%s\" && $2 == %d' %s | sort -t '\t' -k 3g", what, threads, table)
colour(i) = word("#7570b3 #1b9e77 #d95f02 #66a61e #e7298a", i)
# Curves of two threads are drawn through, those of one are dotted.
dashes(threads) = threads == 2 ? 1 : 3
strings = "pfsa-gen lm-eval:pfsa gam-sample:pfsa lm-eval:lstm gam-sample:lstm"
recipes = "lstm-train:default lstm-train:paper"
bases = "distil:pfsa distil:lstm"

set xlabel 'strings'
set ylabel 'seconds'
plot for [t=1:2] for [i=1:5] rows(word(strings, i), t) using 3:4 with linespoints \
    pt 7 ps 0.5 lc rgb colour(i) dt dashes(t) title t == 2 ? word(strings, i) : ''

set ylabel 'memory, MB'
plot for [i=1:5] rows(word(strings, i), 2) using 3:6 with linespoints \
    pt 7 ps 0.5 lc rgb colour(i) notitle

set xlabel 'strings to train on'
set ylabel 'seconds for an epoch'
plot for [t=1:2] for [i=1:2] rows(word(recipes, i), t) using 3:4 with linespoints \
    pt 7 ps 0.5 lc rgb colour(i) dt dashes(t) \
    title sprintf('%s, %d thread%s', word(recipes, i), t, t > 1 ? 's' : '')

set xlabel 'acceptance rate'
set ylabel 'strings a second'
plot for [t=1:2] for [i=1:2] rows(word(bases, i), t) using 3:7 with linespoints \
    pt 7 ps 0.5 lc rgb colour(i) dt dashes(t) \
    title sprintf('%s, %d thread%s', word(bases, i), t, t > 1 ? 's' : '')
unset multiplot
