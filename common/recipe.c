/* SPDX-License-Identifier: MIT */
#include "recipe.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "err.h"
#include "lstm.h"
#include "num.h"
#include "train.h"

/* The default is what examples/recipes.sh measures to be best. */
static const struct recipe recipes[] = {
    {"default", {64, 1, .3, 5, .004, 1, .999, 2000, 20}, 600, 10000, false},
    {"paper", {200, 2, .2, 500, .001, .25, 0, 130, 10}, 0, 0, true},
};
enum { PATIENCE_MIN = 5 }; /* epochs: validation is noisy, however many updates an epoch has */

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
    return err_set(e, ERR_USAGE, "'%s' is not a recipe; there are 'default' and 'paper'", name);
}

bool
recipe_without_steps(enum recipe_setting s)
{
    return s == RECIPE_AVERAGE || s == RECIPE_EPOCHS || s == RECIPE_PATIENCE;
}

int
recipe_set(struct recipe_choice *c, enum recipe_setting s, const char *value, struct err *e)
{
    static const struct {
        double lo, hi;
        bool whole;
    } range[RECIPE_SETTINGS] = {
        [RECIPE_HIDDEN] = {1, LSTM_HIDDEN_MAX, true},
        [RECIPE_LAYERS] = {1, LSTM_LAYERS_MAX, true},
        [RECIPE_DROPOUT] = {0, 0.99, false},
        [RECIPE_BATCH] = {1, 1e9, true},
        [RECIPE_LR] = {0, 1e6, false},
        [RECIPE_CLIP] = {0, 1e30, false},
        [RECIPE_AVERAGE] = {0, 0.9999, false}, /* floats would lose smaller shares */
        [RECIPE_EPOCHS] = {1, 1e15, true},
        [RECIPE_PATIENCE] = {0, 1e15, true},
    };
    uint64_t n;
    c->given[s] = true;
    if (!range[s].whole)
        return num_f64(value, range[s].lo, range[s].hi, &c->value[s], e);
    int rc = num_u64(value, (uint64_t)range[s].lo, (uint64_t)range[s].hi, &n, e);
    if (rc == 0)
        c->value[s] = (double)n;
    return rc;
}

void
recipe_for_strings(struct recipe_choice *c, size_t strings)
{
    c->strings = strings;
}

/* The recipe's patience, or as many epochs as make its updates. */
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
recipe_apply(const struct recipe_choice *c, struct train_options *o)
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
