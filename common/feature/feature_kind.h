/* SPDX-License-Identifier: MIT
 *
 * feature_kind: the kinds of features that there are; feature.h says what each
 * means, and phi.h how it is followed.
 */
#ifndef GAMUT_FEATURE_KIND_H
#define GAMUT_FEATURE_KIND_H

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
