# SPDX-License-Identifier: MIT
# figure.gp: CE/H and motif frequency against |D|; the shades span all motifs and seeds.
# Variables: type (svg, png), name, curve (of curve.awk), paper (figure2.tsv), again (runs
# of the paper's recipe here, in a results.tsv)
if (type eq 'png') {
    set terminal pngcairo size 1000,420 font 'sans,11'
} else {
    set terminal svg size 1000,420 font 'sans,12' background 'white'
}
set output name
set datafile separator tab
set multiplot layout 1,2
curve = "< awk -F '\\t' 'NR == 1 || $1 == \"default\"' " . curve
set logscale x
set xrange [17:26000]
set xtics ('20' 20, '50' 50, '100' 100, '200' 200, '500' 500, '1000' 1000, '5000' 5000, '20000' 20000)
set xlabel '|D|, strings to learn from'
set grid ytics lc rgb '#dddddd'
set style fill transparent solid 0.2 noborder
published = "< awk -F '\\t' 'NR == 1 || $1 == \"m\"' " . paper
reproduced = "< awk -F '\\t' 'NR == 1 || $1 == \"paper\" && $8 == \"two\"' " . again
H = 0.44913369 # of the paper's process, nats a character
r_colour = '#d95f02'
pi_colour = '#1b9e77'

set ylabel 'cross-entropy / entropy'
set yrange [0.98:*]
unset key
plot 1 with lines lc rgb 'black' dt 2, \
    curve using 'size':'ce_r_min':'ce_r_max' with filledcurves lc rgb r_colour, \
    curve using 'size':'ce_pi_min':'ce_pi_max' with filledcurves lc rgb pi_colour, \
    curve using 'size':'ce_r' with linespoints lc rgb r_colour pt 7, \
    curve using 'size':'ce_P' with lines lc rgb pi_colour dt 3, \
    curve using 'size':'ce_pi' with linespoints lc rgb pi_colour pt 7, \
    published using 'size':(column('ce_r') / H) with points lc rgb r_colour pt 2, \
    published using 'size':(column('ce_pi_rs') / H) with points lc rgb pi_colour pt 2, \
    reproduced using 'size':(column('ce_r') / H) with points lc rgb r_colour pt 4, \
    reproduced using 'size':(column('ce_pi') / H) with points lc rgb pi_colour pt 4

set ylabel 'strings with the motif'
set yrange [0:1.02]
set key at graph 0.98,0.62
plot 1 with lines lc rgb 'black' dt 2 title 'the process itself', \
    curve using 'size':'freq_r_min':'freq_r_max' with filledcurves lc rgb r_colour notitle, \
    curve using 'size':'freq_pi_min':'freq_pi_max' with filledcurves lc rgb pi_colour notitle, \
    curve using 'size':'freq_r' with linespoints lc rgb r_colour pt 7 title 'r: the LSTM alone', \
    curve using 'size':'freq_P' with lines lc rgb pi_colour dt 3 title 'P: with the features', \
    curve using 'size':'freq_pi' with linespoints lc rgb pi_colour pt 7 title 'pi: P as an LSTM', \
    published using 'size':'freq_r' with points lc rgb r_colour pt 2 title 'r in the paper', \
    published using 'size':'freq_pi_rs' with points lc rgb pi_colour pt 2 title 'pi in the paper', \
    reproduced using 'size':'freq_r' with points lc rgb r_colour pt 4 title 'r by its recipe, here', \
    reproduced using 'size':'freq_pi' with points lc rgb pi_colour pt 4 title 'pi by its recipe, here'
unset multiplot
