# SPDX-License-Identifier: MIT
# quality.gp: test CE by training time, from quality-course.tsv, as SVG to stdout.  Variable: table
set terminal svg size 700,440 font 'sans,12' background 'white'
set datafile separator tab
set title 'Cross-entropy on test strings by training time'
set logscale x
set xlabel 'CPU seconds of one core'
set ylabel 'nats per character'
set yrange [0.44:*]
set grid lc rgb '#dddddd'
set key below vertical maxrows 2 Left reverse samplen 3
rows(what) = sprintf("< awk -F '\\t' 'NR == 1 || $1 == \"%s\"' %s", what, table)
H = 0.44913369 # entropy of the source
plot rows('lstm-train') using 3:4 every ::1 with linespoints lw 2 pt 7 ps 0.4 lc rgb '#1b9e77' title 'lstm-train, default recipe', \
    rows('PyTorch') using 3:4 every ::1 with linespoints lw 2 pt 7 ps 0.4 lc rgb '#d95f02' title "PyTorch, paper's recipe", \
    0.46 with lines lc rgb '#777777' dt 3 title 'goal', H with lines lc rgb 'black' dt 2 title 'entropy'
