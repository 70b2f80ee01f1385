/* SPDX-License-Identifier: MIT */
#include "pfsa/motif_process.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "automata/dfa.h"
#include "automata/motif_dfa.h"
#include "core/dmath.h"
#include "core/err.h"
#include "core/mem.h"
#include "core/num.h"
#include "pfsa/dfa_unroll.h"
#include "pfsa/pfsa.h"
#include "pfsa/pfsa_builder.h"

void
process_clear(struct process *p)
{
    words_clear(&p->motifs);
    words_clear(&p->excludes);
    *p = (struct process){0};
}

static int
check_options(const struct process *p, struct err *e)
{
    if (p->has_length && p->has_stop)
        return err_set(e, ERR_USAGE, "--length and --stop exclude each other");
    if (!p->has_length && !p->has_stop)
        return err_set(e, ERR_USAGE, "--length or --stop is needed");
    if (p->has_p1 && p->probs != NULL)
        return err_set(e, ERR_USAGE, "--p1 and --probs exclude each other");
    if (p->has_mix && p->motifs.count != 1)
        return err_set(e, ERR_USAGE, "--mix needs exactly one --motif, not %zu", p->motifs.count);
    return 0;
}

/* --- alphabet and symbol weights --- */

static int
set_alphabet(const struct process *p, struct alphabet *a, struct err *e)
{
    int status = alphabet_init(a, p->alphabet != NULL ? p->alphabet : "01", e);
    if (status != 0)
        err_prefix(e, "--alphabet");
    return status;
}

/* Reads "P,P,.." of exactly n numbers. */
static int
parse_probs(const char *text, unsigned n, double *prob, struct err *e)
{
    unsigned count = 0;
    for (const char *at = text;; at += strcspn(at, ",") + 1) {
        size_t length = strcspn(at, ",");
        char number[64];
        if (count == n || length >= sizeof number)
            break;
        memcpy(number, at, length);
        number[length] = '\0';
        int status = num_f64(number, 0, 1, &prob[count++], e);
        if (status != 0)
            return status;
        if (at[length] == '\0')
            return count == n ? 0
                              : err_set(e, ERR_USAGE, "'%s' has %u numbers for %u symbols", text,
                                        count, n);
    }
    return err_set(e, ERR_USAGE, "'%s' does not have %u numbers, one a symbol", text, n);
}

static int
symbol_probs(const struct process *p, const struct alphabet *a, double *prob, struct err *e)
{
    for (unsigned i = 0; i < a->size; i++)
        prob[i] = 1.0 / a->size;
    if (p->has_p1 && a->size != 2)
        return err_set(e, ERR_USAGE,
                       "--p1: the alphabet '%s' does not have two symbols; "
                       "use --probs",
                       a->chars);
    if (p->has_p1) {
        prob[0] = 1 - p->p1;
        prob[1] = p->p1;
    }
    if (p->probs == NULL)
        return 0;
    double sum = 0;
    int status = parse_probs(p->probs, a->size, prob, e);
    for (unsigned i = 0; status == 0 && i < a->size; i++)
        sum += prob[i];
    if (status == 0 && fabs(sum - 1) > 1e-9)
        status = err_set(e, ERR_USAGE, "'%s' sums to %.12g, not to 1", p->probs, sum);
    if (status != 0)
        err_prefix(e, "--probs");
    return status;
}

/* --- the automaton --- */

struct parts {
    const struct process *process;
    struct alphabet alphabet;
    struct dfa motif;
    double symbol_logw[ALPHABET_MAX];
};

/* Geometric length: the constraint's own states, ending or going on at each.
 * What the constraint forbids is known to be missing, and so is the ending. */
static int
draft_geometric(const struct parts *b, double accept_logw, double reject_logw, struct pfsa_draft *d,
                struct err *e)
{
    const struct dfa *m = &b->motif;
    double stop = dm_log(b->process->stop), go_on = dm_log1p(-b->process->stop);
    uint32_t state;
    int status = 0;
    for (uint32_t q = 0; status == 0 && q < m->states; q++) {
        status = pfsa_draft_state(d, stop + (m->accept[q] ? accept_logw : reject_logw), &state, e);
        d->leak_logw[q] = stop;
        for (unsigned c = 0; status == 0 && c < m->symbols; c++) {
            uint32_t to = m->next[(size_t)q * m->symbols + c];
            if (to != DFA_DEAD)
                status = pfsa_draft_arc(d, q, (uint8_t)c, to, go_on + b->symbol_logw[c], e);
            else
                d->leak_logw[q] = dm_logadd(d->leak_logw[q], go_on + b->symbol_logw[c]);
        }
    }
    return status;
}

static struct pfsa *
build_geometric(const struct parts *b, double accept_logw, double reject_logw, struct err *e)
{
    struct pfsa_draft d = {.alphabet = b->alphabet};
    struct pfsa *p = NULL;
    d.leak_logw = mem_array(b->motif.states, sizeof *d.leak_logw, e);
    if (d.leak_logw != NULL && draft_geometric(b, accept_logw, reject_logw, &d, e) == 0)
        p = pfsa_draft_normalise(&d, e);
    mem_free(d.leak_logw);
    pfsa_draft_clear(&d);
    return p;
}

/* The white noise with strings weighted by whether they contain all motifs. */
static struct pfsa *
build_weighted(const struct parts *b, double accept_logw, double reject_logw, struct err *e)
{
    if (!b->process->has_length)
        return build_geometric(b, accept_logw, reject_logw, e);
    return layers_build(&b->motif, &b->alphabet, b->process->length, b->symbol_logw, accept_logw,
                        reject_logw, e);
}

/* log of what one part of a mixture must be multiplied with: its share over
 * its probability under white noise. */
static int
part_weight(const struct parts *b, double share, bool accept, double *logw, struct err *e)
{
    *logw = -INFINITY;
    if (share == 0)
        return 0;
    struct pfsa *p = build_weighted(b, accept ? 0 : -INFINITY, accept ? -INFINITY : 0, e);
    if (p == NULL)
        return e->code;
    *logw = dm_log(share) - p->log_partition;
    pfsa_free(p);
    return 0;
}

static struct pfsa *
build_mixture(const struct parts *b, struct err *e)
{
    double with, without, mix = b->process->mix;
    if (part_weight(b, mix, true, &with, e) != 0 ||
        part_weight(b, 1 - mix, false, &without, e) != 0)
        return NULL;
    struct pfsa *p = build_weighted(b, with, without, e);
    if (p != NULL)
        p->log_partition = 0; /* by construction; what was computed differs by rounding */
    return p;
}

/* Says what it is that no string satisfies. */
static void
explain_empty(const struct process *p, struct err *e)
{
    *e = (struct err){0};
    if (p->has_mix)
        err_set(e, ERR_EMPTY, "one of the two parts of --mix has no strings");
    else if (p->has_length)
        err_set(e, ERR_EMPTY,
                "no string of length %" PRIu64 " satisfies these --motif and --exclude", p->length);
    else
        err_set(e, ERR_EMPTY, "no string satisfies these --motif and --exclude");
}

struct pfsa *
process_build(const struct process *p, struct err *e)
{
    struct parts b = {.process = p};
    struct pfsa *built = NULL;
    struct err why = {0};
    if (check_options(p, &why) == 0 && set_alphabet(p, &b.alphabet, &why) == 0 &&
        symbol_probs(p, &b.alphabet, b.symbol_logw, &why) == 0 &&
        motif_init(&b.motif, &b.alphabet, p->motifs.word, p->motifs.count, p->excludes.word,
                   p->excludes.count, &why) == 0) {
        for (unsigned c = 0; c < b.alphabet.size; c++)
            b.symbol_logw[c] = dm_log(b.symbol_logw[c]);
        built = p->has_mix ? build_mixture(&b, &why) : build_weighted(&b, 0, -INFINITY, &why);
    }
    dfa_clear(&b.motif);
    if (built == NULL) {
        if (why.code == ERR_EMPTY)
            explain_empty(p, &why);
        err_set(e, why.code, "%s", why.text);
    }
    return built;
}
