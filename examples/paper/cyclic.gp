# SPDX-License-Identifier: MIT
# cyclic.gp: cyclic and two-stage training for one motif with ft 1001111: the panels of
# curve.gp (see style.gp).  r is the LSTM that both start from.
@panels sprintf('Two-stage (solid) and cyclic training (dotted): all strings contain %s', motif)
line(regime, mode) = some(rows('default', 'm', motif, '1001111', regime, mode))
rs = line('rs', 'two')
rs_cyclic = line('rs', 'cyclic')
snis = line('snis', 'two')
snis_cyclic = line('snis', 'cyclic')
quantity(name, i) = i == 1 ? above('ce_' . name) : i == 2 ? column('l1_' . name) : column('freq_' . name)
do for [i = 1:3] {
    if (i == 1) { @ce_panel }
    if (i == 2) { @l1_panel }
    # All values are near 1 here: show 0.98 to 1, or more if necessary.
    if (i == 3) { @frequency_panel; set autoscale yfixmin; set yrange [* < 0.98:1.0005] }
    plot rs_cyclic using 'size':(i == 3 ? column('freq_true') : NaN) with lines lc rgb 'black' dt 2, \
        rs using 'size':(quantity('r', i)) with linespoints lc rgb r_color pt 7, \
        rs using 'size':(quantity('pi', i)) with linespoints lc rgb rs_color pt 7, \
        snis using 'size':(quantity('pi', i)) with linespoints lc rgb snis_color pt 7, \
        rs_cyclic using 'size':(quantity('pi', i)) with linespoints lc rgb rs_color dt 3 pt 6, \
        snis_cyclic using 'size':(quantity('pi', i)) with linespoints lc rgb snis_color dt 3 pt 6
}
@key_below
plot [0:1] [0:1] NaN with linespoints lc rgb r_color pt 7 title 'r: LSTM trained on the data alone', \
    NaN with linespoints lc rgb rs_color pt 7 title on(rs, 'pi: two-stage, rejection sampling'), \
    NaN with linespoints lc rgb snis_color pt 7 title on(snis, 'pi: two-stage, importance sampling'), \
    NaN with lines lc rgb 'black' dt 2 title 'source', \
    NaN with linespoints lc rgb rs_color dt 3 pt 6 title on(rs_cyclic, 'pi: cyclic, rejection sampling'), \
    NaN with linespoints lc rgb snis_color dt 3 pt 6 title on(snis_cyclic, 'pi: cyclic, importance sampling')
unset multiplot
