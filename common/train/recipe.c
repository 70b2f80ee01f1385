/* SPDX-License-Identifier: MIT */
#include "train/recipe.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "core/err.h"
#include "core/num.h"
#include "lstm/lstm.h"
#include "train/training.h"

/* The default is the best for its time according to examples/recipes.sh. */
static const struct recipe recipes[] = {
    {.name = "default",
     .value = {[RECIPE_HIDDEN] = 64,
               [RECIPE_LAYERS] = 1,
               [RECIPE_DROPOUT] = 0.3,
               [RECIPE_BATCH] = 5,
               [RECIPE_LR] = 0.004,
               [RECIPE_CLIP] = 1,
               [RECIPE_AVERAGE] = 0.999,
               [RECIPE_EPOCHS] = 2000,
               [RECIPE_PATIENCE] = 20},
     .patience_min = 600,
     .patience_max = 10000},
    {.name = "paper",
     .value = {[RECIPE_HIDDEN] = 200,
               [RECIPE_LAYERS] = 2,
               [RECIPE_DROPOUT] = 0.2,
               [RECIPE_BATCH] = 500,
               [RECIPE_LR] = 0.001,
               [RECIPE_CLIP] = 0.25,
               [RECIPE_AVERAGE] = 0,
               [RECIPE_EPOCHS] = 130,
               [RECIPE_PATIENCE] = 10},
     .paper = true},
    {.name = "distil",
     .value = {[RECIPE_HIDDEN] = 64,
               [RECIPE_LAYERS] = 1,
               [RECIPE_DROPOUT] = 0,
               [RECIPE_BATCH] = 5,
               [RECIPE_LR] = 0.004,
               [RECIPE_CLIP] = 1,
               [RECIPE_AVERAGE] = 0.9998,
               [RECIPE_EPOCHS] = 12,
               [RECIPE_PATIENCE] = 3},
     .continues = true},
};
enum { PATIENCE_MIN = 5 }; /* in epochs: validation is noisy, however many updates an epoch has */

/* The settings: name, which is also an option, and range. */
struct setting {
    const char *name;
    double lo, hi;
    bool whole;
};

static const struct setting settings[RECIPE_SETTINGS] = {
    [RECIPE_HIDDEN] = {"hidden", 1, LSTM_HIDDEN_MAX, true},
    [RECIPE_LAYERS] = {"layers", 1, LSTM_LAYERS_MAX, true},
    [RECIPE_DROPOUT] = {"dropout", 0, 0.99, false},
    [RECIPE_BATCH] = {"batch", 1, 1e9, true},
    [RECIPE_LR] = {"lr", 0, 1e6, false},
    [RECIPE_CLIP] = {"clip", 0, 1e30, false},
    [RECIPE_AVERAGE] = {"average", 0, 0.9999, false}, /* smaller shares would be lost in floats */
    [RECIPE_EPOCHS] = {"epochs", 1, 1e15, true},
    [RECIPE_PATIENCE] = {"patience", 0, 1e15, true},
};

void
recipe_choice_init(struct recipe_choice *c)
{
    *c = (struct recipe_choice){.recipe = &recipes[0]};
}

int
recipe_choose(struct recipe_choice *c, const char *name, struct err *e)
{
    for (size_t i = 0; i < sizeof recipes / sizeof *recipes; i++)
        if (strcmp(name, recipes[i].name) == 0) {
            c->recipe = &recipes[i];
            return 0;
        }
    return err_set(e, ERR_USAGE, "'%s' is not one of default, distil, paper", name);
}

const char *
recipe_name(enum recipe_setting s)
{
    return settings[s].name;
}

bool
recipe_is_limit(const char *name)
{
    return strcmp(name, settings[RECIPE_EPOCHS].name) == 0 ||
           strcmp(name, settings[RECIPE_PATIENCE].name) == 0;
}

bool
recipe_without_steps(enum recipe_setting s)
{
    return s == RECIPE_AVERAGE || s == RECIPE_EPOCHS || s == RECIPE_PATIENCE;
}

int
recipe_set(struct recipe_choice *c, enum recipe_setting s, const char *value, struct err *e)
{
    const struct setting *t = &settings[s];
    uint64_t n;
    c->given[s] = true;
    if (!t->whole)
        return num_parse_f64(value, t->lo, t->hi, &c->value[s], e);
    int rc = num_parse_u64(value, (uint64_t)t->lo, (uint64_t)t->hi, &n, e);
    if (rc == 0)
        c->value[s] = (double)n;
    return rc;
}

void
recipe_for_strings(struct recipe_choice *c, size_t strings)
{
    c->strings = strings;
}

/* The recipe's patience, or as many epochs as its number of updates. */
static double
patience(const struct recipe_choice *c)
{
    const struct recipe *r = c->recipe;
    double epochs = r->value[RECIPE_PATIENCE];
    double updates = ceil((double)c->strings / recipe_value(c, RECIPE_BATCH));
    if (r->patience_max == 0 || c->strings == 0)
        return epochs;
    if (epochs * updates < r->patience_min)
        return ceil(r->patience_min / updates);
    if (epochs * updates > r->patience_max)
        return fmax(PATIENCE_MIN, floor(r->patience_max / updates));
    return epochs;
}

double
recipe_value(const struct recipe_choice *c, enum recipe_setting s)
{
    if (c->given[s])
        return c->value[s];
    return s == RECIPE_PATIENCE ? patience(c) : c->recipe->value[s];
}

void
recipe_apply(const struct recipe_choice *c, struct training_options *o)
{
    bool paper = c->recipe->paper;
    o->batch = (size_t)recipe_value(c, RECIPE_BATCH);
    o->rate = recipe_value(c, RECIPE_LR);
    o->clip = recipe_value(c, RECIPE_CLIP);
    o->dropout = recipe_value(c, RECIPE_DROPOUT);
    o->input_dropout = paper ? o->dropout : 0;
    o->average = o->steps > 0 ? 0 : recipe_value(c, RECIPE_AVERAGE);
    o->epochs = (uint64_t)recipe_value(c, RECIPE_EPOCHS);
    o->patience = (uint64_t)recipe_value(c, RECIPE_PATIENCE);
    o->patience_in_total = paper;
    o->mean_of_strings = paper;
}
