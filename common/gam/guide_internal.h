/* SPDX-License-Identifier: MIT
 *
 * What guide_source.c and guide.c share.
 */
#ifndef GAMUT_GUIDE_INTERNAL_H
#define GAMUT_GUIDE_INTERNAL_H

#include "gam/guide.h"
#include "gam/surrogate.h"

/* Features that one automaton follows, with the features without states. */
struct guide_group {
    size_t members;
    size_t *member;         /* [members] numbers of single features, ascending */
    struct surrogate joint; /* automaton NULL if there is one member */
    uint32_t *single_state; /* [joint states][members] */
};

struct guide_source {
    const struct feature_set *features;
    unsigned symbols;
    uint32_t max_length;
    uint64_t entries;         /* maximum number in a table */
    struct surrogate plain;   /* one state: features without states */
    size_t singles;           /* features with states */
    struct surrogate *single; /* [singles], each with the features without states */
    size_t groups;
    struct guide_group *group; /* [groups]: each single feature is a member of one */
};

#endif
