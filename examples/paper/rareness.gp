# SPDX-License-Identifier: MIT
# rareness.gp: the same by rareness of the motif: CE/H of r (dotted) and of pi, a line a motif,
# pure with ft 1001111 and rs (see style.gp); Z is the share of strings that have the motif.
chosen = '$1 == "default" && $2 == "m" && $4 == "1001111" && $5 == "rs" && $6 == "two"'
motifs = system(sprintf("awk -F '\\t' '%s { print $8, $3 }' %s | sort -g -r -u | cut -d ' ' -f 2", \
    chosen, curves))
rarity(m) = system(sprintf("awk -F '\\t' '%s && $3 == \"%s\" { printf \"%%.2g\", $8; exit }' %s", \
    chosen, m, curves))
line(m) = some(rows('default', 'm', m, '1001111', 'rs', 'two'))
of(i) = line(word(motifs, i))
count = words(motifs)
@panels 'by rareness of the motif: pure, ft 1001111, rs, default recipe'
set ylabel 'cross-entropy / entropy'
# T is a sample: a model that is nearly the truth may fall a little below 1 on it.
set yrange [0.995:*]
plot for [i = 1:count] of(i) using 'size':(column('ce_r') / column('H')) with linespoints lc i dt 3 pt 6, \
    for [i = 1:count] of(i) using 'size':(column('ce_pi') / column('H')) with linespoints lc i pt 7
@l1_panel
plot for [i = 1:count] of(i) using 'size':'l1_r' with linespoints lc i dt 3 pt 6, \
    for [i = 1:count] of(i) using 'size':'l1_pi' with linespoints lc i pt 7
@frequency_panel
set autoscale yfixmin
set yrange [* < 0.9:1]
plot for [i = 1:count] of(i) using 'size':'freq_r' with linespoints lc i dt 3 pt 6, \
    for [i = 1:count] of(i) using 'size':'freq_pi' with linespoints lc i pt 7
@key_below
plot [0:1] [0:1] NaN with linespoints lc rgb 'black' dt 3 pt 6 title 'r', \
    NaN with linespoints lc rgb 'black' pt 7 title 'pi', \
    for [i = 1:count] NaN with lines lc i title sprintf('%s, Z = %s', word(motifs, i), rarity(word(motifs, i)))
unset multiplot
