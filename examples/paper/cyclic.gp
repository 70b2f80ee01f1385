# SPDX-License-Identifier: MIT
# cyclic.gp: cyclic against two-stage training, for the one motif with ft 1001111: the
# panels of curve.gp, of pi (see style.gp).
set multiplot layout 1,3 title sprintf('cyclic (dotted) and two-stage: pure, motif %s, ft 1001111', motif)
array quantity[3] = ['ce_pi', 'l1_pi', 'freq_pi']
array label[3] = ['cross-entropy of pi, nats a character', 'l1 distance of moments of pi to D', 'strings of pi with the motif']
line(regime, mode) = some(rows('default', 'm', motif, '1001111', regime, mode))
do for [i = 1:3] {
    set ylabel label[i]
    plot line('rs', 'two') using 'size':quantity[i] with linespoints lc rgb rs_colour pt 7 title 'rs', \
        line('rs', 'cyclic') using 'size':quantity[i] with linespoints lc rgb rs_colour dt 3 pt 6 title 'rs, cyclic', \
        line('snis', 'two') using 'size':quantity[i] with linespoints lc rgb snis_colour pt 7 title 'snis', \
        line('snis', 'cyclic') using 'size':quantity[i] with linespoints lc rgb snis_colour dt 3 pt 6 title 'snis, cyclic'
    unset key
}
unset multiplot
