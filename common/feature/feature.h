/* SPDX-License-Identifier: MIT
 *
 * phi: a single feature of a string, by itself: how it follows the string
 * symbol by symbol, what it is worth, and what it can still become.
 *
 * feature.h says what each kind means, and puts features together.  A feature's
 * part `s` of the record of a prefix is phi_words() 32-bit words, all zero at
 * the start.
 */

#ifndef GAMUT_FEATURE_H
#define GAMUT_FEATURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "automata/suffix_automaton.h"
#include "text/alphabet.h"

struct err;
struct phi_kind;

struct phi {
    const struct phi_kind *kind;
    unsigned symbols; /* size of the alphabet */
    uint8_t *word;    /* [m] codes of S */
    uint32_t m;       /* |S|; 0 for kinds without a word */
    uint32_t number;  /* N of length:N */
    uint32_t *next;   /* KMP automaton [m+1][symbols] */
    uint32_t period;  /* shortest period of S */
    struct sam sam;   /* lcs */
};

enum phi_argument { PHI_NONE, PHI_WORD, PHI_NUMBER };
enum phi_scale { PHI_UNSCALED, PHI_PER_L, PHI_PER_L2 }; /* what divides a value */

struct phi_kind {
    const char *name;
    enum phi_argument argument;
    enum phi_scale scale;
    bool by_word;                                 /* values are counted in |S|-ths */
    int (*compile)(struct phi *f, struct err *e); /* NULL: nothing to do */
    size_t (*words)(const struct phi *f);         /* NULL: one */
    void (*step)(const struct phi *f, uint32_t *s, uint8_t a);
    uint64_t (*whole)(const struct phi *f, const uint32_t *s);
    /* Least and greatest `whole` within `rest` more symbols. */
    void (*range)(const struct phi *f, const uint32_t *s, uint64_t rest, double *lo, double *hi);
};

/* From its spec; 0 or the errors of features_add.  Clear in either case. */
int phi_init(struct phi *f, const struct alphabet *a, const char *spec, struct err *e);
void phi_clear(struct phi *f);

enum feature_kind phi_kind(const struct phi *f);
size_t phi_words(const struct phi *f);

/* feature_kind: the kinds of features that there are; feature.h says what each
 * means, and phi.h how it is followed.
 */

enum { FEATURE_EDIT_MAX = 255 }; /* symbols in the word of edit:S */

enum feature_kind {
    FEATURE_MOTIF,
    FEATURE_PREFIX,
    FEATURE_SUFFIX,
    FEATURE_LENGTH_IS, /* length:N */
    FEATURE_LENGTH,
    FEATURE_LENGTH2,
    FEATURE_COUNT,
    FEATURE_LCS,
    FEATURE_EDIT
};

#endif
