/* SPDX-License-Identifier: MIT */
#include "cli/fsa_spec.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "core/err.h"
#include "core/mem.h"
#include "feature/feature_set.h"
#include "io/input.h"
#include "io/output.h"
#include "pfsa/pfsa.h"
#include "pfsa/pfsa_formats.h"
#include "text/alphabet.h"

/* Model files begin with a byte that no text has. */
static bool
is_model(struct input *in, struct err *e)
{
    unsigned char first;
    return input_read(in, &first, 1, e) == 1 && first > '~';
}

static struct pfsa *
read_automaton(const char *path, const struct alphabet *a, struct err *e)
{
    struct input *in = input_open(path, e);
    bool model = in != NULL && is_model(in, e);
    input_close(in);
    if (e->code != 0)
        return NULL;
    if (model)
        return pfsa_load(path, e);
    in = input_open(path, e);
    struct pfsa *p = in != NULL ? pfsa_att_read_unweighted(in, a, e) : NULL;
    input_close(in);
    return p;
}

/* A state of the text: + or - for accepting or not, and for each symbol the next state or a full
 * stop. */
static int
write_state(const struct pfsa *p, uint32_t q, struct output *out, struct err *e)
{
    uint64_t arc = p->first[q];
    int rc =
        output_printf(out, e, "%s%c", q > 0 ? ";" : "", p->final_logp[q] > -INFINITY ? '+' : '-');
    for (unsigned symbol = 0; rc == 0 && symbol < p->model.alphabet.size; symbol++) {
        const char *comma = symbol > 0 ? "," : "";
        bool here = arc < p->first[q + 1] && p->symbol[arc] == symbol;
        rc = here ? output_printf(out, e, "%s%" PRIu32, comma, p->next[arc])
                  : output_printf(out, e, "%s.", comma);
        arc += here;
    }
    return rc;
}

/* "dfa:..." for the automaton, behind `prefix`; the caller's to free. */
static char *
describe(const struct pfsa *p, const char *prefix, struct err *e)
{
    struct output *out = output_to_memory(e);
    int rc = out != NULL ? output_printf(out, e, "%sdfa:", prefix) : ERR_NOMEM;
    for (uint32_t q = 0; rc == 0 && q < p->states; q++)
        rc = write_state(p, q, out, e);
    char *text = NULL;
    if (rc == 0) {
        size_t size;
        const char *bytes = output_bytes(out, &size);
        text = mem_string(bytes, size, e);
    }
    output_abort(out);
    return text;
}

int
fsa_spec_add(struct feature_set *f, const char *name, const char *spec, struct err *e)
{
    const struct alphabet *a = feature_set_alphabet(f);
    const char *prefix = strncmp(spec, "not:", 4) == 0 ? "not:" : "", *rest = spec + strlen(prefix);
    if (strncmp(rest, "fsa:", 4) != 0)
        return feature_set_add_named(f, name, spec, e);
    struct pfsa *p = read_automaton(rest + 4, a, e);
    if (p == NULL)
        return e->code;
    int rc = 0;
    if (!alphabet_equal(&p->model.alphabet, a))
        rc = err_set(e, ERR_DATA, "'%s' has the alphabet '%s', expected '%s'", rest + 4,
                     p->model.alphabet.text, a->text);
    char *text = rc == 0 ? describe(p, prefix, e) : NULL;
    if (rc == 0)
        rc = text != NULL ? feature_set_add_named(f, name, text, e) : ERR_NOMEM;
    mem_free(text);
    pfsa_free(p);
    return rc;
}
