/* SPDX-License-Identifier: MIT
 *
 * mdl_held: a container that was read, from within, for mdl_read.c, which fills it,
 * and mdl_get.c, which answers for it.
 */
#ifndef GAMUT_MDL_HELD_H
#define GAMUT_MDL_HELD_H

#include <stdbool.h>

#include "model/container.h"

/* What readers may ask for is kept, as it is stored until they do: so a size
 * that does not fit is refused before it costs memory. */
struct mdl_held {
    struct mdl_section is;
    unsigned char *data;   /* stored bytes, then native elements; NULL if not kept */
    bool native, deflated; /* what data is */
};

struct mdl {
    char *name;
    enum mdl_kind kind;
    struct meta *meta;
    struct mdl_held *section;
    size_t sections, capacity;
    uint64_t offset; /* bytes read so far */
    uint64_t held;   /* bytes of what is kept, those of the model around it included */
    uint64_t stored; /* bytes of the outermost file so far, as they come */
    bool nested;     /* the file is around it */
};

/* Counts bytes that a section is about to take; ERR_FORMAT if that is too much for
 * such a file. */
int mdl_hold(struct mdl *m, const char *section, uint64_t bytes, struct err *e);

#endif
