# SPDX-License-Identifier: MIT
# cyclic.gp: cyclic against two-stage training, for the one motif with ft 1001111: the
# panels of curve.gp, of pi (see style.gp).  r is the one that both begin with.
@panels sprintf('cyclic (dotted) and two-stage training: pure, motif %s, ft 1001111', motif)
line(regime, mode) = some(rows('default', 'm', motif, '1001111', regime, mode))
rs = line('rs', 'two')
rs_cyclic = line('rs', 'cyclic')
snis = line('snis', 'two')
snis_cyclic = line('snis', 'cyclic')
array quantity[3] = ['ce', 'l1', 'freq']
array floor[3] = ['H', '', 'freq_true']
do for [i = 1:3] {
    if (i == 1) { set ylabel 'cross-entropy, nats a character' }
    if (i == 2) { @l1_panel }
    # All is near 1 here: from 0.9 to 1, or lower if need be.
    if (i == 3) { @frequency_panel; set autoscale yfixmin; set yrange [* < 0.9:1] }
    ours = quantity[i] . '_pi'
    plot rs_cyclic using 'size':(strlen(floor[i]) ? column(floor[i]) : NaN) with lines lc rgb 'black' dt 2, \
        rs using 'size':quantity[i] . '_r' with linespoints lc rgb r_colour pt 7, \
        rs using 'size':ours with linespoints lc rgb rs_colour pt 7, \
        snis using 'size':ours with linespoints lc rgb snis_colour pt 7, \
        rs_cyclic using 'size':ours with linespoints lc rgb rs_colour dt 3 pt 6, \
        snis_cyclic using 'size':ours with linespoints lc rgb snis_colour dt 3 pt 6
}
@key_below
plot [0:1] [0:1] NaN with lines lc rgb 'black' dt 2 title 'the process itself', \
    NaN with linespoints lc rgb r_colour pt 7 title on(rs, 'r'), \
    NaN with linespoints lc rgb rs_colour pt 7 title on(rs, 'pi, rs'), \
    NaN with linespoints lc rgb snis_colour pt 7 title on(snis, 'pi, snis'), \
    NaN with linespoints lc rgb rs_colour dt 3 pt 6 title on(rs_cyclic, 'pi, rs, cyclic'), \
    NaN with linespoints lc rgb snis_colour dt 3 pt 6 title on(snis_cyclic, 'pi, snis, cyclic')
unset multiplot
