# SPDX-License-Identifier: MIT
# rareness.gp: the same by rareness of the motif: CE/H of r (dotted) and of pi, a line a motif,
# pure with ft 1001111 and rs (see style.gp); Z is the share of strings that have the motif.
motifs = system(sprintf("awk -F '\\t' '$2 == \"m\" && $4 == \"1001111\" { print $8, $3 }' %s | sort -g -r -u | awk '{ print $2 }'", curves))
rarity(m) = system(sprintf("awk -F '\\t' '$3 == \"%s\" && $2 == \"m\" { print $8; exit }' %s", m, curves))
line(m) = some(rows('default', 'm', m, '1001111', 'rs', 'two'))
set multiplot layout 1,3 title 'by rareness of the motif: pure, ft 1001111, rs; dotted r, full pi'
set ylabel 'cross-entropy / entropy'
set yrange [0.98:*]
plot for [i = 1:words(motifs)] line(word(motifs, i)) using 'size':(column('ce_r') / column('H')) with linespoints lc i dt 3 pt 6 notitle, \
    for [i = 1:words(motifs)] line(word(motifs, i)) using 'size':(column('ce_pi') / column('H')) with linespoints lc i pt 7 title 'Z = ' . rarity(word(motifs, i))
set ylabel 'l1 distance of moments to D'
set yrange [0:*]
unset key
plot for [i = 1:words(motifs)] line(word(motifs, i)) using 'size':'l1_r' with linespoints lc i dt 3 pt 6, \
    for [i = 1:words(motifs)] line(word(motifs, i)) using 'size':'l1_pi' with linespoints lc i pt 7
set ylabel 'strings with the motif'
set yrange [0:1.03]
plot for [i = 1:words(motifs)] line(word(motifs, i)) using 'size':'freq_r' with linespoints lc i dt 3 pt 6, \
    for [i = 1:words(motifs)] line(word(motifs, i)) using 'size':'freq_pi' with linespoints lc i pt 7
unset multiplot
