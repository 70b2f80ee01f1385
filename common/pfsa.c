/* SPDX-License-Identifier: MIT */
#include "pfsa.h"

#include <math.h>
#include <string.h>

#include "dmath.h"
#include "err.h"
#include "loops.h"
#include "mem.h"
#include "meta.h"
#include "scc.h"

#define WEIGHT_MAX 1e9

static const struct model_ops pfsa_ops;

struct pfsa *
pfsa_new(const struct alphabet *a, uint32_t states, uint64_t arcs, struct err *e)
{
    struct pfsa *p = mem_zero(1, sizeof *p, e);
    if (p == NULL)
        return NULL;
    p->model.ops = &pfsa_ops;
    p->model.alphabet = *a;
    p->model.max_length = MODEL_UNBOUNDED;
    p->states = states;
    p->arcs = arcs;
    p->first = mem_array((size_t)states + 1, sizeof *p->first, e);
    p->symbol = mem_array(arcs, sizeof *p->symbol, e);
    p->target = mem_array(arcs, sizeof *p->target, e);
    p->logp = mem_array(arcs, sizeof *p->logp, e);
    p->final_logp = mem_array(states, sizeof *p->final_logp, e);
    if (p->first == NULL || p->symbol == NULL || p->target == NULL || p->logp == NULL ||
        p->final_logp == NULL) {
        pfsa_free(p);
        return NULL;
    }
    p->first[0] = 0;
    return p;
}

void
pfsa_free(struct pfsa *p)
{
    if (p == NULL)
        return;
    meta_free(p->model.meta);
    mem_free(p->first);
    mem_free(p->symbol);
    mem_free(p->target);
    mem_free(p->logp);
    mem_free(p->final_logp);
    mem_free(p);
}

/* --- drafts --- */

int
pfsa_draft_state(struct pfsa_draft *d, double final_logw, uint32_t *state, struct err *e)
{
    if (d->states >= PFSA_STATES_MAX)
        return err_set(e, ERR_LIMIT, "the automaton has more than %u states",
                       (unsigned)PFSA_STATES_MAX);
    double *grown =
        mem_grow(d->final_logw, &d->final_capacity, (size_t)d->states + 1, sizeof *grown, e);
    if (grown == NULL)
        return ERR_NOMEM;
    d->final_logw = grown;
    d->final_logw[d->states] = final_logw;
    *state = d->states++;
    return 0;
}

int
pfsa_draft_arc(struct pfsa_draft *d, uint32_t source, uint8_t symbol, uint32_t target, double logw,
               struct err *e)
{
    struct pfsa_arc *grown = mem_grow(d->arc, &d->arcs_capacity, d->arcs + 1, sizeof *grown, e);
    if (grown == NULL)
        return ERR_NOMEM;
    d->arc = grown;
    d->arc[d->arcs++] = (struct pfsa_arc){source, target, symbol, logw};
    return 0;
}

void
pfsa_draft_clear(struct pfsa_draft *d)
{
    mem_free(d->arc);
    mem_free(d->final_logw);
    d->arc = NULL;
    d->final_logw = NULL;
    d->states = 0;
    d->arcs = d->arcs_capacity = d->final_capacity = 0;
}

/* A weight is a logarithm: -inf, or any number that leaves room to add up as
 * many of them as there may be states. */
static int
bad_weight(double logw)
{
    return !(fabs(logw) <= WEIGHT_MAX) && logw != -INFINITY;
}

static int
check_draft(const struct pfsa_draft *d, struct err *e)
{
    if (d->states == 0 || d->start >= d->states)
        return err_set(e, ERR_DATA, "the automaton has no start state");
    for (uint32_t q = 0; q < d->states; q++)
        if (bad_weight(d->final_logw[q]))
            return err_set(e, ERR_DATA, "the final weight of state %u is not in range", q);
    for (size_t i = 0; i < d->arcs; i++) {
        const struct pfsa_arc *arc = &d->arc[i];
        if (arc->source >= d->states || arc->target >= d->states)
            return err_set(e, ERR_DATA, "an arc of state %u leads to a state that is not there",
                           arc->source);
        if (arc->symbol >= d->alphabet.size)
            return err_set(e, ERR_DATA, "an arc of state %u has a symbol outside the alphabet",
                           arc->source);
        if (bad_weight(arc->logw))
            return err_set(e, ERR_DATA, "the weight of an arc of state %u is not in range",
                           arc->source);
    }
    return 0;
}

/* Inserts the arc into its state's list, [first, *end), kept ascending by
 * symbol.  Drafts come nearly sorted, so this is cheap. */
static int
insert_arc(struct pfsa *p, const struct pfsa_arc *arc, uint64_t first, uint64_t *end, struct err *e)
{
    uint64_t at = (*end)++;
    while (at > first && p->symbol[at - 1] > arc->symbol) {
        p->symbol[at] = p->symbol[at - 1];
        p->target[at] = p->target[at - 1];
        p->logp[at] = p->logp[at - 1];
        at--;
    }
    p->symbol[at] = arc->symbol;
    p->target[at] = arc->target;
    p->logp[at] = arc->logw;
    if (at > first && p->symbol[at - 1] == arc->symbol)
        return err_set(e, ERR_DATA, "state %u has two arcs for '%c': it is not deterministic",
                       arc->source, p->model.alphabet.chars[arc->symbol]);
    return 0;
}

/* The draft's arcs by state; its states keep their numbers, dead ones too. */
static struct pfsa *
arcs_by_state(const struct pfsa_draft *d, struct err *e)
{
    struct pfsa *p = pfsa_new(&d->alphabet, d->states, d->arcs, e);
    uint64_t *end = mem_array(d->states, sizeof *end, e);
    int status = p == NULL || end == NULL ? ERR_NOMEM : 0;
    if (status == 0) {
        memset(p->first, 0, ((size_t)d->states + 1) * sizeof *p->first);
        memcpy(p->final_logp, d->final_logw, d->states * sizeof *p->final_logp);
        for (size_t i = 0; i < d->arcs; i++)
            p->first[d->arc[i].source + 1] += d->arc[i].logw > -INFINITY;
        for (uint32_t q = 0; q < d->states; q++)
            end[q] = p->first[q + 1] += p->first[q];
        p->arcs = p->first[d->states];
        memcpy(end, p->first, d->states * sizeof *end);
    }
    for (size_t i = 0; status == 0 && i < d->arcs; i++) {
        const struct pfsa_arc *arc = &d->arc[i];
        if (arc->logw > -INFINITY)
            status = insert_arc(p, arc, p->first[arc->source], &end[arc->source], e);
    }
    mem_free(end);
    if (status == 0)
        return p;
    pfsa_free(p);
    return NULL;
}

/* --- trimming and numbering --- */

/* finishing[c]: component c has a state that ends a string, or leads to one.
 * Components are listed after those they lead to. */
static void
find_finishing(const struct pfsa *p, const struct scc *s, uint8_t *finishing)
{
    for (uint32_t c = 0; c < s->components; c++) {
        finishing[c] = 0;
        for (uint32_t i = s->begin[c]; i < s->begin[c + 1]; i++) {
            uint32_t q = s->member[i];
            if (p->final_logp[q] > -INFINITY)
                finishing[c] = 1;
            for (uint64_t a = p->first[q]; a < p->first[q + 1]; a++)
                if (s->of[p->target[a]] != c && finishing[s->of[p->target[a]]])
                    finishing[c] = 1;
        }
    }
}

/* Whether a string can come back to a state of component c. */
static int
is_cyclic(const struct pfsa *p, const struct scc *s, uint32_t c)
{
    if (s->begin[c + 1] - s->begin[c] > 1)
        return 1;
    uint32_t q = s->member[s->begin[c]];
    for (uint64_t a = p->first[q]; a < p->first[q + 1]; a++)
        if (p->target[a] == q)
            return 1;
    return 0;
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

/* New numbers for the states worth keeping, topologically; `old` is the
 * inverse.  Returns how many, and whether they form no cycle. */
static uint32_t
number_states(const struct pfsa *p, const struct scc *s, const uint8_t *finishing, uint32_t *number,
              uint32_t *old, int *acyclic)
{
    uint32_t kept = 0;
    *acyclic = 1;
    memset(number, 0xFF, p->states * sizeof *number);
    for (uint32_t c = s->components; c-- > 0;) {
        if (!finishing[c])
            continue;
        *acyclic &= !is_cyclic(p, s, c);
        for (uint32_t i = s->begin[c]; i < s->begin[c + 1]; i++) {
            old[kept] = s->member[i];
            number[s->member[i]] = kept++;
        }
    }
    return kept;
}

/* The machine of the states old[0 .. states-1] alone. */
static struct pfsa *
renumber(const struct pfsa *p, uint32_t states, const uint32_t *old, const uint32_t *number,
         struct err *e)
{
    uint64_t arcs = 0;
    for (uint32_t q = 0; q < states; q++)
        for (uint64_t a = p->first[old[q]]; a < p->first[old[q] + 1]; a++)
            arcs += number[p->target[a]] != UINT32_MAX;
    struct pfsa *r = pfsa_new(&p->model.alphabet, states, arcs, e);
    if (r == NULL)
        return NULL;
    uint64_t at = 0;
    for (uint32_t q = 0; q < states; q++) {
        r->final_logp[q] = p->final_logp[old[q]];
        for (uint64_t a = p->first[old[q]]; a < p->first[old[q] + 1]; a++) {
            if (number[p->target[a]] == UINT32_MAX)
                continue;
            r->symbol[at] = p->symbol[a];
            r->target[at] = number[p->target[a]];
            r->logp[at++] = p->logp[a];
        }
        r->first[q + 1] = at;
    }
    return r;
}

/* leak[] of the states kept: arcs that are dropped leak too. */
static void
renumber_leaks(const struct pfsa *p, uint32_t states, const uint32_t *old, const uint32_t *number,
               const double *leak, double *kept)
{
    for (uint32_t q = 0; q < states; q++) {
        kept[q] = leak[old[q]];
        for (uint64_t a = p->first[old[q]]; a < p->first[old[q] + 1]; a++)
            if (number[p->target[a]] == UINT32_MAX)
                kept[q] = dm_logadd(kept[q], p->logp[a]);
    }
}

/* The useful part of p, numbered; and of its leaks, if there are any. */
static struct pfsa *
trim(const struct pfsa *p, uint32_t start, const double *leak, double *kept, struct err *e)
{
    struct pfsa *trimmed = NULL;
    struct scc s = {0};
    uint8_t *finishing = NULL;
    uint32_t *number = mem_array(p->states, sizeof *number, e);
    uint32_t *old = mem_array(p->states, sizeof *old, e);
    if (number == NULL || old == NULL ||
        scc_find(&s, p->states, p->first, p->target, start, e) != 0)
        goto done;
    finishing = mem_array(s.components, 1, e);
    if (finishing == NULL)
        goto done;
    find_finishing(p, &s, finishing);
    int acyclic;
    uint32_t states = number_states(p, &s, finishing, number, old, &acyclic);
    if (states == 0)
        err_set(e, ERR_EMPTY, "no string has positive probability");
    else if ((trimmed = renumber(p, states, old, number, e)) != NULL) {
        trimmed->acyclic = acyclic;
        if (leak != NULL)
            renumber_leaks(p, states, old, number, leak, kept);
    }
done:
    scc_clear(&s);
    mem_free(finishing);
    mem_free(number);
    mem_free(old);
    return trimmed;
}

/* --- pushing --- */

/* log of the total weight of all ways to finish from a state, as
 * log + twos * ln 2 with |log| small: the error then does not grow with the
 * length of the strings. */
struct inside {
    double log;
    int64_t twos;
};

#define LN2 0.693147180559945309417

static double
inside_log(struct inside x)
{
    return x.log + (double)x.twos * LN2;
}

static struct inside
make_inside(double log, int64_t twos)
{
    double more = floor(log / LN2 + 0.5);
    return (struct inside){log - more * LN2, twos + (int64_t)more};
}

/* Makes state q stochastic, given inside[] of all its targets; returns that of
 * q.  The largest term is taken out first, so no logarithm becomes positive. */
static struct inside
push_state(struct pfsa *p, uint32_t q, const struct inside *inside)
{
    int64_t twos = p->final_logp[q] > -INFINITY ? 0 : INT64_MIN;
    for (uint64_t a = p->first[q]; a < p->first[q + 1]; a++)
        if (inside[p->target[a]].twos > twos)
            twos = inside[p->target[a]].twos;
    double most = p->final_logp[q] -= (double)twos * LN2;
    for (uint64_t a = p->first[q]; a < p->first[q + 1]; a++) {
        struct inside rest = inside[p->target[a]];
        p->logp[a] += rest.log + (double)(rest.twos - twos) * LN2;
        if (p->logp[a] > most)
            most = p->logp[a];
    }
    double sum = dm_exp(p->final_logp[q] -= most);
    for (uint64_t a = p->first[q]; a < p->first[q + 1]; a++)
        sum += dm_exp(p->logp[a] -= most);
    double log_sum = dm_log(sum);
    p->final_logp[q] -= log_sum;
    for (uint64_t a = p->first[q]; a < p->first[q + 1]; a++)
        p->logp[a] -= log_sum;
    return make_inside(most + log_sum, twos);
}

/* Solves the loops of component c, of n states: inside[] of its members from
 * inside[] of all that lies behind it; `scratch` has room for n numbers. */
static int
solve_component(const struct pfsa *p, const struct scc *s, uint32_t c, const double *leak,
                struct inside *inside, double *scratch, struct err *e)
{
    const uint32_t *member = s->member + s->begin[c];
    uint32_t n = s->begin[c + 1] - s->begin[c];
    struct loops *l = loops_new(n, e);
    int status = l == NULL ? ERR_NOMEM : 0;
    for (uint32_t i = 0; status == 0 && i < n; i++) {
        uint32_t q = member[i];
        loops_exit(l, i, p->final_logp[q]);
        loops_leak(l, i, leak != NULL ? leak[q] : -INFINITY);
        for (uint64_t a = p->first[q]; status == 0 && a < p->first[q + 1]; a++)
            if (s->of[p->target[a]] == c) {
                status = loops_arc(l, i, s->place[p->target[a]], p->logp[a], e);
            } else {
                loops_exit(l, i, p->logp[a] + inside_log(inside[p->target[a]]));
                loops_leak(l, i, p->logp[a]);
            }
    }
    if (status == 0)
        status = loops_eliminate(l, leak != NULL, e);
    if (status == 0)
        loops_inside(l, scratch);
    for (uint32_t i = 0; status == 0 && i < n; i++)
        inside[member[i]] = make_inside(scratch[i], 0);
    loops_free(l);
    return status;
}

static int
push_cyclic(struct pfsa *p, const double *leak, struct inside *inside, struct err *e)
{
    struct scc s;
    int status = scc_find(&s, p->states, p->first, p->target, 0, e);
    double *scratch = mem_array(p->states, sizeof *scratch, e);
    if (scratch == NULL)
        status = ERR_NOMEM;
    for (uint32_t c = 0; status == 0 && c < s.components; c++) {
        if (!is_cyclic(p, &s, c)) {
            uint32_t q = s.member[s.begin[c]];
            inside[q] = push_state(p, q, inside);
            continue;
        }
        status = solve_component(p, &s, c, leak, inside, scratch, e);
        for (uint32_t i = s.begin[c]; status == 0 && i < s.begin[c + 1]; i++)
            push_state(p, s.member[i], inside);
    }
    mem_free(scratch);
    scc_clear(&s);
    return status;
}

/* Acyclic: the length of the longest string, which is a path of most arcs. */
static int
find_max_length(struct pfsa *p, struct err *e)
{
    p->model.max_length = MODEL_UNBOUNDED;
    if (!p->acyclic)
        return 0;
    uint32_t *longest = mem_array(p->states, sizeof *longest, e);
    if (longest == NULL)
        return ERR_NOMEM;
    for (uint32_t q = p->states; q-- > 0;) {
        longest[q] = 0;
        for (uint64_t a = p->first[q]; a < p->first[q + 1]; a++)
            if (longest[q] < longest[p->target[a]] + 1)
                longest[q] = longest[p->target[a]] + 1;
    }
    p->model.max_length = longest[0];
    mem_free(longest);
    return 0;
}

static int
push(struct pfsa *p, const double *leak, struct err *e)
{
    struct inside *inside = mem_array(p->states, sizeof *inside, e);
    if (inside == NULL)
        return ERR_NOMEM;
    int status = 0;
    if (!p->acyclic)
        status = push_cyclic(p, leak, inside, e);
    else
        for (uint32_t q = p->states; q-- > 0;)
            inside[q] = push_state(p, q, inside);
    if (status == 0) {
        p->log_partition = inside_log(inside[0]);
        status = find_max_length(p, e);
    }
    mem_free(inside);
    return status;
}

int
pfsa_push(struct pfsa *p, struct err *e)
{
    return push(p, NULL, e);
}

struct pfsa *
pfsa_normalise(const struct pfsa_draft *d, struct err *e)
{
    if (check_draft(d, e) != 0)
        return NULL;
    struct pfsa *p = NULL, *all = arcs_by_state(d, e);
    double *leak = mem_array(d->states, sizeof *leak, e);
    if (all != NULL && leak != NULL)
        p = trim(all, d->start, d->leak_logw, leak, e);
    pfsa_free(all);
    if (p != NULL && push(p, d->leak_logw != NULL ? leak : NULL, e) != 0) {
        pfsa_free(p);
        p = NULL;
    }
    mem_free(leak);
    return p;
}

/* --- questions --- */

uint64_t
pfsa_find_arc(const struct pfsa *p, uint32_t q, uint8_t symbol)
{
    uint64_t low = p->first[q], high = p->first[q + 1];
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (p->symbol[middle] < symbol)
            low = middle + 1;
        else
            high = middle;
    }
    return low < p->first[q + 1] && p->symbol[low] == symbol ? low : PFSA_NO_ARC;
}

double
pfsa_log_prob(const struct pfsa *p, const uint8_t *codes, size_t length)
{
    uint32_t q = 0;
    double sum = 0;
    for (size_t i = 0; i < length; i++) {
        uint64_t a = pfsa_find_arc(p, q, codes[i]);
        if (a == PFSA_NO_ARC)
            return -INFINITY;
        sum += p->logp[a];
        q = p->target[a];
    }
    return sum + p->final_logp[q];
}

/* --- as a model: a prefix's state is its state's number --- */

#define DEAD UINT32_MAX /* the state of a prefix outside the support */

static size_t
state_bytes(const struct model *m)
{
    (void)m;
    return sizeof(uint32_t);
}

static void
next_log_probs(const struct pfsa *p, uint32_t q, double *logp)
{
    unsigned end = p->model.alphabet.size;
    for (unsigned i = 0; i <= end; i++)
        logp[i] = -INFINITY;
    if (q == DEAD)
        return;
    logp[end] = p->final_logp[q];
    for (uint64_t a = p->first[q]; a < p->first[q + 1]; a++)
        logp[p->symbol[a]] = p->logp[a];
}

static void
root(const struct model *m, void *scratch, void *state, double *logp)
{
    (void)scratch;
    *(uint32_t *)state = 0;
    next_log_probs((const struct pfsa *)m, 0, logp);
}

static void
step(const struct model *m, void *scratch, size_t n, const void *parents, const uint32_t *parent,
     const uint8_t *symbol, void *children, double *logp)
{
    const struct pfsa *p = (const struct pfsa *)m;
    const uint32_t *from = parents;
    uint32_t *to = children;
    (void)scratch;
    for (size_t i = 0; i < n; i++) {
        uint32_t q = from[parent[i]];
        uint64_t a = q == DEAD ? PFSA_NO_ARC : pfsa_find_arc(p, q, symbol[i]);
        to[i] = a == PFSA_NO_ARC ? DEAD : p->target[a];
        next_log_probs(p, to[i], logp + i * (m->alphabet.size + 1));
    }
}

static void
free_model(struct model *m)
{
    pfsa_free((struct pfsa *)m);
}

static const struct model_ops pfsa_ops = {
    .kind = MDL_PFSA,
    .state_bytes = state_bytes,
    .root = root,
    .step = step,
    .free = free_model,
};

/* --- files --- */

int
pfsa_save(const struct pfsa *p, const struct meta *meta, struct out *out, struct err *e)
{
    const char *chars = p->model.alphabet.chars;
    struct mdl_writer *w = mdl_writer_new(out, MDL_PFSA, meta, e);
    int status = w == NULL ? ERR_NOMEM : 0;
    if (status == 0)
        status = mdl_put(w, "alphabet", MDL_TEXT, chars, p->model.alphabet.size, e);
    if (status == 0)
        status = mdl_put(w, "log_partition", MDL_F64, &p->log_partition, 1, e);
    if (status == 0)
        status = mdl_put(w, "final", MDL_F64, p->final_logp, p->states, e);
    if (status == 0)
        status = mdl_put(w, "first", MDL_U64, p->first, (size_t)p->states + 1, e);
    if (status == 0)
        status = mdl_put(w, "symbol", MDL_U8, p->symbol, p->arcs, e);
    if (status == 0)
        status = mdl_put(w, "target", MDL_U32, p->target, p->arcs, e);
    if (status == 0)
        status = mdl_put(w, "logp", MDL_F64, p->logp, p->arcs, e);
    if (status == 0)
        status = mdl_finish(w, e);
    mdl_writer_free(w);
    return status;
}

static int
damaged(struct err *e, uint32_t state, const char *what)
{
    return err_set(e, ERR_FORMAT, "the automaton is not valid: state %u %s", state, what);
}

/* Symbols, targets and probabilities of one state, whose arcs are known to lie
 * inside the arrays. */
static int
check_state(const struct pfsa *p, uint32_t q, struct err *e)
{
    if (!(p->final_logp[q] <= 0))
        return damaged(e, q, "has a final probability that is none");
    double sum = dm_exp(p->final_logp[q]);
    for (uint64_t a = p->first[q]; a < p->first[q + 1]; a++) {
        if (p->symbol[a] >= p->model.alphabet.size)
            return damaged(e, q, "has a symbol outside the alphabet");
        if (a > p->first[q] && p->symbol[a] <= p->symbol[a - 1])
            return damaged(e, q, "has symbols that do not ascend");
        if (p->target[a] >= p->states)
            return damaged(e, q, "leads to a state that is not there");
        if (!(p->logp[a] <= 0) || p->logp[a] == -INFINITY)
            return damaged(e, q, "has an arc probability that is none");
        sum += dm_exp(p->logp[a]);
    }
    return fabs(sum - 1) <= 1e-9 ? 0 : damaged(e, q, "has probabilities that do not sum to 1");
}

static int
check_states(const struct pfsa *p, struct err *e)
{
    if (p->first[0] != 0 || p->first[p->states] != p->arcs)
        return err_set(e, ERR_FORMAT, "the automaton is not valid: its arcs do not add up");
    for (uint32_t q = 0; q < p->states; q++)
        if (p->first[q] > p->first[q + 1])
            return damaged(e, q, "has fewer than no arcs");
    for (uint32_t q = 0; q < p->states; q++)
        if (check_state(p, q, e) != 0)
            return ERR_FORMAT;
    return isfinite(p->log_partition)
               ? 0
               : err_set(e, ERR_FORMAT, "the automaton is not valid: its partition is no number");
}

/* Every state reached and able to finish, components contiguous and numbered
 * topologically. */
static int
check_order(const struct pfsa *p, const struct scc *s, const uint8_t *finishing, struct err *e)
{
    if (s->reached != p->states)
        return err_set(e, ERR_FORMAT, "the automaton is not valid: not all states are reached");
    for (uint32_t c = 0; c < s->components; c++) {
        uint32_t low = lowest_member(s, c), n = s->begin[c + 1] - s->begin[c];
        if (!finishing[c])
            return damaged(e, low, "never finishes");
        for (uint32_t i = s->begin[c]; i < s->begin[c + 1]; i++)
            if (s->member[i] - low >= n)
                return damaged(e, s->member[i], "is not numbered topologically");
    }
    for (uint32_t q = 0; q < p->states; q++)
        for (uint64_t a = p->first[q]; a < p->first[q + 1]; a++)
            if (p->target[a] < q && s->of[p->target[a]] != s->of[q])
                return damaged(e, q, "is not numbered topologically");
    return 0;
}

static int
check_shape(struct pfsa *p, struct err *e)
{
    struct scc s = {0};
    uint8_t *finishing = NULL;
    int status = scc_find(&s, p->states, p->first, p->target, 0, e);
    if (status == 0 && (finishing = mem_array(s.components, 1, e)) == NULL)
        status = ERR_NOMEM;
    if (status == 0) {
        find_finishing(p, &s, finishing);
        p->acyclic = 1;
        for (uint32_t c = 0; c < s.components; c++)
            p->acyclic &= !is_cyclic(p, &s, c);
        status = check_order(p, &s, finishing, e);
    }
    scc_clear(&s);
    mem_free(finishing);
    return status;
}

/* The sections as they are, with nothing but their sizes checked. */
static struct pfsa *
copy_sections(const struct mdl *m, struct err *e)
{
    struct alphabet alphabet;
    size_t one = 1, states = SIZE_MAX, arcs = SIZE_MAX, size = SIZE_MAX;
    const char *chars = mdl_get(m, "alphabet", MDL_TEXT, &size, e);
    const double *log_partition = mdl_get(m, "log_partition", MDL_F64, &one, e);
    const double *final = mdl_get(m, "final", MDL_F64, &states, e);
    const uint8_t *symbol = mdl_get(m, "symbol", MDL_U8, &arcs, e);
    const uint32_t *target = mdl_get(m, "target", MDL_U32, &arcs, e);
    const double *logp = mdl_get(m, "logp", MDL_F64, &arcs, e);
    if (chars == NULL || log_partition == NULL || final == NULL || symbol == NULL ||
        target == NULL || logp == NULL)
        return NULL;
    if (states == 0 || states > PFSA_STATES_MAX || size > ALPHABET_MAX) {
        err_set(e, ERR_FORMAT, "section 'final': %zu states, section 'alphabet': %zu symbols",
                states, size);
        return NULL;
    }
    size_t firsts = states + 1;
    const uint64_t *first = mdl_get(m, "first", MDL_U64, &firsts, e);
    char text[ALPHABET_MAX + 1] = {0};
    memcpy(text, chars, size);
    if (first == NULL)
        return NULL;
    if (alphabet_init(&alphabet, text, e) != 0) {
        err_prefix(e, "section 'alphabet'");
        return NULL;
    }
    struct pfsa *p = pfsa_new(&alphabet, (uint32_t)states, arcs, e);
    if (p == NULL)
        return NULL;
    p->log_partition = *log_partition;
    memcpy(p->final_logp, final, states * sizeof *final);
    memcpy(p->first, first, firsts * sizeof *first);
    memcpy(p->symbol, symbol, arcs * sizeof *symbol);
    memcpy(p->target, target, arcs * sizeof *target);
    memcpy(p->logp, logp, arcs * sizeof *logp);
    return p;
}

struct pfsa *
pfsa_from_mdl(const struct mdl *m, struct err *e)
{
    struct err why = {0};
    struct pfsa *p = copy_sections(m, &why);
    if (p != NULL && check_states(p, &why) == 0 && check_shape(p, &why) == 0 &&
        find_max_length(p, &why) == 0 && (p->model.meta = meta_copy(mdl_meta(m), &why)) != NULL)
        return p;
    pfsa_free(p);
    err_set(e, why.code == ERR_NOMEM ? ERR_NOMEM : ERR_FORMAT, "%s: %s", mdl_name(m), why.text);
    return NULL;
}

struct pfsa *
pfsa_load(const char *path, struct err *e)
{
    struct pfsa *p = NULL;
    struct mdl *m = mdl_load(path, NULL, e);
    if (m != NULL && mdl_expect(m, MDL_PFSA, e) == 0)
        p = pfsa_from_mdl(m, e);
    mdl_free(m);
    return p;
}
