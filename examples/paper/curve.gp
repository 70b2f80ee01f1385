# SPDX-License-Identifier: MIT
# curve.gp: one setting in three panels: cross-entropy with the entropy as floor, the l1
# distance of moments, and the motif's frequency (see style.gp).  Full: the default recipe;
# dotted: the paper's recipe; crosses: the paper's figure.
@panels sprintf('%s, motif %s, ft %s', kind eq 'm' ? 'pure' : 'mixture', motif, ft)
mine(regime) = rows('default', kind, motif, ft, regime, 'two')
rs = some(mine('rs'))
snis = some(mine('snis'))
old = some(rows('paper', kind, motif, ft, 'rs', 'two'))
pub = some(published(kind, motif, ft))

set ylabel 'cross-entropy, nats a character'
set yrange [*:*]
plot rs using 'size':'H' with lines lc rgb 'black' dt 2, \
    rs using 'size':'ce_r' with linespoints lc rgb r_colour pt 7, \
    rs using 'size':'ce_pi' with linespoints lc rgb rs_colour pt 7, \
    snis using 'size':'ce_pi' with linespoints lc rgb snis_colour pt 7, \
    old using 'size':'ce_r' with linespoints lc rgb r_colour dt 3 pt 6, \
    old using 'size':'ce_pi' with linespoints lc rgb rs_colour dt 3 pt 6, \
    pub using 'size':'ce_r' with points lc rgb r_colour pt 2, \
    pub using 'size':'ce_pi_rs' with points lc rgb rs_colour pt 2, \
    pub using 'size':'ce_pi_snis' with points lc rgb snis_colour pt 2

# Of D' and not of P as its fit had it: that is measured in another way by rs and by snis.
@l1_panel
plot rs using 'size':'l1_r' with linespoints lc rgb r_colour pt 7, \
    rs using 'size':'l1_distilled' with linespoints lc rgb rs_colour dt 2 pt 4, \
    rs using 'size':'l1_pi' with linespoints lc rgb rs_colour pt 7, \
    snis using 'size':'l1_distilled' with linespoints lc rgb snis_colour dt 2 pt 4, \
    snis using 'size':'l1_pi' with linespoints lc rgb snis_colour pt 7, \
    old using 'size':'l1_r' with linespoints lc rgb r_colour dt 3 pt 6, \
    old using 'size':'l1_pi' with linespoints lc rgb rs_colour dt 3 pt 6

@frequency_panel
plot rs using 'size':'freq_true' with lines lc rgb 'black' dt 2, \
    rs using 'size':'freq_r' with linespoints lc rgb r_colour pt 7, \
    rs using 'size':'freq_pi' with linespoints lc rgb rs_colour pt 7, \
    snis using 'size':'freq_pi' with linespoints lc rgb snis_colour pt 7, \
    old using 'size':'freq_r' with linespoints lc rgb r_colour dt 3 pt 6, \
    old using 'size':'freq_pi' with linespoints lc rgb rs_colour dt 3 pt 6, \
    pub using 'size':'freq_r' with points lc rgb r_colour pt 2, \
    pub using 'size':'freq_pi_rs' with points lc rgb rs_colour pt 2, \
    pub using 'size':'freq_pi_snis' with points lc rgb snis_colour pt 2

@key_below
plot [0:1] [0:1] NaN with lines lc rgb 'black' dt 2 title 'the process itself', \
    NaN with linespoints lc rgb r_colour pt 7 title on(rs, 'r'), \
    NaN with linespoints lc rgb rs_colour pt 7 title on(rs, 'pi, rs'), \
    NaN with linespoints lc rgb snis_colour pt 7 title on(snis, 'pi, snis'), \
    NaN with linespoints lc rgb rs_colour dt 2 pt 4 title on(rs, "D' of P, rs"), \
    NaN with linespoints lc rgb snis_colour dt 2 pt 4 title on(snis, "D' of P, snis"), \
    NaN with linespoints lc rgb r_colour dt 3 pt 6 title on(old, "r, paper's recipe"), \
    NaN with linespoints lc rgb rs_colour dt 3 pt 6 title on(old, "pi, rs, paper's recipe"), \
    NaN with points lc rgb r_colour pt 2 title on(pub, 'r, in the paper'), \
    NaN with points lc rgb rs_colour pt 2 title on(pub, 'pi, rs, in the paper'), \
    NaN with points lc rgb snis_colour pt 2 title on(pub, 'pi, snis, in the paper')
unset multiplot
