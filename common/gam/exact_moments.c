/* SPDX-License-Identifier: MIT */
#include "gam/exact_moments.h"

#include <stdbool.h>
#include <string.h>

#include "core/dmath.h"
#include "core/err.h"
#include "core/intern.h"
#include "core/mem.h"
#include "feature/feature_set.h"
#include "feature/histogram.h"
#include "feature/record_automaton.h"
#include "pfsa/pfsa.h"
#include "pfsa/pfsa_stats.h"

enum { FSM_BYTES_MAX = 512 << 20 }; /* pairs may take more: MOMENTS_PAIRS_MAX */

/* ---- the automaton split by what the features know ------------------------------- */

struct pair {
    uint32_t state;     /* of the automaton */
    uint32_t knowledge; /* state of the features' automaton */
    uint32_t length;    /* symbols so far if that matters, else 0 */
};

struct split {
    const struct pfsa *p;
    struct record_automaton *fsm;
    bool limited; /* strings of more than `longest` symbols are left out */
    uint64_t longest;
    struct intern *pairs;
    double *visits; /* [pairs] */
    size_t visits_capacity;
};

static void
split_clear(struct split *s)
{
    mem_free(s->visits);
    intern_free(s->pairs);
    record_automaton_free(s->fsm);
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
    to->state = s->p->next[arc];
    to->length = x.length + s->limited;
    return record_automaton_step(s->fsm, x.knowledge, s->p->symbol[arc], &to->knowledge, e);
}

/* The number of a pair; a new one has no visits yet. */
static int
add_pair(struct split *s, struct pair x, uint32_t *number, bool *is_new, struct err *e)
{
    uint32_t before = intern_count(s->pairs);
    int rc = intern_add(s->pairs, &x, number, e);
    *is_new = rc == 0 && *number == before;
    if (rc == ERR_LIMIT)
        err_prefix(e, "automaton and features together");
    if (!*is_new)
        return rc;
    if (mem_reserve(&s->visits, &s->visits_capacity, (size_t)before + 1, sizeof *s->visits, e) != 0)
        return ERR_NOMEM;
    s->visits[*number] = 0;
    return 0;
}

/* ---- visits of pairs that never come again: one pass ---- */

/* Pairs by the state, or the length if that counts: arcs lead only to later
 * lists, so a pair has all its visits when its list has its turn. */
struct lists {
    uint32_t *head;  /* [count] */
    uint32_t *after; /* [pairs] */
    size_t capacity;
};

static int
add_visits(struct split *s, struct lists *l, struct pair x, double visits, struct err *e)
{
    uint32_t i;
    bool is_new;
    int rc = add_pair(s, x, &i, &is_new, e);
    if (rc == 0 && is_new) {
        if (mem_reserve(&l->after, &l->capacity, (size_t)i + 1, sizeof *l->after, e) != 0)
            return ERR_NOMEM;
        uint32_t *head = &l->head[s->limited ? x.length : x.state];
        l->after[i] = *head;
        *head = i;
    }
    if (rc == 0)
        s->visits[i] += visits;
    return rc;
}

static int
pass_on(struct split *s, struct lists *l, uint32_t i, struct err *e)
{
    const struct pfsa *p = s->p;
    struct pair x = get_pair(s, i), to;
    int rc = 0;
    if (!goes_on(s, x))
        return 0;
    for (uint64_t a = p->first[x.state]; rc == 0 && a < p->first[x.state + 1]; a++) {
        rc = follow_arc(s, x, a, &to, e);
        if (rc == 0)
            rc = add_visits(s, l, to, s->visits[i] * dm_exp(p->logp[a]), e);
    }
    return rc;
}

static int
visit_once(struct split *s, struct err *e)
{
    size_t count = s->limited ? (size_t)s->longest + 1 : s->p->states;
    struct lists l = {.head = mem_array(count, sizeof *l.head, e)};
    int rc = l.head == NULL ? ERR_NOMEM : 0;
    for (size_t k = 0; rc == 0 && k < count; k++)
        l.head[k] = INTERN_NONE;
    if (rc == 0)
        rc = add_visits(s, &l, (struct pair){0, 0, 0}, 1, e);
    for (size_t k = 0; rc == 0 && k < count; k++)
        for (uint32_t i = l.head[k]; rc == 0 && i != INTERN_NONE; i = l.after[i])
            rc = pass_on(s, &l, i, e);
    mem_free(l.head);
    mem_free(l.after);
    return rc;
}

/* ---- visits of pairs on cycles: the pairs as states of the same process ---- */

/* Finds all pairs that strings reach; *arcs counts the arcs between them. */
static int
find_pairs(struct split *s, uint64_t *arcs, struct err *e)
{
    uint32_t number;
    bool is_new;
    int rc = add_pair(s, (struct pair){0, 0, 0}, &number, &is_new, e);
    *arcs = 0;
    for (uint32_t i = 0; rc == 0 && i < intern_count(s->pairs); i++) {
        struct pair x = get_pair(s, i), to;
        for (uint64_t a = s->p->first[x.state]; rc == 0 && a < s->p->first[x.state + 1]; a++) {
            rc = follow_arc(s, x, a, &to, e);
            if (rc == 0)
                rc = add_pair(s, to, &number, &is_new, e);
            ++*arcs;
        }
    }
    return rc;
}

static int
join_pairs(const struct split *s, struct pfsa *joint, struct err *e)
{
    const struct pfsa *p = s->p;
    uint64_t at = 0;
    for (uint32_t i = 0; i < joint->states; i++) {
        struct pair x = get_pair(s, i), to;
        joint->final_logp[i] = p->final_logp[x.state];
        for (uint64_t a = p->first[x.state]; a < p->first[x.state + 1]; a++, at++) {
            int rc = follow_arc(s, x, a, &to, e);
            if (rc < 0)
                return rc;
            joint->symbol[at] = p->symbol[a];
            joint->logp[at] = p->logp[a];
            joint->next[at] = intern_find(s->pairs, &to);
        }
        joint->first[i + 1] = at;
    }
    return 0;
}

static int
visit_cycles(struct split *s, struct err *e)
{
    uint64_t arcs;
    int rc = find_pairs(s, &arcs, e);
    if (rc < 0)
        return rc;
    struct pfsa *joint = pfsa_new(&s->p->model.alphabet, intern_count(s->pairs), arcs, e);
    if (joint == NULL)
        return ERR_NOMEM;
    rc = join_pairs(s, joint, e);
    if (rc == 0)
        rc = pfsa_stats_visits(joint, s->visits, e);
    pfsa_free(joint);
    return rc;
}

static int
check_longest(const struct split *s, struct err *e)
{
    if (!s->limited || s->longest <= MOMENTS_LENGTH_MAX)
        return 0;
    return err_advise(e, ERR_LIMIT, REMEDY_LOWER_MAX_LENGTH,
                      "strings of at most %d symbols can be followed, and the maximum length is "
                      "%llu",
                      MOMENTS_LENGTH_MAX, (unsigned long long)s->longest);
}

/* Finds the pairs and their visits; on failure too the caller clears. */
static int
split_init(struct split *s, const struct pfsa *p, const struct feature_set *f, uint64_t longest,
           struct err *e)
{
    memset(s, 0, sizeof *s);
    s->p = p;
    s->longest = longest;
    s->limited = longest < p->model.max_length;
    int rc = check_longest(s, e);
    if (rc < 0)
        return rc;
    s->fsm = record_automaton_new(f, FSM_BYTES_MAX, e);
    s->pairs = intern_new(sizeof(struct pair), MOMENTS_PAIRS_MAX, e);
    if (s->fsm == NULL || s->pairs == NULL)
        return ERR_NOMEM;
    return p->acyclic || s->limited ? visit_once(s, e) : visit_cycles(s, e);
}

/* The probability that a string ends at pair i. */
static double
ends_at(const struct split *s, uint32_t i)
{
    return s->visits[i] * dm_exp(s->p->final_logp[get_pair(s, i).state]);
}

/* ---- means -------------------------------------------------------------------------- */

/* E of one feature as a whole number; for suffix:S with `passing` the number of
 * times that S has just ended, at the end of the string or not. */
static int
split_mean(const struct pfsa *p, const struct feature_set *one, bool passing, double *mean,
           struct err *e)
{
    struct split s;
    struct compensated_sum sum = {0};
    int rc = split_init(&s, p, one, MODEL_UNBOUNDED, e);
    for (uint32_t i = 0; rc == 0 && i < intern_count(s.pairs); i++) {
        uint64_t whole;
        feature_set_numerators(one, record_automaton_record(s.fsm, get_pair(&s, i).knowledge),
                               &whole);
        if (passing)
            compensated_sum_add(&sum, whole == 0 ? s.visits[i] : 0);
        else if (whole > 0)
            compensated_sum_add(&sum, ends_at(&s, i) * (double)whole);
    }
    *mean = compensated_sum_total(&sum);
    split_clear(&s);
    return rc;
}

static int
one_mean(const struct pfsa *p, const struct feature_set *f, const char *spec, bool passing,
         double *mean, struct err *e)
{
    struct feature_set *one = feature_set_new(feature_set_alphabet(f), e);
    int rc = one == NULL ? ERR_NOMEM : feature_set_add(one, spec, e);
    if (rc == 0)
        rc = split_mean(p, one, passing, mean, e);
    feature_set_free(one);
    return rc;
}

static int
count_mean(const struct pfsa *p, const struct feature_set *f, const char *word, double *mean,
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
    struct compensated_sum visits = {0}, times = {0};
    double *v = mem_zero(p->states, sizeof *v, e);
    int rc = v == NULL ? ERR_NOMEM : pfsa_stats_visits(p, v, e);
    if (rc == 0) {
        for (uint32_t q = 0; q < p->states; q++)
            compensated_sum_add(&visits, v[q]);
        v[0] = v[0] > 1 ? v[0] - 1 : 0; /* rounding may leave less than 1 */
        rc = pfsa_stats_flow(p, v, e);
    }
    for (uint32_t q = 0; rc == 0 && q < p->states; q++)
        compensated_sum_add(&times, v[q]);
    *first = compensated_sum_total(&visits) - 1;
    *second = 2 * compensated_sum_total(&times) - *first;
    mem_free(v);
    return rc;
}

static int
feature_mean(const struct pfsa *p, const struct feature_set *f, size_t i, double *mean,
             struct err *e)
{
    double other;
    switch (feature_set_type(f, i)) {
    case FEATURE_LENGTH:
        return length_means(p, mean, &other, e);
    case FEATURE_LENGTH2:
        return length_means(p, &other, mean, e);
    case FEATURE_COUNT:
        return count_mean(p, f, feature_set_argument(f, i), mean, e);
    default:
        return one_mean(p, f, feature_set_spec(f, i), false, mean, e);
    }
}

static int
check_alphabets(const struct pfsa *p, const struct feature_set *f, struct err *e)
{
    if (alphabet_equal(&p->model.alphabet, feature_set_alphabet(f)))
        return 0;
    return err_set(e, ERR_DATA, "the alphabets differ: '%s' of the model, '%s' of the features",
                   p->model.alphabet.chars, feature_set_alphabet(f)->chars);
}

int
exact_means(const struct pfsa *p, const struct feature_set *f, double *mean, struct err *e)
{
    int rc = check_alphabets(p, f, e);
    for (size_t i = 0; rc == 0 && i < feature_set_count(f); i++) {
        rc = feature_mean(p, f, i, &mean[i], e);
        if (rc == 0)
            mean[i] /= feature_set_denominator(f, i);
    }
    return rc;
}

/* ---- the histogram -------------------------------------------------------------------- */

static int
add_ends(const struct split *s, const struct feature_set *f, struct histogram *h, struct err *e)
{
    uint64_t *whole = mem_array(feature_set_count(f), sizeof *whole, e);
    int rc = whole == NULL ? ERR_NOMEM : 0;
    for (uint32_t i = 0; rc == 0 && i < intern_count(s->pairs); i++) {
        double probability = ends_at(s, i);
        if (probability == 0)
            continue;
        feature_set_numerators(f, record_automaton_record(s->fsm, get_pair(s, i).knowledge), whole);
        rc = histogram_add(h, whole, probability, e);
    }
    mem_free(whole);
    return rc;
}

int
exact_histogram(const struct pfsa *p, const struct feature_set *f, uint64_t longest,
                struct histogram *h, struct err *e)
{
    struct split s;
    int rc = check_alphabets(p, f, e);
    if (rc < 0)
        return rc;
    if (!p->acyclic && longest == MODEL_UNBOUNDED && feature_set_need_max_length(f))
        return err_set(e, ERR_DATA,
                       "strings have no longest length, so features that count take infinitely "
                       "many values");
    rc = split_init(&s, p, f, longest, e);
    if (rc == 0)
        rc = add_ends(&s, f, h, e);
    split_clear(&s);
    return rc;
}
