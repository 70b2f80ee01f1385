/* SPDX-License-Identifier: MIT
 *
 * The kind 'pfsa', and automata in model files.  Files are not trusted: arcs, order and
 * probabilities are checked before the automaton is used.
 */
#include "pfsa/pfsa.h"

#include <math.h>
#include <string.h>

#include "core/dmath.h"
#include "core/err.h"
#include "core/mem.h"
#include "io/report.h"
#include "model/container.h"
#include "pfsa/alias_sampler.h"
#include "pfsa/pfsa_graph.h"

static const struct section_rule sections[] = {
    MODEL_ALPHABET_SECTIONS,  {"log_partition", SECTION_FEW},
    {"final", SECTION_MANY},  {"first", SECTION_MANY},
    {"symbol", SECTION_MANY}, {"target", SECTION_MANY},
    {"logp", SECTION_MANY},   {NULL, 0},
};

static uint32_t
format_version(const struct model *m)
{
    return model_alphabet_version(&m->alphabet);
}

static int
write_model(const struct model *m, struct container_writer *w, struct err *e)
{
    const struct pfsa *p = pfsa_of(m);
    int rc = model_put_alphabet(&m->alphabet, w, e);
    if (rc == 0)
        rc = container_put(w, "log_partition", SECTION_F64, &p->log_partition, 1, e);
    if (rc == 0)
        rc = container_put(w, "final", SECTION_F64, p->final_logp, p->states, e);
    if (rc == 0)
        rc = container_put(w, "first", SECTION_U64, p->first, (size_t)p->states + 1, e);
    if (rc == 0)
        rc = container_put(w, "symbol", SECTION_U8, p->symbol, (size_t)p->arcs, e);
    if (rc == 0)
        rc = container_put(w, "target", SECTION_U32, p->next, (size_t)p->arcs, e);
    if (rc == 0)
        rc = container_put(w, "logp", SECTION_F64, p->logp, (size_t)p->arcs, e);
    return rc;
}

static int
damaged(struct err *e, uint32_t state, const char *what)
{
    return err_set(e, ERR_FORMAT, "invalid automaton: state %u %s", state, what);
}

/* Checks symbols, targets and probabilities of one state, whose arcs are known to lie inside
 * the arrays. */
static int
check_state(const struct pfsa *p, uint32_t q, struct err *e)
{
    if (!(p->final_logp[q] <= 0) ||
        (p->final_logp[q] < PFSA_LOGP_MIN && p->final_logp[q] != -INFINITY))
        return damaged(e, q, "has a final probability that is none");
    double sum = dm_exp(p->final_logp[q]);
    for (uint64_t a = p->first[q]; a < p->first[q + 1]; a++) {
        if (p->symbol[a] >= p->model.alphabet.size)
            return damaged(e, q, "has a symbol outside the alphabet");
        if (a > p->first[q] && p->symbol[a] <= p->symbol[a - 1])
            return damaged(e, q, "has symbols that do not ascend");
        if (p->next[a] >= p->states)
            return damaged(e, q, "leads to a state that is not there");
        if (!(p->logp[a] <= 0 && p->logp[a] >= PFSA_LOGP_MIN))
            return damaged(e, q, "has an arc probability that is none");
        sum += dm_exp(p->logp[a]);
    }
    return fabs(sum - 1) <= 1e-9 ? 0 : damaged(e, q, "has probabilities that do not sum to 1");
}

int
pfsa_check_states(const struct pfsa *p, struct err *e)
{
    if (p->first[0] != 0 || p->first[p->states] != p->arcs)
        return err_set(e, ERR_FORMAT, "invalid automaton: inconsistent number of arcs");
    for (uint32_t q = 0; q < p->states; q++)
        if (p->first[q] > p->first[q + 1])
            return damaged(e, q, "has fewer than no arcs");
    for (uint32_t q = 0; q < p->states; q++)
        if (check_state(p, q, e) != 0)
            return ERR_FORMAT;
    return isfinite(p->log_partition)
               ? 0
               : err_set(e, ERR_FORMAT, "invalid automaton: log_partition is not a number");
}

static uint32_t
lowest_member(const struct scc *s, uint32_t c)
{
    uint32_t low = s->member[s->begin[c]];
    for (uint32_t i = s->begin[c]; i < s->begin[c + 1]; i++)
        if (low > s->member[i])
            low = s->member[i];
    return low;
}

/* Checks that every state is reachable and can finish, and that components are contiguous
 * and numbered topologically. */
static int
check_order(const struct pfsa *p, const struct pfsa_graph *shape, struct err *e)
{
    const struct scc *s = &shape->scc;
    if (s->reached != p->states)
        return err_set(e, ERR_FORMAT, "invalid automaton: some states cannot be reached");
    for (uint32_t c = 0; c < s->components; c++) {
        uint32_t low = lowest_member(s, c), n = s->begin[c + 1] - s->begin[c];
        if (!shape->can_finish[c])
            return damaged(e, low, "never finishes");
        for (uint32_t i = s->begin[c]; i < s->begin[c + 1]; i++)
            if (s->member[i] - low >= n)
                return damaged(e, s->member[i], "is not numbered topologically");
    }
    for (uint32_t q = 0; q < p->states; q++)
        for (uint64_t a = p->first[q]; a < p->first[q + 1]; a++)
            if (p->next[a] < q && s->of[p->next[a]] != s->of[q])
                return damaged(e, q, "is not numbered topologically");
    return 0;
}

static int
check_shape(struct pfsa *p, struct err *e)
{
    struct pfsa_graph shape;
    int rc = pfsa_graph_find(&shape, p, 0, e);
    if (rc == 0) {
        p->acyclic = true;
        for (uint32_t c = 0; c < shape.scc.components; c++)
            p->acyclic &= !shape.cyclic[c];
        rc = check_order(p, &shape, e);
    }
    pfsa_graph_clear(&shape);
    return rc;
}

/* Checks that the sections fit each other, before any is inflated.  Every state except the
 * start needs an arc to it. */
static int
check_counts(const struct container *m, size_t states, size_t arcs, struct err *e)
{
    int rc = container_check(m, "final", SECTION_F64, states, e);
    if (rc == 0 && (states == 0 || states > PFSA_STATES_MAX))
        rc = err_set(e, ERR_FORMAT, "section 'final': unexpected number of states %zu", states);
    if (rc == 0)
        rc = container_check(m, "first", SECTION_U64, states + 1, e);
    if (rc == 0)
        rc = container_check(m, "symbol", SECTION_U8, arcs, e);
    if (rc == 0)
        rc = container_check(m, "target", SECTION_U32, arcs, e);
    if (rc == 0)
        rc = container_check(m, "logp", SECTION_F64, arcs, e);
    if (rc == 0 && arcs < states - 1)
        rc = err_set(e, ERR_FORMAT, "section 'symbol': %zu arcs cannot reach %zu states", arcs,
                     states);
    return rc;
}

/* The sections, with only their sizes checked. */
static struct pfsa *
copy_sections(struct container *m, struct err *e)
{
    struct alphabet alphabet;
    size_t states = container_count(m, "final"), arcs = container_count(m, "symbol");
    if (check_counts(m, states, arcs, e) != 0 || model_get_alphabet(m, &alphabet, e) != 0)
        return NULL;
    const double *log_partition = container_get(m, "log_partition", SECTION_F64, 1, e);
    const double *final = container_get(m, "final", SECTION_F64, states, e);
    const uint64_t *first = container_get(m, "first", SECTION_U64, states + 1, e);
    const uint8_t *symbol = container_get(m, "symbol", SECTION_U8, arcs, e);
    const uint32_t *target = container_get(m, "target", SECTION_U32, arcs, e);
    const double *logp = container_get(m, "logp", SECTION_F64, arcs, e);
    if (log_partition == NULL || final == NULL || first == NULL || symbol == NULL ||
        target == NULL || logp == NULL)
        return NULL;
    struct pfsa *p = pfsa_new(&alphabet, (uint32_t)states, arcs, e);
    if (p == NULL)
        return NULL;
    p->log_partition = *log_partition;
    memcpy(p->final_logp, final, states * sizeof *final);
    memcpy(p->first, first, (states + 1) * sizeof *first);
    memcpy(p->symbol, symbol, arcs * sizeof *symbol);
    memcpy(p->next, target, arcs * sizeof *target);
    memcpy(p->logp, logp, arcs * sizeof *logp);
    return p;
}

static struct model *
read_model(struct container *m, struct err *e)
{
    struct pfsa *p = copy_sections(m, e);
    if (p != NULL && pfsa_check_states(p, e) == 0 && check_shape(p, e) == 0 &&
        pfsa_graph_lengths(p, e) == 0)
        return &p->model;
    pfsa_free(p);
    return NULL;
}

struct pfsa *
pfsa_load(const char *path, struct err *e)
{
    return pfsa_of(model_load_kind(path, &pfsa_kind, NULL, e));
}

static void
describe(const struct model *m, struct report *r)
{
    const struct pfsa *p = pfsa_of(m);
    report_u64(r, "states", p->states);
    report_u64(r, "transitions", p->arcs);
    report_text(r, "acyclic", p->acyclic ? "yes" : "no");
    report_f64(r, "log_partition", p->log_partition);
}

static void
free_model(struct model *m)
{
    struct pfsa *p = pfsa_of(m);
    mem_free(p->first);
    mem_free(p->symbol);
    mem_free(p->next);
    mem_free(p->logp);
    mem_free(p->final_logp);
    mem_free(p);
}

const struct model_kind pfsa_kind = {
    .number = 1,
    .name = "pfsa",
    .sections = sections,
    .format_version = format_version,
    .read = read_model,
    .write = write_model,
    .describe = describe,
    .free = free_model,
    .state_bytes = pfsa_state_bytes,
    .root = pfsa_root,
    .step = pfsa_step,
    .score = pfsa_score,
    .check_sampling = alias_sampler_check,
};
