# SPDX-License-Identifier: MIT
# figure.gp: cross-entropy above entropy, and motif frequency, against |D| + |V|.  The
# shaded bands span all motifs and seeds.
# Variables: type (svg, png), name, curve (from curve.awk), paper (figure2.tsv)
if (type eq 'png') {
    set terminal pngcairo size 1000,490 font 'sans,11'
} else {
    set terminal svg size 1000,490 font 'sans,12' background 'white'
}
set output name
set datafile separator tab
set datafile missing '-'
motif = '10001011111000' # the one in the paper's figure
curve = "< awk -F '\\t' 'NR == 1 || $1 == \"default\"' " . curve
controls = int(system(curve[2:] . " | awk -F '\\t' '{ n += $4 } END { print n + 0 }'"))
published = sprintf("< awk -F '\\t' 'NR == 1 || ($1 == \"m\" && $2 == \"%s\")' %s", motif, paper)
# |D| + |V|: |V| is |D|/4, in the paper 500 to 2000.
ours(n) = n + int(n / 4)
theirs(n) = n + (n / 4 < 500 ? 500 : n / 4 > 2000 ? 2000 : n / 4)
above(name) = 100 * (column(name) - 1)
above_paper(name) = 100 * (column(name) / column('H') - 1)
r_color = '#d95f02'
pi_color = '#1b9e77'
pi0_color = '#7570b3'

set multiplot layout 1,2 margins 0.07,0.98,0.31,0.92 spacing 0.09,0
set logscale x
set xrange [20:30000]
set xtics (25, 62, 125, 250, 625, 1250, 6250, 22000)
set xlabel 'training and validation strings'
set grid ytics lc rgb '#dddddd'
set style fill transparent solid 0.2 noborder
unset key

# On a log scale the differences at all sizes are visible, and no single band fills the panel.
set title 'Cross-entropy above the entropy of the source'
set ylabel 'percent'
set logscale y
set yrange [0.4:100]
set ytics (0.5, 1, 2, 5, 10, 20, 50, 100)
plot curve using (ours(column('size'))):(above('ce_r_min')):(above('ce_r_max')) with filledcurves lc rgb r_color, \
    curve using (ours(column('size'))):(above('ce_pi_min')):(above('ce_pi_max')) with filledcurves lc rgb pi_color, \
    curve using (ours(column('size'))):(above('ce_r')) with linespoints lc rgb r_color pt 7, \
    curve using (ours(column('size'))):(above('ce_pi0')) with linespoints lc rgb pi0_color dt 4 pt 9, \
    curve using (ours(column('size'))):(above('ce_pi')) with linespoints lc rgb pi_color pt 7, \
    published using (theirs(column('size'))):(above_paper('ce_r')) with points lc rgb r_color pt 2, \
    published using (theirs(column('size'))):(above_paper('ce_pi_rs')) with points lc rgb pi_color pt 2

set title 'Samples that contain the motif'
set ylabel 'fraction'
unset logscale y
set ytics auto
set yrange [0:1.02]
plot 1 with lines lc rgb 'black' dt 2, \
    curve using (ours(column('size'))):'freq_r_min':'freq_r_max' with filledcurves lc rgb r_color, \
    curve using (ours(column('size'))):'freq_pi_min':'freq_pi_max' with filledcurves lc rgb pi_color, \
    curve using (ours(column('size'))):'freq_r' with linespoints lc rgb r_color pt 7, \
    curve using (ours(column('size'))):'freq_pi0' with linespoints lc rgb pi0_color dt 4 pt 9, \
    curve using (ours(column('size'))):'freq_pi' with linespoints lc rgb pi_color pt 7, \
    published using (theirs(column('size'))):'freq_r' with points lc rgb r_color pt 2, \
    published using (theirs(column('size'))):'freq_pi_rs' with points lc rgb pi_color pt 2

# The key has a panel of its own, so that it covers no data.
set margins screen 0.02, screen 0.98, screen 0.01, screen 0.16
unset border
unset tics
unset title
unset xlabel
unset ylabel
unset grid
unset logscale
set key center center vertical maxrows 3 Left reverse samplen 3 width 1
plot [0:1] [0:1] NaN with linespoints lc rgb r_color pt 7 title 'r: LSTM trained on the data alone', \
    NaN with linespoints lc rgb pi_color pt 7 title 'pi: LSTM distilled with features', \
    NaN with linespoints lc rgb pi0_color dt 4 pt 9 title controls ? 'pi0: LSTM distilled without features' : '', \
    NaN with lines lc rgb 'black' dt 2 title 'source', \
    NaN with points lc rgb r_color pt 2 title 'r in the paper', \
    NaN with points lc rgb pi_color pt 2 title 'pi in the paper'
unset multiplot
