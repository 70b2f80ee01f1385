/* SPDX-License-Identifier: MIT
 *
 * fit_report: the log and the report of a fit.
 *
 * Tested by tests/unit/test_fit_data.c.
 */
#ifndef GAMUT_FIT_REPORT_H
#define GAMUT_FIT_REPORT_H

#include <stddef.h>
#include <stdint.h>

#include "io/report.h"

struct err;
struct feature_set;
struct fit_epoch;
struct fit_options;
struct fit_result;
struct gam;
struct joint_candidate;
struct output;

/* A table with one row per epoch and one column per weight.  Like every output, it appears
 * complete or not at all. */
struct fit_log {
    struct output *out; /* NULL: there is none */
    struct report rows;
    const char **column; /* their names */
    size_t features;
};

/* All zero means no log; then the other functions do nothing.  The features and `e`, which
 * gets the errors of all rows, must outlive the log. */
int fit_log_open(struct fit_log *l, const char *path, const struct feature_set *f, struct err *e);
void fit_log_row(struct fit_log *l, const struct fit_epoch *s);

/* Closes the log, which appears if `e` has no error; 0 or the error. */
int fit_log_close(struct fit_log *l, struct err *e);

/* The report of settings and results; `fitted` says how a base was chosen that was fitted with
 * the weights, or is NULL; `strings` is the number of strings in the data.  0 or the error. */
int fit_report(struct report *r, const struct gam *g, const struct fit_options *o,
               const struct fit_result *result, const struct joint_candidate *fitted,
               uint64_t strings, double seconds);

#endif
