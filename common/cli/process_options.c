/* SPDX-License-Identifier: MIT */
#include "cli/process_options.h"

#include <stdbool.h>

#include "core/err.h"
#include "core/num.h"
#include "pfsa/motif_process.h"
#include "pfsa/pfsa.h"
#include "text/line_reader.h"

#define STOP_MIN 1e-6 /* strings of a million symbols on average */

static int
set_probability(const char *value, double lowest, double *p, bool *given, struct err *e)
{
    *given = true;
    return num_f64(value, lowest, 1, p, e);
}

/* Sets one option and names it; 0, an error, or 1 for a key not known here. */
static int
set_option(struct process *p, int key, const char *value, const char **name, struct err *e)
{
    switch (key) {
    case 'a':
        *name = "--alphabet";
        p->alphabet = value;
        return 0;
    case 'l':
        *name = "--length";
        p->has_length = true;
        return num_u64(value, 0, LINES_MAX, &p->length, e);
    case 'm':
        *name = "--motif";
        return words_add(&p->motifs, value, e);
    case 'x':
        *name = "--exclude";
        return words_add(&p->excludes, value, e);
    case PROCESS_OPTION_MIX:
        *name = "--mix";
        return set_probability(value, 0, &p->mix, &p->has_mix, e);
    case PROCESS_OPTION_P1:
        *name = "--p1";
        return set_probability(value, 0, &p->p1, &p->has_p1, e);
    case PROCESS_OPTION_PROBS:
        *name = "--probs";
        p->probs = value;
        return 0;
    case PROCESS_OPTION_STOP:
        *name = "--stop";
        return set_probability(value, STOP_MIN, &p->stop, &p->has_stop, e);
    default:
        return 1;
    }
}

int
process_options_set(struct process *p, int key, const char *value, struct err *e)
{
    int status = set_option(p, key, value, &p->given, e);
    return status > 0 ? 0 : status < 0 ? status : 1;
}

struct pfsa *
process_options_model(const struct process *p, const char *path, struct err *e)
{
    if (path == NULL)
        return process_build(p, e);
    if (p->given == NULL)
        return pfsa_load(path, e);
    err_set(e, ERR_USAGE, "%s and the model '%s' exclude each other", p->given, path);
    return NULL;
}
