/* SPDX-License-Identifier: MIT */
#include "feature/feature_automaton.h"

#include <string.h>

#include "core/err.h"
#include "core/intern.h"
#include "core/mem.h"
#include "feature/feature_set.h"

/* A chosen feature that the automaton follows. */
struct follower {
    const struct feature *feature;
    uint32_t number; /* in the set */
    size_t offset;   /* of its part of a state's record, in words */
};

/* A growing list of terms, and where those of each owner begin. */
struct term_list {
    uint64_t *first;
    struct feature_term *term;
    size_t first_capacity, term_capacity;
    uint64_t owners, terms;
};

/* Work space of the construction. */
struct builder {
    unsigned symbols;
    struct follower *follower; /* [followers] */
    size_t followers;
    size_t words; /* of a state's record */
    struct intern *states;
    uint32_t *from, *to; /* [words] records of a state and of a successor */
    uint32_t *next;
    size_t next_capacity;
    struct term_list arcs, ends;
};

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

/* The terms added since belong to the next owner. */
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

/* ---- states ------------------------------------------------------------------------ */

/* The features to follow: of those chosen, all that depend on more than the length. */
static int
choose(struct builder *b, const struct feature_set *f, const size_t *chosen, size_t count,
       struct err *e)
{
    if (chosen == NULL)
        count = feature_set_count(f);
    b->follower = mem_array(count, sizeof *b->follower, e);
    if (b->follower == NULL)
        return ERR_NOMEM;
    for (size_t k = 0; k < count; k++) {
        size_t i = chosen == NULL ? k : chosen[k];
        if (feature_set_is_timed(f, i))
            continue;
        const struct feature *feature = feature_set_feature(f, i);
        b->follower[b->followers++] = (struct follower){feature, (uint32_t)i, b->words};
        b->words += feature_words(feature);
    }
    return 0;
}

static int
builder_init(struct builder *b, const struct feature_set *f, const size_t *chosen, size_t count,
             uint64_t max_entries, struct err *e)
{
    *b = (struct builder){.symbols = feature_set_alphabet(f)->size};
    if (choose(b, f, chosen, count, e) != 0)
        return ERR_NOMEM;
    uint64_t most = max_entries / b->symbols;
    size_t bytes = b->words * sizeof *b->from;
    b->states = intern_new(bytes, most < INTERN_NONE ? (uint32_t)most : INTERN_NONE - 1, e);
    b->from = mem_zero(b->words, sizeof *b->from, e);
    b->to = mem_zero(b->words, sizeof *b->to, e);
    if (b->states == NULL || b->from == NULL || b->to == NULL)
        return ERR_NOMEM;
    return list_init(&b->arcs, e) == 0 ? list_init(&b->ends, e) : ERR_NOMEM;
}

/* All but the arrays that become the automaton's. */
static void
builder_clear(struct builder *b)
{
    mem_free(b->follower);
    intern_free(b->states);
    mem_free(b->from);
    mem_free(b->to);
}

static int
check_bytes(const struct builder *b, struct err *e)
{
    size_t states = intern_count(b->states);
    size_t bytes = intern_bytes(b->states) + list_bytes(&b->arcs) + list_bytes(&b->ends) +
                   b->next_capacity * b->symbols * sizeof *b->next;
    if (bytes <= FEATURE_AUTOMATON_BYTES_MAX)
        return 0;
    return err_set(e, ERR_LIMIT, "more than %d MB at %zu states", FEATURE_AUTOMATON_BYTES_MAX >> 20,
                   states);
}

static int
add_arc(struct builder *b, uint32_t state, unsigned a, struct err *e)
{
    memcpy(b->to, b->from, b->words * sizeof *b->to);
    for (size_t k = 0; k < b->followers; k++) {
        const struct follower *f = &b->follower[k];
        uint32_t paid = feature_arc(f->feature, b->to + f->offset, (uint8_t)a);
        if (add_term(&b->arcs, f->number, paid, e) != 0)
            return ERR_NOMEM;
    }
    int rc = close_owner(&b->arcs, e);
    return rc != 0 ? rc : intern_add(b->states, b->to, &b->next[(size_t)state * b->symbols + a], e);
}

static int
add_end(struct builder *b, struct err *e)
{
    for (size_t k = 0; k < b->followers; k++) {
        const struct follower *f = &b->follower[k];
        if (add_term(&b->ends, f->number, feature_end(f->feature, b->from + f->offset), e) != 0)
            return ERR_NOMEM;
    }
    return close_owner(&b->ends, e);
}

/* What leaves a state, and what ending there adds. */
static int
open_state(struct builder *b, uint32_t state, struct err *e)
{
    size_t row = b->symbols * sizeof *b->next;
    if (mem_reserve(&b->next, &b->next_capacity, (size_t)state + 1, row, e) != 0)
        return ERR_NOMEM;
    memcpy(b->from, intern_get(b->states, state), b->words * sizeof *b->from);
    int rc = add_end(b, e);
    for (unsigned a = 0; rc == 0 && a < b->symbols; a++)
        rc = add_arc(b, state, a, e);
    return rc == 0 ? check_bytes(b, e) : rc;
}

static int
find_states(struct builder *b, struct err *e)
{
    uint32_t start;
    int rc = intern_add(b->states, b->from, &start, e);
    for (uint32_t s = 0; rc == 0 && s < intern_count(b->states); s++)
        rc = open_state(b, s, e);
    if (rc == ERR_LIMIT)
        err_prefix(e, "the features' automaton");
    return rc;
}

/* ---- the automaton ----------------------------------------------------------------- */

struct feature_automaton *
feature_automaton_new(const struct feature_set *f, const size_t *chosen, size_t chosen_count,
                      uint64_t max_entries, struct err *e)
{
    struct feature_automaton *m = mem_zero(1, sizeof *m, e);
    if (m == NULL)
        return NULL;
    struct builder b;
    int rc = builder_init(&b, f, chosen, chosen_count, max_entries, e);
    if (rc == 0)
        rc = find_states(&b, e);
    *m = (struct feature_automaton){
        .symbols = b.symbols,
        .states = rc == 0 ? intern_count(b.states) : 0,
        .features = feature_set_count(f),
        .next = b.next,
        .arc_first = b.arcs.first,
        .arc_term = b.arcs.term,
        .end_first = b.ends.first,
        .end_term = b.ends.term,
    };
    builder_clear(&b);
    if (rc == 0)
        return m;
    feature_automaton_free(m);
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
