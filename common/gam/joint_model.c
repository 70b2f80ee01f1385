/* SPDX-License-Identifier: MIT */
#include "gam/joint_model.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "core/dmath.h"
#include "core/err.h"
#include "core/intern.h"
#include "core/mem.h"
#include "feature/feature_automaton.h"
#include "feature/feature_set.h"
#include "ngram/ngram_counts.h"
#include "pfsa/pfsa.h"
#include "pfsa/pfsa_builder.h"
#include "text/strings.h"

#define NO_WORD UINT32_MAX

struct joint_model {
    const struct feature_set *features;
    size_t lengths, short_words, words; /* parameters: see joint_model_words */
    size_t feature_count;
    unsigned symbols; /* of the alphabet; the end of a string has this number */
    bool one_length;
    uint64_t length; /* the only one, or L */
    /* Contexts; parents have smaller numbers. */
    uint32_t contexts, start;
    uint32_t *parent;       /* [contexts] */
    uint32_t *context_next; /* [contexts][symbols] */
    uint32_t *word;         /* [contexts][symbols+1] number of the word, or NO_WORD */
    /* Pairs, in the order of the first position at which strings reach them. */
    uint32_t states;
    uint32_t *context, *feature; /* [states] */
    uint32_t *next;              /* [states][symbols] */
    size_t *layer; /* [length+2] the pairs of position t, which are the first ones, are
                    * numbers layer[t] .. layer[t+1]-1 among those of all positions */
    struct feature_automaton *automaton;
};

/* ---- contexts and words ------------------------------------------------------------- */

/* Every symbol, and every one that was seen after a context. */
static void
number_words(struct joint_model *m, const struct ngram_counts *c)
{
    for (uint32_t q = 0; q < m->contexts; q++) {
        for (unsigned a = 0; a <= m->symbols; a++) {
            bool counts = a < c->symbols && (q == 0 || ngram_counts_seen(c, q, a));
            m->word[(size_t)q * (m->symbols + 1) + a] = counts ? (uint32_t)m->words++ : NO_WORD;
        }
        if (q == 0)
            m->short_words = m->words;
    }
}

static int
keep_contexts(struct joint_model *m, const struct ngram_counts *c, int order, struct err *e)
{
    size_t n = c->contexts;
    m->contexts = (uint32_t)n;
    m->start = ngram_counts_start(c);
    m->parent = mem_array(n, sizeof *m->parent, e);
    m->context_next = mem_array(n, m->symbols * sizeof *m->context_next, e);
    m->word = mem_array(n, (m->symbols + 1) * sizeof *m->word, e);
    if (m->parent == NULL || m->context_next == NULL || m->word == NULL)
        return ERR_NOMEM;
    for (size_t q = 0; q < n; q++)
        m->parent[q] = c->context[q].parent;
    ngram_counts_next(c, m->symbols, m->context_next);
    m->lengths = m->short_words = m->words = m->one_length ? 0 : 1;
    if (order != JOINT_NO_WORDS)
        number_words(m, c);
    else
        for (unsigned a = 0; a <= m->symbols; a++)
            m->word[a] = NO_WORD;
    return 0;
}

static int
find_contexts(struct joint_model *m, const struct strings *s, int order, struct err *e)
{
    struct ngram_counts c;
    unsigned depth = order < 0 ? 0 : (unsigned)order;
    if (depth > s->longest)
        depth = (unsigned)s->longest + 1; /* longer contexts do not exist */
    int rc = ngram_counts_init(&c, m->symbols, !m->one_length, depth, e);
    if (rc == 0)
        rc = ngram_counts_add_all(&c, s, e);
    if (rc == 0)
        rc = keep_contexts(m, &c, order, e);
    ngram_counts_clear(&c);
    return rc;
}

/* ---- pairs of a context and a state of the features ------------------------------------- */

struct joint_state {
    uint32_t context, feature;
};

struct joint_explorer {
    struct joint_model *m;
    struct feature_explorer *explorer;
    struct intern *pairs;
    size_t context_capacity, feature_capacity, next_capacity;
    uint64_t max_size;
};

/* Records a pair that was found and, unless it is at the last position, the targets of its
 * symbols. */
static int
open_pair(struct joint_explorer *x, uint32_t i, bool last, struct err *e)
{
    struct joint_model *m = x->m;
    struct joint_state from;
    memcpy(&from, intern_get(x->pairs, i), sizeof from);
    if (mem_reserve(&m->context, &x->context_capacity, i + 1, sizeof *m->context, e) != 0 ||
        mem_reserve(&m->feature, &x->feature_capacity, i + 1, sizeof *m->feature, e) != 0 ||
        mem_reserve(&m->next, &x->next_capacity, ((size_t)i + 1) * m->symbols, sizeof *m->next,
                    e) != 0)
        return ERR_NOMEM;
    m->context[i] = from.context;
    m->feature[i] = from.feature;
    for (unsigned a = 0; a < m->symbols && !last; a++) {
        struct joint_state to = {m->context_next[(size_t)from.context * m->symbols + a], 0};
        struct feature_terms terms;
        uint32_t *next = &m->next[(size_t)i * m->symbols + a];
        int rc = 0;
        if (x->explorer != NULL)
            rc = feature_explorer_arc(x->explorer, from.feature, a, &to.feature, &terms, e);
        if (rc == 0)
            rc = intern_add(x->pairs, &to, next, e);
        if (rc != 0)
            return rc;
    }
    return 0;
}

static int
refuse_size(const struct joint_explorer *x, struct err *e)
{
    return err_advise(e, ERR_LIMIT, x->m->contexts > 1 ? REMEDY_LOWER_ORDER : REMEDY_NONE,
                      "n-grams and features together have more than %llu states and transitions",
                      (unsigned long long)x->max_size);
}

/* The pairs, position by position. */
static int
search(struct joint_explorer *x, struct err *e)
{
    struct joint_model *m = x->m;
    struct joint_state start = {m->start, 0};
    uint32_t i, opened = 0;
    int rc = intern_add(x->pairs, &start, &i, e);
    m->layer[0] = 0;
    for (uint64_t t = 0; rc == 0 && t <= m->length; t++) {
        uint32_t found = intern_count(x->pairs);
        m->layer[t + 1] = m->layer[t] + found;
        if (m->layer[t + 1] > x->max_size / (m->symbols + 1))
            return refuse_size(x, e);
        for (; rc == 0 && opened < found; opened++)
            rc = open_pair(x, opened, t == m->length, e);
        m->states = found;
    }
    return rc;
}

static int
find_pairs(struct joint_model *m, uint64_t max_size, struct err *e)
{
    struct joint_explorer x = {.m = m, .max_size = max_size};
    struct err why = {0};
    int rc = 0;
    if (m->length >= max_size)
        return refuse_size(&x, e);
    if (m->feature_count > 0)
        x.explorer = feature_explorer_new(m->features, NULL, 0, max_size, &why);
    x.pairs = intern_new(sizeof(struct joint_state), (uint32_t)max_size, &why);
    m->layer = mem_array(m->length + 2, sizeof *m->layer, &why);
    rc = why.code == ERR_NONE ? search(&x, &why) : why.code;
    if (rc == 0 && x.explorer != NULL) {
        m->automaton = feature_explorer_finish(x.explorer, &why);
        x.explorer = NULL;
    }
    feature_explorer_free(x.explorer);
    intern_free(x.pairs);
    return err_pass(e, &why);
}

/* ---- the model ------------------------------------------------------------------------ */

static int
build(struct joint_model *m, const struct strings *s, int order, uint64_t max_length,
      uint64_t max_size, struct err *e)
{
    if (s->count == 0)
        return err_set(e, ERR_DATA, "the training set is empty");
    if (s->longest > max_length)
        return err_advise(e, ERR_DATA, REMEDY_RAISE_MAX_LENGTH,
                          "a string has %zu symbols, maximum is %llu", s->longest,
                          (unsigned long long)max_length);
    m->one_length = s->shortest == s->longest;
    m->length = m->one_length ? s->longest : max_length;
    int rc = find_contexts(m, s, order, e);
    return rc == 0 ? find_pairs(m, max_size, e) : rc;
}

struct joint_model *
joint_model_new(const struct strings *s, const struct alphabet *a, const struct feature_set *f,
                int order, uint64_t max_length, uint64_t max_size, struct err *e)
{
    struct joint_model *m = mem_zero(1, sizeof *m, e);
    if (m == NULL)
        return NULL;
    m->features = f;
    m->feature_count = f != NULL ? feature_set_count(f) : 0;
    m->symbols = a->size;
    if (build(m, s, order, max_length, max_size, e) == 0)
        return m;
    joint_model_free(m);
    return NULL;
}

void
joint_model_free(struct joint_model *m)
{
    if (m == NULL)
        return;
    mem_free(m->parent);
    mem_free(m->context_next);
    mem_free(m->word);
    mem_free(m->context);
    mem_free(m->feature);
    mem_free(m->next);
    mem_free(m->layer);
    feature_automaton_free(m->automaton);
    mem_free(m);
}

size_t
joint_model_words(const struct joint_model *m)
{
    return m->words;
}

size_t
joint_model_lengths(const struct joint_model *m)
{
    return m->lengths;
}

size_t
joint_model_short(const struct joint_model *m)
{
    return m->short_words;
}

size_t
joint_model_size(const struct joint_model *m)
{
    return m->words + m->feature_count;
}

uint64_t
joint_model_cost(const struct joint_model *m)
{
    return (uint64_t)m->layer[m->length + 1] * m->symbols;
}

/* ---- data ------------------------------------------------------------------------------ */

static void
count_symbol(const struct joint_model *m, uint32_t context, unsigned symbol, double *sum)
{
    for (;; context = m->parent[context]) {
        uint32_t word = m->word[(size_t)context * (m->symbols + 1) + symbol];
        if (word != NO_WORD)
            sum[word] += 1;
        if (context == 0)
            return;
    }
}

static void
count_string(const struct joint_model *m, const uint8_t *symbols, size_t length, double *sum)
{
    uint32_t context = m->start;
    if (m->lengths > 0)
        sum[0] += (double)length;
    for (size_t t = 0; t < length; t++) {
        count_symbol(m, context, symbols[t], sum);
        context = m->context_next[(size_t)context * m->symbols + symbols[t]];
    }
    count_symbol(m, context, m->symbols, sum);
}

int
joint_model_tally(const struct joint_model *m, const struct strings *s, size_t folds, double *sum,
                  struct err *e)
{
    size_t n = m->feature_count;
    double *phi = mem_array(n, sizeof *phi, e);
    void *record = mem_array(1, n > 0 ? feature_set_state_bytes(m->features) : 1, e);
    for (size_t i = 0; phi != NULL && record != NULL && i < s->count; i++) {
        size_t length;
        const uint8_t *symbols = strings_get(s, i, &length);
        double *own = sum + (i % folds) * (m->words + n);
        count_string(m, symbols, length, own);
        if (n > 0) {
            feature_set_run(m->features, record, symbols, length);
            feature_set_values(m->features, record, phi);
        }
        for (size_t k = 0; k < n; k++)
            own[m->words + k] += phi[k];
    }
    mem_free(phi);
    mem_free(record);
    return e->code;
}

/* ---- moments --------------------------------------------------------------------------- */

struct joint_pass {
    const struct joint_model *m;
    /* At the current weights. */
    double *context_weight;      /* [contexts][symbols+1] nats */
    double *feature_arc;         /* [states of the features' automaton][symbols] nats */
    double *feature_end;         /* [states of the features' automaton] of ending there, nats */
    double *arc, *end;           /* [states][symbols], [states]: exp of the weights, relative to */
    double arc_scale, end_scale; /* these maxima, nats */
    double *beta;                /* [layers], each layer at most 1 */
    double *arc_factor;          /* [length+1] factors by which layers are scaled */
    double *end_factor;          /* [length+1] factors of ends in beta */
    /* The expected number of times that strings of P take each. */
    double *alpha, *alpha_next; /* [states] */
    double *arc_visits;         /* [states][symbols] */
    double *end_visits;         /* [states] */
    double *end_time;           /* [length+1] */
    double *context_visits;     /* [contexts][symbols+1] */
    double *feature_visits;     /* [feature states][symbols+1] */
    size_t feature_states;
};

static double *
vector(size_t rows, size_t columns, struct err *e)
{
    return mem_zero(rows, columns * sizeof(double), e);
}

struct joint_pass *
joint_pass_new(const struct joint_model *m, struct err *e)
{
    struct joint_pass *p = mem_zero(1, sizeof *p, e);
    size_t symbols = m->symbols, times = (size_t)m->length + 1;
    if (p == NULL)
        return NULL;
    p->m = m;
    p->feature_states = m->automaton != NULL ? m->automaton->states : 0;
    p->context_weight = vector(m->contexts, symbols + 1, e);
    p->feature_arc = vector(p->feature_states, symbols, e);
    p->feature_end = vector(p->feature_states, 1, e);
    p->arc = vector(m->states, symbols, e);
    p->end = vector(m->states, 1, e);
    p->beta = vector(m->layer[times], 1, e);
    p->arc_factor = vector(times, 1, e);
    p->end_factor = vector(times, 1, e);
    p->alpha = vector(m->states, 1, e);
    p->alpha_next = vector(m->states, 1, e);
    p->arc_visits = vector(m->states, symbols, e);
    p->end_visits = vector(m->states, 1, e);
    p->end_time = vector(times, 1, e);
    p->context_visits = vector(m->contexts, symbols + 1, e);
    p->feature_visits = vector(p->feature_states, symbols + 1, e);
    if (e->code == ERR_NONE)
        return p;
    joint_pass_free(p);
    return NULL;
}

void
joint_pass_free(struct joint_pass *p)
{
    if (p == NULL)
        return;
    mem_free(p->context_weight);
    mem_free(p->feature_arc);
    mem_free(p->feature_end);
    mem_free(p->arc);
    mem_free(p->end);
    mem_free(p->beta);
    mem_free(p->arc_factor);
    mem_free(p->end_factor);
    mem_free(p->alpha);
    mem_free(p->alpha_next);
    mem_free(p->arc_visits);
    mem_free(p->end_visits);
    mem_free(p->end_time);
    mem_free(p->context_visits);
    mem_free(p->feature_visits);
    mem_free(p);
}

/* The weights of all words that end after each context with each symbol. */
static void
weigh_contexts(const struct joint_model *m, const double *weight, double *out)
{
    size_t k = m->symbols + 1;
    for (size_t q = 0; q < m->contexts; q++)
        for (size_t a = 0; a < k; a++) {
            uint32_t word = m->word[q * k + a];
            double shorter = a < m->symbols && m->lengths > 0 ? weight[0] : 0;
            if (q > 0)
                shorter = out[m->parent[q] * k + a];
            out[q * k + a] = shorter + (word != NO_WORD ? weight[word] : 0);
        }
}

/* Exponentials of x[n], the greatest 1; returns its logarithm. */
static double
scaled_exp(double *x, size_t n)
{
    double most = -INFINITY;
    for (size_t i = 0; i < n; i++)
        most = fmax(most, x[i]);
    for (size_t i = 0; i < n && most > -INFINITY; i++)
        x[i] = dm_exp(x[i] - most);
    for (size_t i = 0; i < n && most == -INFINITY; i++)
        x[i] = 0;
    return most;
}

static void
weigh(struct joint_pass *p, const double *weight)
{
    const struct joint_model *m = p->m;
    size_t symbols = m->symbols;
    weigh_contexts(m, weight, p->context_weight);
    if (m->automaton != NULL)
        feature_automaton_weights(m->automaton, m->features, weight + m->words, p->feature_arc,
                                  p->feature_end);
    for (size_t s = 0; s < m->states; s++) {
        const double *own = p->context_weight + m->context[s] * (symbols + 1);
        const double *arc = p->feature_arc + m->feature[s] * symbols;
        for (size_t a = 0; a < symbols; a++)
            p->arc[s * symbols + a] = own[a] + (m->automaton != NULL ? arc[a] : 0);
        p->end[s] = own[symbols] + (m->automaton != NULL ? p->feature_end[m->feature[s]] : 0);
    }
    p->arc_scale = scaled_exp(p->arc, m->states * symbols);
    p->end_scale = scaled_exp(p->end, m->states);
}

/* The contribution of the features of the length to a string that ends at t; -inf if none
 * ends there. */
static double
time_weight(const struct joint_model *m, const double *weight, uint64_t t)
{
    if (m->one_length && t < m->length)
        return -INFINITY;
    return m->automaton != NULL ? feature_set_time_weight(m->features, weight + m->words, t) : 0;
}

/* The sum over the symbols after state s. */
static inline double
follow(const struct joint_pass *p, size_t s, const double *next)
{
    size_t symbols = p->m->symbols;
    const double *arc = p->arc + s * symbols;
    const uint32_t *to = p->m->next + s * symbols;
    double sum = 0;
    for (size_t a = 0; a < symbols; a++)
        sum += arc[a] * next[to[a]];
    return sum;
}

/* The layer of position t, from the next one, whose scale has the logarithm `scale`; returns
 * the logarithm of its own scale. */
static double
backward_layer(struct joint_pass *p, uint64_t t, double ends, double scale)
{
    const struct joint_model *m = p->m;
    double *beta = p->beta + m->layer[t], *next = p->beta + m->layer[t + 1], most = 0;
    size_t n = m->layer[t + 1] - m->layer[t];
    double arcs = scale + p->arc_scale, top = fmax(arcs, ends);
    p->arc_factor[t] = p->end_factor[t] = 0;
    if (top > -INFINITY) {
        p->arc_factor[t] = dm_exp(arcs - top);
        p->end_factor[t] = dm_exp(ends - top);
    }
    for (size_t s = 0; s < n; s++) {
        beta[s] = p->end_factor[t] * p->end[s];
        if (p->arc_factor[t] > 0)
            beta[s] += p->arc_factor[t] * follow(p, s, next);
        most = beta[s] > most ? beta[s] : most;
    }
    if (most == 0)
        return -INFINITY;
    for (size_t s = 0; s < n; s++)
        beta[s] /= most;
    p->arc_factor[t] /= most;
    p->end_factor[t] /= most;
    return top + dm_log(most);
}

/* All layers; returns log Z. */
static double
backward(struct joint_pass *p, const double *weight)
{
    double scale = -INFINITY;
    for (uint64_t t = p->m->length + 1; t-- > 0;)
        scale = backward_layer(p, t, time_weight(p->m, weight, t) + p->end_scale, scale);
    return scale + dm_log(p->beta[0]);
}

/* Moves the probabilities of position t to the next one, and adds up the transitions. */
static void
forward_layer(struct joint_pass *p, uint64_t t)
{
    const struct joint_model *m = p->m;
    size_t n = m->layer[t + 1] - m->layer[t], symbols = m->symbols;
    const double *beta = p->beta + m->layer[t], *next = p->beta + m->layer[t + 1];
    double ended = 0;
    for (size_t s = 0; s < n; s++) {
        if (p->alpha[s] == 0)
            continue;
        double share = p->alpha[s] / beta[s], end = share * p->end_factor[t] * p->end[s];
        p->end_visits[s] += end;
        ended += end;
        if (p->arc_factor[t] == 0)
            continue;
        share *= p->arc_factor[t];
        for (size_t a = 0; a < symbols; a++) {
            uint32_t to = m->next[s * symbols + a];
            double flow = share * p->arc[s * symbols + a] * next[to];
            p->arc_visits[s * symbols + a] += flow;
            p->alpha_next[to] += flow;
        }
    }
    p->end_time[t] = ended;
}

static void
forward(struct joint_pass *p)
{
    const struct joint_model *m = p->m;
    memset(p->arc_visits, 0, (size_t)m->states * m->symbols * sizeof *p->arc_visits);
    memset(p->end_visits, 0, m->states * sizeof *p->end_visits);
    memset(p->alpha, 0, m->states * sizeof *p->alpha);
    p->alpha[0] = 1;
    for (uint64_t t = 0; t <= m->length; t++) {
        memset(p->alpha_next, 0, m->states * sizeof *p->alpha_next);
        forward_layer(p, t);
        double *last = p->alpha;
        p->alpha = p->alpha_next;
        p->alpha_next = last;
    }
}

/* Sums the visits of pairs, by context and by state of the features. */
static void
add_visits(struct joint_pass *p)
{
    const struct joint_model *m = p->m;
    size_t symbols = m->symbols, k = symbols + 1;
    memset(p->context_visits, 0, m->contexts * k * sizeof *p->context_visits);
    memset(p->feature_visits, 0, p->feature_states * k * sizeof *p->feature_visits);
    for (size_t s = 0; s < m->states; s++) {
        double *context = p->context_visits + m->context[s] * k;
        double *feature = p->feature_visits + m->feature[s] * k;
        for (size_t a = 0; a < k; a++) {
            double visits = a < symbols ? p->arc_visits[s * symbols + a] : p->end_visits[s];
            context[a] += visits;
            if (m->automaton != NULL)
                feature[a] += visits;
        }
    }
}

/* A word occurs wherever its symbol follows a context that ends like its own. */
static void
word_means(struct joint_pass *p, double *mean)
{
    const struct joint_model *m = p->m;
    size_t k = m->symbols + 1;
    for (size_t q = m->contexts; q-- > 0;)
        for (size_t a = 0; a < k; a++) {
            uint32_t word = m->word[q * k + a];
            if (word != NO_WORD)
                mean[word] += p->context_visits[q * k + a];
            if (q > 0)
                p->context_visits[m->parent[q] * k + a] += p->context_visits[q * k + a];
            else if (a < m->symbols && m->lengths > 0)
                mean[0] += p->context_visits[a];
        }
}

static void
add_terms(const struct feature_term *from, const struct feature_term *to, double visits,
          double *mean)
{
    for (; from < to; from++)
        mean[from->feature] += visits * from->numerator;
}

static void
feature_means(const struct joint_pass *p, double *mean)
{
    const struct joint_model *m = p->m;
    const struct feature_automaton *f = m->automaton;
    size_t symbols = m->symbols;
    for (size_t s = 0; s < f->states; s++) {
        const double *visits = p->feature_visits + s * (symbols + 1);
        const uint64_t *first = f->arc_first + s * symbols;
        for (size_t a = 0; a < symbols; a++)
            add_terms(f->arc_term + first[a], f->arc_term + first[a + 1], visits[a], mean);
        add_terms(f->end_term + f->end_first[s], f->end_term + f->end_first[s + 1], visits[symbols],
                  mean);
    }
    for (size_t i = 0; i < m->feature_count; i++) {
        bool timed = feature_set_is_timed(m->features, i);
        for (uint64_t t = 0; timed && t <= m->length; t++)
            mean[i] += p->end_time[t] * (double)feature_set_time_numerator(m->features, i, t);
        mean[i] /= feature_set_denominator(m->features, i);
    }
}

int
joint_pass_at(struct joint_pass *p, const double *weight, double *log_z, double *mean,
              struct err *e)
{
    weigh(p, weight);
    *log_z = backward(p, weight);
    if (*log_z == -INFINITY)
        return err_set(e, ERR_EMPTY, "no string satisfies the hard constraints");
    forward(p);
    add_visits(p);
    memset(mean, 0, joint_model_size(p->m) * sizeof *mean);
    word_means(p, mean);
    if (p->m->automaton != NULL)
        feature_means(p, mean + p->m->words);
    return 0;
}

/* ---- the n-gram as an automaton --------------------------------------------------------- */

/* The state of a context at a position; after the last one there is a single final state. */
static uint32_t
state_at(const struct joint_model *m, uint64_t t, uint32_t context)
{
    return (uint32_t)(t * m->contexts + (t < m->length ? context : 0));
}

static void
fill_state(struct pfsa *p, const struct joint_model *m, const double *weight, uint64_t t,
           uint32_t context)
{
    uint32_t q = state_at(m, t, context);
    size_t k = m->symbols + 1;
    uint64_t at = p->first[q];
    for (unsigned a = 0; a < m->symbols; a++, at++) {
        uint32_t next = m->context_next[(size_t)context * m->symbols + a];
        p->symbol[at] = (uint8_t)a;
        p->next[at] = state_at(m, t + 1, next);
        p->logp[at] = weight[context * k + a];
        if (t + 1 == m->length) /* the end that follows */
            p->logp[at] += weight[next * k + m->symbols];
    }
    p->first[q + 1] = at;
    p->final_logp[q] = m->one_length ? -INFINITY : weight[context * k + m->symbols];
}

static struct pfsa *
fill_states(const struct joint_model *m, const struct alphabet *a, const double *weight,
            struct err *e)
{
    uint64_t states = m->length * m->contexts;
    if (states * m->symbols > UINT32_MAX / 2) {
        err_set(e, ERR_LIMIT, "the automaton of the n-grams would have %llu transitions",
                (unsigned long long)(states * m->symbols));
        return NULL;
    }
    struct pfsa *p = pfsa_new(a, (uint32_t)states + 1, states * m->symbols, e);
    if (p == NULL)
        return NULL;
    for (uint64_t t = 0; t < m->length; t++)
        for (uint32_t c = 0; c < m->contexts; c++)
            fill_state(p, m, weight, t, c);
    p->first[states + 1] = p->first[states];
    p->final_logp[states] = 0;
    return p;
}

struct pfsa *
joint_model_automaton(const struct joint_model *m, const struct alphabet *a, const double *weight,
                      struct err *e)
{
    double *sums = vector(m->contexts, m->symbols + 1, e);
    struct pfsa *all = NULL, *p = NULL;
    uint32_t *old = NULL;
    if (sums != NULL) {
        weigh_contexts(m, weight, sums);
        all = fill_states(m, a, sums, e);
    }
    if (all != NULL)
        p = pfsa_trim(all, m->length > 0 ? m->start : 0, &old, e);
    if (p != NULL && (pfsa_push(p, NULL, e) != 0 || pfsa_check_result(p, e) != 0)) {
        pfsa_free(p);
        p = NULL;
    }
    if (p != NULL)
        p->log_partition = 0; /* a model in its own right */
    mem_free(old);
    mem_free(sums);
    pfsa_free(all);
    return p;
}
