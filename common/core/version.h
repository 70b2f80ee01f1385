/* SPDX-License-Identifier: MIT */
#ifndef GAMUT_VERSION_H
#define GAMUT_VERSION_H

#define GAMUT_VERSION "0.1.0"

#endif
