/* SPDX-License-Identifier: MIT */
#include "moments.h"

#include <stdbool.h>
#include <string.h>

#include "dmath.h"
#include "err.h"
#include "feature.h"
#include "fsm.h"
#include "hist.h"
#include "intern.h"
#include "mem.h"
#include "pfsa.h"
#include "pfsa_stats.h"
#include "sum.h"

/* ---- the automaton split by what the features know ------------------------------- */

struct pair {
    uint32_t state;     /* of the automaton */
    uint32_t knowledge; /* state of the features' automaton */
    uint32_t length;    /* symbols so far if that matters, else 0 */
};

struct split {
    const struct pfsa *p;
    struct fsm *fsm;
    bool limited; /* strings of more than `longest` symbols are left out */
    uint64_t longest;
    struct intern *pairs;
    struct pfsa *pfsa; /* [pairs] states */
    double *visits;    /* [pairs] */
};

static void
split_clear(struct split *s)
{
    mem_free(s->visits);
    pfsa_free(s->pfsa);
    intern_free(s->pairs);
    fsm_free(s->fsm);
}

static struct pair
get_pair(const struct split *s, uint32_t i)
{
    struct pair x;
    memcpy(&x, intern_get(s->pairs, i), sizeof x);
    return x;
}

/* Whether the string may go on from here. */
static bool
goes_on(const struct split *s, struct pair x)
{
    return !s->limited || x.length < s->longest;
}

static int
follow_arc(const struct split *s, struct pair x, uint64_t arc, struct pair *to, struct err *e)
{
    to->state = s->p->target[arc];
    to->length = x.length + s->limited;
    return fsm_step(s->fsm, x.knowledge, s->p->symbol[arc], &to->knowledge, e);
}

/* Finds all pairs that strings reach; *arcs counts the arcs between them. */
static int
find_pairs(struct split *s, uint64_t *arcs, struct err *e)
{
    const struct pair start = {0, 0, 0};
    uint32_t number;
    int rc = intern_add(s->pairs, &start, &number, e);
    *arcs = 0;
    for (uint32_t i = 0; rc == 0 && i < intern_count(s->pairs); i++) {
        struct pair x = get_pair(s, i), to;
        if (!goes_on(s, x))
            continue;
        for (uint64_t a = s->p->first[x.state]; rc == 0 && a < s->p->first[x.state + 1]; a++) {
            rc = follow_arc(s, x, a, &to, e);
            if (rc == 0)
                rc = intern_add(s->pairs, &to, &number, e);
            ++*arcs;
        }
    }
    if (rc == ERR_LIMIT)
        err_prefix(e, "automaton and features together");
    return rc;
}

/* The same process with pairs as its states. */
static int
join_pairs(struct split *s, uint64_t arcs, struct err *e)
{
    const struct pfsa *p = s->p;
    uint32_t count = intern_count(s->pairs);
    s->pfsa = pfsa_new(&p->model.alphabet, count, arcs, e);
    if (s->pfsa == NULL)
        return ERR_NOMEM;
    uint64_t at = 0;
    for (uint32_t i = 0; i < count; i++) {
        struct pair x = get_pair(s, i), to;
        s->pfsa->final_logp[i] = p->final_logp[x.state];
        uint64_t end = goes_on(s, x) ? p->first[x.state + 1] : p->first[x.state];
        for (uint64_t a = p->first[x.state]; a < end; a++, at++) {
            int rc = follow_arc(s, x, a, &to, e);
            if (rc < 0)
                return rc;
            s->pfsa->symbol[at] = p->symbol[a];
            s->pfsa->logp[at] = p->logp[a];
            s->pfsa->target[at] = intern_find(s->pairs, &to);
        }
        s->pfsa->first[i + 1] = at;
    }
    return 0;
}

/* On failure too the caller clears. */
static int
split_init(struct split *s, const struct pfsa *p, const struct features *f, uint64_t longest,
           struct err *e)
{
    uint64_t arcs;
    memset(s, 0, sizeof *s);
    s->p = p;
    s->longest = longest;
    s->limited = longest < p->model.max_length;
    s->fsm = fsm_new(f, e);
    s->pairs = intern_new(sizeof(struct pair), PFSA_STATES_MAX, e);
    if (s->fsm == NULL || s->pairs == NULL)
        return ERR_NOMEM;
    int rc = find_pairs(s, &arcs, e);
    if (rc == 0)
        rc = join_pairs(s, arcs, e);
    if (rc < 0)
        return rc;
    s->visits = mem_array(intern_count(s->pairs), sizeof *s->visits, e);
    return s->visits == NULL ? ERR_NOMEM : pfsa_stats_visits(s->pfsa, s->visits, e);
}

/* The probability that a string ends at pair i. */
static double
ends_at(const struct split *s, uint32_t i)
{
    return s->visits[i] * dm_exp(s->pfsa->final_logp[i]);
}

/* ---- means -------------------------------------------------------------------------- */

/* E of one feature as a whole number; for suffix:S with `passing` the number of
 * times that S has just ended, at the end of the string or not. */
static int
split_mean(const struct pfsa *p, const struct features *one, bool passing, double *mean,
           struct err *e)
{
    struct split s;
    struct sum sum = {0};
    int rc = split_init(&s, p, one, MODEL_UNBOUNDED, e);
    for (uint32_t i = 0; rc == 0 && i < intern_count(s.pairs); i++) {
        uint64_t whole;
        features_whole(one, fsm_record(s.fsm, get_pair(&s, i).knowledge), &whole);
        if (passing)
            sum_add(&sum, whole == 0 ? s.visits[i] : 0);
        else if (whole > 0)
            sum_add(&sum, ends_at(&s, i) * (double)whole);
    }
    *mean = sum_total(&sum);
    split_clear(&s);
    return rc;
}

static int
one_mean(const struct pfsa *p, const struct features *f, const char *spec, bool passing,
         double *mean, struct err *e)
{
    struct features *one = features_new(features_alphabet(f), e);
    int rc = one == NULL ? ERR_NOMEM : features_add(one, spec, e);
    if (rc == 0)
        rc = split_mean(p, one, passing, mean, e);
    features_free(one);
    return rc;
}

static int
count_mean(const struct pfsa *p, const struct features *f, const char *word, double *mean,
           struct err *e)
{
    static const char kind[] = "suffix:";
    char *spec = mem_array(sizeof kind + strlen(word), 1, e);
    if (spec == NULL)
        return ERR_NOMEM;
    memcpy(spec, kind, sizeof kind - 1);
    strcpy(spec + sizeof kind - 1, word);
    int rc = one_mean(p, f, spec, true, mean, e);
    mem_free(spec);
    return rc;
}

/* E|x| and E|x|^2.  Let v[q] be the visits of q and w[q] the visits weighted
 * with the time, sum over t of t P(state q after t symbols).  As one more step
 * is taken, w gets from a neighbour its w and its v: it is the flow through the
 * automaton of what enters every state as v, less the first visit of the start.
 * A string of n symbols makes 1 + n visits, the one at time t > 0 adds 2t - 1 to
 * n^2. */
static int
length_means(const struct pfsa *p, double *first, double *second, struct err *e)
{
    struct sum visits = {0}, times = {0};
    double *v = mem_zero(p->states, sizeof *v, e);
    int rc = v == NULL ? ERR_NOMEM : pfsa_stats_visits(p, v, e);
    if (rc == 0) {
        for (uint32_t q = 0; q < p->states; q++)
            sum_add(&visits, v[q]);
        v[0] = v[0] > 1 ? v[0] - 1 : 0; /* rounding may leave less than 1 */
        rc = pfsa_stats_flow(p, v, e);
    }
    for (uint32_t q = 0; rc == 0 && q < p->states; q++)
        sum_add(&times, v[q]);
    *first = sum_total(&visits) - 1;
    *second = 2 * sum_total(&times) - *first;
    mem_free(v);
    return rc;
}

static int
feature_mean(const struct pfsa *p, const struct features *f, size_t i, double *mean, struct err *e)
{
    double other;
    switch (features_kind(f, i)) {
    case FEATURE_LENGTH:
        return length_means(p, mean, &other, e);
    case FEATURE_LENGTH2:
        return length_means(p, &other, mean, e);
    case FEATURE_COUNT:
        return count_mean(p, f, features_argument(f, i), mean, e);
    default:
        return one_mean(p, f, features_spec(f, i), false, mean, e);
    }
}

static int
check_alphabets(const struct pfsa *p, const struct features *f, struct err *e)
{
    if (alphabet_equal(&p->model.alphabet, features_alphabet(f)))
        return 0;
    return err_set(e, ERR_DATA, "the alphabets differ: '%s' of the model, '%s' of the features",
                   p->model.alphabet.chars, features_alphabet(f)->chars);
}

int
moments_mean(const struct pfsa *p, const struct features *f, double *mean, struct err *e)
{
    int rc = check_alphabets(p, f, e);
    for (size_t i = 0; rc == 0 && i < features_count(f); i++) {
        rc = feature_mean(p, f, i, &mean[i], e);
        mean[i] /= features_divisor(f, i);
    }
    return rc;
}

/* ---- the histogram -------------------------------------------------------------------- */

static int
add_ends(const struct split *s, const struct features *f, struct hist *h, struct err *e)
{
    uint64_t *whole = mem_array(features_count(f), sizeof *whole, e);
    int rc = whole == NULL ? ERR_NOMEM : 0;
    for (uint32_t i = 0; rc == 0 && i < intern_count(s->pairs); i++) {
        double probability = ends_at(s, i);
        if (probability == 0)
            continue;
        features_whole(f, fsm_record(s->fsm, get_pair(s, i).knowledge), whole);
        rc = hist_add(h, whole, probability, e);
    }
    mem_free(whole);
    return rc;
}

int
moments_histogram(const struct pfsa *p, const struct features *f, uint64_t longest, struct hist *h,
                  struct err *e)
{
    struct split s;
    int rc = check_alphabets(p, f, e);
    if (rc < 0)
        return rc;
    if (!p->acyclic && longest == MODEL_UNBOUNDED && features_need_max_length(f))
        return err_set(e, ERR_DATA,
                       "strings have no longest length, so features that count take infinitely "
                       "many values");
    rc = split_init(&s, p, f, longest, e);
    if (rc == 0)
        rc = add_ends(&s, f, h, e);
    split_clear(&s);
    return rc;
}
