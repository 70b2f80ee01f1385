/* SPDX-License-Identifier: MIT
 *
 * dot: an automaton as a picture, in the language of Graphviz.
 */
#ifndef GAMUT_DOT_H
#define GAMUT_DOT_H

struct err;
struct out;
struct pfsa;

/* States are circles, doubled where a string may end; arcs are labelled
 * `symbol / probability`, final states `probability of ending`.  0 or the
 * error of `out`. */
int dot_write(const struct pfsa *p, struct out *out, struct err *e);

#endif
