/* SPDX-License-Identifier: MIT
 *
 * Every kind of feature with every method: samples against the distribution over all strings up
 * to the maximum length, by chi-square with a false-alarm rate of 1e-6 per test, and log Z
 * against the sum over all strings.  Automata and networks, fixed and free length, weights of
 * both signs, hard constraints, and mixtures of kinds.
 */
#include "core/pool.h"
#include "gam/gam_sampler.h"
#include "gam/partition.h"
#include "support/chisq.h"
#include "support/gamtest.h"
#include "support/tap.h"

enum { STRINGS = 5000 };

struct setting {
    const char *spec[GAMTEST_FEATURES];
    double lambda[GAMTEST_FEATURES];
};

#define HARD (-INFINITY)

static const struct setting binary[] = {
    {{"motif:0110", "count:11", "length:7"}, {-2, 5, 1}},
    {{"prefix:01", "suffix:10", "length"}, {1.5, HARD, -3}},
    {{"regex:^1(01)*", "matches:1+0", "length2"}, {-3, 6, 2}},
    {{"regex:(00|11)1?$", "matches:10$", "run"}, {HARD, 4, -5}},
    {{"run:1", "at:2:0", "at:-1:1"}, {8, -2, HARD}},
    {{"within:2..5:101", "within:-4..-1:11"}, {-3, 2}},
    {{"length@3..8", "count:1@2..4", "run@..3"}, {HARD, -3, -2}},
    {{"count:[1]@30%..60%", "edit:0110@..1", "lcs:10010@3.."}, {-2, HARD, -1}},
    {{"edit:01101", "lcs:11001", "not:motif:111"}, {-6, 4, HARD}},
    {{"matches:(01|10)1@1..", "not:at:1:1", "count:[01]"}, {-4, 2, -3}},
};

static const struct setting dna[] = {
    {{"site:GAT", "count:[GC]", "motif:CA"}, {-4, 3, 1}},
    {{"site+:RYN", "regex:A.*T", "length"}, {HARD, -2, 3}},
    {{"not:site:TA", "edit:ACG", "run:A@..2"}, {-3, -5, HARD}},
};

static struct pool *pool;

struct world {
    struct gam *gam;
    struct gamtest_space space;
    double *p; /* [space.count] */
    uint64_t *seen;
    double log_z;
    char name[160];
};

static void
world_init(struct world *w, const struct gamtest_setting *base, const struct setting *s)
{
    struct gamtest_setting g = *base;
    size_t n = 0;
    memcpy(g.spec, s->spec, sizeof g.spec);
    *w = (struct world){.gam = gamtest_new(&g)};
    gamtest_enumerate(&w->space, &g, w->gam, pool);
    memcpy(w->gam->lambda, s->lambda, w->space.features * sizeof *s->lambda);
    w->p = calloc(w->space.count, sizeof *w->p);
    w->seen = calloc(w->space.count, sizeof *w->seen);
    w->log_z = gamtest_distribution(&w->space, s->lambda, w->p);
    n += (size_t)snprintf(w->name, sizeof w->name, "%s, %s:", g.lstm ? "network" : "automaton",
                          g.stop > 0 || g.lstm ? "any length" : "one length");
    for (size_t i = 0; i < w->space.features; i++)
        n += (size_t)snprintf(w->name + n, sizeof w->name - n, " %s", s->spec[i]);
}

static void
world_clear(struct world *w)
{
    free(w->p);
    free(w->seen);
    gamtest_space_clear(&w->space);
    gam_free(w->gam);
}

static int
count_string(void *arg, const uint8_t *symbols, size_t length, struct err *e)
{
    struct world *w = arg;
    (void)e;
    w->seen[space_number(&w->space.all, symbols, length)]++;
    return 0;
}

/* Guided draws may be refused, which is no answer, or be off by less than chi-square sees. */
static void
test_method(struct world *w, int choice, uint64_t count)
{
    const struct gam_sampler_options o = {.seed = 3,
                                          .purpose = "test",
                                          .max_length = w->gam->model.max_length,
                                          .choice = choice,
                                          .tvd = 0.001};
    const struct sampler_request request = {
        .count = count, .max_proposals = INT64_MAX, .string = count_string, .arg = w};
    struct gam_sampler_outcome outcome;
    struct err e = {0};
    memset(w->seen, 0, w->space.count * sizeof *w->seen);
    int rc = gam_sampler_run(&w->gam->model, pool, &o, &request, &outcome, &e);
    if (outcome.quality.refused && choice == SAMPLE_GUIDED) {
        printf("# %s guided: refused, ESS %.2g, gap %.2g, missed %.2g\n", w->name,
               outcome.quality.ess, outcome.quality.gap.log_z, outcome.quality.missed);
        return;
    }
    ok(rc == 0 && outcome.stats.written == count &&
           chisq_passes(w->seen, w->p, w->space.count, (double)count),
       "%s %s%s%s", w->name, gam_sampler_choices[choice], rc != 0 ? ": " : "", e.text);
}

/* Exact over automata; otherwise within 4.5 standard errors, a false-alarm rate of 7e-6. */
static void
test_log_z(const struct world *w, bool exact)
{
    struct partition z;
    struct err e = {0};
    const struct partition_options o = {.max_length = MODEL_UNBOUNDED, .seed = 5, .error = 0.01};
    int rc = partition_find(&w->gam->model, pool, &o, &z, &e);
    double off = z.log_z - w->log_z, allowed = exact ? 1e-9 : 4.5 * z.log_z_se;
    ok(rc == 0 && fabs(off) <= allowed && (z.log_z_se == 0) == exact && z.enough,
       "%s log Z %+.1g, +- %.1g", w->name, off, z.log_z_se);
}

static void
test_settings(const struct gamtest_setting *base, const struct setting *settings, size_t count)
{
    for (size_t k = 0; k < count; k++) {
        struct world w;
        world_init(&w, base, &settings[k]);
        test_log_z(&w, !base->lstm);
        test_method(&w, SAMPLE_AUTO, STRINGS);
        test_method(&w, SAMPLE_EXACT, STRINGS);
        test_method(&w, SAMPLE_PLAIN, STRINGS / 10);
        test_method(&w, SAMPLE_GUIDED, STRINGS);
        world_clear(&w);
    }
}

int
main(void)
{
    static const struct gamtest_setting any = {
        .alphabet = "01", .probs = "0.6,0.4", .stop = 0.1, .longest = 9};
    static const struct gamtest_setting one = {.alphabet = "01", .probs = "0.6,0.4", .longest = 8};
    static const struct gamtest_setting bits = {.alphabet = "01", .longest = 8, .lstm = true};
    static const struct gamtest_setting four = {
        .alphabet = "ACGT", .probs = "0.4,0.3,0.2,0.1", .stop = 0.15, .longest = 5};
    static const struct gamtest_setting network = {.alphabet = "ACGT", .longest = 5, .lstm = true};
    enum { BINARY = sizeof binary / sizeof *binary, DNA = sizeof dna / sizeof *dna };
    pool = pool_new(1, IGNORE_ERR);
    test_settings(&any, binary, BINARY);
    test_settings(&one, binary, BINARY);
    test_settings(&bits, binary, BINARY);
    test_settings(&four, dna, DNA);
    test_settings(&network, dna, DNA);
    pool_free(pool);
    return tap_done();
}
