/* SPDX-License-Identifier: MIT */
#include "model/sampler.h"

#include <assert.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>

#include "core/dmath.h"
#include "core/err.h"
#include "core/mem.h"
#include "core/rng.h"
#include "model/model.h"
#include "model/prefix_walk.h"
#include "text/prefix_store.h"
#include "text/strings.h"

/* Approximate size of the strings of a round in bytes, and their maximum number. */
enum { ROUND_BYTES = 1 << 26, ROUND_MAX = 1 << 20 };

/* How many strings of the longest length fit into a round.  Where long strings are
 * possible, a round has at most this many per string accepted before: lengths too
 * rare to have been seen cannot fill it then. */
enum { ROUND_GROWTH = ROUND_BYTES / SAMPLER_LENGTH_MAX };

/* Upper limit of the length assumed before any string was seen. */
enum { LENGTH_GUESS_MAX = 1 << 12 };

/* Proposals of the first round, and accepted strings that estimate the rate. */
enum { PILOT = 1000, RATE_KNOWN = 40 };

/* The steps of a round grow as a power of its proposals: 1 if no prefixes are shared.  From this
 * exponent on, several rounds take fewer steps than one that is too large.  The more proposals, the
 * more prefixes they share, so this holds only up to so many times those of the last round. */
#define SHARED_LITTLE 0.8
enum { FORESEEN = 32 };

enum { PROGRESS_EVERY = 1024 }; /* prefixes per task */

/* Node of the walk; the state of the bound follows it in memory. */
struct sampler_node {
    uint64_t count;   /* proposals with this prefix that are not yet rejected */
    uint64_t key;     /* names the prefix's random numbers */
    uint64_t ended;   /* strings accepted that end here */
    uint64_t cut;     /* strings that are longer than s->longest */
    uint64_t length;  /* symbols */
    double log_bound; /* log b; 0 without a bound */
    uint32_t prefix;  /* in the store */
    uint32_t unused;
};

struct sampler {
    struct sampler_options options;
    unsigned alphabet_size;
    uint64_t longest; /* length of a prefix that is extended */
    struct prefix_walk_visitor visitor;
    struct prefix_walk *walk;
    struct sampler_node *root;
    struct rng random; /* reindexed for each prefix */
    struct prefix_store prefixes;
    uint8_t *symbols; /* of the string that is handed to `emit` */
    size_t symbols_capacity;
    uint64_t rounds;
    struct sampler_stats stats;
    /* The current round. */
    struct strings strings; /* accepted, each once */
    struct string_order order;
    sampler_emit *emit;
    void *emit_arg;
    const struct sampler_request *request; /* whose progress to call, or NULL */
    unsigned until_progress;
    uint64_t accepted_before;            /* the round */
    double round_proposals, round_steps; /* of the last round; 0: there was none */
    double exponent; /* of the number of proposals in that of steps; 1 if not known */
    double share;    /* of its strings that will be needed, estimated */
};

/* Random numbers for one use within the sampler. */
static void
name_stream(struct rng *r, const struct sampler_options *o, const char *use, uint64_t index)
{
    char purpose[64];
    snprintf(purpose, sizeof purpose, "%s/%s", o->purpose, use);
    rng_init(r, o->seed, purpose, rng_part_index(o->part, index));
}

/* The length at which a string is not extended. */
static uint64_t
longest_of(const struct sampler_options *o)
{
    return o->max_length < SAMPLER_LENGTH_MAX ? o->max_length : SAMPLER_LENGTH_MAX;
}

/* For strings that do not end there: 0 if they exceed the maximum length and can be dropped,
 * else ERR_LIMIT. */
static int
check_cut(const struct sampler_options *o, struct err *e)
{
    if (o->max_length <= SAMPLER_LENGTH_MAX)
        return 0;
    return err_advise(e, ERR_LIMIT, REMEDY_LOWER_MAX_LENGTH,
                      "a string has more than %d symbols, the maximum for sampling",
                      SAMPLER_LENGTH_MAX);
}

/* The acceptance probability of the step from log bound `from` to `to`.  A value slightly
 * above 1 is rounding; a larger one means that `to` is not a valid bound. */
static double
keep_probability(double from, double to)
{
    double ratio = dm_exp(to - from);
    assert(ratio <= 1 + 1e-9);
    return ratio < 1 ? ratio : 1;
}

/* Weights of the next symbols, of the end [A], and of being rejected here
 * [A+1].  A prefix of the maximum length is not extended: its symbols are counted
 * as cut and have no bound. */
static void
weigh(const struct sampler *s, const struct sampler_node *n, const double *logp,
      struct sampler_node *child, double *weight)
{
    const struct sampler_bound *b = s->options.bound;
    unsigned end = s->alphabet_size;
    weight[end + 1] = 0;
    for (unsigned a = 0; a <= end; a++) {
        weight[a] = dm_exp(logp[a]);
        if (b == NULL || (a < end && n->length == s->longest))
            continue;
        struct sampler_node *c = (void *)((char *)child + a * s->visitor.node_bytes);
        double log_bound = b->step(b->self, n + 1, (uint8_t)a, a < end ? c + 1 : NULL);
        double kept = keep_probability(n->log_bound, log_bound);
        weight[end + 1] += weight[a] * (1 - kept);
        weight[a] *= kept;
        if (a < end)
            c->log_bound = log_bound;
    }
}

static void
expand(void *self, void *node, const double *logp, uint64_t *mask, void *children)
{
    struct sampler *s = self;
    struct sampler_node *n = node;
    double weight[DRAW_KINDS_MAX];
    uint64_t count[DRAW_KINDS_MAX];
    struct rng r = s->random;
    rng_reindex(&r, n->key);
    weigh(s, n, logp, children, weight);
    rng_multinomial(&r, n->count, weight, s->alphabet_size + 2, count);
    n->ended = count[s->alphabet_size];
    n->cut = 0;
    for (unsigned a = 0; a < s->alphabet_size; a++) {
        if (count[a] == 0)
            continue;
        if (n->length == s->longest) {
            n->cut += count[a];
            continue;
        }
        struct sampler_node *c = (void *)((char *)children + a * s->visitor.node_bytes);
        c->count = count[a];
        c->key = rng_child_key(n->key, a);
        c->length = n->length + 1;
        if (s->options.bound == NULL)
            c->log_bound = 0;
        symbol_set_add(mask, a);
    }
}

static int
pass_on(struct sampler *s, const struct sampler_node *n, struct err *e)
{
    if (mem_reserve(&s->symbols, &s->symbols_capacity, n->length, 1, e) != 0)
        return ERR_NOMEM;
    prefix_copy(&s->prefixes, n->prefix, s->symbols, (size_t)n->length);
    s->stats.accepted += n->ended;
    return s->emit(s->emit_arg, s->symbols, (size_t)n->length, n->ended, e);
}

static void
report_progress(struct sampler *s)
{
    if (s->request == NULL || s->request->progress == NULL || --s->until_progress > 0)
        return;
    s->until_progress = PROGRESS_EVERY;
    double fresh = (double)(s->stats.accepted - s->accepted_before) * s->share;
    uint64_t missing = s->request->count - s->stats.written;
    s->request->progress(s->request->arg,
                         s->stats.written + (fresh < (double)missing ? (uint64_t)fresh : missing));
}

/* Estimates which share of the next round will be needed. */
static void
estimate_share(struct sampler *s, uint64_t proposals)
{
    const struct sampler_stats *st = &s->stats;
    double missing = (double)(s->request->count - st->written);
    double expected = (double)proposals * (double)st->accepted / fmax((double)st->proposals, 1);
    s->accepted_before = st->accepted;
    s->share = expected > missing ? missing / expected : 1;
}

static struct sampler_node *
child_at(const struct sampler *s, void *children, unsigned a)
{
    return (void *)((char *)children + a * s->visitor.node_bytes);
}

/* Stores the prefixes of the children; a single child takes over its parent's. */
static int
extend_prefixes(struct sampler *s, struct sampler_node *n, const uint64_t *mask, void *children,
                struct err *e)
{
    unsigned words = symbol_set_words(s->alphabet_size), count = 0, last = 0;
    int rc = 0;
    for (unsigned w = 0; w < words; w++)
        for (uint64_t rest = mask[w]; rest != 0 && count < 2; rest &= rest - 1, count++)
            last = 64 * w + (unsigned)__builtin_ctzll(rest);
    if (count == 1) {
        struct sampler_node *c = child_at(s, children, last);
        c->prefix = n->prefix;
        return prefix_append(&s->prefixes, &c->prefix, (uint8_t)last, e);
    }
    for (unsigned w = 0; w < words; w++)
        for (uint64_t rest = mask[w]; rest != 0 && rc == 0; rest &= rest - 1) {
            unsigned a = 64 * w + (unsigned)__builtin_ctzll(rest);
            rc = prefix_extend(&s->prefixes, n->prefix, (uint8_t)a,
                               &child_at(s, children, a)->prefix, e);
        }
    prefix_release(&s->prefixes, n->prefix);
    return rc;
}

static int
commit(void *self, void *node, const double *logp, const uint64_t *mask, void *children,
       struct err *e)
{
    struct sampler *s = self;
    struct sampler_node *n = node;
    (void)logp;
    int rc = s->request != NULL ? sampler_check_stop(s->request, e) : 0;
    if (rc == 0 && n->cut > 0)
        rc = check_cut(&s->options, e);
    s->stats.too_long += n->cut;
    if (rc == 0 && n->ended > 0)
        rc = pass_on(s, n, e);
    if (rc == 0)
        rc = extend_prefixes(s, n, mask, children, e);
    report_progress(s);
    return rc;
}

static struct sampler_node *
new_root(const struct sampler *s, struct err *e)
{
    const struct sampler_bound *b = s->options.bound;
    struct sampler_node *root = mem_zero(1, s->visitor.node_bytes, e);
    if (root != NULL && b != NULL)
        root->log_bound = b->root(b->self, root + 1);
    return root;
}

struct sampler *
sampler_new(const struct model *m, struct pool *pool, const struct sampler_options *o,
            struct err *e)
{
    if (model_check_length(m, o->max_length, e) != 0)
        return NULL;
    struct sampler *s = mem_zero(1, sizeof *s, e);
    if (s == NULL)
        return NULL;
    s->options = *o;
    s->alphabet_size = m->alphabet.size;
    s->exponent = 1;
    s->longest = longest_of(o);
    s->visitor.node_bytes =
        sizeof(struct sampler_node) + (o->bound != NULL ? o->bound->state_bytes : 0);
    s->visitor.expand = expand;
    s->visitor.commit = commit;
    name_stream(&s->random, o, "prefix", 0);
    s->root = new_root(s, e);
    s->walk = prefix_walk_new(m, pool, &s->visitor, s, e);
    if (s->root == NULL || s->walk == NULL) {
        sampler_free(s);
        return NULL;
    }
    return s;
}

void
sampler_free(struct sampler *s)
{
    if (s == NULL)
        return;
    prefix_walk_free(s->walk);
    mem_free(s->root);
    prefix_store_clear(&s->prefixes);
    mem_free(s->symbols);
    strings_clear(&s->strings);
    string_order_clear(&s->order);
    mem_free(s);
}

static int
propose(struct sampler *s, uint64_t proposals, struct err *e)
{
    if (proposals == 0)
        return 0;
    s->root->count = proposals;
    s->root->key = rng_child_key(0, rng_part_index(s->options.part, s->rounds++));
    s->stats.proposals += proposals;
    int rc = prefix_walk_run(s->walk, s->root, e);
    if (rc != 0)
        prefix_store_clear(&s->prefixes);
    return rc;
}

/* Where strings may be too long to draw, the first round begins with a single
 * one: if strings do not end, that fails much sooner than thousands in parallel. */
int
sampler_round(struct sampler *s, uint64_t proposals, sampler_emit *emit, void *arg, struct err *e)
{
    bool unknown = s->rounds == 0 && s->options.max_length > SAMPLER_LENGTH_MAX;
    uint64_t first = unknown && proposals > 1 ? 1 : 0;
    s->emit = emit;
    s->emit_arg = arg;
    int rc = propose(s, first, e);
    return rc == 0 ? propose(s, proposals - first, e) : rc;
}

void
sampler_get_stats(const struct sampler *s, struct sampler_stats *stats)
{
    *stats = s->stats;
    stats->model_steps = prefix_walk_steps(s->walk);
}

/* Maximum number of strings of the next round, from the mean length so far. */
static uint64_t
round_strings(const struct sampler *s, double mean_length)
{
    double n = fmin(ROUND_BYTES / (mean_length + 1), ROUND_MAX);
    if (s->longest > LENGTH_GUESS_MAX)
        n = fmin(n, fmax((double)s->stats.accepted * ROUND_GROWTH, 1));
    return (uint64_t)n;
}

/* Proposals that give `want` strings with probability 0.999, approximately. */
static double
enough_proposals(double want, double rate)
{
    return (want + 3 * sqrt(want * (1 - rate))) / rate;
}

/* Strings that the next round should give if prefixes are shared little: a quarter of those
 * missing, until the rate is known from as many; then nearly all, and finally the few that are
 * left. */
static double
approach(double want, double seen, double missing, double rate)
{
    if (seen < missing / 4)
        return fmin(want, missing / 4) / rate;
    return missing > seen / 8 ? 0.97 * want / rate : enough_proposals(want, rate);
}

/* Proposals of the next round: enough for all missing strings, if the round can
 * hold them.  The acceptance rate is estimated high, so that a round after few
 * observations does not overflow.  But with a bound, one large round may share far
 * more prefixes than two small ones: then the rate is first estimated from few
 * proposals, and low, so that one more round is enough. */
static uint64_t
round_proposals(const struct sampler *s, uint64_t missing, uint64_t most)
{
    const struct sampler_stats *st = &s->stats;
    double want = (double)(missing < most ? missing : most);
    double seen = (double)st->accepted, begun = (double)st->proposals, low = 1, high = 1;
    bool many = s->options.bound != NULL && missing > RATE_KNOWN;
    if (st->accepted < st->proposals) {
        high = fmin(1, (seen + 1 + 2 * sqrt(seen)) / begun);
        low = fmax(seen - 1.5 * sqrt(seen), 1) / begun;
    }
    double n = enough_proposals(want, high);
    if (many && st->proposals == 0)
        n = fmin(want, PILOT);
    else if (many && st->accepted < RATE_KNOWN)
        n = RATE_KNOWN / high;
    else if (many) {
        n = approach(want, seen, (double)missing, seen / begun);
        if (s->exponent < SHARED_LITTLE || n > FORESEEN * s->round_proposals)
            n = fmin(enough_proposals(want, low), (double)most / high);
    }
    return n < 0x1p62 ? (uint64_t)ceil(n) : UINT64_C(1) << 62;
}

/* After a round of n proposals. */
static void
estimate_exponent(struct sampler *s, double n, double steps)
{
    double ratio = s->round_proposals > 0 ? n / s->round_proposals : 1;
    if (ratio > 2 || ratio < 0.5)
        s->exponent = (dm_log(steps) - dm_log(s->round_steps)) / dm_log(ratio);
    s->round_proposals = n;
    s->round_steps = steps;
}

static int
collect(void *arg, const uint8_t *symbols, size_t length, uint64_t count, struct err *e)
{
    struct sampler *s = arg;
    int rc = string_order_add(&s->order, s->strings.count, count, e);
    return rc == 0 ? strings_add(&s->strings, symbols, length, e) : rc;
}

/* Draws one round, shuffles it, and passes on as many strings as are missing.  The
 * walk yields samples in tree order and equal ones together; the shuffle makes
 * them independent. */
static int
run_round(struct sampler *s, const struct sampler_request *request, uint64_t proposals,
          struct err *e)
{
    struct rng r;
    name_stream(&r, &s->options, "order", s->rounds);
    strings_reset(&s->strings);
    string_order_reset(&s->order);
    int rc = sampler_round(s, proposals, collect, s, e);
    if (rc != 0)
        return rc;
    string_order_shuffle(&s->order, &r);
    uint64_t missing = request->count - s->stats.written;
    for (size_t i = 0; i < s->order.count && i < missing && rc == 0; i++) {
        size_t length;
        const uint8_t *symbols = string_order_get(&s->order, &s->strings, i, &length);
        rc = sampler_check_stop(request, e);
        if (rc == 0)
            rc = request->string(request->arg, symbols, length, e);
        s->stats.written += rc == 0;
    }
    return rc;
}

/* Proposals within the budget, at the steps per proposal so far. */
static uint64_t
proposals_left(const struct sampler *s, const struct sampler_request *request)
{
    uint64_t left = request->max_proposals - s->stats.proposals;
    double steps = (double)prefix_walk_steps(s->walk), begun = (double)s->stats.proposals;
    if (s->stats.proposals == 0 || request->max_steps == 0)
        return left;
    double affordable = fmax(0, (double)request->max_steps - steps) / steps * begun;
    return affordable < (double)left ? (uint64_t)affordable : left;
}

int
sampler_check_stop(const struct sampler_request *request, struct err *e)
{
    if (request->stop == NULL || *request->stop == 0)
        return 0;
    return err_set(e, ERR_STOPPED, "stopped by a signal");
}

int
sampler_run(struct sampler *s, const struct sampler_request *request, struct err *e)
{
    double mean_length = fmin((double)s->options.max_length, LENGTH_GUESS_MAX);
    uint64_t symbols = 0;
    s->request = request;
    s->until_progress = PROGRESS_EVERY;
    while (s->stats.written < request->count && proposals_left(s, request) > 0) {
        uint64_t most = round_strings(s, mean_length);
        if (request->max_round > 0 && request->max_round < most)
            most = request->max_round;
        uint64_t n = round_proposals(s, request->count - s->stats.written, most);
        uint64_t left = proposals_left(s, request);
        n = n < left ? n : left;
        uint64_t steps = prefix_walk_steps(s->walk);
        estimate_share(s, n);
        int rc = run_round(s, request, n, e);
        if (rc != 0)
            return rc;
        estimate_exponent(s, (double)n, (double)(prefix_walk_steps(s->walk) - steps));
        symbols += string_order_symbols(&s->order, &s->strings);
        if (s->stats.accepted > 0)
            mean_length = (double)symbols / (double)s->stats.accepted;
    }
    s->request = NULL;
    return 0;
}

/* ---- the textbook loop, one string and one symbol at a time ------------------------- */
struct plain {
    const struct model *model;
    const struct sampler_options *options;
    struct model_run *run;
    uint8_t *state, *next;         /* the model's */
    uint8_t *weight, *next_weight; /* the bound's */
    double *logp;
    uint8_t *symbols;
    size_t length, symbols_capacity;
};

static int
plain_init(struct plain *p, const struct model *m, struct pool *pool,
           const struct sampler_options *o, struct err *e)
{
    size_t bytes = o->bound != NULL ? o->bound->state_bytes : 0;
    *p = (struct plain){.model = m, .options = o};
    p->run = model_begin(m, pool, 1, e);
    p->state = mem_array(1, model_state_bytes(m), e);
    p->next = mem_array(1, model_state_bytes(m), e);
    p->weight = mem_array(1, bytes, e);
    p->next_weight = mem_array(1, bytes, e);
    p->logp = mem_array(m->alphabet.size + 1, sizeof *p->logp, e);
    return p->run != NULL && p->state != NULL && p->next != NULL && p->weight != NULL &&
                   p->next_weight != NULL && p->logp != NULL
               ? 0
               : ERR_NOMEM;
}

static void
plain_clear(struct plain *p)
{
    model_end(p->run);
    mem_free(p->state);
    mem_free(p->next);
    mem_free(p->weight);
    mem_free(p->next_weight);
    mem_free(p->logp);
    mem_free(p->symbols);
}

static void
swap(uint8_t **a, uint8_t **b)
{
    uint8_t *t = *a;
    *a = *b;
    *b = t;
}

static int
plain_append(struct plain *p, uint8_t symbol, struct err *e)
{
    static const uint32_t only = 0;
    if (mem_reserve(&p->symbols, &p->symbols_capacity, p->length + 1, 1, e) != 0)
        return ERR_NOMEM;
    p->symbols[p->length++] = symbol;
    model_step(p->run, 1, p->state, &only, &symbol, p->next, p->logp);
    swap(&p->state, &p->next);
    return 0;
}

/* One string from the model into p->symbols: 1, 0 if it is too long, or an
 * error. */
static int
plain_propose(struct plain *p, struct rng *r, struct err *e)
{
    double weight[DRAW_KINDS_MAX];
    unsigned end = p->model->alphabet.size;
    uint64_t longest = longest_of(p->options);
    p->length = 0;
    model_root(p->run, p->state, p->logp);
    for (;;) {
        for (unsigned a = 0; a <= end; a++)
            weight[a] = dm_exp(p->logp[a]);
        unsigned symbol = rng_categorical(r, weight, end + 1);
        if (symbol == end)
            return 1;
        if (p->length == longest)
            return check_cut(p->options, e);
        int rc = plain_append(p, (uint8_t)symbol, e);
        if (rc != 0)
            return rc;
    }
}

/* The rejection test of a finished string: w(x) / b(empty prefix). */
static bool
plain_accept(struct plain *p, struct rng *r)
{
    const struct sampler_bound *b = p->options->bound;
    if (b == NULL)
        return true;
    double log_bound = b->root(b->self, p->weight);
    for (size_t i = 0; i < p->length; i++) {
        b->step(b->self, p->weight, p->symbols[i], p->next_weight);
        swap(&p->weight, &p->next_weight);
    }
    double log_weight = b->step(b->self, p->weight, (uint8_t)p->model->alphabet.size, NULL);
    return rng_double(r) < keep_probability(log_bound, log_weight);
}

static int
plain_loop(struct plain *p, const struct sampler_request *request, struct sampler_stats *st,
           struct err *e)
{
    struct rng r;
    name_stream(&r, p->options, "plain", 0);
    while (st->written < request->count && st->proposals < request->max_proposals &&
           (request->max_steps == 0 || model_steps(p->run) < request->max_steps)) {
        rng_reindex(&r, rng_part_index(p->options->part, st->proposals++));
        int rc = sampler_check_stop(request, e);
        if (rc == 0)
            rc = plain_propose(p, &r, e);
        if (rc < 0)
            return rc;
        st->too_long += rc == 0;
        if (rc == 0 || !plain_accept(p, &r))
            continue;
        st->accepted++;
        rc = request->string(request->arg, p->symbols, p->length, e);
        if (rc != 0)
            return rc;
        st->written++;
        if (request->progress != NULL)
            request->progress(request->arg, st->accepted);
    }
    return 0;
}

int
sampler_plain(const struct model *m, struct pool *pool, const struct sampler_options *o,
              const struct sampler_request *request, struct sampler_stats *stats, struct err *e)
{
    struct plain p;
    *stats = (struct sampler_stats){0};
    if (model_check_length(m, o->max_length, e) != 0)
        return e->code;
    int rc = plain_init(&p, m, pool, o, e);
    if (rc == 0)
        rc = plain_loop(&p, request, stats, e);
    if (p.run != NULL)
        stats->model_steps = model_steps(p.run);
    plain_clear(&p);
    return rc;
}
