# SPDX-License-Identifier: MIT
# figure.gp: CE/H and motif frequency against |D| + |V|; the shades span all motifs and seeds.
# Variables: type (svg, png), name, curve (of curve.awk), paper (figure2.tsv), again (runs
# of the paper's recipe here, in a results.tsv)
if (type eq 'png') {
    set terminal pngcairo size 1000,480 font 'sans,11'
} else {
    set terminal svg size 1000,480 font 'sans,12' background 'white'
}
set output name
set datafile separator tab
set datafile missing '-'
motif = '10001011111000' # the paper's
curve = "< awk -F '\\t' 'NR == 1 || $1 == \"default\"' " . curve
controls = int(system(curve[2:] . " | awk -F '\\t' '{ n += $4 } END { print n + 0 }'"))
published = sprintf("< awk -F '\\t' 'NR == 1 || ($1 == \"m\" && $2 == \"%s\")' %s", motif, paper)
reproduced = sprintf("< awk -F '\\t' 'NR == 1 || ($1 == \"paper\" && $2 == \"m\" && $3 == \"%s\" && %s)' %s", motif, \
    '$6 == "1001111" && $7 == "rs" && $8 == "two"', again)
# |D| + |V|: |V| is |D|/4, in the paper within [500, 2000].
ours(n) = n + int(n / 4)
theirs(n) = n + (n / 4 < 500 ? 500 : n / 4 > 2000 ? 2000 : n / 4)
r_colour = '#d95f02'
pi_colour = '#1b9e77'
pi0_colour = '#7570b3'

set multiplot layout 1,2 margins 0.07,0.98,0.33,0.96 spacing 0.09,0
set logscale x
set xrange [20:30000]
set xtics (25, 62, 125, 250, 625, 1250, 6250, 22000)
set xlabel 'strings of data, |D| + |V|'
set grid ytics lc rgb '#dddddd'
set style fill transparent solid 0.2 noborder
unset key

set ylabel 'cross-entropy / entropy'
set yrange [0.98:*]
plot 1 with lines lc rgb 'black' dt 2, \
    curve using (ours(column('size'))):'ce_r_min':'ce_r_max' with filledcurves lc rgb r_colour, \
    curve using (ours(column('size'))):'ce_pi_min':'ce_pi_max' with filledcurves lc rgb pi_colour, \
    curve using (ours(column('size'))):'ce_r' with linespoints lc rgb r_colour pt 7, \
    curve using (ours(column('size'))):'ce_pi0' with linespoints lc rgb pi0_colour dt 4 pt 9, \
    curve using (ours(column('size'))):'ce_P' with lines lc rgb pi_colour dt 3, \
    curve using (ours(column('size'))):'ce_pi' with linespoints lc rgb pi_colour pt 7, \
    published using (theirs(column('size'))):(column('ce_r') / column('H')) with points lc rgb r_colour pt 2, \
    published using (theirs(column('size'))):(column('ce_pi_rs') / column('H')) with points lc rgb pi_colour pt 2, \
    reproduced using (theirs(column('size'))):(column('ce_r') / column('H')) with points lc rgb r_colour pt 4, \
    reproduced using (theirs(column('size'))):(column('ce_pi') / column('H')) with points lc rgb pi_colour pt 4

set ylabel 'strings with the motif'
set yrange [0:1.02]
plot 1 with lines lc rgb 'black' dt 2, \
    curve using (ours(column('size'))):'freq_r_min':'freq_r_max' with filledcurves lc rgb r_colour, \
    curve using (ours(column('size'))):'freq_pi_min':'freq_pi_max' with filledcurves lc rgb pi_colour, \
    curve using (ours(column('size'))):'freq_r' with linespoints lc rgb r_colour pt 7, \
    curve using (ours(column('size'))):'freq_pi0' with linespoints lc rgb pi0_colour dt 4 pt 9, \
    curve using (ours(column('size'))):'freq_P' with lines lc rgb pi_colour dt 3, \
    curve using (ours(column('size'))):'freq_pi' with linespoints lc rgb pi_colour pt 7, \
    published using (theirs(column('size'))):'freq_r' with points lc rgb r_colour pt 2, \
    published using (theirs(column('size'))):'freq_pi_rs' with points lc rgb pi_colour pt 2, \
    reproduced using (theirs(column('size'))):'freq_r' with points lc rgb r_colour pt 4, \
    reproduced using (theirs(column('size'))):'freq_pi' with points lc rgb pi_colour pt 4

# The key, in a panel of its own below, where it covers nothing.
set margins screen 0.02, screen 0.98, screen 0.01, screen 0.15
unset border
unset tics
unset xlabel
unset ylabel
unset grid
unset logscale
set key center center vertical maxrows 3 Left reverse samplen 3 width 1
set label "The paper's points, and ours by its recipe, have |V| = 500 at least and no length feature." \
    at screen 0.5, screen 0.185 center
plot [0:1] [0:1] NaN with lines lc rgb 'black' dt 2 title 'the process itself', \
    NaN with linespoints lc rgb r_colour pt 7 title 'r: the LSTM alone', \
    NaN with linespoints lc rgb pi0_colour dt 4 pt 9 title controls ? 'pi0: r distilled, no features' : '', \
    NaN with lines lc rgb pi_colour dt 3 title 'P: r with the features', \
    NaN with linespoints lc rgb pi_colour pt 7 title 'pi: P distilled', \
    NaN with points lc rgb r_colour pt 2 title 'r in the paper', \
    NaN with points lc rgb pi_colour pt 2 title 'pi in the paper', \
    NaN with points lc rgb r_colour pt 4 title 'r by its recipe, here', \
    NaN with points lc rgb pi_colour pt 4 title 'pi by its recipe, here'
unset multiplot
