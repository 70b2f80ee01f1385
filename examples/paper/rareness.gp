# SPDX-License-Identifier: MIT
# rareness.gp: r (dotted) and pi (solid), one color per motif, from frequent to rare (see
# style.gp).  The percentage is that of i.i.d. strings that contain the motif.
chosen = '$1 == "default" && $2 == "m" && $4 == "1001111" && $5 == "rs" && $6 == "two"'
motifs = system(sprintf("awk -F '\\t' '%s { print $8, $3 }' %s | sort -g -r -u | cut -d ' ' -f 2", \
    chosen, curves))
rarity(m) = system(sprintf("awk -F '\\t' '%s && $3 == \"%s\" { printf \"%%.2g\", 100 * $8; exit }' %s", \
    chosen, m, curves))
line(m) = some(rows('default', 'm', m, '1001111', 'rs', 'two'))
of(i) = line(word(motifs, i))
count = words(motifs)
# A sequential palette, light to dark.
shade(i) = word('#9ecae1 #6baed6 #4292c6 #2171b5 #084594', count == 1 ? 5 : 1 + int(4.0 * (i - 1) / (count - 1) + 0.5))
sizes(order) = real(system(sprintf("awk -F '\\t' '%s { print $7 }' %s | sort -g%s | head -n 1", chosen, curves, order)))
set xrange [0.75 * sizes(''):1.33 * sizes('r')]
@panels 'By rareness of the motif: r (dotted) and pi (solid); features: motif and distractors'
@ce_panel
plot for [i = 1:count] of(i) using 'size':(above('ce_r')) with linespoints lc rgb shade(i) dt 3 pt 6, \
    for [i = 1:count] of(i) using 'size':(above('ce_pi')) with linespoints lc rgb shade(i) pt 7
@l1_panel
plot for [i = 1:count] of(i) using 'size':'l1_r' with linespoints lc rgb shade(i) dt 3 pt 6, \
    for [i = 1:count] of(i) using 'size':'l1_pi' with linespoints lc rgb shade(i) pt 7
@frequency_panel
set autoscale yfixmin
set yrange [* < 0.95:1.001]
plot for [i = 1:count] of(i) using 'size':'freq_r' with linespoints lc rgb shade(i) dt 3 pt 6, \
    for [i = 1:count] of(i) using 'size':'freq_pi' with linespoints lc rgb shade(i) pt 7
@key_below
plot [0:1] [0:1] for [i = 1:count] NaN with linespoints lc rgb shade(i) pt 7 \
    title sprintf('%s, in %s%% of i.i.d. strings', word(motifs, i), rarity(word(motifs, i)))
unset multiplot
