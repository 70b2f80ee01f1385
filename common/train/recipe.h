/* SPDX-License-Identifier: MIT
 *
 * recipe: named settings for training an LSTM.
 *
 * A recipe gives every setting a value; an explicit option overrides it, in any
 * order.  The patience of the default recipe depends on the number of strings:
 * the more updates an epoch has, the fewer epochs are needed to see a trend.
 */
#ifndef GAMUT_RECIPE_H
#define GAMUT_RECIPE_H

#include <stdbool.h>
#include <stddef.h>

struct err;
struct training_options;

enum recipe_setting {
    RECIPE_HIDDEN,
    RECIPE_LAYERS,
    RECIPE_DROPOUT,
    RECIPE_BATCH,
    RECIPE_LR,
    RECIPE_CLIP,
    RECIPE_AVERAGE,
    RECIPE_EPOCHS,
    RECIPE_PATIENCE,
    RECIPE_SETTINGS
};

struct recipe {
    const char *name;
    double value[RECIPE_SETTINGS];
    double patience_min, patience_max; /* limits in updates; max 0: none */
    /* As the paper's experiments were run: dropout of the input too, the loss
     * averaged over strings, patience in total, L = 2 x longest + 1. */
    bool paper;
    /* To change a trained model by many strings: it needs a model to start from, and a small
     * share of the strings for validation. */
    bool continues;
};

/* The choice of the user; recipe_choice_init selects the default recipe. */
struct recipe_choice {
    const struct recipe *recipe;
    double value[RECIPE_SETTINGS];
    bool given[RECIPE_SETTINGS];
    size_t strings; /* number of training strings; 0 while it is not known */
};

void recipe_choice_init(struct recipe_choice *c);

/* "default", "distil" or "paper"; 0 or ERR_USAGE. */
int recipe_choose(struct recipe_choice *c, const char *name, struct err *e);

/* "hidden", "layers" and so on: the option and the row of a model's meta. */
const char *recipe_name(enum recipe_setting s);

/* Whether the name is of a setting that only affects when training ends. */
bool recipe_is_limit(const char *name);

/* Whether the setting has no meaning if the number of updates is given. */
bool recipe_without_steps(enum recipe_setting s);

/* One setting from its text; 0 or ERR_USAGE. */
int recipe_set(struct recipe_choice *c, enum recipe_setting s, const char *value, struct err *e);

/* Adapts the recipe to the number of training strings. */
void recipe_for_strings(struct recipe_choice *c, size_t strings);

/* The value in effect: the user's, else the recipe's. */
double recipe_value(const struct recipe_choice *c, enum recipe_setting s);

/* Sets all options but seed and steps.  With steps there is no average: the
 * result is the parameters after the last update. */
void recipe_apply(const struct recipe_choice *c, struct training_options *o);

#endif
