/* SPDX-License-Identifier: MIT */
#include "err.h"
#include "recipe.h"
#include "tap.h"
#include "train.h"

/* The settings behind the paper's numbers, one by one. */
static void
test_paper(void)
{
    struct recipe_choice c;
    struct train_options o = {.seed = 7, .steps = 9};
    recipe_choice_init(&c);
    ok(recipe_choose(&c, "paper", NULL) == 0, "the paper's recipe");
    recipe_apply(&c, &o);
    ok(recipe_value(&c, RECIPE_HIDDEN) == 200 && recipe_value(&c, RECIPE_LAYERS) == 2,
       "two layers of 200");
    ok(o.dropout == 0.2 && o.input_dropout == 0.2, "dropout of outputs and input");
    ok(o.batch == 500 && o.rate == 0.001 && o.clip == 0.25, "batch, learning rate, clipping");
    ok(o.epochs == 130 && o.patience == 10 && o.patience_in_total,
       "130 epochs, or 10 in total that do not gain");
    ok(o.mean_of_strings, "the loss is averaged over strings");
    ok(o.seed == 7 && o.steps == 9, "seed and steps stay");
}

static void
test_default(void)
{
    struct recipe_choice c;
    struct train_options o = {0};
    recipe_choice_init(&c);
    recipe_apply(&c, &o);
    ok(o.dropout > 0 && o.input_dropout == 0, "default: the input has no dropout");
    ok(!o.patience_in_total, "patience counts epochs in a row");
    ok(!o.mean_of_strings, "the loss is averaged over characters");
}

static void
test_explicit(void)
{
    struct recipe_choice before, after;
    struct train_options o = {0};
    recipe_choice_init(&before);
    recipe_choice_init(&after);
    ok(recipe_set(&before, RECIPE_DROPOUT, "0.5", NULL) == 0 &&
           recipe_choose(&before, "paper", NULL) == 0 &&
           recipe_choose(&after, "paper", NULL) == 0 &&
           recipe_set(&after, RECIPE_DROPOUT, "0.5", NULL) == 0,
       "an explicit value before or after the recipe");
    ok(recipe_value(&before, RECIPE_DROPOUT) == 0.5 && recipe_value(&after, RECIPE_DROPOUT) == 0.5,
       "counts");
    recipe_apply(&before, &o);
    ok(o.dropout == 0.5 && o.input_dropout == 0.5, "also for the input");
    ok(recipe_set(&after, RECIPE_DROPOUT, "1", NULL) == ERR_USAGE &&
           recipe_set(&after, RECIPE_BATCH, "2.5", NULL) == ERR_USAGE &&
           recipe_choose(&after, "cake", NULL) == ERR_USAGE,
       "values out of range and unknown recipes are refused");
}

int
main(void)
{
    test_paper();
    test_default();
    test_explicit();
    return tap_done();
}
