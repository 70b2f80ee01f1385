/* SPDX-License-Identifier: MIT
 *
 * record_automaton: the automaton of the records of a set of features, built as far as it
 * is used.
 *
 * A state is one canonical record of feature.h.  The features together have far
 * fewer states than the product of their own: the seven of the paper about as
 * many as the symbols of their words, times what has been found so far.  State
 * 0 is the start.
 */
#ifndef GAMUT_RECORD_AUTOMATON_H
#define GAMUT_RECORD_AUTOMATON_H

#include <stddef.h>
#include <stdint.h>

struct err;
struct feature_set;
struct record_automaton;

enum { FSM_STATES_MAX = 1 << 22 };

/* Of at most FSM_STATES_MAX states, and as many as `budget` bytes have room for: a
 * hundred features have records of kilobytes.  The features must outlive the result
 * and not grow. */
struct record_automaton *record_automaton_new(const struct feature_set *f, size_t budget,
                                              struct err *e);
void record_automaton_free(struct record_automaton *m); /* NULL is fine */

/* Where `symbol` leads from `state`: 0, ERR_NOMEM, or ERR_LIMIT when there are
 * too many states. */
int record_automaton_step(struct record_automaton *m, uint32_t state, uint8_t symbol,
                          uint32_t *target, struct err *e);

/* The record of a state, valid until the next record_automaton_step. */
const void *record_automaton_record(const struct record_automaton *m, uint32_t state);

#endif
