/* SPDX-License-Identifier: MIT
 *
 * source: the options of a source of strings, as a command line would set them.
 */
#ifndef GAMUT_SOURCE_H
#define GAMUT_SOURCE_H

#include <string.h>

#include "cli/option_groups.h"

struct source {
    struct process_options process;
};

static const struct cli_option source_table[] = {PROCESS_OPTIONS(struct source, process), CLI_END};

/* By long name or letter: 0, an error, or 1 if there is no such option. */
static inline int
source_set(struct source *s, const char *name, const char *value, struct err *e)
{
    for (const struct cli_option *o = source_table; o->help != NULL; o++)
        if (o->name != NULL && (strcmp(o->name, name) == 0 ||
                                (name[0] == o->letter && name[0] != '\0' && name[1] == '\0')))
            return cli_option_set(o, s, value, e);
    return 1;
}

static inline struct pfsa *
source_build(const struct source *s, struct err *e)
{
    return process_options_build(&s->process, e);
}

static inline void
source_clear(struct source *s)
{
    cli_options_clear(source_table, s);
}

#endif
