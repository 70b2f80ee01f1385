/* SPDX-License-Identifier: MIT */
#include "ngram/merging.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "core/dmath.h"
#include "core/err.h"
#include "core/mem.h"
#include "core/paired.h"
#include "pfsa/pfsa.h"
#include "pfsa/pfsa_builder.h"
#include "text/alphabet.h"
#include "text/strings.h"

enum { FOLDS = 5, PSEUDO_COUNTS = 12 };

#define PSEUDO_COUNT_LEAST 0.015625 /* the others are powers of 2 times this */
#define NONE               UINT32_MAX

static const double thresholds[MERGING_TRIED] = {2, 4, 6, 9};

/* A state, and the transition by which the tree reaches it; they have the same number. */
struct state {
    uint32_t count, end; /* visits, and how many of them are the last */
    uint32_t first;      /* transition, NONE if there is none */
    bool kept;
};

struct transition {
    uint32_t count, target, next; /* next: with a larger symbol from the same state, or NONE */
    uint8_t symbol;
};

struct pair {
    uint32_t kept, other;
};

struct learner {
    unsigned symbols; /* of the alphabet */
    struct state *state;
    struct transition *move;
    uint32_t states;
    uint32_t *kept; /* [MERGING_STATES_MAX] */
    uint32_t kept_count;
    struct pair *stack;
    size_t stack_capacity, stack_count;
    double *rising; /* [characters + 1] log (1/2)_k */
    double *total;  /* [characters + 1] log ((A+1)/2)_k */
};

/* ---- the tree of prefixes */

/* Place of the transition of state q by a symbol, or where it belongs. */
static uint32_t *
find(struct learner *l, uint32_t q, uint8_t symbol)
{
    uint32_t *at = &l->state[q].first;
    while (*at != NONE && l->move[*at].symbol < symbol)
        at = &l->move[*at].next;
    return at;
}

static uint32_t
new_state(struct learner *l)
{
    l->state[l->states] = (struct state){.first = NONE};
    return l->states++;
}

static void
add_string(struct learner *l, const uint8_t *symbols, size_t length)
{
    uint32_t q = 0;
    l->state[q].count++;
    for (size_t i = 0; i < length; i++) {
        uint32_t *at = find(l, q, symbols[i]);
        if (*at == NONE || l->move[*at].symbol != symbols[i]) {
            uint32_t made = new_state(l);
            l->move[made] = (struct transition){0, made, *at, symbols[i]};
            *at = made;
        }
        q = *at;
        l->move[q].count++;
        l->state[q].count++;
    }
    l->state[q].end++;
}

static void
fill_rising(double *rising, uint64_t count, double from)
{
    rising[0] = 0;
    for (uint64_t k = 0; k < count; k++)
        rising[k + 1] = rising[k] + dm_log(from + (double)k);
}

static void
learner_clear(struct learner *l)
{
    mem_free(l->state);
    mem_free(l->move);
    mem_free(l->kept);
    mem_free(l->stack);
    mem_free(l->rising);
    mem_free(l->total);
}

/* Clear in any case. */
static int
learner_init(struct learner *l, const struct strings *s, const struct alphabet *a, struct err *e)
{
    uint64_t characters = s->symbols + s->count;
    *l = (struct learner){.symbols = a->size};
    if (characters > MERGING_CHARACTERS_MAX)
        return err_set(e, ERR_LIMIT, "more than %d characters to merge states of",
                       MERGING_CHARACTERS_MAX);
    l->state = mem_array(s->symbols + 1, sizeof *l->state, e);
    l->move = mem_array(s->symbols + 1, sizeof *l->move, e);
    l->kept = mem_array(MERGING_STATES_MAX, sizeof *l->kept, e);
    l->rising = mem_array(characters + 1, sizeof *l->rising, e);
    l->total = mem_array(characters + 1, sizeof *l->total, e);
    if (l->state == NULL || l->move == NULL || l->kept == NULL || l->rising == NULL ||
        l->total == NULL)
        return ERR_NOMEM;
    fill_rising(l->rising, characters, 0.5);
    fill_rising(l->total, characters, 0.5 * (a->size + 1));
    new_state(l);
    for (size_t i = 0; i < s->count; i++) {
        size_t length;
        const uint8_t *symbols = strings_get(s, i, &length);
        add_string(l, symbols, length);
    }
    return 0;
}

/* ---- merging */

static int
push(struct learner *l, uint32_t kept, uint32_t other, struct err *e)
{
    if (mem_reserve(&l->stack, &l->stack_capacity, l->stack_count + 1, sizeof *l->stack, e) != 0)
        return ERR_NOMEM;
    l->stack[l->stack_count++] = (struct pair){kept, other};
    return 0;
}

static double
together(const double *rising, uint32_t n, uint32_t m)
{
    return rising[n + m] - rising[n] - rising[m];
}

/* log B of two states; pushes the pairs below them. */
static double
compare(struct learner *l, struct pair p, struct err *e)
{
    const struct state *x = &l->state[p.kept], *y = &l->state[p.other];
    double log_b = together(l->rising, x->end, y->end) - together(l->total, x->count, y->count);
    uint32_t i = x->first, j = y->first;
    while (i != NONE && j != NONE) {
        const struct transition *s = &l->move[i], *t = &l->move[j];
        if (s->symbol == t->symbol) {
            log_b += together(l->rising, s->count, t->count);
            if (push(l, s->target, t->target, e) != 0)
                return NAN;
        }
        i = s->symbol <= t->symbol ? s->next : i;
        j = t->symbol <= s->symbol ? t->next : j;
    }
    return log_b;
}

/* The sum of log B of all pairs of a merger, or -INFINITY if one is below the threshold. */
static double
judge(struct learner *l, uint32_t kept, uint32_t other, double threshold, struct err *e)
{
    double sum = 0;
    l->stack_count = 0;
    push(l, kept, other, e);
    while (e->code == ERR_NONE && l->stack_count > 0) {
        double log_b = compare(l, l->stack[--l->stack_count], e);
        if (log_b < -threshold)
            return -INFINITY;
        sum += log_b;
    }
    return sum;
}

/* Adds the counts of a state to those of another; its transitions move there, or wait on the
 * stack to be merged. */
static int
absorb(struct learner *l, struct pair p, struct err *e)
{
    const struct state *y = &l->state[p.other];
    l->state[p.kept].count += y->count;
    l->state[p.kept].end += y->end;
    for (uint32_t j = y->first, next; j != NONE; j = next) {
        struct transition *t = &l->move[j];
        uint32_t *at = find(l, p.kept, t->symbol);
        next = t->next;
        if (*at != NONE && l->move[*at].symbol == t->symbol) {
            l->move[*at].count += t->count;
            if (push(l, l->move[*at].target, t->target, e) != 0)
                return ERR_NOMEM;
        } else {
            t->next = *at;
            *at = j;
        }
    }
    return 0;
}

static int
merge(struct learner *l, uint32_t kept, uint32_t other, struct err *e)
{
    l->stack_count = 0;
    int rc = push(l, kept, other, e);
    while (rc == 0 && l->stack_count > 0)
        rc = absorb(l, l->stack[--l->stack_count], e);
    return rc;
}

static int
keep(struct learner *l, uint32_t q, struct err *e)
{
    if (l->kept_count == MERGING_STATES_MAX)
        return err_set(e, ERR_LIMIT, "the automaton would have more than %d states",
                       MERGING_STATES_MAX);
    l->state[q].kept = true;
    l->kept[l->kept_count++] = q;
    return 0;
}

/* The most frequent transition from a state that is kept to one that is not, or NONE. */
static uint32_t
next_transition(const struct learner *l)
{
    uint32_t best = NONE;
    for (uint32_t k = 0; k < l->kept_count; k++)
        for (uint32_t i = l->state[l->kept[k]].first; i != NONE; i = l->move[i].next)
            if (!l->state[l->move[i].target].kept &&
                (best == NONE || l->move[i].count > l->move[best].count))
                best = i;
    return best;
}

static int
merge_all(struct learner *l, double threshold, struct err *e)
{
    int rc = keep(l, 0, e);
    for (uint32_t i; rc == 0 && (i = next_transition(l)) != NONE;) {
        uint32_t other = l->move[i].target, best = NONE;
        double most = -INFINITY;
        for (uint32_t k = 0; rc == 0 && k < l->kept_count; k++) {
            double sum = judge(l, l->kept[k], other, threshold, e);
            rc = e->code;
            if (sum > most) {
                most = sum;
                best = l->kept[k];
            }
        }
        if (rc == 0 && best != NONE) {
            l->move[i].target = best;
            rc = merge(l, best, other, e);
        } else if (rc == 0) {
            rc = keep(l, other, e);
        }
    }
    return rc;
}

/* ---- the automaton */

/* What smoothing needs, by symbol; the end comes last. */
struct smoothing {
    double share[ALPHABET_MAX + 1]; /* f */
    uint32_t usual[ALPHABET_MAX];   /* place in l->kept to which most transitions lead */
    double pseudo_count;            /* K */
};

static uint32_t *
numbers_of_kept(const struct learner *l, struct err *e)
{
    uint32_t *number = mem_array(l->states, sizeof *number, e);
    for (uint32_t k = 0; number != NULL && k < l->kept_count; k++)
        number[l->kept[k]] = k;
    return number;
}

/* log p of the training set, each character predicted without itself. */
static double
leave_out(const struct learner *l, const double *share, double k)
{
    double sum = 0;
    for (uint32_t i = 0; i < l->kept_count; i++) {
        const struct state *q = &l->state[l->kept[i]];
        double rest = q->count - 1 + k;
        if (q->end > 0)
            sum += q->end * dm_log((q->end - 1 + k * share[l->symbols]) / rest);
        for (uint32_t t = q->first; t != NONE; t = l->move[t].next)
            sum += l->move[t].count *
                   dm_log((l->move[t].count - 1 + k * share[l->move[t].symbol]) / rest);
    }
    return sum;
}

static void
choose_pseudo_count(const struct learner *l, struct smoothing *s)
{
    double best = -INFINITY, k = PSEUDO_COUNT_LEAST;
    for (int i = 0; i < PSEUDO_COUNTS; i++, k *= 2) {
        double sum = leave_out(l, s->share, k);
        if (sum > best) {
            best = sum;
            s->pseudo_count = k;
        }
    }
}

static int
smooth(const struct learner *l, const uint32_t *number, struct smoothing *s, struct err *e)
{
    double total = l->symbols + 1;
    size_t symbols = l->symbols;
    uint64_t *led = mem_zero(symbols * l->kept_count, sizeof *led, e);
    if (led == NULL)
        return ERR_NOMEM;
    *s = (struct smoothing){.pseudo_count = 1};
    for (size_t a = 0; a <= symbols; a++)
        s->share[a] = 1;
    for (uint32_t i = 0; i < l->kept_count; i++) {
        const struct state *q = &l->state[l->kept[i]];
        total += q->count;
        s->share[symbols] += q->end;
        for (uint32_t t = q->first; t != NONE; t = l->move[t].next) {
            const struct transition *m = &l->move[t];
            uint64_t *row = led + m->symbol * (size_t)l->kept_count;
            s->share[m->symbol] += m->count;
            row[number[m->target]] += m->count;
            if (row[number[m->target]] > row[s->usual[m->symbol]])
                s->usual[m->symbol] = number[m->target];
        }
    }
    for (size_t a = 0; a <= symbols; a++)
        s->share[a] /= total;
    choose_pseudo_count(l, s);
    mem_free(led);
    return 0;
}

static void
fill_state(struct pfsa *p, const struct learner *l, const uint32_t *number,
           const struct smoothing *s, uint32_t k)
{
    const struct state *q = &l->state[l->kept[k]];
    uint64_t at = p->first[k];
    uint32_t i = q->first;
    for (unsigned a = 0; a < l->symbols; a++, at++) {
        bool seen = i != NONE && l->move[i].symbol == a;
        p->symbol[at] = (uint8_t)a;
        p->next[at] = seen ? number[l->move[i].target] : s->usual[a];
        p->logp[at] = (seen ? l->move[i].count : 0) + s->pseudo_count * s->share[a];
        i = seen ? l->move[i].next : i;
    }
    p->final_logp[k] = q->end + s->pseudo_count * s->share[l->symbols];
    p->first[k + 1] = at;
}

static struct pfsa *
build(const struct learner *l, const struct alphabet *a, struct err *e)
{
    struct smoothing s;
    struct pfsa *p = NULL;
    uint32_t *number = numbers_of_kept(l, e);
    if (number != NULL && smooth(l, number, &s, e) == 0)
        p = pfsa_new(a, l->kept_count, (uint64_t)l->kept_count * a->size, e);
    if (p != NULL) {
        for (uint32_t k = 0; k < l->kept_count; k++)
            fill_state(p, l, number, &s, k);
        p = pfsa_from_probabilities(p, 0, e);
    }
    mem_free(number);
    return p;
}

static int
check(const struct strings *s, struct err *e)
{
    if (s->count == 0)
        return err_set(e, ERR_DATA, "no strings to train on");
    if (s->shortest == s->longest)
        return err_set(e, ERR_DATA,
                       "all strings have %zu symbols, but merged states do not know positions",
                       s->longest);
    return 0;
}

struct pfsa *
merging_build(const struct strings *s, const struct alphabet *a, double threshold, struct err *e)
{
    struct learner l = {0};
    struct pfsa *p = NULL;
    if (check(s, e) == 0 && learner_init(&l, s, a, e) == 0 && merge_all(&l, threshold, e) == 0)
        p = build(&l, a, e);
    learner_clear(&l);
    return p;
}

/* ---- the threshold */

static int
take_others(struct strings *to, const struct strings *s, struct err *e)
{
    for (size_t i = 0; i < s->count; i++) {
        size_t length;
        const uint8_t *symbols = strings_get(s, i, &length);
        if (i % FOLDS != FOLDS - 1 && strings_add(to, symbols, length, e) != 0)
            return e->code;
    }
    return 0;
}

/* An automaton per threshold, learned from all strings but those that are held out; NULL if it
 * would be too large, or if these strings have one length. */
static int
learn_others(const struct strings *s, const struct alphabet *a, struct pfsa **p, struct err *e)
{
    struct strings others = {0};
    struct err why = {0};
    int rc = take_others(&others, s, &why);
    for (int i = 0; rc == 0 && i < MERGING_TRIED; i++) {
        p[i] = merging_build(&others, a, thresholds[i], &why);
        rc = why.code == ERR_NOMEM ? ERR_NOMEM : 0;
        if (rc == 0)
            why = (struct err){0};
    }
    strings_clear(&others);
    return err_pass(e, &why);
}

/* The losses of the strings that are held out. */
static void
predict(struct paired *losses, struct pfsa *const *p, const struct strings *s)
{
    for (size_t i = FOLDS - 1; i < s->count; i += FOLDS) {
        double loss[MERGING_TRIED];
        size_t length;
        const uint8_t *symbols = strings_get(s, i, &length);
        for (int k = 0; k < MERGING_TRIED; k++)
            loss[k] = p[k] != NULL ? -pfsa_log_prob(p[k], symbols, length) : INFINITY;
        paired_add(losses, loss, (double)length + 1);
    }
}

/* The largest threshold, which keeps the fewest states, within a standard error of the best. */
static void
settle(struct merging_choice *choice, const struct paired *losses)
{
    int best = MERGING_TRIED - 1, chosen;
    for (int i = MERGING_TRIED; i-- > 0;) {
        choice->tried[i] = thresholds[i];
        choice->tried_ce[i] = paired_loss(losses, (size_t)i);
        if (choice->tried_ce[i] < choice->tried_ce[best])
            best = i;
    }
    chosen = best;
    for (int i = best + 1; i < MERGING_TRIED; i++) {
        struct paired_difference d = paired_compare(losses, (size_t)i, (size_t)best);
        if (d.value <= d.error)
            chosen = i;
    }
    choice->threshold = thresholds[chosen];
    choice->ce = choice->tried_ce[chosen];
}

int
merging_choose(const struct strings *s, const struct alphabet *a, struct merging_choice *choice,
               struct err *e)
{
    struct paired losses = {0};
    struct pfsa *p[MERGING_TRIED] = {0};
    *choice = (struct merging_choice){.threshold = thresholds[MERGING_TRIED - 1], .ce = NAN};
    int rc = check(s, e);
    if (rc != 0 || s->count < FOLDS)
        return rc;
    rc = paired_init(&losses, MERGING_TRIED, e);
    if (rc == 0)
        rc = learn_others(s, a, p, e);
    if (rc == 0) {
        predict(&losses, p, s);
        settle(choice, &losses);
    }
    for (int i = 0; i < MERGING_TRIED; i++)
        pfsa_free(p[i]);
    paired_clear(&losses);
    return rc;
}
