/* SPDX-License-Identifier: MIT
 *
 * fsa_spec: features that are given by an automaton in a file, fsa:FILE.
 *
 * A model must not depend on another file, so the automaton itself becomes the specification,
 * dfa:TEXT (feature_set.h), and fsa:FILE stays the name of the feature.
 *
 * Tested by tests/cli/motif-freq.t.
 */
#ifndef GAMUT_FSA_SPEC_H
#define GAMUT_FSA_SPEC_H

struct err;
struct feature_set;

/* Adds the feature `spec` under a name.  fsa:FILE and not:fsa:FILE read FILE, AT&T text or a model
 * of kind pfsa over the alphabet of the set.  Errors as feature_set_add_named and those of FILE. */
int fsa_spec_add(struct feature_set *f, const char *name, const char *spec, struct err *e);

#endif
