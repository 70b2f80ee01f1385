/* SPDX-License-Identifier: MIT
 *
 * ignore: the error that a test does not look at.  The library always takes one.
 */
#ifndef GAMUT_IGNORE_H
#define GAMUT_IGNORE_H

#include "core/err.h"

#define IGNORE_ERR (&(struct err){0})

#endif
