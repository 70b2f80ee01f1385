# SPDX-License-Identifier: MIT
# bench.gp: the ratios of bench.tsv and the required ones, as SVG to stdout.
# Variable: table
set datafile separator tab
rows = "< awk -F '\\t' 'NR > 1 && $4 != \"-\" { sub(/ \\(.*/, \"\", $1); sub(/, .* trained /, \", \", $1); print $1 \"\\t\" $4 \"\\t\" $5 \"\\t\" $6 \"\\t\" $7 }' " . table
stats rows using 2 nooutput
set terminal svg size 1100,140 + 17 * STATS_records font 'sans,12' background 'white'
set title 'Speed relative to the peer'
set logscale x
set xrange [0.1:10000]
set yrange [STATS_records - 0.5:-0.5] # the first row on top
set xlabel 'ratio of rates, gamut / peer'
set grid xtics lc rgb '#dddddd'
set arrow from 1, graph 0 to 1, graph 1 nohead lc rgb '#777777'
set lmargin 80 # the longest label
set bmargin 5.5
set key below horizontal samplen 2
plot rows using 2:0:3:4:ytic(1) with xerrorbars pt 7 ps 0.8 lc rgb '#1b9e77' title 'median and range', \
    rows using 5:($0 - 0.3):(0):(0.6) with vectors nohead lw 2 lc rgb '#d95f02' title 'required'
