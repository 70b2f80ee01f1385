/* SPDX-License-Identifier: MIT
 *
 * ignore: an error that a test ignores.  The library always requires one.
 */
#ifndef GAMUT_IGNORE_H
#define GAMUT_IGNORE_H

#include "core/err.h"

#define IGNORE_ERR (&(struct err){0})

#endif
