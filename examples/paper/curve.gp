# SPDX-License-Identifier: MIT
# curve.gp: one setting in three panels: cross-entropy above entropy, l1 distance of the moments,
# motif frequency (see style.gp).  Solid: default recipe; dotted: the paper's recipe; crosses:
# read off the paper's figure.
@panels sprintf('%s; features: %s', source(kind, motif), features(ft))
mine(regime) = rows('default', kind, motif, ft, regime, 'two')
rs = some(mine('rs'))
snis = some(mine('snis'))
old = some(rows('paper', kind, motif, ft, 'rs', 'two'))
old_snis = some(rows('paper', kind, motif, ft, 'snis', 'two'))
pub = some(published(kind, motif, ft))

@ce_panel
plot rs using 'size':(above('ce_r')) with linespoints lc rgb r_color pt 7, \
    rs using 'size':(above('ce_pi')) with linespoints lc rgb rs_color pt 7, \
    snis using 'size':(above('ce_pi')) with linespoints lc rgb snis_color pt 7, \
    old using 'size':(above('ce_r')) with linespoints lc rgb r_color dt 3 pt 6, \
    old using 'size':(above('ce_pi')) with linespoints lc rgb rs_color dt 3 pt 6, \
    old_snis using 'size':(above('ce_pi')) with linespoints lc rgb snis_color dt 3 pt 6, \
    pub using 'size':(above('ce_r')) with points lc rgb r_color pt 2, \
    pub using 'size':(above('ce_pi_rs')) with points lc rgb rs_color pt 2, \
    pub using 'size':(above('ce_pi_snis')) with points lc rgb snis_color pt 2

@l1_panel
plot rs using 'size':'l1_r' with linespoints lc rgb r_color pt 7, \
    rs using 'size':'l1_pi' with linespoints lc rgb rs_color pt 7, \
    snis using 'size':'l1_pi' with linespoints lc rgb snis_color pt 7, \
    old using 'size':'l1_r' with linespoints lc rgb r_color dt 3 pt 6, \
    old using 'size':'l1_pi' with linespoints lc rgb rs_color dt 3 pt 6, \
    old_snis using 'size':'l1_pi' with linespoints lc rgb snis_color dt 3 pt 6

@frequency_panel
# Points of the paper are near 0; without them, all of the panel is for our curves.
if (pub eq nothing) {
    set yrange [* < 0.95:1.002]
} else {
    set yrange [0:1.02]
}
plot rs using 'size':'freq_true' with lines lc rgb 'black' dt 2, \
    rs using 'size':'freq_r' with linespoints lc rgb r_color pt 7, \
    rs using 'size':'freq_pi' with linespoints lc rgb rs_color pt 7, \
    snis using 'size':'freq_pi' with linespoints lc rgb snis_color pt 7, \
    old using 'size':'freq_r' with linespoints lc rgb r_color dt 3 pt 6, \
    old using 'size':'freq_pi' with linespoints lc rgb rs_color dt 3 pt 6, \
    old_snis using 'size':'freq_pi' with linespoints lc rgb snis_color dt 3 pt 6, \
    pub using 'size':'freq_r' with points lc rgb r_color pt 2, \
    pub using 'size':'freq_pi_rs' with points lc rgb rs_color pt 2, \
    pub using 'size':'freq_pi_snis' with points lc rgb snis_color pt 2

# Colors are models, line and point styles are recipes.
by_snis = 'pi: distilled, fitted by importance sampling'
@key_below
plot [0:1] [0:1] NaN with linespoints lc rgb r_color pt 7 title 'r: LSTM trained on the data alone', \
    NaN with linespoints lc rgb rs_color pt 7 title on(rs, 'pi: distilled, fitted by rejection sampling'), \
    NaN with linespoints lc rgb snis_color pt 7 title snis ne nothing ? by_snis : on(pub, by_snis), \
    NaN with lines lc rgb 'black' dt 2 title 'source', \
    NaN with linespoints lc rgb '#777777' dt 3 pt 6 title on(old, "trained with the paper's recipe"), \
    NaN with points lc rgb '#777777' pt 2 title on(pub, 'published in the paper')
unset multiplot
