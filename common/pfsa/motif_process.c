/* SPDX-License-Identifier: MIT */
#include "pfsa/motif_process.h"

#include <math.h>

#include "automata/dfa.h"
#include "automata/motif_dfa.h"
#include "core/dmath.h"
#include "core/err.h"
#include "core/mem.h"
#include "pfsa/dfa_unroll.h"
#include "pfsa/pfsa.h"
#include "pfsa/pfsa_builder.h"

struct parts {
    const struct motif_process *process;
    struct dfa motif;
    double symbol_logw[ALPHABET_MAX];
};

/* Geometric length: the states of the constraint, each of which can end or continue.  The
 * weights missing to 1 are known: forbidden arcs, and the end. */
static int
draft_geometric(const struct parts *b, double accept_logw, double rejection_logw,
                struct pfsa_builder *d, struct err *e)
{
    const struct dfa *m = &b->motif;
    double stop = dm_log(b->process->stop), go_on = dm_log1p(-b->process->stop);
    uint32_t state;
    int rc = 0;
    for (uint32_t q = 0; rc == 0 && q < m->states; q++) {
        rc = pfsa_builder_state(d, stop + (m->accept[q] ? accept_logw : rejection_logw), &state, e);
        d->missing_logw[q] = stop;
        for (unsigned c = 0; rc == 0 && c < m->symbols; c++) {
            uint32_t to = m->next[(size_t)q * m->symbols + c];
            if (to != DFA_DEAD)
                rc = pfsa_builder_arc(d, q, (uint8_t)c, to, go_on + b->symbol_logw[c], e);
            else
                d->missing_logw[q] = dm_log_add_exp(d->missing_logw[q], go_on + b->symbol_logw[c]);
        }
    }
    return rc;
}

static struct pfsa *
build_geometric(const struct parts *b, double accept_logw, double rejection_logw, struct err *e)
{
    struct pfsa_builder d = {.alphabet = b->process->alphabet};
    struct pfsa *p = NULL;
    d.missing_logw = mem_array(b->motif.states, sizeof *d.missing_logw, e);
    if (d.missing_logw != NULL && draft_geometric(b, accept_logw, rejection_logw, &d, e) == 0)
        p = pfsa_builder_finish(&d, e);
    mem_free(d.missing_logw);
    pfsa_builder_clear(&d);
    return p;
}

/* Independent symbols, with strings weighted by whether they contain all motifs. */
static struct pfsa *
build_weighted(const struct parts *b, double accept_logw, double rejection_logw, struct err *e)
{
    if (!b->process->has_length)
        return build_geometric(b, accept_logw, rejection_logw, e);
    return dfa_unroll(&b->motif, &b->process->alphabet, b->process->length, b->symbol_logw,
                      accept_logw, rejection_logw, e);
}

/* log of the factor of one part of a mixture: its share divided by its probability under
 * independent symbols. */
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
        p->log_partition = 0; /* by construction; the computed value differs by rounding */
    return p;
}

struct pfsa *
motif_process_build(const struct motif_process *p, struct err *e)
{
    struct parts b = {.process = p};
    struct pfsa *built = NULL;
    if (motif_dfa_build(&b.motif, &p->alphabet, p->required, p->required_count, p->forbidden,
                        p->forbidden_count, e) == 0) {
        for (unsigned c = 0; c < p->alphabet.size; c++)
            b.symbol_logw[c] = dm_log(p->prob[c]);
        built = p->has_mix ? build_mixture(&b, e) : build_weighted(&b, 0, -INFINITY, e);
    }
    dfa_clear(&b.motif);
    return built;
}
