/* SPDX-License-Identifier: MIT
 *
 * pfsa_json: an automaton as JSON, for programs that have no reader for ours.
 *
 *     {"kind": "pfsa", "alphabet": "01", "log_partition": -0.69,
 *      "states": [{"final": -0.1, "arcs": [{"symbol": "0", "target": 1,
 *      "logp": -2.3}, ..]}, ..]}
 *
 * Logarithms are natural; a state where no string ends has no "final".
 */
#ifndef GAMUT_PFSA_JSON_H
#define GAMUT_PFSA_JSON_H

struct err;
struct in;
struct out;
struct pfsa;

/* 0 or the error of `out`. */
int pfsa_json_write(const struct pfsa *p, struct out *out, struct err *e);

/* NULL on failure, with a text that names the file and the place.  Weights
 * are pushed, as by att_read; "log_partition", where it stands, is added to
 * the log of their total. */
struct pfsa *pfsa_json_read(struct in *in, struct err *e);

#endif
