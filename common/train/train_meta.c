/* SPDX-License-Identifier: MIT */
#include "train/train_meta.h"

#include <stdbool.h>
#include <string.h>
#include <xxhash.h>

#include "lstm/lstm.h"
#include "model/meta.h"
#include "text/corpus.h"
#include "train/recipe.h"
#include "train/training.h"
#include "train/training_data.h"

int
train_meta_settings(struct meta *m, const struct recipe_choice *r, uint64_t steps,
                    const struct train_set *s, struct err *e)
{
    int rc = meta_set(m, "recipe", e, "%s", r->recipe->name);
    for (enum recipe_setting i = 0; rc == 0 && i < RECIPE_SETTINGS; i++) {
        bool shape = i == RECIPE_HIDDEN || i == RECIPE_LAYERS; /* the model shows it */
        bool unused = steps > 0 && recipe_without_steps(i);
        if (!shape && !unused)
            rc = meta_set_number(m, recipe_name(i), recipe_value(r, i), e);
    }
    if (rc == 0 && steps > 0)
        rc = meta_set_number(m, "steps", (double)steps, e);
    if (rc == 0)
        rc = meta_set_number(m, "strings", (double)corpus_count(s->data), e);
    if (rc == 0 && s->valid != NULL)
        rc = meta_set_number(m, "valid_strings", (double)corpus_count(s->valid), e);
    return rc;
}

static void
mix(uint64_t *hash, const void *data, size_t size)
{
    *hash = XXH3_64bits_withSeed(data, size, *hash);
}

uint64_t
train_meta_identity(const struct meta *m, const struct lstm *model)
{
    const struct alphabet *a = &model->model.alphabet;
    const uint64_t shape[] = {model->layout.hidden, model->layout.layers, model->model.max_length};
    uint64_t hash = 0;
    mix(&hash, shape, sizeof shape);
    mix(&hash, a->chars, a->size);
    for (size_t i = 0; i < meta_count(m); i++) {
        const char *key = meta_key(m, i), *text = meta_value(m, i);
        if (strcmp(key, "command") != 0) {
            mix(&hash, key, strlen(key));
            mix(&hash, text, strlen(text));
        }
    }
    return hash;
}

int
train_meta_outcome(struct meta *m, const struct train_outcome *r, struct err *e)
{
    int rc = meta_set(m, "end", e, "%s", train_end_name(r->end));
    if (rc == 0)
        rc = meta_set_number(m, "epochs_run", (double)r->epochs, e);
    if (rc == 0)
        rc = meta_set_number(m, "steps_run", (double)r->steps, e);
    if (rc == 0 && r->best_epoch > 0)
        rc = meta_set_number(m, "best_epoch", (double)r->best_epoch, e);
    if (rc == 0)
        rc = meta_set_number(m, "train_ce", r->train_ce, e);
    if (rc == 0 && r->best_epoch > 0)
        rc = meta_set_number(m, "valid_ce", r->valid_ce, e);
    return rc;
}
