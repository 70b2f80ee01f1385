/* SPDX-License-Identifier: MIT
 * What surrounds a fit: its data, what the user leaves open, and its log. */
#include <math.h>
#include <string.h>

#include "feature/histogram.h"
#include "gam/fit.h"
#include "gam/fit_report.h"
#include "support/gamtest.h"
#include "support/ignore.h"
#include "support/tap.h"

static const struct gamtest_setting automaton = {
    .alphabet = "01", .longest = 4, .spec = {"motif:11", "count:0"}};
static const struct gamtest_setting network = {
    .alphabet = "01", .longest = 4, .lstm = true, .spec = {"motif:11"}};

static char path[TEMPFILE_MAX];

static void
write_file(const char *text)
{
    FILE *f = fopen(path, "w");
    if (f != NULL) {
        fputs(text, f);
        fclose(f);
    }
}

static const char *
read_file(void)
{
    static char text[256];
    FILE *f = fopen(path, "r");
    size_t n = f != NULL ? fread(text, 1, sizeof text - 1, f) : 0;
    text[n] = '\0';
    if (f != NULL)
        fclose(f);
    return text;
}

/* A file's data for a GAM in which 11 must occur. */
static void
test_data(struct gam *g)
{
    struct err e = {0};
    struct fit_data d = {0};
    g->lambda[0] = -INFINITY;
    write_file("0110\n1010\n1100\n0000\n");
    ok(fit_data_read(&d, g, path, &(struct string_format){0}, &e) == 0 &&
           histogram_total(d.seen) == 4,
       "four strings");
    ok(histogram_count(d.seen) == 3 && histogram_weight(d.seen, 0) == 2 &&
           histogram_numerators(d.seen, 0)[0] == 0 && histogram_numerators(d.seen, 0)[1] == 2,
       "two of which have the same features");
    ok(d.forbidden == 2, "two are ruled out");
    uint64_t hash = d.hash;
    fit_data_clear(&d);
    write_file("0110\n");
    ok(fit_data_read(&d, g, path, &(struct string_format){0}, &e) == 0 && d.hash != hash &&
           d.forbidden == 0,
       "other data");
    fit_data_clear(&d);
    write_file("0110\n01010\n");
    ok(fit_data_read(&d, g, path, &(struct string_format){0}, &e) == ERR_DATA &&
           strstr(e.text, ":2: string has 5 symbols, maximum is 4") != NULL &&
           e.remedy == REMEDY_RAISE_MAX_LENGTH,
       "%s", e.text);
    fit_data_clear(&d);
}

static void
test_complete(struct gam *g)
{
    struct histogram *data = histogram_new(g->features, IGNORE_ERR);
    struct gam *l = gamtest_new(&network);
    struct fit_options o;
    histogram_add(data, (const uint64_t[]){0, 0}, 4000, IGNORE_ERR);
    fit_options_init(&o);
    fit_options_complete(&o, g, data);
    ok(o.regime == FIT_EXACT && o.optimizer == FIT_NEWTON, "an automaton is exact");
    ok(o.accepted == 4000 && fabs(o.l2 * 4000 - 0.01) < 1e-12, "draws and prior by the data");
    fit_options_init(&o);
    o.optimizer = FIT_SGD;
    fit_options_complete(&o, l, data);
    ok(o.regime == FIT_GUIDED && o.accepted == 10 && o.l2 == 0, "an LSTM by guided draws; sgd");
    fit_options_init(&o);
    o.regime = FIT_SNIS;
    o.accepted = 7;
    o.l2 = 0.5;
    fit_options_complete(&o, g, data);
    ok(o.regime == FIT_SNIS && o.accepted == 7 && o.l2 == 0.5, "what was said stays");
    histogram_add(data, (const uint64_t[]){0, 0}, 1e6, IGNORE_ERR);
    fit_options_init(&o);
    fit_options_complete(&o, g, data);
    ok(o.accepted == 10000, "draws have a limit");
    gam_free(l);
    histogram_free(data);
}

static void
test_fix(struct gam *g)
{
    static const char *const bad[] = {"motif:11", "motif=1", "=1",           "motif:11=x",
                                      "count:0=", "x=1",     "motif:11=inf", "motif:11=2e6"};
    bool fixed[2] = {false, false};
    ok(fit_options_fix("count:0=-1.5", g, fixed, IGNORE_ERR) == 0 && g->lambda[1] == -1.5 &&
           fixed[1] && !fixed[0],
       "a weight is fixed");
    ok(fit_options_fix("motif:11=-inf", g, fixed, IGNORE_ERR) == 0 && g->lambda[0] == -INFINITY,
       "a hard constraint");
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        ok(fit_options_fix(bad[i], g, fixed, IGNORE_ERR) == ERR_USAGE, "not '%s'", bad[i]);
}

static void
test_log(const struct gam *g)
{
    struct err e = {0};
    struct fit_log l = {0};
    const double lambda[] = {-1, 2.5};
    struct fit_epoch s = {.epoch = 1, .rate = 10, .l1_mom = 0.25, .samples = 7, .lambda = lambda};
    fit_log_row(&l, &s);
    ok(fit_log_close(&l, &e) == 0, "no log is fine");
    ok(fit_log_open(&l, path, g->features, &e) == 0, "a log");
    fit_log_row(&l, &s);
    ok(fit_log_close(&l, &e) == 0 &&
           strcmp(read_file(), "epoch\trate\tl1_mom\tsamples\tmotif:11\tcount:0\n"
                               "1\t10\t0.25\t7\t-1\t2.5\n") == 0,
       "a row, with a column for each weight");
    write_file("old");
    fit_log_open(&l, path, g->features, &e);
    err_set(&e, ERR_DATA, "the fit has failed");
    ok(fit_log_close(&l, &e) == ERR_DATA && strcmp(read_file(), "old") == 0,
       "the log of a failure does not appear");
}

int
main(void)
{
    struct gam *g = gamtest_new(&automaton);
    tempfile_new(path);
    test_data(g);
    test_complete(g);
    test_fix(g);
    test_log(g);
    unlink(path);
    gam_free(g);
    return tap_done();
}
