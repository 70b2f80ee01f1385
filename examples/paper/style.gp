# SPDX-License-Identifier: MIT
# style.gp: what the figures share.  Variables: type (svg, png), name, curves (curves.tsv),
# paper (figure2.tsv), motif; for curve.gp also kind and ft.
if (type eq 'png') {
    set terminal pngcairo size 1200,460 font 'sans,10'
} else {
    set terminal svg size 1200,460 font 'sans,11' background 'white'
}
set output name
set datafile separator tab
set logscale x
set xrange [400:25000]
set xtics (500, 1000, 5000, 10000, 20000)
set xlabel '|D|'
set grid ytics lc rgb '#dddddd'
unset key

# One line of a figure: the rows of curves.tsv with these settings, by size.
rows(recipe, kind, motif, ft, regime, mode) = sprintf("< awk -F '\\t' 'NR == 1 || ($1 == \"%s\" && \
$2 == \"%s\" && $3 == \"%s\" && $4 == \"%s\" && $5 == \"%s\" && $6 == \"%s\")' %s | sort -t '\t' -k 7n", \
    recipe, kind, motif, ft, regime, mode, curves)
published(kind, motif, ft) = sprintf("< awk -F '\\t' 'NR == 1 || ($1 == \"%s\" && $2 == \"%s\" && \
$3 == \"%s\")' %s", kind, motif, ft, paper)
# A curve of no rows is an error to gnuplot: then draw a point that is outside the panel.
columns = 'H ce_r ce_pi ce_pi_rs ce_pi_snis freq_true freq_r freq_pi freq_pi_rs freq_pi_snis ' . \
    'l1_r l1_distilled l1_pi'
nothing = "< echo 'size " . columns . \
    "' | awk -v OFS='\t' '{ $1 = $1; print; for (i = 1; i <= NF; i++) $i = 1; print }'"
some(command) = int(system(command[2:] . " | awk 'END { print NR - 1 }'")) > 0 ? command : nothing
# on(LINE, TITLE): the entry in the key, none for a line of no rows
on(line, title) = line eq nothing ? '' : title
r_colour = '#d95f02'
rs_colour = '#1b9e77'
snis_colour = '#7570b3'

# Three panels, and below them the key, where it covers nothing.
panels = "set multiplot layout 1,3 margins 0.065,0.985,0.32,0.91 spacing 0.07,0 title"
key_below = "set margins screen 0.02, screen 0.98, screen 0.01, screen 0.19; unset title; unset border; \
unset tics; unset xlabel; unset ylabel; unset grid; unset logscale; \
set key center center vertical maxrows 4 Left reverse samplen 3 width 1"
# The moments' distance spans powers of ten, from what lambda fits to what r lacks.
l1_panel = "set ylabel 'l1 distance of moments to D'; set logscale y; set yrange [*:*]; set format y '%.3g'"
frequency_panel = "set ylabel 'strings with the motif'; unset logscale y; set format y '%g'; set yrange [0:1]"
