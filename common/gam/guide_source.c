/* SPDX-License-Identifier: MIT
 *
 * The automata of a GAM's features, and what was learned about r.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/err.h"
#include "core/mem.h"
#include "feature/feature_automaton.h"
#include "feature/feature_set.h"
#include "gam/guide_internal.h"

/* Features among which groups are sought, and the largest part of the states of two independent
 * automata that a group may have. */
enum { GROUPED_MAX = 12 };
#define DEPENDENT 0.5

/* ---- automata ------------------------------------------------------------------------ */

/* Takes over the automaton, also on failure; NULL is the error that is in `e`. */
static int
add_surrogate(struct guide_source *g, struct surrogate *s, struct feature_automaton *a,
              struct err *e)
{
    if (a == NULL)
        return e->code;
    if (surrogate_entries(a, g->max_length) > g->entries) {
        feature_automaton_free(a);
        return err_set(e, ERR_LIMIT, "feature automaton is too large for a guided proposal");
    }
    int rc = surrogate_init(s, a, g->max_length, e);
    s->automaton = a;
    return rc;
}

static uint64_t
automaton_entries_max(const struct guide_source *g)
{
    return g->entries / ((uint64_t)g->max_length + 1);
}

static struct feature_automaton *
build_automaton(const struct guide_source *g, const size_t *chosen, size_t count, struct err *e)
{
    return feature_automaton_new(g->features, chosen, count, g->max_length,
                                 automaton_entries_max(g), e);
}

/* Finds the features that need states: index[0 .. singles-1]; those that need none come
 * after them.  Each of these alone has one state. */
static int
sort_features(struct guide_source *g, size_t *index, struct err *e)
{
    size_t n = feature_set_count(g->features), back = n;
    for (size_t i = 0; i < n; i++) {
        struct feature_automaton *a = build_automaton(g, &i, 1, e);
        if (a == NULL)
            return e->code;
        if (a->states > 1)
            index[g->singles++] = i;
        else
            index[--back] = i;
        feature_automaton_free(a);
    }
    return 0;
}

/* The automaton of feature index[i], alone or with those that need no states. */
static int
build_singles(struct guide_source *g, size_t *index, struct err *e)
{
    size_t n = feature_set_count(g->features), others = n - g->singles;
    size_t *chosen = index + n;
    memcpy(chosen + 1, index + g->singles, others * sizeof *chosen);
    int rc = add_surrogate(g, &g->plain, build_automaton(g, chosen + 1, others, e), e);
    for (size_t i = 0; i < g->singles && rc == 0; i++) {
        chosen[0] = index[i];
        rc = add_surrogate(g, &g->single[i], build_automaton(g, chosen, others + 1, e), e);
    }
    return rc;
}

/* ---- groups -------------------------------------------------------------------------- */

/* A partition of the single features.  Group g < GROUPED_MAX has states[g] states, 0 if it was
 * merged into another, and both[g][h] together with group h < g. */
struct grouping {
    const struct guide_source *source;
    const size_t *index; /* as in sort_features */
    size_t *owner;       /* [singles] group of each */
    size_t *chosen;      /* [features] scratch */
    size_t sought;       /* groups among which two may be merged */
    uint32_t states[GROUPED_MAX], both[GROUPED_MAX][GROUPED_MAX];
};

static int
compare_sizes(const void *a, const void *b)
{
    size_t x = *(const size_t *)a, y = *(const size_t *)b;
    return (x > y) - (x < y);
}

/* The automaton of two groups, or of one that is given twice. */
static struct feature_automaton *
build_group(const struct grouping *p, size_t a, size_t b, struct err *e)
{
    const struct guide_source *g = p->source;
    size_t n = feature_set_count(g->features), count = 0;
    for (size_t i = 0; i < n; i++)
        if (i >= g->singles || p->owner[i] == a || p->owner[i] == b)
            p->chosen[count++] = p->index[i];
    qsort(p->chosen, count, sizeof *p->chosen, compare_sizes);
    return build_automaton(g, p->chosen, count, e);
}

/* Its number of states; UINT32_MAX if it is too large. */
static int
count_states(const struct grouping *p, size_t a, size_t b, uint32_t *states, struct err *e)
{
    struct err why = {0};
    struct feature_automaton *m = build_group(p, a, b, &why);
    bool fits = m != NULL && surrogate_entries(m, p->source->max_length) <= p->source->entries;
    *states = fits ? m->states : UINT32_MAX;
    feature_automaton_free(m);
    return m != NULL || why.code == ERR_LIMIT ? 0 : err_set(e, why.code, "%s", why.text);
}

/* Whether the joint automata are small enough together after a merger. */
static bool
merger_fits(const struct grouping *p, size_t a, size_t b)
{
    const struct guide_source *g = p->source;
    size_t *members = p->chosen;
    double states = p->both[a][b];
    memset(members, 0, p->sought * sizeof *members);
    for (size_t i = 0; i < g->singles; i++)
        if (p->owner[i] < p->sought)
            members[p->owner[i]]++;
    for (size_t c = 0; c < p->sought; c++)
        if (c != a && c != b && members[c] > 1)
            states += p->states[c];
    return states * (g->symbols + 1.0) * (g->max_length + 1.0) <= (double)g->entries;
}

/* The two groups that depend most on each other: their automaton has the smallest part of the
 * states that two independent ones would have.  False if no two depend on each other and fit. */
static bool
best_merger(const struct grouping *p, size_t *a, size_t *b)
{
    double least = DEPENDENT;
    for (size_t i = 1; i < p->sought; i++)
        for (size_t k = 0; k < i; k++) {
            if (p->states[i] == 0 || p->states[k] == 0 || p->both[i][k] == UINT32_MAX)
                continue;
            double part = p->both[i][k] / ((double)p->states[i] * p->states[k]);
            if (part < least && merger_fits(p, i, k)) {
                least = part;
                *a = k;
                *b = i;
            }
        }
    return least < DEPENDENT;
}

/* Merges group b into a < b. */
static int
merge(struct grouping *p, size_t a, size_t b, struct err *e)
{
    int rc = 0;
    p->states[a] = p->both[b][a];
    p->states[b] = 0;
    for (size_t i = 0; i < p->source->singles; i++)
        if (p->owner[i] == b)
            p->owner[i] = a;
    for (size_t k = 0; k < p->sought && rc == 0; k++)
        if (k != a && p->states[k] > 0)
            rc = count_states(p, a, k, &p->both[k > a ? k : a][k > a ? a : k], e);
    return rc;
}

/* All features in one group if that is small enough, else groups of features that depend on
 * each other. */
static int
find_groups(struct grouping *p, struct err *e)
{
    const struct guide_source *g = p->source;
    uint32_t all;
    size_t a, b;
    int rc = count_states(p, 0, 0, &all, e); /* every owner is 0 */
    if (rc != 0 || all < UINT32_MAX)
        return rc;
    for (size_t i = 0; i < g->singles; i++)
        p->owner[i] = i;
    p->sought = g->singles < GROUPED_MAX ? g->singles : GROUPED_MAX;
    for (size_t i = 0; i < p->sought; i++) {
        p->states[i] = g->single[i].automaton->states;
        for (size_t k = 0; k < i && rc == 0; k++)
            rc = count_states(p, i, k, &p->both[i][k], e);
    }
    while (rc == 0 && best_merger(p, &a, &b))
        rc = merge(p, a, b, e);
    return rc;
}

/* The states of the single automata that belong to each joint state: those of some string
 * that leads there. */
static int
map_states(const struct guide_source *g, struct guide_group *q, struct err *e)
{
    const struct feature_automaton *j = q->joint.automaton;
    size_t m = q->members;
    uint32_t *queue = mem_array(j->states, sizeof *queue, e);
    bool *seen = mem_zero(j->states, sizeof *seen, e);
    q->single_state = mem_zero(j->states, m * sizeof *q->single_state, e);
    int rc = queue == NULL || seen == NULL || q->single_state == NULL ? ERR_NOMEM : 0;
    size_t head = 0, tail = 0;
    if (rc == 0) {
        seen[0] = true;
        queue[tail++] = 0;
    }
    while (rc == 0 && head < tail) {
        uint32_t s = queue[head++];
        for (unsigned c = 0; c < g->symbols; c++) {
            uint32_t to = j->next[(size_t)s * g->symbols + c];
            if (seen[to])
                continue;
            seen[to] = true;
            queue[tail++] = to;
            for (size_t i = 0; i < m; i++) {
                uint32_t from = q->single_state[s * m + i];
                q->single_state[to * m + i] =
                    g->single[q->member[i]].automaton->next[(size_t)from * g->symbols + c];
            }
        }
    }
    mem_free(queue);
    mem_free(seen);
    return rc;
}

/* Group `owner`, unless it has no members. */
static int
add_group(struct guide_source *g, const struct grouping *p, size_t owner, struct err *e)
{
    struct guide_group *q = &g->group[g->groups];
    for (size_t i = 0; i < g->singles; i++)
        q->members += p->owner[i] == owner;
    if (q->members == 0)
        return 0;
    g->groups++;
    size_t count = 0;
    q->member = mem_array(q->members, sizeof *q->member, e);
    if (q->member == NULL)
        return ERR_NOMEM;
    for (size_t i = 0; i < g->singles; i++)
        if (p->owner[i] == owner)
            q->member[count++] = i;
    if (q->members < 2)
        return 0;
    int rc = add_surrogate(g, &q->joint, build_group(p, owner, owner, e), e);
    return rc == 0 ? map_states(g, q, e) : rc;
}

static int
build_groups(struct guide_source *g, const size_t *index, struct err *e)
{
    size_t n = feature_set_count(g->features);
    struct grouping p = {.source = g, .index = index};
    p.owner = mem_zero(g->singles, sizeof *p.owner, e);
    p.chosen = mem_array(n + GROUPED_MAX, sizeof *p.chosen, e);
    g->group = mem_zero(g->singles, sizeof *g->group, e);
    int rc = p.owner == NULL || p.chosen == NULL || g->group == NULL ? ERR_NOMEM : 0;
    if (rc == 0 && g->singles > 1)
        rc = find_groups(&p, e);
    for (size_t i = 0; i < g->singles && rc == 0; i++)
        rc = add_group(g, &p, i, e);
    mem_free(p.owner);
    mem_free(p.chosen);
    return rc;
}

static int
build_automata(struct guide_source *g, struct err *e)
{
    size_t n = feature_set_count(g->features);
    size_t *index = mem_array(2 * n + 1, sizeof *index, e);
    int rc = index != NULL ? sort_features(g, index, e) : ERR_NOMEM;
    if (rc == 0 && (g->single = mem_zero(g->singles, sizeof *g->single, e)) == NULL)
        rc = ERR_NOMEM;
    if (rc == 0)
        rc = build_singles(g, index, e);
    if (rc == 0)
        rc = build_groups(g, index, e);
    mem_free(index);
    return rc;
}

/* ---- the source ------------------------------------------------------------------------ */

struct guide_source *
guide_source_new(const struct feature_set *f, uint64_t max_length, uint64_t entries, struct err *e)
{
    if (max_length >= entries) {
        err_set(e, ERR_LIMIT, "strings are too long for a guided proposal");
        return NULL;
    }
    struct guide_source *g = mem_zero(1, sizeof *g, e);
    if (g == NULL)
        return NULL;
    g->features = f;
    g->entries = entries;
    g->symbols = feature_set_alphabet(f)->size;
    g->max_length = (uint32_t)max_length;
    if (build_automata(g, e) == 0)
        return g;
    guide_source_free(g);
    return NULL;
}

static void
free_surrogate(struct surrogate *s)
{
    feature_automaton_free((struct feature_automaton *)s->automaton);
    surrogate_clear(s);
}

void
guide_source_free(struct guide_source *s)
{
    if (s == NULL)
        return;
    free_surrogate(&s->plain);
    for (size_t i = 0; i < s->groups; i++) {
        free_surrogate(&s->group[i].joint);
        mem_free(s->group[i].member);
        mem_free(s->group[i].single_state);
    }
    for (size_t i = 0; s->single != NULL && i < s->singles; i++)
        free_surrogate(&s->single[i]);
    mem_free(s->group);
    mem_free(s->single);
    mem_free(s);
}

int
guide_source_learn(struct guide_source *s, const struct draw_tree *t, double keep, struct err *e)
{
    size_t n = 0;
    const struct surrogate **all = mem_array(1 + s->singles + s->groups, sizeof(void *), e);
    if (all == NULL)
        return ERR_NOMEM;
    all[n++] = &s->plain;
    for (size_t i = 0; i < s->singles; i++)
        all[n++] = &s->single[i];
    for (size_t i = 0; i < s->groups; i++)
        if (s->group[i].members > 1)
            all[n++] = &s->group[i].joint;
    int rc = surrogate_learn(all, n, t, keep, e);
    mem_free(all);
    return rc;
}

size_t
guide_source_parts(const struct guide_source *s)
{
    return s->singles;
}

bool
guide_source_has_probe(const struct guide_source *s)
{
    return s->groups < s->singles;
}
