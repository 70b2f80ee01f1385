/* SPDX-License-Identifier: MIT
 *
 * pfsa_formats: automata as AT&T text, the exchange format of OpenFst.
 *
 *     source target label weight     an arc
 *     state weight                   a final state
 *
 * Labels are 1, 2, ... in the order of the alphabet (0 would be epsilon); weights are -ln p,
 * and a missing weight is 0.  The source of the first line is the start.  Fields are separated
 * by blanks or tabs.
 */

#ifndef GAMUT_PFSA_FORMATS_H
#define GAMUT_PFSA_FORMATS_H

#include <stddef.h>

struct alphabet;
struct err;
struct input;
struct output;
struct pfsa;

enum { PFSA_ATT_ROWS_MAX = 1 << 25 }; /* arcs and final states */

/* 0 or the error of `out`. */
int pfsa_att_write(const struct pfsa *p, struct output *out, struct err *e);

/* Any weighted deterministic acceptor: its weights are pushed, so that it becomes a PFSA.
 * NULL on failure: errors of a line are `FILE:LINE: ...`. */
struct pfsa *pfsa_att_read(struct input *in, const struct alphabet *a, struct err *e);

/* The same with at most `most` lines that are not blank, ERR_LIMIT beyond; above it is
 * PFSA_ATT_ROWS_MAX, a gigabyte. */
struct pfsa *pfsa_att_read_most(struct input *in, const struct alphabet *a, size_t most,
                                struct err *e);

/* The same without the weights, for the set of strings that are accepted; an arc or a final state
 * of weight infinity is none.  Also for automata whose weights have no sum. */
struct pfsa *pfsa_att_read_unweighted(struct input *in, const struct alphabet *a, struct err *e);

/* The symbol table for it: `<eps> 0`, then one line per symbol. */
int pfsa_att_write_symbols(const struct alphabet *a, struct output *out, struct err *e);

/* ---- DOT: an automaton as a picture, in the language of Graphviz */

/* States are circles, doubled if a string can end there; arcs are labeled `symbol /
 * probability`, final states `probability of ending`.  0 or the error of `out`. */
int pfsa_dot_write(const struct pfsa *p, struct output *out, struct err *e);

/* ---- JSON: an automaton for programs that have no reader for ours.
 *
 *     {"kind": "pfsa", "alphabet": "01", "log_partition": -0.69,
 *      "states": [{"final": -0.1, "arcs": [{"symbol": "0", "target": 1,
 *      "logp": -2.3}, ...]}, ...]}
 *
 * Logarithms are natural; a state where no string ends has no "final".
 */

/* 0 or the error of `out`. */
int pfsa_json_write(const struct pfsa *p, struct output *out, struct err *e);

/* NULL on failure, with a text that names the file and the place.  Weights are pushed, as by
 * pfsa_att_read; "log_partition", if present, is added to the log of their total. */
struct pfsa *pfsa_json_read(struct input *in, struct err *e);

#endif
