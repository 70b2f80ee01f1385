/* SPDX-License-Identifier: MIT
 * Guides and pools of their draws against enumeration of all strings.
 *
 * The look-ahead is computed a second time, from the formulas: with plain sums over all
 * pairs of lengths, in double precision, without logarithms. */
#include "gam/guide.h"

#include "core/mem.h"
#include "core/pool.h"
#include "feature/feature_automaton.h"
#include "gam/tree_drawer.h"
#include "support/guidetest.h"
#include "support/tap.h"

/* Weights of -inf are hard constraints. */
struct setting {
    struct gamtest_setting gam;
    double lambda[GAMTEST_FEATURES];
    const char *name;
    uint64_t entries; /* of automata at most; 0: the usual number */
    size_t alone;     /* with this number, feature alone - 1 remains apart from the others */
};

static const struct setting settings[] = {
    {{.alphabet = "01",
      .probs = "0.7,0.3",
      .stop = 0.1,
      .longest = 9,
      .spec = {"motif:0110", "suffix:01", "count:1", "length"}},
     {-2, 1, 5, -3},
     .name = "bits of free length"},
    {{.alphabet = "01", .longest = 10, .spec = {"motif:1101", "edit:0110", "prefix:01"}},
     {-INFINITY, -4, 1.5},
     .name = "bits of fixed length"},
    {{.alphabet = "ACGT",
      .probs = "0.4,0.3,0.2,0.1",
      .stop = 0.2,
      .longest = 5,
      .spec = {"lcs:CAG", "count:AC", "length:4", "length2"}},
     {-3, 8, -1, 2},
     .name = "DNA"},
    {{.alphabet = "01",
      .stop = 0.05,
      .longest = 9,
      .spec = {"count:0", "length", "length2", "length:3"}},
     {-4, 3, 1, -INFINITY},
     .name = "no states"},
    {{.alphabet = "01",
      .longest = 9,
      .lstm = true,
      .spec = {"motif:0110", "motif:111", "count:01", "length:8"}},
     {-INFINITY, -INFINITY, 6, -1},
     .name = "LSTM, two motifs"},
    {{.alphabet = "abc", .longest = 6, .lstm = true, .spec = {"edit:abca", "lcs:cab", "suffix:b"}},
     {-5, 3, -2},
     .name = "LSTM, distances"},
    {{.alphabet = "abc",
      .longest = 6,
      .lstm = true,
      .spec = {"prefix:ab", "count:ca", "length2", "motif:bb"}},
     {-2, -INFINITY, 3, 4},
     .name = "LSTM, a forbidden word"},
    {{.alphabet = "01",
      .longest = 9,
      .lstm = true,
      .spec = {"edit:0110", "motif:1011", "lcs:01101", "count:0"}},
     {-4, -3, -2, 1.5},
     .name = "LSTM, two groups",
     .entries = 1000,
     .alone = 2},
};
enum { SETTINGS = sizeof settings / sizeof *settings };

static struct pool *pool;

struct world {
    const struct setting *setting;
    struct gam *gam;
    struct gamtest_space space;
    struct guidetest_rows rows;
    double *p; /* [space.count] P, normalized */
    double log_z;
    struct guide_source *source;
};

static void
world_init(struct world *w, const struct setting *s)
{
    *w = (struct world){.setting = s, .gam = gamtest_new(&s->gam)};
    gamtest_enumerate(&w->space, &s->gam, w->gam, pool);
    w->rows = guidetest_rows_of(&w->space, w->gam->model.base, pool);
    w->p = calloc(w->space.count, sizeof *w->p);
    w->log_z = gamtest_distribution(&w->space, s->lambda, w->p);
    w->source = guide_source_new(w->gam->features, s->gam.longest,
                                 s->entries > 0 ? s->entries : GUIDE_ENTRIES_MAX, IGNORE_ERR);
}

static void
world_clear(struct world *w)
{
    guide_source_free(w->source);
    free(w->p);
    guidetest_rows_clear(&w->rows);
    gamtest_space_clear(&w->space);
    gam_free(w->gam);
}

/* Strings from r or a guide, as `round` names them. */
static struct draw_tree
draw(const struct world *w, const struct guide *g, uint64_t round, uint64_t draws)
{
    struct draw_tree t = {0};
    struct tree_drawer *d = tree_drawer_new(w->gam->model.base, pool, w->setting->gam.longest,
                                            guide_source_parts(w->source), 1, "test", IGNORE_ERR);
    tree_drawer_run(d, g, round, draws, &t, IGNORE_ERR);
    tree_drawer_free(d);
    return t;
}

/* log q of all strings, [space.count]; -inf where the base has none. */
static void
log_q_of_all(const struct world *w, const struct guide *g, double *log_q)
{
    struct draw_tree all;
    size_t *number = calloc(w->space.count, sizeof *number);
    double *leaf = calloc(w->space.count, sizeof *leaf);
    guidetest_tree(&w->space, &w->rows, 0, &all, number);
    guide_log_q(g, &all, leaf, IGNORE_ERR);
    for (size_t x = 0; x < w->space.count; x++)
        log_q[x] = -INFINITY;
    for (size_t i = 0; i < all.leaves; i++)
        log_q[number[i]] = leaf[i];
    draw_tree_clear(&all);
    free(number);
    free(leaf);
}

/* ---- the look-ahead by its formulas -------------------------------------------------- */

enum { LENGTHS = 12, STATES = 300, WIDTH = 5 };

/* Of the features in `chosen`, [count]: C[t][s][a], the end last, and h[t][s]. */
struct oracle {
    struct feature_automaton *automaton;
    size_t lengths, states, symbols;
    double c[LENGTHS][STATES][WIDTH];
    double h[LENGTHS][STATES];
    double arc[STATES * WIDTH], end[STATES];
};

static uint32_t
state_after(const struct feature_automaton *a, const uint8_t *symbols, size_t length)
{
    uint32_t s = 0;
    for (size_t i = 0; i < length; i++)
        s = a->next[s * a->symbols + symbols[i]];
    return s;
}

static void
oracle_init(struct oracle *o, const struct world *w, const size_t *chosen, size_t count,
            const struct draw_tree *t)
{
    memset(o, 0, sizeof *o);
    o->automaton =
        feature_automaton_new(w->gam->features, chosen, count, UINT64_MAX, 100000, IGNORE_ERR);
    o->lengths = w->setting->gam.longest + 1;
    o->states = o->automaton->states;
    o->symbols = t->symbols;
    feature_automaton_weights(o->automaton, w->gam->features, w->setting->lambda, o->arc, o->end);
    for (size_t i = 0; i < t->nodes; i++) {
        uint8_t symbols[20];
        struct draw_leaf here = {.node = (uint32_t)i};
        draw_tree_string(t, &here, symbols);
        uint32_t s = state_after(o->automaton, symbols, t->node[i].length);
        for (size_t a = 0; a <= t->symbols; a++)
            o->c[t->node[i].length][s][a] +=
                (double)t->node[i].count * exp((double)t->row[i * (t->symbols + 1) + a]);
    }
}

/* C summed over lengths and states; SIZE_MAX stands for all of them, and `a` likewise. */
static double
total(const struct oracle *o, size_t t, size_t s, size_t a)
{
    double sum = 0;
    for (size_t i = 0; i < o->lengths; i++)
        for (size_t j = 0; j < o->states; j++)
            for (size_t k = 0; k <= o->symbols; k++)
                if ((t == SIZE_MAX || i == t) && (s == SIZE_MAX || j == s) &&
                    (a == SIZE_MAX || k == a))
                    sum += o->c[i][j][k];
    return sum;
}

/* The same over symbols only, the end not. */
static double
total_symbols(const struct oracle *o, size_t t, size_t s)
{
    return total(o, t, s, SIZE_MAX) - total(o, t, s, o->symbols);
}

static double
end_at(const struct oracle *o, size_t t, size_t s)
{
    double near_ends = 0, near = 0, n = total(o, t, SIZE_MAX, SIZE_MAX);
    for (size_t i = 0; i < o->lengths; i++) {
        double reach = pow(0.3, fabs((double)t - (double)i));
        near_ends += reach * total(o, i, SIZE_MAX, o->symbols);
        near += reach * total(o, i, SIZE_MAX, SIZE_MAX);
    }
    double by_time = (total(o, t, SIZE_MAX, o->symbols) + 5 * near_ends / near) / (n + 5);
    double e = (o->c[t][s][o->symbols] + 5 * by_time) / (total(o, t, s, SIZE_MAX) + 5);
    return fmin(fmax(e, 1e-6), 1 - 1e-6);
}

/* k_t(a|s) into prob[WIDTH], the end last. */
static void
next_symbol(const struct oracle *o, size_t t, size_t s, const double *backoff, double *prob)
{
    double end = end_at(o, t, s), near = 0, sum = 0, n = total_symbols(o, SIZE_MAX, s);
    for (size_t i = 0; i < o->lengths; i++)
        near += pow(0.5, fabs((double)t - (double)i)) * total_symbols(o, i, s);
    for (size_t a = 0; a < o->symbols; a++) {
        double pi = (total(o, SIZE_MAX, s, a) + 5 * backoff[a]) / (n + 5), own = 0;
        for (size_t i = 0; i < o->lengths; i++)
            own += pow(0.5, fabs((double)t - (double)i)) * o->c[i][s][a];
        prob[a] = fmax((own + 5 * pi) / (near + 5), 1e-6);
        sum += prob[a];
    }
    for (size_t a = 0; a < o->symbols; a++)
        prob[a] *= (1 - end) / sum;
    prob[o->symbols] = end;
}

static void
look_ahead(struct oracle *o, const struct world *w, double (*backoff)[WIDTH])
{
    const struct feature_set *f = w->gam->features;
    for (size_t t = o->lengths; t-- > 0;)
        for (size_t s = 0; s < o->states; s++) {
            double prob[WIDTH], time = feature_set_time_weight(f, w->setting->lambda, t);
            next_symbol(o, t, s, backoff[s], prob);
            o->h[t][s] = prob[o->symbols] * exp(o->end[s] + time);
            for (size_t a = 0; a < o->symbols && t + 1 < o->lengths; a++) {
                size_t arc = s * o->symbols + a;
                o->h[t][s] += prob[a] * exp(o->arc[arc]) * o->h[t + 1][o->automaton->next[arc]];
            }
        }
}

/* Everything for one GAM: features without states, single ones with these, all but the one that is
 * alone. */
struct oracles {
    struct oracle plain, joint, single[GAMTEST_FEATURES];
    size_t singles, alone; /* number of the single one that is alone, or SIZE_MAX */
    double g[WIDTH];       /* symbols of all draws */
};

static void
find_parts(struct oracles *all, const struct world *w, const struct draw_tree *t)
{
    size_t needs[GAMTEST_FEATURES], chosen[GAMTEST_FEATURES], others = 0, n = w->space.features;
    size_t together[GAMTEST_FEATURES], count = 0, alone = w->setting->alone - 1;
    all->singles = 0;
    all->alone = SIZE_MAX;
    for (size_t i = 0; i < n; i++) {
        if (i != alone)
            together[count++] = i;
        else
            all->alone = all->singles;
        struct feature_automaton *a =
            feature_automaton_new(w->gam->features, &i, 1, UINT64_MAX, 100000, IGNORE_ERR);
        if (a->states > 1)
            needs[all->singles++] = i;
        else
            chosen[1 + others++] = i;
        feature_automaton_free(a);
    }
    oracle_init(&all->plain, w, chosen + 1, others, t);
    oracle_init(&all->joint, w, together, count, t);
    for (size_t i = 0; i < all->singles; i++) {
        chosen[0] = needs[i];
        oracle_init(&all->single[i], w, chosen, others + 1, t);
    }
    for (size_t a = 0; a < t->symbols; a++)
        all->g[a] = (total(&all->plain, SIZE_MAX, 0, a) + 5.0 / t->symbols) /
                    (total_symbols(&all->plain, SIZE_MAX, 0) + 5);
}

/* pc(a|s) proportional to g(a) prod_i k_i(a|s_i) / g(a), for the joint state of a string. */
static void
set_joint_backoff(const struct oracles *all, const uint8_t *symbols, size_t length,
                  double (*backoff)[WIDTH])
{
    const struct oracle *j = &all->joint;
    double *pc = backoff[state_after(j->automaton, symbols, length)], sum = 0;
    for (size_t a = 0; a < j->symbols; a++) {
        pc[a] = all->g[a];
        for (size_t i = 0; i < all->singles; i++) {
            const struct oracle *o = &all->single[i];
            if (i == all->alone)
                continue;
            size_t s = state_after(o->automaton, symbols, length);
            double k =
                (total(o, SIZE_MAX, s, a) + 5 * all->g[a]) / (total_symbols(o, SIZE_MAX, s) + 5);
            pc[a] *= k / all->g[a];
        }
        sum += pc[a];
    }
    for (size_t a = 0; a < j->symbols; a++)
        pc[a] /= sum;
}

static void
oracles_init(struct oracles *all, const struct world *w, const struct draw_tree *t)
{
    static double backoff[STATES][WIDTH];
    uint8_t symbols[20];
    find_parts(all, w, t);
    for (size_t s = 0; s < STATES; s++)
        memcpy(backoff[s], all->g, sizeof all->g);
    look_ahead(&all->plain, w, backoff);
    for (size_t i = 0; i < all->singles; i++)
        look_ahead(&all->single[i], w, backoff);
    for (size_t x = 0; all->singles > 1 && x < w->space.count; x++) {
        size_t length = space_string(&w->space.all, x, symbols);
        set_joint_backoff(all, symbols, length, backoff);
    }
    look_ahead(&all->joint, w, backoff);
}

static void
oracles_clear(struct oracles *all)
{
    feature_automaton_free(all->plain.automaton);
    feature_automaton_free(all->joint.automaton);
    for (size_t i = 0; i < all->singles; i++)
        feature_automaton_free(all->single[i].automaton);
}

/* G of going on from a prefix with its last symbol: exp(arc) h. */
static double
going_on(const struct oracle *o, const uint8_t *symbols, size_t length)
{
    uint32_t from = state_after(o->automaton, symbols, length - 1);
    size_t arc = from * o->symbols + symbols[length - 1];
    return exp(o->arc[arc]) * o->h[length][o->automaton->next[arc]];
}

static double
ending(const struct oracle *o, const uint8_t *symbols, size_t length)
{
    return exp(o->end[state_after(o->automaton, symbols, length)]);
}

/* Combines the automata's shares: the joint one's and that of a feature alone, or the product of
 * the single ones', each relative to that of the features without states. */
static double
combine(const struct oracles *all, bool product, const uint8_t *symbols, size_t length,
        double (*share)(const struct oracle *, const uint8_t *, size_t))
{
    double common = share(&all->plain, symbols, length), g = common;
    if (!product)
        g = share(&all->joint, symbols, length);
    for (size_t i = 0; i < all->singles && common > 0; i++)
        if (product || i == all->alone)
            g *= share(&all->single[i], symbols, length) / common;
    return g;
}

/* log q of a string by the definition of the proposal. */
static double
log_q_by_formula(const struct oracles *all, const struct world *w, bool product, size_t x)
{
    uint8_t symbols[20];
    size_t length = space_string(&w->space.all, x, symbols), width = w->rows.symbols + 1u;
    double log_q = 0;
    for (size_t t = 0; t <= length; t++) {
        const double *logp = w->rows.logp + space_number(&w->space.all, symbols, t) * width;
        double weight[WIDTH], sum = 0, time;
        uint8_t prefix[21];
        memcpy(prefix, symbols, t);
        for (size_t a = 0; a < width - 1; a++) {
            prefix[t] = (uint8_t)a;
            weight[a] = t < w->setting->gam.longest && logp[a] > -INFINITY
                            ? exp(logp[a]) * combine(all, product, prefix, t + 1, going_on)
                            : 0;
            sum += weight[a];
        }
        time = exp(feature_set_time_weight(w->gam->features, w->setting->lambda, t));
        weight[width - 1] = exp(logp[width - 1]) * time * combine(all, product, symbols, t, ending);
        sum += weight[width - 1];
        log_q += log(weight[t < length ? symbols[t] : width - 1] / sum);
    }
    return log_q;
}

/* Strings that P has, log q against the formulas: floats hold counts and rows, so 1e-4. */
static void
test_log_q(const struct world *w, const struct draw_tree *learned, bool product)
{
    static struct oracles all;
    struct guide *g = guide_new(w->source, w->setting->lambda, product, IGNORE_ERR);
    double *log_q = calloc(w->space.count, sizeof *log_q), worst = 0, sum = 0;
    const char *name = w->setting->name, *which = product ? "product" : "joint";
    bool covered = true;
    log_q_of_all(w, g, log_q);
    oracles_init(&all, w, learned);
    for (size_t x = 0; x < w->space.count; x++) {
        sum += exp(log_q[x]);
        if (w->p[x] == 0)
            continue;
        covered &= log_q[x] > -INFINITY;
        worst = fmax(worst, fabs(log_q[x] - log_q_by_formula(&all, w, product, x)));
    }
    ok(fabs(sum - 1) < 1e-5, "%s, %s guide: sum of q: 1 %+.1g", name, which, sum - 1);
    ok(covered, "%s, %s guide: q has all that P has", name, which);
    ok(worst < 1e-4, "%s, %s guide: log q by the formulas: %.1g", name, which, worst);
    oracles_clear(&all);
    guide_free(g);
    free(log_q);
}

/* ---- a surrogate that is r ------------------------------------------------------------- */

/* Where the base's symbols are independent, the surrogate knows r from enough visits, and
 * the weights of the joint guide are all Z. */
static void
test_perfect(const struct world *w)
{
    struct draw_tree all;
    size_t *number = calloc(w->space.count, sizeof *number);
    double *log_q = calloc(w->space.count, sizeof *log_q), worst = 0;
    struct guide_source *own = w->source;
    guidetest_tree(&w->space, &w->rows, 1000000, &all, number);
    guide_source_learn(own, &all, 0, IGNORE_ERR);
    struct guide *g = guide_new(own, w->setting->lambda, false, IGNORE_ERR);
    log_q_of_all(w, g, log_q);
    for (size_t x = 0; x < w->space.count; x++)
        if (w->p[x] > 0)
            worst = fmax(worst, fabs(log(w->p[x]) - log_q[x]));
    ok(worst < 1e-3, "%s: a perfect surrogate gives P: %.1g", w->setting->name, worst);
    guide_free(g);
    draw_tree_clear(&all);
    free(number);
    free(log_q);
}

/* ---- pools ------------------------------------------------------------------------------ */

/* Four proposals: r, both guides at lambda, and one at half of it. */
enum { MEMBERS = 4 };

static void
make_guides(const struct world *w, struct guide **guide)
{
    double half[GAMTEST_FEATURES];
    for (size_t i = 0; i < w->space.features; i++)
        half[i] = w->setting->lambda[i] / 2;
    guide[0] = NULL;
    guide[1] = guide_new(w->source, w->setting->lambda, false, IGNORE_ERR);
    guide[2] = guide_new(w->source, w->setting->lambda, true, IGNORE_ERR);
    guide[3] = guide_new(w->source, half, false, IGNORE_ERR);
}

static const uint64_t member_draws[MEMBERS] = {500, 900, 100, 700};

/* sum_j n_j q_j of all strings; takes over the guides as draw_pool_add does. */
static void
fill_pool(const struct world *w, uint64_t seed, struct draw_pool *p, double *density)
{
    struct guide *guide[MEMBERS];
    double *log_q = calloc(w->space.count, sizeof *log_q);
    make_guides(w, guide);
    memset(density, 0, w->space.count * sizeof *density);
    for (size_t k = 0; k < MEMBERS; k++) {
        struct draw_tree t = draw(w, guide[k], seed * MEMBERS + k, member_draws[k]);
        if (guide[k] != NULL)
            log_q_of_all(w, guide[k], log_q);
        else
            memcpy(log_q, w->space.log_r, w->space.count * sizeof *log_q);
        for (size_t x = 0; x < w->space.count; x++)
            density[x] += (double)member_draws[k] * exp(log_q[x]);
        draw_pool_add(p, guide[k], &t, IGNORE_ERR);
    }
    free(log_q);
}

/* Each string of the pool has log r, phi and the density of the definition. */
static bool
pool_is_right(const struct world *w, const struct draw_pool *p, const double *density)
{
    uint8_t *symbols = NULL;
    size_t capacity = 0, length, n = w->space.features;
    bool right = true;
    for (size_t i = 0; i < p->strings; i++) {
        draw_pool_string(p, i, &symbols, &capacity, &length, IGNORE_ERR);
        size_t x = space_number(&w->space.all, symbols, length);
        right &= fabs(p->log_r[i] - w->space.log_r[x]) < 1e-5 &&
                 fabs(p->log_density[i] - log(density[x])) < 1e-5;
        for (size_t k = 0; k < n; k++)
            right &= fabs(p->phi[i * n + k] - w->space.phi[x * n + k]) < 1e-12;
    }
    mem_free(symbols);
    return right;
}

/* Errors of Z in standard errors over seeds: a single one within 4, a false-alarm rate of
 * 6e-5; their mean within 4 / sqrt(SEEDS). */
static void
test_pool(const struct world *w)
{
    enum { SEEDS = 12 };
    double *density = calloc(w->space.count, sizeof *density), worst = 0, mean = 0;
    bool right = true;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        struct draw_pool p = {.gam = w->gam};
        fill_pool(w, seed, &p, density);
        right &= pool_is_right(w, &p, density);
        struct draw_estimate d = draw_pool_estimate(&p, w->setting->lambda);
        double z = (exp(d.log_z - w->log_z) - 1) / d.log_z_se;
        right &= fabs(d.draws - 2200) < 0.5;
        worst = fmax(worst, fabs(z));
        mean += z / SEEDS;
        draw_pool_clear(&p);
    }
    ok(right, "%s: log r, features and density of a pool", w->setting->name);
    ok(worst < 4 && fabs(mean) < 4 / sqrt(SEEDS), "%s: Z of a pool: mean z %+.2f, worst %.2f",
       w->setting->name, mean, worst);
    free(density);
}

/* ---- all -------------------------------------------------------------------------------- */

int
main(void)
{
    pool = pool_new(1, IGNORE_ERR);
    for (size_t k = 0; k < SETTINGS; k++) {
        struct world w;
        world_init(&w, &settings[k]);
        struct draw_tree learned = draw(&w, NULL, 1000, 200);
        guide_source_learn(w.source, &learned, 1, IGNORE_ERR);
        test_log_q(&w, &learned, false);
        test_log_q(&w, &learned, true);
        test_pool(&w);
        if (!settings[k].gam.lstm)
            test_perfect(&w);
        draw_tree_clear(&learned);
        world_clear(&w);
    }
    pool_free(pool);
    return tap_done();
}
