# SPDX-License-Identifier: MIT
# quality.gp: test CE by time, from quality-course.tsv, as SVG to stdout.  Variable: table
set terminal svg size 700,400 font 'sans,12' background 'white'
set datafile separator tab
set logscale x
set xlabel 'seconds of training'
set ylabel 'CE on other strings, nats a character'
set yrange [0.44:0.7]
set grid lc rgb '#dddddd'
rows(what) = sprintf("< awk -F '\\t' 'NR == 1 || $1 == \"%s\"' %s", what, table)
H = 0.44913369 # of the process
plot rows('lstm-train') using 3:4 every ::1 with lines lw 2 lc rgb '#1b9e77' title 'lstm-train, default recipe', \
    rows('PyTorch') using 3:4 every ::1 with lines lw 2 lc rgb '#d95f02' title "PyTorch, the paper's recipe", \
    0.46 with lines lc rgb '#777777' dt 3 title 'the goal', H with lines lc rgb 'black' dt 2 title 'the entropy'
