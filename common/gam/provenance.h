/* SPDX-License-Identifier: MIT
 *
 * provenance: whether data are those that a model was trained on.
 *
 * A model records hash and size of its training set, and so do the base of a GAM and the
 * components of a mixture.  Data with that hash, or that begin with those bytes, are known.
 *
 * Tested by tests/cli/lm-eval.t.
 */
#ifndef GAMUT_PROVENANCE_H
#define GAMUT_PROVENANCE_H

#include <stddef.h>

#include "io/input.h"

struct model;

enum { PROVENANCE_MAX = 32 }; /* training sets; further ones are ignored */

/* All zero is empty. */
struct provenance {
    struct input_mark mark[PROVENANCE_MAX];
    size_t count;
};

/* Adds the training sets of a model that was read from a file.  NULL is fine. */
void provenance_add(struct provenance *p, const struct model *m);

enum provenance_answer { DATA_NEW, DATA_BEGIN_AS_TRAINED, DATA_TRAINED_ON };

/* After all of `in` was read, which was watched (input_watch) for the marks. */
enum provenance_answer provenance_of(const struct provenance *p, const struct input *in);

#endif
