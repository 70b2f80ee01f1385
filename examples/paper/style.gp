# SPDX-License-Identifier: MIT
# style.gp: settings and functions that the figures share.  Variables: type (svg, png), name,
# curves (curves.tsv), paper (figure2.tsv), motif; for curve.gp also kind and ft.
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
set xlabel 'training strings'
set grid ytics lc rgb '#dddddd'
unset key

# One line of a figure: the rows of curves.tsv with these settings, by size.
rows(recipe, kind, motif, ft, regime, mode) = sprintf("< awk -F '\\t' 'NR == 1 || ($1 == \"%s\" && \
$2 == \"%s\" && $3 == \"%s\" && $4 == \"%s\" && $5 == \"%s\" && $6 == \"%s\")' %s | sort -t '\t' -k 7n", \
    recipe, kind, motif, ft, regime, mode, curves)
published(kind, motif, ft) = sprintf("< awk -F '\\t' 'NR == 1 || ($1 == \"%s\" && $2 == \"%s\" && \
$3 == \"%s\")' %s", kind, motif, ft, paper)
# gnuplot rejects a curve without rows: draw a point outside the panel instead.
columns = 'H ce_r ce_pi ce_pi_rs ce_pi_snis freq_true freq_r freq_pi freq_pi_rs freq_pi_snis ' . \
    'l1_r l1_distilled l1_pi'
nothing = "< echo 'size " . columns . \
    "' | awk -v OFS='\t' '{ $1 = $1; print; for (i = 1; i <= NF; i++) $i = 1; print }'"
some(command) = int(system(command[2:] . " | awk 'END { print NR - 1 }'")) > 0 ? command : nothing
# on(LINE, TITLE): the entry in the key, none for a line without rows
on(line, title) = line eq nothing ? '' : title
# above(NAME): a cross-entropy above the entropy, in percent.  A model that is nearly the source
# can be below the entropy on a test set: then there is no point on the log scale.
above(name) = 100 * (column(name) / column('H') - 1)
r_color = '#d95f02'
rs_color = '#1b9e77'
snis_color = '#7570b3'

# In words: the source, and the features of a bit mask.
source(kind, motif) = kind eq 'm' ? 'All strings contain ' . motif : '90% of the strings contain ' . motif
features(ft) = ft eq '1001111' ? 'motif and distractors' : \
    ft eq '1011111' ? 'motif, its first half, and distractors' : \
    ft eq '0111111' ? 'motif followed by 0, its first half, and distractors' : ft

# Three panels, and the key below them, where it covers no data.
panels = "set multiplot layout 1,3 margins 0.065,0.985,0.32,0.85 spacing 0.07,0 title"
ce_panel = "set title 'Cross-entropy above entropy'; set ylabel 'percent'; set logscale y; \
set yrange [*:*]; set format y '%g'"
# The distances span powers of ten, from what lambda fits to what r lacks.
l1_panel = "set title 'Distance of the moments from the training set'; set ylabel 'l1 distance'; \
set logscale y; set yrange [*:*]; set format y '%g'"
frequency_panel = "set title 'Samples that contain the motif'; set ylabel 'fraction'; \
unset logscale y; set format y '%g'; set yrange [0:1]"
key_below = "set margins screen 0.02, screen 0.98, screen 0.01, screen 0.17; unset title; unset border; \
unset tics; unset xlabel; unset ylabel; unset grid; unset logscale; \
set key center center vertical maxrows 3 Left reverse samplen 3 width 1"
