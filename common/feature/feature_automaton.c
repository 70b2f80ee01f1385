/* SPDX-License-Identifier: MIT */
#include "feature/feature_automaton.h"

#include <stdbool.h>
#include <string.h>

#include "core/err.h"
#include "core/intern.h"
#include "core/mem.h"
#include "feature/feature_set.h"

/* A feature that the automaton follows. */
struct follower {
    const struct feature *feature;
    uint32_t number; /* in the set */
    size_t offset;   /* offset of its part of a state's record, in words */
};

/* A growing list of terms, and the first term of each owner. */
struct term_list {
    uint64_t *first;
    struct feature_term *term;
    size_t first_capacity, term_capacity;
    uint64_t owners, terms;
};

/* A state has end terms from the moment it is found.  Rows of arcs are built in the order in
 * which they are requested. */
struct feature_explorer {
    unsigned symbols;
    size_t features;
    struct follower *follower; /* [followers] */
    size_t followers;
    size_t words; /* words of a state's record */
    struct intern *states;
    uint32_t *from, *to; /* [words] records of a state and of a successor */
    uint32_t *row;       /* [states] row of its arcs, or NO_ROW */
    size_t row_capacity;
    uint32_t rows;
    uint32_t *next; /* [rows][symbols] */
    size_t next_capacity;
    struct term_list arcs, ends;
};

#define NO_ROW UINT32_MAX

/* ---- lists of terms ------------------------------------------------------------- */

static int
list_init(struct term_list *l, struct err *e)
{
    if (mem_reserve(&l->first, &l->first_capacity, 1, sizeof *l->first, e) != 0 ||
        mem_reserve(&l->term, &l->term_capacity, 1, sizeof *l->term, e) != 0)
        return ERR_NOMEM;
    l->first[0] = 0;
    return 0;
}

/* The terms added since the last call belong to the next owner. */
static int
close_owner(struct term_list *l, struct err *e)
{
    if (mem_reserve(&l->first, &l->first_capacity, l->owners + 2, sizeof *l->first, e) != 0)
        return ERR_NOMEM;
    l->first[++l->owners] = l->terms;
    return 0;
}

static int
add_term(struct term_list *l, uint32_t feature, uint32_t numerator, struct err *e)
{
    if (numerator == 0)
        return 0;
    if (mem_reserve(&l->term, &l->term_capacity, l->terms + 1, sizeof *l->term, e) != 0)
        return ERR_NOMEM;
    l->term[l->terms++] = (struct feature_term){feature, numerator};
    return 0;
}

static size_t
list_bytes(const struct term_list *l)
{
    return l->first_capacity * sizeof *l->first + l->term_capacity * sizeof *l->term;
}

/* ---- finding states -------------------------------------------------------------- */

/* The features to follow: those chosen that depend on more than the length. */
static int
choose(struct feature_explorer *x, const struct feature_set *f, const size_t *chosen, size_t count,
       struct err *e)
{
    if (chosen == NULL)
        count = feature_set_count(f);
    x->follower = mem_array(count, sizeof *x->follower, e);
    if (x->follower == NULL)
        return ERR_NOMEM;
    for (size_t k = 0; k < count; k++) {
        size_t i = chosen == NULL ? k : chosen[k];
        if (feature_set_is_timed(f, i))
            continue;
        const struct feature *feature = feature_set_feature(f, i);
        x->follower[x->followers++] = (struct follower){feature, (uint32_t)i, x->words};
        x->words += feature_words(feature);
    }
    return 0;
}

static int
check_bytes(const struct feature_explorer *x, struct err *e)
{
    size_t bytes = intern_bytes(x->states) + list_bytes(&x->arcs) + list_bytes(&x->ends) +
                   x->row_capacity * sizeof *x->row +
                   x->next_capacity * x->symbols * sizeof *x->next;
    if (bytes <= FEATURE_AUTOMATON_BYTES_MAX)
        return 0;
    return err_set(e, ERR_LIMIT, "more than %d MB at %u states", FEATURE_AUTOMATON_BYTES_MAX >> 20,
                   intern_count(x->states));
}

/* The number of the state in x->to; a new state gets its end terms. */
static int
add_state(struct feature_explorer *x, uint32_t *state, struct err *e)
{
    uint32_t before = intern_count(x->states);
    int rc = intern_add(x->states, x->to, state, e);
    if (rc != 0 || *state < before)
        return rc;
    if (mem_reserve(&x->row, &x->row_capacity, (size_t)before + 1, sizeof *x->row, e) != 0)
        return ERR_NOMEM;
    x->row[before] = NO_ROW;
    for (size_t k = 0; k < x->followers; k++) {
        const struct follower *f = &x->follower[k];
        if (add_term(&x->ends, f->number, feature_end(f->feature, x->to + f->offset), e) != 0)
            return ERR_NOMEM;
    }
    return close_owner(&x->ends, e);
}

static int
add_arc(struct feature_explorer *x, uint32_t row, unsigned a, struct err *e)
{
    memcpy(x->to, x->from, x->words * sizeof *x->to);
    for (size_t k = 0; k < x->followers; k++) {
        const struct follower *f = &x->follower[k];
        uint32_t paid = feature_arc(f->feature, x->to + f->offset, (uint8_t)a);
        if (add_term(&x->arcs, f->number, paid, e) != 0)
            return ERR_NOMEM;
    }
    int rc = close_owner(&x->arcs, e);
    return rc != 0 ? rc : add_state(x, &x->next[(size_t)row * x->symbols + a], e);
}

/* Computes the arcs of a state. */
static int
open_state(struct feature_explorer *x, uint32_t state, struct err *e)
{
    size_t bytes = x->symbols * sizeof *x->next;
    if (mem_reserve(&x->next, &x->next_capacity, (size_t)x->rows + 1, bytes, e) != 0)
        return ERR_NOMEM;
    memcpy(x->from, intern_get(x->states, state), x->words * sizeof *x->from);
    x->row[state] = x->rows;
    int rc = 0;
    for (unsigned a = 0; rc == 0 && a < x->symbols; a++)
        rc = add_arc(x, x->rows, a, e);
    x->rows++;
    if (rc == 0)
        rc = check_bytes(x, e);
    if (rc == ERR_LIMIT)
        err_prefix(e, "feature automaton");
    return rc;
}

/* ---- on demand ----------------------------------------------------------------------- */

static int
explorer_init(struct feature_explorer *x, const struct feature_set *f, const size_t *chosen,
              size_t count, uint64_t max_entries, struct err *e)
{
    uint32_t start;
    x->symbols = feature_set_alphabet(f)->size;
    x->features = feature_set_count(f);
    if (choose(x, f, chosen, count, e) != 0)
        return ERR_NOMEM;
    uint64_t most = max_entries / x->symbols;
    size_t bytes = x->words * sizeof *x->from;
    x->states = intern_new(bytes, most < INTERN_NONE ? (uint32_t)most : INTERN_NONE - 1, e);
    x->from = mem_zero(x->words, sizeof *x->from, e);
    x->to = mem_zero(x->words, sizeof *x->to, e);
    if (x->states == NULL || x->from == NULL || x->to == NULL || list_init(&x->arcs, e) != 0 ||
        list_init(&x->ends, e) != 0)
        return ERR_NOMEM;
    return add_state(x, &start, e);
}

struct feature_explorer *
feature_explorer_new(const struct feature_set *f, const size_t *chosen, size_t chosen_count,
                     uint64_t max_entries, struct err *e)
{
    struct feature_explorer *x = mem_zero(1, sizeof *x, e);
    if (x == NULL || explorer_init(x, f, chosen, chosen_count, max_entries, e) == 0)
        return x;
    feature_explorer_free(x);
    return NULL;
}

static void
list_clear(struct term_list *l)
{
    mem_free(l->first);
    mem_free(l->term);
}

void
feature_explorer_free(struct feature_explorer *x)
{
    if (x == NULL)
        return;
    mem_free(x->follower);
    intern_free(x->states);
    mem_free(x->from);
    mem_free(x->to);
    mem_free(x->row);
    mem_free(x->next);
    list_clear(&x->arcs);
    list_clear(&x->ends);
    mem_free(x);
}

static struct feature_terms
terms_of(const struct term_list *l, uint64_t owner)
{
    return (struct feature_terms){l->term + l->first[owner], l->term + l->first[owner + 1]};
}

int
feature_explorer_arc(struct feature_explorer *x, uint32_t state, unsigned symbol, uint32_t *next,
                     struct feature_terms *terms, struct err *e)
{
    int rc = x->row[state] == NO_ROW ? open_state(x, state, e) : 0;
    if (rc != 0)
        return rc;
    uint64_t arc = (uint64_t)x->row[state] * x->symbols + symbol;
    *next = x->next[arc];
    *terms = terms_of(&x->arcs, arc);
    return 0;
}

struct feature_terms
feature_explorer_end(const struct feature_explorer *x, uint32_t state)
{
    return terms_of(&x->ends, state);
}

/* ---- the automaton ----------------------------------------------------------------- */

/* Whether the rows are those of the states 0, 1, 2, ... in this order. */
static bool
in_order(const struct feature_explorer *x)
{
    uint32_t states = intern_count(x->states);
    for (uint32_t s = 0; s < states; s++)
        if (x->row[s] != s)
            return false;
    return true;
}

/* Puts the rows in the order of the states, with one row for each. */
static int
sort_rows(struct feature_explorer *x, struct err *e)
{
    uint32_t states = intern_count(x->states);
    struct term_list sorted = {0};
    uint32_t *next = mem_array(states, x->symbols * sizeof *next, e);
    int rc = next != NULL ? list_init(&sorted, e) : ERR_NOMEM;
    for (uint64_t k = 0; rc == 0 && k < (uint64_t)states * x->symbols; k++) {
        uint32_t state = (uint32_t)(k / x->symbols);
        uint64_t arc = (uint64_t)x->row[state] * x->symbols + k % x->symbols;
        next[k] = x->row[state] == NO_ROW ? state : x->next[arc];
        struct feature_terms t = {NULL, NULL};
        if (x->row[state] != NO_ROW)
            t = terms_of(&x->arcs, arc);
        for (; rc == 0 && t.from < t.to; t.from++)
            rc = add_term(&sorted, t.from->feature, t.from->numerator, e);
        if (rc == 0)
            rc = close_owner(&sorted, e);
    }
    mem_free(x->next);
    list_clear(&x->arcs);
    x->next = next;
    x->arcs = sorted;
    return rc;
}

struct feature_automaton *
feature_explorer_finish(struct feature_explorer *x, struct err *e)
{
    struct feature_automaton *m = mem_array(1, sizeof *m, e);
    if (m != NULL && (in_order(x) || sort_rows(x, e) == 0)) {
        *m = (struct feature_automaton){
            .symbols = x->symbols,
            .states = intern_count(x->states),
            .features = x->features,
            .next = x->next,
            .arc_first = x->arcs.first,
            .arc_term = x->arcs.term,
            .end_first = x->ends.first,
            .end_term = x->ends.term,
        };
        x->next = NULL;
        x->arcs = x->ends = (struct term_list){0};
    } else {
        mem_free(m);
        m = NULL;
    }
    feature_explorer_free(x);
    return m;
}

/* Level by level: states `s` to `end` are those first reached after `length` symbols. */
static int
open_levels(struct feature_explorer *x, uint64_t longest, struct err *e)
{
    int rc = 0;
    uint32_t s = 0, end = intern_count(x->states);
    for (uint64_t length = 0; rc == 0 && s < end && length < longest; length++) {
        for (; rc == 0 && s < end; s++)
            rc = open_state(x, s, e);
        end = intern_count(x->states);
    }
    return rc;
}

struct feature_automaton *
feature_automaton_new(const struct feature_set *f, const size_t *chosen, size_t chosen_count,
                      uint64_t longest, uint64_t max_entries, struct err *e)
{
    struct feature_explorer *x = feature_explorer_new(f, chosen, chosen_count, max_entries, e);
    if (x == NULL || open_levels(x, longest, e) == 0)
        return x != NULL ? feature_explorer_finish(x, e) : NULL;
    feature_explorer_free(x);
    return NULL;
}

void
feature_automaton_free(struct feature_automaton *m)
{
    if (m == NULL)
        return;
    mem_free(m->next);
    mem_free(m->arc_first);
    mem_free(m->arc_term);
    mem_free(m->end_first);
    mem_free(m->end_term);
    mem_free(m);
}

/* ---- weights ------------------------------------------------------------------------- */

static double
weigh(const struct feature_set *f, const double *lambda, const struct feature_term *from,
      const struct feature_term *to)
{
    double sum = 0;
    for (const struct feature_term *t = from; t < to; t++)
        sum += feature_weight(lambda[t->feature],
                              t->numerator / feature_set_denominator(f, t->feature));
    return sum;
}

void
feature_automaton_weights(const struct feature_automaton *m, const struct feature_set *f,
                          const double *lambda, double *arc, double *end)
{
    uint64_t arcs = (uint64_t)m->states * m->symbols;
    for (uint64_t k = 0; k < arcs; k++)
        arc[k] = weigh(f, lambda, m->arc_term + m->arc_first[k], m->arc_term + m->arc_first[k + 1]);
    for (uint32_t s = 0; s < m->states; s++)
        end[s] = weigh(f, lambda, m->end_term + m->end_first[s], m->end_term + m->end_first[s + 1]);
}
