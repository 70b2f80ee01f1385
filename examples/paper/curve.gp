# SPDX-License-Identifier: MIT
# curve.gp: one setting in three panels: cross-entropy with the entropy as floor, the l1
# distance of moments, and the motif's frequency (see style.gp).  Full: the default recipe;
# dotted: the paper's recipe; crosses: the paper's figure.
set multiplot layout 1,3 title sprintf('%s, motif %s, ft %s', kind eq 'm' ? 'pure' : 'mixture', motif, ft)
mine(regime) = rows('default', kind, motif, ft, regime, 'two')
again = rows('paper', kind, motif, ft, 'rs', 'two')
theirs = published(kind, motif, ft)
rs = some(mine('rs'))
snis = some(mine('snis'))
old = some(again)
pub = some(theirs)

set ylabel 'cross-entropy, nats a character'
set yrange [*:*]
set key top right
plot rs using 'size':'H' with lines lc rgb 'black' dt 2 title 'entropy', \
    rs using 'size':'ce_r' with linespoints lc rgb r_colour pt 7 title 'r', \
    rs using 'size':'ce_pi' with linespoints lc rgb rs_colour pt 7 title 'pi, rs', \
    snis using 'size':'ce_pi' with linespoints lc rgb snis_colour pt 7 title 'pi, snis', \
    old using 'size':'ce_r' with linespoints lc rgb r_colour dt 3 pt 6 title "r, paper's recipe", \
    old using 'size':'ce_pi' with linespoints lc rgb rs_colour dt 3 pt 6 title "pi, paper's recipe", \
    pub using 'size':'ce_r' with points lc rgb r_colour pt 2 title 'r, in the paper', \
    pub using 'size':'ce_pi_rs' with points lc rgb rs_colour pt 2 title 'pi rs, in the paper', \
    pub using 'size':'ce_pi_snis' with points lc rgb snis_colour pt 2 title 'pi snis, in the paper'

set ylabel 'l1 distance of moments to D'
set yrange [0:*]
plot rs using 'size':'l1_r' with linespoints lc rgb r_colour pt 7 title 'r', \
    rs using 'size':'l1_mom' with linespoints lc rgb rs_colour dt 2 pt 4 title 'P, rs', \
    rs using 'size':'l1_pi' with linespoints lc rgb rs_colour pt 7 title 'pi, rs', \
    snis using 'size':'l1_mom' with linespoints lc rgb snis_colour dt 2 pt 4 title 'P, snis', \
    snis using 'size':'l1_pi' with linespoints lc rgb snis_colour pt 7 title 'pi, snis', \
    old using 'size':'l1_r' with linespoints lc rgb r_colour dt 3 pt 6 notitle, \
    old using 'size':'l1_pi' with linespoints lc rgb rs_colour dt 3 pt 6 notitle

set ylabel 'strings with the motif'
set yrange [0:1.03]
unset key
plot rs using 'size':'freq_true' with lines lc rgb 'black' dt 2, \
    rs using 'size':'freq_r' with linespoints lc rgb r_colour pt 7, \
    rs using 'size':'freq_pi' with linespoints lc rgb rs_colour pt 7, \
    snis using 'size':'freq_pi' with linespoints lc rgb snis_colour pt 7, \
    old using 'size':'freq_r' with linespoints lc rgb r_colour dt 3 pt 6, \
    old using 'size':'freq_pi' with linespoints lc rgb rs_colour dt 3 pt 6, \
    pub using 'size':'freq_r' with points lc rgb r_colour pt 2, \
    pub using 'size':'freq_pi_rs' with points lc rgb rs_colour pt 2, \
    pub using 'size':'freq_pi_snis' with points lc rgb snis_colour pt 2
unset multiplot
