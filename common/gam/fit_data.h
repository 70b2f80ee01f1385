/* SPDX-License-Identifier: MIT
 *
 * fit_data: the strings that a GAM is fitted to, as a histogram of their
 * feature vectors; the strings themselves are not kept.
 */
#ifndef GAMUT_FIT_DATA_H
#define GAMUT_FIT_DATA_H

#include <stdint.h>

struct err;
struct gam;
struct hist;

/* All zero is empty. */
struct fit_data {
    struct hist *seen;
    uint64_t hash;      /* of the file (in_hash) */
    uint64_t forbidden; /* strings that the GAM's hard constraints rule out */
};

/* Reads a file ("-" is stdin).  ERR_DATA if there are no strings, or one is
 * longer than the GAM's L.  The features of `g` must outlive the data. */
int fit_data_read(struct fit_data *d, const struct gam *g, const char *path, struct err *e);
void fit_data_clear(struct fit_data *d);

#endif
