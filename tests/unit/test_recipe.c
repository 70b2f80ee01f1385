/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include "core/err.h"
#include "support/ignore.h"
#include "support/tap.h"
#include "train/recipe.h"
#include "train/training.h"

/* The settings behind the paper's numbers, one by one. */
static void
test_paper(void)
{
    struct recipe_choice c;
    struct training_options o = {.seed = 7, .steps = 9};
    recipe_choice_init(&c);
    ok(recipe_choose(&c, "paper", IGNORE_ERR) == 0, "the paper's recipe");
    recipe_apply(&c, &o);
    ok(recipe_value(&c, RECIPE_HIDDEN) == 200 && recipe_value(&c, RECIPE_LAYERS) == 2,
       "two layers of 200");
    ok(o.dropout == 0.2 && o.input_dropout == 0.2, "dropout of outputs and input");
    ok(o.batch == 500 && o.rate == 0.001 && o.clip == 0.25, "batch, learning rate, clipping");
    ok(o.epochs == 130 && o.patience == 10 && o.patience_in_total,
       "130 epochs, or 10 in total that do not gain");
    ok(o.mean_of_strings, "the loss is averaged over strings");
    ok(o.average == 0, "the weights are not");
    ok(o.seed == 7 && o.steps == 9, "seed and steps stay");
}

static void
test_distil(void)
{
    struct recipe_choice c;
    struct training_options o = {0};
    recipe_choice_init(&c);
    ok(recipe_choose(&c, "distil", IGNORE_ERR) == 0 && c.recipe->continues, "the recipe to distil");
    recipe_apply(&c, &o);
    ok(o.epochs == 12 && o.patience == 3 && o.average == 0.9998 && o.dropout == 0 && o.batch == 5 &&
           o.rate == 0.004,
       "few epochs, without dropout");
}

static void
test_default(void)
{
    struct recipe_choice c;
    struct training_options o = {0};
    recipe_choice_init(&c);
    recipe_apply(&c, &o);
    ok(o.dropout > 0 && o.input_dropout == 0, "default: the input has no dropout");
    ok(!o.patience_in_total, "patience counts epochs in a row");
    ok(!o.mean_of_strings, "the loss is averaged over characters");
    ok(o.average == 0.999, "the weights over the latest updates");
    o.steps = 3;
    recipe_apply(&c, &o);
    ok(o.average == 0, "but not where the number of updates is given");
}

/* Of the default recipe, with the batch of 5 strings: 20 epochs from 150 to 2500 strings. */
static void
test_patience(void)
{
    static const struct {
        size_t strings;
        double patience;
    } table[] = {{0, 20},    {1, 600},   {10, 300},  {40, 75},  {146, 20},  {150, 20},
                 {2500, 20}, {2505, 19}, {5000, 10}, {9999, 5}, {20000, 5}, {10000000, 5}};
    struct recipe_choice c;
    recipe_choice_init(&c);
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        recipe_for_strings(&c, table[i].strings);
        ok(recipe_value(&c, RECIPE_PATIENCE) == table[i].patience, "patience for %zu strings: %g",
           table[i].strings, table[i].patience);
    }
    recipe_set(&c, RECIPE_BATCH, "100", IGNORE_ERR);
    ok(recipe_value(&c, RECIPE_PATIENCE) == 5, "larger batches, fewer updates");
    recipe_for_strings(&c, 20000);
    ok(recipe_value(&c, RECIPE_PATIENCE) == 20, "so more patience");
    recipe_set(&c, RECIPE_PATIENCE, "33", IGNORE_ERR);
    ok(recipe_value(&c, RECIPE_PATIENCE) == 33, "a patience that was given counts");
    recipe_choice_init(&c);
    recipe_choose(&c, "paper", IGNORE_ERR);
    recipe_for_strings(&c, 10000000);
    ok(recipe_value(&c, RECIPE_PATIENCE) == 10, "the paper's is always the same");
}

static void
test_explicit(void)
{
    struct recipe_choice before, after;
    struct training_options o = {0};
    recipe_choice_init(&before);
    recipe_choice_init(&after);
    ok(recipe_set(&before, RECIPE_DROPOUT, "0.5", IGNORE_ERR) == 0 &&
           recipe_choose(&before, "paper", IGNORE_ERR) == 0 &&
           recipe_choose(&after, "paper", IGNORE_ERR) == 0 &&
           recipe_set(&after, RECIPE_DROPOUT, "0.5", IGNORE_ERR) == 0,
       "an explicit value before or after the recipe");
    ok(recipe_value(&before, RECIPE_DROPOUT) == 0.5 && recipe_value(&after, RECIPE_DROPOUT) == 0.5,
       "counts");
    recipe_apply(&before, &o);
    ok(o.dropout == 0.5 && o.input_dropout == 0.5, "also for the input");
    ok(recipe_set(&after, RECIPE_DROPOUT, "1", IGNORE_ERR) == ERR_USAGE &&
           recipe_set(&after, RECIPE_BATCH, "2.5", IGNORE_ERR) == ERR_USAGE &&
           recipe_choose(&after, "cake", IGNORE_ERR) == ERR_USAGE,
       "values out of range and unknown recipes are refused");
}

/* Each name is known, and the values of the recipes are in its range. */
static void
test_names(void)
{
    static const char *const recipe[] = {"default", "paper"};
    int named = 0, good = 0;
    for (size_t k = 0; k < 2; k++)
        for (enum recipe_setting i = 0; i < RECIPE_SETTINGS; i++) {
            struct recipe_choice c;
            char value[32];
            recipe_choice_init(&c);
            recipe_choose(&c, recipe[k], IGNORE_ERR);
            snprintf(value, sizeof value, "%.17g", recipe_value(&c, i));
            named += recipe_name(i) != NULL;
            good += recipe_set(&c, i, value, IGNORE_ERR) == 0;
        }
    ok(named == 2 * RECIPE_SETTINGS, "every setting has a name");
    ok(good == 2 * RECIPE_SETTINGS, "and the recipes' values are in its range");
    ok(strcmp(recipe_name(RECIPE_LR), "lr") == 0, "which belongs to it");
}

int
main(void)
{
    test_names();
    test_paper();
    test_distil();
    test_default();
    test_patience();
    test_explicit();
    return tap_done();
}
