# SPDX-License-Identifier: MIT
# growth.gp: growth.tsv in four panels, as SVG to stdout.  Variable: table
set terminal svg size 1100,1000 font 'sans,12' background 'white'
set datafile separator tab
set multiplot layout 2,2
set logscale xy
set format x '10^{%T}'
set format y '10^{%T}'
set grid lc rgb '#dddddd'
# Below the panel, where it covers no data.
set key below vertical maxrows 3 Left reverse samplen 2
set bmargin 8

# The rows of a curve, by size.
rows(what, threads) = sprintf("< awk -F '\\t' '$1 == \"%s\" && $2 == %d' %s | sort -t '\t' -k 3g", what, threads, table)
color(i) = word("#7570b3 #1b9e77 #d95f02 #66a61e #e7298a", i)
# Two threads are solid, one is dotted.
dashes(threads) = threads == 2 ? 1 : 3
strings = "pfsa-gen lm-eval:pfsa gam-sample:pfsa lm-eval:lstm gam-sample:lstm"
array string_name[5] = ["pfsa-gen", "lm-eval, automaton", "gam-sample, automaton", "lm-eval, LSTM", "gam-sample, LSTM"]
recipes = "lstm-train:default lstm-train:paper"
array recipe_name[2] = ["default recipe", "paper's recipe"]
bases = "distil:pfsa distil:lstm"
array base_name[2] = ["over an automaton", "over an LSTM"]
threads(t) = t == 2 ? '2 threads' : '1 thread'

set title 'Time by number of strings (dotted: one thread)'
set xlabel 'strings' offset 0,0.5
set ylabel 'seconds'
plot for [t=1:2] for [i=1:5] rows(word(strings, i), t) using 3:4 with linespoints \
    pt 7 ps 0.5 lc rgb color(i) dt dashes(t) title t == 2 ? string_name[i] : ''

set title 'Peak memory by number of strings'
set ylabel 'megabytes'
plot for [i=1:5] rows(word(strings, i), 2) using 3:6 with linespoints \
    pt 7 ps 0.5 lc rgb color(i) title string_name[i]

set title 'Training time by size of the training set'
set xlabel 'training strings' offset 0,0.5
set ylabel 'seconds per epoch'
plot for [i=1:2] for [t=1:2] rows(word(recipes, i), t) using 3:4 with linespoints \
    pt 7 ps 0.5 lc rgb color(i) dt dashes(t) title sprintf('%s, %s', recipe_name[i], threads(t))

set title 'Sampling from a GAM by acceptance rate'
set xlabel 'acceptance rate' offset 0,0.5
set ylabel 'strings per second'
plot for [i=1:2] for [t=1:2] rows(word(bases, i), t) using 3:7 with linespoints \
    pt 7 ps 0.5 lc rgb color(i) dt dashes(t) title sprintf('%s, %s', base_name[i], threads(t))
unset multiplot
