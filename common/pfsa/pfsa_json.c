/* SPDX-License-Identifier: MIT */
#include "pfsa/pfsa_json.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "core/err.h"
#include "core/mem.h"
#include "core/num.h"
#include "io/input.h"
#include "io/json.h"
#include "io/output.h"
#include "pfsa/pfsa.h"
#include "pfsa/pfsa_builder.h"
#include "text/alphabet.h"

/* ---- writing ---- */

static int
write_arcs(const struct pfsa *p, uint32_t q, struct out *out, struct err *e)
{
    char w[NUM_TEXT_MAX], c[JSON_ESCAPE_MAX];
    int status = 0;
    for (uint64_t a = p->first[q]; status == 0 && a < p->first[q + 1]; a++)
        status = out_printf(out, e, "%s{\"symbol\": \"%s\", \"target\": %" PRIu32 ", \"logp\": %s}",
                            a > p->first[q] ? ", " : "",
                            json_escape(p->model.alphabet.chars[p->symbol[a]], c), p->target[a],
                            num_text(p->logp[a], w));
    return status;
}

static int
write_state(const struct pfsa *p, uint32_t q, struct out *out, struct err *e)
{
    char w[NUM_TEXT_MAX];
    int status = out_printf(out, e, "%s\n  {", q > 0 ? "," : "");
    if (status == 0 && p->final_logp[q] > -INFINITY)
        status = out_printf(out, e, "\"final\": %s, ", num_text(p->final_logp[q], w));
    if (status == 0)
        status = out_printf(out, e, "\"arcs\": [");
    if (status == 0)
        status = write_arcs(p, q, out, e);
    return status == 0 ? out_printf(out, e, "]}") : status;
}

int
pfsa_json_write(const struct pfsa *p, struct out *out, struct err *e)
{
    char w[NUM_TEXT_MAX];
    int status = out_printf(out, e, "{\"kind\": \"pfsa\", \"alphabet\": ");
    if (status == 0)
        status = json_write_string(out, p->model.alphabet.chars, e);
    if (status == 0)
        status = out_printf(out, e, ", \"log_partition\": %s,\n \"states\": [",
                            num_text(p->log_partition, w));
    for (uint32_t q = 0; status == 0 && q < p->states; q++)
        status = write_state(p, q, out, e);
    return status == 0 ? out_printf(out, e, "\n]}\n") : status;
}

/* ---- reading ---- */

enum { TEXT_MAX = 1 << 28 }; /* bytes; its tree takes several times as many */

static int
read_arc(struct pfsa_draft *d, uint32_t source, uint64_t states, const struct json_value *arc,
         struct err *e)
{
    const struct json_value *symbol = json_member(arc, "symbol", JSON_STRING, e);
    const struct json_value *target = json_member(arc, "target", JSON_NUMBER, e);
    const struct json_value *logp = json_member(arc, "logp", JSON_NUMBER, e);
    uint64_t t;
    if (symbol == NULL || target == NULL || logp == NULL)
        return ERR_DATA;
    uint8_t code = d->alphabet.code[(unsigned char)symbol->string[0]];
    if (strlen(symbol->string) != 1 || code == ALPHABET_NONE)
        return err_set(e, ERR_DATA, "'%s' is not a symbol of the alphabet '%s'", symbol->string,
                       d->alphabet.chars);
    int status = json_whole(target, states - 1, &t, e);
    return status != 0 ? status : pfsa_draft_arc(d, source, code, (uint32_t)t, logp->number, e);
}

static int
read_state(struct pfsa_draft *d, uint64_t states, const struct json_value *state, struct err *e)
{
    uint32_t q;
    double final_logw = -INFINITY;
    if (state->type != JSON_OBJECT)
        return err_set(e, ERR_DATA, "it is not an object");
    const struct json_value *arcs = json_member(state, "arcs", JSON_ARRAY, e);
    if (arcs == NULL || json_number(state, "final", &final_logw, e) != 0)
        return ERR_DATA;
    int status = pfsa_draft_state(d, final_logw, &q, e);
    for (const struct json_value *a = arcs->first; status == 0 && a != NULL; a = a->next)
        status = read_arc(d, q, states, a, e);
    return status;
}

static int
read_states(struct pfsa_draft *d, const struct json_value *root, struct err *e)
{
    const struct json_value *alphabet = json_member(root, "alphabet", JSON_STRING, e);
    const struct json_value *states = json_member(root, "states", JSON_ARRAY, e);
    if (alphabet == NULL || states == NULL)
        return ERR_DATA;
    int status = alphabet_init(&d->alphabet, alphabet->string, e);
    if (status != 0)
        err_recode(e, ERR_DATA);
    uint32_t number = 0;
    for (const struct json_value *s = states->first; status == 0 && s != NULL; s = s->next) {
        status = read_state(d, states->count, s, e);
        if (status != 0)
            err_prefix(e, "state %" PRIu32, number);
        number++;
    }
    return status;
}

static struct pfsa *
from_root(const struct json_value *root, struct err *e)
{
    struct pfsa_draft d = {0};
    double before = 0; /* it was normalised, if ours: what is left of the weights is 1 */
    int status = json_number(root, "log_partition", &before, e);
    if (status == 0 && !isfinite(before))
        status = err_set(e, ERR_DATA, "the member 'log_partition' is not finite");
    if (status == 0)
        status = read_states(&d, root, e);
    struct pfsa *p = status == 0 ? pfsa_draft_normalise(&d, e) : NULL;
    if (p != NULL)
        p->log_partition += before;
    pfsa_draft_clear(&d);
    return p;
}

static struct json *
parse_text(const char *text, size_t length, struct err *e)
{
    if (length <= TEXT_MAX)
        return json_parse(text, length, e);
    err_set(e, ERR_LIMIT, "more than %d bytes of JSON; use another format, such as att", TEXT_MAX);
    return NULL;
}

struct pfsa *
pfsa_json_read(struct in *in, struct err *e)
{
    size_t length;
    char *text = in_read_all(in, (size_t)TEXT_MAX + 1, &length, e);
    if (text == NULL)
        return NULL;
    struct json *j = parse_text(text, length, e);
    struct pfsa *p = j != NULL ? from_root(json_root(j), e) : NULL;
    if (p == NULL)
        err_prefix(e, "%s", in_name(in));
    json_free(j);
    mem_free(text);
    return p;
}
