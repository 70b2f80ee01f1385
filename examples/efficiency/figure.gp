# SPDX-License-Identifier: MIT
# figure.gp: CE/H and motif frequency against |D|; the shades span all motifs and seeds.
# Variables: type (svg, png), name, curve (of curve.awk), paper (figure2.tsv)
if (type eq 'png') {
    set terminal pngcairo size 1000,420 font 'sans,11'
} else {
    set terminal svg size 1000,420 font 'sans,12' background 'white'
}
set output name
set datafile separator tab
set multiplot layout 1,2
set logscale x
set xrange [17:26000]
set xtics ('20' 20, '50' 50, '100' 100, '200' 200, '500' 500, '1000' 1000, '5000' 5000, '20000' 20000)
set xlabel '|D|, strings to learn from'
set grid ytics lc rgb '#dddddd'
set style fill transparent solid 0.2 noborder
paper_m = "< awk -F '\\t' 'NR == 1 || $1 == \"m\"' " . paper
H = 0.44913369

set ylabel 'cross-entropy / entropy'
set yrange [0.98:*]
set key top right
plot 1 with lines lc rgb 'black' dt 2 title 'entropy of the process', \
    curve using 'size':'ce_r_min':'ce_r_max' with filledcurves lc rgb '#d95f02' notitle, \
    curve using 'size':'ce_r' with linespoints lc rgb '#d95f02' pt 7 title 'r: the LSTM alone', \
    curve using 'size':'ce_pi_min':'ce_pi_max' with filledcurves lc rgb '#1b9e77' notitle, \
    curve using 'size':'ce_pi' with linespoints lc rgb '#1b9e77' pt 7 title 'pi: with the features', \
    paper_m using 'size':(column('ce_r') / H) with points lc rgb '#d95f02' pt 2 title 'r, in the paper', \
    paper_m using 'size':(column('ce_pi_rs') / H) with points lc rgb '#1b9e77' pt 2 title 'pi, in the paper'

set ylabel 'strings with the motif'
set yrange [0:1.02]
unset key
plot 1 with lines lc rgb 'black' dt 2, \
    curve using 'size':'freq_r_min':'freq_r_max' with filledcurves lc rgb '#d95f02', \
    curve using 'size':'freq_r' with linespoints lc rgb '#d95f02' pt 7, \
    curve using 'size':'freq_pi_min':'freq_pi_max' with filledcurves lc rgb '#1b9e77', \
    curve using 'size':'freq_pi' with linespoints lc rgb '#1b9e77' pt 7, \
    paper_m using 'size':'freq_r' with points lc rgb '#d95f02' pt 2, \
    paper_m using 'size':'freq_pi_rs' with points lc rgb '#1b9e77' pt 2
unset multiplot
