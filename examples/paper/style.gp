# SPDX-License-Identifier: MIT
# style.gp: what the figures share.  Variables: type (svg, png), name, curves (curves.tsv),
# paper (figure2.tsv), motif; for curve.gp also kind and ft.
if (type eq 'png') {
    set terminal pngcairo size 1200,400 font 'sans,10'
} else {
    set terminal svg size 1200,400 font 'sans,11' background 'white'
}
set output name
set datafile separator tab
set logscale x
set xrange [400:25000]
set xtics (500, 1000, 5000, 10000, 20000)
set xlabel '|D|'
set grid ytics lc rgb '#dddddd'

# One line of a figure: the rows of curves.tsv with these settings, by size.
rows(recipe, kind, motif, ft, regime, mode) = sprintf("< awk -F '\\t' 'NR == 1 || ($1 == \"%s\" && $2 == \"%s\" && $3 == \"%s\" && $4 == \"%s\" && $5 == \"%s\" && $6 == \"%s\")' %s | sort -t '\t' -k 7n", recipe, kind, motif, ft, regime, mode, curves)
published(kind, motif, ft) = sprintf("< awk -F '\\t' 'NR == 1 || ($1 == \"%s\" && $2 == \"%s\" && $3 == \"%s\")' %s", kind, motif, ft, paper)
# A curve of no rows is an error to gnuplot: then draw a point that is outside the panel.
nothing = "< printf 'size\\tH\\tce_r\\tce_pi\\tce_pi_rs\\tce_pi_snis\\tfreq_r\\tfreq_pi\\tfreq_pi_rs\\tfreq_pi_snis\\tl1_mom\\tl1_r\\tl1_pi\\tfreq_true\\n1\\t0\\t0\\t0\\t0\\t0\\t0\\t0\\t0\\t0\\t0\\t0\\t0\\t0\\n'"
some(command) = int(system(command[2:] . " | awk 'END { print NR - 1 }'")) > 0 ? command : nothing
r_colour = '#d95f02'
rs_colour = '#1b9e77'
snis_colour = '#7570b3'
