/* SPDX-License-Identifier: MIT
 *
 * stopwatch: seconds that only go forward, for rates and reports.
 */
#ifndef GAMUT_SECONDS_H
#define GAMUT_SECONDS_H

/* Since some moment that does not change while the machine runs. */
double stopwatch_now(void);

#endif
