/* SPDX-License-Identifier: MIT
 *
 * report: results as `name<TAB>value` lines or TAB-separated tables that awk reads, or as one
 * JSON object.  Numbers round-trip (num_text).  JSON has no infinities and no NaN: infinities
 * become the strings "inf" and "-inf"; NaN, which means that there is no value, becomes null.
 */
#ifndef GAMUT_REPORT_H
#define GAMUT_REPORT_H

#include <stdbool.h>
#include <stdint.h>

struct err;
struct output;

/* A plain value.  After the first error in `e`, later calls do nothing. */
struct report {
    struct output *out;
    struct err *e;
    bool json;
    int depth;                  /* JSON: 0 object, 1 array of a table, 2 a row's object */
    bool first;                 /* no member written yet at this depth */
    const char *const *columns; /* of the current table */
    unsigned column;            /* column of the next cell */
};

void report_begin(struct report *r, struct output *out, bool json, struct err *e);
void report_u64(struct report *r, const char *name, uint64_t value);
void report_f64(struct report *r, const char *name, double value);
void report_text(struct report *r, const char *name, const char *value);

/* A table: header row, then cells from left to right.  `columns` ends with
 * NULL.  In JSON it is the member `name`, an array of objects. */
void report_table(struct report *r, const char *name, const char *const *columns);
void report_cell_u64(struct report *r, uint64_t value);
void report_cell_f64(struct report *r, double value);
void report_cell_text(struct report *r, const char *value);
void report_table_end(struct report *r);

int report_end(struct report *r); /* 0 or the first error */

#endif
