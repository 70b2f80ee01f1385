/* SPDX-License-Identifier: MIT
 * The strings of a training run, and what a run writes down about itself. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/err.h"
#include "core/rng.h"
#include "lstm/lstm.h"
#include "model/meta.h"
#include "support/tap.h"
#include "text/string_reader.h"
#include "train/recipe.h"
#include "train/training.h"
#include "train/training_data.h"
#include "train/training_record.h"

static struct alphabet binary;
static char dir[] = "/tmp/gamut-set.XXXXXX";

/* The path of a new file. */
static const char *
file(const char *name, const char *text)
{
    static char path[4][64];
    static int next;
    char *p = path[next++ % 4];
    snprintf(p, sizeof path[0], "%s/%s", dir, name);
    FILE *f = fopen(p, "w");
    if (f != NULL) {
        fputs(text, f);
        fclose(f);
    }
    return p;
}

static void
test_load(void)
{
    struct err e = {0};
    struct training_data s = {0};
    struct meta *m = meta_new(&e);
    const char *data = file("d", "0101\n010101\n"), *valid = file("v", "01\n0101\n");
    ok(training_data_load(&s, &binary, &(struct string_format){0}, data, valid, m, &e) == 0 &&
           s.train.count == 2 && s.valid.count == 2 && s.strings.count == 4,
       "both files");
    ok(s.strings.shortest == 2 && s.strings.longest == 6, "lengths over both");
    ok(s.train.at[1] == 1 && s.valid.at[0] == 2, "each in its own set");
    ok(strlen(meta_get(m, "input")) == 16 && strlen(meta_get(m, "input.valid")) == 16 &&
           strcmp(meta_get(m, "input"), meta_get(m, "input.valid")) != 0,
       "their hashes");
    training_data_clear(&s);
    const char *empty = file("e", "");
    ok(training_data_load(&s, &binary, &(struct string_format){0}, data, empty, m, &e) ==
               ERR_DATA &&
           strstr(e.text, "contains no strings") != NULL,
       "%s", e.text);
    training_data_clear(&s);
    unlink(data);
    unlink(valid);
    unlink(empty);
    meta_free(m);
}

/* Strings of 0 .. count - 1 symbols, all to train on. */
static struct training_data
ladder(size_t count)
{
    struct err e = {0};
    struct training_data d = {0};
    for (size_t i = 0; i < count; i++)
        strings_add(&d.strings, (const uint8_t[10]){0}, i, &e);
    string_order_add_range(&d.train, 0, count, &e);
    return d;
}

static void
test_split(void)
{
    struct err e = {0};
    struct training_data d = ladder(10), same = ladder(10), other = ladder(10);
    ok(training_data_split(&d, 0.3, 1, &e) == 0 && d.train.count == 7 && d.valid.count == 3,
       "a part is held back");
    ok(string_order_symbols(&d.train, &d.strings) + string_order_symbols(&d.valid, &d.strings) ==
           45,
       "and nothing is lost");
    training_data_split(&same, 0.3, 1, &e);
    training_data_split(&other, 0.3, 2, &e);
    ok(memcmp(d.valid.at, same.valid.at, 3 * sizeof *d.valid.at) == 0 &&
           memcmp(d.valid.at, other.valid.at, 3 * sizeof *d.valid.at) != 0,
       "the seed says which");
    ok(training_data_sort(&d, &e) == 0, "sorted");
    unsigned seen = 0, falls = 0;
    for (size_t i = 0; i < 7; i++) {
        seen |= 1u << d.train.at[i];
        falls += i > 0 && d.train.at[i] < d.train.at[i - 1];
    }
    for (size_t i = 0; i < 3; i++) {
        seen |= 1u << d.valid.at[i];
        falls += i > 0 && d.valid.at[i] < d.valid.at[i - 1];
    }
    ok(seen == (1u << 10) - 1 && falls == 0, "shorter strings come first in both sets");
    training_data_clear(&d);
    training_data_clear(&same);
    training_data_clear(&other);
    for (size_t n = 1; n <= 2; n++) {
        d = ladder(n);
        ok(training_data_split(&d, 0.3, 1, &e) == 0 && d.train.count == 1 && d.valid.count == n - 1,
           "of %zu string%s %s is held back", n, n == 1 ? "" : "s", n == 1 ? "none" : "one");
        training_data_clear(&d);
    }
}

/* Adds `count` strings of `bits` random bits to a set. */
static void
add_random(struct training_data *d, struct string_order *set, struct rng *r, size_t count,
           size_t bits)
{
    struct err e = {0};
    for (size_t i = 0; i < count; i++) {
        uint8_t x[64];
        for (size_t k = 0; k < bits; k++)
            x[k] = rng_u32(r) & 1;
        string_order_add(set, d->strings.count, 1, &e);
        strings_add(&d->strings, x, bits, &e);
    }
}

/* log p of two sets of random bits of which the validation set also has `copies` strings of
 * the training set. */
static struct leakage
leak(uint64_t seed, size_t train, size_t valid, size_t bits, size_t copies)
{
    struct err e = {0};
    struct training_data d = {0};
    struct leakage l;
    struct rng r;
    rng_init(&r, seed, "test/leakage", 0);
    add_random(&d, &d.train, &r, train, bits);
    add_random(&d, &d.valid, &r, valid, bits);
    string_order_add_range(&d.valid, 0, copies, &e);
    training_data_sort(&d, &e);
    leakage_find(&d, &l, &e);
    training_data_clear(&d);
    return l;
}

static void
test_leakage(void)
{
    static const struct {
        size_t train, valid, bits, copies;
    } leaks[] = {{100, 0, 30, 20}, {100, 4900, 30, 100}, {50, 0, 30, 10}, {10000, 0, 12, 2000}},
      clean[] = {{100, 20, 3, 0}, {200, 200, 8, 0}, {1000, 10, 10, 0}, {100, 5000, 9, 0}};
    for (size_t i = 0; i < sizeof leaks / sizeof *leaks; i++) {
        struct leakage l = leak(1, leaks[i].train, leaks[i].valid, leaks[i].bits, leaks[i].copies);
        ok(l.log_p < LEAKAGE_LOG_P && l.shared >= leaks[i].copies, "%zu copies: log p %.1f",
           l.shared, l.log_p);
    }
    for (size_t i = 0; i < sizeof clean / sizeof *clean; i++) {
        unsigned alarms = 0;
        size_t shared = 0;
        for (uint64_t seed = 1; seed <= 1000; seed++) {
            struct leakage l = leak(seed, clean[i].train, clean[i].valid, clean[i].bits, 0);
            alarms += l.log_p < LEAKAGE_LOG_P;
            shared += l.shared;
        }
        /* at most 1 in 10,000: three of 1000 would have probability 2e-4 */
        ok(alarms < 3 && shared > 1000, "independent sets share %zu strings: %u alarms", shared,
           alarms);
    }
    ok(leak(1, 100, 100, 30, 0).log_p == 0, "no string is shared");
}

/* The identity of a run whose metadata are those of `base` and one more row. */
static uint64_t
identity(const struct meta *base, const char *key, const char *value, const struct lstm *l)
{
    struct err e = {0};
    struct meta *m = meta_copy(base, &e);
    meta_set(m, key, &e, "%s", value);
    uint64_t id = training_meta_identity(m, l);
    meta_free(m);
    return id;
}

static void
test_identity(void)
{
    struct err e = {0};
    struct meta *m = meta_new(&e);
    struct lstm *l = lstm_new(&binary, 3, 1, 9, &e);
    meta_set(m, "seed", &e, "1");
    meta_set(m, "command", &e, "lstm-train");
    uint64_t id = training_meta_identity(m, l);
    ok(identity(m, "command", "lstm-train --hidden 3", l) == id, "the command line does not count");
    ok(identity(m, "seed", "2", l) != id, "the seed does");
    ok(identity(m, "lr", "1", l) != id, "so does a setting");
    l->model.max_length = 10;
    ok(training_meta_identity(m, l) != id, "and the longest length");
    lstm_free(l);
    meta_free(m);
}

static void
test_settings(void)
{
    struct err e = {0};
    struct meta *m = meta_new(&e);
    struct training_data s = ladder(4);
    struct recipe_choice r;
    recipe_choice_init(&r);
    ok(recipe_set(&r, RECIPE_LR, "0.25", &e) == 0, "a setting");
    training_meta_settings(m, &r, 0, &s, &e);
    ok(strcmp(meta_get(m, "lr"), "0.25") == 0 && meta_get(m, "epochs") != NULL &&
           meta_get(m, "steps") == NULL && meta_get(m, "valid_strings") == NULL,
       "epochs, when they count");
    meta_free(m);
    m = meta_new(&e);
    training_data_split(&s, 0.25, 1, &e);
    training_meta_settings(m, &r, 7, &s, &e);
    ok(strcmp(meta_get(m, "steps"), "7") == 0 && meta_get(m, "epochs") == NULL &&
           meta_get(m, "patience") == NULL && meta_get(m, "average") == NULL &&
           strcmp(meta_get(m, "strings"), "3") == 0 &&
           strcmp(meta_get(m, "valid_strings"), "1") == 0,
       "or updates");
    training_data_clear(&s);
    meta_free(m);
}

static void
test_outcome(void)
{
    struct err e = {0};
    struct meta *m = meta_new(&e);
    struct training_outcome o = {
        .end = TRAINING_PATIENCE, .epochs = 5, .steps = 9, .best_epoch = 2, .valid_ce = 0.5};
    training_meta_outcome(m, &o, &e);
    ok(strcmp(meta_get(m, "end"), "patience") == 0 && strcmp(meta_get(m, "epochs_run"), "5") == 0 &&
           strcmp(meta_get(m, "best_epoch"), "2") == 0 &&
           strcmp(meta_get(m, "valid_ce"), "0.5") == 0,
       "the outcome");
    meta_free(m);
    m = meta_new(&e);
    o.best_epoch = 0;
    o.train_ce = NAN;
    training_meta_outcome(m, &o, &e);
    ok(strcmp(meta_get(m, "best_epoch"), "0") == 0 && strcmp(meta_get(m, "valid_ce"), "0.5") == 0 &&
           meta_get(m, "train_ce") == NULL,
       "where the initial parameters are best");
    meta_free(m);
    m = meta_new(&e);
    o.train_ce = 0.25;
    o.valid_ce = NAN;
    training_meta_outcome(m, &o, &e);
    ok(meta_get(m, "best_epoch") == NULL && meta_get(m, "valid_ce") == NULL &&
           strcmp(meta_get(m, "train_ce"), "0.25") == 0,
       "without validation");
    meta_free(m);
}

int
main(void)
{
    struct err e = {0};
    alphabet_init(&binary, "01", &e);
    if (mkdtemp(dir) == NULL)
        return 1;
    test_load();
    test_split();
    test_leakage();
    test_identity();
    test_settings();
    test_outcome();
    rmdir(dir);
    return tap_done();
}
