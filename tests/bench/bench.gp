# SPDX-License-Identifier: MIT
# bench.gp: ratios of bench.tsv beside the bars that they are to meet, as SVG to stdout.
# Variable: table
set terminal svg size 900,420 font 'sans,12' background 'white'
set datafile separator tab
rows = "< awk -F '\\t' 'NR > 1 && $4 != \"-\" { sub(/ \\(.*/, \"\", $1); sub(/, .* trained /, \", \", $1); print $1 \"\\t\" $4 \"\\t\" $5 \"\\t\" $6 \"\\t\" $7 }' " . table
stats rows using 2 nooutput
set logscale x
set xrange [0.1:1000]
set yrange [STATS_records - 0.5:-0.5] # the first row on top
set xlabel 'rate of ours / rate of the peer, median and range; | is the bar to be met'
set grid xtics lc rgb '#dddddd'
set arrow from 1, graph 0 to 1, graph 1 nohead lc rgb '#777777'
set lmargin 50
unset key
plot rows using 2:0:3:4:ytic(1) with xerrorbars pt 7 ps 0.8 lc rgb '#1b9e77', \
    rows using 5:($0 - 0.3):(0):(0.6) with vectors nohead lw 2 lc rgb '#d95f02'
